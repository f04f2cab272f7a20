"""cp.async: asynchronous copies from global to shared memory.

A thread commits the copies that it has started as a *group*; it can wait until at most so many of
its latest groups are in flight. It may read what it has copied after such a wait, other threads
after a barrier that follows.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

COPY_BYTES = (4, 8, 16)
"""The sizes that one copy can have."""


def copy(
    builder: ir.IRBuilder,
    size: int,
    target: tuple[ir.Value, int],
    source: tuple[ir.Value, int],
    predicate: ir.Value | None,
    present: ir.Value | None,
) -> None:
    """Start to copy `size` bytes between addresses (with immediates), if the predicate is true.

    If `present` is given, only so many bytes are read (i32), or all or none (i1); the others become
    zero.
    """
    # The widest copies bypass L1, as the data is not read again.
    cache = "cg" if size == COPY_BYTES[-1] else "ca"
    text = f"cp.async.{cache}.shared.global [$0+$1], [$2+$3], {size}"
    constraints = ["r", "n", "l", "n"]
    arguments = [target[0], _immediate(target[1]), source[0], _immediate(source[1])]
    guard = "" if predicate is None else f"@${len(arguments)} "
    if predicate is not None:
        constraints.append("b")
        arguments.append(predicate)
    if present is None:
        text = f"{guard}{text};"
    else:
        number = f"${len(arguments)}"
        is_count = present.type.width > 1
        constraints.append("r" if is_count else "b")
        arguments.append(present)
        text = f"{guard}{text}, {number if is_count else 'present'};"
        if not is_count:
            # Selected here, as LLVM would split a select by several conditions into branches.
            # ptxas needs no register for it.
            text = f"{{ .reg .b32 present; selp.b32 present, {size}, 0, {number}; {text} }}"
    _run(builder, text, constraints, arguments)


def commit(builder: ir.IRBuilder) -> None:
    """Commit the copies that this thread has started since its last group, perhaps none."""
    _run(builder, "cp.async.commit_group;", [], [])


def wait(builder: ir.IRBuilder, groups: int) -> None:
    """Wait until at most so many of this thread's latest groups are in flight."""
    _run(builder, f"cp.async.wait_group {groups};", [], [])


def _run(
    builder: ir.IRBuilder, text: str, constraints: Sequence[str], arguments: Sequence[ir.Value]
) -> None:
    kind = ir.FunctionType(ir.VoidType(), [argument.type for argument in arguments])
    builder.asm(kind, text, ",".join(constraints), arguments, side_effect=True)


def _immediate(number: int) -> ir.Constant:
    return ir.Constant(ir.IntType(64), number)
