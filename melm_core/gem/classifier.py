"""Predictors of a label by features of GEM: logistic regression, and ridge for a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer, check_positive, rows_as_fitted
from melm_core.base.validated_data import validate_data
from melm_core.gem.eigenvectors import Pairs
from melm_core.gem.estimator import GEM, DenominatorKind
from melm_core.gem.features import CUBIC

# Gradient tolerance of the regression. scikit-learn's default stops well before the held-out loss
# reaches its minimum.
_TOLERANCE = 1e-6

_MOST_PAIRED = 50  # classes, of which all pairs are 2,450 eigenvalue problems
_PENALTIES = tuple(np.logspace(-3.0, 4.0, 15).tolist())


class GEMClassifier(ClassifierMixin, BaseEstimator):
    """Multinomial logistic regression on the half powers of GEM.

    With more members than one, each has the pairs of a random hypercube of its own, and the
    probabilities are the geometric mean of theirs (section 4.3 of the paper).

    A deep GEM (section 4.1), of two levels or more, and GEM on random Fourier features (4.2), which
    approximates GEM with a Gaussian kernel, are pipelines that end in this classifier; see the
    examples. The constant that `PolynomialFeatures(1)` adds lets the last layer shift its inputs.

    Parameters
    ----------
    gamma : float, default=0.05
        Regularization of the denominators, in units of their mean eigenvalue.
    n_directions : int, default=10
        Maximum number of directions per ordered pair of classes.
    theta : float, default=1.5
        Directions with smaller eigenvalues are discarded.
    pairs : "all" or "hypercube", default="all"
        The ordered pairs of classes; see `GEM`.
    denominator : "second_moment" or "covariance", default="second_moment"
        Of the denominator class; see `GEM`.
    n_members : int, default=1
        Number of classifiers whose mean predicts; above 1 with pairs="hypercube" only.
    l2 : float, default=1e-4
        Weight of half the squared coefficients relative to the mean log loss.
    max_iter : int, default=1000
        Maximum number of iterations of the regression. scikit-learn issues a
        ConvergenceWarning if they are not enough.
    random_state : int, RandomState or None, default=None
        Seed of the hypercubes.
    n_jobs : int or None, default=None
        Number of pairs solved in parallel.

    Attributes
    ----------
    members_ : list of sklearn.pipeline.Pipeline
        Of each member, its `GEM` and its regression.
    n_iter_ : int
        Largest number of iterations of the regressions.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, Algorithm 1 and section 4.
    A. Rahimi, B. Recht: Random Features for Large-Scale Kernel Machines,
    NIPS 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.kernel_approximation import RBFSampler
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import PolynomialFeatures
    >>> from melm_core import GEM, GEMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> print(f"{GEMClassifier().fit(X, y).score(X, y):.1f}")
    1.0
    >>> deep = make_pipeline(
    ...     GEM(n_directions=5, alphas=(1,)), PolynomialFeatures(1), GEMClassifier()
    ... )
    >>> print(f"{deep.fit(X, y).score(X, y):.1f}")
    1.0
    >>> fourier = make_pipeline(
    ...     RBFSampler(gamma="scale", n_components=200, random_state=0),
    ...     PolynomialFeatures(1),
    ...     GEMClassifier(),
    ... )
    >>> print(f"{fourier.fit(X, y).score(X, y):.1f}")
    1.0
    """

    classes_: npt.NDArray[Any]

    def __init__(
        self,
        *,
        gamma: float = 0.05,
        n_directions: int = 10,
        theta: float = 1.5,
        pairs: Pairs = "all",
        denominator: DenominatorKind = "second_moment",
        n_members: int = 1,
        l2: float = 1e-4,
        max_iter: int = 1_000,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.gamma = gamma
        self.n_directions = n_directions
        self.theta = theta
        self.pairs = pairs
        self.denominator = denominator
        self.n_members = n_members
        self.l2 = l2
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the features and fit the regression of every member.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self._validate_parameters()
        self.members_ = [self._member(seed, len(X)).fit(X, y) for seed in self._seeds()]
        self.classes_ = self.members_[0].classes_
        self.n_iter_ = max(int(member[-1].n_iter_.max()) for member in self.members_)
        return self

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Compute log probabilities of the classes in nats, shape (n_samples, n_classes)."""
        X = rows_as_fitted(self, X)
        logs = [_log_probabilities(member.decision_function(X)) for member in self.members_]
        return logs[0] if len(logs) == 1 else geometric_mean(np.stack(logs))

    def predict_proba(self, X: Any) -> FloatArray:
        """Compute class probabilities, shape (n_samples, n_classes)."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Most probable classes, shape (n_samples,)."""
        codes = self.predict_log_proba(X).argmax(axis=1)
        labels: npt.NDArray[Any] = self.classes_[codes]
        return labels

    def _validate_parameters(self) -> None:
        check_positive("l2", self.l2)
        check_integer("max_iter", self.max_iter, minimum=1)
        check_integer("n_members", self.n_members, minimum=1)
        if self.n_members > 1 and self.pairs == "all":
            raise UserError(
                f"n_members={self.n_members} with pairs='all' would be so many times the same "
                "classifier. Use pairs='hypercube', or one member."
            )

    def _seeds(self) -> list[Any]:
        if self.n_members == 1:
            return [self.random_state]
        stream = check_random_state(self.random_state)
        return [int(seed) for seed in stream.randint(np.iinfo(np.int32).max, size=self.n_members)]

    def _member(self, seed: Any, n_samples: int) -> Pipeline:
        parameters = self.get_params(deep=False) | {"alphas": CUBIC, "random_state": seed}
        regression = LogisticRegression(
            C=1.0 / (self.l2 * n_samples), tol=_TOLERANCE, max_iter=self.max_iter
        )
        return make_pipeline(
            GEM(**{name: parameters[name] for name in GEM().get_params() if name in parameters}),
            regression,
        )


def _log_probabilities(scores: FloatArray) -> FloatArray:
    if scores.ndim == 1:  # two classes have a single column, for the second one
        scores = np.column_stack([np.zeros_like(scores), scores])
    logs: FloatArray = log_softmax(scores, axis=1)
    return logs


def geometric_mean(log_probabilities: FloatArray) -> FloatArray:
    """Compute the log of the renormalized geometric mean, log softmax(mean log p).

    It minimizes the mean Kullback-Leibler divergence to the members' predictions.

    Parameters
    ----------
    log_probabilities : ndarray of shape (n_members, n_samples, n_classes)

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    logs: FloatArray = log_softmax(log_probabilities.mean(axis=0), axis=1)
    return logs


@dataclass(frozen=True)
class GEMPredictor:
    """A classifier of the paper, by its name.

    Attributes
    ----------
    label : str
    of_classes : callable
        Given a seed; returns an unfitted classifier.
    """

    label: str
    of_classes: Callable[[int], Any]

    def estimator(self, labels: npt.NDArray[Any], random_state: int = 0) -> Any:
        """Return an unfitted estimator for such labels.

        Of more than 50 classes the pairs are too many, and numbers have none: both are contracted
        (section 5), and discriminant analysis or ridge regression follows the features.

        Parameters
        ----------
        labels : ndarray of shape (n_samples,)
            Classes or, if they are floats, numbers.
        random_state : int, default=0

        Raises
        ------
        ValueError
            If the predictor is only one of few classes.

        Examples
        --------
        >>> import numpy as np
        >>> from melm_core.gem import GEM_PREDICTORS
        >>> predictor = GEM_PREDICTORS["gem"].estimator(np.array([0.5, 1.5, 2.5]))
        >>> [name for name, _ in predictor.steps]
        ['gem', 'standardscaler', 'ridgecv']
        """
        is_number = labels.dtype.kind == "f"
        if not is_number and len(np.unique(labels)) <= _MOST_PAIRED:
            return self.of_classes(random_state)
        if self is not GEM_PREDICTORS["gem"]:
            what = "the label is a number" if is_number else f"there are more than {_MOST_PAIRED}"
            raise UserError(f"{self.label} predicts few classes, and {what}. Choose gem.")
        return _of_numbers() if is_number else _of_many_classes()


def _of_numbers() -> Any:
    return make_pipeline(
        GEM(n_directions=2, alphas=CUBIC, contract="target"), StandardScaler(), RidgeCV(_PENALTIES)
    )


def _of_many_classes() -> Any:
    features = GEM(
        contract="classes", n_bins=8, n_contractions=4, n_directions=1, theta=1.1, alphas=CUBIC
    )
    discriminant = LinearDiscriminantAnalysis("lsqr", shrinkage="auto")
    return make_pipeline(features, StandardScaler(), discriminant)


def _deep(_seed: int) -> Any:
    hidden = GEM(n_directions=5, alphas=(1,))
    return make_pipeline(hidden, PolynomialFeatures(1), GEMClassifier())


def _fourier(seed: int) -> Any:
    cosines = RBFSampler(gamma="scale", n_components=200, random_state=seed)
    return make_pipeline(cosines, PolynomialFeatures(1), GEMClassifier())


GEM_PREDICTORS: Mapping[str, GEMPredictor] = MappingProxyType(
    {
        "gem": GEMPredictor("GEM, all pairs", lambda _: GEMClassifier()),
        "gem_hypercube": GEMPredictor(
            "GEM, five hypercubes",
            lambda seed: GEMClassifier(pairs="hypercube", n_members=5, random_state=seed),
        ),
        "gem_deep": GEMPredictor("GEM, two levels", _deep),
        "gem_fourier": GEMPredictor("GEM on Fourier features", _fourier),
    }
)
