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
# In this unit a network learns to write, from nothing but the 154 sonnets of Shakespeare. What to see: bits for each
# character of sonnets that it has not seen. Every stage needs fewer.

# %% figure="goal" keep=true
def goal():
    import os

    for library in ("OPENBLAS", "OMP", "MKL"):  # before NumPy is there, as below
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")

    from autograd_ref import plots

    bits = {"untrained": 3.73, "pairs of characters": 3.40, "pairs of tokens": 2.60, "one head": 2.55, "small GPT": 2.42}
    plots.bars(bits, xlabel="bits for each character", title="Where we are going")

goal()

# %% setup="imports"
import os

# These arrays are small: more threads would only wait for one another.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import re
import time
from collections import Counter

import numpy as np

import autograd_ref as engine
from autograd_ref import plots
from autograder import exercise, keep_line, predicted, recall, yours


def floats(*rows):
    """Nested lists as an array of floats."""
    return np.array(rows, dtype=float)

# %% [markdown]
# At the end you will be able to
#
# - turn text into tokens, tokens into probabilities, and these into text;
# - train a GPT, stop, go on, and say what its numbers mean;
# - keep keys and values in a cache, and prove that it changes nothing.
#
# **Time:** about 120 minutes. **Builds on:** 07 (cross-entropy), 09 (AdamW, schedules), 10 (training), 15 (attention).
#
# **Three questions first,** from earlier units; nobody counts.
#
# - *unit 14, size*: a picture of 9 by 9, a kernel of 3 by 3, stride 2, padding 1. How many rows has the output?
# - *unit 14, shift*: the picture moves by one pixel, all else is the same. By how many does the map of a convolution
#   with stride 1 move?
# - *unit 13*: f is x³. What is its second derivative at 2?

# %%
answers = {"unit 14, size": None, "unit 14, shift": None, "unit 13": None}

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
# William Shakespeare's sonnets, 1609, are in the public domain: 94 kilobytes. Of ten sonnets eight are for training,
# one is for validation (to choose), one for the test (to report once).


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
# With characters a model has to spell; of words there are too many. Between the two: start with characters, make the most
# frequent pair of neighbours a token of its own, and repeat. Merges stay within a word. So count the
# pairs in each *distinct* word, as often as that word occurs.
#
# ### Exercise `best_pair` (2 points)
# `words` is a list of lists of token numbers, `counts` says how often each word occurs. Return the pair of neighbours,
# a tuple, that occurs most often in the text. Of equal ones, the one that is met first.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `zip(word, word[1:])` gives the pairs of one word. A dict or a `Counter` adds up.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# found = Counter()
# for word, count in zip(words, counts):
#     for pair in ...:
#         found[pair] += ...
# return max(found, key=...)
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A word that occurs 50 times counts 50 times. `max` keeps the first of equal ones, and a dict the order of its
# keys.
# </details>


# %% exercise="best_pair"
def best_pair(words, counts):
    """The pair (a, b) of neighbours that occurs most often in `words`, each of which occurs `counts` times."""
    ### BEGIN SOLUTION
    found = Counter()
    for word, count in zip(words, counts):
        for pair in zip(word, word[1:]):
            found[pair] += count
    return max(found, key=found.get)
    ### END SOLUTION


# %% check="best_pair" points=2
with exercise("best_pair") as check:
    words = [[3, 1, 3, 1], [2, 4, 3], [1, 2, 2, 2, 2], [2, 4], [4, 1]]
    pair = yours.best_pair(words, [4, 3, 2, 3, 1])
    check.equal(pair, (3, 1), "3 1 stands twice in a word that occurs 4 times")
    check.true(isinstance(pair, tuple), "a tuple, and no list: it is to be a key")
    check.untouched("the words and counts stay as they were")
    words = [[1, 2, 3], [2, 3], [1, 2]]
    check.equal(yours.best_pair(words, [1, 1, 1]), (1, 2), "2 of each: first met")
    check.equal(yours.best_pair(words, [1, 4, 1]), (2, 3), "1 + 4 times")
    check.equal(yours.best_pair([[7, 5, 7, 5, 7]], [3]), (7, 5), "6 times each: 7 5 first")
    words = [[4], [9, 9], []]
    check.equal(yours.best_pair(words, [80, 2, 9]), (9, 9), "one token is no pair")
    ### BEGIN HIDDEN TESTS
    from autograder import integer

    check.equal(yours.best_pair([[3, 8], [8, 3], [3, 8]], [2, 3, 2]), (3, 8), "8 after 3 is not 3 after 8")
    check.equal(yours.best_pair([[1, 12], [11, 2], [5, 6]], [2, 2, 3]), (5, 6), "numbers, and not their digits")
    check.equal(yours.best_pair([[0, 1500], [1, 500], [15, 0], [5, 6]], [2, 2, 2, 3]), (5, 6), "numbers of any size")
    check.equal(yours.best_pair([[5, 1], [2, 9], [9, 2]], [1, 6, 6]), (2, 9), "of equal ones, the first")
    check.equal(yours.best_pair([[2, 9], [5, 1], [1, 5]], [2, 6, 6]), (5, 1), "of equal ones, the first")
    check.equal(yours.best_pair([[6, 6, 6, 6], [1, 2]], [1, 2]), (6, 6), "three pairs in one word")
    for _ in range(15):
        rows = [[x for (x,) in check.cases(n, integer(0, 3))] for (n,) in check.cases(6, integer(1, 7))]
        counts = [n for (n,) in check.cases(6, integer(1, 9))]
        pairs = [pair for word in rows for pair in zip(word, word[1:])] or [(5, 5)]
        rows, counts = [*rows, list(pairs[0])], [*counts, 1]
        occurs = {pair: 0 for pair in pairs}
        for word, count in zip(rows, counts):
            for pair in zip(word, word[1:]):
                occurs[pair] += count
        most = [pair for pair in occurs if occurs[pair] == max(occurs.values())]
        found = yours.best_pair(rows, counts)
        check.equal(found, most[0], "counted in the text, word by word")
        check.true(isinstance(found, tuple), "a tuple, and no list")
        check.untouched()
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `merge` (3 points)
# Return a new list: `word` with each occurrence of `pair` replaced by the number `new`, from left to right. What was
# used in one pair is not used again.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Walk along. Either two go in and one comes out, or one goes in and the same comes out.
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
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# After a merge two tokens are used up. The last token has no neighbour, and is kept. A list never equals a tuple.
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


# %% check="merge" points=3
with exercise("merge") as check:
    word = [2, 5, 1, 2, 1, 2, 5, 1, 2]
    check.equal(yours.merge(word, (1, 2), 9), [2, 5, 9, 9, 5, 9], "3 times, at the end too")
    check.untouched("the word stays as it was")
    check.equal(yours.merge([4, 4, 4, 4, 4], (4, 4), 9), [9, 9, 4], "each is used once")
    check.equal(yours.merge([2, 1, 1, 3, 1], (1, 2), 9), [2, 1, 1, 3, 1], "2 1 is not 1 2")
    check.equal(yours.merge([1, 1, 2], (1, 2), 9), [1, 9], "the second 1 begins the pair")
    check.equal(yours.merge([21, 2, 1, 21, 2], (1, 2), 9), [21, 2, 1, 21, 2], "not digits")
    check.equal(yours.merge([], (1, 2), 9), [], "nothing in it")
    ### BEGIN HIDDEN TESTS
    from autograder import integer

    check.equal(yours.merge([3], (3, 3), 9), [3], "one token has no neighbour")
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
# 400 merges, yours, on the training text alone: a few seconds. New words are cut by the same merges, in the same order.


# %% given="tokens"
class Tokens:
    """A vocabulary: the letters, then a token for each merge. `encode` and `decode` go between text and numbers."""

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
            numbers, letters = [self.names.index(letter) for letter in text], len(self) - len(self.pairs)
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
# A model reads T tokens and, at *each* of them, guesses the next. So a window is T tokens, and its targets are the same
# tokens moved on by one.
#
# ### Exercise `windows` (2 points)
# `ids` (n,) is a text, `starts` (B,) says where windows begin. Return `x` and `y`, both (B, T).
#
# <details><summary>Hint 1: a sketch</summary>
#
# A column of starts plus a row 0, 1, ..., T - 1 makes all places at once.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# at = starts[:, None] + ...
# return ids[at], ids[...]
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# `y` has one new token at its end, not T new ones.
# </details>


# %% exercise="windows"
def windows(ids, starts, T):
    """The tokens x (B, T) from each of `starts` on, and for each of them the next one, y (B, T)."""
    ### BEGIN SOLUTION
    at = starts[:, None] + np.arange(T)
    return ids[at], ids[at + 1]
    ### END SOLUTION


# %% check="windows" points=2
with exercise("windows") as check:
    ids = np.array([30, 31, 35, 36, 34, 39, 38, 32])
    x, y = yours.windows(ids, np.array([3, 0]), 2)
    check.equal(x, np.array([[36, 34], [30, 31]]), "two tokens from 3 on, two from 0 on")
    check.equal(y, np.array([[34, 39], [31, 35]]), "what follows each of them")
    check.untouched("the text stays as it was")
    x, y = yours.windows(ids, np.array([3]), 4)
    check.equal((x, y), (ids[None, 3:7], ids[None, 4:8]), "up to the end of the text")
    ### BEGIN HIDDEN TESTS
    from autograder import integer

    for n, T, B in ((9, 1, 3), (12, 5, 4), (20, 7, 1), (8, 7, 2), (15, 3, 6)):
        ids = np.array([x for (x,) in check.cases(n, integer(0, 90))])
        starts = np.array([x for (x,) in check.cases(B, integer(0, n - T - 1))])
        wanted = [ids[s : s + T] for s in starts], [ids[s + 1 : s + T + 1] for s in starts]
        x, y = yours.windows(ids, starts, T)
        check.equal((x, y), tuple(map(np.array, wanted)), "each window, and what follows")
        check.untouched()
        check.equal((x.dtype.kind, y.dtype.kind), ("i", "i"), "tokens are whole numbers, with which a table is indexed")
    ### END HIDDEN TESTS

# %% [markdown]
# ## 4. How good is a guess? From an empty cell
#
# The cross-entropy of unit 07 is a mean for each *token*. Its exponential is called *perplexity*: at 8 the model is as
# unsure as a die of eight sides. But longer tokens are harder to guess. A token's *surprise* is -log of
# its probability, in nats; a bit is log 2 nats. To compare models with different tokens, divide all surprise, in bits, by
# the number of *characters*.
#
# ### Exercise `bits_per_character` (3 points)
# Write `bits_per_character(logits, targets, lengths)`. `logits` is (n, V), `targets` (n,) holds the tokens that came,
# `lengths` (V,) the number of characters of each token of the vocabulary. Return a float. Logits may be as large as
# 10,000.
#
# <details><summary>Hint 1: how to begin</summary>
#
# On paper: the model gave 1/8 to a token of three characters, which came. How many bits for each character?
# </details>
# <details><summary>Hint 2: what to look for</summary>
#
# Two sums over the text and one division: of -log2 of the probabilities of what came, and of the lengths of what came.
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# A mean of quotients is not the quotient of sums. log(softmax) of large logits: take the row's largest off first, and
# never take the log of a probability that has become 0.
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
    ### END HIDDEN TESTS

# %% [markdown]
# The first model only counts pairs, of characters, and then of tokens. What to see: the perplexity of tokens is far
# higher, and their bits are lower. Pairs of tokens guess better; a perplexity says nothing without its tokens.


# %% given="pairs"
def pair_logits(ids, V):
    """Logits (V, V) of the next token, from counts of pairs; each gets 0.05 more, so that none is impossible."""
    counts = np.full((V, V), 0.05)
    np.add.at(counts, (ids[:-1], ids[1:]), 1)
    return np.log(counts / counts.sum(axis=1, keepdims=True))


# %% figure="counting"
def counting():
    letters = Tokens("", TOKENS.names[: len(TOKENS) - 400], 0)
    for name, tokens in (("characters", letters), ("tokens", TOKENS)):
        table = pair_logits(tokens.encode(TEXTS["training"]), len(tokens))
        ids = tokens.encode(TEXTS["validation"])
        lengths = np.array([len(name) for name in tokens.names])
        bits = bits_per_character(table[ids[:-1]], ids[1:], lengths)
        perplexity = 2 ** (bits * lengths[ids[1:]].sum() / (len(ids) - 1))
        print(f"pairs of {name:10} perplexity {perplexity:6.1f}, bits for each character {bits:.2f}")


counting()

# %% [markdown]
# ## 5. The model
#
# The vectors of all positions, x, are called the *stream*. A block only *adds* to it (the residuals of unit 15), twice:
#
# ```text
# tokens, positions -> x -----------------+----------------------+--> next block
#                        \               /  \                   /
#                         norm, attention    norm, up, relu, down     after the last:
#                         (sees earlier)     (each position alone)    norm -> logits
# ```
#
# New since unit 15: the last layer is the table of tokens, turned around (*weight tying*); the two products that write
# into the stream, `out` and `down`, start smaller, by $\sqrt{2 \cdot \mathrm{depth}}$. One dial, `size`, sets width,
# heads and depth.


# %% given="gpt"
SIZES = {"one head": (32, 1, 1), "small": (64, 4, 2), "large": (128, 4, 4)}


def composed_attention(qkv, heads):
    """Queries, keys and values (B, T, 3 D) to outputs (B, T, D), from operations that your engine has, too."""
    b, t, width = qkv.shape
    d = width // 3 // heads
    parts = qkv.reshape(b, t, 3, heads, d).permute(2, 0, 3, 1, 4)  # the axes in a new order: 3, B, heads, T, d
    q, k, v = parts[0], parts[1], parts[2]
    scores = q @ k.permute(0, 1, 3, 2) / d**0.5 + np.where(np.tri(t, dtype=bool), 0.0, -np.inf).astype(qkv.dtype)
    e = (scores - scores.data.max(axis=-1, keepdims=True)).exp()
    return (e / e.sum(axis=-1, keepdims=True) @ v).permute(0, 2, 1, 3).reshape(b, t, width // 3)


class Block:
    """x + attention(norm(x)), then x + mlp(norm(x))."""

    def __init__(self, nn, width):
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.packed, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)

    def __call__(self, x, attend):
        x = x + self.out(attend(self.packed(self.norm1(x))))
        return x + self.down(self.up(self.norm2(x)).relu())


class GPT:
    """Tokens (B, T) to logits (B, T, V) of the next ones. `lib` is an engine, T the longest window."""

    def __init__(self, lib, V, T=32, size="small", scaled=True, seed=0, dtype="float32"):
        width, self.heads, depth = SIZES.get(size, size)  # a name in SIZES, or such a triple itself
        nn, self.V, self.T = lib.nn, V, T
        self.token, self.place = nn.Embedding(V, width), nn.Embedding(T, width)
        self.blocks, self.norm = [Block(nn, width) for _ in range(depth)], nn.LayerNorm(width)
        # Attention as one operation, where the engine has it: the same numbers as `composed_attention`, sooner.
        self.fused = getattr(lib.functional, "self_attention", None)
        rng = np.random.default_rng(seed)
        for p in self.parameters():
            p.data = p.data.astype(dtype)
            if p.data.ndim == 2:
                p.data[...] = rng.standard_normal(p.shape) / np.sqrt(p.shape[1])
        for table in (self.token, self.place):  # so small that the first logits are nearly equal
            table.weight.data[...] = 0.04 * rng.standard_normal(table.weight.shape)
        for block in self.blocks if scaled else []:
            block.out.weight.data[...] /= np.sqrt(2 * depth)
            block.down.weight.data[...] /= np.sqrt(2 * depth)

    def parameters(self):
        inner = [layer for block in self.blocks for layer in vars(block).values()]
        return [p for layer in (self.token, self.place, *inner, self.norm) for p in layer.parameters()]

    def attention(self, qkv):
        fused = self.fused
        return composed_attention(qkv, self.heads) if fused is None else fused(qkv, self.heads, is_causal=True)

    def __call__(self, ids):
        x = self.token(ids) + self.place(np.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x, self.attention)
        return self.norm(x) @ self.token.weight.T


def mean_loss(model, x, y, lib=engine):
    return lib.functional.cross_entropy(model(x).reshape(-1, model.V), y.ravel())


# %% [markdown]
# ### Exercise `tied_rule` (3 points)
# One table E (V, D), used twice: the tokens `ids` (n,) look up its rows, and at the other end the logits are `h @ E.T`.
# Return the gradient of E. Given are `g` (n, D), the gradient of the looked-up rows, `h` (n, D), and `grad_logits` (n, V), the
# gradient of the logits.
#
# <details><summary>Hint 1: a sketch</summary>
#
# What is used twice gets two gradients, added up (unit 03). One of them is a matrix product (unit 06).
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# grad_E = ...                   # of h @ E.T: of shape (V, D)
# np.add.at(grad_E, ids, ...)    # of E[ids]
# return grad_E
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# A token that occurs twice gets two parts. `grad_E[ids] += g` keeps only one of them.
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
    ids, g = np.array([2, 0, 2]), floats([1, 2], [3, 4], [5, 6])
    h, nothing = floats([1, 0], [0, 1], [1, 1]), np.zeros((3, 4))
    expected = floats([3, 4], [0, 0], [6, 8], [0, 0])
    check.close(yours.tied_rule(ids, g, h, nothing), expected, "token 2 came twice: both")
    check.untouched("what came in stays as it was")
    grad_logits = floats([1, 0, 0, 9], [0, 0, 2, 9], [0, 5, 0, 9])
    last = floats([1, 0], [5, 5], [0, 2], [18, 18])
    got = yours.tied_rule(ids, g, h, grad_logits)
    check.close(got, expected + last, "both ends add up")
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

# %% [markdown]
# **Predict, then run.** Before the first step, what is the mean loss of a token, in nats? There are 461 tokens, and the
# model knows nothing.

# %%
prediction = None

if predicted(prediction, "first_loss"):
    ids = np.random.default_rng(0).integers(0, 461, (100, 33))
    first = mean_loss(GPT(engine, 461), ids[:, :-1], ids[:, 1:]).item()
    print(f"log 461 = {np.log(461):.2f} nats (in bits {np.log2(461):.2f}), first loss {first:.2f}")

# %% [markdown]
# Why do the products into the stream begin smaller? What to see: unscaled, each block adds its own spread, and
# the stream grows with the depth. Scaled, it ends at about the same size.


# %% figure="spread"
def spread():
    ids = np.random.default_rng(0).integers(0, 60, (4, 32))
    curves = {}
    for scaled in (False, True):
        for depth in (4, 16):
            model, sizes = GPT(engine, 60, size=(64, 4, depth), scaled=scaled), []
            with engine.no_grad():
                x = model.token(ids) + model.place(np.arange(32))
                for block in model.blocks:
                    x = block(x, model.attention)
                    sizes.append(float(x.data.std()))
            curves[f"{'scaled' if scaled else 'unscaled'}, {depth} blocks"] = sizes
            print(f"{'scaled' if scaled else 'unscaled':8} {depth:2} blocks: spread at the end {sizes[-1]:.2f}")
    plots.layer_statistics(curves, log=False, title="Spread of the stream", xlabel="block", ylabel="standard deviation")


spread()

# %% [markdown]
# ## 6. Training
#
# AdamW, a rate that warms up and then falls along a cosine, gradients clipped to a norm of 1: all from unit 09. `state`
# holds what it takes to go on later: weights, the optimizer's means, the schedule's place, and the random numbers.


# %% given="train"
class Training:
    """A model on its way: `run(n)` takes n steps, `state()` is all that it takes to go on."""

    def __init__(self, model, ids, steps, rate=0.015, batch=16, seed=0):
        self.model, self.ids, self.batch, self.losses = model, ids, batch, []
        self.optimizer = engine.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.95), weight_decay=0.3)
        self.schedule = engine.optim.CosineWithWarmup(self.optimizer, steps, warmup=steps // 20, min_lr=rate / 20)
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
        return weights, self.optimizer.state_dict(), self.schedule.state_dict(), self.rng.bit_generator.state

    def load(self, weights, optimizer, schedule, rng):
        for p, weight in zip(self.model.parameters(), weights):
            p.data[...] = weight
        self.optimizer.load_state_dict(optimizer)
        self.schedule.load_state_dict(schedule)
        self.rng.bit_generator.state = rng
        return self


# %% [markdown]
# First, as in unit 10, overfit one batch: four windows that never change. What to see: the loss falls towards 0. On
# the right, a training that stopped after 30
# steps, and how far its loss is from one that never stopped. With its whole state: exactly 0. With a new optimizer and
# schedule it goes another way from the second step on.


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
    on = fresh().load(*stopped.state()).run(30).losses
    weights, _, _, rng = stopped.state()
    new = fresh()
    bare = new.load(weights, new.optimizer.state_dict(), new.schedule.state_dict(), rng).run(30).losses
    print("goes on as if nothing had been:", on == whole[30:])
    after = np.arange(30, 60)
    curves = {"whole state": (after, np.subtract(on, whole[30:])), "a new optimizer": (after, np.subtract(bare, whole[30:]))}
    plots.lines(curves, xlabel="step", ylabel="difference of the loss", title="Go on after 30 steps", ax=right)


first_runs()

# %% [markdown]
# One dial for the size. What to see: from `small` to `large` width and depth double, which makes more than six times the
# weights, and the time grows with them. Memory counts four arrays: the weights, their gradients, and AdamW's two means.


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
        print(f"{size:8} width {width:3}, {depth} blocks: {count:7,} weights, {16 * count / 1e6:5.1f} MB")
        seconds[size] = 1000 * min(took)
    plots.bars(seconds, title="1,000 steps on this machine", xlabel="seconds")


sizes()

# %% [markdown]
# Two trainings: one head with one block, then the small GPT, 1,400 steps. Ten to thirty seconds. What to see:
# the two curves part. At the end they are 0.4 bits apart. A seventh of that is there before any
# training: the merges were chosen on the training text, so its tokens are longer. The rest comes from training.


# %% given="measure"
def bits_of(model, ids):
    """Bits for each character of a text, read in windows side by side."""
    n = (len(ids) - 1) // model.T
    x, y = windows(ids, model.T * np.arange(n), model.T)
    with engine.no_grad():
        logits = model(x).data.reshape(n * model.T, -1).astype(float)
    return bits_per_character(logits, y.ravel(), np.array([len(name) for name in TOKENS.names]))


# %% figure="training" tags=["nbval-ignore-output"]
def trained():
    untrained = GPT(engine, len(TOKENS))
    one, full = GPT(engine, len(TOKENS), size="one head"), GPT(engine, len(TOKENS))
    Training(one, IDS["training"], 1000, rate=0.02).run(1000)
    training, curves = Training(full, IDS["training"], 1400), {"training": [], "validation": []}
    for _ in range(14):
        training.run(100)
        for name, found in curves.items():
            found.append(bits_of(full, IDS[name][:4000]))
    steps = np.arange(100, 1500, 100)
    plots.lines({name: (steps, found) for name, found in curves.items()}, xlabel="step", ylabel="bits for each character")
    table = pair_logits(IDS["training"], len(TOKENS))
    lengths = np.array([len(name) for name in TOKENS.names])
    print("bits for each character      validation")
    print(f"pairs of tokens              {bits_per_character(table[IDS['validation'][:-1]], IDS['validation'][1:], lengths):.2f}")
    for name, model in (("untrained", untrained), ("one head", one), ("small GPT", full)):
        print(f"{name:28} {bits_of(model, IDS['validation']):.2f}")
    for name, model in (("untrained", untrained), ("trained", full)):
        apart = bits_of(model, IDS["validation"]) - bits_of(model, IDS["training"])
        print(f"{name}, validation less training: {apart:.2f}")
    print(f"the small GPT on the test text, once: {bits_of(full, IDS['test']):.2f}")
    return {"untrained": untrained, "pairs": table, "one head": one, "small GPT": full}


MODELS = trained()

# %% [markdown]
# ## 7. Sampling
#
# Always take the likeliest token, and a model repeats itself. Draw from all of them, and now and then an absurd one
# comes. Three ways in between.
#
# ### Exercise `with_temperature` (2 points)
# Return the softmax of `logits / temperature` along the last axis of `logits` (..., V). Below 1 the likely become likelier.
# Logits may be as large as 10,000, and a temperature as low as 0.001.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Logits log 3 and 0 are 3 to 1. At temperature 0.5 they are 9 to 1.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# z = ...
# e = np.exp(z - ...)      # the largest of each row
# return ...
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# Divide the logits, not the probabilities: those are brought back to a sum of 1, and nothing has changed.
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
    check.close(yours.with_temperature(logits, 0.5), floats(9, 1, 36) / 46, "0.5: squares")
    check.untouched("the logits stay as they were")
    got = yours.with_temperature(np.log(floats(9, 1, 36)), 2.0)
    check.close(got, floats(0.3, 0.1, 0.6), "2: roots of them")
    got = yours.with_temperature(floats([1e4, 0, 1e4, 1e4], [0, 0.002, 0, 0]), 0.001)
    check.close(got[0], floats(1, 0, 1, 1) / 3, "large and cold: three share it all")
    check.close(got[1], floats(1, np.e**2, 1, 1) / (3 + np.e**2), "each row for itself")
    ### BEGIN HIDDEN TESTS
    import math

    from autograder import array, positive

    expected = floats(0.5, 0, 0.5)
    check.close(yours.with_temperature(floats(1e4, 0, 1e4), 1.0), expected, "large logits at temperature 1")
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
# **Predict, then run.** Two logits, log 4 and 0, are 80 to 20 percent. At temperature 0.5, what does the first one get?

# %%
prediction = None

if predicted(prediction, "colder"):
    print(with_temperature(np.log(floats(4, 1)), 0.5).round(3))

# %% [markdown]
# ### Exercise `top_k` (2 points)
# `p` (V,) are probabilities. Keep the k largest, set the others to 0, bring the sum back to 1. Of equal ones, keep those
# that come first. k may be larger than V.
#
# <details><summary>Hint 1: a sketch</summary>
#
# `np.argsort(-p, kind="stable")` names the largest first, and of equal ones the first.
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# keep = np.argsort(..., kind="stable")[...]
# out = np.zeros(...)
# out[keep] = ...
# return ...
# ```
# </details>
# <details><summary>Hint 3: the usual error</summary>
#
# A comparison with the k-th largest keeps too many where some are equal.
# </details>


# %% exercise="top_k"
def top_k(p, k):
    """The k largest of the probabilities p (V,), brought to a sum of 1; 0 for the others."""
    ### BEGIN SOLUTION
    keep = np.argsort(-p, kind="stable")[:k]
    out = np.zeros(p.shape)
    out[keep] = p[keep]
    return out / out.sum()
    ### END SOLUTION


# %% check="top_k" points=2
with exercise("top_k") as check:
    p = floats(0.1, 0.4, 0.3, 0.2)
    check.close(yours.top_k(p, 2), floats(0, 4, 3, 0) / 7, "4 to 3, and nothing else")
    check.untouched("p stays as it was")
    check.close(yours.top_k(p, 1), floats(0, 1, 0, 0), "the likeliest alone")
    check.close(yours.top_k(p, 9), p, "more than there are")
    got = yours.top_k(floats(0.2, 0.2, 0.4, 0.2), 2)
    check.close(got, floats(1, 0, 2, 0) / 3, "equal: the first")
    many = np.append(np.ones(460), 4.0) / 464
    expected = np.zeros(461)
    expected[[0, 1, 460]] = floats(1, 1, 4) / 6
    check.close(yours.top_k(many, 3), expected, "of 460 equal ones the first two")
    ### BEGIN HIDDEN TESTS
    from autograder import array, integer

    check.close(yours.top_k(np.full(6, 1 / 6), 4), floats(1, 1, 1, 1, 0, 0) / 4, "all equal: the first ones")
    check.close(yours.top_k(floats(0, 0, 1, 0), 3), floats(0, 0, 1, 0), "zeros stay zeros")
    near = floats(0.25, 0.25 + 1e-12, 0.25, 0.25)
    check.close(yours.top_k(near, 1), floats(0, 1, 0, 0), "nearly equal is not equal")
    for n, k in check.cases(20, integer(2, 30), integer(1, 9)):
        (p,), = check.cases(1, array(n, low=0.1, high=3.0))
        p = np.round(p, 1) / np.round(p, 1).sum()  # with equal ones
        order = sorted(range(n), key=lambda i: (-p[i], i))[:k]
        expected = np.array([p[i] if i in order else 0.0 for i in range(n)])
        check.close(yours.top_k(p, k), expected / sum(expected), "the k largest", rtol=1e-10)
        check.untouched()
    ### END HIDDEN TESTS

# %% [markdown]
# ### Exercise `top_p` (3 points)
# Keep the *fewest* of the likeliest tokens whose probabilities add up to at least `share`; the others get 0; bring
# the sum back to 1. Of equal ones, those that come first.
#
# <details><summary>Hint 1: a sketch</summary>
#
# Sorted 0.5, 0.25, 0.125, ...: for a share of 0.6 two are needed. How much was there *before* the second?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# order = np.argsort(..., kind="stable")
# before = np.cumsum(p[order]) - ...
# keep = order[before < ...]
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# The token with which the share is reached belongs to it. One is always kept. `p[order]` and `p` are in different orders.
# </details>


# %% exercise="top_p"
def top_p(p, share):
    """The fewest of the likeliest of p (V,) that have `share` (0 to 1) together, brought to a sum of 1."""
    ### BEGIN SOLUTION
    order = np.argsort(-p, kind="stable")
    before = np.cumsum(p[order]) - p[order]
    keep = order[before < share]
    out = np.zeros(p.shape)
    out[keep] = p[keep]
    return out / out.sum()
    ### END SOLUTION


# %% check="top_p" points=3
with exercise("top_p") as check:
    got = yours.top_p(floats(2, 4, 1, 2, 6, 1) / 16, 0.6)
    check.close(got, floats(0, 4, 0, 0, 6, 0) / 10, "6 of 16 is not enough, 10 of 16 is")
    check.untouched("p stays as it was")
    p = floats(0.125, 0.5, 0.125, 0.25)
    check.close(yours.top_p(p, 0.75), floats(0, 2, 0, 1) / 3, "0.75 is reached by two")
    check.close(yours.top_p(p, 0.8), floats(1, 4, 0, 2) / 7, "of equal ones the first")
    check.close(yours.top_p(p, 0.01), floats(0, 1, 0, 0), "one at least")
    check.close(yours.top_p(p, 1.0), p, "all of them")
    tenths = np.full(10, 0.1)  # whose sum is a little below 1, by rounding
    check.close(yours.top_p(tenths, 1.0), tenths, "all, if they nearly reach it")
    ### BEGIN HIDDEN TESTS
    from autograder import array, integer, number

    check.close(yours.top_p(np.full(8, 1 / 8), 0.5), floats(1, 1, 1, 1, 0, 0, 0, 0) / 4, "half of equal ones")
    many = np.tile(floats(1, 2, 1, 4), 16) / 128
    expected = np.where(many == 4 / 128, 4.0, 0.0)
    expected[1:28:4] = 2.0
    check.close(yours.top_p(many, 0.6), expected / 78, "of many equal ones, the first", rtol=1e-10)
    check.close(yours.top_p(floats(0.25, 0.75), 0.75), floats(0, 1), "exactly reached")
    check.close(yours.top_p(floats(0.5, 0.3, 0.2), 0.5005), floats(5, 3, 0) / 8, "nearly reached is not reached")
    check.close(yours.top_p(np.full(10, 0.1), 1.0), np.full(10, 0.1), "ten tenths, which rounding leaves below 1")
    check.close(yours.top_p(floats(0.5, 0, 0.5, 0), 1.0), floats(0.5, 0, 0.5, 0), "zeros stay zeros")
    for n, share in check.cases(25, integer(2, 20), number(0.15, 0.95)):
        (p,), = check.cases(1, array(n, low=0.1, high=3.0))
        p = p**3 / (p**3).sum()
        total, expected = 0.0, np.zeros(n)
        for i in sorted(range(n), key=lambda i: -p[i]):
            if total < share:
                expected[i] = p[i]
            total += p[i]
        check.close(yours.top_p(p, share), expected / expected.sum(), "the fewest that reach it", rtol=1e-10)
        check.untouched()
    ### END HIDDEN TESTS

# %% [markdown]
# Each stage writes from a new line on, at temperature 0.5 with a share of 0.9. What to see: first noise, then
# pieces that fit their neighbour, and at last lines, with a capital in front and a comma behind. It has read 75 kilobytes:
# most of its long words it makes up, and meaning is too much to ask.


# %% given="write"
def write(logits_of, length=60, seed=0, temperature=0.5, share=0.9):
    """A text of `length` new tokens. `logits_of` gives the logits of the next one, from all so far."""
    rng, ids = np.random.default_rng(seed), [TOKENS.names.index("\n")]
    for _ in range(length):
        p = top_p(with_temperature(logits_of(ids), temperature), share)
        ids.append(int(rng.choice(len(p), p=p)))
    return TOKENS.decode(ids[1:]).strip()


def last_logits(model):
    """What `write` needs of a model: the logits after the last token, from a window that ends there."""

    def logits_of(ids):
        with engine.no_grad():
            return model(np.array([ids[-model.T :]])).data[0, -1].astype(float)

    return logits_of


# %% figure="samples" tags=["nbval-ignore-output"]
def samples():
    for name, model in MODELS.items():
        logits_of = last_logits(model) if name != "pairs" else lambda ids: MODELS["pairs"][ids[-1]]
        text = write(logits_of, 150 if name == "small GPT" else 50)
        print(f"--- {name} ---\n{text}\n")
    return text


WRITTEN = samples()

# %% [markdown]
# ## 8. A cache, and a bug hunt
#
# To add one token, the model reads the whole window again. But while the text fits into it, keys and values of earlier
# tokens never change. So keep them: only new tokens go through the network; their queries meet all keys.
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
# The tool: the same 12 tokens, once as a whole, once in pieces. What to see: where the second piece begins, the
# outputs differ.


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
    curves = {}
    for pieces in ((12,), (5, 7), (5, 1, 1, 1, 1, 1, 1, 1)):
        curves["pieces of " + ", ".join(map(str, dict.fromkeys(pieces)))] = (
            np.arange(12), off_in_pieces(colleague_attend, pieces))
    plots.lines(curves, markers=True, xlabel="token", ylabel="distance", title="In pieces and as a whole")


hunt()

# %% [markdown]
# **Predict, then run.** Five tokens are in the cache, a sixth comes. How many of the six keys does the colleague's mask
# show it?

# %%
prediction = None

if predicted(prediction, "keys_that_are_seen"):
    print(int(np.tri(1, 6).sum()), "of 6")

# %% [markdown]
# ### Exercise `mended_attend` (3 points)
# Write it right, for any m and n, also 0 and 1. New token i sees all m old ones, and the new ones up to itself.
#
# <details><summary>Hint 1: a sketch</summary>
#
# One new token, and print `seen`. How many keys may it look at, and at which does it?
# </details>
# <details><summary>Hint 2: an annotated outline</summary>
#
# ```python
# np.tri(n, m + n, k=...)      # k moves the diagonal to the right
# ```
# </details>
# <details><summary>Hint 3: the usual errors</summary>
#
# Without any mask it is right for n = 1 alone. The cache that came in is another's too: make a new one.
# </details>


# %% exercise="mended_attend"
def mended_attend(q, k, v, cache):
    """Outputs (heads, n, d) of the new tokens, and the cache with them: keys and values (heads, m + n, d)."""
    ### BEGIN SOLUTION
    keys, values = np.concatenate([cache[0], k], axis=1), np.concatenate([cache[1], v], axis=1)
    scores = q @ keys.swapaxes(1, 2) / np.sqrt(q.shape[-1])
    seen = np.tri(q.shape[1], keys.shape[1], k=cache[0].shape[1], dtype=bool)
    masked = np.where(seen, scores, -np.inf)
    e = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ values, (keys, values)
    ### END SOLUTION


# %% probes="mended_attend"
# Two heads, four old tokens and three new ones. A query meets the new keys with log 3 or log 9, the old ones with 0.
old_k, old_v = np.zeros((2, 4, 4)), floats([[10], [20], [30], [40]], [[3], [8], [1], [6]]) * floats(1, 0, 2, -1)
new_q, new_v = floats([[1, 0, 0, 0]] * 3, [[0, 1, 0, 0]] * 3), floats([[4], [6], [2]], [[5], [7], [3]]) * floats(1, 0, 2, -1)
new_k = new_q * np.log(floats([[9]], [[81]]))


# %% check="mended_attend" points=3
with exercise("mended_attend") as check:
    one = new_q[:, :1], new_k[:, :1], new_v[:, :1]  # one new token, in two heads
    out, both = yours.mended_attend(*one, (old_k, old_v))
    check.close(out[..., 0], floats([16], [63 / 13]), "old ones: 1; the new one: 3, or 9")
    kept = np.hstack([old_k, one[1]]), np.hstack([old_v, one[2]])
    check.close(both, kept, "all keys and all values, the new ones last")
    check.untouched("the cache that came in stays as it was")
    out, _ = yours.mended_attend(new_q, new_k, new_v, (old_k, old_v))
    expected = floats([16, 13, 136 / 13], [63 / 13, 63 / 11, 153 / 31])
    check.close(out[..., 0], expected, "three new ones: 5 keys, 6, then 7")
    out, _ = yours.mended_attend(1e4 * new_q, new_k, new_v, (old_k[:, :0],) * 2)
    check.close(out[..., 0], floats([4, 5, 4], [5, 6, 5]), "an empty cache, large scores")
    ### BEGIN HIDDEN TESTS
    from autograd_ref import functional
    from autograder import array

    for heads, m, n, d in ((2, 3, 1, 4), (3, 4, 2, 2), (1, 1, 3, 5), (2, 0, 4, 3), (4, 2, 2, 1), (2, 5, 4, 3)):
        for q, k, v in check.cases(2, *[array(heads, m + n, d)] * 3):
            whole = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            for size in (1.0, 1e4):
                if size > 1:
                    whole = functional.scaled_dot_product_attention(size * q, k, v, is_causal=True)
                got = yours.mended_attend(size * q[:, m:], k[:, m:], v[:, m:], (k[:, :m], v[:, :m]))
                check.close(got, (whole[:, m:], (k, v)), "as in the whole text", rtol=1e-9)
                check.untouched()
    ### END HIDDEN TESTS

# %% [markdown]
# Now the whole network on it. What to see: the same logits, token by token, from far fewer multiplications. In a network as
# small as this, most of the *time* goes into calling NumPy, so less of it is saved. With token 33 the window moves on, and
# each token gets another position: no key stays as it was, and the cache ends.


# %% given="cached"
def cached_logits(model, tokens, caches):
    """Logits (n, V) of n new tokens, and the caches of all blocks with them."""
    x = model.token.weight.data[tokens] + model.place.weight.data[caches[0][0].shape[1] :][: len(tokens)]

    def norm(layer, x):
        x = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
        return x * layer.weight.data + layer.bias.data

    found = []
    for block, cache in zip(model.blocks, caches):
        packed = norm(block.norm1, x) @ block.packed.weight.data.T
        q, k, v = packed.reshape(len(x), 3, model.heads, -1).transpose(1, 2, 0, 3)
        out, cache = mended_attend(q, k, v, cache)
        x = x + out.swapaxes(0, 1).reshape(x.shape) @ block.out.weight.data.T
        x = x + np.maximum(norm(block.norm2, x) @ block.up.weight.data.T, 0) @ block.down.weight.data.T
        found.append(cache)
    return norm(model.norm, x) @ model.token.weight.data.T, found


def multiplications(model, n, m):
    """How many it takes to compute n new tokens after m that are in a cache, and the logits of the last one."""
    width = model.token.weight.shape[1]
    pairs = sum(m + i + 1 for i in range(n))
    return len(model.blocks) * (12 * width**2 * n + 2 * width * pairs) + width * model.V


# %% figure="cache"
def cache():
    model, ids = MODELS["small GPT"], IDS["validation"][:32]
    width = model.token.weight.shape[1]
    empty = np.zeros((2, model.heads, 0, width // model.heads), "float32")

    def with_cache():
        caches, rows = [tuple(empty)] * len(model.blocks), []
        for token in ids:
            row, caches = cached_logits(model, [token], caches)
            rows.append(row[0])
        return np.array(rows)

    def without():
        with engine.no_grad():
            return np.array([model(ids[None, : t + 1]).data[0, -1] for t in range(32)])

    print("in pieces as a whole:", off_in_pieces(mended_attend, (5, 1, 6)).max() < 1e-12)
    off = abs(with_cache() - without()).max()
    print("the same logits, up to the rounding of float32:", off < 1e-4)
    counts = {
        "without a cache": sum(multiplications(model, t + 1, 0) for t in range(32)),
        "with a cache": sum(multiplications(model, 1, t) for t in range(32)),
    }
    for name, count in counts.items():
        print(f"{name:15} {count / 1e6:6.1f} million multiplications for 32 tokens")
    seconds = {}
    for name, way in (("without a cache", without), ("with a cache", with_cache)):
        took = []
        for _ in range(3):
            start = time.perf_counter()
            way()
            took.append(time.perf_counter() - start)
        seconds[name] = min(took)
    left, right = plots.panels(2, height=2.0)
    plots.bars({name: count / 1e6 for name, count in counts.items()}, title="Multiplications, million", ax=left)
    plots.bars({name: 1000 * t for name, t in seconds.items()}, title="Milliseconds", ax=right)


cache()

# %% [markdown]
# ## 9. Your own GPT on your own engine
#
# The model asks of an engine only what yours has. Take the `#` away: then your answers of units 03 to 09
# train it, and a table says which parts are yours. What to see: the same losses, step by step.

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
for name, lib in {"reference": engine, "yours": own}.items():
    print(f"{name:10}", np.round(ten_losses(lib), 6) if lib else "take the # away above")

# %% [markdown]
# ## 10. Where to go from here
#
# What differs in a large model:
#
# | | here | there |
# |---|---|---|
# | weights | 130,496 | 175 billion: GPT-3; 405 billion: Llama 3 |
# | tokens read | 716,800, the same 30,873 again and again | 300 billion; 15.6 trillion |
# | machines | one core, seconds | Llama 3: up to 16,000 GPUs, each with a part of the weights and of the data |
# | afterwards | nothing | fine-tuning: on instructions, then on what people prefer |
#
# In 2022 Hoffmann and others found: for a given budget of computation, about 20 tokens for each weight.
#
# Your favourite line of section 7? The certificate of unit 17 has room for it.

# %%
line = None

keep_line(line, WRITTEN)

# %% [markdown]
# ## In your own words
#
# In three sentences: why is the first loss log V, why can a cache be right, and why compare bits for each character?
#
# <details><summary>One way to say it</summary>
#
# Knowing nothing, the model gives every token 1/V, and the negative log of that is log V. Keys and values of a token depend
# on itself and earlier tokens alone, so later ones change nothing in them. A perplexity is for each token, and models with longer
# tokens have fewer and harder guesses; characters are the same for all.
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

    Q, K, V, table = (torch.tensor(a, requires_grad=True) for a in (q, k, v, E))
    mask = torch.ones(4, 9, dtype=bool).tril(5)
    ((table[torch.tensor(targets)] * torch.tensor(g)).sum() + (torch.tensor(h) @ table.T * torch.tensor(grad_logits)).sum()).backward()
    theirs = [
        torch.softmax(torch.tensor(logits) / 0.7, -1),
        torch.nn.functional.cross_entropy(torch.tensor(logits), torch.tensor(targets))[None],
        torch.nn.functional.scaled_dot_product_attention(Q[:, 5:], K, V, attn_mask=mask).detach(),
        table.grad,
    ]
    print("all agree:", all(np.allclose(a, b.numpy()) for a, b in zip(ours, theirs)))
except ImportError:
    print("PyTorch is not installed here: pip install torch")

# %% [markdown]
# ## What you have built
#
# | here | in PyTorch |
# |---|---|
# | the cross-entropy under `bits_per_character` | `F.cross_entropy(logits, targets)`, in nats for each token |
# | one table, used twice | `head.weight = embedding.weight`; its gradient adds up |
# | the k largest of `top_k` | `torch.topk(p, k)` |
# | a draw from `p` | `torch.multinomial(p, 1)` |
# | the mask of `mended_attend` | `torch.ones(n, m + n, dtype=bool).tril(m)` |
# | `colleague_attend`'s mask | `F.scaled_dot_product_attention(q, K, V, is_causal=True)` with one query: it sees the first key alone |
#
# ## Pitfalls, and how they look
#
# | symptom | look for |
# |---|---|
# | the first loss is far above log V | an initialisation that is too large |
# | the loss is far too good | targets that are the inputs, or a mask that lets the future in |
# | a jump of the loss after a restart | the optimizer's means, or the schedule's place, were not kept |
#
# ## Who found it
#
# - Rico Sennrich, Barry Haddow and Alexandra Birch, [2015](https://arxiv.org/abs/1508.07909): byte-pair merges for
#   rare words.
# - Ofir Press and Lior Wolf, [2016](https://arxiv.org/abs/1608.05859): one table for both ends.
# - Angela Fan, Mike Lewis and Yann Dauphin, [2018](https://arxiv.org/abs/1805.04833): draws from the k likeliest.
# - Ari Holtzman and others, [2019](https://arxiv.org/abs/1904.09751): top-p, and how texts degenerate without it.
# - Tom Brown and others, [2020](https://arxiv.org/abs/2005.14165): GPT-3.
# - Jordan Hoffmann and others, [2022](https://arxiv.org/abs/2203.15556): how many tokens for how many weights.
# - Long Ouyang and others, [2022](https://arxiv.org/abs/2203.02155): fine-tuned to follow instructions.
# - Aaron Grattafiori and others, [2024](https://arxiv.org/abs/2407.21783): the Llama 3 models.
#
# ## One thing to try next
# Train on a text of your own: replace `TEXTS`, and run all below. What changes in the merges, and what in the bits?

# %% progress="here"
