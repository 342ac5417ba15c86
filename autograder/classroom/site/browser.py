"""JupyterLite: the units in a notebook that runs in a browser, with nothing installed and no server."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import UserError
from ...unit.assignment import Assignment
from ...unit.notebook import Node, node, write_text
from ..bundle import released_files
from .wheels import NEEDED, installed_wheel, learners_wheel

KERNEL = "@jupyterlite/pyodide-kernel-extension"
#: Where its wheels are, seen from the kernel's own script.
FROM_KERNEL = "../../../../pypi/"

#: The first cell of a notebook there.
NOTE = """\
**You are working in your browser.** Nothing is installed, and what you write is sent nowhere: it stays in this
browser until its data are cleared. **To keep your work, or to hand it in: menu *File, Download*.** The first cell
takes a minute, because Python itself is loaded, from cdn.jsdelivr.net. If a cell shows `[*]` for longer, or nothing
happens when you run one, and the bar at the bottom says *Python (Pyodide) | Unknown*, Python could not be loaded: this
network has to let through cdn.jsdelivr.net. The checks here are for practice; points are given where notebooks are
handed in. This is version {version} of the course; a notebook that you have begun stays as it is when a newer one
comes, and deleting it in the list of files brings the new one."""

README = """\
# {title}

{rows}

Open a unit with a double click. Your work stays in this browser until its data are cleared: to keep it, use the menu
*File, Download*.
"""


def address(assignment: Assignment) -> str:
    """Where a unit opens in JupyterLite, from the top of the site."""
    return f"lite/lab/index.html?path={assignment.unit}/{assignment.name}.ipynb"


def build_browser(title: str, assignments: Sequence[Assignment], out: Path) -> None:
    """Build JupyterLite with these units into a new folder. Raises UserError when that fails."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for path, text in contents(title, assignments).items():
            target = place / "contents" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        wheels = [learners_wheel(), installed_wheel("comm")]  # the kernel imports comm, which Pyodide has not
        for file, data in wheels:
            (place / file).write_bytes(data)
        _write(place / "jupyter-lite.json", settings(title, wheels[0][0]))
        _write(place / "overrides.json", {"@jupyterlab/apputils-extension:themes": {"adaptive-theme": True}})
        build = {
            "apps": ["lab"],
            "contents": ["contents"],
            "federated_extensions": [str(_extension())],
            "ignore_sys_prefix": True,  # whatever else is installed here
            "no_libarchive": True,
            "no_sourcemaps": True,
            "no_unused_shared_packages": True,
            "output_dir": str(out.resolve()),  # its working folder is another one
            "settings_overrides": ["overrides.json"],
        }
        added = {"PipliteAddon": {"piplite_urls": [file for file, _ in wheels]}}
        _write(place / "jupyter_lite_config.json", {"LiteBuildConfig": build, **added})
        _run(place)
    for leftover in ("rspack.config.js", "rspack.config.watch.js", "rspack.config.analyze.js"):
        (out / leftover).unlink(missing_ok=True)
    shutil.rmtree(out / "doc", ignore_errors=True)
    if not (out / "lab" / "index.html").is_file():
        raise UserError(
            f"JupyterLite's build ended without an error, and there is no {out / 'lab' / 'index.html'}."
        )
    _say_where_python_is_missing(out / "lab" / "index.html")


def contents(title: str, assignments: Sequence[Assignment]) -> dict[str, str]:
    """The files that a learner finds there, by their paths."""
    files: dict[str, str] = {}
    rows = []
    for assignment in assignments:
        name = f"{assignment.unit}/{assignment.name}.ipynb"
        files |= released_files(assignment)
        files[name] = write_text(with_note(assignment.release))
        rows.append(f"- [{assignment.unit}]({name})")
    files["README.md"] = README.format(title=title, rows="\n".join(rows))
    return files


def with_note(notebook: Mapping[str, Any]) -> Node:
    """A notebook that begins with what one has to know in a browser."""
    text = NOTE.format(version=importlib.metadata.version("autograd-course"))
    first = node(cell_type="markdown", id="in_the_browser", metadata={}, source=text)
    return Node(notebook, cells=[first, *notebook["cells"]])


def settings(title: str, wheel: str) -> dict[str, Any]:
    """What JupyterLite is told. The learner's wheel is there before the first cell, so a plain import finds it."""
    packages = [*NEEDED, FROM_KERNEL + wheel]
    kernel = {"disablePyPIFallback": True, "loadPyodideOptions": {"packages": packages}}
    return {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {"appName": title, "litePluginSettings": {f"{KERNEL}:kernel": kernel}},
    }


def _extension() -> Path:
    """The kernel's part that runs in the browser, where it was installed."""
    try:
        files = importlib.metadata.distribution("jupyterlite-pyodide-kernel").files or []
    except importlib.metadata.PackageNotFoundError:
        raise UserError("The site needs JupyterLite: `pip install 'autograd-course[site]'`.") from None
    for file in files:
        if file.as_posix().endswith(f"labextensions/{KERNEL}/package.json"):
            return Path(str(file.locate())).resolve().parent
    raise UserError(
        "The kernel of JupyterLite is incomplete: `pip install --force-reinstall 'autograd-course[site]'`."
    )


def _say_where_python_is_missing(page: Path) -> None:
    """Let the page itself say that Python cannot be loaded. Its kernel's wheels are the site's, Pyodide is not."""
    address = f"{importlib.import_module('jupyterlite_pyodide_kernel.constants').PYODIDE_CDN_URL}/pyodide.mjs"
    script = Path(__file__).with_name("no_python.js").read_text(encoding="utf-8").replace("ADDRESS", address)
    text = page.read_text(encoding="utf-8")
    if "</body>" not in text:
        raise UserError(f"{page} has no end of a body: this version of JupyterLite is not known here.")
    before, end, after = text.rpartition("</body>")
    page.write_text(f"{before}<script>\n{script}</script>\n{end}{after}", encoding="utf-8")


def _run(place: Path) -> None:
    """Run JupyterLite's own build, with nothing of this machine's settings."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTERLITE_")}
    command = [sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", str(place)]
    done = subprocess.run(
        command, cwd=place, env={**own, "JUPYTER_CONFIG_DIR": str(place)}, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise UserError(f"JupyterLite cannot be built: {last[0] if last else done.returncode}.")


def _write(path: Path, what: Any) -> None:
    path.write_text(json.dumps(what, indent=1), encoding="utf-8")
