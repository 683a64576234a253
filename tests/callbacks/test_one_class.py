"""A table without a label, or of one class: a picture, and nothing about telling apart."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from melm_core.methods import METHODS
from melm_studio.analyses import ANALYSES
from melm_studio.layout import ids
from tests.callbacks.every_route import address, asked_for, rules
from tests.callbacks.tables import csv
from tests.melm_core.helpers import of_each_contract

ERROR = f"{ids.RUN_ERROR}.children"
NOTHING = "All rows are one class, so there is nothing to tell apart"
# A number would say something of classes that are not there.
LINEAR = [key for key, method in METHODS.items() if method.is_linear and not method.uses_labels]


def rows(n_rows: int = 60) -> pd.DataFrame:
    values = np.random.default_rng(0).normal(size=(n_rows, 4)) ** 3
    return pd.DataFrame(values, columns=["zinc", "iron", "tin", "lead"]).round(4)


@pytest.fixture
def visitor(studio):
    return one_who_has_one_class(studio)


def one_who_has_one_class(studio):
    visitor = studio.visitor()
    changes = visitor.choose_file(csv(rows().assign(label="healthy")), "sera.csv")
    assert changes.get(f"{ids.DATA_ERROR}.children") is None
    return visitor


@pytest.fixture(scope="module")
def done(studio):
    """A visitor, and their run that is done."""
    visitor = one_who_has_one_class(studio)
    run = visitor.start(method="pca")
    studio.work()
    return visitor, run


def test_a_table_of_numbers_is_read_without_a_label_where_that_is_answered(studio):
    visitor = studio.visitor()
    visitor.choose_file(csv(rows()), "sera.csv", label="(no label)")
    shown = visitor.values[f"{ids.DATA}.data"]
    look = visitor.http.post("/preview", json=shown).json
    assert look["question"] == "How are these rows spread?"
    assert look["begin"]["method"] == "entropy"
    run = visitor.start(method="entropy", n_init=2)
    studio.work()
    assert visitor.news(run)["plane"]["strip"]["lead"] == NOTHING


@pytest.mark.parametrize("method", of_each_contract(METHODS))
def test_methods_that_ignore_labels_draw_one_class_and_others_say_why_not(studio, visitor, method):
    refusal = visitor.press_run(method=method, n_init=1).get(ERROR)
    if not METHODS[method].is_installed:
        assert METHODS[method].label in refusal
        return
    if METHODS[method].requirements.min_classes > 1:
        assert "all rows belong to one class" in refusal
        return
    studio.work()
    (run,) = visitor.panels()
    news = visitor.news(run)
    assert news["state"] == "done", news["words"]
    assert news["plane"]["strip"]["lead"] == NOTHING
    assert "%" not in news["plane"]["strip"]["follow"]


@pytest.mark.slow
def test_whatever_is_asked_of_one_class_is_answered_in_words(studio, visitor):
    run = visitor.start(method="entropy", n_init=1)
    studio.work()
    values = {"run_id": run, "sequence": studio.store.last_event(run).sequence, "name": "check"}
    for method, rule in rules(studio):
        is_about_it = "run_id" in rule.arguments and set(rule.arguments) <= set(values)
        if method != "GET" or not is_about_it:
            continue
        answer = asked_for(visitor, method, address(rule, values))
        assert answer.status_code < 500, rule


@pytest.mark.parametrize("name", ANALYSES)
def test_analyses_that_need_classes_are_refused(studio, done, name):
    visitor, run = done
    answer = visitor.http.post(f"/runs/{run}/analyses/{name}")
    if "classes" in ANALYSES[name].needs:
        assert answer.json["error"].startswith(NOTHING)
    else:
        assert NOTHING not in answer.get_data(as_text=True)
        studio.work()


def test_all_methods_are_not_compared_on_one_class(visitor):
    data = visitor.values[f"{ids.DATA}.data"]
    answer = visitor.http.post(f"/rankings/{data['id']}", json=data)
    assert answer.json["error"].startswith(NOTHING)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["entropy", "pca"])
def test_files_of_one_class_are_made_and_its_report_has_no_share(studio, visitor, method):
    run = visitor.start(method=method)
    studio.work()
    for file in ("replay.html", "model.json", "script.py", "points.csv", "components.csv"):
        assert visitor.http.get(f"/runs/{run}/{file}").status_code == 200, file
    report = visitor.http.get(f"/runs/{run}/report.html").get_data(as_text=True)
    assert NOTHING in report
    assert "What tells the classes apart" not in report
