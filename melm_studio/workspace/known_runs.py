"""A visitor's runs with what is known of them: verdicts, probabilities, sections of reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from msgspec.structs import replace

from melm_core.base import IntArray, UserError
from melm_core.methods import METHODS
from melm_studio.analyses import ANALYSES
from melm_studio.analyses.analysis import Section, Subject
from melm_studio.analyses.check import run_verdict
from melm_studio.analyses.probabilities import PROBABILITIES
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.view_options import MorphTarget, Shown, ViewOptions
from melm_studio.rows.held_out_probabilities import HeldOutProbabilities, KnownProbabilities
from melm_studio.runs.records.run import RunRecord
from melm_studio.scores import Verdict
from melm_studio.tables import shortened
from melm_studio.workspace.row_views import RowViews
from melm_studio.workspace.view_spec import SharedMorph, ViewSpec
from melm_studio.workspace.workspace import Workspace, readable


@dataclass(frozen=True)
class KnownRuns:
    """The runs of a visitor, with what computes and caches what is known of them.

    Attributes
    ----------
    space : Workspace
    renderer : PlaneRenderer
    rows : RowViews
    """

    space: Workspace
    renderer: PlaneRenderer
    rows: RowViews

    def verdict(self, shown: Shown) -> Verdict:
        """Return the verdict on a run where its own plane is shown, as above its picture.

        Of any other plane, what its shares say.
        """
        # A run is judged by densities of its own width, whatever that of those that are drawn.
        record, event = shown.record, shown.event
        if not (record.state.is_final and event.is_final) or shown.changes_plane:
            view = self.renderer.view(shown)
            return view.scores.verdict(len(view.classes))
        fits, checks = self.space.fits_and_checks()
        check, store = checks.get(record.run_id), self.space.store
        return run_verdict(self.renderer, store, record, event, fits=readable(fits), check=check)

    def morph_target(self, options: ViewOptions) -> RunRecord | None:
        """Return the visitor's run to which view options morph, or None."""
        return self.space.run(options.morph.run_id) if options.morph else None

    def shown(self, spec: ViewSpec) -> Shown | None:
        """Return the visitor's plane of a shared view; None where there is no run of it yet.

        Nor of a view toward a tree or resamples, which are computed when it is shown.
        """
        record = self._fit(spec, spec.data_id)
        last = None if record is None else self.space.store.last_event(record.run_id)
        if record is None or last is None:
            return None
        number, options = spec.plane, spec.options
        if number is not None and number < last.sequence:
            last = self.space.store.event(record.run_id, number)
        if spec.morph is not None:
            is_other = spec.morph.plane is not None
            target = None if is_other else self._fit(spec.morph, spec.data_id)
            if target is None:
                return None
            options = replace(options, morph=MorphTarget(target.run_id, spec.morph.share))
        return None if last is None else Shown.of(record, last, options)

    def _fit(self, part: ViewSpec | SharedMorph, data_id: str) -> RunRecord | None:
        """Return the visitor's run of a view, or of what it is morphed to."""
        return self.space.equal_fit(data_id, part.method, part.run_parameters)

    def probabilities(self, record: RunRecord) -> HeldOutProbabilities | None:
        """Return the calibrated probabilities of the rows of a run; None if not computed."""
        current = self.space.about(record, PROBABILITIES.name)
        if current is None or not PROBABILITIES.stands(current):
            return None
        return PROBABILITIES.stored(self.space.store, current.run_id)

    def probabilities_in_plane(self, shown: Shown) -> KnownProbabilities | None:
        """Return probabilities for the plane on screen; none if it is not the run's result.

        Those of a nonlinear method take longer than a visitor waits: they come with suspect
        labels, at the kernel width of the run.
        """
        record, gamma = shown.record, shown.options.gamma
        if not shown.event.is_final or shown.changes_plane:
            return None
        width = record.density_gamma if gamma is None else gamma
        if METHODS[record.method].is_linear:
            return self.rows.probabilities(record, shown.event, width)
        return self.probabilities(record) if width == record.density_gamma else None

    def subject(self, record: RunRecord, run: RunRecord) -> Subject:
        """Return a fit as its analysis looks at it."""
        viewer = self.renderer.viewer(record)
        event = self.space.store.last_event(record.run_id)
        return Subject(
            record=record,
            run=run,
            feature_names=viewer.feature_names,
            class_names=viewer.class_names,
            components=None if event is None else event.components,
            fits=self.space.fits(),
        )

    def sections(self, record: RunRecord) -> Iterator[tuple[str, Any, Subject, Section]]:
        """Yield the name, report, subject and section of each analysis that has one."""
        for name, analysis in ANALYSES.items():
            if (current := self.space.about(record, name)) is None:
                continue
            report = analysis.stored(self.space.store, current.run_id)
            subject = self.subject(record, current)
            if (section := analysis.section(report, subject)) is not None:
                yield name, report, subject, section

    def column(
        self, record: RunRecord, name: str, drawn: Sequence[list[int] | IntArray]
    ) -> list[pd.Series]:
        """Return the values of a column of a run's table, for each list of rows of the file.

        Raises
        ------
        UserError
            If the table has no such column.
        """
        table = self.rows.table(self.space, record)
        if name not in table.columns:
            raise UserError(
                f'The table of this run has no column "{shortened(name)}". Reload the page.'
            )
        return [
            table[name].reindex(pd.Index(np.asarray(rows, dtype=np.int64)) - 1) for rows in drawn
        ]
