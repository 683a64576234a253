"""Files of omics: matrices whose samples are columns, as GCT, MAF and mwTab, and their metadata."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, dropwhile, takewhile
from pathlib import PureWindowsPath

from melm_core.base import MISSING
from melm_studio.tables.formatting import letters_of, words_of
from melm_studio.tables.grammars.features_in_rows import says_features
from melm_studio.tables.grammars.layout import FirstLines, Layout, Long, Turned, is_number
from melm_studio.tables.questions import LABEL, USE
from melm_studio.tables.roles import NO_LABEL, Use
from melm_studio.tables.text import DELIMITERS

_DIMENSIONS = re.compile(r"\d+(?:\t\d+)+")
_MISSING_OF_GCT = "-666"  # in version 1.3
_MAF = {"database_identifier", "metabolite_identification"}
_LAST_OF_MAF, _IDENTIFIER_OF_MAF = "smallmolecule_abundance_std_error_sub", "_identifier"
_MAXQUANT = {"Majority protein IDs", "Protein IDs"}
_PEPTIDES_OF_MAXQUANT = {"Sequence", "Leading razor protein", "PEP"}
_SITES_OF_MAXQUANT = {"Localization prob", "Amino acid", "Positions within proteins"}
_MULTIPLICITY = re.compile(r"___\d$")  # how many modifications a peptide with a site has
# Where there are reporters, all else is of all samples of an experiment.
_QUANTITIES = ("LFQ intensity ", "Reporter intensity corrected ", "Intensity ", "iBAQ ")
_CHANNELS = ("L", "M", "H")  # of SILAC
_INTENSITY = "Intensity"  # of all samples together
_REMOVED = ("Reverse", "Potential contaminant", "Contaminant", "Only identified by site")
_DIANN = {
    "Protein.Group", "Protein.Ids", "Protein.Names", "Genes", "First.Protein.Description",
    "Proteotypic", "Stripped.Sequence", "Modified.Sequence", "Precursor.Charge", "Precursor.Id",
    "N.Sequences", "N.Proteotypic.Sequences",
}  # fmt: skip
_MWTAB = "#METABOLOMICS WORKBENCH"
_DATA_OF_MWTAB = ("MS_METABOLITE_DATA_START", "NMR_METABOLITE_DATA_START", "NMR_BINNED_DATA_START")
_ENDS_OF_MWTAB = ("MS_METABOLITE_DATA_END", "NMR_METABOLITE_DATA_END", "NMR_BINNED_DATA_END")
_NO_METABOLITES = (
    "The file is mwTab of the Metabolomics Workbench without metabolites of its samples. Drop the "
    "file of the results that it names, or a table with a row or a column for each sample."
)
_FRAGPIPE = {"Protein ID", "Entry Name", "Peptide Sequence"}
_INTENSITIES = (" MaxLFQ Intensity", " Intensity", " Razor Intensity", " Total Intensity")
_OTHER_INTENSITIES = (" Razor Intensity", " Total Intensity", " Unique Intensity")
# Of Proteome and Compound Discoverer: what was found, and the kinds of its quantities, best first.
_DISCOVERED = (
    "Accession", "Annotated Sequence", "Sequence", "Master Protein Accessions", "Name", "Formula",
    "Calc MW", "Modifications",
)  # fmt: skip
_LEAST_DISCOVERED = 2
_QUANTITIES_FOUND = (
    "Norm Area", "Area", "Abundances Normalized", "Abundance Normalized", "Abundances", "Abundance",
    "Abundances Scaled", "Abundances Grouped",
)  # fmt: skip
_NO_SAMPLES = {
    "Count", "Counts", "CV", "Grouped", "Max", "Normalized", "Ratio", "Scaled", "Standard",
}  # fmt: skip
_KIND_OF_PROGENESIS = re.compile(r"Normali[sz]ed abundance$|Raw abundance$", re.IGNORECASE)
_NAMES_OF_PROGENESIS = ("Compound", "#")  # and of proteins, the first column: their accessions
_MARKS_IN_NAMES = re.compile(r"[\s.:()\[\]%#]+")
_CHECKED = {"Checked", "Tags"}  # the first columns, also of the rows that it nests below another
# A row for each ion of each run, with what the run is of, and how the two are named.
_IONS = (
    "peptidesequence", "peptidemodifiedsequence", "precursorcharge", "fragmention", "productcharge",
    "isotopelabeltype",
)  # fmt: skip
_RUNS = ("run", "filename", "rawfile")
_AREAS = ("intensity", "area")
_OF_RUNS = ("condition", "bioreplicate")
_LIPIDS = ("LipidIon", "LipidMolec")
_OF_LIPIDS = {
    *_LIPIDS, "ARatio", "Adduct", "BaseRt", "CalcMass", "CalcMz", "Class", "ClassKey", "FA", "FA1",
    "FA2", "FA3", "FA4", "FAGroupKey", "FattyAcid", "Formula", "Intensity", "IonFormula",
    "LipidGroup", "Mode", "Polarity", "RT", "Rej.", "TopRT", "TotalGrade", "mScore", "tScore",
}  # fmt: skip
_AREAS_OF_LIPIDS = re.compile(r"(?:Main)?Area\[(?P<sample>[^\]]+)\]")
_XCMS = {"mzmed", "mzmin", "mzmax", "rtmed", "npeaks"}
_GSEA = ["name", "description"]
_OF_READS = (".bam", ".sam", ".out", ".sorted")  # the last suffix of a file first
# The columns of one sample, and of these the lengths; those of STAR and HTSeq have no names.
_OF_ONE_SAMPLE = {
    "coverage", "effectivelength", "efflength", "end", "estcounts", "expectedcount", "fpkm",
    "geneid", "genename", "isopct", "length", "name", "numreads", "reference", "start", "strand",
    "targetid", "tpm", "transcriptid", "transcriptids",
}  # fmt: skip
LEAST_COLUMNS = 2  # of features and their counts
_COUNTS = {"count", "counts"}
_LENGTHS = ("coverage", "effectivelength", "efflength")
# Of these the numbers of a sample, best first.
_COUNTED = ("numreads", "estcounts", "expectedcount", "tpm")
_UNMAPPED, _CELLS_OF_STAR = "N_unmapped", 4
_LAST_OF_HTSEQ = "__alignment_not_unique"
_FEATURE_COUNTS = ["Geneid", "Chr", "Start", "End", "Strand", "Length"]
# What limma knows of the spots of an array, and which of it names a probe best.
_SPOTS = {
    "block", "col", "column", "controltype", "description", "genename", "id", "name", "probename",
    "probeuid", "row", "sequence", "start", "status", "systematicname",
}  # fmt: skip
_NAMES_OF_SPOTS = ("probename", "genename", "name", "id")
_KINDS_OF_SPOTS = (
    {"probename", "controltype"}, {"row", "col", "probename"}, {"row", "col", "genename"},
    {"block", "row", "column", "id", "name"},
)  # fmt: skip
_CONTROLS = ("1", "-1")  # of Agilent
_NANOSTRING = ["codeclass", "name", "accession"]
_MEASURED = "Endogenous"  # the genes; all other classes of codes are controls
_BRACKEN = ["name", "taxonomy_id", "taxonomy_lvl"]
_FRACTION = ".bracken_frac"
_MZTAB = "MTD\tmzTab-version"
_HEADERS_OF_MZTAB = ("SMH", "PRH")  # small molecules, proteins
_ENDS_OF_MZTAB = ("SFH", "SEH", "PEH", "PSH", "SMH", "COM")
_ABUNDANCE = re.compile(r"(?:protein_|smallmolecule_)?abundance_(?P<assay>assay\[[0-9]+\])")
_NAMES_OF_MZTAB = ("accession", "chemical_name", "identifier", "description", "SML_ID")
_NO_ABUNDANCES = (
    "The file is mzTab without abundances of several assays. Export it again with these, or drop "
    "a table of a row or a column for each sample."
)
_METIDQ = {"plate bar code", "sample identification"}
# What MetIDQ writes beside its samples of how these were measured.
_RUNS_OF_METIDQ = {
    "injection number", "measurement time", "op", "org. info", "plate bar code", "plate note",
    "plate production no.", "run number", "sample bar code", "sample volume", "well position",
}  # fmt: skip
_OF_SPECIES = "0.03"  # the distance up to which OTUs are usually put together
_LINEAGES = {"taxonomy", "consensus lineage", "consensuslineage", "confidence"}
_MOST_ABOVE = 5  # lines of comments
_PREFIX_OF_PERSEUS = re.compile(r"[TNCM]: ")
_LEAST_PREFIXED = 3
_MARKS_OF_PERSEUS = re.compile(r"#!\{(?P<name>[^}]+)\}")
_TYPES = "#q2:types"
_MOST_ABOVE_TYPES = 20  # lines
_NODES = {"Source Name", "Sample Name"}
FACTOR = "Factor Value"  # what a study of ISA-Tab compares
_IN_BRACKETS = re.compile(
    rf"(?P<kind>Characteristics|{FACTOR}|Parameter Value|Comment) ?\[(?P<name>.+)\]"
)
_REFERENCES = ("Term Source REF", "Term Accession Number", "Protocol REF", "Unit")
_MOST_CLASSES = 20


def gct(first: FirstLines) -> Layout | None:
    """GCT 1.2 and 1.3 of the Broad Institute."""
    version = first.texts[0].strip() if first.texts else ""
    if version not in ("#1.2", "#1.3") or len(first.texts) < 4:
        return None
    sizes = first.texts[1].strip()
    if not _DIMENSIONS.fullmatch(sizes):
        return None
    counts = [int(size[:9]) for size in sizes.split("\t")]
    n_beside, n_marks = (counts[2], counts[3]) if len(counts) >= 4 else (1, 0)
    header = first.cells(2)
    columns = range(1 + n_beside, len(header))
    marks = {}
    for line in range(3, 3 + min(n_marks, len(first.texts))):
        row = first.cells(line)
        if len(row) == len(header):
            marks[row[0]] = ["" if row[i] == _MISSING_OF_GCT else row[i] for i in columns]
    if len(columns) == 1:
        return _of_one_sample(f"values of a GCT {version[1:]}", header)
    return _matrix(f"GCT {version[1:]}", header, 3 + n_marks, columns, marks=marks)


def gsea(first: FirstLines) -> Layout | None:
    """Expression for GSEA: a GCT without the lines above its names."""
    header = first.cells(0)
    if [name.casefold() for name in header[:2]] != _GSEA:
        return None
    return _matrix("expression for GSEA", header, 1, range(2, len(header)))


def feature_counts(first: FirstLines) -> Layout | None:
    """Counts of featureCounts: where genes lie, and a column for each file of reads."""
    n_above = int(bool(first.texts) and first.texts[0].startswith("#"))
    header = first.cells(n_above)
    n_about = len(_FEATURE_COUNTS)
    if header[:n_about] != _FEATURE_COUNTS:
        return None
    names = [PureWindowsPath(name).name for name in header[n_about:]]
    for suffix in _OF_READS:
        names = [name.removesuffix(suffix) for name in names]
    columns = range(n_about, len(header))
    if len(columns) == 1:
        return _of_one_sample("counts of featureCounts", header)
    return _matrix("counts of featureCounts", header, n_above + 1, columns, names=names)


def counts_of_one_sample(first: FirstLines) -> Layout | None:
    """Counts of salmon, kallisto, RSEM, StringTie, STAR or HTSeq: a row for each gene."""
    header = first.cells(0)
    if header[:1] == [_UNMAPPED] and len(header) == _CELLS_OF_STAR:
        return _of_one_sample("counts of STAR", header)
    if len(header) > LEAST_COLUMNS and place_of_counts(header) > 0:
        return _of_one_sample("counts of transcripts or genes", header)
    name, *counts = first.last.split("\t")
    if name == _LAST_OF_HTSEQ and sum(map(is_number, counts)) == 1:
        return _of_one_sample("counts of HTSeq", header)
    return None


def place_of_counts(header: Sequence[str]) -> int:
    """Return the column of the numbers of a file of one sample; 0 if it is another table.

    Examples
    --------
    >>> place_of_counts(["Name", "Length", "EffectiveLength", "TPM", "NumReads"])
    4
    >>> place_of_counts(["gene_id", "tumor 1"]), place_of_counts(["feature", "count"])
    (1, 1)
    >>> place_of_counts(["TSPAN6", "184"]), place_of_counts(["id", "height"])
    (1, 0)
    """
    if header[:1] == [_UNMAPPED] and len(header) == _CELLS_OF_STAR:
        return 1
    if header[:-1] == _FEATURE_COUNTS:
        return len(_FEATURE_COUNTS)
    if len(header) == LEAST_COLUMNS:
        (feature, value), words = header, {*words_of(header[1])}
        return int(says_features(feature) or is_number(value) or bool(words & _COUNTS))
    names = header if len(header) <= len(_OF_ONE_SAMPLE) else []
    plain = [_MARKS_IN_NAMES.sub("", name).replace("_", "").lower() for name in names]
    are_such = "tpm" in plain and {*plain} <= _OF_ONE_SAMPLE
    if not are_such or {*plain}.isdisjoint(_LENGTHS):
        return 0
    return plain.index(next(name for name in _COUNTED if name in plain))


def _of_one_sample(what: str, header: Sequence[str]) -> Layout:
    """Features of a single sample, which are refused."""
    or_zipped = ", or a .zip of such files, one of each sample" if place_of_counts(header) else ""
    refusal = (
        f"The file has a single sample: {what}. Put those of all samples side by side, a column "
        f"for each, and drop that table{or_zipped}."
    )
    return Layout(f"Read as {what}.", tuple(header), 1, refusal=refusal)


def limma(first: FirstLines) -> Layout | None:
    """Arrays of limma: where spots lie and what they are, and a column for each array."""
    header, row = first.cells(0, first.delimiter), first.cells(1, first.delimiter)
    header = [""] * (len(row) - len(header)) + header  # names of rows as R writes them
    plain = [name.lower() for name in header]
    start = next((place for place, name in enumerate(plain) if name and name not in _SPOTS), 0)
    spots = {name: place for place, name in enumerate(plain[:start])}
    names = [spots[name] for name in _NAMES_OF_SPOTS if name in spots]
    numbers = [cell for cell in row[start:] if cell not in ("", "NA")]
    are_spots = any(kind <= spots.keys() for kind in _KINDS_OF_SPOTS)
    if not (are_spots and numbers and all(map(is_number, numbers))):
        return None
    left_out: dict[int, tuple[str, ...]] = {}
    if "controltype" in spots:
        left_out[spots["controltype"]] = _CONTROLS
    columns, mark = range(start, len(header)), first.delimiter
    return _matrix(
        "arrays of limma", header, 1, columns, features=names, left_out=left_out, delimiter=mark
    )


def maf(first: FirstLines) -> Layout | None:
    """Metabolite assignments of MetaboLights, m_…_maf.tsv."""
    header = first.cells(0)
    if not _MAF.issubset(header) or _LAST_OF_MAF not in header:
        return None
    start = header.index(_LAST_OF_MAF) + 1
    columns = [
        j for j in range(start, len(header)) if not header[j].lower().endswith(_IDENTIFIER_OF_MAF)
    ]
    # More may be said of metabolites there: words, or nothing before the first with numbers.
    wordy, empty = {*columns}, {*columns}
    for cells, _ in first.records("\t", 1):
        wordy -= {j for j in wordy if is_number("".join(cells[j : j + 1]))}
        empty -= {j for j in empty & wordy if "".join(cells[j : j + 1])}
        if not wordy:
            break
    begin = min({*columns} - wordy, default=start)
    columns = [j for j in columns if j not in wordy or (j > begin and j in empty)]
    named = (
        "metabolite_identification", "database_identifier", "chemical_formula", "chemical_shift",
        "mass_to_charge", "retention_time",
    )  # fmt: skip
    features = [header.index(name) for name in named if name in header]
    return _matrix("metabolites of MetaboLights", header, 1, columns, features=features)


def maxquant(first: FirstLines) -> Layout | None:
    """Proteins or peptides of MaxQuant, also as R names them: LFQ intensities if there are any."""
    header = first.cells(0, first.delimiter)
    plain = [name.replace(".", " ") for name in header]
    is_of_peptides = _PEPTIDES_OF_MAXQUANT.issubset(plain)
    is_of_sites = _SITES_OF_MAXQUANT.issubset(plain)
    if _MAXQUANT.isdisjoint(plain) and not (is_of_peptides or is_of_sites):
        return None
    samples_of = {kind: _samples_of_maxquant(plain, kind) for kind in _QUANTITIES}
    several = {kind: len(samples) for kind, samples in samples_of.items() if len(samples) > 1}
    kind = max(several, key=lambda kind: several[kind] * (kind in _QUANTITIES[:2]), default="")
    if not kind:
        are_of_one = _INTENSITY in plain and any(name.startswith(_QUANTITIES) for name in plain)
        return _of_one_sample("intensities of MaxQuant", header) if are_of_one else None
    samples = {i: header[i][len(kind) :] for i in samples_of[kind]}
    named = ("Sequence", "Majority protein IDs", "Protein IDs", "Leading proteins", "Gene names")
    things = "sites" if is_of_sites else "peptides" if is_of_peptides else "proteins"
    return _matrix(
        f"{things} of MaxQuant ({kind.strip()})",
        header,
        1,
        [*samples],
        names=[*samples.values()],
        features=[plain.index(name) for name in named if name in plain],
        left_out={plain.index(name): ("+",) for name in _REMOVED if name in plain},
        delimiter=first.delimiter,
    )


def _samples_of_maxquant(names: Sequence[str], kind: str) -> list[int]:
    """The columns of a quantity that are of one sample each."""
    called = {
        i: name[len(kind) :]
        for i, name in enumerate(names)
        if name.startswith(kind) and name != kind.strip() and not _MULTIPLICITY.search(name)
    }
    # Beside the reporters of each experiment, 1 mix2, are those of all together: 1.
    parts = [name.partition(" ") for name in called.values() if " " in name]
    together = {first for first, _, _ in parts}
    # Beside the channels of an experiment, L mix2 and H mix2, is their sum: mix2.
    of_channels = Counter(experiment for first, _, experiment in parts if first in _CHANNELS)
    together.update(experiment for experiment, n in of_channels.items() if n > 1)
    return [i for i, name in called.items() if name not in together]


def discoverer(first: FirstLines) -> Layout | None:
    """Proteins, peptides or compounds of Proteome and Compound Discoverer, also as R names them."""
    header = first.rows[0] if first.rows else []
    parts = [_MARKS_IN_NAMES.sub(" ", name).strip() for name in header]
    features = [parts.index(name) for name in _DISCOVERED if name in parts]
    if len(features) < _LEAST_DISCOVERED:
        return None
    for kind in _QUANTITIES_FOUND:
        columns = [
            index
            for index, name in enumerate(parts)
            if name.startswith(f"{kind} ") and name.split()[len(kind.split())] not in _NO_SAMPLES
        ]
        if len(columns) > 1:
            break
    else:
        return None
    checked = max((index for index, name in enumerate(header[:2]) if name in _CHECKED), default=-1)
    return _matrix(
        f"a table of Discoverer ({kind})",
        header,
        1,
        columns,
        names=[parts[index][len(kind) + 1 :] for index in columns],
        features=features,
        left_out={checked: ("", *_CHECKED)} if checked >= 0 else {},
        delimiter=first.delimiter,
    )


def progenesis(first: FirstLines) -> Layout | None:
    """Features of Progenesis QI: kinds of abundances above conditions above names of samples."""
    kinds, groups, header, *_ = [*first.rows[:3], [], [], []]
    starts = [place for place, name in enumerate(kinds) if _KIND_OF_PROGENESIS.match(name)]
    if not starts or any(kinds[: starts[0]]) or not len(kinds) == len(groups) == len(header):
        return None
    end = next((place for place in range(starts[0] + 1, len(kinds)) if kinds[place]), len(kinds))
    columns = range(starts[0], end)
    filled = accumulate(groups[starts[0] : end], lambda before, group: group or before)
    said = header[: starts[0]]
    named = [said.index(name) for name in _NAMES_OF_PROGENESIS if name in said]
    kind = kinds[starts[0]].capitalize()
    return _matrix(
        f"features of Progenesis ({kind})",
        header,
        first.numbered_rows[2][1],
        columns,
        features=[*named, 0],
        marks={"condition": [*filled]},
        delimiter=first.delimiter,
    )


def diann(first: FirstLines) -> Layout | None:
    """Matrices of DIA-NN: a column for each run, named by its file."""
    header = first.cells(0)
    n_known = next((index for index, name in enumerate(header) if name not in _DIANN), len(header))
    if n_known < 2 or header[0] not in _DIANN or len(header) < n_known + 2:
        return None
    columns = range(n_known, len(header))
    names = [PureWindowsPath(header[i]).stem for i in columns]
    named = [column for column in ("Precursor.Id", "Protein.Group") if column in header[:n_known]]
    features = [header.index(column) for column in named]
    return _matrix("a matrix of DIA-NN", header, 1, columns, names=names, features=features)


def msstats(first: FirstLines) -> Layout | None:
    """Read MSstats, also as Skyline writes it for that: a row for each ion of each run."""
    header = first.cells(0, first.delimiter)
    places = {letters_of(name): place for place, name in enumerate(header)}
    run, area = (
        next((places[name] for name in names if name in places), -1) for names in (_RUNS, _AREAS)
    )
    is_of_peptides = any(name in places for name in _IONS[:2])
    if not (is_of_peptides and places.keys() >= {"proteinname", *_OF_RUNS}) or min(run, area) < 0:
        return None
    ions = tuple(places[name] for name in _IONS if name in places)
    step = f"Read as ions of MSstats: each {header[run]} is a row."
    asked = {"samples": f"Each row has the {header[area]} of one ion in one {header[run]}"}
    turned = Long((run,), ions, area, tuple(places[name] for name in _OF_RUNS))
    return Layout(step, tuple(header), 1, first.delimiter, asked=asked, turned=turned)


def perseus(first: FirstLines) -> Layout | None:
    """Perseus: rows of types, groups and descriptions that begin with #! below the names."""
    n_above = 1 + len([*takewhile(_MARKS_OF_PERSEUS.match, first.texts[1:])])
    below = {
        match["name"]: [row[0][match.end() :], *row[1:]]
        for row in map(first.cells, range(1, n_above))
        if row and (match := _MARKS_OF_PERSEUS.match(row[0]))
    }
    header, types = first.cells(0), below.get("Type", [])
    columns = [i for i, kind in enumerate(types) if kind == "E"]
    if len(header) != len(types) or not columns:
        return _prefixed_perseus(first)
    marks = {
        name.partition(":")[2]: [row[i] for i in columns]
        for name, row in below.items()
        if name.startswith(("C:", "N:")) and len(row) == len(header)
    }
    features = [i for i, kind in enumerate(types) if kind == "T"]
    return _matrix("a matrix of Perseus", header, n_above, columns, features=features, marks=marks)


def _prefixed_perseus(first: FirstLines) -> Layout | None:
    """A matrix of Perseus whose other columns are named "T: …", "N: …" and "C: …"."""
    header = first.cells(0)
    texts = [i for i, name in enumerate(header) if name.startswith("T: ")]
    if not texts:
        return None
    columns = [i for i, name in enumerate(header) if not _PREFIX_OF_PERSEUS.match(name)]
    if len(header) - len(columns) < _LEAST_PREFIXED:
        return None
    named = [i for i in texts if header[i].endswith("rotein IDs")]
    return _matrix("a matrix of Perseus", header, 1, columns, features=[*named, *texts])


def fragpipe(first: FirstLines) -> Layout | None:
    """Combined proteins or peptides of FragPipe, several columns for each sample."""
    header = first.cells(0)
    if _FRAGPIPE.isdisjoint(header):
        return None
    for kind in _INTENSITIES:
        columns = [i for i, name in enumerate(header) if name.endswith(kind)]
        if kind == _INTENSITIES[1]:
            columns = [i for i in columns if not header[i].endswith(_OTHER_INTENSITIES)]
        columns = [i for i in columns if not header[i].startswith("Summarized ")]
        if len(columns) > 1:
            break
    else:
        return None
    features = [header.index(name) for name in ("Peptide Sequence", "Protein ID") if name in header]
    names = [header[i].removesuffix(kind) for i in columns]
    what = f"a table of FragPipe ({kind.strip()})"
    return _matrix(what, header, 1, columns, names=names, features=features)


def xcms(first: FirstLines) -> Layout | None:
    """Peaks of XCMS: what these are, how many each class has, and a column for each sample."""
    header = first.rows[0] if first.rows else []
    if not _XCMS.issubset(header):
        return None
    # A sample may lack the peaks of many rows.
    rows = [row for row, _ in first.records(first.delimiter) if len(row) == len(header)]
    cells = [*zip(*rows[1:], strict=True)]
    n_peaks = header.index("npeaks")
    names_behind = range(n_peaks + 1, len(header) if cells else 0)
    others = dropwhile(lambda column: not _is_sample(cells[column], cells[n_peaks]), names_behind)
    samples = takewhile(lambda column: not any(map(_is_word, cells[column])), others)
    columns = [
        column
        for column in samples
        if header[column] not in ("ms_level", "peakidx") and any(cells[column])
    ]
    names = [PureWindowsPath(header[column]).stem for column in columns]
    features = (header.index("name") if "name" in header else 0,)
    mark = first.delimiter
    return _matrix(
        "peaks of XCMS", header, 1, columns, names=names, features=features, delimiter=mark
    )


def _is_sample(cells: Sequence[str], n_peaks: Sequence[str]) -> bool:
    """Return whether cells are no numbers of peaks: one exceeds these, or none is given."""
    return any(map(_exceeds, cells, n_peaks)) or (any(cells) and {*cells}.issubset(MISSING))


def _is_word(cell: str) -> bool:
    return cell not in MISSING and not is_number(cell)


def _exceeds(cell: str, n_peaks: str) -> bool:
    """Return whether a cell is a number above that of the peaks, and so none of these."""
    return is_number(cell) and is_number(n_peaks) and float(cell) > float(n_peaks)


def lipidsearch(first: FirstLines) -> Layout | None:
    """Lipids of LipidSearch: areas of samples, or columns behind all that it says of lipids."""
    header = first.cells(0, first.delimiter)
    of_lipids = [i for i, name in enumerate(header) if name in _OF_LIPIDS]
    features = [header.index(name) for name in _LIPIDS if name in header]
    if not features or "Class" not in header:
        return None
    matches = [_AREAS_OF_LIPIDS.fullmatch(name) for name in header]
    areas = {column: match["sample"] for column, match in enumerate(matches) if match}
    samples = areas or dict(enumerate(header[of_lipids[-1] + 1 :], start=of_lipids[-1] + 1))
    return _matrix(
        "lipids of LipidSearch",
        header,
        1,
        [*samples],
        names=[*samples.values()],
        features=features,
        delimiter=first.delimiter,
    )


def nanostring(first: FirstLines) -> Layout | None:
    """Counts of NanoString: what codes are, and a column for each sample, perhaps named above."""
    heads = [
        [_MARKS_IN_NAMES.sub("", name).lower() for name in row[: len(_NANOSTRING) + 1]]
        for row in first.rows
    ]
    # Names of the rows, as R writes them, may have a name of their own.
    places = [
        place for place, head in enumerate(heads) if _NANOSTRING in (head[:-1], head[1:], head)
    ]
    if not places:
        return None
    place = places[0]
    n_before = heads[place][1:] == _NANOSTRING
    names, n_above = first.numbered_rows[place]
    below = [row for row, _ in first.records(first.delimiter, n_above)]
    n_without = max(0, len(below[0]) - len(names)) if below else 0
    header, n_rows = [""] * n_without + names, n_before + n_without
    start = n_rows + len(_NANOSTRING)
    columns = range(start, len(header))
    kinds = {row[n_rows] for row in below if len(row) == len(header)}
    above = {row[0]: row[start:] for row in first.rows[:place] if any(row[start:])}
    said = {
        name: texts
        for name, texts in above.items()
        if len(texts) == len(columns) and len({*texts}) > 1 and not any(map(is_number, texts))
    }
    ids = next((name for name in reversed(said) if len({*said[name]}) == len(columns)), "")
    return _matrix(
        "counts of NanoString",
        header,
        n_above,
        columns,
        names=said.pop(ids, None),
        features=(n_rows + 1,),
        marks=said,
        left_out={n_rows: tuple(kind for kind in kinds if not kind.startswith(_MEASURED))},
        delimiter=first.delimiter,
    )


def bracken(first: FirstLines) -> Layout | None:
    """Combined abundances of Bracken: reads and shares of each sample."""
    header = first.cells(0)
    if header[: len(_BRACKEN)] != _BRACKEN:
        return None
    columns = [column for column, name in enumerate(header) if name.endswith(_FRACTION)]
    names = [header[column].removesuffix(_FRACTION) for column in columns]
    return _matrix("shares of Bracken", header, 1, columns, names=names)


def mztab(first: FirstLines) -> Layout | None:
    """Small molecules or proteins of mzTab; variables of the study say what its assays are."""
    if first.starting(_MZTAB) < 0:
        return None
    begin = first.starting(*_HEADERS_OF_MZTAB)
    header = first.cells(max(begin, 0))
    matches = [_ABUNDANCE.fullmatch(name) for name in header]
    assays = {column: match["assay"] for column, match in enumerate(matches) if match}
    if begin < 0 or len(assays) < 2:
        return Layout("Read as mzTab.", (), 1, refusal=_NO_ABUNDANCES)
    remarks = takewhile(lambda text: text.startswith("COM"), first.texts[begin + 1 :])
    n_above = begin + 1 + len([*remarks])
    said = {cells[1]: cells[2] for line in range(begin) if len(cells := first.cells(line)) > 2}
    variables = {
        assay.strip(): said.get(variable, said.get(f"{variable}-description", variable))
        for key, assays_of_key in said.items()
        if key.startswith("study_variable[") and key.endswith("-assay_refs")
        for variable in [key.removesuffix("-assay_refs")]
        for assay in re.split("[|,]", assays_of_key)
    }
    marks = {"study variable": [variables.get(assay, "") for assay in assays.values()]}
    return _matrix(
        "a table of mzTab",
        header,
        n_above,
        [*assays],
        names=[said.get(assay, assay) for assay in assays.values()],
        features=[header.index(name) for name in _NAMES_OF_MZTAB if name in header],
        marks=marks if variables else {},
        until=_ENDS_OF_MZTAB,
    )


def mothur(first: FirstLines) -> Layout | None:
    """Shared operational taxonomic units of mothur: a row for each sample, at several distances."""
    header = first.cells(0)
    if header[:3] != ["label", "Group", "numOtus"] or len(header) < 5:
        return None
    answers = {
        LABEL: NO_LABEL,
        f"{USE}label": Use.IGNORED.value,
        f"{USE}numOtus": Use.IGNORED.value,
        f"{USE}Group": Use.NAME.value,
    }
    step = "Read as shared OTUs of mothur."
    return Layout(step, tuple(header), 1, answers=answers, level=_OF_SPECIES)


def otu_table(first: FirstLines) -> Layout | None:
    """Tables of QIIME 1 and of biom convert: #OTU ID, samples, and perhaps taxonomy."""
    begin = first.starting("#OTU ID", "#OTU_ID", "#OTUID")
    if begin < 0 or begin > _MOST_ABOVE:
        return None
    header = first.cells(begin)
    columns = [i for i in range(1, len(header)) if header[i].lower() not in _LINEAGES]
    return _matrix("a table of OTUs", header, begin + 1, columns)


def mwtab(first: FirstLines) -> Layout | None:
    """Metabolites of the Metabolomics Workbench (mwTab), whose factors stand below the samples.

    Also as a sheet saves it, with commas.
    """
    if not first.texts or not first.texts[0].lstrip('"').startswith(_MWTAB):
        return None
    begin = first.starting(*_DATA_OF_MWTAB)
    mark = max(DELIMITERS, key=lambda mark: len(first.cells(begin + 1, mark)))
    header, factors = first.cells(begin + 1, mark), first.cells(begin + 2, mark)
    if begin < 0 or header[:1] != ["Samples"]:
        return Layout("Read as mwTab.", (), 1, refusal=_NO_METABOLITES)
    columns = [column for column, name in enumerate(header) if column and name]
    marks: dict[str, list[str]] = {}
    has_factors = factors[:1] == ["Factors"] and len(factors) == len(header)
    if has_factors:
        for i, column in enumerate(columns):
            for part in factors[column].split("|"):
                name, _, value = (text_of_part.strip() for text_of_part in part.partition(":"))
                marks.setdefault(name, [""] * len(columns))[i] = value
    n_above = begin + 2 + has_factors
    what = "metabolites of the Metabolomics Workbench"
    return _matrix(
        what, header, n_above, columns, marks=marks, until=_ENDS_OF_MWTAB, delimiter=mark
    )


def _matrix(
    what: str,
    header: Sequence[str],
    n_above: int,
    columns: Sequence[int],
    *,
    names: Sequence[str] | None = None,
    features: Sequence[int] = (0,),
    marks: dict[str, list[str]] | None = None,
    left_out: dict[int, tuple[str, ...]] | None = None,
    until: tuple[str, ...] = (),
    delimiter: str = "\t",
) -> Layout | None:
    """A table that is turned, features named by another column if need be; None without samples."""
    features = tuple(features) or tuple(sorted({*range(len(header))} - {*columns}))[:1]
    if len(columns) < 2 or not features:
        return None
    named = tuple(names or (header[i] for i in columns))
    turned = Turned(tuple(columns), named, features, marks or {}, left_out or {})
    step = f"Read as {what}: its columns are samples."
    return Layout(step, tuple(header), n_above, delimiter, turned=turned, until=until)


def metidq(first: FirstLines) -> Layout | None:
    """Concentrations of MetIDQ of Biocrates: limits of detection stand above or below the names."""
    begin = next(
        (
            line
            for line, text in enumerate(first.texts)
            if "Sample Identification" in text
            and _METIDQ.issubset(map(str.casefold, first.cells(line)))
        ),
        -1,
    )
    if begin < 0:
        return None
    names = first.cells(begin)
    folded = [name.casefold() for name in names]
    sample, plate = folded.index("sample identification"), folded.index("plate bar code")
    n_above = begin + 1
    while any(below := first.cells(n_above)) and not "".join(below[plate : plate + 1]):
        n_above += 1
    answers = {USE + name: Use.INFO.value for name in names if name.casefold() in _RUNS_OF_METIDQ}
    step = "Read as concentrations of MetIDQ: limits of detection are no samples."
    return Layout(step, tuple(names), n_above, answers={**answers, USE + names[sample]: Use.NAME})


def qiime(first: FirstLines) -> Layout | None:
    """A first column of ids, and #q2:types in the second line that is no comment."""
    stripped = (text.lstrip(' "') for text in first.texts)
    line = next((line for line, text in enumerate(stripped) if text.startswith(_TYPES)), -1)
    if not 1 <= line <= _MOST_ABOVE_TYPES:
        return None
    names, types = first.cells(line - 1), first.cells(line)
    if len(names) < len(types):
        return None
    names[0] = names[0].lstrip("#")
    answers = {
        USE + name: Use.CATEGORY.value
        for name, kind in zip(names[1:], types[1:], strict=False)
        if kind.lower() == "categorical"
    }
    step = "Read as metadata of QIIME 2: it says which columns are categories."
    answers = {USE + names[0]: Use.NAME, **answers}
    return Layout(step, tuple(names), line + 1, answers=answers, is_filled=True)


def isa_tab(first: FirstLines) -> Layout | None:
    """Nodes such as Source Name, and values in brackets such as Factor Value[dose]."""
    header = first.cells(0)
    matches = [_IN_BRACKETS.fullmatch(cell) for cell in header]
    if _NODES.isdisjoint(header) or not any(matches):
        return None
    names = [match["name"] if match else cell for match, cell in zip(matches, header, strict=True)]
    names = [
        f"{name} ({match['kind']})" if match and names.count(name) > 1 else name
        for name, match in zip(names, matches, strict=True)
    ]
    numbered = [
        name if names.count(name) == 1 else f"{name} {number}"
        for number, name in enumerate(names, start=1)
    ]
    answers = {
        USE + name: Use.IGNORED.value
        for name, cell in zip(numbered, header, strict=True)
        if cell.startswith(_REFERENCES)
    }
    if header.count("Sample Name") == 1:
        answers[USE + "Sample Name"] = Use.NAME
    rows = [first.cells(number) for number in range(1, len(first.texts))]
    factors = []
    for column, match in enumerate(matches):
        values = {row[column] for row in rows if column < len(row)} - {""}
        if match and match["kind"] == FACTOR and 2 <= len(values) <= _MOST_CLASSES:
            factors.append(numbered[column])
    if factors:
        answers[LABEL] = factors[0]
    if len(factors) > 1:  # none of which was measured
        answers |= {USE + name: Use.INFO.value for name in factors}
    labels = ("", ": its factor is the label", ": the first of its factors is the label")
    step = f"Read as ISA-Tab{labels[min(len(factors), 2)]}."
    return Layout(step, tuple(numbered), 1, answers=answers)
