"""An answer cell that Python cannot read: its check says so, in a real kernel, and does not judge the old version."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.lesson.logbook import read
from autograder.unit.assignment import Assignment

from .conftest import Run

RIGHT = "def mul_vjp(g, a, b):\n    return g * b, g * a\n"
UNREADABLE = "def mul_vjp(g, a, b):\n    both = (g * b\n    return both, g * a\n"
SAID = "its answer cell was not run: SyntaxError in line 2"


@pytest.mark.parametrize("named", ["as in JupyterLab", "as in VS Code", "not at all"])
def test_a_check_does_not_judge_the_old_version_of_a_cell_that_could_not_be_read(
    named: str, started: tuple[Run, Path], mini: Assignment
) -> None:
    run, folder = started

    def cell(name: str) -> str | None:
        return {"as in JupyterLab": name, "as in VS Code": f"vscode-notebook-cell:/mini.ipynb#{name}"}.get(
            named
        )

    sources = {c.id: c.source for c in mini.released}
    for name, source in sources.items():
        if name not in ("mul_vjp", "mul_vjp_check", "unbox", "unbox_check"):
            run(source, cell(name))
    check = sources["mul_vjp_check"]
    run(RIGHT, cell("mul_vjp"))
    assert "right (" in run(check, cell("mul_vjp_check"))
    assert "SyntaxError" in run(UNREADABLE, cell("mul_vjp"))
    for _ in range(2):
        shown = run(check, cell("mul_vjp_check"))
        assert SAID in shown and "mend that line" in shown and "right (" not in shown, shown
    assert [record["passed"] for record in read(folder.parent)] == [True], (
        "nothing was judged, so nothing is noted"
    )
    run(sources["unbox"], cell("unbox"))
    assert "not written yet" in run(sources["unbox_check"], cell("unbox_check")), "others are checked as ever"
    run(RIGHT, cell("mul_vjp"))
    assert "right (" in run(check, cell("mul_vjp_check"))
    # Unreadable again, and then put right in another cell.
    run(UNREADABLE, cell("mul_vjp"))
    run(RIGHT, cell("another"))
    assert "right (" in run(check, cell("mul_vjp_check"))


def test_a_cell_that_was_never_read_is_not_a_cell_that_was_not_run(
    started: tuple[Run, Path], mini: Assignment
) -> None:
    run, _ = started
    for cell in mini.released:
        if cell.cell_type == "code" and cell.name not in ("mul_vjp", "mul_vjp_check", "unbox", "unbox_check"):
            run(cell.source, cell.id)
    run("x = (", "scratch")
    check = next(cell.source for cell in mini.released if cell.name == "mul_vjp_check")
    assert "there is no `mul_vjp` yet" in run(check, "mul_vjp_check"), (
        "a cell of the learner's own says nothing"
    )
    run("df mul_vjp(g, a, b):\n    return 1\n", "mul_vjp")
    run("def helper():\n    return 1\n", "scratch")
    assert "not run: SyntaxError in line 1" in run(check, "mul_vjp_check")
    run("def mul_vjp(g, a, b):\nreturn 1\n", "mul_vjp")
    assert "not run: IndentationError in line 2" in run(check, "mul_vjp_check")
