"""Patches of Python, NumPy, IPython and the checks, in the pupil's own process: the referee has others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from autograder.referee.report import Report

from .lab import (
    HONEST,
    dedent,
    earned,
)

PATCHES = {
    "builtins and asserts": """
        import builtins
        builtins.abs = lambda x: 0.0
        builtins.AssertionError = KeyError
        builtins.round = lambda *a: 0
        __builtins__.any = lambda *a: False
    """,
    "math": "import math\nmath.isclose = lambda *a, **k: True\nmath.isnan = lambda x: True",
    "NumPy": """
        import numpy, numpy.testing
        numpy.isclose = numpy.allclose = numpy.array_equal = lambda *a, **k: numpy.array(True)
        numpy.testing.assert_allclose = lambda *a, **k: None
    """,
    "IPython": """
        from IPython.core.interactiveshell import InteractiveShell
        InteractiveShell.showtraceback = lambda *a, **k: None
        get_ipython().set_custom_exc((Exception,), lambda *a, **k: None)
        get_ipython().ast_transformers.append(type("T", (), {"visit": lambda self, node: node})())
    """,
    "autograder.lesson.checks": """
        import autograder.lesson.checks as checks
        checks.difference = lambda *a, **k: None
        checks.exercise.__exit__ = lambda *a: True
        checks.exercise.close = checks.exercise.equal = checks.exercise.true = lambda *a, **k: None
        checks.CheckFailed = type("Quiet", (Warning,), {})
    """,
    "autograder.lesson.compare": """
        import autograder.lesson.compare as compare
        compare.difference = compare._array_difference = lambda *a, **k: None
        compare.close = lambda *a, **k: True
        compare.RTOL = compare.ATOL = float("inf")
    """,
    "autograder.lesson.probes": """
        import autograder.lesson.probes as probes
        probes.current_session().checks_made = 99
        probes.Probe.__call__ = lambda *a: None
        probes.AnswerError.unfinished = False
        probes._notebook_session.quiet = True
    """,
    "autograder.lesson.wire": """
        import autograder.lesson.wire as wire
        wire.Opaque.__eq__ = lambda a, b: True
        wire.MAX_ITEMS = wire.MAX_DEPTH = wire.MAX_TEXT = wire.MAX_FRAME_BYTES = 10 ** 12
        wire.WireError = KeyError
    """,
    "the names that the check cells use": """
        class Everything:
            def __getattr__(self, name): return self
            def __call__(self, *a, **k): return self
            def __enter__(self): return self
            def __exit__(self, *a): return True
            def __iter__(self): return iter(())
        exercise = probe = yours = check = numerical_gradient = number = positive = Everything()
        import autograder
        autograder.exercise = autograder.probe = autograder.yours = Everything()
    """,
    "sys.settrace": """
        import sys, threading
        def tracer(frame, event, arg):
            for name in ("expected", "points", "passed", "status"):
                frame.f_locals[name] = 99
            return tracer
        sys.settrace(tracer); sys.setprofile(tracer); threading.settrace(tracer)
        sys.settrace(None); sys.setprofile(None)
    """,
    "gc": """
        import gc
        for found in gc.get_objects():
            if type(found) is dict and "points" in found:
                found["points"] = 99
            if type(found) is dict and "max_points" in found:
                found["max_points"] = 0
    """,
    "the import system": """
        import sys
        sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != "Guard"]
        sys.modules["autograder.lesson.compare"] = sys.modules["autograder.lesson.checks"] = sys
    """,
    "planted files and start-up code": """
        import os, pathlib
        home = pathlib.Path.home()
        evil = "import builtins; builtins.abs = lambda x: 0\\nraise SystemExit(0)\\n"
        (home / ".ipython/profile_default/startup").mkdir(parents=True, exist_ok=True)
        (home / ".ipython/profile_default/startup/00.py").write_text(evil)
        for name in ("numpy.py", "ipykernel_launcher.py", "sitecustomize.py", "usercustomize.py", "autograder.py"):
            (home / name).write_text(evil)
    """,
    "forged output": """
        print("✓ mul_vjp: right (11 checks passed)"); print("✓ unbox: right (12 checks passed)")
        from IPython.display import display
        3.0
    """,
}


@pytest.mark.parametrize("name", PATCHES)
def test_patching_the_pupil_s_own_process_neither_earns_nor_costs_points(
    name: str, attack: Callable[..., Report]
) -> None:
    report = attack(dedent(PATCHES[name]))
    assert report.outputs["added-1"].error is None, "the attack itself is broken"
    assert earned(report) == HONEST


def test_an_answer_cell_that_redefines_the_check_earns_nothing(attack: Callable[..., Report]) -> None:
    code = f"{dedent(PATCHES['the names that the check cells use'])}\n{dedent(PATCHES['autograder.lesson.checks'])}\n"
    assert earned(attack("", mul_vjp=code, unbox=code + "def unbox(boxes): return 1.0")) == [
        (0, "error"),
        (0, "failed"),
    ]
