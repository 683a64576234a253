"""The sentences on how well a plane tells classes apart, and that they are written in one place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from melm_core.answers import Answer
from melm_core.base import p_value_text, percent
from melm_studio.runs.records.check_report import CheckReport, Without
from melm_studio.runs.records.refits_report import RefitsReport
from melm_studio.scores import (
    CheckProgress,
    PermutationP,
    Rows,
    Verdict,
    accuracy_text,
    better_note,
    check_sentence,
    check_verdict,
    folds_sentence,
    permutation_p,
    plane_verdict,
    refits_sentence,
    trade_off_sentence,
)

GOOD = Verdict(
    answer=Answer.YES,
    rows=Rows.HELD_OUT,
    share=0.981,
    n_classes=2,
    share_train=0.99,
    standard_error=0.01,
    units=(12, 14),
    class_counts={"a": 48, "b": 56},
)
CHECKED = CheckReport(
    scores={"KDE": (1.0, 0.98, 0.01)},
    overlap=((0.0,) * 3,) * 3,
    p_value=0.005,
    n_permutations=199,
    answer="yes",
)
TOLD_APART = (
    "Yes. 98 ± 1 % of held-out rows are told apart in cross-validation; guessing gives 33 %"
)

ROOT = Path(__file__).parents[2]
# Of a plane on the page; of what the library says, too; of the numbers in both.
WRITERS = {
    ROOT / "melm_studio" / "scores.py",
    ROOT / "melm_core" / "answers.py",
    ROOT / "melm_core" / "base" / "share_text.py",
}
SOURCES = [
    path
    for room in ("melm_core", "melm_studio", "callbacks", "assets/studio")
    for path in (ROOT / room).rglob("*")
    if path.suffix in {".py", ".mjs"} and path not in WRITERS
]
# With {} in place of what is computed.
COMPOSED = re.compile(
    r"of (the )?(same )?(held-out|training) rows (are told|,)|them are told apart|guessing:? \{\}"
    r"|guessing gives \{\}|shuffles (came|did)|told apart \(|Overfit|p [=<] \{\}|\{\} nats"
    r"|No better than guessing"
)
# Without one of these words a module has none of them; few of hundreds are worth parsing.
SUSPECT = re.compile(r"held-out|training|told|guessing|shuffles|Overfit|p [=<] \$?\{|\} nats")


def strings(path: Path) -> Iterator[str]:
    """The texts of a source, without its comments and docstrings."""
    source = path.read_text()
    if not SUSPECT.search(source):
        return
    if path.suffix == ".mjs":
        code = re.sub(r"/\*.*?\*/|^\s*//.*?$", "", source, flags=re.DOTALL | re.MULTILINE)
        yield re.sub(r"\$\{[^}]*\}", "{}", code)
        return
    tree = ast.parse(source)
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in statements
        ):
            yield re.sub(r"\{\w*\}", "{}", node.value)


def test_the_held_out_share_leads_and_chance_is_named():
    assert GOOD.lead == "98 % of held-out rows are told apart"
    assert GOOD.qualifiers == "guessing: 50 %, training rows: 99 %"
    assert GOOD.notes == ()
    assert (GOOD.n, GOOD.chance) == (26, 0.5)


def test_what_narrow_panels_leave_out_is_a_field():
    assert (GOOD.strip.follow, GOOD.strip.more) == ("guessing: 50 %", ", training rows: 99 %")


def test_a_share_is_100_percent_only_if_it_is_all():
    share = 399 / 400
    assert plane_verdict(share, share, 3).sentence == (
        "Over 99 % of held-out rows are told apart (guessing: 33 %, training rows: over 99 %)."
    )


@pytest.mark.parametrize(
    ("answer", "can_bend", "is_offered"),
    [
        (Answer.NO, True, True),
        (Answer.PARTLY, True, True),
        (Answer.NO, False, False),
        (Answer.YES, True, False),
    ],
)
def test_curves_are_offered_where_straight_features_tell_not_all_apart(
    answer, can_bend, is_offered
):
    assert replace(GOOD, answer=answer, can_bend=can_bend).strip.offers_curves is is_offered


def test_an_overfit_is_called_by_its_name():
    noise = replace(GOOD, answer=Answer.NO, share=0.52, share_train=1.0, standard_error=0.1)
    assert noise.lead == "No better than guessing: 52 % of held-out rows"
    assert noise.notes == (
        "Overfit: 100 % of the training rows are told apart, 52 % of the held-out rows.",
    )
    assert noise.strip.tooltip == noise.notes[0]


@pytest.mark.parametrize(
    ("units", "has_groups", "note"),
    [
        ((7, 8), False, "Only 7 held-out rows of a: the share is rough."),
        ((1, 14), False, "Only 1 held-out row of a: the share is rough."),
        ((12, 3), True, "Only 3 held-out groups of b: the share is rough."),
    ],
)
def test_few_held_out_rows_are_said(units, has_groups, note):
    assert note in replace(GOOD, units=units, has_groups=has_groups).notes


def test_a_rare_class_is_said():
    rare = replace(GOOD, class_counts={"a": 990, "b": 10})
    assert rare.notes == ("Only 10 of 1,000 rows are b. Each class counts equally in the shares.",)
    assert replace(GOOD, class_counts={str(code): 10 for code in range(40)}).notes == ()


def test_what_classes_are_compared_within_is_said_wherever_folds_are():
    words = "Within each patient, 98 ± 1 % of held-out rows are told apart in cross-validation"
    assert check_sentence(replace(CHECKED, within="patient")).startswith(f"Yes. {words}; guessing")
    refits = RefitsReport(
        share=0.98, standard_error=0.01, overlap=CHECKED.overlap, within="patient"
    )
    assert refits_sentence(refits).startswith(f"{words}; guessing")
    assert folds_sentence(0.98, 2, "patient").startswith("Within each patient, 98 % of held-out")


def test_what_a_share_was_chosen_from_is_said():
    chosen = replace(GOOD, n_choices=13, choices="methods")
    assert chosen.notes == ("Chosen among 13 methods: the share is too favorable.",)


def test_only_a_clearly_better_run_is_pointed_out():
    assert better_note(0.8, 0.03, {"LDA": 0.82}) == ""
    assert better_note(0.8, 0.03, {}) == ""
    assert better_note(0.8, 0.03, {"LDA": 0.99}).startswith("LDA tells more apart: 99 %")


def test_without_held_out_rows_the_training_share_leads_and_says_so():
    assert plane_verdict(0.5, None, 2).sentence == (
        "50 % of training rows are told apart (guessing: 50 %; without held-out rows of every "
        "class nothing is known about new rows)."
    )


def test_a_check_gives_the_answer_first_then_share_chance_and_p():
    assert check_sentence(CHECKED) == f"{TOLD_APART}. None of 199 shuffles came close (p = 0.005)."


def test_noise_is_answered_with_no():
    noise = replace(CHECKED, answer="no", p_value=0.45, n_permutations=19, n_exceeding=8)
    words = check_sentence(noise)
    assert words.startswith("No. ")
    assert words.endswith("8 of 19 shuffles did as well (p = 0.450).")


def test_before_an_answer_there_are_numbers_alone():
    early = replace(CHECKED, answer="", p_value=0.5, n_permutations=1)
    assert check_sentence(early) == f"{TOLD_APART.removeprefix('Yes. ')}."
    assert check_sentence(CheckReport()) == ""
    assert check_sentence(CheckReport(problem="Wait.")) == "Wait."


def test_a_check_at_work_says_so_far_and_is_spoken_without_its_moving_numbers():
    verdict = check_verdict(CHECKED)
    at_work = CheckProgress("shuffling labels, 20 of 199", 0.2, is_final=False)
    running = replace(verdict, check=at_work).strip
    assert running.lead == TOLD_APART
    assert running.follow.endswith("(p = 0.005). Shuffling labels, 20 of 199.")
    assert running.spoken.endswith(" Shuffling labels.")
    later = check_verdict(replace(CHECKED, p_value=0.01, n_permutations=99))
    assert running.spoken == replace(later, check=at_work).strip.spoken
    done = replace(verdict, check=CheckProgress("done", 1.0, is_final=True)).strip
    assert done.spoken == check_sentence(CHECKED)


@pytest.mark.parametrize("p_value", [1e-12, 0.0004, 0.001, 0.05])
def test_a_p_value_is_never_zero(p_value):
    assert "0.000" not in p_value_text(p_value)


def test_a_p_value_has_bounds_until_it_is_final():
    report = replace(CHECKED, p_value=0.02, lower=0.005, upper=0.4, n_permutations=49)
    assert permutation_p(report, is_final=True).caption == "p = 0.020"
    assert permutation_p(report, is_final=False).caption == (
        "p = 0.020 after 49 shuffles; p will end between 0.005 and 0.400"
    )
    assert PermutationP(0.02, 49).caption == "p = 0.020"


def test_a_trade_off_names_both_ends_and_guessing():
    assert trade_off_sentence((0.0, 4.0), (0.8, 0.7), (0.5, 0.3), 0.3) == (
        "Classes: 80 % told apart at weight 0, 70 % at 4. Batches within a class: 50 % and 30 %, "
        "guessing 30 %."
    )


def test_no_other_module_composes_these_sentences():
    assert len(SOURCES) > 400  # all rooms are looked at
    found = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in SOURCES
        for text in strings(path)
        if (found := COMPOSED.search(text))
    ]
    assert found == []


def test_an_accuracy_and_its_percentage_are_rounded_alike():
    for halves in range(991):
        share = halves / 1_000
        assert float(accuracy_text(share)) == int(percent(share).split()[0]) / 100, share


@pytest.mark.parametrize(
    ("changes", "caution", "answer"),
    [
        ({"without": (Without("grade", 0.51, 0.05),)}, "Only because of grade: 51", "unknown"),
        ({"is_made": True}, "Labels made from the features", "unknown"),
        ({"of_batch": "Perhaps the batch."}, "Perhaps the batch.", "unknown"),
        ({"without": (Without("grade", 0.97, 0.01),)}, "", "yes"),
        ({"without": (Without("grade", 0.51, 0.05),), "answer": Answer.NO}, "", "no"),
    ],
)
def test_the_strongest_caution_stands_beside_the_lead_and_once(changes, caution, answer):
    verdict = replace(GOOD, rows=Rows.FOLDS, answer=Answer.YES)
    strip = replace(verdict, **changes).strip
    assert strip.caution.startswith(caution)
    assert bool(strip.caution) is bool(caution)
    assert strip.answer == answer
    said = replace(verdict, **changes).sentence
    assert not strip.caution or said.count(strip.caution) == 1
    assert not strip.caution or strip.caution not in strip.follow
    assert strip.lead.startswith("Yes. ") is (answer == "yes" or "of_batch" in changes)
