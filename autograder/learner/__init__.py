"""A learner's own progress, and the engine of their own."""
