"""Ensembles of GEM classifiers on random hypercubes of class pairs."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import log_softmax
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from melm_core.base.array_types import FloatArray
from melm_core.base.estimator import check_integer
from melm_core.gem.classifier import GEMClassifier, LogProbabilityMixin


def geometric_mean(log_probabilities: FloatArray) -> FloatArray:
    """Logarithm of the renormalized geometric mean, log softmax(mean log p).

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


class GEMEnsemble(LogProbabilityMixin, BaseEstimator):
    """The geometric mean of GEM classifiers on different random hypercubes.

    Parameters
    ----------
    n_members : int, default=5
    gamma, n_directions, theta, l2, max_iter, random_state, n_jobs
        See `GEMClassifier`; shared by all members.

    Attributes
    ----------
    members_ : list of GEMClassifier
        Each on the pairs of its own hypercube.
    n_iter_ : int
        Largest number of iterations of the regressions.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, section 4.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import GEMEnsemble
    >>> X, y = load_iris(return_X_y=True)
    >>> classifier = GEMEnsemble(random_state=0).fit(X, y)
    >>> print(f"{classifier.score(X, y):.1f}")
    1.0
    """

    def __init__(
        self,
        n_members: int = 5,
        *,
        gamma: float = 0.05,
        n_directions: int = 10,
        theta: float = 1.5,
        l2: float = 1e-4,
        max_iter: int = 1_000,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_members = n_members
        self.gamma = gamma
        self.n_directions = n_directions
        self.theta = theta
        self.l2 = l2
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Fit every member.

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
        check_integer("n_members", self.n_members, minimum=1)
        shared = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name not in {"n_members", "random_state"}
        }
        seeds = check_random_state(self.random_state).randint(
            np.iinfo(np.int32).max, size=self.n_members
        )
        self.members_ = [
            GEMClassifier(**shared, pairs="hypercube", random_state=int(seed)).fit(X, y)
            for seed in seeds
        ]
        self.classes_ = self.members_[0].classes_
        self.n_iter_ = max(member.n_iter_ for member in self.members_)
        return self

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Log probabilities of the classes in nats, shape (n_samples, n_classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return geometric_mean(np.stack([member.predict_log_proba(X) for member in self.members_]))
