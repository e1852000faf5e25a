"""From the IR to programs that run, one package a target."""
