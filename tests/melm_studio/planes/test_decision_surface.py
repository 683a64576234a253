from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid

from melm_core.datasets import crescents
from melm_studio.planes.class_outlines import GRID_LINES
from melm_studio.planes.decision_surface import (
    KINDS,
    RocCurve,
    decision_surface,
    fitted_machine,
    summarized,
)

TRAIN, Y = crescents(0, n_rows_per_class=100)
HELD_OUT, Y_UNSEEN = crescents(1, n_rows_per_class=100)


def surface(kind, **parameters):
    return decision_surface(TRAIN, Y == 1, HELD_OUT, Y_UNSEEN == 1, kind=kind, **parameters)


def roc(auc):
    return RocCurve(np.array([0.0, 1.0]), np.array([0.0, 1.0]), auc)


SUPERVISED = [kind for kind in KINDS if kind != "kernel_pca"]


@pytest.mark.parametrize("kind", SUPERVISED)
def test_both_tell_the_crescents_apart_on_held_out_rows(kind):
    drawn = surface(kind)
    assert drawn.machine_roc.auc > 0.95
    assert drawn.approximation_roc.auc > 0.95
    for curve in (drawn.machine_roc, drawn.approximation_roc):
        area = trapezoid(curve.true_positive_rates, curve.false_positive_rates)
        assert curve.auc == pytest.approx(area)


@pytest.mark.parametrize("kind", KINDS)
def test_the_grid_holds_the_values_of_both_at_its_points(kind):
    drawn = surface(kind)
    assert drawn.machine_values.shape == (GRID_LINES, GRID_LINES)
    point = np.array([[drawn.x[7], drawn.y[31]]])
    assert drawn.machine_values[31, 7] == pytest.approx(drawn.machine.decision_function(point)[0])
    approximated = drawn.approximation.decision_function(point)[0]
    assert drawn.approximation_values[31, 7] == pytest.approx(approximated)
    for axis, lines in enumerate((drawn.x, drawn.y)):
        assert lines[0] < TRAIN[:, axis].min()
        assert lines[-1] > TRAIN[:, axis].max()


@pytest.mark.parametrize("kind", KINDS)
def test_the_positive_rows_lie_on_the_positive_side(kind):
    values = fitted_machine(kind, TRAIN, Y == 1).decision_function(TRAIN)
    assert values[Y == 1].mean() > 0 > values[Y == 0].mean()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_wider_kernel_has_fewer_modes(kind):
    narrow, wide = (surface(kind, width=width) for width in (0.5, 2.0))
    assert len(narrow.approximation.modes) > len(wide.approximation.modes)


@pytest.mark.slow
def test_without_held_out_rows_of_both_sides_there_is_no_curve():
    for held_out, is_positive in ((np.empty((0, 2)), np.empty(0, bool)), (HELD_OUT, Y_UNSEEN > 9)):
        drawn = decision_surface(TRAIN, Y == 1, held_out, is_positive)
        assert drawn.machine_roc is drawn.approximation_roc is None
        assert "AUC" not in drawn.summary


@pytest.mark.slow
def test_what_speaks_against_the_approximation_is_said_and_not_warned_of():
    cautions = surface("svc").cautions
    assert any("use the machine itself" in caution for caution in cautions)
    X, y = crescents(2, n_rows_per_class=700)
    assert decision_surface(X, y == 1, HELD_OUT, Y_UNSEEN == 1, kind="densities").cautions == ()


@pytest.mark.parametrize(
    ("speed_up", "words"),
    [
        (13.2, "13 times faster at 3,000 centers; AUC 0.994 against 0.995"),
        (363.0, "363 times faster at 3,000 centers; AUC 0.994 against 0.995"),
        (1.02, "As fast as the machine at 3,000 centers; AUC 0.994 against 0.995"),
        (0.5, "2.0 times slower at 3,000 centers: keep the machine; AUC 0.994 against 0.995"),
    ],
)
def test_the_summary_says_speed_and_loss(speed_up, words):
    assert summarized(speed_up, 3_000, roc(0.995), roc(0.994)) == words


def test_rows_on_top_of_each_other_are_no_obstacle():
    rows = np.repeat([[0.0, 0.0], [1.0, 0.0]], 5, axis=0)
    drawn = decision_surface(rows, rows[:, 0] > 0, rows, rows[:, 0] > 0)
    assert np.isfinite(drawn.approximation_values).all()
    assert drawn.machine_roc.auc == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"kind": "tree"}, "kind='tree' must be one of"), ({"width": 0.0}, "width=0.0 must be")],
)
def test_impossible_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        surface(**({"kind": "svc"} | parameters))


def test_a_side_of_one_row_is_refused():
    with pytest.raises(ValueError, match=r"The two sides have 1 and 199 row\(s\)"):
        decision_surface(TRAIN, np.arange(200) == 0, HELD_OUT, Y_UNSEEN == 1)
