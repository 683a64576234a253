"""Files that are refused, with the sentence that says what they are and the way out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class RefusedFile:
    """A file and what is said of it.

    Attributes
    ----------
    file : str
    raw : bytes
    said : tuple of str
        Parts of the message: what the file is, and the way out.
    """

    file: str
    raw: bytes
    said: tuple[str, ...]


def sound() -> RefusedFile:
    raw = b"RIFF\x24\x08\0\0WAVEfmt \x10\0\0\0\1\0\1\0" + bytes(40)
    return RefusedFile("bird.wav", raw, ("bird.wav is a sound.", "a row for each sound"))


def song() -> RefusedFile:
    return RefusedFile("song.mp3", b"ID3\x04\0\0\0\0\0\x21" + bytes(40), ("is a sound.",))


def film() -> RefusedFile:
    raw = b"\0\0\0\x20ftypisom\0\0\2\0" + bytes(40)
    return RefusedFile("clip.mp4", raw, ("clip.mp4 is a film.", "a row for each film"))


def telephone_picture() -> RefusedFile:
    raw = b"\0\0\0\x18ftypheic\0\0\0\0" + bytes(40)
    return RefusedFile("IMG_1.HEIC", raw, ("is a picture.", "a row for each picture"))


def font() -> RefusedFile:
    raw = b"\0\1\0\0\0\x0e\0\x80cmap" + bytes(40)
    return RefusedFile("a.ttf", raw, ("a.ttf is a font.", "Drop a table"))


def program_of_linux() -> RefusedFile:
    return RefusedFile("run", b"\x7fELF\2\1\1" + bytes(40), ("run is a program.", "Drop a table"))


def program_of_macos() -> RefusedFile:
    return RefusedFile("run", b"\xcf\xfa\xed\xfe\7\0\0\1" + bytes(40), ("is a program.",))


def old_word() -> RefusedFile:
    raw = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "WordDocument".encode("utf-16-le")
    return RefusedFile("letter.doc", raw, ("is a Word document.", "Copy the cells of its table"))


def access() -> RefusedFile:
    raw = b"\0\1\0\0Standard ACE DB\0" + bytes(40)
    return RefusedFile("shop.accdb", raw, ("is a database.", "Save one table as CSV"))


def sequences() -> RefusedFile:
    raw = b">NM_000546 TP53\nATGGAGGAGCCGCAGTCAGATCC\nTAGCGTCG\n>NM_002467 MYC\nCTGGATTTT\n"
    return RefusedFile("genes.fasta", raw, ("is a file of sequences (FASTA).", "a row for each"))


def scan() -> RefusedFile:
    return RefusedFile("scan.dcm", bytes(128) + b"DICM\2\0\0\0UL", ("is an image of a scanner",))


def transcripts_of_one_sample() -> RefusedFile:
    header = "Name\tLength\tEffectiveLength\tTPM\tNumReads\n"
    rows = "".join(f"NM_{at}\t{900 + at}\t{700 + at}\t{at % 5}.5\t{at % 7}\n" for at in range(12))
    return RefusedFile(
        "quant.sf", (header + rows).encode(), ("a single sample", "Put those of all")
    )


FILES = (
    sound, song, film, transcripts_of_one_sample,
    telephone_picture, font, program_of_linux, program_of_macos, old_word, access, sequences, scan,
)  # fmt: skip
