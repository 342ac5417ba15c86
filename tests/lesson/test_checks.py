"""What a student sees in the notebook: one line for a pass, a few aligned ones for a failure, never a traceback."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell

from autograder.lesson import probes
from autograder.lesson.checks import exercise
from autograder.lesson.exceptions import EXPLAINED, explain_exception
from autograder.lesson.failures import CheckFailed, Failure, TestFault
from autograder.lesson.probes import (
    AnswerError,
    AnswerLost,
    AnswerTimeout,
    LocalBoundary,
    Session,
    use_session,
    yours,
)

Cell = Callable[[str], str]


@pytest.fixture
def cell() -> Iterator[Cell]:
    """Runs a cell as a notebook does and gives what it showed."""
    from IPython.utils.capture import capture_output

    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    shell.colors = "nocolor"
    shell.run_cell("import math\nfrom autograder import exercise, number, probe, yours\n")

    def run(source: str) -> str:
        with capture_output() as shown:
            shell.run_cell(textwrap.dedent(source))
        return str(shown.stdout)

    yield run
    InteractiveShell.clear_instance()


CHECK = """
with exercise("mul_vjp") as check:
    check.close(yours.mul_vjp(10.0, 2.0, 3.0), (30.0, 20.0), "d(ab)/da is b, and it is multiplied by g")
    check.close(yours.mul_vjp(1.0, 2.0, 3.0), (3.0, 2.0), "with g = 1 these are the local derivatives")
"""


def bare(text: str) -> list[str]:
    """The lines without colours."""
    import re

    return re.sub(r"\x1b\[[0-9;]*m", "", text).rstrip().split("\n")


def test_a_pass_is_one_line_that_counts_the_checks(cell: Cell) -> None:
    cell("def mul_vjp(g, a, b):\n    return g * b, g * a")
    assert cell(CHECK) == "✓ mul_vjp: right (2 checks passed)\n"


def test_a_failure_says_what_was_called_what_came_back_what_was_expected_and_why(cell: Cell) -> None:
    cell("def mul_vjp(g, a, b):\n    return b, a")
    assert bare(cell(CHECK)) == [
        "✗ mul_vjp: not right yet: 3.0 instead of 30.0 at [0]",
        "  called    mul_vjp(10.0, 2.0, 3.0)",
        "  returned  (3.0, 2.0)",
        "  expected  (30.0, 20.0)",
        "  because   d(ab)/da is b, and it is multiplied by g",
        "  likely    Every number lacks the factor 10.0, which is the first argument of the call.",
        "  next      open the next hint above the answer cell",
    ]


def test_the_first_check_that_fails_is_the_one_that_is_told(cell: Cell) -> None:
    cell("def mul_vjp(g, a, b):\n    return (30.0, 20.0)")
    assert "mul_vjp(1.0, 2.0, 3.0)" in cell(CHECK)


def test_a_stub_is_told_as_not_written_yet(cell: Cell) -> None:
    cell('def mul_vjp(g, a, b):\n    raise NotImplementedError("your answer goes here")')
    assert bare(cell(CHECK)) == [
        "✗ mul_vjp: not written yet",
        "  next      write it in the answer cell above, run that cell, then run this one again",
    ]


def test_a_function_that_is_not_there_is_told_as_such(cell: Cell) -> None:
    assert bare(cell(CHECK))[0] == "✗ mul_vjp: there is no `mul_vjp` yet"


def test_an_exception_names_the_student_s_line_and_no_line_of_ours(cell: Cell) -> None:
    cell("def mul_vjp(g, a, b):\n    c = a / 0\n    return c, c")
    lines = bare(cell(CHECK))
    assert lines[0] == "✗ mul_vjp: your code raised ZeroDivisionError"
    assert "  raised    ZeroDivisionError: float division by zero" in lines
    assert "  at        line 2: c = a / 0" in lines
    assert not any(line.startswith("  likely") for line in lines)  # it would say the same again
    assert not any("Traceback" in line or "autograder" in line or ".py" in line for line in lines)


@pytest.mark.parametrize(
    ("line", "here"),
    [
        ("return g['é'] * a, b * (a / 0), a / 1", "a / 0"),
        ("c = [a, g['é']][1] + [g['è']]", "g['è']"),
        ("return a / 0, b", "a / 0"),
        ("g[0] = b + g[0]", "g[0]"),
        ("g[0][1] = b[2]", "b[2]"),
        ("return a / 0", ""),
        ("c = a / 0", ""),
        ("raise ValueError(a / 1)", ""),
        ("c, d = a", ""),
        ("return [c for c in (a, b)] + undefined", ""),
    ],
)
def test_of_a_line_that_does_several_things_the_one_that_failed_is_told(
    cell: Cell, line: str, here: str
) -> None:
    cell(f"def mul_vjp(g, a, b):\n    g = {{'é': 0.0}}\n    {line}")
    assert f"  at        line 3: {line}{f' (here: {here})' if here else ''}" in bare(cell(CHECK))


@pytest.mark.parametrize("line", ["return a / 0", "return [a / 0 for _ in range(3)]"])
def test_a_line_of_a_function_of_another_cell_is_told_beside_the_answers_own(cell: Cell, line: str) -> None:
    cell(f"def halved(a):\n    {line}")
    cell("def mul_vjp(g, a, b):\n    c = g\n    return halved(a), 0.0")
    assert f"  at        line 3 of mul_vjp: return halved(a), 0.0 (in line 2 of halved: {line})" in bare(
        cell(CHECK)
    )


def test_of_what_a_given_function_refuses_the_line_that_asked_is_told(cell: Cell) -> None:
    cell("def given(a):\n    if a > 1:\n        raise ValueError('too large')")
    cell("def mul_vjp(g, a, b):\n    c = g\n    given(5)\n    return c, c")
    lines = bare(cell(CHECK))
    assert "  raised    ValueError: too large" in lines
    assert "  at        line 3: given(5) (refused by given)" in lines


def test_a_list_in_the_place_of_a_dict_is_told_as_such(cell: Cell) -> None:
    cell("@probe\ndef looked_up():\n    return table()['a']")
    cell("def table():\n    return [1.0]")
    lines = bare(cell("with exercise('table') as check:\n    check.equal(looked_up(), 1.0, 'it is one')"))
    assert "  likely    A dict with names for keys is wanted, and this is a list." in lines


def test_an_exception_that_a_probe_raises_names_the_student_s_line_that_led_there(cell: Cell) -> None:
    cell(
        "@probe\ndef negated():\n    class Plain:\n        def __neg__(self):\n"
        "            raise TypeError('no minus here')\n    return neg(Plain())"
    )
    cell("def neg(a):\n    return -a")
    lines = bare(cell("with exercise('neg') as check:\n    check.equal(negated(), 1, 'it is one')"))
    assert "  raised    TypeError: no minus here" in lines
    assert "  at        line 2: return -a" in lines


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("return None", "returned None"),
        ("return [g * b, None]", "None instead of 20.0 at [1]"),
        ("return [g * b, None]", "The value at [1] is None"),
        ("return g * b", "This is one number, and 2 are wanted."),
        ("return g * b, g * a, 0", "There are 3 numbers, and 2 are wanted."),
        ("return 'thirty', 'twenty'", "a text instead of a number"),
        ("return object()", "this is an object"),
        ("return g * 0.0 ** -1", "A negative power of 0 is a division by 0."),
        ("return lambda: 1", "this is a function"),
        ("return len", "this is a function"),
        ("return Exception", "this is a class"),
        ("return 10 ** 5000, 1", "an int of about 5000 digits"),
        ("return float('nan'), 1", "There is a NaN"),
        ("yield 1", "this is a generator"),
        ("raise SystemExit", "your code raised SystemExit"),
        ("raise RuntimeError('one\\n✓ mul_vjp: right')", "            ✓ mul_vjp: right"),
        ("return mul_vjp(g, a, b)", "calls itself, directly or"),
        ("return undefined", "There is no such name here"),
        ("return fractions.Fraction(1)", "The module fractions has not been imported here"),
        ("g += h\n    h = 1", "only after it is used"),
        ("return math.exp(1e4)", "look for an `exp`"),
        ("return None + 1", "Something is None there"),
        ("return 'a' + 1", "raised TypeError"),
        ("while len(str(g)) < 9: g *= 10\n    return [g] * 300_000", "too long to send"),
    ],
)
def test_an_answer_of_the_wrong_form_is_told_in_a_sentence(body: str, sentence: str, cell: Cell) -> None:
    cell(f"def mul_vjp(g, a, b):\n    {body}")
    shown = cell(CHECK)
    assert sentence in shown
    assert "Traceback" not in shown
    assert len(bare(shown)) < 12


def test_a_wrong_number_of_arguments_is_explained(cell: Cell) -> None:
    cell("def mul_vjp(g, a):\n    return a, g")
    assert "another number of arguments" in cell(CHECK)


def test_a_check_that_cannot_work_with_the_answer_says_that_its_form_is_wrong(cell: Cell) -> None:
    cell("def pair(x):\n    return None")
    shown = cell(
        """
        with exercise("pair") as check:
            first, second = yours.pair(1.0)
            check.close(first, 1.0, "the first")
        """
    )
    assert bare(shown)[:3] == [
        "✗ pair: the answer has the wrong form",
        "  called    pair(1.0)",
        "  returned  None",
    ]
    assert "The function returned None. Is a `return` missing" in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize("wanted", ["given.shape", "len(given)", "first, second = given", "given[0]"])
def test_a_check_that_takes_a_function_apart_says_that_it_is_no_plain_data(wanted: str, cell: Cell) -> None:
    cell("def pair(x):\n    return pair")
    shown = cell(
        f"""
        with exercise("pair") as check:
            given = yours.pair(1.0)
            {wanted}
        """
    )
    assert "a function or another object that is no plain data" in " ".join(shown.split())
    assert "Opaque" not in shown


def test_an_answer_that_a_probe_cannot_take_apart_is_told_in_words_about_the_answer(cell: Cell) -> None:
    cell("def node(x):\n    return None")
    shown = cell(
        """
        @probe
        def data_of(x):
            return node(x).data
        with exercise("node") as check:
            check.close(data_of(1.0), 1.0, "its data")
        """
    )
    assert bare(shown)[:4] == [
        "✗ node: the answer has the wrong form",
        "  called    data_of(1.0)",
        "  because   its data",
        "  likely    Something is None where the check asks for its `data`: is a `return` missing, or a value not set?",
    ]
    assert "NoneType" not in shown


def test_a_call_that_changes_its_arguments_or_keeps_something_is_told_which(cell: Cell) -> None:
    check = """
        with exercise("f") as check:
            check.close(yours.f([2.0], [1.0]), 2.0, "the first")
            check.untouched()
        """
    cell("def f(a, b):\n    b[0] += 1\n    return a[0]")
    assert "likely    The call changed its second argument in place" in "\n".join(bare(cell(check)))
    cell("def f(a, b):\n    b[0] += 1\n    a.append(3)\n    return a[0]")
    assert "The call changed its first and second arguments in place" in cell(check)
    cell("seen = []\ndef f(a, b):\n    seen.append(1)\n    return a[0] if len(seen) < 2 else 0.0")
    shown = " ".join(cell(check).split())
    assert "something is kept from one call to the next, or an argument" in shown
    assert "the same arguments give the same, however often they come" in shown
    # The check's own reason is one against changed arguments.
    assert "may not change what it was given" not in shown


def test_of_a_helper_s_call_no_arguments_are_counted(cell: Cell) -> None:
    helper = """
        @probe
        def after(g, x):
            found = f(x, 7.0, g)
            return {returned}
        with exercise("f") as check:
            check.close(after([2.0], [1.0]), {right}, "the first")
            {more}
        """
    cell("def f(a, b, c):\n    c[0] += 1\n    return a[0]")
    shown = "\n".join(bare(cell(helper.format(returned="found", right="1.0", more="check.untouched()"))))
    assert "likely    What the check calls `g` was changed in place" in shown
    assert "argument of" not in shown and "first argument" not in shown
    shown = "\n".join(bare(cell(helper.format(returned="g", right="[2.0]", more=""))))
    assert "likely    What the check calls `g` was changed in place" in shown
    cell("def f(a, b, c):\n    return [5.0 * i for i in (1.0, 3.0)]")
    shown = "\n".join(
        bare(
            cell(
                """
                @probe
                def after(x, size):
                    return f(size, 7.0, x)
                with exercise("f") as check:
                    check.close(after(5.0, 0.3), [1.0, 3.0], "the first")
                """
            )
        )
    )
    assert "likely    Every number has a factor too much, 5.0, which the check calls `x`." in shown


def test_the_ways_to_change_what_was_given_are_those_of_its_kind(cell: Cell) -> None:
    check = """
        with exercise("f") as check:
            check.close(yours.f({given}), 2.0, "the first")
            check.untouched()
        """
    cell("import numpy as np\ndef f(a):\n    b = a[0]\n    np.exp(a, out=a)\n    return float(b)")
    assert "`+=` and its like, `[...] =`, `out=` and methods such as `sort` can do that" in cell(
        check.format(given="np.array([2.0])")
    )
    cell("def f(a):\n    return a.pop()")
    assert "methods such as `pop` can do that" in cell(check.format(given="[2.0]"))


def test_a_call_is_shown_with_what_it_was_given_though_the_check_writes_into_that_later(cell: Cell) -> None:
    cell("import numpy as np\ndef f(a, b):\n    return float(a[0] * b[0][0])")
    shown = cell(
        """
        with exercise("f") as check:
            a, b = np.array([2.0]), [[5.0]]
            got = yours.f(a, b)
            a[0], b[0][0] = 0.25, 0.125
            check.close(got, 7.0, "7 is wanted")
        """
    )
    assert "f([2.], [[5.0]])" in shown and "0.25" not in shown and "0.125" not in shown


def test_what_right_calls_change_too_is_not_told_as_the_cause(cell: Cell) -> None:
    cell("def f(a):\n    a[0] += 1\n    return a[0] if a[0] < 3 else 7.3")
    shown = cell(
        """
        with exercise("f") as check:
            check.close(yours.f([1.0]), 2.0, "the first")
            check.close(yours.f([4.0]), 5.0, "the second")
        """
    )
    assert "not right yet" in shown and "in place" not in shown


def test_none_that_is_an_answer_is_not_told_as_a_return_that_is_missing(cell: Cell) -> None:
    cell("def f(a):\n    return None")
    shown = cell(
        """
        with exercise("f") as check:
            check.close(yours.f(1.0), None, "nothing there")
            check.close(yours.f(2.0), 1, "the first")
        """
    )
    assert "not right yet" in shown and "`return` missing" not in shown


def test_a_second_call_that_raises_is_no_error_of_the_code_but_what_was_changed_or_kept(cell: Cell) -> None:
    check = """
        with exercise("f") as check:
            check.close(yours.f([2.0], [1.0]), 2.0, "the first")
            check.untouched()
        """
    cell("def f(a, b):\n    return a.pop()")
    shown = "\n".join(bare(cell(check)))
    assert "✗ f: an argument was changed in place" in shown
    assert "likely    The call changed its first argument in place" in shown
    assert "raised" not in shown
    cell("seen = []\ndef f(a, b):\n    seen.append(1)\n    return [a[0]][len(seen) - 1]")
    shown = "\n".join(bare(cell(check)))
    assert "✗ f: a second call raised IndexError" in shown
    assert "something is kept from one call to the next" in shown


def test_a_probe_uses_the_notebook_s_names(cell: Cell) -> None:
    cell("scale = 3.0\ndef triple(x):\n    return scale * x")
    shown = cell(
        """
        @probe
        def tripled(x):
            return triple(x)
        with exercise("triple") as check:
            check.close(tripled(2.0), 6.0, "three times two")
        """
    )
    assert shown == "✓ triple: right (1 check passed)\n"


def test_what_an_answer_prints_is_shown_before_the_verdict(cell: Cell) -> None:
    cell("def mul_vjp(g, a, b):\n    print('debugging', g)\n    return g * b, g * a")
    assert cell(CHECK).splitlines() == [
        "debugging 10.0",
        "debugging 1.0",
        "✓ mul_vjp: right (2 checks passed)",
    ]


# -- the checks, with a namespace of their own --------------------------------------------------------------------


def told(body: Callable[[exercise], None], **names: object) -> Failure:
    session = Session(LocalBoundary(names), seed=1)
    with use_session(session), pytest.raises(CheckFailed) as failed, exercise("it") as check:
        body(check)
    return failed.value.failure


def test_a_change_in_place_is_seen() -> None:
    def spoil(xs: list[float]) -> float:
        xs.append(1.0)
        return 3.0

    def body(check: exercise) -> None:
        check.close(probes.yours.spoil([1.0, 2.0]), 3.0, "the sum")
        check.untouched()

    failure = told(body, spoil=spoil)
    assert failure.headline == "an argument was changed in place"
    assert ("called", "spoil([1.0, 2.0])") in failure.rows


# -- which call a failure shows -----------------------------------------------------------------------------------


def facts(failure: Failure) -> dict[str, str]:
    return dict(failure.rows)


def twice(x: float) -> float:
    return 2.0 * x


def test_of_several_calls_the_one_whose_value_was_compared_is_shown() -> None:
    def body(check: exercise) -> None:
        first, second = yours.twice(1.5), yours.twice(2.5)
        check.close(first, 3.0, "it is right")
        check.close(second, 6.0, "and this is not")

    assert facts(told(body, twice=twice)) == {
        "called": "twice(2.5)",
        "returned": "5.0",
        "expected": "6.0",
        "because": "and this is not",
    }

    def earlier(check: exercise) -> None:
        first, _ = yours.twice(1.5), yours.twice(2.5)
        check.close(first, 4.0, "the first is not")

    assert facts(told(earlier, twice=twice))["called"] == "twice(1.5)"


def test_the_arguments_of_a_diagnosis_are_those_of_the_call_that_was_compared() -> None:
    def body(check: exercise) -> None:
        first, _ = yours.f(1.5), yours.f(2.5)
        check.close(first, (1.0, 4.7), "two constants")

    assert "which is the first argument" in told(body, f=lambda x: (x, 4.7 * x)).diagnosis


def test_an_item_of_a_reply_is_shown_with_its_call() -> None:
    def body(check: exercise) -> None:
        (first, second), _ = yours.pair(1.5), yours.pair(9.5)
        check.close(first, 2.5, "the first")
        check.close(second, 9.0, "the second")

    rows = facts(told(body, pair=lambda x: (x + 1, x + 2)))
    assert (rows["called"], rows["returned"], rows["compared"]) == ("pair(1.5)", "(2.5, 3.5)", "3.5")


def test_of_a_list_of_replies_the_call_of_the_one_that_differs_is_shown() -> None:
    def body(check: exercise) -> None:
        check.close([yours.twice(1.5), yours.twice(2.5), yours.twice(3.5)], [3.0, 5.5, 7.0], "twice")

    failure = told(body, twice=twice)
    assert failure.headline == "not right yet: 5.0 instead of 5.5 at [1]"
    rows = facts(failure)
    assert (rows["called"], rows["returned"]) == ("twice(2.5)", "5.0")
    assert rows["compared"] == "[3.0, 5.0, 7.0]"


def test_where_the_call_is_not_known_all_calls_since_the_last_check_are_shown() -> None:
    def derived(check: exercise) -> None:
        check.close(yours.twice(0.5), 1.0, "right")
        check.close(yours.twice(1.5) - yours.twice(2.5), 0.0, "a difference")

    failure = told(derived, twice=twice)
    assert facts(failure)["called"] == "twice(1.5) gave 3.0\ntwice(2.5) gave 5.0"
    assert "returned" not in facts(failure)
    assert "            twice(2.5) gave 5.0" in failure.text().splitlines()

    def many(check: exercise) -> None:
        check.true(sum(yours.twice(float(i)) for i in range(10)) < 0, "a sum")

    shown = facts(told(many, twice=twice))["called"].splitlines()
    assert shown[0] == "twice(0.0) gave 0.0"
    assert shown[-1] == "and 7 more calls"

    def none(check: exercise) -> None:
        yours.twice(0.5), yours.twice(1.5)
        check.equal(1, 1, "right")
        check.equal(1, 2, "a value that no call gave")

    assert list(facts(told(none, twice=twice))) == ["compared", "expected", "because"]


def test_of_a_none_it_is_not_said_which_of_several_calls_gave_it() -> None:
    def body(check: exercise) -> None:
        first, _ = yours.f(0.0), yours.f(2.5)
        check.close(first, 1.0, "one")

    assert facts(told(body, f=lambda x: x or None))["called"] == "f(0.0) gave None\nf(2.5) gave 2.5"

    def last(check: exercise) -> None:
        yours.f(2.5)
        check.close(yours.f(0.0), 1.0, "one")

    assert facts(told(last, f=lambda x: x or None))["called"] == "f(0.0)"


def test_two_numbers_that_differ_look_different() -> None:
    rows = facts(told(lambda check: check.close(yours.f(), 3.908434, "a sum"), f=lambda: 3.908433))
    assert (rows["returned"], rows["expected"]) == ("3.908433", "3.908434")
    array = [1.0, 2.00001]
    rows = facts(told(lambda check: check.close(yours.f(), [1.0, 2.00002], "two"), f=lambda: array))
    assert (rows["returned"], rows["expected"]) == ("[1.0, 2.00001]", "[1.0, 2.00002]")


def test_the_check_s_own_data_are_out_of_the_answer_s_reach() -> None:
    data = [1.0, 2.0]
    with (
        use_session(Session(LocalBoundary({"clear": lambda xs: xs.clear()}), quiet=True)),
        exercise("it") as check,
    ):
        check.close(probes.yours.clear(data), None, "nothing")
    assert data == [1.0, 2.0]


def test_equal_allows_no_rounding_and_close_does() -> None:
    with use_session(Session(LocalBoundary({}), quiet=True)), exercise("it") as check:
        check.close(0.1 + 0.2, 0.3, "rounded")
    assert told(lambda check: check.equal(0.1 + 0.2, 0.3, "exact")).headline == "not right yet"


def test_a_property_that_does_not_hold_is_told_with_its_reason() -> None:
    failure = told(lambda check: check.true(False, "the loss falls"))
    assert ("because", "the loss falls") in failure.rows


def test_same_as_compares_with_the_reference_on_random_arguments() -> None:
    from autograder import number

    def body(check: exercise) -> None:
        check.same_as(lambda a, b: a * b, probes.yours.f, number(), number(), why="the product", cases=5)

    with (
        use_session(Session(LocalBoundary({"f": lambda a, b: b * a}), quiet=True)) as session,
        exercise("it") as check,
    ):
        body(check)
    assert session.checks_made == 5
    assert told(body, f=lambda a, b: a + b).status == "failed"


def test_the_cases_depend_on_the_seed_and_on_the_exercise_alone() -> None:
    from autograder import number

    def draw(seed: int, name: str) -> list[tuple[float, ...]]:
        with use_session(Session(LocalBoundary({}), seed=seed)):
            return list(exercise(name).cases(3, number()))

    assert draw(1, "a") == draw(1, "a")
    assert draw(1, "a") != draw(2, "a")
    assert draw(1, "a") != draw(1, "b")


def test_each_value_that_can_be_counted_is_drawn_whatever_the_seed() -> None:
    from autograder import integer, number, one_of

    for seed in range(50):
        with use_session(Session(LocalBoundary({}), seed=seed)):
            some = list(exercise("a").cases(7, one_of("abc"), integer(2, 8), integer(0, 99), number()))
        letters, small, large, reals = zip(*some, strict=True)
        assert set(letters) == set("abc")
        assert set(small) == set(range(2, 9))
        assert len(large) == len(set(reals)) == 7


def test_numbers_that_are_drawn_together_have_every_combination_of_signs_whatever_the_seed() -> None:
    from autograder import number, one_of, positive

    for seed in range(50):
        with use_session(Session(LocalBoundary({}), seed=seed)):
            check = exercise("a")
            some = list(check.cases(9, number(), one_of("ab"), number(-0.5, 2.0), positive(), number()))
            few = list(check.cases(3, number(), number()))
        assert len({(a > 0, b > 0, c > 0) for a, _, b, _, c in some}) == 8
        assert all(-0.5 <= b <= 2.0 and one > 0 for _, _, b, one, _ in some)
        assert len({(a > 0, b > 0) for a, b in few}) == 3  # as many as there is room for
    first = set()
    for seed in range(50):
        with use_session(Session(LocalBoundary({}), seed=seed)):
            first |= {(a > 0, b > 0) for a, b in exercise("a").cases(1, number(), number())}
    assert len(first) == 4  # no sign is the first one's own
    last = set()
    for seed in range(50):
        with use_session(Session(LocalBoundary({}), seed=seed)):
            signs = [(a > 0, b > 0) for a, b in exercise("a").cases(6, number(), number())]
        last.add(len(set(signs[:4])) == 4)
    assert last == {True, False}  # what the first four were does not say which comes next


def test_a_block_without_a_check_is_a_fault_of_the_test() -> None:
    with (
        use_session(Session(LocalBoundary({}))),
        pytest.raises(TestFault, match="makes no check"),
        exercise("it"),
    ):
        pass


@pytest.mark.parametrize(
    "error", [AnswerTimeout("late"), AnswerLost("gone"), KeyboardInterrupt(), TestFault("x")]
)
def test_losses_and_interrupts_pass_through(error: BaseException) -> None:
    with use_session(Session(LocalBoundary({}), quiet=True)), pytest.raises(type(error)), exercise("it"):
        raise error


class Unprintable(Exception):
    def __str__(self) -> str:
        raise ValueError


def test_an_exception_that_cannot_be_told_is_told_by_its_name() -> None:
    def f() -> None:
        raise Unprintable

    failure = told(lambda check: check.close(probes.yours.f(), 1.0, "one"), f=f)
    assert ("raised", "Unprintable") in failure.rows


@pytest.mark.parametrize(
    "failure",
    [
        Failure("x", "failed", "h"),
        Failure("", "", "", [("", "")], "", ""),
        Failure("x\n", "error", "h\x1b", [("called", "a\nb")], "d", "n"),
    ],
)
def test_a_failure_always_renders_as_a_list_of_lines(failure: Failure) -> None:
    error = CheckFailed(failure)
    lines = error._render_traceback_()
    assert isinstance(lines, list)
    assert all(isinstance(line, str) for line in lines)
    assert str(error) == failure.text()


#: What raises each exception that has a sentence, in the order of the sentences.
RAISED = (
    "def f(): return f()\nf()",
    "n = 3\nn(2)",
    "None + 1",
    "(lambda a: a)()",
    "import numpy; len(numpy.array(1.0))",
    "import numpy; numpy.ones((2, 3)).sum(axis=0).sum(axis=1)",
    "1.5 ^ 2",
    "[] - ()",
    "(lambda: 1).backward()",
    "(1.5).backward()",
    "undefined",
    "compile('f-string: nonsense', '', 'exec')",
    "import no_such_module_anywhere",
    "def f():\n    x += 1\nf()",
    "0.0 ** -1",
    "import math; math.exp(1000)",
)


@pytest.mark.parametrize(("code", "explained"), list(zip(RAISED, EXPLAINED, strict=True)))
def test_the_exceptions_that_learners_meet_have_a_sentence(
    code: str, explained: tuple[str, str, str]
) -> None:
    kind, _, sentence = explained
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - which one it is, is asked below
        exec(code, {})
    message = str(caught.value)
    if kind == "SyntaxError":  # of Python before 3.12, whose words these are
        message = "f-string: unmatched '('"
    assert explain_exception(AnswerError(type(caught.value).__name__, message)) == sentence
    assert type(caught.value).__name__ == kind
    assert sentence.endswith((".", "?"))


def test_a_method_of_its_own_kind_is_not_said_to_be_a_function() -> None:
    for text in ("'float' object has no attribute 'sqrt'", "'Tensor' object has no attribute 'backwards'"):
        assert explain_exception(AnswerError("AttributeError", text)) == ""


def test_an_unknown_exception_gets_no_guess() -> None:
    assert explain_exception(AnswerError("Odd", "text")) == ""


def test_an_endless_answer_is_ended_in_the_notebook_too(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from autograder.lesson.probes import LocalBoundary

    def endless() -> None:
        while True:
            try:
                pass
            except Exception:  # a student's, which must not hold the end of time
                continue

    monkeypatch.setattr(LocalBoundary, "SECONDS", 0.3)
    monkeypatch.setattr(sys.modules["__main__"], "endless", endless, raising=False)
    with (
        pytest.raises(CheckFailed, match=r"endless did not end within 0\.3 s") as caught,
        exercise("endless") as check,
    ):
        check.equal(yours.endless(), 1, "it ends")
    assert "does not come to its end" in str(caught.value)
    assert caught.value.failure.status == "timeout"


def test_of_several_functions_the_one_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    def second() -> None:
        raise NotImplementedError("your answer goes here")

    monkeypatch.setattr(sys.modules["__main__"], "second", second, raising=False)
    with pytest.raises(CheckFailed, match="both: not written yet: `second`"), exercise("both") as check:
        check.equal(yours.second(), 1, "it is there")


def test_a_missing_function_is_named_behind_a_probe_too(cell: Cell) -> None:
    cell('def second():\n    raise NotImplementedError("your answer goes here")')
    text = cell(
        "@probe\ndef both_called():\n    return second()\n\n"
        'with exercise("both") as check:\n    check.equal(both_called(), 1, "it is there")'
    )
    assert bare(text)[0] == "✗ both: not written yet: `second`"


def test_a_class_or_a_method_that_is_missing_is_named(cell: Cell) -> None:
    stub = 'raise NotImplementedError("your answer goes here")'
    cell(f"class Net:\n    def __init__(self, size):\n        {stub}\n\n    def step(self):\n        {stub}")
    for call, named in (("Net(3)", "Net`, `Net.step"), ("Net.step(None)", "Net.step`, `Net")):
        text = cell(
            f"@probe\ndef trained():\n    return {call}\n\n"
            'with exercise("network") as check:\n    check.equal(trained(), 1, "it is there")'
        )
        assert bare(text)[0] == f"✗ network: not written yet: `{named}`"


def test_all_functions_of_a_cell_that_are_not_written_are_named_and_no_others(cell: Cell) -> None:
    stub = 'raise NotImplementedError("your answer goes here")'
    source = f"""
class Box:
    def __init__(self, value):
        self.value = value

    def add(self, other):
        if other:
            {stub}

    def mul(self, other):
        total = 1 + 1
        {stub}

    def neg(self):
        raise NotImplementedError("only for numbers")


def outer():
    def inner():
        {stub}

    return inner()
"""
    boxes = (
        "@probe\ndef boxed():\n    return Box(1).{call}(2)\n\n"
        'with exercise("boxes") as check:\n    check.equal(boxed(), 1, "it is there")'
    )
    cell(source)
    text = cell(boxes.format(call="mul"))
    assert bare(text)[0] == "✗ boxes: not written yet: `Box.mul`, `Box.add`, `inner`"
    cell(source.replace(f"total = 1 + 1\n        {stub}", "return 2"))
    text = cell(boxes.format(call="add"))
    assert bare(text)[0] == "✗ boxes: not written yet: `Box.add`, `inner`"


def test_what_a_learner_s_own_stub_says_is_not_its_name(cell: Cell) -> None:
    cell('def second():\n    raise NotImplementedError("todo")')
    text = cell('with exercise("both") as check:\n    check.equal(yours.second(), 1, "it is there")')
    assert bare(text)[0] == "✗ both: not written yet: `second`"


@pytest.mark.parametrize(("said", "named"), [("throw", ": `throw`"), ("a sentence", "")])
def test_a_probe_that_finds_nothing_written_says_what_it_looked_for(
    cell: Cell, said: str, named: str
) -> None:
    text = cell(
        f"@probe\ndef chosen():\n    raise NotImplementedError({said!r})\n\n"
        'with exercise("project") as check:\n    check.equal(chosen(), 1, "it is there")'
    )
    assert bare(text)[0] == f"✗ project: not written yet{named}"


# -- the reason of a check whose answer raised --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("block", "because"),
    [
        ('check.close(yours.f(0.0), 1.0, "the first")', "the first"),
        (
            'check.close(\n    yours.f(0.0),\n    (1.0,\n 2.0),\n    "over "\n    "lines",\n    rtol=1e-6,\n)',
            "over lines",
        ),
        ('check.equal([yours.f(x) for x in (1.0, 0.0)], [1, 1], why="a keyword")', "a keyword"),
        ('check.true(yours.f(0.0) > 0, "a property")', "a property"),
        ('for x in (1.0, 0.0):\n    check.close(yours.f(x), 1.0, f"at x = {x}")', "at x = 0.0"),
        ('check.same_as(lambda x: x, yours.f, one_of([0.0]), why="as the reference")', "as the reference"),
        ('y = yours.f(0.0)\nz = 1\ncheck.close(z, 1, "another")\ncheck.close(y, 1.0, "used later")', "used later"),
        ('if True:\n    a, b = yours.f(0.0)\n    check.close(b, 1.0, "half of it")', "half of it"),
        ('y = yours.f(0.0)\ncheck.close(y, 1.0, f"not known yet: {y}")', ""),
        ('check.close(yours.f(0.0), 1.0, "so " + str(yours.f(0.0)))', ""),
        ('check.close(yours.f(0.0), 1.0)', ""),
        ('yours.f(0.0)\ncheck.close(1, 1, "has nothing to do with it")', ""),
        ('for x in (1.0, 0.0):\n    y = yours.f(x)\n    how = f"x = {x}"\n    check.close(y, y, how)', ""),
    ],
)  # fmt: skip
def test_an_answer_that_raises_is_told_the_reason_of_the_check_too(
    block: str, because: str, cell: Cell
) -> None:
    cell("from autograder import one_of\ndef f(x):\n    return 1 / x")
    lines = bare(cell(f'with exercise("f") as check:\n{textwrap.indent(block, "    ")}'))
    assert lines[0] == "✗ f: your code raised ZeroDivisionError"
    told = [line for line in lines if line.startswith("  because")]
    assert told == ([f"  because   {because}"] if because else [])


def test_a_name_that_only_the_check_needs_asks_for_the_cells_above(cell: Cell) -> None:
    cell("def f(x):\n    return x")
    probed = """
        @probe
        def boxed(values):
            return [f(Box(v)) for v in values]
        with exercise("f") as check:
            check.close(boxed([1.0]), [1.0], "one")
    """
    named = 'with exercise("f") as check:\n    check.close(yours.f(SIZE), 1.0, "one")'
    later = 'with exercise("f") as check:\n    yours.f(1.0)\n    check.close(yours.f(SIZE), 1.0, "one")'
    for source, name in ((probed, "Box"), (named, "SIZE"), (later, "SIZE")):
        assert bare(cell(source)) == [
            f"✗ f: there is no `{name}` in this kernel yet",
            "  next      run all cells above, then this one again: a kernel that was restarted has forgotten them",
        ]


def test_a_misspelt_name_in_an_answer_is_the_answer_s(cell: Cell) -> None:
    cell("def f(x):\n    return y")
    source = """
        @probe
        def called(x):
            return f(x)
        with exercise("f") as check:
            check.close(called(1.0), 1.0, "one")
    """
    lines = bare(cell(source))
    assert lines[0] == "✗ f: your code raised NameError"
    assert "  at        line 2: return y" in lines
    assert "  because   one" in lines


@pytest.mark.parametrize("argument", [abs, lambda x: x, [1.0, abs], (abs,), {"f": abs}, float, yours.other])
def test_an_author_who_sends_a_function_to_an_answer_is_told_to_make_it_in_a_probe(argument: object) -> None:
    """The answer would get a shell that cannot be called, and its student would be told of a TypeError of theirs."""
    boundary = LocalBoundary({"area": lambda f: f(1.0)})
    with (
        use_session(Session(boundary)),
        pytest.raises(TestFault, match=r"`area` is called with a function.* probe"),
        exercise("area") as check,
    ):
        check.close(yours.area(argument), 1.0, "its value at 1")


def test_what_an_answer_gave_goes_back_to_it_whatever_it_is() -> None:
    boundary = LocalBoundary({"make": lambda: abs, "same": lambda value: value is not None})
    with use_session(Session(boundary)):
        assert yours.same(yours.make()) and yours.same([[1.0], {"a": (2, "b")}, None])


@pytest.mark.parametrize(("minus", "told"), [("", True), (" - 1e9 * np.arange(1.0, 4)", False)])
def test_zeros_that_the_check_has_made_of_an_answer_are_not_said_to_be_the_answer_s(
    minus: str, told: bool, cell: Cell
) -> None:
    """As where a large part is taken off, and single precision has kept nothing of the small one."""
    cell("import numpy as np\ndef f(x):\n    return " + ("0 * x" if told else "1e9 * x"))
    shown = cell(
        f"""
        with exercise("f") as check:
            got = yours.f(np.arange(1.0, 4)){minus}
            check.close(got, np.array([1.0, 2.0, 3.0]), "x")
        """
    )
    assert "not right yet" in shown and ("Every number is zero" in shown) is told, shown
