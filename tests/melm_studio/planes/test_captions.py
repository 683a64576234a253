"""Every state of a run has its words."""

from __future__ import annotations

from unittest.mock import Mock

import numpy as np
import pytest
from msgspec.structs import replace

from melm_studio.configuration.messages import STOPPED, STOPPED_IN_QUEUE, UNEXPECTED
from melm_studio.planes.captions import (
    MOST_PLACES,
    axis_titles,
    changes_of,
    distance,
    picture_in_words,
    reproduced_sentence,
    state_sentence,
    title,
    title_of_view,
    unique_title,
)
from melm_studio.planes.features import FeatureSteps
from melm_studio.planes.plane_edits import LoadingEdit
from melm_studio.planes.plane_scores import Predictions, Scores
from melm_studio.planes.types import Arrows, ClassView, PlaneView
from melm_studio.planes.view_options import MorphTarget, Shown, ViewOptions
from melm_studio.runs.records.outcome import FitOutcome, GammaPath
from melm_studio.runs.records.run import RunState
from tests.melm_studio.planes.views import view_of
from tests.melm_studio.runs.helpers import plane, run_of

SQUARE = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])  # of spread 1


def words(state, event=None, method="melm", message="") -> str:
    return state_sentence(replace(run_of(method=method), state=state, message=message), event)


def test_a_queued_run_waits():
    assert words(RunState.QUEUED) == "Waiting for a free worker"


def test_a_running_run_without_a_plane_is_starting():
    assert words(RunState.RUNNING) == "Computing the first plane"


def test_a_running_run_tells_its_start_its_time_and_its_best():
    event = plane(stage="start 7 of 16", elapsed_s=0.44, n_evaluations=99, best_objective=3.0504)
    assert (
        words(RunState.RUNNING, event)
        == "Start 7 of 16, 0.4 s, 225 evaluations per second, best 3.050"
    )


def test_a_paused_run_tells_where_it_stands():
    event = plane(stage="start 7 of 16", elapsed_s=0.44, n_evaluations=99, best_objective=3.0504)
    assert words(RunState.PAUSED, event) == (
        "Paused, start 7 of 16, 0.4 s, 225 evaluations per second, best 3.050"
    )


@pytest.mark.parametrize(
    ("n_starts", "n_evaluations", "expected"),
    [
        (1, 1, "1 start, 1 evaluation, 2.0 s"),
        (16, 1_234, "16 starts, 1,234 evaluations, 2.0 s"),
    ],
)
def test_a_finished_search_tells_its_effort(n_starts, n_evaluations, expected):
    event = plane(n_evaluations=n_evaluations, elapsed_s=2.0)
    record = run_of(method="melm")
    parameters = replace(record.parameters, n_init=n_starts)
    done = replace(record, state=RunState.DONE, parameters=parameters)
    assert state_sentence(done, event) == expected


@pytest.mark.parametrize(
    ("agreeing", "starts", "expected"),
    [
        (1, 1, "1 start, "),
        (1, 14, "Best of 14 starts; no other reached it, "),
        (7, 14, "Reached by at least 7 of 14 starts, "),
        (14, 14, "Reached by all 14 starts, "),
    ],
)
def test_a_finished_search_tells_how_many_starts_agree(agreeing, starts, expected):
    outcome = FitOutcome(n_agreeing=agreeing, n_starts=starts)
    done = replace(run_of(), state=RunState.DONE, outcome=outcome)
    assert state_sentence(done, plane()).startswith(expected)


@pytest.mark.parametrize("method", ["pca", "lda"])
def test_a_method_without_a_search_has_no_effort_to_tell(method):
    assert not words(RunState.DONE, plane(), method)


def test_what_a_picture_must_not_be_read_as_is_said_beside_it():
    expected = "Distances between clusters mean nothing"
    assert words(RunState.DONE, plane(), "tsne") == expected


def test_a_map_of_a_sample_says_of_how_many_rows_it_is():
    outcome = FitOutcome(n_embedded=2_000, n_training=60_000)
    done = replace(run_of(method="tsne"), state=RunState.DONE, outcome=outcome)
    assert "2,000 of 60,000 training rows are embedded, " in state_sentence(done, plane())


@pytest.mark.parametrize("event", [None, plane()], ids=["no plane", "a plane"])
@pytest.mark.parametrize(
    ("state", "message"),
    [
        (RunState.CANCELLED, STOPPED),
        (RunState.CANCELLED, STOPPED_IN_QUEUE),
        (RunState.FAILED, UNEXPECTED),
        (RunState.LOST, "It was tried 3 times."),
    ],
)
def test_a_run_that_was_stopped_or_failed_says_its_message(state, message, event):
    assert words(state, event, message=message) == message


@pytest.mark.parametrize("state", RunState)
def test_no_state_is_without_words(state):
    assert words(state, plane(), message="Something happened.")


def choosing(n_folds, chosen=None):
    path = GammaPath(
        gammas=(), accuracies=(), standard_errors=(), n_folds=n_folds, chosen=chosen, level=()
    )
    outcome = FitOutcome(gamma_path=path if n_folds else None)
    return replace(run_of(gamma="auto"), state=RunState.RUNNING, outcome=outcome)


def test_a_run_that_chooses_gamma_says_so_until_it_has():
    assert title(choosing(0)).startswith("MELM, γ auto")
    assert title(choosing(5, chosen=2.0)).startswith("MELM, γ 2 (auto)")
    assert state_sentence(choosing(0), None) == "Choosing γ by inner folds"
    assert state_sentence(choosing(2), None) == "Choosing γ by inner folds, 2 done"
    done = replace(choosing(5, chosen=2.0), state=RunState.DONE)
    assert state_sentence(done, plane()).endswith(", γ 2 chosen by inner folds")


def test_a_title_tells_method_gamma_and_seed():
    run = run_of(gamma=0.316, random_state=7, n_init=14, held_out=0.25)
    assert title(run) == "MELM, γ 0.316, seed 7"


@pytest.mark.parametrize(
    ("held_out", "expected"),
    [(0.0, "PCA"), (0.25, "PCA, seed 7"), (0.1, "PCA, seed 7, 10 % held out")],
)
def test_a_seed_is_told_where_it_makes_a_difference(held_out, expected):
    assert title(run_of(method="pca", random_state=7, held_out=held_out)) == expected


@pytest.mark.parametrize(
    ("found", "is_same", "words"),
    [
        (5.5712, True, "Reproduced: divergence 5.5712, equal to within 1e-09."),
        (5.5712 + 5e-10, True, "Reproduced: divergence 5.5712, equal to within 1e-09."),
        (
            5.4712,
            False,
            "Not reproduced: divergence 5.4712 here and 5.5712 in the shared view, a "
            "difference of 0.1.",
        ),
    ],
)
def test_a_divergence_is_reproduced_or_the_difference_is_told(found, is_same, words):
    assert reproduced_sentence(5.5712, found) == (is_same, words)


def test_a_name_holds_what_matters_to_its_method_alone():
    defaults = {"random_state": 0, "held_out": 0.25}
    assert title(run_of(method="pca", gamma=3.0, **defaults)) == "PCA"
    assert title(run_of(n_components=3, n_init=14, **defaults)) == "MELM, γ 1, 3 components"


def test_names_are_unique_and_a_name_that_was_given_stays():
    run = run_of(method="pca", random_state=0, held_out=0.25)
    assert unique_title(run, []) == "PCA"
    second = replace(run, name=unique_title(run, [run]))
    assert second.name == "PCA (2)"
    assert unique_title(run, [run, second]) == "PCA (3)"
    assert title(replace(run, name="mine")) == "mine"


def test_a_run_on_fewer_features_is_named_by_their_number():
    every = replace(run_of(method="pca", held_out=0.25), n_features=13)
    few = replace(every, n_features=9)
    few = replace(few, name=unique_title(few, [every]))
    assert few.name == "PCA, 9 features"
    assert unique_title(replace(few, name=""), [every, few]) == "PCA, 9 features (2)"
    assert unique_title(every, [every, few]) == "PCA (2)"
    named = replace(every, name="mine")
    assert unique_title(replace(named, n_features=9), [named]) == "mine (2)"


def test_a_run_whose_divergence_has_another_kernel_width_is_named_by_it():
    wide = run_of(method="lda", held_out=0.25, gamma=2.0)
    narrow = replace(wide, parameters=replace(wide.parameters, gamma=1.0))
    assert unique_title(narrow, [wide]) == "LDA, γ 1"
    assert unique_title(wide, [wide]) == "LDA (2)"


def test_the_axes_of_a_nonlinear_projection_bear_its_name():
    def titles(n_components):
        run = run_of(method="tsne", n_components=n_components)
        return axis_titles(Mock(), Shown.of(run, plane()), Mock())

    assert titles(2) == ("t-SNE 1", "t-SNE 2")
    assert titles(1) == ("t-SNE 1", "Density")


def test_a_queued_run_says_how_many_are_to_be_done_before_it():
    queued = replace(run_of(), state=RunState.QUEUED)
    assert state_sentence(queued, None, 2) == "Waiting: 2 runs ahead"
    assert state_sentence(queued, None, 1) == "Waiting: 1 run ahead"
    again = replace(queued, n_losses=1)
    assert state_sentence(again, plane()) == "Its worker died, waiting for a free worker"


def test_a_running_run_says_how_many_features_it_works_on():
    record = replace(run_of(method="melm"), state=RunState.RUNNING, n_features=2000)
    assert state_sentence(record, None) == "Computing the first plane, 2,000 features"


def test_a_continued_run_says_that_it_repeats_what_is_known():
    words_again = words(RunState.RUNNING, plane(is_final=True))
    assert words_again == "Repeating the search up to where it was cut short"


def test_the_title_of_a_changed_plane_says_so():
    record = run_of(method="pca")
    wider, fewer = (
        Shown.of(record, plane(), options)
        for options in (ViewOptions(gamma=0.5), ViewOptions(n_top_features=3))
    )
    assert title_of_view(wider) == title(record)
    assert title_of_view(fewer) == f"{title(record)} (changed)"


def test_every_change_of_a_plane_is_named():
    edits = tuple(LoadingEdit(feature, (1.0, 0.0)) for feature in (4, 4, 2))
    target = replace(run_of(), name="the other")
    options = ViewOptions(n_top_features=1, edits=edits, morph=MorphTarget("x", 0.3))
    words = "Plane was changed: top feature only, 2 arrows moved, 30 % of the way to the other"
    assert changes_of(options, target) == words
    assert changes_of(ViewOptions(gamma=0.5)) == ""


def squares_said(centers, *, predicted=None, tips=(), names=(), n_components=2, **bent):
    """The words on squares about centers; each class has two held-out rows."""
    classes = tuple(
        ClassView(SQUARE + center, np.empty((0, 2)), np.empty((0, 2))) for center in centers
    )
    tips = np.reshape(np.asarray(tips, dtype=float), (-1, 2))
    arrows = Arrows(np.zeros_like(tips), tips, np.arange(len(tips)), tuple(names), 1.0, **bent)
    view = PlaneView(
        classes, arrows, np.empty((0, 2)), np.zeros(2), np.ones(2), Scores(1.0, 1.0, None)
    )
    y = np.repeat(np.arange(len(centers)), 2)
    predictions = Predictions(y, y if predicted is None else np.asarray(predicted), None)
    class_names = [chr(ord("A") + i) for i in range(len(centers))]
    return picture_in_words(view, class_names, predictions.overlap(len(centers)), n_components)


def test_each_class_is_placed_beside_the_others():
    told = squares_said([(-5.0, 0.0), (5.0, 0.0), (0.0, 9.0), (0.0, -9.0), (0.2, 0.1)])
    assert told.startswith(
        "A lies to the left, B lies to the right, C lies above, D lies below, E lies in the middle."
    )
    assert "C lies above right" in squares_said([(-1.0, -1.0), (0.1, -0.1), (1.0, 1.0)])


def test_a_turned_picture_has_its_words_turned():
    centers = np.array([(-4.0, 0.0), (4.0, 0.0), (0.0, 4.0)])
    assert "A lies to the left" in squares_said(centers)
    assert "A lies to the right" in squares_said(-centers)
    assert "A lies below" in squares_said(centers @ np.array([[0.0, 1.0], [-1.0, 0.0]]))


def test_distances_are_in_standard_deviations_along_the_line_between_the_means():
    assert "Their means are 3.0 standard deviations apart." in squares_said(
        [(0.0, 0.0), (3.0, 0.0)]
    )
    told = squares_said([(0.0, 0.0), (2.0, 0.0), (10.0, 0.0)])
    assert "Nearest to each other are A and B, 2.0 standard deviations apart" in told
    assert "farthest are A and C, 10.0 standard deviations." in told


@pytest.mark.parametrize("factor", [0.01, 1.0, 300.0])
def test_a_distance_has_no_unit_and_no_order(factor):
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(30, 2)), rng.normal(size=(20, 2)) + 2
    assert distance(factor * one, factor * other) == pytest.approx(distance(one, other))
    assert distance(other, one) == pytest.approx(distance(one, other))
    turned = np.array([[0.6, 0.8], [-0.8, 0.6]])
    assert distance(one @ turned, other @ turned) == pytest.approx(distance(one, other))


def test_distances_are_those_of_held_out_rows_where_there_are_some():
    view = view_of(2)
    rows = [part.held_out for part in view.classes]
    told = picture_in_words(view, ["A", "B"], None, 2)
    assert f"Their means are {distance(*rows):.1f} standard deviations apart." in told
    assert "taken for" not in told
    assert f"{distance(*(part.train for part in view.classes)):.1f}" not in told


def test_classes_that_are_taken_for_each_other_are_named_with_their_share():
    assert "No held-out row is taken for one of another class." in squares_said([(0, 0), (9, 0)])
    told = squares_said([(0, 0), (1, 0), (9, 0)], predicted=[0, 1, 1, 0, 2, 2])
    assert "Held-out rows that are taken for each other: A and B (50 %)." in told
    assert "C (" not in told


def test_features_have_the_direction_of_their_arrows():
    told = squares_said(
        [(0, 0), (5, 0)], tips=[(1, 0), (0, -1), (-1, 1)], names=("ash", "hue", "alcohol")
    )
    assert told.endswith("What moves rows most: ash to the right, hue below, alcohol above left.")


def test_what_turns_back_moves_rows_by_its_low_and_its_high_values():
    x = np.linspace(-1.0, 1.0, 17)
    paths = np.stack([np.column_stack([x**2, 0.1 * x]), np.column_stack([x, x])])
    bent = {"paths": paths, "turns": FeatureSteps.turning(paths)}
    told = squares_said([(0, 0), (5, 0)], tips=[(0, 0.01), (1, 1)], names=("dose", "age"), **bent)
    assert told.endswith("rows most: low and high dose to the right, age above right.")


def test_one_component_has_an_order_and_many_classes_have_no_places():
    assert squares_said([(3, 8), (-3, 0), (0, 2)], n_components=1).startswith(
        "From left to right: B, C, A."
    )
    many = squares_said([(4.0 * i, 0.0) for i in range(MOST_PLACES + 1)])
    assert many.startswith(f"{MOST_PLACES + 1} classes. Nearest to each other")


def test_one_class_and_rows_without_spread_have_words():
    assert squares_said([(0.0, 0.0)], tips=[(1, 0)], names=("ash",)) == (
        "What moves rows most: ash to the right."
    )
    point = np.zeros((3, 2))
    assert distance(point, point) == 0.0
    assert distance(point, point + 1) == np.inf
