"""torch's device "cuda" as the CPU, in every call of torch that names it."""

from __future__ import annotations

import functools
import importlib.util
import threading
from typing import Any

from . import torch_cuda


def install(capability: tuple[int, int]) -> None:
    """Change torch for the rest of the process, if it is installed.

    cuTile imports an installed torch at the first launch, even if the program does not.
    """
    if importlib.util.find_spec("torch") is None:
        return
    import torch  # pyright: ignore[reportMissingImports]  # which the tests do without

    torch_cuda.install(torch, capability)
    torch.Tensor.is_cuda = property(lambda tensor: True)
    torch.Generator = _generator(torch)
    torch._C._to_dlpack = _refuse_dlpack
    mode = _mode(torch)
    mode().__enter__()
    _enter_in_threads(mode)


def _refuse_dlpack(tensor: Any) -> None:
    """Raise BufferError, so that cuTile asks the tensor; DLPack would say that it is on the CPU."""
    raise BufferError("the CPU stands in for the GPU")


def _generator(torch: Any) -> type:
    """Return a class of random number generators for the CPU, whatever device is named."""

    class Generator(torch.Generator):
        def __new__(cls, device: Any = "cpu"):
            return super().__new__(cls, "cpu")

    return Generator


def _enter_in_threads(mode: type) -> None:
    """Enter a mode of torch at the start of every later thread; a mode applies to one thread."""
    start = threading.Thread.start

    @functools.wraps(start)
    def start_in_mode(thread: threading.Thread) -> None:
        run = thread.run  # a subclass may have its own

        def run_in_mode() -> None:
            del thread.run
            with mode():
                run()

        thread.run = run_in_mode
        start(thread)

    setattr(threading.Thread, "start", start_in_mode)  # noqa: B010  a method is no variable


def _mode(torch: Any) -> type:
    """Return the class of a mode of torch; while it is entered, it intercepts all calls of torch.

    Moving a tensor between CPU and GPU still makes a copy, because programs may change one tensor
    and compare it with the other.
    """
    from torch.overrides import (  # pyright: ignore[reportMissingImports]  # as above
        TorchFunctionMode,
    )

    tensor, cpu = torch.Tensor, torch.device("cpu")
    moving = (tensor.to, tensor.cpu, tensor.cuda)
    sharing = (torch.as_tensor, torch.asarray)

    def mapped(value: Any) -> Any:
        if isinstance(value, str):
            return cpu if value.partition(":")[0] == "cuda" else value
        return cpu if isinstance(value, torch.device) and value.type == "cuda" else value

    def named_device(value: Any) -> bool:
        return isinstance(value, torch.device) or value == "cpu"

    class CudaIsTheCpu(TorchFunctionMode):
        def __torch_function__(self, function, types, arguments=(), options=None):
            options = dict(options or {})
            options.pop("pin_memory", None)  # a build of torch for CPUs can pin nothing
            wanted = options.get("device")
            if wanted is not None:
                options["device"] = cpu if type(wanted) is int else mapped(wanted)
            if function is tensor.pin_memory:
                return arguments[0]
            if function is tensor.cuda:
                return arguments[0].clone()
            arguments = tuple(
                mapped(value) if function is tensor.to or not isinstance(value, str) else value
                for value in arguments
            )
            result = function(*arguments, **options)
            if function in moving and result is arguments[0]:
                moved = function is tensor.cpu or wanted is not None
                if moved or any(map(named_device, arguments[1:])):
                    return result.clone()
            if function in sharing and options.get("device") is not wanted:
                return result.clone()
            return result

    return CudaIsTheCpu
