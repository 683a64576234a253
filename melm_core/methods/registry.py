"""The methods that can be compared, with what a person needs to know and to set.

The page builds its menu and its controls from `METHODS`; a worker builds its
estimators from it; experiments and tests go through it. `docs/adding-a-method.md`
says how to add one.
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
from melm_core.baselines.nca import NeighbourhoodComponentsPlane
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
class Needs:
    """What the data must have before a method can work.

    Attributes
    ----------
    n_classes : int
        Classes at least; a method that never looks at the labels needs 1.
    rows_of_a_class : int
        Rows of every class at least,
    rows_of_a_class_per_component : int
        and so many more for every component.
    """

    n_classes: int = 1
    rows_of_a_class: int = 0
    rows_of_a_class_per_component: int = 0


ANY_ROWS = Needs()
CLASSES = Needs(n_classes=2, rows_of_a_class=2)


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
    parameters : tuple of Parameter or Choice
        What the estimator takes beyond n_components.
    streams : bool
        Whether it reports `Progress` while it fits.
    maximises : str
        What its progress reports, in a few words; empty if it has no progress.
    is_linear : bool
        Whether it has `components_`, a linear map of the features; if not, its
        coordinates come from `transform` alone.
    uses_labels : bool
        Whether the classes shape the plane.
    refines : bool
        Whether it can begin from a given plane, "init" among the parameters:
        planes of shape (n_planes, n_components, n_features).
    needs : Needs
    """

    key: str
    label: str
    explanation: str
    paper: str
    factory: Callable[..., Any]
    parameters: tuple[Setting, ...] = ()
    streams: bool = False
    maximises: str = ""
    is_linear: bool = True
    uses_labels: bool = True
    refines: bool = False
    needs: Needs = CLASSES

    def estimator(self, parameters: Mapping[str, Any], callback: Callback | None = None) -> Any:
        """An unfitted estimator that takes from `parameters` what the method knows."""
        known = ("n_components", *(parameter.name for parameter in self.parameters))
        arguments = {name: parameters[name] for name in known if name in parameters}
        if self.refines and "init" in parameters:
            arguments |= {"init": parameters["init"], "continuation": None}
        if self.streams:
            arguments["callback"] = callback
        return self.factory(**arguments)

    @property
    def reports_divergence(self) -> bool:
        """Whether what its runs report is the divergence of the class densities."""
        return self.maximises in ("", "divergence")

    def parameter(self, name: str) -> Setting | None:
        """The parameter of that name, with this method's default; None if it takes none."""
        return next((known for known in self.parameters if known.name == name), None)

    def takes(self, name: str) -> bool:
        """Whether the parameter of that name makes a difference to this method."""
        return self.parameter(name) is not None

    def refusal(
        self, n_features: int, class_counts: Mapping[str, int], n_components: int
    ) -> str | None:
        """Why the method cannot work on such data and what would help; None if it can.

        Parameters
        ----------
        n_features : int
        class_counts : mapping from str to int
            Rows of every class, by its name.
        n_components : int
        """
        if self.is_linear and n_components > n_features:
            return (
                f"{self.label} projects onto {n_components} dimensions, and the data have "
                f"{n_features} feature{'' if n_features == 1 else 's'}. Add features, or ask for "
                "fewer dimensions."
            )
        if sum(count > 0 for count in class_counts.values()) < self.needs.n_classes:
            return (
                f"{self.label} tells classes apart, and the rows are all of one class. Choose "
                "another label column, or a method that does not look at the labels."
            )
        rows = self.needs.rows_of_a_class + n_components * self.needs.rows_of_a_class_per_component
        smallest, count = min(class_counts.items(), key=itemgetter(1))
        if count < rows:
            return (
                f"{self.label} needs at least {rows} rows of every class, and "
                f"{smallest!r} has {count}. Add rows, leave the class "
                "out, or hold out fewer rows."
            )
        return None


def _gem_plane(n_components: int = 2, regularization: float = 0.05) -> GEMPlane:
    """GEM calls its regularisation gamma, which is the kernel width everywhere else."""
    return GEMPlane(n_components, gamma=regularization)


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
                parameters=(GAMMA, STARTS, SEED, MULTICLASS),
                streams=True,
                maximises="divergence",
                refines=True,
            ),
            Method(
                key="rotations",
                label="Rotations",
                explanation=(
                    "The plane in which the posterior of the classes comes closest to the labels."
                ),
                paper="Salas-Boni and Tabak, 2013",
                factory=RotationFeatures,
                parameters=(DENSITY, replace(STARTS, default=10), SEED),
                streams=True,
                maximises="mean log posterior",
                needs=Needs(n_classes=2, rows_of_a_class=1, rows_of_a_class_per_component=1),
            ),
            Method(
                key="gem",
                label="GEM",
                explanation=(
                    "The two directions along which one class is large and another one small."
                ),
                paper="Karampatziakis and Mineiro, 2014",
                factory=_gem_plane,
                parameters=(REGULARIZATION,),
            ),
            Method(
                key="pca",
                label="PCA",
                explanation="The plane of the largest variance; it never looks at the labels.",
                paper="Hotelling, 1933",
                factory=PCA,
                uses_labels=False,
                needs=ANY_ROWS,
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
            Method(
                key="nca",
                label="NCA",
                explanation=(
                    "The plane in which the neighbours of a row most often share its class."
                ),
                paper="Goldberger, Roweis, Hinton and Salakhutdinov, 2005",
                factory=NeighbourhoodComponentsPlane,
                parameters=(STEPS,),
                streams=True,
                maximises="neighbours of the own class",
            ),
            Method(
                key="cpca",
                label="Class PCA",
                explanation=(
                    "The plane of the largest variance within the classes, larger classes "
                    "counting more."
                ),
                paper="Czarnecki, Józefowicz and Tabor, 2015",
                factory=ClassPCA,
            ),
            Method(
                key="2epca",
                label="Two-ellipsoid PCA",
                explanation=(
                    "The plane of the largest variance within the classes, every class counting "
                    "the same."
                ),
                paper="Czarnecki, Józefowicz and Tabor, 2015",
                factory=BalancedClassPCA,
            ),
            Method(
                key="ppca",
                label="Per-class PCA",
                explanation="The plane through the longest axis of each class.",
                paper="Czarnecki, Józefowicz and Tabor, 2015",
                factory=PerClassPCA,
            ),
            Method(
                key="ica",
                label="ICA",
                explanation=(
                    "The plane of the independent components that look least like a Gaussian; it "
                    "never looks at the labels."
                ),
                paper="Hyvärinen, 1999",
                factory=IndependentComponentsPlane,
                parameters=(SEED,),
                uses_labels=False,
                needs=ANY_ROWS,
            ),
            Method(
                key="fa",
                label="Factor analysis",
                explanation=(
                    "The plane of the factors that the features share, without the noise of each; "
                    "it never looks at the labels."
                ),
                paper="Spearman, 1904",
                factory=FactorAnalysisPlane,
                uses_labels=False,
                needs=ANY_ROWS,
            ),
            Method(
                key="nmf",
                label="NMF",
                explanation=(
                    "The plane of the non-negative parts that the rows are sums of; it never looks "
                    "at the labels."
                ),
                paper="Lee and Seung, 1999",
                factory=NonNegativePlane,
                parameters=(SEED,),
                uses_labels=False,
                needs=ANY_ROWS,
            ),
            Method(
                key="vca",
                label="Vanishing components",
                explanation="The plane of the smallest variance; it never looks at the labels.",
                paper="Livni and others, 2013",
                factory=partial(SignalNoisePlane, member="vca"),
                uses_labels=False,
            ),
            Method(
                key="sir",
                label="Sliced inverse regression",
                explanation=(
                    "The plane that moves the class means apart, measured in the spread of all "
                    "rows."
                ),
                paper="Li, 1991",
                factory=partial(SignalNoisePlane, member="sir"),
            ),
            Method(
                key="opca",
                label="Oriented PCA",
                explanation=(
                    "The plane of the largest variance, measured in the noise of each feature "
                    "within the classes."
                ),
                paper="Diamantaras and Kung, 1996",
                factory=partial(SignalNoisePlane, member="oriented_pca"),
            ),
            Method(
                key="kpca",
                label="Kernel PCA",
                explanation=(
                    "A curved picture: the largest variance after a Gaussian kernel's map; it "
                    "never looks at the labels."
                ),
                paper="Schölkopf, Smola and Müller, 1998",
                factory=KernelPCAProjection,
                parameters=(BANDWIDTH,),
                is_linear=False,
                uses_labels=False,
                needs=ANY_ROWS,
            ),
            Method(
                key="kfd",
                label="Kernel Fisher",
                explanation=(
                    "A curved picture: the class means moved apart after a Gaussian kernel's map."
                ),
                paper="Mika, Rätsch, Weston, Schölkopf and Müller, 1999",
                factory=KernelFisherProjection,
                parameters=(BANDWIDTH, replace(REGULARIZATION, default=1e-3, maximum=1.0)),
                is_linear=False,
            ),
        )
    }
)
