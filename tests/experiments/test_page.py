from __future__ import annotations

from experiments.page import PAGE, RESULTS, text


def test_the_page_is_what_the_results_say():
    assert PAGE.read_text() == text(RESULTS)
