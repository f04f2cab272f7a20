"""Reasons of decisions: rows of an id and a sentence.

The functions that decide return them, so that nothing finds out a second time why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from tileir.ir import Op

SENTENCES = {
    # why a load is made in its own iteration
    "no_loop": "it is in no loop, so that there is no other iteration to overlap with",
    "early_exit": "only a `for` is known to have a next iteration",
    "conditional": "it is inside of an if, which may not be taken",
    "through_pointers": "it loads through pointers, not through a view of a grid of tiles",
    "ordered": "it is an ordered load, not a weak one",
    "after_write": "its token comes after an op of the loop that may write",
    "computed_index": "its view or index depends on more than the loop's counter and cheap ops",
    "long_index": "its view and index take more than {0} ops of the loop",
    # why warpgroups do not execute a product
    "group_memory": "not by warpgroups: its kernel's operands take {0} bytes of shared memory",
    "group_registers": "not by warpgroups: accumulators take {0} registers of a thread",
    "group_type": "not by warpgroups: their atoms here have no {0}",
    "group_scaled": "not by warpgroups: {0} times scales of any size has no type of 16 bits",
    "group_converted": "not by warpgroups: atoms of a warp convert operands when they read them",
    "group_warps": "not by warpgroups: the block has only {0} of the 4 warps of one",
    "group_share": "not by warpgroups: each would have less than an atom of {0}, or a part of rows",
    "group_rows": "not by warpgroups: no descriptor says how {0} would lie in shared memory",
    "group_ahead": "not by warpgroups: {0} would be copied in shared memory, and no ring be filled",
    # why no tensor core multiplies
    "no_atom": "the target's tensor cores do not multiply {0}, or not exactly",
    # why offsets have 64 bits
    "long_offsets": "what is known of its {0} does not exclude 2**31 and more",
    # why there is no ring for it
    "no_cp_async": "the target has no asynchronous copies",
    "variables": "the kernel has variables, which a source could be",
    "inner_ring": "a loop inside of this one has a ring",
    "other_use": "{0} uses its tile, not only matrix products from shared memory",
    "unused": "nothing uses its tile",
    "converted": "its elements are converted on the way to shared memory",
    "pieces": "its tile is stored in pieces, or not in every iteration",
    "other_reader": "{0} reads its tile in shared memory, not only matrix products",
    "packed": "several of its elements share a byte",
    "padding": "the padding of its view is not zero",
    "masked": "its elements are not zero where its mask is false",
    "shared_pointers": "other ops need what its pointers are computed from, too",
    "narrow_copies": "asynchronous copies have 4 bytes or more, its accesses {0}",
    "many_copies": "it would take {0} copies of a thread",
    "no_room": "shared memory has no room for two slots of {0} bytes",
    # why an operand is converted when it is read, or is not
    "read": "asynchronous copies can bring it as it is",
    "not_ahead": "no loop could load it iterations ahead",
    "scattered": "narrower elements would be read one by one",
    "dear_reads": "it would take {0} instructions for each that multiplies",
    # why all warps have one role
    "role_feature": "the target's warps cannot hand over registers",
    "role_warps": "its warps are no whole warpgroups",
    "role_fixed": "{0} leaves no warps for a producer",
    "role_unit": "{0} is no multiple of 8 registers, by which warps hand them over",
    "role_around": "{0} is around the loop, not only `for`",
    "role_early_end": "some iterations of a loop end early",
    "role_early_return": "the kernel may return before its end",
    "role_order": "its token comes after {0}, which the producer would overtake",
    "role_tile": "a tile of {0} says what is copied",
    "role_control": "{0} says what is copied",
    "role_effect": "{0}, which says what is copied, has an effect",
    "role_memory": "shared memory has no room for rings that live as long as the kernel",
    "role_launch": "a thread would not have {0} registers before others give theirs up",
    "role_registers": "a consumer's thread would need {0} registers",
    # why the blocks of a cluster do not work together
    "split_cluster": "only clusters of two blocks along x do, where the grid counts blocks",
    "split_feature": "the target's products are not by warpgroups",
    "split_products": "the kernel has no matrix product",
    "split_small": "each block would have less than {0} rows or columns of a product",
    "split_op": "{0} needs all of a tile that would be split",
    "split_twice": "{0} would be split along one dimension, and not, or along another one",
    "split_effect": "{0} has an effect that both blocks would have",
    "split_order": "a store comes behind {0} by a token, which the other block does, too",
    "split_view": "{0} is no access to a tile of a partition view, by an index of i32 or i64",
    # why a ring has so many slots
    "ring_usual": "one iteration ahead may be too late for memory's latency",
    "ring_flight": "{0} bytes in flight are what saturates memory",
    "ring_most": "more would make the code before the first iteration longer still",
    "ring_read": "products under way read one of them",
    "ring_producer": "a producer may be ahead by as many as there is memory for",
    "ring_room": "shared memory has no room for more",
    # why it is not loaded into registers ahead
    "costly": "the loop has {0}, which needs the registers",
    "plain": "nothing in the loop keeps ptxas from moving it: no barrier, no store",
    "single": "it loads one element",
    "many_bytes": "a thread has loads of {0} bytes ahead already, or would have more",
    "layouts": "it is loaded in several layouts",
    "write_before": "a write may come before it, outside of the loop",
    # why a load goes ahead
    "tensor_copies": "only matrix products read its tile, and a tensor map describes its tensor",
    "only_products": "only matrix products read its tile, and no store comes before it",
    "barriers_delay": "barriers or stores in the loop would delay it",
    # how elements get into another layout
    "renamed": "every thread has its elements already",
    "few_shuffles": "no element changes its warp, and {0} do",
    "many_shuffles": "it would take {0} shuffles of a thread",
    "warps_change": "elements change their warp",
    # why it is no copy of boxes of a tensor
    "no_tensor_copies": "the target has no tensor copies",
    "no_tensor_ring": "no ring of tensor copies takes its tile",
    "no_pattern": "no swizzle of tensor maps puts its rows where products read them",
    "many_maps": "a kernel's parameters leave no room for its tensor map",
    "other_load": "another load of its ring cannot be made by tensor copies",
    "gathered": "the rows of its view are gathered",
    "after_acquire": "its token comes after {0}, which may acquire what other blocks have written",
    "after_store": "its token comes after {0} of this kernel, and no proxy fence lies between",
    "no_map_element": "tensor maps have no elements of type {0}",
    "many_dimensions": "it has more than {0} dimensions",
    "computed_base": "the kernel computes the base address of its tensor",
    "computed_extent": "the kernel computes an extent of its tensor",
    "computed_stride": "the kernel computes a stride of its tensor",
    "unfit_size": "its tensor has an extent or a stride in bytes of {0}, which is in no tensor map",
    "short_rows": "its rows have {0} bytes",
    "large_box": "its tile has more than {0} elements along a dimension",
    # why products of an iteration stay under way in the next one, or do not
    "under_way": "only products add to their sums",
    "several_ends": "an iteration has several ends",
    "sum_used": "the iteration uses a sum itself",
    "registers_read": "a product reads an operand in registers, which the next iteration changes",
    "stored_anew": "an operand is stored to the same shared memory in each iteration",
    "calls": "where a kernel calls a function, for {0}, ptxas awaits each wgmma at once (C7510)",
    "second_barrier": "no memory for a slot more, so a barrier comes before what threads copy",
    "delayed": "they depend on other products of their iteration, so they come an iteration later",
    "ordered_groups": "warpgroups take turns to start them, so that one computes meanwhile",
    "delayed_effect": "{0}, which depends on a product of the iteration, has an effect",
    "delayed_slots": "the ring has fewer than {0} slots, of which two would be read at a time",
    "delayed_type": "products need what {0} makes, which a loop cannot carry",
    "delayed_registers": "a thread would need {0} registers",
    # why a store is no copy of boxes of a tensor; others are those of loads
    "no_group_sums": "its tile has not the layout of a product of warpgroups",
    "ordered_store": "it is an ordered store, not a weak one",
    "stores_pointers": "it stores through pointers, not through a view of a grid of tiles",
    "before_access": "its token comes before {0}, which another thread might do too early",
    "no_store_room": "shared memory has no room for its {0} bytes beside those of the loop",
    "tensor_stores": "it is the tile of a product, and a tensor map describes its tensor",
    # unrolling
    "unrolled": "{0} bytes of loads a thread in each iteration",
    "nothing_loaded": "it loads nothing",
    "enough_loaded": "{0} bytes of loads a thread in each iteration are enough in flight",
    "not_plain": "{0} in it orders iterations, or is control flow",
    "convergent": "{0} in it is executed by all lanes of a warp together",
    # what ptxas says
    "spilled": "registers do not suffice: spills and reloads take {0} bytes of local memory",
    # why an access is no wider
    "widest": "there is no wider one",
    "no_unit_stride": "no stride is known to be 1",
    "base": "the base address is only known to be a multiple of {0}",
    "stride": "a stride is only known to be a multiple of {0}",
    "tile": "the tile has {0} side by side",
    "start": "tiles are only known to start at a multiple of {0}",
    "layout": "its layout gives threads runs of {0}",
    "instruction": "one instruction takes {0}",
    "not_adjacent": "no neighbours are known to be adjacent in memory",
    "address": "addresses are only known to be multiples of {0}",
    "run": "only {0} are known to be adjacent in memory",
    "mask": "only {0} are known to have the same mask",
}
"""Id -> the sentence, without a full stop; `{0}` is its fact."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something was decided: the id of a sentence, and the number or name in it."""

    id: str
    fact: object = ""

    def __str__(self) -> str:
        return SENTENCES[self.id].format(self.fact)


class Decision(Enum):
    """What is decided about single ops."""

    ACCESS_BYTES = "how wide an access to global memory is"
    CONVERSION = "how a conversion moves elements"
    AHEAD = "a load or copy is made iterations ahead"
    NOT_AHEAD = "a load is made in its own iteration"
    RING_SLOTS = "how many slots the ring of a loop has"
    OVERLAP = "whether products of an iteration are under way in the next one"
    UNROLL = "how often a loop is unrolled"
    ONE_ROLE = "no producer fills the ring of a loop"
    STORE = "a tile of a product is stored by tensor copies, or is not"
    NOT_BY_TENSORS = "a load or copy is not made by tensor copies"
    NOT_BY_GROUPS = "a product is one of single warps, although the GPU has wgmma"


class Reasons:
    """The reasons of one decision, for each op that it is about."""

    def __init__(self) -> None:
        self._reasons: dict[Op, list[Reason]] = {}

    def add(self, op: Op, reason: Reason) -> None:
        """Note a reason, beside those that are noted already."""
        reasons = self._reasons.setdefault(op, [])
        if reason not in reasons:
            reasons.append(reason)

    def take(self, other: Reasons) -> None:
        """Note all reasons of another collection."""
        for op, reasons in other._reasons.items():
            for reason in reasons:
                self.add(op, reason)

    def drop(self, op: Op) -> Sequence[Reason]:
        """Forget the reasons for an op, and return them."""
        return self._reasons.pop(op, ())

    def hand_on(self, op: Op, other: Op, usual: Sequence[Reason]) -> None:
        """Have another op take the place of one: with its reasons, or else the `usual` ones."""
        for reason in self.drop(op) or usual:
            self.add(other, reason)

    def of(self, op: Op) -> Sequence[Reason]:
        """Return the reasons for an op, none if nothing was decided about it."""
        return self._reasons.get(op, ())
