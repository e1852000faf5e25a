"""What of MindSpore's API is there? The names, how often they are used, and the page."""
