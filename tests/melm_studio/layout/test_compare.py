"""The tables of Compare: what a person reads and presses."""

from __future__ import annotations

from dataclasses import replace

from melm_studio.layout.compare import compare_table, pair_view, run_list
from melm_studio.publication.comparison import Agreement, ComparedRun, Mover, beside_the_best
from melm_studio.runs.records.refits_report import RefitsReport
from tests.melm_studio.layout.trees import parts, texts


def row(**changes) -> ComparedRun:
    unknown = ComparedRun("r", "PCA", {}, is_checked=True, checked_share=None)
    return replace(unknown, **changes)


ALIKE = Agreement(titles=("PCA", "LDA"), degrees=((0.0, 30.0), (30.0, 0.0)), notes=())
CURVED = Agreement(
    titles=("PCA", "Kernel PCA"),
    degrees=((0.0, None), (None, None)),
    notes=("Kernel PCA is a nonlinear projection, so it has no plane.",),
)
MOVERS = [Mover(7, "a", 1.234), Mover(3, "b", 0.5)]
PAIR = ("one", "other")
FULL = row(
    figures={
        "divergence-training": 12.345,
        "divergence-held-out": None,
        "accuracy-training": 0.987,
        "accuracy-held-out": 0.95,
        "ahead": -0.04,
        "ahead-error": 0.01,
        "p": 0.015,
        "seconds": 1.26,
        "features": 3.33,
    }
)


def beside(title: str, ahead: float, error: float, share: float) -> ComparedRun:
    figures = {"ahead": ahead, "ahead-error": error, "accuracy-held-out": share}
    return row(title=title, figures=figures)


def sort_buttons(tree):
    return {props["data-sort"]: props for props in parts(tree) if "data-sort" in props}


def test_figures_are_rounded_and_what_is_not_known_is_no_dash_that_reads_as_a_minus():
    known = replace(FULL, figures=FULL.figures | {"divergence-held-out": -1.234})
    shown = texts(compare_table([FULL, known]))
    for text in ("12.3", "−1.23", "0.99", "0.95", "−4 ± 1 %", "0.015", "1.3", "3.3"):
        assert text in shown
    assert "–" not in shown
    assert shown.count("") == 1


def test_every_column_can_be_sorted_by_and_says_what_it_is_and_has_a_figure():
    buttons = sort_buttons(compare_table([FULL]))
    assert set(FULL.figures) - {"ahead-error", "divergence-held-out"} == set(buttons)
    assert all(props["aria-label"].startswith("Sort by ") for props in buttons.values())


def test_pressing_a_header_puts_the_best_first_and_again_turns_it_round():
    fresh = sort_buttons(compare_table([FULL]))
    assert fresh["divergence-training"]["data-descending"] == "true"
    assert fresh["p"]["data-descending"] == "false"
    again = sort_buttons(compare_table([FULL], "divergence-training", descending=True))
    assert again["divergence-training"]["data-descending"] == "false"


def test_figures_that_no_check_has_seen_are_marked():
    marks = [
        props.get("className")
        for props in parts(compare_table([FULL, replace(FULL, is_checked=False)]))
    ]
    assert marks.count("is-live") == 1


def test_a_check_under_way_tells_how_far_it_is_then_its_p_value_so_far():
    waiting = row(checked_share=0.3)
    assert "30 %" in texts(compare_table([waiting]))
    assert "0.050 …" in texts(compare_table([replace(waiting, figures={"p": 0.05})]))


def test_two_runs_have_an_angle_and_rows_to_mark_and_to_morph():
    tree = pair_view(ALIKE, MOVERS, PAIR, can_morph=True)
    marks = [props for props in parts(tree) if "data-mark" in props]
    assert [(mark["data-mark"], mark["aria-label"]) for mark in marks] == [
        ("7", "Mark row 7"),
        ("3", "Mark row 3"),
    ]
    assert {"PCA and LDA", "30° apart.", "Morph"} <= set(texts(tree))
    assert any("by up to 1.2 standard deviations" in text for text in texts(tree))


def test_between_two_pictures_of_one_plane_no_row_is_said_to_move():
    shown = texts(pair_view(ALIKE, [Mover(7, "a", 1e-9)], PAIR, can_morph=True))
    assert "No row moves: the two runs have the same plane." in shown


def test_what_has_no_plane_has_no_angle_and_no_morph():
    shown = texts(pair_view(CURVED, "Of other shapes.", PAIR, can_morph=False))
    assert {"Of other shapes.", CURVED.notes[0]} <= set(shown)
    assert not [text for text in shown if "°" in text or text in ("Morph", "Save as CSV")]


def test_the_sentence_above_the_list_names_who_is_level_and_who_is_behind():
    best, level = beside("LDA", 0.0, 0.0, 0.99), beside("MELM", -0.01, 0.01, 0.98)
    rows = [FULL, best, level, row(title="t-SNE")]
    assert "LDA and MELM are level; PCA is behind." in texts(run_list(rows))
    shown = texts(compare_table(rows))
    assert [text for text in ("best", "level", "−4 ± 1 %") if text in shown] == [
        "best",
        "level",
        "−4 ± 1 %",
    ]
    assert not any("level" in text for text in texts(run_list([row()])))


def test_runs_are_named_by_their_methods_where_these_differ():
    rows = [beside("MELM, γ 2", 0.0, 0.0, 0.99), beside("LDA", 0.0, 0.01, 0.98)]
    assert "MELM and LDA are level in the same folds." in texts(run_list(rows))
    rows = [*rows, beside("MELM, γ 5", -0.2, 0.01, 0.79)]
    assert "MELM, γ 2 and LDA are level; MELM, γ 5 is behind." in texts(run_list(rows))


def test_a_run_of_the_larger_share_is_never_said_to_be_behind():
    """Though the mean of its folds is lower: differences are those of the shares."""
    rows = [row(title="LDA", figures={}), row(title="MELM", figures={})]
    for folds, sentence in (
        ((0.7, 1.0, 0.99, 0.98), "LDA and MELM are level in the same folds."),
        ((0.95, 0.94, 0.95, 0.94), "MELM tells most held-out rows apart; LDA is behind."),
    ):
        lower = RefitsReport(share=0.97, fold_shares=(0.98, 0.97, 0.98, 0.97), folds=bytes(10))
        higher = RefitsReport(share=0.99, fold_shares=folds, folds=bytes(10))
        assert sentence in texts(run_list(beside_the_best(rows, [lower, higher])))


def test_the_list_has_a_share_with_its_error_and_says_when_folds_are_not_done():
    known = {"accuracy-held-out": 0.97, "accuracy-error": 0.012}
    done, running = row(figures=known), replace(row(figures=known), is_checked=False)
    assert "97 ± 1 %" in texts(run_list([done]))
    assert "97 ± 1 % so far" in texts(run_list([running]))
    assert "–" in texts(run_list([row(figures={})]))
