"""The author's handbook: who follows it word by word has a unit that is built and proved."""

from __future__ import annotations

import contextlib
import linecache
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

import autograder
from autograder.authoring.build import build
from autograder.errors import UserError
from autograder.lesson.checks import exercise
from autograder.lesson.failures import CheckFailed
from autograder.lesson.probes import LocalBoundary, Session, use_session
from autograder.unit.assignment import Course
from autograder.unit.source import SHORTHAND, read_source

from ..conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "authors.md").read_text(encoding="utf-8")
UNIT = "02_my_unit"


@dataclass
class Step:
    """What a reader does: types commands, or adds code to the file that the text before it names."""

    commands: tuple[str, ...] = ()
    file: str = ""
    code: str = ""


def steps() -> Iterator[Step]:
    """All of the page's commands and code, in order."""
    file = ""
    for block in re.finditer(
        r"^```(\w+)\n(.*?)^```$|^((?:    [^\n]*\n)+)|`(solutions/[\w/]+\.(?:py|toml))`", PAGE, re.M | re.S
    ):
        language, code, commands, named = block.groups()
        if named:
            file = named
        elif commands:
            yield Step(commands=tuple(line.strip() for line in commands.splitlines()))
        elif language in ("python", "toml"):
            yield Step(file=file, code=code)


@dataclass
class Followed:
    """The course that one has at the end, and what each command printed."""

    root: Path
    printed: dict[str, str]


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory, bubblewrap: None) -> Followed:
    here = tmp_path_factory.mktemp("author")
    printed = {}
    for step in steps():
        if step.code:
            path = here / step.file
            with path.open("a", encoding="utf-8") as file:
                file.write(f"\n\n{step.code}")
        for command in step.commands:
            first, *words = shlex.split(command)
            if first == "pip":
                continue  # this package is here
            if first == "cd":
                here = here / words[0]
                continue
            assert first == "autograder", command
            done = subprocess.run(
                [sys.executable, "-c", "from autograder.cli.app import main; main()", *words], cwd=here,
                capture_output=True, text=True, timeout=300, check=False, env={**os.environ, "COLUMNS": "200"},
            )  # fmt: skip
            assert done.returncode == 0, (command, done.stdout, done.stderr)
            printed[command] = done.stdout
    return Followed(here, printed)


def test_the_page_s_unit_is_built_proved_and_without_a_mutant_alive(followed: Followed) -> None:
    assert f"✓ course/{UNIT}/my_unit.ipynb" in followed.printed[f"autograder build {UNIT}"]
    proved = followed.printed[f"autograder prove {UNIT}"]
    assert f"{UNIT}: proved; 9 wrong and 3 right answers" in proved and "✗" not in proved
    assert followed.printed[f"autograder guesses {UNIT}"] == f"✓ {UNIT}: 1 prediction\n"
    assert "0 alive" in followed.printed[f"autograder mutants {UNIT}"]
    assert "0 of 5 points" in followed.printed[f"autograder score course/{UNIT}/my_unit.ipynb"]


def test_then_ci_would_pass(followed: Followed) -> None:
    checked: list[str] = []
    assert build(Course(followed.root), Course(followed.root).units(), check=True, say=checked.append), (
        checked
    )


FUNCTION = """# ---
# jupyter:
#   autograder:
#     unit: 03_areas
# ---

# %% setup="imports"
from autograder import exercise, integer, number, probe

# %% exercise="trapezoid"
def trapezoid(f, a, b, n):
    ### BEGIN SOLUTION
    h = (b - a) / n
    return sum(h * (f(a + i * h) + f(a + (i + 1) * h)) / 2 for i in range(n))
    ### END SOLUTION

"""


def test_a_probe_makes_the_function_that_an_answer_takes_as_the_page_shows_it(tmp_path: Path) -> None:
    shown = PAGE.partition("### Answers that take a function")[2].partition("```py\n")[2].partition("```")[0]
    source = tmp_path / "03_areas" / "areas.py"
    source.parent.mkdir()
    source.write_text(FUNCTION + shown)
    cells = [cell.source for cell in read_source(source).cells if cell.cell_type == "code"][1:]
    for cell in cells:  # what stands in cells has a text that a probe can be sent as
        linecache.cache[f"<{hash(cell)}>"] = (len(cell), None, cell.splitlines(True), f"<{hash(cell)}>")
    for broken in ("", "range(n)", "/ 2"):
        names: dict[str, object] = {}
        with use_session(Session(LocalBoundary(names), quiet=True)):
            for cell in cells[:-1]:
                text = (
                    cell.replace(broken, {"range(n)": "range(1)", "/ 2": "/ 3"}[broken]) if broken else cell
                )
                exec(compile(text, f"<{hash(cell)}>", "exec"), names)
            with pytest.raises(CheckFailed) if broken else contextlib.nullcontext():
                exec(compile(cells[-1], f"<{hash(cells[-1])}>", "exec"), names)


def test_its_exercises_hold_what_those_of_the_course_hold(followed: Followed) -> None:
    assignment = Course(followed.root).assignment(UNIT)
    assert [(e.name, e.points) for e in assignment.exercises] == [
        ("square_vjp", 2),
        ("cube_vjp", 2),
        ("depth", 1),
    ]
    told = "\n".join(cell.source for cell in assignment.released if cell.cell_type == "markdown")
    for one in assignment.exercises:
        part = told.partition(f"### Exercise `{one.name}`")[2].partition("### Exercise")[0]
        assert part.count("<details>") == 3, one.name


def test_the_page_names_every_kind_of_cell_every_check_and_every_kind_of_input() -> None:
    for word in SHORTHAND:
        assert f'`# %% {word}="' in PAGE, word
    for name, member in vars(exercise).items():
        if not name.startswith("_") and callable(member):
            assert f"`check.{name}(" in PAGE, name
    for name in ("number", "positive", "integer", "one_of", "numbers", "array"):
        assert f"`{name}(" in PAGE and name in autograder.__all__, name
    assert set(re.findall(r"`autograder (\w+)", PAGE)) <= {"build", "prove", "mutants", "teach"}


def test_the_header_on_the_page_is_one_that_the_build_reads(tmp_path: Path) -> None:
    (header,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.M | re.S)
    assert yaml.safe_load(header)["jupyter"]["autograder"]["unit"] == UNIT
    source = tmp_path / UNIT / "my_unit.py"
    source.parent.mkdir()
    lines = [f"# {line}" for line in ("---", *header.splitlines(), "---")]
    source.write_text("\n".join([*lines, "", "# %% [markdown]", "# # A title", ""]))
    assert read_source(source).metadata.autograder.graded is True


CHECKED = """
# %% [markdown]
# {heading}

# %% exercise="f"
def f(x):
    ### BEGIN SOLUTION
    return x
    ### END SOLUTION

# %% check="f" points=2
with exercise("f") as check:
    check.equal(yours.f(1), 1, "it is what went in")
"""


@pytest.mark.parametrize(
    ("heading", "told"),
    [
        ("### Exercise `f` (2 points)", ""),
        ("### Exercise `f`", ""),
        ("### Exercise `f` (3 points)", "the heading of f says 3 points, and its check gives 2"),
        ("### Exercise `f` (1 point)", "the heading of f says 1 points, and its check gives 2"),
        ("### Exercise `g` (2 points)", "no check has that name"),
    ],
)
def test_a_heading_says_the_points_of_its_check(heading: str, told: str, tmp_path: Path) -> None:
    source = tmp_path / "01_unit" / "unit.py"
    source.parent.mkdir()
    header = "# ---\n# jupyter:\n#   autograder:\n#     unit: 01_unit\n# ---\n"
    source.write_text(header + CHECKED.format(heading=heading))
    if not told:
        read_source(source)
        return
    with pytest.raises(UserError, match=told):
        read_source(source)
