"""The values of the sidebar, and the parameters of a run that they give."""

from __future__ import annotations

from typing import Any

from dash import ALL, State
from msgspec import Struct

from callbacks.named_control import NamedControl
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
from melm_studio.layout import ids
from melm_studio.runs.records.parameters import RunParameters, usual_starts
from melm_studio.validation import read, shown

# Without γ, of which a batch has several.
SIDEBAR = (
    State(ids.METHOD, "value"),
    State(ids.N_COMPONENTS, "value"),
    State(ids.N_INIT, "value"),
    State(ids.RANDOM_STATE, "value"),
    State(ids.HELD_OUT, "value"),
    State(ids.CURVES, "value"),
    State({"type": "setting", "name": ALL}, "id"),
    State({"type": "setting", "name": ALL}, "value"),
)


class SidebarValues(Struct, frozen=True):
    """The values of SIDEBAR, in its order."""

    method: str
    n_components: Any
    n_init: Any
    random_state: Any
    held_out_percent: Any
    curves: Any
    own_ids: list[NamedControl]
    own_values: list[Any]

    @classmethod
    def from_page(cls, *values: Any) -> SidebarValues:
        """Return what the page sends.

        Raises
        ------
        InputError
            If a value is of a type that no control has.
        """
        names = cls.__struct_fields__
        return read(dict(zip(names, values, strict=True)), cls, "The sidebar")

    def parameters(self, method: str, gamma: Any) -> RunParameters:
        """Return the parameters of a run; the method's own settings apply to that method only.

        Raises
        ------
        UserError
            Names the control, its value, and the rule.
        """
        own = self._own() if method == self.method else {}
        width = _gamma(method, gamma)
        return RunParameters.of(
            {
                COMPONENTS.name: COMPONENTS.checked(_whole(self.n_components)),
                GAMMA.name: width,
                STARTS.name: self._starts(method, width),
                SEED.name: SEED.checked(self.random_state),
                HELD_OUT.name: HELD_OUT.checked(self.held_out_percent) / 100,
                CURVES.name: CURVES.checked(self.curves),
                **{
                    setting.name: setting.checked(own.get(setting.name, setting.default))
                    for setting in METHODS[method].parameters
                    if setting.name not in SHARED
                },
            }
        )

    def _starts(self, method: str, gamma: Any) -> Any:
        """As entered; the default in the field stands for that of the kernel width."""
        own = method_of(method).parameter(STARTS.name)
        if own is None or self.n_init == own.default:
            return usual_starts(method, gamma)
        return STARTS.checked(self.n_init)

    def _own(self) -> dict[str, Any]:
        names = (own_id["name"] for own_id in self.own_ids)
        return dict(zip(names, self.own_values, strict=False))


def method_of(key: str) -> Method:
    """Return the method of a key.

    Raises
    ------
    UserError
        If there is none.
    """
    if key not in METHODS:
        labels = ", ".join(known.label for known in METHODS.values())
        raise UserError(f"There is no method {shown(key)}. Choose one of {labels}.")
    return METHODS[key]


def _gamma(method: str, value: Any) -> Any:
    """The kernel width; of methods that do not have one, that of the densities drawn."""
    own = method_of(method).parameter(GAMMA.name)
    if own is None and value == AUTO:
        return GAMMA.default
    return (own or GAMMA).checked(value)


def _whole(text: Any) -> Any:
    """The number that a choice holds as text; other values are left, for the check to refuse."""
    return int(text) if isinstance(text, str) and text.isdecimal() else text
