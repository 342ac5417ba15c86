"""A line is kept for the learner's page when it stands in the text, and only then."""

from __future__ import annotations

from typing import Any

import pytest

from autograder.lesson import logbook
from autograder.lesson.own_line import LONGEST, keep_line

WRITTEN = "From fairest creatures we desire,\n  Thy love \x1b[2J away\n" + "long " * 40
REFUSED = "✗ kept nothing: this line does not stand in the text. Copy one exactly.\n"


@pytest.mark.parametrize("line", [None, "", "?"])
def test_nothing_chosen_is_no_mistake(line: Any, capsys: pytest.CaptureFixture[str]) -> None:
    keep_line(line, WRITTEN)
    assert capsys.readouterr().out.startswith("none chosen yet: ")


@pytest.mark.parametrize("line", ["  ", "from fairest", "desire,\n  Thy", 7, ..., ["From"], WRITTEN])
def test_what_does_not_stand_in_the_text_is_not_kept(line: Any, capsys: pytest.CaptureFixture[str]) -> None:
    before = logbook.known(None)
    keep_line(line, WRITTEN)
    assert capsys.readouterr().out == REFUSED
    assert logbook.known(None) == before


def test_a_line_too_long_for_the_page_is_told_with_its_length(capsys: pytest.CaptureFixture[str]) -> None:
    keep_line(("long " * 40).strip(), WRITTEN)
    told = capsys.readouterr().out
    assert told == f"✗ kept nothing: this line has 199 characters, and the page has room for {LONGEST}.\n"


def test_a_line_is_kept_as_it_stands_and_printed_without_commands_for_a_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    keep_line("Thy love \x1b[2J away ", WRITTEN)
    assert "\x1b" not in capsys.readouterr().out
    assert logbook.line_of(logbook.known(None)) == "Thy love \x1b[2J away"


def test_of_several_lines_the_last_counts_and_damaged_ones_do_not() -> None:
    records: list[dict[str, Any]] = [
        {"line": "one"},
        {"line": "two"},
        {"line": 3},
        {"exercise": "x", "passed": True},
    ]
    assert logbook.line_of(records) == "two"
    assert logbook.line_of([{"line": None}, {}]) == ""
