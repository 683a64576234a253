"""Answers of the API about the runs of a visitor."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

from melm_core.methods import METHODS
from melm_studio.analyses import ANALYSES
from melm_studio.analyses.check import CHECK
from melm_studio.analyses.ranking import RANKING, ranked, refusals
from melm_studio.analyses.refits import REFITS_OF_RUN
from melm_studio.planes.captions import title
from melm_studio.planes.plane_scores import BatchScores
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.view_options import Shown
from melm_studio.programs.models import (
    AnalysisResult,
    BatchResult,
    Check,
    ComparedMethod,
    Comparison,
    Feature,
    FeatureImportance,
    Plane,
    PreparedTable,
    Refits,
    Region,
    Result,
    Run,
)
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.runs.store.protocol import RunStore
from melm_studio.scores import check_sentence
from melm_studio.tables import LabeledData
from melm_studio.workspace.known_runs import KnownRuns


@dataclass(frozen=True)
class Answers:
    """Answers about runs, from what is known of them.

    Attributes
    ----------
    runs : KnownRuns
    """

    runs: KnownRuns

    @property
    def _store(self) -> RunStore:
        return self.runs.space.store

    @property
    def _renderer(self) -> PlaneRenderer:
        return self.runs.renderer

    def run(self, record: RunRecord) -> Run:
        """Describe a run."""
        store, renderer = self._store, self._renderer
        event = store.last_event(record.run_id)
        began, ended = record.started_s, record.finished_s
        return Run(
            id=record.run_id,
            title=title(record),
            data=record.data_name,
            data_id=record.data_id,
            method=record.method,
            parameters=record.parameters.values,
            state=record.state,
            message=record.message,
            n_planes=store.n_events(record.run_id),
            divergence=None if event is None else renderer.divergence(Shown.of(record, event)),
            seconds=None if began is None or ended is None else ended - began,
        )

    def result(self, record: RunRecord, event: PlaneEvent) -> Result:
        """Return a plane, and the separation of the classes there."""
        renderer = self._renderer
        shown, data = Shown.of(record, event), renderer.planes.data(record)
        scores = renderer.scores(shown)
        return Result(
            run=self.run(record),
            is_linear=METHODS[record.method].is_linear,
            components=_rows(event),
            features=data.feature_names,
            accuracy_train=scores.accuracy_train,
            accuracy_held_out=scores.accuracy_held_out,
            chance=1.0 / len(data.class_names),
            words=self.runs.verdict(shown).sentence,
            batches=_batches(scores.batches),
            regions=tuple(
                Region(data.class_names[each.code], each.share, each.training, each.held_out)
                for each in renderer.regions(shown)
            ),
            importance=self._importances(shown, data.own_feature_names),
        )

    def _importances(self, shown: Shown, names: tuple[str, ...]) -> tuple[FeatureImportance, ...]:
        importance = self._renderer.planes.importance(shown)
        if importance is None:
            return ()
        columns = (importance.loss, importance.share_loss, importance.error)
        rows = zip(names, *(column.tolist() for column in columns), strict=True)
        return tuple(FeatureImportance(*row) for row in rows)

    def check(self, check: RunRecord) -> Check:
        """Describe the check of a run."""
        report = CHECK.stored(self._store, check.run_id)
        return Check(
            state=check.state,
            fraction=report.fraction,
            answer=report.answer,
            words=check_sentence(report),
            p_value=report.p_value,
            n_permutations=report.n_permutations,
            notes=report.notes,
            bound=report.bound,
            questions=report.questions,
            readings=report.readings,
        )

    def refits(self, record: RunRecord, run: RunRecord) -> Refits:
        """Describe the refits of a run."""
        report = REFITS_OF_RUN.stored(self._store, run.run_id)
        places = report.unseen
        coordinates = () if places is None else tuple(map(tuple, places.tolist()))
        rows = self._renderer.planes.data(record).row_numbers.tolist() if report.folds else ()
        return Refits(
            state=run.state,
            n_done=report.n_done,
            n_folds=report.n_folds,
            words=REFITS_OF_RUN.sentence(report, is_final=run.state.is_final),
            share=report.share,
            standard_error=report.standard_error,
            share_train=report.train_share,
            rows=tuple(rows),
            folds=tuple(report.fold_of_rows.tolist()),
            places=tuple(tuple(None if isnan(x) else x for x in row) for row in coordinates),
            notes=tuple(filter(None, (report.no_places, *report.notes))),
            message=run.message,
        )

    def analysis(self, run: RunRecord) -> AnalysisResult:
        """Describe an analysis of a run."""
        analysis = ANALYSES[run.kind]
        report = analysis.stored(self._store, run.run_id)
        fraction, _ = analysis.progress(report)
        words = analysis.sentence(report, is_final=run.state.is_final)
        return AnalysisResult(run.kind, run.state, fraction, words, analysis.as_json(report))

    def comparison(self, run: RunRecord) -> Comparison:
        """Describe a comparison of all methods."""
        report = RANKING.stored(self._store, run.run_id)
        fraction, _ = RANKING.progress(report)
        rows = ranked(report)
        return Comparison(
            id=run.run_id,
            state=run.state,
            fraction=fraction,
            words=RANKING.sentence(report, is_final=run.state.is_final),
            chance=1.0 / report.n_classes if report.n_classes else None,
            methods=tuple(
                ComparedMethod(
                    *(row.label, row.held_out, row.standard_error, row.train),
                    is_tied=row.is_tied,
                    chosen_among=row.chosen_among,
                )
                for row in rows
            ),
            refusals=tuple(refusals(report)),
        )


def plane(event: PlaneEvent) -> Plane:
    """Describe a plane of a run."""
    return Plane(
        number=event.sequence,
        components=_rows(event),
        objective=event.objective,
        seconds=event.elapsed_s,
        is_final=event.is_final,
    )


def _rows(event: PlaneEvent) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, event.components.tolist()))


def _batches(scores: BatchScores | None) -> BatchResult | None:
    if scores is None:
        return None
    return BatchResult(
        accuracy_train=scores.train.accuracy,
        accuracy_held_out=None if scores.held_out is None else scores.held_out.accuracy,
        chance=(scores.held_out or scores.train).chance,
        words=scores.sentence,
    )


def described_table(data: LabeledData) -> PreparedTable:
    """Describe a prepared table."""
    columns = zip(data.feature_names, data.center.tolist(), data.scale.tolist(), strict=True)
    return PreparedTable(
        id=data.content_hash,
        name=data.name,
        label=data.label,
        n_rows=len(data.y),
        classes=dict(data.class_counts),
        features=tuple(Feature(*column) for column in columns),
        steps=data.steps,
        warnings=data.warnings,
        questions=data.questions,
    )
