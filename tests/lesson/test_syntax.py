"""Trees of syntax, read by several threads at once."""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap

import pytest

#: A thread is let in where an object is collected whose end takes time; a collection comes in the middle of a tree.
MANY_THREADS = """
    import ast, gc, sys, threading
    from {module} import {name} as parse

    class Slow:
        def __init__(self):
            self.me = self
        def __del__(self):
            for _ in range(2000):
                pass

    source = "".join(f"y{{i}} = (x + {{i}}) * [a for a in range({{i}})][{{i}}]\\n" for i in range(100))
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50, 2, 2)
    failed = []

    def work():
        for _ in range({times}):
            for _ in range(20):
                Slow()
            try:
                parse(source)
            except SystemError as error:
                failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(len(failed), failed[:1])
"""


def failures(module: str, name: str, times: int) -> str:
    program = textwrap.dedent(MANY_THREADS).format(module=module, name=name, times=times)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True
    )
    return done.stdout.strip()


def test_many_threads_read_trees_at_once() -> None:
    assert failures("autograder.lesson.syntax", "syntax_tree", 100) == "0 []"


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="what is mended since is not shown")
def test_without_care_they_fail() -> None:
    assert "recursion depth mismatch" in failures("ast", "parse", 300)


def test_a_tree_is_the_module_s() -> None:
    from autograder.lesson.syntax import syntax_tree

    assert ast.dump(syntax_tree("x = 1")) == ast.dump(ast.parse("x = 1"))
    with pytest.raises(SyntaxError):
        syntax_tree("x = ")
