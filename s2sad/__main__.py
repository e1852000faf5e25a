"""What does ``python -m s2sad`` run? The command line."""

from s2sad.tools.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
