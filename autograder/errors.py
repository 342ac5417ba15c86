"""The one exception that the command line shows as a sentence."""


class UserError(Exception):
    """Something that the user can mend; the text is one sentence: what, where, what to do next."""
