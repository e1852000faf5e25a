"""From the user's Python source to the IR, by parsing and partial evaluation, never by tracing."""
