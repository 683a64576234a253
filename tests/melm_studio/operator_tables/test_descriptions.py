"""Tables are found where the operator says, never outside that folder."""

from __future__ import annotations

import os

import pytest

from melm_core.base.errors import UserError
from melm_studio.operator_tables.descriptions import MAX_DESCRIPTION_BYTES, TableFolder


def described(folder, text):
    (folder / "tables.toml").write_text(text)
    tables = TableFolder(str(folder))
    return {key: tables.table(key, found) for key, found in tables.descriptions().items()}


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "tables"
    (folder / "trees").mkdir(parents=True)
    for name in ("trees/b.parquet", "trees/a.parquet", "trees/_metadata", "leaves.csv", "notes.md"):
        (folder / name).write_bytes(b"x")
    (tmp_path / "secret.csv").write_text("a,b\n1,2\n")
    return folder


def test_without_a_description_every_file_and_folder_of_data_is_a_table(folder):
    (folder / "empty").mkdir()
    tables = TableFolder(str(folder))
    assert {key: one.path for key, one in tables.descriptions().items()} == {
        "leaves": "leaves.csv",
        "trees": "trees",
    }


@pytest.mark.fault
def test_a_description_gives_name_label_and_visitors(folder):
    found = described(
        folder, '[trees]\npath = "trees"\nname = "Trees"\nlabel = "tree"\nvisitors = ["ada"]'
    )
    (table,) = found.values()
    assert (table.key, table.name, table.description.label) == ("trees", "Trees", "tree")
    assert table.description.visitors == ("ada",)
    assert [file.path.rpartition("/")[2] for file in table.files] == ["a.parquet", "b.parquet"]


@pytest.mark.fault
@pytest.mark.parametrize(
    "path", ["../secret.csv", "trees/../../secret.csv", "/etc/hosts", "file:///etc"]
)
def test_a_path_outside_the_folder_is_refused(folder, path):
    with pytest.raises(UserError, match="outside the folder"):
        described(folder, f'[trees]\npath = "{path}"')


@pytest.mark.fault
@pytest.mark.parametrize("path", ["link.csv", "within"])
def test_a_link_that_leads_out_of_the_folder_is_refused(folder, path):
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    (folder / "within").symlink_to(folder.parent)
    with pytest.raises(UserError, match="outside the folder"):
        described(folder, f'[trees]\npath = "{path}"')


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("trees]", "tables.toml cannot be read"),
        ("[trees]", "path"),
        ('[trees]\npath = "trees"\nlabels = "tree"', "labels"),
        ('["../x"]\npath = "trees"', "names a table '../x'"),
        ('[trees]\npath = "nowhere"', "no Parquet or CSV files at 'nowhere'"),
    ],
)
def test_a_mistake_is_named(folder, text, problem):
    with pytest.raises(UserError, match=problem):
        described(folder, text)


def test_files_of_several_kinds_are_no_table(folder):
    (folder / "trees/c.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match="several kinds"):
        described(folder, '[trees]\npath = "trees"')


def test_the_version_changes_with_the_files_and_the_label_only(folder):
    text = '[trees]\npath = "trees"\nlabel = "tree"'
    first = described(folder, text)["trees"].version
    assert described(folder, text + '\nname = "Trees"')["trees"].version == first
    assert described(folder, text.replace('"tree"', '"leaf"'))["trees"].version != first
    os.utime(folder / "trees/a.parquet", ns=(1, 1))
    assert described(folder, text)["trees"].version != first


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(UserError, match=r"There is no folder .*nowhere"):
        TableFolder(str(tmp_path / "nowhere"))


@pytest.mark.fault
def test_a_pattern_finds_no_hidden_file(folder):
    for name in (".leaves.csv", "_leaves.csv"):
        (folder / name).write_bytes(b"x")
    (table,) = described(folder, '[leaves]\npath = "*.csv"').values()
    assert [file.path.rpartition("/")[2] for file in table.files] == ["leaves.csv"]
    (table,) = described(folder, '[hidden]\npath = ".leaves.csv"').values()  # by its own name
    assert len(table.files) == 1


@pytest.mark.fault
def test_links_in_a_circle_end(folder):
    (folder / "trees" / "again").symlink_to(folder / "trees")
    (folder / "itself.csv").symlink_to(folder / "itself.csv")
    found = described(folder, '[trees]\npath = "trees"')
    assert len(found["trees"].files) >= 2
    with pytest.raises(UserError, match="no Parquet or CSV files"):
        described(folder, '[x]\npath = "itself.csv"')


@pytest.mark.fault
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("#" * (MAX_DESCRIPTION_BYTES + 1), "more than the 1,048,576 that are read"),
        ("a = " + "[" * 100_000, "cannot be read"),
        (f'[leaves]\npath = "leaves.csv"\nname = "{"n" * 201}"', "name of 201 characters"),
    ],
)
def test_a_description_without_end_is_refused_in_a_sentence(folder, text, problem):
    with pytest.raises(UserError, match=problem):
        described(folder, text)


@pytest.mark.fault
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_description_that_is_no_file_is_not_waited_for(folder, make):
    make(folder / "tables.toml")
    with pytest.raises(UserError, match="cannot be read"):
        TableFolder(str(folder)).descriptions()


@pytest.mark.fault
def test_a_file_whose_name_is_no_text_is_named_and_leaves_the_others(folder):
    (folder / os.fsdecode(b"\xff.csv")).write_bytes(b"x")
    tables = TableFolder(str(folder))
    found = tables.descriptions()
    assert tables.table("leaves", found["leaves"]).files
    (bad,) = (key for key in found if key not in ("leaves", "trees"))
    with pytest.raises(UserError, match="not text in UTF-8") as told:
        tables.table(bad, found[bad])
    assert str(told.value).encode()
