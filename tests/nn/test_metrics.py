"""Do metrics say what scikit-learn, SciPy and the formulas say, batch by batch?"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy import ndimage
from sklearn import metrics as right

import s2sad as ms
from s2sad import nn
from s2sad.core.diagnostics import S2sadError

RNG = np.random.default_rng(0)
SCORES = RNG.random((60, 4))
CLASSES = RNG.integers(0, 4, 60)
GUESSES = SCORES.argmax(1)


def in_batches(metric, *arrays, wrap=ms.Tensor):
    """`metric` of what is given in three batches of Tensors, after something else was forgotten."""
    metric.update(*(wrap(x[:5]) for x in arrays))
    metric.clear()
    for part in (slice(0, 20), slice(20, 50), slice(50, None)):
        metric.update(*(wrap(x[part]) for x in arrays))
    return metric.eval()


def test_accuracy():
    expected = right.accuracy_score(CLASSES, GUESSES)
    assert in_batches(nn.Accuracy(), SCORES, CLASSES) == pytest.approx(expected, rel=1e-15)
    onehot = np.eye(4)[CLASSES]
    assert in_batches(nn.Accuracy(), SCORES, onehot) == pytest.approx(expected, rel=1e-15)
    assert in_batches(nn.Accuracy(), SCORES, CLASSES, wrap=list) == pytest.approx(expected)
    pixels = nn.Accuracy()(np.moveaxis(SCORES.reshape(3, 20, 4), 2, 1), CLASSES.reshape(3, 20))
    assert pixels == pytest.approx(expected)
    labels, guessed = RNG.integers(0, 2, (60, 2)), RNG.integers(0, 2, (60, 2))
    found = in_batches(nn.Accuracy("multilabel"), guessed, labels)
    assert found == pytest.approx(right.accuracy_score(labels, guessed))


@pytest.mark.parametrize(
    ("metric", "score"),
    [
        (nn.Precision(), right.precision_score), (nn.Recall(), right.recall_score),
        (nn.F1(), right.f1_score), (nn.Fbeta(2.0), partial(right.fbeta_score, beta=2.0)),
    ],
)  # fmt: skip
def test_counts_of_classes(metric, score):
    found = in_batches(metric, SCORES, CLASSES)
    np.testing.assert_allclose(found, score(CLASSES, GUESSES, average=None), rtol=1e-14)
    macro = score(CLASSES, GUESSES, average="macro")
    assert metric.eval(average=True) == pytest.approx(macro, rel=1e-14)


def test_precision_and_recall_of_labels():
    labels, guessed = (RNG.integers(0, 2, (60, 3)) for _ in range(2))
    both = (labels * guessed).sum(1)
    found = in_batches(nn.Precision("multilabel"), guessed, labels)
    np.testing.assert_allclose(found, both / np.maximum(guessed.sum(1), 1e-300))
    found = in_batches(nn.Recall("multilabel"), guessed, labels)
    np.testing.assert_allclose(found, both / np.maximum(labels.sum(1), 1e-300))


def test_the_best_k():
    for metric, k in ((nn.TopKCategoricalAccuracy(2), 2), (nn.Top1CategoricalAccuracy(), 1)):
        expected = right.top_k_accuracy_score(CLASSES, SCORES, k=k)
        assert in_batches(metric, SCORES, CLASSES) == pytest.approx(expected)
    wide = RNG.random((60, 9))
    classes = RNG.integers(0, 9, 60)
    expected = right.top_k_accuracy_score(classes, wide, k=5, labels=range(9))
    assert in_batches(nn.Top5CategoricalAccuracy(), wide, np.eye(9)[classes]) == expected


def test_errors():
    one, other = RNG.random((60, 2)), RNG.random((60, 2))
    found = in_batches(nn.MAE(), one, other)
    assert found == pytest.approx(2 * right.mean_absolute_error(other, one))
    found = in_batches(nn.MSE(), one, other)
    assert found == pytest.approx(2 * right.mean_squared_error(other, one))
    loss = nn.Loss()
    for value in (1.0, ms.Tensor([3.0])):
        loss.update(ms.Tensor(value) if isinstance(value, float) else value)
    assert loss.eval() == 2.0


def test_curve():
    is_one = (CLASSES == 1).astype(int)
    scores = np.round(SCORES[:, 1], 1)  # with ties
    found = nn.ROC()(scores, is_one)
    expected = right.roc_curve(is_one, scores, drop_intermediate=False)
    for mine, theirs in zip(found[:2], expected[:2], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-14)
    np.testing.assert_allclose(found[2][1:], expected[2][1:])
    assert nn.auc(*found[:2]) == pytest.approx(right.roc_auc_score(is_one, scores))
    assert nn.auc(found[0][::-1], found[1][::-1]) == pytest.approx(nn.auc(*found[:2]))
    order = RNG.permutation(len(found[0]))
    assert nn.auc(found[0][order], found[1][order], reorder=True) == pytest.approx(
        nn.auc(*found[:2])
    )
    false, true, _ = nn.ROC(class_num=4)(SCORES, CLASSES)
    for c in range(4):
        expected = right.roc_auc_score(CLASSES == c, SCORES[:, c])
        assert nn.auc(false[c], true[c]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("normalize", "theirs"),
    [("no_norm", None), ("target", "true"), ("prediction", "pred"), ("all", "all")],
)
def test_confusion_matrix(normalize, theirs):
    expected = right.confusion_matrix(CLASSES, GUESSES, normalize=theirs)
    np.testing.assert_allclose(
        in_batches(nn.ConfusionMatrix(4, normalize), SCORES, CLASSES), expected
    )
    found = in_batches(nn.ConfusionMatrix(4, normalize), GUESSES, CLASSES)
    np.testing.assert_allclose(found, expected)


def test_confusion_matrix_of_floats_and_of_missing_classes():
    found = nn.ConfusionMatrix(2, threshold=0.25)([0.2, 0.3, 0.9], [0, 0, 1])
    assert found.tolist() == [[1.0, 1.0], [0.0, 1.0]]
    assert nn.ConfusionMatrix(2, "target")([0, 0], [0, 0]).tolist() == [[1.0, 0.0], [0.0, 0.0]]


#: True and false positives, true and false negatives, and what the textbook makes of them.
TP, FP, TN, FN = 5, 3, 9, 2
TEXTBOOK = {
    "sensitivity": 5 / 7, "TPR": 5 / 7, "specificity": 9 / 12, "precision": 5 / 8, "ppv": 5 / 8,
    "negative_predictive_value": 9 / 11, "miss rate": 2 / 7, "fall out": 3 / 12,
    "false discovery rate": 3 / 8, "false omission rate": 2 / 11, "threat score": 5 / 10,
    "accuracy": 14 / 19, "balanced accuracy": (5 / 7 + 9 / 12) / 2, "f1 score": 10 / 15,
    "matthews correlation coefficient": (45 - 6) / np.sqrt(8 * 7 * 12 * 11),
    "fowlkes mallows index": np.sqrt(5 / 8 * 5 / 7), "informedness": 5 / 7 + 9 / 12 - 1,
    "markedness": 5 / 8 + 9 / 11 - 1,
    "prevalence threshold": (np.sqrt(5 / 7 * 3 / 12) - 3 / 12) / (5 / 7 - 3 / 12),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTBOOK)
def test_numbers_of_a_confusion_matrix(name):
    guessed = np.array([1] * (TP + FP) + [0] * (TN + FN))[:, None, None]
    truth = np.array([1] * TP + [0] * FP + [0] * TN + [1] * FN)[:, None, None]
    found = in_batches(nn.ConfusionMatrixMetric(True, name), guessed, truth)
    np.testing.assert_allclose(found, [TEXTBOOK[name]], rtol=1e-14)


def test_numbers_of_each_case():
    guessed, truth = (RNG.integers(0, 2, (2, 3, 4, 4)) for _ in range(2))
    truth[0, 2] = 0  # no positive: the sensitivity has no meaning
    hits = (guessed & truth).sum((2, 3)) / np.maximum(truth.sum((2, 3)), 1e-300)
    for decrease, expected in {
        "mean": np.mean([hits[0, 1], np.mean(hits[1, 1:])]),
        "mean_batch": np.mean([np.mean(hits[:, 1]), hits[1, 2]]),
        "sum": np.sum(hits[:, 1:]), "sum_channel": np.sum(hits[:, 1:]) / 2,
    }.items():  # fmt: skip
        metric = nn.ConfusionMatrixMetric(True, "tpr", True, decrease)
        assert metric(guessed, truth) == pytest.approx(expected), decrease


def test_similarity():
    rows = RNG.normal(size=(4, 3))
    expected = right.pairwise.cosine_similarity(rows)
    np.testing.assert_allclose(nn.CosineSimilarity(zero_diagonal=False)(rows), expected)
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(nn.CosineSimilarity(reduction="mean")(rows), expected.mean(1))
    dot = nn.CosineSimilarity("dot", "sum", False)(rows)
    np.testing.assert_allclose(dot, (rows @ rows.T).sum(1))
    one, other = RNG.random((6, 2)), RNG.integers(0, 2, (6, 2))
    expected = 2 * (one * other).sum() / ((one**2).sum() + other.sum() + 0.5) / 6
    assert nn.Dice(0.5)(one, other) == pytest.approx(expected)


def test_words():
    chances = RNG.dirichlet(np.ones(5), (3, 4))
    words = RNG.integers(0, 5, (3, 4))
    picked = np.take_along_axis(chances, words[..., None], 2)[..., 0]
    expected = np.exp(-np.log(picked).mean())
    assert nn.Perplexity()(chances, words) == pytest.approx(expected)
    expected = np.exp(-np.log(picked[words != 2]).mean())
    assert nn.Perplexity(2)(chances, words) == pytest.approx(expected)


def test_bleu():
    metric = nn.BleuScore(2)
    metric.update(["the the cat".split()], [["the cat sat".split(), "a cat".split()]])
    metric.update(["a dog".split()], [["a dog ran off".split()]])
    # Shared words 2 of 3 and 2 of 2, pairs 1 of 2 and 1 of 1; 5 words for 3 + 4 of the nearest.
    expected = np.sqrt(4 / 5 * 2 / 3) * np.exp(1 - 7 / 5)
    assert metric.eval() == pytest.approx(expected)
    assert nn.BleuScore(1)(["x".split()], [["y".split()]]) == 0.0
    smooth = nn.BleuScore(1, True)(["a b c".split()], [["a d".split()]])
    assert smooth == pytest.approx(2 / 4)


def edges(area):
    return ndimage.binary_erosion(area) ^ area


@pytest.mark.parametrize("shape", [(9, 11), (4, 5, 6)])
@pytest.mark.parametrize("kind", ["euclidean", "chessboard", "taxicab"])
def test_surfaces(shape, kind):
    one, other = (RNG.integers(0, 2, shape) for _ in range(2))
    areas = [ndimage.binary_dilation(x == 1) for x in (one, other)]
    areas[0][0], areas[1][:, 0] = False, False
    far = []
    for here, there in (areas, areas[::-1]):
        background = ~edges(there)
        transform = (
            ndimage.distance_transform_edt(background)
            if kind == "euclidean"
            else ndimage.distance_transform_cdt(background, metric=kind)
        )
        far.append(transform[edges(here)].astype(float))
    given = (*(x.astype(int) for x in areas), 1)
    whole, part = nn.HausdorffDistance(kind), nn.HausdorffDistance(kind, 90.0, directed=True)
    assert whole(*given) == pytest.approx(max(far[0].max(), far[1].max()))
    assert part(*given) == pytest.approx(np.percentile(far[0], 90.0))
    assert nn.MeanSurfaceDistance(False, kind)(*given) == pytest.approx(far[0].mean())
    both = nn.MeanSurfaceDistance(True, kind)(*given)
    assert both == pytest.approx((far[0].mean() + far[1].mean()) / 2)
    root = nn.RootMeanSquareDistance(False, kind)(*given)
    assert root == pytest.approx(np.sqrt((far[0] ** 2).mean()))


def test_surfaces_of_nothing():
    full, empty = [[1, 1]], [[0, 0]]
    for metric in (nn.HausdorffDistance(), nn.MeanSurfaceDistance(True)):
        assert metric(full, empty, 1) == np.inf and metric(empty, full, 1) == np.inf


def test_by_name():
    assert all(isinstance(name, str) for name in nn.names())
    made = ms.train.get_metrics({"accuracy", "mse"})
    assert isinstance(made["accuracy"], ms.train.Accuracy) and isinstance(made["mse"], nn.MSE)
    assert ms.train.get_metrics(made) is made and ms.train.get_metrics(None) is None
    assert nn.get_metric_fn("auc", [0.0, 1.0], [1.0, 1.0]) == 1.0


class Share(nn.Metric):
    """A metric as users of MindSpore write one."""

    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        self.seen = []

    @nn.rearrange_inputs
    def update(self, *inputs):
        self.seen.append(self._convert_data(inputs[0]).mean())

    def eval(self):
        return np.mean(self.seen)


def test_a_metric_of_ones_own():
    assert Share()(ms.Tensor([1.0, 2.0])) == 1.5
    assert Share().set_indexes([1])(ms.Tensor([1.0]), ms.Tensor([4.0])) == 4.0


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (lambda: nn.Accuracy("binary"), "E0404"), (lambda: nn.Accuracy().eval(), "E0404"),
        (lambda: nn.Accuracy()([[0.5]]), "E0302"), (lambda: nn.Accuracy()(0.5, 1), "E0304"),
        (lambda: nn.Accuracy()([[0.5, 0.5]], [1, 0]), "E0401"),
        (lambda: nn.Accuracy("multilabel")([[2, 0]], [[1, 0]]), "E0404"),
        (lambda: nn.Accuracy("multilabel")([[1, 0]], [1, 0]), "E0401"),
        (lambda: nn.Precision()([[0.5, 0.5]], [2]), "E0404"),
        (lambda: nn.Fbeta(0.0), "E0404"), (lambda: nn.Recall().eval(), "E0404"),
        (lambda: nn.TopKCategoricalAccuracy(0), "E0404"),
        (lambda: nn.TopKCategoricalAccuracy(1)([0.5], [1]), "E0401"),
        (lambda: nn.MAE()([1.0], [1.0, 2.0]), "E0401"), (lambda: nn.MSE().eval(), "E0404"),
        (lambda: nn.Loss()([1.0, 2.0]), "E0401"), (lambda: nn.Loss().eval(), "E0404"),
        (lambda: nn.ROC()([[0.5, 0.5]], [1]), "E0401"), (lambda: nn.ROC()([0.5], [1]), "E0404"),
        (lambda: nn.ROC(2)([0.5], [1]), "E0401"), (lambda: nn.ROC().eval(), "E0404"),
        (lambda: nn.auc([0.0], [1.0]), "E0401"), (lambda: nn.auc([0, 1, 0], [1, 1, 1]), "E0404"),
        (lambda: nn.ConfusionMatrix(2, "both"), "E0404"),
        (lambda: nn.ConfusionMatrix(2)([2], [0]), "E0404"),
        (lambda: nn.ConfusionMatrix(2).eval(), "E0404"),
        (lambda: nn.ConfusionMatrixMetric(metric_name="luck"), "E0404"),
        (lambda: nn.ConfusionMatrixMetric(decrease="all"), "E0404"),
        (lambda: nn.ConfusionMatrixMetric()([[1]], [[2]]), "E0404"),
        (lambda: nn.CosineSimilarity("sine"), "E0404"),
        (lambda: nn.CosineSimilarity()([1.0]), "E0401"), (lambda: nn.Dice(0.0), "E0404"),
        (lambda: nn.Dice()([[1.0]], [1.0]), "E0401"), (lambda: nn.Perplexity(1.0), "E0303"),
        (lambda: nn.Perplexity()([[0.5, 0.5]], [1, 0]), "E0401"),
        (lambda: nn.BleuScore(5), "E0404"), (lambda: nn.BleuScore()([["a"]], []), "E0401"),
        (lambda: nn.HausdorffDistance("straight"), "E0404"),
        (lambda: nn.HausdorffDistance(percentile=101.0), "E0404"),
        (lambda: nn.HausdorffDistance()([[1]], [[1]], 7), "E0404"),
        (lambda: nn.MeanSurfaceDistance()([[1]], [[1], [1]], 1), "E0401"),
        (lambda: nn.MeanSurfaceDistance()([[1]], [[1]], "a"), "E0303"),
        (lambda: nn.MeanSurfaceDistance().eval(), "E0404"), (lambda: nn.Metric().clear(), "E0220"),
        (lambda: nn.Metric().set_indexes((0,)), "E0303"), (lambda: nn.get_metric_fn("a"), "E0404"),
        (lambda: ms.train.get_metrics(["mse"]), "E0304"),
    ],
)  # fmt: skip
def test_what_cannot_be(run, code):
    with pytest.raises(S2sadError) as caught:
        run()
    assert caught.value.code == code
