"""How the embedded server reads the head of a request: what is ambiguous or endless is refused.

A body ends where Content-Length says and nowhere else. Waitress reads bodies in chunks too, for
as long as a client sends the size of a chunk or what follows the last one, and lets chunks win over
a length, where a proxy in front may let the length win. Browsers never send them, and nginx sends
on what it has received in chunks with a length.
"""

from __future__ import annotations

from waitress.parser import HTTPRequestParser, ParsingError
from waitress.utilities import Error

# Browsers send about 30. Waitress appends the value of a repeated one to those before it, which
# takes a second for 65,000 of them, during which nobody is answered.
MOST_HEADER_LINES = 500


class _LengthRequiredError(Error):
    code = 411
    reason = "Length Required"


class RequestParser(HTTPRequestParser):
    """A request with at most `MOST_HEADER_LINES` lines before its body, which has a length."""

    # Of a request whose first line cannot be read: the queue asks for them.
    command = path = ""
    chunked = False

    def parse_header(self, header_plus: bytes) -> None:
        """Parse the head of the request, or set the error that answers it."""
        if header_plus.count(b"\n") > MOST_HEADER_LINES:
            raise ParsingError(f"A request has at most {MOST_HEADER_LINES} lines of headers.")
        try:
            super().parse_header(header_plus)
        except ValueError as error:  # a length of 5,000 digits, or an address such as "http://["
            raise ParsingError("A number or the address of this request cannot be read.") from error
        if self.chunked:
            self.chunked, self.body_rcv = False, None
            self.error = _LengthRequiredError(
                "A body is sent with Content-Length here, not in chunks (Transfer-Encoding)."
            )
