"""What the build refuses: a source that a learner could not read, or that nbgrader could not grade."""

from __future__ import annotations

from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.authoring import told
from autograder.authoring.build import build, execute
from autograder.authoring.frames import new_unit
from autograder.authoring.mutation import read_verdicts
from autograder.classroom.bundle import bundle
from autograder.classroom.site.publish import publish
from autograder.cli.authors import _say, _say_unbuilt
from autograder.errors import UserError
from autograder.unit.assignment import Assignment, Course
from autograder.unit.source import CHECK_LINES, PART_LINES, read_source, visible_lines

from ..conftest import make_course

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


def test_each_part_may_show_three_lines_more(tmp_path: Path) -> None:
    def parts(lines: int) -> str:
        blocks = "".join(f'    with check.part("{name}", 1):\n    {LINE}' for name in "abc")
        return f'# %% check="double" points=3\nwith exercise("double") as check:\n{LINE * lines}{blocks}'

    shown = visible_lines(parts(0).partition("\n")[2])
    read_source(source(tmp_path, parts(CHECK_LINES + 3 * PART_LINES - shown)))
    (tmp_path / "long").mkdir()
    with pytest.raises(UserError, match="shows 22 lines, and a learner should read at most 21"):
        read_source(source(tmp_path / "long", parts(CHECK_LINES + 3 * PART_LINES - shown + 1)))


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


def test_an_author_s_backend_costs_no_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With MPLBACKEND=Agg, as for scripts on a server, a kernel shows no figure, and nobody is told."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    notebook = new_notebook(
        cells=[new_code_cell("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")],
        metadata={"language_info": {"name": "python"}},
    )
    execute(notebook, tmp_path)
    assert [
        output.output_type for output in notebook.cells[0].outputs if "image/png" in output.get("data", {})
    ]


COURSE = Course(Path(__file__).parents[2])


def test_a_build_says_of_which_units_sentences_are_left_out_and_what_brings_them_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unit, other = "03_reverse_mode", "09_optimizers"

    def older(assignment: Assignment) -> dict[str, dict[str, str]]:
        kept = {name: dict(one) for name, one in read_verdicts(assignment).items()}
        if assignment.unit == unit:
            for exercise in assignment.exercises[:2]:
                kept[exercise.name]["explained"] = "of another check"
        return kept

    before: list[str] = []
    build(COURSE, [unit, other], check=True, say=before.append)
    assert not any("mutants" in line for line in before)
    monkeypatch.setattr(told, "read_verdicts", older)
    lines: list[str] = []
    build(COURSE, [unit, other], check=True, say=lines.append)
    (line,) = (line for line in lines if "mutants" in line)
    assert f"left out of {unit} (2 exercises):" in line
    assert other not in line
    assert f"`autograder mutants --all {unit}`, then `autograder build {unit}`" in line
    assert line == lines[-1]


def test_a_unit_without_verdicts_has_nothing_to_bring_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told, "read_verdicts", lambda assignment: {})
    assert told.outdated(COURSE.assignment("03_reverse_mode")) == []


def test_who_proves_what_is_not_built_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    course = make_course(tmp_path)
    units = [course.assignment("mini")]
    _say_unbuilt(course, units)
    assert capsys.readouterr().out == ""
    path = course.solutions / "mini" / "mini.py"
    path.write_text(
        path.read_text(encoding="utf-8").replace("# %% check=", "# %% [markdown]\n# More.\n\n# %% check=", 1)
    )
    _say_unbuilt(course, units)
    told = capsys.readouterr().out
    assert (
        told.startswith("! mini.py has changed since mini was built,") and "`autograder build mini`" in told
    )


def test_a_unit_that_is_not_built_is_said_to_be_so_with_the_command_that_builds_it(tmp_path: Path) -> None:
    course = make_course(tmp_path)
    new_unit(course.solutions, "02_second")
    told = (
        "02_second is not built yet: run `autograder build 02_second`, or `autograder build` for all units."
    )
    for ask in (
        lambda: course.assignment("02_second"),  # prove, grade and most others
        lambda: course.assignment("2"),
        lambda: bundle(course, course.units()),
        lambda: publish(course, course.units(), tmp_path / "site"),
    ):
        with pytest.raises(UserError) as caught:
            ask()
        assert str(caught.value) == told
    with pytest.raises(UserError, match=r"There is no unit 'third' in .*; it has mini\."):
        course.assignment("third")


def test_a_check_that_sends_a_function_ends_the_build_with_a_sentence_and_no_traceback(
    tmp_path: Path,
) -> None:
    course = make_course(tmp_path)
    path = source(course.solutions, check(1))
    text = path.read_text(encoding="utf-8").replace("yours.double(3)", "yours.double(abs)")
    setup = '# %% setup="imports"\nfrom autograder import exercise, yours\n\n'
    path.write_text(text.replace("# %% exercise", f"{setup}# %% exercise"), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        build(course, ["small"], check=False, say=lambda line: None)
    told = str(caught.value)
    assert told.startswith("small: the cell double_check is at fault: `double` is called with a function,")
    assert "\n" not in told and "probe" in told


@pytest.mark.parametrize(
    ("code", "told"),
    [("1 / 0", "ZeroDivisionError"), ("import sys\nsys.stderr.write('\\x1b[31mred')", "red")],
)
def test_what_a_failing_cell_says_comes_without_the_kernel_s_colours(
    code: str, told: str, tmp_path: Path
) -> None:
    """They would stand as `[31m` in the sentence, in a terminal as in a file."""
    notebook = new_notebook(cells=[new_code_cell(code)], metadata={"language_info": {"name": "python"}})
    with pytest.raises(UserError) as caught:
        execute(notebook, tmp_path)
    assert told in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_a_line_of_a_build_is_one_line_and_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    long = "[red]" + "a word " * 40 + "."
    _say(long)
    assert capsys.readouterr().out == f"{long}\n"
