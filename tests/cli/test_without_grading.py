"""What the pages say to learners works without what grades a class."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

from autograder.learner.engine_file import EXERCISE, UNIT
from autograder.learner.released import place
from autograder.unit.assignment import Course

from ..conftest import REPOSITORY

#: What `[grade]` asks for and `[lab]` does not bring, with what only these need.
GRADING = {"nbgrader", "jupytext", "latex2mathml", "sqlalchemy"}
LEARNER = """
    import sys

    class Refuse:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in {refused!r}:
                raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

    sys.meta_path.insert(0, Refuse())
    sys.argv[0] = "autograder"
    from autograder.cli.app import main
    main()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A learner's folder with an engine in a file, which is the model answer."""
    found = tmp_path_factory.mktemp("learner") / "course"
    place(found)
    answer = Course(REPOSITORY).assignment(UNIT).exercise(EXERCISE).solution
    (found / "engine.py").write_text(f"import numpy as np\n\n\n{answer}", encoding="utf-8")
    return found


def test_what_is_refused_here_is_no_learner_s() -> None:
    extras = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    asked = {text.partition(">")[0] for text in extras["grade"]}
    assert asked >= GRADING - {"sqlalchemy"}
    assert not GRADING & {text.partition(">")[0] for text in extras["lab"]}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["mine", "engine.py"], "`autograder mine engine.py --put` copies it into the notebook"),
        (["mine", "engine.py", "--put"], "engine.py is in the answer cell of"),
        (["receipt", f"{UNIT}/from_an_empty_page.ipynb"], "keep that line"),
        (["certificate", "--name", "Ada"], "certificate.html shows it"),
        (["review"], "Nothing is due today. The next is Tensor"),  # `mine --put` has noted it
    ],
    ids=lambda value: " ".join(value[:1]) if isinstance(value, list) else "",
)
def test_a_learner_s_command_needs_nothing_of_it(words: list[str], says: str, folder: Path) -> None:
    program = textwrap.dedent(LEARNER).format(refused=GRADING)
    done = subprocess.run(
        [sys.executable, "-c", program, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert says in done.stdout + done.stderr and "Traceback" not in done.stderr, done.stdout + done.stderr
