"""Pictures in tables, and tables of pictures."""

from __future__ import annotations

import base64
import io
import struct
import zipfile
import zlib

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from melm_studio.rows.selection import rows_named
from melm_studio.tables import Role, TableError, label_candidates, prepare
from melm_studio.tables.pixels import pixel_grid
from melm_studio.tables.read import read_table
from melm_studio.tables.readers import pictures
from tests.messy_tables.example import KIND, N_ROWS, numbers


def picture(color: int = 80, size: tuple[int, int] = (300, 150), kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, (color, 120, 40)).save(file, kind)
    return file.getvalue()


def uri(raw: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(raw).decode()}"


def of_thumbnail(cell: str) -> Image.Image:
    head, _, body = cell.partition(",")
    assert head == "data:image/webp;base64"
    return Image.open(io.BytesIO(base64.b64decode(body)))


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, raw in files.items():
            archive.writestr(name, raw)
    return packed.getvalue()


def table(**columns) -> pd.DataFrame:
    return pd.DataFrame({"x": numbers(1), "y": numbers(2), **columns, "kind": KIND})


@pytest.fixture(scope="module")
def photos():
    """A table with a picture a row, of which the fourth is damaged and the fifth missing."""
    cells = [uri(picture(4 * row)) for row in range(N_ROWS)]
    cells[3], cells[4] = "data:image/png;base64,AAAA", ""
    return read_table(table(photo=cells).to_csv(index=False).encode(), "photos.csv")


def test_pictures_in_text_become_thumbnails(photos):
    thumbnail = of_thumbnail(photos.frame["photo"][0])
    assert thumbnail.size == (128, 64)
    assert np.allclose(np.asarray(thumbnail)[30, 30], (0, 120, 40), atol=6)
    assert "photo has pictures, which the card of a row shows." in photos.steps


def test_a_damaged_picture_is_missing_and_counted(photos):
    assert photos.frame["photo"].isna().tolist() == [row in (3, 4) for row in range(N_ROWS)]
    (said,) = (step for step in photos.steps if "cannot be read" in step)
    assert said.startswith("1 picture of photo cannot be read")


def test_pictures_describe_a_row_and_are_no_feature_and_no_name(photos):
    data = prepare(photos, "kind")
    (column,) = data.row_columns
    assert (column.name, column.role, column.is_pictures) == ("photo", Role.INFO, True)
    assert list(data.feature_names) == ["x", "y"]


@pytest.mark.parametrize("use", ["feature", "ordered", "name", "group", "batch", "order"])
def test_pictures_can_be_used_as_information_alone(photos, use):
    with pytest.raises(TableError, match=r'"photo" cannot be .*: pictures\. Leave it out'):
        prepare(photos, "kind", roles={"photo": use})


def test_pictures_are_no_classes():
    cells = [uri(picture(90 if kind == "raw" else 10, (1, 1))) for kind in KIND]
    read = read_table(table(photo=cells).to_csv(index=False).encode(), "photos.csv")
    assert label_candidates(read) == ("kind",)
    with pytest.raises(TableError, match='"photo" has pictures, which are not classes'):
        prepare(read, "photo")
    asked_anew = prepare(read, answers={"label": "photo"})
    assert asked_anew.label == "kind"
    assert "label = photo" in asked_anew.warnings[0]


def test_pictures_name_no_row_where_nothing_else_does(photos):
    assert not [one for one in prepare(photos).row_columns if one.role is Role.NAME]


def test_names_of_pictures_are_neither_classes_nor_categories():
    names = ["none", *(f"icons/{kind}.png" for kind in KIND[1:])]
    read = read_table(table(icon=names).to_csv(index=False).encode(), "icons.csv")
    assert label_candidates(read) == ("kind",)
    data = prepare(read)
    assert data.feature_names == ("x", "y")
    assert [one.name for one in data.row_columns] == ["icon"]
    assert prepare(read, roles={"icon": "feature"}).feature_names[-1].startswith("icon = ")


def test_a_column_has_pictures_although_its_first_cell_says_that_one_is_missing():
    cells = ["none", *(uri(picture(4 * row)) for row in range(1, N_ROWS))]
    read = read_table(table(photo=cells).to_csv(index=False).encode(), "photos.csv")
    assert read.frame["photo"].isna().tolist() == [row == 0 for row in range(N_ROWS)]
    assert of_thumbnail(read.frame["photo"][1]).size == (128, 64)


def test_a_text_is_not_searched_in_pictures(photos):
    assert rows_named(prepare(photos, "kind"), "webp").rows == ()


def test_equal_pictures_describe_rows_too():
    cells = [uri(picture(90 if kind == "raw" else 10)) for kind in KIND]
    read = read_table(table(photo=cells).to_csv(index=False).encode(), "photos.csv")
    assert [one.name for one in prepare(read, "kind").row_columns] == ["photo"]


@pytest.mark.parametrize("nested", [False, True])
def test_pictures_in_bytes_of_parquet_are_shown(nested):
    pytest.importorskip("pyarrow")
    raw = [picture(4 * row, kind="JPEG") for row in range(N_ROWS)]
    cells = [{"bytes": one, "path": None} for one in raw] if nested else raw
    saved = io.BytesIO()
    table(photo=cells).to_parquet(saved)
    read = read_table(saved.getvalue(), "photos.parquet")
    assert of_thumbnail(read.frame["photo"][0]).size == (128, 64)
    assert read.steps.count("photo has pictures, which the card of a row shows.") == 1


@pytest.fixture(scope="module")
def named():
    """An archive of a table and the pictures that it names, as a desktop packs it."""
    names = [f"{row}.jpg" for row in range(N_ROWS)]
    files = {f"set/img/{name}": picture(5 * row, kind="JPEG") for row, name in enumerate(names)}
    text = table(file=names).to_csv(index=False).encode()
    other = {"__MACOSX/set/._t.csv": b"x", "set/.DS_Store": b"y"}
    return zipped({"set/t.csv": text, **files, **other})


def test_a_table_in_an_archive_has_the_pictures_that_it_names(named):
    read = read_table(named, "set.zip")
    assert read.name == "t"
    assert list(read.frame.columns) == ["x", "y", "file", "picture", "kind"]
    assert read.frame["file"][7] == "7.jpg"
    assert np.allclose(np.asarray(of_thumbnail(read.frame["picture"][7]))[9, 9, 0], 35, atol=6)


def test_the_name_of_a_picture_is_the_name_of_its_row(named):
    roles = {one.name: one.role for one in prepare(read_table(named, "set.zip"), "kind").columns}
    assert (roles["file"], roles["picture"]) == (Role.NAME, Role.INFO)


def test_pictures_of_the_same_name_are_told_by_their_folders():
    names = [f"{kind}/{row // 2}.png" for row, kind in enumerate(KIND)]
    files = {name: picture(200 if "raw" in name else 10) for name in names}
    text = table(file=names).to_csv(index=False).encode()
    read = read_table(zipped({"t.csv": text, **files}), "t.zip")
    reds = [np.asarray(of_thumbnail(cell))[9, 9, 0] > 100 for cell in read.frame["picture"]]
    assert reds == [kind == "raw" for kind in KIND]


def in_folders(size: tuple[int, int]) -> bytes:
    rows = enumerate(KIND)
    return zipped({f"set/{kind}/{row}.png": picture(5 * row, size) for row, kind in rows})


def test_pictures_in_folders_are_a_table_whose_classes_are_the_folders():
    read = read_table(in_folders((9, 6)), "set.zip")
    data = prepare(read, "class")
    assert list(data.class_names) == ["raw", "ripe"]
    assert pixel_grid(data).size == "6 x 9"
    assert "the features are 6 x 9 gray values" in read.steps[0]


@pytest.mark.slow
def test_large_pictures_in_folders_are_reduced():
    assert "28 x 28 gray values" in read_table(in_folders((300, 200)), "set.zip").steps[0]


def test_more_pictures_than_are_read_are_refused_or_said(monkeypatch, named):
    monkeypatch.setattr(pictures, "MOST_PICTURES", 10)
    with pytest.raises(TableError, match="48 pictures, but at most 10 can be read"):
        read_table(in_folders((4, 4)), "set.zip")
    read = read_table(named, "set.zip")
    assert read.frame["picture"].notna().sum() == 10
    assert any(step.startswith("38 pictures of file are not shown") for step in read.steps)


def bomb() -> bytes:
    """A picture of 60,000 x 60,000 pixels in some hundred bytes."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    data = zlib.compress(bytes(1_000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def test_a_picture_that_would_take_gigabytes_is_not_decoded():
    made = pictures.Thumbnails()
    assert made.of(bomb()) is None
    assert made.n_unreadable == 1


@pytest.mark.parametrize(
    "files",
    [
        {"a.png": picture()},
        {"a/b.png": picture(), "a/c.png": picture()},
        {"a.png": picture(), "t.csv": b"x,y\n1,2\n", "u.csv": b"x,y\n1,2\n"},
        {"a.png": picture(), "run.py": b"print()"},
    ],
    ids=["one picture", "one folder", "two tables", "a script"],
)
def test_another_archive_is_refused_with_the_way_out(files):
    with pytest.raises(TableError, match="is a compressed archive"):
        read_table(zipped(files), "t.zip")
