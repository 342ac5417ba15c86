"""The house: rooms with a door and a README, imports that run downwards, files and functions that one can read."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from .conftest import REPOSITORY

GRADER, ENGINE = REPOSITORY / "autograder", REPOSITORY / "autograd_ref"
ROOMS = sorted(path.parent for path in GRADER.rglob("__init__.py") if path.parent != GRADER)
FILES = sorted([*GRADER.rglob("*.py"), *ENGINE.rglob("*.py")])

#: Above these, a file's or a function's first comment says why it is better long.
LINES, FUNCTION_LINES = 350, 50
WHY = "# Long, because "

#: Names that the field has others for: worker pool, fork server, matching.
GONE = re.compile(r"nurser(?:y|ies)|cradle|\bcrew|line-?up|\bdeal\b", re.IGNORECASE)


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def first_comment(lines: list[str]) -> str:
    return next((line.strip() for line in lines if line.strip().startswith("# ")), "")


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_file_is_short_or_its_first_comment_says_why_not(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) > LINES:
        assert first_comment(lines).startswith(WHY), f"{len(lines)} lines"


def long_functions(path: Path) -> Iterator[tuple[str, list[str]]]:
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            if node.end_lineno - node.lineno + 1 > FUNCTION_LINES:
                yield node.name, text.splitlines()[node.lineno - 1 : node.end_lineno]


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_function_is_short_or_its_first_comment_says_why_not(path: Path) -> None:
    for name, lines in long_functions(path):
        assert first_comment(lines).startswith(WHY), f"{name}: {len(lines)} lines"


def test_a_long_file_or_function_would_be_seen(tmp_path: Path) -> None:
    path = tmp_path / "long.py"
    path.write_text("def f():\n" + "    pass\n" * FUNCTION_LINES)
    ((name, lines),) = long_functions(path)
    assert (name, first_comment(lines)) == ("f", "")
    assert first_comment(["import x", "    # Long, because it is", "# no"]) == "# Long, because it is"


#: Where `ast.parse` stands: once with its lock, and in pupils, which have one thread.
PARSES = {
    "autograder/lesson/syntax.py",
    "autograder/sandbox/pupil/shell.py",
    "autograder/sandbox/pupil/imports.py",
}


def test_trees_of_syntax_are_read_in_one_place_since_threads_may_not_read_them_at_once() -> None:
    reads = re.compile(r"ast\.(?:parse|literal_eval)\(|from ast import|PyCF_ONLY_AST")
    found = {name_of(path) for path in GRADER.rglob("*.py") if reads.search(path.read_text(encoding="utf-8"))}
    assert found == PARSES


def test_a_pupil_has_every_file_of_the_lesson() -> None:
    from autograder.sandbox.pupil.imports import LEARNER_MODULES

    assert sorted(LEARNER_MODULES) == sorted(path.stem for path in (GRADER / "lesson").glob("*.py"))


@pytest.mark.parametrize("room", ROOMS, ids=name_of)
def test_every_room_says_whom_it_is_for_and_its_doors_are_there(room: Path) -> None:
    text = (room / "README.md").read_text(encoding="utf-8")
    assert re.search(r"^For: ", text, re.MULTILINE)
    doors = re.search(r"^- Doors?: (.*?)(?:\n\n|\n- )", text, re.MULTILINE | re.DOTALL)
    assert doors is not None
    named = re.findall(r"`([^`]+)`", doors[1])
    assert named
    for door in named:
        assert is_there(room, door.removesuffix("()")), f"{name_of(room)}/README.md: {door}"


def is_there(room: Path, door: str) -> bool:
    """Whether a door is there: a command, a file, something in a module of the room, or what `autograder` gives."""
    if door.startswith("autograder "):
        from autograder.cli.app import app

        return door.split()[1] in typer.main.get_command(app).commands  # type: ignore[attr-defined]
    if door.startswith("from autograder import "):
        return is_there(room, door.rsplit(" ", 1)[1])
    if door == "autograder" or (room / door).is_file() or (REPOSITORY / door).is_file():
        return True
    first, *rest = door.split(".")
    if (room / f"{first}.py").is_file():
        found: object = importlib.import_module(".".join(room.relative_to(REPOSITORY).parts) + f".{first}")
        for name in rest:
            if not hasattr(found, name):
                return False
            found = getattr(found, name)
        return True
    return not rest and hasattr(importlib.import_module("autograder"), first)


def test_a_door_that_is_not_there_is_missed() -> None:
    for door in ("judge.no_such", "no_such", "autograder no-such", "no_such.grade", "judge.grade.no_such"):
        assert not is_there(GRADER / "referee", door), door


def test_the_contract_of_imports_lists_exactly_the_rooms_that_are_there() -> None:
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]
    layers, circles = settings["contracts"]
    there = {path.name for path in ROOMS if path.parent == GRADER}
    there |= {path.stem for path in GRADER.glob("*.py")} - {"__init__"}
    assert layers["exhaustive"] and sorted(layers["layers"]) == sorted(there)
    assert layers["layers"][0] == "cli" and layers["layers"][-1] == "errors"
    assert circles["type"] == "acyclic_siblings" and "autograder.**" in circles["ancestors"]
    for contract in (layers, circles):
        assert not contract.get("ignore_imports"), "an exception would be a hole"


def test_imports_run_downwards_and_in_no_circle_those_inside_functions_too() -> None:
    """The linter reads every import, wherever it stands, so none inside a function can hide a circle."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()"]
    done = subprocess.run(
        [*command, "--no-cache"], cwd=REPOSITORY, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 kept, 0 broken" in done.stdout


@pytest.mark.parametrize("folder", ["autograder", "tests"])
def test_names_that_the_field_has_others_for_are_gone(folder: str) -> None:
    for path in sorted((REPOSITORY / folder).rglob("*")):
        if path.suffix not in (".py", ".md") or path == Path(__file__):
            continue
        if found := GONE.search(path.read_text(encoding="utf-8").replace("a good deal", "")):
            pytest.fail(f"{name_of(path)}: {found.group()}")


def test_what_a_notebook_imports_loads_the_lesson_and_nothing_else_of_the_grader() -> None:
    code = (
        "import sys, autograder\n"
        "rooms = {name.split('.')[1] for name in sys.modules if name.startswith('autograder.')}\n"
        "heavy = {'IPython', 'nbformat', 'nbgrader', 'matplotlib', 'typer', 'rich', 'psutil', 'multiprocessing'}\n"
        "print(sorted(rooms), sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY
    )
    assert done.stdout.strip() == "['lesson'] []"
