"""Exceptions in a check: where they arose, and a sentence for those that learners meet most."""

from __future__ import annotations

import re
import sys
from types import CodeType, TracebackType

from .probes import AnswerError, Probe, is_notebook_file

#: What the messages of Python and NumPy speak of, in whatever version: one type of exception has many causes.
SUBJECTS = (
    ("a None", r"NoneType"),
    ("a truth value", r"truth value|ambiguous|neither true nor false"),
    ("how it is called", r"positional argument|keyword argument|takes no arguments|got multiple values"),
    ("a call", r"not callable"),
    ("an attribute", r"has no attribute"),
    ("what a loop goes through", r"not iterable|must be an iterable"),
    ("an item", r"not subscriptable"),
    ("a length", r"has no len|unsized"),
    ("how many", r"unpack"),
    ("a whole number", r"must be (?:of )?integer|only integer|as an integer"),
    ("too few", r"empty sequence|is empty|from (?:an )?empty|zero-size|need at least"),
    ("shapes", r"broadcast|\bshapes?\b|mismatch|not aligned|reshape|dimension|\bax[ei]s\b"),
    ("an operator", r"operand|ufunc|not supported between|must be real number|numeric"),
    ("an index", r"index|indices|out of range"),
    ("a tuple", r"\btuple\b"),
    ("a Tensor", r"\bTensor\b"),
    ("texts or lists", r"can only concatenate|can't multiply sequence"),
    ("an overflow", r"overflow"),
    ("a logarithm of 0", r"divide by zero encountered in log"),
    ("a division by 0", r"(?:divide|division) by zero"),
    ("no number", r"invalid value"),
)


def subject_of(error: AnswerError) -> str:
    """What the message of an exception speaks of; empty where that is something else, such as a learner's own words.

    >>> subject_of(AnswerError("ValueError", "operands could not be broadcast together with shapes (2,) (3,)"))
    'shapes'
    """
    return next((subject for subject, words in SUBJECTS if re.search(words, error.message)), "")


def identity_of(error: AnswerError) -> tuple[str, str, str, str]:
    """What tells an exception from another one: type, what its message speaks of, a name that is not there, details.

    The details are the whole numbers and the quoted names of a message that speaks of something known: two mistakes
    seldom fail with the same shapes and types. Floats and addresses, which differ from machine to machine, are none.

    >>> identity_of(AnswerError("ValueError", "operands could not be broadcast together with shapes (2,) (3,)"))
    ('ValueError', 'shapes', '', '2 3')
    >>> identity_of(AnswerError("AttributeError", "'list' object has no attribute 'shape'"))
    ('AttributeError', 'an attribute', '', "'list' 'shape'")
    >>> subject_of(AnswerError("IndexError", "arrays used as indices must be of integer (or boolean) type"))
    'a whole number'
    """
    subject = subject_of(error)
    details = re.findall(r"'[^']*'|(?<![\w.])\d+(?!\w|\.\d)", error.message) if subject else []
    return error.type_name, subject, error.name, " ".join(details)


def _last_frame(tb: TracebackType | None) -> CodeType | None:
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    return tb.tb_frame.f_code if tb is not None else None


def from_elsewhere(tb: TracebackType | None) -> bool:
    """True when an exception arose in a module, not in a cell of the notebook."""
    code = _last_frame(tb)
    return code is None or not is_notebook_file(code.co_filename)


def in_probe(error: AnswerError, probe: Probe) -> bool:
    """True when an exception arose in a probe's own code, in this process, and not in the answer that it calls."""
    original = error.__context__
    if not isinstance(original, NameError) or probe.function is None:
        return False
    own, last = probe.function.__code__, _last_frame(original.__traceback__)
    if last is None or last.co_filename != own.co_filename:
        return False
    # A comprehension has a frame of its own.
    return f"{last.co_qualname}.".startswith(f"{own.co_qualname}.")


#: What a pattern in the message of a type of exceptions says to a learner; the first that fits is said.
EXPLAINED = (
    (
        "RecursionError",
        "",
        "A function calls itself, directly or through an operator, deeper than Python allows. "
        "Where it has to go deep, use a loop and a list of what is still to do.",
    ),
    (
        "TypeError",
        r"'(?:int|float|list|tuple|str|numpy\.\w+)' object is not callable",
        "Something is called that is no function: was a name such as `sum`, `max` or `list` given to a value?",
    ),
    (
        "TypeError",
        "NoneType",
        "Something is None there: often a function that has no `return`, or a gradient that is not set yet.",
    ),
    (
        "TypeError",
        "positional argument",
        "The function is called with another number of arguments than it takes. Compare its first line.",
    ),
    (
        "TypeError",
        "^len\\(\\) of unsized object",
        "A single number has no length: `.size` counts the numbers of any array, and `.shape` says how they lie.",
    ),
    (
        "AxisError",
        "out of bounds for array of dimension",
        "The array has fewer axes there than that. Was one summed away before, so that those "
        "behind it moved up, or is another one to be put in first?",
    ),
    ("TypeError", "for \\^", "In Python a power is `**`; `^` is something else."),
    (
        "TypeError",
        "unsupported operand",
        "Two things are combined that do not fit: for their types, which the message names, this operator is "
        "not defined.",
    ),
    (
        "AttributeError",
        "^'(?:function|method|builtin_function_or_method)' object",
        "A function has nothing of that name: are the brackets missing that call it, or is it wanted as it is?",
    ),
    (
        "AttributeError",
        "^'(?:int|float)' object has no attribute '(?:backward|grad|data|parents)'",
        "A plain number stands where one with a graph is wanted. Did it come as a number, as the 2 in `2 * x`, or was "
        "it taken out of a graph, as by `.data`?",
    ),
    (
        "NameError",
        "",
        "There is no such name here: is it misspelt, another function's or a module's, or is its cell not run yet?",
    ),
    (
        "SyntaxError",
        "^f-string:",
        "Before Python 3.12, what stands in the braces of an f-string may not contain the quotes that are around "
        "it: use the other kind inside.",
    ),
    (
        "ModuleNotFoundError",
        "",
        "An answer may import NumPy, matplotlib and Python's own library; what else is installed may differ.",
    ),
    (
        "UnboundLocalError",
        "",
        "The name is given a value inside the function, but only after it is used, in a branch that was not taken, "
        "or in a loop that had nothing to go over.",
    ),
    # The message does not speak of a division.
    ("ZeroDivisionError", "power", "A negative power of 0 is a division by 0."),
    (
        "OverflowError",
        "",
        "A number became too large for a float: look for an `exp`, a power or a product of large numbers.",
    ),
)


def explain_exception(error: AnswerError) -> str:
    """A sentence for the exceptions that learners meet most."""
    name = re.match(r"name '(\w+)'", error.message) if error.type_name == "NameError" else None
    if name and name[1] in sys.stdlib_module_names:
        return (
            f"The module {name[1]} has not been imported here (the answer may import it), or a name is misspelt, "
            "or belongs to another function."
        )
    return next(
        (
            told
            for kind, text, told in EXPLAINED
            if error.type_name == kind and re.search(text, error.message)
        ),
        "",
    )
