"""Reading tables and preparing them as labeled data."""

from __future__ import annotations

from melm_studio.tables.cells import EXACT
from melm_studio.tables.classes import ClassRules, class_values, is_measure, value_name
from melm_studio.tables.dependence import has_chosen_groups
from melm_studio.tables.formatting import (
    count,
    listed,
    number,
    number_text,
    shortened,
    told_apart,
)
from melm_studio.tables.labeled_data import LabeledData, UnlabeledRows
from melm_studio.tables.maps import MapColumns, is_map, map_columns
from melm_studio.tables.pixels import (
    MAX_PIXELS,
    PixelGrid,
    can_be_pixels,
    fitting_grid,
    grid_answer,
    pixel_grid,
)
from melm_studio.tables.preparation import label_candidates, prepare
from melm_studio.tables.quantities import conversions_of
from melm_studio.tables.questions import (
    EACH_WAY,
    GRID,
    LABEL,
    MAX_ANSWERS,
    NEIGHBORS,
    ORDER,
    OTHER_COLUMNS,
    SHEET,
    WITHIN,
    Choice,
    Question,
    answered_options,
    answers_about_file,
    answers_beside_reading,
    answers_without,
)
from melm_studio.tables.read import Table, TableError, read_table
from melm_studio.tables.read_apart import JOB as TABLE_JOB
from melm_studio.tables.read_apart import read_table_apart
from melm_studio.tables.readers import ReadOptions, arrow_column
from melm_studio.tables.recipe_words import (
    SCALING_NAMES,
    STEP_NAMES,
    fill_source,
    recipe_caption,
)
from melm_studio.tables.records import MAX_CELLS, Form
from melm_studio.tables.roles import FEATURES, NO_LABEL, SINGLE_USES, Column, Role, Use
from melm_studio.tables.row_columns import RowColumn
from melm_studio.tables.row_edits import (
    MAX_EDITED_ROWS,
    MAX_FILTERS,
    MAX_MARKS,
    NO_VALUE,
    Mark,
    RowFilter,
    RowNumbers,
    Words,
    cell_texts,
    edited_table,
    filtered_table,
    rows_from_text,
    rows_text,
)
from melm_studio.tables.row_readings import Reading, readings
from melm_studio.tables.row_sources import row_sources
from melm_studio.tables.samples import SAMPLES, load_sample, mislabeled_rows
from melm_studio.tables.summary import SHARE_OF_VARIANCE, Summary, n_directions, summarize
from melm_studio.tables.text import DELIMITERS
from melm_studio.tables.twin_questions import is_made_of_features, kept_twins, twin_notes
from melm_studio.tables.without_columns import without_columns

__all__ = [
    "DELIMITERS",
    "EACH_WAY",
    "EXACT",
    "FEATURES",
    "GRID",
    "LABEL",
    "MAX_ANSWERS",
    "MAX_CELLS",
    "MAX_EDITED_ROWS",
    "MAX_FILTERS",
    "MAX_MARKS",
    "MAX_PIXELS",
    "NEIGHBORS",
    "NO_LABEL",
    "NO_VALUE",
    "ORDER",
    "OTHER_COLUMNS",
    "SAMPLES",
    "SCALING_NAMES",
    "SHARE_OF_VARIANCE",
    "SHEET",
    "SINGLE_USES",
    "STEP_NAMES",
    "TABLE_JOB",
    "WITHIN",
    "Choice",
    "ClassRules",
    "Column",
    "Form",
    "LabeledData",
    "MapColumns",
    "Mark",
    "PixelGrid",
    "Question",
    "ReadOptions",
    "Reading",
    "Role",
    "RowColumn",
    "RowFilter",
    "RowNumbers",
    "Summary",
    "Table",
    "TableError",
    "UnlabeledRows",
    "Use",
    "Words",
    "answered_options",
    "answers_about_file",
    "answers_beside_reading",
    "answers_without",
    "arrow_column",
    "can_be_pixels",
    "cell_texts",
    "class_values",
    "conversions_of",
    "count",
    "edited_table",
    "fill_source",
    "filtered_table",
    "fitting_grid",
    "grid_answer",
    "has_chosen_groups",
    "is_made_of_features",
    "is_map",
    "is_measure",
    "kept_twins",
    "label_candidates",
    "listed",
    "load_sample",
    "map_columns",
    "mislabeled_rows",
    "n_directions",
    "number",
    "number_text",
    "pixel_grid",
    "prepare",
    "read_table",
    "read_table_apart",
    "readings",
    "recipe_caption",
    "row_sources",
    "rows_from_text",
    "rows_text",
    "shortened",
    "summarize",
    "told_apart",
    "twin_notes",
    "value_name",
    "without_columns",
]
