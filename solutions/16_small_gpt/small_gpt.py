# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
#   autograder:
#     unit: 16_small_gpt
#     allow: [autograd_ref.plots]
#     title: "A small GPT: from letters to verses"
# ---

# %% [markdown]
# # A small GPT: from letters to verses
#
# A network learns to write, from nothing but the 154 sonnets of Shakespeare. What to see: bits for each
# character of sonnets that it has not seen. Every stage needs fewer. A bit is one yes-or-no question. An untrained
# model guesses all alike: with 61 characters that would cost 5.93 bits each. Our 461 tokens are longer, and cost 3.73
# for each character.

# %% figure="goal" keep=true
def goal():
    import os

    for library in ("OPENBLAS", "OMP", "MKL"):  # before NumPy is there, as below
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")

    from autograd_ref import plots

    bits = {
        "untrained": 3.73,
        "pairs of characters": 3.40,
        "pairs of tokens": 2.60,
        "one head": 2.55,
        "small GPT": 2.42,
    }
    ax = plots.bars(bits, xlabel="bits for each character", title="Where we are going")
    for text, value in zip(ax.texts, bits.values()):
        text.set_text(f"{value:.2f}")

goal()

# %% setup="imports"
import os

# These arrays are small: more threads would only wait for one another.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import re
import textwrap
import time
from collections import Counter
from itertools import zip_longest
from types import SimpleNamespace

import numpy as np

import autograd_ref as engine
from autograd_ref import plots
from autograder import exercise, keep_line, predicted, probe, recall, yours


def floats(*rows):
    """Nested lists as an array of floats."""
    return np.array(rows, dtype=float)

# %% [markdown]
# You will be able to
#
# - build a GPT, see it train, stop and go on, and say what its numbers mean;
# - turn its logits into text, as daring as you like;
# - keep keys and values in a cache that changes nothing.
#
# **Time:** about 200 minutes, in two sittings: the second begins with section 7; a new kernel first runs the cells
# above, one to two minutes. **Builds on:** 07, 09, 10, 15.
#
# **Three questions first,** from earlier units.
#
# - *unit 14, size*: a picture of 9 by 9, a kernel of 3 by 3, stride 2, padding 1. How many rows come out?
# - *unit 14, shift*: the picture moves by one pixel. By how many does the map move, with stride 1?
# - *unit 13*: f is x³. What is its second derivative at 2?

# %%
# Write yours in place of None. The folded cell below looks at them.
answers = {"unit 14, size": None, "unit 14, shift": None, "unit 13": None}

# %% jupyter={"source_hidden": true}
recall(
    answers,
    {
        "unit 14, size": lambda: (9 + 2 * 1 - 3) // 2 + 1,
        "unit 14, shift": lambda: 1,
        "unit 13": lambda: 6 * 2,
    },
)

# %% [markdown]
# ## 1. The text
#
# William Shakespeare's sonnets, 1609, are in the public domain: 94 kilobytes. Of ten, eight are for training, one for
# validation (to choose), one for test (once).


# %% given="text"
SONNETS = engine.data.load_sonnets().strip().split("\n\n")
KINDS = {3: "validation", 8: "test"}
TEXTS = {"training": "", "validation": "", "test": ""}
for number, sonnet in enumerate(SONNETS):
    TEXTS[KINDS.get(number % 10, "training")] += sonnet + "\n\n"


def split(text):
    """Words, each with the space before it, and all other characters one by one."""
    return re.findall(r" ?[A-Za-z']+|[^A-Za-z']", text)


# %%
print(SONNETS[17][:162])
print({name: len(text) for name, text in TEXTS.items()}, "characters")
print(split("Rough winds do shake, and"))

# %% [markdown]
# ## 2. Tokens: byte-pair merges
#
# Characters make a model spell, and of words there are too many. Between the two: start with characters, make the
# most frequent pair of neighbours a token, and repeat. Merges stay within a word, so a word's pairs are counted once,
# times how often the word occurs.


# %% given="best_pair"
def best_pair(words, counts):
    """The most frequent pair (a, b) of neighbours in `words`, which occur `counts` times."""
    found = Counter()
    for word, count in zip(words, counts):
        for pair in zip(word, word[1:]):
            found[pair] += count
    return max(found, key=found.get)  # of equal ones the first that was met


# %%
pair = best_pair([[3, 1, 3, 1], [2, 4, 3], [2, 4]], [4, 3, 2])
print(pair, "stands 2 * 4 times, and (2, 4) only 3 + 2 times")

# %% [markdown]
# ### Exercise `merge` (3 points)
# Return a new list: `word` with every occurrence of `pair` replaced by `new`, from left to right. What was used in one
# pair is not used again. `new` may be one of the pair, too: look for pairs in `word`, and not in what you return.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Walk along: two go in and one comes out, or one goes in and comes out.
#
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# out, i = [], 0
# while i < len(word):
#     if ...:                   # the pair begins at i
#         out.append(new)
#         i += ...
#     else:
#         ...
# return out
# ```
#
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# The last token has no neighbour, and is kept. A list never equals a tuple.
#
# </details>


# %% exercise="merge"
def merge(word, pair, new):
    """A new list: `word` with each `pair` replaced by `new`, from left to right."""
    ### BEGIN SOLUTION
    out, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == tuple(pair):
            out.append(new)
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out
    ### END SOLUTION


# %% probes="merge"
@probe
def merged(word, pair, new):
    """What `merge` gives, of which type it is, and whether it is the very list that came in."""
    out = merge(word, pair, new)
    return out, type(out).__name__, out is word


# %% check="merge" points=3
with exercise("merge") as check:
    word = [2, 5, 1, 2, 1, 2, 5, 1, 2]
    check.equal(yours.merge(word, (1, 2), 9), [2, 5, 9, 9, 5, 9], "3 times, at the end too")
    check.untouched("the word stays as it was")
    check.equal(yours.merge([4, 4, 4, 4, 4], (4, 4), 9), [9, 9, 4], "each is used once")
    check.equal(yours.merge([2, 1, 1, 3, 1], (1, 2), 9), [2, 1, 1, 3, 1], "2 1 is not 1 2")
    check.equal(merged([2, 1], (1, 0), 9), ([2, 1], "list", False), "always a new list")
    check.equal(merged([2], (2, 1), 9), ([2], "list", False), "also of one token")
    check.equal(yours.merge([1, 1, 2], (1, 2), 9), [1, 9], "the second 1 begins the pair")
    check.equal(yours.merge([1, 2, 2], (1, 2), 1), [1, 2], "the new 1 is not merged again")
    check.equal(yours.merge([21, 2, 1, 21, 2], (1, 2), 9), [21, 2, 1, 21, 2], "not digits")
    check.equal(yours.merge([], (1, 2), 9), [], "nothing in it")
    ### BEGIN HIDDEN TESTS
    from autograder import integer

    check.equal(yours.merge([3], (3, 3), 9), [3], "one token has no neighbour")
    for word in ([], [3], [3, 4, 5], [3, 3, 4]):
        check.equal(merged(word, (3, 3), 9), ([9, 4] if word == [3, 3, 4] else word, "list", False), "a new list, in any case")
    check.equal(yours.merge([300, 700, 300, 700], (300, 700), 1000), [1000, 1000], "numbers of any size")
    check.equal(yours.merge([7, 0, 7], (0, 7), 7), [7, 7], "the new number may be an old one")
    check.equal(yours.merge([7, 0, 7, 7], (7, 7), 0), [7, 0, 0], "and it is not merged again")
    check.equal(yours.merge([1, 2, 2], (1, 2), 1), [1, 2], "what was just merged is no part of a pair")
    check.equal(yours.merge([11, 2, 1, 21, 2], (1, 2), 9), [11, 2, 1, 21, 2], "numbers, and not their digits")
    for n, a, b in check.cases(25, integer(2, 14), integer(0, 2), integer(0, 2)):
        word = [x for (x,) in check.cases(n, integer(0, 2))]
        expected, rest = [], list(word)
        while rest:
            used = 2 if rest[:2] == [a, b] else 1
            expected.append(50 if used == 2 else rest[0])
            rest = rest[used:]
        check.equal(yours.merge(word, (a, b), 50), expected, "from left to right")
        check.untouched()
    ### END HIDDEN TESTS

# %% [markdown]
# **Predict, then run.** On the training text, which two characters are merged first? A space is one, too.

# %%
prediction = None

if predicted(prediction, "first_merge"):
    counts = Counter(split(TEXTS["training"]))
    print("first merged:", best_pair(list(counts), list(counts.values())))
    found = Counter()
    for word, count in counts.items():
        for pair in zip(word, word[1:]):
            found[pair] += count
    print("the first five:", {a + b: count for (a, b), count in found.most_common(5)})

# %% given="tokens"
class Tokens:
    """The letters, then a token for each merge. `encode` makes numbers of text, `decode` text."""

    def __init__(self, text, letters, merges):
        self.names, self.pairs = list(letters), []
        counts = Counter(split(text))
        words = [[letters.index(letter) for letter in word] for word in counts]
        for _ in range(merges):
            pair = best_pair(words, list(counts.values()))
            words = [merge(word, pair, len(self.names)) for word in words]
            self.names.append(self.names[pair[0]] + self.names[pair[1]])
            self.pairs.append(pair)
        self.known = dict(zip(counts, words))

    def __len__(self):
        return len(self.names)

    def word(self, text):
        if text not in self.known:
            letters = len(self) - len(self.pairs)
            if unknown := [letter for letter in text if letter not in self.names[:letters]]:
                told = f"The sonnets have no {unknown[0]!r}, and there is no token for it."
                raise ValueError(told)
            numbers = [self.names.index(letter) for letter in text]
            for i, pair in enumerate(self.pairs):
                numbers = merge(numbers, pair, letters + i)
            self.known[text] = numbers
        return self.known[text]

    def encode(self, text):
        return np.array([number for word in split(text) for number in self.word(word)])

    def decode(self, numbers):
        return "".join(self.names[number] for number in numbers)


# %% figure="vocabulary"
def vocabulary():
    letters = sorted(set("".join(TEXTS.values())))
    tokens = Tokens(TEXTS["training"], letters, 400)
    print(f"{len(letters)} letters and signs, {len(tokens)} tokens")
    print("merge   1 to   8:", tokens.names[len(letters) :][:8])
    print("merge 393 to 400:", tokens.names[-8:])
    line = "Rough winds do shake the darling buds of May,"
    print("|".join(tokens.names[number] for number in tokens.encode(line)))
    assert tokens.decode(tokens.encode(line)) == line
    ids = {name: tokens.encode(text) for name, text in TEXTS.items()}
    for name, text in TEXTS.items():
        print(f"{name:10} {len(text):6,} characters, {len(ids[name]):6,} tokens")
    return tokens, ids


TOKENS, IDS = vocabulary()

# %% [markdown]
# ## 3. Windows
#
# A model reads T tokens and, at *each* of them, guesses the next. So a window is T tokens, and its targets are the
# same tokens moved on by one.


# %% given="windows"
def windows(ids, starts, T):
    """The tokens x (B, T) from each of `starts` on, and for each of them the next one, y (B, T)."""
    at = starts[:, None] + np.arange(T)
    return ids[at], ids[at + 1]


# %%
for row in windows(np.arange(10) * 11, np.array([2]), 5):
    print(row)

# %% [markdown]
# ## 4. How good is a guess?
#
# The cross-entropy of unit 07 is a mean for each *token*. Its exponential is called *perplexity*: at 8 the model is as
# unsure as a die of eight sides. But longer tokens are harder to guess. So divide all surprise, in bits, by the number
# of *characters*. A token's *surprise* is -log of its probability, in nats; a bit is log 2 nats.
#
# ### Exercise `bits_per_character` (3 points)
# `logits` is (n, V), `targets` (n,) holds the tokens that came,
# `lengths` (V,) each token's number of characters. Return a float. Logits may be as large as
# 10,000.
#
# <details><summary>Hint 1: how to begin</summary>
#
# On paper: the model gave 1/8 to a token of three characters, which came. How many bits for each character?
#
# </details>
# <details><summary>Hint 2: what to look for</summary>
#
# Two sums and a division: -log2 of the probabilities of what came, and the lengths of what came.
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A mean of quotients is not the quotient of sums. Take the row's largest logit off first, and no log of a probability
# that became 0.
# </details>


# %% exercise="bits_per_character"
def bits_per_character(logits, targets, lengths):
    ### BEGIN SOLUTION
    shifted = logits - logits.max(axis=-1, keepdims=True)
    logp = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    nats = -logp[np.arange(len(targets)), targets].sum()
    return float(nats / np.log(2) / lengths[targets].sum())
    ### END SOLUTION


# %% check="bits_per_character" points=3
with exercise("bits_per_character") as check:
    logits, lengths = np.log(floats([1, 1, 6], [4, 2, 2])), np.array([4, 1, 3])
    bits = yours.bits_per_character(logits, np.array([0, 2]), lengths)
    check.close(bits, 5 / 7, "1/8 and 1/4: 3 + 2 bits, over 4 + 3 characters")
    check.untouched("logits, targets and lengths stay as they were")
    bits = yours.bits_per_character(logits[1:], np.array([0]), lengths)
    check.close(bits, 1 / 4, "1/2: one bit, over four characters")
    large = floats([1e4, 0, 0], [0, -1e4, 0])
    bits = yours.bits_per_character(large, np.array([0, 2]), lengths)
    check.close(bits, 1 / 7, "large logits: no surprise, then one bit")
    bits = yours.bits_per_character(large, np.array([2, 2]), lengths)
    check.close(bits, (1e4 / np.log(2) + 1) / 6, "large logits: 10,000 nats, then one bit")
    ### BEGIN HIDDEN TESTS
    import math

    from autograder import array, integer

    bits = yours.bits_per_character(floats([1e4, -1e4, 0]), np.array([1]), lengths)
    check.close(bits, 2e4 / np.log(2), "20,000 nats over one character")
    for n, V in ((1, 4), (7, 3), (3, 9), (12, 5)):
        (logits, shift), = check.cases(1, array(n, V), array(n, 1, low=-9e3, high=9e3))
        targets = np.array([x for (x,) in check.cases(n, integer(0, V - 1))])
        lengths = np.array([x for (x,) in check.cases(V, integer(1, 9))])
        expected = 0.0
        for row, target in zip(logits, targets):
            expected += math.log2(sum(math.exp(x) for x in row)) - row[target] / math.log(2)
        expected /= sum(int(lengths[target]) for target in targets)
        for given in (logits, logits + shift):
            check.close(yours.bits_per_character(given, targets, lengths), expected, "all bits over all characters", rtol=1e-8)
            check.untouched()
        for j, far in ((j, far) for j in range(V) for far in (9e3, -9e3)):
            given, nats = logits.copy(), 0.0
            given[:, j] += far  # one is far above all others, or far below
            for row, target in zip(given, targets):
                nats += max(row) + math.log(sum(math.exp(x - max(row)) for x in row)) - row[target]
            expected = nats / math.log(2) / sum(int(lengths[target]) for target in targets)
            check.close(yours.bits_per_character(given, targets, lengths), expected, "large logits, wherever they stand", rtol=1e-8)
    ### END HIDDEN TESTS

# %% [markdown]
# The first model only counts pairs, of characters, and then of tokens.
#
# **Predict, then run.** From characters to tokens, does the perplexity go up or down, and the bits for each character?


# %% given="pairs"
def pair_logits(ids, V):
    """Logits (V, V) of the next token, from counts of pairs; 0.05 more makes none impossible."""
    counts = np.full((V, V), 0.05)
    np.add.at(counts, (ids[:-1], ids[1:]), 1)
    return np.log(counts / counts.sum(axis=1, keepdims=True))


# %%
prediction = (None, None)

if predicted(prediction, "from_characters_to_tokens"):
    print("The next cell shows it.")


# %% figure="counting"
def counting():
    letters = Tokens("", TOKENS.names[: len(TOKENS) - 400], 0)
    for name, tokens in (("characters", letters), ("tokens", TOKENS)):
        table = pair_logits(tokens.encode(TEXTS["training"]), len(tokens))
        ids = tokens.encode(TEXTS["validation"])
        lengths = np.array([len(name) for name in tokens.names])
        bits = bits_per_character(table[ids[:-1]], ids[1:], lengths)
        perplexity = 2 ** (bits * lengths[ids[1:]].sum() / (len(ids) - 1))
        name = f"pairs of {name:10}"
        print(f"{name} perplexity {perplexity:6.1f}, bits for each character {bits:.2f}")


counting()

# %% [markdown]
# What to see: the perplexity of tokens is far higher, and their bits are lower.
#
# ## 5. The model
#
# The vectors of all positions, x, are called the *stream*. A block only *adds* to it, twice, and norms what it reads:
#
# ```text
# tokens, positions -> x ------------------------+----------------------+--> next block
#                        \                      /  \                   /
#                         norm1, packed, attend,    norm2, up, relu, down    after the last:
#                         out (sees earlier)        (each position alone)    norm -> logits
# ```
#
# ### Exercise `block` (3 points)
# `x` (..., T, D), an array or a Tensor, is the stream, and `layers` holds the eight functions of a block:
# `layers.norm1`, `layers.packed` (queries, keys and values in one array), `attend` (of this one), `out`, `norm2`, `up`,
# `relu`, `down`. Return the stream after the block, and leave `x` as it was.
#
# <details><summary>Hint 1: a sketch</summary>
#
# In the drawing, what is added to the stream, and where does the second arrow leave?
#
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# x = x + layers.out(...)       # from the normed stream, through packed and attend
# return x + layers.down(...)   # the new x goes into norm2
# ```
#
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# The stream itself is added to, and not what a norm gave. `x += ...` writes into what came in.
#
# </details>


# %% exercise="block"
def block(x, layers):
    """The stream after a block: attention is added, and then what each position finds alone."""
    ### BEGIN SOLUTION
    x = x + layers.out(layers.attend(layers.packed(layers.norm1(x))))
    return x + layers.down(layers.relu(layers.up(layers.norm2(x))))
    ### END SOLUTION


# %% probes="block"
@probe
def stream_after(x, numbers):
    """The stream after `block`, and x afterwards. Its layers are x * scale + shift, `attend` is a running sum."""

    def layer(scale, shift):
        return lambda x: x * scale + shift

    layers = SimpleNamespace(**{name: layer(*two) for name, two in numbers.items()})
    layers.attend = lambda x: np.cumsum(x, axis=-2)
    layers.relu = lambda x: np.maximum(x, 0) * numbers["relu"][0]
    return block(x, layers), x


class NoArray:
    """Numbers that can be added and are no array, as a Tensor is none."""

    __array_ufunc__ = None  # an array on the left leaves the sum to this

    def __init__(self, data):
        self.data = data

    def __array__(self, *dtype, **how):
        return np.array(self.data, *dtype)

    def __add__(self, other):
        return NoArray(self.data + (other.data if isinstance(other, NoArray) else other))

    __radd__ = __add__


@probe
def plain_stream(x, array):
    """The stream after `block`, and x afterwards, as an array or as what is none. Its layers give back what they get."""
    names = ("norm1", "packed", "attend", "out", "norm2", "up", "relu", "down")
    layers, stream = SimpleNamespace(**dict.fromkeys(names, lambda x: x)), x if array else NoArray(x)
    out = block(stream, layers)
    if array or not isinstance(out, NoArray):
        return out if array else f"a {type(out).__name__}, made of what was no array", x
    return out.data, x


# A layer's scale and shift, and what it makes of a number.
stand_ins = {"norm1": (2, 1), "packed": (1, -2), "out": (3, 1), "norm2": (2, -1), "up": (1, -2), "relu": (1, 0), "down": (2, 1)}
silent = (0, 0)  # whatever comes in, 0 goes out
two_rows = floats([1, 2], [3, -1])  # a stream of two positions
four_times = 4 * two_rows, two_rows  # it, where each layer gives back what it gets, and what came in


# %% check="block" points=3
with exercise("block") as check:
    out, _ = stream_after(two_rows, stand_ins | {"down": silent})
    check.close(out, floats([5, 12], [22, 0]), "down gives 0: the stream and attention")
    out, _ = stream_after(two_rows, stand_ins | {"out": silent})
    check.close(out, floats([2, 5], [10, 0]), "out gives 0: norm2, up, relu, down")
    out, x_after = stream_after(two_rows, stand_ins)
    check.close(out, floats([20, 55], [105, 1]), "the second half reads the new stream")
    check.close(x_after, two_rows, "the stream that came in stays as it was")
    out, _ = stream_after(two_rows, stand_ins | {"out": silent, "relu": (10, 0)})
    check.close(out, floats([2, 23], [64, 0]), "another function for `layers.relu`")
    check.close(plain_stream(two_rows, True), four_times, "layers give back what they get")
    check.close(plain_stream(two_rows, False), four_times, "no array, as a Tensor is none")
    ### BEGIN HIDDEN TESTS
    from autograder import array, number

    names = ("norm1", "packed", "out", "norm2", "up", "down")
    for shape in ((3, 4), (1, 2), (2, 3, 2), (3, 1, 5), (1, 4, 3)):
        for x, *drawn in check.cases(3, array(*shape), *[number()] * 12):
            numbers = {name: (drawn[2 * i], drawn[2 * i + 1]) for i, name in enumerate(names)}
            a, b, c, d, e, f = numbers.values()
            rows = np.zeros(shape[:-2] + shape[-1:])
            expected = np.zeros(shape)
            for t in range(shape[-2]):
                one = x[..., t, :]
                rows = rows + (one * a[0] + a[1]) * b[0] + b[1]
                one = one + rows * c[0] + c[1]
                high = ((one * d[0] + d[1]) * e[0] + e[1]).clip(0)
                expected[..., t, :] = one + high * f[0] + f[1]
            out, x_after = stream_after(x, {**numbers, "relu": (1.0, 0.0)})
            check.close(out, expected, "first attention, then each position alone", rtol=1e-10)
            check.close(x_after, x, "the stream that came in stays as it was")
        check.close(plain_stream(x, True), (4 * x, x), "layers that give back the very array that they got")
        check.close(plain_stream(x, False), (4 * x, x), "a stream that is no array, as a Tensor is none")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `gpt_logits` (2 points)
# `ids` (B, T) are tokens, `model.token(ids)` their vectors (B, T, D), arrays or Tensors, `model.place(...)` those of
# positions, counted from 0. `model.blocks` is a list of functions, and `model.norm` comes after them. Return the logits
# (B, T, V), products with the table of tokens itself, `model.token.weight` (V, D): *weight tying*, one table in place
# of two.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Follow the drawing from left to right.
#
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# x = ... + model.place(np.arange(...))   # a position for each column of ids
# for block in model.blocks:
#     x = ...
# return ... @ model.token.weight.T
# ```
#
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# `len(ids)` is B. Each block reads what the block before it gave. The norm comes once.
#
# </details>


# %% exercise="gpt_logits"
def gpt_logits(ids, model):
    """Tokens (B, T) to logits (B, T, V) of the next ones."""
    ### BEGIN SOLUTION
    x = model.token(ids) + model.place(np.arange(ids.shape[1]))
    for block in model.blocks:
        x = block(x)
    return model.norm(x) @ model.token.weight.T
    ### END SOLUTION


# %% probes="gpt_logits"
@probe
def logits_of_model(ids, table, places, blocks, norm, T=None):
    """`gpt_logits` of a model with these vectors, whose blocks and norm are x * scale + shift.

    T is its longest window, as many as there are places if none is given. And what came in, afterwards: both
    tables, the tokens, and how many blocks the model has.
    """

    def layer(scale, shift):
        return lambda x: x * scale + shift

    class Table:
        weight = table

        def __call__(self, tokens):
            return table[tokens]

    model = SimpleNamespace(token=Table(), place=lambda at: places[at], norm=layer(*norm))
    model.blocks, model.T = [layer(*two) for two in blocks], T or len(places)
    return gpt_logits(ids, model), table, places, ids, len(model.blocks)


same = (1, 0)  # scale and shift of a function that changes nothing
few_tokens = floats([1, 0], [0, 1], [2, 1], [1, -1])  # the vectors of four
few_places = floats([10, 0], [0, 10], [20, 20], [7, 7], [9, 9])
one_text, no_places = np.array([[2, 0, 1]]), 0 * few_places
texts, three_blocks = np.array([[2, 0], [1, 3]]), [(2, 1), (3, -1), (1, 4)]


# %% check="gpt_logits" points=2
with exercise("gpt_logits") as check:
    logits, *_ = logits_of_model(one_text, few_tokens, no_places, [], same, 3)
    expected = floats([[2, 1, 5, 1], [1, 0, 2, 1], [0, 1, 1, -1]])
    check.close(logits, expected, "no blocks: products of the tokens' vectors")
    logits, *_ = logits_of_model(one_text, few_tokens, few_places, [], same)
    expected = floats([[12, 1, 25, 11], [1, 10, 12, -9], [20, 21, 61, -1]])
    check.close(logits, expected, "and positions 0, 1, 2")
    logits, *after = logits_of_model(texts, few_tokens, few_places, three_blocks, (10, -3))
    first = floats([777, 117, 1671, 660], [117, 657, 891, -540])
    second = floats([657, 117, 1431, 540], [117, 597, 831, -480])
    check.close(logits, [first, second], "two texts: positions, three blocks, the norm")
    check.close(after, [few_tokens, few_places, texts, 3], "all stays as it was")
    ### BEGIN HIDDEN TESTS
    from autograder import array, integer, number

    for B, T, V, D, longest, depth in ((2, 3, 5, 4, 6, 3), (1, 1, 3, 2, 4, 1), (3, 4, 6, 1, 4, 2), (4, 2, 3, 5, 7, 0), (2, 5, 4, 3, 5, 2)):
        for table, places, *drawn in check.cases(2, array(V, D), array(longest, D), *[number()] * (2 * depth + 2)):
            ids = np.array([x for (x,) in check.cases(B * T, integer(0, V - 1))]).reshape(B, T)
            blocks = list(zip(drawn[2::2], drawn[3::2]))
            expected = np.zeros((B, T, V))
            for b, t in np.ndindex(B, T):
                x = table[ids[b, t]] + places[t]
                for scale, shift in [*blocks, drawn[:2]]:
                    x = x * scale + shift
                expected[b, t] = (table * x).sum(axis=1)
            logits, *after = logits_of_model(ids, table, places, blocks, tuple(drawn[:2]))
            check.close(logits, expected, "the tokens' vectors times what the norm gives", rtol=1e-9)
            check.close(after, [table, places, ids, depth], "the model and the tokens stay as they were")
    ### END HIDDEN TESTS

# %% [markdown]
# Given are the layers. What `out` and `down` add, 2 · depth parts in all, starts smaller, by a factor of
# $\sqrt{2 \cdot \mathrm{depth}}$: spreads add as squares.


# %% given="layers"
SIZES = {"one head": (32, 1, 1), "small": (64, 4, 2), "large": (128, 4, 4)}


def composed_attention(qkv, heads):
    """Queries, keys and values (B, T, 3 D) to outputs (B, T, D), from operations of your engine."""
    b, t, width = qkv.shape
    d = width // 3 // heads
    parts = qkv.reshape(b, t, 3, heads, d).permute(2, 0, 3, 1, 4)  # to 3, B, heads, T, d
    q, k, v = parts[0], parts[1], parts[2]
    mask = np.where(np.tri(t, dtype=bool), 0.0, -np.inf).astype(qkv.dtype)
    scores = q @ k.permute(0, 1, 3, 2) / d**0.5 + mask
    e = (scores - scores.data.max(axis=-1, keepdims=True)).exp()
    return (e / e.sum(axis=-1, keepdims=True) @ v).permute(0, 2, 1, 3).reshape(b, t, width // 3)


class Block:
    """The layers of a block, of which your `block` makes a function of the stream."""

    def __init__(self, nn, width, attend):
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.packed = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)
        self.attend, self.relu = attend, lambda x: x.relu()

    def __call__(self, x):
        return block(x, self)


# %% given="gpt"
class GPT:
    """Tokens (B, T) to logits (B, T, V) of the next. `lib` is an engine, T the longest window."""

    def __init__(self, lib, V, T=32, size="small", scaled=True, seed=0, dtype="float32"):
        width, self.heads, depth = SIZES.get(size, size)  # a name in SIZES, or such a triple itself
        nn, self.V, self.T = lib.nn, V, T
        self.token, self.place = nn.Embedding(V, width), nn.Embedding(T, width)
        self.blocks = [Block(nn, width, self.attention) for _ in range(depth)]
        self.norm = nn.LayerNorm(width)
        # Attention as one operation, where the engine has it: the same numbers, sooner.
        self.fused = getattr(lib.functional, "self_attention", None)
        rng = np.random.default_rng(seed)
        for p in self.parameters():
            p.data = p.data.astype(dtype)
            if p.data.ndim == 2:
                p.data[...] = rng.standard_normal(p.shape) / np.sqrt(p.shape[1])
        for table in (self.token, self.place):  # so small that the first logits are nearly equal
            table.weight.data[...] = 0.04 * rng.standard_normal(table.weight.shape)
        for layers in self.blocks if scaled else []:
            layers.out.weight.data[...] /= np.sqrt(2 * depth)
            layers.down.weight.data[...] /= np.sqrt(2 * depth)

    def parameters(self):
        inside = [layer for layers in self.blocks for layer in vars(layers).values()]
        layers = [self.token, self.place, *inside, self.norm]
        return [p for layer in layers if hasattr(layer, "parameters") for p in layer.parameters()]

    def attention(self, qkv):
        if self.fused is None:
            return composed_attention(qkv, self.heads)
        return self.fused(qkv, self.heads, is_causal=True)

    def __call__(self, ids):
        return gpt_logits(ids, self)


def mean_loss(model, x, y, lib=engine):
    return lib.functional.cross_entropy(model(x).reshape(-1, model.V), y.ravel())


# %% [markdown]
# Guess first: where does the stream end after 16 blocks, scaled and unscaled?


# %% figure="spread"
def spread():
    ids = np.random.default_rng(0).integers(0, 60, (4, 32))
    curves = {}
    for scaled in (False, True):
        for depth in (4, 16):
            model, sizes = GPT(engine, 60, size=(64, 4, depth), scaled=scaled), []
            with engine.no_grad():
                x = model.token(ids) + model.place(np.arange(32))
                for one in model.blocks:
                    x = one(x)
                    sizes.append(float(x.data.std()))
            name = "scaled" if scaled else "unscaled"
            curves[f"{name}, {depth} blocks"] = sizes
            print(f"{name:8} {depth:2} blocks: spread at the end {sizes[-1]:.2f}")
    plots.layer_statistics(curves, log=False, title="Spread of the stream", xlabel="block")


spread()

# %% [markdown]
# What to see: unscaled, each block adds its own spread, and the stream grows with the depth. Scaled, 4 and 16 blocks
# end alike.
#
# ### Exercise `tied_rule` (3 points)
# One table E (V, D), used twice: `ids` (n,) look up its rows, and the logits are `h @ E.T`, with `h` (n, D). `g` (n, D)
# and `grad_logits` (n, V) are the gradients that arrive at the looked-up rows and at the logits. Return that of E.
#
# <details><summary>Hint 1: a sketch</summary>
#
# What is used twice gets two gradients, added up. One of them is a matrix product.
#
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# grad_E = ...                   # of h @ E.T: of shape (V, D)
# np.add.at(grad_E, ids, ...)    # of E[ids]
# return grad_E
# ```
#
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# A token that occurs twice gets two parts. `grad_E[ids] += g` keeps only one of them.
#
# </details>


# %% exercise="tied_rule"
def tied_rule(ids, g, h, grad_logits):
    """The gradient of E (V, D), which gives E[ids] and the logits h @ E.T."""
    ### BEGIN SOLUTION
    grad_E = grad_logits.T @ h
    np.add.at(grad_E, ids, g)
    return grad_E
    ### END SOLUTION


# %% check="tied_rule" points=3
with exercise("tied_rule") as check:
    ids, g = np.array([2, 0, 2]), floats([0.5, 2], [3, 4], [5.25, 6])
    h, nothing = floats([1, 0], [0, 1], [1, 1]), np.zeros((3, 4))
    expected = floats([3, 4], [0, 0], [5.75, 8], [0, 0])
    check.close(yours.tied_rule(ids, g, h, nothing), expected, "token 2 came twice: both")
    check.untouched("what came in stays as it was")
    grad_logits = floats([1, 0, 6, 9, 0], [4, 0, 2, 9, 0], [0, 5, 3, 9, 7])
    both = floats([4, 8], [5, 5], [14.75, 13], [18, 18], [7, 7])
    got = yours.tied_rule(ids, g, h, grad_logits)
    check.close(got, both, "five tokens: both ends add up")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import Tensor
    from autograder import array, integer

    for n, V, D in ((1, 3, 2), (5, 3, 4), (4, 7, 1), (9, 4, 3)):
        for g, h, grad_logits, E in check.cases(2, array(n, D), array(n, D), array(n, V), array(V, D)):
            ids = np.array([x for (x,) in check.cases(n, integer(0, V - 1))])
            table = Tensor(E, requires_grad=True)
            ((table[ids] * g).sum() + ((h @ table.T) * grad_logits).sum()).backward()
            check.close(yours.tied_rule(ids, g, h, grad_logits), table.grad.data, "the reference's gradient", rtol=1e-10)
            check.untouched()
    ### END HIDDEN TESTS

# %%
# Is it the engine's own gradient of a table E that is used twice, in one backward?
ids, after = np.random.default_rng(1).integers(0, 461, (2, 50))
cross_entropy = engine.functional.cross_entropy
E = engine.Tensor(np.random.default_rng(0).standard_normal((461, 8)), requires_grad=True)
cross_entropy(E[ids].tanh() @ E.T, after).backward()
# `g` is what arrives at the looked-up rows: make these a leaf of their own, and read its `.grad`.
rows = engine.Tensor(E.data[ids], requires_grad=True)
cross_entropy(rows.tanh() @ E.data.T, after).backward()
# And `grad_logits` is what arrives at the logits: now these are the leaf.
h = np.tanh(rows.data)
logits = engine.Tensor(h @ E.data.T, requires_grad=True)
cross_entropy(logits, after).backward()
off = abs(tied_rule(ids, rows.grad.data, h, logits.grad.data) - E.grad.data).max()
print("the engine's own gradient of E, up to rounding:", off < 1e-12)

# %% [markdown]
# **Predict, then run.** Before the first step, what is the mean loss of a token, in nats? There are 461 tokens, and the
# model knows nothing.

# %%
prediction = None

if predicted(prediction, "first_loss"):
    ids = np.random.default_rng(0).integers(0, 461, (100, 33))
    first = mean_loss(GPT(engine, 461), ids[:, :-1], ids[:, 1:]).item()
    print(f"log 461 = {np.log(461):.2f} nats; {np.log2(461):.2f} is the same in bits")
    print(f"first loss {first:.2f}: its logits are not quite equal, and that costs a little")

# %% [markdown]
# ## 6. Training
#
# AdamW, a warm-up and a cosine, gradients clipped to a norm of 1: from unit 09.


# %% given="train"
class Training:
    """A model on its way: `run(n)` takes n steps, `state()` is all that it takes to go on."""

    def __init__(self, model, ids, steps, rate=0.015, batch=16, seed=0):
        self.model, self.ids, self.batch, self.losses = model, ids, batch, []
        optim, weights = engine.optim, model.parameters()
        # The decay was chosen on the validation text: with a decay of 0.01 in place of 0.3 the
        # small GPT takes about 0.1 bits more there. For so small a text a strong decay pays.
        self.optimizer = optim.AdamW(weights, lr=rate, betas=(0.9, 0.95), weight_decay=0.3)
        warmup, least = steps // 20, rate / 20
        self.schedule = optim.CosineWithWarmup(self.optimizer, steps, warmup=warmup, min_lr=least)
        self.rng = np.random.default_rng(seed)

    def run(self, steps):
        for _ in range(steps):
            starts = self.rng.integers(0, len(self.ids) - self.model.T, self.batch)
            x, y = windows(self.ids, starts, self.model.T)
            self.optimizer.zero_grad()
            loss = mean_loss(self.model, x, y)
            loss.backward()
            engine.optim.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            self.schedule.step()
            self.losses.append(loss.item())
        return self

    def state(self):
        weights = [p.data.copy() for p in self.model.parameters()]
        optimizer, schedule = self.optimizer.state_dict(), self.schedule.state_dict()
        return weights, optimizer, schedule, self.rng.bit_generator.state

    def load(self, weights, optimizer, schedule, rng):
        for p, weight in zip(self.model.parameters(), weights):
            p.data[...] = weight
        self.optimizer.load_state_dict(optimizer)
        self.schedule.load_state_dict(schedule)
        self.rng.bit_generator.state = rng
        return self


# %% [markdown]
# As in unit 10, overfit one batch. What to see: the loss falls towards 0. On the right, how far the loss of a
# training that stopped after 30 steps is from one that never stopped. With its whole state: exactly 0. With a new
# optimizer or schedule it goes another way from the second step on; lower, where the new schedule's rate is high.


# %% figure="first_runs"
def first_runs():
    model, ids = GPT(engine, len(TOKENS), size="one head"), IDS["training"]
    x, y = windows(ids, np.arange(0, 128, 32), 32)
    optimizer, losses = engine.optim.AdamW(model.parameters(), lr=0.01), []
    for _ in range(100):
        optimizer.zero_grad()
        loss = mean_loss(model, x, y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    left, right = plots.panels(2)
    plots.learning_curves({"one batch": losses}, title="Overfit one batch", ax=left)
    print(f"one batch: from {losses[0]:.2f} to {losses[-1]:.2f}")

    def fresh():
        return Training(GPT(engine, len(TOKENS), size="one head"), ids, 60)

    whole = fresh().run(60).losses
    stopped = fresh().run(30)
    weights, optimizer, schedule, rng = stopped.state()
    _, new_optimizer, new_schedule, _ = fresh().state()
    states = {
        "whole state": (optimizer, schedule),
        "new optimizer": (new_optimizer, schedule),
        "new schedule": (optimizer, new_schedule),
    }
    curves = {}
    for name, kept in states.items():
        on = fresh().load(weights, *kept, rng).run(30).losses
        off = np.subtract(on, whole[30:])
        curves[name] = np.arange(30, 60), off
        last = off[-10:].mean()
        print(f"{name}, the last ten steps: {last:+.3f}; all 30 the same: {not off.any()}")
    title, ylabel = "Go on after 30 steps", "difference of the loss"
    plots.lines(curves, xlabel="step", ylabel=ylabel, title=title, ax=right)


first_runs()

# %% [markdown]
# What to see: from `small` to `large`, twice the width and depth, there are more than six times the weights. Each takes 16
# bytes: itself, its gradient and AdamW's two means.


# %% figure="sizes"
def sizes():
    seconds = {}
    for size, (width, _, depth) in SIZES.items():
        model = GPT(engine, len(TOKENS), size=size)
        training, took = Training(model, IDS["training"], 1000), []
        for _ in range(4):
            start = time.perf_counter()
            training.run(1)
            took.append(time.perf_counter() - start)
        count = sum(p.size for p in model.parameters())
        about = f"{size:8} width {width:3}, {depth} blocks"
        print(f"{about}: {count:7,} weights, {16 * count / 1e6:5.1f} MB")
        seconds[size] = 1000 * min(took)
    plots.bars(seconds, title="1,000 steps on this machine", xlabel="seconds")


sizes()

# %% [markdown]
# Two trainings: one head, then the small GPT. They take ten seconds to a minute.
#
# **Predict, then run.** In the end, how far are training and validation text apart?


# %% given="measure"
def bits_of(model, ids):
    """Bits for each character of a text, read in windows side by side."""
    n = (len(ids) - 1) // model.T
    x, y = windows(ids, model.T * np.arange(n), model.T)
    with engine.no_grad():
        logits = model(x).data.reshape(n * model.T, -1).astype(float)
    return bits_per_character(logits, y.ravel(), np.array([len(name) for name in TOKENS.names]))


def packed_in(model, ids):
    """Queries, keys and values (T, 3 D) of a window of tokens, in each block."""
    packed = []
    for layers in model.blocks:
        layers.attend = lambda qkv: packed.append(qkv.data[0]) or model.attention(qkv)
    with engine.no_grad():
        model(ids[None])
    for layers in model.blocks:
        layers.attend = model.attention
    return packed


# %%
# After 1,400 steps: how many more bits for each character of the validation text?
prediction = None

if predicted(prediction, "overfit_gap"):
    print("The next cell trains, and tells.")


# %% figure="training" tags=["nbval-ignore-output"]
def trained():
    untrained, early, full = (GPT(engine, len(TOKENS)) for _ in range(3))
    one = GPT(engine, len(TOKENS), size="one head")
    print("one head, 1,000 steps ...", flush=True)
    Training(one, IDS["training"], 1000, rate=0.02).run(1000)
    training = Training(full, IDS["training"], 1400)
    curves = {"training": [], "validation": []}
    for step in range(100, 1500, 100):
        training.run(100)
        for name, found in curves.items():
            found.append(bits_of(full, IDS[name][:4000]))
        if step % 400 == 200:
            print(f"small GPT, step {step:5,}: {curves['validation'][-1]:.2f} bits", flush=True)
        if step == 200:
            for p, now in zip(early.parameters(), full.parameters()):
                p.data[...] = now.data
    steps, ylabel = np.arange(100, 1500, 100), "bits for each character"
    drawn = {name: (steps, found) for name, found in curves.items()}
    table = pair_logits(IDS["training"], len(TOKENS))
    lengths = np.array([len(name) for name in TOKENS.names])
    pairs = {}
    for name, ids in IDS.items():
        pairs[name] = bits_per_character(table[ids[:-1]], ids[1:], lengths)
    levels = {"pairs": pairs["validation"], "one head": bits_of(one, IDS["validation"])}
    for name, bits in levels.items():
        drawn[f"{name}, validation"] = steps[[0, -1]], [bits] * 2
    plots.lines(drawn, xlabel="step", ylabel=ylabel, title="The small GPT learns")
    print("bits for each character      validation")
    print(f"pairs of tokens              {pairs['validation']:.2f}")
    for name, model in (("untrained", untrained), ("one head", one), ("small GPT", full)):
        print(f"{name:28} {bits_of(model, IDS['validation']):.2f}")
    test = bits_of(full, IDS["test"])
    print(f"the small GPT on the test text, once: {test:.2f}; pairs there: {pairs['test']:.2f}")
    for name, model in (("untrained", untrained), ("trained", full)):
        apart = bits_of(model, IDS["validation"]) - bits_of(model, IDS["training"])
        print(f"{name}, validation less training: {apart:.2f}")
    stages = {"untrained": untrained, "pairs": table, "one head": one}
    return stages | {"small GPT, 200 steps": early, "small GPT": full}


MODELS = trained()

# %% [markdown]
# What to see: about halfway it passes the pairs, and then one head. The two curves part. At the end they are 0.4 bits
# apart. A seventh of that is there before training: the merges were chosen on the training text.
#
# **Your turn.** Train one more.

# %% tags=["nbval-ignore-output"]
# Guess first: does a tenth of this rate take more bits, or fewer? Then put 400 in place of 0.
size, rate, steps = "one head", 0.02, 0

if steps:
    model = GPT(engine, len(TOKENS), size=size)
    Training(model, IDS["training"], steps, rate=rate).run(steps)
    print(f"{size}, rate {rate}, {steps} steps: {bits_of(model, IDS['validation']):.2f} bits")

# %% [markdown]
# Guess first: which tokens is `thy` near to? What to see, in new verses: the heads that look most at the token itself,
# and at ends of lines. Untrained, none does. And tokens of the same use have rows that point the same way. Nobody asked
# for either.


# %% figure="inside" tags=["nbval-ignore-output"]
def weights_in(model, ids):
    """Attention weights (blocks, heads, T, T) in a window of tokens, computed beside the model."""
    weights, T = [], len(ids)
    for qkv in packed_in(model, ids):
        q, k, _ = qkv.reshape(T, 3, model.heads, -1).transpose(1, 2, 0, 3)  # each (heads, T, d)
        scores = np.where(np.tri(T, dtype=bool), q @ k.transpose(0, 2, 1) / q.shape[-1] ** 0.5, -np.inf)
        e = np.exp(scores - scores.max(-1, keepdims=True))
        weights.append(e / e.sum(-1, keepdims=True))
    return np.array(weights)


def inside(model, untrained):
    ids = IDS["validation"]
    ids = ids[: min(60, len(ids) // model.T) * model.T].reshape(-1, model.T)
    back = np.arange(model.T)[:, None] - np.arange(model.T)
    ends = ids[:, None, None, None, :] == TOKENS.encode("\n")[0]
    looks = {"the token itself": back == 0, "ends of lines": ends & (back > 0)}
    window, part = 3, slice(6, 24)
    names = [TOKENS.names[i].replace("\n", "end").replace(" ", "␣") for i in ids[window, part]]
    sheet = plots.panels(2, height=4.6)
    # Of all windows, blocks and heads, each (T, T).
    weights, first = (np.array([weights_in(m, one) for one in ids]) for m in (model, untrained))
    for ax, (what, where) in zip(sheet, looks.items()):
        found, before = ((w * where).sum(-1)[..., 1:].mean((0, 3)) for w in (weights, first))
        b, h = np.unravel_index(found.argmax(), found.shape)  # of (blocks, heads)
        drawn, title = weights[window, b, h, part, part], f"{what}: block {b + 1}, head {h + 1}"
        plots.matrix(drawn, title=title, rows=names, columns=names, annotate=False, ax=ax)
        ax.set(xlabel="looks at", ylabel="this token")
        ax.tick_params(labelsize=7.5)
        ax.tick_params(axis="x", rotation=90)
        others = (found.sum() - found[b, h]) / (found.size - 1)
        most = f"{found[b, h]:.0%} of its weights; the other heads: {others:.0%}"
        print(f"{title}: {most}; untrained, at most {before.max():.0%}")
    with engine.no_grad():
        z = model(ids[window : window + 1]).data[0, :-1]
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p, best = p / p.sum(axis=1, keepdims=True), p.argmax(axis=1)
    came = np.flatnonzero(best == ids[window, 1:])
    print(f"in this window its likeliest token came {len(came)} times of {len(best)}:")
    for t in came:
        now, after = TOKENS.names[ids[window, t]], TOKENS.names[best[t]]
        print(f"    after {now!r} it gave {p[t, best[t]]:.0%} to {after!r}")
    rows = model.token.weight.data - model.token.weight.data.mean(axis=0)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    for name in (" thy", " is", " love", "."):
        if name in TOKENS.names:  # a text of your own may have other words
            near = np.argsort(-rows @ rows[TOKENS.names.index(name)])[1:6]
            print(f"near to {name!r:7}:", *[repr(TOKENS.names[i]) for i in near])


inside(MODELS["small GPT"], MODELS["untrained"])

# %% [markdown]
# ## 7. Sampling
#
# Always take the likeliest token, and a model repeats itself. Draw from all, and some are absurd. Between are
# three ways. The first: a *temperature*.
#
# ### Exercise `with_temperature` (2 points)
# Return the softmax of `logits / temperature` along the last axis of `logits` (..., V). Below 1 the likely become likelier.
# Logits may be as large as 10,000, and a temperature as low as 0.001.
#
# <details><summary>Hint 1: a sketch</summary>
#
# The softmax of unit 07, of other logits.
#
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# z = ...
# e = np.exp(z - ...)      # the largest of each row
# return ...
# ```
#
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# Divide the logits: probabilities are brought back to a sum of 1, and nothing has changed.
#
# </details>


# %% exercise="with_temperature"
def with_temperature(logits, temperature):
    """Probabilities (..., V): the softmax of logits / temperature along the last axis."""
    ### BEGIN SOLUTION
    z = logits / temperature
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
    ### END SOLUTION


# %% check="with_temperature" points=2
with exercise("with_temperature") as check:
    logits = np.log(floats(3, 1, 6))
    check.close(yours.with_temperature(logits, 1.0), floats(0.3, 0.1, 0.6), "the softmax")
    check.close(yours.with_temperature(logits, 0.5), floats(9, 1, 36) / 46, "at 0.5")
    check.untouched("the logits stay as they were")
    got = yours.with_temperature(np.log(floats(9, 1, 36)), 2.0)
    check.close(got, floats(0.3, 0.1, 0.6), "at 2")
    large = floats([1e4, 0, 1e4, 9999], [0, 0.002, 0, 0])
    expected = floats([1, 0, 1, 0], [1, np.e**2, 1, 1]) / floats([2], [3 + np.e**2])
    check.close(yours.with_temperature(large, 0.001), expected, "large, cold, row by row")
    ### BEGIN HIDDEN TESTS
    import math

    from autograder import array, positive

    expected = floats(0.5, 0, 0.5)
    check.close(yours.with_temperature(floats(1e4, 0, 1e4), 1.0), expected, "large logits at temperature 1")
    for t in (0.001, 1.0, 100.0):
        got = yours.with_temperature(1e4 * np.eye(4), t)
        low = math.exp(-1e4 / t)
        check.close(got, np.where(np.eye(4) > 0, 1.0, low) / (1 + 3 * low), "one large logit, wherever it stands")
        got = yours.with_temperature(-1e4 * np.eye(4), t)
        check.close(got, np.where(np.eye(4) > 0, low, 1.0) / (3 + low), "one far below the others, wherever it stands")
    for shape in ((4,), (3, 5), (2, 3, 4), (1, 6), (5, 1)):
        for logits, t, shift in check.cases(3, array(*shape), positive(0.2, 3.0), array(*shape[:-1], 1, low=-9e3, high=9e3)):
            expected = np.empty(shape)
            for at in np.ndindex(shape[:-1]):
                parts = [math.exp(x / t) for x in logits[at]]
                expected[at] = [part / sum(parts) for part in parts]
            for given in (logits, logits + shift):
                check.close(yours.with_temperature(given, t), expected, "exp(logit / temperature), to a sum of 1", rtol=1e-8)
                check.untouched()
    ### END HIDDEN TESTS

# %% [markdown]
# **Predict, then run.** Two logits, log 2 and 0, are 67 to 33 percent. At temperature 1/3, what does the first one get?

# %%
prediction = None

if predicted(prediction, "colder"):
    print(with_temperature(np.log(floats(2, 1)), 1 / 3).round(3), "8 to 1: powers of 3 of the ratio 2 to 1")

# %% [markdown]
# The second way: the k largest alone.


# %% given="top_k"
def top_k(p, k):
    """The k largest of the probabilities p (V,), brought to a sum of 1; 0 for the others."""
    keep = np.argsort(-p, kind="stable")[:k]  # the places of the largest; of equal ones the first
    out = np.zeros(p.shape)
    out[keep] = p[keep]
    return out / out.sum()


# %%
print(top_k(floats(0.1, 0.4, 0.3, 0.2), 2).round(3))

# %% [markdown]
# ### Exercise `top_p` (3 points)
# The third: keep the *fewest* of the likeliest tokens whose probabilities add up to at least `share` (above 0, at
# most 1); the others get 0; bring the sum back to 1. Of equal ones, those that come first. If rounding leaves even the
# sum of all below `share`, keep all.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Sorted 0.5, 0.25, 0.125, ...: for a share of 0.6 two are needed. How much was there *before* the second?
#
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# order = np.argsort(..., kind="stable")
# before = np.cumsum(p[order]) - ...
# keep = order[before < ...]
# ```
#
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# The token with which the share is reached belongs to it. `p[order]` and `p` are in different orders.
#
# </details>


# %% exercise="top_p"
def top_p(p, share):
    """The fewest of the likeliest of p (V,) that have `share` together, brought to a sum of 1."""
    ### BEGIN SOLUTION
    order = np.argsort(-p, kind="stable")
    before = np.cumsum(p[order]) - p[order]
    keep = order[before < share]
    out = np.zeros(p.shape)
    out[keep] = p[keep]
    return out / out.sum()
    ### END SOLUTION


# %% probes="top_p"
@probe
def left_out(p, share):
    """How many of the tokens get 0."""
    return int((top_p(p, share) == 0).sum())


tenths = np.append(0, np.full(10, 0.1)) * (1 - 1e-15)  # whose sum is a little below 1, in any order
many = np.tile(floats(1, 3), 20) / 80  # of 20 equal ones, 14 have a half and a little more
half_of_many = np.where(np.arange(40) < 28, np.tile(floats(0, 1), 20), 0) / 14


# %% check="top_p" points=3
with exercise("top_p") as check:
    got = yours.top_p(floats(2, 4, 1, 2, 6, 1) / 16, 0.6)
    check.close(got, floats(0, 4, 0, 0, 6, 0) / 10, "6 of 16 is not enough, 10 of 16 is")
    check.untouched("p stays as it was")
    p = floats(0.125, 0.5, 0.125, 0.25)
    check.close(yours.top_p(p, 0.75), floats(0, 2, 0, 1) / 3, "0.75 is reached by two")
    check.equal(left_out(p, 0.75), 2, "two get 0, and not nearly 0")
    check.close(yours.top_p(p, 0.8), floats(1, 4, 0, 2) / 7, "of equal ones the first")
    check.close(yours.top_p(p, 0.01), floats(0, 1, 0, 0), "one at least")
    check.close(yours.top_p(tenths, 1.0), tenths, "all, if even their sum is below it")
    check.close(yours.top_p(many, 0.5), half_of_many, "of many equal ones the first")
    ### BEGIN HIDDEN TESTS
    from autograder import array, integer, number

    check.close(yours.top_p(np.full(8, 1 / 8), 0.5), floats(1, 1, 1, 1, 0, 0, 0, 0) / 4, "half of equal ones")
    many = np.tile(floats(1, 2, 1, 4), 16) / 128
    expected = np.where(many == 4 / 128, 4.0, 0.0)
    expected[1:28:4] = 2.0
    check.close(yours.top_p(many, 0.6), expected / 78, "of many equal ones, the first", rtol=1e-10)
    check.close(yours.top_p(floats(0.25, 0.75), 0.75), floats(0, 1), "exactly reached")
    check.close(yours.top_p(floats(0.5, 0.3, 0.2), 0.5005), floats(5, 3, 0) / 8, "nearly reached is not reached")
    rare = floats(3e-8, 1 - 5e-8, 2e-8)
    check.close(yours.top_p(rare, 1.0), rare, "a share of 1 needs the rarest, too", rtol=1e-9, atol=0.0)
    for short in (tenths, tenths[::-1], tenths[1:], np.full(10, 0.1), np.append(0, np.full(10, 0.1))):
        check.close(yours.top_p(short, 1.0), short, "ten tenths, which rounding leaves below 1")
    for (p,) in check.cases(4, array(60, low=0.1, high=3.0)):
        p = np.append(0, p / p.sum()) * (1 - 4e-15)  # below 1, however it is summed
        check.close(yours.top_p(p, 1.0), p, "all, where rounding leaves their sum below the share", rtol=1e-10)
        check.equal(left_out(p, 1.0), 1, "what is 0 stays 0")
    check.close(yours.top_p(floats(0.5, 0, 0.5, 0), 1.0), floats(0.5, 0, 0.5, 0), "zeros stay zeros")
    for n, share in [*check.cases(25, integer(2, 20), number(0.15, 0.95)), (300, 0.9), (500, 0.999)]:
        (p,), = check.cases(1, array(n, low=0.1, high=3.0))
        p = p**3 / (p**3).sum()
        total, expected = 0.0, np.zeros(n)
        for i in sorted(range(n), key=lambda i: -p[i]):
            if total < share:
                expected[i] = p[i]
            total += p[i]
        check.close(yours.top_p(p, share), expected / expected.sum(), "the fewest that reach it", rtol=1e-10)
        check.untouched()
        check.equal(left_out(p, share), int((expected == 0).sum()), "the others get 0, and not nearly 0")
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `write` (3 points)
# `start` is a list of tokens. For each of `length` new ones ask `logits_of(window)` once: the window is a list of the
# last T tokens, or of all while there are fewer, and what comes back are the logits (V,) of the next token.
# `probabilities(logits)` gives `p` (V,); draw by `rng.choice(len(p), p=p)`.
# Return a list of `start` and the new tokens; `start` itself stays as it was.
#
# <details><summary>Hint 1: a sketch</summary>
#
# What does the model read to give the second new token?
#
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# ids = ...                    # a list of your own
# for _ in range(length):
#     p = ...                  # of the last T of ids
#     ids.append(...)
# return ids
# ```
#
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# The window has to move: it ends with the newest token. `ids = start` is the same list twice.
#
# </details>


# %% exercise="write"
def write(start, length, T, logits_of, probabilities, rng):
    """The tokens of `start` and `length` new ones, each drawn after the last T tokens."""
    ### BEGIN SOLUTION
    ids = list(start)
    for _ in range(length):
        p = probabilities(logits_of(ids[-T:]))
        ids.append(int(rng.choice(len(p), p=p)))
    return ids
    ### END SOLUTION


# %% probes="write"
@probe
def written(start, length, T, table, seed=0):
    """What `write` gives, the windows that it asked about, `start` afterwards, the generator's next number, and of
    which type the first of these is.

    The model's logits are the row of the table that belongs to the window's last token, and its shares are the
    probabilities.
    """
    asked, rng = [], np.random.default_rng(seed)

    def logits_of(window):
        asked.append(list(window) if isinstance(window, list) else f"no list: {type(window).__name__}")
        # where a token is an array, or there is none, the check sees it in `asked`
        last = np.ravel(window[-1] if isinstance(window, list) and window else window)[-1:]
        return table[int(last[0]) if last.size else 0]

    ids = write(start, length, T, logits_of, lambda logits: logits / logits.sum(), rng)
    return ids, asked, start, float(rng.random()), type(ids).__name__


sure = floats([0, 0, 1], [1, 0, 0], [0, 1, 0])  # after token 0 comes 2, after 1 comes 0, after 2 comes 1
unsure = floats([9, 2, 5], [4, 1, 3], [2, 2, 1])


# %% check="write" points=3
with exercise("write") as check:
    ids, asked, start, _, kind = written([2, 2, 1], 3, 9, sure)
    check.equal(asked, [[2, 2, 1], [2, 2, 1, 0], [2, 2, 1, 0, 2]], "all so far, new too")
    check.equal((ids, start), ([2, 2, 1, 0, 2, 1], [2, 2, 1]), "at the end; `start` stays")
    check.equal(kind, "list", "a list comes back")
    ids, asked, *_ = written([0, 2, 1], 3, 2, sure)
    check.equal((ids[3:], asked), ([0, 2, 1], [[2, 1], [1, 0], [0, 2]]), "T is 2: two")
    ids, asked, _, after, _ = written([2, 2], 0, 5, unsure)
    nothing, rng = np.random.default_rng(0).random(), np.random.default_rng(8)
    check.equal((ids, asked, after), ([2, 2], [], nothing), "nothing asked or drawn")
    token = int(rng.choice(3, p=floats(9, 2, 5) / 16))
    check.equal(written([0], 1, 9, unsure, 8)[:4:3], ([0, token], rng.random()), "one draw")
    ### BEGIN HIDDEN TESTS
    from autograder import array, integer

    for V, n, length, T in ((4, 1, 12, 5), (7, 6, 9, 3), (3, 2, 15, 1), (9, 3, 8, 40), (5, 4, 6, 4), (6, 5, 1, 2)):
        for table, seed in check.cases(2, array(V, V, low=0.1, high=3.0), integer(0, 9999)):
            start = [x for (x,) in check.cases(n, integer(0, V - 1))]
            ids, rng, windows_ = list(start), np.random.default_rng(seed), []
            while len(ids) < n + length:
                windows_.append(ids[max(0, len(ids) - T) :])
                row = table[ids[-1]]
                ids.append(int(rng.choice(V, p=row / row.sum())))
            got = written(start, length, T, table, seed)
            check.equal(got[0], ids, "drawn one by one, each after the last")
            check.equal(got[1], windows_, "the last T tokens, or all while there are fewer")
            check.equal((got[2], got[4]), (start, "list"), "`start` stays as it was, and a list comes back")
            check.equal(got[3], rng.random(), "as many draws as new tokens")
    # After each token 39 others are possible, each once in a thousand times or less.
    table = np.where(np.roll(np.eye(40), 1, axis=1) > 0, 1.0, 8e-4)
    for (seed,) in check.cases(2, integer(0, 9999)):
        ids, rng = [5], np.random.default_rng(seed)
        for _ in range(500):
            ids.append(int(rng.choice(40, p=table[ids[-1]] / table[ids[-1]].sum())))
        check.equal(written([5], 500, 1, table, seed)[0], ids, "what is rare is drawn, too")
    ### END HIDDEN TESTS

# %% [markdown]
# What to see, 100 tokens of each: first noise, from pairs on lines with capitals and commas, and at last lines as long
# as a verse. It has read 75 kilobytes: most of its long words it makes up, and meaning is too much to ask.


# %% given="text_of"
def chances(logits, temperature=1.0, k=None, share=1.0):
    """Probabilities (V,) of the next token: temperature, the k largest, then a share of them."""
    if not (temperature > 0 and (k is None or k >= 1) and 0 < share <= 1):
        told = "temperature and share have to be above 0, share at most 1, and k at least 1."
        raise ValueError(told)
    p = with_temperature(logits, temperature)
    return top_p(p if k is None else top_k(p, int(k)), share)


def reader(model):
    """What `write` needs of a model: its longest window, and the logits after a window."""
    if not isinstance(model, GPT):  # a table of pairs
        return 1, lambda window: model[window[-1]]

    def logits_of(window):
        with engine.no_grad():
            return model(np.array([window])).data[0, -1].astype(float)

    return model.T, logits_of


WRITTEN = []  # all texts, in turn


def text_of(model, beginning="", length=60, seed=0, **dials):
    """The beginning, and what the model writes after it."""
    start = TOKENS.encode("\n" + beginning).tolist()
    T, logits_of = reader(model)
    rng = np.random.default_rng(seed)
    ids = write(start, length, T, logits_of, lambda logits: chances(logits, **dials), rng)
    WRITTEN.append(TOKENS.decode(ids).strip())
    return WRITTEN[-1]


# %% figure="samples" tags=["nbval-ignore-output"]
def samples():
    for name, model in MODELS.items():
        text = text_of(model, length=100, temperature=0.5, share=0.9)
        print(f"--- {name} ---\n{text}\n")


samples()

# %% [markdown]
# Four seeds, measured. What to see: the small GPT ends lines where Shakespeare does; pairs cannot know where a line
# began. The share of real words does not rise.


# %% figure="verses" tags=["nbval-ignore-output"]
def verses(seeds=4, length=200):
    known = set(re.findall(r"[a-z']+", "".join(TEXTS.values()).lower()))
    texts = {}
    for name in ("pairs", "one head", "small GPT, 200 steps", "small GPT"):
        model, how = MODELS[name], {"temperature": 0.5, "share": 0.9}
        texts[name] = [text_of(model, "", length, seed, **how) for seed in range(seeds)]
    lengths, real = {}, {}
    for name, found in (texts | {"Shakespeare": [TEXTS["validation"]]}).items():
        # A text's last line is cut off, and does not count.
        lines = [len(line) for text in found for line in text.split("\n")[:-1] if line] or [0]
        words = re.findall(r"[a-z']+", "\n".join(found).lower())
        share = 100 * np.mean([word in known for word in words] or [0])
        long = 100 * np.mean([word in known for word in words if len(word) >= 6] or [0])
        lengths[name], real[name] = round(np.mean(lines), 1), round(share)
        about = f"{np.mean(lines):4.1f} characters, give or take {np.std(lines):4.1f}"
        print(f"{name:20} a line has {about}")
        print(f"{'':20} real words: {share:3.0f} %, of those with 6 letters or more {long:3.0f} %")
    left, right = plots.panels(2)
    plots.bars(lengths, title="Length of a line", xlabel="characters", ax=left)
    plots.bars(real, title="Words that are in the sonnets", xlabel="percent", ax=right)
    right.tick_params(axis="y", labelsize=1, labelcolor="none")  # the names stand on the left


verses()

# %% [markdown]
# What to see: the ten likeliest tokens after a beginning, and all others. A low temperature moves chances to the
# likely. `k` and `share` set the tail to 0, and leave the proportions of the rest.


# %% figure="dials" tags=["nbval-ignore-output"]
def dials(beginning="Shall I compare thee to"):
    T, logits_of = reader(MODELS["small GPT"])
    logits = logits_of(TOKENS.encode("\n" + beginning).tolist()[-T:])
    likeliest = np.argsort(-logits, kind="stable")[:10]
    settings = {
        "as it is": {},
        "temperature 0.5": {"temperature": 0.5},
        "k = 4": {"k": 4},
        "share 0.25": {"share": 0.25},
        "k = 1": {"k": 1},
    }
    sheet = plots.panels(5, columns=5, height=3.0, title=f"After “{beginning}”, percent")
    for ax, (name, setting) in zip(sheet, settings.items()):
        p = chances(logits, **setting)
        shown = {repr(TOKENS.names[i]): 100 * p[i] for i in likeliest}
        plots.bars(shown | {"all others": 100 * (1 - p[likeliest].sum())}, title=name, ax=ax)
        ax.set_xlim(0, 140)  # one scale for all, with room for the numbers
        if ax is not sheet[0]:
            ax.tick_params(axis="y", length=0, labelsize=1, labelcolor="none")  # the names stand on the left
        possible = np.count_nonzero(p)
        print(f"{name:16} {possible:3} tokens possible, the likeliest {100 * p.max():.0f} %")


dials()


# %% given="side_by_side"
def side_by_side(beginning, seed, *settings, model=None, length=150):
    """Print a text for each of the settings, each in a column."""
    model, width, columns = model or MODELS["small GPT"], 100 // len(settings), []
    shape = {"width": width - 3, "subsequent_indent": "    ", "break_on_hyphens": False}
    for setting in settings:
        head = ", ".join(f"{name} {value}" for name, value in setting.items()) or "as it is"
        columns.append([head, "-" * (width - 3)])
        for line in text_of(model, beginning, length, seed, **setting).split("\n"):
            columns[-1] += textwrap.wrap(line, **shape) or [""]
    for row in zip_longest(*columns, fillvalue=""):
        print("".join(f"{part:{width}}" for part in row).rstrip())


# %% [markdown]
# **Your turn.** Change beginning, seed and settings: where does the text repeat, or fall apart?

# %% tags=["nbval-ignore-output"]
beginning, seed = "Shall I compare thee", 1

side_by_side(
    beginning,
    seed,
    {"k": 1},
    {"temperature": 0.7, "share": 0.9},
    {"temperature": 1.6, "k": 60},
)

# %% [markdown]
# ## 8. A cache, and a bug hunt
#
# To add one token, the model reads the whole window again. Is that needed?
#
# Guess first: token 9 of 12 becomes another one. Of which tokens do queries, keys or values change, in the first block,
# and in the second?

# %%
def changed_with(place):
    """Prints of which tokens the queries, keys or values change when the token at this place is another one."""
    model, ids = GPT(engine, 461), np.arange(12) * 7
    other = np.where(np.arange(12) == place, 5, ids)
    for nth, two in enumerate(zip(packed_in(model, ids), packed_in(model, other)), 1):
        off = abs(two[0] - two[1]).max(axis=1)
        print(f"block {nth}: those of tokens {np.flatnonzero(off > 1e-6)} of 0 to 11")


changed_with(9)

# %% [markdown]
# The mask lets no token see a later one, in no block, so nothing of an earlier token changes. While the text fits into
# the window, keep keys and values, and read new tokens alone.
#
# A colleague wrote it. `cache` holds keys and values (heads, m, d) of m earlier tokens; q, k, v (heads, n, d) are of n
# new ones.


# %% given="colleague"
def colleague_attend(q, k, v, cache):
    """Outputs (heads, n, d) of the new tokens, and the cache with them."""
    keys, values = np.concatenate([cache[0], k], axis=1), np.concatenate([cache[1], v], axis=1)
    scores = q @ keys.swapaxes(1, 2) / np.sqrt(q.shape[-1])
    seen = np.tri(q.shape[1], keys.shape[1], dtype=bool)
    masked = np.where(seen, scores, -np.inf)
    e = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ values, (keys, values)


# %% [markdown]
# The same 12 tokens, as a whole and in pieces. What to see: where the second piece begins, the
# outputs differ. On the right, the keys (orange) that three new tokens see after four old ones.


# %% given="pieces"
def off_in_pieces(attend, pieces):
    """For each of 12 tokens, how far its output in pieces is from that of the whole."""
    q, k, v = np.random.default_rng(0).standard_normal((3, 2, 12, 4))
    empty = np.zeros((2, 0, 4)), np.zeros((2, 0, 4))
    whole = colleague_attend(q, k, v, empty)[0]  # right, with an empty cache
    cache, found, at = empty, [], 0
    for n in pieces:
        out, cache = attend(*(x[:, at : at + n] for x in (q, k, v)), cache)
        found.append(out)
        at += n
    return abs(np.concatenate(found, axis=1) - whole).max(axis=(0, 2))


# %% figure="hunt"
def hunt():
    cuts = {"whole": (12,), "5, then 7": (5, 7), "5, then one by one": (5, 1, 1, 1, 1, 1, 1, 1)}
    curves = {}
    for name, pieces in cuts.items():
        curves[name] = np.arange(12), off_in_pieces(colleague_attend, pieces)
    left, right = plots.panels(2)
    title = "In pieces and as a whole"
    plots.lines(curves, markers=True, xlabel="token", ylabel="distance", title=title, ax=left)
    keys = [f"old {i}" for i in range(4)] + [f"new {i}" for i in range(3)]
    rows, title = keys[4:], "The colleague's mask"
    plots.matrix(np.tri(3, 7), title=title, annotate=False, rows=rows, columns=keys, ax=right)
    right.set_xlabel("key")
    right.spines[:].set_visible(True)


hunt()

# %% [markdown]
# ### Exercise `mended_attend` (3 points)
# Write it right, for any m, also 0, any n from 1 on, and large scores of either sign. New token i sees all m old ones, and
# the new ones up to itself.
#
# <details><summary>Hint 1: a sketch</summary>
#
# One new token, and print `seen`. How many keys may it look at, and at which does it?
#
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# # seen, n = 2, m = 3:
# # 1 1 1  1 0
# # 1 1 1  1 1
# ```
#
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Without any mask it is right for n = 1 alone.
#
# </details>


# %% exercise="mended_attend"
def mended_attend(q, k, v, cache):
    """Outputs (heads, n, d) of the new tokens, and all keys and values (heads, m + n, d)."""
    ### BEGIN SOLUTION
    keys, values = np.concatenate([cache[0], k], axis=1), np.concatenate([cache[1], v], axis=1)
    scores = q @ keys.swapaxes(1, 2) / np.sqrt(q.shape[-1])
    seen = np.tri(q.shape[1], keys.shape[1], k=cache[0].shape[1], dtype=bool)
    masked = np.where(seen, scores, -np.inf)
    e = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ values, (keys, values)
    ### END SOLUTION


# %% probes="mended_attend"
# Two heads, d = 9, four old tokens and three new ones. A query meets the new keys with log 3 or log 9, the old ones with 0.
nine = np.arange(1.0, 10)
old_k, old_v = np.zeros((2, 4, 9)), floats([[10], [20], [30], [40]], [[3], [8], [1], [6]]) * nine
new_q, new_v = np.eye(9)[[[0] * 3, [1] * 3]], floats([[4], [6], [2]], [[5], [7], [3]]) * nine
new_k = new_q * np.log(floats([[27]], [[729]]))
falling = new_k * floats([3], [2], [1])  # for the query -1e30 the last key seen outweighs all others


# %% check="mended_attend" points=3
with exercise("mended_attend") as check:
    one = new_q[:, :1], new_k[:, :1], new_v[:, :1]  # one new token, in two heads
    out, both = yours.mended_attend(*one, (old_k, old_v))
    check.close(out[..., 0], floats([16], [63 / 13]), "weights 1; the new one 3, or 9")
    kept = np.hstack([old_k, one[1]]), np.hstack([old_v, one[2]])
    check.close(both, kept, "all keys and all values, the new ones last")
    check.untouched("what came in stays as it was: q, k, v and the cache")
    out, _ = yours.mended_attend(new_q, new_k, new_v, (old_k, old_v))
    expected = floats([16, 13, 136 / 13], [63 / 13, 63 / 11, 153 / 31])
    check.close(out[..., 0], expected, "three new ones: 5 keys, 6, then 7")
    out, _ = yours.mended_attend(-1e30 * new_q, falling, new_v, (old_k[:, :0],) * 2)
    check.close(out[..., 0], new_v[..., 0], "large scores: each new one meets itself")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import functional
    from autograder import array

    for heads, m, n, d in ((2, 3, 1, 4), (3, 4, 2, 2), (1, 1, 3, 5), (2, 0, 4, 3), (4, 2, 2, 1), (2, 5, 4, 3), (1, 70, 3, 2)):
        for q, k, v in check.cases(2, *[array(heads, m + n, d)] * 3):
            whole = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            for size in (1.0, 1e4, -1e4, 1e30, -1e30, 1e45, -1e45):
                if size != 1:
                    whole = functional.scaled_dot_product_attention(size * q, k, v, is_causal=True)
                got = yours.mended_attend(size * q[:, m:], k[:, m:], v[:, m:], (k[:, :m], v[:, :m]))
                check.close(got, (whole[:, m:], (k, v)), "as in the whole text", rtol=1e-9)
                check.untouched()

    @probe
    def cache_after_another_text(first, second):
        """The cache that mended_attend gave for one text, looked at when it has gone on with another."""
        _, cache = mended_attend(*first)
        mended_attend(*second)
        return cache

    for q, k, v in check.cases(2, *[array(2, 5, 3)] * 3):
        first = q[:, 4:], k[:, 4:], v[:, 4:], (k[:, :4], v[:, :4])
        second = q[:, :1], v[:, :1], k[:, :1], (v[:, 1:], k[:, 1:])
        check.close(cache_after_another_text(first, second), (k, v), "another text has a cache of its own")
    ### END HIDDEN TESTS

# %% [markdown]
# Now the whole network. What to see: the same text, from a network that reads each token once.


# %% given="cached"
class Cached:
    """A model that keeps its keys and values. Called with a window, it gives the logits (V,) after
    it, and reads only the tokens that are new since the last call.

        window     a b c d | e     `read` is 4: a to d were read in earlier calls, e is new
        positions  0 1 2 3 | 4     `gpt_logits` counts the new ones from 0, so `read` is added
        keys       K K K K + k     in each block: those of its cache, and one new row;
        values     V V V V + v     your `mended_attend` joins them, and e sees all five
    """

    def __init__(self, model):
        self.model, self.read = model, 0
        width = model.token.weight.shape[1]
        empty = np.zeros((model.heads, 0, width // model.heads), "float32")
        self.caches = [(empty, empty) for _ in model.blocks]
        # A model for `gpt_logits`, with the same weights. `i=i` gives each function its own i:
        # otherwise all of them would see the last one.
        self.remembering = SimpleNamespace(
            token=model.token,
            place=lambda at: model.place(at + self.read),  # behind what is in the cache
            blocks=[lambda x, i=i: block(x, self.layers(i)) for i in range(len(model.blocks))],
            norm=model.norm,
        )

    def layers(self, i):
        """Those of the model's block i, with an `attend` that meets all keys so far."""

        def attend(qkv):
            n = qkv.shape[1]
            q, k, v = qkv.data[0].reshape(n, 3, self.model.heads, -1).transpose(1, 2, 0, 3)
            out, self.caches[i] = mended_attend(q, k, v, self.caches[i])
            return engine.Tensor(out.swapaxes(0, 1).reshape(1, n, -1).astype(qkv.dtype))

        return SimpleNamespace(**{**vars(self.model.blocks[i]), "attend": attend})

    def __call__(self, window):
        T, new = self.model.T, window[self.read :]
        if len(window) > T or self.read == T:
            raise ValueError(
                f"The model has {T} positions, and all are taken: with token {T + 1} the window "
                "moves on, each token gets another position, and no key stays as it was. Write at "
                "most up to there, or begin with a new cache."
            )
        if not len(new):
            raise ValueError(f"All {self.read} tokens are in the cache already: give one more.")
        with engine.no_grad():
            logits = gpt_logits(np.array([new]), self.remembering).data[0, -1]
        self.read += len(new)
        return logits.astype(float)


def multiplications(model, n, m):
    """How many it takes to compute n new tokens after m that are in a cache, and their logits."""
    width = model.token.weight.shape[1]
    pairs = sum(m + i + 1 for i in range(n))  # of a query and a key that it sees
    # For each token: packed, out, up and down have 3 + 1 + 4 + 4 = 12 times width**2 weights.
    # For each pair: width for the score, in all heads, and width for the value's part.
    return len(model.blocks) * (12 * width**2 * n + 2 * width * pairs) + width * model.V * n


# %% figure="cache" tags=["nbval-ignore-output"]
def cache():
    print("in pieces as a whole:", off_in_pieces(mended_attend, (5, 1, 6)).max() < 1e-12)
    model, ids = MODELS["small GPT"], IDS["validation"][:32].tolist()
    T, logits_of = reader(model)
    cached = Cached(model)
    off = max(abs(cached(ids[:t]) - logits_of(ids[:t])).max() for t in range(1, T + 1))
    print("the same logits at all positions, up to the rounding of float32:", off < 1e-4)
    start = TOKENS.encode("\nThy beauty").tolist()
    texts = []
    for way in (logits_of, Cached(model)):
        rng = np.random.default_rng(3)
        ids = write(start, T - len(start), T, way, lambda z: chances(z, 0.5, share=0.9), rng)
        texts.append(TOKENS.decode(ids).strip())
    WRITTEN.append(texts[1])
    print(f"the same text as without: {texts[0] == texts[1]}\nwith the cache:\n\n{texts[1]}")


cache()

# %% [markdown]
# Now a `large` untrained model with 256 positions. What to see: without a cache each new token costs more than the one
# before; with one, about the same at every position. Without a cache, token 256 takes 250 million multiplications.
# Guess first: how many with one?


# %% figure="cost" tags=["nbval-ignore-output"]
def cost():
    model = GPT(engine, len(TOKENS), T=256, size="large")
    at, ids = np.arange(1, 257), (np.arange(256) % len(TOKENS)).tolist()
    counts = {
        "without a cache": np.array([multiplications(model, t, 0) for t in at]) / 1e6,
        "with a cache": np.array([multiplications(model, 1, t - 1) for t in at]) / 1e6,
    }
    for name, count in counts.items():
        all_of_them = f"{count.sum():8,.0f} million for all 256"
        print(f"{name:15} {count[-1]:6.1f} million for token 256, {all_of_them}")
    places = np.array([16, 48, 96, 144, 192, 253])
    took = {name: np.full(len(places), np.inf) for name in counts}
    for _ in range(3):  # another program may disturb a round: the fastest counts
        for i, place in enumerate(places):
            cached = Cached(model)
            cached(ids[:place])
            for name, way in zip(counts, (reader(model)[1], cached)):
                for t in range(place + 1, place + 4):
                    begin = time.perf_counter()
                    way(ids[:t])
                    took[name][i] = min(took[name][i], 1000 * (time.perf_counter() - begin))
    left, right = plots.panels(2, title="One more token, at each position")
    curves = {name: (at, count) for name, count in counts.items()}
    plots.lines(curves, xlabel="position", ylabel="multiplications, million", ax=left)
    curves = {name: (places, ms) for name, ms in took.items()}
    plots.lines(curves, xlabel="position", ylabel="milliseconds", markers=True, ax=right)


cost()

# %% [markdown]
# ## 9. Your own GPT on your own engine
#
# The model asks of an engine only what yours has. Take the `#` away: then your answers of units 03 to 09 train it.
# What to see: the same losses, step by step.

# %%
own = None
# from autograder import mine; own = mine.engine()


# %% given="both"
def ten_losses(lib):
    """Ten steps of a GPT with two blocks of two heads, in float64."""
    model, rng = GPT(lib, 40, T=12, size=(16, 2, 2), dtype="float64"), np.random.default_rng(0)
    model.fused = None
    optimizer, losses = lib.optim.AdamW(model.parameters(), lr=0.01), []
    for _ in range(10):
        ids = rng.integers(0, 40, (6, 13)) // 2 * 2
        optimizer.zero_grad()
        loss = mean_loss(model, ids[:, :-1], ids[:, 1:], lib)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# %%
for name, lib in {"reference": engine, "with yours": own}.items():
    print(f"{name:10}", np.round(ten_losses(lib), 6) if lib else "take the # away above")

# %% [markdown]
# ## 10. Where to go from here
#
# ```text
#              here                        there
# weights      130,496                     GPT-3: 175 billion; Llama 3: 405 billion
# tokens read  716,800, the same 30,873    GPT-3: 300 billion; Llama 3: 15.6 trillion
#              again and again
# tokens for   0.24, without those that    about 20 are best for a given computation, Hoffmann and
# each weight  came again                  others found in 2022; ours would want 2.6 million
# machines     one core, seconds           Llama 3: up to 16,000 GPUs, each with a part of the weights
#                                          and of the data, many numbers in 16 bits
# afterwards   nothing                     fine-tuning: on instructions, then on what people prefer
# ```
#
# Your favourite line of all above? The certificate of unit 17 has room.

# %%
line = None

# A line that was wrapped on the screen, copied over the break, is one line again.
line = re.sub(r"\s*\n\s*", " ", line) if isinstance(line, str) else line
keep_line(line, "\n".join(WRITTEN))

# %% [markdown]
# ## In your own words
#
# Why is the first loss log V, why can a cache be right, and why compare bits for each character?
#
# <details><summary>One way to say it</summary>
#
# Every token gets 1/V, and -log of that is log V. Keys and values of a token depend on no later one. A perplexity is
# for each token, and longer tokens are harder to guess; characters are the same for all.
# </details>
#
# ## The same elsewhere
#
# Where PyTorch is installed, this cell compares your pieces with its.

# %% tags=["nbval-ignore-output"]
rng = np.random.default_rng(0)
q, k, v = rng.standard_normal((3, 2, 9, 4))
logits, targets = 3 * rng.standard_normal((9, 7)), rng.integers(0, 7, 9)
h, E, g = rng.standard_normal((9, 4)), rng.standard_normal((7, 4)), rng.standard_normal((9, 4))
grad_logits = rng.standard_normal((9, 7))
ours = [
    with_temperature(logits, 0.7),
    floats(bits_per_character(logits, targets, np.ones(7, dtype=int)) * np.log(2)),
    mended_attend(q[:, 5:], k[:, 5:], v[:, 5:], (k[:, :5], v[:, :5]))[0],
    tied_rule(targets, g, h, grad_logits),
]
try:
    import torch

    F = torch.nn.functional
    Q, K, V, table = (torch.tensor(a, requires_grad=True) for a in (q, k, v, E))
    mask = torch.ones(4, 9, dtype=bool).tril(5)
    looked_up = (table[torch.tensor(targets)] * torch.tensor(g)).sum()
    (looked_up + (torch.tensor(h) @ table.T * torch.tensor(grad_logits)).sum()).backward()
    theirs = [
        torch.softmax(torch.tensor(logits) / 0.7, -1),
        F.cross_entropy(torch.tensor(logits), torch.tensor(targets))[None],
        F.scaled_dot_product_attention(Q[:, 5:], K, V, attn_mask=mask).detach(),
        table.grad,
    ]
    # Your block, on their layers.
    layer = torch.nn.TransformerEncoderLayer(
        8, 2, 32, 0.0, norm_first=True, bias=False, batch_first=True
    )
    stream, causal = torch.randn(3, 5, 8), torch.nn.Transformer.generate_square_subsequent_mask(5)

    def attend(qkv):
        q, k, v = qkv.reshape(3, 5, 3, 2, 4).permute(2, 0, 3, 1, 4)
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return out.transpose(1, 2).reshape(3, 5, 8)

    layers = SimpleNamespace(
        norm1=layer.norm1,
        packed=lambda x: x @ layer.self_attn.in_proj_weight.T,
        attend=attend,
        out=layer.self_attn.out_proj,
        norm2=layer.norm2,
        up=layer.linear1,
        relu=torch.relu,
        down=layer.linear2,
    )
    agree = [np.allclose(a, b.numpy()) for a, b in zip(ours, theirs)]
    agree.append(torch.allclose(block(stream, layers), layer(stream, src_mask=causal), atol=1e-5))
    print("all agree:", all(agree))
except ImportError:
    print("PyTorch is not installed here: pip install torch")

# %% [markdown]
# ## What you have built
#
# | here | in PyTorch |
# |---|---|
# | the cross-entropy under `bits_per_character` | `F.cross_entropy(logits, targets)`, in nats for each token |
# | `block` | `nn.TransformerEncoderLayer(d, heads, 4 * d, 0.0, norm_first=True, bias=False)`, with a causal mask |
# | one table, used twice | `head.weight = embedding.weight`; its gradient adds up |
# | the draw in `write` | `torch.multinomial(p, 1)` |
# | the mask of `mended_attend` | `torch.ones(n, m + n, dtype=bool).tril(m)` |
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | the first loss is far above log V | an initialisation that is too large |
# | after a restart the loss goes another way | the optimizer's means, or the schedule's place, were not kept |
#
# ## Who found it
#
# - Rico Sennrich, Barry Haddow and Alexandra Birch, [2015](https://arxiv.org/abs/1508.07909): byte-pair merges for
#   rare words.
# - Ofir Press and Lior Wolf, [2016](https://arxiv.org/abs/1608.05859): one table for both ends.
# - Ari Holtzman and others, [2019](https://arxiv.org/abs/1904.09751): top-p, and how texts degenerate without it.
# - Tom Brown and others, [2020](https://arxiv.org/abs/2005.14165): GPT-3.
# - Jordan Hoffmann and others, [2022](https://arxiv.org/abs/2203.15556): tokens for each weight.
# - Long Ouyang and others, [2022](https://arxiv.org/abs/2203.02155): fine-tuned to follow instructions.
# - Aaron Grattafiori and others, [2024](https://arxiv.org/abs/2407.21783): the Llama 3 models.
#
# ## One thing to try next
# A text of your own: English, 60,000 characters or more. Put this into a new cell below that of `TEXTS`, and run all
# below it.
#
# ```python
# mine = open("mine.txt", encoding="utf-8").read()
# tenth = len(mine) // 10
# TEXTS = {"training": mine[: 8 * tenth], "validation": mine[8 * tenth : 9 * tenth], "test": mine[9 * tenth :]}
# ```

# %% progress="here"
