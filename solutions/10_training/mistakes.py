"""Wrong answers that students write, each with the sentence a tutor would say, and other right ones.

They prove the checks (`autograder prove 10_training`) and they diagnose: a student's answer that behaves like one of
these gets its sentence. Each exercise has its own section, in the order of the notebook. The names that the functions
use (np, Tensor, no_grad) are the notebook's.
"""

# ruff: noqa: F811, F821, E731
# mypy: ignore-errors

from autograder.bank import right, wrong


def changed(source, *pairs):
    """A source with some of its lines replaced."""
    for old, new in pairs:
        assert old in source, old
        source = source.replace(old, new)
    return source


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


@wrong("batches", "empty_at_the_end", "When `size` divides n, an empty batch comes last.")
def batches(n, size, rng):
    order = rng.permutation(n)
    return [order[i * size : (i + 1) * size] for i in range(n // size + 1)]


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
    "Gradients add up: each step still has those of all steps before. Clear them first.",
    source=changed(EPOCH, ("        optimizer.zero_grad()\n", "")),
)
wrong(
    "train_epoch",
    "zeroed_once",
    "You clear the gradients once in an epoch. Each batch needs it.",
    source=changed(
        EPOCH, ("        optimizer.zero_grad()\n", ""), ("    for part", "    optimizer.zero_grad()\n    for part")
    ),
)
wrong(
    "train_epoch",
    "zeroed_too_late",
    "You clear the gradients between `backward` and `step`, so the step finds none.",
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
    "The weights do not change: gradients alone do nothing, the optimizer has to step.",
    source=changed(EPOCH, ("        optimizer.step()\n", "")),
)
wrong(
    "train_epoch",
    "mode_not_set",
    "The model may come in evaluation mode. Set training mode, or dropout does nothing.",
    source=changed(EPOCH, ("    model.train()\n", "")),
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

# -- accuracy ---------------------------------------------------------------------------------------------------------


@wrong("accuracy", "count", "This is the number of right answers. Divide it by the number of examples.")
def accuracy(logits, labels):
    return (logits.argmax(axis=1) == labels).sum()


@wrong("accuracy", "wrong_axis", "Axis 0 runs over the examples. The classes lie along axis 1.")
def accuracy(logits, labels):
    best = logits.argmax(axis=0)
    return sum(best[label] == i for i, label in enumerate(labels)) / len(labels)


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


@right("accuracy", "loop")
def accuracy(logits, labels):
    right = [int(np.argmax(row)) == label for row, label in zip(logits, labels)]
    return sum(right) / len(right)


@right("accuracy", "by_the_label_s_logit")
def accuracy(logits, labels):
    own = logits[np.arange(len(labels)), labels]
    return float(np.mean(own == logits.max(axis=1)))


# -- split ------------------------------------------------------------------------------------------------------------


@wrong("split", "not_shuffled", "The first examples are always for training. Files are often sorted: draw an order.")
def split(n, share, rng):
    cut = round(share * n)
    return np.arange(cut), np.arange(cut, n)


@wrong("split", "two_orders", "Two orders were drawn, so some examples are in both parts: a leak.")
def split(n, share, rng):
    cut = round(share * n)
    return rng.permutation(n)[:cut], rng.permutation(n)[cut:]


@wrong("split", "swapped", "The parts are swapped: `share` is the part for training, and it comes first.")
def split(n, share, rng):
    order, cut = rng.permutation(n), round(share * n)
    return order[cut:], order[:cut]


@wrong("split", "share_held_out", "`share` is the part for training. Here it is held out.")
def split(n, share, rng):
    order, cut = rng.permutation(n), round((1 - share) * n)
    return order[:cut], order[cut:]


@wrong("split", "cut_off", "`int` cuts 4.9 off to 4. Round.")
def split(n, share, rng):
    order, cut = rng.permutation(n), int(share * n)
    return order[:cut], order[cut:]


@wrong("split", "whole_order", "The first part holds all examples, the held-out ones as well.")
def split(n, share, rng):
    order, cut = rng.permutation(n), round(share * n)
    return order, order[cut:]


@right("split", "np_split")
def split(n, share, rng):
    train, held = np.split(rng.permutation(n), [round(share * n)])
    return train, held


@right("split", "lists")
def split(n, share, rng):
    order = list(rng.permutation(n))
    cut = round(share * n)
    return np.array(order[:cut]), np.array(order[cut:])


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


@wrong("standardise", "in_place", "The numbers are right, and they were written into the caller's arrays.")
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0)
    std = np.where(std == 0, 1.0, std)
    for part in (train, held):
        part -= mean
        part /= std
    return train, held


@wrong("standardise", "tiny_added", "With a tiny number added, a constant column becomes huge in held-out data.")
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0) + 1e-8
    return (train - mean) / std, (held - mean) / std


@right("standardise", "zeros_replaced")
def standardise(train, held):
    mean, std = train.mean(axis=0), train.std(axis=0)
    std[std == 0] = 1
    return tuple((part - mean) / std for part in (train, held))


@right("standardise", "columns")
def standardise(train, held):
    train, held = train.copy(), held.copy()
    for j in range(train.shape[1]):
        mean, std = train[:, j].mean(), train[:, j].std() or 1.0
        train[:, j], held[:, j] = (train[:, j] - mean) / std, (held[:, j] - mean) / std
    return train, held


# -- evaluate ---------------------------------------------------------------------------------------------------------


@wrong("evaluate", "training_mode", "Dropout was on while you measured: set evaluation mode first.")
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


@wrong("evaluate", "graph_recorded", "A graph was recorded that nobody needs: `no_grad` saves its memory.")
def evaluate(model, metric, x, y):
    before = model.training
    model.eval()
    out = model(x).data
    model.train(before)
    return float(metric(out, y))


@wrong("evaluate", "one_flag", "`model.training = False` does not reach the layers inside. `eval` does.")
def evaluate(model, metric, x, y):
    before, model.training = model.training, False
    with no_grad():
        out = model(x).data
    model.training = before
    return float(metric(out, y))


@wrong("evaluate", "swapped", "The metric takes the outputs first, then y.")
def evaluate(model, metric, x, y):
    before = model.training
    model.eval()
    with no_grad():
        model(x)
    model.train(before)
    return float(metric(y, y))


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
    "state_not_copied",
    "The best state changes with the training: you kept the arrays themselves. Copy them.",
    source=changed(STOPPING, (COPIES, "state")),
)
wrong(
    "early_stopping",
    "dict_copied",
    "`dict(state)` is a new dict with the same arrays in it. Copy each array.",
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
    "A NaN counts as better here: `not loss >= best` is true for it.",
    source=changed(STOPPING, ("if loss < self.best_loss", "if not loss >= self.best_loss")),
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

# -- confusion --------------------------------------------------------------------------------------------------------


@wrong(
    "confusion",
    "repeats_lost",
    "A pair that occurs several times was counted once: `+=` with lists of positions writes each place once.",
)
def confusion(labels, answers, k):
    counts = np.zeros((k, k), dtype=int)
    counts[labels, answers] += 1
    return counts


@wrong("confusion", "transposed", "Rows and columns are swapped: a row belongs to a label.")
def confusion(labels, answers, k):
    counts = np.zeros((k, k), dtype=int)
    np.add.at(counts, (answers, labels), 1)
    return counts


@wrong("confusion", "shares", "These are shares of each row. Counts are asked for.")
def confusion(labels, answers, k):
    counts = np.zeros((k, k))
    np.add.at(counts, (labels, answers), 1)
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


@wrong("confusion", "errors_only", "The diagonal is empty: right answers are counted as well.")
def confusion(labels, answers, k):
    counts = np.zeros((k, k), dtype=int)
    for label, answer in zip(labels, answers):
        if label != answer:
            counts[label, answer] += 1
    return counts


@wrong("confusion", "k_ignored", "The size is taken from the data. A class that does not occur still has its row.")
def confusion(labels, answers, k):
    size = max(max(labels), max(answers)) + 1
    counts = np.zeros((size, size), dtype=int)
    np.add.at(counts, (labels, answers), 1)
    return counts


@wrong("confusion", "symmetric", "Each pair was counted in both directions.")
def confusion(labels, answers, k):
    counts = np.zeros((k, k), dtype=int)
    np.add.at(counts, (labels, answers), 1)
    return counts + counts.T


@right("confusion", "loop")
def confusion(labels, answers, k):
    counts = np.zeros((k, k), dtype=int)
    for label, answer in zip(labels, answers):
        counts[label, answer] += 1
    return counts


@right("confusion", "one_hot_product")
def confusion(labels, answers, k):
    return np.eye(k)[labels].T @ np.eye(k)[answers]


@right("confusion", "bincount")
def confusion(labels, answers, k):
    return np.bincount(k * labels + answers, minlength=k * k).reshape(k, k)


# -- rate_to_use ------------------------------------------------------------------------------------------------------


@wrong("rate_to_use", "nan_wins", "`np.argmin` takes a NaN for the smallest of all. Leave out what is not finite.")
def rate_to_use(rates, losses):
    return rates[np.argmin(losses)] / 10


@wrong("rate_to_use", "the_edge", "This is the best rate of a short run, close to the edge. A tenth of it is asked for.")
def rate_to_use(rates, losses):
    return rates[np.argmin(np.where(np.isfinite(losses), losses, np.inf))]


@wrong("rate_to_use", "ten_times", "Ten times that rate diverges. Divide.")
def rate_to_use(rates, losses):
    return rates[np.argmin(np.where(np.isfinite(losses), losses, np.inf))] * 10


@wrong("rate_to_use", "largest_that_runs", "This is the largest rate that did not diverge. Which one learned most?")
def rate_to_use(rates, losses):
    return rates[np.isfinite(losses)].max() / 10


@wrong("rate_to_use", "zero_for_nan", "A NaN became 0, the lowest loss of all.")
def rate_to_use(rates, losses):
    return rates[np.argmin(np.nan_to_num(losses))] / 10


@wrong("rate_to_use", "position_shifted", "After the NaNs are taken out, positions no longer fit `rates`. Filter both.")
def rate_to_use(rates, losses):
    return rates[np.argmin(losses[np.isfinite(losses)])] / 10


@wrong("rate_to_use", "loss_returned", "This is the loss. Return a rate.")
def rate_to_use(rates, losses):
    return np.nanmin(losses) / 10


@right("rate_to_use", "nanargmin")
def rate_to_use(rates, losses):
    return rates[np.nanargmin(losses)] / 10


@right("rate_to_use", "pairs")
def rate_to_use(rates, losses):
    loss, rate = min((loss, rate) for rate, loss in zip(rates, losses) if np.isfinite(loss))
    return rate / 10


# -- mended_distance --------------------------------------------------------------------------------------------------


@wrong("mended_distance", "as_it_was", "At equal rows the root still has an infinite slope: what is under it has to change, and not what comes after.")
def mended_distance(a, b):
    return ((a - b) ** 2).sum(axis=1).sqrt().mean()


@wrong("mended_distance", "after_the_root", "You add after the root, whose slope is still infinite at 0. Add under it.")
def mended_distance(a, b):
    return (((a - b) ** 2).sum(axis=1).sqrt() + 1e-12).mean()


@wrong("mended_distance", "too_large", "The number under the root is too large: it changes short distances.")
def mended_distance(a, b):
    return (((a - b) ** 2).sum(axis=1) + 1e-6).sqrt().mean()


@wrong("mended_distance", "no_root", "Without the root this is the mean squared distance: another loss.")
def mended_distance(a, b):
    return (((a - b) ** 2).sum(axis=1) + 1e-12).mean()


@wrong("mended_distance", "sum_of_sizes", "The sum of absolute differences is another distance than the root.")
def mended_distance(a, b):
    return (a - b).abs().sum(axis=1).mean()


@wrong("mended_distance", "added_to_each", "The number was added in each column. Add it once, to the sum.")
def mended_distance(a, b):
    return ((a - b) ** 2 + 1e-12).sum(axis=1).sqrt().mean()


@wrong("mended_distance", "one_root", "One root for all rows together. Each row has its distance.")
def mended_distance(a, b):
    return (((a - b) ** 2).sum() + 1e-12).sqrt()


@wrong("mended_distance", "sum", "This is the sum of the distances, not their mean.")
def mended_distance(a, b):
    return (((a - b) ** 2).sum(axis=1) + 1e-12).sqrt().sum()


@right("mended_distance", "power")
def mended_distance(a, b):
    d = b - a
    return ((d * d).sum(axis=1) + 1e-12) ** 0.5 @ np.full(len(a.data), 1 / len(a.data))


@right("mended_distance", "in_steps")
def mended_distance(a, b):
    difference = a - b
    squares = (difference * difference).sum(axis=-1) + 1e-12
    return squares.sqrt().sum() / len(difference.data)


# -- mended_run -------------------------------------------------------------------------------------------------------

RUN = """
def mended_run(model, optimizer, loss_fn, x, y, held_x, epochs, size, rng):
    mean, std = x.mean(axis=0), x.std(axis=0) + 1e-8
    x, held_x = (x - mean) / std, (held_x - mean) / std
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
    "leak",
    "The held-out rows are still part of the mean and the deviation.",
    source=changed(
        RUN,
        (
            "x.mean(axis=0), x.std(axis=0) + 1e-8",
            "np.concatenate([x, held_x]).mean(axis=0), np.concatenate([x, held_x]).std(axis=0) + 1e-8",
        ),
    ),
)
wrong(
    "mended_run",
    "scaled_apart",
    "The held-out part is scaled with its own numbers now. Use those of the training part.",
    source=changed(
        RUN, ("(held_x - mean) / std", "(held_x - held_x.mean(axis=0)) / (held_x.std(axis=0) + 1e-8)")
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
    "The inputs are shuffled now, and the labels are not: they still do not fit.",
    source=changed(RUN, ("y[part])", "y[start : start + size])")),
)
wrong(
    "mended_run",
    "no_zero_grad",
    "Gradients still add up from step to step.",
    source=changed(RUN, ("            optimizer.zero_grad()\n", "")),
)
wrong(
    "mended_run",
    "zeroed_once_an_epoch",
    "The gradients are cleared once in an epoch, and there are several steps in it.",
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
    "eval_too_early",
    "Evaluation mode is set before the training, which then runs without dropout.",
    source=changed(RUN, ("    model.eval()\n", ""), ("    mean, std", "    model.eval()\n    mean, std")),
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
        ("    mean, std", "    model.train()\n    mean, std"),
    ),
)
right(
    "mended_run",
    "zeroed_after",
    source=changed(
        RUN,
        ("            optimizer.zero_grad()\n", ""),
        ("            optimizer.step()\n", "            optimizer.step()\n            optimizer.zero_grad()\n"),
        ("x.std(axis=0) + 1e-8", "np.maximum(x.std(axis=0), 1e-8)"),
    ),
)
