"""How much of a device's memory does a program take, and what is it at the worst moment?

A tensor's block is taken when its operator runs and given back when its last reader is done, at the
best place that is free then; state and constants keep theirs. Operators that only rename a tensor
share its block. Sizes are rounded up to 512 bytes, as the engine aligns them; workspaces that
kernels take beside their results are not known and not counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from s2sad.backends.ascend.tables import table
from s2sad.core.cache import format_size
from s2sad.core.diagnostics import fail

ALIGNMENT = 512


@dataclass(eq=False)
class Block:
    """A part of the memory.

    Attributes
    ----------
    owner : str
        The result that it was taken for, or the state.
    nbytes, address : int
    kind : {"state", "constant", "input", "result"}
    holders : int
        Tensors that lie in it; none of them, and it is given back.
    """

    owner: str
    nbytes: int
    address: int
    kind: str
    holders: int = 1


class Alive(NamedTuple):
    """What lay in memory at the peak: `owner`, its `kind` and its size."""

    owner: str
    kind: str
    nbytes: int


@dataclass
class Memory:
    """The memory of one device.

    Attributes
    ----------
    capacity : int
        In bytes.
    used, peak : int
        Bytes of what is alive now, and at most.
    reach : int
        The end of the highest block so far: more than `peak` by the gaps between blocks.
    at_peak : list of Alive
        Of everything alive at the peak.

    Examples
    --------
    >>> memory = Memory(2048)
    >>> first = memory.take("relu:0", 1000, "result")
    >>> memory.release(first)
    >>> memory.take("add:0", 100, "result").address, memory.used, memory.peak
    (0, 512, 1024)
    >>> memory.take("matmul:0", 4096, "result")
    Traceback (most recent call last):
      ...
    s2sad.core.diagnostics.S2sadRuntimeError: [E0718] no 4.1 KB are free for matmul:0: 512 B of \
2.05 KB are in use
       = note: add:0 (result): 512 B
       = help: smaller batches, recomputation or a device with more memory
    """

    capacity: int
    used: int = 0
    peak: int = 0
    reach: int = 0
    at_peak: list[Alive] = field(default_factory=list)
    _blocks: list[Block] = field(default_factory=list)  # by address

    def take(self, owner: str, nbytes: int, kind: str) -> Block:
        """A block of `nbytes`.

        Raises
        ------
        S2sadError
            E0718 where none is free.
        """
        size = -(-max(nbytes, 1) // ALIGNMENT) * ALIGNMENT
        place, address = self._free(size)
        if address + size > self.capacity:
            raise self._full(owner, size)
        block = Block(owner, size, address, kind)
        self._blocks.insert(place, block)
        self.used += size
        self.reach = max(self.reach, address + size)
        if self.used > self.peak:
            self.begin_peak()
        return block

    def claim(self, owner: str, nbytes: int) -> None:
        """Count `nbytes` that lie in several blocks, nobody says where, as used from now on.

        Raises
        ------
        S2sadError
            E0718 where so many are not free.
        """
        if self.used + nbytes > self.capacity:
            raise self._full(owner, nbytes)
        self.used += nbytes
        if self.used > self.peak:
            self.begin_peak()
            self.at_peak.append(Alive(owner, "result", nbytes))

    def _free(self, size: int) -> tuple[int, int]:
        """Where the smallest gap begins that is large enough, and between which blocks."""
        best: tuple[int, int, int] | None = None
        end = 0
        for place, block in enumerate(self._blocks):
            gap = block.address - end
            if gap >= size and (best is None or gap < best[0]):
                best = (gap, place, end)
            end = block.address + block.nbytes
        return (len(self._blocks), end) if best is None else best[1:]

    def _full(self, owner: str, size: int) -> Exception:
        what = (f"no {format_size(size)} are free for {owner}: {format_size(self.used)} of "
                f"{format_size(self.capacity)} are in use")  # fmt: skip
        largest = sorted(self._blocks, key=lambda block: -block.nbytes)[:5]
        notes = (f"{b.owner} ({b.kind}): {format_size(b.nbytes)}" for b in largest)
        help = "smaller batches, recomputation or a device with more memory"
        return fail("E0718", what, notes=tuple(notes), help=help)

    def hold(self, block: Block) -> None:
        """One more tensor lies in `block`."""
        block.holders += 1

    def release(self, block: Block) -> None:
        """One of the tensors in `block` is not read any more."""
        block.holders -= 1
        if not block.holders:
            self._blocks.remove(block)
            self.used -= block.nbytes

    def forget(self, *kinds: str) -> None:
        """Give back all blocks of `kinds`, whoever holds them."""
        self._blocks = [block for block in self._blocks if block.kind not in kinds]
        self.used = sum(block.nbytes for block in self._blocks)

    @property
    def end(self) -> int:
        """The end of the highest block that is in use."""
        return self._blocks[-1].address + self._blocks[-1].nbytes if self._blocks else 0

    def begin_peak(self) -> None:
        """Let the peak be what is alive now."""
        self.peak = self.used
        self.at_peak = [Alive(b.owner, b.kind, b.nbytes) for b in self._blocks]

    def pool_stats(self, *, is_persistent: bool) -> dict:
        """Blocks of state, or the others, by MindSpore's keys."""
        found = [block for block in self._blocks if (block.kind == "state") == is_persistent]
        blocks = {block.address: {"owner": block.owner, "size": block.nbytes} for block in found}
        return {"block_unit_size": ALIGNMENT, "block_counts": len(found), "blocks_info": blocks}

    def report(self) -> str:
        """The peak and what was alive then, the largest first, as text."""
        lines = [f"peak {format_size(self.peak)} of {format_size(self.capacity)}, "
                 f"{format_size(self.reach)} with the gaps"]  # fmt: skip
        ordered = sorted(self.at_peak, key=lambda each: (-each.nbytes, each.owner))
        lines += [f"{format_size(x.nbytes):>10}  {x.kind:<8}  {x.owner}" for x in ordered]
        return "\n".join(lines)


def soc(name: str) -> dict:
    """What is known of the chip that CANN calls `name`; E0710 for one that is not known."""
    chips = table("soc")["soc"]
    if name not in chips:
        raise fail("E0710", f"no chip is called {name!r}", help=f"there are {', '.join(chips)}")
    return chips[name]


def capacity_of(name: str) -> int:
    """Bytes of memory of the chip `name`; E0710 where they are not known.

    Examples
    --------
    >>> capacity_of("Ascend910B1") >> 30
    64
    """
    found = soc(name)["hbm_bytes"]
    if found is None:
        raise fail("E0710", f"how much memory {name} has is not known", help="give a capacity")
    return found
