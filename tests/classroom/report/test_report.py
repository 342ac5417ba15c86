"""The report of a class: what it says is right, what students wrote cannot become markup, and it needs nothing else."""

from __future__ import annotations

import csv
import os
import re
import shutil
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest

from autograder.classroom.classroom import Classroom
from autograder.classroom.records import Kept, Record, Records, facts, read_records
from autograder.classroom.report.charts import COLOURS, ticks
from autograder.classroom.report.findings import findings, mistakes_of, table
from autograder.classroom.report.page import page
from autograder.classroom.report.similar import near_identical, runs, tokens
from autograder.classroom.run import grade_class
from autograder.referee import bank
from autograder.referee.report import Outcome, Report
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment, Course

from ...cli.test_cli import Said, course, run  # noqa: F401  the fixtures of commands
from ...lab import ARGUMENTS, chromium

HOSTILE = "<script>alert(1)</script>\x1b[2J\u202e'\"&=cmd|' /C calc'!A0"
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Outline(HTMLParser):
    """The elements of a page; fails on what is not well formed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def record(assignment: Assignment, student: str, *kept: Kept, seconds: float = 0.1, **more: object) -> Record:
    """A record whose exercises are right but for those given."""
    by_name = {k.name: k for k in kept}
    exercises = [
        by_name.get(e.name, Kept(e.name, e.points, e.points, "passed")) for e in assignment.exercises
    ]
    score = sum(k.points for k in exercises)
    return Record(student, score, assignment.max_score, exercises, seconds, **more)  # type: ignore[arg-type]


def failed(
    name: str, status: str = "failed", mistake: str = "", diagnosis: str = "", doubtful: bool = False
) -> Kept:
    return Kept(name, 0, {"mul_vjp": 2, "unbox": 3}[name], status, mistake, diagnosis, doubtful)


@pytest.fixture
def klass(mini: Assignment) -> Records:
    """A class in which much happened."""
    sentence = "You returned the local derivatives, but did not multiply them by g."
    hostile = record(
        mini,
        HOSTILE,
        failed("unbox", "failed", HOSTILE, HOSTILE),
        notes=[HOSTILE, "Tags of cells are ignored: 'x'."],
    )
    return Records(
        [
            record(mini, "ada"),
            record(mini, "bob", failed("mul_vjp", mistake="no_upstream", diagnosis=sentence)),
            record(mini, "cy", failed("mul_vjp", mistake="no_upstream"), failed("unbox", "missing")),
            record(mini, "dee", failed("unbox", "timeout", "endless"), seconds=33.0),
            record(mini, "eve", failed("mul_vjp", "missing"), failed("unbox", "missing")),
            record(mini, "fay", failed("unbox", "error", doubtful=True)),
            hostile,
        ],
        old=["gus"],
        waiting=[f"{HOSTILE}2"],
    )


def test_the_page_says_what_became_of_each_exercise(mini: Assignment, klass: Records) -> None:
    html = page(findings(mini, bank.load_bank(mini), klass))
    rows = [re.sub(r"<[^>]+>", " ", row).split() for row in re.findall(r"<tr>.*?</tr>", html)]
    assert ["mul_vjp", "2", "4", "2", "0", "0", "1", "57%"] in rows
    assert ["unbox", "3", "2", "1", "1", "1", "2", "29%"] in rows
    told = " ".join(Outline(html).text.split())
    assert "mul_vjpno_upstream2" in told.replace(" ", "")
    assert "You returned the local derivatives, but did not multiply them by g." in told
    assert "Time ran out: unbox." in told
    assert "Needs manual grading: unbox." in told
    assert "Tags of cells are ignored: 'x'." in told
    assert "autograder grade mini --force" in told and "gus" in told
    assert re.search(r"dee\s*33\.00 s", told)


def test_nothing_of_students_becomes_markup_and_nothing_is_asked_of_the_network(
    mini: Assignment, klass: Records
) -> None:
    html = page(findings(mini, [], klass))
    outline = Outline(html)
    elements = {name for name, _ in outline.seen}
    assert not elements & {"script", "img", "link", "iframe", "object", "a", "base", "form"}
    assert not [
        key for _, attributes in outline.seen for key in attributes if key.startswith(("on", "href", "src"))
    ]
    assert "<script>alert(1)</script>" in outline.text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", html)
    assert (
        "http://" not in html and "https://" not in html and "url(http" not in html and "@import" not in html
    )
    assert "default-src 'none'" in html.replace("&#x27;", "'")


def test_the_page_can_be_read_without_seeing_colours_and_can_be_printed(
    mini: Assignment, klass: Records
) -> None:
    html = page(findings(mini, [], klass))
    outline = Outline(html)
    drawings = [attributes for name, attributes in outline.seen if attributes.get("role") == "img"]
    ids = {attributes["id"] for _, attributes in outline.seen if "id" in attributes}
    assert len(drawings) == 2
    for drawing in drawings:
        assert set((drawing["aria-labelledby"] or "").split()) <= ids
    assert {f"paint-{status}" for status in COLOURS} <= ids
    assert [name for name, _ in outline.seen].count("desc") == 2
    assert ("html", {"lang": "en"}) in outline.seen
    assert "@media print" in html
    heads = [attributes for name, attributes in outline.seen if name == "th"]
    assert heads and all(attributes.get("scope") in ("row", "col") for attributes in heads)
    assert [name for name, _ in outline.seen].count("table") == [n for n, _ in outline.seen].count("caption")


CARDS = """() => [...document.querySelectorAll('.figures div')].map(card => {
  const edges = card.getBoundingClientRect();
  const words = [...card.children].map(e => {
    const range = document.createRange(); range.selectNodeContents(e); return range.getBoundingClientRect();
  });
  return [card.innerText, words.every(w => w.left >= edges.left && w.right <= edges.right && w.bottom <= edges.bottom),
          edges.right <= document.documentElement.clientWidth];
})"""


def test_the_cards_hold_their_text_on_every_width_and_on_paper(mini: Assignment, tmp_path: Path) -> None:
    if not chromium():
        assert not os.environ.get("CI"), "CI needs Chromium"
        pytest.skip("Chromium is not installed")
    from playwright.sync_api import sync_playwright

    halves = [record(mini, f"student {i}", *[failed("mul_vjp")] * (i % 2)) for i in range(10_000)]
    html = tmp_path / "page.html"
    html.write_text(page(findings(mini, [], Records(halves))), encoding="utf-8")
    assert "5000 of 10000" in html.read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        shown = browser.new_page()
        shown.goto(html.as_uri())
        for width in (320, 400, 520, 700, 800, 1000, 1280):
            shown.set_viewport_size({"width": width, "height": 900})
            for text, inside, on_the_page in shown.evaluate(CARDS):
                assert inside and on_the_page, f"{text!r} on {width} pixels"
        shown.emulate_media(media="print")
        shown.set_viewport_size({"width": 680, "height": 900})  # A4 between its margins
        assert all(inside and fits for _, inside, fits in shown.evaluate(CARDS))
        browser.close()


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_class_of_hardly_anybody_is_reported(number: int, mini: Assignment, klass: Records) -> None:
    html = page(findings(mini, [], Records(klass.graded[:number])))
    assert ("No submission of this unit has been graded yet." in html) == (number == 0)
    Outline(html)


def test_the_table_behind_the_page_is_quoted_and_holds_no_formula(
    mini: Assignment, klass: Records, tmp_path: Path
) -> None:
    klass.graded.append(
        record(mini, "=1+1", failed("unbox", "failed", "+2", "-3"), notes=["@SUM(A1)", 'a,b\n"c"'])
    )
    path = tmp_path / "t.csv"
    path.write_text(table(findings(mini, [], klass)), newline="", encoding="utf-8")
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8
    assert all(None not in row and None not in row.values() for row in rows)
    last = rows[-1]
    assert (last["student"], last["unbox mistake"], last["unbox points"]) == ("'=1+1", "'+2", "0")
    assert last["notes"] == '\'@SUM(A1) a,b\n"c"'
    assert not [
        cell for row in rows for cell in row.values() if re.match(r"[=+\-@\t\r]", cell) or "\x1b" in cell
    ]
    assert (rows[3]["unbox status"], rows[3]["seconds"], rows[3]["look"]) == (
        "timeout",
        "33",
        "Time ran out: unbox.",
    )


def test_mistakes_are_counted_with_the_bank_s_sentence_of_today(mini: Assignment, klass: Records) -> None:
    found = mistakes_of(klass.graded, bank.load_bank(mini))
    assert (found[0].exercise, found[0].name, found[0].students) == ("mul_vjp", "no_upstream", ("bob", "cy"))
    assert found[0].sentence == "You returned the local derivatives, but did not multiply them by g."
    general = mistakes_of([record(mini, "x", failed("unbox", diagnosis="The sign is wrong."))], [])
    assert [(m.name, m.sentence) for m in general] == [("", "The sign is wrong.")]


def test_a_note_that_most_of_the_class_has_is_told_once(mini: Assignment) -> None:
    note = "Changed locked cells are ignored, the released ones count: imports."
    graded = [record(mini, f"s{i}", notes=[note] if i else ["own"]) for i in range(6)]
    found = findings(mini, [], Records(graded))
    assert found.common_notes == [(note, 5)]
    assert found.looks == {"s0": ["own"]}


# -- Nearly the same --------------------------------------------------------------------------------------------------

TEMPLATE = "def solve(xs, n):\n    '''Solve it.'''\n    raise NotImplementedError('your answer goes here')\n"
COMMON = (
    TEMPLATE[: TEMPLATE.index("    raise")]
    + """\
    out = []
    for x in xs:
        out.append(x * n)
    return out
"""
)


def written(seed: int) -> str:
    """What one person writes: the common part, and a good deal in their own way."""
    made = [f"    k{i} = {['xs', 'n'][i % 2]}[{seed * 31 + i}] + {seed * 7 + i * i}" for i in range(12)]
    return COMMON.replace("    return out", "\n".join(made) + "\n    return out")


def test_copies_are_found_though_names_comments_and_layout_were_changed() -> None:
    submissions = {f"s{i:02}": [written(i)] for i in range(30)}
    submissions["copy"] = [
        re.sub(r"\bk(\d+)\b", r"value_\1", written(7)).replace("out", "found").replace(" = ", "=")
        + "\n# all my own work\n"
    ]
    (group,) = near_identical(submissions, [TEMPLATE])
    assert group.students == ("copy", "s07")
    assert group.alike > 0.95


def test_what_the_template_gives_and_what_many_wrote_is_nobody_s_copy() -> None:
    long = COMMON + "".join(f"    y{i} = x ** {i}\n" for i in range(30))
    assert near_identical({f"s{i}": [long] for i in range(20)}, [TEMPLATE]) == []
    assert near_identical({"a": [long], "b": [long]}, [long]) == []
    assert near_identical({"a": [COMMON], "b": [COMMON], "c": [written(1)]}, [TEMPLATE]) == []
    assert near_identical({}, []) == []


def test_a_pair_in_a_class_of_two_and_a_ring_in_a_large_class_are_found() -> None:
    (pair,) = near_identical({"a": [written(1)], "b": [written(1)]}, [TEMPLATE])
    assert pair.students == ("a", "b")
    ring = {f"r{i:02}": [written(9999)] for i in range(40)}
    (group,) = near_identical({f"s{i}": [written(i)] for i in range(300)} | ring, [TEMPLATE])
    assert group.students == tuple(sorted(ring))


def test_a_class_of_a_thousand_is_compared_in_seconds() -> None:
    submissions = {f"s{i}": [written(i % 970), COMMON] for i in range(1000)}
    began = time.process_time()
    groups = near_identical(submissions, [TEMPLATE])
    assert time.process_time() - began < 20
    assert len(groups) == 30


@pytest.mark.parametrize(
    "text", ['"\\"' * 50_000, "'''" * 30_000, '"' * 100_000, "\\\n" * 50_000, "\x00\ud800" * 9]
)
def test_code_that_is_no_code_is_read_in_one_pass(text: str) -> None:
    began = time.process_time()
    tokens(text)
    runs([text])
    assert time.process_time() - began < 2


# -- From the grading to the page -------------------------------------------------------------------------------------


def test_what_is_kept_of_a_grading_is_plain_and_small() -> None:
    report = Report("mini", 0, True, notes=["n" * 1000] * 100)
    report.outcomes = [
        Outcome("a", 1.0, 1.0, "passed", "✓"),
        Outcome("b", 0, 0, "failed", "m" * 9999, "d" * 9999 + "\x1b", "sign", doubtful=True),
    ]
    kept = facts(report, 1.23456)
    assert kept["exercises"][0] == {"name": "a", "points": 1, "max_points": 1, "status": "passed"}
    assert kept["exercises"][1]["max_points"] == 0
    assert len(kept["exercises"][1]["diagnosis"]) == 300
    assert (kept["seconds"], len(kept["notes"]), len(kept["notes"][0])) == (1.23, 20, 300)


@pytest.fixture(scope="module")
def graded(mini_course: Course, sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A small class, graded; one of its notebooks is from before the facts were kept, and one hand-in is new."""
    root = tmp_path_factory.mktemp("report") / "course"
    shutil.copytree(mini_course.root, root)
    unit = Course(root).assignment("mini")
    submissions = {
        "ada": unit.solved(),
        "bob": unit.solved({"mul_vjp": "def mul_vjp(g, a, b):\n    return b, a\n"}),
        "old": unit.solved(),
        "<b>zoe": unit.solved({"unbox": "while True:\n    pass\n"}, others="stub"),
    }
    for student, notebook in submissions.items():
        (root / "submitted" / student / "mini").mkdir(parents=True)
        (root / "submitted" / student / "mini" / "mini.ipynb").write_text(nbformat.writes(notebook))
    (root / "submitted" / "bob" / "mini" / "numpy.py").write_text("raise SystemExit")
    sandbox = Sandbox(call_seconds=1.0, hidden_paths=sandbox.hidden_paths)
    grade_class(Classroom(Course(root)), unit, sorted(submissions), sandbox=sandbox, jobs=1)
    path = root / "autograded" / "old" / "mini" / "mini.ipynb"
    notebook = nbformat.read(path, as_version=4)
    del notebook.metadata["autograder"]["exercises"]
    nbformat.write(notebook, path)
    (root / "submitted" / "new" / "mini").mkdir(parents=True)
    (root / "submitted" / "new" / "mini" / "mini.ipynb").write_text(nbformat.writes(unit.solved()))
    return Course(root)


def test_the_records_of_a_graded_class_are_read_back(graded: Course) -> None:
    unit = graded.assignment("mini")
    names = ["<b>zoe", "ada", "bob", "new", "old"]
    found = read_records(unit, [(n, graded.root / "autograded" / n / "mini" / "mini.ipynb") for n in names])
    assert (found.old, found.waiting) == (["old"], ["new"])
    zoe, ada, bob = found.graded
    assert [(k.points, k.status) for k in ada.exercises] == [(2, "passed"), (3, "passed")]
    assert (bob.exercises[0].status, bob.exercises[0].mistake) == ("failed", "no_upstream")
    assert bob.notes == ["Files beside the notebook are not used: 'numpy.py'."]
    assert zoe.exercises[1].status == "timeout"
    assert zoe.seconds > 1.0
    assert bob.answers["mul_vjp"].endswith("return b, a\n")


def test_the_command_writes_the_page_and_the_table_and_names_who_is_left_out(
    graded: Course,
    run: Callable[..., Said],  # noqa: F811
    tmp_path: Path,
) -> None:
    out, sheet = tmp_path / "new folder" / "page.html", tmp_path / "t.csv"
    said = run("report", "mini", "--out", out, "--csv", sheet, cwd=graded.root)
    assert (said.code, said.err) == (0, "")
    assert "3 submissions in" in said.out
    assert "1 left out (old), graded before these data were kept; grade again with --force" in said.out
    assert "1 left out (new), not graded yet" in said.out
    html = out.read_text(encoding="utf-8")
    assert "&lt;b&gt;zoe" in html and "<b>" not in html
    assert "Files beside the notebook are not used" in html
    with sheet.open(newline="", encoding="utf-8") as file:
        assert [row["student"] for row in csv.DictReader(file)] == ["<b>zoe", "ada", "bob"]
    nothing = run("report", "mini", "--out", tmp_path, cwd=graded.root)
    assert (nothing.code, nothing.out) == (2, "")
    assert "it is no file" in nothing.err


def test_a_unit_that_nobody_handed_in_is_one_sentence(
    course: Course,  # noqa: F811
    run: Callable[..., Said],  # noqa: F811
) -> None:
    said = run("report", "mini", cwd=course.root)
    assert (said.code, said.out) == (2, "")
    assert "autograder grade mini" in said.err


@pytest.mark.parametrize("top", [0, 1, 2, 3, 7, 26, 99, 100, 1000, 12345])
def test_an_axis_has_a_few_round_ticks_from_zero(top: int) -> None:
    found = ticks(top)
    assert found[0] == 0 and found[-1] <= top and len(found) <= 7
    assert len(found) > 1 or top == 0
