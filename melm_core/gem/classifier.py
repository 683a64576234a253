"""Classifiers based on GEM features and multinomial logistic regression.

All are pipelines that end in the same regression; they differ in the
transformers before it.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from melm_core.base.array_types import FloatArray
from melm_core.base.estimator import check_integer, check_positive
from melm_core.gem.class_pairs import Pairs
from melm_core.gem.features import GEMFeatures

# Gradient tolerance of the regression. scikit-learn's default stops well before the held-out loss
# reaches its minimum.
_TOLERANCE = 1e-6


class LogProbabilityMixin(ClassifierMixin):
    """Predictions derived from `predict_log_proba`, which subclasses implement."""

    classes_: npt.NDArray[Any]

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Log probabilities of the classes in nats, shape (n_samples, n_classes)."""
        raise NotImplementedError

    def predict_proba(self, X: Any) -> FloatArray:
        """Class probabilities, shape (n_samples, n_classes)."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Most probable classes, shape (n_samples,)."""
        codes = self.predict_log_proba(X).argmax(axis=1)
        labels: npt.NDArray[Any] = self.classes_[codes]
        return labels


class GEMClassifier(LogProbabilityMixin, BaseEstimator):
    """Multinomial logistic regression on GEM features.

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
    l2 : float, default=1e-4
        Weight of half the squared coefficients relative to the mean log loss.
    max_iter : int, default=1000
        Maximum number of iterations of the regression. scikit-learn issues a
        ConvergenceWarning if they are not enough.
    random_state : int, RandomState or None, default=None
        Seed of the hypercube and of random features.
    n_jobs : int or None, default=None
        Number of pairs solved in parallel.

    Attributes
    ----------
    pipeline_ : sklearn.pipeline.Pipeline
        The feature layers and the regression.
    n_iter_ : int
        Iterations of the regression.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, Algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import GEMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> classifier = GEMClassifier().fit(X, y)
    >>> print(f"{classifier.score(X, y):.1f}")
    1.0
    """

    def __init__(
        self,
        *,
        gamma: float = 0.05,
        n_directions: int = 10,
        theta: float = 1.5,
        pairs: Pairs = "all",
        l2: float = 1e-4,
        max_iter: int = 1_000,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.gamma = gamma
        self.n_directions = n_directions
        self.theta = theta
        self.pairs = pairs
        self.l2 = l2
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the features and fit the regression.

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
        regression = LogisticRegression(
            C=1.0 / (self.l2 * len(X)), tol=_TOLERANCE, max_iter=self.max_iter
        )
        self.pipeline_ = make_pipeline(*self._layers(), regression).fit(X, y)
        self.classes_ = self.pipeline_.classes_
        self.n_iter_ = int(regression.n_iter_.max())
        return self

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Log probabilities of the classes in nats, shape (n_samples, n_classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        scores = self.pipeline_.decision_function(X)
        if scores.ndim == 1:  # two classes have a single column, for the second one
            scores = np.column_stack([np.zeros_like(scores), scores])
        logs: FloatArray = log_softmax(scores, axis=1)
        return logs

    def _validate_parameters(self) -> None:
        check_positive("l2", self.l2)
        check_integer("max_iter", self.max_iter, minimum=1)

    def _layers(self) -> list[BaseEstimator]:
        return [self._features()]

    def _features(self, **changes: Any) -> GEMFeatures:
        own = self.get_params(deep=False)
        shared = {name: own[name] for name in GEMFeatures().get_params() if name in own}
        return GEMFeatures(**(shared | changes))


class DeepGEM(GEMClassifier):
    """GEM applied to the features of a first GEM layer.

    The first layer consists of the square roots of the projections and a
    constant, which lets the second layer shift its inputs.

    Parameters
    ----------
    gamma, n_directions, theta, pairs, l2, max_iter, random_state, n_jobs
        See `GEMClassifier`; `n_directions` applies to the last layer.
    n_hidden_directions : int, default=5
        Maximum number of directions per ordered pair in the first layer.

    Attributes
    ----------
    pipeline_ : sklearn.pipeline.Pipeline
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, section 4.1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import DeepGEM
    >>> X, y = load_iris(return_X_y=True)
    >>> classifier = DeepGEM().fit(X, y)
    >>> print(f"{classifier.score(X, y):.1f}")
    1.0
    """

    def __init__(
        self,
        *,
        gamma: float = 0.05,
        n_directions: int = 10,
        n_hidden_directions: int = 5,
        theta: float = 1.5,
        pairs: Pairs = "all",
        l2: float = 1e-4,
        max_iter: int = 1_000,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            gamma=gamma,
            n_directions=n_directions,
            theta=theta,
            pairs=pairs,
            l2=l2,
            max_iter=max_iter,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.n_hidden_directions = n_hidden_directions

    def _validate_parameters(self) -> None:
        super()._validate_parameters()
        check_integer("n_hidden_directions", self.n_hidden_directions, minimum=1)

    def _layers(self) -> list[BaseEstimator]:
        hidden = self._features(n_directions=self.n_hidden_directions, alphas=(1,))
        return [hidden, PolynomialFeatures(1), self._features()]


class FourierGEM(GEMClassifier):
    """GEM on random Fourier features, which approximates GEM with a Gaussian kernel.

    Parameters
    ----------
    n_fourier : int, default=200
        Number of random cosines, to which a constant is added.
    kernel_gamma : float or "scale", default="scale"
        Parameter of the kernel exp(-kernel_gamma |x - z|^2); "scale" is
        1 / (n_features * variance).
    gamma, n_directions, theta, pairs, l2, max_iter, random_state, n_jobs
        See `GEMClassifier`.

    Attributes
    ----------
    pipeline_ : sklearn.pipeline.Pipeline
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, section 4.2.
    A. Rahimi, B. Recht: Random Features for Large-Scale Kernel Machines,
    NIPS 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import FourierGEM
    >>> X, y = load_iris(return_X_y=True)
    >>> classifier = FourierGEM(random_state=0).fit(X, y)
    >>> print(f"{classifier.score(X, y):.1f}")
    1.0
    """

    def __init__(
        self,
        *,
        n_fourier: int = 200,
        kernel_gamma: float | str = "scale",
        gamma: float = 0.05,
        n_directions: int = 10,
        theta: float = 1.5,
        pairs: Pairs = "all",
        l2: float = 1e-4,
        max_iter: int = 1_000,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            gamma=gamma,
            n_directions=n_directions,
            theta=theta,
            pairs=pairs,
            l2=l2,
            max_iter=max_iter,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.n_fourier = n_fourier
        self.kernel_gamma = kernel_gamma

    def _validate_parameters(self) -> None:
        super()._validate_parameters()
        check_integer("n_fourier", self.n_fourier, minimum=1)
        if self.kernel_gamma != "scale":
            check_positive("kernel_gamma", self.kernel_gamma)

    def _layers(self) -> list[BaseEstimator]:
        cosines = RBFSampler(
            gamma=self.kernel_gamma, n_components=self.n_fourier, random_state=self.random_state
        )
        return [cosines, PolynomialFeatures(1), self._features()]
