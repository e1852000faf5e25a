"""s2sad: source-to-source automatic differentiation for Python, with MindSpore's API."""
