"""Launches in functions that `torch.compile` compiles: between two graphs, as on a GPU.

cuTile's own launch is C, which torch's compiler cannot follow: it ends one graph before the call
and begins another one behind it. Ours is Python, and has to say so.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

_FRAMES = "_C._dynamo.eval_frame"


def leave_out(torch: Any, function: Any) -> None:
    """Make torch's compiler call a function, and leave what it calls as it is.

    torch  the module; one that has another compiler than those that are known stays as it is
    """
    vars(function).update(
        _torchdynamo_disable=True, _torchdynamo_disable_msg="it launches a kernel of cuTile"
    )
    try:
        frames = reduce(getattr, _FRAMES.split("."), torch)
        skip = frames._FrameAction.SKIP
        frames.set_code_exec_strategy(function.__code__, frames._FrameExecStrategy(skip, skip))
    except AttributeError:
        pass  # then it looks into it in vain, and is slower
