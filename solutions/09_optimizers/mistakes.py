"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 09_optimizers`) and they diagnose: a student's answer that behaves like one of
these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the functions
use (np, math, Tensor, no_grad) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import changed, right, wrong

RATE_WRITTEN_IN = "lr has no effect: you wrote a number in its place, which is right in one example only."
NEVER_FADES = "Old gradients never fade: mu is missing in front of the old velocity."
UPHILL = "This goes up the hill: the step is subtracted."
BETAS_SWAPPED = "The betas are swapped: the first belongs to m, the second to v."

# -- sgd_step ---------------------------------------------------------------------------------------------------------


@wrong(
    "sgd_step",
    "in_place",
    "The numbers are right, and the caller's array was changed, as `-=`, `*=` and `p[:] =` do. Make a new one.",
)
def sgd_step(p, g, lr):
    p -= lr * g
    return p


@wrong("sgd_step", "uphill", "This goes up the hill: the gradient points to where the loss grows.")
def sgd_step(p, g, lr):
    return p + lr * g


@wrong("sgd_step", "no_rate", "The learning rate is missing: the step is as long as the gradient itself.")
def sgd_step(p, g, lr):
    return p - g


@wrong("sgd_step", "step_only", "This is the step alone. Return where the parameter is after it.")
def sgd_step(p, g, lr):
    return -lr * g


@wrong(
    "sgd_step",
    "unit_gradient",
    "You took the gradient's direction and dropped its length. SGD's step is lr times the gradient as it is.",
)
def sgd_step(p, g, lr):
    return p - lr * g / np.linalg.norm(g)


@wrong("sgd_step", "shrinks_p", "lr multiplies the whole difference here. It belongs to the gradient alone.")
def sgd_step(p, g, lr):
    return lr * (p - g)


@wrong("sgd_step", "divides_by_the_rate", "You divided by the learning rate. It multiplies the gradient.")
def sgd_step(p, g, lr):
    return p - g / lr


@wrong(
    "sgd_step",
    "exchanged",
    "p and g have changed places: from the parameter, lr times the gradient is subtracted.",
)
def sgd_step(p, g, lr):
    return g - lr * p


@wrong(
    "sgd_step",
    "rate_at_the_wrong_one",
    "From the parameter, lr times the gradient is subtracted. Here the roles are mixed.",
)
def sgd_step(p, g, lr):
    return lr - p * g


@wrong("sgd_step", "p_where_there_is_no_step", "Where the gradient is 0 you return `p` itself. A new array is asked for, always: who changes one would change the other.")
def sgd_step(p, g, lr):
    if not g.any():
        return p
    return p - lr * g


@wrong("sgd_step", "cut_off", "Large gradients are cut off. SGD takes the gradient as it is: clipping is another matter, in section 8.")
def sgd_step(p, g, lr):
    return p - lr * np.clip(g, -10, 10)


@right("sgd_step", "np_functions")
def sgd_step(p, g, lr):
    return np.subtract(p, np.multiply(lr, g))


@right("sgd_step", "on_a_copy")
def sgd_step(p, g, lr):
    new = p.copy()
    new -= lr * g
    return new


@right("sgd_step", "result_of_the_type_of_p")
def sgd_step(p, g, lr):
    new = np.empty_like(p)
    new[...] = p - lr * g
    return new


@wrong("sgd_step", "entry_by_entry", "A parameter may be a single number, of shape (): it has no len. Arrays need no loop.")
def sgd_step(p, g, lr):
    new = p.copy()
    for i in range(len(p)):
        new[i] = p[i] - lr * g[i]
    return new


@wrong("sgd_step", "entries_by_zip", "A parameter may be a single number, of shape (): a loop finds no entries in it. Arrays need no loop.")
def sgd_step(p, g, lr):
    return np.array([a - lr * b for a, b in zip(p, g)])


@wrong("sgd_step", "rounded", "The new parameter is rounded, and small steps are lost. Return the numbers as they are.")
def sgd_step(p, g, lr):
    return np.round(p - lr * g, 4)


@wrong("sgd_step", "sign_only", "Each number moves by lr, whatever the size of its gradient: only the sign is used. Multiply lr by the gradient itself.")
def sgd_step(p, g, lr):
    return p - lr * np.sign(g)


# -- momentum_step ----------------------------------------------------------------------------------------------------


@wrong(
    "momentum_step",
    "in_place",
    "The numbers are right, and the caller's arrays were overwritten. Make new arrays.",
)
def momentum_step(p, g, v, lr, mu):
    v *= mu
    v += g
    p -= lr * v
    return p, v


@wrong(
    "momentum_step",
    "old_velocity",
    "p moves with the old velocity. Compute the new one first, and move with that.",
)
def momentum_step(p, g, v, lr, mu):
    return p - lr * v, mu * v + g


@wrong(
    "momentum_step",
    "mean_of_gradients",
    "You multiplied g by 1 - mu, which makes v a mean. In PyTorch's convention the gradient comes in whole.",
)
def momentum_step(p, g, v, lr, mu):
    v = mu * v + (1 - mu) * g
    return p - lr * v, v


@wrong(
    "momentum_step",
    "rate_in_velocity",
    "The rate has got into the velocity. Here v adds up gradients, and lr multiplies v when p moves.",
)
def momentum_step(p, g, v, lr, mu):
    v = mu * v + lr * g
    return p - v, v


@wrong(
    "momentum_step", "uphill", "This goes up the hill: v points where the gradients point, so subtract it."
)
def momentum_step(p, g, v, lr, mu):
    v = mu * v + g
    return p + lr * v, v


@wrong("momentum_step", "never_fades", NEVER_FADES)
def momentum_step(p, g, v, lr, mu):
    v = v + g
    return p - lr * v, v


@wrong(
    "momentum_step",
    "fades_the_gradient",
    "mu multiplies the sum. Only the old velocity fades, the new gradient does not.",
)
def momentum_step(p, g, v, lr, mu):
    v = mu * (v + g)
    return p - lr * v, v


@wrong(
    "momentum_step",
    "velocity_lost",
    "The parameter is right, but the velocity that you return is the old one.",
)
def momentum_step(p, g, v, lr, mu):
    return p - lr * (mu * v + g), v


@wrong("momentum_step", "nesterov", "That is Nesterov's move. Plain momentum moves by lr times the velocity.")
def momentum_step(p, g, v, lr, mu):
    v = mu * v + g
    return p - lr * (g + mu * v), v


@wrong("momentum_step", "no_rate", "The learning rate is missing: p moves by lr times the velocity.")
def momentum_step(p, g, v, lr, mu):
    v = mu * v + g
    return p - v, v


@wrong(
    "momentum_step",
    "rate_twice",
    "The rate is there twice: in the velocity and in the move. Here v adds up gradients as they are.",
)
def momentum_step(p, g, v, lr, mu):
    v = mu * v + lr * g
    return p - lr * v, v


@wrong("momentum_step", "moves_by_g", "p moves by the gradient, as in SGD. It moves by the new velocity.")
def momentum_step(p, g, v, lr, mu):
    v = mu * v + g
    return p - lr * g, v


@wrong("momentum_step", "mu_on_g", "mu multiplies the gradient. It is the old velocity that fades.")
def momentum_step(p, g, v, lr, mu):
    v = v + mu * g
    return p - lr * v, v


@wrong(
    "momentum_step",
    "signs_turned",
    "Both signs are turned: here the velocity points where the gradients point.",
)
def momentum_step(p, g, v, lr, mu):
    v = mu * v - g
    return p + lr * v, v


@wrong("momentum_step", "velocity_first", "The parameter comes first, then the velocity.")
def momentum_step(p, g, v, lr, mu):
    v = mu * v + g
    return v, p - lr * v


@wrong(
    "momentum_step",
    "in_place_and_twice",
    "The old velocity counts twice, whole and times mu: `v += mu * v + g` does that, and changes the caller's array, too.",
)
def momentum_step(p, g, v, lr, mu):
    v += mu * v + g
    return p - lr * v, v


@wrong("momentum_step", "parameter_only", "This is the first of two arrays. Return the new velocity, too.")
def momentum_step(p, g, v, lr, mu):
    return p - lr * (mu * v + g)


@wrong("momentum_step", "cut_off", "Large velocities are cut off. The velocity is mu * v + g, whatever its size.")
def momentum_step(p, g, v, lr, mu):
    v = np.clip(mu * v + g, -100, 100)
    return p - lr * v, v


@wrong(
    "momentum_step",
    "rate_and_sign_inside",
    "That is another convention: the velocity holds the rate and the sign, and p moves by it. Here v adds up gradients as they are; rate and minus come when p moves.",
)
def momentum_step(p, g, v, lr, mu):
    v = mu * v - lr * g
    return p + v, v


@wrong(
    "momentum_step",
    "gradient_subtracted",
    "The gradient is subtracted when it comes into the velocity, and the velocity is subtracted again: p goes uphill. Add the gradient to the velocity.",
)
def momentum_step(p, g, v, lr, mu):
    v = mu * v - g
    return p - lr * v, v


@right("momentum_step", "one_line")
def momentum_step(p, g, v, lr, mu):
    return p - lr * (g + mu * v), g + mu * v


@right("momentum_step", "on_copies")
def momentum_step(p, g, v, lr, mu):
    new_p, new_v = p.copy(), v.copy()
    new_v *= mu
    new_v += g
    new_p -= lr * new_v
    return new_p, new_v


@wrong("momentum_step", "one_axis_only", "Only arrays with one axis fit here: what is filled has `len(p)` numbers. A parameter may have two axes, or none; operators take any, without a loop.")
def momentum_step(p, g, v, lr, mu):
    new_p, new_v = np.zeros(len(p)), np.zeros(len(p))
    for i in range(len(p)):
        new_v[i] = mu * v[i] + g[i]
        new_p[i] = p[i] - lr * new_v[i]
    return new_p, new_v


# -- lr_and_mu --------------------------------------------------------------------------------------------------------

POLYAK = """
def lr_and_mu(curvatures):
    low, high = math.sqrt(min(curvatures)), math.sqrt(max(curvatures))
    return (2 / (low + high)) ** 2, ((high - low) / (high + low)) ** 2
"""
CHOICE = "    return (2 / (low + high)) ** 2, ((high - low) / (high + low)) ** 2"


def choice(name, sentence, text):
    """A wrong choice: the two numbers, in terms of the roots of the smallest and the largest curvature."""
    wrong("lr_and_mu", name, sentence, source=changed(POLYAK, (CHOICE, f"    return {text}")))


THIS_VALLEY = "The same numbers come for every valley, and where curvatures are 25 times as large, the rate has to be 25 times smaller."
choice("for_this_valley", THIS_VALLEY, "0.06, 0.6")
choice("as_in_the_picture", THIS_VALLEY, "0.02, 0.8")
choice("without_momentum", "Without momentum no rate does it: what is short enough for the steepest direction creeps along the flattest.", "2 / (low**2 + high**2), 0.0")
choice("habit", "With mu = 0.9 what swings loses a tenth in each step, and its square in 100 steps is above a millionth: a smaller mu.", "2 / high**2, 0.9")
choice("little_mu", "With so little momentum the flattest direction creeps: more of the old gradients has to stay.", "2.9 / high**2, 0.5")
choice("rate_of_the_flattest", "The rate fits the flattest direction, and is far above the limit of the steepest one.", "1 / low**2, 0.7")
choice("above_the_limit", "The rate is above the limit 2 (1 + mu) / L.", "4 / high**2, 0.7")
choice("far_below_the_limit", "The rate is far below the limit, so the flattest direction creeps: it may come near 2 (1 + mu) / L.", "0.3 / high**2, 0.7")
choice("exchanged", "Two numbers come back in the wrong order: the rate is first, then mu.", "((high - low) / (high + low)) ** 2, (2 / (low + high)) ** 2")
choice("list_of_two", "A tuple of two numbers is wanted: `return lr, mu`.", "[(2 / (low + high)) ** 2, ((high - low) / (high + low)) ** 2]")
choice("rate_alone", "Two numbers are wanted, the rate and mu.", "3.3 / high**2")
choice("roots_forgotten", "The formula has the roots of the curvatures; here the curvatures stand in their place.", "(2 / (low**2 + high**2)) ** 2, ((high**2 - low**2) / (high**2 + low**2)) ** 2")
choice("squares_forgotten", "Both numbers are the roots of what they should be.", "2 / (low + high), (high - low) / (high + low)")
choice("mean_curvature", "The mean of the curvatures decides here. The largest one sets the limit.", "3.3 / curvatures.mean(), 0.67")
wrong(
    "lr_and_mu",
    "first_and_last",
    "The first and the last curvature are taken for the smallest and the largest one: they come in any order.",
    source=changed(POLYAK, ("min(curvatures)", "curvatures[0]"), ("max(curvatures)", "curvatures[-1]")),
)
wrong(
    "lr_and_mu",
    "sorted_in_place",
    "The curvatures were sorted in the caller's array. `np.sort(...)` makes a new one.",
    source=changed(POLYAK, ("    low, high = math.sqrt(min(curvatures)), math.sqrt(max(curvatures))", "    curvatures.sort()\n    low, high = np.sqrt(curvatures[[0, -1]])")),
)
right("lr_and_mu", "one_mu_for_all", source="""
def lr_and_mu(curvatures):
    return 3.2 / curvatures.max(), 0.7
""")
right("lr_and_mu", "by_search", source="""
def lr_and_mu(curvatures):
    tries = [(part / max(curvatures), mu) for part in (1, 2, 3) for mu in (0.5, 0.6, 0.7, 0.8)]
    return min(tries, key=lambda pair: left(curvatures, *pair).max())
""")


@wrong("lr_and_mu", "rate_of_the_mean_curvature", "The rate follows from the mean curvature here, and the largest one sets the limit: one steep direction among flat ones moves away.")
def lr_and_mu(curvatures):
    return 1 / curvatures.mean(), 0.7


@wrong("lr_and_mu", "nan_is_no_failure", "A search that tries rates takes one that has diverged here: what is left is NaN, and a NaN is not larger than any limit. Ask whether it is smaller.")
def lr_and_mu(curvatures):
    mu = 0.7
    for lr in np.geomspace(1e4, 1e-2, 361) / curvatures.max():
        too_much = left(curvatures, lr, mu) >= 1e-6
        if not too_much.any():
            return float(lr), mu

# -- nesterov_step ----------------------------------------------------------------------------------------------------


@wrong(
    "nesterov_step",
    "in_place",
    "The numbers are right, and an array that came in was overwritten. Make new ones.",
)
def nesterov_step(p, g, v, lr, mu):
    v *= mu
    v += g
    return p - lr * (g + mu * v), v


@wrong(
    "nesterov_step",
    "plain_momentum",
    "This is plain momentum: it moves by g + mu * (the v that came in). Nesterov's move is g + mu * (the *new* v).",
)
def nesterov_step(p, g, v, lr, mu):
    v = mu * v + g
    return p - lr * v, v


@wrong(
    "nesterov_step",
    "not_faded",
    "In the move the velocity is faded once more: mu is missing there.",
)
def nesterov_step(p, g, v, lr, mu):
    v = mu * v + g
    return p - lr * (g + v), v


@wrong(
    "nesterov_step",
    "keeps_the_move",
    "You returned what p moved by as the velocity. The velocity stays that of plain momentum.",
)
def nesterov_step(p, g, v, lr, mu):
    v = mu * v + g
    move = g + mu * v
    return p - lr * move, move


@wrong(
    "nesterov_step",
    "no_gradient",
    "The move lacks the gradient itself: it is g plus the velocity, faded once more.",
)
def nesterov_step(p, g, v, lr, mu):
    v = mu * v + g
    return p - lr * mu * v, v


@wrong("nesterov_step", "uphill", "This goes up the hill. The move is subtracted.")
def nesterov_step(p, g, v, lr, mu):
    v = mu * v + g
    return p + lr * (g + mu * v), v


@wrong("nesterov_step", "no_rate", "The learning rate is missing: the whole move is multiplied by lr.")
def nesterov_step(p, g, v, lr, mu):
    v = mu * v + g
    return p - (g + mu * v), v


@wrong(
    "nesterov_step",
    "no_parentheses",
    "Without parentheses only g is multiplied by lr and subtracted. Both parts of the move are.",
)
def nesterov_step(p, g, v, lr, mu):
    v = mu * v + g
    return p - lr * g + mu * v, v


@wrong(
    "nesterov_step", "fades_both", "mu multiplies the gradient in the move as well. Only the velocity fades."
)
def nesterov_step(p, g, v, lr, mu):
    v = mu * v + g
    return p - lr * mu * (g + v), v


@wrong(
    "nesterov_step",
    "old_velocity",
    "This is plain momentum: it moves by g + mu * (the v that came in). Nesterov's move is g + mu * (the *new* v).",
)
def nesterov_step(p, g, v, lr, mu):
    return p - lr * (g + mu * v), mu * v + g


@wrong(
    "nesterov_step",
    "velocity_lost",
    "The parameter is right, but the velocity that you return is the old one.",
)
def nesterov_step(p, g, v, lr, mu):
    return p - lr * (g + mu * (mu * v + g)), v


@wrong("nesterov_step", "velocity_first", "The parameter comes first, then the velocity.")
def nesterov_step(p, g, v, lr, mu):
    v = mu * v + g
    return v, p - lr * (g + mu * v)


@wrong("nesterov_step", "never_fades", NEVER_FADES)
def nesterov_step(p, g, v, lr, mu):
    v = v + g
    return p - lr * (g + mu * v), v


@wrong("nesterov_step", "moves_by_g", "p moves by the gradient alone, as in SGD. The new velocity, faded once more, belongs to the move.")
def nesterov_step(p, g, v, lr, mu):
    v = mu * v + g
    return p - lr * g, v


@wrong("nesterov_step", "rate_written_in", RATE_WRITTEN_IN)
def nesterov_step(p, g, v, lr, mu):
    v = mu * v + g
    return p - 0.1 * (g + mu * v), v


@right("nesterov_step", "by_the_difference_of_velocities")
def nesterov_step(p, g, v, lr, mu):
    new = mu * v + g
    return p - lr * (new + mu * (new - v)), new


@right("nesterov_step", "multiplied_out")
def nesterov_step(p, g, v, lr, mu):
    return p - lr * ((1 + mu) * g + mu**2 * v), g + mu * v


@right("nesterov_step", "two_moves")
def nesterov_step(p, g, v, lr, mu):
    velocity = v * mu + g
    p = p - lr * g
    return p - lr * mu * velocity, velocity


wrong("nesterov_step", "in_two_moves", "p moves by the old velocity first, and then by the new one, to which that belongs already. In PyTorch's form p is the place ahead: one move, by the gradient and the new velocity, faded once more.", source="""
def nesterov_step(p, g, v, lr, mu):
    ahead = p - lr * mu * v
    v = mu * v + g
    return ahead - lr * v, v
""")
wrong("nesterov_step", "gradient_faded_once_more", "The velocity is right, and the gradient is looked ahead with: it is the new velocity that fades once more, beside the gradient as it is.", source="""
def nesterov_step(p, g, v, lr, mu):
    v = mu * v + g
    return p - lr * (v + mu * g), v
""")
wrong("nesterov_step", "ahead_once_more", "p is the place ahead already. Here it goes there once more by the old velocity, or has the new velocity where the gradient belongs, which is the same.", source="""
def nesterov_step(p, g, v, lr, mu):
    new = mu * v + g
    return p - lr * mu * v - lr * (g + mu * new), new
""")
wrong("nesterov_step", "velocity_twice", "p is the place ahead already. Here it goes there once more by the old velocity, or has the new velocity where the gradient belongs, which is the same.", source="""
def nesterov_step(p, g, v, lr, mu):
    v = mu * v + g
    return p - lr * (v + mu * v), v
""")


@wrong("nesterov_step", "velocity_in_steps", "With a rate of 0 this divides 0 by 0: let the velocity be made of gradients, and multiply by lr in the move alone.")
def nesterov_step(p, g, v, lr, mu):
    stride = mu * (lr * v) + lr * g
    return p - (lr * g + mu * stride), stride / lr


# -- rmsprop_step -----------------------------------------------------------------------------------------------------


@wrong(
    "rmsprop_step",
    "in_place",
    "The numbers are right, and the caller's s was overwritten. Make a new array.",
)
def rmsprop_step(p, g, s, lr, alpha, eps):
    s *= alpha
    s += (1 - alpha) * g**2
    return p - lr * g / (np.sqrt(s) + eps), s


@wrong(
    "rmsprop_step",
    "eps_under_the_root",
    "eps stands under the root here. It is added to the root.",
)
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g**2
    return p - lr * g / np.sqrt(s + eps), s


@wrong("rmsprop_step", "no_eps", "Right for eps = 0 only: eps is added to the root, in the divisor.")
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g**2
    return p - lr * g / np.sqrt(s), s


@wrong(
    "rmsprop_step",
    "no_root",
    "The root is missing: a gradient is divided by its size, and s is a mean of squares.",
)
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g**2
    return p - lr * g / (s + eps), s


@wrong("rmsprop_step", "no_square", "The running mean is one of squares, and you put g itself into it.")
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g
    return p - lr * g / (np.sqrt(abs(s)) + eps), s


@wrong(
    "rmsprop_step",
    "mean_of_sizes",
    "You keep a mean of absolute values. RMS is the root of a mean of squares, and s holds that mean.",
)
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * abs(g)
    return p - lr * g / (s + eps), s


@wrong("rmsprop_step", "old_mean", "p moves with the old mean. Update s first, then divide by its root.")
def rmsprop_step(p, g, s, lr, alpha, eps):
    return p - lr * g / (np.sqrt(s) + eps), alpha * s + (1 - alpha) * g**2


@wrong(
    "rmsprop_step",
    "weights_swapped",
    "alpha and 1 - alpha are swapped: alpha is the share of the old mean that stays.",
)
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = (1 - alpha) * s + alpha * g**2
    return p - lr * g / (np.sqrt(s) + eps), s


@wrong(
    "rmsprop_step",
    "adds_up",
    "The new square comes in whole, so s adds up. In a mean its share is 1 - alpha.",
)
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + g**2
    return p - lr * g / (np.sqrt(s) + eps), s


@wrong(
    "rmsprop_step",
    "one_size_for_all",
    "You divide by one number for all coordinates. Each coordinate has a mean of its own.",
)
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g**2
    return p - lr * g / (np.sqrt(s.mean()) + eps), s


@wrong("rmsprop_step", "no_rate", "The learning rate is missing: the whole step is multiplied by lr.")
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g**2
    return p - g / (np.sqrt(s) + eps), s


@wrong("rmsprop_step", "uphill", UPHILL)
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g**2
    return p + lr * g / (np.sqrt(s) + eps), s


@wrong(
    "rmsprop_step",
    "mean_lost",
    "The parameter is right, but the running mean that you return is the old one.",
)
def rmsprop_step(p, g, s, lr, alpha, eps):
    new = alpha * s + (1 - alpha) * g**2
    return p - lr * g / (np.sqrt(new) + eps), s


@wrong(
    "rmsprop_step",
    "no_parentheses",
    "Without parentheses g is divided by the root alone, and eps is added to the end. It belongs to the divisor.",
)
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g**2
    return p - lr * g / np.sqrt(s) + eps, s


@wrong("rmsprop_step", "sizes_in_the_mean", "The running mean is one of squares, and you put the size of g into it.")
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * abs(g)
    return p - lr * g / (np.sqrt(s) + eps), s


@wrong("rmsprop_step", "share_squared", "The new square counts too little: 1 - alpha is squared with g, or alpha multiplies the new square, too. Its share is 1 - alpha.")
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + ((1 - alpha) * g) ** 2
    return p - lr * g / (np.sqrt(s) + eps), s


@wrong(
    "rmsprop_step", "moves_by_the_square", "p moves by g squared, which has no sign any more. It moves by g."
)
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g**2
    return p - lr * g**2 / (np.sqrt(s) + eps), s


@wrong("rmsprop_step", "math_root", "`math.sqrt` takes one number, as `float` does. For arrays there is `np.sqrt`.")
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g**2
    return p - lr * g / (math.sqrt(s) + eps), s


@wrong("rmsprop_step", "larger_of_two", "Right for eps = 0 only: eps is added to the root, in the divisor.")
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g**2
    return p - lr * g / np.maximum(np.sqrt(s), eps), s


@wrong("rmsprop_step", "mean_first", "The parameter comes first, then the running mean.")
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g**2
    return s, p - lr * g / (np.sqrt(s) + eps)


@wrong("rmsprop_step", "a_least_mean", "Small means, or their roots, are raised, so that small gradients make short steps. Only `eps` is added, to the root.")
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g**2
    return p - lr * g / (np.sqrt(np.maximum(s, 1e-10)) + eps), s


@wrong(
    "rmsprop_step",
    "one_mean_for_all",
    "The squares are averaged over all coordinates, so that all share one size. Each coordinate has a running mean of its own: that is the idea of this section.",
)
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * (g * g).mean()
    return p - lr * g / (np.sqrt(s) + eps), s


@wrong(
    "rmsprop_step",
    "root_returned",
    "You return the root of the running mean. The next step needs the mean itself, without the root.",
)
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g**2
    return p - lr * g / (np.sqrt(s) + eps), np.sqrt(s)


@wrong("rmsprop_step", "rate_written_in", RATE_WRITTEN_IN)
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g**2
    return p - 0.2 * g / (np.sqrt(s) + eps), s


@right("rmsprop_step", "moved_by_the_difference")
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = s + (1 - alpha) * (np.square(g) - s)
    return p - g * (lr / (s**0.5 + eps)), s


@right("rmsprop_step", "in_steps")
def rmsprop_step(p, g, s, lr, alpha, eps):
    new = alpha * s
    new += (1 - alpha) * g**2
    size = np.sqrt(new)
    return p - lr * (g / (size + eps)), new


@wrong("rmsprop_step", "root_of_a_number", "`math.sqrt` takes a single number, and here it is given a row: a parameter may have two axes. `np.sqrt` takes arrays of any shape.")
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g * g
    return np.array([a - lr * b / (math.sqrt(c) + eps) for a, b, c in zip(p, g, s)]), s


wrong("rmsprop_step", "one_minus_alpha_in_the_move", "1 - alpha belongs to the mean of squares alone. In the move the gradient comes in whole.", source="""
def rmsprop_step(p, g, s, lr, alpha, eps):
    s = alpha * s + (1 - alpha) * g**2
    return p - lr * (1 - alpha) * g / (np.sqrt(s) + eps), s
""")


# -- bias_correction --------------------------------------------------------------------------------------------------


@wrong(
    "bias_correction", "in_place", "The result is right, and the caller's array was changed, as `/=` does. Make a new one."
)
def bias_correction(mean, beta, t):
    mean /= 1 - beta**t
    return mean


@wrong(
    "bias_correction",
    "first_step_only",
    "Right after one step only. The share of the start fades with each step: where is t?",
)
def bias_correction(mean, beta, t):
    return mean / (1 - beta)


@wrong(
    "bias_correction",
    "power_of_difference",
    "The power belongs to beta alone: it is beta that is multiplied in again and again.",
)
def bias_correction(mean, beta, t):
    return mean / (1 - beta) ** t


@wrong(
    "bias_correction", "multiplies", "You made the mean smaller still. It is too small: divide by the share."
)
def bias_correction(mean, beta, t):
    return mean * (1 - beta**t)


@wrong(
    "bias_correction",
    "times_t",
    "The start fades by a factor in each step: a power, and not a product with t.",
)
def bias_correction(mean, beta, t):
    return mean / (1 - beta * t)


@wrong(
    "bias_correction",
    "counts_from_zero",
    "t counts from 1: at t = 1 there has been one gradient already.",
)
def bias_correction(mean, beta, t):
    return mean / (1 - beta ** (t + 1))


@wrong(
    "bias_correction",
    "share_of_the_start",
    "You divided by the share of the start. What comes from real gradients is the rest.",
)
def bias_correction(mean, beta, t):
    return mean / beta**t


@wrong("bias_correction", "one_step_less", "At t = 1 you divide by 0. The share of the start is beta to the power of t, and t counts from 1: after one step it is beta.")
def bias_correction(mean, beta, t):
    with np.errstate(all="ignore"):
        return mean / np.float64(1 - beta ** (t - 1))


@wrong(
    "bias_correction",
    "no_parentheses",
    "The share of the start is subtracted from the mean: `/ 1 - ...` divides by 1 alone. The whole difference belongs in parentheses.",
)
def bias_correction(mean, beta, t):
    return mean / 1 - beta**t


@wrong(
    "bias_correction",
    "over_t",
    "You divide by t as well. The share of real gradients does not grow by the same amount in each step.",
)
def bias_correction(mean, beta, t):
    return mean / (1 - beta) / t


@wrong(
    "bias_correction",
    "only_in_the_beginning",
    "After a few steps you no longer correct. With beta = 0.999 not even two thirds are real after a thousand.",
)
def bias_correction(mean, beta, t):
    return mean / (1 - beta**t) if t <= 10 else 1 * mean


@wrong(
    "bias_correction",
    "dropped_after_a_thousand",
    "Here, with t above 1,000, you no longer correct. With beta = 0.999 more than a third is still missing after a thousand steps.",
)
def bias_correction(mean, beta, t):
    return mean / (1 - beta**t) if t <= 1000 else 1 * mean


@wrong(
    "bias_correction",
    "divisor_not_below_a_hundredth",
    "The share is kept from being small. With beta = 0.999 it is a thousandth at first, and by that you divide.",
)
def bias_correction(mean, beta, t):
    return mean / max(1 - beta**t, 0.01)


@wrong("bias_correction", "by_logarithms", "A logarithm of beta fails where beta is 0. `beta**t` is the share, without a logarithm.")
def bias_correction(mean, beta, t):
    return mean / (1 - math.exp(t * math.log(beta)))


@right("bias_correction", "sum_of_shares")
def bias_correction(mean, beta, t):
    share = sum((1 - beta) * beta**k for k in range(t))
    return mean / share


@right("bias_correction", "negative_power")
def bias_correction(mean, beta, t):
    return mean * (1 - math.pow(beta, t)) ** -1


# -- adam_step --------------------------------------------------------------------------------------------------------

ADAM = """
def adam_step(p, g, m, v, t, lr, betas=(0.9, 0.999), eps=1e-8):
    b1, b2 = betas
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p - lr * m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + eps), m, v
"""
ADAM_STEP = ADAM.splitlines()[-1]
NAN_AT_ONCE = "At t = 1 p becomes NaN. Does it move with the old means, which are 0? Does t - 1 stand where t belongs, so that the correction divides by 0? Or has the correction of v the wrong sign?"
QUIET_STEP = ("    return p -", '    with np.errstate(all="ignore"):\n        return p -')


@wrong(
    "adam_step",
    "in_place",
    "The numbers are right, and the caller's arrays were overwritten. Make new arrays.",
)
def adam_step(p, g, m, v, t, lr, betas=(0.9, 0.999), eps=1e-8):
    b1, b2 = betas
    m *= b1
    m += (1 - b1) * g
    v *= b2
    v += (1 - b2) * g * g
    return p - lr * m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


wrong(
    "adam_step",
    "no_correction",
    "The means are not corrected. They began at 0, and the first steps have the wrong length.",
    source=changed(ADAM, (" / (1 - b1**t) / (np.sqrt(v / (1 - b2**t))", " / (np.sqrt(v)")),
)


@wrong(
    "adam_step",
    "corrected_means_kept",
    "m comes back as g, and v as its square: the corrected means, or sums without 1 - beta. Keep the means as they are, since the next step corrects them again.",
)
def adam_step(p, g, m, v, t, lr, betas=(0.9, 0.999), eps=1e-8):
    b1, b2 = betas
    m = (b1 * m + (1 - b1) * g) / (1 - b1**t)
    v = (b2 * v + (1 - b2) * g * g) / (1 - b2**t)
    return p - lr * m / (np.sqrt(v) + eps), m, v


wrong(
    "adam_step",
    "eps_under_the_root",
    "eps stands under the root here. It is added to the root.",
    source=changed(ADAM, ("(np.sqrt(v / (1 - b2**t)) + eps)", "np.sqrt(v / (1 - b2**t) + eps)")),
)
wrong(
    "adam_step",
    "always_first",
    "The correction is that of the first step, whatever t is.",
    source=changed(ADAM, ("**t", "")),
)
wrong(
    "adam_step",
    "one_correction",
    "v is not corrected. Both means began at 0: correct both, and let p move by the corrected m.",
    source=changed(ADAM, ("np.sqrt(v / (1 - b2**t))", "np.sqrt(v)")),
)
wrong(
    "adam_step",
    "moves_by_g",
    "p moves by the gradient over its size, which is RMSprop. Adam moves by the corrected m.",
    source=changed(ADAM, ("lr * m / (1 - b1**t)", "lr * g")),
)
wrong(
    "adam_step",
    "no_root",
    "The root is missing: v is a mean of squares.",
    source=changed(ADAM, ("np.sqrt(v / (1 - b2**t))", "v / (1 - b2**t)")),
)
wrong(
    "adam_step",
    "betas_swapped",
    BETAS_SWAPPED,
    source=changed(ADAM, ("b1, b2 = betas", "b2, b1 = betas")),
)
wrong(
    "adam_step",
    "square_of_mean",
    "v is made from the square of m. It is the mean of the gradient's squares.",
    source=changed(ADAM, ("g * g", "m * m")),
)
wrong(
    "adam_step",
    "gradient_whole",
    "The gradient comes into m whole, as in momentum. Adam's m is a mean: the share of g is 1 - b1.",
    source=changed(ADAM, ("(1 - b1) * g", "g")),
)
wrong(
    "adam_step",
    "only_v_corrected",
    "v is corrected and m is not. Both began at 0.",
    source=changed(ADAM, ("m / (1 - b1**t)", "m")),
)
wrong(
    "adam_step",
    "root_before_correction",
    "The root is taken first, and the correction divides the root. Correct v, then take its root.",
    source=changed(ADAM, ("np.sqrt(v / (1 - b2**t))", "np.sqrt(v) / (1 - b2**t)")),
)
wrong(
    "adam_step",
    "means_swapped",
    "The two means come back in the other order: first m, then v.",
    source=changed(ADAM, (", m, v\n", ", v, m\n")),
)
wrong(
    "adam_step",
    "betas_written_in",
    "You wrote numbers where the betas belong. Take them from `betas`.",
    source=changed(ADAM, ("b1, b2 = betas", "b1, b2 = 0.9, 0.999")),
)
wrong(
    "adam_step",
    "eps_beside_the_uncorrected_root",
    "eps stands beside the root of a v that is not corrected yet, as where the corrections are in the rate. Correct v first.",
    source=changed(
        ADAM,
        ("lr * m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t))", "lr * np.sqrt(1 - b2**t) / (1 - b1**t) * m / (np.sqrt(v)"),
    ),
)


@wrong("adam_step", "sums_for_means", "These are sums: in a mean the new part counts 1 - beta, g and g squared alike.")
def adam_step(p, g, m, v, t, lr, betas=(0.9, 0.999), eps=1e-8):
    b1, b2 = betas
    m = b1 * m + g
    v = b2 * v + g * g
    return p - lr * m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


wrong(
    "adam_step",
    "no_eps",
    "The eps of the call does not count here: it is added to the root, in the divisor.",
    source=changed(ADAM, ("(np.sqrt(v / (1 - b2**t)) + eps)", "np.sqrt(v / (1 - b2**t))")),
)
wrong(
    "adam_step",
    "eps_written_in",
    "The eps of the call does not count here: it is added to the root, in the divisor.",
    source=changed(ADAM, ("+ eps", "+ 1e-8")),
)
wrong(
    "adam_step",
    "uphill",
    UPHILL,
    source=changed(ADAM, ("p - lr", "p + lr")),
)
wrong(
    "adam_step",
    "one_beta_for_both",
    "Both means are corrected with the first beta. v has the second one.",
    source=changed(ADAM, ("b2**t", "b1**t")),
)
wrong(
    "adam_step",
    "counts_from_zero",
    NAN_AT_ONCE,
    source=changed(
        ADAM,
        (
            ADAM_STEP,
            '    with np.errstate(all="ignore"):\n'
            "        m_hat, v_hat = m / np.float64(1 - b1 ** (t - 1)), v / np.float64(1 - b2 ** (t - 1))\n"
            "        return p - lr * m_hat / (np.sqrt(v_hat) + eps), m, v",
        ),
    ),
)
wrong(
    "adam_step",
    "no_square",
    "v is made of g itself, which may be negative: then its root is nan. v is the mean of the squares.",
    source=changed(ADAM, ("g * g", "g"), QUIET_STEP),
)
wrong(
    "adam_step",
    "squares_whole",
    "The squares come into v whole. It is a mean: the share of the new square is 1 - b2.",
    source=changed(ADAM, ("(1 - b2) * g * g", "g * g")),
)


@wrong(
    "adam_step",
    "old_means",
    NAN_AT_ONCE,
)
def adam_step(p, g, m, v, t, lr, betas=(0.9, 0.999), eps=1e-8):
    b1, b2 = betas
    with np.errstate(all="ignore"):
        step = lr * m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + eps)
    return p - step, b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g


wrong(
    "adam_step",
    "parameter_only",
    "This is the first of three arrays. Return the two new means, too.",
    source=changed(ADAM, (", m, v\n", "\n")),
)
wrong(
    "adam_step",
    "correction_dropped_after_a_while",
    "After a few steps you no longer correct. With the betas 0.9 and 0.999, v is too small for thousands.",
    source=changed(
        ADAM,
        (
            ADAM_STEP,
            "    m_hat, v_hat = (m / (1 - b1**t), v / (1 - b2**t)) if t <= 10 else (m, v)\n"
            "    return p - lr * m_hat / (np.sqrt(v_hat) + eps), m, v",
        ),
    ),
)
wrong(
    "adam_step",
    "correction_dropped_after_a_hundred",
    "Here, with t above 100, you no longer correct. With the betas 0.9 and 0.999, v is too small for thousands.",
    source=changed(
        ADAM,
        (
            ADAM_STEP,
            "    m_hat, v_hat = (m / (1 - b1**t), v / (1 - b2**t)) if t <= 100 else (m, v)\n"
            "    return p - lr * m_hat / (np.sqrt(v_hat) + eps), m, v",
        ),
    ),
)
wrong(
    "adam_step",
    "divisor_not_below_a_hundredth",
    "The share of v is kept from being small. With the beta 0.999 it is a thousandth at first, and by that you divide.",
    source=changed(
        ADAM,
        (
            ADAM_STEP,
            "    m_hat, v_hat = m / (1 - b1**t), v / max(1 - b2**t, 0.01)\n"
            "    return p - lr * m_hat / (np.sqrt(v_hat) + eps), m, v",
        ),
    ),
)
wrong(
    "adam_step",
    "one_step_ahead",
    "The correction is one step ahead: `t` counts from 1, so at the first step the power is t itself.",
    source=changed(ADAM, ("**t", " ** (t + 1)")),
)
wrong(
    "adam_step",
    "root_of_both",
    "There is a root of m here, which may be negative: then p becomes NaN. Only v is a mean of squares, and only its root is taken.",
    source=changed(ADAM, ("lr * m / (1 - b1**t)", "lr * np.sqrt(m / (1 - b1**t))"), QUIET_STEP),
)
wrong(
    "adam_step",
    "no_parentheses",
    "Without parentheses m is divided by the root alone, and eps is added to the end. It belongs to the divisor.",
    source=changed(ADAM, ("(np.sqrt(v / (1 - b2**t)) + eps)", "np.sqrt(v / (1 - b2**t)) + eps")),
)
wrong(
    "adam_step",
    "rate_written_in",
    RATE_WRITTEN_IN,
    source=changed(ADAM, ("p - lr", "p - 0.1")),
)


@right("adam_step", "correction_in_the_rate")
def adam_step(p, g, m, v, t, lr, betas=(0.9, 0.999), eps=1e-8):
    b1, b2 = betas
    m = m + (1 - b1) * (g - m)
    v = v + (1 - b2) * (g**2 - v)
    root = math.sqrt(1 - b2**t)
    return p - (lr * root / (1 - b1**t)) * m / (np.sqrt(v) + eps * root), m, v


@right("adam_step", "with_a_helper")
def adam_step(p, g, m, v, t, lr, betas=(0.9, 0.999), eps=1e-8):
    def mean(old, new, beta):
        return beta * old + (1 - beta) * new

    m, v = mean(m, g, betas[0]), mean(v, np.square(g), betas[1])
    corrected = [x / (1 - beta**t) for x, beta in zip((m, v), betas)]
    return p - lr * corrected[0] / (corrected[1] ** 0.5 + eps), m, v


@wrong("adam_step", "share_squared", "The share of the new square is squared along with the gradient: square g alone, then multiply.")
def adam_step(p, g, m, v, t, lr, betas=(0.9, 0.999), eps=1e-8):
    b1, b2 = betas
    m = b1 * m + (1 - b1) * g
    v = b2 * v + ((1 - b2) * g) ** 2
    return p - lr * m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + eps), m, v


SHARES = "The shares are exchanged: the old mean stays with beta, and the new gradient comes in with 1 - beta."
wrong("adam_step", "shares_of_v_exchanged", "In v the " + SHARES[4:], source=changed(ADAM, ("v = b2 * v + (1 - b2) * g * g", "v = (1 - b2) * v + b2 * g * g")))
wrong("adam_step", "shares_of_m_exchanged", "In m the " + SHARES[4:], source=changed(ADAM, ("m = b1 * m + (1 - b1) * g", "m = (1 - b1) * m + b1 * g")))
wrong("adam_step", "shares_of_both_exchanged", SHARES, source=changed(
    ADAM, ("v = b2 * v + (1 - b2) * g * g", "v = (1 - b2) * v + b2 * g * g"), ("m = b1 * m + (1 - b1) * g", "m = (1 - b1) * m + b1 * g")))
wrong("adam_step", "old_means_corrected", "The old means are corrected here, before the gradient has come in. Update first, then correct, and keep the means without correction.", source="""
def adam_step(p, g, m, v, t, lr, betas=(0.9, 0.999), eps=1e-8):
    b1, b2 = betas
    m = b1 * bias_correction(m, b1, t) + (1 - b1) * g
    v = b2 * bias_correction(v, b2, t) + (1 - b2) * g**2
    return p - lr * m / (np.sqrt(v) + eps), m, v
""")
wrong("adam_step", "corrected_come_back", "The corrected mean and the root of the other come back. The means are kept as they are: the next step updates them.", source="""
def adam_step(p, g, m, v, t, lr, betas=(0.9, 0.999), eps=1e-8):
    b1, b2 = betas
    m = bias_correction(b1 * m + (1 - b1) * g, b1, t), b1 * m + (1 - b1) * g
    root = np.sqrt(bias_correction(b2 * v + (1 - b2) * g**2, b2, t))
    return p - lr * m[0] / (root + eps), m[0], root
""")
wrong("adam_step", "two_moves", "p moves twice, by RMSprop and by the mean of gradients. There is one move: the corrected m, divided by the root.", source="""
def adam_step(p, g, m, v, t, lr, betas=(0.9, 0.999), eps=1e-8):
    p, v = rmsprop_step(p, g, v, lr, betas[1], eps)
    m = betas[0] * m + (1 - betas[0]) * g
    return p - lr * bias_correction(m, betas[0], t), m, v
""")
wrong("adam_step", "mean_of_what_is_divided", "The gradient is divided before it comes into m. m is the mean of the gradients as they are, and is divided in the move.", source="""
def adam_step(p, g, m, v, t, lr, betas=(0.9, 0.999), eps=1e-8):
    b1, b2 = betas
    v = b2 * v + (1 - b2) * g**2
    with np.errstate(all="ignore"):
        m = b1 * m + (1 - b1) * g / (np.sqrt(bias_correction(v, b2, t)) + eps)
    return p - lr * bias_correction(m, b1, t), m, v
""")
wrong("adam_step", "eps_outside_the_division", "eps is added to the quotient. It belongs to the root, in the divisor: mind the brackets.", source=changed(
    ADAM, (" / (np.sqrt(v / (1 - b2**t)) + eps), m, v", " / (1 - b1**t)"), ("m / (1 - b1**t) / (1 - b1**t)", "(m / (1 - b1**t) / np.sqrt(v / (1 - b2**t)) + eps), m, v")))
wrong("adam_step", "corrected_after_the_root", "v is corrected after its root here. Correct v first, then take the root, then add eps.", source="""
def adam_step(p, g, m, v, t, lr, betas=(0.9, 0.999), eps=1e-8):
    b1, b2 = betas
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    return p - lr * bias_correction(m, b1, t) / bias_correction(np.sqrt(v) + eps, b2, t), m, v
""")


wrong("adam_step", "as_a_variance", "v averages the square of g - m, as a variance does. It is the running mean of g**2 itself.",
      source=changed(ADAM, ("* g * g", "* (g - m) ** 2")))


# -- optimizer --------------------------------------------------------------------------------------------------------

OPTIMIZER = """
class Optimizer:
    def __init__(self, parameters, rule, slots=0, lr=0.1, weight_decay=0.0):
        self.parameters = list(parameters)
        self.rule, self.lr, self.weight_decay = rule, lr, weight_decay
        self.steps = [0 for p in self.parameters]
        self.state = [tuple(np.zeros_like(p.data) for _ in range(slots)) for p in self.parameters]

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None

    def step(self):
        for i, p in enumerate(self.parameters):
            if p.grad is None:
                continue
            self.steps[i] += 1
            g = p.grad.data + self.weight_decay * p.data
            new, self.state[i] = self.rule(p.data, g, self.state[i], self.lr, self.steps[i])
            with no_grad():
                p.copy_(new)
"""


def with_change(*pairs):
    """The class with some of its lines replaced."""
    source = OPTIMIZER
    for old, new in pairs:
        assert old in source, old
        source = source.replace(old, new)
    return source


SHAPE_OF_THE_STATE = "The state does not have the shape of its Tensor: plain numbers stand there, or arrays of another shape. It begins with arrays of zeros: `np.zeros_like(p.data)` for each p."
COPY = "            with no_grad():\n                p.copy_(new)\n"
NEITHER_TRUE = (
    "An array of numbers is neither true nor false, nor is a Tensor. Ask of a gradient whether it `is None`, and count with "
    "`enumerate`: `index` and `in` compare Tensors."
)
TENSOR_OR_ARRAY = (
    "A Tensor stands where an array or a number is wanted, or the other way round. The rule works on arrays, p.data and "
    "p.grad.data; the `grad` of a Tensor is a Tensor or None."
)
FIVE_ARGUMENTS = (
    "The rule takes five arguments: `rule(p, g, state, lr, t)`. Is one left out, or is there a star in front of the state? "
    "It is one tuple, and a star would make as many arguments of it as it has arrays."
)
NONE_IS_WANTED = (
    "zero_grad writes something else than None here, such as zeros. None says that there is no gradient, and `step` then "
    "leaves the parameter out."
)

wrong(
    "optimizer",
    "name_only",
    "The Tensors that the network holds stay as they were. `p = new` gives a name, or a place in a list, a new meaning: change p in place. Or those that have a gradient were left out.",
    source=with_change((COPY, "            p = new\n")),
)
wrong(
    "optimizer",
    "list_entry",
    "The Tensors that the network holds stay as they were. `p = new` gives a name, or a place in a list, a new meaning: change p in place. Or those that have a gradient were left out.",
    source=with_change((COPY, "            self.parameters[i] = Tensor(new, requires_grad=True)\n")),
)
wrong(
    "optimizer",
    "no_no_grad",
    "An update is no part of the computation: let it run under `no_grad`.",
    source=with_change((COPY, "            p.copy_(new)\n")),
)
wrong(
    "optimizer",
    "missing_gradients",
    "A parameter may have no gradient in a step: its grad is None. Leave it out.",
    source=with_change(("            if p.grad is None:\n                continue\n", "")),
)
wrong(
    "optimizer",
    "stops_at_none",
    "One parameter without gradient ends the step for the others, as `return` and `break` do in the loop. Leave out that one alone: `continue`.",
    source=with_change(("                continue", "                return")),
)
wrong(
    "optimizer",
    "counts_all",
    "A parameter that was left out counts its step all the same. Each needs a count of its own, which grows where the rule is called.",
    source=with_change(
        ("            self.steps[i] += 1\n", ""),
        ("            if p.grad is None:", "            self.steps[i] += 1\n            if p.grad is None:"),
    ),
)
wrong(
    "optimizer",
    "counts_from_zero",
    "The rule gets t = 0 in the first step. Count the step before the rule is called.",
    source=with_change(
        ("            self.steps[i] += 1\n", ""),
        ("                p.copy_(new)\n", "                p.copy_(new)\n            self.steps[i] += 1\n"),
    ),
)
wrong(
    "optimizer",
    "state_lost",
    "The new state is not kept, so each step begins with zeros again. Keep it for the next step of its Tensor.",
    source=with_change(("new, self.state[i] = self", "new, _ = self")),
)
wrong(
    "optimizer",
    "shared_state",
    "All parameters work with one state, so each goes on from another's. Each has its own.",
    source=with_change(("self.state[i]", "self.state[0]")),
)
wrong(
    "optimizer",
    "no_decay",
    "weight_decay has no effect. Its part is added to the gradient before the rule sees it.",
    source=with_change((" + self.weight_decay * p.data", "")),
)
wrong(
    "optimizer",
    "decay_subtracted",
    "With this sign the weights are driven away from 0. The decay is added to the gradient, which is subtracted later.",
    source=with_change(("+ self.weight_decay", "- self.weight_decay")),
)
wrong(
    "optimizer",
    "gradient_changed",
    "The decay is in `p.grad` itself after the step. If gradients are accumulated, that part would count again: let the rule get a new array, and leave `p.grad`.",
    source=with_change(
        (
            "            g = p.grad.data + self.weight_decay * p.data\n",
            "            g = p.grad.data\n            g += self.weight_decay * p.data\n",
        )
    ),
)
wrong(
    "optimizer",
    "zeros_for_none",
    NONE_IS_WANTED,
    source=with_change(("            p.grad = None", "            p.grad = Tensor(np.zeros_like(p.data))")),
)
wrong(
    "optimizer",
    "zeroes_in_step",
    "step has cleared the gradients too. Whoever wants to look at them after a step finds None: leave that to zero_grad.",
    source=with_change(
        ("                p.copy_(new)\n", "                p.copy_(new)\n            p.grad = None\n")
    ),
)
wrong(
    "optimizer",
    "data_assigned",
    "`p.data = new` hangs another array into the Tensor; whoever holds the old one sees nothing of the step. "
    "Write into the array that is there.",
    source=with_change((COPY, "            p.data = new\n")),
)
wrong(
    "optimizer",
    "slice_of_no_axis",
    "`[:]` and `[j]` need an axis, and a single number has none. `p.data[...]` works for any number of axes.",
    source=with_change((COPY, "            p.data[:] = new\n")),
)
wrong(
    "optimizer",
    "tensors_to_the_rule",
    TENSOR_OR_ARRAY,
    source=with_change(
        (
            "            g = p.grad.data + self.weight_decay * p.data\n",
            "            g = p.grad + self.weight_decay * p\n",
        )
    ),
)
wrong(
    "optimizer",
    "zeros_from_the_start",
    TENSOR_OR_ARRAY,
    source=with_change(("    def zero_grad", "        for p in self.parameters:\n            p.grad = 0.0\n\n    def zero_grad")),
)
wrong(
    "optimizer",
    "rate_in_the_decay",
    "The rate multiplies the decay as well. The rule multiplies the gradient by lr later, decay and all.",
    source=with_change(("+ self.weight_decay", "+ self.lr * self.weight_decay")),
)
wrong(
    "optimizer",
    "decays_the_gradient",
    "weight_decay multiplies the gradient. It is the parameter that decays.",
    source=with_change(("self.weight_decay * p.data", "self.weight_decay * p.grad.data")),
)
wrong(
    "optimizer",
    "one_count",
    "One count serves all parameters. Each has its own, for some may be left out.",
    source=with_change(
        ("            self.steps[i] += 1\n", "            self.steps[0] += 1\n"),
        ("self.steps[i])", "self.steps[0])"),
    ),
)
wrong(
    "optimizer",
    "one_count_for_each_call",
    "A parameter that was left out counts its step all the same. Each needs a count of its own, which grows where the rule is called.",
    source=with_change(
        ("        for i, p in", "        self.t = getattr(self, 't', 0) + 1\n        for i, p in"),
        ("self.steps[i])", "self.t)"),
    ),
)
wrong(
    "optimizer",
    "decay_after_the_rule",
    "The decay is taken off the parameter, beside the rule, which is AdamW's way. Here the rule gets it in the gradient.",
    source=with_change(
        (" + self.weight_decay * p.data", ""),
        ("copy_(new)", "copy_(new - self.lr * self.weight_decay * p.data)"),
    ),
)
wrong(
    "optimizer",
    "rule_called_twice",
    "The rule is called twice in a step, so the state moves twice.",
    source=with_change(
        (
            "            with no_grad():\n",
            "            _, self.state[i] = self.rule(p.data, g, self.state[i], self.lr, self.steps[i])\n"
            "            with no_grad():\n",
        )
    ),
)
wrong(
    "optimizer",
    "zero_for_none",
    NONE_IS_WANTED,
    source=with_change(("            p.grad = None", "            p.grad = 0.0")),
)
wrong(
    "optimizer",
    "false_for_none",
    NONE_IS_WANTED,
    source=with_change(("            p.grad = None", "            p.grad = False")),
)
wrong(
    "optimizer",
    "no_parameters_left",
    "zero_grad throws the parameters themselves away. Set the `grad` of each to None.",
    source=with_change(
        (
            "        for p in self.parameters:\n            p.grad = None",
            "        self.parameters = [None for p in self.parameters]",
        )
    ),
)
wrong(
    "optimizer",
    "zeros_in_the_gradient",
    NONE_IS_WANTED,
    source=with_change(("            p.grad = None", "            p.grad.data[...] = 0.0")),
)
wrong(
    "optimizer",
    "state_and_all",
    "The new state is not kept, so each step begins with zeros again. Keep it for the next step of its Tensor.",
    source=with_change(("new, self.state[i] = self", "new = self"), ("copy_(new)", "copy_(new[0])")),
)
wrong(
    "optimizer",
    "count_ends_at_ten",
    "The count stands still after some steps. It goes on as long as the training does.",
    source=with_change(("            self.steps[i] += 1\n", "            self.steps[i] = min(self.steps[i] + 1, 10)\n")),
)
wrong(
    "optimizer",
    "counts_of_the_class",
    "Two Optimizers count in one place: it is the class's, a default argument or a global name. Make the counts in `__init__`: `self.steps = ...`.",
    source=with_change(
        ("        self.steps = [0 for p in self.parameters]\n", "        self.steps.extend(0 for p in self.parameters)\n"),
        ("class Optimizer:\n", "class Optimizer:\n    steps = []\n\n"),
    ),
)
wrong(
    "optimizer",
    "state_of_the_class",
    "The rule gets no array of state, though slots is 1: none is made, or an earlier Optimizer's state is found, as in a dict of the class. Make it in `__init__`: `self.state = ...`.",
    source=with_change(
        ("        self.state = [tuple(", "        zeros = [tuple("),
        (" for p in self.parameters]\n\n    def zero", " for p in self.parameters]\n        for i, z in enumerate(zeros):\n            self.state.setdefault(i, z)\n\n    def zero"),
        ("class Optimizer:\n", "class Optimizer:\n    state = {}\n\n"),
    ),
)
wrong(
    "optimizer",
    "numbers_for_arrays",
    SHAPE_OF_THE_STATE,
    source=with_change(("tuple(np.zeros_like(p.data) for _ in range(slots))", "(0.0,) * slots")),
)
wrong(
    "optimizer",
    "a_list_for_the_state",
    "What the rule gets as the state, in the third place, is no tuple. Make one with `tuple(...)`, of a list or of what stands in bare parentheses; and mind the order, `rule(p, g, state, lr, t)`.",
    source=with_change(("tuple(np.zeros_like(p.data) for _ in range(slots))", "[np.zeros_like(p.data) for _ in range(slots)]")),
)
right(
    "optimizer",
    "zeros_of_float32",
    source=with_change(("np.zeros_like(p.data)", 'np.zeros(p.data.shape, dtype="float32")')),
)
wrong(
    "optimizer",
    "stays_in_float32",
    "About seven digits are right: the state, or something else, was cut to float32 or rounded. Keep what the rule gives as it is.",
    source=with_change(
        ("new, self.state[i] = self.rule(", "new, state = self.rule("),
        ("            with no_grad", '            self.state[i] = tuple(s.astype("float32") for s in state)\n            with no_grad'),
    ),
)
right(
    "optimizer",
    "written_into_data",
    source=with_change((COPY, "            p.data[...] = new\n")),
)
right(
    "optimizer",
    "names_of_its_own",
    source="""
class Optimizer:
    def __init__(self, parameters, rule, slots=0, lr=0.1, weight_decay=0.0):
        self.update, self.rate, self.decay = rule, lr, weight_decay
        self.kept = [[p, 0, (0 * p.data,) * slots] for p in parameters]

    def zero_grad(self):
        for p, _, _ in self.kept:
            p.grad = None

    @no_grad()
    def step(self):
        for entry in self.kept:
            p, t, state = entry
            if p.grad is not None:
                new, state = self.update(p.data, p.grad.data + self.decay * p.data, state, self.rate, t + 1)
                entry[1:] = t + 1, state
                p.copy_(new)
""",
)
wrong(
    "optimizer",
    "one_state_for_all",
    "All Tensors share one count and one state, so each goes on from the others' steps. Keep a count and a state for each.",
    source="""
class Optimizer:
    def __init__(self, parameters, rule, slots=0, lr=0.1, weight_decay=0.0):
        self.parameters, self.rule, self.lr, self.weight_decay = list(parameters), rule, lr, weight_decay
        self.t, self.state = 0, (0.0,) * slots

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None

    def step(self):
        for p in self.parameters:
            if p.grad is not None:
                self.t += 1
                new, self.state = self.rule(p.data, p.grad.data + self.weight_decay * p.data, self.state, self.lr, self.t)
                with no_grad():
                    p.copy_(new)
""",
)
right(
    "optimizer",
    "one_block_and_zip",
    source=with_change(
        (
            OPTIMIZER[OPTIMIZER.index("        for i, p in enumerate") :],
            """        numbered = [(i, p) for i, p in enumerate(self.parameters) if p.grad is not None]
        with no_grad():
            for i, p in numbered:
                t = self.steps[i] = self.steps[i] + 1
                gradient = p.grad + self.weight_decay * p
                result = self.rule(p.data, gradient.data, self.state[i], self.lr, t)
                p[...] = result[0]
                self.state[i] = result[1]
""",
        ),
        ("            p.grad = None", "            p.zero_grad()"),
    ),
)

wrong(
    "optimizer",
    "zero_grad_resets_steps",
    "zero_grad sets the counts back as well. It forgets the gradients and no more: t goes on.",
    source=with_change(
        (
            "        for p in self.parameters:\n            p.grad = None",
            "        for i, p in enumerate(self.parameters):\n            p.grad = None\n            self.steps[i] = 0",
        )
    ),
)

wrong(
    "optimizer",
    "zero_grad_resets_state",
    "zero_grad sets the state back as well. It forgets the gradients and no more: the state goes on.",
    source=with_change(
        (
            "        for p in self.parameters:\n            p.grad = None",
            "        for i, p in enumerate(self.parameters):\n            p.grad = None\n"
            "            self.state[i] = tuple(0 * s for s in self.state[i])",
        )
    ),
)

wrong(
    "optimizer",
    "zero_gradients_skipped",
    "A gradient of zeros is left out like None. It is a step: it counts, and the state and the decay go on.",
    source=with_change(("if p.grad is None:", "if p.grad is None or not p.grad.data.any():")),
)
wrong(
    "optimizer",
    "state_opened",
    FIVE_ARGUMENTS,
    source=with_change(("self.rule(p.data, g, self.state[i],", "self.rule(p.data, g, *self.state[i],")),
)
wrong(
    "optimizer",
    "no_t",
    FIVE_ARGUMENTS,
    source=with_change((", self.lr, self.steps[i])", ", self.lr)")),
)
wrong(
    "optimizer",
    "state_caught_in_a_list",
    "The new state comes back as one tuple. `*self.state[i]` catches it in a list, or you made something else of it: the next step gets no tuple.",
    source=with_change(("new, self.state[i] =", "new, *self.state[i] =")),
)
wrong(
    "optimizer",
    "state_opened_both_ways",
    FIVE_ARGUMENTS,
    source=with_change(
        ("new, self.state[i] = self.rule(p.data, g, self.state[i],", "new, *self.state[i] = self.rule(p.data, g, *self.state[i],")
    ),
)


wrong(
    "optimizer",
    "rate_written_in",
    "lr has no effect: the rule gets a number that stands in the class. It is the one that `__init__` was given.",
    source=with_change((" = rule, lr, weight_decay", " = rule, 0.1, weight_decay")),
)
NUMBER_OF_ARRAYS = "The rule gets a state of another length: for each Tensor it holds as many arrays as `slots` says, which may be 0."
wrong(
    "optimizer", "one_array_at_most", NUMBER_OF_ARRAYS, source=with_change(("range(slots)", "range(min(slots, 1))"))
)
wrong(
    "optimizer", "one_array_at_least", NUMBER_OF_ARRAYS, source=with_change(("range(slots)", "range(max(slots, 1))"))
)
wrong(
    "optimizer",
    "shape_of_the_first",
    SHAPE_OF_THE_STATE,
    source=with_change(("np.zeros_like(p.data)", "np.zeros(self.parameters[0].data.shape)")),
)
wrong(
    "optimizer",
    "integers",
    "The state begins with integers, and arrays of floats are asked for: gradients are floats.",
    source=with_change(("np.zeros_like(p.data)", "np.zeros(p.data.shape, dtype=int)")),
)
wrong(
    "optimizer",
    "begins_with_ones",
    "The state does not begin with zeros.",
    source=with_change(("np.zeros_like(p.data)", "np.ones_like(p.data)")),
)
wrong(
    "optimizer",
    "decays_all_the_same",
    "A Tensor without a gradient is left out, its decay, too. Here it is pulled towards 0 in each step.",
    source=with_change(
        (
            "                continue",
            "                with no_grad():\n"
            "                    p.copy_(p.data - self.lr * self.weight_decay * p.data)\n"
            "                continue",
        )
    ),
)
wrong(
    "optimizer",
    "rate_and_count_exchanged",
    "lr and t have changed places in the call of the rule: first comes the rate, then the count.",
    source=with_change(("self.lr, self.steps[i])", "self.steps[i], self.lr)")),
)
wrong(
    "optimizer",
    "truth_of_a_gradient",
    NEITHER_TRUE,
    source=with_change(("if p.grad is None:", "if not p.grad:")),
)
wrong(
    "optimizer",
    "looked_up_by_index",
    NEITHER_TRUE,
    source=with_change(
        ("for i, p in enumerate(self.parameters):", "for p in self.parameters:"),
        ("            self.steps[i] += 1\n", "            i = self.parameters.index(p)\n            self.steps[i] += 1\n"),
    ),
)
wrong(
    "optimizer",
    "none_as_a_name",
    "After zero_grad the gradients are there still: `p = None` gives a name another meaning. Set the attribute `grad` of each.",
    source=with_change(("            p.grad = None", "            p = None")),
)
wrong(
    "optimizer",
    "new_as_a_step",
    "What the rule gives is the new parameter, and you subtract it from the old one like a step. Copy it as it is.",
    source=with_change(("p.copy_(new)", "p.copy_(p.data - new)")),
)
right(
    "optimizer",
    "one_array_in_all_slots",
    source=with_change(("tuple(np.zeros_like(p.data) for _ in range(slots))", "(np.zeros(p.data.shape),) * slots")),
)


wrong(
    "optimizer",
    "kept_in_the_class",
    "Counts and states stand in the class, or in the Tensors: a second Optimizer with the same Tensors sets them back, and both go on with them. Each keeps its own, in `self`.",
    source=with_change(
        ("class Optimizer:\n", "class Optimizer:\n    steps, state = {}, {}\n\n"),
        ("        self.steps = [0 for p in self.parameters]\n        self.state = [tuple(np.zeros_like(p.data) for _ in range(slots)) for p in self.parameters]\n",
         "        for p in self.parameters:\n            self.steps[id(p)], self.state[id(p)] = 0, (np.zeros_like(p.data),) * slots\n"),
        ("self.steps[i]", "self.steps[id(p)]"),
        ("self.state[i]", "self.state[id(p)]"),
    ),
)
wrong(
    "optimizer",
    "kept_in_the_tensors",
    "Counts and states stand in the class, or in the Tensors: a second Optimizer with the same Tensors sets them back, and both go on with them. Each keeps its own, in `self`.",
    source=with_change(
        ("        self.steps = [0 for p in self.parameters]\n        self.state = [tuple(np.zeros_like(p.data) for _ in range(slots)) for p in self.parameters]\n",
         "        for p in self.parameters:\n            p.kept = [0, (np.zeros_like(p.data),) * slots]\n"),
        ("self.steps[i]", "p.kept[0]"),
        ("self.state[i]", "p.kept[1]"),
    ),
)


wrong("optimizer", "highest_count", "A Tensor that had no gradient at first gets the count of another one. Each counts its own steps.", source=changed(
    OPTIMIZER, ("self.steps[i] += 1\n", "self.steps[i] += 1\n            t = max(self.steps)\n"), ("self.lr, self.steps[i])", "self.lr, t)")))
wrong("optimizer", "zeros_like_a_tensor", "The state is made from the Tensor itself, of which NumPy makes no zeros: `np.zeros_like(p.data)`.", source=changed(
    OPTIMIZER, ("np.zeros_like(p.data)", "np.zeros_like(p)")))


# -- adamw_step -------------------------------------------------------------------------------------------------------


@wrong(
    "adamw_step", "in_place", "The numbers are right, and the caller's array was overwritten. Make a new one."
)
def adamw_step(p, u, lr, weight_decay):
    p *= 1 - lr * weight_decay
    return p - lr * u


@wrong(
    "adamw_step",
    "decay_without_rate",
    "The decay is not multiplied by lr: each step would take away a share of weight_decay.",
)
def adamw_step(p, u, lr, weight_decay):
    return p - lr * u - weight_decay * p


@wrong(
    "adamw_step",
    "decays_after",
    "You decayed the parameter after its step. Both parts are computed from the old one.",
)
def adamw_step(p, u, lr, weight_decay):
    return (p - lr * u) * (1 - lr * weight_decay)


@wrong(
    "adamw_step",
    "no_decay",
    "This is Adam's step alone. The decay is missing.",
)
def adamw_step(p, u, lr, weight_decay):
    return p - lr * u


@wrong("adamw_step", "grows", "With this sign the weights grow. Decay pulls them towards 0.")
def adamw_step(p, u, lr, weight_decay):
    return p - lr * u + lr * weight_decay * p


@wrong(
    "adamw_step",
    "decays_the_direction",
    "weight_decay multiplies the direction. It is the parameter that decays.",
)
def adamw_step(p, u, lr, weight_decay):
    return p - lr * u * (1 + weight_decay)


@wrong(
    "adamw_step",
    "constant_pull",
    "You pull every weight by the same amount. The pull grows with the weight.",
)
def adamw_step(p, u, lr, weight_decay):
    return p - lr * u - lr * weight_decay * np.sign(p)


@wrong("adamw_step", "no_rate", "The learning rate is missing in front of u.")
def adamw_step(p, u, lr, weight_decay):
    return p - u - lr * weight_decay * p


@wrong("adamw_step", "no_direction", "The direction u is missing: this is the decay alone.")
def adamw_step(p, u, lr, weight_decay):
    return p - lr * weight_decay * p


@wrong("adamw_step", "uphill", "The step along u is subtracted.")
def adamw_step(p, u, lr, weight_decay):
    return p + lr * u - lr * weight_decay * p


@wrong("adamw_step", "not_times_p", "The decay is weight_decay times the parameter: p is missing there.")
def adamw_step(p, u, lr, weight_decay):
    return p - lr * u - lr * weight_decay


@wrong("adamw_step", "rate_twice", "lr multiplies the decay twice.")
def adamw_step(p, u, lr, weight_decay):
    return p - lr * (u + lr * weight_decay * p)


@wrong(
    "adamw_step",
    "share_that_stays",
    "weight_decay multiplies all that stays. It is the share that is taken off, times lr.",
)
def adamw_step(p, u, lr, weight_decay):
    return (p - lr * u) * weight_decay


@wrong("adamw_step", "small_ones_stay", "Small weights are not pulled. Each weight loses the same share of itself, however small it is.")
def adamw_step(p, u, lr, weight_decay):
    return p - lr * u - lr * weight_decay * np.where(np.abs(p) < 0.01, 0.0, p)


@wrong("adamw_step", "long_vectors_stay", "A vector of three weights is not pulled here, and one of two is. Whatever its shape, each weight loses the same share of itself.")
def adamw_step(p, u, lr, weight_decay):
    if p.ndim == 1 and p.size > 2:
        return p - lr * u
    return p - lr * (u + weight_decay * p)


@wrong("adamw_step", "rate_written_in", RATE_WRITTEN_IN)
def adamw_step(p, u, lr, weight_decay):
    return p - 0.1 * u - 0.1 * weight_decay * p


@wrong("adamw_step", "decay_written_in", "weight_decay has no effect: you wrote a number in its place, which is right in one example only.")
def adamw_step(p, u, lr, weight_decay):
    return p - lr * u - lr * 0.5 * p


@right("adamw_step", "factor")
def adamw_step(p, u, lr, weight_decay):
    return (1 - lr * weight_decay) * p - lr * u


@right("adamw_step", "together")
def adamw_step(p, u, lr, weight_decay):
    pull = weight_decay * p
    return p - lr * (u + pull)


@wrong(
    "adamw_step",
    "decay_stops_at_zero",
    "The pull ends at 0. Subtract lr times weight_decay times p as it is, also where that is more than p.",
)
def adamw_step(p, u, lr, weight_decay):
    size = np.maximum(np.abs(p) - lr * weight_decay * np.abs(p), 0)
    return np.sign(p) * size - lr * u


# -- cosine_rate ------------------------------------------------------------------------------------------------------

COSINE = """
def cosine_rate(step, total, warmup, peak, floor=0.0):
    if step < warmup:
        return peak * (step + 1) / warmup
    progress = min((step - warmup) / (total - warmup), 1.0)
    return floor + (peak - floor) * (1 + math.cos(math.pi * progress)) / 2
"""
FROM_THE_WARM_UP_ON = "The cosine does not begin at the top: its progress counts from the end of the warm-up."
STAYS_AT_THE_FLOOR = "After `total` the rate is 0. It stays at the floor."

wrong(
    "cosine_rate",
    "starts_at_zero",
    "The first step has rate 0, so it does nothing. Step 0 is the first of the warm-up: count it.",
    source=changed(COSINE, ("(step + 1)", "step")),
)
wrong(
    "cosine_rate",
    "progress_from_zero",
    FROM_THE_WARM_UP_ON,
    source=changed(COSINE, ("(step - warmup) / (total - warmup)", "step / total")),
)
wrong(
    "cosine_rate",
    "too_slow",
    "The cosine takes `total` steps here. The warm-up is part of the total: fewer steps are left.",
    source=changed(COSINE, ("(total - warmup)", "total")),
)
wrong(
    "cosine_rate",
    "rises_again",
    "After step `total` the rate rises again, as a cosine does. Progress stops at 1.",
    source=changed(COSINE, ("min((step - warmup) / (total - warmup), 1.0)", "(step - warmup) / (total - warmup)")),
)
wrong(
    "cosine_rate",
    "floor_added",
    "The floor is added to the whole curve, and the top is too high. The cosine spans peak minus floor.",
    source=changed(COSINE, ("(peak - floor)", "peak")),
)
wrong(
    "cosine_rate",
    "no_floor",
    "The cosine leads down to 0. It leads to the floor: its height is peak minus floor.",
    source=changed(COSINE, ("floor + (peak - floor)", "peak")),
)
wrong(
    "cosine_rate",
    "straight_line",
    "The rate falls in a straight line. Half a cosine is level at both ends.",
    source=changed(
        COSINE,
        ("floor + (peak - floor) * (1 + math.cos(math.pi * progress)) / 2", "peak + (floor - peak) * progress"),
    ),
)
wrong(
    "cosine_rate",
    "quarter_cosine",
    "This is a quarter of a cosine: it falls steeply at the end. Half of one is pi wide.",
    source=changed(COSINE, ("(1 + math.cos(math.pi * progress)) / 2", "math.cos(math.pi / 2 * progress)")),
)


@wrong("cosine_rate", "no_warmup", "The warm-up is missing: the first steps have the full rate.")
def cosine_rate(step, total, warmup, peak, floor=0.0):
    progress = min(max(step - warmup, 0) / (total - warmup), 1.0)
    return floor + (peak - floor) * (1 + math.cos(math.pi * progress)) / 2


@wrong(
    "cosine_rate",
    "divides_by_no_warmup",
    "With warmup = 0 you divide by 0: compute the ramp only where there is one.",
)
def cosine_rate(step, total, warmup, peak, floor=0.0):
    ramp = peak * (step + 1) / warmup
    progress = min((step - warmup) / (total - warmup), 1.0)
    fall = floor + (peak - floor) * (1 + math.cos(math.pi * progress)) / 2
    return ramp if step < warmup else fall


wrong(
    "cosine_rate",
    "one_step_too_many",
    "The warm-up has one step too many: its last is step warmup - 1, so compare with `<`.",
    source=changed(COSINE, ("step < warmup", "step <= warmup")),
)
wrong(
    "cosine_rate",
    "rises",
    "Right after the warm-up the rate is the floor, and then it rises. At the top the cosine is 1, and stands with a plus: a minus makes the curve rise.",
    source=changed(COSINE, ("1 + math", "1 - math")),
)
wrong(
    "cosine_rate",
    "at_the_floor_at_once",
    "Right after the warm-up the rate is the floor, and stays there. Is the progress 1 at once? It takes parentheses, `(step - warmup) / (total - warmup)`, and `min`, not `max`.",
    source=changed(COSINE, ("(step - warmup) / (total", "step - warmup / (total")),
)
wrong(
    "cosine_rate",
    "divided_by_total_alone",
    "`/ total - warmup` divides by total alone. The whole of total - warmup is the divisor: parentheses.",
    source=changed(COSINE, ("/ (total - warmup)", "/ total - warmup")),
)
wrong(
    "cosine_rate",
    "warm_up_over_total",
    "The warm-up is as long as the whole run here: a rate in it is (step + 1) / warmup of the peak.",
    source=changed(COSINE, ("(step + 1) / warmup", "(step + 1) / total")),
)
wrong(
    "cosine_rate",
    "warm_up_over_both",
    "The warm-up is divided by `total`, too. It is (step + 1) / warmup of the peak.",
    source=changed(COSINE, ("(step + 1) / warmup", "(step + 1) / warmup / total")),
)
wrong(
    "cosine_rate",
    "no_half",
    "The half is missing: 1 + cos goes up to 2.",
    source=changed(COSINE, (" / 2", "")),
)
wrong(
    "cosine_rate",
    "no_pi",
    "pi is missing: half a cosine is pi wide.",
    source=changed(COSINE, ("math.pi * ", "")),
)
wrong(
    "cosine_rate",
    "degrees",
    "math.cos takes radians: half a turn is pi, and not 180.",
    source=changed(COSINE, ("math.pi", "180")),
)
wrong(
    "cosine_rate",
    "cosine_outside",
    "peak - floor multiplies the whole of 1 + cos. Mind the parentheses.",
    source=changed(COSINE, ("(1 + math.cos(math.pi * progress)) / 2", "0.5 * 1 + math.cos(math.pi * progress)")),
)
wrong(
    "cosine_rate",
    "half_of_the_one",
    "The half belongs to the whole of 1 + cos. Mind the parentheses.",
    source=changed(COSINE, ("(1 + math.cos(math.pi * progress)) / 2", "(1 / 2 + math.cos(math.pi * progress))")),
)
wrong(
    "cosine_rate",
    "warms_up_from_the_floor",
    "The warm-up begins at the floor. It rises from 0: its first step is peak / warmup.",
    source=changed(COSINE, ("return peak *", "return floor + (peak - floor) *")),
)
wrong(
    "cosine_rate",
    "warm_up_without_peak",
    "The warm-up rises to 1. It rises to the peak.",
    source=changed(COSINE, ("peak * (step", "(step")),
)
wrong(
    "cosine_rate",
    "zero_at_the_end",
    STAYS_AT_THE_FLOOR,
    source=changed(COSINE, ("    progress =", "    if step > total:\n        return 0.0\n    progress =")),
)
wrong(
    "cosine_rate",
    "one_step_ahead",
    "The cosine is one step ahead: at step `warmup` its progress is 0.",
    source=changed(COSINE, ("step - warmup", "step + 1 - warmup")),
)
wrong(
    "cosine_rate",
    "ends_too_early",
    "The cosine ends one step too early: it has total - warmup steps.",
    source=changed(COSINE, ("total - warmup", "total - warmup - 1")),
)
wrong(
    "cosine_rate",
    "warm_up_lost",
    "The cosine runs from step 0 on: the rate of the warm-up is not returned, or not computed.",
    source=changed(COSINE, ("return peak", "rate = peak")),
)
wrong(
    "cosine_rate",
    "whole_cosine",
    "This is a whole cosine: half way it is at the floor, and then it rises again. Half of one is pi wide.",
    source=changed(COSINE, ("math.pi", "2 * math.pi")),
)
wrong(
    "cosine_rate",
    "steps_of_all_over_those_that_follow",
    FROM_THE_WARM_UP_ON,
    source=changed(COSINE, ("(step - warmup)", "step")),
)
wrong(
    "cosine_rate",
    "whole_numbers",
    "After the warm-up the rate stays at the peak: progress is 0, or has no effect. `//` and `int` drop what is behind the point: divide by `/`, and take the cosine of pi times progress.",
    source=changed(COSINE, ("/ (total", "// (total")),
)
wrong(
    "cosine_rate",
    "warmup_one_step_shorter",
    "The warm-up begins with the rate 0, and would divide by 0 where it has one step only. It has `warmup` steps, and the first one counts.",
    source=changed(COSINE, ("(step + 1) / warmup", "step / (warmup - 1)")),
)
wrong(
    "cosine_rate",
    "zero_from_total_on",
    STAYS_AT_THE_FLOOR,
    source=changed(
        COSINE,
        (
            "    progress = min((step - warmup) / (total - warmup), 1.0)",
            "    if step >= total:\n        return 0.0\n    progress = (step - warmup) / (total - warmup)",
        ),
    ),
)
wrong(
    "cosine_rate",
    "total_written_in",
    "A number of one example stands where `total` belongs: a run may be longer, or shorter.",
    source=changed(COSINE, ("total - warmup", "60 - warmup")),
)
wrong(
    "cosine_rate",
    "peak_written_in",
    "A number of one example stands where `peak` belongs, in the warm-up.",
    source=changed(COSINE, ("return peak", "return 0.9")),
)


@right("cosine_rate", "three_cases")
def cosine_rate(step, total, warmup, peak, floor=0.0):
    if step < warmup:
        return (step + 1) / warmup * peak
    if step >= total:
        return floor
    share = 0.5 + 0.5 * np.cos(np.pi * (step - warmup) / (total - warmup))
    return share * peak + (1 - share) * floor


@right("cosine_rate", "square_of_half")
def cosine_rate(step, total, warmup, peak, floor=0.0):
    if warmup > step:
        return peak / warmup * (step + 1)
    angle = math.pi * (min(step, total) - warmup) / (total - warmup)
    return floor + (peak - floor) * math.cos(angle / 2) ** 2


wrong(
    "cosine_rate",
    "floor_in_the_warm_up",
    "The floor holds in the warm-up as well. There the rate is a share of the peak, and may lie below the floor.",
    source=changed(COSINE, ("return peak * (step + 1) / warmup", "return max(floor, peak * (step + 1) / warmup)")),
)


# -- total_norm -------------------------------------------------------------------------------------------------------

NORM = """
def total_norm(grads):
    largest = max(float(np.abs(g).max()) for g in grads)
    if largest == 0:
        return 0.0
    return largest * math.sqrt(sum(float(np.square(g / largest).sum()) for g in grads))
"""
QUIET_NORM = ("    return largest", '    with np.errstate(all="ignore"):\n        return largest')
ONE_AXIS = "A loop, and Python's own `sum` and `max`, go through one axis, and there may be none, or two. An array's methods `sum` and `max` take all its numbers."
ALL_ARE_ZERO = "When all are 0, the largest is 0 too, and 0 / 0 is NaN. Treat that case first."


@wrong(
    "total_norm",
    "squares_first",
    "Squares of large numbers overflow, and those of tiny ones vanish. Divide by the largest before you square, and multiply by it after the root.",
)
def total_norm(grads):
    with np.errstate(all="ignore"):
        return math.sqrt(sum(float((g * g).sum()) for g in grads))


@wrong(
    "total_norm",
    "sum_of_norms",
    "You added up 3 and 4: the norms of the arrays, or the absolute values. The joint norm is the root of one sum of squares.",
)
def total_norm(grads):
    return sum(math.hypot(*np.ravel(g).tolist()) for g in grads)


@wrong(
    "total_norm",
    "largest_only",
    "This is the largest absolute value, or the norm of one array alone. The norm takes all numbers into account.",
)
def total_norm(grads):
    return max(float(np.abs(g).max()) for g in grads)


wrong(
    "total_norm",
    "largest_of_the_first",
    "The first array holds zeros only, and your norm is 0: you took its largest value, or one array of zeros ends it all. The largest of *all* arrays is needed.",
    source=changed(NORM, ("max(float(np.abs(g).max()) for g in grads)", "float(np.abs(grads[0]).max())"), QUIET_NORM),
)


@wrong(
    "total_norm",
    "done_at_a_zero_array",
    "One array of zeros makes your norm 0, or NaN. The others count still.",
)
def total_norm(grads):
    norms = []
    for g in grads:
        largest = float(np.abs(g).max())
        if largest == 0:
            return 0.0
        norms.append(largest * math.sqrt(float(np.square(g / largest).sum())))
    return math.hypot(*norms)


@wrong(
    "total_norm",
    "each_by_its_own",
    "One array of zeros makes your norm 0, or NaN. The others count still.",
)
def total_norm(grads):
    if not any(g.any() for g in grads):
        return 0.0
    with np.errstate(all="ignore"):
        norms = [float(np.abs(g).max()) * float(np.linalg.norm(g / np.abs(g).max())) for g in grads]
    return math.hypot(*norms)


wrong(
    "total_norm",
    "no_abs",
    "The largest *absolute* value is needed: a negative number may be the largest in size.",
    source=changed(NORM, ("np.abs(g).max()", "g.max()"), QUIET_NORM),
)


@wrong(
    "total_norm",
    "zeros_divided",
    ALL_ARE_ZERO,
)
def total_norm(grads):
    largest = max(float(np.abs(g).max()) for g in grads)
    with np.errstate(all="ignore"):
        return largest * math.sqrt(sum(float(np.square(g / np.float64(largest)).sum()) for g in grads))


wrong(
    "total_norm",
    "turned_round",
    "0 comes back for gradients that are not 0. `return 0.0` is for the case where the largest is 0, and for no other.",
    source=changed(NORM, ("if largest == 0:", "if largest != 0:")),
)
wrong(
    "total_norm",
    "not_scaled_back",
    "You divided by the largest and did not multiply by it at the end.",
    source=changed(NORM, ("return largest * ", "return ")),
)
wrong(
    "total_norm",
    "no_root",
    "The root is missing: this is a sum of squares.",
    source=changed(
        NORM,
        (
            "math.sqrt(sum(float(np.square(g / largest).sum()) for g in grads))",
            "sum(float(np.square(g / largest).sum()) for g in grads)",
        ),
    ),
)


@wrong(
    "total_norm",
    "mean_of_squares",
    "You took the mean of the squares. A norm adds them up.",
)
def total_norm(grads):
    every = np.concatenate([np.ravel(g) for g in grads]).astype(float)
    largest = float(np.abs(every).max()) or 1.0
    return largest * math.sqrt(float(np.square(every / largest).mean()))


@wrong(
    "total_norm",
    "wider_floats",
    "float64 helps numbers of float32. Numbers of float64 overflow all the same: divide before you square.",
)
def total_norm(grads):
    with np.errstate(all="ignore"):
        return float(np.sqrt(sum(np.square(g.astype("float64")).sum() for g in grads)))


wrong(
    "total_norm",
    "in_place",
    "The norm is right, and the caller's arrays were changed, as `/=` does. Compute with new ones.",
    source=changed(
        NORM,
        ("g / largest", "g"),
        ("    return largest", "    for g in grads:\n        g /= largest\n    return largest"),
    ),
)
wrong(
    "total_norm",
    "scaled_inside_the_root",
    "The largest stands under the root. You divided before the square: multiply after the root.",
    source=changed(NORM, ("largest * math.sqrt(", "math.sqrt(largest * ")),
)


@wrong(
    "total_norm",
    "list_of_norms",
    "There is one norm for each array. One number is wanted, of all arrays together.",
)
def total_norm(grads):
    return [math.hypot(*np.ravel(g).tolist()) for g in grads]


wrong(
    "total_norm",
    "mean_of_each",
    "You took the mean of each array's squares. A norm adds all of them up.",
    source=changed(NORM, (".sum()", ".mean()")),
)
wrong(
    "total_norm",
    "abs_of_the_largest",
    "The largest *absolute* value is needed: a negative number may be the largest in size.",
    source=changed(NORM, ("float(np.abs(g).max())", "abs(float(g.max()))"), QUIET_NORM),
)


@wrong(
    "total_norm",
    "tiny_added",
    "Tiny gradients give 0: a small number is added to the largest, or stands in for it, or what is below one counts as 0. Only where all are exactly 0 is there none to divide by.",
)
def total_norm(grads):
    largest = max(float(np.abs(g).max()) for g in grads) + 1e-12
    return largest * math.sqrt(sum(float(np.square(g / largest).sum()) for g in grads))


@wrong(
    "total_norm",
    "one_shape_only",
    "Arrays of different shapes cannot be joined as they are. Make each flat, or sum array by array.",
)
def total_norm(grads):
    every = np.concatenate(grads)
    largest = np.abs(every).max()
    return float(largest * np.sqrt(np.square(every / largest).sum()))


wrong(
    "total_norm",
    "by_the_inverse",
    "1 / largest is infinite where the largest one is as small as a float can be. Divide by it instead.",
    source=changed(
        NORM,
        ("    return largest", "    scale = 1 / np.float64(largest)\n    return largest"),
        ("g / largest", "g.astype(float) * scale"),
    ),
)
wrong(
    "total_norm",
    "python_s_max",
    ONE_AXIS,
    source=changed(NORM, ("max(float(np.abs(g).max()) for g in grads)", "float(max(max(abs(g)) for g in grads))")),
)
wrong(
    "total_norm",
    "python_s_sum",
    ONE_AXIS,
    source=changed(NORM, ("float(np.square(g / largest).sum()) for g", "float(sum((g / largest) ** 2)) for g")),
)


@wrong("total_norm", "zeros_divided_in_numpy", ALL_ARE_ZERO)
def total_norm(grads):
    largest = max(float(np.abs(g).max()) for g in grads)
    return largest * math.sqrt(sum(float(np.square(g / largest).sum()) for g in grads))


@right("total_norm", "hypot")
def total_norm(grads):
    return math.hypot(*[float(x) for g in grads for x in np.ravel(g)])


@right("total_norm", "one_array")
def total_norm(grads):
    every = np.concatenate([np.ravel(g) for g in grads])
    largest = float(np.max(np.abs(every)))
    return largest * float(np.linalg.norm(every / largest)) if largest > 0 else 0.0


@wrong(
    "total_norm",
    "stays_in_float32",
    "The root is multiplied in float32, which ends at 3.4e38: `float` comes too late, or is missing. Make floats of both before.",
)
def total_norm(grads):
    largest = max(np.abs(g).max() for g in grads)
    if largest == 0:
        return 0.0
    with np.errstate(all="ignore"):
        return float(largest * np.sqrt(sum(((g / largest) ** 2).sum() for g in grads)))


wrong(
    "total_norm",
    "largest_stays_in_float32",
    "The root is multiplied in float32, which ends at 3.4e38. Make a float of the largest, too, before.",
    source=changed(
        NORM,
        ("max(float(np.abs(g).max()) for g in grads)", "np.max([np.abs(g).max() for g in grads])"),
        QUIET_NORM,
    ),
)


@wrong("total_norm", "tiny_is_zero", "Tiny numbers are taken for 0. Only where all are exactly 0 is there none to divide by.")
def total_norm(grads):
    largest = float(max(np.abs(g).max() for g in grads))
    if largest < 1e-300:
        return 0.0
    return largest * math.sqrt(sum(float(((g / largest) ** 2).sum()) for g in grads))


wrong(
    "total_norm",
    "tiny_number_added",
    "A tiny number is added to the largest, so that it is not 0. In float32 that number is 0 itself, and 0 / 0 is NaN: zeros are a case of their own.",
    source="""
    def total_norm(grads):
        largest = max(float(np.abs(g).max()) for g in grads) + 1e-300
        with np.errstate(all="ignore"):
            return largest * math.sqrt(sum(float(np.square(g / largest).sum()) for g in grads))
    """,
)


wrong("total_norm", "stops_at_zeros", "An array of zeros ends it: the others count nevertheless. Only where all numbers are 0 is there no largest.", source="""
def total_norm(grads):
    total = 0.0
    for g in grads:
        largest = float(np.abs(g).max())
        if largest == 0:
            return 0.0
        total = math.hypot(total, largest * float(np.sqrt(np.square(g / largest).sum())))
    return total
""")
wrong("total_norm", "first_array_decides", "The largest number of the first array alone is taken: look through all arrays.", source="""
def total_norm(grads):
    largest = float(np.abs(grads[0]).max())
    if largest == 0:
        return 0.0
    with np.errstate(all="ignore"):
        return largest * float(np.sqrt(sum(((g / largest) ** 2).sum() for g in grads)))
""")
wrong("total_norm", "one_fixed_divisor", "One fixed number divides whatever comes, and tiny numbers vanish when they are divided by it, squared or not. Divide by the largest.", source="""
def total_norm(grads):
    scale = 1e150
    return float(np.sqrt(sum(((np.asarray(g, dtype=float) / scale) ** 2).sum() for g in grads))) * scale
""")
wrong("total_norm", "bound_for_zeros", "Tiny gradients give 0: a small number is added to the largest, or stands in for it, or what is below one counts as 0. Only where all are exactly 0 is there none to divide by.", source=changed(
    NORM, ("if largest == 0:", "if largest < 1e-12:")))
wrong("total_norm", "numbers_by_loops", ONE_AXIS, source="""
def total_norm(grads):
    largest = float(max(max(abs(x) for x in g) for g in grads))
    if largest == 0:
        return 0.0
    return largest * float(np.sqrt(sum(((g / largest) ** 2).sum() for g in grads)))
""")
wrong("total_norm", "one_array_of_all", "The arrays have different shapes and make no array together: take each by itself.", source=changed(
    NORM, ("max(float(np.abs(g).max()) for g in grads)", "float(np.max(np.abs(grads)))")))


# -- clip_with_norm ---------------------------------------------------------------------------------------------------

NOTHING_ELSE = "Where the norm is tiny, the divisor is larger than it: something is added, as in PyTorch, or a bound is set, as by `max(norm, 1.0)`. Here the factor is max_norm / norm, and nothing else."


@wrong(
    "clip_with_norm",
    "in_place",
    "The result is right, and the caller's list or its arrays were changed. Make a new list of new arrays.",
)
def clip_with_norm(grads, max_norm, norm):
    if norm > max_norm:
        for g in grads:
            g *= max_norm / norm
    return grads


@wrong(
    "clip_with_norm",
    "always_scales",
    "Small gradients are made larger. The factor may not be above 1.",
)
def clip_with_norm(grads, max_norm, norm):
    with np.errstate(all="ignore"):
        return [g * np.float64(max_norm) / norm for g in grads]


@wrong(
    "clip_with_norm",
    "cut_off",
    "Each number is cut off by itself, which turns the gradient's direction. Multiply all by one factor.",
)
def clip_with_norm(grads, max_norm, norm):
    return [np.clip(g, -max_norm, max_norm) for g in grads]


@wrong("clip_with_norm", "upside_down", "The factor is upside down: it is max_norm over norm.")
def clip_with_norm(grads, max_norm, norm):
    if norm <= max_norm:
        return list(grads)
    return [g * (norm / max_norm) for g in grads]


@wrong(
    "clip_with_norm", "divided_only", "You divided by the norm: the new norm is 1, and should be max_norm."
)
def clip_with_norm(grads, max_norm, norm):
    if norm <= max_norm:
        return list(grads)
    return [g / norm for g in grads]


@wrong(
    "clip_with_norm",
    "each_by_itself",
    "Each array is scaled by its own norm. One factor for all keeps the direction of the step.",
)
def clip_with_norm(grads, max_norm, norm):
    own = [math.hypot(*np.ravel(g).tolist()) for g in grads]
    return [g * min(1.0, max_norm / max(n, 1e-12)) for g, n in zip(grads, own)]


@wrong(
    "clip_with_norm",
    "never_clips",
    "Large gradients come back as they are: the comparison is turned round, or you do not return what you scaled (`g = ...` in a loop changes no list).",
)
def clip_with_norm(grads, max_norm, norm):
    if norm > max_norm:
        return list(grads)
    return [g * (max_norm / max(norm, 1e-12)) for g in grads]


@wrong(
    "clip_with_norm",
    "divides_by_zero",
    "When all gradients are 0, the norm is 0, and you divide by it. Divide only where the norm is too large.",
)
def clip_with_norm(grads, max_norm, norm):
    return [g * min(1.0, max_norm / norm) for g in grads]


@wrong(
    "clip_with_norm",
    "own_norm",
    "You computed the norm of these gradients. Take the one that is given: other gradients may belong to it.",
)
def clip_with_norm(grads, max_norm, norm):
    norm = math.hypot(*[x for g in grads for x in np.ravel(g).tolist()])
    return [g * (max_norm / norm) if norm > max_norm else g for g in grads]


@wrong(
    "clip_with_norm",
    "into_the_list",
    "The result is right, and the caller's list or its arrays were changed. Make a new list of new arrays.",
)
def clip_with_norm(grads, max_norm, norm):
    if norm > max_norm:
        for i in range(len(grads)):
            grads[i] = grads[i] * max_norm / norm
    return grads


@wrong(
    "clip_with_norm",
    "list_times_factor",
    "A list cannot be multiplied by a fraction. Multiply each array in it.",
)
def clip_with_norm(grads, max_norm, norm):
    if norm > max_norm:
        return grads * (max_norm / norm)
    return grads


@wrong(
    "clip_with_norm",
    "subtracted",
    "The surplus is subtracted from each number, which turns the direction. Multiply by one factor.",
)
def clip_with_norm(grads, max_norm, norm):
    if norm > max_norm:
        return [g - (norm - max_norm) for g in grads]
    return grads


@wrong("clip_with_norm", "none_when_small", "Small gradients come back as None. Return them as they are.")
def clip_with_norm(grads, max_norm, norm):
    if norm > max_norm:
        return [g * (max_norm / norm) for g in grads]


@wrong("clip_with_norm", "a_generator", "A generator is returned. Square brackets make a list of it.")
def clip_with_norm(grads, max_norm, norm):
    if norm > max_norm:
        return (g * (max_norm / norm) for g in grads)
    return grads


@wrong(
    "clip_with_norm",
    "as_pytorch",
    NOTHING_ELSE,
)
def clip_with_norm(grads, max_norm, norm):
    factor = min(1.0, max_norm / (norm + 1e-6))
    return [factor * g for g in grads]


@wrong("clip_with_norm", "alone_is_cut_off", "Where the list holds a single array, its numbers are cut off one by one, which turns the gradient's direction. Multiply all by one factor there, too.")
def clip_with_norm(grads, max_norm, norm):
    if len(grads) == 1:
        return [np.clip(grads[0], -max_norm, max_norm)]
    factor = min(1.0, max_norm / norm) if norm else 1.0
    return [factor * g for g in grads]


@wrong(
    "clip_with_norm",
    "a_little_added",
    NOTHING_ELSE,
)
def clip_with_norm(grads, max_norm, norm):
    factor = min(1.0, max_norm / (norm + 1e-12))
    return [factor * g for g in grads]


NO_ONE_ARRAY = (
    "The gradients have different shapes, and do not fit into one array, such as `np.array` or another function of NumPy "
    "makes of a list. Each is multiplied by itself, and a list of them comes back."
)


@wrong("clip_with_norm", "one_array_of_all", NO_ONE_ARRAY)
def clip_with_norm(grads, max_norm, norm):
    if norm <= max_norm:
        return grads
    return list(np.array(grads) * (max_norm / norm))


@wrong("clip_with_norm", "array_at_the_end", NO_ONE_ARRAY)
def clip_with_norm(grads, max_norm, norm):
    if norm <= max_norm:
        return grads
    return np.array([g * (max_norm / norm) for g in grads])


@right("clip_with_norm", "max_norm_first")
def clip_with_norm(grads, max_norm, norm):
    if norm <= max_norm:
        return grads
    return [g * max_norm / norm for g in grads]


@wrong("clip_with_norm", "zero_for_none", "A `max_norm` of 0 is a limit like any other: nothing is left. You take it for no limit, as `not max_norm` does, since 0.0 counts as False.")
def clip_with_norm(grads, max_norm, norm):
    if not max_norm or norm <= max_norm:
        return grads
    return [g * (max_norm / norm) for g in grads]


@right("clip_with_norm", "larger_of_two")
def clip_with_norm(grads, max_norm, norm):
    clipped = []
    for g in grads:
        clipped.append(g / max(norm, max_norm) * max_norm)
    return clipped


@wrong("clip_with_norm", "zeros_left_out", "Where it clips, gradients that are all zeros are left out, and the list is shorter than the one that was given: whose is which, nobody knows then.")
def clip_with_norm(grads, max_norm, norm):
    if norm <= max_norm:
        return list(grads)
    return [g * (max_norm / norm) for g in grads if g.any()]


@wrong("clip_with_norm", "norm_of_at_least_1", NOTHING_ELSE)
def clip_with_norm(grads, max_norm, norm):
    return [g * (max_norm / max(norm, 1.0)) if norm > max_norm else g for g in grads]


wrong("clip_with_norm", "glued", "The gradients come back glued together in one array. A list of arrays is wanted, one for each.", source="""
def clip_with_norm(grads, max_norm, norm):
    if norm > max_norm:
        grads = [g * max_norm / norm for g in grads]
    return np.concatenate([g.ravel() for g in grads])
""")
wrong("clip_with_norm", "tiny_stays", "A norm below some bound is taken for small enough, whatever is allowed. Only max_norm decides.", source="""
def clip_with_norm(grads, max_norm, norm):
    if norm <= max_norm or norm < 1e-12:
        return list(grads)
    return [g * max_norm / norm for g in grads]
""")
wrong("clip_with_norm", "returns_in_the_loop", "It returns within the loop, with the first array alone: collect all of them first.", source="""
def clip_with_norm(grads, max_norm, norm):
    if norm > max_norm:
        for g in grads:
            return [g * max_norm / norm]
    return list(grads)
""")


# -- mended_adam ------------------------------------------------------------------------------------------------------

MENDED = """
class MendedAdam:
    def __init__(self, parameters, lr=0.1, betas=(0.9, 0.999), eps=1e-8):
        self.parameters = list(parameters)
        self.lr, self.betas, self.eps = lr, betas, eps
        self.t = 0
        self.state = []
        for p in self.parameters:
            self.state.append((np.zeros_like(p.data), np.zeros_like(p.data)))

    def step(self):
        b1, b2 = self.betas
        self.t += 1
        for p, (m, v) in zip(self.parameters, self.state):
            g = p.grad.data
            m += (1 - b1) * (g - m)
            v += (1 - b2) * (g * g - v)
            m_hat, v_hat = m / (1 - b1**self.t), v / (1 - b2**self.t)
            with no_grad():
                p -= self.lr * m_hat / (np.sqrt(v_hat) + self.eps)
"""
COUNT = (
    "        self.t += 1\n        for p, (m, v) in zip(self.parameters, self.state):\n",
    "        for p, (m, v) in zip(self.parameters, self.state):\n            self.t += 1\n",
)
SHARED = (
    "            self.state.append((np.zeros_like(p.data), np.zeros_like(p.data)))",
    "            zeros = np.zeros_like(p.data)\n            self.state.append((zeros, zeros))",
)
UNDER = ("(np.sqrt(v_hat) + self.eps)", "np.sqrt(v_hat + self.eps)")

NUMBERS_WRITTEN_IN = "You wrote numbers where lr, betas or eps belong. Whoever makes the optimizer chooses them."
ANOTHER_ARRAY = (
    "The array that the Tensor held at first stays as it was: the loop leaves it out, or `p = p - ...` gives the name p "
    "another one, or `p.data = ...` the Tensor. Write into the array that is there: `p -= ...`."
)


def mended(*pairs):
    """The mended class with some of its lines replaced."""
    source = MENDED
    for old, new in pairs:
        assert old in source, old
        source = source.replace(old, new)
    return source


wrong(
    "mended_adam",
    "still_one_array",
    "m and v are two names of one array: what you write into one stands in the other.",
    source=mended(SHARED),
)
wrong(
    "mended_adam",
    "nothing_mended",
    "This still behaves as the colleague's class. Begin with a single parameter and a negative gradient.",
    source=mended(COUNT, SHARED, UNDER),
)
wrong(
    "mended_adam",
    "still_counts_parameters",
    "With two parameters the steps are off: t grows once for each of them, and should grow once in each call.",
    source=mended(COUNT),
)
wrong(
    "mended_adam",
    "still_under_the_root",
    "eps stands under the root here, where a tiny gradient hardly moves anything: eps is larger than its square.",
    source=mended(UNDER),
)
wrong(
    "mended_adam",
    "two_left_in_step",
    "The two means are apart now. Two bugs are left, both in `step`: try two parameters, then a tiny gradient.",
    source=mended(COUNT, UNDER),
)
wrong(
    "mended_adam",
    "absolute_under_the_root",
    "`abs` hides the NaN and leaves its cause. Why should a mean of squares ever be negative?",
    source=mended(SHARED, ("np.sqrt(v_hat)", "np.sqrt(abs(v_hat))")),
)
wrong(
    "mended_adam",
    "eps_removed",
    "eps does not count here. It is added to the root, whatever the root is.",
    source=mended(("(np.sqrt(v_hat) + self.eps)", "np.sqrt(v_hat)")),
)
wrong(
    "mended_adam",
    "counts_too_late",
    "In the first step p becomes NaN: 0 divided by 0, or the root of a number below 0. Is t counted before the correction, is every pair of parentheses there, and can v, or what it is divided by, be below 0?",
    source=mended(
        ("        self.t += 1\n", ""),
        ("+ self.eps)\n", "+ self.eps)\n        self.t += 1\n"),
    ),
)
wrong(
    "mended_adam",
    "state_lost",
    "Each step begins with means of 0 again: m and v are new arrays, which are not kept. Write into those of self.state in place, or store the new ones there.",
    source=mended(
        ("            m += (1 - b1) * (g - m)", "            m = m + (1 - b1) * (g - m)"),
        ("            v += (1 - b2) * (g * g - v)", "            v = v + (1 - b2) * (g * g - v)"),
    ),
)
wrong(
    "mended_adam",
    "one_pair_for_all",
    "The shapes do not fit: all parameters share one pair of arrays, or each pair has the shape of the first. Each parameter needs a pair of its own, of its own shape.",
    source=mended(
        (
            "        for p in self.parameters:\n"
            "            self.state.append((np.zeros_like(p.data), np.zeros_like(p.data)))\n",
            "        first = self.parameters[0].data\n"
            "        self.state = [(np.zeros_like(first), np.zeros_like(first))] * len(self.parameters)\n",
        ),
    ),
)
wrong(
    "mended_adam",
    "name_only",
    ANOTHER_ARRAY,
    source=mended(("                p -= self.lr * m_hat", "                p = p - self.lr * m_hat")),
)
wrong(
    "mended_adam",
    "data_assigned",
    ANOTHER_ARRAY,
    source=mended(
        (
            "            with no_grad():\n                p -= self.lr * m_hat",
            "            p.data = p.data - self.lr * m_hat",
        )
    ),
)
wrong(
    "mended_adam",
    "gradient_changed",
    "The gradient itself was changed. It belongs to the parameter: make a new array.",
    source=mended(
        (
            "            v += (1 - b2) * (g * g - v)\n",
            "            g *= g\n            v += (1 - b2) * (g - v)\n",
        )
    ),
)
wrong(
    "mended_adam",
    "no_correction",
    "The correction is gone, and it was not among the bugs: both means begin at 0.",
    source=mended(("m_hat, v_hat = m / (1 - b1**self.t), v / (1 - b2**self.t)", "m_hat, v_hat = m, v")),
)
wrong(
    "mended_adam",
    "no_square",
    "v is made of g, or of its size, and not of its square. It is the mean of the squares; of a negative g the root would be nan.",
    source=mended(("(g * g - v)", "(g - v)")),
)
wrong(
    "mended_adam",
    "numbers_written_in",
    NUMBERS_WRITTEN_IN,
    source=mended(("b1, b2 = self.betas", "b1, b2 = 0.9, 0.999"), ("self.eps)\n", "1e-8)\n")),
)
wrong(
    "mended_adam",
    "rate_written_in",
    NUMBERS_WRITTEN_IN,
    source=mended(("p -= self.lr *", "p -= 0.1 *")),
)
wrong(
    "mended_adam",
    "no_no_grad",
    "An update is no part of the computation: let it run under `no_grad`.",
    source=mended(("            with no_grad():\n                p -=", "            p -=")),
)
wrong(
    "mended_adam",
    "correction_dropped_after_a_while",
    "After some steps you no longer correct. With the betas 0.9 and 0.999, v is too small for thousands.",
    source=mended(
        (
            "m_hat, v_hat = m / (1 - b1**self.t), v / (1 - b2**self.t)",
            "m_hat, v_hat = (m / (1 - b1**self.t), v / (1 - b2**self.t)) if self.t <= 10 else (m, v)",
        )
    ),
)
wrong(
    "mended_adam",
    "correction_dropped_after_a_hundred",
    "After some steps you no longer correct. With the betas 0.9 and 0.999, v is too small for thousands.",
    source=mended(
        (
            "m_hat, v_hat = m / (1 - b1**self.t), v / (1 - b2**self.t)",
            "m_hat, v_hat = (m / (1 - b1**self.t), v / (1 - b2**self.t)) if self.t <= 100 else (m, v)",
        )
    ),
)
wrong(
    "mended_adam",
    "state_of_the_class",
    "A second object works with the means of the first: their list is the class's, a default argument or a global name. Make it in `__init__`.",
    source=mended(("        self.state = []\n", ""), ("class MendedAdam:\n", "class MendedAdam:\n    state = []\n\n")),
)
right(
    "mended_adam",
    "own_counts",
    source="""
    class MendedAdam:
        def __init__(self, parameters, lr=0.1, betas=(0.9, 0.999), eps=1e-8):
            self.parameters = list(parameters)
            self.lr, (self.b1, self.b2), self.eps = lr, betas, eps
            self.state = {id(p): [0, 0.0, 0.0] for p in self.parameters}

        def step(self):
            with no_grad():
                for p in self.parameters:
                    t, m, v = self.state[id(p)]
                    t, g = t + 1, p.grad.data
                    m = self.b1 * m + (1 - self.b1) * g
                    v = self.b2 * v + (1 - self.b2) * g**2
                    self.state[id(p)] = [t, m, v]
                    top, bottom = m / (1 - self.b1**t), np.sqrt(v / (1 - self.b2**t)) + self.eps
                    p.copy_(p.data - self.lr * top / bottom)
    """,
)
right(
    "mended_adam",
    "copies_of_zeros",
    source=mended(
        (
            "self.state.append((np.zeros_like(p.data), np.zeros_like(p.data)))",
            "zeros = np.zeros_like(p.data)\n            self.state.append((zeros, zeros.copy()))",
        ),
        (
            "            with no_grad():\n                p -= self.lr * m_hat / (np.sqrt(v_hat) + self.eps)",
            "            p.data -= self.lr * m_hat / (v_hat**0.5 + self.eps)",
        ),
    ),
)


wrong(
    "mended_adam",
    "sums_for_means",
    "The new part of m is added, and nothing of the old mean goes: it grows. Add (1 - b1) times (g - m).",
    source=mended(("m += (1 - b1) * (g - m)", "m += (1 - b1) * g")),
)
wrong(
    "mended_adam",
    "another_default_rate",
    "Without `lr` the rate is another one than the colleague's 0.1: the defaults stand in the first line of `__init__`.",
    source=mended(("lr=0.1", "lr=0.001")),
)


wrong(
    "mended_adam",
    "sign_of_the_gradient",
    "Each step has the length lr now, whatever came before: the sign of the gradient does that, without the means. Adam is to stay Adam: m over the root of v, both corrected.",
    source=mended(("m_hat / (np.sqrt(v_hat) + self.eps)", "np.sign(g)")),
)
wrong(
    "mended_adam",
    "corrected_means_kept",
    "The corrected means are kept, and the next step corrects them again. Keep the means as they are.",
    source=mended(
        (
            "            m_hat, v_hat = m / (1 - b1**self.t), v / (1 - b2**self.t)\n",
            "            m /= 1 - b1**self.t\n            v /= 1 - b2**self.t\n            m_hat, v_hat = m, v\n",
        )
    ),
)
wrong(
    "mended_adam",
    "betas_swapped",
    BETAS_SWAPPED,
    source=mended(("b1, b2 = self.betas", "b2, b1 = self.betas")),
)
wrong(
    "mended_adam",
    "betas_written_in",
    NUMBERS_WRITTEN_IN,
    source=mended(("b1, b2 = self.betas", "b1, b2 = 0.9, 0.999")),
)
wrong(
    "mended_adam",
    "one_step_ahead",
    "The correction is one step ahead: in the first step its power is 1, and not 2.",
    source=mended(("self.t += 1", "self.t += 1\n        ahead = self.t + 1"), ("**self.t", "**ahead")),
)
wrong(
    "mended_adam",
    "eps_twice",
    "eps counts twice: under the root, and beside it. It is added to the root only.",
    source=mended(("np.sqrt(v_hat)", "np.sqrt(v_hat + self.eps)")),
)
wrong(
    "mended_adam",
    "no_root",
    "The root is gone, and it was not among the bugs: v is a mean of squares.",
    source=mended(("np.sqrt(v_hat)", "v_hat")),
)
wrong(
    "mended_adam",
    "uphill",
    UPHILL,
    source=mended(("p -= self.lr", "p += self.lr")),
)


wrong(
    "mended_adam",
    "state_by_shape",
    "The means are kept by the shape of a parameter: two of one shape share them. Each parameter needs its own.",
    source="""
    class MendedAdam:
        def __init__(self, parameters, lr=0.1, betas=(0.9, 0.999), eps=1e-8):
            self.parameters, self.t = list(parameters), 0
            self.lr, self.betas, self.eps = lr, betas, eps
            self.m = {p.shape: np.zeros(p.shape) for p in self.parameters}
            self.v = {p.shape: np.zeros(p.shape) for p in self.parameters}

        def step(self):
            b1, b2 = self.betas
            self.t += 1
            for p in self.parameters:
                g, at = p.grad.data, p.shape
                self.m[at] = b1 * self.m[at] + (1 - b1) * g
                self.v[at] = b2 * self.v[at] + (1 - b2) * g * g
                m_hat, v_hat = self.m[at] / (1 - b1**self.t), self.v[at] / (1 - b2**self.t)
                with no_grad():
                    p -= self.lr * m_hat / (np.sqrt(v_hat) + self.eps)
    """,
)
wrong(
    "mended_adam",
    "kept_in_the_class",
    "What an optimizer keeps stands in the class, or in the Tensors: a second MendedAdam with the same Tensors sets it back, and both go on with it. Each keeps its own, in `self`.",
    source=mended(
        ("class MendedAdam:\n", "class MendedAdam:\n    means = {}\n\n"),
        ("            self.state.append((np.zeros_like(p.data), np.zeros_like(p.data)))\n", "            self.means[id(p)] = np.zeros_like(p.data), np.zeros_like(p.data)\n"),
        ("        for p, (m, v) in zip(self.parameters, self.state):\n", "        for p in self.parameters:\n            m, v = self.means[id(p)]\n"),
    ),
)


wrong("mended_adam", "first_step_s_correction", "The correction does not know t: it divides by what is right after one step, in every step. `beta ** t`.", source=mended(
    ("m / (1 - b1**self.t), v / (1 - b2**self.t)", "m / (1 - b1), v / (1 - b2)")))
wrong("mended_adam", "beta_times_t", "beta times t stands where beta to the power of t belongs.", source=mended(
    ("m / (1 - b1**self.t), v / (1 - b2**self.t)", "m / (1 - b1 * self.t), v / (1 - b2 * self.t)")))
wrong("mended_adam", "squares_of_the_mean", "v is the mean of the squares of m here. It is that of the gradients.", source=mended(
    ("v += (1 - b2) * (g * g - v)", "v += (1 - b2) * (m * m - v)")))
wrong("mended_adam", "a_slice_is_a_view", "`zeros[:]` is a view of the same numbers, so m and v are one array still; and an array without axes has no slice. `zeros.copy()` is another one.", source=mended(
    ("            self.state.append((np.zeros_like(p.data), np.zeros_like(p.data)))", "            zeros = np.zeros_like(p.data)\n            self.state.append((zeros, zeros[:]))")))
wrong("mended_adam", "eps_squared_under_the_root", "The square of eps stands under the root. eps is added to the root, which is not the same where eps counts.", source=mended(
    ("(np.sqrt(v_hat) + self.eps)", "np.sqrt(v_hat + self.eps**2)")))
wrong("mended_adam", "eps_beside_the_uncorrected", "eps is added to the root of the uncorrected v, so it counts too much in the first steps. Correct v first, then take the root, and add eps.", source=mended(
    ("            m_hat, v_hat = m / (1 - b1**self.t), v / (1 - b2**self.t)\n", ""),
    ("self.lr * m_hat / (np.sqrt(v_hat) + self.eps)", "self.lr * math.sqrt(1 - b2**self.t) / (1 - b1**self.t) * m / (np.sqrt(v) + self.eps)")))


wrong("mended_adam", "zip_used_up", "From the second step on nothing moves: a `zip` kept from __init__ is used up after one loop. Make a list of it, or call zip in each step.",
      source=changed(MENDED, ("\n    def step", "        self.state = zip(self.parameters, self.state)\n\n    def step"), ("zip(self.parameters, self.state):", "self.state:")))
