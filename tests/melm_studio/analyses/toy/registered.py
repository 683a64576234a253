"""Registers the toy in the process that reads projects, which starts without it."""

from __future__ import annotations

from melm_studio.analyses import ANALYSES
from melm_studio.workspace.project.read_apart import answer, warm_up
from tests.melm_studio.analyses.toy.mean_row import MEAN_ROW

__all__ = ["answer", "warm_up"]

ANALYSES[MEAN_ROW.name] = MEAN_ROW
