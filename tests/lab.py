"""JupyterLab in a real browser, for the tests: open a notebook, run it, save it, look at it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

TOKEN = "a-token-for-the-tests"
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
IDLE = "() => /\\| Idle/.test(document.querySelector('#jp-main-statusbar')?.textContent || '')"


class Lab:
    """A running JupyterLab with one browser page."""

    def __init__(self, root: Path, port: int, page: Any) -> None:
        self.root, self.base, self.page = root, f"http://127.0.0.1:{port}", page
        self.off_site: set[str] = set()
        page.context.on("request", self._seen)

    def _seen(self, request: Any) -> None:
        if not request.url.startswith((self.base, self.base.replace("http", "ws"), "data:", "blob:")):
            self.off_site.add(request.url)

    def open(self, notebook: str) -> None:
        """Open a notebook and wait for its kernel."""
        self.page.goto(f"{self.base}/lab/tree/{notebook}?token={TOKEN}&reset")
        self.page.wait_for_selector(".jp-NotebookPanel .jp-Notebook .jp-Cell", timeout=90_000)
        # The notebook's own indicator says idle before the kernel is connected.
        self.page.wait_for_function(IDLE, timeout=90_000)

    def run_all(self) -> None:
        """Menu Run, Run All Cells; waits until no cell runs any more."""
        self.page.click('.lm-MenuBar-item:has-text("Run")')
        self.page.click('.lm-Menu-item[data-command="runmenu:run-all"]')
        done = """() => {
          const prompts = [...document.querySelectorAll('.jp-NotebookPanel .jp-CodeCell .jp-InputPrompt')]
            .map(x => x.textContent);
          const idle = /\\| Idle/.test(document.querySelector('#jp-main-statusbar').textContent);
          return idle && prompts.some(t => /\\[\\d+\\]/.test(t)) && !prompts.some(t => t.includes('*'));
        }"""
        # Between two cells the kernel is idle for a moment, and only the cells in sight have prompts.
        quiet = 0
        while quiet < 4:
            self.page.wait_for_function(done, timeout=180_000)
            self.page.wait_for_timeout(500)
            quiet = quiet + 1 if self.page.evaluate(done) else 0

    def save(self, notebook: str) -> list[dict[str, Any]]:
        """Save; gives the cells as they are in the file."""
        before = (self.root / notebook).stat().st_mtime_ns
        self.page.keyboard.press("Control+s")
        for _ in range(100):
            self.page.wait_for_timeout(100)
            if (self.root / notebook).stat().st_mtime_ns != before:
                with suppress(ValueError):  # the server may still be writing
                    return list(json.loads((self.root / notebook).read_text(encoding="utf-8"))["cells"])
        return list(json.loads((self.root / notebook).read_text(encoding="utf-8"))["cells"])

    def picture(self, name: str) -> None:
        """A picture of the whole notebook, if the variable LABSHOTS names a folder for it."""
        folder = os.environ.get("LABSHOTS")
        if not folder:
            return
        height = self.page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollHeight")
        width = self.page.viewport_size["width"]
        self.page.set_viewport_size({"width": width, "height": min(height + 140, 16000)})
        self.page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollTop = 0")
        self.page.wait_for_timeout(1500)
        self.page.screenshot(path=str(Path(folder) / f"{name}.png"))
        self.page.set_viewport_size({"width": width, "height": 1000})


#: Every piece of text in the outputs and what it stands on: [text, contrast by WCAG 2.1, the element's tag].
CONTRASTS = """() => {
  const rgba = c => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map((v, k) => k < 3 ? v : v / 255);
  };
  const over = (top, under) => top.slice(0, 3).map((v, k) => v * top[3] + under[k] * (1 - top[3]));
  const ground = e => {
    const layers = [];
    for (; e; e = e.parentElement) layers.push(rgba(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const light = c => {
    const [r, g, b] = c.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  for (const output of document.querySelectorAll('.jp-NotebookPanel .jp-OutputArea-output')) {
    const walk = document.createTreeWalker(output, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const parent = node.parentElement;
      if (!node.textContent.trim() || !parent.getClientRects().length) continue;
      const under = ground(parent);
      const ink = over(rgba(getComputedStyle(parent).color), under);
      const [high, low] = [light(ink), light(under)].sort((a, b) => b - a);
      found.push([node.textContent.trim(), (high + 0.05) / (low + 0.05), parent.tagName, under.map(Math.round)]);
    }
  }
  return found;
}"""


def errors_of(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The error outputs of a saved notebook."""
    return [o for cell in cells for o in cell.get("outputs", []) if o["output_type"] == "error"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def jupyterlab(root: Path, private: Path, theme: str = "", width: int = 1280) -> Iterator[Lab]:
    """Start JupyterLab on `root`, its settings and data in `private`, and a browser on it.

    `theme` is "Light" or "Dark", or empty for JupyterLab's own choice.
    """
    from playwright.sync_api import sync_playwright

    settings = private / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True, exist_ok=True)
    silence = {"fetchNews": "false", "checkForUpdates": False}
    (settings / "notification.jupyterlab-settings").write_text(json.dumps(silence))
    if theme:
        (settings / "themes.jupyterlab-settings").write_text(json.dumps({"theme": f"JupyterLab {theme}"}))
    environment = private_folders(private)
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={port}",
    ]
    command += [
        "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={TOKEN}",
        f"--ServerApp.root_dir={root}",
    ]
    with (private / "server.log").open("wb") as log:
        server = subprocess.Popen(
            command, env=environment, cwd=root, stdout=log, stderr=log, start_new_session=True
        )
        try:
            wait_for_server(port, private / "server.log")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
                yield Lab(root, port, browser.new_page(viewport={"width": width, "height": 1000}))
                browser.close()
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(30)


def without_pytorch(private: Path) -> dict[str, str]:
    """An environment as most learners have it: whatever is installed here, PyTorch is not found.

    A notebook takes seconds to import it, for its last cell, which is for those who have it. nbval runs that one.
    """
    place = private / "without-pytorch"
    place.mkdir(exist_ok=True)
    (place / "torch.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n")
    before = os.environ.get("PYTHONPATH")
    return dict(os.environ, PYTHONPATH=os.pathsep.join([str(place), *([before] if before else [])]))


def private_folders(private: Path) -> dict[str, str]:
    """An environment in which Jupyter keeps all its own files in `private`, as on a new machine, and no PyTorch is."""
    return dict(
        without_pytorch(private),
        JUPYTERLAB_SETTINGS_DIR=str(private / "settings"),
        JUPYTERLAB_WORKSPACES_DIR=str(private / "workspaces"),
        JUPYTER_DATA_DIR=str(private / "data"),
        JUPYTER_RUNTIME_DIR=str(private / "runtime"),
        JUPYTER_CONFIG_DIR=str(private / "config"),
        IPYTHONDIR=str(private / "ipython"),
    )


def wait_for_server(port: int, log: Path) -> None:
    """Wait until a JupyterLab answers on this port. Raises AssertionError with its log when it does not."""
    url = f"http://127.0.0.1:{port}/api/status?token={TOKEN}"
    for _ in range(240):
        try:
            urllib.request.urlopen(url, timeout=1)
            return
        except OSError:
            time.sleep(0.25)
    raise AssertionError(f"JupyterLab did not start: {log.read_text()[-2000:]}")


def chromium() -> str:
    """Where Chromium is; empty when it is not installed."""
    from shutil import which

    return which("chromium") or which("chromium-browser") or which("google-chrome") or ""
