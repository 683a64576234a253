"""Texts that visitors carry and that only this studio can have written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from itsdangerous import BadData, URLSafeSerializer, URLSafeTimedSerializer

from callbacks.services import services


@dataclass(frozen=True)
class Seal:
    """What marks such texts; one made for a purpose is of no use for another.

    Attributes
    ----------
    purpose : str
    lifetime_s : int or None
        Seconds after which a text is no longer valid; None for texts that stay so.
    """

    purpose: str
    lifetime_s: int | None = None

    def seal(self, content: Any) -> str:
        """Return a text that holds what JSON can hold."""
        kind = URLSafeSerializer if self.lifetime_s is None else URLSafeTimedSerializer
        return str(kind(*self._key()).dumps(content))

    def content(self, text: str) -> Any:
        """Return what a text holds; None if it is not ours, of another purpose, or too old."""
        try:
            if self.lifetime_s is None:
                return URLSafeSerializer(*self._key()).loads(text)
            return URLSafeTimedSerializer(*self._key()).loads(text, max_age=self.lifetime_s)
        except BadData:
            return None

    def _key(self) -> tuple[bytes, str]:
        return services().store.secret(), self.purpose
