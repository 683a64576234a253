"""What turns class densities in a plane into probabilities that hold.

How it is fitted stands in `melm_core.evaluation.calibration`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from melm_core.base.array_types import FloatArray


@dataclass(frozen=True)
class Calibration:
    """What turns logarithms of class densities into probabilities, under equal priors.

    Attributes
    ----------
    temperature : float
        Divides the logarithms; above 1 where the densities are too sure.
    lapse : float
        Weight of equal probabilities; about 1 / n_rows where nothing speaks for more, so that no
        probability is finer than the rows allow.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation import Calibration
    >>> Calibration(temperature=2.0, lapse=0.1).probabilities(np.log([[0.9, 0.1]])).round(3)
    array([[0.725, 0.275]])
    """

    temperature: float
    lapse: float

    def probabilities(self, log_densities: FloatArray) -> FloatArray:
        """Probabilities of the classes, of rows that are new or held out.

        Parameters
        ----------
        log_densities : ndarray of shape (n_rows, n_classes)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Equal where all densities are 0.
        """
        shares = sharpened_shares(log_densities, 1.0 / self.temperature)
        mixed: FloatArray = (1.0 - self.lapse) * shares + self.lapse / shares.shape[1]
        return mixed


def sharpened_shares(logs: FloatArray, sharpness: float) -> FloatArray:
    """Shares of the densities raised to a power; equal where all densities are 0."""
    largest = logs.max(axis=1, keepdims=True)
    away = np.where(np.isfinite(largest), logs, 0.0) - np.where(np.isfinite(largest), largest, 0.0)
    densities = np.exp(sharpness * away)
    shares: FloatArray = densities / densities.sum(axis=1, keepdims=True)
    return shares
