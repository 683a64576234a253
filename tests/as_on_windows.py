"""Run the command and a studio as far as Windows can be imitated; run by test_windows.py.

All that is not ours is imported as it is here. Then what Windows lacks is taken away, it is said
to be the system, and everything of ours is imported anew: whatever needs the rest fails. Child
processes are spawned, and have this system again.
"""
# ruff: noqa: PLC0415, SLF001 - it imports once it is another system, and fills in a structure of C

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import signal
import socket
import sys
import tempfile
import types
from pathlib import Path

OURS = ("app", "callbacks", "melm_core", "melm_studio", "lab")
NO_MODULES = ("fcntl", "grp", "pwd", "resource", "termios")
NOT_OF_OS = (
    "fork",
    "getuid",
    "geteuid",
    "killpg",
    "nice",
    "setpriority",
    "setsid",
    "sysconf",
    "waitid",
)
NOT_OF_SIGNALS = ("SIGALRM", "SIGCHLD", "SIGXCPU", "alarm", "set_wakeup_fd")


def become_windows() -> None:
    flock, bytes_of_machine = fcntl.flock, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")

    def locking(descriptor: int, mode: int, n_bytes: int) -> None:
        flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def memory_status(status: object) -> None:
        status._obj.ullTotalPhys = bytes_of_machine

    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    for name in NO_MODULES:
        sys.modules[name] = None
    for name in NOT_OF_OS:
        delattr(os, name)
    for name in NOT_OF_SIGNALS:
        delattr(signal, name)
    for name in ("send_fds", "recv_fds"):
        delattr(socket, name)
    sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, locking=locking)
    kernel = types.SimpleNamespace(GlobalMemoryStatusEx=memory_status)
    ctypes.windll = types.SimpleNamespace(kernel32=kernel)
    sys.platform = "win32"


def run_the_command(folder: Path) -> None:
    from sklearn.datasets import load_iris

    from melm_studio.command import main

    table = folder / "iris.csv"
    load_iris(as_frame=True).frame.to_csv(table, index=False)
    options = ["--label", "target", "--methods", "lda", "--quiet", "--out", str(folder / "out")]
    assert main(["run", str(table), *options]) == 0
    assert (folder / "out/lda/plane.json").is_file()


def use_a_studio(folder: Path) -> None:
    from lab.driver.visitor import opened_studio, shared_reader
    from melm_studio.configuration.settings import Settings
    from melm_studio.reading import OwnProcessReader
    from melm_studio.runs.store.disk_cache import FolderInUseError, locked
    from melm_studio.workers import pool
    from melm_studio.workers.supervisor import supervised
    from tests.melm_studio.runs.helpers import wait_until

    assert pool.START_METHOD == "spawn"
    assert isinstance(shared_reader(), OwnProcessReader)
    settings = Settings(data_dir=folder, workers=1)
    with locked(folder), opened_studio(folder) as studio:
        try:
            with locked(folder):
                raise AssertionError("two studios use one folder")
        except FolderInUseError:
            pass
        visitor = studio.visitor()
        visitor.choose_file(b"a,b,kind\n" + b"1,2,x\n2,1,x\n5,4,y\n4,5,y\n" * 10)
        with supervised(settings):
            run = visitor.start(method="lda")
            wait_until(lambda: visitor.news(run)["is_final"], deadline_s=90)
        assert visitor.http.get(f"/runs/{run}/points.csv").status_code == 200


def main() -> None:
    import lab.driver.visitor  # noqa: F401 - and with it all that others wrote

    assert resource.getrlimit(resource.RLIMIT_DATA)
    become_windows()
    with tempfile.TemporaryDirectory() as folder:
        run_the_command(Path(folder))
        (Path(folder) / "data").mkdir()
        use_a_studio(Path(folder) / "data")
    print("as on Windows")  # noqa: T201


if __name__ == "__main__":
    main()
