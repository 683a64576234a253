"""Requests and responses of programs, as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct, field

from melm_core.methods import HELD_OUT
from melm_studio.runs.records.check_report import TriedReading
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.run import RunState
from melm_studio.tables import Question
from melm_studio.workspace.view_spec import Method


class Token(Struct, frozen=True):
    """A token, which acts as the visitor who made it."""

    token: str
    days: Annotated[int, Meta(description="Days for which the token is valid.")]
    id: Annotated[str, Meta(description="By which it is revoked.")]


class MadeToken(Struct, frozen=True):
    """Description of a token, which is not stored itself."""

    id: str
    made: datetime
    used: Annotated[datetime | None, Meta(description="Last, to the minute; null for never.")]
    expires: datetime


class Tokens(Struct, frozen=True):
    """The valid tokens of a visitor, oldest first."""

    tokens: tuple[MadeToken, ...]


class StoredFile(Struct, frozen=True):
    """A file that was stored, by the hash of its content."""

    key: Annotated[str, Meta(description="SHA-256 of the file.")]
    name: str


class Feature(Struct, frozen=True):
    """A column of the prepared table, with the center and scale of all its rows.

    A run has those of its training rows: see its `components.csv` and `model.json`.
    """

    name: str
    center: float
    scale: float


class PreparedTable(Struct, frozen=True):
    """A table as runs use it: encoded, centered, scaled."""

    id: Annotated[str, Meta(description="SHA-256 of the prepared table.")]
    name: str
    label: str
    n_rows: int
    classes: Annotated[dict[str, int], Meta(description="Number of rows of each class.")]
    features: tuple[Feature, ...]
    steps: Annotated[tuple[str, ...], Meta(description="What was done to the table.")]
    warnings: tuple[str, ...]
    questions: Annotated[
        tuple[Question, ...],
        Meta(
            description="What the answer yes depends on and, with a default, how the table was "
            "read. Answer in the source: "
            '{"answers": {"neighbors": "independent"}}.'
        ),
    ] = ()


class NewRun(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A run to start.

    Attributes
    ----------
    source : DataSource
    method : str
    parameters : mapping of str to JSON values
        Those left out have their defaults. That of ``held_out`` is 0 up to 5,000 rows, whose
        refits say more, and 0.25 beyond, and of tables with batches.
    """

    source: Annotated[DataSource, Meta(title="The data")]
    method: Method
    parameters: Annotated[dict[str, Any], Meta(title="The parameters")] = field(
        default_factory=dict
    )


class Run(Struct, frozen=True):
    """A run and how far it is."""

    id: str
    title: str
    data: Annotated[str, Meta(description="Name of the table.")]
    data_id: str
    method: str
    parameters: dict[str, Any]
    state: RunState
    message: Annotated[str, Meta(description="Why the run ended, unless it is done.")]
    n_planes: int
    divergence: Annotated[float | None, Meta(description="Of the newest plane, in nats.")]
    seconds: Annotated[
        float | None, Meta(description="For which the run worked; None before its end.")
    ]


class Runs(Struct, frozen=True):
    """All runs of the visitor, oldest first."""

    runs: tuple[Run, ...]


class Plane(Struct, frozen=True):
    """A plane in the history of a run."""

    number: int
    components: Annotated[
        tuple[tuple[float, ...], ...], Meta(description="Orthonormal rows, a number a feature.")
    ]
    objective: float
    seconds: float
    is_final: bool


class Planes(Struct, frozen=True):
    """Consecutive planes of a run; further ones may follow."""

    planes: tuple[Plane, ...]
    state: RunState


class BatchResult(Struct, frozen=True):
    """Accuracy of predicting the batch of a row from its place in a plane, by class."""

    accuracy_train: float
    accuracy_held_out: Annotated[
        float | None,
        Meta(description="None where no held-out row has a batch of the training rows."),
    ]
    chance: Annotated[float, Meta(description="Accuracy of guessing the batch of the same rows.")]
    words: Annotated[str, Meta(description="As above the picture.")]


class Region(Struct, frozen=True):
    """Shares of rows in a drawn region of a class."""

    class_name: Annotated[str, Meta(description="The class.")] = field(name="class")
    share: Annotated[float, Meta(description="That the region is to hold.")]
    training: Annotated[
        float,
        Meta(
            description="Share of the rows fitted to in it; each left out of its density, where "
            "the region is made of them."
        ),
    ]
    held_out: Annotated[
        float | None,
        Meta(
            description="Share of the rows in it that no fit saw, each left out of its density, "
            "where the region is made of them; None where a class has none."
        ),
    ]


class FeatureImportance(Struct, frozen=True):
    """Loss on held-out rows when a feature's values are exchanged between them."""

    feature: str
    loss: Annotated[
        float, Meta(description="Of the mean of log p(class), in nats; noise below two errors.")
    ]
    share_loss: Annotated[
        float, Meta(description="Of the balanced share of rows that are told apart.")
    ]
    error: Annotated[float, Meta(description="Standard error of the loss, over rows.")]


class Result(Struct, frozen=True):
    """Results of a run: its newest plane, and the separation of the classes there."""

    run: Run
    is_linear: Annotated[bool, Meta(description="Whether points are a linear map of rows.")]
    components: tuple[tuple[float, ...], ...]
    features: tuple[str, ...]
    accuracy_train: Annotated[float, Meta(description="Balanced accuracy of the training rows.")]
    accuracy_held_out: Annotated[
        float | None,
        Meta(
            description="Balanced accuracy of rows that no fit saw: of the refits or, where the "
            "plane holds rows out, of these. None before the refits, and where a class has none."
        ),
    ]
    chance: Annotated[float, Meta(description="Balanced accuracy of guessing.")]
    words: Annotated[str, Meta(description="The same in a sentence, as above the picture.")]
    batches: Annotated[
        BatchResult | None,
        Meta(description="None without a Batch column, or where every class has one batch only."),
    ] = None
    regions: Annotated[
        tuple[Region, ...],
        Meta(
            description="The contours from the front, of rows that no fit saw once there are some; "
            "of one component, parts of the line. Those that too few rows can tell are left out."
        ),
    ] = ()
    importance: Annotated[
        tuple[FeatureImportance, ...],
        Meta(
            description="Of every feature, those of one column together; empty of a nonlinear "
            "method, and where a class has fewer than two held-out rows."
        ),
    ] = ()

    @property
    def has_refits(self) -> bool:
        """True if its held-out rows are those of refits: it has classes, and holds no rows out."""
        return self.run.parameters.get(HELD_OUT.name) == 0.0 and self.chance < 1.0


class Check(Struct, frozen=True):
    """Results of the check of a run so far."""

    state: RunState
    fraction: Annotated[float, Meta(description="Share of the work done.")]
    answer: Annotated[str, Meta(description="yes, partly, no, or unknown; empty before it.")]
    words: str
    p_value: float | None
    n_permutations: int
    notes: tuple[str, ...]
    bound: Annotated[
        float | None,
        Meta(description="Upper 95 % bound of the share, while no p-value says no."),
    ] = None
    questions: Annotated[
        tuple[Question, ...],
        Meta(description="Of the table, without an answer: why the answer is unknown."),
    ] = ()
    readings: Annotated[
        tuple[TriedReading, ...],
        Meta(
            description="The same where rows are kept together that may belong together, up to the "
            "first that differs; where all agree, p_value is the largest of theirs."
        ),
    ] = ()


class Refits(Struct, frozen=True):
    """Results of planes that were fitted without the rows that they judge, so far."""

    state: RunState
    n_done: Annotated[int, Meta(description="Folds that were tried.")]
    n_folds: int
    words: Annotated[str, Meta(description="The share beside that of guessing.")]
    share: Annotated[float | None, Meta(description="Balanced accuracy of rows not fitted to.")]
    standard_error: float | None
    share_train: Annotated[float | None, Meta(description="The same of the rows fitted to.")]
    rows: Annotated[tuple[int, ...], Meta(description="Row numbers in the file, of the places.")]
    folds: Annotated[
        tuple[int, ...], Meta(description="The fold that held each row out, from 0; -1 of none.")
    ]
    places: Annotated[
        tuple[tuple[float | None, ...], ...],
        Meta(
            description="Where a plane that never saw a row puts it: along the components of the "
            "result, from the mean of the rows. Once all folds are done; empty where the method "
            "places no rows."
        ),
    ]
    notes: tuple[str, ...]
    message: Annotated[str, Meta(description="Why they ended, unless they are done.")] = ""


class AnalysisResult(Struct, frozen=True):
    """Results of an analysis of a run so far."""

    name: str
    state: RunState
    fraction: Annotated[float, Meta(description="Share of the work done.")]
    words: Annotated[str, Meta(description="As above its dialog.")]
    report: Annotated[Any, Meta(description="All that it found; its fields depend on the name.")]


class ComparedMethod(Struct, frozen=True):
    """A method on the folds that all methods share; shares are balanced accuracies."""

    label: str
    held_out: float
    standard_error: float
    train: float
    is_tied: Annotated[bool, Meta(description="With the first, by the differences of the folds.")]
    chosen_among: Annotated[
        int,
        Meta(description="Of the first, the number of methods: its share is corrected for that."),
    ]


class Comparison(Struct, frozen=True):
    """Results of the comparison of all methods on a table so far."""

    id: str
    state: RunState
    fraction: Annotated[float, Meta(description="Share of the work done.")]
    words: Annotated[str, Meta(description="As above the table of the page.")]
    chance: Annotated[
        float | None, Meta(description="Balanced accuracy of guessing; null before it is known.")
    ]
    methods: Annotated[tuple[ComparedMethod, ...], Meta(description="Best first.")]
    refusals: Annotated[tuple[str, ...], Meta(description="Which methods did not fit, and why.")]


class Comparisons(Struct, frozen=True):
    """Comparisons, oldest first."""

    comparisons: tuple[Comparison, ...]


class Analyses(Struct, frozen=True):
    """The analyses of a run."""

    analyses: tuple[AnalysisResult, ...]


class NewLink(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table to open in a browser, and the method to run there, if any.

    Attributes
    ----------
    source : DataSource
    method : str or None
    same_visitor : bool
        Whether whoever opens it becomes this visitor, rather than getting a copy of the table.
        Only a studio in whose settings other pages may show it allows that.
    """

    source: Annotated[DataSource, Meta(title="The data")]
    method: Method | None = None
    same_visitor: bool = False


class Link(Struct, frozen=True):
    """An address that gives whoever opens it a copy of a table."""

    path: str
    minutes: Annotated[int, Meta(description="For which the address is valid.")]


class Refusal(Struct, frozen=True):
    """Reason for which a request was refused, and the way out."""

    error: str
