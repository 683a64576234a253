"""The size of the house: `python -m lab.sizes [--beside COMMIT]`.

Counts lines, modules, words of documents, public names, and variables and docstrings that name
nothing, of the working tree and, in a column beside it, of an earlier commit.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PRODUCT = ("app.py", "melm_core", "melm_studio", "callbacks")
# Names that say nothing of what a variable holds, and first words of a docstring without a verb.
VAGUE_NAMES = frozenset({"found", "own", "at", "one", "known", "kept", "chosen"})
QUESTIONS = frozenset({"What", "Whether", "Which", "How", "Where", "Who", "Why", "When"})


def sizes(root: Path) -> dict[str, int]:
    """Count what stands in a tree of the project.

    Parameters
    ----------
    root : Path

    Returns
    -------
    dict of str to int
        By what is counted.
    """
    python = [*_files(root, PRODUCT, ".py")]
    scripts = _scripts(root)
    styles = [*_files(root, ("assets",), ".css")]
    trees = [ast.parse(path.read_text()) for path in python]
    documents = [root / "README.md", root / "CONTRIBUTING.md", *(root / "docs").glob("*.md")]
    return {
        "lines of Python": _lines(python),
        "lines of scripts": _lines(scripts),
        "lines of styles": _lines(styles),
        "modules": sum(n_modules(root)),
        "lines of tests": _lines(_files(root, ("tests",), ".py", ".mjs")),
        "words of README, CONTRIBUTING, docs": _words(documents),
        "words of pages that commands write": _words((root / "docs/results").glob("*.md")),
        "lines of CHANGELOG": _lines([root / "CHANGELOG.md"]),
        "public names of melm_core": len(_exported(root / "melm_core/__init__.py")),
        "public names of evaluation": len(_exported(root / "melm_core/evaluation/__init__.py")),
        "vague names of variables": sum(_n_vague(tree) for tree in trees),
        "docstrings that begin with a question": sum(_n_questions(tree) for tree in trees),
    }


def n_modules(root: Path = ROOT) -> tuple[int, int]:
    """Count modules of the product in Python, without doors that are empty, and of the page."""
    python = [path for path in _files(root, PRODUCT, ".py") if ast.parse(path.read_text()).body]
    return len(python), len(_scripts(root))


def tree_of(commit: str, folder: Path) -> Path:
    """Write the files of a commit into a folder."""
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    return folder


def _files(root: Path, tops: Iterable[str], *suffixes: str) -> Iterator[Path]:
    for top in tops:
        path = root / top
        files = [path] if path.is_file() else path.rglob("*")
        yield from (file for file in files if file.suffix in suffixes)


def _scripts(root: Path) -> list[Path]:
    return [path for path in _files(root, ("assets",), ".mjs") if ".bundle." not in path.name]


def _lines(files: Iterable[Path]) -> int:
    return sum(len(file.read_text().splitlines()) for file in files)


def _words(files: Iterable[Path]) -> int:
    return sum(len(file.read_text().split()) for file in files)


def _exported(door: Path) -> list[str]:
    for node in ast.parse(door.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def _n_vague(tree: ast.AST) -> int:
    variables = (
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    parameters = (node.arg for node in ast.walk(tree) if isinstance(node, ast.arg))
    return sum(name in VAGUE_NAMES for name in (*variables, *parameters))


def _n_questions(tree: ast.AST) -> int:
    described = (ast.FunctionDef, ast.ClassDef, ast.Module)
    texts = (ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, described))
    return sum(text.split(maxsplit=1)[0] in QUESTIONS for text in texts if text)


def main(arguments: list[str] | None = None, say: Callable[[str], None] = print) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m lab.sizes", description="Size of the house.")
    parser.add_argument("--beside", metavar="COMMIT", help="an earlier state")
    commit = parser.parse_args(arguments).beside
    columns = {"today": sizes(ROOT)}
    if commit:
        with tempfile.TemporaryDirectory() as folder:
            columns = {commit: sizes(tree_of(commit, Path(folder))), **columns}
    say(" " * 40 + "".join(f"{name:>12}" for name in columns))
    for counted in columns["today"]:
        say(f"{counted:<40}" + "".join(f"{column[counted]:>12,}" for column in columns.values()))


if __name__ == "__main__":
    main()
