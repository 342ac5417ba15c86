"""IPython as the pupil has it: runs cells, calls probes in their namespace, keeps what they print."""

from __future__ import annotations

import ast
import functools
import io
import sys
from collections.abc import Callable
from typing import Any

from .imports import Imports


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


def _no_commands(command: str) -> None:
    print("Commands of the system are not run while a notebook is graded.")


def _no_output(command: str, split: bool = True, depth: int = 0) -> list[str] | str:
    _no_commands(command)
    return [] if split else ""


#: Cells that are run for nothing: a result is shown, a magic, a name and a text that are none, an exception raised.
FIRST_TIMES = ("6 * 7", "%matplotlib inline", "nothing_of_this_name", "1 +", "raise ValueError")


def parsed(source: str) -> ast.Module | None:
    """The tree of a cell; None where it is no plain Python."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def shown_names(tree: ast.Module) -> list[str]:
    """The names that stand alone on a line. `ls` may be a magic."""
    return [n.value.id for n in tree.body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Name)]


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
        #: cells of the unit's own, compiled before the fork: by their number and their text
        self.ready: dict[tuple[int, str], tuple[Any, Any]] = {}
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

    def warm_up(self) -> None:
        """Do what takes long for the first time, before the forks: the first exception took a notebook 6 ms.

        Nothing of it can be seen in a notebook but the first cell's number.
        """
        shell: Any = self.shell
        names, before = dict(shell.user_ns), self.cells
        last = shell.last_execution_result, shell.last_execution_succeeded
        for source in FIRST_TIMES:
            self.run_cell(source)
        self.call("fails", "def fails():\n    raise ValueError", {"t": "tuple", "v": []})
        self.cells = before + 1
        shell.last_execution_result, shell.last_execution_succeeded = last
        shell.user_ns.clear()
        shell.user_ns.update(names)
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            vars(sys).pop(name, None)

    def get_ready(self, sources: list[str | None]) -> None:
        """Compile a notebook's cells before they are run, in a fork; None stands for one that is not known yet.

        A cell counts as the one that it will be. A traceback or a warning tells its number: where a student has added
        a cell before it, it has another one, and is compiled anew.
        """
        before = self.cells
        for source in sources:
            tree = None if source is None else parsed(source)
            if source is not None and tree is None:  # IPython's, which is not counted
                continue
            if source is None or tree is None or shown_names(tree) or not self.imports.all_there(tree):
                self.cells += 1  # what becomes of it depends on what has run before it
                continue
            program = self._compiled(tree, source)
            self.ready[self.cells, source] = program
        self.cells = before

    def _program(self, source: str) -> tuple[Any, Any] | None:
        """A cell of plain Python, compiled: its statements, and the expression at its end, if there is one.

        None for what only IPython understands (magics, `!`, `?`, `await`). Its own way takes a millisecond a cell.
        """
        if (self.cells + 1, source) in self.ready:
            self.cells += 1
            self.shell.compile.cache(source, self.cells)
            return self.ready[self.cells, source]
        tree = parsed(source)
        if tree is None or any(name not in self.shell.user_ns for name in shown_names(tree)):
            return None
        return self._compiled(tree, source)

    def _compiled(self, tree: ast.Module, source: str) -> tuple[Any, Any]:
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

    def call(
        self,
        name: str,
        source: str | None,
        args: Any,
        twice: bool = False,
        ask: Callable[[Any], Any] | None = None,
    ) -> dict[str, Any]:
        """Call a probe; one that asks gets `ask` before its other arguments."""
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
            if ask is not None:
                function = functools.partial(function, ask)
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
