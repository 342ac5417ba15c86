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


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('# %% check="double" point=1', "the word `point` is unknown: did you mean `points`?"),
        ('# %% chekc="double" points=1', "the word `chekc` is unknown: did you mean `check`?"),
        ('# %% Check="double" points=1', "the word `Check` is unknown: did you mean `check`?"),
        ('# %% check="double" points=1 worth=3', "the word `worth` is unknown: it may be `setup`, `given`,"),
        (
            "# %% check=double points=1",
            "`check` is not written as it can be read: write it as in `# %% check=",
        ),
        ('# %% check="double" points=1 keep', "`keep` is not written as it can be read"),
    ],
)
def test_a_word_that_nobody_reads_in_a_cell_s_line_is_named_with_the_one_that_was_meant(
    line: str, told: str, tmp_path: Path
) -> None:
    said = refused(tmp_path, ('# %% check="double" points=1', line))
    assert f"small.py, line 17, in `{line}`: {told}" in said


@pytest.mark.parametrize(
    "line", ["# %% Some words with x = 3", '# %% tags=["a"] slideshow={"slide_type": "slide"}', "# %% [raw]"]
)
def test_titles_and_what_jupyter_reads_may_stand_in_a_cell_s_line(line: str, tmp_path: Path) -> None:
    path = tmp_path / "small" / "small.py"
    path.parent.mkdir()
    path.write_text(f"{SOURCE}\n{line}\nx = 1\n", encoding="utf-8")
    assert len(read_source(path).cells) == 5


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ('    title: "A', "small.py, line 5: the header is no YAML: found unexpected end of stream."),
        ("    title: a: b", "small.py, line 5: the header is no YAML: mapping values are not allowed here."),
        (
            "    allow: [a\n#     exam: true",
            "small.py, line 6: the header is no YAML: expected ',' or ']', but got ':', in what begins at line 5.",
        ),
    ],
)
def test_the_line_of_a_broken_header_is_that_of_the_source(header: str, told: str, tmp_path: Path) -> None:
    assert told in refused(tmp_path, ("#     unit: small\n", f"#     unit: small\n# {header}\n"))
