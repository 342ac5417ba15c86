"""The reference engine: automatic differentiation on NumPy."""
