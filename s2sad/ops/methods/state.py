"""Methods of Parameters that write them."""

from __future__ import annotations

from s2sad.ops import state

METHODS = {"assign_value": state.assign}
