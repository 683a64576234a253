"""The registry of methods: label, explanation, source, estimator and parameters of each.

The page builds its menu and its controls from `METHODS`, the worker builds its
estimators from it, and experiments and tests iterate over it.
`docs/adding-a-method.md` explains how to add a method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from sklearn.decomposition import PCA

from melm_core.base.progress import Callback
from melm_core.baselines.class_pca import BalancedClassPCA, ClassPCA, PerClassPCA
from melm_core.baselines.discriminant import DiscriminantPlane
from melm_core.baselines.factors import (
    FactorAnalysisPlane,
    IndependentComponentsPlane,
    NonNegativePlane,
)
from melm_core.baselines.kernel_projections import KernelFisherProjection, KernelPCAProjection
from melm_core.baselines.nca import NeighborhoodComponentsPlane
from melm_core.baselines.signal_noise import SignalNoisePlane
from melm_core.gem.estimator import GEMPlane
from melm_core.melm.estimator import MELM
from melm_core.methods.parameters import (
    BANDWIDTH,
    DENSITY,
    GAMMA,
    MULTICLASS,
    REGULARIZATION,
    SEED,
    STARTS,
    STEPS,
    Setting,
)
from melm_core.rotations.estimator import RotationFeatures


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

    def estimator(self, parameters: Mapping[str, Any], callback: Callback | None = None) -> Any:
        """Return an unfitted estimator with those of the `parameters` that the method has.

        Parameters
        ----------
        parameters : mapping
            Values by name; names that the method does not have are ignored.
        callback : callable or None
            Given every `Progress`, if the method streams.
        """
        known = ("n_components", *(parameter.name for parameter in self.parameters))
        arguments = {name: parameters[name] for name in known if name in parameters}
        if self.accepts_init and "init" in parameters:
            arguments |= {"init": parameters["init"], "continuation": None}
        if self.streams:
            arguments["callback"] = callback
        return self.factory(**arguments)

    @property
    def reports_divergence(self) -> bool:
        """Whether the objective of its runs is the divergence between the class densities."""
        return self.maximizes in ("", "divergence")

    def parameter(self, name: str) -> Setting | None:
        """The parameter of this name, with this method's default; None if it has none."""
        return next((known for known in self.parameters if known.name == name), None)

    def takes(self, name: str) -> bool:
        """Whether the method has a parameter of this name."""
        return self.parameter(name) is not None

    def refusal(
        self, n_features: int, class_counts: Mapping[str, int], n_components: int
    ) -> str | None:
        """Why the method cannot be fitted to such data, and what would help; None if it can.

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


def _gem_plane(n_components: int = 2, regularization: float = 0.05) -> GEMPlane:
    """The estimator with `gamma` renamed, because gamma is the kernel width of other methods."""
    return GEMPlane(n_components, gamma=regularization)


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        method.key: method
        for method in (
            Method(
                key="melm",
                label="MELM",
                explanation=(
                    "The plane that maximizes the Cauchy-Schwarz divergence between the class "
                    "densities."
                ),
                paper="Czarnecki, Józefowicz and Tabor, 2015",
                factory=MELM,
                parameters=(GAMMA, STARTS, SEED, MULTICLASS),
                streams=True,
                maximizes="divergence",
                accepts_init=True,
            ),
            Method(
                key="rotations",
                label="Rotations",
                explanation=(
                    "The plane that maximizes the mean log posterior probability of the true "
                    "classes."
                ),
                paper="Salas-Boni and Tabak, 2013",
                factory=RotationFeatures,
                parameters=(DENSITY, replace(STARTS, default=10), SEED),
                streams=True,
                maximizes="mean log posterior",
                requirements=Requirements(
                    min_classes=2, min_class_rows=1, min_class_rows_per_component=1
                ),
            ),
            Method(
                key="gem",
                label="GEM",
                explanation=(
                    "The directions that maximize the second moment of one class relative to "
                    "that of another."
                ),
                paper="Karampatziakis and Mineiro, 2014",
                factory=_gem_plane,
                parameters=(REGULARIZATION,),
            ),
            Method(
                key="pca",
                label="PCA",
                explanation="The plane of maximum variance; ignores the labels.",
                paper="Hotelling, 1933",
                # Other solvers lose the variances of data far from the origin.
                factory=partial(PCA, svd_solver="full"),
                uses_labels=False,
                requirements=ANY_ROWS,
            ),
            Method(
                key="lda",
                label="LDA",
                explanation=(
                    "The plane that maximizes the variance between the class means relative to "
                    "the variance within the classes."
                ),
                paper="Fisher, 1936; Rao, 1948",
                factory=DiscriminantPlane,
            ),
            Method(
                key="nca",
                label="NCA",
                explanation=(
                    "The plane that maximizes the expected leave-one-out accuracy of a random "
                    "nearest neighbor."
                ),
                paper="Goldberger, Roweis, Hinton and Salakhutdinov, 2005",
                factory=NeighborhoodComponentsPlane,
                parameters=(STEPS,),
                streams=True,
                maximizes="leave-one-out accuracy",
            ),
            Method(
                key="cpca",
                label="Class PCA",
                explanation=(
                    "The plane of maximum variance within the classes, weighted by class size."
                ),
                paper="Czarnecki, Józefowicz and Tabor, 2015",
                factory=ClassPCA,
            ),
            Method(
                key="2epca",
                label="Two-ellipsoid PCA",
                explanation=(
                    "The plane of maximum variance within the classes, all classes weighted "
                    "equally."
                ),
                paper="Czarnecki, Józefowicz and Tabor, 2015",
                factory=BalancedClassPCA,
            ),
            Method(
                key="ppca",
                label="Per-class PCA",
                explanation="The plane spanned by the first principal component of each class.",
                paper="Czarnecki, Józefowicz and Tabor, 2015",
                factory=PerClassPCA,
            ),
            Method(
                key="ica",
                label="ICA",
                explanation=(
                    "The plane of the most non-Gaussian independent components; ignores the labels."
                ),
                paper="Hyvärinen, 1999",
                factory=IndependentComponentsPlane,
                parameters=(SEED,),
                uses_labels=False,
                requirements=ANY_ROWS,
            ),
            Method(
                key="fa",
                label="Factor analysis",
                explanation=(
                    "The plane of the factors common to the features, apart from the noise of "
                    "each; ignores the labels."
                ),
                paper="Spearman, 1904",
                factory=FactorAnalysisPlane,
                uses_labels=False,
                requirements=ANY_ROWS,
            ),
            Method(
                key="nmf",
                label="NMF",
                explanation=(
                    "The plane of the factors of a non-negative matrix factorization; ignores the "
                    "labels."
                ),
                paper="Lee and Seung, 1999",
                factory=NonNegativePlane,
                parameters=(SEED,),
                uses_labels=False,
                requirements=ANY_ROWS,
            ),
            Method(
                key="vca",
                label="Vanishing components",
                explanation="The plane of minimum variance; ignores the labels.",
                paper="Livni and others, 2013",
                factory=partial(SignalNoisePlane, member="vca"),
                uses_labels=False,
            ),
            Method(
                key="sir",
                label="Sliced inverse regression",
                explanation=(
                    "The plane that maximizes the variance between the class means relative to "
                    "the total variance."
                ),
                paper="Li, 1991",
                factory=partial(SignalNoisePlane, member="sir"),
            ),
            Method(
                key="opca",
                label="Oriented PCA",
                explanation=(
                    "The plane of maximum variance relative to the noise of each feature within "
                    "the classes."
                ),
                paper="Diamantaras and Kung, 1996",
                factory=partial(SignalNoisePlane, member="oriented_pca"),
            ),
            Method(
                key="kpca",
                label="Kernel PCA",
                explanation=(
                    "A nonlinear projection: the directions of maximum variance in the feature "
                    "space of a Gaussian kernel; ignores the labels."
                ),
                paper="Schölkopf, Smola and Müller, 1998",
                factory=KernelPCAProjection,
                parameters=(BANDWIDTH,),
                is_linear=False,
                uses_labels=False,
                requirements=ANY_ROWS,
            ),
            Method(
                key="kfd",
                label="Kernel Fisher",
                explanation=(
                    "A nonlinear projection: linear discriminants in the feature space of a "
                    "Gaussian kernel."
                ),
                paper="Mika, Rätsch, Weston, Schölkopf and Müller, 1999",
                factory=KernelFisherProjection,
                parameters=(BANDWIDTH, replace(REGULARIZATION, default=1e-3, maximum=1.0)),
                is_linear=False,
            ),
        )
    }
)
