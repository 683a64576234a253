"""Archives of numbers and a table of their samples."""

from __future__ import annotations

import io
import zipfile

import pytest

from melm_studio.tables import TableError, prepare, read_table

GENES = "gene,a,b,c,d,e\nTP53,1,2,3,4,5\nMYC,9,7,8,6,5\nLYZ,2,2,4,4,1\n"
SAMPLES = "donor;sample;kind\n1;e;ill\n2;b;ill\n3;d;well\n4;a;well\n"
BY_ROWS = "id,x,y\na,1,2\nb,3,4\nc,5,6\nd,7,8\n"


def zipped(**files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"study/{name}.csv", text)
    return packed.getvalue()


@pytest.mark.parametrize("order", [1, -1])
def test_samples_in_columns_get_the_cells_of_their_table(order):
    files = dict(list({"genes": GENES, "samples": SAMPLES}.items())[::order])
    table = read_table(zipped(**files), "study.zip")
    assert table.name == "genes"
    assert table.frame["gene"].tolist() == list("abcde")
    assert table.frame["MYC"].tolist() == [9, 7, 8, 6, 5]
    assert table.frame["kind"].fillna("").tolist() == ["well", "ill", "", "well", "ill"]
    assert table.steps[0] == "Joined by sample: 5 columns of genes.csv with 4 rows of samples.csv."
    assert prepare(table).class_names == ("ill", "well")


def test_samples_in_rows_get_the_cells_of_their_table():
    samples = "name,kind\nd,u\nc,v\nb,u\na,v\nz,v\n"
    table = read_table(zipped(numbers=BY_ROWS, samples=samples), "study.zip")
    assert table.frame["kind"].tolist() == ["v", "u", "v", "u"]
    assert table.frame["y"].tolist() == [2, 4, 6, 8]


@pytest.mark.parametrize(
    "samples",
    ["name,kind\np,u\nq,v\n", "name,kind\na,u\na,v\nb,u\nc,v\n"],
    ids=["none shared", "repeated"],
)
def test_tables_that_do_not_name_each_other_are_refused(samples):
    with pytest.raises(TableError, match="a compressed archive"):
        read_table(zipped(numbers=BY_ROWS, samples=samples), "study.zip")


def test_joined_tables_are_bounded():
    with pytest.raises(TableError, match="has more than 2 rows"):
        read_table(zipped(numbers=BY_ROWS, samples=SAMPLES), "study.zip", max_rows=2)
