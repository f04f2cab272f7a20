"""The launch plan: everything that a launcher needs besides the PTX, as plain JSON data.

`tileir compile --emit plan` and `Compilation.plan` have one under each entry symbol. A launcher
loads the PTX, looks up `entry` and calls cuLaunchKernelEx, or the like, with what is here:

schema                  2; grows when the meaning of an entry changes. A launcher refuses a plan
                        of a schema that it does not know
entry                   name of the kernel in the PTX; the symbol, unless PTX cannot have that
target                  the GPU it was compiled for, as tileiras spells it
ptx_target, ptx_version what the PTX says it needs: ".target", and ".version" as "8.6". A driver
                        reads PTX up to the version of the CUDA release that it came with: see the
                        table "PTX ISA Version / CUDA release" (release notes of NVIDIA's PTX ISA)
runs_on                 which GPUs run the PTX: those of a compute `capability` ([9, 0]) and, if
                        `later` is true, of all later ones. It is false where ".target" ends in a:
                        sm_90a runs on 9.0 alone
parameters              one per parameter of the Tile IR entry, in order: index, type (as in Tile
                        IR), size and offset in bytes, naturally aligned. A pointer is an address
                        that the GPU can access, an i1 a byte that is 0 or 1. The kernel assumes
                        that an argument is a multiple of `divisible_by` (1: of nothing) and may
                        fail otherwise: an address that is none makes wide accesses fault, after
                        which the process is lost, so check it. `written`: the kernel may write
                        through the pointer
arrays                  one per pointer parameter, in order: `parameter` (its index), and as far as
                        the kernel's body tells them `shape` and `strides`, in elements, else null:
                        a row for each dimension, with the index of the `parameter` that takes this
                        number, and the `constant` that the kernel assumes it to be. Where both are
                        null, the kernel computes it. See `tileir.launch.roles`
assumed                 one per parameter, in order, for launchers that take arrays: the kernel
                        assumes that an argument is a multiple of `divisible_by`, and no less than
                        `at_least` and no more than `at_most` unless these are null. What only holds
                        of what this code does not use is here, too. `read`: whether the parameter
                        has any use
block                   threads along x, y and z
cluster                 blocks of a cluster along x, y and z; PTX says it too. With more than 8 in
                        all, set CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED first
dynamic_shared_memory   bytes to ask for at launch, for each block. With more than 48 KB (49,152
                        bytes), set CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES to it first
heap                    bytes that each block takes by malloc, and frees at its end. Where it is
                        not 0, set CU_LIMIT_MALLOC_HEAP_SIZE, before the first kernel runs that
                        uses the heap, to more than `heap` times the blocks that run at once (our
                        launcher takes twice that: malloc needs some for itself). A block that gets
                        nothing fails as a false assertion does
grid                    the launch grid, as a function of the tile grid: for x, y and z which
                        extent of the tile grid is multiplied ...
grid_scale              ... by this number: the cluster's extent, if the launch counts blocks; 1 if
                        it counts clusters (`blocksareclusters`)
grid_limits             the largest tile grid along x, y and z, in tile blocks: what CUDA allows,
                        and at most 16777215 (2^24 - 1), Tile IR's own limit; half of it along x if
                        two blocks of a cluster share a tile block. A grid with an extent
                        of 0 has no tile blocks, and CUDA refuses it: launch nothing
contract                the settled terms of the launch: term -> its value, and its source "by": an
                        option, an attribute, a hint (with its name), or the compiler; of a hint
                        that was not followed all the way, or of clusters of which only the first
                        block works, what was "asked" for, and "why". For
                        people to read: all of it is in the PTX and the entries above already.
                        With `maxclusterrank`, a launch may ask for clusters of up to so many
                        blocks (CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, whose extents divide those
                        of the grid); it need not, and results are the same
overlaps_grids          whether the kernel has griddepcontrol: it may wait for the grid before it
                        in the stream, and let the next one start early. Both happen only where the
                        later of the two is launched with
                        CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION; without the
                        attribute grids run one after the other, and results are the same. Our own
                        launcher does not set it
asserts                 whether the kernel has assertions. A false one calls __assertfail: the
                        driver prints its message, and the launch ends with CUDA_ERROR_ASSERT
tensor_maps             one recipe for each tensor map, which the kernel takes as hidden parameters
                        behind the others: `offset` (a multiple of 64) and `size` (128) in bytes.
                        It is what cuTensorMapEncodeTiled makes of these: `element` is the data
                        type as PTX spells it (u8 is CU_TENSOR_MAP_DATA_TYPE_UINT8, s32 INT32, f16
                        FLOAT16, tf32 TFLOAT32, of which there are f32 in global memory, and so
                        on), `base` the address, `extents` the globalDim,
                        `strides` the globalStrides, `box` the boxDim, `swizzle` 0 for none or a
                        span of 32, 64 or 128 bytes; element strides are 1, there is no
                        interleave, and what is out of bounds is zero. L2 promotion is yours to
                        choose; our launcher takes 128 bytes. A size is a number, or has a
                        `parameter` (its index): the argument, an integer read as signed, `times` a
                        number, `plus` another one
guard                   conditions on arguments, without which the tensor maps would be invalid, or
                        not what the kernel expects: each has a size, as in a recipe, which is a
                        multiple of `divisible_by`, from `at_least` to `at_most`, both included. If
                        one does not hold, launch the twin
twin                    null, or the entry of the same PTX that takes no tensor maps and does the
                        same for all arguments: `entry`, `block` and `dynamic_shared_memory` are
                        its own; parameters and everything else are those above
roles                   the roles that warps of a block have, one row each; empty if all have the
                        same: its `name`, its `first` warp, how many `warps` it has and how many
                        of them are `working`, and the `registers` of its threads (setmaxnreg)
one_role                null, or `reason` and `why` (an id and a sentence): the kernel has tensor
                        copies ahead, and no warps of their own start them
serial_products         null, or `reason` and `why`: the kernel has products by wgmma, and each is
                        awaited before the next instruction, which they are made to overlap with
copies                  one row for each load from global memory in the code, for people to read:
                        the `tile`, the `source` line, if known, and the number of the
                        `tensor_map` with which one thread copies all of it; null if the threads
                        load it, and then `reason` and `why`: an id and a sentence
stores                  the same for each store to global memory

Printing (`print_tko`) is vprintf, which the driver provides: a launcher has nothing to do for it.
"""

from __future__ import annotations

from typing import Any

from tileir.codegen.arguments.plan_schema import SCHEMA
from tileir.codegen.kernel import KernelIR
from tileir.codegen.launch_terms import TERMS
from tileir.gpus import Target, runs_on
from tileir.ir import Op
from tileir.launch.grid_limits import MAX_EXTENT
from tileir.launch.roles import roles_of

from .launch.contract import Contract
from .launch.parameters import parameter_rows
from .launch.tensor_maps import guard_rows, loads_of, map_rows, stores_of
from .needs import CONTROLS_GRIDS, calling_op
from .reasons import Decision, Reason
from .state import KernelState


def launch_plan(state: KernelState, target: Target) -> dict[str, Any]:
    """Return the plan of a kernel that has been emitted."""
    major, minor = target.ptx
    capability, later = runs_on(target.ptx_target)
    kernel, contract = state.kernel, state.contract
    cluster = contract["cluster_dim"]
    ops = {op.name for op in kernel.walk()}
    scale = (1, 1, 1) if contract["blocksareclusters"] else cluster
    most = [limit // blocks for limit, blocks in zip(target.max_grid, cluster, strict=True)]
    parameters = parameter_rows(kernel, state.written)
    return {
        "schema": SCHEMA,
        "entry": kernel.symbol,
        "target": target.name,
        "ptx_target": target.ptx_target,
        "ptx_version": f"{major}.{minor}",
        "runs_on": {"capability": list(capability), "later": later},
        "parameters": parameters,
        **roles_of(kernel.function.body).to_json(),
        "block": [contract["num_warps"] * target.warp, 1, 1],
        "cluster": list(cluster),
        "dynamic_shared_memory": state.shared_bytes,
        "heap": state.heap.taken,
        "grid": ["x", "y", "z"],
        "grid_scale": list(scale),
        "grid_limits": [
            min(limit, MAX_EXTENT if state.rank is None else MAX_EXTENT // blocks)
            for limit, blocks in zip(most, cluster, strict=True)
        ],
        "overlaps_grids": target.has("griddepcontrol") and not ops.isdisjoint(CONTROLS_GRIDS),
        "asserts": "assert" in ops,
        "tensor_maps": map_rows(parameters, state.tensor_maps),
        "guard": guard_rows(parameters, state.tensor_maps),
        "twin": state.twin and state.twin.row(),
        "roles": [_role_row(op) for op in kernel.body.block.ops if op.name == "role"],
        "one_role": _one_role(state),
        "serial_products": _serial_products(kernel),
        "copies": [each.row() for each in loads_of(kernel, target, state.reasons)],
        "stores": [each.row() for each in stores_of(kernel, state.reasons[Decision.STORE], target)],
        "contract": {term.name: _choice(contract, term.name) for term in TERMS},
    }


def _one_role(state: KernelState) -> dict[str, str] | None:
    """Return why no producer fills rings of tensor copies; None if one does, or there is none."""
    reasons = state.reasons[Decision.ONE_ROLE]
    for op in state.kernel.walk():
        for reason in reasons.of(op):
            return _told(reason)
    return None


def _serial_products(kernel: KernelIR) -> dict[str, str] | None:
    """Return why ptxas has no product of warpgroups under way; None if it has, or has none."""
    calling = calling_op(kernel.body)
    if calling is None or not any(op.name == "mma_async" for op in kernel.walk()):
        return None
    return _told(Reason("calls", calling))


def _told(reason: Reason) -> dict[str, str]:
    return {"reason": reason.id, "why": str(reason)}


def _role_row(role: Op) -> dict[str, Any]:
    slots = ("name", "first", "warps", "working", "registers")
    return {slot: role.attributes[slot] for slot in slots}


def _choice(contract: Contract, term: str) -> dict[str, Any]:
    value = contract[term]
    told = {"value": _plain(value), "by": contract.by(term)}
    choice = contract.choices.get(term)
    return (
        told | {"asked": _plain(choice.asked), "why": choice.why} if choice and choice.why else told
    )


def _plain(value: Any) -> Any:
    """Return the value of a term as JSON has it."""
    return list(value) if isinstance(value, tuple) else value
