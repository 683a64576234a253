"""Exports of surveys: Qualtrics with texts and ids below the names, SurveyMonkey with two rows.

And batches of Mechanical Turk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from melm_studio.tables.grammars.layout import FirstLines, Layout
from melm_studio.tables.identifiers import KEYS_OF_TRIALS
from melm_studio.tables.questions import USE
from melm_studio.tables.roles import Use

_IMPORT_ID = re.compile(r"""\{\s*["']ImportId["']\s*:""")
_ABOUT = re.compile(r"V\d+")
# Of columns that say in which order questions or their choices were shown.
_ORDER = re.compile(r"^RO-[A-Z]{2}-|^(?:BL|FL|Q|QID)_?\d.*_DO(?:_|$)")
_ORDER_TEXT = "display order"
_CONDITION, _IN_ORDER = re.compile(r"FL_\d+_DO"), "|"  # of a flow that shows some of its parts
# What Qualtrics found out about browsers, and scores and times of its own.
_OF_BROWSER = re.compile(r"""QID\d+_(?:BROWSER|VERSION|OS|RESOLUTION)["']|["']Q_[A-Z]""")
_LEAST_IDS = 0.8
_QUESTION = re.compile(r"QID\d")
# What Qualtrics and SurveyMonkey say of each answer besides the answers.
_ABOUT_ANSWERS = {
    "startdate", "enddate", "status", "ipaddress", "progress", "duration (in seconds)", "finished",
    "recordeddate", "responseid", "recipientlastname", "recipientfirstname", "recipientemail",
    "externalreference", "externaldatareference", "emailaddress", "name", "responseset",
    "locationaccuracy", "locationlatitude", "locationlongitude", "distributionchannel",
    "userlanguage", "respondent id", "respondentid", "collector id", "start date", "end date",
    "ip address", "email address", "first name", "last name", "respondent_id", "collector_id",
    "date_created", "date_modified", "ip_address", "email_address", "first_name", "last_name",
}  # fmt: skip
# As Qualtrics, SPSS and R write how long somebody took for the answers.
_DURATION = re.compile(r"Duration(?: \(in seconds\)|\.\.in\.seconds\.|__in_seconds_|inseconds)")
_NUMBERS_OF_TRIALS = re.compile(r"SITEID|SITEGR\d|VISITNUM|[A-Z]{2}SEQ|SRCSEQ|[A-Z]{2}(?:SP|GRP)ID")
_NAMES = {"responseid", "respondent id", "respondent_id", "respondentid"}
_PLAIN_ANSWERS = {"response", "open-ended response"}
_LEAST_PLAIN = 2  # where no respondent is named
_OF_TURK = {"HITId", "AssignmentId", "WorkerId"}


def qualtrics(first: FirstLines) -> Layout | None:
    """The texts of questions in the second row, ids such as {"ImportId":"QID1"} in the third.

    Saved by Python, these have single quotation marks. Which part of the survey was shown may be
    the label, unless several were, in some order. What has the id of no question was recorded
    beside the answers.
    """
    records = first.numbered_rows[:3]
    if len(records) < 3:
        return None
    (names, _), (texts, _), (ids, n_above) = records
    n_ids = sum(bool(_IMPORT_ID.match(cell)) for cell in ids)
    if len({len(names), len(texts), len(ids)}) > 1 or n_ids < max(1, _LEAST_IDS * len(ids)):
        return None
    described = {
        name: text for name, text in zip(names, texts, strict=True) if text and text != name
    }
    of_browser = (USE + n for n, cell in zip(names, ids, strict=True) if _OF_BROWSER.search(cell))
    answers = {**_about(names, texts), **dict.fromkeys(of_browser, Use.INFO.value)}
    for place in filter(lambda place: _CONDITION.fullmatch(names[place]), range(len(names))):
        shown = [row[place] for row in first.rows[3:] if len(row) == len(names) and row[place]]
        if 2 <= len({*shown}) <= len(shown) / 2 and not any(_IN_ORDER in cell for cell in shown):
            answers.pop(USE + names[place], None)
    descriptions = {name: described[name] for name in described if USE + name not in answers}
    step = "Read as answers of Qualtrics: the texts of its questions describe the columns."
    are_questions = [_QUESTION.search(cell) is not None for cell in ids]
    embedded = tuple(
        name
        for name, is_question in zip(names, are_questions, strict=True)
        if any(are_questions)
        and not (is_question or USE + name in answers or _CONDITION.fullmatch(name))
    )
    return Layout(step, tuple(names), n_above, first.delimiter, answers, descriptions, embedded)


def qualtrics_before(first: FirstLines) -> Layout | None:
    """Exports of Qualtrics before 2017: V1, V2 and names of questions above their texts."""
    if not first.texts or not first.texts[0].startswith(("V1", '"V1"')):
        return None
    records = first.numbered_rows[:2]
    if len(records) < 2:
        return None
    (names, _), (texts, n_above) = records
    if not texts or texts[0].lower() not in _NAMES or len(names) != len(texts):
        return None
    named = [
        text if _ABOUT.fullmatch(name) and text else name
        for name, text in zip(names, texts, strict=True)
    ]
    answers = _about(named, texts)
    descriptions = {
        name: text
        for name, text in zip(named, texts, strict=True)
        if text not in ("", name) and USE + name not in answers
    }
    step = "Read as answers of Qualtrics: the texts of its questions describe the columns."
    return Layout(step, tuple(named), n_above, first.delimiter, answers, descriptions)


def surveymonkey(first: FirstLines) -> Layout | None:
    """Questions in the first row, and their options or "Response" in the second."""
    records = first.numbered_rows[:2]
    if len(records) < 2:
        return None
    (questions, _), (options, n_above) = records
    are_pairs = 0 < len(questions) == len(options)
    if not are_pairs or not all(map(any, zip(questions, options, strict=True))):
        return None
    is_named = questions[0].lower() in _NAMES and not options[0]
    n_plain = sum(option.lower() in _PLAIN_ANSWERS for option in options)
    if n_plain < (1 if is_named else _LEAST_PLAIN):
        return None
    names: list[str] = []
    question = ""
    for text, option in zip(questions, options, strict=True):
        question = text or question
        is_plain = not option or option.lower() in _PLAIN_ANSWERS
        names.append(question if is_plain else f"{question}: {option}")
    step = "Read as answers of SurveyMonkey: two rows name the columns."
    return Layout(step, tuple(names), n_above, first.delimiter, _about(names, names))


def mechanical_turk(first: FirstLines) -> Layout | None:
    """A row for each assignment, of which Input. and Answer. say what was asked and answered."""
    names, n_above = next(first.records(first.delimiter), ([], 0))
    if not _OF_TURK.issubset(names) or not any(name.startswith("Answer.") for name in names):
        return None
    uses = {
        USE + name: (Use.NAME if name == "AssignmentId" else Use.INFO).value
        for name in names
        if not name.startswith(("Input.", "Answer."))
    }
    step = "Read as a batch of Mechanical Turk: what stands beside Input and Answer is information."
    return Layout(step, tuple(names), n_above, first.delimiter, uses)


def told_by_names(names: Iterable[str]) -> Iterator[str]:
    """The columns whose names, as programs write them, say that they were recorded beside.

    How long somebody took for the answers of a survey, and the sites, visits and running numbers
    of clinical trials (CDISC).

    Examples
    --------
    >>> [*told_by_names(["STUDYID", "USUBJID", "SITEID", "LBSEQ", "AGE"])], [*told_by_names("ab")]
    (['SITEID', 'LBSEQ'], [])
    """
    written = [*names]
    told = _NUMBERS_OF_TRIALS if KEYS_OF_TRIALS.issubset(written) else _DURATION
    return filter(told.fullmatch, written)


def _about(names: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    """The uses of the columns that are no answers, with the text of each."""
    return {
        USE + name: (Use.NAME if name.lower() in _NAMES else Use.INFO).value
        for name, text in zip(names, texts, strict=True)
        if name.lower() in _ABOUT_ANSWERS or _ORDER.search(name) or _ORDER_TEXT in text.lower()
    }
