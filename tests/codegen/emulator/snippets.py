"""Small PTX kernels for tests: one instruction on every element of arrays, or a body as given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tileir.codegen.emulator import Result, launch

THREADS = 64
HEAD = ".version 8.8\n.target {target}\n.address_size 64\n"
REGISTERS = """\
	.reg .pred %p<16>;
	.reg .b16 %h<32>;
	.reg .b32 %r<64>;
	.reg .b64 %d<64>;
"""
_FAMILY = {1: "%h", 2: "%h", 4: "%r", 8: "%d"}


def kernel(
    body: str, parameters: Sequence[str] = ("u64",), *, threads: int = THREADS,
    target: str = "sm_90", before: str = "", name: str = "k", directives: str = "",
) -> str:  # fmt: skip
    """PTX with one entry: %p, %h, %r, %d are predicates and registers of 16, 32 and 64 bits.

    %r0 is the thread, %r1 the block; %d0, %d1 ... are the parameters of type u64, and addresses of
    tensor maps, whose kind is "map". `directives` follow the number of threads.
    """
    declared = ", ".join(
        f".param .align 64 .b8 p{place}[128]" if kind == "map" else f".param .{kind} p{place}"
        for place, kind in enumerate(parameters)
    )
    loads = "".join(
        f"ld.param.b64 %d{place}, [p{place}];\n"
        for place, kind in enumerate(parameters)
        if kind == "u64"
    )
    loads += "".join(
        f"mov.b64 %d{place}, p{place};\ncvta.param.u64 %d{place}, %d{place};\n"
        for place, kind in enumerate(parameters)
        if kind == "map"
    )
    return (
        f"{HEAD.format(target=target)}{before}\n.visible .entry {name}({declared})\n"
        f".reqntid {threads}\n{directives}{{\n{REGISTERS}"
        f"mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\n{loads}{body}\nret;\n}}\n"
    )


def plan(
    parameters: Sequence[str] = ("u64",), threads: int = THREADS, shared: int = 0, name: str = "k"
) -> dict[str, Any]:
    """The launch plan of such a kernel, whose pointers lead to elements of any type."""
    rows, end = [], 0
    for index, kind in enumerate(parameters):
        size = 128 if kind == "map" else int(kind[1:]) // 8
        align = min(size, 64)
        end = -(-end // align) * align
        spelled = {"u64": "ptr", "f32": "f32", "map": "tensor_map"}.get(kind, f"i{kind[1:]}")
        rows.append({"index": index, "type": spelled, "size": size, "offset": end})
        end += size
    return {
        "entry": name, "parameters": rows, "block": [threads, 1, 1], "grid": ["x", "y", "z"],
        "grid_scale": [1, 1, 1], "grid_limits": [1 << 24, 65535, 65535],
        "cluster": [1, 1, 1], "dynamic_shared_memory": shared,
    }  # fmt: skip


def run(
    body: str, *arrays: Any, blocks: int = 1, threads: int = THREADS, shared: int = 0,
    before: str = "", parameters: Sequence[str] | None = None, cluster: int = 1,
    directives: str = "", **more: Any,
) -> Result:  # fmt: skip
    """Launch a body on arrays; clusters are so many blocks along x."""
    kinds = parameters or ("u64",) * len(arrays)
    if cluster > 1:
        directives += f".reqnctapercluster {cluster}\n"
    text = kernel(body, kinds, threads=threads, before=before, directives=directives)
    about = {**plan(kinds, threads, shared), "cluster": [cluster, 1, 1]}
    return launch(text, about, blocks, arrays, **more)


def instruction(text: str, inputs: Sequence[np.dtype], result: np.dtype, name: str = "k") -> str:
    """A kernel that applies an instruction to element i of arrays, in thread i.

    In the text {d} stands for the result, {0}, {1} ... for the inputs; predicates are bool arrays.
    """
    lines = [f"mad.lo.u32 %r2, %r1, {THREADS}, %r0;"]
    names = {}
    for place, kind in enumerate([*inputs, result]):
        size = kind.itemsize
        last = place == len(inputs)
        register = f"{_FAMILY[size]}{20 + place}"
        lines.append(f"mul.wide.u32 %d10, %r2, {size};\nadd.s64 %d10, %d10, %d{place};")
        predicate = f"%p{place + 1}"
        if not last:
            lines.append(f"ld.global.b{8 * size} {register}, [%d10];")
            if kind.kind == "b":
                lines.append(f"setp.ne.b16 {predicate}, {register}, 0;")
        names["d" if last else str(place)] = predicate if kind.kind == "b" else register
    statement = text
    for key, operand in names.items():
        statement = statement.replace(f"{{{key}}}", operand)
    lines.append(statement)
    if result.kind == "b":
        lines.append(f"selp.b16 {register}, 1, 0, {names['d']};")
    lines.append(f"st.global.b{8 * result.itemsize} [%d10], {register};")
    return kernel("\n".join(lines), ("u64",) * (len(inputs) + 1), name=name, target="sm_100a")


def apply(text: str, *inputs: np.ndarray, to: Any, **more: Any) -> np.ndarray:
    """The results of an instruction on arrays of one size; `more` is for the launch."""
    size = len(inputs[0])
    blocks = -(-size // THREADS)
    padded = [np.resize(each, blocks * THREADS) for each in inputs]
    out = np.zeros(blocks * THREADS, to)
    kinds = ("u64",) * (len(inputs) + 1)
    ptx = instruction(text, [each.dtype for each in padded], out.dtype)
    launch(ptx, plan(kinds), blocks, [*padded, out], **more)
    return out[:size]
