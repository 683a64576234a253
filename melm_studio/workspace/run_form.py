"""The values of the form of the method line, and the runs that they give."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from melm_core.base import UserError
from melm_core.methods import (
    AUTO,
    COMPONENTS,
    CURVES,
    GAMMA,
    HELD_OUT,
    METHODS,
    SEED,
    SHARED,
    STARTS,
    Method,
)
from melm_studio.runs.execution.refusals import applicable, check_data
from melm_studio.runs.records.parameters import RunParameters, usual_held_out, usual_starts
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import LabeledData
from melm_studio.validation import InputError, shown
from melm_studio.workspace.data_source import NO_DATA, ShownData
from melm_studio.workspace.workspace import MAX_PANELS, Workspace

_NOTHING_CHOSEN = "Choose at least one method and one γ to run."
_MOST_CHOICES = 1_000  # that are compared with the runs of the page
_FAR_TOO_MANY = (
    "These are {n_choices:,} choices; at most {most:,} can be looked at together. Choose fewer "
    "methods or fewer γ."
)
_TOO_MANY = (
    "These are {n_runs} runs; the page holds {most} panels and shows {n_shown}. Choose fewer runs, "
    "or remove some panels."
)
FIRST_METHOD = next(iter(METHODS))


class FormValues(Struct, frozen=True, forbid_unknown_fields=True):
    """Values of the controls; by default their initial ones.

    Attributes
    ----------
    method : str
    n_components, gamma, n_init, random_state, held_out_percent, curves : object
        As the controls have them: a number, or the text that was typed. None of held-out rows is
        what is usual for the table.
    is_auto : bool
        Whether the method chooses γ.
    own : dict
        The method's own settings by name.
    """

    method: str = FIRST_METHOD
    n_components: Any = COMPONENTS.default
    gamma: Any = GAMMA.default
    is_auto: bool = False
    n_init: Any = STARTS.default
    random_state: Any = SEED.default
    held_out_percent: Any = None
    curves: Any = CURVES.default
    own: dict[str, Any] = field(default_factory=dict)

    def parameters(self, method: str, gamma: Any, data: LabeledData) -> RunParameters:
        """Return the parameters of a run; the method's own settings apply to that method only.

        Parameters
        ----------
        method : str
        gamma : object
            As `gamma`.
        data : LabeledData
            Which the run is to be of.

        Raises
        ------
        UserError
            Names the control, its value, and the rule.
        """
        of_method = self.own if method == self.method else {}
        width = _gamma(method, gamma)
        return RunParameters.of(
            {
                COMPONENTS.name: COMPONENTS.checked(_whole(self.n_components)),
                GAMMA.name: width,
                STARTS.name: self._starts(method, width),
                SEED.name: SEED.checked(self.random_state),
                HELD_OUT.name: self._held_out(data),
                CURVES.name: CURVES.checked(self.curves),
                **{
                    setting.name: setting.checked(of_method.get(setting.name, setting.default))
                    for setting in METHODS[method].parameters
                    if setting.name not in SHARED
                },
            }
        )

    def _held_out(self, data: LabeledData) -> float:
        if self.held_out_percent in (None, ""):
            return usual_held_out(len(data.y), has_batches=data.batches is not None)
        return float(HELD_OUT.checked(self.held_out_percent)) / 100

    def _starts(self, method: str, gamma: Any) -> Any:
        """Return the starts as entered; the default stands for that of the kernel width."""
        setting = method_of(method).parameter(STARTS.name)
        if setting is None or self.n_init == setting.default:
            return usual_starts(method, gamma)
        return STARTS.checked(self.n_init)


class _Request(Struct, frozen=True, forbid_unknown_fields=True):
    """Request of the page to run something.

    Attributes
    ----------
    data : ShownData or None
        The data that it shows.
    form : FormValues
        Without it, what the method line holds at first.
    """

    data: ShownData | None
    form: FormValues = FormValues()

    @property
    def shown(self) -> ShownData:
        """The data that the page shows.

        Raises
        ------
        InputError
            If it shows none yet.
        """
        if self.data is None:
            raise InputError(NO_DATA)
        return self.data


class NewRun(_Request, frozen=True, forbid_unknown_fields=True):
    """Request to start a run; `again`, although an equal run is on the page."""

    again: bool = False

    def fit(self, space: Workspace) -> tuple[RunRecord, bool]:
        """Return a run, and whether it is a new one, or one that is on the page already.

        Raises
        ------
        UserError
            If a value breaks a rule, or the data cannot be run on.
        """
        shown, form = self.shown, self.form
        prepared = space.data(shown)
        requested = form.parameters(form.method, AUTO if form.is_auto else form.gamma, prepared)
        parameters = applicable(requested, prepared)
        same = space.equal_fit(shown.id, form.method, parameters)
        if same is not None and not self.again:
            return same, False
        check_data(form.method, prepared, parameters)
        return space.new_fit(shown, form.method, parameters, prepared), True


class NewBatch(_Request, frozen=True, forbid_unknown_fields=True):
    """Request to run every method at every γ; `both`, with standardization and without."""

    methods: list[str] = []
    gammas: list[str] = []
    both: bool = False

    def fits(self, space: Workspace) -> list[RunRecord]:
        """Return the runs that are not on the page already.

        Raises
        ------
        UserError
            If there are too many, a value breaks a rule, or the data cannot be run on.
        """
        fits = list(self._new_fits(space))
        n_shown = len(space.shown_fits(self.shown)) if fits else 0
        if n_shown + len(fits) > MAX_PANELS:
            raise UserError(_TOO_MANY.format(n_runs=len(fits), most=MAX_PANELS, n_shown=n_shown))
        return fits

    def _choices(self) -> Iterator[tuple[str, Any, bool]]:
        selected = self.shown.source.standardize
        preparations = [selected, not selected] if self.both else [selected]
        n_choices = len(self.methods) * len(self.gammas) * len(preparations)
        if n_choices == 0:
            raise UserError(_NOTHING_CHOSEN)
        if n_choices > _MOST_CHOICES:
            raise UserError(_FAR_TOO_MANY.format(n_choices=n_choices, most=_MOST_CHOICES))
        yield from product(self.methods, map(_number, self.gammas), preparations)

    def _new_fits(self, space: Workspace) -> Iterator[RunRecord]:
        # As the page prepared them: a label that was guessed is asked, one that is given is not.
        source, choices = self.shown.source, list(self._choices())
        table, prepared = space.table(source), {}
        for method, gamma, standardize in choices:
            if standardize not in prepared:
                alike = replace(source, standardize=standardize)
                prepared[standardize] = alike, space.prepare(table, alike)
            variant, data = prepared[standardize]
            parameters = applicable(self.form.parameters(method, gamma, data), data)
            check_data(method, data, parameters)
            if not space.equal_fit(data.content_hash, method, parameters):
                shown = ShownData(data.content_hash, data.name, self.shown.label, variant)
                yield space.new_fit(shown, method, parameters, data)


def method_of(key: str) -> Method:
    """Return the method of a key.

    Raises
    ------
    UserError
        If there is none.
    """
    if key not in METHODS:
        labels = ", ".join(method.label for method in METHODS.values())
        raise UserError(f"There is no method {shown(key)}. Choose one of {labels}.")
    return METHODS[key]


def _gamma(method: str, value: Any) -> Any:
    """Check the kernel width; of methods that do not have one, that of the densities drawn."""
    setting = method_of(method).parameter(GAMMA.name)
    if setting is None and value == AUTO:
        return GAMMA.default
    return (setting or GAMMA).checked(value)


def _whole(text: Any) -> Any:
    """Parse the number of a choice; other values are left, for the check to refuse."""
    return int(text) if isinstance(text, str) and text.isdecimal() else text


def _number(text: str) -> Any:
    """Parse a typed number; other text is left as it is, for the parameter to refuse."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return text
