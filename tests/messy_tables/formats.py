"""Files that are no plain text: packed, NumPy's, Parquet, workbooks, ARFF."""

from __future__ import annotations

import base64
import gzip
import io
import zipfile

import h5py
import numpy as np
import pandas as pd
from PIL import Image

from tests.messy_tables.example import KIND, N_ROWS, MessyTable, numbers, text_of

A, B = numbers(1), numbers(2)
TEXT = text_of(["x", "y", "kind"], A, B, KIND).encode()


def gzipped() -> MessyTable:
    return MessyTable(
        "A file packed by gzip is unpacked.", "t.csv.gz", gzip.compress(TEXT), ("x", "y")
    )


def zipped() -> MessyTable:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("folder/t.csv", TEXT)
    return MessyTable(
        "An archive of one file is that file.", "t.zip", packed.getvalue(), ("x", "y")
    )


def with_samples() -> MessyTable:
    packed, names = io.BytesIO(), [f"S{at:02d}" for at in range(N_ROWS)]
    genes = {name: numbers(at) for at, name in enumerate(("TP53", "MYC", "LYZ"))}
    rows = [
        ",".join(map(str, row)) for row in (["gene", *names], *([g, *v] for g, v in genes.items()))
    ]
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("counts.csv", "\n".join(rows))
        archive.writestr("samples.csv", text_of(["sample", "kind"], names[::-1], KIND[::-1]))
    return MessyTable(
        "Numbers without groups and a table of their samples beside them are one table.",
        "study.zip",
        packed.getvalue(),
        tuple(genes),
        shown=("Joined by sample: 48 columns of counts.csv with 48 rows of samples.csv.",),
        first={"MYC": genes["MYC"][0]},
    )


def with_pictures() -> MessyTable:
    packed, picture = io.BytesIO(), io.BytesIO()
    Image.new("RGB", (20, 20), "teal").save(picture, "PNG")
    names = [f"{row}.png" for row in range(N_ROWS)]
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("t.csv", text_of(["x", "y", "file", "kind"], A, B, names, KIND))
        for name in names:
            archive.writestr(f"pictures/{name}", picture.getvalue())
    return MessyTable(
        "A table in an archive has the pictures that it names beside their names.",
        "t.zip",
        packed.getvalue(),
        ("x", "y"),
        shown=("file has pictures, which the card of a row shows.",),
    )


def _icon(color: str) -> bytes:
    picture = io.BytesIO()
    Image.new("RGB", (1, 1), color).save(picture, "PNG")
    return picture.getvalue()


def icons_last() -> MessyTable:
    icons = [base64.b64encode(_icon(color)).decode() for color in ("teal", "tan")]
    cells = [f"data:image/png;base64,{icons[at % 2]}" for at in range(N_ROWS)]
    return MessyTable(
        "Pictures in the last column are neither classes, nor categories, nor names.",
        "icons.csv",
        text_of(["x", "kind", "y", "icon"], A, KIND, B, cells).encode(),
        ("x", "y"),
        shown=("icon has pictures, which the card of a row shows.",),
    )


def picture_files_last() -> MessyTable:
    packed = io.BytesIO()
    names = [f"img\\icon{at % 2}.PNG" for at in range(N_ROWS)]
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("t.csv", text_of(["x", "kind", "y", "icon"], A, KIND, B, names))
        for name, color in (("icon0.PNG", "teal"), ("icon1.PNG", "tan")):
            archive.writestr(f"img/{name}", _icon(color))
    return MessyTable(
        "Names of pictures that repeat are neither classes nor categories.",
        "icons.zip",
        packed.getvalue(),
        ("x", "y"),
        shown=("icon has pictures, which the card of a row shows.",),
    )


def npz() -> MessyTable:
    saved = io.BytesIO()
    X = np.column_stack([A, B])
    np.savez(saved, X=X, y=np.array(KIND), feature_names=np.array(["width", "height"]))
    return MessyTable(
        "An .npz of X, y and names is a table.",
        "t.npz",
        saved.getvalue(),
        ("width", "height"),
        first={"width": A[0]},
    )


def npz_of_codes() -> MessyTable:
    saved = io.BytesIO()
    codes = np.array([["raw", "ripe"].index(kind) for kind in KIND])
    names = np.array(["raw", "ripe"])
    np.savez(saved, data=np.column_stack([A, B]), target=codes, target_names=names)
    return MessyTable(
        "Codes of classes in an .npz have the names that stand beside them, as in scikit-learn.",
        "t.npz",
        saved.getvalue(),
        ("x0", "x1"),
        shown=("target is named by target_names.",),
        first={"x0": A[0]},
    )


def npz_of_images() -> MessyTable:
    saved = io.BytesIO()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 8, 8))
    X = X[:, 1:, 1:] + X[:, :-1, 1:] + X[:, 1:, :-1] + X[:, :-1, :-1]
    np.savez(saved, X=X[:, :6, :6], y=np.array(KIND))
    return MessyTable(
        "Whether features that are alike as neighboring pixels are an image is asked.",
        "t.npz",
        saved.getvalue(),
        tuple(f"x{row}_{column}" for row in range(6) for column in range(6)),
        shown=("Are the features the pixels of an image?",),
        asked=("grid",),
    )


def embeddings() -> MessyTable:
    vectors = np.random.default_rng(0).normal(size=(N_ROWS, 4)).round(3)
    saved = io.BytesIO()
    frame = pd.DataFrame({"embedding": list(vectors), "kind": KIND})
    frame.to_parquet(saved)
    return MessyTable(
        "A column of vectors in Parquet is a block of features.",
        "t.parquet",
        saved.getvalue(),
        ("embedding 0", "embedding 1", "embedding 2", "embedding 3"),
        shown=("embedding is read as 4 features",),
        first={"embedding 2": float(vectors[0, 2])},
    )


def written_embeddings() -> MessyTable:
    vectors = np.random.default_rng(0).normal(size=(N_ROWS, 3)).round(3).tolist()
    return MessyTable(
        "Vectors that are written in text, as pandas saves them, are a block of features.",
        "t.csv",
        text_of(["title", "embedding", "kind"], [f"t{at}" for at in A], vectors, KIND).encode(),
        ("embedding 0", "embedding 1", "embedding 2"),
        shown=("embedding is read as 3 features",),
        first={"embedding 1": vectors[0][1]},
    )


def annotated() -> MessyTable:
    saved, text = io.BytesIO(), h5py.string_dtype()
    with h5py.File(saved, "w") as file:
        file["X"] = np.column_stack([A, B])
        for name, index, columns in (
            ("obs", [f"cell-{row}" for row in range(N_ROWS)], ["kind"]),
            ("var", ["CD3D", "NKG7"], []),
        ):
            group = file.create_group(name)
            group.attrs["_index"] = "_index"
            group.attrs["column-order"] = np.array(columns, dtype=text)
            group.create_dataset("_index", data=index, dtype=text)
        file["obs"].create_dataset("kind", data=KIND, dtype=text)
    return MessyTable(
        "An .h5ad file is X with the names of its variables, and obs beside it.",
        "t.h5ad",
        saved.getvalue(),
        ("CD3D", "NKG7"),
        shown=("Read X, 2 variables, and obs.",),
        first={"CD3D": A[0]},
    )


def workbook() -> MessyTable:
    saved = io.BytesIO()
    frame = pd.DataFrame({"x": A, "y": B, "kind": KIND})
    with pd.ExcelWriter(saved, engine="openpyxl") as book:
        frame.to_excel(book, sheet_name="data", index=False)
        pd.DataFrame({"about": ["a survey"]}).to_excel(book, sheet_name="read me", index=False)
    return MessyTable(
        "The first sheet of a workbook is read, and the others are offered.",
        "t.xlsx",
        saved.getvalue(),
        ("x", "y"),
        shown=("Read from the sheet data.", "Which is the table? data is read."),
        asked=("sheet",),
    )


def explained_workbook() -> MessyTable:
    saved = io.BytesIO()
    about = pd.DataFrame({"About": ["Measured in spring.", "By us."]})
    with pd.ExcelWriter(saved, engine="openpyxl") as book:
        about.to_excel(book, sheet_name="about", index=False)
        pd.DataFrame({"x": A, "y": B, "kind": KIND}).to_excel(book, sheet_name="data", index=False)
    return MessyTable(
        "A page of explanations before the table is not taken for it.",
        "t.xlsx",
        saved.getvalue(),
        ("x", "y"),
        shown=("Which is the table? data is read.",),
        asked=("sheet",),
    )


def arff() -> MessyTable:
    rows = TEXT.decode().partition("\n")[2]
    head = "@relation t\n@attribute x numeric\n@attribute y numeric\n@attribute kind {ripe,raw}\n"
    return MessyTable(
        "ARFF is a table with its types.", "t.arff", (head + "@data\n" + rows).encode(), ("x", "y")
    )


TABLES = (
    gzipped, zipped, with_samples, with_pictures, icons_last, picture_files_last, annotated, npz,
    npz_of_codes, npz_of_images, embeddings, written_embeddings, workbook, explained_workbook, arff,
)  # fmt: skip
