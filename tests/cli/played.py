"""Runs the commands of a page as they are written there, one after the other, and notes which ones ran."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from autograder.cli import app

from ..lab import private_folders
from .shown import filled_in


@dataclass
class Played:
    """A reader in a folder, who types what the pages show."""

    here: Path
    #: Commands and options of the pages that ran, as they are written there.
    ran: set[str] = field(default_factory=set)
    #: The lines that ran, with something in the place of each placeholder.
    lines: set[str] = field(default_factory=set)

    def __call__(
        self,
        command: str,
        *also: str,
        says: str | Sequence[str] = (),
        code: int = 0,
        extra: Sequence[object] = (),
        **placeholders: object,
    ) -> str:
        """Run a command of a page, with options that it names apart from it; gives what was printed.

        `extra` are words that no page shows: what the command needs here so that it ends, or asks no network.
        """
        words = [*self.filled(command, *also, **placeholders), *map(str, extra)]
        printed = ""
        for one in alternatives(words):
            ours = one[0] == "autograder"
            ended, told = in_this_process(one[1:], self.here) if ours else self.outside(one)
            assert ended == code, (command, one, ended, told)
            self.lines.add(shlex.join(one[: len(one) - len(extra)]))
            printed += told
        for told in [says] if isinstance(says, str) else says:
            assert told in printed, (command, told, printed)
        return printed

    def filled(self, *shown: str, **placeholders: object) -> list[str]:
        """The words of what a page shows; it counts as run from here on."""
        words = [word for one in shown for word in filled_in(one, **placeholders)]
        self.ran.update(shown)
        return words

    def outside(self, words: Sequence[str]) -> tuple[int, str]:
        """Run another program, as it is found beside this interpreter."""
        if words[0] == "nbgrader":
            from nbgrader.apps import NbGraderApp

            return in_a_fork(words, self.here, lambda: NbGraderApp.launch_instance(list(words[1:])))
        program = Path(sys.executable).with_name(words[0])
        first = (
            [sys.executable] if words[0] == "python" else [str(program) if program.is_file() else words[0]]
        )
        done = subprocess.run(
            [*first, *words[1:]], cwd=self.here, capture_output=True, text=True, timeout=300, check=False,
            env=os.environ | {"COLUMNS": "200"},
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    @contextlib.contextmanager
    def serving(
        self, command: str, address: str = "", *, extra: Sequence[object] = (), **more: object
    ) -> Iterator[str]:
        """Run a command that serves pages until Ctrl-C; gives what the address says, and ends it so.

        Without an address it is JupyterLab, which says itself where it is.
        """
        words = [*self.filled(command, **more), *map(str, extra)]
        with tempfile.TemporaryDirectory() as folder:
            private = Path(folder)
            environment = private_folders(private) | {"BROWSER": "true"}
            with (private / "log").open("wb") as log:
                process = subprocess.Popen(
                    [str(Path(sys.executable).with_name(words[0])), *words[1:]], cwd=self.here, stdout=log, stderr=log,
                    stdin=subprocess.DEVNULL, start_new_session=True, env=environment,
                )  # fmt: skip
            try:
                yield answer_of(lambda: address or jupyterlab_in(private), process, private / "log")
                os.killpg(process.pid, signal.SIGINT)
                ended = process.wait(60)
                assert ended in (0, 130), (command, ended, (private / "log").read_text())
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait(30)


def alternatives(words: Sequence[str]) -> list[list[str]]:
    """The commands that are meant by one that says `csv|canvas`."""
    return [list(one) for one in itertools.product(*(word.split("|") for word in words))]


def jupyterlab_in(private: Path) -> str:
    """Where the JupyterLab says what it is open on that runs with these private folders; empty until it does."""
    for file in private.glob("runtime/jpserver-*-open.html"):
        url = file.read_text(encoding="utf-8").partition("url=")[2].partition('"')[0]
        return url.replace("&amp;", "&")
    return ""


def answer_of(address: Callable[[], str], process: subprocess.Popen[bytes], log: Path) -> str:
    """What is served at an address, as soon as it is, with the address it was found at in front."""
    until = time.monotonic() + 90
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError, ValueError), urllib.request.urlopen(address(), timeout=5) as answer:
            return f"{answer.url}\n{answer.read().decode('utf-8', 'replace')}"
        time.sleep(0.1)
    raise AssertionError(log.read_text())


def in_this_process(words: Sequence[str], folder: Path) -> tuple[int, str]:
    """Run `autograder` as its console script does, in a folder; gives the exit status and what was printed."""
    printed = io.StringIO()
    before, here = sys.argv, Path.cwd()
    kept = {
        (module, name): getattr(module, name)
        for key, module in list(sys.modules.items())
        if key.startswith("autograder.cli")
        for name in ("console", "errors")
        if isinstance(getattr(module, name, None), Console)
    }
    try:
        for module, name in kept:
            setattr(module, name, Console(highlight=False, file=printed, width=200))
        sys.argv = ["autograder", *words]
        os.chdir(folder)
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            app.main()
    except SystemExit as end:
        return int(end.code or 0), printed.getvalue()
    finally:
        os.chdir(here)
        sys.argv = before
        for (module, name), console in kept.items():
            setattr(module, name, console)
    return 0, printed.getvalue()


def in_a_fork(words: Sequence[str], folder: Path, run: Callable[[], object]) -> tuple[int, str]:
    """Run a program that is imported already in a process of its own: it keeps what it configures to itself."""
    with tempfile.TemporaryFile() as file:
        sys.stdout.flush()
        child = os.fork()
        if not child:
            code = 70
            try:
                os.chdir(folder)
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
                sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
                sys.argv = list(words)
                run()
                code = 0
            except SystemExit as end:
                code = int(end.code or 0)
            except BaseException:  # the test's own way on from here is the parent's
                traceback.print_exc()
            finally:
                with contextlib.suppress(Exception):
                    sys.stdout.flush()
                    sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        file.seek(0)
        return os.waitstatus_to_exitcode(status), file.read().decode("utf-8", "replace")
