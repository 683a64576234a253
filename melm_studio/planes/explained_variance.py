"""The share of the variance that each axis of a view explains."""

from __future__ import annotations

from melm_core.base import FloatArray


def explained_shares(components: FloatArray, covariance_root: FloatArray) -> FloatArray:
    """The share of the variance of the data that each coordinate explains.

    The coordinates are uncorrelated, so their shares add up. Those of principal components are
    eigenvalues over their sum; chemometrics calls the share R2X (Eriksson et al., Multi- and
    Megavariate Data Analysis).

    Parameters
    ----------
    components : ndarray of shape (n_coordinates, n_features)
        In which the data have unit covariance.
    covariance_root : ndarray of shape (n_rows, n_features)
        R with R'R the covariance of the data.

    Returns
    -------
    ndarray of shape (n_coordinates,)

    Examples
    --------
    >>> import numpy as np
    >>> explained_shares(np.diag([1.0, 0.5]), np.diag([1.0, 2.0])).round(2)
    array([0.2, 0.8])
    """
    covariances = components @ covariance_root.T @ covariance_root  # with each feature
    shares: FloatArray = (covariances**2).sum(axis=1) / (covariance_root**2).sum()
    return shares
