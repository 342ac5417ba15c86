"""The files of a learner as JupyterLab gets them: notebooks say from the start what they are written in.

A notebook's metadata names the version of Python that ran it last. When its kernel starts and says another,
JupyterLab takes the notebook for changed: it asks to save what nobody has touched, and offers another version of the
file when the learner comes back. Here a notebook that is opened says what its kernel will say.
"""

from __future__ import annotations

from typing import Any

from ipykernel.ipkernel import IPythonKernel
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager


class CleanNotebooks(AsyncLargeFileManager):
    """Notebooks from the disk, as the kernel of this environment would leave them. No file is changed."""

    async def get(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The model of a file or folder, as JupyterLab asks for it."""
        model: dict[str, Any] = await super().get(*args, **kwargs)
        content = model.get("content")
        if model.get("type") == "notebook" and isinstance(content, dict):
            metadata = content.get("metadata", {})
            if metadata.get("kernelspec", {}).get("name") == "python3":
                metadata["language_info"] = dict(IPythonKernel.language_info)
        return model
