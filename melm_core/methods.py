"""The methods that can be compared, with what a person needs to know and to set.

The page builds its menu and its controls from `METHODS`; a worker builds its
estimators from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from numbers import Real
from types import MappingProxyType
from typing import Any

from sklearn.decomposition import PCA

from melm_core.baselines import DiscriminantPlane
from melm_core.melm import MELM
from melm_core.progress import Callback


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
            raise ValueError(
                f"{self.label} must be a {kind} from {_in_words(self.minimum)} to "
                f"{_in_words(self.maximum)}; it is {shown}."
            )
        return int(value) if self.is_integer else float(value)

    def _allows(self, value: float) -> bool:
        within = self.minimum <= value <= self.maximum
        return within and (value.is_integer() or not self.is_integer)


@dataclass(frozen=True)
class Method:
    """A way to find a plane.

    Attributes
    ----------
    key, label : str
    explanation : str
        One sentence for somebody who has not met it.
    paper : str
    factory : callable
        Makes the estimator from keyword arguments: "n_components" and the
        names of `parameters`, plus "callback" if it streams.
    parameters : tuple of Parameter
        What the estimator takes beyond n_components.
    streams : bool
        Whether it reports `Progress` while it fits.
    """

    key: str
    label: str
    explanation: str
    paper: str
    factory: Callable[..., Any]
    parameters: tuple[Parameter, ...] = ()
    streams: bool = False

    def estimator(self, parameters: Mapping[str, Any], callback: Callback | None = None) -> Any:
        """An unfitted estimator that takes from `parameters` what the method knows."""
        known = ("n_components", *(parameter.name for parameter in self.parameters))
        arguments = {name: parameters[name] for name in known if name in parameters}
        if self.streams:
            arguments["callback"] = callback
        return self.factory(**arguments)

    def takes(self, name: str) -> bool:
        """Whether the parameter of that name makes a difference to this method."""
        return any(parameter.name == name for parameter in self.parameters)


def _in_words(bound: float) -> str:
    return f"{bound:,.10g}".replace(",", " ")


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

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        method.key: method
        for method in (
            Method(
                key="melm",
                label="MELM",
                explanation=(
                    "The plane in which the class densities diverge most, in the sense of "
                    "Cauchy and Schwarz."
                ),
                paper="Czarnecki, Józefowicz and Tabor, 2015",
                factory=MELM,
                parameters=(GAMMA, STARTS, SEED),
                streams=True,
            ),
            Method(
                key="pca",
                label="PCA",
                explanation="The plane of the largest variance; it never looks at the labels.",
                paper="Hotelling, 1933",
                factory=PCA,
            ),
            Method(
                key="lda",
                label="LDA",
                explanation=(
                    "The plane that moves the class means apart, measured in the spread "
                    "within the classes."
                ),
                paper="Fisher, 1936; Rao, 1948",
                factory=DiscriminantPlane,
            ),
        )
    }
)
