"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 00_start_here`) and they diagnose: a student's answer that behaves like one
of these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the
functions use (Recipe, Polynomial) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import right, wrong

# -- slope_between ----------------------------------------------------------------------------------------------------


@wrong(
    "slope_between",
    "colleague",
    "The run is counted backwards. Rise and run go from the first point to the second.",
)
def slope_between(x0, y0, x1, y1):
    return (y1 - y0) / (x0 - x1)


@wrong(
    "slope_between",
    "run_over_rise",
    "This is the run divided by the rise. The slope is the other way round.",
)
def slope_between(x0, y0, x1, y1):
    return (x1 - x0) / (y1 - y0)


@wrong("slope_between", "no_brackets", "Python divides before it subtracts. Put each difference in brackets.")
def slope_between(x0, y0, x1, y1):
    return y1 - y0 / x1 - x0


@wrong("slope_between", "rise_only", "This is the rise. The slope is the rise for each step to the right: divide it by x1 - x0.")
def slope_between(x0, y0, x1, y1):
    return y1 - y0


@wrong(
    "slope_between",
    "whole_numbers",
    "`//` throws away what stands behind the decimal point. Divide with `/`.",
)
def slope_between(x0, y0, x1, y1):
    return (y1 - y0) // (x1 - x0)


NO_SLOPE = "No slope comes back: the function has no `return`, or one without a value. `print` only shows a number."


@wrong("slope_between", "printed", NO_SLOPE)
def slope_between(x0, y0, x1, y1):
    print((y1 - y0) / (x1 - x0))


@wrong("slope_between", "not_returned", NO_SLOPE)
def slope_between(x0, y0, x1, y1):
    slope = (y1 - y0) / (x1 - x0)


@wrong(
    "slope_between",
    "distance",
    "A run to the left is negative. Here it counts as one to the right, by `abs`, or since the two x were swapped and their y were not.",
)
def slope_between(x0, y0, x1, y1):
    return (y1 - y0) / abs(x1 - x0)


@wrong("slope_between", "times_run", "You multiplied the rise by the run. The slope is the rise *per* step to the right.")
def slope_between(x0, y0, x1, y1):
    return (y1 - y0) * (x1 - x0)


@right("slope_between", "in_steps")
def slope_between(x0, y0, x1, y1):
    rise = y1 - y0
    run = x1 - x0
    return rise / run


@right("slope_between", "both_backwards")
def slope_between(x0, y0, x1, y1):
    return (y0 - y1) / (x0 - x1)


# -- make_line --------------------------------------------------------------------------------------------------------


@wrong(
    "make_line",
    "a_number",
    "You returned a number. Return the inner function itself, without brackets behind its name: it computes the height when it is called.",
)
def make_line(slope, x0, y0):
    return y0 + slope * x0


@wrong(
    "make_line",
    "called_at_x0",
    "You returned a number. Return the inner function itself, without brackets behind its name: it computes the height when it is called.",
)
def make_line(slope, x0, y0):
    def line(x):
        return y0 + slope * (x - x0)

    return line(x0)


@wrong(
    "make_line",
    "a_text",
    "You returned a text. Return a function: `def line(x):` inside, and then `return line`.",
)
def make_line(slope, x0, y0):
    return f"y = {y0} + {slope} * (x - {x0})"


@wrong(
    "make_line",
    "no_inner_function",
    "There is no x yet: it comes when the line is called. Return an inner function that takes it, without brackets.",
)
def make_line(slope, x0, y0):
    return y0 + slope * (x - x0)


@wrong(
    "make_line",
    "not_returned",
    "No function comes back. The last line has to return the inner function, without brackets behind its name.",
)
def make_line(slope, x0, y0):
    def line(x):
        return y0 + slope * (x - x0)


@wrong("make_line", "through_zero", "x0 plays no part. The line has height y0 at x0, not at 0.")
def make_line(slope, x0, y0):
    return lambda x: y0 + slope * x


@wrong("make_line", "height_forgotten", "y0 plays no part. The line starts at that height.")
def make_line(slope, x0, y0):
    return lambda x: slope * (x - x0)


@wrong(
    "make_line",
    "backwards",
    "The step is counted from x to x0. Where x is larger than x0, a rising line is higher.",
)
def make_line(slope, x0, y0):
    return lambda x: y0 + slope * (x0 - x)


@wrong(
    "make_line",
    "inner_prints",
    "The inner function gives None: it has no `return`. `print` shows a number, and then the number is lost.",
)
def make_line(slope, x0, y0):
    def line(x):
        print(y0 + slope * (x - x0))

    return line


@wrong(
    "make_line",
    "called",
    "There is no x yet: it comes when the line is called. Return the inner function itself, without brackets.",
)
def make_line(slope, x0, y0):
    def line(x):
        return y0 + slope * (x - x0)

    return line(x)


wrong(
    "make_line",
    "global_names",
    "All your lines share their numbers, so the newest changes the older ones. Keep the numbers in the closure.",
    source="""
    def make_line(slope, x0, y0):
        global _line
        _line = slope, x0, y0

        def line(x):
            slope, x0, y0 = _line
            return y0 + slope * (x - x0)

        return line
    """,
)


@right("make_line", "lambda")
def make_line(slope, x0, y0):
    return lambda x: slope * x + (y0 - slope * x0)


@right("make_line", "partial")
def make_line(slope, x0, y0):
    from functools import partial

    def height(slope, x0, y0, x):
        return slope * (x - x0) + y0

    return partial(height, slope, x0, y0)
BELOW_5 = "At x = 0 the height is below 5: the sign of x - x0 is lost, as with abs, or a call changes y0 (nonlocal), and the next one starts from another height."


@wrong("make_line", "start_moves", BELOW_5)
def make_line(slope, x0, y0):
    def line(x):
        nonlocal y0
        y0 += slope * (x - x0)
        return y0

    return line


@wrong("make_line", "distance_to_x0", BELOW_5)
def make_line(slope, x0, y0):
    def line(x):
        change = abs(slope * (x - x0))
        return y0 + change if slope > 0 else y0 - change

    return line


# -- total_price ------------------------------------------------------------------------------------------------------


@wrong("total_price", "list_of_products", "You returned the products. Their sum is asked for.")
def total_price(prices, counts):
    return [price * count for price, count in zip(prices, counts)]


@wrong(
    "total_price",
    "each_with_each",
    "Each price is paired with each count here, as in two loops. Walk along both lists in step, with zip.",
)
def total_price(prices, counts):
    return sum(price * count for price in prices for count in counts)


@wrong(
    "total_price",
    "sums_multiplied",
    "Each price is paired with each count here, as in two loops. Walk along both lists in step, with zip.",
)
def total_price(prices, counts):
    return sum(prices) * sum(counts)


@wrong("total_price", "added", "You added price and count. Four things at 2.5 cost 4 times 2.5.")
def total_price(prices, counts):
    return sum(price + count for price, count in zip(prices, counts))


@wrong("total_price", "prices_only", "The counts play no part.")
def total_price(prices, counts):
    return sum(prices)


@wrong(
    "total_price",
    "return_in_the_loop",
    "`return` stands inside the loop, so the function ends after the first pair.",
)
def total_price(prices, counts):
    total = 0
    for price, count in zip(prices, counts):
        total += price * count
        return total
    return total


@wrong(
    "total_price",
    "overwritten",
    "Each round replaces the total, so only the last product is left. Add with +=.",
)
def total_price(prices, counts):
    total = 0
    for price, count in zip(prices, counts):
        total = price * count
    return total


@wrong("total_price", "last_one_left_out", "The last pair is left out: range(n) ends before n already.")
def total_price(prices, counts):
    return sum(prices[i] * counts[i] for i in range(len(prices) - 1))


@wrong(
    "total_price",
    "printed",
    "No total comes back: the function has no `return`, or one without a value. `print` only shows a number.",
)
def total_price(prices, counts):
    print(sum(price * count for price, count in zip(prices, counts)))


@wrong(
    "total_price",
    "dict_of_prices",
    "A dict keeps one count for each price, so of two equal prices the first is lost. Walk along the pairs of zip.",
)
def total_price(prices, counts):
    basket = dict(zip(prices, counts))
    return sum(price * count for price, count in basket.items())


@right("total_price", "by_position")
def total_price(prices, counts):
    total = 0.0
    for i in range(len(prices)):
        total += prices[i] * counts[i]
    return total


@right("total_price", "map")
def total_price(prices, counts):
    return sum(map(lambda price, count: price * count, prices, counts))


@wrong("total_price", "list_that_stays", "This is the total of this call and of the one before. A list in the `def` line, or outside of the function, is made once and keeps what earlier calls put into it.")
def total_price(prices, counts, products=[]):
    for price, count in zip(prices, counts):
        products.append(price * count)
    return sum(products)


# -- recipe_operators -------------------------------------------------------------------------------------------------

RECIPE = '''
class Recipe:
    def __init__(self, text):
        self.text = text

    def __add__(self, other):
        {add}

    def __mul__(self, other):
        {mul}
'''


def recipe(add: str, mul: str) -> str:
    return RECIPE.format(add=add, mul=mul)


ADD = 'return Recipe(f"({self.text} + {other.text})")'
MUL = 'return Recipe(f"({self.text} * {other.text})")'

wrong(
    "recipe_operators",
    "text_alone",
    "A text is asked for its `.text`. If you returned a text: return a Recipe that holds it, so that the result can be added again.",
    source=recipe('return f"({self.text} + {other.text})"', 'return f"({self.text} * {other.text})"'),
)
wrong(
    "recipe_operators",
    "no_brackets",
    "The brackets are missing. Without them nobody can tell in a longer recipe what was done first.",
    source=recipe('return Recipe(f"{self.text} + {other.text}")', 'return Recipe(f"{self.text} * {other.text}")'),
)
JOINED = "A text can be joined to texts only, and `self` and `other` are Recipes: it needs `self.text` and `other.text`."
wrong(
    "recipe_operators",
    "other_itself",
    JOINED,
    source=recipe('return Recipe("(" + self.text + " + " + other + ")")', MUL),
)
wrong(
    "recipe_operators",
    "self_itself",
    JOINED,
    source=recipe('return Recipe("(" + self + " + " + other.text + ")")', MUL),
)
wrong(
    "recipe_operators",
    "changes_left",
    "You changed the left Recipe. A sum is a new object, and its parts stay what they are.",
    source=recipe('self.text = f"({self.text} + {other.text})"; return self', MUL),
)
wrong(
    "recipe_operators",
    "mul_like_add",
    "Your product has a plus in its text.",
    source=recipe(ADD, ADD),
)
wrong(
    "recipe_operators",
    "sides_swapped",
    "Left and right are exchanged: `self` is what stands on the left.",
    source=recipe(ADD, 'return Recipe(f"({other.text} * {self.text})")'),
)
NO_PRODUCT = "`__mul__` does not return anything. Return a Recipe that holds the text."
wrong(
    "recipe_operators",
    "mul_returns_nothing",
    NO_PRODUCT,
    source=recipe(ADD, 'f"({self.text} * {other.text})"'),
)
wrong("recipe_operators", "mul_passed_over", NO_PRODUCT, source=recipe(ADD, "pass"))
wrong(
    "recipe_operators",
    "mul_open",
    "One method is written. `__mul__` is asked for too: the same, with `*` in its text.",
    source=recipe(ADD, 'raise NotImplementedError("your answer goes here")'),
)
wrong(
    "recipe_operators",
    "printed",
    "Nothing comes back. `return` a Recipe that holds the text; `print` only shows it.",
    source=recipe('print(f"({self.text} + {other.text})")', 'print(f"({self.text} * {other.text})")'),
)
wrong(
    "recipe_operators",
    "passed_over",
    "Nothing comes back. `return` a Recipe that holds the text; `print` only shows it.",
    source=recipe("pass", "pass"),
)
wrong(
    "recipe_operators",
    "other_in_the_braces",
    "`other` is a Recipe. In the text you need `other.text`.",
    source=recipe('return Recipe(f"({self.text} + {other})")', 'return Recipe(f"({self.text} * {other})")'),
)
wrong(
    "recipe_operators",
    "both_in_the_braces",
    "`self` and `other` are Recipes. In the text you need `self.text` and `other.text`.",
    source=recipe('return Recipe(f"({self} + {other})")', 'return Recipe(f"({self} * {other})")'),
)
wrong(
    "recipe_operators",
    "no_blanks",
    "The blanks are missing: one on each side of the operator.",
    source=recipe('return Recipe(f"({self.text}+{other.text})")', 'return Recipe(f"({self.text}*{other.text})")'),
)
wrong(
    "recipe_operators",
    "f_forgotten",
    "The `f` in front of the quotation marks is missing: without it, braces are braces.",
    source=recipe('return Recipe("({self.text} + {other.text})")', 'return Recipe("({self.text} * {other.text})")'),
)
wrong(
    "recipe_operators",
    "brackets_on_the_left_only",
    "A result on the right loses its brackets: c plus the product is (c + (a * b)). Take each text as it is.",
    source=recipe(
        "return Recipe(f\"({self.text} + {other.text.strip('()')})\")",
        "return Recipe(f\"({self.text} * {other.text.strip('()')})\")",
    ),
)
right(
    "recipe_operators",
    "put_together_with_plus",
    source=recipe(
        'return Recipe("(" + self.text + " + " + other.text + ")")',
        'return Recipe("(" + self.text + " * " + other.text + ")")',
    ),
)
right(
    "recipe_operators",
    "with_a_helper",
    source="""
    class Recipe:
        def __init__(self, text):
            self.text = text

        def _join(self, operator, other):
            return type(self)(" ".join(["(" + self.text, operator, other.text + ")"]))

        def __add__(self, other):
            return self._join("+", other)

        def __mul__(self, other):
            return self._join("*", other)
    """,
)

# -- polynomial_call --------------------------------------------------------------------------------------------------

POLYNOMIAL = '''
class Polynomial:
    def __init__(self, coefficients):
        self.coefficients = coefficients

    def __call__(self, x):
        {call}
'''


def polynomial(call: str) -> str:
    return POLYNOMIAL.format(call=call)


wrong(
    "polynomial_call",
    "no_powers",
    "The coefficients are added up without any power of x.",
    source=polynomial("return sum(self.coefficients)"),
)
wrong(
    "polynomial_call",
    "x_once",
    "Every coefficient is multiplied by x. The one at position i belongs to x ** i.",
    source=polynomial("return sum(c * x for c in self.coefficients)"),
)
wrong(
    "polynomial_call",
    "from_one",
    "The powers begin at 1. The first coefficient is the constant, with x ** 0.",
    source=polynomial("return sum(c * x**i for i, c in enumerate(self.coefficients, start=1))"),
)
wrong(
    "polynomial_call",
    "from_the_back",
    "The highest power went to the first coefficient. The list begins with the constant.",
    source=polynomial("return sum(c * x**i for i, c in enumerate(reversed(self.coefficients)))"),
)
wrong(
    "polynomial_call",
    "times_position",
    "You multiplied by the position. It is the exponent of x.",
    source=polynomial("return sum(c * x * i for i, c in enumerate(self.coefficients))"),
)
wrong(
    "polynomial_call",
    "printed",
    "No value comes back: `__call__` has no `return`, or one without a value. `print` only shows a number.",
    source=polynomial("print(sum(c * x**i for i, c in enumerate(self.coefficients)))"),
)
wrong(
    "polynomial_call",
    "no_self",
    "Inside a method the list is `self.coefficients`: it belongs to the object.",
    source=polynomial("return sum(c * x**i for i, c in enumerate(coefficients))"),
)
wrong(
    "polynomial_call",
    "used_up",
    "pop takes the coefficients out of the list, so a second call finds none. Look at them without taking them away.",
    source=polynomial(
        "total = 0\n        while self.coefficients:\n"
        "            total = total * x + self.coefficients.pop()\n        return total"
    ),
)
wrong(
    "polynomial_call",
    "up_to_the_square",
    "From the fourth coefficient on, none counts. The list may hold any number of them.",
    source="""
    class Polynomial:
        def __init__(self, coefficients):
            self.coefficients = list(coefficients) + [0, 0, 0]

        def __call__(self, x):
            return self.coefficients[0] + self.coefficients[1] * x + self.coefficients[2] * x**2
    """,
)
wrong(
    "polynomial_call",
    "three_names",
    "This list has five coefficients, others have one. A loop takes them, however many there are.",
    source=polynomial("a, b, c = self.coefficients\n        return a + b * x + c * x**2"),
)
wrong(
    "polynomial_call",
    "position_by_index",
    "index finds the first coefficient of that value, so two equal ones get the same power. enumerate gives each its own.",
    source=polynomial("return sum(c * x ** self.coefficients.index(c) for c in self.coefficients)"),
)
right(
    "polynomial_call",
    "horner",
    source=polynomial(
        "total = 0\n        for c in reversed(self.coefficients):\n            total = total * x + c\n        return total"
    ),
)
right(
    "polynomial_call",
    "growing_power",
    source=polynomial(
        "total, power = 0.0, 1.0\n        for c in self.coefficients:\n            total += c * power\n"
        "            power *= x\n        return total"
    ),
)


wrong("polynomial_call", "place_as_factor", "The position is a factor of x here. It has to be the exponent.", source="""
class Polynomial:

    def __init__(self, coefficients):
        self.coefficients = coefficients

    def __call__(self, x):
        first, *others = self.coefficients
        return first + sum(c * x * i for i, c in enumerate(others, start=1))
""")

# -- in_a_row ---------------------------------------------------------------------------------------------------------


@wrong("in_a_row", "last_first", "The functions are called from the last to the first.")
def in_a_row(functions):
    def chain(x):
        for function in reversed(functions):
            x = function(x)
        return x

    return chain


@wrong(
    "in_a_row",
    "return_in_the_loop",
    "`return` stands inside the loop, so only the first function is called.",
)
def in_a_row(functions):
    def chain(x):
        for function in functions:
            x = function(x)
            return x
        return x

    return chain


@wrong(
    "in_a_row",
    "each_from_the_start",
    "Each function gets the first x. It has to get what the function before it gave.",
)
def in_a_row(functions):
    def chain(x):
        out = x
        for function in functions:
            out = function(x)
        return out

    return chain


@wrong(
    "in_a_row",
    "list_of_results",
    "You return what each function gives for x. One number goes through all of them.",
)
def in_a_row(functions):
    return lambda x: [function(x) for function in functions]


@wrong(
    "in_a_row",
    "never_called",
    "The functions are there, but the chain does not call them: it needs `function(x)`.",
)
def in_a_row(functions):
    def chain(x):
        for function in functions:
            x = function
        return x

    return chain


@wrong(
    "in_a_row",
    "used_up",
    "After the first call of the chain no function is left: an iterator was walked to its end, or the list was emptied.",
)
def in_a_row(functions):
    rest = iter(functions)

    def chain(x):
        for function in rest:
            x = function(x)
        return x

    return chain


@wrong(
    "in_a_row",
    "list_emptied",
    "After the first call of the chain no function is left: an iterator was walked to its end, or the list was emptied.",
)
def in_a_row(functions):
    def chain(x):
        while functions:
            x = functions.pop(0)(x)
        return x

    return chain


@wrong(
    "in_a_row",
    "chain_of_lambdas",
    "Something calls itself without end. If you make `chain` anew in each round: the name `chain` inside it means the last one, which is itself. See `late_binding`.",
)
def in_a_row(functions):
    chain = lambda x: x
    for function in functions:
        chain = lambda x: function(chain(x))
    return chain


@wrong(
    "in_a_row",
    "results_thrown_away",
    "x comes back as it was. What a function gives has to become the new x.",
)
def in_a_row(functions):
    def chain(x):
        for function in functions:
            function(x)
        return x

    return chain


@wrong("in_a_row", "up_to_three", "Four functions are too many for this. A loop calls them all, however many there are.")
def in_a_row(functions):
    if not functions:
        return lambda x: x
    if len(functions) == 1:
        return functions[0]
    if len(functions) == 2:
        return lambda x: functions[1](functions[0](x))
    return lambda x: functions[-1](functions[1](functions[0](x)))


NO_X = "There is no x there. Outside the inner function it comes only when the chain is called: return that function itself, without brackets. Inside, it has the name that its own `def` gives it."


@wrong("in_a_row", "called", NO_X)
def in_a_row(functions):
    def chain(x):
        for function in functions:
            x = function(x)
        return x

    return chain(x)


@wrong("in_a_row", "another_name_inside", NO_X)
def in_a_row(functions):
    def chain(value):
        for function in functions:
            value = function(x)
        return value

    return chain


@wrong(
    "in_a_row",
    "printed",
    "The chain gives None: it has no `return`. `print` shows a number, and then the number is lost.",
)
def in_a_row(functions):
    def chain(x):
        for function in functions:
            x = function(x)
        print(x)

    return chain


@wrong(
    "in_a_row",
    "not_returned",
    "No function comes back. The last line has to return the inner function, without brackets behind its name.",
)
def in_a_row(functions):
    def chain(x):
        for function in functions:
            x = function(x)
        return x


@wrong("in_a_row", "two_only", "Two functions are called here, and there are three. The list may hold any number of them, and the last one counts, too.")
def in_a_row(functions):
    return lambda x: functions[1](functions[0](x)) if functions else x


@wrong("in_a_row", "zero_is_skipped", "A result of 0 counts as nothing here, and the old x goes on. 0 is a number like others.")
def in_a_row(functions):
    def chain(x):
        for function in functions:
            x = function(x) or x
        return x

    return chain


@right("in_a_row", "reduce")
def in_a_row(functions):
    from functools import reduce

    return lambda x: reduce(lambda value, function: function(value), functions, x)


@right("in_a_row", "nested")
def in_a_row(functions):
    if not functions:
        return lambda x: x
    first, rest = functions[0], in_a_row(functions[1:])
    return lambda x: rest(first(x))


@wrong("in_a_row", "last_of_the_loop", "The last function was called in the place of every one. A lambda made in a loop looks at the loop's name when it is called, and by then that is the last function.")
def in_a_row(functions):
    chain = lambda x: x
    for function in functions:
        chain = lambda x, before=chain: function(before(x))
    return chain


@wrong("in_a_row", "two_at_least", "A list may hold a single function, or none: what unpacks a first and a last one fails there.")
def in_a_row(functions):
    if not functions:
        return lambda x: x
    first, *middle, last = functions

    def chain(x):
        x = first(x)
        for function in middle:
            x = function(x)
        return last(x)

    return chain
