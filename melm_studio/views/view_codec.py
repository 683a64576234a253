"""A look as JSON values and as the fields of a query, taken only as this studio writes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from melm_core.methods import GAMMA
from melm_studio.views import validation
from melm_studio.views.validation import ReadingError
from melm_studio.views.view_options import AS_FOUND, Look, Move

# More changes than this are no longer a way to look at a plane.
MOST_MOVES = 64
MOST_COUNTED = 10**9

# Of a coordinate on screen, and of a component.
MODERATE = 1e6

_FIELDS = ("gamma", "kept", "moves", "from")


def look_values(look: Look) -> dict[str, Any]:
    """Return JSON values that `look_of` reads, without the runs that a look may name."""
    return {
        "gamma": look.gamma,
        "kept": look.n_kept,
        "moves": [[move.feature, list(move.loading)] for move in look.moves],
        "from": list(look.direction),
    }


def look_of(values: Any) -> Look:
    """Return the look that JSON values describe; what is left out is as found.

    Raises
    ------
    ReadingError
        If anything in them is not as this studio writes it.
    """
    given = validation.fields(values, _FIELDS, "A look at a plane")
    gamma, kept, moves = given.get("gamma"), given.get("kept"), given.get("moves")
    direction = given.get("from", AS_FOUND.direction)
    side, up = validation.numbers(direction, "The direction", MODERATE, 2)
    return Look(
        gamma=None if gamma is None else validation.setting(GAMMA, gamma),
        n_kept=None if kept is None else counted(kept, "The number of features", 1),
        moves=_moves(moves) if moves else (),
        direction=(side, up),
    )


def look_query(look: Look, gamma: str = "gamma") -> dict[str, Any]:
    """Return the fields that `look_of_query` reads, empty or None where the look is as found."""
    is_turned = look.direction != AS_FOUND.direction
    return {
        gamma: look.gamma,
        "kept": look.n_kept,
        "moves": ",".join(joined((move.feature, *move.loading)) for move in look.moves),
        "from": joined(look.direction) if is_turned else None,
    }


def look_of_query(given: Mapping[str, str], gamma: str = "gamma") -> dict[str, Any]:
    """Return the JSON values of the look in a query, as "moves=FEATURE:X:Y,..." and "from=SIDE:UP".

    `gamma` is what the query calls the kernel width.
    """
    named = {gamma: "gamma", "kept": "kept"}
    look: dict[str, Any] = {
        field: number_in(given[name]) for name, field in named.items() if name in given
    }
    if "moves" in given:
        look["moves"] = [_move_in(part) for part in given["moves"].split(",")]
    if "from" in given:
        look["from"] = numbers_in(given["from"])
    return look


def counted(value: Any, what: str, lowest: int) -> int:
    """Return a whole number of moderate size."""
    return validation.whole_number(value, what, lowest, MOST_COUNTED)


def joined(numbers: Iterable[float]) -> str:
    """Return numbers as they stand in a query."""
    return ":".join(map(repr, numbers))


def numbers_in(text: str) -> list[Any]:
    """Return what `joined` put together."""
    return [number_in(part) for part in text.split(":")]


def number_in(text: str) -> Any:
    """Return the number; text that is none stays as it is, to be refused by its name."""
    try:
        return float(text)
    except ValueError:
        return text


def _move_in(text: str) -> list[Any]:
    feature, *place = numbers_in(text)
    return [feature, place]


def _moves(values: Any) -> tuple[Move, ...]:
    moves = validation.parts(values, "What was moved")
    if len(moves) > MOST_MOVES:
        raise ReadingError(f"At most {MOST_MOVES} arrows can be moved in turn. Polish from here.")
    return tuple(map(_move, moves))


def _move(values: Any) -> Move:
    feature, loading = validation.parts(values, "An arrow that was moved", 2)
    place = validation.numbers(loading, "The place of an arrow", MODERATE)
    return Move(counted(feature, "The number of a feature", 0), tuple(place))
