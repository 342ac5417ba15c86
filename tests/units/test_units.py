"""What every unit of the course has to hold, whatever it teaches."""

from __future__ import annotations

import html
import itertools
import re
import statistics
import subprocess
import symtable
import sys
from collections import Counter
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.authoring.build import check_unit, release
from autograder.authoring.mutation import read_verdicts
from autograder.authoring.prove import gaps
from autograder.classroom.teaching.items import SHORT_TOLD
from autograder.lesson.predict import predictions_of
from autograder.referee import bank
from autograder.referee.autograded import autograded
from autograder.referee.judge import grade
from autograder.referee.report import Outcome, Report
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course
from autograder.unit.cell import ANSWER, GIVEN, SETUP, grade_id, kind
from autograder.unit.ingest import Submission
from autograder.unit.notebook import read_notebook, write_text
from autograder.unit.source import read_source

from ..conftest import REPOSITORY
from ..lab import without_pytorch

COURSE = Course(REPOSITORY)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test that asks for a `unit` runs for each of them."""
    if "unit" in metafunc.fixturenames:
        metafunc.parametrize("unit", COURSE.units())


def assignment_of(unit: str) -> Assignment:
    return COURSE.assignment(unit)


def released(unit: str) -> nbformat.NotebookNode:
    (path,) = (REPOSITORY / "course" / unit).glob("*.ipynb")
    return nbformat.read(path, as_version=4)


def solution_lines(answer: str) -> list[str]:
    """The lines of code between the marks of an answer cell."""
    parts = re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", answer, re.DOTALL)
    lines = [line.strip() for part in parts for line in part.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def test_in_the_environment_of_most_learners_there_is_no_pytorch(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", "import numpy, autograd_ref, torch"],
        env=without_pytorch(tmp_path),
        capture_output=True,
        text=True,
    )
    assert found.returncode == 1
    assert found.stderr.endswith("ModuleNotFoundError: No module named 'torch'\n")


def test_there_are_verdicts_on_the_mutants_of_a_unit(unit: str) -> None:
    told = "run `autograder mutants`: without its verdicts a proof leaves the unit's mutants out"
    assert read_verdicts(assignment_of(unit)), told


def test_the_notebooks_are_what_the_source_produces(unit: str) -> None:
    assert list(check_unit(COURSE, unit)) == []


def test_the_release_holds_no_solution_and_no_hidden_test(unit: str) -> None:
    notebook = released(unit)
    allowed = notebook.metadata.autograder.get("allow", ())  # a unit may build on the scalar engine
    text = nbformat.writes(notebook)
    for mark in (
        "BEGIN SOLUTION",
        "END SOLUTION",
        "BEGIN HIDDEN",
        "END HIDDEN",
        "autograd_ref.scalar",
        "mistakes.py",
    ):
        assert mark not in text or mark in allowed, mark
    sources = "\n".join(cell.source for cell in notebook.cells)
    for entry in bank.load_bank(assignment_of(unit)):
        assert entry.source.strip() not in sources, entry.name
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    for exercise in assignment_of(unit).exercises:
        solutions = re.findall(
            r"### BEGIN SOLUTION\n(.*?)\n\s*### END SOLUTION", exercise.solution, re.DOTALL
        )
        assert solutions
        for solution in solutions:
            assert solution.strip() not in code, exercise.name
        hidden = re.findall(
            r"### BEGIN HIDDEN TESTS\n(.*?)\n\s*### END HIDDEN TESTS", exercise.check, re.DOTALL
        )
        assert hidden, f"{exercise.name} has no hidden test"
        for test in hidden:
            assert test.strip() not in code, exercise.name


def test_the_referee_s_release_is_nbgrader_s_to_the_byte(unit: str) -> None:
    (path,) = (COURSE.solutions / unit).glob("*.ipynb")
    ours = read_notebook(path)
    assert write_text(ours) == path.read_text(encoding="utf-8")
    theirs = release(nbformat.read(path, as_version=4))
    assert (
        write_text(assignment_of(unit).release) == nbformat.writes(theirs, version=nbformat.NO_CONVERT) + "\n"
    )


def test_the_cells_are_valid_for_nbgrader_and_for_jupyter(unit: str) -> None:
    for notebook in (assignment_of(unit).notebook, released(unit)):
        nbformat.validate(notebook)
        ids = [cell.id for cell in notebook.cells]
        assert len(set(ids)) == len(ids)
        for cell in notebook.cells:
            if grade_id(cell):
                assert cell.metadata.nbgrader.schema_version == 3
                assert cell.id == grade_id(cell)


#: A project that is worth more than an exercise, and answers that are more than an idea: so many lines.
LARGE = {("17_from_an_empty_page", 6)}
WHOLE = {"Tensor": 150, "project": 30}


def test_the_size_is_that_of_a_unit(unit: str) -> None:
    assignment = assignment_of(unit)
    # What has parts is as many exercises as it has parts.
    points = [one.points for exercise in assignment.exercises for one in exercise.parts or [exercise]]
    points = [worth for worth in points if (unit, worth) not in LARGE]
    if assignment.graded:
        assert 6 <= len(points) <= 14
        assert set(points) <= {1, 2, 3}
        assert 20 <= assignment.max_score <= 30
    else:
        assert set(points) == {0}
    prose = "\n".join(cell.source for cell in assignment.notebook.cells if cell.cell_type == "markdown")
    words = re.sub(r"<[^>]+>|```.*?```", " ", prose, flags=re.DOTALL).split()
    assert len(words) <= (2500 if assignment.graded else 1500)


def test_every_wrong_answer_of_the_bank_can_be_compiled(unit: str) -> None:
    for entry in bank.load_bank(assignment_of(unit)):  # else it dies of a slip of the pen, and proves nothing
        compile(entry.source, f"{entry.exercise}, {entry.name}", "exec")


def test_every_exercise_has_hints_and_a_bank(unit: str) -> None:
    assignment = assignment_of(unit)
    assert list(gaps(assignment, bank.load_bank(assignment))) == []
    text = ""
    for cell in assignment.notebook.cells:
        if cell.cell_type == "markdown":
            text += cell.source
        elif kind(cell) == ANSWER:
            assert text.count("<details>") >= 3, f"{grade_id(cell)} needs a ladder of three hints"
            text = ""


def test_no_solution_is_longer_than_its_idea(unit: str) -> None:
    for exercise in assignment_of(unit).exercises:
        assert len(solution_lines(exercise.solution)) <= WHOLE.get(exercise.name, 15), exercise.name


def test_the_outputs_are_quiet_and_repeatable(unit: str) -> None:
    pictures = 0
    for cell in assignment_of(unit).notebook.cells:
        for output in cell.get("outputs", []):
            assert output.output_type != "error"
            assert output.get("name") != "stderr"
            data = output.get("data", {})
            pictures += "image/png" in data
            assert "image/svg+xml" not in data, f"{cell.id}: only PNG shows everywhere"
            assert "text/html" not in data or data["text/plain"].strip(), f"{cell.id}: the same as text"
            text = output.get("text", "") + data.get("text/plain", "")
            assert not re.search(r"0x[0-9a-f]{6,}|/tmp/|/home/", text), cell.id
    assert pictures >= (2 if assignment_of(unit).graded else 1)


def test_every_picture_is_told_in_words_wherever_it_is_shown(unit: str) -> None:
    for cell in [*assignment_of(unit).notebook.cells, *released(unit).cells]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" not in data:
                continue
            alt = output.metadata["image/png"]["alt"]
            assert len(alt.split()) >= 6, f"{cell.id}: {alt!r}"
            assert f'<img alt="{html.escape(alt)}"' in data["text/html"], cell.id  # for JupyterLab
            assert data["image/png"] in data["text/html"], cell.id
            assert "<Figure" not in data["text/plain"], cell.id


def test_feedback_shows_the_pictures_with_their_words(unit: str) -> None:
    from nbconvert.exporters import HTMLExporter

    assignment = assignment_of(unit)
    untouched = Submission(answers={e.name: e.stub for e in assignment.exercises})
    outcomes = [Outcome(e.name, 0, e.points, "missing", f"✗ {e.name}: open") for e in assignment.exercises]
    notebook = autograded(assignment, untouched, Report(unit, 0, "", outcomes=outcomes))
    # nbgrader's own template of feedback extends this one.
    exporter = HTMLExporter(template_name="classic", sanitize_html=True)
    page, _ = exporter.from_notebook_node(nbformat.from_dict(notebook))
    kept = [output for cell in released(unit).cells for output in cell.get("outputs", [])]
    words = [output.metadata["image/png"]["alt"] for output in kept]
    assert words
    shown = [html.unescape(alt) for alt in re.findall(r'<img[^>]*?alt="([^"]*)"', page, re.DOTALL)]
    assert set(words) <= set(shown)


def test_a_prediction_is_asked_for_before_its_answer_is_shown(unit: str) -> None:
    asked = False
    for cell in assignment_of(unit).notebook.cells:
        if cell.cell_type == "markdown":
            asked = asked or "**Predict, then run.**" in cell.source
        elif asked and kind(cell) == "demo":
            assert re.search(r"^prediction = .*(None|\"\"|\"\?\")", cell.source, re.MULTILINE), cell.id
            assert cell.source.count('predicted(prediction, "') == 1, cell.id
            text = "".join(output.get("text", "") for output in cell.outputs)
            assert "your prediction: none yet. Fill it in" in text, cell.id
            asked = False
    assert not asked


def test_headings_go_down_one_level_at_a_time(unit: str) -> None:
    # The static site refuses to be built of a page that skips one.
    text = "\n".join(cell.source for cell in released(unit).cells if cell.cell_type == "markdown")
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    found = [(len(marks), title) for marks, title in re.findall(r"^(#+) (.*)", text, re.M)]
    assert found[0][0] == 1
    for (before, _), (level, title) in itertools.pairwise(found):
        assert level <= before + 1, title


def test_every_visible_check_stands_without_its_hidden_part(unit: str) -> None:
    for cell in released(unit).cells:
        if cell.cell_type == "code":
            compile(cell.source, cell.id, "exec")
        if kind(cell) == "check":
            # By itself, or by a function of the unit's own that gets it.
            assert re.search(r"check\.\w+\(|\w\(check, ", cell.source), f"{cell.id} shows no check"
            assert max(map(len, cell.source.splitlines())) <= 92, f"{cell.id} would scroll sideways"


def test_the_solution_earns_everything_and_the_release_nothing(unit: str, sandbox: Sandbox) -> None:
    assignment = assignment_of(unit)
    solved = Submission(answers={e.name: e.solution for e in assignment.exercises})
    report = grade(assignment, solved, sandbox, seed=3)
    assert [outcome.text for outcome in report.outcomes if outcome.status != "passed"] == []
    assert report.score == assignment.max_score
    untouched = Submission(answers={e.name: e.stub for e in assignment.exercises})
    report = grade(assignment, untouched, sandbox, seed=3)
    assert report.score == 0
    assert {outcome.status for outcome in report.outcomes} == {"missing"}


def test_the_source_survives_jupytext(unit: str, tmp_path: Path) -> None:
    import jupytext

    (source,) = (p for p in (COURSE.solutions / unit).glob("*.py") if p.name != "mistakes.py")
    folder = tmp_path / unit
    folder.mkdir()
    notebook = jupytext.read(source, fmt="py:percent")
    jupytext.write(notebook, folder / source.name, fmt="py:percent")
    again, before = read_source(folder / source.name), read_source(source)
    # Where the next unit is, is seen from where the source stands.
    told = [[(c.id, c.source) for c in cells if c.id != "going_on"] for cells in (again.cells, before.cells)]
    assert told[0] == told[1]


def test_half_of_all_solutions_have_at_most_six_lines() -> None:
    lengths = [
        len(solution_lines(exercise.solution))
        for unit in COURSE.units()
        for exercise in assignment_of(unit).exercises
    ]
    assert statistics.median(lengths) <= 6


def test_the_course_s_table_and_the_unit_name_the_same_minutes(unit: str) -> None:
    table = (REPOSITORY / "course" / "README.md").read_text(encoding="utf-8")
    row = re.search(rf"^\| \[{unit}\].*\| (\d+)(?: \((\d+)\))? \|$", table, re.MULTILINE)
    prose = "\n".join(cell.source for cell in released(unit).cells if cell.cell_type == "markdown")
    time = re.search(r"\*\*Time:\*\* (?:about )?(\d+) minutes", prose)
    assert row and time
    short = SHORT_TOLD.search(prose)
    assert (row[1], row[2]) == (time[1], short[1] if short else None)


#: Names that a unit gives twice: unit 03 adds rules to a table.
GIVEN_TWICE = {"03_reverse_mode": {"RULES"}}


def test_a_cell_that_is_run_again_finds_the_functions_probes_and_data_that_it_had(unit: str) -> None:
    # What a learner goes back to still works: no cell gives another meaning to a name of these.
    bound: dict[str, set[str]] = {}
    lasting = set()
    for cell in released(unit).cells:
        if cell.cell_type != "code" or kind(cell) == ANSWER:
            continue
        names = symtable.symtable(re.sub(r"(?m)^[%!].*", "", cell.source), cell.id, "exec")
        functions = {inner.get_name() for inner in names.get_children()}
        for name in (one.get_name() for one in names.get_symbols() if one.is_assigned()):
            bound.setdefault(name, set()).add(cell.id)
            if name in functions or kind(cell) in (SETUP, GIVEN):
                lasting.add(name)
    assert {name for name in lasting if len(bound[name]) > 1} == GIVEN_TWICE.get(unit, set())


# -- the course as a whole ----------------------------------------------------------------------------------------


def test_an_exercise_has_a_name_that_no_other_unit_uses() -> None:
    # The learner's record of progress knows exercises by their names alone.
    used = Counter(exercise.name for unit in COURSE.units() for exercise in assignment_of(unit).exercises)
    assert [name for name, count in used.items() if count > 1] == []


def test_every_unit_ends_with_the_learner_s_progress() -> None:
    for unit in COURSE.units():
        assignment = assignment_of(unit)
        code = [cell for cell in assignment.release.cells if cell.cell_type == "code"]
        assert code[-1].id == "progress_here", f'{unit}: its last cell should be `# %% progress="here"`'
        assert kind(code[-1]) == "figure"  # which grading skips
        shown: list[tuple[object, ...]] = []
        source = code[-1].source.replace("from autograder import progress\n", "")
        exec(
            source,
            {"progress": lambda *about, record=shown.append, predictions: record((*about, predictions))},
        )
        asked = sum("**Predict, then run.**" in cell.source for cell in assignment.release.cells)
        ((name, points, predictions),) = shown
        assert name == unit
        assert points == {e.name: e.points for e in assignment.exercises}
        assert isinstance(predictions, list)
        assert len(predictions) == len(set(predictions)) == asked


def test_a_prediction_has_a_name_that_no_other_unit_uses() -> None:
    cells = [cell.source for unit in COURSE.units() for cell in released(unit).cells]
    used = Counter(predictions_of(cells))
    assert used and set(used.values()) == {1}


def test_every_unit_ends_with_a_link_to_the_next() -> None:
    units = COURSE.units()
    for unit, following in zip(units, [*units[1:], ""], strict=True):
        last = released(unit).cells[-1]
        (link,) = re.findall(r"\]\((.+?)\)", last.source)
        assert last.cell_type == "markdown"
        assert (REPOSITORY / "course" / unit / link).is_file()
        assert Path(link).parent.name == following or link == "../README.md"


def test_a_picture_comes_before_all_code(unit: str) -> None:
    code = [cell for cell in released(unit).cells if cell.cell_type == "code"]
    # The picture is drawn with the package, so the folded line that installs it stands above.
    assert [cell.id for cell in code[:2]] == ["install_package", "figure_goal"]
    for cell in code:
        folded = cell.metadata.get("jupyter", {}).get("source_hidden", False)
        assert folded or kind(cell) not in ("setup", "figure"), f"{cell.id} should be shown folded"


def test_an_untouched_notebook_runs_to_its_end(unit: str, tmp_path: Path) -> None:
    """Every code cell runs; what is open says so in one line, and nothing shows a traceback."""
    assignment = COURSE.assignment(unit)
    folder = tmp_path / unit
    folder.mkdir()
    notebook = nbformat.reads(write_text(assignment.release), as_version=4)
    run = NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": folder}},
        extra_arguments=["--log-level=ERROR"],
    )
    run.execute(env=without_pytorch(tmp_path))
    for cell in notebook.cells:
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        assert cell.execution_count, cell.id
        for error in (output for output in cell.outputs if output.output_type == "error"):
            text = "\n".join(error.traceback)
            assert "Traceback" not in text, f"{cell.id}: {text}"
            assert error.ename == "CheckFailed" or len(text.splitlines()) == 1, f"{cell.id}: {text}"
