"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 06_shapes_and_matmul`) and they diagnose: a student's answer that behaves like
one of these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the
functions use (np, unbroadcast) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import changed, right, wrong

# -- sum_and_mean -----------------------------------------------------------------------------------------------------


@wrong(
    "sum_and_mean",
    "axis_not_put_back",
    "Here g does not fit the shape of a: it lacks the summed axis, or has it in another place. Put it back where it was, with length 1, and then copy.",
)
def sum_rule(g, out, a, axis=None, keepdims=False):
    return (np.broadcast_to(g, a.shape),)


@wrong(
    "sum_and_mean",
    "axis_put_back_last",
    "Here axis 0 was summed, and g got it back at the end. Put the summed axis back in its own place.",
)
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        g = g[..., None]
    return (np.broadcast_to(g, a.shape),)


@wrong("sum_and_mean", "times_input", "You multiplied by a. The slope of a sum by each of its numbers is 1.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return (g * a,)


@wrong("sum_and_mean", "shared_out", "You divided g among the numbers. That is the mean: in a sum, each moves out by all of its own move.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return (np.broadcast_to(g * (out.size / a.size), a.shape),)


@wrong("sum_and_mean", "no_upstream", "These are the slopes alone, all 1. Each is multiplied by the g that arrives at its sum.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    return (np.ones_like(a),)


@wrong("sum_and_mean", "not_copied", "The summed axis is back, with length 1. Each number of a needs its own: copy g along the summed axes.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return (g,)


@wrong("sum_and_mean", "keepdims_forgotten", "With keepdims=True the summed axis is there already, and you put another one in.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None:
        g = np.expand_dims(g, axis)
    return (np.broadcast_to(g, a.shape),)


@wrong("sum_and_mean", "summed_again", "You added g up. On the way back of a sum, g is copied.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    return (np.full(a.shape, g.sum()),)


@wrong("sum_and_mean", "one_axis_only", "Here the axis is a tuple, and neither an index of a list or of a shape nor a slice can use that. np.expand_dims takes both, an int and a tuple.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        shape = list(a.shape)
        shape[axis] = 1
        g = g.reshape(shape)
    return (np.broadcast_to(g, a.shape),)


@wrong("sum_and_mean", "one_by_one", "Axes that go in one after the other move the places of each other, and may ask for a place that is not there yet: give np.expand_dims the whole tuple.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        for i in axis if isinstance(axis, tuple) else (axis,):
            g = np.expand_dims(g, i)
    return (np.broadcast_to(g, a.shape),)


@wrong("sum_and_mean", "axis_of_none", "In a sum over all, axis is None: it is neither an axis nor a list of axes. There g has no axes, and spreads over a as it is.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if not keepdims:
        g = np.expand_dims(g, axis)
    return (np.broadcast_to(g, a.shape),)


@wrong("sum_and_mean", "no_tuple", "Rules send back a tuple, one cotangent for each input: here a tuple of one, written `(x,)`, with the comma.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return np.broadcast_to(g, a.shape)


@wrong("sum_and_mean", "a_list_of_rows", "A tuple with one array in it is wanted, and this is a list of the array's rows: `.tolist()` makes one, for example.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return np.broadcast_to(g, a.shape).tolist()


@wrong("sum_and_mean", "mean_not_divided", "mean_rule is the rule of a sum. A number among n in a mean moves it by 1/n.")
def mean_rule(g, out, a, axis=None, keepdims=False):
    return sum_rule(g, out, a, axis, keepdims)


@wrong("sum_and_mean", "divided_by_all", "mean_rule divides by 6, the number of all numbers in a. Count only those that went into one mean.")
def mean_rule(g, out, a, axis=None, keepdims=False):
    return sum_rule(g / a.size, out, a, axis, keepdims)


@wrong("sum_and_mean", "divided_by_means", "mean_rule divides by 2 here, how many means came out, or how many rows there are. Count how many numbers went into each mean.")
def mean_rule(g, out, a, axis=None, keepdims=False):
    return sum_rule(g / out.size, out, a, axis, keepdims)


@wrong("sum_and_mean", "divided_by_rows", "mean_rule divides by 2 here, how many means came out, or how many rows there are. Count how many numbers went into each mean.")
def mean_rule(g, out, a, axis=None, keepdims=False):
    return sum_rule(g / len(a), out, a, axis, keepdims)


@wrong("sum_and_mean", "divided_by_columns", "Here mean_rule divides by the length of the last axis alone. The mean may be over another axis, or over several: count all numbers that went into it.")
def mean_rule(g, out, a, axis=None, keepdims=False):
    return sum_rule(g / a.shape[-1], out, a, axis, keepdims)


@wrong("sum_and_mean", "one_axis_counted", "mean_rule asks a.shape for one axis. There may be several, or None for all: a.size / out.size counts in every case.")
def mean_rule(g, out, a, axis=None, keepdims=False):
    return sum_rule(g / a.shape[axis], out, a, axis, keepdims)


@wrong("sum_and_mean", "none_counted", "In the mean of all numbers the axis is None, and None is neither an axis nor a list of them. a.size / out.size counts in every case.")
def mean_rule(g, out, a, axis=None, keepdims=False):
    count = a.shape[axis] if isinstance(axis, int) else np.prod([a.shape[i] for i in axis])
    return sum_rule(g / count, out, a, axis, keepdims)


@wrong("sum_and_mean", "multiplied", "mean_rule multiplies by the count. A number in a mean of many moves it less, not more.")
def mean_rule(g, out, a, axis=None, keepdims=False):
    return sum_rule(g * (a.size / out.size), out, a, axis, keepdims)


@wrong("sum_and_mean", "mean_not_copied", "mean_rule has the right factor, and the shape is still that of out: copy g along the averaged axes, to the shape of a.")
def mean_rule(g, out, a, axis=None, keepdims=False):
    return (g * out.size / a.size,)


@wrong("sum_and_mean", "mean_in_place", "g was changed in place: `/=`, `*=` and `out=` write into an array that others still need.")
def mean_rule(g, out, a, axis=None, keepdims=False):
    g /= a.size / out.size
    return sum_rule(g, out, a, axis, keepdims)


@wrong("sum_and_mean", "tuple_divided", "sum_rule sends back a tuple, and a tuple cannot be divided: divide g before, or take the first element out.")
def mean_rule(g, out, a, axis=None, keepdims=False):
    return sum_rule(g, out, a, axis, keepdims) / (a.size / out.size)


@wrong("sum_and_mean", "tuple_in_a_tuple", "sum_rule sends back a tuple already. Return it as it is, or take its first element out.")
def mean_rule(g, out, a, axis=None, keepdims=False):
    return (sum_rule(g * out.size / a.size, out, a, axis, keepdims),)


@wrong("sum_and_mean", "axis_not_passed_on", "In mean_rule g does not fit the shape of a here: the averaged axes were not put back. Put them back as in sum_rule; if you call that, it needs the axis and keepdims, in this order.")
def mean_rule(g, out, a, axis=None, keepdims=False):
    return sum_rule(g * out.size / a.size, out, a)


@wrong("sum_and_mean", "keepdims_not_passed_on", "In mean_rule the axis that was kept is put in a second time. With keepdims=True it is there already: sum_rule has to know that too, if you call it.")
def mean_rule(g, out, a, axis=None, keepdims=False):
    return sum_rule(g * out.size / a.size, out, a, axis)


@wrong(
    "sum_and_mean",
    "put_back_if_need_be",
    "You put the axis back only where g does not fit without it. Where all axes are equally long it fits, along the wrong one.",
)
def sum_rule(g, out, a, axis=None, keepdims=False):
    if isinstance(axis, tuple) and not keepdims:
        g = np.expand_dims(g, axis)
    try:
        return (np.broadcast_to(g, a.shape),)
    except ValueError:
        return (np.broadcast_to(np.expand_dims(g, axis), a.shape),)


right(
    "sum_and_mean",
    "by_the_kept_shape",
    source="""
    def sum_rule(g, out, a, axis=None, keepdims=False):
        kept = a.sum(axis=axis, keepdims=True).shape
        return (np.zeros(a.shape) + g.reshape(kept),)


    def mean_rule(g, out, a, axis=None, keepdims=False):
        (copied,) = sum_rule(g, out, a, axis, keepdims)
        return (copied / (a.size / out.size),)
    """,
)
right(
    "sum_and_mean",
    "by_a_list_of_axes",
    source="""
    def sum_rule(g, out, a, axis=None, keepdims=False):
        axes = range(a.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
        axes = [i % a.ndim for i in axes]
        shape = [1 if i in axes else n for i, n in enumerate(a.shape)]
        return (np.ones_like(a) * np.reshape(g, shape),)


    def mean_rule(g, out, a, axis=None, keepdims=False):
        if axis is not None and not keepdims:
            g = np.expand_dims(g, axis)
        return (np.broadcast_to(g / (a.size / g.size), a.shape),)
    """,
)


@wrong("sum_and_mean", "one_by_one_counted_in_a", "Axes that go in one after the other move the places of each other, and may ask for a place that is not there yet: give np.expand_dims the whole tuple.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        for i in axis if isinstance(axis, tuple) else (axis,):
            g = np.expand_dims(g, i % a.ndim)
    return (np.broadcast_to(g, a.shape),)


@wrong(
    "sum_and_mean",
    "axis_0_for_none",
    "For a mean over axis 0 you divide by the count of all numbers: 0 counts as False, in `if axis` and in `not axis`. Ask whether it is None.",
)
def mean_rule(g, out, a, axis=None, keepdims=False):
    if not axis:
        count = a.size
    else:
        count = np.prod([a.shape[i] for i in (axis if isinstance(axis, tuple) else (axis,))])
    return sum_rule(g / count, out, a, axis, keepdims)


@wrong("sum_and_mean", "one_by_one_sorted", "Axes that go in one after the other move the places of each other, and may ask for a place that is not there yet: give np.expand_dims the whole tuple.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        for i in (axis,) if isinstance(axis, int) else sorted(axis):
            g = np.expand_dims(g, i)
    return (np.broadcast_to(g, a.shape),)


wrong(
    "sum_and_mean",
    "axes_only_where_it_does_not_fit",
    "`g` is stretched as it is wherever that fits, and along the wrong axes where lengths are equal. Put the summed axes back always.",
    source="""
def sum_rule(g, out, a, axis=None, keepdims=False):
    try:
        return (np.broadcast_to(g, a.shape),)
    except ValueError:
        return (np.broadcast_to(np.expand_dims(g, axis), a.shape),)


def mean_rule(g, out, a, axis=None, keepdims=False):
    (copied,) = sum_rule(g, out, a, axis, keepdims)
    return (copied / (a.size / out.size),)
""",
)


@wrong("sum_and_mean", "lengths_added", "mean_rule divides by 6 here, 2 + 4. Over several axes the lengths are multiplied: 2 * 4 numbers went into each mean.")
def mean_rule(g, out, a, axis=None, keepdims=False):
    if axis is None:
        count = a.size
    elif isinstance(axis, tuple):
        count = sum(a.shape[i] for i in axis)
    else:
        count = a.shape[axis]
    return sum_rule(g / count, out, a, axis, keepdims)


# -- amax_rule --------------------------------------------------------------------------------------------------------


@wrong("amax_rule", "all_of_g_for_each", "Each tied number got all of g, so together they get too much. They share it.")
def amax_rule(g, out, a, axis):
    return ((a == out) * g,)


@wrong("amax_rule", "first_only", "At a tie only the first one got g. Here the tied numbers share it.")
def amax_rule(g, out, a, axis):
    hit = a == out
    axes = tuple(range(a.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(i % a.ndim for i in axes)
    rest = tuple(i for i in range(a.ndim) if i not in axes)
    flat = hit.transpose(rest + axes).reshape([a.shape[i] for i in rest] + [-1])
    first = flat & (np.cumsum(flat, axis=-1) == 1)
    first = first.reshape([a.shape[i] for i in rest + axes]).transpose(np.argsort(rest + axes))
    return (first * g,)


@wrong("amax_rule", "half_each", "A tie of two shares half and half; a tie of three does not. How many are tied?")
def amax_rule(g, out, a, axis):
    hit = a == out
    count = hit.sum(axis=axis, keepdims=True)
    return (np.where(count > 1, 0.5, 1.0) * hit * g,)


@wrong("amax_rule", "counted_everywhere", "You counted the largest ones of the whole array. Count those that share one maximum: along the axis.")
def amax_rule(g, out, a, axis):
    hit = a == out
    return (hit * g / hit.sum(),)


@wrong("amax_rule", "divided_by_length", "You divided by the length of the axis, as a mean does. Only the largest ones share.")
def amax_rule(g, out, a, axis):
    return ((a == out) * g / (a.size / out.size),)


@wrong("amax_rule", "no_mask", "Every number got a share. Only the largest ones move the maximum.")
def amax_rule(g, out, a, axis):
    count = (a == out).sum(axis=axis, keepdims=True)
    return (np.broadcast_to(g / count, a.shape),)


@wrong("amax_rule", "no_upstream", "These are the shares of 1. Multiply them by the g that arrives at each maximum.")
def amax_rule(g, out, a, axis):
    hit = a == out
    return (hit / hit.sum(axis=axis, keepdims=True),)


@wrong("amax_rule", "keepdims_forgotten", "Something has lost the axis, most often the count: one number per row does not fit the rows. keepdims=True keeps it, with length 1.")
def amax_rule(g, out, a, axis):
    hit = a == out
    return (hit * g / hit.sum(axis=axis),)


@wrong("amax_rule", "of_the_whole_array", "Only the 8 got a share here, the largest number of the whole array. Each row, or column, has its own: out holds them.")
def amax_rule(g, out, a, axis):
    hit = a == a.max()
    return (hit * g / np.maximum(hit.sum(axis=axis, keepdims=True), 1),)


@wrong("amax_rule", "whole_array_and_its_nan", "Only the 8 got a share here, the largest number of the whole array. Each row, or column, has its own: out holds them.")
def amax_rule(g, out, a, axis):
    hit = a == a.max()
    with np.errstate(all="ignore"):
        return (hit * g / hit.sum(axis=axis, keepdims=True),)


@wrong("amax_rule", "g_in_place", "g was changed in place: `/=` and `out=` write into an array that others still need.")
def amax_rule(g, out, a, axis):
    hit = a == out
    g /= hit.sum(axis=axis, keepdims=True)
    return (hit * g,)


@wrong("amax_rule", "no_tuple", "Rules send back a tuple, one cotangent for each input: here a tuple of one, written `(x,)`, with the comma.")
def amax_rule(g, out, a, axis):
    hit = a == out
    return hit * g / hit.sum(axis=axis, keepdims=True)


@wrong("amax_rule", "nearly_tied", "Numbers that are only near the maximum get a share as well. Tied are those that equal it.")
def amax_rule(g, out, a, axis):
    hit = np.isclose(a, out)
    return (hit * g / hit.sum(axis=axis, keepdims=True),)


@wrong("amax_rule", "into_out", "`out` is written into. The engine, and whoever holds it, needs it as it was.")
def amax_rule(g, out, a, axis):
    np.subtract(a, out, out=(gap := np.empty_like(a)))
    hit = gap == 0
    out -= out
    return (hit * g / hit.sum(axis=axis, keepdims=True),)


@wrong("amax_rule", "all_counted_for_a_tuple", "With a tuple of axes you count the largest ones of the whole array. Count those that share one maximum: along all the axes that it names.")
def amax_rule(g, out, a, axis):
    hit = a == out
    count = hit.sum() if isinstance(axis, tuple) else hit.sum(axis=axis, keepdims=True)
    return (hit * g / count,)


@wrong("amax_rule", "into_a", "`a` is written into, by `-=`, `out=` or the like. It is the array of whoever calls the rule: make a new one.")
def amax_rule(g, out, a, axis):
    a -= out
    hit = a == 0
    return (g * hit / hit.sum(axis=axis, keepdims=True),)


@right("amax_rule", "with_where")
def amax_rule(g, out, a, axis):
    count = np.count_nonzero(a == out, axis=axis, keepdims=True)
    return (np.where(a < out, 0.0, g / count),)


@right("amax_rule", "weights_first")
def amax_rule(g, out, a, axis):
    weights = (a >= out).astype(float)
    weights /= weights.sum(axis=axis, keepdims=True)
    return (g * weights,)


@wrong("amax_rule", "by_the_difference", "Where the largest number is infinite nobody gets a share here, or NaN: infinity minus infinity is NaN, and not 0. Compare with `==`.")
def amax_rule(g, out, a, axis):
    with np.errstate(all="ignore"):
        hit = a - out == 0
        return (hit * g / hit.sum(axis=axis, keepdims=True),)


# -- move_rules -------------------------------------------------------------------------------------------------------


@wrong("move_rules", "forward_again", "What reshape_rule sends back has the shape of out. The numbers go back into the shape of a.")
def reshape_rule(g, out, a, shape):
    return (g.reshape(shape),)


@wrong("move_rules", "transposed_for_reshape", "reshape_rule transposes g, or reads it in columns. A reshape keeps the order in which the numbers are read, row after row.")
def reshape_rule(g, out, a, shape):
    return (g.T.reshape(a.shape),)


@wrong("move_rules", "by_columns", "reshape_rule reads g in columns. A reshape reads on in rows.")
def reshape_rule(g, out, a, shape):
    return (g.reshape(a.shape, order="F"),)


@wrong("move_rules", "axes_again", "permute_rule applies the same permutation again. The way back needs its inverse.")
def permute_rule(g, out, a, axes):
    return (np.transpose(g, axes),)


@wrong("move_rules", "reshaped_for_permute", "permute_rule gives the right shape with the numbers in wrong places: a reshape moves no axes.")
def permute_rule(g, out, a, axes):
    return (g.reshape(a.shape),)


@wrong("move_rules", "all_axes_reversed", "permute_rule turns all axes around. That is the inverse of one permutation only.")
def permute_rule(g, out, a, axes):
    return (g.T,)


@wrong("move_rules", "reversed_list", "Here permute_rule exchanges the first two axes, as the list of axes does from its end. Where does axis 0 of a stand in out?")
def permute_rule(g, out, a, axes):
    return (np.transpose(g, axes[::-1]),)


@wrong("move_rules", "permuted_twice", "permute_rule applies the permutation twice. That undoes three axes that go round, and not two that are exchanged.")
def permute_rule(g, out, a, axes):
    return (np.transpose(g, [axes[i] for i in axes]),)


@wrong(
    "move_rules",
    "found_by_length",
    "permute_rule looks for each axis of a by its length. Two axes may be equally long: only `axes` tells them apart.",
)
def permute_rule(g, out, a, axes):
    back = [g.shape.index(n) for n in a.shape]
    return (np.transpose(g, back),)


@wrong(
    "move_rules",
    "sorted_by_length",
    "permute_rule goes by the lengths of the axes, or by the shape alone, and leaves them here as they are. Two axes may be equally long: only `axes` tells them apart.",
)
def permute_rule(g, out, a, axes):
    rank, back = np.argsort(np.argsort(a.shape, kind="stable")), np.argsort(g.shape, kind="stable")
    return (np.transpose(g, back[rank]),)


@wrong("move_rules", "axes_in_order", "permute_rule leaves every axis where it is. Where does axis 0 of a stand in out?")
def permute_rule(g, out, a, axes):
    return (np.transpose(g, range(g.ndim)),)


@wrong("move_rules", "bare_array", "Each rule returns a tuple of one: write `(x,)`, with the comma.")
def reshape_rule(g, out, a, shape):
    return g.reshape(a.shape)


@wrong("move_rules", "four_axes_again", "With four axes permute_rule applies the same permutation again, which undoes swaps only. The way back needs the inverse, for any number of axes.")
def permute_rule(g, out, a, axes):
    if len(axes) == 3:
        return (np.transpose(g, (1, 2, 0)),)
    return (np.transpose(g, axes),)


@wrong("move_rules", "again_or_twice", "Four axes that go round do not come back by the same permutation once more, or twice. Where does each axis of a stand in `axes`?")
def permute_rule(g, out, a, axes):
    twice = [axes[i] for i in axes]
    return (np.transpose(g, axes if twice == sorted(axes) else twice),)


@wrong("move_rules", "g_gets_another_shape", "reshape_rule sets the shape of g itself, which others hold too. `g.reshape(...)` makes a new array.")
def reshape_rule(g, out, a, shape):
    g.shape = a.shape
    return (g,)


@wrong("move_rules", "a_for_g", "permute_rule sends back the numbers of a, moved. Those that go back are the numbers of g.")
def permute_rule(g, out, a, axes):
    return (np.transpose(a, axes),)


@wrong("move_rules", "a_moved_back", "permute_rule sends back the numbers of a, moved. Those that go back are the numbers of g.")
def permute_rule(g, out, a, axes):
    return (np.transpose(a, np.argsort(axes)),)


@wrong("move_rules", "four_axes_again_three_twice", "With four axes permute_rule applies the same permutation again, which undoes swaps only. The way back needs the inverse, for any number of axes.")
def permute_rule(g, out, a, axes):
    if len(axes) == 3:
        return (np.transpose(np.transpose(g, axes), axes),)
    return (np.transpose(g, axes),)


right(
    "move_rules",
    "by_moving_each_axis",
    source="""
    def reshape_rule(g, out, a, shape):
        back = np.zeros_like(a)
        back.flat = g.ravel()
        return (back,)


    def permute_rule(g, out, a, axes):
        return (np.moveaxis(g, range(g.ndim), axes),)
    """,
)
right(
    "move_rules",
    "by_sorting_the_axes",
    source="""
    def reshape_rule(g, out, a, shape):
        return (np.array(g).ravel().reshape(*a.shape),)


    def permute_rule(g, out, a, axes):
        return (g.transpose(np.argsort(axes)),)
    """,
)


@wrong(
    "move_rules",
    "as_it_lies",
    "reshape_rule reads g as it lies in memory. That may be column by column, as after a transposition: a reshape reads in rows.",
)
def reshape_rule(g, out, a, shape):
    return (g.reshape(a.shape, order="A"),)


@wrong("move_rules", "lengths_one_by_one", "reshape_rule is right where a has two or three axes. It may have any number: a.shape holds all lengths.")
def reshape_rule(g, out, a, shape):
    if a.ndim == 2:
        return (g.reshape(len(a), -1),)
    return (g.reshape(a.shape[0], a.shape[1], -1),)


TURNED = "An `a` that lies in memory column by column, as after a transposition, gets wrong numbers here, or only zeros. Of such a one `ravel()` and `reshape()` are copies: what is written into them does not arrive."


@wrong("move_rules", "a_copy_is_filled", TURNED)
def reshape_rule(g, out, a, shape):
    back = np.zeros_like(a)
    back.ravel()[...] = g.ravel()
    return (back,)


@wrong("move_rules", "the_shape_has_to_be_whole", "A shape may hold -1, for a length that NumPy works out: it need not equal that of g. Where the numbers go back to, a.shape says.")
def reshape_rule(g, out, a, shape):
    assert g.shape == tuple(shape)
    return (g.reshape(a.shape),)


# -- index_rule -------------------------------------------------------------------------------------------------------


@wrong("index_rule", "plus_equals", "A row that was picked twice kept one contribution: with an index, both `=` and `+=` store each row once.")
def index_rule(g, out, a, index):
    back = np.zeros_like(a)
    back[index] += g
    return (back,)


@wrong("index_rule", "negative_compared", "A negative index counts from the end: -3 is row 0 of three. A comparison with 0, 1 and 2 does not find it.")
def index_rule(g, out, a, index):
    back = np.zeros_like(a)
    if isinstance(index, np.ndarray) and index.dtype.kind == "i":
        for i in range(len(a)):
            back[i] = g[index == i].sum(axis=0)
    else:
        np.add.at(back, index, g)
    return (back,)


@wrong("index_rule", "picked_again", "You picked from g. The way back brings g's numbers to the places where they were picked.")
def index_rule(g, out, a, index):
    return (g[index],)


@wrong("index_rule", "onto_a", "You added g to the numbers of a. Begin with zeros of that shape.")
def index_rule(g, out, a, index):
    back = a.copy()
    np.add.at(back, index, g)
    return (back,)


@wrong("index_rule", "into_a", "You wrote into a itself. Begin with an array of zeros of its shape.")
def index_rule(g, out, a, index):
    np.add.at(a, index, g)
    return (a,)


@wrong("index_rule", "returns_none", "np.add.at changes its first argument and returns None. Return that argument.")
def index_rule(g, out, a, index):
    return (np.add.at(np.zeros_like(a), index, g),)


@wrong("index_rule", "ones", "You counted how often each row was picked. What arrives there is g, not 1.")
def index_rule(g, out, a, index):
    back = np.zeros_like(a)
    np.add.at(back, index, 1.0)
    return (back,)


@wrong("index_rule", "out_for_g", "What was picked is added up here. The numbers to be brought back are those of g; out is what the picking gave.")
def index_rule(g, out, a, index):
    back = np.zeros_like(a)
    np.add.at(back, index, out)
    return (back,)


@wrong("index_rule", "shape_of_g", "A place is asked for that is not there: the zeros have the shape of g. The cotangent has the shape of a.")
def index_rule(g, out, a, index):
    back = np.zeros_like(g)
    np.add.at(back, index, g)
    return (back,)


@wrong("index_rule", "rows_only", "You went through the rows of the index as if each were a row number. The index may be an int, a mask, or a tuple of arrays, and with two axes each of its rows holds several numbers.")
def index_rule(g, out, a, index):
    back = np.zeros_like(a)
    for row, i in zip(g, index):
        back[i] += row
    return (back,)


@wrong(
    "index_rule",
    "numerical",
    "This is the numerical derivative. It takes an evaluation or two for each number, and is exact to some digits only: write the rule.",
)
def index_rule(g, out, a, index):
    return numerical_cotangents(lambda x: x[index], g, a)


@wrong("index_rule", "no_tuple", "Rules send back a tuple, one cotangent for each input: here a tuple of one, written `(x,)`, with the comma.")
def index_rule(g, out, a, index):
    back = np.zeros_like(a)
    np.add.at(back, index, g)
    return back


@wrong("index_rule", "rows_by_one_hot", "Here the index has two axes, and the shapes do not fit. A table of ones and zeros takes a list of row numbers only, and where the index is flattened, g has to be as well. np.add.at takes any index.")
def index_rule(g, out, a, index):
    picks = np.eye(len(a))[index]
    return (picks.T @ g,)


@wrong("index_rule", "not_nested", "You went through the rows of the index as if each were a row number. The index may be an int, a mask, or a tuple of arrays, and with two axes each of its rows holds several numbers.")
def index_rule(g, out, a, index):
    back = np.zeros_like(a)
    if isinstance(index, tuple):
        np.add.at(back, index, g)
    elif getattr(index, "dtype", int) == bool:
        back[index] = g
    elif isinstance(index, int):
        back[index] += g
    else:
        for row, i in zip(g, index):
            back[i] += row
    return (back,)


@wrong(
    "index_rule",
    "zeros_kept",
    "The same array is used in each call, so that a later call changes what an earlier one has given. Make new zeros each time.",
)
def index_rule(g, out, a, index, kept={}):
    back = kept.setdefault(a.shape, np.zeros(a.shape))
    back[...] = 0
    np.add.at(back, index, g)
    return (back,)


@wrong(
    "index_rule",
    "tuples_of_two",
    "Of a tuple you use two numbers, as if a had two axes. It may name one axis, or three, and count from an axis's end: give np.add.at the index as it is.",
)
def index_rule(g, out, a, index):
    back = np.zeros(a.shape)
    if isinstance(index, tuple):
        np.add.at(back.reshape(-1), index[0] * a.shape[-1] + index[1], g)
    else:
        np.add.at(back, index, g)
    return (back,)


@wrong("index_rule", "tuple_as_an_array", "A tuple holds the rows and the columns. As one array, or as a list, it picks rows with all their numbers: give np.add.at the index as it is.")
def index_rule(g, out, a, index):
    back = np.zeros_like(a)
    np.add.at(back, np.asarray(index), g)
    return (back,)


@right("index_rule", "by_places")
def index_rule(g, out, a, index):
    places = np.arange(a.size).reshape(a.shape)[index]
    sums = np.bincount(np.ravel(places), weights=np.ravel(g), minlength=a.size)
    return (sums.reshape(a.shape),)


@right("index_rule", "by_a_loop")
def index_rule(g, out, a, index):
    places = np.ravel(np.arange(a.size).reshape(a.shape)[index])
    back = [0.0] * a.size
    for place, number in zip(places, np.ravel(g)):
        back[place] += number
    return (np.array(back).reshape(a.shape),)


@wrong("index_rule", "a_copy_is_filled", TURNED)
def index_rule(g, out, a, index):
    back = np.zeros_like(a)
    np.add.at(back.ravel(), np.arange(a.size).reshape(a.shape)[index], g)
    return (back,)


@wrong("index_rule", "tuples_stored_once", "With a tuple of arrays a place that comes twice keeps one of its contributions: `back[index] += g` stores each place once. `np.add.at` takes a tuple, too.")
def index_rule(g, out, a, index):
    back = np.zeros_like(a)
    if isinstance(index, tuple):
        back[index] += g
    else:
        np.add.at(back, index, g)
    return (back,)


@wrong("index_rule", "mean_of_what_came", "A row that was picked twice got the mean of both contributions here. They add up, and nothing is divided.")
def index_rule(g, out, a, index):
    back, times = np.zeros_like(a), np.zeros_like(a)
    np.add.at(back, index, g)
    np.add.at(times, index, 1)
    return (back / np.maximum(times, 1),)


# -- matmul_rule ------------------------------------------------------------------------------------------------------


@wrong("matmul_rule", "not_transposed", "No factor is transposed here, and of square matrices every product fits. What is turned is not a question of the shapes alone: dA[0, 0] is row 0 of g times row 0 of b.")
def matmul_rule(g, out, a, b):
    return g @ b, a @ g


@wrong("matmul_rule", "one_array", "One array comes back, and two cotangents are wanted, that of a and that of b: its two rows were taken for them.")
def matmul_rule(g, out, a, b):
    return g @ b.T


@wrong("matmul_rule", "order_swapped", "The factors stand in the other order. Here all is square, and both orders fit. Try (2, 3) @ (3, 4): only one gives the shape of a.")
def matmul_rule(g, out, a, b):
    return b.T @ g, g @ a.T


@wrong("matmul_rule", "b_before_g", "B stands before G, and neither is turned. dA[i, k] is row i of G times row k of B: G comes first, and B is turned.")
def matmul_rule(g, out, a, b):
    return b @ g, g @ a


@wrong("matmul_rule", "da_like_numbers", "What b gets is right. dA[i, k] is row i of G times row k of B: G comes first, and B is turned.")
def matmul_rule(g, out, a, b):
    return b @ g, a.T @ g


@wrong("matmul_rule", "db_like_numbers", "What a gets is right. For b, column k of A meets column j of G: A comes first, and is turned.")
def matmul_rule(g, out, a, b):
    return g @ b.T, g @ a


@wrong("matmul_rule", "like_numbers", "This multiplies number by number, as in unit 05. Each entry of a matrix product is a sum.")
def matmul_rule(g, out, a, b):
    return g * b, g * a


@wrong("matmul_rule", "results_swapped", "Both products are right, and in the opposite order: what a gets comes first.")
def matmul_rule(g, out, a, b):
    return a.T @ g, g @ b.T


@wrong("matmul_rule", "results_transposed", "Both results are transposed. The cotangent of a has the shape of a.")
def matmul_rule(g, out, a, b):
    return b @ g.T, g.T @ a


@wrong("matmul_rule", "no_upstream", "g does not take part. The factors are multiplied by what arrives at out.")
def matmul_rule(g, out, a, b):
    return np.ones_like(g) @ b.T, a.T @ np.ones_like(g)


@wrong("matmul_rule", "a_gets_a", "dA is made with A. The factor that acts on A's numbers stands in B.")
def matmul_rule(g, out, a, b):
    return g @ g.T @ a, b @ g.T @ g


@wrong(
    "matmul_rule",
    "numerical",
    "This is the numerical derivative. It takes an evaluation or two for each number, and is exact to some digits only: write the rule.",
)
def matmul_rule(g, out, a, b):
    return numerical_cotangents(np.matmul, g, a, b)


@wrong("matmul_rule", "times_transposed", "`*` multiplies number by number, with a transposition too. Each entry of a matrix product is a sum: write `@`.")
def matmul_rule(g, out, a, b):
    return g * b.T, a.T * g


@wrong("matmul_rule", "db_transposed", "What a gets is right. What b gets is transposed: which matrix of the product has to be turned?")
def matmul_rule(g, out, a, b):
    return g @ b.T, g.T @ a


@wrong("matmul_rule", "g_for_zeros", "Where g is all 0, both cotangents are zeros, in the shapes of a and b. The formula gives them: no case of its own is needed.")
def matmul_rule(g, out, a, b):
    if not np.any(g):
        return g, g
    return g @ b.T, a.T @ g


@wrong("matmul_rule", "last_term_only", "Of each sum only the last term is kept. In a loop `=` stores anew; `+=` adds up.")
def matmul_rule(g, out, a, b):
    da, db = np.zeros_like(a), np.zeros_like(b)
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                da[i, k] = g[i, j] * b[k, j]
                db[k, j] = g[i, j] * a[i, k]
    return da, db


@wrong("matmul_rule", "times_for_one_number", "Where out is a single number, a and b have each other's shape turned round, and g times b has the shape of b. The formula gives the right one: no case of its own is needed.")
def matmul_rule(g, out, a, b):
    if g.size == 1:
        return g * b, g * a
    return g @ b.T, a.T @ g


@right("matmul_rule", "einsum")
def matmul_rule(g, out, a, b):
    return np.einsum("ij,kj->ik", g, b), np.einsum("ij,ik->kj", g, a)


@right("matmul_rule", "entry_by_entry")
def matmul_rule(g, out, a, b):
    da, db = np.zeros_like(a), np.zeros_like(b)
    for i in range(len(a)):
        for k in range(len(b)):
            da[i, k] = g[i] @ b[k]
            db[k] += a[i, k] * g[i]
    return da, db


@right("matmul_rule", "transposed_twice")
def matmul_rule(g, out, a, b):
    return (b @ g.T).T, (g.T @ a).T


@wrong("matmul_rule", "turned_where_it_must", "A matrix is transposed here only where it does not fit as it is, and a square one always fits. Both belong transposed, whatever their shapes.")
def matmul_rule(g, out, a, b):
    if a.shape == b.shape:
        return g @ b.T, a.T @ g
    right = b if g.shape[1] == b.shape[0] else b.T
    left = a if a.shape[1] == g.shape[0] else a.T
    return g @ right, left @ g


@wrong("matmul_rule", "written_into_a", "a is written into here: dB was computed with an a that held dA already. `out=` writes into the array that it is given; make a new one.")
def matmul_rule(g, out, a, b):
    da = np.matmul(g, b.T, out=a)
    db = a.T @ g
    return da, db


@wrong("matmul_rule", "divided_by_rows", "dB is divided by the number of rows here. What the rows send to b is added up; if a loss takes a mean, that comes with g.")
def matmul_rule(g, out, a, b):
    da = g @ b.T
    db = a.T @ g / len(a)
    return da, db


@wrong("matmul_rule", "last_product_kept", "Of the products of each dA[i, k] only the last one is kept, as where a loop has `=` in place of `+=`. They add up.")
def matmul_rule(g, out, a, b):
    da, db = np.zeros(a.shape), np.zeros(b.shape)
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                da[i, k] = g[i, j] * b[k, j]
                db[k, j] += a[i, k] * g[i, j]
    return da, db


# -- batched_matmul_rule ----------------------------------------------------------------------------------------------


AXES_OF_G = """\
    g = g[..., None] if b.ndim == 1 else g
    g = np.expand_dims(g, -2) if a.ndim == 1 else g
"""
# A vector is a row on the left and a column on the right, and g has the axis, too.
MATRICES = f"""
def batched_matmul_rule(g, out, a, b):
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
{AXES_OF_G}"""
# What each pair sends back, not yet added up.
PAIRS = MATRICES + """\
    da, db = g @ right.swapaxes(-1, -2), left.swapaxes(-1, -2) @ g
"""
BOTH = """\
    da = unbroadcast(g @ right.swapaxes(-1, -2), left.shape)
    db = unbroadcast(left.swapaxes(-1, -2) @ g, right.shape)
    return da.reshape(a.shape), db.reshape(b.shape)
"""
IN_ONE_LINE = MATRICES + """\
    da, db = unbroadcast(g @ right.swapaxes(-1, -2), left.shape), unbroadcast(left.swapaxes(-1, -2) @ g, right.shape)
    return da.reshape(a.shape), db.reshape(b.shape)
"""
IN_TWO_LINES = MATRICES + BOTH
COLUMN_AND_ROW = f"""
def batched_matmul_rule(g, out, a, b):
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    if b.ndim == 1:
        g = g[..., None]
    if a.ndim == 1:
        g = np.expand_dims(g, -2)
{BOTH}"""


def batched(name, sentence, *changes, source=IN_TWO_LINES):
    """A wrong batched_matmul_rule: with some of its lines replaced."""
    wrong("batched_matmul_rule", name, sentence, source=changed(source, *changes))


batched("all_axes_turned", "With three axes the shapes do not fit: of each array the last two are to be exchanged, and no others. .T turns all axes around.",
        ("swapaxes(-1, -2)", "T"), source=IN_ONE_LINE)
batched("not_unbroadcast", "The pairs are right. A matrix that was used for several pairs gets the sum of what they send.",
        source=PAIRS + """\
    da = da.reshape(a.shape) if a.ndim == 1 and da.size == a.size else da
    db = db.reshape(b.shape) if b.ndim == 1 and db.size == b.size else db
    return da, db
""")
batched("summed_without_keeping", "You added up the axes in front. One of length 1 has to stay, with length 1.",
        source=PAIRS + """\
    while da.ndim > left.ndim or (da.ndim > 2 and da.shape != left.shape):
        da = da.sum(axis=0)
    while db.ndim > right.ndim or (db.ndim > 2 and db.shape != right.shape):
        db = db.sum(axis=0)
    return da.reshape(a.shape) if a.ndim == 1 else da, db.reshape(b.shape) if b.ndim == 1 else db
""")
batched("reshaped_to_sum", "The axis that was stretched is not always the first: a reshape then adds up numbers of others. Add up along the stretched axis itself, as `unbroadcast` does.",
        ("unbroadcast(g @ right.swapaxes(-1, -2), left.shape)", "(g @ right.swapaxes(-1, -2)).reshape((-1,) + left.shape).sum(axis=0)"),
        ("unbroadcast(left.swapaxes(-1, -2) @ g, right.shape)", "(left.swapaxes(-1, -2) @ g).reshape((-1,) + right.shape).sum(axis=0)"))
batched("averaged", "You took the mean over the stack. Every use counts in full: contributions add up.",
        source=PAIRS + """\
    one, other = unbroadcast(da, left.shape), unbroadcast(db, right.shape)
    return (one * (one.size / da.size)).reshape(a.shape), (other * (other.size / db.size)).reshape(b.shape)
""")
batched("first_pair_only", "A matrix that was used for several pairs got what the first one sends. Add up all of them.",
        source=PAIRS + """\

    def first(x, shape):
        x = x[(0,) * (x.ndim - len(shape))]
        for axis, n in enumerate(shape):
            if n == 1:
                x = x.take([0], axis=axis)
        return x

    return first(da, left.shape).reshape(a.shape), first(db, right.shape).reshape(b.shape)
""")
batched("shapes_swapped", "The shapes are exchanged: what a gets is brought to the shape of b.", source=PAIRS + """\
    return unbroadcast(da, b.shape), unbroadcast(db, a.shape)
""")
batched("first_axes_swapped", "With three axes the shapes do not fit: of each array the last two are to be exchanged, and no others. .T turns all axes around.",
        ("(-1, -2)", "(0, 1)"), source=IN_ONE_LINE)
batched("order_swapped", "Two matrices do not fit here: a transposition is missing, the factors stand in the other order, or you named the axes for three. Count the axes of the matrices from the end, -1 and -2.",
        ("g @ right.swapaxes(-1, -2)", "right.swapaxes(-1, -2) @ g"),
        ("left.swapaxes(-1, -2) @ g", "g @ left.swapaxes(-1, -2)"), source=IN_ONE_LINE)


@wrong(
    "batched_matmul_rule",
    "numerical",
    "This is the numerical derivative. It takes an evaluation or two for each number, and is exact to some digits only: write the rule.",
)
def batched_matmul_rule(g, out, a, b):
    return numerical_cotangents(np.matmul, g, a, b)


batched("three_axes_only", "Two matrices do not fit here: a transposition is missing, the factors stand in the other order, or you named the axes for three. Count the axes of the matrices from the end, -1 and -2.",
        source=MATRICES + """\
    da, db = g @ np.transpose(right, (0, 2, 1)), np.transpose(left, (0, 2, 1)) @ g
    return unbroadcast(da, left.shape).reshape(a.shape), unbroadcast(db, right.shape).reshape(b.shape)
""")
batched("axes_1_and_2", "You named an axis that two matrices do not have. The matrices are in the last two axes: count from the end, -1 and -2.",
        ("(-1, -2)", "(1, 2)"), source=IN_ONE_LINE)
batched("two_or_three_axes", "This is right for two axes and for three. There may be more: the matrices are the last two, and all axes in front that are too many have to be summed away.",
        source=MATRICES + """\

    def turned(x):
        return x.T if x.ndim == 2 else x.swapaxes(1, 2)

    da, db = unbroadcast(g @ turned(right), left.shape), unbroadcast(turned(left) @ g, right.shape)
    return da.reshape(a.shape), db.reshape(b.shape)
""")
NOT_ALL_SUMMED = "Before the reshape not all axes in front were added up. There may be several, and each that is not in the input has to go."
batched("one_axis_summed", NOT_ALL_SUMMED,
        source=PAIRS + """\

    def one_less(x, shape):
        if x.ndim > len(shape):
            return x.sum(axis=0)
        return x.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)

    return one_less(da, left.shape).reshape(a.shape), one_less(db, right.shape).reshape(b.shape)
""")
batched("no_axis_summed", NOT_ALL_SUMMED,
        source=PAIRS + """\
    return da.reshape(a.shape), db.reshape(b.shape)
""")
batched("stretched_axis_left", "You added up the axes that the input does not have. An axis of length 1 was stretched, too: it gets a sum, and stays.",
        source=PAIRS + """\
    da, db = da.sum(axis=tuple(range(da.ndim - left.ndim))), db.sum(axis=tuple(range(db.ndim - right.ndim)))
    return da.reshape(a.shape) if a.ndim == 1 else da, db.reshape(b.shape) if b.ndim == 1 else db
""")


@wrong("batched_matmul_rule", "stacks_only", "Stacks are right. A vector has no last but one axis to exchange: make a row of it on the left and a column on the right.")
def batched_matmul_rule(g, out, a, b):
    da, db = g @ b.swapaxes(-1, -2), a.swapaxes(-1, -2) @ g
    return unbroadcast(da, a.shape), unbroadcast(db, b.shape)


batched("vectors_stay_matrices", "The numbers are right, and a vector comes back as a matrix. Give it the shape of the input.",
        source=PAIRS + """\
    return unbroadcast(da, left.shape), unbroadcast(db, right.shape)
""")
batched("left_as_column", "On the left a vector is a row, a[None, :], and in g its axis stands last but one: np.expand_dims(g, -2).",
        ("a[None, :]", "a[:, None]"))
batched("row_in_front_of_g", "A vector on the left of a stack: its axis stands last but one in g, np.expand_dims(g, -2). And of each array only the last two axes are turned.",
        ("np.expand_dims(g, -2)", "g[None]"))
batched("row_and_column_last", "On the left a vector is a row, a[None, :], and in g its axis stands last but one: np.expand_dims(g, -2).",
        ("np.expand_dims(g, -2)", "g[..., None]"))


@wrong("batched_matmul_rule", "row_by_outer", "A vector on the left of a stack: its axis stands last but one in g, np.expand_dims(g, -2). And of each array only the last two axes are turned.")
def batched_matmul_rule(g, out, a, b):
    if a.ndim == 1 and b.ndim == 1:
        return g * b, g * a
    if a.ndim == 1:
        return g @ b.T, np.outer(a, g)
    right = b[:, None] if b.ndim == 1 else b
    g = g[..., None] if b.ndim == 1 else g
    da, db = g @ right.swapaxes(-1, -2), a.swapaxes(-1, -2) @ g
    return unbroadcast(da, a.shape), unbroadcast(db, right.shape).reshape(b.shape)


batched("g_as_it_is", "A vector on the right is a column, and g needs that axis too, in the last place. Here the shapes do not fit: one of the two is missing, or stands elsewhere.",
        (AXES_OF_G, ""))
batched("right_as_row", "A vector on the right is a column, and g needs that axis too, in the last place. Here the shapes do not fit: one of the two is missing, or stands elsewhere.",
        ("b[:, None]", "b[None, :]"))
batched("dot_product_forgotten", "Two vectors make a single number: here g has no axes, and needs two new ones, for the row and for the column.",
        ("g[..., None]\n    if", "np.expand_dims(g, -1)\n    elif"), source=COLUMN_AND_ROW)
batched("vectors_and_matrices_only", "A vector beside a stack: g has the axes of the stack in front, and here that of the vector goes last, g[..., None]. Reshaped to one row or one column, g does not fit.",
        (AXES_OF_G, "    g = g.reshape(left.shape[-2], right.shape[-1]) if 1 in (a.ndim, b.ndim) else g\n"))
batched("column_by_none", "Two vectors make a single number: here g has no axes, and an index such as `g[:, None]`, `g[None, :]` or `g[0]` asks for one. `g[..., None]` and np.expand_dims take any g.",
        ("g[..., None]", "g[:, None]"), source=COLUMN_AND_ROW)
batched("unbroadcast_to_vector", "The numbers of b were added up. b (2,) was a column (2, 1) on the way, and unbroadcast from (2, 1) to (2,) adds up the 2: unbroadcast to (2, 1) first, then reshape.",
        (BOTH, "    return unbroadcast(g @ right.swapaxes(-1, -2), a.shape), unbroadcast(left.swapaxes(-1, -2) @ g, b.shape)\n"),
        source=COLUMN_AND_ROW)
batched("results_swapped", "The results come in the opposite order: what a gets is first.",
        ("da.reshape(a.shape), db.reshape(b.shape)", "db.reshape(b.shape), da.reshape(a.shape)"))
batched("one_or_the_other", "You add up the axes that the input does not have, or else those of length 1. There may be both: unbroadcast does one after the other.",
        ("unbroadcast", "back_to"),
        ("    left =", """\
    def back_to(d, shape):
        if d.ndim > len(shape):
            return d.sum(axis=tuple(range(d.ndim - len(shape))))
        return d.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)

    left ="""),
        source=COLUMN_AND_ROW)


@wrong("batched_matmul_rule", "vector_beside_a_stack", "A stack beside a vector is a case of its own: each matrix of the stack sends its share to b, and the shares add up. `.T` turns all axes of a stack around.")
def batched_matmul_rule(g, out, a, b):
    if a.ndim == 1 and b.ndim == 1:
        return g * b, g * a
    if b.ndim == 1:
        return g[..., None] * b, a.T @ g
    if a.ndim == 1:
        return g @ b.T, np.outer(a, g)
    da, db = g @ b.swapaxes(-1, -2), a.swapaxes(-1, -2) @ g
    return unbroadcast(da, a.shape), unbroadcast(db, b.shape)


@right("batched_matmul_rule", "einsum")
def batched_matmul_rule(g, out, a, b):
    left = a.reshape(-1, a.shape[-1]) if a.ndim == 1 else a
    right = b.reshape(len(b), -1) if b.ndim == 1 else b
    front = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    g = np.reshape(g, (*front, left.shape[-2], right.shape[-1]))
    da = np.einsum("...ij,...kj->...ik", g, right)
    db = np.einsum("...ij,...ik->...kj", g, left)
    return unbroadcast(da, left.shape).reshape(a.shape), unbroadcast(db, right.shape).reshape(b.shape)


@right("batched_matmul_rule", "pair_by_pair")
def batched_matmul_rule(g, out, a, b):
    if b.ndim == 1:
        da, db = batched_matmul_rule(g[..., None], None, a, b[:, None])
        return da, db[:, 0]
    if a.ndim == 1:
        da, db = batched_matmul_rule(np.expand_dims(g, -2), None, a[None], b)
        return da[0], db
    front = g.shape[:-2]
    wide_a = np.broadcast_to(a, front + a.shape[-2:])
    wide_b = np.broadcast_to(b, front + b.shape[-2:])
    da, db = np.zeros(wide_a.shape), np.zeros(wide_b.shape)
    for place in np.ndindex(*front):
        da[place] = g[place] @ wide_b[place].T
        db[place] = wide_a[place].T @ g[place]
    return unbroadcast(da, a.shape), unbroadcast(db, b.shape)


@wrong("batched_matmul_rule", "summed_first", "The pairs were added up before they were multiplied here, and a sum of products is no product of sums. Multiply pair by pair, then add up.")
def batched_matmul_rule(g, out, a, b):
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    if b.ndim == 1:
        g = np.expand_dims(g, -1)
    if a.ndim == 1:
        g = np.expand_dims(g, -2)
    da = unbroadcast(g @ right.swapaxes(-1, -2), left.shape)
    extra = tuple(range(g.ndim - right.ndim))
    db = left.sum(axis=extra).swapaxes(-1, -2) @ g.sum(axis=extra)
    db = unbroadcast(db, right.shape)
    return da.reshape(a.shape), db.reshape(b.shape)


# -- mended_lookup ----------------------------------------------------------------------------------------------------


@wrong("mended_lookup", "the_old_one", "The gradient of the table is wrong where W differs from its transpose: look at the line that leads back through the product with W.")
def mended_lookup(g, index, table, W, v):
    return lookup_backward(g, index, table, W, v)


SUMS = """\
    dtable = np.zeros_like(table)
    np.add.at(dtable, index, dz @ W.T)
"""
LOOKUP = f"""
def mended_lookup(g, index, table, W, v):
    x = table[index]
    h = np.tanh(x @ W)
    dz = g[:, None] * v * (1 - h * h)
{SUMS}    return dtable, x.T @ dz, g @ h
"""


def lookup(name, sentence, *changes, source=LOOKUP):
    """A wrong mended_lookup: with some of its lines replaced."""
    wrong("mended_lookup", name, sentence, source=changed(source, *changes))


lookup("repeats_left", "The product with W is mended. A word that is looked up twice still gets one contribution.",
       ("np.add.at(dtable, index, dz @ W.T)", "dtable[index] += dz @ W.T"))
lookup("rows_left", "Here the last word is not looked up, and the gradient of the table has no row for it. It has as many rows as the table.",
       ("np.zeros_like(table)", "np.zeros((index.max() + 1, len(W)))"))
lookup("rows_by_bincount", "Here the last word is not looked up, and the gradient of the table has no row for it. It has as many rows as the table.",
       (SUMS, "    columns = [np.bincount(index, weights=column) for column in (dz @ W.T).T]\n"),
       ("return dtable", "return np.stack(columns, axis=1)"))
lookup("another_slope", "The slope of tanh is another one here. Its line was right in the colleague's version.",
       ("(1 - h * h)", "(1 - h)"))
lookup("transposition_left", "The gradient of the table is wrong where W differs from its transpose: look at the line that leads back through the product with W.",
       ("W.T", "W"))
lookup("w_turned_as_well", "dW comes back transposed. In the colleague's version it was right: mend three lines, and leave the others.",
       ("x.T @ dz", "dz.T @ x"))
lookup("into_the_table", "The sums were added to the numbers of the table. They need an array of zeros.",
       (SUMS, "    np.add.at(table, index, dz @ W.T)\n"), ("return dtable", "return table"))
lookup("slope_of_tanh_lost", "The slope of tanh is missing. It was right in the colleague's version.",
       (" * (1 - h * h)", ""))
lookup("inverse_for_transpose", "You took the inverse of W. What leads back through a product is its transpose.",
       ("W.T", "np.linalg.pinv(W)"))


@wrong(
    "mended_lookup",
    "numerical",
    "This is the numerical derivative. It takes an evaluation or two for each number, and is exact to some digits only: write the rule.",
)
def mended_lookup(g, index, table, W, v):
    return numerical_cotangents(lambda *ps: lookup_scores(index, *ps), g, table, W, v)


@wrong("mended_lookup", "in_place", "The numbers are right, and one of the arrays that you were given was changed: `+=`, `[:] =`, `out=` and `.sort()` write into it.")
def mended_lookup(g, index, table, W, v):
    h = np.tanh(table[index] @ W)
    dz = g[:, None] * v * (1 - h * h)
    dW, dv = table[index].T @ dz, g @ h
    dx = dz @ W.T
    table[:] = 0
    np.add.at(table, index, dx)
    return table, dW, dv


@wrong("mended_lookup", "index_sorted", "The numbers are right, and one of the arrays that you were given was changed: `+=`, `[:] =`, `out=` and `.sort()` write into it.")
def mended_lookup(g, index, table, W, v):
    h = np.tanh(table[index] @ W)
    dz = g[:, None] * v * (1 - h * h)
    dW, dv, dtable = table[index].T @ dz, g @ h, np.zeros_like(table)
    np.add.at(dtable, index, dz @ W.T)
    index.sort()
    return dtable, dW, dv


lookup("mean_of_repeats", "A word that is looked up twice gets the mean of its contributions. Every use counts in full: they add up.",
       (SUMS, "    dx, dtable = dz @ W.T, np.zeros_like(table)\n    for word in set(index.tolist()):\n        dtable[word] = dx[index == word].mean(axis=0)\n"))
lookup("four_rows", "You took it that the table has four rows. How many words it holds, its shape says.",
       ("np.zeros_like(table)", "np.zeros((4, table.shape[1]))"))
lookup("two_columns", "You took it that the table has two columns. How many numbers a word has, its shape says.",
       ("np.zeros_like(table)", "np.zeros((len(table), 2))"), ("dz @ W.T", "(dz @ W.T)[:, :2]"))
lookup("dx_turned", "What is added to the rows of the table does not fit the index. It needs a row for each word that was looked up; the colleague's dx has one.",
       ("dz @ W.T", "W @ dz.T"))
lookup("sorted_words", "The contributions went to other words: the index was sorted, as np.unique does, and its rows were not. np.add.at takes it as it is.",
       ("np.add.at(dtable, index, dz @ W.T)", "words = np.unique(index)\n    dtable[words] += (dz @ W.T)[: len(words)]"))
lookup("another_slope_and_w_turned", "Two lines that were right are others now: the slope of tanh, and the product that gives dW.",
       ("(1 - h * h)", "(1 - h)"), ("x.T @ dz", "dz.T @ x"))


@right("mended_lookup", "one_hot")
def mended_lookup(g, index, table, W, v):
    picks = np.eye(len(table))[index]
    x = picks @ table
    h = np.tanh(x @ W)
    dz = np.outer(g, v) * (1 - h**2)
    return picks.T @ (dz @ W.T), x.T @ dz, h.T @ g


@right("mended_lookup", "a_loop_over_words")
def mended_lookup(g, index, table, W, v):
    dtable, dW, dv = np.zeros(table.shape), np.zeros(W.shape), np.zeros(v.shape)
    for word, upstream in zip(index, g):
        h = np.tanh(table[word] @ W)
        dv += upstream * h
        dz = upstream * v * (1 - h * h)
        dW += np.outer(table[word], dz)
        dtable[word] += W @ dz
    return dtable, dW, dv


@wrong("mended_lookup", "h_squared_in_place", "What v gets needs h as it was: `h *= h` has written into it before. `h * h` makes a new array.")
def mended_lookup(g, index, table, W, v):
    x = table[index]
    h = np.tanh(x @ W)
    dz = np.outer(g, v)
    h *= h
    dz = dz * (1 - h)
    dtable = np.zeros_like(table)
    np.add.at(dtable, index, dz @ W.T)
    return dtable, x.T @ dz, g @ h


@wrong("mended_lookup", "tanh_of_h", "dz differs from the colleague's here: h is the tanh already, so it goes into the slope as it is, without another tanh.")
def mended_lookup(g, index, table, W, v):
    x = table[index]
    h = np.tanh(x @ W)
    dv = g @ h
    dh = g[:, None] * v
    dz = dh * (1 - np.tanh(h) ** 2)
    dW = x.T @ dz
    dx = dz @ W.T
    dtable = np.zeros_like(table)
    np.add.at(dtable, index, dx)
    return dtable, dW, dv


lookup("as_wide_as_the_output", "The gradient of the table is as wide here as what W makes of a row. It has the shape of the table itself: W need not be square.",
       ("np.zeros_like(table)", "np.zeros((len(table), W.shape[1]))"))


# -- two_layer_rule ---------------------------------------------------------------------------------------------------


LAYERS = """
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    h = np.maximum(x @ W1 + b1, 0)
    dz = g @ W2.T * (h > 0)
    return dz @ W1.T, x.T @ dz, dz.sum(axis=0), h.T @ g, g.sum(axis=0)
"""
# What arrives at h has a name of its own, as in the notebook.
HIDDEN = changed(LAYERS, ("dz = g @ W2.T", "dh = g @ W2.T\n    dz = dh"))


def two_layers(name, sentence, *changes, source=LAYERS):
    """A wrong two_layer_rule: with some of its lines replaced."""
    wrong("two_layer_rule", name, sentence, source=changed(source, *changes))


two_layers("relu_forgotten", "relu was left out: what arrives at h goes on only where h is positive. Or the mask is True everywhere: h is never negative.",
           (" * (h > 0)", ""))
two_layers("relu_on_the_scores", "No relu stands behind the last layer: out is a product and b2, and g goes into it as it is.",
           ("    h = ", "    g = g * (out > 0)\n    h = "))
two_layers("divided_by_n", "The gradients of the weights are divided by the number of rows. Whoever takes a mean has put that into g; each row adds its share.",
           ("x.T @ dz, dz.sum(axis=0), h.T @ g, g.sum(axis=0)", "x.T @ dz / len(x), dz.sum(axis=0) / len(x), h.T @ g / len(x), g.sum(axis=0) / len(x)"))
two_layers("mask_of_dh", "The mask was made from the gradient. relu lets pass where its input is positive.",
           ("h > 0", "dh > 0"), source=HIDDEN)
two_layers("times_h", "You multiplied by h. The slope of relu is 1 or 0: a mask.", ("(h > 0)", "h"))
two_layers("biases_not_summed", "A bias was copied to every row, so it gets the sum over the rows.",
           ("dz.sum(axis=0)", "dz"), ("g.sum(axis=0)", "g"))
two_layers("biases_averaged", "A bias got the mean over the rows. Every row counts in full: a sum.",
           ("dz.sum", "dz.mean"), ("g.sum", "g.mean"))


@wrong("two_layer_rule", "before_relu_for_w2", "W2 was multiplied by h, the values after relu. You used those before it.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    z = x @ W1 + b1
    dz = g @ W2.T * (z > 0)
    return dz @ W1.T, x.T @ dz, dz.sum(axis=0), z.T @ g, g.sum(axis=0)


two_layers("dh_for_w1", "W1 and b1 got what arrives at h. First it has to pass relu.",
           ("x.T @ dz, dz.sum", "x.T @ dh, dh.sum"), source=HIDDEN)
two_layers("dh_for_b1", "b1 got the sum of what arrives at h. First that has to pass relu: only where h > 0.",
           ("dz.sum", "dh.sum"), source=HIDDEN)
two_layers("mask_without_bias", "W2 and b2 are right, and the mask is not: it looks as if b1 were missing in it. What goes into relu is x @ W1 + b1.",
           ("h > 0", "x @ W1 > 0"))
two_layers("layers_in_other_order", "The results come in the order of the inputs: x, W1, b1, W2, b2.",
           ("x.T @ dz, dz.sum(axis=0), h.T @ g, g.sum(axis=0)", "h.T @ g, g.sum(axis=0), x.T @ dz, dz.sum(axis=0)"))
two_layers("x_last", "The results come in the order of the inputs: x, W1, b1, W2, b2.",
           ("dz @ W1.T, ", ""), ("g.sum(axis=0)", "g.sum(axis=0), dz @ W1.T"))
two_layers("from_the_end", "The results come in the order of the inputs: x, W1, b1, W2, b2.",
           ("dz @ W1.T, x.T @ dz, dz.sum(axis=0), h.T @ g, g.sum(axis=0)", "g.sum(axis=0), h.T @ g, dz.sum(axis=0), x.T @ dz, dz @ W1.T"))


@wrong("two_layer_rule", "slope_1_at_0", "Where x @ W1 + b1 is 0, you let g pass. relu's slope at 0 is 0: only what is above 0 passes.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    z = x @ W1 + b1
    dz = g @ W2.T * (z >= 0)
    return dz @ W1.T, x.T @ dz, dz.sum(axis=0), np.maximum(z, 0).T @ g, g.sum(axis=0)


two_layers("divided_by_rows", "Everything is divided by the number of rows. The mean is a matter of the loss, and g knows of it: the rule only adds up.",
           ("    h =", "    g = g / len(x)\n    h ="))
two_layers("bias_left_out", "The hidden values were computed without b1, so the mask is another one.", (" + b1", ""))
two_layers("mask_without_g", "What arrives at the hidden layer is the mask alone: g and W2 were lost on the way.",
           ("g @ W2.T * (h > 0)", "(h > 0) * 1.0"))


@wrong(
    "two_layer_rule",
    "numerical",
    "This is the numerical derivative. It takes an evaluation or two for each number, and is exact to some digits only: write the rule.",
)
def two_layer_rule(g, out, *inputs):
    return numerical_cotangents(lambda x, W1, b1, W2, b2: np.maximum(x @ W1 + b1, 0) @ W2 + b2, g, *inputs)


two_layers("mask_with_equal", "relu was left out: what arrives at h goes on only where h is positive. Or the mask is True everywhere: h is never negative.",
           ("h > 0", "h >= 0"))
two_layers("not_transposed", "Shapes do not fit: a transposition is missing in a product, its factors stand in the other order, or one is another array. Write the shapes on paper.",
           ("W2.T", "W2"), ("W1.T", "W1"))
two_layers("summed_completely", "You added up all of g for a bias. Each number of it was copied down its own column: a sum per column.",
           ("dz.sum(axis=0)", "dz.sum()"), ("g.sum(axis=0)", "g.sum()"))
two_layers("summed_along_rows", "You added up along each row, one sum per image. A bias was copied down the rows: add those up, axis 0.",
           ("dz.sum(axis=0)", "dz.sum(axis=1)"), ("g.sum(axis=0)", "g.sum(axis=1)"))
two_layers("x_left_out", "There are four cotangents, and five inputs: x gets one, too.", ("dz @ W1.T, ", ""))
two_layers("a_little_is_nothing", "The mask stops what comes to hidden values just above 0. relu lets pass whatever is above 0, however little: `> 0`.",
           ("h > 0", "h > 1e-3"))
two_layers("x_overwritten", "dW1 was made with h, the hidden values. W1 was multiplied by x: if h has taken its name, give it one of its own.",
           ("    h =", "    x ="), ("h > 0", "x > 0"), ("h.T @ g", "x.T @ g"))


@right("two_layer_rule", "step_by_step")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    z = x @ W1 + b1
    h = np.where(z > 0, z, 0)
    dW2 = np.dot(h.T, g)
    db2 = np.ones(len(g)) @ g
    dh = np.dot(g, W2.T)
    dz = np.where(z > 0, dh, 0)
    dW1 = np.dot(x.T, dz)
    db1 = np.ones(len(g)) @ dz
    dx = np.dot(dz, W1.T)
    return dx, dW1, db1, dW2, db2


@right("two_layer_rule", "point_by_point")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    dx, dW1, db1, dW2, db2 = (np.zeros(p.shape) for p in (x, W1, b1, W2, b2))
    for n in range(len(x)):
        h = np.maximum(x[n] @ W1 + b1, 0)
        dz = (W2 @ g[n]) * (h > 0)
        dx[n] = W1 @ dz
        dW1 += np.outer(x[n], dz)
        db1 += dz
        dW2 += np.outer(h, g[n])
        db2 += g[n]
    return dx, dW1, db1, dW2, db2


two_layers("h_up_to_1_for_a_mask", "A hidden value between 0 and 1 lets only a part of the gradient pass here. The slope of relu is 1 there, as it is for large values.",
           ("(h > 0)", "np.minimum(h, 1)"))


wrong("two_layer_rule", "mask_of_signs", "Where relu got a number below 0, its slope is 0, and here it is -1: `np.sign` is no mask. Ask which numbers are above 0.",
      source=changed(LAYERS, ("(h > 0)", "np.sign(x @ W1 + b1)")))


@wrong("two_layer_rule", "one_row_for_all", "All rows of dx are that of the last point, as where one array is put into a list again and again, and written into each time. Make a new one for each point.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    dW1, db1, dW2, db2 = (np.zeros(p.shape) for p in (W1, b1, W2, b2))
    row, rows = np.zeros(x.shape[1]), []
    for point, upstream in zip(x, g):
        h = np.maximum(point @ W1 + b1, 0)
        dz = (W2 @ upstream) * (h > 0)
        dW2 += np.outer(h, upstream)
        db2 += upstream
        dW1 += np.outer(point, dz)
        db1 += dz
        row[:] = W1 @ dz
        rows.append(row)
    return np.array(rows), dW1, db1, dW2, db2


two_layers("mask_in_place", "dW2 is made of ones where h is positive, not of h: the mask was written into h, of which `mask = h` is only a second name. `h > 0` is a new array.",
           ("    dz =", "    mask = h\n    mask[mask > 0] = 1\n    dz ="), ("(h > 0)", "mask"))


two_layers("past_the_relu", "dx is computed from dh, past the relu: x gets dz @ W1.T, by the same dz as W1 and b1.",
           ("dz @ W1.T", "dh @ W1.T"), source=HIDDEN)


# -- fooled -----------------------------------------------------------------------------------------------------------


@wrong("fooled", "as_it_was", "The image came back as it was. Move its pixels in the direction in which the score rises.")
def fooled(image, digit, scores, back):
    return image


PUSHES = """\
        g = np.zeros(10)
        g[digit], g[found.argmax()] = 1, -1
"""
# The network is asked, and g pushes one score up and another one down: what is left is the step.
ASKED = f"""
def fooled(image, digit, scores, back):
    changed = image
    for _ in range(24):
        found = scores(changed)
        if found.argmax() == digit:
            break
{PUSHES}"""
SIGNS = ASKED + """\
        changed = (changed + 0.03 * np.sign(back(changed, g))).clip(image - 0.3, image + 0.3).clip(0, 1)
    return changed
"""
SLOPES = ASKED + """\
        slope = back(changed, g)
        changed = (changed + 0.05 * slope / abs(slope).max()).clip(image - 0.3, image + 0.3).clip(0, 1)
    return changed
"""


def steps(name, sentence, *changes, source=SLOPES):
    """A wrong fooled: with some of its lines replaced."""
    wrong("fooled", name, sentence, source=changed(source, *changes))


steps("downhill", "This goes downhill: the score of the digit falls. Here it is to rise: plus.",
      ("changed + 0.05", "changed - 0.05"))
steps("downhill_by_signs", "This goes downhill: the score of the digit falls. Here it is to rise: plus.",
      source=ASKED + """\
        changed = changed - 0.02 * np.sign(back(changed, g))
        changed = np.clip(np.clip(changed, image - 0.3, image + 0.3), 0, 1)
    return changed
""")
steps("plain_gradient", "The steps are so short, or so few, that they do not lead there. Together they may be as long as 0.3 for each pixel, and more: the direction changes on the way.",
      ("0.03 * np.sign(back(changed, g))", "0.01 * back(changed, g)"), source=SIGNS)


@wrong("fooled", "its_own_score_by_signs", "Only the digit's own score is pushed up, and on the way another one stays larger. Push that one down in the same step: a g of 1 and -1.")
def fooled(image, digit, scores, back):
    changed = image
    for _ in range(24):
        changed = changed + 0.02 * np.sign(back(changed, np.eye(10)[digit]))
        changed = np.clip(np.clip(changed, image - 0.3, image + 0.3), 0, 1)
    return changed


steps("limits_that_move_along", "The limits are around the image of the step before, so that many steps lead far away. Clip around the first one.",
      source=ASKED + """\
        step = 0.05 * np.sign(back(changed, g))
        changed = np.clip(np.clip(changed + step, changed - 0.3, changed + 0.3), 0, 1)
    return changed
""")

AT_ONCE = """
def fooled(image, digit, scores, back):
    found = scores(image)
    g = np.zeros(10)
    g[digit], g[found.argmax()] = 1, -1
    return (image + 0.3 * np.sign(back(image, g))).clip(0, 1)
"""

steps("one_step", "One long step is not always enough: after a part of the way the slopes are others. Take small steps, and ask again.",
      source=AT_ONCE)
steps("one_plain_step", "One long step is not always enough: after a part of the way the slopes are others. Take small steps, and ask again.",
      ("    return", "    slope = back(image, g)\n    return"),
      ("np.sign(back(image, g))", "slope / abs(slope).max()"), source=AT_ONCE)
steps("its_own_score_only", "Only the digit's own score is pushed up, and on the way another one stays larger. Push that one down in the same step: a g of 1 and -1.",
      ("found = scores(changed)\n        if found.argmax()", "if scores(changed).argmax()"), (PUSHES, ""),
      ("back(changed, g)", "back(changed, np.eye(10)[digit])"))
steps("the_other_only", "You push the score down that is the largest. Then some other digit is seen: push the one that is wanted up in the same step.",
      (PUSHES, ""), ("back(changed, g)", "back(changed, -np.eye(10)[found.argmax()])"))


@wrong("fooled", "the_first_rival_only", "You push down what the network saw at first. On the way a third digit may become the largest: ask the scores after each step.")
def fooled(image, digit, scores, back):
    g = np.zeros(10)
    g[digit], g[scores(image).argmax()] = 1, -1
    changed = image
    for _ in range(48):
        slope = back(changed, g)
        changed = (changed + 0.05 * slope / abs(slope).max()).clip(image - 0.3, image + 0.3).clip(0, 1)
    return changed


steps("too_far", "Pixels moved by more than 0.3 in the end. Clip them between image - 0.3 and image + 0.3.",
      ("0.05", "0.4"), (".clip(image - 0.3, image + 0.3)", ""))
steps("clipped_to_the_last_one", "The limits are around the image of the step before, so that many steps lead far away. Clip around the first one.",
      ("slope = back", "slope = 10 * back"), ("0.05 * slope / abs(slope).max()", "slope"),
      ("image - 0.3, image + 0.3", "changed - 0.3, changed + 0.3"))
steps("ink_below_nothing", "Some pixels are below 0, or above 1: no ink is less than none. Clip once more, between 0 and 1.",
      (".clip(0, 1)", ""))
steps("too_many_steps", "The steps are so short that all calls are used up on the way. Take longer ones.",
      ("range(24)", "range(500)"), ("0.03", "0.002"), source=SIGNS)


@wrong("fooled", "numerical", "This nudges each of the 64 pixels and asks for the scores each time. One call of back gives all 64 slopes.")
def fooled(image, digit, scores, back):
    changed = image.copy()
    for _ in range(10):
        found = scores(changed)
        if found.argmax() == digit:
            break
        slope = np.zeros((8, 8))
        for place in np.ndindex(8, 8):
            nudged = changed.copy()
            nudged[place] += 1e-4
            moved = scores(nudged) - found
            slope[place] = moved[digit] - moved[found.argmax()]
        changed = (changed + 0.06 * np.sign(slope)).clip(image - 0.3, image + 0.3).clip(0, 1)
    return changed


@wrong("fooled", "by_chance", "Chance does not find it: of 64 pixels about half go in the wrong direction. back tells the right one.")
def fooled(image, digit, scores, back):
    rng = np.random.default_rng(0)
    for _ in range(49):
        changed = (image + 0.3 * rng.choice([-1, 1], (8, 8))).clip(0, 1)
        if scores(changed).argmax() == digit:
            break
    return changed


steps("into_the_image", "`+=` or `out=` wrote into the image that you were given. Make a new one.",
      source=changed(ASKED, ("changed = image", "first, changed = image.copy(), image")) + """\
        changed += 0.03 * np.sign(back(changed, g))
        np.clip(changed, np.maximum(first - 0.3, 0), np.minimum(first + 0.3, 1), out=changed)
    return changed
""")
steps("too_short", "The steps are so short, or so few, that they do not lead there. Together they may be as long as 0.3 for each pixel, and more: the direction changes on the way.",
      ("range(24)", "range(5)"), ("0.05", "0.02"))
steps("gives_the_digit", "That is a number, and an image is asked for: the one that you changed.",
      ("return changed", "return scores(changed).argmax()"), source=SIGNS)
steps("as_long_as_the_gradient", "The step is a fixed number times the gradient. Scores may be of any size, and so may gradients: divide by the largest number, or take np.sign.",
      ("0.03 * np.sign(back(changed, g))", "0.5 * back(changed, g)"), source=SIGNS)


@wrong("fooled", "looks_after_the_first_step", "The network may see the digit already. Then g holds only zeros, and 0 / 0 is NaN: look before the first step.")
def fooled(image, digit, scores, back):
    changed, found = image, scores(image)
    for _ in range(24):
        g = np.zeros(10)
        g[digit] += 1
        g[found.argmax()] -= 1
        slope = back(changed, g)
        with np.errstate(all="ignore"):
            changed = (changed + 0.05 * slope / abs(slope).max()).clip(image - 0.3, image + 0.3).clip(0, 1)
        found = scores(changed)
        if found.argmax() == digit:
            break
    return changed


@right("fooled", "by_signs")
def fooled(image, digit, scores, back):
    low, high = np.maximum(image - 0.3, 0), np.minimum(image + 0.3, 1)
    seen, calls = scores(image).argmax(), 1
    while seen != digit and calls < 49:
        slope = back(image, np.eye(10)[digit] - np.eye(10)[seen])
        image = np.clip(image + 0.03 * np.sign(slope), low, high)
        seen, calls = scores(image).argmax(), calls + 2
    return image


@right("fooled", "always_all_steps")
def fooled(image, digit, scores, back):
    changed = np.array(image)
    for _ in range(25):
        rivals = scores(changed)
        rivals[digit] = -np.inf
        g = np.zeros(10)
        g[digit], g[np.argmax(rivals)] = 1.0, -1.0
        step = back(changed, g)
        step = step / np.sqrt((step**2).sum())
        changed = np.clip(changed + 0.2 * step, image - 0.3, image + 0.3)
        changed = np.clip(changed, 0, 1)
    return changed


LOOP = """
    def fooled(image, digit, scores, back):
        now = image
        while True:
            found = scores(now)
            if found.argmax() == digit:
                return now
            g = np.zeros(10)
            g[digit], g[found.argmax()] = 1, -1
            d = back(now, g)
            now = (now + 0.02 * np.sign(d)).clip(image - 0.3, image + 0.3).clip(0, 1)
"""
STEP, RIVAL = "0.02 * np.sign(d)", "g[digit], g[found.argmax()] = 1, -1"
# A newcomer's loops: steps of many lengths lead there.
right("fooled", "signs_of_a_hundredth", source=changed(LOOP, (STEP, "0.01 * np.sign(d)")))
right("fooled", "signs_of_a_tenth", source=changed(LOOP, (STEP, "0.1 * np.sign(d)")))
right("fooled", "parts_of_a_fiftieth", source=changed(LOOP, (STEP, "0.02 * d / abs(d).max()")))
steps("a_tenth_of_the_gradient", "The step is a fixed number times the gradient. Scores may be of any size, and so may gradients: divide by the largest number, or take np.sign.",
      (STEP, "0.1 * d"), source=LOOP)
steps("its_own_score_to_the_last_call", "Only the digit's own score is pushed up, and on the way another one stays larger. Push that one down in the same step: a g of 1 and -1.",
      (RIVAL, "g[digit] = 1"), source=LOOP)
steps("the_first_rival_to_the_last_call", "You push down what the network saw at first. On the way a third digit may become the largest: ask the scores after each step.",
      ("now = image", "now, first = image, scores(image).argmax()"), ("g[found.argmax()]", "g[first]"), source=LOOP)
steps("never_stops", "The digit is seen on the way, and the loop goes on: from there on the digit itself is pushed down. Stop as soon as it is seen.",
      source=changed(LOOP, ("while True", "for _ in range(50)"), ("            if found.argmax() == digit:\n                return now\n", "")) + "        return now\n")
PUSHED = """
    def fooled(image, digit, scores, back):
        low, high = np.maximum(image - 0.3, 0), np.minimum(image + 0.3, 1)
        now = image.copy()
        for _ in range(50):
            found = scores(now)
            if found.argmax() == digit:
                break
            g = np.zeros(10)
            g[digit], g[found.argmax()] = 1, -1
            d = back(now, g)
            now = np.clip(now + 0.02 * np.sign(d), low, high)
        return now
"""
STOP = "            found = scores(now)\n            if found.argmax() == digit:\n                break\n"
CLIPPED = "np.clip(now + 0.02 * np.sign(d), low, high)"
ONE_DOWN = """g = np.zeros(10)
            g[digit], g[found.argmax()] = 1, -1"""
steps("never_stops_by_parts", "The digit is seen on the way, and the loop goes on: from there on the digit itself is pushed down. Stop as soon as it is seen.",
      (STOP, ""), ("found.argmax()", "scores(now).argmax()"), ("np.sign(d)", "d / abs(d).max()"), source=PUSHED)
steps("clipped_after_the_loop", "The image that the network saw as the digit had pixels outside the limits, and the clip at the end made another of it. Clip in each step, before you ask.",
      (CLIPPED, "now + 0.02 * np.sign(d)"), ("return now", "return np.clip(now, low, high)"), source=PUSHED)
steps("long_steps_clipped_after_the_loop", "The image that the network saw as the digit had pixels outside the limits, and the clip at the end made another of it. Clip in each step, before you ask.",
      (CLIPPED, "now + 0.06 * np.sign(d)"), ("return now", "return np.clip(now, low, high)"), source=PUSHED)
steps("one_pixel", "No pixel moves any more: the one that you chose is at its limit. Move all that help, each by a little.",
      (CLIPPED, "now.copy()\n            i = abs(d).argmax()\n            now[i] = np.clip(now[i] + 0.3 * np.sign(d[i]), low[i], high[i])"), source=PUSHED)
steps("divided_by_the_norm", "The steps are so short that all calls are used up on the way. Take longer ones.",
      ("np.sign(d)", "d / np.linalg.norm(d)"), source=PUSHED)
steps("all_others_down", "All nine other scores are pushed down alike, and the one in the way may rise all the same. Push down the one that is seen.",
      (ONE_DOWN, "g = -np.ones(10)\n            g[digit] = 1"), source=PUSHED)
wrong(
    "fooled",
    "all_others_down_unseen",
    "All nine other scores are pushed down alike, and the one in the way may rise all the same. Push down the one that is seen.",
    source="""
    def fooled(image, digit, scores, back):
        now = image.copy()
        for _ in range(30):
            g = -np.ones(10)
            g[digit] = 1
            now = np.clip(now + 0.02 * np.sign(back(now, g)), image - 0.3, image + 0.3)
        return np.clip(now, 0, 1)
    """,
)
wrong(
    "fooled",
    "none_after_the_loop",
    "Where the loop comes to its end nothing is returned, and the function gives None. An image has to come back in any case; and only the digit's own score is pushed up, while another one stays larger.",
    source="""
    def fooled(image, digit, scores, back):
        low, high = np.maximum(image - 0.3, 0), np.minimum(image + 0.3, 1)
        now = image.copy()
        for _ in range(50):
            g = np.zeros(10)
            g[digit] = 1
            now = np.clip(now + 0.02 * np.sign(back(now, g)), low, high)
            if scores(now).argmax() == digit:
                return now
    """,
)
steps("slopes_of_the_first_image", "All slopes are asked for at the first image. After some steps they are others: give back the image where you are now.",
      ("back(now, g)", "back(image, g)"), source=PUSHED)
steps("parts_of_slopes_of_the_first_image", "All slopes are asked for at the first image. After some steps they are others: give back the image where you are now.",
      ("back(now, g)", "back(image, g)"), ("0.02 * np.sign(d)", "0.05 * d / abs(d).max()"), source=PUSHED)
right("fooled", "longer_steps_by_the_norm", source=changed(PUSHED, ("0.02 * np.sign(d)", "0.06 * d / np.linalg.norm(d)")))


@wrong("fooled", "a_millionth", "The small number against a division by 0 has a size, and scores may be of any: where they are far smaller, the steps are next to nothing. Divide by the largest number itself, or take `np.sign`.")
def fooled(image, digit, scores, back):
    low, high = np.maximum(image - 0.3, 0), np.minimum(image + 0.3, 1)
    changed = image.copy()
    for _ in range(50):
        seen = scores(changed).argmax()
        if seen == digit:
            break
        g = np.zeros(10)
        g[digit], g[seen] = 1, -1
        slope = back(changed, g)
        changed = np.clip(changed + 0.02 * slope / (np.abs(slope) + 1e-6), low, high)
    return changed
