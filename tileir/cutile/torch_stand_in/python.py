"""Places in torch where memory of the device is made without an op, and what is refused by name."""

from __future__ import annotations

from typing import Any

from tileir.errors import UnsupportedError


def install(torch: Any) -> None:
    """Change these places: storages on the device, inductor, classes of tensors."""
    _storages(torch)
    _inductor(torch)
    _types(torch)
    torch.backends.cudnn.is_acceptable = lambda tensor: False  # without a warning of its absence


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
        if not any(isinstance(i, torch.Tensor) and i.is_cuda for i in inputs):
            return original(self, model, inputs)
        from torch._dynamo.exc import (  # pyright: ignore[reportMissingImports]  # as elsewhere
            ShortenTraceback,
        )

        class Refused(ShortenTraceback, UnsupportedError):
            """An error that torch.compile does not wrap into one of its own."""

            first_useful_frame = None

            def __init__(self, message: str) -> None:
                UnsupportedError.__init__(self, message)

        Refused.__name__ = Refused.__qualname__ = UnsupportedError.__name__
        Refused.__module__ = UnsupportedError.__module__
        raise Refused(
            "inductor generates code for GPUs, which a CPU cannot run; "
            'torch.compile(backend="eager") and "aot_eager" work'
        )

    compiler.__call__ = compile_graph


def _types(torch: Any) -> None:
    """Make the old classes of tensors, such as `torch.cuda.FloatTensor`, which C++ refuses."""

    class Type(type):
        original: Any
        dtype: Any

        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, cls.original)

        def __call__(cls, *arguments: Any) -> Any:
            if len(arguments) == 1 and not isinstance(arguments[0], int):
                return torch.tensor(arguments[0], dtype=cls.dtype, device="cuda")
            return torch.empty(arguments, dtype=cls.dtype, device="cuda")

    for name, original in list(vars(torch.cuda).items()):
        if name.endswith("Tensor") and isinstance(original, type) and hasattr(original, "dtype"):
            members = {"original": original, "dtype": original.dtype, "__module__": "builtins"}
            setattr(torch.cuda, name, Type(f"torch.cuda.{name}", (), members))
