"""Values are computed once for all who ask, and only what is known for good is kept."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from melm_studio.planes.kept_values import kept


class Values:
    """Answers what it is told to, and counts how often it was asked for each."""

    def __init__(self, *answers: int | type[Exception] | None) -> None:
        self.answers = list(answers)
        self.began, self.may_end = Event(), Event()
        self.may_end.set()

    @kept(10, lambda _, name: name.lower(), lambda value: value)
    def of(self, name: str) -> int | None:
        """Return the next answer, once it may."""
        self.began.set()
        assert self.may_end.wait(10), name
        answer = self.answers.pop(0)
        if isinstance(answer, type):
            raise answer
        return answer


def test_equal_keys_share_a_value_of_one_object():
    one, other = Values(4), Values(5)
    assert (one.of("a"), one.of("A"), other.of("a")) == (4, 4, 5)


def test_the_sizes_of_what_is_kept_add_up_to_the_most_at_most():
    values = Values(4, 5, 3, 6)
    assert [values.of(name) for name in ("a", "b", "a", "c", "a", "b")] == [4, 5, 4, 3, 4, 6]


def test_neither_none_nor_an_error_is_kept():
    values = Values(None, ValueError, 7)
    assert values.of("a") is None
    with pytest.raises(ValueError):  # noqa: PT011 - it has no words
        values.of("a")
    assert (values.of("a"), values.of("a")) == (7, 7)


def test_who_asks_for_a_value_that_is_being_computed_waits_for_it():
    values = Values(7)
    values.may_end.clear()
    found: list[int | None] = []
    askers = [Thread(target=lambda: found.append(values.of("a"))) for _ in range(3)]
    for asker in askers:
        asker.start()
    assert values.began.wait(10)
    values.may_end.set()
    for asker in askers:
        asker.join(10)
    assert found == [7, 7, 7]
