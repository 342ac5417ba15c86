# ruff: noqa: E501  (code for the pupil stays as it is)
"""The walls: their limits, what is behind them, and what is said where there are none."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from autograder.lesson.probes import AnswerLost, AnswerTimeout, Probe
from autograder.referee.judge import grade
from autograder.sandbox import bubblewrap
from autograder.sandbox.bubblewrap import end
from autograder.sandbox.process import CellResult, PupilProcess
from autograder.sandbox.walls import Sandbox, SandboxError
from autograder.unit.assignment import Assignment, Course
from autograder.unit.ingest import AddedCell, Submission

from .attacks.lab import family, parents

RIGHT = "def mul_vjp(g, a, b):\n    return g * b, g * a\n"
WRONG = "def unbox(boxes):\n    return 0.125\n"


@pytest.fixture(params=[True, False], ids=["warm", "cold"])
def start(
    mini_course: Course, bubblewrap: None, request: pytest.FixtureRequest
) -> Iterator[Callable[..., PupilProcess]]:
    """Starts pupils with given limits, both ways, and ends them."""
    started: list[PupilProcess] = []

    def run(**limits: object) -> PupilProcess:
        walls = Sandbox(
            hidden_paths=[str(mini_course.root)], warm=request.param, **({"call_seconds": 5.0} | limits)
        )
        started.append(PupilProcess(walls, (), time.monotonic() + walls.notebook_seconds))
        return started[-1]

    yield run
    for process in started:
        process.close()


def text(process: PupilProcess, code: str) -> str:
    result = process.run_cell(code)
    assert result.error is None, result.error
    return result.text.strip()


def test_a_cell_and_a_call_have_a_wall_time(start: Callable[..., PupilProcess]) -> None:
    process = start(call_seconds=0.7)
    begin = time.monotonic()
    with pytest.raises(AnswerTimeout, match=r"the cell did not end within 0.7 s"):
        process.run_cell("while True: pass")
    process = start(call_seconds=0.7)
    process.run_cell("def f(): \n    while True: pass")
    with pytest.raises(AnswerTimeout, match=r"f did not end within 0.7 s"):
        process.call(Probe("f"), ())
    assert time.monotonic() - begin < 30


def test_a_notebook_has_a_wall_time(start: Callable[..., PupilProcess]) -> None:
    process = start(notebook_seconds=1.2)
    with pytest.raises(AnswerTimeout, match=r"the notebook's limit of 1.2 s"):
        process.run_cell("while True: pass")


def test_a_submission_has_a_cpu_time(start: Callable[..., PupilProcess]) -> None:
    process = start(cpu_seconds=1, call_seconds=20.0)
    with pytest.raises(
        AnswerTimeout, match="the notebook's limit of 1 s of CPU time, all its processes together"
    ):
        process.run_cell("while True: pass")


def test_what_the_referee_does_not_see_in_time_the_kernel_ends(start: Callable[..., PupilProcess]) -> None:
    process = start(cpu_seconds=1, call_seconds=20.0)
    process._look = lambda: None  # type: ignore[method-assign]
    with pytest.raises(AnswerLost, match=r"CPU time|killed"):
        process.run_cell("while True: pass")


def test_memory_is_limited_and_a_failed_allocation_is_an_ordinary_exception(
    start: Callable[..., PupilProcess],
) -> None:
    process = start(memory_mb=600)
    result = process.run_cell("x = bytearray(700 << 20)")
    assert result.error is not None
    assert result.error.type_name == "MemoryError"
    assert text(process, "6 * 7") == "42"


def test_the_pupil_is_the_first_to_go_when_the_machine_runs_out_of_memory(
    start: Callable[..., PupilProcess],
) -> None:
    process = start()
    assert text(process, "6 * 7") == "42"
    last = {*family(os.getpid())} - {*parents().values()}
    ours = [pid for pid in last if "pupil/start.py" in " ".join(psutil.Process(pid).cmdline())]
    assert ours and {Path(f"/proc/{pid}/oom_score_adj").read_text() for pid in ours} == {"1000\n"}


#: Prints whatever tells of the host; nothing of that is closed by asking politely, so each is tried by itself.
HOST = """
import ctypes, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
for pid in ("self", "thread-self", "1", str(os.getppid())):
    for name in ("mountinfo", "mounts", "mountstats", "cmdline", "environ", "cgroup", "maps", "status", "cwd", "root", "exe"):
        try: print("TOLD", name, open(f"/proc/{pid}/{name}", "rb").read())
        except OSError: pass
        try: print("TOLD", name, os.readlink(f"/proc/{pid}/{name}"))
        except OSError: pass
for name in ("cmdline", "mounts", "version", "cpuinfo", "meminfo", "loadavg", "uptime", "partitions", "diskstats", "modules",
             "kallsyms", "config.gz", "net/dev", "net/arp", "keys", "sys/kernel/hostname", "sys/kernel/random/boot_id"):
    try: print("TOLD", name, open(f"/proc/{name}", "rb").read(200))
    except OSError: pass
for path in ("/etc/hostname", "/etc/passwd", "/etc/hosts", "/etc/resolv.conf", "/etc/machine-id", "/etc/fstab", "/sys", "/run", "/var/log"):
    try: print("TOLD", path, os.listdir(path) if os.path.isdir(path) else open(path).read())
    except OSError: pass
print("TOLD the kernel's log") if libc.klogctl(10, None, 0) >= 0 else None
request = (ctypes.c_uint64 * 4)(24, 2**64 - 1, 0, 0); found = (ctypes.c_uint64 * 99)()
print("TOLD mounts") if libc.syscall(458, request, found, 99, 0) >= 0 else None
print("TOLD variables", set(os.environ) - ALLOWED) if set(os.environ) - ALLOWED else None
print("ASKED", socket.gethostname())
"""


def test_nothing_tells_of_the_host(start: Callable[..., PupilProcess]) -> None:
    allowed = {"LANG", "HOME", "TMPDIR", "PATH", "USER", "PYTHONHASHSEED", "MPLBACKEND", "PWD", "LC_CTYPE"}
    allowed |= {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"}
    allowed |= {"KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK", "COLUMNS", "LINES"}
    process = start()
    assert process.run_cell(f"ALLOWED = {allowed!r}\n{HOST}").text == "ASKED pupil\n"


def test_processes_and_threads_are_limited(start: Callable[..., PupilProcess]) -> None:
    process = start(processes=8)
    code = """
import threading, time
count = 0
try:
    for _ in range(50):
        threading.Thread(target=time.sleep, args=(9,), daemon=True).start(); count += 1
except RuntimeError: pass
print(count)
"""
    assert 1 <= int(text(process, code)) < 8


def test_the_size_of_a_file_is_limited(start: Callable[..., PupilProcess]) -> None:
    process = start(file_mb=2)
    code = """
try:
    with open("big", "wb") as f: f.write(b"x" * (3 << 20))
except OSError as problem: print(problem.strerror)
import os; print(os.path.getsize("big") <= 2 << 20)
"""
    assert text(process, code).splitlines()[-1] == "True"
    assert "large" in text(process, code) or "space" in text(process, code)


def test_printed_output_is_cut_and_says_so(start: Callable[..., PupilProcess]) -> None:
    process = start(output_chars=1000)
    shown = process.run_cell("for _ in range(100): print('x' * 1000)").text
    assert 1000 <= len(shown) <= 1040
    assert shown.endswith("[the rest was cut]")


def test_the_pupil_is_another_user_without_rights_or_network(start: Callable[..., PupilProcess]) -> None:
    process = start()
    code = """
import ctypes, os, socket
libc = ctypes.CDLL(None)
head, rights = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
libc.capget(head, rights)
print(os.getuid() != 0, list(rights)[0::3], libc.prctl(39, 0, 0, 0, 0), libc.prctl(21, 0, 0, 0, 0))
print([n for _, n in socket.if_nameindex()], socket.gethostname(), os.getpid() < 10)
"""
    assert text(process, code).splitlines() == ["True [0, 0] 1 2", "['lo'] pupil True"]
    if os.geteuid() == 0:
        assert text(start(), "import os; print(os.getuid())") != text(
            start(), "import os; print(os.getuid())"
        )


def test_only_the_folders_of_the_wall_are_there_and_only_three_can_be_written(
    start: Callable[..., PupilProcess],
) -> None:
    process = start()
    code = """
import os, sys
print(os.path.expanduser("~"), [f for f in os.listdir(os.path.expanduser("~")) if f != ".ipython"], os.listdir("/tmp"))
print(sorted(os.listdir("/pupil/library/autograder")))
print([f for f in os.listdir("/pupil/library/autograd_ref")])
def writable(top):
    if os.access(top, os.W_OK): yield top
    for name in os.listdir(top):
        path = os.path.join(top, name)
        if os.path.isdir(path) and not os.path.islink(path) and top.count("/") < 3 and not path.startswith(("/proc", "/usr/lib", "/lib")):
            try: yield from writable(path)
            except OSError: pass
print(sorted(set(writable("/")) - {"/dev/pts"}))
"""
    lines = text(process, code).splitlines()
    assert lines[0] == "/home/pupil [] []"
    assert "referee.py" not in lines[1]
    assert "bank.py" not in lines[1]
    assert lines[2] == "['__init__.py']"
    written = lines[3].replace("'/home/pupil/.ipython', ", "")
    assert [p for p in eval(written) if ".ipython" not in p] == ["/dev/shm", "/home/pupil", "/tmp"]


def test_the_environment_holds_nothing_of_the_referee_s(
    start: Callable[..., PupilProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTERHUB_API_TOKEN", "secret")
    monkeypatch.setenv("PYTHONPATH", "/tmp")
    monkeypatch.setenv("LD_PRELOAD", "")
    names = eval(text(start(), "import os; print(sorted(os.environ))"))
    assert not {"JUPYTERHUB_API_TOKEN", "PYTHONPATH", "LD_PRELOAD"} & set(names)
    assert "secret" not in text(start(), "import os; print(dict(os.environ))")


def test_each_pupil_starts_from_nothing(start: Callable[..., PupilProcess]) -> None:
    text(start(), "open('/tmp/note', 'w').close(); open('note', 'w').close(); left = 1")
    code = "import os\nprint(os.path.exists('/tmp/note'), os.path.exists('note'), 'left' in globals())"
    assert text(start(), code) == "False False False"


def test_only_sockets_that_end_at_the_walls_can_be_made(start: Callable[..., PupilProcess]) -> None:
    code = """
import socket
made = set()
for family in range(1, 60):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_RAW):
        try: socket.socket(family, kind).close(); made.add(family)
        except OSError: pass
print(sorted(made))
"""
    families = set(eval(text(start(), code)))
    assert families <= {1, 2, 10, 16}  # Unix, IPv4, IPv6, netlink
    assert {1, 2} <= families


def test_threads_subprocesses_numpy_and_plots_work_inside(start: Callable[..., PupilProcess]) -> None:
    code = """
import subprocess, sys, threading, tempfile, numpy as np, matplotlib.pyplot as plt
thread = threading.Thread(target=print, args=("thread",)); thread.start(); thread.join()
print(subprocess.run([sys.executable, "-c", "print('child')"], capture_output=True, text=True).stdout.strip())
with tempfile.TemporaryFile() as f: f.write(b"x")
print((np.ones((3, 3)) @ np.ones(3)).sum())
plt.plot([1, 2]); plt.savefig("plot.png")
"""
    assert text(start(call_seconds=20.0), code).splitlines()[:3] == ["thread", "child", "9.0"]


# -- where there is no wall ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "%matplotlib notebook",
        "%matplotlib",
        "%pylab inline",
        "%config InlineBackend.figure_format = 'retina'",
        "!pip install numpy",
        "%pip install numpy",
        "files = !ls",
    ],
)
def test_what_a_notebook_asks_of_its_surroundings_does_not_stop_the_lines_behind_it(
    start: Callable[..., PupilProcess], line: str
) -> None:
    process = start()
    result = process.run_cell(f"{line}\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
    assert result.error is None, result.error
    assert ("Commands of the system are not run" in result.text) == (line[0] in "!f" or "pip" in line)
    assert text(process, "print(plt.get_backend())") == "agg"


@pytest.fixture
def forgotten() -> Iterator[None]:
    """What was found out about this machine, forgotten before and after."""
    bubblewrap.why_not.cache_clear()
    yield
    bubblewrap.why_not.cache_clear()


def test_where_bubblewrap_is_missing_the_command_that_installs_it_is_named(forgotten: None) -> None:
    missing = Sandbox(bwrap="no-such-bubblewrap")
    assert "sudo apt-get install bubblewrap" in missing.why_not()
    assert "--unsandboxed" in missing.why_not()
    with pytest.raises(SandboxError, match="not installed"):
        missing.command(())


def script(path: Path, body: str) -> str:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def test_where_the_kernel_forbids_it_the_text_says_so_with_the_kernel_s_words(
    forgotten: None, tmp_path: Path
) -> None:
    fake = script(tmp_path / "bwrap", "echo 'bwrap: No permissions to create new namespace' >&2; exit 1")
    said = Sandbox(bwrap=fake).why_not()
    assert "The kernel forbids bubblewrap its namespaces" in said
    assert "No permissions to create new namespace" in said
    assert "sysctl" in said or "--cap-add SYS_ADMIN" in said
    assert "\n" not in said


def test_a_bubblewrap_that_cannot_be_started_is_told(forgotten: None, tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("no program")
    broken.chmod(0o755)
    assert "bubblewrap does not start" in Sandbox(bwrap=str(broken)).why_not()


def ends(pid: int) -> bool:
    """Whether a process has ended, within ten seconds."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.01)
    return False


def test_the_trial_of_bubblewrap_is_out_of_reach_of_the_terminal(forgotten: None, tmp_path: Path) -> None:
    """A Ctrl-C goes to all of the terminal's group: in bubblewrap's first milliseconds it would end half of it."""
    fake = script(tmp_path / "bwrap", f"cut -d' ' -f5,6 /proc/self/stat >{tmp_path}/said")
    assert Sandbox(bwrap=fake).why_not() == ""
    group, session = map(int, (tmp_path / "said").read_text().split())
    assert group == session
    assert group not in (os.getpgrp(), os.getsid(0))


@pytest.mark.parametrize("problem", [KeyboardInterrupt(), subprocess.TimeoutExpired("bwrap", 30)], ids=repr)
def test_the_trial_of_bubblewrap_is_ended_with_all_that_it_has_started(
    problem: BaseException, forgotten: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = tmp_path / "pid"
    fake = script(tmp_path / "bwrap", f"trap '' INT TERM\nsleep 300 &\necho $! >{pid}\nsleep 300")

    def communicate(process: subprocess.Popen[str], **_: object) -> tuple[str, str]:
        while not (pid.exists() and pid.read_text().strip()):
            time.sleep(0.01)
        raise problem

    monkeypatch.setattr(subprocess.Popen, "communicate", communicate)
    if isinstance(problem, subprocess.TimeoutExpired):
        assert "bubblewrap does not start" in Sandbox(bwrap=fake).why_not()
    else:
        with pytest.raises(KeyboardInterrupt):
            Sandbox(bwrap=fake).why_not()
    assert ends(int(pid.read_text()))


def test_bubblewrap_ended_in_its_first_milliseconds_leaves_nobody(bubblewrap: None) -> None:
    """Its second process waits for a word of the first one. Ended alone, one first process in twenty left it there."""
    mark = str(time.monotonic_ns())
    launch = Sandbox().command(())

    def left() -> list[int]:
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get("AUTOGRADER_TEST") == mark:
                    found.append(process.pid)
        return found

    for i in range(200):
        process = subprocess.Popen(
            launch.argv,
            env=os.environ | {"AUTOGRADER_TEST": mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(i % 20 * 0.0003)
        end(process)
        process.wait()
    assert all(map(ends, left())), left()


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_where_there_is_no_linux_the_text_says_where_to_grade(
    platform: str, forgotten: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    said = Sandbox().why_not()
    assert f"There is no sandbox for {platform}" in said
    assert "--unprotected-scores" in said


def test_a_sandbox_that_breaks_down_at_the_start_is_an_error_with_its_last_words(
    forgotten: None, tmp_path: Path, mini: Assignment
) -> None:
    fake = script(
        tmp_path / "bwrap", 'case "$*" in *pupil/start.py*) echo "bwrap: out of luck" >&2; exit 1;; esac'
    )
    with pytest.raises(SandboxError, match="out of luck"):
        grade(mini, Submission(answers={"mul_vjp": RIGHT}), Sandbox(bwrap=fake))


def test_a_module_that_the_unit_allows_and_that_is_not_there_is_an_error() -> None:
    with pytest.raises(SandboxError, match=r"allows `autograd_ref.nothing`"):
        Sandbox().command(["autograd_ref.nothing"])


# -- without the wall ---------------------------------------------------------------------------------------------

OPEN = {"unsandboxed": True, "landlock": False, "unprotected_scores": True, "call_seconds": 3.0}


def test_without_a_wall_what_is_patched_in_the_pupil_still_earns_nothing(mini: Assignment) -> None:
    patch = """
import autograder.lesson.checks, autograder.lesson.compare, builtins
autograder.lesson.checks.difference = autograder.lesson.compare.difference = lambda *a, **k: None
autograder.lesson.checks.exercise.__exit__ = lambda *a: True
builtins.abs = lambda x: 0
"""
    submission = Submission(answers={"mul_vjp": RIGHT, "unbox": WRONG}, added=[AddedCell("", "code", patch)])
    report = grade(mini, submission, Sandbox(**OPEN), seed=1)
    assert [(o.points, o.status) for o in report.outcomes] == [(2, "passed"), (0, "failed")]
    assert (report.sandboxed, report.protected, report.wall) == (False, False, "none")


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


CHILDREN = {
    "a child": "pid = os.fork()\nif not pid: time.sleep(600)\nprint(pid)",
    "a child with its own session": "pid = os.fork()\nif not pid: os.setsid(); time.sleep(600)\nprint(pid)",
    "an orphan": """
r, w = os.pipe()
if not os.fork():
    os.setsid()
    pid = os.fork()
    if not pid: time.sleep(600)
    os.write(w, str(pid).encode()); os._exit(0)
print(os.read(r, 99).decode())
""",
}


@pytest.mark.parametrize("name", CHILDREN)
def test_without_a_sandbox_what_was_started_is_killed_too(name: str) -> None:
    process = PupilProcess(Sandbox(**OPEN), (), time.monotonic() + 30)
    pid = int(text(process, "import os, time\n" + CHILDREN[name]))
    assert not gone(pid)
    begin = time.monotonic()
    process.close()
    assert time.monotonic() - begin < 30
    until = time.monotonic() + 2
    while not gone(pid) and time.monotonic() < until:
        time.sleep(0.02)
    assert gone(pid)


def test_without_a_sandbox_what_outlives_the_process_is_killed_too() -> None:
    process = PupilProcess(Sandbox(**OPEN), (), time.monotonic() + 30)
    pid = int(text(process, "import os, time\n" + CHILDREN["an orphan"]))
    with pytest.raises(
        (AnswerLost, AnswerTimeout)
    ):  # the orphan has the pipes, so the end is not always seen
        process.run_cell("os._exit(3)")
    process.close()
    assert gone(pid)


def test_without_a_sandbox_the_pupil_s_folder_is_removed_and_its_home_is_not_ours() -> None:
    process = PupilProcess(Sandbox(**OPEN), (), time.monotonic() + 30)
    home = text(process, "import os; open('left', 'w').close(); print(os.path.expanduser('~'))")
    assert home != os.path.expanduser("~")
    assert os.path.exists(os.path.join(home, "left"))
    process.close()
    assert not os.path.exists(home)


def test_closing_twice_and_after_an_end_is_harmless(start: Callable[..., PupilProcess]) -> None:
    process = start()
    with pytest.raises(AnswerLost, match=r"ended its own process \(exit code 3\)"):
        process.run_cell("import os; os._exit(3)")
    process.close()
    process.close()


def test_a_cell_s_result_is_its_text_and_its_exception(start: Callable[..., PupilProcess]) -> None:
    process = start()
    assert process.run_cell("print('a')\n1 + 1") == CellResult("a\n2\n", None)
    result = process.run_cell("x = 1\n1 / 0")
    assert result.error is not None
    assert (result.error.type_name, result.error.place) == ("ZeroDivisionError", "line 2: 1 / 0")


def test_a_unit_may_allow_a_package_or_a_module_of_one(bubblewrap: None) -> None:
    load = (
        "from autograd_ref.data import load_digits, moons; print(load_digits()[0].shape, moons(10)[0].shape)"
    )
    for allowed, code, printed in (
        ("autograd_ref.data", load, "(1797, 1, 8, 8) (10, 2)"),
        (
            "autograd_ref.data.toy",
            "from autograd_ref.data.toy import moons; print(moons(10)[0].shape)",
            "(10, 2)",
        ),
    ):
        walls = Sandbox()
        process = PupilProcess(walls, (allowed,), time.monotonic() + walls.notebook_seconds)
        try:
            assert text(process, code) == printed
            error = process.run_cell("import autograd_ref.tensor").error
            assert error is not None and "this unit rebuilds" in error.message
        finally:
            process.close()


def test_a_unit_may_allow_the_tensor_without_its_layers(bubblewrap: None) -> None:
    walls = Sandbox()
    tensor = ("autograd_ref.tensor", "autograd_ref.ops", "autograd_ref.sweep")
    process = PupilProcess(walls, tensor, time.monotonic() + walls.notebook_seconds)
    try:
        code = "from autograd_ref import Tensor, no_grad; x = Tensor([[1.0, 2.0]], requires_grad=True); "
        code += "(x @ x.T).exp().sum().backward(); print(x.grad.shape)"
        assert text(process, code) == "(1, 2)"
        for name in ("nn", "functional", "optim", "transforms"):
            for statement in (f"import autograd_ref.{name}", f"from autograd_ref import {name}"):
                error = process.run_cell(statement).error
                assert error is not None and "this unit rebuilds" in error.message
    finally:
        process.close()
