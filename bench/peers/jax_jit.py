"""JAX: one jitted training step with the state donated; dispatch is asynchronous (JAX's default),
the clock stops when the last loss and the last state are ready."""

import _jax_models as M
import common as C

BEST = {
    "*": "plain",
    "lenet": "nhwc",
    "simplenet_seed": "nhwc",
    "simplenet_224": "nhwc",
    "resnet_block_net": "nhwc",
}

if __name__ == "__main__":
    args = C.parse_args("jax_jit", M.variants("lenet"), "best")
    M.environment(args.threads)
    import jax
    import jax.numpy as jnp

    class R(M.Base):
        def setup(self):
            self.batches = [[jnp.array(v[i]) for v in self.D] for i in range(self.nb)]
            self.step = jax.jit(self.fn, donate_argnums=0)

        def run(self, n):
            losses, state = [], self.state
            for _ in range(n):
                state, loss = self.step(state, *self.batches[self.i % self.nb])
                losses.append(loss)
                self.i += 1
            self.state = jax.block_until_ready(state)
            return [float(x) for x in losses]

    C.main("jax_jit", M.variants, BEST, lambda n, v: R(n, set(v.split("_"))), M.versions(), args)
