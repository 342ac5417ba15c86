"""The bank of a unit: what its file may hold, and the sentence for what it may not."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from autograder.errors import UserError
from autograder.referee.bank import Entry, changed, load_bank
from autograder.unit.assignment import Assignment

HEAD = "from autograder.referee.bank import changed, right, wrong\n\n"


def bank(mini: Assignment, folder: Path, text: str) -> list[Entry]:
    (folder / "mistakes.py").write_text(HEAD + text)
    return load_bank(dataclasses.replace(mini, path=folder / "mini.ipynb"))


def test_a_unit_without_the_file_has_an_empty_bank(mini: Assignment, tmp_path: Path) -> None:
    assert load_bank(dataclasses.replace(mini, path=tmp_path / "mini.ipynb")) == []


def test_a_mistake_may_be_said_as_a_change_of_another_answer(mini: Assignment, tmp_path: Path) -> None:
    text = (
        "MUL = '''\n    def mul_vjp(g, a, b):\n        return g * b, g * a\n'''\n"
        "right('mul_vjp', 'whole', source=MUL)\n"
        "wrong('mul_vjp', 'swapped', 'Swap them.', source=changed(MUL, ('* b, g * a', '* a, g * b')))\n"
    )
    whole, swapped = bank(mini, tmp_path, text)
    assert whole.source == "def mul_vjp(g, a, b):\n    return g * b, g * a"
    assert swapped.source == "def mul_vjp(g, a, b):\n    return g * a, g * b"
    assert (whole.right, swapped.right, swapped.sentence) == (True, False, "Swap them.")


def test_a_change_of_what_is_not_there_is_refused() -> None:
    assert changed("a + a", ("a", "b")) == "b + b"
    with pytest.raises(ValueError, match="'c' is to be changed in a source that does not hold it"):
        changed("a + b", ("a", "c"), ("c", "d"), ("c", "a"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("changed('a', ('b', 'c'))", "ValueError: 'b' is to be changed in a source that does not hold it"),
        ("wrong('mul_vjp', 'one'", "cannot be loaded: SyntaxError"),
        (
            "wrong('div_vjp', 'one', 'No.', source='x')",
            "'one' belongs to 'div_vjp', which is no exercise of the unit",
        ),
        ("wrong('mul_vjp', 'one', 'No.', source='x', keeps=['first'])", "keeps first; mul_vjp has no parts"),
        (
            "wrong('mul_vjp', 'one', 'No.', source='x')\nright('mul_vjp', 'one', source='y')",
            "mul_vjp has two answers named 'one'. Give each a name of its own.",
        ),
    ],
)
def test_what_is_wrong_with_the_file_is_one_sentence_with_its_path(
    mini: Assignment, tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(UserError) as caught:
        bank(mini, tmp_path, text)
    assert told in str(caught.value) and str(tmp_path / "mistakes.py") in str(caught.value)
