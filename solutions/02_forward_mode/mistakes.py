"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 02_forward_mode`) and they diagnose: a student's answer that behaves like one
of these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the
functions use (Dual, as_dual, SENT, math) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import changed, right, wrong

# -- add_jvp ----------------------------------------------------------------------------------------------------------


@wrong("add_jvp", "slopes_of_one", "You took both slopes to be 1. How fast a and b rise is said by da and db.")
def add_jvp(a, da, b, db):
    return a + b, 2.0


@wrong("add_jvp", "product_rule", "This slope is that of a * b. In a sum, each input moves the result on its own.")
def add_jvp(a, da, b, db):
    return a + b, da * b + a * db


@wrong("add_jvp", "slopes_multiplied", "You multiplied the slopes. If both rise by a little, what does the sum do?")
def add_jvp(a, da, b, db):
    return a + b, da * db


@wrong("add_jvp", "first_only", "One of the two slopes is left out here. The sum moves with a and with b: add both.")
def add_jvp(a, da, b, db):
    return a + b, da


@wrong("add_jvp", "slope_only", "This is the slope alone. A rule returns two numbers, the value and the slope.")
def add_jvp(a, da, b, db):
    return da + db


@wrong("add_jvp", "size_of_slopes", "b falls here, and that makes the sum rise: is db subtracted, or its sign lost? Both slopes are added, each with its sign.")
def add_jvp(a, da, b, db):
    return a + b, abs(da) + abs(db)


@wrong("add_jvp", "slope_first", "Both numbers are right, in the opposite order: first the value, then the slope.")
def add_jvp(a, da, b, db):
    return da + db, a + b


@wrong("add_jvp", "b_rises_by_one", "You took the slope of b to be 1. How fast b rises is said by db.")
def add_jvp(a, da, b, db):
    return a + b, da + 1


@wrong("add_jvp", "each_number_with_its_slope", "Each number is added to its own slope here. Add value to value, and slope to slope.")
def add_jvp(a, da, b, db):
    return a + da, b + db


@right("add_jvp", "in_steps")
def add_jvp(a, da, b, db):
    out = sum([a, b])
    dout = 1 * da + 1 * db
    return (out, dout)


@right("add_jvp", "as_list")
def add_jvp(a, da, b, db):
    return [x + y for x, y in zip((a, da), (b, db))]


@wrong(
    "add_jvp",
    "slope_only_where_b",
    "The slope of b is left out here. It counts whatever a and b are, 0 or equal numbers too, for that has nothing to do with how fast b moves.",
)
def add_jvp(a, da, b, db):
    return a + b, da + (db if b != 0 else 0.0)


@wrong("add_jvp", "in_steps_of_a_thousandth", "The slope came out a thousand times too small. The 0.001 is by how much the input rises in the example, and a slope is a rise for each 1 of it.")
def add_jvp(a, da, b, db):
    return a + b, 0.001 * (da + db)


@wrong("add_jvp", "as_errors_add", "This is the root of da² + db², as independent errors add up. Slopes add up as they are, with their signs.")
def add_jvp(a, da, b, db):
    return a + b, math.hypot(da, db)


@wrong("add_jvp", "sum_after_the_rise", "The second number is the sum after a rise by da and db. The slope is the rise alone, without a and b.")
def add_jvp(a, da, b, db):
    return a + b, (a + da) + (b + db)


# -- mul_jvp ----------------------------------------------------------------------------------------------------------


@wrong(
    "mul_jvp",
    "slopes_multiplied",
    "You multiplied the slopes. If only a moves, db is 0, and the product moves all the same.",
)
def mul_jvp(a, da, b, db):
    return a * b, da * db


@wrong(
    "mul_jvp",
    "own_factor",
    "Each slope is multiplied by its own number. The bit that a gains counts as often as the *other* factor says.",
)
def mul_jvp(a, da, b, db):
    return a * b, a * da + b * db


@wrong("mul_jvp", "unmoved", "b + a is the slope when both rise with slope 1. Where do da and db come in?")
def mul_jvp(a, da, b, db):
    return a * b, a + b


@wrong("mul_jvp", "minus", "The two effects are subtracted, or a sign is lost. They add up, each with its sign; the minus belongs to the quotient rule.")
def mul_jvp(a, da, b, db):
    return a * b, da * b - a * db


@wrong("mul_jvp", "first_only", "This is what a does to the product. What b does is missing.")
def mul_jvp(a, da, b, db):
    return a * b, da * b


@wrong("mul_jvp", "second_only", "This is what b does to the product. What a does is missing.")
def mul_jvp(a, da, b, db):
    return a * b, a * db


@wrong("mul_jvp", "sum_of_slopes", "These are the slopes of a + b. In a product, each slope gets a factor.")
def mul_jvp(a, da, b, db):
    return a * b, da + db


@wrong(
    "mul_jvp",
    "two_slopes",
    "You kept the two effects apart. One number moves, so it has one slope: what do the two give together?",
)
def mul_jvp(a, da, b, db):
    return a * b, da * b, a * db


@wrong(
    "mul_jvp",
    "relative_slopes",
    "A division by a or by b is right only where that is not 0. The product rule needs no division.",
)
def mul_jvp(a, da, b, db):
    return a * b, a * b * (da / a + db / b)


@wrong(
    "mul_jvp",
    "second_order",
    "da * db is in this slope, as where the moved numbers are multiplied, and it is no part of it. Add up each slope times the *other* number.",
)
def mul_jvp(a, da, b, db):
    return a * b, (a + da) * (b + db) - a * b


@wrong("mul_jvp", "b_for_both", "Both slopes got the factor b. Each is multiplied by the *other* number: db by a.")
def mul_jvp(a, da, b, db):
    return a * b, da * b + db * b


@wrong("mul_jvp", "value_twice", "This is the value, twice. The slope is another number: add up each slope times the *other* number.")
def mul_jvp(a, da, b, db):
    return a * b, a * b


@right("mul_jvp", "in_steps")
def mul_jvp(a, da, b, db):
    from_a = b * da
    from_b = db * a
    return (a * b, from_b + from_a)


@right("mul_jvp", "as_sum")
def mul_jvp(a, da, b, db):
    return [a * b, sum(slope * other for slope, other in ((da, b), (db, a)))]


@wrong(
    "mul_jvp",
    "square_where_equal",
    "Where a and b are equal this takes b's slope to be that of a: two equal numbers may move differently.",
)
def mul_jvp(a, da, b, db):
    if a == b:
        return a * a, 2 * a * da
    return a * b, da * b + a * db


@wrong("mul_jvp", "relative_where_it_can", "Where the product is so small that it becomes 0, its slope is lost here, as it is a factor of that. The product rule takes the numbers themselves.")
def mul_jvp(a, da, b, db):
    out = a * b
    if a == 0:
        return out, da * b
    if b == 0:
        return out, a * db
    return out, out * (da / a + db / b)


@wrong("mul_jvp", "product_for_a", "db is multiplied by the product here, and not by a: is `a` overwritten before the slope is computed?")
def mul_jvp(a, da, b, db):
    a = a * b
    slope = da * b + a * db
    return a, slope


@wrong("mul_jvp", "zero_stays_zero", "Where the product is 0, the slope is 0 here. But a product that is 0 need not stay so: when a is 0 and rises, it moves by da * b. No case of its own is needed.")
def mul_jvp(a, da, b, db):
    out = a * b
    if out == 0:
        return out, 0.0
    return out, da * b + a * db


# -- chain_jvp --------------------------------------------------------------------------------------------------------


@wrong("chain_jvp", "no_inner_slope", "The derivative is right, and da is missing: a does not always rise with slope 1.")
def chain_jvp(f, f_prime, a, da):
    return f(a), f_prime(a)


@wrong("chain_jvp", "derivative_at_the_slope", "You took the derivative at da. It belongs to the place a, and da is a factor.")
def chain_jvp(f, f_prime, a, da):
    return f(a), f_prime(da)


@wrong("chain_jvp", "at_a_times_da", "You took the derivative at a * da. It belongs to the place a; da is a factor outside.")
def chain_jvp(f, f_prime, a, da):
    return f(a), f_prime(a * da)


@wrong("chain_jvp", "derivative_at_the_value", "You took the derivative at f(a). It belongs to the place a, where f was called.")
def chain_jvp(f, f_prime, a, da):
    return f(a), f_prime(f(a)) * da


@wrong("chain_jvp", "value_times_slope", "This is the value, times da. The derivative of f at a belongs in its place.")
def chain_jvp(f, f_prime, a, da):
    return f(a), f(a) * da


@wrong("chain_jvp", "f_of_slope", "This is f of the slope. How fast does f(a) rise when a rises?")
def chain_jvp(f, f_prime, a, da):
    return f(a), f(da)


@wrong("chain_jvp", "slope_alone", "This is the slope of a. f makes it steeper or flatter: by which factor?")
def chain_jvp(f, f_prime, a, da):
    return f(a), da


@wrong("chain_jvp", "added_slope", "da is added here. The chain rule multiplies by it.")
def chain_jvp(f, f_prime, a, da):
    return f(a), f_prime(a) + da


@wrong("chain_jvp", "product_rule", "This is the product rule, for f(a) times a. One f is applied to a here: two factors are enough.")
def chain_jvp(f, f_prime, a, da):
    return f(a), f_prime(a) * a + f(a) * da


@wrong("chain_jvp", "divided", "You divided by da, and this ends where a stands still. The chain rule multiplies.")
def chain_jvp(f, f_prime, a, da):
    return f(a), f_prime(a) / da


@wrong("chain_jvp", "moved_input", "You moved a by da before calling f. The value is that of f at a, and the slope stands beside it.")
def chain_jvp(f, f_prime, a, da):
    return f(a + da), f_prime(a) * da


@wrong("chain_jvp", "not_called", "A function stands where a number belongs: f_prime is one, and so is f. Call f_prime at a, then multiply.")
def chain_jvp(f, f_prime, a, da):
    return f(a), f_prime * da


@wrong("chain_jvp", "swapped_functions", "f and f_prime have changed places.")
def chain_jvp(f, f_prime, a, da):
    return f_prime(a), f(a) * da


@wrong("chain_jvp", "slope_only", "This is the slope alone. A rule returns two numbers, the value and the slope.")
def chain_jvp(f, f_prime, a, da):
    return f_prime(a) * da


@wrong("chain_jvp", "slope_first", "Both numbers are right, in the opposite order: first the value, then the slope.")
def chain_jvp(f, f_prime, a, da):
    return f_prime(a) * da, f(a)


@wrong("chain_jvp", "difference", "This slope is numerical, made from two values of f and a step. f_prime gives the derivative without one.")
def chain_jvp(f, f_prime, a, da):
    return f(a), (f(a + 1e-6) - f(a - 1e-6)) / 2e-6 * da


@right("chain_jvp", "in_steps")
def chain_jvp(f, f_prime, a, da):
    steepness = f_prime(a)
    out = f(a)
    return out, da * steepness


@right("chain_jvp", "as_list")
def chain_jvp(f, f_prime, a, da):
    return [function(a) * factor for function, factor in ((f, 1.0), (f_prime, da))]


@wrong("chain_jvp", "flat_at_zero", "At a = 0 the slope is 0 here, whatever f is: as a condition 0 counts as nothing. Some functions are flat there, and others rise.")
def chain_jvp(f, f_prime, a, da):
    return f(a), (f_prime(a) * da if a else 0.0)


@wrong("chain_jvp", "flat_where_it_is_zero", "Where f(a) is 0 the slope is 0 here: as a condition 0 counts as nothing. A function may rise where it is 0.")
def chain_jvp(f, f_prime, a, da):
    out = f(a)
    return (out, f_prime(a) * da) if out else (0.0, 0.0)


for h in ("1e-5", "1e-7"):
    wrong(
        "chain_jvp",
        f"difference_with_{h[1:]}",
        "This slope is numerical, made from two values of f and a step. f_prime gives the derivative without one.",
        source=f"""
        def chain_jvp(f, f_prime, a, da):
            h = {h}
            return f(a), (f(a + h) - f(a - h)) / (2 * h) * da
        """,
    )


@wrong("chain_jvp", "along_the_seed", "This slope is numerical, made from two values of f and a step. f_prime gives the derivative without one.")
def chain_jvp(f, f_prime, a, da):
    return f(a), (f(a + 1e-6 * da) - f(a - 1e-6 * da)) / 2e-6


@wrong("chain_jvp", "rounded", "A tiny slope has lost its digits: it is rounded here, or counts as 0. Return it as it comes out.")
def chain_jvp(f, f_prime, a, da):
    return f(a), round(f_prime(a) * da, 9)


@wrong("chain_jvp", "nearly_flat_is_flat", "A tiny slope has lost its digits: it is rounded here, or counts as 0. Return it as it comes out.")
def chain_jvp(f, f_prime, a, da):
    steepness = f_prime(a)
    return f(a), steepness * da if abs(steepness) > 1e-9 else 0.0


@wrong("chain_jvp", "slope_at_a_times_da", "The slope of f is taken at a * da. It belongs to the place a; what arrives, da, multiplies it.")
def chain_jvp(f, f_prime, a, da):
    return f(a), f_prime(a * da) * da


@wrong("chain_jvp", "value_plus_slope", "The slope is right. The value is f(a) plus that slope here: a slope is no step, so leave it out.")
def chain_jvp(f, f_prime, a, da):
    out = f(a)
    dout = f_prime(a) * da
    out = out + dout
    return out, dout


@wrong("chain_jvp", "whole_step", "f(a + da) - f(a) is the rise over a whole step, not the slope at a: f_prime tells that without a step. What does da do to it?")
def chain_jvp(f, f_prime, a, da):
    out = f(a)
    return out, f(a + da) - out


# -- derivative -------------------------------------------------------------------------------------------------------


@wrong("derivative", "no_seed", "The input went in with the slope 0, like a constant. Then nothing moves.")
def derivative(f, x):
    return as_dual(f(Dual(x))).tangent


@wrong("derivative", "plain_number", "f was given a plain number. Only a Dual has a slope to carry.")
def derivative(f, x):
    return as_dual(f(x)).tangent


@wrong("derivative", "a_tuple", "f was given a tuple. `Dual(x, 1.0)` makes a Dual of the two numbers.")
def derivative(f, x):
    return as_dual(f((x, 1.0))).tangent


@wrong("derivative", "seeded_with_x", "The seed is x here. How fast does the input rise when the input rises?")
def derivative(f, x):
    return as_dual(f(Dual(x, x))).tangent


@wrong("derivative", "the_value", "This is the value of f. The slope is the Dual's other number.")
def derivative(f, x):
    return as_dual(f(Dual(x, 1.0))).primal


@wrong("derivative", "the_whole_dual", "You returned the Dual with both numbers. Asked for is the slope alone.")
def derivative(f, x):
    return f(Dual(x, 1.0))


@wrong("derivative", "both_numbers", "You returned value and slope. Asked for is the slope alone.")
def derivative(f, x):
    out = as_dual(f(Dual(x, 1.0)))
    return out.primal, out.tangent


@wrong(
    "derivative",
    "difference_quotient",
    "This is the numerical derivative of unit 01, with a step. A Dual gives the slope in one run, without one.",
)
def derivative(f, x):
    h = 1e-6
    return (as_dual(f(x + h)).primal - as_dual(f(x - h)).primal) / (2 * h)


@wrong("derivative", "constants_forgotten", "A function may ignore its input and return a plain number: as_dual takes care of it.")
def derivative(f, x):
    return f(Dual(x, 1.0)).tangent


@wrong("derivative", "run_twice", "f ran twice. One run gives the value and the slope.")
def derivative(f, x):
    if not isinstance(f(Dual(x, 1.0)), Dual):
        return 0.0
    return f(Dual(x, 1.0)).tangent


@wrong("derivative", "looks_first", "f ran twice. One run gives the value and the slope.")
def derivative(f, x):
    plain, moved = f(x), f(Dual(x, 1.0))
    return moved.tangent if isinstance(moved, Dual) else plain * 0.0


wrong(
    "derivative",
    "remembers_f",
    "The slope of f is remembered, whatever x is. At another place the slope is another one.",
    source="""
    known = {}

    def derivative(f, x):
        if f not in known:
            known[f] = as_dual(f(Dual(x, 1.0))).tangent
        return known[f]
    """,
)


@wrong("derivative", "tiny_seed", "The seed is a small step here, so the slope comes out as small. No step is needed.")
def derivative(f, x):
    return as_dual(f(Dual(x, 1e-6))).tangent


@right("derivative", "asks_for_the_kind")
def derivative(f, x):
    out = f(Dual(x, 1.0))
    if isinstance(out, Dual):
        return out.tangent
    return 0.0


@right("derivative", "with_default")
def derivative(f, x):
    seeded = Dual(primal=x, tangent=1)
    return getattr(f(seeded), "tangent", 0)


@wrong(
    "derivative",
    "floats_alone_are_plain",
    "Only a float is taken for a plain number. A function may also return a whole number, such as 7.",
)
def derivative(f, x):
    out = f(Dual(x, 1.0))
    return 0.0 if isinstance(out, float) else out.tangent


@wrong("derivative", "none_for_a_constant", "Where f returns a plain number this gives None. A flat function has a slope, too: it is 0.")
def derivative(f, x):
    out = f(Dual(x, 1.0))
    return out.tangent if isinstance(out, Dual) else None


@wrong("derivative", "rounded", "A tiny slope has lost its digits: it is rounded here, or counts as 0. Return it as it comes out.")
def derivative(f, x):
    slope = as_dual(f(Dual(x, 1.0))).tangent
    return round(slope, 8) if isinstance(slope, float) else slope


@wrong("derivative", "a_float_of_the_slope", "Here x is a Dual, and so is the slope. It cannot be rounded, and no float or size can be taken of it: return it as it comes out.")
def derivative(f, x):
    return float(as_dual(f(Dual(x, 1.0))).tangent)


@wrong("derivative", "flat_where_it_is_zero", "Where f is 0 the slope is 0 here: as a condition 0 counts as nothing. A function may rise where it is 0.")
def derivative(f, x):
    out = as_dual(f(Dual(x, 1.0)))
    return out.tangent if out.primal else 0.0


@wrong("derivative", "one_dual_for_both", "Here x is a Dual, and its own slope is lost on the way. Put x as it is into a *new* Dual, and return what comes out as it is: that slope is a Dual, too.")
def derivative(f, x):
    d = as_dual(x)
    d.tangent = 1.0
    return as_dual(f(d)).tangent


@wrong("derivative", "value_of_x", "Here x is a Dual, and its own slope is lost on the way. Put x as it is into a *new* Dual, and return what comes out as it is: that slope is a Dual, too.")
def derivative(f, x):
    return as_dual(f(Dual(as_dual(x).primal, 1.0))).tangent


@wrong("derivative", "slope_of_the_slope_dropped", "Here x is a Dual, and its own slope is lost on the way. Put x as it is into a *new* Dual, and return what comes out as it is: that slope is a Dual, too.")
def derivative(f, x):
    return as_dual(as_dual(f(Dual(x, 1.0))).tangent).primal


wrong(
    "derivative",
    "the_dual_of_an_earlier_call",
    "The Dual of an earlier call is used again, as a default argument or a global name keeps one. Whoever still holds it, such as an outer `derivative`, sees it change: make a new one in each call.",
    source="""
    def derivative(f, x, seeded=Dual(0.0, 1.0)):
        seeded.primal = x
        return as_dual(f(seeded)).tangent
    """,
)


# -- clamp ------------------------------------------------------------------------------------------------------------


@wrong(
    "clamp",
    "slope_kept",
    "Where x is cut, you kept its slope. The result stays at the limit there: how fast does it rise?",
)
def clamp(x, low, high):
    if x < low:
        return Dual(low, as_dual(x).tangent)
    if x > high:
        return Dual(high, as_dual(x).tangent)
    return x


@wrong("clamp", "slope_lost", "Between the limits the slope is lost, as where `.primal` goes on alone. Return x itself.")
def clamp(x, low, high):
    x = as_dual(x).primal
    return min(max(x, low), high)


@wrong("clamp", "only_above", "x is cut above, but not here, where it is below `low`. Do you ask that at all, and of `low` itself, wherever that lies?")
def clamp(x, low, high):
    return high if x > high else x


@wrong("clamp", "only_below", "x is cut below, but not above.")
def clamp(x, low, high):
    return low if x < low else x


@wrong("clamp", "limits_swapped", "Above `high` you return `low`. The nearer limit is wanted: `high` above, `low` below.")
def clamp(x, low, high):
    if x < low:
        return high
    if x > high:
        return low
    return x


@wrong("clamp", "min_max_swapped", "x lies between the limits here, and `high` comes back. Have min and max changed places, is a comparison wrong, or does the last `return` give `high`?")
def clamp(x, low, high):
    return max(high, min(x, low))


@wrong("clamp", "zero_outside", "Outside of the limits you return 0. The slope is 0 there, the value is the limit.")
def clamp(x, low, high):
    return x if low < x < high else 0.0


@wrong("clamp", "a_dual_of_a_dual", "You make a new Dual of x, which may be one already: its slope is then hidden inside. x itself goes on, as it is.")
def clamp(x, low, high):
    x = Dual(x, 1.0)
    if x < low:
        return low
    return high if x > high else x


@wrong("clamp", "a_dual_between", "A plain x between the limits comes back as a Dual: return x itself, as it came.")
def clamp(x, low, high):
    if x < low:
        return low
    return high if x > high else as_dual(x)


@wrong("clamp", "parts_between", "A plain x has no `.primal`. Between the limits return x itself, Dual or not.")
def clamp(x, low, high):
    if x < low:
        return low
    return high if x > high else Dual(x.primal, x.tangent)


@wrong("clamp", "like_relu", "You asked whether x is negative. The question is whether it is below `low`.")
def clamp(x, low, high):
    if x < 0:
        return low
    return high if x > high else x


@wrong("clamp", "duals_only", "`.primal` and `.tangent` fail for a plain number. Comparisons work on x itself, Dual or not.")
def clamp(x, low, high):
    if x.primal < low:
        return Dual(low)
    if x.primal > high:
        return Dual(high)
    return x


@wrong(
    "clamp",
    "always_a_dual",
    "A plain number came back as a Dual. Return x itself, or the limit, and it stays what it was.",
)
def clamp(x, low, high):
    x = as_dual(x)
    if x < low:
        return Dual(low, 0.0)
    if x > high:
        return Dual(high, 0.0)
    return x


@wrong("clamp", "symmetric", "x is cut above, but not here, where it is below `low`. Do you ask that at all, and of `low` itself, wherever that lies?")
def clamp(x, low, high):
    if x > high:
        return high
    return low if x < -high else x


@wrong("clamp", "written_into_x", "You write into x, which the program goes on using. Return the limit instead, and x stays as it is.")
def clamp(x, low, high):
    if not isinstance(x, Dual):
        return min(max(x, low), high)
    if x < low:
        x.primal, x.tangent = low, 0.0
    elif x > high:
        x.primal, x.tangent = high, 0.0
    return x


@right("clamp", "min_and_max")
def clamp(x, low, high):
    return max(low, min(x, high))


@right("clamp", "one_chain")
def clamp(x, low, high):
    if low <= x <= high:
        return x
    return low if x <= low else high


@right("clamp", "limit_as_constant")
def clamp(x, low, high):
    if not isinstance(x, Dual):
        return sorted([low, x, high])[1]
    if x.primal < low or x.primal > high:
        return Dual(low if x.primal < low else high, 0.0)
    return x


@wrong("clamp", "plain_gives_none", "For a plain x nothing comes back: no `return` is reached. What stands behind the `if` is for Duals and for plain numbers.")
def clamp(x, low, high):
    if isinstance(x, Dual):
        if x.primal < low:
            return low
        if x.primal > high:
            return high
        return x


@wrong("clamp", "zero_is_no_limit", "A limit of 0 counts as nothing, as `if low` and `low or` take it, and x comes back uncut. 0 is a limit like any other.")
def clamp(x, low, high):
    if low and x < low:
        return low
    if high and x > high:
        return high
    return x


@wrong("clamp", "by_a_difference", "Far outside, the limit is lost in rounding, as it is added to a huge x or subtracted from it. Return the limit itself.")
def clamp(x, low, high):
    value = as_dual(x).primal
    if low <= value <= high:
        return x
    cut = value - (value - high) if value > high else value + (low - value)
    return Dual(cut, 0.0) if isinstance(x, Dual) else cut


@wrong("clamp", "floats_alone_are_plain", "Only a float is taken for a plain number. A whole number, such as 5, is a plain one, too.")
def clamp(x, low, high):
    if isinstance(x, float):
        return min(max(x, low), high)
    if x.primal < low:
        return Dual(low, 0.0)
    if x.primal > high:
        return Dual(high, 0.0)
    return x


@wrong("clamp", "nearer_by_abs", "Something that knows plain numbers alone, such as `abs`, gets a Dual here. Comparisons work on x itself: below `low` the nearer limit is `low`, above `high` it is `high`.")
def clamp(x, low, high):
    if low <= x <= high:
        return x
    return low if abs(x - low) < abs(x - high) else high


@wrong("clamp", "low_itself_gives_high", "x is `low` itself, and `high` comes back. At a limit the result is that limit, whichever slope it gets: look at the comparison that decides between the two.")
def clamp(x, low, high):
    if low < x < high:
        return x
    return low if x < low else high


@wrong("clamp", "high_itself_gives_low", "x is `high` itself, and `low` comes back. At a limit the result is that limit, whichever slope it gets: look at the comparison that decides between the two.")
def clamp(x, low, high):
    if low < x < high:
        return x
    return high if x > high else low


@wrong("clamp", "nothing_at_a_limit", "At a limit nothing comes back (None): no `return` is reached where x is `low` or `high` itself. Its value is that limit there.")
def clamp(x, low, high):
    if x < low:
        return low
    if x > high:
        return high
    if low < x < high:
        return x


# -- newton_step ------------------------------------------------------------------------------------------------------


@wrong("newton_step", "plus", "You go the wrong way. Where f is too high and rising, zero is to the left.")
def newton_step(f, x):
    out = f(Dual(x, 1.0))
    return x + out.primal / out.tangent


@wrong("newton_step", "upside_down", "The fraction is upside down: a steeper slope means a *shorter* way to zero.")
def newton_step(f, x):
    out = f(Dual(x, 1.0))
    return x - out.tangent / out.primal


@wrong("newton_step", "no_slope", "You went back by the value of f. On a steep line the way is shorter: divide by the slope.")
def newton_step(f, x):
    return x - f(Dual(x, 1.0)).primal


@wrong("newton_step", "product", "You multiplied value and slope. A steeper slope means a shorter way to zero.")
def newton_step(f, x):
    out = f(Dual(x, 1.0))
    return x - out.primal * out.tangent


@wrong("newton_step", "gradient_descent", "This goes down the slope, as gradient descent does. Newton's step looks for a zero and needs the value, too.")
def newton_step(f, x):
    return x - f(Dual(x, 1.0)).tangent


@wrong("newton_step", "a_tenth_of_the_slope", "This goes down the slope, as gradient descent does, by a part of it. Newton's step looks for a zero: how far is it, and how fast does f get there?")
def newton_step(f, x):
    return x - 0.1 * f(Dual(x, 1.0)).tangent


@wrong("newton_step", "from_the_value", "You begin at the value of f here. The step begins at the place x.")
def newton_step(f, x):
    out = f(Dual(x, 1.0))
    return out.primal - out.primal / out.tangent


@wrong("newton_step", "tangent_at_zero", "That is the height of the tangent at 0. Wanted is the place where its height is 0.")
def newton_step(f, x):
    out = f(Dual(x, 1.0))
    return out.primal - out.tangent * x


@wrong("newton_step", "the_way_only", "This is the way to go, with its sign. The answer is the place where you arrive, so begin at x.")
def newton_step(f, x):
    out = f(Dual(x, 1.0))
    return -out.primal / out.tangent


@wrong("newton_step", "the_way_back", "This is the way to go back, not the place you reach: that is x minus it.")
def newton_step(f, x):
    out = f(Dual(x, 1.0))
    return out.primal / out.tangent


@wrong("newton_step", "always_left", "You go left here, though f is too low and rises to the right. Value and slope count with their signs.")
def newton_step(f, x):
    out = f(Dual(x, 1.0))
    return x - abs(out.primal / out.tangent)


@wrong("newton_step", "brackets", "The brackets are wrong: only the value is divided by the slope, not the whole difference.")
def newton_step(f, x):
    out = f(Dual(x, 1.0))
    return (x - out.primal) / out.tangent


@wrong("newton_step", "no_seed", "The slope came out as 0, and you divide by it. It comes out of one run of f, on a Dual with the tangent 1, and not out of a difference.")
def newton_step(f, x):
    out = f(Dual(x))
    return x - out.primal / out.tangent


PLAIN = "A plain number has no `.primal` and no `.tangent`. If f gave it: it was given a plain number, and needs a Dual to give a slope. x is a plain number, too, and so are the two parts of a Dual."


@wrong("newton_step", "plain_number", PLAIN)
def newton_step(f, x):
    out = f(x)
    return x - out.primal / out.tangent


@wrong("newton_step", "primal_of_x", PLAIN)
def newton_step(f, x):
    out = f(Dual(x, 1.0))
    return x.primal - out.primal / out.tangent


@wrong("newton_step", "parts_exchanged", "f is run at 1 here, and not at x. In a Dual x comes first, and the seed second.")
def newton_step(f, x):
    out = f(Dual(1.0, x))
    return x - out.primal / out.tangent


@wrong("newton_step", "central_difference", "The slope came out as 0, and you divide by it. It comes out of one run of f, on a Dual with the tangent 1, and not out of a difference.")
def newton_step(f, x):
    slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    return x - f(x) / slope


@wrong("newton_step", "short_steps", "A long step is cut short. A flat tangent meets zero far away, and that place is asked for.")
def newton_step(f, x):
    out = f(Dual(x, 1.0))
    return x - min(max(out.primal / out.tangent, -10.0), 10.0)


@wrong("newton_step", "flat_is_refused", "Where f is nearly flat you stay at x. Its tangent meets zero all the same, far away.")
def newton_step(f, x):
    out = f(Dual(x, 1.0))
    if abs(out.tangent) < 1e-6:
        return x
    return x - out.primal / out.tangent


@wrong("newton_step", "goes_on_to_the_zero", "f is run at another place than x. One step is asked for, along the tangent at x, and not the zero itself: without a loop, and without a step to the side.")
def newton_step(f, x):
    for _ in range(20):
        out = f(Dual(x, 1.0))
        if out.primal == 0:
            break
        x = x - out.primal / out.tangent
    return x


@right("newton_step", "value_then_slope")
def newton_step(f, x):
    return x - f(x) / derivative(f, x)


@right("newton_step", "in_steps")
def newton_step(f, x):
    out = f(Dual(x, 1))
    value, slope = out.primal, out.tangent
    way = -value / slope
    x += way
    return x


@wrong("newton_step", "near_is_there", "Where f is nearly 0 you stay at x, or the way is rounded. A short way is one, too: take the step that the tangent says.")
def newton_step(f, x):
    out = f(Dual(x, 1.0))
    if abs(out.primal) < 1e-12:
        return x
    return x - out.primal / out.tangent


@wrong("newton_step", "the_way_by_two_signs", "Which way to go hangs on both signs, of the value and of the slope: where both are negative you go to the wrong side. `x - value / slope` sees to it by itself.")
def newton_step(f, x):
    out = f(Dual(x, 1.0))
    way = abs(out.primal / out.tangent)
    return x - way if out.primal > 0 and out.tangent > 0 else x + way


@wrong("newton_step", "rounded_way", "The way is rounded to a whole number, as `//` does. Divide with `/`.")
def newton_step(f, x):
    out = as_dual(f(Dual(x, 1.0)))
    return x - out.primal // out.tangent


# -- second_derivative ------------------------------------------------------------------------------------------------


@wrong("second_derivative", "slope_as_place", "You took the derivative of f at the place f'(x). The outer derivative is that of the slope, at x.")
def second_derivative(f, x):
    return derivative(f, derivative(f, x))


@wrong("second_derivative", "squared", "You squared the slope. How fast the slope changes is another question.")
def second_derivative(f, x):
    return derivative(f, x) ** 2


@wrong("second_derivative", "once", "This is the first derivative. Take the derivative of it.")
def second_derivative(f, x):
    return derivative(f, x)


@wrong("second_derivative", "doubled", "Two times the slope is not the slope of the slope.")
def second_derivative(f, x):
    return 2 * derivative(f, x)


CALLED = "A number is called like a function, by you or by `derivative`, which takes a function and a number. f(x) is a number, and `derivative(f, x)` is one already. Wrap the slope in a function of its own."


@wrong("second_derivative", "number_for_function", CALLED)
def second_derivative(f, x):
    return derivative(derivative(f, x), x)


@wrong("second_derivative", "slope_called", CALLED)
def second_derivative(f, x):
    slope = derivative(f, x)
    return slope(x)


@wrong(
    "second_derivative",
    "inner_at_x",
    "The inner derivative is always taken at x, so it is a constant and its slope is 0. Take it at the place that moves.",
)
def second_derivative(f, x):
    return derivative(lambda y: derivative(f, x), x)


@wrong("second_derivative", "applied_twice", "This is the derivative of f(f(x)). You want the derivative of the derivative.")
def second_derivative(f, x):
    return derivative(lambda y: f(f(y)), x)


@wrong("second_derivative", "the_function", "You returned a function. Asked for is a number, at x.")
def second_derivative(f, x):
    return lambda y: derivative(f, y)


@wrong(
    "second_derivative",
    "three_points",
    "This is a numerical second derivative, made from values of f and a step. `derivative` needs no step: use it on a function that uses it.",
)
def second_derivative(f, x):
    h = 1e-4
    return (f(x + h) - 2 * f(x) + f(x - h)) / h**2


@wrong(
    "second_derivative",
    "difference_of_slopes",
    "The number is right, and one `derivative` alone is there: how fast the slope changes was found in another way, with a step or by hand. Let a second `derivative` find that, too.",
)
def second_derivative(f, x):
    h = 1e-4
    return (derivative(f, x + h) - derivative(f, x - h)) / (2 * h)


@wrong("second_derivative", "outer_by_hand", "The number is right, and one `derivative` alone is there: how fast the slope changes was found in another way, with a step or by hand. Let a second `derivative` find that, too.")
def second_derivative(f, x):
    return derivative(f, Dual(x, 1.0)).tangent


@right("second_derivative", "with_def")
def second_derivative(f, x):
    def slope(y):
        return derivative(f, y)

    return derivative(slope, x)


@right("second_derivative", "in_a_loop")
def second_derivative(f, x):
    for _ in range(2):
        f = (lambda g: lambda y: derivative(g, y))(f)
    return f(x)


@right("second_derivative", "partial")
def second_derivative(f, x):
    from functools import partial

    return derivative(partial(derivative, f), x)


@wrong("second_derivative", "nested_by_hand", "18 is right, and `derivative` is not used. Ask for it, twice, one inside the other: then each does its own part.")
def second_derivative(f, x):
    return f(Dual(Dual(x, 1.0), 1.0)).tangent.tangent


@wrong("second_derivative", "finds_itself", "A function calls itself without end. Does a lambda use the name that it is given itself, as f in `f = lambda y: derivative(f, y)`? It looks f up when it is called, and finds itself. Give the inner function a name of its own.")
def second_derivative(f, x):
    for _ in range(2):
        f = lambda y: derivative(f, y)
    return f(x)


@wrong("second_derivative", "primal_of_the_slope", "With Duals the place y is a Dual, and so is the inner slope: they carry the slope of the slope. `.primal` of either leaves that behind: hand on both as they are.")
def second_derivative(f, x):
    return derivative(lambda y: as_dual(derivative(f, y)).primal, x)


@wrong("second_derivative", "float_of_the_slope", "With Duals the inner slope is a Dual, and `float` or `round` cannot take one. Hand on what the inner `derivative` gives as it is.")
def second_derivative(f, x):
    return derivative(lambda y: float(derivative(f, y)), x)


wrong(
    "second_derivative",
    "nothing_bends_where_it_is_flat",
    "Where the slope is 0, this says 0. x**2 is flat at 0, and bends there as everywhere.",
    source="""
def second_derivative(f, x):
    def slope(y):
        return derivative(f, y)

    if slope(x) == 0:
        return 0.0
    return derivative(slope, x)
""",
)


@wrong("second_derivative", "rounded", "A tiny result has lost its digits: it is rounded here, or counts as 0. Return it as it comes out.")
def second_derivative(f, x):
    return round(derivative(lambda y: derivative(f, y), x), 9)


@wrong("second_derivative", "half_of_it", "This is half of the second derivative, as it stands in a Taylor series. Nothing is divided by 2 here.")
def second_derivative(f, x):
    def slope(y):
        return derivative(f, y)

    return derivative(slope, x) / 2


# -- jvp --------------------------------------------------------------------------------------------------------------


@wrong("jvp", "no_star", "f got one argument. It takes its inputs as separate arguments: a star unpacks a list of them.")
def jvp(f, xs, vs):
    out = as_dual(f([Dual(x, v) for x, v in zip(xs, vs)]))
    return out.primal, out.tangent


@wrong("jvp", "seeds_of_one", "Every input went in with the slope 1. How fast each one rises is said by vs.")
def jvp(f, xs, vs):
    out = as_dual(f(*(Dual(x, 1.0) for x in xs)))
    return out.primal, out.tangent


@wrong("jvp", "swapped", "The slopes went in as values, and the values as slopes.")
def jvp(f, xs, vs):
    out = as_dual(f(*(Dual(v, x) for x, v in zip(xs, vs))))
    return out.primal, out.tangent


@wrong("jvp", "slope_only", "This is the slope alone. Return the value, too, since the run has computed it.")
def jvp(f, xs, vs):
    return as_dual(f(*(Dual(x, v) for x, v in zip(xs, vs)))).tangent


@wrong("jvp", "the_whole_dual", "You returned a Dual. Take its two numbers out.")
def jvp(f, xs, vs):
    return f(*(Dual(x, v) for x, v in zip(xs, vs)))


@wrong("jvp", "one_at_a_time", "You made a run for each input. One is enough: let all inputs move at once.")
def jvp(f, xs, vs):
    total, value = 0.0, None
    for i in range(len(xs)):
        out = as_dual(f(*(Dual(x, vs[j] if i == j else 0.0) for j, x in enumerate(xs))))
        value, total = out.primal, total + out.tangent
    return value, total


@wrong("jvp", "moved_inputs", "You added the slopes to the inputs. The inputs stay where they are, the slopes travel beside them.")
def jvp(f, xs, vs):
    out = as_dual(f(*(Dual(x + v, v) for x, v in zip(xs, vs))))
    return out.primal, out.tangent


@wrong("jvp", "plain_numbers", "f was given plain numbers. Only Duals carry slopes.")
def jvp(f, xs, vs):
    out = as_dual(f(*xs))
    return out.primal, out.tangent


@wrong("jvp", "constants_forgotten", "f may return a plain number, when it does not depend on its inputs: as_dual takes care of it.")
def jvp(f, xs, vs):
    out = f(*(Dual(x, v) for x, v in zip(xs, vs)))
    return out.primal, out.tangent


@wrong("jvp", "slope_first", "Both numbers are right, in the opposite order: first the value, then the slope.")
def jvp(f, xs, vs):
    out = as_dual(f(*(Dual(x, v) for x, v in zip(xs, vs))))
    return out.tangent, out.primal


@wrong("jvp", "a_second_run", "f is run a second time for the value. One run on Duals gives both: its primal and its tangent.")
def jvp(f, xs, vs):
    return f(*xs), as_dual(f(*(Dual(x, v) for x, v in zip(xs, vs)))).tangent


@wrong("jvp", "a_second_run_behind", "f is run a second time for the value. One run on Duals gives both: its primal and its tangent.")
def jvp(f, xs, vs):
    out = as_dual(f(*(Dual(x, v) for x, v in zip(xs, vs))))
    return f(*xs), out.tangent


@wrong("jvp", "dict_of_slopes", "A dict has one slope for each number, so two equal inputs share one. Walk along xs and vs in step.")
def jvp(f, xs, vs):
    slope_of = dict(zip(xs, vs))
    out = as_dual(f(*(Dual(x, slope_of[x]) for x in xs)))
    return out.primal, out.tangent


@right("jvp", "with_map")
def jvp(f, xs, vs):
    out = f(*map(Dual, xs, vs))
    if not isinstance(out, Dual):
        return out, 0.0
    return out.primal, out.tangent


@right("jvp", "by_index")
def jvp(f, xs, vs):
    duals = []
    for i in range(len(xs)):
        duals.append(Dual(xs[i], vs[i]))
    out = as_dual(f(*duals))
    return [out.primal, out.tangent]


@wrong(
    "jvp",
    "floats_alone_are_plain",
    "Only a float is taken for a plain number. A function may also return a whole number, such as 5.",
)
def jvp(f, xs, vs):
    out = f(*(Dual(x, v) for x, v in zip(xs, vs)))
    return (out, 0.0) if isinstance(out, float) else (out.primal, out.tangent)


@wrong("jvp", "flat_where_it_is_zero", "Where f is 0 the slope is 0 here: as a condition 0 counts as nothing. A function may rise where it is 0.")
def jvp(f, xs, vs):
    out = as_dual(f(*[Dual(x, v) for x, v in zip(xs, vs)]))
    if not out.primal:
        return 0.0, 0.0
    return out.primal, out.tangent


@wrong("jvp", "rounded", "A tiny slope has lost its digits: it is rounded here, or counts as 0. Return it as it comes out.")
def jvp(f, xs, vs):
    out = as_dual(f(*[Dual(x, v) for x, v in zip(xs, vs)]))
    return out.primal, round(out.tangent, 8)


@wrong("jvp", "divided_by_length", "The slope is divided by the length of vs, or of xs: vs counts as it is, also where it is long.")
def jvp(f, xs, vs):
    out = as_dual(f(*(Dual(x, v) for x, v in zip(xs, vs))))
    return out.primal, out.tangent / sum(v * v for v in vs) ** 0.5


@wrong("jvp", "zeros_stay_out", "An input whose slope is 0 has been left out: it goes into f all the same, and does not move.")
def jvp(f, xs, vs):
    out = as_dual(f(*(Dual(x, v) for x, v in zip(xs, vs) if v)))
    return out.primal, out.tangent


@wrong("jvp", "written_into_xs", "The Duals are put into xs itself, which is the caller's list: make a new one.")
def jvp(f, xs, vs):
    for i in range(len(xs)):
        xs[i] = Dual(xs[i], vs[i])
    out = as_dual(f(*xs))
    return out.primal, out.tangent


@wrong("jvp", "divided_by_how_many", "The slope is divided by the number of inputs. They rise with the slopes vs as they are.")
def jvp(f, xs, vs):
    out = as_dual(f(*[Dual(x, v) for x, v in zip(xs, vs)]))
    length = math.sqrt(sum(v * v for v in vs))
    return out.primal, out.tangent / length if length else out.tangent


@wrong("jvp", "slopes_of_length_one", "The slopes were brought to length 1 here. Each input rises as fast as vs says: put its own number in as it is.")
def jvp(f, xs, vs):
    length = math.hypot(*vs)
    out = as_dual(f(*[Dual(x, v / length) for x, v in zip(xs, vs)]))
    return out.primal, out.tangent


@right("jvp", "constants_stay_numbers")
def jvp(f, xs, vs):
    out = as_dual(f(*[Dual(x, v) if v else x for x, v in zip(xs, vs)]))
    return out.primal, out.tangent


# -- forward_gradient -------------------------------------------------------------------------------------------------


@wrong("forward_gradient", "all_at_once", "All inputs rose together, so you got the sum of all derivatives. Let one rise in each pass.")
def forward_gradient(f, xs):
    return [jvp(f, xs, [1.0] * len(xs))[1] for _ in xs]


@wrong("forward_gradient", "one_pass", "This is one number, the sum of all derivatives. Let one input rise in each pass.")
def forward_gradient(f, xs):
    return jvp(f, xs, [1.0] * len(xs))[1]


@wrong("forward_gradient", "values_not_slopes", "jvp returns the value and the slope. You kept the values.")
def forward_gradient(f, xs):
    return [jvp(f, xs, [float(i == j) for j in range(len(xs))])[0] for i in range(len(xs))]


@wrong("forward_gradient", "pairs", "Your list holds values and slopes. Keep the slope of each pass.")
def forward_gradient(f, xs):
    return [jvp(f, xs, [float(i == j) for j in range(len(xs))]) for i in range(len(xs))]


@wrong(
    "forward_gradient",
    "ones_stay",
    "The 1 of an earlier pass is still in the list, so more and more inputs rise. Begin each direction afresh.",
)
def forward_gradient(f, xs):
    gradient, direction = [], [0.0] * len(xs)
    for i in range(len(xs)):
        direction[i] = 1.0
        gradient.append(jvp(f, xs, direction)[1])
    return gradient


@wrong("forward_gradient", "last_only", "The loop ends after its first round. Is the `return` inside of it?")
def forward_gradient(f, xs):
    gradient = []
    for i in range(len(xs)):
        gradient.append(jvp(f, xs, [float(i == j) for j in range(len(xs))])[1])
        return gradient


@wrong("forward_gradient", "seeded_with_x", "Each input rose with its own value as the slope. Give it the slope 1.")
def forward_gradient(f, xs):
    return [jvp(f, xs, [x if i == j else 0.0 for j, x in enumerate(xs)])[1] for i in range(len(xs))]


@wrong(
    "forward_gradient",
    "the_others_move",
    "In each pass all inputs rose but one. It is the other way round: one rises, the others stay.",
)
def forward_gradient(f, xs):
    return [jvp(f, xs, [float(i != j) for j in range(len(xs))])[1] for i in range(len(xs))]


@wrong("forward_gradient", "summed", "You added the derivatives up. Keep them in a list, one for each input.")
def forward_gradient(f, xs):
    return sum(jvp(f, xs, [float(i == j) for j in range(len(xs))])[1] for i in range(len(xs)))


@wrong("forward_gradient", "central_differences", "You measured with a step, as in unit 01. jvp gives each slope without one: one call for each input, and only that input's own slope is 1.")
def forward_gradient(f, xs):
    gradient = []
    for i in range(len(xs)):
        ahead, behind = ([x + (i == j) * h for j, x in enumerate(xs)] for h in (1e-6, -1e-6))
        gradient.append((f(*ahead) - f(*behind)) / 2e-6)
    return gradient


@wrong("forward_gradient", "by_equal_numbers", "Two inputs have the same number here, and both rise: count positions, and do not compare numbers.")
def forward_gradient(f, xs):
    return [jvp(f, xs, [1.0 if y == x else 0.0 for y in xs])[1] for x in xs]


@wrong("forward_gradient", "by_index_of_a_number", "Two inputs have the same number here, and `index` finds the first one for both: count positions, as `range` or `enumerate` does.")
def forward_gradient(f, xs):
    gradient = []
    for x in xs:
        direction = [0.0] * len(xs)
        direction[xs.index(x)] = 1.0
        gradient.append(jvp(f, xs, direction)[1])
    return gradient


@wrong("forward_gradient", "shared_out", "All inputs rose together, and the sum of the derivatives was shared out evenly: which part belongs to which input it does not tell. Let one rise in each pass.")
def forward_gradient(f, xs):
    slope = jvp(f, xs, [1.0] * len(xs))[1]
    return [slope / len(xs)] * len(xs)


@wrong("forward_gradient", "reversed", "The derivatives stand in the opposite order: the first belongs to the first input.")
def forward_gradient(f, xs):
    return [jvp(f, xs, [float(i == j) for j in range(len(xs))])[1] for i in reversed(range(len(xs)))]


@wrong("forward_gradient", "two_passes_each", "You ran twice for each input, as unit 01 had to. One pass gives the slope.")
def forward_gradient(f, xs):
    gradient = []
    for i in range(len(xs)):
        direction = [float(i == j) for j in range(len(xs))]
        value = jvp(f, xs, direction)[0]
        gradient.append(jvp(f, xs, direction)[1])
    return gradient


@wrong("forward_gradient", "derivative_of_each", "f is called with one argument, and it takes all inputs side by side. jvp gives it all, and a direction says which one rises.")
def forward_gradient(f, xs):
    return [as_dual(f(Dual(x, 1.0))).tangent for x in xs]  # what `derivative` does


@wrong("forward_gradient", "zeros_left_out", "A slope of 0 is left out, as `if slope` does it, and the later ones stand in wrong places. Each input has a place in the list.")
def forward_gradient(f, xs):
    slopes = [jvp(f, xs, [float(i == j) for j in range(len(xs))])[1] for i in range(len(xs))]
    return [slope for slope in slopes if slope]


@right("forward_gradient", "comprehension")
def forward_gradient(f, xs):
    n = len(xs)
    return [jvp(f, xs, [float(i == j) for j in range(n)])[1] for i in range(n)]


@right("forward_gradient", "one_list_of_zeros")
def forward_gradient(f, xs):
    gradient, direction = [], [0.0] * len(xs)
    for i in range(len(xs)):
        direction[i] = 1.0
        gradient.append(jvp(f, xs, list(direction))[1])
        direction[i] = 0.0
    return tuple(gradient)


@right("forward_gradient", "with_duals")
def forward_gradient(f, xs):
    gradient = []
    for i in range(len(xs)):
        duals = [Dual(x, 1.0 if i == j else 0.0) for j, x in enumerate(xs)]
        gradient.append(as_dual(f(*duals)).tangent)
    return gradient


@wrong("forward_gradient", "direction_first", "The inputs and the slopes have changed places in the call of jvp: first xs, where f is asked, then the direction.")
def forward_gradient(f, xs):
    return [jvp(f, [float(i == j) for j in range(len(xs))], xs)[1] for i in range(len(xs))]


@wrong("forward_gradient", "rounded", "A tiny slope has lost its digits: it is rounded here, or counts as 0. Return it as it comes out.")
def forward_gradient(f, xs):
    n = len(xs)
    return [round(jvp(f, xs, [float(i == j) for j in range(n)])[1], 9) for i in range(n)]


@wrong("forward_gradient", "a_pass_for_nothing", "The gradient is right, and one pass too many was made, in which no input rises: n inputs take n passes, and each gives the value, too.")
def forward_gradient(f, xs):
    gradient = []
    value, slope = jvp(f, xs, [0.0] * len(xs))
    for i in range(len(xs)):
        value, slope = jvp(f, xs, [1.0 if j == i else 0.0 for j in range(len(xs))])
        gradient.append(slope)
    return gradient


@wrong("forward_gradient", "others_at_zero", "f runs at another place than xs here: the inputs that stay still have the value 0. Only their slopes are 0.")
def forward_gradient(f, xs):
    gradient = []
    for i in range(len(xs)):
        alone = [xs[j] if j == i else 0.0 for j in range(len(xs))]
        direction = [1.0 if j == i else 0.0 for j in range(len(xs))]
        _, slope = jvp(f, alone, direction)
        gradient.append(slope)
    return gradient


# -- mended_jvps ------------------------------------------------------------------------------------------------------

MENDED = """
def mended_jvps():
    return {
        "share": lambda a, da, b, db: (a / (a + b), (da * b - a * db) / (a + b) ** 2),
        "tanh": lambda a, da: (math.tanh(a), (1 - math.tanh(a) ** 2) * da),
        "maximum": lambda a, da, b, db: (a, da) if a > b else (b, db),
    }
"""
SHARE_SLOPE, TANH_SLOPE = "(da * b - a * db) / (a + b) ** 2", "(1 - math.tanh(a) ** 2) * da"
MAXIMUM = "(a, da) if a > b else (b, db)"


wrong("mended_jvps", "share_divided_in_part", "In share the division belongs to the whole difference, and not to its second term alone: brackets.",
      source=changed(MENDED, (SHARE_SLOPE, "da * (a + b) - a * (da + db) / (a + b) ** 2")))
wrong("mended_jvps", "maximum_by_slopes", "In maximum the larger slope decides which number counts. It is the larger number, a or b, whose slope goes on.",
      source=changed(MENDED, (MAXIMUM, "(a, da) if da > db else (b, db)")))


@wrong("mended_jvps", "two_of_three", "You found two. The third is right as long as the larger number rises faster.")
def mended_jvps():
    return {
        "share": lambda a, da, b, db: (a / (a + b), (da * b - a * db) / (a + b) ** 2),
        "tanh": lambda a, da: (math.tanh(a), (1 - math.tanh(a) ** 2) * da),
    }


@wrong("mended_jvps", "tanh_missed", "You found two. The third is right for da = 1 and for no other slope.")
def mended_jvps():
    return {
        "share": lambda a, da, b, db: (a / (a + b), (da * b - a * db) / (a + b) ** 2),
        "maximum": lambda a, da, b, db: (a, da) if a > b else (b, db),
    }


@wrong(
    "mended_jvps",
    "mends_what_is_right",
    "One of your rules mends a rule that was right. Its formula is unusual, but jvp_error gives 0 in every direction.",
)
def mended_jvps():
    return {
        "softplus": lambda a, da: (math.log(1 + math.exp(a)), da * math.exp(a) / (1 + math.exp(a))),
        "share": lambda a, da, b, db: (a / (a + b), (da * b - a * db) / (a + b) ** 2),
        "tanh": lambda a, da: (math.tanh(a), (1 - math.tanh(a) ** 2) * da),
    }


@wrong("mended_jvps", "all_six", "You returned a rule for each of the six. Return those that were wrong, and no other.")
def mended_jvps():
    return {name: rule for name, (forward, rule) in SENT.items()}


@wrong("mended_jvps", "the_old_ones", "Your rule for maximum gives the slope of b here, though a is the larger number, as the colleague's own rule does. The larger number's slope counts, whichever slope is the larger.")
def mended_jvps():
    return {name: SENT[name][1] for name in ("maximum", "share", "tanh")}


wrong(
    "mended_jvps",
    "share_numerator",
    "In your rule for share, b moves the sum below the line, and nothing above it. Use the quotient rule with a + b below.",
    source=changed(MENDED, (SHARE_SLOPE, "(da * (a + b) - a * db) / (a + b) ** 2")),
)
wrong(
    "mended_jvps",
    "maximum_averaged",
    "Your rule for maximum mixes both slopes. Only the larger number moves the result.",
    source=changed(MENDED, (MAXIMUM, "(max(a, b), (da + db) / 2)")),
)
wrong(
    "mended_jvps",
    "maximum_first",
    "Your rule for maximum gives the slope of a here, though b is the larger number. Which of a and b is larger decides, and nothing else.",
    source=changed(MENDED, (MAXIMUM, "(max(a, b), da)")),
)
wrong(
    "mended_jvps",
    "maximum_of_the_smaller",
    "Your rule for maximum gives the slope of a here, though b is the larger number. Which of a and b is larger decides, and nothing else.",
    source=changed(MENDED, (MAXIMUM, "(max(a, b), da if a < b else db)")),
)
wrong(
    "mended_jvps",
    "maximum_by_size",
    "Your rule for maximum compares sizes: of -3 and 1 the larger number is 1.",
    source=changed(MENDED, (MAXIMUM, "(max(a, b), da if abs(a) > abs(b) else db)")),
)


@wrong("mended_jvps", "share_by_logarithm", "Your rule for share divides by a number that may be 0. Only a + b has to be another number than 0.")
def mended_jvps():
    def share(a, da, b, db):
        out = a / (a + b)
        return out, out * (da / a - (da + db) / (a + b))

    return {
        "share": share,
        "tanh": lambda a, da: (math.tanh(a), (1 - math.tanh(a) ** 2) * da),
        "maximum": lambda a, da, b, db: (a, da) if a > b else (b, db),
    }


wrong(
    "mended_jvps",
    "tanh_slope_squared",
    "In your rule for tanh the slope da is inside the square. It is a factor outside.",
    source=changed(MENDED, (TANH_SLOPE, "1 - (math.tanh(a) * da) ** 2")),
)


@wrong("mended_jvps", "slopes_only", "Your rule for maximum returns the slope alone. Each rule returns the value and the slope.")
def mended_jvps():
    return {
        "share": lambda a, da, b, db: (da * b - a * db) / (a + b) ** 2,
        "tanh": lambda a, da: (1 - math.tanh(a) ** 2) * da,
        "maximum": lambda a, da, b, db: da if a > b else db,
    }


@wrong("mended_jvps", "no_dict", "You returned a list. Asked for is a dict: each name, as in SENT, with its rule.")
def mended_jvps():
    return [
        lambda a, da, b, db: (a / (a + b), (da * b - a * db) / (a + b) ** 2),
        lambda a, da: (math.tanh(a), (1 - math.tanh(a) ** 2) * da),
        lambda a, da, b, db: (a, da) if a > b else (b, db),
    ]


@wrong(
    "mended_jvps",
    "share_missed",
    "You found two. The third is right as long as b stands still.",
)
def mended_jvps():
    return {
        "tanh": lambda a, da: (math.tanh(a), (1 - math.tanh(a) ** 2) * da),
        "maximum": lambda a, da, b, db: (a, da) if a > b else (b, db),
    }


@right("mended_jvps", "with_def")
def mended_jvps():
    def share(a, da, b, db):
        whole, dwhole = a + b, da + db
        return a / whole, (da * whole - a * dwhole) / whole**2

    def tanh(a, da):
        t = math.tanh(a)
        return t, da * (1 - t * t)

    def maximum(a, da, b, db):
        if a < b:
            return b, db
        return a, da

    return dict(share=share, tanh=tanh, maximum=maximum)


@right("mended_jvps", "other_formulas")
def mended_jvps():
    mended = {}
    mended["tanh"] = lambda a, da: (math.tanh(a), da / math.cosh(a) ** 2)
    mended["maximum"] = lambda a, da, b, db: max([a, da], [b, db])
    mended["share"] = lambda a, da, b, db: (
        a * (a + b) ** -1,
        (da - a / (a + b) * (da + db)) / (a + b),
    )
    return mended


@right("mended_jvps", "on_top_of_the_old_ones")
def mended_jvps():
    old = SENT["tanh"][1]
    return {
        "tanh": lambda a, da: (old(a, da)[0], old(a, da)[1] * da),
        "share": lambda a, da, b, db: (a / (a + b), SENT["share"][1](a, da, b, -db)[1]),
        "maximum": lambda a, da, b, db: (max(a, b), da * (a > b) + db * (a <= b)),
    }


@wrong(
    "mended_jvps",
    "smooth_maximum",
    "Where the two numbers are close, this mixes their slopes: the maximum has the slope of the larger one alone.",
)
def mended_jvps():
    def maximum(a, da, b, db):
        weight = 0.5 + 0.5 * math.tanh(50 * (a - b))
        return max(a, b), weight * da + (1 - weight) * db

    return {
        "share": lambda a, da, b, db: (a / (a + b), (da * b - a * db) / (a + b) ** 2),
        "tanh": lambda a, da: (math.tanh(a), da * (1 - math.tanh(a) ** 2)),
        "maximum": maximum,
    }


wrong(
    "mended_jvps",
    "maximum_with_a_margin",
    "Where the two numbers are very close, your rule for maximum gives the slope of the smaller one. However little is between them, the larger one's slope counts.",
    source=changed(MENDED, (MAXIMUM, "(max(a, b), da if a - b > 1e-6 else db)")),
)
wrong(
    "mended_jvps",
    "share_reversed",
    "Your rule for share gives the slope with the wrong sign. The share rises when a gains, and falls when b does.",
    source=changed(MENDED, (SHARE_SLOPE, "(a * db - da * b) / (a + b) ** 2")),
)
wrong(
    "mended_jvps",
    "share_of_a_whole_that_rises_by_one",
    "Your rule for share takes the sum below the line to rise by 1. It rises by da + db: that is the factor missing.",
    source=changed(MENDED, (SHARE_SLOPE, "da / (a + b) - a / (a + b) ** 2")),
)
wrong(
    "mended_jvps",
    "share_of_a_whole_that_stands_still",
    "Your rule for share takes the sum below the line to stand still. It rises by da + db.",
    source=changed(MENDED, (SHARE_SLOPE, "da / (a + b)")),
)
wrong(
    "mended_jvps",
    "tanh_slope_in_one_term",
    "In your rule for tanh, da is a factor of the 1 alone. It is a factor of all of 1 - tanh(a)².",
    source=changed(MENDED, (TANH_SLOPE, "da - math.tanh(a) ** 2")),
)
wrong(
    "mended_jvps",
    "tanh_slope_in_the_other_term",
    "In your rule for tanh, da is a factor of the square alone. It is a factor of all of 1 - tanh(a)².",
    source=changed(MENDED, (TANH_SLOPE, "1 - math.tanh(a) ** 2 * da")),
)


@wrong("mended_jvps", "whole_bracket_squared", "In the rule of tanh the whole bracket is squared: the slope is 1 - tanh², and not (1 - tanh)².")
def mended_jvps():
    return {
        "share": lambda a, da, b, db: (a / (a + b), (da * b - a * db) / (a + b) ** 2),
        "tanh": lambda a, da: (math.tanh(a), da * (1 - math.tanh(a)) ** 2),
        "maximum": lambda a, da, b, db: (max(a, b), da if a > b else db),
    }


@wrong("mended_jvps", "last_of_the_loop", "Another rule answers under this name. A lambda that is made in a loop looks its names up when it is called, and finds what the last round left: put the functions into the dict themselves.")
def mended_jvps():

    def share(a, da, b, db):
        return a / (a + b), (da * b - a * db) / (a + b) ** 2

    def tanh(a, da):
        return math.tanh(a), da * (1 - math.tanh(a) ** 2)

    def maximum(a, da, b, db):
        return (a, da) if a > b else (b, db)

    mended = {}
    for rule in (share, tanh, maximum):
        mended[rule.__name__] = lambda *numbers: rule(*numbers)
    return mended


wrong("mended_jvps", "share_by_five_points", "Your rule for share is a difference quotient: close, and not exact. Use the quotient rule, with a + b below.",
      source="""
def five_points(at, h=1e-3):
    return (at(-2 * h) - 8 * at(-h) + 8 * at(h) - at(2 * h)) / (12 * h)

""" + changed(MENDED, (SHARE_SLOPE, "five_points(lambda t: (a + t * da) / (a + t * da + b + t * db))")))


# -- best_angle -------------------------------------------------------------------------------------------------------

HALVING = """
def best_angle(reach):
    low, high = 0.1, 1.4
    for _ in range(12):
        middle = (low + high) / 2
        if derivative(reach, middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
"""


@wrong("best_angle", "school", "45 degrees are best without air and from the ground. Here there is air, and a roof.")
def best_angle(reach):
    return math.pi / 4


@wrong("best_angle", "twelve_steps", "The best of 12 angles in equal steps: between two of them lies a better one.")
def best_angle(reach):
    angles = [0.1 + 1.3 * i / 11 for i in range(12)]
    return max(angles, key=reach)


@wrong("best_angle", "too_many_throws", "The angle is right, and it took far more than 12 throws. What does the slope at one angle tell about all others?")
def best_angle(reach):
    angles = [0.1 + 1.3 * i / 1300 for i in range(1301)]
    return max(angles, key=reach)


wrong(
    "best_angle",
    "worst_half",
    "The angle runs to the end of the range. Where the *slope* (not reach itself) is above 0, a better angle lies to the right, else to the left. In steps, uphill is plus, and long ones jump over the best angle.",
    source=changed(
        HALVING,
        (
            "low = middle\n        else:\n            high = middle",
            "high = middle\n        else:\n            low = middle",
        ),
    ),
)
wrong(
    "best_angle",
    "few_halvings",
    "You are on the right way, and stop too early: when the range was halved five times, many angles are left.",
    source=changed(HALVING, ("range(12)", "range(5)")),
)
wrong(
    "best_angle",
    "in_degrees",
    "This is the best angle in degrees. reach takes radians, and so does the answer.",
    source=changed(HALVING, ("return (low + high) / 2", "return math.degrees((low + high) / 2)")),
)
wrong(
    "best_angle",
    "the_metres",
    "These are the metres of the farthest throw. Return its angle.",
    source=changed(HALVING, ("return (low + high) / 2", "return reach((low + high) / 2)")),
)


@wrong("best_angle", "finds_a_zero", "The angle runs to the end of the range. Where the *slope* (not reach itself) is above 0, a better angle lies to the right, else to the left. In steps, uphill is plus, and long ones jump over the best angle.")
def best_angle(reach):
    angle = 0.7
    for _ in range(6):
        angle = angle - reach(angle) / derivative(reach, angle)
    return min(max(angle, 0.1), 1.4)


wrong(
    "best_angle",
    "while_it_throws",
    "The angle runs to the end of the range. Where the *slope* (not reach itself) is above 0, a better angle lies to the right, else to the left. In steps, uphill is plus, and long ones jump over the best angle.",
    source=changed(HALVING, ("derivative(reach, middle) > 0", "reach(middle) > 0")),
)

ZERO_METRES = """
def best_angle(reach):
    angle = 0.75
    for _ in range(12):
        angle = newton_step(reach, angle)
    return angle
"""
STRAIGHT = "This is an angle that throws 0 metres, straight up or down. Not reach has to be 0 but its *slope*."

wrong("best_angle", "zero_metres", STRAIGHT, source=ZERO_METRES)
wrong("best_angle", "zero_metres_from_below", STRAIGHT, source=changed(ZERO_METRES, ("0.75", "0.1")))
wrong(
    "best_angle",
    "zero_metres_from_above",
    "This throws straight up, to 0 metres, and the range ends at 1.4. Not reach has to be 0 but its *slope*; where that is above 0, a better angle lies to the right.",
    source=changed(ZERO_METRES, ("0.75", "1.4")),
)
wrong(
    "best_angle",
    "backwards",
    "This angle throws backwards, as far as it goes: there the slope is 0, too, and reach is smallest. The range ends at 1.4; in steps, uphill is plus.",
    source="""
    def best_angle(reach):
        angle = 0.7
        for _ in range(12):
            angle = angle - 0.01 * derivative(reach, angle)
        return angle
    """,
)

DOUBLED = "The angle is right. Each round throws twice, or there are too many rounds: one throw with a Dual tells the slope, and no more is needed to choose a half."

for rounds in (7, 8, 10, 12, 15, 20):
    wrong(
        "best_angle",
        f"two_throws_in_each_of_{rounds}_rounds",
        DOUBLED,
        source=changed(
            HALVING,
            ("range(12)", f"range({rounds})"),
            ("        if", "        metres = reach(middle)\n        if"),
        ),
    )
for rounds in (13, 14, 15, 16, 18, 20, 25, 30, 40, 50, 100):
    wrong("best_angle", f"{rounds}_rounds", DOUBLED, source=changed(HALVING, ("range(12)", f"range({rounds})")))


@wrong("best_angle", "one_step_uphill", "One step uphill leads to a better angle, and not yet to the best. Go on.")
def best_angle(reach):
    return 0.7 + 0.002 * derivative(reach, 0.7)


@wrong("best_angle", "steps_too_long", "The angle runs to the end of the range. Where the *slope* (not reach itself) is above 0, a better angle lies to the right, else to the left. In steps, uphill is plus, and long ones jump over the best angle.")
def best_angle(reach):
    angle = 0.7
    for _ in range(12):
        angle = min(max(angle + 0.2 * derivative(reach, angle), 0.1), 1.4)
    return angle


@wrong("best_angle", "steps_too_short", "The steps uphill are so short that 12 throws do not lead to the best angle.")
def best_angle(reach):
    angle = 0.1
    for _ in range(12):
        angle = angle + 0.0002 * derivative(reach, angle)
    return angle


@wrong("best_angle", "downhill", "The angle runs to the end of the range. Where the *slope* (not reach itself) is above 0, a better angle lies to the right, else to the left. In steps, uphill is plus, and long ones jump over the best angle.")
def best_angle(reach):
    angle = 0.7
    for _ in range(12):
        angle = min(max(angle - 0.01 * derivative(reach, angle), 0.1), 1.4)
    return angle


@wrong("best_angle", "the_roof_of_the_picture", "This is the best angle of one roof, one arm and one air. Have `reach` tell you about others.")
def best_angle(reach):
    return 0.62619


@wrong("best_angle", "one_rate_for_all", "The steps uphill suit some throws only. For a strong arm the slope is steep, and they jump over the best angle.")
def best_angle(reach):
    angle = 0.7
    for _ in range(12):
        angle = min(max(angle + 0.01 * derivative(reach, angle), 0.1), 1.4)
    return angle


wrong(
    "best_angle",
    "part_of_the_range",
    "You search a part of the range only. A slow throw from a high roof goes farthest at a low angle.",
    source=changed(HALVING, ("0.1, 1.4", "0.3, 1.0")),
)


@wrong("best_angle", "two_scans", "Between two angles of your second scan lies a better one: for a strong arm its steps are too wide, and more than a millimetre is lost. Let the sign of the slope halve the range.")
def best_angle(reach):
    first = [0.1 + 1.3 * i / 5 for i in range(6)]
    near = max(first, key=reach)
    second = [near + 1.3 / 5 * (i - 2.5) / 2.5 for i in range(6)]
    return min(max(max(second, key=reach), 0.1), 1.4)


@wrong("best_angle", "golden_section", DOUBLED)
def best_angle(reach):
    low, high, left = 0.1, 1.4, (5**0.5 - 1) / 2
    for _ in range(17):
        a, b = high - left * (high - low), low + left * (high - low)
        if reach(a) < reach(b):
            low = a
        else:
            high = b
    return (low + high) / 2


@wrong("best_angle", "golden_section_in_twelve", "Values alone do not narrow the range enough in 12 throws. A throw with a Dual tells on which side of it the best angle lies, and halves the range.")
def best_angle(reach):
    low, high, left = 0.1, 1.4, (5**0.5 - 1) / 2
    a, b = high - left * (high - low), low + left * (high - low)
    at_a, at_b = reach(a), reach(b)
    for _ in range(10):
        if at_a < at_b:
            low, a, at_a = a, b, at_b
            b = low + left * (high - low)
            at_b = reach(b)
        else:
            high, b, at_b = b, a, at_a
            a = high - left * (high - low)
            at_a = reach(a)
    return (low + high) / 2


@right("best_angle", "in_turn")
def best_angle(reach):
    def within(low, high, throws):
        middle = low + (high - low) / 2
        if throws == 0:
            return middle
        half = (middle, high) if derivative(reach, middle) >= 0 else (low, middle)
        return within(*half, throws - 1)

    return within(0.1, 1.4, 12)


@right("best_angle", "steps_that_halve")
def best_angle(reach):
    angle, step = 0.75, 0.65
    for _ in range(12):
        step /= 2
        angle += step if derivative(reach, angle) > 0 else -step
    return angle


wrong(
    "best_angle",
    "from_zero",
    "The best angle between 0.1 and 1.4 is asked for, and this one may lie outside.",
    source=changed(HALVING, ("0.1, 1.4", "0.0, math.pi / 2"), ("range(12)", "range(38)")),
)
wrong(
    "best_angle",
    "eight_halvings",
    "For a far throw more than a millimetre is lost: the range is still too wide when the search ends. You have 12 throws.",
    source=changed(HALVING, ("range(12)", "range(8)")),
)


@wrong("best_angle", "angle_of_the_throw_before", "This may be the best angle of the throw before: a list as a default is made once, and kept from call to call. Begin anew in each call.")
def best_angle(reach, limits=[0.1, 1.4]):
    for _ in range(12):
        middle = (limits[0] + limits[1]) / 2
        if reach(Dual(middle, 1.0)).tangent > 0:
            limits[0] = middle
        else:
            limits[1] = middle
    return (limits[0] + limits[1]) / 2
