"""What a cell of a notebook uses: probes, checks, and what they say. Standard library and NumPy only."""
