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


#: What MindSpore turns into rows, and the data set that reads it here.
_CONVERTERS = {
    "CsvToMR": "CSVDataset", "MnistToMR": "MnistDataset", "Cifar10ToMR": "Cifar10Dataset",
    "Cifar100ToMR": "Cifar100Dataset", "ImageNetToMR": "ImageFolderDataset",
    "TFRecordToMR": "GeneratorDataset, over a reader of TFRecord",
}  # fmt: skip


def __getattr__(name: str) -> object:
    if name in _CONVERTERS:
        raise _fail(
            "E0220", f"s2sad.mindrecord has no {name!r}",
            help=f"write the rows of dataset.{_CONVERTERS[name]} with a FileWriter",
        )  # fmt: skip
    raise _missing("s2sad.mindrecord", name, __all__)
