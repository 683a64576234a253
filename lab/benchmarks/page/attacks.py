"""What a hostile visitor does, against a studio of the benchmark's own on this machine.

Every attack comes from a few addresses, runs in a process of its own and goes on until that is
ended.
"""

from __future__ import annotations

import gzip
import io
import os
import socket
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count, cycle, repeat
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from requests import RequestException
from requests.adapters import HTTPAdapter

from lab.driver.crafted_files import open_tags
from lab.driver.remote_client import Answer, RemoteClient
from lab.driver.visitor import Visitor
from melm_studio.layout import ids
from melm_studio.workspace.stories import INCLUDED_STORIES

# Of who is watched, and of who attacks: every address of this network is this machine.
HOME, ADDRESS = "127.0.0.1", "127.0.0.2"
_DATA = f"{ids.DATA}.data"
BACKGROUND = "checks, a ranking and a tree"
_AT_ONCE = 8
_MANY_STARTS = 500
_BEGUN_ANEW_S = 10.0
_PLANES_S = 5.0  # until a run has shown some
_ANSWER_S = 30.0


class AddressedClient(RemoteClient):
    """A client that comes from a chosen address of this machine."""

    def __init__(self, url: str, address: str) -> None:
        super().__init__(url)
        self._session.mount("http://", _From(address))


class _From(HTTPAdapter):
    def __init__(self, address: str) -> None:
        self._address = address
        super().__init__(pool_maxsize=_AT_ONCE)

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, **options, source_address=(self._address, 0))


def p95(seconds: list[float]) -> float:
    """Return the 95th percentile."""
    return statistics.quantiles(seconds, n=20, method="inclusive")[-1]


def p95_ms(seconds: list[float]) -> float:
    """Return the 95th percentile in milliseconds."""
    return 1_000 * p95(seconds)


def attack(name: str, url: str) -> None:
    """Attack a studio in one way, at the lowest priority: it stands for another machine."""
    os.nice(19)
    ATTACKS[name](url)


def _stranger(url: str) -> Visitor:
    """A visitor with a cookie of its own."""
    return Visitor(AddressedClient(url, ADDRESS))


def _for_ever(act: Callable[[], object], n_threads: int = _AT_ONCE) -> None:
    """Repeat an act in several threads; refusals are what is hoped for."""

    def go_on(_: int) -> None:
        while True:
            with suppress(RequestException, OSError, AssertionError, KeyError, ValueError):
                act()

    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(go_on, range(n_threads)))


def _with_run(url: str, n_init: int = 200) -> tuple[Visitor, str]:
    visitor = _stranger(url)
    visitor.choose_sample("wine")
    return visitor, visitor.start(n_init=n_init)


def repeats(url: str) -> None:
    """2,000 repeats of a run in one request."""
    visitor, run = _with_run(url)
    query = {"run": [f"{run}:-1"] * 2_000}
    _for_ever(lambda: visitor.http.get("/frames", query_string=query))


def names(url: str) -> None:
    """Presses of Run with names of 6 MB."""
    visitor = _stranger(url)
    visitor.choose_sample("iris")
    visitor.values[_DATA] |= {"name": "x" * 6_000_000}
    _for_ever(visitor.post_run)


def sockets(url: str) -> None:
    """110 sockets that send a byte now and then."""
    where = _place(url)
    opened = [_dripping(where) for _ in range(110)]
    while True:
        for number, connection in enumerate(opened):
            try:
                connection.send(b"x")
            except OSError:
                connection.close()
                opened[number] = _dripping(where)
        time.sleep(0.5)


def _place(url: str) -> tuple[str, int]:
    place = urlsplit(url)
    return str(place.hostname), int(place.port or 80)


def _dripping(where: tuple[str, int]) -> socket.socket:
    connection = socket.create_connection(where, source_address=(ADDRESS, 0))
    connection.send(b"GET / HTTP/1.1\r\nX: ")
    return connection


def deaf(url: str) -> None:
    """24 sockets that ask for the page again and again, and take no answer."""
    where = _place(url)

    def ask(number: int) -> None:
        while True:
            with suppress(OSError), socket.socket() as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                connection.bind((f"127.0.0.{2 + number % 3}", 0))
                connection.settimeout(_ANSWER_S)
                connection.connect(where)
                while True:
                    connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" * 40)
                    time.sleep(0.5)

    with ThreadPoolExecutor(24) as pool:
        list(pool.map(ask, range(24)))


def queue(url: str) -> None:
    """A full queue from many cookies."""
    _for_ever(lambda: _presses(url))


def _presses(url: str) -> None:
    visitor = _stranger(url)
    visitor.choose_sample("iris")
    for seed in range(9):
        visitor.press_run(method="melm", n_init=50, random_state=seed)


def endless(url: str) -> None:
    """An endless run from each of six cookies, for two workers."""
    started = [_with_run(url, _MANY_STARTS) for _ in range(6)]
    while started:
        time.sleep(1.0)


def background(url: str) -> None:
    """Two checks, a ranking and a tree for two workers, begun anew before they are done."""
    visitor = _stranger(url)
    visitor.choose_sample("breast_cancer")
    data = visitor.values[f"{ids.DATA}.data"]
    visitor.http.post(f"/rankings/{data['id']}", data)
    for seed in count():
        fits = [visitor.start(method="melm", random_state=2 * seed + n) for n in range(2)]
        for fit in fits:
            visitor.command(fit, "analyses/check")
        visitor.command(fits[0], "analyses/tree")
        time.sleep(_BEGUN_ANEW_S)
        for fit in fits:
            visitor.command(fit, "remove")


def disk(url: str) -> None:
    """Twelve cookies that fill the disk."""
    random = np.random.default_rng(0)

    def fill(_: int) -> None:
        client = AddressedClient(url, ADDRESS)
        for _ in count():
            with suppress(RequestException, ValueError):
                client.upload(random.bytes(20 * 2**20))

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(fill, range(12)))


def replays(url: str) -> None:
    """Eight replays at once."""
    visitor, run = _with_run(url, 50)
    time.sleep(_PLANES_S)
    _for_ever(lambda: visitor.http.get(f"/runs/{run}/replay.html"))


def malformed(url: str) -> None:
    """Calls that fit no callback."""
    client = AddressedClient(url, ADDRESS)
    bodies: list[Any] = [{}, [], {"output": "x.y", "inputs": [], "changedPropIds": []}, "text"]
    numbers = count()

    def call() -> Answer:
        return client.post("/_dash-update-component", bodies[next(numbers) % len(bodies)])

    _for_ever(call)


def tables(url: str) -> None:
    """A wide and a long table, read again and again."""
    random = np.random.default_rng(0)
    wide = _csv(random.integers(0, 100, (300, 9_000)))
    long = _csv(random.integers(0, 100, (300_000, 5)))

    def read(raw: bytes) -> None:
        visitor = _stranger(url)
        source = {"kind": "upload", **visitor.http.upload(raw)}
        while True:
            visitor.choose(source)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: suppressed(read, (wide, long)[n % 2]), range(4)))


def long_files(url: str) -> None:
    """Eight files at a time that take a reader many seconds."""
    _read_for_ever(url, ADDRESS)


def long_files_of_neighbors(url: str) -> None:
    """The same, from eight cookies of the network of who is watched."""
    _read_for_ever(url, HOME, is_one_visitor=False)


def _read_for_ever(url: str, address: str, *, is_one_visitor: bool = True) -> None:
    first = AddressedClient(url, address)
    first.get("/")
    numbers = count()

    def read() -> None:
        client = AddressedClient(url, address)
        if is_one_visitor:
            client.take_cookies(first)
        rows = b"%d.5,2,x\n7,8,y\n" % next(numbers)
        raw = gzip.compress(b"a,b,label\n" + rows * 4_000_000, 1)
        Visitor(client).choose({"kind": "upload", **client.upload(raw)})

    _for_ever(read)


def workbooks(url: str) -> None:
    """Workbooks of 5 kB with 40,000 tags without an end."""
    visitor, numbers = _stranger(url), count()

    def read() -> None:
        raw = open_tags() + b"%d" % next(numbers)
        visitor.choose({"kind": "upload", **visitor.http.upload(raw)})

    _for_ever(read)


def reports_of_neighbors(url: str) -> None:
    """Reports for twenty cookies of the network of who is watched."""

    def ask(number: int) -> None:
        visitor = Visitor(AddressedClient(url, HOME))
        visitor.choose_sample("wine")
        run = visitor.start(method="pca", random_state=number)
        while True:
            with suppress(RequestException):
                visitor.http.get(f"/runs/{run}/report.html")

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(ask, range(20)))


def tokens_of_neighbors(url: str) -> None:
    """Tokens, each for another new visitor, of the network of who is watched."""
    _for_ever(lambda: AddressedClient(url, HOME).post("/api/v1/tokens", {}))


def projects(url: str) -> None:
    """Stories, which are projects with tables and runs, for ever new cookies."""
    keys = cycle(INCLUDED_STORIES)
    _for_ever(lambda: _stranger(url).http.post(f"/stories/{next(keys)}", {}))


def viewers(url: str) -> None:
    """Viewers of a talk that come and go."""
    visitor, run = _with_run(url, 50)
    time.sleep(_PLANES_S)
    link = visitor.http.post("/talk", {}).json["talk"]["link"]
    visitor.http.post("/talk/shown", {"run": run, "plane": 0})
    request = f"GET {urlsplit(link).path}/pictures HTTP/1.1\r\nHost: {HOME}\r\n\r\n".encode()
    _for_ever(lambda: _sent(url, request))


def heads(url: str) -> None:
    """Heads of 65,000 fields from 40 sockets."""
    fields = b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X:\r\n" * 65_000
    _for_ever(lambda: _sent(url, fields), n_threads=40)


def figures(url: str) -> None:
    """Figures with as many panels and pixels as there may be."""
    visitor, run = _with_run(url, 50)
    time.sleep(_PLANES_S)
    style = {"width": 211, "height": 211, "dpi": 600}
    request = {"panels": [{"run": run}] * 9, "style": style, "format": "png"}
    _for_ever(lambda: visitor.http.post("/figure", request))


def bodies(url: str) -> None:
    """Bodies of 600 MB, where files are taken and where none are."""
    paths, part = count(), bytes(2**20)

    def send() -> None:
        path = ("/frames", "/upload")[next(paths) % 2]
        head = f"POST {path} HTTP/1.1\r\nHost: {HOME}\r\nContent-Length: {600 * len(part)}\r\n\r\n"
        _sent(url, head.encode(), *repeat(part, 600))

    _for_ever(send)


def _sent(url: str, *parts: bytes) -> bytes:
    """Send something from the attacker's address, and return how the answer begins."""
    with socket.create_connection(
        _place(url), _ANSWER_S, source_address=(ADDRESS, 0)
    ) as connection:
        for part in parts:
            connection.sendall(part)
        return connection.recv(1_000)


def suppressed(act: Callable[[bytes], None], raw: bytes) -> None:
    """Repeat an act that may be refused."""
    while True:
        with suppress(RequestException, AssertionError, KeyError, ValueError):
            act(raw)


def _csv(numbers: np.ndarray[Any, Any]) -> bytes:
    file = io.StringIO()
    file.write(",".join(["label", *(f"f{i}" for i in range(numbers.shape[1] - 1))]) + "\n")
    numbers[:, 0] %= 3
    np.savetxt(file, numbers, fmt="%d", delimiter=",")
    return file.getvalue().encode()


ATTACKS: dict[str, Callable[[str], None]] = {
    "2,000 repeats of a run in a request": repeats,
    "names of 6 MB": names,
    "110 dripping sockets": sockets,
    "24 sockets that take no answer": deaf,
    "a full queue from many cookies": queue,
    "endless runs on every worker": endless,
    BACKGROUND: background,
    "twelve cookies filling the disk": disk,
    "eight replays at once": replays,
    "malformed callbacks": malformed,
    "wide and long tables": tables,
    "eight files that take long": long_files,
    "eight neighbors with files that take long": long_files_of_neighbors,
    "workbooks of tags without an end": workbooks,
    "twenty neighbors with reports": reports_of_neighbors,
    "neighbors with ever more tokens": tokens_of_neighbors,
    "projects, again and again": projects,
    "viewers of a talk that come and go": viewers,
    "heads of 65,000 fields": heads,
    "the largest figures": figures,
    "bodies of 600 MB": bodies,
}
