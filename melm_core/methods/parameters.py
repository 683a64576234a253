"""What a person may set: numbers with their bounds, choices with their options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from numbers import Real
from types import MappingProxyType
from typing import Any, TypeAlias

from melm_core.base.errors import UserError


class Scale(StrEnum):
    """How the control of a parameter spaces its values."""

    LINEAR = "linear"
    LOG = "log"


@dataclass(frozen=True)
class Parameter:
    """A number that a person may set.

    `minimum` and `maximum` bound the control, not what the estimator accepts.
    """

    name: str
    label: str
    explanation: str
    default: float
    minimum: float
    maximum: float
    scale: Scale = Scale.LINEAR
    is_integer: bool = False

    def checked(self, value: Any) -> float:
        """The value as a number within the bounds.

        Raises
        ------
        ValueError
            A sentence that names the parameter, the value and the rule.
        """
        kind = "whole number" if self.is_integer else "number"
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        if not is_number or not self._allows(float(value)):
            shown = "empty" if value in (None, "") else repr(value)
            raise UserError(
                f"{self.label} must be a {kind} from {_in_words(self.minimum)} to "
                f"{_in_words(self.maximum)}; it is {shown}."
            )
        return int(value) if self.is_integer else float(value)

    def _allows(self, value: float) -> bool:
        within = self.minimum <= value <= self.maximum
        return within and (value.is_integer() or not self.is_integer)


@dataclass(frozen=True)
class Choice:
    """One of a few words that a person may choose; `options` maps each to its label."""

    name: str
    label: str
    explanation: str
    default: str
    options: Mapping[str, str]

    def checked(self, value: Any) -> str:
        """The value if it is one of the options.

        Raises
        ------
        ValueError
            A sentence that names the choice, the value and the options.
        """
        if not isinstance(value, str) or value not in self.options:
            shown = "empty" if value in (None, "") else repr(value)
            raise UserError(
                f"{self.label} must be one of {', '.join(self.options.values())}; it is {shown}."
            )
        return value


Setting: TypeAlias = Parameter | Choice


COMPONENTS = Parameter(
    name="n_components",
    label="Components",
    explanation=(
        "How many directions are looked for: a line with the densities of the classes on it, a "
        "plane, or a space that can be turned."
    ),
    default=2,
    minimum=1,
    maximum=3,
    is_integer=True,
)
GAMMA = Parameter(
    name="gamma",
    label="Kernel width γ",
    explanation=(
        "How local the class densities are: small values look close, large ones blur each "
        "class towards one Gaussian."
    ),
    default=1.0,
    minimum=0.1,
    maximum=10.0,
    scale=Scale.LOG,
)
STARTS = Parameter(
    name="n_init",
    label="Starts",
    explanation="How many planes the search begins from; more starts miss less.",
    default=14,
    minimum=1,
    maximum=500,
    is_integer=True,
)
SEED = Parameter(
    name="random_state",
    label="Seed",
    explanation="The same seed gives the same result, digit for digit.",
    default=0,
    minimum=0,
    maximum=2**31 - 1,
    is_integer=True,
)

HELD_OUT = Parameter(
    name="held_out",
    label="Held out (%)",
    explanation=(
        "Share of the rows that the search never sees. They show whether the plane separates "
        "new rows as well."
    ),
    default=25,
    minimum=0,
    maximum=50,
)

# Controls that every run has, or that stand at a place of their own on the page.
SHARED = frozenset({COMPONENTS.name, GAMMA.name, STARTS.name, SEED.name, HELD_OUT.name})

DENSITY = Choice(
    name="density",
    label="Class densities",
    explanation="What a class is taken to look like within the plane.",
    default="gaussian",
    options=MappingProxyType(
        {"gaussian": "One Gaussian", "mixture": "Two Gaussians", "kde": "Kernel density"}
    ),
)
MULTICLASS = Choice(
    name="multiclass",
    label="Many classes",
    explanation=(
        "How the pairs of classes make one number: their mean, the pairs that are close, or "
        "each class against the rest."
    ),
    default="softmin",
    options=MappingProxyType(
        {"softmin": "Close pairs first", "mean": "Mean of pairs", "ovr": "One against the rest"}
    ),
)
STEPS = Parameter(
    name="max_iter",
    label="Steps",
    explanation="How far the search may climb before it stops.",
    default=100,
    minimum=1,
    maximum=1000,
    scale=Scale.LOG,
    is_integer=True,
)
BANDWIDTH = Parameter(
    name="bandwidth_scale",
    label="Width of the map",
    explanation="Width of the kernels of the map, relative to the median distance of two rows.",
    default=1.0,
    minimum=0.1,
    maximum=10.0,
    scale=Scale.LOG,
)
REGULARIZATION = Parameter(
    name="regularization",
    label="Regularisation",
    explanation="What is added to every variance within the classes: larger values trust it less.",
    default=0.05,
    minimum=1e-6,
    maximum=10.0,
    scale=Scale.LOG,
)


def _in_words(bound: float) -> str:
    return f"{bound:,.10g}".replace(",", " ")
