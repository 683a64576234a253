"""Effects of factors: shares of the variation of a designed experiment, with p-values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from msgspec.structs import replace

from melm_core.base import IntArray, UserError, p_value_text, percent
from melm_core.diagnostics import FactorEffect, FactorEffects
from melm_core.methods import SEED
from melm_studio.analyses import content
from melm_studio.analyses.analysis import (
    CLASSES,
    Analysis,
    DataShape,
    Section,
    Subject,
    Table,
    Work,
    demand,
)
from melm_studio.record import Record
from melm_studio.runs.records.run import RunRecord
from melm_studio.scores import UNKNOWN
from melm_studio.tables import LabeledData, Role, listed, shortened

MOST_FACTORS, MOST_LEVELS = 3, 10

_NOTE = (
    "Type III sums of squares of the prepared features (ANOVA-simultaneous component analysis); p "
    "of 199 permutations{within}. Further factors are columns with the role Batch or Information "
    "and at most {most} values. Shares are of these rows; “Is it real?” judges new ones."
)
_KEPT_TOGETHER = (
    "Rows of one {group} are kept together, and factors are compared within it or between "
    "independent rows. Answer what the table asks: within each {group}."
)


class Effect(Record, frozen=True):
    """See `melm_core.diagnostics.FactorEffect`; p is None where nothing is left to compare."""

    factors: tuple[str, ...]
    share: float
    p_value: float | None

    @property
    def name(self) -> str:
        """In words."""
        return " and ".join(self.factors)

    @property
    def p(self) -> str:
        """The p-value in words."""
        return UNKNOWN if self.p_value is None else p_value_text(self.p_value)


class FactorsReport(Record, frozen=True):
    """Effect of each factor.

    Attributes
    ----------
    within : str
        What rows are compared within; empty if they are independent.
    effects : tuple of Effect
    residual : float
        Share of the variation that is left.
    left_out : tuple of str
        Columns that the design does not tell from the others.
    """

    within: str = ""
    effects: tuple[Effect, ...] = ()
    residual: float = 0.0
    left_out: tuple[str, ...] = ()


class Factors(Analysis[FactorsReport]):
    """Analysis of what each factor changes."""

    report = FactorsReport
    name = "factors"
    title = "What does each factor change?"
    needs = (CLASSES, "within")

    def refusal(self, record: RunRecord, data: Callable[[], LabeledData]) -> str:
        stored = data()
        group = stored.row_column(Role.GROUP)
        if group is None or stored.within is not None:
            return ""
        return _KEPT_TOGETHER.format(group=shortened(group.name))

    def compute(self, work: Work) -> None:
        """Try the factors one after another; those that the design cannot tell are left out."""
        data, seed = work.data, work.record.parameters_without_start[SEED.name]
        subjects = data.groups if data.within is not None else None
        compared = partial(
            FactorEffects.of,
            data.X,
            subjects=subjects,
            random_state=seed,
            callback=lambda *_: work.give_way(),
        )
        factors: dict[str, IntArray] = {}
        report = FactorsReport(within=data.compared_within)
        for name, codes in _candidates(data).items():
            try:
                compared({**factors, name: codes}, n_permutations=1)
            except UserError:
                report = replace(report, left_out=(*report.left_out, name))
            else:
                factors[name] = codes
        if factors:
            comparison = compared(factors)
            effects = tuple(map(_effect, comparison.effects))
            report = replace(report, effects=effects, residual=comparison.residual)
        work.put(report.to_bytes())

    def progress(self, report: FactorsReport) -> tuple[float, str]:
        return float(bool(report.effects)), ""

    def sentence(self, report: FactorsReport, *, is_final: bool) -> str:
        if not report.effects:
            return "No factor could be compared." if is_final else "Comparing the factors."
        first, *others = report.effects
        where = f"Within each {report.within}, " if report.within else ""
        lead = f"{where}{first.name} explains {percent(first.share)} of the variation ({first.p})"
        more = [
            f"{each.name}{' together' if len(each.factors) > 1 else ''} {percent(each.share)}"
            f"{' more' if len(each.factors) > 1 else ''} ({each.p})"
            for each in others
        ]
        return f"{', '.join([lead, *more])}."

    def shown(
        self, report: FactorsReport, subject: Subject, query: Mapping[str, str]
    ) -> dict[str, Any]:
        if not report.effects:
            return {"content": []}
        return {"content": [content.table(_HEAD, _rows(report)), content.notes(_notes(report))]}

    def section(self, report: FactorsReport, subject: Subject) -> Section | None:
        if not report.effects:
            return None
        sentences = (self.sentence(report, is_final=subject.is_final), *_notes(report))
        table = Table("Share of the variation by factor", _HEAD, tuple(map(tuple, _rows(report))))
        return Section("What each factor changes", sentences=sentences, tables=(table,))

    def validate(self, report: FactorsReport, shape: DataShape) -> None:
        shares = [report.residual, *(effect.share for effect in report.effects)]
        demand(all(-1e-9 <= share <= 1.0 + 1e-9 for share in shares))
        demand(all(effect.factors for effect in report.effects))
        demand(all(effect.p_value is None or 0 < effect.p_value <= 1 for effect in report.effects))


FACTORS = Factors()

_HEAD = ("Factor", "Share", "p")


def _candidates(data: LabeledData) -> dict[str, IntArray]:
    """Return the codes of the label, and of further columns of few values."""
    codes = {data.label: data.y}
    for column in data.row_columns:
        if column.role not in (Role.BATCH, Role.INFO) or np.isnan(column.values).any():
            continue
        if 2 <= len(np.unique(column.values)) <= MOST_LEVELS and len(codes) < MOST_FACTORS:
            codes[column.name] = column.codes
    return codes


def _effect(effect: FactorEffect) -> Effect:
    p_value = None if np.isnan(effect.p_value) else effect.p_value
    return Effect(effect.factors, effect.share, p_value)


def _rows(report: FactorsReport) -> Sequence[Sequence[str]]:
    effects = [(effect.name, percent(effect.share), effect.p) for effect in report.effects]
    return [*effects, ("everything else", percent(report.residual), UNKNOWN)]


def _notes(report: FactorsReport) -> list[str]:
    within = f", within each {report.within}" if report.within else ""
    notes = [_NOTE.format(within=within, most=MOST_LEVELS)]
    if report.left_out:
        notes.append(f"Not told apart from the others: {listed(report.left_out)}.")
    return notes
