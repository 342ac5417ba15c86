"""The papers that a unit names: each row says a year, and the address of the paper has to say the same one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from . import notebook, proves, sentences_of, units

#: The years of volumes, by which journals and proceedings name their pages.
VOLUMES = {
    "proceedings.mlr.press/v9/": 2010,
    "jmlr.org/papers/v15/": 2014,
    "doi.org/10.1145/347837.": 2000,  # ACM Transactions on Mathematical Software 26
}

#: Where an address tells the year, and how.
YEARS: tuple[tuple[str, Callable[[re.Match[str]], int]], ...] = (
    (r"arxiv\.org/abs/(\d\d)\d\d\.\d{4,5}$", lambda m: 2000 + int(m[1])),
    (r"/lecun-(\d\d)\w?\.pdf$", lambda m: 1900 + int(m[1])),
    (
        r"((?:proceedings\.mlr\.press|jmlr\.org/papers)/v\d+/|doi\.org/10\.1145/\d+\.)",
        lambda m: VOLUMES[m[1]],
    ),
    (
        r"doi\.org/10\.1080/\d{7}(\d\d)\d{8}$",
        lambda m: 1900 + int(m[1]),
    ),  # of the journal, the year, of the paper
    (r"doi\.org/.*?[./(]((?:19|20)\d\d)\b", lambda m: int(m[1])),
)


def papers(unit: str) -> list[tuple[int, str]]:
    """The year and the address of each row of a unit's table of papers."""
    rows = [
        row
        for cell in notebook(unit).cells
        if cell.cell_type == "markdown"
        for row in sentences_of(cell.source)
        if re.match(r"\| (19|20)\d\d \|", row)
    ]
    return [(int(row[2:6]), address) for row in rows for address in re.findall(r"\]\((\S+?)\)", row)]


def year_of(address: str) -> int:
    """The year in an address of a paper. Raises LookupError where nothing says how to read it."""
    for pattern, year in YEARS:
        if found := re.search(pattern, address):
            return year(found)
    raise LookupError(f"say in YEARS how {address} tells its year")


@pytest.mark.parametrize("unit", [unit for unit in units() if papers(unit)])
def test_the_year_of_a_paper_is_that_of_its_address(unit: str) -> None:
    assert [(year, address) for year, address in papers(unit) if year_of(address) != year] == []


@proves(
    "08_layers",
    "| 1998 | Yann LeCun and others | [Efficient BackProp](http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf): "
    "variance 1/n |",
    "| 2010 | Xavier Glorot, Yoshua Bengio | [both fans](https://proceedings.mlr.press/v9/glorot10a.html), by plots "
    "like yours |",
    "| 2014 | Nitish Srivastava and others | [Dropout](https://jmlr.org/papers/v15/srivastava14a.html) |",
    "| 2015 | Kaiming He and others | [2/n for relu](https://arxiv.org/abs/1502.01852); 30 layers that Xavier's start "
    "could not train |",
    "| 2016 | Jimmy Lei Ba and others | [LayerNorm](https://arxiv.org/abs/1607.06450) |",
    "Read He's section 2.2 first: it is your section 4, in two pages.",
)
def test_the_papers_of_the_layers_are_in_the_order_of_their_years() -> None:
    years = [year for year, _ in papers("08_layers")]
    assert years == sorted(years) and len(set(years)) == 5


def test_thirty_layers_of_xavier_s_start_shrink_and_those_of_he_s_do_not(solved: Any) -> None:
    import numpy as np

    names, ends = solved("08_layers"), []
    for start in (names["xavier_uniform"], names["he_normal"]):
        rng = np.random.default_rng(0)
        weights = [start(200, 200, rng) for _ in range(30)]
        relu = lambda x: np.maximum(x, 0.0)  # noqa: E731
        ends.append(names["layer_stds"](rng.normal(size=(100, 200)), weights, relu)[-1])
    assert ends[0] < 1e-4 and 0.1 < ends[1] < 10


def test_an_address_that_does_not_tell_its_year_is_named() -> None:
    with pytest.raises(LookupError, match="somewhere"):
        year_of("https://somewhere.org/paper")
    assert year_of("https://arxiv.org/abs/1412.6980") == 2014
