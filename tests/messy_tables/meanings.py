"""What columns mean: names, groups, visits, years, codes, labels of every kind."""

from __future__ import annotations

from tests.messy_tables.example import KIND, N_ROWS, MessyTable, numbers, text_of

A, B = numbers(1), numbers(2)


def nearly_empty() -> MessyTable:
    rare = ["2.5", "1.5", *[""] * (N_ROWS - 2)]
    return MessyTable(
        "A column that is nearly empty is kept as information.",
        "rare.csv",
        text_of(["x", "y", "rare", "kind"], A, B, rare, KIND).encode(),
        ("x", "y"),
        shown=("Kept as information: rare.",),
    )


def visits() -> MessyTable:
    visit = [at % 3 + 1 for at in range(N_ROWS)]
    return MessyTable(
        "Numbers of visits are numbers until somebody says otherwise.",
        "visits.csv",
        text_of(["visit", "x", "y", "kind"], visit, A, B, KIND).encode(),
        ("visit", "x", "y"),
        shown=("What is visit? It has whole numbers from 1 to 3.",),
        asked=("use:visit",),
    )


def stores() -> MessyTable:
    store = [101 + at * 7 % 12 for at in range(N_ROWS)]
    return MessyTable(
        "Whole numbers that tell things apart are asked about: they may be categories.",
        "stores.csv",
        text_of(["store", "x", "y", "kind"], store, A, B, KIND).encode(),
        ("store", "x", "y"),
        shown=("What is store? It has whole numbers from 101 to 112.",),
        asked=("use:store",),
    )


def years() -> MessyTable:
    year = [2019 + at % 5 for at in range(N_ROWS)]
    return MessyTable(
        "Years are asked about, and written as years are.",
        "years.csv",
        text_of(["year", "x", "y", "kind"], year, A, B, KIND).encode(),
        ("year", "x", "y"),
        shown=("What is year? It has whole numbers from 2019 to 2023.",),
        asked=("use:year",),
    )


def site_codes() -> MessyTable:
    site = [101 + at * 7 % 6 for at in range(N_ROWS)]
    return MessyTable(
        "Whole numbers that tell sites apart are asked about.",
        "sites.csv",
        text_of(["site_code", "x", "y", "kind"], site, A, B, KIND).encode(),
        ("site_code", "x", "y"),
        shown=("Do rows with the same site_code belong together?",),
        asked=("subjects:site_code",),
    )


def patients() -> MessyTable:
    patient = [f"P{at // 2 * 5 % 24:02d}" for at in range(N_ROWS)]
    return MessyTable(
        "The rows of a patient, of each kind one, stay together and may be compared.",
        "patients.csv",
        text_of(["patient", "x", "y", "kind"], patient, A, B, KIND).encode(),
        ("x", "y"),
        shown=("patient",),
        asked=("subjects:patient",),
    )


def numeric_id() -> MessyTable:
    ids = [40_000 + at * 37 % 49 for at in range(N_ROWS)]
    return MessyTable(
        "Different whole numbers under the name of an id name the rows.",
        "specimens.csv",
        text_of(["specimen_id", "x", "y", "kind"], ids, A, B, KIND).encode(),
        ("x", "y"),
        shown=("Name of the rows: specimen_id.",),
    )


def codes_of_classes() -> MessyTable:
    label = ["0.0" if kind == "raw" else "1.0" for kind in KIND]
    return MessyTable(
        "Classes that are written 0.0 and 1.0 are 0 and 1.",
        "codes.csv",
        text_of(["x", "y", "label"], A, B, label).encode(),
        ("x", "y"),
        classes={"0": 24, "1": 24},
    )


def dates_as_classes() -> MessyTable:
    days = [f"2024-05-0{at % 3 + 1}" for at in range(N_ROWS)]
    return MessyTable(
        "Dates may be classes.",
        "days.csv",
        text_of(["x", "y", "label"], A, B, days).encode(),
        ("x", "y"),
        classes=dict.fromkeys(("2024-05-01", "2024-05-02", "2024-05-03"), 16),
    )


def one_feature() -> MessyTable:
    return MessyTable(
        "One feature is enough.",
        "one.csv",
        text_of(["ph", "kind"], A, KIND).encode(),
        ("ph",),
        first={"ph": A[0]},
    )


def label_first() -> MessyTable:
    return MessyTable(
        "The label is found by its name in the first column.",
        "first.csv",
        text_of(["diagnosis", "x", "y"], KIND, A, B).encode(),
        ("x", "y"),
    )


def missing_words() -> MessyTable:
    x = ["NA" if at == 2 else "NaN" if at == 3 else "?" if at == 4 else v for at, v in enumerate(A)]
    return MessyTable(
        "NA, NaN and ? are missing numbers, filled with the median.",
        "gaps.csv",
        text_of(["x", "y", "kind"], x, B, KIND).encode(),
        ("x", "y"),
        shown=("3 missing",),
    )


def unlabeled() -> MessyTable:
    kinds = ["" if at >= 40 else kind for at, kind in enumerate(KIND)]
    return MessyTable(
        "Rows without a class are kept as unknown.",
        "half.csv",
        text_of(["x", "y", "kind"], A, B, kinds).encode(),
        ("x", "y"),
        classes={"raw": 20, "ripe": 20},
        shown=("8 rows without a label: kept as unknown",),
    )


def sixty_classes() -> MessyTable:
    label = [f"c{at // 2:02d}" for at in range(120)]
    X = [[round(value + shift, 2) for shift in range(3) for value in A][:120] for _ in "xy"]
    return MessyTable(
        "A column named label is the label although it has sixty values.",
        "sixty.csv",
        text_of(["x", "y", "label"], *X, label).encode(),
        ("x", "y"),
        classes={**{f"c{at:02d}": 2 for at in range(49)}, "other": 22},
        shown=("Merged as other: the 11 smallest classes",),
    )


def guessed_label() -> MessyTable:
    sex = ["f" if at % 4 < 2 else "m" for at in range(N_ROWS)]
    return MessyTable(
        "Which of two columns of categories is the label is asked, unless a name says it.",
        "people.csv",
        text_of(["sex", "x", "y", "kind"], sex, A, B, KIND).encode(),
        ("sex = m", "x", "y"),
        shown=("Which column has the classes? kind was guessed.",),
        asked=("label", "categories"),
    )


def no_rivals() -> MessyTable:
    donor = [f"D{at // 2 % 12}" for at in range(N_ROWS)]
    rare = ["left", "left", "right", "right", *[""] * (N_ROWS - 4)]
    return MessyTable(
        "Neither donors nor a nearly empty column could as well be the label.",
        "donors.csv",
        text_of(["donor", "x", "y", "side", "kind"], donor, A, B, rare, KIND).encode(),
        ("x", "y", "side = left", "side = right", "side = missing"),
        asked=("subjects:donor", "categories"),
    )


def sentences() -> MessyTable:
    words = [
        f"Sample {at} was taken beside the road in heavy rain, and kept cold."
        for at in range(N_ROWS)
    ]
    return MessyTable(
        "Sentences that differ in every row are information, and name no row.",
        "remarks.csv",
        text_of(["remark", "x", "y", "kind"], words, A, B, KIND).encode(),
        ("x", "y"),
        shown=("Kept as information: remark.",),
    )


TABLES = (
    nearly_empty, visits, stores, years, site_codes, patients, numeric_id, codes_of_classes,
    dates_as_classes, one_feature, label_first, missing_words, unlabeled,
    sixty_classes,
    guessed_label, no_rivals,
    sentences,
)  # fmt: skip
