"""The help says what the page shows, and its tour stops at what there is."""

from __future__ import annotations

import re

from melm_studio.layout.first_page import first_page, welcome_model
from melm_studio.layout.help import TOUR, WORDS, help_view
from melm_studio.layout.page import page
from melm_studio.layout.panel import panel_model
from tests.melm_studio.layout.trees import parts, texts


def test_the_tour_stops_at_elements_of_the_page():
    shown = list(parts(page(), first_page(None), panel_model(), welcome_model()))
    known = {f"#{props.get('id')}" for props in shown}
    known |= {f".{name}" for props in shown for name in str(props.get("className")).split()}
    assert len(TOUR) == 3
    for section, element, _ in TOUR:
        named = re.findall(r"[#.](?!is-)[\w-]+", element)  # but states, which a script adds
        assert named
        assert known.issuperset(named)
        assert section in ("table", "")


def test_every_word_is_explained_once_in_alphabetical_order():
    shown = texts(help_view())
    assert list(WORDS) == sorted(WORDS, key=str.lower)
    for word, meaning in WORDS.items():
        assert shown.count(word) == 1
        assert meaning in shown
        assert meaning.endswith(".")
