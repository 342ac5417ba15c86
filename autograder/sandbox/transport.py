"""What every way to a pupil's process can do, and the cold way: a new interpreter behind new walls, over three pipes.

It works everywhere. The warm way is in `line.py`, with the same few methods.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
import weakref
from typing import Any, BinaryIO, Protocol, cast

import psutil

from ..lesson import wire
from .host import remove_home
from .pupil.namespaces import FILES
from .walls import LANDLOCK, NO_WALL, Launch

#: What `receive` gives in the place of a message.
TIME_IS_UP = "timeout"


class Link(Protocol):
    """The referee's end of a conversation with one pupil."""

    def send(self, request: dict[str, Any]) -> None:
        """Send a request to which no answer comes."""
        ...

    def exchange(self, request: dict[str, Any] | None, until: float) -> dict[str, Any] | str:
        """Send a request, if there is one, and give the next message.

        A text stands for no message: TIME_IS_UP, "" when the pupil has ended, or what is wrong with what it sent.
        """
        ...

    #: CPU seconds of all its processes, as it is told when the pupil has ended; 0 before, and where nobody tells
    cpu_at_end: float

    def first(self) -> int | None:
        """The number of the process that all its processes come from; None when that has ended."""
        ...

    def exit_code(self, seconds: float) -> int | None:
        """How the process ended (negative: by a signal); None when it has not within this time."""
        ...

    def interrupted(self) -> bool:
        """Whether the process was ended from outside its sandbox, with the sandbox, and not by what it did."""
        ...

    def last_words(self) -> str:
        """The last line that the process wrote to its standard error, if that is known."""
        ...

    def close(self) -> None:
        """End the process and everything that it started. Once is enough."""
        ...


#: Those that are at work. A process that ends takes them with it, also where no sandbox does.
_open: weakref.WeakSet[Pipes] = weakref.WeakSet()


@atexit.register
def close_pipes() -> None:
    """End all processes that are at work for this one."""
    for pipes in list(_open):
        pipes.close()


class Pipes:
    """A process of its own, started for this pupil."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        # Nearly no room: what is not read stays in the pipe, and a pupil that floods it waits there.
        self.answers: queue.Queue[dict[str, Any] | str] = queue.Queue(1)
        self.closed = False
        self.log = b""
        self.cpu_at_end = 0.0
        try:
            self.process = subprocess.Popen(
                launch.argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=launch.environment,
                cwd=launch.folder,
                start_new_session=True,
                bufsize=0,
                pass_fds=(launch.rules.handle,) if launch.rules else (),
            )
        finally:
            if launch.rules:
                launch.rules.close()
        _open.add(self)
        assert self.process.stdin and self.process.stdout and self.process.stderr
        threading.Thread(target=self._read_answers, args=(self.process.stdout,), daemon=True).start()
        self.logger = threading.Thread(target=self._read_log, args=(self.process.stderr,), daemon=True)
        self.logger.start()
        if launch.wall == LANDLOCK:
            threading.Thread(target=self._watch_folder, daemon=True).start()

    def _watch_folder(self) -> None:
        """End a pupil that fills the disk: the second wall has no folder of a size of its own."""
        while not self.closed and self.process.poll() is None:
            if self.launch.folder and is_fuller(self.launch.folder, self.launch.folder_bytes):
                self.process.terminate()
                return
            time.sleep(0.1)

    def _read_answers(self, stream: BinaryIO) -> None:
        with stream:
            try:
                while (message := wire.read_frame(stream)) is not None and self._put(message):
                    pass
            except (wire.WireError, OSError, ValueError, MemoryError) as error:
                self._put(f"it broke off the conversation ({error})")
            self._put("")

    def _put(self, message: dict[str, Any] | str) -> bool:
        while not self.closed:
            with contextlib.suppress(queue.Full):
                self.answers.put(message, timeout=0.2)
                return True
        return False

    def _read_log(self, stream: BinaryIO) -> None:
        with stream, contextlib.suppress(OSError, ValueError):
            while part := stream.read(65536):
                self.log = (self.log + part)[-4000:]

    def _write(self, request: dict[str, Any]) -> None:
        with contextlib.suppress(OSError, ValueError):  # the reader of answers sees that the pupil has gone
            wire.write_frame(cast(BinaryIO, self.process.stdin), request)

    def send(self, request: dict[str, Any]) -> None:
        self._write(request)

    def exchange(self, request: dict[str, Any] | None, until: float) -> dict[str, Any] | str:
        if request is not None:
            # In a thread, because a pupil that has stopped reading would keep us waiting for ever.
            threading.Thread(target=self._write, args=(request,), daemon=True).start()
        left = until - time.monotonic()
        try:
            return self.answers.get(timeout=left) if left > 0 else TIME_IS_UP
        except queue.Empty:
            return TIME_IS_UP

    def first(self) -> int | None:
        return self.process.pid if self.process.returncode is None else None

    def exit_code(self, seconds: float) -> int | None:
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def interrupted(self) -> bool:
        # bubblewrap itself, or who keeps watch, was ended; of an end within, they tell by an exit code.
        return self.launch.wall != NO_WALL and (self.exit_code(0) or 0) < 0

    def last_words(self) -> str:
        self.logger.join(1)
        return (self.log.decode("utf-8", "replace").strip().splitlines() or [""])[-1]

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        _open.discard(self)
        if self.launch.wall == LANDLOCK:
            # The process that we have started keeps watch, and ends all the others before itself. On a busy machine
            # that takes its time; were it killed before, nobody would end them.
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(60)
        if self.launch.wall == NO_WALL or (self.launch.wall == LANDLOCK and self.process.poll() is None):
            self._end_descendants()
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        if self.process.stdin:  # the other two belong to their threads
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        if self.launch.folder:
            remove_home(self.launch.folder)

    def _end_descendants(self) -> None:
        """End what the process has started, again while there is any: some may fork as fast as others are ended.

        Those whose parent has gone still have the home that is this process's alone.
        """
        until = time.monotonic() + 10
        while time.monotonic() < until:
            found = {p for p in psutil.process_iter() if _lives_in(self.launch.folder, p)}
            if self.process.poll() is None:
                with contextlib.suppress(psutil.Error):
                    first = psutil.Process(self.process.pid)
                    found |= {first, *first.children(recursive=True)}
            if not found:
                return
            for process in found:
                # A group at once, so that none of it forks meanwhile. It is never ours: the process began one.
                with contextlib.suppress(OSError, AttributeError):
                    os.killpg(os.getpgid(process.pid), signal.SIGKILL)
                with contextlib.suppress(psutil.Error):
                    process.kill()
            time.sleep(0.005)


def _lives_in(folder: str | None, process: psutil.Process) -> bool:
    """Whether a process has this folder for its home, and is no zombie."""
    try:
        return (
            folder is not None
            and process.environ().get("HOME") == folder
            and process.status() != psutil.STATUS_ZOMBIE
        )
    except (psutil.Error, OSError):
        return False


def is_fuller(folder: str, size: int, files: int = FILES) -> bool:
    """Whether a folder takes more of the disk than `size` bytes, or holds more than so many files."""
    taken = count = 0
    waiting = [folder]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                count += 1
                with contextlib.suppress(OSError):
                    taken += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                if taken > size or count > files:
                    return True
    return False
