"""What a visitor sees of data without runs."""

from __future__ import annotations

import pytest

from melm_studio.layout.first_page import question


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        (("Barbera", "Barolo", "Grignolino"), "Can Barbera, Barolo and Grignolino be told apart?"),
        (("yes", "no"), "Can yes and no be told apart?"),
        (
            (*"0123456789", "a rather long name of a class"),
            "Can these 11 classes be told apart?",
        ),
        ((), "Can these classes be told apart?"),
    ],
)
def test_the_question_names_the_classes_if_they_fit(classes, expected):
    assert question(classes) == expected
