"""Audits of whatever scikit-learn indexes: mixed frames, texts, sparse matrices, pictures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from melm_core import MELM
from melm_core.base import UserError
from melm_core.evaluation import audit, lot_change

N_ROWS = 60
Y = np.arange(N_ROWS) % 2
STREAM = np.random.default_rng(1)
SHIFTED = STREAM.normal(size=(N_ROWS, 3)) + 2.0 * Y[:, None]
FEW = {"n_permutations": 19, "random_state": 0}


class Places(TransformerMixin, BaseEstimator):
    """Two coordinates, of which some rows have none."""

    def __init__(self, share=0.1, hole=np.nan):
        self.share, self.hole = share, hole

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        places = np.array(X[:, :2], dtype=float)
        places[: int(np.ceil(len(X) * self.share))] = self.hole
        return places


class PlacesOf(Places):
    """Places of the rows of class 0 alone."""

    def transform(self, X):
        return np.where(np.isin(X[:, :1], SHIFTED[Y == 1, 0]), np.nan, X[:, :2])


def mixed() -> tuple[object, pd.DataFrame]:
    sites = np.random.default_rng(2).choice(["north", "south"], N_ROWS)
    encoder = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
    columns = make_column_transformer((encoder, ["site"]), remainder="passthrough")
    frame = pd.DataFrame({"u": SHIFTED[:, 0], "site": sites})
    return make_pipeline(columns, LinearDiscriminantAnalysis()), frame


def texts() -> tuple[object, list[str]]:
    words = np.random.default_rng(3).choice(["ash", "oak", "elm"], size=(N_ROWS, 4))
    kinds = np.where(Y, "fern", "moss")
    rows = [" ".join([*row, kind]) for row, kind in zip(words, kinds, strict=True)]
    return make_pipeline(CountVectorizer(), LogisticRegression()), rows


def series_of_texts() -> tuple[object, pd.Series]:
    estimator, rows = texts()
    return estimator, pd.Series(rows, index=np.arange(N_ROWS)[::-1])


def pictures() -> tuple[object, np.ndarray]:
    flat = FunctionTransformer(lambda rows: rows.reshape(len(rows), -1))
    return make_pipeline(flat, LogisticRegression()), SHIFTED.reshape(N_ROWS, 3, 1)


def sparse() -> tuple[object, csr_matrix]:
    return LogisticRegression(), csr_matrix(SHIFTED)


@pytest.mark.parametrize(
    "kind",
    [
        mixed,
        texts,
        sparse,
        *(pytest.param(one, marks=pytest.mark.slow) for one in (series_of_texts, pictures)),
    ],
)
def test_an_audit_has_the_share_of_cross_validation_of_any_table(kind):
    estimator, X = kind()
    found = audit(estimator, X, Y, **FEW)
    own = cross_val_score(estimator, X, Y, cv=10, scoring="balanced_accuracy").mean()
    assert found.share == pytest.approx(own, abs=0.08)


@pytest.mark.parametrize("kind", [mixed, pictures, sparse])
def test_copies_stay_together_in_any_table(kind):
    estimator, X = kind()
    noise = np.random.default_rng(5).permutation(N_ROWS)[:12]
    rows = np.repeat(noise, 5)
    copies = X.iloc[rows] if hasattr(X, "iloc") else X[rows]
    found = audit(estimator, copies, np.repeat([0, 1], 30), **FEW)
    assert any("equal or nearly so stay together" in note for note in found.notes)
    assert found.p_value > 0.05


@pytest.mark.slow
def test_a_frame_of_numbers_is_judged_as_its_values():
    names = pd.DataFrame(SHIFTED, columns=list("abc"))
    found, own = (audit(LogisticRegression(), X, Y, **FEW) for X in (names, SHIFTED))
    assert (found.sentence, found.notes) == (own.sentence, own.notes)


@pytest.mark.slow
@pytest.mark.parametrize("hole", [np.nan, np.inf])
def test_rows_without_a_place_are_counted_and_named(hole):
    found = audit(Places(0.1, hole), SHIFTED, Y, **FEW)
    assert any(
        note.startswith("10 of 60 held-out rows have no place") and "with index 0, 1, " in note
        for note in found.notes
    )
    assert found.share > 0.85
    assert found.p_value == 0.05  # the smallest of 19 shuffles


def test_a_class_without_any_place_is_refused():
    with pytest.raises(UserError, match="No row has a place"):
        audit(Places(1.0), SHIFTED, Y, **FEW)
    with pytest.raises(UserError, match="class 1 have a place, where 2 are needed"):
        audit(PlacesOf(), SHIFTED, Y, **FEW)


def test_coordinates_of_which_each_fold_has_others_are_refused_with_the_way_out():
    words = np.array([f"word{at % 7} {'ill' if at % 2 else 'well'}" for at in range(N_ROWS)])
    words[0] = "once well"
    with pytest.raises(UserError, match=r"gives \d+ coordinates fitted to all rows, and \d+"):
        audit(make_pipeline(CountVectorizer()), words, np.arange(N_ROWS) % 2, **FEW)


def test_labels_of_another_number_of_rows_are_refused():
    estimator, X = mixed()
    with pytest.raises(UserError, match="59 labels are given for 60 rows"):
        audit(estimator, X, Y[1:], **FEW)


def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    frame = pd.DataFrame(SHIFTED * [1, 10, 100], columns=list("abc"))
    return frame.iloc[:30], frame.iloc[30:]


def test_lots_meet_by_the_names_of_columns():
    first, new = frames()
    labels = Y[:30], Y[30:]
    same = lot_change(first, new, *labels, n_permutations=39, with_plane=False)
    turned = lot_change(first, new[list("cba")], *labels, n_permutations=39, with_plane=False)
    assert (turned.p_value, turned.sentence) == (same.p_value, same.sentence)


@pytest.mark.parametrize(
    ("names", "message"), [("abd", "lacks c"), ("abcd", "has d")], ids=["lacks", "has"]
)
def test_lots_of_other_columns_are_refused_by_name(names, message):
    first, new = frames()
    other = new.assign(d=1.0)[list(names)]
    with pytest.raises(UserError, match=message):
        lot_change(first, other, Y[:30], Y[30:])


@pytest.mark.parametrize("weight", [1 / N_ROWS, 1e-3])
def test_weights_that_sum_to_one_are_refused(weight):
    with pytest.raises(UserError, match=r"counts as .* rows by sample_weight.*their mean"):
        MELM(random_state=0, n_init=1).fit(SHIFTED, Y, sample_weight=np.full(N_ROWS, weight))
