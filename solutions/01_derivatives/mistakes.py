"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 01_derivatives`) and they diagnose: a student's answer that behaves like one
of these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the
functions use (math, np) are the notebook's.
"""

from autograder.bank import right, wrong

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


@wrong("central_difference", "from_the_library", "This is a finer rule, taken from the grader's own library. Write the central difference, with the h that is given.")
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
