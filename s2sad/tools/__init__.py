"""What is offered outside of Python: the command line, and what it is made of."""
