"""Files that are no tables, by their first bytes: what they are, and the way out."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ZIP = b"PK\x03\x04"
_COMPOUND = b"\xd0\xcf\x11\xe0"  # of Office before 2007
_AS_CSV = "Save its table as CSV and drop that."
_CELLS = "Copy the cells of its table and paste them here."
_UNPACK = "Unpack it and drop the CSV inside."
_PROGRAM = "a program. Drop a table, such as a CSV."
_PICTURE = "a picture. Drop a table with a row for each picture, or a .zip of folders of pictures."
_SOUND = "a sound. Drop a table with a row for each sound."
_FILM = "a film. Drop a table with a row for each film."
_FONT = "a font. Drop a table, such as a CSV."
_COMPRESSED = "a compressed file. Unpack it, or compress it as .gz."
_DATABASE = "a database. Save one table as CSV and drop that."
_WELLS = "Drop a table with a row for each well: its numbers, and a column that says what is in it."
_CHIP = (
    "a file of the intensities of one chip (CEL). Drop the matrix of all chips that is computed of "
    "them, as affy or oligo do by rma."
)
_SPECTRUM = "Drop a table with a row or a column for each spectrum."
_COUNTS = "Drop the table with a column for each sample that nSolver exports."
_RASTER = "an image of a scanner or telescope. Drop a table with a row for each image."
# Where the first bytes could be letters of a header, a zero byte, which no text has.
_BINARY = b"\0"

_STARTS: tuple[tuple[bytes, bytes, str], ...] = (  # first bytes, others in the file, what it is
    (_ZIP, b"word/document", f"a Word document. {_CELLS}"),
    (_ZIP, b"ppt/slides", f"a presentation. {_CELLS}"),
    *(
        (_ZIP, part, "a file of jamovi or JASP. Export its data as CSV and drop that.")
        for part in (b"xdata.json", b"analyses.json")
    ),
    (_ZIP, b".RCC", f"an archive of counts of NanoString, a file for each sample. {_COUNTS}"),
    (
        _ZIP,
        b"/provenance/VERSION",
        "a file of QIIME 2 without a table of features. Drop the .qza that has this, alone or in a "
        ".zip with the metadata of its samples.",
    ),
    (
        _ZIP,
        b"",
        "a compressed archive. Unpack it and drop the CSV inside; pictures are read beside one "
        "table that names them, or in a folder for each class, and two tables where one names the "
        "samples of the other, and counts where each file has those of one sample.",
    ),
    (_COMPOUND, "WordDocument".encode("utf-16-le"), f"a Word document. {_CELLS}"),
    (_COMPOUND, "PowerPoint Document".encode("utf-16-le"), f"a presentation. {_CELLS}"),
    (b"{\\rtf", b"", f"a text document. {_CELLS}"),
    (b"%PDF", b"", f"a PDF document. {_AS_CSV}"),
    (b"%!PS", b"", f"a printed page (PostScript). {_AS_CSV}"),
    *((start, b"", _COMPRESSED) for start in (b"(\xb5/\xfd", b'\x04"M\x18')),
    *((start, b"", f"a compressed archive. {_UNPACK}") for start in (b"Rar!", b"7z\xbc\xaf")),
    (b"FEA1", b"", "a Feather file of an early version. Save it again, or as CSV."),
    (b"ORC", _BINARY, f"an ORC file. {_AS_CSV[:-1]}, or as Parquet."),
    (b"Obj\x01", b"", f"an Avro file. {_AS_CSV[:-1]}, or as Parquet."),
    (b"CDF\x01", b"", f"a NetCDF file. {_AS_CSV}"),
    (b"CDF\x02", b"", f"a NetCDF file. {_AS_CSV}"),
    (b"SQLite format 3", b"", _DATABASE),
    (b"\0\1\0\0Standard ", b"", _DATABASE),  # Access
    *(
        (
            bytes([0x80, protocol]),
            b"",
            "a pickle, which could run code. Save the table as CSV or Parquet.",
        )
        for protocol in range(2, 6)
    ),
    (b"MATLAB 7.3", b"", "a MATLAB file of version 7.3. Save its table as CSV (writetable)."),
    (b"RDA2\n", b"", "an R workspace as text. Save the table as CSV (write.csv) and drop that."),
    (b"A\n2\n", b"", "an R object as text. Save the table as CSV (write.csv) and drop that."),
    (b"CDF\x05", b"", f"a NetCDF file. {_AS_CSV}"),
    *((start, _BINARY, _PROGRAM) for start in (b"MZ", b"\x7fELF", b"\0asm", b"dex\n", b"!<arch>")),
    *(
        (start, b"", _PROGRAM)  # of macOS, and Java
        for start in (
            b"\xfe\xed\xfa\xce",
            b"\xfe\xed\xfa\xcf",
            b"\xce\xfa\xed\xfe",
            b"\xcf\xfa\xed\xfe",
            b"\xca\xfe\xba\xbe",
        )
    ),
    *(
        (start, _BINARY, _PICTURE)
        for start in (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"8BPS")
    ),
    (b"\xff\xd8\xff", b"", _PICTURE),
    (b"\x89PNG", b"", _PICTURE),
    (b"\0\0\1\0", b"", _PICTURE),  # an icon
    (b"\0\0\0\x0cjP", b"", _PICTURE),
    (b"SIMPLE  =", b"", _RASTER),  # FITS
    *((start, _BINARY, _SOUND) for start in (b"ID3", b"fLaC", b"OggS", b"MThd", b"FORM", b".snd")),
    *((start, _BINARY, _SOUND) for start in (b"\xff\xfb", b"\xff\xf3", b"\xff\xf2", b"#!AMR")),
    *((start, _BINARY, _FILM) for start in (b"\x1aE\xdf\xa3", b"\0\0\1\xba", b"\0\0\1\xb3")),
    *((start, _BINARY, _FILM) for start in (b"FLV\1", b"0&\xb2u\x8ef\xcf\x11")),
    *((start, _BINARY, _FONT) for start in (b"OTTO", b"ttcf", b"wOFF", b"wOF2", b"true\0")),
    (b"\0\1\0\0", b"cmap", _FONT),
    (b"@\0\0\0\4\0\0\0", b"", _CHIP),
    (b"\n\n\xfe\xfe", _BINARY, f"a file of spectra of Bruker (OPUS). {_SPECTRUM}"),
)
# The version, the kind of experiment and the exponent, and a number of points below 2^24.
_SPC = re.compile(rb"[\0-\xff]K[\0-\x0f][\0-\x20\x80][\0-\xff]{3}\0")
_LATER: tuple[tuple[int, bytes, str], ...] = (  # bytes at a place
    *((4, b"ftyp" + kind, _PICTURE) for kind in (b"heic", b"heix", b"mif1", b"avif")),
    (4, b"ftypM4A", _SOUND),
    (4, b"ftyp", _FILM),
    (4, b"moov", _FILM),
    (4, b"mdat", _FILM),
    (128, b"DICM", _RASTER),
    (344, b"n+1\0", _RASTER),  # NIfTI
)
_RIFF = {b"WAVE": _SOUND, b"AVI ": _FILM, b"WEBP": _PICTURE}
_TEXTS = {
    re.compile(
        r"(?:Investigation|ONTOLOGY SOURCE REFERENCE)\b"
    ): "an investigation of ISA-Tab. Drop "
    "a study or assay file of it, s_….txt or a_….txt, or its m_…_maf.tsv.",
    re.compile(r"\s*<(?:!doctype html|html|table)\b", re.IGNORECASE): "a web page. Save its table "
    "as CSV, or copy its cells, and drop that.",
    re.compile(r"\s*<\?xml\b", re.IGNORECASE): "an XML document. Save its table as CSV and drop "
    "that.",
    re.compile(
        r"(?:\s|--[^\n]*\n|(?:/\*|SET |SELECT )[^\n]*\n)*"
        r"(?:(?:CREATE|DROP|LOCK) (?:TABLE|DATABASE|SCHEMA)|INSERT INTO|BEGIN TRANSACTION|PRAGMA )",
        re.IGNORECASE,
    ): "a script of a database (SQL). Save one of its tables as CSV and drop that.",
    re.compile(r"(?:\s|%[^\n]*\n)*\\(?:begin|documentclass|toprule|hline)\b"): "a LaTeX document. "
    f"{_CELLS}",
    re.compile("LabVIEW Measurement"): "a measurement of LabVIEW, rows of one signal. Drop a table "
    "with a row or a column for each measurement.",
    re.compile(
        r'"[^"=\n]{1,99}"=[-+.0-9eE]+[,|]'
    ): "a basket of Orange. Save the table there as .tab or CSV and drop that.",
    re.compile("##fileformat=VCF"): "a file of variants (VCF). Drop a table with a row for each "
    "sample, such as PLINK writes it (--recode A).",
    re.compile(
        r"##TITLE=.*\r?\n(?:##|\$\$)", re.IGNORECASE
    ): f"a single spectrum (JCAMP-DX). {_SPECTRUM}",
    re.compile(
        r"<Header>\s*FileVersion,"
    ): f"a file of the counts of one sample (NanoString RCC). {_COUNTS}",
    re.compile(r"\[CEL\]\s*Version="): _CHIP,
    re.compile(
        r'"?Program"?,"?xPONENT\b'
    ): "a report of Luminex (xPONENT), which has several tables. "
    "Drop one of them, such as that below Median, with a row for each sample.",
    re.compile(r"User: [^\n,]*,Path: [^\n,]*,Test run no"): f"a plate of a BMG reader. {_WELLS}",
    re.compile("##BLOCKS="): f"a file of plates of SoftMax Pro. {_WELLS}",
    re.compile(
        r"\s*Software Version\t[\d.]+\s+Experiment File Path:"
    ): f"a plate of Gen5. {_WELLS}",
    re.compile(
        r">[^\n,;\t]*\r?\n[A-Za-z*-]{5,}\r?\n"
    ): "a file of sequences (FASTA). Drop a table with "
    "a row for each, such as of the counts of their parts.",
}


def foreign_file(raw: bytes) -> str:
    """Describe bytes that are no table, with the way out; empty if they may be text.

    Examples
    --------
    >>> foreign_file(b"%PDF-1.7")
    'a PDF document. Save its table as CSV and drop that.'
    """
    return next(_found(raw), "")


def _found(raw: bytes) -> Iterator[str]:
    if raw.startswith(b"RIFF") and raw[8:12] in _RIFF:
        yield _RIFF[raw[8:12]]
    for start, content, kind in _STARTS:
        if raw.startswith(start) and content in raw:
            yield kind
    if _SPC.match(raw):
        yield f"a file of spectra of GRAMS (SPC). {_SPECTRUM}"
    for place, signature, kind in _LATER:
        if raw.startswith(signature, place) and _BINARY in raw[: place + len(signature) + 4]:
            yield kind


def foreign_text(text: str) -> str:
    """Describe text that is no table, with the way out; empty if it may be one.

    Examples
    --------
    >>> foreign_text("<!doctype html><p>")
    'a web page. Save its table as CSV, or copy its cells, and drop that.'
    """
    return next((kind for start, kind in _TEXTS.items() if start.match(text)), "")
