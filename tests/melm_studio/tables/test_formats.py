"""Files that are no delimited text are read apart by parsers of their formats."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import sys
import types
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from melm_studio.tables import ReadOptions, Role, TableError, prepare, read_table
from melm_studio.tables.readers import statistics
from melm_studio.tables.readers.soft_family import said_of_samples
from melm_studio.tables.records import Limits
from melm_studio.tables.roles import NO_LABEL

N = 24
FRAME = pd.DataFrame(
    {
        "size": np.arange(N) * 7.0 % 11,
        "mass": np.arange(N) ** 2.0 % 13,
        "kind": ["lo", "hi"] * (N // 2),
    }
)
RECORDS = FRAME.to_dict("records")
SPARSE = "".join(
    f"{'+1' if row % 2 else '-1'} 1:{row % 7 + 0.5}{f' 3:{row % 5}' if row % 3 else ''}\n"
    for row in range(N)
)


def of_json(value):
    return json.dumps(value).encode()


def biom(*, sparse):
    counts = (np.arange(3 * N) * 7 % 10).reshape(3, N)
    cells = [[int(i), int(j), int(counts[i, j])] for i, j in zip(*np.nonzero(counts), strict=True)]
    return of_json(
        {
            "format": "Biological Observation Matrix 1.0.0",
            "matrix_type": "sparse" if sparse else "dense",
            "shape": [3, N],
            "rows": [{"id": f"otu{i}", "metadata": None} for i in range(3)],
            "columns": [{"id": f"s{j}", "metadata": {"kind": "ab"[j % 2]}} for j in range(N)],
            "data": cells if sparse else counts.tolist(),
        }
    )


def matlab(**arrays):
    file = io.BytesIO()
    savemat(file, arrays)
    return file.getvalue()


def soft_family(*, others=0):
    """Samples of GEO one below the other, some of another platform, with one value missing.

    Of some a line of their age stands first, of some no blank stands behind the key.
    """

    def sample(at, platform):
        tissue = " liver" if at % 2 else "lung"
        rows = [f"p{j}\t{at * 7 % 11 + j}\tP" for j in range(3)]
        if at == 2:
            rows[1] = "p1\tnull\tA"
        return "\n".join(
            [
                f"^SAMPLE = GSM{at}",
                f"!Sample_title = donor {at}",
                *[f"!Sample_characteristics_ch1 = age: {at % 5}"] * (at % 3 == 0),
                f"!Sample_characteristics_ch1 = tissue:{tissue}",
                f"!Sample_platform_id = {platform}",
                "#VALUE = signal",
                "!sample_table_begin",
                "ID_REF\tVALUE\tCALL",
                *rows,
                "!sample_table_end",
            ]
        )

    platform = "!platform_table_begin\nID\tGENE\np0\tA\n!platform_table_end"
    samples = [sample(at, "GPL1" if at < N - others else "GPL2") for at in range(N)]
    return "\n".join(["^DATABASE = Geo", "^PLATFORM = GPL1", platform, *samples]).encode()


def metabolites():
    samples = [f"s{at}" for at in range(N)]
    return {
        "METABOLOMICS WORKBENCH": {"STUDY_ID": "ST1"},
        "SUBJECT_SAMPLE_FACTORS": [
            {"Subject ID": "-", "Sample ID": name, "Factors": {"diet": "ab"[at % 2]}}
            for at, name in enumerate(samples)
        ],
        "MS_METABOLITE_DATA": {
            "Data": [
                {"Metabolite": f"m{at}", **{name: str(row[at]) for name, row in
                 zip(samples, FRAME[["size", "mass"]].to_numpy(), strict=True)}}
                for at in range(2)
            ]
        },
    }  # fmt: skip


def test_columns_of_json_that_are_an_object_each_are_columns_and_vectors_are_not():
    columns = [
        {"name": name, "type": cells.dtype.kind, "data": cells.tolist()}
        for name, cells in FRAME.items()
    ]
    data = prepare(read_table(of_json(columns), "t.json"))
    assert (data.label, data.feature_names, len(data.X)) == ("kind", ("size", "mass"), N)
    vectors = [{"id": f"v{at}", "kind": "ab"[at % 2], "at": [at, 1.0]} for at in range(N)]
    assert len(read_table(of_json(vectors), "t.json").frame) == N


@pytest.mark.parametrize("header", [[], [["name", "group"]]])
def test_lists_of_words_in_json_lose_no_row(header):
    rows = [[f"n{at}", "ab"[at % 2]] for at in range(9)]
    table = read_table(json.dumps([*header, *rows]).encode(), "t.json")
    assert table.frame.to_numpy().tolist() == rows
    assert [*table.frame] == (header[0] if header else ["column 1", "column 2"])


@pytest.mark.parametrize("write", ["to_parquet", "to_feather", "records"])
@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["9,3", "17,0", "-0,25"], [9.3, 17.0, -0.25]),
        (["9.3", "17.0", "-0.25"], [9.3, 17.0, -0.25]),
        (["1,3,5", "2,3", "4"], None),  # boxes that somebody ticked
    ],
)
def test_numbers_that_are_text_have_the_decimal_mark_that_most_have(write, cells, numbers):
    frame = FRAME.assign(cold=np.resize(np.array(cells, dtype=object), N))
    file = io.BytesIO()
    if write == "records":
        file.write(frame.to_json(orient="records").encode())
    else:
        getattr(frame, write)(file)
    table = read_table(file.getvalue(), "file")
    if numbers is None:
        assert table.frame["cold"].dtype.kind != "f"
    else:
        np.testing.assert_array_equal(table.frame["cold"], np.resize(numbers, N))


@pytest.mark.parametrize("orient", ["split", "columns", "records", "table"])
def test_a_square_frame_in_json_is_read_as_any_other(orient):
    """Columns, index and data are lists of one length then."""
    square = pd.DataFrame(np.arange(81.0).reshape(9, 9) ** 2 % 7, columns=[*"abcdefghi"])
    table = read_table(square.to_json(orient=orient).encode(), "t.json")
    np.testing.assert_array_equal(table.frame[[*"abcdefghi"]], square)


def stata(version):
    file = io.BytesIO()
    FRAME.to_stata(file, write_index=False, version=version)
    return file.getvalue()


def stata_before_10():
    """A file of version 114 whose formats of columns are as short as they were before it."""
    raw = stata(114)
    head = 4 + 2 + 4 + 81 + 18
    n_columns = FRAME.shape[1]
    start = head + n_columns * (1 + 33) + 2 * (n_columns + 1)
    stop = start + 49 * n_columns
    formats = b"".join(raw[at : at + 12] for at in range(start, stop, 49))
    labels = b"".join(raw[at : at + 33] for at in range(stop, stop + 33 * n_columns, 33))
    rest = raw[stop + 33 * n_columns :]
    return b"\x71" + raw[1:3] + b"\xbf" + raw[4:start] + formats + labels + rest


def spss(path, *, is_portable=False):
    package = pytest.importorskip("pyreadstat")
    (package.write_por if is_portable else package.write_sav)(FRAME, path)


def transport(path, version=8):
    package = pytest.importorskip("pyreadstat")
    package.write_xport(FRAME, path, file_format_version=version)


def of_r(path, *, workspace=False):
    rdata = pytest.importorskip("rdata")
    frame = FRAME.assign(kind=pd.Categorical(FRAME["kind"].astype(object)))
    if workspace:
        rdata.write_rda(path, {"frame": frame}, file_format="xdr")
    else:
        rdata.write_rds(path, frame, file_format="xdr")


def flow(path, n_events=N, channels=("FSC-A", "CD3"), times=None):
    flowio = pytest.importorskip("flowio")
    events = np.random.default_rng(0).normal(100, 9, (n_events, len(channels)))
    if times is not None:
        events[:, -1] = times
    with path.open("wb") as file:
        flowio.create_fcs(file, events.ravel(), [*channels])


TEXTS = {
    "records": (of_json(RECORDS), "kind", ("size", "mass")),
    "records within a file": (of_json({"name": "x", "data": RECORDS}), "kind", ("size", "mass")),
    "a record a line": (
        "\n".join(map(json.dumps, RECORDS)).encode(), "kind", ("size", "mass")
    ),
    "columns": (of_json(FRAME.to_dict("list")), "kind", ("size", "mass")),
    "rows below their names": (
        of_json([list(FRAME), *FRAME.to_numpy().tolist()]), "kind", ("size", "mass")
    ),
    "rows of a database": (
        of_json({"status": "ok", "data": {"columns": [{"name": name} for name in FRAME],
                                          "rows": FRAME.to_numpy().tolist()}}),
        "kind", ("size", "mass"),
    ),
    "records within records": (
        of_json([{"of": {"size": one["size"], "mass": one["mass"]}, "kind": one["kind"]}
                 for one in RECORDS]), "kind", ("of.size", "of.mass"),
    ),
    **{
        f"{how} of pandas": (FRAME.to_json(orient=how).encode(), "kind", ("size", "mass"))
        for how in ("columns", "index", "split", "table")
    },
    "columns of pandas with names of rows": (
        FRAME.set_axis([f"s{at}" for at in range(N)]).to_json().encode(), "kind", ("size", "mass")
    ),
    "records of numbers by name": (
        of_json({f"s{at}": {"a": at % 5, "b": at % 3, "class": at % 2} for at in range(N)}),
        "class", ("a", "b"),
    ),
    "libsvm": (SPARSE.encode(), "label", ("feature 1", "feature 3")),
    "libsvm with comments": (
        ("# by a program\n" + SPARSE.replace("\n", " # a row\n")).encode(), "label",
        ("feature 1", "feature 3"),
    ),
    "libsvm with queries": (
        "".join(line.replace(" ", f" qid:{at // 2 + 1} ", 1) for at, line in
                enumerate(SPARSE.splitlines(keepends=True))).encode(), "label",
        ("feature 1", "feature 3"),
    ),
    "BIOM of few counts": (biom(sparse=True), "kind", ("otu0", "otu1", "otu2")),
    "BIOM of all counts": (biom(sparse=False), "kind", ("otu0", "otu1", "otu2")),
    "mwTab as JSON": (of_json(metabolites()), "diet", ("m0", "m1")),
    "bzip2": (bz2.compress(of_json(RECORDS)), "kind", ("size", "mass")),
    "xz": (lzma.compress(of_json(RECORDS)), "kind", ("size", "mass")),
    "MATLAB": (
        matlab(X=FRAME[["size", "mass"]].to_numpy(), y=np.arange(N) % 2), "y", ("x0", "x1")
    ),
    "MATLAB with names": (
        matlab(X=FRAME[["size", "mass"]].to_numpy(), kind=FRAME["kind"].to_numpy(object)), "kind",
        ("x0", "x1"),
    ),
    "a family of GEO": (soft_family(), "tissue", ("p0", "p1", "p2")),
    "Stata": (stata(118), "kind", ("size", "mass")),
    "Stata of old": (stata(114), "kind", ("size", "mass")),
    "Stata before 10": (stata_before_10(), "kind", ("size", "mass")),
}  # fmt: skip
PATHS = {
    "SPSS": spss,
    "SPSS portable": lambda path: spss(path, is_portable=True),
    "SAS transport 5": lambda path: transport(path, 5),
    "SAS transport 8": transport,
    "R object": of_r,
    "R workspace": lambda path: of_r(path, workspace=True),
}


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("word", ["tête", "Größe"])
@pytest.mark.parametrize(("encoding", "flags"), [("cp1252", b"\x40"), ("utf-8", b"\x80")])
@pytest.mark.parametrize("unnamed", [b"\x00\x00\x00\x09", b"\x00\x04\x00\x09"])
def test_texts_of_r_in_an_encoding_that_it_does_not_name_are_read(
    word, encoding, flags, unnamed, tmp_path
):
    """Nor as which it names another, ASCII."""
    rdata = pytest.importorskip("rdata")
    kinds = pd.Categorical(np.array([word, "pied"] * 4, dtype=object))
    frame = pd.DataFrame({"size": np.arange(8.0), word: kinds})
    path = tmp_path / "file"
    rdata.write_rda(path, {"frame": frame}, encoding=encoding)
    named = b"\x00\x00" + flags + b"\x09"
    raw = gzip.decompress(path.read_bytes())
    assert named in raw
    raw = raw.replace(named, unnamed).replace(b"UTF-8", b"ASCII")
    table = read_table(raw, "old.rda")
    assert {*table.frame[word]} == {word, "pied"}


def test_dates_and_times_of_r_are_no_numbers():
    days, gap = np.array([0.0, 15906.0, np.nan, 1e9]), 2
    assert [*statistics.dates(days, None, "D")[:gap]] == ["1970-01-01", "2013-07-20"]
    assert pd.isna(statistics.dates(days, None, "D")[gap:]).all()
    assert statistics.dates(days * 86_400, None, "s")[1] == "2013-07-20 00:00:00"
    fields = {"sec": days}  # POSIXlt and the like
    assert statistics.dates(fields, None, "s") is fields


@pytest.mark.parametrize("is_ordered", [True, False])
def test_levels_of_the_same_name_in_a_factor_of_r_are_one(is_ordered, tmp_path):
    rdata = pytest.importorskip("rdata")
    kinds = pd.Categorical(["no", "yes1", "yes2", None] * 2, ordered=is_ordered)
    frame = pd.DataFrame({"size": np.arange(8.0), "kind": kinds})
    rdata.write_rda(tmp_path / "file", {"frame": frame})
    raw = gzip.decompress((tmp_path / "file").read_bytes())
    table = read_table(raw.replace(b"yes2", b"yes1"), "old.rda")
    assert [*table.frame["kind"].dropna()] == ["no", "yes1", "yes1"] * 2


@pytest.mark.parametrize("kind", ["label", "{0,1}", "-C 3", "-C -3"])
def test_of_several_labels_of_arff_one_is_the_label_and_none_a_feature(kind):
    """As multi-label data sets have them: each row has any."""
    rng = np.random.default_rng(0)
    labels, features = [f"tag{at}" for at in range(3)], [f"x{at}" for at in range(4)]
    names = [*labels, *features] if kind == "-C 3" else [*features, *labels]
    is_counted = kind.startswith("-C")
    types = ["numeric" if is_counted else kind, "numeric"]
    head = [f"@relation 'songs{f': {kind}' if is_counted else ''}'"]
    head += [f"@attribute {name} {types[name in features]}" for name in names]
    rows = [
        {**dict(zip(labels, rng.integers(0, 2, 3), strict=True)),
         **dict(zip(features, rng.normal(size=4).round(3), strict=True))}
        for _ in range(60)
    ]  # fmt: skip
    lines = [*head, "@data", *(",".join(str(row[name]) for name in names) for row in rows)]
    data = prepare(read_table("\n".join(lines).encode(), "songs.arff"))
    assert data.label in labels
    assert data.feature_names == tuple(features)
    (question,) = [one for one in data.questions if one.id == "label"]
    assert {*labels} <= {choice.value for choice in question.choices}


@pytest.mark.parametrize(
    "kinds",
    [["numeric", "{0,1}", "numeric", "{0,1}", "{0,1}", "{0,1}"], ["numeric"] * 4 + ["{0,1}"] * 2],
)
def test_a_few_yes_and_no_of_arff_are_features_beside_a_label(kinds):
    rng = np.random.default_rng(0)
    head = ["@relation t", *(f"@attribute x{at} {kind}" for at, kind in enumerate(kinds)), "@data"]
    rows = rng.permuted(np.tile([[0, 1]], (6, 30)), axis=1).T
    lines = [*head, *(",".join(map(str, row)) for row in rows)]
    data = prepare(read_table("\n".join(lines).encode(), "t.arff"))
    assert (data.label, len(data.feature_names)) == ("x5", 5)


@pytest.mark.parametrize("kind", TEXTS)
def test_a_format_is_read(kind):
    raw, label, features = TEXTS[kind]
    data = prepare(read_table(raw, "file"))
    assert [column.name for column in data.columns if column.role is Role.LABEL] == [label]
    assert data.feature_names == features
    assert len(data.y) == N


@pytest.mark.parametrize("kind", PATHS)
def test_a_format_of_an_extra_is_read(kind, tmp_path):
    PATHS[kind](tmp_path / "file")
    data = prepare(read_table((tmp_path / "file").read_bytes(), "file"))
    assert [*map(str.casefold, data.feature_names)] == ["size", "mass"]
    np.testing.assert_allclose(data.unprepared, FRAME[["size", "mass"]])


SCALE = pd.DataFrame({"mood": [1.0, 2, 3, 4, 5, np.nan], "arm": [1.0, 2, 1, 2, 1, 2]})
LABELS = {"mood": {1: "bad", 5: "good"}, "arm": {1: "drug", 2: "placebo"}}


def scale_of_stata(path, scale=SCALE, labels=LABELS):
    scale.to_stata(path, write_index=False, value_labels=labels)


def scale_of_spss(path, scale=SCALE, labels=LABELS):
    package = pytest.importorskip("pyreadstat")
    package.write_sav(scale, path, variable_value_labels=labels)


@pytest.mark.parametrize("write", [scale_of_stata, scale_of_spss])
def test_a_scale_whose_ends_have_labels_is_a_number(write, tmp_path):
    write(tmp_path / "file")
    frame = read_table((tmp_path / "file").read_bytes(), "file").frame
    np.testing.assert_array_equal(frame["mood"], SCALE["mood"])
    assert [*frame["arm"]] == ["drug", "placebo"] * 3


APART = {7: "no idea", 9: "no answer"}
TEMPERATURE = [-9.0, *np.arange(10.0, 90.0, 13.0), 100.0]


@pytest.mark.parametrize(
    ("steps", "labels", "wanted"),
    [
        ([1.0, 2, 3, 4, 5, 7, 9], {1: "bad", 5: "good"} | APART, [1.0, 2, 3, 4, 5, None, None]),
        ([0.0, 1, 2, 3, 7, 9], {0: "never", 3: "daily"} | APART, [0.0, 1, 2, 3, None, None]),
        # A step that nobody chose is no gap, nor is one between those of a thermometer.
        ([1.0, 2, 4, 5, 6, 7], {1: "bad", 7: "good"}, [1.0, 2, 4, 5, 6, 7]),
        (TEMPERATURE, {-9: "not asked", 10: "cold", 100: "hot"}, [None, *TEMPERATURE[1:]]),
        ([-1.0, 0, 3, 27], {-1: "missing"}, [None, 0, 3, 27]),
        (
            [-9.0, -8, 1.5, 2],
            {-9: "-9. Refused (by proxy)", -8: "Don't know"},
            [None, None, 1.5, 2],
        ),
        ([0.0, 4, 99], {99: "Not applicable", 98: "NA"}, [0, 4, None]),
    ],
)
@pytest.mark.parametrize("write", [scale_of_stata, scale_of_spss])
def test_labeled_codes_apart_from_a_scale_are_missing(write, steps, labels, wanted, tmp_path):
    scale = pd.DataFrame({"mood": steps, "size": np.arange(len(steps)) + 0.5})
    write(tmp_path / "file", scale, {"mood": labels})
    table = read_table((tmp_path / "file").read_bytes(), "file")
    np.testing.assert_array_equal(table.frame["mood"], np.array(wanted, dtype=float))
    said = [step for step in table.steps if "apart from their scales" in step]
    apart = [labels[code] for code, cell in zip(steps, wanted, strict=True) if cell is None]
    assert len(said) == (None in wanted)
    assert all(label in said[0] for label in apart)


@pytest.mark.parametrize(
    ("codes", "labels"),
    [
        ([0.0, 3, 27, 30], {30: "30 or more"}),
        ([-1.0, 0, 3, 27], {-1: "missing", 0: "toothless"}),
        ([1.0, 2, -1], {1: "yes", 2: "no", -1: "missing"}),
        ([1.0, -1], {-1: "refused"}),
    ],
)
@pytest.mark.parametrize("write", [scale_of_stata, scale_of_spss])
def test_codes_of_kinds_keep_their_labels(write, codes, labels, tmp_path):
    write(tmp_path / "file", pd.DataFrame({"teeth": codes}), {"teeth": labels})
    raw = (tmp_path / "file").read_bytes()
    cells, _ = statistics.statistics_cells(raw, "file", Limits(9, 9))
    assert {*labels.values()} <= {*cells["teeth"]}


@pytest.mark.parametrize("version", [5, 8])
def test_texts_of_sas_are_read_whatever_their_encoding(tmp_path, version):
    package = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"kind": ["Sauze", "Wein "] * 20, "size": np.arange(40) / 7})
    package.write_xport(frame, tmp_path / "file", file_format_version=version)
    raw = (tmp_path / "file").read_bytes().replace(b"Sauze", "Säuße".encode("cp1252"))
    assert {*read_table(raw, "wine.xpt").frame["kind"]} == {"Säuße", "Wein"}


def test_nothing_in_a_transport_file_is_nothing(tmp_path):
    package = pytest.importorskip("pyreadstat")
    frame = FRAME.assign(dose=np.arange(N) % 3 * 1.5)
    package.write_xport(frame, tmp_path / "file", file_format_version=5)
    table = read_table((tmp_path / "file").read_bytes(), "file")
    np.testing.assert_array_equal(table.frame["dose"], frame["dose"])


def test_numbers_with_the_format_of_a_date_in_a_transport_file_are_dates(tmp_path):
    package = pytest.importorskip("pyreadstat")
    days = 19_000.0 + np.arange(N)
    frame = FRAME.assign(seen=days, begun=days * 86_400)
    written = {"seen": "DATE9", "begun": "DATETIME20"}
    package.write_xport(frame, tmp_path / "file", file_format_version=5, variable_format=written)
    table = read_table((tmp_path / "file").read_bytes(), "file")
    assert (table.frame["seen"][0], table.frame["begun"][0]) == (
        "2012-01-08",
        "2012-01-08 00:00:00",
    )
    assert prepare(table, "kind").feature_names == ("size", "mass")


def test_truth_values_of_r_are_a_category(tmp_path):
    rdata = pytest.importorskip("rdata")
    answers = pd.array(([True, False, None] * N)[:N], dtype="boolean")
    rdata.write_rda(tmp_path / "file", {"frame": FRAME[["size", "mass"]].assign(insured=answers)})
    data = prepare(read_table((tmp_path / "file").read_bytes(), "file"))
    assert (data.label, data.class_names) == ("insured", ("FALSE", "TRUE"))


def test_what_is_missing_in_r_is_missing_as_anywhere(tmp_path):
    rdata = pytest.importorskip("rdata")
    sizes = FRAME["size"].to_numpy(np.float64, copy=True)
    sizes[:2] = np.array([0x7FF00000000007A2], dtype=np.uint64).view(np.float64)  # NA
    frame = FRAME[["size", "mass"]].assign(size=sizes)
    rdata.write_rda(tmp_path / "file", {"frame": frame})
    found = read_table((tmp_path / "file").read_bytes(), "file").frame["size"].to_numpy()
    assert {*found[:2].view(np.uint64)} == {np.float64(np.nan).view(np.uint64)}


def test_a_list_of_r_with_x_and_y_is_a_table(tmp_path):
    rdata = pytest.importorskip("rdata")
    study = {"x": FRAME[["size", "mass"]].to_numpy(), "y": np.array(FRAME["kind"].astype(str))}
    rdata.write_rda(tmp_path / "file", {"study": study}, file_format="xdr")
    table = read_table((tmp_path / "file").read_bytes(), "file")
    assert list(table.frame) == ["column 1", "column 2", "y"]


def test_blocks_of_the_same_rows_in_a_list_of_r_are_one_table(tmp_path):
    rdata = pytest.importorskip("rdata")
    few = pd.DataFrame({"id": [1.5, 2.5]})
    study = {"about": few, "gene": FRAME[["size"]], "lipid": FRAME[["mass"]],
             "sample": {"kind": np.array(FRAME["kind"].astype(str))}}  # fmt: skip
    rdata.write_rds(tmp_path / "file", study, file_format="xdr")
    table = read_table((tmp_path / "file").read_bytes(), "file")
    assert list(table.frame) == ["gene size", "lipid mass", "sample.kind"]


def of_class(monkeypatch, **slots):
    """A file of R with an object of a class, such as no package of Python writes."""
    study = types.SimpleNamespace(**slots)
    return of_objects(monkeypatch, study=study)


def of_objects(monkeypatch, **objects):
    """A file of R with these objects."""
    rdata = pytest.importorskip("rdata")
    monkeypatch.setattr(rdata.parser, "parse_data", lambda *_, **__: None)
    monkeypatch.setattr(rdata.conversion, "convert", lambda *_, **__: objects)
    return read_table(b"RDX3\nX\n", "study.rda")


def test_columns_of_r_with_one_name_are_all_read(monkeypatch):
    genes = np.arange(24.0).reshape(8, 3)
    frame = pd.DataFrame(genes, columns=["EST", "EST", "p53"]).assign(kind=["a", "b"] * 4)
    found = of_objects(monkeypatch, frame=frame).frame
    assert [*found] == ["EST", "EST (2)", "p53", "kind"]
    np.testing.assert_array_equal(found.iloc[:, :3], genes)


def test_names_of_rows_of_r_are_no_numbers(monkeypatch):
    names = [f"0000{at}.1130" for at in range(8)]
    frame = pd.DataFrame({"size": np.arange(8.0)}, index=names).assign(kind=["a", "b"] * 4)
    found = of_objects(monkeypatch, frame=frame).frame
    assert [*found.iloc[:, 0]] == names


ABUNDANCES = np.random.default_rng(1).poisson(9, (7, 5)).astype(float)
ABOUT = {"diet": np.resize(np.array(["fat", "lean"], dtype=object), 5)}


@pytest.mark.parametrize("taxa_are_rows", [True, False])
def test_the_samples_of_a_phyloseq_are_rows(taxa_are_rows, monkeypatch):
    counts = ABUNDANCES if taxa_are_rows else ABUNDANCES.T
    table = of_class(monkeypatch, otu_table=counts, sam_data=ABOUT)
    assert list(table.frame) == [*(f"column {at}" for at in range(1, 8)), "diet"]
    np.testing.assert_array_equal(table.frame.iloc[:, :7], ABUNDANCES.T)
    assert [*table.beside] == ["diet"]


class Environment(dict):
    """One of R, which keeps its objects in a frame, unless they are hashed."""

    frame = None


@pytest.mark.parametrize("kept", ["list", "hashed", "frame"])
def test_the_samples_of_an_expression_set_are_rows(monkeypatch, kept):
    about = types.SimpleNamespace(data=pd.DataFrame(ABOUT))
    members = {"exprs": ABUNDANCES}
    assays = members if kept == "list" else Environment(members if kept == "hashed" else {})
    if kept == "frame":
        assays.frame = members
    table = of_class(monkeypatch, assayData=assays, phenoData=about)
    assert table.frame.shape == (5, 8)
    assert list(table.frame["diet"]) == list(ABOUT["diet"])


@pytest.mark.parametrize("is_set", [True, False], ids=["MSnSet", "SummarizedExperiment"])
def test_the_proteins_of_organelles_are_rows(is_set, monkeypatch):
    markers = np.array(["ER", "ER", "unknown", "Golgi", "Golgi", "unknown", "ER"], dtype=object)
    data = {"markers": markers, "score": np.arange(7.0)}
    of = types.SimpleNamespace
    slots = (
        {"assayData": {"exprs": ABUNDANCES}, "phenoData": of(data=pd.DataFrame(ABOUT)),
         "featureData": of(data=pd.DataFrame(data))}
        if is_set
        else {"assays": of(data=of(listData=[ABUNDANCES])), "colData": of(listData=ABOUT),
              "elementMetadata": of(listData=data)}
    )  # fmt: skip
    prepared = prepare(of_class(monkeypatch, **slots))
    np.testing.assert_allclose(prepared.unprepared, ABUNDANCES[markers != "unknown"])
    assert prepared.class_names == ("ER", "Golgi")
    assert len(prepared.unlabeled.X) == 2


@pytest.mark.parametrize("assays", [{"Abundance": ABUNDANCES}, [ABUNDANCES]])
def test_the_samples_of_a_summarized_experiment_are_rows(assays, monkeypatch):
    assays = types.SimpleNamespace(listData=assays)
    of_samples = types.SimpleNamespace(listData=ABOUT)
    assays = types.SimpleNamespace(data=assays)
    table = of_class(monkeypatch, assays=assays, colData=of_samples)
    assert table.frame.shape == (5, 8)
    assert list(table.frame["diet"]) == list(ABOUT["diet"])


@pytest.mark.parametrize("is_list", [True, False])
def test_samples_that_are_columns_beside_their_classes_in_r_are_rows(is_list, monkeypatch):
    kinds = np.resize(np.array(["a", "b"], dtype=object), 12)
    study = {"kind": kinds, "genes": np.arange(84.0).reshape(7, 12) % 11, "age": np.arange(12.0)}
    table = of_objects(monkeypatch, **({"study": study} if is_list else study))
    assert [*table.frame] == [*(f"column {at}" for at in range(1, 8)), "kind", "age"]
    np.testing.assert_array_equal(table.frame.iloc[:, :7], study["genes"].T)
    data = prepare(table)
    assert data.feature_names == tuple(f"column {at}" for at in range(1, 8))
    of_rows = {**study, "genes": study["genes"].T}
    same = of_objects(monkeypatch, **({"study": of_rows} if is_list else of_rows))
    pd.testing.assert_frame_equal(same.frame, table.frame)


def test_samples_that_are_columns_beside_their_classes_in_matlab_are_rows():
    X, y = np.arange(84.0).reshape(7, 12) % 11, np.resize([1.0, 2.0], 12)
    table = read_table(matlab(X=X, y=y), "study.mat")
    assert table.frame.shape == (12, 8)
    assert table.steps == ("Turned: the columns of X are samples, as y tells.",)
    of_rows = read_table(matlab(X=X.T, y=y), "study.mat")
    pd.testing.assert_frame_equal(of_rows.frame, table.frame)
    kinds = np.arange(7.0)[::-1] // 4
    axis = read_table(matlab(X=X, nm=np.linspace(4, 6, 12), kind=kinds), "study.mat")
    assert axis.frame.shape == (7, 13)


@pytest.mark.parametrize("is_turned", [False, True])
def test_spectra_of_matlab_are_named_by_their_axis_and_turned_where_it_has_rows(is_turned):
    spectra, axis = np.arange(300.0).reshape(12, 25) % 11, np.linspace(900, 1140, 25)
    names = np.array([f"{['PLA', 'ABS'][at % 2]}_{at}" for at in range(12)], object)
    block = spectra.T if is_turned else spectra
    table = read_table(matlab(S=block, names_of=names, nm=axis), "study.mat")
    assert [*table.frame][:26] == [*(f"{step:g}" for step in axis), "names_of"]
    np.testing.assert_array_equal(table.frame.iloc[:, :25], spectra)
    step = "Turned: the columns of S are samples, as names_of tells."
    assert (step in table.steps) == is_turned
    assert prepare(table).class_names == ("ABS", "PLA")


def test_rows_that_are_counted_beside_names_of_the_columns_are_samples():
    """Numbers from 1 on are no axis, and a few texts may be of classes."""
    block, names = np.arange(300.0).reshape(25, 12) % 11, [f"v{at}" for at in range(12)]
    called = np.array(names, object)
    table = read_table(matlab(S=block, labels=called, row=np.arange(1.0, 26.0)), "study.mat")
    assert [*table.frame] == [*names, "row"]
    few = matlab(S=block[:, :3], labels=called[:3], y=np.resize([1.0, 2.0], 25))
    assert [*read_table(few, "study.mat").frame] == ["S 0", "S 1", "S 2", "y"]


@pytest.mark.parametrize("shape", [(7, 3), (2, 3, 4)])
def test_samples_along_the_last_of_several_axes_are_rows(shape):
    cube = np.arange(np.prod(shape) * 30.0).reshape(30, *shape) % 11
    labels, sites = np.resize([1.0, 2.0], 30), np.repeat([1.0, 2.0, 3.0], 10)
    raw = matlab(data=np.moveaxis(cube, 0, -1), labels=labels, sites=sites)
    table = read_table(raw, "study.mat")
    same = read_table(matlab(data=cube, labels=labels, sites=sites), "study.mat")
    pd.testing.assert_frame_equal(table.frame, same.frame)
    step = "Turned: the last axis of data has the samples, as labels tells."
    assert (table.steps, same.steps) == ((step,), ())


@pytest.mark.parametrize("shape", [(12,), (3, 12)])
def test_samples_stay_in_rows_where_an_axis_of_the_features_has_classes_too(shape):
    block = np.arange(np.prod(shape) * 30.0).reshape(30, *shape) % 11
    kinds = np.resize([1.0, 2.0], 12)
    table = read_table(matlab(data=block, y=np.resize([1.0, 2.0], 30), kinds=kinds), "study.mat")
    np.testing.assert_array_equal(table.frame.iloc[:, :-1], block.reshape(30, -1))


@pytest.mark.parametrize("sheet", ["", "X_new"])
def test_samples_to_train_and_to_test_with_may_be_columns(sheet):
    X, y = np.arange(280.0).reshape(7, 40) % 11, np.resize([1.0, 2.0], 40)
    options = ReadOptions(sheet=sheet)
    raw = matlab(y_new=y[:10], X=X, X_new=X[:, :10], y=y)
    table = read_table(raw, "study.mat", options=options)
    in_rows = matlab(y_new=y[:10], X=X.T, X_new=X[:, :10].T, y=y)
    same = read_table(in_rows, "study.mat", options=options)
    assert table.steps == (
        "Turned: the columns of X, X_new are samples, as y, y_new tell.",
        *same.steps,
    )
    pd.testing.assert_frame_equal(table.frame, same.frame)


def test_samples_in_rows_stay_where_as_many_are_to_test_with_as_there_are_features():
    X, y = np.arange(400.0).reshape(40, 10) % 11, np.resize([1.0, 2.0], 40)
    table = read_table(matlab(X=X, X_new=X[:10], y=y, y_new=y[:10]), "study.mat")
    np.testing.assert_array_equal(table.frame, np.column_stack([X, y]))


def test_another_table_with_classes_in_matlab_can_be_chosen():
    X, y = np.arange(60.0).reshape(20, 3) % 11, np.resize([1.0, 2.0], 20)
    raw = matlab(X=X, y=y, X_new=X[:10], y_new=y[:10])
    assert read_table(raw, "t.mat").sheets == ("X", "X_new")
    assert len(read_table(raw, "t.mat", options=ReadOptions(sheet="X_new")).frame) == 10


def test_several_labels_beside_a_matrix_of_r_are_choices_and_no_features(monkeypatch):
    spectra = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 12)))
    contents = pd.DataFrame({"sugar": spectra[0] ** 2, "fat": spectra[1] ** 2})
    study = {"xNIR": spectra, "yContents": contents}
    data = prepare(of_objects(monkeypatch, study=study))
    (question,) = (question for question in data.questions if question.id == "label")
    assert {choice.value for choice in question.choices} > {"yContents sugar", "yContents fat"}
    assert data.feature_names == tuple(f"xNIR column {at}" for at in range(1, 13))
    other = {"genes": spectra, "lipids": contents}
    assert "lipids sugar" in prepare(of_objects(monkeypatch, study=other)).feature_names


def test_what_is_said_of_samples_beside_a_matrix_of_r_is_no_feature(monkeypatch):
    kinds = np.resize(np.array(["a", "b"], dtype=object), 20)
    measured = pd.DataFrame({"size": np.arange(20.0) % 7, "mass": np.arange(20.0) % 3})
    study = {"x": measured, "kind": kinds, "person": np.arange(20.0) % 9}
    table = of_objects(monkeypatch, study=study)
    assert [*table.beside] == ["kind", "person"]
    assert prepare(table, "kind").feature_names == ("size", "mass")


@pytest.mark.parametrize(("n_levels", "n_rows"), [(6, 48), (15, 18), (47, 141), (265, 2_385)])
def test_numbers_of_a_factor_of_r_are_words(n_levels, n_rows, monkeypatch):
    levels = pd.Categorical(np.resize([str(level) for level in range(n_levels)], n_rows))
    frame = pd.DataFrame({"treat": levels, "size": np.arange(n_rows) ** 2.0 % 31})
    table = of_objects(monkeypatch, study=frame.assign(mass=frame["size"] % 7))
    assert table.frame["treat"].dtype.kind != "f"
    unique = pd.Categorical([f"{at / 7:.3f}" for at in range(n_rows * 2)])
    own = pd.DataFrame({"size": unique, "mass": np.arange(n_rows * 2) % 7.0})
    assert of_objects(monkeypatch, study=own).frame["size"].dtype.kind == "f"


@pytest.mark.parametrize("blank", ["", " ", "  "])
def test_texts_of_other_programs_have_no_blanks_around_them(blank, monkeypatch):
    slope = np.resize(np.array(["N", " N", "S", blank, "S "], dtype=object), 40)
    frame = pd.DataFrame({"slope": slope, "size": np.arange(40) % 7.0, "kind": ["a", "b"] * 20})
    table = of_objects(monkeypatch, study=frame)
    assert {*table.frame["slope"].dropna()} == {"N", "S"}
    assert table.frame["slope"].isna().sum() == 8
    assert prepare(table, "kind").X.shape == (40, 4)


def ions_of_msstats() -> pd.DataFrame:
    ions = [("AAK", 2, "y3", 1), ("AAK", 3, "y3", 1), ("LMR", 2, "b4", 1), ("LMR", 2, "y4", 1)]
    rows = [
        {"ProteinName": "P1", "PeptideSequence": peptide, "PrecursorCharge": charge,
         "FragmentIon": ion, "ProductCharge": product, "IsotopeLabelType": "L",
         "Condition": "ab"[run % 2], "BioReplicate": run, "Run": f"r{run}",
         "Intensity": run * 10.0 + at}
        for run in range(6)
        for at, (peptide, charge, ion, product) in enumerate(ions)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_ions_of_msstats_are_features_of_its_runs():
    ions = ions_of_msstats()
    raw = ions.to_csv(index=False).encode()
    data = prepare(read_table(raw, "msstats.csv"))
    assert (data.X.shape, data.class_names) == ((6, 4), ("a", "b"))
    assert data.feature_names[0] == "AAK 2 y3 1 L"
    assert [one.id for one in data.questions if one.id == "samples"] == ["samples"]
    other = ions.drop(columns=["Condition", "BioReplicate"])
    assert len(read_table(other.to_csv(index=False).encode(), "ions.csv").frame) == len(ions)


def test_spectra_of_a_list_of_r_are_named_by_their_axis_and_have_no_colors(monkeypatch):
    known = {"freq": np.linspace(400, 460, 7), "data": ABUNDANCES.T, "groups": ABOUT["diet"]}
    spectra = known | {"colors": ABOUT["diet"], "alt.sym": ABOUT["diet"]}
    table = of_objects(monkeypatch, spectra=spectra)
    assert list(table.frame) == [*(str(at) for at in range(400, 461, 10)), "groups"]


def test_vectors_of_one_length_in_a_list_of_r_are_a_table(monkeypatch):
    table = of_objects(monkeypatch, known={"mass": ABUNDANCES[0], **ABOUT})
    assert list(table.frame) == ["mass", "diet"]
    with pytest.raises(TableError, match="without a data frame or matrix"):
        of_objects(monkeypatch, known={"mass": ABUNDANCES[:, 0], **ABOUT})


def test_of_several_tables_of_r_that_with_its_classes_is_read(monkeypatch):
    kinds = np.resize(np.array(["a", "b"], dtype=object), 20)
    train, test = (pd.DataFrame({"size": np.arange(n), "mass": np.arange(n) % 7}) for n in (20, 9))
    table = of_objects(monkeypatch, test=test, train=train, kinds=kinds)
    assert (table.frame.shape, [*table.frame]) == ((20, 3), ["size", "mass", "kinds"])
    study = {"x": train, "y": kinds, "grid": pd.concat([test] * 9), "p": np.arange(81.0)}
    assert [*of_objects(monkeypatch, study=study).frame] == ["size", "mass", "y"]


def test_of_a_list_of_draws_in_r_the_first_is_read(monkeypatch):
    one = pd.DataFrame({"x": np.arange(8), "class": [1, 2] * 4})
    table = of_objects(monkeypatch, draws={str(at): one + at for at in range(10)})
    assert table.steps[1] == "Read: 0, the first of 10 tables of the same columns."
    assert (table.frame.shape, [*table.frame]) == ((8, 2), ["x", "class"])


def test_a_matrix_of_r_beside_a_vector_of_its_classes_is_one_table(monkeypatch):
    xarray = pytest.importorskip("xarray")
    matrix = xarray.DataArray(ABUNDANCES.T, coords={"dim_1": [*"abcdefg"]}, dims=("dim_0", "dim_1"))
    table = of_objects(monkeypatch, diet=ABOUT["diet"], counts=matrix)
    assert list(table.frame) == [*"abcdefg", "diet"]


@pytest.mark.parametrize("beside", [{}, {"diet": ABOUT["diet"]}])
def test_a_matrix_of_r_keeps_the_names_of_its_rows(beside, monkeypatch):
    xarray = pytest.importorskip("xarray")
    years, states = [*map(str, range(1930, 1937))], ["Ohio", "Utah", "Iowa", "Maine", "Texas"]
    coords = {"dim_0": states, "dim_1": years}
    cases = xarray.DataArray(ABUNDANCES.T, coords=coords, dims=("dim_0", "dim_1"))
    assert [*of_objects(monkeypatch, cases=cases, **beside).frame.iloc[:, 0]] == states


def test_a_data_frame_of_r_read_without_its_header_is_named_by_its_first_row(monkeypatch):
    rows = [["mass", "kind"], *([f"{at / 7:.3f}", "ab"[at % 2]] for at in range(9))]
    frame = pd.DataFrame(rows, columns=["V1", "V2"])
    assert list(of_objects(monkeypatch, study=frame).frame) == ["mass", "kind"]
    below = frame.iloc[1:].reset_index(drop=True)
    assert list(of_objects(monkeypatch, study=below).frame) == ["V1", "V2"]


def test_a_matrix_within_a_data_frame_of_r_is_columns():
    pytest.importorskip("rdata")
    parts = {"water": ABUNDANCES[:, 0], "NIR": ABUNDANCES}
    frame = statistics.data_frame(parts, {"row.names": [f"s{at}" for at in range(7)]})
    assert list(frame) == ["water", *(f"NIR {at}" for at in range(1, 6))]


def test_time_series_of_the_archives_are_rows():
    head = b"# of motions\n@problemName Motions\n@classLabel true lo hi\n@data\n"
    rows = b"1.5,2:3,?:lo\n2,2:1,0:hi\n1,5:4,4:lo\n3,1:2,2:hi\n"
    data = prepare(read_table(head + rows, "Motions_TRAIN.ts"))
    of_times = [f"dimension {of} t{time}" for of in (1, 2) for time in (1, 2)]
    assert list(data.feature_names) == of_times
    assert data.class_names == ("hi", "lo")
    with pytest.raises(TableError, match=r"not of one length.*row 6"):
        read_table(head + b"1,2:3,4:lo\n1:3,4:hi\n", "Motions_TRAIN.ts")


def test_an_object_of_r_of_another_class_is_refused_by_its_name(monkeypatch):
    with pytest.raises(TableError, match=r"objects of the class HardyWeinberg\. Save the table"):
        of_class(monkeypatch, coefficients=ABUNDANCES, **{"class": np.array(["HardyWeinberg"])})


@pytest.mark.parametrize("names", [None, ("spectra", "about")])
def test_classes_in_a_data_frame_beside_a_matrix_of_r_are_those_of_its_rows(names, monkeypatch):
    spectra = np.random.default_rng(3).normal(size=(18, 40))
    about = pd.DataFrame({"dose": np.resize([1.0, 2.0, 2.0], 18), "mass": np.arange(18.0) ** 2})
    parts = [spectra, about]
    study = parts if names is None else dict(zip(names, parts, strict=True))
    data = prepare(of_objects(monkeypatch, study=study))
    assert (data.X.shape, data.class_names) == ((18, 40), ("1", "2"))
    np.testing.assert_allclose(data.unprepared, spectra)
    other = pd.DataFrame(spectra[:, :2], columns=["fat", "salt"])  # which is measured, too
    both = of_objects(monkeypatch, study={"x": spectra, "z": other})
    assert len(both.beside) == 0


@pytest.mark.parametrize("names", [["0001.5", "0002.5", "A3"], ["1e5", "1e6", "7e3"]])
def test_names_of_rows_beside_numbers_alone_of_r_are_no_numbers(names, monkeypatch):
    xarray = pytest.importorskip("xarray")
    names = [f"{name}{at}" for at in range(20) for name in names]
    matrix = xarray.DataArray(
        np.arange(240.0).reshape(60, 4) % 13,
        coords={"dim_0": names, "dim_1": ["90", "71", "85", "14"]},
        dims=("dim_0", "dim_1"),
    )
    table = of_objects(monkeypatch, counts=matrix)
    assert [*table.frame["row"]] == names
    assert "names" not in table.asked


@pytest.mark.parametrize("is_list", [True, False])
def test_of_tables_of_r_with_other_rows_which_is_read_is_asked(is_list, monkeypatch):
    traits = pd.DataFrame({"height": np.arange(12.0) ** 2, "life": ["annual", "perennial"] * 6})
    found = {"plots": np.random.default_rng(4).poisson(5, (30, 12)) * 1.0, "traits": traits}
    objects = {"study": found} if is_list else found
    table = of_objects(monkeypatch, **objects)
    plots, others = ("study$plots", "study$traits") if is_list else ("plots", "traits")
    assert (table.frame.shape, table.sheet) == ((30, 12), plots)
    (asked,) = (one for one in prepare(table).questions if one.id == "sheet")
    assert [choice.value for choice in asked.choices] == [plots, others]
    other = read_table(b"RDX3\nX\n", "study.rda", options=ReadOptions(sheet=others))
    assert [*other.frame] == ["height", "life"]
    assert {*other.sheets} == {*table.sheets}


def of_named_samples(monkeypatch, are_rows, names):
    xarray = pytest.importorskip("xarray")
    samples = [f"GSM{at}" for at in range(8)]
    coords = {"dim_0": [f"{at}_at" for at in range(20)], "dim_1": samples}
    levels = np.arange(160.0).reshape(20, 8) % 13
    matrix = xarray.DataArray(levels, coords=coords, dims=("dim_0", "dim_1"))
    about = pd.DataFrame({"tissue": [*"abbaabba"], "title": [*"stuvwxyz"]}, names(samples))
    objects = {"pd": about, "exp": matrix.T if are_rows else matrix, "gse": np.array(["GSE1"])}
    return of_objects(monkeypatch, **objects), levels


@pytest.mark.parametrize("are_rows", [True, False])
def test_samples_of_a_matrix_of_r_are_those_that_a_data_frame_has_for_rows(are_rows, monkeypatch):
    table, levels = of_named_samples(monkeypatch, are_rows, lambda samples: samples[::-1])
    assert (table.sheet, {*table.sheets}) == ("exp", {"exp", "pd"})
    assert table.steps[1] == (
        f"Joined: exp with what pd says of its {'rows' if are_rows else 'columns'}, by their names."
    )
    data = prepare(table)
    assert (data.label, data.class_names) == ("tissue", ("a", "b"))
    assert table.frame["title"].tolist() == [*"zyxwvuts"]
    np.testing.assert_allclose(data.unprepared, levels.T, atol=1e-9)


@pytest.mark.parametrize("n_others", [0, 3, 5])
def test_a_data_frame_of_r_names_the_samples_of_a_matrix_or_half_of_them(n_others, monkeypatch):
    table, _ = of_named_samples(
        monkeypatch, are_rows=False, names=lambda samples: [*"abcdefgh"[:n_others], *samples][:8]
    )
    assert ("Joined: exp" in " ".join(table.steps)) == (n_others <= 4)


@pytest.mark.parametrize("program", ["memisc", "haven"])
def test_coded_values_of_r_get_their_labels(program):
    xarray = pytest.importorskip("xarray")
    codes, texts = np.array([1.0, 2.0, -9.0, 2.0, 7.0]), np.array(["yes", "no", "refused"])
    if program == "memisc":
        labels = statistics.value_labels(texts, {"values": np.array([1.0, 2.0, -9.0])})
        missing = types.SimpleNamespace(range=np.array([-np.inf, -1.0]), filter="NULL")
        said = {"value.labels": labels, "value.filter": missing}
    else:
        named = xarray.DataArray([1.0, 2.0, -9.0], coords={"dim_0": texts}, dims="dim_0")
        said = {"labels": named, "na_values": np.array([-9.0])}
    assert [*statistics.labeled(codes, said)][:2] == ["yes", "no"]
    assert [*pd.isna(statistics.labeled(codes, said))] == [False, False, True, False, False]
    gaps = np.ma.MaskedArray(np.array([1, 2, 1, 2, -(2**31)]), [False] * 4 + [True])
    assert [*statistics.labeled(gaps, {})][:2] == [1, 2]
    assert np.isnan(statistics.labeled(gaps, {})[-1])
    words = np.array(["a", "b"])
    assert statistics.labeled(words, said) is words


def test_a_matrix_of_r_asks_which_way_around_its_samples_are(tmp_path):
    rdata = pytest.importorskip("rdata")
    names = [f"K{at:05}" for at in range(7)]
    columns = ["SRR8", "SRR3", "SRR9", "SRR1", "SRR4"]
    frame = pd.DataFrame(ABUNDANCES, pd.Index(names, dtype=object), columns)
    rdata.write_rds(tmp_path / "file", frame, file_format="xdr")
    table = read_table((tmp_path / "file").read_bytes(), "file")
    assert "samples" in table.asked
    assert table.frame.shape == (7, 6)


def test_events_of_flow_cytometry_are_rows(tmp_path):
    flow(tmp_path / "events.fcs")
    table = read_table((tmp_path / "events.fcs").read_bytes(), "events.fcs")
    assert list(table.frame) == ["FSC-A", "CD3"]
    assert len(table.frame) == N


@pytest.mark.parametrize("n_more", [1, 0])
def test_events_whose_end_is_counted_one_too_far_are_read_and_cut_ones_are_not(n_more, tmp_path):
    """As some programs write it; $TOT says that all events are there."""
    flow(tmp_path / "events.fcs")
    raw = bytearray((tmp_path / "events.fcs").read_bytes())
    end = int(raw[34:42])
    raw[34:42] = f"{end + n_more:8d}".encode()
    raw = raw.replace(f"$ENDDATA/{end}/".encode(), f"$ENDDATA/{end + n_more}/".encode())
    assert len(read_table(bytes(raw), "events.fcs").frame) == N
    for n_cut in (3, 9, 100):
        with pytest.raises(TableError, match="it may be cut off"):
            read_table(bytes(raw[:-n_cut]), "events.fcs")


def test_a_marker_that_is_empty_hides_no_channel_of_flow_cytometry():
    flowio, written = pytest.importorskip("flowio"), io.BytesIO()
    flowio.create_fcs(written, np.arange(2.0 * N), ["FSC-A", "CD3"], opt_channel_names=["a", "b"])
    raw, last = written.getvalue(), b"/$P2S/b"
    start, end = raw.index(b"$P1B"), raw.index(last) + len(last)
    parts = raw[start:end].split(b"/")
    said = dict(zip(parts[::2], parts[1::2], strict=True)) | {b"$P1S": b"", b"$P2S": b"bb"}
    ordered = sorted(said, key=lambda key: (key[:3], b"NBEGRS".index(key[3:])))
    text = b"/".join(part for key in ordered for part in (key, said[key]))
    table = read_table(raw[:start] + text + raw[end:], "events.fcs")
    assert list(table.frame) == ["FSC-A", "bb"]


def test_no_channel_of_flow_cytometry_is_the_label(tmp_path):
    channels = ("FSC-A", "SSC-A", "CD3", "Time")
    flow(tmp_path / "events.fcs", 300, channels)
    table = read_table((tmp_path / "events.fcs").read_bytes(), "events.fcs")
    data = prepare(table)
    assert (data.label, data.feature_names) == (NO_LABEL, channels)
    assert "label" not in {one.id for one in data.questions}
    assert prepare(table, label="CD3").label == "CD3"


@pytest.mark.parametrize(("n_ticks", "is_order"), [(200, True), (20, False)])
def test_the_clock_of_a_cytometer_is_no_channel(tmp_path, n_ticks, is_order):
    channels = ("FSC-A", "SSC-A", "CD3", "Time")
    flow(tmp_path / "events.fcs", 300, channels, np.arange(300) * n_ticks // 300)
    data = prepare(read_table((tmp_path / "events.fcs").read_bytes(), "events.fcs"))
    assert ("Time" in data.feature_names) != is_order
    assert (data.columns[-1].role is Role.ORDER) == is_order


@pytest.mark.parametrize(
    ("name", "repeats", "role"),
    [
        ("rid", 1, Role.NAME),
        ("id", 1, Role.NAME),
        ("label", 60, Role.LABEL),
        ("cluster", 60, Role.LABEL),
        ("CD4", 1, Role.NUMERIC),
        ("CD4", 60, Role.NUMERIC),
    ],
)
def test_what_was_added_to_the_events_of_flow_cytometry_is_no_channel(
    tmp_path, name, repeats, role
):
    added = 2 * (np.random.default_rng(1).permutation(300) // repeats)
    flow(tmp_path / "cells.fcs", 300, ("FSC-A", "SSC-A", "CD3", name), added)
    data = prepare(read_table((tmp_path / "cells.fcs").read_bytes(), "cells.fcs"))
    assert data.columns[-1].role is role


def test_the_rows_of_a_query_stay_together():
    raw, _, _ = TEXTS["libsvm with queries"]
    assert len(set(prepare(read_table(raw, "file")).groups)) == N // 2


@pytest.mark.parametrize("query", ["", " qid:3"])
def test_each_set_of_labels_of_libsvm_is_a_class(query):
    lines = f"3,1{query} 1:0.5\n1,3{query} 2:1\n2{query} 1:0.1\n2{query} 1:0.2 2:4\n" * 5
    data = prepare(read_table(lines.encode(), "t.svm"))
    assert data.class_counts == {"{1, 3}": 10, "{2}": 10}
    assert any("each set of labels is a class" in step for step in data.steps)


def test_what_libsvm_does_not_have_is_zero_and_what_records_do_not_have_is_missing():
    sparse = read_table(SPARSE.encode(), "file").frame
    assert sparse["feature 3"].iloc[:2].tolist() == [0, 1]
    records = [one if at else {**one, "mass": None} for at, one in enumerate(RECORDS)]
    assert np.isnan(read_table(of_json(records), "file").frame["mass"].iloc[0])


def test_half_of_a_character_in_json_becomes_its_number_and_whole_ones_stay():
    raw = json.dumps([{"\ud800 😀": at % 5, "kind": "a\udc00"[: 1 + at % 2]} for at in range(9)])
    data = prepare(read_table(raw.encode(), "file"))
    assert data.feature_names == ("&#55296; 😀",)
    assert data.class_names == ("a", "a&#56320;")
    assert data.to_bytes()


def test_records_in_a_western_encoding_keep_their_letters():
    raw = json.dumps(
        [{"größe": at % 5, "kind": "ab"[at % 2]} for at in range(9)], ensure_ascii=False
    )
    assert list(read_table(raw.encode("latin-1"), "file").frame) == ["größe", "kind"]


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


RECORD = np.zeros(N, [("x", "f8"), ("of", [("y", "f8"), ("z", "i4")])])
CELLS = np.array([*[np.array([[1.0, "a"]], object)] * 3, None], object)[:3]
HOSTILE = {
    "JSON that is nested deeply": b"[" * 100_000,
    "objects that are nested deeply": b'{"a":' * 100_000,
    "JSON that is cut off": of_json(RECORDS)[:-20],
    "JSON without a table": b'{"a": 1, "b": "x"}',
    "libsvm with an index beyond all": b"+1 1:1\n-1 999999999:1\n",
    "libsvm with an index beyond whole numbers": b"+1 1:1\n-1 99999999999999999999:1\n",
    "libsvm with a qid in some rows": b"+1 qid:1 1:1\n-1 1:2\n+1 qid:2 1:3\n",
    "BIOM with counts elsewhere": biom(sparse=True).replace(b"[[0, 1,", b"[[99, 1,"),
    "MATLAB that is cut off": TEXTS["MATLAB"][0][:200],
    "MATLAB with more cells than the file": TEXTS["MATLAB"][0].replace(
        struct.pack("<ii", N, 2), struct.pack("<ii", 2**30, 2**30)
    ),
    "MATLAB with structures alone": matlab(table={"a": 1}),
    "MATLAB with cells within cells": matlab(table=CELLS),
    "NumPy with halves of characters": npy(np.array([["\ud800", "a"]] * 3)),
    "NumPy with codes beyond all characters": npy(np.array([["ab", "c"]] * 3)).replace(
        b"b\0\0\0", b"b\0\xff\0"
    ),
    "NumPy with records within records": npy(RECORD),
    "NumPy with a header that does not end": npy(np.zeros((N, 2))).replace(b"}", b" ", 1),
    "NumPy with nameless bytes": npy(np.zeros((N, 2), "V8")),
    "NumPy with rows of records": npy(np.zeros((N, 2), [("x", "f8"), ("y", "f8")])),
    "Stata that is cut off": stata(118)[:300],
    "Stata with nothing": b"<stata_dta>",
    "SAS with nothing": b"HEADER RECORD*" + b" " * 66,
    "SPSS with nothing": b"$FL2@(#) SPSS DATA FILE" + b"\xff" * 200,
    "R with nothing": b"X\n\0\0\0",
    "R with a length beyond the file": b"X\n\0\0\0\3\0\4\0\0\0\3\5\0\0\0\0\x0e\x7f\xff\xff\xff",
    "flow cytometry with nothing": b"FCS3.1    " + b"99999999" * 6,
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_file_that_is_damaged_gets_a_sentence(kind):
    with pytest.raises(TableError, match=r"\.$"):
        read_table(HOSTILE[kind], "file", max_rows=10_000, max_columns=1_000)


def test_flow_cytometry_that_does_not_name_a_channel_gets_a_sentence(tmp_path):
    flow(tmp_path / "events.fcs")
    raw = (tmp_path / "events.fcs").read_bytes()
    with pytest.raises(TableError, match=r"cannot be read: it may be cut off"):
        read_table(raw.replace(b"$P2N", b"$P9N"), "events.fcs")


def test_a_function_of_r_is_no_file_that_is_cut_off():
    compiled = b"X\n\0\0\0\2\0\4\0\0\0\2\3\0\0\0\0\xfc"
    with pytest.raises(TableError, match="or hold compiled functions"):
        read_table(compiled, "sysdata.rda")


@pytest.mark.parametrize(
    ("package", "raw"),
    [("pyreadstat", b"$FL2@(#)"), ("rdata", b"X\n\0\0\0"), ("flowio", b"FCS3.1    ")],
)
def test_a_missing_package_is_named_with_its_command(package, raw, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(TableError, match=rf"needs {package}: .*(files\.txt|statistics)"):
        read_table(raw, "file")


def test_of_a_family_of_geo_the_samples_of_one_platform_are_read():
    table = read_table(soft_family(others=5), "GSE1_family.soft")
    assert len(table.frame) == N - 5
    assert table.frame["p1"].isna().tolist() == [at == 2 for at in range(N - 5)]
    assert "Left out: 5 samples of other platforms than GPL1." in table.steps


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["GO:0001", "EC:0002", ""], {"characteristics_ch1": ["GO:0001", "EC:0002", ""]}),
        (["stage: 1", "well", ""], {"characteristics_ch1": ["stage: 1", "well", ""]}),
        (["9:30", "9:45", "9:30"], {"characteristics_ch1": ["9:30", "9:45", "9:30"]}),
        (["a: x:1", "a:y", ""], {"a": ["x:1", "y", ""]}),
        (["a: 1", "a: 1", "a:1"], {}),
    ],
)
def test_words_before_colons_are_keys_of_samples_where_all_of_a_line_are(texts, said):
    assert said_of_samples([("characteristics_ch1", texts)]) == said


def test_a_key_that_a_sample_has_twice_is_said_twice():
    lines = [("characteristics", ["drug: a", "drug: b"]), ("characteristics", ["drug: c", ""])]
    assert said_of_samples(lines) == {"drug": ["a", "b"], "drug'": ["c", ""]}


def test_titles_with_colons_have_no_keys():
    titles = ["donor 1: ill", "donor 2: well"]
    assert said_of_samples([("title", titles)]) == {"title": titles}
