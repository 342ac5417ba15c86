# ---
# jupyter:
#   autograder:
#     unit: mini
#     allow: []
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A small unit for the tests

# %% setup="imports"
import math

from autograder import exercise, number, numerical_gradient, positive, probe, yours

# %% [markdown]
# The rule of a product.


# %% exercise="mul_vjp"
def mul_vjp(g, a, b):
    """The gradients of a and b, given the gradient g of a * b."""
    ### BEGIN SOLUTION
    return g * b, g * a
    ### END SOLUTION


# %% check="mul_vjp" points=2
with exercise("mul_vjp") as check:
    check.close(yours.mul_vjp(10.0, 2.0, 3.0), (30.0, 20.0), "d(ab)/da is b, and it is multiplied by g")
    ### BEGIN HIDDEN TESTS
    for g, a, b in check.cases(10, number(), number(), number()):
        da, db = numerical_gradient(lambda a, b: a * b, a, b)
        check.close(yours.mul_vjp(g, a, b), (g * da, g * db), "the numerical gradient, times g")
    ### END HIDDEN TESTS

# %%
shown = [n * n for n in range(4)]
shown


# %% given="box"
class Box:
    def __init__(self, value):
        self.value = value


# %% exercise="unbox"
def unbox(boxes):
    """The sum of the logarithms of the values of some boxes."""
    ### BEGIN SOLUTION
    return sum(math.log(box.value) for box in boxes)
    ### END SOLUTION


# %% check="unbox" points=3
@probe
def sum_of_logs(values):
    return unbox([Box(v) for v in values])


with exercise("unbox") as check:
    check.close(sum_of_logs([1.0, math.e]), 1.0, "log 1 + log e = 0 + 1")
    ### BEGIN HIDDEN TESTS
    for a, b, c in check.cases(10, positive(), positive(), positive()):
        check.close(sum_of_logs([a, b, c]), math.log(a * b * c), "the logarithm of the product")
    check.close(sum_of_logs([]), 0.0, "an empty sum is 0")
    ### END HIDDEN TESTS

# %% figure="squares"
print(shown)
