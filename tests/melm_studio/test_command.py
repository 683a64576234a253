"""A shell completes the command."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from melm_core import METHODS
from melm_studio.command import main
from melm_studio.installation import APPLICATION_FOLDER

REPLY = """
source {script}
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_shtab_melm_studio
echo "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def completions(capsys, tmp_path):
    """What bash offers for the last of some words."""
    if not shutil.which("bash"):
        pytest.skip("bash is not installed")
    with pytest.raises(SystemExit):
        main(["--print-completion", "bash"])
    script = tmp_path / "completion.bash"
    script.write_text(capsys.readouterr().out)

    def offered(words):
        commands = REPLY.format(script=script, words=f"melm-studio {words}")
        told = subprocess.run(["bash", "-c", commands], capture_output=True, text=True, check=True)
        return told.stdout.split()

    return offered


def test_bash_completes_commands_options_and_methods(completions):
    assert {"open", "run"} <= set(completions('""'))
    assert completions("--pr") == ["--print-completion"]
    assert "--label" in completions("open --la")
    assert set(completions('run table.csv --methods ""')) == set(METHODS)


@pytest.mark.slow
def test_a_started_command_collects_what_it_makes_but_nothing_that_it_imported():
    started = """
import gc
import melm_studio.__main__ as program
from unittest.mock import patch
with patch("melm_studio.command.main", lambda: 7):
    assert program.main() == 7
print(gc.isenabled(), len(gc.get_objects()) < gc.get_freeze_count() / 10)
"""
    done = subprocess.run(
        [sys.executable, "-c", started],
        check=True,
        capture_output=True,
        text=True,
        cwd=APPLICATION_FOLDER,
    )
    assert done.stdout == "True True\n"


def test_the_version_says_what_sums_over_pairs_of_rows(capsys, monkeypatch):
    monkeypatch.setenv("MELM_ENGINE", "numpy")
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith("melm-studio ")
    assert said.endswith("numpy (MELM_ENGINE asks for it)\n")
