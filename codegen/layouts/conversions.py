"""What it takes to convert a tile from one layout to another without leaving the warp.

First threads select among their registers, where that gives a bit of a thread's number the base
that it has in the target. Then either every thread has what it needs, in other registers perhaps,
or lanes get it from other lanes by shuffles, or elements have to change warps.

This file depends on neither LLVM nor Tile IR.
"""

from __future__ import annotations

from dataclasses import dataclass

from .linear_layout import LinearLayout, renames, span

WORD_BITS = 32
"""What one shuffle moves."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """The steps of a conversion to the layout `target`.

    `selections` are bits of a thread's number, each with the register base whose upper half the
    threads with that bit keep; `registers[n]` are the register bases after selection n. `selected`
    is the layout after all of them.
    """

    selections: tuple[tuple[int, int], ...]
    registers: tuple[tuple[int, ...], ...]
    selected: LinearLayout
    target: LinearLayout

    @property
    def renames(self) -> bool:
        """Whether each thread has all its elements after the selections."""
        return renames(self.selected, self.target)

    @property
    def keeps_warps(self) -> bool:
        """Whether each warp has all its elements after the selections."""
        return self.selected.warp == self.target.warp

    def shuffles(self, bits: int) -> int:
        """Return how many shuffles it takes where no element of so many bits changes its warp.

        Where a lane's number says which register of the other lane it needs, there is a shuffle for
        each of these registers.
        """
        held = set(self.selected.offsets())
        chosen = sum(base != 0 and base in held for base in self.target.lane)
        return -(-bits // WORD_BITS) * len(self.target.offsets()) << chosen


def conversion(source: LinearLayout, target: LinearLayout) -> Conversion:
    """Return how to convert a tile from layout `source` to `target`.

    Where a thread bit has no base in `source`, and the registers hold both values of its base in
    `target`, each thread keeps the half that it needs.
    """
    thread, register = list(source.thread), list(source.register)
    selections, registers = [], []
    for bit, wanted in enumerate(target.thread):
        if thread[bit] or wanted not in register or wanted in target.register:
            continue
        register.remove(wanted)
        thread[bit] = wanted
        selections.append((bit, wanted))
        registers.append(tuple(register))
    lanes = len(source.lane)
    selected = LinearLayout(
        source.bits, tuple(register), tuple(thread[:lanes]), tuple(thread[lanes:])
    )
    return Conversion(tuple(selections), tuple(registers), selected, target)


def mask_of(bases: tuple[int, ...]) -> int:
    """Return the mask of all bits that some of the bases have."""
    mask = 0
    for base in bases:
        mask |= base
    return mask


def cases_of(target: LinearLayout, registers: int) -> tuple[list[int], list[int]]:
    """Return the lane bits that choose among registers of the other lane, and all choices.

    `registers` is the mask of the register bases of the source.
    """
    selecting = [bit for bit, base in enumerate(target.lane) if base & registers]
    return selecting, span([target.lane[bit] for bit in selecting])


def images_without(bits: int, mask: int) -> list[int]:
    """Map element numbers of `bits` bits to numbers without those of the mask."""
    kept = [bit for bit in range(bits) if not mask >> bit & 1]
    return [1 << kept.index(bit) if bit in kept else 0 for bit in range(bits)]
