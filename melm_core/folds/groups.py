"""Groups of rows that depend on each other: the rows of a patient, a plate, a day."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import IntArray
from melm_core.base.errors import UserError
from melm_core.base.groups import class_counts, units_of_classes
from melm_core.base.sampling import stratified_sample


def check_groups(classes: npt.NDArray[Any], y: IntArray, groups: IntArray) -> None:
    """Check that every class has rows of two groups or more.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
    y, groups : ndarray of shape (n_samples,)
        Class codes and group codes.

    Raises
    ------
    ValueError
        If the rows of a class are all of one group.
    """
    n_groups = units_of_classes(y, groups)
    smallest = int(n_groups.argmin())
    if n_groups[smallest] < 2:
        raise UserError(
            f"All rows of class {classes.tolist()[smallest]!r} are of one group, so what is common "
            "to the class cannot be distinguished from what is common to the group. Add rows of a "
            "second group or leave the class out."
        )


def group_strata(y: IntArray, groups: IntArray) -> IntArray:
    """Code of each group: equal for groups that contain the same classes, shape (n_groups,).

    Parameters
    ----------
    y, groups : ndarray of shape (n_samples,)
        Class codes and group codes.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.folds import group_strata
    >>> group_strata(np.array([0, 0, 1, 0, 1]), np.array([0, 1, 1, 2, 3]))
    array([1, 2, 1, 0])
    """
    has_class = class_counts(y, groups) > 0
    codes: IntArray = np.unique(has_class, axis=0, return_inverse=True)[1]
    return codes.reshape(-1)


def sampled_by_group(y: IntArray, groups: IntArray, max_rows: int) -> IntArray:
    """Sample about `max_rows` rows: some of every group, or whole groups if there are many.

    Parameters
    ----------
    y, groups : ndarray of shape (n_samples,)
        Class codes and group codes 0 .. n_groups-1.
    max_rows : int
    """
    share = max_rows / len(y)
    n_groups, n_classes = int(groups.max()) + 1, int(y.max()) + 1
    if 2 * n_groups * n_classes <= max_rows:
        return stratified_sample(groups * n_classes + y, share, n_groups * n_classes)
    of_group = group_strata(y, groups)
    sample = stratified_sample(of_group, share, int(of_group.max()) + 1)
    return np.flatnonzero(np.isin(groups, sample))


def label_runs(y: Any) -> IntArray:
    """Groups of neighboring rows with the same label.

    In a time series whose labels come in blocks, the rows of a block depend on
    each other: each block is a group.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        In the order of time.

    Returns
    -------
    ndarray of int of shape (n_samples,)

    Examples
    --------
    >>> from melm_core.folds import label_runs
    >>> label_runs(["rest", "rest", "task", "task", "rest"])
    array([0, 0, 1, 1, 2])
    """
    labels = np.asarray(y)
    changes = labels[1:] != labels[:-1]
    return np.concatenate([[0], np.cumsum(changes)]).astype(np.int64)
