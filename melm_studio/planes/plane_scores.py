"""How well a plane on screen tells the classes apart, in the words of the strip."""

from __future__ import annotations

from melm_core.base import percent
from melm_studio.planes.types import Scores

_NO_HELD_OUT = "a class has no held-out row, so nothing is known about new rows"


def scores_in_words(scores: Scores, n_classes: int) -> tuple[str, str]:
    """The sentence that comes first, of held-out rows where there are any, and what qualifies it.

    Parameters
    ----------
    scores : Scores
        Of any plane, also one that no run has found.
    n_classes : int

    Examples
    --------
    >>> scores_in_words(Scores(1.0, 0.984, 8.4), 3)
    ('98 % of held-out rows are told apart', 'guessing: 33 %, training rows: 100 %')
    """
    train, guessing = percent(scores.accuracy_train), percent(1.0 / n_classes)
    if scores.accuracy_held_out is None:
        return f"{train} of training rows are told apart", f"guessing: {guessing}; {_NO_HELD_OUT}"
    lead = f"{percent(scores.accuracy_held_out)} of held-out rows are told apart"
    return lead, f"guessing: {guessing}, training rows: {train}"
