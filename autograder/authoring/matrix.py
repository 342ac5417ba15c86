"""Which check ends which wrong answer: of every check of an exercise, not of the first that fails alone.

A check cell stops at its first failure, so what stands behind it is never asked. Here each statement of the cell runs
in a guard of its own: one that fails is noted, what it would have set is forgotten, and the next one runs. So a check
is seen that ends nothing at all, or nothing that the others do not end as well.
"""

from __future__ import annotations

import ast
import csv
import io
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..lesson.failures import TestFault
from ..lesson.probes import AnswerLost, AnswerTimeout, Session
from ..lesson.syntax import syntax_tree
from ..referee.bank import load_bank
from ..referee.check_cells import checking, in_hidden_part, remember, setup_names
from ..referee.matching import CALL_SECONDS
from ..sandbox.process import PupilProcess
from ..sandbox.walls import Sandbox
from ..unit.assignment import Assignment, Exercise
from .equivalents import read_equivalents
from .mutants import mutants
from .mutation import AT_LEAST, Subject, reason_for
from .parallel import each
from .trial import SECONDS, stopped_by

#: The methods of a check that judge.
METHODS = {"close", "equal", "true", "same_as", "untouched"}
#: Statements that hold others, each of which gets a guard of its own. A `try` is one statement: it has its guard.
BLOCKS = (ast.For, ast.While, ast.If, ast.With)
GUARDED = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Assert, ast.Try, *BLOCKS)


@dataclass(frozen=True)
class Check:
    """One statement of a check cell that judges."""

    exercise: str
    line: int
    text: str
    hidden: bool


@dataclass(frozen=True)
class Row:
    """What the checks of its exercise made of one wrong answer."""

    exercise: str
    answer: str
    #: "wrong" or "mutant"
    kind: str
    #: the lines of the checks that it fails
    ended_by: frozenset[int]
    #: the lines that were not reached, since its process was lost
    unknown: frozenset[int] = frozenset()


@dataclass
class Matrix:
    """A unit's checks and what they end."""

    unit: str
    checks: list[Check] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    #: what is wrong with the run itself
    faults: list[str] = field(default_factory=list)

    def ended(self, check: Check) -> list[Row]:
        """The answers that fail this check."""
        return [row for row in self.rows if row.exercise == check.exercise and check.line in row.ended_by]

    def alone(self, check: Check) -> list[Row]:
        """Those of them that fail no other."""
        return [row for row in self.ended(check) if len(row.ended_by | row.unknown) == 1]

    @property
    def idle(self) -> list[Check]:
        """The checks that end nothing at all."""
        return [check for check in self.checks if not self.ended(check)]

    @property
    def never_alone(self) -> list[Check]:
        """The checks that end only what others end as well."""
        return [check for check in self.checks if self.ended(check) and not self.alone(check)]

    def csv(self) -> str:
        """The whole of it, a line for each answer and each check of its exercise."""
        text = io.StringIO()
        out = csv.writer(text, lineterminator="\n")
        out.writerow(["exercise", "answer", "kind", "line", "part", "check", "ends it"])
        for row in self.rows:
            for check in self.checks:
                if check.exercise == row.exercise:
                    ends = "?" if check.line in row.unknown else int(check.line in row.ended_by)
                    part = "hidden" if check.hidden else "visible"
                    out.writerow([row.exercise, row.answer, row.kind, check.line, part, check.text, ends])
        return text.getvalue()


def checks_of(exercise: Exercise) -> list[Check]:
    """The judging statements of a check cell, in order."""
    lines = exercise.check.splitlines()
    return [
        Check(exercise.name, line, lines[line - 1].strip(), in_hidden_part(exercise.check, line))
        for line in _judging(syntax_tree(exercise.check))
    ]


def _judging(tree: ast.AST) -> list[int]:
    """The lines at which a statement of this tree judges."""
    return sorted(
        {
            node.lineno
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
            and node.value.func.attr in METHODS
        }
    )


class _Stop(BaseException):
    """The answer's process is gone. No guard holds it."""


class _Notes:
    """What the guards see."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.ended_by: set[int] = set()
        #: the line at which the process was lost
        self.lost_at = 0

    def failed(self, line: int, lines: Sequence[int], stored: Sequence[str], error: Exception) -> None:
        """A statement failed: its checks end the answer, and what it sets is not to be had."""
        if not isinstance(
            error, TestFault
        ):  # that one looks at a call which gave nothing: another check's affair
            self.ended_by.update(lines)
        if isinstance(error, AnswerTimeout | AnswerLost):
            self.lost_at = line
            raise _Stop
        for name in stored:
            self.names.pop(name, None)


class _Guards(ast.NodeTransformer):
    """Puts every statement of a `with` block, and of the blocks in it, into a guard."""

    def visit_With(self, node: ast.With) -> ast.With:
        node.body = self.guarded(node.body)
        return node

    def guarded(self, block: list[ast.stmt]) -> list[ast.stmt]:
        return [
            self._guard(statement) if isinstance(statement, GUARDED) else statement for statement in block
        ]

    def _guard(self, statement: ast.stmt) -> ast.stmt:
        lines = _judging(statement)
        stored = sorted(
            {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        )
        if isinstance(statement, BLOCKS):
            statement.body = self.guarded(statement.body)
            if not isinstance(statement, ast.With):
                statement.orelse = self.guarded(statement.orelse)
        call = f"_notes.failed({statement.lineno}, {lines}, {stored}, _error)"
        (guard,) = syntax_tree(f"try:\n    pass\nexcept Exception as _error:\n    {call}").body
        assert isinstance(guard, ast.Try)
        guard.body = [statement]
        return guard


def _guarded(check: str, filename: str) -> Any:
    tree = _Guards().visit(syntax_tree(check))
    return compile(ast.fix_missing_locations(tree), filename, "exec")


def row_of(
    assignment: Assignment,
    exercise: Exercise,
    name: str,
    kind: str,
    answer: str,
    sandbox: Sandbox,
    seed: int = 0,
) -> Row:
    """Run one answer through every statement of its check. Raises SandboxError."""
    filename = f"<matrix {assignment.unit} {exercise.name}>"
    remember(filename, exercise.check)
    process = PupilProcess(sandbox, assignment.allowed, time.monotonic() + SECONDS)
    process.call_seconds = min(CALL_SECONDS, sandbox.call_seconds)
    names = setup_names(assignment)
    notes = names["_notes"] = _Notes(names)
    try:
        for cell in assignment.trusted_cells():
            process.run_cell(answer if cell.name == exercise.name else cell.source)
        with checking(Session(process, seed, quiet=True)):
            exec(_guarded(exercise.check, filename), names)
    except _Stop:
        pass
    except TestFault:
        if not notes.ended_by:  # where every statement failed, the block has made no check
            raise
    finally:
        process.close()
    lines = frozenset(check.line for check in checks_of(exercise))
    unknown = frozenset(line for line in lines - notes.ended_by if 0 < notes.lost_at < line)
    return Row(exercise.name, name, kind, frozenset(notes.ended_by), unknown)


def matrix(
    assignment: Assignment,
    sandbox: Sandbox,
    *,
    seed: int = 0,
    jobs: int | None = None,
    plan: Callable[[int], None] = lambda count: None,
    done: Callable[[Row], None] = lambda row: None,
) -> Matrix:
    """Run the bank's wrong answers and the mutants of the model answers through all checks of a unit."""
    found = Matrix(assignment.unit, [check for e in assignment.exercises for check in checks_of(e)])
    order = list(_answers(assignment))
    plan(len(order))

    rows: dict[int, Row | str] = {}
    for i, row in each(_run, (assignment, sandbox, seed), order, jobs):
        rows[i] = row
        if isinstance(row, Row):
            done(row)
    for _, row in sorted(rows.items()):
        if isinstance(row, str):
            found.faults.append(row)
        elif row.kind == "model":
            found.faults += [f"{row.exercise}: line {line} ends the model answer." for line in row.ended_by]
        else:
            found.rows.append(row)
    return found


def _run(given: tuple[Assignment, Sandbox, int], one: tuple[Exercise, str, str, str]) -> Row | str:
    assignment, sandbox, seed = given
    exercise, name, kind, answer = one
    try:
        return row_of(assignment, exercise, name, kind, answer, sandbox, seed)
    except Exception as error:
        return f"{exercise.name}: of {name!r}, {stopped_by(error)}."


def _answers(assignment: Assignment) -> Iterator[tuple[Exercise, str, str, str]]:
    """The model answers, which nothing may end, the bank's wrong ones, and the mutants that are faults."""
    listed = read_equivalents(assignment)
    bank = load_bank(assignment)
    for exercise in assignment.exercises:
        yield exercise, "the model answer", "model", exercise.solution
        for entry in bank:
            if entry.exercise == exercise.name and not entry.right and entry.ends:
                yield exercise, entry.name, "wrong", entry.answer(exercise.solution)
        for mutant in mutants(exercise.solution, AT_LEAST):
            subject = Subject(exercise.name, "", mutant, mutant.source, exercise.solution)
            if not reason_for(subject, listed):
                yield exercise, " AND ".join(subject.names), "mutant", mutant.source


def table_of(checks: Iterable[Check], found: Matrix) -> Iterator[tuple[str, ...]]:
    """A line for each check: exercise, line, part, how many it ends, how many alone, its text."""
    for check in checks:
        part = "hidden" if check.hidden else "visible"
        ended, alone = len(found.ended(check)), len(found.alone(check))
        yield check.exercise, str(check.line), part, str(ended), str(alone), check.text
