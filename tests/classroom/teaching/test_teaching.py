"""Slides and the page of a unit: what they hold comes from the unit, no answer is on them, and no file is lost."""

# ruff: noqa: F811
from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from autograder.authoring import frames
from autograder.authoring.build import Product
from autograder.classroom.bundle import bundle
from autograder.classroom.classroom import Classroom
from autograder.classroom.run import grade_class
from autograder.classroom.teaching import publish as publish_module
from autograder.classroom.teaching.answers import answers_of
from autograder.classroom.teaching.chosen import example_of, hunt_of, last_question, questions_of
from autograder.classroom.teaching.items import Lesson
from autograder.classroom.teaching.layout import LINES, SPARE, fits
from autograder.classroom.teaching.minutes import minutes_of
from autograder.classroom.teaching.page import page
from autograder.classroom.teaching.publish import names_of, publish
from autograder.classroom.teaching.slides import chosen_questions, slides
from autograder.errors import UserError
from autograder.referee import bank
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course
from autograder.unit.cell import ANSWER
from autograder.unit.source import read_source

from ...cli.test_cli import Said, course, run  # noqa: F401  the fixtures of commands
from ...conftest import REPOSITORY
from ..report.test_report import Outline

COURSE = Course(REPOSITORY)


def kinds(notebook: NotebookNode) -> list[str]:
    return [cell.metadata.slideshow.slide_type for cell in notebook.cells]


def text_of(notebook: NotebookNode) -> str:
    return "\n".join(cell.source for cell in notebook.cells)


def guessed(lesson: Lesson) -> dict[str, tuple[str, None]]:
    """Answers of predictions that nobody has run."""
    return {question.cell.cell.id: ("it is 42", None) for question in questions_of(lesson)}


@cache
def lesson_and_slides(unit: str) -> tuple[Lesson, NotebookNode]:
    lesson = Lesson.of(COURSE.assignment(unit))
    return lesson, slides(lesson, guessed(lesson))


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two units of the course, as the command writes them."""
    out = tmp_path_factory.mktemp("taught") / "teaching"
    said: list[str] = []
    publish(COURSE, ["03_reverse_mode", "00_start_here"], out, said.append)
    assert [line[0] for line in said] == ["…", "✓", "✓", "✓"] * 2
    return out


# -- Slides of real units --------------------------------------------------------------------------------------------


def test_slides_of_a_unit_go_from_its_picture_to_its_last_question(taught: Path) -> None:
    notebook = nbformat.read(taught / "03_reverse_mode.slides.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert kinds(notebook)[0] == "skip" and kinds(notebook)[1] == "slide"
    assert set(kinds(notebook)) == {"skip", "slide", "notes", "fragment"}
    heads = [
        cell.source.splitlines()[0]
        for cell in notebook.cells
        if cell.metadata.slideshow.slide_type == "slide"
    ]
    heads = [head for head in heads if head.startswith("#")]
    assert heads[0] == "# Reverse mode: one pass back through the graph"
    assert heads[1] == "## What you will be able to do"
    assert heads[-1] == "## In your own words" and heads[-2] == "## 9. Bug hunt"
    text = text_of(notebook)
    assert (
        "**Time:** 140 minutes (110 without sections 8, 9)." in text
        and "then open ours" not in text
        and "<details>" not in text
    )
    pictures = [name for cell in notebook.cells for name in cell.get("attachments", {})]
    assert len(pictures) >= 2
    for cell in notebook.cells:
        assert set(cell.get("attachments", {})) == set(re.findall(r"\(attachment:([\w.-]+)\)", cell.source))


def test_a_prediction_s_answer_is_a_fragment_and_its_reason_a_note(taught: Path) -> None:
    notebook = nbformat.read(taught / "03_reverse_mode.slides.ipynb", as_version=4)
    places = [i for i, kind in enumerate(kinds(notebook)) if kind == "fragment"]
    assert len(places) == 2
    first, second = places
    assert "**Predict.** q = z · s has the gradient 1." in notebook.cells[first - 1].source
    assert notebook.cells[first].source == "```text\nV, nudged: (5.0, 4.0, 4.0)\n```"
    note = notebook.cells[first + 1].source
    assert note.startswith("z gets 5 and s gets 4")
    assert (
        "What a class may say, and an answer:" in note
        and "\n- 4, 5, anything: Exchanged: when z rises" in note
    )
    assert "V = 26.0  gradients: (7.0, 6.0, 5.0)" in notebook.cells[second].source
    assert "your prediction" not in text_of(notebook)


def test_the_html_has_as_many_slides_as_the_notebook(taught: Path) -> None:
    for unit in ("03_reverse_mode", "00_start_here"):
        notebook = nbformat.read(taught / f"{unit}.slides.ipynb", as_version=4)
        html = (taught / f"{unit}.slides.html").read_text(encoding="utf-8")
        assert html.count("<section><section>") == kinds(notebook).count("slide")
        assert html.count('<aside class="notes">') == kinds(notebook).count("notes")
        assert html.count('class="fragment"') == kinds(notebook).count("fragment")
        assert html.count('src="data:image/png;base64,') == sum(
            len(c.get("attachments", {})) for c in notebook.cells
        )
        assert "attachment:" not in html
        assert html.count("<math ") == len(re.findall(r"\$\$.+?\$\$", text_of(notebook), re.DOTALL)) >= 1


def test_a_unit_without_a_bug_hunt_and_with_one_prediction_has_slides(taught: Path) -> None:
    notebook = nbformat.read(taught / "00_start_here.slides.ipynb", as_version=4)
    assert kinds(notebook).count("fragment") == 1
    text = text_of(notebook)
    assert "Bug hunt" not in text and "the bug hunt" not in text and "Ask the class" not in text
    assert "made by lambda:     [30, 30, 30]" in text and "Put your" not in text


def test_the_notes_name_only_what_is_on_the_slides(tmp_path: Path) -> None:
    """The frame of a unit has no picture, no goals, no prediction, no bug hunt and no last question."""
    frames.new_course(tmp_path / "own")
    source = tmp_path / "own" / "solutions" / frames.FIRST / "a_first_unit.py"
    product = Product(source.with_suffix(".ipynb"), read_source(source))
    product.path.write_text(product.text, encoding="utf-8")
    made = slides(Lesson.of(Course(tmp_path / "own").assignment(frames.FIRST)), {})
    notes = [cell.source for cell in made.cells if cell.metadata.slideshow.slide_type == "notes"]
    assert notes == ["Of about 15 minutes: 3 for the example."]
    whole = lesson_and_slides("03_reverse_mode")[1]
    assert [cell.source for cell in whole.cells if "Of about 15 minutes" in cell.source] == [
        "Let everybody write a prediction down before you show the answer. Of about 15 minutes: 3 for the picture and "
        "the goals, 3 for the example, 4 for the predictions, 4 for the bug hunt, 1 for the last question."
    ]


@pytest.mark.parametrize("unit", COURSE.units())
def test_every_unit_has_an_example_and_short_slides(unit: str) -> None:
    lesson, notebook = lesson_and_slides(unit)
    assert example_of(lesson) is not None
    assert questions_of(lesson) and last_question(lesson) is not None
    assert (hunt_of(lesson) is None) == (unit == "00_start_here")
    assert 6 <= kinds(notebook).count("slide") <= 20
    assert kinds(notebook).count("fragment") == min(2, len(questions_of(lesson)))
    for cell in notebook.cells:
        for code in re.findall(r"^```\w*\n(.*?)\n```$", cell.source, re.DOTALL | re.MULTILINE):
            assert len(code.splitlines()) <= LINES + SPARE, code


@pytest.mark.parametrize("unit", COURSE.units())
def test_no_slide_holds_a_solution_or_a_hidden_test(unit: str) -> None:
    assignment = COURSE.assignment(unit)
    _, notebook = lesson_and_slides(unit)
    text = nbformat.writes(notebook)
    for mark in (
        "BEGIN SOLUTION",
        "END SOLUTION",
        "BEGIN HIDDEN",
        "END HIDDEN",
        "NotImplementedError",
        "mistakes",
    ):
        assert mark not in text, mark
    text = text_of(notebook)
    given = "\n".join(cell.source for cell in assignment.released if cell.kind != ANSWER)
    for exercise in assignment.exercises:
        for begin, end, where in (
            ("SOLUTION", "SOLUTION", exercise.solution),
            ("HIDDEN TESTS", "HIDDEN TESTS", exercise.check),
        ):
            for part in re.findall(rf"### BEGIN {begin}\n(.*?)### END {end}", where, re.DOTALL):
                # What a line has in common with what every student is given is no secret.
                lines = {line.strip() for line in part.splitlines() if len(line.strip()) > 12}
                told = [line for line in lines if line in text and line not in given]
                assert not told, (exercise.name, told)


# -- The page --------------------------------------------------------------------------------------------------------


def test_the_page_shares_the_unit_s_minutes_out_and_quotes_the_bank(taught: Path) -> None:
    html = (taught / "03_reverse_mode.teaching.html").read_text(encoding="utf-8")
    outline = Outline(html)
    told = " ".join(outline.text.split())
    assert "of the unit's 140 minutes" in told and "are for reading its" in told
    assert "mistakes that the unit's bank knows" in told
    assignment = COURSE.assignment("03_reverse_mode")
    found = minutes_of(Lesson.of(assignment))
    assert found.reading + sum(found.exercises.values()) == found.whole == 140
    assert list(found.exercises) == [exercise.name for exercise in assignment.exercises]
    assert (sorted(found.waiting), found.short) == ([8, 9], 110)
    assert "what sections 8 and 9 hold: without, it takes about 110 minutes." in told
    assert told.count("can wait") == 2  # `Scalar` and the bug hunt
    entries = bank.load_bank(assignment)
    for exercise in assignment.exercises:
        sentences = [e.sentence for e in entries if e.exercise == exercise.name and not e.right]
        assert sentences[0] in outline.text
    items = [name for name, _ in outline.seen].count("li")
    assert len(assignment.exercises) < items <= 8 * len(assignment.exercises)
    assert "http://" not in html and "https://" not in html
    assert {name for name, _ in outline.seen}.isdisjoint({"script", "link", "img"})


def test_a_unit_of_practice_has_minutes_too(taught: Path) -> None:
    found = minutes_of(Lesson.of(COURSE.assignment("00_start_here")))
    assert found.whole == 25 == found.reading + sum(found.exercises.values())
    assert "evenly" in (taught / "00_start_here.teaching.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def graded(mini_course: Course, sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A small class, graded: two with one mistake, one with another."""
    root = tmp_path_factory.mktemp("teaching") / "course"
    shutil.copytree(mini_course.root, root)
    unit = Course(root).assignment("mini")
    wrong = "def mul_vjp(g, a, b):\n    return b, a\n"
    submissions = {
        "ada": unit.solved(),
        "bob": unit.solved({"mul_vjp": wrong}),
        "cy": unit.solved({"mul_vjp": wrong}),
        "dee": unit.solved({"mul_vjp": "def mul_vjp(g, a, b):\n    return g * a, g * b\n"}),
    }
    for student, notebook in submissions.items():
        (root / "submitted" / student / "mini").mkdir(parents=True)
        (root / "submitted" / student / "mini" / "mini.ipynb").write_text(nbformat.writes(notebook))
    grade_class(Classroom(Course(root)), unit, sorted(submissions), sandbox=sandbox, jobs=1)
    return Course(root)


def test_a_graded_class_s_mistakes_are_counted_the_most_frequent_first(graded: Course) -> None:
    texts = publish_module.texts_of(graded, graded.assignment("mini"))
    html = texts["mini.teaching.html"]
    rows = [re.sub(r"<[^>]+>", " ", row).split() for row in re.findall(r"<tr>.*?</tr>", html)]
    counted = [row[:2] for row in rows if row[0] in ("no_upstream", "own_input")]
    assert counted == [["no_upstream", "2"], ["own_input", "1"]]
    told = " ".join(Outline(html).text.split())
    assert "Counted in 4 graded submissions" in told and "No mistake was recognised." in told
    assert "The unit does not say how many minutes it takes." in told
    for name in ("ada", "bob", "cy", "dee"):
        assert name not in told.split(), "a page for class names no student"


# -- The command -----------------------------------------------------------------------------------------------------


def test_the_command_writes_three_files_into_a_folder_of_the_course(
    run: Callable[..., Said],
    course: Course,
) -> None:
    said = run("teach", "mini", cwd=course.root)
    assert (said.code, said.err) == (0, "")
    folder = course.root / "teaching"
    assert sorted(path.name for path in folder.iterdir()) == sorted(names_of("mini"))
    notebook = nbformat.read(folder / "mini.slides.ipynb", as_version=4)
    assert "A small unit for the tests" in text_of(notebook) and "shown = [n * n" in text_of(notebook)
    assert "fragment" not in kinds(notebook)
    again = run("teach", "mini", cwd=course.root)
    assert again.code == 0 and "edited" not in again.out
    assert "/teaching/" in (REPOSITORY / ".gitignore").read_text().splitlines()


@pytest.mark.parametrize("name", names_of("mini"))
def test_a_file_of_somebody_else_stays_as_it_is(
    run: Callable[..., Said],
    course: Course,
    name: str,
) -> None:
    path = course.root / "mine" / name
    path.parent.mkdir()
    path.write_text('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    before = path.read_bytes()
    said = run("teach", "mini", "--out", path.parent, cwd=course.root)
    assert said.code == 2 and said.out == "" and len(said.err.splitlines()) == 1
    assert f"{name} is there already" in said.err and "--out" in said.err
    assert path.read_bytes() == before and [one.name for one in path.parent.iterdir()] == [name]


def test_slides_that_were_edited_are_kept(run: Callable[..., Said], course: Course) -> None:
    run("teach", "mini", cwd=course.root)
    path = course.root / "teaching" / "mini.slides.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].source += "\n\nMy own words."
    nbformat.write(notebook, path)
    said = run("teach", "mini", cwd=course.root)
    assert said.code == 0 and "was edited, and is kept as mini.edited-1.slides.ipynb" in said.out
    assert "My own words." in path.with_name("mini.edited-1.slides.ipynb").read_text()
    assert "My own words." not in path.read_text()


def test_a_file_in_the_place_of_the_folder_and_an_unknown_unit_are_one_sentence(
    run: Callable[..., Said],
    course: Course,
) -> None:
    (course.root / "notes.txt").write_text("mine")
    said = run("teach", "mini", "--out", "notes.txt", cwd=course.root)
    assert said.code == 2 and "cannot be written" in said.err and len(said.err.splitlines()) == 1
    assert (course.root / "notes.txt").read_text() == "mine"
    said = run("teach", "minor", cwd=course.root)
    assert said.code == 2 and "There is no unit 'minor'" in said.err and len(said.err.splitlines()) == 1


def test_what_is_handed_out_holds_nothing_of_it(run: Callable[..., Said], course: Course) -> None:
    before = bundle(course, ["mini"])
    run("teach", "mini", cwd=course.root)
    assert bundle(course, ["mini"]) == before


# -- The header ------------------------------------------------------------------------------------------------------


def with_header(course: Course, line: str) -> Assignment:
    """The unit `mini`, built with one more line in its header."""
    source = course.root / "solutions" / "mini" / "mini.py"
    text = source.read_text(encoding="utf-8").replace(
        "#     unit: mini\n", f"#     unit: mini\n#     {line}\n", 1
    )
    source.write_text(text, encoding="utf-8")
    product = Product(source.with_suffix(".ipynb"), read_source(source))
    product.path.write_text(product.text, encoding="utf-8")
    return course.assignment("mini")


def test_a_header_names_the_example_and_known_minutes(course: Course) -> None:
    lesson = Lesson.of(with_header(course, "minutes: {unbox: 7}"))
    assert minutes_of(lesson).exercises == {"unbox": 7}
    html = page(lesson, minutes_of(lesson), [], [])
    assert "The minutes of unbox are the header&#x27;s." in html and "it has no bank of mistakes" in html
    lesson = Lesson.of(with_header(course, "slides: {example: box}"))
    found = example_of(lesson)
    assert found and found.cell and found.cell.cell.name == "box"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("slides: {sample: box}", "should be the cell that slides show as the example"),
        ("slides: box", "should be the cell that slides show as the example"),
        ("slides: {example: nobody}", "no cell has that id"),
        ("slides: {example: unbox}", "no example"),
        ("minutes: 7", "should be minutes of exercises"),
        ("minutes: {unbox: -1}", "should be minutes of exercises"),
        ("minutes: {inbox: 1}", "gives minutes for 'inbox', and no exercise has that name"),
    ],
)
def test_a_header_that_names_nothing_is_refused(course: Course, line: str, told: str) -> None:
    with pytest.raises(UserError, match=re.escape(told)):
        publish_module.texts_of(course, with_header(course, line))


def test_a_unit_that_does_not_run_is_told_in_a_sentence(course: Course) -> None:
    source = course.root / "solutions" / "mini" / "mini.py"
    text = (
        source.read_text(encoding="utf-8")
        .replace(
            "# %%\nshown",
            "# %% [markdown]\n# **Predict, then run.** What?\n\n# %%\nprediction = None\n"
            'if predicted(prediction, "what"):\n    print(1 / 0)\n\n# %%\nshown',
            1,
        )
        .replace("positive, probe", "positive, predicted, probe")
    )
    source.write_text(text, encoding="utf-8")
    product = Product(source.with_suffix(".ipynb"), read_source(source))
    product.path.write_text(product.text, encoding="utf-8")
    lesson = Lesson.of(course.assignment("mini"))
    (question,) = questions_of(lesson)
    with pytest.raises(UserError, match="a cell of the solution fails"):
        answers_of(lesson, {question.cell.cell.id})
    assert json.dumps(answers_of(lesson, set())) == "{}"


def test_an_answer_that_is_too_long_for_a_slide_is_not_chosen() -> None:
    assert fits("1\n2") and not fits("") and not fits("\n".join("0123456789abc")) and not fits("x" * 91)
    lesson, _ = lesson_and_slides("03_reverse_mode")
    answers = guessed(lesson)
    first = chosen_questions(lesson, answers)[0].cell.cell.id
    answers[first] = "\n".join("0123456789abc"), None
    assert first not in [question.cell.cell.id for question in chosen_questions(lesson, answers)]
