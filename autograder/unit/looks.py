"""What a submission's own code looks around for: names that no exercise needs, for a person to look at.

An answer may do whatever its process allows, and what it finds there is no answer. That it looks is told to the
instructor with the line; it never changes a score. Only the text is read here, nothing is run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ..lesson.syntax import syntax_tree
from .ingest import Submission

FRAMES, MEMORY, INSIDE, OUTSIDE = (
    "the frames of its callers",
    "objects in memory",
    "the grader's own parts",
    "its process",
)

#: Names that lead to something else than a function's arguments, and what they lead to.
NAMES = {
    **dict.fromkeys(
        (
            "_getframe",
            "_current_frames",
            "currentframe",
            "f_back",
            "f_locals",
            "f_globals",
            "f_builtins",
            "tb_frame",
            "gi_frame",
            "cr_frame",
            "ag_frame",
            "__traceback__",
            "settrace",
            "setprofile",
            "walk_stack",
            "inspect",
        ),
        FRAMES,
    ),
    **dict.fromkeys(
        (
            "gc",
            "get_objects",
            "get_referrers",
            "get_referents",
            "__closure__",
            "cell_contents",
            "__subclasses__",
            "__globals__",
            "ctypes",
            "_ctypes",
            "tracemalloc",
        ),
        MEMORY,
    ),
    **dict.fromkeys(("autograder.lesson", "autograder.sandbox", "autograder.referee", "__main__"), INSIDE),
    **dict.fromkeys(("subprocess", "socket", "multiprocessing", "mmap"), OUTSIDE),
}

#: Texts in which any of these stands are such a name, too.
PATHS = ("/proc/", "/dev/mem", "/sys/")

#: So many lines of one submission are told.
MOST = 5


def looks(submission: Submission) -> list[str]:
    """Sentences about what a submission's code looks around for, with the cell and the line; mostly none."""
    found = [
        f"{name}, line {line}: {word} leads to {NAMES.get(word, OUTSIDE)}"
        for name, source in _cells(submission)
        for line, word in sorted(set(words(source)))
    ]
    if not found:
        return []
    more = f"; and {len(found) - MOST} more" if len(found) > MOST else ""
    return [f"Looks around ({'; '.join(found[:MOST])}{more}). That changed no score."]


def _cells(submission: Submission) -> Iterator[tuple[str, str]]:
    yield from submission.answers.items()
    for number, cell in enumerate(submission.added, start=1):
        if cell.cell_type == "code":
            yield f"added cell {number}", cell.source


def words(source: str) -> Iterator[tuple[int, str]]:
    """The suspicious names of a cell, each with its line."""
    try:
        tree = syntax_tree(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a magic, or a cell that is not finished
        for number, text in enumerate(source.splitlines(), start=1):
            for word in re.findall(r"[A-Za-z_][\w.]*", text.partition("#")[0]):
                yield from ((number, found) for found in _known(word))
        return
    own = set(_asks_whether_it_is_run(tree))
    for node in ast.walk(tree):
        line = int(getattr(node, "lineno", 0))
        if node in own:
            continue
        if isinstance(node, ast.Name):
            yield from ((line, found) for found in _known(node.id) if found not in MODULES)
        elif isinstance(node, ast.Attribute):
            yield from ((line, found) for found in _known(node.attr) if found not in MODULES)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield from ((line, found) for found in _known(alias.name))
        elif isinstance(node, ast.ImportFrom):
            yield from ((line, found) for found in _known(node.module or ""))
            for alias in node.names:
                yield from ((line, found) for found in _known(f"{node.module}.{alias.name}"))
                yield from ((line, found) for found in _known(alias.name))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # `getattr(sys, "_getframe")`, `__import__("gc")`; a word in a docstring is not alone
            if node.value in NAMES and not node.value.isalpha():
                yield line, node.value
            yield from ((line, path) for path in PATHS if path in node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "__import__":
            for argument in node.args:
                if isinstance(argument, ast.Constant) and argument.value in NAMES:
                    yield line, str(argument.value)


def _asks_whether_it_is_run(tree: ast.AST) -> Iterator[ast.AST]:
    """The texts of `if __name__ == "__main__"`, above what many files end with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides):
                yield from (side for side in sides if isinstance(side, ast.Constant))


#: Names of modules count where they are imported: as a name of one's own, `gc` may be anything.
MODULES = ("gc", "inspect", "ctypes", "socket", "mmap", "subprocess", "multiprocessing", "tracemalloc")


def _known(name: str) -> Iterator[str]:
    """A dotted name, or the part of it that is in NAMES."""
    if name in NAMES:
        yield name
        return
    parts = name.split(".")
    for i in range(1, len(parts)):
        if ".".join(parts[:i]) in NAMES:
            yield ".".join(parts[:i])
            return
