"""Maximize an objective of planes from several starts, through a sequence of stages."""

from __future__ import annotations

from melm_core.optimization.initialization import random_starts
from melm_core.optimization.multistart import maximize
from melm_core.optimization.types import Outcome, Stage, Start, StartResult, Step

__all__ = ["Outcome", "Stage", "Start", "StartResult", "Step", "maximize", "random_starts"]
