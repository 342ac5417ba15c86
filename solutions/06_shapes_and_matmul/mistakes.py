"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 06_shapes_and_matmul`) and they diagnose: a student's answer that behaves like
one of these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the
functions use (np, unbroadcast) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import right, wrong

# -- sum_rule ---------------------------------------------------------------------------------------------------------


@wrong(
    "sum_rule",
    "axis_not_put_back",
    "g was copied as it is. It lacks the summed axis, so it does not fit, or fits along another axis than the summed one.",
)
def sum_rule(g, out, a, axis=None, keepdims=False):
    return (np.broadcast_to(g, a.shape),)


@wrong(
    "sum_rule",
    "axis_put_back_last",
    "You put the summed axis back at the end, wherever it was. Put it back in its own place.",
)
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        g = g[..., None]
    return (np.broadcast_to(g, a.shape),)


@wrong("sum_rule", "times_input", "You multiplied by a. The slope of a sum by each of its numbers is 1.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return (g * a,)


@wrong("sum_rule", "shared_out", "You divided g among the numbers. That is the mean: in a sum, each moves out by all of its own move.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return (np.broadcast_to(g * (out.size / a.size), a.shape),)


@wrong("sum_rule", "no_upstream", "These are the slopes alone, all 1. Each is multiplied by the g that arrives at its sum.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    return (np.ones_like(a),)


@wrong("sum_rule", "not_copied", "The shape is still that of out. Each number of a needs its own: copy g along the summed axes.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return (g,)


@wrong("sum_rule", "keepdims_forgotten", "With keepdims=True the summed axis is there already, and you put another one in.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None:
        g = np.expand_dims(g, axis)
    return (np.broadcast_to(g, a.shape),)


@wrong("sum_rule", "summed_again", "You added g up. On the way back of a sum, g is copied.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    return (np.full(a.shape, g.sum()),)


@wrong("sum_rule", "one_axis_only", "The axis may be a tuple, and axis + 1 or a slice cannot use that. np.expand_dims takes both.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        shape = list(a.shape)
        shape[axis] = 1
        g = g.reshape(shape)
    return (np.broadcast_to(g, a.shape),)


@wrong("sum_rule", "no_tuple", "Rules send back a tuple, one cotangent for each input: here a tuple of one, written `(x,)`, with the comma.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return np.broadcast_to(g, a.shape)


@wrong("sum_rule", "a_list_of_rows", "A tuple with one array in it is wanted. `.tolist()` makes a list of the array's rows.")
def sum_rule(g, out, a, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return np.broadcast_to(g, a.shape).tolist()


@right("sum_rule", "by_the_kept_shape")
def sum_rule(g, out, a, axis=None, keepdims=False):
    kept = a.sum(axis=axis, keepdims=True).shape
    return (np.zeros(a.shape) + g.reshape(kept),)


@right("sum_rule", "by_a_list_of_axes")
def sum_rule(g, out, a, axis=None, keepdims=False):
    axes = range(a.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    axes = [i % a.ndim for i in axes]
    shape = [1 if i in axes else n for i, n in enumerate(a.shape)]
    return (np.ones_like(a) * np.reshape(g, shape),)


# -- mean_rule --------------------------------------------------------------------------------------------------------


@wrong("mean_rule", "not_divided", "This is the rule of a sum. A number among n in a mean moves it by 1/n.")
def mean_rule(g, out, a):
    return (np.broadcast_to(g, a.shape),)


@wrong("mean_rule", "divided_by_all", "You divided by a.size. Count only the numbers that went into one mean.")
def mean_rule(g, out, a):
    return (np.broadcast_to(g / a.size, a.shape),)


@wrong("mean_rule", "divided_by_means", "You divided by how many means came out, or by the number of rows. Count how many numbers went into each mean.")
def mean_rule(g, out, a):
    return (np.broadcast_to(g / out.size, a.shape),)


@wrong("mean_rule", "divided_by_rows", "You divided by how many means came out, or by the number of rows. Count how many numbers went into each mean.")
def mean_rule(g, out, a):
    return (np.broadcast_to(g / len(a), a.shape),)


@wrong("mean_rule", "divided_by_columns", "You divided by the length of the last axis. The mean may be over another axis.")
def mean_rule(g, out, a):
    return (np.broadcast_to(g / a.shape[-1], a.shape),)


@wrong("mean_rule", "multiplied", "You multiplied by the count. A number in a mean of many moves it less, not more.")
def mean_rule(g, out, a):
    return (np.broadcast_to(g * (a.size / out.size), a.shape),)


@wrong("mean_rule", "not_copied", "The factor is right, and the shape is still that of out: copy g along the averaged axes.")
def mean_rule(g, out, a):
    return (g * out.size / a.size,)


@wrong("mean_rule", "g_in_place", "g was changed in place: `/=` writes into an array that others still need.")
def mean_rule(g, out, a):
    g /= a.size / out.size
    return (np.broadcast_to(g, a.shape),)


@wrong("mean_rule", "no_tuple", "Rules send back a tuple, one cotangent for each input: here a tuple of one, written `(x,)`, with the comma.")
def mean_rule(g, out, a):
    return np.broadcast_to(g / (a.size / out.size), a.shape)


@right("mean_rule", "by_axes")
def mean_rule(g, out, a):
    count = 1
    for n, m in zip(a.shape, out.shape):
        if m == 1:
            count *= n
    return (np.ones_like(a) * g / count,)


@right("mean_rule", "by_zeros")
def mean_rule(g, out, a):
    return ((g + np.zeros_like(a)) * (out.size / a.size),)


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


@wrong("amax_rule", "keepdims_forgotten", "The count has lost the axis, so it does not stand under the right rows.")
def amax_rule(g, out, a, axis):
    hit = a == out
    return (hit * g / hit.sum(axis=axis),)


@wrong("amax_rule", "of_the_whole_array", "You looked for the largest number of the whole array. Each row, or column, has its own: out holds them.")
def amax_rule(g, out, a, axis):
    hit = a == a.max()
    return (hit * g / np.maximum(hit.sum(axis=axis, keepdims=True), 1),)


@wrong("amax_rule", "g_in_place", "g was changed in place: `/=` writes into an array that others still need.")
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


@right("amax_rule", "with_where")
def amax_rule(g, out, a, axis):
    count = np.count_nonzero(a == out, axis=axis, keepdims=True)
    return (np.where(a < out, 0.0, g / count),)


@right("amax_rule", "weights_first")
def amax_rule(g, out, a, axis):
    weights = (a >= out).astype(float)
    weights /= weights.sum(axis=axis, keepdims=True)
    return (g * weights,)


# -- inverse_permutation ----------------------------------------------------------------------------------------------


@wrong("inverse_permutation", "the_same", "You returned axes itself. It undoes itself only where axes trade places in pairs.")
def inverse_permutation(axes):
    return tuple(axes)


@wrong("inverse_permutation", "turned_around", "You reversed the list. That turns the order of the axes around and does not bring each back to its place.")
def inverse_permutation(axes):
    return tuple(axes[::-1])


@wrong("inverse_permutation", "twice", "This applies the permutation twice. It agrees with the inverse for cycles of three only.")
def inverse_permutation(axes):
    return tuple(axes[i] for i in axes)


@wrong("inverse_permutation", "in_order", "You returned 0, 1, 2 ... That leaves everything where it is.")
def inverse_permutation(axes):
    return tuple(range(len(axes)))


@wrong("inverse_permutation", "floats", "The numbers are right: np.transpose takes ints, and these are floats.")
def inverse_permutation(axes):
    back = np.zeros(len(axes))
    back[list(axes)] = range(len(axes))
    return tuple(back)


@right("inverse_permutation", "an_array")
def inverse_permutation(axes):
    return np.argsort(axes)


@right("inverse_permutation", "argsort")
def inverse_permutation(axes):
    return tuple(int(i) for i in np.argsort(axes))


@right("inverse_permutation", "index")
def inverse_permutation(axes):
    axes = list(axes)
    return tuple(axes.index(i) for i in range(len(axes)))


@right("inverse_permutation", "sorted_pairs")
def inverse_permutation(axes):
    return tuple(place for axis, place in sorted((axis, place) for place, axis in enumerate(axes)))


# -- move_rules -------------------------------------------------------------------------------------------------------


@wrong("move_rules", "forward_again", "reshape_rule reshapes to the shape of out. The numbers go back into the shape of a.")
def reshape_rule(g, out, a, shape):
    return (g.reshape(shape),)


@wrong("move_rules", "transposed_for_reshape", "reshape_rule transposes. A reshape keeps the order in which the numbers are read.")
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


@wrong("move_rules", "reversed_list", "permute_rule uses the list of axes from its end. Where does axis 0 of a stand in out?")
def permute_rule(g, out, a, axes):
    return (np.transpose(g, axes[::-1]),)


@wrong("move_rules", "bare_array", "Each rule returns a tuple of one: write `(x,)`, with the comma.")
def reshape_rule(g, out, a, shape):
    return g.reshape(a.shape)


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
    "by_an_index_of_places",
    source="""
    def reshape_rule(g, out, a, shape):
        return (np.array(g).ravel().reshape(*a.shape),)


    def permute_rule(g, out, a, axes):
        back = [list(axes).index(i) for i in range(len(axes))]
        return (g.transpose(back),)
    """,
)

# -- index_rule -------------------------------------------------------------------------------------------------------


@wrong("index_rule", "plus_equals", "A row that was picked twice kept one contribution: with an index, both `=` and `+=` store each row once.")
def index_rule(g, out, a, index):
    back = np.zeros_like(a)
    back[index] += g
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


@wrong("index_rule", "shape_of_g", "The zeros have the shape of g. The cotangent has the shape of a.")
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
    "This is the numerical derivative. It takes two evaluations for each number, and is exact to some digits only: write the rule.",
)
def index_rule(g, out, a, index):
    return numerical_cotangents(lambda x: x[index], g, a)



@wrong("index_rule", "no_tuple", "Rules send back a tuple, one cotangent for each input: here a tuple of one, written `(x,)`, with the comma.")
def index_rule(g, out, a, index):
    back = np.zeros_like(a)
    np.add.at(back, index, g)
    return back


@wrong("index_rule", "rows_by_one_hot", "A table of ones and zeros picks rows by a list of row numbers only. An index may be an int, a mask, or a tuple.")
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


# -- concatenate_rule -------------------------------------------------------------------------------------------------


@wrong("concatenate_rule", "equal_parts", "You cut equal parts. The arrays may have different lengths along the axis.")
def concatenate_rule(g, out, arrays, axis):
    return tuple(np.array_split(g, len(arrays), axis=axis))


@wrong("concatenate_rule", "lengths_for_positions", "np.split takes the positions of the cuts. You gave the lengths of the pieces.")
def concatenate_rule(g, out, arrays, axis):
    return tuple(np.split(g, [a.shape[axis] for a in arrays[:-1]], axis=axis))


@wrong("concatenate_rule", "a_piece_too_many", "There is an empty piece at the end: no cut is needed at the end of g.")
def concatenate_rule(g, out, arrays, axis):
    return tuple(np.split(g, np.cumsum([a.shape[axis] for a in arrays]), axis=axis))


@wrong("concatenate_rule", "axis_0_only", "You cut along axis 0, whatever the axis is.")
def concatenate_rule(g, out, arrays, axis):
    cuts = np.cumsum([len(a) for a in arrays])[:-1]
    return tuple(np.split(g, cuts, axis=0))


@wrong("concatenate_rule", "lengths_of_axis_0", "The lengths are those of axis 0. Take those of the axis along which the arrays were joined.")
def concatenate_rule(g, out, arrays, axis):
    cuts = np.cumsum([len(a) for a in arrays])[:-1]
    return tuple(np.split(g, cuts, axis=axis))


@wrong("concatenate_rule", "g_for_each", "Each array got all of g. It gets the piece that it became.")
def concatenate_rule(g, out, arrays, axis):
    return tuple(g for a in arrays)


@wrong("concatenate_rule", "not_cut", "g came back in one piece. There is one cotangent for each array.")
def concatenate_rule(g, out, arrays, axis):
    return (g,)


@wrong("concatenate_rule", "all_from_the_start", "Every piece begins at 0. Each one begins where the one before it ends.")
def concatenate_rule(g, out, arrays, axis):
    return tuple(np.take(g, range(a.shape[axis]), axis=axis) for a in arrays)


@wrong("concatenate_rule", "reshaped", "You cut the numbers as they are read in rows. Cut along the axis.")
def concatenate_rule(g, out, arrays, axis):
    cuts = np.cumsum([a.size for a in arrays])[:-1]
    return tuple(part.reshape(a.shape) for part, a in zip(np.split(g.ravel(), cuts), arrays))


@wrong("concatenate_rule", "number_of_parts", "np.split with a number cuts equal parts, and g has no such parts here. It takes the positions of the cuts.")
def concatenate_rule(g, out, arrays, axis):
    return tuple(np.split(g, len(arrays), axis=axis))


@wrong("concatenate_rule", "all_lengths", "There is a piece too many, and the cuts are in wrong places: np.split takes positions, and you gave all the lengths.")
def concatenate_rule(g, out, arrays, axis):
    return tuple(np.split(g, [a.shape[axis] for a in arrays], axis=axis))


@wrong("concatenate_rule", "axis_forgotten", "The cuts are right, and np.split made them along axis 0: it has to be told the axis, too.")
def concatenate_rule(g, out, arrays, axis):
    return tuple(np.split(g, np.cumsum([a.shape[axis] for a in arrays])[:-1]))


@wrong("concatenate_rule", "two_axes_only", "You treat any axis but 0 as columns. An array may have more than two axes.")
def concatenate_rule(g, out, arrays, axis):
    pieces, start = [], 0
    for a in arrays:
        end = start + a.shape[axis]
        pieces.append(g[start:end] if axis == 0 else g[:, start:end])
        start = end
    return tuple(pieces)


@right("concatenate_rule", "by_slices")
def concatenate_rule(g, out, arrays, axis):
    pieces, start = [], 0
    for a in arrays:
        end = start + a.shape[axis]
        index = [slice(None)] * g.ndim
        index[axis] = slice(start, end)
        pieces.append(g[tuple(index)])
        start = end
    return tuple(pieces)


@right("concatenate_rule", "axis_to_the_front")
def concatenate_rule(g, out, arrays, axis):
    rows, ends = np.moveaxis(g, axis, 0), np.cumsum([a.shape[axis] for a in arrays])
    return tuple(np.moveaxis(rows[end - a.shape[axis] : end], 0, axis) for a, end in zip(arrays, ends))


# -- matmul_entries ---------------------------------------------------------------------------------------------------


@wrong("matmul_entries", "a_columns_of_b", "entry_of_a takes a column of b. The factor of a[i, k] in out[i, j] is b[k, j], for every j: a row.")
def entry_of_a(g, a, b, i, k):
    return (g[i, : len(b)] * b[:, k]).sum()


@wrong("matmul_entries", "a_one_term", "entry_of_a gives one contribution. a[i, k] takes part in a whole row of out.")
def entry_of_a(g, a, b, i, k):
    return g[i, k] * b[k, k]


@wrong("matmul_entries", "a_no_g", "entry_of_a adds up the row of b by itself. Multiply each of its numbers by the number of g where it acts, then add up.")
def entry_of_a(g, a, b, i, k):
    return b[k].sum()


@wrong("matmul_entries", "a_not_summed", "entry_of_a gives the contributions one by one. One number of a gets one number: their sum.")
def entry_of_a(g, a, b, i, k):
    return g[i] * b[k]


@wrong("matmul_entries", "a_all_rows", "entry_of_a adds up over all rows of g. a[i, k] acts on row i alone.")
def entry_of_a(g, a, b, i, k):
    return (g * b[k]).sum()


@wrong("matmul_entries", "a_sums_multiplied", "entry_of_a adds up the row of b by itself. Multiply each of its numbers by the number of g where it acts, then add up.")
def entry_of_a(g, a, b, i, k):
    return g[i].sum() * b[k].sum()


@wrong("matmul_entries", "b_row_of_g", "entry_of_b takes a row of g. b[k, j] acts on column j of out.")
def entry_of_b(g, a, b, k, j):
    return (a[:, k] * g[:, k]).sum()


@wrong("matmul_entries", "b_row_of_a", "entry_of_b takes a row of a. The factor of b[k, j] in out[i, j] is a[i, k], for every i: a column.")
def entry_of_b(g, a, b, k, j):
    n = len(g)
    return (a[k % n, :n] * g[:, j]).sum()


@wrong("matmul_entries", "b_all_columns", "entry_of_b adds up over all columns of g. b[k, j] acts on column j alone.")
def entry_of_b(g, a, b, k, j):
    return (a[:, k] @ g).sum()


@wrong("matmul_entries", "b_no_g", "entry_of_b adds up the factors alone. Each is multiplied by the number of g where it acts.")
def entry_of_b(g, a, b, k, j):
    return a[:, k].sum()


@wrong("matmul_entries", "a_columns_of_g", "entry_of_a goes down the columns of g and a, as entry_of_b does. a[i, k] acts on row i of out, with the factors in row k of b.")
def entry_of_a(g, a, b, i, k):
    return (g[:, i] * a[:, k]).sum()


@wrong("matmul_entries", "a_column_k_of_g", "entry_of_a goes down the columns of g and a, as entry_of_b does. a[i, k] acts on row i of out, with the factors in row k of b.")
def entry_of_a(g, a, b, i, k):
    return (g[:, k] * a[:, k]).sum()


@wrong("matmul_entries", "a_column_i_of_a", "entry_of_a goes down the columns of g and a, as entry_of_b does. a[i, k] acts on row i of out, with the factors in row k of b.")
def entry_of_a(g, a, b, i, k):
    return (g[:, k] * a[:, i]).sum()


@wrong("matmul_entries", "a_row_and_column", "entry_of_a pairs a row of g with a column of b, and their lengths differ. The factor of a[i, k] in out[i, j] is b[k, j], for every j: a row.")
def entry_of_a(g, a, b, i, k):
    return (g[i] * b[:, k]).sum()


@wrong("matmul_entries", "b_row_k_of_a", "In entry_of_b, a[k] is row k of a, and there may be none. Column k is a[:, k].")
def entry_of_b(g, a, b, k, j):
    return (a[k] * g[:, j]).sum()


right(
    "matmul_entries",
    "loops",
    source="""
    def entry_of_a(g, a, b, i, k):
        total = 0.0
        for j in range(b.shape[1]):
            total += g[i, j] * b[k, j]
        return total


    def entry_of_b(g, a, b, k, j):
        return sum(g[i, j] * a[i, k] for i in range(len(a)))
    """,
)
right(
    "matmul_entries",
    "by_the_formula",
    source="""
    def entry_of_a(g, a, b, i, k):
        return (g @ b.T)[i, k]


    def entry_of_b(g, a, b, k, j):
        return a[:, k] @ g[:, j]
    """,
)

# -- matmul_rule ------------------------------------------------------------------------------------------------------


@wrong("matmul_rule", "not_transposed", "No factor is transposed. For matrices that are not square the inner lengths differ.")
def matmul_rule(g, out, a, b):
    return g @ b, a @ g


@wrong("matmul_rule", "order_swapped", "The factors stand in the other order. Try the shapes: only one order gives the shape of a.")
def matmul_rule(g, out, a, b):
    return b.T @ g, g @ a.T


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
    "This is the numerical derivative. It takes two evaluations for each number, and is exact to some digits only: write the rule.",
)
def matmul_rule(g, out, a, b):
    return numerical_cotangents(np.matmul, g, a, b)



@wrong("matmul_rule", "times_transposed", "`*` multiplies number by number, with a transposition too. Each entry of a matrix product is a sum: write `@`.")
def matmul_rule(g, out, a, b):
    return g * b.T, a.T * g


@wrong("matmul_rule", "db_transposed", "What a gets is right. What b gets is transposed: which matrix of the product has to be turned?")
def matmul_rule(g, out, a, b):
    return g @ b.T, g.T @ a


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


# -- vector_matmul_rule -----------------------------------------------------------------------------------------------


@wrong("vector_matmul_rule", "matrices_only", "This is the rule of two matrices. A vector's .T is the same vector, so the shapes do not fit.")
def vector_matmul_rule(g, out, a, b):
    return g @ b.T, a.T @ g


@wrong("vector_matmul_rule", "shape_left", "The numbers are right, and a vector comes back as a matrix. Give it the shape of the input.")
def vector_matmul_rule(g, out, a, b):
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    g = g.reshape(left.shape[0], right.shape[1])
    return g @ right.T, left.T @ g


@wrong("vector_matmul_rule", "left_as_column", "On the left a vector is a row, and you made a column of it.")
def vector_matmul_rule(g, out, a, b):
    left = a[:, None] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    g = g.reshape(left.shape[0], right.shape[1])
    return (g @ right.T).reshape(a.shape), (left.T @ g).reshape(b.shape)


@wrong("vector_matmul_rule", "right_as_row", "The shapes do not fit. On the right a vector is a column, and g needs the shape that the product of the two matrices would have.")
def vector_matmul_rule(g, out, a, b):
    left = a[None, :] if a.ndim == 1 else a
    right = b[None, :] if b.ndim == 1 else b
    g = g.reshape(left.shape[0], right.shape[1])
    return (g @ right.T).reshape(a.shape), (left.T @ g).reshape(b.shape)


@wrong("vector_matmul_rule", "g_as_it_is", "The shapes do not fit. On the right a vector is a column, and g needs the shape that the product of the two matrices would have.")
def vector_matmul_rule(g, out, a, b):
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    return (g @ right.T).reshape(a.shape), (left.T @ g).reshape(b.shape)


@wrong("vector_matmul_rule", "dot_product_forgotten", "Two vectors make a single number, and matrix times vector is treated alike here. That case needs its own g.")
def vector_matmul_rule(g, out, a, b):
    if b.ndim == 1:
        return np.outer(g, b), a.T @ g
    if a.ndim == 1:
        return b @ g, np.outer(a, g)
    return g @ b.T, a.T @ g


@wrong("vector_matmul_rule", "results_swapped", "The results come in the opposite order: what a gets is first.")
def vector_matmul_rule(g, out, a, b):
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    g = g.reshape(left.shape[0], right.shape[1])
    return (left.T @ g).reshape(b.shape), (g @ right.T).reshape(a.shape)


@wrong("vector_matmul_rule", "times_g_sum", "For a vector you multiplied by the sum of g. Each number of g has its own row.")
def vector_matmul_rule(g, out, a, b):
    if a.ndim == 2 and b.ndim == 2:
        return g @ b.T, a.T @ g
    total = g.sum()
    return np.broadcast_to(total * (b if b.ndim == 1 else b.sum(axis=1)), a.shape), np.broadcast_to(
        total * (a if a.ndim == 1 else a.sum(axis=0)).reshape(-1, *[1] * (b.ndim - 1)), b.shape
    )


@wrong(
    "vector_matmul_rule",
    "numerical",
    "This is the numerical derivative. It takes two evaluations for each number, and is exact to some digits only: write the rule.",
)
def vector_matmul_rule(g, out, a, b):
    return numerical_cotangents(np.matmul, g, a, b)



@right("vector_matmul_rule", "four_cases")
def vector_matmul_rule(g, out, a, b):
    if a.ndim == 1 and b.ndim == 1:
        return g * b, g * a
    if b.ndim == 1:
        return np.outer(g, b), a.T @ g
    if a.ndim == 1:
        return b @ g, np.outer(a, g)
    return g @ b.T, a.T @ g


@right("vector_matmul_rule", "reshape_and_einsum")
def vector_matmul_rule(g, out, a, b):
    left = a.reshape(-1, a.shape[-1])
    right = b.reshape(len(b), -1)
    g = np.reshape(g, (len(left), -1))
    da, db = np.einsum("nm,km->nk", g, right), np.einsum("nk,nm->km", left, g)
    return da.reshape(a.shape), db.reshape(b.shape)


# -- batched_matmul_rule ----------------------------------------------------------------------------------------------


@wrong("batched_matmul_rule", "all_axes_turned", "With three axes the wrong ones were exchanged; .T turns all of them around. The matrices are in the last two.")
def batched_matmul_rule(g, out, a, b):
    return unbroadcast(g @ b.T, a.shape), unbroadcast(a.T @ g, b.shape)


@wrong("batched_matmul_rule", "not_unbroadcast", "The pairs are right. A matrix that was used for several pairs gets the sum of what they send.")
def batched_matmul_rule(g, out, a, b):
    return g @ b.swapaxes(-1, -2), a.swapaxes(-1, -2) @ g


@wrong("batched_matmul_rule", "summed_without_keeping", "You added up the axes in front. One of length 1 has to stay, with length 1.")
def batched_matmul_rule(g, out, a, b):
    da, db = g @ b.swapaxes(-1, -2), a.swapaxes(-1, -2) @ g
    while da.ndim > a.ndim or (da.ndim > 2 and da.shape != a.shape):
        da = da.sum(axis=0)
    while db.ndim > b.ndim or (db.ndim > 2 and db.shape != b.shape):
        db = db.sum(axis=0)
    return da, db


@wrong("batched_matmul_rule", "averaged", "You took the mean over the stack. Every use counts in full: contributions add up.")
def batched_matmul_rule(g, out, a, b):
    da, db = g @ b.swapaxes(-1, -2), a.swapaxes(-1, -2) @ g
    da_sum, db_sum = unbroadcast(da, a.shape), unbroadcast(db, b.shape)
    return da_sum * (da_sum.size / da.size), db_sum * (db_sum.size / db.size)


@wrong("batched_matmul_rule", "first_pair_only", "A matrix that was used for several pairs got what the first one sends. Add up all of them.")
def batched_matmul_rule(g, out, a, b):
    da, db = g @ b.swapaxes(-1, -2), a.swapaxes(-1, -2) @ g

    def first(x, shape):
        x = x[(0,) * (x.ndim - len(shape))]
        for axis, n in enumerate(shape):
            if n == 1:
                x = x.take([0], axis=axis)
        return x

    return first(da, a.shape), first(db, b.shape)


@wrong("batched_matmul_rule", "shapes_swapped", "The shapes are exchanged: what a gets is brought to the shape of b.")
def batched_matmul_rule(g, out, a, b):
    da, db = g @ b.swapaxes(-1, -2), a.swapaxes(-1, -2) @ g
    return unbroadcast(da, b.shape), unbroadcast(db, a.shape)


@wrong("batched_matmul_rule", "first_axes_swapped", "With three axes the wrong ones were exchanged; .T turns all of them around. The matrices are in the last two.")
def batched_matmul_rule(g, out, a, b):
    return unbroadcast(g @ b.swapaxes(0, 1), a.shape), unbroadcast(a.swapaxes(0, 1) @ g, b.shape)


@wrong("batched_matmul_rule", "order_swapped", "The factors stand in the other order. Try the shapes of one pair.")
def batched_matmul_rule(g, out, a, b):
    return unbroadcast(b.swapaxes(-1, -2) @ g, a.shape), unbroadcast(g @ a.swapaxes(-1, -2), b.shape)


@wrong(
    "batched_matmul_rule",
    "numerical",
    "This is the numerical derivative. It takes two evaluations for each number, and is exact to some digits only: write the rule.",
)
def batched_matmul_rule(g, out, a, b):
    return numerical_cotangents(np.matmul, g, a, b)



@wrong("batched_matmul_rule", "three_axes_only", "You named the axes for three, and here are two, or four. The matrices are in the last two axes: count from the end, -1 and -2.")
def batched_matmul_rule(g, out, a, b):
    da, db = g @ np.transpose(b, (0, 2, 1)), np.transpose(a, (0, 2, 1)) @ g
    return unbroadcast(da, a.shape), unbroadcast(db, b.shape)


@wrong("batched_matmul_rule", "axes_1_and_2", "You named the axes for three, and here are two, or four. The matrices are in the last two axes: count from the end, -1 and -2.")
def batched_matmul_rule(g, out, a, b):
    return unbroadcast(g @ b.swapaxes(1, 2), a.shape), unbroadcast(a.swapaxes(1, 2) @ g, b.shape)


@wrong("batched_matmul_rule", "two_or_three_axes", "This is right for two axes and for three. There may be more: count the axes of the matrices from the end, -1 and -2.")
def batched_matmul_rule(g, out, a, b):
    def turned(x):
        return x.T if x.ndim == 2 else x.swapaxes(1, 2)

    return unbroadcast(g @ turned(b), a.shape), unbroadcast(turned(a) @ g, b.shape)


@wrong("batched_matmul_rule", "one_axis_summed", "You added up one axis. There may be more of them in front, and each that is not in the input has to go.")
def batched_matmul_rule(g, out, a, b):
    da, db = g @ b.swapaxes(-1, -2), a.swapaxes(-1, -2) @ g

    def one_less(x, shape):
        if x.ndim > len(shape):
            return x.sum(axis=0)
        return x.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)

    return one_less(da, a.shape), one_less(db, b.shape)


@wrong("batched_matmul_rule", "stretched_axis_left", "You added up the axes that the input does not have. An axis of length 1 was stretched, too: it gets a sum, and stays.")
def batched_matmul_rule(g, out, a, b):
    da, db = g @ b.swapaxes(-1, -2), a.swapaxes(-1, -2) @ g
    return da.sum(axis=tuple(range(da.ndim - a.ndim))), db.sum(axis=tuple(range(db.ndim - b.ndim)))


@right("batched_matmul_rule", "einsum")
def batched_matmul_rule(g, out, a, b):
    da = np.einsum("...ij,...kj->...ik", g, b)
    db = np.einsum("...ij,...ik->...kj", g, a)
    return unbroadcast(da, a.shape), unbroadcast(db, b.shape)


@right("batched_matmul_rule", "pair_by_pair")
def batched_matmul_rule(g, out, a, b):
    front = g.shape[:-2]
    wide_a = np.broadcast_to(a, front + a.shape[-2:])
    wide_b = np.broadcast_to(b, front + b.shape[-2:])
    da, db = np.zeros(wide_a.shape), np.zeros(wide_b.shape)
    for place in np.ndindex(*front):
        da[place] = g[place] @ wide_b[place].T
        db[place] = wide_a[place].T @ g[place]
    return unbroadcast(da, a.shape), unbroadcast(db, b.shape)


# -- mended_lookup ----------------------------------------------------------------------------------------------------


@wrong("mended_lookup", "the_old_one", "The gradient of the table is wrong where W differs from its transpose: look at the line that leads back through the product with W.")
def mended_lookup(g, index, table, W, v):
    return lookup_backward(g, index, table, W, v)


@wrong("mended_lookup", "repeats_left", "The product with W is mended. A word that is looked up twice still gets one contribution.")
def mended_lookup(g, index, table, W, v):
    x = table[index]
    h = np.tanh(x @ W)
    dz = g[:, None] * v * (1 - h * h)
    dtable = np.zeros_like(table)
    dtable[index] += dz @ W.T
    return dtable, x.T @ dz, g @ h


@wrong("mended_lookup", "transposition_left", "The gradient of the table is wrong where W differs from its transpose: look at the line that leads back through the product with W.")
def mended_lookup(g, index, table, W, v):
    x = table[index]
    h = np.tanh(x @ W)
    dz = g[:, None] * v * (1 - h * h)
    dtable = np.zeros_like(table)
    np.add.at(dtable, index, dz @ W)
    return dtable, x.T @ dz, g @ h


@wrong("mended_lookup", "w_turned_as_well", "You transposed dW too. It was right: mend two lines, and leave the others.")
def mended_lookup(g, index, table, W, v):
    x = table[index]
    h = np.tanh(x @ W)
    dz = g[:, None] * v * (1 - h * h)
    dtable = np.zeros_like(table)
    np.add.at(dtable, index, dz @ W.T)
    return dtable, dz.T @ x, g @ h


@wrong("mended_lookup", "into_the_table", "The sums went into the table itself. They need an array of zeros.")
def mended_lookup(g, index, table, W, v):
    x = table[index]
    h = np.tanh(x @ W)
    dz = g[:, None] * v * (1 - h * h)
    np.add.at(table, index, dz @ W.T)
    return table, x.T @ dz, g @ h


@wrong("mended_lookup", "slope_of_tanh_lost", "The slope of tanh is missing. It was right in the colleague's version.")
def mended_lookup(g, index, table, W, v):
    x = table[index]
    h = np.tanh(x @ W)
    dz = g[:, None] * v
    dtable = np.zeros_like(table)
    np.add.at(dtable, index, dz @ W.T)
    return dtable, x.T @ dz, g @ h


@wrong("mended_lookup", "inverse_for_transpose", "You took the inverse of W. What leads back through a product is its transpose.")
def mended_lookup(g, index, table, W, v):
    x = table[index]
    h = np.tanh(x @ W)
    dz = g[:, None] * v * (1 - h * h)
    dtable = np.zeros_like(table)
    np.add.at(dtable, index, dz @ np.linalg.pinv(W))
    return dtable, x.T @ dz, g @ h


@wrong(
    "mended_lookup",
    "numerical",
    "This is the numerical derivative. It takes two evaluations for each number, and is exact to some digits only: write the rule.",
)
def mended_lookup(g, index, table, W, v):
    return numerical_cotangents(lambda *ps: lookup_scores(index, *ps), g, table, W, v)



@wrong("mended_lookup", "in_place", "The numbers are right, and one of the arrays that you were given is another one now: `+=`, `*=` and `.sort()` write into it.")
def mended_lookup(g, index, table, W, v):
    h = np.tanh(table[index] @ W)
    dz = g[:, None] * v * (1 - h * h)
    dW, dv = table[index].T @ dz, g @ h
    dx = dz @ W.T
    table[:] = 0
    np.add.at(table, index, dx)
    return table, dW, dv


@wrong("mended_lookup", "index_sorted", "The numbers are right, and one of the arrays that you were given is another one now: `+=`, `*=` and `.sort()` write into it.")
def mended_lookup(g, index, table, W, v):
    h = np.tanh(table[index] @ W)
    dz = g[:, None] * v * (1 - h * h)
    dW, dv, dtable = table[index].T @ dz, g @ h, np.zeros_like(table)
    np.add.at(dtable, index, dz @ W.T)
    index.sort()
    return dtable, dW, dv


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


# -- two_layer_rule ---------------------------------------------------------------------------------------------------


@wrong("two_layer_rule", "relu_forgotten", "relu was left out: what arrives at h goes on only where h is positive. Or the mask is True everywhere: h is never negative.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    h = np.maximum(x @ W1 + b1, 0)
    dz = g @ W2.T
    return dz @ W1.T, x.T @ dz, dz.sum(axis=0), h.T @ g, g.sum(axis=0)


@wrong("two_layer_rule", "mask_of_dh", "The mask was made from the gradient. relu lets pass where its input is positive.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    h = np.maximum(x @ W1 + b1, 0)
    dh = g @ W2.T
    dz = dh * (dh > 0)
    return dz @ W1.T, x.T @ dz, dz.sum(axis=0), h.T @ g, g.sum(axis=0)


@wrong("two_layer_rule", "times_h", "You multiplied by h. The slope of relu is 1 or 0: a mask.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    h = np.maximum(x @ W1 + b1, 0)
    dz = g @ W2.T * h
    return dz @ W1.T, x.T @ dz, dz.sum(axis=0), h.T @ g, g.sum(axis=0)


@wrong("two_layer_rule", "biases_not_summed", "A bias was copied to every row, so it gets the sum over the rows.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    h = np.maximum(x @ W1 + b1, 0)
    dz = g @ W2.T * (h > 0)
    return dz @ W1.T, x.T @ dz, dz, h.T @ g, g


@wrong("two_layer_rule", "biases_averaged", "A bias got the mean over the rows. Every row counts in full: a sum.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    h = np.maximum(x @ W1 + b1, 0)
    dz = g @ W2.T * (h > 0)
    return dz @ W1.T, x.T @ dz, dz.mean(axis=0), h.T @ g, g.mean(axis=0)


@wrong("two_layer_rule", "before_relu_for_w2", "W2 was multiplied by h, the values after relu. You used those before it.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    z = x @ W1 + b1
    dz = g @ W2.T * (z > 0)
    return dz @ W1.T, x.T @ dz, dz.sum(axis=0), z.T @ g, g.sum(axis=0)


@wrong("two_layer_rule", "dh_for_w1", "W1 and b1 got what arrives at h. First it has to pass relu.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    h = np.maximum(x @ W1 + b1, 0)
    dh = g @ W2.T
    dz = dh * (h > 0)
    return dz @ W1.T, x.T @ dh, dh.sum(axis=0), h.T @ g, g.sum(axis=0)


@wrong("two_layer_rule", "layers_in_other_order", "The results come in the order of the inputs: x, W1, b1, W2, b2.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    h = np.maximum(x @ W1 + b1, 0)
    dz = g @ W2.T * (h > 0)
    return dz @ W1.T, h.T @ g, g.sum(axis=0), x.T @ dz, dz.sum(axis=0)


@wrong("two_layer_rule", "bias_left_out", "The hidden values were computed without b1, so the mask is another one.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    h = np.maximum(x @ W1, 0)
    dz = g @ W2.T * (h > 0)
    return dz @ W1.T, x.T @ dz, dz.sum(axis=0), h.T @ g, g.sum(axis=0)


@wrong("two_layer_rule", "mask_without_g", "What arrives at the hidden layer is the mask alone: g and W2 were lost on the way.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    h = np.maximum(x @ W1 + b1, 0)
    dz = (h > 0) * 1.0
    return dz @ W1.T, x.T @ dz, dz.sum(axis=0), h.T @ g, g.sum(axis=0)


@wrong(
    "two_layer_rule",
    "numerical",
    "This is the numerical derivative. It takes two evaluations for each number, and is exact to some digits only: write the rule.",
)
def two_layer_rule(g, out, *inputs):
    return numerical_cotangents(lambda x, W1, b1, W2, b2: np.maximum(x @ W1 + b1, 0) @ W2 + b2, g, *inputs)



@wrong("two_layer_rule", "mask_with_equal", "relu was left out: what arrives at h goes on only where h is positive. Or the mask is True everywhere: h is never negative.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    h = np.maximum(x @ W1 + b1, 0)
    dz = g @ W2.T * (h >= 0)
    return dz @ W1.T, x.T @ dz, dz.sum(axis=0), h.T @ g, g.sum(axis=0)


@wrong("two_layer_rule", "not_transposed", "Shapes do not fit: a transposition is missing in a product, or its factors stand in the other order. Write the shapes on paper.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    h = np.maximum(x @ W1 + b1, 0)
    dz = g @ W2 * (h > 0)
    return dz @ W1, x.T @ dz, dz.sum(axis=0), h.T @ g, g.sum(axis=0)


@wrong("two_layer_rule", "summed_completely", "You added up all of g for a bias. Each number of it was copied down its own column: a sum per column.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    h = np.maximum(x @ W1 + b1, 0)
    dz = g @ W2.T * (h > 0)
    return dz @ W1.T, x.T @ dz, dz.sum(), h.T @ g, g.sum()


@wrong("two_layer_rule", "summed_along_rows", "You added up along each row, one sum per image. A bias was copied down the rows: add those up, axis 0.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    h = np.maximum(x @ W1 + b1, 0)
    dz = g @ W2.T * (h > 0)
    return dz @ W1.T, x.T @ dz, dz.sum(axis=1), h.T @ g, g.sum(axis=1)


@wrong("two_layer_rule", "x_left_out", "There are four cotangents, and five inputs: x gets one, too.")
def two_layer_rule(g, out, x, W1, b1, W2, b2):
    h = np.maximum(x @ W1 + b1, 0)
    dz = g @ W2.T * (h > 0)
    return x.T @ dz, dz.sum(axis=0), h.T @ g, g.sum(axis=0)


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
