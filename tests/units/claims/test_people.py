"""Who found what, and when: the sentences of the notebooks against the sources themselves, looked up by their DOIs."""

from __future__ import annotations

import re

import pytest

from . import PROVED, flat, proves

#: What a source says of itself: its authors, its year, its title, and its DOI or who published it.
SOURCES = {
    "Legendre 1805": (
        ("Adrien-Marie Legendre",),
        1805,
        "Nouvelles méthodes pour la détermination des orbites des comètes. Firmin Didot",
        "",
    ),
    "Cauchy 1847": (
        ("Augustin-Louis Cauchy",),
        1847,
        "Méthode générale pour la résolution des systèmes d'équations simultanées. Comptes rendus 25, 536-538",
        "",
    ),
    "Thomson 1872": (
        ("William Thomson",),
        1872,
        "The tide gauge, tidal harmonic analyser, and tide predicter (of 1872). Minutes of the Proceedings of the "
        "Institution of Civil Engineers 65",
        "",
    ),
    "Wengert 1964": (
        ("Robert Wengert",),
        1964,
        "A simple automatic derivative evaluation program. Communications of the ACM 7, 463-464",
        "10.1145/355586.364791",
    ),
    "Robbins 1951": (
        ("Robbins", "Monro"),
        1951,
        "A stochastic approximation method. Annals of Mathematical Statistics 22, 400-407",
        "10.1214/aoms/1177729586",
    ),
    "Rosenblatt 1958": (
        ("Rosenblatt",),
        1958,
        "The perceptron: a probabilistic model for information storage and organization in the brain. "
        "Psychological Review 65, 386-408",
        "10.1037/h0042519",
    ),
    "Minsky 1969": (
        ("Minsky", "Papert"),
        1969,
        "Perceptrons. An introduction to computational geometry",
        "",
    ),
    "Linnainmaa 1976": (
        ("Seppo Linnainmaa",),
        1976,
        "Taylor expansion of the accumulated rounding error. BIT 16, 146-160",
        "10.1007/BF01931367",
    ),
    "Giles 2008": (
        ("Mike Giles",),
        2008,
        "Collected matrix derivative results for forward and reverse mode algorithmic differentiation. Advances in "
        "Automatic Differentiation, 35-44",
        "10.1007/978-3-540-68942-3_4",
    ),
    "Szegedy 2013": (
        ("Christian Szegedy and others",),
        2013,
        "Intriguing properties of neural networks",
        "10.48550/arXiv.1312.6199",
    ),
    "Goodfellow 2014": (
        ("Ian Goodfellow", "Jonathon Shlens", "Christian Szegedy"),
        2014,
        "Explaining and harnessing adversarial examples",
        "10.48550/arXiv.1412.6572",
    ),
    "Polyak 1964": (
        ("Boris Polyak",),
        1964,
        "Some methods of speeding up the convergence of iteration methods. USSR Computational Mathematics and "
        "Mathematical Physics 4, 1-17",
        "10.1016/0041-5553%2864%2990137-5",
    ),
    "Kingma 2014": (
        ("Diederik Kingma", "Jimmy Ba"),
        2014,
        "Adam: a method for stochastic optimization",
        "10.48550/arXiv.1412.6980",
    ),
    "Loshchilov 2017": (
        ("Ilya Loshchilov", "Frank Hutter"),
        2017,
        "Decoupled weight decay regularization",
        "10.48550/arXiv.1711.05101",
    ),
    "Rumelhart 1986": (
        ("Rumelhart", "Hinton", "Williams"),
        1986,
        "Learning representations by back-propagating errors. Nature 323, 533-536",
        "10.1038/323533a0",
    ),
}

#: (unit, sentence, source)
TOLD = [
    (
        "17_from_an_empty_page",
        "- Robert Wengert, [1964](https://doi.org/10.1145/355586.364791): derivatives of a program, operation "
        "by operation.",
        "Wengert 1964",
    ),
    (
        "01_derivatives",
        "- Adrien-Marie Legendre, 1805: the best curve has the least squares.",
        "Legendre 1805",
    ),
    (
        "01_derivatives",
        "- Augustin-Louis Cauchy, 1847: downhill against the gradient.",
        "Cauchy 1847",
    ),
    (
        "01_derivatives",
        "- William Thomson, 1872: a machine that adds waves up and draws the tides to come.",
        "Thomson 1872",
    ),
    (
        "02_forward_mode",
        "- Robert Wengert, [1964](https://doi.org/10.1145/355586.364791): derivatives carried through a program, in "
        "two pages.",
        "Wengert 1964",
    ),
    (
        "03_reverse_mode",
        "- Seppo Linnainmaa, [1976](https://doi.org/10.1007/BF01931367): one pass back gives all derivatives, here of "
        "a rounding error.",
        "Linnainmaa 1976",
    ),
    (
        "04_scalar_networks",
        "- Herbert Robbins and Sutton Monro, [1951](https://doi.org/10.1214/aoms/1177729586): downhill by noisy "
        "slopes.",
        "Robbins 1951",
    ),
    (
        "04_scalar_networks",
        "- Frank Rosenblatt, [1958](https://doi.org/10.1037/h0042519): the perceptron, one layer that learns.",
        "Rosenblatt 1958",
    ),
    (
        "04_scalar_networks",
        "- Marvin Minsky and Seymour Papert, *Perceptrons*, 1969: what it cannot do, such as parity (of two inputs: "
        "XOR).",
        "Minsky 1969",
    ),
    (
        "04_scalar_networks",
        "- David Rumelhart, Geoffrey Hinton and Ronald Williams, [1986](https://doi.org/10.1038/323533a0): hidden "
        "layers, trained by backpropagation, in four pages.",
        "Rumelhart 1986",
    ),
    (
        "06_shapes_and_matmul",
        "- Mike Giles, [2008](https://doi.org/10.1007/978-3-540-68942-3_4): rules of matrix operations, collected.",
        "Giles 2008",
    ),
    (
        "06_shapes_and_matmul",
        "- Christian Szegedy and others, [2013](https://doi.org/10.48550/arXiv.1312.6199): networks fooled by changes "
        "that nobody sees.",
        "Szegedy 2013",
    ),
    (
        "06_shapes_and_matmul",
        "- Ian Goodfellow, Jonathon Shlens and Christian Szegedy, [2014](https://doi.org/10.48550/arXiv.1412.6572): "
        "one step by the gradient's signs.",
        "Goodfellow 2014",
    ),
    (
        "09_optimizers",
        "- Boris Polyak, [1964](https://doi.org/10.1016/0041-5553%2864%2990137-5): momentum.",
        "Polyak 1964",
    ),
    (
        "09_optimizers",
        "- Diederik Kingma and Jimmy Ba, [2014](https://doi.org/10.48550/arXiv.1412.6980): Adam.",
        "Kingma 2014",
    ),
    (
        "09_optimizers",
        "- Ilya Loshchilov and Frank Hutter, [2017](https://doi.org/10.48550/arXiv.1711.05101): AdamW.",
        "Loshchilov 2017",
    ),
]


@pytest.mark.parametrize(("unit", "sentence", "source"), TOLD)
def test_a_sentence_names_the_authors_the_year_and_the_address_of_its_source(
    unit: str, sentence: str, source: str
) -> None:
    authors, year, title, doi = SOURCES[source]
    assert all(author in sentence for author in authors)
    assert str(year) in sentence
    assert re.findall(r"https://doi\.org/([^)]+)\)", sentence) == ([doi] if doi else [])
    if said := re.search(r"in (two|four) pages", sentence):
        pages = re.search(r"(\d+)-(\d+)$", title)
        assert pages and int(pages[2]) - int(pages[1]) + 1 == {"two": 2, "four": 4}[said[1]]
    assert (unit, flat(sentence)) in PROVED


for _unit, _sentence, _ in TOLD:
    proves(_unit, _sentence)(test_a_sentence_names_the_authors_the_year_and_the_address_of_its_source)
