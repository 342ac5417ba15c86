"""The course and its handbooks as pages: sources for Sphinx, put together from what the repository has."""

from __future__ import annotations

import html
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import autograder

from ...errors import UserError
from ...unit.assignment import Assignment, Course
from .links import in_repository, relinked
from .unit_page import title_of, unit_page

HERE = Path(__file__).resolve().parent

#: Pages of a repository that become pages of the site, in their order, with their names there.
HANDBOOK = {
    "course/README.md": "learners",
    "solutions/README.md": "handbook/instructors",
    "docs/authors.md": "handbook/authors",
    "autograder/README.md": "handbook/grader",
}
ENGINE = {"autograd_ref/README.md": "engine/tour", "autograd_ref/SPEED.md": "engine/speed"}

#: The engine's parts, from what one meets first; and those that gather what lives in other modules.
API = (
    "core.tensor", "core.modes", "ops", "functional", "nn", "optim", "data", "transforms", "graph", "plots",
    "gradcheck", "rulecheck", "scalar", "scalar.dual",
)  # fmt: skip
GATHERING = {"ops", "functional", "nn", "optim", "data", "graph", "plots", "scalar"}
#: What a check cell may use, by what it is for.
CHECKS = {
    "Checks": ("exercise",),
    "Calls": ("yours", "probe", "predicted"),
    "Kinds of random input": ("number", "positive", "integer", "one_of", "numbers", "array"),
    "Helpers": ("numerical_gradient",),
}


@dataclass
class Sources:
    """The site's sources: texts and pictures by their paths."""

    title: str
    #: The address of the repository, where it has one.
    home: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    data: dict[str, bytes] = field(default_factory=dict)


def build_pages(course: Course, assignments: Sequence[Assignment], out: Path) -> None:
    """Build the pages into a folder. Raises UserError when Sphinx is missing, or complains."""
    sources = sources_of(course, assignments)
    about = {
        "title": sources.title,
        "author": sources.title,
        "version": importlib.metadata.version("autograd-course"),
        "engine": _is_ours(course),
    }
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / "pages"
        shutil.copytree(HERE / "static", place / "_static")
        for path, text in sources.texts.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(text, encoding="utf-8")
        for path, data in sources.data.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_bytes(data)
        shutil.copy(HERE / "sphinx_settings.py.txt", place / "conf.py")
        (place / "course.json").write_text(json.dumps(about), encoding="utf-8")
        _run([str(place), str(out)], Path(name) / "trees")
    for leftover in (".buildinfo", "objects.inv"):
        (out / leftover).unlink(missing_ok=True)
    shutil.rmtree(out / "_sources", ignore_errors=True)
    for path, data in sources.data.items():
        if path.startswith("_images/"):
            (out / path).parent.mkdir(exist_ok=True)
            (out / path).write_bytes(data)


def sources_of(course: Course, assignments: Sequence[Assignment]) -> Sources:
    """The sources of all pages."""
    ours = _is_ours(course)
    sources = Sources(title_of_course(course), _home() if ours else "")
    repository = {**HANDBOOK, **(ENGINE if ours else {})}
    repository = {file: page for file, page in repository.items() if (course.root / file).is_file()}
    units = {f"course/{a.unit}/{a.name}.ipynb": f"units/{a.unit}" for a in assignments}
    pages = {**repository, **units, **({"README.md": "index"} if ours else {})}
    for file, page in repository.items():
        text = (course.root / file).read_text(encoding="utf-8")
        text = (
            text.replace("\n\n```\n", "\n```\n") if page.startswith("engine/") else text
        )  # for doctest only
        sources.texts[f"{page}.md"] = relinked(text, file, page, pages, sources.home)
    for assignment in assignments:
        text, pictures = unit_page(assignment, "../", sources.home)
        file = f"course/{assignment.unit}/{assignment.name}.ipynb"
        sources.texts[f"units/{assignment.unit}.md"] = relinked(text, file, units[file], pages, sources.home)
        sources.data |= {f"_images/{name}": data for name, data in pictures.items()}
    if ours:
        sources.texts |= dict(_api())
    sources.texts["index.md"] = _index(course, assignments, sources, pages)
    return sources


def title_of_course(course: Course) -> str:
    """The first heading of the course's README, or the folder's name."""
    for file in ("README.md",):
        if (course.root / file).is_file():
            if found := re.search(
                r"^# (.+)$", (course.root / file).read_text(encoding="utf-8"), re.MULTILINE
            ):
                return found[1]
    return course.root.name


def _is_ours(course: Course) -> bool:
    """Whether this is the course that comes with this package, with its engine and its handbooks."""
    return (course.root / "autograd_ref" / "README.md").is_file()


def _home() -> str:
    urls = importlib.metadata.metadata("autograd-course").get_all("Project-URL") or []
    return next((url.partition(", ")[2] for url in urls if url.startswith("Homepage,")), "")


def _api() -> Mapping[str, str]:
    """A page for each part of the engine and one for what checks are made of, from the docstrings."""
    pages = {}
    for module in API:
        options = "   :members:\n   :show-inheritance:\n   :special-members: __call__\n"
        options += "   :imported-members:\n" * (module in GATHERING)
        name = module.rpartition(".")[2]
        pages[f"engine/api/{module}.md"] = _page(name, f".. automodule:: autograd_ref.{module}\n{options}")
    pages["engine/index.md"] = (
        "# The engine\n\nThe automatic differentiation that the course rebuilds: "
        "[a tour](tour.md) explains it in ten minutes, and these pages are its reference.\n\n"
        + _tree(["tour", *(f"api/{module}" for module in API), "speed"])
    )
    parts = ["Checks, probes and kinds of input", "", "What a check cell may use."]
    for heading, names in CHECKS.items():
        described = (
            f".. auto{_what(name)}:: autograder.{name}\n" + "   :members:\n" * (name == "exercise")
            for name in names
        )
        parts += ["", f"## {heading}", "", "```{eval-rst}", *described, "```"]
    pages["handbook/reference.md"] = "# " + "\n".join(parts) + "\n"
    return pages


def _what(name: str) -> str:
    found = getattr(autograder, name)
    return (
        "class"
        if isinstance(found, type)
        else "function"
        if callable(found) and hasattr(found, "__name__")
        else "data"
    )


def _page(title: str, directive: str) -> str:
    return f"# `{title}`\n\n```{{eval-rst}}\n{directive}```\n"


def _tree(pages: Sequence[str], caption: str = "", hidden: bool = False) -> str:
    options = (
        ([f":caption: {caption}"] if caption else []) + [":maxdepth: 1"] + ([":hidden:"] if hidden else [])
    )
    return "\n".join(["```{toctree}", *options, "", *pages, "```", ""])


def _index(
    course: Course, assignments: Sequence[Assignment], sources: Sources, pages: Mapping[str, str]
) -> str:
    """The first page: what this is, the way in, and a card for each unit."""
    readme = course.root / "README.md"
    said = readme.read_text(encoding="utf-8") if _is_ours(course) else f"# {sources.title}\n"
    opening = said.partition("\n## ")[0].partition("\n")[2].strip()
    for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", opening):
        file = in_repository(picture, sources.home) or picture
        sources.data[file] = (course.root / file).read_bytes()
    about = _about_units(course)
    cards = []
    for assignment in assignments:
        builds, minutes = about.get(assignment.unit, ("", ""))
        cards.append(_card(assignment, builds, minutes))
    first = assignments[0]
    ways = f'<a class="button work" href="units/{first.unit}.html">Begin: {html.escape(_short(first))}</a>'
    if "learners.md" in sources.texts:
        ways += ' <a class="button" href="learners.html">How it works</a>'
    parts = [
        f"# {sources.title}",
        relinked(opening, "README.md", "index", pages, sources.home),
        f'<div class="buttons">{ways}</div>',
        "## The units",
        f'<div class="cards">\n{"".join(cards)}</div>',
        _section(said, "What is different here", pages, sources.home),
        _tree([f"{_short(a)} <units/{a.unit}>" for a in assignments], "Units", hidden=True),
    ]
    there = {name.removesuffix(".md") for name in sources.texts}
    book = [page for page in (*HANDBOOK.values(), "handbook/reference") if page in there]
    parts += [_tree(book, "Handbook", hidden=True)] if book else []
    parts += [_tree(["engine/index"], "Reference", hidden=True)] if "engine/index" in there else []
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(text: str, heading: str, pages: Mapping[str, str], home: str) -> str:
    """A section of the README, with its heading; nothing where it has none of that name."""
    found = re.search(
        rf"^## {re.escape(heading)}\n.*?(?=^## |^\[CHANGELOG|\Z)", text, re.MULTILINE | re.DOTALL
    )
    return relinked(found[0].strip(), "README.md", "index", pages, home) if found else ""


def _about_units(course: Course) -> dict[str, tuple[str, str]]:
    """What one builds in a unit and how long it takes, from the table of the learners' page."""
    page = course.root / "course" / "README.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    rows = re.findall(r"^\| \[?(\d\d_\w+)[^|]*\| ([^|]+) \| (\d+) \|$", text, re.MULTILINE)
    return {unit: (builds, minutes) for unit, builds, minutes in rows}


def _short(assignment: Assignment) -> str:
    """A unit's number and the first words of its title."""
    number = re.match(r"\d*", assignment.unit)
    return f"{number[0] if number else ''} {title_of(assignment).partition(':')[0]}".strip()


def _card(assignment: Assignment, builds: str, minutes: str) -> str:
    number, _, title = html.escape(_short(assignment)).partition(" ")
    said = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(builds))
    points = f"{assignment.max_score:g} points" if assignment.graded else "practice"
    small = " · ".join(filter(None, [f"{minutes} minutes" if minutes else "", points]))
    return (
        f'<a class="card" href="units/{assignment.unit}.html"><span class="number">{number}</span>'
        f'<span class="title">{title}</span><span class="said">{said}</span><span class="small">{small}</span></a>\n'
    )


def _run(words: Sequence[str], trees: Path) -> None:
    """Run Sphinx; what it complains of is an error."""
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-b",
        "html",
        "-q",
        "-W",
        "--keep-going",
        "-d",
        str(trees),
        *words,
    ]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        if "No module named sphinx" in done.stderr:
            raise UserError("The site needs Sphinx: `pip install 'autograd-course[site]'`.")
        raise UserError(f"The pages cannot be built:\n{done.stderr.strip()[:3000]}")
