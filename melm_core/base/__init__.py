"""Shared by all estimators: array types, validation, encoding, progress, sampling."""

from __future__ import annotations

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.block_sources import blocks_of, read_rows
from melm_core.base.codes import nuisance_codes, units_of_classes
from melm_core.base.column_encoding import ColumnEncoding
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_choice, check_magnitudes, check_positive
from melm_core.base.known_types import known_type
from melm_core.base.label_permutations import PermutationDesign
from melm_core.base.progress import (
    DEFAULT_DENSITY_GAMMA,
    Callback,
    GammaPath,
    GammaProgress,
    Progress,
)
from melm_core.base.quantities import (
    BEHIND,
    CURRENCY,
    MAX_LENGTH,
    MAX_UNIT,
    MISSING,
    NUMBERS,
    QUANTITIES,
    THOUSANDS,
    UNIT,
    Quantity,
    decimal_mark,
    marks_of_numbers,
    number_part,
    plain_number,
    quantity,
)
from melm_core.base.row_blocks import BlockSource
from melm_core.base.sample_weights import balanced_share, checked_weights
from melm_core.base.sampling import stratified_sample, thinned
from melm_core.base.share_text import p_value_figure, p_value_text, percent
from melm_core.base.written_cells import (
    check_columns,
    check_numbers,
    columns_as_known,
    conversion_of,
    listed,
    name_and_unit,
    not_converted,
    note_on_texts,
    numbers_as_known,
    plain_name,
    split_unit,
)

__all__ = [
    "BEHIND",
    "CURRENCY",
    "DEFAULT_DENSITY_GAMMA",
    "MAX_LENGTH",
    "MAX_UNIT",
    "MISSING",
    "NUMBERS",
    "QUANTITIES",
    "THOUSANDS",
    "UNIT",
    "BlockSource",
    "Callback",
    "ColumnEncoding",
    "FloatArray",
    "GammaPath",
    "GammaProgress",
    "IntArray",
    "PermutationDesign",
    "Progress",
    "Quantity",
    "UserError",
    "balanced_share",
    "blocks_of",
    "check_choice",
    "check_columns",
    "check_magnitudes",
    "check_numbers",
    "check_positive",
    "checked_weights",
    "columns_as_known",
    "conversion_of",
    "decimal_mark",
    "known_type",
    "listed",
    "marks_of_numbers",
    "name_and_unit",
    "not_converted",
    "note_on_texts",
    "nuisance_codes",
    "number_part",
    "numbers_as_known",
    "p_value_figure",
    "p_value_text",
    "percent",
    "plain_name",
    "plain_number",
    "quantity",
    "read_rows",
    "split_unit",
    "stratified_sample",
    "thinned",
    "units_of_classes",
]
