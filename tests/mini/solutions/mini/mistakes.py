import math

from autograder.referee.bank import right, wrong


@wrong("mul_vjp", "no_upstream", "You returned the local derivatives, but did not multiply them by g.")
def mul_vjp(g, a, b):
    return b, a


@wrong("mul_vjp", "own_input", "Each input's gradient has the other input in it.")
def mul_vjp(g, a, b):
    return g * a, g * b


@wrong("mul_vjp", "forgot_return", "The result is computed and not returned.")
def mul_vjp(g, a, b):
    g * b, g * a


@right("mul_vjp", "named")
def mul_vjp(g, a, b):
    da = b * g
    db = a * g
    return (da, db)


@wrong("unbox", "log10", "That is the logarithm to base 10.")
def unbox(boxes):
    return sum(math.log10(box.value) for box in boxes)


@wrong("unbox", "endless", "The loop never gets to its end.", ends=False)
def unbox(boxes):
    while boxes:
        pass
    return 0.0


@wrong("unbox", "product", "The logarithms are to be added.")
def unbox(boxes):
    result = 1.0
    for box in boxes:
        result *= math.log(box.value)
    return result


@wrong("unbox", "no_empty", "Think of an empty list.")
def unbox(boxes):
    return math.log(math.prod(box.value for box in boxes)) if boxes else None


@right("unbox", "loop")
def unbox(boxes):
    total = 0.0
    for box in boxes:
        total += math.log(box.value)
    return total
