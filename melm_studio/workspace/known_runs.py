"""A visitor's runs with what is known of them: verdicts, probabilities, sections of reports.

Answers on their rows are cached: their data, their table, and their place in a plane.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pandas as pd
from msgspec.structs import replace

from melm_core.base import FloatArray, IntArray, UserError
from melm_core.methods import METHODS
from melm_studio.analyses import ANALYSES
from melm_studio.analyses.analysis import Section, Subject
from melm_studio.analyses.check import run_verdict
from melm_studio.analyses.probabilities import PROBABILITIES
from melm_studio.planes.kept_values import kept
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.run_planes import RunPlanes
from melm_studio.planes.view_options import MorphTarget, Shown, ViewOptions
from melm_studio.rows.held_out_probabilities import (
    HeldOutProbabilities,
    KnownProbabilities,
    RefittedProbabilities,
)
from melm_studio.rows.new_rows import NewRows, lacking, match_rows
from melm_studio.rows.placement import RowPlacer
from melm_studio.runs.execution.rows import RunData
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.scores import Verdict
from melm_studio.tables import Table, shortened
from melm_studio.workspace.view_spec import SharedMorph, ViewSpec
from melm_studio.workspace.workspace import Workspace, readable

# Cache sizes: data sets and tables are large, planes are not; new rows are as large as their file.
MAX_DATA = 2
MAX_PLACERS = 16
MAX_NEW_BYTES = 2**28


def _prepared(_: RowViews, record: RunRecord) -> tuple[Any, ...]:
    """Return what identifies the data of a run as its training rows prepare them."""
    parameters = record.parameters
    rows = parameters.held_out, parameters.random_state
    return record.owner, record.data_id, *rows, record.is_curved


def _whole(source: DataSource) -> DataSource:
    """The source of a whole file, to which the numbers of its rows refer."""
    return replace(source, left_out=(), filters=())


def _of_table(_: RowViews, workspace: Workspace, record: RunRecord) -> tuple[Any, ...]:
    return workspace.owner, msgspec.json.encode(_whole(record.source))


def _of_placer(_: RowViews, shown: Shown, components: FloatArray, width: float) -> tuple[Any, ...]:
    final = shown.event.is_final, shown.changes_plane
    return shown.run_id, width, *final, components.shape, components.tobytes()


def _of_new_rows(
    views: RowViews,
    _workspace: Workspace,
    record: RunRecord,
    source: DataSource,
    scaled: Mapping[str, float],
) -> tuple[Any, ...]:
    names = (*_prepared(views, record), source.key, source.name)
    return *names, tuple(sorted(scaled.items()))


def _size_of_new(rows: NewRows) -> int:
    """Return the bytes of new rows; the last ones are kept however large they are."""
    arrays = (rows.X, rows.encoded, rows.row_numbers, rows.labels)
    n_bytes = sum(array.nbytes for array in arrays)
    texts = (rows.name, *rows.names, *rows.groups, *rows.notes)
    return min(n_bytes + sum(map(sys.getsizeof, texts)), MAX_NEW_BYTES)


class RowViews:
    """Access to the rows of runs and their place in planes; thread-safe.

    Parameters
    ----------
    planes : RunPlanes
    """

    def __init__(self, planes: RunPlanes) -> None:
        self._planes = planes

    @kept(MAX_DATA, _prepared)
    def data(self, record: RunRecord) -> RunData:
        """Return the data of a run, as its training rows prepare them.

        Raises
        ------
        DataGoneError
        """
        return self._planes.data(record)

    @kept(MAX_DATA, _of_table)
    def table(self, workspace: Workspace, record: RunRecord) -> pd.DataFrame:
        """Return every row and column of the file of a run, in its units.

        Raises
        ------
        UserError
            If the file is no longer stored.
        """
        frame: pd.DataFrame = workspace.table(_whole(record.source)).frame
        return frame

    def placer(self, shown: Shown) -> RowPlacer:
        """Return what places rows in a plane under view options."""
        components = self._planes.components(shown)
        gamma = shown.options.gamma
        width = shown.record.density_gamma if gamma is None else gamma
        return self._placer(shown, components, width)

    @kept(MAX_PLACERS, _of_placer)
    def _placer(self, shown: Shown, components: FloatArray, width: float) -> RowPlacer:
        record, event = shown.record, shown.event
        return RowPlacer(
            self.data(record),
            record,
            components,
            width,
            self._planes.embedding(record),
            refits=self.probabilities(record, event, width) if event.is_final else None,
            is_result=event.is_final and not shown.changes_plane,
        )

    @kept(MAX_PLACERS, lambda _, record, _event, gamma: (record.run_id, gamma))
    def probabilities(
        self, record: RunRecord, event: PlaneEvent, gamma: float
    ) -> RefittedProbabilities | None:
        """Return what refits say of the rows of a run at a kernel width; None where there are none.

        Parameters
        ----------
        record : RunRecord
        event : PlaneEvent
            The last plane of the run.
        gamma : float
        """
        refits = self._refits(record, event)
        return None if refits is None else refits.with_width(gamma)

    @kept(MAX_PLACERS, lambda _, record, _event: record.run_id)
    def _refits(self, record: RunRecord, event: PlaneEvent) -> RefittedProbabilities | None:
        return RefittedProbabilities.of(self.data(record), record, event.components)

    @kept(MAX_NEW_BYTES, _of_new_rows, _size_of_new)
    def new_rows(
        self,
        workspace: Workspace,
        record: RunRecord,
        source: DataSource,
        scaled: Mapping[str, float],
    ) -> NewRows:
        """Return the rows of an uploaded file, prepared as the data of a run.

        The numbers of columns are multiplied as `scaled` says.

        Raises
        ------
        UserError
            If the file is not stored, not a table, or lacks columns.
        """
        data = self.data(record)
        return match_rows(data, second_table(workspace, record.source, source, data), scaled)


def second_table(
    workspace: Workspace, first: DataSource, second: DataSource, data: RunData
) -> Table:
    """Read a second file as the first was read, with its samples in rows.

    Raises
    ------
    UserError
        If it is not stored, or not a table.
    """
    alike = first.alike(second)
    table = workspace.table(alike)
    if not lacking(data, table):
        return table
    try:
        turned = workspace.table(replace(alike, reading=replace(alike.reading, samples="columns")))
    except UserError:
        return table
    return table if lacking(data, turned) else turned


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
        viewer = self.renderer.planes.viewer(record)
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
