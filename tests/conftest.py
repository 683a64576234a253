"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# The same examples in every run, so that a failure belongs to the change at hand, and no deadline:
# a busy machine is not a failure.
settings.register_profile("studio", deadline=None, derandomize=True)
settings.load_profile("studio")
