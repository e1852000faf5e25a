"""Which of `s2sad.prims.select` have a NumPy expression of their own?"""

from s2sad.prims.select import where

TABLE = {where: "np.where({0}, {1}, {2})"}
