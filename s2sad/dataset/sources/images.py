"""How are MNIST, CIFAR and images in folders read?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.core.datafiles import read_bytes, read_idx
from s2sad.core.diagnostics import fail
from s2sad.dataset.arguments import flag
from s2sad.dataset.block import Block
from s2sad.dataset.dataset import Dataset
from s2sad.dataset.plans.source import Sampled, fetch_each
from s2sad.dataset.run import Workers
from s2sad.dataset.samplers import order_of
from s2sad.dataset.settings import refuse_cache, workers_of
from s2sad.dataset.sources.generator import Columns, labels_of
from s2sad.dataset.vision.of_pillow import Decode


def folder_of(dataset_dir: Any) -> Path:
    """The folder of a data set; E0604 where there is none."""
    folder = Path(dataset_dir)
    if not folder.is_dir():
        raise fail("E0604", f"there is no folder {folder}")
    return folder


def usage_of(given: Any, known: Sequence[str]) -> str:
    """Which part of a data set is asked for; E0404 for an unknown one."""
    if given is None:
        return "all"
    if given not in known:
        raise fail("E0404", f"usage is one of {', '.join(known)}, got {given!r}")
    return given


class InMemory(Dataset, ABC):
    """A data set whose images and labels are read when it is made; classes define `read`."""

    def __init__(
        self, dataset_dir: Any, usage: str | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | None = None, sampler: Any = None,
        num_shards: int | None = None, shard_id: int | None = None, cache: None = None,
    ) -> None:  # fmt: skip
        refuse_cache(cache)
        workers_of(num_parallel_workers, False)  # for the warning: one call of NumPy does it
        columns = self.read(folder_of(dataset_dir), usage_of(usage, ("train", "test", "all")))
        order = order_of(sampler, shuffle, num_samples, num_shards, shard_id)
        labels = labels_of(next(reversed(columns.values())))
        table = Columns(list(columns.values()))
        super().__init__(Sampled(table, list(columns), order, Workers(), labels))

    @staticmethod
    @abstractmethod
    def read(folder: Path, usage: str) -> dict[str, np.ndarray]:
        """The columns, the one that names classes last."""


class MnistDataset(InMemory):
    """MNIST, and whatever has its files: ``image``, uint8 (28, 28, 1), and ``label``, uint32.

    Parameters
    ----------
    dataset_dir : path
        Has ``train-images-idx3-ubyte``, ``train-labels-idx1-ubyte``, and those of ``t10k``; each
        may end in .gz.
    usage : str, optional
        ``"train"``, ``"test"`` or ``"all"``, the default.
    num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        As `NumpySlicesDataset` has them.
    cache : None

    Raises
    ------
    S2sadError
        E0604 for files that are not there, E0608 for damaged ones.
    """

    @staticmethod
    def read(folder: Path, usage: str) -> dict[str, np.ndarray]:
        parts = ["train"] * (usage != "test") + ["t10k"] * (usage != "train")
        read = [
            (_idx(folder, part, "images", 3), _idx(folder, part, "labels", 1)) for part in parts
        ]
        for (images, labels), part in zip(read, parts, strict=True):
            if len(images) != len(labels):
                raise fail("E0608", f"{part} has {len(images)} images and {len(labels)} labels")
        images = np.concatenate([images for images, _ in read])[..., np.newaxis]
        labels = np.concatenate([labels for _, labels in read]).astype(np.uint32)
        return {"image": images, "label": labels}


class FashionMnistDataset(MnistDataset):
    """Fashion-MNIST, which has the files of MNIST: `MnistDataset`."""


def _idx(folder: Path, part: str, kind: str, axes: int) -> np.ndarray:
    name = f"{part}-{kind}-idx{axes}-ubyte"
    packed = folder / f"{name}.gz"
    path = packed if packed.exists() and not (folder / name).exists() else folder / name
    array = read_idx(path)
    if array.ndim != axes:
        raise fail("E0608", f"{path} has {array.ndim} axes, not {axes}")
    return array


#: Bytes of an image of CIFAR: three channels of 32 by 32.
CIFAR_IMAGE = 3 * 32 * 32


def read_cifar(paths: Sequence[Path], labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Images, (count, 32, 32, 3), and labels, (count, labels), of the binary form of CIFAR.

    Source: Alex Krizhevsky's description: records of the labels' bytes and then the channels'.
    """
    size = labels + CIFAR_IMAGE
    found = []
    for path in paths:
        data = np.frombuffer(read_bytes(path), np.uint8)
        if not len(data) or len(data) % size:
            raise fail("E0608", f"{path} has {len(data)} bytes, no multiple of {size}")
        found.append(data.reshape(-1, size))
    records = np.concatenate(found)
    images = records[:, labels:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(images), records[:, :labels].astype(np.uint32)


class Cifar10Dataset(InMemory):
    """CIFAR-10 in its binary form: ``image``, uint8 (32, 32, 3), and ``label``, uint32.

    Parameters
    ----------
    dataset_dir : path
        Has ``data_batch_1.bin`` to ``data_batch_5.bin`` and ``test_batch.bin``.
    usage, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        As `MnistDataset` has them.
    """

    @staticmethod
    def read(folder: Path, usage: str) -> dict[str, np.ndarray]:
        names = [f"data_batch_{index}.bin" for index in range(1, 6)] * (usage != "test")
        names += ["test_batch.bin"] * (usage != "train")
        images, labels = read_cifar([folder / name for name in names], 1)
        return {"image": images, "label": labels[:, 0]}


class Cifar100Dataset(InMemory):
    """CIFAR-100 in its binary form: ``image``, ``coarse_label`` and ``fine_label``, uint32.

    Parameters
    ----------
    dataset_dir : path
        Has ``train.bin`` and ``test.bin``.
    usage, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache
        As `MnistDataset` has them.
    """

    @staticmethod
    def read(folder: Path, usage: str) -> dict[str, np.ndarray]:
        names = [name for name in ("train", "test") if usage in (name, "all")]
        images, labels = read_cifar([folder / f"{name}.bin" for name in names], 2)
        return {"image": images, "coarse_label": labels[:, 0], "fine_label": labels[:, 1]}


#: Files that are taken for images where nothing else is said.
EXTENSIONS = (".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff", ".webp")


class _Files:
    """A table over files, which are read when their row is asked for."""

    def __init__(self, files: Sequence[tuple[Path, int]], decode: Decode | None) -> None:
        self.files = files
        self.decode = decode

    def __len__(self) -> int:
        return len(self.files)

    def fetch(self, indices: np.ndarray) -> Block:
        return fetch_each(self._row, indices)

    def _row(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        path, label = self.files[index]
        data = np.frombuffer(read_bytes(path), np.uint8).copy()
        image = data if self.decode is None else self.decode(data)
        return image, np.array(label, np.int32)


class ImageFolderDataset(Dataset):
    """Images in a folder for each class: ``image``, and ``label``, int32.

    Parameters
    ----------
    dataset_dir : path
        Its folders, in alphabetical order, are classes 0, 1, ...
    num_samples, num_parallel_workers, shuffle, sampler
        As `GeneratorDataset` has them.
    extensions : list of str, optional
        Which files are images.
    class_indexing : dict, optional
        Number of each folder that is read.
    decode : bool
        Give arrays of shape (height, width, 3), by Pillow; else the bytes of the files.
    num_shards, shard_id : int, optional
    cache, decrypt : None

    Raises
    ------
    S2sadError
        E0604 without folder; E0404 without images; E0608, once rows come, for what is no image.
    """

    def __init__(
        self, dataset_dir: Any, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | None = None, sampler: Any = None,
        extensions: Sequence[str] | None = None, class_indexing: dict[str, int] | None = None,
        decode: bool = False, num_shards: int | None = None, shard_id: int | None = None,
        cache: None = None, decrypt: None = None,
    ) -> None:  # fmt: skip
        refuse_cache(cache)
        if decrypt is not None:
            raise fail("E0712", "encrypted images are not supported", help="leave decrypt out")
        folder = folder_of(dataset_dir)
        names = sorted(each.name for each in folder.iterdir() if each.is_dir())
        classes = class_indexing or {name: index for index, name in enumerate(names)}
        for name in classes:
            folder_of(folder / name)
        suffixes = tuple(each.lower() for each in extensions or EXTENSIONS)
        files = [
            (path, number) for name, number in classes.items()
            for path in sorted((folder / name).rglob("*")) if path.suffix.lower() in suffixes
        ]  # fmt: skip
        if not files:
            raise fail("E0404", f"{folder} has no folder with images", help=f"of {suffixes}")
        order = order_of(sampler, shuffle, num_samples, num_shards, shard_id)
        labels = labels_of(np.array([label for _, label in files]))
        table = _Files(files, Decode() if flag("decode", decode) else None)
        workers = workers_of(num_parallel_workers, False)
        plan = Sampled(table, ["image", "label"], order, workers, labels)
        plan.classes = dict(classes)
        super().__init__(plan)
