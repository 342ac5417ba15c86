"""What the build refuses: a source that a learner could not read, or that nbgrader could not grade."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import UserError
from autograder.unit.source import CHECK_LINES, read_source, visible_lines

HEADER = "# ---\n# jupyter:\n#   autograder:\n#     unit: small{extra}\n# ---\n\n"
ANSWER = (
    '# %% exercise="double"\ndef double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION\n'
)
LINE = '    check.equal(yours.double(3), 6, "twice three")\n'


def source(folder: Path, check: str, extra: str = "") -> Path:
    """A unit of one exercise with this check cell."""
    path = folder / "small" / "small.py"
    path.parent.mkdir()
    path.write_text(f"{HEADER.format(extra=extra)}{ANSWER}\n\n{check}", encoding="utf-8")
    return path


def check(lines: int, hidden: int = 0, points: str = "points=1") -> str:
    hidden_part = f"    ### BEGIN HIDDEN TESTS\n{LINE * hidden}    ### END HIDDEN TESTS\n"
    return f'# %% check="double" {points}\nwith exercise("double") as check:\n{LINE * lines}\n{hidden_part}'


def test_a_check_shows_a_learner_twelve_lines_at_most(tmp_path: Path) -> None:
    assert visible_lines(check(3).partition("\n")[2]) == 4
    read_source(source(tmp_path, check(CHECK_LINES - 1, hidden=50)))
    (tmp_path / "long").mkdir()
    with pytest.raises(UserError, match=r'check of double shows 13 lines.*# %% probes="double"'):
        read_source(source(tmp_path / "long", check(CHECK_LINES)))


def test_points_of_zero_need_a_header_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="check of double needs points"):
        read_source(source(tmp_path, check(1, points="points=0")))
    (tmp_path / "practice").mkdir()
    read_source(source(tmp_path / "practice", check(1, points="points=0"), "\n#     graded: false"))


def test_a_unit_of_practice_has_no_points(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"graded: false.*double needs points=0"):
        read_source(source(tmp_path, check(1), "\n#     graded: false"))
    (tmp_path / "odd").mkdir()
    with pytest.raises(UserError, match="`graded: maybe` in the header"):
        read_source(source(tmp_path / "odd", check(1), "\n#     graded: maybe"))
