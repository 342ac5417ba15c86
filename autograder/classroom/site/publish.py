"""The whole site: pages to read, JupyterLite to work in, and the released notebooks to download."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from ...errors import UserError
from ...unit.assignment import Course
from ..bundle import released_files
from .browser import build_browser
from .pages import build_pages, title_of_course

#: What to do where there is no course: the package has its units, and not the figures that their answers draw.
WITHOUT_A_COURSE = (
    "A site shows the figures that the answers draw, so it is made from a course with its answers: "
    "`git clone https://github.com/autograd-course/autograd-course && cd autograd-course && "
    "pip install -e '.[site]' && autograder site`."
)

#: What the extra `site` brings along and the builders below import, or run.
NEEDED = ("sphinx", "furo", "myst_parser", "latex2mathml", "jupyterlite_core", "jupyterlite_pyodide_kernel")

#: In a folder that this command has written, so that it may write it again.
MARK = ".autograder-site"


def publish(
    course: Course, units: Sequence[str], out: Path, say: Callable[[str], None] = lambda text: None
) -> None:
    """Build the site of these units into a folder: a new one, an empty one, or one that an earlier run has made.

    Raises UserError when there is something else in it, or when something that is needed is not installed.
    """
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise UserError(
            f"The site needs {', '.join(missing)}, not installed here: `pip install 'autograd-course[site]'`."
        )
    # JupyterLite is built from a folder of its own, and the shell's `..` has no name to put another beside.
    out = out.resolve()
    assignments = [course.assignment(unit) for unit in units]
    if not assignments:
        raise UserError("There is no unit to show: `autograder new 01_my_unit` makes one.")
    try:
        if out.exists() and any(out.iterdir()) and not (out / MARK).is_file():
            raise UserError(f"{out} holds other things: name a new folder with --out.")
        part = out.with_name(f".{out.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
    except OSError as error:
        raise UserError(f"{out} cannot be written: {error.strerror}.") from None
    try:
        say("… the pages")
        build_pages(course, assignments, part)
        say("… JupyterLite")
        build_browser(title_of_course(course), assignments, part / "lite")
        for assignment in assignments:
            for name, text in released_files(assignment).items():
                target = part / "notebooks" / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
        (part / ".nojekyll").write_text("")  # GitHub Pages leaves out names with an underscore otherwise
        (part / MARK).write_text("Made by `autograder site`, which may replace this folder.\n")
        shutil.rmtree(out, ignore_errors=True)
        os.replace(part, out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
