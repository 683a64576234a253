"""Maximization from several starts through a sequence of objectives."""

from __future__ import annotations

__all__ = []
