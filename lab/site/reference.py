"""The reference of the packages, from their docstrings."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any

# Public packages, by the title of their page; melm_core has a page for each of its rooms.
PACKAGES: Mapping[str, str] = MappingProxyType(
    {
        "melm_core.datasets": "Generated data",
        "melm_core.diagnostics": "Single rows",
        "melm_core.evaluation": "Evaluation",
        "melm_core.labels": "Labels",
        "melm_studio": "Notebooks",
        "melm_studio.publication": "Figures",
        "melm_studio.programs.client": "Client of the HTTP interface",
    }
)
ROOMS: Mapping[str, str] = MappingProxyType(
    {
        "melm": "MELM",
        "rotations": "Rotations",
        "gem": "GEM",
        "baselines": "Other projections",
        "kernel_machines": "Kernel machines",
        "density": "Densities",
        "linalg": "Planes",
        "methods": "Methods and saved planes",
        "base": "Progress and errors",
    }
)
_PUBLIC_OF_MODULE = {"melm_studio.programs.client": ("StudioClient", "RefusedError")}
_INDEX = """\
# Reference

Every function and class of `melm_core` is documented by an example, and `make test` runs them all.

```{{toctree}}
:maxdepth: 1

{pages}
```
"""
_PAGE = """\
# {title}

`from {package} import {first}`

{entries}
"""
_DIRECTIVE = """\
```{{eval-rst}}
.. auto{kind}:: {name}
{options}
```
"""
# Methods of our own bases belong to the class that is read about; those of scikit-learn do not.
_OF_CLASSES = "   :members:\n   :inherited-members: " + ", ".join(
    [
        "BaseEstimator",
        "ClassNamePrefixFeaturesOutMixin",
        "ClassifierMixin",
        "Enum",
        "Exception",
        "ReprEnum",
        "ReprHTMLMixin",
        "StrEnum",
        "TransformerMixin",
        "ValueError",
        "_HTMLDocumentationLinkMixin",
        "_MetadataRequester",
        "_SetOutputMixin",
        "str",
        "tuple",
    ]
)


def reference_pages() -> dict[str, str]:
    """Return the text of each page, by its name without extension."""
    pages = {}
    for room, names in _by_room(import_module("melm_core")).items():
        pages[f"reference/{room}"] = _page(ROOMS[room], "melm_core", names)
    for package, title in PACKAGES.items():
        public = public_names(import_module(package))
        pages[f"reference/{package}"] = _page(title, package, public)
    order = [name.partition("/")[2] for name in pages]
    return {"reference/index": _INDEX.format(pages="\n".join(order)), **pages}


def public_names(module: ModuleType) -> tuple[str, ...]:
    """The functions and classes that a package exports."""
    names = _PUBLIC_OF_MODULE.get(module.__name__) or module.__all__
    return tuple(name for name in names if callable(getattr(module, name)))


def _by_room(package: ModuleType) -> dict[str, list[str]]:
    """What the package exports, by the room that defines it, in the order of the pages."""
    found = defaultdict(list)
    for name in package.__all__:
        found[_room_of(getattr(package, name))].append(name)
    return {room: found[room] for room in ROOMS if found[room]}


def _room_of(value: Any) -> str:
    module = getattr(value, "__module__", None) or ""
    return module.split(".")[1] if module.startswith("melm_core.") else "methods"


def _page(title: str, package: str, names: list[str] | tuple[str, ...]) -> str:
    values = import_module(package)
    entries = [_entry(f"{package}.{name}", getattr(values, name)) for name in names]
    return _PAGE.format(
        title=title, package=package, first=names[0], entries="\n".join(filter(None, entries))
    )


def _entry(name: str, value: Any) -> str:
    if inspect.isclass(value):
        return _DIRECTIVE.format(kind="class", name=name, options=_OF_CLASSES)
    if callable(value):
        return _DIRECTIVE.format(kind="function", name=name, options="")
    return ""  # constants are described with what takes them
