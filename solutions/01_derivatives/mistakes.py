"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 01_derivatives`) and they diagnose: a student's answer that behaves like one
of these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the
functions use (math, np) are the notebook's.
"""

from autograder.referee.bank import changed, right, wrong

# -- polynomial -------------------------------------------------------------------------------------------------------


@wrong("polynomial", "highest_power_first", "The parameters are taken in the opposite order. p[0] is the constant, without any x.")
def polynomial(p, x):
    return np.polyval(p, x)


@wrong("polynomial", "one_power_too_many", "Every power is too high by one. p[0] belongs to x**0, which is 1.")
def polynomial(p, x):
    total = np.zeros_like(x)
    for k, coefficient in enumerate(p):
        total = total + coefficient * x ** (k + 1)
    return total


@wrong("polynomial", "line_only", "This is a line. The function has to take as many parameters as p has.")
def polynomial(p, x):
    return p[0] + p[1] * x


@wrong("polynomial", "along_the_first_axis", "An x of shape () has no axis to go along, and x may have any shape: powers and products of arrays need no loop over places.")
def polynomial(p, x):
    return np.array([sum(c * value**k for k, c in enumerate(p)) for value in x])


@wrong("polynomial", "parabola_only", "x**3 has no share here. The function has to take as many parameters as p has, up to the last.")
def polynomial(p, x):
    return sum(p[k] * x**k for k in range(min(len(p), 3)))


@wrong("polynomial", "times_k", "You multiplied by the exponent instead of taking the power: x * k is not x**k.")
def polynomial(p, x):
    total = np.zeros_like(x)
    for k, coefficient in enumerate(p):
        total = total + coefficient * x * k
    return total


@wrong("polynomial", "last_term_only", "Only the last term is there. Does each round overwrite what was there? The terms have to be added up.")
def polynomial(p, x):
    for k, coefficient in enumerate(p):
        total = coefficient * x**k
    return total


@wrong("polynomial", "one_number", "You added up the values at all x. The result holds one value for each x.")
def polynomial(p, x):
    return sum((coefficient * x**k).sum() for k, coefficient in enumerate(p))


@wrong("polynomial", "a_list", "The values are right. Return them in an array, so that the targets can be subtracted.")
def polynomial(p, x):
    return [sum(c * value**k for k, c in enumerate(p)) for value in x.tolist()]


@wrong("polynomial", "changes_x", "The values are right, but an argument holds other numbers after the call: `[...] =` writes into it, and so does `*=` where the name on its left is x itself. Make new arrays.")
def polynomial(p, x):
    total = p[0] + 0.0 * x
    power, factor = x, x.copy()
    for coefficient in p[1:]:
        total = total + coefficient * power
        power *= factor
    return total


@wrong("polynomial", "place_by_its_number", "Two equal parameters get the same power here, as where `index` finds the first of them both times. enumerate gives each its own.")
def polynomial(p, x):
    numbers = p.tolist()
    return sum(c * x ** numbers.index(c) for c in numbers)


@right("polynomial", "horner")
def polynomial(p, x):
    total = 0.0 * x
    for coefficient in reversed(p):
        total = total * x + coefficient
    return total


@right("polynomial", "numpy_in_its_order")
def polynomial(p, x):
    return np.polyval(p[::-1], x)


@right("polynomial", "sum_of_terms")
def polynomial(p, x):
    return sum(c * x**k for k, c in enumerate(p))


@wrong("polynomial", "a_zero_ends_it", "The sum ends at the first parameter that is 0, and those behind it are left out. A 0 adds nothing, and the loop goes on.")
def polynomial(p, x):
    total, k = np.zeros(np.shape(x)), 0
    while k < len(p) and p[k] != 0:
        total = total + p[k] * x**k
        k += 1
    return total


@wrong("polynomial", "vander", "Where x has two rows the shapes do not fit: something is made for one axis, as by `np.zeros(len(x))` or `np.vander(x)`. Powers `x**k` have the shape of x, whatever it is.")
def polynomial(p, x):
    return np.vander(x, len(p), increasing=True) @ p


@wrong("polynomial", "zeros_of_len", "Where x has two rows the shapes do not fit: something is made for one axis, as by `np.zeros(len(x))` or `np.vander(x)`. Powers `x**k` have the shape of x, whatever it is.")
def polynomial(p, x):
    total = np.zeros(len(x))
    for k, coefficient in enumerate(p):
        total += coefficient * x**k
    return total


@wrong("polynomial", "rounded", "Small values have lost their digits here: they are rounded, or count as 0. Return them as they come out.")
def polynomial(p, x):
    return np.round(sum(c * x**k for k, c in enumerate(p)), 8)


@right("polynomial", "vectorized")
def polynomial(p, x):
    return np.vectorize(lambda value: sum(c * value**k for k, c in enumerate(p)))(x)


TERMS = """
def polynomial(p, x):
    total = np.zeros_like(x)
    for k, c in enumerate(p):
        total = total + c * x**k
    return total
"""

wrong("polynomial", "parameter_to_the_power", "Each parameter is raised to the power, too. Only x is: take its power first, and multiply that by the parameter.", source=changed(TERMS, ("c * x**k", "(c * x) ** k")))
wrong("polynomial", "return_in_the_loop", "The values are those of the constant p[0] alone, and the terms with x are missing. Does the `return` stand inside the loop, or does the loop end too early?", source=changed(TERMS, ("    return", "        return")))
wrong("polynomial", "zeros_like_p", "An array of 4 meets one of 3, as when zeros are made in the shape of p, or p stands where p[k] is meant. The result has the shape of x: begin with `np.zeros_like(x)`, and take one parameter in each round.", source=changed(TERMS, ("zeros_like(x)", "zeros_like(p)")))


@wrong("polynomial", "axis_behind_the_first", "Where x has two rows the shapes do not fit: `x[:, None]` puts the new axis behind the first one. `x[..., None]` puts it last, and there the powers are added up, by `axis=-1`.")
def polynomial(p, x):
    return (p * x[:, None] ** np.arange(len(p))).sum(axis=1)


@wrong("polynomial", "product_along_the_rows", "Where x has two rows, `p @ powers` and `np.dot` add up along these rows, and not along the powers. `np.tensordot(p, powers, 1)` adds along the first axis, as a loop over k does.")
def polynomial(p, x):
    return p @ np.array([x**k for k in range(len(p))])


@wrong("polynomial", "powers_turned", "The values are right, but rows and columns have changed places: `.T` turns the axes of x around, too. The result has the shape of x.")
def polynomial(p, x):
    return np.array([x**k for k in range(len(p))]).T @ p


@wrong("polynomial", "horner_from_the_last", "Of one parameter alone a single number comes back. There is one value for each x: begin with an array like x, as `np.zeros_like(x)` makes it.")
def polynomial(p, x):
    total = p[-1]
    for c in p[-2::-1]:
        total = total * x + c
    return total


@wrong("polynomial", "as_it_lies", "The values stand at other places where x lies by columns in memory, as x.T does: ravel(\"K\") reads it as it lies.")
def polynomial(p, x):
    flat = x.ravel("K")
    values = np.vander(flat, len(p), increasing=True) @ p
    return values.reshape(x.shape)


# -- mean_squared_error -----------------------------------------------------------------------------------------------


@wrong("mean_squared_error", "an_array_of_one", "The loss stands in an array of one. Return the number itself: `mean()` gives it, unless keepdims, an axis or brackets put it into an array.")
def mean_squared_error(predictions, targets):
    return ((predictions - targets) ** 2).mean(keepdims=True)


@wrong("mean_squared_error", "sum", "This is the sum of the squares. The mean divides it by how many there are.")
def mean_squared_error(predictions, targets):
    return ((predictions - targets) ** 2).sum()


@wrong("mean_squared_error", "half_the_sum", "The sum of the squares is divided by 2 here, and there are 3 of them. The mean divides it by how many there are.")
def mean_squared_error(predictions, targets):
    return ((predictions - targets) ** 2).sum() / 2


@wrong("mean_squared_error", "root", "The mean is right, and then you took its root. The loss is the mean itself.")
def mean_squared_error(predictions, targets):
    return np.sqrt(((predictions - targets) ** 2).mean())


@wrong("mean_squared_error", "no_square", "The differences were averaged without a square, so 2 and -2 cancel.")
def mean_squared_error(predictions, targets):
    return (predictions - targets).mean()


@wrong("mean_squared_error", "square_of_the_mean", "You squared the mean. Square each difference first, then take the mean.")
def mean_squared_error(predictions, targets):
    return (predictions - targets).mean() ** 2


@wrong("mean_squared_error", "square_of_the_mean_size", "This is the mean size of the differences, squared. Square each difference first, then take the mean.")
def mean_squared_error(predictions, targets):
    return np.abs(predictions - targets).mean() ** 2


@wrong("mean_squared_error", "variance", "This is the variance: it takes the mean difference off before it squares. An error that all predictions share counts, too.")
def mean_squared_error(predictions, targets):
    return np.var(predictions - targets)


@wrong("mean_squared_error", "absolute", "These are absolute differences. The squared error counts a difference of 3 nine times.")
def mean_squared_error(predictions, targets):
    return np.abs(predictions - targets).mean()


@wrong("mean_squared_error", "half", "The factor one half, which some books add, is not in our formula.")
def mean_squared_error(predictions, targets):
    return ((predictions - targets) ** 2).mean() / 2


@wrong("mean_squared_error", "array_of_squares", "These are the squares. One number is missing: their mean.")
def mean_squared_error(predictions, targets):
    return (predictions - targets) ** 2


@wrong("mean_squared_error", "in_place", "The number is right, but a caller's array now holds other numbers: `-=` and `out=` write into it. `-` makes a new one.")
def mean_squared_error(predictions, targets):
    predictions -= targets
    return (predictions**2).mean()


@right("mean_squared_error", "with_a_loop")
def mean_squared_error(predictions, targets):
    total = 0.0
    for prediction, target in zip(predictions, targets):
        total += (prediction - target) ** 2
    return total / len(targets)


@right("mean_squared_error", "dot_product")
def mean_squared_error(predictions, targets):
    errors = targets - predictions
    return float(errors @ errors / errors.size)


@wrong(
    "mean_squared_error",
    "in_whole_numbers",
    "Something takes the type of the predictions, as `zeros_like` does: where they are whole numbers, decimals are lost.",
)
def mean_squared_error(predictions, targets):
    errors = np.zeros_like(predictions)
    for i in range(len(predictions)):
        errors[i] = (predictions[i] - targets[i]) ** 2
    return errors.mean()


@wrong(
    "mean_squared_error",
    "set_of_squares",
    "Equal squares count once here: each prediction has its own error, even where two are of the same size.",
)
def mean_squared_error(predictions, targets):
    squares = {float(s) for s in (predictions - targets) ** 2}
    return sum(squares) / len(squares)


@wrong("mean_squared_error", "multiplied_out", "Large numbers that differ by little lose their difference here, as when the square is multiplied out: three huge terms cancel. Subtract first, then square.")
def mean_squared_error(predictions, targets):
    return (predictions**2).mean() - 2 * (predictions * targets).mean() + (targets**2).mean()


@wrong("mean_squared_error", "counts_the_misses", "The sum is divided by how many predictions are off. An exact hit counts, too, with an error of 0: divide by how many there are.")
def mean_squared_error(predictions, targets):
    errors = predictions - targets
    off = np.count_nonzero(errors)
    return (errors**2).sum() / off if off else 0.0


@wrong("mean_squared_error", "difference_of_squares", "These are the squares of the predictions less those of the targets. The difference comes first, and then its square.")
def mean_squared_error(predictions, targets):
    return (predictions**2 - targets**2).mean()


@wrong("mean_squared_error", "small_ones_are_none", "Small differences count as 0 here, or their mean is rounded. However small they are, they have squares, too.")
def mean_squared_error(predictions, targets):
    errors = predictions - targets
    errors[np.abs(errors) < 1e-3] = 0.0
    return (errors**2).mean()


@wrong("mean_squared_error", "rounded", "Small differences count as 0 here, or their mean is rounded. However small they are, they have squares, too.")
def mean_squared_error(predictions, targets):
    return round(float(((predictions - targets) ** 2).mean()), 9)


@wrong("mean_squared_error", "each_pair_once", "Of equal pairs one is counted, as in a set. Every prediction has its target, and equal pairs count each.")
def mean_squared_error(predictions, targets):
    pairs = set(zip(predictions, targets))
    return sum((p - y) ** 2 for p, y in pairs) / len(pairs)


@wrong("mean_squared_error", "norm_by_the_number", "The root of the sum of the squares is divided by how many there are. Leave the root out, which `np.linalg.norm` takes, too: divide the sum itself.")
def mean_squared_error(predictions, targets):
    return np.linalg.norm(predictions - targets) / len(targets)


@wrong("mean_squared_error", "median", "This is the middle one of the squares. The loss is their mean.")
def mean_squared_error(predictions, targets):
    return np.median((predictions - targets) ** 2)


@wrong("mean_squared_error", "whole_division", "12 is 38 / 3 rounded down, as by `//`. The mean is divided by `/`, and stays as it comes out.")
def mean_squared_error(predictions, targets):
    return ((predictions - targets) ** 2).sum() // len(targets)


@wrong("mean_squared_error", "by_three", "The sum of two squares is divided by 3 here, as that of three. Divide by how many there are: `len(targets)`, or take `mean()`.")
def mean_squared_error(predictions, targets):
    return ((predictions - targets) ** 2).sum() / 3


@wrong("mean_squared_error", "halved_each_round", "The sum is divided in every round here, so that the last error counts most. Add up all squares first, and divide by their number once.")
def mean_squared_error(predictions, targets):
    squares = (predictions - targets) ** 2
    mean = squares[0]
    for square in squares[1:]:
        mean = (mean + square) / 2
    return mean


# -- random_step ------------------------------------------------------------------------------------------------------


@wrong("random_step", "nan_moves", "Of a change whose loss is NaN you take the parameters: no comparison with NaN is True, so `>=` lets it through. Ask whether the new loss is smaller.")
def random_step(loss, p, change):
    candidate = p + change
    if loss(candidate) >= loss(p):
        return p
    return candidate


@wrong("random_step", "always_moves", "The change is kept whatever it does to the loss. Keep it only if the loss gets smaller, and compare before anything is written into p: `+=` on another name of p does that.")
def random_step(loss, p, change):
    return p + change


@wrong("random_step", "never_moves", "The result is p every time. What if the loss at p + change is smaller?")
def random_step(loss, p, change):
    candidate = p + change
    if loss(candidate) < loss(p):
        p = p
    return p


@wrong("random_step", "uphill", "Here the change is kept where the loss gets *larger*. Is the comparison the wrong way round? Or is it one of a ratio? Where losses are below 0, a ratio below 1 says the opposite.")
def random_step(loss, p, change):
    candidate = p + change
    return candidate if loss(candidate) > loss(p) else p


@wrong("random_step", "in_place", "p itself has changed: `p += change` and `p[:] = ...` write into the caller's array. p + change makes a new one, and leaves p where it was.")
def random_step(loss, p, change):
    before = loss(p)
    p += change
    if loss(p) < before:
        return p
    return p - change


@wrong("random_step", "judges_the_change", "You computed the loss of the change alone. The candidate is p + change.")
def random_step(loss, p, change):
    return p + change if loss(change) < loss(p) else p


@wrong("random_step", "returns_the_loss", "This returns the smaller loss. The parameters that belong to it are asked for.")
def random_step(loss, p, change):
    return min(loss(p + change), loss(p))


@wrong("random_step", "turns_around", "Where the change does not help, you go the opposite way without looking. Stay at p instead.")
def random_step(loss, p, change):
    candidate = p + change
    return candidate if loss(candidate) < loss(p) else p - change


@wrong("random_step", "tries_both", "The second result is p - change. It may have a smaller loss, and is not asked for: what comes back is p + change or p.")
def random_step(loss, p, change):
    best = p
    for candidate in (p + change, p - change):
        if loss(candidate) < loss(best):
            best = candidate
    return best


@wrong("random_step", "negative_means_better", "Whether the new loss is below 0 says nothing. Compare it with the old one.")
def random_step(loss, p, change):
    candidate = p + change
    return candidate if loss(candidate) < 0 else p


@wrong("random_step", "an_equal_loss_moves", "Where both losses are equal you take the change. Only a smaller loss counts: where both are equal, p stays.")
def random_step(loss, p, change):
    candidate = p + change
    return candidate if loss(candidate) <= loss(p) else p


@right("random_step", "returns_copies")
def random_step(loss, p, change):
    candidate = p + change
    return candidate if loss(candidate) < loss(p) else p.copy()


@right("random_step", "by_min")
def random_step(loss, p, change):
    return min([p, p + change], key=loss)


@right("random_step", "early_return")
def random_step(loss, p, change):
    new_p = np.add(p, change)
    if not loss(new_p) < loss(p):
        return p
    return new_p


@wrong(
    "random_step",
    "into_change",
    "The caller's change holds other numbers after the call, as `change += p` makes it. `p + change` makes a new array.",
)
def random_step(loss, p, change):
    old = loss(p)
    change += p
    return change if loss(change) < old else p


@wrong("random_step", "steps_and_goes_back", "p has lost its numbers to a huge change: adding it and subtracting it again does not lead back, as floats are rounded. Keep the old p, and make a new array of p + change.")
def random_step(loss, p, change):
    before = loss(p)
    p += change
    after, moved = loss(p), p.copy()
    p -= change
    return moved if after < before else p


@wrong("random_step", "loss_of_the_ball", "What is kept here fits the loss of the ball, and not the one that is given. Is it `ball_loss` that you call? The argument's name is `loss`.")
def random_step(loss, p, change):
    def ball_loss(p):
        return ((p[0] + p[1] * seconds - metres) ** 2).mean()

    return p + change if ball_loss(p + change) < ball_loss(p) else p


@wrong("random_step", "nearly_equal_stays", "This loss is large, and a little smaller at p + change; you stay at p. A little smaller is smaller: compare both losses as they are.")
def random_step(loss, p, change):
    new, old = loss(p + change), loss(p)
    return p + change if new < old and not math.isclose(new, old) else p


@wrong("random_step", "change_comes_back", "Where the loss gets smaller, the change alone comes back. Return p + change, whose loss it is.")
def random_step(loss, p, change):
    return change if loss(p + change) < loss(p) else p


@wrong("random_step", "nearer_to_zero", "The change is kept where the loss comes nearer to 0, as where `abs` or a square is compared. Losses may be below 0, and -15.75 is smaller than -10: compare them as they are.")
def random_step(loss, p, change):
    return p + change if abs(loss(p + change)) < abs(loss(p)) else p


@wrong("random_step", "each_number_on_its_own", "A part of the change is kept here, as where each number is tried on its own. p + change is one candidate: take all of it or nothing.")
def random_step(loss, p, change):
    for i in range(len(p)):
        candidate = p.copy()
        candidate[i] += change[i]
        if loss(candidate) < loss(p):
            p = candidate
    return p


@wrong("random_step", "with_its_loss", "The loss comes back, too. Return the parameters alone.")
def random_step(loss, p, change):
    q = p + change
    return (q, loss(q)) if loss(q) < loss(p) else (p, loss(p))


# -- difference_quotients ---------------------------------------------------------------------------------------------


@wrong("difference_quotients", "forward_rise_only", "This is the rise. A slope is the rise divided by the step.")
def forward_difference(f, x, h):
    return f(x + h) - f(x)


@wrong("difference_quotients", "forward_no_parentheses", "Only f(x) is divided by h here: / binds tighter than -. The difference needs parentheses.")
def forward_difference(f, x, h):
    return f(x + h) - f(x) / h


@wrong("difference_quotients", "forward_steps_up", "The result is 1 whatever f is: f(x) + h is a step upwards, and x + h - x has no f in it. The step goes to the right, inside the call of f.")
def forward_difference(f, x, h):
    return (f(x) + h - f(x)) / h


@wrong("difference_quotients", "forward_backwards", "You stepped to the left of x. The forward difference steps to the right.")
def forward_difference(f, x, h):
    return (f(x) - f(x - h)) / h


@wrong("difference_quotients", "forward_wrong_order", "Every slope has the wrong sign. Rise and step go the same way, from x to x + h: the end of each minus its beginning.")
def forward_difference(f, x, h):
    return (f(x) - f(x + h)) / h


@wrong("difference_quotients", "forward_both_sides", "This steps to both sides, which is the other formula. Here f is needed at x and at x + h.")
def forward_difference(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


@wrong("difference_quotients", "forward_times_step", "You multiplied the rise by the step. A slope is the rise *per* step.")
def forward_difference(f, x, h):
    return (f(x + h) - f(x)) * h


@wrong("difference_quotients", "forward_own_step", "The step is not yours to choose: h is an argument, and the caller may give any.")
def forward_difference(f, x, h):
    h = 1e-6
    return (f(x + h) - f(x)) / h


@wrong("difference_quotients", "forward_no_tiny_step", "The step is not yours to choose: h is an argument, and the caller may give any.")
def forward_difference(f, x, h):
    h = max(h, 1e-8)
    return (f(x + h) - f(x)) / h


@wrong("difference_quotients", "forward_fits_the_examples", "This gives the numbers of the visible check and nothing else. Write the formula for any f, x and h.")
def forward_difference(f, x, h):
    return {0.1: 6.1, 0.5: 6.5 if x == 3.0 else 1.75, 0.25: -2.0}.get(h, 0.0)


@right("difference_quotients", "forward_in_steps")
def forward_difference(f, x, h):
    here = f(x)
    there = f(x + h)
    rise = there - here
    return rise / h


@right("difference_quotients", "forward_by_the_two_points")
def forward_difference(f, x, h):
    x1, x2 = x, x + h
    return (f(x1) - f(x2)) / (x1 - x2)


@wrong("difference_quotients", "central_one_step", "The two points are two steps apart, and you divided by one.")
def central_difference(f, x, h):
    return (f(x + h) - f(x - h)) / h


@wrong("difference_quotients", "central_multiplied_by_h", "You divided by 2 and multiplied by h, as / 2 * h does. Put the whole distance in parentheses.")
def central_difference(f, x, h):
    return (f(x + h) - f(x - h)) / 2 * h


@wrong("difference_quotients", "central_forward", "This is the forward difference. The second point lies as far to the left of x as the first to the right.")
def central_difference(f, x, h):
    return (f(x + h) - f(x)) / h


@wrong("difference_quotients", "central_from_the_middle", "You went one step from x and divided by two. The second point is x - h, not x.")
def central_difference(f, x, h):
    return (f(x + h) - f(x)) / (2 * h)


@wrong("difference_quotients", "central_half_steps", "You went half a step to each side. Here each side gets a whole step h.")
def central_difference(f, x, h):
    return (f(x + h / 2) - f(x - h / 2)) / h


@wrong("difference_quotients", "central_sum", "You added the two values. A slope comes from their difference.")
def central_difference(f, x, h):
    return (f(x + h) + f(x - h)) / (2 * h)


@wrong("difference_quotients", "central_wrong_order", "Every slope has the wrong sign, as left minus right gives it. Rise and distance go the same way, from x - h to x + h.")
def central_difference(f, x, h):
    return (f(x - h) - f(x + h)) / (2 * h)


@wrong("difference_quotients", "central_from_the_library", "These are the true slopes, or nearly: another h was taken, or a finer rule. Write the central difference, with the h that is given.")
def central_difference(f, x, h):
    from autograder import numerical_gradient

    return numerical_gradient(f, x)[0]


@right("difference_quotients", "central_mean_of_two_slopes")
def central_difference(f, x, h):
    to_the_right = (f(x + h) - f(x)) / h
    to_the_left = (f(x) - f(x - h)) / h
    return (to_the_right + to_the_left) / 2


@right("difference_quotients", "central_through_the_forward_rule")
def central_difference(f, x, h):
    start, distance = x - h, 2 * h
    return (f(start + distance) - f(start)) / distance


wrong(
    "difference_quotients",
    "size_of_the_step",
    "You divided by the size of h. A step to the left has a negative h, and then the sign is wrong.",
    source="""
def forward_difference(f, x, h):
    return (f(x + h) - f(x)) / abs(h)


def central_difference(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * abs(h))
""",
)


wrong(
    "difference_quotients",
    "zero_is_missing",
    "A value of 0 is taken for a missing one, as `or` does, and another stands in its place: f(x) may be 0.",
    source="""
def forward_difference(f, x, h):
    start = f(x) or f(x - h)
    return (f(x + h) - start) / h


def central_difference(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)
""",
)


@wrong("difference_quotients", "central_to_the_right", "The way goes from x to x + 2 * h here. It has to begin at x - h: x lies in its middle.")
def central_difference(f, x, h):
    return forward_difference(f, x, 2 * h)


wrong(
    "difference_quotients",
    "small_rise_is_none",
    "A small rise counts as 0 here, or is rounded. However small it is, it is a rise: divide it by the distance.",
    source="""
def forward_difference(f, x, h):
    rise = f(x + h) - f(x)
    return 0.0 if abs(rise) < 1e-8 else rise / h


def central_difference(f, x, h):
    rise = f(x + h) - f(x - h)
    return 0.0 if abs(rise) < 1e-8 else rise / (2 * h)
""",
)


wrong(
    "difference_quotients",
    "close_values_are_equal",
    "A small rise counts as 0 here, or is rounded. However small it is, it is a rise: divide it by the distance.",
    source="""
def forward_difference(f, x, h):
    here, there = f(x), f(x + h)
    return 0.0 if np.isclose(here, there) else (there - here) / h


def central_difference(f, x, h):
    left, right = f(x - h), f(x + h)
    return 0.0 if np.isclose(left, right) else (right - left) / (2 * h)
""",
)


QUOTIENTS = """
def forward_difference(f, x, h):
    return (f(x + h) - f(x)) / h


def central_difference(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)
"""

wrong(
    "difference_quotients",
    "central_half_steps_by_two",
    "This is half the slope, as when two half steps `h / 2` are divided by two whole ones. Step a whole h to each side, and divide by 2 * h.",
    source=changed(QUOTIENTS, ("f(x + h) - f(x - h)", "f(x + h / 2) - f(x - h / 2)")),
)
wrong(
    "difference_quotients",
    "without_its_sign",
    "Where f falls the slope is negative, and here its sign is lost, as by `abs`. Leave the sign as it comes out.",
    source=changed(
        QUOTIENTS,
        ("(f(x + h) - f(x)) / h", "abs((f(x + h) - f(x)) / h)"),
        ("(f(x + h) - f(x - h)) / (2 * h)", "abs((f(x + h) - f(x - h)) / (2 * h))"),
    ),
)
wrong(
    "difference_quotients",
    "central_without_its_sign",
    "Where f falls the slope is negative, and here its sign is lost, as by `abs`. Leave the sign as it comes out.",
    source=changed(QUOTIENTS, ("(f(x + h) - f(x - h)) / (2 * h)", "abs((f(x + h) - f(x - h)) / (2 * h))")),
)
wrong(
    "difference_quotients",
    "own_step_of_1e_5",
    "The step is not yours to choose: h is an argument, and the caller may give any.",
    source=changed(QUOTIENTS, ("    return", "    h = 1e-5\n    return")),
)
wrong(
    "difference_quotients",
    "difference_of_the_arguments",
    "x has no share in this result, as in f(x + h - x), which is f(h). Subtract the values of f, and not what it is called with: f(x + h) - f(x).",
    source=changed(QUOTIENTS, ("(f(x + h) - f(x)) / h", "f(x + h - x) / h")),
)
wrong(
    "difference_quotients",
    "central_no_parentheses_below",
    "The distance is nearly 0: x + h - x - h takes the step away again. From x - h to x + h it is (x + h) - (x - h), with parentheses, which is 2 * h.",
    source=changed(QUOTIENTS, ("(2 * h)", "(x + h - x - h)")),
)
wrong(
    "difference_quotients",
    "central_second_difference",
    "This says how fast the slope changes, as f(x + h) - 2 * f(x) + f(x - h) over h**2 does. For the slope itself divide f(x + h) - f(x - h) by 2 * h.",
    source=changed(QUOTIENTS, ("(f(x + h) - f(x - h)) / (2 * h)", "(f(x + h) - 2 * f(x) + f(x - h)) / h**2")),
)
wrong(
    "difference_quotients",
    "rounded",
    "Digits are lost here, as by `round`. Return the quotient as it comes out.",
    source=changed(
        QUOTIENTS,
        ("(f(x + h) - f(x)) / h", "round((f(x + h) - f(x)) / h, 3)"),
        ("(f(x + h) - f(x - h)) / (2 * h)", "round((f(x + h) - f(x - h)) / (2 * h), 3)"),
    ),
)


# -- array_gradient ---------------------------------------------------------------------------------------------------

COPIES = """
def array_gradient(f, p, h):
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        up, down = p.copy(), p.copy()
        up[i] += h
        down[i] -= h
        grad[i] = (f(up) - f(down)) / (2 * h)
    return grad
"""

wrong(
    "array_gradient",
    "rows_only",
    "The loop goes through the rows, as range(len(p)) does, so a whole row takes the step at once. Go through all places.",
    source=changed(COPIES, ("np.ndindex(p.shape)", "range(len(p))")),
)
wrong(
    "array_gradient",
    "steps_pile_up",
    "Each place keeps its step while the next ones have their turn. Copies, or an array that holds the step, are made anew in every round.",
    source=changed(
        COPIES,
        ("        up, down = p.copy(), p.copy()\n", ""),
        ("    for i", "    up, down = p.copy(), p.copy()\n    for i"),
    ),
)


@wrong("array_gradient", "flat", "The numbers are right, but they stand in a row. The gradient has the shape of p.")
def array_gradient(f, p, h):
    slopes = []
    for i in np.ndindex(p.shape):
        up, down = p.copy(), p.copy()
        up[i] += h
        down[i] -= h
        slopes.append((f(up) - f(down)) / (2 * h))
    return np.array(slopes)


@wrong("array_gradient", "forward", "These are forward differences. Step to both sides.")
def array_gradient(f, p, h):
    grad, here = np.zeros_like(p), f(p)
    for i in np.ndindex(p.shape):
        up = p.copy()
        up[i] += h
        grad[i] = (f(up) - here) / h
    return grad


@wrong("array_gradient", "all_numbers_step", "Every number takes the step at once, which gives one slope for all. One place after the other.")
def array_gradient(f, p, h):
    return np.full(p.shape, (f(p + h) - f(p - h)) / (2 * h))


@wrong("array_gradient", "all_numbers_step_once", "Every number takes the step at once, which gives one slope for all. One place after the other.")
def array_gradient(f, p, h):
    return (f(p + h) - f(p - h)) / (2 * h)


@wrong("array_gradient", "one_number_to_f", "An index does not fit: is f given the one number p[i] in place of the whole array, or does a loop ask for p.shape[1] where p has one axis? np.ndindex(p.shape) visits all places of any shape.")
def array_gradient(f, p, h):
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        grad[i] = (f(p[i] + h) - f(p[i] - h)) / (2 * h)
    return grad


@wrong("array_gradient", "not_put_back", "A place stays at its last step, h too low, while later ones have their turn: put the number back, or step in fresh copies. If you step in p itself, the caller's array has moved, too.")
def array_gradient(f, p, h):
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        p[i] += h
        high = f(p)
        p[i] -= 2 * h
        grad[i] = (high - f(p)) / (2 * h)
    return grad


wrong(
    "array_gradient",
    "one_step",
    "The two points are two steps apart, and you divided by one.",
    source=changed(COPIES, (" / (2 * h)", " / h")),
)


@wrong("array_gradient", "added_up", "You added all partial derivatives into one number. Each belongs into its own place of an array.")
def array_gradient(f, p, h):
    total = 0.0
    for i in np.ndindex(p.shape):
        up, down = p.copy(), p.copy()
        up[i] += h
        down[i] -= h
        total += (f(up) - f(down)) / (2 * h)
    return total


wrong(
    "array_gradient",
    "one_place",
    "The second slope is 0. Does the loop end too early, as by a `return` in it, or are h and -h put in the place of the number (`up[i] = h`)? `+=` and `-=` step away from it.",
    source=changed(COPIES, ("    return grad", "        return grad")),
)
wrong(
    "array_gradient",
    "multiplied_by_h",
    "You divided by 2 and multiplied by h, as / 2 * h does. Put the whole distance in parentheses.",
    source=changed(COPIES, ("(2 * h)", "2 * h")),
)


@wrong("array_gradient", "two_axes_only", "The loops visit two axes only, so numbers along a third take the step together. np.ndindex(p.shape) visits all places of any shape.")
def array_gradient(f, p, h):
    if p.ndim == 1:
        return array_gradient(lambda q: f(q[0]), p[None], h)[0]
    grad = np.zeros_like(p)
    for row in range(p.shape[0]):
        for column in range(p.shape[1]):
            up, down = p.copy(), p.copy()
            up[row, column] += h
            down[row, column] -= h
            grad[row, column] = (f(up) - f(down)) / (2 * h)
    return grad


@wrong("array_gradient", "a_list", "The numbers are right. Return them in an array of the shape of p, not in a list.")
def array_gradient(f, p, h):
    slopes = []
    for i in np.ndindex(p.shape):
        up, down = p.copy(), p.copy()
        up[i] += h
        down[i] -= h
        slopes.append((f(up) - f(down)) / (2 * h))
    return np.array(slopes).reshape(p.shape).tolist()


@wrong("array_gradient", "from_the_library", "These are the true derivatives, or nearly: another h was taken, or a finer rule. Write the loop, with the h that is given.")
def array_gradient(f, p, h):
    from autograder import numerical_gradient

    slopes = numerical_gradient(lambda *numbers: f(np.array(numbers).reshape(p.shape)), *p.ravel())
    return np.array(slopes).reshape(p.shape)


@right("array_gradient", "flat_and_back")
def array_gradient(f, p, h):
    slopes = []
    for k in range(p.size):
        step = np.zeros(p.size)
        step[k] = h
        step = step.reshape(p.shape)
        slopes.append((f(p + step) - f(p - step)) / (2 * h))
    return np.array(slopes).reshape(p.shape)


@right("array_gradient", "in_place_and_back")
def array_gradient(f, p, h):
    grad = np.empty(p.shape)
    for i, old in np.ndenumerate(p.copy()):
        p[i] = old + h
        grad[i] = f(p)
        p[i] = old - h
        grad[i] -= f(p)
        p[i] = old
    return grad / (2 * h)


@wrong("array_gradient", "adds_the_step_back", "The caller's array holds other last digits: rounding makes that adding h back does not undo the step. Keep the old number, and put that back, or step in copies.")
def array_gradient(f, p, h):
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        p[i] += h
        up = f(p)
        p[i] -= 2 * h
        down = f(p)
        p[i] += h
        grad[i] = (up - down) / (2 * h)
    return grad


@wrong(
    "array_gradient",
    "row_by_row",
    "An array without axes, of one number, has no rows and no length. np.ndindex(p.shape) visits its one place.",
)
def array_gradient(f, p, h):
    rows = []
    for k in range(len(p)):
        if p.ndim == 1:
            up, down = p.copy(), p.copy()
            up[k] += h
            down[k] -= h
            rows.append((f(up) - f(down)) / (2 * h))
        else:

            def of_row(row, k=k):
                q = p.copy()
                q[k] = row
                return f(q)

            rows.append(array_gradient(of_row, p[k], h))
    return np.array(rows)


@wrong(
    "array_gradient",
    "known_by_number",
    "Equal numbers at two places get the same slope here. Each place has a slope of its own.",
)
def array_gradient(f, p, h):
    grad, known = np.zeros_like(p), {}
    for i in np.ndindex(p.shape):
        if float(p[i]) not in known:
            up, down = p.copy(), p.copy()
            up[i] += h
            down[i] -= h
            known[float(p[i])] = (f(up) - f(down)) / (2 * h)
        grad[i] = known[float(p[i])]
    return grad


@wrong("array_gradient", "one_axis_at_least", "An array without axes, of one number, comes back with an axis. The gradient has the shape of p, whatever that is.")
def array_gradient(f, p, h):
    p = np.atleast_1d(p)
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        step = np.zeros_like(p)
        step[i] = h
        grad[i] = (f(p + step) - f(p - step)) / (2 * h)
    return grad


wrong(
    "array_gradient",
    "small_rise_is_none",
    "A small rise counts as 0 here, or is rounded. However small it is, it is a rise: divide it by the distance.",
    source=changed(
        COPIES,
        (
            "        grad[i] = (f(up) - f(down)) / (2 * h)\n",
            "        rise = f(up) - f(down)\n        if abs(rise) > 1e-8:\n            grad[i] = rise / (2 * h)\n",
        ),
    ),
)
wrong(
    "array_gradient",
    "second_name",
    "Every slope is 0: either both values of f are the same, or nothing was written into the result. Are `up` and `down` two names of one array, as in `up = down = p.copy()`? Each needs a copy of its own.",
    source=changed(COPIES, ("up, down = p.copy(), p.copy()", "up = down = p.copy()")),
)
wrong(
    "array_gradient",
    "names_of_p",
    "Every slope is 0: either both values of f are the same, or nothing was written into the result. Are `up` and `down` two names of one array, as in `up = down = p.copy()`? Each needs a copy of its own.",
    source=changed(COPIES, ("p.copy(), p.copy()", "p, p")),
)
wrong(
    "array_gradient",
    "one_number_for_two_axes",
    "With one axis it is right, with two an index does not fit: one number picks a row there, and more are asked for than there are. np.ndindex(p.shape) gives an index for each axis.",
    source=changed(COPIES, ("np.ndindex(p.shape)", "range(p.size)")),
)
wrong(
    "array_gradient",
    "ravel_of_zeros",
    "At a transpose every slope is 0: `ravel` and `reshape` give a copy there. A step in it is not seen by f, and a slope in it does not get into grad. An index of np.ndindex(p.shape) leads into the array itself.",
    source=changed(
        COPIES,
        (
            "    for i in np.ndindex(p.shape):",
            "    slopes = grad.ravel()\n    for k, i in enumerate(np.ndindex(p.shape)):",
        ),
        ("grad[i] =", "slopes[k] ="),
    ),
)


@wrong("array_gradient", "needs_a_number", "An array without numbers, such as one of shape (2, 0), ends in an error: np.nditer and np.stack refuse it. Its gradient has no numbers either, and the same shape; np.ndindex(p.shape) visits no place there.")
def array_gradient(f, p, h):
    grad = np.zeros(p.shape)
    for _ in (walk := np.nditer(p, flags=["multi_index"])):
        step = np.zeros(p.shape)
        step[walk.multi_index] = h
        grad[walk.multi_index] = (f(p + step) - f(p - step)) / (2 * h)
    return grad


wrong(
    "array_gradient",
    "columns_first",
    'The slopes are right, but they were put in column by column, as by `order="F"`, and computed row by row. `reshape(p.shape)` alone fills the rows, and grad[i] = ... needs no reshape.',
    source=changed(
        COPIES,
        ("np.zeros_like(p)", "[]"),
        ("grad[i] = (f(up) - f(down)) / (2 * h)", "grad.append((f(up) - f(down)) / (2 * h))"),
        ("return grad", 'return np.array(grad).reshape(p.shape, order="F")'),
    ),
)


@wrong("array_gradient", "two_loops", "An index does not fit: is f given the one number p[i] in place of the whole array, or does a loop ask for p.shape[1] where p has one axis? np.ndindex(p.shape) visits all places of any shape.")
def array_gradient(f, p, h):
    grad = np.zeros_like(p)
    for row in range(p.shape[0]):
        for column in range(p.shape[1]):
            up, down = p.copy(), p.copy()
            up[row, column] += h
            down[row, column] -= h
            grad[row, column] = (f(up) - f(down)) / (2 * h)
    return grad


wrong(
    "array_gradient",
    "down_stays",
    "You went one step from p and divided by two steps. The second point is a step on the other side: `down[i] -= h`.",
    source=changed(COPIES, ("        down[i] -= h\n", "")),
)
wrong(
    "array_gradient",
    "columns_only",
    "A whole column takes the step at once, as with `up[..., j]`. Go through all places: np.ndindex(p.shape).",
    source=changed(
        COPIES,
        ("for i in np.ndindex(p.shape)", "for j in range(p.shape[-1])"),
        ("up[i]", "up[..., j]"),
        ("down[i]", "down[..., j]"),
        ("grad[i]", "grad[..., j]"),
    ),
)
wrong(
    "array_gradient",
    "step_in_proportion",
    "Each slope comes out times its own number, as where `up[i] *= 1 + h` makes a step of h times p[i]. The step is h itself: `up[i] += h`.",
    source=changed(COPIES, ("up[i] += h", "up[i] *= 1 + h"), ("down[i] -= h", "down[i] *= 1 - h")),
)
wrong(
    "array_gradient",
    "step_for_the_number",
    "The second slope is 0. Does the loop end too early, as by a `return` in it, or are h and -h put in the place of the number (`up[i] = h`)? `+=` and `-=` step away from it.",
    source=changed(COPIES, ("up[i] += h", "up[i] = h"), ("down[i] -= h", "down[i] = -h")),
)


# -- gradient_descent -------------------------------------------------------------------------------------------------

DESCENT = """
def gradient_descent(gradient, start, rate, steps):
    path = [start]
    for _ in range(steps):
        path.append(path[-1] - rate * gradient(path[-1]))
    return path
"""

wrong(
    "gradient_descent",
    "uphill",
    "The gradient points uphill. To make the loss smaller, go against it: mind the sign.",
    source=changed(DESCENT, ("] - rate", "] + rate")),
)


@wrong("gradient_descent", "one_array", "All points are the last one: one array stands in the list many times, and p -= changes it; the caller's start, too, if p is that. Make a new array in each step.")
def gradient_descent(gradient, start, rate, steps):
    path, p = [start], start
    for _ in range(steps):
        p -= rate * gradient(p)
        path.append(p)
    return path


@wrong("gradient_descent", "one_copy", "The first point is right, and the others are one array, which stands in the list many times: p -= changes it. Make a new one in each step.")
def gradient_descent(gradient, start, rate, steps):
    path, p = [start], start.copy()
    for _ in range(steps):
        p -= rate * gradient(p)
        path.append(p)
    return path


@wrong("gradient_descent", "gradient_once", "The second step takes the gradient at the start once more. It is another one at each point: compute it where you are.")
def gradient_descent(gradient, start, rate, steps):
    g, path = gradient(start), [start]
    for _ in range(steps):
        path.append(path[-1] - rate * g)
    return path


@wrong("gradient_descent", "always_from_the_start", "Each step begins at start again. It begins where the last one ended.")
def gradient_descent(gradient, start, rate, steps):
    return [start] + [start - rate * gradient(start) for _ in range(steps)]


@wrong("gradient_descent", "no_start", "The start is missing: the list begins with it, so it holds one point more than there are steps.")
def gradient_descent(gradient, start, rate, steps):
    p, path = start, []
    for _ in range(steps):
        p = p - rate * gradient(p)
        path.append(p)
    return path


@wrong("gradient_descent", "last_point_only", "This is where the walk ends. Return a list of all the points on the way.")
def gradient_descent(gradient, start, rate, steps):
    p = start
    for _ in range(steps):
        p = p - rate * gradient(p)
    return p


wrong(
    "gradient_descent",
    "no_rate",
    "The learning rate is not used: it multiplies the gradient.",
    source=changed(DESCENT, ("rate * ", "")),
)
wrong(
    "gradient_descent",
    "one_step_less",
    "One step is missing: besides the start there are as many points as steps. Does the loop begin late or end early, or is the `return` inside of it?",
    source=changed(DESCENT, ("range(steps)", "range(1, steps)")),
)


@wrong("gradient_descent", "yields", "What comes back is a generator, as `yield` makes one: it can be walked along once. Collect the points in a list, and return it.")
def gradient_descent(gradient, start, rate, steps):
    p = start
    yield p
    for _ in range(steps):
        p = p - rate * gradient(p)
        yield p


wrong(
    "gradient_descent",
    "constant_stride",
    "Only the sign of the gradient is used, so steep and flat places get the same stride.",
    source=changed(DESCENT, ("gradient(path[-1])", "np.sign(gradient(path[-1]))")),
)


@wrong("gradient_descent", "stops_where_it_is_flat", "Where it is flat, points are missing: does the walk end there? The list holds steps + 1 of them, wherever they lie.")
def gradient_descent(gradient, start, rate, steps):
    path = [start]
    for _ in range(steps):
        g = gradient(path[-1])
        if abs(g).max() < 1e-3:
            break
        path.append(path[-1] - rate * g)
    return path


@wrong("gradient_descent", "one_number_after_the_other", "The numbers move one after the other, so later ones see a gradient of a point half way. All take their step from the same point.")
def gradient_descent(gradient, start, rate, steps):
    path = [start]
    for _ in range(steps):
        p = path[-1].copy()
        for i in np.ndindex(p.shape):
            p[i] -= rate * gradient(p)[i]
        path.append(p)
    return path


wrong(
    "gradient_descent",
    "gradient_is_limited",
    "The gradient is cut where it is steep. A step is rate times the gradient, however large.",
    source=changed(DESCENT, ("gradient(path[-1])", "np.clip(gradient(path[-1]), -100.0, 100.0)")),
)


@right("gradient_descent", "copies_in_the_list")
def gradient_descent(gradient, start, rate, steps):
    p = start.copy()
    path = [p.copy()]
    for _ in range(steps):
        p -= rate * gradient(p)
        path.append(p.copy())
    return path


@right("gradient_descent", "while_loop")
def gradient_descent(gradient, start, rate, steps):
    path, p = [start], start
    while len(path) <= steps:
        p = p + gradient(p) * -rate
        path += [p]
    return path


@right("gradient_descent", "one_array_of_points")
def gradient_descent(gradient, start, rate, steps):
    path = np.zeros((steps + 1, *start.shape))
    path[0] = start
    for k in range(steps):
        path[k + 1] = path[k] - rate * gradient(path[k])
    return path


wrong(
    "gradient_descent",
    "gradient_of_the_last_from_the_start",
    "Each step begins at start again. It begins where the last one ended.",
    source=changed(DESCENT, ("path[-1] - rate", "start - rate")),
)


@wrong("gradient_descent", "gradient_of_length_one", "Each step has the same length, so the gradient was divided by its own. Leave it as it is: where it is steep, steps are longer.")
def gradient_descent(gradient, start, rate, steps):
    path = [start]
    for _ in range(steps):
        g = gradient(path[-1])
        path.append(path[-1] - rate * g / np.linalg.norm(g))
    return path


@wrong("gradient_descent", "lists_of_numbers", "The numbers are right. Put arrays into the list, and no lists: whoever gets the points computes with them.")
def gradient_descent(gradient, start, rate, steps):
    p, path = start, [start.tolist()]
    for _ in range(steps):
        p = p - rate * gradient(p)
        path.append(p.tolist())
    return path


@wrong("gradient_descent", "lists_after_the_start", "The numbers are right. Put arrays into the list, and no lists: whoever gets the points computes with them.")
def gradient_descent(gradient, start, rate, steps):
    p, path = start, [start]
    for _ in range(steps):
        p = p - rate * gradient(p)
        path.append(p.tolist())
    return path


@wrong("gradient_descent", "len_of_the_start", "The array of points has no room for a start with two axes. Give it `start.shape` behind the number of points, or collect the points in a list.")
def gradient_descent(gradient, start, rate, steps):
    path = np.zeros((steps + 1, len(start)))
    path[0] = start
    for k in range(steps):
        path[k + 1] = path[k] - rate * gradient(path[k])
    return path


@right("gradient_descent", "number_by_number")
def gradient_descent(gradient, start, rate, steps):
    path = [start]
    for _ in range(steps):
        p = path[-1].copy()
        g = gradient(p)
        for i in range(len(p)):
            p[i] = p[i] - rate * g[i]
        path.append(p)
    return path


@wrong("gradient_descent", "scales_its_gradient", "You write into the array that `gradient` has returned, as `*=` does. It may be p itself, or come again in the next round: `rate * g` makes a new array.")
def gradient_descent(gradient, start, rate, steps):
    path, p = [start], start
    for _ in range(steps):
        g = gradient(p)
        g *= rate
        p = p - g
        path.append(p)
    return path


@wrong("gradient_descent", "recursion", "The function calls itself for each step, and Python stops nested calls at about 1,000. Take the steps in a loop.")
def gradient_descent(gradient, start, rate, steps):
    if steps == 0:
        return [start]
    return [start, *gradient_descent(gradient, start - rate * gradient(start), rate, steps - 1)]


@right("gradient_descent", "in_a_gradient_of_its_own")
def gradient_descent(gradient, start, rate, steps):
    path, p = [start], start
    for _ in range(steps):
        g = np.array(gradient(p))
        g *= -rate
        g += p
        p = g
        path.append(p)
    return path


@wrong("gradient_descent", "stays_where_it_is_nearly_flat", "Where the gradient is tiny nothing moves, as if it were 0. A large rate makes a step of it: take every step as the formula says.")
def gradient_descent(gradient, start, rate, steps):
    path = [start]
    for _ in range(steps):
        g = gradient(path[-1])
        path.append(path[-1] if np.allclose(g, 0.0) else path[-1] - rate * g)
    return path


@wrong("gradient_descent", "values_of_a_dict", "What comes back can be walked along, and knows no `path[-1]`, as `.values()` of a dict. Return the points in a list.")
def gradient_descent(gradient, start, rate, steps):
    path = {0: start}
    for k in range(steps):
        path[k + 1] = path[k] - rate * gradient(path[k])
    return path.values()


WALK = """
def gradient_descent(gradient, start, rate, steps):
    p = start
    path = [p]
    for _ in range(steps):
        p = p - rate * gradient(p)
        path.append(p)
    return path
"""

wrong(
    "gradient_descent",
    "one_array_of_a_copy",
    "All points are the last one: one array stands in the list many times, and p -= changes it; the caller's start, too, if p is that. Make a new array in each step.",
    source=changed(WALK, ("p = start\n", "p = start.copy()\n"), ("p = p - rate", "p -= rate")),
)
wrong(
    "gradient_descent",
    "rate_gets_smaller",
    "The rate gets smaller from step to step here. Every step takes the rate that is given.",
    source=changed(WALK, ("for _", "for k"), ("rate *", "rate / (k + 1) *")),
)
wrong(
    "gradient_descent",
    "number_by_number_into_the_list",
    "The numbers stand in the list one by one, as `+=` and `extend` put them there. `path.append(...)` puts a point in as one array.",
    source=changed(WALK, ("path.append(p)", "path += list(p)")),
)
wrong(
    "gradient_descent",
    "points_added_up",
    "The points are added up in one array, as `path += p` does where p is an array. `path.append(p)` puts it behind the others.",
    source=changed(WALK, ("path.append(p)", "path += p")),
)
wrong(
    "gradient_descent",
    "points_added_up_from_the_last",
    "The points are added up in one array, as `path += p` does where p is an array. `path.append(p)` puts it behind the others.",
    source=changed(DESCENT, ("path.append(path[-1] - rate * gradient(path[-1]))", "path += path[-1] - rate * gradient(path[-1])")),
)
wrong(
    "gradient_descent",
    "all_in_one_row",
    "All numbers stand in one row of an array, as `np.append` and `np.concatenate` put them. Collect the points in a list: `path.append(...)`.",
    source=changed(WALK, ("path.append(p)", "path = np.append(path, p)")),
)
wrong(
    "gradient_descent",
    "all_in_one_row_from_the_last",
    "All numbers stand in one row of an array, as `np.append` and `np.concatenate` put them. Collect the points in a list: `path.append(...)`.",
    source=changed(DESCENT, ("path.append(path[-1] - rate * gradient(path[-1]))", "path = np.append(path, path[-1] - rate * gradient(path[-1]))")),
)
wrong(
    "gradient_descent",
    "append_is_lost",
    "The start comes back alone, so no point was put into the list. `np.append(path, p)` leaves path as it is, and gives a new array: `path.append(p)` writes into the list.",
    source=changed(WALK, ("path.append(p)", "np.append(path, p)")),
)
wrong(
    "gradient_descent",
    "gradient_of_the_point_before",
    "The second step takes the gradient at the start once more. It is another one at each point: compute it where you are.",
    source=changed(DESCENT, ("for _", "for k"), ("gradient(path[-1])", "gradient(path[max(0, k - 1)])")),
)


# -- mended_gradient --------------------------------------------------------------------------------------------------


@wrong("mended_gradient", "the_old_one", "p is left where the last step ended, h too low. That also disturbs the places that have their turn later.")
def mended_gradient(f, p, h):
    return thrifty_gradient(f, p, h)


@wrong("mended_gradient", "adds_the_step_back", "Adding h back leaves 0.30000000000000004 where 0.3 was: rounding. Keep the old number, and put that back.")
def mended_gradient(f, p, h):
    p = np.asarray(p, dtype=float)
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        p[i] += h
        up = f(p)
        p[i] -= 2 * h
        down = f(p)
        p[i] += h
        grad[i] = (up - down) / (2 * h)
    return grad


MENDED = """
def mended_gradient(f, p, h):
    p = np.asarray(p, dtype=float)
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        old = p[i]
        p[i] = old + h
        up = f(p)
        p[i] = old - h
        down = f(p)
        p[i] = old
        grad[i] = (up - down) / (2 * h)
    return grad
"""

wrong(
    "mended_gradient",
    "integers_forgotten",
    "p is put back now. But an array of integers still swallows the step: 1 + 0.5 becomes 1 in it.",
    source=changed(MENDED, ("    p = np.asarray(p, dtype=float)\n", "")),
)
wrong(
    "mended_gradient",
    "gradient_of_floats_alone",
    "The gradient holds floats, but p still holds integers, and swallows the step: 1 + 0.5 becomes 1 in it.",
    source=changed(MENDED, ("    p = np.asarray(p, dtype=float)\n    grad = np.zeros_like(p)\n", "    grad = np.zeros(p.shape)\n")),
)
wrong(
    "mended_gradient",
    "gradient_of_integers",
    "p holds floats now, but the gradient is kept in integers, as zeros_like makes them of the old p: what stands behind the point is cut off.",
    source=changed(
        MENDED,
        (
            "    p = np.asarray(p, dtype=float)\n    grad = np.zeros_like(p)\n",
            "    grad = np.zeros_like(p)\n    p = np.asarray(p, dtype=float)\n",
        ),
    ),
)


RESTORED = """
def mended_gradient(f, p, h):
    before = p.copy()
    p = np.asarray(p, dtype=float)
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        p[i] += h
        up = f(p)
        p[i] -= 2 * h
        down = f(p)
        grad[i] = (up - down) / (2 * h)
        p[...] = before
    return grad
"""

wrong(
    "mended_gradient",
    "put_back_at_the_end",
    "The caller's p is safe now. But while the loop runs, later places still see the steps of earlier ones.",
    source=changed(RESTORED, ("        p[...] = before\n", "    p[...] = before\n")),
)
wrong(
    "mended_gradient",
    "steps_in_a_copy",
    "The caller's p is safe now. But while the loop runs, later places still see the steps of earlier ones.",
    source=changed(
        RESTORED,
        ("    before = p.copy()\n    p = np.asarray(p, dtype=float)\n", "    p = p.astype(float)\n"),
        ("        p[...] = before\n", ""),
    ),
)


@wrong("mended_gradient", "copies_in_each_round", "The gradient is right, but each round makes copies, and to do without them was the colleague's idea. Put the number back instead.")
def mended_gradient(f, p, h):
    p = p.astype(float)
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        up, down = p.copy(), p.copy()
        up[i] += h
        down[i] -= h
        grad[i] = (f(up) - f(down)) / (2 * h)
    return grad


wrong(
    "mended_gradient",
    "half_way_back",
    "p is left where the last step ended, h too low. That also disturbs the places that have their turn later.",
    source=changed(
        MENDED,
        ("        p[i] = old\n", ""),
        ("        up = f(p)\n", "        up = f(p)\n        p[i] = old\n"),
    ),
)


@wrong("mended_gradient", "always_a_copy", "This makes a copy even of an array of floats. Step in p itself, and copy only where it holds no floats.")
def mended_gradient(f, p, h):
    p = p.astype(float)
    grad = np.zeros(p.shape)
    for i in np.ndindex(p.shape):
        old = p[i]
        p[i] = old + h
        grad[i] = f(p)
        p[i] = old - h
        grad[i] = (grad[i] - f(p)) / (2 * h)
        p[i] = old
    return grad


@wrong("mended_gradient", "ravel_of_a_transpose", "The steps go into a copy, as `ravel` and `reshape` make one where p is a transpose: f sees none of them. np.ndindex(p.shape) leads through p itself.")
def mended_gradient(f, p, h):
    p = p if p.dtype.kind == "f" else p.astype(float)
    flat, grad = p.ravel(), np.zeros(p.size)
    for i in range(p.size):
        old = flat[i]
        flat[i] = old + h
        up = f(p)
        flat[i] = old - h
        grad[i] = (up - f(p)) / (2 * h)
        flat[i] = old
    return grad.reshape(p.shape)


@wrong("mended_gradient", "put_back_where_it_moved_f", "The number is put back only where f moved. Where f is flat p keeps its step: put it back in any case.")
def mended_gradient(f, p, h):
    q = p if p.dtype.kind == "f" else p.astype(float)
    grad = np.zeros(p.shape)
    for i in np.ndindex(p.shape):
        old = q[i]
        q[i] = old + h
        up = f(q)
        q[i] = old - h
        down = f(q)
        if up != down:
            grad[i] = (up - down) / (2 * h)
            q[i] = old
    return grad


wrong(
    "mended_gradient",
    "rows_only",
    "The loop goes through the rows, as range(len(p)) does, so a whole row takes the step at once. Go through all places.",
    source=changed(MENDED, ("np.ndindex(p.shape)", "range(len(p))"), ("old = p[i]", "old = p[i].copy()")),
)
wrong(
    "mended_gradient",
    "one_kind_of_integers",
    "Integers of 64 bits become floats here, and those of int8 do not: they swallow the step, too. There are several kinds of integers, so ask whether p holds floats.",
    source=changed(
        MENDED,
        (
            "    p = np.asarray(p, dtype=float)\n    grad = np.zeros_like(p)\n",
            "    if p.dtype == np.int64:\n        p = p.astype(float)\n    grad = np.zeros(p.shape)\n",
        ),
    ),
)


@right("mended_gradient", "whole_copy")
def mended_gradient(f, p, h):
    before = np.array(p)
    p = np.asarray(p, dtype=float)
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        p[i] += h
        up = f(p)
        p[...] = before
        p[i] -= h
        down = f(p)
        p[...] = before
        grad[i] = (up - down) / (2 * h)
    return grad


@right("mended_gradient", "asks_for_the_kind")
def mended_gradient(f, p, h):
    if p.dtype.kind != "f":
        p = p.astype(float)
    grad = np.zeros(p.shape)
    for i in np.ndindex(p.shape):
        old = p[i]
        p[i] = old + h
        grad[i] = f(p)
        p[i] = old - h
        grad[i] = (grad[i] - f(p)) / (2 * h)
        p[i] = old
    return grad


@right("mended_gradient", "floats_only_if_needed")
def mended_gradient(f, p, h):
    if p.dtype != float:
        p = p * 1.0
    grad = np.zeros(p.shape)
    for i, old in np.ndenumerate(p.copy()):
        values = []
        for moved in (old + h, old - h):
            p[i] = moved
            values.append(f(p))
        p[i] = old
        grad[i] = (values[0] - values[1]) / (2 * h)
    return grad


wrong(
    "mended_gradient",
    "zero_not_put_back",
    "A 0 is not put back here: as a condition, as in `if old`, it counts as nothing.",
    source=changed(
        MENDED,
        ("zeros_like(p)", "zeros(p.shape)"),
        ("        p[i] = old\n", "        if old:\n            p[i] = old\n"),
    ),
)


@wrong("mended_gradient", "small_rise_is_none", "A small rise counts as 0 here, or is rounded. However small it is, it is a rise: divide it by the distance.")
def mended_gradient(f, p, h):
    p = np.asarray(p, dtype=float)
    grad = np.zeros(p.shape)
    for i in np.ndindex(p.shape):
        old = p[i]
        p[i] = old + h
        up = f(p)
        p[i] = old - h
        rise = up - f(p)
        p[i] = old
        if abs(rise) > 1e-8:
            grad[i] = rise / (2 * h)
    return grad


@wrong("mended_gradient", "name_put_back", "The first number keeps its step, and later ones do not. Is it put back by `p = old`? That gives the name to another array, and writes nothing into this one. `p[i] = ...` does.")
def mended_gradient(f, p, h):
    p = np.asarray(p, dtype=float)
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        old = p.copy()
        p[i] += h
        up = f(p)
        p[i] -= 2 * h
        down = f(p)
        grad[i] = (up - down) / (2 * h)
        p = old
    return grad


wrong(
    "mended_gradient",
    "last_one_put_back",
    "Only the last number is put back. Do it in the loop, before the next place has its turn.",
    source=changed(MENDED, ("        p[i] = old\n", ""), ("    return grad", "    p[i] = old\n    return grad")),
)
wrong(
    "mended_gradient",
    "steps_added_at_the_end",
    "Adding h back leaves 0.30000000000000004 where 0.3 was: rounding. Keep the old number, and put that back.",
    source=changed(
        RESTORED,
        (
            "    before = p.copy()\n    p = np.asarray(p, dtype=float)\n    grad = np.zeros_like(p)\n",
            "    grad = np.zeros(p.shape)\n",
        ),
        ("        p[...] = before\n", "    p += h\n"),
    ),
)


wrong(
    "mended_gradient",
    "contiguous",
    "Of a transpose f is given a copy, as `ascontiguousarray` makes one. It holds floats, so step in p itself: an index of np.ndindex(p.shape) leads into it.",
    source=changed(MENDED, ("np.asarray(p, dtype=float)", "np.ascontiguousarray(p, dtype=float)"), ("zeros_like(p)", "zeros(p.shape)")),
)


@wrong("mended_gradient", "before_is_p", "p is left h too low: nothing was put back. `before = p` is a second name of p and no copy: keep the number itself, or a `p.copy()`.")
def mended_gradient(f, p, h):
    p = np.asarray(p, dtype=float)
    grad = np.zeros_like(p)
    before = p
    for i in np.ndindex(p.shape):
        p[i] += h
        up = f(p)
        p[i] -= 2 * h
        down = f(p)
        p[...] = before
        grad[i] = (up - down) / (2 * h)
    return grad


wrong(
    "mended_gradient",
    "other_side_forgotten",
    "Each slope is half as large, as where one of the two values is that of f at p itself: the way is one step then, and not two. Step to the other side, too.",
    source=changed(MENDED, ("p[i] = old - h", "p[i] = old")),
)
wrong(
    "mended_gradient",
    "old_after_the_step",
    "p is left h too high, as where `old = p[i]` stands behind the step. Read the old number before p[i] changes.",
    source=changed(
        MENDED,
        ("        old = p[i]\n        p[i] = old + h\n", "        p[i] += h\n        old = p[i]\n"),
        ("p[i] = old - h", "p[i] -= 2 * h"),
    ),
)


# -- tide_model -------------------------------------------------------------------------------------------------------


@wrong("tide_model", "the_mean", "This is the same height at all hours. The water rises and falls: what repeats every 12.42 hours?")
def tide_model(hours, heights):
    return lambda t: np.full(np.shape(t), heights.mean())


@wrong("tide_model", "a_parabola", "A parabola turns once, and then leaves the harbour for ever. Choose functions that repeat.")
def tide_model(hours, heights):
    p = np.polyfit(hours, heights, 2)
    return lambda t: np.polyval(p, t)


@wrong("tide_model", "many_powers", "A polynomial can follow two days, and knows nothing of the third. Choose functions that repeat.")
def tide_model(hours, heights):
    p = np.polyfit(hours / 24 - 1, heights, 11)
    return lambda t: np.polyval(p, t / 24 - 1)


@wrong("tide_model", "powers_of_hours", "A polynomial leaves the harbour after its last data, and knows nothing of the third day. Choose functions that repeat.")
def tide_model(hours, heights):
    p = np.polyfit(hours, heights, 8)
    return lambda t: np.polyval(p, t)


@wrong("tide_model", "sine_alone", "A sine alone begins at its mean at hour 0. A cosine with a weight of its own lets high water come at any time.")
def tide_model(hours, heights):
    waves = np.stack([np.ones_like(hours), np.sin(2 * np.pi * hours / 12.42)])
    p = np.zeros(2)
    for _ in range(300):
        p = p - 0.6 * waves @ (p @ waves - heights) / len(hours)
    return lambda t: p[0] + p[1] * np.sin(2 * np.pi * t / 12.42)


@wrong("tide_model", "no_mean_height", "This wave swings around 0. The water swings around a height of its own: that is one more parameter.")
def tide_model(hours, heights):
    waves = np.stack([np.sin(2 * np.pi * hours / 12.42), np.cos(2 * np.pi * hours / 12.42)])
    p = np.zeros(2)
    for _ in range(300):
        p = p - 0.6 * waves @ (p @ waves - heights) / len(hours)
    return lambda t: p[0] * np.sin(2 * np.pi * t / 12.42) + p[1] * np.cos(2 * np.pi * t / 12.42)


@wrong("tide_model", "twelve_hours", "These waves repeat every 12 hours. The moon needs 12.42, and by the third day the difference is more than an hour.")
def tide_model(hours, heights):
    def waves(t):
        return np.stack([np.ones_like(t), np.sin(2 * np.pi * t / 12), np.cos(2 * np.pi * t / 12)])

    p = np.linalg.lstsq(waves(hours).T, heights, rcond=None)[0]
    return lambda t: p @ waves(t)


@wrong("tide_model", "a_day", "These waves repeat once in 24.84 hours, but high water comes twice in that time. One wave takes 12.42 hours.")
def tide_model(hours, heights):
    def waves(t):
        return np.stack([np.ones_like(t), np.sin(2 * np.pi * t / 24.84), np.cos(2 * np.pi * t / 24.84)])

    p = np.linalg.lstsq(waves(hours).T, heights, rcond=None)[0]
    return lambda t: p @ waves(t)


@wrong("tide_model", "no_two_pi", "np.sin takes an angle in radians: a whole turn is 2 * pi. Without it a wave takes 78 hours, and not 12.42.")
def tide_model(hours, heights):
    def waves(t):
        return np.stack([np.ones_like(t), np.sin(t / 12.42), np.cos(t / 12.42)])

    p = np.linalg.lstsq(waves(hours).T, heights, rcond=None)[0]
    return lambda t: p @ waves(t)


@wrong("tide_model", "in_degrees", "np.sin takes an angle in radians: a whole turn is 2 * pi, and not 360.")
def tide_model(hours, heights):
    def waves(t):
        return np.stack([np.ones_like(t), np.sin(360 * t / 12.42), np.cos(360 * t / 12.42)])

    p = np.linalg.lstsq(waves(hours).T, heights, rcond=None)[0]
    return lambda t: p @ waves(t)


@wrong("tide_model", "yesterday_again", "This repeats the day before. High water comes later every day: two waves take 24.84 hours, and not 24.")
def tide_model(hours, heights):
    return lambda t: np.interp(t - 24, hours, heights)


@wrong("tide_model", "too_few_steps", "The model is right, and not yet fitted: a few small steps lead only part of the way. Take more of them, or larger ones.")
def tide_model(hours, heights):
    def waves(t):
        return np.stack([np.ones_like(t), np.sin(2 * np.pi * t / 12.42), np.cos(2 * np.pi * t / 12.42)])

    p = np.zeros(3)
    for _ in range(10):
        p = p - 0.05 * 2 * waves(hours) @ (p @ waves(hours) - heights) / len(hours)
    return lambda t: p @ waves(t)


@wrong("tide_model", "rate_too_large", "The parameters leave the valley and grow without end: the rate is too large.")
def tide_model(hours, heights):
    def waves(t):
        return np.stack([np.ones_like(t), np.sin(2 * np.pi * t / 12.42), np.cos(2 * np.pi * t / 12.42)])

    p = np.zeros(3)
    for _ in range(300):
        p = p - 1.5 * 2 * waves(hours) @ (p @ waves(hours) - heights) / len(hours)
    return lambda t: p @ waves(t)


@wrong("tide_model", "fits_the_example", "This is the harbour of the first check, whatever is measured. Compute the parameters from the heights that you get.")
def tide_model(hours, heights):
    return lambda t: 5.2 + 2.4 * np.cos(2 * np.pi * (t - 4.6) / 12.42)


@wrong("tide_model", "the_parameters", "These are the parameters. Return a function that computes heights with them.")
def tide_model(hours, heights):
    def waves(t):
        return np.stack([np.ones_like(t), np.sin(2 * np.pi * t / 12.42), np.cos(2 * np.pi * t / 12.42)])

    return np.linalg.lstsq(waves(hours).T, heights, rcond=None)[0]


@wrong("tide_model", "the_heights", "These are heights at the hours that were measured. Return a function, which computes them for any hours.")
def tide_model(hours, heights):
    def waves(t):
        return np.stack([np.ones_like(t), np.sin(2 * np.pi * t / 12.42), np.cos(2 * np.pi * t / 12.42)])

    return np.linalg.lstsq(waves(hours).T, heights, rcond=None)[0] @ waves(hours)


@wrong("tide_model", "fitted_hours_only", "These are the fitted heights at the hours that were measured. The function has to use the hours that it is called with.")
def tide_model(hours, heights):
    def waves(t):
        return np.stack([np.ones_like(t), np.sin(2 * np.pi * t / 12.42), np.cos(2 * np.pi * t / 12.42)])

    p = np.linalg.lstsq(waves(hours).T, heights, rcond=None)[0]
    return lambda t: p @ waves(hours)


@wrong("tide_model", "in_place", "The caller's heights are without their mean afterwards, as `-=` leaves them. Make a new array.")
def tide_model(hours, heights):
    def waves(t):
        return np.stack([np.sin(2 * np.pi * t / 12.42), np.cos(2 * np.pi * t / 12.42), np.ones_like(t)])

    middle = heights.mean()
    heights -= middle
    p = np.linalg.lstsq(waves(hours).T, heights, rcond=None)[0]
    return lambda t: middle + p @ waves(t)


@wrong("tide_model", "one_size_of_tide", "The wave has the same size in each harbour. How far the water rises is one more thing to fit.")
def tide_model(hours, heights):
    w = 2 * np.pi / 12.42
    columns = np.stack([np.ones_like(hours), np.sin(w * hours), np.cos(w * hours)], axis=1)
    mean, s, c = np.linalg.lstsq(columns, heights, rcond=None)[0]
    phase = np.arctan2(c, s)
    return lambda t: mean + 2.35 * np.sin(w * t + phase)


@right("tide_model", "height_size_and_time")
def tide_model(hours, heights):
    def water_at(p, t):
        return p[0] + p[1] * np.sin(2 * np.pi * t / 12.42 + p[2])

    def loss(p):
        return ((water_at(p, hours) - heights) ** 2).mean()

    p = np.array([heights.mean(), 1.0, 0.0])
    for _ in range(400):
        steps = 1e-5 * np.eye(3)
        p = p - 0.05 * np.array([(loss(p + step) - loss(p - step)) / 2e-5 for step in steps])
    return lambda t: water_at(p, t)


@right("tide_model", "least_squares")
def tide_model(hours, heights):
    def waves(t):
        return np.stack([np.ones_like(t), np.sin(2 * np.pi * t / 12.42), np.cos(2 * np.pi * t / 12.42)])

    w = waves(hours)
    p = np.linalg.solve(w @ w.T, w @ heights)
    return lambda t: p @ waves(t)


@wrong("tide_model", "global_weights", "When a second harbour is fitted, the function of the first gives other heights: both read the same global names. Keep the parameters inside `tide_model`.")
def tide_model(hours, heights):
    global tide_weights
    w = 2 * np.pi / 12.42
    table = np.stack([np.ones(len(hours)), np.sin(w * hours), np.cos(w * hours)], axis=1)
    tide_weights = np.linalg.lstsq(table, heights, rcond=None)[0]

    def model(t):
        m, a, b = tide_weights
        return m + a * np.sin(w * t) + b * np.cos(w * t)

    return model


@wrong("tide_model", "as_if_whole_tides", "In a deep harbour the forecast is off. Means of products give the weights for whole tides only, and two days are none: the mean height gets into the wave. Fit all parameters together.")
def tide_model(hours, heights):
    w = 2 * np.pi / 12.42
    middle = heights.mean()
    a = 2 * (heights * np.sin(w * hours)).mean()
    b = 2 * (heights * np.cos(w * hours)).mean()
    return lambda t: middle + a * np.sin(w * t) + b * np.cos(w * t)


ONE_NUMBER = "`math.sin`, `math.cos` and `float` take one number, and here one of them gets an array. `np.sin` and `np.cos` take arrays; a loss is one number, such as a mean."


@wrong("tide_model", "math_sin", ONE_NUMBER)
def tide_model(hours, heights):
    def water_at(p, t):
        return p[0] + p[1] * math.sin(2 * np.pi * t / 12.42) + p[2] * math.cos(2 * np.pi * t / 12.42)

    p = np.zeros(3)
    for _ in range(100):
        steps = 1e-5 * np.eye(3)
        errors = [[((water_at(p + s, hours) - heights) ** 2).mean() for s in (step, -step)] for step in steps]
        p = p - 0.3 * np.array([(up - down) / 2e-5 for up, down in errors])
    return lambda t: water_at(p, t)


@wrong("tide_model", "float_of_all_errors", ONE_NUMBER)
def tide_model(hours, heights):
    def water_at(p, t):
        return p[0] + p[1] * np.sin(2 * np.pi * t / 12.42) + p[2] * np.cos(2 * np.pi * t / 12.42)

    def loss(p):
        return float((water_at(p, hours) - heights) ** 2)

    p = np.zeros(3)
    for _ in range(100):
        p = p - 0.3 * np.array([(loss(p + s) - loss(p - s)) / 2e-5 for s in 1e-5 * np.eye(3)])
    return lambda t: water_at(p, t)


@wrong("tide_model", "the_whole_path", "Arrays of different lengths meet. Is p the whole path, as `gradient_descent` returns it? The parameters are its last point: `[-1]`.")
def tide_model(hours, heights):
    def waves(t):
        return np.stack([np.ones_like(t), np.sin(2 * np.pi * t / 12.42), np.cos(2 * np.pi * t / 12.42)])

    p = [np.zeros(3)]
    for _ in range(100):
        p.append(p[-1] - 0.3 * 2 * waves(hours) @ (p[-1] @ waves(hours) - heights) / len(hours))
    return lambda t: p[0] + p[1] * np.sin(2 * np.pi * t / 12.42) + p[2] * np.cos(2 * np.pi * t / 12.42)


@wrong("tide_model", "degree_14", "A polynomial can follow two days, and knows nothing of the third. Choose functions that repeat.")
def tide_model(hours, heights):
    p = np.polyfit(hours / 24 - 1, heights, 14)
    return lambda t: np.polyval(p, t / 24 - 1)


@wrong("tide_model", "loss_for_gradient", "The heights are no numbers (nan). Is something divided by the hours, of which the first is 0? If not, the parameters have left the valley: does each step follow the gradient, or the loss itself? Is the rate too large?")
def tide_model(hours, heights):
    def waves(t):
        return np.stack([np.ones_like(t), np.sin(2 * np.pi * t / 12.42), np.cos(2 * np.pi * t / 12.42)])

    p = np.zeros(3)
    with np.errstate(all="ignore"):
        for _ in range(100):
            p = p - 0.3 * ((p @ waves(hours) - heights) ** 2).mean()
    return lambda t: p @ waves(t)


@wrong("tide_model", "nothing_comes_back", "Nothing comes back (None): is a `return` missing? What is returned is the function itself, without brackets behind its name.")
def tide_model(hours, heights):
    def model(t):
        return np.full(t.shape, heights.mean())


@wrong("tide_model", "writes_into_its_hours", "The function writes into the array of hours that it is asked about, as `*=`, `-=` or `%=` do: whoever asked has other hours afterwards. Make a new array.")
def tide_model(hours, heights):
    w = 2 * np.pi / 12.42
    table = np.stack([np.ones(len(hours)), np.sin(w * hours), np.cos(w * hours)], axis=1)
    m, a, b = np.linalg.lstsq(table, heights, rcond=None)[0]

    def model(t):
        t %= 12.42
        return m + a * np.sin(w * t) + b * np.cos(w * t)

    return model


@wrong("tide_model", "hours_from_the_first", "The fit counts hours from the first measurement, and the function that is returned does not. Both have to count from the same moment.")
def tide_model(hours, heights):
    def columns(t):
        turn = 2 * np.pi * t / 12.42
        return np.stack([np.ones_like(turn), np.sin(turn), np.cos(turn)], axis=-1)

    since = hours - hours[0]
    p = np.zeros(3)
    for _ in range(300):
        errors = columns(since) @ p - heights
        p = p - 0.4 * 2 * (errors @ columns(since)) / len(heights)
    return lambda t: columns(t) @ p
