"""The progress of several fits as that of one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from melm_core.base.gamma_path import GammaPath
from melm_core.base.progress import Callback, Progress

# The callback of the fit of a number, counted from 0, and of what to say before its own stage.
Follow: TypeAlias = Callable[[int, str], Callback | None]


class ProgressRelay:
    """Passes the progress of fits that follow each other on to one callback.

    Parameters
    ----------
    callback : callable or None
        Given a `Progress` at every step of every fit; a true return stops.
    n_fits : int
        How many fits there will be.

    Attributes
    ----------
    gamma_path : GammaPath or None
        Passed on with every step.
    """

    gamma_path: GammaPath | None = None

    def __init__(self, callback: Callback | None, n_fits: int) -> None:
        self._callback = callback
        self._n_fits = n_fits
        self._began = time.perf_counter()

    def for_fit(self, number: int, stage: str = "") -> Callback | None:
        """The callback of one fit, counted from 0, and what to say before its own stage."""
        return None if self._callback is None else self._passing_on(self._callback, number, stage)

    def for_choice(self, number: int, stage: str) -> Callback | None:
        """The same for a fit that only serves to choose gamma."""
        if self._callback is None:
            return None
        return self._passing_on(self._callback, number, stage, is_choosing=True)

    def after(self, n_before: int) -> Follow:
        """The same for the fits that come after so many others."""
        return lambda number, stage: self.for_fit(n_before + number, stage)

    def _passing_on(
        self, callback: Callback, number: int, stage: str, *, is_choosing: bool = False
    ) -> Callable[[Progress], bool]:
        def pass_on(progress: Progress) -> bool:
            words = f"{stage}: {progress.stage}" if stage else progress.stage
            step = replace(
                progress,
                stage=words,
                fraction=(number + progress.fraction) / self._n_fits,
                elapsed_s=time.perf_counter() - self._began,
                gamma_path=self.gamma_path,
                is_choosing=is_choosing,
            )
            return bool(callback(step))

        return pass_on
