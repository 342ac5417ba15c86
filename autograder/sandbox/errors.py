"""Why a submission could not be run, which is nobody's mistake but this machine's."""

from __future__ import annotations

from ..lesson.answers import AnswerNotAsked


class SandboxError(AnswerNotAsked):
    """There is no sandbox here; the text says why and what to do."""


class Interrupted(SandboxError):
    """The sandbox was ended from outside while a submission was in it, which is nobody's mistake: grade it again."""
