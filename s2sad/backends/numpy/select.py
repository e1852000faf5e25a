"""NumPy expressions for `s2sad.prims.select`."""

from s2sad.prims.select import where

TABLE = {where: "np.where({0}, {1}, {2})"}
