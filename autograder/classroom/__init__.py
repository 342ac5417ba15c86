"""A class: collecting, grading side by side, the gradebook, the report."""
