"""Tables of the programs that people use are read as these mean them."""

from __future__ import annotations

import numpy as np
import pytest

from melm_studio.tables import Role, TableError, prepare, read_table
from melm_studio.tables.grammars import GRAMMARS
from tests.melm_studio.tables.programs import PROGRAMS


def columns_of(data, role):
    return [column.name for column in data.columns if column.role is role]


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_table_of_a_program_is_read_as_it_means_it(kind):
    expected = PROGRAMS[kind]
    table = read_table(expected.raw, expected.file)
    data = prepare(table)
    assert list(data.feature_names) == list(expected.features)
    assert columns_of(data, Role.LABEL) == [expected.label] * bool(expected.label)
    assert len(data.y) == expected.n_rows
    if expected.name:
        assert columns_of(data, Role.NAME) == [expected.name]
    asked = {question.id for question in data.questions}
    assert asked >= set(expected.asked)
    assert not asked & set(expected.not_asked)
    first = dict(zip(data.feature_names, data.unprepared[0], strict=True))
    np.testing.assert_allclose([first[one] for one in expected.first], [*expected.first.values()])
    assert expected.said in " ".join(table.steps)


@pytest.mark.parametrize(
    "kind", [one for one in PROGRAMS if not PROGRAMS[one].file.endswith("zip")]
)
@pytest.mark.parametrize("share", [0.9, 0.3])
def test_a_table_that_is_cut_off_is_read_or_refused_in_a_sentence(kind, share):
    raw = PROGRAMS[kind].raw
    assert outcome(raw[: int(len(raw) * share)]).endswith(".")


@pytest.mark.parametrize("n_nested", [1, 3])
def test_rows_that_discoverer_nests_below_compounds_are_no_features(n_nested):
    header = [
        "Tags",
        "Checked",
        "Name",
        "Formula",
        *(f"Area: {kind}_{at}.raw (F{at})" for at, kind in enumerate(["a", "b"] * 4)),
    ]
    below = [
        ["", "Tags", "Checked", "Structure", "Name"],
        *[["", "", "False", "C4", "x"]] * n_nested,
    ]
    rows = [header]
    for at in range(12):
        rows.append(
            [
                "",
                "False",
                f"acid {at}",
                f"C{at}H8",
                *((at * 7.5 + n * n) % 11 / 3 for n in range(8)),
            ]
        )
        rows += [[*cells, *[""] * (len(header) - len(cells))] for cells in below]
    raw = "".join("\t".join(map(str, row)) + "\n" for row in rows).encode()
    data = prepare(read_table(raw, "compounds.txt"))
    assert data.feature_names == tuple(f"acid {at}" for at in range(12))
    assert data.class_names == ("a", "b")


def test_long_tables_whose_numbers_are_not_one_of_each_feature_of_a_sample_stay_as_they_are():
    once = "".join(f"s{at},TP53,{at % 7},{'ab'[at % 2]}\n" for at in range(12))
    twice = "".join(f"s{at % 2},g{at % 6},{at},{'ab'[at % 2]}\n" for at in range(24))
    for rows in (once, twice):
        table = read_table(f"sample,gene,expression,class\n{rows}".encode(), "plain.csv")
        assert [*table.frame] == ["sample", "gene", "expression", "class"]


def test_a_long_table_of_one_sample_stays_as_it_is():
    rows = "".join(f"s1,p{at}x,{at % 97}.5,{'ab'[at % 2]}\n" for at in range(1_100))
    header = "sample,protein,intensity,class\n"
    assert [*read_table(f"{header}{rows}".encode(), "plain.csv").frame] == header.strip().split(",")
    two = f"{header}{rows}{rows.replace('s1,', 's2,')}"
    assert "p3x" in read_table(two.encode(), "plain.csv").frame


def test_what_is_said_of_samples_is_a_feature_only_where_somebody_says_so():
    table = read_table(PROGRAMS["rows of words above metabolites"].raw, "table.csv")
    assert "site = skin" in prepare(table, roles={"site": "feature"}).feature_names
    assert prepare(table, "site").feature_names == prepare(table).feature_names


def test_features_are_named_by_another_column_where_the_usual_one_has_another_name():
    raw = PROGRAMS["FragPipe"].raw.replace(b"Protein ID\t", b"Accession\t", 1)
    assert "Read as a table of FragPipe" in outcome(raw)


def outcome(raw):
    """The first step of what was read, or why it was refused."""
    try:
        return prepare(read_table(raw, "cut.txt")).steps[0]
    except TableError as refusal:
        return str(refusal)


def test_every_grammar_leaves_a_plain_table_alone():
    rows = "\n".join(f"s{at},{at * 7 % 5},{at * 3 % 4},{'ab'[at % 2]}" for at in range(12))
    table = read_table(f"id,x,y,class\n{rows}\n".encode(), "plain.csv")
    assert table.steps == ()
    assert not table.answers
    assert len(GRAMMARS) > 12
