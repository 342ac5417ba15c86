"""The repository itself: its lock, its links, its commands, and nothing in it that belongs to one machine."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autograder.classroom.site.links import in_repository

from .conftest import LONGEST, REPOSITORY, pytest_collection_modifyitems

FILES = subprocess.run(
    ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=True
).stdout.split("\0")
TEXTS = [
    REPOSITORY / name
    for name in FILES
    if name.endswith(
        (".py", ".md", ".toml", ".txt", ".yml", ".yaml", ".cfg", ".ipynb", "run", "postBuild", "start")
    )
]
HOME = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"][
    "Homepage"
]
PAGES = [path for path in TEXTS if path.suffix == ".md"]


def test_binder_s_lock_pins_every_dependency() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lock = (REPOSITORY / "binder" / "requirements.txt").read_text(encoding="utf-8")
    extras = project["optional-dependencies"]
    for requirement in [*project["dependencies"], *extras["lab"], *extras["grade"]]:
        name = re.split(r"[<>=!~\[; ]", requirement)[0]
        assert name == project["name"] or re.search(rf"^{name}==", lock, re.MULTILINE | re.IGNORECASE), name
    assert "://" not in lock
    assert (REPOSITORY / "binder" / "runtime.txt").read_text(encoding="utf-8").strip() == "python-3.11"


@pytest.mark.parametrize("script", ["binder/postBuild", "binder/start", ".ci/run"])
def test_a_script_is_valid_and_can_be_run(script: str) -> None:
    path = REPOSITORY / script
    assert path.stat().st_mode & 0o111
    subprocess.run(["bash", "-n", str(path)], check=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        file = in_repository(target, HOME)
        if "://" not in target or file:
            assert (REPOSITORY / file if file else page.parent / target).exists(), f"{page}: {target}"


def test_the_readme_leads_somewhere_where_pypi_shows_it_too() -> None:
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"(!?)\[[^\]]*\]\(([^)#\s]+)", text)
    assert [target for _, target in targets if "://" not in target] == []
    pictures = [target for picture, target in targets if picture and in_repository(target, HOME)]
    assert pictures and all(target.startswith("https://raw.githubusercontent.com/") for target in pictures)


def test_an_address_of_the_repository_names_its_file_and_others_name_none() -> None:
    assert in_repository(f"{HOME}/blob/main/no/such.md", HOME) == "no/such.md"
    assert (
        in_repository(f"{HOME.replace('github.com', 'raw.githubusercontent.com')}/main/a.png", HOME)
        == "a.png"
    )
    assert in_repository(f"{HOME}/issues", HOME) == in_repository("https://example.org/a.md", HOME) == ""
    assert in_repository("a.md", HOME) == in_repository(f"{HOME}/blob/main/a.md", "") == ""


def test_the_learners_page_has_a_row_for_every_unit_and_a_link_to_every_one_that_is_there() -> None:
    page = (REPOSITORY / "course" / "README.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if re.match(r"\| \[?\d\d_", line)]
    assert [row[2:].lstrip("[")[:2] for row in rows] == [
        path.name[:2] for path in sorted((REPOSITORY / "course").glob("[0-9]*"))
    ]
    assert all(re.fullmatch(r"\| [^|]+ \| [^|]+ \| \d{2,3}(?: \(\d{2,3}\))? \|", row) for row in rows)
    for notebook in sorted((REPOSITORY / "course").glob("*/*.ipynb")):
        unit = notebook.parent.name
        if "(kept" not in notebook.name:
            link = f"| [{unit}]({unit}/{notebook.name}) |"
            assert link in page, f"course/README.md: the row of {unit} should begin with {link}"


def test_the_readme_has_the_two_commands_that_set_everything_up_and_says_what_a_learner_needs() -> None:
    page = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    (pip install .*)$", page, re.MULTILINE)
    assert commands == ['pip install -e ".[grade]" && autograder demo', 'pip install -e ".[test]" && pytest']
    script = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")
    for command in commands:  # each runs there, as it stands but for being quiet
        install, _, then = command.partition(" && ")
        assert re.search(rf"^{re.escape(install.replace('install', 'install -q'))}$", script, re.MULTILINE), (
            command
        )
        assert re.search(rf"^{re.escape(then)}( -q)?$", script, re.MULTILINE), command
    prose = " ".join(page.split())
    for learners in ('`pip install "autograd-course[lab]"`', "`autograder start my-course`"):
        assert prose.index(learners) < prose.index(commands[0])


def test_no_file_names_a_place_of_one_machine() -> None:
    # Put together, so that this file does not hold them.
    private = re.compile(
        "|".join(
            ["/ro" + r"ot/\.pyenv", "/ho" + r"me/(?!pupil)\w", "/wo" + "rk/", "file:" + "///", "/o" + "pt/"]
        )
    )
    for path in TEXTS:
        found = private.search(path.read_text(encoding="utf-8", errors="replace"))
        assert not found, f"{path}: {found.group() if found else ''}"


def test_the_repository_is_small() -> None:
    assert (
        sum((REPOSITORY / name).stat().st_size for name in FILES if name and (REPOSITORY / name).exists())
        < 30e6
    )


def test_the_longest_modules_are_there_and_begin_first() -> None:
    assert [name for name in LONGEST if not (REPOSITORY / name).is_file()] == []
    few, many = "tests/a.py", "tests/b.py"
    names = [
        f"{few}::1",
        f"{LONGEST[1]}::1",
        f"{many}::2",
        f"{LONGEST[0]}::1",
        f"{many}::1",
        f"{LONGEST[1]}::0",
    ]
    items: list[Any] = [SimpleNamespace(nodeid=name) for name in names]
    pytest_collection_modifyitems(items)
    assert [item.nodeid for item in items] == [names[i] for i in (3, 1, 5, 2, 4, 0)]
