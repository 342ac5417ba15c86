"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 16_small_gpt`) and they diagnose: a student's answer that behaves like one of
these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the functions
use (np) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import changed, right, wrong


# -- merge ------------------------------------------------------------------------------------------------------------

MERGE = """
def merge(word, pair, new):
    out, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and word[i] == pair[0] and word[i + 1] == pair[1]:
            out.append(new)
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out
"""

wrong("merge", "one_step", "The pair's second token is still there: two go in, one comes out, and both are used up.", source=changed(
    MERGE, ("i += 2", "i += 1")))
wrong("merge", "last_lost", "The last token is lost here, though it ends no pair: ask where the walk has stopped.", source=changed(
    MERGE, ("while i < len(word):", "while i < len(word) - 1:"), ("i + 1 < len(word) and ", "")))
wrong("merge", "first_only", "Only the first occurrence is replaced: each of them is to be.", source=changed(
    MERGE, ("            i += 2", "            return out + list(word[i + 2 :])")))
wrong("merge", "either_order", "The pair is replaced in the opposite order, too: 2 1 is not 1 2.", source=changed(
    MERGE, ("if i + 1 < len(word) and word[i] == pair[0] and word[i + 1] == pair[1]:", "if sorted(word[i : i + 2]) == sorted(pair):")))
wrong("merge", "opposite_order", "The two tokens of the pair are exchanged.", source=changed(
    MERGE, ("word[i] == pair[0] and word[i + 1] == pair[1]", "word[i] == pair[1] and word[i + 1] == pair[0]")))
wrong("merge", "first_token_alone", "A last token without a neighbour is replaced here: both tokens of the pair have to be there, one behind the other.", source=changed(
    MERGE, ("i + 1 < len(word) and word[i] == pair[0] and word[i + 1] == pair[1]", "word[i] == pair[0]")))
wrong("merge", "second_token_alone", "Only the second token is compared: both have to fit.", source=changed(
    MERGE, ("word[i] == pair[0] and ", "")))
wrong("merge", "by_digits", "As a text, `1 2` is found in `21 2`, too. Compare the numbers.", source="""
def merge(word, pair, new):
    text = " ".join(map(str, word)).replace(f"{pair[0]} {pair[1]}", str(new))
    return [int(number) for number in text.split()]
""")
wrong("merge", "from_the_right", "Where pairs overlap, the left one comes first.", source="""
def merge(word, pair, new):
    out, i = [], len(word)
    while i > 0:
        if i > 1 and tuple(word[i - 2 : i]) == tuple(pair):
            out.append(new)
            i -= 2
        else:
            out.append(word[i - 1])
            i -= 1
    return out[::-1]
""")
wrong("merge", "the_same_list", "Where the pair does not occur, the very list that came in comes back, and who changes one changes both: make a new one in any case.", source=changed(
    MERGE, ("    out, i = [], 0\n", "    if pair not in zip(word, word[1:]):\n        return word\n    out, i = [], 0\n")))
wrong("merge", "in_place", "The word that came in is changed: make a new list.", source="""
def merge(word, pair, new):
    i = 0
    while i < len(word):
        if tuple(word[i : i + 2]) == tuple(pair):
            word[i : i + 2] = [new]
        i += 1
    return word
""")
MERGED_AGAIN = "What was just merged is merged again: compare tokens of the word, not of the result, and go on behind the pair."
wrong("merge", "again_and_again", MERGED_AGAIN, source="""
def merge(word, pair, new):
    out = []
    for token in word:
        out.append(token)
        while len(out) > 1 and tuple(out[-2:]) == tuple(pair):
            out[-2:] = [new]
    return out
""")
wrong("merge", "token_kept", "The pair's second token is still there: two go in, one comes out, and both are used up.", source=changed(
    MERGE, ("out.append(new)\n            i += 2", "out += [new, word[i + 1]]\n            i += 2")))
wrong("merge", "pair_dropped", "The pair is taken out, and nothing put in its place.", source=changed(
    MERGE, ("            out.append(new)\n", "")))
wrong("merge", "each_alone", "Each token of the pair is replaced, wherever it stands: only both together are.", source="""
def merge(word, pair, new):
    return [new if token in pair else token for token in word]
""")
wrong("merge", "pairs_at_even_places", "The pair is looked for at even places only: step on by one where it does not fit.", source="""
def merge(word, pair, new):
    out = []
    for i in range(0, len(word), 2):
        out += [new] if tuple(word[i : i + 2]) == tuple(pair) else word[i : i + 2]
    return out
""")
wrong("merge", "both_replaced", "The new token stands there twice: two go in, one comes out.", source=changed(
    MERGE, ("out.append(new)", "out += [new, new]")))


wrong("merge", "list_and_tuple", "Nothing is merged here. A list never equals a tuple: is a part of `word` compared with `pair` itself? Or does that part not hold the two tokens at i and i + 1?", source=changed(
    MERGE, ("i + 1 < len(word) and word[i] == pair[0] and word[i + 1] == pair[1]", "word[i : i + 2] == pair")))
PAST_THE_END = (
    "An index is past the end of a list. The last token has no neighbour, where a pair ended the word there is no token left "
    "to append, a word that loses tokens gets shorter, and a list that is still empty has no last item: before you look at "
    "a place, ask whether it is there."
)
wrong("merge", "last_of_nothing", PAST_THE_END, source="""
def merge(word, pair, new):
    out = []
    for token in word:
        if (out[-1], token) == tuple(pair):
            out[-1] = new
        else:
            out.append(token)
    return out
""")
wrong("merge", "no_guard", PAST_THE_END, source=changed(
    MERGE, ("i + 1 < len(word) and ", "")))
wrong("merge", "no_guard_at_all", PAST_THE_END, source="""
def merge(word, pair, new):
    out = []
    for i in range(len(word)):
        out.append(new if (word[i], word[i + 1]) == tuple(pair) else word[i])
    return out
""")
wrong("merge", "always_two_steps", "After a token that begins no pair, go on by one: here the token behind it is skipped.", source=changed(
    MERGE, ("out.append(word[i])\n            i += 1", "out.append(word[i])\n            i += 2")))
wrong("merge", "last_always", "The last token is appended even where a pair has used it up.", source=changed(
    MERGE, ("    return out", "    return out + word[-1:]"), ("while i < len(word):", "while i < len(word) - 1:")))


wrong("merge", "pair_in_the_result", MERGED_AGAIN, source="""
def merge(word, pair, new):
    out = []
    for token in word:
        if out and out[-1] == pair[0] and token == pair[1]:
            out[-1] = new
        else:
            out.append(token)
    return out
""")
wrong("merge", "searched_again", MERGED_AGAIN, source="""
def merge(word, pair, new):
    out = list(word)
    while tuple(pair) in list(zip(out, out[1:])):
        i = list(zip(out, out[1:])).index(tuple(pair))
        out[i : i + 2] = [new]
    return out
""")
wrong("merge", "deleted_in_a_copy", MERGED_AGAIN, source="""
def merge(word, pair, new):
    out, i = list(word), 0
    while i < len(out) - 1:
        if (out[i], out[i + 1]) == tuple(pair):
            out[i] = new
            del out[i + 1]
        else:
            i += 1
    return out
""")
NO_LIST = "This is no list: begin with an empty one, `[]`, and append, or make a list of it at the end."
wrong("merge", "a_tuple", NO_LIST, source=changed(
    MERGE, ("return out", "return tuple(out)")))
wrong("merge", "an_array", NO_LIST, source=changed(
    MERGE, ("return out", "return np.array(out, dtype=int)")))
wrong("merge", "as_a_set", "A last token without a neighbour is replaced here: both tokens of the pair have to be there, one behind the other.", source=changed(
    MERGE, ("if i + 1 < len(word) and word[i] == pair[0] and word[i + 1] == pair[1]:", "if set(word[i : i + 2]) == set(pair):")))
wrong("merge", "zip_of_neighbours", "The pair's second token is still there: two go in, one comes out, and both are used up. And the last token, which begins no pair, is lost.", source="""
def merge(word, pair, new):
    return [new if (a, b) == tuple(pair) else a for a, b in zip(word, word[1:])]
""")
wrong("merge", "commas_used_up", "Of two pairs side by side only the first is replaced: in the text they share the comma between them, and it is used up. Compare the numbers themselves.", source="""
def merge(word, pair, new):
    text = "," + ",".join(map(str, word)) + ","
    text = text.replace(f",{pair[0]},{pair[1]},", f",{new},")
    return [int(token) for token in text.split(",") if token]
""")
wrong("merge", "zero_at_the_end", "Behind the last token a number is put that may be a token, too, such as 0: then a pair is found where its second token is not there. The last token has no neighbour.", source="""
def merge(word, pair, new):
    out, i = [], 0
    padded = list(word) + [0]
    while i < len(word):
        if (padded[i], padded[i + 1]) == tuple(pair):
            out.append(new)
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out
""")
wrong("merge", "inside_the_digits", "As one text, the digits of two tokens run together, and it cannot be told where each ends: compare the numbers themselves.", source="""
def merge(word, pair, new):
    text = "".join(map(str, word)).replace(f"{pair[0]}{pair[1]}", str(new))
    return [int(digit) for digit in text]
""")
wrong("merge", "first_found", "Only the first occurrence is replaced: each of them is to be.", source="""
def merge(word, pair, new):
    out = list(word)
    if pair[0] in out:
        i = out.index(pair[0])
        if tuple(out[i : i + 2]) == tuple(pair):
            out[i : i + 2] = [new]
    return out
""")


wrong("merge", "else_forgotten", PAST_THE_END, source=changed(
    MERGE, ("        else:\n            out.append(word[i])\n            i += 1", "        out.append(word[i])\n        i += 1")))
wrong("merge", "short_words_come_back", "A word of one token comes back as the very list that came in, and who changes one changes both: make a new one, however short the word is.", source=changed(
    MERGE, ("    out, i = [], 0\n", "    if len(word) < 2:\n        return word\n    out, i = [], 0\n")))


@right("merge", "iterator")
def merge(word, pair, new):
    out, skip = [], False
    for i, token in enumerate(word):
        if skip:
            skip = False
        elif list(word[i : i + 2]) == list(pair):
            out.append(new)
            skip = True
        else:
            out.append(token)
    return out


@right("merge", "stack")
def merge(word, pair, new):
    out, free = [], False
    for token in word:
        if free and out[-1] == pair[0] and token == pair[1]:
            out[-1], free = new, False
        else:
            out.append(token)
            free = True
    return out


@wrong("merge", "neighbour_passed_over", "Where a token is like the first of the pair and its neighbour is another one, both are passed over here. The neighbour may begin the pair itself: go on by one.")
def merge(word, pair, new):
    out, i = [], 0
    while i < len(word):
        if word[i] == pair[0]:
            two = word[i : i + 2]
            out += [new] if two == list(pair) else two
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out


@wrong("merge", "used_twice", "A token is used in two pairs: the second token of a pair begins the next one. Go on behind the pair.")
def merge(word, pair, new):
    begins = [two == tuple(pair) for two in zip(word, word[1:])] + [False]
    out = []
    for i, token in enumerate(word):
        if begins[i]:
            out.append(new)
        elif i == 0 or not begins[i - 1]:
            out.append(token)
    return out


# -- bits_per_character -----------------------------------------------------------------------------------------------

BITS = """
def bits_per_character(logits, targets, lengths):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    logp = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    nats = -logp[np.arange(len(targets)), targets].sum()
    return float(nats / np.log(2) / lengths[targets].sum())
"""

wrong("bits_per_character", "nats", "These are nats: a bit is log 2 of them.", source=changed(BITS, (" / np.log(2)", "")))
wrong("bits_per_character", "times_log_2", "You multiply by log 2: a bit is log 2 nats, so divide.", source=changed(
    BITS, ("nats / np.log(2)", "nats * np.log(2)")))
wrong("bits_per_character", "per_token", "These are bits for each token: divide by the characters.", source=changed(
    BITS, ("lengths[targets].sum()", "len(targets)")))
wrong("bits_per_character", "mean_of_quotients", "This is the mean of each token's own quotient. Divide the sum of all bits by the sum of all characters.", source=changed(
    BITS, ("[np.arange(len(targets)), targets].sum()", "[np.arange(len(targets)), targets]"), ("nats / np.log(2) / lengths[targets].sum()", "(nats / np.log(2) / lengths[targets]).mean()")))
wrong("bits_per_character", "lengths_of_all", "These are the lengths of the whole vocabulary: only the tokens that came count.", source=changed(
    BITS, ("lengths[targets].sum()", "lengths.sum()")))
wrong("bits_per_character", "mean_length", "The mean length of the whole vocabulary counts here: the characters are those of the tokens that came.", source=changed(
    BITS, ("lengths[targets].sum()", "(len(targets) * lengths.mean())")))
wrong("bits_per_character", "sign", "The sign is wrong: the log of a probability is below 0, a surprise is not.", source=changed(BITS, ("= -logp", "= logp")))
wrong("bits_per_character", "perplexity", "This is the perplexity: bits are asked for.", source=changed(
    BITS, ("float(nats / np.log(2) / lengths[targets].sum())", "float(np.exp(np.minimum(nats / len(targets), 700)))")))
wrong("bits_per_character", "unshifted", "exp of a large logit overflows: take the row's largest off first.", source=changed(
    BITS, ("logits - logits.max(axis=-1, keepdims=True)", "logits")))
wrong("bits_per_character", "log_of_0", "A small probability has become 0, and its log -inf: compute the log of the softmax in one go.", source=changed(
    BITS, ("shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))", "np.log(np.exp(shifted) / np.exp(shifted).sum(axis=-1, keepdims=True))")))
wrong("bits_per_character", "held_above_0", "A small probability is held above 0, so a great surprise is lost: compute the log of the softmax in one go.", source=changed(
    BITS, ("shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))", "np.log(np.exp(shifted) / np.exp(shifted).sum(axis=-1, keepdims=True) + 1e-12)")))
wrong("bits_per_character", "held_above_1e_300", "A small probability is held above 0, so a great surprise is lost: compute the log of the softmax in one go.", source=changed(
    BITS, ("    logp = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))", "    p = np.exp(shifted) / np.exp(shifted).sum(axis=-1, keepdims=True)\n    logp = np.log(np.maximum(p, 1e-300))")))
wrong("bits_per_character", "cut_off", "A surprise of 20,000 nats comes out smaller here, as where logits far below the row's largest are raised: it counts whole.", source=changed(
    BITS, ("logits - logits.max(axis=-1, keepdims=True)", "np.clip(logits - logits.max(axis=-1, keepdims=True), -1e4, 0)")))
wrong("bits_per_character", "mean", "A mean of the tokens' bits is divided by the sum of the characters: take both as sums.", source=changed(
    BITS, ("targets].sum()\n    return", "targets].mean()\n    return")))
wrong("bits_per_character", "all_tokens", "The surprise of every token of the vocabulary is added up: only what came counts.", source=changed(
    BITS, ("-logp[np.arange(len(targets)), targets].sum()", "-logp.sum()")))
wrong("bits_per_character", "columns", "The softmax goes down the columns: each row is one guess.", source=changed(BITS, ("axis=-1", "axis=0")))
wrong("bits_per_character", "logits_alone", "The logits are no log probabilities yet: the log of the sum is missing.", source=changed(
    BITS, ("shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))", "logits")))
wrong("bits_per_character", "characters_per_bit", "This is characters for each bit: turn the quotient around.", source=changed(
    BITS, ("nats / np.log(2) / lengths[targets].sum()", "lengths[targets].sum() / max(nats / np.log(2), 1e-9)")))
wrong("bits_per_character", "likeliest", "This takes the likeliest token of each row, and not the one that came.", source=changed(
    BITS, ("np.arange(len(targets)), targets]", "np.arange(len(targets)), logits.argmax(axis=1)]")))


TOO_FAR = (
    "NaN comes of inf / inf, where exp of a large logit overflows, or of 0 / 0, where a whole row lies so far below what is taken "
    "off that each exp is 0: take off each row's own largest."
)
wrong("bits_per_character", "unshifted_softmax", TOO_FAR, source=changed(
    BITS, ("logits - logits.max(axis=-1, keepdims=True)", "logits"),
    ("shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))", "np.log(np.exp(shifted) / np.exp(shifted).sum(axis=-1, keepdims=True))")))
wrong("bits_per_character", "largest_of_all", "One largest is taken off all rows, and a row far below it becomes 0: each row has its own.", source=changed(
    BITS, ("logits.max(axis=-1, keepdims=True)", "logits.max()")))
wrong("bits_per_character", "largest_of_all_softmax", TOO_FAR, source=changed(
    BITS, ("logits.max(axis=-1, keepdims=True)", "logits.max()"),
    ("shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))", "np.log(np.exp(shifted) / np.exp(shifted).sum(axis=-1, keepdims=True))")))
wrong("bits_per_character", "first_lengths", "These are the lengths of the first tokens of the vocabulary: those of the tokens that came are `lengths[targets]`.", source=changed(
    BITS, ("lengths[targets].sum()", "lengths[: len(targets)].sum()")))
wrong("bits_per_character", "all_rows_at_all_targets", "Every row is read at every target here: row i goes with its own, `targets[i]`.", source=changed(
    BITS, ("logp[np.arange(len(targets)), targets]", "logp[:, targets]")))
wrong("bits_per_character", "one_for_each_token", "This is an array, a number for each token: add up their bits first.", source=changed(
    BITS, ("[np.arange(len(targets)), targets].sum()", "[np.arange(len(targets)), targets]"), ("float(nats / np.log(2) / lengths[targets].sum())", "nats / np.log(2) / lengths[targets].sum()")))
wrong("bits_per_character", "quotient_of_each_token", "This is an array, a number for each token: one number is asked for, all bits over all characters.", source=changed(
    BITS, ("[np.arange(len(targets)), targets].sum()", "[np.arange(len(targets)), targets]"), ("float(nats / np.log(2) / lengths[targets].sum())", "nats / np.log(2) / lengths[targets]")))


wrong("bits_per_character", "first_taken_off", "The first logit of each row is taken off, and another may be far above it, so that exp overflows: take the row's largest off.", source=changed(
    BITS, ("logits.max(axis=-1, keepdims=True)", "logits[:, :1]")))


wrong("bits_per_character", "perplexity_over_characters", "This is a perplexity, divided by the characters: bits are asked for, the sum of -log2.", source=changed(
    BITS, ("float(nats / np.log(2) / lengths[targets].sum())", "float(np.exp(np.minimum(nats / len(targets), 700)) / lengths[targets].sum())")))
wrong("bits_per_character", "perplexity_over_the_mean_length", "This is a perplexity, divided by a mean length: bits are asked for, the sum of -log2, over the sum of the characters.", source=changed(
    BITS, ("float(nats / np.log(2) / lengths[targets].sum())", "float(np.exp(np.minimum(nats / len(targets), 700)) / lengths[targets].mean())")))
wrong("bits_per_character", "entropy", "This is the entropy of each guess, the surprise that the model expects: what counts is the surprise at the token that came.", source=changed(
    BITS, ("-logp[np.arange(len(targets)), targets].sum()", "-(np.exp(logp) * logp).sum()")))


@right("bits_per_character", "logaddexp")
def bits_per_character(logits, targets, lengths):
    total, characters = 0.0, 0
    for row, target in zip(logits, targets):
        total += (np.logaddexp.reduce(row) - row[target]) / np.log(2)
        characters += int(lengths[target])
    return total / characters


@right("bits_per_character", "base_2")
def bits_per_character(logits, targets, lengths):
    powers = logits * np.log2(np.e)
    top = powers.max(1)
    bits = top + np.log2(np.exp2(powers - top[:, None]).sum(1)) - powers[range(len(targets)), targets]
    return float(bits.sum() / sum(lengths[t] for t in targets))


wrong("bits_per_character", "mean_over_mean", "The mean length of the whole vocabulary counts here: the characters are those of the tokens that came.",
      source=changed(BITS, (".sum()\n    return", ".mean()\n    return"), ("lengths[targets].sum()", "lengths.mean()")))


# -- block ------------------------------------------------------------------------------------------------------------

BLOCK = """
def block(x, layers):
    x = x + layers.out(layers.attend(layers.packed(layers.norm1(x))))
    return x + layers.down(layers.relu(layers.up(layers.norm2(x))))
"""

wrong("block", "no_residual", "Where `down` gives 0, so does the whole block: what is computed is added to the stream, and neither replaces it nor multiplies it.", source=changed(
    BLOCK, ("x = x + layers.out", "x = layers.out"), ("return x + layers", "return layers")))
wrong("block", "attention_replaces", "Attention replaces the stream here: its result is added to x.", source=changed(BLOCK, ("x = x + layers.out", "x = layers.out")))
wrong("block", "second_replaces", "Where `down` gives 0, so does the whole block: what is computed is added to the stream, and neither replaces it nor multiplies it.", source=changed(BLOCK, ("return x + layers", "return layers")))
wrong("block", "norm_behind", "The stream itself goes through the norms here. Keep x: what `norm1` gives goes into `packed` alone, and what `norm2` gives into `up` alone.", source="""
def block(x, layers):
    x = layers.norm1(x + layers.out(layers.attend(layers.packed(x))))
    return layers.norm2(x + layers.down(layers.relu(layers.up(x))))
""")
wrong("block", "normed_stream", "The stream itself goes through the norms here. Keep x: what `norm1` gives goes into `packed` alone, and what `norm2` gives into `up` alone.", source="""
def block(x, layers):
    x = layers.norm1(x)
    x = x + layers.out(layers.attend(layers.packed(x)))
    x = layers.norm2(x)
    return x + layers.down(layers.relu(layers.up(x)))
""")
wrong("block", "first_normed_stream", "Attention is added to the normed stream: add it to x itself.", source=changed(
    BLOCK, ("x = x + layers.out(layers.attend(layers.packed(layers.norm1(x))))", "x = layers.norm1(x)\n    x = x + layers.out(layers.attend(layers.packed(x)))")))
wrong("block", "second_normed_stream", "The normed stream comes back here, with what `down` gives or without: add that to x itself.", source=changed(
    BLOCK, ("return x + layers.down(layers.relu(layers.up(layers.norm2(x))))", "x = layers.norm2(x)\n    return x + layers.down(layers.relu(layers.up(x)))")))
wrong("block", "one_norm", "`norm1` is used twice: a block has two norms, and the second half has `norm2`.", source=changed(BLOCK, ("norm2", "norm1")))
wrong("block", "norm_of_the_norm", "`norm2` reads what `norm1` gave: it reads the stream that attention was added to.", source='''
def block(x, layers):
    y = layers.norm1(x)
    x = x + layers.out(layers.attend(layers.packed(y)))
    y = layers.norm2(y)
    return x + layers.down(layers.relu(layers.up(y)))
''')
wrong("block", "norms_exchanged", "`norm2` stands in front of attention here: `norm1` belongs there, and `norm2` in front of `up`.", source=changed(
    BLOCK, ("norm2", "norm9"), ("norm1", "norm2"), ("norm9", "norm1")))
wrong("block", "attention_unnormed", "Attention reads x without a norm: `norm1` comes first.", source=changed(BLOCK, ("layers.norm1(x)", "x")))
wrong("block", "second_unnormed", "`up` reads x without a norm: `norm2` comes first.", source=changed(BLOCK, ("layers.norm2(x)", "x")))
wrong("block", "relu_forgotten", "Without `relu`, up and down are one linear layer: relu stands between them.", source=changed(
    BLOCK, ("layers.relu(layers.up(layers.norm2(x)))", "layers.up(layers.norm2(x))")))
wrong("block", "relu_first", "`relu` comes before `up` here: it stands between `up` and `down`.", source=changed(
    BLOCK, ("layers.relu(layers.up(layers.norm2(x)))", "layers.up(layers.relu(layers.norm2(x)))")))
wrong("block", "relu_last", "`relu` comes after `down` here, so that nothing is ever taken off the stream: it stands between `up` and `down`.", source=changed(
    BLOCK, ("layers.down(layers.relu(layers.up(layers.norm2(x))))", "layers.relu(layers.down(layers.up(layers.norm2(x))))")))
wrong("block", "side_by_side", "Both halves read the same x: the second one reads the stream that attention was added to.", source="""
def block(x, layers):
    seen = layers.out(layers.attend(layers.packed(layers.norm1(x))))
    return x + seen + layers.down(layers.relu(layers.up(layers.norm2(x))))
""")
wrong("block", "attention_lost", "Attention has no effect on the result here: what it gives is added to the stream, and this sum is what the second half reads and adds to.", source="""
def block(x, layers):
    y = x + layers.out(layers.attend(layers.packed(layers.norm1(x))))
    return x + layers.down(layers.relu(layers.up(layers.norm2(y))))
""")
wrong("block", "second_reads_attention_alone", "The second half reads what attention gave, without the stream: add it to x first.", source="""
def block(x, layers):
    seen = layers.out(layers.attend(layers.packed(layers.norm1(x))))
    return x + seen + layers.down(layers.relu(layers.up(layers.norm2(seen))))
""")
wrong("block", "second_first", "The two halves are exchanged: attention comes first.", source="""
def block(x, layers):
    x = x + layers.down(layers.relu(layers.up(layers.norm2(x))))
    return x + layers.out(layers.attend(layers.packed(layers.norm1(x))))
""")
wrong("block", "attention_alone", "The second half has no effect here: what norm2, up, relu and down make of the stream is added to it.", source=changed(
    BLOCK, ("    return x + layers.down(layers.relu(layers.up(layers.norm2(x))))", "    return x")))
wrong("block", "out_forgotten", "`out` is missing: it stands behind `attend`.", source=changed(BLOCK, ("layers.out(layers.attend(layers.packed(layers.norm1(x))))", "layers.attend(layers.packed(layers.norm1(x)))")))
wrong("block", "packed_forgotten", "`packed` is missing: attention needs queries, keys and values, which it makes of the normed stream.", source=changed(BLOCK, ("layers.packed(layers.norm1(x))", "layers.norm1(x)")))
wrong("block", "attend_forgotten", "`attend` is missing, so no position hears of another.", source=changed(BLOCK, ("layers.attend(layers.packed(layers.norm1(x)))", "layers.packed(layers.norm1(x))")))
wrong("block", "out_before_attend", "`out` comes before `attend` here: it stands behind it.", source=changed(BLOCK, ("layers.out(layers.attend(", "layers.attend(layers.out(")))
wrong("block", "in_place", "The stream that came in is changed: an operator such as `+=` writes into it. Make a new one, x = x + ....", source=changed(BLOCK, ("x = x + layers", "x += layers")))
wrong("block", "attention_twice", "Attention is added twice.", source=changed(
    BLOCK, ("    return", "    x = x + layers.out(layers.attend(layers.packed(layers.norm1(x))))\n    return")))
wrong("block", "relu_of_its_own", "`relu` is one of the layers: call `layers.relu`, whatever it is.", source=changed(
    BLOCK, ("layers.relu(layers.up(layers.norm2(x)))", "np.maximum(layers.up(layers.norm2(x)), 0)")))
wrong("block", "method_relu", "There is no such attribute. An array has no method `relu`: what a block calls are the eight functions of `layers`, as in `layers.relu(...)`.", source=changed(
    BLOCK, ("layers.relu(layers.up(layers.norm2(x)))", "layers.up(layers.norm2(x)).relu()")))


wrong("block", "in_place_twice", "The stream that came in is changed: an operator such as `+=` writes into it. Make a new one, x = x + ....", source="""
def block(x, layers):
    x += layers.out(layers.attend(layers.packed(layers.norm1(x))))
    x += layers.down(layers.relu(layers.up(layers.norm2(x))))
    return x
""")
wrong("block", "three_unpacked", "There are not as many parts to unpack as names: `packed` gives one array, which `attend` takes as it is, and x may have any number of axes.", source=changed(
    BLOCK, ("x = x + layers.out(layers.attend(layers.packed(layers.norm1(x))))",
            "q, k, v = layers.packed(layers.norm1(x))\n    x = x + layers.out(layers.attend(q, k, v))")))
wrong("block", "split_in_three", "What `packed` gives need not be a multiple of three wide, and is not to be split here: `attend` takes this one array as it is, and takes queries, keys and values apart itself.", source=changed(
    BLOCK, ("x = x + layers.out(layers.attend(layers.packed(layers.norm1(x))))",
            "q, k, v = np.split(layers.packed(layers.norm1(x)), 3, axis=-1)\n    x = x + layers.out(layers.attend(q, k, v))")))
wrong("block", "three_given", "Each layer takes one array, and `attend` takes the one that `packed` gives: queries, keys and values are taken apart in there.", source=changed(
    BLOCK, ("layers.attend(layers.packed(layers.norm1(x)))", "layers.attend(*[layers.packed(layers.norm1(x))] * 3)")))


wrong("block", "added_in_place", "The stream is added by `+=` into what a layer gave. A layer may give back the very array that it got, and then the stream that came in is changed: `+` makes a new one.", source="""
def block(x, layers):
    h = layers.out(layers.attend(layers.packed(layers.norm1(x))))
    h += x
    out = layers.down(layers.relu(layers.up(layers.norm2(h))))
    out += h
    return out
""")
MADE_AN_ARRAY = "The stream is made an array, and it may be a Tensor, which loses its graph: add to what came in, as it is."
wrong("block", "array_of_it", MADE_AN_ARRAY, source=changed(
    BLOCK, ("    x = x + layers", "    x = np.array(x, dtype=float)\n    x = x + layers")))


ARRAY = "What came in may be a Tensor, which is no array: it has no `copy`, and NumPy's functions do not take it. Add to it by `+` alone, which both know."
wrong("block", "copied", ARRAY, source=changed(BLOCK, ("    x = x + layers", "    x = x.copy()\n    x = x + layers")))
wrong("block", "np_add", ARRAY, source="""
def block(x, layers):
    x = np.add(x, layers.out(layers.attend(layers.packed(layers.norm1(x)))))
    return np.add(x, layers.down(layers.relu(layers.up(layers.norm2(x)))))
""")
wrong("block", "array_in_place", MADE_AN_ARRAY, source=changed(
    BLOCK, ("    x = x + layers", "    x = np.array(x)\n    x += layers")))


@right("block", "step_by_step")
def block(x, layers):
    h = layers.norm1(x)
    h = layers.packed(h)
    h = layers.attend(h)
    after_attention = layers.out(h) + x
    h = layers.norm2(after_attention)
    for name in ("up", "relu", "down"):
        h = getattr(layers, name)(h)
    return after_attention + h


@right("block", "branches")
def block(x, layers):
    def attention(x):
        return layers.out(layers.attend(layers.packed(layers.norm1(x))))

    def alone(x):
        return layers.down(layers.relu(layers.up(layers.norm2(x))))

    for branch in (attention, alone):
        x = x + branch(x)
    return x


@right("block", "sum_of_three")
def block(x, layers):
    seen = layers.out(layers.attend(layers.packed(layers.norm1(x))))
    high = layers.up(layers.norm2(x + seen))
    return x + seen + layers.down(layers.relu(high))


# -- gpt_logits -------------------------------------------------------------------------------------------------------

LOGITS = """
def gpt_logits(ids, model):
    x = model.token(ids) + model.place(np.arange(ids.shape[1]))
    for block in model.blocks:
        x = block(x)
    return model.norm(x) @ model.token.weight.T
"""

wrong("gpt_logits", "no_positions", "The positions are missing where there are no blocks: add `model.place` of 0, 1, ..., T - 1 to the tokens' vectors, once, before the first block.", source=changed(
    LOGITS, (" + model.place(np.arange(ids.shape[1]))", "")))
wrong("gpt_logits", "positions_of_the_tokens", "The positions are looked up by the tokens' numbers: they are 0, 1, ..., T - 1, whatever the tokens.", source=changed(
    LOGITS, ("np.arange(ids.shape[1])", "ids")))
wrong("gpt_logits", "positions_from_1", "The positions begin at 1: they are counted from 0.", source=changed(
    LOGITS, ("np.arange(ids.shape[1])", "np.arange(1, ids.shape[1] + 1)")))
wrong("gpt_logits", "positions_backwards", "The positions run backwards: the first token stands at position 0.", source=changed(
    LOGITS, ("np.arange(ids.shape[1])", "np.arange(ids.shape[1])[::-1]")))
wrong("gpt_logits", "one_position", "Every token gets the position 0: count them, `np.arange(ids.shape[1])`.", source=changed(
    LOGITS, ("np.arange(ids.shape[1])", "np.zeros(ids.shape[1], dtype=int)")))
wrong("gpt_logits", "counts_the_texts", "Every token gets the position 0: count them, `np.arange(ids.shape[1])`.", source=changed(
    LOGITS, ("ids.shape[1]", "len(ids)")))
wrong("gpt_logits", "all_positions", "These are all positions that the model has: take as many as the text has tokens, `ids.shape[1]`.", source=changed(
    LOGITS, ("ids.shape[1]", "model.T")))
wrong("gpt_logits", "table_of_places", "There is no such attribute: a model has `token`, `place`, `blocks` and `norm`, and of these `token` alone has a `weight`. `place` is a function of positions.", source=changed(
    LOGITS, ("model.place(np.arange(ids.shape[1]))", "model.place.weight[: ids.shape[1]]")))
wrong("gpt_logits", "multiplied", "Where the positions' vectors are 0, so are all logits: they are added to the tokens' vectors, and neither multiplied by them nor taken alone.", source=changed(
    LOGITS, ("model.token(ids) + ", "model.token(ids) * ")))
wrong("gpt_logits", "no_blocks", "The blocks have no effect: x goes through each of them, and what one gives goes into the next.", source=changed(
    LOGITS, ("    for block in model.blocks:\n        x = block(x)\n", "")))
wrong("gpt_logits", "blocks_for_nothing", "The blocks have no effect: x goes through each of them, and what one gives goes into the next.", source=changed(
    LOGITS, ("x = block(x)", "block(x)")))
wrong("gpt_logits", "first_block_alone", "x goes through the first block alone: go through all of them.", source=changed(
    LOGITS, ("model.blocks", "model.blocks[:1]")))
wrong("gpt_logits", "blocks_backwards", "The blocks come in the opposite order: the first of the list reads first.", source=changed(
    LOGITS, ("model.blocks", "reversed(model.blocks)")))
wrong("gpt_logits", "blocks_read_the_same", "Only the last block counts here: each reads what the block before it gave, and not all of them the same x.", source=changed(
    LOGITS, ("x = block(x)", "y = block(x)"), ("model.norm(x)", "model.norm(y if model.blocks else x)")))
wrong("gpt_logits", "residual_again", "The stream is added once more: a block gives the whole stream, its own residuals are inside.", source=changed(
    LOGITS, ("x = block(x)", "x = x + block(x)")))
wrong("gpt_logits", "sum_of_blocks", "What the blocks give is added up, and each of them reads the same x: it reads what the block before it gave.", source=changed(
    LOGITS, ("    for block in model.blocks:\n        x = block(x)\n", "    x = sum([block(x) for block in model.blocks]) if model.blocks else x\n")))
wrong("gpt_logits", "positions_in_each_block", "The positions are added in front of every block: once, at the beginning, is enough.", source=changed(
    LOGITS, (" + model.place(np.arange(ids.shape[1]))", ""), ("block(x)", "block(x + model.place(np.arange(ids.shape[1])))")))
wrong("gpt_logits", "no_norm", "The last norm is missing: it stands between the blocks and the logits.", source=changed(LOGITS, ("model.norm(x)", "x")))
wrong("gpt_logits", "norm_in_front", "The norm stands in front of the blocks: it comes after the last of them.", source=changed(
    LOGITS, ("    for block", "    x = model.norm(x)\n    for block"), ("model.norm(x) @", "x @")))
wrong("gpt_logits", "norm_twice", "The norm comes twice here, in front of the blocks and behind them: once, after the last, is enough.", source=changed(
    LOGITS, ("    for block", "    x = model.norm(x)\n    for block")))
wrong("gpt_logits", "returned_in_the_loop", "None comes back where there are no blocks: does `return` stand inside the loop, or in an `if`, or is there none? It comes once, behind the loop.", source=changed(
    LOGITS, ("    return", "        return")))
wrong("gpt_logits", "norm_each_time", "The norm comes after every block: once, after the last, is enough.", source=changed(
    LOGITS, ("x = block(x)", "x = model.norm(block(x))"), ("model.norm(x) @", "x @")))
wrong("gpt_logits", "norm_of_the_logits", "The norm is taken of the logits: it stands in front of the product with the table.", source=changed(
    LOGITS, ("model.norm(x) @ model.token.weight.T", "model.norm(x @ model.token.weight.T)")))
NOT_TURNED = (
    "The shapes do not fit. Is the product that of the stream, (B, T, D), with the table, (V, D), turned around: "
    "`weight.T`? Or are there not as many positions as `ids` has columns?"
)
wrong("gpt_logits", "not_turned", NOT_TURNED, source=changed(
    LOGITS, ("model.token.weight.T", "model.token.weight")))
wrong("gpt_logits", "stream", "This is the stream, (B, T, D): its products with the table are the logits.", source=changed(
    LOGITS, (" @ model.token.weight.T", "")))
wrong("gpt_logits", "last_alone", "These are the logits of the last position alone: each position has its own.", source=changed(
    LOGITS, ("model.norm(x) @", "model.norm(x)[:, -1] @")))
wrong("gpt_logits", "first_text_alone", "Only the first text's logits are here: `ids` has B rows, and each of them has its own.", source=changed(
    LOGITS, ("model.token(ids)", "model.token(ids[:1])")))
wrong("gpt_logits", "probabilities", "These are probabilities: the logits themselves are asked for, before the softmax.", source=changed(
    LOGITS, ("    return model.norm(x) @ model.token.weight.T", "    z = model.norm(x) @ model.token.weight.T\n    e = np.exp(z - z.max(axis=-1, keepdims=True))\n    return e / e.sum(axis=-1, keepdims=True)")))


wrong("gpt_logits", "table_in_front", NOT_TURNED, source=changed(
    LOGITS, ("model.norm(x) @ model.token.weight.T", "model.token.weight @ model.norm(x)")))
wrong("gpt_logits", "position_of_the_length", "`model.place` is given one number, T, and every token gets this one position: give it all of them, `np.arange(ids.shape[1])`.", source=changed(
    LOGITS, ("np.arange(ids.shape[1])", "ids.shape[1]")))
# Which layer a function of a block is asked for first, depends on how `block` was written.
INSIDE = "Each of `model.blocks` is a function of the stream alone, with its layers inside: `for one in model.blocks: x = one(x)`."
for layer in ("out", "norm1"):
    wrong("gpt_logits", f"layers_of_a_function_{layer}", INSIDE, source=changed(
        LOGITS, ("x = block(x)", f"x = x + block.{layer}(x)")))
wrong("gpt_logits", "block_of_two", INSIDE, source=changed(LOGITS, ("x = block(x)", "x = block(x, model)")))
wrong("gpt_logits", "list_called", "Something is called that is no function: `model.blocks` is a list of them, to be called one after another, in a loop, and `weight` is an array.", source=changed(
    LOGITS, ("    for block in model.blocks:\n        x = block(x)\n", "    x = model.blocks(x)\n")))


wrong("gpt_logits", "positions_behind_the_blocks", "The positions are added behind the blocks, which then know nothing of them: add them to the tokens' vectors, before the first block.", source=changed(
    LOGITS, (" + model.place(np.arange(ids.shape[1]))", ""), ("    return", "    x = x + model.place(np.arange(ids.shape[1]))\n    return")))
for name, number in (("of_all_tokens", "ids.size"), ("three", "3")):
    wrong("gpt_logits", f"positions_{name}", "With two texts the positions do not fit, or there are too many: a text has as many as `ids` has columns, `ids.shape[1]`.", source=changed(
        LOGITS, ("ids.shape[1]", number)))
wrong("gpt_logits", "model_emptied", "The model has lost its blocks: `pop` takes them out of its list. Go through the list, and leave it as it is.", source=changed(
    LOGITS, ("for block in model.blocks:\n        x = block(x)", "while model.blocks:\n        x = model.blocks.pop(0)(x)")))
wrong("gpt_logits", "one_text", "Only the first text's logits are here: `ids` has B rows, and each of them has its own.", source=changed(
    LOGITS, ("model.token(ids)", "model.token(ids[0])"), ("return model.norm(x) @ model.token.weight.T", "return (model.norm(x) @ model.token.weight.T)[None]")))
NO_INDEX = (
    "An index fails: there is no such place, or it is no whole number. Is it an axis of `ids` (there are two, 0 and 1), a "
    "block such as `model.blocks[0]` (a model may have none), or something else than `ids` that `model.token` is to look up?"
)
wrong("gpt_logits", "third_axis", NO_INDEX, source=changed(LOGITS, ("ids.shape[1]", "ids.shape[2]")))
wrong("gpt_logits", "block_0", NO_INDEX, source=changed(
    LOGITS, ("    for block in model.blocks:\n        x = block(x)\n", "    x = model.blocks[0](x)\n")))
wrong("gpt_logits", "norm_of_the_table", "The norm is taken of the table, too: only the stream goes through it.", source=changed(
    LOGITS, ("@ model.token.weight.T", "@ model.norm(model.token.weight).T")))
wrong("gpt_logits", "norm_of_the_table_alone", "The norm is taken of the table here, and not of the stream: it stands between the blocks and the product.", source=changed(
    LOGITS, ("model.norm(x) @ model.token.weight.T", "x @ model.norm(model.token.weight).T")))
wrong("gpt_logits", "looked_up_again", NO_INDEX, source=changed(
    LOGITS, ("model.norm(x) @ model.token.weight.T", "model.token(model.norm(x))")))


@right("gpt_logits", "step_by_step")
def gpt_logits(ids, model):
    B, T = ids.shape
    places = model.place(np.arange(0, T))
    stream = model.token(ids)
    stream = stream + places
    for i in range(len(model.blocks)):
        stream = model.blocks[i](stream)
    E = model.token.weight
    return model.norm(stream) @ E.T


@right("gpt_logits", "layers_in_a_row")
def gpt_logits(ids, model):
    x = model.place(np.arange(len(ids[0]))) + model.token(ids)
    for layer in [*model.blocks, model.norm]:
        x = layer(x)
    return x @ model.token.weight.T


@right("gpt_logits", "reduce")
def gpt_logits(ids, model):
    from functools import reduce

    first = model.token(ids) + model.place(np.arange(ids.shape[-1]))
    return model.norm(reduce(lambda x, one: one(x), model.blocks, first)) @ model.token.weight.T


# -- tied_rule --------------------------------------------------------------------------------------------------------

TIED = """
def tied_rule(ids, g, h, grad_logits):
    grad_E = grad_logits.T @ h
    np.add.at(grad_E, ids, g)
    return grad_E
"""

wrong("tied_rule", "one_of_equal", "Token 2 came twice and got its last part alone: an index with `=` or `+=` keeps one of them, `np.add.at` adds up both.", source=changed(
    TIED, ("np.add.at(grad_E, ids, g)", "grad_E[ids] += g")))
wrong("tied_rule", "overwritten", "The looked-up rows overwrite the logits' part: both are to be added up.", source=changed(
    TIED, ("np.add.at(grad_E, ids, g)", "grad_E[np.unique(ids)] = 0\n    np.add.at(grad_E, ids, g)")))
ALL_ZERO = "Where `grad_logits` is 0, all is 0 here: the looked-up rows have a gradient of their own, `g`, whatever the logits."
wrong("tied_rule", "logits_alone", ALL_ZERO, source=changed(
    TIED, ("    np.add.at(grad_E, ids, g)\n", "")))
wrong("tied_rule", "rows_alone", "Only the looked-up rows' part is there: the logits depend on the table, too.", source=changed(
    TIED, ("grad_logits.T @ h", "np.zeros((grad_logits.shape[1], h.shape[1]))")))
wrong("tied_rule", "g_for_h", "The product with the table had h in it, and here it is g.", source=changed(TIED, ("grad_logits.T @ h", "grad_logits.T @ g")))
wrong("tied_rule", "h_for_g", "The looked-up rows get g, and here they get h.", source=changed(TIED, ("ids, g)", "ids, h)")))
wrong("tied_rule", "subtracted", "The part of the looked-up rows comes with a minus: what is used twice gets the sum of both.", source=changed(TIED, ("ids, g)", "ids, -g)")))
wrong("tied_rule", "mean", "The part of the looked-up rows is halved, as in a mean of the two: what is used twice gets their sum.", source=changed(TIED, ("return grad_E", "return grad_E / 2")))
wrong("tied_rule", "mean_of_equal", "A token that occurs twice gets the mean of its parts: it gets their sum.", source=changed(
    TIED, ("ids, g)", "ids, g / np.bincount(ids)[ids][:, None])")))
wrong("tied_rule", "averaged", "The logits' part is divided by the number of tokens: a mean belongs to the loss, and is in `grad_logits` already.", source=changed(
    TIED, ("grad_logits.T @ h", "grad_logits.T @ h / len(ids)")))
wrong("tied_rule", "turned", "Rows and columns are exchanged: a row of the gradient is a token.", source=changed(TIED, ("return grad_E", "return grad_E.T")))
wrong("tied_rule", "g_in_place", "g is changed here: an operator such as `+=` writes into the array that came in.", source="""
def tied_rule(ids, g, h, grad_logits):
    grad_E = grad_logits.T @ h
    for i, token in enumerate(ids):
        g[i] += grad_E[token]
        grad_E[token] = g[i]
    return grad_E
""")
wrong("tied_rule", "in_pairs", "The two parts come separately: the table is one, so its gradient is their sum.", source="""
def tied_rule(ids, g, h, grad_logits):
    to_rows = np.zeros((grad_logits.shape[1], h.shape[1]))
    np.add.at(to_rows, ids, g)
    return to_rows, grad_logits.T @ h
""")
wrong("tied_rule", "seen_tokens_only", "Tokens that were not looked up get nothing here: every token has a logit, so its row has a gradient.", source=changed(
    TIED, ("return grad_E", "seen = np.isin(np.arange(len(grad_E)), ids)\n    return grad_E * seen[:, None]")))


wrong("tied_rule", "set_at_an_index", "Token 2 came twice and got its last part alone: an index with `=` or `+=` keeps one of them, `np.add.at` adds up both.", source=changed(
    TIED, ("np.add.at(grad_E, ids, g)", "grad_E[ids] = g")))
wrong("tied_rule", "in_order_of_tokens", "The tokens are sorted here, and the rows of g are not: row i of g belongs to `ids[i]`, in the order of the text.", source=changed(
    TIED, ("    np.add.at", "    ids.sort()\n    np.add.at")))
wrong("tied_rule", "row_of_the_token", "`g` is read at the token's number: its row i belongs to place i of the text, whose token is `ids[i]`.", source=changed(
    TIED, ("np.add.at(grad_E, ids, g)", "for t in ids:\n        grad_E[t] += g[t % len(g)]")))
wrong("tied_rule", "as_many_as_came", "A row is missing at the end: V is not the largest token that came and one more, it is the width of `grad_logits`.", source="""
def tied_rule(ids, g, h, grad_logits):
    grad_E = np.zeros((ids.max() + 1, g.shape[1]))
    np.add.at(grad_E, ids, g)
    grad_E += (grad_logits.T @ h)[: len(grad_E)]
    return grad_E
""")
wrong("tied_rule", "the_first_and_the_others", "Right for a token that comes once or twice: of three times, two parts are added at one index at once, and one of them is lost. `np.add.at` adds up all.", source=changed(
    TIED, ("    np.add.at(grad_E, ids, g)", "    _, first = np.unique(ids, return_index=True)\n    again = np.setdiff1d(np.arange(len(ids)), first)\n    grad_E[ids[first]] += g[first]\n    grad_E[ids[again]] += g[again]")))
wrong("tied_rule", "product_turned_around", "There is no such row: the gradient of E is (V, D), a row for each token, and `grad_logits` has a column for each.", source=changed(
    TIED, ("grad_logits.T @ h", "h.T @ grad_logits")))
wrong("tied_rule", "rows_of_the_largest_token", "There is no such row: the gradient of E is (V, D), a row for each token, and `grad_logits` has a column for each.", source=changed(
    TIED, ("grad_logits.T @ h", "np.zeros((ids.max(), g.shape[1]))")))
NO_FIT = (
    "The shapes do not fit. The gradient of E is (V, D): is `grad_logits` turned in its product with h, or have your zeros "
    "another shape? Or does `np.add.at` get each token once? It takes all n, as h and g are (n, D)."
)
wrong("tied_rule", "product_of_these_two", NO_FIT, source=changed(
    TIED, ("grad_logits.T @ h", "grad_logits @ h")))


wrong("tied_rule", "zeros_of_another_shape", NO_FIT, source=changed(
    TIED, ("grad_E = grad_logits.T @ h", "grad_E = np.zeros_like(h)"), ("return grad_E", "return grad_E + grad_logits.T @ h")))


wrong("tied_rule", "logits_at_the_ids_alone", "The logits' part is incomplete: row i of h has a part in the gradient of every token's row, weighted by all of `grad_logits[i]`, and not only in that of `ids[i]`.", source="""
def tied_rule(ids, g, h, grad_logits):
    grad_E = np.zeros((grad_logits.shape[1], h.shape[1]))
    np.add.at(grad_E, ids, g + grad_logits[np.arange(len(ids)), ids][:, None] * h)
    return grad_E
""")
wrong("tied_rule", "multiplied_by_g", ALL_ZERO, source=changed(
    TIED, ("ids, g)", "ids, grad_logits @ grad_E * g)")))
wrong("tied_rule", "nothing_from_add_at", "None comes back. Is a `return` missing? Or is what `np.add.at` gives returned, which is nothing: it writes into the array that it gets, and that array is the answer.", source=changed(
    TIED, ("    np.add.at(grad_E, ids, g)\n    return grad_E", "    return np.add.at(grad_E, ids, g)")))
wrong("tied_rule", "g_times_h", "The looked-up rows get g multiplied by something that is 0 here, such as h: looking up is no product with h, so they get g as it is.", source=changed(
    TIED, ("ids, g)", "ids, g * h)")))
wrong("tied_rule", "sum_of_all_places", "The numbers of a row of g are added up to one, and each place of the row gets it: add up along the tokens alone, so that each of the D places keeps its own sum.", source=changed(
    TIED, ("    np.add.at(grad_E, ids, g)", "    for i in range(len(grad_E)):\n        grad_E[i] += g[ids == i].sum()")))
wrong("tied_rule", "four_by_two", "Something has four rows here, whatever the vocabulary: there are V of them, as many as `grad_logits` has columns.", source=changed(
    TIED, ("grad_logits.T @ h", "np.zeros((4, 2))"), ("return grad_E", "return grad_E + grad_logits.T @ h")))
WHOLE_NUMBERS = "An array of whole numbers cannot take the fractions of a gradient: leave `dtype=int` out."
wrong("tied_rule", "whole_numbers", WHOLE_NUMBERS, source=changed(
    TIED, ("grad_logits.T @ h", "np.zeros((grad_logits.shape[1], h.shape[1]), dtype=int)"), ("return grad_E", "return grad_E + grad_logits.T @ h")))
PLACES_ARE_IDS = "An index fails: there is no such place, or it is no whole number. The places are `ids`: `np.add.at` takes first the array, then the places, then what is added there."
wrong("tied_rule", "through_g", PLACES_ARE_IDS, source=changed(
    TIED, ("    np.add.at(grad_E, ids, g)", "    for row in g:\n        grad_E[row] += row")))
wrong("tied_rule", "ids_for_g", PLACES_ARE_IDS, source=changed(
    TIED, ("ids, g)", "g, ids)")))
wrong("tied_rule", "unique", NO_FIT, source=changed(
    TIED, ("ids, g)", "np.unique(ids), g)")))


@right("tied_rule", "one_hot")
def tied_rule(ids, g, h, grad_logits):
    hot = np.eye(grad_logits.shape[1])[ids]
    return hot.T @ g + grad_logits.T @ h


@right("tied_rule", "loop")
def tied_rule(ids, g, h, grad_logits):
    grad_E = np.einsum("nv,nd->vd", grad_logits, h)
    for i, token in enumerate(ids):
        grad_E[token] += g[i]
    return grad_E


@wrong("tied_rule", "rows_by_token", "Parts went to other tokens: the rows of g are in the order of ids, and not sorted by token.")
def tied_rule(ids, g, h, grad_logits):
    grad_E = grad_logits.T @ h
    tokens, counts = np.unique(ids, return_counts=True)
    starts = np.cumsum(counts) - counts
    grad_E[tokens] += np.add.reduceat(g, starts, axis=0)
    return grad_E


@wrong("tied_rule", "places_of_two_orders", "Rows went to the wrong tokens: `return_index` of np.unique gives places in `ids` as they came, and the rows of g are sorted. Use one order for both, or `np.add.at`.")
def tied_rule(ids, g, h, grad_logits):
    grad_E = grad_logits.T @ h
    order = np.argsort(ids, kind="stable")
    tokens, starts = np.unique(ids, return_index=True)
    grad_E[tokens] += np.add.reduceat(g[order], starts)
    return grad_E


# -- with_temperature -------------------------------------------------------------------------------------------------

WARM = """
def with_temperature(logits, temperature):
    z = logits / temperature
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
"""

wrong("with_temperature", "multiplied", "You multiply by the temperature: divide, so that a low one makes the likely likelier.", source=changed(
    WARM, ("logits / temperature", "logits * temperature")))
wrong("with_temperature", "ignored", "The temperature is not used here, or it cancels: divide the logits by it, before the softmax.", source=changed(WARM, ("logits / temperature", "logits")))
wrong("with_temperature", "after_the_softmax", "The temperature divides the probabilities, and the sum takes it out again: divide the logits.", source=changed(
    WARM, ("logits / temperature", "logits"), ("    return e", "    e = e / temperature\n    return e")))
wrong("with_temperature", "not_a_sum_of_1", "The temperature divides the probabilities, and they no longer add up to 1: divide the logits.", source=changed(
    WARM, ("logits / temperature", "logits"), ("    return e / e.sum(axis=-1, keepdims=True)", "    return e / e.sum(axis=-1, keepdims=True) / temperature")))
wrong("with_temperature", "unshifted", "exp of a large number overflows: take off the largest of each row, that of the divided logits.", source=changed(
    WARM, ("z - z.max(axis=-1, keepdims=True)", "z")))
wrong("with_temperature", "largest_of_the_logits", "exp of a large number overflows: take off the largest of each row, that of the divided logits.", source=changed(
    WARM, ("z - z.max(", "z - logits.max(")))
wrong("with_temperature", "largest_of_all", "One largest is taken off all rows, and a row far below it becomes 0 / 0: each row has its own.", source=changed(
    WARM, ("z.max(axis=-1, keepdims=True)", "z.max()")))
wrong("with_temperature", "sum_of_all", "One sum for all rows: each row's probabilities add up to 1.", source=changed(
    WARM, ("e.sum(axis=-1, keepdims=True)", "e.sum()")))
wrong("with_temperature", "columns", "The softmax goes along the first axis: it is the last one.", source=changed(WARM, ("axis=-1", "axis=0")))
wrong("with_temperature", "second_axis", "Of three axes, the softmax goes along the second: it is the last one, however many stand before it.", source=changed(
    WARM, ("axis=-1", "axis=logits.ndim // 2")))
wrong("with_temperature", "in_place", "The logits that came in are changed: an operator such as `/=` writes into them.", source=changed(
    WARM, ("    z = logits / temperature", "    logits /= temperature\n    z = logits")))
wrong("with_temperature", "squared", "The logits are divided by the temperature's square.", source=changed(WARM, ("logits / temperature", "logits / temperature**2")))
wrong("with_temperature", "logarithms", "These are the logarithms of the probabilities.", source=changed(
    WARM, ("    return e / e.sum(axis=-1, keepdims=True)", "    return z - z.max(axis=-1, keepdims=True) - np.log(e.sum(axis=-1, keepdims=True))")))
wrong("with_temperature", "not_divided", "The probabilities do not add up to 1: divide by their sum.", source=changed(
    WARM, (" / e.sum(axis=-1, keepdims=True)", "")))
wrong("with_temperature", "at_least", "A low temperature is held up to another number: it may be as low as 0.001.", source=changed(
    WARM, ("logits / temperature", "logits / max(temperature, 0.1)")))
for least in (0.01, 0.05, 0.002):
    wrong("with_temperature", f"at_least_{least}", "A low temperature is held up to another number: it may be as low as 0.001.", source=changed(
        WARM, ("logits / temperature", f"logits / max(temperature, {least})")))
wrong("with_temperature", "plain_at_1", "At temperature 1 the largest logit is not taken off, and exp of a large one overflows there as well: one way for all temperatures.", source=changed(
    WARM, ("    z = logits", "    if temperature == 1:\n        e = np.exp(logits)\n        return e / e.sum(axis=-1, keepdims=True)\n    z = logits")))
wrong("with_temperature", "likeliest_alone", "Only the likeliest gets anything: that is what a temperature of 0 would do.", source="""
def with_temperature(logits, temperature):
    return np.eye(logits.shape[-1])[logits.argmax(axis=-1)]
""")


wrong("with_temperature", "powers", "Where it is cold, both rows became 0 / 0, and that is NaN. Powers of probabilities below 1 underflow: divide the logits before the softmax.", source=changed(
    WARM, ("z = logits / temperature", "z = logits"), ("    return e / e.sum(axis=-1, keepdims=True)",
    "    p = (e / e.sum(axis=-1, keepdims=True)) ** (1 / temperature)\n    return p / p.sum(axis=-1, keepdims=True)")))


wrong("with_temperature", "one_for_all_rows", "One largest and one sum for all rows, so a row far below another became 0: each row has its own, `axis=-1, keepdims=True`.", source=changed(
    WARM, ("axis=-1, keepdims=True", "")))
wrong("with_temperature", "axis_1", "One row alone has no such axis. The last one is `axis=-1`, however many stand before it.", source=changed(
    WARM, ("axis=-1", "axis=1")))
wrong("with_temperature", "axis_lost", "The largest of each row, or its sum, has lost its axis, so it does not fit the rows: keep it, `keepdims=True`.", source=changed(
    WARM, ("axis=-1, keepdims=True", "axis=-1")))


wrong("with_temperature", "first_taken_off", "The first of each row is taken off, and another may be far above it, so that exp overflows: take the row's largest off.", source=changed(
    WARM, ("z.max(axis=-1, keepdims=True)", "z[..., :1]")))


wrong("with_temperature", "held", "Large logits are cut off here, and those beyond the limit become equal: no limit is needed, take the largest of each row off.", source=changed(
    WARM, ("z = logits / temperature", "z = np.clip(logits / temperature, -700, 700)")))
wrong("with_temperature", "numerator_alone", "The sum below the line is of other terms than those above it, so the probabilities do not add up to 1: both are of the divided logits.", source=changed(
    WARM, ("e / e.sum(axis=-1, keepdims=True)", "e / np.exp(logits - logits.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True)")))


@right("with_temperature", "logs")
def with_temperature(logits, temperature):
    scaled = (logits - np.max(logits, axis=-1)[..., None]) / temperature
    return np.exp(scaled - np.log(np.exp(scaled).sum(-1))[..., None])


@right("with_temperature", "inverse")
def with_temperature(logits, temperature):
    beta = 1.0 / temperature
    e = np.exp(beta * (logits - logits.max(-1, keepdims=True)))
    return np.divide(e, np.sum(e, axis=-1, keepdims=True))


# -- top_p ------------------------------------------------------------------------------------------------------------

TOP_P = """
def top_p(p, share):
    order = np.argsort(-p, kind="stable")
    before = np.cumsum(p[order]) - p[order]
    keep = order[before < share]
    out = np.zeros(p.shape)
    out[keep] = p[keep]
    return out / out.sum()
"""

wrong("top_p", "without_the_last", "The token with which the share is reached is missing: those that are kept have at least `share` together.", source=changed(
    TOP_P, ("keep = order[before < share]", "keep = order[np.cumsum(p[order]) <= share]\n    keep = keep if len(keep) else order[:1]")))
wrong("top_p", "nothing_left", "Nothing is left, and 0 / 0 is NaN: the token with which the share is reached belongs to it.", source=changed(
    TOP_P, ("before < share", "np.cumsum(p[order]) < share")))
wrong("top_p", "argmax_of_nothing", "Rounding leaves the sum a little below `share` here, and then one token alone is kept, as where `argmax` finds nothing True and gives 0: all are needed.", source="""
def top_p(p, share):
    order = np.argsort(-p, kind="stable")
    keep = order[: np.argmax(np.cumsum(p[order]) >= share) + 1]
    out = np.zeros(p.shape)
    out[keep] = p[keep]
    return out / out.sum()
""")
wrong("top_p", "one_too_many", "One too many where the share is reached exactly: the fewest that have at least `share`.", source=changed(
    TOP_P, ("before < share", "before <= share")))
wrong("top_p", "two_too_many", "One token too many is kept: the fewest that have at least `share`.", source=changed(
    TOP_P, ("before < share", "np.append(0.0, before[:-1]) < share")))
wrong("top_p", "unsorted", "The tokens are added up in the order of the vocabulary: the likeliest come first.", source=changed(
    TOP_P, ('np.argsort(-p, kind="stable")', "np.arange(len(p))")))
wrong("top_p", "rarest_first", "The rarest are added up first: begin with the likeliest.", source=changed(
    TOP_P, ("np.argsort(-p", "np.argsort(p")))
wrong("top_p", "order_mixed_up", "The decision is made in sorted order, and used in the order of the vocabulary: bring it back through `order`.", source=changed(
    TOP_P, ("keep = order[before < share]", "keep = before < share")))
wrong("top_p", "last_of_equal", "Of equal ones, those that come first are kept, and here it is the last.", source=changed(
    TOP_P, ('np.argsort(-p, kind="stable")', 'np.argsort(p, kind="stable")[::-1]')))
wrong("top_p", "dropped_from_the_rarest", "Of equal ones, those that come first are kept, and here it is the last.", source="""
def top_p(p, share):
    order = np.argsort(p, kind="stable")
    out = p.copy()
    out[order[np.cumsum(p[order]) <= 1 - share]] = 0
    return out / out.sum()
""")
wrong("top_p", "threshold", "This keeps all that have a probability of at least `share`: it is their sum that counts.", source="""
def top_p(p, share):
    out = np.where(p >= min(share, p.max()), p, 0.0)
    return out / out.sum()
""")
wrong("top_p", "relative_threshold", "All are kept here, and two of them have the share already: is each compared with a limit of its own? It is the sum that counts.", source="""
def top_p(p, share):
    out = np.where(p >= (1 - share) * p.max(), p, 0.0)
    return out / out.sum()
""")
wrong("top_p", "a_share_of_the_tokens", "This keeps a share of the *tokens*: it is their probabilities that add up to it.", source=changed(
    TOP_P, ("order[before < share]", "order[: max(1, int(np.ceil(share * len(p))))]")))
wrong("top_p", "not_divided", "What is left does not add up to 1: divide by its sum.", source=changed(TOP_P, (" / out.sum()", "")))
wrong("top_p", "divided_by_share", "Divide by what is left, which may be more than `share`.", source=changed(TOP_P, ("/ out.sum()", "/ share")))
wrong("top_p", "sorted", "The probabilities come sorted: each has to stay in its place, for that is its token.", source=changed(
    TOP_P, ("out[keep] = p[keep]", "out[: len(keep)] = p[keep]")))
wrong("top_p", "equal_ones", "Where some are equal to the last that is needed, all of them are kept: the fewest are asked for.", source=changed(
    TOP_P, ("out[keep] = p[keep]", "out = np.where(p >= p[keep].min(), p, 0.0)")))
wrong("top_p", "in_place", "p itself is changed here: make an array of your own.", source=changed(
    TOP_P, ("out = np.zeros(p.shape)\n    out[keep] = p[keep]", "p[order[before >= share]] = 0\n    out = p")))
wrong("top_p", "all_alike", "The kept ones all get the same: they keep their proportions.", source=changed(
    TOP_P, ("out[keep] = p[keep]", "out[keep] = 1.0")))
wrong("top_p", "kept_alone", "Only the kept ones are returned: the others stay, with 0.", source=changed(
    TOP_P, ("return out / out.sum()", "return p[keep] / p[keep].sum()")))


wrong("top_p", "mask_on_the_vocabulary", "The decision is made in sorted order, and used in the order of the vocabulary: bring it back through `order`.", source=changed(
    TOP_P, ("    keep = order[before < share]\n    out = np.zeros(p.shape)\n    out[keep] = p[keep]", "    out = np.where(before < share, p, 0.0)")))
wrong("top_p", "p_taken_off_unsorted", "`cumsum(p[order])` is in sorted order and `p` in that of the vocabulary: take off `p[order]`.", source=changed(
    TOP_P, ("np.cumsum(p[order]) - p[order]", "np.cumsum(p[order]) - p")))
wrong("top_p", "share_taken_off", "All tokens are kept here: compare `share` with what was there before a token, which is the sum up to it less its own probability, and not less `share`.", source=changed(
    TOP_P, ("np.cumsum(p[order]) - p[order]", "np.cumsum(p[order]) - share")))
wrong("top_p", "each_alone", "Nothing is left here, and 0 / 0 is NaN. The likeliest is always kept, for nothing comes before it, and what `share` is compared with is a sum, not each probability alone.", source="""
def top_p(p, share):
    out = np.where(p >= share, p, 0.0)
    return out / out.sum()
""")
wrong("top_p", "first_of_p", "The places are right, and the numbers in them are the first of p: take `p[keep]`.", source=changed(
    TOP_P, ("out[keep] = p[keep]", "out[keep] = p[: len(keep)]")))
wrong("top_p", "through_order_twice", "`keep` names places of the vocabulary, and `p[order]` is sorted: take `p[keep]`.", source=changed(
    TOP_P, ("out[keep] = p[keep]", "out[keep] = p[order][keep]")))


wrong("top_p", "nearly_0", "The others get a small number, and 0 is asked for: however small it is, such a token may still be drawn.", source=changed(
    TOP_P, ("np.zeros(p.shape)", "np.full(p.shape, 1e-12)")))
for least in ("1e-9", "1e-8", "1e-6"):
    wrong("top_p", f"nearly_0_{least}", "The others get a small number, and 0 is asked for: however small it is, such a token may still be drawn.", source=changed(
        TOP_P, ("np.zeros(p.shape)", f"np.full(p.shape, {least})")))
NEVER_ENDS = (
    "This never ends where rounding leaves even the sum of all a little below `share`: the loop waits for a sum that does not "
    "come. Stop when all tokens are kept, too."
)


@wrong("top_p", "largest_of_the_rest", NEVER_ENDS, ends=False)
def top_p(p, share):
    out, total = np.zeros(len(p)), 0.0
    rest = p.copy()
    while total < share:
        i = rest.argmax()
        out[i] = p[i]
        total += p[i]
        rest[i] = 0
    return out / out.sum()


@wrong("top_p", "one_more_each_time", NEVER_ENDS, ends=False)
def top_p(p, share):
    k = 1
    while np.sort(p)[::-1][:k].sum() < share:
        k += 1
    return top_k(p, k)


wrong("top_p", "forty_at_most", "Only so many tokens are kept, and the share is not reached: as many are kept as it takes.", source=changed(
    TOP_P, ('kind="stable")', 'kind="stable")[:40]')))


wrong("top_p", "unstable", "Of many equal ones, those that come first are kept, and here it is others: `argsort` keeps their order only with `kind=\"stable\"`.", source=changed(
    TOP_P, (', kind="stable"', "")))
wrong("top_p", "relative_to_the_largest", "Each is compared with a limit of its own here: it is their sum that counts, from the likeliest on.", source="""
def top_p(p, share):
    out = np.where(p >= share * p.max(), p, 0.0)
    return out / out.sum()
""")
wrong("top_p", "softmax_again", "A softmax is taken of what are probabilities already, so their proportions change: divide by their sum.", source=changed(
    TOP_P, ("out[keep] = p[keep]", "out[keep] = np.exp(p[keep])")))


@right("top_p", "loop")
def top_p(p, share):
    out, total = np.zeros(len(p)), 0.0
    for i in sorted(range(len(p)), key=lambda i: (-p[i], i)):
        if total >= share:
            break
        out[i] = p[i]
        total += p[i]
    return out / total


@right("top_p", "search")
def top_p(p, share):
    order = np.lexsort((np.arange(len(p)), -p))
    needed = 1 + int(np.searchsorted(np.cumsum(p[order])[:-1], share))
    mask = np.zeros(len(p), dtype=bool)
    mask[order[:needed]] = True
    return np.where(mask, p, 0.0) / p[mask].sum()


@wrong("top_p", "a_millionth_less", "A millionth is allowed for rounding here, and a rare token may have less than that: with a share of 1 it is left out.")
def top_p(p, share):
    order = np.argsort(-p, kind="stable")
    out, total = np.zeros(p.shape), 0.0
    for i in order:
        out[i] = p[i]
        total += p[i]
        if total >= share - 1e-6:
            break
    return out / out.sum()


# -- write ------------------------------------------------------------------------------------------------------------

WRITE = """
def write(start, length, T, logits_of, probabilities, rng):
    ids = list(start)
    for _ in range(length):
        p = probabilities(logits_of(ids[-T:]))
        ids.append(int(rng.choice(len(p), p=p)))
    return ids
"""

wrong("write", "likeliest", "Nothing is drawn from `rng` here: `argmax` draws nothing, and `np.random`, or a new generator made inside, is another one. Draw each token by `rng.choice(len(p), p=p)`.", source=changed(
    WRITE, ("int(rng.choice(len(p), p=p))", "int(np.argmax(p))")))
wrong("write", "uniform", "All tokens are as likely here: give the probabilities to the draw, `p=p`.", source=changed(WRITE, ("rng.choice(len(p), p=p)", "rng.choice(len(p))")))
wrong("write", "start_changed", "The list that came in has grown: `ids = start` is the same list twice, and `append` and `+=` change it. Make one of your own.", source=changed(
    WRITE, ("ids = list(start)", "ids = start")))
wrong("write", "new_ones_alone", "Only the new tokens come back: `start` belongs to the text.", source=changed(WRITE, ("return ids", "return ids[len(start) :]")))
wrong("write", "start_comes_back", "`start` comes back, without the new tokens: return the list that they were appended to.", source=changed(WRITE, ("return ids", "return start")))
wrong("write", "start_each_time", "The model is asked about `start` each time: what is new belongs to the window, too.", source=changed(
    WRITE, ("logits_of(ids[-T:])", "logits_of(list(start)[-T:])")))
wrong("write", "asked_once", "The model is asked once: each new token changes what comes next.", source="""
def write(start, length, T, logits_of, probabilities, rng):
    ids = list(start)
    p = probabilities(logits_of(ids[-T:]))
    for _ in range(length):
        ids.append(int(rng.choice(len(p), p=p)))
    return ids
""")
wrong("write", "all_at_once", "All new tokens are drawn at once: each draw needs the probabilities after the one before it.", source="""
def write(start, length, T, logits_of, probabilities, rng):
    p = probabilities(logits_of(list(start)[-T:]))
    return list(start) + [int(token) for token in rng.choice(len(p), size=length, p=p)]
""")
wrong("write", "no_window", "The model is given the whole text: its window is the last T tokens.", source=changed(WRITE, ("ids[-T:]", "list(ids)")))
wrong("write", "first_T", "The window is the first T tokens of the text: it ends with the newest one.", source=changed(WRITE, ("ids[-T:]", "ids[:T]")))
NO_LONGER = "Here the model is given the last token alone: its window is the last T, and while there are fewer it grows with each new one."
wrong("write", "last_alone", NO_LONGER, source=changed(WRITE, ("ids[-T:]", "ids[-1:]")))
wrong("write", "window_never_grows", "The window does not grow here: it is the last T tokens, or all while there are fewer, and each new one belongs to it.", source="""
def write(start, length, T, logits_of, probabilities, rng):
    ids = list(start)
    window = ids[-T:]
    for _ in range(length):
        p = probabilities(logits_of(window))
        ids.append(int(rng.choice(len(p), p=p)))
        window = window[1:] + ids[-1:]
    return ids
""")
wrong("write", "answers_kept", "Where a window comes again the model is not asked: ask it once for each new token, in any case.", source="""
def write(start, length, T, logits_of, probabilities, rng):
    ids, known = list(start), {}
    for _ in range(length):
        window = ids[-T:]
        if tuple(window) not in known:
            known[tuple(window)] = probabilities(logits_of(window))
        p = known[tuple(window)]
        ids.append(int(rng.choice(len(p), p=p)))
    return ids
""")
wrong("write", "most_frequent_of_many_draws", "The generator is asked for something else than one `rng.choice(len(p), p=p)` for each new token, so that what comes after it is another number.", source=changed(
    WRITE, ("int(rng.choice(len(p), p=p))", "int(np.argmax(rng.multinomial(100, p)))")))
wrong("write", "window_too_long", "The window is one token too long.", source=changed(WRITE, ("ids[-T:]", "ids[-T - 1 :]")))
wrong("write", "window_too_short", "The window is one token too short.", source=changed(WRITE, ("ids[-T:]", "ids[-max(T - 1, 1) :]")))
wrong("write", "length_in_all", "No new token is written: `length` counts the new ones alone, without those of `start`.", source=changed(
    WRITE, ("for _ in range(length):", "while len(ids) < length:")))
wrong("write", "one_too_many", "One token too many is written.", source=changed(WRITE, ("range(length)", "range(length + 1)")))
wrong("write", "one_too_few", "One token too few is written: there are as many new ones as `length` says.", source=changed(WRITE, ("range(length)", "range(length - 1)")))
wrong("write", "after_the_first", "Only one new token is written: there is no loop, or `return` stands inside of it.", source=changed(
    WRITE, ("    return ids", "        return ids\n    return ids")))
wrong("write", "in_front", "New tokens are put in front of the text: they go to its end.", source=changed(
    WRITE, ("ids.append(int(rng.choice(len(p), p=p)))", "ids.insert(0, int(rng.choice(len(p), p=p)))")))
wrong("write", "generator_of_its_own", "Nothing is drawn from `rng` here: `argmax` draws nothing, and `np.random`, or a new generator made inside, is another one. Draw each token by `rng.choice(len(p), p=p)`.", source=changed(
    WRITE, ("    ids = list(start)", "    rng = np.random.default_rng(0)\n    ids = list(start)")))
wrong("write", "logits_drawn", "The draw is given what does not add up to 1, such as the logits: `probabilities(...)` makes probabilities of them, and these are drawn from as they are.", source=changed(
    WRITE, ("probabilities(logits_of(ids[-T:]))", "logits_of(ids[-T:])")))
wrong("write", "softmax", "The probabilities are changed before the draw, as by a softmax of its own: draw from what `probabilities(...)` gives, as it is.", source=changed(
    WRITE, ("probabilities(logits_of(ids[-T:]))", "np.exp(logits_of(ids[-T:]))\n        p = p / p.sum()")))
wrong("write", "softmax_after", "The probabilities are changed before the draw, as by a softmax of its own: draw from what `probabilities(...)` gives, as it is.", source=changed(
    WRITE, ("        ids.append", "        p = np.exp(p) / np.exp(p).sum()\n        ids.append")))
wrong("write", "asked_twice", "The model is asked twice for each new token: once is enough, and half the time.", source=changed(
    WRITE, ("        ids.append(int(rng.choice(len(p), p=p)))", "        ids.append(int(rng.choice(len(probabilities(logits_of(ids[-T:]))), p=p)))")))
wrong("write", "drawn_twice", "Two tokens are drawn for each new one: draw once, and keep what came.", source=changed(
    WRITE, ("        ids.append", "        rng.choice(len(p), p=p)\n        ids.append")))
wrong("write", "asked_in_vain", "With no new token to write the model is not asked, and nothing is drawn: ask within the loop alone.", source="""
def write(start, length, T, logits_of, probabilities, rng):
    ids, p = list(start), probabilities(logits_of(list(start)[-T:]))
    for i in range(length):
        ids.append(int(rng.choice(len(p), p=p)))
        if i + 1 < length:
            p = probabilities(logits_of(ids[-T:]))
    return ids
""")
wrong("write", "a_probability", "The draw is among the probabilities, and what comes is one of them: draw a token, `rng.choice(len(p), p=p)`.", source=changed(
    WRITE, ("int(rng.choice(len(p), p=p))", "float(rng.choice(p, p=p))")))


for number, seed in enumerate((1, 7, 4)):  # of three tokens each is drawn by one of them
    wrong("write", f"generator_of_its_own_{number}", "Nothing is drawn from `rng` here: `argmax` draws nothing, and `np.random`, or a new generator made inside, is another one. Draw each token by `rng.choice(len(p), p=p)`.", source=changed(
        WRITE, ("    ids = list(start)", f"    rng = np.random.default_rng({seed})\n    ids = list(start)")))
wrong("write", "among_the_text", "The draw and its `p` do not go together: it is among all of the vocabulary, `rng.choice(len(p), p=p)`, with what `probabilities(...)` gives, which adds up to 1.", source=changed(
    WRITE, ("rng.choice(len(p), p=p)", "rng.choice(ids, p=p)")))
A_SINGLE_NUMBER = (
    "A single number stands where several are wanted. Is it `length` (`range(length)` counts), a token alone (the last ones "
    "are `ids[-T:]`), or a new token that is added to a list (`ids.append(...)`)?"
)
ONE_ROW = (
    "`logits_of(window)` gives one row here, (V,), the logits of the next token, and `probabilities` makes one row of it: take no part of "
    "either, such as `[-1]` or `[0, -1]`."
)
wrong("write", "last_of_the_logits", ONE_ROW, source=changed(
    WRITE, ("logits_of(ids[-T:])", "logits_of(ids[-T:])[-1]")))
wrong("write", "last_of_the_probabilities", ONE_ROW, source=changed(
    WRITE, ("probabilities(logits_of(ids[-T:]))", "probabilities(logits_of(ids[-T:]))[-1]")))
wrong("write", "row_and_last", ONE_ROW, source=changed(
    WRITE, ("logits_of(ids[-T:])", "logits_of(np.array([ids[-T:]]))[0, -1]")))
wrong("write", "a_probability_alone", "The draw is among the probabilities, and what comes is one of them: draw a token, `rng.choice(len(p), p=p)`.", source=changed(
    WRITE, ("int(rng.choice(len(p), p=p))", "rng.choice(p)")))
wrong("write", "all_new_ones_again", "The new tokens enter the window twice: at each step all of them are put behind it, and it has the earlier ones already. Only the newest is new to it.", source="""
def write(start, length, T, logits_of, probabilities, rng):
    window, new = list(start)[-T:], []
    for _ in range(length):
        p = probabilities(logits_of(window))
        new.append(int(rng.choice(len(p), p=p)))
        window = (window + new)[-T:]
    return list(start) + new
""")
wrong("write", "through_the_length", A_SINGLE_NUMBER, source=changed(WRITE, ("range(length)", "length")))
wrong("write", "last_token_alone", "`logits_of` takes the list of the last T tokens: here it gets one token, which is no list.", source=changed(WRITE, ("ids[-T:]", "ids[-1]")))
wrong("write", "added_to_a_list", A_SINGLE_NUMBER, source=changed(
    WRITE, ("ids.append(int(rng.choice(len(p), p=p)))", "ids += rng.choice(len(p), p=p)")))
wrong("write", "draw_of_size_1", "A draw with a size is an array, here of one: leave the size out, `rng.choice(len(p), p=p)`.", source=changed(
    WRITE, ("int(rng.choice(len(p), p=p))", "rng.choice(len(p), 1, p=p)")))
wrong("write", "row_of_an_array", "`logits_of` takes the list of tokens as it is, `ids[-T:]`: no list or array around it.", source=changed(WRITE, ("ids[-T:]", "np.array([ids[-T:]])")))
wrong("write", "row_of_a_list", "`logits_of` takes the list of tokens as it is, `ids[-T:]`: no list or array around it.", source=changed(WRITE, ("ids[-T:]", "[ids[-T:]]")))
wrong("write", "array_at_the_end", "This is an array, and a list is asked for: begin with `list(start)`, and append.", source=changed(WRITE, ("return ids", "return np.array(ids)")))
wrong("write", "array_all_along", "This is an array, and a list is asked for: begin with `list(start)`, and append.", source=changed(
    WRITE, ("ids = list(start)", "ids = np.array(start)"), ("ids.append(int(rng.choice(len(p), p=p)))", "ids = np.append(ids, rng.choice(len(p), p=p))")))


wrong("write", "array_of_the_window", "`logits_of` gets an array, and the window is a list: `ids[-T:]` as it is.", source=changed(WRITE, ("ids[-T:]", "np.array(ids[-T:])")))
wrong("write", "rare_left_out", "What is rare is never drawn here, and the rest is brought back to 1: draw by `p` as it is.", source=changed(
    WRITE, ("        ids.append", "        p = np.where(p < 1e-3, 0.0, p)\n        p = p / p.sum()\n        ids.append")))


wrong("write", "text_cut_off", "The beginning of the text is cut off: the window is what the model gets, and the text itself stays whole.", source=changed(
    WRITE, ("        p = probabilities(logits_of(ids[-T:]))", "        ids = ids[-T:]\n        p = probabilities(logits_of(ids))")))
wrong("write", "asked_at_the_end", "The model is asked once more at the end, where no token is left to draw.", source=changed(
    WRITE, ("    return ids", "    logits_of(ids[-T:])\n    return ids")))
wrong("write", "without_the_newest", "The newest token is missing from the window: it is the last T of the text, `ids[-T:]`.", source=changed(
    WRITE, ("ids[-T:]", "(ids[-T:-1] or ids[-1:])")))


@right("write", "cumulative")
def write(start, length, T, logits_of, probabilities, rng):
    text = [*start]
    while len(text) < len(start) + length:
        window = text[max(0, len(text) - T) :]
        shares = np.cumsum(probabilities(logits_of(window)))
        text = text + [int(np.searchsorted(shares / shares[-1], rng.random(), side="right"))]
    return text


@right("write", "window_kept")
def write(start, length, T, logits_of, probabilities, rng):
    new, window = [], list(start)[-T:]
    for _ in range(length):
        logits = logits_of(window)
        p = probabilities(logits)
        token = rng.choice(np.arange(len(p)), p=p).item()
        new.append(token)
        window = (window + [token])[-T:]
    return list(start) + new


@right("write", "recursion")
def write(start, length, T, logits_of, probabilities, rng):
    if length == 0:
        return list(start)
    p = probabilities(logits_of(start[-T:]))
    token = int(rng.choice(len(p), p=p))
    return write(list(start) + [token], length - 1, T, logits_of, probabilities, rng)


wrong("write", "negative_start", "While the text is shorter than the window, `len(ids) - T` is below 0, and counts from the end: the first tokens are left out. `ids[-T:]` takes what there is.",
      source=changed(WRITE, ("ids[-T:]", "ids[len(ids) - T :]")))


# -- mended_attend ----------------------------------------------------------------------------------------------------

ATTEND = """
def mended_attend(q, k, v, cache):
    keys, values = np.concatenate([cache[0], k], axis=1), np.concatenate([cache[1], v], axis=1)
    scores = q @ keys.swapaxes(1, 2) / np.sqrt(q.shape[-1])
    seen = np.tri(q.shape[1], keys.shape[1], k=cache[0].shape[1], dtype=bool)
    masked = np.where(seen, scores, -np.inf)
    e = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ values, (keys, values)
"""

wrong("mended_attend", "nothing_mended", "This is still the colleague's mask: new token i sees only the first i + 1 keys of all, and should see all old ones, too.", source=changed(
    ATTEND, (" k=cache[0].shape[1],", "")))
wrong("mended_attend", "no_mask", "Nothing is masked here, where several new tokens come after old ones: each sees the new ones after it, too. The diagonal is moved by m, the number of old ones.", source=changed(
    ATTEND, ("np.where(seen, scores, -np.inf)", "scores")))
wrong("mended_attend", "one_too_few", "A new token does not see itself here: each sees all old ones, and the new ones up to itself.", source=changed(
    ATTEND, ("k=cache[0].shape[1]", "k=cache[0].shape[1] - (cache[0].shape[1] > 0)")))
wrong("mended_attend", "one_too_many", "Each new token sees one that comes after it.", source=changed(
    ATTEND, ("k=cache[0].shape[1]", "k=cache[0].shape[1] + 1")))
wrong("mended_attend", "moved_by_n", "The diagonal is moved by 1 here, a constant or the number of new tokens: it is moved by m, the number of old ones.", source=changed(
    ATTEND, ("k=cache[0].shape[1]", "k=q.shape[1]")))
wrong("mended_attend", "moved_by_all", "The diagonal is moved by the number of all keys, so nothing is masked.", source=changed(
    ATTEND, ("k=cache[0].shape[1]", "k=keys.shape[1]")))
wrong("mended_attend", "old_only", "A new token does not see itself here: each sees all old ones, and the new ones up to itself.", source=changed(
    ATTEND, ("seen = np.tri(q.shape[1], keys.shape[1], k=cache[0].shape[1], dtype=bool)", "seen = np.arange(keys.shape[1]) < max(1, cache[0].shape[1])")))
wrong("mended_attend", "new_only", "The new tokens see the new ones alone: what is the cache for?", source=changed(
    ATTEND, ("seen = np.tri(q.shape[1], keys.shape[1], k=cache[0].shape[1], dtype=bool)",
             "m = cache[0].shape[1]\n    seen = np.tri(q.shape[1], keys.shape[1], k=m, dtype=bool) & (np.arange(keys.shape[1]) >= m)")))
wrong("mended_attend", "new_first", "The new keys stand in front of the old ones: a cache grows at its end.", source=changed(
    ATTEND, ("[cache[0], k]", "[k, cache[0]]"), ("[cache[1], v]", "[v, cache[1]]")))
wrong("mended_attend", "exchanged", "Keys and values of the cache are exchanged: keys come first.", source=changed(
    ATTEND, ("(keys, values)", "(values, keys)")))
wrong("mended_attend", "old_cache", "The cache comes back without the new tokens.", source=changed(
    ATTEND, ("(keys, values)", "cache")))
wrong("mended_attend", "new_alone", "Only the new keys and values come back: the next token needs all.", source=changed(
    ATTEND, ("(keys, values)", "(k, v)")))
wrong("mended_attend", "not_divided", "The scores are not divided by the root of d: d is how long each query is, `q.shape[-1]`.", source=changed(ATTEND, (" / np.sqrt(q.shape[-1])", "")))
wrong("mended_attend", "root_of_keys", "The scores are divided by the root of how many keys there are: d is how long each of them is.", source=changed(
    ATTEND, ("np.sqrt(q.shape[-1])", "np.sqrt(keys.shape[1])")))
UNSHIFTED = "NaN comes of 0 / 0 here: the scores are so far below 0 that exp of each is 0. Far above 0 it overflows. Take the row's largest off first."
wrong("mended_attend", "unshifted", UNSHIFTED, source=changed(
    ATTEND, ("masked - masked.max(axis=-1, keepdims=True)", "masked")))
wrong("mended_attend", "old_and_new_apart", UNSHIFTED, source="""
def mended_attend(q, k, v, cache):
    n, root = q.shape[1], np.sqrt(q.shape[-1])
    old = np.exp(q @ cache[0].swapaxes(1, 2) / root)
    new = np.where(np.tri(n, dtype=bool), np.exp(q @ k.swapaxes(1, 2) / root), 0.0)
    total = old.sum(-1, keepdims=True) + new.sum(-1, keepdims=True)
    both = np.concatenate([cache[0], k], axis=1), np.concatenate([cache[1], v], axis=1)
    return (old @ cache[1] + new @ v) / total, both
""")
wrong("mended_attend", "new_part_of_the_mask_first", "The two parts of the mask are exchanged: the old keys come first, so its first m columns are all seen, and the triangle stands behind them.", source=changed(
    ATTEND, ("np.tri(q.shape[1], keys.shape[1], k=cache[0].shape[1], dtype=bool)",
             "np.concatenate([np.tri(q.shape[1]), np.ones((q.shape[1], cache[0].shape[1]))], axis=1) > 0")))
wrong("mended_attend", "added_up", "Arrays are no lists: `+` adds up old and new ones, number by number. `np.concatenate` joins them, along axis 1, that of the tokens.", source=changed(
    ATTEND, ("np.concatenate([cache[0], k], axis=1)", "cache[0] + k"), ("np.concatenate([cache[1], v], axis=1)", "cache[1] + v"),
    ("keys.shape[1], k=cache[0].shape[1]", "cache[0].shape[1] + k.shape[1], k=cache[0].shape[1]")))
wrong("mended_attend", "brackets_forgotten", "`np.concatenate` takes the arrays to be joined as one list or tuple: put brackets around them. The second thing that it takes is the axis.", source=changed(
    ATTEND, ("[cache[0], k]", "cache[0], k"), ("[cache[1], v]", "cache[1], v")))
wrong("mended_attend", "scores_of_0", "What is not to be seen has the score 0 here, and exp(0) is 1: it needs -inf.", source=changed(
    ATTEND, ("scores, -np.inf)", "scores, 0.0)")))
wrong("mended_attend", "zero_after", "The zeros come after the softmax, so the rows no longer add up to 1: mask the scores, by -inf.", source=changed(
    ATTEND, ("np.where(seen, scores, -np.inf)", "scores"), ("return e / e.sum", "return seen * e / e.sum")))
wrong("mended_attend", "queries_in_the_cache", "The cache holds queries in place of keys.", source=changed(
    ATTEND, ("(keys, values)", "(np.concatenate([cache[0], q], axis=1), values)")))


wrong("mended_attend", "head_0_for_all", "The keys of head 0 are used for all heads: each has its own, so exchange axes 1 and 2 of all keys.", source=changed(
    ATTEND, ("keys.swapaxes(1, 2)", "keys[0].T")))
wrong("mended_attend", "reshaped", "All keys have the same weight here, whatever the scores. `reshape` does not turn the keys around: exchange axes 1 and 2. And the largest and the sum are those of a row, along the keys: the last axis.", source=changed(
    ATTEND, ("keys.swapaxes(1, 2)", "keys.reshape(len(keys), keys.shape[2], keys.shape[1])")))
wrong("mended_attend", "moved_to_the_left", "All is NaN here: a new token is left with no key at all, so that it is 0 / 0, or 0 was multiplied by -inf. It sees all m old ones, and itself.", source=changed(
    ATTEND, ("k=cache[0].shape[1]", "k=-cache[0].shape[1]")))
wrong("mended_attend", "turned_mask", "All is NaN here: a new token is left with no key at all, so that it is 0 / 0, or 0 was multiplied by -inf. It sees all m old ones, and itself.", source=changed(
    ATTEND, ("np.where(seen, scores, -np.inf)", "np.where(seen, -np.inf, scores)")))
wrong("mended_attend", "length_of_the_pair", "Two keys too few are seen here. `len(cache)` is 2, for keys and values, `len(cache[0])` the number of heads; m is the length of axis 1.", source=changed(
    ATTEND, ("k=cache[0].shape[1]", "k=len(cache)")))
wrong("mended_attend", "number_of_heads", "Two keys too few are seen here. `len(cache)` is 2, for keys and values, `len(cache[0])` the number of heads; m is the length of axis 1.", source=changed(
    ATTEND, ("k=cache[0].shape[1]", "k=len(cache[0])")))
wrong("mended_attend", "largest_of_all", "The score that is taken off is not the largest of a row's own keys, those that it sees. Where it is far above these, exp of all is 0, and 0 / 0 is NaN: mask first, then each row's own.", source=changed(
    ATTEND, ("masked = np.where(seen, scores, -np.inf)\n    e = np.exp(masked - masked.max(axis=-1, keepdims=True))",
             "e = np.exp(scores - scores.max(axis=-1, keepdims=True)) * seen")))
wrong("mended_attend", "each_new_one_alone", "Of the new tokens each sees itself alone: it sees the new ones before it, too.", source=changed(
    ATTEND, ("np.tri(q.shape[1], keys.shape[1], k=cache[0].shape[1], dtype=bool)",
             "np.concatenate([np.ones((q.shape[1], cache[0].shape[1])), np.eye(q.shape[1])], axis=1) > 0")))
wrong("mended_attend", "last_axis", "The shapes do not fit: old and new ones are joined along axis 1, that of the tokens, the keys are turned around for the product, and the mask is (n, m + n).", source=changed(
    ATTEND, ("[cache[0], k], axis=1", "[cache[0], k], axis=-1"), ("[cache[1], v], axis=1", "[cache[1], v], axis=-1")))
wrong("mended_attend", "key_not_turned", "The shapes do not fit: old and new ones are joined along axis 1, that of the tokens, the keys are turned around for the product, and the mask is (n, m + n).", source=changed(
    ATTEND, ("keys.swapaxes(1, 2)", "keys")))


wrong("mended_attend", "moved_by_1", "The diagonal is moved by 1 here, a constant or the number of new tokens: it is moved by m, the number of old ones.", source=changed(
    ATTEND, ("k=cache[0].shape[1]", "k=1")))


wrong("mended_attend", "last_32", "Only the last 32 keys and values are kept: all are asked for, for any m.", source=changed(
    ATTEND, ("[cache[0], k], axis=1)", "[cache[0], k], axis=1)[:, -32:]"), ("[cache[1], v], axis=1)", "[cache[1], v], axis=1)[:, -32:]"),
    ("k=cache[0].shape[1]", "k=keys.shape[1] - k.shape[1]")))


wrong("mended_attend", "divided_by_d", "The scores are divided by d here: it is its root that they are divided by.", source=changed(
    ATTEND, ("np.sqrt(q.shape[-1])", "q.shape[-1]")))
for name, number in (("2", "2"), ("heads", "q.shape[0]"), ("root_of_m", "np.sqrt(max(1, cache[0].shape[1]))")):
    wrong("mended_attend", f"divided_by_{name}", "The scores are not divided by the root of d: d is how long each query is, `q.shape[-1]`.", source=changed(
        ATTEND, ("np.sqrt(q.shape[-1])", number)))
wrong("mended_attend", "large_but_finite", "What is not to be seen has a score of its own here, and scores that are seen may be lower: it needs -inf.", source=changed(
    ATTEND, ("scores, -np.inf)", "scores, -1e4)")))
for size in ("1e9", "1e20", "1e30"):
    wrong("mended_attend", f"large_but_finite_{size}", "What is not to be seen has a score of its own here, and scores that are seen may be lower: it needs -inf.", source=changed(
        ATTEND, ("scores, -np.inf)", f"scores, -{size})")))
wrong("mended_attend", "q_in_place", "q, which came in, is changed: an operator such as `/=` writes into it.", source=changed(
    ATTEND, ("    scores = q @ keys.swapaxes(1, 2) / np.sqrt(q.shape[-1])", "    q /= np.sqrt(q.shape[-1])\n    scores = q @ keys.swapaxes(1, 2)")))
wrong("mended_attend", "one_largest", "One largest is taken off all rows, and a row whose scores are far below it becomes 0 / 0: each row has its own.", source=changed(
    ATTEND, ("masked.max(axis=-1, keepdims=True)", "masked.max()")))
wrong("mended_attend", "outputs_alone", "The cache is missing: two things are to be returned, the outputs, and all keys and values as a pair.", source=changed(
    ATTEND, (" @ values, (keys, values)", " @ values")))
wrong("mended_attend", "sum_down_the_columns", "The sum runs along the queries: the weights of each query, along the keys, add up to 1.", source=changed(
    ATTEND, ("e.sum(axis=-1", "e.sum(axis=-2")))
wrong("mended_attend", "one_alone_unmasked", "Right for one new token, and for several the colleague's mask is still there: each of them sees all old ones, too.", source=changed(
    ATTEND, (" k=cache[0].shape[1],", ""), ("np.where(seen, scores, -np.inf)", "scores if q.shape[1] == 1 else np.where(seen, scores, -np.inf)")))
wrong("mended_attend", "weights_of_head_0", "The weights of one head are used for all: each head has its own.", source=changed(
    ATTEND, ("e / e.sum(axis=-1, keepdims=True) @ values", "(e / e.sum(axis=-1, keepdims=True))[:1] @ values")))


@right("mended_attend", "query_by_query")
def mended_attend(q, k, v, cache):
    keys, values = (np.hstack([old, new]) for old, new in zip(cache, (k, v)))
    out = np.zeros((*q.shape[:2], values.shape[2]))
    for i in range(q.shape[1]):
        n = cache[0].shape[1] + i + 1
        scores = np.einsum("hd,hsd->hs", q[:, i], keys[:, :n]) * q.shape[2] ** -0.5
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        out[:, i] = np.einsum("hs,hsw->hw", e, values[:, :n]) / e.sum(axis=1, keepdims=True)
    return out, (keys, values)


@right("mended_attend", "places_compared")
def mended_attend(q, k, v, cache):
    keys = np.concatenate((cache[0], k), 1)
    values = np.concatenate((cache[1], v), 1)
    m, n = cache[0].shape[1], q.shape[1]
    later = np.arange(m + n)[None, :] > m + np.arange(n)[:, None]
    scores = np.matmul(q, np.moveaxis(keys, 2, 1)) / q.shape[-1] ** 0.5
    scores[:, later] = -np.inf
    scores -= scores.max(-1)[..., None]
    p = np.exp(scores)
    p /= p.sum(-1)[..., None]
    return np.matmul(p, values), (keys, values)


wrong("mended_attend", "smallest_float32", "Scores may be lower than the smallest float32, and then what is hidden wins: only -inf is below all.",
      source=changed(ATTEND, ("scores, -np.inf)", 'scores, np.finfo("float32").min)')))


wrong("mended_attend", "one_room", "A later call, for another text, writes into the cache that was given out before: make new arrays.", source="""
_ROOMS = {}


def mended_attend(q, k, v, cache):
    heads, n, d = q.shape
    m = cache[0].shape[1]
    room = _ROOMS.get((heads, d))
    if room is None or room.shape[2] < m + n:
        room = _ROOMS[heads, d] = np.zeros((2, heads, 2 * (m + n), d))
    for part, old, new in zip(room, cache, (k, v)):
        part[:, :m] = old
        part[:, m : m + n] = new
    keys, values = room[:, :, : m + n]
    scores = q @ keys.swapaxes(1, 2) / np.sqrt(d)
    masked = np.where(np.tri(n, m + n, m, dtype=bool), scores, -np.inf)
    e = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ values, (keys, values)
""")
