"""From the IR to better IR: a pass is a frozen dataclass, a pipeline is a tuple of them."""
