"""Progress of `melm-studio run`, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Self

from tqdm import tqdm

from melm_core.methods import METHODS
from melm_studio.programs.run_files import MethodResult

STEPS = 3  # of a method: its plane, its folds, its check and files


class Progress:
    """A bar over the methods, and a line for each method that is done.

    Parameters
    ----------
    methods : sequence of str
    is_shown : bool
    """

    def __init__(self, methods: Sequence[str], *, is_shown: bool) -> None:
        self._bar = tqdm(total=STEPS * len(methods), disable=not is_shown, leave=False)
        self._width = max(len(METHODS[method].label) for method in methods)
        self._n_done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def begin(self, method: str) -> None:
        """The plane of a method is sought."""
        self._step(method, "plane", 0)

    def fitted(self, method: str) -> None:
        """The plane is found; its folds are next."""
        self._step(method, "folds", 1)

    def scored(self, method: str) -> None:
        """The folds are done; the check, if asked for, is next."""
        self._step(method, "check", 2)

    def end(self, method: str, found: MethodResult) -> None:
        """The method is done."""
        self._line(method, found.sentence)

    def refused(self, method: str, reason: str) -> None:
        """The method cannot be fitted to the table."""
        self._line(method, reason)

    def _step(self, method: str, doing: str, step: int) -> None:
        self._bar.set_description(f"{METHODS[method].label}: {doing}", refresh=False)
        self._bar.n = STEPS * self._n_done + step
        self._bar.refresh()

    def _line(self, method: str, words: str) -> None:
        self._n_done += 1
        if not self._bar.disable:
            self._bar.clear()
            print(f"{METHODS[method].label:{self._width}}  {words}", file=sys.stderr)
        self._step(method, "done", 0)
