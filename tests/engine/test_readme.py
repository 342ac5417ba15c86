"""The engine's README is run as a test, so that its walk stays true."""

import doctest
from pathlib import Path

import autograd_ref


def test_every_example_of_the_readme_prints_what_it_says():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    page = Path(autograd_ref.__file__).parent / "README.md"
    result = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    assert result.attempted > 25
    assert result.failed == 0
