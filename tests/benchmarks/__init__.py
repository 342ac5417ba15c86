"""The engine's speed, paired with the best NumPy by hand: `python -m tests.benchmarks [W2 W3 ...]`."""
