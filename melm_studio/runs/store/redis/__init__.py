"""The store on a Redis server, for web processes and workers on any number of machines."""

from __future__ import annotations

from melm_studio.runs.store.redis.run_store import RedisRunStore

__all__ = ["RedisRunStore"]
