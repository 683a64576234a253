"""The help says what the page shows, and its tour stops at what there is."""

from __future__ import annotations

from melm_studio.layout.page import SECTIONS, page
from melm_studio.layout.shell.first_paint import first_page
from melm_studio.layout.shell.help import TOUR, WORDS, help_view
from tests.melm_studio.layout.trees import parts, texts


def test_the_tour_stops_at_elements_of_the_page():
    known = {f"#{props.get('id')}" for props in parts(page(), first_page(None))}
    assert len(TOUR) == 3
    for section, element, _ in TOUR:
        assert element in known
        assert section in SECTIONS


def test_every_word_is_explained_once_in_alphabetical_order():
    shown = texts(help_view())
    assert list(WORDS) == sorted(WORDS, key=str.lower)
    for word, meaning in WORDS.items():
        assert shown.count(word) == 1
        assert meaning in shown
        assert meaning.endswith(".")
