"""Names of columns: of labels, and of what numbers or names samples, patients, records."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from melm_studio.tables.formatting import words_of

# Of a column that can be nothing but the label.
PLAIN_NAMES = ("label", "labels", "class", "classes", "target", "targets")
# The best hint first; plurals count as well.
LABEL_WORDS = (
    "label", "class", "target", "y", "species", "diagnosis", "diagnose", "dx", "prognosis",
    "outcome", "disposition", "category", "cultivar", "digit", "letter", "variety", "survived",
    "survival", "attrition", "churn", "churned", "default", "defaulted", "exited", "disease",
    "status", "condition", "genotype", "phenotype", "arm", "group", "grade", "response", "result",
    "quality", "rating", "type", "death", "died", "mortality", "fraud", "spam", "treatment", "diet",
    "tissue",
)  # fmt: skip
_RANKS = {word: rank for rank, word in enumerate(LABEL_WORDS)}
ID_WORDS = {
    "cik", "code", "cusip", "ean", "gtin", "gvkey", "id", "idcode", "identifier", "idno", "idnum",
    "ids", "idx", "index", "isbn", "key", "mrn", "no", "nr", "number", "permno", "rowid",
    "rowlabel", "rowname", "rownames", "rownum", "seqno", "sku", "ssn", "upc", "uuid",
}  # fmt: skip
GROUP_WORDS = {
    "animal", "assessor", "donor", "panelist", "participant", "patient", "person", "rater", "subj",
    "subject",
}  # fmt: skip
# Who had a hand in the record of a row: no property of the row.
CLERK_WORDS = {
    "analyst", "annotator", "curator", "editor", "enumerator", "examiner", "grader", "interviewer",
    "observer", "operator", "recorder", "scorer", "screener", "surveyor", "taxonomist",
    "technician", "uploader",
}  # fmt: skip
# What such people did; what is pollinated by wind or killed by cats is so of itself.
_DEEDS_OF_CLERKS = {
    "analysed", "analyzed", "annotated", "assessed", "changed", "checked", "classified", "coded",
    "collected", "counted", "created", "curated", "determined", "digitized", "done", "edited",
    "entered", "examined", "identified", "inspected", "labeled", "labelled", "measured",
    "modified", "observed", "photographed", "prepared", "processed", "read", "recorded",
    "registered", "reported", "reviewed", "sampled", "scored", "sequenced", "sorted", "submitted",
    "taken", "tested", "updated", "uploaded", "validated", "verified",
}  # fmt: skip
# Whole numbers of such names number things; those that rows share are no measure, either.
THINGS_NUMBERED = {
    "account", "animal", "campus", "case", "cell", "chart", "client", "company", "country",
    "county", "customer", "district", "firm", "hospital", "household", "instant", "object",
    "observation", "participant", "patient", "province", "record", "respondent", "row", "sample",
    "school", "specimen", "state", "student", "subject",
}  # fmt: skip
STREETS = {"address", "street"}
CHROMOSOMES = {"chr", "chrom", "chromosome"}
KEYS_OF_TRIALS = {"STUDYID", "USUBJID"}  # as CDISC names them
LEAST_STEM = 3  # letters
_SHORT = re.compile("[a-z]{1,2}id")  # of geographic systems and databases: fid, gid, uid
_ENDS_OF_IDS = ("code", "id", "number", "nummer")
_JOINED = re.compile(f"[a-z]{{3,}}(?:{'|'.join(_ENDS_OF_IDS)})")  # copairid, plotcode, rownumber
_NO_SHORT = {"acid", "aid", "bid", "grid", "kid", "mid", "paid", "void"}
_NUMBER_SIGN = re.compile(r"(?:^|[\s_.])(?:№|#|[Nn][°º])")  # and no unit: [#/µl]
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32}", re.IGNORECASE)
_NITROGEN = {("no", "2"), ("no", "3")}  # dioxide and nitrate
_NO_IDS = (
    "acid", "arid", "covid", "fluid", "grid", "humid", "hybrid", "lipid", "liquid", "oid", "paid",
    "pyramid", "rapid", "rigid", "solid", "valid", "vivid",
)  # fmt: skip


def names_label(word: str) -> bool:
    """Return whether a word, or its singular, is one by which labels are named."""
    return rank_as_label(word) is not None


def rank_as_label(word: str) -> int | None:
    """Return the place of a word, or of its singular, among `LABEL_WORDS`; None without one."""
    if word in _RANKS or not word.endswith("s"):
        return _RANKS.get(word)
    singular = word[:-1], word.removesuffix("es"), f"{word[:-2]}is"
    return next((_RANKS[form] for form in singular if form in _RANKS), None)


def names_identifier(name: str) -> bool:
    """Return whether a name says that whole numbers which nearly all differ name things.

    Its first word or its last one does, or that ends in "code", "id" or "number", also before the
    number of a wave, CASEID2, and the "s" of tables of sequencing runs, Sample_Name_s.

    Examples
    --------
    >>> names_identifier("sample_id"), names_identifier("copairid"), names_identifier("input_fid")
    (True, True, True)
    >>> names_identifier("citric acid"), names_identifier("NO2"), names_identifier("id1_score")
    (False, False, False)
    >>> names_identifier("Band #"), names_identifier("N° viro"), names_identifier("# of eggs")
    (True, True, False)
    """
    words = words_of(name)
    if _NUMBER_SIGN.search(name) and words[:1] != ("of",):  # no number of traps
        return True
    if not words or words[:2] in _NITROGEN:
        return False
    if len(words) > 1 and (words[-1] == "s" or words[-1].isdigit()):
        words = words[:-1]
    if is_of_each(words):
        words = words[2:]
    return (
        not ID_WORDS.isdisjoint({words[0], words[-1]})
        or words == ("row",)
        or words[-1] in {"name", "title"}
        or is_id_of_thing(words[-1])
        or ends_as_id(words[-1])
    )


def are_uuids(texts: Collection[object]) -> bool:
    """Return whether all texts are universally unique identifiers, by which persons are known.

    Examples
    --------
    >>> are_uuids(["4f5c0e2a-9c1b-4a8e-b1de-0a1b2c3d4e5f"]), are_uuids(["4f5c-9c1b"])
    (True, False)
    """
    return len(texts) > 0 and all(_UUID.fullmatch(str(text)) for text in texts)


def is_of_each(words: Sequence[str]) -> bool:
    """Return whether a name says something of one of several things, as id1_score does."""
    return len(words) > 2 and words[1].isdigit()


def names_clerk(words: Sequence[str]) -> bool:
    """Return whether the words of a name say who recorded a row.

    Examples
    --------
    >>> [names_clerk(name.split()) for name in ("taxonomist", "entered by", "pollinated by")]
    [True, True, False]
    """
    is_deed = words[-1] == "by" and not _DEEDS_OF_CLERKS.isdisjoint(words)
    return is_deed or words[-1] in CLERK_WORDS


def is_id_of_thing(word: str) -> bool:
    """Return whether a word is such as patid, hospid, subjid or idprov.

    Examples
    --------
    >>> is_id_of_thing("patid"), is_id_of_thing("idprov"), is_id_of_thing("acid")
    (True, True, False)
    """
    stem = word.removeprefix("id").removesuffix("id").removesuffix("no")
    return LEAST_STEM <= len(stem) < len(word) and any(
        thing.startswith(stem) for thing in THINGS_NUMBERED | GROUP_WORDS
    )


def ends_as_id(word: str) -> bool:
    """Return whether a word is such as bikeid, plotcode or fid, and not such as acid."""
    if not word.endswith(_ENDS_OF_IDS):  # of thousands of columns hardly one does
        return False
    if _SHORT.fullmatch(word):
        return word not in _NO_SHORT
    return bool(_JOINED.fullmatch(word)) and not word.endswith(_NO_IDS)
