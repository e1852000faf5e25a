"""Which objects reduce what belongs together?"""

from __future__ import annotations

from s2sad.ops import segments
from s2sad.ops.primitives.base import like

PARTS = "ms.Tensor([1.0, 2.0, 4.0]), ms.Tensor([0, 1, 0]), 2"

UnsortedSegmentMax = like(segments.unsorted_segment_max, "UnsortedSegmentMax", PARTS, "[4.0, 2.0]")
UnsortedSegmentMin = like(segments.unsorted_segment_min, "UnsortedSegmentMin", PARTS, "[1.0, 2.0]")
UnsortedSegmentProd = like(
    segments.unsorted_segment_prod, "UnsortedSegmentProd", PARTS, "[4.0, 2.0]"
)
