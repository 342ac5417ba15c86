"""What is fuzzed. A target has inputs to start from, its own way to change them, and a run that may raise nothing.

The allowed ends of a run are a result that keeps its promises, or the product's own error with one sentence.
"""

from __future__ import annotations

import atexit
import gzip
import io
import json
import shutil
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, cast

import nbformat

from autograder.classroom.platforms.collect import collect
from autograder.errors import UserError
from autograder.lesson import wire
from autograder.lesson.probes import AnswerLost, AnswerTimeout
from autograder.referee.check_cells import setup_names
from autograder.referee.judge import _Grading
from autograder.referee.matching import Matcher
from autograder.referee.rebuild import rebuild
from autograder.referee.report import Report
from autograder.sandbox.process import PupilProcess, Reading
from autograder.sandbox.transport import TIME_IS_UP
from autograder.sandbox.walls import Sandbox
from autograder.unit.assignment import Course
from autograder.unit.ingest import MAX_ADDED_CELLS, take
from autograder.unit.raw import cells_of, parse, source_of, unit_of

from ..conftest import make_course
from .mutate import mutate_bytes, mutate_json

RIGHT = {
    "mul_vjp": "def mul_vjp(g, a, b):\n    return g * b, g * a\n",
    "unbox": "def unbox(boxes):\n    return sum(math.log(b.value) for b in boxes)\n",
}


@dataclass
class Target:
    """Something that takes bytes of a stranger's."""

    seeds: list[bytes]
    mutate: Callable[[Random, bytes], bytes]
    #: False when the input was refused as a whole
    run: Callable[[bytes], bool]


def packed(entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of these entries."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def assert_one_sentence(text: str) -> None:
    assert text.strip(), "an error without a text"
    assert len(text) < 1000, f"an error of {len(text)} characters"
    printable = wire.printable(text, 1000)
    assert "\n" not in printable, f"an error of several lines: {text!r}"


# -- a notebook ---------------------------------------------------------------------------------------------------


def ingest(course: Course) -> Target:
    """A submitted file's bytes, to the cells that would be run."""
    mini = course.assignment("mini")
    solved: Any = json.loads(nbformat.writes(mini.solved(RIGHT)))
    stubs: Any = json.loads(nbformat.writes(mini.solved({}, others="stub")))
    added = json.loads(json.dumps(solved))
    added["cells"][3:3] = [
        {"cell_type": "code", "source": "x = 1", "outputs": [{"data": {"text/html": "<b>"}}]}
    ] * 2
    added["cells"].append(dict(solved["cells"][-1]))
    old = {"nbformat": 3, "worksheets": [{"cells": [dict(c, input=c["source"]) for c in solved["cells"]]}]}
    seeds = [json.dumps(notebook).encode() for notebook in (solved, stubs, added, old)]
    seeds += [gzip.compress(seeds[0], mtime=0), packed({"a/mini.ipynb": seeds[0]}), seeds[0] + seeds[0][:300]]

    def run(data: bytes) -> bool:
        try:
            notebook = parse(data, "the file", notes := [])
            for note in notes:
                assert_one_sentence(note)
        except UserError as error:
            assert_one_sentence(str(error))
            return False
        unit_of(notebook)
        submission = take(notebook, mini)
        assert len(submission.added) <= MAX_ADDED_CELLS
        assert set(submission.answers) <= set(RIGHT)
        for note in submission.notes:
            assert_one_sentence(note)
        for step in rebuild(mini, submission):
            step.source.encode("utf-8")
        for cell in cells_of(notebook):
            source_of(cell).encode("utf-8")
        return True

    def mutate(random: Random, data: bytes) -> bytes:
        return (mutate_bytes if random.random() < 0.4 else mutate_json)(random, data)

    return Target(seeds, mutate, run)


# -- replies ------------------------------------------------------------------------------------------------------


WALLS = Sandbox()


class Said:
    """A link on which everything has been said already. A reply with the id "asked" answers whatever is asked."""

    def __init__(self, data: bytes) -> None:
        self.received = bytearray(data)

    def exchange(self, request: dict[str, Any] | None, until: float) -> dict[str, Any] | str:
        self.asked = request["id"] if request is not None else self.asked
        try:
            message = wire.take_frame(self.received)
        except wire.WireError as error:
            return f"it broke off the conversation ({error})"
        if message is None:
            return "" if self.received else TIME_IS_UP
        if message.get("id") == "asked":
            message["id"] = self.asked
        return message

    cpu_at_end = 0.0

    def first(self) -> None:
        """There is no process whose time could be read."""

    def exit_code(self, seconds: float) -> int | None:
        return None

    def interrupted(self) -> bool:
        return False

    def last_words(self) -> str:
        return ""

    def close(self) -> None:
        pass


def pupil_that_says(data: bytes) -> PupilProcess:
    """A pupil whose side of the conversation is these bytes."""
    process = cast(PupilProcess, PupilProcess.__new__(PupilProcess))
    process.sandbox = WALLS
    # Said answers at once that time is up, so a call has none.
    process.deadline, process.call_seconds = float("inf"), 0.0
    process.cpu_seconds, process.used = float("inf"), 0.0
    process.looked = time.monotonic()
    process.started = Reading(process.looked)
    process.link = Said(data)
    return process


def frame(body: bytes) -> bytes:
    return len(body).to_bytes(8, "big") + body


def bodies(data: bytes) -> list[bytes]:
    """The bodies of frames that were put together by `frame`."""
    found = []
    while len(data) >= 8:
        end = 8 + int.from_bytes(data[:8], "big")
        found.append(data[8:end])
        data = data[end:]
    return found


def replies(course: Course) -> Target:
    """All that a pupil sends, to the outcomes of the exercises."""
    import numpy as np

    mini = course.assignment("mini")
    names = setup_names(mini)

    def said(*messages: dict[str, Any]) -> bytes:
        return b"".join(frame(json.dumps({"id": "asked", **message}).encode()) for message in messages)

    def value(*values: object) -> bytes:
        return said(*({"value": wire.pack(v), "mutated": []} for v in values))

    seeds = [
        value((30.0, 20.0), (1.0, 2.0), (1, 2), [1.0, 2.0]),
        value(1.0, 0.0, 2.0, float("nan"), 10**30, 1 + 2j, "text", None, True),
        value(np.ones(()), np.ones((2, 3)), np.float32(1), np.arange(3), {"a": (1, {"b": 2})}, print),
        said(
            {"error": ["ValueError", "no", "line 1: x", ""]},
            {"text": "printed\n"},
            {"value": 1.0, "mutated": [0, 1]},
        ),
        said({"text": "a", "error": ["NameError", "name 'x' is not defined", "", "x"]}) + value((30.0, 20.0)),
        value((30.0, 20.0)) * 12,
    ]

    def run(data: bytes) -> bool:
        at_once, streamed = _all_frames(data), _streamed(data)
        assert repr(at_once) == repr(streamed), "the two readers of frames disagree"
        try:
            result = pupil_that_says(data).run_cell("x")
            result.text.encode("utf-8")
        except (AnswerLost, AnswerTimeout) as error:
            assert_one_sentence(str(error))
        process = pupil_that_says(data)
        report = Report("mini", 1, True)
        grading = _Grading(mini, report, cast(Any, process), Matcher(mini, (), process.sandbox), names)
        for exercise in mini.exercises:
            outcome = grading.judge(exercise, "x = 1")
            assert not outcome.doubtful, report.notes
            assert outcome.points == 0, "replies that were never computed have earned points"
            told = outcome.text
            assert len(told.encode("utf-8")) < 4000
            assert "\x1b" not in told and "\n✓" not in told
        return len(at_once) > 1

    def mutate(random: Random, data: bytes) -> bytes:
        if random.random() < 0.25:
            return mutate_bytes(random, data)
        parts = bodies(data)
        if not parts:
            return data
        for _ in range(random.randrange(1, 3)):
            at = random.randrange(len(parts))
            parts[at] = (mutate_bytes if random.random() < 0.2 else mutate_json)(random, parts[at])
            if random.random() < 0.2:
                parts[at:at] = [parts[at]] * random.randrange(3)
        return b"".join(map(frame, parts))

    return Target(seeds, mutate, run)


def _all_frames(data: bytes) -> list[Any]:
    received, found = bytearray(data), []
    try:
        while (message := wire.take_frame(received)) is not None:
            found.append(message)
            _unpacked(message.get("value"))
    except wire.WireError as error:
        found.append(str(error))
    return found


def _streamed(data: bytes) -> list[Any]:
    stream, found = io.BytesIO(data), []
    try:
        while (message := wire.read_frame(cast(Any, stream))) is not None:
            found.append(message)
    except wire.WireError as error:
        found.append(str(error))
    return found


def _unpacked(tree: object) -> None:
    """What is unpacked can be packed, and is then unpacked to the same again."""
    try:
        value = wire.unpack(tree)
    except wire.WireError as error:
        assert_one_sentence(str(error)[:900])
        return
    packed = wire.pack(value)
    assert json.dumps(wire.pack(wire.unpack(packed))) == json.dumps(packed)
    wire.frame({"value": packed})


# -- an archive ---------------------------------------------------------------------------------------------------

NOTEBOOKS = {"mini": "mini"}


def archives(course: Course) -> Target:
    """A platform's archive, to the folders of students."""
    mini = course.assignment("mini")
    solved = nbformat.writes(mini.solved(RIGHT)).encode()
    bare = b'{"cells": [], "metadata": {"autograder": {"unit": "mini"}}}'
    root = Path(tempfile.mkdtemp(prefix="fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    atexit.register(shutil.rmtree, root, ignore_errors=True)

    inner = packed({"mini.ipynb": bare, "deeper.zip": packed({"x.ipynb": bare})})
    seeds = [
        packed({"lovelaceada_4711_9_mini.ipynb": bare, "hopper_LATE_4712_8_mini-1.ipynb": bare}),
        packed(
            {"Ada Lovelace_4711_assignsubmission_file_/mini.ipynb": solved, "ada/mini/mini (1).ipynb": bare}
        ),
        packed({"lovelaceada_4711_9_work.zip": inner, "bob/mini.ipynb": bare}),
        packed({"a/mini.ipynb": bare, "../b/mini.ipynb": bare, "c\\mini.ipynb": bare}, zipfile.ZIP_STORED),
        packed({"lovelaceada_4711_9_work.zip": packed({"mini.ipynb": bare}, zipfile.ZIP_BZIP2)}),
    ]

    def run(data: bytes) -> bool:
        source, place = root / "all.zip", root / "submitted"
        source.write_bytes(data)
        try:
            result = collect(source, NOTEBOOKS, lambda s, u: place / s / u)
            for reason in result.skipped:
                assert_one_sentence(reason)
            for path in place.rglob("*.ipynb"):
                student, unit, name = path.relative_to(place).parts
                assert student in result.students and (unit, name) == ("mini", "mini.ipynb")
            assert {p.name for p in root.iterdir()} <= {"all.zip", "submitted"}
        except UserError as error:
            assert_one_sentence(str(error))
            return False
        finally:
            shutil.rmtree(place, ignore_errors=True)
        return bool(result.students)

    def mutate(random: Random, data: bytes) -> bytes:
        if random.random() < 0.6:  # most often in place, so that what points into the archive still does
            return mutate_bytes(random, data, in_place=random.random() < 0.8)
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                entries = {n: archive.read(n) for n in archive.namelist() if len(n) < 5000}
        except Exception:
            return mutate_bytes(random, data)
        changed = {}
        for name, body in entries.items():
            if random.random() < 0.3:
                name = mutate_bytes(random, name.encode("utf-8", "replace")).decode("utf-8", "replace")
            if random.random() < 0.3:
                body = (mutate if name.endswith(".zip") else mutate_json)(random, body)
            changed[name[:4000] or "x"] = body
        try:
            return packed(
                changed, random.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
            )
        except (ValueError, IndexError):  # a name that no archive can have
            return mutate_bytes(random, data)

    return Target(seeds, mutate, run)


TARGETS: dict[str, Callable[[Course], Target]] = {"ingest": ingest, "wire": replies, "collect": archives}


def make(name: str) -> Target:
    """A target, with a course of its own."""
    root = Path(tempfile.mkdtemp(prefix="fuzz-course-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    return TARGETS[name](make_course(root))
