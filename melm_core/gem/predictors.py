"""Predictors of a label by GEM's features, whatever the label: few classes, many, or a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from melm_core.base.errors import UserError
from melm_core.gem.classifier import GEMClassifier
from melm_core.gem.estimator import GEM
from melm_core.gem.features import CUBIC

_MOST_PAIRED = 50  # classes, of which all pairs are 2,450 eigenvalue problems
_PENALTIES = tuple(np.logspace(-3.0, 4.0, 15).tolist())


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
