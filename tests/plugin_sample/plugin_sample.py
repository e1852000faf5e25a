"""A package that plugs a rule and a pass into every compilation, once it is installed."""

from dataclasses import dataclass

from s2sad import extend
from s2sad import prims as p


@extend.rewrite
class ReluAbs(extend.Rewrite):
    """relu(abs(x))  =>  abs(x)."""

    def before(x):
        return p.relu(p.abs(x))

    def after(x):
        return p.abs(x)


@extend.register_pass(after="cse")
@dataclass(frozen=True)
class ForgetScopes(extend.Pass):
    """Let operations forget the Cells that they came from."""

    name = "forget-scopes"

    def run(self, function, rewriter):
        for operation in function.walk():
            operation.scope = ""
