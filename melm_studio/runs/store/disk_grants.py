"""Grants in a folder."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from melm_studio.runs.records.grant import Grant, replaced_by
from melm_studio.runs.store.disk_cache import DiskCache
from melm_studio.runs.store.grants import Grants

_RECORDS = "grant/"


class DiskGrants(Grants):
    """The grants of all visitors in a cache."""

    def __init__(self, cache: DiskCache) -> None:
        self._cache = cache

    def put(self, grant: Grant) -> None:
        with self._cache.transaction():
            own, at = self.of_owner(grant.owner), _at(grant)
            n_here = len(self._cache.listed(at))
            for former in replaced_by(grant, own, n_here, partial(self._listed, at)):
                self._delete(former)
            self._cache.put(_RECORDS + grant.grant_id, grant.to_bytes())
            for listing in (_of(grant.owner), at):
                self._cache.enlist(listing, grant.grant_id)

    def get(self, grant_id: str) -> Grant | None:
        raw = self._cache.get(_RECORDS + grant_id)
        return None if raw is None else Grant.from_bytes(raw)

    def of_owner(self, owner: str) -> list[Grant]:
        return sorted(self._listed(_of(owner)), key=lambda grant: grant.created_s)

    def change(self, grant_id: str, change: Callable[[Grant], Grant]) -> None:
        with self._cache.transaction():
            grant = self.get(grant_id)
            if grant is not None:
                self._cache.put(_RECORDS + grant_id, change(grant).to_bytes())

    def forget_expired(self, now: float) -> None:
        for key in self._cache.keys_with(_RECORDS):
            grant = self.get(key.removeprefix(_RECORDS))
            if grant is not None and now >= grant.expires_s:
                self._delete(grant)

    def _delete(self, grant: Grant) -> None:
        with self._cache.transaction():
            self._cache.delete(_RECORDS + grant.grant_id)
            for listing in (_of(grant.owner), _at(grant)):
                self._cache.unlist(listing, grant.grant_id)

    def _listed(self, listing: str) -> list[Grant]:
        found = map(self.get, self._cache.listed(listing))
        return [grant for grant in found if grant is not None]


def _of(owner: str) -> str:
    return f"grants-of/{owner}"


def _at(grant: Grant) -> str:
    return f"grants-at/{grant.kind}/{grant.address}"
