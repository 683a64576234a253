"""One analysis a module: `NAME`, of a run with the settings `STARTED` on the sample `SAMPLE`."""

from __future__ import annotations

import pytest

from tests.callbacks.routes.analyses.helpers import analyzed


@pytest.fixture(scope="module")
def owner(studio, request):
    visitor = studio.visitor()
    visitor.choose_sample(request.module.SAMPLE)
    return visitor


@pytest.fixture(scope="module")
def run(studio, owner, request):
    run = owner.start(**request.module.STARTED)
    studio.work()
    return run


@pytest.fixture(scope="module")
def found(studio, owner, run, request):
    """What the dialog of the analysis shows of the run, once it has ended."""
    return analyzed(studio, owner, run, request.module.NAME)
