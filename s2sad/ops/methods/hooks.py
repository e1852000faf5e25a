"""Which methods of a Tensor concern its gradient?"""

from __future__ import annotations

from s2sad.core.hooks import register_hook

METHODS = {"register_hook": register_hook}
