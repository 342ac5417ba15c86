"""Building the notebooks of a unit, and proving its tests."""
