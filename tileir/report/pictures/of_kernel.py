"""The pictures of a kernel: layouts, swizzles, fragments and pipelines, as the compiler has them.

A page has bases and steps, from which its client draws; `codegen/nvptx/pictures/` reads them off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tileir.commands.launch_options import named_as_written
from tileir.formats.forks import not_forking
from tileir.messages.missing_packages import compiling

if TYPE_CHECKING:
    from tileir.bytecode import Bytecode
    from tileir.ir import Op


def of_kernel(bytecode: Bytecode, symbol: str, target: str, first: int) -> dict[str, Any]:
    """Return what pictures of a kernel are drawn from, whose first op has this number in the file.

    Raises what `tileir.compile` does.
    """
    with compiling(), not_forking:
        from tileir.codegen.advise.numbered import Original, number_of
        from tileir.codegen.nvptx.pictures.kernel import pictures
    with compiling(), named_as_written():
        copy = Original(bytecode, [symbol]).copy()

        def numbered(op: Op) -> int | None:
            number = number_of(op.location)
            return None if number is None or number not in copy.ops else first + number

        return pictures(copy.module, symbol, target, numbered)
