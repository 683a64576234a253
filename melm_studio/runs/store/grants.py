"""Grants as every store implements them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from melm_studio.runs.records.grant import Grant


class Grants(ABC):
    """The tokens, recovery links and tickets of all visitors, safe for many processes."""

    @abstractmethod
    def put(self, grant: Grant, *, is_newcomer: bool = False) -> None:
        """Store a new grant; those of its visitor that it replaces go (`replaced_by`).

        Parameters
        ----------
        grant : Grant
        is_newcomer : bool
            Whether its visitor has no runs: those of an address have a share of what it may have.

        Raises
        ------
        LimitReachedError
            If its visitor, or its address, has too many already.
        """

    @abstractmethod
    def get(self, grant_id: str) -> Grant | None:
        """Return the grant, which may have expired or be revoked, or None if there is none."""

    @abstractmethod
    def of_owner(self, owner: str) -> list[Grant]:
        """Return the grants of a visitor, oldest first."""

    @abstractmethod
    def change(self, grant_id: str, change: Callable[[Grant], Grant]) -> None:
        """Change a grant, of which no other change is lost meanwhile; an unknown one is left."""

    @abstractmethod
    def forget_expired(self, now: float) -> None:
        """Delete the grants that have expired."""


class GrantStore(ABC):
    """The part of a store that holds grants."""

    grants: Grants
