"""A unit as data: its notebook, its exercises, and what a student handed in."""
