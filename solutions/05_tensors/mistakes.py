"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 05_tensors`) and they diagnose: a student's answer that behaves like one of
these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the functions
use (np, Tensor, tanh) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import changed, right, wrong

# -- broadcast_shape --------------------------------------------------------------------------------------------------


FILLED_UP = """
def broadcast_shape(a, b):
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    if any(m != n and 1 not in (m, n) for m, n in zip(a, b)):
        raise ValueError("no fit")
    return tuple(max(m, n) for m, n in zip(a, b))
"""
PAIR_BY_PAIR = """
def broadcast_shape(a, b):
    rank = max(len(a), len(b))
    shape = []
    for m, n in zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b):
        if m != n and 1 not in (m, n):
            raise ValueError("no fit")
        shape.append(n if m == 1 else m)
    return tuple(shape)
"""


def broadcast(name, sentence, *changes, source=FILLED_UP):
    """A wrong broadcast_shape: with some of its text replaced."""
    wrong("broadcast_shape", name, sentence, source=changed(source, *changes))


@wrong(
    "broadcast_shape",
    "aligned_left",
    "(2, 3) and (3,) do fit: shapes are aligned at the right, so 3 meets 3. Are yours aligned at the left (missing axes are at the front), or are equal lengths refused?",
)
def broadcast_shape(a, b):
    rank = max(len(a), len(b))
    shape = []
    for m, n in zip(a + (1,) * (rank - len(a)), b + (1,) * (rank - len(b))):
        if m != n and 1 not in (m, n):
            raise ValueError("no fit")
        shape.append(max(m, n))
    return tuple(shape)


@wrong(
    "broadcast_shape",
    "extra_axes_lost",
    "The axes that only the longer shape has are lost, as when `zip` stops at the end of the shorter one.",
)
def broadcast_shape(a, b):
    shape = []
    for m, n in zip(a[::-1], b[::-1]):
        if m != n and 1 not in (m, n):
            raise ValueError("no fit")
        shape.append(max(m, n))
    return tuple(shape[::-1])


@wrong(
    "broadcast_shape",
    "never_raises",
    "2 meets 3 here, and you take one of them, as the larger. If two lengths differ and none of them is 1, they do not fit: raise a ValueError.",
)
def broadcast_shape(a, b):
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    return tuple(max(m, n) for m, n in zip(a, b))


@wrong(
    "broadcast_shape",
    "longer_wins",
    "Here one of the two shapes comes back. (3, 1) and (1, 4) make (3, 4), which is neither: in each place the 1 gives way, in either shape.",
)
def broadcast_shape(a, b):
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    for m, n in zip(longer[::-1], shorter[::-1]):
        if m != n and 1 not in (m, n):
            raise ValueError("no fit")
    return longer


@wrong(
    "broadcast_shape",
    "one_side_only",
    "(3, 1) and (1, 4) are refused here, as when only the second shape may be stretched. Either of the two may have the 1.",
)
def broadcast_shape(a, b):
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    for m, n in zip(a, b):
        if m != n and n != 1:
            raise ValueError("no fit")
    return a


@wrong(
    "broadcast_shape",
    "left_reversed",
    "You went from right to left, and the result still stands in that order. Turn it around.",
)
def broadcast_shape(a, b):
    rank = max(len(a), len(b))
    shape = []
    for i in range(1, rank + 1):
        m = a[-i] if i <= len(a) else 1
        n = b[-i] if i <= len(b) else 1
        if m != n and 1 not in (m, n):
            raise ValueError("no fit")
        shape.append(max(m, n))
    return tuple(shape)


broadcast(
    "returns_none",
    "Shapes that do not fit are an error here: raise a ValueError, do not return something else.",
    ('raise ValueError("no fit")', "return None"),
)
broadcast(
    "multiples_fit",
    "2 goes through with 4 here, as when a length fits that divides the other. Only a length of 1 is stretched.",
    ("m != n and 1 not in (m, n)", "m % n and n % m"),
)
broadcast(
    "or_for_and",
    "(4, 2, 3) and (1,) are refused here, and they fit. Shapes may have different numbers of axes, and lengths may differ where one of them is 1. Raise where they differ *and* none is 1.",
    ("m != n and", "m != n or"),
)
broadcast(
    "zip_forgotten",
    "Two names get more than two things. If your loop goes over `(a, b)`: that gives one whole shape after the other, and `zip(a, b)` gives pairs of lengths.",
    ("zip(a, b)", "(a, b)"),
)
broadcast(
    "text_for_an_error",
    "A text is returned. Raise the error: `raise ValueError(...)`, and nothing is returned.",
    ('raise ValueError("no fit")', 'return "ValueError"'),
)
broadcast(
    "text_as_it_is_expected",
    "A text is returned. Raise the error: `raise ValueError(...)`, and nothing is returned.",
    ('raise ValueError("no fit")', 'return "raises ValueError"'),
)
broadcast(
    "four_axes_at_most",
    "Shapes with five axes go wrong here, as when both are filled up to a fixed number of axes, and one has more. Fill up to the longer of the two.",
    ("(rank -", "(4 -"), ("tuple(shape)", "tuple(shape[4 - rank :])"), source=PAIR_BY_PAIR,
)


@right("broadcast_shape", "from_the_right")
def broadcast_shape(a, b):
    from itertools import zip_longest

    shape = ()
    for m, n in zip_longest(reversed(a), reversed(b), fillvalue=1):
        if m == 1:
            m, n = n, m
        if n not in (1, m):
            raise ValueError(f"{m} does not fit {n}")
        shape = (m, *shape)
    return shape


@right("broadcast_shape", "numpy_does_it")
def broadcast_shape(a, b):
    return (np.empty(a) + np.empty(b)).shape


@wrong(
    "broadcast_shape",
    "last_two_axes",
    "An axis in front is not compared here, as when only the last two are: each axis has to fit.",
)
def broadcast_shape(a, b):
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    for m, n in zip(a[-2:], b[-2:]):
        if m != n and m != 1 and n != 1:
            raise ValueError("the shapes do not fit")
    return tuple(max(m, n) for m, n in zip(a, b))


broadcast(
    "first_axis_only",
    "Only the first axis is in what comes back, as when `return` stands inside the loop: it ends at the first pair.",
    ("    return", "        return"), source=PAIR_BY_PAIR,
)
broadcast(
    "one_axis_at_least",
    "Two shapes without axes give one with an axis here. () is a shape: that of a single number, and of the sum of two.",
    ("tuple(shape)", "tuple(shape) or (1,)"), source=PAIR_BY_PAIR,
)


@right("broadcast_shape", "a_list")
def broadcast_shape(a, b):
    from itertools import zip_longest

    shape = []
    for m, n in zip_longest(reversed(a), reversed(b), fillvalue=1):
        if m == 1:
            m, n = n, m
        if n not in (1, m):
            raise ValueError(f"{m} does not fit {n}")
        shape.insert(0, m)
    return shape


wrong("broadcast_shape", "the_same_object", "1000 does not fit 1000 here, as where lengths are compared with `is`: that asks whether two are one object, and equal ints above 256 need not be. Compare with `!=`.",
      source=changed(FILLED_UP, ("m != n and", "m is not n and")))


@wrong("broadcast_shape", "minus_zero_in_a_slice", "Beside a shape without axes all axes of the other one are lost, as by a slice such as `longer[:-k]` where k is 0: `[:-0]` is `[:0]`, and empty.")
def broadcast_shape(a, b):
    k = min(len(a), len(b))
    longer = a if len(a) > len(b) else b
    out = list(longer[:-k])
    for i in range(-k, 0):
        if a[i] != b[i] and 1 not in (a[i], b[i]):
            raise ValueError("lengths differ, and none is 1")
        out.append(b[i] if a[i] == 1 else a[i])
    return tuple(out)


@wrong("broadcast_shape", "goes_into_a", "A length of b that goes into that of a counts as fitting here. Only a 1 is stretched: 4 and 2 do not fit.")
def broadcast_shape(a, b):
    rank = max(len(a), len(b))
    a = (1,) * (rank - len(a)) + tuple(a)
    b = (1,) * (rank - len(b)) + tuple(b)
    out = []
    for m, n in zip(a, b):
        if m == 1:
            out.append(n)
        elif m % n == 0:
            out.append(m)
        else:
            raise ValueError(f"{n} does not go into {m}")
    return tuple(out)


@wrong("broadcast_shape", "asserts", "These shapes are refused, as they should be, but by an `assert`, which raises an AssertionError. A ValueError is asked for: raise one.")
def broadcast_shape(a, b):
    rank = max(len(a), len(b))
    a = (1,) * (rank - len(a)) + tuple(a)
    b = (1,) * (rank - len(b)) + tuple(b)
    assert all(m == n or 1 in (m, n) for m, n in zip(a, b)), f"{a} and {b} do not fit"
    return tuple(max(m, n) for m, n in zip(a, b))


# -- unbroadcast ------------------------------------------------------------------------------------------------------


@wrong(
    "unbroadcast",
    "no_keepdims",
    "Where shape has a 1, the summed axis is gone. It has to stay, with length 1.",
)
def unbroadcast(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1))


@wrong(
    "unbroadcast",
    "new_axes_only",
    "You sum the axes that shape does not have, but not those where it has a 1: they were stretched as well.",
)
def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    return g


@wrong(
    "unbroadcast",
    "ones_only",
    "g has an axis here that shape does not have at all, and it is not added up. Such axes go, and those where shape has a 1 stay with length 1.",
)
def unbroadcast(g, shape):
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


@wrong(
    "unbroadcast",
    "from_the_back",
    "You remove the extra axes at the back. Shapes are aligned at the right, so the extra axes are at the front.",
)
def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=-1)
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


@wrong(
    "unbroadcast",
    "counted_too_early",
    "You look for the ones at positions of shape while g still has its extra axes in front: then axis 1 of shape is not axis 1 of g.",
)
def unbroadcast(g, shape):
    g = g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    return g


@wrong(
    "unbroadcast",
    "average",
    "You took the mean. A number that is used three times gets three contributions, added up.",
)
def unbroadcast(g, shape):
    g = g.mean(axis=tuple(range(g.ndim - len(shape))))
    return g.mean(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


@wrong(
    "unbroadcast",
    "first_copy_only",
    "You took the gradient of one copy and dropped those of the others. They add up.",
)
def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g[0]
    for i, n in enumerate(shape):
        if n == 1:
            g = g.take([0], axis=i)
    return g


@wrong(
    "unbroadcast",
    "float64",
    "The numbers are right, but not in the dtype of g: np.zeros makes float64, `.item()` a Python float. Float32 has to stay float32.",
)
def unbroadcast(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return np.zeros(shape) + g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


@wrong(
    "unbroadcast",
    "everything",
    "You added up all of g. Only the axes that broadcasting stretched are to be summed.",
)
def unbroadcast(g, shape):
    return g.sum().reshape((1,) * len(shape))


for name, which, how in (
    ("axis_0_always", "axis 0", "axis=0"),
    ("last_axis_always", "the last axis", "axis=-1"),
    ("axis_0_kept", "axis 0", "axis=0, keepdims=True"),
):
    wrong(
        "unbroadcast",
        name,
        f"Here {which} is added up, and nothing was stretched. `shape` says which axes are: those that it does not have, and those where it has a 1.",
        source=f"def unbroadcast(g, shape):\n    return g.sum({how})",
    )


@wrong("unbroadcast", "a_range", "`axis` takes an int or a tuple of ints, and here it got something else, such as a range or a list: `tuple(...)` makes a tuple of it.")
def unbroadcast(g, shape):
    g = g.sum(axis=range(g.ndim - len(shape)))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


@wrong("unbroadcast", "a_list", "`axis` takes an int or a tuple of ints, and here it got something else, such as a range or a list: `tuple(...)` makes a tuple of it.")
def unbroadcast(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=[i for i, n in enumerate(shape) if n == 1], keepdims=True)


@wrong(
    "unbroadcast",
    "four_axes_at_most",
    "With so many axes it goes wrong here, as when the shape is filled up to a fixed number of them. Fill up to the axes of g.",
)
def unbroadcast(g, shape):
    wide = g[(None,) * (4 - g.ndim)]
    filled = (1,) * (4 - len(shape)) + shape
    ones = tuple(i for i, n in enumerate(filled) if n == 1)
    return wide.sum(axis=ones, keepdims=True).reshape(shape)


@right("unbroadcast", "one_axis_at_a_time")
def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(0)
    for axis in range(g.ndim):
        if g.shape[axis] != shape[axis]:
            g = g.sum(axis, keepdims=True)
    return g


@right("unbroadcast", "shape_filled_up")
def unbroadcast(g, shape):
    filled = (1,) * (g.ndim - len(shape)) + tuple(shape)
    axes = tuple(i for i in range(g.ndim) if filled[i] == 1)
    return g.sum(axis=axes, keepdims=True).reshape(shape)


@right("unbroadcast", "number_by_number")
def unbroadcast(g, shape):
    out = np.zeros(shape, dtype=g.dtype)
    for index in np.ndindex(g.shape):
        tail = index[len(index) - len(shape) :]
        place = tuple(0 if n == 1 else i for i, n in zip(tail, shape))
        out[place] += g[index]
    return out


@wrong(
    "unbroadcast",
    "float32_always",
    "The result loses digits here, as one does that is always made float32: g is float64. It takes the dtype of g, as a sum does by itself.",
)
def unbroadcast(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True).astype("float32")


@wrong(
    "unbroadcast",
    "two_dtypes",
    "A float16 comes back in another dtype, as when only float32 is asked for. The result takes the dtype of g, as a sum does by itself.",
)
def unbroadcast(g, shape):
    dtype = "float32" if g.dtype == "float32" else "float64"
    g = g.sum(axis=tuple(range(g.ndim - len(shape))), dtype=dtype)
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True, dtype=dtype)


@wrong(
    "unbroadcast",
    "first_1_only",
    "Only one of the two axes is added up here. shape has a 1 at both: each of them was stretched.",
)
def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    if 1 in shape:
        g = g.sum(axis=shape.index(1), keepdims=True)
    return g


@wrong(
    "unbroadcast",
    "ones_not_moved",
    "From (2, 3, 4) to (3, 1) the first axis goes and the last is added up. Here other axes were: where g has more axes than shape, a position in shape stands further back in g.",
)
def unbroadcast(g, shape):
    extra = tuple(range(g.ndim - len(shape)))
    ones = tuple(i for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=tuple({*extra, *ones})).reshape(shape)


@wrong(
    "unbroadcast",
    "grouped_as_they_are_stored",
    "The numbers are grouped as they are stored, as `reshape` does it. That is right for axes in front, and not for a 1 at the back: add up along the axes themselves.",
)
def unbroadcast(g, shape):
    return g.reshape((-1, *shape)).sum(axis=0)


@wrong(
    "unbroadcast",
    "axes_move_up",
    "An axis that is summed is gone here, and those behind it move up: the next position is that of another axis. Keep it, with length 1.",
)
def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for i, n in enumerate(shape):
        if n == 1:
            g = g.sum(axis=i)
    return g.reshape(shape)


@wrong(
    "unbroadcast",
    "first_of_a_kept_axis",
    "Where shape has a 1, one number of the axis is kept here and the others are dropped. They add up.",
)
def unbroadcast(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    for i, n in enumerate(shape):
        if n == 1:
            g = g.take([0], axis=i)
    return g


wrong(
    "unbroadcast",
    "lengths_that_do_not_occur",
    "An axis is added up here where its length occurs nowhere in the shape. Compare each axis with its partner from the right: a 1 may stand beside a 3 that is there as well.",
    source="""
def unbroadcast(g, shape):
    stretched = tuple(i for i, n in enumerate(g.shape) if n not in shape)
    return g.sum(axis=stretched).reshape(shape)
""",
)


# -- array_arithmetic -------------------------------------------------------------------------------------------------


@wrong(
    "array_arithmetic",
    "mul_own_input",
    "In mul_rule a gets g * a, and b gets g * b. The slope of a * b by a is the *other* factor. Are the two exchanged?",
)
def mul_rule(g, out, a, b):
    return g * a, g * b


@wrong(
    "array_arithmetic",
    "mul_by_division",
    "`out / a` is b only where a is not 0: at 0 it is 0 / 0. Take the other factor itself.",
)
def mul_rule(g, out, a, b):
    return g * out / a, g * out / b


@wrong(
    "array_arithmetic",
    "mul_matrix_product",
    "In mul_rule the products are summed up, as `@` does it. Each number of a has a gradient of its own: `*`, no sum.",
)
def mul_rule(g, out, a, b):
    return g @ b, g @ a


@wrong(
    "array_arithmetic",
    "mul_in_place",
    "mul_rule writes into g, as `g *= b` does, and g belongs to others. Write `g * b`: that is a new array.",
)
def mul_rule(g, out, a, b):
    for_b = g * a
    g *= b
    return g, for_b


@wrong(
    "array_arithmetic",
    "div_sign",
    "In div_rule, b has lost its minus: when b rises, a / b falls (for positive a and b).",
)
def div_rule(g, out, a, b):
    return g / b, g * a / b**2


@wrong(
    "array_arithmetic",
    "div_no_square",
    "In div_rule the slope by b is -a / b**2, and here the square is missing.",
)
def div_rule(g, out, a, b):
    return g / b, -g * a / b


@wrong(
    "array_arithmetic",
    "div_like_mul",
    "div_rule multiplies where it should divide: when a rises by 1, a / b rises by 1 / b.",
)
def div_rule(g, out, a, b):
    return g * b, -g * a / b**2


@wrong("array_arithmetic", "mul_no_upstream", "mul_rule sends back the slopes b and a. The chain rule multiplies each by g.")
def mul_rule(g, out, a, b):
    return b * np.ones_like(g), a * np.ones_like(g)


@wrong("array_arithmetic", "div_in_place", "div_rule writes into g, as `g /= b` does, and g belongs to others. `g / b` is a new array.")
def div_rule(g, out, a, b):
    for_b = -g * a / b**2
    g /= b
    return g, for_b


@wrong("array_arithmetic", "one_array", "mul_rule returns one array. There are two inputs: return a tuple of two.")
def mul_rule(g, out, a, b):
    return g * b


@wrong(
    "array_arithmetic",
    "mul_in_place_used",
    "In mul_rule, what b gets has b as a factor, too. Did `g *= b` come before it? Then g is no longer what arrived: write `g * b`.",
)
def mul_rule(g, out, a, b):
    g *= b
    return g, g * a


@wrong(
    "array_arithmetic",
    "div_in_place_used",
    "In div_rule, what b gets is divided by b once too often. Did `g /= b` come before it? Then g is no longer what arrived: write `g / b`.",
)
def div_rule(g, out, a, b):
    g /= b
    return g, -g * a / b**2


right(
    "array_arithmetic",
    "written_out",
    source="""
    def mul_rule(g, out, a, b):
        for_a = np.multiply(b, g)
        for_b = np.multiply(a, g)
        return [for_a, for_b]


    def div_rule(g, out, a, b):
        return g / b, -g * out / b
    """,
)
right(
    "array_arithmetic",
    "brought_back_already",
    source="""
    def shrink(g, shape):
        while g.ndim > len(shape):
            g = g.sum(axis=0)
        for axis, n in enumerate(shape):
            if n == 1:
                g = g.sum(axis=axis, keepdims=True)
        return np.asarray(g)


    def mul_rule(g, out, a, b):
        return shrink(g * b, a.shape), shrink(g * a, b.shape)


    def div_rule(g, out, a, b):
        return shrink(g / b, a.shape), shrink(-(g / b) * (a / b), b.shape)
    """,
)
right(
    "array_arithmetic",
    "number_by_number",
    source="""
    def mul_rule(g, out, a, b):
        a, b = np.broadcast_arrays(a, b)
        g = np.broadcast_to(g, a.shape)
        for_a, for_b = np.zeros(a.shape, a.dtype), np.zeros(a.shape, b.dtype)
        for place in np.ndindex(a.shape):
            for_a[place] = g[place] * b[place]
            for_b[place] = g[place] * a[place]
        return for_a, for_b
    """,
)


wrong(
    "array_arithmetic",
    "mul_by_ratios",
    "`out / a` is b only where a is not 0: at 0 it is 0 / 0. Take the other factor itself.",
    source="""
    def mul_rule(g, out, a, b):
        return g * (out / a), g * (out / b)


    def div_rule(g, out, a, b):
        return g / b, -g * out / b
    """,
)
wrong(
    "array_arithmetic",
    "div_by_ratios",
    "`out / a` is 1 / b only where a is not 0: at 0 it is 0 / 0. In div_rule divide by b itself.",
    source="""
    def div_rule(g, out, a, b):
        one_over_b = out / a
        return g * one_over_b, -g * out * one_over_b
    """,
)


wrong(
    "array_arithmetic",
    "one_shape_only",
    "b is a single number here, and mul_rule breaks: the shapes of inputs may differ from that of g. `g * b` broadcasts by itself; leave the sums to the engine.",
    source="""
    def mul_rule(g, out, a, b):
        for_a, for_b = np.empty_like(a), np.empty_like(b)
        for_a[...] = g * b
        for_b[...] = g * a
        return for_a, for_b
    """,
)
wrong(
    "array_arithmetic",
    "one_shape_only_in_div",
    "b is a single number here, and div_rule breaks: the shapes of inputs may differ from that of g. `g / b` broadcasts by itself; leave the sums to the engine.",
    source="""
    def div_rule(g, out, a, b):
        for_a, for_b = np.empty_like(a), np.empty_like(b)
        for_a[...] = g / b
        for_b[...] = -g * a / b**2
        return for_a, for_b
    """,
)


@wrong(
    "array_arithmetic",
    "divides_and_multiplies",
    "In what b gets from a / b, nothing is divided in the end: `/ b * b` divides once, and then multiplies again. A product below the line needs parentheses.",
)
def div_rule(g, out, a, b):
    return g / b, -g * a / b * b


@wrong("array_arithmetic", "mul_a_no_upstream", "In mul_rule, what a gets is the slope b alone: g is missing there.")
def mul_rule(g, out, a, b):
    return b * np.ones_like(g), g * a


@wrong("array_arithmetic", "mul_b_no_upstream", "In mul_rule, what b gets is the slope a alone: g is missing there.")
def mul_rule(g, out, a, b):
    return g * b, a * np.ones_like(g)


@wrong("array_arithmetic", "div_a_no_upstream", "In div_rule, what a gets is the slope 1 / b alone: g is missing there.")
def div_rule(g, out, a, b):
    return 1 / b, -g * a / b**2


@wrong("array_arithmetic", "div_b_no_upstream", "In div_rule, what b gets is the slope alone: g is missing there.")
def div_rule(g, out, a, b):
    return g / b, -a / b**2


@wrong(
    "array_arithmetic",
    "div_by_out_over_a",
    "Where a is 0, `out / a` is 0 / 0: NaN. In div_rule divide by b itself.",
)
def div_rule(g, out, a, b):
    return g * out / a, -g * out / b


@wrong(
    "array_arithmetic",
    "nan_to_num",
    "What arrived as NaN is a number afterwards, as np.nan_to_num makes one: a fault would be hidden from everybody behind this rule.",
)
def mul_rule(g, out, a, b):
    return np.nan_to_num(g * b), np.nan_to_num(g * a)


# -- array_functions --------------------------------------------------------------------------------------------------


@wrong(
    "array_functions",
    "power_nan",
    "At n = 0 and a = 0 you compute 0 * 0**-1, which is 0 times infinity: NaN. Treat n = 0 before the formula.",
)
def power_rule(g, out, a, n):
    return (g * n * a ** (n - 1),)


@wrong(
    "array_functions",
    "power_divides",
    "A power divided by a, as `out / a`, is the next lower one, but not where a is 0. Write the power with its exponent.",
)
def power_rule(g, out, a, n):
    return (g * n * out / a,)


@wrong(
    "array_functions",
    "power_zero_passes_g",
    "At n = 0 you pass g on. a ** 0 is 1 everywhere: it is flat, and nothing passes.",
)
def power_rule(g, out, a, n):
    return (g if n == 0 else g * n * a ** (n - 1),)


@wrong(
    "array_functions",
    "power_same_exponent",
    "In power_rule the factor n is there, but the exponent has to go down by one.",
)
def power_rule(g, out, a, n):
    return (g * n * a**n,)


@wrong(
    "array_functions",
    "tanh_of_input",
    "tanh_rule squares the input a. The formula squares the value of tanh, which is out.",
)
def tanh_rule(g, out, a):
    return (g * (1 - a * a),)


@wrong(
    "array_functions",
    "tanh_no_upstream",
    "In tanh_rule the slope is right, and g is missing.",
)
def tanh_rule(g, out, a):
    return (1 - out * out,)


@wrong("array_functions", "tanh_in_place", "tanh_rule writes into g, as `g *= ...` does, and g belongs to others. A product with `*` is a new array.")
def tanh_rule(g, out, a):
    g *= 1 - out * out
    return (g,)


@wrong("array_functions", "tanh_of_out", "In tanh_rule, out is tanh(a) already. Taking np.tanh of it applies the function twice.")
def tanh_rule(g, out, a):
    return (g * (1 - np.tanh(out) ** 2),)


@wrong("array_functions", "power_in_place", "power_rule writes into g, as `g *= ...` does, and g belongs to others. A product with `*` is a new array.")
def power_rule(g, out, a, n):
    if n == 0:
        return (np.zeros_like(a),)
    g *= n * a ** (n - 1)
    return (g,)


@wrong("array_functions", "no_tuple", "tanh_rule returns an array. A rule returns a tuple, here a tuple of one: mind the comma in (x,).")
def tanh_rule(g, out, a):
    return g * (1 - out * out)


@wrong("array_functions", "power_no_tuple", "power_rule returns an array. A rule returns a tuple, here a tuple of one: mind the comma in (x,).")
def power_rule(g, out, a, n):
    return np.zeros_like(a) if n == 0 else g * n * a ** (n - 1)


@wrong(
    "array_functions",
    "power_zeros_float64",
    "At n = 0 the zeros are float64, as np.zeros makes them, and a is not. np.zeros_like(a) takes the dtype of a.",
)
def power_rule(g, out, a, n):
    if n == 0:
        return (np.zeros(a.shape),)
    return (g * n * a ** (n - 1),)


right(
    "array_functions",
    "from_the_input",
    source="""
    def tanh_rule(g, out, a):
        return (g - g * np.tanh(a) ** 2,)


    def power_rule(g, out, a, n):
        slope = n * a ** (n - 1) if n else 0 * a
        return [slope * g]
    """,
)
right(
    "array_functions",
    "with_a_guard",
    source="""
    def power_rule(g, out, a, n):
        if n:
            return (np.multiply(g, n) * np.power(a, n - 1),)
        return (np.zeros(a.shape, dtype=a.dtype),)
    """,
)


@wrong(
    "array_functions",
    "whole_exponent",
    "At n = -0.5 the slope is 0 here, as when n is rounded or cut off to 0 on the way. a ** n is flat at n = 0 alone, and n may be any number.",
)
def power_rule(g, out, a, n):
    n = int(n)
    if n == 0:
        return (np.zeros_like(a),)
    return (g * n * a ** (n - 1.0),)


@wrong(
    "array_functions",
    "flat_where_a_is_0",
    "At a = 0 the slope is 0 here, for n = 1 too, where it is 1. Only for n = 0 is it 0, whatever a is.",
)
def power_rule(g, out, a, n):
    safe = np.where(a == 0, 1, a)
    return (np.where(a == 0, 0, g * n * safe ** (n - 1.0)),)


@wrong(
    "array_functions",
    "int_zero_only",
    "At n = 0.0 and a = 0 NaN comes out, as when only the int 0 goes its own way. `n == 0` holds for 0.0 as well.",
)
def power_rule(g, out, a, n):
    if isinstance(n, int) and n == 0:
        return (np.zeros_like(a),)
    return (g * n * a ** (n - 1),)


@wrong(
    "array_functions",
    "zero_at_0",
    "At a = 0 the slope is 0 here, for n = 1 too, where it is 1. Only for n = 0 is it 0, whatever a is.",
)
def power_rule(g, out, a, n):
    with np.errstate(all="ignore"):
        return (np.where(a == 0, 0, g * n * a ** (n - 1)),)


@wrong(
    "array_functions",
    "one_zero",
    "At n = 0 one number comes back, and a has two: the cotangent has the shape of a. np.zeros_like(a) makes such zeros.",
)
def power_rule(g, out, a, n):
    if n == 0:
        return (0,)
    return (g * n * a ** (n - 1),)


@wrong(
    "array_functions",
    "a_loop_over_the_exponent",
    "For n = -1 no factor of a is in it, as with a loop over `range(n - 1)`: that does nothing for a negative n, and takes no 0.5. `**` takes any exponent.",
)
def power_rule(g, out, a, n):
    if n == 0:
        return (np.zeros_like(a),)
    slope = n * np.ones_like(a)
    for _ in range(n - 1):
        slope = slope * a
    return (g * slope,)


@wrong(
    "array_functions",
    "nan_to_num",
    "What arrived as NaN is a number afterwards, as np.nan_to_num makes one: a fault would be hidden from everybody behind this rule. Treat n = 0 before the formula, and no NaN comes up.",
)
def power_rule(g, out, a, n):
    return (np.nan_to_num(g * n * a ** (n - 1)),)


@wrong(
    "array_functions",
    "nan_is_zero",
    "What arrived as NaN is a number afterwards, as np.nan_to_num makes one: a fault would be hidden from everybody behind this rule. Treat n = 0 before the formula, and no NaN comes up.",
)
def power_rule(g, out, a, n):
    with np.errstate(all="ignore"):
        sent = g * n * a ** (n - 1)
    return (np.where(np.isnan(sent), 0, sent),)


@wrong(
    "array_functions",
    "tanh_squares_the_difference",
    "In tanh_rule the difference is squared: (1 - out)². The slope is 1 - out²: only out has the square.",
)
def tanh_rule(g, out, a):
    return (g * (1 - out) ** 2,)


@wrong(
    "array_functions",
    "tanh_nan_to_num",
    "What arrived as NaN is a number afterwards, as np.nan_to_num makes one: a fault would be hidden from everybody behind tanh_rule.",
)
def tanh_rule(g, out, a):
    return (np.nan_to_num(g * (1 - out * out)),)


right("array_functions", "by_cosh", source="""
    def tanh_rule(g, out, a):
        return (g / np.cosh(a) ** 2,)
    """)


@wrong("array_functions", "power_less_one", "In power_rule 1 is taken off the power, and not off the exponent: `a ** n - 1` is (a ** n) - 1. The exponent needs parentheses.")
def power_rule(g, out, a, n):
    if n == 0:
        return (np.zeros_like(a),)
    return (g * n * (a ** n - 1),)


@wrong("array_functions", "slope_by_n", "power_rule sends out * log(a), which is the slope of a ** n by n. Here a varies: the exponent comes down as a factor, and the power is one lower.")
def power_rule(g, out, a, n):
    if n == 0:
        return (np.zeros_like(a),)
    return (g * out * np.log(a),)


@wrong("array_functions", "power_kept", "In power_rule the exponent came down, and the power stayed n, as in `g * n * out`: it has to be one lower, n - 1.")
def power_rule(g, out, a, n):
    if n == 0:
        return (np.zeros_like(a),)
    return (g * n * out,)


# -- stable_sigmoid ---------------------------------------------------------------------------------------------------


CLIPPED = "The clipped ends are not exact: results below the sigmoid of your limit can no longer occur. It works without a limit."
CLIPS = """
def sigmoid(a):
    return 1 / (1 + np.exp(-np.clip(a, -30, 30)))
"""
SIGMOID_RULE = """

def sigmoid_rule(g, out, a):
    return (g * out * (1 - out),)
"""


@wrong(
    "stable_sigmoid",
    "textbook",
    "At a = -1000 this computes exp(1000), which overflows. Give exp no positive numbers.",
)
def sigmoid(a):
    return 1 / (1 + np.exp(-a))


@wrong(
    "stable_sigmoid",
    "textbook_other",
    "At a = 1000 this computes exp(1000), which overflows. Give exp no positive numbers.",
)
def sigmoid(a):
    return np.exp(a) / (1 + np.exp(a))


@wrong(
    "stable_sigmoid",
    "where_of_both",
    "exp gets a large positive number at both ends. np.where keeps none away, as it chooses between two finished arrays: each formula is computed for all numbers. Give exp no positive numbers.",
)
def sigmoid(a):
    return np.where(a >= 0, 1 / (1 + np.exp(-a)), np.exp(a) / (1 + np.exp(a)))


@wrong(
    "stable_sigmoid",
    "by_tanh",
    "Nothing overflows, but at -40 and -700 the result is 0, as where two numbers that are nearly equal are subtracted for negative a: small results lose their digits. Divide e by 1 + e.",
)
def sigmoid(a):
    return (1 + np.tanh(a / 2)) / 2


@wrong(
    "stable_sigmoid",
    "one_minus",
    "Nothing overflows, but at -40 and -700 the result is 0, as where two numbers that are nearly equal are subtracted for negative a: small results lose their digits. Divide e by 1 + e.",
)
def sigmoid(a):
    large = 1 / (1 + np.exp(-np.abs(a)))
    return np.where(a >= 0, large, 1 - large)


wrong("stable_sigmoid", "clipped", CLIPPED, source=CLIPS)
wrong(
    "stable_sigmoid",
    "wide_and_clipped",
    CLIPPED,
    source="""
def sigmoid(a):
    wide = np.clip(a.astype("float64"), -709, 709)
    return (1 / (1 + np.exp(-wide))).astype(a.dtype)
""" + SIGMOID_RULE,
)
wrong(
    "stable_sigmoid",
    "clipped_in_float32",
    "Small results in float32 end at exp(-88) here, as where numbers are clipped at 88, and the true ones go on below. It works without a limit.",
    source="""
def sigmoid(a):
    limit = 88 if a.dtype == "float32" else 745
    e = np.exp(-np.minimum(np.abs(a), limit))
    return np.where(a >= 0, 1, e) / (1 + e)
""" + SIGMOID_RULE,
)
wrong(
    "stable_sigmoid",
    "two_dtypes",
    "A float16 comes back as float64. The result takes the dtype of a, whichever that is.",
    source="""
def sigmoid(a):
    e = np.exp(-np.abs(a.astype("float64")))
    out = np.where(a >= 0, 1, e) / (1 + e)
    return out.astype("float32") if a.dtype == "float32" else out
""" + SIGMOID_RULE,
)


@wrong(
    "stable_sigmoid",
    "one_side",
    "-1000 gets the result of 1000, as with the absolute value. Below 0 another formula is needed: e / (1 + e).",
)
def sigmoid(a):
    return 1 / (1 + np.exp(-np.abs(a)))


@wrong(
    "stable_sigmoid",
    "asks_the_array",
    "An `if` asks one question, as `and` and Python's `max` do, and an array has many answers. np.where answers for each number.",
)
def sigmoid(a):
    if a >= 0:
        return 1 / (1 + np.exp(-a))
    return np.exp(a) / (1 + np.exp(a))


@wrong(
    "stable_sigmoid",
    "loop_over_one_axis",
    "The loop goes over the first axis, so it works for arrays with one axis only. Whole-array operations work for any shape.",
)
def sigmoid(a):
    values = []
    for x in a:
        e = np.exp(-abs(x))
        values.append(1 / (1 + e) if x >= 0 else e / (1 + e))
    return np.array(values, dtype=a.dtype)


@wrong(
    "stable_sigmoid",
    "float64",
    "The numbers are right, but float64, as of np.zeros or np.ones without a dtype. The result takes the dtype of a.",
)
def sigmoid(a):
    out = np.zeros(a.shape)
    e = np.exp(-np.abs(a))
    out[...] = np.where(a >= 0, 1, e) / (1 + e)
    return out


@wrong(
    "stable_sigmoid",
    "rule_of_input",
    "sigmoid_rule uses the input a where the slope has the value of the sigmoid, which is out.",
)
def sigmoid_rule(g, out, a):
    return (g * a * (1 - a),)


@wrong(
    "stable_sigmoid",
    "rule_like_tanh",
    "sigmoid_rule has the slope of tanh. That of the sigmoid is sigmoid times (1 - sigmoid).",
)
def sigmoid_rule(g, out, a):
    return (g * (1 - out * out),)


@wrong(
    "stable_sigmoid",
    "rule_no_upstream",
    "In sigmoid_rule the slope is right, and g is missing.",
)
def sigmoid_rule(g, out, a):
    return (out * (1 - out),)


@wrong(
    "stable_sigmoid",
    "rule_in_place",
    "sigmoid_rule writes into g, as `g *= ...` does, and g belongs to others. Make a new array.",
)
def sigmoid_rule(g, out, a):
    g *= out * (1 - out)
    return (g,)


@wrong("stable_sigmoid", "rule_no_tuple", "sigmoid_rule returns an array. A rule returns a tuple, here a tuple of one: mind the comma in (x,).")
def sigmoid_rule(g, out, a):
    return g * out * (1 - out)


@wrong("stable_sigmoid", "exchanged", "This is the sigmoid of -a: it falls where it should rise. Are the two formulas exchanged, or a sign?")
def sigmoid(a):
    e = np.exp(-np.abs(a))
    return np.where(a >= 0, e, 1) / (1 + e)


for limit in (50, 500):
    wrong("stable_sigmoid", f"clipped_at_{limit}", CLIPPED, source=changed(CLIPS, ("30", str(limit))))


@wrong("stable_sigmoid", "rule_of_out", "In sigmoid_rule, out is sigmoid(a) already. Taking the sigmoid of it applies the function twice.")
def sigmoid_rule(g, out, a):
    s = sigmoid(out)
    return (g * s * (1 - s),)


right(
    "stable_sigmoid",
    "by_masks",
    source="""
    def sigmoid(a):
        out = np.empty_like(a)
        positive = a >= 0
        out[positive] = 1 / (1 + np.exp(-a[positive]))
        e = np.exp(a[~positive])
        out[~positive] = e / (1 + e)
        return out


    def sigmoid_rule(g, out, a):
        return (g * (out - out**2),)
    """,
)
right(
    "stable_sigmoid",
    "by_limits",
    source="""
    def sigmoid(a):
        return np.exp(np.minimum(a, 0)) / (1 + np.exp(-abs(a)))


    def sigmoid_rule(g, out, a):
        slope = out * (1 - out)
        return (slope * g,)
    """,
)

right(
    "stable_sigmoid",
    "number_by_number",
    source="""
    def sigmoid(a):
        out = np.empty_like(a)
        for place in np.ndindex(a.shape):
            e = np.exp(-abs(a[place]))
            out[place] = 1 / (1 + e) if a[place] >= 0 else e / (1 + e)
        return out
    """,
)

for limit in (20, 88, 100):
    wrong("stable_sigmoid", f"clipped_at_{limit}", CLIPPED, source=changed(CLIPS, ("30", str(limit))))


@wrong(
    "stable_sigmoid",
    "clipped_at_709",
    "In float32 exp overflows from 89 on, and here it is given more: a limit such as 709 is that of float64. Give exp no positive numbers, and no limit is needed.",
)
def sigmoid(a):
    return 1 / (1 + np.exp(-np.clip(a, -709, 709)))


@wrong(
    "stable_sigmoid",
    "warnings_off",
    "Where the warning is switched off, the numbers stay what they are: exp(1000) is infinite, and inf / inf is NaN. Give exp no positive numbers.",
)
def sigmoid(a):
    with np.errstate(over="ignore"):
        return np.where(a >= 0, 1 / (1 + np.exp(-a)), np.exp(a) / (1 + np.exp(a)))


@wrong(
    "stable_sigmoid",
    "a_copy_is_filled",
    "An array that lies in memory column by column, as after a transposition, goes wrong here. Of such a one `ravel()` is a copy: what is written into it does not arrive in the array itself.",
)
def sigmoid(a):
    out = np.zeros_like(a)
    flat = out.ravel()
    for i, x in enumerate(a.ravel()):
        e = np.exp(-abs(x))
        flat[i] = 1 / (1 + e) if x >= 0 else e / (1 + e)
    return out


right("stable_sigmoid", "of_two_exponentials", source="""
    def sigmoid(a):
        m = np.maximum(a, 0)
        return np.exp(a - m) / (np.exp(-m) + np.exp(a - m))
    """)
right("stable_sigmoid", "by_logaddexp", source="""
    def sigmoid(a):
        return np.exp(-np.logaddexp(0, -a))
    """)


# -- maximum_ties -----------------------------------------------------------------------------------------------------


@wrong(
    "maximum_ties",
    "all_to_both",
    "At a tie both get all of g: together that is twice g. Each gets half.",
)
def maximum_rule(g, out, a, b):
    return g * (a >= b), g * (b >= a)


@wrong("maximum_ties", "none_at_ties", "At a tie nobody gets anything. Each gets half of g.")
def maximum_rule(g, out, a, b):
    return g * (a > b), g * (b > a)


@wrong("maximum_ties", "first_wins", "At a tie all of g goes to a. Both are the largest: each gets half.")
def maximum_rule(g, out, a, b):
    return g * (a >= b), g * (b > a)


@wrong("maximum_ties", "second_wins", "At a tie all of g goes to b. Both are the largest: each gets half.")
def maximum_rule(g, out, a, b):
    return g * (a > b), g * (b >= a)


@wrong("maximum_ties", "nearly_a_tie", "4 and 4.000001 are near, and no tie: `isclose` takes them for one. The larger one gets all of g.")
def maximum_rule(g, out, a, b):
    tie = np.where(np.isclose(a, b), g / 2, 0)
    return np.where(np.isclose(a, b), tie, np.where(a > b, g, 0)), np.where(np.isclose(a, b), tie, np.where(b > a, g, 0))


@wrong("maximum_ties", "the_smaller", "g goes to the smaller one. The maximum was made from the larger one.")
def maximum_rule(g, out, a, b):
    tie = np.where(a == b, g / 2, 0)
    return np.where(a < b, g, tie), np.where(b < a, g, tie)


@wrong("maximum_ties", "no_upstream", "These are the slopes 1, 0 and one half. The chain rule multiplies them by g.")
def maximum_rule(g, out, a, b):
    tie = (a == b) / 2
    return (a > b) + tie, (b > a) + tie


@wrong(
    "maximum_ties",
    "float64",
    "The result is float64, as a mask times 0.5, np.where with 0.5 and 1.0, np.zeros without a dtype or a division by integers makes it. Halve g itself, which has the right dtype.",
)
def maximum_rule(g, out, a, b):
    share = np.where(a == b, 0.5, np.where(a > b, 1.0, 0.0))
    return g * share, g * (1 - share)


@wrong(
    "maximum_ties",
    "half_everywhere",
    "g is shared half and half everywhere. That is for ties: otherwise the larger one gets all of it.",
)
def maximum_rule(g, out, a, b):
    return g / 2, g / 2


@wrong(
    "maximum_ties",
    "in_place",
    "g is halved in place at the ties, as `g[a == b] /= 2` does it. It belongs to others: make a new array.",
)
def maximum_rule(g, out, a, b):
    g[a == b] /= 2
    return g * (a >= b), g * (b >= a)


ONE_QUESTION = "An `if` asks one question, as `and` and Python's `max` do, and an array has many answers. Use masks, or np.where."


@wrong("maximum_ties", "asks_the_array", ONE_QUESTION)
def maximum_rule(g, out, a, b):
    if a > b:
        return g, 0 * g
    return 0 * g, g


@wrong("maximum_ties", "pythons_max", ONE_QUESTION)
def maximum_rule(g, out, a, b):
    top = max(a, b)
    return g * (a == top), g * (b == top)


@wrong("maximum_ties", "second_wins_where", "At a tie all of g goes to b. Both are the largest: each gets half.")
def maximum_rule(g, out, a, b):
    return np.where(a > b, g, 0), np.where(a > b, 0, g)


@wrong("maximum_ties", "half_for_half_of_g", "At a tie each gets 0.5. Half of g is wanted: what arrives there, divided by 2.")
def maximum_rule(g, out, a, b):
    tie = np.where(a == b, 0.5, 0)
    return np.where(a > b, g, tie), np.where(b > a, g, tie)


@right("maximum_ties", "divided_by_the_winners")
def maximum_rule(g, out, a, b):
    share = g / ((a == out).astype(g.dtype) + (b == out))
    return share * (a == out), share * (b == out)


@right("maximum_ties", "two_halves")
def maximum_rule(g, out, a, b):
    half = 0.5 * g
    return half * (a >= b) + half * (a > b), half * (b >= a) + half * (b > a)


@right("maximum_ties", "by_sign")
def maximum_rule(g, out, a, b):
    for_a = g * (1 + np.sign(a - b)) / 2
    return for_a, g - for_a


@wrong(
    "maximum_ties",
    "opposite_numbers",
    "3 and -3 are no tie: opposite numbers have the same square and the same absolute value, and are not equal.",
)
def maximum_rule(g, out, a, b):
    tie = a * a == b * b
    half = g * 0.5
    return np.where(tie, half, np.where(a > b, g, 0)), np.where(tie, half, np.where(b > a, g, 0))


NO_INDEX = "b is a single number here: neither a position nor a mask of another shape is an index into it. np.where broadcasts; leave the sums to the engine."


@wrong("maximum_ties", "one_by_one", NO_INDEX)
def maximum_rule(g, out, a, b):
    for_a, for_b = np.zeros_like(a), np.zeros_like(b)
    for i in range(len(g)):
        if a[i] == b[i]:
            for_a[i] = for_b[i] = g[i] / 2
        elif a[i] > b[i]:
            for_a[i] = g[i]
        else:
            for_b[i] = g[i]
    return for_a, for_b


@wrong(
    "maximum_ties",
    "masks_of_one_shape",
    NO_INDEX,
)
def maximum_rule(g, out, a, b):
    for_a, for_b = np.zeros_like(a), np.zeros_like(b)
    for_a[a > b] = g[a > b]
    for_b[b > a] = g[b > a]
    for_a[a == b] = for_b[a == b] = g[a == b] / 2
    return for_a, for_b


@wrong(
    "maximum_ties",
    "in_place_too_late",
    "At a tie both get all of g here. And g is halved afterwards, in place: too late for what was computed before, and g belongs to others.",
)
def maximum_rule(g, out, a, b):
    for_a, for_b = np.where(a >= b, g, 0), np.where(b >= a, g, 0)
    g[a == b] /= 2
    return for_a, for_b


@wrong(
    "maximum_ties",
    "divided_by_a_count",
    "The result is float64, as a mask times 0.5, np.where with 0.5 and 1.0, np.zeros without a dtype or a division by integers makes it. Halve g itself, which has the right dtype.",
)
def maximum_rule(g, out, a, b):
    share = g / (1 + (a == b))
    return share * (a >= b), share * (b >= a)


@wrong(
    "maximum_ties",
    "the_number_itself",
    "The larger one gets its own value here, as if the maximum were asked for once more. What it gets is g.",
)
def maximum_rule(g, out, a, b):
    tie = np.where(a == b, g / 2, 0)
    return np.where(a > b, a, tie), np.where(b > a, b, tie)


@wrong(
    "maximum_ties",
    "half_for_each_winner",
    "The larger one gets half of g here, everywhere. Half is for ties: otherwise all of g goes to the larger one.",
)
def maximum_rule(g, out, a, b):
    return g * (out == a) / 2, g * (out == b) / 2


@wrong("maximum_ties", "half_to_the_smaller", "The smaller number gets half of g here, and has to get 0: there are three cases, larger, smaller and equal.")
def maximum_rule(g, out, a, b):
    return np.where(a > b, g, g / 2), np.where(b > a, g, g / 2)


# -- as_operand -------------------------------------------------------------------------------------------------------


OPERAND = """
def as_operand(x, dtype):
    if isinstance(x, (int, float, np.generic)):
        return np.asarray(x, dtype=dtype)
    return np.asarray(x)
"""


def operand(name, sentence, *changes):
    """A wrong as_operand: with some of its text replaced."""
    wrong("as_operand", name, sentence, source=changed(OPERAND, *changes))


@wrong(
    "as_operand",
    "everything_adapts",
    "Here arrays are converted too. Only single numbers adapt: an array keeps its dtype.",
)
def as_operand(x, dtype):
    return np.asarray(x, dtype=dtype)


@wrong(
    "as_operand",
    "nothing_adapts",
    "A Python number becomes an array of float64 or int64 here, and the product is no longer float32.",
)
def as_operand(x, dtype):
    return np.asarray(x)


operand(
    "python_numbers_only",
    "np.float64(2.5) and its like are single numbers, too. np.generic is the class of all of them.",
    ("isinstance(x, (int, float, np.generic))", "type(x) in (int, float, bool)"),
)
operand(
    "pythons_classes_only",
    "np.float64 is a kind of float, but np.int64 and np.float32 are neither int nor float. np.generic is the class of them all.",
    ("(int, float, np.generic)", "(int, float)"),
)
operand(
    "floats_only",
    "An int is a number as well: 3 would become int64, and an int64 array makes float32 wider.",
    ("(int, float, np.generic)", "(float, np.generic)"),
)
operand(
    "numbers_as_they_are",
    "A single number comes back as a number. Return an array, so that it can be a Tensor's data.",
    ("np.asarray(x, dtype=dtype)", "dtype.type(x)"),
)
operand(
    "always_float32",
    "float32 is written into your function. The number takes the dtype that is given.",
    ("dtype=dtype", "dtype='float32'"),
)


@wrong(
    "as_operand",
    "the_narrower_wins",
    "The array [1.5] is narrowed here. Whatever it holds, one number or many, an array with axes keeps its dtype: only single numbers adapt.",
)
def as_operand(x, dtype):
    x = np.asarray(x)
    return x.astype(dtype) if x.ndim == 0 or x.dtype.kind == "f" else x


@wrong(
    "as_operand",
    "lists_adapt",
    "A list is converted to the tensor's dtype here. Only single numbers adapt: a list keeps the dtype that NumPy gives it.",
)
def as_operand(x, dtype):
    return x if isinstance(x, np.ndarray) else np.asarray(x, dtype=dtype)


@wrong("as_operand", "lists_as_they_are", "A list comes back as it is. NumPy makes an array of one.")
def as_operand(x, dtype):
    return np.asarray(x, dtype=dtype) if isinstance(x, (int, float, np.generic)) else x


@right("as_operand", "by_axes")
def as_operand(x, dtype):
    x = np.asarray(x)
    return x.astype(dtype) if x.ndim == 0 else x


@right("as_operand", "by_isscalar")
def as_operand(x, dtype):
    return np.array(x, dtype=dtype if np.isscalar(x) else None)


@wrong(
    "as_operand",
    "integer_arrays",
    "An array of integers is turned into the tensor's dtype: an array with axes keeps its own, whatever it is.",
)
def as_operand(x, dtype):
    x_array = np.asarray(x)
    if isinstance(x, (int, float, np.generic)) or x_array.dtype.kind in "iu":
        return x_array.astype(dtype)
    return x_array


operand(
    "listed_types",
    "A single number of NumPy's, such as a float16, keeps its own dtype here: they have more types than you list. All of them are `np.generic`.",
    ("isinstance(x, (int, float, np.generic))", "type(x) in (int, float, bool, np.float64, np.int64)"),
)
operand(
    "numpys_integers_only",
    "A single number of NumPy's, such as a float16, keeps its own dtype here: they have more types than you list. All of them are `np.generic`.",
    ("np.generic", "np.integer"),
)


@wrong(
    "as_operand",
    "lists_as_floats",
    "A list of True and False is turned into floats here. A list has the dtype that NumPy gives it by itself.",
)
def as_operand(x, dtype):
    if isinstance(x, list):
        return np.array(x, dtype=float)
    return np.asarray(x, dtype=dtype if isinstance(x, (int, float, np.generic)) else None)


@wrong(
    "as_operand",
    "view_for_astype",
    "`view` reads the same bytes as another dtype, which is another number or an error. `astype`, or a dtype for np.asarray, converts the number.",
)
def as_operand(x, dtype):
    x = np.asarray(x)
    return x.view(dtype) if x.ndim == 0 else x


wrong("as_operand", "a_list_of_one_is_a_number", "A list of one number is taken for a number here, and loses its own dtype. A number has no axes: ask for those.",
      source=changed(OPERAND, ("isinstance(x, (int, float, np.generic))", "not isinstance(x, np.ndarray) and np.size(x) == 1")))


@wrong("as_operand", "wider_dtype_wins", "The wider dtype wins here, as with `np.result_type`, or with a number made an array before: a Python number takes the dtype of the Tensor, whatever its own would be.")
def as_operand(x, dtype):
    x = np.asarray(x)
    return x.astype(np.result_type(x, dtype))


@wrong("as_operand", "scalar_type_kept", "np.float16(3) beside a float64 tensor stays float16 here: a single number takes the tensor's dtype always, also where that is wider.")
def as_operand(x, dtype):
    if isinstance(x, (int, float)) and not isinstance(x, np.generic):
        return np.asarray(x, dtype=dtype)
    array = np.asarray(x)
    if isinstance(x, np.generic) and array.dtype.itemsize > np.dtype(dtype).itemsize:
        return array.astype(dtype)
    return array


operand(
    "float16_missing",
    "Some of NumPy's single numbers keep their own dtype here, such as np.float16(1.5), as where only some of its types adapt. np.generic is the class of all of them.",
    ("np.generic", "np.integer, np.float32"),
)
operand(
    "int32_missing",
    "Some of NumPy's integers keep their own dtype here, such as np.int32(7), as where only some of its types adapt. np.generic is the class of all of them.",
    ("np.generic", "np.int64, np.floating"),
)
operand(
    "lists_of_ints_adapt",
    "A list of ints is turned into floats here. A list keeps the dtype that NumPy gives it, and that of ints is an integer dtype.",
    ("    return np.asarray(x)\n", "    out = np.asarray(x)\n    return out.astype(dtype) if isinstance(x, list) and out.dtype.kind == 'i' else out\n"),
)
operand(
    "narrow_arrays_adapt",
    "An array of float16 is brought to another dtype here. An array with axes keeps its own, however narrow it is.",
    ("    return np.asarray(x)\n", "    out = np.asarray(x)\n    return out.astype(dtype) if out.dtype == 'float16' else out\n"),
)


# -- send_back --------------------------------------------------------------------------------------------------------


SEND = """
def send_back(node, rules, fit):
    if not node.op:
        return
    for parent, cotangent in zip(node.parents, rules[node.op](node.grad, node.data, *node.inputs)):
        if cotangent is not None:
            cotangent = fit(cotangent, parent.data)
            parent.grad = cotangent if parent.grad is None else parent.grad + cotangent
"""
FOR, ASKED, FIT, SUM = SEND.splitlines(keepends=True)[4:]
KEPT = "            if parent.grad is None:\n                parent.grad = cotangent\n"
TWO_LINES = (
    "    cotangents = rules[node.op](node.grad, node.data, *node.inputs)\n"
    "    for parent, cotangent in zip(node.parents, cotangents):\n"
)


def sent(name, sentence, *changes):
    """A wrong send_back: with some of its lines replaced."""
    wrong("send_back", name, sentence, source=changed(SEND, *changes))


sent(
    "in_place",
    "The sum is written into an array that another parent holds as well, as `+=` does it. Write `parent.grad = parent.grad + ...`.",
    (SUM, KEPT + "            else:\n                parent.grad += cotangent\n"),
)
sent(
    "overwrites",
    "Of several contributions only one stays: each replaces the one before it, or those behind the first are lost. They add up.",
    (FIT + SUM, "            parent.grad = fit(cotangent, parent.data)\n"),
)
sent(
    "only_inputs_add_up",
    "A parent that was computed loses what it had got before. Contributions add up in every parent, not in inputs alone.",
    ("if parent.grad is None", "if parent.op or parent.grad is None"),
)
sent(
    "given_away",
    "node.grad is gone once it is passed on. It is the gradient of this tensor, and whoever asks wants to find it.",
    (FOR, TWO_LINES.replace("    for", "    node.grad = None\n    for")),
)
sent(
    "zeros_skipped",
    "A cotangent of zeros is left out, and the parent's grad stays None. Zeros are a gradient: only None is nothing.",
    ("is not None:", "is not None and np.any(cotangent):"),
)
sent(
    "no_fit",
    "The cotangent has the shape of the output. fit brings it into the form of the parent.",
    (FIT, ""),
)
sent(
    "none_is_fitted",
    "A rule may send back None, and there is nothing to fit or to add then: skip that parent.",
    (ASKED + FIT + SUM, FIT[4:] + SUM[4:]),
)
sent(
    "none_ends_the_loop",
    "At a None the other parents get nothing here, as when you leave the loop. Skip that parent alone: `continue` goes on with the next one.",
    (ASKED + FIT + SUM, "        if cotangent is None:\n            return\n" + FIT[4:] + SUM[4:]),
)
sent(
    "adds_to_none",
    "The first contribution is added to None. Where grad is None, the contribution itself is the gradient.",
    (FIT + SUM, "            parent.grad = parent.grad + fit(cotangent, parent.data)\n"),
)
sent(
    "asks_the_array",
    "`if parent.grad` or `parent.grad == None` asks a whole array whether it is true. Ask `parent.grad is None`.",
    ("cotangent if parent.grad is None else parent.grad + cotangent", "parent.grad + cotangent if parent.grad else cotangent"),
)
sent(
    "inputs_asked",
    "An input has no operation, so there is no rule to look up. Return before that.",
    ("    if not node.op:\n        return\n", ""),
)
sent(
    "no_constants",
    "The rule gets the parents' arrays, but not the constants. node.inputs has both.",
    (FOR, "    arrays = [parent.data for parent in node.parents]\n" + FOR.replace("*node.inputs", "*arrays")),
)
sent(
    "fits_to_the_output",
    "fit gets the array of the output, so nothing is brought back. Give it the parent's.",
    ("fit(cotangent, parent.data)", "fit(cotangent, node.data)"),
)
sent(
    "fits_to_the_parent",
    "fit gets the parent, which is a Tensor. It takes the parent's array: parent.data.",
    ("fit(cotangent, parent.data)", "fit(cotangent, parent)"),
)


@right("send_back", "with_copies")
def send_back(node, rules, fit):
    if node.op:
        g, out = node.grad, node.data
        for i, cotangent in enumerate(rules[node.op](g, out, *node.inputs)):
            if cotangent is not None:
                parent = node.parents[i]
                if parent.grad is None:
                    parent.grad = np.array(fit(cotangent, parent.data))
                else:
                    parent.grad += fit(cotangent, parent.data)


@right("send_back", "zeros_then_in_place")
def send_back(node, rules, fit):
    if not node.op:
        return
    for p, c in zip(node.parents, rules[node.op](node.grad, node.data, *node.inputs)):
        if c is None:
            continue
        if p.grad is None:
            p.grad = np.zeros_like(p.data)
        p.grad += fit(c, p.data)


@right("send_back", "begins_with_zero")
def send_back(node, rules, fit):
    if node.op == "":
        return
    results = rules[node.op](node.grad, node.data, *[p.data for p in node.parents], *node.constants)
    for parent, result in zip(node.parents, results, strict=True):
        if result is not None:
            before = 0 if parent.grad is None else parent.grad
            parent.grad = before + fit(result, parent.data)


@wrong(
    "send_back",
    "float64_zeros",
    "A float32 parent gets a float64 gradient, as when the sum begins with zeros of float64.",
)
def send_back(node, rules, fit):
    if not node.op:
        return
    for parent, c in zip(node.parents, rules[node.op](node.grad, node.data, *node.inputs)):
        if c is None:
            continue
        old = np.zeros(parent.data.shape) if parent.grad is None else parent.grad
        parent.grad = old + fit(c, parent.data)


@wrong(
    "send_back",
    "two_parents",
    "Of three parents the third gets nothing here. An operation has as many as `node.parents` holds: go through all of them.",
)
def send_back(node, rules, fit):
    if not node.op:
        return
    sent = rules[node.op](node.grad, node.data, *node.inputs)
    for k in range(min(2, len(node.parents))):
        if sent[k] is None:
            continue
        parent = node.parents[k]
        part = fit(sent[k], parent.data)
        parent.grad = part if parent.grad is None else parent.grad + part


sent(
    "fits_the_sum",
    "The sum is fitted here, and not the cotangent: what a parent had already is copied into the larger shape, and counts several times. Fit the cotangent, and then add.",
    (FOR, TWO_LINES), (FIT + SUM, SUM.replace("parent.grad =", "total =") + "            parent.grad = fit(total, parent.data)\n"),
)


@wrong(
    "send_back",
    "in_place_but_for_its_own",
    "The sum is written into an array that another parent holds as well, since an earlier node sent it to both. A comparison with the grad of this node alone does not find that: make a new array for each sum.",
)
def send_back(node, rules, fit):
    if not node.op:
        return
    cotangents = rules[node.op](node.grad, node.data, *node.inputs)
    for parent, cotangent in zip(node.parents, cotangents):
        if cotangent is None:
            continue
        cotangent = fit(cotangent, parent.data)
        if parent.grad is None:
            parent.grad = cotangent
        elif parent.grad is node.grad:
            parent.grad = parent.grad + cotangent
        else:
            parent.grad += cotangent


sent(
    "parents_for_inputs",
    "The rule was called with Tensors, and it takes arrays: those of the parents, then the constants. node.inputs has them.",
    ("*node.inputs", "*node.parents"),
)
sent(
    "none_is_zeros",
    "x got nothing here, and its grad is an array of zeros. Who gets nothing keeps None: make no zeros before it is known that something came.",
    (
        "        if cotangent is not None:\n",
        "        if parent.grad is None:\n            parent.grad = np.zeros_like(parent.data)\n        if cotangent is not None:\n",
    ),
    (SUM, "            parent.grad = parent.grad + cotangent\n"),
)
sent(
    "a_call_for_each_parent",
    "The rule was called once for each parent. One call gives the cotangents of all: make it before the loop.",
    (FOR, "    for i, parent in enumerate(node.parents):\n        cotangent = rules[node.op](node.grad, node.data, *node.inputs)[i]\n"),
)
sent(
    "inputs_get_nothing",
    "y is an input, and gets nothing here. An input has no rule of its own; the gradient that its child sends is what training is for.",
    ("if cotangent is not None", "if cotangent is not None and parent.op"),
)
sent(
    "out_missing",
    "The rule was called without `out`. It takes g, out and the inputs: node.grad, node.data, then those of node.inputs.",
    ("node.grad, node.data, ", "node.grad, "),
)
sent(
    "no_star",
    "The rule got all inputs as one tuple. It takes them one by one: a star unpacks the tuple.",
    ("*node.inputs", "node.inputs"),
)
sent(
    "g_missing",
    "The rule was called without `g`. It takes g, out and the inputs: node.grad, node.data, then those of node.inputs.",
    ("node.grad, node.data, ", "node.data, "),
)


@wrong(
    "send_back",
    "one_for_each_name",
    "In x + x the same parent stands twice, and only one of its two cotangents counts here, as in a dict, which holds a key once.",
)
def send_back(node, rules, fit):
    if node.op:
        cotangents = rules[node.op](node.grad, node.data, *node.inputs)
        fitted = {p: fit(c, p.data) for p, c in zip(node.parents, cotangents) if c is not None}
        for p, c in fitted.items():
            p.grad = c if p.grad is None else p.grad + c


@wrong("send_back", "fit_for_shapes_alone", "`fit` is left out here where the shapes agree. It sees to the dtype, too: pass each part through it.")
def send_back(node, rules, fit):
    if not node.op:
        return
    cotangents = rules[node.op](node.grad, node.data, *node.inputs)
    for parent, cotangent in zip(node.parents, cotangents):
        if cotangent is None:
            continue
        if np.shape(cotangent) != parent.data.shape:
            cotangent = fit(cotangent, parent.data)
        parent.grad = cotangent if parent.grad is None else parent.grad + cotangent


sent("times_grad_again", "What the rule sends back is multiplied with node.grad once more: g is in it already.", ("fit(cotangent,", "fit(node.grad * cotangent,"))


# -- first_cotangent --------------------------------------------------------------------------------------------------


COTANGENT = """
def first_cotangent(data, gradient=None):
    if gradient is None:
        if data.size != 1:
            raise RuntimeError("needs a gradient")
        return np.ones_like(data)
    gradient = np.asarray(gradient, dtype=data.dtype)
    if gradient.shape != data.shape:
        raise ValueError("shape")
    return gradient
"""


def cotangent(name, sentence, *changes):
    """A wrong first_cotangent: with some of its text replaced."""
    wrong("first_cotangent", name, sentence, source=changed(COTANGENT, *changes))


cotangent(
    "ones_for_all",
    "For three numbers you begin with three ones: that is the gradient of their sum, which nobody asked for. Raise a RuntimeError.",
    ('        if data.size != 1:\n            raise RuntimeError("needs a gradient")\n', ""),
)
cotangent(
    "scalars_only_by_shape",
    "An array of shape (1, 1) holds one number too. Ask for the size, not for the shape or the number of axes.",
    ("data.size != 1", "data.shape != ()"),
)
cotangent(
    "plain_one",
    "The 1 has neither the shape nor the dtype of data here. It is an array like data: np.ones_like.",
    ("np.ones_like(data)", "np.array(1.0)"),
)
cotangent(
    "shape_not_asked",
    "A gradient of another shape is accepted. It would be broadcast somewhere on the way, and give wrong numbers.",
    ("gradient = np.asarray", "return np.asarray"),
    ('    if gradient.shape != data.shape:\n        raise ValueError("shape")\n    return gradient\n', ""),
)
cotangent(
    "sizes_compared",
    "(1, 3) is let through for (3,), as when sizes are compared: these are the same, and the shapes are different.",
    ("gradient.shape != data.shape", "gradient.size != data.size"),
)
cotangent(
    "own_dtype",
    "What comes back has another dtype than data here, as where the gradient keeps its own, or by `dtype=float`. It takes that of data.",
    (", dtype=data.dtype", ""),
)
cotangent(
    "begins_with_data",
    "0 comes back here, as where the way back begins with the result itself, or with zeros. The derivative of a number by itself is 1, whatever it is.",
    ("np.ones_like(data)", "data.copy()"),
)
cotangent(
    "asks_the_array",
    "A gradient of the right shape raises a ValueError: `if gradient` or `not gradient` asks a whole array whether it is true (ask `gradient is None`), or the shapes are compared wrongly.",
    ("if gradient is None", "if not gradient"),
)


@wrong(
    "first_cotangent",
    "listed_shapes",
    "(1, 1, 1) holds one number, too, and is refused here, as by a list of shapes that ends before it. Ask for the size.",
)
def first_cotangent(data, gradient=None):
    if gradient is None:
        if data.shape not in [(), (1,), (1, 1)]:
            raise RuntimeError("more than one number")
        return np.ones_like(data)
    gradient = np.asarray(gradient, dtype=data.dtype)
    if gradient.shape != data.shape:
        raise ValueError("the shapes differ")
    return gradient


@right("first_cotangent", "other_order")
def first_cotangent(data, gradient=None):
    if gradient is not None:
        c = np.array(gradient).astype(data.dtype)
        if c.shape == data.shape:
            return c
        raise ValueError(f"{c.shape} is not {data.shape}")
    if data.size > 1:
        raise RuntimeError("which of the numbers counts how much?")
    return np.full(data.shape, 1, dtype=data.dtype)


@right("first_cotangent", "by_assignment")
def first_cotangent(data, gradient=None):
    out = np.ones(data.shape, data.dtype)
    if gradient is None and data.size != 1:
        raise RuntimeError("more than one number")
    if gradient is not None:
        if np.shape(gradient) != data.shape:
            raise ValueError("another shape")
        out[...] = gradient
    return out


@wrong(
    "first_cotangent",
    "integers_kept",
    "A gradient of integers keeps its dtype here: it is brought to that of data, like any other.",
)
def first_cotangent(data, gradient=None):
    if gradient is None:
        if data.size > 1:
            raise RuntimeError("more than one number: give a gradient")
        return np.ones_like(data)
    if np.shape(gradient) != data.shape:
        raise ValueError("the shapes differ")
    return gradient if hasattr(gradient, "dtype") and gradient.dtype.kind == "i" else np.array(gradient, dtype=data.dtype)


cotangent(
    "ones_of_the_shape",
    "The 1 has the shape of data here, but not its dtype. It takes both from data.",
    ("np.ones_like(data)", "np.ones(data.shape)"),
)
cotangent(
    "shape_of_a_list",
    "The gradient may be a list or a number, and these have no shape and no dtype. Make an array of it first.",
    ("    gradient = np.asarray(gradient, dtype=data.dtype)\n", ""),
    ("return gradient", "return np.asarray(gradient, dtype=data.dtype)"),
)
cotangent(
    "astype_of_a_list",
    "The gradient may be a list or a number, and these have no shape and no dtype. Make an array of it first.",
    ("np.asarray(gradient, dtype=data.dtype)", "gradient.astype(data.dtype)"),
)
cotangent(
    "value_error_without_a_gradient",
    "Here the gradient is missing, and data has three numbers: that is a RuntimeError. The ValueError is for a gradient of another shape.",
    ("RuntimeError", "ValueError"),
)
cotangent(
    "runtime_error_for_shapes",
    "Here the gradient has another shape than data: that is a ValueError. The RuntimeError is for a gradient that is missing.",
    ("ValueError", "RuntimeError"),
)
cotangent(
    "copied_to_the_shape",
    "A single number is accepted for three, as where it is copied to the shape of data. Another shape is refused, whether it could be stretched or not.",
    ("np.asarray(gradient, dtype=data.dtype)", "np.broadcast_to(np.asarray(gradient, dtype=data.dtype), data.shape)"),
)
cotangent(
    "asks_for_the_length",
    "`len` counts along the first axis. A single number has none, so that `len` breaks, and (1, 3) holds more than one. data.size counts the numbers.",
    ("data.size != 1", "len(data) > 1"),
)
cotangent(
    "one_without_a_shape",
    "data has the shape (1, 1), and the 1 that comes back has (). It is an array like data: np.ones_like.",
    ("np.ones_like(data)", "np.array(1.0, dtype=data.dtype)"),
)
cotangent(
    "data_by_itself",
    "Where the result is 0, `data / data` is 0 / 0: NaN. The derivative of a number by itself is 1, whatever it is.",
    ("np.ones_like(data)", "data / data"),
)


wrong("first_cotangent", "first_length_alone", "Only the number of axes and the first length are compared: every length counts.",
      source=changed(COTANGENT, ("gradient.shape != data.shape", "gradient.ndim != data.ndim or gradient.shape[:1] != data.shape[:1]")))


@wrong("first_cotangent", "full_of_an_int", "The 1 is an integer, as `np.full(shape, 1)` makes it. It needs the dtype of data, as `np.ones_like` gives it.")
def first_cotangent(data, gradient=None):
    if gradient is None:
        if data.size > 1:
            raise RuntimeError("more than one number")
        return np.full(data.shape, 1)
    gradient = np.asarray(gradient, dtype=data.dtype)
    if gradient.shape != data.shape:
        raise ValueError(f"{gradient.shape} is not {data.shape}")
    return gradient


cotangent(
    "zero_times_data",
    "Where the result is infinite or NaN, the way back begins with NaN here: 0 times infinity is NaN. The 1 does not depend on what the result is: np.ones_like.",
    ("np.ones_like(data)", "0 * data + 1"),
)


# -- mended_array_rules -----------------------------------------------------------------------------------------------


MENDED = """
def mended_array_rules():
    return {
        "square": lambda g, out, a: (g * 2 * a,),
        "log2": lambda g, out, a: (g / (a * float(np.log(2))),),
        "add_row": lambda g, out, a, row: (g, g.sum(axis=0)),
    }
"""
SQUARE, LOG2 = MENDED.splitlines(keepends=True)[3:5]
OTHER_ORDER = ("g * 2 * a", "2 * g * a")  # as right as the other
IN_PLACE = (
    ("    return {", "    def square(g, out, a):\n        g *= 2 * a\n        return (g,)\n\n    return {"),
    ("lambda g, out, a: (g * 2 * a,)", "square"),
)


def mended(name, sentence, *changes):
    """A wrong mended_array_rules: with some of its text replaced."""
    wrong("mended_array_rules", name, sentence, source=changed(MENDED, *changes))


@wrong(
    "mended_array_rules",
    "shape_only",
    "You found the wrong sum. The other two give right numbers for your inputs: look at what else a rule can spoil.",
)
def mended_array_rules():
    return {"add_row": lambda g, out, a, row: (g, g.sum(axis=0))}


mended(
    "no_dtype",
    "Two of three. One rule gives the right numbers in the wrong dtype: examine all six in float32.",
    (LOG2, ""),
)
mended(
    "no_side_effect",
    "Two of three. One rule gives the right numbers, and spoils g on the way: compare g before and after.",
    (SQUARE, ""),
)
mended(
    "mends_what_is_right",
    "scale_rows keeps its column with keepdims, and sums the right axis: it was right. Examine it.",
    (LOG2, '        "scale_rows": lambda g, out, a, column: (g * column, (g * a).sum(axis=1, keepdims=True)),\n'),
)
mended(
    "log2_still_float64",
    "Your rule for log2 still computes with a single NumPy number, which makes float64 of float32. Make it a Python number.",
    ("g / (a * float(np.log(2)))", "g / a / np.log(2.0)"),
)
mended(
    "log2_lost_its_factor",
    "Your rule for log2 is that of the natural logarithm: the factor log(2) is gone.",
    ("g / (a * float(np.log(2)))", "g / a"),
)
mended(
    "log2_multiplied",
    "In your rule for log2 the slope is multiplied by log(2), and it has to be divided by it: `g / a * c` is (g / a) · c. Put brackets around the whole denominator.",
    ("g / (a * float(np.log(2)))", "g / a * float(np.log(2))"),
)
mended(
    "add_row_keepdims",
    "Your rule for add_row sums the right axis, but keeps it: the row has shape (3,), not (1, 3).",
    ("axis=0", "axis=0, keepdims=True"),
)
mended(
    "square_still_in_place",
    "Your rule for square still writes into g. An operator such as `*` makes a new array.",
    *IN_PLACE,
)


@wrong(
    "mended_array_rules",
    "the_old_ones",
    "Your rule for add_row gives what the colleague's own gives: it sums along the wrong axis. If the other two are as the colleague wrote them, mend them, too.",
)
def mended_array_rules():
    return {name: CONTRIBUTED[name][1] for name in ("square", "log2", "add_row")}


mended(
    "no_comma",
    "Your rule for log2 returns an array. A rule returns a tuple, here a tuple of one: mind the comma in (x,).",
    ("(g * 2 * a,)", "g * 2 * a"), ("(g / (a * float(np.log(2))),)", "g / (a * float(np.log(2)))"),
)
mended(
    "square_no_comma",
    "Your rule for square returns an array. A rule returns a tuple, here a tuple of one: mind the comma in (x,).",
    ("(g * 2 * a,)", "g * 2 * a"),
)


@right("mended_array_rules", "with_def")
def mended_array_rules():
    def square(g, out, a):
        return (2 * np.multiply(g, a),)

    def log2(g, out, a):
        return ((g / (a * np.log(2))).astype(g.dtype),)

    def add_row(g, out, a, row):
        total = np.zeros_like(row)
        for line in g:
            total = total + line
        return g.copy(), total

    return dict(add_row=add_row, square=square, log2=log2)


@right("mended_array_rules", "calls_the_old_ones")
def mended_array_rules():
    def shielded(name):
        rule = CONTRIBUTED[name][1]
        return lambda g, *rest: tuple(c.astype(g.dtype) for c in rule(g.copy(), *rest))

    mended = {name: shielded(name) for name in ("square", "log2")}
    mended["add_row"] = lambda g, out, a, row: (g, np.sum(g, axis=tuple(range(g.ndim - 1))))
    return mended


mended(
    "two_rows",
    "Only the first two rows of g are added up: the row went into every row of a.",
    ("g.sum(axis=0)", "g[0] + g[1]"), OTHER_ORDER,
)
mended(
    "log2_always_float32",
    "Your rule for log2 loses digits here, as when its result or its log(2) is made float32. Divide by a Python number: it has all its digits, and takes the dtype of the array.",
    ("(g / (a * float(np.log(2))),)", "((g / (a * np.log(2))).astype('float32'),)"), OTHER_ORDER,
)
mended(
    "square_and_undo",
    "After your rule for square, g holds NaN where a is 0, as when it is multiplied in place and divided again. An operator such as `*` makes a new array.",
    *IN_PLACE,
    ("        return (g,)", "        cotangent = g.copy()\n        g /= 2 * a\n        return (cotangent,)"),
)
mended(
    "math_is_not_here",
    "The module `math` is not imported in this notebook. np.log does it as well, if you make a Python number of what it gives.",
    ("float(np.log(2))", "math.log(2)"),
)
mended(
    "square_no_upstream",
    "Your rule for square gives the slope, and g is missing. A rule multiplies by what arrives.",
    ("g * 2 * a", "2 * a"),
)
mended(
    "log2_no_upstream",
    "Your rule for log2 gives the slope, and g is missing. A rule multiplies by what arrives.",
    ("g / (a", "1 / (a"),
)
mended(
    "log2_of_float32",
    "Your rule for log2 loses digits here, as when its result or its log(2) is made float32. Divide by a Python number: it has all its digits, and takes the dtype of the array.",
    ("float(np.log(2))", "np.float32(np.log(2))"),
)


wrong("mended_array_rules", "rounded_logarithm", "The logarithm of 2 is rounded here, and the cotangents are off from the fifth digit on: `np.log(2)`.",
      source=changed(MENDED, ("float(np.log(2))", "0.6931")))


# -- array_network ----------------------------------------------------------------------------------------------------


NETWORK = """
def array_network(x, layers):
    for W, b in layers[:-1]:
        x = tanh(x @ W + b)
    W, b = layers[-1]
    return x @ W + b
"""
OF_ARRAYS = ("    for", "    x = x.data\n    for"), ("tanh", "np.tanh"), ("W + b", "W.data + b.data")


def network(name, sentence, *changes):
    """A wrong array_network: with some of its text replaced."""
    wrong("array_network", name, sentence, source=changed(NETWORK, *changes))


@wrong(
    "array_network",
    "tanh_at_the_end",
    "There is a tanh after the last layer too. Scores may be any number.",
)
def array_network(x, layers):
    for W, b in layers:
        x = tanh(x @ W + b)
    return x


@wrong(
    "array_network",
    "no_tanh",
    "No tanh between the layers: without it, two layers can do no more than one.",
)
def array_network(x, layers):
    for W, b in layers:
        x = x @ W + b
    return x


@wrong(
    "array_network",
    "tanh_in_front",
    "tanh stands before each layer here, the first too. It belongs behind each layer, and not behind the last.",
)
def array_network(x, layers):
    for W, b in layers:
        x = tanh(x) @ W + b
    return x


@wrong(
    "array_network",
    "not_the_last_pair",
    "You compare with the last pair, and the same pair may stand in the list twice. Ask for the place in the list.",
)
def array_network(x, layers):
    for layer in layers:
        W, b = layer
        x = x @ W + b
        if layer is not layers[-1]:
            x = tanh(x)
    return x


network(
    "tanh_too_early",
    "The bias is added after tanh here. It belongs inside: tanh(x @ W + b).",
    ("tanh(x @ W + b)", "tanh(x @ W) + b"),
)


@wrong("array_network", "no_bias", "The biases are missing.")
def array_network(x, layers):
    for W, b in layers[:-1]:
        x = tanh(x @ W)
    return x @ layers[-1][0]


@wrong(
    "array_network",
    "bias_missing_at_the_end",
    "The last layer has a bias, too.",
)
def array_network(x, layers):
    for W, b in layers[:-1]:
        x = tanh(x @ W + b)
    return x @ layers[-1][0]


network(
    "weights_first",
    "The shapes do not fit. The points are the rows of x, so x stands in front; and a layer is the matrix product `@`, not `*`.",
    ("x @ W", "W @ x"),
)
network(
    "number_by_number",
    "The shapes do not fit: `*` multiplies number by number. A layer sums over its inputs: that is the matrix product `@`.",
    ("x @ W", "x * W"),
)


@wrong(
    "array_network",
    "layers_used_up",
    "The caller's list is another one afterwards: `pop`, `reverse` and an assignment such as `layers[i] = ...` change the list itself, and the next step needs it as it was. Only read from it.",
)
def array_network(x, layers):
    W, b = layers.pop()
    for V, c in layers:
        x = tanh(x @ V + c)
    return x @ W + b


OF_NUMPY = "NumPy's functions, such as np.tanh and np.matmul, know nothing of Tensors, and nothing would be recorded. Use the operators `@` and `+`, and the `tanh` of this notebook."
network("numpys_tanh", OF_NUMPY, ("tanh", "np.tanh"))
network("numpys_matmul", OF_NUMPY, ("x @ W", "np.matmul(x, W)"))
network(
    "out_of_the_graph",
    "What comes back is no Tensor. `.data` leads out of the graph, so that no gradient comes back to the weights; and without a `return` nothing comes back at all.",
    *OF_ARRAYS,
)
network(
    "cut_between_layers",
    "The scores are right, but a Tensor made from .data remembers nothing: the way back ends there, and the first layers get no gradient.",
    ("tanh(x @ W + b)", "Tensor(np.tanh((x @ W + b).data))"),
)
network(
    "last_layer_missing",
    "The last layer is missing. It has a W and a b like the others: only tanh does not follow it.",
    ("    W, b = layers[-1]\n    return x @ W + b", "    return x"),
)


@wrong(
    "array_network",
    "each_layer_from_x",
    "Of the first two layers only the second counts here, as when each takes x. The output of a layer is the input of the next.",
)
def array_network(x, layers):
    h = x
    for V, c in layers[:-1]:
        h = tanh(x @ V + c)
    W, b = layers[-1]
    return h @ W + b


@wrong(
    "array_network",
    "tanh_after_the_first_only",
    "Of three layers only the first is followed by tanh here. It belongs after each layer but the last.",
)
def array_network(x, layers):
    for i, (W, b) in enumerate(layers):
        x = x @ W + b
        if i == 0 and len(layers) > 1:
            x = tanh(x)
    return x


@wrong(
    "array_network",
    "tanh_after_the_last_only",
    "tanh stands after the last layer here, and not after the first. It belongs after each layer but the last.",
)
def array_network(x, layers):
    for W, b in layers:
        x = x @ W + b
    return tanh(x)


right(
    "array_arithmetic",
    "lists",
    source="""
def mul_rule(g, out, a, b):
    return [g * b, g * a]


def div_rule(g, out, a, b):
    return [g / b, -g * a / b**2]
""",
)


@right("array_network", "by_index")
def array_network(x, layers):
    for i, (W, b) in enumerate(layers):
        if i > 0:
            x = tanh(x)
        x = x @ W + b
    return x


@right("array_network", "by_star")
def array_network(x, layers):
    *hidden, (last_W, last_b) = layers
    h = x
    for layer in hidden:
        h = tanh(layer[1] + h @ layer[0])
    return last_b + h @ last_W


@wrong(
    "array_network",
    "three_layers_at_most",
    "With more than three layers some are left out, as where each number of layers has lines of its own. A loop goes through as many as there are.",
)
def array_network(x, layers):
    for k, (W, b) in enumerate(layers[:3]):
        x = x @ W + b
        x = tanh(x) if k < min(len(layers), 3) - 1 else x
    return x


@wrong(
    "array_network",
    "return_in_the_loop",
    "A single layer gives nothing here, as when `return` stands inside the loop: the loop over the layers but the last has no turn then, and with several it ends after the first.",
)
def array_network(x, layers):
    for W, b in layers[:-1]:
        x = tanh(x @ W + b)
        return x @ layers[-1][0] + layers[-1][1]


NEVER_SET = "With a single layer the loop has no turn, so that a name which only the loop sets is never set. Begin with x, under that name: then each layer can read it, too."
network("each_from_x_no_name", NEVER_SET, ("x = tanh", "h = tanh"), ("return x", "return h"))


@wrong("array_network", "x_in_the_first_turn", NEVER_SET)
def array_network(x, layers):
    for i, (W, b) in enumerate(layers[:-1]):
        h = tanh((h if i else x) @ W + b)
    W, b = layers[-1]
    return h @ W + b


@wrong(
    "array_network",
    "tanh_after_the_first_always",
    "A single layer is followed by a tanh here, as where the first layer has lines of its own. It is the last layer, too: no tanh.",
)
def array_network(x, layers):
    W, b = layers[0]
    h = tanh(x @ W + b)
    for W, b in layers[1:-1]:
        h = tanh(h @ W + b)
    return h @ layers[-1][0] + layers[-1][1] if len(layers) > 1 else h


network(
    "a_tensor_at_the_end",
    "The scores are right, and their Tensor remembers nothing: it was made of `.data`, so that no way leads back to the weights.",
    *OF_ARRAYS, ("return x @ W.data + b.data", "return Tensor(x @ W.data + b.data)"),
)


network(
    "list_turned_around",
    "The caller's list is another one afterwards: `pop`, `reverse` and an assignment such as `layers[i] = ...` change the list itself, and the next step needs it as it was. Only read from it.",
    ("    for W, b in layers[:-1]", "    layers.reverse()\n    for W, b in layers[:0:-1]"), ("layers[-1]\n", "layers[0]\n"),
)
network(
    "list_written_into",
    "The caller's list is another one afterwards: `pop`, `reverse` and an assignment such as `layers[i] = ...` change the list itself, and the next step needs it as it was. Only read from it.",
    ("    return x @ W + b", "    layers[:] = [None] * len(layers)\n    return x @ W + b"),
)
network(
    "tanh_by_hand",
    "With large numbers NaN comes out: exp overflows, and infinity by infinity is NaN, as where tanh is made of exp. The `tanh` of this notebook does not overflow.",
    ("        x = tanh(x @ W + b)", "        x = x @ W + b\n        x = (exp(x) - exp(-x)) / (exp(x) + exp(-x))"),
)
