# ruff: noqa: E501  (code for the pupil stays as it is)
"""Nothing passes from one fork of the warm interpreter to the next, to its siblings, or back to it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from autograder.lesson.probes import AnswerError, AnswerLost, AnswerTimeout, Probe
from autograder.sandbox import forkserver
from autograder.sandbox.line import Line
from autograder.sandbox.process import PupilProcess
from autograder.sandbox.transport import Pipes
from autograder.sandbox.walls import Interrupted, Sandbox
from autograder.unit.assignment import Course

from .attacks.lab import family


@pytest.fixture
def fork(mini_course: Course, bubblewrap: None) -> Iterator[Callable[..., PupilProcess]]:
    """Forks pupils from one warm interpreter, and ends them."""
    started: list[PupilProcess] = []

    def run(**limits: object) -> PupilProcess:
        walls = Sandbox(hidden_paths=[str(mini_course.root)], **({"call_seconds": 5.0} | limits))
        started.append(PupilProcess(walls, (), time.monotonic() + walls.notebook_seconds))
        assert isinstance(started[-1].link, Line), "this kernel has no namespaces inside namespaces"
        return started[-1]

    yield run
    for process in started:
        process.close()


def text(process: PupilProcess, code: str) -> str:
    result = process.run_cell(code)
    assert result.error is None, result.error
    return result.text.strip()


TRACES = {
    "a name in the notebook": ("left = 1", "'left' in globals()"),
    "a file in /tmp": ("open('/tmp/left', 'w').close()", "__import__('os').path.exists('/tmp/left')"),
    "a file at home": ("open('left', 'w').close()", "__import__('os').path.exists('left')"),
    "shared memory": ("open('/dev/shm/left', 'w').close()", "__import__('os').listdir('/dev/shm') != []"),
    "a patched builtin": ("import builtins; builtins.left = 1", "hasattr(__import__('builtins'), 'left')"),
    "a patched NumPy": ("import numpy; numpy.left = 1", "hasattr(__import__('numpy'), 'left')"),
    "a changed array of NumPy's": ("import numpy; numpy.pi = 3", "__import__('numpy').pi == 3"),
    "a module": ("import sys; sys.modules['left'] = sys", "'left' in __import__('sys').modules"),
    "a path to import from": ("import sys; sys.path.insert(0, '/left')", "'/left' in __import__('sys').path"),
    "an import hook": ("import sys; sys.meta_path.insert(0, 1)", "1 in __import__('sys').meta_path"),
    "the environment": ("import os; os.environ['LEFT'] = '1'", "'LEFT' in __import__('os').environ"),
    "the working folder": ("import os; os.chdir('/')", "__import__('os').getcwd() == '/'"),
    "a hook of IPython's": (
        "get_ipython().events.register('pre_run_cell', print)",
        "print in get_ipython().events.callbacks['pre_run_cell']",
    ),
    "a start-up file of IPython's": (
        "import os; os.makedirs('.ipython/profile_default/startup'); open('.ipython/profile_default/startup/a.py', 'w').write('left = 1')",
        "'left' in globals()",
    ),
    "a patched checker": (
        "import autograder.lesson.probes as p; p.call_plainly = None",
        "__import__('autograder.lesson.probes').lesson.probes.call_plainly is None",
    ),
}


@pytest.mark.parametrize("name", TRACES)
def test_no_trace_of_a_submission_is_found_by_the_next(name: str, fork: Callable[..., PupilProcess]) -> None:
    leave, look = TRACES[name]
    first = fork()
    text(first, leave)
    if "start-up" not in name:
        assert text(first, f"print(bool({look}))").endswith("True"), "the trap itself does not work"
    second = fork()  # while the first lives
    assert text(second, f"print(bool({look}))") == "False"
    first.close()
    assert text(fork(), f"print(bool({look}))") == "False"  # and after its end


def test_siblings_cannot_see_signal_or_reach_each_other(fork: Callable[..., PupilProcess]) -> None:
    first, second = fork(), fork()
    listen = """
import socket, threading
taken = []
for address in ("\\0autograd-sibling",):
    s = socket.socket(socket.AF_UNIX); s.bind(address); s.listen(); taken.append(s)
t = socket.socket(); t.bind(("0.0.0.0", 4711)); t.listen()
import os; print(os.getpid())
"""
    assert int(text(first, listen)) < 10
    reach = """
import os, socket
seen = []
for address, family in (("\\0autograd-sibling", socket.AF_UNIX), (("127.0.0.1", 4711), socket.AF_INET)):
    s = socket.socket(family)
    try: s.connect(address); seen.append(address)
    except OSError: pass
for pid in range(2, 400):
    if pid != os.getpid():
        try: os.kill(pid, 0); seen.append(pid)
        except ProcessLookupError: pass
        except PermissionError: seen.append(pid)
print(seen)
"""
    assert text(second, reach) == "[]"
    assert text(first, "print('well')") == "well"


def test_the_first_process_of_its_namespace_cannot_be_ended_traced_or_read(
    fork: Callable[..., PupilProcess],
) -> None:
    code = """
import ctypes, os, signal
for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGCHLD, signal.SIGSTOP):
    try: os.kill(1, number)
    except PermissionError: pass
libc = ctypes.CDLL(None, use_errno=True)
print(libc.ptrace(16, 1, 0, 0))
for name in ("mem", "environ", "maps"):
    try:
        with open(f"/proc/1/{name}", "rb") as file: file.read(10)
        print("read", name)
    except OSError: pass
"""
    process = fork()
    assert text(process, code) == "-1"
    assert text(process, "print(1 + 1)") == "2"


def test_a_pupil_holds_no_end_of_another_line(fork: Callable[..., PupilProcess]) -> None:
    first, second = fork(), fork()
    code = """
import os, stat
found = []
for fd in range(256):
    try: about = os.fstat(fd)
    except OSError: continue
    found.append((stat.filemode(about.st_mode)[0], about.st_ino))
print(*sorted(kind for kind, _ in set(found)))
"""
    # /dev/null, and its own conversation, under two numbers; nothing of its siblings', of the status line, of the
    # control socket, of the warm interpreter's log, and no handle of a process.
    assert text(first, code) == text(second, code) == "c s"


def test_two_pupils_have_different_random_numbers(fork: Callable[..., PupilProcess]) -> None:
    draw = "import random, numpy; print(random.random(), numpy.random.rand())"
    one, two = text(fork(), draw).split(), text(fork(), draw).split()
    assert one[0] != two[0]
    assert one[1] != two[1]


def test_a_pupil_that_is_closed_is_gone_with_all_that_it_started(fork: Callable[..., PupilProcess]) -> None:
    def count() -> int:
        return len(family(os.getpid()))

    fork().close()
    time.sleep(0.3)  # the kernel buries
    before = count()
    process = fork()
    text(
        process,
        "import os, time\nfor _ in range(3):\n    if not os.fork():\n        os.setsid(); time.sleep(60)",
    )
    assert count() >= before + 5
    process.close()
    until = time.monotonic() + 3
    while count() > before and time.monotonic() < until:
        time.sleep(0.02)
    assert count() == before


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import os; os._exit(3)", "exit code 3"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "killed"),
        ("import ctypes; ctypes.string_at(0)", "segmentation fault"),
    ],
)
def test_how_a_fork_ended_is_known(code: str, said: str, fork: Callable[..., PupilProcess]) -> None:
    with pytest.raises(AnswerLost, match=said):
        fork().run_cell(code)


def test_many_pupils_at_a_time_and_one_after_another(fork: Callable[..., PupilProcess]) -> None:
    def open_files() -> int:
        return len(os.listdir("/proc/self/fd"))

    fork().close()
    before = open_files()
    results: list[str] = []

    def one(i: int) -> None:
        process = fork()
        process.run_cell(f"def f(): return {i}")
        results.append(f"{i} {process.call(Probe('f'), ()).value}")
        process.close()

    for _ in range(5):
        threads = [threading.Thread(target=one, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(results) == 40
    assert all(a == b for a, b in (line.split() for line in results))
    assert open_files() <= before


def test_forks_that_do_harm_at_once_do_not_get_into_the_next_ones_way(
    fork: Callable[..., PupilProcess],
) -> None:
    harm = """
import os, signal
for number in (signal.SIGSTOP, signal.SIGKILL): os.kill(-1, number)
while True:
    try: os.fork()
    except OSError: pass
"""
    results: list[str] = []

    def hostile() -> None:
        for _ in range(4):
            process = fork(call_seconds=0.15)
            with contextlib.suppress(AnswerLost, AnswerTimeout):
                process.run_cell(harm)
            process.close()

    def honest() -> None:
        for i in range(10):
            process = fork()
            results.append(text(process, f"print({i} == {i}, len(__import__('os').listdir('/tmp')))"))
            process.close()

    threads = [threading.Thread(target=work) for work in (hostile, hostile, honest, honest)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["True 0"] * 20


def test_a_warm_interpreter_that_was_killed_is_replaced(
    fork: Callable[..., PupilProcess], mini_course: Course
) -> None:
    process = fork()
    (warm,) = [
        n
        for n in forkserver._servers.values()
        if n is not None and str(mini_course.root) in " ".join(n.process.args)
    ] or [next(reversed(forkserver._servers.values()))]
    os.killpg(warm.process.pid, signal.SIGKILL)
    warm.process.wait(5)
    time.sleep(0.3)  # the kernel ends the forks a moment after it
    with pytest.raises(Interrupted):  # it was not the answer's fault, so this is no outcome of an exercise
        process.run_cell("1")
    walls = Sandbox(hidden_paths=[str(mini_course.root)], call_seconds=5.0)
    for _ in range(3):  # the first may come while it is dying, and is started anew
        again = PupilProcess(walls, (), time.monotonic() + 60)
        assert text(again, "print(2)") == "2"
        again.close()
    assert isinstance(again.link, Line)


def test_where_forks_get_no_namespaces_each_pupil_is_started_anew(
    monkeypatch: pytest.MonkeyPatch, mini_course: Course, bubblewrap: None
) -> None:
    def refuse(*_: object) -> None:
        raise forkserver.SandboxError("no namespaces in the sandbox")

    monkeypatch.setattr(forkserver, "ForkServer", refuse)
    walls = Sandbox(hidden_paths=[str(mini_course.root), "/nowhere"])
    process = PupilProcess(walls, (), time.monotonic() + 30)
    assert isinstance(process.link, Pipes)
    assert text(process, "print(3)") == "3"
    process.close()


def test_networks_of_two_submissions_begin_with_other_weights(bubblewrap: None) -> None:
    """The reference's source of random numbers is loaded before the fork."""
    drawn = set()
    for _ in range(2):
        process = PupilProcess(Sandbox(), ("autograd_ref.nn",), time.monotonic() + 60)
        code = "from autograd_ref.nn import init\nprint(init.generator().random())"
        drawn.add(text(process, code))
        process.close()
    assert len(drawn) == 2


def test_a_fork_loads_nothing_that_the_warm_interpreter_could_have_loaded(
    fork: Callable[..., PupilProcess],
) -> None:
    """What was loaded before the forks is frozen, and no object of the garbage collector's; what a fork loads is."""
    process = fork()
    process.run_cell("def answer(x): return 1 / x")
    assert process.call(Probe("answer"), (1,)).value == 1
    with pytest.raises(AnswerError):
        process.call(Probe("answer"), (0,))
    for ordinary in ("1.5", "answer(0)", "not_there", "1 +", "%matplotlib inline", "import math as m\nm.pi"):
        process.run_cell(ordinary)
    code = """
import gc, sys
own = {id(thing) for thing in gc.get_objects()}
print([name for name, module in sys.modules.items() if id(module) in own])
"""
    assert text(process, code) == "[]"


def test_what_the_warm_interpreter_has_tried_leaves_no_trace(
    fork: Callable[..., PupilProcess], mini_course: Course
) -> None:
    """A fork and a process of its own cannot be told apart, but for the number of their first cell."""
    look = """
import sys
print(sorted(globals()))
print([name for name in vars(sys) if name.startswith('last_')])
print(get_ipython().execution_count, get_ipython().last_execution_result, get_ipython().last_execution_succeeded)
print(_ if '_' in globals() else 'nothing')
"""
    cold = PupilProcess(Sandbox(hidden_paths=[str(mini_course.root)], warm=False), (), time.monotonic() + 60)
    try:
        assert text(fork(), look) == text(cold, look)
        warm = fork()
        warm.run_cell("import warnings")
        told, other = ([p.run_cell(c).text for c in ("1 / 0", "_", "In", "Out", "x")] for p in (warm, cold))
        assert "Cell In[3]" in told[0]
        assert told[1:] == other[1:]
    finally:
        cold.close()


def test_a_pupil_cannot_end_the_first_process_by_its_limits(bubblewrap: None) -> None:
    """Its end looks as if this machine were at fault, and the submission would be graded three times, for nothing."""
    command = ["unshare", "--user", "--map-user=1000", "--map-group=1000"] if os.geteuid() == 0 else []
    if command and subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here")
    starve = """
import os, resource
print(resource.prlimit(0, resource.RLIMIT_CPU))
try: resource.prlimit(1, resource.RLIMIT_CPU, (0, 0))
except PermissionError: print("refused")
for _ in range(2000):
    if os.fork() == 0:
        try: os.fork()
        finally: os._exit(0)
    os.wait()
print("well")
"""
    code = f"""
import time
from autograder.sandbox.process import PupilProcess
from autograder.sandbox.walls import Sandbox
process = PupilProcess(Sandbox(call_seconds=150), (), time.monotonic() + 200)
try: print(process.run_cell({starve!r}).text)
except Exception as error: print(repr(error))
process.close()
"""
    done = subprocess.run([*command, sys.executable, "-c", code], capture_output=True, text=True, timeout=250)
    assert done.stdout.split()[-2:] == ["refused", "well"], done.stdout + done.stderr[-500:]
