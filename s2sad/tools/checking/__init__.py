"""What is wrong in files of Python, as far as their text tells? They are read, and never run."""
