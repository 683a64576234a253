"""Features of generalized eigenvectors compared with raw, random and Fourier features."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_digits
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures
from threadpoolctl import threadpool_limits

from melm_core.base import FloatArray, IntArray
from melm_core.gem import GEM, GEMClassifier, half_powers, root_mean_squares

_L2 = 1e-4
_TEST_SHARE = 0.3
_LARGEST_PIXEL = 16.0
_N_SPLITS, _N_QUICK_SPLITS = 10, 3
_N_MEMBERS = 5
_N_HIDDEN_DIRECTIONS = 5
_SLOW = ("deep GEM",)

Factory = Callable[[int], Any]


def compare(
    *, quick: bool = False, only: Collection[str] | None = None, seed: int = 0
) -> Mapping[str, tuple[float, float]]:
    """Print and return the held-out error in percent and the cross-entropy of each method.

    A quick run uses three splits and skips the slowest method.
    """
    X, y = load_digits(return_X_y=True)
    X /= _LARGEST_PIXEL
    n_splits = _N_QUICK_SPLITS if quick else _N_SPLITS
    print(f"Digits, {n_splits} splits 70/30: error (%) and cross-entropy (nats), held out.")
    table = {}
    with threadpool_limits(1):
        for name, factory in methods(X, y).items():
            if (quick and name in _SLOW) or (only and name not in only):
                continue
            scores = [
                held_out(factory(split), X, y, split) for split in range(seed, seed + n_splits)
            ]
            errors, entropies = np.transpose(scores)
            spread = errors.std(ddof=1)
            print(
                f"{name:28}{errors.mean():6.2f} ± {spread:.2f}{entropies.mean():9.4f}", flush=True
            )
            table[name] = (float(errors.mean()), float(entropies.mean()))
    return table


def methods(X: FloatArray, y: IntArray, *, l2: float = _L2, **gem: Any) -> Mapping[str, Factory]:
    """Factories of unfitted methods, given a seed, by name; `gem` are parameters of all GEMs."""
    n_train = round((1 - _TEST_SHARE) * len(X))
    n_directions = len(GEM(**gem).fit(X, y).directions_)

    def regression() -> LogisticRegression:
        return LogisticRegression(C=1.0 / (l2 * n_train), tol=1e-6, max_iter=10_000)

    def random(seed: int) -> Any:
        directions = np.random.default_rng(seed).standard_normal((X.shape[1], n_directions))
        project = FunctionTransformer(lambda rows: rows @ directions)
        return make_pipeline(project, _HalfPowers(), regression())

    def fourier(seed: int) -> Any:
        cosines = RBFSampler(gamma="scale", n_components=1_000, random_state=seed)
        return make_pipeline(cosines, regression())

    return {
        "logistic regression, raw": lambda _: regression(),
        "GEM, projections only": lambda _: make_pipeline(GEM(**gem), regression()),
        "random directions": random,
        "GEM": lambda _: GEMClassifier(l2=l2, **gem),
        "GEM, gamma 0.5": lambda _: GEMClassifier(l2=l2, **gem | {"gamma": 0.5}),
        "deep GEM": lambda _: make_pipeline(
            GEM(**(gem | {"n_directions": _N_HIDDEN_DIRECTIONS, "alphas": (1,)})),
            PolynomialFeatures(1),
            GEMClassifier(l2=l2, **gem),
        ),
        "GEM, hypercube": lambda seed: GEMClassifier(
            pairs="hypercube", l2=l2, random_state=seed, **gem
        ),
        f"ensemble of {_N_MEMBERS} hypercubes": lambda seed: GEMClassifier(
            pairs="hypercube", n_members=_N_MEMBERS, l2=l2, random_state=seed, **gem
        ),
        "1000 Fourier features": fourier,
        "GEM on 200 Fourier features": lambda seed: make_pipeline(
            RBFSampler(gamma="scale", n_components=200, random_state=seed),
            PolynomialFeatures(1),
            GEMClassifier(l2=l2, **gem),
        ),
    }


class _HalfPowers(TransformerMixin, BaseEstimator):
    """Half powers of any projections, scaled as those of GEM."""

    def fit(self, X: FloatArray, _y: Any = None) -> Self:
        self.scale_ = root_mean_squares(half_powers(X))
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        powers: FloatArray = half_powers(X) / self.scale_
        return powers


def held_out(model: Any, X: FloatArray, y: IntArray, split: int) -> tuple[float, float]:
    """Error in percent and cross-entropy in nats on the test rows of a split."""
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=_TEST_SHARE, stratify=y, random_state=split
    )
    return scored(model.fit(X_train, y_train), X_test, y_test)


def scored(model: Any, X: FloatArray, y: IntArray) -> tuple[float, float]:
    """Error in percent and cross-entropy in nats of a fitted classifier on other rows."""
    error = 100 * np.mean(model.predict(X) != y)
    return float(error), float(log_loss(y, model.predict_proba(X), labels=model.classes_))
