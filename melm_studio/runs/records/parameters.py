"""The parameters of a run: those that every run has, and those of its method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeAlias

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from melm_core.melm import default_starts
from melm_core.methods import (
    BATCH_WEIGHT,
    COMPONENTS,
    CURVES,
    GAMMA,
    HELD_OUT,
    METHODS,
    SEED,
    STARTS,
    STRAIGHT,
    Setting,
    without_zero_weight,
)
from melm_studio.validation import Coordinate, InputError, read, shown

INIT = "init"
# As in `melm_core.evaluation.Study.folds`.
MOST_ROWS_IN_FOLDS = 5_000

_Component = Annotated[tuple[Coordinate, ...], Meta(min_length=1)]
# A single plane; its rows are components.
StartPlane: TypeAlias = tuple[tuple[_Component, ...]]


class RunParameters(Struct, frozen=True, kw_only=True):
    """Parameters with which a method is fitted.

    Attributes
    ----------
    n_components : int
    gamma : float or "auto"
        The kernel width of the divergence; "auto" lets the run choose it by inner folds.
    n_init, random_state : int
    held_out : float
        Share of the rows that are excluded from the fit, from 0 to 0.5.
    curves : "straight", "curved" or "auto"
        Whether features bend; "auto" lets inner folds of the training rows decide.
    init : tuple of one plane, or None
        From which a refined run starts.
    own : dict of str to numbers and text
        The other parameters of the method, by name. A batch weight of 0 is left out.
    """

    n_components: int = int(COMPONENTS.default)
    gamma: float | Literal["auto"] = GAMMA.default
    n_init: int = int(STARTS.default)
    random_state: int = int(SEED.default)
    held_out: float = HELD_OUT.default / 100
    curves: Literal["straight", "curved", "auto"] = "straight"
    init: StartPlane | None = None
    own: dict[str, int | float | str] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the parameters with these values by name; those left out have their defaults.

        The values are those of a form or of `checked_parameters`: they are not checked again.
        """
        shared = {name: values[name] for name in _SHARED if name in values}
        of_method = {name: value for name, value in values.items() if name not in _SHARED}
        return cls(**shared, own=without_zero_weight(of_method))

    @property
    def values(self) -> dict[str, Any]:
        """All parameters by name, as estimators, links, and programs have them.

        Straight features are not mentioned.
        """
        shared = {name: getattr(self, name) for name in _SHARED}
        if self.curves == STRAIGHT:
            del shared[CURVES.name]
        return {name: value for name, value in shared.items() if value is not None} | self.own

    @property
    def without_start(self) -> Self:
        """The same without the plane from which a refined run starts."""
        return replace(self, init=None)

    @property
    def without_batch_weight(self) -> Self:
        """The same for data that have no batches."""
        return self.of({name: v for name, v in self.values.items() if name != BATCH_WEIGHT.name})

    @property
    def batch_weight(self) -> float:
        """Weight of keeping batches apart from the plane; 0 for none."""
        return float(self.own.get(BATCH_WEIGHT.name, 0.0))


_SHARED = tuple(name for name in RunParameters.__struct_fields__ if name != "own")


def checked_parameters(method: str, values: Mapping[str, Any]) -> RunParameters:
    """Return all parameters of a run of a method, with defaults for those left out.

    Raises
    ------
    InputError
        Names the parameter, its value, and the rule.

    Examples
    --------
    >>> checked_parameters("pca", {"random_state": 7}).values
    {'n_components': 2, 'gamma': 2.0, 'n_init': 6, 'random_state': 7, 'held_out': 0.25}
    """
    label, settings = METHODS[method].label, _settings(method)
    accepted = [*settings, HELD_OUT.name, *([INIT] if METHODS[method].accepts_init else [])]
    if unknown := [name for name in values if name not in accepted]:
        raise InputError(
            f"A run of {label} has no {shown(unknown[0])}. It has {', '.join(accepted)}."
        )
    parameters = {
        name: _checked(setting, values.get(name, setting.default))
        for name, setting in settings.items()
    }
    if STARTS.name not in values:
        parameters[STARTS.name] = usual_starts(method, parameters[GAMMA.name])
    parameters[HELD_OUT.name] = _held_out(values.get(HELD_OUT.name, HELD_OUT.default / 100))
    if INIT in values:
        parameters[INIT] = _init(values[INIT], parameters[COMPONENTS.name])
    return RunParameters.of(parameters)


def usual_held_out(n_rows: int, *, has_batches: bool = False) -> float:
    """Return the default share of rows to hold out: none of few rows.

    Their folds say more. Of more rows a single split says as much, for a fifth of the work; so does
    it of batches, which every weight of them is to be compared on.

    Examples
    --------
    >>> usual_held_out(5_000), usual_held_out(5_001), usual_held_out(90, has_batches=True)
    (0.0, 0.25, 0.25)
    """
    has_folds = n_rows <= MOST_ROWS_IN_FOLDS and not has_batches
    return 0.0 if has_folds else HELD_OUT.default / 100


def usual_starts(method: str, gamma: float | str) -> int:
    """Return the default number of starts of a method; by the width of kernels, if any.

    Examples
    --------
    >>> usual_starts("melm", 2.0), usual_starts("melm", 0.5), usual_starts("rotations", 0.5)
    (6, 14, 10)
    """
    starts = METHODS[method].parameter(STARTS.name)
    if METHODS[method].takes(GAMMA.name):  # one that is to be chosen may be narrow
        return default_starts(GAMMA.minimum if isinstance(gamma, str) else gamma)
    return int(STARTS.default if starts is None else starts.default)


def _settings(method: str) -> dict[str, Setting]:
    """Return the settings of every run, used or not, and those of the method."""
    shared = (COMPONENTS, GAMMA, STARTS, SEED, CURVES)
    return {setting.name: setting for setting in (*shared, *METHODS[method].parameters)}


def _checked(setting: Setting, value: Any) -> Any:
    try:
        return setting.checked(value)
    except OverflowError:
        raise InputError(f"{setting.label} is far too large. Choose a smaller value.") from None


def _held_out(share: Any) -> float:
    is_number = isinstance(share, int | float) and not isinstance(share, bool)
    _checked(HELD_OUT, 100 * share if is_number else share)
    return float(share)


def _init(planes: Any, n_components: int) -> StartPlane:
    (plane,) = read(planes, tuple[tuple[_Component, ...]], "The list of start planes")
    if len(plane) != n_components or len({len(row) for row in plane}) != 1:
        raise InputError(
            f"The start plane must have {n_components} components of equal length; it is "
            f"{shown(plane)}."
        )
    return (plane,)
