"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 10_training`) and they diagnose: a student's answer that behaves like one of
these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the functions
use (np, Tensor, no_grad) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.referee.bank import changed, right, wrong


# -- batches ----------------------------------------------------------------------------------------------------------


@wrong("batches", "not_shuffled", "The order is always 0, 1, 2, ...: draw it with the generator.")
def batches(n, size, rng):
    order = np.arange(n)
    return [order[start : start + size] for start in range(0, n, size)]


@wrong("batches", "drawn_for_each", "Each batch draws an order of its own, so examples occur twice or never.")
def batches(n, size, rng):
    return [rng.permutation(n)[:size] for start in range(0, n, size)]


@wrong("batches", "last_dropped", "The smaller batch at the end is missing, and its examples with it.")
def batches(n, size, rng):
    order = rng.permutation(n)
    return [order[start : start + size] for start in range(0, n - size + 1, size)]


@wrong("batches", "overlap", "The batches overlap: the next one begins where the last one ended, `size` further.")
def batches(n, size, rng):
    order = rng.permutation(n)
    return [order[start : start + size] for start in range(n - size + 1)]


@wrong("batches", "fixed_order", "Each epoch has the same order: use the generator that you are given, not a new one.")
def batches(n, size, rng):
    order = np.random.default_rng(0).permutation(n)
    return [order[start : start + size] for start in range(0, n, size)]


@wrong("batches", "size_is_a_count", "`size` is how many examples a batch holds, not how many batches there are.")
def batches(n, size, rng):
    return np.array_split(rng.permutation(n), size)


@wrong("batches", "evened_out", "The parts are evened out, as `array_split` does it. Here each has `size` examples, and the last one the rest.")
def batches(n, size, rng):
    return np.array_split(rng.permutation(n), -(-n // size))


@wrong("batches", "own_order_each", "Each batch draws an order of its own, so examples occur twice or never.")
def batches(n, size, rng):
    return [rng.permutation(n)[start : start + size] for start in range(0, n, size)]


@wrong("batches", "generator", "This is a generator: it can be gone through once, and has no length. Return a list.")
def batches(n, size, rng):
    order = rng.permutation(n)
    return (order[start : start + size] for start in range(0, n, size))


@wrong("batches", "yields", "This is a generator: it can be gone through once, and has no length. Return a list.")
def batches(n, size, rng):
    order = rng.permutation(n)
    for start in range(0, n, size):
        yield order[start : start + size]


@wrong("batches", "lists", "The positions are right. Each batch should be an array of them, and is a list.")
def batches(n, size, rng):
    order = rng.permutation(n).tolist()
    return [order[start : start + size] for start in range(0, n, size)]


@wrong("batches", "empty_at_the_end", "When `size` divides n, an empty batch comes last.")
def batches(n, size, rng):
    order = rng.permutation(n)
    return [order[i * size : (i + 1) * size] for i in range(n // size + 1)]


@wrong("batches", "no_batch_larger_than_the_data", "A size above n is refused. It gives a single batch, of all n.")
def batches(n, size, rng):
    if size > n:
        raise ValueError("a batch cannot be larger than the data")
    order = rng.permutation(n)
    return [order[start : start + size] for start in range(0, n, size)]


@right("batches", "array_split")
def batches(n, size, rng):
    return np.array_split(rng.permutation(n), range(size, n, size))


@right("batches", "while_loop")
def batches(n, size, rng):
    left, parts = rng.permutation(n), []
    while len(left):
        parts.append(left[:size])
        left = left[size:]
    return parts


@wrong("batches", "rest_of_half_a_batch", "A last batch that is less than half full is missing here, as when n / size is rounded to the nearest. Any rest is a batch.")
def batches(n, size, rng):
    order = rng.permutation(n)
    many = int(n / size + 0.5)
    return [order[i * size : (i + 1) * size] for i in range(many)]


@wrong("batches", "nothing_where_the_size_is_larger", "Where `size` is larger than n there is no batch here. There is a single one then, of all n.")
def batches(n, size, rng):
    if size > n:
        return []
    order = rng.permutation(n)
    return [order[start : start + size] for start in range(0, n, size)]


@wrong("batches", "all_and_the_rest", "Where `size` is larger than n, the first batch holds all n, and yet another one comes for the rest. There is a single one then.")
def batches(n, size, rng):
    order = rng.permutation(n)
    full = max(1, n // size)
    parts = [order[i * size : (i + 1) * size] for i in range(full)]
    if n % size:
        parts.append(order[-(n % size) :])
    return parts


@wrong("batches", "one_buffer", "All batches show the numbers of the last one, where these are written: they are views of one array that is filled again. Each batch is an array of its own.")
def batches(n, size, rng):
    order, buffer, parts = rng.permutation(n), np.empty(size, dtype=int), []
    for start in range(0, n, size):
        part = order[start : start + size]
        buffer[: len(part)] = part
        parts.append(buffer[: len(part)])
    return parts


@wrong("batches", "positions_as_floats", "The positions are floats here, as in an array of np.zeros, and floats are no positions: an array cannot be indexed by them. Slices of the order keep its kind.")
def batches(n, size, rng):
    order, parts = rng.permutation(n), []
    for start in range(0, n, size):
        part = np.zeros(min(size, n - start))
        part[:] = order[start : start + size]
        parts.append(part)
    return parts


@wrong("batches", "dealt_out", "The order is right, and it is dealt out like cards: every k-th position goes to the same batch. A batch is a slice of neighbours, `order[start : start + size]`.")
def batches(n, size, rng):
    order = rng.permutation(n)
    number = -(-n // size)
    return [order[k::number] for k in range(number)]


# -- train_epoch ------------------------------------------------------------------------------------------------------

EPOCH = """
def train_epoch(model, optimizer, loss_fn, x, y, cut):
    model.train()
    total = 0.0
    for part in cut:
        optimizer.zero_grad()
        loss = loss_fn(model(x[part]), y[part])
        loss.backward()
        optimizer.step()
        total += len(part) * loss.item()
    return total / sum(len(part) for part in cut)
"""

wrong(
    "train_epoch",
    "no_zero_grad",
    "Gradients add up from batch to batch: clear them before each one.",
    source=changed(EPOCH, ("        optimizer.zero_grad()\n", "")),
)
wrong(
    "train_epoch",
    "zeros_written",
    "Something is None here. The gradients of a fresh model are, and nothing can be written into None: let the optimizer clear them. And `backward` and `step` return None.",
    source=changed(
        EPOCH, ("optimizer.zero_grad()", "for p in model.parameters():\n            p.grad.data[...] = 0.0")
    ),
)
wrong(
    "train_epoch",
    "zeroed_once",
    "Gradients add up from batch to batch: clear them before each one.",
    source=changed(
        EPOCH, ("        optimizer.zero_grad()\n", ""), ("    for part", "    optimizer.zero_grad()\n    for part")
    ),
)
wrong(
    "train_epoch",
    "zeroed_too_late",
    "The weights stay as they were: is there a `backward`, then a `step`, and nothing cleared between them?",
    source=changed(
        EPOCH,
        ("        optimizer.zero_grad()\n", ""),
        ("        loss.backward()\n", "        loss.backward()\n        optimizer.zero_grad()\n"),
    ),
)
wrong(
    "train_epoch",
    "plain_mean",
    "This is the mean over batches. A smaller batch counts less: weigh each loss with its number of examples.",
    source=changed(
        EPOCH, ("len(part) * loss", "loss"), ("sum(len(part) for part in cut)", "len(cut)")
    ),
)
wrong(
    "train_epoch",
    "plain_mean_in_no_mode",
    "This is the mean over batches: weigh each loss with its number of examples. And a layer was in evaluation mode here: set training mode first.",
    source=changed(
        EPOCH,
        ("    model.train()\n", ""),
        ("len(part) * loss", "loss"),
        ("sum(len(part) for part in cut)", "len(cut)"),
    ),
)
wrong(
    "train_epoch",
    "no_zero_grad_in_no_mode",
    "Gradients add up from batch to batch: clear them before each one. And a layer was in evaluation mode here: set training mode first.",
    source=changed(EPOCH, ("        optimizer.zero_grad()\n", ""), ("    model.train()\n", "")),
)
wrong(
    "train_epoch",
    "over_all_of_x",
    "Two examples are in the batches here, and the sum of their losses is divided by 3, as many as x has. `cut` may hold some of them only: count those.",
    source=changed(EPOCH, ("sum(len(part) for part in cut)", "len(x)")),
)
wrong(
    "train_epoch",
    "over_all_of_x_in_no_mode",
    "Two examples are in the batches here, and the sum of their losses is divided by 3, as many as x has. `cut` may hold some of them only: count those.",
    source=changed(EPOCH, ("    model.train()\n", ""), ("sum(len(part) for part in cut)", "len(x)")),
)
wrong(
    "train_epoch",
    "zeroed_after_the_step_only",
    "The gradient that lay there before the first batch counts in its step: as after a `zero_grad` that comes only behind `step`. Clear before each `backward`.",
    source=changed(
        EPOCH,
        ("        optimizer.zero_grad()\n", ""),
        ("        optimizer.step()\n", "        optimizer.step()\n        optimizer.zero_grad()\n"),
    ),
)
wrong(
    "train_epoch",
    "sum_of_losses",
    "This is the sum over the examples. Divide by their number.",
    source=changed(EPOCH, (" / sum(len(part) for part in cut)", "")),
)
wrong(
    "train_epoch",
    "last_loss",
    "You return the loss of the last batch. The mean over all examples is asked for.",
    source=changed(EPOCH, ("total / sum(len(part) for part in cut)", "loss.item()")),
)
wrong(
    "train_epoch",
    "no_step",
    "The weights stay as they were: is there a `backward`, then a `step`, and nothing cleared between them?",
    source=changed(EPOCH, ("        optimizer.step()\n", "")),
)
wrong(
    "train_epoch",
    "no_backward",
    "The weights stay as they were: is there a `backward`, then a `step`, and nothing cleared between them?",
    source=changed(EPOCH, ("        loss.backward()\n", "")),
)
wrong(
    "train_epoch",
    "loss_turned_round",
    "`loss_fn` takes the outputs first, then y.",
    source=changed(EPOCH, ("loss_fn(model(x[part]), y[part])", "loss_fn(y[part], model(x[part]))")),
)
wrong(
    "train_epoch",
    "mode_not_set",
    "The batches ran in evaluation mode, the model or a layer inside it: it comes in that mode. Set training mode first, for the layers inside as well.",
    source=changed(EPOCH, ("    model.train()\n", "")),
)
wrong(
    "train_epoch",
    "loss_twice",
    "The model runs twice for each batch, once for the number and once for the gradient: compute the loss once, and give it a name.",
    source=changed(EPOCH, ("loss.item()", "loss_fn(model(x[part]), y[part]).item()"), ("        loss.backward()\n        optimizer.step()\n", ""),
                   ("    return total", "        loss.backward()\n        optimizer.step()\n    return total")),
)
wrong(
    "train_epoch",
    "all_the_data",
    "Each step sees all the data here. Take the examples of the batch, for x and for y.",
    source=changed(EPOCH, ("model(x[part]), y[part]", "model(x), y")),
)
wrong(
    "train_epoch",
    "loss_after_the_step",
    "The loss is measured once more after the step. The loss of the step itself is meant.",
    source=changed(
        EPOCH, ("total += len(part) * loss.item()", "total += len(part) * loss_fn(model(x[part]), y[part]).item()")
    ),
)
wrong(
    "train_epoch",
    "batches_used_up",
    "The list of batches is empty afterwards. It is the caller's: go along it, and leave it as it is.",
    source="""
def train_epoch(model, optimizer, loss_fn, x, y, cut):
    model.train()
    total = count = 0
    while cut:
        part = cut.pop(0)
        optimizer.zero_grad()
        loss = loss_fn(model(x[part]), y[part])
        loss.backward()
        optimizer.step()
        total += len(part) * loss.item()
        count += len(part)
    return total / count
""",
)
wrong(
    "train_epoch",
    "bad_batches_skipped",
    "Batches with a loss of NaN or infinity are skipped, and nobody sees that the run diverges. Each batch has its step.",
    source=changed(
        EPOCH,
        (
            "        loss.backward()\n",
            "        if not np.isfinite(loss.item()):\n            continue\n        loss.backward()\n",
        ),
    ),
)
wrong(
    "train_epoch",
    "stops_at_a_bad_batch",
    "The epoch ends at a loss of NaN or infinity, and nobody sees that the run diverges. Each batch has its step.",
    source=changed(
        EPOCH,
        (
            "        loss.backward()\n",
            "        if not np.isfinite(loss.item()):\n            break\n        loss.backward()\n",
        ),
    ),
)
wrong(
    "train_epoch",
    "bad_losses_left_out",
    "A loss of NaN or infinity is left out of the mean, and nobody sees that the run diverges.",
    source=changed(
        EPOCH,
        (
            "        total += len(part) * loss.item()\n",
            "        total += len(part) * loss.item() if np.isfinite(loss.item()) else 0.0\n",
        ),
    ),
)
@wrong("train_epoch", "by_a_mask", "What stands twice in a batch counts once here, as in a mask of True and False or in a set. Use the positions as they are: `x[part]`.")
def train_epoch(model, optimizer, loss_fn, x, y, cut):
    model.train()
    total = 0.0
    for part in cut:
        mask = np.zeros(len(x), dtype=bool)
        mask[part] = True
        optimizer.zero_grad()
        loss = loss_fn(model(x[mask]), y[mask])
        loss.backward()
        optimizer.step()
        total += len(part) * loss.item()
    return total / sum(len(part) for part in cut)


right(
    "train_epoch",
    "lists",
    source="""
def train_epoch(model, optimizer, loss_fn, x, y, cut):
    model.train(True)
    losses, sizes = [], []
    for part in cut:
        loss = loss_fn(model(x[part]), y[part])
        model.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        sizes.append(len(part))
    return float(np.average(losses, weights=sizes))
""",
)
right(
    "train_epoch",
    "evaluation_mode_afterwards",
    source=changed(EPOCH, ("    return total", "    model.eval()\n    return total")),
)
right(
    "train_epoch",
    "zeroed_at_the_start_and_after",
    source="""
def train_epoch(model, optimizer, loss_fn, x, y, cut):
    model.train()
    optimizer.zero_grad()
    total = count = 0
    for part in cut:
        loss = loss_fn(model(x[part]), y[part])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total, count = total + loss.item() * len(part), count + len(part)
    return total / count
""",
)


wrong(
    "train_epoch",
    "bad_batches_do_not_count",
    "Batches with a loss of NaN or infinity are skipped, and nobody sees that the run diverges. Each batch has its step.",
    source="""
def train_epoch(model, optimizer, loss_fn, x, y, cut):
    model.train()
    total = count = 0
    for part in cut:
        optimizer.zero_grad()
        loss = loss_fn(model(x[part]), y[part])
        if not np.isfinite(loss.item()):
            continue
        loss.backward()
        optimizer.step()
        total += len(part) * loss.item()
        count += len(part)
    return total / max(count, 1)
""",
)


wrong(
    "train_epoch",
    "a_step_of_its_own",
    "The weights are changed by the formula of SGD here, and the optimizer is not asked. It may be any other one: `step` is its task.",
    source=changed(EPOCH, ("optimizer.step()", "for p in model.parameters():\n            p.data -= optimizer.lr * p.grad.data")),
)


wrong(
    "train_epoch",
    "return_in_the_loop",
    "Only the first batch has its step, as where `return` stands inside the loop. It comes behind the loop, when every batch has had its step.",
    source=changed(EPOCH, ("    return total / sum(len(part) for part in cut)", "        return total / len(part)")),
)
wrong(
    "train_epoch",
    "return_in_the_loop_over_all",
    "Only the first batch has its step, as where `return` stands inside the loop. It comes behind the loop, when every batch has had its step.",
    source=changed(EPOCH, ("    return total", "        return total")),
)
wrong(
    "train_epoch",
    "one_step_behind_the_loop",
    "There is one step for all batches here, with the gradient of the last one, as where `step` stands behind the loop. Each batch has its own.",
    source=changed(EPOCH, ("        optimizer.step()\n", ""), ("    return total", "    optimizer.step()\n    return total")),
)
wrong(
    "train_epoch",
    "slices_for_positions",
    "The examples are taken in the order of x here, as by slices of the lengths of the batches. What is in a batch its positions say, in any order.",
    source=changed(
        EPOCH,
        ("    total = 0.0\n", "    total, start = 0.0, 0\n"),
        ("        optimizer.zero_grad()\n", "        here = slice(start, start + len(part))\n        start += len(part)\n        optimizer.zero_grad()\n"),
        ("model(x[part]), y[part]", "model(x[here]), y[here]"),
    ),
)


@wrong("train_epoch", "loss_times_size", "The loss was multiplied by the size of the batch before `backward`, so each step is as many times too large. Weigh it for the mean of the epoch alone.")
def train_epoch(model, optimizer, loss_fn, x, y, cut):
    model.train()
    total = count = 0
    for part in cut:
        optimizer.zero_grad()
        loss = loss_fn(model(x[part]), y[part]) * len(part)
        loss.backward()
        optimizer.step()
        total += loss.item()
        count += len(part)
    return total / count


wrong("train_epoch", "data_overwritten", "x has only the rows of the first batch here: `x, y = x[part], y[part]` overwrites the data. Give a batch names of its own: the positions count in all the data.",
      source=changed(EPOCH, ("        optimizer.zero_grad()\n", "        x, y = x[part], y[part]\n        optimizer.zero_grad()\n"), ("model(x[part]), y[part]", "model(x), y")))


# -- accuracy ---------------------------------------------------------------------------------------------------------


@wrong("accuracy", "count", "This is the number of right answers. Divide it by the number of examples.")
def accuracy(logits, labels):
    return (logits.argmax(axis=1) == labels).sum()


@wrong("accuracy", "wrong_axis", "Axis 0 runs over the examples. The classes lie along axis 1.")
def accuracy(logits, labels):
    best = logits.argmax(axis=0)
    return sum(best[label] == i for i, label in enumerate(labels)) / len(labels)


@wrong("accuracy", "floored", "3 right answers of 4 make 0 here, as when `//` or `int` cuts the share off. Divide with `/`.")
def accuracy(logits, labels):
    return (logits.argmax(axis=1) == labels).sum() // len(labels)


@wrong("accuracy", "percent", "This is in percent. A share lies between 0 and 1.")
def accuracy(logits, labels):
    return 100 * (logits.argmax(axis=1) == labels).mean()


@wrong("accuracy", "one_each", "This says of each example whether it is right. The accuracy is the mean of that.")
def accuracy(logits, labels):
    return logits.argmax(axis=1) == labels


@wrong("accuracy", "over_the_classes", "3 right answers of 4 make 1 here, as when you divide by the number of classes, which is 3. Divide by the number of examples, and do not round.")
def accuracy(logits, labels):
    return (logits.argmax(axis=1) == labels).sum() / logits.shape[1]


@wrong("accuracy", "over_all_logits", "3 right answers of 4 make 0.25 here, as when you divide by the number of all logits, which is 12. Divide by the number of examples.")
def accuracy(logits, labels):
    return (logits.argmax(axis=1) == labels).sum() / logits.size


@wrong("accuracy", "over_examples", "The shapes do not fit. Axis 0 runs over the examples: `argmax` along axis 1, over the classes, gives one answer for each example.")
def accuracy(logits, labels):
    return (logits.argmax(axis=0) == labels).mean()


@wrong("accuracy", "no_axis", "Every row gets the answer 0 here: without an axis, `argmax` gives one position in the whole array. Each row has its own answer.")
def accuracy(logits, labels):
    return (logits.argmax() == labels).mean()


@wrong("accuracy", "last_of_equal", "Of equal logits this takes the last. `argmax` takes the first.")
def accuracy(logits, labels):
    k = logits.shape[1]
    return (k - 1 - logits[:, ::-1].argmax(axis=1) == labels).mean()


@wrong("accuracy", "ties_all_right", "Where logits are equal, each label counts as right here: a network of zeros would be perfect.")
def accuracy(logits, labels):
    own = logits[np.arange(len(labels)), labels]
    return float(np.mean(own == logits.max(axis=1)))


@wrong("accuracy", "errors", "This is the share of wrong answers.")
def accuracy(logits, labels):
    return (logits.argmax(axis=1) != labels).mean()


@wrong("accuracy", "smallest", "The answer is the class with the largest logit, and this takes the smallest.")
def accuracy(logits, labels):
    return (logits.argmin(axis=1) == labels).mean()


@wrong("accuracy", "positive_logit", "A logit is compared with the others of its row, not with 0.")
def accuracy(logits, labels):
    return (logits[np.arange(len(labels)), labels] > 0).mean()


@wrong("accuracy", "largest_value", "`max` gives the largest logit itself. You need its position.")
def accuracy(logits, labels):
    return (logits.max(axis=1) == labels).mean()


@wrong(
    "accuracy",
    "after_softmax",
    "exp of large numbers is infinite, of very negative ones 0, and 0 / 0 is NaN. The largest logit needs no softmax.",
)
def accuracy(logits, labels):
    e = np.exp(logits)
    return ((e / e.sum(axis=1, keepdims=True)).argmax(axis=1) == labels).mean()


@right("accuracy", "loop")
def accuracy(logits, labels):
    right = [int(np.argmax(row)) == label for row, label in zip(logits, labels)]
    return sum(right) / len(right)


@right("accuracy", "counted")
def accuracy(logits, labels):
    return float(np.count_nonzero(np.equal(np.argmax(logits, -1), labels)) / len(labels))


@wrong("accuracy", "begins_at_a_number", "The search for the largest logit begins at a number, and all of a row may lie below it: begin with the row's first, or let `argmax` search.")
def accuracy(logits, labels):
    right = 0
    for row, label in zip(logits, labels):
        largest, answer = -100.0, 0
        for j, logit in enumerate(row):
            if logit > largest:
                largest, answer = logit, j
        right += answer == label
    return right / len(labels)


@wrong("accuracy", "an_example_for_each_class", "There are 3 answers for 4 examples: `argmax` along axis 0 finds an example for each class. The answer to an example is the largest of its row, along axis 1.")
def accuracy(logits, labels):
    answers = logits.argmax(axis=0)
    return (answers == labels[: len(answers)]).mean()


@wrong("accuracy", "return_in_the_loop", "Only the first example is looked at, as where `return` stands inside the loop. It comes behind the loop.")
def accuracy(logits, labels):
    for row, label in zip(logits, labels):
        return float(row.argmax() == label)


@wrong("accuracy", "return_in_the_loop_over_all", "Only the first example is looked at, as where `return` stands inside the loop. It comes behind the loop.")
def accuracy(logits, labels):
    right = 0
    for row, label in zip(logits, labels):
        right += row.argmax() == label
        return right / len(labels)


@wrong("accuracy", "by_a_fixed_number", "Both are right, and this is 0.5: by a division by 4 always (divide by the number of examples), or where the search for the largest begins at 0, below which both logits of a row lie.")
def accuracy(logits, labels):
    return (logits.argmax(axis=1) == labels).sum() / 4


@wrong("accuracy", "more_than_half", "Where no class has more than half of the probability, all answers are wrong here. The answer is the class with the largest logit, however little that may be.")
def accuracy(logits, labels):
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    return float(np.mean(p[np.arange(len(labels)), labels] > 0.5))


@wrong("accuracy", "largest_of_all_rows", "The largest score so far is kept from one row to the next here. Begin anew in each row.")
def accuracy(logits, labels):
    right, largest, answer = 0, -np.inf, 0
    for row, label in zip(logits, labels):
        for k, logit in enumerate(row):
            if logit > largest:
                largest, answer = logit, k
        right += int(answer == label)
    return right / len(labels)


@wrong("accuracy", "largest_of_columns", "The largest of each column is found here, 3 answers for 4 examples: axis 0 runs over the examples. An answer is the place of the largest in a row: axis 1.")
def accuracy(logits, labels):
    answers = logits.argmax(axis=0)
    return sum(a == b for a, b in zip(answers, labels)) / len(labels)


# -- split ------------------------------------------------------------------------------------------------------------

SPLIT = """
def split(n, train, validation, rng):
    order = rng.permutation(n)
    a = round(train * n)
    b = a + round(validation * n)
    return order[:a], order[a:b], order[b:]
"""


def split_wrong(name, sentence, *changes):
    wrong("split", name, sentence, source=changed(SPLIT, *changes))


split_wrong(
    "not_shuffled",
    "The first examples are always for training. Files are often sorted: draw an order.",
    ("rng.permutation(n)", "np.arange(n)"),
)
split_wrong(
    "several_orders",
    "An order was drawn for each part, so some examples are in two of them: a leak.",
    (
        "order[:a], order[a:b], order[b:]",
        "order[:a], rng.permutation(n)[a:b], rng.permutation(n)[b:]",
    ),
)
split_wrong(
    "validation_last",
    "Validation and test are swapped: the order is training, validation, test.",
    ("order[a:b], order[b:]", "order[b:], order[a:b]"),
)
split_wrong(
    "training_last",
    "The parts stand in another order: the first of them is for training.",
    ("order[:a], order[a:b], order[b:]", "order[b:], order[a:b], order[:a]"),
)
split_wrong(
    "test_first",
    "The test part was cut off first. It is what remains after the two others.",
    ("order[:a], order[a:b], order[b:]", "order[n - a :], order[n - b : n - a], order[: n - b]"),
)
split_wrong(
    "share_of_the_rest",
    "`validation` is a share of all n examples, not of those that training leaves.",
    ("round(validation * n)", "round(validation * (n - a))"),
)
split_wrong(
    "validation_as_the_end",
    "`validation` is a length, and here it is taken for the place where validation ends: add it to where training ends.",
    ("a + round(validation * n)", "round(validation * n)"),
)
split_wrong(
    "rounded_together",
    "The validation part has another length than round(validation * n), as when both shares are rounded together. Round each by itself.",
    ("a + round(validation * n)", "round((train + validation) * n)"),
)
split_wrong(
    "cut_off",
    "4.9 is cut off to 4 here, as `int` does it. Round.",
    ("round(train * n)", "int(train * n)"),
    ("round(validation * n)", "int(validation * n)"),
)
split_wrong(
    "training_cut_off",
    "0.7 * 7 is 4.9, and the training part has 4 here, as `int` makes it. Round each share by itself.",
    ("round(train * n)", "int(train * n)"),
)
split_wrong(
    "both_ends_cut_off",
    "0.7 * 7 is 4.9, and the training part has 4 here, as `int` makes it. Round each share by itself.",
    ("round(train * n)", "int(train * n)"),
    ("a + round(validation * n)", "int((train + validation) * n)"),
)
split_wrong(
    "validation_cut_off",
    "0.25 * 7 is 1.75, and the validation part has 1 here, as `int` makes it. Round each share by itself.",
    ("round(validation * n)", "int(validation * n)"),
)
split_wrong(
    "rounded_up",
    "0.7 * 6 is 4.2, and the training part has 5 here, as when all is rounded up: `round` takes the nearest.",
    ("round(train * n)", "int(np.ceil(train * n))"),
    ("round(validation * n)", "int(np.ceil(validation * n))"),
)
split_wrong(
    "fixed_order",
    "Every split is the same: use the generator that you are given, not a new one.",
    ("rng.permutation(n)", "np.random.default_rng(0).permutation(n)"),
)
split_wrong(
    "sorted",
    "The right positions, but sorted. Leave them in the order that was drawn.",
    ("order[:a], order[a:b], order[b:]", "np.sort(order[:a]), np.sort(order[a:b]), np.sort(order[b:])"),
)
split_wrong(
    "overlap",
    "Two parts overlap: each begins where the one before it ended.",
    ("order[a:b], order[b:]", "order[a - 1 : b], order[b - 1 :]"),
)
split_wrong(
    "one_lost",
    "An example is in no part: each part begins where the one before it ended.",
    ("order[a:b], order[b:]", "order[a:b], order[b + 1 :]"),
)
split_wrong(
    "test_holds_validation",
    "The test part holds the validation part, too: it begins where validation ends.",
    ("order[b:]", "order[a:]"),
)
split_wrong(
    "training_holds_validation",
    "The training part holds the validation part, too: it ends after round(train * n) positions.",
    ("order[:a]", "order[:b]"),
)
split_wrong(
    "two_parts",
    "Two parts are not enough: training, validation, and the rest for the test.",
    ("order[:a], order[a:b], order[b:]", "order[:a], order[a:]"),
)


split_wrong(
    "lists_of_positions",
    "The parts are lists. Arrays are asked for: slices of the order are arrays already.",
    ("order[:a], order[a:b], order[b:]", "order[:a].tolist(), order[a:b].tolist(), order[b:].tolist()"),
)
split_wrong(
    "empty_part_of_floats",
    "An empty list becomes an array of floats, and floats are no positions. Slices of the order keep their kind.",
    ("order[:a], order[a:b], order[b:]", "tuple(np.array(list(part)) for part in (order[:a], order[a:b], order[b:]))"),
)

split_wrong(
    "empty_test_of_floats",
    "An empty test part holds floats here, as an array does that is made of an empty list, and floats are no positions. Slices of the order keep their kind.",
    ("order[b:]", "np.array([order[i] for i in range(b, n)])"),
)
split_wrong(
    "empty_training_of_floats",
    "An empty training part holds floats here, as an array does that is made of an empty list, and floats are no positions. Slices of the order keep their kind.",
    ("order[:a],", "np.array([order[i] for i in range(a)]),"),
)


@wrong("split", "half_up", "2.5 becomes 3 here. `round` goes to the even number, 2.")
def split(n, train, validation, rng):
    order = rng.permutation(n)
    a = int(train * n + 0.5)
    b = a + int(validation * n + 0.5)
    return order[:a], order[a:b], order[b:]


@wrong("split", "one_at_least", "Where the share of the training is rounded to 0, its part is empty. You put one example into it.")
def split(n, train, validation, rng):
    order = rng.permutation(n)
    a = max(1, round(train * n))
    b = a + round(validation * n)
    return order[:a], order[a:b], order[b:]


@right("split", "np_split")
def split(n, train, validation, rng):
    lengths = [round(train * n), round(validation * n)]
    return tuple(np.split(rng.permutation(n), np.cumsum(lengths)))


@right("split", "lists")
def split(n, train, validation, rng):
    order = list(rng.permutation(n))
    first, second = round(train * n), round(validation * n)
    return [
        np.array(part, dtype=int)
        for part in (order[:first], order[first : first + second], order[first + second :])
    ]


split_wrong(
    "rest_from_the_end",
    "Where nothing is left for the test, its part holds all examples: `order[-0:]` is the whole order. Begin it where validation ends.",
    ("order[b:]", "order[-(n - b) :]"),
)


@wrong("split", "half_down", "A half is always rounded down here. `round` goes to the even number: 2.5 becomes 2, and 3.5 becomes 4.")
def split(n, train, validation, rng):
    order = rng.permutation(n)
    a = int(np.ceil(train * n - 0.5))
    b = a + int(np.ceil(validation * n - 0.5))
    return order[:a], order[a:b], order[b:]


@wrong("split", "test_sorted", "The test part comes back sorted: `setdiff1d` and sets sort what they keep. Cut all three parts from the one permutation.")
def split(n, train, validation, rng):
    order = rng.permutation(n)
    a = round(train * n)
    b = a + round(validation * n)
    return order[:a], order[a:b], np.setdiff1d(np.arange(n), order[:b])


split_wrong("begins_at_a_length", "The parts overlap: the test begins at `round(validation * n)`, which is a length. It begins where validation ends, at a + that length.",
            ("b = a + round", "b = round"), ("order[a:b]", "order[a : a + b]"))


# -- standardise ------------------------------------------------------------------------------------------------------


@wrong(
    "standardise",
    "own_numbers",
    "The held-out part is scaled with its own mean and deviation. Tomorrow's data have none yet: use the training part's.",
)
def standardise(train, held):
    def scaled(a):
        std = a.std(axis=0)
        return (a - a.mean(axis=0)) / np.where(std == 0, 1.0, std)

    return scaled(train), scaled(held)


@wrong("standardise", "both_together", "A leak: the held-out rows are part of your mean and deviation.")
def standardise(train, held):
    both = np.concatenate([train, held])
    mean, std = both.mean(axis=0), both.std(axis=0)
    std = np.where(std == 0, 1.0, std)
    return (train - mean) / std, (held - mean) / std


@wrong("standardise", "one_for_all", "One mean for all columns. Each column has its own: axis 0.")
def standardise(train, held):
    mean, std = train.mean(), train.std() or 1.0
    return (train - mean) / std, (held - mean) / std


@wrong("standardise", "constant_column", "A constant column has deviation 0, and 0 / 0 is NaN.")
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0)
    with np.errstate(all="ignore"):
        return (train - mean) / std, (held - mean) / std


@wrong("standardise", "variance", "You divide by the variance. The deviation is its root.")
def standardise(train, held):
    mean, var = train.mean(axis=0), train.var(axis=0)
    var = np.where(var == 0, 1.0, var)
    return (train - mean) / var, (held - mean) / var


@wrong("standardise", "held_left_out", "The held-out part has to be scaled as well, or the model sees other units.")
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0)
    return (train - mean) / np.where(std == 0, 1.0, std), held


@wrong("standardise", "in_place", "The result is right, and the caller's arrays were changed.")
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0)
    std = np.where(np.ptp(train, axis=0) == 0, 1.0, std)
    for part in (train, held):
        part -= mean
        part /= std
    return train, held


@wrong("standardise", "tiny_added", "A constant column becomes huge in held-out data here, as where a tiny number is added to each deviation, and 2 is divided by that alone. Divide such a column by 1.")
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0) + 1e-8
    return (train - mean) / std, (held - mean) / std


@wrong("standardise", "swapped", "The two results are swapped: the training part comes first.")
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0)
    std = np.where(std == 0, 1.0, std)
    return (held - mean) / std, (train - mean) / std


@wrong("standardise", "all_by_one", "For the sake of one constant column, all columns are divided by 1. Only that one should be.")
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0)
    if (std == 0).any():
        std = 1.0
    return (train - mean) / std, (held - mean) / std


HELD_TO_ZERO = "A column that is constant in training becomes 0 in the held-out part, too: 7 - 5 is 2, divided by 1."


@wrong("standardise", "held_to_zero", HELD_TO_ZERO)
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0)
    std = np.where(std == 0, np.inf, std)
    return (train - mean) / std, (held - mean) / std


@wrong("standardise", "nan_to_zero", "NaN and infinity are swept away after the division. Divide by 1 instead of by 0.")
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0)
    with np.errstate(all="ignore"):
        return np.nan_to_num((train - mean) / std), np.nan_to_num((held - mean) / std)


@wrong("standardise", "rows", "Axis 1 scales each row. Each column has its own mean: axis 0.")
def standardise(train, held):
    mean, std = train.mean(axis=1, keepdims=True), train.std(axis=1, keepdims=True)
    return (train - mean) / std, (held - mean) / std


@wrong("standardise", "rows_flat", "Axis 1 scales each row. Each column has its own mean: axis 0.")
def standardise(train, held):
    mean, std = train.mean(axis=1), train.std(axis=1)
    return (train - mean) / std, (held - mean) / std


@wrong("standardise", "n_minus_one", "Your deviation divides by n - 1, as with `ddof=1`. The standard deviation of these n numbers divides by n.")
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0, ddof=1)
    std = np.where(std == 0, 1.0, std)
    return (train - mean) / std, (held - mean) / std


@wrong("standardise", "mean_only", "The mean is 0 now. Divide by the standard deviation as well; where `np.where` chooses, the 1 is for constant columns, and for no others.")
def standardise(train, held):
    mean = train.mean(axis=0)
    return train - mean, held - mean


@wrong(
    "standardise",
    "deviation_exactly_zero",
    "The deviation of a constant column need not be 0: rounding makes 1e-17 of it, and held-out data become huge. "
    "Compare the column's largest number with its smallest.",
)
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0)
    std = np.where(std == 0, 1.0, std)
    return (train - mean) / std, (held - mean) / std


@wrong("standardise", "nearly_constant", "A column of tiny numbers is not constant. Ask whether its largest and its smallest number are the same.")
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0)
    std = np.where(np.isclose(std, 0), 1.0, std)
    return (train - mean) / std, (held - mean) / std


@wrong("standardise", "first_and_last", "A column that ends as it begins is divided by 1 here. It is constant only where its largest number is its smallest.")
def standardise(train, held):
    mean = train.mean(axis=0)
    std = np.where(train[0] == train[-1], 1.0, train.std(axis=0))
    return (train - mean) / std, (held - mean) / std


@wrong("standardise", "first_and_second", "A column whose first two numbers agree is divided by 1 here. It is constant only where its largest number is its smallest.")
def standardise(train, held):
    mean = train.mean(axis=0)
    std = np.where(train[0] == train[1], 1.0, train.std(axis=0))
    return (train - mean) / std, (held - mean) / std


@wrong(
    "standardise",
    "held_cut_to_the_range",
    "Held-out numbers are cut off when they are many deviations away. They are scaled, and nothing more.",
)
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0)
    std = np.where(train.max(axis=0) == train.min(axis=0), 1.0, std)
    return (train - mean) / std, np.clip((held - mean) / std, -10, 10)


@wrong(
    "standardise",
    "both_cut_to_the_range",
    "Numbers are cut off when they are many deviations away. They are scaled, and nothing more.",
)
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0)
    std = np.where(train.max(axis=0) == train.min(axis=0), 1.0, std)
    return np.clip((train - mean) / std, -10, 10), (held - mean) / std


@wrong(
    "standardise",
    "mean_of_squares",
    "In a column of large numbers that lie close together the digits that count are lost here, as in the mean of squares less the squared mean: `std` takes the mean off first.",
)
def standardise(train, held):
    mean = train.mean(axis=0)
    variance = np.maximum((train**2).mean(axis=0) - mean**2, 0)
    std = np.where(train.max(axis=0) == train.min(axis=0), 1.0, np.sqrt(variance))
    with np.errstate(all="ignore"):
        return (train - mean) / std, (held - mean) / std


@right("standardise", "spread_replaced")
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0)
    std[np.ptp(train, axis=0) == 0] = 1
    return tuple((part - mean) / std for part in (train, held))


@right("standardise", "equal_to_the_first")
def standardise(train, held):
    mean = train.mean(axis=0)
    std = np.where((train == train[0]).all(axis=0), 1.0, train.std(axis=0))
    return (train - mean) / std, (held - mean) / std


@right("standardise", "tolerance")
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0)
    std = np.where(std < 1e-12, 1.0, std)
    return (train - mean) / std, (held - mean) / std


@right("standardise", "columns")
def standardise(train, held):
    train, held = train.copy(), held.copy()
    for j in range(train.shape[1]):
        mean, std = train[:, j].mean(), train[:, j].std()
        if len(set(train[:, j].tolist())) == 1:
            std = 1.0
        train[:, j], held[:, j] = (train[:, j] - mean) / std, (held[:, j] - mean) / std
    return train, held


@wrong("standardise", "never_below_1", "The column with the deviation 0.2 is not scaled here, as with `np.maximum(std, 1)`. Only a constant column is divided by 1.")
def standardise(train, held):
    mean, std = train.mean(axis=0), np.maximum(train.std(axis=0), 1.0)
    return (train - mean) / std, (held - mean) / std


@wrong("standardise", "against_the_mean", "A constant column of zeros is divided by 0 here, as where its deviation is compared with its mean: 0 is not below 0. Ask whether its largest number is its smallest.")
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0)
    std = np.where(std < 1e-12 * np.abs(mean), 1.0, std)
    with np.errstate(all="ignore"):
        return (train - mean) / std, (held - mean) / std


@wrong("standardise", "constant_as_it_is", "A constant column is left as it is here. Its mean is subtracted like any other: 0 is left. Only the division is by 1.")
def standardise(train, held):
    mean = train.mean(axis=0)
    constant = train.max(axis=0) == train.min(axis=0)
    std = np.where(constant, 1.0, train.std(axis=0))
    return tuple(np.where(constant, part, (part - mean) / std) for part in (train, held))


# -- evaluate ---------------------------------------------------------------------------------------------------------


@wrong("evaluate", "training_mode", "Dropout was on while you measured: `model.eval()` sets evaluation mode, for the layers inside as well.")
def evaluate(model, metric, x, y):
    with no_grad():
        return float(metric(model(x).data, y))


@wrong("evaluate", "mode_left", "The model stays in evaluation mode, so the rest of the training has no dropout.")
def evaluate(model, metric, x, y):
    model.eval()
    with no_grad():
        return float(metric(model(x).data, y))


@wrong("evaluate", "always_training", "The model ends in training mode, also where it was not in it before.")
def evaluate(model, metric, x, y):
    model.eval()
    with no_grad():
        out = model(x).data
    model.train()
    return float(metric(out, y))


@wrong("evaluate", "graph_recorded", "A graph was recorded that nobody needs: the model is called outside of `no_grad`, or before it. Inside, the memory is saved.")
def evaluate(model, metric, x, y):
    before = model.training
    model.eval()
    out = model(x).data
    model.train(before)
    return float(metric(out, y))


@wrong("evaluate", "one_flag", "Dropout was on while you measured: `model.eval()` sets evaluation mode, for the layers inside as well.")
def evaluate(model, metric, x, y):
    before, model.training = model.training, False
    with no_grad():
        out = model(x).data
    model.training = before
    return float(metric(out, y))


@wrong("evaluate", "turned_round", "The metric takes the outputs first, then y.")
def evaluate(model, metric, x, y):
    before = model.training
    model.eval()
    with no_grad():
        out = model(x).data
    model.train(before)
    return float(metric(y, out))


@wrong("evaluate", "item_of_it", "A metric may return a plain float, which has no `item` and no `data`. `float(...)` takes a number and a Tensor.")
def evaluate(model, metric, x, y):
    before = model.training
    model.eval()
    with no_grad():
        out = model(x).data
    model.train(before)
    return metric(out, y).item()


@wrong("evaluate", "as_it_came", "The metric gave a Tensor, and so do you. Return a float.")
def evaluate(model, metric, x, y):
    before = model.training
    model.eval()
    with no_grad():
        out = model(x).data
    model.train(before)
    return metric(out, y)


@wrong("evaluate", "tensor_given", "The metric is given a Tensor. It takes the array in it: `.data`.")
def evaluate(model, metric, x, y):
    before = model.training
    model.eval()
    with no_grad():
        out = model(x)
    model.train(before)
    return float(metric(out, y))


@wrong("evaluate", "outputs_unused", "The value is 0 here, as when the metric is given y twice. It takes the outputs first, then y.")
def evaluate(model, metric, x, y):
    before = model.training
    model.eval()
    with no_grad():
        model(x)
    model.train(before)
    return float(metric(y, y))


@wrong("evaluate", "zero_for_nan", "A NaN becomes 0, and nobody sees that the run diverged. Return what the metric gives.")
def evaluate(model, metric, x, y):
    before = model.training
    model.eval()
    with no_grad():
        out = model(x).data
    model.train(before)
    return float(np.nan_to_num(float(metric(out, y))))


@wrong("evaluate", "gradients_off_for_good", "The parameters no longer ask for gradients, so that the training cannot go on. `with no_grad():` ends with its block.")
def evaluate(model, metric, x, y):
    before = model.training
    model.eval()
    for p in model.parameters():
        p.requires_grad_(False)
    out = model(x).data
    model.train(before)
    return float(metric(out, y))


@right("evaluate", "try_finally")
def evaluate(model, metric, x, y):
    mode = model.training
    try:
        with no_grad():
            return float(metric(model.eval()(x).data, y))
    finally:
        model.train(mode)


@right("evaluate", "if_it_was")
def evaluate(model, metric, x, y):
    was_training = model.training
    model.train(False)
    with no_grad():
        value = metric(model(x).data, y)
    if was_training:
        model.train()
    return float(value)


@wrong("evaluate", "one_flag_set_back", "The model's own flag is set back, and the layers inside stay in evaluation mode: dropout rests for good. `model.train(mode)` sets all of them.")
def evaluate(model, metric, x, y):
    before = model.training
    model.eval()
    with no_grad():
        out = model(x).data
    model.training = before
    return float(metric(out, y))


IN_PARTS = """
def evaluate(model, metric, x, y):
    before = model.training
    model.eval()
    found = []
    with no_grad():
        for start in range(0, len(x), 64):
            part = slice(start, start + 64)
            found.append(float(metric(model(x[part]).data, y[part])))
    model.train(before)
    return float(np.mean(found))
"""

wrong("evaluate", "mean_of_parts", "The data are cut into parts, and the mean of the parts' results is returned. Not every metric is a mean, and parts may differ in length: run the model once, on all.", source=IN_PARTS)
wrong("evaluate", "mean_of_pairs", "The model runs more than once here, as when the data are cut into parts. Not every metric is a mean: run it once, on all.",
      source=changed(IN_PARTS, ("64", "2")))


@wrong("evaluate", "the_method_for_the_mode", "`model.train` is a method, and the mode is `model.training`: True or False. What you set back is the method.")
def evaluate(model, metric, x, y):
    before = model.train
    model.eval()
    with no_grad():
        out = model(x).data
    model.train(before)
    return float(metric(out, y))


@wrong("evaluate", "float_or_tensor", "What is no float is taken for a Tensor here. A metric that counts gives an int, and an int has no `item`: `float` makes one of either.")
def evaluate(model, metric, x, y):
    before = model.training
    model.eval()
    with no_grad():
        out = model(x).data
    model.train(before)
    value = metric(out, y)
    return value if isinstance(value, float) else value.item()


@wrong("evaluate", "mode_behind_the_return", "The model stays in evaluation mode: the line that sets the mode back stands behind the `return` here, and never runs.")
def evaluate(model, metric, x, y):
    before = model.training
    model.eval()
    with no_grad():
        out = model(x).data
        return float(metric(out, y))
    model.train(before)


@wrong("evaluate", "mode_read_too_late", "The model stays in evaluation mode: the mode is not set back, or it was read after `eval()`, when it was False already. Read it before.")
def evaluate(model, metric, x, y):
    model.eval()
    before = model.training
    with no_grad():
        out = model(x).data
    model.train(before)
    return float(metric(out, y))


# -- state_dict -------------------------------------------------------------------------------------------------------


@wrong(
    "state_dict",
    "no_copy",
    "What you put aside is the very array that training changes, or a view of it (`[:]` copies a list, and makes a view of an array). Copy it.",
)
def state_dict(module):
    return {name: p.data for name, p in module.named_parameters()}


@wrong("state_dict", "own_attributes_only", "A parameter is missing, here that of the inner layer: `named_parameters` gives them all.")
def state_dict(model):
    return {name: p.data.copy() for name, p in vars(model).items() if isinstance(p, nn.Parameter)}


@wrong(
    "state_dict",
    "getattr_by_name",
    "A name such as `0.weight` has a dot, and `getattr` knows no dots. Look it up in `dict(model.named_parameters())`.",
)
def load_state_dict(model, state):
    if dict(model.named_parameters()).keys() != state.keys():
        raise KeyError("names")
    for name, array in state.items():
        getattr(model, name).data[...] = array


@wrong("state_dict", "always_float64", "A copy of float32 numbers is made of float64 numbers here. `p.data.copy()` keeps them.")
def state_dict(model):
    return {name: np.array(p.data, dtype=float) for name, p in model.named_parameters()}


@wrong("state_dict", "the_method", "This calls the model's own method, which is what you write here: from names and arrays.")
def state_dict(model):
    return model.state_dict()


@wrong("state_dict", "parameter_by_parameter", "A list has lost the names: return a dict from names to arrays.")
def state_dict(model):
    return [p.data.copy() for p in model.parameters()]


@wrong(
    "state_dict",
    "loads_no_copy",
    "After loading, parameter and state share one array: the next step changes the state as well.",
)
def load_state_dict(module, state):
    parameters = dict(module.named_parameters())
    if parameters.keys() != state.keys():
        raise KeyError("names")
    for name, p in parameters.items():
        p.data = state[name]


@wrong(
    "state_dict",
    "the_parameters",
    "A dict of Parameters is returned. Put aside their numbers: arrays, copied.",
)
def state_dict(module):
    return dict(module.named_parameters())


@wrong(
    "state_dict",
    "missing_goes_unnoticed",
    "A state that lacks a name is loaded in part. Compare the names first.",
)
def load_state_dict(module, state):
    parameters = dict(module.named_parameters())
    for name, array in state.items():
        parameters[name].data[...] = array


@wrong(
    "state_dict",
    "too_many_go_unnoticed",
    "Part of the state is loaded before a name turns out to be wrong. Compare all names first, then load.",
)
def load_state_dict(module, state):
    for name, p in module.named_parameters():
        p.data[...] = state[name]


@wrong(
    "state_dict",
    "by_order",
    "The arrays are put in by their order. Names say which is whose.",
)
def load_state_dict(module, state):
    parameters = dict(module.named_parameters())
    if parameters.keys() != state.keys():
        raise KeyError("names")
    for p, array in zip(parameters.values(), state.values()):
        p.data = array.copy()


@wrong(
    "state_dict",
    "only_the_name_data",
    "The parameters stay as they were: a name, or an entry of a dict, is all that is new. Write into `p.data`.",
)
def load_state_dict(module, state):
    parameters = dict(module.named_parameters())
    if parameters.keys() != state.keys():
        raise KeyError("names")
    for name, p in parameters.items():
        data = p.data
        data = state[name].copy()


@wrong(
    "state_dict",
    "new_parameters",
    "The module has new Parameters now, and whoever holds the old ones, such as an optimizer, has lost it. "
    "Write into `p.data`.",
)
def load_state_dict(module, state):
    if dict(module.named_parameters()).keys() != state.keys():
        raise KeyError("names")
    for name in state:
        setattr(module, name, nn.Parameter(state[name]))


@wrong(
    "state_dict",
    "counts_names",
    "As many names are not the same names: a state with another name is loaded in part. Compare the names themselves.",
)
def load_state_dict(module, state):
    parameters = dict(module.named_parameters())
    if len(parameters) != len(state):
        raise KeyError("names")
    for name, p in parameters.items():
        p.data[...] = state[name]


@wrong(
    "state_dict",
    "order_counts",
    "The right names raise a KeyError here. Is the comparison turned round, or do you compare the order, too? A state is a dict: its names count, not their order; and those of the model, with their dots, are in `named_parameters`.",
)
def load_state_dict(module, state):
    parameters = dict(module.named_parameters())
    if list(parameters) != list(state):
        raise KeyError("names")
    for name, p in parameters.items():
        p.data[...] = state[name]


@wrong(
    "state_dict",
    "loads_before_it_looks",
    "Part of the state is loaded before a name turns out to be wrong. Compare all names first, then load.",
)
def load_state_dict(module, state):
    parameters = dict(module.named_parameters())
    for name, p in parameters.items():
        if name not in state:
            raise KeyError(name)
        p.data[...] = state[name]
    for name in state:
        if name not in parameters:
            raise KeyError(name)


@wrong("state_dict", "value_error", "The names are compared. The error that is wanted is a KeyError.")
def load_state_dict(module, state):
    parameters = dict(module.named_parameters())
    if parameters.keys() != state.keys():
        raise ValueError("names")
    for name, p in parameters.items():
        p.data[...] = state[name]


@wrong("state_dict", "asserts", "The names are compared. The error that is wanted is a KeyError, and an `assert` raises an AssertionError.")
def load_state_dict(module, state):
    parameters = dict(module.named_parameters())
    assert parameters.keys() == state.keys()
    for name, p in parameters.items():
        p.data[...] = state[name]


@wrong("state_dict", "returns_the_error", "Where the names differ nothing is loaded, but no error comes: one that is returned or printed stops nobody. `raise` it.")
def load_state_dict(module, state):
    parameters = dict(module.named_parameters())
    if parameters.keys() != state.keys():
        return KeyError("names")
    for name, p in parameters.items():
        p.data[...] = state[name]


@wrong("state_dict", "by_a_colon", "`p.data[:]` needs an axis, and a parameter may be a single number without one. `p.data[...]` writes into any array.")
def load_state_dict(model, state):
    parameters = dict(model.named_parameters())
    if parameters.keys() != state.keys():
        raise KeyError("the names differ")
    for name, p in parameters.items():
        p.data[:] = state[name]


right(
    "state_dict",
    "by_the_function",
    source="""
def all_of(module):
    return {name: part for name, part in module.named_parameters()}


def state_dict(module):
    return {name: p.data + 0 for name, p in all_of(module).items()}


def load_state_dict(module, state):
    for name in all_of(module).keys() ^ state.keys():
        raise KeyError(name)
    for name, p in all_of(module).items():
        np.copyto(p.data, state[name])
""",
)
right(
    "state_dict",
    "new_arrays",
    source="""
def state_dict(module):
    state = {}
    for name, parameter in module.named_parameters():
        state[name] = np.array(parameter.data)
    return state


def load_state_dict(module, state):
    parameters = dict(module.named_parameters())
    if set(parameters) ^ set(state):
        raise KeyError(set(parameters) ^ set(state))
    for name in state:
        parameters[name].data = state[name].copy()
""",
)
right(
    "state_dict",
    "deep_copy",
    source="""
def state_dict(module):
    import copy

    return copy.deepcopy({name: p.data for name, p in module.named_parameters()})


def load_state_dict(module, state):
    for name, _ in module.named_parameters():
        state[name]
    for name in state:
        dict(module.named_parameters())[name]
    for name, p in module.named_parameters():
        np.copyto(p.data, state[name])
""",
)


@wrong("state_dict", "too_many_ignored", "A name that the model does not have is passed over without an error. The names differ then, too: compare those of both sides.")
def load_state_dict(module, state):
    parameters = dict(module.named_parameters())
    for name in parameters:
        if name not in state:
            raise KeyError(name)
    for name, p in parameters.items():
        p.data[...] = state[name]


@wrong("state_dict", "loads_float64", "Loading makes float64 of a float32 parameter here. Copies have the kind of numbers that the arrays have.")
def load_state_dict(model, state):
    parameters = dict(model.named_parameters())
    if parameters.keys() != state.keys():
        raise KeyError("names")
    for name, p in parameters.items():
        p.data = np.array(state[name], dtype=float)


@wrong("state_dict", "numbered", "The names are numbers here. Each array belongs under its parameter's own name, which `named_parameters` gives with it.")
def state_dict(model):
    return {str(i): p.data.copy() for i, p in enumerate(model.parameters())}


# -- early_stopping ---------------------------------------------------------------------------------------------------

STOPPING = """
class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.waited = patience, 0
        self.best_loss, self.best_state = float("inf"), None

    def update(self, loss, state):
        if loss < self.best_loss:
            self.best_loss, self.waited = loss, 0
            self.best_state = {name: array.copy() for name, array in state.items()}
        else:
            self.waited += 1
        return self.waited >= self.patience
"""
COPIES = "{name: array.copy() for name, array in state.items()}"

wrong(
    "early_stopping",
    "zero_is_none",
    "A best loss of 0.0 counts as none, and the next one replaces it: `not 0.0` is True. Ask `is None`.",
    source=changed(
        STOPPING,
        ('self.best_loss, self.best_state = float("inf"), None', "self.best_loss = self.best_state = None"),
        ("if loss < self.best_loss:", "if np.isfinite(loss) and (not self.best_loss or loss < self.best_loss):"),
    ),
)
wrong(
    "early_stopping",
    "array_of_one_name",
    "The best state is one array here. Keep a dict, with a copy of each array under its name.",
    source=changed(STOPPING, (COPIES, 'state["w"].copy()')),
)
wrong(
    "early_stopping",
    "state_not_copied",
    "The best state changes with the training: you kept the arrays themselves, even if in a new dict. Copy each array.",
    source=changed(STOPPING, (COPIES, "state")),
)
wrong(
    "early_stopping",
    "dict_copied",
    "The best state changes with the training: you kept the arrays themselves, even if in a new dict. Copy each array.",
    source=changed(STOPPING, (COPIES, "dict(state)")),
)
wrong(
    "early_stopping",
    "count_not_reset",
    "The count runs on. It is about epochs in a row: a better one sets it back to 0.",
    source=changed(STOPPING, ("self.best_loss, self.waited = loss, 0", "self.best_loss = loss")),
)
wrong(
    "early_stopping",
    "one_too_late",
    "You stop one epoch too late: with patience 2, the second epoch without a better loss is the last.",
    source=changed(STOPPING, ("self.waited >= self.patience", "self.waited > self.patience")),
)
wrong(
    "early_stopping",
    "equal_is_better",
    "An equal loss counts as better here, so a loss that stands still never stops.",
    source=changed(STOPPING, ("loss < self", "loss <= self")),
)
wrong(
    "early_stopping",
    "equal_does_not_count",
    "An equal loss is not lower, so it is an epoch without a better one. With patience 1 you do not stop after it.",
    source="""
class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.losses = patience, []
        self.best_loss, self.best_state = float("inf"), None

    def update(self, loss, state):
        if loss < self.best_loss:
            self.best_loss = loss
            self.best_state = {name: array.copy() for name, array in state.items()}
        self.losses.append(loss)
        return min(self.losses[-self.patience :]) > self.best_loss
""",
)
wrong(
    "early_stopping",
    "only_worse_counts",
    "An equal loss is not lower, so it is an epoch without a better one. With patience 1 you do not stop after it.",
    source=changed(STOPPING, ("        else:\n", "        elif loss > self.best_loss:\n")),
)
wrong(
    "early_stopping",
    "largest_kept",
    "This keeps the largest loss. Lower is better.",
    source=changed(STOPPING, ("loss < self", "loss > self"), ('float("inf")', 'float("-inf")')),
)
wrong(
    "early_stopping",
    "against_the_last",
    "You compare with the epoch before. Compare with the best of all.",
    source=changed(
        STOPPING,
        ('float("inf"), None', 'float("inf"), None\n        self.last = float("inf")'),
        (
            "        if loss < self.best_loss:",
            "        last, self.last = self.last, loss\n        if loss < last:",
        ),
    ),
)
wrong(
    "early_stopping",
    "count_from_the_last",
    "You count epochs that were worse than the epoch before. Count those that were no better than the best of all.",
    source=changed(
        STOPPING,
        ('float("inf"), None', 'float("inf"), None\n        self.last = float("inf")'),
        ("            self.best_loss, self.waited = loss, 0\n", "            self.best_loss = loss\n"),
        ("        else:\n", "        if loss < self.last:\n            self.waited = 0\n        else:\n"),
        ("        return", "        self.last = loss\n        return"),
    ),
)
for _how, _line in (("never_grows", "pass"), ("stays_at_one", "self.waited = 1")):
    wrong(
        "early_stopping",
        f"count_{_how}",
        "It never stops here: the count does not grow. Each epoch that is no better has to add 1 to it.",
        source=changed(STOPPING, ("self.waited += 1", _line)),
    )
wrong(
    "early_stopping",
    "least_improvement",
    "A loss that is lower by very little is lower, too: no least improvement is asked for.",
    source=changed(STOPPING, ("if loss < self.best_loss:", "if loss < self.best_loss - 1e-4:")),
)
wrong(
    "early_stopping",
    "begins_at_zero",
    "No loss is lower than the one you begin with: begin with one that every loss is below.",
    source=changed(STOPPING, ('float("inf")', "0.0")),
)
wrong(
    "early_stopping",
    "begins_at_a_number",
    "The lowest loss begins at a number, and all losses may be above it: begin at infinity.",
    source=changed(STOPPING, ('float("inf")', "1000.0")),
)
wrong(
    "early_stopping",
    "stops_once",
    "You say stop in one epoch only. No better one has come since, so say it again: `==` is true once, and a count that begins anew waits anew.",
    source=changed(STOPPING, ("self.waited >= self.patience", "self.waited == self.patience")),
)
wrong(
    "early_stopping",
    "none_for_false",
    "`update` returns None where it should return False: what does it return when it is not time to stop?",
    source=changed(
        STOPPING, ("        return self.waited >= self.patience", "        if self.waited >= self.patience:\n            return True")
    ),
)
wrong(
    "early_stopping",
    "last_state",
    "The state of the last epoch is kept. Keep it only when the loss is the lowest.",
    source=changed(
        STOPPING,
        (f"            self.best_state = {COPIES}\n", ""),
        ("        if loss", f"        self.best_state = {COPIES}\n        if loss"),
    ),
)
wrong(
    "early_stopping",
    "nan_is_best",
    "A NaN counts as better here: it is not `>=` the best loss, so a `not` or an `else` lets it in. Ask whether the loss is lower.",
    source=changed(STOPPING, ("if loss < self.best_loss", "if not loss >= self.best_loss")),
)
wrong(
    "early_stopping",
    "first_is_always_best",
    "A first loss of NaN counts as the best, and then no loss is ever lower: nothing is lower than NaN.",
    source=changed(
        STOPPING,
        ('float("inf"), None', "None, None"),
        ("if loss < self.best_loss", "if self.best_loss is None or loss < self.best_loss"),
    ),
)
wrong(
    "early_stopping",
    "shared_by_all_objects",
    "Two objects write into the same dict of the best state, as when it is the class's. Make one in `__init__` for each.",
    source=changed(
        STOPPING,
        ("float(\"inf\"), None", "float(\"inf\"), self.kept"),
        ("class EarlyStopping:\n", "class EarlyStopping:\n    kept = {}\n\n"),
        ("self.best_state = " + COPIES, "self.best_state.update(" + COPIES + ")"),
    ),
)
wrong(
    "early_stopping",
    "best_of_the_class",
    "One object's best loss hides that of another, as when it is the class's. Keep it in `self`.",
    source=changed(
        STOPPING,
        ("self.best_loss, self.best_state = float", "EarlyStopping.best_loss, self.best_state = float"),
        ("self.best_loss, self.waited = loss, 0", "EarlyStopping.best_loss, self.waited = loss, 0"),
    ),
)
right(
    "early_stopping",
    "list_of_losses",
    source="""
import copy


class EarlyStopping:
    def __init__(self, patience):
        self.patience = patience
        self.since = 0
        self.best_loss = None

    def update(self, loss, state):
        better = loss == loss if self.best_loss is None else loss < self.best_loss
        self.since = 0 if better else self.since + 1
        if better:
            self.best_loss, self.best_state = loss, copy.deepcopy(state)
        return self.since == self.patience or self.since > self.patience
""",
)
right(
    "early_stopping",
    "nanargmin",
    source="""
import copy


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.losses, self.states = patience, [np.inf], [{}]

    def update(self, loss, state):
        self.losses.append(loss)
        self.states.append(copy.deepcopy(state))
        best = np.nanargmin(self.losses)
        self.best_loss, self.best_state = self.losses[best], self.states[best]
        return len(self.losses) - 1 - best >= self.patience
""",
)
right(
    "early_stopping",
    "counts_down",
    source=changed(
        STOPPING,
        ("self.patience, self.waited = patience, 0", "self.patience = self.left = patience"),
        ("self.best_loss, self.waited = loss, 0", "self.best_loss, self.left = loss, self.patience"),
        ("self.waited += 1", "self.left -= 1"),
        ("self.waited >= self.patience", "self.left <= 0"),
        ("array.copy()", "np.array(array)"),
    ),
)


for _name, _first in ("a_hundred", "100.0"), ("a_million", "1e6"), ("a_thousand_million", "1e9"):
    wrong(
        "early_stopping",
        f"begins_at_{_name}",
        "The lowest loss begins at a number, and all losses may be above it: begin at infinity.",
        source=changed(STOPPING, ('float("inf")', _first)),
    )


wrong(
    "early_stopping",
    "lower_by_at_least",
    "A loss that is lower by very little does not count here. Lower than all before is enough, by however little.",
    source=changed(STOPPING, ("loss < self.best_loss", "loss < self.best_loss - 1e-3")),
)


wrong(
    "early_stopping",
    "copies_in_the_given_dict",
    "The best state changes with the training where each epoch gives the same dict: that dict itself is kept. Make a dict of your own, with a copy of each array.",
    source=changed(STOPPING, ("self.best_state = " + COPIES, "state.update(" + COPIES + ")\n            self.best_state = state")),
)
wrong(
    "early_stopping",
    "always_float64",
    "The best state holds float64 numbers here, and the arrays are float32. A copy has the same kind of numbers.",
    source=changed(STOPPING, ("array.copy()", "np.array(array, dtype=float)")),
)


wrong(
    "early_stopping",
    "stopped_for_good",
    "Once it has said stop, it says so forever, and notes nothing more. A better loss may come later: keep it, and begin a new count.",
    source=changed(STOPPING, ("        if loss < self", "        if self.waited >= self.patience:\n            return True\n        if loss < self")),
)
wrong(
    "early_stopping",
    "always_says_stop_again",
    "Once it has said stop, it says so forever. A better loss begins a new count, after a stop as well.",
    source=changed(
        STOPPING,
        ('float("inf"), None', 'float("inf"), None\n        self.stopped = False'),
        ("        return self.waited >= self.patience", "        self.stopped = self.stopped or self.waited >= self.patience\n        return self.stopped"),
    ),
)
for _name, _best in ("min", "min(self.losses)"), ("sorted", "sorted(self.losses)[0]"):
    wrong(
        "early_stopping",
        f"{_name}_of_a_list_with_nan",
        "The best loss is NaN where the first loss was: nothing is lower than a NaN, so `min` keeps one that comes first. Leave NaNs out.",
        source=f"""
class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.losses, self.waited = patience, [], 0
        self.best_loss = self.best_state = None

    def update(self, loss, state):
        better = not self.losses or loss < {_best}
        self.losses.append(loss)
        self.best_loss = {_best}
        self.waited = 0 if better else self.waited + 1
        if better:
            self.best_state = {{name: array.copy() for name, array in state.items()}}
        return self.waited >= self.patience
""",
    )


wrong(
    "early_stopping",
    "place_of_the_min_of_a_list_with_nan",
    "The best loss is NaN where the first loss was: nothing is lower than a NaN, so `min` keeps one that comes first. Leave NaNs out.",
    source="""
class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.losses = patience, []
        self.best_state = None

    def update(self, loss, state):
        self.losses.append(loss)
        self.best_loss = min(self.losses)
        if loss == self.best_loss and self.losses.index(loss) == len(self.losses) - 1:
            self.best_state = {n: a.copy() for n, a in state.items()}
        return len(self.losses) - 1 - self.losses.index(self.best_loss) >= self.patience
""",
)


wrong("early_stopping", "nan_is_no_epoch", "An epoch with the loss NaN is not counted here: it brought no lower loss, so it is one of the `patience` epochs.",
      source=changed(STOPPING, ("        if loss <", "        if np.isnan(loss):\n            return False\n        if loss <")))


# -- honest_score ------------------------------------------------------------------------------------------------------


@wrong("honest_score", "test_chooses", "The test part chose the model, alone or with the other part, so its luck is in the score. Let validation choose.")
def honest_score(validation, test):
    return test.max()


@wrong("honest_score", "validation_reported", "This is the accuracy by which you chose: the luckiest of all. Report the test.")
def honest_score(validation, test):
    return validation.max()


@wrong("honest_score", "swapped", "The two are swapped: validation chooses, the test is reported.")
def honest_score(validation, test):
    return validation[test.argmax()]


@wrong("honest_score", "position", "This is the position of the best model. Read the test accuracy there.")
def honest_score(validation, test):
    return validation.argmax()


@wrong("honest_score", "worst", "The worst model was chosen. Accuracies are good when they are large: `argmax`.")
def honest_score(validation, test):
    return test[validation.argmin()]


@wrong("honest_score", "last_model", "The last model is reported, whichever is best in validation.")
def honest_score(validation, test):
    return test[-1]


@wrong("honest_score", "mean_of_all", "This is the mean of all models. One was chosen: report that one.")
def honest_score(validation, test):
    return test.mean()


@wrong("honest_score", "both_together", "The test took part in the choice. Validation alone chooses.")
def honest_score(validation, test):
    return test[(validation + test).argmax()]


@wrong("honest_score", "mean_of_both", "The validation accuracy is part of this number, and it was chosen to be large.")
def honest_score(validation, test):
    best = validation.argmax()
    return (validation[best] + test[best]) / 2


@wrong("honest_score", "last_of_equal", "Where several are best in validation, another than the first is taken here, by its place or by its test accuracy. Take the first.")
def honest_score(validation, test):
    return test[validation.argsort(kind="stable")[-1]]


@wrong("honest_score", "sorted_pairs", "Where several are best in validation, another than the first is taken here, by its place or by its test accuracy. Take the first.")
def honest_score(validation, test):
    pairs = sorted(zip(validation.tolist(), test.tolist()))
    return pairs[-1][1]


@wrong("honest_score", "nearly_as_good", "Models that are nearly as good as the best are taken for as good. The best is the best, by however little.")
def honest_score(validation, test):
    near = np.isclose(validation, validation.max(), atol=1e-3)
    return test[np.flatnonzero(near)[0]]


@right("honest_score", "loop")
def honest_score(validation, test):
    best = 0
    for i in range(len(validation)):
        if validation[i] > validation[best]:
            best = i
    return float(test[best])


@wrong("honest_score", "mean_of_the_best", "Where several are best in validation, this is the mean of their test accuracies. One model is reported: the first of them.")
def honest_score(validation, test):
    return test[validation == validation.max()].mean()


FIRST = "Where several are best in validation, another than the first is taken here, by its place or by its test accuracy. Take the first."


@wrong("honest_score", "largest_pair", FIRST)
def honest_score(validation, test):
    return max(zip(validation.tolist(), test.tolist()))[1]


@wrong("honest_score", "end_of_argsort", FIRST)
def honest_score(validation, test):
    return test[np.argsort(validation)[-1]]


@wrong("honest_score", "best_test_of_equals", FIRST)
def honest_score(validation, test):
    return test[validation == validation.max()].max()


# -- rate_to_use ------------------------------------------------------------------------------------------------------


@wrong("rate_to_use", "nan_wins", "A NaN counts as the lowest loss here: `argmin` takes it so, and `nan_to_num` makes it 0. Leave it out.")
def rate_to_use(rates, losses):
    return rates[np.argmin(losses)] / 10


@wrong("rate_to_use", "the_edge", "This is the best rate of a short run, close to the edge. A tenth of it is asked for.")
def rate_to_use(rates, losses):
    return rates[np.argmin(np.where(np.isfinite(losses), losses, np.inf))]


@wrong("rate_to_use", "ten_times", "Ten times that rate diverges. Divide.")
def rate_to_use(rates, losses):
    return rates[np.argmin(np.where(np.isfinite(losses), losses, np.inf))] * 10


@wrong("rate_to_use", "largest_that_runs", "This comes from the largest rate that did not diverge. Which one has the lowest loss? Take a tenth of that one.")
def rate_to_use(rates, losses):
    return rates[np.isfinite(losses)].max() / 10


@wrong("rate_to_use", "zero_for_nan", "A NaN counts as the lowest loss here: `argmin` takes it so, and `nan_to_num` makes it 0. Leave it out.")
def rate_to_use(rates, losses):
    return rates[np.argmin(np.nan_to_num(losses))] / 10


@wrong("rate_to_use", "position_shifted", "The first rate is chosen, and its loss is NaN. Either positions no longer fit `rates` once NaNs are taken out (filter both), or all others are compared with a NaN, or the search ends at the first one.")
def rate_to_use(rates, losses):
    return rates[np.argmin(losses[np.isfinite(losses)])] / 10


@wrong("rate_to_use", "rates_filtered_alone", "The position does not exist: it was found among all losses, and the rates were filtered. Filter both, or neither.")
def rate_to_use(rates, losses):
    ok = np.isfinite(losses)
    return rates[ok][losses.argmin()] / 10


@wrong("rate_to_use", "loss_returned", "This is the loss. Return a rate.")
def rate_to_use(rates, losses):
    return np.nanmin(losses) / 10


@wrong("rate_to_use", "position", "This is a position. The rate is what `rates` holds there.")
def rate_to_use(rates, losses):
    return np.argmin(np.where(np.isfinite(losses), losses, np.inf))


@wrong("rate_to_use", "tenth_of_a_position", "This is a tenth of a position. The rate is what `rates` holds there.")
def rate_to_use(rates, losses):
    return np.argmin(np.where(np.isfinite(losses), losses, np.inf)) / 10


@wrong("rate_to_use", "one_before", "This is the rate that was tried before the best one. Rates need not lie a factor of 10 apart: divide.")
def rate_to_use(rates, losses):
    return rates[np.argmin(np.where(np.isfinite(losses), losses, np.inf)) - 1]


@wrong("rate_to_use", "nan_as_the_largest", "A NaN counts as the largest loss here. Where one alone is finite, that is the lowest as well: leave NaNs out.")
def rate_to_use(rates, losses):
    return rates[np.argmin(np.nan_to_num(losses, nan=np.nanmax(losses)))] / 10


@wrong("rate_to_use", "hundred_for_nan", "A loss may be larger than the finite number that stands for NaN here, or with which the search begins. Use `np.inf`.")
def rate_to_use(rates, losses):
    losses = np.where(np.isfinite(losses), losses, 100.0)
    return rates[losses.argmin()] / 10


@wrong("rate_to_use", "nearest_to_0", "You take the loss that is nearest to 0. A loss below 0 is lower than that: leave its sign.")
def rate_to_use(rates, losses):
    size = np.where(np.isfinite(losses), np.abs(losses), np.inf)
    return rates[size.argmin()] / 10


@right("rate_to_use", "nanargmin")
def rate_to_use(rates, losses):
    return rates[np.nanargmin(losses)] / 10


@right("rate_to_use", "pairs")
def rate_to_use(rates, losses):
    loss, rate = min((loss, rate) for rate, loss in zip(rates, losses) if np.isfinite(loss))
    return rate / 10


@wrong("rate_to_use", "rates_sorted", "The rates are sorted here, and the losses are not, so that they no longer belong together. Rates come in any order: leave them in it.")
def rate_to_use(rates, losses):
    return np.sort(rates)[np.nanargmin(losses)] / 10


@wrong("rate_to_use", "stops_at_the_first_bad", "The search ends at the first NaN or `inf` here, and finds nothing where that comes first. What is bad is left out, wherever it stands.")
def rate_to_use(rates, losses):
    good = []
    for loss in losses:
        if not np.isfinite(loss):
            break
        good.append(loss)
    return rates[np.argmin(good)] / 10


@right("rate_to_use", "sorted_by_loss")
def rate_to_use(rates, losses):
    order = np.argsort(losses)  # NaN and inf come last
    return rates[order[0]] / 10


# -- mended_run -------------------------------------------------------------------------------------------------------

RUN = """
def mended_run(model, optimizer, loss_fn, x, y, held_x, epochs, size, rng):
    mean, std = x.mean(axis=0), x.std(axis=0)
    std = np.where(x.max(axis=0) == x.min(axis=0), 1.0, std)
    x, held_x = (x - mean) / std, (held_x - mean) / std
    model.train()
    for _ in range(epochs):
        order = rng.permutation(len(x))
        for start in range(0, len(x), size):
            part = order[start : start + size]
            optimizer.zero_grad()
            loss_fn(model(x[part]), y[part]).backward()
            optimizer.step()
    model.eval()
    with no_grad():
        return model(held_x).data
"""

wrong(
    "mended_run",
    "runs_again",
    "The model runs once more than it is asked to: once for each batch, and once for the held-out inputs, at the end.",
    source=changed(RUN, ("        return model(held_x).data", "        out = model(held_x).data\n        model(x)\n        return out")),
)
wrong(
    "mended_run",
    "leak",
    "The held-out rows are still part of the mean and the deviation.",
    source=changed(
        RUN,
        (
            "x.mean(axis=0), x.std(axis=0)",
            "np.concatenate([x, held_x]).mean(axis=0), np.concatenate([x, held_x]).std(axis=0)",
        ),
    ),
)
wrong(
    "mended_run",
    "scaled_apart",
    "The held-out part is scaled with its own numbers now. Use those of the training part.",
    source=changed(
        RUN, ("(held_x - mean) / std", "(held_x - held_x.mean(axis=0)) / held_x.std(axis=0).clip(1e-8)")
    ),
)
wrong(
    "mended_run",
    "labels_apart",
    "x and y are still shuffled apart: draw one order for both.",
    source=changed(
        RUN,
        ("        order = rng.permutation(len(x))\n", "        x, y = x[rng.permutation(len(x))], y[rng.permutation(len(y))]\n"),
        ("part = order[start : start + size]", "part = slice(start, start + size)"),
    ),
)
wrong(
    "mended_run",
    "labels_not_shuffled",
    "One of the two is shuffled now, inputs or labels, and the other is not: they still do not fit.",
    source=changed(RUN, ("y[part])", "y[start : start + size])")),
)
wrong(
    "mended_run",
    "no_zero_grad",
    "Gradients still add up from step to step: clear them before each one.",
    source=changed(RUN, ("            optimizer.zero_grad()\n", "")),
)
wrong(
    "mended_run",
    "zeroed_once_an_epoch",
    "Gradients still add up from step to step: clear them before each one.",
    source=changed(
        RUN,
        ("            optimizer.zero_grad()\n", ""),
        ("        order = rng", "        optimizer.zero_grad()\n        order = rng"),
    ),
)
wrong(
    "mended_run",
    "training_mode",
    "The held-out data are still read in training mode.",
    source=changed(RUN, ("    model.eval()\n", "")),
)
wrong(
    "mended_run",
    "no_mode",
    "The batches are read in evaluation mode, without dropout: the model may come in it. Set the mode that each part needs.",
    source=changed(RUN, ("    model.train()\n", ""), ("    model.eval()\n", "")),
)
wrong(
    "mended_run",
    "no_training_mode",
    "The batches are read in evaluation mode, without dropout: the model may come in it. Set the mode that each part needs.",
    source=changed(RUN, ("    model.train()\n", "")),
)
wrong(
    "mended_run",
    "as_it_was",
    "This does what the colleague's function does. Hold each line that `watch` prints against the table.",
    source="""
def mended_run(model, optimizer, loss_fn, x, y, held_x, epochs, size, rng):
    return colleague_run(model, optimizer, loss_fn, x, y, held_x, epochs, size, rng)
""",
)
wrong(
    "mended_run",
    "held_not_scaled",
    "The held-out data are not scaled, so the model sees them in other units.",
    source=changed(RUN, ("x, held_x = (x - mean) / std, (held_x - mean) / std", "x = (x - mean) / std")),
)
wrong(
    "mended_run",
    "not_shuffled",
    "The batches come in the order of the data: draw an order with `rng`.",
    source=changed(RUN, ("rng.permutation(len(x))", "np.arange(len(x))")),
)
wrong(
    "mended_run",
    "own_generator",
    "The order comes from a generator of your own. Draw it from the `rng` that you are given.",
    source=changed(RUN, ("rng.permutation(len(x))", "np.random.default_rng(3).permutation(len(x))")),
)
wrong(
    "mended_run",
    "own_generator_0",
    "The order comes from a generator of your own. Draw it from the `rng` that you are given.",
    source=changed(RUN, ("rng.permutation(len(x))", "np.random.default_rng(0).permutation(len(x))")),
)
wrong(
    "mended_run",
    "last_dropped",
    "The smaller batch at the end is dropped, and its examples with it.",
    source=changed(RUN, ("range(0, len(x), size)", "range(0, len(x) - size + 1, size)")),
)
wrong(
    "mended_run",
    "tensor_returned",
    "This returns a Tensor. Return the array in it, as the colleague does.",
    source=changed(RUN, ("model(held_x).data", "model(held_x)")),
)
wrong(
    "mended_run",
    "one_order_for_all",
    "All epochs have the same order: draw it inside the loop over the epochs.",
    source=changed(
        RUN,
        ("        order = rng.permutation(len(x))\n", ""),
        ("    for _ in", "    order = rng.permutation(len(x))\n    for _ in"),
    ),
)
wrong(
    "mended_run",
    "graph_recorded",
    "A graph is recorded for the held-out data, which nobody needs: keep the `no_grad`.",
    source=changed(RUN, ("    with no_grad():\n        return", "    return")),
)
wrong(
    "mended_run",
    "constant_column",
    "A constant column has the deviation 0, and 0 / 0 is NaN: keep the line that puts a 1 in its place.",
    source=changed(RUN, ("    std = np.where(x.max(axis=0) == x.min(axis=0), 1.0, std)\n", "")),
)
wrong(
    "mended_run",
    "scaled_in_place",
    "The caller's arrays are written into, as `-=` and `/=` do it: whoever uses them afterwards finds other numbers. Make new ones.",
    source=changed(
        RUN,
        (
            "    x, held_x = (x - mean) / std, (held_x - mean) / std\n",
            "    for part in (x, held_x):\n        part -= mean\n        part /= std\n",
        ),
    ),
)
wrong(
    "mended_run",
    "deviation_compared_with_zero",
    "Rounding may make 1e-17 of a deviation of 0. Ask the largest and the smallest number, as the colleague does.",
    source=changed(RUN, ("np.where(x.max(axis=0) == x.min(axis=0), 1.0, std)", "np.where(std == 0, 1.0, std)")),
)
wrong(
    "mended_run",
    "first_and_last",
    "A column that ends as it begins is divided by 1 here. It is constant only where its largest number is its smallest.",
    source=changed(RUN, ("x.max(axis=0) == x.min(axis=0)", "x[0] == x[-1]")),
)
wrong(
    "mended_run",
    "train_once",
    "From the second epoch on, the batches are read in evaluation mode, as where `eval()` stands in the loop over the epochs and `train()` before it. Each epoch trains.",
    source=changed(RUN, ("    model.eval()\n", "        model.eval()\n")),
)
right(
    "mended_run",
    "one_order_for_both",
    source=changed(
        RUN,
        (
            "        order = rng.permutation(len(x))\n",
            "        order = rng.permutation(len(x))\n        x, y = x[order], y[order]\n",
        ),
        ("part = order[start : start + size]", "part = slice(start, start + size)"),
    ),
)
right(
    "mended_run",
    "zeroed_after",
    source=changed(
        RUN,
        ("            optimizer.zero_grad()\n", ""),
        ("            optimizer.step()\n", "            optimizer.step()\n            optimizer.zero_grad()\n"),
        ("    model.train()\n", ""),
        ("        order =", "        model.train()\n        order ="),
    ),
)


wrong(
    "mended_run",
    "no_batch_larger_than_the_data",
    "Where `size` is larger than the data, nothing is trained here. There is a single batch then, of all examples.",
    source=changed(RUN, ("range(0, len(x), size)", "range(0, len(x) if size <= len(x) else 0, size)")),
)
wrong(
    "mended_run",
    "against_the_mean",
    "A constant column of zeros is divided by 0 here, as where its deviation is compared with its mean: 0 is not below 0. Ask the largest and the smallest number, as the colleague does.",
    source=changed(RUN, ("np.where(x.max(axis=0) == x.min(axis=0), 1.0, std)", "np.where(std < 1e-12 * np.abs(mean), 1.0, std)")),
)
wrong(
    "mended_run",
    "n_minus_one",
    "The held-out 17 becomes 1.732 here and not 2, as when the deviation divides by n - 1 (`ddof=1`). The standard deviation of these n numbers divides by n.",
    source=changed(RUN, ("x.std(axis=0)", "x.std(axis=0, ddof=1)")),
)
wrong(
    "mended_run",
    "first_epoch_only",
    "Only the first epoch is trained, as with `range(1)`, or with the last lines inside the loop over the epochs. Train as many as are asked for.",
    source=changed(RUN, ("range(epochs)", "range(1)")),
)
wrong(
    "mended_run",
    "return_in_the_loop",
    "Only the first epoch is trained, as with `range(1)`, or with the last lines inside the loop over the epochs. Train as many as are asked for.",
    source=changed(RUN, ("    model.eval()\n    with no_grad():\n        return", "        model.eval()\n        with no_grad():\n            return")),
)
wrong(
    "mended_run",
    "one_for_all_columns",
    "All columns share one mean and one deviation here. Each has its own: axis 0.",
    source=changed(RUN, ("x.mean(axis=0), x.std(axis=0)", "x.mean(), x.std()")),
)
wrong(
    "mended_run",
    "never_below_1",
    "A column with a deviation below 1 is not scaled here, as with `np.maximum(std, 1)`. Only a constant column is divided by 1.",
    source=changed(RUN, ("np.where(x.max(axis=0) == x.min(axis=0), 1.0, std)", "np.maximum(std, 1.0)")),
)
wrong(
    "mended_run",
    "held_in_place",
    "The caller's arrays are written into, as `-=` and `/=` do it: whoever uses them afterwards finds other numbers. Make new ones.",
    source=changed(
        RUN,
        (
            "    x, held_x = (x - mean) / std, (held_x - mean) / std\n",
            "    x = (x - mean) / std\n    held_x -= mean\n    held_x /= std\n",
        ),
    ),
)
wrong(
    "mended_run",
    "one_for_all_columns_no_ones",
    "All columns share one mean and one deviation here. Each has its own: axis 0.",
    source=changed(
        RUN,
        ("x.mean(axis=0), x.std(axis=0)", "x.mean(), x.std()"),
        ("    std = np.where(x.max(axis=0) == x.min(axis=0), 1.0, std)\n", ""),
    ),
)
