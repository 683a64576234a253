"""What follows a run by itself: its refits, and the shuffles that say if they may be luck."""

from __future__ import annotations

import logging

from msgspec.structs import replace

from melm_core.methods import METHODS, STARTS
from melm_studio.analyses.check import CHECK, N_PERMUTATIONS
from melm_studio.analyses.refits import REFITS_OF_RUN
from melm_studio.analyses.shuffles import MOST_PERMUTED_ROWS
from melm_studio.configuration.limits import LimitReachedError
from melm_studio.runs.execution.stored_report import ReportUnreadableError
from melm_studio.runs.records.refits_report import REFITS, RefitsReport
from melm_studio.runs.records.run import FIT, RunRecord, RunState, new_analysis
from melm_studio.runs.store.protocol import RunStore

logger = logging.getLogger(__name__)

# Folds and shuffles of the permutation test: it refits without each of three folds.
_MOST_FOLDS, _FOLDS_OF_A_SHUFFLE = 10, 3


def follow(store: RunStore, ended: RunRecord, most_s: float) -> None:
    """Queue what follows a run that ended, where it is likely to take at most `most_s` of CPU.

    Runs that nobody looks at are not followed, nor those whose plane holds rows out: their picture
    shows unseen places already.

    Parameters
    ----------
    store : RunStore
    ended : RunRecord
        As it is stored now.
    most_s : float
        Seconds; 0 for nothing.
    """
    if ended.state is not RunState.DONE or not ended.from_page or most_s <= 0.0:
        return
    next_kind = _next_kind(store, ended, most_s)
    fit = ended if ended.kind == FIT else store.get(ended.of_run)
    if next_kind is None or fit is None or fit.removed_s is not None:
        return
    if any(run.of_run == fit.run_id and run.kind == next_kind for run in store.runs_of(fit.owner)):
        return
    try:
        store.create(replace(new_analysis(fit, next_kind), from_page=True))
    except LimitReachedError as error:
        logger.info("nothing follows: %s", error, extra={"run": fit.run_id})


def _next_kind(store: RunStore, ended: RunRecord, most_s: float) -> str | None:
    if ended.kind == FIT:
        return REFITS if _has_refits(ended) and _fit_s(ended) * _MOST_FOLDS <= most_s else None
    if ended.kind != REFITS:
        return None
    try:
        report = REFITS_OF_RUN.stored(store, ended.run_id)
    except ReportUnreadableError:
        return None
    if report.share is None or report.bound is not None:
        return None  # where the answer is no already, shuffles would say the same
    return CHECK.name if _shuffles_s(ended, report) <= most_s else None


def _has_refits(fit: RunRecord) -> bool:
    method = METHODS[fit.method]
    has_folds = fit.parameters.held_out == 0.0 and fit.n_classes != 1
    return has_folds and not method.keeps_embedding and not fit.is_of_sample


def _fit_s(fit: RunRecord) -> float:
    """Seconds that a run took, of which its fit is at least as fast."""
    return (fit.finished_s or 0.0) - (fit.started_s or fit.finished_s or 0.0)


def _shuffles_s(ended: RunRecord, report: RefitsReport) -> float:
    """Seconds of CPU that shuffles are likely to take, each with one start."""
    n_rows = max(1, len(report.fold_of_rows))
    n_starts = ended.parameters.n_init if METHODS[ended.method].takes(STARTS.name) else 1
    share = min(1.0, MOST_PERMUTED_ROWS / n_rows)
    return report.fit_s * share * N_PERMUTATIONS * _FOLDS_OF_A_SHUFFLE / max(1, n_starts)
