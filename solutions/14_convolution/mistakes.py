"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 14_convolution`) and they diagnose: a student's answer that behaves like one of
these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the functions
use (np, windows, from_windows) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import changed, right, wrong


# -- conv1d -----------------------------------------------------------------------------------------------------------


@wrong("conv1d", "turned", "The kernel is turned around here: its last number meets the first number under it. `np.convolve` does that, and `np.correlate` does not.")
def conv1d(x, w):
    return np.convolve(x, w, "valid")


@wrong("conv1d", "one_place_less", "A place is missing at the end: there are len(x) - len(w) + 1 of them.")
def conv1d(x, w):
    return np.array([w @ x[i : i + len(w)] for i in range(len(x) - len(w))])


@wrong("conv1d", "over_the_end", "The kernel goes on over the end of x. Stop where it no longer fits.")
def conv1d(x, w):
    x = np.concatenate([x, np.zeros(len(w) - 1)])
    return np.array([w @ x[i : i + len(w)] for i in range(len(x) - len(w) + 1)])


@wrong("conv1d", "zeros_around", "Zeros stand on both sides here: only the places where the kernel fits are asked for.")
def conv1d(x, w):
    return np.correlate(x, w, "full")


@wrong("conv1d", "same_length", "As many numbers as in x: only the places where the kernel fits are asked for.")
def conv1d(x, w):
    return np.correlate(x, w, "same")


@wrong("conv1d", "side_by_side", "Only the first place is here. The kernel goes on by one, not by its own length, up to the last of len(x) - len(w) + 1 places.")
def conv1d(x, w):
    return np.array([w @ x[i : i + len(w)] for i in range(0, len(x) - len(w) + 1, len(w))])


@wrong("conv1d", "mean", "This is a mean. A convolution adds up, and divides by nothing.")
def conv1d(x, w):
    return np.array([(w * x[i : i + len(w)]).mean() for i in range(len(x) - len(w) + 1)])


@wrong("conv1d", "products", "These are the products. Add them up at each place.")
def conv1d(x, w):
    return np.array([w * x[i : i + len(w)] for i in range(len(x) - len(w) + 1)])


@wrong("conv1d", "round_the_corner", "At the end the kernel meets the beginning of x again. Only the places where it fits are asked for.")
def conv1d(x, w):
    return sum(w[k] * np.roll(x, -k) for k in range(len(w)))


@wrong("conv1d", "integers", "The sums are cut down to integers here: an array for them has to hold floats, whatever x and w hold.")
def conv1d(x, w):
    out = np.zeros(len(x) - len(w) + 1, dtype=int)
    for i in range(len(out)):
        out[i] = w @ x[i : i + len(w)]
    return out


@wrong("conv1d", "dtype_of_x", "The sums get the dtype of x: where x holds integers, they are cut down to integers.")
def conv1d(x, w):
    out = np.zeros(len(x) - len(w) + 1, dtype=x.dtype)
    for i in range(len(out)):
        out[i] = w @ x[i : i + len(w)]
    return out


@wrong("conv1d", "dtype_of_w", "The sums get the dtype of w: where w holds integers, they are cut down to integers.")
def conv1d(x, w):
    out = np.zeros(len(x) - len(w) + 1, dtype=w.dtype)
    for i in range(len(out)):
        out[i] = w @ x[i : i + len(w)]
    return out


@wrong("conv1d", "zeros_like_x", "The sums get the dtype of x: where x holds integers, they are cut down to integers.")
def conv1d(x, w):
    n = len(x) - len(w) + 1
    out = np.zeros_like(x)[:n]
    for i in range(n):
        out[i] = w @ x[i : i + len(w)]
    return out


# Behind those that cut down to integers: where x holds integers, it gives what they give.
@wrong("conv1d", "in_place_of_floats", "x changes while you read it, and the caller's x is another one afterwards: write into a new array, of floats.")
def conv1d(x, w):
    n = len(x) - len(w) + 1
    for i in range(n):
        x[i] = w @ x[i : i + len(w)]
    return x[:n]


@wrong("conv1d", "arguments_exchanged", "No place is left here. It is w that slides along x, not x along w, and there are len(x) - len(w) + 1 places.")
def conv1d(w, x):
    return np.array([w @ x[i : i + len(w)] for i in range(len(x) - len(w) + 1)])


@wrong("conv1d", "list", "The numbers are right, and they stand in a list: `np.array` makes an array of it.")
def conv1d(x, w):
    return [w @ x[i : i + len(w)] for i in range(len(x) - len(w) + 1)]


@wrong("conv1d", "by_fourier", "Beside large numbers the small sums lose their digits: a Fourier transform mixes all numbers. Add up at each place.")
def conv1d(x, w):
    n = len(x)
    return np.fft.irfft(np.fft.rfft(x, n) * np.conj(np.fft.rfft(w, n)), n)[: n - len(w) + 1]


@right("conv1d", "correlate")
def conv1d(x, w):
    return np.correlate(x, w, mode="valid")


@right("conv1d", "slices")
def conv1d(x, w):
    places = len(x) - len(w) + 1
    out = np.zeros(places)
    for k in range(len(w)):
        out += w[k] * x[k : k + places]
    return out


@right("conv1d", "view")
def conv1d(x, w):
    return np.lib.stride_tricks.sliding_window_view(x, len(w)) @ w


@wrong(
    "conv1d",
    "strides_of_a_whole",
    "The steps are taken as if the numbers of x lay side by side in memory. In a view such as x[::2] they do not.",
)
def conv1d(x, w):
    n, k = len(x) - len(w) + 1, len(w)
    step = x.itemsize
    return np.lib.stride_tricks.as_strided(x, (n, k), (step, step)) @ w


wrong(
    "conv1d",
    "cut_to_integers",
    "The sums are kept in the dtype of x: where x holds integers, all behind the point is cut off.",
    source="""
def conv1d(x, w):
    out = np.zeros(len(x) - len(w) + 1, dtype=x.dtype)
    for k in range(len(w)):
        out[:] = out + w[k] * x[k : k + len(out)]
    return out
""",
)


wrong(
    "conv1d",
    "first_number_alone",
    "Only the first number is computed: does `return` stand inside the loop? It ends the function at once.",
    source="""
def conv1d(x, w):
    out = np.zeros(len(x) - len(w) + 1)
    for i in range(len(out)):
        out[i] = w @ x[i : i + len(w)]
        return out
""",
)
wrong(
    "conv1d",
    "w_turned_for_the_caller",
    "The numbers are right, and the caller's w is in reverse afterwards: turn a view or a copy, `w[::-1]`, and write nothing into w.",
    source="""
def conv1d(x, w):
    w[:] = w[::-1].copy()
    return np.convolve(x, w, mode="valid")
""",
)


@wrong("conv1d", "zeros_at_the_ends", "Where x begins with zeros, or w ends with them, numbers are missing or stand elsewhere: `np.polymul` drops zeros at an end, as of a polynomial's highest powers. Here they are numbers like others.")
def conv1d(x, w):
    """The sums of w times what lies under it, for each place in x: (n,), (k,) -> (n - k + 1,)."""
    whole = np.polymul(x, w[::-1])
    return whole[len(w) - 1 : len(x)]


@wrong("conv1d", "x_turned", "The sums are right, and the last one stands first. x is turned around here, or the loop runs from the end.")
def conv1d(x, w):
    return np.convolve(x[::-1], w, mode="valid")


# -- conv1d_rule ------------------------------------------------------------------------------------------------------

RULE = """
def conv1d_rule(g, x, w):
    wide = np.pad(g, len(w) - 1)
    to_x = np.array([w[::-1] @ wide[i : i + len(w)] for i in range(len(x))])
    to_w = np.array([g @ x[k : k + len(g)] for k in range(len(w))])
    return to_x, to_w
"""

wrong("conv1d_rule", "not_turned", "The kernel that slides over g has to be turned around.",
      source=changed(RULE, ("w[::-1] @", "w @")))
wrong("conv1d_rule", "w_turned", "The gradient of w is in reverse: g slides along x as it is.",
      source=changed(RULE, ("return to_x, to_w", "return to_x, to_w[::-1]")))
wrong("conv1d_rule", "g_turned", "For the gradient of w, the last number of g meets the first under it, as if g were turned around: it slides along x as it is.",
      source=changed(RULE, ("[g @ x", "[g[::-1] @ x")))
wrong("conv1d_rule", "exchanged", "The two gradients are exchanged: that of x comes first.",
      source=changed(RULE, ("return to_x, to_w", "return to_w, to_x")))
wrong("conv1d_rule", "not_widened", "Without zeros around g there are too few places: put len(w) - 1 on each side.", source="""
def conv1d_rule(g, x, w):
    return np.correlate(g, w[::-1], "valid"), np.correlate(x, g, "valid")
""")
wrong("conv1d_rule", "too_wide", "Too many zeros: there are len(w) - 1 on each side of g.", source="""
def conv1d_rule(g, x, w):
    return np.correlate(np.pad(g, len(w)), w[::-1], "valid"), np.correlate(x, g, "valid")
""")
wrong("conv1d_rule", "g_in_place_of_w", "The gradient of x comes out in reverse: turn w around, and neither g nor what comes out.", source="""
def conv1d_rule(g, x, w):
    return np.correlate(np.pad(g[::-1], len(w) - 1), w, "valid"), np.correlate(x, g, "valid")
""")
wrong("conv1d_rule", "w_along_x", "For the gradient of w you let w slide along x, as on the way forward. It is g that slides.", source="""
def conv1d_rule(g, x, w):
    return np.correlate(np.pad(g, len(w) - 1), w[::-1], "valid"), np.correlate(x, w, "valid")
""")
wrong("conv1d_rule", "half_as_many_zeros", "Too short, since there are too few zeros: len(x) places need len(w) - 1 on each side of g.",
      source=changed(RULE, ("np.pad(g, len(w) - 1)", "np.pad(g, len(w) // 2)"), ("range(len(x))", "range(len(g) + 2 * (len(w) // 2) - len(w) + 1)")))
ANOTHER_LENGTH = "With this kernel the gradient of x has another length than x: there are len(w) - 1 zeros on each side of g, counted by the kernel, and neither by g nor by a constant."
wrong("conv1d_rule", "two_zeros", ANOTHER_LENGTH,
      source=changed(RULE, ("np.pad(g, len(w) - 1)", "np.pad(g, 2)"), ("range(len(x))", "range(len(g) + 5 - len(w))")))
wrong("conv1d_rule", "as_wide_as_g", ANOTHER_LENGTH,
      source=changed(RULE, ("np.pad(g, len(w) - 1)", "np.pad(g, len(g) - 1)"), ("range(len(x))", "range(3 * len(g) - 1 - len(w))")))
wrong("conv1d_rule", "slices_as_long_as_w", "Two lengths do not fit here. For the gradient of w, g meets slices of x: they are as long as g, and there are len(w) of them.",
      source=changed(RULE, ("x[k : k + len(g)]", "x[k : k + len(w)]")))
wrong("conv1d_rule", "x_turned", "For the gradient of w you go through x from its end: g slides along x as it is.",
      source=changed(RULE, ("[g @ x[k", "[g @ x[::-1][k")))
wrong("conv1d_rule", "x_turned_and_result", "For the gradient of w, the last number of g meets the first under it, as if g were turned around: it slides along x as it is.",
      source=changed(RULE, ("[g @ x[k", "[g @ x[::-1][k"), ("return to_x, to_w", "return to_x, to_w[::-1]")))
wrong("conv1d_rule", "result_turned", "The gradient of x comes out in reverse: turn w around, and neither g nor what comes out.",
      source=changed(RULE, ("return to_x, to_w", "return to_x[::-1], to_w")))
wrong("conv1d_rule", "zeros_on_the_left", "The gradient of x comes too late: there are too many zeros on the left of g, and len(w) - 1 belong on each side.",
      source=changed(RULE, ("np.pad(g, len(w) - 1)", "np.pad(g, (2 * len(w) - 2, 0))")))
wrong("conv1d_rule", "one_zero_too_many", "The gradient of x comes too late: there are too many zeros on the left of g, and len(w) - 1 belong on each side.",
      source=changed(RULE, ("np.pad(g, len(w) - 1)", "np.pad(g, len(w))")))
wrong("conv1d_rule", "zeros_on_the_right", "All zeros stand on one side of g: len(w) - 1 belong on each.",
      source=changed(RULE, ("np.pad(g, len(w) - 1)", "np.pad(g, (0, 2 * len(w) - 2))")))
PLACE_BY_PLACE = """
def conv1d_rule(g, x, w):
    to_x, to_w = np.zeros(len(x)), np.zeros(len(w))
    for i in range(len(g)):
        to_x[i : i + len(w)] += g[i] * w
        to_w += g[i] * x[i : i + len(w)]
    return to_x, to_w
"""
wrong("conv1d_rule", "last_part", "An input is in several places: add its parts up, do not overwrite them. `+=` at an array of positions overwrites, too, where one comes twice.",
      source=changed(PLACE_BY_PLACE, ("] += g[i] * w", "] = g[i] * w")))
wrong("conv1d_rule", "last_part_of_w", "Each place adds to the gradient of w. This keeps the last place only.",
      source=changed(PLACE_BY_PLACE, ("to_w +=", "to_w =")))
wrong("conv1d_rule", "g_forgotten", "g does not count here: each output's part is multiplied by its g.",
      source=changed(RULE, ("def conv1d_rule(g, x, w):\n", "def conv1d_rule(g, x, w):\n    g = np.ones(len(g))\n")))
wrong("conv1d_rule", "fancy_index", "`+=` at an index keeps one part of several: take slices, or `np.add.at`.", source="""
def conv1d_rule(g, x, w):
    to_x = np.zeros(len(x))
    at = np.arange(len(g))[:, None] + np.arange(len(w))
    to_x[at] += g[:, None] * w
    return to_x, g @ x[at]
""")
wrong("conv1d_rule", "zeros_like_x", "The gradients have the dtypes of x and w: where these hold integers, 0.5 is cut off. Make arrays of floats, `np.zeros(len(x))`.", source="""
def conv1d_rule(g, x, w):
    to_x, to_w = np.zeros_like(x), np.zeros_like(w)
    for i in range(len(g)):
        for k in range(len(w)):
            to_x[i + k] += g[i] * w[k]
            to_w[k] += g[i] * x[i + k]
    return to_x, to_w
""")
wrong("conv1d_rule", "zeros_like_x_alone", "The gradient of x has its dtype: where x holds integers, 0.5 is cut off. Make an array of floats, `np.zeros(len(x))`.", source="""
def conv1d_rule(g, x, w):
    to_x = np.zeros_like(x)
    for i in range(len(g)):
        for k in range(len(w)):
            to_x[i + k] += g[i] * w[k]
    return to_x, np.correlate(x, g, "valid")
""")
wrong("conv1d_rule", "zeros_like_w_alone", "The gradient of w has its dtype: where w holds integers, 0.5 is cut off. Make an array of floats, `np.zeros(len(w))`.", source="""
def conv1d_rule(g, x, w):
    to_w = np.zeros_like(w)
    for i in range(len(g)):
        for k in range(len(w)):
            to_w[k] += g[i] * x[i + k]
    return np.convolve(g, w), to_w
""")
wrong("conv1d_rule", "x_along_g", "x slides along g here, so that no place fits: for the gradient of w it is g that slides along x, `conv1d(x, g)`.", source="""
def conv1d_rule(g, x, w):
    to_w = np.array([x @ g[i : i + len(x)] for i in range(len(g) - len(x) + 1)])
    return np.correlate(np.pad(g, len(w) - 1), w[::-1], "valid"), to_w
""")
wrong("conv1d_rule", "integer_arrays", "Whole numbers come out where halves are expected: make float arrays, with `np.zeros`.", source="""
def conv1d_rule(g, x, w):
    to_x, to_w = np.zeros_like(x), np.zeros_like(w)
    for i in range(len(g)):
        to_x[i : i + len(w)] = to_x[i : i + len(w)] + g[i] * w
        to_w[:] = to_w + g[i] * x[i : i + len(w)]
    return to_x, to_w
""")
wrong("conv1d_rule", "integer_arrays_added", "`+=` cannot put halves into an array of integers: make float arrays, with `np.zeros`.",
      source=changed(PLACE_BY_PLACE, ("np.zeros(len(x)), np.zeros(len(w))", "np.zeros_like(x), np.zeros_like(w)")))
wrong("conv1d_rule", "mean_of_w", "The gradient of w is a sum over the places, and this is a mean.",
      source=changed(RULE, ("return to_x, to_w", "return to_x, to_w / len(g)")))


AS_LONG_AS_W = "Two lengths do not fit here. A window is as long as w: no fixed number, and not the length of g."
wrong("conv1d_rule", "windows_as_long_as_g", AS_LONG_AS_W,
      source=changed(PLACE_BY_PLACE, ("i + len(w)", "i + len(g)")))
wrong("conv1d_rule", "windows_of_three", AS_LONG_AS_W,
      source=changed(PLACE_BY_PLACE, ("i + len(w)", "i + 3")))


@right("conv1d_rule", "matrix")
def conv1d_rule(g, x, w):
    A = sum(w[k] * np.eye(len(g), len(x), k) for k in range(len(w)))
    seen = np.stack([x[i : i + len(w)] for i in range(len(g))])
    return A.T @ g, seen.T @ g


@right("conv1d_rule", "numpy")
def conv1d_rule(g, x, w):
    return np.convolve(g, w), np.correlate(x, g, "valid")


@right("conv1d_rule", "add_at")
def conv1d_rule(g, x, w):
    to_x = np.zeros(len(x))
    at = np.arange(len(g))[:, None] + np.arange(len(w))
    np.add.at(to_x, at, g[:, None] * w)
    return to_x, (g[:, None] * x[at]).sum(0)


@wrong(
    "conv1d_rule",
    "side_by_side",
    "The steps are taken as if the numbers of x lay side by side in memory. In a view such as x[::2] they do not.",
)
def conv1d_rule(g, x, w):
    n, k, step = len(g), len(w), x.itemsize
    to_x = np.array([w[::-1] @ np.pad(g, k - 1)[i : i + k] for i in range(len(x))])
    return to_x, g @ np.lib.stride_tricks.as_strided(x, (n, k), (step, step))


wrong("conv1d_rule", "in_the_dtype_of_w", "x was brought to the dtype of w: where w holds integers, the decimals of x are lost.",
      source=changed(PLACE_BY_PLACE, ("    to_x, to_w = ", "    x = x.astype(w.dtype)\n    to_x, to_w = ")))


wrong("conv1d_rule", "zeros_behind_g_alone", "Zeros stand on one side of g only, and half as many as are needed, so some places are missing: len(w) - 1 belong on each side.",
      source=changed(RULE, ("np.pad(g, len(w) - 1)", "np.pad(g, (0, len(w) - 1))"), ("range(len(x))", "range(len(g))")))
wrong("conv1d_rule", "three_written_down", "Slices of x differ in length, since the last ones reach over its end, and no array can be made of them: a window is as long as w, and no fixed number.", source="""
def conv1d_rule(g, x, w):
    to_w = np.array([x[i : i + 3] for i in range(len(g))]).T @ g
    return np.convolve(g, w), to_w
""")
wrong("conv1d_rule", "side_by_side_of_both", "The steps are taken as if the numbers of x lay side by side in memory. In a view such as x[::2] they do not.", source="""
def conv1d_rule(g, x, w):
    seen = np.lib.stride_tricks.as_strided(x, (len(w), len(g)), (x.itemsize, x.itemsize))
    return np.convolve(g, w), seen @ g
""")


@wrong("conv1d_rule", "dtypes_of_inputs", "The gradients get the dtypes of x and w: where these hold integers, they are cut down to integers.")
def conv1d_rule(g, x, w):
    wide = np.pad(g, len(w) - 1)
    to_x, to_w = np.zeros_like(x), np.zeros_like(w)
    for j in range(len(x)):
        to_x[j] = wide[j : j + len(w)] @ w[::-1]
    for k in range(len(w)):
        to_w[k] = x[k : k + len(g)] @ g
    return to_x, to_w


# -- patches ----------------------------------------------------------------------------------------------------------

PATCHES = """
def patches(x, kh, kw, stride=1, padding=0):
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    n, c, h, w = x.shape
    rows, columns = (h - kh) // stride + 1, (w - kw) // stride + 1
    found = np.empty((n, c, kh, kw, rows, columns), x.dtype)
    for i in range(kh):
        for j in range(kw):
            found[:, :, i, j] = x[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride]
    return found.reshape(n, c * kh * kw, rows * columns)
"""

wrong("patches", "no_padding", "Zeros above and below are missing: the border goes around all four sides.", source=changed(PATCHES, ("padding, padding", "0, 0")))
wrong("patches", "no_stride", "The stride does not count: the kernel moves by `stride` pixels.",
      source=changed(PATCHES, ("    n, c", "    stride = 1\n    n, c")))
wrong("patches", "patches_in_rows", "Here each patch is a row. It should be a column: places come last.",
      source=changed(PATCHES, ("rows * columns)", "rows * columns).transpose(0, 2, 1)")))
wrong("patches", "reshaped_only", "The shape is right, and the numbers are in a wrong order: bring the axes into order before `reshape`.",
      source=changed(PATCHES, ("found.reshape(", "found.transpose(0, 4, 5, 1, 2, 3).reshape(")))
wrong("patches", "channels_last", "Within a column the channels come last. One channel's whole patch comes first, then the next channel's.",
      source=changed(PATCHES, ("found.reshape(", "found.transpose(0, 2, 3, 1, 4, 5).reshape(")))
wrong("patches", "columns_first", "Within a patch you go column by column: go row by row.",
      source=changed(PATCHES, ("found.reshape(", "found.transpose(0, 1, 3, 2, 4, 5).reshape(")))
wrong("patches", "places_by_columns", "The places go column by column: go row by row.",
      source=changed(PATCHES, ("found.reshape(", "found.transpose(0, 1, 2, 3, 5, 4).reshape(")))
wrong("patches", "kernel_exchanged", "kh and kw are exchanged: height first.",
      source=changed(PATCHES, ("    x = np.pad", "    kh, kw = kw, kh\n    x = np.pad")))
wrong("patches", "always_float64", "The result is float64, and x is not: pass on its dtype.",
      source=changed(PATCHES, ("columns), x.dtype)", "columns))")))
wrong("patches", "border_of_ones", "The border holds ones: it should hold zeros.",
      source=changed(PATCHES, ("(padding, padding)))", "(padding, padding)), constant_values=1)")))
wrong("patches", "edge_repeated", "The border repeats the edge: it should hold zeros.",
      source=changed(PATCHES, ("(padding, padding)))", "(padding, padding)), mode='edge')")))
wrong("patches", "padded_on_one_side", "The border goes around all four sides.",
      source=changed(PATCHES, ("((0, 0), (0, 0), (padding, padding), (padding, padding))", "((0, 0), (0, 0), (0, padding), (0, padding))")))
wrong("patches", "batch_lost", "Only the first picture is there: keep the batch.",
      source=changed(PATCHES, ("    n, c", "    x = x[:1]\n    n, c")))
wrong("patches", "stride_of_rows_only", "The stride counts for the rows only: the columns are left out, too.",
      source=changed(PATCHES, ("(w - kw) // stride + 1", "w - kw + 1"), ("j : j + stride * columns : stride", "j : j + columns")))
wrong("patches", "steps_of_one", "The places are counted with the stride, and yet taken side by side: place r begins at r times the stride.",
      source=changed(PATCHES, ("i : i + stride * rows : stride, j : j + stride * columns : stride", "i : i + rows, j : j + columns")))
wrong("patches", "no_stride_of_rows", "The slice of the rows has no step: the stride counts for rows and columns.",
      source=changed(PATCHES, ("i : i + stride * rows : stride,", "i : i + rows,")))
wrong("patches", "no_end", "The slices do not fit the places: they end at i + stride · rows and j + stride · columns.",
      source=changed(PATCHES, ("i : i + stride * rows : stride, j : j + stride * columns : stride", "i::stride, j::stride")))
wrong("patches", "last_pixel_as_end", "The slices do not fit the places: they end at i + stride · rows and j + stride · columns.",
      source=changed(PATCHES, ("i : i + stride * rows : stride, j : j + stride * columns : stride", "i : i + stride * (rows - 1) : stride, j : j + stride * (columns - 1) : stride")))
wrong("patches", "places_with_a_border_that_is_not_there", "The slices do not fit the places: the border goes around height and width alone, and counts once. `places_along` takes the picture's own height and width, and adds it.",
      source="""
def patches(x, kh, kw, stride=1, padding=0):
    n, c, h, w = x.shape
    rows, columns = places_along(h, kh, stride, padding), places_along(w, kw, stride, padding)
    found = np.empty((n, c, kh, kw, rows, columns), x.dtype)
    for i in range(kh):
        for j in range(kw):
            found[:, :, i, j] = x[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride]
    return found.reshape(n, c * kh * kw, rows * columns)
""")
wrong("patches", "all_axes_padded_later", "The slices do not fit the places: the border goes around height and width alone, and counts once. `places_along` takes the picture's own height and width, and adds it.", source="""
def patches(x, kh, kw, stride=1, padding=0):
    n, c, h, w = x.shape
    rows, columns = places_along(h, kh, stride, padding), places_along(w, kw, stride, padding)
    x = np.pad(x, padding)
    found = np.empty((n, c, kh, kw, rows, columns), x.dtype)
    for i in range(kh):
        for j in range(kw):
            found[:, :, i, j] = x[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride]
    return found.reshape(n, c * kh * kw, rows * columns)
""")
wrong("patches", "border_twice", "The slices do not fit the places: the border goes around height and width alone, and counts once. `places_along` takes the picture's own height and width, and adds it.",
      source=changed(PATCHES, ("(h - kh) // stride + 1, (w - kw) // stride + 1", "places_along(h, kh, stride, padding), places_along(w, kw, stride, padding)")))
wrong("patches", "ends_at_rows", "With a stride the slices end too early: places that are `stride` pixels apart reach to i + stride · rows and j + stride · columns.",
      source=changed(PATCHES, ("i : i + stride * rows : stride, j : j + stride * columns : stride", "i : i + rows : stride, j : j + columns : stride")))
wrong("patches", "all_axes_padded", "All four axes have a border here: it belongs to height and width alone.",
      source=changed(PATCHES, ("((0, 0), (0, 0), (padding, padding), (padding, padding))", "padding")))

PLACES = """
def patches(x, kh, kw, stride=1, padding=0):
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    found = []
    for i in range(0, x.shape[2] - kh, stride):
        for j in range(0, x.shape[3] - kw, stride):
            found.append(x[:, :, i : i + kh, j : j + kw].reshape(len(x), -1))
    return np.stack(found, axis=2)
"""
NOTHING_TO_STACK = "There is nothing to stack. Does `range` end too early (a kernel that just fits has one place: the height less kh, + 1), or is nothing appended?"
wrong("patches", "not_appended", NOTHING_TO_STACK, source=changed(
    PLACES, ("- kh, ", "- kh + 1, "), ("- kw, ", "- kw + 1, "), ("found.append(x", "found + [x"), ("(len(x), -1))", "(len(x), -1)]")))
wrong("patches", "last_places_missing", NOTHING_TO_STACK,
      source=PLACES)
wrong("patches", "pictures_mixed", "With two pictures their numbers are mixed: the picture's axis has to stand in front before `reshape`, and here it stands behind that of the kernel's numbers.", source="""
def patches(x, kh, kw, stride=1, padding=0):
    n, c, h, w = x.shape
    rows, columns = places_along(h, kh, stride, padding), places_along(w, kw, stride, padding)
    x, lines = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding))), []
    for k, i, j in np.ndindex(c, kh, kw):
        lines.append(x[:, k, i : i + stride * rows : stride, j : j + stride * columns : stride].reshape(n, -1))
    return np.array(lines).reshape(n, c * kh * kw, rows * columns)
""")
wrong("patches", "border_of_rows_only", "The border is above and below only: columns have one, too.",
      source=changed(PATCHES, ("(padding, padding), (padding, padding)", "(padding, padding), (0, 0)")))
wrong("patches", "border_of_columns_only", "Zeros above and below are missing: the border goes around all four sides.",
      source=changed(PATCHES, ("(padding, padding), (padding, padding)", "(0, 0), (padding, padding)")))
wrong("patches", "begins_at_i_strides", "The slices do not fit the places: row i of the kernel lies i pixels below its first one, so its slice begins at i, whatever the stride is.",
      source=changed(PATCHES, ("i : i + stride * rows : stride, j : j + stride * columns : stride", "i * stride : i * stride + stride * rows : stride, j * stride : j * stride + stride * columns : stride")))


@wrong("patches", "floats_of_all_others", "A picture of integers becomes one of floats: the dtype stays, whatever it is.")
def patches(x, kh, kw, stride=1, padding=0):
    x = np.pad(x if x.dtype == np.float32 else x.astype(float), ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    seen = np.lib.stride_tricks.sliding_window_view(x, (kh, kw), axis=(2, 3))[:, :, ::stride, ::stride]
    n, c, rows, columns = seen.shape[:4]
    return seen.transpose(0, 1, 4, 5, 2, 3).reshape(n, c * kh * kw, rows * columns)


@right("patches", "view")
def patches(x, kh, kw, stride=1, padding=0):
    border = [(0, 0)] * 2 + [(padding, padding)] * 2
    seen = np.lib.stride_tricks.sliding_window_view(np.pad(x, border), (kh, kw), axis=(2, 3))
    seen = seen[:, :, ::stride, ::stride]
    n, c, rows, columns = seen.shape[:4]
    return seen.transpose(0, 1, 4, 5, 2, 3).reshape(n, c * kh * kw, rows * columns)


@right("patches", "places")
def patches(x, kh, kw, stride=1, padding=0):
    n, c, h, w = x.shape
    wide = np.zeros((n, c, h + 2 * padding, w + 2 * padding), dtype=x.dtype)
    wide[:, :, padding : padding + h, padding : padding + w] = x
    columns = []
    for i in range(0, wide.shape[2] - kh + 1, stride):
        for j in range(0, wide.shape[3] - kw + 1, stride):
            columns.append(wide[:, :, i : i + kh, j : j + kw].reshape(n, -1))
    return np.stack(columns, axis=2)


@right("patches", "index")
def patches(x, kh, kw, stride=1, padding=0):
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    rows = np.arange(kh)[:, None] + stride * np.arange((x.shape[2] - kh) // stride + 1)
    columns = np.arange(kw)[:, None] + stride * np.arange((x.shape[3] - kw) // stride + 1)
    seen = x[:, :, rows[:, None, :, None], columns[None, :, None, :]]
    return seen.reshape(len(x), x.shape[1] * kh * kw, -1)


@wrong("patches", "border_of_float64", "With a border, a picture of float32 becomes one of float64: the dtype stays.")
def patches(x, kh, kw, stride=1, padding=0):
    n, c, h, w = x.shape
    rows, columns = (h + 2 * padding - kh) // stride + 1, (w + 2 * padding - kw) // stride + 1
    if padding:
        wide = np.zeros((n, c, h + 2 * padding, w + 2 * padding))
        wide[:, :, padding:-padding, padding:-padding] = x
        x = wide
    found = np.empty((n, c, kh, kw, rows, columns), x.dtype)
    for i in range(kh):
        for j in range(kw):
            found[:, :, i, j] = x[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride]
    return found.reshape(n, c * kh * kw, rows * columns)


@wrong(
    "patches",
    "as_if_it_lay_end_to_end",
    "The strides are computed as if x lay end to end in memory. A view, such as a transpose, has strides of its own.",
)
def patches(x, kh, kw, stride=1, padding=0):
    if padding:
        x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    n, c, h, w = x.shape
    rows, columns = (h - kh) // stride + 1, (w - kw) // stride + 1
    s = x.itemsize
    strides = (c * h * w * s, h * w * s, w * s, s, stride * w * s, stride * s)
    found = np.lib.stride_tricks.as_strided(x, (n, c, kh, kw, rows, columns), strides)
    return found.reshape(n, c * kh * kw, rows * columns).copy()


BEYOND = "An index goes over an end. A place is i · columns + j; in the kernel, i runs over its kh rows and j over its kw columns."
FILLED = """
def patches(x, kh, kw, stride=1, padding=0):
    n, c, h, w = x.shape
    rows, columns = places_along(h, kh, stride, padding), places_along(w, kw, stride, padding)
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    found = np.empty((n, c * kh * kw, rows * columns), x.dtype)
    for i in range(rows):
        for j in range(columns):
            seen = x[:, :, i * stride : i * stride + kh, j * stride : j * stride + kw]
            found[:, :, i * columns + j] = seen.reshape(n, -1)
    return found
"""
wrong("patches", "place_by_rows", BEYOND, source=changed(FILLED, ("i * columns + j", "i * rows + j")))
wrong("patches", "loops_exchanged", BEYOND,
      source=changed(PATCHES, ("for i in range(kh):\n        for j in range(kw):", "for i in range(kw):\n        for j in range(kh):")))
wrong("patches", "batch_into_places", "All pictures share one matrix here. Each has its own, (N, C · kh · kw, places): the batch is an axis in front.",
      source=changed(PATCHES, ("found.reshape(n, c * kh * kw, rows * columns)", "found.transpose(1, 2, 3, 0, 4, 5).reshape(c * kh * kw, n * rows * columns)")))
wrong("patches", "places_counted_without_stride", "Patches of different sizes: the last ones hang over the picture. Count the places with the stride and the border, as `places_along` does.", source="""
def patches(x, kh, kw, stride=1, padding=0):
    n, c, h, w = x.shape
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    found = []
    for i in range(h - kh + 1):
        for j in range(w - kw + 1):
            found.append(x[:, :, i * stride : i * stride + kh, j * stride : j * stride + kw].reshape(n, -1))
    return np.stack(found, axis=2)
""")
wrong("patches", "places_counted_without_stride_in_the_border", "Patches of different sizes: the last ones hang over the picture. Count the places with the stride and the border, as `places_along` does.", source="""
def patches(x, kh, kw, stride=1, padding=0):
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    n, c, h, w = x.shape
    found = []
    for i in range(h - kh + 1):
        for j in range(w - kw + 1):
            found.append(x[:, :, i * stride : i * stride + kh, j * stride : j * stride + kw].reshape(n, -1))
    return np.stack(found, axis=2)
""")
right("patches", "filled", source=FILLED)


@wrong("patches", "columns_counted_with_kh", "Too few places or too many: along a row they are counted with the kernel's height here. Rows go with kh, columns with kw.")
def patches(x, kh, kw, stride=1, padding=0):
    n, c, h, w = x.shape
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    rows, columns = (places_along(size, kh, stride, padding) for size in (h, w))
    found = np.empty((n, c, kh, kw, rows, columns), x.dtype)
    for i in range(kh):
        for j in range(kw):
            found[:, :, i, j] = x[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride]
    return found.reshape(n, c * kh * kw, rows * columns)


# -- patch_product_rule -----------------------------------------------------------------------------------------------

PRODUCT = """
def patch_product_rule(g, p, weight):
    matrix = weight.reshape(len(weight), -1)
    to_p = matrix.T @ g
    to_weight = (g @ p.transpose(0, 2, 1)).sum(axis=0)
    to_bias = g.sum(axis=(0, 2))
    return to_p, to_weight.reshape(weight.shape), to_bias
"""

NO_FIT = (
    "Two shapes do not fit. For each picture, p gets (C · kh · kw, O) times (O, places), "
    "and the weights get (O, places) times (places, C · kh · kw)."
)
wrong("patch_product_rule", "all_axes_turned", NO_FIT, source=changed(PRODUCT, ("p.transpose(0, 2, 1)", "p.T")))
wrong("patch_product_rule", "patches_as_they_are", NO_FIT, source=changed(PRODUCT, ("p.transpose(0, 2, 1)", "p")))
wrong("patch_product_rule", "weights_as_they_are", NO_FIT, source=changed(PRODUCT, ("matrix.T @", "matrix @")))
wrong("patch_product_rule", "four_axes", "The gradient of p has four axes here: make a matrix (O, C · kh · kw) of the weights before you transpose.",
      source=changed(PRODUCT, ("matrix.T @", "weight.T @")))
wrong("patch_product_rule", "still_a_matrix", "The gradient of the weights is a matrix here: give it their shape, (O, C, kh, kw).",
      source=changed(PRODUCT, (".reshape(weight.shape)", "")))
wrong("patch_product_rule", "sum_of_pictures_missing", "With two pictures there are too many numbers for the shape of the weights: each picture has a product of its own, as `@` makes them (`np.dot` pairs each with all), and these are added up.",
      source=changed(PRODUCT, (".sum(axis=0)", "")))
wrong("patch_product_rule", "one_picture", "Only the first picture counts for the weights: add up over all.",
      source=changed(PRODUCT, (".sum(axis=0)", "[0]")))
wrong("patch_product_rule", "mean_of_pictures", "Over the pictures the gradient of the weights is a sum, and this is half of it.",
      source=changed(PRODUCT, (".sum(axis=0)", ".mean(axis=0)")))
wrong("patch_product_rule", "mean_of_places", "The gradient of the weights is a sum over the places, and this is a mean.",
      source=changed(PRODUCT, ("p.transpose(0, 2, 1)).sum(axis=0)", "p.transpose(0, 2, 1)).sum(axis=0) / p.shape[2]")))
wrong("patch_product_rule", "reshaped_in_place_of_turned", "The numbers of p's gradient come from the wrong weights: to exchange two axes is more than a `reshape`.",
      source=changed(PRODUCT, ("matrix.T @", "weight.reshape(-1, len(weight)) @")))
wrong("patch_product_rule", "weights_in_columns", "The gradient of the weights stands in a wrong order: a row of the matrix (O, C · kh · kw) is a kernel, before `reshape`.",
      source=changed(PRODUCT, ("g @ p.transpose(0, 2, 1)", "p @ g.transpose(0, 2, 1)")))
wrong("patch_product_rule", "bias_of_places_only", "The gradient of the bias has the shape (O,): add up over the places, and over the pictures.",
      source=changed(PRODUCT, ("axis=(0, 2)", "axis=2")))
wrong("patch_product_rule", "bias_of_pictures_only", "The gradient of the bias has the shape (O,): add up over the places, and over the pictures.",
      source=changed(PRODUCT, ("axis=(0, 2)", "axis=0")))
wrong("patch_product_rule", "places_before_pictures", "All pictures are put into one product, and the columns of g and p do not go together: in both, the picture and the place have to run in the same order.",
      source=changed(PRODUCT, ("(g @ p.transpose(0, 2, 1)).sum(axis=0)", "g.transpose(1, 2, 0).reshape(len(weight), -1) @ p.transpose(1, 0, 2).reshape(p.shape[1], -1).T")))
wrong("patch_product_rule", "bias_of_all", "One number comes out for the bias: it has one for each kernel, (O,). Add up over places and pictures, not over kernels.",
      source=changed(PRODUCT, ("g.sum(axis=(0, 2))", "g.sum()")))
wrong("patch_product_rule", "bias_mean", "The gradient of the bias is a sum over all places and pictures, and this is a mean.",
      source=changed(PRODUCT, ("g.sum(axis=(0, 2))", "g.mean(axis=(0, 2))")))
wrong("patch_product_rule", "bias_of_one_picture", "For the bias only one picture counts: add up over all.",
      source=changed(PRODUCT, ("g.sum(axis=(0, 2))", "g[0].sum(axis=1)")))
wrong("patch_product_rule", "bias_ones", "g does not count for the bias: each place adds its g, not 1.",
      source=changed(PRODUCT, ("g.sum(axis=(0, 2))", "np.ones_like(g).sum(axis=(0, 2))")))
wrong("patch_product_rule", "bias_forgotten", "There are three gradients to return: those of p, of the weights, and of the bias.",
      source=changed(PRODUCT, (", to_bias\n", "\n")))
wrong("patch_product_rule", "exchanged", "The first two gradients are exchanged: that of p comes first.",
      source=changed(PRODUCT, ("return to_p, to_weight.reshape(weight.shape)", "return to_weight.reshape(weight.shape), to_p")))
wrong("patch_product_rule", "g_in_place_of_product", "The gradient of p does not depend on the weights here: each number of a patch gets g times the weight that it met.",
      source=changed(PRODUCT, ("matrix.T @ g", "np.ones_like(matrix).T @ g")))

wrong("patch_product_rule", "all_four_axes_turned", "Channels, rows and columns of a kernel are in reverse order here: make the matrix first, and exchange its two axes then.",
      source=changed(PRODUCT, ("matrix.T @", "weight.T.reshape(-1, len(weight)) @")))
wrong("patch_product_rule", "channels_last", "Within a kernel the numbers stand in a wrong order: as in `patches`, one channel comes first as a whole, then the next.",
      source=changed(PRODUCT, ("to_weight.reshape(weight.shape)", "to_weight.reshape(len(weight), *weight.shape[2:], weight.shape[1]).transpose(0, 3, 1, 2)")))
wrong("patch_product_rule", "bias_keepdims", "The sums for the bias are right, and stand along three axes: without `keepdims` they are (O,).",
      source=changed(PRODUCT, ("axis=(0, 2))", "axis=(0, 2), keepdims=True)")))
wrong("patch_product_rule", "never_added_up", "The gradient of the weights still has an axis of pictures: add up over it, and give what is left the shape (O, C, kh, kw).",
      source=changed(PRODUCT, (".sum(axis=0)", ""), (".reshape(weight.shape)", "")))
wrong("patch_product_rule", "patches_reshaped", "For the weights two axes of p were to be exchanged: that is more than a `reshape`, which leaves all numbers in their order.",
      source=changed(PRODUCT, ("p.transpose(0, 2, 1)", "p.reshape(len(p), p.shape[2], p.shape[1])")))


@right("patch_product_rule", "einsum")
def patch_product_rule(g, p, weight):
    to_p = np.einsum("of,nop->nfp", weight.reshape(len(weight), -1), g)
    return to_p, np.einsum("nop,nfp->of", g, p).reshape(weight.shape), np.einsum("nop->o", g)


@right("patch_product_rule", "picture_by_picture")
def patch_product_rule(g, p, weight):
    matrix = weight.reshape(weight.shape[0], -1)
    to_p, to_weight, to_bias = np.empty_like(p), np.zeros_like(matrix), np.zeros(len(weight))
    for n in range(len(p)):
        to_p[n] = matrix.T @ g[n]
        to_weight += g[n] @ p[n].T
        to_bias += g[n].sum(axis=1)
    return to_p, to_weight.reshape(weight.shape), to_bias


@right("patch_product_rule", "one_product")
def patch_product_rule(g, p, weight):
    rows, patches = np.concatenate([*g], axis=1), np.concatenate([*p], axis=1)
    to_p = np.swapaxes(np.swapaxes(g, 1, 2) @ weight.reshape(len(weight), -1), 1, 2)
    return to_p, np.reshape(rows @ patches.T, weight.shape), rows.sum(1)


wrong("patch_product_rule", "dot_of_stacks", "With two pictures there are too many numbers for the shape of the weights: each picture has a product of its own, as `@` makes them (`np.dot` pairs each with all), and these are added up.",
      source=changed(PRODUCT, ("(g @ p.transpose(0, 2, 1))", "np.dot(g, p.transpose(0, 2, 1))")))


wrong("patch_product_rule", "mean_over_pictures", "The weights and the bias get the mean over the pictures. They were used for each of them, so what arrives is added up.",
      source=changed(PRODUCT, ("(0, 2, 1)).sum(axis=0)", "(0, 2, 1)).mean(axis=0)"), ("g.sum(axis=(0, 2))", "g.sum(axis=2).mean(axis=0)")))


wrong("patch_product_rule", "p_added_up", "The gradient of p is added up over the pictures: each picture has patches of its own, so it keeps its own. Only what the pictures share is added up.",
      source=changed(PRODUCT, ("to_p = matrix.T @ g", "to_p = (matrix.T @ g).sum(axis=0)")))
wrong("patch_product_rule", "pictures_as_kernels", "The gradient of the weights has one part for each picture: the sum over them is missing.",
      source=changed(PRODUCT, (".sum(axis=0)", ""), ("to_weight.reshape(weight.shape)", "to_weight.reshape(-1, *weight.shape[1:])")))
wrong("patch_product_rule", "batch_reshaped_away", "Pictures and kernels are mixed: `reshape` alone leaves all numbers in their order, and the picture's axis stands in front of the kernel's. Bring it beside the places first.",
      source=changed(PRODUCT, ("(g @ p.transpose(0, 2, 1)).sum(axis=0)", "g.reshape(len(weight), -1) @ p.reshape(p.shape[1], -1).T")))
wrong("patch_product_rule", "last_picture", "Of several pictures only the last one is kept: each adds its part.", source="""
def patch_product_rule(g, p, weight):
    matrix = weight.reshape(len(weight), -1)
    for n in range(len(p)):
        to_weight, to_bias = g[n] @ p[n].T, g[n].sum(axis=1)
    return matrix.T @ g, to_weight.reshape(weight.shape), to_bias
""")
wrong("patch_product_rule", "last_picture_of_the_weights", "Of several pictures only the last one is kept for the weights: each adds its part.", source="""
def patch_product_rule(g, p, weight):
    matrix = weight.reshape(len(weight), -1)
    for n in range(len(p)):
        to_weight = g[n] @ p[n].T
    return matrix.T @ g, to_weight.reshape(weight.shape), g.sum(axis=(0, 2))
""")
wrong("patch_product_rule", "bias_of_ones", "The bias gets ones, whatever g is: each place of each picture adds its g.",
      source=changed(PRODUCT, ("g.sum(axis=(0, 2))", "np.ones(len(weight))")))
wrong("patch_product_rule", "places_in_the_middle", "The gradient of p has places and numbers of the kernel exchanged: it has the shape of p, places come last.",
      source=changed(PRODUCT, ("matrix.T @ g", "g.transpose(0, 2, 1) @ matrix")))
wrong("patch_product_rule", "bias_over_kernels", "For the bias, kernels are added up, and places are not: it is one number for each kernel, so add up over pictures and places.",
      source=changed(PRODUCT, ("g.sum(axis=(0, 2))", "g.sum(axis=0).sum(axis=0)")))


wrong("patch_product_rule", "bias_by_picture", "This is one sum for each picture, over its kernels and places. Each kernel's bias gets a sum over the pictures and the places: the axes 0 and 2.",
      source=changed(PRODUCT, ("g.sum(axis=(0, 2))", "g.sum(axis=(1, 2))")))


# -- scatter ----------------------------------------------------------------------------------------------------------

SCATTER = """
def scatter(g, shape, kh, kw, stride=1, padding=0):
    n, c, h, w = shape
    grad = np.zeros((n, c, h + 2 * padding, w + 2 * padding), g.dtype)
    rows, columns = (grad.shape[2] - kh) // stride + 1, (grad.shape[3] - kw) // stride + 1
    g = g.reshape(n, c, kh, kw, rows, columns)
    for i in range(kh):
        for j in range(kw):
            grad[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride] += g[:, :, i, j]
    return grad[:, :, padding : padding + h, padding : padding + w]
"""

wrong("scatter", "overwrites", "A pixel lies in several patches, and here the last part replaces the others: add up.",
      source=changed(SCATTER, ("stride] += g", "stride] = g")))
wrong("scatter", "border_kept", "The border is still there: cut it off, so that the shape is the picture's.",
      source=changed(SCATTER, ("return grad[:, :, padding : padding + h, padding : padding + w]", "return grad")))
wrong("scatter", "cut_at_the_end", "The border is cut off at the right and at the bottom only: the picture begins at `padding`.",
      source=changed(SCATTER, ("padding : padding + h, padding : padding + w", ":h, :w")))
wrong("scatter", "minus_padding", "With padding 0, `padding:-padding` leaves nothing. Say where the picture ends.",
      source=changed(SCATTER, ("padding : padding + h, padding : padding + w", "padding:-padding, padding:-padding")))
wrong("scatter", "mean", "This is the mean of the parts: a gradient is their sum.", source=changed(SCATTER, (
    "    g = g.reshape", "    count = np.zeros_like(grad)\n    g = g.reshape"), (
    "+= g[:, :, i, j]", "+= g[:, :, i, j]\n            count[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride] += 1"), (
    "    return grad[", "    grad = grad / np.maximum(count, 1)\n    return grad[")))
wrong("scatter", "no_stride", "The parts are put side by side: with a stride, the places are `stride` pixels apart.",
      source=changed(SCATTER, ("i : i + stride * rows : stride, j : j + stride * columns : stride", "i : i + rows, j : j + columns")))
wrong("scatter", "kernel_exchanged", "The axes of g are in another order here: it is (n, c, kh, kw, rows, columns).",
      source=changed(SCATTER, ("g = g.reshape(n, c, kh, kw, rows, columns)", "g = g.reshape(n, c, kw, kh, rows, columns).swapaxes(2, 3)")))
wrong("scatter", "places_exchanged", "The places are taken column by column: in g they go row by row.",
      source=changed(SCATTER, ("g = g.reshape(n, c, kh, kw, rows, columns)", "g = g.reshape(n, c, kh, kw, columns, rows).swapaxes(4, 5)")))
wrong("scatter", "channels_last", "In a column one channel's whole patch comes first, then the next channel's.",
      source=changed(SCATTER, ("g = g.reshape(n, c, kh, kw, rows, columns)", "g = g.reshape(n, kh, kw, c, rows, columns).transpose(0, 3, 1, 2, 4, 5)")))
wrong("scatter", "fancy_index", "`+=` at an index keeps one part of several for a pixel: take slices, or `np.add.at`.", source="""
def scatter(g, shape, kh, kw, stride=1, padding=0):
    n, c, h, w = shape
    grad = np.zeros((n, c, h + 2 * padding, w + 2 * padding), g.dtype)
    rows = np.arange(kh)[:, None] + stride * np.arange((grad.shape[2] - kh) // stride + 1)
    columns = np.arange(kw)[:, None] + stride * np.arange((grad.shape[3] - kw) // stride + 1)
    at = (slice(None), slice(None), rows[:, None, :, None], columns[None, :, None, :])
    grad[at] += g.reshape(n, c, kh, kw, rows.shape[1], columns.shape[1])
    return grad[:, :, padding : padding + h, padding : padding + w]
""")
wrong("scatter", "fancy_index_of_places", "`+=` at an index keeps one part of several for a pixel: take slices, or `np.add.at`.", source="""
def scatter(g, shape, kh, kw, stride=1, padding=0):
    n, c, h, w = shape
    grad = np.zeros((n, c, h + 2 * padding, w + 2 * padding), g.dtype)
    rows, columns = places_along(h, kh, stride, padding), places_along(w, kw, stride, padding)
    i = stride * np.arange(rows)[:, None, None, None] + np.arange(kh)[:, None]
    j = stride * np.arange(columns)[:, None, None] + np.arange(kw)
    grad[:, :, i, j] += g.reshape(n, c, kh, kw, rows, columns).transpose(0, 1, 4, 5, 2, 3)
    return grad[:, :, padding : padding + h, padding : padding + w]
""")
wrong("scatter", "no_border", "The parts do not fit: grad needs its border, which is cut off at the end, and the border counts once. `places_along` takes the picture's h and w, and adds it.",
      source=changed(SCATTER, ("(n, c, h + 2 * padding, w + 2 * padding)", "(n, c, h, w)"), ("padding : padding + h, padding : padding + w", ":h, :w")))
wrong("scatter", "border_twice", "The parts do not fit: grad needs its border, which is cut off at the end, and the border counts once. `places_along` takes the picture's h and w, and adds it.",
      source=changed(SCATTER, ("(grad.shape[2] - kh) // stride + 1, (grad.shape[3] - kw) // stride + 1", "places_along(grad.shape[2], kh, stride, padding), places_along(grad.shape[3], kw, stride, padding)")))
wrong("scatter", "ends_at_rows", "With a stride the slices end too early for the parts: places that are `stride` pixels apart reach to i + stride · rows and j + stride · columns.",
      source=changed(SCATTER, ("i : i + stride * rows : stride, j : j + stride * columns : stride", "i : i + rows : stride, j : j + columns : stride")))
KERNEL_STEP = "The slices do not fit the parts. They begin at i and j, go in steps of `stride`, not of the kernel, and end at i + stride · rows and j + stride · columns; grad has h rows and w columns, and its border."
wrong("scatter", "step_of_the_kernel", KERNEL_STEP,
      source=changed(SCATTER, ("i : i + stride * rows : stride, j : j + stride * columns : stride", "i : i + kh * rows : kh, j : j + kw * columns : kw")))
wrong("scatter", "step_of_the_kernel_alone", KERNEL_STEP,
      source=changed(SCATTER, ("i : i + stride * rows : stride, j : j + stride * columns : stride", "i : i + stride * rows : kh, j : j + stride * columns : kw")))
wrong("scatter", "channel_behind_the_kernel", "In a column one channel's whole patch comes first, then the next channel's: c before kh and kw.",
      source=changed(SCATTER, ("g = g.reshape(n, c, kh, kw, rows, columns)", "g = g.reshape(n, kh, kw, c, rows, columns)"), ("+= g[:, :, i, j]", "+= g[:, i, j]")))
wrong("scatter", "turned", "The parts of a patch go back in reverse: each goes to the pixel that it came from.",
      source=changed(SCATTER, ("+= g[:, :, i, j]", "+= g[:, :, kh - 1 - i, kw - 1 - j]")))
wrong("scatter", "first_picture", "All pictures get the first one's parts.", source=changed(SCATTER, ("+= g[:, :, i, j]", "+= g[:1, :, i, j]")))
wrong("scatter", "first_picture_alone", "Only the first picture gets its parts: the others get theirs, too.",
      source=changed(SCATTER, ("grad[:, :, i :", "grad[:1, :, i :"), ("+= g[:, :, i, j]", "+= g[:1, :, i, j]")))
wrong("scatter", "places_by_columns", "The places are taken column by column: in g they go row by row.", source="""
def scatter(g, shape, kh, kw, stride=1, padding=0):
    n, c, h, w = shape
    grad, place = np.zeros((n, c, h + 2 * padding, w + 2 * padding), g.dtype), 0
    for j in range(0, grad.shape[3] - kw + 1, stride):
        for i in range(0, grad.shape[2] - kh + 1, stride):
            grad[:, :, i : i + kh, j : j + kw] += g[:, :, place].reshape(n, c, kh, kw)
            place += 1
    return grad[:, :, padding : padding + h, padding : padding + w]
""")
wrong("scatter", "border_of_one", "The cut takes a border of 1, and it is as wide as `padding`.",
      source=changed(SCATTER, ("return grad[:, :, padding : padding + h, padding : padding + w]", "return grad[:, :, 1:-1, 1:-1] if padding else grad")))
DTYPE_OF_G = "The numbers are right, and their dtype is another one than that of g: pass it on."
wrong("scatter", "always_float64", DTYPE_OF_G,
      source=changed(SCATTER, (", g.dtype)", ")")))
wrong("scatter", "always_float32", DTYPE_OF_G,
      source=changed(SCATTER, (", g.dtype)", ", 'float32')")))
wrong("scatter", "border_of_float64", DTYPE_OF_G,
      source=changed(SCATTER, (", g.dtype)", ", float if padding else g.dtype)")))
wrong("scatter", "border_of_one_kept", "A border of 1 is cut off at the bottom and at the right alone. The picture begins at `padding`, whether that is 0, 1 or more.",
      source=changed(SCATTER, ("return grad[:, :, padding : padding + h, padding : padding + w]", "return grad[:, :, padding:-padding, padding:-padding] if padding > 1 else grad[:, :, :h, :w]")))


@right("scatter", "add_at")
def scatter(g, shape, kh, kw, stride=1, padding=0):
    n, c, h, w = shape
    grad = np.zeros((n, c, h + 2 * padding, w + 2 * padding), g.dtype)
    rows = np.arange(kh)[:, None] + stride * np.arange((grad.shape[2] - kh) // stride + 1)
    columns = np.arange(kw)[:, None] + stride * np.arange((grad.shape[3] - kw) // stride + 1)
    at = (slice(None), slice(None), rows[:, None, :, None], columns[None, :, None, :])
    np.add.at(grad, at, g.reshape(n, c, kh, kw, rows.shape[1], columns.shape[1]))
    return grad[:, :, padding : padding + h, padding : padding + w]


@right("scatter", "places")
def scatter(g, shape, kh, kw, stride=1, padding=0):
    n, c, h, w = shape
    grad, place = np.pad(np.zeros(shape, g.dtype), ((0, 0), (0, 0), (padding, padding), (padding, padding))), 0
    for i in range(0, grad.shape[2] - kh + 1, stride):
        for j in range(0, grad.shape[3] - kw + 1, stride):
            grad[:, :, i : i + kh, j : j + kw] += g[:, :, place].reshape(n, c, kh, kw)
            place += 1
    return grad[:, :, padding : h + padding, padding : w + padding]


wrong("scatter", "first_row_of_the_kernel", "Only the first row of the kernel gives its parts: does `return` stand inside the outer loop?",
      source=changed(SCATTER, ("    return grad[", "        return grad[")))
wrong("scatter", "first_number_of_the_kernel", "Only the first number of the kernel gives its parts: does `return` stand inside the loops?",
      source=changed(SCATTER, ("    return grad[", "            return grad[")))
wrong("scatter", "height_for_width", "Height and width are exchanged where the places are counted: rows go along h, with kh, columns along w, with kw.",
      source=changed(SCATTER, ("(grad.shape[2] - kh) // stride + 1, (grad.shape[3] - kw) // stride + 1", "places_along(w, kh, stride, padding), places_along(h, kw, stride, padding)")))
wrong("scatter", "border_to_pixel_0", "What went to the border is added to a pixel of the picture, its first: an index of 0 in the border means that pixel, too. What went to the border is lost.", source="""
def scatter(g, shape, kh, kw, stride=1, padding=0):
    n, c, h, w = shape
    at = np.arange(n * c * h * w).reshape(shape)
    at = np.pad(at, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    at = np.lib.stride_tricks.sliding_window_view(at, (kh, kw), axis=(2, 3))[:, :, ::stride, ::stride]
    grad = np.zeros(n * c * h * w, g.dtype)
    np.add.at(grad, at.transpose(0, 1, 4, 5, 2, 3).ravel(), g.ravel())
    return grad.reshape(shape)
""")
wrong("scatter", "no_border_at_all", "The parts do not fit: grad needs its border, which is cut off at the end, and the border counts once. `places_along` takes the picture's h and w, and adds it.", source="""
def scatter(g, shape, kh, kw, stride=1, padding=0):
    n, c, h, w = shape
    grad = np.zeros(shape, g.dtype)
    rows, columns = places_along(h, kh, stride, padding), places_along(w, kw, stride, padding)
    g = g.reshape(n, c, kh, kw, rows, columns)
    for i in range(kh):
        for j in range(kw):
            grad[:, :, i : i + stride * rows : stride, j : j + stride * columns : stride] += g[:, :, i, j]
    return grad
""")
wrong("scatter", "places_without_the_border", "The places in the border are left out: count them with it, from 0 to the picture's height and 2 · padding, less kh.", source="""
def scatter(g, shape, kh, kw, stride=1, padding=0):
    n, c, h, w = shape
    grad, place = np.zeros((n, c, h + 2 * padding, w + 2 * padding), g.dtype), 0
    for i in range(0, h - kh + 1, stride):
        for j in range(0, w - kw + 1, stride):
            grad[:, :, i : i + kh, j : j + kw] += g[:, :, place].reshape(n, c, kh, kw)
            place += 1
    return grad[:, :, padding : padding + h, padding : padding + w]
""")
wrong("scatter", "no_end", "The slices do not fit the parts: they end at i + stride · rows and j + stride · columns.",
      source=changed(SCATTER, ("i : i + stride * rows : stride, j : j + stride * columns : stride", "i::stride, j::stride")))


wrong("scatter", "places_of_an_earlier_picture", "The places are kept from call to call, and those of an earlier picture are used for one of another size. Keep nothing.", source="""
SLICES = {}


def scatter(g, shape, kh, kw, stride=1, padding=0):
    n, c, h, w = shape
    key = kh, kw, stride, padding
    if key not in SLICES:
        rows, columns = places_along(h, kh, stride, padding), places_along(w, kw, stride, padding)
        down = [slice(i, i + stride * rows, stride) for i in range(kh)]
        across = [slice(j, j + stride * columns, stride) for j in range(kw)]
        SLICES[key] = rows, columns, down, across
    rows, columns, down, across = SLICES[key]
    grad = np.zeros((n, c, h + 2 * padding, w + 2 * padding), g.dtype)
    parts = g.reshape(n, c, kh, kw, rows, columns)
    for i, j in np.ndindex(kh, kw):
        grad[:, :, down[i], across[j]] += parts[:, :, i, j]
    return grad[:, :, padding : padding + h, padding : padding + w]
""")


@wrong("scatter", "each_index_once", "A pixel lies in several patches, and here the last part replaces the others: by `=`, or by `+=` at an index that holds a pixel twice, which writes once. On slices `+=` adds up.")
def scatter(g, shape, kh, kw, stride=1, padding=0):
    n, c, h, w = shape
    grad = np.zeros((n, c, h + 2 * padding, w + 2 * padding), g.dtype)
    rows, columns = places_along(h, kh, stride, padding), places_along(w, kw, stride, padding)
    i, j = np.divmod(np.arange(kh * kw), kw)
    a, b = np.divmod(np.arange(rows * columns), columns)
    grad[:, :, i[:, None] + stride * a, j[:, None] + stride * b] += g.reshape(n, c, kh * kw, rows * columns)
    return grad[:, :, padding : padding + h, padding : padding + w]


# -- max_pool ---------------------------------------------------------------------------------------------------------

POOL = """
def max_pool(x, k):
    return windows(x, k).max(axis=-1)


def max_pool_back(g, x, k):
    seen = windows(x, k)
    chosen = np.arange(k * k) == seen.argmax(axis=-1)[..., None]
    return from_windows(chosen * g[..., None], x.shape, k)
"""

wrong("max_pool", "mean", "This is the mean of a window: the largest number is asked for.",
      source=changed(POOL, (".max(axis=-1)", ".mean(axis=-1)")))
wrong("max_pool", "largest_in_size", "-4 is larger in size than -1, and smaller: compare the numbers themselves.",
      source=changed(POOL, ("windows(x, k).max(axis=-1)", "np.abs(windows(x, k)).max(axis=-1)")))
wrong("max_pool", "largest_in_size_with_sign", "-4 is larger in size than -1, and smaller: compare the numbers themselves.",
      source=changed(POOL, ("windows(x, k).max(axis=-1)", "np.where(np.abs(windows(x, k)).max(-1) > windows(x, k).max(-1), windows(x, k).min(-1), windows(x, k).max(-1))")))
wrong("max_pool", "at_least_zero", "A window of negative numbers has a largest one, too: nothing is compared with 0.",
      source=changed(POOL, ("windows(x, k).max(axis=-1)", "np.maximum(windows(x, k).max(axis=-1), 0)")))
wrong("max_pool", "ties_all", "Equal numbers all get g here: only the first of them does.",
      source=changed(POOL, ("np.arange(k * k) == seen.argmax(axis=-1)[..., None]", "seen == seen.max(axis=-1, keepdims=True)")))
wrong("max_pool", "ties_shared", "Equal numbers share g here: the first of them gets all.",
      source=changed(POOL, ("np.arange(k * k) == seen.argmax(axis=-1)[..., None]", "(seen == seen.max(axis=-1, keepdims=True)) / (seen == seen.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True)")))
wrong("max_pool", "ties_last", "Of several equal numbers the last one gets g: it is the first.",
      source=changed(POOL, ("seen.argmax(axis=-1)", "(k * k - 1 - seen[..., ::-1].argmax(axis=-1))")))
wrong("max_pool", "spread", "All of a window get g: it goes to the largest alone.", source=changed(POOL, ("chosen * g", "np.ones_like(seen) * g")))
wrong("max_pool", "g_forgotten", "g does not count: the largest number gets it, not 1.",
      source=changed(POOL, ("chosen * g[..., None]", "1.0 * chosen")))
wrong("max_pool", "times_x", "The largest number gets g, and here g is multiplied by a value, too.",
      source=changed(POOL, ("chosen * g[..., None]", "seen * chosen * g[..., None]")))
wrong("max_pool", "smallest", "This is the smallest number of each window.",
      source=changed(POOL, (".max(axis=-1)", ".min(axis=-1)"), ("argmax", "argmin")))
wrong("max_pool", "to_the_smallest", "g goes to the smallest number: it belongs to the largest.", source=changed(POOL, ("argmax", "argmin")))
wrong("max_pool", "windows_returned", "The gradient still stands in windows: `from_windows` makes a picture of them.",
      source=changed(POOL, ("from_windows(chosen * g[..., None], x.shape, k)", "chosen * g[..., None]")))
wrong("max_pool", "wrong_axis", "The largest is taken along another axis: the window is the last one.",
      source=changed(POOL, (".max(axis=-1)", ".max(axis=3)")))
wrong("max_pool", "over_the_places", "The largest is taken along the places: the window is the last axis.",
      source=changed(POOL, (".max(axis=-1)", ".max(axis=(2, 3))")))


wrong("max_pool", "begins_at_a_number", "The search begins at some number, and in a window all may be lower: begin with the window's own numbers.",
      source=changed(POOL, ("windows(x, k).max(axis=-1)", "windows(x, k).max(axis=-1, initial=-1000.0)")))
wrong("max_pool", "global_argmax", "`argmax` without an axis gives one place of the whole array: each window needs its own, axis=-1.",
      source=changed(POOL, ("seen.argmax(axis=-1)[..., None]", "seen.argmax()")))
KEPT_ONE = "The way back takes what the last call of `max_pool` left behind, and that may be of another x or another k: compute it from the x and k that are given."
wrong("max_pool", "kept_in_a_global", KEPT_ONE, source="""
CHOSEN = None


def max_pool(x, k):
    global CHOSEN
    seen = windows(x, k)
    CHOSEN = np.arange(k * k) == seen.argmax(axis=-1)[..., None]
    return seen.max(axis=-1)


def max_pool_back(g, x, k):
    return from_windows(CHOSEN * g[..., None], x.shape, k)
""")
wrong("max_pool", "places_in_a_global", KEPT_ONE, source="""
PLACES = None


def max_pool(x, k):
    global PLACES
    PLACES = windows(x, k).argmax(axis=-1)
    return windows(x, k).max(axis=-1)


def max_pool_back(g, x, k):
    return from_windows((np.arange(k * k) == PLACES[..., None]) * g[..., None], x.shape, k)
""")
wrong("max_pool", "a_little_less_for_later_ones", "So that the first of equal ones wins, a little is taken off the later ones: beside large numbers that little is lost, and a number may be larger by less. `argmax` gives the first.",
      source=changed(POOL, ("    seen = windows(x, k)\n", "    seen = windows(x, k) - 1e-9 * np.arange(k * k)\n"),
                     ("np.arange(k * k) == seen.argmax(axis=-1)[..., None]", "seen == seen.max(axis=-1, keepdims=True)")))
wrong("max_pool", "mask_alone", "This says where the largest numbers are: each place also gets its g.",
      source=changed(POOL, ("chosen * g[..., None]", "chosen")))


NO_ROOM = (
    "Two shapes do not fit. A window has k · k places and one g: does g lack an axis of length 1 at its end? Does an index "
    "with `...` before it pick its places in every window (`np.put_along_axis` picks one in each)? Or does `windows` not "
    "get x, or `from_windows` not its shape?"
)
wrong("max_pool", "g_without_an_axis", NO_ROOM,
      source=changed(POOL, ("g[..., None]", "g")))
wrong("max_pool", "shape_of_g", NO_ROOM,
      source=changed(POOL, ("x.shape, k)", "g.shape, k)")))
wrong("max_pool", "places_of_the_largest", "These are the places of the largest numbers in their windows: return the numbers themselves.",
      source=changed(POOL, (".max(axis=-1)", ".argmax(axis=-1)")))
wrong("max_pool", "not_cut", "5 columns do not fall into windows of 2 by 2: what fills none is left out first, as in `windows`.",
      source=changed(POOL, ("    return windows(x, k).max(axis=-1)", "    n, c, h, w = x.shape\n    return x.reshape(n, c, h // k, k, w // k, k).max(axis=(3, 5))")))
wrong("max_pool", "cut_gradient", "The gradient is smaller than x: what fills no window belongs to it, with zeros.",
      source=changed(POOL, ("x.shape, k)", "(*x.shape[:2], x.shape[2] // k * k, x.shape[3] // k * k), k)")))

wrong("max_pool", "index_of_all_windows", NO_ROOM,
      source=changed(POOL, ("    chosen = np.arange(k * k) == seen.argmax(axis=-1)[..., None]\n", "    parts = np.zeros(seen.shape)\n    parts[..., seen.argmax(axis=-1)] = g[..., None]\n"), ("chosen * g[..., None]", "parts")))
wrong("max_pool", "over_the_channels", "The largest is taken over all channels: each map has its own.", source=changed(
    POOL, ("    return windows(x, k).max(axis=-1)", "    return patches(x, k, k, k).max(axis=1).reshape(len(x), -1, x.shape[2] // k, x.shape[3] // k)")))
wrong("max_pool", "windows_of_patches", "The largest is taken over all channels, and written into each: each map has its own.",
      source=changed(POOL, ("windows(x, k).max(axis=-1)", "windows(x, k).max(axis=(1, -1), keepdims=True)[..., 0] + np.zeros((1, x.shape[1], 1, 1))")))
wrong("max_pool", "place_of_the_first_map", "All maps take the place from the first channel: each has a largest number of its own.",
      source=changed(POOL, ("seen.argmax(axis=-1)", "seen[:, :1].argmax(axis=-1)")))
wrong("max_pool", "place_of_the_first_picture", "All pictures take the place from the first one: each has a largest number of its own.",
      source=changed(POOL, ("seen.argmax(axis=-1)", "seen[:1].argmax(axis=-1)")))
wrong("max_pool", "first_map_alone", "Only the first map of the first picture is looked at: go through pictures and channels.", source="""
def max_pool(x, k):
    h, w = x.shape[2] // k, x.shape[3] // k
    return np.array([[[[x[0, 0, k * i : k * i + k, k * j : k * j + k].max() for j in range(w)] for i in range(h)]]])


def max_pool_back(g, x, k):
    grad = np.zeros(x.shape)
    for i, j in np.ndindex(*g.shape[2:]):
        window = x[0, 0, k * i : k * i + k, k * j : k * j + k]
        a, b = np.unravel_index(window.argmax(), window.shape)
        grad[0, 0, k * i + a, k * j + b] = g[0, 0, i, j]
    return grad
""")
ONE_BY_ONE = """
def max_pool(x, k):
    return windows(x, k).max(axis=-1)


def max_pool_back(g, x, k):
    grad, found = np.zeros(x.shape), windows(x, k).argmax(axis=-1)
    for n, c, i, j in np.ndindex(*g.shape):
        a, b = divmod(found[n, c, i, j], k)
        grad[n, c, k * i + a, k * j + b] = g[n, c, i, j]
    return grad
"""
IN_THE_WHOLE_MAP = changed(
    ONE_BY_ONE,
    ("found = np.zeros(x.shape), windows(x, k).argmax(axis=-1)", "largest = np.zeros(x.shape), max_pool(x, k)"),
    ("divmod(found[n, c, i, j], k)", "np.argwhere(x[n, c] == largest[n, c, i, j])[0]"),
    ("k * i + a, k * j + b", "a, b"),
)
ELSEWHERE = "The largest number is looked for in the whole map, and an equal one is found in another window: look in the window alone."
wrong("max_pool", "equal_one_elsewhere", ELSEWHERE, source=IN_THE_WHOLE_MAP)
wrong("max_pool", "equal_one_elsewhere_added", ELSEWHERE, source=changed(IN_THE_WHOLE_MAP, ("a, b] =", "a, b] +=")))
wrong("max_pool", "overlapping", "The windows overlap: they lie beside each other, so the next one begins k further on.", source=changed(
    POOL, ("    return windows(x, k).max(axis=-1)", "    seen = patches(x, k, k).reshape(*x.shape[:2], k * k, x.shape[2] - k + 1, x.shape[3] - k + 1)\n    return seen.max(axis=2)")))
wrong("max_pool", "always_two", "The windows are 2 by 2 here, whatever k is.",
      source=changed(POOL, ("    return windows(x, k).max", "    return windows(x, 2).max")))
wrong("max_pool", "row_and_column_exchanged", "Row and column within the window are exchanged: `argmax` counts row by row, so the row is its number // k.",
      source=changed(ONE_BY_ONE, ("a, b =", "b, a =")))


right("max_pool", "two_maxima", source="""
def max_pool(x, k):
    h, w = x.shape[2] // k, x.shape[3] // k
    x = x[:, :, : h * k, : w * k]
    return x.reshape(*x.shape[:2], h, k, w, k).max(axis=5).max(axis=3)


def max_pool_back(g, x, k):
    grad = np.zeros_like(x)
    for n, c, i, j in np.ndindex(*g.shape):
        window = x[n, c, k * i : k * i + k, k * j : k * j + k]
        a, b = np.unravel_index(window.argmax(), window.shape)
        grad[n, c, k * i + a, k * j + b] = g[n, c, i, j]
    return grad
""")

right("max_pool", "put_along_axis", source="""
def max_pool(x, k):
    seen = windows(x, k)
    return np.take_along_axis(seen, seen.argmax(-1)[..., None], -1)[..., 0]


def max_pool_back(g, x, k):
    seen = windows(x, k)
    parts = np.zeros_like(seen)
    np.put_along_axis(parts, seen.argmax(-1)[..., None], g[..., None], -1)
    return from_windows(parts, x.shape, k)
""")

ONE_WINDOW = """
def max_pool(x, k):
    return windows(x, k).max(axis=-1)


def max_pool_back(g, x, k):
    grad, largest = np.zeros(x.shape), max_pool(x, k)
    for n, c, i, j in np.ndindex(*g.shape):
        done = False
        for a in range(k):
            for b in range(k):
                if not done and x[n, c, k * i + a, k * j + b] == largest[n, c, i, j]:
                    grad[n, c, k * i + a, k * j + b] = g[n, c, i, j]
                    done = True
    return grad
"""
wrong("max_pool", "the_largest_itself", "The largest number itself stands where its g belongs.",
      source=changed(POOL, ("chosen * g[..., None]", "chosen * seen")))
wrong("max_pool", "first_by_columns", "Of equal numbers the first is looked for column by column: windows are read row by row.",
      source=changed(ONE_WINDOW, ("        for a in range(k):\n            for b in range(k):", "        for b in range(k):\n            for a in range(k):")))
wrong("max_pool", "shape_of_the_windows", NO_ROOM, source=changed(POOL, ("x.shape, k)", "seen.shape, k)")))
wrong("max_pool", "one_loop_left", "Of equal numbers, one in each row of the window gets g: `break` leaves one loop, and the loop around it goes on.",
      source=changed(ONE_WINDOW, ("            for b in range(k):\n                if not done and", "            for b in range(k):\n                if"), ("                    done = True", "                    break")))
wrong("max_pool", "first_window_alone", "Only one window gets its g: does `break`, or `return`, end the loop over the windows, too?",
      source=changed(ONE_WINDOW, ("                    done = True\n", "                    done = True\n        break\n")))
wrong("max_pool", "repeated", "The gradient is smaller than x: what fills no window belongs to it, with zeros.", source="""
def max_pool(x, k):
    return windows(x, k).max(axis=-1)


def max_pool_back(g, x, k):
    h, w = g.shape[2] * k, g.shape[3] * k
    large = np.repeat(np.repeat(g, k, axis=2), k, axis=3)
    seen = windows(x, k)
    chosen = np.arange(k * k) == seen.argmax(axis=-1)[..., None]
    return large * (from_windows(1.0 * chosen, x.shape, k)[:, :, :h, :w] > 0)
""")
right("max_pool", "window_by_window", source=ONE_WINDOW)


wrong("max_pool", "runs_of_numbers", "These are the largest of k · k numbers that stand one behind the other, and not of windows of k by k. Take `windows`.", source="""
def max_pool(x, k):
    n, c, rows, columns = x.shape[0], x.shape[1], x.shape[2] // k, x.shape[3] // k
    whole = x[:, :, : rows * k, : columns * k]
    return whole.reshape(n, c, rows, columns, k * k).max(axis=-1)


def max_pool_back(g, x, k):
    chosen = np.arange(k * k) == windows(x, k).argmax(axis=-1)[..., None]
    return from_windows(chosen * g[..., None], x.shape, k)
""")


# -- receptive_field --------------------------------------------------------------------------------------------------

FIELD = """
def receptive_field(layers):
    size = step = 1
    for kernel, stride in layers:
        size += (kernel - 1) * step
        step *= stride
    return size
"""

wrong("receptive_field", "no_strides", "A stride moves the fields behind it further apart, and here strides do not count.",
      source=changed(FIELD, ("        step *= stride\n", "")))
wrong("receptive_field", "own_stride", "A stride counts for the layers behind it, not for its own kernel.",
      source=changed(FIELD, ("        size += (kernel - 1) * step\n        step *= stride\n", "        step *= stride\n        size += (kernel - 1) * step\n")))
wrong("receptive_field", "sum_of_kernels", "Kernels that follow each other overlap: a layer adds kernel - 1 numbers, not kernel.",
      source=changed(FIELD, ("size = step = 1", "size, step = 0, 1"), ("(kernel - 1)", "kernel")))
wrong("receptive_field", "kernel_and_one", "A layer adds kernel - 1 numbers, not kernel: the first of them is seen already.",
      source=changed(FIELD, ("(kernel - 1)", "kernel")))
RECURRENCE = """
def receptive_field(layers):
    size = 1
    for kernel, stride in layers:
        size = (size - 1) * stride + kernel
    return size
"""
wrong("receptive_field", "product_of_kernels", "The widths are multiplied here: fields of neighbours overlap.",
      source=changed(RECURRENCE, ("size = (size - 1) * stride + kernel", "size *= kernel")))
OTHER_ORDER = "The strides *behind* a layer spread its kernel here. It is spread by those before it: take the layers in the other order."
wrong("receptive_field", "backwards", OTHER_ORDER,
      source=changed(FIELD, ("in layers", "in layers[::-1]")))
wrong("receptive_field", "from_zero", "One too few: count the first pixel and the last, too. With no layer a pixel sees itself, and each layer adds to that.", source=changed(FIELD, ("size = step = 1", "size, step = 0, 1")))
wrong("receptive_field", "area", "This is the number of pixels of a square: its width is asked for.", source=changed(FIELD, ("return size", "return size**2")))
wrong("receptive_field", "strides_added", "Strides multiply: two of 2 put neighbours 4 pixels apart, and of two strides 3 they are 9 apart.",
      source=changed(FIELD, ("step *= stride", "step += stride - 1")))
wrong("receptive_field", "last_stride", "All strides before a layer count, and here only the one just before it does.",
      source=changed(FIELD, ("step *= stride", "step = stride")))
NO_WIDER = "Here the width itself is multiplied by the stride. A stride puts the fields behind it further apart, and makes none wider."
wrong("receptive_field", "width_times_stride", NO_WIDER,
      source=changed(FIELD, ("        size += (kernel - 1) * step\n        step *= stride", "        size += kernel - 1\n        size *= stride")))
wrong("receptive_field", "pixels_counted", "Between the pixels that are seen there are others that are not. The width goes from the first to the last, with all between.", source="""
def receptive_field(layers):
    pixels = {0}
    for kernel, stride in reversed(layers):
        pixels = {stride * i + k for i in pixels for k in range(kernel)}
    return len(pixels)
""")
wrong("receptive_field", "last_less_first", "One too few: count the first pixel and the last, too. With no layer a pixel sees itself, and each layer adds to that.", source="""
def receptive_field(layers):
    pixels = [0]
    for kernel, stride in reversed(layers):
        pixels = [stride * i + k for i in pixels for k in range(kernel)]
    return max(pixels) - min(pixels)
""")
wrong("receptive_field", "no_layers", "With no layer there is a field, too: the pixel itself.", source="""
def receptive_field(layers):
    field = layers[-1][0]
    for kernel, stride in layers[-2::-1]:
        field = (field - 1) * stride + kernel
    return field
""")
wrong("receptive_field", "no_layers_no_pixel", "With no layer there is a field, too: the pixel itself.",
      source=changed(FIELD, ("    for kernel", "    if not layers:\n        return 0\n    for kernel")))
wrong("receptive_field", "recurrence_forward", OTHER_ORDER, source=RECURRENCE)

wrong("receptive_field", "list_emptied", "The width is right, and the caller's list has changed afterwards, with `pop` or `reverse`, for instance: go through it, or through `reversed(layers)`, and leave it as it is.", source="""
def receptive_field(layers):
    field = 1
    while layers:
        kernel, stride = layers.pop()
        field = (field - 1) * stride + kernel
    return field
""")
wrong("receptive_field", "width_times_stride_first", NO_WIDER,
      source=changed(RECURRENCE, ("(size - 1) * stride + kernel", "size * stride + kernel - 1")))


@right("receptive_field", "from_behind")
def receptive_field(layers):
    field = 1
    for kernel, stride in reversed(layers):
        field = (field - 1) * stride + kernel
    return field


@right("receptive_field", "pixels")
def receptive_field(layers):
    seen = {0}
    for kernel, stride in layers[::-1]:
        seen = {stride * i + k for i in seen for k in range(kernel)}
    return max(seen) - min(seen) + 1


wrong("receptive_field", "list_reversed", "The width is right, and the caller's list has changed afterwards, with `pop` or `reverse`, for instance: go through it, or through `reversed(layers)`, and leave it as it is.", source="""
def receptive_field(layers):
    layers.reverse()
    field = 1
    for kernel, stride in layers:
        field = (field - 1) * stride + kernel
    return field
""")
wrong("receptive_field", "first_layer_alone", "Only the first layer counts: does `return` stand inside the loop?",
      source=changed(FIELD, ("    return size", "        return size"), ("def receptive_field(layers):\n", "def receptive_field(layers):\n    if not layers:\n        return 1\n")))
wrong("receptive_field", "first_layer_alone_or_none", "Only the first layer counts: does `return` stand inside the loop?",
      source=changed(FIELD, ("    return size", "        return size")))
wrong("receptive_field", "divided", "The width is divided by the stride. From the last layer back to the pixels it grows: there a stride multiplies how far apart neighbours are.", source="""
def receptive_field(layers):
    n = 1
    for k, s in layers:
        n = (n + k - 1) // s
    return n
""")


# -- mended_rule ------------------------------------------------------------------------------------------------------

MENDED = """
def mended_rule(g, x, weight, stride, padding):
    (h, w), (kh, kw) = x.shape[2:], weight.shape[1:]
    wide = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    to_wide, to_weight = np.zeros_like(wide), np.zeros_like(weight)
    for i, j in np.ndindex(*g.shape[2:]):
        part = g[:, :, i : i + 1, j : j + 1]
        rows, columns = slice(i * stride, i * stride + kh), slice(j * stride, j * stride + kw)
        to_wide[:, :, rows, columns] += part * weight
        to_weight += (part * wide[:, :, rows, columns]).sum(axis=0)
    return to_wide[:, :, padding : padding + h, padding : padding + w], to_weight
"""

NOT_SEEN = (
    "Two shapes do not fit. A window has kh rows and kw columns, and what it saw stands in `wide`, which has the border: "
    "in x some windows lie outside."
)
wrong("mended_rule", "still_overwrites", "A pixel in two windows still keeps the last part only.", source=changed(MENDED, ("columns] += part", "columns] = part")))
wrong("mended_rule", "overlap_by_height_alone", "Whether two windows overlap is judged by the kernel's height alone, and a wide one overlaps along the columns: `+=` is right in any case.", source=changed(
    MENDED, ("        to_wide[:, :, rows, columns] += part * weight\n",
             "        if stride < kh:\n            to_wide[:, :, rows, columns] += part * weight\n        else:\n            to_wide[:, :, rows, columns] = part * weight\n")))
wrong("mended_rule", "still_without_stride", "For the weights, the place is still taken for the pixel: multiply by the stride.",
      source=changed(MENDED, ("part * wide[:, :, rows, columns]", "part * wide[:, :, i : i + kh, j : j + kw]")))
wrong("mended_rule", "still_cut_wrongly", "The picture begins at `padding`, and the cut still begins at 0.",
      source=changed(MENDED, ("padding : padding + h, padding : padding + w", ":h, :w")))
wrong("mended_rule", "cut_at_the_start", "The border is cut off at the top and at the left only: the picture begins at `padding`.",
      source=changed(MENDED, ("padding : padding + h, padding : padding + w", "-h:, -w:")))
wrong("mended_rule", "minus_padding", "With padding 0, `padding:-padding` leaves nothing.",
      source=changed(MENDED, ("padding : padding + h, padding : padding + w", "padding:-padding, padding:-padding")))
wrong("mended_rule", "cut_without_padding_at_the_end", "The cut ends too early: the picture begins at `padding`, so it ends at padding + h and padding + w.",
      source=changed(MENDED, ("padding : padding + h, padding : padding + w", "padding:h, padding:w")))
wrong("mended_rule", "columns_end_early", "The columns are cut off too early: the picture's go from `padding` to padding + w.",
      source=changed(MENDED, ("padding : padding + h, padding : padding + w", "padding : padding + h, padding:w")))
wrong("mended_rule", "row_border_for_columns", "The columns are cut off too early: the picture's go from `padding` to padding + w.",
      source=changed(MENDED, ("padding : padding + h, padding : padding + w", "padding : padding + h, padding : padding + h")))
wrong("mended_rule", "seen_without_border", NOT_SEEN,
      source=changed(MENDED, ("part * wide[:, :, rows, columns]", "part * x[:, :, rows, columns]")))
wrong("mended_rule", "mean_over_pictures", "Over the pictures the gradient of the weights is a sum, and this is a mean.",
      source=changed(MENDED, (".sum(axis=0)", ".mean(axis=0)")))
wrong("mended_rule", "one_picture", "The first picture alone counts for the weights: add up over all pictures.",
      source=changed(MENDED, ("(part * wide[:, :, rows, columns]).sum(axis=0)", "(part * wide[:, :, rows, columns])[0]")))
wrong("mended_rule", "stride_of_columns", "The rows move by the stride, and the columns do not.",
      source=changed(MENDED, ("slice(j * stride, j * stride + kw)", "slice(j, j + kw)")))
wrong("mended_rule", "seen_without_stride_of_rows", "For the weights, the place is still taken for the pixel in the rows: multiply i by the stride, too.",
      source=changed(MENDED, ("part * wide[:, :, rows, columns]", "part * wide[:, :, i : i + kh, columns]")))
wrong("mended_rule", "weight_overwritten", "Each place adds to the gradient of the weights: this keeps the last one.",
      source=changed(MENDED, ("to_weight += (", "to_weight = (")))
wrong("mended_rule", "gradient_seen", "g is multiplied by `to_wide`, which is a gradient: what was seen stands in `wide`.",
      source=changed(MENDED, ("part * wide[:, :, rows, columns]", "part * to_wide[:, :, rows, columns]")))
wrong("mended_rule", "channels_added", "This is the way back of a layer that adds up all channels. Here each channel has its own map.",
      source=changed(MENDED, ("part = g[:, :, i : i + 1, j : j + 1]", "part = g[:, :, i : i + 1, j : j + 1].sum(axis=1, keepdims=True)")))
wrong("mended_rule", "nothing_mended", "Nothing has changed: see the table for what is wrong.", source=changed(
    MENDED, ("columns] += part", "columns] = part"), ("part * wide[:, :, rows, columns]", "part * wide[:, :, i : i + kh, j : j + kw]"),
    ("padding : padding + h, padding : padding + w", ":h, :w")))

wrong("mended_rule", "as_wide_as_high", NOT_SEEN,
      source=changed(MENDED, ("j * stride + kw", "j * stride + kh")))
wrong("mended_rule", "as_high_as_wide", NOT_SEEN,
      source=changed(MENDED, ("i * stride + kh", "i * stride + kw")))
wrong("mended_rule", "border_of_one", "The cut takes a border of 1, and it is as wide as `padding`.",
      source=changed(MENDED, ("to_wide[:, :, padding : padding + h, padding : padding + w]", "(to_wide[:, :, 1 : 1 + h, 1 : 1 + w] if padding else to_wide)")))
wrong("mended_rule", "rows_cut_alone", "The border is cut off from the rows only: columns have one, too.",
      source=changed(MENDED, (", padding : padding + w]", "]")))
wrong("mended_rule", "columns_cut_wrongly", "For the columns the cut still begins at 0: the picture begins at `padding` in both directions.",
      source=changed(MENDED, (", padding : padding + w]", ", :w]")))
wrong("mended_rule", "stride_of_rows", "The columns move by the stride, and the rows do not.",
      source=changed(MENDED, ("slice(i * stride, i * stride + kh)", "slice(i, i + kh)")))
wrong("mended_rule", "channels_of_weight_added", "The gradient of the weights is added up over the channels, too: each channel has a kernel of its own.",
      source=changed(MENDED, (".sum(axis=0)", ".sum(axis=(0, 1))")))
wrong("mended_rule", "kernel_turned", "The kernel is turned around here: in a loop over places each part is g times the weights as they are.",
      source=changed(MENDED, ("+= part * weight", "+= part * weight[:, ::-1, ::-1]")))


@right("mended_rule", "by_numbers_of_the_kernel")
def mended_rule(g, x, weight, stride, padding):
    (h, w), (kh, kw), (rows, columns) = x.shape[2:], weight.shape[1:], g.shape[2:]
    wide = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    to_wide, to_weight = np.zeros_like(wide), np.empty_like(weight)
    for a in range(kh):
        for b in range(kw):
            at = (..., slice(a, a + stride * rows, stride), slice(b, b + stride * columns, stride))
            to_weight[:, a, b] = np.einsum("ncij,ncij->c", g, wide[at])
            to_wide[at] += np.einsum("ncij,c->ncij", g, weight[:, a, b])
    return to_wide[..., padding : padding + h, padding : padding + w], to_weight


@right("mended_rule", "loops")
def mended_rule(g, x, weight, stride, padding):
    wide = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    to_wide, to_weight = np.zeros(wide.shape), np.zeros(weight.shape)
    kh, kw = weight.shape[1:]
    for n, c, i, j in np.ndindex(*g.shape):
        here = (n, c, slice(i * stride, i * stride + kh), slice(j * stride, j * stride + kw))
        to_wide[here] = to_wide[here] + g[n, c, i, j] * weight[c]
        to_weight[c] = to_weight[c] + g[n, c, i, j] * wide[here]
    end = [size - padding for size in wide.shape[2:]]
    return to_wide[:, :, padding : end[0], padding : end[1]], to_weight


wrong("mended_rule", "border_left_on_two_sides", "The border is taken off at the top and at the left alone: the bottom and the right have one, too.",
      source=changed(MENDED, ("padding : padding + h, padding : padding + w", "padding:, padding:")))
wrong("mended_rule", "still_without_stride_of_columns", "For the weights, the place is still taken for the pixel in the columns: multiply j by the stride, too.",
      source=changed(MENDED, ("part * wide[:, :, rows, columns]", "part * wide[:, :, rows, j : j + kw]")))
wrong("mended_rule", "stride_at_the_start_alone", NOT_SEEN,
      source=changed(MENDED, ("i * stride + kh", "i + kh"), ("j * stride + kw", "j + kw")))
wrong("mended_rule", "all_channels_for_the_weights", "The gradient of a kernel is added up over all channels of the picture: channel c of the map comes from channel c alone.",
      source=changed(MENDED, ("part * wide[:, :, rows, columns]", "part * wide[:, :, rows, columns].sum(axis=1, keepdims=True)")))


@wrong("mended_rule", "g_at_the_stride", "With a stride above 1 g is read past its end: places of g are counted one by one, and only the pixels lie at i * stride and j * stride.")
def mended_rule(g, x, weight, stride, padding):
    (h, w), (kh, kw) = x.shape[2:], weight.shape[1:]
    wide = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    to_wide, to_weight = np.zeros_like(wide), np.zeros_like(weight)
    for i, j in np.ndindex(*g.shape[2:]):
        i, j = i * stride, j * stride
        part = g[:, :, i : i + 1, j : j + 1]
        to_wide[:, :, i : i + kh, j : j + kw] += part * weight
        to_weight += (part * wide[:, :, i : i + kh, j : j + kw]).sum(axis=0)
    return to_wide[:, :, padding : padding + h, padding : padding + w], to_weight


@wrong("mended_rule", "places_used_up", "The gradient of the weights is 0 everywhere: nothing was added to it. `np.ndindex`, like any iterator, can be walked along once, and a second loop over it finds nothing.")
def mended_rule(g, x, weight, stride, padding):
    (h, w), (kh, kw) = x.shape[2:], weight.shape[1:]
    wide = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    to_wide, to_weight = np.zeros_like(wide), np.zeros_like(weight)
    places = np.ndindex(*g.shape[2:])
    for i, j in places:
        rows, columns = slice(i * stride, i * stride + kh), slice(j * stride, j * stride + kw)
        to_wide[:, :, rows, columns] += g[:, :, i : i + 1, j : j + 1] * weight
    for i, j in places:
        rows, columns = slice(i * stride, i * stride + kh), slice(j * stride, j * stride + kw)
        to_weight += (g[:, :, i : i + 1, j : j + 1] * wide[:, :, rows, columns]).sum(axis=0)
    return to_wide[:, :, padding : padding + h, padding : padding + w], to_weight


# -- Convolve ---------------------------------------------------------------------------------------------------------

CONVOLVE = """
class Convolve:
    @staticmethod
    def forward(ctx, x, weight, bias, padding):
        ctx.x, ctx.weight, ctx.padding = x, weight, padding
        return conv2d(x, weight, bias, padding=padding)

    @staticmethod
    def backward(ctx, g):
        to_x, to_weight, to_bias = conv2d_rule(g, ctx.x, ctx.weight, padding=ctx.padding)
        return to_x, to_weight, to_bias, None
"""
OVERWRITTEN = "What is kept stands in one place for all calls, so the next layer overwrites it: each call has its own `ctx`."
NO_BORDER = "The way back goes without the border: keep `padding`, and pass it on, in both functions."
wrong("Convolve", "none_forgotten", "There are four arguments behind `ctx`, and so four gradients: None is that of `padding`.",
      source=changed(CONVOLVE, ("to_bias, None", "to_bias")))
wrong("Convolve", "zero_for_none", "`padding` is a whole number of Python, and has no gradient: None says so, and 0 would be a gradient.",
      source=changed(CONVOLVE, ("to_bias, None", "to_bias, 0")))
wrong("Convolve", "padding_as_stride", "`padding` stands in the place of the stride, which comes before it: name it in the call.",
      source=changed(CONVOLVE, ("padding=padding", "padding"), ("padding=ctx.padding", "ctx.padding")))
wrong("Convolve", "padding_as_stride_of_the_way_back", "`padding` stands in the place of the stride, which comes before it: name it in the call.",
      source=changed(CONVOLVE, ("padding=ctx.padding", "ctx.padding")))
wrong("Convolve", "no_padding", "The maps are made without the border: pass `padding` on.",
      source=changed(CONVOLVE, (", padding=padding)", ")")))
wrong("Convolve", "no_padding_at_all", NO_BORDER,
      source=changed(CONVOLVE, (", padding=padding)", ")"), (", padding=ctx.padding)", ")")))
wrong("Convolve", "no_padding_back", NO_BORDER,
      source=changed(CONVOLVE, (", padding=ctx.padding)", ")")))
wrong("Convolve", "kept_on_the_class", OVERWRITTEN, source=changed(CONVOLVE, ("ctx.", "Convolve.")))
wrong("Convolve", "kept_in_globals", OVERWRITTEN, source="""
class Convolve:
    @staticmethod
    def forward(ctx, x, weight, bias, padding):
        global KEPT
        KEPT = x, weight, padding
        return conv2d(x, weight, bias, padding=padding)

    @staticmethod
    def backward(ctx, g):
        x, weight, padding = KEPT
        return *conv2d_rule(g, x, weight, padding=padding), None
""")
wrong("Convolve", "exchanged", "The gradients are in another order than the arguments: x, weight, bias, padding.",
      source=changed(CONVOLVE, ("return to_x, to_weight, to_bias", "return to_weight, to_x, to_bias")))
wrong("Convolve", "none_in_front", "`ctx` is no argument with a gradient: the first one is that of x, and None comes last, for `padding`.",
      source=changed(CONVOLVE, ("return to_x, to_weight, to_bias, None", "return None, to_x, to_weight, to_bias")))
wrong("Convolve", "none_for_ctx_too", "`ctx` is no argument with a gradient: four are asked for, those of x, weight, bias and padding.",
      source=changed(CONVOLVE, ("return to_x, to_weight, to_bias, None", "return None, to_x, to_weight, to_bias, None")))
wrong("Convolve", "g_forgotten", "g does not count here: what comes from behind is the gradient of the maps, and not all ones.",
      source=changed(CONVOLVE, ("conv2d_rule(g,", "conv2d_rule(np.ones_like(g),")))
wrong("Convolve", "gradients_in_a_tuple", "The three gradients stand in a tuple of their own, with None beside it: return four items side by side.",
      source=changed(CONVOLVE, ("return to_x, to_weight, to_bias, None", "return (to_x, to_weight, to_bias), None")))
wrong("Convolve", "maps_kept", "The maps are kept in the place of x: the gradient of the weights asks for what the kernels saw.",
      source=changed(CONVOLVE, ("        ctx.x, ctx.weight, ctx.padding = x, weight, padding\n        return conv2d(x, weight, bias, padding=padding)",
                                "        ctx.x, ctx.weight, ctx.padding = conv2d(x, weight, bias, padding=padding), weight, padding\n        return ctx.x")))
wrong("Convolve", "nothing_returned", "`backward` returns nothing: the gradients are computed, and `return` is missing.",
      source=changed(CONVOLVE, ("        return to_x, to_weight, to_bias, None\n", "")))
wrong("Convolve", "bias_forgotten", "The bias has a gradient, the third that `conv2d_rule` gives: None is for `padding` alone.",
      source=changed(CONVOLVE, ("to_bias, None", "None, None")))

right("Convolve", "kept_together", source="""
class Convolve:
    def forward(ctx, x, weight, bias, padding):
        ctx.kept = x, weight, 1, padding
        return conv2d(x, weight, bias, 1, padding)

    def backward(ctx, g):
        return [*conv2d_rule(g, *ctx.kept), None]
""")
right("Convolve", "way_back_kept", source="""
class Convolve:
    @staticmethod
    def forward(ctx, x, weight, bias, padding):
        ctx.back = lambda g: conv2d_rule(g, x, weight, padding=padding)
        return conv2d(x, weight, bias, padding=padding)

    @staticmethod
    def backward(ctx, g):
        return (*ctx.back(g), None)
""")


wrong("Convolve", "padding_on_the_class", "The padding is kept on the class, so that all layers go back with that of the last one. Each call has its own ctx: keep it there.", source="""
class Convolve:

    padding = 0

    @staticmethod
    def forward(ctx, x, weight, bias, padding):
        ctx.x, ctx.weight = x, weight
        Convolve.padding = padding
        return conv2d(x, weight, bias, padding=padding)

    @staticmethod
    def backward(ctx, g):
        to_x, to_weight, to_bias = conv2d_rule(g, ctx.x, ctx.weight, padding=Convolve.padding)
        return to_x, to_weight, to_bias, None
""")


wrong("Convolve", "x_on_the_class", "Of two layers the first goes back with the x of the second: what is kept on the class, or in a global, is overwritten by the next layer. Keep it on ctx.", source="""
class Convolve:

    @staticmethod
    def forward(ctx, x, weight, bias, padding):
        Convolve.x = x
        ctx.weight, ctx.padding = weight, padding
        return conv2d(x, weight, bias, 1, padding)

    @staticmethod
    def backward(ctx, g):
        return (*conv2d_rule(g, Convolve.x, ctx.weight, 1, ctx.padding), None)
""")
