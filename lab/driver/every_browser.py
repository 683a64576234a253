"""A page in Chromium, Firefox or WebKit, operated by the same few gestures.

Playwright drives Chromium and browsers that it built itself. The Firefox of a distribution speaks
WebDriver BiDi, its WebKit WebDriver; selenium speaks both. The gestures of a walk are
written here once for all three.
"""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import tempfile
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.command import Command
from selenium.webdriver.remote.websocket_connection import WebSocketConnection
from selenium.webdriver.support.ui import WebDriverWait
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from lab.setup.find_other_browsers import WebKit

DEADLINE_S = 60
START_S = 60
LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
LARGEST_SCREEN = "1600x1300x24"

Point = tuple[float, float]

# Where a person would press: the middle of the first visible element with this text or label.
MIDDLE_OF = """(selector, text) => {
  const isNamed = (node) => [node.textContent.trim(), node.ariaLabel, node.title].includes(text);
  const node = [...document.querySelectorAll(selector)].find(
    (found) => found.checkVisibility({ visibilityProperty: true }) && (!text || isNamed(found)),
  );
  if (!node) return null;
  node.scrollIntoView({ block: "nearest", inline: "nearest" });
  const { left, top, width, height } = node.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}"""
SIZE = "() => [innerWidth, innerHeight]"


class BrowserPage(ABC):
    """One page, as somebody sees and operates it."""

    name: str

    @abstractmethod
    def open(self, url: str) -> None:
        """Open an address, and return once it is loaded."""

    @abstractmethod
    def resize(self, width: int, height: int) -> None:
        """Give the page this size in pixels."""

    @abstractmethod
    def ask(self, function: str, *arguments: Any) -> Any:
        """Return what a function of JavaScript, which may be asynchronous, answers in the page."""

    @abstractmethod
    def choose_file(self, selector: str, file: Path) -> None:
        """Choose a file for an input."""

    @abstractmethod
    def drag(self, points: Sequence[Point]) -> None:
        """Press at the first point, pass all others, and release at the last."""

    @abstractmethod
    def wheel(self, point: Point, by: int) -> None:
        """Turn the wheel at a point, by pixels down."""

    @abstractmethod
    def press(self, key: str) -> None:
        """Press a key by its name in the DOM, as "Escape" or "b"."""

    @abstractmethod
    def screenshot(self) -> bytes:
        """Return what is on the screen, as PNG."""

    def click(self, selector: str, text: str = "") -> None:
        """Press the first visible element with this text, label or title, once there is one."""
        found = self.wait_for(MIDDLE_OF, selector, text)
        self.drag([(found[0], found[1])])

    def wait_for(self, function: str, *arguments: Any) -> Any:
        """Ask until the answer is true, and return it."""
        deadline = time.monotonic() + DEADLINE_S
        while not (answer := self.ask(function, *arguments)):
            asked = f"{function} of {arguments}"
            assert time.monotonic() < deadline, f"{self.name}: not true in {DEADLINE_S} s: {asked}"
            self.ask("() => new Promise(requestAnimationFrame)")
        return answer


class ChromiumPage(BrowserPage):
    """A page of Chromium, by Playwright."""

    name = "chromium"

    def __init__(self, page: Page) -> None:
        self._page = page

    def open(self, url: str) -> None:
        self._page.goto(url)

    def resize(self, width: int, height: int) -> None:
        self._page.set_viewport_size({"width": width, "height": height})

    def ask(self, function: str, *arguments: Any) -> Any:
        return self._page.evaluate(f"(given) => ({function})(...given)", arguments)

    def choose_file(self, selector: str, file: Path) -> None:
        self._page.locator(selector).set_input_files(file)

    def drag(self, points: Sequence[Point]) -> None:
        self._page.mouse.move(*points[0])
        self._page.mouse.down()
        for point in points[1:]:
            self._page.mouse.move(*point)
        self._page.mouse.up()

    def wheel(self, point: Point, by: int) -> None:
        self._page.mouse.move(*point)
        self._page.mouse.wheel(0, by)

    def press(self, key: str) -> None:
        self._page.keyboard.press(key)

    def screenshot(self) -> bytes:
        return self._page.screenshot()


class _DriverPage(BrowserPage):
    """A page whose gestures are the actions of WebDriver, which BiDi has taken over."""

    @abstractmethod
    def _act(self, source: Mapping[str, Any]) -> None: ...

    def drag(self, points: Sequence[Point]) -> None:
        moves = [_move(point) for point in points]
        down, up = ({"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp"))
        steps = [moves[0], down, *moves[1:], up]
        self._act({"type": "pointer", "id": "mouse", "actions": steps})

    def wheel(self, point: Point, by: int) -> None:
        x, y = (round(along) for along in point)
        step = {"type": "scroll", "x": x, "y": y, "deltaX": 0, "deltaY": by}
        self._act({"type": "wheel", "id": "wheel", "actions": [step]})

    def press(self, key: str) -> None:
        named = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).upper()
        value = getattr(Keys, named) if len(key) > 1 else key
        steps = [{"type": kind, "value": value} for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keyboard", "actions": steps})


class FirefoxPage(_DriverPage):
    """A page of Firefox, by WebDriver BiDi."""

    name = "firefox"

    def __init__(self, connection: WebSocketConnection) -> None:
        self._connection = connection
        (tab,) = self._send("browsingContext.getTree")["contexts"]
        self._tab = tab["context"]

    def open(self, url: str) -> None:
        self._send("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        self._send("browsingContext.setViewport", context=self._tab, viewport=size)

    def ask(self, function: str, *arguments: Any) -> Any:
        given = ", ".join(json.dumps(argument) for argument in arguments)
        answer = self._evaluate(f"(async () => JSON.stringify(await ({function})({given})))()")
        return json.loads(answer["value"]) if "value" in answer else None

    def choose_file(self, selector: str, file: Path) -> None:
        node = self._evaluate(f"document.querySelector({json.dumps(selector)})")
        element = {"sharedId": node["sharedId"]}
        self._send("input.setFiles", context=self._tab, element=element, files=[str(file)])

    def screenshot(self) -> bytes:
        taken = self._send("browsingContext.captureScreenshot", context=self._tab)
        return base64.b64decode(taken["data"])

    def _act(self, source: Mapping[str, Any]) -> None:
        self._send("input.performActions", context=self._tab, actions=[source])

    def _evaluate(self, expression: str) -> dict[str, Any]:
        answer = self._send(
            "script.evaluate",
            expression=expression,
            target={"context": self._tab},
            awaitPromise=True,
        )
        assert answer["type"] == "success", f"{expression}: {answer['exceptionDetails']['text']}"
        return dict(answer["result"])

    def _send(self, method: str, **params: Any) -> dict[str, Any]:
        answer = self._connection.send_cmd(method, params)
        assert "error" not in answer, f"{method}: {answer['error']}, {answer.get('message')}"
        return dict(answer["result"])


class WebKitPage(_DriverPage):
    """A page of WebKit's MiniBrowser, by WebDriver."""

    name = "webkit"

    def __init__(self, driver: webdriver.WebKitGTK) -> None:
        self._driver = driver
        # A window without bars, which are wider than a phone.
        first = driver.current_window_handle
        driver.execute_script("open('about:blank', '', 'popup')")
        WebDriverWait(driver, START_S).until(lambda opened: len(opened.window_handles) == 2)
        (second,) = {*driver.window_handles} - {first}
        driver.switch_to.window(second)

    def open(self, url: str) -> None:
        self._driver.get(url)

    def resize(self, width: int, height: int) -> None:
        self._driver.set_window_size(width, height)
        self.wait_for(f"(...size) => String(({SIZE})()) === String(size)", width, height)

    def ask(self, function: str, *arguments: Any) -> Any:
        script = f"""
          const done = arguments[arguments.length - 1];
          Promise.resolve()
            .then(() => ({function})(...arguments[0]))
            .then((answer) => done([answer]), (error) => done([null, String(error)]));"""
        answer, *errors = self._driver.execute_async_script(script, arguments)
        assert not errors, f"{function}: {errors[0]}"
        return answer

    def choose_file(self, selector: str, file: Path) -> None:
        self._driver.find_element(By.CSS_SELECTOR, selector).send_keys(str(file))

    def screenshot(self) -> bytes:
        return self._driver.get_screenshot_as_png()

    def _act(self, source: Mapping[str, Any]) -> None:
        self._driver.execute(Command.W3C_ACTIONS, {"actions": [source]})


@contextmanager
def firefox(program: Path) -> Generator[FirefoxPage]:
    """Start Firefox without a window and with a profile of its own, and end it with the context."""
    with tempfile.TemporaryDirectory() as profile:
        log = Path(profile) / "output.txt"
        flags = ["--headless", "--remote-debugging-port", "0", "--profile", profile]
        with log.open("wb") as output:
            process = subprocess.Popen([program, *flags], stdout=output, stderr=subprocess.STDOUT)
        try:
            url = _address_in(log, process)
            connection = WebSocketConnection(f"{url}/session", DEADLINE_S, 0.01)
            connection.send_cmd("session.new", {"capabilities": {}})
            yield FirefoxPage(connection)
            connection.send_cmd("browser.close", {})
            connection.close()
            process.wait(START_S)
        finally:
            process.kill()
            process.wait()


@contextmanager
def webkit(found: WebKit) -> Generator[WebKitPage]:
    """Start WebKit's MiniBrowser on a screen of its own, and end both with the context."""
    with _screen(found.screen) as display:
        options = Options()
        options.binary_location = str(found.browser)
        options.add_argument("--automation")
        options.add_argument("--javascript-can-open-windows-automatically=true")
        options.set_capability("browserName", found.browser.name)
        environment = {**os.environ, "DISPLAY": display, "GDK_BACKEND": "x11"}
        with warnings.catch_warnings():  # its driver calls what selenium itself deprecates
            warnings.simplefilter("ignore", DeprecationWarning)
            driver = webdriver.WebKitGTK(options, Service(str(found.driver), env=environment))
        try:
            yield WebKitPage(driver)
        finally:
            driver.quit()


@contextmanager
def _screen(program: Path) -> Generator[str]:
    """The display of a screen in memory."""
    reading, writing = os.pipe()
    shape = ["-screen", "0", LARGEST_SCREEN, "-nolisten", "tcp"]
    command = [str(program), "-displayfd", str(writing), *shape]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as process:
        os.close(writing)
        try:
            with os.fdopen(reading) as told:
                number = told.readline().strip()
            assert number, "Xvfb ended before it had a screen"
            yield f":{number}"
        finally:
            process.terminate()


def _address_in(log: Path, process: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + START_S
    while not (told := LISTENING.search(log.read_text(errors="replace"))):
        assert process.poll() is None, f"Firefox ended:\n{log.read_text(errors='replace')}"
        assert time.monotonic() < deadline, f"Firefox does not listen after {START_S} s"
        time.sleep(0.05)
    return told[1]


def _move(point: Point) -> dict[str, Any]:
    x, y = (round(along) for along in point)
    return {"type": "pointerMove", "x": x, "y": y, "duration": 0}
