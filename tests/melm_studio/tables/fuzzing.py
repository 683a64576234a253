"""Read ever new variants of known files: damaged on purpose, or towards new code.

`python -m tests.melm_studio.tables.fuzzing [--inputs N] [--each N] [--seed S]` prints what was
found as JSON, and a line of how far it is after every so many files. First each known file is cut
off, told to be longer, or written otherwise in so many ways. Then those are varied further that
come to a new pair of lines. Files are read in processes with the limits of a reader.
"""

from __future__ import annotations

import argparse
import base64
import bz2
import gzip
import io
import itertools
import json
import logging
import lzma
import os
import random
import re
import resource
import signal
import struct
import sys
import threading
import time
import traceback
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import numpy as np

from melm_core.base import UserError
from melm_studio.reading import OwnProcessReader, ReadingLimits
from melm_studio.reading.channel import FAILED
from melm_studio.reading.fork_server import bound_this_process
from melm_studio.tables.grammars import GRAMMARS, FirstLines
from melm_studio.tables.preparation import prepare
from melm_studio.tables.read import FORMATS, SEVERAL
from melm_studio.tables.read_apart import JOB, read_table_apart, warm_up
from melm_studio.tables.readers import is_arff, is_excel
from melm_studio.tables.readers.unpack import STREAMS
from melm_studio.tables.text import ZIP, TableError, as_utf8
from tests.melm_studio.tables.programs import PROGRAMS
from tests.melm_studio.tables.test_formats import FRAME, PATHS, TEXTS, flow, ions_of_msstats
from tests.melm_studio.tables.test_h5ad import cell_ranger
from tests.melm_studio.tables.test_readers import arrow_file, open_document
from tests.messy_tables import MESSY, REFUSED

_MEMORY_MB, _CPU_S = 1_024, 60
_ANSWERS = 3  # the first descriptor behind those that every process has
_SLOW_S, _AT_ONCE = 10, 50  # CPU seconds of a file, and files that a process reads
_MOST_ROWS, _MOST_COLUMNS = 2_000_000, 10_000
_MOST_BYTES = 50_000
_TOLD_EVERY = 10
_PREPARED_OF = 4  # tables that are read, one, which takes longer
_WORDS = (
    b"NA", b"1e308", b"1,5", b"1'000", b"-inf", b"0x1F", b"2024-01-31", b"12:30", b"=1+1",
    b"9" * 400, b"<script>", "é".encode(), "\u202e".encode(), b"\xff\xfe", rb"\ud800", b"class",
    b"id",
)  # fmt: skip
_DATE = re.compile(rb"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z")
_OUT_OF_TIME = (signal.SIGKILL, signal.SIGXCPU, signal.SIGALRM)
_TRACED = re.compile(r".*/melm_studio/tables/.*")
_SENTENCE = re.compile(r"[^\s<][^\n]+\.")
_EXCEPTION = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Interrupt)\b|Traceback|<class|Internal")
# Of programs that no package of these tests writes, compressed: of xlwt, and of SAS.
_XLS, _SAS7BDAT = (
    zlib.decompress(base64.b85decode(text.replace("\n", "")))
    for text in (
        """
c-rllOK8+k6o${uWS*VLWS)INDFs`t-KZNk?Wmw#S*jaF1f4nqmev`Wc4IeIYnOuHN^w)@#!c0Y4^+^dh)~gmAPB84T?q;<+
QxHFGReK;U35U}gPb8JH#hn6pXB~|OkOXiRu=ActU^N!K>#+aD1?MQhEue@U;?hUEZ(foBRE-p{8JH);6R3g@Hp`*%*T+A_b
O;`SAUKf;3G~a;XI5~E9LGjj003dk?|S^F*CS@JqEN>RcXp+C}$|&p)H?K-bX!GDG%bdE9?X;7e@N`Ixar0_0T#4_<kP{^PY
NkK@MJU7hk-_>}`XvzcyZ+{5w~4>2X*D9Jk?erCcjcu0R$Ca1p*)-2h+fSL(BFzkh4{8DRf+xj(Gvzpm*3vtXSjgU>@8UIzF
Y9ZJRN;u`cpCoTo42d2hn$~Ze$oSMSf#CWBIj-9MxI$MqLJ2PF$rgSAI$l-C!B}h^`MLsw2UcGkv%bUYvqlHt{GfQ`G`yRiI
mjxDF;snA5t!bys>+2_CC*{ku*G_78P|jk(IPV?JIgLYew9OS-+lxATDBc$Og!Xo9&woDhuxtKPVF$LChF52@OYaH`(1XvM6
7u{v2Lo(?-Mqo$QK3F(&i&v6<@TTM4H3<BYPXyRSrXPEM$Hsudx@VN<}PW@x#Bcypr4{5BU*DaBaRUla5zoD*+duRkjrVr=?
)iAZ~-C=%4wGiNP4=0(~0P(-0O0>q!(0hK_WU_RhtV+dLacDA|gh4x66ejy|97{yA|5i+FV%Dizv7V5%~r#BI!jHT+|%_vCg
QZ7gKQdk@Ym3mzbp2qTpKGkrT(EMbe8axVYdmZ`|XOUP8eols-#HdWM2C1fO}nHYB~If=dcM^YoIEo~htW!Drs_nUY>g!KDP
BdFL}F>7^B1TJV`SerZWBqu?@v&pf|mB)zPH%L+d8{F#;Xatbad_{`&Sl3rfH<prO4b>=0#Rt488_{=*mt&(1wf@>3e=8Z#}
t2d;j;XdCjzL$9s13&!m!w*0HWH5TuwcqP?=g$UzR)wAKI_o%X_@7Ds+c*kU{7vH@(}PgKc?~W!<)1tRS$$t@lT7`4A&+CIU
V{l3qdF#<_AkD-G4Xgd4Vu615^7d|qnSE?v;GfIj1~R
""",
        """
c-rmN&x@30902h5-5qr*Nf+i|5Hwie9%|WjmQ5jWMs`zSw}hQTg8f)sO=(9#G+YSUpo0gYA9yJ`bm$KVyhIe49`a^nhrkZip
@VcV3{6wFdEa^G*VAq;ribeDf#-eZ`<>_eKF>SPGc!@tcKYHQFP$v(o%{UVe01MeL&w)VvbwLdHY%0ko}sugq!2~DaaX<+KU
#_kg{asYH}5l9nJhlNZG3F9GO>Mpta!&pE7eNUC-+>p_o4jD?_8)f`*fn>XXSREOdm&a)NSLy;PBwkL}`5gfg?vd^6Lji21@
In7}+>7FtlOd$$_9OI=W%x#gXB5oXq=5|EslT3&(%6<xHh>oe=;400000000000000000000000000000000000000000000
0000000000000000000000000000000z`xA-EoUkV<xgDBUi1{ARrT(>8;!8Pw|m^FEWakG-*>&yKiAWp|M*&?|D>6S8{N(<
Uk&nK|K8}22l-=Jeru55n&r#Edh(0p&t6?Pe{7Nb)<yF9Me=8_{Cz%He)Rr(iC;G*ujkHvTQ8f7P9D6F?a`%8oqhR-AIno&T
`6_Bk>CIQsrt^WdiK+wzKpu3Py6EYzm<1oiM@%<Z=G8BbTsG7x0b)Vvu^K|FVf&#l*}{tbN}+w-ScJZocX0Z-92C9{af?%U4
8I;Nq&#7C;$Ke00000000000000000000000000000000000000000000000000000000000000000000000C&NyKju?mz7X
}Mt?k1oSHFIcUT<H&vfheanYYu*<9A#?msY;E#QH>kS2Ppl>(}Y@di(nOv({FPme;T2>Ge+5Urty4)DqVpXRU28jUNxPw;JX
1!_nE-qxAiT710Crkt?!jd21(^)pK#Z>P9f*jqE;0TeG#-5#@SX<I+zr7q>peX1qFx*937fi2H-MQ?``(ax3##_Nfoo*Pj^8
;+<K1IE&xR;uFCxMbXXdo*#AOih<EewK7>9+g_X9y>IGJGHavNW)B>x)%(q3lhvfvW~ZkP?}?%vJ0>PZN8A1M;r+Ee$?7WAv
Ff&ovC1<$MysRMiQ4SU)UKJ%`h$n2yYAO0Olp$0(8e^^oonsyy|Hpd_j!n0C#d5*bi_A<ak*ezF4)t!bq>47Eep<b96V<jXJ
4E7+da?qC62qc#Bu)>SLzlzM_22T{!$kA1@HF_u1)(5!M=sU`!;`<)^+{DwY`w*J}2}4v;Fv|&TlzWxf}Os?n+M(KN!TTgSZ
gH`Fr-H`Hp|kLdQHS)7K9#apqiorSV_>C2Fl(FI)VhN&N}*;&z<
""",
    )
)


@dataclass(frozen=True)
class Sample:
    """A file that is varied."""

    name: str
    raw: bytes


@dataclass
class Found:
    """What came of all files."""

    n_known: int = 0
    n_inputs: int = 0
    n_kept: int = 0
    n_pairs: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    ends_of: dict[str, Counter[str]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        cpu_s = sum(one.ru_utime + one.ru_stime for one in used)
        return (
            f"{self.n_inputs} files, {self.n_kept} kept, {self.n_pairs} pairs of lines, "
            f"{cpu_s:.0f} CPU seconds, {dict(self.ends)}, {len(self.wrong)} wrong"
        )

    def add(self, what: str, sample: Sample, end: str, tell: Callable[[str], Any]) -> None:
        """Count the end of a file, and tell it if it is wrong."""
        kind = end.partition(":")[0]
        self.n_inputs += 1
        self.ends[kind] += 1
        self.ends_of.setdefault(what, Counter())[kind] += 1
        if kind not in ("read", "refused", "memory"):
            raw = base64.b85encode(zlib.compress(sample.raw)).decode()
            self.wrong.append(f"{what} {sample.name} {raw[:4_000]}: {end}")
            tell(self.wrong[-1])
        if self.n_inputs % _TOLD_EVERY == 0:
            tell(str(self))


# ---------------------------------------------------------------- known files


@cache
def known_files() -> Mapping[str, Sample]:
    """All small files whose reading is known, by what they are."""
    made = [(name, make()) for files in (MESSY, REFUSED) for name, make in files.items()]
    known = {name: Sample(one.file, one.raw) for name, one in made if len(one.raw) <= _MOST_BYTES}
    known |= {name: Sample(one.file, one.raw) for name, one in PROGRAMS.items()}
    known |= {name: Sample("file", raw) for name, (raw, *_) in TEXTS.items()}
    known["ions"] = Sample("file", ions_of_msstats().to_csv(index=False).encode())
    known |= {name: Sample("file", raw) for name, raw in _others().items()}
    return {name: replace(sample, raw=_undated(sample.raw)) for name, sample in known.items()}


def of_every_format() -> dict[str, Sample]:
    """The smallest known file of each format and grammar, and those of programs that are few.

    Raises
    ------
    LookupError
        If there is none of a format.
    """
    known, texts = known_files(), dict[str, FirstLines]()
    for name, sample in known.items():
        with suppress(TableError):
            texts[name] = FirstLines(as_utf8(sample.raw, "").data)
    files = {name: known[name] for name in _others()}
    for what, is_such in _recognizers().items():
        named = {name for name, sample in known.items() if is_such(sample.raw)}
        files[what] = _smallest(what, named)
    for what, grammar in GRAMMARS.items():
        files[what] = _smallest(what, {name for name, first in texts.items() if grammar(first)})
    return files


def _recognizers() -> dict[str, Callable[[bytes], bool]]:
    """What knows a format by its bytes."""
    starts = {"zip": ZIP, **{kind: start for start, (_, kind, _) in STREAMS.items()}}
    return {
        **{is_such.__name__: is_such for is_such, _ in (*SEVERAL, *FORMATS)},
        "workbook": is_excel,
        "ARFF": lambda raw: is_arff(raw.decode("latin-1")),
        **{kind: lambda raw, start=start: raw.startswith(start) for kind, start in starts.items()},
    }


def _smallest(what: str, names: Collection[str]) -> Sample:
    if not names:
        raise LookupError(f"No known file is {what}: add one to those that are varied.")
    return min((known_files()[name] for name in names), key=lambda sample: len(sample.raw))


def _undated(raw: bytes) -> bytes:
    """A file without the time at which it was written, so that its variants are the same ones."""
    if not raw.startswith(ZIP):
        return raw
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        parts = {part.filename: archive.read(part) for part in archive.infolist()}
    return zipped({name: _DATE.sub(b"2000-01-01T00:00:00Z", part) for name, part in parts.items()})


def _others() -> dict[str, bytes]:
    """Formats that other tests write into files, or not at all."""
    files = {}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        for name, write in {**PATHS, "flow cytometry": flow}.items():
            write(path)
            files[name] = path.read_bytes()
    cells = FRAME.assign(kind=FRAME["kind"].astype("str"))
    saved = io.BytesIO()
    np.save(saved, FRAME[["size", "mass"]].to_numpy())
    series = "\n".join(f"{at % 5},{at % 7}:{at % 3},?:{'ab'[at % 2]}" for at in range(9))
    return {
        **files,
        **{f"{kind} of a frame": arrow_file(cells, kind) for kind in ("parquet", "feather")},
        "npy": saved.getvalue(),
        "counts of Cell Ranger": cell_ranger(),
        "OpenDocument": open_document(FRAME.astype(str).to_numpy().tolist()),
        "Excel before 2007": _XLS,
        "SAS": _SAS7BDAT,
        "time series": f"@problemName x\n@classLabel true a b\n@data\n{series}\n".encode(),
    }


# ---------------------------------------------------------------- damage

Edit = tuple[int, int, bytes]  # what stands in place of the bytes from, to
_HOSTILE = (0, -1, 10**9, 2**31 - 1, 2**32 - 1, 2**63 - 1)
_MARKS = re.compile(rb"[\n\r,;\t\[\]{}:<>@#!^]")
_EDGES = re.compile(rb"[A-Za-z_]{3,}|\0{4,}|\xff{4,}")
_MOST_PLACES, _CUT_ANYWHERE = 60, 20
_ODD = (
    b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\0", b"\xed\xa0\x80", b"\xe9", b"\x1b$B",
    "\u202e".encode(), b'"', b"\r",
)  # fmt: skip


def damaged(sample: Sample, n: int, chance: random.Random) -> Iterator[Sample]:
    """So many ways to damage a file, or one of the files within it."""
    opened = list(_opened(sample.raw))
    edits_of: dict[int, list[list[Edit]]] = {}
    for _ in range(n):
        which = chance.randrange(len(opened))
        raw, packed = opened[which]
        if which not in edits_of:
            edits_of[which] = _edits(raw, chance)
        start, stop, new = chance.choice(chance.choice(edits_of[which]))
        yield Sample(sample.name, packed(raw[:start] + new + raw[stop:]))


def _opened(raw: bytes) -> Iterator[tuple[bytes, Callable[[bytes], bytes]]]:
    """A file, and each file that it holds, with what packs it again."""
    yield raw, bytes
    for start, module in ((b"\x1f\x8b", gzip), (b"BZh", bz2), (b"\xfd7zXZ", lzma)):
        if raw.startswith(start):
            yield module.decompress(raw), module.compress
    if raw.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            parts = {part.filename: archive.read(part) for part in archive.infolist()}
        for name, content in parts.items():
            yield content, lambda new, name=name: zipped({**parts, name: new})


def zipped(parts: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _edits(raw: bytes, chance: random.Random) -> list[list[Edit]]:
    """What may be done to a file, by kind."""
    is_text = b"\0" not in raw[:1_000]
    kinds = [_cuts(raw, is_text, chance), _numbers(raw, chance)]
    kinds.append([*_texts(raw), *_headers(raw)] if is_text else _fields(raw, chance))
    return [kind for kind in kinds if kind]


def _cuts(raw: bytes, is_text: bool, chance: random.Random) -> list[Edit]:
    marks = (_MARKS if is_text else _EDGES).finditer(raw)
    ends = sorted({place for mark in marks for place in mark.span()})
    ends = [*ends[:_MOST_PLACES], *ends[-_MOST_PLACES:]]
    ends += [chance.randrange(len(raw) + 1) for _ in range(_CUT_ANYWHERE)]
    return [(end, len(raw), b"") for end in ends]


def _numbers(raw: bytes, chance: random.Random) -> list[Edit]:
    spans = [number.span() for number in re.finditer(rb"[0-9]+", raw)]
    chosen = [*spans[:_MOST_PLACES], *chance.sample(spans, min(len(spans), _MOST_PLACES))]
    return [(*span, b"%d" % value) for span in chosen for value in _HOSTILE]


def _fields(raw: bytes, chance: random.Random) -> list[Edit]:
    """Whole numbers of one to eight bytes, of either order, that could be lengths or counts."""
    edits: list[Edit] = []
    windows = np.lib.stride_tricks.sliding_window_view(np.frombuffer(raw + bytes(8), np.uint8), 4)
    for order in "<>":
        zeros = windows[:, 2:] if order == "<" else windows[:, :2]
        places = np.flatnonzero(~zeros.any(axis=1) & windows.any(axis=1)).tolist()
        chosen = [*places[:_MOST_PLACES], *chance.sample(places, min(len(places), _MOST_PLACES))]
        for at, value in itertools.product(chosen, _HOSTILE):
            for kind, n_bytes in (("H", 2), ("I", 4), ("Q", 8)):
                new = struct.pack(f"{order}{kind}", value % 256**n_bytes)
                edits.append((at, at + n_bytes, new))
    anywhere = [chance.randrange(len(raw)) for _ in range(10 * _MOST_PLACES)] if raw else []
    return [*edits, *((at, at + 1, chance.choice((b"\0", b"\x7f", b"\xff"))) for at in anywhere)]


def _texts(raw: bytes) -> list[Edit]:
    """Encodings that the text is not in, for the whole file or in its middle."""
    text, middle = raw.decode("latin-1"), len(raw) // 2
    whole = [text.encode(f"utf-16{order}") for order in ("", "-le", "-be")]
    whole += [one[:-1] for one in whole] + [raw[:middle] + text.encode("utf-16-le")[middle:]]
    whole += [text.encode("utf-32"), text.encode("utf-7"), raw.replace(b"\n", b"\r")]
    places = (0, raw.find(b"\n") + 1, middle, len(raw))
    odd = [(at, at, mark) for mark in _ODD for at in places]
    return [*((0, len(raw), one) for one in whole), *odd]


def _headers(raw: bytes) -> list[Edit]:
    """The first lines with names that repeat, are long, empty, formulas or missing."""
    edits: list[Edit] = []
    start = 0
    for line in raw.split(b"\n", 5)[:5]:
        stop = start + len(line)
        mark = max((b",", b"\t", b";", b" "), key=line.count)
        cells = line.split(mark)
        for name in (b"x", b"", b"n" * 10_000, b"=cmd|' /C calc'!A0", b"1", cells[0], b'"'):
            edits.append((start, stop, mark.join([name] * len(cells))))
            edits.append((start, stop, mark.join([name, *cells[1:]])))
        edits += [(start, stop + 1, b""), (start, start, line + b"\n"), (start, stop, line * 300)]
        edits += [(start, stop, mark.join(cells * 30)), (start, stop, line.replace(mark, b""))]
        start = stop + 1
    return edits


# ---------------------------------------------------------------- attempts


def sweep(
    files: Mapping[str, Sample], n_each: int, seed: int, tell: Callable[[str], Any] = str
) -> Found:
    """Read each file with so many kinds of damage; tell what is wrong, and how far it is."""
    found = Found(n_known=len(files))
    variants = [
        (what, variant)
        for what, sample in files.items()
        for variant in damaged(sample, n_each, random.Random(f"{seed} {what}"))  # noqa: S311
    ]
    while variants:
        some = variants[:_AT_ONCE]
        ends = _read([variant for _, variant in some], is_traced=False)
        for (what, variant), (end, _) in zip(some, ends, strict=False):
            found.add(what, variant, end, tell)
        variants = variants[len(ends) :]
    return found


def fuzz(n_inputs: int, seed: int, tell: Callable[[str], Any] = str) -> Found:
    """Read so many files, known ones first; tell what is wrong, and how far it is."""
    warm_up()
    chance, found = random.Random(seed), Found()  # noqa: S311 - it keeps no secret
    known = list(known_files().values())
    corpus, pairs = list[Sample](), set[int]()
    for at in range(n_inputs):
        sample = known[at] if at < len(known) else _varied(chance, corpus)
        [(end, reached)] = _read([sample])
        found.add("towards new code", sample, end, tell)
        if at < len(known) or not reached <= pairs:
            corpus.append(sample)
            pairs |= reached
        found.n_known, found.n_kept, found.n_pairs = len(known), len(corpus), len(pairs)
    return found


def _varied(chance: random.Random, corpus: list[Sample]) -> Sample:
    """A known file with a few changes, more often of those that were kept last."""
    newest = int(len(corpus) * chance.random() ** 0.5)
    sample = corpus[newest]
    raw = bytearray(sample.raw)
    for _ in range(chance.randint(1, 4)):
        at, n = chance.randrange(len(raw) + 1), chance.randint(1, 40)
        part = bytes(raw[at : at + n])
        other = chance.choice(corpus).raw
        begin = chance.randrange(len(other) + 1)
        raw[at : at + chance.choice((0, n))] = chance.choice(
            (
                b"",
                part * chance.randint(2, 30),
                chance.randbytes(chance.randint(1, 4)),
                chance.choice(_WORDS),
                chance.choice((b",", b";", b"\t", b"\n", b"\r\n", b'"', b" ", b"\0", b"-", b".")),
                other[begin : begin + n],
            )
        )
    return Sample(sample.name, bytes(raw[:_MOST_BYTES]))


def _read(samples: list[Sample], *, is_traced: bool = True) -> list[tuple[str, set[int]]]:
    """How the reading of each file ends, and the pairs of lines that it comes through.

    Without those behind one at which the process that reads them ends.
    """
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        # Alone of all that a process of tests has open, which may be more than a reader may have.
        os.dup2(writes, _ANSWERS)
        os.closerange(_ANSWERS + 1, os.sysconf("SC_OPEN_MAX"))
        with os.fdopen(_ANSWERS, "w") as file:
            bound_this_process(_MEMORY_MB, _CPU_S)
            signal.alarm(0)  # others may use the processor
            for sample in samples:
                file.write(json.dumps(_answer(sample, is_traced=is_traced)) + "\n")
                file.flush()
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as file:
        ends = [(end, set(reached)) for end, reached in map(json.loads, file)]
    _, status = os.waitpid(pid, 0)
    if len(ends) < len(samples):
        is_slow = os.WIFSIGNALED(status) and os.WTERMSIG(status) in _OUT_OF_TIME
        ends.append(("time" if is_slow else f"crash: {status}", set()))
    return ends


def _answer(sample: Sample, *, is_traced: bool) -> tuple[str, list[int]]:
    reached = set[int]()

    def local(frame: FrameType, event: str, _: Any) -> Any:
        pair = hash((frame.f_code.co_filename, frame.f_code.co_firstlineno, frame.f_lineno))
        reached.add((pair ^ (last[0] >> 1)) & 0xFFFFFF)
        last[0] = pair
        return local

    def trace(frame: FrameType, *_: Any) -> Any:
        return local if _TRACED.match(frame.f_code.co_filename) else None

    last = [0]
    if is_traced:
        sys.settrace(trace)
        threading.settrace(trace)
    begun = time.process_time()
    end = _end_of(sample)
    sys.settrace(None)
    if not is_traced and time.process_time() - begun > _SLOW_S:
        end = "time"
    return end, [*reached]


def _end_of(sample: Sample) -> str:
    """What a studio makes of a file: of the sentence of a reader that failed, why it did."""
    failed = _Failures()
    logging.getLogger("melm_studio.reading.channel").addHandler(failed)
    reader = OwnProcessReader({JOB: 1}, ReadingLimits(_MEMORY_MB, _CPU_S))
    try:
        table = read_table_apart(
            reader, sample.raw, sample.name, max_rows=_MOST_ROWS, max_columns=_MOST_COLUMNS
        )
        if zlib.crc32(sample.raw) % _PREPARED_OF == 0:
            prepare(table).to_bytes()
    except UserError as refusal:
        words = str(refusal)
        if words == FAILED:
            return f"error: {(failed.traces or [words])[-1][-1_500:]}"
        if words.startswith("Reading this file takes"):
            return "memory"
        is_said = _SENTENCE.fullmatch(words) and not _EXCEPTION.search(words)
        return "refused" if is_said else f"error: no sentence: {words!r}"
    except MemoryError:
        return "memory"
    except Exception:  # noqa: BLE001 - that is what is looked for
        return f"error: {traceback.format_exc()[-1_500:]}"
    return "read"


class _Failures(logging.Handler):
    """Keeps why readers failed."""

    def __init__(self) -> None:
        super().__init__()
        self.traces: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.traces.append("".join(traceback.format_exception(record.exc_info[1])))


def main() -> int:
    """Print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=2_000, help="files towards new code")
    parser.add_argument("--each", type=int, default=20, help="kinds of damage to each known file")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    def tell(line: str) -> None:
        sys.stderr.write(f"{line}\n")

    warm_up()
    every = sweep(known_files(), options.each, options.seed, tell)
    found = [every, *([fuzz(options.inputs, options.seed, tell)] if options.inputs else [])]
    sys.stdout.write(json.dumps([vars(one) for one in found]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
