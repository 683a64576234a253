"""Source and preparation of data: in the page, a link, a story and a run."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import force_setattr, replace

from melm_core.recipe import Recipe, Scaling
from melm_studio.tables import (
    MAX_ANSWERS,
    MAX_FILTERS,
    MAX_MARKS,
    SAMPLES,
    ClassRules,
    Mark,
    ReadOptions,
    RowFilter,
    RowNumbers,
    Use,
    answered_options,
)
from melm_studio.validation import InputError, Sha256, Text, read, shown

_MAX_ORDERS, _MAX_LEVELS = 200, 200


class DataSource(Struct, frozen=True, forbid_unknown_fields=True):
    """A sample, an uploaded file or a table of the operator, and how its columns are used.

    Attributes
    ----------
    kind : str
    key : str
        The name of a sample or a table, or the SHA-256 of an uploaded file.
    name : str
        The name of an uploaded file, or that of a table as visitors read it.
    label : str or None
        The label column; None to infer it.
    standardize : bool
    roles : mapping of str to str
        The use of each column for which the user chose one.
    orders : mapping of str to tuple of str
        The categories of ordered columns from low to high, and the classes of labels, where the
        user put them in order.
    classes : ClassRules
        How the values of the label become classes.
    reading : ReadOptions
        How the file is read.
    recipe : Recipe
        How the features are prepared. Its scaling is never "none": `standardize` says that.
    answers : mapping of str to str
        The user's answers to the questions of the table, by their ids.
    filters : tuple of RowFilter
        The rows of the table that are used, by the values of its columns.
    left_out : tuple of int
        Rows of the file that the user left out, counted from 1 without the header.
    marks : tuple of Mark
        Rows to which the user gave a class or other information, in order.
    """

    kind: Annotated[Literal["sample", "upload", "table"], Meta(title="The kind of data")]
    key: Annotated[Text, Meta(title="The key of the data")]
    name: Annotated[Text, Meta(title="The file name")] = ""
    label: Annotated[str, Meta(title="The label column", min_length=1, max_length=2_000)] | None = (
        None
    )
    standardize: Annotated[bool, Meta(title="The standardize option")] = True
    roles: Annotated[dict[Text, Use], Meta(title="The use of a column")] = msgspec.field(
        default_factory=dict
    )
    classes: Annotated[ClassRules, Meta(title="The rules of the classes")] = ClassRules()
    reading: Annotated[ReadOptions, Meta(title="The options of reading")] = ReadOptions()
    recipe: Annotated[Recipe, Meta(title="The preparation")] = Recipe()
    orders: Annotated[
        dict[Text, Annotated[tuple[Text, ...], Meta(max_length=_MAX_LEVELS)]],
        Meta(title="The order of categories", max_length=_MAX_ORDERS),
    ] = msgspec.field(default_factory=dict)
    answers: Annotated[
        dict[Text, Text],
        Meta(
            title="The answers to the questions of the table",
            description='By the id of a question: {"neighbors": "independent"}.',
            max_length=MAX_ANSWERS,
        ),
    ] = msgspec.field(default_factory=dict)
    filters: Annotated[
        tuple[RowFilter, ...], Meta(title="The list of filters", max_length=MAX_FILTERS)
    ] = ()
    left_out: RowNumbers = ()
    marks: Annotated[
        tuple[Mark, ...], Meta(title="The list of marked rows", max_length=MAX_MARKS)
    ] = ()

    def __post_init__(self) -> None:
        if self.recipe.scaling is Scaling.NONE or not self.standardize:
            force_setattr(self, "standardize", False)
            force_setattr(self, "recipe", replace(self.recipe, scaling=Scaling.UNIT))
        if self.kind == "upload":
            read(self.key, Sha256, "The hash of the file")
            if not self.name:
                raise InputError("The file name is missing. It must be that of the uploaded file.")
            return
        if self.kind == "table":
            force_setattr(self, "name", self.name or self.key)
            return
        force_setattr(self, "name", "")
        if self.key not in SAMPLES:
            raise InputError(
                f"The sample must be one of {', '.join(SAMPLES)}; it is {shown(self.key)}."
            )

    @property
    def read_options(self) -> ReadOptions:
        """Options of reading the file, with the answers to questions about that.

        Raises
        ------
        TableError
            If there is no such answer.
        """
        return answered_options(self.answers, self.reading)

    def alike(self, second: DataSource) -> DataSource:
        """Return the source of a second file, to be read like this one.

        Samples are found in its columns or rows anew: they may lie otherwise than in the first. Its
        cells are left as they are written: the first has rules for them.
        """
        options = self.read_options
        preferred = options.sheet or options.preferred_sheet
        samples = "rows" if options.samples == "rows" else "auto"
        options = replace(options, sheet="", preferred_sheet=preferred, samples=samples)
        return replace(second, reading=replace(options, as_written=True))

    @property
    def full_recipe(self) -> Recipe:
        """The recipe with its scaling, "none" without standardizing."""
        return self.recipe if self.standardize else replace(self.recipe, scaling=Scaling.NONE)

    def with_recipe(self, recipe: Recipe) -> DataSource:
        """Return the same data prepared by another recipe."""
        return replace(self, recipe=recipe, standardize=recipe.scaling is not Scaling.NONE)
