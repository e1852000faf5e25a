"""Which methods of a Parameter write it?"""

from __future__ import annotations

from s2sad.ops import state

METHODS = {"assign_value": state.assign}
