"""JAX 'sink' form: lax.scan over the n training steps, one compiled call, state donated; the
batches lie stacked in memory and are indexed inside the loop.  'unroll' unrolls the scan fully:
XLA's CPU backend runs convolutions inside a loop body on a slow path."""

import _jax_models as M
import common as C

BEST = {
    "*": "plain",
    "lenet": "nchw",
    "simplenet_seed": "nhwc_unroll",
    "simplenet_224": "nhwc_unroll",
    "resnet_block_net": "nhwc_unroll",
}

if __name__ == "__main__":
    args = C.parse_args("jax_scan", M.variants("lenet"), "best")
    M.environment(args.threads)
    import jax
    import jax.numpy as jnp
    from jax import lax

    class R(M.Base):
        sink = True

        def setup(self):
            self.stacked = [jnp.array(v) for v in self.D]
            nb, n, fn = self.nb, self.n, self.fn
            self.unroll = "unroll" in self.opts

            def many(state, stacked):
                def body(state, i):
                    batch = [
                        lax.dynamic_index_in_dim(v, i % nb, 0, keepdims=False) for v in stacked
                    ]
                    return fn(state, *batch)

                return lax.scan(body, state, jnp.arange(n), unroll=n if self.unroll else 1)

            self.many = jax.jit(many, donate_argnums=0)

        def run(self, n):
            assert n == self.n
            self.state, losses = jax.block_until_ready(self.many(self.state, self.stacked))
            return [float(x) for x in losses]

    def variants(w):
        return M.variants(w) + ([v + "_unroll" for v in M.variants(w)] if w in M.CONV else [])

    C.main("jax_scan", variants, BEST, lambda n, v: R(n, set(v.split("_"))), M.versions(), args)
