"""What an exception of the check's own code says of the answer: a form that the check cannot use, in plain words.

A check takes an answer apart: it unpacks a pair, asks for a `shape`, adds a number. Where the answer has another form,
Python's words speak of the check's lines, which nobody sees. These say the same of the answer.
"""

from __future__ import annotations

import re

from .compare import named
from .probes import AnswerError, Call

#: What Python says, and what that says of the answer; {0} and {1} are the groups.
SENTENCES = (
    (
        r"'NoneType' object has no attribute '(\w+)'",
        "Something is None where the check asks for its `{0}`: {NONE}?",
    ),
    (
        r"'NoneType' object is not (?:subscriptable|iterable)|non-iterable NoneType|'NoneType' has no len",
        "Something is None where several values are wanted: {NONE}?",
    ),
    (r"NoneType", "Something is None that the check computes with: {NONE}?"),
    (r"'([\w.]+)' object has no attribute '(\w+)'", "The check asks for a `{1}`, which {a0} does not have."),
    (
        r"type object '(\w+)' has no attribute '(\w+)'",
        "The check asks the class `{0}` for its `{1}`: it has none.",
    ),
    (r"has no attribute '(\w+)'", "The check asks for a `{0}`, and there is none."),
    (
        r"not enough values to unpack \(expected (?:at least )?(\d+), got (\d+)\)",
        "{0} values are wanted, and there: {1}.",
    ),
    (r"too many values to unpack \(expected (\d+)", "{0} values are wanted, and there are more."),
    (
        r"non-iterable ([\w.]+) object|'([\w.]+)' object is not (?:subscriptable|iterable)|'([\w.]+)' has no len",
        "Where several values are wanted, there is {a}.",
    ),
    (
        r"only integers, slices",
        "An array stands where a dict is wanted, or a number with a point where a whole one is.",
    ),
    (r"0-d array|unsized object|zero-dimensional|too many indices", "An array with more axes is wanted."),
    (
        r"(list|tuple) indices must be integers or slices, not str",
        "A dict with names for keys is wanted, and this is {a}.",
    ),
    (r"'([\w.]+)' object is not callable", "A function is wanted, and this is {a0}."),
    (
        r"'([\w.]+)' object is not an iterator|'([\w.]+)' object does not support",
        "The check cannot use {a} here.",
    ),
    (
        r"unsupported operand|bad operand|real number|could not convert|non-int of type|not supported|"
        r"ufunc|not a number|can only concatenate|must be str|setting an array element|inhomogeneous|"
        r"only .*arrays can be converted|only length-1|ambiguous|invalid literal|cannot be interpreted",
        "The check computes with it, and it is no number or array that fits.",
    ),
    (r"index out of range|out of bounds", "The check looks at more values than there are."),
    (
        r"broadcast|mismatch|not aligned|cannot reshape|same shape|dimension|axis|axes",
        "The shape is another one than the check can use.",
    ),
)
#: Python's operators, and the name of the method that a class has for each.
OPERATORS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "@": "matmul",
    "** or pow()": "pow",
}
UNARY = {"-": "neg", "+": "pos", "~": "invert", "abs()": "abs"}
NONE = "is a `return` missing, or a value not set"
#: What a learner's own function is told by Python about how it is called: these words help.
OF_A_CALL = re.compile(
    r"positional argument|keyword argument|takes no (?:keyword )?arguments|required (?:positional|keyword)|"
    r"got multiple values"
)
#: Ours, about what can be sent.
OF_THE_WIRE = re.compile(r"too long to send|nested (?:deeper|too deeply)|the message has \d+ bytes")
KINDS = {"TypeError", "ValueError", "AttributeError", "IndexError", "KeyError", "StopIteration", "AxisError"}


def of_operator(text: str) -> str:
    """Which method a class of the learner's own lacks, where Python says that there is no such operation; else empty.

    >>> of_operator("unsupported operand type(s) for -: 'int' and 'Tensor'")
    'The check computes `int - Tensor`: Tensor is no number, and has no `__rsub__` for it.'
    >>> of_operator("bad operand type for unary -: 'Tensor'")
    'The check computes `-Tensor`: Tensor is no number, and has no `__neg__`.'
    """
    if found := re.search(r"unsupported operand type\(s\) for (.+?): '(\w+)' and '(\w+)'", text):
        sign, left, right = found.groups()
        name, sign = OPERATORS.get(sign), sign.split()[0]
        if name and "NoneType" not in (left, right) and (of_ones_own(left) or of_ones_own(right)):
            owner, method = (left, f"__{name}__") if of_ones_own(left) else (right, f"__r{name}__")
            return f"The check computes `{left} {sign} {right}`: {owner} is no number, and has no `{method}` for it."
    if (found := re.search(r"bad operand type for (?:unary )?(\S+): '(\w+)'", text)) and of_ones_own(
        found[2]
    ):
        if name := UNARY.get(found[1]):
            sign, owner = found[1], found[2]
            asked = f"abs({owner})" if sign == "abs()" else sign + owner
            return f"The check computes `{asked}`: {owner} is no number, and has no `__{name}__`."
    if (found := re.search(r"'(\w+)' object is not subscriptable", text)) and of_ones_own(found[1]):
        owner = named(found[1])
        return f"The check takes a part, `[...]`, of {owner}: that is no list or array, and has no `__getitem__`."
    return ""


def of_ones_own(type_name: str) -> bool:
    """True for the name of a class that is neither Python's nor NumPy's: those begin with a capital."""
    return type_name[:1].isupper() and type_name != "NoneType"


def of_form(type_name: str, text: str) -> str:
    """What an exception of the check's own code says of the answer, as a sentence.

    >>> of_form("ValueError", "not enough values to unpack (expected 2, got 0)")
    '2 values are wanted, and there: 0.'
    >>> of_form("TypeError", "object of type 'generator' has no len()")
    'Where several values are wanted, there is a generator.'
    """
    if type_name == "KeyError":
        return "A key that the check looks for is not there."
    if sentence := of_operator(text):
        return sentence
    for pattern, sentence in SENTENCES:
        if found := re.search(pattern, text):
            groups = [group for group in found.groups() if group]
            nouns = [named(group) for group in groups]
            told = {"NONE": NONE} | ({"a": nouns[0], "a0": nouns[0]} if nouns else {})
            return sentence.format(*groups, **told)
    return "What your code gives has another form than the check can use."


def in_the_check(error: AnswerError, call: Call | None) -> bool:
    """True when an exception arose in a probe's own lines, which took an answer of another form apart."""
    return (
        call is not None
        and call.probe.function is not None
        and not error.place
        and error.type_name in KINDS
        and not OF_A_CALL.search(error.message)
        and not OF_THE_WIRE.search(error.message)
    )
