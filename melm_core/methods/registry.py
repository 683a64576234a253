"""The registry of methods: label, explanation, source, estimator and parameters of each.

The page builds its menu and its controls from `METHODS`, the worker builds its
estimators from it, and experiments and tests iterate over it.
`docs/adding-a-method.md` explains how to add a method.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from melm_core.base.progress import DEFAULT_GAMMA
from melm_core.baselines.class_pca import ClassPCAPlane, PerClassPCAPlane
from melm_core.baselines.discriminant import ChernoffDiscriminantPlane, DiscriminantPlane
from melm_core.baselines.kernel_fisher import KernelFisherDiscriminant
from melm_core.baselines.nca import NeighborhoodComponentsPlane
from melm_core.baselines.partial_least_squares import OPLSDiscriminantPlane, PLSDiscriminantPlane
from melm_core.baselines.signal_noise import SignalNoisePlane
from melm_core.gem.estimator import GEMPlane
from melm_core.melm.choosing import MELMCV
from melm_core.melm.entropy_plane import EntropyPlane
from melm_core.melm.estimator import MELM
from melm_core.melm.search import SearchOptions, default_starts
from melm_core.methods.method import (
    ANY_ROWS,
    AUTO,
    AUTO_GAMMA,
    BANDWIDTH,
    BATCH_WEIGHT,
    DENSITY,
    ENTROPY_DENSITY,
    MIN_DISTANCE,
    MULTICLASS,
    NEIGHBORS,
    ORTHOGONAL,
    PERPLEXITY,
    REGULARIZATION,
    SEED,
    STARTS,
    STEPS,
    Method,
    Requirements,
)
from melm_core.methods.wrappers.decompositions import (
    FactorAnalysisPlane,
    IndependentComponentsPlane,
    KernelPCAProjection,
    NonNegativePlane,
    PrincipalComponentsPlane,
)
from melm_core.methods.wrappers.neighbor_embedding import (
    SupervisedUMAPProjection,
    TSNEProjection,
    UMAPProjection,
)
from melm_core.rotations.estimator import RotationPlane


def _melm(*, gamma: Any = DEFAULT_GAMMA, init: Any = "auto", **parameters: Any) -> MELM:
    """The estimator of a kernel width, or for "auto" the one that chooses it."""
    if not isinstance(init, str):
        parameters["search"] = SearchOptions(init=init)
    if gamma == AUTO:
        return MELMCV(**parameters)
    parameters.setdefault("n_init", default_starts(gamma))
    return MELM(gamma=gamma, **parameters)


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
                factory=_melm,
                parameters=(AUTO_GAMMA, STARTS, SEED, MULTICLASS, BATCH_WEIGHT),
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
                factory=RotationPlane,
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
                factory=PrincipalComponentsPlane,
                uses_labels=False,
                requirements=ANY_ROWS,
            ),
            Method(
                key="entropy",
                label="Entropy",
                explanation=(
                    "The plane with the largest Renyi entropy, over which the rows are spread most "
                    "evenly; ignores the labels. Of a Gaussian it is that of PCA."
                ),
                paper="Czarnecki, Józefowicz and Tabor, 2015",
                factory=partial(EntropyPlane, density="kde"),
                parameters=(ENTROPY_DENSITY, STARTS, SEED),
                streams=True,
                maximizes="entropy",
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
                key="rlda",
                label="LDA, regularized",
                explanation=(
                    "LDA with the covariances of the features shrunk toward 0, within the classes "
                    "and between their means, for few rows or many features."
                ),
                paper="Friedman, 1989; Ledoit and Wolf, 2004; Schäfer and Strimmer, 2005",
                factory=partial(DiscriminantPlane, shrinkage="ledoit-wolf"),
            ),
            Method(
                key="hlda",
                label="Heteroscedastic LDA",
                explanation=(
                    "LDA that also tells apart classes whose covariances differ: the plane of the "
                    "Chernoff criterion."
                ),
                paper="Loog and Duin, 2004",
                factory=ChernoffDiscriminantPlane,
            ),
            Method(
                key="plsda",
                label="PLS-DA",
                explanation=(
                    "The plane of the components with the largest covariance with the class "
                    "indicators."
                ),
                paper="Barker and Rayens, 2003",
                factory=PLSDiscriminantPlane,
            ),
            Method(
                key="oplsda",
                label="OPLS-DA",
                explanation=(
                    "PLS-DA after the variation that is unrelated to the classes has been set "
                    "apart, along an axis of its own where there are two classes."
                ),
                paper="Trygg and Wold, 2002; Bylesjö and others, 2006",
                factory=OPLSDiscriminantPlane,
                parameters=(ORTHOGONAL,),
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
                factory=ClassPCAPlane,
            ),
            Method(
                key="2epca",
                label="Two-ellipsoid PCA",
                explanation=(
                    "The plane of maximum variance within the classes, all classes weighted "
                    "equally."
                ),
                paper="Czarnecki, Józefowicz and Tabor, 2015",
                factory=partial(ClassPCAPlane, class_weight="balanced"),
            ),
            Method(
                key="ppca",
                label="Per-class PCA",
                explanation="The plane spanned by the first principal component of each class.",
                paper="Czarnecki, Józefowicz and Tabor, 2015",
                factory=PerClassPCAPlane,
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
                factory=KernelFisherDiscriminant,
                parameters=(BANDWIDTH, replace(REGULARIZATION, default=1e-3, maximum=1.0)),
                is_linear=False,
            ),
            Method(
                key="tsne",
                label="t-SNE",
                explanation=(
                    "A nonlinear map that keeps rows close to their neighbors; ignores the labels. "
                    "Distances between clusters, and their sizes, mean nothing."
                ),
                paper="van der Maaten and Hinton, 2008",
                factory=TSNEProjection,
                parameters=(PERPLEXITY, SEED),
                is_linear=False,
                uses_labels=False,
                caution="Distances between clusters mean nothing",
                requirements=ANY_ROWS,
            ),
            Method(
                key="umap",
                label="UMAP",
                explanation=(
                    "A nonlinear map that keeps rows close to their neighbors; ignores the labels. "
                    "Distances between clusters, and their sizes, mean nothing."
                ),
                paper="McInnes, Healy and Melville, 2018",
                factory=UMAPProjection,
                parameters=(NEIGHBORS, MIN_DISTANCE, SEED),
                is_linear=False,
                uses_labels=False,
                caution="Distances between clusters mean nothing",
                requirements=ANY_ROWS,
                extra="umap",
            ),
            Method(
                key="supervised_umap",
                label="UMAP with labels",
                explanation=(
                    "UMAP that draws rows of a class together. It shows clusters even in noise, "
                    "so only held-out rows say whether classes differ."
                ),
                paper="McInnes, Healy and Melville, 2018",
                factory=SupervisedUMAPProjection,
                parameters=(NEIGHBORS, MIN_DISTANCE, SEED),
                is_linear=False,
                caution="Classes lie apart in it even where they do not differ",
                extra="umap",
            ),
        )
    }
)
