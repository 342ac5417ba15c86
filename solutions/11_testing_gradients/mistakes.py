"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 11_testing_gradients`) and they diagnose: a student's answer that behaves like
one of these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the
functions use (np, OPERATIONS) are the notebook's.

Where the answer is a test, what it does is known by its verdicts and by what it asks: a sentence speaks of these.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import changed, right, wrong


# -- slope_along ------------------------------------------------------------------------------------------------------

SLOPE = """
def slope_along(f, inputs, u, vs, h):
    ahead = f(*[x + h * v for x, v in zip(inputs, vs)])
    behind = f(*[x - h * v for x, v in zip(inputs, vs)])
    return float((u * (ahead - behind)).sum() / (2 * h))
"""

wrong("slope_along", "forward", "This goes ahead of x only. Go to both sides: a central difference.",
      source=changed(SLOPE, ("x - h * v", "x"), ("(2 * h)", "h")))
wrong("slope_along", "over_h", "Twice as large as it should be: the two points are 2h apart, h ahead and h behind, and the rise is divided by 2h.", source=changed(SLOPE, ("/ (2 * h)", "/ h")))
wrong("slope_along", "times_2h", "h counts where it should divide: check the parentheses around 2 * h.",
      source=changed(SLOPE, ("/ (2 * h)", "/ 2 * h")))
wrong("slope_along", "no_u", "The outputs are added up as they are: weigh each by its number in u.",
      source=changed(SLOPE, ("u * (ahead - behind)", "ahead - behind")))
wrong("slope_along", "no_v", "Each input moves by h here, whatever the size of its v: v says how far it goes, as it is.",
      source=changed(SLOPE, ("h * v for", "h for")))
wrong("slope_along", "other_way", "The sign is turned: ahead minus behind.", source=changed(SLOPE, ("ahead - behind", "behind - ahead")))
wrong("slope_along", "not_divided", "This is the rise. Divide it by the distance, 2h.", source=changed(SLOPE, (" / (2 * h)", "")))
wrong("slope_along", "one_input", "Only the first input moves, and the others count, too.",
      source=changed(SLOPE, ("[x + h * v for x, v in zip(inputs, vs)]", "[inputs[0] + h * vs[0], *inputs[1:]]"),
                     ("[x - h * v for x, v in zip(inputs, vs)]", "[inputs[0] - h * vs[0], *inputs[1:]]")))
wrong("slope_along", "one_at_a_time", "Each input moves alone here, while the others stay: move all of them at once.", source="""
def slope_along(f, inputs, u, vs, h):
    total = 0.0
    for k, v in enumerate(vs):
        ahead = f(*[x + h * v * (i == k) for i, x in enumerate(inputs)])
        behind = f(*[x - h * v * (i == k) for i, x in enumerate(inputs)])
        total += float((u * (ahead - behind)).sum() / (2 * h))
    return total
""")
MOVED = """
def slope_along(f, inputs, u, vs, h):
    for x, v in zip(inputs, vs):
        x += h * v
    ahead = f(*inputs)
    for x, v in zip(inputs, vs):
        x -= 2 * h * v
    return float((u * (ahead - f(*inputs))).sum() / (2 * h))
"""
wrong("slope_along", "in_place", "`x += h * v` writes into the caller's arrays: make new ones.", source=MOVED)
wrong("slope_along", "unit_v", "Each input moves by h here, whatever the size of its v: v says how far it goes, as it is.",
      source=changed(SLOPE, ("    ahead =", "    vs = [v / np.linalg.norm(v) for v in vs]\n    ahead =")))
wrong("slope_along", "own_h", "h is given, and may be as large as 1: take it as it is.", source=changed(SLOPE, ("    ahead =", "    h = 1e-6\n    ahead =")))
wrong("slope_along", "u_on_ahead", "u has to weigh both evaluations: it belongs before their difference, in parentheses.",
      source=changed(SLOPE, ("u * (ahead - behind)", "u * ahead - behind")))
wrong("slope_along", "mean", "The weighed outputs are added up: a mean divides by their number.", source=changed(SLOPE, (").sum()", ").mean()")))
wrong("slope_along", "sums_apart", "Weigh each output by its own u before you add up: a product of two sums is something else.",
      source=changed(SLOPE, ("(u * (ahead - behind)).sum()", "u.sum() * (ahead - behind).sum()")))
wrong("slope_along", "two_ahead", "Both points are ahead of x, or at it: go to both sides, h ahead and h behind.",
      source=changed(SLOPE, ("x + h * v", "x + 2 * h * v"), ("x - h * v", "x")))
wrong("slope_along", "size", "A slope has a sign: no `abs` here.", source=changed(SLOPE, ("(u * (ahead - behind)).sum()", "abs((u * (ahead - behind)).sum())")))
wrong("slope_along", "single", "That is as exact as single precision: keep the numbers as they are, in float64.",
      source=changed(SLOPE, ("float((u * ", "float((np.float32(u) * ")))
wrong("slope_along", "not_summed", "The answer is one number: add up what u has weighed.",
      source=changed(SLOPE, ("float((u * (ahead - behind)).sum() / (2 * h))", "u * (ahead - behind) / (2 * h)")))

wrong("slope_along", "one_row_only", "`u @ ...` weighs outputs of one axis only, and here they have two: multiply, and add everything up.",
      source=changed(SLOPE, ("(u * (ahead - behind)).sum()", "u @ (ahead - behind)")))
ONE_ARRAY = "One array is made of a list here, as `np.array` and `np.add` do, which needs inputs of one shape: move them one by one."
wrong("slope_along", "one_array_of_the_list", ONE_ARRAY,
      source=changed(SLOPE, ("*[x + h * v for x, v in zip(inputs, vs)]", "*(np.array(inputs) + h * np.array(vs))"),
                     ("*[x - h * v for x, v in zip(inputs, vs)]", "*(np.array(inputs) - h * np.array(vs))")))
wrong("slope_along", "stacked", ONE_ARRAY,
      source=changed(SLOPE, ("*[x + h * v for x, v in zip(inputs, vs)]", "*np.add(inputs, np.multiply(h, vs))"),
                     ("*[x - h * v for x, v in zip(inputs, vs)]", "*np.subtract(inputs, np.multiply(h, vs))")))
wrong("slope_along", "there_and_back", "Adding h v and subtracting it again leaves rounding in the caller's arrays: make new ones.",
      source=changed(MOVED, ("ahead - f(*inputs)", "ahead - behind"),
                     ("    return", "    behind = f(*inputs)\n"
                      "    for x, v in zip(inputs, vs):\n        x += h * v\n    return")))


wrong("slope_along", "trace", "Outputs of one or two axes are weighed here, and there may be none, or three: multiply, and add everything up.",
      source=changed(SLOPE, ("(u * (ahead - behind)).sum()", "np.trace(np.atleast_2d(u) @ np.atleast_2d(ahead - behind).T)")))


@right("slope_along", "vdot")
def slope_along(f, inputs, u, vs, h):
    moved = lambda t: np.vdot(u, f(*[x + t * v for x, v in zip(inputs, vs, strict=True)]))
    return float(moved(h) - moved(-h)) / h / 2


@right("slope_along", "loops")
def slope_along(f, inputs, u, vs, h):
    there, back = [], []
    for x, v in zip(inputs, vs):
        there.append(np.add(x, h * v))
        back.append(np.subtract(x, h * v))
    total = 0.0
    for weight, high, low in zip(u.ravel(), f(*there).ravel(), f(*back).ravel()):
        total += weight * (high - low) / (2 * h)
    return float(total)


wrong("slope_along", "two_inputs", "Exactly two inputs are taken out of the list. There may be one, or three: go along both lists.", source="""
def slope_along(f, inputs, u, vs, h):
    a, b = inputs
    va, vb = vs
    return float((u * (f(a + h * va, b + h * vb) - f(a - h * va, b - h * vb))).sum() / (2 * h))
""")
wrong("slope_along", "np_dot", "`np.dot` weighs outputs of one axis only, and here they have two, of which it makes a matrix product: multiply, and add everything up.",
      source=changed(SLOPE, ("(u * (ahead - behind)).sum() / (2 * h)", "np.dot(u, (ahead - behind) / (2 * h)).sum()")))


@wrong("slope_along", "v_of_length_one", "v is brought to length 1 here. The slope is asked for along v as it is, so leave its length.")
def slope_along(f, inputs, u, vs, h):
    length = np.sqrt(sum((v**2).sum() for v in vs))
    ahead = f(*[x + h * v / length for x, v in zip(inputs, vs)])
    behind = f(*[x - h * v / length for x, v in zip(inputs, vs)])
    return float((u * (ahead - behind)).sum() / (2 * h))


@wrong("slope_along", "copies_the_list_alone", "Ahead and behind are the same: `list` copies the list and not its arrays, and `+=` writes into these. Make new arrays.")
def slope_along(f, inputs, u, vs, h):
    ahead, behind = list(inputs), list(inputs)
    for i, v in enumerate(vs):
        ahead[i] += h * v
        behind[i] -= h * v
    return float((u * (f(*ahead) - f(*behind))).sum() / (2 * h))


# -- agree ------------------------------------------------------------------------------------------------------------

AGREE = """
def agree(given, slope, room):
    if not (np.isfinite(given) and np.isfinite(slope)):
        return False
    return bool(abs(given - slope) <= 1e-5 * abs(slope) + room)
"""
FINITE = "    if not (np.isfinite(given) and np.isfinite(slope)):\n        return False\n"

wrong("agree", "absolute", "Two numbers do not agree here that differ by less than 1e-5 of the slope: that much is allowed, and the rounding on top. Or does no pair of finite numbers agree?",
      source=changed(AGREE, ("1e-5 * abs(slope) + room", "room")))
wrong("agree", "fixed", "The threshold does not grow with the slope: it is 1e-5 of the slope that is allowed, and `room` on top.",
      source=changed(AGREE, ("1e-5 * abs(slope) + room", "1e-5 + room")))
wrong("agree", "relative", "The rounding has no weight here, or too little: add `room` as it is.",
      source=changed(AGREE, (" + room", "")))
wrong("agree", "room_inside", "The rounding has no weight here, or too little: add `room` as it is.",
      source=changed(AGREE, ("1e-5 * abs(slope) + room", "1e-5 * (abs(slope) + room)")))
wrong("agree", "allclose", "Where numbers are near 1e-9, this allows too much. Is it 1e-5 of the slope and `room`, and nothing else? `np.isclose` adds 1e-8 unless you give `atol`.",
      source=changed(AGREE, ("abs(given - slope) <= 1e-5 * abs(slope) + room", "np.allclose(given, slope, rtol=1e-5)")))
wrong("agree", "isclose_alone", "Two infinities agree here: look first whether both numbers are finite.",
      source=changed(AGREE, (FINITE, ""), ("abs(given - slope) <= 1e-5 * abs(slope) + room", "np.isclose(given, slope, rtol=1e-5, atol=room)")))
DIVIDED = "`room` is made a part of the slope, too, by a division by the slope or a product with it: only 1e-5 is multiplied by the slope, and `room` is added as it is."
wrong("agree", "divided", DIVIDED,
      source=changed(AGREE, ("abs(given - slope) <= 1e-5 * abs(slope) + room", "abs(given - slope) / abs(slope) <= 1e-5 + room")))
wrong("agree", "ratio", DIVIDED,
      source=changed(AGREE, ("abs(given - slope) <= 1e-5", "abs(given / slope - 1) <= 1e-5"), ("1e-5 * abs(slope) + room", "1e-5 + room")))
wrong("agree", "ten_times", "5e-5 of the slope is allowed here, and 1e-5 should be: 10e-5 is ten times as much.",
      source=changed(AGREE, ("1e-5", "10e-5")))
wrong("agree", "larger_of_both", "Allowed is the sum of both parts, and not the larger one.",
      source=changed(AGREE, ("1e-5 * abs(slope) + room", "max(1e-5 * abs(slope), room)")))
wrong("agree", "no_abs", "A gradient that is too small agrees here: the difference needs its size, `abs`.",
      source=changed(AGREE, ("abs(given - slope)", "given - slope")))
wrong("agree", "slope_signed", "A negative slope makes the tolerance negative: take its size.",
      source=changed(AGREE, ("1e-5 * abs(slope)", "1e-5 * slope")))
wrong("agree", "sizes", "Two numbers of opposite sign agree here: subtract first, then take the size.",
      source=changed(AGREE, ("abs(given - slope)", "abs(abs(given) - abs(slope))")))
wrong("agree", "signs_first", "Two signs may differ where both numbers are within the rounding: the size of their difference is all that counts.",
      source=changed(AGREE, ("    return bool(", "    if given * slope < 0:\n        return False\n    return bool(")))
wrong("agree", "strict", "Two zeros do not agree here: 0 < 0 is False, so use <=.", source=changed(AGREE, ("<= 1e-5", "< 1e-5")))
wrong("agree", "only_the_comparison", "NaN agrees here: no comparison with it is True, so it never is too large. Look first whether both numbers are finite.",
      source=changed(AGREE, (FINITE, ""), ("bool(abs(given - slope) <= 1e-5 * abs(slope) + room)", "not abs(given - slope) > 1e-5 * abs(slope) + room")))
wrong("agree", "infinite_slope", "An infinite slope allows everything: inf <= 1e-5 * inf is True. Look whether both numbers are finite.", source=changed(AGREE, (FINITE, "")))
wrong("agree", "nan_only", "An infinite slope allows everything: inf <= 1e-5 * inf is True. Look whether both numbers are finite.",
      source=changed(AGREE, ("np.isfinite(given) and np.isfinite(slope)", "given == given and slope == slope")))
wrong("agree", "either", "An infinite slope allows everything: inf <= 1e-5 * inf is True. Look whether both numbers are finite.",
      source=changed(AGREE, ("np.isfinite(given) and np.isfinite(slope)", "np.isfinite(given) or np.isfinite(slope)")))
wrong("agree", "plus_infinity_only", "A slope of minus infinity allows everything: its size is infinite, too. `np.isfinite` looks at all three.",
      source=changed(AGREE, ("not (np.isfinite(given) and np.isfinite(slope))", "given == np.inf or slope == np.inf")))
wrong("agree", "the_other_way", "This is True where they differ.", source=changed(AGREE, ("<= 1e-5", "> 1e-5")))
wrong("agree", "the_error", "Return True or False, and not the difference.",
      source=changed(AGREE, ("bool(abs(given - slope) <= 1e-5 * abs(slope) + room)", "abs(given - slope)")))


@right("agree", "math")
def agree(given, slope, room):
    import math

    good = math.isfinite(given) and math.isfinite(slope)
    return good and not abs(slope - given) > room + abs(slope) / 100000


@right("agree", "isclose")
def agree(given, slope, room):
    return np.isfinite(slope) and np.isclose(given, slope, rtol=1e-5, atol=room)


# -- rule_is_right ----------------------------------------------------------------------------------------------------

RULE = """
def rule_is_right(f, rule, inputs, rng):
    h, u = 1e-6, rng.standard_normal(np.shape(f(*inputs)))
    vs = [rng.standard_normal(x.shape) for x in inputs]
    ahead = f(*[x + h * v for x, v in zip(inputs, vs)])
    behind = f(*[x - h * v for x, v in zip(inputs, vs)])
    slope = (u * (ahead - behind)).sum() / (2 * h)
    grads = rule(u, *inputs)
    if [np.shape(grad) for grad in grads] != [x.shape for x in inputs]:
        return False
    given = sum((grad * v).sum() for grad, v in zip(grads, vs))
    return bool(abs(given - slope) <= 1e-5 * abs(slope) + rounding(u * ahead, h))
"""
ALLOWED = "1e-5 * abs(slope) + rounding(u * ahead, h)"
SHAPES = "    if [np.shape(grad) for grad in grads] != [x.shape for x in inputs]:\n        return False\n"

wrong("rule_is_right", "always", "It asks nothing, so it says the same of every rule.",
      source="def rule_is_right(f, rule, inputs, rng):\n    return True")
wrong("rule_is_right", "never", "It asks nothing, so it says the same of every rule.",
      source="def rule_is_right(f, rule, inputs, rng):\n    return False")
wrong("rule_is_right", "a_coin", "It asks nothing: a coin decides.",
      source="def rule_is_right(f, rule, inputs, rng):\n    return bool(rng.random() < 0.5)")
wrong("rule_is_right", "u_of_ones", "g is all ones in your test, so a rule that forgets g looks right: draw u.",
      source=changed(RULE, ("rng.standard_normal(np.shape(f(*inputs)))", "np.ones(np.shape(f(*inputs)))")))
wrong("rule_is_right", "along_ones", "All inputs move alike in your test, and errors that cancel in sum hide: draw each v.",
      source=changed(RULE, ("rng.standard_normal(x.shape)", "np.ones(x.shape)")))
wrong("rule_is_right", "shapes_stretched", "NumPy stretches arrays of two shapes until they fit, so a gradient of a wrong shape passes: compare the shapes.",
      source=changed(RULE, (SHAPES, "")))
wrong("rule_is_right", "along_one_number", "All entries of an input move alike in your test, and errors that cancel in sum hide: draw as many numbers as x has.",
      source=changed(RULE, ("rng.standard_normal(x.shape)", "rng.standard_normal() * np.ones(x.shape)")))
wrong("rule_is_right", "u_of_one_number", "All entries of u are alike, so a rule that looks at their sum only seems right: draw as many numbers as there are outputs.",
      source=changed(RULE, ("rng.standard_normal(np.shape(f(*inputs)))", "rng.standard_normal() * np.ones(np.shape(f(*inputs)))")))
wrong("rule_is_right", "positive_u", "No number of u is negative, so a rule that forgets the signs of g looks right: draw both signs.",
      source=changed(RULE, ("rng.standard_normal(np.shape(f(*inputs)))", "rng.random(np.shape(f(*inputs)))")))
wrong("rule_is_right", "absolute", "An absolute threshold accuses rules whose numbers are large: make it relative.",
      source=changed(RULE, (ALLOWED, "1e-5 + rounding(ahead[:0], h)")))
wrong("rule_is_right", "tiny_passes", "A wrong sign passes, at least where all numbers are near 1e-9. Does the threshold shrink with the numbers, and do they keep their signs?",
      source=changed(RULE, (ALLOWED, ALLOWED + " + 1e-7")))
wrong("rule_is_right", "relative_only", "Where f is far from 0, rounding is more than 1e-5 of the slope, and you accuse right rules: allow for it.",
      source=changed(RULE, (ALLOWED, "1e-5 * abs(slope)")))
wrong("rule_is_right", "strict", "Of a constant both sides are 0: 0 < 0 is False, and 0 / 0 is no number. Multiply, and use <=.",
      source=changed(RULE, ("<= 1e-5", "< 1e-5")))
wrong("rule_is_right", "nan_passes", "No comparison with NaN is True, so `not (... > ...)` lets it pass.",
      source=changed(RULE, ("bool(abs(given - slope) <= " + ALLOWED + ")", "not abs(given - slope) > " + ALLOWED)))
wrong("rule_is_right", "infinity_passes", "Relative to the larger of the two, infinity is near to everything: inf <= 1e-5 * inf is True.",
      source=changed(RULE, ("1e-5 * abs(slope)", "1e-5 * max(abs(given), abs(slope))")))
wrong("rule_is_right", "no_abs", "A gradient that is too small passes: the difference needs its size, `abs`.",
      source=changed(RULE, ("abs(given - slope) <=", "given - slope <=")))
wrong("rule_is_right", "first_input", "Only the first input moves in your test.",
      source=changed(RULE, ("    ahead", "    vs = [vs[0], *[0 * v for v in vs[1:]]]\n    ahead")))
wrong("rule_is_right", "tiny_step", "With so small a step, rounding is larger than your threshold.",
      source=changed(RULE, ("1e-6, rng", "1e-13, rng")))
wrong("rule_is_right", "large_step", "Where a function bends strongly, your difference is off by more than you allow: does it go to both sides, and is h near 1e-6?",
      source=changed(RULE, ("1e-6, rng", "1e-2, rng")))
wrong("rule_is_right", "thousandth", "Where a function bends strongly, your difference is off by more than you allow: does it go to both sides, and is h near 1e-6?",
      source=changed(RULE, ("1e-6, rng", "1e-3, rng")))
wrong("rule_is_right", "forward", "Where a function bends strongly, your difference is off by more than you allow: does it go to both sides, and is h near 1e-6?", source=changed(RULE, ("x - h * v for", "x for"), ("(2 * h)", "h")))
wrong("rule_is_right", "one_v", "All inputs move along the same v in your test: draw one for each input.",
      source=changed(RULE, ("    vs = [rng.standard_normal(x.shape) for x in inputs]\n", "    vs = [rng.standard_normal(inputs[0].shape)] * len(inputs)\n")))
wrong("rule_is_right", "u_like_an_input", "u weighs the outputs: draw it in the shape of the output, which need not be that of an input.",
      source=changed(RULE, ("np.shape(f(*inputs))", "inputs[0].shape")))
wrong("rule_is_right", "signs_of_a_gradient_lost", "Two numbers of opposite sign agree in your test: subtract first, then take the size.",
      source=changed(RULE, ("abs(given - slope)", "abs(abs(given) - abs(slope))")))
wrong("rule_is_right", "rounding_of_the_slope", "What is rounded is each output, and not the slope: give `rounding` the weighed outputs.",
      source=changed(RULE, ("rounding(u * ahead, h)", "rounding(slope, h)")))
right("rule_is_right", "positive_v", source=changed(RULE, ("rng.standard_normal(x.shape)", "rng.random(x.shape)")))
wrong("rule_is_right", "plus_or_minus_one", "±1 is too few directions where an input has two entries: draw other numbers.",
      source=changed(RULE, ("rng.standard_normal(np.shape(f(*inputs)))", "rng.choice([-1.0, 1.0], np.shape(f(*inputs)))"), ("rng.standard_normal(x.shape)", "rng.choice([-1.0, 1.0], x.shape)")))
wrong("rule_is_right", "rule_of_ones", "The rule gets another g than the u that weighs the outputs: give it u.",
      source=changed(RULE, ("rule(u, *inputs)", "rule(np.ones_like(u), *inputs)")))
wrong("rule_is_right", "own_inputs", "This tests at other inputs than those that are given: a function need not be defined there, and a fault need not show.",
      source=changed(RULE, ("    h, u", "    inputs = [rng.standard_normal(x.shape) for x in inputs]\n    h, u")))
wrong("rule_is_right", "own_positive_inputs", "This tests at other inputs than those that are given: a function need not be defined there, and a fault need not show.",
      source=changed(RULE, ("    h, u", "    inputs = [rng.uniform(0.5, 1.5, x.shape) for x in inputs]\n    h, u")))
wrong("rule_is_right", "sizes", "A gradient with the right numbers in another shape passes: compare the shapes.",
      source=changed(RULE, ("[np.shape(grad) for grad in grads] != [x.shape for x in inputs]", "[np.size(grad) for grad in grads] != [x.size for x in inputs]")))
wrong("rule_is_right", "zero_or_one", "No number of u is negative, so a rule that forgets the signs of g looks right: draw both signs.",
      source=changed(RULE, ("rng.standard_normal(np.shape(f(*inputs)))", "rng.integers(0, 2, np.shape(f(*inputs)))")))
wrong("rule_is_right", "last_gradient", "Right rules are accused: do the gradients of all inputs count, each with its own v?",
      source=changed(RULE, ("given = sum((grad * v).sum() for grad, v in zip(grads, vs))", "given = (grads[-1] * vs[-1]).sum()")))
wrong("rule_is_right", "empties", "The inputs are not what they were: your test may not change them.",
      source=changed(RULE, ("    return bool(", "    inputs.clear()\n    return bool(")))
wrong("rule_is_right", "in_place", "`x += h * v` writes into the caller's arrays: make new ones.",
      source=changed(RULE, ("    ahead = f(*[x + h * v for x, v in zip(inputs, vs)])\n    behind = f(*[x - h * v for x, v in zip(inputs, vs)])\n",
                            "    for x, v in zip(inputs, vs):\n        x += h * v\n    ahead = f(*inputs)\n    for x, v in zip(inputs, vs):\n        x -= 2 * h * v\n    behind = f(*inputs)\n")))
wrong("rule_is_right", "flattened", "A gradient with the right numbers in another shape passes: compare the shapes.",
      source=changed(RULE, (SHAPES, ""), ("(grad * v).sum()", "np.dot(np.ravel(grad), v.ravel())")))
wrong("rule_is_right", "room_for_faults", "Where outputs are far from 0, you allow more than rounding, and faults of 2 % pass.",
      source=changed(RULE, ("rounding(u * ahead, h)", "1e-6 * np.abs(u * ahead).sum()")))
wrong("rule_is_right", "loose", "So large a tolerance lets most faults pass.", source=changed(RULE, ("1e-5 *", "0.5 *")))
wrong("rule_is_right", "one_percent_of_the_slope", "A hundredth is too much: faults begin at 0.3 %.", source=changed(RULE, ("1e-5 *", "0.01 *")))
wrong("rule_is_right", "prints", "Return True or False.", source=changed(RULE, ("    return bool(", "    print(")))


@right("rule_is_right", "three_directions")
def rule_is_right(f, rule, inputs, rng):
    for _ in range(3):
        out = f(*inputs)
        u = rng.uniform(-1, 1, out.shape)
        vs = [rng.normal(size=x.shape) for x in inputs]
        grads = rule(u, *inputs)
        for x, grad in zip(inputs, grads, strict=True):
            if grad is None or grad.shape != x.shape or not np.isfinite(grad).all():
                return False
        h = 1e-5
        there, back = (f(*[x + s * v for x, v in zip(inputs, vs)]) for s in (h, -h))
        slope = np.vdot(u, there - back) / (2 * h)
        given = sum(np.vdot(grad, v) for grad, v in zip(grads, vs))
        if not np.isclose(slope, given, rtol=1e-4, atol=5e-10 * np.abs(u * there).sum()):
            return False
    return True


@right("rule_is_right", "raises_when_wrong")
def rule_is_right(f, rule, inputs, rng):
    u = rng.standard_normal(f(*inputs).shape)
    grads = [np.asarray(g, dtype=float) for g in rule(u, *inputs)]
    vs = [rng.standard_normal(x.shape) for x in inputs]
    assert [g.shape for g in grads] == [x.shape for x in inputs]
    moved = [f(*[x + s * v for x, v in zip(inputs, vs)]) for s in (1e-6, -1e-6)]
    slope = (u * (moved[0] - moved[1])).sum() / 2e-6
    size = 1e-9 * abs(u * moved[0]).sum()
    np.testing.assert_allclose(sum((g * v).sum() for g, v in zip(grads, vs)), slope, rtol=1e-4, atol=size)
    return True


@right("rule_is_right", "every_entry")
def rule_is_right(f, rule, inputs, rng):
    u = rng.standard_normal(f(*inputs).shape)
    grads = rule(u, *inputs)
    for k, (x, grad) in enumerate(zip(inputs, grads)):
        if np.shape(grad) != x.shape:
            return False
        slopes = np.zeros(x.shape)
        for i in np.ndindex(*x.shape):
            moved = []
            for h in (1e-6, -1e-6):
                y = x.copy()
                y[i] += h * max(1.0, abs(x[i]))
                moved.append(f(*inputs[:k], y, *inputs[k + 1 :]))
            slopes[i] = (u * (moved[0] - moved[1])).sum() / (2e-6 * max(1.0, abs(x[i])))
        size = 1e-4 * np.abs(slopes).max() + 1e-9 * np.abs(u * f(*inputs)).sum()
        if not np.all(np.abs(slopes - grad) <= size):
            return False
    return True


wrong("rule_is_right", "one_in_a_thousand", "That is too loose: of two gradients a fault in the smaller one is a small part of the slope. Allow 1e-5 of it.",
      source=changed(RULE, ("1e-5 * abs(slope)", "1e-3 * abs(slope)")))


# -- draw_inputs ------------------------------------------------------------------------------------------------------

DRAW = """
def draw_inputs(rng):
    n, k, m = rng.integers(1, 7, 3)
    return rng.standard_normal((n, k)), rng.standard_normal((k, m)), rng.standard_normal(m)
"""
DRAWN = "rng.standard_normal((n, k)), rng.standard_normal((k, m)), rng.standard_normal(m)"

wrong("draw_inputs", "thousands", "The numbers are too large: draw them around 0, a few units in size.",
      source=changed(DRAW, (DRAWN, "1000 * rng.standard_normal((n, k)), rng.standard_normal((k, m)), rng.standard_normal(m)")))
wrong("draw_inputs", "square", "All sizes are the same, so a rule that confuses them looks right.",
      source=changed(DRAW, ("n, k, m = rng.integers(1, 7, 3)", "n = k = m = rng.integers(2, 7)")))
wrong("draw_inputs", "square_of_any_size", "All sizes are the same, so a rule that confuses them looks right.",
      source=changed(DRAW, ("n, k, m = rng.integers(1, 7, 3)", "n = k = m = rng.integers(1, 10)")))
wrong("draw_inputs", "square_up_to_nine", "All sizes are the same, so a rule that confuses them looks right.",
      source=changed(DRAW, ("n, k, m = rng.integers(1, 7, 3)", "n = k = m = rng.integers(2, 10)")))
wrong("draw_inputs", "one_shape", "One shape for all: a loop that stops at the smaller of two sizes is wrong only if the other one is larger.",
      source=changed(DRAW, ("rng.integers(1, 7, 3)", "5, 4, 3")))
wrong("draw_inputs", "sorted_sizes", "Your sizes are always in the same order, and the faults of the other order hide.",
      source=changed(DRAW, ("rng.integers(1, 7, 3)", "sorted(rng.integers(1, 7, 3))")))
wrong("draw_inputs", "one_row", "With one row a sum over rows, a mean and the first row are the same.",
      source=changed(DRAW, ("    return", "    n = 1\n    return")))
wrong("draw_inputs", "one_column", "With one column a sum over columns, a mean and the first column are the same.",
      source=changed(DRAW, ("    return", "    m = 1\n    return")))
wrong("draw_inputs", "positive", "All numbers are positive, so relu does nothing, and a forgotten sign does no harm.",
      source=changed(DRAW, (DRAWN, "rng.random((n, k)), rng.random((k, m)), rng.random(m)")))
wrong("draw_inputs", "negative_b", "relu stops everything: all gradients are 0, in right rules and in wrong ones.",
      source=changed(DRAW, (DRAWN, DRAWN + " - 100")))
wrong("draw_inputs", "large_b", "b is so large that relu stops nothing.", source=changed(DRAW, (DRAWN, DRAWN + " + 100")))
wrong("draw_inputs", "ones", "All numbers are equal, so that a mean, a first row and a reversed row are the same.",
      source=changed(DRAW, (DRAWN, "np.ones((n, k)), np.ones((k, m)), np.ones(m)")))
wrong("draw_inputs", "equal_rows", "All rows of x are equal.",
      source=changed(DRAW, (DRAWN, "np.tile(rng.standard_normal(k), (n, 1)), rng.standard_normal((k, m)), rng.standard_normal(m)")))
wrong("draw_inputs", "no_b", "b is 0: then nobody sees whether relu looked at it.",
      source=changed(DRAW, (DRAWN, "rng.standard_normal((n, k)), rng.standard_normal((k, m)), np.zeros(m)")))
wrong("draw_inputs", "positive_w", "w is positive, so a forgotten sign in it does no harm.",
      source=changed(DRAW, (DRAWN, "rng.standard_normal((n, k)), np.abs(rng.standard_normal((k, m))), rng.standard_normal(m)")))
wrong("draw_inputs", "positive_x", "x is positive, so a forgotten sign in it does no harm.",
      source=changed(DRAW, (DRAWN, "np.abs(rng.standard_normal((n, k))), rng.standard_normal((k, m)), rng.standard_normal(m)")))
wrong("draw_inputs", "negative_w", "w is never positive, and what a rule does with positive numbers hides.",
      source=changed(DRAW, (DRAWN, "rng.standard_normal((n, k)), -rng.random((k, m)), rng.standard_normal(m)")))
wrong("draw_inputs", "positive_b", "b is never negative, so a forgotten sign of it does no harm.",
      source=changed(DRAW, (DRAWN, "rng.standard_normal((n, k)), rng.standard_normal((k, m)), rng.random(m)")))
wrong("draw_inputs", "integers", "Some sum x @ w + b is 0 here, where relu has its kink: draw numbers that are not whole.",
      source=changed(DRAW, (DRAWN, "rng.integers(-3, 4, (n, k)), rng.integers(-3, 4, (k, m)), rng.integers(-3, 4, m)")))
wrong("draw_inputs", "w_transposed", "w is (k, m): as many rows as x has columns.",
      source=changed(DRAW, ("(k, m))", "(m, k))")))
NEVER_ONE = "n is never 1, so a rule that goes wrong at a single row looks right: let sizes begin at 1."
wrong("draw_inputs", "never_one_row", NEVER_ONE,
      source=changed(DRAW, ("rng.integers(1, 7, 3)", "rng.integers(2, 7, 3)")))
wrong("draw_inputs", "two_or_three", NEVER_ONE,
      source=changed(DRAW, ("rng.integers(1, 7, 3)", "rng.integers(2, 4, 3)")))
wrong("draw_inputs", "b_alike", "All entries of b are equal, so a rule that takes one for another looks right.",
      source=changed(DRAW, (DRAWN, "rng.standard_normal((n, k)), rng.standard_normal((k, m)), np.full(m, rng.standard_normal())")))
wrong("draw_inputs", "w_of_ones", "Every entry of w is 1 or -1, so a rule that takes its sign for it looks right.",
      source=changed(DRAW, (DRAWN, "rng.standard_normal((n, k)), rng.choice([-1.0, 1.0], (k, m)), rng.standard_normal(m)")))
wrong("draw_inputs", "tiny_w", "x @ w is so small beside b that b alone decides what relu stops: draw w as large as x.",
      source=changed(DRAW, (DRAWN, "rng.standard_normal((n, k)), 0.001 * rng.standard_normal((k, m)), rng.standard_normal(m)")))
wrong("draw_inputs", "empty", "A size may not be 0.", source=changed(DRAW, ("rng.integers(1, 7, 3)", "rng.integers(0, 7, 3)")))
wrong("draw_inputs", "b_as_a_row", "b has one axis, (m,).",
      source=changed(DRAW, (DRAWN, "rng.standard_normal((n, k)), rng.standard_normal((k, m)), rng.standard_normal((1, m))")))
wrong("draw_inputs", "own_seed", "A generator of your own begins anew at each call, so all inputs are the same: use `rng`.",
      source=changed(DRAW, ("    n, k, m", "    rng = np.random.default_rng(1)\n    n, k, m")))


wrong("draw_inputs", "three_by_three", "All sizes are 3, so a rule that confuses them looks right.",
      source=changed(DRAW, ("n, k, m = rng.integers(1, 7, 3)", "n = k = m = 3")))

right("draw_inputs", "small_w", source=changed(DRAW, (DRAWN, "rng.standard_normal((n, k)), 0.1 * rng.standard_normal((k, m)), 0.1 * rng.standard_normal(m)")))


@right("draw_inputs", "uniform")
def draw_inputs(rng):
    n, k, m = (int(rng.integers(1, 10)) for _ in range(3))
    x, w = rng.uniform(-2, 2, (n, k)), rng.uniform(-1, 1, (k, m))
    return [x, w, rng.uniform(-1, 1, m)]


@right("draw_inputs", "distinct_sizes")
def draw_inputs(rng):
    n, k, m = rng.permutation([1, 3, 5])
    w = rng.standard_normal((m, k)).T
    return rng.standard_normal((n, k)), w, rng.normal(0, 0.5, m)


wrong("draw_inputs", "never_one_column", "k or m is never 1, so a rule that goes wrong at a single column looks right: let all sizes begin at 1.",
      source=changed(DRAW, ("n, k, m = rng.integers(1, 7, 3)", "n, k, m = rng.integers(1, 10), *rng.integers(2, 10, 2)")))


@wrong("draw_inputs", "all_positive", "All numbers are positive here, so that x @ w + b never falls below 0, and relu has nothing to cut off. Draw both signs.")
def draw_inputs(rng):
    n, k, m = rng.integers(1, 10, 3)
    return rng.random((n, k)), rng.random((k, m)), rng.random(m)


wrong("draw_inputs", "drawn_as_a_default", "All inputs have the same sizes: a default is computed once, when the function is made. Draw n, k and m in each call.", source="""
def draw_inputs(rng, sizes=np.random.default_rng(7).integers(1, 10, 3)):
    n, k, m = sizes
    return rng.standard_normal((n, k)), rng.standard_normal((k, m)), rng.standard_normal(m)
""")


# -- dot_product_test -------------------------------------------------------------------------------------------------

DOT = """
def dot_product_test(jvp, vjp, inputs, rng):
    vs = [rng.standard_normal(x.shape) for x in inputs]
    forward = jvp(inputs, vs)
    u = rng.standard_normal(np.shape(forward))
    a = (u * forward).sum()
    b = sum((grad * v).sum() for grad, v in zip(vjp(inputs, u), vs))
    return bool(abs(a - b) <= 1e-10 * min(abs(a), abs(b)))
"""

wrong("dot_product_test", "always", "It asks nothing, so it says the same of every pair.",
      source="def dot_product_test(jvp, vjp, inputs, rng):\n    return True")
wrong("dot_product_test", "never", "It asks nothing, so it says the same of every pair.",
      source="def dot_product_test(jvp, vjp, inputs, rng):\n    return False")
wrong("dot_product_test", "loose", "That is too loose: faults begin at a millionth, and rounding is only about 1e-15.",
      source=changed(DOT, ("1e-10", "1e-5")))
wrong("dot_product_test", "exact", "Two sums of the same numbers in another order differ by rounding, about 1e-15 of a side: leave room for it.",
      source=changed(DOT, ("abs(a - b) <= 1e-10 * min(abs(a), abs(b))", "a == b")))
wrong("dot_product_test", "absolute", "A threshold that is the same for all accuses right pairs where numbers are near 1e9: make it relative.",
      source=changed(DOT, (" * min(abs(a), abs(b))", "")))
wrong("dot_product_test", "tiny_passes", "Where all numbers are near 1e-12, this allows too much: the threshold has to shrink with them, so nothing absolute belongs to it.",
      source=changed(DOT, ("min(abs(a), abs(b))", "min(abs(a), abs(b)) + 1e-12")))
wrong("dot_product_test", "absolute_1e_14", "Where all numbers are tiny, this allows too much: the threshold has to shrink with them, so nothing absolute belongs to it.",
      source=changed(DOT, ("min(abs(a), abs(b))", "min(abs(a), abs(b)) + 1e-14")))
wrong("dot_product_test", "own_inputs", "This tests at other inputs than those that are given: a function need not be defined there.",
      source=changed(DOT, ("    vs =", "    inputs = [rng.standard_normal(x.shape) for x in inputs]\n    vs =")))
wrong("dot_product_test", "u_of_ones", "u is all ones: errors that cancel in sum hide.",
      source=changed(DOT, ("rng.standard_normal(np.shape(forward))", "np.ones(np.shape(forward))")))
wrong("dot_product_test", "along_ones", "All v are ones: errors that cancel in sum hide.",
      source=changed(DOT, ("rng.standard_normal(x.shape)", "np.ones(x.shape)")))
wrong("dot_product_test", "strict", "Of a constant both sides are 0: 0 < 0 is False, and 0 / 0 is no number. Multiply, and use <=.", source=changed(DOT, ("<= 1e-10", "< 1e-10")))
wrong("dot_product_test", "no_abs", "One side may be larger than the other: `abs`.", source=changed(DOT, ("abs(a - b)", "(a - b)")))
wrong("dot_product_test", "nan_passes", "No comparison with NaN is True, so `not (... > ...)` lets it pass.",
      source=changed(DOT, ("bool(abs(a - b) <= 1e-10 * min(abs(a), abs(b)))", "not abs(a - b) > 1e-10 * min(abs(a), abs(b))")))
wrong("dot_product_test", "infinity_passes", "An infinite side allows everything: inf <= 1e-10 * inf is True. Take the smaller side, or look whether both are finite.",
      source=changed(DOT, ("min(abs(a), abs(b))", "abs(a)")))
wrong("dot_product_test", "infinity_passes_both_ways", "An infinite side allows everything: inf <= 1e-10 * inf is True. Take the smaller side, or look whether both are finite.",
      source=changed(DOT, ("min(abs(a), abs(b))", "max(abs(a), abs(b))")))
wrong("dot_product_test", "other_vs", "Right pairs are accused. Are both sides sums, over all inputs and with the same v, and has rounding room, about 1e-15 of a side?",
      source=changed(DOT, ("zip(vjp(inputs, u), vs))", "zip(vjp(inputs, u), [rng.standard_normal(x.shape) for x in inputs]))")))
wrong("dot_product_test", "mean", "Right pairs are accused. Are both sides sums, over all inputs and with the same v, and has rounding room, about 1e-15 of a side?",
      source=changed(DOT, ("(u * forward).sum()", "(u * forward).mean()")))
wrong("dot_product_test", "empties", "The inputs are not what they were: your test may not change them.",
      source=changed(DOT, ("    return bool(", "    inputs.clear()\n    return bool(")))
wrong("dot_product_test", "first_input", "The right side is a sum over all inputs, and here one gradient counts.",
      source=changed(DOT, ("sum((grad * v).sum() for grad, v in zip(vjp(inputs, u), vs))", "(vjp(inputs, u)[0] * vs[0]).sum()")))
wrong("dot_product_test", "differences", "This asks no vjp: <u, Jv> is compared with itself.",
      source=changed(DOT, ("    b = sum((grad * v).sum() for grad, v in zip(vjp(inputs, u), vs))\n", "    b = (jvp(inputs, vs) * u).sum()\n")))
wrong("dot_product_test", "one_v_a_shape", "Inputs of one shape move along the same v in your test, so their gradients may be exchanged: draw one for each input.",
      source=changed(DOT, ("    vs = [rng.standard_normal(x.shape) for x in inputs]\n", "    drawn = {x.shape: rng.standard_normal(x.shape) for x in inputs}\n    vs = [drawn[x.shape] for x in inputs]\n")))
wrong("dot_product_test", "positive_v", "No number of v is negative, so a Jv that forgets the signs of v looks right: draw both signs.",
      source=changed(DOT, ("rng.standard_normal(x.shape)", "rng.random(x.shape)")))
wrong("dot_product_test", "positive_u", "No number of u is negative, so a gradient that forgets the signs of u looks right: draw both signs.",
      source=changed(DOT, ("rng.standard_normal(np.shape(forward))", "rng.random(np.shape(forward))")))
wrong("dot_product_test", "positive_u_and_v", "No number of u and v is negative, so forgotten signs of either do no harm: draw both signs.",
      source=changed(DOT, ("rng.standard_normal(x.shape)", "rng.random(x.shape)"), ("rng.standard_normal(np.shape(forward))", "rng.random(np.shape(forward))")))

SHAPE_OF_U = "u weighs the outputs: draw it in the shape of Jv, which need not be that of an input."
wrong("dot_product_test", "u_like_an_input", SHAPE_OF_U,
      source=changed(DOT, ("np.shape(forward)", "inputs[0].shape")))
wrong("dot_product_test", "u_is_v", SHAPE_OF_U,
      source=changed(DOT, ("rng.standard_normal(np.shape(forward))", "vs[0]")))
wrong("dot_product_test", "one_u_a_row", "u has the shape of Jv, which may have more than one axis: `len` knows the first one only.",
      source=changed(DOT, ("np.shape(forward)", "len(forward)"), ("(u * forward).sum()", "u @ forward")))


@right("dot_product_test", "vdot")
def dot_product_test(jvp, vjp, inputs, rng):
    vs = [rng.normal(size=x.shape) for x in inputs]
    tangent = jvp(inputs, vs)
    u = rng.normal(size=tangent.shape)
    forward, back = np.vdot(u, tangent), sum(np.vdot(v, g) for v, g in zip(vs, vjp(inputs, u), strict=True))
    return np.isclose(forward, back, rtol=1e-9, atol=0)


@right("dot_product_test", "several")
def dot_product_test(jvp, vjp, inputs, rng):
    for _ in range(4):
        vs = [rng.uniform(-1, 1, x.shape) for x in inputs]
        out = jvp(inputs, vs)
        u = rng.uniform(-1, 1, out.shape)
        left = float((out * u).sum())
        right = sum(float((g * v).sum()) for g, v in zip(vjp(inputs, u), vs))
        if left != right and not abs(left - right) < 1e-9 * abs(right):
            return False
    return True


wrong("dot_product_test", "a_millionth", "That is too loose: faults begin at a millionth, and rounding is only about 1e-15.",
      source=changed(DOT, ("1e-10 * min", "1e-6 * min")))


@wrong("dot_product_test", "vs_once", "The second side is 0: `vs` is a generator, and the first use has taken all from it. Make it a list.")
def dot_product_test(jvp, vjp, inputs, rng):
    vs = (rng.standard_normal(np.shape(x)) for x in inputs)
    forward = jvp(inputs, vs)
    u = rng.standard_normal(np.shape(forward))
    a = float((u * forward).sum())
    b = sum(float((g * v).sum()) for g, v in zip(vjp(inputs, u), vs))
    if not (np.isfinite(a) and np.isfinite(b)):
        return False
    return bool(abs(a - b) <= 1e-10 * max(abs(a), abs(b)))


@wrong("dot_product_test", "generator_used_up", "The right side is 0 here: a generator can be walked along once, and jvp has used it up. Make a list of the vs.")
def dot_product_test(jvp, vjp, inputs, rng):
    vs = (rng.standard_normal(x.shape) for x in inputs)
    forward = jvp(inputs, vs)
    u = rng.standard_normal(forward.shape)
    a = (u * forward).sum()
    b = sum((grad * v).sum() for grad, v in zip(vjp(inputs, u), vs))
    if not (np.isfinite(a) and np.isfinite(b)):
        return False
    return bool(abs(a - b) <= 1e-10 * max(abs(a), abs(b)))


# -- random_program ---------------------------------------------------------------------------------------------------

PROGRAM = """
def random_program(rng):
    program = []
    for position in range(3, 11):
        name = str(rng.choice(list(OPERATIONS)))
        operands = [position - 1]
        if OPERATIONS[name][0] == 2:
            operands.append(int(rng.integers(position)))
            rng.shuffle(operands)
        program.append((name, *operands))
    return program
"""

wrong("random_program", "always_left", "The newest value is always on the left, so an engine that mixes operands up looks right.",
      source=changed(PROGRAM, ("            rng.shuffle(operands)\n", "")))
wrong("random_program", "always_right", "The newest value is always on the right, so an engine that mixes operands up looks right.",
      source=changed(PROGRAM, ("            rng.shuffle(operands)\n", "            operands.reverse()\n")))
wrong("random_program", "never_itself", "No step uses one value twice, as x · x does.",
      source=changed(PROGRAM, ("rng.integers(position)", "rng.integers(position - 1)")))
wrong("random_program", "inputs_only", "Beside the newest value there are only inputs: no made value is ever used twice.",
      source=changed(PROGRAM, ("rng.integers(position)", "rng.integers(3)")))
wrong("random_program", "a_chain", "Beside the newest value there is only the one before it: nothing old is used again.",
      source=changed(PROGRAM, ("rng.integers(position)", "rng.integers(position - 2, position)")))
wrong("random_program", "anything", "Some steps do not reach the result. What is not used is not tested.",
      source=changed(PROGRAM, ("operands = [position - 1]", "operands = [int(rng.integers(position))]")))
wrong("random_program", "the_same", "Each call gives the same program: draw from `rng`.",
      source=changed(PROGRAM, ("    program = []", "    rng = np.random.default_rng(0)\n    program = []")))
wrong("random_program", "a_constant", "Each call gives the same program: draw from `rng`.", source="""
def random_program(rng):
    return [("mul", 0, 1), ("sin", 3), ("add", 4, 2), ("mul", 5, 5), ("tanh", 6), ("sub", 3, 7), ("add", 8, 0), ("mul", 9, 5)]
""")
wrong("random_program", "seven", "A program has 8 steps: positions 3 to 10.", source=changed(PROGRAM, ("range(3, 11)", "range(3, 10)")))
wrong("random_program", "nine", "A program has 8 steps: positions 3 to 10.", source=changed(PROGRAM, ("range(3, 11)", "range(3, 12)")))
wrong("random_program", "ahead", "A step can use only values that are there: positions below its own.",
      source=changed(PROGRAM, ("rng.integers(position)", "rng.integers(position + 1)")))
wrong("random_program", "two_names", "Some operation never occurs, so its rule is not tested.",
      source=changed(PROGRAM, ("list(OPERATIONS)", '["add", "mul", "sin"]')))
wrong("random_program", "binary_only", "Some operation never occurs, so its rule is not tested.",
      source=changed(PROGRAM, ("list(OPERATIONS)", '["add", "sub", "mul"]')))
wrong("random_program", "two_operands", "tanh and sin take one operand.", source=changed(PROGRAM, ("if OPERATIONS[name][0] == 2", "if True")))

wrong("random_program", "from_zero", "The inputs have the positions 0, 1 and 2, so the first step makes value 3: count from there.",
      source=changed(PROGRAM, ("range(3, 11)", "range(1, 9)")))
wrong("random_program", "last_input_only", "Some input is never used, so what it gets is not tested: the other operand may be any earlier value.",
      source=changed(PROGRAM, ("rng.integers(position)", "rng.integers(2, position)")))
wrong("random_program", "sub_in_order", "In sub the newest value is always on the same side, so an engine that mixes its operands up looks right.",
      source=changed(PROGRAM, ("            rng.shuffle(operands)\n", '            if name != "sub":\n                rng.shuffle(operands)\n')))
wrong("random_program", "twice_in_mul_only", "Only mul uses one value twice: let x + x and x - x occur, too.",
      source=changed(PROGRAM, ("rng.integers(position)", 'rng.integers(position if name == "mul" else position - 1)')))


@right("random_program", "backwards")
def random_program(rng):
    steps, names = [], sorted(OPERATIONS)
    for k in range(8):
        name = names[rng.integers(5)]
        newest = 2 + k
        if OPERATIONS[name][0] == 1:
            steps.append((name, newest))
        elif rng.random() < 0.5:
            steps.append((name, newest, int(rng.choice(newest + 1))))
        else:
            steps.append((name, int(rng.choice(newest + 1)), newest))
    return steps


@right("random_program", "until_nothing_is_wasted")
def random_program(rng):
    while True:
        program, used = [], set()
        for position in range(3, 11):
            name = str(rng.choice(list(OPERATIONS)))
            count = OPERATIONS[name][0]
            idle = [i for i in range(3, position) if i not in used]
            first = int(rng.choice(idle)) if idle and rng.random() < 0.85 else int(rng.integers(position))
            operands = [first] if count == 1 else [first, int(rng.integers(position))]
            if rng.random() < 0.5:
                operands = operands[::-1]
            used.update(operands)
            program.append((name, *operands))
        reached = {10}
        for position in range(10, 2, -1):
            if position in reached:
                reached.update(program[position - 3][1:])
        if set(range(3, 11)) <= reached:
            return program


wrong("random_program", "only_sub_in_either_order", "In add and mul the newest value is always on the same side, so an engine that mixes operands up there looks right.",
      source=changed(PROGRAM, ("            rng.shuffle(operands)\n", '            if name == "sub":\n                rng.shuffle(operands)\n')))
wrong("random_program", "one_list_for_all", "Each call fills the same list again, so that the programs before become the newest one: begin a new list in each call.",
      source=changed(PROGRAM, ("def random_program", "PROGRAM = []\n\n\ndef random_program"), ("    program = []\n", "    program = PROGRAM\n    program.clear()\n")))
wrong("random_program", "kept_from_call_to_call", "The list is kept from call to call, for a default argument is made once: begin a new list in each call.",
      source=changed(PROGRAM, ("(rng)", "(rng, program=[])"), ("    program = []\n", "")))


# -- first_wrong_layer ------------------------------------------------------------------------------------------------

LAYER = """
def first_wrong_layer(tail, values, grads, rng):
    h = 1e-6
    for k in reversed(range(len(values) - 1)):
        v = rng.standard_normal(values[k].shape)
        slope = (tail(k, values[k] + h * v) - tail(k, values[k] - h * v)) / (2 * h)
        given = (grads[k] * v).sum()
        if not abs(slope - given) <= 1e-5 * abs(slope):
            return k + 1
    return None
"""

wrong("first_wrong_layer", "off_by_one", "Layer k + 1 stands behind value k: you are one off.", source=changed(LAYER, ("return k + 1", "return k")))
wrong("first_wrong_layer", "two_off", "Layer k + 1 stands behind value k: you are one off.", source=changed(LAYER, ("return k + 1", "return k + 2")))
wrong("first_wrong_layer", "from_the_front", "From the input on, the first value has a wrong gradient already, whichever layer is wrong. Begin at the loss.",
      source=changed(LAYER, ("reversed(range(len(values) - 1))", "range(len(values) - 1)")))
wrong("first_wrong_layer", "farthest", "This gives the last wrong gradient on the way from the loss: the first one convicts.",
      source=changed(LAYER, ("    h = 1e-6", "    h, found = 1e-6, None"), ("            return k + 1\n    return None", "            found = k + 1\n    return found")))
wrong("first_wrong_layer", "never_none", "When every gradient is right, return None.", source=changed(LAYER, ("    return None", "    return 0")))
wrong("first_wrong_layer", "always_none", "It stops at the first gradient that is right, or accuses nobody: `return None` belongs behind the loop, not into it.", source="def first_wrong_layer(tail, values, grads, rng):\n    return None")
wrong("first_wrong_layer", "along_ones", "Where all entries of v are alike, entries in another order and a mean of all look right: draw as many numbers as the value has.",
      source=changed(LAYER, ("rng.standard_normal(values[k].shape)", "np.ones(values[k].shape)")))
wrong("first_wrong_layer", "nan_passes", "No comparison with NaN is True, so a gradient of NaN passes.",
      source=changed(LAYER, ("if not abs(slope - given) <= 1e-5 * abs(slope)", "if abs(slope - given) > 1e-5 * abs(slope)")))
wrong("first_wrong_layer", "next_gradient", "tail(k, ...) takes value k, so its slope is to be compared with the gradient of value k, and not with the next one.", source=changed(LAYER, ("grads[k]", "grads[k + 1]")))
wrong("first_wrong_layer", "over_h", "A right gradient is accused. Is the slope that of tail(k, ...) at value k, h v ahead and h v behind, over 2h, and compared with grads[k] along v?", source=changed(LAYER, ("/ (2 * h)", "/ h")))
wrong("first_wrong_layer", "finds_right", "A right gradient is accused. Is the slope that of tail(k, ...) at value k, h v ahead and h v behind, over 2h, and compared with grads[k] along v?", source=changed(LAYER, ("if not abs", "if abs")))
wrong("first_wrong_layer", "from_the_end", "Layers are counted from the input on: the layer behind value k has the number k + 1.", source=changed(LAYER, ("return k + 1", "return len(values) - 1 - k")))
wrong("first_wrong_layer", "first_only", "It stops at the first gradient that is right, or accuses nobody: `return None` belongs behind the loop, not into it.",
      source=changed(LAYER, ("    return None", "        return None")))
wrong("first_wrong_layer", "no_abs", "A wrong gradient passes here: is the size of the difference compared, `abs`, and with 1e-5 of the slope?", source=changed(LAYER, ("abs(slope - given)", "(slope - given)")))
wrong("first_wrong_layer", "tenth", "A wrong gradient passes here: is the size of the difference compared, `abs`, and with 1e-5 of the slope?", source=changed(LAYER, ("1e-5 * abs(slope)", "0.1")))
wrong("first_wrong_layer", "one_number", "Where all entries of v are alike, entries in another order and a mean of all look right: draw as many numbers as the value has.",
      source=changed(LAYER, ("rng.standard_normal(values[k].shape)", "rng.standard_normal()")))
wrong("first_wrong_layer", "infinity_passes", "An infinite gradient passes: inf <= 1e-5 * inf is True. Take 1e-5 of the slope.",
      source=changed(LAYER, ("1e-5 * abs(slope)", "1e-5 * abs(given)")))
wrong("first_wrong_layer", "absolute", "Something absolute is allowed, such as the 1e-8 that `np.isclose` adds unless you give `atol`. Where gradients are small, it hides faults; and alone, it accuses where they are large.",
      source=changed(LAYER, ("1e-5 * abs(slope)", "1e-4")))
wrong("first_wrong_layer", "hundred_millionth", "Something absolute is allowed, such as the 1e-8 that `np.isclose` adds unless you give `atol`. Where gradients are small, it hides faults; and alone, it accuses where they are large.",
      source=changed(LAYER, ("1e-5 * abs(slope)", "1e-8")))
wrong("first_wrong_layer", "strict", "Where a slope is 0, so is its gradient: 0 < 0 is False, and 0 / 0 is no number. Multiply, and use <=.", source=changed(LAYER, ("<= 1e-5", "< 1e-5")))
wrong("first_wrong_layer", "eats_values", "The lists are not what they were: your search may not change them.", source="""
def first_wrong_layer(tail, values, grads, rng):
    h = 1e-6
    values.pop()
    while values:
        x, k = values.pop(), len(values)
        v = rng.standard_normal(x.shape)
        slope = (tail(k, x + h * v) - tail(k, x - h * v)) / (2 * h)
        if not abs(slope - (grads[k] * v).sum()) <= 1e-5 * abs(slope):
            return k + 1
    return None
""")
wrong("first_wrong_layer", "loose", "So large a tolerance misses what is a few percent off.", source=changed(LAYER, ("1e-5 *", "0.1 *")))
wrong("first_wrong_layer", "no_loss", "The layer of the loss can be wrong, too: begin at the value before it.",
      source=changed(LAYER, ("range(len(values) - 1)", "range(len(values) - 2)")))
wrong("first_wrong_layer", "no_input", "The first layer can be wrong, too: go down to value 0.",
      source=changed(LAYER, ("range(len(values) - 1)", "range(1, len(values) - 1)")))
wrong("first_wrong_layer", "next_tail", "A right gradient is accused. Is the slope that of tail(k, ...) at value k, h v ahead and h v behind, over 2h, and compared with grads[k] along v?",
      source=changed(LAYER, ("tail(k, values[k] - h * v)", "tail(k, values[k])")))
NEITHER_TRUE = (
    "Arrays are compared here, which are neither true nor false. Is the gradient summed along v, `(grads[k] * v).sum()`? Or "
    "is tail asked with k + 1? tail(k, ...) begins with layer k + 1, and takes value k."
)
wrong("first_wrong_layer", "not_summed_along_v", NEITHER_TRUE, source=changed(LAYER, ("(grads[k] * v).sum()", "grads[k] * v")))
wrong("first_wrong_layer", "one_layer_too_far", NEITHER_TRUE,
      source=changed(LAYER, ("tail(k, values[k] + h * v) - tail(k, values[k] - h * v)", "tail(k + 1, values[k] + h * v) - tail(k + 1, values[k] - h * v)")))
wrong("first_wrong_layer", "hundredth", "A tolerance of a hundredth, or more, misses what is half a percent off.", source=changed(LAYER, ("1e-5 *", "0.01 *")))
wrong("first_wrong_layer", "absolute_1e_14", "Where gradients are near 1e-16, this allows too much: the threshold has to shrink with them, so nothing absolute belongs to it.",
      source=changed(LAYER, ("1e-5 * abs(slope)", "1e-5 * abs(slope) + 1e-14")))
wrong("first_wrong_layer", "isclose", "Where gradients are near 1e-16, this allows everything: `np.isclose` adds 1e-8 unless you give `atol`.",
      source=changed(LAYER, ("abs(slope - given) <= 1e-5 * abs(slope)", "np.isclose(given, slope, rtol=1e-5)")))


@right("first_wrong_layer", "every_entry")
def first_wrong_layer(tail, values, grads, rng):
    k = len(values) - 2
    while k >= 0:
        x, expected = values[k], np.zeros(values[k].shape)
        for i in np.ndindex(*x.shape):
            e = np.zeros(x.shape)
            e[i] = 1e-5
            expected[i] = (tail(k, x + e) - tail(k, x - e)) / 2e-5
        if not np.allclose(expected, grads[k], rtol=1e-3, atol=1e-3 * np.abs(expected).max()):
            return k + 1
        k -= 1


@right("first_wrong_layer", "all_at_once")
def first_wrong_layer(tail, values, grads, rng):
    def is_right(k):
        v = rng.uniform(-1, 1, values[k].shape)
        rise = tail(k, values[k] + 1e-5 * v) - tail(k, values[k] - 1e-5 * v)
        return np.isclose(np.vdot(grads[k], v), rise / 2e-5, rtol=1e-4, atol=0)

    wrong = [k for k in range(len(values) - 1) if not is_right(k)]
    return max(wrong) + 1 if wrong else None


CHECK_EACH = """
def first_wrong_layer(tail, values, grads, rng):
    def fits(k):
        v = rng.standard_normal(values[k].shape)
        slope = (tail(k, values[k] + 1e-6 * v) - tail(k, values[k] - 1e-6 * v)) / 2e-6
        return abs(slope - (grads[k] * v).sum()) <= 1e-5 * abs(slope)

    SEARCH
"""
wrong("first_wrong_layer", "bisects", "A wrong layer is missed. Does your search leave values out, as halving does? Two wrong layers can undo each other, and then a gradient before them is right: check each value, from the loss on.",
      source=changed(CHECK_EACH, ("SEARCH", """\
low, high = -1, len(values) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return None if low < 0 else low + 1""")))
wrong("first_wrong_layer", "input_first", "A wrong layer is missed. Does your search leave values out, as halving does? Two wrong layers can undo each other, and then a gradient before them is right: check each value, from the loss on.",
      source=changed(CHECK_EACH, ("SEARCH", """\
if fits(0):
        return None
    return next((k + 1 for k in reversed(range(len(values) - 1)) if not fits(k)), None)""")))
wrong("first_wrong_layer", "one_row_for_all", "All rows move alike along your v, so gradients whose rows are in another order look right: draw as many numbers as the value has.",
      source=changed(LAYER, ("values[k].shape)", "(1, values[k].shape[-1]))")))


@wrong("first_wrong_layer", "as_much_as_the_faults", "What may differ is as much as the faults are: 0.3 % of the slope. A fault in one entry of many moves the slope by less. A difference is right to 1e-5 here: allow no more.")
def first_wrong_layer(tail, values, grads, rng):
    h = 1e-6
    for k in reversed(range(len(values) - 1)):
        v = rng.standard_normal(np.shape(values[k]))
        slope = float(tail(k, values[k] + h * v) - tail(k, values[k] - h * v)) / (2 * h)
        given = float((grads[k] * v).sum())
        if not abs(given - slope) <= 0.003 * abs(slope):
            return k + 1
    return None


wrong("first_wrong_layer", "no_slope_no_look", "A layer is passed over here where the slope is 0. There a gradient that is not 0 is wrong: compare without a division.",
      source=changed(LAYER, ("        if not", "        if slope == 0:\n            continue\n        if not")))


# -- mended_test ------------------------------------------------------------------------------------------------------

MENDED = """
def mended_test(f, gradient, x):
    given, h = gradient(x), 1e-6
    for i in range(len(x)):
        v = np.zeros(len(x))
        v[i] = h
        slope = (f(x + v) - f(x - v)) / (2 * h)
        if not abs(slope - given[i]) <= 1e-7 + 1e-4 * abs(slope):
            return False
    return True
"""
MOVES = """
def mended_test(f, gradient, x):
    given, h = gradient(x), 1e-6
    for i in range(len(x)):
        x[i] += h
        ahead = f(x)
        x[i] -= 2 * h
        slope = (ahead - f(x)) / (2 * h)
        if not abs(slope - given[i]) <= 1e-7 + 1e-4 * abs(slope):
            return False
    return True
"""

wrong("mended_test", "the_colleague", "This is still the colleague's test: which line of its table is wrong first?", source="""
def mended_test(f, gradient, x):
    given, h = gradient(x), 1e-6
    for i in range(len(x)):
        x[i] += h
        ahead = f(x)
        x[i] -= 2 * h
        slope = (ahead - f(x)) / (2 * h)
        if slope - given[i] > 1e-5 * abs(slope):
            return False
        return True
""")
wrong("mended_test", "first_entry", "Only the first entry is looked at, as where `return True` stands inside the loop.",
      source=changed(MENDED, ("            return False\n    return True", "            return False\n        return True")))
wrong("mended_test", "no_abs", "A gradient that is too large passes: compare the size of the difference.",
      source=changed(MENDED, ("abs(slope - given[i])", "(slope - given[i])")))
wrong("mended_test", "nan_passes", "No comparison with NaN is True, so NaN passes.",
      source=changed(MENDED, ("if not abs(slope - given[i]) <= 1e-7", "if abs(slope - given[i]) > 1e-7")))
wrong("mended_test", "moved", "An entry that has been moved is not put back before the next one moves.", source=MOVES)
wrong("mended_test", "moved_there_and_back", "x is not what it was, to the last bit: adding h and subtracting it again leaves rounding behind.",
      source=changed(MOVES, ("        slope =", "        behind = f(x)\n        x[i] += h\n        slope ="), ("(ahead - f(x))", "(ahead - behind)")))
wrong("mended_test", "stays_moved_where_wrong", "x has changed where the test says False: it moved, and `return False` came before it was put back. `moved = x` is no copy.", source="""
def mended_test(f, gradient, x):
    given, h = gradient(x), 1e-6
    for i in range(len(x)):
        moved, start = x, x[i]
        moved[i] = start + h
        ahead = f(moved)
        moved[i] = start - h
        slope = (ahead - f(moved)) / (2 * h)
        if not abs(slope - given[i]) <= 1e-7 + 1e-4 * abs(slope):
            return False
        moved[i] = start
    return True
""")
wrong("mended_test", "relative_only_as_before", "An entry that is 0 has no relative error: allow a little absolute one.",
      source=changed(MENDED, ("1e-7 + 1e-4 * abs(slope)", "1e-5 * abs(slope)")))
wrong("mended_test", "relative_only", "Right gradients are accused. Does one entry move at a time, is the rise divided by 2h, with a small h, and is there room for rounding?",
      source=changed(MENDED, ("1e-7 + 1e-4 * abs(slope)", "1e-10 * abs(slope)")))
wrong("mended_test", "infinity_passes", "Relative to the gradient itself, infinity is near to everything: inf <= 1e-4 * inf is True. Take a part of the slope.",
      source=changed(MENDED, ("1e-4 * abs(slope)", "1e-4 * max(abs(slope), abs(given[i]))")))
wrong("mended_test", "absolute", "A threshold that is the same for all entries misses faults in small ones.", source=changed(MENDED, ("1e-7 + 1e-4 * abs(slope)", "0.1")))
wrong("mended_test", "absolute_1e_14", "A right gradient is accused where an entry is 0 and f is rounded: rounding over 2h is about 1e-9 there, so allow more.",
      source=changed(MENDED, ("1e-7 +", "1e-14 +")))
right("mended_test", "one_percent_of_the_slope", source=changed(MENDED, ("1e-4 *", "0.01 *")))
wrong("mended_test", "hundredth", "A threshold that is the same for all entries misses faults in small ones.", source=changed(MENDED, ("1e-7 + 1e-4 * abs(slope)", "1e-2")))
wrong("mended_test", "all_entries", "Right gradients are accused. Does one entry move at a time, is the rise divided by 2h, with a small h, and is there room for rounding?", source=changed(MENDED, ("v[i] = h", "v[:] = h")))
wrong("mended_test", "large_step", "Right gradients are accused. Does one entry move at a time, is the rise divided by 2h, with a small h, and is there room for rounding?", source=changed(MENDED, ("gradient(x), 1e-6", "gradient(x), 0.1")))
wrong("mended_test", "thousandth", "Where a function bends strongly, your difference is off by more than you allow: is h near 1e-6, and do you allow a part of the slope?",
      source=changed(MENDED, ("gradient(x), 1e-6", "gradient(x), 1e-3")))
wrong("mended_test", "divided", "An entry that is 0 has no relative error: allow a little absolute one.",
      source=changed(MENDED, ("abs(slope - given[i]) <= 1e-7 + 1e-4 * abs(slope)", "abs(slope - given[i]) / abs(slope) <= 1e-4")))
wrong("mended_test", "last_only", "Only the last entry is compared, as where the comparison stands behind the loop.",
      source=changed(MENDED, ("        if not abs", "    if not abs"), ("            return False", "        return False")))
wrong("mended_test", "stays_moved", "An entry that has been moved is not put back before the next one moves.", source="""
def mended_test(f, gradient, x):
    given, h, y = gradient(x), 1e-6, x.copy()
    for i in range(len(x)):
        y[i] += h
        ahead = f(y)
        y[i] -= 2 * h
        slope = (ahead - f(y)) / (2 * h)
        if not abs(slope - given[i]) <= 1e-7 + 1e-4 * abs(slope):
            return False
    return True
""")
wrong("mended_test", "absolute_only", "Where f is near 1e5, rounding is more than you allow: add a part of the slope.",
      source=changed(MENDED, ("1e-7 + 1e-4 * abs(slope)", "1e-7")))
wrong("mended_test", "loose", "You allow too much: faults are larger than 1 %, and some are smaller than what you allow.", source=changed(MENDED, ("1e-4 * abs", "0.1 * abs")))
wrong("mended_test", "over_h", "Right gradients are accused. Does one entry move at a time, is the rise divided by 2h, with a small h, and is there room for rounding?", source=changed(MENDED, ("/ (2 * h)", "/ h")))
wrong("mended_test", "always", "It accuses nobody.", source="def mended_test(f, gradient, x):\n    return True")
wrong("mended_test", "never", "Right gradients are accused. Does one entry move at a time, is the rise divided by 2h, with a small h, and is there room for rounding?", source="def mended_test(f, gradient, x):\n    return False")
wrong("mended_test", "last_missing", "The last entry is not looked at.", source=changed(MENDED, ("range(len(x))", "range(len(x) - 1)")))
wrong("mended_test", "any_entry", "One right entry is enough here: all have to be right.",
      source=changed(MENDED, ("if not abs", "if abs"), ("            return False\n    return True", "            return True\n    return False")))
wrong("mended_test", "in_sum", "The entries are compared in sum, where errors cancel.", source="""
def mended_test(f, gradient, x):
    slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    return bool(abs(slope - gradient(x).sum()) <= 1e-6 + 1e-4 * abs(slope))
""")

wrong("mended_test", "forward", "A right entry of 0 is accused where the function bends: go to both sides, h ahead and h behind.",
      source=changed(MENDED, ("f(x - v)", "f(x)"), ("(2 * h)", "h"), ("1e-7 + 1e-4 * abs(slope)", "1e-5 + 5e-3 * abs(slope)")))
right("mended_test", "forward_with_a_small_step", source=changed(MENDED, ("1e-6", "1e-8"), ("f(x - v)", "f(x)"), ("(2 * h)", "h"), ("1e-7 + 1e-4 * abs(slope)", "1e-5 + 5e-3 * abs(slope)")))
wrong("mended_test", "familiar_relative_error", "Where an entry is 0, rounding over 2h alone is about 1e-10, which is not small beside the 1e-8 that you divide by: allow more.",
      source=changed(MENDED, ("gradient(x), 1e-6", "gradient(x), 1e-5"), ("abs(slope - given[i]) <= 1e-7 + 1e-4 * abs(slope)", "abs(slope - given[i]) / max(1e-8, abs(slope) + abs(given[i])) < 1e-3")))
wrong("mended_test", "one_direction", "Along one direction a fault in a small entry is lost beside the large ones: move one entry at a time.", source="""
def mended_test(f, gradient, x):
    v, h = np.random.default_rng(0).standard_normal(len(x)), 1e-6
    slope = (f(x + h * v) - f(x - h * v)) / (2 * h)
    return bool(abs(slope - (gradient(x) * v).sum()) <= 1e-7 + 1e-4 * abs(slope))
""")
wrong("mended_test", "norms", "Beside the norm of all entries a fault in a small one is lost: compare each entry with a part of itself.", source="""
def mended_test(f, gradient, x):
    rows = 1e-6 * np.eye(len(x))
    slopes = np.array([(f(x + row) - f(x - row)) / 2e-6 for row in rows])
    return bool(np.linalg.norm(slopes - gradient(x)) <= 1e-7 + 1e-4 * np.linalg.norm(slopes))
""")


@right("mended_test", "puts_back")
def mended_test(f, gradient, x):
    given, h = np.array(gradient(x)), 1e-5
    slopes = np.empty(len(x))
    for i, kept in enumerate(x.copy()):
        x[i] = kept + h
        ahead = f(x)
        x[i] = kept - h
        slopes[i] = (ahead - f(x)) / (2 * h)
        x[i] = kept
    return bool(np.allclose(slopes, given, rtol=1e-3, atol=1e-6))


@right("mended_test", "identity")
def mended_test(f, gradient, x):
    rows = 1e-6 * np.eye(len(x))
    slopes = [(f(x + row) - f(x - row)) / 2e-6 for row in rows]
    return all(abs(a - b) < 1e-6 + 1e-3 * abs(a) for a, b in zip(slopes, gradient(x)))


wrong("mended_test", "step_not_set_back", "The array that moves an entry is not set back: at the second entry the first one moves still.",
      source=changed(MENDED, ("    for i in", "    v = np.zeros(len(x))\n    for i in"), ("        v = np.zeros(len(x))\n", "")))
wrong("mended_test", "a_hundredth_of_the_smallest", "The absolute tolerance is a hundredth of the smallest entry, and a fault of little more than 1 % is missed there. What is added for entries of 0 has to be far smaller.",
      source=changed(MENDED, ("1e-7 + 1e-4 * abs(slope)", "1e-3 * abs(slope) + 1e-4")))


@wrong("mended_test", "no_size_of_the_difference", "An entry that is too large passes: a difference below 0 is always smaller than a tolerance. Take its size.")
def mended_test(f, gradient, x):
    given, h = gradient(x), 1e-6
    for i in range(len(x)):
        v = np.zeros(len(x))
        v[i] = h
        slope = (f(x + v) - f(x - v)) / (2 * h)
        if not np.isfinite(given[i]):
            return False
        if slope - given[i] > 1e-5 * abs(slope) + 1e-6:
            return False
    return True


# -- engine_is_right --------------------------------------------------------------------------------------------------

ENGINE = """
def engine_is_right(Tensor, rng):
    shapes, h = [(3, 4), (4,), (3, 1), (4, 2), (4, 2)], 1e-6
    xs, vs = ([rng.standard_normal(shape) for shape in shapes] for _ in range(2))

    def loss(a, b, c, w, d):
        m = (a * b - c / (2 + b * b)).tanh() + a.exp() * c + (a - c).relu() - (c - a).relu() - 1 / (a * a + 1) + 3 * b.sin()
        rows = ((m @ w)[[0, 2, 2, 1]] + (w + d) - w.sum(axis=0)) / 9
        return rows.tanh().sum() + (m.sum(axis=0) * (3 - b) - 2).sum() - (c + c * c * c * 2).sum()

    ends = [loss(*[Tensor(x + s * v) for x, v in zip(xs, vs)]).data for s in (h, -h)]
    leaves = [Tensor(x, requires_grad=True) for x in xs]
    for times in (1, 2):
        loss(*leaves).backward()
        off = sum((x.grad.data * v).sum() for x, v in zip(leaves, vs)) - times * (ends[0] - ends[1]) / (2 * h)
        if [x.grad.data.shape for x in leaves] != shapes or not abs(off) <= 1e-5:
            return False
    return True
"""

wrong("engine_is_right", "always", "It uses nothing of the engine, so it says the same of every one.",
      source="def engine_is_right(Tensor, rng):\n    return True")
wrong("engine_is_right", "never", "It uses nothing of the engine, so it says the same of every one.",
      source="def engine_is_right(Tensor, rng):\n    return False")
wrong("engine_is_right", "one_percent_of_the_slope", "A hundredth is too much: some engines are off by half a percent.",
      source=changed(ENGINE, ("<= 1e-5:", "<= 1e-2 * abs(ends[0] - ends[1]) / (2 * h):")))
wrong("engine_is_right", "once", "backward runs once in your test. On the same leaves a second one should add.",
      source=changed(ENGINE, ("(1, 2)", "(1,)")))
wrong("engine_is_right", "along_ones", "Your direction is all ones, and errors that cancel in sum hide.",
      source=changed(ENGINE, ("    xs, vs = ([rng.standard_normal(shape) for shape in shapes] for _ in range(2))", "    xs, vs = [rng.standard_normal(shape) for shape in shapes], [np.ones(shape) for shape in shapes]")))
wrong("engine_is_right", "positive", "All your numbers are positive, and so relu and signs go untested.",
      source=changed(ENGINE, ("    xs, vs = ([rng.standard_normal(shape) for shape in shapes] for _ in range(2))", "    xs, vs = [3 + rng.random(shape) for shape in shapes], [rng.standard_normal(shape) for shape in shapes]"), ("(a - c).relu() - (c - a).relu()", "(a + c).relu()"), ("a.exp()", "(a / 9).exp()")))
wrong("engine_is_right", "no_shapes", "A gradient of another shape is stretched until it fits: compare shapes.",
      source=changed(ENGINE, ("[x.grad.data.shape for x in leaves] != shapes or not", "not")))
wrong("engine_is_right", "no_division", "Some operation does not occur in your loss.",
      source=changed(ENGINE, ("c / (2 + b * b)", "c * (2 + b * b)"), ("1 / (a * a + 1)", "(a * a + 1)"), ("/ 9", "* 0.1")))
wrong("engine_is_right", "no_index", "Some operation does not occur in your loss.", source=changed(ENGINE, ("(m @ w)[[0, 2, 2, 1]] + (w + d)", "(m @ w) + (w + d).sum(axis=0)")))
wrong("engine_is_right", "index_once", "No row is taken twice in your loss.", source=changed(ENGINE, ("[[0, 2, 2, 1]] + (w + d)", "[[2, 0, 1]] + (w + d).sum(axis=0)")))
wrong("engine_is_right", "no_left", "No plain number stands on the left in your loss.",
      source=changed(ENGINE, ("1 / (a * a + 1)", "a / (a * a + 1)"), ("(3 - b)", "(b - 3)")))
wrong("engine_is_right", "no_right", "No plain number stands on the right of a minus in your loss.", source=changed(ENGINE, ("(3 - b) - 2)", "(3 - b))")))
wrong("engine_is_right", "no_tanh", "Some operation does not occur in your loss.", source=changed(ENGINE, (").tanh()", ")"), ("rows.tanh()", "(rows * rows)")))
wrong("engine_is_right", "no_sin", "Some operation does not occur in your loss.", source=changed(ENGINE, (" + 3 * b.sin()", " + 3 * b")))
wrong("engine_is_right", "no_relu", "Some operation does not occur in your loss.", source=changed(ENGINE, (".relu()", "")))
wrong("engine_is_right", "no_number_times", "A product with a plain number on its left does not occur in your loss.", source=changed(ENGINE, ("3 * b.sin()", "b.sin()")))
wrong("engine_is_right", "no_times_number", "A product with a plain number on its right does not occur in your loss.", source=changed(ENGINE, ("c * c * c * 2", "c * c * c")))
wrong("engine_is_right", "no_plus_number", "A sum with a plain number on its right does not occur in your loss.", source=changed(ENGINE, ("(a * a + 1)", "(2 + a * a)")))
wrong("engine_is_right", "replaced", "On the same leaves a second backward adds to what is there, so the gradient is then twice as large.", source=changed(ENGINE, ("- times *", "- 1 *")))
wrong("engine_is_right", "used_once", "Each leaf is used once in your test: gradients that should add up never meet.", source="""
def engine_is_right(Tensor, rng):
    x, y = rng.standard_normal((2, 3)), rng.standard_normal((2, 3))
    a, b = Tensor(x, requires_grad=True), Tensor(y, requires_grad=True)
    for times in (1, 2):
        (a * b).sum().backward()
        if not (np.allclose(a.grad.data, times * y) and np.allclose(b.grad.data, times * x)):
            return False
    return True
""")
wrong("engine_is_right", "scalars", "Your leaves are single numbers: shapes and broadcasting go untested.", source="""
def engine_is_right(Tensor, rng):
    x, y = rng.standard_normal(2)
    a, b = Tensor(np.array(x), requires_grad=True), Tensor(np.array(y), requires_grad=True)
    for times in (1, 2):
        (a * b + a * a / (2 + b.exp())).backward()
        e = np.exp(y)
        if not np.allclose(a.grad.data, times * (y + 2 * x / (2 + e))):
            return False
        if not np.allclose(b.grad.data, times * (x - x * x * e / (2 + e) ** 2)):
            return False
    return True
""")

SMALL = """
def engine_is_right(Tensor, rng):
    def close(xs, f):
        def holds():
            vs = [rng.standard_normal(np.shape(x)) for x in xs]
            leaves = [Tensor(x, requires_grad=True) for x in xs]
            ends = [f(*[Tensor(x + s * v) for x, v in zip(xs, vs)]).data for s in (1e-6, -1e-6)]
            for times in (1, 2, 3):
                f(*leaves).backward()
                if any(leaf.grad.data.shape != np.shape(x) for leaf, x in zip(leaves, xs)):
                    return False
                given = sum((leaf.grad.data * v).sum() for leaf, v in zip(leaves, vs))
                if not np.isclose(given, times * (ends[0] - ends[1]) / 2e-6, rtol=1e-4, atol=1e-7):
                    return False
            return True
        return holds

    a, b, c = rng.standard_normal((2, 3)), rng.standard_normal((2, 3)), rng.standard_normal((1, 3))
    w, z = rng.standard_normal((3, 4)), 2 + rng.random(3)
    g = rng.standard_normal((2, 3))
    return all(test() for test in [
        close([a, b], lambda x, y: ((x + y) * g).sum() + (x * x * y).sum()),
        close([a, b], lambda x, y: ((x * y * 3).sin() * g).sum()),
        close([a, b], lambda x, y: ((2 + x - y) * (y - x) * g).sum()),
        close([a, c], lambda x, y: ((x * y + y) * (x + y)).sum()),
        close([a, z], lambda x, y: ((x / y) * g).sum() + (2 / y - y / 3).sum()),
        close([a, z], lambda x, y: ((x - y) * g).sum() + ((y + x) * (3 - x)).sum()),
        close([a, c], lambda x, y: (x / (y * y + 1) * g).sum()),
        close([a, w], lambda x, y: ((x @ y) * (x @ y).tanh()).sum()),
        close([a], lambda x: (x.exp() * x.relu() * g).sum()),
        close([a], lambda x: ((x.tanh() + x.relu() + (1 - 2 * x).relu()) * g).sum() * x.sum()),
        close([a], lambda x: ((x.relu() - x.exp()) * g).sum(axis=0).tanh().sum()),
        close([w], lambda x: (x[[2, 0, 2, 2]] * (x[[1, 1, 0, 2]] - 1)).sum(axis=0).tanh().sum()),
        close([a, b], lambda x, y: (lambda t: (t * t * x + t * y - t.tanh()).sum())(x * y)),
    ])
"""
right("engine_is_right", "many_small_losses", source=SMALL)
right("engine_is_right", "in_the_order_of_a_graph", source=changed(SMALL, ("(1, 2, 3)", "(1, 2)"), ("1e-6, -1e-6", "1e-5, -1e-5"), ("/ 2e-6", "/ 2e-5")))

PIECES = RULE + DRAW + PROGRAM + """
def engine_is_right(Tensor, rng):
    shapes = [(3, 4), (4,)]
    a, c = (rng.standard_normal(shape) for shape in shapes)
    tests = [
        (lambda x, w, b: (x @ w + b).relu(), draw_inputs(rng)),
        (lambda x, w, b: (x @ w + b).relu().sum(axis=0), draw_inputs(rng)),
        (lambda a, w: a @ w, [a, rng.standard_normal((4, 2))]),
        (lambda a, c: (a * c).sum(axis=0), [a, c]),
        (lambda a, c: a / (2 + c * c) - 1 / (1 + c * c) - (3 - a) / 2 + (a - 2) * 3 * (c * c + 4), [a, c]),
        (lambda a, c: (a - c).exp() * a[[2, 0, 2]] + a + a, [a, c]),
        (lambda a, c: (a * c).sum() * a, [a, c]),
        (lambda a, c: (lambda t: t.sin() * t - t * t.relu())(3 * a * c), [a, c]),
        (lambda a, d: (a + d) * a, [a, rng.standard_normal((3, 4))]),
        (lambda a, e: ((a + e) * (a - e)).tanh() / (2 + e * e), [a, rng.standard_normal((3, 1))]),
    ]
    for _ in range(5):
        tests.append((all_values(random_program(rng)), rng.standard_normal(3)))
    if not all(rule_is_right(*made_by(Tensor, f), xs, rng) for f, xs in tests):
        return False
    leaf, other = Tensor(a, requires_grad=True), Tensor(a[0], requires_grad=True)
    for times in (1, 2, 3):
        (leaf * leaf + other).sum().backward()
        if not (np.allclose(leaf.grad.data, 2 * a * times) and np.allclose(other.grad.data, 3.0 * times)):
            return False
    return True
"""
right("engine_is_right", "of_the_pieces", source=PIECES)
wrong("engine_is_right", "programs_only", "Some operation does not occur in your functions: programs are made of five.", source=RULE + PROGRAM + """
def engine_is_right(Tensor, rng):
    for _ in range(20):
        xs = [rng.standard_normal(3) for _ in range(3)]
        f = lambda *xs, p=random_program(rng): run_program(p, xs)[-1]
        if not rule_is_right(*made_by(Tensor, f), xs, rng):
            return False
    return True
""")
wrong("engine_is_right", "layer_only", "Some operation does not occur in your functions: a layer has a product, a sum and a relu.", source=RULE + DRAW + """
def engine_is_right(Tensor, rng):
    return rule_is_right(*made_by(Tensor, lambda x, w, b: (x @ w + b).relu()), draw_inputs(rng), rng)
""")

IN_PLACE = """
def engine_is_right(Tensor, rng):
    a, b, c = Tensor(rng.standard_normal((3, 4)), True), Tensor(rng.standard_normal(4), True), Tensor(rng.standard_normal((3, 1)), True)
    w, d = Tensor(rng.standard_normal((4, 2)), True), Tensor(rng.standard_normal((4, 2)), True)
    leaves, h = [a, b, c, w, d], 1e-6

    def loss():
        m = (a * b - c / (2 + b * b)).tanh() + a.exp() * c + (a - c).relu() - (c - a).relu() - 1 / (a * a + 1) + 3 * b.sin()
        rows = ((m @ w)[[0, 2, 2, 1]] + (w + d) - w.sum(axis=0)) / 9
        return rows.tanh().sum() + (m.sum(axis=0) * (3 - b) - 2).sum() - (c + c * c * c * 2).sum()

    first = []
    for times in (1, 2):
        loss().backward()
        first = first or [np.array(leaf.grad.data) for leaf in leaves]
    for leaf, g in zip(leaves, first):
        if leaf.grad.data.shape != leaf.data.shape or not np.allclose(leaf.grad.data, 2 * g):
            return False
        leaf.grad = None
    vs = [rng.standard_normal(g.shape) for g in first]
    for leaf, v in zip(leaves, vs):
        leaf.data += h * v
    ahead = loss().data
    for leaf, v in zip(leaves, vs):
        leaf.data[...] = leaf.data - 2 * h * v
    slope = (ahead - loss().data) / (2 * h)
    for leaf, v in zip(leaves, vs):
        leaf.data = leaf.data + h * v
    loss().backward()
    if not abs(slope - sum((g * v).sum() for g, v in zip(first, vs))) <= 1e-5:
        return False
    return all(np.allclose(leaf.grad.data, g) for leaf, g in zip(leaves, first))
"""
right("engine_is_right", "in_place", source=IN_PLACE)


