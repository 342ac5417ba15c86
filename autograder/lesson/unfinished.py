"""One line instead of a traceback, where a cell of a notebook needs an answer that is not written yet."""

from __future__ import annotations

import ast
import re
import sys
from types import TracebackType
from typing import Any

from . import unread
from .syntax import syntax_tree

#: What the stub of an answer says; `autograder build` writes it.
MESSAGE = "your answer goes here"

#: What a cell raises that was to use the work of a cell which stopped half-way.
FOLLOWING = (NameError, LookupError, TypeError, ValueError, AttributeError)


def told(error: BaseException, tb: TracebackType | None) -> str:
    """The line for a stub's own exception; empty for every other one."""
    if not _is_stub(error):
        return ""
    name = _stub_of(tb)
    who = f"`{name}`" if name else "This answer"
    return f"{who} is not written yet: its answer cell is above. You can go on with the next exercise."


def _is_stub(error: BaseException) -> bool:
    return type(error) is NotImplementedError and error.args == (MESSAGE,)


def _stub_of(tb: TracebackType | None) -> str:
    """The function that is not written; empty when the stub stands alone in its cell."""
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    name = tb.tb_frame.f_code.co_qualname.rpartition("<locals>.")[2] if tb is not None else "<module>"
    return "" if name == "<module>" else name


class Unfinished:
    """Which names the cells that stopped at a stub were to set, and the line for a cell that needs one of them."""

    def __init__(self) -> None:
        #: the answer that is not written, by the name that was to be set
        self.missing: dict[str, str] = {}

    def line(self, source: str, error: BaseException, tb: TracebackType | None) -> str:
        """What to show instead of a traceback of the cell with this source; empty: the traceback."""
        if _is_stub(error):
            self._leaves_out(source, _stub_of(tb))
            return told(error, tb)
        cell = _Names(source)
        used = cell.used
        if isinstance(error, NameError):
            used = [error.name or ""]
        elif "plots" not in used:  # code of a learner's own: the traceback helps
            return ""
        name = next((name for name in used if name in self.missing), "")
        if not name:
            return ""
        answer = self.missing[name]
        self._leaves_out(source, answer)
        return (
            f"This cell needs `{name}` of an example above, which needs `{answer}`: that is not written yet."
        )

    def _leaves_out(self, source: str, answer: str) -> None:
        if answer:
            cell = _Names(source)
            self.missing |= dict.fromkeys((*cell.set, *cell.filled), answer)

    def ran(self, source: str) -> None:
        """A cell came to its end: what it sets is there. Where it adds an item, others may still be missing."""
        for name in _Names(source).set:
            self.missing.pop(name, None)


class _Names:
    """The names of a cell: those that it sets, those whose items it sets, and those that it only uses."""

    def __init__(self, source: str) -> None:
        self.set: dict[str, None] = {}
        self.filled: dict[str, None] = {}
        try:
            tree = syntax_tree(source)
        except SyntaxError:  # magics, for example
            tree = syntax_tree("")
        self._look(tree)
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        own = {node.id for node in names if isinstance(node.ctx, ast.Store)}  # those of its functions, too
        self.used = list(dict.fromkeys(node.id for node in names if node.id not in own))

    def _look(self, tree: ast.AST) -> None:
        for node in ast.iter_child_nodes(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
                continue  # what is set in there stays there
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.set[node.id] = None
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                if isinstance(node.value, ast.Name):
                    self.filled[node.value.id] = None
            self._look(node)


#: Classes whose cell raised as it was released, the whole body being open: afterwards there is no such name.
_open: set[str] = set()


def is_open(name: str) -> bool:
    """Whether a class is not there because its whole body is still to be written."""
    return name in _open


def _classes(source: str) -> set[str]:
    return set(re.findall(r"^class (\w+)", source, re.MULTILINE))


def install() -> None:
    """Let a notebook's kernel use it; does nothing elsewhere, or where the notebook has a handler of its own."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython else None
    if getattr(shell, "kernel", None) is None or shell.custom_exceptions:
        return
    state, running = Unfinished(), [""]

    def begins(info: Any) -> None:
        running[0] = info.raw_cell
        unread.begins(info.raw_cell)

    def ends(result: Any) -> None:
        cell = getattr(result.info, "cell_id", None)
        unread.ended(result.info.raw_cell, cell, result.error_before_exec)
        if result.success:
            state.ran(result.info.raw_cell)
            _open.difference_update(_classes(result.info.raw_cell))

    def show(
        shell: Any, kind: type, error: BaseException, tb: TracebackType, tb_offset: int | None = None
    ) -> None:
        """IPython's handler of the exception: it is shown and recorded as any other, only shorter."""
        if _is_stub(error):
            _open.update(_classes(running[0]))
        line = state.line(running[0], error, tb)
        if line:
            error._render_traceback_ = lambda: [line]  # type: ignore[attr-defined]
            if "matplotlib.pyplot" in sys.modules:  # or an empty figure would stand below the line
                sys.modules["matplotlib.pyplot"].close("all")
        shell.showtraceback((kind, error, tb), tb_offset=tb_offset)

    shell.events.register("pre_run_cell", begins)
    shell.events.register("post_run_cell", ends)
    shell.set_custom_exc((NotImplementedError, *FOLLOWING), show)
