"""Read ever new variants of known files, above all of those that reach new code.

`python -m tests.melm_studio.tables.fuzzing [--inputs N] [--seed S]` prints what was found as JSON,
and a line of how far it is after every so many files.
Every file is read and prepared by a process of its own, which reports the lines that it has come
through; one that comes to a new pair of lines is varied further.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from melm_core.base import UserError
from melm_studio.tables.preparation import prepare
from melm_studio.tables.read import read_table
from melm_studio.tables.read_apart import warm_up
from tests.melm_studio.tables.programs import PROGRAMS
from tests.melm_studio.tables.test_formats import TEXTS
from tests.messy_tables import MESSY, REFUSED

_CPU_S, _MEMORY = 20, 4 * 2**30
_MOST_BYTES = 50_000
_TOLD_EVERY = 10
_WORDS = (
    b"NA", b"1e308", b"1,5", b"1'000", b"-inf", b"0x1F", b"2024-01-31", b"12:30", b"=1+1",
    b"9" * 400, b"<script>", "é".encode(), "\u202e".encode(), b"\xff\xfe", rb"\ud800", b"class",
    b"id",
)  # fmt: skip
_TRACED = re.compile(r".*/melm_studio/tables/.*")
_SENTENCE = re.compile(r"[^\s<][^\n]+\.")


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
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        cpu_s = sum(one.ru_utime + one.ru_stime for one in used)
        return (
            f"{self.n_inputs} files, {self.n_kept} kept, {self.n_pairs} pairs of lines, "
            f"{cpu_s:.0f} CPU seconds, {dict(self.ends)}, {len(self.wrong)} wrong"
        )


def fuzz(n_inputs: int, seed: int, tell: Callable[[str], Any] = str) -> Found:
    """Read so many files, known ones first; tell what is wrong, and how far it is."""
    warm_up()
    chance, found = random.Random(seed), Found()  # noqa: S311 - it keeps no secret
    known = [Sample(one.file, one.raw) for made in (MESSY, REFUSED) for one in _made(made)]
    known += [Sample(one.file, one.raw) for one in PROGRAMS.values()]
    known += [Sample(name, raw) for name, (raw, *_) in TEXTS.items()]
    corpus, pairs = list[Sample](), set[int]()
    for at in range(n_inputs):
        sample = known[at] if at < len(known) else _varied(chance, corpus)
        end, reached = _read(sample)
        found.ends[end.partition(":")[0]] += 1
        if end.startswith(("error", "time")):
            found.wrong.append(f"{sample.name} {sample.raw[:2_000].hex()}: {end}")
            tell(found.wrong[-1])
        if at < len(known) or not reached <= pairs:
            corpus.append(sample)
            pairs |= reached
        found.n_known, found.n_inputs = len(known), at + 1
        found.n_kept, found.n_pairs = len(corpus), len(pairs)
        if found.n_inputs % _TOLD_EVERY == 0:
            tell(str(found))
    return found


def _made(files: dict[str, Callable[[], Any]]) -> list[Any]:
    return [one for one in (make() for make in files.values()) if len(one.raw) <= _MOST_BYTES]


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


def _read(sample: Sample) -> tuple[str, set[int]]:
    """How the reading of a file ends, and the pairs of lines that it comes through."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reads)
        _answer(sample, writes)
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as file:
        answer = file.read()
    _, status = os.waitpid(pid, 0)
    if not answer:
        is_slow = os.WIFSIGNALED(status) and os.WTERMSIG(status) in {9, 24}
        return ("time" if is_slow else "crash"), set()
    end, reached = json.loads(answer)
    return end, set(reached)


def _answer(sample: Sample, writes: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    reached = set[int]()

    def local(frame: FrameType, event: str, _: Any) -> Any:
        pair = hash((frame.f_code.co_filename, frame.f_code.co_firstlineno, frame.f_lineno))
        reached.add((pair ^ (last[0] >> 1)) & 0xFFFFFF)
        last[0] = pair
        return local

    last = [0]
    sys.settrace(lambda frame, *_: local if _TRACED.match(frame.f_code.co_filename) else None)
    end = _end_of(sample)
    sys.settrace(None)
    with os.fdopen(writes, "w") as file:
        json.dump([end, [*reached]], file)


def _end_of(sample: Sample) -> str:
    try:
        prepare(read_table(sample.raw, sample.name)).to_bytes()
    except UserError as refusal:
        words = str(refusal)
        return "refused" if _SENTENCE.fullmatch(words) else f"error: no sentence: {words!r}"
    except MemoryError:
        return "memory"
    except Exception:  # noqa: BLE001 - that is what is looked for
        return f"error: {traceback.format_exc()[-1_500:]}"
    return "read"


def main() -> int:
    """Print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found = fuzz(options.inputs, options.seed, lambda line: sys.stderr.write(f"{line}\n"))
    sys.stdout.write(json.dumps(vars(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
