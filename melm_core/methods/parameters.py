"""The parameters that users set: numbers with bounds, and choices among named options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from numbers import Real
from types import MappingProxyType
from typing import Any, TypeAlias

from melm_core.base.errors import UserError
from melm_core.base.gamma_path import DEFAULT_GAMMA
from melm_core.melm.search import default_starts

# The value of a parameter that the method is to choose from the data.
AUTO = "auto"


class Scale(StrEnum):
    """Spacing of the values on the control of a parameter."""

    LINEAR = "linear"
    LOG = "log"


@dataclass(frozen=True)
class Parameter:
    """A numeric parameter that users set.

    Attributes
    ----------
    name : str
        The keyword argument of the estimator.
    label : str
        Short text beside the control.
    explanation : str
        One sentence for readers who do not know the method.
    default : float
    minimum, maximum : float
        Bounds of the control; the estimator may accept more.
    scale : Scale
    is_integer : bool

    Examples
    --------
    >>> from melm_core.methods import Parameter
    >>> steps = Parameter("max_iter", "Steps", "At most this many.", 100, 1, 1000, is_integer=True)
    >>> steps.checked(250.0)
    250
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
        """Return the value as a number within the bounds.

        Raises
        ------
        ValueError
            If the value is not a number, not an integer where one is required, or out of bounds.
        """
        kind = "whole number" if self.is_integer else "number"
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        if not is_number or not self._allows(float(value)):
            raise UserError(
                f"{self.label} must be a {kind} from {self.minimum:,.10g} to "
                f"{self.maximum:,.10g}{self._alternative}; it is {_shown(value)}."
            )
        return int(value) if self.is_integer else float(value)

    @property
    def _alternative(self) -> str:
        """Return what else the value may be, for messages."""
        return ""

    def _allows(self, value: float) -> bool:
        within = self.minimum <= value <= self.maximum
        return within and (value.is_integer() or not self.is_integer)


@dataclass(frozen=True)
class AutoParameter(Parameter):
    """A numeric parameter that the method chooses itself where the value is "auto".

    Examples
    --------
    >>> from melm_core.methods import METHODS
    >>> METHODS["melm"].parameter("gamma").checked("auto")
    'auto'
    """

    def checked(self, value: Any) -> Any:
        """Return the value as a number within the bounds, or "auto".

        Raises
        ------
        ValueError
            If it is neither.
        """
        return AUTO if value == AUTO else super().checked(value)

    @property
    def _alternative(self) -> str:
        return f', or "{AUTO}"'


@dataclass(frozen=True)
class Choice:
    """A parameter that takes one of a few named options.

    Attributes
    ----------
    name : str
        The keyword argument of the estimator.
    label : str
        Short text beside the control.
    explanation : str
        One sentence for readers who do not know the method.
    default : str
    options : mapping from str to str
        Label of each option.

    Examples
    --------
    >>> from melm_core.methods import Choice
    >>> mean = Choice("mean", "Mean", "Which mean.", "arithmetic", {"arithmetic": "Arithmetic"})
    >>> mean.checked("arithmetic")
    'arithmetic'
    """

    name: str
    label: str
    explanation: str
    default: str
    options: Mapping[str, str]

    def checked(self, value: Any) -> str:
        """Return the value if it is one of the options.

        Raises
        ------
        ValueError
            If it is not.
        """
        if not isinstance(value, str) or value not in self.options:
            names = ", ".join(self.options.values())
            raise UserError(f"{self.label} must be one of {names}; it is {_shown(value)}.")
        return value


Setting: TypeAlias = Parameter | Choice


COMPONENTS = Parameter(
    name="n_components",
    label="Components",
    explanation=(
        "Dimension of the projection: a line with the class densities above it, a plane, or a "
        "space that can be rotated."
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
        "Width of the kernels whose divergence is maximized: small values keep local detail, large "
        "ones smooth each class toward a single Gaussian. Densities are drawn with a width of "
        "their own, 1, which the slider below a picture changes."
    ),
    default=DEFAULT_GAMMA,
    minimum=0.1,
    maximum=10.0,
    scale=Scale.LOG,
)
AUTO_GAMMA = AutoParameter(**vars(GAMMA))
STARTS = Parameter(
    name="n_init",
    label="Starts",
    explanation=(
        "Number of planes the search starts from. With more starts, the optimum is less likely to "
        "be missed. Below γ 1.5 there are more optima, and 14 starts are the default."
    ),
    default=default_starts(DEFAULT_GAMMA),
    minimum=1,
    maximum=500,
    is_integer=True,
)
SEED = Parameter(
    name="random_state",
    label="Seed",
    explanation="Seed of the random numbers. The same seed gives exactly the same result.",
    default=0,
    minimum=0,
    maximum=2**31 - 1,
    is_integer=True,
)

HELD_OUT = Parameter(
    name="held_out",
    label="Held out (%)",
    explanation=(
        "Share of the rows that are excluded from the fit. They show whether the plane also "
        "separates new rows."
    ),
    default=25,
    minimum=0,
    maximum=50,
)

STRAIGHT, CURVED = "straight", "curved"
CURVES = Choice(
    name="curves",
    label="Features",
    explanation=(
        "Straight features move a row along an arrow, curved ones along a bent path. Auto bends "
        "them where that tells more of the rows that inner folds leave out."
    ),
    default=STRAIGHT,
    options=MappingProxyType({STRAIGHT: "straight", CURVED: "curved", AUTO: "auto"}),
)

# Parameters that all runs share or whose controls have a place of their own on the page.
SHARED = frozenset(
    {COMPONENTS.name, GAMMA.name, STARTS.name, SEED.name, HELD_OUT.name, CURVES.name}
)

DENSITY = Choice(
    name="density",
    label="Class densities",
    explanation="The model of each class density in the plane.",
    default="gaussian",
    options=MappingProxyType(
        {"gaussian": "Gaussian", "mixture": "Mixture of two Gaussians", "kde": "Kernel density"}
    ),
)
ENTROPY_DENSITY = Choice(
    name="density",
    label="Density of all rows",
    explanation="The density whose entropy is maximized; of a Gaussian the plane is that of PCA.",
    default="kde",
    options=MappingProxyType({"kde": "Kernel density", "gaussian": "Gaussian"}),
)
MULTICLASS = Choice(
    name="multiclass",
    label="Multi-class objective",
    explanation=(
        "How the divergences of the pairs of classes are combined: a soft minimum, which "
        "emphasizes close pairs, their mean, or the mean over one class against the rest."
    ),
    default="softmin",
    options=MappingProxyType(
        {"softmin": "Soft minimum of pairs", "mean": "Mean of pairs", "ovr": "One against the rest"}
    ),
)
STEPS = Parameter(
    name="max_iter",
    label="Steps",
    explanation="Maximum number of iterations of the search.",
    default=100,
    minimum=1,
    maximum=1000,
    scale=Scale.LOG,
    is_integer=True,
)
BATCH_WEIGHT = Parameter(
    name="nuisance_weight",
    label="Batch weight",
    explanation=(
        "How much separation of the classes may be given up so that batches look alike within "
        "each class. With 0, batches are ignored."
    ),
    default=0,
    minimum=0,
    maximum=10,
)
ORTHOGONAL = Parameter(
    name="n_orthogonal",
    label="Orthogonal components",
    explanation=(
        "Number of components that are removed because they do not vary with the classes."
    ),
    default=1,
    minimum=0,
    maximum=10,
    is_integer=True,
)
BANDWIDTH = Parameter(
    name="bandwidth_scale",
    label="Kernel bandwidth",
    explanation="Bandwidth of the kernel, relative to the median distance between two rows.",
    default=1.0,
    minimum=0.1,
    maximum=10.0,
    scale=Scale.LOG,
)
PERPLEXITY = Parameter(
    name="perplexity",
    label="Perplexity",
    explanation=(
        "Effective number of neighbors that a row is kept close to, at most a third of the rows. "
        "Small values show local detail, which may be noise."
    ),
    default=30.0,
    minimum=2.0,
    maximum=200.0,
    scale=Scale.LOG,
)
NEIGHBORS = Parameter(
    name="n_neighbors",
    label="Neighbors",
    explanation=(
        "Number of neighbors that a row is kept close to. Small values show local detail, which "
        "may be noise."
    ),
    default=15,
    minimum=2,
    maximum=200,
    scale=Scale.LOG,
    is_integer=True,
)
MIN_DISTANCE = Parameter(
    name="min_dist",
    label="Minimum distance",
    explanation="How close rows may lie in the picture. Small values make tight clusters.",
    default=0.1,
    minimum=0.0,
    maximum=1.0,
)
REGULARIZATION = Parameter(
    name="regularization",
    label="Regularization",
    explanation="Added to the within-class variances. Larger values stabilize the estimate.",
    default=0.05,
    minimum=1e-6,
    maximum=10.0,
    scale=Scale.LOG,
)


def without_zero_weight(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters without a batch weight of 0, as in records and links that have no batches.

    Parameters
    ----------
    parameters : mapping

    Examples
    --------
    >>> from melm_core.methods import without_zero_weight
    >>> without_zero_weight({"gamma": 1.0, "nuisance_weight": 0})
    {'gamma': 1.0}
    """
    is_idle = not parameters.get(BATCH_WEIGHT.name)
    return {k: v for k, v in parameters.items() if k != BATCH_WEIGHT.name or not is_idle}


def _shown(value: Any) -> str:
    return "empty" if value in (None, "") else repr(value)
