"""The classes: which values of the label become which class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import html
from dash.development.base_component import Component

from melm_studio.layout import ids
from melm_studio.layout.elements import aria
from melm_studio.tables import ClassRules, count, number, number_text
from melm_studio.workspace.table_choices import AT_CUTS, EACH_VALUE, EQUAL_PARTS

MAX_SHOWN = 200  # values; the others keep their names
_HOW = {
    EACH_VALUE: "Each value is a class",
    EQUAL_PARTS: "Ranges of equal size",
    AT_CUTS: "Ranges cut at",
}
_EXPLANATION = (
    "Give a value another name, give two values the same name to merge them, or clear a name to "
    "leave its rows out."
)


def classes_tab() -> Component:
    """The form of the classes, which is filled in when it is opened."""
    return dmc.Stack(
        [
            html.Div(id=ids.CLASSES_FORM),
            dmc.Group(
                [
                    dmc.Button("Apply", id=ids.CLASSES_APPLY, size="compact-sm"),
                    dmc.Button(
                        "Reset to detected classes",
                        id=ids.CLASSES_RESET,
                        variant="default",
                        size="compact-sm",
                    ),
                ],
                gap="xs",
            ),
        ],
        gap="sm",
        pt="sm",
    )


def classes_form(
    label: str, values: Sequence[tuple[str, int]], rules: ClassRules, *, is_number: bool, how: str
) -> Component:
    """The form for one label.

    Parameters
    ----------
    label : str
    values : sequence of (str, int)
        Every value with its number of rows, or every range of a number that is cut.
    rules : ClassRules
    is_number : bool
        Whether the label can be cut into ranges.
    how : str
        What the classes are now: values, quantiles or cuts.
    """
    ranges = [_ranges(rules, how)] if is_number else []
    return dmc.Stack(
        [
            dmc.Text(f"Label: {label}", fw=600, size="sm"),
            *ranges,
            _rare(rules),
            dmc.Text(_EXPLANATION, size="sm", c="dimmed"),
            _names(values, rules),
        ],
        gap="sm",
    )


def _ranges(rules: ClassRules, how: str) -> Component:
    return dmc.Group(
        [
            dmc.SegmentedControl(
                id=ids.class_rule("how"),
                data=[{"value": value, "label": text} for value, text in _HOW.items()],
                value=how,
                size="xs",
                **aria(label="What the classes are"),
            ),
            dmc.NumberInput(
                id=ids.class_rule("quantiles"),
                value=rules.quantiles or 3,
                min=2,
                max=50,
                size="xs",
                w=70,
                **aria(label="Number of ranges of equal size"),
            ),
            dmc.TextInput(
                id=ids.class_rule("cuts"),
                value="; ".join(map(number_text, rules.cuts)),
                placeholder="cuts, such as 1.5; 4",
                size="xs",
                w=170,
                **aria(label="Cuts between ranges"),
            ),
        ],
        gap="xs",
    )


def _rare(rules: ClassRules) -> Component:
    return dmc.Group(
        [
            dmc.Text("Classes with fewer than", size="sm"),
            dmc.NumberInput(
                id=ids.class_rule("min_rows"),
                value=rules.min_rows,
                min=2,
                size="xs",
                w=80,
                **aria(label="Fewest rows of a class"),
            ),
            dmc.Text("rows are", size="sm"),
            dmc.Select(
                id=ids.class_rule("rare"),
                data=[
                    {"value": "leave out", "label": "left out"},
                    {"value": "merge", "label": "merged as other"},
                ],
                value=rules.rare,
                allowDeselect=False,
                size="xs",
                w=150,
                **aria(label="What becomes of rare classes"),
            ),
        ],
        gap="xs",
    )


def _names(values: Sequence[tuple[str, int]], rules: ClassRules) -> Component:
    shown = values[:MAX_SHOWN]
    caption = count(len(values), "value")
    caption += f", {number(len(shown))} shown" if len(shown) < len(values) else ""
    heads = ("Value", "Rows", "Class")
    return html.Table(
        [
            html.Caption(caption),
            html.Thead(html.Tr([html.Th(head, scope="col") for head in heads])),
            html.Tbody([_row(index, *value, rules) for index, value in enumerate(shown)]),
        ],
        className="figures columns classes",
    )


def _row(index: int, value: str, n_rows: int, rules: ClassRules) -> Component:
    name: Any = dmc.TextInput(
        id=ids.class_name(index),
        name=value,
        value=rules.names.get(value, value),
        placeholder="left out",
        size="xs",
        **aria(label=f"Class of {value}"),
    )
    return html.Tr(
        [
            html.Th(value, scope="row", className="column-name"),
            html.Td(number(n_rows)),
            html.Td(name),
        ]
    )
