"""Durations: such as 1:25:57, until an event, and those of clocks that run along the file."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from melm_core.base import plain_number, seconds_of
from melm_studio.tables.formatting import number_text, words_of

LEAST_DURATIONS = 6  # different ones
LEAST_CLOCKS = 0.8  # of what is no plain number
LEAST_SHARE = 0.05  # of cells that can be no time of day, among which others may be mistakes
DAY, EVENING, MORNING = 24 * 3600, 18 * 3600, 7 * 3600
LOW, HIGH = 15, 45  # minutes or seconds of many durations lie below and above; scores do not
# What says when, or where in the sky and on the ground.
_OF_CLOCKS = {
    "arrival", "at", "bed", "bedtime", "began", "begin", "beginning", "birth", "clock", "collected",
    "collection", "created", "date", "datetime", "dawn", "dec", "departure", "dusk", "end",
    "ended", "endtime", "h", "hour", "hours", "lat", "latitude", "lon", "longitude", "midnight",
    "noon", "observed", "offset", "onset", "ra", "recorded", "sampled", "sampling", "start",
    "started", "starttime", "stop", "sunrise", "sunset", "timestamp", "tod", "uhr", "uhrzeit",
    "utc", "wake", "when",
}  # fmt: skip
CLOCKS = {"date", "datetime", "time", "timestamp"}
LEAST_TICKS = 50  # of which several events have each: fewer times are those of a design
_OF_DURATIONS = {"duration", "elapsed", "lap", "latency", "pace", "runtime", "sleep", "split"}
_PART = re.compile("[0-9]+")
# Of how long somebody was followed, and of what this ended with or has not yet.
_FOLLOWED = {"days", "dfs", "followup", "fu", "futime", "os", "pfs", "survival", "time"}
_UNTIL = {"death", "event", "follow", "in", "months", "overall", "to", "until", "up", "years"}
_EVENTS = {
    "cens", "censor", "censored", "censoring", "dead", "death", "deceased", "died", "event",
    "fustat", "mortality", "relapse", "relapsed", "status",
}  # fmt: skip
_ENDS = {
    "0", "1", "2", "alive", "censored", "dead", "deceased", "died", "event", "false", "living",
    "no", "true", "yes",
}  # fmt: skip


def says_follow_up(name: str) -> bool:
    """Return whether a name says how long somebody was followed, and nothing else.

    Examples
    --------
    >>> [says_follow_up(name) for name in ("time", "OS_MONTHS", "follow-up", "days")]
    [True, True, True, True]
    >>> says_follow_up("reaction time"), says_follow_up("months")
    (False, False)
    """
    words = {*words_of(name)}
    is_named = not words.isdisjoint(_FOLLOWED) or {"follow", "up"} <= words
    return is_named and words <= _FOLLOWED | _UNTIL


def says_event(name: str, values: Collection[object]) -> bool:
    """Return whether a column says whether something has ended what was followed.

    Examples
    --------
    >>> says_event("cens", [0.0, 1.0]), says_event("OS_STATUS", ["0:LIVING", "1:DECEASED"])
    (True, True)
    >>> says_event("status", ["single", "married"]), says_event("stage", [1.0, 2.0])
    (False, False)
    """
    texts = [number_text(value) if isinstance(value, float) else str(value) for value in values]
    are_ends = all(words and _ENDS.issuperset(words) for words in map(words_of, texts))
    return len(texts) == 2 and are_ends and not _EVENTS.isdisjoint(words_of(name))


def is_clock(name: str) -> bool:
    """Return whether a name says nothing else than that these are times."""
    words = words_of(name)
    return bool(words) and CLOCKS.issuperset(words)


def runs_along(cells: pd.Series) -> bool:
    """Return whether numbers named as a clock's, such as Time of events, never fall in the file.

    Each is later than the one before, unless the clock has many ticks.

    Examples
    --------
    >>> [runs_along(pd.Series(times, name="Time")) for times in ([0.0, 0.5, 0.7], [0.0, 0.0, 24.0])]
    [True, False]
    """
    if not is_clock(str(cells.name)) or cells.dtype.kind != "f":
        return False
    are_apart = cells.is_unique or cells.nunique() >= LEAST_TICKS
    return are_apart and bool(cells.is_monotonic_increasing)


def are_durations(name: str, cells: Sequence[str], *, is_dated: bool) -> bool:
    """Return whether the cells of a column that look like a clock's say how long something lasted.

    Parameters
    ----------
    name : str
    cells : sequence of str
        The different ones, in the order of the file.
    is_dated : bool
        Whether another column has dates, whose times of day may be here.

    Examples
    --------
    >>> swum = ["19:49", "20:12", "17:59", "31:02", "28:44", "25:07"]
    >>> sampled = ["09:49", "10:12", "17:59", "13:02", "08:44", "15:07"]
    >>> [are_durations("swim", cells, is_dated=False) for cells in (swum, sampled)]
    [True, False]
    """
    clocks = [cell for cell in cells if ":" in cell and seconds_of(cell) >= 0]
    if len(clocks) < LEAST_DURATIONS:  # as of most columns, which are spared the rest
        return False
    words = words_of(name)
    n_texts = sum(math.isnan(plain_number(cell, ".")) for cell in cells)
    if len(clocks) < LEAST_CLOCKS * n_texts or not _OF_CLOCKS.isdisjoint(words) or "of day" in name:
        return False
    parts = [[*map(int, _PART.findall(re.split("[.,][0-9]", clock)[0]))] for clock in clocks]
    below = np.array([[0, *each[1:]][-2:] for each in parts])  # minutes below hours, seconds
    is_spread = (below.min(axis=0) < LOW) & (below.max(axis=0) >= HIGH)
    if not is_spread.any() or len({*map(sum, parts)}) == 1:  # of scores, alleles, shares
        return False
    lasted = np.array([*map(seconds_of, clocks)])
    is_short = np.array([len(each) == 2 for each in parts])  # minutes first, or else hours
    is_fraction = np.array([clock[-3] != ":" for clock in clocks])
    is_no_time = np.where(is_short, is_fraction | (lasted > DAY / 60), lasted > DAY)
    if is_no_time.mean() >= LEAST_SHARE:
        return True
    may_be_of_day = bool(is_short.any() or lasted.max() >= EVENING)
    if may_be_of_day or not _OF_DURATIONS.isdisjoint(words):
        return not may_be_of_day
    is_of_day = is_dated and "time" in words
    is_early, is_log = np.median(lasted) < MORNING, bool((np.diff(lasted) > 0).all())
    return bool(is_early and not is_log and not is_of_day and (below[:, 1] > 0).any())
