"""Launches in functions that `torch.compile` compiles: between two graphs, as on a GPU.

cuTile's own launch is C, which torch's compiler cannot follow: it ends one graph before the call
and begins another one behind it. Ours is Python, and has to say so.
"""

from __future__ import annotations

import sys
from functools import reduce
from typing import Any

_FRAMES = "_C._dynamo.eval_frame"


def leave_out(function: Any) -> None:
    """Make torch's compiler call a function, and leave what it calls as it is.

    A torch that is imported later, or has another compiler than those that are known, looks into
    the function when it is called, in vain: that takes time.
    """
    vars(function).update(
        _torchdynamo_disable=True, _torchdynamo_disable_msg="it launches a kernel of cuTile"
    )
    try:
        torch: Any = sys.modules.get("torch")
        frames = reduce(getattr, _FRAMES.split("."), torch)
        skip = frames._FrameAction.SKIP
        frames.set_code_exec_strategy(function.__code__, frames._FrameExecStrategy(skip, skip))
    except AttributeError:
        pass
