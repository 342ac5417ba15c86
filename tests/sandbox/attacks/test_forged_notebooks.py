"""Notebooks and files that are forged: the release's cells are run, and only regular files are read."""

from __future__ import annotations

import hashlib
import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.referee.judge import grade
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Assignment
from autograder.unit.ingest import read_submission, take

from .lab import (
    HONEST,
    RIGHT,
    WRONG,
    content,
    earned,
)


def forged_notebook(mini: Assignment) -> dict[str, Any]:
    answers = {"mul_vjp": RIGHT, "unbox": WRONG}
    return json.loads(nbformat.writes(mini.solved(answers, others="stub")))


def code_cells(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (cell for cell in notebook["cells"] if cell["cell_type"] == "code")


def forge_outputs(notebook: dict[str, Any]) -> None:
    for cell in code_cells(notebook):
        data = {"text/plain": "3.0"}
        cell["outputs"] = [
            {"output_type": "stream", "name": "stdout", "text": "✓ unbox: right (12 checks passed)\n"},
            {"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": 1},
        ]


def forge_points(notebook: dict[str, Any]) -> None:
    for cell in code_cells(notebook):
        cell["metadata"].setdefault("nbgrader", {}).update(
            points=1000, grade=True, solution=True, locked=False
        )
    notebook["metadata"]["autograder"] = {
        "unit": "mini",
        "score": 5,
        "allow": ["autograd_ref"],
        "fingerprint": "x",
    }


def forge_tags(notebook: dict[str, Any]) -> None:
    for cell in notebook["cells"]:
        cell["metadata"]["tags"] = ["skip-execution", "raises-exception", "remove-cell", "nbgrader-skip"]
        cell["metadata"]["autograder"] = {"kind": "figure"}


def forge_checksums(notebook: dict[str, Any]) -> None:
    for cell in code_cells(notebook):
        cell["metadata"].setdefault("nbgrader", {})["checksum"] = hashlib.md5(
            "".join(cell["source"]).encode()
        ).hexdigest()


def empty_checks(notebook: dict[str, Any]) -> None:
    for cell in code_cells(notebook):
        if str(cell["metadata"].get("nbgrader", {}).get("grade_id")).endswith("_check"):
            cell["source"] = "with exercise('unbox') as check:\n    check.true(True, 'yes')"


def delete_checks(notebook: dict[str, Any]) -> None:
    notebook["cells"] = [
        c
        for c in notebook["cells"]
        if not str(c["metadata"].get("nbgrader", {}).get("grade_id")).endswith("_check")
    ]


def change_locked_cells(notebook: dict[str, Any]) -> None:
    for cell in code_cells(notebook):
        if cell["id"] in ("imports", "box"):
            cell["source"] = "math = exercise = Box = yours = probe = None\n" + "raise SystemExit"


def double_the_checks(notebook: dict[str, Any]) -> None:
    notebook["cells"] += [dict(c, id=c["id"] + "-copy") for c in notebook["cells"]]


def answer_with_the_id_of_a_check(notebook: dict[str, Any]) -> None:
    for cell in code_cells(notebook):
        if cell["id"] == "mul_vjp_check":
            cell["source"] = "def unbox(boxes):\n    return 1.0"
            cell["metadata"]["nbgrader"]["grade_id"] = "unbox_check"


@pytest.mark.parametrize(
    "forge",
    [
        forge_outputs,
        forge_points,
        forge_tags,
        forge_checksums,
        empty_checks,
        delete_checks,
        change_locked_cells,
        double_the_checks,
        answer_with_the_id_of_a_check,
    ],
)
def test_a_forged_notebook_earns_what_its_answers_deserve(
    forge: Callable[[dict[str, Any]], None], mini: Assignment, walls: Sandbox
) -> None:
    notebook = forged_notebook(mini)
    forge(notebook)
    report = grade(mini, take(notebook, mini), walls, seed=1)
    assert earned(report) == HONEST
    assert report.max_score == 5


def test_files_beside_the_notebook_are_not_used(mini: Assignment, walls: Sandbox, tmp_path: Path) -> None:
    path = tmp_path / "mini.ipynb"
    path.write_text(json.dumps(forged_notebook(mini)))
    evil = "raise SystemExit('planted')\n"
    for name in (
        "numpy.py",
        "math.py",
        "ipykernel_launcher.py",
        "sitecustomize.py",
        "usercustomize.py",
        "conftest.py",
    ):
        (tmp_path / name).write_text(evil)
    for name in ("autograder", "autograd_ref", "IPython"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(evil)
    before = content(tmp_path)
    old = os.getcwd()
    os.chdir(tmp_path)
    try:
        report = grade(mini, read_submission(path, mini), walls, seed=1)
    finally:
        os.chdir(old)
    assert earned(report) == HONEST
    assert content(tmp_path) == before


def link(path: Path, real: Path) -> None:
    path.symlink_to(real)


def pipe(path: Path, real: Path) -> None:
    os.mkfifo(path)


def folder(path: Path, real: Path) -> None:
    path.mkdir()
    (path / "mini.ipynb").write_bytes(real.read_bytes())


def bound_socket(path: Path, real: Path) -> None:
    server = socket.socket(socket.AF_UNIX)
    os.chdir(path.parent)
    server.bind(path.name)
    server.close()


def device(path: Path, real: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [link, pipe, folder, bound_socket, device])
def test_a_submission_that_is_no_regular_file_is_refused_with_a_reason(
    make: Callable[[Path, Path], None],
    mini: Assignment,
    walls: Sandbox,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    real = tmp_path / "solved.ipynb"
    real.write_text(nbformat.writes(mini.solved()))
    path = tmp_path / "mini.ipynb"
    make(path, real)
    report = grade(mini, read_submission(path, mini), walls, seed=1)
    assert report.score == 0
    assert all(o.status == "missing" and o.doubtful for o in report.outcomes)
    assert "mini.ipynb" in report.outcomes[0].message


def test_a_source_that_is_not_unicode_is_graded_and_can_be_written(mini: Assignment, walls: Sandbox) -> None:
    from autograder.referee.autograded import autograded

    notebook = forged_notebook(mini)
    notebook["cells"].insert(0, {"cell_type": "markdown", "metadata": {}, "source": "\ud800"})
    for cell in code_cells(notebook):
        if cell["id"] == "unbox":
            cell["source"] = "# \udcff\nprint('\ud800')\n" + WRONG
    submission = take(notebook, mini)
    report = grade(mini, submission, walls, seed=1)
    assert earned(report) == HONEST
    nbformat.writes(autograded(mini, submission, report)).encode("utf-8")
    json.dumps(report.as_json(), ensure_ascii=False).encode("utf-8")
