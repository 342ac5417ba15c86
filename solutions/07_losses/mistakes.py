"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 07_losses`) and they diagnose: a student's answer that behaves like one of
these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the functions
use (np, math, sigmoid, CONTRIBUTED) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import changed, right, wrong

# -- gaussian_nll -----------------------------------------------------------------------------------------------------

BELL = """
def gaussian_nll(prediction, target, sigma):
    away = (target - prediction) / sigma
    return (away**2 / 2 + np.log(sigma * np.sqrt(2 * np.pi))).mean()
"""


@wrong(
    "gaussian_nll",
    "log_of_one_over_the_density",
    "You took an exp, and the logarithm of it. Far from the prediction exp is too large, and overflows. On paper the two cancel.",
)
def gaussian_nll(prediction, target, sigma):
    away = (target - prediction) / sigma
    return np.log(np.exp(away**2 / 2) * sigma * np.sqrt(2 * np.pi)).mean()


@wrong(
    "gaussian_nll",
    "log_of_the_density",
    "You took the logarithm of the density, or of its exp. Far from the prediction that is 0 in floating point, and the logarithm is lost.",
)
def gaussian_nll(prediction, target, sigma):
    density = np.exp(-((target - prediction) ** 2) / (2 * sigma**2)) / (sigma * np.sqrt(2 * np.pi))
    return -np.log(density).mean()


wrong(
    "gaussian_nll",
    "no_minus",
    "This is the log-likelihood, which is large where the model is good. A loss is its negative.",
    source=changed(BELL, ("return (", "return -(")),
)
wrong(
    "gaussian_nll",
    "sum",
    "You added up over the elements. The loss is their mean.",
    source=changed(BELL, (".mean()", ".sum()")),
)
wrong(
    "gaussian_nll",
    "sum_over_rows",
    "With two axes you divided by the number of rows, or of columns. The mean is over all elements.",
    source=changed(BELL, (".mean()", ".sum() / len(target)")),
)


@wrong(
    "gaussian_nll",
    "no_constant",
    "Here 0.919 is missing, the logarithm of the square root of 2 pi: what stands in front of exp has disappeared, or a part of it. Its logarithm belongs to the sum.",
)
def gaussian_nll(prediction, target, sigma):
    return (((target - prediction) / sigma) ** 2 / 2).mean()


@wrong(
    "gaussian_nll",
    "no_log_sigma",
    "The width in front of exp has disappeared: a wide bell is a low one, and log(sigma) says so.",
)
def gaussian_nll(prediction, target, sigma):
    return (((target - prediction) / sigma) ** 2 / 2).mean() + np.log(np.sqrt(2 * np.pi))


@wrong(
    "gaussian_nll",
    "sigma_not_squared",
    "In the exponent, the distance is squared and the width too. You divided by the width once.",
)
def gaussian_nll(prediction, target, sigma):
    return ((target - prediction) ** 2 / (2 * sigma) + np.log(sigma * np.sqrt(2 * np.pi))).mean()


wrong(
    "gaussian_nll",
    "no_half",
    "The exponent has a 2 under the line, which has got lost.",
    source=changed(BELL, ("away**2 / 2", "away**2")),
)
wrong(
    "gaussian_nll",
    "no_root",
    "The logarithm of a square root is half the logarithm. You used 2 pi without its root.",
    source=changed(BELL, ("np.sqrt(2 * np.pi)", "2 * np.pi")),
)
wrong(
    "gaussian_nll",
    "square_negative",
    "The square has a minus. It stood in the exponent with one, and the loss is minus the logarithm: they cancel.",
    source=changed(BELL, ("away**2", "-(away**2)")),
)
wrong(
    "gaussian_nll",
    "front_negative",
    "The square is right, and the 0.919 of the root of 2 pi has the wrong sign. The root stands under the line, and the loss has a minus: together that makes a plus.",
    source=changed(BELL, ("+ np.log", "- np.log")),
)
wrong(
    "gaussian_nll",
    "log_sigma_negative",
    "log(sigma) has the wrong sign: a wider bell is lower, so what was measured at its peak is less probable.",
    source=changed(BELL, ("+ np.log(sigma * ", "- np.log(sigma) + np.log(")),
)


@wrong(
    "gaussian_nll",
    "in_place",
    "The loss is right, and an array that you were given was changed: `-=`, `[:] =` and `out=` write into it.",
)
def gaussian_nll(prediction, target, sigma):
    target -= prediction
    target /= sigma
    return (target**2 / 2 + np.log(sigma * np.sqrt(2 * np.pi))).mean()


@wrong(
    "gaussian_nll",
    "square_multiplied_out",
    "You multiplied the square out. Of large numbers that lie close together the digits that count are lost then: subtract first, and square the difference.",
)
def gaussian_nll(prediction, target, sigma):
    square = prediction**2 - 2 * prediction * target + target**2
    return (square / (2 * sigma**2) + np.log(sigma * np.sqrt(2 * np.pi))).mean()


wrong(
    "gaussian_nll",
    "no_mean",
    "The value is right here, and it comes in an array: the mean over all elements is missing, or it has kept an axis.",
    source=changed(BELL, (".mean()", "")),
)


@wrong(
    "gaussian_nll",
    "no_mean_no_half",
    "Two things: an array comes out, where the mean over all elements makes one number; and the exponent has a 2 under the line, which has got lost.",
)
def gaussian_nll(prediction, target, sigma):
    return ((target - prediction) / sigma) ** 2 + np.log(2 * np.pi * sigma**2) / 2


@wrong(
    "gaussian_nll",
    "no_mean_no_constant",
    "Two things: an array comes out, where the mean over all elements makes one number; and 0.919 is missing, the logarithm of the square root of 2 pi.",
)
def gaussian_nll(prediction, target, sigma):
    return ((target - prediction) / sigma) ** 2 / 2


wrong(
    "gaussian_nll",
    "sum_of_squares",
    "The squares of all elements are added up. The loss is a mean: of the squares, too.",
    source=changed(BELL, ("away**2 / 2 +", "away**2 / 2).sum() +"), (").mean()", "")),
)


@right("gaussian_nll", "term_by_term")
def gaussian_nll(prediction, target, sigma):
    squares = (prediction - target) ** 2
    return np.mean(squares) / (2 * sigma**2) + math.log(sigma) + 0.5 * math.log(2 * math.pi)


@right("gaussian_nll", "a_loop")
def gaussian_nll(prediction, target, sigma):
    total = 0.0
    for mu, y in zip(prediction.ravel(), target.ravel()):
        total += (y - mu) ** 2 / (2 * sigma**2) + math.log(sigma * math.sqrt(2 * math.pi))
    return total / target.size


wrong("gaussian_nll", "sigma_under_the_root", "sigma stands under the root here, beside 2 pi, and so half of its logarithm is missing: the bell is divided by sigma times the root of 2 pi.",
      source=changed(BELL, ("np.log(sigma * np.sqrt(2 * np.pi))", "np.log(np.sqrt(2 * np.pi * sigma))")))


wrong(
    "gaussian_nll",
    "a_little_in_the_log",
    "Far from the prediction the loss stays at 27.6, which is -log(1e-12): a small number was added to the density, or is its lower limit. Take the logarithm of the formula on paper, and no density is needed.",
    source="""
def gaussian_nll(prediction, target, sigma):
    density = np.exp(-((target - prediction) ** 2) / (2 * sigma**2)) / (sigma * np.sqrt(2 * np.pi))
    return -np.log(density + 1e-12).mean()
""",
)


# -- mse_rule ---------------------------------------------------------------------------------------------------------


@wrong("mse_rule", "no_two", "This is half of what it should be. The slope of a square is twice what is squared: is the 2 missing?")
def mse_rule(g, out, prediction, target):
    return (g * (prediction - target) / prediction.size,)


@wrong(
    "mse_rule",
    "no_mean",
    "This is the rule of a sum. In a mean, each element has only a share of the result.",
)
def mse_rule(g, out, prediction, target):
    return (2 * g * (prediction - target),)


@wrong(
    "mse_rule",
    "rows_only",
    "You divided by the number of rows, which is what len gives. The mean is over all elements.",
)
def mse_rule(g, out, prediction, target):
    return (2 * g * (prediction - target) / len(prediction),)


@wrong(
    "mse_rule",
    "sign",
    "The sign is turned around: where the prediction is too large, raising it makes the loss larger.",
)
def mse_rule(g, out, prediction, target):
    return (2 * g * (target - prediction) / prediction.size,)


@wrong("mse_rule", "no_upstream", "These are the slopes of the loss. The chain rule multiplies them by g.")
def mse_rule(g, out, prediction, target):
    return (2 * (prediction - target) / prediction.size,)


@wrong(
    "mse_rule",
    "averaged",
    "One number comes back for all elements: their slopes were added up, or averaged. Each has a slope of its own: the result has the shape of prediction.",
)
def mse_rule(g, out, prediction, target):
    return (g * (2 * (prediction - target)).mean(),)


@wrong(
    "mse_rule", "two_results", "You sent back a cotangent for the target too. It is a constant: a tuple of one."
)
def mse_rule(g, out, prediction, target):
    grad = 2 * g * (prediction - target) / prediction.size
    return grad, -grad


@wrong("mse_rule", "no_tuple", "Rules send back a tuple, one cotangent for each input: here a tuple of one.")
def mse_rule(g, out, prediction, target):
    return 2 * g * (prediction - target) / prediction.size


@wrong(
    "mse_rule",
    "in_place",
    "The numbers are right, and an array that you were given was changed: `-=`, `[:] =` and `out=` write into it.",
)
def mse_rule(g, out, prediction, target):
    prediction -= target
    return (2 * g * prediction / prediction.size,)


@wrong("mse_rule", "zero_for_none", "Where g is 0, nothing is sent back: the cotangent is 0 everywhere. Here g counts as 1 then: in Python 0.0 is taken as False, as in `g or 1.0` and in `if not g`.")
def mse_rule(g, out, prediction, target):
    g = g or 1.0
    return (g * 2 * (prediction - target) / prediction.size,)


@wrong("mse_rule", "cut_off", "Large distances are cut off, so that a prediction far off gets too small a gradient. The slope of a square has no limit.")
def mse_rule(g, out, prediction, target):
    away = np.clip(prediction - target, -100, 100)
    return (2 * g * away / away.size,)


@wrong(
    "mse_rule",
    "two_axes_at_most",
    "You divided by rows times columns. There may be more axes: `prediction.size` counts all elements.",
)
def mse_rule(g, out, prediction, target):
    n = len(prediction) if prediction.ndim == 1 else prediction.shape[0] * prediction.shape[1]
    return (2 * g * (prediction - target) / n,)


@right("mse_rule", "shape")
def mse_rule(g, out, prediction, target):
    return (g * (np.ones(prediction.shape) / np.prod(prediction.shape)) * 2 * (prediction - target),)


@right("mse_rule", "a_loop")
def mse_rule(g, out, prediction, target):
    grad = np.zeros_like(prediction)
    for place in np.ndindex(grad.shape):
        grad[place] = g * 2 * (prediction[place] - target[place]) / grad.size
    return (grad,)


@wrong("mse_rule", "by_columns", "You divided by the length of the last axis, the number of columns. The mean is over all elements: `prediction.size`.")
def mse_rule(g, out, prediction, target):
    return (2 * g * (prediction - target) / prediction.shape[-1],)


@wrong("mse_rule", "loss_for_distance", "One number comes back, made of the loss itself. Each element has a slope of its own, made of its own distance prediction - target.")
def mse_rule(g, out, prediction, target):
    return (2 * g * out / prediction.size,)


@wrong("mse_rule", "distance_without_sign", "The distances have lost their sign, as through `abs`. Where the prediction is too small, raising it makes the loss smaller: that slope is negative.")
def mse_rule(g, out, prediction, target):
    return (2 * g * abs(prediction - target) / prediction.size,)


# -- softmax ----------------------------------------------------------------------------------------------------------


FAR_FROM_0 = "Logits far from 0 go into exp: near 10,000 it overflows, or near -10,000 all of a row become 0. "


@wrong("softmax", "no_shift", FAR_FROM_0 + "Make the largest exponent of each row 0 first, whatever its sign is.")
def softmax(logits):
    e = np.exp(logits)
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax", "positive_rows_only", FAR_FROM_0 + "Make the largest exponent of each row 0 first, whatever its sign is.")
def softmax(logits):
    e = np.exp(logits - np.maximum(logits.max(axis=-1, keepdims=True), 0))
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "softmax",
    "one_maximum",
    "What was taken off is not the largest logit of the row: one number for the whole array, perhaps, the largest size, or a sum; or it was added. Then a row is 0 / 0, or exp overflows.",
)
def softmax(logits):
    e = np.exp(logits - logits.max())
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "softmax",
    "not_the_largest",
    "exp overflows here, though something was taken off, such as the mean of the row. With the largest logit of each row, no exponent is above 0.",
)
def softmax(logits):
    e = np.exp(logits - logits.mean(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "softmax",
    "one_sum",
    "You divided by the sum of the whole array. The probabilities of each row add up to 1.",
)
def softmax(logits):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return e / e.sum()


@wrong(
    "softmax",
    "first_axis",
    "You worked along the first axis, down the columns. The classes lie along the last one.",
)
def softmax(logits):
    e = np.exp(logits - logits.max(axis=0, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)


@wrong(
    "softmax",
    "second_axis",
    "axis=1 is the last axis of a matrix only. A single row has no such axis: -1 means the last one, always.",
)
def softmax(logits):
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@wrong(
    "softmax",
    "no_keepdims",
    "Without keepdims the axis of the classes is gone, and a number per row does not fit the rows any more.",
)
def softmax(logits):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1)


@wrong("softmax", "no_exp", "You divided the logits by their sum. exp comes first: it makes them positive.")
def softmax(logits):
    return logits / logits.sum(axis=-1, keepdims=True)


@wrong(
    "softmax",
    "divided_by_the_maximum",
    "You divided the logits by the largest one. That changes their differences; subtracting does not.",
)
def softmax(logits):
    e = np.exp(logits / logits.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "softmax",
    "in_place",
    "The caller's logits were changed: `-=` and `out=` do that. Subtract into a new array.",
)
def softmax(logits):
    logits -= logits.max(axis=-1, keepdims=True)
    e = np.exp(logits)
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "softmax",
    "clipped",
    "You cut the logits off to avoid the overflow. Then logits of 10,000 and 10,001 look equal. Shift them instead.",
)
def softmax(logits):
    e = np.exp(np.clip(logits, -500, 500))
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "softmax",
    "clipped_just_enough",
    "You cut the logits off to avoid the overflow. Then logits of 10,000 and 10,001 look equal. Shift them instead.",
)
def softmax(logits):
    e = np.exp(np.clip(logits, -700, 700))
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "softmax",
    "two_axes_at_most",
    "This is right for one row and for a matrix. With more axes the classes still lie along the last one: -1.",
)
def softmax(logits):
    axis = 0 if logits.ndim == 1 else 1
    e = np.exp(logits - logits.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong(
    "softmax",
    "shift_if_beyond_700",
    "You shift only logits beyond some limit. exp overflows above 709 in float64, and above 88 in float32: shift always.",
)
def softmax(logits):
    if np.abs(logits).max() > 700:
        logits = logits - logits.max(axis=-1, keepdims=True)
    e = np.exp(logits)
    return e / e.sum(axis=-1, keepdims=True)


@right("softmax", "row_by_row")
def softmax(logits):
    if logits.ndim == 1:
        e = np.exp(logits - max(logits))
        return e / sum(e)
    return np.array([softmax(row) for row in logits])


@right("softmax", "through_logaddexp")
def softmax(logits):
    return np.exp(logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True))


@wrong(
    "softmax",
    "in_whole_numbers",
    "The result takes the type of the logits: where these are whole numbers, probabilities become 0 or 1.",
)
def softmax(logits):
    out = np.empty_like(logits)
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    out[...] = e / e.sum(axis=-1, keepdims=True)
    return out


@wrong(
    "softmax",
    "shifted_and_clipped",
    "Very improbable classes get too much, as when logits are cut off below some limit after the shift. There the largest is 0, so nothing overflows: it works without a limit.",
)
def softmax(logits):
    z = np.maximum(logits - logits.max(axis=-1, keepdims=True), -30)
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


TURNED = "Logits that lie in memory column by column, as after a transposition, go wrong here. Of such an array `reshape` and `ravel` may be copies: what is written into them does not arrive."
IN_WHOLE_NUMBERS = "Where the logits are whole numbers, what comes out are whole numbers, too, as when it is written into an array of their type: the places behind the point are lost."


@wrong("softmax", "a_copy_is_filled", TURNED)
def softmax(logits):
    out = np.zeros_like(logits, dtype=float)
    rows = out.reshape(-1, logits.shape[-1])
    for k, row in enumerate(logits.reshape(rows.shape)):
        e = np.exp(row - row.max())
        rows[k] = e / e.sum()
    return out


@wrong("softmax", "sum_before_exp", "Under the line stands the sum of the shifted logits. It has to be the sum of their exp, so that each row adds up to 1.")
def softmax(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.exp(shifted) / shifted.sum(axis=-1, keepdims=True)


@wrong("softmax", "shifted_above_the_line_only", "The largest logit is taken off above the line and not under it, so that a row does not add up to 1. Divide by the sum of the same exp that stands above.")
def softmax(logits):
    m = logits.max(axis=-1, keepdims=True)
    return np.exp(logits - m) / np.exp(logits).sum(axis=-1, keepdims=True)


@wrong("softmax", "loop_over_the_first_axis", "In a single row each logit counts as a row of its own, as in a loop over `logits`, and so each gets the probability 1. With axis=-1 and keepdims no loop is needed, however many axes there are.")
def softmax(logits):
    rows = []
    for row in logits:
        e = np.exp(row - row.max())
        rows.append(e / e.sum())
    return np.array(rows)


@wrong("softmax", "exp_into_whole_numbers", "Logits that are whole numbers stop it: a copy of them is an array of whole numbers, into which `out=`, `-=` and `/=` cannot write floats. Let exp and the division make new arrays.")
def softmax(logits):
    e = logits.copy()
    e -= e.max(axis=-1, keepdims=True)
    np.exp(e, out=e)
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax", "exp_cut_off", "Where the logits are whole numbers, exp was written into an array of whole numbers, and its places behind the point are lost. Let exp make a new array.")
def softmax(logits):
    e = np.empty_like(logits)
    e[...] = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# -- logsumexp --------------------------------------------------------------------------------------------------------


@wrong("logsumexp", "no_shift", FAR_FROM_0 + "Take the largest of each row out first, whatever its sign is.")
def logsumexp(logits):
    return np.log(np.exp(logits).sum(axis=-1))


@wrong("logsumexp", "positive_rows_only", FAR_FROM_0 + "Take the largest of each row out first, whatever its sign is.")
def logsumexp(logits):
    m = np.maximum(logits.max(axis=-1, keepdims=True), 0)
    return m[..., 0] + np.log(np.exp(logits - m).sum(axis=-1))


@wrong(
    "logsumexp",
    "not_undone",
    "You subtracted the maximum and did not add it again behind the logarithm.",
)
def logsumexp(logits):
    m = logits.max(axis=-1, keepdims=True)
    return np.log(np.exp(logits - m).sum(axis=-1))


@wrong(
    "logsumexp",
    "one_maximum",
    "What was taken off is not the largest logit of the row: one number for the whole array, perhaps, the largest size, or a sum; or it was added. Then the sum is 0, and its logarithm lost, or exp overflows.",
)
def logsumexp(logits):
    m = logits.max()
    return m + np.log(np.exp(logits - m).sum(axis=-1))


@wrong(
    "logsumexp",
    "axis_kept",
    "The axis of the classes is still there, with length 1. The result has one number per row: (4, 3) becomes (4,).",
)
def logsumexp(logits):
    m = logits.max(axis=-1, keepdims=True)
    return m + np.log(np.exp(logits - m).sum(axis=-1, keepdims=True))


@wrong(
    "logsumexp",
    "squeezed",
    "Of a batch of one row a single number comes out, as from `squeeze` without an axis. Only the last axis goes: (1, 3) becomes (1,).",
)
def logsumexp(logits):
    m = logits.max(axis=-1, keepdims=True)
    return (m + np.log(np.exp(logits - m).sum(axis=-1, keepdims=True))).squeeze()


@wrong(
    "logsumexp",
    "column_met_row",
    "A column of maxima met a row of logarithms, and broadcasting made a square of them. Take the axis off m.",
)
def logsumexp(logits):
    m = logits.max(axis=-1, keepdims=True)
    return m + np.log(np.exp(logits - m).sum(axis=-1))


@wrong(
    "logsumexp",
    "first_axis",
    "You worked along the first axis, down the columns. The classes lie along the last one.",
)
def logsumexp(logits):
    m = logits.max(axis=0)
    return m + np.log(np.exp(logits - m).sum(axis=0))


@wrong(
    "logsumexp",
    "added_inside",
    "You added the maximum before the logarithm. Taken out of exp it is a factor, and behind the log a term.",
)
def logsumexp(logits):
    m = logits.max(axis=-1, keepdims=True)
    return np.log(m[..., 0] + np.exp(logits - m).sum(axis=-1))


@wrong("logsumexp", "no_log", "This is a sum, without its logarithm.")
def logsumexp(logits):
    m = logits.max(axis=-1, keepdims=True)
    return m[..., 0] + np.exp(logits - m).sum(axis=-1)


@wrong(
    "logsumexp",
    "only_the_maximum",
    "This is the hard maximum. The others add a little: the logarithm of the shifted sum.",
)
def logsumexp(logits):
    return logits.max(axis=-1)


@wrong(
    "logsumexp",
    "subtracted_again",
    "The maximum was subtracted before exp, and once more behind the logarithm. There it has to be added.",
)
def logsumexp(logits):
    m = logits.max(axis=-1, keepdims=True)
    return np.log(np.exp(logits - m).sum(axis=-1)) - m[..., 0]


@wrong(
    "logsumexp",
    "first_row_of_m",
    "m[0] is the maximum of the first row. Every row has its own, and what goes is the last axis: m[..., 0].",
)
def logsumexp(logits):
    m = logits.max(axis=-1, keepdims=True)
    return m[0] + np.log(np.exp(logits - m).sum(axis=-1))


@wrong(
    "logsumexp",
    "second_axis_of_m",
    "A second axis is asked for, as in m[:, 0], and a single row has none. The dots of m[..., 0] stand for all axes in front.",
)
def logsumexp(logits):
    m = logits.max(axis=-1, keepdims=True)
    return m[:, 0] + np.log(np.exp(logits - m).sum(axis=-1))


@wrong(
    "logsumexp",
    "in_place",
    "The caller's logits were changed: `-=` and `out=` do that. Subtract into a new array.",
)
def logsumexp(logits):
    m = logits.max(axis=-1, keepdims=True)
    logits -= m
    return m[..., 0] + np.log(np.exp(logits).sum(axis=-1))


@wrong(
    "logsumexp",
    "shift_if_beyond_700",
    "You shift only logits beyond some limit. exp overflows above 709 in float64, and above 88 in float32: shift always.",
)
def logsumexp(logits):
    if np.abs(logits).max() < 700:
        return np.log(np.exp(logits).sum(axis=-1))
    m = logits.max(axis=-1, keepdims=True)
    return m[..., 0] + np.log(np.exp(logits - m).sum(axis=-1))


@right("logsumexp", "through_logaddexp")
def logsumexp(logits):
    return np.logaddexp.reduce(logits, axis=-1)


@right("logsumexp", "with_squeeze")
def logsumexp(logits):
    m = np.max(logits, axis=-1)
    shifted = logits - np.expand_dims(m, -1)
    return np.log(np.sum(np.exp(shifted), axis=-1)) + m


@wrong(
    "logsumexp",
    "first_logit",
    "exp overflows here, though something was taken off, such as the first logit of the row, or the mean. With the largest of each row, no exponent is above 0.",
)
def logsumexp(logits):
    m = logits[..., :1]
    return m[..., 0] + np.log(np.exp(logits - m).sum(axis=-1))


@wrong("logsumexp", "in_whole_numbers", IN_WHOLE_NUMBERS)
def logsumexp(logits):
    m = np.array(logits.max(axis=-1))
    m[...] = m + np.log(np.exp(logits - m[..., None]).sum(axis=-1))
    return m


@wrong("logsumexp", "ties_count_once", "Of several equally large logits only one counts, as where the 1 in `log1p` stands for the largest. Sum exp(z - m) over all of the row.")
def logsumexp(logits):
    m = logits.max(axis=-1, keepdims=True)
    others = np.where(logits < m, np.exp(logits - m), 0.0)
    return m[..., 0] + np.log1p(others.sum(axis=-1))


@wrong("logsumexp", "log_inside_the_sum", "The logarithm is taken of each exp and undoes it, so that the shifted logits themselves are added up. First the sum, then its logarithm.")
def logsumexp(logits):
    m = logits.max(axis=-1, keepdims=True)
    return m[..., 0] + np.log(np.exp(logits - m)).sum(axis=-1)


FIRST_ROW = "Of several rows only the first one's result comes back, as `[0]` picks it. Each row has a result: `[..., 0]` takes the last axis off, and leaves the others."


@wrong("logsumexp", "first_row_only", FIRST_ROW)
def logsumexp(logits):
    m = logits.max(axis=-1, keepdims=True)
    return (m + np.log(np.exp(logits - m).sum(axis=-1, keepdims=True)))[0]


@wrong("logsumexp", "first_result_only", FIRST_ROW)
def logsumexp(logits):
    m = logits.max(axis=-1, keepdims=True)
    return (m[..., 0] + np.log(np.exp(logits - m).sum(axis=-1)))[0]


# -- softmax_jacobian -------------------------------------------------------------------------------------------------


@wrong(
    "softmax_jacobian",
    "diagonal_only",
    "The slopes of each probability by its own logit are right. By the other logits they are not 0: the sum stays 1.",
)
def softmax_jacobian(S):
    return np.diag(S * (1 - S))


@wrong(
    "softmax_jacobian",
    "a_vector",
    "There is a slope for each pair, a matrix. You returned one number per class.",
)
def softmax_jacobian(S):
    return S * (1 - S)


@wrong(
    "softmax_jacobian",
    "squares",
    "Beside the diagonal every row holds the same squares. Each pair has its own product S_i * S_j: S_i goes along the rows, as `S[:, None]` does, S_j along the columns.",
)
def softmax_jacobian(S):
    return np.diag(S) - S * S


@wrong(
    "softmax_jacobian",
    "plus",
    "You added the products. When one logit rises, the other probabilities fall.",
)
def softmax_jacobian(S):
    return np.diag(S) + np.outer(S, S)


@wrong(
    "softmax_jacobian",
    "no_factor",
    "delta - S_j is the slope of the logarithm of S_i. The factor S_i in front of the bracket is missing.",
)
def softmax_jacobian(S):
    return np.eye(len(S)) - S


@wrong(
    "softmax_jacobian",
    "identity",
    "The diagonal should hold S before the products go off, and yours holds ones.",
)
def softmax_jacobian(S):
    return np.eye(len(S)) - np.outer(S, S)


@wrong(
    "softmax_jacobian",
    "delta_of_1",
    "You took δ as 1 for every pair. It is 1 on the diagonal only, and 0 elsewhere.",
)
def softmax_jacobian(S):
    return S[:, None] * (1 - S)


@wrong(
    "softmax_jacobian",
    "three_classes",
    "You took it that there are three classes. How many there are, `len(S)` says.",
)
def softmax_jacobian(S):
    return S[:, None] * (np.eye(3) - S)


@wrong("softmax_jacobian", "inner", "S @ S is a single number. All products of two entries make a matrix.")
def softmax_jacobian(S):
    return np.diag(S) - S @ S


@wrong("softmax_jacobian", "sign", "All signs are turned around: a class gains from its own logit.")
def softmax_jacobian(S):
    return np.outer(S, S) - np.diag(S)


@wrong(
    "softmax_jacobian",
    "divided_by_S",
    "You divide by S, and a probability may be 0: then this is no number. The formula for J has no quotient.",
)
def softmax_jacobian(S):
    with np.errstate(all="ignore"):
        return np.outer(S, S) * (np.eye(len(S)) / S - 1)


@right("softmax_jacobian", "two_loops")
def softmax_jacobian(S):
    n = len(S)
    J = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            J[i, j] = S[i] * ((1 if i == j else 0) - S[j])
    return J


@right("softmax_jacobian", "a_list_of_lists")
def softmax_jacobian(S):
    rows = []
    for i in range(len(S)):
        rows.append([S[i] * ((i == j) - S[j]) for j in range(len(S))])
    return rows


@right("softmax_jacobian", "by_broadcasting")
def softmax_jacobian(S):
    return S[:, None] * (np.eye(S.size) - S[None, :])


@wrong("softmax_jacobian", "S_for_the_products", "From each row S itself is taken off. What goes off is the product S_i * S_j of each pair: `np.outer(S, S)`.")
def softmax_jacobian(S):
    return np.diag(S) - S


@wrong("softmax_jacobian", "diagonal_without_the_product", "The diagonal holds S_i, and the rest is right. On the diagonal, too, a product goes off: S_i - S_i * S_i.")
def softmax_jacobian(S):
    J = -np.outer(S, S)
    J[np.arange(len(S)), np.arange(len(S))] = S
    return J


@wrong("softmax_jacobian", "delta_of_0", "All entries are -S_i * S_j, as if δ were 0 for each pair. On the diagonal it is 1, and S_i is added there.")
def softmax_jacobian(S):
    return -np.outer(S, S)


@wrong("softmax_jacobian", "softmax_once_more", "S was put through softmax first. It holds the probabilities already: use it as it is.")
def softmax_jacobian(S):
    S = np.exp(S) / np.exp(S).sum()
    return np.diag(S) - np.outer(S, S)


@wrong("softmax_jacobian", "loops_to_three", "With two classes a place is asked for that is not there, as in loops over `range(3)`. How many classes there are, `len(S)` says.")
def softmax_jacobian(S):
    J = np.zeros((len(S), len(S)))
    for i in range(3):
        for j in range(3):
            J[i, j] = S[i] * ((i == j) - S[j])
    return J


@wrong("softmax_jacobian", "in_place", "The Jacobian is right, and S was changed: `-=`, `*=`, `[:] =` and `out=` write into it. Make a new array.")
def softmax_jacobian(S):
    J = -np.outer(S, S)
    S *= 1 - S
    np.fill_diagonal(J, S)
    return J


@wrong("softmax_jacobian", "one_row_n_times", "All rows are the same here, namely the last: a list times n holds one and the same row n times. Make a row of its own for each.")
def softmax_jacobian(S):
    n = len(S)
    J = [[0.0] * n] * n
    for i in range(n):
        for j in range(n):
            J[i][j] = S[i] * ((i == j) - S[j])
    return np.array(J)


@wrong("softmax_jacobian", "diagonal_twice", "The diagonal is S[i] - 2 * S[i]**2: the product of S[i] with itself is subtracted twice, as where np.triu and np.tril both contain the diagonal.")
def softmax_jacobian(S):
    above = np.triu(-np.outer(S, S))
    below = np.tril(-np.outer(S, S))
    return np.diag(S) + above + below


# -- softmax_rule -----------------------------------------------------------------------------------------------------


@wrong(
    "softmax_rule",
    "diagonal_only",
    "You used the slope of each probability by its own logit only. A logit moves the other probabilities too.",
)
def softmax_rule(g, out, logits):
    return (g * out * (1 - out),)


@wrong(
    "softmax_rule",
    "one_average",
    "You took one sum over the whole array. Rows have nothing to do with each other: a sum per row.",
)
def softmax_rule(g, out, logits):
    return (out * (g - (g * out).sum()),)


@wrong(
    "softmax_rule",
    "first_axis",
    "The sum runs down the columns. The classes of one example lie along the last axis.",
)
def softmax_rule(g, out, logits):
    return (out * (g - (g * out).sum(axis=0, keepdims=True)),)


@wrong(
    "softmax_rule",
    "plain_sum",
    "You subtracted the plain sum of g. In the sum over i, each g comes with its probability.",
)
def softmax_rule(g, out, logits):
    return (out * (g - g.sum(axis=-1, keepdims=True)),)


@wrong(
    "softmax_rule",
    "plain_mean",
    "You subtracted the plain mean of g. In the sum over i, each g comes with its probability.",
)
def softmax_rule(g, out, logits):
    return (out * (g - g.mean(axis=-1, keepdims=True)),)


@wrong(
    "softmax_rule",
    "no_factor_in_the_second_part",
    "The second part has lost its S_j: it stands in front of the sum, not in it.",
)
def softmax_rule(g, out, logits):
    return (g * out - (g * out).sum(axis=-1, keepdims=True),)


@wrong(
    "softmax_rule",
    "first_part_only",
    "This is the part with delta. The other part, the same sum for all logits of a row, is missing.",
)
def softmax_rule(g, out, logits):
    return (g * out,)


@wrong("softmax_rule", "plus", "The two parts are subtracted: the formula for J has a minus.")
def softmax_rule(g, out, logits):
    return (out * (g + (g * out).sum(axis=-1, keepdims=True)),)


@wrong(
    "softmax_rule",
    "logits_for_probabilities",
    "You used the logits where the probabilities belong. They are among the arguments: out.",
)
def softmax_rule(g, out, logits):
    return (logits * (g - (g * logits).sum(axis=-1, keepdims=True)),)


@wrong(
    "softmax_rule",
    "log_softmax",
    "This is the rule of log_softmax. For softmax, each g comes with its probability in both parts.",
)
def softmax_rule(g, out, logits):
    return (g - out * g.sum(axis=-1, keepdims=True),)


@wrong("softmax_rule", "in_place", "The numbers are right, but an array that was given was written into, and others still need it: `-=`, `*=` and `out=` do that.")
def softmax_rule(g, out, logits):
    g -= (g * out).sum(axis=-1, keepdims=True)
    return (out * g,)


@wrong("softmax_rule", "no_tuple", "Rules send back a tuple, one cotangent for each input: here a tuple of one.")
def softmax_rule(g, out, logits):
    return out * (g - (g * out).sum(axis=-1, keepdims=True))


@wrong(
    "softmax_rule",
    "no_keepdims",
    "Right for one row, and with two the shapes do not fit. Without keepdims a sum per row loses its axis; and a Jacobian "
    "is the matrix of one row only.",
)
def softmax_rule(g, out, logits):
    return (out * (g - (g * out).sum(axis=-1)),)


@wrong(
    "softmax_rule",
    "two_axes_at_most",
    "This is right for one row and for a matrix. With more axes the classes still lie along the last one: -1.",
)
def softmax_rule(g, out, logits):
    if g.ndim == 1:
        return (out * (g - (g * out).sum()),)
    return (out * (g - (g * out).sum(axis=1, keepdims=True)),)


@wrong(
    "softmax_rule",
    "row_by_row_of_two",
    "With three axes you took one sum for each matrix, over all of its rows. Rows have nothing to do with each other: each needs a sum, along the last axis.",
)
def softmax_rule(g, out, logits):
    if g.ndim == 1:
        return (out * (g - (g * out).sum()),)
    return (np.stack([S * (row - (row * S).sum()) for row, S in zip(g, out)]),)


@wrong(
    "softmax_rule",
    "the_jacobian_of_one_row",
    "Right for one row, and with two the shapes do not fit. Without keepdims a sum per row loses its axis; and a Jacobian "
    "is the matrix of one row only.",
)
def softmax_rule(g, out, logits):
    return ((np.diag(out) - np.outer(out, out)) @ g,) if out.ndim == 1 else (np.diag(out.ravel()) - out.T,)


@wrong(
    "softmax_rule",
    "mean_of_weighted",
    "You took a mean where the sum belongs. The weights S add up to 1, so that their sum is an average already.",
)
def softmax_rule(g, out, logits):
    return (out * (g - (g * out).mean(axis=-1, keepdims=True)),)


@wrong(
    "softmax_rule",
    "second_axis",
    "axis=1 is the last axis of a matrix only. A single row has no such axis: -1 means the last one, always.",
)
def softmax_rule(g, out, logits):
    return (out * (g - (g * out).sum(axis=1, keepdims=True)),)


@right("softmax_rule", "with_the_jacobian")
def softmax_rule(g, out, logits):
    flat_g, flat_S = g.reshape(-1, g.shape[-1]), out.reshape(-1, g.shape[-1])
    rows = [row @ (np.diag(S) - np.outer(S, S)) for row, S in zip(flat_g, flat_S)]
    return (np.array(rows).reshape(g.shape),)


@right("softmax_rule", "multiplied_out")
def softmax_rule(g, out, logits):
    weighted = g * out
    return (weighted - out * np.einsum("...i->...", weighted)[..., None],)


@wrong(
    "softmax_rule",
    "exp_of_the_logits",
    "exp of the logits is not yet a probability: it has to be divided by the sum of its row. The probabilities are among the arguments: out.",
)
def softmax_rule(g, out, logits):
    S = np.exp(logits)
    return (S * (g - (g * S).sum(axis=-1, keepdims=True)),)


@wrong(
    "softmax_rule",
    "exp_once_more",
    "The probabilities are computed again from the logits, with nothing taken off: exp of 1,000 is too large. They are in out.",
)
def softmax_rule(g, out, logits):
    e = np.exp(logits)
    p = e / e.sum(axis=-1, keepdims=True)
    return (p * (g - (g * p).sum(axis=-1, keepdims=True)),)


@wrong("softmax_rule", "sum_of_g_times_S", "In the bracket the plain sum of g goes off, times the logit's own probability. What goes off is the sum of g times S: multiply each g by its probability first, then add up.")
def softmax_rule(g, out, logits):
    return (out * (g - g.sum(axis=-1, keepdims=True) * out),)


@wrong("softmax_rule", "average_of_S", "g and S have changed places: here S is averaged, and g stands in front. It is g that is averaged, and S that stands in front of the bracket.")
def softmax_rule(g, out, logits):
    return (g * (out - (out * out).sum(axis=-1, keepdims=True)),)


@wrong("softmax_rule", "softmax_of_out", "Softmax was taken of `out`, which holds the probabilities already. Use `out` as it is.")
def softmax_rule(g, out, logits):
    S = np.exp(out) / np.exp(out).sum(axis=-1, keepdims=True)
    return (S * (g - (g * S).sum(axis=-1, keepdims=True)),)


@wrong("softmax_rule", "average_alone", "S multiplies the average only. Both parts have it in common: S[j] times (g[j] minus the average).")
def softmax_rule(g, out, logits):
    average = (g * out).sum(axis=-1, keepdims=True)
    return (g - out * average,)


@wrong("softmax_rule", "transposed_axes", "Right for one and two axes. With three, .T turns all axes around, and the averages meet other rows: keep the axis of the sum by keepdims=True, and leave .T out.")
def softmax_rule(g, out, logits):
    average = (g * out).sum(axis=-1)
    return ((out.T * (g.T - average)).T,)


# -- log_softmax ------------------------------------------------------------------------------------------------------


@wrong(
    "log_softmax",
    "log_of_softmax",
    "The logarithm of 0 is taken, and is lost: a small probability is exactly 0, and so is the sum where more than the largest of the row was taken off.",
)
def log_softmax(logits):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.log(e / e.sum(axis=-1, keepdims=True))


@wrong(
    "log_softmax",
    "epsilon",
    "The small number in the logarithm hides the log of 0: -10,000 becomes -27. Do without that logarithm.",
)
def log_softmax(logits):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.log(e / e.sum(axis=-1, keepdims=True) + 1e-12)


@wrong(
    "log_softmax",
    "no_shift",
    "exp overflows here: logits near 10,000 go into it. Take the largest of each row off first.",
)
def log_softmax(logits):
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


@wrong(
    "log_softmax",
    "cancellation",
    "The logsumexp of the logits, which is their maximum plus a logarithm, is taken off the logits as they are: a "
    "difference of two large numbers that nearly agree, and their last digits are gone. Work with the shifted ones.",
)
def log_softmax(logits):
    m = logits.max(axis=-1, keepdims=True)
    return logits - (m + np.log(np.exp(logits - m).sum(axis=-1, keepdims=True)))


@wrong(
    "log_softmax",
    "shifted_in_exp_only",
    "You shifted the logits in the sum, but not those from which you subtract it.",
)
def log_softmax(logits):
    m = logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits - m).sum(axis=-1, keepdims=True))


@wrong("log_softmax", "smallest_off", "exp overflows: what was taken off is not the largest of the row. With that one off, no exponent is above 0.")
def log_softmax(logits):
    shifted = logits - logits.min(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


@wrong(
    "log_softmax",
    "one_maximum",
    "What was taken off is not the largest logit of the row: one number for the whole array, perhaps, the largest size, or a sum; or it was added. Then the sum is 0, and its logarithm lost, or exp overflows.",
)
def log_softmax(logits):
    shifted = logits - logits.max()
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


@wrong(
    "log_softmax",
    "log_inside_the_sum",
    "Here the sum of the shifted logits themselves goes off: a log inside the sum undoes exp. It goes around the sum.",
)
def log_softmax(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted)).sum(axis=-1, keepdims=True)


@wrong(
    "log_softmax",
    "no_log",
    "The sum itself was subtracted. Its logarithm has to be.",
)
def log_softmax(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.exp(shifted).sum(axis=-1, keepdims=True)


@wrong(
    "log_softmax",
    "one_sum",
    "You took the sum of the whole array. Each row has probabilities of its own.",
)
def log_softmax(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum())


@wrong(
    "log_softmax",
    "first_axis",
    "You worked along the first axis, down the columns. The classes lie along the last one.",
)
def log_softmax(logits):
    shifted = logits - logits.max(axis=0, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=0, keepdims=True))


@wrong("log_softmax", "log10", "np.log10 is the logarithm to base 10. The inverse of exp is np.log.")
def log_softmax(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log10(np.exp(shifted).sum(axis=-1, keepdims=True))


@wrong("log_softmax", "in_place", "The caller's logits were changed: `-=` and `out=` do that. Subtract into a new array.")
def log_softmax(logits):
    logits -= logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


@wrong(
    "log_softmax",
    "no_keepdims",
    "Without keepdims the axis of the classes is gone, and a number per row does not fit the rows any more.",
)
def log_softmax(logits):
    shifted = logits - logits.max(axis=-1)
    return shifted - np.log(np.exp(shifted).sum(axis=-1))


@wrong(
    "log_softmax",
    "no_keepdims_in_the_sum",
    "Without keepdims the axis of the classes is gone, and a number per row does not fit the rows any more.",
)
def log_softmax(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1))


@wrong(
    "log_softmax",
    "two_axes_at_most",
    "This is right for one row and for a matrix. With more axes the classes still lie along the last one: -1.",
)
def log_softmax(logits):
    axis = 0 if logits.ndim == 1 else 1
    shifted = logits - logits.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


@wrong(
    "log_softmax",
    "shift_if_beyond_700",
    "You shift only logits beyond some limit. exp overflows above 709 in float64, and above 88 in float32: shift always.",
)
def log_softmax(logits):
    shifted = logits
    if np.abs(logits).max() > 700:
        shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


@wrong(
    "log_softmax",
    "three_axes_at_most",
    "This is right for up to three axes. With more of them the classes still lie along the last one: -1.",
)
def log_softmax(logits):
    axis = min(logits.ndim - 1, 2)
    shifted = logits - logits.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


@right("log_softmax", "through_logaddexp")
def log_softmax(logits):
    shifted = logits - np.expand_dims(np.max(logits, -1), -1)
    return shifted - np.logaddexp.reduce(shifted, axis=-1, keepdims=True)


@wrong(
    "log_softmax",
    "one_maximum_and_logsumexp",
    "In the row that lies far below the other one the last digits are gone, as with one maximum for the whole array. Each row needs a shift of its own.",
)
def log_softmax(logits):
    shifted = logits - logits.max()
    return shifted - np.logaddexp.reduce(shifted, axis=-1, keepdims=True)


@right("log_softmax", "row_by_row")
def log_softmax(logits):
    if logits.ndim > 1:
        return np.stack([log_softmax(part) for part in logits])
    z = logits - np.max(logits)
    return z - np.log(sum(np.exp(z)))


@wrong(
    "log_softmax",
    "minus_logsumexp",
    "Two large numbers are subtracted, and their last digits are gone; float64 only has more of them. Work with the "
    "shifted logits throughout.",
)
def log_softmax(logits):
    logits = np.asarray(logits, dtype=float)
    m = logits.max(axis=-1, keepdims=True)
    return logits - (m + np.log(np.exp(logits - m).sum(axis=-1, keepdims=True)))


@wrong(
    "log_softmax",
    "positive_rows_only",
    "Logits far below 0 lose their digits here, as where only rows with a largest logit above 0 are shifted. Take the largest off whatever its sign is.",
)
def log_softmax(logits):
    shifted = logits - np.maximum(logits.max(axis=-1, keepdims=True), 0)
    return shifted - np.logaddexp.reduce(shifted, axis=-1)[..., None]


@wrong("log_softmax", "in_whole_numbers", IN_WHOLE_NUMBERS)
def log_softmax(logits):
    out = np.zeros_like(logits)
    shifted = logits - logits.max(axis=-1, keepdims=True)
    out[...] = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return out


@wrong("log_softmax", "a_copy_is_filled", TURNED)
def log_softmax(logits):
    out = np.zeros_like(logits, dtype=float)
    rows = out.reshape(-1, logits.shape[-1])
    for k, row in enumerate(logits.reshape(rows.shape)):
        z = row - row.max()
        rows[k] = z - np.log(np.exp(z).sum())
    return out


@wrong("log_softmax", "shifted_and_not", "Each row is off by its largest logit, which counts twice: the logsumexp of the logits as they are is taken off the shifted ones. Shift both.")
def log_softmax(logits):
    top = logits.max(axis=-1, keepdims=True)
    shifted = logits - top
    return shifted - (top + np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


@wrong("log_softmax", "divided_by_logsumexp", "The shifted logits are divided by their logsumexp. The logarithm of a quotient is a difference: subtract it.")
def log_softmax(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted / np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


@wrong("log_softmax", "shifted_twice", "A whole row of exp is 0 here, and its logarithm lost: more than the largest logit went off, as when it is taken off twice. Once is enough: then the largest is 0.")
def log_softmax(logits):
    m = logits.max(axis=-1, keepdims=True)
    shifted = logits - m - m
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


@wrong("log_softmax", "new_axis_second", "With three axes the shapes do not fit, as when `[:, None]` puts the axis of the classes in the second place. `[..., None]` puts it last, and keepdims=True leaves it there.")
def log_softmax(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1))[:, None]


# -- log_softmax_rule -------------------------------------------------------------------------------------------------


@wrong(
    "log_softmax_rule",
    "out_as_probabilities",
    "You used out as if it held probabilities. It holds their logarithms.",
)
def log_softmax_rule(g, out, logits):
    return (g - out * g.sum(axis=-1, keepdims=True),)


@wrong(
    "log_softmax_rule",
    "exp_of_the_logits",
    "exp of the logits is not yet a probability. exp of out is.",
)
def log_softmax_rule(g, out, logits):
    return (g - np.exp(logits) * g.sum(axis=-1, keepdims=True),)


@wrong(
    "log_softmax_rule",
    "softmax",
    "This is the rule of softmax. Here the matrix has no factor S_i, and so g is added up without weights.",
)
def log_softmax_rule(g, out, logits):
    S = np.exp(out)
    return (S * (g - (g * S).sum(axis=-1, keepdims=True)),)


@wrong(
    "log_softmax_rule",
    "sum_is_one",
    "You subtracted S as if g added up to 1. In general it comes times the sum of g over the row.",
)
def log_softmax_rule(g, out, logits):
    return (g - np.exp(out),)


@wrong(
    "log_softmax_rule",
    "diagonal_only",
    "You used the slope by the own logit only. Each logit is in the denominator of all probabilities of the row.",
)
def log_softmax_rule(g, out, logits):
    return (g * (1 - np.exp(out)),)


@wrong(
    "log_softmax_rule",
    "one_sum",
    "You added up all of g. Rows have nothing to do with each other: a sum per row.",
)
def log_softmax_rule(g, out, logits):
    return (g - np.exp(out) * g.sum(),)


@wrong(
    "log_softmax_rule",
    "mean",
    "You took the mean of g over the row. Multiplied out, it is the sum.",
)
def log_softmax_rule(g, out, logits):
    return (g - np.exp(out) * g.mean(axis=-1, keepdims=True),)


@wrong(
    "log_softmax_rule",
    "weighted",
    "You gave each g its probability in the sum. That is softmax: here the factor S_i has been divided away.",
)
def log_softmax_rule(g, out, logits):
    S = np.exp(out)
    return (g - S * (g * S).sum(axis=-1, keepdims=True),)


@wrong("log_softmax_rule", "in_place", "The numbers are right, but an array that was given was written into, and others still need it: `-=`, `*=` and `out=` do that.")
def log_softmax_rule(g, out, logits):
    g -= np.exp(out) * g.sum(axis=-1, keepdims=True)
    return (g,)


@wrong(
    "log_softmax_rule",
    "no_keepdims",
    "Without keepdims the axis of the classes is gone, and a number per row does not fit the rows any more.",
)
def log_softmax_rule(g, out, logits):
    return (g - np.exp(out) * g.sum(axis=-1),)


@wrong(
    "log_softmax_rule",
    "two_axes_at_most",
    "This is right for one row and for a matrix. With more axes the classes still lie along the last one: -1.",
)
def log_softmax_rule(g, out, logits):
    axis = 0 if g.ndim == 1 else 1
    return (g - np.exp(out) * g.sum(axis=axis, keepdims=True),)


@wrong("log_softmax_rule", "no_tuple", "Rules send back a tuple, one cotangent for each input: here a tuple of one.")
def log_softmax_rule(g, out, logits):
    return g - np.exp(out) * g.sum(axis=-1, keepdims=True)


@wrong(
    "log_softmax_rule",
    "weights_inside_the_sum",
    "S stands inside the sum, where it weights g. It belongs in front: the sum of g is a plain one, times S.",
)
def log_softmax_rule(g, out, logits):
    S = np.exp(out)
    return (g - (S * g).sum(axis=-1, keepdims=True),)


@wrong(
    "log_softmax_rule",
    "sum_without_S",
    "The sum of g goes off in full everywhere. Logit j gets it with the factor S_j.",
)
def log_softmax_rule(g, out, logits):
    return (g - g.sum(axis=-1, keepdims=True),)


@wrong(
    "log_softmax_rule",
    "rule_of_softmax_with_out",
    "This is the rule of softmax, with logarithms for the probabilities. The rule is another one, and `out` holds log S.",
)
def log_softmax_rule(g, out, logits):
    return (out * (g - (g * out).sum(axis=-1, keepdims=True)),)


@wrong(
    "log_softmax_rule",
    "sum_of_zero_is_nothing",
    "Where a row of g adds up to 0 you send nothing back. The sum is only the second part: g itself remains.",
)
def log_softmax_rule(g, out, logits):
    total = g.sum(axis=-1, keepdims=True)
    return (np.where(total == 0, 0.0, g - np.exp(out) * total),)


@wrong(
    "log_softmax_rule",
    "divided_by_S",
    "Something is divided by S, and a probability may be 0. On paper S cancels, and what is left has no quotient.",
)
def log_softmax_rule(g, out, logits):
    S = np.exp(out)
    return (S * (g / S - (g / S * S).sum(axis=-1, keepdims=True)),)


@wrong("log_softmax_rule", "softmax_once_more", "exp overflows here. Does it get the logits themselves? S is exp(out), and no log-probability is above 0.")
def log_softmax_rule(g, out, logits):
    S = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    return (g - S * g.sum(axis=-1, keepdims=True),)


@right("log_softmax_rule", "with_the_matrix")
def log_softmax_rule(g, out, logits):
    n = g.shape[-1]
    rows = [
        row @ (np.eye(n) - np.exp(logp)) for row, logp in zip(g.reshape(-1, n), out.reshape(-1, n))
    ]
    return (np.array(rows).reshape(g.shape),)


@right("log_softmax_rule", "from_the_logits")
def log_softmax_rule(g, out, logits):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    total = np.sum(g, axis=-1)[..., np.newaxis]
    return (g - total * e / e.sum(axis=-1, keepdims=True),)


@wrong(
    "log_softmax_rule",
    "three_axes_at_most",
    "This is right for up to three axes. With more of them the classes still lie along the last one: -1.",
)
def log_softmax_rule(g, out, logits):
    axis = {1: 0, 2: 1, 3: 2}.get(g.ndim)
    return (g - np.exp(out) * g.sum(axis=axis, keepdims=True),)


@wrong("log_softmax_rule", "delta_of_1", "δ counts as 1 for every pair, so that each logit gets the sum of g, times 1 - S. It is 1 on the diagonal only: the first part is g itself.")
def log_softmax_rule(g, out, logits):
    return ((1 - np.exp(out)) * g.sum(axis=-1, keepdims=True),)


# -- nll_loss ---------------------------------------------------------------------------------------------------------


@wrong(
    "nll_loss",
    "columns_of_every_row",
    "[:, labels] takes those columns from every row, (N, N) numbers. Pair each row with its own label.",
)
def nll_loss(logp, labels):
    return -logp[:, labels].mean()


NO_SUCH_ROW = "A label asks for a row that is not there. In logp it is a position in the last axis: the row's own number comes first. And a table of ones, such as np.eye, needs a row for each class, not for each example."


@wrong("nll_loss", "rows_by_label", NO_SUCH_ROW)
def nll_loss(logp, labels):
    return -logp[labels].mean()


@wrong("nll_loss", "eye_of_the_examples", NO_SUCH_ROW)
def nll_loss(logp, labels):
    return -(np.eye(len(labels))[labels] * logp).sum() / len(labels)


@wrong(
    "nll_loss",
    "rows_by_label_wrapped",
    "You took the mean of a whole row, as [labels] picks it, or of all numbers. The label is a position in the last axis: one number of each row counts.",
)
def nll_loss(logp, labels):
    return -logp[labels % len(logp)].mean()


@wrong("nll_loss", "no_minus", "Log-probabilities are negative, and the loss is minus their mean.")
def nll_loss(logp, labels):
    return logp[np.arange(len(labels)), labels].mean()


@wrong("nll_loss", "sum", "You added up over the rows. The loss is their mean.")
def nll_loss(logp, labels):
    return -logp[np.arange(len(labels)), labels].sum()


@wrong(
    "nll_loss",
    "mean_over_all",
    "You divided by the number of all entries, or of the classes. One entry per row counts: the mean is over the rows.",
)
def nll_loss(logp, labels):
    return -(logp * np.eye(logp.shape[1])[labels]).mean()


@wrong(
    "nll_loss",
    "log_again",
    "The logarithm has been taken already. You took it of a number that is a logarithm.",
)
def nll_loss(logp, labels):
    with np.errstate(all="ignore"):
        return -np.log(logp[np.arange(len(labels)), labels]).mean()


@wrong(
    "nll_loss",
    "probabilities",
    "You took exp to get the probability back. The loss is made of its logarithm.",
)
def nll_loss(logp, labels):
    return -np.exp(logp[np.arange(len(labels)), labels]).mean()


@wrong(
    "nll_loss",
    "largest",
    "You took the largest log-probability of each row. What counts is the one at the label.",
)
def nll_loss(logp, labels):
    return -logp.max(axis=1).mean()


@wrong("nll_loss", "per_row", "An array comes back: the losses of the rows, or an axis was kept. The result is one number, the mean of the losses.")
def nll_loss(logp, labels):
    return -logp[np.arange(len(labels)), labels]


@right("nll_loss", "a_loop")
def nll_loss(logp, labels):
    total = 0.0
    for row, label in zip(logp, labels):
        total -= row[label]
    return total / len(labels)


@right("nll_loss", "one_hot")
def nll_loss(logp, labels):
    truth = np.eye(logp.shape[1])[labels]
    return -(logp * truth).sum() / logp.shape[0]


@right("nll_loss", "take_along_axis")
def nll_loss(logp, labels):
    return np.mean(-np.take_along_axis(logp, labels[:, None], 1))


@wrong(
    "nll_loss",
    "three_classes",
    "You took it that there are three classes. How many there are, `logp.shape[1]` says.",
)
def nll_loss(logp, labels):
    truth = np.eye(3)[labels]
    return -(truth * logp).sum() / len(labels)


@wrong("nll_loss", "choose", "np.choose takes only some dozens of choices. Index with the rows and their labels instead.")
def nll_loss(logp, labels):
    return -np.choose(labels, logp.T).mean()


@wrong(
    "nll_loss",
    "as_many_as_the_largest_label",
    "The classes are counted by the largest label here, so one that is no row's right class is forgotten. `logp.shape[1]` says how many there are.",
)
def nll_loss(logp, labels):
    truth = np.eye(labels.max() + 1)[labels]
    return -(truth * logp).sum(axis=1).mean()


wrong(
    "nll_loss",
    "mean_before_the_logarithm",
    "This is the logarithm of a mean of probabilities. The mean of the logarithms is asked for, and they are given: no exponential is needed.",
    source="""
def nll_loss(logp, labels):
    return -np.log(np.exp(logp)[np.arange(len(labels)), labels].mean())
""",
)


@wrong("nll_loss", "equal_losses_once", "Rows with equal losses count once, as in a set: braces make one. Each row counts in the mean.")
def nll_loss(logp, labels):
    losses = {float(-row[label]) for row, label in zip(logp, labels)}
    return sum(losses) / len(losses)


@wrong("nll_loss", "nan_left_out", "A row with NaN is left out of the mean, as np.nanmean does it, and nobody sees that something went wrong before.")
def nll_loss(logp, labels):
    return -np.nanmean(logp[np.arange(len(labels)), labels])


@wrong("nll_loss", "cut_off", "Very small log-probabilities are cut off, so that a larger mistake costs no more. A logarithm may be as low as it is.")
def nll_loss(logp, labels):
    return -np.maximum(logp, -1e6)[np.arange(len(labels)), labels].mean()


@wrong("nll_loss", "first_row_for_all", "All labels are looked up in the first row, as `take` does without an axis. Pair each label with the number of its own row.")
def nll_loss(logp, labels):
    return -logp.take(labels).mean()


# -- cross_entropy_rule -----------------------------------------------------------------------------------------------

S_MINUS_Y = """
def cross_entropy_rule(g, out, logp, labels):
    grad = np.exp(logp)
    grad[np.arange(len(labels)), labels] -= 1
    return (g * grad / len(labels),)
"""

wrong(
    "cross_entropy_rule",
    "no_mean",
    "In a mean over N rows, each row has only a share of the loss. The number of rows is missing.",
    source=changed(S_MINUS_Y, (" / len(labels)", "")),
)
wrong(
    "cross_entropy_rule",
    "divided_by_size",
    "You divided by the number of all logits. The mean is over the rows.",
    source=changed(S_MINUS_Y, ("/ len(labels)", "/ grad.size")),
)
wrong(
    "cross_entropy_rule",
    "divided_by_classes",
    "You divided by the number of classes. The mean is over the rows.",
    source=changed(S_MINUS_Y, ("/ len(labels)", "/ logp.shape[1]")),
)


@wrong(
    "cross_entropy_rule",
    "sign",
    "All signs are turned around: raising the logit of the right class makes the loss smaller.",
)
def cross_entropy_rule(g, out, logp, labels):
    truth = np.eye(logp.shape[1])[labels]
    return (g * (truth - np.exp(logp)) / len(labels),)


@wrong(
    "cross_entropy_rule",
    "no_truth",
    "These are the probabilities alone. The right class has not been told that it is right.",
)
def cross_entropy_rule(g, out, logp, labels):
    return (g * np.exp(logp) / len(labels),)


@wrong(
    "cross_entropy_rule",
    "right_class_only",
    "Only the logits of the right classes got a gradient. The others are too high, and should fall.",
)
def cross_entropy_rule(g, out, logp, labels):
    truth = np.eye(logp.shape[1])[labels]
    return (g * truth * (np.exp(logp) - 1) / len(labels),)


@wrong(
    "cross_entropy_rule",
    "by_the_log_probabilities",
    "This is the cotangent of the log-probabilities. The way from them to the logits is still to go.",
)
def cross_entropy_rule(g, out, logp, labels):
    return (-g * np.eye(logp.shape[1])[labels] / len(labels),)


wrong(
    "cross_entropy_rule",
    "columns_of_every_row",
    "[:, labels] takes those columns in every row. Pair each row with its own label.",
    source=changed(S_MINUS_Y, ("np.arange(len(labels))", ":")),
)


@wrong(
    "cross_entropy_rule",
    "logarithms",
    "You subtracted the truth from the log-probabilities. It is subtracted from the probabilities.",
)
def cross_entropy_rule(g, out, logp, labels):
    return (g * (logp - np.eye(logp.shape[1])[labels]) / len(labels),)


@wrong("cross_entropy_rule", "no_upstream", "These are the slopes of the loss. The chain rule multiplies them by g.")
def cross_entropy_rule(g, out, logp, labels):
    return ((np.exp(logp) - np.eye(logp.shape[1])[labels]) / len(labels),)


@wrong(
    "cross_entropy_rule",
    "in_place",
    "You wrote into logp, which belongs to the forward pass. Make a new array of probabilities.",
)
def cross_entropy_rule(g, out, logp, labels):
    np.exp(logp, out=logp)
    logp[np.arange(len(labels)), labels] -= 1
    return (g * logp / len(labels),)


wrong(
    "cross_entropy_rule",
    "share_subtracted",
    "You subtracted 1/N and then divided by N, so the truth was shared out twice. Divide once, at the end.",
    source=changed(S_MINUS_Y, ("-= 1", "-= 1 / len(labels)")),
)


@wrong(
    "cross_entropy_rule",
    "three_classes",
    "You took it that there are three classes. How many there are, the shape of logp says.",
)
def cross_entropy_rule(g, out, logp, labels):
    return (g * (np.exp(logp) - np.eye(3)[labels]) / len(labels),)


wrong(
    "cross_entropy_rule",
    "minus_one_itself",
    "At the right class of each row stands -1, whatever its probability was. The 1 comes off that probability: S - 1.",
    source=changed(S_MINUS_Y, ("-= 1", "= -1")),
)
wrong(
    "cross_entropy_rule",
    "g_in_the_truth_only",
    "g multiplies the 1 that is taken off, and not the probabilities. Both parts are slopes: multiply by g at the end.",
    source=changed(S_MINUS_Y, ("-= 1", "-= g"), ("(g * grad", "(grad")),
)
wrong(
    "cross_entropy_rule",
    "g_before_the_truth",
    "g multiplies the probabilities, and not the 1 that is taken off. Both parts are slopes: multiply by g at the end.",
    source=changed(S_MINUS_Y, ("np.exp(logp)", "g * np.exp(logp)"), ("(g * grad", "(grad")),
)
wrong(
    "cross_entropy_rule",
    "no_tuple",
    "Rules send back a tuple, one cotangent for each input: here a tuple of one.",
    source=changed(S_MINUS_Y, ("(g * grad / len(labels),)", "g * grad / len(labels)")),
)
wrong(
    "cross_entropy_rule",
    "zero_for_none",
    "Where g is 0, nothing is sent back: the cotangent is 0 everywhere. Here g counts as 1 then: in Python 0.0 is taken as False, as in `g or 1.0` and in `if not g`.",
    source=changed(S_MINUS_Y, ("g * grad", "(g or 1.0) * grad")),
)


@right("cross_entropy_rule", "one_hot")
def cross_entropy_rule(g, out, logp, labels):
    n, classes = logp.shape
    truth = np.eye(classes)[labels]
    return (g / n * (np.exp(logp) - truth),)


@right("cross_entropy_rule", "two_rules_in_a_row")
def cross_entropy_rule(g, out, logp, labels):
    sent = np.zeros(logp.shape)
    sent[np.arange(len(labels)), labels] = -g / len(labels)
    return (sent - np.exp(logp) * sent.sum(axis=1, keepdims=True),)


@right("cross_entropy_rule", "a_loop")
def cross_entropy_rule(g, out, logp, labels):
    rows = []
    for row, label in zip(logp, labels):
        rows.append([g * (math.exp(v) - (k == label)) / len(logp) for k, v in enumerate(row)])
    return (np.array(rows),)


@wrong(
    "cross_entropy_rule",
    "by_one_over_the_probability",
    "On the way stands 1 / S, and where S has become 0 that is no number. The two cancel on paper: what is left has no quotient.",
)
def cross_entropy_rule(g, out, logp, labels):
    S = np.exp(logp)
    to_S = np.zeros_like(S)
    rows = np.arange(len(labels))
    to_S[rows, labels] = -g / len(labels) / S[rows, labels]
    return (S * (to_S - (to_S * S).sum(axis=1, keepdims=True)),)


wrong(
    "cross_entropy_rule",
    "scaled_before_the_truth",
    "Only the probabilities are divided by the number of rows, and multiplied by g. The 1 is a part of the slope, too: subtract it first.",
    source=changed(
        S_MINUS_Y, ("grad = np.exp(logp)", "grad = g * np.exp(logp) / len(labels)"), ("(g * grad / len(labels),)", "(grad,)")
    ),
)


wrong(
    "cross_entropy_rule",
    "first_row_of_each_label",
    "Where two rows have the same label, only the first is told what is right. Go by the number of the row, and not by its label.",
    source=changed(
        S_MINUS_Y,
        (
            "grad[np.arange(len(labels)), labels] -= 1",
            "names = list(labels)\n"
            "    for label in set(names):\n"
            "        grad[names.index(label), label] -= 1",
        ),
    ),
)


wrong(
    "cross_entropy_rule",
    "as_many_classes_as_labels",
    "The ones have as many columns as the largest label says, and where the last class does not occur these are too few: one column is stretched. There are as many as in logp.",
    source="""
def cross_entropy_rule(g, out, logp, labels):
    return (g * (np.exp(logp) - np.eye(labels.max() + 1)[labels]) / len(labels),)
""",
)


@wrong("cross_entropy_rule", "one_not_divided", "Right but at the labels: there the 1 is taken off after the division by the number of rows. Take it off first, then divide all.")
def cross_entropy_rule(g, out, logp, labels):
    n = len(labels)
    grad = np.exp(logp) / n
    grad[np.arange(n), labels] -= 1
    return (g * grad,)


wrong(
    "cross_entropy_rule",
    "one_everywhere",
    "1 is taken off all probabilities. It goes off at the right class of each row only.",
    source=changed(S_MINUS_Y, ("grad[np.arange(len(labels)), labels] -= 1", "grad -= 1")),
)
wrong(
    "cross_entropy_rule",
    "label_as_a_number",
    "The label itself is taken off all probabilities of its row. It is the number of a class: there 1 goes off, and nothing elsewhere.",
    source=changed(S_MINUS_Y, ("grad[np.arange(len(labels)), labels] -= 1", "grad -= labels[:, None]")),
)
wrong(
    "cross_entropy_rule",
    "eye_of_the_examples",
    NO_SUCH_ROW,
    source=changed(S_MINUS_Y, ("grad[np.arange(len(labels)), labels] -= 1", "grad -= np.eye(len(labels))[labels]")),
)


# -- bce_with_logits --------------------------------------------------------------------------------------------------


@wrong(
    "bce_with_logits",
    "log_of_p",
    "You took the logarithm of the probability, or of 1 minus it. For a large logit one of them is exactly 0, and its logarithm is lost.",
)
def bce_with_logits(logits, targets):
    p = 0.5 + 0.5 * np.tanh(logits / 2)
    return -(targets * np.log(p) + (1 - targets) * np.log(1 - p)).mean()


@wrong(
    "bce_with_logits",
    "clipped",
    "The probabilities were kept away from 0, which hides the error: a loss of 40 becomes 27.",
)
def bce_with_logits(logits, targets):
    p = np.clip(0.5 + 0.5 * np.tanh(logits / 2), 1e-12, 1 - 1e-12)
    return -(targets * np.log(p) + (1 - targets) * np.log(1 - p)).mean()


@wrong(
    "bce_with_logits",
    "clipped_at_1e_15",
    "The probabilities were kept away from 0, which hides the error: a loss of 40 becomes less than 35.",
)
def bce_with_logits(logits, targets):
    p = np.clip(0.5 + 0.5 * np.tanh(logits / 2), 1e-15, 1 - 1e-15)
    return -(targets * np.log(p) + (1 - targets) * np.log(1 - p)).mean()


@wrong(
    "bce_with_logits",
    "no_t_z",
    "The target does not count: what is lost for no is lost for yes as well. The term with t z is missing.",
)
def bce_with_logits(logits, targets):
    return (np.maximum(logits, 0) + np.log1p(np.exp(-np.abs(logits)))).mean()


@wrong(
    "bce_with_logits",
    "log_of_a_stable_sigmoid",
    "The logarithm of 0 is taken, as a sigmoid is exactly 0 for logits far below 0. Write its logarithm out on paper, and take the large part out of it.",
)
def bce_with_logits(logits, targets):
    def s(z):
        e = np.exp(-abs(z))
        return np.where(z >= 0, 1, e) / (1 + e)

    return -(targets * np.log(s(logits)) + (1 - targets) * np.log(s(-logits))).mean()


@wrong(
    "bce_with_logits",
    "overflow",
    "exp overflows here: log(1 + exp(-z)) does for logits far below 0, log(1 + exp(z)) for those far above; and `np.where` computes both of its branches. Take the large part out of the logarithm.",
)
def bce_with_logits(logits, targets):
    return (np.log1p(np.exp(-logits)) + (1 - targets) * logits).mean()


@wrong(
    "bce_with_logits",
    "overflow_behind_where",
    "exp overflows here: log(1 + exp(-z)) does for logits far below 0, log(1 + exp(z)) for those far above; and `np.where` computes both of its branches. Take the large part out of the logarithm.",
)
def bce_with_logits(logits, targets):
    soft = np.where(logits < 0, np.log1p(np.exp(logits)) - logits, np.log1p(np.exp(-logits)))
    return (soft + (1 - targets) * logits).mean()


@wrong(
    "bce_with_logits",
    "no_minus_before_abs",
    "A minus is missing: exp(|z|) stands where exp(-|z|) belongs. Its exponent should never be positive.",
)
def bce_with_logits(logits, targets):
    return (np.maximum(logits, 0) - targets * logits + np.log1p(np.exp(np.abs(logits)))).mean()


@wrong(
    "bce_with_logits",
    "one_maximum",
    "logits.max() is one number for the whole array. Each logit has its own max(z, 0).",
)
def bce_with_logits(logits, targets):
    return (max(logits.max(), 0) - targets * logits + np.log1p(np.exp(-np.abs(logits)))).mean()


@wrong("bce_with_logits", "sum", "You added up over the elements. The loss is their mean.")
def bce_with_logits(logits, targets):
    return (np.maximum(logits, 0) - targets * logits + np.log1p(np.exp(-np.abs(logits)))).sum()


@wrong(
    "bce_with_logits",
    "sum_over_columns",
    "You divided by the number of rows only, or of columns. The mean is over all elements.",
)
def bce_with_logits(logits, targets):
    losses = np.maximum(logits, 0) - targets * logits + np.log1p(np.exp(-np.abs(logits)))
    return losses.sum() / len(losses)


@wrong(
    "bce_with_logits",
    "log_of_the_exponential",
    "The 1 under the logarithm is missing: log1p(x) is log(1 + x), and a plain log undoes exp.",
)
def bce_with_logits(logits, targets):
    return (np.maximum(logits, 0) - targets * logits + np.log(np.exp(-np.abs(logits)))).mean()


@wrong(
    "bce_with_logits",
    "yes_only",
    "This is the loss for yes alone. For a target of 0 it should be small where the logit is negative.",
)
def bce_with_logits(logits, targets):
    return (targets * (np.maximum(-logits, 0) + np.log1p(np.exp(-np.abs(logits))))).mean()


@wrong(
    "bce_with_logits",
    "turned_around",
    "Yes and no are confused: a large logit means yes, and should cost little where the target is 1.",
)
def bce_with_logits(logits, targets):
    return (np.maximum(logits, 0) - (1 - targets) * logits + np.log1p(np.exp(-np.abs(logits)))).mean()


@wrong(
    "bce_with_logits",
    "log1p_of_one_plus",
    "np.log1p adds the 1 itself. You added it too, and took the logarithm of 2 + ...",
)
def bce_with_logits(logits, targets):
    return (np.maximum(logits, 0) - targets * logits + np.log1p(1 + np.exp(-np.abs(logits)))).mean()


@wrong(
    "bce_with_logits",
    "no_abs",
    "Where the logit is negative, this is too large by |z|: exp(-z) stands where exp(-|z|) belongs, or |z| where "
    "max(z, 0) does.",
)
def bce_with_logits(logits, targets):
    return (np.maximum(logits, 0) - targets * logits + np.log1p(np.exp(-logits))).mean()


@wrong(
    "bce_with_logits",
    "largest_of_all",
    "max(z, 0) is another number here, for a negative logit: the logit itself, or logits.max(), which is one number for the whole array. Or -z is missing, which log(1 + exp(-z)) has beside log(1 + exp(-|z|)).",
)
def bce_with_logits(logits, targets):
    return (logits.max() - targets * logits + np.log1p(np.exp(-np.abs(logits)))).mean()


@wrong(
    "bce_with_logits",
    "plus_t_z",
    "t z was added. A high logit makes the loss smaller where the truth is yes.",
)
def bce_with_logits(logits, targets):
    return (np.maximum(logits, 0) + targets * logits + np.log1p(np.exp(-np.abs(logits)))).mean()


@wrong(
    "bce_with_logits",
    "yes_or_no_only",
    "You took it that a target is 0 or 1. It may lie between: then both terms count, each with its share.",
)
def bce_with_logits(logits, targets):
    right = np.where(targets == 1, logits, -logits)
    return (np.maximum(-right, 0) + np.log1p(np.exp(-np.abs(right)))).mean()


@wrong(
    "bce_with_logits",
    "rounded",
    "You took it that a target is 0 or 1. It may lie between: then both terms count, each with its share.",
)
def bce_with_logits(logits, targets):
    t = np.round(targets)
    return (np.maximum(logits, 0) - t * logits + np.log1p(np.exp(-np.abs(logits)))).mean()


@wrong("bce_with_logits", "cut_off", "Logits beyond a limit are cut off, so that a larger mistake costs no more. With log(1 + exp(-|z|)) no size does harm.")
def bce_with_logits(logits, targets):
    z = np.clip(logits, -1e4, 1e4)
    return (np.maximum(z, 0) - targets * z + np.log1p(np.exp(-np.abs(z)))).mean()


@right("bce_with_logits", "logaddexp")
def bce_with_logits(logits, targets):
    return np.mean(targets * np.logaddexp(0, -logits) + (1 - targets) * np.logaddexp(0, logits))


@right("bce_with_logits", "with_logsumexp")
def bce_with_logits(logits, targets):
    zeros = np.zeros(logits.shape)
    soft = np.logaddexp.reduce(np.stack([zeros, -logits], axis=-1), axis=-1)
    return (soft + (1 - targets) * logits).mean()


@right("bce_with_logits", "as_pytorch_does")
def bce_with_logits(logits, targets):
    below = np.maximum(-logits, 0) + np.log(1 + np.exp(-np.abs(logits)))
    return ((1 - targets) * logits + below).mean()


@right("bce_with_logits", "a_loop")
def bce_with_logits(logits, targets):
    losses = []
    for z, t in zip(logits.ravel().tolist(), targets.ravel().tolist()):
        losses.append(max(z, 0) - t * z + math.log(1 + math.exp(-abs(z))))
    return sum(losses) / len(losses)


@wrong(
    "bce_with_logits",
    "two_axes_at_most",
    "You divided by rows times columns. There may be more axes: the mean is over all elements.",
)
def bce_with_logits(logits, targets):
    losses = np.maximum(logits, 0) - targets * logits + np.log1p(np.exp(-np.abs(logits)))
    return losses.sum() / (len(logits) * (1 if logits.ndim == 1 else logits.shape[1]))


@wrong("bce_with_logits", "a_little_in_the_log", "27.6 is -log(1e-12): a small number inside the logarithm, or a limit for p, keeps the loss below it, and who is sure and wrong pays too little. The formula with log(1 + exp(-|z|)) needs neither.")
def bce_with_logits(logits, targets):
    p = 0.5 + 0.5 * np.tanh(logits / 2)
    losses = -targets * np.log(p + 1e-12) - (1 - targets) * np.log(1 - p + 1e-12)
    return losses.mean()


@wrong("bce_with_logits", "clipped_logits", "A sure and wrong logit costs less than it should, as where logits are clipped. Leave them as they are: exp(-|z|) cannot overflow.")
def bce_with_logits(logits, targets):
    z = np.clip(logits, -500.0, 500.0)
    return (np.log1p(np.exp(-z)) + (1 - targets) * z).mean()


@wrong("bce_with_logits", "a_mean_for_yes_and_one_for_no", "Here 0 is divided by 0, as in the mean over all places with `targets == 0` where no target is 0. Take one mean, over all elements, of both terms with their factors t and 1 - t.")
def bce_with_logits(logits, targets):
    soft = np.maximum(logits, 0) + np.log1p(np.exp(-np.abs(logits)))
    return (soft - logits)[targets == 1].mean() + soft[targets == 0].mean()


@wrong("bce_with_logits", "no_mean", "An array comes back: a loss for each number, or an axis was kept. The result is one number, the mean of all losses.")
def bce_with_logits(logits, targets):
    return np.maximum(logits, 0) - targets * logits + np.log1p(np.exp(-np.abs(logits)))


@wrong("bce_with_logits", "size_for_both", "The loss is negative here, which the negative logarithm of a probability never is. In t z the sign of z counts: only the logarithm takes its size.")
def bce_with_logits(logits, targets):
    size = np.abs(logits)
    losses = np.maximum(logits, 0) - targets * size + np.log1p(np.exp(-size))
    return losses.mean()


# -- bce_rule ---------------------------------------------------------------------------------------------------------


@wrong(
    "bce_rule",
    "slope_left_over",
    "A factor p (1 - p) is left. It cancels with what stands under the line in the slopes of the logarithms.",
)
def bce_rule(g, out, logits, targets):
    p = sigmoid(logits)
    return (g * (p - targets) * p * (1 - p) / logits.size,)


@wrong(
    "bce_rule",
    "by_p",
    "This is the slope by p. One factor of the chain rule is missing: the slope of p by the logit.",
)
def bce_rule(g, out, logits, targets):
    p = np.clip(sigmoid(logits), 1e-12, 1 - 1e-12)
    return (g * (p - targets) / (p * (1 - p)) / logits.size,)


@wrong("bce_rule", "sign", "The sign is turned around: where the answer is yes, a higher logit makes the loss smaller.")
def bce_rule(g, out, logits, targets):
    return (g * (targets - sigmoid(logits)) / logits.size,)


@wrong("bce_rule", "no_mean", "In a mean, each element has only a share of the loss.")
def bce_rule(g, out, logits, targets):
    return (g * (sigmoid(logits) - targets),)


@wrong("bce_rule", "rows_only", "You divided by the number of rows. The mean is over all elements.")
def bce_rule(g, out, logits, targets):
    return (g * (sigmoid(logits) - targets) / len(logits),)


@wrong("bce_rule", "no_upstream", "These are the slopes of the loss. The chain rule multiplies them by g.")
def bce_rule(g, out, logits, targets):
    return ((sigmoid(logits) - targets) / logits.size,)


@wrong("bce_rule", "logit_for_p", "You compared the logit with the truth. What you say is sigmoid of the logit.")
def bce_rule(g, out, logits, targets):
    return (g * (logits - targets) / logits.size,)


@wrong("bce_rule", "no_tuple", "Rules send back a tuple, one cotangent for each input: here a tuple of one.")
def bce_rule(g, out, logits, targets):
    return g * (sigmoid(logits) - targets) / logits.size


@wrong(
    "bce_rule",
    "in_place",
    "The numbers are right, and an array that you were given was changed: `-=`, `[:] =` and `out=` write into it.",
)
def bce_rule(g, out, logits, targets):
    targets -= sigmoid(logits)
    return (-g * targets / logits.size,)


@wrong("bce_rule", "zero_for_none", "Where g is 0, nothing is sent back: the cotangent is 0 everywhere. Here g counts as 1 then: in Python 0.0 is taken as False, as in `g or 1.0` and in `if not g`.")
def bce_rule(g, out, logits, targets):
    return ((g or 1.0) * (sigmoid(logits) - targets) / logits.size,)


@right("bce_rule", "both_terms")
def bce_rule(g, out, logits, targets):
    p = sigmoid(logits)
    return (g / p.size * (-targets * (1 - p) + (1 - targets) * p),)


@right("bce_rule", "a_loop")
def bce_rule(g, out, logits, targets):
    grad = np.empty(logits.shape)
    for place, z in np.ndenumerate(logits):
        grad[place] = g * (sigmoid(z) - targets[place]) / logits.size
    return (grad,)


@wrong(
    "bce_rule",
    "two_axes_at_most",
    "You divided by rows times columns. There may be more axes: `logits.size` counts all elements.",
)
def bce_rule(g, out, logits, targets):
    n = len(logits) if logits.ndim == 1 else logits.shape[0] * logits.shape[1]
    return (g * (sigmoid(logits) - targets) / n,)


@wrong("bce_rule", "corner_at_zero", "Only logits of 0 are wrong: max(z, 0) and |z| have corners there, and the loss has none. sigmoid(z) - t holds for all z.")
def bce_rule(g, out, logits, targets):
    e = np.exp(-np.abs(logits))
    slope = (logits > 0) - targets - np.sign(logits) * e / (1 + e)
    return (g * slope / logits.size,)


@wrong("bce_rule", "yes_or_no_only", "You took it that a target is 0 or 1. It may lie between: p - t is right for all of them.")
def bce_rule(g, out, logits, targets):
    p = sigmoid(logits)
    return (g * np.where(targets == 1, p - 1, p) / logits.size,)


@wrong("bce_rule", "twice", "All is twice too large. A 2 comes from the slope of a square, as in the rule of the mean squared error, and there is no square in this loss.")
def bce_rule(g, out, logits, targets):
    return (2 * g * (sigmoid(logits) - targets) / logits.size,)


@wrong("bce_rule", "squared_error", "This is the slope of the squared error of p, with a 2 and the factor p (1 - p). For this loss neither is left: p - t remains.")
def bce_rule(g, out, logits, targets):
    p = sigmoid(logits)
    return (2 * g * (p - targets) * p * (1 - p) / logits.size,)


@wrong("bce_rule", "out_for_p", "The targets are taken off `out`, which is the loss, one number for all. What you say is sigmoid of the logit.")
def bce_rule(g, out, logits, targets):
    return (g * (out - targets) / logits.size,)


@wrong("bce_rule", "divided_by_p", "A division by p is left, and p may be 0. It cancels with the slope of p, which is p (1 - p).")
def bce_rule(g, out, logits, targets):
    with np.errstate(all="ignore"):
        p = sigmoid(logits)
        return (g * (p - targets) / p / logits.size,)


@wrong("bce_rule", "yes_only", "This is the slope of the term for yes alone. The term for no has one, too: add (1 - t) p.")
def bce_rule(g, out, logits, targets):
    return (-g * targets * (1 - sigmoid(logits)) / logits.size,)


@wrong("bce_rule", "decision_for_probability", "The decision, 0 or 1, is compared with the truth here, so that nothing is sent back where it is right. Compare the probability itself.")
def bce_rule(g, out, logits, targets):
    said = (sigmoid(logits) > 0.5).astype(float)
    return (g * (said - targets) / logits.size,)


@wrong("bce_rule", "none_at_half", "A target of 0.5 is a target, too: its slope is sigmoid(z) - 0.5, and 0 only where z is 0.")
def bce_rule(g, out, logits, targets):
    p = sigmoid(logits)
    slope = np.where(targets == 0.5, 0.0, p - targets)
    return (g * slope / logits.size,)


# -- mended_loss_rules ------------------------------------------------------------------------------------------------


@wrong(
    "mended_loss_rules",
    "two_of_three",
    "You found two. The third is right for logits of ordinary size: examine it at 1,000 and at -1,000.",
)
def mended_loss_rules():
    return {
        "huber": lambda g, out, x, y: (g * np.clip(x - y, -1, 1) / x.size,),
        "distance": lambda g, out, x, y: (g * (x - y) / len(x),),
    }


@wrong(
    "mended_loss_rules",
    "mends_what_is_right",
    "One of yours is a rule that was right: its error is 0 wherever you examine it.",
)
def mended_loss_rules():
    return {
        "log_cosh": lambda g, out, x, y: (g * np.tanh(x - y) / x.size,),
        "distance": lambda g, out, x, y: (g * (x - y) / len(x),),
        "logistic": lambda g, out, x, y: (-g * y * sigmoid(-y * x) / x.size,),
    }


@wrong(
    "mended_loss_rules",
    "all_five",
    "You returned a rule for each of the five. Return those that were wrong, and no other.",
)
def mended_loss_rules():
    return {
        "absolute": lambda g, out, x, y: (g * np.sign(x - y) / x.size,),
        "huber": lambda g, out, x, y: (g * np.clip(x - y, -1, 1) / x.size,),
        "log_cosh": lambda g, out, x, y: (g * np.tanh(x - y) / x.size,),
        "distance": lambda g, out, x, y: (g * (x - y) / len(x),),
        "logistic": lambda g, out, x, y: (-g * y * sigmoid(-y * x) / x.size,),
    }


@wrong(
    "mended_loss_rules",
    "distance_by_all_elements",
    "Your distance divides by the number of all elements. Its mean is taken over the rows.",
)
def mended_loss_rules():
    return {
        "huber": lambda g, out, x, y: (g * np.clip(x - y, -1, 1) / x.size,),
        "distance": lambda g, out, x, y: (g * (x - y) / x.size,),
        "logistic": lambda g, out, x, y: (-g * y * sigmoid(-y * x) / x.size,),
    }


@wrong(
    "mended_loss_rules",
    "huber_one_sided",
    "Your huber has the slope 1 far above the target, and far below it too. There the line falls.",
)
def mended_loss_rules():
    return {
        "huber": lambda g, out, x, y: (g * np.where(np.abs(x - y) < 1, x - y, 1.0) / x.size,),
        "distance": lambda g, out, x, y: (g * (x - y) / len(x),),
        "logistic": lambda g, out, x, y: (-g * y * sigmoid(-y * x) / x.size,),
    }


@wrong(
    "mended_loss_rules",
    "huber_cut_off",
    "Your huber sends nothing back from far away. The line there has a slope too.",
)
def mended_loss_rules():
    return {
        "huber": lambda g, out, x, y: (g * np.where(np.abs(x - y) < 1, x - y, 0.0) / x.size,),
        "distance": lambda g, out, x, y: (g * (x - y) / len(x),),
        "logistic": lambda g, out, x, y: (-g * y * sigmoid(-y * x) / x.size,),
    }


STILL_OVERFLOWS = "Your logistic still takes exp of a large number (`np.where` computes both of its branches). 1 / (1 + exp(...)) is a sigmoid itself: multiply by it."


@wrong(
    "mended_loss_rules",
    "logistic_still_overflows",
    STILL_OVERFLOWS,
)
def mended_loss_rules():
    return {
        "huber": lambda g, out, x, y: (g * np.clip(x - y, -1, 1) / x.size,),
        "distance": lambda g, out, x, y: (g * (x - y) / len(x),),
        "logistic": lambda g, out, x, y: (-g * y / (1 + np.exp(y * x)) / x.size,),
    }


@wrong(
    "mended_loss_rules",
    "logistic_by_the_wrong_sign",
    "Your logistic pushes where the answer is right already. Which sign does the argument of sigmoid have?",
)
def mended_loss_rules():
    return {
        "huber": lambda g, out, x, y: (g * np.clip(x - y, -1, 1) / x.size,),
        "distance": lambda g, out, x, y: (g * (x - y) / len(x),),
        "logistic": lambda g, out, x, y: (-g * y * sigmoid(y * x) / x.size,),
    }


@wrong(
    "mended_loss_rules", "the_old_ones", "Your distance gives what the colleague's gives: it is not yet divided. Its mean is taken over the rows. And if the other two are as the colleague wrote them, mend them, too."
)
def mended_loss_rules():
    return {name: CONTRIBUTED[name][1] for name in ("huber", "distance", "logistic")}


@wrong(
    "mended_loss_rules",
    "no_huber",
    "You found two. The third is right close to the target: examine it where x and y are more than 1 apart.",
)
def mended_loss_rules():
    return {
        "distance": lambda g, out, x, y: (g * (x - y) / len(x),),
        "logistic": lambda g, out, x, y: (-g * y * sigmoid(-y * x) / x.size,),
    }


@wrong(
    "mended_loss_rules",
    "no_distance",
    "You found two. The third is right for arrays of one row: examine it with several.",
)
def mended_loss_rules():
    return {
        "huber": lambda g, out, x, y: (g * np.clip(x - y, -1, 1) / x.size,),
        "logistic": lambda g, out, x, y: (-g * y * sigmoid(-y * x) / x.size,),
    }


@wrong(
    "mended_loss_rules",
    "distance_of_two_rows",
    "Your distance divides by 2, and so it is right for two rows. The mean is taken over as many rows as there are.",
)
def mended_loss_rules():
    return {
        "huber": lambda g, out, x, y: (g * np.clip(x - y, -1, 1) / x.size,),
        "distance": lambda g, out, x, y: (g * (x - y) / 2,),
        "logistic": lambda g, out, x, y: (-g * y * sigmoid(-y * x) / x.size,),
    }


@wrong(
    "mended_loss_rules",
    "distance_twice",
    "Your distance is twice too large: the slope of a square has a 2, and the loss has a half in front.",
)
def mended_loss_rules():
    return {
        "huber": lambda g, out, x, y: (g * np.clip(x - y, -1, 1) / x.size,),
        "distance": lambda g, out, x, y: (g * 2 * (x - y) / len(x),),
        "logistic": lambda g, out, x, y: (-g * y * sigmoid(-y * x) / x.size,),
    }


@wrong(
    "mended_loss_rules",
    "no_tuple",
    "One of yours sends back an array. Rules send back a tuple, one cotangent for each input: here a tuple of one.",
)
def mended_loss_rules():
    return {
        "huber": lambda g, out, x, y: g * np.clip(x - y, -1, 1) / x.size,
        "distance": lambda g, out, x, y: g * (x - y) / len(x),
        "logistic": lambda g, out, x, y: -g * y * sigmoid(-y * x) / x.size,
    }


@wrong("mended_loss_rules", "none", "You found none yet: examine the five with several rows, and far from their targets.")
def mended_loss_rules():
    return {}


RULES = {
    "distance": "lambda g, out, x, y: (g * (x - y) / len(x),)",
    "huber": "lambda g, out, x, y: (g * np.clip(x - y, -1, 1) / x.size,)",
    "logistic": "lambda g, out, x, y: (-g * y * sigmoid(-y * x) / x.size,)",
}
FAULTS = [
    ("distance", "by_columns", "(g * (x - y) / x.shape[1],)",
     "Your distance divides by the number of columns. Its mean is taken over the rows."),
    ("distance", "by_size", "(g * (x - y) / x.size,)",
     "Your distance divides by the number of all elements. Its mean is taken over the rows."),
    ("distance", "of_three_rows", "(g * (x - y) / 3,)",
     "Your distance divides by 3, and so it is right for three rows. The mean is taken over as many rows as there are."),
    ("huber", "sign", "(g * np.sign(x - y) / x.size,)",
     "Your huber has the slope 1 or -1 everywhere. Close to the target the loss is a parabola, and its slope x - y."),
    ("huber", "early_corner", "(g * np.where(np.abs(x - y) < 0.8, x - y, np.sign(x - y)) / x.size,)",
     "Your huber leaves the parabola too early: its line begins where the distance is 1."),
    ("huber", "from_above", "(g * np.minimum(x - y, 1) / x.size,)",
     "Your huber is a line above the target only. Far below it the loss is a line, too, with the slope -1."),
    ("logistic", "overflow", "(-g * y / (1 + np.exp(y * x)) / x.size,)",
     STILL_OVERFLOWS),
    ("logistic", "over_a_sigmoid", "(-g * y / sigmoid(y * x) / x.size,)",
     "Your logistic divides by something that is 0 here, as a sigmoid may be. 1 / (1 + exp(...)) is a sigmoid itself: multiply by it."),
    ("logistic", "turned_around", "(-g * y * sigmoid(y * x) / x.size,)",
     "Your logistic pushes where the answer is right already. Which sign does the argument of sigmoid have?"),
]  # fmt: skip


def with_some_of_the_others(faults):
    """An entry for each fault beside each choice of right rules: learners mend one rule, or two, before all three."""
    for name, fault, code, sentence in faults:
        for others in ([], *([one] for one in RULES if one != name), [one for one in RULES if one != name]):
            rules = {name: f"lambda g, out, x, y: {code}", **{one: RULES[one] for one in others}}
            if (fault, len(others)) in {("by_size", 2), ("overflow", 2), ("turned_around", 2)}:
                continue  # they stand above
            wrong(
                "mended_loss_rules",
                "_".join([name, fault, *(f"with_{one}" for one in others)]),
                sentence,
                source="def mended_loss_rules():\n    return {\n"
                + "".join(f'        "{one}": {rule},\n' for one, rule in rules.items())
                + "    }\n",
            )


with_some_of_the_others(FAULTS)


for _names in (["distance"], ["huber"], ["logistic"], ["distance", "huber"], ["distance", "logistic"],
               ["huber", "logistic"], list(RULES)):  # fmt: skip
    wrong(
        "mended_loss_rules",
        "_".join(["a_loss_and_a_rule_for", *_names]),
        "The value of a name is not a rule but a tuple or a list, such as the pair of a loss and its rule in CONTRIBUTED. Give the rule alone.",
        source="def mended_loss_rules():\n    return {\n"
        + "".join(f'        "{one}": (CONTRIBUTED["{one}"][0], {RULES[one]}),\n' for one in _names)
        + "    }\n",
    )


@wrong(
    "mended_loss_rules",
    "names_only",
    "Names alone are returned, in a list or a tuple. A dict is wanted, with a rule for each name.",
)
def mended_loss_rules():
    return ["huber", "distance", "logistic"]


@right("mended_loss_rules", "with_def")
def mended_loss_rules():
    def huber_rule(g, out, x, y):
        d = x - y
        return (g * np.where(np.abs(d) < 1, d, np.sign(d)) / d.size,)

    def distance_rule(g, out, x, y):
        return (g * (x - y) / x.shape[0],)

    def logistic_fixed(g, out, x, y):
        return (g / x.size * y * (sigmoid(y * x) - 1),)

    return dict(huber=huber_rule, distance=distance_rule, logistic=logistic_fixed)


@right("mended_loss_rules", "a_safe_exp")
def mended_loss_rules():
    def logistic_fixed(g, out, x, y):
        e = np.exp(-np.abs(x))
        p = np.where(y * x > 0, e, 1.0) / (1 + e)
        return (-g * y * p / x.size,)

    mended = {"logistic": logistic_fixed}
    mended["huber"] = lambda g, out, x, y: (g * np.minimum(np.maximum(x - y, -1), 1) / x.size,)
    mended["distance"] = lambda g, out, x, y: (g * (x - y) / len(y),)
    return mended


@wrong(
    "mended_loss_rules",
    "huber_in_place",
    "Your huber writes into x, as `-=` does: the predictions are others afterwards. Make a new array of the difference.",
)
def mended_loss_rules():
    def huber_rule(g, out, x, y):
        x -= y
        return (g * np.clip(x, -1, 1) / x.size,)

    return {
        "huber": huber_rule,
        "distance": lambda g, out, x, y: (g * (x - y) / len(x),),
        "logistic": lambda g, out, x, y: (-g * y * sigmoid(-y * x) / x.size,),
    }


@wrong("mended_loss_rules", "lambda_of_the_last", "All rules send what the last one does: a `lambda` that is made in a loop looks its names up when it is called, after the loop. Bind them: `lambda g, out, x, y, slope=slope: ...`.")
def mended_loss_rules():
    slopes = {
        "huber": lambda x, y: np.clip(x - y, -1, 1) / x.size,
        "distance": lambda x, y: (x - y) / len(x),
        "logistic": lambda x, y: -y * sigmoid(-y * x) / x.size,
    }
    rules = {}
    for name, slope in slopes.items():
        rules[name] = lambda g, out, x, y: (g * slope(x, y),)
    return rules


@wrong("mended_loss_rules", "nan_made_zero", "Where an example is far on the wrong side your logistic sends 0, and e / (1 + e) is 1 there: infinity over infinity gave NaN, and that was made 0. `sigmoid(-y * x)` needs no such mending.")
def mended_loss_rules():
    def logistic(g, out, x, y):
        with np.errstate(all="ignore"):
            e = np.exp(-y * x)
            share = np.nan_to_num(e / (1 + e))
        return (-g * y * share / x.size,)

    return {
        "huber": lambda g, out, x, y: (g * np.clip(x - y, -1, 1) / x.size,),
        "distance": lambda g, out, x, y: (g * (x - y) / len(x),),
        "logistic": logistic,
    }


MORE_FAULTS = [
    ("logistic", "zero_for_no", "(g * (sigmoid(x) - y) / x.size,)",
     "Your logistic is the rule of binary cross-entropy for targets of 0 and 1. Here no is -1: the slope is -y * sigmoid(-y * x)."),
    ("logistic", "without_y", "(-g * sigmoid(-y * x) / x.size,)",
     "Your logistic pushes all logits up, those whose answer is no as well. The factor y in front is missing, which is -1 for no."),
    ("huber", "by_the_size_of_x", "(g * np.where(np.abs(x) < 1, x - y, np.sign(x - y)) / x.size,)",
     "Your huber asks whether x itself is smaller than 1. The distance counts: `np.abs(x - y) < 1`."),
    ("huber", "limit_of_a_half", "(g * np.clip(x - y, -0.5, 0.5) / x.size,)",
     "Your huber cuts the slope off at 0.5. The parabola goes on to the distance 1, and the line behind it has the slope 1."),
    ("distance", "without_g", "((x - y) / len(x),)",
     "Your distance sends half of what it should where g is 2. Either g is missing, or there is a half too many: the one of the loss cancels with the 2 of the square."),
]  # fmt: skip
with_some_of_the_others(MORE_FAULTS)
