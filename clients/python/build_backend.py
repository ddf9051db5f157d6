"""Packs the package as it stands (PEP 517, 660): no tool has to be fetched to install it, also without a network."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "src", "candela_client")
# The one reader of TOML in the standard library came with Python 3.11, so the few fields are read as text.
with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as _file:
    _FIELDS = dict(
        re.findall(r'^(name|version|description|requires-python) = "(.*)"$', _file.read(), re.MULTILINE)
    )
STEM = f"{_FIELDS['name'].replace('-', '_')}-{_FIELDS['version']}"
WHEEL = f"{STEM}-py3-none-any.whl"


def _metadata() -> str:
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    return (
        "Metadata-Version: 2.1\n"
        f"Name: {_FIELDS['name']}\n"
        f"Version: {_FIELDS['version']}\n"
        f"Summary: {_FIELDS['description']}\n"
        "License: Apache-2.0\n"
        f"Requires-Python: {_FIELDS['requires-python']}\n"
        "Classifier: Typing :: Typed\n"
        "Description-Content-Type: text/markdown\n"
        f"\n{readme}"
    )


def _package_files() -> list[tuple[str, bytes]]:
    found = []
    for name in sorted(os.listdir(SOURCE)):
        if name.endswith(".py") or name == "py.typed":
            with open(os.path.join(SOURCE, name), "rb") as file:
                found.append((f"candela_client/{name}", file.read()))
    return found


def _write_wheel(directory: str, files: list[tuple[str, bytes]]) -> str:
    info = f"{STEM}.dist-info"
    tag = "Wheel-Version: 1.0\nGenerator: candela-client\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = [*files, (f"{info}/METADATA", _metadata().encode()), (f"{info}/WHEEL", tag.encode())]
    record = ""
    with zipfile.ZipFile(os.path.join(directory, WHEEL), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files:
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(content)}\n"
            wheel.writestr(path, content)
        wheel.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return WHEEL


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, _package_files())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    pointer = ("candela_client.pth", (os.path.dirname(SOURCE) + "\n").encode())
    return _write_wheel(wheel_directory, [pointer])


def build_sdist(sdist_directory, config_settings=None):
    name = f"{STEM}.tar.gz"
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz") as archive:
        for path in ("pyproject.toml", "README.md", "build_backend.py"):
            archive.add(os.path.join(HERE, path), f"{STEM}/{path}")
        for path, content in [
            *((f"src/{p}", c) for p, c in _package_files()),
            ("PKG-INFO", _metadata().encode()),
        ]:
            member = tarfile.TarInfo(f"{STEM}/{path}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return name
