"""What the store refuses is answered by a sentence, whichever route it came by."""

from __future__ import annotations

from dash import Dash

from melm_studio.worker.records.limits import DiskFullError, LimitReachedError
from melm_studio.worker.store.protocol import StoreUnavailableError


def register(app: Dash) -> None:
    """Turn the refusals of the store into answers."""

    @app.server.errorhandler(LimitReachedError)
    def refuse(error: LimitReachedError) -> tuple[dict[str, str], int]:
        return _answer(error, 507 if isinstance(error, DiskFullError) else 409)

    @app.server.errorhandler(StoreUnavailableError)
    def put_off(error: StoreUnavailableError) -> tuple[dict[str, str], int]:
        return _answer(error, 503)


def _answer(error: Exception, status: int) -> tuple[dict[str, str], int]:
    # Uploads read "error", the panels "words".
    return {"words": str(error), "error": str(error)}, status
