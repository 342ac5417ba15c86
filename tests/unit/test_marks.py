"""What looks like a mark is one: else the hidden tests would be published by a lost letter."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import UserError
from autograder.unit.source import read_source

SOURCE = """# ---
# jupyter:
#   autograder:
#     unit: small
# ---

# %% [markdown]
# A title.

# %% exercise="double"
def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION


# %% check="double" points=1
with exercise("double") as check:
    check.equal(yours.double(3), 6, "twice three")
    ### BEGIN HIDDEN TESTS
    check.equal(yours.double(5), 10, "twice five")
    ### END HIDDEN TESTS
"""
IN_ANSWER, IN_CHECK = '# %% exercise="double"', '# %% check="double" points=1'


def refused(folder: Path, *changes: tuple[str, str]) -> str:
    """What is told of the source, so changed."""
    text = SOURCE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = folder / "small" / "small.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_source(path)
    return str(caught.value)


@pytest.mark.parametrize(
    "written",
    [
        "### BEGIN HIDDEN TEST",
        "### BEGIN HIDEN TESTS",
        "## BEGIN HIDDEN TESTS",
        "#### BEGIN HIDDEN TESTS",
        "###BEGIN HIDDEN TESTS",
        "### BEGIN  HIDDEN TESTS",
        "### begin hidden tests",
        "### Begin Hidden Tests",
        "# HIDDEN TESTS BEGIN",
        "## HIDDEN TESTS BEGIN",
        "### HIDDEN TESTS",
        "### START HIDDEN TESTS",
        "### BEGIN TESTS",
        "### BEGIN TEST HIDDEN",
        "### BEGIN_HIDDEN_TESTS",
        "### BEGN HIDDEN TESTS",
        "### BEGIN HIDDEN TESTS: five more",
        "### BEGIN",
        "x = 1  ### BEGIN HIDDEN TESTS",
    ],
)
def test_what_looks_like_the_mark_of_hidden_tests_is_refused_with_the_mark_that_was_meant(
    written: str, tmp_path: Path
) -> None:
    told = refused(tmp_path, ("### BEGIN HIDDEN TESTS", written))
    assert f"small.py, line 20, in `{IN_CHECK}`: `{written}` is no mark" in told
    assert "write `### BEGIN HIDDEN TESTS` on a line of its own" in told


@pytest.mark.parametrize(
    ("mark", "written", "line"),
    [
        ("### BEGIN SOLUTION", "### BEGIN SOLUTON", 12),
        ("### BEGIN SOLUTION", "### SOLUTION BEGIN", 12),
        ("### END SOLUTION", "### END SOLUTIONS", 14),
        ("### END SOLUTION", "## END", 14),
        ("### END SOLUTION", "# end solution", 14),
        ("### END HIDDEN TESTS", "### END HIDDEN TEST", 22),
        ("### END HIDDEN TESTS", "### END OF HIDDEN TESTS", 22),
        ("### END HIDDEN TESTS", "### HIDDEN TESTS END", 22),
        ("### END HIDDEN TESTS", "### EDN HIDDEN TESTS", 22),
    ],
)
def test_so_is_what_looks_like_another_one(mark: str, written: str, line: int, tmp_path: Path) -> None:
    told = refused(tmp_path, (mark, written))
    cell = IN_ANSWER if "SOLUTION" in mark else IN_CHECK
    assert (
        f"small.py, line {line}, in `{cell}`: `{written}` is no mark" in told and f"write `{mark}` on" in told
    )


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            [("    ### END SOLUTION\n", "")],
            f"line 12, in `{IN_ANSWER}`: `### BEGIN SOLUTION` has no `### END",
        ),
        (
            [("    ### END HIDDEN TESTS\n", "")],
            f"line 20, in `{IN_CHECK}`: `### BEGIN HIDDEN TESTS` has no `### END",
        ),
        (
            [("    ### BEGIN HIDDEN TESTS\n", "")],
            f"line 21, in `{IN_CHECK}`: `### END HIDDEN TESTS` has no `### BEGIN",
        ),
        (
            [("### END HIDDEN TESTS", "### BEGIN HIDDEN TESTS")],
            f"line 20, in `{IN_CHECK}`: `### BEGIN HIDDEN TESTS` has no `### END",
        ),
    ],
)
def test_half_a_pair_is_refused_with_its_exercise_and_line(
    changes: list[tuple[str, str]], told: str, tmp_path: Path
) -> None:
    assert told in refused(tmp_path, *changes)


def test_the_half_is_named_of_a_check_with_parts_too(tmp_path: Path) -> None:
    shown = '    check.equal(yours.double(3), 6, "twice three")\n'
    part = f'    with check.part("a", 1):\n    {shown}'
    assert "has no `### END HIDDEN TESTS` below it" in refused(
        tmp_path, (shown, part), ("    ### END HIDDEN TESTS\n", "")
    )


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            [(IN_CHECK, "# %%")],
            'line 20, in `# %%`: `### BEGIN HIDDEN TESTS` belongs in a cell `# %% check="NAME"`',
        ),
        (
            [("# %% exercise=", "# %% answer=")],
            '`### BEGIN SOLUTION` belongs in a cell `# %% exercise="NAME"`',
        ),
        (
            [("# A title.", "# A title.\n#\n# ### BEGIN SOLUTION")],
            "line 10, in `# %% [markdown]`: `### BEGIN SOLUTION`",
        ),
    ],
)
def test_a_mark_in_another_cell_is_refused(changes: list[tuple[str, str]], told: str, tmp_path: Path) -> None:
    assert told in refused(tmp_path, *changes)


@pytest.mark.parametrize(
    "remark",
    [
        "# the end of the test",
        "# Tests",
        "# a solution, to begin with",
        "## STEP 2: TEST IT",
        "# hidden tests follow",
        "# begin with the smallest",
        "# END OF THE LINE is a film",
    ],
)
def test_a_remark_is_none(remark: str, tmp_path: Path) -> None:
    path = tmp_path / "small" / "small.py"
    path.parent.mkdir()
    path.write_text(SOURCE.replace("    return 2 * x", f"    {remark}\n    return 2 * x"), encoding="utf-8")
    read_source(path)
