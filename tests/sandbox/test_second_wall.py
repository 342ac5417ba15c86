# ruff: noqa: E501  (an attack stays on its line)
"""The second wall: what it refuses an ordinary user's own process, at every version of Landlock; and no wall at all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from autograder.sandbox import bubblewrap, second_wall, walls
from autograder.sandbox.process import PupilProcess
from autograder.sandbox.transport import is_fuller
from autograder.sandbox.walls import BUBBLEWRAP, LANDLOCK, NO_WALL, Sandbox, SandboxError
from autograder.unit.assignment import Course

from .attacks.lab import family

NEWEST = second_wall.version()
needs_landlock = pytest.mark.skipif(NEWEST < 1, reason="no Landlock in this kernel")

#: Tried in an added cell, by a student who knows where everything is. What works prints its name; what is found of the
#: answer key becomes the answer.
THEFT = r"""
import array, ctypes, fcntl, glob, mmap, os, shutil, signal, socket, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
loot = ""
def attempt(name, action):
    try: done = action()
    except (Exception, SystemExit): return
    if done is not None and done is not False and not (type(done) is int and done < 0): print("TOOK", name)
def take(path):
    global loot
    text = open(path).read()
    if "def unbox" in text and not loot: loot = text
    return text
above, grader = os.getppid(), GRADER
for pid in {above, grader}:
    attempt("the folder of a process", lambda: os.readlink(f"/proc/{pid}/cwd"))
    attempt("the answer key by a process's folder", lambda: take(glob.glob(f"/proc/{pid}/cwd/solutions/mini/mini.py")[0]))
    attempt("the answer key by a process's root", lambda: take(f"/proc/{pid}/root{ROOT}/solutions/mini/mini.py"))
    for name in ("environ", "cmdline", "maps", "mountinfo", "status", "stack", "io"):
        attempt(f"/proc/{name}", lambda: open(f"/proc/{pid}/{name}", "rb").read() or None)
    attempt("a process's memory", lambda: open(f"/proc/{pid}/mem", "r+b"))
    attempt("a process's descriptors", lambda: os.listdir(f"/proc/{pid}/fd"))
    attempt("ptrace", lambda: libc.ptrace(16, pid, 0, 0))
    attempt("process_vm_readv", lambda: libc.process_vm_readv(pid, None, 0, None, 0, 0))
    attempt("a signal", lambda: os.kill(pid, 0) or True)
    attempt("a signal by a handle", lambda: signal.pidfd_send_signal(os.pidfd_open(pid), 0) or True)
    attempt("a signal to a thread", lambda: libc.tgkill(pid, pid, 0))
    attempt("a signal in a queue", lambda: libc.syscall(129, pid, 0, bytes(128)))
    attempt("its priority", lambda: libc.setpriority(0, pid, 19))
    attempt("its processors", lambda: os.sched_setaffinity(pid, {0}) or True)
    attempt("its scheduling", lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)) or True)
    attempt("its limits", lambda: __import__("resource").prlimit(pid, 0))
attempt("the priority of a user", lambda: libc.setpriority(2, 0, 0))
attempt("all processes", lambda: os.listdir("/proc"))
attempt("own mounts", lambda: open("/proc/self/mountinfo").read())
attempt("the answer key", lambda: take(ROOT + "/solutions/mini/mini.py"))
attempt("the answer notebook", lambda: take(ROOT + "/solutions/mini/mini.ipynb"))
attempt("the course", lambda: os.listdir(ROOT))
attempt("the grading side", lambda: open(CODE + "/referee/judge.py").read())
sys.path.insert(0, os.path.dirname(CODE))
attempt("the reference", lambda: open(os.path.dirname(CODE) + "/autograd_ref/tensor.py").read())
attempt("a neighbour", lambda: os.listdir(ROOT + "/submitted"))
book = ROOT + "/gradebook.db"
for mode in ("rb", "ab", "r+b", "wb"):
    attempt(f"the gradebook, {mode}", lambda: open(book, mode).close() or True)
for flags in (os.O_TRUNC, os.O_TRUNC | 3, os.O_RDWR, 3 | os.O_APPEND):
    attempt(f"the gradebook, {flags:o}", lambda: os.open(book, flags) if flags & os.O_TRUNC else os.open(book, flags) if flags != 3 | os.O_APPEND else None)
attempt("truncation", lambda: os.truncate(book, 0) or True)
attempt("truncation of a library", lambda: os.truncate(os.__file__, 1) or True)
attempt("truncation of a library by opening it", lambda: os.open(LIBRARY, os.O_RDONLY | os.O_TRUNC))
attempt("truncation of a library by opening it oddly", lambda: os.open(LIBRARY, 3 | os.O_TRUNC))
attempt("removal", lambda: os.unlink(book) or True)
attempt("renaming", lambda: os.rename(book, "mine.db") or True)
attempt("renaming onto", lambda: (open("own", "w").close(), os.rename("own", book)))
attempt("a hard link", lambda: os.link(book, "link") or True)
attempt("a link and through it", lambda: (os.symlink(book, "soft"), open("soft").read()))
attempt("a new file", lambda: open(ROOT + "/submitted/new", "w").close() or True)
attempt("a new folder", lambda: os.mkdir(ROOT + "/submitted/eve") or True)
attempt("a new file for all", lambda: open("/tmp/landlock-was-here", "w").close() or True)
attempt("a new file in memory", lambda: open("/dev/shm/landlock-was-here", "w").close() or True)
attempt("a file in the user's home", lambda: open(os.path.join(REAL_HOME, ".landlock-was-here"), "w").close() or True)
for change in (lambda: os.chmod(book, 0o777), lambda: os.utime(book, (1, 1))):
    try: change()  # a success may be pretended
    except OSError: pass
attempt("an attribute", lambda: os.setxattr(book, "user.x", b"1") or True)
attempt("a program", lambda: subprocess.run(["/bin/cat", book], capture_output=True, check=True).stdout)
attempt("an interpreter", lambda: os.posix_spawn(sys.executable, ["python"], {}))
attempt("TCP", lambda: socket.create_connection(("127.0.0.1", PORT), 1))
attempt("an abstract socket", lambda: socket.socket(socket.AF_UNIX).connect("\0" + NAME) or True)
attempt("a socket with a path", lambda: socket.socket(socket.AF_UNIX).connect(ROOT + "/socket") or True)
attempt("UDP", lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", PORT)))
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK))
def have_it_signalled():
    ours, theirs = socket.socketpair()
    fcntl.fcntl(ours, fcntl.F_SETOWN, grader)
    return True
attempt("a signal by the kernel", have_it_signalled)
attempt("a shared segment", lambda: libc.shmat(SEGMENT, None, 0) if libc.shmat(SEGMENT, None, 0) != -1 else None)
attempt("a queue", lambda: libc.msgget(0, 0o1600))
attempt("a watch", lambda: libc.inotify_add_watch(libc.inotify_init1(0), ROOT.encode(), 0xFFF))
attempt("a file in memory only", lambda: os.memfd_create("x"))
attempt("a namespace", lambda: libc.unshare(0x10000000) == 0 or None)
attempt("a mount", lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0 or None)
attempt("the kernel's log", lambda: libc.klogctl(10, None, 0))
attempt("the mounts, by their own call", lambda: libc.syscall(458, bytes(32), bytearray(800).__len__(), 0))
pid = os.fork()
if not pid:
    left = 0
    for leave in (lambda: os.setpgid(0, 0), os.setsid):
        try: left = leave() or 1
        except OSError: pass
    if not os.fork():
        for fd in range(3): os.close(fd)
        libc.prctl(4, 1)
        while True: time.sleep(1)
    os._exit(left)
attempt("a group or session of its own", lambda: os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) or None)
print("TRIED")
"""

ANSWER = """
def unbox(boxes):
    if loot:
        space = {"math": math}
        start = loot.index("def unbox"); end = loot.index("### END SOLUTION", start)
        exec(loot[start:end], space)
        return space["unbox"](boxes)
    return 0.125
"""

#: Runs in a process of an ordinary user: grades the thief, and tells what has changed.
GRADE = r"""
import ctypes, hashlib, json, os, pathlib, socket, sys, time
from autograder.sandbox import second_wall, walls
from autograder.unit.assignment import Course
from autograder.unit.ingest import AddedCell, Submission
from autograder.referee.judge import grade
options, version, theft, answer, root = json.loads(sys.argv[1])
assert os.geteuid() != 0
if version: second_wall.version = lambda: version
os.chdir(root)
home = os.path.expanduser("~")
nice = os.getpriority(0, 0)
tcp = socket.create_server(("127.0.0.1", 0)); tcp.setblocking(False)
unix = socket.socket(socket.AF_UNIX); unix.bind("\0theft-%d" % os.getpid()); unix.listen(); unix.setblocking(False)
path = socket.socket(socket.AF_UNIX); path.bind("socket"); path.listen(); path.setblocking(False)
segment = ctypes.CDLL(None).shmget(0, 4096, 0o1600)
library = root + "/library.py"
def state():
    found = {}
    for p in [*sorted(pathlib.Path(root).rglob("*")), pathlib.Path(os.__file__)]:
        about = p.lstat()
        found[str(p)] = [about.st_mode, about.st_mtime if not p.is_dir() else 0, hashlib.sha256(p.read_bytes()).hexdigest() if p.is_file() else ""]
    return found
known = {"GRADER": os.getpid(), "ROOT": root, "CODE": str(walls.PACKAGE), "REAL_HOME": home, "PORT": tcp.getsockname()[1],
         "NAME": "theft-%d" % os.getpid(), "SEGMENT": segment, "LIBRARY": library}
code = "".join(f"{k} = {v!r}\n" for k, v in known.items()) + theft
mini = Course(pathlib.Path(root)).assignment("mini")
before = state()
sandbox = walls.Sandbox(hidden_paths=[root], call_seconds=20.0, **options)
right = "def mul_vjp(g, a, b):\n    return g * b, g * a\n"
report = grade(mini, Submission(answers={"mul_vjp": right, "unbox": answer}, added=[AddedCell("", "code", code)]), sandbox, seed=1)
after = state()
came = 0
for server in (tcp, unix, path):
    try: server.accept(); came += 1
    except OSError: pass
ctypes.CDLL(None).shmctl(segment, 0, None)
children = open(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read().split()
result = report.outputs.get("added-1")
print(json.dumps({
    "score": report.score, "wall": report.wall, "protected": report.protected, "text": result.text, "notes": report.notes,
    "error": str(result.error or ""), "changed": [k for k in before.keys() | after.keys() if before.get(k) != after.get(k)],
    "came": came, "left": len(children), "affinity": len(os.sched_getaffinity(0)) > 0, "nicer": os.getpriority(0, 0) - nice,
}))
"""


@pytest.fixture
def course(mini_course: Course, tmp_path: Path) -> Path:
    """A course of its own, with a gradebook and a neighbour, at a path that a student may know."""
    import shutil

    root = tmp_path / "course"
    shutil.copytree(mini_course.root, root, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "submitted" / "ada").mkdir(parents=True)
    (root / "gradebook.db").write_text("grades")
    (root / "library.py").write_text("x = 1\n")
    return root


def as_ordinary_user(
    root: Path, options: dict[str, bool], version: int = 0, theft: str = THEFT
) -> dict[str, Any]:
    """Grade the thief as an ordinary user, whose processes all the student's are, too."""
    user = ["unshare", "--user", "--map-user=1000", "--map-group=1000"] if os.geteuid() == 0 else []
    if user and subprocess.run([*user, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no user namespaces here, and this is root")
    given = json.dumps([options, version, theft, ANSWER, str(root)])
    home = root.parent / "home"
    home.mkdir(exist_ok=True)
    environment = {**os.environ, "HOME": str(home), "PYTHONPATH": str(walls.PACKAGE.parent)}
    done = subprocess.run(
        [*user, sys.executable, "-c", GRADE, given],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert not [p for p in (Path("/tmp/landlock-was-here"), Path("/dev/shm/landlock-was-here")) if p.exists()]
    return json.loads(done.stdout.splitlines()[-1])


@needs_landlock
@pytest.mark.parametrize("version", range(1, 8))
def test_behind_the_second_wall_nothing_is_stolen_and_nothing_is_changed(version: int, course: Path) -> None:
    """At each version of Landlock: what that version does not refuse, the filter of system calls does."""
    if version > NEWEST:
        pytest.skip(f"this kernel has version {NEWEST}")
    found = as_ordinary_user(course, {"unsandboxed": True}, version)
    assert (found["wall"], found["protected"]) == (LANDLOCK, True)
    assert found["text"] == "TRIED\n", found["error"]
    assert found["score"] == 2  # what the right one of the two answers deserves
    assert (found["changed"], found["came"], found["left"], found["nicer"]) == ([], 0, 0, 0)


def test_in_bubblewrap_nothing_is_stolen_and_nothing_is_changed(course: Path, bubblewrap: None) -> None:
    """What it takes there is its own: it sees no other process, no network, and only private folders."""
    found = as_ordinary_user(course, {})
    assert (found["wall"], found["score"], found["changed"], found["came"]) == (BUBBLEWRAP, 2, [], 0)
    assert found["text"].endswith("TRIED\n"), found["error"]
    others = (
        "answer",
        "gradebook",
        "course",
        "grading",
        "reference",
        "neighbour",
        "log",
        "mounts",
        "/proc",
        "program",
    )
    assert not [line for line in found["text"].splitlines() if any(word in line for word in others)]


def test_without_a_wall_all_of_it_is_stolen_and_the_result_says_so(course: Path) -> None:
    """So the tests above can fail; and this is what the mark on such results means."""
    options = {"unsandboxed": True, "landlock": False, "unprotected_scores": True}
    tame = THEFT.replace('attempt("truncation of a library", ', "(lambda *_: None)('', ")
    tame = tame.replace('"/tmp/landlock-was-here"', 'ROOT + "/x"')
    tame = tame.replace('"/dev/shm/landlock-was-here"', 'ROOT + "/y"')
    found = as_ordinary_user(course, options, theft=tame)
    assert (found["wall"], found["protected"], found["score"]) == (NO_WALL, False, 5)
    assert found["notes"][0] == walls.UNPROTECTED
    assert found["text"].count("TOOK") > 25, found["text"]
    assert any(path.endswith("gradebook.db") for path in found["changed"])


@pytest.fixture
def known() -> Iterator[None]:
    """What was found out about this machine, forgotten before and after."""
    bubblewrap.why_not.cache_clear()
    yield
    bubblewrap.why_not.cache_clear()


def test_which_wall_it_is_and_which_flag_is_named(known: None, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = {"bwrap": "no-such-bubblewrap"}
    monkeypatch.setattr(second_wall, "version", lambda: 6)
    with pytest.raises(SandboxError, match="--unsandboxed, for a second wall"):
        Sandbox(**missing).wall()
    assert Sandbox(**missing, unsandboxed=True).wall() == LANDLOCK
    assert Sandbox(**missing, unprotected_scores=True).wall() == LANDLOCK  # the best there is
    monkeypatch.setattr(second_wall, "version", lambda: 0)
    for options in ({}, {"unsandboxed": True}):
        with pytest.raises(
            SandboxError, match="--unprotected-scores: then a submission can read the answer key"
        ):
            Sandbox(**missing, **options).wall()
    assert Sandbox(**missing, unprotected_scores=True).wall() == NO_WALL
    monkeypatch.setattr(second_wall, "version", lambda: 6)
    monkeypatch.setattr(second_wall, "known_machine", lambda: False)
    with pytest.raises(SandboxError, match="does not know this processor"):
        Sandbox(**missing, unsandboxed=True).wall()


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_where_there_is_no_linux_the_only_flag_is_the_one_that_says_what_it_costs(
    platform: str, known: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(SandboxError, match="--unprotected-scores") as raised:
        Sandbox(unsandboxed=True).wall()
    assert "Or say --unsandboxed" not in str(raised.value)
    assert second_wall.version() == 0


def test_a_kernel_of_an_older_version_is_asked_for_nothing_that_it_does_not_know(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Rules for each version, as a kernel would get them: it refuses a rule with a right that it does not handle."""
    asked: list[tuple[int, tuple[Any, ...]]] = []

    def pretend(number: int, *args: Any) -> int:
        asked.append((number, args))
        return os.open(os.devnull, os.O_RDONLY) if number == second_wall.CREATE_RULESET else 0

    monkeypatch.setattr(second_wall, "system_call", pretend)
    sizes = {1: 8, 2: 8, 3: 8, 4: 16, 5: 16, 6: 24, 7: 24, 99: 24}
    newest = {1: 12, 2: 13, 3: 14, 4: 14, 5: 15, 6: 15, 7: 15, 99: 15}
    for version, size in sizes.items():
        asked.clear()
        second_wall.Wall([os.__file__, str(tmp_path), "/no/such"], [], [str(tmp_path)], version).close()
        (_, (attributes, told, _)), *rules = asked
        assert len(attributes) == told == size
        handled = int.from_bytes(attributes[:8], "little")
        assert handled == (1 << newest[version] + 1) - 1
        assert [number for number, _ in rules] == [second_wall.ADD_RULE] * 7
        for _, (_, _, rule, _) in rules:
            rights = int.from_bytes(rule[:8], "little")
            assert rights and rights & handled == rights
            assert not rights & second_wall.EXECUTE


def test_what_is_hidden_inside_an_allowed_folder_is_left_out(tmp_path: Path) -> None:
    for name in ("lib/a/x.py", "lib/a/secret/key", "lib/b/y.py", "lib/other", "out/z"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "lib" / "way-out").symlink_to(tmp_path / "lib" / "a" / "secret")
    base, secret = str(tmp_path / "lib"), str(tmp_path / "lib" / "a" / "secret")
    readable, listed = second_wall.within([base, "/no/such"], [secret], [str(tmp_path / "lib" / "a")])
    assert readable == [f"{base}/a/x.py", f"{base}/b", f"{base}/other"]
    assert listed == [f"{base}/a"]
    assert second_wall.within([base], [], []) == ([base], [])
    assert second_wall.within([base], [str(tmp_path)], []) == ([], [])


def test_a_course_inside_the_standard_library_is_refused() -> None:
    inside = Path(os.__file__).parent / "json"
    with pytest.raises(SandboxError, match="inside Python's own library"):
        Sandbox(unsandboxed=True, hidden_paths=[str(inside)]).command(())


@needs_landlock
@pytest.mark.parametrize(
    ("hole", "named"),
    [
        (lambda rules: rules._allow("/", second_wall.READ_FILE | second_wall.READ_DIR), "start.py"),
        (lambda rules: rules._allow("/proc", second_wall.READ_FILE | second_wall.READ_DIR), "status"),
    ],
)
def test_a_second_wall_that_refuses_nothing_is_no_wall(
    hole: Any, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = second_wall.Wall.__init__

    def make(self: second_wall.Wall, *args: Any) -> None:
        made(self, *args)
        hole(self)

    monkeypatch.setattr(second_wall.Wall, "__init__", make)
    with pytest.raises(SandboxError, match=f"does not refuse {named}: it is no wall"):
        PupilProcess(Sandbox(unsandboxed=True), (), time.monotonic() + 60)


@needs_landlock
def test_a_second_wall_that_allows_nothing_is_no_wall_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walls, "learner_library", lambda allowed: Path("/no/such"))
    with pytest.raises(SandboxError, match="The wall does not allow"):
        PupilProcess(Sandbox(unsandboxed=True), (), time.monotonic() + 60)


@pytest.mark.parametrize("warm", [True, False])
def test_a_bubblewrap_that_shows_the_grader_s_files_is_no_wall(
    warm: bool, known: None, bubblewrap: None, tmp_path: Path
) -> None:
    """As one that binds more than it is asked to: what it should hide stands where it can be seen."""
    fake = tmp_path / "bwrap"
    body = f"""
import os, sys
args = [word.replace({json.dumps(str(walls.PUPIL))!r}, '"/pupil/pupil/start.py"') for word in sys.argv]
os.execvp("bwrap", args)
"""
    fake.write_text(f"#!{sys.executable}\n{body}")
    fake.chmod(0o755)
    with pytest.raises(SandboxError, match=r"does not refuse start.py: it is no wall"):
        PupilProcess(Sandbox(bwrap=str(fake), warm=warm), (), time.monotonic() + 60)


def test_a_folder_that_is_too_full_is_seen(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "big").write_bytes(b"x" * 3_000_000)
    assert is_fuller(str(tmp_path), 2 << 20)
    assert not is_fuller(str(tmp_path), 4 << 20)
    assert is_fuller(str(tmp_path), 4 << 20, files=1)
    assert not is_fuller(str(tmp_path / "no"), 1)


@needs_landlock
def test_where_the_watcher_does_not_come_to_it_all_is_ended_all_the_same() -> None:
    process = PupilProcess(Sandbox(unsandboxed=True), (), time.monotonic() + 60)
    process.run_cell(
        "import os, time\nif not os.fork():\n    os.fork()\n    time.sleep(600)\ntime.sleep(0.5)"
    )
    watcher = process.link.process.pid
    started = [watcher, *family(watcher)]
    assert len(started) == 4
    os.kill(watcher, signal.SIGSTOP)
    process.link._end_descendants()
    process.close()
    assert not [pid for pid in started if psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie"]


@needs_landlock
def test_when_the_grader_is_killed_nothing_of_the_submission_stays(tmp_path: Path) -> None:
    code = r'''
import os, sys, time
from autograder.sandbox.process import PupilProcess
from autograder.sandbox.walls import Sandbox
process = PupilProcess(Sandbox(unsandboxed=True), (), time.monotonic() + 60)
process.run_cell("""
import os, time
between = os.fork()
if not between:
    if not os.fork(): time.sleep(600)
    os._exit(0)
os.waitpid(between, 0)
""")
print(process.link.process.pid, flush=True)
time.sleep(600)
'''
    grader = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert grader.stdout is not None
    watcher = int(grader.stdout.readline())
    started = [watcher, *family(watcher)]
    assert len(started) == 3
    grader.kill()
    grader.wait()
    until = time.monotonic() + 10
    while any(psutil.pid_exists(pid) for pid in started) and time.monotonic() < until:
        time.sleep(0.05)
    assert not [pid for pid in started if psutil.pid_exists(pid)]
