"""The nonlinear features of GEM: half powers of the positive and negative projections.

phi(x) = max(0, delta v'x)^(alpha / 2) for delta = +1, -1 and alpha = 1, 2, 3
(GEM, Algorithm 1). Both the magnitude and the sign of a projection discriminate
between the classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    OneToOneFeatureMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_positive
from melm_core.gem.class_pairs import Pairs
from melm_core.gem.estimator import GEM

CUBIC = (1, 2, 3)


def half_powers(projections: FloatArray, alphas: Sequence[float] = CUBIC) -> FloatArray:
    """max(0, delta u)^(alpha / 2) of every entry u.

    Parameters
    ----------
    projections : ndarray of shape (n_samples, n_directions)
    alphas : sequence of float, default=(1, 2, 3)

    Returns
    -------
    ndarray of shape (n_samples, 2 len(alphas) n_directions)
        Blocks for delta = +1, then for delta = -1, each with one block per
        alpha; directions keep their order within a block.
    """
    blocks = [
        np.maximum(0.0, delta * projections) ** (alpha / 2) for delta in (1, -1) for alpha in alphas
    ]
    return np.hstack(blocks)


class HalfPowers(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Half powers of projections, with every column scaled to unit root mean square.

    Parameters
    ----------
    alphas : sequence of float, default=(1, 2, 3)
        Twice the exponents.

    Attributes
    ----------
    scale_ : ndarray of shape (2 len(alphas) n_features,)
        Root mean square of each column over the training rows; 1 for a column
        of zeros.

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, Algorithm 1.

    Examples
    --------
    >>> from melm_core import HalfPowers
    >>> powers = HalfPowers(alphas=(2,)).fit([[3.0], [-4.0]])
    >>> list(powers.get_feature_names_out(["u"]))
    ['u_pos_1', 'u_neg_1']
    >>> powers.transform([[3.0]]).round(3)
    array([[1.414, 0.   ]])
    """

    def __init__(self, alphas: Sequence[float] = CUBIC) -> None:
        self.alphas = alphas

    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute the scale of each column.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Projections.
        y : ignored

        Raises
        ------
        ValueError
            If alphas is empty or contains a value that is not positive.
        """
        X = validate_data(self, X, dtype=np.float64)
        _check_alphas(self.alphas)
        mean_squares = np.mean(half_powers(X, self.alphas) ** 2, axis=0)
        self.scale_ = np.sqrt(np.where(mean_squares > 0, mean_squares, 1.0))
        return self

    def transform(self, X: Any) -> FloatArray:
        """Scaled powers, shape (n_samples, 2 len(alphas) n_features); see `half_powers`."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        powers: FloatArray = half_powers(X, self.alphas) / self.scale_
        return powers

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Names such as "x0_pos_0.5": input, sign and exponent."""
        check_is_fitted(self)
        names = super().get_feature_names_out(input_features)
        return np.array(
            [
                f"{name}_{sign}_{alpha / 2:g}"
                for sign in ("pos", "neg")
                for alpha in self.alphas
                for name in names
            ],
            dtype=object,
        )


class GEMFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Discriminative features: half powers of the projections onto the GEM directions.

    Parameters
    ----------
    gamma, n_directions, theta, pairs, random_state, n_jobs
        See `GEM`.
    alphas : sequence of float, default=(1, 2, 3)
        See `HalfPowers`.

    Attributes
    ----------
    gem_ : GEM
        The fitted directions.
    powers_ : HalfPowers
        The fitted scales.

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, Algorithm 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import GEMFeatures
    >>> X, y = load_iris(return_X_y=True)
    >>> GEMFeatures(n_directions=1).fit_transform(X, y).shape
    (150, 30)
    """

    def __init__(
        self,
        *,
        gamma: float = 0.05,
        n_directions: int = 10,
        theta: float = 1.5,
        pairs: Pairs = "all",
        alphas: Sequence[float] = CUBIC,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.gamma = gamma
        self.n_directions = n_directions
        self.theta = theta
        self.pairs = pairs
        self.alphas = alphas
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the directions and the scales.

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
        _check_alphas(self.alphas)
        parameters = {name: getattr(self, name) for name in GEM().get_params()}
        self.gem_ = GEM(**parameters).fit(X, y)
        self.powers_ = HalfPowers(self.alphas).fit(self.gem_.transform(X))
        return self

    def transform(self, X: Any) -> FloatArray:
        """Features, shape (n_samples, 2 len(alphas) n_kept); see `half_powers`."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.powers_.transform(self.gem_.transform(X))

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Names such as "gem0_pos_0.5": direction, sign and exponent."""
        super().get_feature_names_out(input_features)  # validates the input names
        return self.powers_.get_feature_names_out(self.gem_.get_feature_names_out())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.powers_.scale_)


def _check_alphas(alphas: Sequence[float]) -> None:
    if not len(alphas):
        raise UserError("alphas is empty; give at least one power, such as (1, 2, 3).")
    for alpha in alphas:
        check_positive("alphas", alpha)
