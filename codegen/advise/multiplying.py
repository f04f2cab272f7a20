"""Rules about matrix products: which instruction makes them, and what the loops around wait for."""

from __future__ import annotations

from collections.abc import Iterator

from tileir.codegen.ops import Family, family_of
from tileir.codegen.remarks import Outcome, Topic

from . import figures
from .evidence import Evidence, Site
from .finders import HINTS, MORE_WARPS, RESIDENT, because
from .numbered import number_of
from .rule import Candidate, Rule, Sure
from .trials.branches import PEELED, rare
from .trials.extents import depth, longer, rows
from .trials.loops import OUT_OF_IF, UNCHANGED_SUMS, changed_sums, loops_around
from .trials.masks import UNMASKED, mask_of
from .trials.order import SILENT
from .trials.products import ACCUMULATED, AS_LOADED, AS_TF32, SCALED_BEHIND, added, scaled
from .trials.strides import K_MAJOR, loads_across

SHORT_K = 64
"""Bytes along K with which products take long enough."""


def _short_k(evidence: Evidence) -> Iterator[Candidate]:
    """Yield the products of loops that have little to add up in an iteration."""
    for remark in evidence.remarks:
        site = Site(remark.entry, number_of(remark.location))
        if remark.topic is Topic.TENSOR_CORES and loops_around(evidence.op(site)):
            kind = evidence.op(site).operands["lhs"].type
            size = kind.shape[-1] * kind.element.bits // 8
            if size < SHORT_K:
                yield Candidate(
                    site, f"an iteration adds up {kind.shape[-1]} products, {size} bytes"
                )


def _changed_sums(evidence: Evidence) -> Iterator[Candidate]:
    """Yield the products whose sums an iteration changes in a way that could wait."""
    for remark in evidence.remarks:
        site = Site(remark.entry, number_of(remark.location))
        if remark.topic is Topic.TENSOR_CORES and changed_sums(evidence.op(site)):
            yield Candidate(site, "each iteration changes the sum, in the same way")


def _added(evidence: Evidence) -> Iterator[Candidate]:
    """Yield the products that begin with zeros, and are added to a sum then."""
    for number, op in evidence.copy.ops.items():
        if addition := added(op):
            text = f"{op.name}: its acc is 0, and {addition.name} adds what it gives to a sum"
            yield Candidate(Site(evidence.copy.functions[number].name, number), text)


def _scaled(evidence: Evidence) -> Iterator[Candidate]:
    """Yield the ops that scale an operand of a product by what could wait for the sum."""
    for number, op in evidence.copy.ops.items():
        if scaled(op):
            text = f"{op.name}: each iteration scales an operand, all along K by the same factor"
            yield Candidate(Site(evidence.copy.functions[number].name, number), text)


def _rare(evidence: Evidence) -> Iterator[Candidate]:
    """Yield the branches of loops that only the first or last iteration takes."""
    for number, op in evidence.copy.ops.items():
        found = rare(op)
        if found is not None:
            text = f"if: only the {found.iteration} iteration takes one of its sides"
            yield Candidate(Site(evidence.copy.functions[number].name, number), text)


def _masked(evidence: Evidence) -> Iterator[Candidate]:
    """Yield the masks of loops with products that few of their iterations need."""
    for number, op in evidence.copy.ops.items():
        mask = mask_of(op)
        if mask is not None and any(family_of(each) is Family.PRODUCT for each in mask.loop.walk()):
            text = f"{op.name}: each iteration masks, and only the {mask.where} ones need that"
            yield Candidate(Site(evidence.copy.functions[number].name, number), text)


def _across_k(evidence: Evidence) -> Iterator[Candidate]:
    """Yield the loads of operands that are not contiguous along K, of types that it matters for."""
    numbers = {op: number for number, op in evidence.copy.ops.items()}
    for remark in evidence.remarks:
        if remark.topic is Topic.TENSOR_CORES:
            site = Site(remark.entry, number_of(remark.location))
            product = evidence.op(site)
            if (
                product.name not in ("mmaf", "mmai")
                or product.operands["lhs"].type.element.bits == 16
            ):
                continue
            for load in loads_across(product):
                text = "it is not contiguous along the dimension that the product adds up"
                yield Candidate(Site(remark.entry, numbers[load]), f"{load.name}: {text}")


MULTIPLYING = (
    Rule(
        "product-on-cuda-cores",
        "a product is made of fused multiply-adds",
        "Tensor cores multiply f16, bf16, tf32 and 8-bit types tens of times faster than CUDA "
        "cores multiply f32. A product of f32 tiles is exact in f32, and takes the slow way; "
        "where the operands have been converted from a narrower type just before, that buys "
        "nothing, because products of f16 are summed in f32 anyhow.",
        "multiply in the type that was loaded, or convert the operands to tf32",
        Sure.MAYBE,
        figures.PRODUCT,
        because(Topic.TENSOR_CORES, "no_atom"),
        (AS_LOADED, AS_TF32),
        8.0,
    ),
    Rule(
        "product-by-single-warps",
        "a product does not use the instructions of warpgroups",
        "On GPUs with wgmma, four warps together multiply at full rate and read operands from "
        "shared memory; mma.sync of single warps reaches about 0.6 of it. Warpgroups need "
        "four warps, and 64 rows of the product each.",
        "let tiles have 64 rows for each four warps, or ask for other warps",
        Sure.MAYBE,
        figures.PRODUCT,
        because(
            Topic.TENSOR_CORES,
            *("group_memory", "group_registers", "group_warps", "group_share"),
        ),
        (HINTS, *MORE_WARPS, *(longer(rows, factor) for factor in (2, 4, 8))),
        3.0,
    ),
    Rule(
        "short-k",
        "an iteration multiplies little",
        "Each iteration of a loop waits for tiles, counts and jumps, however much it "
        "multiplies. Tiles that are short along K, the dimension that a product adds up, make "
        "many iterations of little work.",
        "make tiles longer along K",
        Sure.MAYBE,
        figures.BESIDE_EACH,
        _short_k,
        tuple(longer(depth, factor) for factor in (2, 4)),
        1.5,
    ),
    Rule(
        "sum-beside-product",
        "a product is added to a sum by another op",
        "Tensor cores add to their sums for nothing. A product that begins with zeros needs "
        "registers for them and for what it gives, and an addition for each element; and the "
        "next product cannot begin before that.",
        "give the product the sum as its accumulator",
        Sure.LIKELY,
        figures.ALL_WORK,
        _added,
        (ACCUMULATED,),
        2.0,
        others=(figures.OVERLAP,),
    ),
    Rule(
        "scaled-operand",
        "each iteration scales an operand of a product",
        "A factor that is the same in all iterations, and all along K, the dimension that a "
        "product adds up, may be multiplied into the sum once. Multiplied into an operand, it is "
        "work for each element of each tile, and the tile goes through registers on its way from "
        "memory to the tensor cores.",
        "scale the sum behind the loop, if the rounding and the range of the sum allow it",
        Sure.MAYBE,
        figures.ALL_WORK,
        _scaled,
        (SCALED_BEHIND,),
        2.0,
        others=(figures.OVERLAP, figures.PRODUCT),
    ),
    Rule(
        "sum-changed-in-loop",
        "each iteration scales or rounds the sum of products",
        "Sums of products stay in the registers of tensor cores, and products of the next "
        "iteration begin before they are known. What else an iteration does to a sum waits for "
        "its products, and is work of every element.",
        "only add up products in the loop, and do the rest behind it",
        Sure.MAYBE,
        figures.OVERLAP,
        _changed_sums,
        (UNCHANGED_SUMS,),
        3.0,
    ),
    Rule(
        "rare-branch",
        "each iteration asks whether it is the first or the last one",
        "Where a branch may change the sum of products, no product is under way while the next "
        "iteration begins, although only the first or last iteration takes that branch.",
        "make that iteration before or behind the loop, or do there what it does besides, if the "
        "loop always runs",
        Sure.MAYBE,
        figures.OVERLAP,
        _rare,
        (PEELED,),
        3.0,
    ),
    Rule(
        "mask-in-loop",
        "each iteration masks what only some have to mask",
        "A mask that compares what grows from iteration to iteration, as causal masks and those of "
        "the end of an array do, changes nothing in most iterations. It takes several "
        "instructions for each element in all of them, and products wait for that.",
        "split the loop, so that the iterations that need no mask have none; cuTile does so at an "
        "`if` that compares the iteration variable",
        Sure.MAYBE,
        figures.A_TWENTIETH,
        _masked,
        (UNMASKED,),
        1.0,
    ),
    Rule(
        "conditional-load",
        "a load is made under a condition, so that it cannot go ahead",
        "Loads of a loop go iterations ahead, or become tensor copies, if every iteration makes "
        "them. Views pad what is outside of a tensor, so that no condition is needed there.",
        "load in every iteration",
        Sure.MAYBE,
        figures.AHEAD_OR_TENSOR_COPY,
        because(Topic.TENSOR_COPIES, "conditional", outcomes=(*Outcome,)),
        (OUT_OF_IF,),
        3.0,
    ),
    Rule(
        "operand-across-k",
        "an operand of a product is not contiguous along K",
        "wgmma reads operands of 16 bits from shared memory in either order. Those of 8 bits "
        "and tf32 have to be contiguous along K, the dimension that a product adds up; "
        "otherwise threads turn each tile around, in registers, before it is multiplied.",
        "store the tensor with that dimension contiguous",
        Sure.MAYBE,
        figures.BESIDE_PRODUCTS,
        _across_k,
        (K_MAJOR,),
        3.0,
    ),
    Rule(
        "shallow-ring",
        "shared memory has no room for more slots of a ring",
        "Loads of a loop go ahead of products by as many iterations as their ring has slots. "
        "With two or three, memory's latency shows. Resident blocks share the memory.",
        "ask for fewer resident blocks, or make tiles smaller",
        Sure.LIKELY,
        figures.SLOTS,
        because(Topic.RINGS, "ring_room", "no_room"),
        (RESIDENT, HINTS),
        1.0,
    ),
    Rule(
        "one-role",
        "no warp of its own fills the rings",
        "A producer warp keeps copies under way while the others multiply. It needs registers "
        "that the other warps hand over, and whole warpgroups.",
        "leave num_warps and maxnreg to the compiler",
        Sure.LIKELY,
        figures.ROLES,
        because(Topic.ROLES),
        (HINTS, *MORE_WARPS),
        1.0,
    ),
    Rule(
        "awaited-products",
        "products are awaited in each iteration",
        "Products of warpgroups stay under way while the next iteration begins, if nothing "
        "needs their sums. Around a call, which prints and assertions are, ptxas awaits each.",
        "leave prints and assertions away",
        Sure.CERTAIN,
        figures.OVERLAP,
        because(Topic.OVERLAP, "calls"),
        (SILENT,),
        3.0,
    ),
)
"""The rules, in the order in which they are listed."""
