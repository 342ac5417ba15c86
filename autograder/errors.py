"""The exceptions that the command line shows as a sentence."""


class UserError(Exception):
    """Something that the user can mend; the text is one sentence: what, where, what to do next."""

    def _render_traceback_(self) -> list[str]:
        """What Jupyter shows in the place of a traceback."""
        return [f"✗ {self}"]


class Stopped(Exception):
    """A command was stopped from the keyboard; the text says what is done and what goes on with the rest."""
