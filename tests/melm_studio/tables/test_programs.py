"""Tables of the programs that people use are read as these mean them."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest

from melm_studio.tables import NO_LABEL, ReadOptions, Role, TableError, prepare, read_table
from melm_studio.tables.grammars import GRAMMARS
from melm_studio.tables.grammars.sample_names import groups_in_names
from tests.melm_studio.tables.programs import GENES, KINDS, MATRIX, PROGRAMS, SAMPLES, lines


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


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [one for one in PROGRAMS if not PROGRAMS[one].file.endswith("zip")]
)
@pytest.mark.parametrize("share", [0.9, 0.3])
def test_a_table_that_is_cut_off_is_read_or_refused_in_a_sentence(kind, share):
    raw = PROGRAMS[kind].raw
    assert outcome(raw[: int(len(raw) * share)]).endswith(".")


@pytest.mark.parametrize(
    "more",
    [
        {"assigned_chebi_identifier": "CHEBI:{}", "chebi_identifier_search_status": "not found"},
        {"assigned_pubchem_identifier": "{}", "note": "", "level": "level {}"},
        {},
    ],
)
def test_what_metabolights_adds_of_metabolites_is_no_sample(more):
    maf = ["database_identifier", "metabolite_identification", "chemical_shift"]
    header = [*maf, "smallmolecule_abundance_std_error_sub", *more, *SAMPLES]
    gaps = np.where(np.arange(len(SAMPLES)) == 3, "", np.array(MATRIX, dtype=str))
    rows = [
        [
            "",
            gene * (at % 2 == 0),
            f"[0.{at}]",
            "",
            *(cell.format(at) for cell in more.values()),
            *row,
        ]
        for at, (gene, row) in enumerate(zip(GENES, gaps, strict=True))
    ]
    table = read_table(lines([header, *rows], "\t").encode(), "m_study_maf.tsv")
    assert table.frame["sample"].tolist() == SAMPLES
    names = [f"[0.{at}]" if at % 2 else gene for at, gene in enumerate(GENES)]
    assert [*table.frame][1:] == [*names, "group"]


@pytest.mark.parametrize("header", ['"ID_REF"\t"GSM1"\t"GSM2"', '"ID_REF"\t"GSM1"'])
@pytest.mark.parametrize("end", ["\n", "", "\n\n"])
def test_a_series_matrix_without_values_says_where_these_are(header, end):
    above = '!Series_title\t"A study"\n!Sample_title\t"a"\t"b"\n!series_matrix_table_begin\n'
    empty = f"{above}{header}\n!series_matrix_table_end{end}"
    with pytest.raises(TableError, match=r"without values.* supplementary files of the series"):
        read_table(empty.encode(), "GSE1_series_matrix.txt")


def series_matrix(titles, said):
    above = [["!Sample_title", *titles], ["!Sample_characteristics_ch1", *said]]
    numbers = RNG.normal(8, 1, (9, len(titles))).round(3)
    rows = [[f"{at}_at", *row] for at, row in enumerate(numbers)]
    header = ["ID_REF", *(f"GSM{at}" for at in range(len(titles)))]
    table = [["!series_matrix_table_begin"], header, *rows, ["!series_matrix_table_end"]]
    return lines([*above, *table], "\t").encode()


@pytest.mark.parametrize("titles", ["{} {}", "GX{1} {0} of mucosa"])
@pytest.mark.parametrize(
    ("said", "label", "others"),
    [
        ("age: {0}", "group in title", ["none"]),
        ("Gender: {1}", "group in title", ["Gender", "none"]),
        ("disease state: {1}", "disease state", ["group in title", "none"]),
        ("disease: {2}", "disease", []),
    ],
)
def test_words_of_titles_of_geo_may_be_the_label(titles, said, label, others):
    kinds = ["patient"] * 6 + ["control"] * 6
    named = [titles.format(kind, at) for at, kind in enumerate(kinds)]
    cells = [said.format(at * 7 % 12, "MF"[at % 2], kind) for at, kind in enumerate(kinds)]
    data = prepare(read_table(series_matrix(named, cells), "GSE1_series_matrix.txt"))
    questions = {one.id: [choice.value for choice in one.choices] for one in data.questions}
    choices = [name if name != NO_LABEL else "none" for name in questions.get("label", [label])]
    assert (data.label, choices) == (label, [label, *others])
    if label == "group in title":
        assert data.class_names == ("control", "patient")


def test_titles_of_geo_that_part_its_classes_further_are_no_classes():
    days = ["iPSC", "Neuron_D37", "Neuron_D58"]
    titles = [f"{day}_rep{at}" for day in days for at in range(4)]
    cells = [f"stage: {title.partition('_')[0]}" for title in titles]
    data = prepare(read_table(series_matrix(titles, cells), "GSE1_series_matrix.txt"))
    assert (data.label, data.class_names) == ("stage", ("iPSC", "Neuron"))


@pytest.mark.parametrize("kind", ["Intensity", "LFQ intensity"])
@pytest.mark.parametrize("channels", ["LH", "LMH"])
def test_sums_of_the_channels_of_silac_are_no_samples_beside_these(channels, kind):
    mixes = [f"mix_{at}" for at in range(1, 5)]
    names = [name for mix in mixes for name in (mix, *(f"{one} {mix}" for one in channels))]
    table = read_table(of_maxquant([*channels, *names], kind), "proteinGroups.txt")
    assert table.frame["sample"].tolist() == [name for name in names if name not in mixes]
    assert prepare(table).class_names == tuple(sorted(channels))


@pytest.mark.parametrize(
    "names", [["mix1", "mix2", "L mix1", "L mix2"], ["x", "y", "A x", "B x", "A y", "B y"]]
)
def test_samples_that_sum_up_no_channels_stay(names):
    table = read_table(of_maxquant(names, "Intensity"), "proteinGroups.txt")
    assert table.frame["sample"].tolist() == names


def of_maxquant(names, kind):
    rows = [[f"P{at}", *(at * 7 + n * n + 1 for n, _ in enumerate(names))] for at in range(5)]
    return lines([["Protein IDs", *(f"{kind} {name}" for name in names)], *rows], "\t").encode()


@pytest.mark.parametrize("mark", ["\t", ",", ";"])
@pytest.mark.parametrize("n_behind", [0, 1])
def test_a_delimiter_at_the_end_of_the_header_alone_hides_no_samples(mark, n_behind):
    header = ["gene_id", *(f"SRR{at}" for at in range(8)), *[""] * n_behind]
    rows = [[f"g{at}", *((at * 7 + n * n) % 31 for n in range(8))] for at in range(90)]
    table = read_table(lines([header, *rows], mark).encode(), "counts.txt")
    assert len(table.frame) == 8
    assert "samples" in table.asked


@pytest.mark.parametrize("n_telling", [2, 3])
def test_three_columns_that_say_what_features_are_do_so_behind_others(n_telling):
    said = ["metabolite_name", "metabolite_id", "formula"][:n_telling]
    rows = [
        [
            f"run {at % 2}",
            *(f"{name} {at}" for name in said),
            *((at * 7 + n * n) % 31 for n in range(8)),
        ]
        for at in range(20)
    ]
    header = ["analysis", *said, *(f"S{at}" for at in range(8))]
    table = read_table(lines([header, *rows]).encode(), "t.csv")
    assert len(table.frame) == (8 if n_telling == 3 else 20)


@pytest.mark.parametrize("mark", ["\t", ","])
def test_a_file_of_mwtab_without_metabolites_is_refused_by_its_name(mark):
    rows = [["#METABOLOMICS WORKBENCH ST1", ""], ["VERSION", 1], ["MS:MS_RESULTS_FILE", "a.txt"]]
    with pytest.raises(TableError, match=r"is mwTab .* without metabolites .* Drop the file"):
        read_table(lines(rows, mark).encode(), "ST1.csv")


@pytest.mark.parametrize("absent", ["NA", ""])
@pytest.mark.parametrize("late", [0, 5])
def test_a_sample_of_xcms_may_lack_the_peaks_of_many_rows(late, absent):
    samples = [f"{kind}_{at}.mzML" for at, kind in enumerate(["hi", "lo"] * 3)]
    header = ["name", "mzmed", "mzmin", "mzmax", "rtmed", "npeaks", "hi", "lo", *samples]
    header += ["isotopes", "pcgroup"]
    rows = [
        [f"FT{at}", 100, 99, 101, 60, 6, 3, 3, *(at + n * n for n in range(7, 13)), "[1][M]+", 9]
        for at in range(90)
    ]
    for row in rows[:70]:
        row[8 + late] = absent
    table = read_table(lines([header, *rows]).encode(), "peaks.csv")
    assert table.frame["sample"].tolist() == [sample[:-5] for sample in samples]
    assert prepare(table).class_names == ("hi", "lo")


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
    of_gene = "".join(f"s{at // 4},g{at % 4},{at % 4}.5,{'ab'[at % 2]}\n" for at in range(24))
    for rows in (once, twice, of_gene):
        table = read_table(f"sample,gene,expression,class\n{rows}".encode(), "plain.csv")
        assert [*table.frame] == ["sample", "gene", "expression", "class"]


def results(n_places=5, n_days=6, names=("site", "day", "analyte", "result", "unit")):
    """Rows of each measure of each place and day, in its unit."""
    units = {"lead": "mg/kg", "zinc": "mg/kg", "depth": "cm"}
    rows = [
        [
            at * 7,
            f"p{place}",
            f"d{day}",
            "uv"[place % 2],
            measure,
            (place * 5 + day * day * (2 + at % 3)) % 7,
            unit,
        ]
        for at, (place, day, (measure, unit)) in enumerate(
            product(range(n_places), range(n_days), units.items())
        )
    ]
    return [["number", names[0], names[1], "kind", *names[2:]], *rows]


@pytest.mark.parametrize(
    "names",
    [
        ("site", "day", "analyte", "result", "unit"),
        ("USUBJID", "VISIT", "VSTESTCD", "VSSTRESN", "VSSTRESU"),
        ("well", "date", "determinand", "reading", "Units of measure"),
    ],
)
@pytest.mark.parametrize("title", ["", "Results of the survey\n"])
def test_measures_that_have_one_unit_each_are_features(names, title):
    header, *rows = results(names=names)
    table = read_table(f"{title}".encode() + written(header, rows), "water.csv")
    data = prepare(table)
    assert data.feature_names == ("lead", "zinc", "depth")
    assert (len(data.X), data.label, data.class_names) == (30, "kind", ("u", "v"))
    assert "samples" in table.asked


def test_laboratories_do_a_few_of_their_tests_each_time_and_leave_cells_empty():
    tests = [("ALT", "U/L"), *((f"T{at}", "mg/dL") for at in range(5))]
    rows = [
        [
            f"p{person}",
            f"day {visit}",
            test,
            (person * 5 + visit * visit * (2 + at)) % 7,
            "" if visit == at else unit,
            "" if at == 0 else ("before", "after")[visit > 3],
        ]
        for person, visit, (at, (test, unit)) in product(range(6), range(8), enumerate(tests))
        if (person + visit - at) % 6 < 2
    ]
    header = ["USUBJID", "VISIT", "LBTESTCD", "LBSTRESN", "LBSTRESU", "EPOCH"]
    data = prepare(read_table(written(header, rows), "lb.csv"), "EPOCH")
    assert {*data.feature_names} == {test for test, _ in tests}
    assert (len(data.X), data.class_names) == (48, ("after", "before"))


def test_values_of_genes_of_samples_are_a_long_table_but_not_their_p_values():
    rows = [
        [sample, gene, numbers[at], KINDS[at]]
        for at, sample in enumerate(SAMPLES)
        for gene, numbers in zip(GENES, MATRIX, strict=True)
    ]
    for name, features in (("value", GENES), ("p value", ("p value",))):
        header = ["sample", "gene", name, "group"]
        assert prepare(read_table(written(header, rows), "x.csv")).feature_names[-1] == features[-1]


@pytest.mark.parametrize(
    ("names", "n_each"),
    [
        (("patient", "metabolite", "value"), 1),
        (("code", "gene", "expression"), 1),
        (("mouse", "peptide", "log intensity"), 2),
    ],
)
def test_genes_of_what_other_columns_tell_apart_and_describe_are_features(names, n_each):
    """Also where one was measured again, of all samples; its mean is said to be read."""
    again = [*zip(GENES, MATRIX, strict=True), *zip(GENES[: n_each - 1], MATRIX[1:], strict=False)]
    rows = [
        [sample, KINDS[at], gene, numbers[at]]
        for at, sample in enumerate(SAMPLES)
        for gene, numbers in again
    ]
    table = read_table(written([names[0], "group", *names[1:]], rows), "x.csv")
    data = prepare(table)
    assert (len(data.X), data.label, data.feature_names) == (len(SAMPLES), "group", tuple(GENES))
    assert "samples" in table.asked
    assert sum("Averaged" in step for step in data.steps) == n_each - 1
    if n_each == 2:
        assert table.frame[GENES[0]][0] == (MATRIX[0][0] + MATRIX[1][0]) / 2


def test_genes_that_no_column_describes_or_of_which_many_lack_stay_in_rows():
    rows = [
        [sample, KINDS[at], gene, numbers[at]]
        for at, sample in enumerate(SAMPLES)
        for gene, numbers in zip(GENES, MATRIX, strict=True)
    ]
    few = [row for at, row in enumerate(rows) if at % 4]
    header = ["drug", "group", "gene", "count"]
    bare = written([header[0], *header[2:]], [[row[0], *row[2:]] for row in rows])
    for raw in (bare, written(header, few)):
        assert "gene" in read_table(raw, "x.csv").frame


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("unit", ["ICU", "ER", "ICU"]),
        ("reagent", ["kg", "mg", "mg"]),
        ("unit", ["kg", "mg"]),
        ("dose_unit", ["mg", "mg", ""]),  # of what was given to some
    ],
)
def test_what_is_no_unit_of_measures_leaves_rows_as_they_are(column, cells):
    header, *rows = results(names=("patient", "day", "analyte", "result", column))
    below = [[*row[:-1], cells[at % len(cells)]] for at, row in enumerate(rows)]
    table = read_table(written(header, below).replace(b"analyte", b"treatment"), "stay.csv")
    assert [*table.frame][3:6] == ["kind", "treatment", "result"]
    assert "samples" not in table.asked


def test_names_and_units_of_measures_that_samples_lack_are_never_the_guess():
    header, *rows = results(names=("site", "day", "analyte", "reading", "unit"))
    few = [row for at, row in enumerate(rows) if row[4] == "zinc" or at < 9]
    data = prepare(read_table(written(header, few), "water.csv"))
    assert data.label == "kind"
    (asked,) = (one for one in data.questions if one.id == "label")
    assert {choice.value for choice in asked.choices}.isdisjoint({"analyte", "unit"})


def test_a_long_table_of_one_sample_stays_as_it_is():
    rows = "".join(f"s1,p{at}x,{at % 97}.5,{'ab'[at % 2]}\n" for at in range(1_100))
    header = "sample,protein,intensity,class\n"
    assert [*read_table(f"{header}{rows}".encode(), "plain.csv").frame] == header.strip().split(",")
    two = f"{header}{rows}{rows.replace('s1,', 's2,').replace('.5,', '.7,')}"
    assert "p3x" in read_table(two.encode(), "plain.csv").frame


def test_what_is_said_of_samples_is_a_feature_only_where_somebody_says_so():
    table = read_table(PROGRAMS["rows of words above metabolites"].raw, "table.csv")
    assert "site = skin" in prepare(table, roles={"site": "feature"}).feature_names
    assert prepare(table, "site").feature_names == prepare(table).feature_names


@pytest.mark.parametrize(
    ("kind", "way"),
    [
        ("sequences in rows", "drop a .zip of this table and of one with a row for each sample"),
        ("mothur", "drop a .zip of this table and of one with a row for each sample"),
        ("", "add a column with the class of every row"),
    ],
)
def test_measurements_without_a_label_say_how_they_get_one(kind, way):
    rows = [[at * 3 % 7, at * at % 5, f"note {at}"] for at in range(12)]
    raw = PROGRAMS[kind].raw if kind else written(["x", "y", "note"], rows)
    table = read_table(raw, PROGRAMS[kind].file if kind else "plain.csv")
    said = [step for step in prepare(table).warnings if way in step]
    assert len(said) == 1
    assert not [step for step in prepare(table, NO_LABEL).warnings if way in step]


def test_features_are_named_by_another_column_where_the_usual_one_has_another_name():
    raw = PROGRAMS["FragPipe"].raw.replace(b"Protein ID\t", b"Accession\t", 1)
    assert "Read as a table of FragPipe" in outcome(raw)


def outcome(raw):
    """The first step of what was read, or why it was refused."""
    try:
        return prepare(read_table(raw, "cut.txt")).steps[0]
    except TableError as refusal:
        return str(refusal)


@pytest.mark.parametrize("kind", ["MaxQuant", "DIA-NN", "melt", "featureCounts"])
def test_samples_in_columns_or_in_a_column_are_known_below_a_title(kind):
    expected = PROGRAMS[kind]
    data = prepare(read_table(b"Table S1: what was measured\n\n" + expected.raw, expected.file))
    assert list(data.feature_names) == list(expected.features)
    assert data.label == (expected.label or NO_LABEL)


def test_every_grammar_leaves_a_plain_table_alone():
    rows = "\n".join(f"s{at},{at * 7 % 5},{at * 3 % 4},{'ab'[at % 2]}" for at in range(12))
    table = read_table(f"id,x,y,class\n{rows}\n".encode(), "plain.csv")
    assert table.steps == ()
    assert not table.answers
    assert len(GRAMMARS) > 12


RNG = np.random.default_rng(7)
COUNTS = RNG.poisson(4, (40, 6))
RANKS = [["Bacteria", f"class {at % 3}"] for at in range(40)]
LINEAGES = [f"k__Bacteria;p__Firmicutes;c__Clostridia;g__{at}" for at in range(40)]
CROSSED = ["1_ANS", "1_BNS", "2_ANS", "1_AS", "1_BS", "2_AS"]
NUMBERED = [str(700_035_949 + at * at * 31) for at in range(6)]


def written(header, rows, mark=","):
    return "".join(mark.join(map(str, row)) + "\n" for row in (header, *rows)).encode()


TAXA = {
    "ranks behind counts": (
        ["id", *"BTWEQK", "Phylum", "Class"],
        [[f"OTU{at}", *row, *RANKS[at]] for at, row in enumerate(COUNTS)],
    ),
    "lineages before shares": (
        ["lineage", "unit", *NUMBERED],
        [[LINEAGES[at], f"u{at}", *row] for at, row in enumerate(COUNTS / 7)],
    ),
    "lineages between counts": (
        ["asv", "B", "T", "W", "tax", "E", "Q", "K"],
        [[f"s{at}x", *row[:3], LINEAGES[at], *row[3:]] for at, row in enumerate(COUNTS)],
    ),
}


@pytest.mark.parametrize("kind", TAXA)
def test_rows_with_a_column_of_taxa_are_features(kind):
    table = read_table(written(*TAXA[kind]), "taxa.csv")
    data = prepare(table)
    assert data.X.shape == (6, 40)
    assert "samples" in table.asked
    numbers = COUNTS / 7 if "shares" in kind else COUNTS
    np.testing.assert_allclose(data.unprepared, numbers.T)
    assert data.class_names == ("all rows",)


def test_animals_of_several_orders_whose_numbers_are_no_counts_are_rows():
    measured = RNG.normal(5, 2, (40, 4)).round(3)
    rows = [[f"animal {at}", "abc"[at % 3], *row] for at, row in enumerate(measured)]
    table = read_table(written(["name", "order", "sleep", "dream", "mass", "brain"], rows), "x.csv")
    assert len(table.frame) == 40


@pytest.mark.parametrize(
    ("names", "counts", "n_rows"),
    [(CROSSED, True, 6), ([*"BTWEQK"], True, 80), (CROSSED, False, 80)],
)
def test_counts_below_crossed_names_are_of_samples(names, counts, n_rows):
    numbers = RNG.poisson(50, (80, 6)) + (0 if counts else 0.5)
    lines = ["    ".join(map(str, [f"A:{at}:D", *row])) for at, row in enumerate(numbers)]
    raw = "\n".join(["    " + "    ".join(names), *lines]).encode()
    data = prepare(read_table(raw, "selex.txt"))
    assert len(data.X) == n_rows


@pytest.mark.parametrize(
    "axis", [[1600 - at for at in range(60)], [0.5 + 0.25 * at for at in range(60)]]
)
@pytest.mark.parametrize("is_smooth", [True, False])
def test_curves_beside_an_even_axis_without_a_name_are_samples(axis, is_smooth):
    curves = np.sin(np.linspace(0, 3, 60)[:, None] + np.arange(3)) + 2
    numbers = curves if is_smooth else RNG.permutation(curves)
    rows = [[place, *row] for place, row in zip(axis, numbers.round(5), strict=True)]
    table = read_table(written(["", "fructose", "lactose", "ribose"], rows), "sugars.csv")
    assert len(table.frame) == (3 if is_smooth else 60)
    assert ("samples" in table.asked) == is_smooth


def test_species_that_a_plot_does_not_list_were_not_counted_there():
    rows = [
        [f"forest {plot % 2}", f"P{plot:03}", f"species {one}", 1 + (plot + one) % 5]
        for plot in range(12)
        for one in range(8)
        if (plot * 3 + one) % 4
    ]
    table = read_table(written(["forest", "plotID", "species", "count"], rows, "\t"), "trees.txt")
    data = prepare(table)
    assert (data.X.shape, data.class_names) == ((12, 8), ("forest 0", "forest 1"))
    assert (data.unprepared == 0).sum() == 24
    assert "samples" in table.asked


def test_a_report_of_diann_has_a_row_for_each_run():
    rows = [
        [f"r{run}", "ab"[run % 2], f"P{one // 2}", f"PEPTIDE{'K' * one}2", run * 10.5 + one, 1e-3]
        for run in range(6)
        for one in range(run % 2, 9)
    ]
    header = ["Run", "Dose", "Protein.Group", "Precursor.Id", "Precursor.Normalised", "Q.Value"]
    table = read_table(written(header, rows, "\t"), "report.tsv")
    data = prepare(table)
    assert (len(data.X), data.class_names) == (6, ("a", "b"))
    assert "samples" in table.asked


@pytest.mark.parametrize(
    ("sheet", "otus"),
    [("", ("Otu1", "Otu2")), ("unique", ("Otu1", "Otu2", "Otu3")), ("x", ("Otu1", "Otu2"))],
)
def test_of_distances_of_mothur_one_is_read_and_which_is_asked(sheet, otus):
    levels = {"unique": COUNTS[:12, :3], "0.03": COUNTS[12:24, :2], "0.1": COUNTS[24:36, :1]}
    rows = [
        [level, f"s{at}", counts.shape[1], *row, ""]  # mothur ends lines with a tab
        for level, counts in levels.items()
        for at, row in enumerate(counts)
    ]
    raw = written(["label", "Group", "numOtus", "Otu1", "Otu2", "Otu3"], rows, "\t")
    table = read_table(raw, "a.shared", options=ReadOptions(preferred_sheet=sheet))
    assert [*table.frame][3:] == [*otus]
    assert (len(table.frame), {*table.sheets}) == (12, {*levels})
    numbers = levels.get(sheet, levels["0.03"])
    np.testing.assert_array_equal(table.frame[[*otus]], numbers)
    assert "sheet" in {question.id for question in prepare(table).questions}


@pytest.mark.parametrize("groups", [("Cef", "Gf"), ("Cef", "Gf", "Strep"), ()])
def test_groups_in_the_names_of_samples_of_mothur_may_be_the_label(groups):
    names = [f"{group}{at}" for at in range(len(COUNTS)) for group in groups or ("s",)]
    rows = [[0.03, name, 6, *row] for name, row in zip(names, COUNTS, strict=False)]
    header = ["label", "Group", "numOtus", *(f"Otu{at}" for at in range(len(COUNTS[0])))]
    data = prepare(read_table(written(header, rows, "\t"), "a.shared"))
    assert data.class_names == (groups or ("all rows",))
    assert ("label" in {question.id for question in data.questions}) == bool(groups)
    assert data.feature_names == tuple(header[3:])


def test_rows_of_labels_and_groups_are_of_mothur_only_beside_numbers_of_otus():
    rows = [[0.03 if at % 2 else 0.1, f"s{at}", *row] for at, row in enumerate(COUNTS)]
    raw = written(["label", "Group", *"abcdef"], rows, "\t")
    assert len(read_table(raw, "a.txt").frame) == len(COUNTS)


@pytest.mark.parametrize("kind", ["report of DIA-NN", "evidence of MaxQuant"])
def test_a_report_of_one_sample_is_refused_by_its_name(kind):
    header, *rows = PROGRAMS[kind].raw.splitlines()
    of_first = [row for row in rows if b"lo_1\t" in row]
    with pytest.raises(TableError, match=r"of (DIA-NN|MaxQuant) of a single sample .*several"):
        read_table(b"\n".join([header, *of_first]), "report.tsv")


OF_ONE_SAMPLE = {
    "salmon": ["Name\tLength\tEffectiveLength\tTPM\tNumReads", "{}\t{}\t7.5\t{}.5\t{}"],
    "kallisto": ["target_id\tlength\teff_length\test_counts\ttpm", "{}\t{}\t7.5\t{}\t{}.5"],
    "STAR": ["N_unmapped\t5\t6\t7", "{}\t{}\t{}\t{}"],
    "HTSeq": ["", "{}\t{}"],
    "HTSeq with names": ["", "{}\tname {}\t{}"],
    "featureCounts": ["Geneid\tChr\tStart\tEnd\tStrand\tLength\ta.bam", "{}\tc\t{}\t9\t+\t8\t{}"],
    "GCT": ["#1.2\n12\t1\nName\tDescription\tTPM", "{}\t{}\t{}"],
    "MaxQuant": ["Protein IDs\tPEP\tIntensity\tIntensity a", "{}\t{}\t{}\t{}"],
}  # fmt: skip


@pytest.mark.parametrize("program", OF_ONE_SAMPLE)
def test_counts_of_one_sample_are_refused_with_the_way_out(program):
    header, row = OF_ONE_SAMPLE[program]
    rows = [row.format(f"g{at}", at * 7 % 5, at % 3, at * 5 % 7) for at in range(12)]
    rows += ["__alignment_not_unique\t0"] * program.startswith("HTSeq")
    raw = "\n".join([*filter(None, [header]), *rows, ""]).encode()
    with pytest.raises(TableError, match=r"a single sample: .* a column for each"):
        read_table(raw, "counts.txt")


def test_genes_with_a_class_of_their_own_beside_their_counts_are_rows():
    header = ["Name", "Length", "EffectiveLength", "TPM", "NumReads", "essential"]
    rows = [[f"g{at}", *row[:4], ["yes", "no"][at % 2]] for at, row in enumerate(COUNTS)]
    data = prepare(read_table(written(header, rows, "\t"), "genes.txt"))
    assert (len(data.X), data.class_names) == (len(COUNTS), ("no", "yes"))


@pytest.mark.parametrize(
    ("before", "behind", "n_rows"),
    [
        (["GeneID", "Length"], [], 6),
        (["Geneid", "Start", "End"], [], 6),
        (["Geneid"], ["Length"], 6),
        (["leaf", "Length"], [], 80),
        (["leaf"], ["Length"], 80),
        (["orchid", "Length"], [], 80),
    ],
)
def test_lengths_behind_names_of_genes_are_of_no_sample(before, behind, n_rows):
    samples = [f"SRR{at}_{'PC'[at % 2]}.bam" for at in range(6)]
    numbers = RNG.poisson(50, (80, 6))
    rows = [
        [f"ENSG{at}", *[at * 70 % 900] * len(before[1:]), *row, *[at * 70 % 900] * len(behind)]
        for at, row in enumerate(numbers)
    ]
    table = read_table(written([*before, *samples, *behind], rows, "\t"), "counts.txt")
    assert len(table.frame) == n_rows
    if n_rows == 6:
        data = prepare(table)
        np.testing.assert_allclose(data.unprepared, numbers.T)
        assert data.class_names == ("C", "P")


@pytest.mark.parametrize(
    ("before", "are_turned"),
    [
        (["name", "mz", "rt"], True),
        (["name", "isotopes", "m/z", "retention time"], True),
        (["", "row.m.z", "RT", "adduct"], True),
        (["name", "mz", "width"], False),
    ],
)
def test_peaks_are_turned_by_their_masses_and_times_whatever_names_them(before, are_turned):
    """Though samples are hardly fewer than peaks, and names say little of what these are."""
    samples = [f"{'AC'[at % 2]}{at * at + 3}" for at in range(10)]
    numbers = np.exp(RNG.normal(9, 1, (12, 10))).round(3)
    rows = [
        [f"M{at}T{at * at}", *(f"{name[-1:]}{at}" for name in before[1:-2]), at + 0.51, at * 7.2]
        for at in range(12)
    ]
    data = prepare(
        read_table(written([*before, *samples], np.column_stack([rows, numbers])), "p.csv")
    )
    assert (len(data.X) == 10) == are_turned
    if are_turned:
        assert data.class_counts == {"A": 5, "C": 5}
        assert data.feature_names == tuple(row[0] for row in rows)


@pytest.mark.parametrize("mark", ["json", ","])
@pytest.mark.parametrize(
    ("before", "are_turned"),
    [
        (["study_id", "metabolite_name", "metabolite_id", "units"], True),
        (["study_id", "person", "metabolite_name", "metabolite_id"], False),
    ],
)
def test_metabolites_behind_the_name_of_their_study_are_features(before, are_turned, mark):
    samples = [f"LabF_{at * at + 3}" for at in range(8)]
    numbers = RNG.poisson(50, (20, 8)) + 1
    cells = {"study_id": "ST1", "units": "Peak height"}
    rows = [[*(cells.get(name, f"{name} {at}") for name in before)] for at in range(20)]
    if mark == "json":
        records = {
            str(at): dict(zip(before, row, strict=True))
            | {"DATA": dict(zip(samples, map(str, numbers[at]), strict=True))}
            for at, row in enumerate(rows)
        }
        raw = json.dumps(records).encode()
    else:
        raw = written([*before, *samples], np.column_stack([rows, numbers]))
    table = read_table(raw, f"study.{mark}")
    assert len(table.frame) == (8 if are_turned else 20)
    if are_turned:
        why = "metabolite_name and metabolite_id say what features are"
        assert table.asked["samples"] == why
        data = prepare(table)
        np.testing.assert_allclose(data.unprepared, numbers.T)
        assert data.feature_names == tuple(f"metabolite_name {at}" for at in range(20))
    as_rows = read_table(raw, f"study.{mark}", options=ReadOptions(samples="rows"))
    assert len(as_rows.frame) == 20


@pytest.mark.parametrize("others", [["correlation group ID"], ["neutral M mass", "partners"]])
@pytest.mark.parametrize("kind", ["area", "height", "both"])
def test_only_the_peaks_of_mzmine_are_samples(others, kind):
    header = ["row ID", "row m/z", "row retention time", *others]
    files = [f"{'AB'[at % 2]}{at // 2}.mzML" for at in range(8)]
    numbers = RNG.lognormal(6, 1, (20, 8)).round(1)
    kinds = ["height", "area"] if kind == "both" else [kind]
    samples = [f"{name} Peak {each}" for name in files for each in kinds]
    peaks = np.repeat(numbers, len(kinds), axis=1)
    peaks[:, : len(kinds) * 8 : 2] *= 1 + (kind == "both")
    beside = [[at, 100 + at, at / 3, *["" if at % 3 else at] * len(others)] for at in range(20)]
    rows = [[*first, *row] for first, row in zip(beside, peaks, strict=True)]
    expected = peaks[:, len(kinds) - 1 :: len(kinds)].T
    data = prepare(read_table(written([*header, *samples], rows), "quant.csv"))
    np.testing.assert_allclose(data.unprepared, expected)
    assert data.class_names == ("A", "B")


def test_areas_of_peaks_of_named_metabolites_are_of_rows_that_are_samples():
    names = ["name", "kind", *(f"{one} Peak area" for one in ("lactate", "serine", "uracil", "b"))]
    rows = [[f"s{at}", "uv"[at % 2], *row] for at, row in enumerate(RNG.normal(8, 1, (20, 4)))]
    data = prepare(read_table(written(names, rows), "areas.csv"))
    assert (len(data.X), data.class_names) == (20, ("u", "v"))


@pytest.mark.parametrize("above", ["", "\n"])
@pytest.mark.parametrize("name", ["id", "id/title"])
@pytest.mark.parametrize(("gene", "n_genes", "n_rows"), [("Gene.Symbol", 80, 8), ("gene", 6, 80)])
def test_ids_beside_genes_are_of_features_unless_the_genes_recur(
    above, name, gene, n_genes, n_rows
):
    header = [name, gene, *(f"liver_{'ab'[at % 2]}_rep{at // 2}" for at in range(8))]
    numbers = RNG.normal(8, 1, (80, 8)).round(3)
    rows = [[f"A_51_P{at}", f"G{at % n_genes}", *row] for at, row in enumerate(numbers)]
    table = read_table(above.encode() + written(header, rows, "\t"), "expression.txt")
    assert len(table.frame) == n_rows
    if n_rows == 8:
        assert table.asked["samples"] == f"{name} and {gene} say what features are"
        assert prepare(table).class_names == ("a", "b")


@pytest.mark.parametrize(
    ("taxon", "n_taxa", "are_said"),
    [
        ("k__A;p__P{}", 12, True),
        ("Bacteria|Firmicutes|Bacilli|Order{}", 12, True),
        ("k__A;p__P{}", 3, False),
        ("met{}", 12, False),
    ],
)
@pytest.mark.parametrize("is_behind", [True, False])
@pytest.mark.parametrize("mark", [",", "\t"])
def test_numbers_beside_most_columns_that_are_taxa_are_said_of_samples(
    taxon, n_taxa, are_said, is_behind, mark
):
    taxa = [taxon.format(at) for at in range(n_taxa)]
    at = np.arange(24)
    counts = RNG.poisson(50, (24, n_taxa))
    said = np.column_stack([RNG.normal(7, 1, (24, 3)).round(3), np.array(["mud", "sea"])[at % 2]])
    parts = [(taxa, counts), (["pH", "redox", "salinity", "form"], said)][:: 1 if is_behind else -1]
    names = ["index", *(name for part, _ in parts for name in part)]
    rows = np.column_stack([np.char.add("s", at.astype(str)), *(cells for _, cells in parts)])
    table = read_table(written(names, rows, mark), "level-2.csv")
    data = prepare(table)
    measured = ("pH", "redox", "salinity")
    features = (*taxa, *measured) if is_behind else (*measured, *taxa)
    assert data.label == "form"
    assert data.feature_names == (tuple(taxa) if are_said else features)
    asked = {question.id for question in data.questions}
    assert ("use:pH" in asked) == are_said
    if are_said:
        assert prepare(table, answers={"use:pH": "feature"}).feature_names == features


@pytest.mark.parametrize(
    ("beside", "sample", "is_turned"),
    [
        (["", "chr", "start", "end", "strand", "length"], "{}{}", True),
        (["", "chr", "start", "end", "length"], "{}{}", True),
        (["id", "seqnames", "start", "end", "width"], "{}_{}", True),
        (["", "ward", "start", "end", "length"], "{}{}", False),
        (["", "chr", "start"], "{}{}", False),
        (["sample", "chr", "start", "end", "length"], "{}{}", False),
        (["", "chr", "start", "end", "length"], "descriptor {2}", False),
    ],
)
def test_places_on_chromosomes_say_what_features_are_behind_names_of_rows(
    beside, sample, is_turned
):
    header = [
        *beside,
        *(sample.format(["WT", "HK"][at % 2], at, "abcdefgh"[at]) for at in range(8)),
    ]
    cells = {"chr": "chr1", "seqnames": "chr1", "ward": "north"}
    rows = [
        [f"G{at}x", *(cells.get(name, at * 100 + len(name)) for name in beside[1:]), *row]
        for at, row in enumerate(RNG.poisson(50, (20, 8)))
    ]
    table = read_table(written(header, rows), "counts.csv")
    assert len(table.frame) == (8 if is_turned else 20)
    if is_turned:
        assert prepare(table).class_names == ("HK", "WT")
        assert "say what features are" in table.asked["samples"]


@pytest.mark.parametrize(
    ("name", "samples", "is_turned"),
    [
        ("Metabolite Name", "CS12_{}_{}", True),
        ("HMDB", "{}{}", True),
        ("Sample", "CS12_{}_{}", False),
        ("Compound", "descriptor {2}", False),
    ],
)
@pytest.mark.parametrize("beside", ["Method", "Class"])
def test_metabolites_of_kinds_are_rows_only_where_names_of_columns_have_no_groups(
    name, samples, is_turned, beside
):
    header = [name, beside, *(samples.format("AB"[at % 2], at // 2, at) for at in range(8))]
    numbers = RNG.lognormal(1, 1, (20, 8)).round(3)
    rows = [[f"m_{at}x", ["GC", "LC"][at % 2], *row] for at, row in enumerate(numbers)]
    table = read_table(written(header, rows), "metabolites.csv")
    assert len(table.frame) == (8 if is_turned else 20)
    assert ("samples" in table.asked) == is_turned


@pytest.mark.parametrize("gap", ["", "NA"])
def test_a_first_sample_that_is_empty_at_first_says_nothing_of_features(gap):
    header = ["Genes", *(f"sup_{'mut' if at < 4 else 'wt'}_{at % 4}" for at in range(8))]
    numbers = RNG.lognormal(1, 1, (400, 8)).round(3).astype(str)
    numbers[:200, 0] = gap
    rows = [[f"G{at}x", *row] for at, row in enumerate(numbers)]
    data = prepare(read_table(written(header, rows, "\t"), "genes.tsv"))
    assert len(data.X) == 8
    assert {*data.class_names} == {"sup_mut", "sup_wt"}


@pytest.mark.parametrize(
    "behind",
    [
        ["Ratio 2h", "P value 2h"],
        ["Ratio 2h"],
        ["P value 2h", "q-value"],
        ["Fold change"],
        ["adj.P"],
    ],
)
@pytest.mark.parametrize("before", [["Accession", "Gene"], ["Protein", "Gene", "Ratio 6h"]])
def test_ratios_and_p_values_of_proteins_are_no_samples(before, behind):
    samples = [f"{['Control', 'Virus'][at % 2]} 2h_{at // 2}" for at in range(8)]
    numbers = RNG.normal(8, 1, (80, len(before[2:]) + 8 + len(behind))).round(3)
    rows = [[f"P{at}", f"G{at}", *row] for at, row in enumerate(numbers)]
    data = prepare(read_table(written([*before, *samples, *behind], rows), "proteins.csv"))
    start = len(before[2:])
    np.testing.assert_allclose(data.unprepared, numbers[:, start : start + 8].T)
    assert [name.split()[0] for name in data.class_names] == ["Control", "Virus"]


@pytest.mark.parametrize("names", ["Ratio H/L {}_{}", "Concentration {}_{}", "Log ratio {}_{}"])
def test_ratios_of_each_sample_are_its_numbers(names):
    samples = [names.format("ab"[at % 2], at // 2) for at in range(8)]
    numbers = RNG.normal(8, 1, (80, 8)).round(3)
    rows = [[f"P{at}", f"G{at}", *row] for at, row in enumerate(numbers)]
    table = read_table(written(["Accession", "Gene", *samples], rows), "proteins.csv")
    np.testing.assert_allclose(prepare(table).unprepared, numbers.T)


def test_counts_of_htseq_beside_each_other_are_not_of_one_sample():
    rows = [[f"g{at}", *row] for at, row in enumerate(COUNTS)]
    raw = written(["gene", *CROSSED], [*rows, ["__alignment_not_unique", *[0] * 6]], "\t")
    assert len(read_table(raw, "genes.txt").frame) == len(rows) + 1


@pytest.mark.parametrize("of", ["", "protein_"])
def test_classes_of_mztab_are_what_it_says_of_its_variables(of):
    data = prepare(read_table(PROGRAMS[f"mzTab, {of}"].raw, "x.mztab"))
    assert data.class_names == ("hi", "lo")
    assert len(data.columns) == len(data.feature_names) + 2


@pytest.mark.parametrize("rows", [[], [["PRH", "accession"], ["PRT", "P1"]]])
def test_mztab_without_abundances_is_refused_by_its_name(rows):
    raw = written(["MTD", "mzTab-version", "1.0.0"], [["MTD", "title", "x"], *rows], "\t")
    with pytest.raises(TableError, match="mzTab without abundances of several assays"):
        read_table(raw, "x.mztab")


@pytest.mark.parametrize(
    ("names", "is_grouped"),
    [
        ([f"1_{31 + at}_{'CDE'[(at + 5) // 12]}{(at + 5) % 12 + 1}" for at in range(30)], False),
        ([f"p{at}-{'ABCDEFGH'[at % 8]}{at // 8 + 1:02}" for at in range(96)], False),
        ([f"p{at}_{'AB'[at // 6]}{at % 6 + 1}" for at in range(12)], True),
        ([f"{'AB'[at // 6]}{at % 6 + 1}" for at in range(12)], True),
        ([f"x_{'CD'[at // 6]}{at % 6 + 2}" for at in range(12)], True),
    ],
)
def test_wells_at_the_end_of_different_names_are_no_groups(names, is_grouped):
    assert bool(groups_in_names(names)) == is_grouped


def test_beside_wells_words_of_names_are_groups():
    names = [
        f"{'iw'[at % 2]}ll_{at}_{'CDE'[(at + 5) // 12]}{(at + 5) % 12 + 1}" for at in range(30)
    ]
    assert groups_in_names(names) == {"group": ("ill", "wll") * 15}


@pytest.mark.parametrize(("n_own", "are_parted"), [(0, True), (20, True), (60, False)])
def test_of_answers_that_were_ticked_beside_words_of_ones_own_the_common_ones_are_columns(
    n_own, are_parted
):
    common = ["I was shy", "it was late", "nobody asked", "it was late, nobody asked",
              "I was shy, nobody asked", "it was late, I was shy"] * 10  # fmt: skip
    asked = [f"{answer}, reason {at}, which is long" for at, answer in enumerate(common[:n_own])]
    rows = [
        [at % 7, f'"{answer}"', "yn"[at % 2]] for at, answer in enumerate(asked + common[n_own:])
    ]
    table = read_table(written(["size", "why", "kind"], rows), "t.csv")
    assert ([*table.frame][1:-1] == [f"why ticked: {each}" for each in common[:3]]) == are_parted
    said = f"why into 3{', without rarer answers' if n_own else ''}."
    assert any(step.endswith(said) for step in table.steps) == are_parted


@pytest.mark.parametrize("is_said", [True, False])
def test_words_of_names_that_a_number_says_are_added_to_nothing(is_said):
    genres = [7 - 4 * (at // 20) if is_said else at / 13 for at in range(40)]
    rows = [f"{'ab'[at // 20]}{at:02},{genre},{at / 7}" for at, genre in enumerate(genres)]
    table = read_table("\n".join(["file,genre,x", *rows]).encode(), "texts.csv")
    assert ("group in file" in table.frame) != is_said


def findings_of_a_trial(columns, times=((1, ""), (2, ""))):
    """A row for each test of each subject at each of some times, in the order of the tests."""
    rows = [
        {"STUDYID": "P1", "DOMAIN": "VS", "USUBJID": f"s{subject}", "VSSEQ": at + 1,
         "VSTESTCD": test, "VSSTRESN": (subject * 7 + visit * at * 3 + len(point)) % 11 + at,
         "VISITNUM": visit, "VSTPT": point, "EPOCH": "AB"[visit - 1]}
        for at, test in enumerate(("DIABP", "PULSE", "SYSBP"))
        for subject in range(9)
        for visit, point in times
    ]  # fmt: skip
    frame = pd.DataFrame(rows)[[*columns]]
    return read_table(frame.to_csv(index=False).encode(), "vs.csv")


@pytest.mark.parametrize("beside", [[], ["VSTESTCD", "VSSTRESN", "DOMAIN", "STUDYID"]])
@pytest.mark.parametrize("dates", ["of all", "of each"])
def test_parameters_of_an_analysis_are_features_of_subjects_at_their_visits(beside, dates):
    """Though dates alone may tell apart what few subjects had."""
    cells = {"VSTESTCD": "TEST", "VSSTRESN": 5, "DOMAIN": "VS", "STUDYID": "P"}
    rows = [
        {**cells, "USUBJID": f"s{subject}", "AVISITN": visit, "PARAMCD": code,
         "ADT": f"2020-01-{subject * (dates == 'of each') + 7 * visit + 1:02}",
         "AVAL": (subject * 7 + visit * at * 3) % 11 + at, "TRTP": "AB"[subject % 2]}
        for at, code in enumerate(("DIABP", "PULSE", "SYSBP"))
        for subject in range(6)
        for visit in (1, 2)
    ]  # fmt: skip
    columns = ["USUBJID", "ADT", "AVISITN", "PARAMCD", "AVAL", "TRTP", *beside]
    table = read_table(pd.DataFrame(rows)[columns].to_csv(index=False).encode(), "advs.csv")
    assert len(table.frame) == 12
    data = prepare(table, "TRTP")
    assert data.feature_names[:3] == ("DIABP", "PULSE", "SYSBP")
    assert "subjects:USUBJID" in {question.id for question in data.questions}


FINDINGS = ["STUDYID", "DOMAIN", "USUBJID", "VSSEQ", "VSTESTCD", "VSSTRESN", "VISITNUM", "EPOCH"]


def test_tests_of_a_trial_are_features_of_its_subjects_at_their_visits():
    table = findings_of_a_trial(FINDINGS)
    assert {"DIABP", "PULSE", "SYSBP"} <= {*table.frame}
    assert (len(table.frame), table.frame["SYSBP"][0]) == (18, (6 % 11) + 2)
    data = prepare(table, "EPOCH")
    assert data.feature_names == ("DIABP", "PULSE", "SYSBP")
    assert "samples" in table.asked
    assert "subjects:USUBJID" in {question.id for question in data.questions}


def test_visits_at_which_a_trial_repeats_its_tests_are_told_apart_by_their_points():
    times = [(visit, point) for visit in (1, 2) for point in ("before", "later")]
    assert len(findings_of_a_trial([*FINDINGS, "VSTPT"], times).frame) == 36
    assert "VSTESTCD" in findings_of_a_trial(FINDINGS, times).frame  # which nothing tells apart
    assert "VSTESTCD" in findings_of_a_trial(FINDINGS[2:]).frame  # of no trial
