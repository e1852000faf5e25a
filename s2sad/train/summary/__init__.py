"""Event files: numbers, histograms and pictures of training, for TensorBoard."""

from s2sad.train.summary.record import SummaryRecord

__all__ = ["SummaryRecord"]
