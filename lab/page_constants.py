"""Write the constants that the page's scripts share with Python.

`python -m lab.page_constants` writes assets/studio/constants.mjs; with `--check` it only says
whether that file is current.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from melm_studio.layout.first_page import LAST_SOURCE
from melm_studio.layout.method_line import GAMMA_DIGITS
from melm_studio.planes.features import PATH_SHARES
from melm_studio.planes.theme import UNLABELED_COLOR
from melm_studio.publication.printing.axes import CROWDING
from melm_studio.runs.records.run import RunState
from melm_studio.workspace.view_spec import MODES, MORE_LAYERS, SWITCHES

_Value: TypeAlias = (
    Mapping[str, str] | Mapping[str, float] | Sequence[str] | Sequence[float] | str | int
)

MODULE = Path(__file__).parents[1] / "assets" / "studio" / "constants.mjs"
OUTDATED = "{path} is not current. Write it again: make constants"
HEAD = "// Written by lab/page_constants.py: what the page shares with Python. Do not edit.\n"


def page_constants() -> str:
    """The module of constants, as JavaScript."""
    final = [state.value for state in RunState if state.is_final]
    exports = [
        _export("MODES", MODES, "What the page can show."),
        _export("SWITCHES", SWITCHES, "Switches, by their name in the state."),
        _export("MORE_LAYERS", MORE_LAYERS, "Layers that are off until they are asked for."),
        _export("FINAL_STATES", final, "States that a run never leaves."),
        _export(
            "PATH_SHARES", PATH_SHARES.round(4).tolist(), "Shares of rows below a bend's vertices."
        ),
        _export("CROWDING", CROWDING, "Opacities of pixels in which rows crowd."),
        _export("UNLABELED_COLOR", UNLABELED_COLOR, "The color of rows without a class."),
        _export("LAST_SOURCE", LAST_SOURCE, "Where a new tab finds the table chosen last."),
        _export("GAMMA_DIGITS", GAMMA_DIGITS, "Significant digits of a kernel width."),
    ]
    return "\n".join([HEAD, *exports])


def _export(name: str, value: _Value, meaning: str) -> str:
    return f"/** {meaning} */\nexport const {name} = {_javascript(value)};\n"


def _javascript(value: _Value) -> str:
    if isinstance(value, int | str):
        return json.dumps(value)
    if not isinstance(value, Mapping):
        return f"Object.freeze({json.dumps(list(value))})"
    lines = (f"  {name}: {json.dumps(text, ensure_ascii=False)}," for name, text in value.items())
    return "Object.freeze({\n" + "\n".join(lines) + "\n})"


def main(arguments: Sequence[str]) -> int:
    """Write the module, or check that it is current."""
    is_current = MODULE.is_file() and MODULE.read_text() == page_constants()
    if "--check" in arguments:
        if not is_current:
            print(OUTDATED.format(path=MODULE.name), file=sys.stderr)
        return int(not is_current)
    MODULE.write_text(page_constants())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
