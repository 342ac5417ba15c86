"""What a notebook may import, and what an import costs an answer that does not need it."""

from __future__ import annotations

import ast
import builtins
import importlib.util
import sys
from typing import Any

#: The files of `autograder.lesson`, which notebooks import.
LEARNER_MODULES = (
    "__init__",
    "answers",
    "checks",
    "clashes",
    "colours",
    "compare",
    "diagnose",
    "differences",
    "draw",
    "echo",
    "exceptions",
    "failures",
    "forms",
    "guesses",
    "in_place",
    "likely",
    "limits",
    "locked",
    "logbook",
    "own_line",
    "parts",
    "predict",
    "probes",
    "progress",
    "questions",
    "reasons",
    "recall",
    "said",
    "suspects",
    "syntax",
    "unfinished",
    "unread",
    "wire",
    "wrong_form",
)


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

    def all_there(self, tree: Any) -> bool:
        """Whether every library is there that a cell imports at its top level: none will be left out."""
        modules = [
            name
            for node in tree.body
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for name in ([node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
        ]
        return all(name is None or self._there(name.partition(".")[0]) for name in modules)

    @staticmethod
    def _there(library: str) -> bool:
        if library in sys.modules:
            return True
        try:
            return importlib.util.find_spec(library) is not None
        except (ImportError, ValueError):  # refused: the import itself says so
            return True

    def names_back(self) -> None:
        """After a star import: names of Python's own functions mean these again, where a call is one of theirs."""
        for name, own in vars(builtins).items():
            other = self.namespace.get(name, own)
            if other is own or name.startswith("_") or isinstance(other, Either):
                continue
            if "numpy" in (type(other).__module__, str(getattr(other, "__module__", "")).partition(".")[0]):
                self.namespace[name] = own if isinstance(own, type) else Either(own, other)
