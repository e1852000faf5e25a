"""What MindSpore offers under ``mindspore.mindrecord``: files of rows, written and read."""

from typing import Any as _Any

from s2sad.core.diagnostics import fail as _fail
from s2sad.core.elsewhere import missing as _missing
from s2sad.mindrecord.converters import (
    Cifar10ToMR,
    Cifar100ToMR,
    CsvToMR,
    ImageNetToMR,
    MnistToMR,
)
from s2sad.mindrecord.reading import FileReader
from s2sad.mindrecord.writing import FileWriter

__all__ = [
    "Cifar100ToMR", "Cifar10ToMR", "CsvToMR", "FileReader", "FileWriter", "ImageNetToMR",
    "MnistToMR", "set_enc_key",
]  # fmt: skip


def set_enc_key(enc_key: _Any) -> None:
    """Say that nothing is encrypted; a key is E0712."""
    if enc_key is not None:
        raise _fail(
            "E0712", "files of MindRecord are neither encrypted nor decrypted",
            help="leave the key out, and let the file system encrypt what must be kept secret",
        )  # fmt: skip


def __getattr__(name: str) -> object:
    if name == "TFRecordToMR":
        raise _fail(
            "E0220", "s2sad.mindrecord has no 'TFRecordToMR'",
            help="write the rows of a reader of TFRecord with a FileWriter",
        )  # fmt: skip
    raise _missing("s2sad.mindrecord", name, __all__)
