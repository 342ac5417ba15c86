"""The warm way to a pupil: one socket to a fork of an interpreter that is already behind the walls."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time
from typing import Any, Protocol

from ..lesson import wire
from .meter import pid_of
from .transport import TIME_IS_UP


class Home(Protocol):
    """The warm interpreter that a pupil was forked from."""

    def ended(self, seconds: float) -> bool:
        """Whether it has ended, or does within this time."""
        ...


class Line:
    """A fork of a warm interpreter. `handle` is a pidfd of the first process in the pupil's own process namespace."""

    def __init__(self, conversation: socket.socket, status: socket.socket, home: Home) -> None:
        self.home = home
        self.conversation = conversation
        self.status = status
        self.handle: int | None = None
        self.code: int | None = None
        self.cpu_at_end = 0.0
        self.mute = False
        self.closed = False
        conversation.setblocking(False)
        self.received, self.unsent = bytearray(), bytearray()
        self.poll = select.poll()

    def send(self, request: dict[str, Any]) -> None:
        self.unsent += wire.frame(request)  # goes with the next

    def exchange(self, request: dict[str, Any] | None, until: float) -> dict[str, Any] | str:
        if request is not None:
            # Not always sent when this returns: a message may come first that answers another question.
            self.unsent += wire.frame(request)
            with contextlib.suppress(OSError):  # no room, or no reader: what follows finds out
                del self.unsent[: self.conversation.send(self.unsent)]
        while True:
            try:
                message = wire.take_frame(self.received)
            except wire.WireError as error:
                return f"it broke off the conversation ({error})"
            if message is not None:
                return message
            # One wait serves both ways: a pupil that has stopped reading must not keep us waiting for ever.
            self.poll.register(self.conversation, select.POLLIN | (select.POLLOUT if self.unsent else 0))
            left = until - time.monotonic()
            events = self.poll.poll(left * 1000) if left > 0 else []
            if not events:
                return TIME_IS_UP
            try:
                if events[0][1] & select.POLLOUT and self.unsent:
                    del self.unsent[: self.conversation.send(self.unsent)]
                if events[0][1] & ~select.POLLOUT:
                    part = self.conversation.recv(1 << 18)
                    if not part:
                        return ""
                    self.received += part
            except BlockingIOError:
                continue
            except OSError:
                return self._leftovers()

    def _leftovers(self) -> dict[str, Any] | str:
        """What the pupil still said before its end of the line went dead under our writing."""
        with contextlib.suppress(OSError, wire.WireError):
            while part := self.conversation.recv(1 << 18):
                self.received += part
                if (message := wire.take_frame(self.received)) is not None:
                    return message
        return ""

    def _hear(self, seconds: float) -> bool:
        """Take one note of the fork server's: the handle, or how the pupil ended. False when there is none in time."""
        self.status.settimeout(max(seconds, 0.0))
        try:
            note, handles, _, _ = socket.recv_fds(self.status, 4096, 4)
        except OSError:  # also: nothing within this time
            return False
        for handle in handles:
            if self.handle is None:
                self.handle = handle
            else:
                os.close(handle)
        with contextlib.suppress(ValueError, AttributeError):
            told = wire.parsed(note.decode()) if note else {}
            self.code, self.cpu_at_end = told.get("code", self.code), told.get("cpu", 0.0)
        self.mute = not note
        return bool(note)

    def first(self) -> int | None:
        if self.closed:
            return None
        while self.handle is None and self.code is None and self._hear(0.0):
            pass
        return pid_of(self.handle) if self.handle is not None else None

    def exit_code(self, seconds: float) -> int | None:
        until = time.monotonic() + seconds
        while self.code is None and self._hear(until - time.monotonic()):
            pass
        return self.code

    def interrupted(self) -> bool:
        # A pupil that ends by itself leaves the first process of its namespace behind, which tells how, and which
        # it cannot end.
        return self.code is None and (self.mute or self.home.ended(0.5))

    def last_words(self) -> str:
        return ""

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        self.conversation.close()
        # Without a handle the fork is still at work, or failed; it looks at the line before it goes on.
        while self.handle is None and self.code is None and self._hear(5.0):
            pass
        if self.handle is not None:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)
            # The first process of a namespace has ended when all the others have.
            ended = select.poll()
            ended.register(self.handle, select.POLLIN)
            ended.poll(5000)
            os.close(self.handle)
            self.handle = None
        self.status.close()
