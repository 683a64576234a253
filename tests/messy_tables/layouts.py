"""Titles, headers of several rows, units, totals, samples in columns, edges of spreadsheets."""

from __future__ import annotations

from tests.messy_tables.example import KIND, N_ROWS, MessyTable, numbers, text_of

A, B, C = numbers(1), numbers(2), numbers(3)
NAMES = [f"S{at:02d}" for at in range(N_ROWS)]


def genes() -> MessyTable:
    rows = [numbers(at, 0, 9) for at in range(6)]
    lines = [["gene", *NAMES], ["group", *KIND], *([f"G{at}", *row] for at, row in enumerate(rows))]
    raw = "\n".join("\t".join(map(str, line)) for line in lines).encode()
    return MessyTable(
        "Where the samples are columns below a row of groups, the table is turned.",
        "counts.tsv",
        raw,
        ("G0", "G1", "G2", "G3", "G4", "G5"),
        shown=("Turned: the columns are samples",),
        asked=("samples",),
        first={"G0": rows[0][0]},
    )


def two_headers() -> MessyTable:
    below = text_of(["", "254 nm", "280 nm", "320 nm", ""], NAMES, A, B, C, KIND)
    return MessyTable(
        "A header of two rows with merged cells makes one name for each column.",
        "absorbance.csv",
        ("sample,abs,,,class\n" + below).encode(),
        ("abs 254 nm", "abs 280 nm", "abs 320 nm"),
        shown=("2 header rows were joined: abs 254 nm",),
        asked=("header",),
        first={"abs 254 nm": A[0]},
    )


def units_row() -> MessyTable:
    below = text_of(["", "(mg/l)", "(g/l)", ""], NAMES, A, B, KIND)
    return MessyTable(
        "A row of units below the header names the units of the columns.",
        "wine.csv",
        ("sample,sugar,acid,class\n" + below).encode(),
        ("sugar [mg/l]", "acid [g/l]"),
        asked=("header",),
        first={"sugar [mg/l]": A[0]},
    )


def wavelengths() -> MessyTable:
    below = text_of(["", "254", "280", "AU", ""], NAMES, A, B, C, KIND).partition("\n")[2]
    return MessyTable(
        "Numbers below merged names are names, such as wavelengths, and so are units below them.",
        "spectra.csv",
        ("sample,abs,,mass,class\n,254,280,,\n,AU,AU,g,\n" + below).encode(),
        ("abs 254 [AU]", "abs 280 [AU]", "mass [g]"),
        asked=("header",),
        first={"abs 254 [AU]": A[0]},
    )


def totals() -> MessyTable:
    rows = text_of(["plot", "yield", "mass", "kind"], NAMES, A, B, KIND)
    return MessyTable(
        "A row of totals at the end is left out.",
        "plots.csv",
        (rows + f"Total,{sum(A):.2f},{sum(B):.2f},\n").encode(),
        ("yield", "mass"),
        shown=('Left out: 1 row at the end ("Total").',),
        asked=("label", "totals"),
    )


def titles() -> MessyTable:
    above = "Soil survey 2024,,,\nInstitute of soils,,,\n,,,\n"
    return MessyTable(
        "Lines of a title above the header are skipped.",
        "survey.csv",
        text_of(["plot", "ph", "mass", "kind"], NAMES, A, B, KIND, above=above).encode(),
        ("ph", "mass"),
        shown=("Skipped: 2 title lines at the top.",),
        first={"ph": A[0]},
    )


def comments() -> MessyTable:
    above = "# spectrometer 7\n# 2024-05-01\n"
    return MessyTable(
        "Lines of comments above the header are skipped.",
        "instrument.csv",
        text_of(["x", "y", "kind"], A, B, KIND, above=above).encode(),
        ("x", "y"),
        shown=("Skipped: 2 comment lines at the top.",),
    )


def no_header() -> MessyTable:
    rows = text_of(["x", "y", "kind"], A, B, KIND).partition("\n")[2]
    return MessyTable(
        "Rows without a header get columns named by their place.",
        "plain.csv",
        rows.encode(),
        ("column 1", "column 2"),
        shown=("There is no header",),
        first={"column 1": A[0]},
    )


def empty_edges() -> MessyTable:
    text = text_of(["x", "y", "kind", "", ""], A, B, KIND, [""] * N_ROWS, [""] * N_ROWS)
    return MessyTable(
        "Empty columns and rows that a spreadsheet saves at the edges are no data.",
        "edges.csv",
        (text + ",,,,\n,,,,\n").encode(),
        ("x", "y"),
    )


def quoted() -> MessyTable:
    notes = [f'said "{at}", then\nleft' for at in range(N_ROWS)]
    return MessyTable(
        "Separators, quotation marks and line breaks inside quotation marks are text.",
        "notes.csv",
        text_of(["remark", "x", "y", "kind"], notes, A, B, KIND).encode(),
        ("x", "y"),
    )


def index_column() -> MessyTable:
    return MessyTable(
        "The unnamed column of row numbers that pandas writes names the rows.",
        "pandas.csv",
        text_of(["", "x", "y", "kind"], range(N_ROWS), A, B, KIND).encode(),
        ("x", "y"),
    )


def semicolons() -> MessyTable:
    text = text_of(["größe", "y", "kind"], A, B, KIND, mark=";").replace(".", ",")
    return MessyTable(
        "Windows-1252 with semicolons and decimal commas, as German Excel saves it.",
        "excel.csv",
        text.replace("\n", "\r\n").encode("cp1252"),
        ("größe", "y"),
        shown=("Western European text",),
        first={"größe": A[0]},
    )


def older_mac() -> MessyTable:
    text = text_of(
        ["größe", "tempé", "façon"], A, B, ["mûr" if k == "ripe" else "vert" for k in KIND]
    )
    return MessyTable(
        "Text of older Macs is Mac Roman, with carriage returns between the lines.",
        "mac.txt",
        text.replace("\n", "\r").encode("mac_roman"),
        ("größe", "tempé"),
        classes={"mûr": 24, "vert": 24},
        shown=("Mac Roman",),
        first={"größe": A[0]},
    )


def unicode_text() -> MessyTable:
    return MessyTable(
        "Unicode text of Excel is UTF-16 with tabs.",
        "unicode.txt",
        text_of(["größe", "y", "kind"], A, B, KIND, mark="\t").encode("utf-16"),
        ("größe", "y"),
        shown=("UTF-16",),
    )


def report() -> MessyTable:
    rows = text_of(["", "254 nm", "280 nm", "", ""], NAMES, A, B, C, KIND)
    above = "Report of spring,,,,\n,,,,\nsample,abs,,mass,class\n"
    below = "Total,1,2,3,\nMean,4,5,6,\n,,,,\n* measured twice,,,,\nSource: laboratory 3\n"
    return MessyTable(
        "A report with a title, two header rows, totals and footnotes is the table in it.",
        "report.csv",
        (above + rows + below).encode(),
        ("abs 254 nm", "abs 280 nm", "mass"),
        shown=("Skipped: 1 title line", "2 header rows were joined", "2 lines of notes", "2 rows"),
        asked=("header", "totals"),
        first={"abs 254 nm": A[0]},
    )


def aligned() -> MessyTable:
    lines = [f"{a:8.2f}  {b:8.2f}  {kind}" for a, b, kind in zip(A, B, KIND, strict=True)]
    return MessyTable(
        "Columns that are aligned by spaces, as programs print them, are columns.",
        "printed.txt",
        "\n".join([f"{'mass':>8}  {'ph':>8}  kind", *lines]).encode(),
        ("mass", "ph"),
        shown=("Read as columns aligned by spaces.",),
        first={"mass": A[0]},
    )


def groups_below() -> MessyTable:
    lines = [["gene", *NAMES], *([f"G{at}", *numbers(at)] for at in range(6)), ["group", *KIND]]
    return MessyTable(
        "The groups of samples in columns may stand in the last row.",
        "below.csv",
        "\n".join(",".join(map(str, line)) for line in lines).encode(),
        ("G0", "G1", "G2", "G3", "G4", "G5"),
        shown=("A row of groups stands below its numbers",),
        asked=("samples",),
    )


def groups_in_names() -> MessyTable:
    names = [f"{kind}_{at}" for at, kind in enumerate(KIND)]
    lines = [["gene", *names], *([f"G{at}", *numbers(at)] for at in range(6))]
    return MessyTable(
        "Samples in columns may have their group in their names.",
        "named.csv",
        "\n".join(",".join(map(str, line)) for line in lines).encode(),
        ("G0", "G1", "G2", "G3", "G4", "G5"),
        shown=("The names of its columns have groups",),
        asked=("samples",),
    )


def markdown() -> MessyTable:
    rows = zip(A, B, KIND, strict=True)
    lines = [
        "| sugar | acid | class |",
        "|---|:-:|---|",
        *("| {} | {} | {} |".format(*r) for r in rows),
    ]
    return MessyTable(
        "Bars around rows and lines that rule a table are none of its cells.",
        "table.md",
        "\n".join(lines).encode(),
        ("sugar", "acid"),
        first={"sugar": A[0]},
    )


def of_a_terminal() -> MessyTable:
    rule = "+-------+------+-------+"
    rows = [f"| {a:>5} | {b:>4} | {kind:<5} |" for a, b, kind in zip(A, B, KIND, strict=True)]
    return MessyTable(
        "A table of the terminal of a database is ruled above, below its header and below.",
        "query.txt",
        "\n".join([rule, "| sugar | acid | class |", rule, *rows, rule]).encode(),
        ("sugar", "acid"),
        first={"sugar": A[0]},
    )


def put_together() -> MessyTable:
    header, *rows = text_of(["sugar", "acid", "class"], A, B, KIND).splitlines()
    lines = [header, *rows[:20], header, *rows[20:30], header, *rows[30:]]
    return MessyTable(
        "Files that were put together repeat their header, which is no row.",
        "all.csv",
        "\n".join(lines).encode(),
        ("sugar", "acid"),
        shown=("Left out: 2 lines that repeat the header.",),
        first={"sugar": A[0]},
    )


def no_units() -> MessyTable:
    below = text_of(["[-]", "[g]", "[-]", "[-]"], NAMES, A, B, KIND)
    return MessyTable(
        "A dash below a name says that there is no unit.",
        "units.csv",
        ("sample,mass,index,class\n" + below).encode(),
        ("mass [g]", "index"),
        asked=("header",),
        first={"index": B[0]},
    )


TABLES = (
    markdown, of_a_terminal, put_together, no_units,
    genes, two_headers, units_row, wavelengths, totals, titles, comments, no_header, empty_edges,
    quoted, index_column, semicolons, older_mac, unicode_text, report, aligned, groups_below,
    groups_in_names,
)  # fmt: skip
