"""Readers of files that are not plain delimited text; none of them executes anything."""

from __future__ import annotations

from melm_studio.tables.readers.arff import arff_text, is_arff
from melm_studio.tables.readers.arrays import array_cells, is_arrays
from melm_studio.tables.readers.arrow import arrow_cells, arrow_column, is_arrow
from melm_studio.tables.readers.excel import excel_text, is_excel
from melm_studio.tables.readers.h5ad import h5ad_cells, is_h5ad
from melm_studio.tables.readers.options import DEFAULT_OPTIONS, ReadOptions
from melm_studio.tables.readers.pictures import (
    PictureArchive,
    is_picture,
    names_picture,
    with_pictures,
)
from melm_studio.tables.readers.unpack import MAX_UNPACKED, archived_files, unpacked
from melm_studio.tables.readers.vectors import with_vectors

__all__ = [
    "DEFAULT_OPTIONS",
    "MAX_UNPACKED",
    "PictureArchive",
    "ReadOptions",
    "archived_files",
    "arff_text",
    "array_cells",
    "arrow_cells",
    "arrow_column",
    "excel_text",
    "h5ad_cells",
    "is_arff",
    "is_arrays",
    "is_arrow",
    "is_excel",
    "is_h5ad",
    "is_picture",
    "names_picture",
    "unpacked",
    "with_pictures",
    "with_vectors",
]
