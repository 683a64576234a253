"""The values of the form, and the parameters of a run that they give."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

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
from melm_studio.layout.method_line import FIRST_METHOD
from melm_studio.runs.records.parameters import RunParameters, usual_held_out, usual_starts
from melm_studio.tables import LabeledData
from melm_studio.validation import InputError, shown
from melm_studio.workspace.data_source import NO_DATA, ShownData


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


def data_to_run_on(shown: ShownData | None) -> ShownData:
    """Return the data that the page shows.

    Raises
    ------
    InputError
        If it shows none yet.
    """
    if shown is None:
        raise InputError(NO_DATA)
    return shown


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
