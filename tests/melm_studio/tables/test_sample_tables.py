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


@pytest.mark.parametrize(
    ("names", "spots"),
    [
        ("Row,Col,ProbeName", ["0,0", "0,1", "1,0"]),
        ("chr,start,gene", ["1,70", "1,70", "2,80"]),
    ],
)
def test_what_says_what_features_are_is_no_sample(names, spots):
    header, *rows = GENES.splitlines()
    below = [f"{spot},{row}" for spot, row in zip(spots, rows, strict=True)]
    genes = "\n".join([f"{names},{header.partition(',')[2]}", *below, ""])
    table = read_table(zipped(genes=genes, targets=SAMPLES), "study.zip")
    assert table.frame["MYC"].tolist() == [9, 7, 8, 6, 5]
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


WINES = "acid,sugar,quality\n1,2,5\n2,3,6\n3,4,5\n4,5,6\n"


def test_tables_of_the_same_columns_are_put_together():
    table = read_table(zipped(wine_red=WINES, wine_white=WINES), "wines.zip")
    assert table.frame["file"].tolist() == ["red"] * 4 + ["white"] * 4
    assert table.frame["quality"].tolist() == [5, 6, 5, 6] * 2
    split = read_table(zipped(wine_train=WINES, wine_test=WINES), "wines.zip")
    assert prepare(split).feature_names == ("acid", "sugar")


@pytest.mark.parametrize("target", ["kind", "0"])
def test_rows_of_a_table_without_the_label_are_unlabeled(target):
    known = f"id,{target},a,b\n" + "".join(f"{at},{'uv'[at % 2]},{at},2\n" for at in range(12))
    files = {
        "train": known,
        "test": "id,b,a\n20,3,4\n21,5,6\n",
        "sample_submission": f"id,{target}\n20,u\n21,u\n",
    }
    table = read_table(zipped(**files), "contest.zip")
    assert table.steps[0] == (
        "Put together: the rows of train.csv, test.csv. Left out: sample_submission.csv."
    )
    assert table.frame["b"].tolist() == [2] * 12 + [3, 5]
    assert table.frame[target].isna().tolist() == [False] * 12 + [True] * 2
    assert "samples" not in table.asked


@pytest.mark.parametrize("sample", ["sample-id", "#SampleID"])
@pytest.mark.parametrize(
    "types", ["", *(f"#q2:types,categorical{more}\n" for more in ("", ",numeric"))]
)
def test_samples_of_qiime_get_the_cells_of_their_metadata(types, sample):
    counts = "# Constructed from biom file\n#OTU ID,a,b,c,d\nt1,1,2,3,4\nt2,9,7,8,6\n"
    taxa = "Feature ID,Taxon\nt1,k__Bacteria; p__X\nt2,k__Bacteria; p__Y\n"
    metadata = f"{sample},site,ph\n{types}a,gut,6\nb,gut,7\nc,skin,5\nd,skin,4\n"
    table = read_table(zipped(counts=counts, taxonomy=taxa, metadata=metadata), "study.zip")
    assert [*table.frame] == ["OTU ID", "t1", "t2", "site", "ph"]
    assert table.frame["t2"].tolist() == [9, 7, 8, 6]
    assert table.frame["site"].tolist() == ["gut", "gut", "skin", "skin"]
    assert table.steps[0].startswith(f"Joined by {sample.lstrip('#')}: ")
    assert table.steps[0].endswith("Left out: taxonomy.csv.")
