"""Requests as the embedded server receives them: what is too large is refused before it is kept.

A body ends where Content-Length says and nowhere else. Waitress reads bodies in chunks too, for as
long as a client sends the size of a chunk or what follows the last one, and lets chunks win over a
length, where a proxy in front may let the length win. Browsers never send them, and nginx sends on
what it has received in chunks with a length.

A body of less than `IN_MEMORY_BYTES` is kept in memory until its request is answered, a larger one
in a temporary file, of which there may be a number of bytes for each network and in all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from threading import Lock

import msgspec
from waitress.adjustments import Adjustments
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.utilities import Error

from callbacks.addresses import Address, Directory
from callbacks.guards.client_network import sender_network
from callbacks.guards.error_answers import LATER_S, sentence

IN_MEMORY_BYTES = 64 * 2**10

# Of the temporary files, in files of the largest size.
_FILES_OF_NETWORK = 2
_FILES = 8
# Browsers send about 30. Waitress appends the value of a repeated one to those before it, which
# takes a second for 65,000 of them, during which nobody is answered.
MOST_HEADER_LINES = 500

_FULL_HERE = (
    "Too many large files are on their way from your network. Try again when those before are read."
)
_FULL = "Too many large files are on their way to the studio. Try again in a minute."
_NO_LENGTH = "Send a body with its length (Content-Length), not in chunks (Transfer-Encoding)."
_TOO_MANY_LINES = f"A request has at most {MOST_HEADER_LINES} lines of headers."
_UNREADABLE = "A number or the address of this request cannot be read."


class KeptBodies:
    """The bytes of bodies that are in temporary files, by network; of several threads.

    Parameters
    ----------
    of_network, total : int
        How many there may be.
    """

    def __init__(self, of_network: int, total: int) -> None:
        self._of_network, self._total = of_network, total
        self._kept = Counter[str]()
        self._lock = Lock()

    def add(self, network: str, n_bytes: int) -> str:
        """Count bytes that are to be kept; return why not, or nothing where there is room."""
        with self._lock:
            if self._kept[network] + n_bytes > self._of_network:
                return _FULL_HERE
            if self._kept.total() + n_bytes > self._total:
                return _FULL
            self._kept[network] += n_bytes
        return ""

    def remove(self, network: str, n_bytes: int) -> None:
        """Count bytes less, which are no longer kept."""
        with self._lock:
            self._kept[network] -= n_bytes
            self._kept += Counter()  # without those that are zero

    @property
    def n_bytes(self) -> int:
        """Number of bytes."""
        with self._lock:
            return self._kept.total()


@dataclass(frozen=True)
class Reception:
    """Reception of requests.

    Attributes
    ----------
    directory : Directory
    max_upload_mb : int
        Megabytes of a file.
    proxies : int
        Trusted proxies in front.
    kept : KeptBodies
    """

    directory: Directory
    max_upload_mb: int
    proxies: int
    kept: KeptBodies

    @classmethod
    def of(cls, directory: Directory, max_upload_mb: int, proxies: int) -> Reception:
        """Return that of a studio which takes files of so many megabytes."""
        n_bytes = (max_upload_mb + 1) * 2**20
        bodies = KeptBodies(_FILES_OF_NETWORK * n_bytes, _FILES * n_bytes)
        return cls(directory, max_upload_mb, proxies, bodies)


class BodyError(Error):
    """An answer with a sentence, as routes give it."""

    def __init__(self, status: HTTPStatus, words: str, after_s: int = LATER_S) -> None:
        super().__init__(words)
        self.code, self.reason, self._after_s = status.value, status.phrase, after_s

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:
        headers = [
            ("Content-Type", "application/json"),
            ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
            ("X-Content-Type-Options", "nosniff"),
            ("Cache-Control", "no-store"),
        ]
        if self.code == HTTPStatus.SERVICE_UNAVAILABLE:
            headers.append(("Retry-After", str(self._after_s)))
            if self._after_s < LATER_S:  # browsers repeat a document that is opened
                headers.append(("Refresh", str(self._after_s)))
        return f"{self.code} {self.reason}", headers, msgspec.json.encode(sentence(self.body))


class ArrivingRequest(HTTPRequestParser):
    """A request that is refused as soon as it is known to be too large, or is ambiguous.

    Parameters
    ----------
    adj : waitress.adjustments.Adjustments
    reception : Reception
    peer : str
        The address at the other end of the connection.
    refused : callable
        Called when the body is refused, and more of it may arrive.
    """

    # Of a request whose first line cannot be read: the queue asks for them.
    command = path = ""
    chunked = False

    def __init__(
        self, adj: Adjustments, *, reception: Reception, peer: str, refused: Callable[[], None]
    ) -> None:
        super().__init__(adj)
        self._reception, self._peer, self._refused = reception, peer, refused
        self._n_counted = 0
        self.network = sender_network("", peer, 0)
        self.address = Address()

    def parse_header(self, header_plus: bytes) -> None:
        """Parse the head of the request, or set the error that answers it."""
        if header_plus.count(b"\n") > MOST_HEADER_LINES:
            raise ParsingError(_TOO_MANY_LINES)
        try:
            super().parse_header(header_plus)
        except ValueError as error:  # a length of 5,000 digits, or an address such as "http://["
            raise ParsingError(_UNREADABLE) from error
        if self.chunked:
            self.chunked, self.body_rcv = False, None
            self.error = BodyError(HTTPStatus.LENGTH_REQUIRED, _NO_LENGTH)

    def received(self, data: bytes) -> int:
        had_body = self.body_rcv is not None
        consumed = int(super().received(data))
        if self.completed:  # waitress would invite a body, and wait for it
            self.expect_continue = False
        if self.error or self.empty or not self.headers_finished:
            return consumed
        words, status = self._objection(is_new=not had_body)
        if not words:
            return consumed
        self._refuse(BodyError(status, words))
        return len(data)  # which may have more of the body

    def _objection(self, *, is_new: bool) -> tuple[str, HTTPStatus]:
        """Return why the body is refused; nothing while it is not."""
        if is_new:
            seen = self.headers.get("X_FORWARDED_FOR", "")
            self.network = sender_network(seen, self._peer, self._reception.proxies)
            self.address = self._reception.directory.find(self.command, self.path)
        body, max_upload_mb = self.address.body, self._reception.max_upload_mb
        n_content = self.content_length
        if n_content > body.most_bytes(max_upload_mb):
            return body.refusal(max_upload_mb), HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        if n_content >= IN_MEMORY_BYTES and not self._n_counted:
            if words := self._reception.kept.add(self.network, n_content):
                return words, HTTPStatus.SERVICE_UNAVAILABLE
            self._n_counted = n_content
        return "", HTTPStatus.OK

    def _refuse(self, refusal: BodyError) -> None:
        self.close()
        self.body_rcv: object = None
        self.error, self.completed = refusal, True
        self.expect_continue = False  # nothing is to be sent
        self._refused()

    def close(self) -> None:
        """Remove the body, which no longer counts."""
        super().close()
        self._reception.kept.remove(self.network, self._n_counted)
        self._n_counted = 0
