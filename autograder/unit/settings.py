"""What nbgrader_config.py says: the course's settings, and the walls that they ask for."""

from __future__ import annotations

from pathlib import Path

from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, PyFileConfigLoader

from ..errors import UserError
from ..sandbox.walls import Sandbox


def load_config(root: Path) -> Config:
    """The settings in a course's nbgrader_config.py. Raises UserError when that file is broken."""
    try:
        return PyFileConfigLoader("nbgrader_config.py", path=str(root)).load_config()
    except ConfigFileNotFound:
        return Config()
    except Exception as error:
        raise UserError(f"{root / 'nbgrader_config.py'} is broken: {error}.") from None


def configured_sandbox(
    config: Config, root: Path, unsandboxed: bool = False, unprotected_scores: bool = False
) -> Sandbox:
    """The walls as configured. Raises SandboxError when this machine has none and none was waived."""
    sandbox = Sandbox(config=config)
    sandbox.hidden_paths = [*sandbox.hidden_paths, str(root)]
    if unsandboxed:
        sandbox.unsandboxed = True
    if unprotected_scores:
        sandbox.unprotected_scores = True
    sandbox.wall()
    return sandbox
