"""What shows that s2sad does what it says? The tests mirror the package."""
