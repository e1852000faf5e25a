"""Are the files of known data sets read, and damaged ones refused with their names?"""

from __future__ import annotations

import gzip
import struct

import numpy as np
import pytest
from PIL import Image

import s2sad.dataset as ds
from s2sad.core.diagnostics import S2sadError

RNG = np.random.default_rng(0)


def values(data) -> list:
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    found = [[column.tolist() for column in row] for row in rows]
    return [row[0] if len(row) == 1 else row for row in found]


def idx(array: np.ndarray) -> bytes:
    head = b"\0\0\x08" + bytes([array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    return head + array.astype(np.uint8).tobytes()


@pytest.fixture
def mnist(tmp_path):
    """A folder with 20 images to train and 7, packed, to test; the images and labels of both."""
    images = RNG.integers(0, 256, (27, 28, 28))
    labels = np.arange(27) % 10
    (tmp_path / "train-images-idx3-ubyte").write_bytes(idx(images[:20]))
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(idx(labels[:20]))
    for name, array in (("images-idx3", images[20:]), ("labels-idx1", labels[20:])):
        with gzip.open(tmp_path / f"t10k-{name}-ubyte.gz", "wb") as file:
            file.write(idx(array))
    return tmp_path, images, labels


@pytest.mark.parametrize(
    ("usage", "part"),
    [("train", slice(20)), ("test", slice(20, 27)), ("all", slice(27)), (None, slice(27))],
)
def test_mnist(mnist, usage, part):
    folder, images, labels = mnist
    data = ds.MnistDataset(str(folder), usage, shuffle=False)
    assert data.get_col_names() == ["image", "label"]
    assert data.output_shapes() == [[28, 28, 1], []]
    assert data.output_types() == [np.uint8, np.uint32]
    (row,) = data.batch(100).create_tuple_iterator(num_epochs=1, output_numpy=True)
    np.testing.assert_array_equal(row[0][..., 0], images[part])
    np.testing.assert_array_equal(row[1], labels[part])


def test_classes_of_mnist(mnist):
    folder = mnist[0]
    data = ds.MnistDataset(folder, "all", sampler=ds.PKSampler(2))
    labels = [int(label) for _, label in data.create_tuple_iterator(output_numpy=True)]
    assert labels == sorted(list(range(10)) * 2)
    sharded = ds.MnistDataset(folder, "train", shuffle=False, num_shards=3, shard_id=1)
    assert [label for _, label in values(sharded)] == [1, 4, 7, 0, 3, 6, 9]
    assert ds.FashionMnistDataset(folder, num_samples=3).get_dataset_size() == 3


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("train-labels-idx1-ubyte", b"\0\0\x08\x01\0\0\0\x14short", "E0608"),
        ("train-labels-idx1-ubyte", b"\0\0\x08\x01\0\0", "E0608"),
        ("train-labels-idx1-ubyte", b"\0\0\x0d\x01", "E0608"),
        ("train-labels-idx1-ubyte", b"", "E0608"),
        ("train-labels-idx1-ubyte", idx(np.arange(4)), "E0608"),
        ("train-labels-idx1-ubyte", idx(np.ones((20, 1))), "E0608"),
        ("t10k-labels-idx1-ubyte.gz", b"no gzip", "E0608"),
        ("t10k-labels-idx1-ubyte.gz", gzip.compress(idx(np.arange(7)))[:-9], "E0608"),
        ("train-labels-idx1-ubyte", None, "E0604"),
    ],
    ids=["short", "head", "kind", "empty", "few", "axes", "no gzip", "cut gzip", "gone"],
)
def test_damaged_files_of_mnist(mnist, name, text, code):
    path = mnist[0] / name
    path.unlink()
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(OSError, match=code) as caught:
        ds.MnistDataset(mnist[0])
    assert name.split("-")[0] in str(caught.value)


def test_what_is_no_folder_or_usage(tmp_path):
    for make, code in [
        (lambda: ds.MnistDataset(tmp_path / "none"), "E0604"),
        (lambda: ds.MnistDataset(tmp_path, "valid"), "E0404"),
        (lambda: ds.MnistDataset(tmp_path, cache=1), "E0712"),
        (lambda: ds.ImageFolderDataset(tmp_path), "E0404"),
        (lambda: ds.ImageFolderDataset(tmp_path, class_indexing={"none": 1}), "E0604"),
        (lambda: ds.ImageFolderDataset(tmp_path, decrypt="key"), "E0712"),
        (lambda: ds.TextFileDataset(str(tmp_path / "*.txt")), "E0604"),
        (lambda: ds.TextFileDataset(3), "E0303"),
    ]:
        with pytest.raises(S2sadError, match=code):
            make()


@pytest.mark.parametrize("kind", [10, 100])
def test_cifar(tmp_path, kind):
    labels = 1 if kind == 10 else 2
    parts = (
        [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]
        if kind == 10
        else ["train", "test"]
    )
    records = {}
    for part in parts:
        records[part] = RNG.integers(0, 256, (2, labels + 3072)).astype(np.uint8)
        records[part][:, :labels] %= 10
        (tmp_path / f"{part}.bin").write_bytes(records[part].tobytes())
    make = ds.Cifar10Dataset if kind == 10 else ds.Cifar100Dataset
    for usage, chosen in [("all", parts), ("train", parts[:-1]), ("test", parts[-1:])]:
        data = make(tmp_path, usage, shuffle=False)
        (row,) = data.batch(99).create_tuple_iterator(num_epochs=1, output_numpy=True)
        together = np.concatenate([records[part] for part in chosen])
        planes = together[:, labels:].reshape(-1, 3, 32, 32)
        np.testing.assert_array_equal(row[0].transpose(0, 3, 1, 2), planes)
        np.testing.assert_array_equal(np.stack(row[1:], 1), together[:, :labels])
    (tmp_path / f"{parts[0]}.bin").write_bytes(b"12345")
    with pytest.raises(OSError, match=f"E0608.*{parts[0]}"):
        make(tmp_path)


def test_images_in_folders(tmp_path):
    for index, name in enumerate(["cat", "dog"]):
        (tmp_path / name).mkdir()
        for number in range(2):
            picture = Image.fromarray(np.full((3, 2, 3), 10 * index + number, np.uint8))
            picture.save(tmp_path / name / f"{number}.png")
        (tmp_path / name / "notes.txt").write_text("no image")
    data = ds.ImageFolderDataset(tmp_path, shuffle=False, decode=True)
    (row,) = data.batch(4).create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert row[0].shape == (4, 3, 2, 3) and row[0][:, 0, 0, 0].tolist() == [0, 1, 10, 11]
    assert row[1].tolist() == [0, 0, 1, 1] and row[1].dtype == np.int32
    assert data.batch(2).get_class_indexing() == {"cat": 0, "dog": 1}
    assert data.num_classes() == 2
    assert data.split([0.5, 0.5])[0].num_classes() == 2
    only = ds.ImageFolderDataset(tmp_path, class_indexing={"dog": 7}, shuffle=False)
    (raw, label), _ = values(only)
    assert label == 7 and bytes(raw)[1:4] == b"PNG"
    assert sorted(label for _, label in values(ds.ImageFolderDataset(tmp_path))) == [0, 0, 1, 1]
    texts = ds.ImageFolderDataset(tmp_path, extensions=[".txt"], decode=True)
    with pytest.raises(OSError, match="E0608"):
        values(texts)


def test_text_files(tmp_path):
    (tmp_path / "a.txt").write_text("one\n\ntwo\r\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("drei ÄÖ", encoding="utf-8")
    data = ds.TextFileDataset(str(tmp_path / "*.txt"), shuffle=False)
    assert values(data) == ["one", "two", "drei ÄÖ"] and data.get_dataset_size() == 3
    assert sorted(values(ds.TextFileDataset([str(tmp_path / "a.txt")]))) == ["one", "two"]
    shards = [
        ds.TextFileDataset(str(tmp_path / "*.txt"), shuffle=False, num_shards=2, shard_id=shard)
        for shard in range(2)
    ]
    assert [values(shard) for shard in shards] == [["one", "drei ÄÖ"], ["two"]]
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(OSError, match="E0608.*a.txt"):
        values(data)


def test_separated_values(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('x,name\n1,"a, b"\n,c\n')
    data = ds.CSVDataset(str(path), shuffle=False)
    assert data.get_col_names() == ["x", "name"] and values(data) == [["1", "a, b"], ["", "c"]]
    typed = ds.CSVDataset(str(path), column_defaults=[-1.0, ""], shuffle=False)
    assert values(typed) == [[1.0, "a, b"], [-1.0, "c"]]
    path.write_text("1;2\n3;4\n")
    plain = ds.CSVDataset([str(path)], ";", [0, 0], ["a", "b"], shuffle=False)
    assert values(plain) == [[1, 2], [3, 4]] and values(plain.batch(2)) == [[[1, 3], [2, 4]]]
    for text, said in [("1;2;3\n", "3 fields, not 2"), ("1;x\n", "a.csv:1")]:
        path.write_text(text)
        with pytest.raises(OSError, match=f"E0608.*{said}"):
            values(plain)
    with pytest.raises(S2sadError, match="E0302"):
        ds.CSVDataset(str(path), ";", [0], ["a", "b"])
