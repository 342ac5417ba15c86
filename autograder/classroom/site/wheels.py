"""Wheels, packed from what is installed here: a browser's Python installs them from the site itself.

Making them needs no network and no build backend, so a site can be built wherever this package is installed.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import autograd_ref

from ...errors import UserError

#: What of `autograder` a learner's notebook uses. What grades needs processes, which a browser has not.
ROOMS = ("lesson", "learner", "unit")

#: What a notebook needs besides, by its names in Pyodide's distribution.
NEEDED = ("numpy", "matplotlib")

WHEEL = "Wheel-Version: 1.0\nGenerator: autograder\nRoot-Is-Purelib: true\nTag: py3-none-any\n"

#: Traces of an installation, which are no part of a wheel.
INSTALLED = {"INSTALLER", "REQUESTED", "RECORD", "direct_url.json"}


def learners_wheel() -> tuple[str, bytes]:
    """The wheel that a learner's notebook imports: its file name and its bytes."""
    package = Path(__file__).resolve().parents[2]
    engine = Path(autograd_ref.__file__).resolve().parent
    files = {f"autograd_ref/{path.relative_to(engine).as_posix()}": path for path in _files(engine)}
    files |= {f"autograder/{path.name}": path for path in sorted(package.glob("*.py"))}
    for room in ROOMS:
        files |= {
            f"autograder/{path.relative_to(package).as_posix()}": path for path in _files(package / room)
        }
    version = importlib.metadata.version("autograd-course")
    about = "".join(f"Requires-Dist: {name}\n" for name in NEEDED)
    metadata = f"Metadata-Version: 2.1\nName: autograd-course\nVersion: {version}\n{about}"
    stem = f"autograd_course-{version}"
    parts = {name: path.read_bytes() for name, path in files.items()}
    parts |= {f"{stem}.dist-info/METADATA": metadata.encode(), f"{stem}.dist-info/WHEEL": WHEEL.encode()}
    return f"{stem}-py3-none-any.whl", _packed(parts, f"{stem}.dist-info/RECORD")


def installed_wheel(name: str) -> tuple[str, bytes]:
    """The wheel of an installed distribution of pure Python. Raises UserError when it is not one."""
    try:
        distribution = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        raise UserError(f"The site needs {name}: `pip install 'autograd-course[site]'`.") from None
    files = distribution.files or []
    (record,) = [file for file in files if file.name == "RECORD" and file.parent.suffix == ".dist-info"]
    stem = record.parent.name.removesuffix(".dist-info")
    parts = {}
    for file in files:
        if ".." in file.parts or file.suffix == ".pyc" or "__pycache__" in file.parts:
            continue  # a script or data of the installation; compiled here
        if file.suffix in (".so", ".pyd", ".dylib"):
            raise UserError(f"{name} is not pure Python, so a browser cannot import it.")
        if not (file.parent == record.parent and file.name in INSTALLED):
            parts[file.as_posix()] = Path(str(file.locate())).read_bytes()
    return f"{stem}-py3-none-any.whl", _packed(parts, record.as_posix())


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc":
            yield path


def _packed(parts: Mapping[str, bytes], record: str) -> bytes:
    """A wheel of these files. The same files give the same bytes."""
    lines = []
    for name, data in sorted(parts.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{_quoted(name)},sha256={digest},{len(data)}\n")
    whole = {**dict(sorted(parts.items())), record: ("".join(lines) + f"{record},,\n").encode()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in whole.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _quoted(name: str) -> str:
    return f'"{name}"' if re.search(r'[,"]', name) else name
