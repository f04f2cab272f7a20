"""Every op of torch on the device: the CPU's kernel on the same memory.

torch's dispatcher asks a table for the kernel of an op and a device. Ops that compute get one that
calls the same op with the device's tensors seen as the CPU's; autograd, autocast, tracing and modes
are above it and stay torch's own. What returns a view or changes only a shape is torch's own, too:
it touches no memory. So an op needs nothing of its own here, except those few that ask about
devices, and an op that no CPU has a kernel for is refused by name.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch  # pyright: ignore[reportMissingImports]  # which the tests do without

from tileir.errors import UnsupportedError

from . import composed, generators, pinned, softmax, tensors

_COMPOSITE = "CompositeExplicitAutograd"
_KINDS = (_COMPOSITE, "CPU", "CompositeExplicitAutogradNonFunctional", "CUDA")
"""The kinds of kernel that an op may have which the device needs: those with one for CPUs, and, in
a build of torch for GPUs, those without one, which are refused."""

_SHAPES = ("set_",)
"""Ops that change only where and how a tensor lies, but have no kernel that says so."""

_MIXED = (
    "_copy_from", "_ctc_loss", "_ctc_loss_backward", "_index_put_impl_", "_pack_padded_sequence",
    "copy", "copy_", "index", "index_put", "index_put_",
)  # fmt: skip
"""Ops that take tensors of the CPU beside those of the device; others take single numbers."""

_ON_HOST = {"_pack_padded_sequence": 1}
"""Op -> the number of its result that is on the CPU on every device."""

_UNSEEDED = ("_fused_sdp_choice", "_scaled_dot_product_flash_attention_for_cpu")
"""Ops that torch says draw random numbers, which they do on GPUs only."""

_AUTOCAST = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)
_has = torch._C._dispatch_has_kernel_for_dispatch_key
_libraries: list[Any] = []
"""torch forgets kernels with the object through which they were registered."""


class Kernel:
    """An op on the device. Raises UnsupportedError if there is no kernel for CPUs.

    Like a GPU's it raises RuntimeError for tensors on both devices, and for another device than 0.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._op: Any = None
        self._shape: Any = None

    def _find(self) -> None:
        """Look up the op when it is first called; there are thousands."""
        space, _, rest = self._name.partition("::")
        name, _, overload = rest.partition(".")
        found = getattr(getattr(getattr(torch.ops, space), name), overload or "default")
        arguments = found._schema.arguments
        if _views(self._name) or torch.Tag.inplace_view in found.tags or name in _SHAPES:
            self._shape = tensors.as_for_cpu(found)
        self._mixed = name in _MIXED
        self._on_host = _ON_HOST.get(name)
        seeded = torch.Tag.nondeterministic_seeded in found.tags and name not in _UNSEEDED
        drawing = generators.with_generator(found) if seeded else found
        self._draws = any(a.name == "generator" for a in drawing._schema.arguments)
        self._random = seeded and not self._draws
        self._outs = [a.name for a in arguments if a.is_out]
        self._op = drawing

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if self._op is None:
            self._find()
        if self._shape is not None:
            return self._shape(*arguments, **options)
        device = options.get("device")
        given = _Given(self._mixed)
        passed = [given.lower(argument) for argument in arguments]
        for name, option in options.items():
            options[name] = given.lower(option)
        options.pop("pin_memory", None)
        resized = [self._resizable(name, options, given) for name in self._outs]
        if self._draws:
            options["generator"] = _generator(options.get("generator"))
        try:
            result = self._run(passed, options)
        except NotImplementedError as error:
            raise _without_kernel(self._name, error) from None
        for out in filter(None, resized):
            _resize(*out)
        to_device = bool(given.pairs) if device is None else device.type == "cuda"
        lifted = given.lift(result, to_device)
        if self._on_host is None:
            return lifted
        return tuple(r if n == self._on_host else lifted[n] for n, r in enumerate(result))

    def _run(self, arguments: Any, options: Any) -> Any:
        """Call the op on the CPU; what is set for the CPU there is not set for the device."""
        if self._random:
            with generators.as_default(torch.cuda.default_generators[0]):
                return self._op(*arguments, **options)
        if torch.is_autocast_enabled("cpu"):
            with torch._C._ExcludeDispatchKeyGuard(_AUTOCAST):
                return self._op(*arguments, **options)
        return self._op(*arguments, **options)

    def _resizable(self, name: str, options: Any, given: _Given) -> Any:
        """An empty tensor to write to may get a shape; memory of another one cannot grow."""
        for alias, original in given.pairs:
            if alias is options.get(name):
                if not alias.numel():
                    fresh = torch.empty(0, dtype=alias.dtype, device=tensors.CPU)
                    given.pairs.append((fresh, original))
                    options[name] = fresh
                return options[name], original
        return None


class _Given:
    """What an op was given: pairs of tensors on the CPU, and those of the device they stand for."""

    def __init__(self, mixed: bool) -> None:
        self.pairs: list[tuple[Any, Any]] = []
        self._mixed = mixed
        self._host = False

    def lower(self, value: Any) -> Any:
        """Return an argument for the CPU's kernel."""
        if isinstance(value, torch.Tensor):
            if value.is_cuda:
                alias = tensors.on_cpu(value)
                self.pairs.append((alias, value))
                value = alias
            elif not self._mixed and value.dim():
                self._host = True
            if self._host and self.pairs:
                raise RuntimeError(
                    "Expected all tensors to be on the same device, but found at least two "
                    "devices, cuda:0 and cpu!"
                )
            return value
        if isinstance(value, list | tuple):
            return [self.lower(item) for item in value]
        if isinstance(value, torch.device) and value.type == "cuda":
            if value.index:
                raise torch.AcceleratorError("CUDA error: invalid device ordinal")
            return tensors.CPU
        return value

    def lift(self, value: Any, to_device: bool) -> Any:
        """Return a result for the caller: what was given, or on its device."""
        if isinstance(value, torch.Tensor):
            for alias, original in self.pairs:
                if alias is value:
                    return original
            if not to_device:
                return value
            if value.is_quantized:
                raise UnsupportedError('quantized tensors are not supported on device "cuda"')
            if value.layout is not torch.strided:
                raise UnsupportedError('sparse tensors are not supported on device "cuda"')
            return tensors.on_device(value)
        if isinstance(value, list | tuple):
            return type(value)(self.lift(item, to_device) for item in value)
        return value


def _generator(given: Any) -> Any:
    if given is None:
        return torch.cuda.default_generators[0]
    if not generators.of_device(given):
        raise RuntimeError("Expected a 'cuda' device type for generator but found 'cpu'")
    return given


def _resize(alias: Any, original: Any) -> None:
    """Give an output the shape that the CPU's kernel gave to what stood for it."""
    if alias.data_ptr() != original.data_ptr():
        tensors.take(original, tensors.on_device(alias))
    elif alias.shape != original.shape:
        tensors.reshape(original, alias.shape, alias.stride())


def _without_kernel(name: str, error: Exception) -> Exception:
    """Return the error for an op that has a kernel for GPUs only; others are the program's."""
    if "Could not run" not in str(error):
        return error
    return UnsupportedError(f"torch has no kernel of {name} for CPUs, which stand in for the GPU")


def _views(name: str) -> bool:
    """Whether an op returns what it was given in another shape."""
    base, _, overload = name.partition(".")
    returned = torch._C._get_schema(base, overload).returns
    return any(r.alias_info is not None and not r.alias_info.is_write for r in returned)


def _kernels() -> dict[str, Callable[..., Any]]:
    """Return op -> kernel, for all ops of torch that need one for the device."""
    found: dict[str, Callable[..., Any]] = {}
    for name in torch._C._dispatch_get_all_op_names():
        if not name.startswith("aten::") or not any(_has(name, kind) for kind in _KINDS):
            continue
        if not (_has(name, _COMPOSITE) and _views(name)):
            found[name] = Kernel(name)
    found |= softmax.kernels(found)
    for name in ("aten::abs", "aten::abs.out", "aten::abs_"):
        found[name] = _abs(found[name], in_place=name.endswith("_"))
    found["aten::native_dropout"] = generators.native_dropout
    found["aten::resize_"] = tensors.resize_
    found["aten::record_stream"] = lambda tensor, stream: None
    for library in ("cudnn", "miopen"):
        for overload in ("", ".Tensor"):
            found[f"aten::_use_{library}_ctc_loss{overload}"] = lambda *arguments: False
    return found


def _abs(kernel: Callable[..., Any], in_place: bool) -> Callable[..., Any]:
    """Return a kernel that takes truths as well, as a GPU's does: they are their magnitudes."""

    def compute(tensor: Any, **out: Any) -> Any:
        if tensor.dtype != torch.bool:
            return kernel(tensor, **out)
        for written in out.values():
            return written.resize_(tensor.shape).copy_(tensor)
        return tensor if in_place else tensor.clone()

    return compute


def _other(op: Any, *arguments: Any, **options: Any) -> Any:
    """An op of another library, or one that torch has for GPUs only."""
    known = _others.get(op)
    if known is None:
        known = _others[op] = Kernel(op.name())
    return known(*arguments, **options)


_others: dict[Any, Kernel] = {}


def _layout(what: str) -> Callable[..., Any]:
    def refuse(op: Any, *arguments: Any, **options: Any) -> None:
        raise UnsupportedError(f'{op}: {what} tensors are not supported on device "cuda"')

    return refuse


_LAYOUTS = {
    "SparseCUDA": "sparse",
    "SparseCsrCUDA": "compressed sparse",
    "QuantizedCUDA": "quantized",
    "NestedTensorCUDA": "nested",
}
"""Key of torch's dispatcher -> kind of tensor that the device does not have."""


def found() -> tuple[dict[str, Callable[..., Any]], dict[str, Callable[..., Any]]]:
    """Return op -> kernel, for those that compute and those that torch composes of others."""
    return _kernels(), composed.found()


def install(
    computing: dict[str, Callable[..., Any]], composite: dict[str, Callable[..., Any]]
) -> None:
    """Register a kernel of every op for the device, and one for all ops that others register."""
    library = torch.library.Library("aten", "IMPL")
    rest = torch.library.Library("_", "IMPL")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a kernel for GPUs is replaced
        for name, kernel in computing.items():
            library.m.impl(name.removeprefix("aten::"), "CUDA", kernel)
        composed.install(library, composite)
        pinned.install(library)
        rest.fallback(_other, "CUDA")
        for key, what in _LAYOUTS.items():
            rest.fallback(_layout(what), key)
    _libraries.extend((library, rest))
