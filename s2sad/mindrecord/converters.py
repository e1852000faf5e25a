"""How do MNIST, CIFAR, ImageNet and tables of CSV become files of MindRecord?

Fields, their types and names of files are those of MindSpore's converters. Images that come as
arrays are kept as JPEG, of the quality and the sampling that OpenCV has where nothing is said.
"""

from __future__ import annotations

import io
import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.core.datafiles import pillow, read_bytes, read_idx
from s2sad.core.diagnostics import fail
from s2sad.mindrecord.cifar import Part, read_cifar10, read_cifar100
from s2sad.mindrecord.csv_table import Table, read_csv
from s2sad.mindrecord.writing import FileWriter, checked_name

Row = dict[str, Any]

#: Rows that go to a `FileWriter` at once: each such part is shared out between the files.
ROWS = 256
PAGE = 1 << 26


class Converter(ABC):
    """What turns other files into those of MindRecord: classes define `run`."""

    @abstractmethod
    def run(self) -> int:
        """Write the files; 0."""

    def transform(self) -> None:
        """Write the files.

        Raises
        ------
        S2sadError
            E0604 for a file that is not there, or cannot be written; E0608 for one that is damaged.
        """
        self.run()


def write(
    writer: FileWriter, schema: Row, name: str, index: list[str], rows: Iterable[Row]
) -> None:
    """Write all `rows`, some at a time."""
    writer.set_page_size(PAGE)
    writer.add_schema(schema, name)
    writer.add_index(index)
    rest = iter(rows)
    while part := list(islice(rest, ROWS)):
        writer.write_raw_data(part)
    writer.commit()


def jpeg(image: np.ndarray, wanted: object) -> bytes:
    """The file of an image of uint8, (height, width) or (height, width, 3).

    Raises
    ------
    S2sadError
        E0712 without Pillow.
    """
    file = io.BytesIO()
    picture = pillow("Image", wanted).fromarray(image)
    sampling = "4:2:0" if image.ndim == 3 else "4:4:4"
    picture.save(file, "JPEG", quality=95, subsampling=sampling)
    return file.getvalue()


def _folder(source: Any, names: Sequence[str]) -> Path:
    """The folder `source`; E0604 unless it has files that begin with each of `names`."""
    folder = checked_name(source)
    found = os.listdir(folder) if folder.is_dir() else []
    for name in names:
        if not any(each.startswith(name) for each in found):
            raise fail("E0604", f"{folder} has no file {name}")
    return folder


def _beside(destination: Any, end: str) -> str:
    path = checked_name(destination)
    return str(path.with_name(path.name + end))


class CsvToMR(Converter):
    r"""Rows of a table of CSV, whose first line names the fields.

    A column is int64 where all of it is whole numbers, float64 where it is numbers, or nothing
    stands in some places, which is NaN; int32 where it is ``True`` and ``False``; else a string.
    A row in which a string is missing is left out, with a warning. All fields stand in the index.

    Parameters
    ----------
    source : path
    destination : path
    columns_list : list of str, optional
        Which columns are taken; all by default.
    partition_number : int
        How many files, with a number behind the name where there are several.

    Raises
    ------
    S2sadError
        E0303, E0404 for an argument of the wrong form; when it runs, E0604 without the file, E0608
        for one that is no table, E0404 for columns that it has not, or whose names no field has.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from s2sad.mindrecord import CsvToMR, FileReader
    >>> folder = tempfile.TemporaryDirectory()
    >>> text = Path(folder.name, "a.csv")
    >>> _ = text.write_text("name,size\nants,3\nbees,4.5\n")
    >>> CsvToMR(str(text), f"{folder.name}/a.mindrecord").transform()
    >>> list(FileReader(f"{folder.name}/a.mindrecord").get_next())
    [{'name': 'ants', 'size': 3.0}, {'name': 'bees', 'size': 4.5}]
    >>> folder.cleanup()
    """

    def __init__(
        self, source: str, destination: str, columns_list: list[str] | None = None,
        partition_number: int = 1,
    ) -> None:  # fmt: skip
        self.source = checked_name(source)
        is_list = isinstance(columns_list, list) and all(isinstance(x, str) for x in columns_list)
        if columns_list and not is_list:
            raise fail("E0303", f"columns_list is a list of names, got {columns_list!r}")
        self.columns_list = columns_list
        self.writer = FileWriter(destination, partition_number)

    def run(self) -> int:
        table = read_csv(self.source)
        names = self.columns_list or list(table)
        for name in names:
            if name not in table:
                raise fail("E0404", f"{self.source} has no column {name!r}")
            if name.isdigit():
                raise fail("E0404", f"the column {name!r} is a number, which no field is named")
        schema = {name: {"type": table[name][0]} for name in names}
        write(self.writer, schema, "csv_schema", list(names), _table_rows(table, names))
        return 0


def _table_rows(table: Table, names: Sequence[str]) -> Iterator[Row]:
    for values in zip(*(table[name][1] for name in names), strict=True):
        yield dict(zip(names, values, strict=True))


class MnistToMR(Converter):
    """Images of MNIST as JPEG, ``data``, with their ``label``, int64.

    Parameters
    ----------
    source : path
        Folder of the four files, ``train-images-idx3-ubyte.gz`` and so on.
    destination : path
        ``_train.mindrecord`` and ``_test.mindrecord`` are added to it.
    partition_number : int
        As of `CsvToMR`.

    Raises
    ------
    S2sadError
        As `CsvToMR`; E0712 without Pillow.
    """

    SCHEMA = {"label": {"type": "int64"}, "data": {"type": "bytes"}}

    def __init__(self, source: str, destination: str, partition_number: int = 1) -> None:
        pillow("Image", self)
        self.source = checked_name(source)
        self.writer_train, self.writer_test = (
            FileWriter(_beside(destination, f"_{part}.mindrecord"), partition_number)
            for part in ("train", "test")
        )

    def run(self) -> int:
        for part, writer in (("train", self.writer_train), ("t10k", self.writer_test)):
            write(writer, self.SCHEMA, "mnist_schema", ["label"], self._rows(part))
        return 0

    def _rows(self, part: str) -> Iterator[Row]:
        images = read_idx(self.source / f"{part}-images-idx3-ubyte.gz")
        labels = read_idx(self.source / f"{part}-labels-idx1-ubyte.gz")
        if images.ndim != 3 or labels.ndim != 1 or len(images) != len(labels):
            raise fail("E0608", f"{part} has images {images.shape} and labels {labels.shape}")
        for image, label in zip(images, labels, strict=True):
            yield {"label": int(label), "data": jpeg(image, self)}


class _CifarToMR(Converter):
    """Rows of CIFAR, of the files that Python's `pickle` has written."""

    LABELS: Sequence[str]
    FILES: Sequence[str]

    def __init__(self, source: str, destination: str) -> None:
        pillow("Image", self)
        self.source = _folder(source, self.FILES)
        self.destination = str(checked_name(destination))

    @abstractmethod
    def read(self) -> tuple[Part, Part]:
        """The images and labels to train and to test with."""

    def run(self, fields: list[str] | None = None) -> int:
        if fields and not isinstance(fields, list):
            raise fail("E0303", f"fields is a list of names, got {fields!r}")
        train, test = self.read()
        self._write(self.destination, train, fields, "img_train")
        self._write(_beside(self.destination, "_test"), test, fields, "img_test")
        return 0

    def transform(self, fields: list[str] | None = None) -> None:
        """Write the files; `fields` are those in the index, all that are numbers by default.

        Raises
        ------
        S2sadError
            E0303, E0404 for `fields` that are none; as `Converter.transform`.
        """
        self.run(fields)

    def _write(self, name: str, part: Part, fields: list[str] | None, description: str) -> None:
        kinds = {"id": "int64", **dict.fromkeys(self.LABELS, "int64"), "data": "bytes"}
        writer = FileWriter(name)
        writer.add_schema({field: {"type": kind} for field, kind in kinds.items()}, description)
        if fields:
            writer.add_index(fields)
        images, labels = part
        writer.write_raw_data([
            {"id": place, "data": jpeg(image, self), **dict(zip(self.LABELS, row, strict=True))}
            for place, (image, row) in enumerate(zip(images, labels.tolist(), strict=True))
        ])  # fmt: skip
        writer.commit()


class Cifar10ToMR(_CifarToMR):
    """Images of CIFAR-10 as JPEG, ``data``, with ``label`` and ``id``, int64.

    Parameters
    ----------
    source : path
        Folder of ``data_batch_1`` to ``data_batch_5`` and ``test_batch``, of the archive for
        Python. What else is in them than arrays, lists and texts is refused.
    destination : path
        The file to train with; ``_test`` is added for the other.

    Raises
    ------
    S2sadError
        E0604 without the files; as `MnistToMR`.
    """

    LABELS = ("label",)
    FILES = ("data_batch_", "test_batch")

    def read(self) -> tuple[Part, Part]:
        return read_cifar10(self.source)


class Cifar100ToMR(_CifarToMR):
    """Images of CIFAR-100 as JPEG, with ``fine_label``, ``coarse_label`` and ``id``, int64.

    Parameters
    ----------
    source : path
        Folder of ``train`` and ``test``, of the archive for Python.
    destination : path
        As of `Cifar10ToMR`.

    Raises
    ------
    S2sadError
        As `Cifar10ToMR`.
    """

    LABELS = ("fine_label", "coarse_label")
    FILES = ("train", "test")

    def read(self) -> tuple[Part, Part]:
        return read_cifar100(self.source)


class ImageNetToMR(Converter):
    """Files of images as they are, ``image``, with ``label``, int32, and ``file_name``.

    Parameters
    ----------
    map_file : path
        A line for each class: the name of its folder, a space, its number.
    image_dir : path
        Has the folders; one that is not there is left out with a warning, as is a file whose name
        does not end in ``JPEG`` or ``jpg``, or that is empty. Files come in the order of their
        names.
    destination, partition_number
        As of `CsvToMR`.

    Raises
    ------
    S2sadError
        As `CsvToMR`; E0604 where no folder of the map is there.
    """

    SCHEMA = {
        "label": {"type": "int32"}, "image": {"type": "bytes"}, "file_name": {"type": "string"},
    }  # fmt: skip

    def __init__(
        self, map_file: str, image_dir: str, destination: str, partition_number: int = 1
    ) -> None:
        self.map_file, self.image_dir = checked_name(map_file), checked_name(image_dir)
        self.writer = FileWriter(destination, partition_number)

    def run(self) -> int:
        folders = self._folders()
        if not folders:
            raise fail("E0604", f"{self.image_dir} has no folder that {self.map_file} names")
        rows = (row for label, folder in folders for row in _image_rows(label, folder))
        write(self.writer, self.SCHEMA, "imagenet_schema", ["label", "file_name"], rows)
        return 0

    def _folders(self) -> list[tuple[int, Path]]:
        """The number and the folder of each class whose folder is there."""
        known: dict[int, Path] = {}
        for line in read_bytes(self.map_file).decode("utf-8", "replace").splitlines():
            parts = line.split()
            if len(parts) != 2 or not parts[1].isdecimal():
                raise fail("E0608", f"{self.map_file}: {line!r} is no folder and a number")
            known[int(parts[1])] = self.image_dir / parts[0]
        for folder in known.values():
            if not folder.is_dir():
                warnings.warn(f"there is no folder {folder}", stacklevel=4)
        return [(label, folder) for label, folder in known.items() if folder.is_dir()]


def _image_rows(label: int, folder: Path) -> Iterator[Row]:
    for path in sorted(folder.iterdir()):
        if not path.name.endswith(("JPEG", "jpg")):
            warnings.warn(f"{path} is left out: it ends neither in JPEG nor in jpg", stacklevel=4)
        elif not (content := read_bytes(path)):
            warnings.warn(f"{path} is left out: it is empty", stacklevel=4)
        else:
            yield {"file_name": str(path), "label": label, "image": content}
