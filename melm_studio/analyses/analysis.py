"""Interface of an analysis of a run, for page, worker, report, project and API.

An analysis is a run about another run, its fit: it is queued, stopped and continued as any run,
and keeps one report, which grows while it is computed. Everything that is particular to it stands
in its own module; `docs/adding-an-analysis.md` adds one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
from msgspec import Struct

from melm_core.base import FloatArray
from melm_studio.configuration.clock import Clock
from melm_studio.configuration.messages import STOPPED
from melm_studio.record import to_json
from melm_studio.runs.execution.giving_way import stop_if_requested
from melm_studio.runs.execution.rows import RunData
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.runs.store.protocol import RunStore, stored_report
from melm_studio.tables import LabeledData

R = TypeVar("R")
E = TypeVar("E", bound=StrEnum)

CLASSES = "classes"  # what a run needs for most: more than one
NO_CLASSES = (
    "All rows are one class, so there is nothing to tell apart. Choose a label column with several."
)


@dataclass(frozen=True)
class Table:
    """A table; the first column names the rows.

    Attributes
    ----------
    caption : str
    head : tuple of str
    rows : tuple of tuple of str
    note : str
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A vector picture.

    Attributes
    ----------
    svg : bytes
    description : str
        For readers who do not see it.
    caption : str
    """

    svg: bytes
    description: str
    caption: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a report.

    Attributes
    ----------
    heading : str
    sentences : tuple of str
        Each is a paragraph.
    tables : tuple of Table
    pictures : tuple of Picture
    code : str
        Text that is shown as it is written.
    links : tuple of (str, str)
        Names and addresses.
    files : tuple of (str, bytes)
        Names and contents, which the report holds.
    """

    heading: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    code: str = ""
    links: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, eq=False)
class Work:
    """The computation of an analysis in a worker.

    Attributes
    ----------
    store : RunStore
    record : RunRecord
        Of the analysis, with the settings of its fit.
    data : LabeledData
        Of the fit.
    clock : Clock
    """

    store: RunStore
    record: RunRecord
    data: RunData
    clock: Clock

    def put(self, raw: bytes) -> None:
        """Keep a report, then give way to others while they wait.

        Raises
        ------
        StoppedError
            If the analysis was requested to stop: what it has put stays.
        RunEndedError
            If another process ended the run meanwhile, or took it over.
        """
        self.store.put_report(self.record.run_id, raw)
        self.give_way()

    def keep_plane(
        self,
        number: int,
        components: FloatArray,
        *,
        stage: str,
        fraction: float,
        elapsed_s: float,
        objective: float = 0.0,
    ) -> int:
        """Keep a plane as the next of its history, unless an earlier attempt did.

        A run that is tried again repeats its planes, since it has a seed.

        Returns
        -------
        int
            Its number there.
        """
        if self.store.event(self.record.run_id, number) is not None:
            return number
        event = PlaneEvent(
            sequence=0,  # assigned by the store
            objective=objective,
            best_objective=objective,
            start=0,
            n_starts=0,
            iteration=0,
            n_evaluations=0,
            stage=stage,
            fraction=fraction,
            elapsed_s=elapsed_s,
            is_final=False,
            components=components,
        )
        return self.store.append(self.record.run_id, event)

    def give_way(self) -> None:
        """Wait while others compute; raises as `put` does."""
        stop_if_requested(self.store, self.record, self.clock)


@dataclass(frozen=True, eq=False)
class Subject:
    """The fit that an analysis is of, as far as its words and pictures need it.

    Attributes
    ----------
    record : RunRecord
        Of the fit.
    run : RunRecord
        Of the analysis.
    feature_names, class_names : sequence of str
    components : ndarray of shape (n_components, n_features) or None
        Of the newest plane of the fit; None where it has none.
    fits : sequence of RunRecord
        All fits of the visitor, of which one may recommend a kernel width.
    """

    record: RunRecord
    run: RunRecord
    feature_names: Sequence[str]
    class_names: Sequence[str]
    components: FloatArray | None = None
    fits: Sequence[RunRecord] = ()

    @property
    def is_final(self) -> bool:
        """True if the analysis has ended."""
        return self.run.state.is_final


class DataShape(Struct, frozen=True):
    """The size of the data that a result is about."""

    n_rows: int
    n_classes: int
    n_features: int


class Analysis(ABC, Generic[R]):
    """An analysis of a run, registered in `ANALYSES` by its name.

    Attributes
    ----------
    report : type
        Of its report: a `Record`, which without any value is the one before the first.
    name : str
        Of its runs and its addresses.
    title : str
        On the line of the inspector that opens it; empty if there is none.
    again : str
        On the button that begins one that was cut short again.
    needs : tuple of str
        What a run must be for the inspector to offer it: "linear", "tree", as in `data-needs`. All
        but a few need classes to tell apart, "classes".
    stopped : str
        What is said of one that was stopped.
    tab : str
        Of the inspector, which opens it: "features", "trust" or "new", that of new rows.
    of_new_rows, needs_new_rows : bool
        Whether it is also about the rows of a second file, and whether about nothing without them.
    is_saved : bool
        Whether a project keeps it; one with planes of its own is computed again.
    goes_on : bool
        Whether a run has one only, which is queued again where it was cut short.
    """

    report: ClassVar[type[Any]]
    name: ClassVar[str]
    title: ClassVar[str] = ""
    again: ClassVar[str] = "Begin again"
    needs: ClassVar[tuple[str, ...]] = (CLASSES,)
    stopped: ClassVar[str] = STOPPED
    tab: ClassVar[str] = "trust"
    of_new_rows: ClassVar[bool] = False
    needs_new_rows: ClassVar[bool] = False
    is_saved: ClassVar[bool] = True
    goes_on: ClassVar[bool] = False

    def refusal(self, record: RunRecord, data: Callable[[], LabeledData]) -> str:
        """Return why a run cannot be analyzed and what to do; empty if it can.

        Parameters
        ----------
        record : RunRecord
            Of the fit.
        data : callable
            Reads its data, which takes time.
        """
        return ""

    def stands(self, run: RunRecord) -> bool:
        """Return whether an analysis need not be begun again."""
        return not run.state.is_cut_short

    @abstractmethod
    def compute(self, work: Work) -> None:
        """Compute the report, and put it as often as there is something new.

        Raises
        ------
        StoppedError
            Of `Work.put` and `Work.give_way`.
        """

    def read(self, raw: bytes) -> R:
        """Return the report that `compute` put."""
        report: R = self.report.from_bytes(raw)
        return report

    def blank(self) -> R:
        """Return the report before the first."""
        report: R = self.report()
        return report

    @abstractmethod
    def progress(self, report: R) -> tuple[float, str]:
        """Return the share of the work that is done, and what is being computed."""

    @abstractmethod
    def sentence(self, report: R, *, is_final: bool) -> str:
        """Return what is found, or is found so far."""

    def shown(self, report: R, subject: Subject, query: Mapping[str, str]) -> dict[str, Any]:
        """Return what the page shows besides the sentence.

        The page lays out the blocks of ``content`` (`melm_studio.analyses.content`). What a page
        module of its own needs besides are JSON values. A figure is one of plotly, as a
        dictionary: workers do not load plotly.

        Parameters
        ----------
        report : report
        subject : Subject
        query : mapping of str to str
            What the page asks for: its ``scheme``, and what was chosen in a block.
        """
        return {"content": []}

    def section(self, report: R, subject: Subject) -> Section | None:
        """Return what a report of the fit says of the analysis; None while there is nothing."""
        return None

    def checked(self, raw: bytes, shape: DataShape) -> bytes:
        """Return the report in a project that somebody sent, written anew.

        Raises
        ------
        ValueError
            If it is not one of data of this shape.
        """
        report = self.read(raw)
        self.validate(report, shape)
        return to_json(report)

    def validate(self, report: R, shape: DataShape) -> None:
        """Refuse a report that is not one of data of this shape; raises as `checked` does."""
        raise ValueError(f"A project keeps no {self.name}.")

    def as_json(self, report: R) -> Any:
        """Return the report as JSON values, for programs."""
        return msgspec.to_builtins(report)

    def stored(self, store: RunStore, run_id: str) -> R:
        """Return the report so far.

        Raises
        ------
        ReportUnreadableError
            If it is damaged.
        """
        report = stored_report(store, run_id, self.read)
        return self.blank() if report is None else report


def chosen(query: Mapping[str, str], name: str, default: E) -> E:
    """Return what a query chooses of the values of an enumeration; the default for another one."""
    kind: type[E] = type(default)
    value = query.get(name, default)
    return kind(value) if value in tuple(kind) else default


def demand(is_fitting: bool) -> None:
    """Refuse a report that does not fit its data.

    Raises
    ------
    ValueError
    """
    if not is_fitting:
        raise ValueError("This report does not belong to its data.")
