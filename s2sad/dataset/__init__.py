"""What MindSpore offers under ``mindspore.dataset``: rows from files and objects, for training.

A data set is a description; an iterator of it has the workers, and hands out rows.
"""

from s2sad.core.elsewhere import missing as _missing
from s2sad.dataset import config, text, transforms, vision
from s2sad.dataset.dataset import (
    BatchDataset,
    ConcatDataset,
    Dataset,
    MapDataset,
    RepeatDataset,
    ShuffleDataset,
    SkipDataset,
    TakeDataset,
    ZipDataset,
    zip,
)
from s2sad.dataset.draws import generator
from s2sad.dataset.plans.batching import BatchInfo
from s2sad.dataset.samplers import (
    DistributedSampler,
    IterSampler,
    PKSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    Shuffle,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)
from s2sad.dataset.sources.generator import GeneratorDataset, NumpySlicesDataset, PaddedDataset
from s2sad.dataset.sources.images import (
    Cifar10Dataset,
    Cifar100Dataset,
    FashionMnistDataset,
    ImageFolderDataset,
    MnistDataset,
)
from s2sad.dataset.sources.mindrecord import MindDataset
from s2sad.dataset.sources.refused import TFRecordDataset
from s2sad.dataset.sources.text_files import CSVDataset, TextFileDataset

__all__ = [
    "BatchDataset", "BatchInfo", "CSVDataset", "Cifar100Dataset", "Cifar10Dataset",
    "ConcatDataset", "Dataset", "DistributedSampler", "FashionMnistDataset", "GeneratorDataset",
    "ImageFolderDataset", "IterSampler", "MapDataset", "MindDataset", "MnistDataset",
    "NumpySlicesDataset", "PKSampler", "PaddedDataset", "RandomSampler", "RepeatDataset",
    "Sampler", "SequentialSampler", "Shuffle", "ShuffleDataset", "SkipDataset",
    "SubsetRandomSampler", "SubsetSampler", "TFRecordDataset", "TakeDataset", "TextFileDataset",
    "WeightedRandomSampler", "ZipDataset", "config", "generator", "text", "transforms",
    "vision", "zip",
]  # fmt: skip


def __getattr__(name: str) -> object:
    raise _missing("s2sad.dataset", name, __all__)
