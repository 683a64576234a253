from __future__ import annotations

import numpy as np

from melm_core.evaluation import Separability, separability, verdict
from tests.melm_core.evaluation.honest_examples import blobs


def figures(*rows, classes=("1", "2", "3")) -> Separability:
    """Return the separability of two folds with this confusion of one classifier."""
    confusions = np.array([[rows]] * 2, dtype=float)
    return Separability(confusions, np.array(classes), ("KDE",), 60, 60, ())


IN_SAMPLE = figures([1, 0, 0], [0, 0.9, 0.1], [0, 0.12, 0.88])
HELD_OUT = figures([1, 0, 0], [0, 0.7, 0.3], [0, 0.12, 0.88])


def test_the_sentence_names_the_pair_both_figures_and_the_p_value():
    assert verdict(IN_SAMPLE, HELD_OUT, 0.002) == (
        "2 overlaps 3 most (0.21); held-out balanced accuracy 0.86 against 0.93 in-sample; "
        "p = 0.002."
    )


def test_what_is_not_known_yet_is_left_out():
    assert verdict(IN_SAMPLE) == "2 overlaps 3 most (0.11); in-sample balanced accuracy 0.93."


def test_classes_can_be_called_by_their_names():
    sentence = verdict(IN_SAMPLE, class_names=["Barolo", "Grignolino", "Barbera"])
    assert sentence.startswith("Grignolino overlaps Barbera most (0.11);")


def test_of_two_classes_none_overlaps_most():
    two = figures([0.8, 0.2], [0.3, 0.7], classes=(0, 1))
    assert verdict(two).startswith("0 overlaps 1 (0.25);")


def test_classes_apart_do_not_overlap():
    apart = separability(*blobs(60, 3, distance=20.0))
    assert verdict(apart) == "No two classes overlap; in-sample balanced accuracy 1.00."


def test_a_tiny_p_value_is_not_rounded_to_zero():
    assert verdict(IN_SAMPLE, None, 1e-4).endswith("; p < 0.001.")
    assert verdict(IN_SAMPLE, None, 0.001).endswith("; p = 0.001.")
