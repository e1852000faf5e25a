"""Programs written for MindSpore run as they stand: its import paths are served from s2sad.

``s2sad run script.py`` does it for a script; `serve` does it for the process that calls it.
"""

from s2sad.compat.finder import serve, withdraw

__all__ = ["serve", "withdraw"]
