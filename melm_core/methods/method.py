"""A method as users see it, what it is called, takes and needs, and the parameters they set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from numbers import Real
from operator import itemgetter
from types import MappingProxyType
from typing import Any, TypeAlias

from melm_core.base.errors import UserError
from melm_core.base.progress import DEFAULT_GAMMA, Callback
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
        return int(float(value)) if self.is_integer else float(value)

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
        "tells new rows apart."
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
        "How much of what tells the classes apart may be given up so that batches look alike "
        "within each class. With 0, batches are ignored."
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


@dataclass(frozen=True)
class Requirements:
    """Minimum numbers of classes and rows that a method needs.

    Attributes
    ----------
    min_classes : int
        1 for a method that ignores the labels.
    min_class_rows : int
        Minimum number of rows of every class.
    min_class_rows_per_component : int
        Rows of every class required in addition for each component.
    """

    min_classes: int = 1
    min_class_rows: int = 0
    min_class_rows_per_component: int = 0

    def class_rows(self, n_components: int) -> int:
        """Minimum number of rows of every class for a projection of this dimension."""
        return self.min_class_rows + n_components * self.min_class_rows_per_component


ANY_ROWS = Requirements()
CLASSES = Requirements(min_classes=2, min_class_rows=2)


@dataclass(frozen=True)
class Method:
    """A projection method, as users see it and as workers run it.

    Attributes
    ----------
    key : str
        Identifies the method in `METHODS`, in links and in saved runs.
    label : str
    explanation : str
        One sentence for readers who do not know the method.
    paper : str
        Authors and year of the source.
    factory : callable
        Returns the estimator for the keyword arguments "n_components" and the
        names of `parameters`, and "callback" if `streams` is true.
    parameters : tuple of Parameter or Choice
        Parameters of the estimator apart from n_components.
    streams : bool
        Whether the estimator reports `Progress` during `fit`.
    maximizes : str
        Name of the objective that the progress reports; empty if there is none.
    is_linear : bool
        Whether the estimator has `components_`, a linear map of the features.
        Otherwise coordinates are available from `transform` only.
    uses_labels : bool
        Whether the projection depends on the class labels.
    accepts_init : bool
        Whether the search can start from given planes, the parameter "init" of
        shape (n_planes, n_components, n_features).
    requirements : Requirements
    caution : str
        What its pictures must not be read as, without a period; empty if there is nothing.
    extra : str
        The extra of melm-studio that installs the package of the same name, which a fit needs;
        empty if it needs none.

    Examples
    --------
    >>> from melm_core.datasets import two_gaussians
    >>> from melm_core.methods import METHODS
    >>> X, y = two_gaussians(0)
    >>> METHODS["lda"].estimator({"n_components": 2}).fit_transform(X, y).shape
    (300, 2)
    >>> METHODS["melm"].takes("gamma")
    True
    """

    key: str
    label: str
    explanation: str
    paper: str
    factory: Callable[..., Any]
    parameters: tuple[Setting, ...] = ()
    streams: bool = False
    maximizes: str = ""
    is_linear: bool = True
    uses_labels: bool = True
    accepts_init: bool = False
    requirements: Requirements = CLASSES
    caution: str = ""
    extra: str = ""

    def estimator(self, parameters: Mapping[str, Any], callback: Callback | None = None) -> Any:
        """Return an unfitted estimator with those of the `parameters` that the method has.

        Parameters
        ----------
        parameters : mapping
            Values by name; names that the method does not have are ignored.
        callback : callable or None
            Given every `Progress`, if the method streams.
        """
        names = ("n_components", *(parameter.name for parameter in self.parameters))
        arguments = {name: parameters[name] for name in names if name in parameters}
        if self.accepts_init and "init" in parameters:
            arguments["init"] = parameters["init"]
        if self.streams:
            arguments["callback"] = callback
        return self.factory(**arguments)

    @property
    def reports_divergence(self) -> bool:
        """True if the objective of its runs is the divergence between the class densities."""
        return self.maximizes in ("", "divergence")

    @property
    def predicts_indicators(self) -> bool:
        """True if the estimator predicts class indicators, so that R2Y and Q2 are defined."""
        return hasattr(self.factory, "predict_indicators")

    @property
    def keeps_embedding(self) -> bool:
        """True if a fit takes long and its coordinates, `embedding_`, `restore` it."""
        return hasattr(self.factory, "restore")

    @property
    def is_installed(self) -> bool:
        """True if the packages that a fit needs are installed."""
        return not self.extra or find_spec(self.extra) is not None

    def parameter(self, name: str) -> Setting | None:
        """The parameter of this name, with this method's default; None if it has none."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)

    def takes(self, name: str) -> bool:
        """Return whether the method has a parameter of this name."""
        return self.parameter(name) is not None

    def refusal(
        self, n_features: int, class_counts: Mapping[str, int], n_components: int
    ) -> str | None:
        """Return why the method cannot be fitted to such data, with a remedy; None if it can.

        Parameters
        ----------
        n_features : int
        class_counts : mapping from str to int
            Number of rows by class name.
        n_components : int
        """
        if self.is_linear and n_components > n_features:
            return (
                f"{self.label} projects onto {n_components} dimensions, and the data have "
                f"{n_features} feature{'' if n_features == 1 else 's'}. Add features, or choose "
                "fewer dimensions."
            )
        if sum(count > 0 for count in class_counts.values()) < self.requirements.min_classes:
            return (
                f"{self.label} tells classes apart, and all rows belong to one class. Choose "
                "another label column, or an unsupervised method."
            )
        rows = self.requirements.class_rows(n_components)
        smallest, count = min(class_counts.items(), key=itemgetter(1))
        if count < rows:
            return (
                f"{self.label} needs at least {rows} rows of every class, and {smallest!r} has "
                f"{count}. Add rows, exclude the class, or hold out fewer rows."
            )
        return None
