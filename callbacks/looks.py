"""How the page asks to look at a plane, in the query of an address."""

from __future__ import annotations

from dataclasses import replace

import flask

from callbacks.session import own_run
from callbacks.studio import Studio
from melm_core.parameters import GAMMA
from worker.look import Look, Move
from worker.records import PlaneEvent, RunRecord

# More changes than this are no longer a way to look at a plane.
MOST_MOVES = 64


def asked_look(studio: Studio) -> Look:
    """The look that the query describes, else the answer 400, or 404 for runs of others.

    `gamma=0.5`, `kept=4`, `morph=RUN:0.5`, `moves=FEATURE:X:Y,...`, `from=SIDE:UP` in radians,
    `toward=RUN`; each may be absent.
    """
    asked = flask.request.args
    try:
        return Look(
            gamma=_gamma(asked.get("gamma")),
            n_kept=None if "kept" not in asked else int(asked["kept"]),
            morph=_morph(studio, asked.get("morph")),
            moves=_moves(asked.get("moves")),
            direction=_direction(asked.get("from")),
            toward=_toward(studio, asked.get("toward")),
        )
    except ValueError as error:
        flask.abort(400, str(error))


def looked_at(studio: Studio, record: RunRecord, event: PlaneEvent) -> PlaneEvent:
    """The event with the plane that is on screen under the look that the query describes."""
    try:
        components = studio.gallery.components(record, event, asked_look(studio))
    except ValueError as error:
        flask.abort(400, str(error))
    return replace(event, components=components)


def _gamma(text: str | None) -> float | None:
    asked = flask.request.args.get("gamma", type=float)  # None for what is no number
    return None if text is None else GAMMA.checked(asked)


def _toward(studio: Studio, run_id: str | None) -> str | None:
    return None if run_id is None else own_run(studio, run_id).run_id


def _morph(studio: Studio, text: str | None) -> tuple[str, float] | None:
    if text is None:
        return None
    run_id, _, share = text.partition(":")
    if not 0.0 <= float(share) <= 1.0:
        raise ValueError(f"The share of a way is a number from 0 to 1; it is {share}.")
    return own_run(studio, run_id).run_id, float(share)


def _moves(text: str | None) -> tuple[Move, ...]:
    moves = tuple(_move(part) for part in text.split(",")) if text else ()
    if len(moves) > MOST_MOVES:
        raise ValueError(f"At most {MOST_MOVES} arrows can be moved in turn. Polish from here.")
    return moves


def _move(text: str) -> Move:
    feature, *loading = text.split(":")
    return Move(int(feature), tuple(_finite(number) for number in loading))


def _direction(text: str | None) -> tuple[float, float]:
    if text is None:
        return Look.direction
    side, up = text.split(":")
    return _finite(side), _finite(up)


def _finite(text: str) -> float:
    number = float(text)
    if not abs(number) < 1e6:
        raise ValueError(f"A coordinate on screen is a moderate number; it is {text}.")
    return number
