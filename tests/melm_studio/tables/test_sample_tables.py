"""Archives of numbers and a table of their samples."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from itertools import permutations

import numpy as np
import pytest

from melm_studio.tables import ReadOptions, TableError, prepare, read_table

GENES = "gene,a,b,c,d,e\nTP53,1,2,3,4,5\nMYC,9,7,8,6,5\nLYZ,2,2,4,4,1\n"
SAMPLES = "donor;sample;kind\n1;e;ill\n2;b;ill\n3;d;well\n4;a;well\n"
BY_ROWS = "id,x,y\na,1,2\nb,3,4\nc,5,6\nd,7,8\n"


def zipped(**files):
    return archived({f"{name}.csv": text for name, text in files.items()})


def archived(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"study/{name}", content)
    return packed.getvalue()


@pytest.mark.parametrize("order", [*permutations(("s_X.txt", "a_X.txt", "m_X_maf.tsv"))])
@pytest.mark.parametrize("with_factor", ["s_X.txt", "a_X.txt"])
def test_the_table_of_isa_tab_that_has_the_factor_is_joined(order, with_factor):
    others = {"s_X.txt": "Characteristics[side]", "a_X.txt": "Parameter Value[polarity]"}
    texts = {
        file: f"Source Name\tSample Name\t{'Factor Value[diet]' if file == with_factor else said}\n"
        + "".join(f"d{at}\t{name}\t{'uv'[at % 2]}\n" for at, name in enumerate(NAMES))
        for file, said in others.items()
    }
    texts["m_X_maf.tsv"] = metabolites(NAMES)
    data = prepare(read_table(archived({file: texts[file] for file in order}), "study.zip"))
    assert (data.label, data.class_names) == ("diet", ("u", "v"))
    assert len(data.feature_names) == 5


LAST_KNOWN = "\tsmallmolecule_abundance_std_error_sub"


def metabolites(names, last=LAST_KNOWN):
    """Write an assignment file of MetaboLights."""
    header, *rows = of_features(names).replace(",", "\t").splitlines()
    known = f"database_identifier\tmetabolite_identification{last}"
    below = (row.replace("\t", "\tx\t\t" if last else "\tx\t", 1) for row in rows)
    return "\n".join([header.replace("gene", known), *below, ""])


DIETS = "Source Name\tSample Name\tFactor Value[diet]\tFactor Value[organ]\n" + "".join(
    f"d{at}\ts{at}\t{'uv'[at % 2]}\t{'pq'[at // 4]}\n" for at in range(8)
)


@pytest.mark.parametrize("order", [*permutations(range(3))])
@pytest.mark.parametrize("last", [LAST_KNOWN, ""])
def test_factors_of_isa_tab_are_those_of_the_samples_of_extracts(order, last):
    extracts = "".join(f"{name}\tgas\t{name} polar\n" for name in NAMES)
    files = [
        ("m_X_maf.tsv", metabolites([f"{name} polar" for name in NAMES], last)),
        ("a_X.txt", f"Sample Name\tParameter Value[mode]\tExtract Name\n{extracts}"),
        ("s_X.txt", DIETS),
    ]
    table = read_table(archived(dict(files[place] for place in order)), "study.zip")
    samples = "with 8 rows of a_X.txt, and by Sample Name with 8 rows of s_X.txt."
    assert any(step.endswith(samples) for step in table.steps)
    data = prepare(table)
    assert (data.label, data.class_names, len(data.feature_names)) == ("diet", ("u", "v"), 5)


def test_other_factors_of_isa_tab_are_offered_and_are_no_features():
    texts = {"m_X_maf.tsv": metabolites(NAMES), "s_X.txt": DIETS}
    data = prepare(table := read_table(archived(texts), "study.zip"))
    assert "Read as ISA-Tab: the first of its factors is the label." in data.steps
    (question,) = [each for each in data.questions if each.id == "label"]
    assert [choice.value for choice in question.choices] == ["diet", "organ"]
    data = prepare(table, answers={"label": "organ"})
    assert (data.class_names, len(data.feature_names)) == (("p", "q"), 5)


def test_isa_tab_without_a_factor_is_not_said_to_have_one():
    one = DIETS.replace("Factor Value[organ]", "Comment[organ]")
    for text, said in ((one, ": its factor is the label"), (one.replace("Factor", "Any"), "")):
        data = prepare(read_table(zipped(numbers=of_features(), samples=text), "study.zip"))
        assert f"Read as ISA-Tab{said}." in data.steps
        assert (data.label == "diet") == bool(said)
        assert not (said and [each for each in data.questions if each.id == "label"])


@pytest.mark.parametrize(
    ("name", "donor", "is_joined"),
    [
        ("donor", "p{}", True),
        ("donor", "{}", True),
        ("Patient", "p{}", False),
        ("id", "{}", False),
        ("gene", "p{}", False),
    ],
    ids=["named", "numbered", "of another name", "numbers of the rows", "of features"],
)
def test_what_is_said_of_donors_is_joined_to_their_samples(name, donor, is_joined):
    n_donors = 8 if name == "id" else 4
    of_samples = [(donor.format(at % n_donors), at * at) for at in range(8)]
    first = "donor" if name == "Patient" else name
    files = {
        "genes": of_features(),
        "samples": f"sample,{first},day\n"
        + "".join(f"{n},{d},{day}\n" for n, (d, day) in zip(NAMES, of_samples, strict=True)),
        "donors": f"{name},kind\n"
        + "".join(f"{donor.format(at)},{'uv'[at % 2]}\n" for at in range(n_donors)),
    }
    table = read_table(zipped(**files), "study.zip")
    assert [name in table.frame for name in ("g0", "day", "kind")] == [True, True, is_joined]
    assert ("Left out: donors.csv." in table.steps[0]) != is_joined
    if is_joined:
        data = prepare(table)
        assert (data.class_names, len(data.feature_names)) == (("u", "v"), 5)


@pytest.mark.parametrize("is_all_json", [True, False])
def test_metabolites_as_json_get_the_factors_of_their_samples(is_all_json):
    records = {
        str(at): {"study": "ST1", "metabolite_name": f"m{at}", "metabolite_id": f"ME{at}"}
        | {"DATA": {name: str((at * 7 + n * n) % 11) for n, name in enumerate(NAMES)}}
        for at in range(9)
    }
    factors = {str(n): {"id": name, "diet": "uv"[n % 2]} for n, name in enumerate(NAMES)}
    rows = "id,diet\n" + "".join(f"{each['id']},{each['diet']}\n" for each in factors.values())
    beside = {"factors.json": json.dumps(factors)} if is_all_json else {"factors.csv": rows}
    table = read_table(archived({"data.json": json.dumps(records), **beside}), "study.zip")
    assert table.frame.iloc[:, 0].tolist() == NAMES
    data = prepare(table)
    assert (data.label, data.class_names, len(data.feature_names)) == ("diet", ("u", "v"), 9)


def test_json_that_is_about_a_table_is_left_out():
    about = json.dumps({"title": "a study", "keywords": ["of", "words"]})
    table = read_table(archived({"rows.csv": BY_ROWS, "about.json": about}), "study.zip")
    assert [*table.frame] == ["id", "x", "y"]
    assert "Left out, as no tables: about.json." in table.steps


@pytest.mark.parametrize("order", [1, -1])
def test_samples_in_columns_get_the_cells_of_their_table(order):
    files = dict(list({"genes": GENES, "samples": SAMPLES}.items())[::order])
    table = read_table(zipped(**files), "study.zip")
    assert table.name == "genes"
    assert table.frame["sample"].tolist() == list("abcde")
    assert table.frame["MYC"].tolist() == [9, 7, 8, 6, 5]
    assert table.frame["kind"].fillna("").tolist() == ["well", "ill", "", "well", "ill"]
    assert table.steps[0] == "Joined by sample: 5 columns of genes.csv with 4 rows of samples.csv."
    assert prepare(table).class_names == ("ill", "well")


@pytest.mark.parametrize("named_by", ["Sample_title", "Sample_geo_accession"])
@pytest.mark.parametrize("order", [1, -1])
def test_a_series_matrix_without_values_says_what_the_samples_of_counts_are(named_by, order):
    other = {"Sample_title", "Sample_geo_accession"} - {named_by}
    said = [
        ["!Series_title", "A study"],
        [f"!{named_by}", *"abcde"],
        [f"!{other.pop()}", *"vwxyz"],
        ["!Sample_characteristics_ch1", *(f"disease: {kind}" for kind in "pqpqp")],
        ["!series_matrix_table_begin"],
        ["ID_REF", *(f"GSM{at}" for at in range(5))],
        ["!series_matrix_table_end"],
    ]
    text = "".join(
        "\t".join(f'"{cell}"' if cell[0] != "!" else cell for cell in row) + "\n" for row in said
    )
    files = [*{"counts.csv": GENES, "GSE1_series_matrix.txt": text}.items()][::order]
    data = prepare(read_table(archived(dict(files)), "GSE1.zip"))
    assert data.feature_names == ("TP53", "MYC", "LYZ")
    assert (data.label, data.class_names) == ("disease", ("p", "q"))


@pytest.mark.parametrize("other", ["i_Investigation.txt", "merge.R"])
def test_what_is_no_table_beside_two_is_left_out(other):
    files = {"genes.csv": GENES, "samples.csv": SAMPLES, other: "a page\nof, words,\nalone\n"}
    table = read_table(archived(files), "study.zip")
    assert table.frame["MYC"].tolist() == [9, 7, 8, 6, 5]
    is_text = other.endswith(".txt")  # a script is looked at by nobody
    assert (f"Left out, as no tables: {other}." in table.steps) == is_text
    alone = archived({"rows.csv": BY_ROWS, "merge.R": "x <- 1\n"})
    assert [*read_table(alone, "study.zip").frame] == ["id", "x", "y"]


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
    with pytest.raises(TableError, match=r"no column of samples\.csv has the names .*numbers\.csv"):
        read_table(zipped(numbers=BY_ROWS, samples=samples), "study.zip")


WAVES = "w900,w905,w910\n" + "".join(f"{at}.5,{at * at % 7}.25,{at % 5}\n" for at in range(12))


def numbered(text, name="id", prefix="a"):
    header, *rows = text.splitlines()
    return "".join(
        [f"{name},{header}\n", *(f"{prefix}{at},{row}\n" for at, row in enumerate(rows))]
    )


MEANT = "side,kind\n" + "left,u\nright,u\nleft,v\nright,v\n" * 3


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("waves", "meant"),
    [(WAVES, MEANT), (WAVES, numbered(MEANT)), (numbered(WAVES), MEANT)],
    ids=["no names", "of what is meant", "of the numbers"],
)
def test_tables_of_which_one_has_no_names_are_joined_in_order(waves, meant, order):
    files = dict([("waves", waves), ("meant", meant)][::order])
    table = read_table(zipped(**files), "study.zip")
    data = prepare(table)
    assert table.frame["w905"].tolist() == [at * at % 7 + 0.25 for at in range(12)]
    assert table.frame["kind"].tolist() == ["u", "u", "v", "v"] * 3
    warning = next(sentence for sentence in data.warnings if sentence in data.steps)
    assert warning.startswith("Joined in order, as no column has the names of the rows of both: ")


@pytest.mark.parametrize(
    ("waves", "meant"),
    [
        (numbered(WAVES), numbered(MEANT, prefix="b")),
        (numbered(WAVES, "at", ""), numbered(MEANT)),
        (numbered(WAVES, prefix="9"), numbered(MEANT, prefix="7")),
        (WAVES, MEANT + "left,u\n"),
        (WAVES, MEANT.replace("left,u", "w905,u", 1)),
    ],
    ids=["other names", "numbered rows", "ids", "more rows", "names of columns"],
)
def test_other_tables_that_do_not_name_each_other_are_not_joined_in_order(waves, meant):
    with pytest.raises(TableError, match="put them in one table"):
        read_table(zipped(waves=waves, meant=meant), "study.zip")


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
    assert [*table.frame] == [sample.lstrip("#"), "t1", "t2", "site", "ph"]
    assert table.frame["t2"].tolist() == [9, 7, 8, 6]
    assert table.frame["site"].tolist() == ["gut", "gut", "skin", "skin"]
    assert table.steps[0].startswith(f"Joined by {sample.lstrip('#')}: ")
    assert table.steps[0].endswith("Left out: taxonomy.csv.")


NAMES = [f"s{at}" for at in range(8)]
KINDS = "name,kind\n" + "".join(f"{name},{'uv'[at % 2]}\n" for at, name in enumerate(NAMES))


def of_features(names=NAMES, beside=(), behind=(), n_features=5):
    """Rows of features, with words and numbers that say what these are around the samples."""
    header = ["gene", *beside, *names, *behind]
    rows = [
        [f"g{at}", *(f"w{at}" for _ in beside), *((at * 7 + n * n) % 11 for n in range(len(names)))]
        for at in range(n_features)
    ]
    behind_cells = [[f"x{at}" if at else "" for at, _ in enumerate(behind)]] * n_features
    lines = [header, *([*row, *cells] for row, cells in zip(rows, behind_cells, strict=True))]
    return "".join(",".join(map(str, line)) + "\n" for line in lines)


@pytest.mark.parametrize("n_beside", [3, 14, 40])
@pytest.mark.parametrize("behind", [(), ("protein", "remark")])
def test_more_columns_about_features_than_samples_are_no_samples(n_beside, behind):
    beside = [f"about {at}" for at in range(n_beside)]
    numbers = of_features(beside=beside, behind=behind)
    table = read_table(zipped(numbers=numbers, kinds=KINDS), "study.zip")
    assert table.frame.iloc[:, 0].tolist() == NAMES
    data = prepare(table)
    assert data.feature_names == tuple(f"g{at}" for at in range(5))
    assert data.class_names == ("u", "v")


@pytest.mark.parametrize(
    ("known_as", "are_joined"),
    [
        ("TCGA.{:02}.1A", True),  # as R names columns
        ("TCGA{:02}1A", True),
        ("TCGA-{:02}", True),  # a patient, of whom each is a sample
        ("TCGA", False),
        ("CGA-{:02}-1A", False),
    ],
)
def test_samples_are_known_by_letters_and_digits_or_by_their_beginnings(known_as, are_joined):
    names = [f"TCGA-{at:02}-1A" for at in range(8)]
    kinds = "name,kind\n" + "".join(f"{known_as.format(at)},{'uv'[at % 2]}\n" for at in range(8))
    archive = zipped(numbers=of_features(names), kinds=kinds)
    if not are_joined:
        with pytest.raises(TableError, match="cannot be joined"):
            read_table(archive, "study.zip")
        return
    table = read_table(archive, "study.zip")
    assert table.frame["kind"].tolist() == ["u", "v"] * 4
    assert ("with which names begin" in table.steps[0]) == (known_as == "TCGA-{:02}")


def test_a_beginning_that_several_samples_share_names_none_of_them():
    names = [f"p{at // 2}_{'ab'[at % 2]}" for at in range(8)]
    kinds = "name,kind\n" + "".join(f"p{at},{'uv'[at % 2]}\n" for at in range(4))
    with pytest.raises(TableError, match="cannot be joined"):
        read_table(zipped(numbers=of_features(names), kinds=kinds), "study.zip")


def test_the_refusal_of_two_tables_says_more_than_that_of_one_of_them():
    series = "!Series_title\tA study\n!Sample_title" + "".join(f"\tt{at}" for at in range(4))
    series += "\n!Sample_geo_accession" + "".join(f"\tGSM{at}" for at in range(4))
    series += "\n!series_matrix_table_begin\nID_REF" + "".join(f"\tGSM{at}" for at in range(4))
    series += "\ng1\t1\t2\t3\t4\ng2\t4\t2\t5\t1\n!series_matrix_table_end\n"
    files = {"GSE1_series_matrix.txt": series, "kinds.csv": KINDS}
    with pytest.raises(TableError, match="cannot be joined"):
        read_table(archived(files), "study.zip")


@pytest.mark.parametrize("mark", [",", "."])
@pytest.mark.parametrize("behind", [(), ("protein",), ("protein", "gene")])
def test_what_stands_behind_samples_names_the_features(behind, mark):
    """As programs for proteins write them: no sample is lost, though one stands first."""
    rows = [
        [
            *(f"{at * 7 + n * n + 0.5}".replace(".", mark) for n in range(8)),
            *(f"P{at}" for _ in behind),
        ]
        for at in range(6)
    ]
    numbers = "".join(";".join(row) + "\n" for row in [[*NAMES, *behind], *rows])
    table = read_table(zipped(numbers=numbers, kinds=KINDS), "study.zip")
    assert table.frame["name"].tolist() == NAMES
    data = prepare(table)
    assert data.feature_names == tuple(f"P{at}" if behind else str(at + 1) for at in range(6))
    assert data.class_counts == {"u": 4, "v": 4}


def test_a_table_that_says_what_a_few_columns_are_names_no_samples():
    header = [f"x{at}" for at in range(12)]
    rows = [[(at * 7 + n * n) % 11 for n in range(12)] for at in range(20)]
    numbers = "".join(",".join(map(str, row)) + "\n" for row in [header, *rows])
    columns = "variable,meaning\nx1,length\nx2,width\nx3,mass\n"
    with pytest.raises(TableError, match="cannot be joined"):
        read_table(zipped(numbers=numbers, columns=columns), "study.zip")


def test_genes_of_joined_tables_are_features_whatever_they_name():
    numbers = of_features().replace("g0", "ID1").replace("g1", "plot id").replace("g2", "day")
    data = prepare(read_table(zipped(numbers=numbers, kinds=KINDS), "study.zip"))
    assert data.feature_names == ("ID1", "plot id", "day", "g3", "g4")


def proteins(names):
    header = ["Protein IDs", "Gene names", *(f"LFQ intensity {name}" for name in names), "Reverse"]
    rows = [
        [f"P{at}", f"G{at}", *((at * 7 + n * n) % 11 + 1 for n in range(8)), ""] for at in range(6)
    ]
    return "".join("\t".join(map(str, row)) + "\n" for row in [header, *rows])


def test_the_names_that_a_format_gives_samples_are_those_of_their_table():
    files = {"proteinGroups.txt": proteins(NAMES), "samples.csv": KINDS}
    table = read_table(archived(files), "study.zip")
    assert table.frame["sample"].tolist() == NAMES
    assert table.steps[0].startswith("Read as proteins of MaxQuant")
    data = prepare(table)
    assert data.feature_names == tuple(f"P{at}" for at in range(6))
    assert data.class_names == ("u", "v")
    assert "samples" not in table.asked
    in_full = KINDS.replace("\ns", "\nLFQ intensity s")
    table = read_table(archived({**files, "samples.csv": in_full}), "x.zip")
    assert table.frame["sample"].tolist() == NAMES
    assert prepare(table).class_names == ("u", "v")


@pytest.mark.parametrize("n_reporters", [2, 4])
@pytest.mark.parametrize("in_full", ["", "Reporter intensity corrected "])
def test_reporters_of_experiments_are_the_samples_beside_what_is_of_all_of_them(
    in_full, n_reporters
):
    channels = [f"{at} {plex}" for plex in ("P1", "P2") for at in range(1, n_reporters + 1)]
    names = [*(f"Reporter intensity corrected {name}" for name in channels)]
    kinds = "name,kind\n" + "".join(
        f"{in_full}{name},{'uv'[at % 2]}\n" for at, name in enumerate(channels)
    )
    pooled = ["LFQ intensity P1", "LFQ intensity P2", "Reporter intensity corrected 1"]
    numbers = of_features([*pooled, *names]).replace("gene", "Protein IDs").replace(",", "\t")
    table = read_table(archived({"proteinGroups.txt": numbers, "kinds.csv": kinds}), "x.zip")
    assert table.frame["sample"].tolist() == channels
    data = prepare(table)
    assert (data.feature_names, data.class_names) == (("g0", "g1", "g2", "g3", "g4"), ("u", "v"))
    assert "words" not in table.asked


MAXQUANT = {
    "summary.txt": "Raw file\tExperiment\tMS\n" + "".join(f"{n}.raw\t{n}\t9\n" for n in NAMES),
    "peptides.txt": proteins(NAMES).replace("Protein IDs", "Sequence\tPEP\tProteins"),
    "parameters.txt": "Parameter\tValue\nVersion\t2.0\n",
    "Oxidation (M)Sites.txt": proteins(NAMES),
    "evidence.txt": "Sequence\tRaw file\tIntensity\nAK\ts0.raw\t5\n",
}


@pytest.mark.parametrize("beside", [{}, {"samples.csv": KINDS}], ids=["alone", "samples"])
def test_of_the_folder_of_maxquant_the_proteins_are_read(beside):
    files = {**MAXQUANT, "proteinGroups.txt": proteins(NAMES), **beside}
    table = read_table(archived(files), "txt.zip")
    assert table.steps[0].startswith("Read as proteins of MaxQuant")
    assert table.name == "proteinGroups"
    data = prepare(table)
    assert data.feature_names == tuple(f"P{at}" for at in range(6))
    assert data.class_names == (("u", "v") if beside else ("all rows",))


def test_a_summary_beside_other_numbers_than_the_proteins_of_maxquant_has_their_samples():
    summary = KINDS.replace(",", "\t")
    table = read_table(archived({"x.csv": of_features(), "summary.txt": summary}), "x.zip")
    assert prepare(table).class_names == ("u", "v")


def test_words_of_the_names_of_samples_stay_beside_the_columns_of_their_table():
    names = [f"{kind}_{at}" for at in range(4) for kind in ("ill", "well")]
    samples = "name,slide\n" + "".join(f"{name},{at // 4}\n" for at, name in enumerate(names))
    files = {"proteinGroups.txt": proteins(names), "samples.csv": samples}
    data = prepare(read_table(archived(files), "study.zip"))
    assert data.class_names == ("ill", "well")
    question = next(one for one in data.questions if one.id == "label")
    assert {"group", "slide"} <= {choice.value for choice in question.choices}


@pytest.mark.parametrize(
    ("sample", "file", "is_joined"),
    [
        ("{0:02}_mouse{0}", "2024_run_{0:02}_mouse{0}.raw", True),
        ("LFQ intensity {0:02}_m{0}", "121219_S_{0:02}_m{0}_1.d", True),
        ("S{}", "patient {}", False),  # their numbers may be of other things
    ],
)
def test_samples_are_known_by_what_their_names_and_files_do_not_share(sample, file, is_joined):
    places = range(1, 7)
    numbers = of_features([sample.format(place) for place in places])
    kinds = "file,arm\n" + "".join(f"{file.format(place)},{'uv'[place % 2]}\n" for place in places)
    raw = zipped(numbers=numbers, kinds=kinds)
    if not is_joined:
        with pytest.raises(TableError, match="cannot be joined"):
            read_table(raw, "study.zip")
        return
    assert prepare(read_table(raw, "study.zip")).label == "arm"


@pytest.mark.parametrize(
    "written", ["{}.mzML Peak area", "D:\\run 1\\{}.raw", "/data/{}.d", "{}.mzML"]
)
@pytest.mark.parametrize("behind", ["", ",", ",,"])
def test_samples_are_known_by_the_names_of_their_files(written, behind):
    numbers = of_features([written.format(name) for name in NAMES]).replace("\n", f"{behind}\n")
    table = read_table(zipped(numbers=numbers, kinds=KINDS), "study.zip")
    assert prepare(table).class_names == ("u", "v")


def artifact(content, provenance="provenance/VERSION"):
    parts = dict.fromkeys(["VERSION", "metadata.yaml", provenance, "provenance/about.tsv"], "QIIME")
    return archived({**parts, **content})


COUNTS_OF_QIIME = json.dumps(
    {
        "format": "Biological Observation Matrix 1.0.0",
        "matrix_type": "dense",
        "rows": [{"id": f"ASV{at}", "metadata": None} for at in range(4)],
        "columns": [{"id": name, "metadata": None} for name in NAMES],
        "shape": [4, 8],
        "data": [[(3 * at + place) % 7 for place in range(8)] for at in range(4)],
    }
)


@pytest.mark.parametrize("is_zipped", [True, False])
def test_the_table_of_an_artifact_of_qiime_is_read(is_zipped):
    raw = artifact({"data/feature-table.biom": COUNTS_OF_QIIME})
    files = archived({"table.qza": raw, "kinds.csv": KINDS})
    data = prepare(read_table(files if is_zipped else raw, "study.zip" if is_zipped else "t.qza"))
    assert (len(data.X), data.feature_names) == (8, ("ASV0", "ASV1", "ASV2", "ASV3"))
    assert ("u" in data.class_names) == is_zipped


def test_an_artifact_of_qiime_without_a_table_is_refused_with_the_way_out():
    with pytest.raises(TableError, match=r"QIIME 2 without a table of features\. Drop the \.qza"):
        read_table(artifact({"data/dna-sequences.fasta": ">a\nACGT\n"}), "sequences.qza")


def test_other_archives_with_a_folder_of_data_are_none_of_qiime():
    other = artifact({"data/feature-table.biom": COUNTS_OF_QIIME}, provenance="notes/VERSION")
    with pytest.raises(TableError, match="drop the CSV inside"):
        read_table(other, "study.zip")


def test_what_mzmine_says_of_peaks_before_their_areas_is_of_no_sample():
    header = ["row ID", "row m/z", "correlation group ID", *(f"{n}.mzML Peak area" for n in NAMES)]
    rows = [[at, 100 + at, at // 2, *((at * 7 + n) % 11 for n in range(8))] for at in range(9)]
    numbers = "\n".join(",".join(map(str, row)) for row in [header, *rows])
    data = prepare(read_table(zipped(numbers=numbers, kinds=KINDS), "study.zip"))
    assert (len(data.X), data.class_names) == (8, ("u", "v"))


def test_names_that_differ_in_endings_alone_are_no_files():
    numbers = of_features([f"a.{name}" for name in NAMES])
    table = read_table(zipped(numbers=numbers, kinds=KINDS.replace("\ns", "\na.s")), "study.zip")
    assert prepare(table).class_names == ("u", "v")


def test_samples_of_mothur_get_the_cells_of_their_table():
    rows = [f"0.03\t{name}\t3\t{at}\t{at * at % 7}\t{at % 3}" for at, name in enumerate(NAMES)]
    shared = "\n".join(["label\tGroup\tnumOtus\tOtu1\tOtu2\tOtu3", *rows, ""])
    table = read_table(archived({"a.shared": shared, "kinds.csv": KINDS}), "study.zip")
    data = prepare(table)
    assert (data.feature_names, data.class_names) == (("Otu1", "Otu2", "Otu3"), ("u", "v"))


def test_tables_of_samples_may_be_workbooks(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for line in KINDS.split():
        book.active.append(line.split(","))
    book.save(tmp_path / "kinds.xlsx")
    files = {"numbers.csv": of_features(), "kinds.xlsx": (tmp_path / "kinds.xlsx").read_bytes()}
    assert prepare(read_table(archived(files), "study.zip")).class_names == ("u", "v")


@pytest.mark.parametrize("header", ["#SampleID\tkind", "#SampleID\tkind\n#q2:types\tcategorical"])
def test_the_header_of_metadata_is_no_comment(header):
    rows = KINDS.replace(",", "\t").split("\n", 1)[1]
    files = {"numbers.csv": of_features(), "metadata.tsv": f"{header}\n{rows}"}
    table = read_table(archived(files), "study.zip")
    assert table.frame["kind"].tolist() == ["u", "v"] * 4


def test_the_samples_of_cbioportal_stand_below_what_their_columns_are():
    above = "#Sample\tType\n#Its id\tWhat it is\n#STRING\tSTRING\n#1\t1\nSAMPLE_ID\tTYPE"
    rows = KINDS.replace(",", "\t").split("\n", 1)[1]
    files = {"numbers.csv": of_features(), "data_clinical_sample.txt": f"{above}\n{rows}"}
    table = read_table(archived(files), "study.zip")
    assert table.steps[0].startswith("Joined by SAMPLE_ID: 8 columns")
    assert table.frame["TYPE"].tolist() == ["u", "v"] * 4


@pytest.mark.parametrize("mark", [",", "\t", " "])
@pytest.mark.parametrize("further", [{}, {"genes.txt": "symbol,biotype\ng0,A,x\ng1,B,x\ng2,C,y\n"}])
def test_headers_that_r_writes_short_are_those_of_joined_tables(mark, further):
    files = {"counts.txt": of_features(), "samples.txt": KINDS.replace("kind", "kind,dose")}
    files["samples.txt"] = files["samples.txt"].replace("u\n", "u,7\n").replace("v\n", "v,8\n")
    short = {file: text.split(",", 1)[1] for file, text in files.items()}
    texts = {file: text.replace(",", mark) for file, text in {**short, **further}.items()}
    data = prepare(read_table(archived(texts), "study.zip"))
    assert data.feature_names == tuple(f"g{at}" for at in range(5))
    assert data.class_names == ("u", "v")


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("further", ["", "sequence,batch,"])
def test_what_samples_are_is_joined_before_what_features_are(further, order):
    about = "".join(f"g{at},G{at},{'xy'[at % 2]},{at}\n" for at in range(30))
    kinds = "".join(f"{name},{further}{'uv'[at % 2]}\n" for at, name in enumerate(NAMES))
    files = {
        "counts": of_features(n_features=30).replace("gene", "id"),
        "about": f"id,gene_name,gene_biotype,start\n{about}",
        "kinds": f"id,{further}kind\n{kinds}",
    }
    data = prepare(read_table(zipped(**dict([*files.items()][::order])), "study.zip"))
    assert data.feature_names == tuple(f"g{at}" for at in range(30))
    assert data.class_names == ("u", "v")


RANKS = ["Kingdom", "Phylum", "Class", "Order", "Family", "Genus", "Species"]


def ranks_of(names, ranks=RANKS):
    """Write a taxonomy, of which a phylum has several classes and these several genera."""
    cells = [[f"{rank[0]}{at % (place + 1)}" for place, rank in enumerate(ranks)]
             for at, _ in enumerate(names)]  # fmt: skip
    rows = [["", *ranks], *([name, *row] for name, row in zip(names, cells, strict=True))]
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


@pytest.mark.parametrize("order", [*permutations(range(3))])
@pytest.mark.parametrize("corner", ["", "#OTU ID"])
@pytest.mark.parametrize("ranks", [RANKS, RANKS[:6], RANKS[2:5]])
def test_ranks_of_taxa_say_what_features_are(order, corner, ranks):
    counts = of_features(n_features=30).replace("gene", corner).replace("\ng", "\n70")
    ids = [f"70{at}" for at in range(30)]
    files = [("otu", counts), ("kinds", KINDS), ("taxa", ranks_of(ids, ranks))]
    data = prepare(read_table(zipped(**dict(files[place] for place in order)), "study.zip"))
    assert (data.class_names, data.feature_names) == (("u", "v"), tuple(ids))


@pytest.mark.parametrize("order", [1, -1])
def test_samples_of_counts_beside_a_taxonomy_alone_have_no_label(order):
    counts = of_features(n_features=30).replace("gene", "").replace("\ng", "\n70")
    ids = [f"70{at}" for at in range(30)]
    files = [("otu", counts), ("taxa", ranks_of(ids))][::order]
    table = read_table(raw := zipped(**dict(files)), "study.zip")
    data = prepare(table)
    assert (len(data.X), data.feature_names) == (8, tuple(ids))
    assert table.asked["samples"] == "Kingdom says what rows are"
    table = read_table(raw, "study.zip", options=ReadOptions(samples="rows"))
    assert len(prepare(table).X) == 30


@pytest.mark.parametrize("end", ["_Abundance", ".bam", "-counts", "_RPKM"])
def test_an_end_that_the_names_of_all_samples_have_is_no_part_of_these(end):
    header, below = of_features(n_features=30).split("\n", 1)
    gene, *names = header.split(",")
    counts = ",".join([gene, *(f"{name}{end}" for name in names)])
    files = {"counts": f"{counts}\n{below}", "kinds": KINDS}
    data = prepare(read_table(zipped(**files), "study.zip"))
    assert (data.class_names, len(data.X)) == (("u", "v"), len(names))


def test_measures_of_species_are_told_apart_by_their_ranks():
    species = [f"sp{at}" for at in range(24)]
    rows = [f"{name},{at * 7 % 11}.5,{at * at % 9}.25" for at, name in enumerate(species)]
    files = {"traits": "\n".join(["name,mass,wing", *rows, ""]), "taxa": ranks_of(species)}
    data = prepare(read_table(zipped(**files), "study.zip"), "Phylum")
    assert (len(data.X), data.feature_names[:2]) == (24, ("mass", "wing"))


def test_numbers_named_as_proteins_are_no_description_of_features():
    numbers = "id,protein_1,protein_2\n" + "".join(
        f"{n},{at * at % 11},{at * at % 7}\n" for at, n in enumerate(NAMES)
    )
    about = "protein,pathway\nprotein_1,x\nprotein_2,y\n"
    files = {"about": about, "kinds": KINDS, "numbers": numbers}
    data = prepare(read_table(zipped(**files), "study.zip"))
    assert (data.feature_names, data.class_names) == (("protein_1", "protein_2"), ("u", "v"))


@pytest.mark.parametrize(
    ("name", "prefix", "label"),
    [("Sample_Group", "s", "Sample_Group"), ("slide", "s", "group"), ("Age_Group", "", "group")],
)
def test_words_of_names_are_guessed_unless_their_table_names_classes(name, prefix, label):
    names = [f"{kind}_{at}" for at in range(4) for kind in ("ill", "well")]
    rows = "".join(f"{one},{prefix}{at // 4}\n" for at, one in enumerate(names))
    samples = f"name,{name}\n{rows}"
    files = {"proteinGroups.txt": proteins(names), "samples.csv": samples}
    data = prepare(read_table(archived(files), "study.zip"))
    assert data.label == label
    question = next(one for one in data.questions if one.id == "label")
    assert "ill, well" in " ".join(choice.label for choice in question.choices)


@pytest.mark.parametrize(("whole", "is_recorded"), [(1, True), (100, True), (250, False)])
def test_what_a_sheet_says_of_shares_of_a_whole_is_information(whole, is_recorded):
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.full(25, 0.3), 60) * whole
    taxa = [f"taxon {letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXY"]
    rows = [f"s{at},{','.join(f'{share:.5f}' for share in row)}" for at, row in enumerate(shares)]
    said = [f"s{at},{'uv'[at % 2]},{20 + at * 7 % 31},{at * 5 % 17}" for at in range(60)]
    files = {"taxa": ["id," + ",".join(taxa), *rows], "about": ["id,arm,age,score", *said]}
    raw = zipped(**{name: "\n".join([*lines, ""]) for name, lines in files.items()})
    data = prepare(read_table(raw, "study.zip"), "arm")
    assert ("age" not in data.feature_names) == is_recorded
    assert {*taxa} <= {*data.feature_names}


def of_rows(numbers):
    """Turn a table whose samples are columns."""
    rows = zip(*(line.split(",") for line in numbers.splitlines()), strict=True)
    return "".join(",".join(row) + "\n" for row in rows)


PERSONS = [f"p{at}" for at in range(36)]
SHEET = "person,sex,age,Diagnosis\n" + "".join(
    f"{name},{'FM'[at % 5 > 2]},{20 + at * 7 % 23},{'uv'[at % 2]}\n"
    for at, name in enumerate(PERSONS)
)
LABS = [
    "alb", "alp", "alt", "ast", "bun", "ca", "cl", "cr", "crp", "glu", "hb", "hct", "k", "ldh",
    "mch", "mg", "na", "plt", "tsh", "wbc",
]  # fmt: skip


def measured_of_persons(names, digits):
    cells = np.random.default_rng(0).normal(500, 90, (len(PERSONS), len(names))).round(digits)
    rows = ([name, *row] for name, row in zip(PERSONS, cells.astype(str), strict=True))
    return "".join(",".join(row) + "\n" for row in [["person", *names], *rows])


@pytest.mark.parametrize(
    ("names", "digits"),
    [
        (LABS, 0),
        ([f"otu {at}" for at in range(20)], 2),
        ([f"{name} {other}" for other in "uv" for name in LABS], 2),
        ([f"{name} {other}" for other in "uv" for name in LABS][:32], 2),
    ],
    ids=["counts", "names", "more than rows", "far more than the sheet says"],
)
def test_what_a_sheet_says_of_samples_in_rows_is_asked_about_once(names, digits):
    files = {"numbers": measured_of_persons(names, digits), "sheet": SHEET}
    data = prepare(table := read_table(zipped(**files), "study.zip"))
    assert (data.label, data.feature_names) == ("Diagnosis", tuple(names))
    (question,) = [one for one in data.questions if one.id.startswith("use:")]
    assert question.sentence.startswith("Are sex and age measured features, too? They say what was")
    told = prepare(table, answers={question.id: "feature"})
    assert {*told.feature_names} == {*names, "sex = M", "age"}


def test_measures_of_persons_beside_others_are_features():
    files = {"numbers": measured_of_persons(LABS, 2), "sheet": SHEET}
    data = prepare(read_table(zipped(**files), "study.zip"))
    assert (data.label, {*data.feature_names}) == ("Diagnosis", {*LABS, "sex = M", "age"})


def test_words_of_the_names_of_samples_with_mutations_are_no_features():
    names = [f"{kind}{at}" for at in range(8) for kind in ("P-", "s_DK_")]
    header = "Hugo_Symbol\tVariant_Classification\tTumor_Sample_Barcode\n"
    rows = [f"G{at * n % 5}\tMissense\t{name}\n" for at, name in enumerate(names) for n in (1, 2)]
    said = "Tumor_Sample_Barcode\tPANEL\tAGE\tSITES\tSAMPLE_TYPE\n" + "".join(
        f"{name}\tI{at % 3}\t{at * 7 % 23}\t{('lung', 'lung,bone')[at % 2]}\t{'uv'[at // 2 % 2]}\n"
        for at, name in enumerate(names)
    )
    files = {"mutations.txt": header + "".join(rows), "clinical.tsv": said}
    data = prepare(read_table(archived(files), "study.zip"))
    assert (data.label, {*data.feature_names}) == ("SAMPLE_TYPE", {f"G{at}" for at in range(5)})


WORDS = [f"{kind}_{at}" for at in range(12) for kind in ("ctl", "trt")]
ACCESSIONS = [f"{archive}R{1783638 + at}" for at in range(12) for archive in ("ER", "SR")]


@pytest.mark.parametrize(
    ("names", "sheet", "label"),
    [
        (WORDS, "Sex", "group"),
        (WORDS, "Condition", "Condition"),
        (ACCESSIONS, "Sex", "Sex"),
        ([f"s{at}" for at in range(24)], "Sex", "Sex"),
    ],
    ids=["words", "classes of the table", "accessions", "numbers"],
)
@pytest.mark.parametrize("in_columns", [True, False])
def test_words_of_names_of_plain_counts_are_offered(names, sheet, label, in_columns):
    numbers = of_features(names, n_features=24)
    numbers = numbers if in_columns else of_rows(numbers)
    said = "".join(
        f"{name},{7 + at * 7 % 23 / 10},{'FM'[at % 5 > 2]}\n" for at, name in enumerate(names)
    )
    files = {"counts": numbers, "sheet": f"Sample,RIN,{sheet}\n{said}"}
    data = prepare(read_table(zipped(**files), "study.zip"))
    assert (data.label, len(data.feature_names)) == (label, 24)
    offered = [
        choice.label for one in data.questions if one.id == "label" for choice in one.choices
    ]
    assert any("ctl, trt" in choice for choice in offered) == (names is WORDS)


STATE = [f"GSM{2_421 + at}_{kind}_{at}" for at, kind in enumerate(["ctl", "trt"] * 6)]


NUMBERS = ("count", "value", "NumReads", "est_counts", "expected_count", "x.bam")


def counts_of_file(above, behind=()):
    """Write counts of genes for each file, below a header and above what else is counted."""
    header = (above or "gene\tcount\n").splitlines()[-1].split("\t")
    texts = {}
    for at, name in enumerate(STATE):
        rows = [
            [
                f"ENSG{gene:05}",
                *(f"{(at * 7 + gene**2) % 11 if one in NUMBERS else 1}" for one in header[1:]),
            ]
            for gene in range(20)
        ]
        rows += [[other, "9"] for other in behind]
        texts[name] = above + "".join("\t".join(row) + "\n" for row in rows)
    return texts


ABOVE_COUNTS = {
    "{}_counts.tsv": "feature\tcount\n",
    "{}.txt": "Gene ID\tvalue\n",
    "{}.count": "",
    "{}/quant.sf": "Name\tLength\tEffectiveLength\tTPM\tNumReads\n",
    "{}/abundance.tsv": "target_id\tlength\teff_length\ttpm\test_counts\n",
    "{}.genes.results": "gene_id\tlength\teffective_length\texpected_count\tTPM\tFPKM\n",
    "{}_featureCounts.txt": "# Program\nGeneid\tChr\tStart\tEnd\tStrand\tLength\tx.bam\n",
}


@pytest.mark.parametrize("file", ABOVE_COUNTS)
@pytest.mark.parametrize("is_gzip", [False, True])
def test_counts_of_one_sample_each_are_put_side_by_side(file, is_gzip):
    behind = () if ABOVE_COUNTS[file] else ("__no_feature", "__alignment_not_unique")
    texts = counts_of_file(ABOVE_COUNTS[file], behind)
    packed = (lambda text: gzip.compress(text.encode())) if is_gzip else str
    named = {file.format(name) + ".gz" * is_gzip: packed(text) for name, text in texts.items()}
    table = read_table(archived(named), "GSE1.zip")
    data = prepare(table)
    assert table.frame["sample"].tolist() == STATE
    assert (data.class_names, data.label) == (("ctl", "trt"), "group")
    assert data.feature_names == tuple(f"ENSG{gene:05}" for gene in range(20))
    assert table.frame["ENSG00003"].tolist() == [(at * 7 + 9) % 11 for at in range(12)]


def test_counts_of_star_are_put_side_by_side():
    above = "".join(f"N_{name}\t9\t9\t9\n" for name in ("unmapped", "multimapping", "noFeature"))
    texts = {
        f"{name}ReadsPerGene.out.tab": f"{above}N_ambiguous\t1\t1\t1\n"
        + "".join(f"G{gene}\t{(at * 7 + gene * gene) % 11}\t1\t2\n" for gene in range(20))
        for at, name in enumerate(STATE)
    }
    data = prepare(read_table(archived(texts), "star.zip"))
    assert (len(data.X), data.label) == (12, "group")
    assert data.feature_names == tuple(f"G{gene}" for gene in range(20))


@pytest.mark.parametrize(
    "called",
    [str, "{}_counts.tsv".format, lambda name: name[:7], lambda name: name[8:]],
    ids=["name", "file", "accession", "title"],
)
def test_counts_of_one_sample_each_get_the_rows_of_their_table(called):
    files = {f"{name}_counts.tsv": text for name, text in counts_of_file("gene\tcount\n").items()}
    said = "".join(f"{called(name)},{'vu'[at // 3 % 2]},{at}\n" for at, name in enumerate(STATE))
    files["samples.csv"] = f"id,Condition,RIN\n{said}"
    data = prepare(read_table(archived(files), "GSE1.zip"))
    assert (data.label, data.class_names) == ("Condition", ("u", "v"))
    assert len(data.feature_names) == 20
    [asked] = [one for one in data.questions if one.id == "label"]
    assert any("ctl, trt" in choice.label for choice in asked.choices)  # of the names of files


def test_counts_of_one_sample_each_without_rows_in_a_table_are_read_without_it():
    files = {f"{name}_counts.tsv": text for name, text in counts_of_file("gene\tcount\n").items()}
    files["samples.csv"] = "id,Condition\n" + "".join(f"x{at},{'uv'[at % 2]}\n" for at in range(9))
    table = read_table(archived(files), "GSE1.zip")
    assert "Left out: samples.csv." in table.steps
    assert prepare(table).class_names == ("ctl", "trt")


@pytest.mark.parametrize("header", ["id\theight\n", "count\tid\n", "hour\tcount\n"])
def test_other_files_of_two_columns_are_not_put_side_by_side(header):
    texts = counts_of_file(header).items()
    files = {f"{name}.tsv": text.replace("ENSG", "") for name, text in texts}
    with pytest.raises(TableError, match="drop the CSV inside"):
        read_table(archived(files), "study.zip")


def test_counts_of_one_sample_are_refused_with_the_way_to_several():
    (text, *_) = counts_of_file("", ("__alignment_not_unique",)).values()
    with pytest.raises(TableError, match=r"side by side, .* or a \.zip of such files, one of each"):
        read_table(text.encode(), "sample.count")


def test_features_of_a_format_that_another_table_names_are_no_samples():
    about = "Protein IDs,place\n" + "".join(f"P{at},{'xy'[at % 2]}\n" for at in range(6))
    files = {"proteinGroups.txt": proteins(NAMES), "about.csv": about}
    with pytest.raises(TableError, match="cannot be joined"):
        read_table(archived(files), "study.zip")


def test_the_table_of_two_that_cannot_be_read_is_named():
    with pytest.raises(TableError, match=r"^kinds\.csv: "):
        read_table(zipped(numbers=of_features(), kinds="a,b\n1,2\n1,2,3,4\n1\n"), "study.zip")


def test_events_of_the_samples_of_an_archive_are_told_apart_by_their_files():
    flowio = pytest.importorskip("flowio")
    files = {}
    for kind in ("ill", "well"):
        written = io.BytesIO()
        events = np.random.default_rng(len(kind)).normal(100, 9, (40, 3)).ravel()
        flowio.create_fcs(written, events, ["FSC-A", "CD3", "Time"])
        files[f"{kind}.fcs"] = written.getvalue()
    data = prepare(read_table(archived(files), "study.zip"))
    assert (data.label, data.class_names) == ("file", ("ill", "well"))
    assert data.feature_names == ("FSC-A", "CD3", "Time")


def test_words_of_names_that_a_table_says_better_are_left_out():
    names = [f"{kind}_{at}" for at in range(4) for kind in ("x1", "y2")]
    samples = "name,time\n" + "".join(f"{name},{int(name[1]) * 12}h\n" for name in names)
    table = read_table(archived({"pg.txt": proteins(names), "samples.csv": samples}), "study.zip")
    assert [*table.frame] == ["sample", *(f"P{at}" for at in range(6)), "time [h]"]
    assert "label" not in table.asked


def test_two_tables_of_numbers_of_the_same_samples_are_not_joined():
    files = {"proteinGroups.txt": proteins(NAMES), "otus.txt": "#OTU ID" + of_features()[4:]}
    files["otus.txt"] = files["otus.txt"].replace(",", "\t")
    with pytest.raises(TableError, match="numbers of samples, each of them"):
        read_table(archived(files), "study.zip")


def test_isa_tab_of_thousands_of_features_has_its_factor_as_label():
    factors = "".join(f"d{at}\t{name}\t{'uv'[at % 2]}\n" for at, name in enumerate(NAMES))
    cells = "\t".join("12345678")
    features = "".join(f"peak {n}\t{n % 9}{cells}\n" for n in range(4_001))
    texts = {
        "s_X.txt": f"Source Name\tSample Name\tFactor Value[diet]\n{factors}",
        "m_X_maf.tsv": f"metabolite_identification\t{chr(9).join(NAMES)}\n{features}",
    }
    table = read_table(archived(texts), "study.zip")
    assert table.frame.shape[1] > 4_001
    assert "Read as ISA-Tab: its factor is the label." in table.steps
