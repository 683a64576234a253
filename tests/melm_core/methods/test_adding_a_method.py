"""The steps of docs/adding-a-method.md, carried out on a copy of the core."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
USE = """
import numpy as np
from melm_core.datasets import two_gaussians
from melm_core.methods import METHODS

method = METHODS["random"]
X, y = two_gaussians(2)
assert method.refusal(X.shape[1], {"1": 50, "2": 50}, 2) is None
planes = [method.estimator({"random_state": seed}).fit(X, y) for seed in (0, 0, 1)]
assert planes[0].transform(X).shape == (len(X), 2)
assert np.allclose(planes[0].components_ @ planes[0].components_.T, np.eye(2))
assert np.array_equal(planes[0].components_, planes[1].components_)
assert not np.allclose(planes[0].components_, planes[2].components_)
print(method.label)
"""


def test_one_module_and_one_entry_add_a_method(tmp_path):
    module, imported, entry = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "adding-a-method.md").read_text(), re.DOTALL
    )
    core = tmp_path / "melm_core"
    # with what is compiled, but for what is just being written
    shutil.copytree(ROOT / "melm_core", core, ignore=shutil.ignore_patterns("*.pyc.*"))
    (core / "baselines" / "random_plane.py").write_text(module)
    registry = core / "methods" / "registry.py"
    methods = registry.read_text()
    methods = methods.replace("from melm_core.melm", f"{imported}from melm_core.melm", 1)
    methods = methods.replace("for method in (\n", f"for method in (\n{entry.strip()},\n", 1)
    registry.write_text(methods)
    used = subprocess.run(
        [sys.executable, "-W", "error", "-c", USE],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert used.stdout == "Random plane\n", used.stderr
