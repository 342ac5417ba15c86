"""What authors say to predictions: `guesses.toml` beside the bank, and its part of `likely.json`.

    [first_step_back]
    cell = "(to_z, to_s, s_to_x)"    # what it turns out to be, in the names of the cell; tests compute it
    right = [5, 4, 4]                # `lesson.guesses` says how a guess is written
    also = [["five", "four", "four"]]    # the same in other words, if there are any
    told = [
        [[4, 5, "_"], "Exchanged: a product's slope by one factor is the other one."],
    ]

Of several guesses that fit a prediction the first one answers. `predictions_shown` runs a unit's cells, and `untrue`
finds what is not so.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import UserError
from ..lesson.guesses import all_fit
from ..lesson.predict import EMPTY, predictions_of
from ..lesson.said import parts, shown
from ..lesson.syntax import syntax_tree
from ..lesson.wire import parsed
from ..unit.assignment import Assignment
from ..unit.cell import ANSWER, DEMO, GIVEN, SETUP
from .beside import read_toml

GUESSES = "guesses.toml"
#: What is filled in where nobody says what is right.
ANY = (7,)


def read_guesses(assignment: Assignment) -> dict[str, dict[str, Any]]:
    """What is said to predictions, by their names. Raises UserError when the file is broken."""
    path, found = assignment.path.parent / GUESSES, read_toml(assignment, GUESSES)
    known = predictions_of(cell.source for cell in assignment.cells)
    for name, about in found.items():
        if name not in known:
            raise UserError(f"{path}: [{name}] is no prediction of {assignment.unit}.")
        if wrong := _what_is_wrong(about):
            raise UserError(f"{path}: under [{name}], {wrong}.")
    return found


def _what_is_wrong(about: Any) -> str:
    if not isinstance(about, dict) or set(about) - {"also"} != {"cell", "right", "told"}:
        return "there should be `cell`, `right` and `told`, perhaps `also`, and nothing else"
    if not isinstance(about["cell"], str):
        return "`cell` is not a text"
    if not _is_guess(about["right"]):
        return "`right` is not a list of numbers and words, part by part"
    also = about.get("also", [])
    if not isinstance(also, list) or not all(map(_is_guess, also)):
        return "`also` is not a list of guesses, each part by part"
    if not isinstance(about["told"], list):
        return "`told` is not a list"
    for told in about["told"]:
        if not (isinstance(told, list) and len(told) == 2 and _is_guess(told[0]) and _is_text(told[1])):
            return f"{told} should be a guess, part by part, and a sentence"
        if repr(told[0]) == repr(about["right"]):  # False is not 0
            return f"{told[0]} is told something wrong, and it is right"
    return ""


def _is_guess(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) > 0
        and all(isinstance(part, int | float | str) for part in value)
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def with_guesses(text: str, guesses: dict[str, dict[str, Any]]) -> str:
    """The text of a `likely.json` that says this to predictions."""
    about = parsed(text)
    about.pop("guesses", None)
    if guesses:
        about["guesses"] = {
            name: {key: said[key] for key in ("right", "also", "told") if key in said}
            for name, said in sorted(guesses.items())
        }
    return json.dumps(about, ensure_ascii=False, indent=1) + "\n"


# -- whether they are true --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shown:
    """What the cell of a prediction showed once that was filled in, and all names that there were after it."""

    prediction: str
    printed: str
    names: Mapping[str, Any]


def predictions_shown(assignment: Assignment) -> Iterator[Shown]:
    """Run a unit's cells in this process up to its last prediction, each filled in with what is right.

    Raises UserError where the guesses are broken, or a cell fails.
    """
    guesses = read_guesses(assignment)
    os.environ.setdefault("MPLBACKEND", "Agg")  # no window opens
    names: dict[str, Any] = {"__name__": "__main__", "display": lambda *shown: None}
    cells = [cell for cell in assignment.cells if cell.kind in (SETUP, GIVEN, ANSWER, DEMO)]
    last = max((i for i, cell in enumerate(cells) if predictions_of([cell.source])), default=-1)
    for cell in cells[: last + 1]:
        asked, printed, source = predictions_of([cell.source]), io.StringIO(), cell.source
        if asked:
            source = filled_in(source, guesses[asked[0]]["right"] if asked[0] in guesses else ANY)
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(source, cell.id, "exec"), names)
        except Exception as error:
            raise UserError(f"{assignment.unit}: the cell {cell.id} ends in {error!r}.") from error
        for name in asked:
            yield Shown(name, printed.getvalue(), names)


def untrue(about: Mapping[str, Any], shown_in: Shown) -> Iterator[str]:
    """What is not so of what one prediction is told."""
    name = shown_in.prediction
    try:
        found = list(parts(eval(about["cell"], dict(shown_in.names))))
    except Exception as error:
        yield f"[{name}]: `cell` ends in {error!r}."
        return
    if not all_fit(about["right"], found):
        yield f"[{name}] says that {about['right']} is right, and it is {shown(found)}."
    for guess, sentence in about["told"]:
        if all_fit(guess, found):
            yield f"[{name}]: {guess}, which is so, would be told “{sentence}”"


def filled_in(source: str, right: Sequence[Any] = ANY) -> str:
    """The source of a cell with its prediction filled in; the last part stands for further ones.

    >>> filled_in('prediction = (None, {"b": None})  # two\\nprint(1)', [5, "80..88"])
    "prediction = (5, {'b': '80..88'})\\nprint(1)"
    >>> filled_in("prediction = None  # a list", [1, 2])
    'prediction = [1, 2]'
    >>> filled_in("prediction = {'a': None}", [1, 2]), filled_in("prediction = (None, '?')")
    ("prediction = {'a': [1, 2]}", 'prediction = (7, 7)')
    """
    for node in syntax_tree(source).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "prediction":
            empty = eval(compile(ast.Expression(node.value), "<prediction>", "eval"))
            if len(right) <= len(list(parts(empty))):
                filled = _filled(empty, list(right))
            else:  # a list, or a dict of lists: its cell looks at the form alone
                filled = {key: list(right) for key in empty} if isinstance(empty, dict) else list(right)
            lines = source.splitlines()
            lines[node.lineno - 1 : node.end_lineno] = [f"prediction = {filled!r}"]
            return "\n".join(lines)
    return source


def _filled(empty: Any, rest: list[Any]) -> Any:
    if isinstance(empty, dict):
        return {key: _filled(value, rest) for key, value in empty.items()}
    if isinstance(empty, list | tuple):
        return type(empty)(_filled(value, rest) for value in empty)
    if empty not in EMPTY:
        return empty
    return rest.pop(0) if len(rest) > 1 else rest[0]
