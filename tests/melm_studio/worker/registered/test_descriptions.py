"""Tables are found where the operator says, never outside that folder."""

from __future__ import annotations

import os

import pytest

from melm_core.base.errors import UserError
from melm_studio.worker.registered.descriptions import TableFolder


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


def test_a_description_gives_name_label_and_visitors(folder):
    found = described(
        folder, '[trees]\npath = "trees"\nname = "Trees"\nlabel = "tree"\nvisitors = ["ada"]'
    )
    (table,) = found.values()
    assert (table.key, table.name, table.description.label) == ("trees", "Trees", "tree")
    assert table.description.visitors == ("ada",)
    assert [file.path.rpartition("/")[2] for file in table.files] == ["a.parquet", "b.parquet"]


@pytest.mark.parametrize(
    "path", ["../secret.csv", "trees/../../secret.csv", "/etc/hosts", "file:///etc"]
)
def test_a_path_outside_the_folder_is_refused(folder, path):
    with pytest.raises(UserError, match="outside the folder"):
        described(folder, f'[trees]\npath = "{path}"')


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
