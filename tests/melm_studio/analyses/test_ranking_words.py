"""The order of all methods, with ties called ties."""

from __future__ import annotations

from melm_studio.analyses.ranking_words import ranked, ranking_sentence, refusals
from melm_studio.runs.records.ranking_report import RankedMethod, RankingReport

REPORT = RankingReport(
    methods=(
        RankedMethod("pca", (0.5, 0.6, 0.5, 0.6, 0.5), 0.7, 1.0),
        RankedMethod("lda", (0.9, 1.0, 0.9, 1.0, 0.9), 1.0, 1.0),
        RankedMethod("kfd", (1.0, 0.9, 0.9, 0.9, 0.9), 1.0, 1.0),
        RankedMethod("nca", refusal="Took longer than 120 s."),
    ),
    n_methods=5,
    n_classes=2,
    current="gem",
)


def test_the_best_is_first_and_ties_are_called_ties():
    rows = ranked(REPORT)
    assert [row.label for row in rows] == ["LDA", "Kernel Fisher", "PCA"]
    assert [row.is_tied for row in rows] == [True, True, False]


def test_the_sentence_names_the_first_chance_and_ties():
    assert ranking_sentence(REPORT) == (
        "LDA tells most held-out rows apart in cross-validation: 94 %; guessing gives 50 %. "
        "It is tied with 1 other method."
    )
    assert ranking_sentence(RankingReport()) == ""


def test_methods_that_were_not_scored_say_why():
    assert refusals(REPORT) == ["NCA: Took longer than 120 s."]
