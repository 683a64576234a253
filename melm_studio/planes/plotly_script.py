"""Plotly's cartesian bundle: scatter, heatmap and contour traces, in a third of the full script.

It is stored as brotli compresses it at its highest level, which would take a server 13 s.
CONTRIBUTING.md says where it comes from.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

import brotli

_FILE = Path(__file__).parent / "plotly_js" / "plotly-cartesian.min.js.br"


@lru_cache(maxsize=1)
def compressed_plotly_script() -> bytes:
    """Return the script in the content encoding "br"."""
    return _FILE.read_bytes()


@lru_cache(maxsize=1)
def plotly_script() -> str:
    """Return the script."""
    return str(brotli.decompress(compressed_plotly_script()).decode())


@lru_cache(maxsize=1)
def plotly_fingerprint() -> str:
    """Return a name that changes with the script."""
    return hashlib.sha256(compressed_plotly_script()).hexdigest()[:12]
