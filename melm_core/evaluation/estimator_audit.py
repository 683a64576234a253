"""Is it real? The check of the studio, of any estimator or of coordinates that came without one.

Nothing is judged in another way than on the page: by `Refits`, the shuffles of `permutation_test`
and the answer of `answer_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier

from melm_core.answers import (
    FIRST_WORDS,
    LABELS_MAY_BE_USED,
    TOLD_APART,
    Answer,
    answer_of,
    folds_lead,
    shuffles_sentence,
)
from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import units_of_classes
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer
from melm_core.base.row_blocks import is_lazy
from melm_core.diagnostics.plane_classifiers import PLANE_CLASSIFIERS, unit_covariance
from melm_core.evaluation.permutations import PermutationTest, permutation_test
from melm_core.evaluation.refits import Refits
from melm_core.evaluation.refitting import Unchanged, dense_rows, fit_takes
from melm_core.evaluation.study import FoldCount, Study, twins_of_rows
from melm_core.folds.folds import CodedRows
from melm_core.labels.quantized_labels import are_quantized

# Of larger tables a stratified sample is shuffled, as in the check of the page.
MOST_AUDITED_ROWS = 600

_TWINS = "Rows of a class that are equal or nearly so stay together."
_MADE = (
    "The classes are regions of the features that leave no gap, as clusters of them do, which are "
    "told apart even in noise: this says nothing of labels that were made from these features."
)
_NEIGHBORS = next(each for each in PLANE_CLASSIFIERS if each.name == "KNN")


@dataclass(frozen=True, eq=False)
class Audit:
    """Verdict on the classes in the output of an estimator.

    Attributes
    ----------
    answer : Answer or None
        "yes", "partly", "no" or "unknown"; None until the labels were shuffled.
    share : float
        Balanced accuracy of rows that were held out of the fit.
    standard_error : float
        Of the share, over the folds.
    share_train : float
        The same of the rows of the fit.
    n_classes : int
    p_value : float
        Share of the shuffles of the labels that are separated as well; nan before the first.
    n_permutations, n_exceeding : int
        Shuffles, and those that are separated as well.
    notes : tuple of str
        What limits the answer: a sample, fewer folds, rows without a place, what is exchangeable.
    remark : str
        Why classes that are told apart are no yes: they look like clusters of the features, or the
        map may have used the labels. It ends the sentence.

    Notes
    -----
    A yes says that the classes differ in what was measured, not why: a batch that goes with the
    class, rows of one patient taken as independent, or a column that is the label in other words
    make one as well; see `label_twins`. A no says that these rows do not show a difference.

    Examples
    --------
    >>> from melm_core.answers import Answer
    >>> from melm_core.evaluation import Audit
    >>> found = Audit(Answer.YES, 0.98, 0.01, 1.0, 3, 0.005, n_permutations=199)
    >>> found.sentence
    'Yes. 98 ± 1 % of held-out rows are told apart in cross-validation; guessing gives 33 %. \
None of 199 shuffles came close (p = 0.005).'
    """

    answer: Answer | None
    share: float
    standard_error: float
    share_train: float
    n_classes: int
    p_value: float = float("nan")
    n_permutations: int = 0
    n_exceeding: int = 0
    notes: tuple[str, ...] = ()
    remark: str = ""

    @property
    def chance(self) -> float:
        """The balanced accuracy of guessing."""
        return 1.0 / self.n_classes

    @property
    def sentence(self) -> str:
        """The answer with its share, chance and p-value, as far as they are known."""
        first = FIRST_WORDS[self.answer]
        lead = folds_lead(self.share, self.n_classes, first, self.standard_error)
        shuffles = (
            shuffles_sentence(self.n_exceeding, self.n_permutations, self.p_value)
            if self.n_permutations
            else ""
        )
        return " ".join(filter(None, (f"{lead}.", shuffles, self.remark)))


# Given what is found so far, after the folds and after every shuffle. A true return value ends the
# audit, which keeps what it has found.
AuditCallback: TypeAlias = Callable[[Audit], bool | None]


def audit(  # noqa: PLR0917 - programs rely on this order
    estimator: Any,
    X: Any,
    y: Any,
    groups: Any = None,
    n_permutations: int = 199,
    random_state: int | None = None,
    *,
    n_folds: FoldCount = "auto",
    max_rows: int = MOST_AUDITED_ROWS,
    n_jobs: int | None = None,
    callback: AuditCallback | None = None,
) -> Audit:
    """Judge an estimator by how well it tells classes apart in rows it was not fitted to.

    The estimator is refitted in folds, and again for every shuffle of the labels. One that
    transforms is judged by class densities in what it makes of held-out rows, be it supervised or
    not; any other classifier by what it predicts for them.

    Rows whose coordinates are nan or infinite have no place, as those that UMAP finds far from all
    others: they are left out of every number, and a note counts and names them. So does a note with
    a fold whose fit fails.

    Parameters
    ----------
    estimator : estimator
        Any of scikit-learn or alike: a transformer, a classifier, or a pipeline that ends in one.
        What is learned from the rows, such as a selection of features, belongs into the pipeline:
        only then is it repeated in the folds.
    X : array-like of shape (n_samples, n_features), frame, sparse matrix, texts or pictures
        Passed as it is, by rows: a frame keeps its names. nan for missing numbers if the estimator
        takes them.
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    groups : array-like of shape (n_samples,) or None, default=None
        Groups of rows that depend on each other, such as the rows of a patient. They stay in one
        fold, and labels are shuffled between whole groups or within them.
    n_permutations : int, default=199
        Shuffles of the labels. They end as soon as the answer is clear.
    random_state : int or None, default=None
        Seed of folds, shuffles and an estimator whose `random_state` is None; None is 0, so that
        an audit says the same twice.
    n_folds : int or "auto", default="auto"
        See `Study.folds`.
    max_rows : int, default=600
        Of more rows a stratified sample is shuffled.
    n_jobs : int or None, default=None
        Number of shuffles at the same time. The result does not depend on it.
    callback : callable, optional
        Given the `Audit` so far after the folds and after every shuffle; a true return value ends
        the audit.

    Returns
    -------
    Audit

    Raises
    ------
    ValueError
        If the data are invalid or do not allow folds, or the estimator places no new rows of a
        class.

    References
    ----------
    M. Ojala, G. C. Garriga: Permutation Tests for Studying Classifier Performance, Journal of
    Machine Learning Research 11, 2010.

    Examples
    --------
    A supervised picture of noise has two clusters, which are not real:

    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from melm_core.datasets import pure_noise
    >>> from melm_core.evaluation import audit
    >>> found = audit(LinearDiscriminantAnalysis(), *pure_noise(60, 30, 2))
    >>> str(found.answer), found.share_train > 0.8
    ('no', True)
    """
    study = _study_of(estimator, X, y, groups, 0 if random_state is None else random_state)
    return _audited(
        study,
        "held_out_accuracy" if is_classifier(study.estimator) else "held_out",
        n_permutations=n_permutations,
        n_folds=n_folds,
        max_rows=max_rows,
        n_jobs=n_jobs,
        callback=callback,
    )


def audit_coordinates(
    coordinates: Any,
    y: Any,
    groups: Any = None,
    *,
    n_permutations: int = 199,
    random_state: int | None = None,
    labels_unused: bool = False,
    callback: AuditCallback | None = None,
) -> Audit:
    """Judge how well classes are told apart in a map, without the program that made it.

    Held-out rows have the class of their neighbors in the map, compared with shuffles of the labels
    in the map. The map itself is not made anew: where labels may have been used to make it, the
    rows are not held out of it, and the answer is "no" or "unknown", never a yes.

    Parameters
    ----------
    coordinates : array-like of shape (n_samples, n_coordinates)
        Such as the x and y of a UMAP.
    y, groups, n_permutations, random_state, callback
        See `audit`.
    labels_unused : bool, default=False
        Whether it is certain that the map was made without the labels: then the answer may be yes.

    Returns
    -------
    Audit

    Raises
    ------
    ValueError
        If the data are invalid or do not allow folds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> from melm_core.evaluation import audit_coordinates
    >>> X, y = load_iris(return_X_y=True)
    >>> few = {"n_permutations": 39}
    >>> found = audit_coordinates(PCA(2).fit_transform(X), y, **few)
    >>> str(found.answer), found.remark[:35]
    ('unknown', 'This judges the map as it is; if th')
    >>> sure = audit_coordinates(PCA(2).fit_transform(X), y, labels_unused=True, **few)
    >>> str(sure.answer)
    'yes'
    """

    def of_map(verdict: Audit) -> Audit:
        return verdict if labels_unused else as_map(verdict)

    stops = None if callback is None else lambda verdict: callback(of_map(verdict))
    seed = 0 if random_state is None else random_state
    study = Study(
        _Named(_Neighbors()),
        coordinates,
        y,
        groups=groups,
        preparation=Unchanged(),
        random_state=seed,
    )
    return of_map(
        _audited(study, "held_out_accuracy", n_permutations=n_permutations, callback=stops)
    )


def as_map(verdict: Audit) -> Audit:
    """Return the verdict on a map that labels may have been used for: a yes is unknown."""
    is_possible = verdict.answer in TOLD_APART
    answer = Answer.UNKNOWN if is_possible else verdict.answer
    return replace(verdict, answer=answer, remark=LABELS_MAY_BE_USED)


def _audited(
    study: Study,
    statistic: Literal["held_out", "held_out_accuracy"],
    *,
    n_permutations: int,
    callback: AuditCallback | None,
    n_folds: FoldCount = "auto",
    max_rows: int = MOST_AUDITED_ROWS,
    n_jobs: int | None = None,
) -> Audit:
    check_integer("n_permutations", n_permutations, minimum=1)
    refits = Refits.of(study, n_folds)
    first = Audit(
        answer=None,
        share=refits.share.balanced_accuracy,
        standard_error=refits.share.standard_error,
        share_train=refits.train_share.balanced_accuracy,
        n_classes=study.n_classes,
        notes=refits.notes,
        remark=_MADE if _are_made_of_features(study) else "",
    )
    if callback is not None and callback(first):
        return first

    def stops(so_far: PermutationTest) -> bool:
        return callback is not None and bool(callback(_shuffled(first, so_far)))

    test = permutation_test(
        study,
        statistic=statistic,
        n_permutations=n_permutations,
        max_rows=max_rows,
        n_jobs=n_jobs,
        callback=stops,
    )
    return _answered(first, test, study)


def _are_made_of_features(study: Study) -> bool:
    """Return whether the labels look like clusters of the numbers that are judged."""
    table = study.estimator.table
    X = study.rows.X if table is None else table.values
    is_known = X is not None and bool(np.isfinite(X).all())
    return is_known and are_quantized(X, study.rows.y)


def _shuffled(first: Audit, test: PermutationTest) -> Audit:
    return replace(
        first,
        p_value=test.p_value,
        n_permutations=len(test.values),
        n_exceeding=test.n_exceeding,
    )


def _answered(first: Audit, test: PermutationTest, study: Study) -> Audit:
    smallest = max(test.design.smallest_p_value, 1.0 / (test.n_permutations + 1))
    answer: Answer | None = answer_of(
        first.share, first.n_classes, test.p_value, smallest_p_value=smallest
    )
    remark = first.remark if answer in TOLD_APART else ""
    if remark:
        answer = Answer.UNKNOWN
    if test.early is None and len(test.values) < test.n_permutations:  # it was cut short
        answer, remark = None, first.remark
    limit = test.design.limit_sentence(level=0.05)
    is_grouped = test.design.n_groups_exchanged + test.design.n_groups_within > 0
    exchanged = (_TWINS if study.has_twins else test.design.sentence,) if is_grouped else ()
    return replace(
        _shuffled(first, test),
        answer=answer,
        remark=remark,
        notes=tuple(filter(None, (*first.notes, *exchanged, limit))),
    )


def _study_of(estimator: Any, X: Any, y: Any, groups: Any, seed: int) -> Study:
    """Return the study of an estimator: of its output or, if it only predicts, its predictions."""
    is_object = not isinstance(estimator, type)
    if not (is_object and hasattr(estimator, "fit") and hasattr(estimator, "get_params")):
        raise UserError(
            f"estimator={estimator!r} must be an object with fit and get_params, such as PCA(2): a "
            "transformer, a classifier or a pipeline."
        )
    shows = hasattr(estimator, "transform")
    if not shows and not is_classifier(estimator):
        raise UserError(
            f"{type(estimator).__name__} has neither transform nor predict for classes, so it "
            "places no rows that it was not fitted to. Judge its coordinates by audit_coordinates."
        )
    table = indexed(X)
    judged = (_Output if shows else _Named)(estimator, table)
    has_own_groups = groups is None and table is not None
    if table is not None:
        groups = _equal_rows(table, y) if groups is None else groups
        X = table.numbers
    study = Study(judged, X, y, groups=groups, preparation=Unchanged(), random_state=seed)
    study.has_twins = study.has_twins or (has_own_groups and study.rows.groups is not None)
    return study


def _equal_rows(table: IndexedTable, y: Any) -> IntArray:
    """Groups of equal rows; where a class would be a single one, each row is its own."""
    if len(y) != len(table):
        raise UserError(f"{len(y):,} labels are given for {len(table):,} rows. Give one for each.")
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if (values := table.values) is not None:
        twins = twins_of_rows(CodedRows(values, codes.astype(np.int64), classes))
        return np.arange(len(codes)) if twins is None else twins
    groups = table.equal_rows(codes)
    return groups if units_of_classes(codes, groups).min() > 1 else np.arange(len(groups))


class _Output(BaseEstimator):
    """The output of an estimator for rows, and nothing else of it.

    Its `components_`, say, are not taken for a plane: they need not be orthonormal, and what is
    looked at are the coordinates. A row is placed once: some maps place it by the rows beside it.
    """

    def __init__(self, estimator: Any = None, table: IndexedTable | None = None) -> None:
        self.estimator, self.table = estimator, table

    def fit(self, X: FloatArray, y: IntArray, groups: IntArray | None = None) -> Self:
        takes_groups = groups is not None and fit_takes(self.estimator, "groups")
        keywords = {"groups": groups} if takes_groups else {}
        self.fitted_ = clone(self.estimator).fit(_rows(self.table, X), y, **keywords)
        self.places_: dict[bytes, FloatArray] = {}
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        keys = [row.tobytes() for row in X]
        new = [index for index, key in enumerate(keys) if key not in self.places_]
        if new:
            placed = dense_rows(self.fitted_.transform(_rows(self.table, X[new])))
            self.places_.update(zip([keys[index] for index in new], placed, strict=True))
        return np.stack([self.places_[key] for key in keys])


class _Named(ClassifierMixin, BaseEstimator):
    """A classifier that is judged by the classes that it names, whatever else it says of them."""

    def __init__(self, estimator: Any = None, table: IndexedTable | None = None) -> None:
        self.estimator, self.table = estimator, table

    def fit(self, X: FloatArray, y: IntArray) -> Self:
        self.classes_ = np.unique(y)
        self.fitted_ = clone(self.estimator).fit(_rows(self.table, X), y)
        return self

    def predict(self, X: FloatArray) -> IntArray:
        predicted: IntArray = self.fitted_.predict(_rows(self.table, X))
        return predicted

    def predict_proba(self, X: FloatArray) -> FloatArray:
        shares: FloatArray = (self.predict(X)[:, None] == self.classes_).astype(np.float64)
        return shares


def _rows(table: IndexedTable | None, X: FloatArray) -> Any:
    return X if table is None else table.rows(X)


class _Neighbors(ClassifierMixin, BaseEstimator):
    """The classifier KNN of `PLANE_CLASSIFIERS`: their number is chosen by inner folds."""

    def fit(self, X: FloatArray, y: IntArray) -> Self:
        self.rows_, self.codes_ = X, y
        return self

    def predict(self, X: FloatArray) -> IntArray:
        rows, points = unit_covariance(self.rows_, X)
        return _NEIGHBORS.tuned_predictions(rows, self.codes_, points, 0)


class IndexedTable:
    """A table whose rows are asked for by number, so that folds need not know what it holds.

    Copies of it, as those of the parameters of an estimator, are itself.

    Parameters
    ----------
    X : frame, sparse matrix, list or array of n_samples rows
    """

    def __init__(self, X: Any) -> None:
        self._X = X.tocsr() if issparse(X) else X

    def __deepcopy__(self, _: Any) -> Self:
        return self

    def __len__(self) -> int:
        return int(self._X.shape[0]) if hasattr(self._X, "shape") else len(self._X)

    @property
    def numbers(self) -> FloatArray:
        """Stand-ins of the rows, shape (n_samples, 1): their numbers."""
        return np.arange(len(self), dtype=np.float64)[:, None]

    def rows(self, numbers: FloatArray) -> Any:
        """The rows that stand-ins stand for."""
        indices = numbers[:, 0].astype(np.int64)
        return self._X.iloc[indices] if hasattr(self._X, "iloc") else self._X[indices]

    @property
    def values(self) -> FloatArray | None:
        """The numbers of a frame that has nothing else, nan where one is missing; else None."""
        if not hasattr(self._X, "iloc"):
            return None
        try:
            return np.asarray(self._X.to_numpy(dtype=np.float64, na_value=np.nan))
        except (TypeError, ValueError):
            return None

    def equal_rows(self, y: IntArray) -> IntArray:
        """Codes of the groups of rows that are equal and of one class, shape (n_samples,)."""
        codes: dict[Hashable, int] = {}
        keys = zip(y.tolist(), self._keys(), strict=True)
        return np.array([codes.setdefault(key, len(codes)) for key in keys], dtype=np.int64)

    def _keys(self) -> Iterator[Hashable]:
        """Return keys that are equal for equal rows."""
        if issparse(self._X):
            rows = self._X.copy()
            rows.sum_duplicates()
            for first, last in pairwise(rows.indptr):
                yield rows.indices[first:last].tobytes(), rows.data[first:last].tobytes()
        elif hasattr(self._X, "iloc"):
            for row in self._X.itertuples(index=False, name=None):
                yield tuple(map(str, row))  # nan equals itself
        else:
            for row in self._X:
                yield str(row) if self._X.dtype.kind in "OUS" else row.tobytes()


def indexed(X: Any) -> IndexedTable | None:
    """The rows as a table that is only indexed; None of arrays of numbers, which need no such.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation.estimator_audit import indexed
    >>> indexed(np.ones((3, 2))) is None, len(indexed(["a text", "another"]))
    (True, 2)
    """
    if is_lazy(X):
        return None
    if (hasattr(X, "iloc") and X.ndim > 1) or issparse(X):
        return IndexedTable(X)
    array = X if isinstance(X, np.ndarray) else _array(X)
    is_numbers = array.ndim == 2 and array.dtype.kind in "fiub"
    return None if is_numbers or array.ndim == 0 else IndexedTable(array)


def _array(X: Any) -> npt.NDArray[Any]:
    try:
        return np.asarray(X)
    except ValueError as error:
        raise UserError(f"X is no table: {error}. Give as many values in every row.") from error
