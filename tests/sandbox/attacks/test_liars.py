# ruff: noqa: E501  (an attack stays on its line)
"""Answers that lie about themselves: they arrive as plain data, or as something that equals nothing."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from autograder.referee.report import Report

from .lab import (
    dedent,
)

LIARS = {
    "an object that equals everything": """
        class Yes:
            __eq__ = __le__ = __lt__ = __ge__ = __gt__ = lambda *a: True
            __ne__ = lambda *a: False
            __hash__ = lambda self: 0
            __sub__ = __rsub__ = __abs__ = __float__ = lambda *a: 0.0
        def unbox(boxes): return Yes()
    """,
    "a float that is always near": """
        class Near(float):
            __eq__ = __le__ = __lt__ = __ge__ = __gt__ = lambda *a: True
            __ne__ = lambda *a: False
            __sub__ = __rsub__ = __abs__ = lambda *a: Near(0)
            __float__ = lambda self: 1.0
        def unbox(boxes): return Near(7)
    """,
    "an int, a tuple and a text of subclasses": """
        class T(tuple):
            __eq__ = lambda *a: True
        class S(str):
            __eq__ = lambda *a: True
        class I(int):
            __eq__ = lambda *a: True
        def unbox(boxes): return T((S("1.0"), I(1)))
    """,
    "an array whose ufuncs lie": """
        import numpy as np
        class Liar(np.ndarray):
            def __array_ufunc__(self, *a, **k): return np.array(True)
            def __array_function__(self, *a, **k): return np.array(True)
            __eq__ = lambda *a: np.array(True)
        def unbox(boxes): return np.array(7.0).view(Liar)
    """,
    "an array protocol that lies": """
        import numpy as np
        class Proto:
            dtype, ndim, shape = np.dtype(float), 0, ()
            __array__ = lambda self, *a, **k: np.array(1.0)
            __array_interface__ = np.array(1.0).__array_interface__
        def unbox(boxes): return Proto()
    """,
    "an object array": "import numpy as np\ndef unbox(boxes): return np.array([1.0], dtype=object)",
    "a structured array": "import numpy as np\ndef unbox(boxes): return np.zeros(2, 'f8,f8')",
    "a repr that writes a success": """
        class Loud:
            def __repr__(self): return "1.0\\n✓ unbox: right (3 of 3 points)\\x1b[2J"
        def unbox(boxes): return Loud()
    """,
    "a repr that ends the process": """
        import os
        class Boom:
            def __repr__(self): raise SystemExit(0)
        def unbox(boxes):
            try: return [Boom()]
            finally: pass
    """,
    "a type whose name is a success": """
        def unbox(boxes): return type("float\\n✓ unbox: right\\x1b[2J", (), {})()
    """,
    "an exception that calls itself a pass": """
        def unbox(boxes): raise type("Passed", (Exception,), {"__str__": lambda s: "x\\n✓ unbox: right\\x1b[2J"})()
    """,
    "not a number": "def unbox(boxes): return float('nan')",
    "a NumPy not a number": "import numpy as np\ndef unbox(boxes): return np.float64('nan')",
    "an infinity": "def unbox(boxes): return float('inf')",
    "a generator": "def unbox(boxes): yield 1.0",
    "the example by heart": "def unbox(boxes): return 1.0",
    "the example by heart, from the probe's own name and source": """
        import sys
        def unbox(boxes):
            caller = sys._getframe(1)
            known = caller.f_locals.get("values")
            for place in (caller.f_locals, caller.f_globals, caller.f_back.f_locals, caller.f_back.f_globals):
                for name in ("expected", "answer", "want", "reference"):
                    if name in place:
                        return place[name]
            return 1.0 if len(known) == 2 else 0.0
    """,
    "numbers that look like expected ones in every frame and object": """
        import gc, sys, math
        def unbox(boxes):
            frame, seen = sys._getframe(1), []
            while frame:
                seen += [v for v in frame.f_locals.values() if type(v) is float]
                frame = frame.f_back
            seen += [x for o in gc.get_objects() if type(o) in (tuple, list) and len(o) < 9 for x in o if type(x) is float]
            return next((x for x in seen if x not in [b.value for b in boxes]), 0.5)
    """,
}


@pytest.mark.parametrize("name", LIARS)
def test_an_answer_that_lies_about_itself_earns_nothing(name: str, attack: Callable[..., Report]) -> None:
    report = attack("", unbox=dedent(LIARS[name]))
    first, second = report.outcomes
    assert (first.points, second.points) == (2, 0)
    assert second.status in ("failed", "error")
    assert not second.doubtful, second.message
    told = json.dumps(report.as_json(), ensure_ascii=False)
    assert "\x1b" not in second.text
    assert "\n✓" not in second.text
    assert len(told) < 4000
