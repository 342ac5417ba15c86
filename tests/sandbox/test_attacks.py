# ruff: noqa: E501  (an attack stays on its line)
"""What cheating earns: exactly what the answers deserve. And what it reaches: nothing outside its own sandbox.

Nearly every attack here stands in a cell that the student added before all others, in a submission whose first answer
is right (2 points) and whose second is wrong (0 of 3). An attack that steals shows as more than that; an attack that
the referee punishes by mistake shows as less.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest

from autograder.referee.judge import Report, grade
from autograder.sandbox.process import PupilProcess
from autograder.sandbox.walls import Sandbox, SandboxError
from autograder.unit.assignment import Assignment, Course
from autograder.unit.ingest import AddedCell, Submission, read_submission, take

RIGHT = "def mul_vjp(g, a, b):\n    return g * b, g * a\n"
WRONG = "def unbox(boxes):\n    return 0.125\n"
RIGHT_UNBOX = "def unbox(boxes):\n    return sum(math.log(b.value) for b in boxes)\n"
HONEST = [(2, "passed"), (0, "failed")]

#: Finds the pupil's own side of the conversation: what a student can reach in the frames below.
INSIDE = """
import sys, os, json, threading, time
def converse_frame():
    frame = sys._getframe()
    while frame.f_code.co_name != "converse" or "answers" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals
inside = converse_frame()
def send(body):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    inside["answers"].write(len(body).to_bytes(8, "big") + body)
"""


@pytest.fixture(scope="module", params=["bubblewrap", "landlock"])
def kind(request: pytest.FixtureRequest) -> dict[str, bool]:
    """The wall that an attack runs against: the options that choose it."""
    options = {"unsandboxed": request.param == "landlock"}
    try:
        assert Sandbox(**options).wall() == request.param
    except SandboxError as error:
        pytest.skip(str(error))
    return options


@pytest.fixture(scope="module")
def walls(mini_course: Course, kind: dict[str, bool]) -> Sandbox:
    """A sandbox whose processes can be told from those of every other test run on this machine."""
    marked = 40_000 + random.SystemRandom().randrange(10_000)
    return Sandbox(call_seconds=2.0, output_chars=marked, hidden_paths=[str(mini_course.root)], **kind)


def alive(sandbox: Sandbox) -> list[int]:
    """The pupils that this test process has started, or what they have forked, and that still live.

    A warm interpreter stays, and so do its walls; what it forked is one process namespace deeper.
    """
    found = []
    own = depth(os.getpid())
    for process in psutil.Process().children(recursive=True):
        try:
            words = " ".join(process.cmdline())
            if "pupil.py" not in words or process.status() == psutil.STATUS_ZOMBIE:
                continue
            if '"nursery"' not in words or depth(process.pid) > own + 1:
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return found


def depth(pid: int) -> int:
    """How many process namespaces a process is in."""
    (line,) = (x for x in Path(f"/proc/{pid}/status").read_text().splitlines() if x.startswith("NSpid:"))
    return len(line.split()) - 1


def soon(condition: Callable[[], bool], seconds: float = 3.0) -> bool:
    """True as soon as the condition holds; the kernel needs a moment to bury a namespace."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def content(root: Path) -> dict[str, str]:
    """Every file below a folder, with a hash of what is in it."""
    return {
        str(p): hashlib.sha256(p.read_bytes()).hexdigest() if p.is_file() else ""
        for p in root.rglob("*")
        if "__pycache__" not in p.parts
    }


@pytest.fixture(autouse=True)
def nothing_outside_changes(mini_course: Course, walls: Sandbox) -> Iterator[None]:
    before = content(mini_course.root)
    yield
    assert content(mini_course.root) == before
    assert soon(lambda: not alive(walls)), "something that the submission started is still alive"


@pytest.fixture
def attack(mini: Assignment, walls: Sandbox) -> Callable[..., Report]:
    """Grade answers with a cell before all others; by default the first is right and the second wrong."""

    def run(code: str, sandbox: Sandbox | None = None, **answers: str) -> Report:
        added = [AddedCell("", "code", code)] if code else []
        given = {"mul_vjp": RIGHT, "unbox": WRONG} | answers
        return grade(mini, Submission(answers=given, added=added), sandbox or walls, seed=1)

    return run


def earned(report: Report) -> list[tuple[float, str]]:
    return [(o.points, o.status) for o in report.outcomes]


def said(report: Report) -> str:
    """What the added cell printed."""
    result = report.outputs["added-1"]
    assert result.error is None, result.error
    return result.text


def test_the_honest_submission_that_attacks_are_measured_by_earns_two_of_five(
    attack: Callable[..., Report],
) -> None:
    assert earned(attack("")) == HONEST


def test_processes_of_a_sandbox_are_seen_while_they_live_and_gone_afterwards(walls: Sandbox) -> None:
    process = PupilProcess(walls, (), time.monotonic() + 30)
    process.run_cell("import os, time\nif not os.fork():\n    os.setsid(); time.sleep(60)\n")
    assert len(alive(walls)) >= 3  # bubblewrap, the pupil, its child
    process.close()
    assert soon(lambda: not alive(walls))


PATCHES = {
    "builtins and asserts": """
        import builtins
        builtins.abs = lambda x: 0.0
        builtins.AssertionError = KeyError
        builtins.round = lambda *a: 0
        __builtins__.any = lambda *a: False
    """,
    "math": "import math\nmath.isclose = lambda *a, **k: True\nmath.isnan = lambda x: True",
    "NumPy": """
        import numpy, numpy.testing
        numpy.isclose = numpy.allclose = numpy.array_equal = lambda *a, **k: numpy.array(True)
        numpy.testing.assert_allclose = lambda *a, **k: None
    """,
    "IPython": """
        from IPython.core.interactiveshell import InteractiveShell
        InteractiveShell.showtraceback = lambda *a, **k: None
        get_ipython().set_custom_exc((Exception,), lambda *a, **k: None)
        get_ipython().ast_transformers.append(type("T", (), {"visit": lambda self, node: node})())
    """,
    "autograder.lesson.checks": """
        import autograder.lesson.checks as checks
        checks.difference = lambda *a, **k: None
        checks.exercise.__exit__ = lambda *a: True
        checks.exercise.close = checks.exercise.equal = checks.exercise.true = lambda *a, **k: None
        checks.CheckFailed = type("Quiet", (Warning,), {})
    """,
    "autograder.lesson.compare": """
        import autograder.lesson.compare as compare
        compare.difference = compare._array_difference = lambda *a, **k: None
        compare.close = lambda *a, **k: True
        compare.RTOL = compare.ATOL = float("inf")
    """,
    "autograder.lesson.probes": """
        import autograder.lesson.probes as probes
        probes.current_session().checks_made = 99
        probes.Probe.__call__ = lambda *a: None
        probes.AnswerError.unfinished = False
        probes._notebook_session.quiet = True
    """,
    "autograder.lesson.wire": """
        import autograder.lesson.wire as wire
        wire.Opaque.__eq__ = lambda a, b: True
        wire.MAX_ITEMS = wire.MAX_DEPTH = wire.MAX_TEXT = wire.MAX_FRAME_BYTES = 10 ** 12
        wire.WireError = KeyError
    """,
    "the names that the check cells use": """
        class Everything:
            def __getattr__(self, name): return self
            def __call__(self, *a, **k): return self
            def __enter__(self): return self
            def __exit__(self, *a): return True
            def __iter__(self): return iter(())
        exercise = probe = yours = check = numerical_gradient = number = positive = Everything()
        import autograder
        autograder.exercise = autograder.probe = autograder.yours = Everything()
    """,
    "sys.settrace": """
        import sys, threading
        def tracer(frame, event, arg):
            for name in ("expected", "points", "passed", "status"):
                frame.f_locals[name] = 99
            return tracer
        sys.settrace(tracer); sys.setprofile(tracer); threading.settrace(tracer)
        sys.settrace(None); sys.setprofile(None)
    """,
    "gc": """
        import gc
        for found in gc.get_objects():
            if type(found) is dict and "points" in found:
                found["points"] = 99
            if type(found) is dict and "max_points" in found:
                found["max_points"] = 0
    """,
    "the import system": """
        import sys
        sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "Guard"]
        sys.modules["autograder.lesson.compare"] = sys.modules["autograder.lesson.checks"] = sys
    """,
    "planted files and start-up code": """
        import os, pathlib
        home = pathlib.Path.home()
        evil = "import builtins; builtins.abs = lambda x: 0\\nraise SystemExit(0)\\n"
        (home / ".ipython/profile_default/startup").mkdir(parents=True, exist_ok=True)
        (home / ".ipython/profile_default/startup/00.py").write_text(evil)
        for name in ("numpy.py", "ipykernel_launcher.py", "sitecustomize.py", "usercustomize.py", "autograder.py"):
            (home / name).write_text(evil)
    """,
    "forged output": """
        print("✓ mul_vjp: right (11 checks passed)"); print("✓ unbox: right (12 checks passed)")
        from IPython.display import display
        3.0
    """,
}


def dedent(code: str) -> str:
    import textwrap

    return textwrap.dedent(code).strip()


@pytest.mark.parametrize("name", PATCHES)
def test_patching_the_pupil_s_own_process_neither_earns_nor_costs_points(
    name: str, attack: Callable[..., Report]
) -> None:
    report = attack(dedent(PATCHES[name]))
    assert report.outputs["added-1"].error is None, "the attack itself is broken"
    assert earned(report) == HONEST


def test_an_answer_cell_that_redefines_the_check_earns_nothing(attack: Callable[..., Report]) -> None:
    code = f"{dedent(PATCHES['the names that the check cells use'])}\n{dedent(PATCHES['autograder.lesson.checks'])}\n"
    assert earned(attack("", mul_vjp=code, unbox=code + "def unbox(boxes): return 1.0")) == [
        (0, "error"),
        (0, "failed"),
    ]


LIARS = {
    "an object that equals everything": """
        class Yes:
            __eq__ = __le__ = __lt__ = __ge__ = __gt__ = lambda *a: True
            __ne__ = lambda *a: False
            __hash__ = lambda self: 0
            __sub__ = __rsub__ = __abs__ = __float__ = lambda *a: 0.0
        def unbox(boxes): return Yes()
    """,
    "a float that is always near": """
        class Near(float):
            __eq__ = __le__ = __lt__ = __ge__ = __gt__ = lambda *a: True
            __ne__ = lambda *a: False
            __sub__ = __rsub__ = __abs__ = lambda *a: Near(0)
            __float__ = lambda self: 1.0
        def unbox(boxes): return Near(7)
    """,
    "an int, a tuple and a text of subclasses": """
        class T(tuple):
            __eq__ = lambda *a: True
        class S(str):
            __eq__ = lambda *a: True
        class I(int):
            __eq__ = lambda *a: True
        def unbox(boxes): return T((S("1.0"), I(1)))
    """,
    "an array whose ufuncs lie": """
        import numpy as np
        class Liar(np.ndarray):
            def __array_ufunc__(self, *a, **k): return np.array(True)
            def __array_function__(self, *a, **k): return np.array(True)
            __eq__ = lambda *a: np.array(True)
        def unbox(boxes): return np.array(7.0).view(Liar)
    """,
    "an array protocol that lies": """
        import numpy as np
        class Proto:
            dtype, ndim, shape = np.dtype(float), 0, ()
            __array__ = lambda self, *a, **k: np.array(1.0)
            __array_interface__ = np.array(1.0).__array_interface__
        def unbox(boxes): return Proto()
    """,
    "an object array": "import numpy as np\ndef unbox(boxes): return np.array([1.0], dtype=object)",
    "a structured array": "import numpy as np\ndef unbox(boxes): return np.zeros(2, 'f8,f8')",
    "a repr that writes a success": """
        class Loud:
            def __repr__(self): return "1.0\\n✓ unbox: right (3 of 3 points)\\x1b[2J"
        def unbox(boxes): return Loud()
    """,
    "a repr that ends the process": """
        import os
        class Boom:
            def __repr__(self): raise SystemExit(0)
        def unbox(boxes):
            try: return [Boom()]
            finally: pass
    """,
    "a type whose name is a success": """
        def unbox(boxes): return type("float\\n✓ unbox: right\\x1b[2J", (), {})()
    """,
    "an exception that calls itself a pass": """
        def unbox(boxes): raise type("Passed", (Exception,), {"__str__": lambda s: "x\\n✓ unbox: right\\x1b[2J"})()
    """,
    "not a number": "def unbox(boxes): return float('nan')",
    "a NumPy not a number": "import numpy as np\ndef unbox(boxes): return np.float64('nan')",
    "an infinity": "def unbox(boxes): return float('inf')",
    "a generator": "def unbox(boxes): yield 1.0",
    "the example by heart": "def unbox(boxes): return 1.0",
    "the example by heart, from the probe's own name and source": """
        import sys
        def unbox(boxes):
            caller = sys._getframe(1)
            known = caller.f_locals.get("values")
            for place in (caller.f_locals, caller.f_globals, caller.f_back.f_locals, caller.f_back.f_globals):
                for name in ("expected", "answer", "want", "reference"):
                    if name in place:
                        return place[name]
            return 1.0 if len(known) == 2 else 0.0
    """,
    "numbers that look like expected ones in every frame and object": """
        import gc, sys, math
        def unbox(boxes):
            frame, seen = sys._getframe(1), []
            while frame:
                seen += [v for v in frame.f_locals.values() if type(v) is float]
                frame = frame.f_back
            seen += [x for o in gc.get_objects() if type(o) in (tuple, list) and len(o) < 9 for x in o if type(x) is float]
            return next((x for x in seen if x not in [b.value for b in boxes]), 0.5)
    """,
}


@pytest.mark.parametrize("name", LIARS)
def test_an_answer_that_lies_about_itself_earns_nothing(name: str, attack: Callable[..., Report]) -> None:
    report = attack("", unbox=dedent(LIARS[name]))
    first, second = report.outcomes
    assert (first.points, second.points) == (2, 0)
    assert second.status in ("failed", "error")
    assert not second.doubtful, second.message
    told = json.dumps(report.as_json(), ensure_ascii=False)
    assert "\x1b" not in second.text
    assert "\n✓" not in second.text
    assert len(told) < 4000


BOMBS = {
    "an int of a million digits": "def unbox(boxes): return 10 ** 1_000_000",
    "an int just too large for a float": "def unbox(boxes): return 10 ** 400",
    "a list of a million": "def unbox(boxes): return [0.0] * 1_000_000",
    "a list of as much as may be sent": "def unbox(boxes): return [True] * 200_000",
    "a dict of a million": "def unbox(boxes): return {i: i for i in range(1_000_000)}",
    "a dict whose keys collide": "def unbox(boxes): return {(2 ** 61 - 1) * i: 0 for i in range(2_000)}",
    "a nest of lists": "def unbox(boxes):\n    x = []\n    for _ in range(5000): x = [x]\n    return x",
    "a nest that doubles at each level": "def unbox(boxes):\n    x = [1.0] * 9\n    for _ in range(30): x = [x] * 9\n    return x",
    "a list that holds itself": "def unbox(boxes):\n    x = []\n    x.append(x)\n    return x",
    "a large array": "import numpy as np\ndef unbox(boxes): return np.zeros(50_000_000)",
    "an array with very many axes": "import numpy as np\ndef unbox(boxes): return np.ones((2,) * 20, dtype=bool)",
    "a text of a hundred million characters": "def unbox(boxes): return 'x' * 100_000_000",
    "a huge key": "def unbox(boxes): return {'x' * 99_000: 1.0}",
    "a huge repr": "class R:\n    def __repr__(self): return 'x' * 100_000_000\ndef unbox(boxes): return R()",
    "a huge exception": "def unbox(boxes): raise ValueError('x' * 100_000_000)",
    "a huge type name": "def unbox(boxes): return type('x' * 10_000_000, (), {})()",
    "printing without end": "def unbox(boxes):\n    while True: print('x' * 1_000_000)",
    "lone surrogates": "def unbox(boxes): raise ValueError('\\ud800 \\udfff')",
    "a surrogate for an answer": "def unbox(boxes): return '\\ud800'",
    "memory": "def unbox(boxes):\n    x = []\n    while True: x.append(bytearray(1 << 24))",
}


@pytest.mark.parametrize("name", BOMBS)
def test_an_answer_without_measure_costs_its_own_exercise_and_is_told_in_few_words(
    name: str, attack: Callable[..., Report]
) -> None:
    start = time.monotonic()
    report = attack("", unbox=BOMBS[name])
    assert time.monotonic() - start < 9
    first, second = report.outcomes
    assert (first.points, second.points) == (2, 0)
    assert second.status in ("failed", "error", "timeout")
    assert not second.doubtful, second.message
    told = json.dumps(report.as_json(), ensure_ascii=False)
    assert len(told.encode("utf-8")) < 4000


def test_what_a_cell_prints_is_cut_on_both_sides_of_the_wire(
    attack: Callable[..., Report], walls: Sandbox
) -> None:
    forged = INSIDE + "send({'id': inside['request']['id'], 'text': 'x' * 5_000_000})\n"
    for code in ("print('x' * 5_000_000)", forged):
        report = attack(code)
        assert earned(report) == HONEST
        assert len(report.outputs["added-1"].text) <= walls.output_chars + 100


FRAMES = {
    "garbage": "inside['answers'].write(b'\\xff' * 70_000)",
    "half a frame": "inside['answers'].write((100).to_bytes(8, 'big') + b'{')\ninside['answers'].close()",
    "a frame that claims to be endless": "inside['answers'].write((2 ** 63).to_bytes(8, 'big'))",
    "a frame that is not JSON": "send(b'{')",
    "a frame that is a list": "send([1])",
    "a frame that is nested deeply": "send(b'[' * 100_000)",
    "a frame of a number with very many digits": "send(b'{\"id\": ' + b'9' * 100_000 + b'}')",
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_broken_frame_costs_only_the_cell_that_sent_it(name: str, attack: Callable[..., Report]) -> None:
    report = attack(INSIDE + FRAMES[name] + "\ntime.sleep(0.2)\n")
    assert earned(report) == HONEST
    assert "left out" in " ".join(report.notes)


REPLIES = {
    "answers to questions that were not asked": "for i in range(50): send({'id': '%016x' % i, 'value': True})",
    "an answer twice": "send({'id': inside['request']['id'], 'text': 'one'})",
    "an answer of the wrong form": "send({'id': inside['request']['id'], 'text': 7, 'error': 'no'})",
    "points and a pass": "send({'id': inside['request']['id'], 'points': 99, 'status': 'passed', 'score': 99})",
}


@pytest.mark.parametrize("name", REPLIES)
def test_forged_replies_earn_nothing(name: str, attack: Callable[..., Report]) -> None:
    assert earned(attack(INSIDE + REPLIES[name])) == HONEST


PRE_ANSWER = """
import autograder.lesson.wire as wire
read = wire.read_frame
def forge(stream):
    while True:
        request = read(stream)
        if request is None or request.get("name") != "sum_of_logs":
            return request
        send({"id": request["id"], **REPLY})
wire.read_frame = forge
"""

FORGED = {
    "one value for all": ({"value": {"t": "float", "v": "0x1p0"}, "mutated": []}, "failed"),
    "a value that is no packed value": ({"value": {"t": "float", "v": "nan" * 99}}, "error"),
    "a dtype that is no number": (
        {"value": {"t": "array", "dtype": "O", "shape": [1], "bytes": "AAAAAAAAAAA="}},
        "error",
    ),
    "a shape that cannot be": (
        {"value": {"t": "array", "dtype": "<f8", "shape": [0, 2**31 - 1, 2**31 - 1, 2**31 - 1], "bytes": ""}},
        "error",
    ),
    "mutated arguments that are not there": ({"value": None, "mutated": [10**9, -1, "x", None]}, "failed"),
    "an error of the wrong form": ({"error": {"points": 3}}, "error"),
    "a raw number of very many digits": ({"value": 10**40, "mutated": []}, "error"),
    "no value": ({}, "failed"),
}


@pytest.mark.parametrize("name", FORGED)
def test_answers_that_are_forged_at_the_pipe_are_judged_as_any_others(
    name: str, attack: Callable[..., Report]
) -> None:
    reply, status = FORGED[name]
    report = attack(INSIDE + f"REPLY = {reply!r}\n" + PRE_ANSWER)
    assert earned(report) == [(2, "passed"), (0, status)]
    assert not report.outcomes[1].doubtful


HOSTILE_VALUES = {
    "an array of eight million truths in 23 axes": "{'t': 'array', 'dtype': '|b1', 'shape': [2] * 23, 'bytes': 'AAAA' * (2 ** 23 // 3) + 'AAA='}",
    "a dict of very many keys that collide": "{'t': 'dict', 'v': [[{'t': 'int', 'v': hex((2 ** 61 - 1) * i)}, None] for i in range(120_000)]}",
    "millions of lists": "[[]] * 3_500_000",
    "millions of items": "{'t': 'list', 'v': [True] * 2_500_000}",
    "an endless type name": "{'t': 'other', 'type': 'x' * 9_000_000, 'text': 'y' * 1_000_000}",
    "a type name with escapes and surrogates": "{'t': 'other', 'type': 'a\\x1b[2J\\ud800\\n✓ b', 'text': '\\x1b]0;x\\x07\\ud800\\n✓ unbox: right'}",
    "a text of megabytes": "'x' * 9_000_000",
    "a key of megabytes": "{'t': 'dict', 'v': [['x' * 9_000_000, None]]}",
    "an int of megabytes": "{'t': 'int', 'v': '0x' + 'f' * 9_000_000}",
}


@pytest.mark.parametrize("name", HOSTILE_VALUES)
def test_a_value_made_to_choke_the_referee_is_refused_or_judged_at_once(
    name: str, attack: Callable[..., Report]
) -> None:
    start = time.monotonic()
    report = attack(INSIDE + f"REPLY = {{'value': {HOSTILE_VALUES[name]}}}\n" + PRE_ANSWER)
    assert time.monotonic() - start < 6
    first, second = report.outcomes
    assert (first.points, second.points) == (2, 0)
    assert not second.doubtful, second.message
    assert len(second.text.encode("utf-8")) < 2000
    assert "\x1b" not in second.text
    assert "\n✓" not in second.text


FLOODS = {
    "small frames": "body = b'{}'",
    "frames of a megabyte": "body = b'{\"x\": \"' + b'x' * 1_000_000 + b'\"}'",
}


@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_of_frames_ends_in_time_and_earns_nothing(
    name: str, attack: Callable[..., Report], walls: Sandbox
) -> None:
    flood = f"""
{FLOODS[name]}
frame = len(body).to_bytes(8, "big") + body
def flood():
    while True: inside["answers"].write(frame)
threading.Thread(target=flood, daemon=True).start()
time.sleep(60)
"""
    start, memory = time.monotonic(), psutil.Process().memory_info().rss
    report = attack(INSIDE + flood)
    assert time.monotonic() - start < 3 * walls.call_seconds
    assert earned(report) == HONEST
    assert psutil.Process().memory_info().rss - memory < 300 << 20


def test_a_pupil_that_stops_reading_does_not_stop_the_referee(mini: Assignment, mini_course: Course) -> None:
    """It answers the request by itself and sleeps, so that the next request, a long one, fills the pipe."""
    deaf = INSIDE + "send({'id': inside['request']['id'], 'text': ''})\ntime.sleep(600)\n"
    long = WRONG + "#" + "x" * 150_000
    walls = Sandbox(call_seconds=1.0, hidden_paths=[str(mini_course.root)])
    start = time.monotonic()
    submission = Submission(
        answers={"mul_vjp": long, "unbox": RIGHT_UNBOX}, added=[AddedCell("", "code", deaf)]
    )
    done: list[Report] = []
    thread = threading.Thread(target=lambda: done.append(grade(mini, submission, walls, seed=1)), daemon=True)
    thread.start()
    thread.join(8 * walls.call_seconds)
    assert done, f"the referee still waits after {time.monotonic() - start:.0f} s"
    assert done[0].outcomes[0].points == 0


ENDINGS = {
    "sys.exit": "import sys\nsys.exit(0)",
    "os._exit": "import os\nos._exit(0)",
    "kill the group": "import os\nos.kill(0, 9)",
    "kill everybody": "import os\nos.kill(-1, 9)",
    "kill the parent": "import os, time\ntry:\n    os.kill(os.getppid(), 9)\nexcept OSError as e: print(e)\ntime.sleep(0.2)",
    "kill process one": "import os, time\ntry:\n    os.kill(1, 9)\nexcept OSError as e: print(e)\ntime.sleep(0.2)",
    "stop oneself": "import os\nos.kill(os.getpid(), 19)",
    "a crash in C": "import ctypes\nctypes.string_at(0)",
    "recursion without end": "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()",
    "close all files": "import os\nos.closerange(0, 100)",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "hang": "while True: pass",
    "hang against interrupts": "import signal, time\nfor s in range(1, 32):\n    try: signal.signal(s, signal.SIG_IGN)\n    except OSError: pass\nwhile True: time.sleep(1)",
    "hang in an import": "import pathlib\npathlib.Path('endless.py').write_text('while True: pass')\nimport endless",
    "hang in __del__": "class D:\n    def __del__(self):\n        while True: pass\nd = D()\ndel d",
    "hang at exit": "import atexit, time, sys\natexit.register(time.sleep, 600)\nsys.exit(0)",
    "hang in a thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()",
    "exit in a thread": "import threading, os\nthreading.Thread(target=lambda: os._exit(0)).start()\nimport time; time.sleep(0.2)",
}


@pytest.mark.parametrize("name", ENDINGS)
def test_ending_or_hanging_its_process_costs_only_the_cell_that_does_it(
    name: str, attack: Callable[..., Report]
) -> None:
    start = time.monotonic()
    assert earned(attack(ENDINGS[name])) == HONEST
    assert time.monotonic() - start < 9


@pytest.mark.parametrize(
    "name", ["sys.exit", "os._exit", "kill the group", "a crash in C", "KeyboardInterrupt"]
)
def test_ending_the_process_in_the_answer_itself_is_no_pass(name: str, attack: Callable[..., Report]) -> None:
    body = "\n".join("    " + line for line in ENDINGS[name].splitlines())
    report = attack("", unbox=f"def unbox(boxes):\n{body}\n")
    assert earned(report) == [(2, "passed"), (0, "error")]


PROCESSES = {
    "a double fork with its own session": """
        import os, time
        if not os.fork():
            os.setsid()
            if not os.fork():
                for fd in range(100):
                    try: os.close(fd)
                    except OSError: pass
                while True:
                    open("/tmp/late", "a").write("x"); time.sleep(0.05)
            os._exit(0)
    """,
    "a detached subprocess": """
        import subprocess, sys, json, os
        argv = ["pupil.py"]
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", *argv], start_new_session=True,
                         stdin=-3, stdout=-3, stderr=-3)
    """,
    "a child that ignores every signal": """
        import os, signal, time
        if not os.fork():
            for s in range(1, 32):
                try: signal.signal(s, signal.SIG_IGN)
                except OSError: pass
            os.setsid()
            while True: time.sleep(1)
    """,
    "a child that keeps the pipes open": "import os, time\nif not os.fork():\n    time.sleep(600)",
}


@pytest.mark.parametrize("name", PROCESSES)
def test_what_a_submission_leaves_running_is_dead_when_it_has_been_graded(
    name: str, attack: Callable[..., Report], walls: Sandbox
) -> None:
    assert earned(attack(dedent(PROCESSES[name]))) == HONEST
    assert soon(lambda: not alive(walls), 1.0)


def test_a_fork_bomb_is_stopped_and_costs_only_its_cell(
    attack: Callable[..., Report], walls: Sandbox
) -> None:
    most = [0]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            most[0] = max(most[0], len(alive(walls)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    report = attack("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n")
    done.set()
    watcher.join()
    assert earned(report) == HONEST
    assert 3 < most[0] <= walls.processes + 6  # bubblewrap's own two, and those of the next pupil


def test_files_fill_only_small_private_folders(attack: Callable[..., Report], walls: Sandbox) -> None:
    fill = """
        import os
        total = 0
        for folder in ("/tmp", "/dev/shm", os.path.expanduser("~")):
            for i in range(100):
                try:
                    with open(f"{folder}/{i}", "wb") as f:
                        while True: total += f.write(b"x" * (1 << 20))
                except OSError as problem: pass
        for folder in ("/", "/usr", "/etc", "/pupil", "/dev", "/home", "/pupil/library/autograder", "/root"):
            try: open(folder + "/new", "w").close(); print("wrote to", folder)
            except OSError: pass
        print("MiB", total >> 20)
    """
    report = attack(dedent(fill))
    assert earned(report) == HONEST
    if report.wall == "landlock":  # no folder of a size of its own: who fills the disk is ended
        (note,) = report.notes
        assert "was killed" in note
        return
    text = said(report)
    assert "wrote to" not in text
    assert int(text.split("MiB")[1]) <= 3 * walls.file_mb


#: Prints what a submission has no business with. `SECRETS` is set by the test.
SNOOP = """
import os
for path in SECRETS:
    try:
        print("SEEN", path, os.listdir(path) if os.path.isdir(path) else len(open(path, "rb").read()))
    except OSError:
        pass
for top, folders, files in os.walk("/"):
    folders[:] = [f for f in folders if (top, f) not in {("/", "proc"), ("/", "sys")}]
    for file in files:
        if file.endswith((".ipynb", "gradebook.db")) or file in {"mistakes.py", "referee.py", "shadow"}:
            if not top.startswith("/usr/lib"):
                print("FOUND", os.path.join(top, file))
try: processes = os.listdir("/proc")
except OSError: processes = []
for pid in filter(str.isdigit, processes):
    for name in ("environ", "cmdline"):
        try: text = open(f"/proc/{pid}/{name}", "rb").read()
        except OSError: continue
        if b"pytest" in text or b"TEST_SECRET" in text:
            print("PROCESS", pid, name)
print("VARIABLES", [k for k in os.environ if "SECRET" in k])
print("WALKED")
"""


@pytest.fixture
def secrets(mini_course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("AUTOGRADER_TEST_SECRET", "token")
    other = tmp_path / "submitted" / "ada" / "mini"
    other.mkdir(parents=True)
    (other / "mini.ipynb").write_text("{}")
    (tmp_path / "gradebook.db").write_text("grades")
    here = Path(__file__).resolve()
    return [
        *map(
            str, (tmp_path / "gradebook.db", other / "mini.ipynb", here, here.parent.parent / "autograd_ref")
        ),
        *map(str, (mini_course.root, mini_course.solutions / "mini" / "mini.py", Path.home() / ".ssh")),
        *(
            "/etc/passwd",
            "/etc/hostname",
            "/proc/1/root/etc/passwd",
            "/var",
            "/root/.bashrc",
        ),
        *("/sys/kernel", "/run", "/mnt", "/work", "/boot"),
    ]


def test_nothing_of_the_course_the_host_or_other_students_can_be_read(
    attack: Callable[..., Report], secrets: list[str]
) -> None:
    text = said(attack(f"SECRETS = {secrets!r}\n{SNOOP}"))
    assert text.splitlines() == ["VARIABLES []", "WALKED"]


def test_the_first_process_of_the_sandbox_tells_nothing_of_the_host(attack: Callable[..., Report]) -> None:
    look = """
    try:
        print("FOUND", open("/proc/1/environ").read().replace(chr(0), ""))
    except OSError:
        print("FOUND")  # another user's
    """
    assert said(attack(dedent(look))).strip() in ("FOUND", "FOUND PATH=/usr/bin:/bin")


def test_the_same_search_without_a_sandbox_does_find_things(secrets: list[str]) -> None:
    """So the test above can fail."""
    open_ = Sandbox(unsandboxed=True, landlock=False, unprotected_scores=True, call_seconds=30)
    process = PupilProcess(open_, (), time.monotonic() + 60)
    try:
        text = process.run_cell(f"SECRETS = {secrets!r}\n{SNOOP.partition('for top')[0]}").text
    finally:
        process.close()
    assert f"SEEN {secrets[0]} 6" in text
    assert "SEEN /etc/passwd" in text


@pytest.mark.parametrize(
    "module",
    ["autograd_ref.scalar", "autograd_ref.dual", "autograder.referee.judge", "autograder.referee.bank"],
)
def test_the_answer_key_and_the_grading_side_cannot_be_imported(
    module: str, attack: Callable[..., Report]
) -> None:
    code = f"""
        import sys
        tried = 0
        for turn in range(2):
            try:
                __import__("{module}")
                print("IMPORTED")
            except ImportError as problem:
                print(problem)
            sys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != "Guard"]
    """
    lines = said(attack(dedent(code))).splitlines()
    assert len(lines) == 2
    assert "may not import it" in lines[0]
    assert "No module named" in lines[1]


def test_nothing_in_the_pupil_tells_the_seed(mini: Assignment, walls: Sandbox) -> None:
    hunt = """
        import gc, os, sys
        needle = 1834627152 + 1
        seen = [o for o in gc.get_objects() if type(o) is dict and o is not globals() and needle in list(o.values())]
        texts = [str(needle) in part for part in (" ".join(sys.orig_argv), repr(dict(os.environ)), repr(inside))]
        print(len(seen), any(texts))
    """
    added = [AddedCell("", "code", INSIDE + dedent(hunt))]
    report = grade(mini, Submission(answers={"mul_vjp": RIGHT}, added=added), walls, seed=1834627153)
    assert said(report).split() == ["0", "False"]


@pytest.fixture
def listening() -> Iterator[tuple[int, str, list[socket.socket]]]:
    """A TCP server and one at an abstract Unix address, with the list of those who came."""
    came: list[socket.socket] = []
    tcp = socket.create_server(("127.0.0.1", 0))
    name = f"autograder-test-{os.getpid()}"
    unix = socket.socket(socket.AF_UNIX)
    unix.bind(f"\0{name}")
    unix.listen()

    def serve(server: socket.socket) -> None:
        while True:
            try:
                came.append(server.accept()[0])
            except OSError:
                return

    threads = [threading.Thread(target=serve, args=(server,)) for server in (tcp, unix)]
    for thread in threads:
        thread.start()
    yield tcp.getsockname()[1], name, came
    for server in (tcp, unix):
        server.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits in accept
    for thread in threads:
        thread.join()
    for used in (tcp, unix, *came):
        used.close()


def test_no_socket_leads_out_of_the_sandbox(
    attack: Callable[..., Report], listening: tuple[int, str, list[socket.socket]]
) -> None:
    port, name, came = listening
    code = f"""
        import socket
        def attempt(what, action):
            try: print("OUT", what, action())
            except OSError: print("closed", what)
        attempt("tcp", lambda: socket.create_connection(("127.0.0.1", {port}), 1))
        attempt("tcp6", lambda: socket.create_connection(("::1", {port}), 1))
        attempt("far", lambda: socket.create_connection(("1.1.1.1", 53), 1))
        attempt("udp", lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("1.1.1.1", 53)))
        attempt("dns", lambda: socket.getaddrinfo("example.org", 80))
        attempt("unix", lambda: socket.socket(socket.AF_UNIX).connect("\\0{name}"))
        try: print([i for _, i in socket.if_nameindex() if i != "lo"])
        except OSError: print([])
    """
    lines = said(attack(dedent(code))).splitlines()
    assert lines == [*(f"closed {w}" for w in ("tcp", "tcp6", "far", "udp", "dns", "unix")), "[]"]
    assert came == []
    with socket.create_connection(("127.0.0.1", port)), socket.socket(socket.AF_UNIX) as own:
        own.connect(f"\0{name}")
    assert soon(lambda: len(came) == 2), "the servers do not listen, so the test shows nothing"


# -- forged notebooks ---------------------------------------------------------------------------------------------


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


MEMORY = {
    "files that exist in memory only": """
        import os
        kept = []
        for i in range(64):
            kept.append(os.memfd_create("x"))
            os.write(kept[-1], b"x" * (16 << 20))
        print("TOOK", len(kept) * 16)
    """,
    "a namespace of its own": """
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(0x10000000 | 0x20000) == 0:
            print("TOOK a user namespace")
        pid = libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0)
        if pid == 0: os._exit(0)
        if pid > 0: print("TOOK a clone")
        raise OSError("no")
    """,
}


@pytest.mark.parametrize("name", MEMORY)
def test_memory_cannot_be_taken_around_the_limits(name: str, attack: Callable[..., Report]) -> None:
    report = attack(dedent(MEMORY[name]))
    assert earned(report) == HONEST
    assert "TOOK" not in report.outputs["added-1"].text


def test_a_notebook_that_has_used_its_time_is_graded_to_the_end(
    mini: Assignment, mini_course: Course
) -> None:
    """Many cells wait after the limit; each has to be passed over, not started."""
    hurried = Sandbox(call_seconds=1.0, notebook_seconds=1.5, hidden_paths=[str(mini_course.root)])
    added = [AddedCell("", "code", "while True: pass") for _ in range(40)]
    start = time.monotonic()
    report = grade(
        mini, Submission(answers={"mul_vjp": RIGHT, "unbox": RIGHT_UNBOX}, added=added), hurried, seed=1
    )
    assert earned(report) == [(0, "timeout"), (0, "timeout")]
    assert time.monotonic() - start < 20  # of 40, and on a machine that others use, too


# -- beside a neighbour -------------------------------------------------------------------------------------------


@pytest.fixture
def beside(mini: Assignment, mini_course: Course) -> Callable[..., Report]:
    """Grade added cells as `attack` does, with little time, while a right submission is graded again and again.

    The neighbours, and a pupil that was there before and one that comes after, must notice nothing.
    """

    def run(*cells: str, seed: int = 1, seconds: float = 1.0, **answers: str) -> Report:
        walls = Sandbox(call_seconds=seconds, hidden_paths=[str(mini_course.root)])
        neighbour = Submission(answers={"mul_vjp": RIGHT, "unbox": RIGHT_UNBOX})
        added = [AddedCell("", "code", code) for code in cells]
        hostile = Submission(answers={"mul_vjp": RIGHT, "unbox": WRONG} | answers, added=added)
        before = PupilProcess(walls, (), time.monotonic() + 60)
        files = len(os.listdir("/proc/self/fd"))
        with ThreadPoolExecutor(1) as threads:
            attacking = threads.submit(grade, mini, hostile, walls, seed=seed)
            done: list[Report] = []
            while not attacking.done() or not done:
                # A machine that is busy is slow, and this is not about its speed.
                done.append(grade(mini, neighbour, Sandbox(hidden_paths=[str(mini_course.root)])))
                assert len(os.listdir("/proc/self/fd")) < files + 40
            report = attacking.result()
        assert all(r.score == 5 and not r.notes for r in done), [r.notes for r in done]
        assert before.run_cell("print(6 * 7)").text == "42\n"
        before.close()
        assert grade(mini, neighbour, walls).score == 5
        return report

    return run


SIGNALS = """
import os, signal, time
def send(target, number):
    try: os.kill(target, number)
    except (PermissionError, ProcessLookupError): pass
"""


def test_signals_reach_nobody_but_their_sender(beside: Callable[..., Report]) -> None:
    to_others = """
for number in (signal.SIGSTOP, signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGCHLD, signal.SIGHUP):
    for target in (1, os.getppid(), -1):
        send(target, number)
    for pid in range(3, 400):
        if pid != os.getpid(): send(pid, number)
    try: signal.pidfd_send_signal(os.pidfd_open(1), number)
    except PermissionError: pass
print("sent")
"""
    to_the_group = [f"send(0, signal.{name})\ntime.sleep(9)" for name in ("SIGSTOP", "SIGKILL", "SIGSEGV")]
    report = beside(SIGNALS + to_others, *(SIGNALS + code for code in to_the_group))
    assert said(report) == "sent\n"
    assert earned(report) == HONEST
    stopped, killed, crashed = report.notes
    assert "did not end within 1 s" in stopped
    assert "was killed" in killed
    assert "segmentation fault" in crashed


def test_signals_of_an_ordinary_user_reach_nobody_but_their_sender_either(bubblewrap: None) -> None:
    """Root's pupils are users of their own; an ordinary user's are all that user, as is the warm interpreter."""
    command = ["unshare", "--user", "--map-user=1000", "--map-group=1000"] if os.geteuid() == 0 else []
    if command and subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here")
    code = f"""
import os, time
from autograder.sandbox.transport import Line
from autograder.sandbox.process import PupilProcess
from autograder.sandbox.walls import Sandbox, SandboxError
assert os.geteuid() != 0
before = PupilProcess(Sandbox(), (), time.monotonic() + 60)
assert isinstance(before.link, Line)
for name in ("SIGSTOP", "SIGKILL", "SIGSEGV"):
    process = PupilProcess(Sandbox(call_seconds=0.5), (), time.monotonic() + 60)
    try: process.run_cell({SIGNALS!r} + f"send(0, signal.{{name}})\\ntime.sleep(9)")
    except Exception as error: print(error)
    process.close()
    print(before.run_cell("print(6 * 7)").text, end="")
before.close()
"""
    done = subprocess.run([*command, sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    stopped, well, killed, well_too, crashed, well_still = done.stdout.splitlines() or [done.stderr] * 6
    assert [well, well_too, well_still] == ["42"] * 3
    assert "did not end within 0.5 s" in stopped and "was killed" in killed and "segmentation" in crashed


TAKEN = {
    "open files": (
        """
        held = []
        try:
            while True: held.append(open("/dev/null"))
        except OSError as problem: print("HELD", len(held), problem.strerror)
        """,
        128,
    ),
    "open files of many processes": (
        """
        children = 0
        for _ in range(40):
            try: child = os.fork()
            except OSError: break
            if not child:
                held = []
                try:
                    while True: held += socket.socketpair()
                except OSError: time.sleep(9)
            children += 1
        time.sleep(0.5); print("HELD", children)
        """,
        32,
    ),
    "the referee's open files": (
        """
        line = socket.socket(fileno=os.dup(inside["answers"].fileno()))
        sent = 0
        try:
            for _ in range(2000):
                body = b'{"id": "no"}'
                line.sendmsg([len(body).to_bytes(8, "big") + body], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 100))])
                sent += 1
        except OSError as problem: pass
        print("HELD 0")
        """,
        1,
    ),
    "processors": (
        """
        children = 0
        try:
            while True:
                if not os.fork():
                    while True: pass
                children += 1
        except OSError: time.sleep(0.7); print("HELD", children)
        """,
        32,
    ),
    "memory": (
        """
        for _ in range(6):
            if not os.fork():
                held = bytearray(100 << 20); time.sleep(9)
        time.sleep(0.7); print("HELD 6")
        """,
        7,
    ),
    "memory that belongs to no process": (
        """
        import ctypes
        libc = ctypes.CDLL(None)
        print("HELD", sum(libc.shmget(0, 1 << 20, 0o1600) >= 0 or libc.msgget(0, 0o1600) >= 0 for _ in range(100)))
        """,
        1,
    ),
    "small files": (
        """
        held = 0
        for folder in ("/tmp", "/dev/shm", os.path.expanduser("~")):
            try:
                for i in range(50_000):
                    os.symlink("x", f"{folder}/{i}"); held += 1
            except OSError: pass
        print("HELD", held)
        """,
        3 * 4096,
    ),
    "threads": (
        """
        held = 0
        try:
            while True: threading.Thread(target=time.sleep, args=(9,), daemon=True).start(); held += 1
        except RuntimeError: print("HELD", held)
        """,
        32,
    ),
}


@pytest.mark.parametrize("name", TAKEN)
def test_what_a_submission_takes_is_limited_and_not_taken_from_its_neighbour(
    name: str, beside: Callable[..., Report]
) -> None:
    code, limit = TAKEN[name]
    seconds = 1.0 if name == "processors" else 10.0
    report = beside(f"{INSIDE}\nimport array, socket\n{dedent(code)}", seconds=seconds)
    assert earned(report) == HONEST
    if report.notes and name == "processors":  # it may have left nothing for itself
        assert "did not end within 1 s" in report.notes[0]
    else:
        assert int(said(report).split()[1]) < limit
        assert report.notes == []


LATE = {
    "from a thread": "threading.Thread(target=flood).start()\ntime.sleep(9)",
    "from a child": "if not os.fork():\n    os.setsid()\n    flood()\ntime.sleep(9)",
    "from a child when the process has ended": "if not os.fork():\n    os.setsid()\n    flood()\nos._exit(7)",
}


@pytest.mark.parametrize("name", LATE)
def test_a_reply_after_the_deadline_or_the_end_is_a_reply_to_nobody(
    name: str, beside: Callable[..., Report]
) -> None:
    flood = """
def flood():
    value = {"t": "float", "v": "0x1p0"}
    time.sleep(1.02)
    while True:
        for number in (inside["request"]["id"], "0" * 16):
            send({"id": number, "value": value, "text": "late", "mutated": []})
        time.sleep(0.001)
"""
    late = "def unbox(boxes):\n    import time\n    time.sleep(1.05)\n    return sum(math.log(b.value) for b in boxes)\n"
    report = beside(f"{INSIDE}{flood}\n{LATE[name]}", unbox=late)
    assert earned(report) == [(2, "passed"), (0, "timeout")]
    assert "did not end within 1 s" in report.outcomes[1].message
    (note,) = report.notes
    assert "exit code 7" in note if "ended" in name else "did not end within 1 s" in note


def test_a_descriptor_that_is_written_to_is_the_sender_s_own(beside: Callable[..., Report]) -> None:
    code = """
import os, stat
kinds = []
for fd in range(1024):
    try: about = os.fstat(fd)
    except OSError: continue
    kinds.append((stat.S_IFMT(about.st_mode), about.st_ino))
print(len(set(kinds)), sorted(stat.filemode(kind)[0] for kind, _ in set(kinds)))
"""
    write = "import os\nfor fd in range(1024):\n    try: os.write(fd, b'\\xff' * 99)\n    except OSError: pass\nimport time; time.sleep(9)"
    report = beside(code, write)
    assert said(report) == "2 ['c', 's']\n"  # /dev/null, and its own side of the conversation
    assert earned(report) == HONEST
    (note,) = report.notes
    assert "broke off the conversation" in note


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into a pupil")
def test_nothing_in_the_memory_of_the_process_tells_the_seed_the_tests_or_the_answers(
    mini: Assignment, mini_course: Course, kind: dict[str, bool]
) -> None:
    """All memory is searched, at the last moment: while a hidden test asks. From outside, since a pupil has no /proc."""
    seed = 1834627153
    low, high = seed % 2**30, seed >> 30  # as Python keeps an int
    key = mini.exercise("unbox")
    needles = {
        "planted": b"a text that is there",
        "seed as text": str(seed).encode(),
        "seed as an int": low.to_bytes(4, "little") + high.to_bytes(4, "little"),
        "seed as eight bytes": seed.to_bytes(8, "little"),
        "hidden test": b"the logarithm of the product",
        "answer": b"math.log(box.value) for box",
        "exercise": f"{key.points} points".encode(),
    }
    assert needles["hidden test"].decode() in key.check
    assert needles["answer"].decode() in key.solution
    waiting = """
        calls = []
        def unbox(boxes):
            import time
            calls.append(" ".join(["a", "text", "that", "is", "there"]))
            if len(calls) == 2:
                time.sleep(4)
            return sum(math.log(b.value) for b in boxes)
    """
    walls = Sandbox(hidden_paths=[str(mini_course.root)], **kind)
    submission = Submission(answers={"mul_vjp": RIGHT, "unbox": dedent(waiting)})
    found: set[str] = set()
    with ThreadPoolExecutor(1) as threads:
        grading = threads.submit(grade, mini, submission, walls, seed=seed)
        while not grading.done():
            for pid in alive(walls):
                found |= {
                    name for name, needle in needles.items() if any(needle in part for part in memory(pid))
                }
            time.sleep(0.2)
        assert grading.result().outcomes[1].status == "passed"
    assert found == {"planted"}


def memory(pid: int) -> Iterator[bytes]:
    """All that a process may write to."""
    try:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as file:
            for line in maps:
                place, rights = line.split()[:2]
                start, end = (int(x, 16) for x in place.split("-"))
                if rights.startswith("rw"):
                    file.seek(start)
                    yield file.read(end - start)
    except OSError:  # it has ended
        return
