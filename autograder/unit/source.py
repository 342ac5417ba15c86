"""A unit's source, `solutions/UNIT/NAME.py`, read as a notebook.

The source is jupytext's py:percent with a shorthand for what nbgrader needs to know of a cell:

    # %% setup="imports"             locked imports, which the referee runs too, shown folded
    # %% given="node"                locked code that defines something
    # %% exercise="mul_vjp"          an answer cell
    # %% probes="mul_vjp"            the probes of its checks: set-up that the referee runs too, shown folded
    # %% check="mul_vjp" points=2    its checks
    # %% figure="goal" keep=true     a cell that only draws; `keep` leaves its picture in the released notebook
    # %% progress="here"             how far the learner is; its code is written by the build
    # %%                             a cell to play with

The header names the unit and says, with `graded: false`, that its checks are for practice: all of them have points=0.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import jupytext
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from ..errors import UserError
from ..lesson.predict import predictions_of
from ..lesson.syntax import syntax_tree
from .assignment import Assignment
from .cell import CHECK, FIGURE, GIVEN, SETUP, kind
from .header import check_words, read_header, unreadable
from .marks import check_marks
from .notebook import digest_of
from .parts import parts_of

SHORTHAND = ("setup", "given", "exercise", "probes", "check", "figure", "progress")

#: The packages of `autograd_ref` whose functions make the pictures.
DRAWING = ("graph", "plots")

#: All that a kernel says of its language, so that JupyterLab has nothing to add when a notebook is opened.
LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
    "version": "3.11",
}

#: What a unit begins with, before its first code: where the package is missing, as on Colab, it is installed.
INSTALL = """\
# Installs the course's package where it is missing, as on Colab; elsewhere this does nothing.
import importlib.util

if importlib.util.find_spec("autograder") is None:
    get_ipython().run_line_magic("pip", "install -q autograd-course")"""

#: A check cell shows at most so many lines of code; longer machinery belongs into a `probes` cell above it.
CHECK_LINES = 12
#: And so many more for each of its parts, which students have to see.
PART_LINES = 3


def read_source(path: Path) -> NotebookNode:
    """A py:percent source as a notebook with nbgrader's metadata and stable ids, not executed. Raises UserError."""
    text = path.read_text(encoding="utf-8")
    try:
        notebook = jupytext.reads(text, fmt="py:percent")
    except Exception as error:
        raise UserError(f"{path}{unreadable(text, error)}") from None
    about = read_header(notebook.metadata, path.parent.name, str(path))
    check_words(notebook.cells, SHORTHAND, text, str(path))
    check_marks(notebook.cells, text, str(path))
    notebook.metadata = NotebookNode(
        autograder=about,
        kernelspec={"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        language_info=LANGUAGE,
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    after, count, seen = "top", 0, set()
    graded, exam = about.get("graded", True), about.get("exam", False)
    shows_progress = [cell for cell in notebook.cells if "progress" in cell.metadata]
    for cell in notebook.cells:
        grade_id = _expand(cell, path, graded)
        if grade_id:
            if grade_id in seen:
                raise UserError(f"{path}: the name {grade_id!r} is used twice.")
            seen.add(grade_id)
            after, count = grade_id, 0
            cell.id = grade_id
        else:
            count += 1
            cell.id = f"{after}-{count}"
        if len(cell.id) > 64:
            raise UserError(f"{path}: the name {cell.id!r} is longer than 64 characters.")
        cell.metadata.pop("lines_to_next_cell", None)  # jupytext's own
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []
        if exam:
            _for_an_exam(cell, path)
    _compare_headings(notebook, path)
    _compare_names(notebook, path)
    for cell in shows_progress:
        cell.source = _progress_source(path.parent.name, notebook)
    if (link := _going_on(path)) and shows_progress:
        notebook.cells.append(new_markdown_cell(link, id="going_on"))
    about["drawn_from"] = _drawn_from(notebook)
    first = next(
        i for i, cell in enumerate([*notebook.cells, None]) if cell is None or cell.cell_type == "code"
    )
    notebook.cells.insert(first, _install_cell())
    about["digest"] = digest_of(notebook)  # by which a build sees what was edited since
    return notebook


#: A hint above an exercise, and the line with which a check begins.
HINT = re.compile(r"<details>\s*<summary>Hint.*?</details>\n*", re.DOTALL)
BLOCK = re.compile(r"^with exercise\(([\"'])(\w+)\1\) as (\w+):", re.MULTILINE)


def _for_an_exam(cell: NotebookNode, path: Path) -> None:
    """Take the hints out of a cell of text, and let a check say no more than right or not yet. Raises UserError."""
    if cell.cell_type == "markdown":
        cell.source = HINT.sub("", cell.source).rstrip()
    elif kind(cell) == CHECK:
        cell.source, found = BLOCK.subn(r"with exercise(\1\2\1, exam=True) as \3:", cell.source)
        if found != 1:
            raise UserError(
                f'{path}: of an exam, the check {cell.id} begins with `with exercise("NAME") as check:`.'
            )


#: How a heading names an exercise and says its points.
HEADING = re.compile(r"^#+ .*`(\w+)`.*\((\d+(?:\.\d+)?) points?\)", re.MULTILINE)


def _compare_headings(notebook: NotebookNode, path: Path) -> None:
    """Headings say the points that the checks give. Raises UserError."""
    told = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    checks = {
        c.metadata.nbgrader.grade_id: c.metadata.nbgrader.points for c in notebook.cells if kind(c) == CHECK
    }
    for name, points in HEADING.findall(told):
        given = checks.get(f"{name}_check")
        if given is None:
            raise UserError(f"{path}: a heading gives {name} {points} points, and no check has that name.")
        if float(points) != given:
            raise UserError(
                f"{path}: the heading of {name} says {points} points, and its check gives {given:g}."
            )


#: How a check says whose it is.
NAMED = re.compile(r"^with exercise\(\s*([\"'])(.*?)\1", re.MULTILINE)


def _compare_names(notebook: NotebookNode, path: Path) -> None:
    """The block of a check names the exercise of its cell: what it draws and says hangs on that. Raises UserError."""
    for cell in notebook.cells:
        name = cell.id.removesuffix("_check")
        for _, told in NAMED.findall(cell.source) if kind(cell) == CHECK else ():
            if told != name:
                raise UserError(
                    f'{path}: the check of {name} begins with `with exercise("{told}")`: '
                    f'write `with exercise("{name}")`.'
                )


def _install_cell() -> NotebookNode:
    """The cell that installs the package; grading skips it, as it skips figures."""
    name = "install_package"
    told = {
        "grade": False,
        "grade_id": name,
        "locked": True,
        "schema_version": 3,
        "solution": False,
        "task": False,
    }
    about = {"autograder": {"kind": FIGURE}, "jupyter": {"source_hidden": True}, "nbgrader": told}
    return new_code_cell(INSTALL, id=name, metadata=about)


def _progress_source(unit: str, notebook: NotebookNode) -> str:
    """The code of a progress cell: it names the exercises and their points, so that it needs no file."""
    checks = [cell.metadata.nbgrader for cell in notebook.cells if kind(cell) == CHECK]
    lines = "".join(f'    "{c.grade_id.removesuffix("_check")}": {c.points},\n' for c in checks)
    asked = predictions_of(cell.source for cell in notebook.cells if cell.cell_type == "code")
    names = f", predictions={json.dumps(asked)}" if asked else ""
    return f'from autograder import progress\n\nprogress("{unit}", {{\n{lines}}}{names})'


def _going_on(path: Path) -> str:
    """The last words of a unit: where the next one is. Of the last unit, where all of them are; else nothing."""
    units = sorted(folder for folder in path.parents[1].iterdir() if re.match(r"\d+_", folder.name))
    for folder in units:
        sources = [p for p in sorted(folder.glob("*.py")) if p.name != "mistakes.py"]
        if folder.name > path.parent.name and sources:
            title = re.search(r'^# +title: "([^:"]+)', sources[0].read_text(encoding="utf-8"), re.MULTILINE)
            named = f"{folder.name[:2]}. {title[1]}" if title else folder.name
            return f"**Go on:** [{named}](../{folder.name}/{sources[0].stem}.ipynb)"
    return "**All units:** [the course](../README.md)" if path.parent in units else ""


def _expand(cell: NotebookNode, path: Path, graded: bool) -> str:
    """Turn the shorthand into nbgrader's metadata; gives the grade_id, or an empty text."""
    used = [word for word in SHORTHAND if word in cell.metadata]
    if not used:
        return ""
    if len(used) > 1:
        raise UserError(f"{path}: a cell is both {used[0]} and {used[1]}.")
    (word,) = used
    name = cell.metadata.pop(word)
    points = cell.metadata.pop("points", None)
    keep = cell.metadata.pop("keep", False)
    if not isinstance(name, str) or not name.isidentifier():
        raise UserError(f'{path}: {word}={name!r} should be a name such as {word}="mul_vjp".')
    about: dict[str, Any] = {
        "grade": word == "check",
        "grade_id": f"{name}_{word}" if word in ("check", "probes") else name,
        "locked": word != "exercise",
        "schema_version": 3,
        "solution": word == "exercise",
        "task": False,
    }
    most = CHECK_LINES
    if word == "check":
        if graded and (not isinstance(points, (int, float)) or not 0 < points < 1000):
            raise UserError(f"{path}: the check of {name} needs points, such as points=2.")
        if not graded and (isinstance(points, bool) or points != 0):
            raise UserError(
                f"{path}: the header says `graded: false`, so the check of {name} needs points=0."
            )
        about["points"] = points
        parts = parts_of(cell.source, float(points), f"{path}: the check of {name}")
        most += PART_LINES * len(parts)
    if word == "exercise" and "BEGIN SOLUTION" not in cell.source:
        raise UserError(f"{path}: the exercise {name} has no `### BEGIN SOLUTION`.")
    if word == "check" and (lines := visible_lines(cell.source)) > most:
        raise UserError(
            f"{path}: the check of {name} shows {lines} lines, and a learner should read at most {most}: "
            f'move its probes into a cell `# %% probes="{name}"` above it.'
        )
    if word in (SETUP, GIVEN, FIGURE, "probes", "progress"):
        # Grading skips figures, and progress as well.
        graded_as = {"probes": SETUP, "progress": FIGURE}.get(word, word)
        cell.metadata["autograder"] = {"kind": graded_as, **({"keep": True} if keep else {})}
    if word in (FIGURE, "progress"):
        about["grade_id"] = f"{word}_{name}"
    if word in (SETUP, FIGURE, "probes", "progress"):
        cell.metadata["jupyter"] = {"source_hidden": True}
    cell.metadata["nbgrader"] = about
    return str(about["grade_id"])


def visible_lines(check: str) -> int:
    """How many lines of code a learner sees of a check cell: without its hidden tests, without empty lines."""
    seen = re.sub(r"### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS", "", check, flags=re.DOTALL)
    return sum(bool(line.strip()) for line in seen.splitlines())


def _drawn_from(notebook: NotebookNode) -> str:
    """A digest of all that the notebook's pictures come from: its code, and the packages that draw."""
    digest = hashlib.sha256()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            digest.update(cell.source.encode())
    engine = Path(__file__).resolve().parents[2] / "autograd_ref"
    digest.update(_statements([path for name in DRAWING for path in (engine / name).rglob("*.py")]).encode())
    return digest.hexdigest()[:16]


def _statements(modules: list[Path]) -> str:
    """What the modules say, wherever in them it stands: their statements in an order of their own, without imports,
    comments and docstrings. Moving a function to another module, or rewording what it is for, changes nothing."""
    trees = [syntax_tree(module.read_text(encoding="utf-8")) for module in modules]
    said = {_outline(statement) for tree in trees for statement in tree.body if not _only_names(statement)}
    return "\n".join(sorted(said))


def _only_names(statement: ast.stmt) -> bool:
    """Whether this statement says where names come from and go to, and nothing else."""
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
    return False


def _outline(part: Any) -> str:
    """A syntax tree as text, the same in all versions of Python: fields that have no value are left out."""
    if isinstance(part, list):
        return f"[{' '.join(map(_outline, part))}]"
    if not isinstance(part, ast.AST):
        return repr(part)
    if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
        return ""  # a docstring
    fields = [(name, value) for name, value in ast.iter_fields(part) if value not in (None, [])]
    return f"{type(part).__name__}({' '.join(f'{name}={_outline(value)}' for name, value in fields)})"


def outdated(assignment: Assignment) -> bool:
    """Whether the unit's source was edited after its notebook was built from it, and says something else."""
    source = assignment.path.with_suffix(".py")
    try:
        # A clone writes both within moments.
        if source.stat().st_mtime <= assignment.path.stat().st_mtime + 10:
            return False
        return [cell.source for cell in read_source(source).cells] != [
            cell.source for cell in assignment.notebook.cells
        ]
    except OSError:
        return False
    except UserError:  # it cannot be read, so it is not what the notebook was built from
        return True
