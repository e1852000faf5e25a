"""What a pipeline is made of: a step each, as data, and how it makes blocks of rows.

`Dataset` is the face of these for users.
"""
