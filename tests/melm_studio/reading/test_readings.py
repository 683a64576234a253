"""Files are read beside the threads that ask for them, fairly, and none for nobody."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from melm_studio.reading import readings as module
from melm_studio.reading.readings import (
    MOST_PATIENT,
    MOST_WAITING_OF_VISITOR,
    Asker,
    Readings,
    ReadingsHere,
    StillReadingError,
    current_reading,
)

DEADLINE_S = 30.0
LONG_S = 600.0


class EndedError(Exception):
    """A file was ended while it was read."""


class Files:
    """Files that are read until somebody says so, or ends it."""

    def __init__(self, **options: float) -> None:
        self.readings = Readings(**{"patience_s": 0.0, "first_s": LONG_S, **options})
        self.begun: list[str] = []
        self.ended: list[str] = []
        self._is_done: dict[str, threading.Event] = {}

    def ask(self, name: str, visitor: str = "", network: str = "") -> str:
        self._is_done.setdefault(name, threading.Event())
        asker = Asker(visitor or name, network or name)
        return self.readings.result(name, asker, lambda: self._read(name))

    def put(self, name: str, visitor: str = "", network: str = "") -> None:
        with suppress(StillReadingError):
            self.ask(name, visitor, network)

    def finish(self, name: str) -> None:
        self._is_done[name].set()

    def finish_soon(self, name: str) -> None:
        """Once it is read, which is after it was asked for."""
        self._is_done[name] = threading.Event()
        threading.Thread(
            target=lambda: (until(lambda: name in self.begun), self.finish(name)), daemon=True
        ).start()

    def _read(self, name: str) -> str:
        self.begun.append(name)
        end = threading.Event()
        current_reading().ends_by(end.set)
        while not self._is_done[name].wait(0.001):
            if end.is_set():
                self.ended.append(name)
                raise EndedError
        return name.upper()


@pytest.fixture
def files():
    return Files()


def until(condition: Callable[[], object]) -> None:
    ends_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < ends_s
        time.sleep(0.001)


def test_who_asks_does_not_wait_and_gets_it_when_it_is_there(files):
    with pytest.raises(StillReadingError, match="The file is being read"):
        files.ask("a")
    with pytest.raises(StillReadingError):
        files.ask("a")
    files.finish("a")
    until(lambda: is_done(files, "a"))
    assert files.ask("a") == "A"
    assert files.ask("a") == "A"  # as the same request may
    assert files.begun == ["a"]


def test_a_first_request_waits_for_the_processes_that_read_and_no_other():
    files = Files(starting_s=DEADLINE_S)
    files.finish_soon("a")
    assert files.ask("a") == "A"
    with pytest.raises(StillReadingError):
        files.ask("b")


@pytest.mark.fault
def test_a_request_waits_in_its_thread_unless_others_do_or_one_of_its_visitor():
    files = Files(patience_s=DEADLINE_S)
    found: list[str] = []
    names = [f"{number}" for number in range(MOST_PATIENT)]
    threads = [
        threading.Thread(target=lambda name=name: found.append(files.ask(name))) for name in names
    ]
    for number, thread in enumerate(threads, 1):
        thread.start()
        until(lambda number=number: len(files.readings._patient) == number)  # noqa: SLF001
        with pytest.raises(StillReadingError):
            files.ask("another file", visitor="0")
    with pytest.raises(StillReadingError):
        files.ask("of another")
    for name, thread in zip(names, threads, strict=True):
        files.finish(name)
        thread.join(DEADLINE_S)
    assert sorted(found) == names


def test_a_visitor_with_many_files_leaves_a_place_to_others(files):
    for number in range(8):
        files.put(f"hostile {number}", "hostile", "here")
    files.put("honest", "other", "here")
    until(lambda: len(files.begun) == 2)
    assert files.begun == ["hostile 0", "honest"]


def test_the_next_is_of_the_network_with_the_fewest_then_of_who_was_served_longest_ago(files):
    files.put("a", "first", "full")
    files.put("b", "second", "full")
    until(lambda: len(files.begun) == 2)
    files.put("c", "first", "full")
    files.put("d", "third", "full")
    files.put("e", "fourth", "elsewhere")
    for name, following in (("b", "e"), ("a", "d"), ("d", "c")):
        files.finish(name)
        until(lambda following=following: files.begun[-1] == following)


def test_what_takes_long_leaves_its_place_and_goes_on(files):
    for name in "ab":
        files.put(name)
    until(lambda: len(files.begun) == 2)
    files.readings._first_s = 0.0  # noqa: SLF001 - they have had their time
    files.put("c")
    until(lambda: files.begun[2:] == ["c"])
    assert not files.ended
    files.finish("a")
    until(lambda: is_done(files, "a"))
    assert files.ask("a") == "A"


def test_where_others_take_long_too_it_begins_anew_after_them(files):
    for name in "ab":
        files.put(name)
    until(lambda: len(files.begun) == 2)
    files.readings._first_s = 0.0  # noqa: SLF001
    files.put("c")
    files.put("d")
    until(lambda: "d" in files.begun)
    assert files.ended == ["b"]
    assert files.begun == ["a", "b", "c", "d"]
    with pytest.raises(StillReadingError, match="after another one"):
        files.ask("b")
    files.finish("a")
    until(lambda: files.begun[-1] == "b")


def is_done(files: Files, name: str) -> bool:
    return files.readings._readings[name].done.is_set()  # noqa: SLF001


@pytest.mark.fault
def test_what_nobody_asks_for_is_not_begun_or_is_ended(files, monkeypatch):
    for name in "abc":
        files.put(name)
    until(lambda: len(files.begun) == 2)
    monkeypatch.setattr(module, "GONE_AFTER_S", -1.0)
    until(lambda: sorted(files.ended) == ["a", "b"])
    until(lambda: not files.readings._readings)  # noqa: SLF001
    assert files.begun == ["a", "b"]


def test_an_error_is_told_once_and_the_file_is_read_anew(files):
    def fail() -> str:
        raise EndedError

    with pytest.raises((EndedError, StillReadingError)) as told:
        files.readings.result("a", Asker(), fail)
    if told.type is StillReadingError:
        until(lambda: is_done(files, "a"))
        with pytest.raises(EndedError):
            files.readings.result("a", Asker(), fail)
    files.put("a")
    until(lambda: files.begun == ["a"])


def test_a_visitor_has_a_bounded_number_of_files_waiting(files):
    for number in range(MOST_WAITING_OF_VISITOR + 1):
        files.put(f"{number}", "one")
    with pytest.raises(StillReadingError, match="Too many files") as told:
        files.ask("one more", "one")
    assert not told.value.is_waiting
    files.put("of another")
    until(lambda: files.begun == ["0", "of another"])


@pytest.fixture
def made(files):
    """What is made of file a, in readings of its own; the first is not collected yet."""
    preparations = Readings(patience_s=0.0, first_s=LONG_S, most_kept=0)

    def make() -> str:
        return preparations.result("m", Asker("one"), lambda: f"made of {files.ask('a')}")

    with pytest.raises(StillReadingError):
        make()
    until(lambda: files.begun)
    return preparations, make


def test_what_is_made_of_a_file_waits_for_it_in_its_own_thread_and_says_what_for(files, made):
    preparations, make = made
    reading = preparations._readings["m"]  # noqa: SLF001
    until(lambda: reading.words)
    reading.words = lambda: "The file will be read after 7 others."
    with pytest.raises(StillReadingError, match="after 7 others"):
        make()
    files.finish("a")
    until(lambda: is_done(files, "a") and reading.done.is_set())
    assert make() == "made of A"


@pytest.mark.fault
def test_what_nobody_asks_to_be_made_asks_for_no_file_either(files, made, monkeypatch):
    preparations, _ = made
    monkeypatch.setattr(module, "GONE_AFTER_S", -1.0)
    until(lambda: files.ended == ["a"])
    until(lambda: not preparations._readings)  # noqa: SLF001


def test_what_changes_something_is_made_anew_whenever_it_is_asked_for():
    preparations, made = Readings(patience_s=DEADLINE_S, most_kept=0), list[int]()
    for _ in range(2):
        preparations.result("m", Asker("one"), lambda: made.append(1))
    assert len(made) == 2


def test_a_command_reads_at_once():
    assert ReadingsHere().result("a", Asker(), lambda: "read") == "read"
