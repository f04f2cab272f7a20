"""Weaknesses that no rule was made for: ``python -m tests.lab.advise.blind FILE or FOLDER ...``.

Ten kinds that authors of kernels make, written before anybody looked whether they are found: at
first none was, then rules were made for six of them. Each is planted in the first of the kernels
given that it fits. It is found if there is a finding at one of its ops which the kernel as it was
has not; whatever the finding says has been tried, as always.

A sum that was scaled for good was one of them; it is another kernel, and is now scaled back.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from tests.advised import advise
from tests.lab.advise.__main__ import files, read, show
from tileir import TileIRError
from tileir.builder import splat
from tileir.codegen.advise.numbered import Copy, Original, number_of
from tileir.ir import Op
from tileir.types import Scalar, Tile

F16, F32 = Scalar("f16"), Scalar("f32")


def _is_large(op: Op) -> bool:
    return isinstance(op.results[0].type, Tile) and op.results[0].type.size > 1


def exact_division(copy: Copy) -> set[int] | None:
    """Round quotients correctly where approximate ones did."""
    for number, op in copy.ops.items():
        if op.name == "divf" and op.attributes.get("rounding_mode") == "approx" and _is_large(op):
            copy.editor(number).set(op, rounding_mode="nearest_even", flush_to_zero=False)
            return {number}
    return None


def power_of_e(copy: Copy) -> set[int] | None:
    """Compute an exponential by raising e to a power."""
    for number, op in copy.ops.items():
        if op.name == "exp" and _is_large(op):
            editor = copy.editor(number).before(op)
            e = editor.constant(splat(2.718281828459045, op.result.type))
            op.result.replace_all_uses_with(editor.fpowf(e, op.operands["source"]))
            return {number}
    return None


def scan_for_sum(copy: Copy) -> set[int] | None:
    """Sum up by a scan, of which the last element is taken."""
    for number, op in copy.ops.items():
        if op.name != "reduce" or len(op.results) != 1:
            continue
        (tile,) = op.operands["operands"]
        dim = op.attributes["dim"]
        if len(tile.type.shape) != 1 or op.regions[0].block.ops[0].name != "addf":
            continue
        editor = copy.editor(number).before(op)
        with editor.scan(
            (tile,), dim=dim, reverse=False, identities=op.attributes["identities"]
        ) as scan:
            lhs, rhs = scan.arguments
            editor.yield_((editor.addf(lhs, rhs),))
        last = editor.constant(splat(tile.type.shape[0] - 1, Tile(Scalar("i32"))))
        one = editor.extract(scan.result, (last,), result=Tile(F32, (1,)))
        op.results[0].replace_all_uses_with(editor.reshape(one, result=op.results[0].type))
        return {number}
    return None


def rounded_between(copy: Copy) -> set[int] | None:
    """Round to f16 between two operations, as a store to an array of f16 would."""
    for number, op in copy.ops.items():
        if op.name in ("fma", "mulf") and op.result.type.element == F32 and _is_large(op):
            uses, editor = list(op.result.uses), copy.editor(number).after(op)
            short = editor.ftof(op.result, result=replace(op.result.type, element=F16))
            long = editor.ftof(short, result=op.result.type)
            for use in uses:
                use.set(long)
            return {number}
    return None


def rounded_sums(copy: Copy) -> set[int] | None:
    """Round the sums of products to f16 in each iteration."""
    for number, op in copy.ops.items():
        if op.name == "mmaf" and op.result.type.element == F32 and op.parent.parent_op is not None:
            uses, editor = list(op.result.uses), copy.editor(number).after(op)
            short = editor.ftof(op.result, result=replace(op.result.type, element=F16))
            long = editor.ftof(short, result=op.result.type)
            for use in uses:
                use.set(long)
            loop = op.parent.parent_op
            return {n for n, each in copy.ops.items() if each in (op, loop)}
    return None


def scaled_sums(copy: Copy) -> set[int] | None:
    """Halve the sum of products before each product, and double it behind."""
    for number, op in copy.ops.items():
        if op.name == "mmaf" and op.result.type.element == F32 and op.parent.parent_op is not None:
            editor = copy.editor(number).before(op)
            half = editor.constant(splat(0.5, op.result.type))
            op.operands["acc"] = editor.mulf(op.operands["acc"], half)
            uses = list(op.result.uses)
            whole = copy.editor(number).after(op).divf(op.result, half)
            for use in uses:
                use.set(whole)
            loop = op.parent.parent_op
            return {n for n, each in copy.ops.items() if each in (op, loop)}
    return None


def turned_twice(copy: Copy) -> set[int] | None:
    """Transpose a tile, compute with it, and transpose it back."""
    for number, op in copy.ops.items():
        if (
            op.name not in ("mulf", "addf", "subf")
            or len(op.result.type.shape) < 2
            or not _is_large(op)
        ):
            continue
        rank = len(op.result.type.shape)
        order = [*range(rank - 2), rank - 1, rank - 2]
        shape = tuple(op.result.type.shape[dim] for dim in order)
        if sorted(shape)[-2] == 1:
            continue
        kind, uses = op.result.type, list(op.result.uses)
        editor = copy.editor(number).before(op)
        for slot, value in op.operands.items():
            if value is not None:
                op.operands[slot] = editor.permute(
                    value, permutation=order, result=replace(value.type, shape=shape)
                )
        op.result.type = replace(kind, shape=shape)
        back = copy.editor(number).after(op).permute(op.result, permutation=order, result=kind)
        for use in uses:
            use.set(back)
        return {number}
    return None


def load_if_needed(copy: Copy) -> set[int] | None:
    """Load an operand of a product in an `if` of the loop."""
    for number, op in copy.ops.items():
        if op.name != "load_view_tko" or op.parent.parent_op is None or op.results[1].uses:
            continue
        loop = op.parent.parent_op
        if loop.name != "for" or not any(each.name == "mmaf" for each in loop.walk()):
            continue
        counter, kind = loop.regions[0].block.arguments[0], op.results[0].type
        editor = copy.editor(number).before(op)
        zero = editor.constant(splat(0, counter.type))
        here = editor.cmpi(
            counter, zero, comparison_predicate="greater_than_or_equal", signedness="signed"
        )
        made = editor.if_(here, results=[kind])
        with made.thenRegion:
            inner = editor.load_view_tko(
                op.operands["view"], op.operands["index"], token=op.operands["token"],
                memory_ordering_semantics="weak",
            )  # fmt: skip
            editor.yield_((inner[0],))
        with made.elseRegion:
            editor.yield_((editor.constant(splat(0, kind)),))
        op.results[0].replace_all_uses_with(made.result)
        op.remove()
        return {number}
    return None


def two_reductions(copy: Copy) -> set[int] | None:
    """Compute a reduction twice, in different words, instead of once."""
    for number, op in copy.ops.items():
        if op.name != "reduce" or len(op.results) != 1:
            continue
        uses = op.results[0].uses
        if len(uses) < 1 or op.regions[0].block.ops[0].name != "addf":
            continue
        (tile,) = op.operands["operands"]
        editor = copy.editor(number).after(op)
        negative = editor.negf(tile)
        again = op.clone()
        again.operands["operands"] = (negative,)
        again.location = op.location
        again.insert_after(negative.owner)
        back = copy.editor(number).after(again).negf(again.results[0])
        half = copy.editor(number).after(back.owner)
        both = half.mulf(half.addf(op.results[0], back), half.constant(splat(0.5, back.type)))
        for use in uses:
            use.set(both)
        return {number}
    return None


def atomics_of_each(copy: Copy) -> set[int] | None:
    """Add each element to one sum in memory, instead of their sum."""
    for number, op in copy.ops.items():
        if op.name != "reduce" or len(op.results) != 1 or op.parent.parent_op is not None:
            continue
        (tile,) = op.operands["operands"]
        function = copy.functions[number]
        address = next(
            (v for v in function.body.block.arguments if str(v.type) == "tile<ptr<f32>>"), None
        )
        if tile.type.element != F32 or len(tile.type.shape) != 1 or address is None:
            continue
        editor = copy.editor(number).after(op)
        ones = editor.reshape(address, result=Tile(address.type.element, (1,)))
        each = editor.broadcast(ones, result=Tile(address.type.element, tile.type.shape))
        editor.atomic_rmw_tko(
            each, tile, memory_ordering_semantics="relaxed", memory_scope="device", mode="addf"
        )
        return {number}
    return None


PLANTS = {
    "exact division": exact_division,
    "exponential by a power": power_of_e,
    "scan for a sum": scan_for_sum,
    "rounded in between": rounded_between,
    "sums rounded in a loop": rounded_sums,
    "sums scaled in a loop": scaled_sums,
    "transposed twice": turned_twice,
    "load in an if": load_if_needed,
    "reduced twice": two_reductions,
    "atomic update of each": atomics_of_each,
}
"""What is planted -> how."""


def main() -> None:
    """Plant each, and print what is found."""
    parser = argparse.ArgumentParser(prog="python -m tests.lab.advise.blind", description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--target", default="sm_90")
    arguments = parser.parse_args()
    found = planted = 0
    for name, plant in PLANTS.items():
        for path in files(arguments.files, alone=True):
            original = Original(read(path))
            copy = original.copy()
            try:
                numbers = plant(copy)
                if numbers is None:
                    continue
                after = advise(copy.module, arguments.target)
            except TileIRError as error:
                print(f"{path.name}: {name}: {error}".partition("\n")[0])
                continue
            before = {
                (each.rule, number_of(each.location))
                for each in advise(original.copy().module, arguments.target)
            }
            new = [e for e in after if (e.rule, number_of(e.location)) not in before]
            hits = [e for e in new if number_of(e.location) in {*numbers, None}]
            planted, found = planted + 1, found + bool(hits)
            print(f"{'found' if hits else 'MISSED'} {path.name}: {name}")
            for each in hits or new:
                show("finding", path, each)
            break
    print(f"{found} of {planted}, of {len(PLANTS)} kinds")


if __name__ == "__main__":
    main()
