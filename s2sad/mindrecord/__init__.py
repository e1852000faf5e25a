"""What MindSpore offers under ``mindspore.mindrecord``: files of rows, written and read."""

from typing import Any as _Any

from s2sad.core.diagnostics import fail as _fail
from s2sad.core.elsewhere import missing as _missing
from s2sad.mindrecord.reading import FileReader
from s2sad.mindrecord.writing import FileWriter

__all__ = ["FileReader", "FileWriter", "set_enc_key"]


def set_enc_key(enc_key: _Any) -> None:
    """Say that nothing is encrypted; a key is E0712."""
    if enc_key is not None:
        raise _fail(
            "E0712", "files of MindRecord are neither encrypted nor decrypted",
            help="leave the key out, and let the file system encrypt what must be kept secret",
        )  # fmt: skip


def __getattr__(name: str) -> object:
    raise _missing("s2sad.mindrecord", name, __all__)
