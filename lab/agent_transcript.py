"""Write what a client of the protocol hears from the tools of `melm-studio agents`.

python -m lab.agent_transcript

The client starts the command in a folder with two tables of wines, as the program of a language
model does, and calls every tool. Names and addresses that differ each time are left out.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult
from sklearn.datasets import load_wine

from melm_studio.installation import APPLICATION_FOLDER

PAGE = APPLICATION_FOLDER / "docs" / "results" / "agent-transcript.md"
_PAGE = """\
# What a model hears

Written by `python -m lab.agent_transcript`, which starts `melm-studio agents`
([tools](../agents.md)) and calls every tool as a client of the protocol. Lists are cut, and what
differs each time is left out (`run`, `id`, `page`).

```text
{transcript}
```
"""
_N_NEW = 40
_MOST_ITEMS = 2
_FOLDER = "/home/ann/tables"  # as the document says
_DIFFERS = "run", "id", "page"


def command(folder: Path) -> StdioServerParameters:
    """What starts the server of the tools, for a client."""
    arguments = ["-m", "melm_studio", "agents", "--folder", str(folder)]
    return StdioServerParameters(
        command=sys.executable, args=arguments, cwd=str(APPLICATION_FOLDER)
    )


def write_tables(folder: Path) -> None:
    """Write wines.csv, and new.csv with wines that are not in it."""
    data = load_wine(as_frame=True)
    table = data.frame.assign(target=data.target_names[data.target])
    shuffled = table.rename(columns={"target": "cultivar"}).sample(frac=1.0, random_state=0)
    shuffled.iloc[_N_NEW:].to_csv(folder / "wines.csv", index=False)
    shuffled.iloc[:_N_NEW].drop(columns="cultivar").to_csv(folder / "new.csv", index=False)


async def transcript(folder: Path) -> str:
    """The calls and the answers."""
    write_tables(folder)
    lines: list[str] = []
    async with Client(stdio_client(command(folder))) as client:

        async def call(tool: str, shown: str = "", **arguments: Any) -> dict[str, Any]:
            named = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
            lines.append(f">>> {tool}({shown or named})")
            answer = await client.call_tool(tool, arguments)
            while not answer.is_error and (answer.structured_content or {}).get("state") in {
                "queued",
                "running",
            }:
                answer = await client.call_tool(tool, arguments)
            lines.append(_written(answer))
            return answer.structured_content or {}

        await call("read_table", file="wines.csv")
        found = await call("run_method", file="wines.csv", method="lda")
        run = found["run"]
        await call("is_it_real", "run=...", run=run)
        saved = {"run": run, "save_as": "verdict.json"}
        await call("save_verdict", "run=..., save_as='verdict.json'", **saved)
        await call("compare_all", file="wines.csv")
        await call("place_new_rows", "run=..., file='new.csv'", run=run, file="new.csv")
        await call("do_they_belong", "run=..., file='new.csv'", run=run, file="new.csv")
        await call("save_files", "runs=[...], folder='results'", runs=[run], folder="results")
        await call("read_table", file="../secrets.csv")
    return "\n".join(lines).replace(str(folder), _FOLDER)


def _written(answer: CallToolResult) -> str:
    """An answer as JSON, a name on a line, or the sentence of a refusal."""
    if answer.is_error:
        (refusal,) = answer.content
        return getattr(refusal, "text", "")
    known = answer.structured_content or {}
    lines = [
        f"  {name}: {json.dumps(_short(value), ensure_ascii=False)}"
        for name, value in known.items()
        if name not in _DIFFERS
    ]
    return "\n".join(lines)


def _short(value: Any) -> Any:
    """The beginning of a long list, and numbers as they are read."""
    if isinstance(value, float):
        return float(f"{value:.3g}")
    if isinstance(value, dict):
        return {name: _short(one) for name, one in value.items()}
    if isinstance(value, list):
        left_out = [f"and {len(value) - _MOST_ITEMS} more"] if len(value) > _MOST_ITEMS else []
        return [*map(_short, value[:_MOST_ITEMS]), *left_out]
    return value


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        text = asyncio.run(transcript(Path(folder).resolve()))
    PAGE.write_text(_PAGE.format(transcript=text))


if __name__ == "__main__":
    main()
