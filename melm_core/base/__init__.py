"""Shared by all estimators: array types, validation, encoding, progress, sampling."""

from __future__ import annotations

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.block_sources import blocks_of
from melm_core.base.column_encoding import ColumnEncoding
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_choice, check_magnitudes, check_positive
from melm_core.base.gamma_path import DEFAULT_DENSITY_GAMMA, GammaPath, GammaProgress
from melm_core.base.groups import nuisance_codes, units_of_classes
from melm_core.base.known_types import known_type
from melm_core.base.label_permutations import PermutationDesign
from melm_core.base.progress import Callback, Progress
from melm_core.base.row_blocks import BlockSource
from melm_core.base.sample_weights import balanced_share, checked_weights
from melm_core.base.sampling import stratified_sample, thinned
from melm_core.base.share_text import p_value_figure, p_value_text, percent
from melm_core.base.stored_rows import read_rows
from melm_core.base.written_cells import (
    NUMBERS,
    THOUSANDS,
    columns_as_known,
    name_and_unit,
    number_in_unit,
    plain_name,
    plain_number,
)

__all__ = [
    "DEFAULT_DENSITY_GAMMA",
    "NUMBERS",
    "THOUSANDS",
    "BlockSource",
    "Callback",
    "ColumnEncoding",
    "FloatArray",
    "GammaPath",
    "GammaProgress",
    "IntArray",
    "PermutationDesign",
    "Progress",
    "UserError",
    "balanced_share",
    "blocks_of",
    "check_choice",
    "check_magnitudes",
    "check_positive",
    "checked_weights",
    "columns_as_known",
    "known_type",
    "name_and_unit",
    "nuisance_codes",
    "number_in_unit",
    "p_value_figure",
    "p_value_text",
    "percent",
    "plain_name",
    "plain_number",
    "read_rows",
    "stratified_sample",
    "thinned",
    "units_of_classes",
]
