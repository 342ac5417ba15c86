"""Honest work survives what editors, mail programs and students do to a notebook file."""

from __future__ import annotations

import copy
import gzip
import io
import json
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.errors import UserError
from autograder.lesson.wire import MAX_PARTS
from autograder.referee.autograded import autograded
from autograder.referee.judge import grade
from autograder.referee.report import Report
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment
from autograder.unit.folder import RENAMED, pick_file, side_files
from autograder.unit.ingest import (
    MAX_ADDED_CELLS,
    MAX_SOURCE_CHARS,
    Submission,
    read_submission,
    submission_of,
    take,
    worked_on,
)
from autograder.unit.notebook import Node, write_text
from autograder.unit.raw import MAX_FILE_BYTES, parse, read_bytes, unit_of

RIGHT = {
    "mul_vjp": "def mul_vjp(g, a, b):\n    return g * b, g * a\n",
    "unbox": "def unbox(boxes):\n    return sum(math.log(b.value) for b in boxes)\n",
}
Notebook = dict[str, Any]


@pytest.fixture
def solved(mini: Assignment) -> Notebook:
    """A right submission, as JSON."""
    return json.loads(nbformat.writes(mini.solved(RIGHT, others="stub")))


def answers(data: bytes, mini: Assignment) -> dict[str, str]:
    return {name: text.strip() for name, text in take(parse(data), mini).answers.items()}


EXPECTED = {name: text.strip() for name, text in RIGHT.items()}


def cell(notebook: Notebook, name: str) -> Notebook:
    return next(c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == name)


ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "UTF-8": lambda text: text.encode(),
    "UTF-8 with a byte-order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16, the other byte order": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "UTF-16 without a mark": lambda text: text.encode("utf-16-le"),
    "UTF-32": lambda text: text.encode("utf-32"),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "spaces around": lambda text: b"\n\n  " + text.encode() + b"\r\n\r\n",
    "one byte that is no UTF-8": lambda text: text.encode().replace(b"A small unit", b"A sm\xe4ll unit"),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_answers_are_read_in_every_encoding(name: str, solved: Notebook, mini: Assignment) -> None:
    assert answers(ENCODINGS[name](json.dumps(solved, indent=1)), mini) == EXPECTED


def no_ids(notebook: Notebook) -> None:
    notebook["nbformat_minor"] = 4
    for c in notebook["cells"]:
        del c["id"]


def no_metadata(notebook: Notebook) -> None:
    notebook["metadata"] = {}
    for c in notebook["cells"]:
        c["metadata"] = {}


def broken_metadata(notebook: Notebook) -> None:
    notebook["metadata"] = [1]
    for c in notebook["cells"]:
        c["metadata"] = ["nbgrader"]


def nbgrader_metadata_of_the_wrong_form(notebook: Notebook) -> None:
    for c in notebook["cells"]:
        c["metadata"]["nbgrader"] = {"grade_id": ["unbox"]}


def old_format(notebook: Notebook) -> None:
    for c in notebook["cells"]:
        if c["cell_type"] == "code":
            c["input"] = c.pop("source")
            c["prompt_number"] = c.pop("execution_count")
            c["language"] = "python"
    notebook["worksheets"] = [{"cells": notebook.pop("cells"), "metadata": {}}, "no worksheet"]
    notebook["nbformat"], notebook["nbformat_minor"] = 3, 0


def future_format(notebook: Notebook) -> None:
    notebook["nbformat"], notebook["nbformat_minor"] = 99, 99


def reversed_order(notebook: Notebook) -> None:
    notebook["cells"].reverse()


def all_raw(notebook: Notebook) -> None:
    for c in notebook["cells"]:
        c["cell_type"] = "raw"


def all_markdown(notebook: Notebook) -> None:
    for c in notebook["cells"]:
        c["cell_type"] = "markdown"


def no_cell_type(notebook: Notebook) -> None:
    for c in notebook["cells"]:
        del c["cell_type"]


def sources_as_lists(notebook: Notebook) -> None:
    for c in notebook["cells"]:
        text = "".join(c["source"])
        c["source"] = [*text.splitlines(keepends=True), None, 7]


def sources_as_texts(notebook: Notebook) -> None:
    for c in notebook["cells"]:
        c["source"] = "".join(c["source"])


def windows_lines(notebook: Notebook) -> None:
    for c in notebook["cells"]:
        c["source"] = "".join(c["source"]).replace("\n", "\r\n")


def strange_cells(notebook: Notebook) -> None:
    notebook["cells"][2:2] = [
        None,
        7,
        "text",
        [],
        [{"source": "x"}],
        {},
        {"source": None},
        {"source": {"a": 1}},
    ]


def everything_else_deleted(notebook: Notebook) -> None:
    notebook["cells"] = [cell(notebook, "mul_vjp"), cell(notebook, "unbox")]


def stub_copied_behind(notebook: Notebook) -> None:
    for name in RIGHT:
        notebook["cells"].append(dict(copy.deepcopy(cell(notebook, name)), id=f"{name}-2", source=""))


def stub_copied_before(notebook: Notebook) -> None:
    for name in RIGHT:
        notebook["cells"].insert(0, dict(copy.deepcopy(cell(notebook, name)), id=f"{name}-2", source=" \n"))


def check_cells_copied(notebook: Notebook) -> None:
    notebook["cells"] += [copy.deepcopy(cell(notebook, "unbox_check")) for _ in range(5)]


def huge_outputs(notebook: Notebook) -> None:
    cell(notebook, "unbox")["outputs"] = [
        {"output_type": "stream", "name": "stdout", "text": "x" * 10_000_000},
    ]


def broken_outputs(notebook: Notebook) -> None:
    cell(notebook, "unbox")["outputs"] = {"not": ["a", "list"]}
    cell(notebook, "unbox")["execution_count"] = "many"


def same_ids(notebook: Notebook) -> None:
    for c in notebook["cells"]:
        c["id"] = "same"


DAMAGES = [
    no_ids,
    no_metadata,
    broken_metadata,
    nbgrader_metadata_of_the_wrong_form,
    old_format,
    future_format,
    reversed_order,
    all_raw,
    all_markdown,
    no_cell_type,
    sources_as_lists,
    sources_as_texts,
    windows_lines,
    strange_cells,
    everything_else_deleted,
    stub_copied_behind,
    stub_copied_before,
    check_cells_copied,
    huge_outputs,
    broken_outputs,
    same_ids,
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_answers_are_found_whatever_happened_to_the_cells_around_them(
    damage: Callable[[Notebook], None], solved: Notebook, mini: Assignment
) -> None:
    damage(solved)
    assert answers(json.dumps(solved).encode(), mini) == EXPECTED


def test_an_answer_whose_id_and_metadata_are_both_lost_still_earns_its_points(
    solved: Notebook, mini: Assignment, sandbox: Sandbox
) -> None:
    lost = cell(solved, "unbox")
    lost["id"], lost["metadata"] = "pasted", {}
    submission = take(solved, mini)
    assert "unbox" not in submission.answers
    assert grade(mini, submission, sandbox, seed=1).score == 5


def test_renamed_grade_ids_do_not_lose_the_answers(solved: Notebook, mini: Assignment) -> None:
    for name in RIGHT:
        cell(solved, name)["metadata"]["nbgrader"]["grade_id"] = f"my_{name}"
    assert answers(json.dumps(solved).encode(), mini) == EXPECTED


def test_of_two_copies_the_last_that_was_written_counts_and_a_note_says_so(
    solved: Notebook, mini: Assignment
) -> None:
    solved["cells"].insert(0, dict(copy.deepcopy(cell(solved, "unbox")), source="def unbox(boxes): pass"))
    submission = take(solved, mini)
    assert submission.answers["unbox"].strip() == EXPECTED["unbox"]
    assert any("unbox is there 2 times" in note for note in submission.notes)


def test_an_answer_cell_that_was_split_in_two_earns_its_points(
    solved: Notebook, mini: Assignment, sandbox: Sandbox
) -> None:
    answer = cell(solved, "unbox")
    first = dict(copy.deepcopy(answer), id="first-half", source=HELPER["source"])
    answer["source"] = USES_HELPER
    solved["cells"].insert(solved["cells"].index(answer), first)
    assert grade(mini, take(solved, mini), sandbox, seed=1).score == 5


HELPER = {
    "cell_type": "code",
    "metadata": {},
    "source": "def total(xs):\n    return sum(xs, 0.0)\n",
    "outputs": [],
}
USES_HELPER = "def unbox(boxes):\n    return total([math.log(b.value) for b in boxes])\n"


@pytest.mark.parametrize("place", ["at the top", "just before", "just behind", "at the end of a moved pair"])
def test_code_that_an_answer_depends_on_is_run_where_the_student_put_it(
    place: str, solved: Notebook, mini: Assignment, sandbox: Sandbox
) -> None:
    answer = cell(solved, "unbox")
    answer["source"] = USES_HELPER
    at = solved["cells"].index(answer)
    where = {"at the top": 0, "just before": at, "just behind": at + 1}
    if place in where:
        solved["cells"].insert(where[place], HELPER)
    else:
        solved["cells"].remove(answer)
        solved["cells"][:0] = [answer, HELPER]
    assert grade(mini, take(solved, mini), sandbox, seed=1).score == 5


def test_an_added_cell_that_fails_costs_nothing(solved: Notebook, mini: Assignment, sandbox: Sandbox) -> None:
    for i, code in enumerate(
        ("1 / 0", "def broken(:", "%matplotlib inline", "!ls", "import not_there", "exit()")
    ):
        solved["cells"].insert(2 * i, {"cell_type": "code", "metadata": {}, "source": code})
    assert grade(mini, take(solved, mini), sandbox, seed=1).score == 5


def test_added_markdown_is_kept_as_text_and_nothing_in_it_can_run(solved: Notebook, mini: Assignment) -> None:
    script = "<script>alert(1)</script>\n````\n[x](javascript:alert(1)) <img src=x onerror=alert(1)>"
    solved["cells"].insert(1, {"cell_type": "markdown", "metadata": {}, "source": script})
    submission = take(solved, mini)
    assert [c.source for c in submission.added] == [script]
    report = Report("mini", 0, True)
    for e in mini.exercises:
        from autograder.referee.report import Outcome

        report.outcomes.append(Outcome(e.name, 0, e.points, "missing", "✗"))
    shown = next(c for c in autograded(mini, submission, report).cells if c.id == "added-1")
    assert shown.source == f"`````\n{script}\n`````"


BROKEN = {
    "nothing": (b"", "is empty"),
    "white space": (b" \n\t ", "is empty"),
    "a cut-off notebook": (b'{"cells": [{"source": "de', "not JSON, or it was cut off"),
    "a Word document": (b"PK\x03\x04" + bytes(range(256)), "an archive that is damaged"),
    "deep nesting": (b"[" * 200_000, "not JSON"),
    "deep nesting in a cell": (b'{"cells": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "not JSON"),
    "a number of a million digits": (b'{"cells": [], "x": ' + b"9" * 1_000_000 + b"}", "not JSON"),
    "a list": (b"[]", "no list of cells"),
    "a text": (b'"cells"', "no list of cells"),
    "null": (b"null", "no list of cells"),
    "cells that are no list": (b'{"cells": {"a": 1}}', "no list of cells"),
    "worksheets that are no list": (b'{"worksheets": 7}', "no list of cells"),
    "NUL bytes": (b"\x00" * 100, "not JSON"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_is_no_notebook_is_refused_with_a_sentence(
    name: str, mini: Assignment, tmp_path: Path
) -> None:
    data, reason = BROKEN[name]
    path = tmp_path / "mini.ipynb"
    path.write_bytes(data)
    submission = read_submission(path, mini)
    assert reason in submission.problem
    assert "mini.ipynb" in submission.problem
    assert "\n" not in submission.problem
    assert submission.answers == {}


def test_cells_without_any_answer_are_a_note_and_not_a_silent_zero(mini: Assignment) -> None:
    submission = take({"cells": [{"cell_type": "code", "source": "1"}]}, mini)
    assert submission.notes == ["No answer cell of mini was found in the file."]


def test_worksheets_with_cells_of_no_form_are_no_cells(mini: Assignment) -> None:
    assert take({"worksheets": [{"cells": None}, {"cells": [None, 3]}, {"cells": 7}, None]}, mini).added == []


def test_a_file_over_the_size_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mini.ipynb"
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(UserError, match="clear its outputs"):
        read_bytes(path)
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES)
    assert len(read_bytes(path)) == MAX_FILE_BYTES


def test_cells_beyond_the_limits_are_left_out_with_a_note(solved: Notebook, mini: Assignment) -> None:
    many = [{"cell_type": "code", "source": f"x = {i}"} for i in range(MAX_ADDED_CELLS + 50)]
    solved["cells"] += [*many, {"cell_type": "code", "source": "#" * (MAX_SOURCE_CHARS + 1)}]
    submission = take(solved, mini)
    assert len(submission.added) == MAX_ADDED_CELLS
    assert {name: text.strip() for name, text in submission.answers.items()} == EXPECTED
    assert len(submission.notes) == 2


def test_an_answer_cell_that_is_copied_very_often_is_run_no_more_than_any_others(
    solved: Notebook, mini: Assignment
) -> None:
    copies = [dict(cell(solved, "unbox"), source=f"x = {i}") for i in range(5000)]
    solved["cells"] += copies
    submission = take(solved, mini)
    assert len(submission.added) == MAX_ADDED_CELLS
    assert submission.answers["unbox"] == "x = 4999"
    assert len(submission.notes) == 2


def test_a_file_of_very_many_parts_is_refused_before_they_take_memory(mini: Assignment) -> None:
    tracemalloc.start()
    with pytest.raises(UserError, match="clear its outputs"):
        parse(b'{"cells": [' + b"{}," * MAX_PARTS + b"{}]}")
    assert tracemalloc.get_traced_memory()[1] < 30 << 20
    tracemalloc.stop()


def test_of_many_files_beside_the_graded_one_a_few_are_named(tmp_path: Path) -> None:
    for i in range(2000):
        (tmp_path / f"mini-{i}\x1b[2J.ipynb").touch()
    (tmp_path / "mini.ipynb").touch()
    path, note = pick_file(tmp_path, "mini")
    assert path == tmp_path / "mini.ipynb"
    assert "and 1995 more" in note
    assert len(note) < 300
    assert "\x1b" not in note


@pytest.mark.parametrize("unit", ["../solutions", "a/b", "", 7, None, ["mini"], "x" * 81, "mini\n"])
def test_a_unit_is_a_plain_name_or_none(unit: object) -> None:
    assert unit_of({"metadata": {"autograder": {"unit": unit}}}) == ""
    assert unit_of({"metadata": {"autograder": unit}}) == ""


def test_a_missing_file_is_a_problem_and_not_an_exception(mini: Assignment, tmp_path: Path) -> None:
    assert read_submission(tmp_path / "mini.ipynb", mini) == Submission(
        problem=f"There is no file {tmp_path / 'mini.ipynb'}."
    )


# -- The form of the file ---------------------------------------------------------------------------------------------


def packed(entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return buffer.getvalue()


#: How an honest notebook may come: what is made of its bytes, and what is told (nothing where nothing is odd).
WRAPPED: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "as it is": (lambda data: data, ""),
    "bytes behind the end": (lambda data: data + b"\n\x00\x00 and more", "12 more characters"),
    "half of a copy behind the end": (lambda data: data + data[:500], "500 more characters"),
    "gzip": (gzip.compress, "compressed (gzip)"),
    "gzip in two parts": (lambda data: gzip.compress(data) + b"padding", "compressed (gzip)"),
    "a zip archive": (lambda data: packed({"mini.ipynb": data}), "'mini.ipynb' in it was graded"),
    "a zip archive of a Mac": (
        lambda data: packed(
            {"a/b.ipynb": data, "__MACOSX/a/._b.ipynb": b"x", "a/.ipynb_checkpoints/b.ipynb": b"{}"}
        ),
        "'a/b.ipynb' in it was graded",
    ),
    "a zip archive with other files": (
        lambda data: packed({"x.ipynb": data, "data.csv": b"1"}),
        "'x.ipynb' in it",
    ),
}
NAMES = [
    "mini.ipynb",
    "mini.IPYNB",
    "mini.ipynb.txt",
    "mini (1).ipynb",
    "mini.json",
    "mini.txt",
    "in/side/mini.ipynb",
]


@pytest.mark.parametrize("wrapped", WRAPPED)
def test_a_notebook_is_read_whatever_is_around_it_and_a_note_says_so(
    wrapped: str, solved: Notebook, mini: Assignment
) -> None:
    wrap, told = WRAPPED[wrapped]
    submission = submission_of(wrap(json.dumps(solved).encode()), mini)
    assert {name: text.strip() for name, text in submission.answers.items()} == EXPECTED
    assert [told in note for note in submission.notes] == ([True] if told else [])


@pytest.mark.parametrize("wrapped", WRAPPED)
@pytest.mark.parametrize("name", [*NAMES, "mini.zip", "mini.ipynb.gz", "mini.gz"])
def test_a_notebook_is_found_under_every_name_that_it_may_come_by(
    name: str, wrapped: str, solved: Notebook, mini: Assignment, tmp_path: Path
) -> None:
    wrap, _ = WRAPPED[wrapped]
    if name.endswith((".zip", ".gz")) and name.rpartition(".")[2] not in wrapped:
        pytest.skip("a file that is no archive is not called one")
    if name in ("mini.json", "mini.txt") and "zip" in wrapped:
        pytest.skip("an archive is not called a text")
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(wrap(json.dumps(solved).encode()))
    (tmp_path / "likely.json").write_text('{"0": "a sentence"}')
    picked, note = pick_file(tmp_path, "mini", mini)
    assert picked == path
    assert (RENAMED in note) == (name != "mini.ipynb")
    assert side_files(tmp_path, {"likely.json"}, picked) == ""
    assert {n: text.strip() for n, text in read_submission(path, mini).answers.items()} == EXPECTED


def test_of_an_untouched_release_and_a_finished_copy_the_copy_is_graded_and_the_note_says_why(
    solved: Notebook, mini: Assignment, tmp_path: Path
) -> None:
    (tmp_path / "mini.ipynb").write_text(nbformat.writes(mini.release))
    (tmp_path / "Copy of mini.ipynb").write_text(json.dumps(solved))
    path, note = pick_file(tmp_path, "mini", mini)
    assert path == tmp_path / "Copy of mini.ipynb"
    assert note == (
        "The file is called 'Copy of mini.ipynb'; it was graded, because mini.ipynb is as it was released. "
        "Not graded, because one notebook counts: 'mini.ipynb'."
    )
    # Worked on as well, it is the one of the right name; and so where nothing was worked on.
    (tmp_path / "mini.ipynb").write_text(json.dumps(solved))
    assert pick_file(tmp_path, "mini", mini)[0] == tmp_path / "mini.ipynb"
    for name in ("mini.ipynb", "Copy of mini.ipynb"):
        (tmp_path / name).write_text(nbformat.writes(mini.release))
    assert pick_file(tmp_path, "mini", mini)[0] == tmp_path / "mini.ipynb"


@pytest.mark.parametrize("where", ["answer", "added"])
def test_worked_on_is_what_has_an_answer_or_code_of_its_own(where: str, mini: Assignment) -> None:
    notebook = json.loads(nbformat.writes(mini.release))
    cell(notebook, "unbox_check")["source"] = "pass"
    notebook["cells"].append({"cell_type": "markdown", "source": "my name"})
    assert not worked_on(notebook, mini)
    if where == "answer":
        cell(notebook, "unbox")["source"] = "def unbox(boxes): ..."
    else:
        notebook["cells"].append({"cell_type": "code", "source": "x = 1"})
    assert worked_on(notebook, mini)


BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "gzip": (lambda: gzip.compress(b" " * (200 << 20), 9), "larger than 30 MiB"),
    "gzip that is cut off": (lambda: gzip.compress(b"{}")[:9] + b"\xff" * 20, "damaged"),
    "zip": (lambda: packed({"x.ipynb": b" " * (200 << 20)}), "too large"),
    "zip that lies about its size": (
        lambda: packed({"x.ipynb": b" " * 30_000_000}).replace(
            (30_000_000).to_bytes(4, "little"), b"\0\1\0\0"
        ),
        "damaged",
    ),
    "zip in zip": (lambda: packed({"x.ipynb": packed({"x.ipynb": b"{}"})}), "not JSON"),
    "gzip in gzip": (lambda: gzip.compress(gzip.compress(b"{}")), "not JSON"),
    "zip of very many": (lambda: packed({f"{i}": b"" for i in range(20_001)}), "more than 20000 files"),
    "zip of two": (lambda: packed({"x.ipynb": b"{}", "y.ipynb": b"{}"}), "2 notebooks"),
    "zip of none": (lambda: packed({"x.py": b"{}"}), "no notebooks"),
    "zip of another packing": (lambda: packed({"x.ipynb": b"{}"}, zipfile.ZIP_LZMA), "is not opened"),
    "behind the end, deep": (lambda: b'{"cells": []} ' + b"[" * 1_000_000, "parts"),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_what_is_wrapped_takes_no_more_memory_than_a_notebook_may(bomb: str, mini: Assignment) -> None:
    make, told = BOMBS[bomb]
    data = make()
    tracemalloc.start()
    submission = submission_of(data, mini)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert told in submission.problem
    assert "\n" not in submission.problem
    assert peak < 3 * MAX_FILE_BYTES


def test_a_folder_of_very_many_files_is_looked_through_in_part(tmp_path: Path, mini: Assignment) -> None:
    deep = tmp_path
    for _ in range(30):
        deep /= "d"
    deep.mkdir(parents=True)
    (deep / "mini.ipynb").write_text("{}")
    assert pick_file(tmp_path, "mini", mini)[0] is None
    for i in range(3000):
        (tmp_path / f"{i:04}.ipynb").write_text("{}")
    assert pick_file(tmp_path, "mini", mini)[0] is not None


# -- What is ignored is told ------------------------------------------------------------------------------------------


def check_made_easy(notebook: Notebook) -> None:
    cell(notebook, "unbox_check")["source"] = "pass"


def check_made_text(notebook: Notebook) -> None:
    cell(notebook, "mul_vjp_check")["cell_type"] = "markdown"


def check_deleted(notebook: Notebook) -> None:
    notebook["cells"].remove(cell(notebook, "unbox_check"))


def locked_cell_changed(notebook: Notebook) -> None:
    source = cell(notebook, "box")["source"]
    cell(notebook, "box")["source"] = [*source, "\nBox = float"]


def tag_on_a_check(notebook: Notebook) -> None:
    for name in ("mul_vjp_check", "unbox_check"):
        cell(notebook, name)["metadata"]["tags"] = ["skip-execution", 7, "\x1b[2J" * 99][
            : 2 + (name[0] == "u")
        ]


def more_points(notebook: Notebook) -> None:
    cell(notebook, "mul_vjp_check")["metadata"]["nbgrader"] |= {"points": 2e9, "grade": False}


def no_number_of_points(notebook: Notebook) -> None:
    cell(notebook, "mul_vjp_check")["metadata"]["nbgrader"]["points"] = float("nan")


def unlocked(notebook: Notebook) -> None:
    cell(notebook, "box")["metadata"]["nbgrader"]["locked"] = False


def a_result_of_its_own(notebook: Notebook) -> None:
    notebook["metadata"]["autograder"] |= {"score": 5, "allow": ["autograd_ref.scalar"]}


def everything(notebook: Notebook) -> None:
    for c in notebook["cells"]:
        c["metadata"]["tags"] = ["a", "b", "c"]


TAMPERED = {
    check_made_easy: ["Changed check cells are ignored, the released ones count: unbox."],
    check_made_text: ["Changed check cells are ignored, the released ones count: mul_vjp."],
    check_deleted: ["Deleted check cells were put back: unbox."],
    locked_cell_changed: ["Changed locked cells are ignored, the released ones count: box."],
    tag_on_a_check: [
        "Tags of cells are ignored: 'skip-execution' on mul_vjp, 'skip-execution' on unbox, "
        + f"{('[2J' * 99)[:30]!r} on unbox."
    ],
    more_points: ["Changed metadata is ignored, the released counts: grade of mul_vjp, points of mul_vjp."],
    no_number_of_points: ["Changed metadata is ignored, the released counts: points of mul_vjp."],
    unlocked: ["Changed metadata is ignored, the released counts: locked of box."],
    a_result_of_its_own: [
        "Changed metadata is ignored, the released counts: allow of the notebook, score of the notebook."
    ],
    everything: [
        "Tags of cells are ignored: 'a' on install_package, 'b' on install_package, 'c' on install_package, "
        "'a' on imports, 'b' on imports and 13 more."
    ],
}


def test_the_solution_s_own_notebook_has_nothing_changed(mini: Assignment) -> None:
    # Its checks hold the hidden tests, which the released ones do not.
    notebook = json.loads(mini.path.read_text(encoding="utf-8"))
    assert take(notebook, mini).notes == []
    cell(notebook, "mul_vjp_check")["source"] = "print('right')"
    assert take(notebook, mini).notes == [
        "Changed check cells are ignored, the released ones count: mul_vjp."
    ]


@pytest.mark.parametrize("change", TAMPERED, ids=lambda change: change.__name__)
def test_what_was_changed_and_is_ignored_is_told_in_one_sentence_and_costs_nothing(
    change: Callable[[Notebook], None], solved: Notebook, mini: Assignment, sandbox: Sandbox
) -> None:
    change(solved)
    submission = take(parse(json.dumps(solved).encode()), mini)
    assert submission.notes == TAMPERED[change]
    report = grade(mini, submission, sandbox, seed=1)
    assert (report.score, report.max_score, report.notes) == (5, 5, TAMPERED[change])


def cells_of_their_own(notebook: Notebook) -> None:
    notebook["cells"][1:1] = [
        {"cell_type": "markdown", "metadata": {"tags": ["mine"]}, "source": "my notes"},
        {"cell_type": "code", "metadata": {"tags": ["mine"]}, "source": "print(1)", "outputs": []},
    ]


def text_between_the_exercises_changed(notebook: Notebook) -> None:
    for c in notebook["cells"]:
        if c["cell_type"] == "markdown":
            c["source"] = "my notes"


def experiment_with_a_copied_check(notebook: Notebook) -> None:
    check = cell(notebook, "unbox_check")
    at = notebook["cells"].index(check)
    notebook["cells"].insert(at, dict(copy.deepcopy(check), id="mine", source="print(unbox([]))"))


def spaces_at_the_ends_of_lines(notebook: Notebook) -> None:
    for c in notebook["cells"]:
        c["source"] = "".join(c["source"]).replace("\n", "  \n") + "\n\n"


def marks_of_editors(notebook: Notebook) -> None:
    for c in notebook["cells"]:
        c["metadata"] |= {"scrolled": True, "collapsed": False, "execution": {"iopub.status.busy": "now"}}
        c["metadata"].get("nbgrader", {})["checksum"] = "old"
    notebook["metadata"]["autograder"]["title"] = "an earlier title"
    notebook["metadata"]["colab"] = {"provenance": []}


HONEST = [
    cells_of_their_own,
    text_between_the_exercises_changed,
    experiment_with_a_copied_check,
    spaces_at_the_ends_of_lines,
    marks_of_editors,
    no_ids,
    windows_lines,
    sources_as_texts,
    old_format,
    check_cells_copied,
    huge_outputs,
]


@pytest.mark.parametrize("change", HONEST, ids=lambda change: change.__name__)
def test_honest_work_gets_no_note(
    change: Callable[[Notebook], None], solved: Notebook, mini: Assignment
) -> None:
    change(solved)
    assert take(parse(json.dumps(solved).encode()), mini).notes == []


def test_what_lies_beside_the_notebook_is_named_and_what_belongs_there_is_not(tmp_path: Path) -> None:
    folder = tmp_path / "mini"
    folder.mkdir()
    for name in (
        "mini.ipynb",
        "timestamp.txt",
        "likely.json",
        "mini.ipynb.earlier-1",
        ".hidden",
        "other.ipynb",
    ):
        (folder / name).write_text("")
    assert side_files(folder, {"likely.json"}) == ""
    (folder / "numpy").mkdir()
    (folder / "sitecustomize.py").symlink_to(tmp_path)
    (folder / "\x1b[2J\n.py").write_text("")
    assert side_files(folder, {"likely.json"}) == (
        "Files beside the notebook are not used: '[2J\\n.py', 'numpy/', 'sitecustomize.py'."
    )
    for i in range(9):
        (folder / f"a{i}").write_text("")
    assert side_files(folder, {"likely.json"}).endswith("'a3' and 7 more.")
    (tmp_path / "link").symlink_to(folder)
    assert side_files(tmp_path / "link", set()) == side_files(tmp_path / "none", set()) == ""


def edited(mini: Assignment, tmp_path: Path, change: Callable[[Node], None]) -> Assignment:
    """The unit after its instructors have changed something, and built it again."""
    notebook = json.loads(json.dumps(mini.notebook), object_hook=Node)
    change(notebook)
    path = tmp_path / "mini.ipynb"
    path.write_text(write_text(notebook))
    return Assignment.load(path)


def cell_named(notebook: Node, name: str) -> Node:
    return next(c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == name)


def more_points(notebook: Node) -> None:
    cell_named(notebook, "mul_vjp_check").metadata.nbgrader["points"] = 7


def another_check(notebook: Node) -> None:
    cell = cell_named(notebook, "unbox_check")
    cell["source"] = cell.source.replace("log 1 + log e", "log 1 plus log e")


def another_given_cell(notebook: Node) -> None:
    cell = cell_named(notebook, "box")
    cell["source"] += "\n# a box\n"


def more_modules_and_points(notebook: Node) -> None:
    notebook.metadata.autograder["allow"] = ["autograd_ref.scalar"]
    more_points(notebook)


def another_exercise(notebook: Node) -> None:
    for name in ("mul_vjp", "mul_vjp_check"):
        copy = json.loads(json.dumps(cell_named(notebook, name)), object_hook=Node)
        copy["id"] = copy["id"].replace("mul", "mul2")
        copy.metadata.nbgrader["grade_id"] = copy.metadata.nbgrader.grade_id.replace("mul", "mul2")
        copy["source"] = copy.source.replace("mul_vjp", "mul2_vjp")
        notebook.cells.append(copy)
    another_check(notebook)


def one_exercise_less(notebook: Node) -> None:
    gone = ("mul_vjp", "mul_vjp_check")
    notebook["cells"] = [
        c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") not in gone
    ]


OUR_CHANGES = [
    more_points,
    another_check,
    another_given_cell,
    more_modules_and_points,
    another_exercise,
    one_exercise_less,
]


@pytest.mark.parametrize("change", OUR_CHANGES, ids=lambda change: change.__name__)
def test_what_we_changed_in_the_release_since_is_no_note_on_the_student(
    change: Callable[[Node], None], mini: Assignment, tmp_path: Path
) -> None:
    handed_in = parse(write_text(mini.solved()).encode())
    assert take(handed_in, mini).notes == []
    submission = take(handed_in, edited(mini, tmp_path, change))
    assert submission.notes == []
    assert submission.answers["unbox"] == mini.exercise("unbox").solution


def test_what_a_student_changed_is_told_of_an_older_release_too(mini: Assignment, tmp_path: Path) -> None:
    handed_in = mini.solved()
    cell_named(handed_in, "unbox_check").metadata.nbgrader["points"] = 100
    box = cell_named(handed_in, "box")
    box["source"] += "\n# mine"
    notes = take(parse(write_text(handed_in).encode()), edited(mini, tmp_path, more_points)).notes
    assert notes == [
        "Changed locked cells are ignored, the released ones count: box.",
        "Changed metadata is ignored, the released counts: points of unbox.",
    ]
