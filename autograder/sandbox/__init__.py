"""Running somebody else's code: the pupil, its walls, and the line to it."""
