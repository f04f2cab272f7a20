"""Code for NVIDIA GPUs: PTX and launch plans, without any of NVIDIA's tools.

`stages` has the steps; `schedule` decides, `emit` writes LLVM IR, LLVM writes PTX. Modules that
only compiling needs are imported when something is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Never

from tileir.codegen.cache.key import LAUNCH_PLAN
from tileir.codegen.cache.slot import Slot
from tileir.codegen.compilation import Compilation, Compiled
from tileir.codegen.device import launch as on_device
from tileir.codegen.device.image import Image
from tileir.formats.forks import not_forking
from tileir.gpus import TARGETS
from tileir.launch.roles_form import roles_of_plan, written_of_plan
from tileir.launch.stored_values import element_of
from tileir.types import Element, Tile

from .kept_text import KeptText
from .stored import StoredPlans

if TYPE_CHECKING:
    from tileir.codegen.kernel import KernelIR
    from tileir.codegen.pipeline import AfterStage
    from tileir.ir import Op

    from .state import State

__all__ = [
    "KEPT_AS",
    "CompiledEntry",
    "PtxCompilation",
    "compile_kernels",
    "identity",
    "restore",
    "why_not",
]

KEPT_AS = LAUNCH_PLAN
"""The kind of a compilation in the cache; its text is beside it."""

_NOTHING: Mapping[str, object] = MappingProxyType({})


class CompiledEntry(Compiled):
    """An entry compiled to PTX, with its launch plan."""

    def __init__(
        self, symbol: str, elements: Iterable[Element], plan: dict[str, Any], image: Image
    ) -> None:
        elements = tuple(elements)
        super().__init__(symbol, elements, roles_of_plan(plan, elements), written_of_plan(plan))
        self.plan = plan
        self._image = image

    def launch(
        self, grid: int | Sequence[int], args: Sequence[Any], *, stream: Any = None, **others: Never
    ) -> None:
        """Run the kernel on the GPU of this thread's CUDA context, or else that of the arguments.

        `grid` has up to three extents, missing ones are 1; with an extent of 0 nothing runs. `args`
        has one entry a parameter: for a pointer memory of the GPU that offers __dlpack__ or
        __cuda_array_interface__, as tensors of PyTorch and arrays of CuPy do, a `Buffer` or an
        address; for a scalar a number. The kernel gets addresses: extents and strides (in elements)
        are what its scalar arguments say.

        With a `stream` (a handle, or an object of PyTorch, CuPy, Numba or cuda.core) the launch is
        asynchronous there: the arguments have to stay alive, and errors are raised by whatever
        waits for the stream. Without one, it goes to the default stream and has finished when this
        returns.

        KernelAssertionError if an assertion of the kernel is false, DeviceError for any other error
        of the driver, also if there is no driver. LaunchError if an argument does not fit the
        kernel or the GPU; then nothing has run. Checks come first where possible, and an empty grid
        needs no GPU. MissingPackageError without cuda-bindings.
        """
        self.refuse(others)
        on_device.launch(self.symbol, self.plan, self.elements, self._image, grid, args, stream)

    def prepare(self, grid: Sequence[int], packed: bytes) -> on_device.Prepared | None:
        """Return what the driver is told for a launch in this thread's context.

        None for an empty grid. This is for those who are asked as the driver is: `packed` has each
        argument at its offset of the plan. Errors are those of `launch`.
        """
        return on_device.prepare(self.symbol, self.plan, self._image, grid, packed)

    def load(self) -> None:
        """Load the code for the current GPU now, which otherwise the first launch does.

        LaunchError, DeviceError and MissingPackageError as for a launch.
        """
        on_device.load(self.symbol, self.plan, self._image)


class PtxCompilation(Compilation[CompiledEntry]):
    """Kernels compiled for a GPU: `ptx` holds all of them, `plan` one launch plan each.

    If compiling has `warned`, it is not kept in the cache, as the next time has to warn, too.
    """

    def __init__(
        self, target: str, text: KeptText, plan: Mapping[str, Any], warned: bool = False
    ) -> None:
        image = Image(text.ptx_with)
        entries = {}
        for symbol, each in plan.items():
            elements = [element_of(row["type"]) for row in each["parameters"]]
            entries[symbol] = CompiledEntry(symbol, elements, each, image)
        super().__init__(target, entries, plan)
        self.text = text
        self._warned = warned

    @property
    def ptx(self) -> str:
        """The PTX of all entries."""
        return self.text.ptx()

    @property
    def llvm_ir(self) -> str:
        """The LLVM IR before optimisation."""
        return self.text.llvm_ir()

    def to_bytes(self) -> bytes:
        """Serialise the launch plans; `restore` reads them."""
        return StoredPlans(self.plan, self.text.twins, self.text.apart).to_bytes()

    def keep(self, slot: Slot) -> None:
        """Keep the compilation in the cache: its plans in a slot, and its text beside them."""
        if not self._warned:
            slot.put(self.to_bytes())
            self.text.keep(slot)


def identity(target: str) -> str:
    """Return what PTX depends on besides the module and our own code: LLVM, and what writes IR."""
    with not_forking:
        from tileir.codegen import llvm

    return llvm.IDENTITY


def restore(slot: Slot, again: Callable[[], PtxCompilation]) -> PtxCompilation | None:
    """Return the compilation that is kept in a slot; None if there is none, or it is damaged.

    `again` compiles it once more: for a text that is not in the cache, when somebody asks for it.
    """
    stored = slot.get()
    try:
        found = None if stored is None else StoredPlans.from_bytes(stored)
    except ValueError:
        return None
    if found is None:
        return None
    text = KeptText(found.twins, found.apart, lambda: again().text, slot)
    return PtxCompilation(slot.facts["target"], text, found.plans)


def why_not(op: Op, target: str) -> str | None:
    """Return why an op is not supported on a target; None if it is."""
    with not_forking:
        from .schedule import supported
        from .schedule.block_size import MOST_WORDS, too_large

    gpu = TARGETS[target]
    if reason := supported.why_not(op) or supported.lacks(op, gpu):
        return reason
    for value in op.results:
        if isinstance(value.type, Tile) and too_large(value.type, gpu):
            most = MOST_WORDS * gpu.max_threads
            words = f"the {most} words of 32 bits that one tile may take"
            return f"{value.type} does not fit {words}; {supported.OURS}"
    return None


def compile_kernels(
    kernels: list[KernelIR],
    target: str,
    after_stage: AfterStage[State] | None = None,
    until: str | None = None,
    launch: Mapping[str, object] = _NOTHING,
    lineinfo: bool = False,
    portable: bool = False,
) -> PtxCompilation | None:
    """Compile kernels that have passed `why_not`; return None if `until` left stages out.

    `launch` has the options about the launch (see `launch_terms`). With `lineinfo`, the PTX has the
    source lines of its instructions. `portable` forbids features that only the form of the target
    with the suffix a has. `after_stage` and `until` are those of `pipeline.run`.
    """
    with not_forking:
        from tileir.codegen import pipeline

        from .state import KernelState, State
        from .text import DECIDED, Text

    gpu = TARGETS[target].portable() if portable else TARGETS[target]
    states = [KernelState(kernel, kernel.symbol) for kernel in kernels]
    state = State(states, gpu, launch, lineinfo)
    if after_stage is not None or until is not None:
        if not pipeline.run("nvptx", state, after_stage, until):
            return None
    else:
        pipeline.run("nvptx", state, until=DECIDED)
        pipeline.run("nvptx", state, since="describe_launch")
    text = Text(state)
    kept = KeptText(text.twins, text.apart, lambda: text)
    if not text.twins:
        kept.whole()  # what is wrong is raised where it is compiled
    warned = state.lines is not None and not state.lines.known
    return PtxCompilation(target, kept, state.plans, warned)
