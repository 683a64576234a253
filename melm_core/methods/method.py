"""The record that describes a method: what it is called, takes and needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from operator import itemgetter
from typing import Any

from melm_core.base.progress import Callback
from melm_core.methods.parameters import Setting


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
                f"{self.label} separates classes, and all rows belong to one class. Choose "
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
