"""Which objects compute with integers?"""

from __future__ import annotations

from s2sad.ops import whole_numbers
from s2sad.ops.primitives.base import like

PAIR = "ms.Tensor([12, -7]), ms.Tensor([8, 2])"

Gcd = like(whole_numbers.gcd, "Gcd", PAIR, "[4, 1]")
Lcm = like(whole_numbers.lcm, "Lcm", PAIR, "[24, 14]")
TruncateDiv = like(whole_numbers.truncate_div, "TruncateDiv", PAIR, "[1, -3]")
TruncateMod = like(whole_numbers.truncate_mod, "TruncateMod", PAIR, "[4, -1]")
