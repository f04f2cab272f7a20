"""Places in torch where memory of the device is made without an op, and what is refused by name."""

from __future__ import annotations

from typing import Any

from tileir.errors import UnsupportedError


def install(torch: Any) -> None:
    """Change these places: storages on the device, pinned memory, inductor."""
    _storages(torch)
    _inductor(torch)


def _storages(torch: Any) -> None:
    """Make storages on the device, as loading a checkpoint does."""
    original = torch._C.StorageBase.__new__

    def new(cls: Any, *arguments: Any, device: Any = None, **options: Any) -> Any:
        if device is None or torch.device(device).type != "cuda":
            if device is not None:
                options["device"] = device
            return original(cls, *arguments, **options)
        made = original(cls, *arguments, device="cpu", **options)
        bytes_ = torch.empty(0, dtype=torch.uint8, device="cpu").set_(made)
        return bytes_.to("cuda").untyped_storage()

    torch.UntypedStorage.__new__ = staticmethod(new)


def _inductor(torch: Any) -> None:
    """Refuse to generate code for the device, which has no code of its own."""
    compiler = torch._TorchCompileInductorWrapper
    original = compiler.__call__

    def compile_graph(self: Any, model: Any, inputs: Any) -> Any:
        if any(isinstance(i, torch.Tensor) and i.is_cuda for i in inputs):
            raise UnsupportedError(
                "inductor generates code for GPUs, which a CPU cannot run; "
                'torch.compile(backend="eager") and "aot_eager" work'
            )
        return original(self, model, inputs)

    compiler.__call__ = compile_graph
