"""Annotated matrices as anndata writes them."""

from __future__ import annotations

import gzip
import io
import zipfile

import h5py
import numpy as np
import pytest
from scipy.io import mmwrite
from scipy.sparse import csc_matrix, csr_matrix

from melm_studio.tables import Role, TableError, prepare
from melm_studio.tables.read import read_table
from melm_studio.tables.readers import h5ad
from tests.messy_tables.example import KIND, N_ROWS

GENES = ["CD3D", "MS4A1", "NKG7"]
COUNTS = np.random.default_rng(0).poisson(1.5, (N_ROWS, len(GENES))).astype(np.float32)
TEXT = h5py.string_dtype()


def frame(parent, name, index, columns):
    group = parent.create_group(name)
    group.attrs["_index"] = "_index"
    group.attrs["column-order"] = np.array(list(columns), dtype=TEXT)
    group.create_dataset("_index", data=index, dtype=TEXT)
    for column, values in columns.items():
        if values is KIND:
            levels = sorted(set(KIND))
            own = group.create_group(column)
            own.create_dataset("categories", data=levels, dtype=TEXT)
            own.create_dataset(
                "codes", data=np.array([levels.index(kind) for kind in KIND], np.int8)
            )
        else:
            group.create_dataset(column, data=values)


def written(tmp_path, X=COUNTS, change=None) -> bytes:
    """The bytes of a file of cells, dense or sparse."""
    path = tmp_path / "cells.h5ad"
    with h5py.File(path, "w") as file:
        if isinstance(X, np.ndarray):
            file.create_dataset("X", data=X)
        else:
            group = file.create_group("X")
            group.attrs["encoding-type"] = f"{X.format}_matrix"
            for name in ("data", "indices", "indptr"):
                group.create_dataset(name, data=getattr(X, name))
        names = [f"cell-{row}" for row in range(N_ROWS)]
        frame(file, "obs", names, {"depth": COUNTS.sum(axis=1), "kind": KIND})
        frame(file, "var", GENES, {})
        if change is not None:
            change(file)
    return path.read_bytes()


@pytest.mark.parametrize("X", [COUNTS, csr_matrix(COUNTS), csc_matrix(COUNTS)], ids=type)
def test_what_was_measured_is_features_and_what_is_known_stands_beside(tmp_path, X):
    table = read_table(written(tmp_path, X), "cells.h5ad")
    assert list(table.frame.columns) == ["name", *GENES, "depth", "kind"]
    np.testing.assert_array_equal(table.frame[GENES].to_numpy(), COUNTS)
    assert table.frame["kind"].tolist() == KIND
    data = prepare(table, "kind")
    assert data.row_names[:2] == ["cell-0", "cell-1"]
    assert list(data.feature_names) == GENES
    assert [column.name for column in data.columns if column.role is Role.INFO] == ["depth"]
    assert table.steps[0] == "Read X, 3 variables, and obs."


def test_what_is_left_out_is_said(tmp_path):
    raw = written(tmp_path, change=lambda file: file.create_dataset("obsm/X_umap", data=COUNTS))
    assert read_table(raw, "cells.h5ad").steps[0].endswith("Left out: obsm.")


def test_missing_categories_and_masked_numbers_are_missing(tmp_path):
    def change(file):
        file["obs/kind/codes"][3] = -1
        own = file["obs"].create_group("age")
        own.create_dataset("values", data=np.arange(N_ROWS))
        own.create_dataset("mask", data=np.arange(N_ROWS) == 5)
        file["obs"].attrs["column-order"] = np.array(["age", "kind"], dtype=TEXT)

    found = read_table(written(tmp_path, change=change), "cells.h5ad").frame
    assert np.flatnonzero(found["kind"].isna()).tolist() == [3]
    assert np.flatnonzero(found["age"].isna()).tolist() == [5]
    assert found["age"][6] == 6


def no_obs(file):
    del file["obs"]


def link_outside(file):
    del file["X"]
    file["X"] = h5py.ExternalLink("/etc/passwd", "/")


def link_within(file):
    del file["X"]
    file["X"] = h5py.SoftLink("/var/_index")


def data_outside(file):
    del file["X"]
    file.create_dataset("X", (N_ROWS, 3), "u1", external=[("/etc/passwd", 0, 3 * N_ROWS)])


def positions_outside(file):
    del file["X"]
    group = file.create_group("X")
    group.attrs["encoding-type"] = "csr_matrix"
    group.create_dataset("data", data=np.ones(N_ROWS))
    group.create_dataset("indices", data=np.full(N_ROWS, 10**6))
    group.create_dataset("indptr", data=np.arange(N_ROWS + 1))


def other_shape(file):
    del file["X"]
    file.create_dataset("X", data=COUNTS[:-1])


def repeated_names(file):
    file["var/_index"][1] = GENES[0]


def codes_outside(file):
    file["obs/kind/codes"][0] = 90


@pytest.mark.parametrize(
    "change",
    [
        no_obs,
        link_outside,
        link_within,
        data_outside,
        positions_outside,
        other_shape,
        repeated_names,
        codes_outside,
    ],
)
def test_a_file_that_is_another_or_made_to_hurt_is_refused_with_a_sentence(tmp_path, change):
    with pytest.raises(TableError, match=r"cells\.h5ad is an HDF5 file that cannot be read"):
        read_table(written(tmp_path, change=change), "cells.h5ad")


def test_bytes_that_only_begin_like_one_are_refused_with_a_sentence():
    with pytest.raises(TableError, match=r"cannot be read as \.h5ad"):
        read_table(b"\x89HDF\r\n\x1a\n" + bytes(500), "cells.h5ad")


def test_more_variables_than_may_be_are_refused_before_they_are_read(tmp_path):
    with pytest.raises(TableError, match="3 variables, and at most 1,000 and 2 can be read"):
        read_table(written(tmp_path), "cells.h5ad", max_rows=1_000, max_columns=2)


def test_what_would_fill_the_memory_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(h5ad.h5ad_cells, "__defaults__", (500,))
    with pytest.raises(TableError, match="holds more than"):
        read_table(written(tmp_path), "cells.h5ad")


def test_the_samples_of_a_newer_biom_are_rows(tmp_path):
    with h5py.File(tmp_path / "table.biom", "w") as file:
        group = file.create_group("sample/matrix")
        for name in ("data", "indices", "indptr"):
            group.create_dataset(name, data=getattr(csr_matrix(COUNTS), name))
        names = [f"soil {row}" for row in range(N_ROWS)]
        file.create_dataset("sample/ids", data=names, dtype=TEXT)
        file.create_dataset("sample/metadata/kind", data=KIND, dtype=TEXT)
        file.create_dataset("observation/ids", data=GENES, dtype=TEXT)
    table = read_table((tmp_path / "table.biom").read_bytes(), "table.biom")
    assert [*table.frame] == ["sample", *GENES, "kind"]
    assert [*table.beside] == ["kind"]
    np.testing.assert_array_equal(table.frame[GENES].to_numpy(), COUNTS)


CELLS = [f"AAAC{row}-1" for row in range(N_ROWS)]
IDS = [f"ENSG{at}" for at in range(len(GENES))]


def cell_ranger(features="features.tsv", names=GENES, pack=gzip.compress, barcodes=CELLS) -> bytes:
    """The bytes of a folder of counts, as Cell Ranger 3 writes them, or 2 without compression."""
    matrix = io.BytesIO()
    mmwrite(matrix, csr_matrix(COUNTS.T.astype(int)), comment="metadata_json: {}")
    end = ".gz" if pack is gzip.compress else ""
    about = "\n".join(f"{of}\t{name}\tGene Expression" for of, name in zip(IDS, names, strict=True))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"filtered/barcodes.tsv{end}", pack("\n".join(barcodes).encode()))
        archive.writestr(f"filtered/{features}{end}", pack(about.encode()))
        archive.writestr(f"filtered/matrix.mtx{end}", pack(matrix.getvalue()))
    return packed.getvalue()


def counts_of_hdf5(tmp_path) -> bytes:
    path = tmp_path / "filtered_feature_bc_matrix.h5"
    counts = csc_matrix(COUNTS.T)
    with h5py.File(path, "w") as file:
        group = file.create_group("matrix")
        for name in ("data", "indices", "indptr"):
            group.create_dataset(name, data=getattr(counts, name))
        group.create_dataset("shape", data=counts.shape)
        group.create_dataset("barcodes", data=np.array(CELLS, "S"))
        for name, values in {"id": IDS, "name": GENES}.items():
            group.create_dataset(f"features/{name}", data=np.array(values, "S"))
    return path.read_bytes()


@pytest.mark.parametrize("version", [2, 3, "HDF5"])
def test_the_cells_of_cell_ranger_are_rows(version, tmp_path):
    raw = {
        2: lambda: cell_ranger("genes.tsv", pack=bytes),
        3: cell_ranger,
        "HDF5": lambda: counts_of_hdf5(tmp_path),
    }[version]()
    frame = read_table(raw, "cells.zip").frame
    assert [*frame] == ["barcode", *GENES]
    assert [*frame["barcode"]] == CELLS
    np.testing.assert_array_equal(frame[GENES].to_numpy(), COUNTS)


def test_genes_of_the_same_name_are_named_by_their_ids():
    frame = read_table(cell_ranger(names=["A", "B", "A"]), "cells.zip").frame
    assert [*frame] == ["barcode", "ENSG0", "B", "ENSG2"]


def test_counts_that_do_not_fit_their_barcodes_are_refused():
    with pytest.raises(TableError, match="no counts that fit"):
        read_table(cell_ranger(barcodes=CELLS[:-1]), "cells.zip")
    cut = cell_ranger(pack=lambda text: text[:300] if text.startswith(b"%%") else text)
    with pytest.raises(TableError, match="no counts that fit"):
        read_table(cut, "cells.zip")
    with pytest.raises(TableError, match="2 and"):
        read_table(cell_ranger(), "cells.zip", max_rows=2, max_columns=9)
