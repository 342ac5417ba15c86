"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 15_attention`) and they diagnose: a student's answer that behaves like one of
these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the functions
use (np, normalise, normalise_rule) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import changed, right, wrong


# -- past_matrix ------------------------------------------------------------------------------------------------------


@wrong("past_matrix", "sums", "These rows make sums: each has to be divided by how many positions it sees. If a loop does that, `return` comes after the loop.")
def past_matrix(n):
    return np.tri(n)


@wrong("past_matrix", "summed_twice", "The rows are added up a second time: np.tri has a 1 for each position that is seen already.")
def past_matrix(n):
    return np.cumsum(np.tri(n), axis=0) / np.arange(1, n + 1)[:, None]


@wrong("past_matrix", "softmax_of_ones", "exp of 0 is 1, so the future has a share here, too. Divide the ones themselves.")
def past_matrix(n):
    e = np.exp(np.tri(n))
    return e / e.sum(axis=1, keepdims=True)


@wrong("past_matrix", "divided_by_n", "All rows are divided by n here. Row t sees t + 1 positions.")
def past_matrix(n):
    return np.tri(n) / n


@wrong("past_matrix", "columns", "The columns add up to 1 here, and the rows should: divide each row by its own sum, along axis 1 and with that axis kept.")
def past_matrix(n):
    ones = np.tri(n)
    return ones / ones.sum(axis=0)


@wrong("past_matrix", "along_the_row", "The divisors lie along the row, and each row has one divisor: make a column of them.")
def past_matrix(n):
    return np.tri(n) / np.arange(1, n + 1)


@wrong("past_matrix", "the_future", "This looks ahead: row t takes positions from its own to the last.")
def past_matrix(n):
    ones = np.triu(np.ones((n, n)))
    return ones / ones.sum(axis=1, keepdims=True)


@wrong("past_matrix", "transposed", "Rows and columns are exchanged: row t is what position t takes.")
def past_matrix(n):
    return (np.tri(n) / np.arange(1, n + 1)[:, None]).T


@wrong("past_matrix", "without_itself", "A position is part of its own mean, and here it is left out.")
def past_matrix(n):
    return np.tri(n, k=-1) / np.maximum(np.arange(n), 1)[:, None]


@wrong("past_matrix", "without_itself_by_t_and_1", "A position is part of its own mean, and here it is left out.")
def past_matrix(n):
    return np.tri(n, k=-1) / np.arange(1, n + 1)[:, None]


@wrong("past_matrix", "everything", "Every row sees all positions here. It should see those up to its own.")
def past_matrix(n):
    return np.full((n, n), 1 / n)


@wrong("past_matrix", "counted_from_0", "Row t sees t + 1 positions, and here it is divided by t.")
def past_matrix(n):
    return np.tri(n) / np.maximum(np.arange(n), 1)[:, None]


@wrong("past_matrix", "counted_from_0_to_inf", "Row t sees t + 1 positions, and here it is divided by t: the first one by 0.")
def past_matrix(n):
    return np.tri(n) / np.arange(n)[:, None]


@wrong("past_matrix", "one_too_far", "Each row sees one position too many: the one that comes next.")
def past_matrix(n):
    ones = np.tri(n, k=1)
    return ones / ones.sum(axis=1, keepdims=True)


@wrong("past_matrix", "last_mean", "This is the last row alone. There is one for each position.")
def past_matrix(n):
    return np.ones((1, n)) / n


@wrong("past_matrix", "whole_numbers", "The shares are cut down to integers: let the matrix hold floats.")
def past_matrix(n):
    return np.tri(n, dtype=int) // np.arange(1, n + 1)[:, None]


@wrong("past_matrix", "kept", "The same array is given each time, and who writes into the one spoils the other: make a new one.")
def past_matrix(n, made={}):
    if n not in made:
        made[n] = np.tri(n) / np.arange(1, n + 1)[:, None]
    return made[n]


@wrong("past_matrix", "part_of_a_kept_one", "This shows a part of one large array, and who writes into the one spoils the other: make a new one.")
def past_matrix(n, made=[]):
    if not made:
        made.append(np.tri(100) / np.arange(1, 101)[:, None])
    return made[0][:n, :n]


wrong("past_matrix", "cut_from_a_table", "With many positions the matrix is too small, as a part of a table is that ends before: A is (n, n) for every n.", source="""
_table = np.tri(64) / np.arange(1, 65)[:, None]


def past_matrix(n):
    return _table[:n, :n].copy()
""")


wrong("past_matrix", "shared_buffer", "The same array is given each time, and who writes into the one spoils the other: make a new one.", source="""
_table = np.zeros((128, 128))


def past_matrix(n):
    _table[:n, :n] = np.tri(n) / np.arange(1, n + 1)[:, None]
    return _table[:n, :n]
""")


@right("past_matrix", "sums_of_rows")
def past_matrix(n):
    ones = np.tril(np.ones((n, n)))
    return ones / ones.sum(axis=1, keepdims=True)


@right("past_matrix", "loop")
def past_matrix(n):
    A = np.zeros((n, n))
    for t in range(n):
        A[t, : t + 1] = 1 / (t + 1)
    return A


@right("past_matrix", "means_of_the_unit_matrix")
def past_matrix(n):
    return np.cumsum(np.eye(n), axis=0) / (1 + np.arange(n).reshape(n, 1))


@wrong("past_matrix", "half_for_the_newest", "The newest position gets a half here, and those before share the other half. A row before is the mean of t: it counts t times, and the new one once.")
def past_matrix(n):
    A = np.eye(n)
    for t in range(1, n):
        A[t] = (A[t - 1] + A[t]) / 2
    return A


# -- causal_softmax ---------------------------------------------------------------------------------------------------

SOFT = """
def causal_softmax(scores):
    T = scores.shape[-1]
    masked = np.where(np.tri(T, dtype=bool), scores, -np.inf)
    e = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
"""

for limit in (30, 50, 100, 700):
    wrong("causal_softmax", f"limit_of_{limit}", "The future has a tiny weight here, and 0 is asked for. Its score has to be -inf, of which exp is 0: no other number is low enough, and a limit would make one of it again.", source=changed(
        SOFT, ("np.exp(masked - masked.max(axis=-1, keepdims=True))", f"np.exp(np.maximum(masked - masked.max(axis=-1, keepdims=True), -{limit}))")))
wrong("causal_softmax", "only_the_sum_masked", "Only the sum below is masked: what stands above it still gives the future a share.", source=changed(
    SOFT, ("np.where(np.tri(T, dtype=bool), scores, -np.inf)", "scores"), ("e / e.sum(", "e / (e * np.tri(T)).sum(")))
wrong("causal_softmax", "scaled_once_more", "The scores come scaled already: here they are divided by a root once more.", source=changed(
    SOFT, ("masked.max(axis=-1, keepdims=True))", "masked.max(axis=-1, keepdims=True)) / np.sqrt(T))"), ("np.exp(masked", "np.exp((masked")))
for _room in ("1e-6", "1e-8"):
    wrong("causal_softmax", f"room_of_{_room.replace('-', '_')}", "Something is added to the sum below, and the rows no longer add up to 1. That sum is never 0: one of its terms is exp(0).", source=changed(
        SOFT, ("e / e.sum(axis=-1, keepdims=True)", f"e / (e.sum(axis=-1, keepdims=True) + {_room})")))
wrong("causal_softmax", "no_mask", "The future counts here: nothing is masked, or `masked` is not what goes into exp.", source=changed(
    SOFT, ("np.where(np.tri(T, dtype=bool), scores, -np.inf)", "scores")))
wrong("causal_softmax", "zero_after", "The zeros come after the softmax, so the rows no longer add up to 1: mask the scores, by -inf.", source="""
def causal_softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.tri(scores.shape[-1]) * e / e.sum(axis=-1, keepdims=True)
""")
wrong("causal_softmax", "scores_of_0", "The future has the score 0 here, and exp(0) is 1: it needs -inf.", source=changed(
    SOFT, ("scores, -np.inf)", "scores, 0.0)")))
wrong("causal_softmax", "times_the_triangle", "A score times 0 is 0, and exp(0) is 1: the future needs the score -inf.", source=changed(
    SOFT, ("np.where(np.tri(T, dtype=bool), scores, -np.inf)", "np.tri(T) * scores")))
wrong("causal_softmax", "unshifted", "exp of a large score overflows: take the row's largest off first.", source=changed(
    SOFT, ("masked - masked.max(axis=-1, keepdims=True)", "masked")))
wrong("causal_softmax", "largest_of_the_future", "All of a row's past became 0 here, and 0 / 0 is NaN: take off the largest score of the row's own past.", source=changed(
    SOFT, ("masked.max(", "scores.max(")))
wrong("causal_softmax", "largest_of_all", "All of a row's past became 0 here, and 0 / 0 is NaN: take off the largest score of the row's own past.", source=changed(
    SOFT, ("masked.max(axis=-1, keepdims=True)", "masked.max()")))
wrong("causal_softmax", "axis_behind_the_first", "`[:, None]` puts the new axis behind the first one: among several matrices the last axis is meant. `keepdims=True` leaves it where it was.", source=changed(
    SOFT, ("masked.max(axis=-1, keepdims=True)", "masked.max(axis=-1)[:, None]"), ("e.sum(axis=-1, keepdims=True)", "e.sum(axis=-1)[:, None]")))
wrong("causal_softmax", "columns", "The softmax goes down the columns, and it belongs along the rows: the last axis.", source=changed(
    SOFT, ("axis=-1", "axis=-2")))
wrong("causal_softmax", "without_itself", "A position sees itself, too: the diagonal is not masked.", source=changed(
    SOFT, ("np.tri(T, dtype=bool)", "np.tri(T, k=-1, dtype=bool) | (np.arange(T) + np.arange(T)[:, None] == 0)")))
wrong("causal_softmax", "one_too_far", "Each row sees one position too many: the mask begins right of the diagonal.", source=changed(
    SOFT, ("np.tri(T, dtype=bool)", "np.tri(T, k=1, dtype=bool)")))
wrong("causal_softmax", "the_past_masked", "The past is masked here, and the future is seen: the triangle is the wrong one.", source=changed(
    SOFT, ("np.tri(T, dtype=bool)", "np.tri(T, dtype=bool).T")))
wrong("causal_softmax", "not_low_enough", "A score may lie below your number for the future, and then the future wins: -inf is below all.", source=changed(
    SOFT, ("-np.inf", "-1e9")))
wrong("causal_softmax", "far_from_low_enough", "A score may lie below your number for the future, and then the future wins: -inf is below all.", source=changed(
    SOFT, ("-np.inf", "-100.0")))
wrong("causal_softmax", "first_matrix", "The first matrix counts for all: axis 0 is the batch.", source=changed(
    SOFT, ("return e / e", "e = np.broadcast_to(e.reshape(-1, T, T)[0], scores.shape)\n    return e / e")))
wrong("causal_softmax", "batch_as_positions", "Of one matrix this is right. Among several, the mask or a sum follows the first axis, which is the batch: positions are the last two.", source=changed(
    SOFT, ("np.tri(T, dtype=bool)", "np.tri(len(scores), T, dtype=bool)")))
wrong("causal_softmax", "not_divided", "The rows do not add up to 1: divide each by its sum.", source=changed(
    SOFT, (" / e.sum(axis=-1, keepdims=True)", "")))
wrong("causal_softmax", "logarithms", "These are the logarithms of the weights.", source=changed(
    SOFT, ("return e / e.sum(axis=-1, keepdims=True)", "return np.log(e / e.sum(axis=-1, keepdims=True))")))


wrong("causal_softmax", "clipped", "Scores are clipped here, so two large ones that differ become the same: take the row's largest off.", source="""
def causal_softmax(scores):
    e = np.exp(np.clip(scores, -700, 700)) * np.tri(scores.shape[-1])
    return e / e.sum(axis=-1, keepdims=True)
""")
wrong("causal_softmax", "not_low_enough_1e30", "A score may lie below your number for the future, and then the future wins: -inf is below all.", source=changed(
    SOFT, ("-np.inf", "-1e30")))
wrong("causal_softmax", "billion_taken_off", "A large number is taken off the future's scores here, and a score may be larger still: -inf in their place is below all.", source=changed(
    SOFT, ("np.where(np.tri(T, dtype=bool), scores, -np.inf)", "scores - 1e9 * (1 - np.tri(T))")))
wrong("causal_softmax", "second_axis", "Axis 1 holds positions only where two or three axes came in: T is the length of the last axis.", source=changed(
    SOFT, ("scores.shape[-1]", "scores.shape[1]")))
wrong("causal_softmax", "batch_of_three_axes", "There may be any number of axes in front of the last two, and at most one is thought of here.", source="""
def causal_softmax(scores):
    if scores.ndim == 3:
        return np.stack([causal_softmax(one) for one in scores])
    p = np.zeros(scores.shape)
    for t in range(len(scores)):
        e = np.exp(scores[t, : t + 1] - scores[t, : t + 1].max())
        p[t, : t + 1] = e / e.sum()
    return p
""")


wrong("causal_softmax", "two_axes_alone", "There may be any number of axes in front of the last two, and at most one is thought of here.", source="""
def causal_softmax(scores):
    p = np.zeros(scores.shape)
    for t in range(len(scores)):
        e = np.exp(scores[t, : t + 1] - scores[t, : t + 1].max())
        p[t, : t + 1] = e / e.sum()
    return p
""")
wrong("causal_softmax", "times_the_even_shares", "The weights are divided by how many positions their row sees, as in `past_matrix`. After the mask the softmax alone is enough.", source=changed(
    SOFT, ("return e / e", "return np.tri(T) / np.arange(1, T + 1)[:, None] * e / e")))
wrong("causal_softmax", "zero_times_inf", "There is NaN. If a mask is multiplied by -inf: 0 times inf is NaN, and `np.where` chooses without a product.", source=changed(
    SOFT, ("np.where(np.tri(T, dtype=bool), scores, -np.inf)", "scores + (1 - np.tri(T)) * -np.inf")))
wrong("causal_softmax", "no_keepdims", "A row's largest or its sum has lost its axis, and counts for a column: `keepdims=True`.", source=changed(
    SOFT, (", keepdims=True", "")))
wrong("causal_softmax", "sum_without_keepdims", "A row's largest or its sum has lost its axis, and counts for a column: `keepdims=True`.", source=changed(
    SOFT, ("e.sum(axis=-1, keepdims=True)", "e.sum(axis=-1)")))
wrong("causal_softmax", "largest_without_keepdims", "A row's largest or its sum has lost its axis, and counts for a column: `keepdims=True`.", source=changed(
    SOFT, ("masked.max(axis=-1, keepdims=True)", "masked.max(axis=-1)")))
wrong("causal_softmax", "diagonal_masked", "The first row sees nothing here, so it is NaN: a position sees itself, too. The diagonal is not masked.", source=changed(
    SOFT, ("np.tri(T, dtype=bool)", "np.tri(T, k=-1, dtype=bool)")))
wrong("causal_softmax", "first_score_taken_off", "A row's first score is taken off here, and a later one may be much larger, so that exp overflows: take the row's largest off.", source=changed(
    SOFT, ("masked.max(axis=-1, keepdims=True)", "masked[..., :1]")))
wrong("causal_softmax", "minus_inf_among_integers", "Scores may be integers, and an array of integers cannot hold -inf: make floats of them first, or let `np.where` make a new array.", source=changed(
    SOFT, ("np.where(np.tri(T, dtype=bool), scores, -np.inf)", "scores.copy()\n    masked[..., ~np.tri(T, dtype=bool)] = -np.inf")))
wrong("causal_softmax", "in_place", "The scores that came in are changed: mask a copy.", source=changed(
    SOFT, ("masked = np.where(np.tri(T, dtype=bool), scores, -np.inf)", "masked = scores\n    masked[..., ~np.tri(T, dtype=bool)] = -np.inf")))
wrong("causal_softmax", "dtype_of_the_scores", "Scores may be integers, and weights written into an array of integers are cut down to 0 and 1: make it hold floats.", source='''
def causal_softmax(scores):
    p = np.zeros_like(scores)
    for t in range(scores.shape[-1]):
        row = scores[..., t, : t + 1]
        e = np.exp(row - row.max(axis=-1, keepdims=True))
        p[..., t, : t + 1] = e / e.sum(axis=-1, keepdims=True)
    return p
''')
wrong("causal_softmax", "batch_masked", "Of one matrix this is right. Among several, the mask was put on the first axes here, and positions are the last two: `masked[..., mask]`.", source=changed(
    SOFT, ("np.where(np.tri(T, dtype=bool), scores, -np.inf)", "scores.astype(float)\n    masked[np.triu_indices(T, 1)] = -np.inf")))
wrong("causal_softmax", "where_turned_around", "The past gets -inf here, and the future is kept: `np.where(condition, where true, where false)`.", source=changed(
    SOFT, ("scores, -np.inf)", "-np.inf, scores)")))


wrong("causal_softmax", "mask_cut_from_a_table", "With many positions the mask is too small, as a part of a table is that ends before: make it as long as the scores are.", source="""
_mask = np.triu(np.full((128, 128), -np.inf), k=1)


def causal_softmax(scores):
    T = scores.shape[-1]
    masked = scores + _mask[:T, :T]
    e = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
""")


@right("causal_softmax", "renormalised")
def causal_softmax(scores):
    past = np.tri(scores.shape[-1])
    top = np.where(past > 0, scores, -np.inf).max(axis=-1, keepdims=True)
    e = past * np.exp(np.minimum(scores - top, 0.0))
    return e / e.sum(axis=-1, keepdims=True)


@right("causal_softmax", "row_by_row")
def causal_softmax(scores):
    p = np.zeros(scores.shape)
    for t in range(scores.shape[-1]):
        row = scores[..., t, : t + 1]
        e = np.exp(row - row.max(axis=-1, keepdims=True))
        p[..., t, : t + 1] = e / e.sum(axis=-1, keepdims=True)
    return p


@right("causal_softmax", "added_mask")
def causal_softmax(scores):
    mask = np.triu(np.full(scores.shape[-2:], -np.inf), k=1)
    masked = scores + mask
    masked -= masked.max(-1)[..., None]
    return np.exp(masked - np.log(np.exp(masked).sum(-1))[..., None])


@wrong("causal_softmax", "zeros_masked", "A score of 0 in the past is masked here as well: which entries are the future is a matter of their place (`np.tri`), not of their value.")
def causal_softmax(scores):
    lower = np.tril(scores)
    masked = np.where(lower == 0, -np.inf, lower)
    top = masked.max(axis=-1, keepdims=True)
    e = np.exp(masked - np.where(np.isfinite(top), top, 0.0))
    return e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-300)


# -- scaled_scores ----------------------------------------------------------------------------------------------------

SCORES = """
def scaled_scores(q, k):
    return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
"""

wrong("scaled_scores", "not_divided", "The products are right. Divide them by the root of d.", source=changed(
    SCORES, (" / np.sqrt(q.shape[-1])", "")))
BY_D = "The products are divided by d: by it once, or by its root twice, as when queries and keys are both divided. Divide once, by the root."
wrong("scaled_scores", "divided_by_d", BY_D, source=changed(
    SCORES, ("np.sqrt(q.shape[-1])", "q.shape[-1]")))
wrong("scaled_scores", "entry_by_entry", "Each query meets each key: that is a matrix product, and here entries that stand at the same place are multiplied.", source=changed(
    SCORES, ("q @ k.swapaxes(-1, -2)", "(q * k).sum(axis=-1)")))
wrong("scaled_scores", "not_turned", "The last two axes of k have to change places: then rows of q meet rows of k.", source=changed(
    SCORES, ("k.swapaxes(-1, -2)", "k")))
wrong("scaled_scores", "three_axes", "There may be any number of axes in front, two or four in all: name the last two from the end, `swapaxes(-1, -2)`.", source=changed(
    SCORES, ("k.swapaxes(-1, -2)", "k.transpose(0, 2, 1)")))
wrong("scaled_scores", "times_root", "You multiply by the root of d: divide.", source=changed(SCORES, ("/ np", "* np")))
wrong("scaled_scores", "root_of_keys", "The divisor is √3 where d is 4, and its root 2. Is it the root of how many keys there are? d is how long each of them is.", source=changed(
    SCORES, ("q.shape[-1]", "k.shape[-2]")))
wrong("scaled_scores", "root_of_queries", "The divisor is √2 where d is 4, and its root 2. Is it the root of how many queries there are? d is how long each of them is.", source=changed(
    SCORES, ("q.shape[-1]", "q.shape[-2]")))
wrong("scaled_scores", "first_axis", "You divide by the root of the first axis, which may be the batch. d is the last one.", source=changed(
    SCORES, ("q.shape[-1]", "len(q)")))
wrong("scaled_scores", "all_axes_turned", "The batch changes its place, too: only the last two axes are to be exchanged.", source=changed(
    SCORES, ("k.swapaxes(-1, -2)", "k.T")))
wrong("scaled_scores", "keys_by_queries", "Rows and columns are exchanged: a row is a query.", source=changed(
    SCORES, ("q @ k.swapaxes(-1, -2)", "k @ q.swapaxes(-1, -2)")))
wrong("scaled_scores", "reshaped", "`reshape` does not turn a matrix around, it only counts its numbers anew.", source=changed(
    SCORES, ("k.swapaxes(-1, -2)", "k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])")))
wrong("scaled_scores", "two_axes_only", "The batch changes its place, too: only the last two axes are to be exchanged.", source=changed(
    SCORES, ("swapaxes(-1, -2)", "swapaxes(0, 1)")))
wrong("scaled_scores", "axes_1_and_2", "Axes 1 and 2 are the last two of a batch only: count from the end, -1 and -2.", source=changed(
    SCORES, ("swapaxes(-1, -2)", "swapaxes(1, 2)")))
wrong("scaled_scores", "cosines", "Queries and keys are brought to length 1 here: only the root of d divides.", source="""
def scaled_scores(q, k):
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    k = k / np.linalg.norm(k, axis=-1, keepdims=True)
    return q @ k.swapaxes(-1, -2)
""")
wrong("scaled_scores", "masked", "The future is masked here. That comes later, in `attention`: the scores are all products.", source=changed(
    SCORES, ("return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])", "scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])\n    return np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)")))
wrong("scaled_scores", "masked_by_0", "The future is masked here. That comes later, in `attention`: the scores are all products.", source=changed(
    SCORES, ("return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])", "scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])\n    return np.tril(scores)")))
wrong("scaled_scores", "inner", "Each query meets the keys of all sequences of the batch, so that there is an axis too many: `np.inner` and `np.dot` do that, and `@` takes each sequence for itself.", source=changed(
    SCORES, ("q @ k.swapaxes(-1, -2)", "np.inner(q, k)")))
wrong("scaled_scores", "floor_division", "`//` cuts the scores down to whole numbers: `/` divides.", source=changed(SCORES, (" / np", " // np")))
wrong("scaled_scores", "always_2", "The root is 2 for d = 4 alone: take that of the length of the queries.", source=changed(
    SCORES, ("np.sqrt(q.shape[-1])", "2")))
wrong("scaled_scores", "whole_root", "The root is cut down to a whole number: leave it as it is.", source=changed(
    SCORES, ("np.sqrt(q.shape[-1])", "int(np.sqrt(q.shape[-1]))")))
wrong("scaled_scores", "divided_twice", BY_D, source="""
def scaled_scores(q, k):
    d = q.shape[-1] ** 0.5
    return (q / d) @ (k / d).swapaxes(-1, -2)
""")
wrong("scaled_scores", "in_place", "q itself is divided here: what came in has to stay.", source="""
def scaled_scores(q, k):
    q /= np.sqrt(q.shape[-1])
    return q @ k.swapaxes(-1, -2)
""")
wrong("scaled_scores", "first_of_the_batch", "The first matrix of keys counts for the whole batch here.", source=changed(
    SCORES, ("k.swapaxes(-1, -2)", "k.reshape(-1, *k.shape[-2:])[0].T")))


wrong("scaled_scores", "dot", "Each query meets the keys of all sequences of the batch, so that there is an axis too many: `np.inner` and `np.dot` do that, and `@` takes each sequence for itself.", source=changed(
    SCORES, ("q @ k.swapaxes(-1, -2)", "np.dot(q, k.swapaxes(-1, -2))")))
wrong("scaled_scores", "second_axis", "d is the length of axis 1 here. That is right for two axes alone: among several sequences d is the last axis.", source=changed(
    SCORES, ("q.shape[-1]", "q.shape[1]")))
wrong("scaled_scores", "root_of_all", "The root is taken of the whole quotient here, and it belongs to d alone.", source=changed(
    SCORES, ("q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])", "np.sqrt(q @ k.swapaxes(-1, -2) / q.shape[-1])")))
wrong("scaled_scores", "weights", "The scores are asked for, and not yet their weights: mask and softmax come later, in `attention`.", source=changed(
    SCORES, ("return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])", "return causal_softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]))")))
wrong("scaled_scores", "weights_of_all", "The scores are asked for, and not yet their weights: mask and softmax come later, in `attention`.", source=changed(
    SCORES, ("return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])", "e = np.exp(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]))\n    return e / e.sum(axis=-1, keepdims=True)")))


@right("scaled_scores", "einsum")
def scaled_scores(q, k):
    return np.einsum("...td,...sd->...ts", q, k) / q.shape[-1] ** 0.5


@right("scaled_scores", "queries_first")
def scaled_scores(q, k):
    return np.matmul(q / np.sqrt(k.shape[-1]), np.moveaxis(k, -1, -2))


@right("scaled_scores", "sums")
def scaled_scores(q, k):
    return (q[..., :, None, :] * k[..., None, :, :]).sum(axis=-1) * q.shape[-1] ** -0.5


@wrong(
    "scaled_scores",
    "up_to_four_axes",
    "The order of the axes is known for two, three and four of them. In front of the last two there may be any number.",
)
def scaled_scores(q, k):
    order = {2: (1, 0), 3: (0, 2, 1), 4: (0, 1, 3, 2)}[k.ndim]
    return q @ k.transpose(order) / np.sqrt(q.shape[-1])


# -- attention_rule ---------------------------------------------------------------------------------------------------

RULE = """
def attention_rule(g, p, q, k, v):
    to_p = g @ v.swapaxes(-1, -2)
    to_scores = p * (to_p - (to_p * p).sum(axis=-1, keepdims=True))
    to_products = to_scores / np.sqrt(q.shape[-1])
    return to_products @ k, to_products.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ g
"""

wrong("attention_rule", "softmax_skipped", "What arrives at the weights was sent on to the scores as it is: the rule of the softmax lies between.", source=changed(
    RULE, ("p * (to_p - (to_p * p).sum(axis=-1, keepdims=True))", "to_p * np.tri(p.shape[-1])")))
wrong("attention_rule", "product_of_matrices", "p and what arrives at it are multiplied as matrices. Entry by entry, and then summed along each row.", source=changed(
    RULE, ("(to_p * p).sum(axis=-1, keepdims=True)", "p @ to_p")))
wrong("attention_rule", "output_without_g", "g is missing in the sum of each row: it is g times the output, p @ v, summed.", source=changed(
    RULE, ("(to_p * p).sum(axis=-1, keepdims=True)", "(p @ v).sum(axis=-1, keepdims=True)")))
wrong("attention_rule", "not_divided", "The scores were divided by the root of d, so their gradients are, too. d is the length of the last axis.", source=changed(
    RULE, ("to_scores / np.sqrt(q.shape[-1])", "to_scores")))
wrong("attention_rule", "two_or_four_axes", "There may be any number of axes in front, and only some of them are thought of here: `swapaxes(-1, -2)` exchanges the last two of any number.", source="""
def attention_rule(g, p, q, k, v):
    def turned(a):
        return a.T if a.ndim == 2 else a.transpose(0, 1, 3, 2)

    to_p = g @ turned(v)
    to_scores = p * (to_p - (to_p * p).sum(axis=-1, keepdims=True))
    to_products = to_scores / np.sqrt(q.shape[-1])
    return to_products @ k, turned(to_products) @ q, turned(p) @ g
""")
wrong("attention_rule", "times_root", "The way back divides by the root of d as the way forward does: it does not undo it.", source=changed(
    RULE, ("to_scores / np", "to_scores * np")))
wrong("attention_rule", "divided_by_d", "What q and k get is divided by d: by it once, or by its root twice. Divide once, by the root.", source=changed(
    RULE, ("np.sqrt(q.shape[-1])", "q.shape[-1]")))
wrong("attention_rule", "width_of_values", "The divisor is the root of how wide the values are. It has to be that of the length of queries and keys.", source=changed(
    RULE, ("np.sqrt(q.shape[-1])", "np.sqrt(v.shape[-1])")))
wrong("attention_rule", "softmax_left_out", "The softmax is left out: what arrives at the weights is not yet the gradient of the scores.", source=changed(
    RULE, ("p * (to_p - (to_p * p).sum(axis=-1, keepdims=True))", "to_p")))
wrong("attention_rule", "diagonal_only", "A larger score takes from all others of its row: the sum is missing in the rule of the softmax.", source=changed(
    RULE, ("p * (to_p - (to_p * p).sum(axis=-1, keepdims=True))", "p * to_p")))
wrong("attention_rule", "slope_of_a_sigmoid", "p (1 - p) is what a score does to its own weight. It changes the other weights of its row, too.", source=changed(
    RULE, ("p * (to_p - (to_p * p).sum(axis=-1, keepdims=True))", "to_p * p * (1 - p)")))
wrong("attention_rule", "sum_without_weights", "The sum of a row is that of u times p, where u is the gradient of p, and here p is missing in it.", source=changed(
    RULE, ("(to_p * p).sum(", "to_p.sum(")))
wrong("attention_rule", "mean", "The row's sum of u times p is asked for, where u is the gradient of p, and this is a mean.", source=changed(RULE, (").sum(", ").mean(")))
wrong("attention_rule", "sum_down_the_columns", "The sum belongs to each row, a query's own: the last axis.", source=changed(
    RULE, ("axis=-1", "axis=-2")))
wrong("attention_rule", "sum_of_everything", "One sum is taken over everything. Each row has its own.", source=changed(
    RULE, ("(to_p * p).sum(axis=-1, keepdims=True)", "(to_p * p).sum()")))
wrong("attention_rule", "p_left_out", "The bracket is right, and p in front of it is missing.", source=changed(
    RULE, ("= p * (to_p", "= (to_p")))
wrong("attention_rule", "exchanged", "The gradients of q and of k are exchanged: each contains the other's input.", source=changed(
    RULE, ("return to_products @ k, to_products.swapaxes(-1, -2) @ q,", "return to_products.swapaxes(-1, -2) @ q, to_products @ k,")))
wrong("attention_rule", "own_inputs", "The gradient of a product's factor contains the other factor: that of q has k.", source=changed(
    RULE, ("to_products @ k, to_products.swapaxes(-1, -2) @ q", "to_products @ q, to_products.swapaxes(-1, -2) @ k")))
wrong("attention_rule", "all_axes_turned_for_k", "The shapes do not fit. `.T` would turn the batch around, too: only the last two axes change places. And the gradient of v has the shape of v.", source=changed(
    RULE, ("to_products.swapaxes(-1, -2)", "to_products.T")))
wrong("attention_rule", "all_axes_turned_for_v", "The shapes do not fit. `.T` would turn the batch around, too: only the last two axes change places. And the gradient of v has the shape of v.", source=changed(
    RULE, ("p.swapaxes(-1, -2)", "p.T")))
wrong("attention_rule", "key_not_turned", "For k the matrix has to be turned: key s collects from all queries that saw it, a column.", source=changed(
    RULE, ("to_products.swapaxes(-1, -2) @ q", "to_products @ q")))
wrong("attention_rule", "value_not_turned", "For v the weights have to be turned: value s went to all positions that saw it, a column.", source=changed(
    RULE, ("p.swapaxes(-1, -2) @ g", "p @ g")))
wrong("attention_rule", "values_unweighted", "The gradient of v is weighted by p: each value gets g by its share.", source=changed(
    RULE, ("p.swapaxes(-1, -2) @ g", "np.tri(g.shape[-2]).T @ g")))
wrong("attention_rule", "value_gets_g", "v gets g back as it is here. It went through the weights.", source=changed(
    RULE, ("p.swapaxes(-1, -2) @ g", "g")))
wrong("attention_rule", "g_forgotten", "g does not count here: each output's part is multiplied by its own.", source=changed(
    RULE, ("    to_p", "    g = np.ones_like(g)\n    to_p")))
wrong("attention_rule", "no_batch", "The shapes do not fit. `.T` would turn the batch around, too: only the last two axes change places. And the gradient of v has the shape of v.", source=changed(
    RULE, (".swapaxes(-1, -2)", ".T")))
wrong("attention_rule", "in_place", "What came in is changed: write into an array of your own.", source=changed(
    RULE, ("    to_scores = p * (", "    to_v = p.swapaxes(-1, -2) @ g\n    to_scores = p\n    to_scores *= ("), (", p.swapaxes(-1, -2) @ g", ", to_v")))
wrong("attention_rule", "g_in_place", "g is changed here: work on a copy.", source=changed(
    RULE, ("    to_p =", "    g /= np.sqrt(q.shape[-1])\n    to_p ="), ("to_scores / np.sqrt(q.shape[-1])", "to_scores"), ("p.swapaxes(-1, -2) @ g", "p.swapaxes(-1, -2) @ g * np.sqrt(q.shape[-1])")))


wrong("attention_rule", "root_for_q_alone", "The root of d counts on the way to k, too: both were in the product that was divided.", source=changed(
    RULE, ("to_products.swapaxes(-1, -2) @ q", "to_scores.swapaxes(-1, -2) @ q")))
wrong("attention_rule", "root_for_k_alone", "The root of d counts on the way to q, too: both were in the product that was divided.", source=changed(
    RULE, ("return to_products @ k", "return to_scores @ k")))
wrong("attention_rule", "no_keepdims", "A row's sum has lost its axis, and is taken off a column: `keepdims=True`.", source=changed(
    RULE, ("axis=-1, keepdims=True", "axis=-1")))
wrong("attention_rule", "g_of_the_output", "What stands in the bracket is not the gradient of the weights p: that is g times the turned v, a number for each query and key.", source=changed(
    RULE, ("    to_p = g @ v.swapaxes(-1, -2)\n", ""), ("(to_p - (to_p * p)", "(g.sum(axis=-1, keepdims=True) - (g.sum(axis=-1, keepdims=True) * p)")))
wrong("attention_rule", "one_shape_for_three", "The shapes do not fit: the gradient of v has the shape of v, which may be wider or narrower than q and k.", source="""
def attention_rule(g, p, q, k, v):
    grads = np.empty((3, *q.shape))
    to_p = g @ v.swapaxes(-1, -2)
    to_products = p * (to_p - (to_p * p).sum(axis=-1, keepdims=True)) / np.sqrt(q.shape[-1])
    grads[0], grads[1], grads[2] = to_products @ k, to_products.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ g
    return tuple(grads)
""")
wrong("attention_rule", "values_times_g", "The shapes do not fit, or the factors are exchanged: the gradient of the weights p is g times the turned v, in this order, a product of matrices.", source=changed(
    RULE, ("g @ v.swapaxes(-1, -2)", "v.swapaxes(-1, -2) @ g")))
wrong("attention_rule", "values_times_g_by_cells", "The shapes do not fit, or the factors are exchanged: the gradient of the weights p is g times the turned v, in this order, a product of matrices.", source=changed(
    RULE, ("g @ v.swapaxes(-1, -2)", "g * v")))
wrong("attention_rule", "p_and_u_exchanged", "p and u are exchanged in the rule of the softmax, where u is the gradient of p: p stands in front, and the sum is taken off u.", source=changed(
    RULE, ("p * (to_p - (", "to_p * (p - (")))
wrong("attention_rule", "p_for_u", "The weights p themselves stand in the bracket. It needs u, the gradient of p, which comes of g and v.", source=changed(
    RULE, ("to_p = g @ v.swapaxes(-1, -2)", "to_p = p")))
wrong("attention_rule", "sum_not_weighted_again", "p stands in front of u only, where u is the gradient of p. The row's sum of u times p that is taken off is multiplied by p, too.", source=changed(
    RULE, ("p * (to_p - (to_p * p).sum(axis=-1, keepdims=True))", "p * to_p - (p * to_p).sum(axis=-1, keepdims=True)")))


wrong("attention_rule", "root_of_positions", "The root is that of the number of positions here. It was that of the length of queries and keys.", source=changed(
    RULE, ("np.sqrt(q.shape[-1])", "np.sqrt(q.shape[-2])")))
wrong("attention_rule", "bracket_turned_round", "The sign is wrong: the row's sum is taken off u, the gradient of p, and not the other way round.", source=changed(
    RULE, ("(to_p - (to_p * p).sum(axis=-1, keepdims=True))", "((to_p * p).sum(axis=-1, keepdims=True) - to_p)")))
wrong("attention_rule", "values_first", "The three stand in another order here: first that of q, then of k, then of v.", source=changed(
    RULE, ("return to_products @ k, to_products.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ g", "return p.swapaxes(-1, -2) @ g, to_products @ k, to_products.swapaxes(-1, -2) @ q")))
wrong("attention_rule", "values_first_queries_last", "The three stand in another order here: first that of q, then of k, then of v.", source=changed(
    RULE, ("return to_products @ k, to_products.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ g", "return p.swapaxes(-1, -2) @ g, to_products.swapaxes(-1, -2) @ q, to_products @ k")))
wrong("attention_rule", "plain_mean", "What comes off u, the gradient of p, is its average by the weights p. This is the plain mean.", source=changed(
    RULE, ("(to_p * p).sum(", "to_p.mean(")))
wrong("attention_rule", "two_positions", "This is right for two positions alone, where one weight takes what the other gives. With more of them a row needs the sum of u times p.", source=changed(
    RULE, ("p * (to_p - (to_p * p).sum(axis=-1, keepdims=True))", "p * (1 - p) * (to_p - to_p[..., ::-1])")))
wrong("attention_rule", "keys_of_the_first", "The keys of the first sequence count for all of them here.", source=changed(
    RULE, ("to_products @ k,", "to_products @ (k if k.ndim == 2 else k[0]),")))
wrong("attention_rule", "three_axes_turned", "There may be any number of axes in front, and only two and three of them are thought of here.", source=changed(
    RULE, ("p.swapaxes(-1, -2) @ g", "(p.T if p.ndim == 2 else p.transpose(0, 2, 1)) @ g")))


@right("attention_rule", "jacobian")
def attention_rule(g, p, q, k, v):
    turned = lambda x: np.moveaxis(x, -1, -2)
    to_p = np.matmul(g, turned(v))
    J = p[..., :, None] * (np.eye(p.shape[-1]) - p[..., None, :])  # d weight j / d score i, of each row
    to_scores = np.einsum("...tij,...tj->...ti", J, to_p) * q.shape[-1] ** -0.5
    return to_scores @ k, turned(to_scores) @ q, turned(p) @ g


@right("attention_rule", "einsum")
def attention_rule(g, p, q, k, v):
    root = np.sqrt(k.shape[-1])
    to_v = np.einsum("...ts,...tw->...sw", p, g)
    out = np.einsum("...ts,...sw->...tw", p, v)
    ds = p * (np.einsum("...tw,...sw->...ts", g, v) - (g * out).sum(-1)[..., None])
    return np.einsum("...ts,...sd->...td", ds, k) / root, np.einsum("...ts,...td->...sd", ds, q) / root, to_v


# -- mended_split -----------------------------------------------------------------------------------------------------

MENDED = """
def mended_split(x, heads):
    b, t, width = x.shape
    return x.reshape(b, t, heads, width // heads).swapaxes(1, 2)


def mended_merge(x):
    b, heads, t, d = x.shape
    return x.swapaxes(1, 2).reshape(b, t, heads * d)
"""

wrong("mended_split", "nothing_mended", "Head 0 has what stands first, position after position, as in the colleague's split. It should have the left columns of all.", source=changed(
    MENDED, ("x.reshape(b, t, heads, width // heads).swapaxes(1, 2)", "x.reshape(b, heads, t, width // heads)"), ("x.swapaxes(1, 2).reshape", "x.reshape")))
wrong("mended_split", "split_only", "The split is right now. The merge still takes the heads one after the other: bring the positions in front again.", source=changed(
    MENDED, ("x.swapaxes(1, 2).reshape", "x.reshape")))
wrong("mended_split", "merge_only", "The merge is right now. The split still cuts the positions: first cut the width, then change axes.", source=changed(
    MENDED, ("x.reshape(b, t, heads, width // heads).swapaxes(1, 2)", "x.reshape(b, heads, t, width // heads)")))
wrong("mended_split", "heads_behind_positions", "The width is cut, and the heads still stand behind the positions: exchange axes 1 and 2.", source=changed(
    MENDED, (").swapaxes(1, 2)\n", ")\n"), ("b, heads, t, d", "b, t, heads, d"), ("x.swapaxes(1, 2).reshape", "x.reshape")))
wrong("mended_split", "interleaved", "Head 0 has every other column here. It should have those beside each other.", source=changed(
    MENDED, ("x.reshape(b, t, heads, width // heads).swapaxes(1, 2)", "x.reshape(b, t, width // heads, heads).transpose(0, 3, 1, 2)"),
    ("x.swapaxes(1, 2).reshape", "x.transpose(0, 2, 3, 1).reshape")))
wrong("mended_split", "merge_interleaved", "The merge mixes the heads' columns: side by side means head 0 first, whole.", source=changed(
    MENDED, ("x.swapaxes(1, 2).reshape", "x.transpose(0, 2, 3, 1).reshape")))
wrong("mended_split", "split_interleaved", "Head 0 has every other column here. It should have those beside each other.", source=changed(
    MENDED, ("x.reshape(b, t, heads, width // heads).swapaxes(1, 2)", "x.reshape(b, t, width // heads, heads).transpose(0, 3, 1, 2)")))
wrong("mended_split", "head_and_number_exchanged", "The last two axes are exchanged: positions come before the numbers of a head.", source=changed(
    MENDED, ("width // heads).swapaxes(1, 2)", "width // heads).transpose(0, 2, 3, 1)")))
wrong("mended_split", "heads_first", "The heads stand in front of the batch here: it comes first.", source=changed(
    MENDED, (".swapaxes(1, 2)\n", ".transpose(2, 0, 1, 3)\n")))
wrong("mended_split", "first_sequence", "Only the first sequence is split: keep the batch.", source=changed(
    MENDED, ("    return x.reshape(b, t, heads,", "    b, x = 1, x[:1]\n    return x.reshape(b, t, heads,")))
wrong("mended_split", "heads_reversed", "The heads stand in the opposite order: head 0 has the left columns.", source=changed(
    MENDED, (".swapaxes(1, 2)\n", ".swapaxes(1, 2)[:, ::-1]\n"), ("x.swapaxes(1, 2).reshape", "x[:, ::-1].swapaxes(1, 2).reshape")))
wrong("mended_split", "mean_of_heads", "The heads are averaged here: they are to stand side by side.", source=changed(
    MENDED, ("x.swapaxes(1, 2).reshape(b, t, heads * d)", "x.mean(axis=1)")))
wrong("mended_split", "sum_of_heads", "The heads are added up here: they are to stand side by side.", source=changed(
    MENDED, ("x.swapaxes(1, 2).reshape(b, t, heads * d)", "x.sum(axis=1)")))
wrong("mended_split", "heads_under_each_other", "The heads stand under each other: each position has all of its heads in one row.", source=changed(
    MENDED, ("x.swapaxes(1, 2).reshape(b, t, heads * d)", "x.reshape(b, heads * t, d)")))
wrong("mended_split", "other_axes_back", "The merge moves the numbers of a head in front of its positions: exchange axes 1 and 2 alone.", source=changed(
    MENDED, ("x.swapaxes(1, 2).reshape", "x.transpose(0, 3, 2, 1).reshape")))
wrong("mended_split", "positions_last", "The positions stand behind the numbers of a head: after the width is cut, exchange axes 1 and 2.", source=changed(
    MENDED, (").swapaxes(1, 2)\n", ").swapaxes(1, 3)\n")))
wrong("mended_split", "cut_positions_in_front", "The positions were cut, and they stand in front of the heads: cut the width, (B, T, heads, d), then exchange axes 1 and 2.", source=changed(
    MENDED, ("x.reshape(b, t, heads, width // heads).swapaxes(1, 2)", "x.reshape(b, heads, t, width // heads).swapaxes(1, 2)")))
wrong("mended_split", "exchanged_before_the_cut", "The shape fits, and the columns stand where positions belong: first cut the width, (B, T, heads, d), then exchange axes 1 and 2.", source=changed(
    MENDED, ("x.reshape(b, t, heads, width // heads).swapaxes(1, 2)", "x.swapaxes(1, 2).reshape(b, heads, t, width // heads)")))
wrong("mended_split", "two_heads_always", "There are two heads here, however many are asked for.", source=changed(
    MENDED, ("x.reshape(b, t, heads, width // heads)", "x.reshape(b, t, 2, width // 2)")))
wrong("mended_split", "width_per_head", "`heads` is how many there are, and here it is taken for how wide each is.", source=changed(
    MENDED, ("heads, width // heads)", "width // heads, heads)")))

wrong("mended_split", "numbers_in_front_of_positions", "The merge exchanges the positions with the numbers of a head: exchange heads and positions, axes 1 and 2.", source=changed(
    MENDED, ("x.swapaxes(1, 2).reshape", "x.swapaxes(2, 3).reshape")))
wrong("mended_split", "cut_behind_the_heads", "The heads are cut off in front, so the positions are cut: first cut the width, (B, T, heads, d), then exchange axes.", source=changed(
    MENDED, ("x.reshape(b, t, heads, width // heads).swapaxes(1, 2)", "x.reshape(b, heads, width // heads, t).swapaxes(2, 3)")))

wrong("mended_split", "shape_of_x", "The array that came in gets another shape here: `reshape` makes a new view and leaves it alone.", source=changed(
    MENDED, ("return x.reshape(b, t, heads, width // heads).swapaxes(1, 2)", "x.shape = (b, t, heads, width // heads)\n    return x.swapaxes(1, 2)")))
wrong("mended_split", "merge_cuts_anew", "The merge counts its numbers in the order (B, T, heads, d), and they lie as (B, heads, T, d): exchange axes 1 and 2 before any `reshape`.", source=changed(
    MENDED, ("x.swapaxes(1, 2).reshape(b, t, heads * d)", "x.reshape(b, t, heads, d).swapaxes(1, 2).reshape(b, t, heads * d)")))

wrong("mended_split", "merge_of_two", "There are two heads in the merge here, however many came in.", source="""
def mended_split(x, heads):
    return np.stack(np.split(x, heads, axis=-1), axis=1)


def mended_merge(x):
    return np.concatenate([x[:, 0], x[:, 1]], axis=-1)
""")
wrong("mended_split", "begins_at_h", "Head h begins at column h here. It should begin at h · d, behind the columns of the heads before it.", source=changed(
    MENDED, ("return x.reshape(b, t, heads, width // heads).swapaxes(1, 2)", "return np.stack([x[:, :, h : h + width // heads] for h in range(heads)], axis=1)")))

wrong("mended_split", "strides_of_the_shape", "Right only where the numbers of x lie in memory row after row. They may lie in another order, which `strides` tells: `reshape` and `swapaxes` heed it.", source=changed(
    MENDED, ("return x.reshape(b, t, heads, width // heads).swapaxes(1, 2)", "d, one = width // heads, x.itemsize\n    strides = (t * width * one, d * one, width * one, one)\n    return np.lib.stride_tricks.as_strided(x, (b, heads, t, d), strides).copy()")))

right("mended_split", "stacked", source="""
def mended_split(x, heads):
    return np.stack(np.split(x, heads, axis=-1), axis=1)


def mended_merge(x):
    return np.concatenate([x[:, h] for h in range(x.shape[1])], axis=-1)
""")

right("mended_split", "einsum", source="""
def mended_split(x, heads):
    parts = x.reshape(len(x), -1, heads, x.shape[2] // heads)
    return np.einsum("bthd->bhtd", parts)


def mended_merge(x):
    return np.einsum("bhtd->bthd", x).reshape(len(x), x.shape[2], -1)
""")


wrong("mended_split", "merged_sizes_read_too_early", "The merge takes the number of heads for that of positions, and the other way round: x comes as (B, heads, T, d), and these sizes are in the other order only after the axes have changed places.",
      source=changed(MENDED, ("b, heads, t, d = x.shape", "b, t, heads, d = x.shape")))


# -- sinusoids --------------------------------------------------------------------------------------------------------

WAVES = """
def sinusoids(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    table = np.empty((n, d))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    return table
"""

wrong("sinusoids", "halves", "All sines stand on the left and all cosines on the right: they take turns.", source=changed(
    WAVES, ("table[:, 0::2]", "table[:, : d // 2]"), ("table[:, 1::2]", "table[:, d // 2 :]")))
wrong("sinusoids", "cosines_first", "Sines and cosines are exchanged: a sine has the even column.", source=changed(
    WAVES, ("np.sin", "np.COS"), ("np.cos", "np.sin"), ("np.COS", "np.cos")))
wrong("sinusoids", "half_exponent", "For d = 4 the second wave is 10 times as long as the first, and not 100 times. Is the 2 of the exponent 2i / d missing, or is the base another one than 10,000?", source=changed(
    WAVES, ("np.arange(0, d, 2) / d", "np.arange(d // 2) / d")))
wrong("sinusoids", "double_exponent", "The exponent is 2i / d, and here it is another one: for d = 4 the second wave has 2/4, and this comes of 1.", source=changed(
    WAVES, ("np.arange(0, d, 2) / d", "2 * np.arange(0, d, 2) / d")))
wrong("sinusoids", "own_exponents", "A cosine has the angle of the sine beside it, and here each column has its own.", source="""
def sinusoids(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(d) / d)
    table = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, 1::2])
    return table
""")
wrong("sinusoids", "from_1", "The first row belongs to position 0: does the angle depend on the position, and do positions count from 0?", source=changed(WAVES, ("np.arange(n)", "np.arange(1, n + 1)")))
wrong("sinusoids", "multiplied", "The angle is divided by the power of 10,000, and here it is multiplied.", source=changed(
    WAVES, ("[:, None] / 10000", "[:, None] * 10000")))
wrong("sinusoids", "sines_only", "The odd columns hold cosines.", source=changed(WAVES, ("np.cos", "np.sin")))
wrong("sinusoids", "one_wave", "All pairs of columns have the same wave: each has its own length.", source=changed(
    WAVES, ("10000 ** (np.arange(0, d, 2) / d)", "np.ones(d // 2)")))
wrong("sinusoids", "thousand", "The base is 10,000.", source=changed(WAVES, ("10000 **", "1000 **")))
wrong("sinusoids", "reversed", "The longest wave comes first here: column 0 is the shortest.", source=changed(
    WAVES, ("np.arange(0, d, 2) / d", "np.arange(0, d, 2)[::-1] / d")))
wrong("sinusoids", "turned", "Rows and columns are exchanged: a row is a position.", source=changed(WAVES, ("return table", "return table.T")))
wrong("sinusoids", "last_exponent", "The exponent is 2i / d, and here it is another one: for d = 4 the second wave has 2/4, and this comes of 1.", source=changed(
    WAVES, ("np.arange(0, d, 2) / d", "np.linspace(0, 1, d // 2)")))
wrong("sinusoids", "full_turns", "The angles are multiplied by 2π, and the formula has no such factor.", source=changed(
    WAVES, ("np.arange(n)[:, None] /", "2 * np.pi * np.arange(n)[:, None] /")))
wrong("sinusoids", "whole_exponents", "The exponent is cut down to an integer: `//` in place of `/`.", source=changed(
    WAVES, ("np.arange(0, d, 2) / d", "np.arange(0, d, 2) // d")))


wrong("sinusoids", "ends_at_1", "The exponent is 2i / d, and here it is another one: for d = 4 the second wave has 2/4, and this comes of 1.", source=changed(
    WAVES, ("np.arange(0, d, 2) / d", "np.arange(d // 2) / max(d // 2 - 1, 1)")))
wrong("sinusoids", "power_of_integers", "There is NaN: a power of 10,000 with an integer exponent is too large for an integer here. Let the exponent be a float.", source=changed(
    WAVES, ("10000 ** (np.arange(0, d, 2) / d)", "(10000 ** np.arange(0, d, 2)) ** (1 / d)")))
wrong("sinusoids", "over_positions", "The exponent is divided by the number of positions: it is 2i / d.", source=changed(
    WAVES, ("np.arange(0, d, 2) / d", "np.arange(0, d, 2) / n")))
wrong("sinusoids", "whole_numbers", "The waves are cut down to integers: let the table hold floats.", source=changed(
    WAVES, ("np.empty((n, d))", "np.empty((n, d), dtype=int)")))
wrong("sinusoids", "no_column", "The shapes do not fit: positions go down, `np.arange(n)[:, None]`, and the d / 2 wave lengths go along.", source=changed(
    WAVES, ("np.arange(n)[:, None]", "np.arange(n)")))


wrong("sinusoids", "accumulated", "Each wave is made of the one before by the whole power here, so the powers add up: from wave to wave the factor is the same, 10000 ** (2 / d).", source="""
def sinusoids(n, d):
    table, rate = np.empty((n, d)), 1.0
    for i in range(d // 2):
        rate /= 10000 ** (2 * i / d)
        table[:, 2 * i] = np.sin(rate * np.arange(n))
        table[:, 2 * i + 1] = np.cos(rate * np.arange(n))
    return table
""")
wrong("sinusoids", "two_waves", "There are two waves here, again and again. Each pair of columns has its own.", source=changed(
    WAVES, ("np.arange(0, d, 2) / d", "np.arange(0, d, 2) % 4 / d")))
wrong("sinusoids", "column_for_pair", "Column 2i has the exponent 2i / d, and so has the one beside it. Here the number of the column is taken twice.", source="""
def sinusoids(n, d):
    table = np.empty((n, d))
    for t in range(n):
        for i in range(d):
            angle = t / 10000 ** (2 * i / d)
            table[t, i] = np.cos(angle) if i % 2 else np.sin(angle)
    return table
""")
wrong("sinusoids", "column_for_pair_in_steps", "Column 2i has the exponent 2i / d, and so has the one beside it. Here the number of the column is taken twice.", source="""
def sinusoids(n, d):
    table = np.empty((n, d))
    for t in range(n):
        for i in range(0, d, 2):
            angle = t / 10000 ** (2 * i / d)
            table[t, i], table[t, i + 1] = np.sin(angle), np.cos(angle)
    return table
""")
wrong("sinusoids", "degrees", "The angles are taken for degrees here, and the formula has no such factor.", source=changed(
    WAVES, ("np.arange(n)[:, None] /", "np.pi / 180 * np.arange(n)[:, None] /")))
wrong("sinusoids", "power_of_the_quotient", "Only 10,000 is raised to the power 2i / d, and here t is, too: t / 10000 ** (...).", source=changed(
    WAVES, ("np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)", "(np.arange(n)[:, None] / 10000) ** (np.arange(0, d, 2) / d)")))


wrong("sinusoids", "power_before_the_bracket", "Python takes 10000 ** 2 first here, and then multiplies: the exponent 2i / d needs brackets.", source="""
def sinusoids(n, d):
    table = np.empty((n, d))
    for t in range(n):
        for i in range(d // 2):
            table[t, 2 * i] = np.sin(t / 10000 ** 2 * i / d)
            table[t, 2 * i + 1] = np.cos(t / 10000 ** 2 * i / d)
    return table
""")
wrong("sinusoids", "divided_outside", "The sine and the cosine are divided by the power here. The power divides t, inside them.", source=changed(
    WAVES, ("np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)", "np.arange(n)[:, None] / np.ones(d // 2)\n    power = 10000 ** (np.arange(0, d, 2) / d)"),
    ("np.sin(angles)", "np.sin(angles) / power"), ("np.cos(angles)", "np.cos(angles) / power")))
wrong("sinusoids", "columns_i_and_i_1", "Pair i is written into the columns i and i + 1 here, over the pair before it. Its columns are 2i and 2i + 1.", source="""
def sinusoids(n, d):
    table = np.zeros((n, d))
    for t in range(n):
        for i in range(d // 2):
            angle = t / 10000 ** (2 * i / d)
            table[t, i], table[t, i + 1] = np.sin(angle), np.cos(angle)
    return table
""")
wrong("sinusoids", "shared_buffer", "The same array is given each time, and who writes into the one spoils the other: make a new one.", source="""
_table = np.empty((1024, 64))


def sinusoids(n, d):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    table = _table[:n, :d]
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table
""")


@right("sinusoids", "stacked")
def sinusoids(n, d):
    rates = np.exp(-np.log(10000.0) * np.arange(d // 2) * 2 / d)
    angles = np.outer(np.arange(n), rates)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d)


@right("sinusoids", "numbers")
def sinusoids(n, d):
    table = np.zeros((n, d))
    for t in range(n):
        for i in range(d // 2):
            angle = t / 10000 ** (2 * i / d)
            table[t, 2 * i] = np.sin(angle)
            table[t, 2 * i + 1] = np.cos(angle)
    return table


@wrong("sinusoids", "kept", "The same array is given each time, and who writes into the one spoils the other: make a new one.")
def sinusoids(n, d, made={}):
    if (n, d) not in made:
        angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
        made[n, d] = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d)
    return made[n, d]


@wrong("sinusoids", "at_most_512", "The table ends at 512 positions. There are n of them, however many that is.")
def sinusoids(n, d):
    angles = np.arange(512)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    table = np.empty((512, d))
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table[:n]


@wrong("sinusoids", "small_integers", "Positions are kept in 8 bits: after 127 comes -128.")
def sinusoids(n, d):
    angles = np.arange(n).astype("int8")[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    table = np.empty((n, d))
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


wrong("sinusoids", "power_before_the_root", "From d = 80 on the power is beyond the largest float before its root is taken, and the last waves stand still: divide the exponent by d first.",
      source=changed(WAVES, ("10000 ** (np.arange(0, d, 2) / d)", "(10000.0 ** np.arange(0, d, 2)) ** (1 / d)")))


# -- block_rule -------------------------------------------------------------------------------------------------------

BLOCK = """
def block_rule(g, x, W):
    n = normalise(x)
    inner = g * (1 - np.tanh(n @ W) ** 2)
    return g + normalise_rule(inner @ W.T, x), n.T @ inner
"""

wrong("block_rule", "slope_at_n", "The slope of tanh is taken at n. What goes into tanh is n @ W.", source=changed(
    BLOCK, ("np.tanh(n @ W)", "np.tanh(n)")))
wrong("block_rule", "times_x", "What the rule of the normalisation gives is the gradient of x already: no factor x.", source=changed(
    BLOCK, ("g + normalise_rule", "g + x * normalise_rule")))
wrong("block_rule", "no_way_around", "The gradient that goes around the branch is missing: y contains x itself.", source=changed(
    BLOCK, ("g + normalise_rule", "normalise_rule")))
wrong("block_rule", "around_only", "The branch is missing in the gradient of x: it has two parts.", source=changed(
    BLOCK, ("g + normalise_rule(inner @ W.T, x)", "g")))
wrong("block_rule", "adds_1", "The way around passes g on, and not 1.", source=changed(BLOCK, ("g + normalise_rule", "1 + normalise_rule")))
wrong("block_rule", "adds_x", "The way around passes g on, and not x.", source=changed(BLOCK, ("g + normalise_rule", "x + normalise_rule")))
wrong("block_rule", "no_slope", "The tanh is left out: what arrives is multiplied by its slope.", source=changed(
    BLOCK, ("g * (1 - np.tanh(n @ W) ** 2)", "g")))
wrong("block_rule", "tanh_for_slope", "Where tanh is 0 its slope is 1, and here it is 0: the slope is 1 - tanh².", source=changed(
    BLOCK, ("(1 - np.tanh(n @ W) ** 2)", "np.tanh(n @ W)")))
wrong("block_rule", "square_missing", "The slope of tanh is 1 - tanh², and the square is missing.", source=changed(BLOCK, (" ** 2", "")))
wrong("block_rule", "tanh_missing_in_the_slope", "The slope of tanh is 1 - tanh², and here the square is of what tanh was given.", source=changed(
    BLOCK, ("np.tanh(n @ W) ** 2", "(n @ W) ** 2")))
wrong("block_rule", "norm_left_out", "The norm is left out on the way back: its rule comes after that of the product.", source=changed(
    BLOCK, ("normalise_rule(inner @ W.T, x)", "inner @ W.T")))
wrong("block_rule", "norm_without_1e_5", "The rule of the norm is written out here without its 1e-5, which counts where a row's numbers are nearly equal: `normalise_rule` has it.", source=changed(
    BLOCK, ("    return g + normalise_rule(inner @ W.T, x), n.T @ inner", "    to_n = inner @ W.T\n    centred = to_n - to_n.mean(axis=-1, keepdims=True) - n * (to_n * n).mean(axis=-1, keepdims=True)\n    return g + centred / x.std(axis=-1, keepdims=True), n.T @ inner")))
wrong("block_rule", "norm_of_n", "`normalise_rule` needs x, what the norm was given. It got n.", source=changed(
    BLOCK, ("inner @ W.T, x)", "inner @ W.T, n)")))
wrong("block_rule", "norm_forward", "The norm is applied to the gradient: on the way back it is its rule that counts.", source=changed(
    BLOCK, ("normalise_rule(inner @ W.T, x)", "normalise(inner @ W.T)")))
wrong("block_rule", "W_not_turned", "On the way back to n the weights are turned: W.T.", source=changed(BLOCK, ("inner @ W.T", "inner @ W")))
wrong("block_rule", "x_for_n", "W was multiplied by the normalised rows, so its gradient contains these, and not x.", source=changed(
    BLOCK, ("n.T @ inner", "x.T @ inner")))
wrong("block_rule", "x_inside", "The branch is computed from x here, and not from the normalised rows.", source=changed(
    BLOCK, ("np.tanh(n @ W)", "np.tanh(x @ W)")))
wrong("block_rule", "W_turned_around", "The gradient of W is turned around: its rows belong to the columns of n.", source=changed(
    BLOCK, ("n.T @ inner", "inner.T @ n")))
wrong("block_rule", "exchanged", "The two gradients are exchanged: that of x comes first.", source=changed(
    BLOCK, ("g + normalise_rule(inner @ W.T, x), n.T @ inner", "n.T @ inner, g + normalise_rule(inner @ W.T, x)")))
wrong("block_rule", "g_twice", "g counts twice in the branch: it is in `inner` already.", source=changed(
    BLOCK, ("normalise_rule(inner @ W.T, x)", "g * normalise_rule(inner @ W.T, x)")))
wrong("block_rule", "around_before_norm", "g goes around the norm as well: it is added after `normalise_rule`, not before.", source=changed(
    BLOCK, ("g + normalise_rule(inner @ W.T, x)", "normalise_rule(g + inner @ W.T, x)")))
wrong("block_rule", "norm_before_W", "The way back goes from the tanh to the product with W and then to the norm: `normalise_rule` gets what has passed W.T.", source=changed(
    BLOCK, ("normalise_rule(inner @ W.T, x)", "normalise_rule(inner, x) @ W.T")))
wrong("block_rule", "mean_for_W", "The gradient of W is half of what it should be, of two rows. It is a sum over them: is this a mean?", source=changed(
    BLOCK, ("n.T @ inner", "n.T @ inner / len(x)")))
wrong("block_rule", "in_place", "g is changed here: `+=` writes into the array that came in.", source="""
def block_rule(g, x, W):
    n = normalise(x)
    inner = g * (1 - np.tanh(n @ W) ** 2)
    g += normalise_rule(inner @ W.T, x)
    return g, n.T @ inner
""")


wrong("block_rule", "no_slope_for_W", "The slope of tanh is missing on the way to W.", source=changed(BLOCK, ("n.T @ inner", "n.T @ g")))
wrong("block_rule", "no_slope_for_x", "The slope of tanh is missing on the way to x.", source=changed(BLOCK, ("inner @ W.T", "g @ W.T")))
wrong("block_rule", "times_the_branch", "The two ways to x are multiplied here: their gradients are added up.", source=changed(
    BLOCK, ("g + normalise_rule", "g * normalise_rule")))
wrong("block_rule", "around_in_both", "g goes through the norm as well here: it goes around the branch, and is added behind `normalise_rule` alone.", source=changed(
    BLOCK, ("normalise_rule(inner @ W.T, x)", "normalise_rule(g + inner @ W.T, x)")))
wrong("block_rule", "slope_of_y", "The slope of tanh is 1 - tanh², and y is x plus the tanh: take the square of the tanh alone.", source=changed(
    BLOCK, ("np.tanh(n @ W) ** 2", "(x + np.tanh(n @ W)) ** 2")))


wrong("block_rule", "square_of_the_difference", "The square is of 1 - tanh here. It belongs to the tanh alone: 1 - tanh².", source=changed(
    BLOCK, ("(1 - np.tanh(n @ W) ** 2)", "(1 - np.tanh(n @ W)) ** 2")))
wrong("block_rule", "arguments_exchanged", "The arguments of `normalise_rule` are exchanged: first the gradient, then x.", source=changed(
    BLOCK, ("normalise_rule(inner @ W.T, x)", "normalise_rule(x, inner @ W.T)")))
wrong("block_rule", "rule_times_gradient", "A factor is multiplied by what `normalise_rule` gives of g. The rule takes what has come back through W as its gradient, and gives all that is added to g.", source=changed(
    BLOCK, ("normalise_rule(inner @ W.T, x)", "normalise_rule(g, x) * (inner @ W.T)")))
wrong("block_rule", "constant_norm", "Mean and variance are taken for constants here. They are made of x, too, and `normalise_rule` counts that.", source=changed(
    BLOCK, ("normalise_rule(inner @ W.T, x)", "inner @ W.T / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)")))
wrong("block_rule", "mean_left_constant", "The mean is counted and the variance taken for a constant here. Both are made of x, and `normalise_rule` counts that.", source=changed(
    BLOCK, ("    return g + normalise_rule(inner @ W.T, x), n.T @ inner", "    to_n = inner @ W.T\n    to_n = to_n - to_n.mean(axis=-1, keepdims=True)\n    return g + to_n / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5), n.T @ inner")))
wrong("block_rule", "one_more_through_the_branch", "g is added to the gradient of x, behind the branch. Here 1 is added to g in front of it.", source="""
def block_rule(g, x, W):
    n = normalise(x)
    inner = (1 + g) * (1 - np.tanh(n @ W) ** 2)
    return normalise_rule(inner @ W.T, x), n.T @ inner
""")
wrong("block_rule", "x_in_the_tanh", "x stands inside the tanh here: y is x plus tanh(n @ W).", source=changed(
    BLOCK, ("np.tanh(n @ W)", "np.tanh(x + n @ W)")))
wrong("block_rule", "W_turned_in_the_tanh", "W is turned inside the tanh here: that is computed as on the way forward, from n @ W.", source=changed(
    BLOCK, ("np.tanh(n @ W)", "np.tanh(n @ W.T)")))


@right("block_rule", "cosh")
def block_rule(g, x, W):
    rows = normalise(x)
    behind = g / np.cosh(rows @ W) ** 2
    to_rows = np.einsum("tj,ij->ti", behind, W)
    return normalise_rule(to_rows, x) + g, np.einsum("ti,tj->ij", rows, behind)


@right("block_rule", "row_by_row")
def block_rule(g, x, W):
    to_x, to_W = g.copy(), np.zeros(W.shape)
    for t in range(len(x)):
        n = normalise(x[t])
        a = np.tanh(n @ W)
        inner = g[t] * (1 - a) * (1 + a)
        to_x[t] += normalise_rule(W @ inner, x[t])
        to_W += np.outer(n, inner)
    return to_x, to_W


@wrong("block_rule", "written_into_g", "What goes around the branch is g times a slope here, and it is g as it came in: another name for g is the same array, and `*=` writes into it. Make a new array for the branch.")
def block_rule(g, x, W):
    n = normalise(x)
    inner = g
    inner *= 1 - np.tanh(n @ W) ** 2
    to_W = n.T @ inner
    to_n = inner @ W.T
    return g + normalise_rule(to_n, x), to_W


# -- merged -----------------------------------------------------------------------------------------------------------

MERGED = """
def merged(a, b):
    m_a, l_a, acc_a = a
    m_b, l_b, acc_b = b
    m = max(m_a, m_b)
    if m == -np.inf:
        return a
    by_a, by_b = np.exp(m_a - m), np.exp(m_b - m)
    return m, l_a * by_a + l_b * by_b, acc_a * by_a + acc_b * by_b
"""

wrong("merged", "a_floor", "The larger m has a floor here. Scores may lie below it, and a piece that has seen nothing has -inf.", source=changed(
    MERGED, ("max(m_a, m_b)", "max(m_a, m_b, -1e9)")))
wrong("merged", "nothing_at_zero", "Two pieces that have seen nothing give one that has seen nothing: its m is -inf, and not 0.", source=changed(
    MERGED, ("        return a\n", "        return 0.0, 0.0, acc_a\n")))
wrong("merged", "larger_in_size", "m is the larger one of the two, and not the one that is larger in size.", source=changed(
    MERGED, ("max(m_a, m_b)", "max(m_a, m_b, key=abs)"), ("m == -np.inf", "m_a == m_b == -np.inf")))
wrong("merged", "plain_sums", "Sums of different m are added up: bring both to the larger m first.", source=changed(
    MERGED, ("np.exp(m_a - m), np.exp(m_b - m)", "1.0, 1.0")))
wrong("merged", "acc_not_brought", "`acc` was not brought to the new m here: like `l`, it is multiplied by exp(old m - new m).", source=changed(
    MERGED, ("acc_a * by_a + acc_b * by_b", "acc_a + acc_b")))
wrong("merged", "sum_not_brought", "`l` was not brought to the new m here: like `acc`, it is multiplied by exp(old m - new m).", source=changed(
    MERGED, ("l_a * by_a + l_b * by_b", "l_a + l_b")))
NEITHER = "-inf minus -inf is NaN: when neither has seen anything, so it stays. A test for that may be there and never hold: `is` asks for the very same object, `==` for the same number."
wrong("merged", "neither_seen", NEITHER, source=changed(
    MERGED, ("    if m == -np.inf:\n        return a\n", "")))
wrong("merged", "is_never", NEITHER, source="""
def merged(a, b):
    if a[0] is -np.inf:
        return b
    if b[0] is -np.inf:
        return a
    m = max(a[0], b[0])
    one, two = np.exp(a[0] - m), np.exp(b[0] - m)
    return m, one * a[1] + two * b[1], one * a[2] + two * b[2]
""")
wrong("merged", "one_zero", "When neither has seen anything, `acc` is a single 0 here, and it should be as wide as the one that came in: return that.", source=changed(
    MERGED, ("return a\n", "return -np.inf, 0.0, np.zeros(1)\n")))
wrong("merged", "exchanged", "The two factors are exchanged: each sum gets its own exp(m - new m).", source=changed(
    MERGED, ("by_a, by_b =", "by_b, by_a =")))
wrong("merged", "turned_around", "The sign is wrong: exp(old m - new m), which is at most 1.", source=changed(
    MERGED, ("np.exp(m_a - m), np.exp(m_b - m)", "np.exp(m - m_a), np.exp(m - m_b)")))
wrong("merged", "smaller", "m is to be the larger of the two: with less than that the exponentials overflow.", source=changed(MERGED, ("max(", "min("), ("m == -np.inf", "max(m_a, m_b) == -np.inf")))
wrong("merged", "no_maximum", "Everything is brought to m = 0, which overflows for large scores, and loses small ones.", source=changed(
    MERGED, ("m = max(m_a, m_b)", "m = 0.0 if max(m_a, m_b) > -np.inf else -np.inf")))
wrong("merged", "log_of_both", "m is to be the larger of the two, not the logarithm of a sum of exponentials.", source=changed(
    MERGED, ("m = max(m_a, m_b)", "m = np.logaddexp(m_a, m_b)")))
wrong("merged", "through_exp_of_m", "exp of a score of thousands is inf, and of one far below 0 it is 0: take exp of differences from the larger m alone.", source=changed(
    MERGED, ("np.exp(m_a - m), np.exp(m_b - m)", "np.exp(m_a) / np.exp(m), np.exp(m_b) / np.exp(m)")))
wrong("merged", "at_least_0", "m is 0 where all scores are below 0: it is the largest of them.", source=changed(
    MERGED, ("m = max(m_a, m_b)", "m = max(m_a, m_b)\n    m = max(m, 0.0) if m > -np.inf else m")))
wrong("merged", "b_is_later", "m is taken from the second one, and the first may have the larger one.", source=changed(
    MERGED, ("m = max(m_a, m_b)", "m = m_b")))
wrong("merged", "only_a_brought", "Only the first sum is brought to the new m: the second may have the smaller one.", source=changed(
    MERGED, ("np.exp(m_b - m)", "1.0")))
wrong("merged", "only_b_brought", "Only the second sum is brought to the new m: the first may have the smaller one.", source=changed(
    MERGED, ("np.exp(m_a - m)", "1.0")))
wrong("merged", "divided", "`acc` is divided by `l` already: that comes once, at the end.", source=changed(
    MERGED, ("acc_a * by_a + acc_b * by_b", "(acc_a * by_a + acc_b * by_b) / max(l_a * by_a + l_b * by_b, 1e-300)")))
wrong("merged", "mean", "The two averages are averaged: the sums have to be added up, each for itself.", source=changed(
    MERGED, ("acc_a * by_a + acc_b * by_b", "(acc_a * by_a + acc_b * by_b) / 2")))
wrong("merged", "weighted_by_l", "`acc` is a sum already, and here it is multiplied by `l` once more.", source=changed(
    MERGED, ("acc_a * by_a + acc_b * by_b", "acc_a * l_a * by_a + acc_b * l_b * by_b")))
wrong("merged", "in_place", "`+=` changes the array that came in: make a new one.", source=changed(
    MERGED, ("    return m, l_a * by_a + l_b * by_b, acc_a * by_a + acc_b * by_b", "    acc_a *= by_a\n    acc_a += acc_b * by_b\n    return m, l_a * by_a + l_b * by_b, acc_a")))
wrong("merged", "larger_alone", "The one with the smaller m is forgotten here, and it has been seen. It counts as well, by exp(m - new m).", source="""
def merged(a, b):
    return a if a[0] >= b[0] else b
""")
wrong("merged", "far_apart_is_forgotten", "Where the two m are far apart, the smaller one is forgotten here. Its factor is small, and its values may be large: multiply, and add.", source=changed(
    MERGED, ("    by_a, by_b", "    if abs(m_a - m_b) > 20:\n        return a if m_a > m_b else b\n    by_a, by_b")))
wrong("merged", "thirty_apart_is_forgotten", "Where the two m are far apart, the smaller one is forgotten here. Its factor is small, and its values may be large: multiply, and add.", source=changed(
    MERGED, ("    by_a, by_b", "    if abs(m_a - m_b) > 30:\n        return a if m_a > m_b else b\n    by_a, by_b")))
wrong("merged", "very_far_apart_is_forgotten", "Where the two m are far apart, the smaller one is forgotten here. Its factor is small, and its values may be large: multiply, and add.", source=changed(
    MERGED, ("    by_a, by_b", "    if abs(m_a - m_b) > 100:\n        return a if m_a > m_b else b\n    by_a, by_b")))
wrong("merged", "four_hundred_apart_is_forgotten", "Where the two m are far apart, the smaller one is forgotten here. Its factor is small, and its values may be large: multiply, and add.", source=changed(
    MERGED, ("    by_a, by_b", "    if abs(m_a - m_b) > 400:\n        return a if m_a > m_b else b\n    by_a, by_b")))
wrong("merged", "base_2", "Powers of 2 in place of e: the sums that came in are made with exp.", source=changed(
    MERGED, ("np.exp(", "np.exp2(")))


wrong("merged", "no_difference", "The new m is not taken off in the exponent: each sum is multiplied by exp(old m - new m).", source=changed(
    MERGED, ("np.exp(m_a - m), np.exp(m_b - m)", "np.exp(m_a), np.exp(m_b)")))
wrong("merged", "second_where_one_is_empty", "The second triple is returned here whichever is empty: return the one that has seen something.", source=changed(
    MERGED, ("    if m == -np.inf:\n        return a\n", "    if -np.inf in (m_a, m_b):\n        return b\n")))
wrong("merged", "first_where_one_is_empty", "One has seen nothing, and here nothing comes out: return the one that has seen something.", source=changed(
    MERGED, ("    if m == -np.inf:\n        return a\n", "    if -np.inf in (m_a, m_b):\n        return a\n")))
wrong("merged", "zeros_where_one_is_empty", "One has seen nothing, and here nothing comes out: return the one that has seen something.", source=changed(
    MERGED, ("    if m == -np.inf:\n        return a\n", "    if -np.inf in (m_a, m_b):\n        return -np.inf, 0.0, 0.0 * acc_a\n")))


wrong("merged", "in_place_in_one_branch", "`+=` changes the array that came in: make a new one.", source="""
def merged(a, b):
    (ma, la, va), (mb, lb, vb) = a, b
    if ma == -np.inf:
        return b
    if mb == -np.inf:
        return a
    if mb > ma:
        f = np.exp(ma - mb)
        return mb, f * la + lb, f * va + vb
    f = np.exp(mb - ma)
    va += f * vb
    return ma, la + f * lb, va
""")
wrong("merged", "as_if_b_were_larger", "The first sum is multiplied by exp(its m - the second m), also where the first m is the larger: take both to the larger one.", source="""
def merged(a, b):
    (ma, la, va), (mb, lb, vb) = a, b
    if mb == -np.inf:
        return a
    by = np.exp(ma - mb)
    return max(ma, mb), la * by + lb, va * by + vb
""")
AVERAGE = "`acc` is taken for an average here, weighted by `l` and divided again. It is a sum already: bring it to the new m, and add."
wrong("merged", "acc_as_an_average", AVERAGE, source=changed(
    MERGED, ("acc_a * by_a + acc_b * by_b", "(acc_a * l_a * by_a + acc_b * l_b * by_b) / (l_a * by_a + l_b * by_b)")))
wrong("merged", "acc_as_an_average_without_factors", AVERAGE, source=changed(
    MERGED, ("acc_a * by_a + acc_b * by_b", "(acc_a * l_a + acc_b * l_b) / (l_a * by_a + l_b * by_b)")))
wrong("merged", "one_factor_for_both", "Both sums are multiplied by the factor of the smaller m. The one with the larger m stays as it is.", source=changed(
    MERGED, ("by_a, by_b = np.exp(m_a - m), np.exp(m_b - m)", "by_a = by_b = np.exp(min(m_a, m_b) - m)")))
wrong("merged", "equal_ones", "Where both have the same m, one of them is forgotten here. Their sums are added up.", source="""
def merged(a, b):
    (ma, la, va), (mb, lb, vb) = a, b
    if ma == -np.inf:
        return b
    if ma > mb:
        return ma, la + lb * np.exp(mb - ma), va + vb * np.exp(mb - ma)
    if mb > ma:
        return mb, lb + la * np.exp(ma - mb), vb + va * np.exp(ma - mb)
    return a
""")
wrong("merged", "zero_is_empty", "A largest score of 0 counts as nothing seen here: only -inf says that.", source=changed(
    MERGED, ("    m = max(m_a, m_b)\n", "    if not m_a:\n        return b\n    if not m_b:\n        return a\n    m = max(m_a, m_b)\n")))
wrong("merged", "m_added_up", "The two m are added up here: the largest score of both pieces is the larger of the two.", source=changed(
    MERGED, ("m = max(m_a, m_b)", "m = m_a + m_b")))
wrong("merged", "through_the_logarithm", "exp of a score of thousands is inf, and of one far below 0 it is 0: take exp of differences from the larger m alone.", source=changed(
    MERGED, ("    by_a, by_b =", "    if 0 in (l_a, l_b):\n        return b if l_a == 0 else a\n    by_a, by_b ="), ("l_a * by_a + l_b * by_b,", "np.exp(np.log(np.exp(m_a) * l_a + np.exp(m_b) * l_b) - m),")))


@right("merged", "larger_first")
def merged(a, b):
    if a[0] < b[0]:
        a, b = b, a
    if b[1] == 0:
        return a
    by = np.exp(b[0] - a[0])
    return a[0], a[1] + by * b[1], a[2] + by * b[2]


@right("merged", "one_sum")
def merged(a, b):
    m = np.maximum(a[0], b[0])
    sums, accs = 0.0, 0.0 * a[2]
    for m_old, l, acc in (a, b):
        by = np.exp(m_old - m) if l else 0.0
        sums, accs = sums + by * l, accs + by * acc
    return float(m), float(sums), accs


@wrong("merged", "zeros_were_not_seen", "A piece whose values are all 0 has been seen, too: its l counts.")
def merged(a, b):
    if not np.any(a[2]):
        return b
    if not np.any(b[2]):
        return a
    m = max(a[0], b[0])
    by_a, by_b = np.exp(a[0] - m), np.exp(b[0] - m)
    return m, a[1] * by_a + b[1] * by_b, a[2] * by_a + b[2] * by_b


@wrong("merged", "low_is_empty", "Below -10,000 a piece counts as one that has seen nothing. Only -inf says that.")
def merged(a, b):
    if a[0] < -1e4:
        return b
    if b[0] < -1e4:
        return a
    m = max(a[0], b[0])
    by_a, by_b = np.exp(a[0] - m), np.exp(b[0] - m)
    return m, a[1] * by_a + b[1] * by_b, a[2] * by_a + b[2] * by_b
