"""The pages for learners, for repositories of students, for authors and for who works on the course: played through."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import nbformat
import pytest

from autograder.authoring import frames
from autograder.learner import arrival, progress
from autograder.learner.engine_file import EXERCISE
from autograder.learner.engine_file import UNIT as ENGINE
from autograder.lesson import logbook
from autograder.unit.assignment import Course

from ..conftest import REPOSITORY
from ..lab import free_port
from .played import Played

#: JupyterLab asks for it where tests run as root.
AS_ROOT = ["--allow-root"] if os.geteuid() == 0 else []


@contextlib.contextmanager
def instead_of_jupyterlab() -> Iterator[list[tuple[Path, list[str]]]]:
    """What JupyterLab would be started with: on which folder, and with which options."""
    started: list[tuple[Path, list[str]]] = []

    def start(folder: Path, options: list[str]) -> int:
        arrival.command(folder, options)
        started.append((folder, options))
        return 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrival, "start", start)
        yield started


def first_day(play: Played) -> None:
    """A learner with nothing but the package: the course, and JupyterLab on its first notebook, twice."""
    with play.serving("autograder start my-course") as page:
        assert "/lab" in page.splitlines()[0] and "jupyter-config-data" in page
    play.here /= "my-course"
    assert (play.here / "03_reverse_mode" / "reverse_mode.ipynb").is_file()
    with play.serving("autograder lab") as page:
        assert "jupyter-config-data" in page
    with instead_of_jupyterlab() as started:
        play("autograder lab -- --no-browser --port 8889")
        told = play("autograder start .")  # the release is renewed where somebody builds it meanwhile
    assert "is up to date" in told or "is the new version" in told
    (folder, options), (again, _) = started
    assert folder == again == play.here and options[:3] == ["--no-browser", "--port", "8889"]


def later(play: Played) -> None:
    """What a learner does who has worked for a while."""
    week = datetime.now().astimezone() - timedelta(days=9)
    first = next(iter(progress.find(progress.units(play.here), "03").points))
    logbook.append(play.here, {"exercise": first, "passed": True, "date": week.isoformat(timespec="seconds")})
    play("autograder progress", says=["03_reverse_mode", "17_from_an_empty_page"])
    play('autograder certificate --name "Your Name"', says="certificate.html shows it in a browser.")
    play("autograder certificate", says="certificate.html")
    with instead_of_jupyterlab() as started:
        play("autograder review", says=first)
    assert started and (play.here / "review" / "03_reverse_mode").is_dir()
    play("autograder fresh UNIT", UNIT="04", says="04_scalar_networks/scalar_networks.ipynb is as released.")
    play("autograder fresh 03", says="03_reverse_mode/reverse_mode.ipynb is as released.")
    answer = Course(REPOSITORY).assignment(ENGINE).exercise(EXERCISE).solution
    (play.here / "engine.py").write_text(f"import numpy as np\n\n\n{answer}", encoding="utf-8")
    play("autograder mine engine.py", says="--put` copies it into the notebook")
    key = ["--solutions", REPOSITORY / "solutions"]
    play("autograder mine engine.py --hidden", extra=key, says=" points (seed ")
    play("autograder mine engine.py --put", says="engine.py is in the answer cell of")
    notebook = f"{ENGINE}/from_an_empty_page"
    play("autograder receipt NOTEBOOK.ipynb", NOTEBOOK=notebook, says="keep that line")


def repositories(play: Played, unit: str) -> None:
    """`docs/repositories.md`, in a course with its answers."""
    solved = nbformat.from_dict(Course(play.here).assignment(unit).solved())
    play("autograder classroom50 UNIT --out FOLDER", UNIT=unit, FOLDER="slug", says="without answers")
    assert (play.here / "slug" / "autograder.py").is_file()
    play("autograder repository UNIT --out FOLDER", UNIT=unit, FOLDER="origin", says="without answers")
    student = Played(play.here / "origin")
    (notebook,) = (path for path in student.here.rglob("*.ipynb") if ".github" not in path.parts)
    nbformat.write(solved, notebook)
    name = notebook.relative_to(student.here)
    student(
        "autograder score NOTEBOOK --unit UNIT --solutions .github/checks --unsandboxed --fail-under POINTS",
        NOTEBOOK=name, UNIT=unit, POINTS=2, says="2 of 2 points",
    )  # fmt: skip
    commit(student)
    place = {"https://github.com/ORG/REPOSITORY": student.here.as_uri(), "STUDENT": "gil", "UNIT": unit}
    play("git clone --depth 1 https://github.com/ORG/REPOSITORY submitted/STUDENT/UNIT", **place)
    play("autograder grade UNIT", UNIT=unit, extra=["--jobs", 1, "--student", "gil"], says="2 / 2")
    shutil.copytree(play.here / "submitted" / "gil" / unit, play.here / "handed-in")
    play(
        'autograder score handed-in --unit "$UNIT" --unsandboxed --json', **{"$UNIT": unit}, says='"score": 2'
    )
    play.ran |= student.ran
    play.lines |= student.lines


def commit(play: Played) -> None:
    """The commands at the end of the authors' handbook."""
    play("git init")
    for what, who in (("user.name", "A"), ("user.email", "a@example.org")):
        subprocess.run(["git", "config", what, who], cwd=play.here, check=True)
    play("git add .")
    play("git commit", extra=["-q", "-m", "first"])


def a_clone(play: Played) -> None:
    """A learner in a clone, who takes a newer version in and keeps what was changed."""
    origin = Played(play.here / "upstream")
    frames.new_course(origin.here)
    released = origin.here / "course" / "03" / "x.ipynb"
    released.parent.mkdir(parents=True)
    released.write_text("1", encoding="utf-8")
    commit(origin)
    assert "gradebook.db" not in origin.outside(["git", "ls-files"])[1]
    subprocess.run(["git", "clone", "-q", origin.here.as_uri(), "clone"], cwd=play.here, check=True)
    released.write_text("2", encoding="utf-8")
    subprocess.run(["git", "commit", "-qam", "second"], cwd=origin.here, check=True)
    clone = Played(play.here / "clone")
    mine = clone.here / "course" / "03"
    (mine / "x.ipynb").write_text("1, and mine", encoding="utf-8")
    shutil.copy(mine / "x.ipynb", mine / "my x.ipynb")
    clone("git checkout course")
    clone("git pull")
    assert (mine / "x.ipynb").read_text() == "2" and (mine / "my x.ipynb").read_text() == "1, and mine"
    play.ran |= origin.ran | clone.ran


def workshop(play: Played, course: Path) -> None:
    """What is said to those who work on the course, as far as it takes seconds."""
    play("autograder doctor", says=["For learning", "✓ sandbox", "For grading"])
    play("autograder --help", says="For learners")
    play.here = course
    port = free_port()
    with play.serving("jupyter lab", extra=[*AS_ROOT, f"--port={port}"]) as page:
        assert "jupyter-config-data" in page
    path = {"PYTHONPATH": str(REPOSITORY)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", path["PYTHONPATH"])
        play("python -m tests.unforeseen UNIT --show 30", UNIT="3", says="3 wrong answers: ")
    play.here = REPOSITORY
    fuzz = "python -m tests.fuzz TARGET --runs 500000"
    play(fuzz, TARGET="wire", extra=["--runs", 100], says="100 inputs in ")
