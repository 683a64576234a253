"""Readings: files that are read beside the threads of the web server, fairly between visitors.

A request asks for what a file holds. Where that is there within a second it is returned; otherwise
the request is told its place, and is repeated by whoever sent it. So no thread of the web server
waits for long, a reading that nobody asks for any more ends, and one that takes long leaves its
place to others. What is made of files is read so as well, and waits for these.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")

# A request waits so long for a reading, unless as many others do, or one of its visitor.
PATIENCE_S, MOST_PATIENT = 1.0, 2
# So much longer before anything was read: the processes that read are still starting.
STARTING_S = 15.0
# What is made of files waits so long for one of them.
MOST_WAITED_S = 300.0
# Readings that have just begun, and those that have had their first seconds.
MOST_QUICK, MOST_LONG = 2, 1
FIRST_S = 3.0
# Whoever repeats a request does so every second.
GONE_AFTER_S = 8.0
# What was read may be asked for again by the same request.
KEPT_S, MOST_KEPT = 10.0, 2
MOST_WAITING, MOST_WAITING_OF_VISITOR = 64, 8
_LOOK_S = 0.5
_MOST_REMEMBERED = 1_000  # visitors

_BEING_READ = "The file is being read."
_WAITING = "The file will be read after {n} others."
_WAITING_FOR_ONE = "The file will be read after another one."
_TOO_MANY = "Too many files are waiting to be read at the moment. Try again in a minute."

_own = threading.local()


class StillReadingError(Exception):
    """A file has not been read yet; the message is a sentence for the user.

    Attributes
    ----------
    is_waiting : bool
        Whether it will be there once the request is repeated; false where there was no place.
    """

    def __init__(self, words: str = _BEING_READ, *, is_waiting: bool = True) -> None:
        super().__init__(words)
        self.is_waiting = is_waiting


@dataclass(frozen=True)
class Asker:
    """Visitor who asks for a file, and an identifier of their network."""

    visitor: str = ""
    network: str = ""


@dataclass(eq=False)
class Reading:
    """A file that is waiting, is being read, or was read."""

    asker: Asker
    read: Callable[[], Any]
    asked_s: float
    began_s: float | None = None
    ended_s: float | None = None
    is_long: bool = False
    is_collected: bool = False
    n_held: int = 0  # requests that wait for it in their thread
    value: Any = None
    error: BaseException | None = None
    done: threading.Event = field(default_factory=threading.Event)
    _end: Callable[[], None] | None = None
    is_over: bool = False  # it was ended, and its thread is about to notice
    words: Callable[[], str] | None = None  # of the file that it waits for

    @property
    def is_running(self) -> bool:
        return self.began_s is not None and self.ended_s is None

    @property
    def is_waiting(self) -> bool:
        return self.began_s is None

    def ends_by(self, end: Callable[[], None]) -> None:
        """Say how the reading is ended; at once where it should have ended already."""
        self._end = end
        if self.is_over:
            end()

    def end(self) -> None:
        """End the reading, whose thread then fails."""
        self.is_over = True
        if self._end is not None:
            self._end()

    def again(self) -> None:
        """Have it wait once more, among those that take long."""
        self.began_s, self.is_long = None, True
        self.error, self._end, self.is_over, self.words = None, None, False, None


def current_reading() -> Reading | None:
    """Return the reading of this thread; None in others."""
    return getattr(_own, "reading", None)


class Readings:
    """The readings of a studio; thread-safe.

    A visitor has one place of either kind at a time. The next one is of the network with the
    fewest, then of the visitor who was served the longest ago.

    Parameters
    ----------
    patience_s : float
        How long a request waits.
    first_s : float
        After which a reading that others wait for takes a place of those that take long. Where
        these are taken it is ended, and begins anew when one is free.
    most_kept : int
        How many that were collected may be asked for again; none where reading changes something.
    starting_s : float
        How much longer a request waits before anything was read.
    """

    def __init__(
        self,
        *,
        patience_s: float = PATIENCE_S,
        first_s: float = FIRST_S,
        most_kept: int = MOST_KEPT,
        starting_s: float = 0.0,
    ) -> None:
        self._patience_s, self._first_s, self._most_kept = patience_s, first_s, most_kept
        self._starting_s = starting_s  # 0 once something was read
        self._patient = set[str]()
        self._readings: dict[Hashable, Reading] = {}
        self._served: dict[str, float] = {}
        self._lock = threading.Lock()
        self._looks = False

    def result(self, key: Hashable, asker: Asker, read: Callable[[], T]) -> T:
        """Return what is read, in a thread of its own, once for all that ask for the same.

        The thread of another reading, which needs it, waits for minutes.

        Raises
        ------
        StillReadingError
            If it is not done yet, or there is no place for it.
        """
        with self._lock:
            reading = self._asked(key, asker, read)
            reading.n_held += 1
            self._look()
        outer = current_reading()
        try:
            if outer is None:
                with self._patience(asker.visitor) as seconds:
                    reading.done.wait(seconds)
            else:
                self._wait_within(outer, reading)
        finally:
            with self._lock:
                reading.n_held -= 1
                reading.asked_s = time.monotonic()
        if not reading.done.is_set():
            raise StillReadingError(self._words(reading), is_waiting=outer is None)
        reading.is_collected = True
        if reading.error is not None or not self._most_kept:
            with self._lock:
                self._forget(reading)
        if reading.error is not None:
            raise reading.error
        result: T = reading.value
        return result

    def _wait_within(self, outer: Reading, reading: Reading) -> None:
        outer.words = partial(self._words, reading)
        until_s = time.monotonic() + MOST_WAITED_S
        while not reading.done.wait(_LOOK_S):
            if outer.is_over or time.monotonic() > until_s:
                return
        outer.words = None

    @contextmanager
    def _patience(self, visitor: str) -> Generator[float]:
        """Return the seconds that a request may wait in its thread: none if others wait."""
        with self._lock:
            is_patient = visitor not in self._patient and len(self._patient) < MOST_PATIENT
            if is_patient:
                self._patient.add(visitor)
        try:
            yield self._patience_s + self._starting_s if is_patient else 0.0
        finally:
            if is_patient:
                with self._lock:
                    self._patient.remove(visitor)

    def _asked(self, key: Hashable, asker: Asker, read: Callable[[], Any]) -> Reading:
        reading = self._readings.get(key)
        if reading is not None:
            return reading
        waiting = [each.asker for each in self._readings.values() if each.is_waiting]
        of_visitor = sum(each.visitor == asker.visitor for each in waiting)
        if len(waiting) >= MOST_WAITING or of_visitor >= MOST_WAITING_OF_VISITOR:
            raise StillReadingError(_TOO_MANY, is_waiting=False)
        self._readings[key] = Reading(asker, read, time.monotonic())
        if not self._looks:
            self._looks = True
            threading.Thread(target=self._go_on, name="readings", daemon=True).start()
        return self._readings[key]

    def _go_on(self) -> None:
        """Look after the readings for as long as there are any."""
        while True:
            time.sleep(_LOOK_S)
            with self._lock:
                self._look()
                if not self._readings:
                    self._looks = False
                    return

    def _look(self) -> None:
        """End what nobody asks for, make room, and begin what comes next."""
        now = time.monotonic()
        self._leave_out(now)
        self._make_room(now)
        for is_long, most in ((False, MOST_QUICK), (True, MOST_LONG)):
            while (reading := self._next(is_long=is_long)) and self._n(is_long) < most:
                self._begin(reading)

    def _leave_out(self, now: float) -> None:
        for reading in list(self._readings.values()):
            is_gone = not reading.n_held and now - reading.asked_s > GONE_AFTER_S
            if is_gone and reading.is_waiting:
                self._forget(reading)
            elif is_gone and reading.is_running and not reading.is_over:
                reading.end()
        ended = [each for each in self._readings.values() if each.ended_s is not None]
        collected = [each for each in ended if each.is_collected]
        for reading in ended:
            if now - max(reading.ended_s or 0.0, reading.asked_s) > KEPT_S:
                self._forget(reading)
        for reading in collected[: -self._most_kept]:
            self._forget(reading)

    def _make_room(self, now: float) -> None:
        """Let the oldest reading give up its place if its time is over and others wait."""
        running = [each for each in self._readings.values() if each.is_running and not each.is_long]
        if len(running) < MOST_QUICK or self._next(is_long=False) is None:
            return
        oldest = min(running, key=lambda each: each.began_s or now)
        if now - (oldest.began_s or now) < self._first_s or oldest.is_over:
            return
        if self._n(is_long=True) < MOST_LONG:
            oldest.is_long = True
        else:
            oldest.end()

    def _n(self, is_long: bool) -> int:
        return sum(each.is_running and each.is_long == is_long for each in self._readings.values())

    def _next(self, *, is_long: bool) -> Reading | None:
        running = [each for each in self._readings.values() if each.is_running]
        here = {each.asker.visitor for each in running if each.is_long == is_long}
        n_of = Counter(each.asker.network for each in running)
        waiting = [
            each
            for each in self._readings.values()
            if each.is_waiting and each.is_long == is_long and each.asker.visitor not in here
        ]

        def order(reading: Reading) -> tuple[int, float]:
            return n_of[reading.asker.network], self._served.get(reading.asker.visitor, 0.0)

        return min(waiting, key=order, default=None)  # the first of those that are equal

    def _begin(self, reading: Reading) -> None:
        reading.began_s = time.monotonic()
        self._served.pop(reading.asker.visitor, None)
        self._served[reading.asker.visitor] = reading.began_s
        if len(self._served) > _MOST_REMEMBERED:
            del self._served[next(iter(self._served))]
        threading.Thread(target=self._run, args=(reading,), name="reading", daemon=True).start()

    def _run(self, reading: Reading) -> None:
        _own.reading = reading
        try:
            reading.value = reading.read()
        except BaseException as error:  # noqa: BLE001 (raised where it is asked for)
            reading.error = error
        with self._lock:
            if reading.is_over and reading.error is not None:
                reading.again()  # unless nobody asks for it
            else:
                reading.ended_s = time.monotonic()
                reading.done.set()
            self._starting_s = 0.0
            self._look()

    def _forget(self, reading: Reading) -> None:
        for key, each in list(self._readings.items()):
            if each is reading:
                del self._readings[key]

    def _words(self, reading: Reading) -> str:
        words = reading.words
        if words is not None:
            return words()
        with self._lock:
            if not reading.is_waiting:
                return _BEING_READ
            alike = [each for each in self._readings.values() if each.is_long == reading.is_long]
            waiting = [each for each in alike if each.is_waiting]
            n_before = sum(each.is_running for each in alike)
            n_before += waiting.index(reading) if reading in waiting else 0
        return _WAITING_FOR_ONE if n_before <= 1 else _WAITING.format(n=n_before)


class ReadingsHere(Readings):
    """Reads at once, in the thread that asks: of a command, which has no others."""

    def result(self, key: Hashable, asker: Asker, read: Callable[[], T]) -> T:
        """Return what is read."""
        return read()
