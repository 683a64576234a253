"""What docs/deployment.md and deploy/ tell people to type exists and says the same everywhere."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path, PurePosixPath
from runpy import run_module

import gunicorn.config
import pytest
import yaml
from celery.bin.worker import worker as celery_worker_command

import app
from callbacks.addresses import Body
from lab.driver.visitor import opened_studio
from lab.setup.find_redis import REMEDY, find_redis
from melm_studio.configuration.memory import (
    PROCESS_MB,
    REDIS_BESIDE_MB,
    SHARE_OF_REDIS,
    USED,
    web_process_mb,
)
from melm_studio.configuration.settings import Settings, default_data_dir
from tests.callbacks.every_route import addresses
from tests.deployment import (
    DEPLOY,
    ROOT,
    UNITS,
    command_of,
    service_command,
    services,
    unit,
    variables,
)
from tests.melm_studio.runs.helpers import wait_until
from tests.melm_studio.runs.redis_server import RedisServer

PAGE = (ROOT / "docs" / "deployment.md").read_text()
DEFAULTS = Settings(data_dir=default_data_dir({})).as_environment()
FILES = [path for path in DEPLOY.iterdir() if path.is_file()]
COMMANDS = [command_of(name) for name in UNITS] + [service_command(name) for name in services()]


NGINX = (DEPLOY / "nginx.conf").read_text()


def of_program(name):
    return [command for command in COMMANDS if command[0] == name]


def options_of(command):
    return gunicorn.config.Config().parser().parse_args(command[1:])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_variable_in_a_file_is_a_setting(path):
    assert variables(path.read_text()) <= set(DEFAULTS)


def test_the_page_names_settings_only():
    assert variables(PAGE) <= set(DEFAULTS)


def test_every_file_is_named_on_the_page_and_every_named_file_exists():
    named = set(re.findall(r"deploy/([\w.-]+)", PAGE))
    assert named == {path.name for path in FILES} - {"Dockerfile", "Dockerfile.dockerignore"}
    for requirements in re.findall(r"requirements/?[\w]*\.txt", PAGE):
        assert (ROOT / requirements).is_file()


def test_every_program_is_installed_by_the_requirements():
    programs = {command[0] for command in COMMANDS} - {"python", "redis-server"}
    pinned = (ROOT / "requirements/redis.txt").read_text()
    assert programs == {"gunicorn", "celery"}
    for program in programs:
        assert Path(sys.executable).with_name(program).is_file()
        assert re.search(rf"^{program}==", pinned, re.MULTILINE)


@pytest.mark.parametrize("command", of_program("gunicorn"), ids=("unit", "compose"))
def test_gunicorn_understands_its_command(command):
    options = options_of(command)
    (module_and_call,) = options.args
    module, call = module_and_call.split(":")
    assert (module, call) == ("app", f"{app.server_from_environment.__name__}()")
    assert options.worker_class == "gthread"


@pytest.mark.parametrize("command", of_program("celery"), ids=("unit", "compose"))
def test_celery_understands_its_command(command):
    before, after = command[1 : command.index("worker")], command[command.index("worker") + 1 :]
    assert before == ["--quiet", "--app", "melm_studio.workers.celery_app"]
    assert (ROOT / "melm_studio" / "workers" / "celery_app.py").is_file()
    known = {name for parameter in celery_worker_command.params for name in parameter.opts}
    assert set(after) <= known


def test_the_page_of_one_machine_is_started_by_its_program():
    assert command_of("melm-studio.service") == ["python", "app.py"]
    assert (ROOT / "app.py").is_file()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed here")
@pytest.mark.parametrize("name", UNITS)
def test_systemd_finds_nothing_wrong_with_a_unit(name):
    command = ["systemd-analyze", "verify", str(DEPLOY / name)]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    # The studio is not installed where the unit will find it.
    complaints = [line for line in told.splitlines() if "is not executable" not in line]
    assert complaints == []


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_lets_the_studio_stop_its_processes_itself(name):
    service = unit(name)
    assert service["KillMode"] == "mixed"
    assert service["WorkingDirectory"] == "/opt/melm-studio"


@pytest.mark.fault
@pytest.mark.parametrize("name", UNITS)
def test_a_unit_is_started_again_whatever_kills_it_and_however_often(name):
    assert unit(name)["Restart"] in {"on-failure", "always"}  # a signal is a failure
    assert unit(name, "Unit")["StartLimitIntervalSec"] == "0"


@pytest.mark.fault
@pytest.mark.parametrize("name", UNITS)
def test_a_run_that_takes_all_memory_does_not_end_the_unit(name):
    assert unit(name)["OOMPolicy"] == "continue"


@pytest.mark.fault
def test_every_service_of_the_compose_file_is_started_again():
    assert {service["restart"] for service in services().values()} == {"unless-stopped"}


def test_proxy_and_web_processes_agree_on_the_port():
    binds = [bind for command in of_program("gunicorn") for bind in options_of(command).bind]
    ports = {bind.rpartition(":")[2] for bind in binds}
    proxied = re.findall(r"proxy_pass http://127\.0\.0\.1:(\d+);", NGINX)
    (published,) = services()["web"]["ports"]
    assert ports == set(proxied) == {DEFAULTS["PORT"]}
    assert published == f"127.0.0.1:{DEFAULTS['PORT']}:{DEFAULTS['PORT']}"


def test_the_proxy_lets_every_body_pass_that_the_studio_takes(tmp_path):
    elsewhere, of_files = map(int, re.findall(r"client_max_body_size (\d+)m;", NGINX))
    assert of_files == int(DEFAULTS["MELM_MAX_UPLOAD_MB"]) + 1
    assert elsewhere * 2**20 == max(body.value for body in Body if body is not Body.FILE)
    (taking,) = re.findall(r"location ~ (\S+) \{\n +client_max_body_size", NGINX)
    with opened_studio(tmp_path) as studio:
        declared = addresses(studio)
    of_nginx = {line for line in declared if re.fullmatch(taking, line.partition(" ")[2])}
    takers = {line for line, own in declared.items() if own.body is Body.FILE}
    assert {line for line in of_nginx if line.startswith("POST ")} == takers


def test_every_service_shares_the_store_of_the_compose_file():
    studio = [services()["web"], services()["worker"]]
    for service in studio:
        assert service["environment"]["MELM_STORE"] == "redis://redis:6379/0"
        settings = Settings.from_environment_and_flags([], service["environment"])
        assert settings.store
        dockerfile = ROOT / "deploy" / service["build"]["context"] / service["build"]["dockerfile"]
        assert dockerfile.resolve() == DEPLOY / "Dockerfile"


def test_the_file_of_tables_gives_them_to_the_services_that_there_are():
    (file,) = DEPLOY.glob("compose.*.yaml")
    more = yaml.safe_load(file.read_text())["services"]
    assert set(more) == {"web", "worker"} <= set(services())
    for service in more.values():
        (mount,) = service["volumes"]
        assert mount.endswith(f":{service['environment']['MELM_TABLES']}:ro")
    assert "requirements/tables.txt" in (DEPLOY / "Dockerfile").read_text()


def test_the_image_copies_what_is_there():
    for names in re.findall(r"^COPY (.*) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE):
        assert all((ROOT / name).exists() for name in names.split())


def is_sent(path):
    """Whether a file reaches the image: the last pattern of it or a folder of it decides."""
    patterns = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    own = [path, *map(str, PurePosixPath(path).parents)]
    is_left_out = False
    for line in patterns:
        pattern = line.removeprefix("!")
        anywhere, name = pattern.startswith("**/"), pattern.removeprefix("**/")
        if any(fnmatchcase(PurePosixPath(part).name if anywhere else part, name) for part in own):
            is_left_out = not line.startswith("!")
    return not is_left_out


def test_the_image_has_what_runs():
    folders = "app.py", "assets", "callbacks", "melm_core", "melm_studio", "requirements.txt"
    listed = subprocess.run(
        ["git", "ls-files", "requirements", *folders], cwd=ROOT, capture_output=True, check=True
    )
    files = [line for line in listed.stdout.decode().splitlines() if '"' not in line]
    assert len(files) > 500
    assert [path for path in files if not is_sent(path)] == []


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "deploy/.env",
        "melm_studio/.env",
        ".melm/secret",
        "data/cache.db",
        "callbacks/data/secret",
        "callbacks/data/cache.db-wal",
        "studio.key",
        ".git/config",
        "node_modules/a.js",
        "tests/test_app.py",
        "melm_core/__pycache__/a.pyc",
    ],
)
def test_the_image_has_neither_data_nor_keys(path):
    assert not is_sent(path)


def test_images_of_others_are_named_by_their_digest():
    bases = re.findall(r"^FROM (\S+)", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    images = [each["image"] for each in services().values() if "build" not in each]
    assert len(bases) == len(images) == 1
    assert all(re.fullmatch(r"\w+:[\w.-]+@sha256:[0-9a-f]{64}", name) for name in bases + images)


def test_the_server_of_the_compose_file_keeps_everything(tmp_path):
    program = find_redis()
    if program is None:
        pytest.skip(REMEDY)
    server = RedisServer(program, tmp_path, service_command("redis")[1:])
    with server.client() as client:
        assert wait_until(client.ping)
        assert client.config_get("appendonly") == {"appendonly": "yes"}
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
        assert client.config_get("maxmemory") == {"maxmemory": str(2560 * 2**20)}
    server.kill()


MEGABYTES = {"mb": 1, "m": 1, "g": 1024, "gb": 1024}


def megabytes(size):
    return int(size.rstrip("gmb")) * MEGABYTES[size.lstrip("0123456789")]


@pytest.fixture
def composed():
    """The limit of each service of the compose file, its settings, and its temporary files."""
    limits = {name: megabytes(each["mem_limit"]) for name, each in services().items()}
    (temporary,) = {path for name in ("web", "worker") for path in services()[name]["tmpfs"]}
    (environment,) = {tuple(services()[name]["environment"].items()) for name in ("web", "worker")}
    settings = Settings.from_environment_and_flags([], dict(environment))
    return limits, settings, megabytes(temporary.removeprefix("/tmp:size="))  # noqa: S108


@pytest.mark.fault
def test_what_the_services_of_the_compose_file_take_is_less_than_their_limits(composed):
    limits, settings, temporary_mb = composed
    gunicorn = options_of(service_command("web"))
    of_web = web_process_mb(settings.max_reader_mb, gunicorn.threads, settings.max_upload_mb)
    assert gunicorn.workers * of_web + temporary_mb < limits["web"]
    files_mb = gunicorn.workers * gunicorn.threads * (settings.max_upload_mb + 1)
    assert files_mb <= temporary_mb
    assert settings.max_run_mb <= settings.max_runs_mb
    assert settings.max_runs_mb + PROCESS_MB + temporary_mb < limits["worker"]
    needed = sum(limits.values()) / 1024
    assert re.findall(r"a machine needs (\d+) GB", (DEPLOY / "compose.yaml").read_text()) == [
        f"{needed:.0f}"
    ]


@pytest.mark.fault
def test_the_server_of_the_compose_file_refuses_before_it_is_killed(composed):
    limits, settings, _ = composed
    command = service_command("redis")
    most_mb = megabytes(command[command.index("--maxmemory") + 1])
    assert settings.max_total_mb + REDIS_BESIDE_MB <= most_mb <= SHARE_OF_REDIS * limits["redis"]
    assert settings.max_session_mb < settings.max_total_mb


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_has_the_memory_that_the_defaults_add_up_to(name):
    assert unit(name)["MemoryMax"] == f"{USED:.0%}"


@pytest.mark.parametrize(
    "start",
    [app.server_from_environment, partial(run_module, "melm_studio.workers.celery_app")],
    ids=["page", "worker"],
)
def test_without_a_shared_store_the_commands_say_what_to_set(monkeypatch, start):
    monkeypatch.setenv("MELM_STORE", "")
    with pytest.raises(SystemExit) as refused:
        start()
    assert "set MELM_STORE to its address, such as redis://host:6379/0" in refused.value.code


def compose_command():
    """Docker Compose, as a plugin or alone; None where it is not installed."""
    for command in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(command[0]):
            found = subprocess.run([*command, "version"], capture_output=True, check=False)
            if found.returncode == 0:
                return command
    return None


def test_compose_understands_its_file():
    command = compose_command()
    if command is None:
        pytest.skip("Docker Compose is not installed")
    read = [*command, "--file", str(DEPLOY / "compose.yaml"), "config", "--quiet"]
    told = subprocess.run(read, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stderr) == (0, "")


# The first process of a container, its child that does the work, and a check from outside.
CONTAINER = """
sleep 60 & worker=$!
check() { (%s); }
check || echo refused
kill -STOP $worker
until grep -q '^State:.T' /proc/$worker/status; do :; done  # a signal is sent before it arrives
check && echo accepted && kill -KILL $worker  # who waits for what is stopped never goes on
wait $worker; echo $?
"""


def test_a_worker_of_the_compose_file_that_is_stopped_is_killed():
    check = services()["worker"]["healthcheck"]["test"].replace("$$", "$")
    alone = ["unshare", "--pid", "--fork", "--mount-proc", "sh", "-c"]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], check=False).returncode:
        pytest.skip("processes cannot be isolated here")
    told = subprocess.run([*alone, CONTAINER % check], capture_output=True, text=True, check=False)
    assert told.stdout == f"{128 + signal.SIGKILL}\n"
