"""The repository itself: its lock, its links, its commands, and nothing in it that belongs to one machine."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from .conftest import REPOSITORY

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
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page}: {target}"


def test_the_learners_page_has_a_row_for_every_unit_and_a_link_to_every_one_that_is_there() -> None:
    page = (REPOSITORY / "course" / "README.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if re.match(r"\| \[?\d\d_", line)]
    assert [row[2:].lstrip("[")[:2] for row in rows] == [
        path.name[:2] for path in sorted((REPOSITORY / "course").glob("[0-9]*"))
    ]
    assert all(re.fullmatch(r"\| [^|]+ \| [^|]+ \| \d{2,3} \|", row) for row in rows)
    for notebook in sorted((REPOSITORY / "course").glob("*/*.ipynb")):
        unit = notebook.parent.name
        if "(kept" not in notebook.name:
            link = f"| [{unit}]({unit}/{notebook.name}) |"
            assert link in page, f"course/README.md: the row of {unit} should begin with {link}"


def test_the_readme_has_the_two_commands_that_set_everything_up() -> None:
    commands = re.findall(
        r"^    (pip install .*)$", (REPOSITORY / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert commands == ['pip install -e ".[grade]" && autograder demo', 'pip install -e ".[test]" && pytest']


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
