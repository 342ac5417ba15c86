"""Probes: the only way in which a check touches a student's code.

A probe is called with plain data and gives plain data back. In a student's notebook it is a plain function call.
Under the referee the same line sends the probe's *source* and its arguments to another process, in which the
student's code lives, and receives an answer that cannot be anything but data.
"""

from __future__ import annotations

import contextvars
import functools
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from types import CodeType
from typing import Any, Protocol

from . import wire
from .answers import AnswerError, AnswerLost, AnswerTimeout, Reply, describe, is_notebook_file
from .compare import shown_apart
from .failures import Part, TestFault
from .limits import TimeUp, deadline, quietly
from .questions import Asked, Subject

__all__ = [
    "AnswerError",
    "AnswerLost",
    "AnswerTimeout",
    "Asked",
    "Boundary",
    "Call",
    "LocalBoundary",
    "Probe",
    "Reply",
    "Session",
    "Subject",
    "call_plainly",
    "compile_probe",
    "current_session",
    "deadline",
    "describe",
    "in_two_calls",
    "is_notebook_file",
    "probe",
    "use_session",
    "yours",
]


class Boundary(Protocol):
    """The way to the student's code."""

    def call(
        self, probe: Probe, args: tuple[Any, ...], *, twice: bool = False, seconds: float | None = None
    ) -> Reply:
        """Call the probe there; `twice`, as the function of that name says.

        With `seconds`, nothing hangs on the call, and it ends after that time.

        Raises AnswerError, AnswerTimeout or AnswerLost.
        """
        ...


@dataclass(frozen=True)
class Call:
    """One call of a probe, as messages show it."""

    probe: Probe
    args: tuple[Any, ...]
    value: Any = None
    mutated: tuple[int, ...] = ()
    error: AnswerError | None = None
    asked: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        return f"{self.probe.name}({', '.join(shown_apart(self.args))})"


class Probe:
    """A function that is called where the student's code lives.

    Without a function of its own it calls the student's function of that name.
    """

    def __init__(
        self, name: str, function: Callable[..., Any] | None = None, subject: Subject | None = None
    ) -> None:
        self.name = name
        self.function = function
        self.subject = subject
        self.__name__ = name
        self.__doc__ = function.__doc__ if function else f"Calls the notebook's `{name}`."

    def __repr__(self) -> str:
        return f"<probe {self.name}>"

    @cached_property
    def source(self) -> str | None:
        """The probe's source without its decorator; None when it has none of its own."""
        return _text_of(self.function.__code__) if self.function else None

    def asking(self, subject: Subject) -> Probe:
        """This probe with somebody to ask: its function gets one more argument, before the others.

        That is a function of plain data which gives plain data. What answers stays where the check is, so an answer
        that tests something can be given it and has nothing of it but its replies. `subject()` makes it, anew for
        each call; what it raises the question raises, as a ValueError.
        """
        return Probe(self.name, self.function, subject)

    def __call__(self, *args: Any) -> Any:
        session = current_session()
        if any(map(_holds_a_function, args)):
            raise TestFault(
                f"`{self.name}` is called with a function, and only plain data reaches an answer: let a probe make "
                "the function where the answer is, and call the answer with it there."
            )
        # Copies, so that nothing the answer keeps or changes reaches the check's own data; and the check may write into
        # its data when the call is over, so what is noted of the call are copies, too.
        given = tuple(map(wire.copied, args))
        try:
            reply = session.boundary.call(self, args)
        except AnswerError as error:
            session.calls.append(Call(self, given, error=error))
            raise
        except (AnswerTimeout, AnswerLost):
            session.calls.append(Call(self, given))
            raise
        session.calls.append(Call(self, given, reply.value, reply.mutated, asked=reply.asked))
        return reply.value


def _holds_a_function(value: object) -> bool:
    """Whether an argument is a function, or a list, tuple or dict of some: the answer would get an empty shell."""
    if isinstance(value, (list, tuple)):
        return any(map(callable, value))
    return any(map(callable, value.values())) if isinstance(value, dict) else callable(value)


@functools.lru_cache(1024)
def _text_of(code: CodeType) -> str:
    """A function's source from its `def` on. A referee asks for the same ones again for every submission."""
    # Not with `ast`: in CPython 3.11 `ast.parse` in several threads at a time may end in a SystemError.
    lines = textwrap.dedent(inspect.getsource(code)).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("def "))
    return "\n".join(lines[first:])


def probe(function: Callable[..., Any]) -> Probe:
    """Make a function of a check cell a probe: it will run where the student's code lives.

    It may use the notebook's names. Its arguments and its result are plain data: None, bool, int, float, str, list,
    tuple, dict, numeric arrays.
    """
    return Probe(function.__name__, function)


class _Yours:
    """`yours.mul_vjp(1.0, 2.0, 3.0)` calls the notebook's own `mul_vjp`."""

    def __getattr__(self, name: str) -> Probe:
        if name.startswith("_"):
            raise AttributeError(name)
        return Probe(name)

    def __repr__(self) -> str:
        return "yours: the functions of this notebook"


yours = _Yours()


class LocalBoundary:
    """Calls probes in this very process, in the given namespace (by default, the running notebook's)."""

    #: A call in a student's own notebook ends after this time, before an endless loop fills the memory.
    SECONDS = 10.0

    def __init__(self, namespace: Mapping[str, Any] | None = None) -> None:
        self._namespace = namespace

    @property
    def namespace(self) -> Mapping[str, Any]:
        if self._namespace is not None:
            return self._namespace
        ipython = sys.modules.get("IPython")
        shell = ipython.get_ipython() if ipython else None
        return shell.user_ns if shell is not None else vars(sys.modules["__main__"])

    def call(
        self, probe: Probe, args: tuple[Any, ...], *, twice: bool = False, seconds: float | None = None
    ) -> Reply:
        """Call the probe here, as `Boundary` says."""
        function = probe.function
        if function is None:
            if probe.name not in self.namespace:
                raise AnswerError("NameError", f"there is no `{probe.name}` here", name=probe.name)
            function = self.namespace[probe.name]
        elif self._namespace is not None:
            function = compile_probe(probe.source or "", probe.name, self._namespace)
        # A probe stands in a cell too, and its lines are not the learner's.
        beside = (
            function.__code__.co_filename if probe.function is not None and self._namespace is None else ""
        )
        asked = None if probe.subject is None else Asked(probe.subject)
        if asked is not None:
            function = functools.partial(function, asked)
        if twice:
            function = in_two_calls(function)
        if self._namespace is not None:  # the referee's: it has limits of its own
            reply = call_plainly(function, args)
        else:
            with deadline(seconds or self.SECONDS, probe.name), quietly() if seconds else nullcontext():
                reply = call_plainly(function, args, beside)
        return reply if asked is None else replace(reply, asked=asked.seen)


def compile_probe(source: str, name: str, namespace: Mapping[str, Any]) -> Callable[..., Any]:
    """Define a probe that sees `namespace` as its globals, without adding its name there."""
    place: dict[str, Any] = {}
    exec(compiled_probe(source, name), namespace, place)  # type: ignore[arg-type]
    return place[name]


@functools.lru_cache(64)
def compiled_probe(source: str, name: str) -> CodeType:
    """The code of a probe's text. A pupil is asked for the same ones again and again."""
    return compile(source, f"<probe {name}>", "exec")


def in_two_calls(function: Callable[..., Any]) -> Callable[..., tuple[Any, Any, Any]]:
    """Calls a function twice with the very same arguments; gives both results, and the arguments as they are then."""

    def both(*args: Any) -> tuple[Any, Any, Any]:
        first = wire.plain(function(*args))  # as it is now: the second call may write into it
        return first, function(*args), args

    return both


def call_plainly(function: Callable[..., Any], args: tuple[Any, ...], beside: str = "") -> Reply:
    """Call `function` with copies of `args`; its result as plain data, its exception as an AnswerError.

    A line of the cell `beside` is never named as the place of an exception.
    """
    sent = [wire.plain(arg) for arg in args]
    try:
        try:
            value = wire.plain(function(*sent))
        except wire.WireError as error:
            raise AnswerError("ValueError", str(error)) from None
        mutated = tuple(
            i for i, (before, after) in enumerate(zip(args, sent, strict=True)) if _changed(before, after)
        )
    except (KeyboardInterrupt, TimeUp):
        raise
    except AnswerError:
        raise
    except BaseException as error:  # SystemExit too: a student's function may raise anything
        raise describe(error, beside) from None
    return Reply(value, mutated)


def _changed(before: Any, after: Any) -> bool:
    if type(before) in wire.ITSELF:
        return False
    return repr(wire.pack(before)) != repr(wire.pack(after))


class Session:
    """Where the checks that are running now belong: a notebook, or one exercise under the referee."""

    def __init__(self, boundary: Boundary | None = None, seed: int = 0, quiet: bool = False) -> None:
        self.boundary: Boundary = boundary or LocalBoundary()
        self.seed, self.quiet = seed, quiet
        #: whether the first part that is not right ends the check, and the next ones are not asked
        self.first_ends = False
        self.calls: list[Call] = []
        #: the call that failed, made again with other numbers
        self.echoes: list[Call] = []
        self.checks_made = 0
        #: how many calls had been made when the last check began
        self.calls_checked = 0
        #: whether the check has drawn anything: if not, it would end in the same way at every seed
        self.drawn = False
        #: the parts of the exercise that have been asked, where it has any
        self.parts: list[Part] = []

    def begin(self) -> None:
        """Forget the calls and the checks of the exercise before."""
        self.calls.clear()
        self.echoes.clear()
        self.parts.clear()
        self.drawn = False
        self.checks_made = self.calls_checked = 0

    @property
    def is_notebook(self) -> bool:
        """True in a notebook that somebody works in, False under the referee."""
        return self is _notebook_session


_notebook_session = Session()
_session: contextvars.ContextVar[Session | None] = contextvars.ContextVar("session", default=None)


def current_session() -> Session:
    """The session of the referee, or the notebook's own."""
    return _session.get() or _notebook_session


@contextmanager
def use_session(session: Session) -> Iterator[Session]:
    """Run checks in `session`."""
    token = _session.set(session)
    try:
        yield session
    finally:
        _session.reset(token)
