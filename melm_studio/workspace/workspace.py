"""The data and the runs of one visitor."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from msgspec.structs import replace

from melm_core.base import UserError
from melm_studio.analyses.analysis import CLASSES, NO_CLASSES, Analysis
from melm_studio.analyses.check import CHECK, standing_checks
from melm_studio.analyses.ranking import rankings_of
from melm_studio.analyses.verdict_file import verdict_of, written
from melm_studio.configuration.limits import DiskFullError, LimitReachedError
from melm_studio.configuration.settings import Settings
from melm_studio.planes.captions import title, unique_title
from melm_studio.reading import Asker, FileReader
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.parameters import RunParameters
from melm_studio.runs.records.run import (
    FIT,
    RunRecord,
    RunState,
    Table,
    UnreadableRun,
    new_analysis,
    new_ranking,
    new_run,
)
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.attempts import reopen
from melm_studio.runs.store.protocol import Admission, RunStore, admit_any
from melm_studio.tables import LabeledData, edited_table, filtered_table, prepare
from melm_studio.tables import Table as FileTable
from melm_studio.workspace.data_source import ShownData, SourceFiles

MAX_PANELS = 9
MAX_RECORD_BYTES = 2**20
LONGEST_TITLE = 80  # characters
# For how long a removed run can be put back, at least.
UNDO_S = 600.0
PANELS_FULL = f"The page holds {MAX_PANELS} panels. Remove one to run another."
DATA_GONE = "These data are no longer stored here. Drop the file again, or choose a sample."

NO_NEW_ROWS = (
    "This compares the rows of a second file with those of the run. Choose New rows from a file…, "
    "or drop that file on the picture."
)

_TITLE_TOO_LONG = "This title has {n} characters, but at most {most} are shown. Shorten it."
_TOO_LONG = (
    f"The choices of this run (rows, marks, names, a plane to start from) take more than "
    f"{MAX_RECORD_BYTES // 2**20} MB. Change the file instead of single rows, or leave out "
    "features."
)


T = TypeVar("T")


class PanelsFullError(LimitReachedError):
    """The page holds no further panel of a table."""

    def __init__(self) -> None:
        super().__init__(PANELS_FULL)


@dataclass(frozen=True)
class Workspace:
    """The data and the runs of one visitor in a store."""

    store: RunStore
    owner: str
    settings: Settings
    reader: FileReader
    address: str = ""  # what stands for the visitor's network address; empty if unknown

    @property
    def files(self) -> SourceFiles:
        """The tables that the visitor may read."""
        return SourceFiles(self.store, self.owner, self.settings, self.reader, self.address)

    def made(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what is made of files, beside the threads of requests.

        Raises
        ------
        StillReadingError
            If it is not done yet, or there is no place for it.
        """
        return self.reader.preparations.result(
            (self.owner, key), Asker(self.owner, self.address), make
        )

    def table(self, source: DataSource) -> FileTable:
        """Read the sample or file of a source, or the sample of a table, with edited rows.

        Raises
        ------
        UserError
            If the file is no longer stored, or cannot be read.
        StillReadingError
            If it is being read.
        """
        return filtered_table(self.whole_table(source), source.filters)

    def whole_table(self, source: DataSource) -> FileTable:
        """Read the table of a source with every row that the user did not leave out by hand."""
        return edited_table(self.files.read(source), source.left_out, source.marks)

    def prepare(self, table: FileTable, source: DataSource) -> LabeledData:
        """Prepare a table as its source says, and store the data for runs."""
        data = prepare(
            table,
            source.label,
            recipe=source.full_recipe,
            roles=source.roles,
            class_rules=source.classes,
            orders=source.orders,
            answers=source.answers,
        )
        self.put_data(data.content_hash, data.to_bytes())
        return data

    def put_data(self, content_hash: str, raw: bytes) -> None:
        """Store prepared data for runs."""
        self._arrive()
        self.store.put_file(self.owner, FileKind.DATA, content_hash, raw)

    def put_upload(self, raw: bytes) -> str:
        """Store a file, and return its key: the hash of its content.

        Raises
        ------
        LimitReachedError
        """
        key = hashlib.sha256(raw).hexdigest()
        self._arrive()
        self.store.put_file(self.owner, FileKind.UPLOAD, key, raw)
        return key

    def _arrive(self) -> None:
        if self.address:
            self.store.set_address(self.owner, self.address)

    def has_file(self, source: DataSource) -> bool:
        """Return whether the table of a source can be read here."""
        return self.files.has(source)

    def data(self, shown: ShownData) -> LabeledData:
        """Return the prepared data that the page shows.

        Raises
        ------
        UserError
            If they are no longer stored.
        """
        return self.stored_data(shown.id)

    def run(self, run_id: str) -> RunRecord | None:
        """Return the run of that id if it belongs to the visitor.

        Raises
        ------
        UserError
            If another version made it, and this one cannot read it.
        """
        record = self.run_of_any_version(run_id)
        if isinstance(record, UnreadableRun):
            raise UserError(record.message)
        return record

    def run_of_any_version(self, run_id: str) -> RunRecord | None:
        """Return the run of that id if it belongs to the visitor, or what stands for it."""
        record = self.store.get(run_id)
        return record if record is not None and record.owner == self.owner else None

    def fits(self) -> list[RunRecord]:
        """Return the runs that have a panel and a plane, oldest first."""
        return readable(self.panels())

    def panels(self) -> list[RunRecord]:
        """Return the runs that have a panel, oldest first; that of another version says so."""
        return _fits_of(self.store.runs_of(self.owner))

    def fits_and_checks(self) -> tuple[list[RunRecord], dict[str, RunRecord]]:
        """Return the runs that have a panel and their checks, by one look at the store."""
        runs = self.store.runs_of(self.owner)
        return _fits_of(runs), standing_checks(runs)

    def n_ahead(self, record: RunRecord) -> int:
        """Return the number of older runs, of all visitors, that are to begin or end before a run.

        What somebody looks at begins beside those at work, and before what nobody looks at.
        """
        older = (run for run in self.store.unfinished() if run.created_s < record.created_s)
        if record.is_looked_at:
            return sum(run.is_looked_at and run.state is RunState.QUEUED for run in older)
        return sum(1 for _ in older)

    def fits_of(self, table: Table) -> list[RunRecord]:
        """Return the fits of a table, however its features were prepared, oldest first."""
        return [run for run in self.panels() if run.table == table]

    def shown_fits(self, shown: ShownData | None) -> list[RunRecord]:
        """Return the fits of the data that the page shows, oldest first."""
        return self.fits_of(shown.table) if shown else []

    def revision(self) -> str:
        """Return the revision of the visitor's panels."""
        return revision_of(self.panels())

    def equal_fit(self, data_id: str, method: str, parameters: RunParameters) -> RunRecord | None:
        """Return the newest fit with these data and parameters that was not cut short."""
        equal = [
            run
            for run in self.fits()
            if (run.data_id, run.method) == (data_id, method)
            and run.parameters == parameters
            and not run.state.is_cut_short
        ]
        return equal[-1] if equal else None

    def new_fit(
        self,
        shown: ShownData,
        method: str,
        parameters: RunParameters,
        data: LabeledData | None = None,
    ) -> RunRecord:
        """Return a fit of the data that the page shows, not yet queued."""
        fit = new_run(
            self.owner,
            shown.id,
            shown.name,
            method,
            parameters,
            source=shown.run_source,
            table_version=shown.version,
            n_features=0 if data is None else data.X.shape[1],
            n_classes=0 if data is None else len(data.class_names),
        )
        return replace(fit, from_page=True)

    def rerun(self, record: RunRecord, method: str, parameters: RunParameters) -> RunRecord:
        """Return a fit of the data of another run, not yet queued."""
        fit = new_run(
            self.owner,
            record.data_id,
            record.data_name,
            method,
            parameters,
            source=record.source,
            table_version=record.table_version,
            n_features=record.n_features,
            n_classes=record.n_classes,
        )
        return replace(fit, from_page=True)

    def rename(self, record: RunRecord, name: str) -> None:
        """Give a run a title, numbered where another run of its table has it; "" undoes that.

        Raises
        ------
        UserError
            If the title is too long.
        """
        wanted = " ".join(name.split())
        if len(wanted) > LONGEST_TITLE:
            raise UserError(_TITLE_TOO_LONG.format(n=len(wanted), most=LONGEST_TITLE))
        others = [run for run in self.fits_of(record.table) if run.run_id != record.run_id]
        renamed = replace(record, name=wanted)
        named = _own_name(renamed, others) if wanted == "" else unique_title(renamed, others)
        self.store.annotate(record.run_id, name=named)

    def queue(self, *fits: RunRecord) -> None:
        """Queue fits under titles of their own; if a limit is reached, those before stay queued.

        Raises
        ------
        LimitReachedError
        """
        for fit in fits:
            others = self.fits_of(fit.table)
            named = replace(fit, name=_own_name(fit, others))
            self.create(named, partial(_admit_panel, named.table))

    def create(self, record: RunRecord, admit: Admission = admit_any) -> None:
        """Store a run; where there is no room, what was removed is deleted for it."""
        if len(record.to_bytes()) > MAX_RECORD_BYTES:
            raise LimitReachedError(_TOO_LONG)
        self._arrive()
        try:
            self.store.create(record, admit)
        except PanelsFullError:
            raise
        except LimitReachedError:
            self.purge(older_than_s=0.0)
            self.store.create(record, admit)

    def remove(self, record: RunRecord) -> None:
        """Remove a run, which stops; for `UNDO_S`, unless the disk is full, that can be undone."""
        self.purge(UNDO_S)
        for run in (record, *self._about(record)):
            self.store.cancel(run.run_id)
        try:
            self.store.annotate(record.run_id, removed_s=time.time())
        except DiskFullError:
            self._delete(record)

    def put_back(self, record: RunRecord) -> None:
        """Undo the removal of a run.

        Raises
        ------
        LimitReachedError
        """
        if len(self.fits_of(record.table)) >= MAX_PANELS:
            raise PanelsFullError
        self.store.annotate(record.run_id, removed_s=None)

    def purge(self, older_than_s: float) -> None:
        """Delete the runs that were removed longer ago, and those about them."""
        before = time.time() - older_than_s
        for record in self.store.runs_of(self.owner):
            if record.removed_s is not None and record.removed_s < before:
                self._delete(record)

    def _delete(self, record: RunRecord) -> None:
        for run in (*self._about(record), record):
            self.store.delete(run.run_id)

    def _about(self, record: RunRecord) -> list[RunRecord]:
        return [run for run in self.store.runs_of(self.owner) if run.of_run == record.run_id]

    def about(self, record: RunRecord, kind: str) -> RunRecord | None:
        """Return the newest run of a kind about a fit, such as its tree, if there is one."""
        return self.newest_about(record).get(kind)

    def newest_about(self, record: RunRecord) -> dict[str, RunRecord]:
        """Return the newest run of each kind about a fit, by its kind."""
        return {run.kind: run for run in self._about(record)}

    def analyze(
        self, record: RunRecord, analysis: Analysis[Any], new_rows: bytes | None = None
    ) -> RunRecord:
        """Return the analysis of a fit; queue one if there is none, or it was cut short.

        Parameters
        ----------
        record : RunRecord
            Of the fit.
        analysis : Analysis
        new_rows : bytes, optional
            What an analysis of new rows compares those of the fit with; of other rows than before,
            it is queued anew, and the one before is deleted. Without them, those before.

        Raises
        ------
        UserError
            If the run cannot be analyzed so, or a limit is reached.
        """
        current = self.about(record, analysis.name)
        before = "" if current is None else current.new_rows
        key = before if new_rows is None else hashlib.sha256(new_rows).hexdigest()
        if current is not None and analysis.stands(current) and key == before:
            return current
        if analysis.needs_new_rows and not key:
            raise UserError(NO_NEW_ROWS)
        if CLASSES in analysis.needs and record.n_classes == 1:
            raise UserError(NO_CLASSES)
        if refusal := analysis.refusal(record, lambda: self.stored_data(record.data_id)):
            raise UserError(refusal)
        if current is not None and analysis.goes_on:
            reopen(self.store, current.run_id)
            return current
        if new_rows is not None:
            self.store.put_file(self.owner, FileKind.DATA, key, new_rows)
        run = new_analysis(record, analysis.name, key)
        self.create(run)
        if current is not None and key != before:
            self.store.cancel(current.run_id)
            self.store.delete(current.run_id)
        return run

    def stored_data(self, data_id: str) -> LabeledData:
        """Return prepared data by their content hash.

        Raises
        ------
        UserError
            If they are no longer stored.
        """
        raw = self.store.get_file(self.owner, FileKind.DATA, data_id)
        if raw is None:
            raise UserError(DATA_GONE)
        return LabeledData.from_bytes(raw)

    def checks(self) -> dict[str, RunRecord]:
        """Return the current check of each run that has one, by the id of the run."""
        return standing_checks(self.store.runs_of(self.owner))

    def check(self, record: RunRecord) -> RunRecord:
        """Return the current check of a run; queue one if there is none.

        Raises
        ------
        LimitReachedError
        """
        return self.analyze(record, CHECK)

    def verdict(self, record: RunRecord) -> bytes:
        """Return the file of the verdict of a run, signed where the studio has a key.

        Raises
        ------
        NoVerdictError
            If its check has no answer yet, or others could not read its table.
        UserError
            If its data are gone, or the key cannot be used.
        """
        check = self.checks().get(record.run_id)
        verdict = verdict_of(self.store, record, check, lambda: self.stored_data(record.data_id))
        return written(verdict, self.settings.signing_key)

    def ranking(self, data_id: str) -> RunRecord | None:
        """Return the newest comparison of all methods on some data."""
        rankings = rankings_of(self.store.runs_of(self.owner), data_id)
        return rankings[-1] if rankings else None

    def start_ranking(self, shown: ShownData) -> RunRecord:
        """Return the current comparison of all methods; queue one if there is none.

        One that was cut short is continued by another, which takes over what it has found.

        Raises
        ------
        UserError
            If the data have one class only.
        LimitReachedError
        """
        current = self.ranking(shown.id)
        if current is not None and not current.state.is_cut_short:
            return current
        if len(self.stored_data(shown.id).class_names) == 1:
            raise UserError(NO_CLASSES)
        run = new_ranking(
            self.owner, shown.id, shown.name, shown.run_source, table_version=shown.version
        )
        self.create(run)
        return run


def _fits_of(runs: Iterable[RunRecord]) -> list[RunRecord]:
    return [run for run in runs if run.kind == FIT and run.removed_s is None]


def _admit_panel(table: Table, runs: Iterable[RunRecord]) -> None:
    """Refuse a panel of a table that has all it may have."""
    if sum(run.table == table for run in _fits_of(runs)) >= MAX_PANELS:
        raise PanelsFullError


def _own_name(record: RunRecord, others: Iterable[RunRecord]) -> str:
    """Return the name that keeps the title of a run apart from others, if it needs one."""
    name = unique_title(record, others)
    return record.name if name == title(record) else name


def readable(runs: Iterable[RunRecord]) -> list[RunRecord]:
    """Return the runs that this version can read."""
    return [run for run in runs if not isinstance(run, UnreadableRun)]


def revision_of(runs: Iterable[RunRecord]) -> str:
    """Return a name for a list of runs, by which a page knows whether its list is current."""
    # The title of a run has the kernel width that it chose, or the name that the user gave it.
    names = (f"{run.run_id}{run.chosen_gamma or ''}{run.name}" for run in runs)
    return hashlib.sha256(" ".join(names).encode()).hexdigest()[:16]
