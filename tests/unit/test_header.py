"""The header says what it is thought to say, and a check whose it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.unit.source import read_source

from .test_marks import SOURCE, refused


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("    exem: true", "unknown key `exem`: did you mean `exam`?"),
        ("    alow: []", "unknown key `alow`: did you mean `allow`?"),
        ("    Graded: false", "unknown key `Graded`: did you mean `graded`?"),
        (
            "    colour: red",
            "unknown key `colour`: it may hold `unit`, `title`, `allow`, `graded`, `exam`, "
            "`slides`, `minutes`.",
        ),
        ("    drawn_from: abc", "unknown key `drawn_from`"),
        ("  exam: true", "`exam` stands beside `autograder:` in the header, and belongs under it."),
        ("    exam: treu", "`exam: treu` in the header should be true or false."),
        ("    graded: 1", "`graded: 1` in the header should be true or false."),
        ("    title: 3", "`title: 3` in the header should be a text"),
        ("    allow: autograd_ref.plots", "should be a list of modules, such as [autograd_ref.plots]"),
    ],
)
def test_a_key_that_nobody_reads_is_refused_with_the_one_that_was_meant(
    line: str, told: str, tmp_path: Path
) -> None:
    assert told in refused(tmp_path, ("#     unit: small\n", f"#     unit: small\n# {line}\n"))


def test_all_keys_are_known(tmp_path: Path) -> None:
    keys = '#     title: "A"\n#     allow: [autograd_ref.plots]\n#     graded: true\n#     exam: true\n'
    keys += "#     slides: {example: double}\n#     minutes: {double: 5}\n"
    path = tmp_path / "small" / "small.py"
    path.parent.mkdir()
    path.write_text(SOURCE.replace("#     unit: small\n", f"#     unit: small\n{keys}"), encoding="utf-8")
    assert read_source(path).metadata.autograder.exam is True


@pytest.mark.parametrize("name", ["duoble", "Double", "double2", ""])
def test_a_check_names_the_exercise_of_its_cell(name: str, tmp_path: Path) -> None:
    told = refused(tmp_path, ('with exercise("double")', f'with exercise("{name}")'))
    assert (
        f'the check of double begins with `with exercise("{name}")`: write `with exercise("double")`.' in told
    )
