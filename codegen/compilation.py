"""The result of compiling: kernels by their symbols, and the text that was generated."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from tileir.errors import UnsupportedError
from tileir.formats.forks import not_forking
from tileir.launch.kernels import Kernels
from tileir.launch.roles import Roles, untold
from tileir.messages.folded import folded
from tileir.messages.texts import display

if TYPE_CHECKING:
    from tileir.types import Element

    from .arguments.by_role import Convention
    from .remarks import Remark
    from .stage import Stage


_LAUNCHED_WITH = {
    "threads": "the host",
    "allocations": "the host",
    "progress": "the host",
    "on_trace": "the host",
    "on_counts": "the host",
    "print_assertions": "the host",
    "stream": "a GPU",
}
"""Parameter of `launch` that only one kind of target takes -> that kind."""

_NOT_PICKLED = "a compiled kernel cannot be pickled; pickle the bytecode and compile it again"


class Compiled:
    """A compiled entry: its symbol, and the element types of its parameters in order.

    `roles` says which parameters are the extents and strides of which array, `written` through
    which pointers the kernel may write. Each target derives a class that can be launched.
    """

    def __init__(
        self,
        symbol: str,
        elements: Iterable[Element],
        roles: Roles | None = None,
        written: Collection[int] = (),
    ) -> None:
        self.symbol = symbol
        self.elements = tuple(elements)
        self.roles = untold(self.elements) if roles is None else roles
        self.written = frozenset(written)

    def __repr__(self) -> str:
        parameters = ", ".join(map(str, self.elements))
        return f"<{type(self).__name__} {display(self.symbol)}({parameters})>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(_NOT_PICKLED)

    def launch(self, grid: int | Sequence[int], args: Sequence[Any], **options: Any) -> None:
        """Run the kernel on a grid of up to three extents; `options` depend on the target."""
        raise UnsupportedError(f"{self.symbol}: this target cannot run kernels")

    def launch_arrays(
        self,
        grid: int | Sequence[int],
        *args: Any,
        convention: Convention | None = None,
        **options: Any,
    ) -> None:
        """Run the kernel as `launch` does, with arrays that bring their extents and strides along.

        `args` are one array for each array of the kernel, as `launch` takes them for pointers, and
        one number for each scalar, in the order of the parameters: `print(kernel.roles)` shows
        them. Where the kernel's body does not tell what belongs together, `convention="cutile"`
        says that each pointer is followed by the array's extents and strides, as cuTile has it.

        LaunchError if an array is not as the kernel assumes: its type, rank, or what is constant,
        divisible or bounded of its shape, strides and address; if the kernel writes to an array
        that repeats elements; and for whatever `launch` refuses. Then nothing has run.
        """
        with not_forking:
            from .arguments.by_role import Parameters, arguments_of

        kernel = Parameters(self.symbol, self.elements, self.roles, self.written)
        self.launch(grid, arguments_of(kernel, args, convention), **options)

    def refuse(self, names: Iterable[str]) -> None:
        """Raise TypeError if `launch` was given keywords that it does not take."""
        for name in names:
            owner = _LAUNCHED_WITH.get(name)
            taken = f", which kernels compiled for {owner} take" if owner else ""
            raise TypeError(f"launch() got an unexpected keyword argument {name!r}{taken}")


Entry = TypeVar("Entry", bound=Compiled)


class Compilation(Kernels[Entry]):
    """A compiled module: the symbol of an entry -> the compiled entry.

    `plan` (entry symbol -> launch plan) is that of a GPU target, and empty for the host.
    """

    record_stages: Callable[[], dict[str, Stage]] | None = None
    """Compiles once more, and returns what each stage did."""
    record_remarks: Callable[[], tuple[Remark, ...]] | None = None
    """Compiles once more, and returns remarks."""
    _stages: Mapping[str, Stage] | None = None
    _remarks: tuple[Remark, ...] | None = None

    def __init__(
        self,
        target: str,
        entries: Mapping[str, Entry],
        plan: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(entries)
        self.target = target
        self.plan: dict[str, Any] = dict(plan or {})

    def _repr_html_(self) -> str:
        """What Jupyter shows: target and entries, and below them the PTX, if there is one."""
        title = f"compiled for {self.target}: {', '.join(self)}"
        return folded(title, (self.ptx or "").expandtabs(4).splitlines())

    @property
    def ptx(self) -> str | None:
        """The PTX of all entries; None for the host."""
        return None

    @property
    def llvm_ir(self) -> str:
        """The LLVM IR before optimisation."""
        raise NotImplementedError

    @property
    def stages(self) -> Mapping[str, Stage]:
        """What each stage of compiling did: the stage's name -> its text and remarks, in order.

        The first access compiles once more, from the module as it is then, even if this compilation
        came from the cache.
        """
        if self._stages is None:
            self._stages = self.record_stages() if self.record_stages else {}
        return self._stages

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What makes the kernels fast or slow, and what to change; none for the host.

        Each remark has a topic (see `tileir.codegen.remarks`). The first access compiles once more,
        as that of `stages` does.
        """
        if self._remarks is None:
            self._remarks = self.record_remarks() if self.record_remarks else ()
        return self._remarks

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.target}: {', '.join(self)}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(_NOT_PICKLED)
