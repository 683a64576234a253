"""Small tables as programs write them, and how they are read: three of each kind."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

N = 16
KINDS = ["lo", "hi"] * (N // 2)


@dataclass(frozen=True, eq=False)
class Program:
    """A file of a program, and how it must be read.

    Attributes
    ----------
    raw : bytes
    features : sequence of str
    label : str
        The column of the classes, empty for none.
    n_rows : int
    name : str
        The column that names the rows.
    asked : sequence of str
        Questions that must be among those asked.
    not_asked : sequence of str
    first : mapping of str to float
        What features are in the first row.
    said : str
        Of a step.
    """

    raw: bytes
    features: Sequence[str]
    label: str
    n_rows: int = N
    name: str = ""
    asked: Sequence[str] = ()
    not_asked: Sequence[str] = ()
    first: Mapping[str, float] = field(default_factory=dict)
    said: str = ""
    file: str = "table.txt"


def grid(n_columns: int, seed: int = 0, n_rows: int = N) -> list[list[float]]:
    """Numbers that neither ascend nor descend along rows or columns."""
    return np.random.default_rng(seed).normal(5, 2, (n_rows, n_columns)).round(3).tolist()


def lines(rows: Sequence[Sequence[object]], mark: str = ",") -> str:
    return "".join(mark.join(map(str, row)) + "\n" for row in rows)


def with_kinds(cells: Sequence[Sequence[object]]) -> list[list[object]]:
    return [[*row, kind] for row, kind in zip(cells, KINDS, strict=True)]


def numbered(rows: Sequence[Sequence[object]], prefix: str = "") -> list[list[object]]:
    return [[f"{prefix}{at}", *row] for at, row in enumerate(rows, start=1)]


COUNTS = np.random.default_rng(7).poisson(1, (N, 24)).tolist()
X2, X3, X8 = grid(2), grid(3), grid(8)
WAVES = [900 + 2 * at for at in range(8)]
SAMPLES = [f"{kind}_{at}" for at, kind in enumerate(KINDS, start=1)]
GENES = [f"g{at}" for at in range(6)]
SEQUENCES = ["ACGTTGCA" * 5 + 3 * letter for letter in ("A", "C", "G", "T", "AC", "GT")]
MATRIX = grid(N, 3, 6)
MATRIX_FIRST = {"g0": MATRIX[0][0], "g5": MATRIX[5][0]}


def r_tables() -> dict[str, Program]:
    quoted = [[f'"{at}"', *row[:-1], f'"{row[-1]}"'] for at, row in enumerate(with_kinds(X3), 1)]
    expected = {"features": ("a", "b", "c"), "label": "grade", "name": "row", "said": "R writes"}
    genes = [[f"AT1G{at:05d}", *row] for at, row in enumerate(grid(6, 5, 64))]
    return {
        "R with commas": Program(
            ('"a","b","c","grade"\n' + lines(quoted)).encode(), first={"a": X3[0][0]}, **expected
        ),
        "R with spaces": Program(
            ('"a" "b" "c" "grade"\n' + lines(quoted, " ")).encode(), **expected
        ),
        "R with spaces, without names of rows": Program(
            ('"a" "b" "c" "grade"\n' + lines([row[1:] for row in quoted], " ")).encode(),
            ("a", "b", "c"),
            "grade",
            first={"a": X3[0][0]},
            said="aligned by spaces",
        ),
        "R with tabs and names of rows": Program(
            ("a\tb\tc\tgrade\n" + lines(numbered(with_kinds(X3), "plot "), "\t")).encode(),
            **expected,
        ),
        "R with names that are numbers": Program(
            ("7 8 9 5\n" + lines(numbered(with_kinds(X3), "plot"), " ")).encode(),
            ("7", "8", "9"),
            "5",
            name="row",
            said="R writes",
        ),
        "R, opened in a sheet": Program(
            ("a,b,c,grade,\n" + lines(numbered(with_kinds(X3)))).encode(), **expected
        ),
        "R with far more genes than samples": Program(
            ("C61,C62,C91,I561,I562,I591\n" + lines(genes)).encode(),
            [row[0] for row in genes],
            "group",
            name="sample",
            asked=("label", "samples"),
            n_rows=6,
        ),
        "spaces between names, tabs between cells": Program(
            ("a\tb  c\tgrade\n" + lines(with_kinds(X3), "\t")).encode(),
            ("a", "b", "c"),
            "grade",
            first={"a": X3[0][0]},
            said="spaces part",
        ),
        "a delimiter at the end of the header": Program(
            ("a,b,c,grade,\n" + lines(with_kinds(X3))).encode(),
            ("a", "b", "c"),
            "grade",
            first={"a": X3[0][0]},
        ),
    }


def headerless() -> dict[str, Program]:
    named = [[f"PR{at:02d}_X", *row] for at, row in enumerate(with_kinds(X3))]
    words = [[f"'{age}'", f"'{kind}'", f"'{side}'"] for age, side, kind in zip(
        (["30-39"] * 3 + ["40-49"]) * (N // 4), ["left", "left", "right", "right"] * (N // 4),
        KINDS, strict=True,
    )]  # fmt: skip
    return {
        "aligned, without names": Program(
            lines(named, "  ").encode(), ("column 2", "column 3", "column 4"), "column 5",
            name="column 1", first={"column 2": X3[0][0]},
        ),
        "words alone, without names": Program(
            lines(words).encode(), ("column 1 = 40-49", "column 2 = lo"), "column 3",
            asked=("names",),
        ),
        "categories apart by spaces, sorted": Program(
            ("blood ulcer\n" + lines([["O", "yes"]] * 300 + [["A", "yes"], ["O", "no"]] * 50, " "))
            .encode(), ("blood = O",), "ulcer", n_rows=400, said="aligned by spaces",
        ),
        "a code beside numbers, without names": Program(
            lines([[f"B{at}", *row] for at, row in enumerate(X3, start=10)]).encode(),
            ("column 2", "column 3", "column 4"), "", name="column 1", asked=("names",),
        ),
        "numbers that ascend are names": Program(
            ("id,254,280,kind\n" + lines(numbered(with_kinds(X2), "s"))).encode(),
            ("254", "280"), "kind", name="id", not_asked=("names",),
        ),
    }  # fmt: skip


def axes() -> dict[str, Program]:
    spectra = numbered(X8, "probe ")
    labeled = [[*row, kind] for row, kind in zip(spectra, KINDS, strict=True)]
    shifts = [4000 - 11.3 * at for at in range(8)]
    names = tuple(map(str, WAVES))
    return {
        "an axis in two units": Program(
            lines([["Wavelength (nm)", *WAVES], ["Wavenumber (cm-1)", *shifts], *spectra], ";")
            .encode(), names, "", first={"900": X8[0][0]}, asked=("header",),
            said="Wavenumber (cm-1) is left out",
        ),
        "an axis below names": Program(
            lines([["id", *(f"V{at}" for at in range(8)), "kind"], ["nm", *WAVES, ""], *labeled])
            .encode(), names, "kind", name="id",
        ),
        "two axes below names": Program(
            lines([
                ["id", *(f"V{at}" for at in range(8)), "kind"], ["nm", *WAVES, ""],
                ["Raman shift", *shifts, ""], *labeled,
            ]).encode(), names, "kind", name="id",
        ),
        "an axis above numbers alone": Program(
            lines([WAVES, *X8]).encode(), names, "", said="first row is an axis",
        ),
        "a first sample that ascends with all others is a sample": Program(
            lines([["id", *"abcdefgh"], *numbered([sorted(row) for row in X8], "s")]).encode(),
            tuple("abcdefgh"), "",
        ),
    }  # fmt: skip


def orange() -> dict[str, Program]:
    rows = [[f"x{at}", a, kind, b] for at, ((a, b), kind) in enumerate(zip(X2, KINDS, strict=True))]
    expected = {
        "features": ("alpha", "beta"), "label": "kind", "first": {"alpha": X2[0][0]},
        "not_asked": ("label",), "said": "Orange",
    }  # fmt: skip
    head = "probe\talpha\tkind\tbeta\n"
    return {
        "Orange in three rows": Program(
            (head + "string\tcontinuous\tlo hi\tc\nmeta\t\tclass\t\n" + lines(rows, "\t")).encode(),
            **expected,
        ),
        "Orange without empty last cells": Program(
            "".join(f"{line.rstrip()}\n" for line in (
                "alpha\tbeta\tkind", "c\tc", "\t\tclass",
                *(f"{a}\t{b}\t{'' if at == N - 3 else KINDS[at]}" for at, (a, b) in enumerate(X2)),
            )).encode(),
            **expected, n_rows=N - 1,
        ),
        "Orange with a delimiter behind the last column": Program(
            (head.replace("\n", "\t\n") + "string\tc\tlo hi\tc\t\n\t\tclass\n"
             + lines([[*row, ""] for row in rows], "\t")).encode(), **expected,
        ),
        "Orange in letters": Program(
            (head + "s\tc\td\tc\nm\t\tc\t\n" + lines(rows, "\t")).encode(), **expected
        ),
        "Orange with prefixes": Program(
            ("mS#probe,C#alpha,cD#kind,C#beta\n" + lines(rows)).encode(), **expected
        ),
        "Orange with spaces within values, and no type": Program(
            (head + "\tc\tlo\\ one hi\tc\n\t\tclass\t\n"
             + lines(rows, "\t").replace("\tlo\t", "\tlo one\t")).encode(), **expected,
        ),
        "Orange in a sheet whose first cells are empty": Program(
            ("\n,mS#probe,C#alpha,cD#kind,C#beta\n" + lines([["", *row] for row in rows]))
            .encode(), **expected,
        ),
        "Orange with a column to ignore": Program(
            (head + "s\tc\td\tc\nm\t\tclass\tignore\n" + lines(rows, "\t")).encode(),
            ("alpha",), "kind",
        ),
    }  # fmt: skip


def surveys() -> dict[str, Program]:
    ids = ",".join(
        f'"{{""ImportId"":""{one}""}}"' for one in ("start", "QID1", "QID2", "id", "arm")
    )
    rows = [
        ["2021-03-01", a, b, f"R_{at:03d}", kind]
        for at, ((a, b), kind) in enumerate(zip(X2, KINDS, strict=True))
    ]
    head = "StartDate,Q1,Q2,ResponseId,Arm\n"
    expected = {"features": ("Q1", "Q2"), "label": "Arm", "name": "ResponseId", "said": "Qualtrics"}
    monkey = [[f"11{at}", "2021-03-01", a, b, kind] for at, (_, a, b, _, kind) in enumerate(rows)]
    return {
        "Mechanical Turk": Program(
            ("HITId,AssignmentId,WorkerId,WorkTimeInSeconds,Input.a,Answer.b,Answer.kind\n"
             + lines([[f"3H{at % 4}", f"3A{at}", f"W{at % 5}", 20 + at * 7 % 9, a, b, kind]
                      for at, ((a, b), kind) in enumerate(zip(X2, KINDS, strict=True))])).encode(),
            ("Input.a", "Answer.b"), "Answer.kind", name="AssignmentId", said="Mechanical Turk",
            asked=("subjects:WorkerId",),
        ),
        "Qualtrics": Program(
            (head + "Start Date,How often?,How well?,Response ID,Arm\n" + ids + "\n" + lines(rows))
            .encode(), **expected,
        ),
        "Qualtrics with a question of two lines": Program(
            (head + 'Start Date,"How\noften, really?",How well?,Response ID,Arm\n' + ids + "\n"
             + lines(rows)).encode(), **expected,
        ),
        "Qualtrics with tabs": Program(
            (head + "Start Date,How often?,How well?,Response ID,Arm\n").replace(",", "\t").encode()
            + ids.replace(",", "\t").encode() + b"\n" + lines(rows, "\t").encode(), **expected,
        ),
        "Qualtrics saved by Python, with orders": Program(
            ("StartDate,Q1,TO_DO_2,ResponseId,RO-BR-FL_7,Q9_DO_1,block,Arm\nStart Date,How often?,"
             "How well?,Response ID,Blocks,Q9,Block - Display Order,Arm\n"
             + ",".join(f"{{'ImportId': '{one}'}}" for one in "abcdefgh") + "\n"
             + lines([[*row[:4], f"FL_{at % 3}|FL_9", at % 2, f"B{at // 2 % 2}", row[4]]
                      for at, row in enumerate(rows)])).encode(),
            ("Q1", "TO_DO_2"), "Arm", name="ResponseId", said="Qualtrics",
        ),
        "Qualtrics with browsers, and a part that some were shown": Program(
            ("StartDate,Q1,Q_Two,ResponseId,M_Browser,M_OS,Q_TotalDuration,FL_7_DO,FL_9_DO\n"
             "Start Date,How often?,How well?,Response ID,Meta - Browser,Meta - System,"
             "Q_TotalDuration,FL_7 - Randomizer - Display Order,FL_9 - Display Order\n"
             + ",".join(f"{{'ImportId': '{one}'}}" for one in (
                 "start", "QID1", "QID2", "id", "QID3_BROWSER", "QID3_OS", "Q_TotalDuration",
                 "FL_7_DO", "FL_9_DO"))
             + "\n" + lines([[*row[:4], "AB"[at // 3 % 2], "XY"[at % 2], at * 7 % 31, row[4],
                             "p|q" if at % 3 else "q|p"] for at, row in enumerate(rows)])).encode(),
            ("Q1", "Q_Two"), "FL_7_DO", name="ResponseId", said="Qualtrics",
        ),
        "Qualtrics before 2017": Program(
            ("V1,V2,Q1,Q2,Arm\nResponseID,StartDate,How often?,How well?,Arm\n"
             + lines([[name, start, *rest] for start, *more, name, kind in rows
                      for rest in [[*more, kind]]])).encode(),
            ("Q1", "Q2"), "Arm", name="ResponseID", said="Qualtrics",
        ),
        "SurveyMonkey": Program(
            ("Respondent ID,Start Date,How tall?,,Which arm?\n,,Shoes,Hat,Response\n"
             + lines(monkey))
            .encode(), ("How tall?: Shoes", "How tall?: Hat"), "Which arm?", name="Respondent ID",
        ),
        "SurveyMonkey with open ends": Program(
            ("respondent_id,date_created,How tall?,How wide?,Arm\n"
             ",,Open-Ended Response,Open-Ended Response,Response\n" + lines(monkey)).encode(),
            ("How tall?", "How wide?"), "Arm", name="respondent_id",
        ),
        "SurveyMonkey, named in one word": Program(
            ("RespondentID,StartDate,How tall?,,Which arm?\n,,Shoes,Hat,Response\n"
             + lines(monkey))
            .encode(), ("How tall?: Shoes", "How tall?: Hat"), "Which arm?", name="RespondentID",
        ),
        "SurveyMonkey without what it says of respondents": Program(
            ("Which arm?,How tall?,,How wide?\nResponse,Shoes,Hat,Response\n"
             + lines([[row[-1], *row[2:-1], at % 7] for at, row in enumerate(monkey)]))
            .encode(), ("How tall?: Shoes", "How tall?: Hat", "How wide?"), "Which arm?",
        ),
    }  # fmt: skip


def studies() -> dict[str, Program]:
    rows = [[f"s{at}", a, b, kind] for at, ((a, b), kind) in enumerate(zip(X2, KINDS, strict=True))]
    isa = [
        [f"donor {at}", a, "EFO", b, f"s{at}", kind, "x:1"]
        for at, (_, a, b, kind) in enumerate(rows)
    ]
    head = [
        "Source Name", "Characteristics[age]", "Term Source REF", "Characteristics[mass]",
        "Sample Name", "Factor Value[diet]", "Term Accession Number",
    ]  # fmt: skip
    quoted = [[f'"{cell}"' for cell in row] for row in [head, *isa]]
    factors = [*head[:5], "Factor Value [diet]", head[6]]
    types = "#q2:types\tnumeric\tnumeric\tcategorical\n"
    expected = {"features": ("age", "mass"), "label": "diet", "name": "Sample Name"}
    meta = {"features": ("ph", "depth"), "label": "site"}
    return {
        "ISA-Tab": Program(lines([head, *isa], "\t").encode(), **expected),
        "ISA-Tab in quotation marks": Program(lines(quoted, "\t").encode(), **expected),
        "ISA-Tab with spaces": Program(lines([factors, *isa], "\t").encode(), **expected),
        "QIIME 2": Program(
            ("sample-id\tph\tdepth\tsite\n" + types + lines(rows, "\t")).encode(),
            name="sample-id", **meta,
        ),
        "QIIME 2 with a space": Program(
            ("sample-id\tph\tdepth\tsite\n " + types + lines(rows, "\t")).encode(),
            name="sample-id", **meta,
        ),
        "QIIME 2 with a sharp": Program(
            ("#SampleID\tph\tdepth\tsite\n" + types + lines(rows, "\t")).encode(),
            name="SampleID", **meta,
        ),
        "QIIME 2 with fewer types than names, and rows without their last cells": Program(
            ("#SampleID\tph\tdepth\tsite\tnote\n" + types
             + lines([[*row, "first"][: 5 - at % 2] for at, row in enumerate(rows)], "\t"))
            .encode(), name="SampleID", **meta,
        ),
        "QIIME 2 with numbers that are categories": Program(
            ("id\tph\tplot\tsite\n#q2:types\tnumeric\tcategorical\tcategorical\n"
             + lines([[f"s{at}", a, 1 + at // 4 % 2, kind] for at, (_, a, _, kind) in
                      enumerate(rows)], "\t")).encode(),
            ("ph", "plot = 2"), "site", name="id",
        ),
    }  # fmt: skip


def matrices() -> dict[str, Program]:
    named = [[gene, *row] for gene, row in zip(GENES, MATRIX, strict=True)]
    described = [[gene, "kinase", *row] for gene, row in zip(GENES, MATRIX, strict=True)]
    turned = {"features": GENES, "label": "group", "name": "sample", "first": MATRIX_FIRST}
    asked = {**turned, "asked": ("label",)}
    header = ["Name", "Description", *SAMPLES]
    gct = [["#1.2"], [6, N], header, *described]
    gct3 = [["#1.3"], [6, N, 1, 1], ["id", "about", *SAMPLES], ["stage", "na", *KINDS], *described]
    geo = [
        ['!Series_title\t"A study"'], ["!Sample_title", *(f'"{one}"' for one in SAMPLES)],
        ["!Sample_characteristics_ch1", *(f'"disease: {kind}"' for kind in KINDS)],
        ["!series_matrix_table_begin"], ['"ID_REF"', *(f'"GSM{at}"' for at in range(N))],
        *named, ["!series_matrix_table_end"],
    ]  # fmt: skip
    soft = [
        ["^DATABASE = Geo"], ["^DATASET = GDS1"], ["^SUBSET = GDS1_1"],
        ["!subset_description = ill"],
        ["!subset_sample_id = " + ",".join(f"GSM{at}" for at in range(0, N, 2))],
        ["!subset_type = disease state"], ["^SUBSET = GDS1_2"], ["!subset_description = well"],
        ["!subset_sample_id = " + ",".join(f"GSM{at}" for at in range(1, N, 2))],
        ["!subset_type = disease state"], ["!dataset_table_begin"],
        ["ID_REF", "IDENTIFIER", *(f"GSM{at}" for at in range(N))],
        *([f"{at}_at", *row] for at, row in enumerate(named)), ["!dataset_table_end"],
    ]  # fmt: skip
    maf = [
        "database_identifier",
        "metabolite_identification",
        "smallmolecule_abundance_std_error_sub",
    ]
    mwtab = [
        ["#METABOLOMICS WORKBENCH ST1"], ["VERSION", 1], ["MS_METABOLITE_DATA_START"],
        ["Samples", *SAMPLES], ["Factors", *(f"Age:7 | Diet:{kind}" for kind in KINDS)],
        *named, ["MS_METABOLITE_DATA_END"], ["METABOLITES"], ["#END"],
    ]  # fmt: skip
    quant = ["Protein IDs", "Majority protein IDs", "Reverse"]
    marked = [[gene, gene, "", *row, *row] for gene, row in zip(GENES, MATRIX, strict=True)] + [
        ["REV", "REV", "+", *MATRIX[0], *MATRIX[0]]
    ]
    intensities = [f"Intensity {one}" for one in SAMPLES]
    channels = [*range(N // 2)]
    reporters = [f"Reporter intensity corrected {at} mix{mix}" for mix in (1, 2) for at in channels]
    reporters += [f"Reporter intensity corrected {at}" for at in channels]
    perseus_rows = [[*row, gene] for gene, row in zip(GENES, MATRIX, strict=True)]
    types = ["#!{Type}E", *["E"] * (N - 1), "T"]
    groups = ["#!{C:dose}" + KINDS[0], *KINDS[1:], ""]
    return {
        "GCT 1.2": Program(lines(gct, "\t").encode(), **asked),
        "GCT 1.3": Program(lines(gct3, "\t").encode(), **{**turned, "label": "stage"}),
        "series matrix": Program(
            lines(geo, "\t").encode(), **{**turned, "label": "disease"}, said="GEO"
        ),
        "series matrix, keys without a blank, in lines that others have shifted": Program(
            lines([
                *geo[:2],
                ["!Sample_characteristics_ch1", *(
                    f'"disease:{kind}"' if at % 3 else f'"age: {at}"' for at, kind in
                    enumerate(KINDS))],
                ["!Sample_characteristics_ch1", *(
                    f'"age: {at}"' if at % 3 else f'"disease: {kind}"' for at, kind in
                    enumerate(KINDS))],
                ["!Sample_characteristics_ch1", *(f'"tissue:{" " * (at % 2)}gut"' for at in
                                                  range(N))],
                *geo[3:],
            ], "\t").encode(), **{**turned, "label": "disease"}, said="GEO",
        ),
        "data set of GEO": Program(
            lines(soft, "\t").encode(), **{**turned, "label": "disease state"}
        ),
        "MetaboLights without names of metabolites": Program(
            lines([["retention_time", *maf, *SAMPLES],
                   *([60.5 + at, "", "", "", *row] for at, (_, *row) in enumerate(named))], "\t")
            .encode(), **{**asked, "features": [f"{60.5 + at}" for at in range(len(named))],
                          "first": {}},
        ),
        "MetaboLights": Program(
            lines([[*maf, *SAMPLES], *(["HMDB1", gene, "", *row] for gene, *row in named)], "\t")
            .encode(), **asked,
        ),
        "mwTab": Program(
            lines(mwtab, "\t").encode(), **{**turned, "label": "Diet"},
        ),
        **{
            f"mwTab as a sheet saves it, {name}": Program(
                lines([[*row, *[""] * (N + n_more - len(row))] for row in mwtab], mark).encode(),
                **{**turned, "label": "Diet"},
            )
            for name, mark, n_more in (("comma", ",", 1), ("semicolon", ";", 4))
        },
        "MaxQuant": Program(
            lines([[*quant, *intensities, *(f"LFQ intensity {one}" for one in SAMPLES)], *marked],
                  "\t").encode(), **asked, said="1 row that the file marks",
        ),
        "MaxQuant without LFQ": Program(
            lines([[*quant, *intensities], *(row[: N + 3] for row in marked)], "\t").encode(),
            **asked,
        ),
        "MaxQuant with reporters of two experiments": Program(
            lines([[*quant, "Intensity", "Intensity mix1", "Intensity mix2", *reporters],
                   *([*row[:3], 9.5, 4.5, 5, *row[3 : 3 + N], *row[3 : 3 + N // 2]]
                     for row in marked)], "\t").encode(),
            **{**asked, "label": "", "asked": ()}, said="Reporter",
        ),
        "peptides of MaxQuant": Program(
            lines([["Sequence", "Leading razor protein", "PEP", *intensities],
                   *([f"AAG{gene}K", gene, 0.001, *row] for gene, *row in named)], "\t").encode(),
            **{**asked, "features": [f"AAG{gene}K" for gene in GENES], "first": {}},
        ),
        "sites of MaxQuant": Program(
            lines([["Proteins", "Positions within proteins", "Leading proteins",
                    "Localization prob", "Amino acid", *intensities,
                    *(f"{one}___1" for one in intensities)],
                   *([f"{gene};X", "3;7", gene, 0.9, "S", *row, *row] for gene, *row in named)],
                  "\t").encode(), **asked, said="sites of MaxQuant",
        ),
        "DIA-NN": Program(
            lines([["Protein.Group", "Genes", *(f"D:\\runs\\{one}.raw" for one in SAMPLES)],
                   *described], "\t").encode(), **asked,
        ),
        "Perseus": Program(
            lines([[*SAMPLES, "Names"], types, groups, *perseus_rows], "\t").encode(),
            **{**turned, "label": "dose"},
        ),
        "Perseus with descriptions, behind its groups": Program(
            lines([[*SAMPLES, "Names"], ["#!{Description}", *["mass"] * N],
                   groups, types, ["#!{N:day}3", *range(1, N), ""],
                   *perseus_rows], "\t").encode(), **{**turned, "label": "dose"},
        ),
        "Perseus without groups": Program(
            lines([[*SAMPLES, "Names"], types, *perseus_rows], "\t").encode(), **asked
        ),
    }  # fmt: skip


def features_in_rows() -> dict[str, Program]:
    named = [[gene, *row] for gene, row in zip(GENES, MATRIX, strict=True)]
    turned = {"label": "group", "name": "sample"}
    asked = {**turned, "features": GENES, "first": MATRIX_FIRST, "asked": ("label",)}
    taxa = [f"k__Bacteria|p__{gene}" for gene in GENES]
    of_taxa = [[taxon, *row] for taxon, row in zip(taxa, MATRIX, strict=True)]
    ids = [f"S{at:03d}" for at in range(N)]
    sites = ["gut" if at % 4 < 2 else "skin" for at in range(N)]
    peaks = [
        [at, 100.5 + 7 * at % 4, 60.2 * at, f"C{at}H6", *row] for at, row in enumerate(MATRIX, 1)
    ]
    peak_areas = [f"{one}.mzML Peak area" for one in SAMPLES]
    peptides = [[f"AAG{gene}K", "P1", 2, *row] for gene, *row in named]
    fragpipe = ["Protein", "Protein ID", "Entry Name"]
    counts = [
        f"{one} {kind}" for one in SAMPLES for kind in ("Spectral Count", "Intensity",
                                                        "Unique Intensity")
    ]  # fmt: skip
    modified = [f"AAK{at % 2} {at % 3}xC" for at in range(6)]
    lineages = [[f"Bacteria|Firmicutes|Bacilli|{gene}", *row] for gene, *row in named]
    spectronaut = ["R.Label", "R.Condition", "R.FileName", "PG.ProteinGroups", "F.FrgIon",
                   "PG.Quantity"]  # fmt: skip
    quantified = [
        [f"sp|{gene}", gene, f"{gene}_HUMAN", *(cell for one in row for cell in (3, one, 0.5))]
        for gene, *row in named
    ]
    return {
        "MetaPhlAn": Program(
            lines([["#mpa_v30"], ["clade_name", *SAMPLES], *of_taxa], "\t").encode(),
            taxa, asked=("samples", "label"), **turned,
        ),
        "MetaPhlAn with a line of programs": Program(
            lines([["ID", *SAMPLES], ["#SampleID", *["Metaphlan2"] * N], *of_taxa], "\t").encode(),
            taxa, asked=("samples", "label"), **turned,
        ),
        "LEfSe": Program(
            lines([["bodysite", *sites], ["subject_id", *ids], *of_taxa], "\t").encode(),
            taxa, "bodysite", name="sample", asked=("samples",),
        ),
        "LEfSe, several samples of subjects": Program(
            lines([["bodysite", *sites], ["subject_id", *[f"u{at // 2}" for at in range(N)]],
                   *of_taxa], "\t").encode(),
            taxa, "bodysite", name="sample", asked=("samples",),
        ),
        **{
            f"XCMS, {name}": Program(
                lines([[first, "mzmed", "mzmin", "mzmax", "rtmed", "npeaks", "hi", "lo",
                        *(f"{one}.mzML" for one in SAMPLES)],
                       *([gene, 100.5, 100.4, 100.6, 60.2, 2, 1, at % 2, *row]
                         for at, (gene, *row) in enumerate(named))], mark).encode(),
                **asked, said="XCMS",
            )
            for name, first, mark in (("differences", "name", "\t"), ("features", "", ","))
        },
        **{
            f"MetIDQ, {where}": Program(
                lines([*[["", "", "", "LOD", *[0.1] * 6]] * above,
                       ["Plate Bar Code", plate, "Sample Identification", "Group", *GENES],
                       *[["", "", "", "LOD", *[0.1] * 6]] * below,
                       *([f"p{at // 8}", at, f"u{at}", KINDS[at], *column]
                         for at, column in enumerate(zip(*MATRIX, strict=True)))], "\t").encode(),
                GENES, "Group", name="Sample Identification", first=MATRIX_FIRST, said="MetIDQ",
            )
            for where, plate, above, below in (
                ("limits above", "Well Position", 3, 0), ("limits below", "Well Position", 0, 2),
                ("no limits", "Run Number", 0, 0),
            )
        },
        **{
            f"statistics of a comparison, {of}": Program(
                lines([[first, *before, *samples, *behind],
                       *([gene, *[0.5] * len(before), *row, *[0.01 * at] * len(behind)]
                         for at, (gene, *row) in enumerate(named))], mark).encode(),
                GENES, asked=("samples", "label"), first=MATRIX_FIRST, label="group",
                name="sample", said="p-values",
            )
            for of, first, mark, before, samples, behind in (
                ("DESeq2", "", ",", ["baseMean", "log2FoldChange", "pvalue", "padj"], SAMPLES, []),
                ("limma", "ID", "\t", ["logFC", "AveExpr", "t", "P.Value", "adj.P.Val", "B"],
                 SAMPLES, []),
                ("proteins", "protein", ",", ["imputed"], [f"abundance_{one}" for one in SAMPLES],
                 ["mean", "foldchange", "adj_p_value"]),
            )
        },
        "Bracken": Program(
            lines([["name", "taxonomy_id", "taxonomy_lvl",
                    *(f"{one}.bracken_{what}" for one in SAMPLES for what in ("num", "frac"))],
                   *([gene, 7 * at, "S", *(cell for one in row for cell in (40, one))]
                     for at, (gene, *row) in enumerate(named))], "\t").encode(),
            **asked, said="Bracken",
        ),
        **{
            f"mzTab, {of}": Program(
                lines([["MTD", "mzTab-version", "2.0.0-M"],
                       *(["MTD", f"assay[{at}]", f"a{at}"] for at in range(1, N + 1)),
                       *(["MTD", f"study_variable[{at}]{what}", kind]
                         for at, kind in enumerate(both)),
                       *(["MTD", f"study_variable[{at}]-assay_refs",
                          "|".join(f"assay[{n}]" for n in range(1 + at, N + 1, 2))]
                         for at in range(2)),
                       [head, "SML_ID", known,
                        *(f"{of}abundance_assay[{at}]" for at in range(1, N + 1)),
                        f"{of}abundance_study_variable[1]"],
                       *remarks, *([row_of, "1", gene, *row, 9] for gene, *row in named),
                       ["COM", "end"]], "\t").encode(),
                GENES, "study variable", name="sample", first=MATRIX_FIRST, said="mzTab",
            )
            for both in (KINDS[:2],)
            for of, head, row_of, known, what, remarks in (
                ("", "SMH", "SML", "chemical_name", "", []),
                ("protein_", "PRH", "PRT", "accession", "-description",
                 [["COM", "1", "Accession"]]),
            )
        },
        "rows of words above metabolites": Program(
            lines([["", *ids], ["arm", *KINDS], ["site", *sites], *named]).encode(),
            GENES, "arm", name="sample", asked=("samples",),
        ),
        "lineages below rows of numbers": Program(
            lines([["ID", *ids], ["run", *range(7, 7 + N)], ["bodysite", *sites], *lineages], "\t")
            .encode(),
            [row[0] for row in lineages], "bodysite", name="sample", asked=("samples",),
        ),
        "Spectronaut": Program(
            lines([spectronaut, *(["lab", kind, f"{one}.raw", f"{gene};x", "frag", value]
                                  for gene, *row in named
                                  for one, kind, value in zip(SAMPLES, KINDS, row, strict=True)
                                  for _ in range(2))], "\t").encode(),
            [f"{gene};x" for gene in GENES], "R.Condition", name="R.FileName",
            asked=("samples",), first=dict(zip([f"{gene};x" for gene in GENES],
                                               [row[0] for row in MATRIX], strict=True)),
            said="of Spectronaut",
        ),
        "a row of groups behind an annotation": Program(
            lines([["Compound", "KEGG", *(f"x{at}" for at in range(N))], ["Treatment", "", *KINDS],
                   *([gene, f"C{at}", *row] for at, (gene, *row) in enumerate(named))]).encode(),
            **{**asked, "label": "Treatment", "asked": ("samples",)},
        ),
        "a row of groups behind a description": Program(
            lines([["Name", "Description", *(f"x{at}" for at in range(N))], ["Class", "", *KINDS],
                   *([gene, "a text", *row] for gene, *row in named)], ";").encode(),
            **{**asked, "label": "Class", "asked": ("samples",)},
        ),
        **{
            f"annotations behind the samples, {of}": Program(
                (above + lines([["Compound", *(f"{one}: Log2" for one in SAMPLES), "Mark",
                                 "CAS Number", "Compound Name"],
                                *([gene, *row, "a text", "", gene] for gene, *row in named)]))
                .encode(), **asked, said="behind Compound are samples",
            )
            for of, above in (("alone", ""), ("below a comment",
                                              f"# Owner : gxuser{',' * (N + 3)}\n"))
        },
        "descriptors of compounds": Program(
            lines([["Compound", *(f"x{at}" for at in range(8)), "kind"],
                   *([f"c{at}", *row, kind]
                     for at, (row, kind) in enumerate(zip(X8, KINDS, strict=True)))]).encode(),
            tuple(f"x{at}" for at in range(8)), "kind", name="Compound", not_asked=("samples",),
        ),
        "peptides in rows": Program(
            lines([["", *ids], *([f"AADE{'LV' * (at + 1)}{'KR'[at % 2]}", *row]
                                 for at, row in enumerate(MATRIX))]).encode(),
            [f"AADE{'LV' * (at + 1)}{'KR'[at % 2]}" for at in range(len(MATRIX))], "",
            name="sample", asked=("samples",),
        ),
        "sequences in rows": Program(
            lines([["", *ids], *([sequence, *row]
                   for sequence, row in zip(SEQUENCES, MATRIX, strict=True))], "\t").encode(),
            SEQUENCES, "", name="sample", asked=("samples",),
        ),
        "sequences in columns": Program(
            lines([["", *SEQUENCES], *([one, *(round(number) for number in numbers)]
                   for one, numbers in zip(ids, zip(*MATRIX, strict=True), strict=True))]).encode(),
            SEQUENCES, "", name="column 1",
        ),
        "replicates in names": Program(
            lines([["Protein.Group", "Genes", *(f"{kind}_rep{at // 2}.raw"
                                                for at, kind in enumerate(KINDS))],
                   *([gene, gene, *row] for gene, *row in named)], "\t").encode(),
            **asked, not_asked=("subjects:group 2",),
        ),
        "MaxQuant by R": Program(
            lines([["Protein.IDs", *(f"LFQ.intensity.{one}" for one in SAMPLES), "Reverse"],
                   *([*row, ""] for row in named), ["REV", *MATRIX[0], "+"]]).encode(), **asked,
            said="MaxQuant",
        ),
        "long, features of two columns": Program(
            lines([["sample_id", "peptide", "modifications", "abundance_raw", "arm", "age"],
                   *([one, *peptide.split(), row[at], KINDS[at], 30 + at % 5]
                     for at, one in enumerate(ids)
                     for peptide, row in zip(modified, MATRIX, strict=True))]).encode(),
            modified, "arm", name="sample_id", asked=("samples",),
        ),
        "what samples and features are around a corner": Program(
            lines([["", "", "Sample", *ids], ["", "", "arm", *KINDS], [""] * (N + 3),
                   ["BIOCHEMICAL", "PATHWAY", "KEGG", *[""] * N],
                   *([gene, "lipid", "", *row] for gene, *row in named)]).encode(),
            GENES, "arm", name="sample", asked=("samples",), first=MATRIX_FIRST,
        ),
        "OTUs of QIIME 1": Program(
            lines([["# QIIME v1.9 OTU table"], ["#OTU ID", *SAMPLES, "Consensus Lineage"],
                   *([*row, "k__Bacteria"] for row in named)], "\t").encode(), **asked,
        ),
        "OTUs of biom convert": Program(
            lines([["# Constructed from biom file"], ["#OTU ID", *SAMPLES], *named], "\t")
            .encode(), **asked,
        ),
        "mothur": Program(
            lines([["label", "Group", "numOtus", "Otu1", "Otu2"],
                   *([0.03, f"F{at}", 2, *row] for at, row in enumerate(X2))], "\t").encode(),
            ("Otu1", "Otu2"), "", name="Group", said="mothur",
        ),
        "FragPipe": Program(
            lines([[*fragpipe, *counts], *quantified], "\t").encode(), **asked, said="FragPipe"
        ),
        **{
            f"Discoverer, {name}": Program(
                lines([[*known, *(abundance.format(*of) for of in enumerate(KINDS, start=1)),
                        *(f"Abundances Count: F{at}" for at in range(N))],
                       *([*["False"] * (len(known) - 2), gene, "C4", *row, *range(N)]
                         for gene, *row in named)], mark).encode(),
                **asked, said="Discoverer",
            )
            for name, known, abundance, mark in (
                ("text", ["Accession", "Modifications"], "Abundance: F{}: Sample, {}", "\t"),
                ("normalized", ["Checked", "Accession", "Sequence"],
                 "Abundances (Normalized): F{}: Sample, {}", "\t"),
                ("of R", ["Sequence", "Modifications"], "Abundance.F{}.Sample.{}", ","),
            )
        },
        **{
            f"Progenesis, {name}": Program(
                lines([["", "", "", kind, *[""] * (N - 1), "Raw abundance", *[""] * (N - 1)],
                       ["", "", "", *grouped, *grouped],
                       [name, "Charge", "Accepted", *SAMPLES, *SAMPLES],
                       *([gene, 2, "True", *row, *range(N)] for gene, *row in named)]).encode(),
                GENES, "condition", name="sample", first=MATRIX_FIRST, said="Progenesis",
            )
            for grouped in [[kind if at == 0 or KINDS[at - 1] != kind else ""
                             for at, kind in enumerate(KINDS)]]
            for name, kind in (("Accession", "Normalized abundance"),
                               ("Compound", "Normalised abundance"))
        },
        "Perseus with prefixes": Program(
            lines([[*SAMPLES, "C: Reverse", "N: Score", "T: Gene names", "T: Protein IDs"],
                   *([*row, "", 7.5, "kinase", gene] for gene, *row in named)], "\t").encode(),
            **asked,
        ),
        "MZmine": Program(
            lines([["row ID", "row m/z", "row retention time", "formula", *peak_areas], *peaks])
            .encode(), [*map(str, range(1, 7))], asked=("samples", "label"), **turned,
        ),
        "peptides": Program(
            lines([["Peptide Sequence", "Protein Accession", "Charge", *SAMPLES], *peptides], ";")
            .replace(".", ",").encode(),
            [f"AAG{gene}K" for gene in GENES], asked=("samples", "label"), **turned,
        ),
        "far more genes than samples": Program(
            lines([["gene", *SAMPLES[:6]],
                   *([f"g{at}", *row] for at, row in enumerate(grid(6, 5, 60)))]).encode(),
            [f"g{at}" for at in range(60)], label="group", n_rows=6, asked=("samples",),
            said="Turned: the 6 columns behind gene are samples.",
        ),
        "levels of pandas": Program(
            lines([["side", "left", "left", "right"], ["depth", "low", "high", "low"],
                   ["row", "", "", ""], *numbered(X3)]).encode(),
            ("left low", "left high", "right low"), "", name="row", said="2 levels of names",
        ),
    }  # fmt: skip


def peaks_and_lipids() -> dict[str, Program]:
    """Samples in columns, of which a row of classes, the names of rows or their own names tell."""
    peaks = [[f"{at / 3:.3f}/{50 + at / 7:.4f}", *row] for at, row in enumerate(MATRIX)]
    masses = [[f"{50 + at / 7:.4f}", *row] for at, row in enumerate(MATRIX)]
    species = ["PC 34:1", "PE 36:2", "LPC 18:0", "Cer d18:1/16:0", "TG 54:3", "SM 42:2"]
    ions = [f"{one.replace(' ', '(', 1)})+H" for one in species]
    classes = ["DG", "CER", "PC", "HEX2CER", "LPE", "SM"]
    areas = [f"Area[{name}]" for name in SAMPLES]
    doses = [f"Lab_{dose}_rep{at}.mzML Area" for dose in ("A5M", "A45M", "M") for at in range(1, 5)]
    arms = [f"Vero {drug}{virus}  R{at}" for drug in ("X214", "mock") for virus in ("", " CHIKV")
            for at in range(1, 4)]  # fmt: skip
    turned = {"name": "sample", "asked": ("samples",)}
    named = {**turned, "label": "group", "asked": ("samples", "label")}

    def beside(names: Sequence[str], rows: Sequence[Sequence[object]]) -> list[list[object]]:
        return [[name, *row] for name, row in zip(names, rows, strict=True)]

    return {
        "peaks of MetaboAnalyst": Program(
            lines([["Sample", *SAMPLES], ["Label", *KINDS], *peaks], "\t").encode(),
            [str(row[0]) for row in peaks], "Label", **turned,
        ),
        "masses of MetaboAnalyst": Program(
            lines([["Samples", *SAMPLES], ["Group", *KINDS], *masses]).encode(),
            [str(row[0]) for row in masses], "Group", **turned,
        ),
        "peaks of MetaboAnalyst, of which samples are the only ones of their class": Program(
            lines([["Sample", "BLANK.1", *SAMPLES[2:], "BLANK.2"],
                   ["Label", "BLANK", *KINDS[2:], "BLANK.2"], *peaks], "\t").encode(),
            [str(row[0]) for row in peaks], "Label", N - 2, name="sample", asked=("samples",),
        ),
        "units below names are no classes": Program(
            lines([["id", "Na", "K", "Mg", "Ca", "kind"], ["label", *["mg/l", "g/l"] * 2, ""],
                   *([f"s{at}", *row, kind] for at, (row, kind)
                     in enumerate(zip(grid(4), KINDS, strict=True)))]).encode(),
            ("Na [mg/l]", "K [g/l]", "Mg [mg/l]", "Ca [g/l]"), "kind",
        ),
        "words below names, most of which do not recur": Program(
            lines([["id", *"ABCDEFGH"], ["label", *"xxyypqrs"],
                   *numbered(X8, "s")]).encode(),
            [f"{name} {word}" for name, word in zip("ABCDEFGH", "xxyypqrs", strict=True)], "",
        ),
        "what samples are, not all of it known": Program(
            lines([["", "", "Label", *SAMPLES], ["", "", "Arm", *KINDS],
                   ["", "", "Age", *["young", "old"] * 6, *[""] * 4],
                   ["Identifier", "Annotation", "RT", *["Peak Height"] * N],
                   *([gene, "lipid", at / 7, *row] for at, (gene, row)
                     in enumerate(zip(GENES, MATRIX, strict=True)))]).encode(),
            GENES, "Arm", **turned,
        ),
        "lipids in rows": Program(
            lines([["Lipid", *SAMPLES], *beside(species, MATRIX)]).encode(), species, **named
        ),
        "lipid classes in rows, and a blank": Program(
            lines([["Family", "Sum", "Methanol", *arms],
                   *([one, f"Total of {one}", 0.1, *row[:12]]
                     for one, row in zip(classes, MATRIX, strict=True))], ";").encode(),
            classes, n_rows=12, **named,
        ),
        "lipids in columns": Program(
            lines([["arm", *species], *([kind, *row] for kind, row
                                        in zip(KINDS, grid(6), strict=True))]).encode(),
            species, "arm",
        ),
        "properties of lipids": Program(
            lines([["Lipid", "mass", "charge", "polarity", "logP", "kind"],
                   *([f"PC {30 + at}:1", *row, kind] for at, (row, kind)
                     in enumerate(zip(grid(4), KINDS, strict=True)))]).encode(),
            ("mass", "charge", "polarity", "logP"), "kind",
        ),
        "LipidSearch": Program(
            lines([["LipidIon", "Class", "FattyAcid", "mScore", "RT", *SAMPLES],
                   *([ion, ion[:2], "(x)", 5.5, at / 7, *row]
                     for at, (ion, row) in enumerate(zip(ions, MATRIX, strict=True)))]).encode(),
            ions, "group", name="sample", asked=("label",), said="LipidSearch",
        ),
        "LipidSearch with areas": Program(
            lines([["Rej.", "LipidMolec", "Class", *areas, *(f"Rt[{name}]" for name in SAMPLES)],
                   *(["False", one, "PC", *row, *row]
                     for one, row in zip(species, MATRIX, strict=True))], "\t").encode(),
            species, "group", name="sample", asked=("label",), first={species[0]: MATRIX[0][0]},
        ),
        "doses before replicates, and a blank": Program(
            lines([["row ID", "row m/z", "row retention time", "Lab_PPL_blank_B.mzML Area", *doses],
                   *([at, 100.5 + 7 * at % 4, 60.2 * at, 0, *row[:12]]
                     for at, row in enumerate(MATRIX, 1))]).encode(),
            [*map(str, range(1, 7))], n_rows=12, **named,
        ),
        "barcodes among groups": Program(
            lines([["Protein.Group", "Genes", *(f"{at}_{code}_L1" for code in ("ATCACG", "CGATGT")
                                                for at in range(5)),
                    *(f"Con_DMSO_{at}" for at in range(6))],
                   *([gene, gene, *row] for gene, row in zip(GENES, MATRIX, strict=True))], "\t")
            .encode(), GENES, name="sample", label="",
        ),
    }  # fmt: skip


def spectra_in_columns() -> dict[str, Program]:
    axis = [900 + 2 * at for at in range(9)]
    cells = [[wave, *row] for wave, row in zip(axis, grid(N, 4, 9), strict=True)]
    down = [[4000 - 3.5 * at, *row[1:]] for at, row in enumerate(cells)]
    expected = {"label": "group", "name": "sample", "asked": ("label", "samples")}
    letters = [f"{'wild' if kind == 'lo' else 'tame'}.{at:03d}" for at, kind in enumerate(KINDS)]
    return {
        "wavelengths down the file": Program(
            lines([["Wavelength (nm)", *SAMPLES], *cells]).encode(), [*map(str, axis)], **expected
        ),
        "wavelengths behind an index, and samples that are counted": Program(
            lines([["", "Wavelength (nm)", *range(N)],
                   *([at, *row] for at, row in enumerate(cells))]).encode(),
            [*map(str, axis)], "", name="sample", asked=("samples",),
        ),
        "shifts that descend": Program(
            lines([["Raman shift [cm-1]", *letters], *down], "\t").encode(),
            [f"{row[0]:g}" if row[0] % 1 else f"{row[0]}" for row in down], **expected,
        ),
        "wavelengths by their short name": Program(
            lines([["wl", *SAMPLES], *cells]).encode(), [*map(str, axis)], **expected
        ),
        "masses and decimal commas": Program(
            lines([["m/z", *SAMPLES], *cells], ";").replace(".", ",").encode(),
            [*map(str, axis)], **expected,
        ),
    }  # fmt: skip


def zipped(**files: str) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.csv", text)
    return written.getvalue()


def two_files() -> dict[str, Program]:
    labels = "".join(f"{kind}\n" for kind in KINDS)
    expected = {"label": "class", "file": "two.zip"}
    names = ("a", "b", "c")
    return {
        "features and labels": Program(
            zipped(X="a,b,c\n" + lines(X3), y="class\n" + labels), names, **expected,
            said="Joined row by row",
        ),
        "labels without a name": Program(
            zipped(data="a,b,c\n" + lines(X3), labels=labels), names, label="label", file="two.zip"
        ),
        "aligned by spaces, without names": Program(
            zipped(X_train=lines(X3, "  "), y_train=labels),
            ("column 1", "column 2", "column 3"), label="label", file="two.zip",
        ),
        "neither has names": Program(
            zipped(y=labels, X=lines(X3)), ("column 1", "column 2", "column 3"), label="label",
            file="two.zip",
        ),
    }  # fmt: skip


def words_in_names() -> dict[str, Program]:
    """Rows whose names alone say what they are of."""
    rows = [[name, *row] for name, row in zip(SAMPLES, X3, strict=True)]
    files = [[f"Specimen_001_{name}.fcs", *row] for name, *row in rows]
    levels = [[kind, *row] for kind, row in zip(KINDS, X3, strict=True)]
    mass = [[name, "Sample", "", *row] for name, *row in rows]
    buckets = [[f"{name}/10/pdata/1", *row] for name, row in zip(SAMPLES, X8, strict=True)]
    of_files = {"features": ("a", "b", "c"), "asked": ("label",), "said": "words of names"}
    columns = ("amino a", "amino b", "acid c")
    return {
        "names of rows with words": Program(
            ("file,a,b,c\n" + lines(rows)).encode(), label="group in file", name="file", **of_files
        ),
        "cytometry": Program(
            (",a,b,c\n" + lines(files) + "Mean,5,5,5\nSD,2,2,2\n").encode(),
            label="group in column 1", name="column 1", **of_files,
        ),
        "ImageJ": Program(
            (" \tLabel\ta\tb\tc\n" + lines(numbered(rows), "\t")).encode(),
            label="group in Label", **of_files,
        ),
        "names beside many counts": Program(
            lines([["file", *range(24)], *([f"{at + 70}.{kind}", *row] for at, (kind, row) in
                                           enumerate(zip(KINDS, COUNTS, strict=True)))]).encode(),
            [*map(str, range(24))], "group in file", name="file", asked=("label",),
        ),
        "names beside constants": Program(
            ("Name,Type,Level,a,b,c\n" + lines(mass)).encode(), label="group in Name", name="Name",
            **of_files,
        ),
        "NMR in buckets": Program(
            (lines([["File", *WAVES], *buckets])).encode(), [*map(str, WAVES)], "group in File",
            name="File", asked=("label", "samples"), said="words of names",
        ),
        "subjects and words in names": Program(
            ("file,a,b,c\n" + lines([[f"{kind}_P{at}", *row] for at, (kind, row) in enumerate(
                zip(KINDS, X3, strict=True))])).encode(), label="group in file", **of_files,
        ),
        "levels of pandas beside groups": Program(
            (",amino,amino,acid\n,a,b,c\ngroup,,,\n" + lines(levels)).encode(), columns, "group"
        ),
        "levels of pandas beside names": Program(
            (",amino,amino,acid\n,a,b,c\nid,,,\n" + lines(rows)).encode(), columns,
            "group in id", name="id", asked=("label",),
        ),
    }  # fmt: skip


def below_comments_and_titles() -> dict[str, Program]:
    """What stands above rows and their names, or above rows without names."""
    body = lines(with_kinds(X3))
    unnamed = {"features": ("column 1", "column 2", "column 3"), "label": "column 4"}
    named = {"features": ("a", "b", "c"), "label": "kind"}
    years = [[f"land {at}", f"L{at}", *row, ""] for at, row in enumerate(X8)]
    head = ["Country Name", "Country Code", *range(2000, 2008), ""]
    return {
        "comments of MATLAB": Program(
            ("% a b c kind\n% a study\n" + lines(with_kinds(X3), " ")).encode(), **unnamed
        ),
        "comments of MATLAB with names": Program(
            ("% a study\n% a b c kind\n" + lines(with_kinds(X3), " ")).encode(), **named
        ),
        "comments of C": Program(("// a study\na,b,c,kind\n" + body).encode(), **named),
        "a header of percentages": Program(
            ("% a,% b,% c,kind\n" + body).encode(), ("% a", "% b", "% c"), "kind"
        ),
        "a line above rows without names": Program(
            ("|1x3 cross validator\n" + body).encode(), said="1 title line", **unnamed
        ),
        "blank lines and a blank column": Program(
            ("\n,,,,\n" + lines([["", *row] for row in [["a", "b", "c", "kind"],
                                                          *with_kinds(X3)]])).encode(), **named,
        ),
        "World Bank": Program(
            ('"Data Source","Indicators",\n\n"Last Updated","2024-03-28",\n\n'
             + lines([head, *years])).encode(),
            [*map(str, range(2000, 2008))], "", name="Country Name", said="2 title lines",
        ),
        "a dash for what is missing": Program(
            ("a,b,c,kind\n" + body + "1.5,—,–,lo\n").encode(), **named, n_rows=N + 1
        ),
        "World Bank with two points for what is missing": Program(
            lines([head[:-1], *(row[:-1] for row in years), ["x", "X", *[".."] * 3, *X8[0][3:]]])
            .encode(), [*map(str, range(2000, 2008))], "", name="Country Name", n_rows=N + 1,
        ),
    }  # fmt: skip


def genes_of_reads() -> dict[str, Program]:
    """Counts and expression with what is known of the genes beside them."""
    about = [[gene, "chr1", at * 90, at * 90 + 50, "+", 50] for at, gene in enumerate(GENES)]
    rows = [[*left, *row] for left, row in zip(about, MATRIX, strict=True)]
    head = ["Geneid", "Chr", "Start", "End", "Strand", "Length"]
    plain = lines([[*head, *(f"{name}.bam" for name in SAMPLES)], *rows], "\t")
    paths = [f"/data/bam/{name}.sorted.bam" for name in SAMPLES]
    called = '# Program:featureCounts v2; Command:"featureCounts" "-a" "x"\n'
    named = [[gene, "na", *row] for gene, row in zip(GENES, MATRIX, strict=True)]
    expected = {
        "features": GENES, "label": "group", "name": "sample", "first": MATRIX_FIRST,
        "asked": ("label",),
    }  # fmt: skip
    npx = [
        [name, at, f"OID{gene}", GENES[gene], 0.1, MATRIX[gene][at]]
        for at, name in enumerate(SAMPLES)
        for gene in range(len(GENES))
    ]
    return {
        "featureCounts": Program(plain.encode(), **expected),
        "featureCounts with its call": Program(
            (called + lines([[*head, *paths], *rows], "\t")).encode(), **expected
        ),
        "names of groups that recur": Program(
            lines([["index", *KINDS], *([at, *row] for at, row in enumerate(MATRIX))]).encode(),
            [*map(str, range(len(MATRIX)))],
            "group",
            asked=("samples",),
        ),
        "GSEA": Program(
            lines([["NAME", "DESCRIPTION", *SAMPLES], *named], "\t").encode(), **expected
        ),
        "GSEA of other capitals": Program(
            lines([["Name", "Description", *SAMPLES], *named], "\t").encode(), **expected
        ),
        "Olink": Program(
            lines([["SampleID", "Index", "OlinkID", "UniProt", "LOD", "NPX"], *npx], ";").encode(),
            **{**expected, "name": "SampleID", "asked": ("label", "samples")},
        ),
    }


def of_fixed_width() -> dict[str, Program]:
    """Columns at the same places of each line, whose cells have spaces or are empty."""
    width = 9
    names = ["upper field", "far river"]
    rows = [[f"{names[at % 2]:<12}", *row] for at, row in enumerate(X3)]
    gaps = [[*row[:3], "" if at % 5 == 1 else row[3]] for at, row in enumerate(rows)]
    head = [f"{'Part':<12}", "a", "b", "c"]
    expected = {"features": ("a", "b", "c"), "label": "Part", "said": "aligned by spaces"}

    def text(cells: Sequence[Sequence[object]]) -> bytes:
        return "".join("".join(f"{cell:<{width}}" for cell in row) + "\n" for row in cells).encode()

    flush = [[row[0], *(f"{cell:>8}" for cell in row[1:])] for row in [head, *gaps]]
    return {
        "names with spaces": Program(text([head, *rows]), **expected),
        "empty cells": Program(text([head, *gaps]), **expected),
        "numbers to the right": Program(text(flush), **expected),
        "a name behind a tab": Program(
            lines(
                [
                    ["   ".join(map(str, row)), f'"{name} s"']
                    for name, row in zip(SAMPLES, with_kinds(X3), strict=True)
                ],
                "\t",
            ).encode(),
            ("column 1", "column 2", "column 3"),
            "column 4",
            name="column 5",
            said="aligned by spaces",
        ),
    }


def in_quotes() -> dict[str, Program]:
    """Texts in quotes, numbers without: digits in quotes are names of something."""
    cluster = [f'"{at * 7 % 3}"' for at in range(N)]
    rows = [[f'"{name}"', *row, code] for name, row, code in zip(SAMPLES, X3, cluster, strict=True)]
    crlf = lines(rows).replace("\n", "\r\n")
    alike = [[*(f'"{cell}"' for cell in row[1:4]), row[4]] for row in rows]
    features = ("a", "b", "c")
    head = '"","a","b","c","cluster"'
    return {
        "factor of digits": Program(f"{head}\n{lines(rows)}".encode(), features, "cluster"),
        "factor of digits, lines of Windows": Program(
            f"{head}\r\n{crlf}".encode(), features, "cluster"
        ),
        "factor of digits with NA": Program(
            f'{head}\n{lines(rows)}"x",1.5,2.5,NA,"1"\n'.encode(), features, "cluster", n_rows=N + 1
        ),
        "grades in quotes": Program(
            f"{head}\n".encode()
            + lines([[*row[:4], f'"{at % 13}"'] for at, row in enumerate(rows)]).encode(),
            (*features, "cluster"),
            "",
        ),
        "every cell in quotes": Program(
            f'"a","b","c","cluster"\n{lines(alike)}'.encode(), features, "cluster"
        ),
    }


def levels_of_names() -> dict[str, Program]:
    """Several rows of names, of which each has a name of its own before them."""
    means = [["", "", "left", "left", "right"], ["", "", "low", "high", "low"]]
    body = [[kind, at, *row] for at, (kind, row) in enumerate(zip(KINDS, X3, strict=True), 1)]
    columns = ("left low", "left high", "right low")
    parts = [["scorer", *["me"] * 4], ["bodyparts", "nose", "nose", "tail", "tail"]]
    points = [*parts, ["coords", "x", "y", "x", "y"]]
    of_mice = [parts[0], ["individuals", "m1", "m1", "m1", "m1"], *points[1:]]
    rows = [
        [f"labeled-data/{folder}/{at}.png", *row]
        for at, (folder, row) in enumerate(zip(KINDS, grid(4), strict=True))
    ]
    split = [[row[0].replace("/", ","), *row[1:]] for row in rows]
    path = [[f"{row[0]},,", *row[1:]] for row in points]
    positions = ("nose x", "nose y", "tail x", "tail y")
    expected = {"features": positions, "label": "", "name": "frame", "said": "DeepLabCut"}
    return {
        "levels of pandas beside two of rows": Program(
            lines([*means, ["kind", "plant", "", "", ""], *body]).encode(), columns, "kind",
            name="plant", said="2 levels of names",
        ),
        "levels of pandas beside two of rows, of which one has a name": Program(
            lines([*means, ["kind", "", "", "", ""], *body]).encode(), columns, "kind",
            name="index", said="2 levels of names",
        ),
        "DeepLabCut": Program(lines([*points, *numbered(grid(4))]).encode(), **expected),
        "DeepLabCut of several animals": Program(
            lines([*of_mice, *numbered(grid(4))]).encode(),
            **{**expected, "features": [f"m1 {name}" for name in positions]},
        ),
        "DeepLabCut with paths": Program(lines([*path, *split]).encode(), **expected),
        "DeepLabCut with a label": Program(
            lines(
                [
                    *([*row, deed] for row, deed in zip(points, ("deed", "", ""), strict=True)),
                    *([at, *row] for at, row in enumerate(with_kinds(grid(4)))),
                ]
            ).encode(),
            **{**expected, "label": "deed"},
        ),
        "a row of gaps": Program(
            lines([["plant", "a", "b", "kind"], *([at, *row, kind] if at != 3 else [at, "", "", ""]
                  for at, (row, kind) in enumerate(zip(X2, KINDS, strict=True), 1))]).encode(),
            ("a", "b"), "kind", N - 1, name="plant",
        ),
        "a scorer of rows": Program(
            lines([["scorer", "a", "b", "c", "grade"], *([f"s{at}", *row] for at, row in
                  enumerate(with_kinds(X3)))]).encode(),
            ("a", "b", "c"), "grade", name="scorer",
        ),
    }  # fmt: skip


def reports() -> dict[str, Program]:
    """What programs report of samples, several rows for each feature of each sample."""
    genes = range(len(GENES))
    pairs = [(at, gene, half) for at in range(N) for gene in genes for half in range(2)]
    diann = [
        [f"D:/{name}.raw", name, GENES[gene], f"{GENES[gene]}P{half}", MATRIX[gene][at], half]
        for at, gene, half in pairs
        for name in [SAMPLES[at]]
    ]
    spectronaut = [
        ["" if at % 3 else "x", KINDS[at], f"run{at}", 1 + at % 2, GENES[gene], f"y{half}",
         MATRIX[gene][at]]
        for at, gene, half in pairs
    ]  # fmt: skip
    evidence = [
        [f"PEP{GENES[gene]}", "P1", f"raw{half}", SAMPLES[at], 2, MATRIX[gene][at] / 2, ""]
        for at, gene, half in pairs
    ]
    marked = [["PEPX", "P2", "raw0", SAMPLES[0], 2, 9.5, "+"]]
    mutations = [
        [GENES[gene], "Missense_Mutation", "SNP", f"{KINDS[at]}-{at:02d}"]
        for at, gene, _ in pairs
        if gene <= at % 6
    ]
    expected = {"label": "group", "asked": ("label", "samples")}
    measured = {"features": GENES, "first": MATRIX_FIRST}
    of_evidence = ["Sequence", "Leading Razor Protein", "Raw file", "Experiment", "Charge",
                   "Intensity", "Reverse"]  # fmt: skip
    of_mutations = ["Hugo_Symbol", "Variant_Classification", "Variant_Type",
                    "Tumor_Sample_Barcode"]  # fmt: skip
    return {
        "report of DIA-NN": Program(
            lines([["File.Name", "Run", "Protein.Group", "Precursor.Id", "PG.MaxLFQ", "Q.Value"],
                   *diann], "\t").encode(), name="Run", **measured, **expected, said="of DIA-NN",
        ),
        "report of Spectronaut": Program(
            lines([["R.Label", "R.Condition", "R.FileName", "R.Replicate", "PG.ProteinGroups",
                    "F.FrgIon", "PG.Quantity"], *spectronaut], ";").encode(), label="R.Condition",
            name="R.FileName", **measured, asked=("samples",), said="of Spectronaut",
        ),
        "evidence of MaxQuant": Program(
            lines([of_evidence, *evidence, *marked], "\t").encode(),
            [f"PEP{gene}" for gene in GENES], name="Experiment", **expected,
            first={"PEPg5": MATRIX[5][0]}, said="evidence of MaxQuant",
        ),
        "evidence of MaxQuant, as R names it": Program(
            lines([[name.replace(" ", ".") for name in of_evidence], *evidence]).encode(),
            [f"PEP{gene}" for gene in GENES], name="Experiment", **expected,
        ),
        "OpenSWATH": Program(
            lines([["transition_group_id", "run_id", "filename", "FullPeptideName", "Intensity",
                    "ProteinName", "decoy"],
                   *([f"t{half}", "0_0", f"{SAMPLES[at]}.mzML", GENES[gene], MATRIX[gene][at] / 2,
                      "P1", 0] for at, gene, half in pairs),
                   *(["t", "0_0", f"{name}.mzML", "decoy", 1, "P1", 1] for name in SAMPLES)], "\t")
            .encode(), name="filename", **measured, **expected, said="OpenSWATH",
        ),
        "FlashLFQ": Program(
            lines([["File Name", "Base Sequence", "Full Sequence", "Protein Group",
                    "Peak intensity"],
                   *([SAMPLES[at], "AK", GENES[gene], "P1", MATRIX[gene][at] / 2]
                     for at, gene, _ in pairs)], "\t").encode(), name="File Name", **measured,
            **expected, said="FlashLFQ",
        ),
        "spectra of Discoverer": Program(
            lines([["Sequence", "Protein Group Accessions", "Precursor Area", "Spectrum File"],
                   *([GENES[gene], "P1", MATRIX[gene][at] / 2, f"{SAMPLES[at]}.raw"]
                     for at, gene, _ in pairs)], "\t").encode(), name="Spectrum File", **measured,
            **expected, said="spectra of Discoverer",
        ),
        "transitions of Skyline": Program(
            lines([["Protein Name", "Peptide Modified Sequence", "Precursor Charge",
                    "Fragment Ion", "Condition", "BioReplicate", "File Name", "Area"],
                   *(["P1", GENES[gene], 2 + half, "y4", KINDS[at], at // 2 % 3, f"{at}.raw",
                      MATRIX[gene][[at, -1 - at][half]]] for at, gene, half in pairs)]).encode(),
            [f"{gene} {2 + half} y4" for gene in GENES for half in range(2)], label="Condition",
            name="File Name", asked=("samples",), said="MSstats",
        ),
        "mutations of tumors": Program(
            ("#version 2.4\n" + lines([of_mutations, *mutations], "\t")).encode(), GENES[1:],
            **expected, name="Tumor_Sample_Barcode", first={"g1": 0}, said="mutations",
        ),
        "tumors without their mutations": Program(
            lines([["Tumor_Sample_Barcode", "a", "b", "c", "Variant_Type"],
                   *numbered(with_kinds(X3), "T")], "\t").encode(), ("a", "b", "c"),
            "Variant_Type", name="Tumor_Sample_Barcode", not_asked=("samples",),
        ),
    }  # fmt: skip


def findings() -> dict[str, Program]:
    """Tests of the subjects of a trial at their visits, as SDTM has them."""
    tests = ("DIABP", "PULSE", "SYSBP")
    rows = [
        ["P1", "VS", f"s{at // 2}", test, X3[at][of], at % 2 + 1, ("before", "after")[at % 2]]
        for of, test in enumerate(tests)
        for at in range(len(X3))
    ]
    header = ["STUDYID", "DOMAIN", "USUBJID", "VSTESTCD", "VSSTRESN", "VISITNUM", "EPOCH"]
    return {
        "findings of a trial": Program(
            lines([header, *rows]).encode(), tests, "EPOCH", name="USUBJID and VISITNUM",
            asked=("samples",), said="each USUBJID and VISITNUM is a row",
        )
    }  # fmt: skip


def melted() -> dict[str, Program]:
    """A row for each variable of each thing, as R, pandas and statistics of countries have it."""
    named = [[f"p{at}", kind, *row] for at, (kind, row) in enumerate(zip(KINDS, X3, strict=True))]
    by_variable = [
        [*row[:2], name, row[at]] for at, name in enumerate(("a", "b", "c"), 2) for row in named
    ]
    by_row = [
        [row[1], name, row[at]] for row in named for at, name in enumerate(("a", "b", "c"), 2)
    ]
    crops = [
        [land, crop, element, 2000 + year, unit, X3[year][at] + len(crop), "AE"[(year + at) % 2]]
        for land in ("Chad", "Mali")
        for crop in ("rice", "maize")
        for at, (element, unit) in enumerate([("area", "ha"), ("yield", "hg"), ("tons", "t")])
        for year in range(5)
    ]
    expected = {
        "features": ("a", "b", "c"), "label": "kind", "asked": ("samples",),
        "first": {"a": X3[0][0], "c": X3[0][2]}, "said": "long table",
    }  # fmt: skip
    persons = [
        [test, name, X3[at][of]] for of, test in enumerate("uvw") for at, name in enumerate(SAMPLES)
    ]
    return {
        "melt": Program(
            lines([["plant", "kind", "variable", "value"], *by_variable]).encode(),
            name="plant", **expected,
        ),
        "melt without names": Program(
            lines([["kind", "variable", "value"], *(row[1:] for row in by_variable)]).encode(),
            name="sample", **expected,
        ),
        "pivot_longer": Program(
            lines([["kind", "name", "value"], *by_row], "\t").encode(), name="sample", **expected
        ),
        "melt with numbers of rows": Program(
            lines([["", "plant", "kind", "trait_name", "trait_value"], *numbered(by_variable)])
            .encode(), name="plant", **expected,
        ),
        "FAOSTAT": Program(
            lines([["Area", "Item", "Element", "Year", "Unit", "Value", "Flag"], *crops]).encode(),
            ("area", "yield", "tons"), "Area", 20, asked=("samples", "label"),
            name="Area and Item and Year", first={"area": X3[0][0] + 4},
        ),
        "values of persons": Program(
            lines([["name", "test", "value", "kind"], *([name, test, value, KINDS[at % N]] for at,
                  (test, name, value) in enumerate(persons))]).encode(),
            ("test = u", "test = v", "test = w", "value"), "kind", 48,
            not_asked=("samples",),
        ),
    }  # fmt: skip


def statistics_of_countries() -> dict[str, Program]:
    """Tables of Eurostat, whose numbers have flags and whose first cell has several names."""
    flags = ["", " p", " bu", ""]
    rows = [
        [f"{kind},PC,L{at}", *(f"{cell}{flags[(at + of) % 4]} " for of, cell in enumerate(row))]
        for at, (kind, row) in enumerate(zip(KINDS, X3, strict=True))
    ]
    gaps = [[*row[:3], ": z" if at % 5 == 2 else row[3]] for at, row in enumerate(rows)]
    years = ["2019 ", "2020 ", "2021 "]
    expected = {"features": ("2019", "2020", "2021"), "first": {"2019": X3[0][0]}}
    return {
        "Eurostat": Program(
            lines([["sex,unit,geo\\TIME_PERIOD", *years], *gaps], "\t").encode(),
            label="sex", name="geo", said="Read as a table of Eurostat", **expected,
        ),
        "Eurostat before 2023": Program(
            lines([["sex,unit,geo\\time", *years], *rows], "\t").encode(),
            label="sex", name="geo", said="Read as a table of Eurostat", **expected,
        ),
        "a path in the first name": Program(
            lines([["file\\name", "2019 ", "2020 ", "2021 ", "kind"],
                   *numbered(with_kinds(X3), "s")], "\t").encode(),
            label="kind", name="file\\name", said="Read as tab-separated.", **expected,
        ),
    }  # fmt: skip


def arrays_of_limma() -> dict[str, Program]:
    """What limma knows of spots, and a column for each array."""
    spots = [[at // 3, at % 3, int(gene == "g5"), gene] for at, gene in enumerate(GENES)]
    rows = [[*spot, *row] for spot, row in zip(spots, MATRIX, strict=True)]
    names = ["Row", "Col", "ControlType", "ProbeName"]
    scanned = [["1", *row[:2], f"ID{at}", *row[3:]] for at, row in enumerate(rows)]
    wells = [[1 + at // 4, 1 + at % 4, f"w{at}", *row] for at, row in enumerate(with_kinds(X3))]
    expected = {"label": "group", "name": "sample", "asked": ("label",)}
    return {
        "limma": Program(
            lines([[*names, *SAMPLES], *rows], "\t").encode(), GENES[:5], **expected,
            first={"g0": MATRIX[0][0]}, said="arrays of limma",
        ),
        "limma with names of rows of R": Program(
            lines([[f'"{name}"' for name in [*names, *SAMPLES]], *numbered(rows)], "\t").encode(),
            GENES[:5], **expected,
        ),
        "limma of GenePix": Program(
            lines([["Block", "Row", "Column", "ID", "Name", *SAMPLES], *scanned]).encode(),
            GENES, **expected,
        ),
        "wells of a plate": Program(
            lines([["Row", "Col", "Name", "a", "b", "c", "kind"], *wells]).encode(),
            ("a", "b", "c"), "kind", name="Name", asked=("use:Row",),
        ),
    }  # fmt: skip


def counts_of_nanostring() -> dict[str, Program]:
    """Classes of codes, of which controls are no genes, and a column for each sample."""
    genes = [["Endogenous1", gene, "NM", *row] for gene, row in zip(GENES, MATRIX, strict=True)]
    controls = [["Positive", "POS_A", "E1", *range(N)], ["Housekeeping", "ACTB", "N", *range(N)]]
    names = ["Code Class", "Name", "Accession"]
    above = [
        ["File Attributes", *[""] * (N + 2)],
        ["File name", "", "", *(f"run{at}" for at in range(N))],
        ["Sample ID", "", "", *SAMPLES],
        ["Arm", "", "", *KINDS],
        ["Lane ID", "", "", *(1 + at % 4 for at in range(N))],
    ]
    expected = {"features": GENES, "name": "sample", "said": "NanoString", "first": MATRIX_FIRST}
    of_r = [name.replace(" ", ".") for name in names]
    return {
        "NanoString": Program(
            lines([["CodeClass", *names[1:], *SAMPLES], *controls, *genes]).encode(),
            **expected, label="group", asked=("label",),
        ),
        "NanoString with names of rows of R": Program(
            lines([[*of_r, *SAMPLES], *numbered([*genes, *controls])], "\t").encode(),
            **expected, label="group", asked=("label",),
        ),
        "NanoString with names of rows that have one": Program(
            lines([["row", *of_r, *SAMPLES], *numbered([*genes, *controls])]).encode(),
            **expected, label="group", asked=("label",),
        ),
        "NanoString of its collector": Program(
            lines([*above, [*names, *range(100, 100 + N)], *genes, *controls]).encode(),
            **expected, label="Arm",
        ),
        "a class of codes behind their names": Program(
            lines([["Name", "a", "b", "c", "Code Class"], *numbered(with_kinds(X3), "s")]).encode(),
            ("a", "b", "c"), "Code Class", name="Name",
        ),
    }  # fmt: skip


def one_hot() -> dict[str, Program]:
    """Columns of 0 and 1, or of True and False, of which each row has one."""
    of_rows = [[at % 3 == one for one in range(3)] for at in range(N)]
    marks = [[*map(int, row)] for row in of_rows]
    named = [["id", "a", "b", "class_low", "class_lower", "class_high"]]
    bare = [["a", "b", "scratch", "dent", "bump"]]
    colors = [["red", "green", "blue", "a", "b", "grade"]]
    rows = [[*X2[at], *marks[at]] for at in range(N)]
    before = [[*marks[at], *X2[at]] for at in range(N)]
    behind = [["died", "a", "b", "red", "green", "blue"]]
    return {
        "classes in columns of such names": Program(
            lines([*named, *numbered(rows, "s")]).encode(),
            ("a", "b"),
            "class",
            name="id",
            not_asked=("label",),
            first={"a": X2[0][0]},
            said="class_low, class_lower, class_high",
        ),
        "classes in columns of other names": Program(
            lines([*bare, *rows]).encode(), ("a", "b"), "scratch to bump", asked=("label",)
        ),
        "classes in columns of True and False": Program(
            lines(
                [
                    ["speciesA", "speciesB", "speciesC", "a", "b"],
                    *([*of_rows[at], *X2[at]] for at in range(N)),
                ]
            ).encode(),
            ("a", "b"),
            "species",
            not_asked=("label",),
        ),
        "features in columns of 0 and 1": Program(
            lines([*colors, *with_kinds(before)]).encode(),
            ("red", "green", "blue", "a", "b"),
            "grade",
        ),
        "features in the last columns of 0 and 1": Program(
            lines([*behind, *([at % 2, *row] for at, row in enumerate(rows))]).encode(),
            ("a", "b", "red", "green", "blue"),
            "died",
        ),
        "features in columns of 0 and 1, of which two columns were made": Program(
            lines(
                [[*colors[0][:5], "x1", "x2", "x3"], *([*row, *row[:3]] for row in before)]
            ).encode(),
            ("red", "green", "a", "b", "x1", "x2"),
            "x3",
            asked=("label", "twin:blue"),
        ),
        "features that a column encodes": Program(
            lines(
                [
                    ["a", "b", "level", "level1", "level2", "level3"],
                    *([*X2[at], at % 3 + 1, *marks[at]] for at in range(N)),
                ]
            ).encode(),
            ("a", "b", "level", "level1", "level2"),
            "level3",
            asked=("label",),
        ),
        "more than one of the last columns": Program(
            lines(
                [*bare, *([*row[:-1], row[-1] | at % 2] for at, row in enumerate(rows))]
            ).encode(),
            ("a", "b", "scratch", "dent"),
            "bump",
        ),
    }


def ticked() -> dict[str, Program]:
    """Answers of which several may be ticked, and others with commas in them."""
    eaten = ["Eggs", "Milk (cow, goat)", "Nuts, Eggs", "Nuts", "Eggs, Milk (cow, goat)", "",
             "Nuts, Milk (cow, goat)", "Eggs, none of these", "Nuts, Eggs, Milk (cow, goat)",
             "Milk (cow, goat)", "Eggs", "Nuts"]  # fmt: skip
    ticks = ("a", "b", *(f"eaten ticked: {one}" for one in ("Eggs", "Milk (cow, goat)", "Nuts")))
    paths = ["run", "walk with a child, dog, or cat", "ride", "run, ride", "run", "ride",
             "run, walk with a child, dog, or cat", "walk with a child, dog, or cat, ride",
             "ride", "run, ride", "run, swim", "ride"]  # fmt: skip
    notes = ["new", "old, torn", "red", "new, red", "old, blue", "green, worn", "old", "cut, sewn",
             "torn, red", "blue", "new, worn", "lost, burnt"]  # fmt: skip
    towns = ["Texas", "Austin, Texas", "Ohio", "Akron, Ohio", "Dallas, Texas", "Ohio"] * 2
    said = ["Yes", "No", "Yes, often", "No, never", "Yes, often", "No"] * 2
    ages = ["18", "25", "40", "18, 25", "18, 40", "25, 40"] * 2
    ills = ["flu", "cold", "cough", "flu, cold", "cold, cough", "flu, cough"] * 2

    def of(name: str, answers: list[str], label: bool = True) -> bytes:
        rows = [[*X2[at], answers[at], KINDS[at % 2]] for at in range(12)]
        return lines(
            [["a", "b", name, "kind"][: 3 + label]]
            + [[*row[:2], f'"{row[2]}"', row[3]][: 3 + label] for row in rows]
        ).encode()

    return {
        "several answers that were ticked": Program(
            of("eaten", eaten),
            ticks,
            "kind",
            first={"eaten ticked: Eggs": 1, "eaten ticked: Nuts": 0},
            not_asked=("label",),
            n_rows=12,
            said="eaten into 3",
        ),
        "answers alone beside numbers": Program(
            of("eaten", eaten, label=False),
            ticks,
            "",
            n_rows=12,
        ),
        "answers with commas of their own": Program(
            of("trail", paths),
            ("a", "b", *(f"trail ticked: {each}" for each in (*paths[:3],))),
            "kind",
            first={"trail ticked: run": 1},
            n_rows=12,
            said="trail into 3, without rarer answers",
        ),
        "remarks of some words": Program(of("notes", notes), ("a", "b"), "kind", n_rows=12),
        "an answer that says the same as the label": Program(
            of("eaten", ["Nuts", "Eggs", "Milk", "Eggs, Milk", "Nuts, Milk", "Eggs, Nuts"] * 2),
            ("a", "b", "eaten ticked: Nuts", "eaten ticked: Milk"),
            "kind",
            n_rows=12,
            asked=("twin:eaten ticked: Eggs",),
        ),
        "towns with their countries": Program(
            of("town", towns), ("a", "b", *(f"town = {each}" for each in sorted({*towns}))), "kind",
            n_rows=12,
        ),
        "answers with a comma": Program(
            of("said", said), ("a", "b", *(f"said = {each}" for each in sorted({*said}))), "kind",
            n_rows=12,
        ),
        "numbers with a comma": Program(
            of("aged", ages),
            ("a", "b", *(f"aged = {each}" for each in ages[:6])), "kind", n_rows=12,
        ),
        "a label of several": Program(
            of("diagnosis", ills, label=False), ("a", "b"), "diagnosis", n_rows=12
        ),
    }  # fmt: skip


PROGRAMS = {
    **ticked(),
    **r_tables(), **headerless(), **axes(), **orange(), **surveys(), **studies(), **matrices(),
    **words_in_names(), **of_fixed_width(), **in_quotes(), **below_comments_and_titles(),
    **genes_of_reads(), **one_hot(), **counts_of_nanostring(), **reports(), **findings(),
    **melted(), **levels_of_names(), **statistics_of_countries(), **arrays_of_limma(),
    **features_in_rows(), **peaks_and_lipids(), **spectra_in_columns(), **two_files(),
}  # fmt: skip
