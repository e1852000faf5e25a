"""What does `S2SAD_LOG` in the environment ask to be told, and where is it said?

Topics, separated by commas. Each is a kind of event of which a person may want to know why it
happens; it is a line on standard error. What asks does so where the event is, never on the way of
a call that has none.
"""

from __future__ import annotations

import os
import sys

from s2sad.core.diagnostics import fail

#: Variable of the environment that names topics.
VARIABLE = "S2SAD_LOG"
#: What can be asked for: ``recompile``, a line for each variant that a call needed.
TOPICS = ("recompile",)


def is_asked(topic: str) -> bool:
    """Whether the environment asks for `topic`; E0404 where it asks for what there is not."""
    asked = [name.strip() for name in os.environ.get(VARIABLE, "").split(",")]
    for name in filter(None, asked):
        if name not in TOPICS:
            known = " or ".join(TOPICS)
            raise fail("E0404", f"{VARIABLE} can be {known}, got {name!r}", help="or unset it")
    return topic in asked


def tell(text: str) -> None:
    """Say `text` in one line of standard error, where there is one."""
    if sys.stderr is not None:
        print("s2sad:", *text.split(), file=sys.stderr, flush=True)
