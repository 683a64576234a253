"""The objective of MELM and its gradient.

For two classes a and b with information potentials ip_ab, the integrals of the products of their
densities, the Cauchy-Schwarz divergence (MELM paper, section 3) is

    D_cs = log ip_aa + log ip_bb - 2 log ip_ab,

in nats; it is zero if the densities are equal and grows as they separate.
`melm_core.melm.multiclass` aggregates the pairs of more than two classes.

A plane may have to be blind to a nuisance, for example the batch in which a row was measured. Then

    D_cs(classes) - weight x mean over classes of D_cs(values of the nuisance within the class)

is maximized. The nuisance is compared within each class, so that a batch that holds more rows of
one class is no effect. More than two values of it are aggregated by the mean over their pairs: a
pair that is far apart costs most.

`MELMObjective` computes value and gradient of several planes at once, which are those of a fit up
to a few thousand rows. `divergence_and_gradient` computes those of one plane in O(N), which are
those of a fit to more rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, Self, overload

import numpy as np
from sklearn.utils import check_X_y

from melm_core.base.array_types import FloatArray
from melm_core.base.estimator import (
    check_choice,
    check_class_sizes,
    check_components,
    check_positive,
    check_shrinkage,
)
from melm_core.base.progress import DEFAULT_GAMMA
from melm_core.compiled import CompiledObjective, is_compiled
from melm_core.density import TOLERANCE, Precision, TiledClasses
from melm_core.density.class_densities import ENGINES, ClassDensities, Engine
from melm_core.density.covariances import Shrinkage
from melm_core.density.kernel_density import kernel_classes
from melm_core.melm.multiclass import (
    AGGREGATES,
    DEFAULT_MULTICLASS,
    NUISANCE_AGGREGATE,
    SOFTNESS,
    Aggregate,
    Multiclass,
    pair_divergences,
)

# A step in several planes at once takes about this many kernel values, some 25 ms, and no more
# planes than this: more would share the fixed costs little better, but report the steps late.
_VALUES_OF_A_STEP = 8_000_000
_MAX_PLANES = 16


class PlaneObjective(Protocol):
    """An objective of several planes at once."""

    @property
    def batch_size(self) -> int:
        """The number of planes from which on more planes would not make each of them cheaper."""

    def widened(self, factor: float) -> Self:
        """Return the objective with kernels `factor` times as wide, on the same rows in memory."""

    def values_and_gradients(self, components: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Compute values, (n_planes,), and gradients in the shape of the components."""


class MELMObjective:
    """The divergence of the classes less that of a nuisance, for several planes at once.

    What it returns for one plane does not depend on the other ones.

    Parameters
    ----------
    classes : ClassDensities
        With the cells of the nuisance, if there is one.
    multiclass : "mean", "softmin" or "ovr"
    precision : float32 or float64
        Of the sums over rows; float32 is accurate to about 1e-6 and takes half the time.
    nuisance_weight : float

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.density import kernel_classes
    >>> from melm_core.melm import MELMObjective
    >>> classes = kernel_classes(*load_iris(return_X_y=True), n_components=2)
    >>> values, gradients = MELMObjective(classes).values_and_gradients(np.eye(4)[[[2, 3], [0, 1]]])
    >>> values.round(2), gradients.shape
    (array([5.18, 1.59]), (2, 2, 4))
    """

    def __init__(
        self,
        classes: ClassDensities,
        multiclass: Multiclass = DEFAULT_MULTICLASS,
        precision: Precision = np.float64,
        nuisance_weight: float = 0.0,
    ) -> None:
        self._terms = [
            _Term(share, AGGREGATES[how], densities.totals, densities.in_planes(precision))
            for densities, how, share in summed_divergences(classes, multiclass, nuisance_weight)
        ]

    @property
    def batch_size(self) -> int:
        """The number of planes from which on more planes would not make each of them cheaper."""
        n_values = self._terms[0].planes.n_rows ** 2 // 2
        return min(max(_VALUES_OF_A_STEP // n_values, 1), _MAX_PLANES)

    def widened(self, factor: float) -> MELMObjective:
        """Return the objective with kernels `factor` times as wide, on the same rows in memory."""
        other = object.__new__(MELMObjective)
        other._terms = [replace(term, planes=term.planes.widened(factor)) for term in self._terms]
        return other

    def values_and_gradients(self, components: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Compute values, (n_planes,), and gradients in the shape of the components.

        Parameters
        ----------
        components : ndarray of shape (n_planes, n_components, n_features)
        """
        values, gradients = np.zeros(len(components)), np.zeros(components.shape)
        for term in self._terms:
            potentials = term.planes.potentials(components)
            of_term, weights = term.aggregate(potentials.log_values, term.totals)
            values += term.share * of_term
            gradients += term.share * potentials.pull_back(weights)
        return values, gradients


@dataclass(frozen=True, eq=False)
class _Term:
    """The divergence of the classes, or of the cells of a class, and what it is multiplied by."""

    share: float
    aggregate: Aggregate
    totals: FloatArray
    planes: TiledClasses


def summed_divergences(
    classes: ClassDensities, multiclass: Multiclass, nuisance_weight: float
) -> list[tuple[ClassDensities, Multiclass, float]]:
    """List the divergences whose sum is maximized: that of the classes, less that of a nuisance.

    Parameters
    ----------
    classes : ClassDensities
        With the cells of the nuisance, if there is one.
    multiclass : "mean", "softmin" or "ovr"
    nuisance_weight : float

    Returns
    -------
    list of (ClassDensities, str, float)
        What a divergence is of, how its pairs are aggregated, and what it is multiplied by.
    """
    share = -nuisance_weight / max(len(classes.cells), 1)
    of_cells = [(cells, NUISANCE_AGGREGATE, share) for cells in classes.cells if share]
    return [(classes, multiclass, 1.0), *of_cells]


def objective_of_planes(
    classes: ClassDensities,
    n_components: int,
    multiclass: Multiclass = DEFAULT_MULTICLASS,
    precision: Precision = np.float64,
    nuisance_weight: float = 0.0,
) -> PlaneObjective:
    """Choose the fastest implementation of the objective for several planes.

    Parameters
    ----------
    classes, multiclass, precision, nuisance_weight
        See `MELMObjective`.
    n_components : int
        Of the planes.

    Returns
    -------
    CompiledObjective
        Where the compiled library is there and knows planes of so many components.
    MELMObjective
        Otherwise.
    """
    if not is_compiled(n_components):
        return MELMObjective(classes, multiclass, precision, nuisance_weight)
    terms = [
        densities.compiled_term(how, precision, share)
        for densities, how, share in summed_divergences(classes, multiclass, nuisance_weight)
    ]
    return CompiledObjective(terms, n_components, SOFTNESS)


@dataclass(frozen=True)
class DivergenceTerms:
    """The two terms of the divergence, in nats.

    For more than two classes each is a weighted mean over the pairs, with the
    weight of each pair in the aggregate.

    Attributes
    ----------
    fitting : float
        Twice the cross entropy, 2 H2x(a, b): the separation of the classes.
    regularizing : float
        The sum of the Renyi entropies, H2(a) + H2(b): the spread of the classes.

    References
    ----------
    W. M. Czarnecki, R. Józefowicz, J. Tabor: Maximum Entropy Linear Manifold
    for Learning Discriminative Low-dimensional Representation, ECML PKDD 2015, section 3.

    Examples
    --------
    >>> from melm_core.melm import DivergenceTerms
    >>> DivergenceTerms(fitting=5.0, regularizing=3.5).divergence
    1.5
    """

    fitting: float
    regularizing: float

    @property
    def divergence(self) -> float:
        """The fitting term minus the regularizing term, in nats."""
        return self.fitting - self.regularizing


@overload
def cauchy_schwarz_divergence(
    X: Any,
    y: Any,
    components: Any,
    *,
    gamma: float = ...,
    shrinkage: Shrinkage = ...,
    engine: Engine = ...,
    multiclass: Multiclass = ...,
    return_gradient: Literal[False] = ...,
) -> float: ...


@overload
def cauchy_schwarz_divergence(
    X: Any,
    y: Any,
    components: Any,
    *,
    gamma: float = ...,
    shrinkage: Shrinkage = ...,
    engine: Engine = ...,
    multiclass: Multiclass = ...,
    return_gradient: Literal[True],
) -> tuple[float, FloatArray]: ...


def cauchy_schwarz_divergence(
    X: Any,
    y: Any,
    components: Any,
    *,
    gamma: float = DEFAULT_GAMMA,
    shrinkage: Shrinkage = 0.0,
    engine: Engine = "auto",
    multiclass: Multiclass = DEFAULT_MULTICLASS,
    return_gradient: bool = False,
) -> float | tuple[float, FloatArray]:
    """Cauchy-Schwarz divergence between the class densities in a plane.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two or more classes, each with at least two rows.
    components : array-like of shape (n_components, n_features)
        Linearly independent rows; the value depends on their span only.
    gamma : float, default=2.0
        Kernel width relative to Silverman's rule, that of `MELM` by default; the papers have 1.
    shrinkage : float in [0, 1] or "auto"
        Weight of the pooled covariance in the kernel of each class, see
        `kernel_classes`.
    engine : "auto", "direct" or "nufft"
        How the kernel sums are computed. The engines agree to 1e-8; "auto"
        chooses the faster one.
    multiclass : "mean", "softmin" or "ovr"
        How the divergences of more than two classes are aggregated, see
        `melm_core.melm.multiclass`.
    return_gradient : bool
        Also return the gradient.

    Returns
    -------
    value : float
        The divergence in nats.
    gradient : ndarray of shape (n_components, n_features)
        Its derivative by `components`, if requested.

    Raises
    ------
    ValueError
        If an argument is invalid; the message says which and why.

    References
    ----------
    W. M. Czarnecki, R. Józefowicz, J. Tabor: Maximum Entropy Linear Manifold
    for Learning Discriminative Low-dimensional Representation, ECML PKDD 2015, section 3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from melm_core import cauchy_schwarz_divergence
    >>> X, y = load_iris(return_X_y=True)
    >>> components = PCA(2).fit(X).components_
    >>> value, gradient = cauchy_schwarz_divergence(X, y, components, return_gradient=True)
    >>> round(value, 2), gradient.shape
    (3.58, (2, 4))
    """
    classes, components = _checked(
        X, y, components, gamma=gamma, shrinkage=shrinkage, engine=engine
    )
    check_choice("multiclass", multiclass, tuple(AGGREGATES))
    compute = divergence_and_gradient if return_gradient else divergence
    return compute(classes, components, engine=engine, multiclass=multiclass)


def divergence(
    classes: ClassDensities,
    components: FloatArray,
    *,
    engine: Engine = "auto",
    multiclass: Multiclass = DEFAULT_MULTICLASS,
) -> float:
    """Compute the divergence in a plane, without its gradient.

    Parameters
    ----------
    classes : ClassDensities
    components : ndarray of shape (n_components, n_features)
        Linearly independent rows.
    engine, multiclass
        As for `cauchy_schwarz_divergence`.

    Returns
    -------
    float
        In nats.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.density import kernel_classes
    >>> from melm_core.melm import divergence
    >>> classes = kernel_classes(*load_iris(return_X_y=True), n_components=2)
    >>> round(divergence(classes, np.eye(4)[2:]), 2)
    5.18
    """
    return divergence_in_plane(classes.project(components), engine=engine, multiclass=multiclass)


def divergence_in_plane(
    projected: ClassDensities,
    *,
    engine: Engine = "auto",
    multiclass: Multiclass = DEFAULT_MULTICLASS,
) -> float:
    """Compute the divergence of classes that are projected into the plane already."""
    logs = projected.potentials(engine).log_values
    value, _ = AGGREGATES[multiclass](logs, projected.totals)
    return float(value)


def divergence_and_gradient(
    classes: ClassDensities,
    components: FloatArray,
    *,
    engine: Engine = "auto",
    multiclass: Multiclass = DEFAULT_MULTICLASS,
    nuisance_weight: float = 0.0,
    tolerance: float = TOLERANCE,
) -> tuple[float, FloatArray]:
    """Compute the divergence in a plane, less that of a nuisance, and its gradient, in O(N).

    Parameters
    ----------
    classes : ClassDensities
        With the cells of the nuisance, if there is one.
    components : ndarray of shape (n_components, n_features)
        Linearly independent rows.
    engine, multiclass
        As for `cauchy_schwarz_divergence`.
    nuisance_weight : float
    tolerance : float
        Of the transforms of the Fourier engine; the value is a few digits less accurate
        where the classes hardly overlap.

    Returns
    -------
    value : float
        The divergence in nats.
    gradient : ndarray of shape (n_components, n_features)
        Its derivative by `components`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.density import kernel_classes
    >>> from melm_core.melm import divergence_and_gradient
    >>> classes = kernel_classes(*load_iris(return_X_y=True), n_components=2)
    >>> value, gradient = divergence_and_gradient(classes, np.eye(4)[2:])
    >>> bool(np.allclose(gradient @ np.eye(4)[2:].T, 0.0))  # it depends on the span only
    True
    """
    value, gradient = 0.0, np.zeros(components.shape)
    for densities, how, share in summed_divergences(classes, multiclass, nuisance_weight):
        projected = densities.project(components)
        potentials = projected.potentials(engine, tolerance=tolerance)
        of_own, weights = AGGREGATES[how](potentials.log_values, projected.totals)
        value += share * float(of_own)
        gradient += share * densities.pull_back(components, potentials, weights)
    return value, gradient


def nuisance_divergence(
    cells: tuple[ClassDensities, ...], components: FloatArray, *, engine: Engine = "auto"
) -> float:
    """Compute the mean over classes of the divergence between the values of a nuisance.

    Parameters
    ----------
    cells : tuple of ClassDensities
        One for each class, see `melm_core.density.kernel_cells`.
    components : ndarray of shape (n_components, n_features)
        Linearly independent rows.
    engine : "auto", "direct" or "nufft"

    Returns
    -------
    float
        In nats; 0 if the densities of all values agree within every class.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import kernel_cells, nuisance_cells
    >>> from melm_core.melm import nuisance_divergence
    >>> X = np.random.default_rng(0).standard_normal((80, 3))
    >>> y, batch = np.repeat([0, 1], 40), np.tile([0, 1], 40)
    >>> X[:, 0] += 6.0 * batch
    >>> cells = nuisance_cells(y, batch, n_components=2)
    >>> kernels = kernel_cells(X, cells, n_components=2)
    >>> drift, rest = np.eye(3)[:2], np.eye(3)[1:]
    >>> nuisance_divergence(kernels, drift) > 10.0 * nuisance_divergence(kernels, rest)
    True
    """
    values = [
        divergence(of_class, components, engine=engine, multiclass=NUISANCE_AGGREGATE)
        for of_class in cells
    ]
    return float(np.mean(values))


def divergence_terms(
    classes: ClassDensities,
    components: FloatArray,
    *,
    engine: Engine = "auto",
    multiclass: Multiclass = DEFAULT_MULTICLASS,
) -> DivergenceTerms:
    """Compute the fitting and the regularizing term in a plane.

    For an aggregate other than the mean, the weight of a pair is its share in
    the derivative of the aggregate.

    Parameters
    ----------
    classes : ClassDensities
    components : ndarray of shape (n_components, n_features)
    engine, multiclass
        As for `cauchy_schwarz_divergence`.
    """
    return divergence_and_terms(classes.project(components), engine=engine, multiclass=multiclass)[
        1
    ]


def divergence_and_terms(
    projected: ClassDensities, *, engine: Engine = "auto", multiclass: Multiclass
) -> tuple[float, DivergenceTerms]:
    """Compute the divergence and its terms, for classes projected into the plane already."""
    logs = projected.potentials(engine).log_values
    value, weights = AGGREGATES[multiclass](logs, projected.totals)
    contributions = weights * logs
    regularizing = -float(np.trace(contributions))
    terms = DivergenceTerms(regularizing + float(contributions.sum()), regularizing)
    return float(value), terms


def nearest_pair_terms(projected: ClassDensities) -> tuple[tuple[int, int], DivergenceTerms]:
    """Find the classes that a plane tells apart least, and the terms of their divergence.

    A change of the coordinates z within the plane to A z adds 2 log |det A| to both terms.

    Parameters
    ----------
    projected : ClassDensities
        Two or more classes, projected into the plane.

    Returns
    -------
    pair : (int, int)
        Codes of the two classes, the smaller first.
    terms : DivergenceTerms

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.density import kernel_classes
    >>> from melm_core.melm import nearest_pair_terms
    >>> classes = kernel_classes(*load_iris(return_X_y=True), n_components=2)
    >>> pair, terms = nearest_pair_terms(classes.project(np.eye(4)[2:]))
    >>> pair, round(terms.divergence, 2)
    ((1, 2), 4.08)
    """
    logs = projected.potentials().log_values
    first, second = np.triu_indices(len(logs), k=1)
    least = int(pair_divergences(logs).argmin())
    a, b = int(first[least]), int(second[least])
    terms = DivergenceTerms(
        fitting=float(-2.0 * logs[a, b]), regularizing=float(-logs[a, a] - logs[b, b])
    )
    return (a, b), terms


def information_potentials(
    X: Any,
    y: Any,
    components: Any,
    *,
    gamma: float = DEFAULT_GAMMA,
    shrinkage: Shrinkage = 0.0,
    engine: Engine = "auto",
) -> FloatArray:
    """Compute logarithms of the information potentials between all classes.

    Parameters
    ----------
    X, y, components, gamma, shrinkage, engine
        As for `cauchy_schwarz_divergence`.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        log ip_ab, the logarithm of the integral of the product of the densities
        of a and b, with the classes in the order of their sorted labels.
        -log ip_aa is the Renyi entropy H2(a) in nats, -log ip_ab the cross
        entropy H2x(a, b).

    Raises
    ------
    ValueError
        If an argument is invalid; the message says which and why.

    References
    ----------
    W. M. Czarnecki, R. Józefowicz, J. Tabor: Maximum Entropy Linear Manifold
    for Learning Discriminative Low-dimensional Representation, ECML PKDD 2015, section 3.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from melm_core import cauchy_schwarz_divergence, information_potentials
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> plane = np.eye(30)[:2]
    >>> logs = information_potentials(X, y, plane)
    >>> divergence = logs[0, 0] + logs[1, 1] - 2.0 * logs[0, 1]
    >>> bool(np.isclose(divergence, cauchy_schwarz_divergence(X, y, plane)))
    True
    """
    classes, components = _checked(
        X, y, components, gamma=gamma, shrinkage=shrinkage, engine=engine
    )
    projected = classes.project(components)
    return projected.potentials(engine).log_values


def _checked(
    X: Any, y: Any, components: Any, *, gamma: float, shrinkage: Shrinkage, engine: Engine
) -> tuple[ClassDensities, FloatArray]:
    """Check classes and components; return both, the classes with their kernels."""
    check_positive("gamma", gamma)
    check_shrinkage(shrinkage)
    check_choice("engine", engine, ENGINES)
    X, y = check_X_y(X, y, dtype=np.float64)
    labels, codes = np.unique(y, return_inverse=True)
    check_class_sizes(labels, codes)
    components = check_components(components, X.shape[1])
    classes = kernel_classes(
        X, codes, n_components=len(components), gamma=gamma, shrinkage=shrinkage
    )
    return classes, components
