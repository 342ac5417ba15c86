"""The way in from Canvas and Moodle, and the way back."""
