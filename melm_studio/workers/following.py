"""Runs that follow a run by themselves: its refits, and the shuffles for their p-value."""

from __future__ import annotations

import logging
from math import inf

from msgspec.structs import replace

from melm_core.methods import METHODS, STARTS
from melm_studio.analyses.check import CHECK, N_PERMUTATIONS
from melm_studio.analyses.refits import REFITS_OF_RUN
from melm_studio.analyses.shuffles import MOST_PERMUTED_ROWS, shuffles_of_each
from melm_studio.configuration.limits import LimitReachedError
from melm_studio.runs.execution.stored_report import ReportUnreadableError
from melm_studio.runs.records.refits_report import REFITS
from melm_studio.runs.records.run import FIT, RunRecord, RunState, new_analysis
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import LabeledData, readings

logger = logging.getLogger(__name__)

# Folds and shuffles of the permutation test: it refits without each of three folds.
_MOST_FOLDS, _FOLDS_OF_A_SHUFFLE = 10, 3


def follow(store: RunStore, ended: RunRecord, cpu_s: float, most_s: float) -> None:
    """Queue what follows a run that ended, where it is likely to take at most `most_s` of CPU.

    Runs that nobody looks at are not followed. Where the plane holds rows out there are no refits
    to draw, as the picture shows unseen places already: only shuffles follow.

    Parameters
    ----------
    store : RunStore
    ended : RunRecord
        As it is stored now.
    cpu_s : float
        Seconds of CPU that it took. Those of a clock would grow with what others run, and with a
        pause, and nothing would follow.
    most_s : float
        Seconds of CPU; 0 for nothing.
    """
    if ended.state is not RunState.DONE or not ended.from_page or most_s <= 0.0:
        return
    next_kind = _next_kind(store, ended, cpu_s, most_s)
    fit = ended if ended.kind == FIT else store.get(ended.of_run)
    if next_kind is None or fit is None or fit.removed_s is not None:
        return
    if any(run.of_run == fit.run_id and run.kind == next_kind for run in store.runs_of(fit.owner)):
        return
    try:
        store.create(replace(new_analysis(fit, next_kind), from_page=True))
    except LimitReachedError as error:
        logger.info("nothing follows: %s", error, extra={"run": fit.run_id})


def _next_kind(store: RunStore, ended: RunRecord, cpu_s: float, most_s: float) -> str | None:
    if ended.kind == FIT:
        return _after_fit(store, ended, cpu_s, most_s)
    if ended.kind != REFITS:
        return None
    try:
        report = REFITS_OF_RUN.stored(store, ended.run_id)
    except ReportUnreadableError:
        return None
    if report.share is None or report.bound is not None:
        return None  # where the answer is no already, shuffles would say the same
    return CHECK.name if _shuffles_s(store, ended, report.fit_s) <= most_s else None


def _after_fit(store: RunStore, fit: RunRecord, cpu_s: float, most_s: float) -> str | None:
    if fit.n_classes == 1 or METHODS[fit.method].keeps_embedding or fit.is_of_sample:
        return None
    folds_s = cpu_s * _MOST_FOLDS
    if fit.parameters.held_out == 0.0:
        return REFITS if folds_s <= most_s else None
    is_quick = folds_s <= most_s and folds_s + _shuffles_s(store, fit, cpu_s) <= most_s
    return CHECK.name if is_quick else None


def _shuffles_s(store: RunStore, ended: RunRecord, fit_s: float) -> float:
    """Estimate the seconds of CPU of shuffles, of every reading of the rows.

    A shuffle has one start. Each reading also has folds of its own, but one that asks the same as
    another.

    Parameters
    ----------
    store : RunStore
    ended : RunRecord
        Of the run, or of an analysis of it.
    fit_s : float
        Seconds of CPU of a fit with all its starts.
    """
    raw = store.get_file(ended.owner, FileKind.DATA, ended.data_id)
    if raw is None:
        return inf
    data = LabeledData.from_bytes(raw)
    ways = readings(data)
    n_starts = ended.parameters.n_init if METHODS[ended.method].takes(STARTS.name) else 1
    a_shuffle_s = fit_s * min(1.0, MOST_PERMUTED_ROWS / len(data.y)) / max(1, n_starts)
    n_tests = 1 + len(ways)
    n_shuffles = n_tests * (1 + shuffles_of_each(N_PERMUTATIONS, n_tests))
    n_refits = _MOST_FOLDS * len({way.question.id for way in ways})
    return n_shuffles * _FOLDS_OF_A_SHUFFLE * a_shuffle_s + n_refits * fit_s
