"""Readers of files that are not plain delimited text; none of them executes anything."""

from __future__ import annotations

from melm_studio.tables.readers.arrays import array_cells, is_arrays
from melm_studio.tables.readers.arrow import arrow_cells, arrow_column, is_arrow
from melm_studio.tables.readers.excel import excel_text, is_excel
from melm_studio.tables.readers.flow import flow_cells, is_flow
from melm_studio.tables.readers.h5ad import cells_of_10x, h5ad_cells, is_10x, is_h5ad
from melm_studio.tables.readers.json_records import is_json, json_cells
from melm_studio.tables.readers.machine_learning import (
    arff_text,
    is_arff,
    is_sparse_lines,
    is_time_series,
    series_cells,
    sparse_cells,
)
from melm_studio.tables.readers.matlab import is_matlab, matlab_cells
from melm_studio.tables.readers.options import DEFAULT_OPTIONS, ReadOptions
from melm_studio.tables.readers.pictures import (
    PictureArchive,
    is_picture,
    names_picture,
    with_pictures,
)
from melm_studio.tables.readers.soft_family import is_soft_family, soft_cells
from melm_studio.tables.readers.statistics import ROW_NAMES, is_statistics, statistics_cells
from melm_studio.tables.readers.unpack import MAX_UNPACKED, archived_files, unpacked
from melm_studio.tables.readers.vectors import with_vectors

__all__ = [
    "DEFAULT_OPTIONS",
    "MAX_UNPACKED",
    "ROW_NAMES",
    "PictureArchive",
    "ReadOptions",
    "archived_files",
    "arff_text",
    "array_cells",
    "arrow_cells",
    "arrow_column",
    "cells_of_10x",
    "excel_text",
    "flow_cells",
    "h5ad_cells",
    "is_10x",
    "is_arff",
    "is_arrays",
    "is_arrow",
    "is_excel",
    "is_flow",
    "is_h5ad",
    "is_json",
    "is_matlab",
    "is_picture",
    "is_soft_family",
    "is_sparse_lines",
    "is_statistics",
    "is_time_series",
    "json_cells",
    "matlab_cells",
    "names_picture",
    "series_cells",
    "soft_cells",
    "sparse_cells",
    "statistics_cells",
    "unpacked",
    "with_pictures",
    "with_vectors",
]
