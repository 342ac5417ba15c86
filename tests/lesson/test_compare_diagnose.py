"""Differences are found where they are, and a diagnosis is given only where one relation explains every number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.lesson.compare import difference, show
from autograder.lesson.diagnose import diagnose
from autograder.lesson.probes import Call, Probe
from autograder.lesson.wire import MAX_ITEMS, Opaque, plain

NAN, INF = math.nan, math.inf
SQUARE = np.array([[1.0, 2.0], [3.0, 4.0]])
WIDE = np.array([[1.5, -2.0, 0.5], [0.25, 3.0, -1.0]])


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (1, 1.0),
        (1.0, 1),
        (np.float64(1), 1.0),
        (np.int64(3), 3),
        (np.array(2.0), 2.0),
        (1.0 + 1e-9, 1.0),
        (NAN, NAN),
        (-INF, -INF),
        ([1.0, 2.0], (1.0, 2.0)),
        ((1, [2, {"a": None}]), (1.0, (2.0, {"a": None}))),
        (WIDE + 1e-10, WIDE),
        (np.array([1, 2]), np.array([1.0, 2.0])),
        (np.array([NAN, INF]), np.array([NAN, INF])),
        (np.zeros((0, 3)), np.zeros((0, 3))),
        (True, True),
        ("a", "a"),
        ({}, {}),
        ((), []),
        (1j, 1j),
        (np.True_, True),
        (True, np.True_),
    ],
    ids=repr,
)
def test_these_agree(got: Any, expected: Any) -> None:
    assert difference(got, expected) is None


@pytest.mark.parametrize(
    ("got", "expected", "where"),
    [
        (1.0 + 1e-5, 1.0, ""),
        (NAN, 1.0, ""),
        (1.0, NAN, ""),
        (INF, -INF, ""),
        (INF, 1e300, ""),
        (True, 1.0, ""),
        (1.0, True, ""),
        (1, True, ""),
        ("1.0", 1.0, ""),
        (1j, 1.0, ""),
        (None, 1.0, ""),
        (np.array([1.0]), 1.0, ""),
        (1.0, np.array([1.0]), ""),
        ([1.0], np.array([1.0]), ""),
        (np.array([1.0]), [1.5], "[0]"),
        (WIDE, WIDE.T, ""),
        ((1.0, 2.0, 3.0), (1.0, 2.0), ""),
        ((1.0, (2.0, 4.0)), (1.0, (2.0, 3.0)), "[1][1]"),
        ({"a": 1}, {"a": 2}, "['a']"),
        ({"a": 1, "b": 2}, {"a": 1}, ""),
        ({}, {"a": 1}, ""),
        (SQUARE, SQUARE + np.array([[0, 0], [1, 0]]), "[1, 0]"),
        (Opaque("Value"), 1.0, ""),
        (Opaque("Value"), Opaque("Value"), ""),
        (10**400, 1.0, ""),
        (-(10**400), 10.0**300, ""),
        ("a", "b", ""),
        (None, (), ""),
    ],
    ids=repr,
)
def test_these_differ_and_the_place_is_named(got: Any, expected: Any, where: str) -> None:
    found = difference(got, expected)
    assert found is not None
    assert found.where == where
    assert found.what


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.complex_numbers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
) | st.sampled_from(
    [SQUARE, WIDE, np.float32(2), np.zeros((0, 2)), SQUARE > 1, SQUARE * 1j, Opaque("x"), 10**400]
)


@settings(max_examples=300, deadline=None)
@given(anything, anything, st.lists(anything, max_size=2).map(tuple))
def test_comparing_showing_and_diagnosing_never_raise_whatever_came_back(
    got: Any, expected: Any, args: Any
) -> None:
    assert len(show(got)) <= 160
    found = difference(got, expected)
    assert found is None or found.what
    assert isinstance(diagnose(got, expected, args, (0,)), str)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1 + 0.2, "0.3"),
        (-0.0, "0.0"),
        (1e300, "1e+300"),
        (2.0, "2.0"),
        (np.float64(2.5), "2.5"),
        (np.int32(7), "7"),
        (np.True_, "True"),
        (NAN, "nan"),
        (-INF, "-inf"),
        ((1.0,), "(1.0,)"),
        ((), "()"),
        ([], "[]"),
        ({"a": [1, None]}, "{'a': [1, None]}"),
        ("a\x1b\n", "'a\\x1b\\n'"),
        (10**12, "1e+12"),
        (10**400, "an int of about 400 digits"),
        (SQUARE, "[[1. 2.] [3. 4.]]"),
        (np.zeros((40, 50)), "<an array of shape (40, 50)>"),
        (Opaque("Value"), "<Value>"),
    ],
    ids=repr,
)
def test_values_are_shown_short(value: Any, text: str) -> None:
    assert show(value) == text


def test_showing_looks_at_no_more_than_it_shows() -> None:
    class Endless(list):  # type: ignore[type-arg]
        def __iter__(self) -> Any:
            for i in range(MAX_ITEMS):
                assert i < 100
                yield 1.0

    assert show(Endless()).endswith("…")


GOOD = (3.5, -2.0, 0.75)
DIAGNOSES = [
    ("sign", tuple(-x for x in GOOD), GOOD, (), "wrong sign"),
    ("sign of one", -3.5, 3.5, (), "The number has the wrong sign"),
    ("sign of one of three", (3.5, 2.0, 0.75), GOOD, (), "Each wrong number has the wrong sign"),
    ("sign of two", (-3.5, 2.0, 0.75), GOOD, (), "Each wrong number has the wrong sign"),
    ("sign of an array", -WIDE, WIDE, (), "wrong sign"),
    ("factor 2", tuple(2 * x for x in GOOD), GOOD, (), "too large by the factor 2."),
    ("factor one half", 0.5 * WIDE, WIDE, (), "too small by the factor 2."),
    ("factor 1/N", WIDE / 6, WIDE, (), "too small by the factor 6."),
    (
        "lacks an argument",
        GOOD,
        tuple(1.7 * x for x in GOOD),
        (0.3, 1.7),
        "lacks the factor 1.7, which is the second",
    ),
    ("argument too much", tuple(1.7 * x for x in GOOD), GOOD, (1.7,), "has a factor too much, 1.7"),
    ("opposite order", GOOD[::-1], GOOD, (), "opposite order"),
    ("another order", (0.75, 3.5, -2.0), GOOD, (), "another order"),
    ("transposed", WIDE.T, WIDE, (), "transposed"),
    ("another shape", WIDE.reshape(3, 2), WIDE, (), "another shape"),
    ("not summed, one row", np.ones((4, 3)), 4 * np.ones((1, 3)), (), "broadcasting"),
    ("not summed, an axis too many", np.ones((4, 3)), 4 * np.ones(3), (), "broadcasting"),
    ("zeros", (0.0, 0.0, 0.0), GOOD, (), "Every number is zero"),
    ("array of zeros", np.zeros((2, 3)), WIDE, (), "Every number is zero"),
    ("None", None, GOOD, (), "returned None"),
    (
        "None, from a loop or a call",
        None,
        GOOD,
        (),
        "a loop that had nothing to go over, or does it return what gives None",
    ),
    ("an object", Opaque("Value"), 1.0, (), "this is a Value"),
    (
        "sign and factor",
        tuple(-2 * x for x in GOOD),
        GOOD,
        (),
        "has the wrong sign and is too large by the factor 2.",
    ),
    (
        "means for sums",
        (5.3, 1.1),
        (5 * 5.3, 5.5),
        ([1.0, 2.0, 3.0, 4.0, 5.0],),
        "too small by the factor 5.",
    ),
    ("an object in a list", [1.0, Opaque("Array")], [1.0, 2.0], (), "it holds an Array"),
    ("the first of two arrays", WIDE, (WIDE, 2 * WIDE), (), "the first of 2 arrays that are wanted"),
    ("the second of two arrays", 2 * WIDE, (WIDE, 2 * WIDE), (), "the second of 2 arrays that are wanted"),
    (
        "one array of two, wrong",
        3 * WIDE,
        (WIDE, 2 * WIDE),
        (),
        "This is one array, and 2 are wanted, in a tuple.",
    ),
    (
        "one array for a list of two",
        3 * WIDE,
        [WIDE, 2 * WIDE],
        (),
        "This is one array, and 2 are wanted, in a list.",
    ),
    ("two rows for a list of two", np.ones((3, 2)), [WIDE, WIDE], (), "and 2 are wanted, in a list."),
    ("the second for a list", 2 * WIDE, [WIDE, 2 * WIDE], (), "Return both, in a list."),
    ("rows that are no items", np.ones((3, 2)), (WIDE, WIDE), (), "This is one array, and 2 are wanted"),
    (
        "calls that were written down",
        [(1.0, 2.0)] * 2,
        [(1.0, 2.0)],
        (),
        "There are 2 items, and 1 is wanted",
    ),
    ("two arrays in one, wrong", np.stack([WIDE, WIDE + 1]), (WIDE, WIDE), (), ""),
    ("a share that is 0", 0.0, 0.25, (), ""),
    ("a root of -1", np.array([NAN, 1.0]), np.ones(2), (), "the logarithm of a negative number"),
    ("an array for a list, too short", np.ones(2), GOOD, (), "There are 2 items, and 3 are wanted"),
    ("a list for an array", list(GOOD), np.array(GOOD), (), "This is a list, and a NumPy array is wanted"),
    (
        "None in an array",
        Opaque("ndarray", "array([None, None], dtype=object)"),
        SQUARE,
        (),
        "holds None where a number",
    ),
    (
        "objects in an array",
        Opaque("ndarray", "array([1, [2]], dtype=object)"),
        SQUARE,
        (),
        "its dtype is object",
    ),
    ("an array of one for a number", np.array([1.0]), 2.0, (), "not an array that holds it"),
    ("a list for a dict", [1.0], {"x": 1.0}, (), "This is a list, and a dict is wanted"),
    ("a dict for a list", {"x": 1.0}, [1.0], (), "This is a dict, and its values alone are wanted"),
    ("two numbers for one", (1.0, 2.0), 1.0, (), "These are 2 numbers, and one is wanted"),
    (
        "two numbers in the place of a tuple of one",
        (1.0, 2.0),
        (1.0,),
        (),
        "There are 2 numbers, and 1 is wanted",
    ),
    ("one number for two", 1.0, (1.0, 2.0), (), "This is one number, and 2 are wanted"),
    ("no number for three", [], GOOD, (), "There are 0 numbers, and 3 are wanted"),
    ("one text for two", ["a"], ["a", "b"], (), "There is 1 item, and 2 are wanted"),
    ("None in a list", [1.0, None], [1.0, 2.0], (), "The value at [1] is None"),
    ("None in a dict", {"w": None}, {"w": 2.0}, (), "The value at ['w'] is None"),
    ("a number for a tuple of one", 1.0, (1.0,), (), "tuple of one"),
    ("an array for a tuple of one", WIDE, (WIDE,), (), "The array should be in a tuple of one: write `(x,)`"),
    ("a wrong array for a tuple of one", WIDE[0], (WIDE,), (), "The array should be in a tuple of one"),
    ("its rows for a tuple of one", WIDE.tolist(), (WIDE,), (), "The array should be in a tuple of one"),
    ("two arrays for a tuple of one", [WIDE, WIDE], (WIDE,), (), "There are 2 items, and 1 is wanted"),
    ("an array for a tuple of one, inside", (WIDE, SQUARE), ((WIDE,), SQUARE), (), "in a tuple of one"),
    ("not summed, inside", (SQUARE, np.ones((4, 3))), (SQUARE, 4 * np.ones(3)), (), "broadcasting"),
    (
        "a number for an array, in a dict",
        {"a": SQUARE, "b": [1.0]},
        {"a": SQUARE, "b": WIDE},
        (),
        "is a list",
    ),
    ("a tuple of one for a number", (1.0,), 1.0, (), "Return the number itself"),
    (
        "a tuple of one for a number, inside",
        ((1.0,),),
        (1.0,),
        (),
        "At [0]: put the number itself there, not a seq",
    ),
    (
        "a list for an array, deep inside",
        ([1.0], [[2.0]]),
        ([1.0], [WIDE]),
        (),
        "At [1][0]: this is a list, and",
    ),
    ("NaN", (NAN, 1.0), (1.0, 2.0), (), "There is a NaN"),
    ("infinity", (INF, 1.0), (1.0, 2.0), (), "There is an infinity"),
    ("an int beyond all floats", (10**400, 1.0), (1.0, 2.0), (), "There is an infinity"),
]


@pytest.mark.parametrize(
    ("got", "expected", "args", "sentence"), [d[1:] for d in DIAGNOSES], ids=[d[0] for d in DIAGNOSES]
)
def test_a_mistake_of_a_known_kind_is_named(
    got: Any, expected: Any, args: tuple[Any, ...], sentence: str
) -> None:
    assert difference(got, expected) is not None
    assert sentence in diagnose(got, expected, args)
    assert sentence in diagnose(plain(got) if not isinstance(got, Opaque) else got, expected, args)


def test_a_change_in_place_is_named_when_nothing_else_explains_the_answer() -> None:
    assert "changed its second argument in place" in diagnose((1.1, 2.3), (5.7, 9.9), (), (1,))


awkward = st.floats(0.31, 2.9).map(lambda x: round(x, 6) + 1e-7 * math.pi)


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        ((1.86615, 0.0), (1.86615, -2.1e-305)),  # a check that is closer sees a tiny number that is lost
        ((3.0, 2.06115364e-09), (3.0, 2.06115362e-09)),
        (np.array([[9.56492233]]), np.array([[9.56492201]])),
        (np.array([[1.0, 2.0], [2.0, 5.0 + 1e-9]]), np.array([[1.0, 2.0], [2.0, 5.0]])),
    ],
)
def test_what_is_nearly_right_in_its_own_place_has_not_moved(got: object, expected: object) -> None:
    assert diagnose(got, expected) == ""


@settings(max_examples=300, deadline=None)
@given(
    st.lists(awkward, min_size=3, max_size=5, unique=True),
    st.lists(awkward, min_size=5, max_size=5, unique=True),
    awkward,
)
def test_unrelated_numbers_get_no_diagnosis(expected: list[float], got: list[float], arg: float) -> None:
    got = got[: len(expected)]
    ratios = [g / e for g, e in zip(got, expected, strict=True)]
    if max(ratios) - min(ratios) < 1e-3 or any(abs(g - e) < 1e-3 for g in got for e in expected):
        return
    assert diagnose(tuple(got), tuple(expected), (arg,)) == ""


@pytest.mark.parametrize(
    ("got", "expected", "what"),
    [
        (None, 3.0, "None instead of 3.0"),
        ({"w": None}, {"w": 3.0}, "None instead of 3.0"),
        ([1.0], {"w": 3.0}, "a list of 1 instead of a dict of 1"),
        ([1.0], (1.0, 2.0), "1 item instead of 2"),
        (np.ones(2), [1.0], "an array of shape (2,) instead of a list of 1"),
        (Opaque("Dual"), 1.0, "a Dual instead of a number"),
        (3.908433, 3.908434, "3.908433 instead of 3.908434"),
        ([3.5, 1 + 1e-9], [3.5, 1.0], "1.000000001 instead of 1.0"),
    ],
    ids=repr,
)  # fmt: skip
def test_what_differs_is_said_so_that_it_can_be_seen(got: Any, expected: Any, what: str) -> None:
    found = difference(got, expected, rtol=0.0, atol=0.0)
    assert found is not None
    assert found.what == what


POWERS = (3.0 * 2.0, 5.0 * 2.0)
#: What was said untruly, or may be: every one has another reason that gives the same.
SILENT = [
    ("one zero", 0.0, 3.5, (2.0, 3.0), ()),
    ("one zero among right numbers", (3.5, 0.0), (3.5, -2.0), (2.0,), ()),
    ("zeros where one number is wanted", (0.0, 0.0, 0.0), (0.0, 4.0, 0.0), (), ()),
    ("one number, half as large", 3.0, 6.0, (7.0, 2.0), ()),
    ("one number without an argument", 1.5, 1.5 * 1.7, (0.3, 1.7), ()),
    ("one number without an argument, in an array", np.array([1.5]), np.array([1.5 * 1.7]), (0.3, 1.7), ()),
    ("one number many times", np.full((2, 3), 1.5), np.full((2, 3), 1.5 * 1.7), (0.3, 1.7), ()),
    ("two arguments that are equal", GOOD, tuple(1.7 * x for x in GOOD), (1.7, 1.7), ()),
    ("two arguments that make the factor", GOOD, tuple(1.7 * x for x in GOOD), (1.7, 3.4, 0.5), ()),
    ("a call with that factor was right", GOOD, tuple(1.7 * x for x in GOOD), (1.7,), [((1.9,), 2.5)]),
    ("an infinity that was given", (INF, 2.0), (1.0, 2.0), ([INF, 1.0],), ()),
    ("a NaN that was given", (NAN, 2.0), (1.0, 2.0), ([NAN, 1.0],), ()),
]


@pytest.mark.parametrize(
    ("got", "expected", "args", "passed"), [row[1:] for row in SILENT], ids=[row[0] for row in SILENT]
)
def test_where_another_cause_gives_the_same_nothing_is_said(
    got: Any, expected: Any, args: tuple[Any, ...], passed: Any
) -> None:
    assert difference(got, expected) is not None
    assert diagnose(got, expected, args, (), passed) == ""


def test_a_none_among_values_may_also_be_a_gradient_that_did_not_arrive() -> None:
    told = diagnose((np.ones(2), None), (np.ones(2), np.ones(2)))
    assert told.startswith("The value at [1] is None: ") and "nothing arrived there" in told


def test_a_factor_of_two_is_no_argument_that_is_two_by_chance() -> None:
    """`a ** n * n` at a = 2 lacks the factor 2, and so does much else."""
    assert diagnose((3.0, 5.0), POWERS, (1.0, 3.0, 2.0)) == "Every number is too small by the factor 2."


def test_the_order_of_equal_numbers_is_not_said_to_be_opposite() -> None:
    assert diagnose([1.0, 2.0, 2.0], [2.0, 2.0, 1.0]) == "The right values, in another order."
    assert diagnose([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]) == "The right values, in the opposite order."


@pytest.mark.parametrize("form", [lambda x: x, lambda x: (x,), lambda x: [x]])
def test_of_a_number_and_its_negative_the_order_may_be_wrong_or_the_signs(form: Any) -> None:
    told = diagnose([form(10.0), form(-10.0)], [form(-10.0), form(10.0)])
    assert told == "The right values, in the opposite order, or each with the wrong sign."


def test_shapes_are_not_counted_as_if_they_were_the_answer() -> None:
    """An image of ten numbers in place of one of 64 does not hold one number in place of two."""
    assert diagnose((10,), (8, 8)) == ""
    assert diagnose((10.0,), (8.0, 8.0)) == "There is 1 number, and 2 are wanted."
    assert diagnose([10], [8, 8]) == "There is 1 number, and 2 are wanted."


def test_a_wrong_shape_is_told_and_its_cause_only_where_it_is_seen() -> None:
    for got, expected in [
        (np.ones((2, 3)), np.ones(3)),
        (WIDE, 2 * WIDE.ravel()),
        (np.ones((3, 1)), WIDE[:, :2]),
    ]:
        assert diagnose(got, expected) == f"The shape is {got.shape} and should be {expected.shape}."
    assert "the same numbers in another shape" in diagnose(WIDE, WIDE.ravel())
    assert "stretched" in diagnose(WIDE, WIDE.sum(axis=0))


@pytest.mark.parametrize("factor", [36, 1 / 36, 1.5, -7, 0.1])
def test_a_factor_that_nobody_would_think_of_is_no_diagnosis(factor: float) -> None:
    assert diagnose(tuple(factor * x for x in GOOD), GOOD) == ""
    assert diagnose(factor * 1.7, 1.7) == ""


def test_numbers_of_any_size_are_diagnosed_without_an_exception() -> None:
    assert diagnose(5e-324, 1e300, (INF, 10**400)) == ""
    assert diagnose(1e300, 5e-324, (INF, 10**400)) == ""


@pytest.mark.parametrize(("got", "expected"), [(1.2345, 0.77), (0.9, 1.7), ((1.0, 2.5), (1.0, 0.7))])
def test_one_wrong_number_with_an_odd_ratio_gets_no_diagnosis(got: Any, expected: Any) -> None:
    assert diagnose(got, expected, (0.123,)) == ""


def test_an_exception_that_is_returned_should_be_raised() -> None:
    assert diagnose(Opaque("ValueError"), "raises ValueError") == (
        "This gives a ValueError back, as if it were an answer: `raise` it."
    )
    assert (
        diagnose(Opaque("Value"), 2.0) == "The answer should be made of plain numbers, and this is a Value."
    )
    told = diagnose({"op": Opaque("function"), "data": 2.0}, {"op": "*", "data": 2.0})
    assert told == "At ['op']: a text is wanted, and there is a function."


def test_a_call_shows_numbers_that_differ_with_so_many_digits_that_they_read_differently() -> None:
    assert str(Call(Probe("agree"), (2e9, 2e9 + 1000, 0.001))) == "agree(2e+09, 2.000001e+09, 0.001)"
    assert str(Call(Probe("f"), (1 / 3, [1 / 3, 1.0]))) == "f(0.333333, [0.333333, 1.0])"
