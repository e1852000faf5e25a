"""Which data sets of MindSpore's are there not yet, and what can be written instead?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail

#: Instead of files that another library writes.
HELP = "read the files in an object with __getitem__ and __len__, and give it to GeneratorDataset"


class TFRecordDataset:
    """Files of TensorFlow are not supported: E0712."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise fail("E0712", "TFRecordDataset is not supported in this version", help=HELP)
