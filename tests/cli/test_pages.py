"""What the pages say of commands is so: each command is there, with these options, and runs as it is written."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer

from autograder.cli.app import app

from ..authoring.test_handbook import steps
from ..conftest import REPOSITORY
from . import play_class, play_reader
from .played import Played
from .shown import everything_shown, filled_in, filled_in_elsewhere, needs_more, pages, shown, unread

INDEX = "asks an index for a package that is not there before the first release; the extra is checked here"
MEASURES = "measures for minutes; the tests of tests/benchmarks print both tables, here its options are read"
#: Commands of the pages that do not run here, with the reason. What can be checked of them is, below.
CANNOT = {
    'pip install "autograd-course[lab]"': INDEX,
    'pip install "autograd-course[grade]"': INDEX,
    "pip install 'autograd-course[site]'": INDEX,
    "pip install 'autograd-course[postgres]'": INDEX,
    "pip install 'autograd-course[cluster]'": INDEX,
    'pip install -U "autograd-course[lab]"': INDEX,
    "pip install -U": "is said of the line above it",
    'pip install -e ".[site]"': "needs the network; `.[test]`, which CI installs, holds that extra",
    "pip install atheris": "is for a run of days, and has no wheel for each Python",
    "--atheris": "is for a run of days",
    "python -m tests.benchmarks": MEASURES,
    "python -m tests.benchmarks ops": MEASURES,
    "python -m tests.benchmarks.grading": MEASURES,
    "python -m tests.fuzz programs": "needs PyTorch; tests/engine/test_programs.py runs the same with fewer programs",
    "sudo apt-get install bubblewrap": "changes the machine; CI installs these packages where they are missing",
    "sudo apt-get install bubblewrap chromium postgresql": "changes the machine; CI installs these packages",
    "uv pip compile pyproject.toml --extra grade --python-version 3.11 --python-platform x86_64-unknown-linux-gnu "
    "--no-emit-index-url --no-header -o binder/requirements.txt": "asks an index for all versions of everything",
}
#: What `.ci/run` runs, since it takes a clean clone or minutes.
BY_CI = {
    'pip install -e ".[grade]"', 'pip install -e ".[test]"', "autograder demo", "autograder prove --seeds 5",
    "bash .ci/run", "lint-imports", "mypy", "pytest", "pytest --nbval --nbval-current-env solutions", "ruff check",
    "ruff format",
}  # fmt: skip
#: What the file beside this one runs, since it changes the shell of whoever runs it, and what `test_cli.py` does, on a
#: small unit, since it writes beside the bank.
BESIDE = {
    "autograder --install-completion", "autograder prove --seeds 5 --keep", "autograder prove mini --seeds 1 --all",
}  # fmt: skip
#: nbgrader's commands in running text, without the unit that they take.
NAMED = {"nbgrader autograde", "nbgrader collect"}


def unknown(words: list[str]) -> str:
    """What of a command of ours there is not; empty when there is all of it."""
    found: Any = typer.main.get_command(app)
    for position, word in enumerate(words):
        if hasattr(found, "commands") and not word.startswith("-"):
            if word not in found.commands:
                return f"the command {word!r}"
            found = found.commands[word]
        elif word == "--":
            break  # the rest is another program's
        elif word.startswith("-"):
            known = {option for parameter in found.params for option in parameter.opts} | {"--help"}
            option = re.match(r"-{1,2}[a-z-]+", word)
            if option and option[0] not in known:
                return f"the option {word} of {' '.join(words[:position])}"
    return ""


@pytest.mark.parametrize("page", pages())
def test_every_command_that_a_page_names_is_there_with_its_options(page: str) -> None:
    ours = [shlex.split(command)[1:] for command in shown(pages()[page]) if command.startswith("autograder ")]
    wrong = {" ".join(words): missing for words in ours if (missing := unknown(words))}
    assert not wrong


def test_a_command_that_is_not_there_is_found() -> None:
    text = "Run `autograder grade UNIT --forse`, `autograder no-such` and\n\n    autograder site --out DIR\n"
    assert sorted(unknown(command.split()[1:]) for command in shown(text)) == [
        "",
        "the command 'no-such'",
        "the option --forse of grade UNIT",
    ]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, bubblewrap: None) -> Played:
    """All pages, played through; what ran of them."""
    learner = Played(tmp_path_factory.mktemp("learner"))
    play_reader.first_day(learner)
    play_reader.later(learner)
    course = Played(play_class.small_course(tmp_path_factory.mktemp("class") / "course"))
    play_class.author(course)
    files = play_class.hand_in(course)
    play_class.release(course)
    play_class.collect(course, files)
    play_class.grade(course, files)
    play_class.give_back(course)
    play_reader.repositories(course, play_class.UNIT)
    others = Played(tmp_path_factory.mktemp("others"))
    play_reader.a_clone(others)
    play_reader.workshop(others, course.here)
    for one in (learner, others):
        course.ran |= one.ran
        course.lines |= one.lines
    return course


def is_part(command: str, line: str) -> bool:
    """Whether a line has all words of a command, in their order."""
    rest = iter(shlex.split(line))
    return all(word in rest for word in shlex.split(command))


def uncovered(commands: set[str], ran: set[str], lines: set[str]) -> set[str]:
    """What no run covers of these: not as it is written, nor, where it is no whole command, as a part of another."""
    return {
        command
        for command in commands - ran
        if shlex.join(shlex.split(command)) not in lines
        and not (
            (command.startswith("--") or command in NAMED or needs_more(command))
            and any(is_part(command, line) for line in ran | lines)
        )
    }


def test_every_command_of_every_page_is_run_by_a_test(played: Played) -> None:
    handbook = {command for step in steps() for command in step.commands}
    ran = played.ran | handbook | set(filled_in_elsewhere()) | CANNOT.keys() | BY_CI | BESIDE
    assert sorted(uncovered(set(everything_shown()), ran, played.lines)) == []


def test_a_command_or_an_option_that_no_test_runs_would_be_seen() -> None:
    page = (
        "`autograder grade UNIT --force`, also `--jobs 2`. `autograder grade` and `autograder prove` are names.\n\n"
        "    conda install autograd-course\n    autograder export --to csv\n\n"
        "```sh\n$ npm ci && autograder doctor\n```\n"
    )
    ran = {"autograder grade UNIT --force", "autograder prove UNIT"}
    assert uncovered(set(shown(page)), ran, {"autograder export --to csv"}) == {
        "--jobs 2", "autograder doctor", "autograder prove", "conda install autograd-course", "npm ci",
    }  # fmt: skip


def test_no_line_of_a_block_is_a_command_that_is_not_known_as_one() -> None:
    """What is no command in the pages' blocks: the way of a submission, and the files of a unit."""
    strange = [line for text in pages().values() for line in unread(text)]
    for line in strange:
        drawing = set(line) & set("│─>") or line.endswith("check cells") or re.fullmatch(r"v +v|v", line)
        assert drawing or line.startswith("03_reverse_mode/"), line
    assert unread("Do:\n\n    make-it-work now\n    pip list\n") == ["make-it-work now"]


def test_what_is_excused_is_on_a_page_and_none_of_it_runs_anywhere(played: Played) -> None:
    excused = CANNOT.keys() | BY_CI | NAMED
    assert excused <= everything_shown()
    assert not (CANNOT.keys() | BY_CI) & (played.ran | set(filled_in_elsewhere()))


def test_what_ci_runs_stands_in_it() -> None:
    text = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [
        set(shlex.split(line, comments=True))
        for line in re.findall(r"^[a-z].*", text, re.MULTILINE)
        if line.count('"') % 2 == 0
    ]
    (workflow,) = (
        path.read_text(encoding="utf-8") for path in (REPOSITORY / ".github" / "workflows").glob("ci.yml")
    )
    for command in BY_CI - {"bash .ci/run"}:
        assert any(set(shlex.split(command)) <= line for line in lines), command
    assert ".ci/run" in workflow


def test_what_cannot_run_here_names_extras_packages_and_options_that_there_are() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for command in CANNOT:
        for extra in re.findall(r"(?:autograd-course|\.)\[(\w+)\]", command):
            assert extra in project["optional-dependencies"], command
    ci = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")
    for command in (c for c in CANNOT if c.startswith("sudo apt-get install ")):
        assert all(f'packages="$packages {package}"' in ci for package in command.split()[3:])
    assert any("site" in text for text in project["optional-dependencies"]["test"])


def test_what_is_installed_here_is_all_that_pip_wants_for_every_extra() -> None:
    """The commands with what is installed in the index's place, in one: each takes pip a second."""
    packages = [filled_in(command)[-1] for command, reason in CANNOT.items() if reason == INDEX]
    assert len(set(packages)) == 5
    words = [
        sys.executable,
        "-m",
        "pip",
        "install",
        *packages,
        "--no-index",
        "--dry-run",
        "--disable-pip-version-check",
    ]
    done = subprocess.run(words, cwd=Path("/"), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and "Would install" not in done.stdout, done.stdout + done.stderr
