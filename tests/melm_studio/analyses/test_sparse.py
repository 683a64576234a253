"""How few features suffice: the choice, the sentence and the figure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
from msgspec.structs import replace as replace_record

from melm_studio.analyses.analysis import DataShape
from melm_studio.analyses.sparse import SPARSE, ChosenSize, SparseReport, SparseSize, sparse_figure
from melm_studio.planes.theme import THEMES, Scheme
from melm_studio.runs.records.run import new_analysis
from melm_studio.workers.execute import execute_queued
from tests.melm_studio.runs.helpers import blobs, queue_run

SIZES = tuple(SparseSize(n, 0.9, 0.8, 0.05, (0, 1), (1.0, 1.0)) for n in (4, 2))


def test_the_band_is_one_standard_error_around_the_held_out_line():
    band, training, held_out = sparse_figure(SparseReport(SIZES, n_classes=2))["data"]
    assert held_out["y"] == [0.8, 0.8]
    assert training["y"] == [0.9, 0.9]
    assert {round(y, 12) for y in band["y"]} == {0.75, 0.85}


def test_guessing_and_the_sufficient_number_are_marked_in_the_colors_of_the_page():
    for scheme in Scheme:
        layout = sparse_figure(SparseReport(SIZES, sufficient=2, n_classes=2), scheme)["layout"]
        across, down = layout["shapes"]
        assert (across["y0"], across["y1"], down["x0"], down["x1"]) == (0.5, 0.5, 2, 2)
        assert layout["annotations"][0]["text"] == "guessing"
        assert layout["font"]["color"] == THEMES[scheme].ink


def test_plotly_knows_every_property_of_the_figure():
    go.Figure(sparse_figure(SparseReport(SIZES, sufficient=2, n_classes=2)))


def of_path(store, data):
    """The report of fewer and fewer features of LDA on some data."""
    run = new_analysis(queue_run(store, data, "lda"), "sparse")
    store.create(run)
    execute_queued(store)
    return SPARSE.stored(store, run.run_id)


@pytest.mark.slow
def test_the_share_of_the_size_that_suffices_is_without_the_luck_of_the_choice(store):
    report = of_path(store, blobs(n_rows=90))
    apparent = {size.n_features: size.held_out for size in report.sizes}[report.sufficient]
    assert report.chosen.n_choices == len(report.sizes) > 1
    assert report.chosen.share < apparent + 0.02
    sentence = SPARSE.sentence(report, is_final=True)
    share, error = 100 * report.chosen.share, 100 * report.chosen.standard_error
    assert f"{share:.0f} ± {error:.0f} %, chosen among {len(report.sizes)} sizes;" in sentence


@pytest.mark.slow
def test_on_noise_no_number_of_features_is_said_to_suffice(store):
    noise = np.random.default_rng(1).normal(size=(90, 5))
    sentence = SPARSE.sentence(of_path(store, replace(blobs(), X=noise)), is_final=True)
    assert sentence.startswith("No number of features is clearly better than guessing")


def test_a_project_keeps_no_share_of_a_choice_among_other_sizes():
    shape = DataShape(n_rows=9, n_classes=2, n_features=4)
    sizes = (SparseSize(4, 0.9, 0.8, 0.05, (0, 1, 2, 3), (1.0,) * 4), SIZES[1])
    good = SparseReport(sizes, 2, ChosenSize(0.7, 0.05, n_choices=2), n_classes=2)
    assert SPARSE.read(SPARSE.checked(good.to_bytes(), shape)) == good
    for bad in (ChosenSize(1.7, 0.05, 2), ChosenSize(0.7, -1.0, 2), ChosenSize(0.7, 0.05, 9)):
        with pytest.raises(ValueError, match="belong"):
            SPARSE.checked(replace_record(good, chosen=bad).to_bytes(), shape)
