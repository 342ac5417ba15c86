"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 01_derivatives`) and they diagnose: a student's answer that behaves like one
of these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the
functions use (math, np) are the notebook's.
"""

from autograder.referee.bank import right, wrong

# -- forward_difference -----------------------------------------------------------------------------------------------


@wrong("forward_difference", "rise_only", "This is the rise. A slope is the rise divided by the step.")
def forward_difference(f, x, h):
    return f(x + h) - f(x)


@wrong("forward_difference", "no_parentheses", "Only f(x) is divided by h here: / binds tighter than -. The difference needs parentheses.")
def forward_difference(f, x, h):
    return f(x + h) - f(x) / h


@wrong("forward_difference", "steps_up", "f(x) + h is a step upwards: the result is 1 for every function. The step goes to the right, inside the call of f.")
def forward_difference(f, x, h):
    return (f(x) + h - f(x)) / h


@wrong("forward_difference", "backwards", "You stepped to the left of x. The forward difference steps to the right.")
def forward_difference(f, x, h):
    return (f(x) - f(x - h)) / h


@wrong("forward_difference", "wrong_order", "You subtracted the end of the step from its beginning, so every slope has the wrong sign.")
def forward_difference(f, x, h):
    return (f(x) - f(x + h)) / h


@wrong("forward_difference", "both_sides", "This steps to both sides, which is the next exercise. Here f is needed at x and at x + h.")
def forward_difference(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


@wrong("forward_difference", "times_step", "You multiplied the rise by the step. A slope is the rise *per* step.")
def forward_difference(f, x, h):
    return (f(x + h) - f(x)) * h


@wrong("forward_difference", "own_step", "The step is not yours to choose: h is an argument, and the caller may give any.")
def forward_difference(f, x, h):
    h = 1e-6
    return (f(x + h) - f(x)) / h


@wrong("forward_difference", "fits_the_examples", "This gives the numbers of the visible check and nothing else. Write the formula for any f, x and h.")
def forward_difference(f, x, h):
    return {0.1: 6.1, 0.5: 6.5 if x == 3.0 else 1.75, 0.25: -2.0}.get(h, 0.0)


@right("forward_difference", "in_steps")
def forward_difference(f, x, h):
    here = f(x)
    there = f(x + h)
    rise = there - here
    return rise / h


@right("forward_difference", "by_the_two_points")
def forward_difference(f, x, h):
    x1, x2 = x, x + h
    return (f(x1) - f(x2)) / (x1 - x2)


# -- central_difference -----------------------------------------------------------------------------------------------


@wrong("central_difference", "one_step", "The two points are two steps apart, and you divided by one.")
def central_difference(f, x, h):
    return (f(x + h) - f(x - h)) / h


@wrong("central_difference", "multiplied_by_h", "/ 2 * h divides by 2 and then multiplies by h. Put the whole distance in parentheses.")
def central_difference(f, x, h):
    return (f(x + h) - f(x - h)) / 2 * h


@wrong("central_difference", "forward", "This is the forward difference. The second point lies as far to the left of x as the first to the right.")
def central_difference(f, x, h):
    return (f(x + h) - f(x)) / h


@wrong("central_difference", "from_the_middle", "You went one step from x and divided by two. The second point is x - h, not x.")
def central_difference(f, x, h):
    return (f(x + h) - f(x)) / (2 * h)


@wrong("central_difference", "half_steps", "You went half a step to each side. Here each side gets a whole step h.")
def central_difference(f, x, h):
    return (f(x + h / 2) - f(x - h / 2)) / h


@wrong("central_difference", "sum", "You added the two values. A slope comes from their difference.")
def central_difference(f, x, h):
    return (f(x + h) + f(x - h)) / (2 * h)


@wrong("central_difference", "wrong_order", "Left minus right: every slope has the wrong sign.")
def central_difference(f, x, h):
    return (f(x - h) - f(x + h)) / (2 * h)


@wrong("central_difference", "from_the_library", "These are the true slopes, or nearly: another h was taken, or a finer rule. Write the central difference, with the h that is given.")
def central_difference(f, x, h):
    from autograder import numerical_gradient

    return numerical_gradient(f, x)[0]


@right("central_difference", "mean_of_two_slopes")
def central_difference(f, x, h):
    to_the_right = (f(x + h) - f(x)) / h
    to_the_left = (f(x) - f(x - h)) / h
    return (to_the_right + to_the_left) / 2


@right("central_difference", "through_the_forward_rule")
def central_difference(f, x, h):
    start, distance = x - h, 2 * h
    return (f(start + distance) - f(start)) / distance


# -- order_of_error ---------------------------------------------------------------------------------------------------


@wrong("order_of_error", "ten_times_only", "This supposes that one step is ten times the other. Divide by the logarithm of the steps' quotient.")
def order_of_error(h1, e1, h2, e2):
    return math.log10(e1 / e2)


@wrong("order_of_error", "no_logarithm", "You divided the two quotients. q is an exponent: it takes a logarithm to bring it down.")
def order_of_error(h1, e1, h2, e2):
    return (e1 / e2) / (h1 / h2)


@wrong("order_of_error", "upside_down", "One quotient is upside down: with the first error on top, the first step has to be on top too.")
def order_of_error(h1, e1, h2, e2):
    return math.log(e1 / e2) / math.log(h2 / h1)


@wrong("order_of_error", "steps_by_errors", "The logarithm of the steps was divided by that of the errors. It is the other way round.")
def order_of_error(h1, e1, h2, e2):
    return math.log(h1 / h2) / math.log(e1 / e2)


@wrong("order_of_error", "one_point", "This looks at one step only, and takes the unknown constant for 1. Two points are needed to see a slope.")
def order_of_error(h1, e1, h2, e2):
    return math.log(e1) / math.log(h1)


@wrong("order_of_error", "slope_without_logarithms", "This is the slope on ordinary axes. On logarithmic ones both differences are of logarithms.")
def order_of_error(h1, e1, h2, e2):
    return (e1 - e2) / (h1 - h2)


@wrong("order_of_error", "always_positive", "With rounding, errors grow when the step shrinks, and the order is negative. Keep the sign.")
def order_of_error(h1, e1, h2, e2):
    return abs(math.log(e1 / e2) / math.log(h1 / h2))


@wrong("order_of_error", "rounded", "An order that was measured need not be a whole number. Return it as it is.")
def order_of_error(h1, e1, h2, e2):
    return round(math.log(e1 / e2) / math.log(h1 / h2))


@right("order_of_error", "differences_of_logarithms")
def order_of_error(h1, e1, h2, e2):
    rise = math.log10(e2) - math.log10(e1)
    run = math.log10(h2) - math.log10(h1)
    return rise / run


@right("order_of_error", "logarithm_to_that_base")
def order_of_error(h1, e1, h2, e2):
    return math.log(e1 / e2, h1 / h2)


# -- partial_derivative -----------------------------------------------------------------------------------------------


@wrong("partial_derivative", "all_numbers_step", "p + h moves every number. In a partial derivative only p[i] takes the step.")
def partial_derivative(f, p, i, h):
    return (f(p + h) - f(p - h)) / (2 * h)


@wrong("partial_derivative", "one_array_two_names", "up and down are names of one array, p itself. Make two copies.")
def partial_derivative(f, p, i, h):
    up = p
    up[i] += h
    down = p
    down[i] -= h
    return (f(up) - f(down)) / (2 * h)


@wrong("partial_derivative", "steps_one_after_the_other", "The second step starts where the first one ended, so it leads back to p and no further. And p is the caller's array.")
def partial_derivative(f, p, i, h):
    p[i] += h
    high = f(p)
    p[i] -= h
    return (high - f(p)) / (2 * h)


@wrong("partial_derivative", "not_put_back", "The number is right, but p[i] is h too low afterwards, and p belongs to the caller.")
def partial_derivative(f, p, i, h):
    p[i] += h
    high = f(p)
    p[i] -= 2 * h
    return (high - f(p)) / (2 * h)


@wrong("partial_derivative", "one_step", "The two points are two steps apart, and you divided by one.")
def partial_derivative(f, p, i, h):
    up, down = p.copy(), p.copy()
    up[i] += h
    down[i] -= h
    return (f(up) - f(down)) / h


@wrong("partial_derivative", "forward", "This is the forward difference. Step to both sides of p[i].")
def partial_derivative(f, p, i, h):
    up = p.copy()
    up[i] += h
    return (f(up) - f(p)) / h


@wrong("partial_derivative", "always_the_first", "The step goes into p[0], whatever i is.")
def partial_derivative(f, p, i, h):
    up, down = p.copy(), p.copy()
    up[0] += h
    down[0] -= h
    return (f(up) - f(down)) / (2 * h)


@wrong("partial_derivative", "number_for_array", "f was called with one number. It takes the whole array, in which one number has moved.")
def partial_derivative(f, p, i, h):
    return (f(p[i] + h) - f(p[i] - h)) / (2 * h)


@wrong("partial_derivative", "a_list", "list(p) makes a list, and f takes an array: p ** 2 and p.sum() fail with a list. The copy of an array is p.copy().")
def partial_derivative(f, p, i, h):
    up, down = list(p), list(p)
    up[i] += h
    down[i] -= h
    return (f(up) - f(down)) / (2 * h)


@wrong("partial_derivative", "multiplied_by_h", "/ 2 * h divides by 2 and then multiplies by h. Put the whole distance in parentheses.")
def partial_derivative(f, p, i, h):
    up, down = p.copy(), p.copy()
    up[i] += h
    down[i] -= h
    return (f(up) - f(down)) / 2 * h


@right("partial_derivative", "direction")
def partial_derivative(f, p, i, h):
    step = np.zeros(len(p))
    step[i] = h
    return (f(p + step) - f(p - step)) / (2 * h)


@right("partial_derivative", "through_a_function_of_one_number")
def partial_derivative(f, p, i, h):
    def along(value):
        moved = p.copy()
        moved[i] = value
        return f(moved)

    return (along(p[i] + h) - along(p[i] - h)) / h / 2


@right("partial_derivative", "in_place_and_back")
def partial_derivative(f, p, i, h):
    old = p[i]
    p[i] = old + h
    high = f(p)
    p[i] = old - h
    low = f(p)
    p[i] = old
    return (high - low) / (2 * h)


# -- array_gradient ---------------------------------------------------------------------------------------------------


@wrong("array_gradient", "rows_only", "range(len(p)) goes through the rows, so a whole row takes the step at once. Go through all places.")
def array_gradient(f, p, h):
    grad = np.zeros_like(p)
    for i in range(len(p)):
        up, down = p.copy(), p.copy()
        up[i] += h
        down[i] -= h
        grad[i] = (f(up) - f(down)) / (2 * h)
    return grad


@wrong("array_gradient", "steps_pile_up", "The copies are made once, before the loop: each place keeps its step while the next ones have their turn.")
def array_gradient(f, p, h):
    grad = np.zeros_like(p)
    up, down = p.copy(), p.copy()
    for i in np.ndindex(p.shape):
        up[i] += h
        down[i] -= h
        grad[i] = (f(up) - f(down)) / (2 * h)
    return grad


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


@wrong("array_gradient", "not_put_back", "You step in p itself and do not put it back: later places see the steps of earlier ones, and the caller's array has moved.")
def array_gradient(f, p, h):
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        p[i] += h
        high = f(p)
        p[i] -= 2 * h
        grad[i] = (high - f(p)) / (2 * h)
    return grad


@wrong("array_gradient", "one_step", "The two points are two steps apart, and you divided by one.")
def array_gradient(f, p, h):
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        up, down = p.copy(), p.copy()
        up[i] += h
        down[i] -= h
        grad[i] = (f(up) - f(down)) / h
    return grad


@wrong("array_gradient", "added_up", "You added all partial derivatives into one number. Each belongs into its own place of an array.")
def array_gradient(f, p, h):
    total = 0.0
    for i in np.ndindex(p.shape):
        up, down = p.copy(), p.copy()
        up[i] += h
        down[i] -= h
        total += (f(up) - f(down)) / (2 * h)
    return total


@wrong("array_gradient", "one_place", "The return stands inside the loop, so only the first place was filled in.")
def array_gradient(f, p, h):
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        up, down = p.copy(), p.copy()
        up[i] += h
        down[i] -= h
        grad[i] = (f(up) - f(down)) / (2 * h)
        return grad


@wrong("array_gradient", "multiplied_by_h", "/ 2 * h divides by 2 and then multiplies by h. Put the whole distance in parentheses.")
def array_gradient(f, p, h):
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        up, down = p.copy(), p.copy()
        up[i] += h
        down[i] -= h
        grad[i] = (f(up) - f(down)) / 2 * h
    return grad


@wrong("array_gradient", "two_axes_only", "Two loops visit arrays with two axes only. np.ndindex(p.shape) visits all places of any shape.")
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


@wrong("mended_gradient", "integers_forgotten", "p is put back now. But an array of integers still swallows the step: 1 + 0.5 becomes 1 in it.")
def mended_gradient(f, p, h):
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


@wrong("mended_gradient", "gradient_of_integers", "p holds floats now, but grad was made from the integers, and cuts off what stands behind the point.")
def mended_gradient(f, p, h):
    grad = np.zeros_like(p)
    p = np.asarray(p, dtype=float)
    for i in np.ndindex(p.shape):
        old = p[i]
        p[i] = old + h
        up = f(p)
        p[i] = old - h
        down = f(p)
        p[i] = old
        grad[i] = (up - down) / (2 * h)
    return grad


@wrong("mended_gradient", "put_back_at_the_end", "The caller's p is safe now. But while the loop runs, later places still see the steps of earlier ones.")
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


@wrong("mended_gradient", "steps_in_a_copy", "The caller's p is safe now. But while the loop runs, later places still see the steps of earlier ones.")
def mended_gradient(f, p, h):
    p = p.astype(float)
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        p[i] += h
        up = f(p)
        p[i] -= 2 * h
        down = f(p)
        grad[i] = (up - down) / (2 * h)
    return grad


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


@wrong("mended_gradient", "half_way_back", "p is left where the last step ended, h too low. That also disturbs the places that have their turn later.")
def mended_gradient(f, p, h):
    p = np.asarray(p, dtype=float)
    grad = np.zeros_like(p)
    for i in np.ndindex(p.shape):
        old = p[i]
        p[i] = old + h
        up = f(p)
        p[i] = old
        p[i] = old - h
        down = f(p)
        grad[i] = (up - down) / (2 * h)
    return grad


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


@wrong("mended_gradient", "rows_only", "range(len(p)) goes through the rows, so a whole row takes the step at once. Go through all places.")
def mended_gradient(f, p, h):
    p = np.asarray(p, dtype=float)
    grad = np.zeros_like(p)
    for i in range(len(p)):
        old = p[i].copy()
        p[i] = old + h
        up = f(p)
        p[i] = old - h
        down = f(p)
        p[i] = old
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


# -- mean_squared_error -----------------------------------------------------------------------------------------------


@wrong("mean_squared_error", "sum", "This is the sum of the squares. The mean divides it by how many there are.")
def mean_squared_error(predictions, targets):
    return ((predictions - targets) ** 2).sum()


@wrong("mean_squared_error", "root", "The mean is right, and then you took its root. The loss is the mean itself.")
def mean_squared_error(predictions, targets):
    return np.sqrt(((predictions - targets) ** 2).mean())


@wrong("mean_squared_error", "no_square", "The differences were averaged without a square, so 2 and -2 cancel.")
def mean_squared_error(predictions, targets):
    return (predictions - targets).mean()


@wrong("mean_squared_error", "square_of_the_mean", "You squared the mean. Square each difference first, then take the mean.")
def mean_squared_error(predictions, targets):
    return (predictions - targets).mean() ** 2


@wrong("mean_squared_error", "absolute", "These are absolute differences. The squared error counts a difference of 3 nine times.")
def mean_squared_error(predictions, targets):
    return np.abs(predictions - targets).mean()


@wrong("mean_squared_error", "half", "The factor one half, which some books add, is not in our formula.")
def mean_squared_error(predictions, targets):
    return ((predictions - targets) ** 2).mean() / 2


@wrong("mean_squared_error", "array_of_squares", "These are the squares. One number is missing: their mean.")
def mean_squared_error(predictions, targets):
    return (predictions - targets) ** 2


@wrong("mean_squared_error", "in_place", "The number is right, but -= wrote the differences into the caller's predictions.")
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


@wrong("polynomial", "parabola_only", "This stops at x**2. The function has to take as many parameters as p has.")
def polynomial(p, x):
    return sum(p[k] * x**k for k in range(min(len(p), 3)))


@wrong("polynomial", "times_k", "You multiplied by the exponent instead of taking the power: x * k is not x**k.")
def polynomial(p, x):
    total = np.zeros_like(x)
    for k, coefficient in enumerate(p):
        total = total + coefficient * x * k
    return total


@wrong("polynomial", "last_term_only", "Each round overwrites what was there. The terms have to be added up.")
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


@wrong("polynomial", "changes_x", "The values are right, but power *= x writes into x itself when power is another name for it.")
def polynomial(p, x):
    total = p[0] + 0.0 * x
    power, factor = x, x.copy()
    for coefficient in p[1:]:
        total = total + coefficient * power
        power *= factor
    return total


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


# -- random_step ------------------------------------------------------------------------------------------------------


@wrong("random_step", "always_moves", "The change is kept whatever it does to the loss. Keep it only if the loss gets smaller.")
def random_step(loss, p, change):
    return p + change


@wrong("random_step", "never_moves", "The result is p every time. What if the loss at p + change is smaller?")
def random_step(loss, p, change):
    candidate = p + change
    if loss(candidate) < loss(p):
        p = p
    return p


@wrong("random_step", "uphill", "You keep the change when the loss gets *larger*. Turn the comparison around.")
def random_step(loss, p, change):
    candidate = p + change
    return candidate if loss(candidate) > loss(p) else p


@wrong("random_step", "in_place", "p += change writes into the caller's array, which has moved even when the answer is to stay.")
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


@wrong("random_step", "negative_means_better", "Whether the new loss is below 0 says nothing. Compare it with the old one.")
def random_step(loss, p, change):
    candidate = p + change
    return candidate if loss(candidate) < 0 else p


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
    if loss(p) <= loss(new_p):
        return p
    return new_p


# -- gradient_descent -------------------------------------------------------------------------------------------------


@wrong("gradient_descent", "uphill", "The gradient points uphill. To make the loss smaller, go against it: mind the sign.")
def gradient_descent(gradient, start, rate, steps):
    path = [start]
    for _ in range(steps):
        path.append(path[-1] + rate * gradient(path[-1]))
    return path


@wrong("gradient_descent", "one_array", "p -= changes one array, which stands in the list many times, and it is the caller's start. Make a new array in each step.")
def gradient_descent(gradient, start, rate, steps):
    path, p = [start], start
    for _ in range(steps):
        p -= rate * gradient(p)
        path.append(p)
    return path


@wrong("gradient_descent", "one_copy", "start is safe, but p -= still changes one array, which stands in the list many times.")
def gradient_descent(gradient, start, rate, steps):
    path, p = [start], start.copy()
    for _ in range(steps):
        p -= rate * gradient(p)
        path.append(p)
    return path


@wrong("gradient_descent", "gradient_once", "The gradient was computed once, at the start. It is another one at each point.")
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


@wrong("gradient_descent", "no_rate", "The learning rate is not used: it multiplies the gradient.")
def gradient_descent(gradient, start, rate, steps):
    path = [start]
    for _ in range(steps):
        path.append(path[-1] - gradient(path[-1]))
    return path


@wrong("gradient_descent", "one_step_less", "One step is missing: besides the start there are as many points as steps.")
def gradient_descent(gradient, start, rate, steps):
    path = [start]
    for _ in range(1, steps):
        path.append(path[-1] - rate * gradient(path[-1]))
    return path


@wrong("gradient_descent", "yields", "`yield` makes a generator, which can be walked along once. Collect the points in a list, and return it.")
def gradient_descent(gradient, start, rate, steps):
    p = start
    yield p
    for _ in range(steps):
        p = p - rate * gradient(p)
        yield p


@wrong("gradient_descent", "constant_stride", "Only the sign of the gradient is used, so steep and flat places get the same stride.")
def gradient_descent(gradient, start, rate, steps):
    path = [start]
    for _ in range(steps):
        path.append(path[-1] - rate * np.sign(gradient(path[-1])))
    return path


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


# -- line_gradient ----------------------------------------------------------------------------------------------------


@wrong("line_gradient", "no_two", "The factor 2 is missing: it comes from the square.")
def line_gradient(p, x, y):
    errors = p[0] + p[1] * x - y
    return np.array([errors.mean(), (errors * x).mean()])


@wrong("line_gradient", "sums", "These are sums. The loss is a mean, so each formula is divided by n.")
def line_gradient(p, x, y):
    errors = p[0] + p[1] * x - y
    return np.array([2 * errors.sum(), 2 * (errors * x).sum()])


@wrong("line_gradient", "target_minus_prediction", "The signs are wrong: an error is prediction minus target here.")
def line_gradient(p, x, y):
    errors = y - p[0] - p[1] * x
    return np.array([2 * errors.mean(), 2 * (errors * x).mean()])


@wrong("line_gradient", "no_inner_slope", "Both numbers are the same: in the second formula each error is multiplied by its x.")
def line_gradient(p, x, y):
    errors = p[0] + p[1] * x - y
    return np.array([2 * errors.mean(), 2 * errors.mean()])


@wrong("line_gradient", "product_of_means", "The mean of products is not the product of the means. Multiply each error by its x, then take the mean.")
def line_gradient(p, x, y):
    errors = p[0] + p[1] * x - y
    return np.array([2 * errors.mean(), 2 * errors.mean() * x.mean()])


@wrong("line_gradient", "swapped", "The two numbers are swapped: p[0] is the constant, and its slope is the mean without x.")
def line_gradient(p, x, y):
    errors = p[0] + p[1] * x - y
    return np.array([2 * (errors * x).mean(), 2 * errors.mean()])


@wrong("line_gradient", "slope_and_constant_mixed_up", "Your line is p[1] + p[0] * x. Here p[0] is the constant and p[1] belongs to x.")
def line_gradient(p, x, y):
    errors = p[1] + p[0] * x - y
    return np.array([2 * errors.mean(), 2 * (errors * x).mean()])


@wrong("line_gradient", "squared_errors", "The square is gone in the derivative: each term is 2 times the error, not its square.")
def line_gradient(p, x, y):
    errors = p[0] + p[1] * x - y
    return np.array([2 * (errors**2).mean(), 2 * (errors**2 * x).mean()])


@wrong("line_gradient", "no_mean", "Each row holds a number for every point. The formulas add them up and divide by n: take the mean.")
def line_gradient(p, x, y):
    errors = p[0] + p[1] * x - y
    return np.array([2 * errors, 2 * errors * x])


@wrong("line_gradient", "four_points", "This divides by 4, which was right for the first example. n is how many points there are.")
def line_gradient(p, x, y):
    errors = p[0] + p[1] * x - y
    return np.array([errors.sum() / 2, (errors * x).sum() / 2])


@wrong("line_gradient", "by_steps", "This takes steps, and where errors are large and cancel, rounding swallows them. Write the two formulas instead.")
def line_gradient(p, x, y):
    def loss(p):
        return ((p[0] + p[1] * x - y) ** 2).mean()

    h, slopes = 1e-5, []
    for i in range(2):
        step = np.zeros(2)
        step[i] = h
        slopes.append((loss(p + step) - loss(p - step)) / (2 * h))
    return np.array(slopes)


@wrong("line_gradient", "by_large_steps", "This takes steps, and where errors are large and cancel, rounding swallows them. Write the two formulas instead.")
def line_gradient(p, x, y):
    def loss(a, b):
        return ((a + b * x - y) ** 2).mean()

    a, b = p
    return np.array([loss(a + 1, b) - loss(a - 1, b), loss(a, b + 1) - loss(a, b - 1)]) / 2


@wrong("line_gradient", "a_tuple", "The numbers are right. Return them as an array, so that it can be multiplied by the learning rate.")
def line_gradient(p, x, y):
    errors = p[0] + p[1] * x - y
    return 2 * errors.mean(), 2 * (errors * x).mean()


@right("line_gradient", "matrix")
def line_gradient(p, x, y):
    columns = np.stack([np.ones(len(x)), x])
    return 2 * columns @ (p @ columns - y) / len(x)


@right("line_gradient", "with_a_loop")
def line_gradient(p, x, y):
    by_constant = by_slope = 0.0
    for a, b in zip(x, y):
        error = p[0] + p[1] * a - b
        by_constant += 2 * error
        by_slope += 2 * error * a
    return np.array([by_constant, by_slope]) / len(x)


# -- network_parameters -----------------------------------------------------------------------------------------------


@wrong("network_parameters", "no_biases", "These are the weights. Each layer has biases too, one for each number that it gives.")
def network_parameters(sizes):
    return sum(a * b for a, b in zip(sizes, sizes[1:]))


@wrong("network_parameters", "biases_of_the_inputs", "You counted a bias for each number that a layer takes. It has one for each number that it gives.")
def network_parameters(sizes):
    return sum(a * b + a for a, b in zip(sizes, sizes[1:]))


@wrong("network_parameters", "one_bias_a_layer", "You counted one bias for each layer. It has one for each number that it gives.")
def network_parameters(sizes):
    return sum(a * b + 1 for a, b in zip(sizes, sizes[1:]))


@wrong("network_parameters", "first_layer_only", "Only the first layer was counted. Each pair of neighbours in sizes is a layer.")
def network_parameters(sizes):
    return sizes[0] * sizes[1] + sizes[1]


@wrong("network_parameters", "all_multiplied", "You multiplied all sizes. Layers are counted one by one and added up.")
def network_parameters(sizes):
    return math.prod(sizes) + sum(sizes[1:])


@wrong("network_parameters", "evaluations", "This is twice the number: the evaluations of a gradient. The parameters were asked for.")
def network_parameters(sizes):
    return 2 * sum(a * b + b for a, b in zip(sizes, sizes[1:]))


@wrong("network_parameters", "takes_them_out", "The number is right, but pop takes the sizes out of the caller's list. Look at them without taking them away.")
def network_parameters(sizes):
    total, a = 0, sizes.pop(0)
    while sizes:
        b = sizes.pop(0)
        total += a * b + b
        a = b
    return total


@right("network_parameters", "by_index")
def network_parameters(sizes):
    total = 0
    for k in range(1, len(sizes)):
        total += (sizes[k - 1] + 1) * sizes[k]
    return total


@right("network_parameters", "weights_then_biases")
def network_parameters(sizes):
    weights = [sizes[k] * sizes[k + 1] for k in range(len(sizes) - 1)]
    return sum(weights) + sum(sizes[1:])
