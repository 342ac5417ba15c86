"""Speed of the engine, paired with the best NumPy written by hand: `python -m tests.benchmarks [W2 W3 ...]`."""
