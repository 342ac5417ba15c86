"""The pupil: the process in which a student's notebook runs while it is graded.

The referee starts this file with `python -I -S -B pupil.py CONFIG`, usually inside a sandbox. It reads requests from
its standard input (run this cell; call this probe with these values) and writes answers to its standard output, in
the frames of `wire.py`. It knows no expected value and no test: whatever the student's code does to this process,
it can change only its own answers.

CONFIG is a JSON object: "path" (folders to import from), "limits", "user" (whom to become, if started as root),
"allowed" (modules of `autograd_ref` that the unit's students may use), "see" (what the walls have to allow and to
refuse) and, where there is no bubblewrap, "second_wall" (its code, its rules as an open file, and its version).
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
from collections.abc import Callable
from typing import Any, BinaryIO


def say_nothing() -> None:
    """Point the standard streams at nothing."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def take_over_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep the referee's two pipes for ourselves; what the student's code reads and writes goes elsewhere."""
    requests, answers = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.dup2(2, 1)
    os.close(empty)
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb", buffering=0)


def set_limits(limits: dict[str, int]) -> None:
    """Hard limits of the kernel, for this process and all that it starts. Windows has none."""
    try:
        import resource
    except ImportError:
        return
    names = {
        "memory_bytes": "RLIMIT_AS",
        "cpu_seconds": "RLIMIT_CPU",
        "processes": "RLIMIT_NPROC",
        "file_bytes": "RLIMIT_FSIZE",
        "open_files": "RLIMIT_NOFILE",
    }
    for key, name in names.items():
        kind = getattr(resource, name, None)
        if kind is None or key not in limits:
            continue
        value = limits[key]
        hard = resource.getrlimit(kind)[1]
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        try:
            resource.setrlimit(kind, (value, value))
        except (ValueError, OSError):  # macOS refuses some of them; the wall clock still holds
            continue
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    go_first()


def go_first() -> None:
    """The limits are each process's own. If several together exhaust the machine, these are the ones to go."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def adopt_orphans() -> None:
    """Where there is no namespace whose first process does it, be the one to whom the children of the dead go."""
    import signal

    if not sys.platform.startswith("linux"):
        return
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if os.getppid() != 1:
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def become(user: int) -> None:
    """Leave root for good: an own user id for each pupil, so that limits on processes count."""
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def give_up_capabilities() -> None:
    """Drop the rights that an ordinary user has in a user namespace of its own (capset(2))."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    for capability in range(64):
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP; the numbers that do not exist are refused
    head, rights = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if libc.capset(head, rights):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


#: System calls by which memory is taken that no limit counts, or new privileges are: numbers on x86-64 and on arm64.
#: memfd_create, memfd_secret, unshare, setns, mount, fsopen, keyctl, add_key, bpf, userfaultfd, io_uring_setup,
#: perf_event_open, shmget, msgget, semget, mq_open, request_key; those that tell of the host: syslog, statmount,
#: listmount; and those that reach into another process: ptrace, process_vm_readv, process_vm_writev, kcmp, pidfd_getfd.
#: `clone` is refused with the flag for a user namespace; `clone3` hides its flags, so it is "not implemented", and the
#: C library then takes `clone`. `socket` is refused for all but ADDRESSES: a virtual machine's own kind (vsock) knows
#: no network namespace, and leads to its host. `prlimit64` is refused for another process: the first of an ordinary
#: user's namespace is that user's too, and with no CPU time left it would end as if this machine were at fault.
#: `rt_sigaction` is refused for SIGCHLD: what ends while its parent ignores that is counted nowhere (`meter.py`).
FORBIDDEN_CALLS = {
    "x86_64": (
        0xC000003E,
        (56, 41, 302, 13),
        (319, 447, 272, 308, 165, 430, 250, 248, 321, 323, 425, 298, 29, 68, 64, 240, 249, 103, 457, 458),
        (101, 310, 311, 312, 438),
    ),
    "aarch64": (
        0xC00000B7,
        (220, 198, 261, 134),
        (279, 447, 97, 268, 40, 430, 219, 217, 280, 282, 425, 241, 194, 186, 190, 180, 218, 116, 457, 458),
        (117, 270, 271, 272, 438),
    ),
}

#: AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: they end at the walls.
ADDRESSES = (1, 2, 10, 16)


def forbid_system_calls() -> None:
    """Install a seccomp filter (Linux; seccomp(2), and the kernel's Documentation/userspace-api/seccomp_filter.rst)."""
    machine = os.uname().machine if hasattr(os, "uname") else ""
    if not sys.platform.startswith("linux") or machine not in FORBIDDEN_CALLS:
        return
    import ctypes
    import struct

    architecture, (clone, new_socket, limit, action), *groups = FORBIDDEN_CALLS[machine]
    load, equal, at_least, has_bit, end = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, kill = 0x7FFF0000, 0x80000000
    not_permitted, not_implemented, no_such_address = 0x00050001, 0x00050026, 0x00050061
    program = [
        (load, 0, 0, 4),  # the architecture
        (equal, 1, 0, architecture),
        (end, 0, 0, kill),
        (load, 0, 0, 0),  # the number of the call
        (at_least, 0, 1, 0x40000000),  # the numbers of x86's other interface
        (end, 0, 0, not_permitted),
        (equal, 0, 1, 435),  # clone3
        (end, 0, 0, not_implemented),
    ]
    for call in (call for calls in groups for call in calls):
        program += [(equal, 0, 1, call), (end, 0, 0, not_permitted)]
    program += [(equal, 0, len(ADDRESSES) + 3, new_socket), (load, 0, 0, 16)]
    program += [(equal, len(ADDRESSES) - i, 0, address) for i, address in enumerate(ADDRESSES)]
    program += [
        (end, 0, 0, no_such_address),
        (end, 0, 0, allow),
        (equal, 0, 4, limit),
        (load, 0, 0, 16),  # the process
        (equal, 1, 0, 0),  # the caller's own
        (end, 0, 0, not_permitted),
        (end, 0, 0, allow),
        (equal, 0, 4, action),
        (load, 0, 0, 16),  # the signal
        (equal, 0, 1, 17),  # SIGCHLD
        (end, 0, 0, not_permitted),
        (end, 0, 0, allow),
        (equal, 0, 3, clone),
        (load, 0, 0, 16),  # its flags
        (has_bit, 0, 1, 0x10000000),  # CLONE_NEWUSER
        (end, 0, 0, not_permitted),
        (end, 0, 0, allow),
    ]
    code = b"".join(struct.pack("<HBBI", *instruction) for instruction in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    head = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(buffer)))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    libc.prctl(22, 2, head, 0, 0)  # PR_SET_SECCOMP; a kernel without it leaves the other walls


def see_the_walls(allowed: str, refused: list[str], second: bool = False) -> None:
    """Try what has to work and what has to fail; a wall that does not refuse is none. Raises SystemExit."""
    with contextlib.suppress(OSError), open(allowed, "rb") as file:
        allowed = "" if file.read(1) else allowed
    if allowed:
        raise SystemExit(
            f"The wall does not allow {os.path.basename(allowed)}, so it is not the wall that was meant."
        )
    for path in refused:
        with contextlib.suppress(OSError):
            open(path, "rb").close()
            raise SystemExit(f"The wall does not refuse {os.path.basename(path)}: it is no wall.")
    attempts: list[tuple[str, Callable[[], object]]] = []
    if os.uname().machine in FORBIDDEN_CALLS:
        attempts.append(("a file in memory", lambda: os.memfd_create("x")))
    if second:
        import socket

        attempts += [
            ("a socket", lambda: socket.socket(socket.AF_UNIX)),
            ("a signal to its parent", lambda: os.kill(os.getppid(), 0)),
            ("the list of processes", lambda: os.listdir("/proc")),
        ]
    for name, attempt in attempts:
        with contextlib.suppress(OSError):
            attempt()
            raise SystemExit(f"The wall does not refuse {name}: it is no wall.")


class Capped(io.TextIOBase):
    """A text stream that keeps the first `limit` characters and drops the rest."""

    encoding = "utf-8"

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.parts: list[str] = []
        self.size = 0
        self.dropped = False

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        room = self.limit - self.size
        if len(text) > room:
            self.dropped = True
        if room > 0:
            self.parts.append(text[:room])
            self.size += min(room, len(text))
        return len(text)

    def text(self) -> str:
        return "".join(self.parts) + ("\n[the rest was cut]" if self.dropped else "")


class Guard:
    """Says clearly which modules of the course a unit's students may not use."""

    def __init__(self, allowed: list[str]) -> None:
        self.allowed = allowed

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        package = name.partition(".")[0]
        if package == "autograd_ref" and "." in name and "autograd_ref" not in self.allowed:
            if not any(
                name == a or name.startswith(a + ".") or a.startswith(name + ".") for a in self.allowed
            ):
                raise ImportError(f"{name} is what this unit rebuilds, so an answer may not import it")
        room, _, module = name.partition(".")[2].partition(".")
        if package == "autograder" and room in ("mine", "learner"):
            raise ImportError("your own engine is for your own notebook: grading uses the reference")
        if (
            package == "autograder"
            and room
            and (room != "lesson" or (module and module not in LEARNER_MODULES))
        ):
            raise ImportError(f"{name} belongs to the grading side, so a notebook may not import it")


#: The files of `autograder.lesson`, which notebooks import.
LEARNER_MODULES = (
    "__init__",
    "checks",
    "compare",
    "diagnose",
    "draw",
    "likely",
    "logbook",
    "predict",
    "probes",
    "reasons",
    "unfinished",
    "wire",
)


def _no_commands(command: str) -> None:
    print("Commands of the system are not run while a notebook is graded.")


def _no_output(command: str, split: bool = True, depth: int = 0) -> list[str] | str:
    _no_commands(command)
    return [] if split else ""


class Absent:
    """Stands for a library that is not there: an import alone costs nothing, its use says what is missing."""

    def __init__(self, library: str) -> None:
        self._library = library

    def _missing(self, *_: object, **__: object) -> Any:
        raise ModuleNotFoundError(
            f"{self._library} is not there while a notebook is graded", name=self._library
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python and IPython look for these in any object
            raise AttributeError(name)
        self._missing()

    __call__ = __getitem__ = __iter__ = __mro_entries__ = _missing


class Either:
    """Python's own `max` and the like, and NumPy's of the same name, where `from numpy import *` has put it."""

    def __init__(self, own: Any, other: Any) -> None:
        self._own, self._other = own, other
        self.__name__, self.__doc__ = own.__name__, own.__doc__

    def __call__(self, *args: Any, **options: Any) -> Any:
        if (len(args) == 1 and hasattr(args[0], "dtype")) or not options.keys() <= {
            "key",
            "default",
            "start",
        }:
            return self._other(*args, **options)
        try:
            return self._own(*args, **options)
        except (TypeError, ValueError):
            try:
                return self._other(*args, **options)
            except Exception:
                pass
            raise


class Imports:
    """What an import at the top level of a cell costs an answer that does not need it: nothing.

    A step of IPython's, which changes a cell's tree before it is compiled.
    """

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        namespace["_names_of_builtins_back"] = self.names_back

    def visit(self, tree: Any) -> Any:
        for i, node in enumerate(tree.body):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                tree.body[i] = self._changed(node)
        return tree

    def _changed(self, node: Any) -> Any:
        module = (
            node.names[0].name if isinstance(node, ast.Import) else node.module if node.level == 0 else None
        )
        if module is None or (isinstance(node, ast.Import) and len(node.names) > 1):
            return node
        library = module.partition(".")[0]
        if not self._there(library):
            print(f"{library} is not there while a notebook is graded; its import was left out.")
            for alias in node.names:
                name = alias.asname or (alias.name if isinstance(node, ast.ImportFrom) else library)
                if name != "*":
                    self.namespace[name] = Absent(library)
            return ast.copy_location(ast.Pass(), node)
        if any(alias.name == "*" for alias in node.names):
            # In a statement of its own line, so that tracebacks name the student's.
            back = ast.parse("_names_of_builtins_back()").body[0]
            both = ast.Try([node], [], [], [back])
            return ast.fix_missing_locations(ast.copy_location(both, node))
        return node

    @staticmethod
    def _there(library: str) -> bool:
        import importlib.util

        if library in sys.modules:
            return True
        try:
            return importlib.util.find_spec(library) is not None
        except (ImportError, ValueError):  # refused: the import itself says so
            return True

    def names_back(self) -> None:
        """After a star import: names of Python's own functions mean these again, where a call is one of theirs."""
        import builtins

        for name, own in vars(builtins).items():
            other = self.namespace.get(name, own)
            if other is own or name.startswith("_") or isinstance(other, Either):
                continue
            if "numpy" in (type(other).__module__, str(getattr(other, "__module__", "")).partition(".")[0]):
                self.namespace[name] = own if isinstance(own, type) else Either(own, other)


class Pupil:
    """Runs cells in IPython and calls probes in its namespace."""

    def __init__(self, output_chars: int) -> None:
        from IPython.core.interactiveshell import InteractiveShell
        from traitlets.config import Config

        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "nocolor"
        config.InteractiveShell.cache_size = 0
        config.InteractiveShell.xmode = "Plain"
        self.shell = InteractiveShell.instance(config=config)
        self.shell.displayhook.write_output_prompt = lambda: None
        # Outputs are kept as text, so no picture is drawn.
        formatter: Any = self.shell.display_formatter
        formatter.active_types = ["text/plain"]
        formatter.mimebundle_formatter.enabled = False
        # A notebook's usual requests to its surroundings (%matplotlib inline, !pip install): there is nothing here to
        # do them with, and the lines behind them, often imports, have to run all the same.
        shell: Any = self.shell
        shell.enable_gui = lambda gui=None: None
        shell.enable_matplotlib = lambda gui=None: (gui, "agg")
        shell.system = _no_commands
        shell.getoutput = _no_output
        self.output_chars = output_chars
        self.cells = 0
        self.imports = Imports(shell.user_ns)
        shell.ast_transformers.append(self.imports)

    def run_cell(self, source: str) -> dict[str, Any]:
        from autograder.lesson.probes import describe

        out = Capped(self.output_chars)
        saved = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = out
        try:
            program = self._program(source)
            if program is None:
                result = self.shell.run_cell(source, store_history=False)
                error = result.error_before_exec or result.error_in_exec
            else:
                error = self._run(*program)
        except BaseException as raised:  # a student may break the shell itself
            error = raised
        finally:
            sys.stdout, sys.stderr = saved
        reply: dict[str, Any] = {"text": out.text()}
        if error is not None:
            told = describe(error)
            reply["error"] = [told.type_name, told.message, told.place, told.name]
        return reply

    def _program(self, source: str) -> tuple[Any, Any] | None:
        """A cell of plain Python, compiled: its statements, and the expression at its end, if there is one.

        None for what only IPython understands (magics, `!`, `?`, `await`). Its own way takes a millisecond a cell.
        """
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        names = [n.value.id for n in tree.body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Name)]
        if any(name not in self.shell.user_ns for name in names):  # `ls` may be a magic
            return None
        tree = self.imports.visit(tree)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = tree.body[-1]
            tree.body.pop()
        self.cells += 1
        filename = self.shell.compile.cache(source, self.cells)  # tracebacks find the text under this name
        body = compile(tree, filename, "exec")
        if last is None:
            return body, None
        kind = "exec" if source.rstrip().endswith(";") else "eval"  # which shows nothing
        shown = ast.Expression(last.value) if kind == "eval" else ast.Module([last], [])
        return body, compile(shown, filename, kind)

    def _run(self, body: Any, last: Any) -> BaseException | None:
        """Run a compiled cell as IPython would; gives the exception that ended it."""
        shell = self.shell
        try:
            with shell.builtin_trap, shell.display_trap:
                exec(body, shell.user_ns)
                if last is not None and (value := eval(last, shell.user_ns)) is not None:
                    shell.displayhook(value)
        except BaseException as error:
            shell.showtraceback()
            return error
        return None

    def call(self, name: str, source: str | None, args: Any, twice: bool = False) -> dict[str, Any]:
        from autograder.lesson import wire
        from autograder.lesson.probes import AnswerError, compile_probe, describe, in_two_calls

        out = Capped(self.output_chars)
        saved = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = out
        values = wire.unpack(args)
        namespace = self.shell.user_ns
        try:
            if source is not None:
                function = compile_probe(source, name, namespace)
            elif name in namespace:
                function = namespace[name]
            else:
                raise AnswerError("NameError", f"there is no `{name}` here", name=name)
            if twice:
                function = in_two_calls(function)
            value = wire.pack(function(*values))
            # The arguments came as data, so whether they were changed is seen by packing them again.
            changed = [
                i
                for i, (sent, now) in enumerate(zip(args["v"], values, strict=True))
                if isinstance(sent, dict) and wire.pack(now) != sent
            ]
            return {"value": value, "mutated": changed}
        except AnswerError as error:
            return {"error": [error.type_name, error.message, error.place, error.name]}
        except wire.WireError as error:
            return {"error": ["ValueError", str(error), "", ""]}
        except BaseException as error:  # SystemExit too: a student's function may raise anything
            told = describe(error)
            return {"error": [told.type_name, told.message, told.place, told.name]}
        finally:
            sys.stdout, sys.stderr = saved


def converse(pupil: Pupil, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer the referee's requests until it hangs up."""
    from autograder.lesson import wire

    wire.write_frame(answers, {"ready": True})
    while (request := wire.read_frame(requests)) is not None:
        if request["do"] == "seed":
            reseed(request["seed"])
            continue
        if request["do"] == "cell":
            reply = pupil.run_cell(request["source"])
        else:
            twice = request.get("twice", False)
            reply = pupil.call(request["name"], request["source"], request["args"], twice)
        reply["id"] = request["id"]
        try:
            wire.write_frame(answers, reply)
        except wire.WireError as error:
            wire.write_frame(answers, {"id": request["id"], "error": ["ValueError", str(error), "", ""]})


def prepare(config: dict[str, Any]) -> Pupil:
    """Load what every notebook needs."""
    import warnings

    warnings.filterwarnings("ignore", message=".*non-interactive.*")
    pupil = Pupil(config["limits"].get("output_chars", 100_000))
    sys.path.append(os.getcwd())
    return pupil


# -- The warm interpreter, and its forks ------------------------------------------------------------------------------

NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PROCESSES, NEW_NETWORK = (
    0x20000,
    0x8000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
NO_SUID, NO_DEVICES, NO_EXEC, RECURSIVE, PRIVATE, READ_ONLY = 2, 4, 8, 1 << 14, 1 << 18, 1

#: So many files and folders fit into each private folder of a fork.
FILES = 4096


def serve_forks(config: dict[str, Any]) -> None:
    """Fork a pupil for each message on the control socket, which brings the pupil's own two sockets with it."""
    import gc
    import importlib
    import signal
    import socket

    for name in config["preload"]:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    pupil = prepare(config)
    # What the unit's own cells import: 24 of the 150 milliseconds that a submission of unit 03 took.
    for name in (*(f"autograder.lesson.{name}" for name in LEARNER_MODULES), *config["allowed"]):
        with contextlib.suppress(ImportError):
            importlib.import_module(name.removesuffix(".__init__"))
    pupil.run_cell("None")  # the first cell loads parts of IPython
    gc.collect()
    gc.freeze()  # a collection in a fork would copy the pages of all that is shared
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries the dead
    control = socket.socket(fileno=config["control"])
    own = try_fork(config)
    control.send(own.encode() or b"ready")
    while True:
        message, handles, _, _ = socket.recv_fds(control, 65536, 2)
        if not message:
            return
        conversation, status = handles
        if os.fork() == 0:
            control.close()
            fork_pupil(pupil, conversation, status, {**config, **json.loads(message)})
        for handle in handles:
            os.close(handle)


def try_fork(config: dict[str, Any]) -> str:
    """Why a fork cannot have namespaces of its own; empty when it can."""
    import socket

    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        try:
            own_namespaces()
            if os.fork() == 0:
                own_folders(config["file_bytes"])
                theirs.send(b"good")
        except BaseException as error:
            theirs.send(str(error).encode()[:200] or b"?")
        finally:
            os._exit(0)
    theirs.close()
    with ours:
        said = ours.recv(1000)
    return "" if said == b"good" else f"no namespaces in the sandbox: {said.decode('utf-8', 'replace')}"


def fork_pupil(pupil: Pupil, conversation: int, status: int, config: dict[str, Any]) -> None:
    """In a fork: make the namespaces, then a first process in them, and in that the pupil. Does not return."""
    import signal
    import socket

    try:
        for kind in (signal.SIGCHLD, signal.SIGINT):
            signal.signal(kind, signal.SIG_DFL)
        say_nothing()
        notes = socket.socket(fileno=status)
        go_first()
        own_namespaces()
        first = os.fork()
        if first:
            # By this handle the referee ends the first process, and so all others in its namespace.
            socket.send_fds(notes, [b"{}"], [os.pidfd_open(first)])
            os._exit(0)
        own_folders(config["file_bytes"])
        child = os.fork()
        if child:
            os.close(conversation)
            while (ended := os.wait())[0] != child:
                pass  # a process whose parent had gone
            used = os.times()
            cpu = used.children_user + used.children_system
            notes.send(json.dumps({"code": os.waitstatus_to_exitcode(ended[1]), "cpu": cpu}).encode())
            os._exit(0)
        notes.close()
        # A signal to its own group would else reach the warm interpreter and all the other forks of the same user:
        # a group, unlike a number, is the same in every process namespace.
        os.setsid()
        requests, answers = os.fdopen(os.dup(conversation), "rb"), os.fdopen(conversation, "wb", buffering=0)
        set_limits(config["limits"])
        if config.get("user"):
            become(config["user"])
        give_up_capabilities()
        forbid_system_calls()
        see_the_walls(**config["see"])
        sys.meta_path.insert(0, Guard(config["allowed"]))
        pupil.output_chars = config["limits"].get("output_chars", pupil.output_chars)
        reseed(int.from_bytes(os.urandom(16), "big"))
        converse(pupil, requests, answers)
        os._exit(0)
    finally:
        os._exit(1)


def own_namespaces() -> None:
    """Leave the namespaces of the warm interpreter. Raises OSError where the kernel does not allow it."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    root, user, group = os.geteuid() == 0, os.getuid(), os.getgid()
    flags = NEW_MOUNTS | NEW_IPC | NEW_PROCESSES | NEW_NETWORK | (0 if root else NEW_USER)
    if libc.unshare(flags):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    if not root:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)


def own_folders(size: int) -> None:
    """Private empty folders in the places of the shared ones. Raises OSError."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)

    def mount(kind: bytes | None, where: str, flags: int, options: bytes = b"") -> None:
        if libc.mount(kind, where.encode(), kind, flags, options or None):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), where)

    mount(None, "/", RECURSIVE | PRIVATE)
    for folder, mode in (("/tmp", "1777"), ("/dev/shm", "1777"), ("/home/pupil", "0777")):
        # An empty file has no size, but takes a kilobyte of the kernel's memory.
        options = f"size={size},nr_inodes={FILES},mode={mode}"
        mount(b"tmpfs", folder, NO_SUID | NO_DEVICES, options.encode())
    # An empty one: it would tell what the host has mounted where, how bubblewrap was called, and of its hardware.
    mount(b"tmpfs", "/proc", NO_SUID | NO_DEVICES | NO_EXEC | READ_ONLY, b"size=4096,mode=0555")
    os.chdir("/home/pupil")


def reseed(seed: int) -> None:
    """Begin all random numbers anew, those of an unseeded `default_rng()` too: same answer, same seed, same points."""
    import random

    random.seed(seed)
    with contextlib.suppress(ImportError):
        import numpy.random.bit_generator

        numpy.random.seed(seed % 2**32)  # noqa: NPY002 - the one that a notebook may use
        # Where an unseeded generator takes its entropy from.
        vars(numpy.random.bit_generator)["randbits"] = random.Random(seed).getrandbits
    if (initial := sys.modules.get("autograd_ref.nn.init")) is not None:
        initial.manual_seed(seed)


def load(path: str) -> Any:
    """A module of the standard library's alone, by its file: what is beside it stays out of reach."""
    import importlib.util

    spec = importlib.util.spec_from_file_location(os.path.basename(path).removesuffix(".py"), path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    config = json.loads(sys.argv[1])
    sys.argv = ["notebook"]
    sys.path[:0] = config["path"]
    os.environ["MPLBACKEND"] = "agg"
    if "control" in config:
        serve_forks(config)
        return
    second = config.get("second_wall")
    if second:
        wall = load(second["code"])
        wall.keep_watch()
    requests, answers = take_over_streams()
    if not second:
        adopt_orphans()
    set_limits(config["limits"])
    if config.get("user"):
        (wall.become if second else become)(config["user"])
    if second:
        wall.close_in(second["rules"], second["version"])
    forbid_system_calls()
    if "see" in config:
        see_the_walls(**config["see"], second=bool(second))
    sys.meta_path.insert(0, Guard(config["allowed"]))
    converse(prepare(config), requests, answers)


if __name__ == "__main__":
    main()
