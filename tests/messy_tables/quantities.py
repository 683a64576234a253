"""Numbers with units, currencies, percent, thousands, signs and limits of detection."""

from __future__ import annotations

from tests.messy_tables.example import KIND, MessyTable, numbers, text_of

A, B = numbers(1), numbers(2)
BIG = [value * 1_000 for value in numbers(3, 1, 900)]


def currency() -> MessyTable:
    ids = [f"C-{at:03d}" for at in range(48)]
    spend = [f"€{value:,.2f}" for value in BIG]
    header = ["customer_id", "spend", "visits_paid", "kind"]
    return MessyTable(
        "Amounts of money are numbers, and the customer's id names the rows.",
        "customers.csv",
        text_of(header, ids, spend, A, KIND).encode(),
        ("spend [€]", "visits_paid"),
        shown=("spend in €", "Name of the rows: customer_id."),
        first={"spend [€]": round(BIG[0], 2)},
    )


def percent() -> MessyTable:
    share = [f"{value / 2:.1f} %" for value in A]
    return MessyTable(
        "A share in percent is a number of percent.",
        "moisture.csv",
        text_of(["moisture", "mass", "kind"], share, B, KIND).encode(),
        ("moisture [%]", "mass"),
        shown=("moisture in %",),
        first={"moisture [%]": round(A[0] / 2, 1)},
    )


def german_units() -> MessyTable:
    values = [f"{value:.1f} mg/kg".replace(".", ",") for value in A]
    mass = [f"{value:.2f}".replace(".", ",") for value in B]
    return MessyTable(
        "German numbers with a unit behind them are numbers.",
        "boden.csv",
        text_of(["Blei", "Masse", "Art"], values, mass, KIND, mark=";").encode(),
        ("Blei [mg/kg]", "Masse"),
        shown=("Blei in mg/kg", "decimal comma"),
        first={"Blei [mg/kg]": round(A[0], 1)},
    )


def exponents() -> MessyTable:
    dose = [f"{value / 10:.1f}e3 µg" for value in A]
    return MessyTable(
        "Numbers with an exponent and a unit are numbers.",
        "dose.csv",
        text_of(["dose", "mass", "kind"], dose, B, KIND).encode(),
        ("dose [µg]", "mass"),
        first={"dose [µg]": round(A[0] / 10, 1) * 1e3},
    )


def brackets() -> MessyTable:
    balance = [
        f"({value:,.0f})" if at % 3 == 0 else f"{value:,.0f}" for at, value in enumerate(BIG)
    ]
    return MessyTable(
        "A number in brackets is negative, as bookkeepers write it.",
        "balance.csv",
        text_of(["balance", "mass", "kind"], balance, B, KIND).encode(),
        ("balance", "mass"),
        first={"balance": -float(f"{BIG[0]:.0f}")},
    )


def typeset_minus() -> MessyTable:
    charge = [f"\u2212{value}" if at % 2 == 0 else f"{value}" for at, value in enumerate(A)]
    return MessyTable(
        "The minus sign of typeset tables is a minus sign.",
        "charge.csv",
        text_of(["charge", "mass", "kind"], charge, B, KIND).encode(),
        ("charge", "mass"),
        shown=("the ranges of the classes do not overlap",),  # the sign is the kind
        asked=("twin:charge",),
        first={"charge": -A[0]},
    )


def mixed_units() -> MessyTable:
    lead = [f"{value} mg/kg" if at else f"{value} g/kg" for at, value in enumerate(A)]
    return MessyTable(
        "Cells in another unit of the kind are converted to that of the column.",
        "lead.csv",
        text_of(["lead", "mass", "kind"], lead, B, KIND).encode(),
        ("lead [mg/kg]", "mass"),
        shown=("Converted to the column's unit: 1 cell (lead).",),
        first={"lead [mg/kg]": 1_000 * A[0]},
    )


def swiss_thousands() -> MessyTable:
    salary = [f"{value:,.0f}".replace(",", "'") for value in BIG]
    return MessyTable(
        "Thousands set apart by an apostrophe are one number.",
        "salary.csv",
        text_of(["salary", "mass", "kind"], salary, B, KIND).encode(),
        ("salary", "mass"),
        shown=("Thousands separators were removed (salary).",),
        first={"salary": float(f"{BIG[0]:.0f}")},
    )


def limits() -> MessyTable:
    zinc = ["<0,01" if at % 3 == 0 else f"{v:.2f}".replace(".", ",") for at, v in enumerate(A)]
    lead = [">100" if at % 8 == 1 else f"{v:.1f}".replace(".", ",") for at, v in enumerate(B)]
    return MessyTable(
        "Cells below a limit of detection are half of it; one question for all columns.",
        "water.csv",
        text_of(["zinc", "lead", "kind"], zinc, lead, KIND, mark=";").encode(),
        ("zinc", "lead"),
        shown=("22 cells beyond a limit of detection, such as <0,01, >100 (zinc, lead)",),
        asked=("limits",),
        first={"zinc": 0.005},
    )


def not_detected() -> MessyTable:
    zinc = ["n.d." if at % 4 == 0 else "<0.5" if at % 4 == 1 else v for at, v in enumerate(A)]
    return MessyTable(
        "n.d. has the limit that other cells of the column name.",
        "metals.csv",
        text_of(["zinc", "mass", "kind"], zinc, B, KIND).encode(),
        ("zinc", "mass"),
        asked=("limits",),
        first={"zinc": 0.25},
    )


def uncertainties() -> MessyTable:
    ph = [f"{value} ± 0.2" for value in A]
    return MessyTable(
        "A number with its uncertainty is the number.",
        "ph.csv",
        text_of(["ph", "mass", "kind"], ph, B, KIND).encode(),
        ("ph", "mass"),
        shown=("Left out behind numbers: uncertainties and marks of footnotes (ph).",),
        first={"ph": A[0]},
    )


def footnote_marks() -> MessyTable:
    mass = [f"{value}*" if at % 6 == 0 else f"{value}" for at, value in enumerate(A)]
    return MessyTable(
        "The mark of a footnote behind a number is no part of it.",
        "marks.csv",
        text_of(["mass", "ph", "kind"], mass, B, KIND).encode(),
        ("mass", "ph"),
        shown=("marks of footnotes (mass)",),
        first={"mass": A[0]},
    )


def named_limits() -> MessyTable:
    zinc = ["<LOQ (0.5)" if at % 3 == 0 else f"{value}" for at, value in enumerate(A)]
    return MessyTable(
        "A limit of quantification in brackets is a limit.",
        "loq.csv",
        text_of(["zinc", "mass", "kind"], zinc, B, KIND).encode(),
        ("zinc", "mass"),
        asked=("limits",),
        first={"zinc": 0.25},
    )


def traces() -> MessyTable:
    zinc = ["trace" if at % 3 == 0 else f"{value}" for at, value in enumerate(A)]
    smallest = min(value for at, value in enumerate(A) if at % 3)
    return MessyTable(
        "Traces without any limit are below the smallest number, not at the median.",
        "traces.csv",
        text_of(["zinc", "mass", "kind"], zinc, B, KIND).encode(),
        ("zinc", "mass"),
        shown=("the limit of zinc is the smallest number there",),
        asked=("limits",),
        first={"zinc": smallest / 2},
    )


def other_unit_in_name() -> MessyTable:
    return MessyTable(
        "Cells in another unit than the name of their column says are converted to that.",
        "grams.csv",
        text_of(["mass (kg)", "ph", "kind"], [f"{value} g" for value in A], B, KIND).encode(),
        ("mass (kg)", "ph"),
        first={"mass (kg)": A[0] / 1000},
    )


def words_among_numbers() -> MessyTable:
    words = ("broken", "lost", "wet")
    height = [words[at % 5 % 3] if at % 6 == 0 else f"{value}" for at, value in enumerate(A)]
    return MessyTable(
        "A column with words in one of six cells is text, and it is asked whether it is numbers.",
        "heights.csv",
        text_of(["height", "mass", "kind"], height, B, KIND).encode(),
        ("mass",),
        shown=('height has words in 8 cells of 48, first "broken" in row 2',),
        asked=("words",),
    )


def one_word_among_numbers() -> MessyTable:
    height = ["broken" if at % 6 == 0 else f"{value}" for at, value in enumerate(A)]
    return MessyTable(
        "One word in one of six cells of a number counts as missing, and it is asked whether so.",
        "heights.csv",
        text_of(["height", "mass", "kind"], height, B, KIND).encode(),
        ("height", "mass"),
        shown=('height has words in 8 cells of 48, first "broken" in row 2', "count as missing"),
        asked=("words",),
    )


TABLES = (
    currency, percent, german_units, exponents, brackets, typeset_minus, mixed_units,
    swiss_thousands, limits, not_detected,
    uncertainties, footnote_marks, named_limits, traces, other_unit_in_name, words_among_numbers,
    one_word_among_numbers,
)  # fmt: skip
