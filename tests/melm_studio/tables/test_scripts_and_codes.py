"""Encodings and digits of other scripts, exponents, thousands, and codes of what is missing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from melm_studio.tables import NO_LABEL, ReadOptions, prepare, read_table

CITIES = {
    "gb18030": ("上海", "北京"),
    "cp1251": ("Киев", "Москва"),
    "shift_jis": ("大阪", "東京"),
    "euc_kr": ("부산", "서울"),
    "cp1253": ("Αθήνα", "Πάτρα"),
    "cp1256": ("القاهرة", "دمشق"),
    "cp1252": ("Genève", "Zürich"),
}
OTHERS = [
    *CITIES.items(),
    ("gb18030", ("健康", "疾病")),
    ("gb18030", ("男", "女")),
    ("big5", ("臺北", "高雄")),
    ("big5", ("健康", "疾病")),
    ("shift_jis", ("健康", "病気")),
    ("shift_jis", ("りんご", "バナナ")),
    ("euc_jp", ("大阪", "東京")),
    ("euc_kr", ("남", "여")),
    ("cp1251", ("да", "нет")),
    ("cp1251", ("МУЖСКОЙ", "ЖЕНСКИЙ")),
    ("koi8_r", ("Киев", "Москва")),
    ("koi8_r", ("здоров", "болен")),
    ("koi8_u", ("Київ", "Львів")),
    ("cp866", ("больной", "здоровый")),
    ("cp866", ("Москва", "Омск")),
    ("cp1125", ("хворий", "Київ")),
    ("mac_cyrillic", ("Москва", "Омск")),
    ("mac_cyrillic", ("здоров", "больная")),
    ("iso8859_5", ("да", "нет")),
    ("cp850", ("männlich", "weiß")),
    ("cp850", ("élevé", "modéré")),
    ("cp850", ("niño", "año")),
    ("cp860", ("João", "limões")),
    ("cp852", ("Łódź", "Kraków")),
    ("cp1250", ("Łódź", "Kraków")),
    ("cp1250", ("zdravý", "nemocný")),
    ("cp1250", ("část", "celek")),
    ("iso8859_2", ("łódź", "żywiec")),
    ("iso8859_2", ("šedý", "žlutý")),
    ("cp1254", ("dağ", "şehir")),
    ("mac_roman", ("Genève", "Zürich")),
    ("cp1257", ("žalia", "mėlyna")),
    ("cp775", ("Šiauliai", "Klaipėda")),
    ("cp737", ("Αθήνα", "Πάτρα")),
    ("cp737", ("υγιής", "ασθενής")),
    ("cp862", ("חולה", "בריא")),
    ("cp874", ("ชาย", "หญิง")),
    ("cp874", ("ป่วย", "ปกติ")),
    ("cp1257", ("vīrietis", "sieviete")),
    ("cp1257", ("Kuldīga", "Cēsis")),
    ("iso8859_15", ("cœur", "foie")),
    ("mac_latin2", ("Łódź", "Kraków")),
    ("mac_latin2", ("część", "całość")),
    ("iso2022_jp", ("東京", "オス")),
    ("iso2022_kr", ("서울", "부산")),
    ("utf-32", ("Москва", "Омск")),
]


def of_classes(words, encoding):
    rows = [f"{at * 7 % 5},{at * 3 % 4},{words[at % 2]}" for at in range(20)]
    return "\n".join(["a,b,city", *rows]).encode(encoding)


def of_cells(cells, **options):
    text = "a,b,kind\n" + "".join(
        f"{cell},{at * 7 % 5},{'xy'[at % 2]}\n" for at, cell in enumerate(cells)
    )
    return read_table(text.encode(), "t.csv", options=ReadOptions(**options))


@pytest.mark.slow
@pytest.mark.parametrize(("encoding", "words"), OTHERS)
def test_two_names_in_an_encoding_are_classes_as_they_were_written(encoding, words):
    table = read_table(of_classes(words, encoding), "t.csv")
    assert set(prepare(table).class_names) == set(words)
    assert any("text" in step or "UTF-32" in step for step in table.steps)


def test_an_encoding_that_names_leave_open_is_asked_with_the_names_as_each_has_them():
    raw = of_classes(("nő", "férfi"), "cp1250")
    table = read_table(raw, "t.csv")
    [asked] = [one for one in prepare(table).questions if one.id == "encoding"]
    shown = {one.value: one.label for one in asked.choices}
    assert "nő" in shown["cp1250"]
    assert "nõ" in shown["cp1252"]
    assert asked.default == asked.choices[0].value
    read = read_table(raw, "t.csv", options=ReadOptions(encoding="cp1250"))
    assert set(prepare(read).class_names) == {"nő", "férfi"}
    answered = prepare(read, answers={"encoding": "cp1250"})
    assert [one.answer for one in answered.questions if one.id == "encoding"] == ["cp1250"]


@pytest.mark.parametrize(
    ("encoding", "word"),
    [
        ("cp860", "maçã"),
        ("cp857", "dağ"),
        ("cp1257", "nezināms"),
        ("cp1250", "řeka"),
        ("cp1252", "virtù"),
        ("mac_latin2", "nemocný"),
    ],
)
def test_text_of_few_letters_that_may_be_of_another_language_is_asked(encoding, word):
    table = read_table(of_classes((word, "uva"), encoding), "t.csv")
    [asked] = [one for one in prepare(table).questions if one.id == "encoding"]
    assert any(word in one.label for one in asked.choices)


@pytest.mark.parametrize("n_bytes", [1, 2])
def test_a_last_character_that_is_cut_off_leaves_the_file_utf_8(n_bytes):
    raw = of_classes(("北京", "上海"), "utf-8")[:-n_bytes]
    table = read_table(raw, "t.csv")
    assert {"上海", "北京"} <= set(table.frame["city"])
    assert any("cut off" in step for step in table.steps)


@pytest.mark.parametrize(
    ("name", "raw", "is_utf_8"),
    [
        ("sea lion", b"sea\xa0lion", True),
        ("caf\xe9 \u2013 bar", b"caf\xc3\xa9\xa0\x96 bar", True),
        ("caf\xe9 lion", b"caf\xe9\xa0lion", False),
    ],
    ids=["alone", "beside UTF-8", "beside other letters of Windows"],
)
def test_spaces_and_dashes_of_windows_are_read_as_such(name, raw, is_utf_8):
    text = b"kind,a,b\n" + b"".join(
        (raw if at % 2 else b"cat") + f",{at * 0.7 % 3:.1f},{at}\n".encode() for at in range(40)
    )
    read = read_table(text, "t.csv")
    words = [" ".join(str(word).split()) for word in read.frame["kind"]]
    assert {*words} == {"cat", " ".join(name.split())}
    assert any("UTF-8" in step for step in read.steps) == is_utf_8


def test_an_encoding_that_is_said_holds_where_spaces_of_windows_may_be_letters():
    text = "kind,a\n" + "".join(f"{('plá', 'mor')[at % 2]},{at % 7}\n" for at in range(40))
    read = read_table(text.encode("cp852"), "t.csv", options=ReadOptions(encoding="cp852"))
    assert {*read.frame["kind"]} == {"plá", "mor"}


def test_a_few_damaged_characters_leave_the_file_utf_8():
    raw = of_classes(("Łódź", "Kraków"), "utf-8").replace("Łódź".encode(), b"\xc5dz", 1)
    table = read_table(raw, "t.csv")
    assert prepare(table).class_counts["Łódź"] == 9
    assert any("1 character cannot be read" in step for step in table.steps)


@pytest.mark.parametrize("zero", ["\u0660", "\u06f0", "\u0966", "\uff10"])
def test_digits_of_other_scripts_are_numbers(zero):
    digits = {ord(str(at)): chr(ord(zero) + at) for at in range(10)}
    cells = [f"{at}.{at % 3}".translate(digits) for at in range(12)]
    assert of_cells(cells).frame["a"].tolist() == [float(f"{at}.{at % 3}") for at in range(12)]


def test_names_keep_their_digits():
    text = "サンプル１,b,kind\n" + "".join(f"{at},{at * 7 % 5},{'xy'[at % 2]}\n" for at in range(9))
    assert read_table(text.encode(), "t.csv").frame.columns[0] == "サンプル１"


@pytest.mark.parametrize("cell", ["1.{}D+03", "-.{}d2", "{}.D-01"])
def test_exponents_of_fortran_are_numbers(cell):
    cells = [cell.format(at) for at in range(1, 10)]
    expected = [float(one.upper().replace("D", "E")) for one in cells]
    assert of_cells(cells).frame["a"].tolist() == expected


def test_names_that_end_in_d_and_a_number_are_no_exponents():
    steps = of_cells([f"{at}D4" for at in range(9)]).steps
    assert not any("written with D" in step for step in steps)


COMMAS = [f'"{at},{100 + 7 * at}"' for at in range(1, 10)]


def test_a_comma_before_three_digits_everywhere_is_asked_about():
    assert of_cells(COMMAS).frame["a"].iloc[0] == 1107
    assert of_cells(COMMAS, thousands="decimal").frame["a"].iloc[0] == 1.107
    asked = {one.id: one.default for one in prepare(of_cells(COMMAS)).questions}
    assert asked["thousands"] == "left-out"


def test_a_comma_beside_plain_numbers_is_one_of_thousands():
    table = of_cells([*COMMAS, "512"], thousands="decimal")
    assert "thousands" not in table.asked
    assert table.frame["a"].iloc[0] == 1107


@pytest.mark.parametrize("code", [
    999, -9, 9999, -66, -99, -777, -200, -999.25, 32741, -32768, 2147483621, 2147483647,
])  # fmt: skip
def test_a_number_far_outside_that_repeats_is_missing_and_asked_about(code):
    cells = [code if at % 5 == 0 else at % 7 for at in range(20)]
    table = of_cells(cells)
    assert np.isnan(table.frame["a"].iloc[0])
    assert table.frame["a"].notna().sum() == 16
    assert "codes" in {one.id for one in prepare(table).questions}
    assert any(f"missing: {code} in a" in step for step in table.steps)
    assert of_cells(cells, codes="numbers").frame["a"].iloc[0] == code


@pytest.mark.parametrize("codes", [(-99, -88), (-77, -66)])
def test_two_codes_do_not_hide_each_other(codes):
    cells = [(*codes, *range(-2, 6))[at % 10] for at in range(60)]
    table = of_cells(cells)
    assert table.frame["a"].isna().sum() == 12
    said = ", ".join(map(str, codes))
    assert f"Counted as missing: {said} in a lies far outside all others." in table.steps
    assert of_cells([(*codes, *range(-95, 8))[at % 105] for at in range(300)]).frame[
        "a"
    ].notna().all()  # fmt: skip


@pytest.mark.parametrize("code", [-99, 999])
def test_a_code_among_words_is_missing_and_asked_about(code):
    cells = [code if at % 5 == 0 else ("yes", "no", "don't know")[at % 3] for at in range(30)]
    table = of_cells(cells)
    assert table.frame["a"].isna().sum() == 6
    (asked,) = [one for one in prepare(table, NO_LABEL).questions if one.id == "codes"]
    assert asked.sentence.endswith(f"{code} in a stands among words.")
    assert of_cells(cells, codes="numbers").frame["a"].iloc[0] == str(code)


@pytest.mark.parametrize(
    "cells",
    [
        ["yes", "no", "12"] * 6,  # that stands for nothing missing
        ["yes", "no", "-9", "-99"] * 6,  # of which several are categories
        ["yes", "-99"] * 6,  # beside one word
    ],
)
def test_other_numbers_among_words_stay(cells):
    assert [*of_cells(cells).frame["a"]] == cells


def test_a_number_below_zero_among_counts_is_a_code_however_large_they_are():
    counts = [*range(60), -9, -9]
    assert np.isnan(of_cells(counts).frame["a"].iloc[-1])
    assert of_cells([*counts, -5]).frame["a"].notna().all()  # others are below zero, too


@pytest.mark.parametrize(
    "cells",
    [
        [999, *range(19)],  # once
        [*range(900, 1000, 10), 999, 999],  # among others
        [999, 0, 1] * 6,  # of three values
        [9, 9, *[0.1, 0.2, 0.3, 0.4] * 4],
    ],
)
def test_other_numbers_stay(cells):
    table = of_cells(cells)
    assert table.frame["a"].notna().all()
    assert "codes" not in table.asked


def test_minus_one_far_below_counts_is_a_code_of_what_is_missing():
    sales = [*range(1_000, 1_018), -1, -1]
    assert np.isnan(of_cells(sales).frame["a"].iloc[-1])
    assert of_cells(sales, codes="numbers").frame["a"].iloc[-1] == -1
    for others in ([-1, -1, *range(9)], [-1, -1, *np.arange(0.5, 9)], [-1, *range(5, 20)]):
        assert of_cells(others).frame["a"].notna().all()


def test_a_code_of_one_column_is_one_of_the_others_where_it_is_once():
    table = of_columns([-99, *range(14)], [*range(14, 27), -99.0], [-99, *range(-120, -91)])
    assert table.frame[["q0", "q1", "q2"]].isna().sum().tolist() == [2, 2, 0]
    once = of_columns([*range(29), -99], range(30))
    assert once.frame.notna().all(axis=None)
    beside = of_columns([*range(29), -99], [-99, *range(14)])
    assert beside.frame[["q0", "q1"]].isna().sum().tolist() == [1, 2]


def test_amounts_of_money_may_be_written_in_thousands_millions_and_billions():
    cells = ["$177 B", "$2.5M", "$900K", "-$3 million", "$12"] * 4
    table = of_cells(cells)
    assert table.frame["a [$]"].iloc[:5].tolist() == [177e9, 2.5e6, 9e5, -3e6, 12]
    assert "a" in of_cells(["$3 kg", "$4 kg"] * 8).frame


def of_columns(*cells):
    """A table with columns that repeat these cells, and a class."""
    names = ",".join(f"q{at}" for at in range(len(cells)))
    rows = (
        ",".join(str(column[at % len(column)]) for column in cells) + f",{'xy'[at % 2]}"
        for at in range(30)
    )
    return read_table("\n".join([f"{names},kind", *rows, ""]).encode(), "t.csv")


@pytest.mark.parametrize("code", [9, 8, 99, -9])
@pytest.mark.parametrize("answers", [(0, 1), (1, 2)])
def test_a_third_value_of_several_columns_of_yes_and_no_is_missing_and_asked_about(code, answers):
    asked = (*answers, *answers, code)
    table = of_columns(asked, asked[::-1], asked, range(7))
    assert table.frame[["q0", "q1", "q2"]].isna().sum().tolist() == [6, 6, 6]
    assert "codes" in table.asked


@pytest.mark.parametrize(
    "cells",
    [
        [(0, 1, 9), (0, 1, 9), range(7)],  # of two columns
        [(0, 1, 9)] * 3 + [(0, 3, 5, 9)],  # counts, which reach it as well
        [(0, 1, 3)] * 4,
        [(0, 2, 9)] * 4,
        [(0, 1, 8, 9)] * 4,
    ],
)
def test_other_numbers_beside_yes_and_no_stay(cells):
    assert "codes" not in of_columns(*cells).asked


@pytest.mark.parametrize("n", [6, 14])
def test_none_among_fractions_is_missing(n):
    table = of_cells([f"{100.5 + at}" for at in range(n)] + ["None"] * n)
    assert table.frame["a"].isna().sum() == n
    assert "words" not in table.asked


@pytest.mark.parametrize(
    "cells", [("None", "0.5", "1.5", "10"), ("None", *"12345"), ("None", "mild", "1.5", *"2345")]
)
def test_none_among_few_doses_counts_or_words_is_one_of_them(cells):
    assert "None" in [*of_cells([*cells] * 6).frame["a"]]


def test_none_among_what_a_format_has_measured_is_missing():
    samples = [f"{kind}_{at}" for kind in "ab" for at in range(4)]
    rows = [["#1.2"], [3, 8], ["Name", "Description", *samples]]
    rows += [[name, "", "None", *range(3, 10)] for name in ("ACT1", "None", "TP53")]
    raw = "".join("\t".join(map(str, row)) + "\n" for row in rows).encode()
    table = read_table(raw, "t.gct")
    assert prepare(table).feature_names == ("ACT1", "None", "TP53")
    assert table.frame["ACT1"].isna().sum() == 1


def test_numbers_within_words_of_the_names_of_samples_stay_words():
    samples = [f"{kind}_{at}" for kind in ("3injections", "3samples") for at in range(4)]
    rows = [["#1.2"], [2, 8], ["Name", "Description", *samples]]
    rows += [[name, "", *range(2, 10)] for name in ("ACT1", "TP53")]
    raw = "".join("\t".join(map(str, row)) + "\n" for row in rows).encode()
    table = read_table(raw, "t.gct")
    assert prepare(table).class_names == ("3injections", "3samples")
    assert "words" not in table.asked


def answers_with(codes, scale=range(1, 6), n_columns=4):
    """Answers of 60 rows, of which each column has every code in some."""
    generator = np.random.default_rng(5)
    columns = {}
    for at in range(n_columns):
        answers = generator.choice([*scale], 60).astype(float)
        answers[: 4 * len(codes)] = np.repeat([*codes], 4)
        columns[f"q{at}"] = generator.permutation(answers)
    frame = pd.DataFrame(columns).assign(age=generator.integers(18, 80, 60), kind=["a", "b"] * 30)
    return read_table(frame.to_csv(index=False).encode(), "t.csv")


@pytest.mark.parametrize(
    ("codes", "scale", "n_columns", "are_codes"),
    [
        ((-1, -3), range(1, 6), 4, True),
        ((-2,), range(1, 8), 3, True),
        ((-1, -3), range(1, 6), 2, False),  # too few columns
        ((-1,), range(6), 4, False),  # 0 is the next
        ((-2, -1), range(3), 4, False),  # from disagree to agree
        ((-1,), range(1, 40), 4, False),  # no answers
        ((-1.5,), range(1, 6), 4, False),
    ],
)
def test_values_below_answers_from_1_on_are_asked_about_as_missing(
    codes, scale, n_columns, are_codes
):
    table = answers_with(codes, scale, n_columns)
    assert ("codes" in table.asked) is are_codes
    if are_codes:
        assert table.asked["codes"].startswith(", ".join(f"{code}" for code in sorted(codes)))
        assert all(table.frame[f"q{at}"].min() == 1 for at in range(n_columns))
