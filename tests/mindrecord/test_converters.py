"""Do converters write what MindSpore's write, and refuse what is none of their files?

`of_mindspore/README.md` says how they were compared with MindSpore's.
"""

from __future__ import annotations

import gzip
import io
import math
import pickle
import struct

import numpy as np
import pytest
from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from s2sad import dataset, mindrecord
from s2sad.mindrecord import FileReader
from s2sad.mindrecord.cifar import read_cifar10
from support.refusals import fails

RANDOM = np.random.default_rng(7)


def rows(path):
    return list(FileReader(str(path)).get_next())


def table(folder, text):
    (folder / "a.csv").write_text(text, "utf-8")
    return str(folder / "a.csv"), str(folder / "a.mindrecord")


def csv_rows(folder, text, *settings):
    source, destination = table(folder, text)
    assert mindrecord.CsvToMR(source, destination, *settings).transform() is None
    reader = FileReader(destination)
    return list(reader.get_next()), {name: field["type"] for name, field in reader.schema().items()}


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("x\n1\n-2\n +3 \n", "int64", [1, -2, 3]),
        ("x\n1\n2.5\n1e3\n", "float64", [1.0, 2.5, 1000.0]),
        ("x\ninf\n-.5\n7.\n", "float64", [math.inf, -0.5, 7.0]),
        ("x\nTrue\nfalse\n", "int32", [1, 0]),
        ('x\n"a,b"\n"c ""d"""\n', "string", ["a,b", 'c "d"']),
        ("x\n1\nb\n", "string", ["1", "b"]),
        ("x\n9223372036854775808\n1\n", "string", ["9223372036854775808", "1"]),
        ("x\n1_000\n", "string", ["1_000"]),
        ("\ufeffx\nä\n\n", "string", ["ä"]),
    ],
)
def test_types_of_columns_are_found(tmp_path, text, kind, values):
    found, schema = csv_rows(tmp_path, text)
    assert schema == {"x": kind}
    assert [row["x"] for row in found] == values


def test_what_is_missing_is_nan_or_leaves_a_row_out(tmp_path):
    found, schema = csv_rows(tmp_path, "s,f\na,1\nb,\nc,NA\n")
    assert schema == {"s": "string", "f": "float64"}
    assert [row["s"] for row in found] == ["a", "b", "c"]
    assert found[0]["f"] == 1.0 and all(math.isnan(row["f"]) for row in found[1:])
    (tmp_path / "a.mindrecord").unlink()
    with pytest.warns(UserWarning, match="row 1 is left out"):
        found, _ = csv_rows(tmp_path, "s,i\na,1\nNA,2\nc,3\n")
    assert found == [{"i": 1, "s": "a"}, {"i": 3, "s": "c"}]


def test_whole_numbers_stay_beside_others(tmp_path):
    """MindSpore takes rows of such a table for floats, and finds none that fits."""
    found, _ = csv_rows(tmp_path, "i,f\n1,2.5\n2,3.5\n")
    assert found == [{"f": 2.5, "i": 1}, {"f": 3.5, "i": 2}]


def test_some_columns_in_several_files(tmp_path):
    text = "name,age\n" + "".join(f"n{i},{i}\n" for i in range(600))
    source, destination = table(tmp_path, text)
    mindrecord.CsvToMR(source, destination, ["age"], 3).transform()
    data = dataset.MindDataset(f"{destination}0", shuffle=False)
    found = [row["age"].item() for row in data.create_dict_iterator(output_numpy=True)]
    assert sorted(found) == list(range(600))
    assert data.get_col_names() == ["age"]
    assert FileReader([f"{destination}1"]).len() == 200 - 1


@pytest.mark.parametrize(
    ("code", "text", "columns"),
    [
        ("E0608", "", None),
        ("E0608", "a,b\n", None),
        ("E0608", "a,a\n1,2\n", None),
        ("E0608", "a\n1,2\n", None),
        ("E0608", 'a\n"1\n', None),
        ("E0404", "a\n1\n", ["b"]),
        ("E0404", "1,a\n1,2\n", None),
        ("E0404", "a b\n1\n", None),
    ],
)
def test_tables_that_are_none(tmp_path, code, text, columns):
    fails(code, mindrecord.CsvToMR(*table(tmp_path, text), columns).transform)


def test_arguments_are_checked(tmp_path):
    source, destination = table(tmp_path, "a\n1\n")
    fails("E0303", mindrecord.CsvToMR, 3, destination)
    fails("E0303", mindrecord.CsvToMR, source, destination, "a")
    fails("E0404", mindrecord.CsvToMR, source, destination, None, 0)
    fails("E0404", mindrecord.CsvToMR, source, destination, None, None)
    fails("E0604", mindrecord.CsvToMR(str(tmp_path / "b.csv"), destination).run)
    mindrecord.CsvToMR(source, destination).run()
    fails("E0604", mindrecord.CsvToMR(source, destination).run)
    fails("E0220", getattr, mindrecord, "TFRecordToMR")


def smooth(*shape):
    """Images that change slowly, as those that JPEG is made for."""
    y, x = np.mgrid[: shape[1], : shape[2]]
    phases = RANDOM.uniform(0, 6, (shape[0], 1, 1, *shape[3:]))
    waves = np.sin(0.2 * (x + y).reshape(1, *shape[1:3], *[1] * len(shape[3:])) + phases)
    return (127 + 100 * waves).astype(np.uint8)


def opened(data):
    image = Image.open(io.BytesIO(data))
    assert isinstance(image, JpegImageFile)
    return image


def decoded(data):
    return np.array(opened(data))


def put_mnist(folder, part, images, labels):
    for kind, array, axes in (("images", images, 3), ("labels", labels, 1)):
        head = struct.pack(f">I{axes}I", 0x800 + axes, *array.shape)
        with gzip.open(folder / f"{part}-{kind}-idx{axes}-ubyte.gz", "wb") as file:
            file.write(head + array.tobytes())


def test_mnist(tmp_path):
    known = {}
    for part, name, count in (("train", "train", 5), ("t10k", "test", 3)):
        known[name] = smooth(count, 28, 28), np.arange(count).astype(np.uint8)
        put_mnist(tmp_path, part, *known[name])
    mindrecord.MnistToMR(str(tmp_path), str(tmp_path / "m")).transform()
    for name, (images, labels) in known.items():
        found = rows(tmp_path / f"m_{name}.mindrecord")
        assert [row["label"] for row in found] == labels.tolist()
        for row, image in zip(found, images, strict=True):
            assert np.abs(decoded(row["data"]).astype(int) - image).max() <= 4
    data = dataset.MindDataset(str(tmp_path / "m_test.mindrecord"), shuffle=False)
    images = data.map(dataset.vision.Decode(), "data").create_dict_iterator(output_numpy=True)
    assert [row["data"].shape for row in images] == [(28, 28, 3)] * 3
    put_mnist(tmp_path, "t10k", known["test"][0], np.zeros(2, np.uint8))
    again = mindrecord.MnistToMR(str(tmp_path), str(tmp_path / "again"))
    fails("E0608", again.run)
    fails("E0604", mindrecord.MnistToMR(str(tmp_path / "none"), str(tmp_path / "n")).run)


def test_a_jpeg_is_as_opencv_makes_it(tmp_path):
    """The table of luminance at quality 95 begins so; colours have a quarter of the samples."""
    put_mnist(tmp_path, "train", smooth(1, 28, 28), np.zeros(1, np.uint8))
    put_mnist(tmp_path, "t10k", smooth(1, 28, 28), np.zeros(1, np.uint8))
    mindrecord.MnistToMR(str(tmp_path), str(tmp_path / "m")).run()
    (row,) = rows(tmp_path / "m_train.mindrecord")
    image = opened(row["data"])
    assert image.quantization[0][:8] == [2, 1, 1, 2, 2, 4, 5, 6]
    assert image.layer == [(1, 1, 1, 0)]


def put_cifar(path, labels, count=4, protocol=3):
    images = smooth(count, 32, 32, 3)
    columns = {name: RANDOM.integers(0, 9, count).tolist() for name in labels}
    data = images.transpose(0, 3, 1, 2).reshape(count, -1)
    content = {name.encode(): column for name, column in columns.items()} | {b"data": data}
    path.write_bytes(pickle.dumps(content, protocol))
    return images, columns


@pytest.mark.parametrize("protocol", [2, 3, 5])
def test_cifar10(tmp_path, protocol):
    names = ["data_batch_2", "data_batch_1", "test_batch"]
    known = {name: put_cifar(tmp_path / name, ["labels"], protocol=protocol) for name in names}
    mindrecord.Cifar10ToMR(str(tmp_path), str(tmp_path / "c")).transform(["label"])
    for path, parts in (("c", ["data_batch_1", "data_batch_2"]), ("c_test", ["test_batch"])):
        found = rows(tmp_path / path)
        images = np.concatenate([known[part][0] for part in parts])
        labels = [label for part in parts for label in known[part][1]["labels"]]
        assert [row["label"] for row in found] == labels
        assert [row["id"] for row in found] == list(range(len(labels)))
        for row, image in zip(found, images, strict=True):
            assert np.abs(decoded(row["data"]).astype(int) - image).mean() < 6
        picture = opened(found[0]["data"])
        assert picture.layer == [(1, 2, 2, 0), (2, 1, 1, 1), (3, 1, 1, 1)]


def test_an_array_of_cifar_that_is_stored_by_columns(tmp_path):
    images, columns = put_cifar(tmp_path / "test_batch", ["labels"])
    data = np.asfortranarray(images.transpose(0, 3, 1, 2).reshape(len(images), -1))
    for protocol in (2, 5):
        content = {b"data": data, b"labels": columns["labels"]}
        (tmp_path / "data_batch_1").write_bytes(pickle.dumps(content, protocol))
        (found, labels), _ = read_cifar10(tmp_path)
        np.testing.assert_array_equal(found, images)
        assert labels[:, 0].tolist() == columns["labels"]


def test_cifar100(tmp_path):
    kinds = ["fine_labels", "coarse_labels"]
    known = {name: put_cifar(tmp_path / name, kinds) for name in ("train", "test")}
    mindrecord.Cifar100ToMR(str(tmp_path), str(tmp_path / "c")).transform()
    for path, name in (("c", "train"), ("c_test", "test")):
        for kind in kinds:
            assert [row[kind[:-1]] for row in rows(tmp_path / path)] == known[name][1][kind]


class Call:
    """What a file names to be called when it is read."""

    def __reduce__(self):
        return (print, ("called",))


class Forged:
    """An array whose dtype says that its bytes are addresses of objects."""

    def __reduce__(self):
        rebuild, given, state = np.zeros(1, np.uint8).__reduce__()
        return rebuild, given, (*state[:2], ForgedKind(), False, b"\1" * 8)


class ForgedKind:
    def __reduce__(self):
        return np.dtype, ("V8", False, True), (3, "|", None, None, None, 8, 1, 27)


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps({b"data": Forged(), b"labels": []}, 3),
        pickle.dumps({b"data": np.array([print]), b"labels": [1]}, 3),
        b"no pickle", b"", pickle.dumps([1]), pickle.dumps({b"data": Call()}),
        pickle.dumps({b"data": np.zeros((1, 3072)), b"labels": [1]}),
        pickle.dumps({b"data": np.zeros((1, 3072), np.uint8), b"labels": [1, 2]}),
        pickle.dumps({b"data": np.zeros((1, 3072), np.uint8), b"labels": ["a"]}),
        pickle.dumps({b"data": np.zeros((1, 3071), np.uint8), b"labels": [1]}),
        pickle.dumps({b"labels": [1]}),
    ],
)  # fmt: skip
def test_files_that_are_not_cifar(tmp_path, capsys, content):
    put_cifar(tmp_path / "data_batch_1", ["labels"])
    (tmp_path / "test_batch").write_bytes(content)
    converter = mindrecord.Cifar10ToMR(str(tmp_path), str(tmp_path / "c"))
    fails("E0608", converter.transform)
    assert capsys.readouterr().out == ""


def test_files_of_cifar_that_are_missing(tmp_path):
    put_cifar(tmp_path / "data_batch_1", ["labels"])
    fails("E0604", mindrecord.Cifar10ToMR, str(tmp_path), str(tmp_path / "c"))
    fails("E0604", mindrecord.Cifar100ToMR, str(tmp_path), str(tmp_path / "c"))
    put_cifar(tmp_path / "test_batch", ["labels"])
    converter = mindrecord.Cifar10ToMR(str(tmp_path), str(tmp_path / "c"))
    fails("E0303", converter.transform, "label")
    fails("E0404", converter.transform, ["data"])


def test_imagenet(tmp_path):
    content = {}
    for label, name in enumerate(("n01", "n02")):
        (tmp_path / "images" / name).mkdir(parents=True)
        for number in range(3):
            path = tmp_path / "images" / name / f"{name}_{number}.JPEG"
            path.write_bytes(RANDOM.bytes(40 + number))
            content[str(path)] = (label, path.read_bytes())
    paths = str(tmp_path / "map"), str(tmp_path / "images"), str(tmp_path / "i")
    (tmp_path / "map").write_text("n01 0\nn02 1\n")
    mindrecord.ImageNetToMR(*paths, 2).transform()
    found = rows(tmp_path / "i0")
    assert {row["file_name"]: (row["label"], row["image"]) for row in found} == content
    assert len(found) == 6 and (tmp_path / "i1").exists()

    (tmp_path / "images" / "n01" / "empty.jpg").write_bytes(b"")
    (tmp_path / "images" / "n02" / "note.txt").write_text("no image")
    (tmp_path / "map").write_text("n01 0\nn02 1\nn03 2\n")
    with pytest.warns(UserWarning) as caught:
        mindrecord.ImageNetToMR(*paths[:2], str(tmp_path / "again")).run()
    said = " ".join(str(each.message) for each in caught)
    assert "no folder" in said and "it is empty" in said and "note.txt is left out" in said
    assert len(rows(tmp_path / "again")) == 6


@pytest.mark.parametrize(
    ("code", "text"), [("E0608", "n01\n"), ("E0608", "n01 one\n"), ("E0604", "n09 0\n")]
)
def test_maps_of_imagenet_that_lead_nowhere(tmp_path, code, text):
    (tmp_path / "map").write_text(text)
    converter = mindrecord.ImageNetToMR(str(tmp_path / "map"), str(tmp_path), str(tmp_path / "i"))
    if code == "E0604":
        with pytest.warns(UserWarning, match="no folder"):
            fails(code, converter.run)
    else:
        fails(code, converter.run)
