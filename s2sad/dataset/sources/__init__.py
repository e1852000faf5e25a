"""The data sets that rows come from, a file for each kind."""
