"""The process that forks readers: started by `FileReader`, never by hand."""

from __future__ import annotations

import sys

from melm_studio.reading.fork_server import main

main(sys.argv[1:])
