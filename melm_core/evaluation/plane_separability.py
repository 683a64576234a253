"""The visual separability of the classes in a projection.

As defined in the MELM paper (section 5), it is the 5-fold cross-validated
balanced accuracy of three classifiers on the projected rows, each tuned by
inner cross-validation. The projection itself is fixed; for held-out rows see
`melm_core.evaluation.Refits`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray
from melm_core.base.block_sources import blocks_of
from melm_core.base.estimator import check_integer
from melm_core.base.row_blocks import is_lazy
from melm_core.base.sampling import stratified_block_sample
from melm_core.diagnostics.plane_classifiers import PLANE_CLASSIFIERS, fold_confusion
from melm_core.folds.folds import coded_rows, sampled_rows, stratified_folds

# Gives a standard error of about 0.01 in a few seconds.
DEFAULT_MAX_ROWS = 2_000
_NAMES = tuple(classifier.name for classifier in PLANE_CLASSIFIERS)


@dataclass(frozen=True)
class Score:
    """A cross-validated balanced accuracy.

    Attributes
    ----------
    balanced_accuracy : float
        The mean over the classes of the share of their rows that is told rightly; guessing gives
        one over the number of classes, however unequal they are.
    standard_error : float

    Notes
    -----
    The error is of the rows at hand as a sample of all such rows. By `over_folds` it is somewhat
    too small, as folds share training rows; `over_refits` and `Refits.share` allow for that. Two
    methods that were scored on the same folds are compared by the differences of their folds: their
    own errors overlap long before they are level.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation import Score
    >>> Score.over_folds(np.array([0.75, 0.75, 0.75]))
    Score(balanced_accuracy=0.75, standard_error=0.0)
    """

    balanced_accuracy: float
    standard_error: float

    @classmethod
    def over_folds(cls, accuracies: FloatArray) -> Score:
        """Mean and standard error of one value per fold, shape (n_folds,); nan of a single one."""
        n_folds = len(accuracies)
        error = accuracies.std(ddof=1) / np.sqrt(n_folds) if n_folds > 1 else np.nan
        return cls(float(accuracies.mean()), float(error))

    @classmethod
    def over_refits(cls, values: FloatArray, n_folds: int | None = None) -> Score:
        """Mean and standard error of values of refits, which share training rows.

        Of shares, or of the differences of two methods in the same folds: folds that are hard for
        one are hard for the other, so that differences vary less than the shares do.

        Parameters
        ----------
        values : ndarray of shape (n_folds_of_all_repeats,)
            At least two.
        n_folds : int, optional
            Folds of one repeat, each of which tests one row for every n_folds - 1 that it trains
            on; by default there is one repeat.

        References
        ----------
        C. Nadeau, Y. Bengio: Inference for the Generalization Error, Machine Learning 52, 2003.

        Examples
        --------
        >>> import numpy as np
        >>> from melm_core.evaluation import Score
        >>> found = Score.over_refits(np.array([0.9, 0.8, 1.0]) - [0.8, 0.8, 0.9])
        >>> round(found.balanced_accuracy, 3), round(found.standard_error, 3)
        (0.067, 0.053)
        """
        factor = 1.0 / len(values) + 1.0 / ((n_folds or len(values)) - 1)
        return cls(float(values.mean()), float(np.sqrt(values.var(ddof=1) * factor)))


@dataclass(frozen=True, eq=False)
class Separability:
    """The separability of the classes by three classifiers.

    Attributes
    ----------
    fold_confusions : ndarray of shape (n_folds, n_classifiers, n_classes, n_classes)
        Share of the test rows of each class (third axis) that each classifier
        predicts as each class (last axis).
    classes : ndarray of shape (n_classes,)
    n_samples, n_scored : int
        Number of rows, and number of rows in the stratified sample scored.
    notes : tuple of str
        Sentences about deviations from the requested folds or rows.

    Notes
    -----
    Only the classifiers are held out: of a projection that was fitted to these rows the value is
    in-sample, and on noise in many features it is near 1. Its held-out twin is `Refits.share`.

    References
    ----------
    W. M. Czarnecki, R. Józefowicz, J. Tabor: Maximum Entropy Linear Manifold for Learning
    Discriminative Low-dimensional Representation, ECML PKDD 2015, section 5, Table 3.

    Examples
    --------
    >>> from melm_core.evaluation import Separability
    >>> found = Separability.of([[0.0], [0.1], [5.0], [5.1]], ["a", "a", "b", "b"])
    >>> found.mean.balanced_accuracy, found.confusion.tolist()
    (1.0, [[1.0, 0.0], [0.0, 1.0]])
    >>> found.notes
    ("2 folds instead of 5, because only 2 rows of class 'a' were scored.",)
    """

    fold_confusions: FloatArray
    classes: npt.NDArray[Any]
    n_samples: int
    n_scored: int
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        projection: Any,
        y: Any,
        *,
        n_folds: int = 5,
        max_rows: int = DEFAULT_MAX_ROWS,
        random_state: int = 0,
    ) -> Self:
        """The visual separability of a projection: cross-validated SVM-RBF, KNN and KDE.

        In each fold, the coordinates are scaled to unit covariance of the training
        rows, so the result is invariant under linear maps of the plane.

        Parameters
        ----------
        projection : array-like or Dask collection of shape (n_samples, n_components)
        y : array-like or Dask collection of shape (n_samples,)
            Labels of two or more classes, each with at least two rows.
        n_folds : int, default=5
            Reduced, with a note, to the number of rows of the smallest class.
        max_rows : int, default=2000
            Above this, a stratified sample of the rows is scored, with a note.
        random_state : int, default=0

        Raises
        ------
        ValueError
            If a parameter or the data are invalid.
        """
        n_samples, n_scored = None, max_rows
        if is_lazy(projection):
            check_integer("max_rows", max_rows, minimum=4)
            table = blocks_of(projection, y)
            n_samples = int(table.counts.sum())
            drawn = stratified_block_sample(table, max_rows / n_samples)
            projection, y, n_scored = drawn.X, table.classes[drawn.y], len(drawn.y)
        rows = coded_rows(projection, y)
        sample = rows.take(sampled_rows(rows.y, n_scored))
        Z, codes = sample.X, sample.y
        confusions = [
            fold_confusion(Z[fold.train], codes[fold.train], Z[fold.test], codes[fold.test])
            for fold in stratified_folds(codes, n_folds, random_state)
        ]
        n_samples, notes = n_samples or len(rows.y), []
        if len(codes) < n_samples:
            notes.append(f"A stratified sample of {len(codes):,} of {n_samples:,} rows was scored.")
        if len(confusions) < n_folds:
            counts = np.bincount(codes)
            smallest = int(counts.argmin())
            notes.append(
                f"{len(confusions)} folds instead of {n_folds}, because only {counts[smallest]} "
                f"rows of class {rows.classes.tolist()[smallest]!r} were scored."
            )
        return cls(
            fold_confusions=np.stack(confusions),
            classes=rows.classes,
            n_samples=n_samples,
            n_scored=len(codes),
            notes=tuple(notes),
        )

    @property
    def mean(self) -> Score:
        """The visual separability, averaged over the classifiers."""
        return Score.over_folds(self.fold_accuracies.mean(axis=1))

    @property
    def classifiers(self) -> dict[str, Score]:
        """The score of each classifier by name."""
        scores = map(Score.over_folds, self.fold_accuracies.T)
        return dict(zip(_NAMES, scores, strict=True))

    @property
    def best(self) -> str:
        """Name of the best classifier, whose score Table 2 of the paper reports."""
        return _NAMES[int(self.fold_accuracies.mean(axis=0).argmax())]

    @property
    def confusion(self) -> FloatArray:
        """Confusion matrix averaged over folds and classifiers, shape (n_classes, n_classes).

        Its rows sum to one, and the mean of its diagonal is the separability.
        """
        shares: FloatArray = self.fold_confusions.mean(axis=(0, 1))
        return shares

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.fold_confusions)

    @property
    def fold_accuracies(self) -> FloatArray:
        """Balanced accuracies, shape (n_folds, n_classifiers)."""
        accuracies: FloatArray = np.diagonal(self.fold_confusions, axis1=2, axis2=3).mean(axis=2)
        return accuracies
