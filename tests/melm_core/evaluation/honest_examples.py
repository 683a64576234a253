"""Data and methods with which the honest figures are tested."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from melm_core import DiscriminantPlane


def blobs(n_rows: int, n_classes: int, distance: float, seed: int = 0):
    """Return round classes in the plane, `distance` apart along the first axis."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    Z = rng.normal(size=(n_rows, 2))
    Z[:, 0] += distance * y
    return Z, y


class Memory(TransformerMixin, BaseEstimator):
    """Shows the class of the rows it was fitted to, and nothing of any other row."""

    def __init__(self, strength: float = 1.0) -> None:
        self.strength = strength

    def fit(self, X, y):
        self.known_ = {row.tobytes(): code for row, code in zip(X[:, -1:], y, strict=True)}
        return self

    def transform(self, X):
        unknown = 1000.0 * np.modf(np.abs(X[:, -1]) * 1e4)[0]
        codes = [self.known_.get(row.tobytes()) for row in X[:, -1:]]
        return np.array(
            [
                [noise if code is None else 1e4 * self.strength * (1 + code)]
                for code, noise in zip(codes, unknown, strict=True)
            ]
        )


class Column(TransformerMixin, BaseEstimator):
    """Shows one column of the table, whatever the labels."""

    def __init__(self, index: int = 0) -> None:
        self.index = index

    def fit(self, X, y):
        return self

    def transform(self, X):
        return X[:, [self.index]]


class Recorder(TransformerMixin, BaseEstimator):
    """Keeps the rows it is fitted to in a list that all its copies share."""

    train: list = []  # noqa: RUF012

    def fit(self, X, y):
        self.train.append(X)
        return self

    def transform(self, X):
        return X[:, :1]


class Needs(DiscriminantPlane):
    """Cannot be fitted without the row whose value in a column is the largest."""

    def __init__(self, least: float = 100.0, column: int = 0) -> None:
        super().__init__()
        self.least = least
        self.column = column

    def fit(self, X, y):
        if X[:, self.column].max() < self.least:
            raise ValueError("The largest row is missing.")
        return super().fit(X, y)
