"""Rows compared within subjects: what is subtracted of each before it is prepared further."""

from __future__ import annotations

from typing import Any

import msgspec

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.recipe.fitting import RecipeRules
from melm_core.recipe.row_arithmetic import rows_within


class WithinSubjects(msgspec.Struct, frozen=True):
    """That rows are compared within subjects: each less the mean of the rows of its subject.

    Attributes
    ----------
    column : str
        Whose values are the subjects.
    rules : RecipeRules or None
        The steps of the recipe, such as logarithms, which come before; None without any.
    keeps_gaps : bool
        Whether missing numbers are filled afterwards, among differences.

    References
    ----------
    J. A. Westerhuis, E. J. J. van Velzen, H. C. J. Hoefsloot, A. K. Smilde: Multivariate Paired
    Data Analysis: Multilevel PLSDA versus OPLSDA, Metabolomics 6, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.recipe import WithinSubjects
    >>> pairs = np.array([[1.0], [3.0], [10.0], [14.0]])
    >>> WithinSubjects("patient").centered(pairs, np.array([0, 0, 1, 1])).tolist()
    [[-1.0], [1.0], [-2.0], [2.0]]
    """

    column: str
    rules: RecipeRules | None = None
    keeps_gaps: bool = True

    def centered(self, encoded: FloatArray, subjects: IntArray) -> FloatArray:
        """Encoded rows after the steps, less the mean of their subject, NaN where one was.

        Parameters
        ----------
        encoded : ndarray of shape (n_rows, n_columns)
        subjects : ndarray of shape (n_rows,)
            Codes from 0, -1 where it is missing.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            All NaN in a row for which a step cannot be computed, and in one that is the only row
            of its subject.
        """
        centered: FloatArray = rows_within(encoded, subjects, self.literals)
        return centered

    @property
    def literals(self) -> dict[str, Any]:
        """The same as `rows_within` reads it: texts, lists and numbers."""
        rules = {} if self.rules is None else self.rules.literals
        return {"column": self.column, "rules": rules, "keeps_gaps": self.keeps_gaps}
