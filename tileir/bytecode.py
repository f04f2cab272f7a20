"""`Bytecode`: one Tile IR file, open for reading and for changes.

The header, the section list and the small tables are read at once. The function table, function
bodies and the debug section are read when first touched; errors in them are raised then. Constants
and untouched bodies stay views of the bytes given to `parse`, which must not change as long as the
object is used.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from tileir.formats.cursor import UNKNOWN, Slice, brief
from tileir.formats.forks import Lock, not_forking
from tileir.formats.limits import DEFAULT, Limits
from tileir.formats.version import LATEST, Version

from .errors import BuildError, BytecodeError, Diagnostic
from .launch.attributes import NONE, LaunchAttributes
from .messages.flags import flag
from .messages.folded import folded
from .messages.texts import display
from .read.debug_info import DebugInfo
from .read.declarations import Declaration
from .read.function import Function, Global, Section
from .read.once import once
from .read.original import OriginalFile
from .read.paused_collector import paused_collector
from .write.requested_version import supported
from .write.retarget import check_oddities, retarget

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from .read.text_positions import TextPositions

__all__ = ["Bytecode", "Function", "Global", "Section"]

MOST_SHOWN = 20
"""Most functions of which Jupyter shows the ops."""


class Bytecode:
    """A parsed Tile IR file. Make one with `parse`; read its attributes; write it with `build`.

    version    bytecode version of the file, a pair; its `preview` says whether the header
               announces public-preview content
    newer      whether that is newer than any version that is known; see `unknown`
    tag        16 bits of the header that say something about the whole file
    sections   `Section` objects in file order, ignored ones included
    strings    the string table
    types      the type table: Scalar, Tile, Pointer, ... of `tileir.types`
    constants  contents of the constant table
    globals    `Global` objects
    functions  `Function` objects: the kernels
    declarations  functions without bodies, extern ones and implementations, in public preview
    producer   who wrote the file, as free text, or None
    debug      the debug section, or None
    warnings   oddities of what has been read so far, as Diagnostics
    unknown    those of them that are unknown content of a newer version
    data       the bytes themselves
    original   the file as it was read, whatever has been changed since

    A module that was assembled from a text also has `launch_attributes`, what the text says about
    launching its kernels and the bytes cannot hold, and `text`, the positions of its parts in the
    text. For a file they are empty and None.
    """

    @classmethod
    def parse(
        cls,
        data: ReadableBuffer,
        strict: bool = False,
        *,
        limits: Limits = DEFAULT,
        reference: bool = False,
        assume_version: Version | str | tuple[int, int] | None = None,
    ) -> Bytecode:
        """Read a file's bytes (bytes, bytearray, memoryview, mmap or any buffer of bytes).

        Raises BytecodeError for what is not Tile IR bytecode, or nests deeper than `limits`. What
        NVIDIA's readers accept but no careful producer writes ends up in `warnings`; with `strict`
        it is an error, and everything is read at once. With `reference`, Construct interprets the
        schema itself, instead of the codec that is generated from it: slow, for comparison.

        A file of a version that is newer than any known one is read as far as the tables of the
        latest agree with it: `unknown` lists the rest. With `assume_version`, the file is read as
        one of that version, whatever its header states. BuildError if there is no such version.
        """
        if not isinstance(limits, Limits):
            raise TypeError(f"limits must be a Limits, got {limits!r}")
        try:
            view = memoryview(data)
        except TypeError:
            kind = type(data).__name__
            raise TypeError(f"expected bytes, got {kind}{_way_to(data)}") from None
        if not view.c_contiguous:
            raise TypeError("expected contiguous bytes, got a buffer with strides")
        view = view.cast("B")
        strict = flag("strict", strict)
        assumed = None if assume_version is None else supported(assume_version)
        bytecode = cls(OriginalFile(view, limits, flag("reference", reference), assumed))
        return bytecode.touch(strict=True) if strict else bytecode

    def __init__(self, original: OriginalFile) -> None:
        self.original = original
        self.data, self.limits = original.data, original.limits
        self.version: Version = original.version.stated
        self.tag = original.tag
        self.sections = list(original.sections)
        self.tables = original.tables
        self.strings, self.types = original.tables.strings, original.tables.types
        self.globals = [variable for variable, _ in original.globals]
        self.producer = original.producer
        self.launch_attributes = NONE
        self.text: TextPositions | None = None
        self._lock = Lock()

    @once
    def functions(self) -> list[Function]:
        """The kernels. The function table is read when first asked for."""
        return list(self.original.functions)

    @property
    def declarations(self) -> list[Declaration]:
        """The functions without bodies of a file with public-preview content, in its order."""
        return list(self.original.declarations)

    @property
    def constants(self) -> list[Slice]:
        """Contents of the constant table, untyped, as views of the file."""
        return list(self.tables.constants)

    @property
    def debug(self) -> DebugInfo | None:
        """The debug section, None if there is none."""
        return self.original.debug

    @classmethod
    def of(cls, given: Bytecode | ReadableBuffer) -> Bytecode:
        """Return a Bytecode unchanged, and parse anything else as bytes; see `parse`."""
        if isinstance(given, Bytecode):
            return given
        try:
            memoryview(given)
        except TypeError:
            kind = type(given).__name__
            raise TypeError(f"expected a Bytecode or bytes, got {kind}{_way_to(given)}") from None
        return cls.parse(given)

    def function(self, name: str) -> Function:
        """Return the function of that name; KeyError if there is none."""
        for function in self.functions:
            if isinstance(name, str) and function.name == name:
                return function
        names = ", ".join(display(function.name) for function in self.functions)
        raise KeyError(f"no function {name!r}; there are: {names or 'none'}")

    @property
    def newer(self) -> bool:
        """Whether the file is of a version that is newer than any known one."""
        return self.original.version.open

    @property
    def unknown(self) -> list[Diagnostic]:
        """What of a newer version the tables do not know, in the order of the file.

        These are warnings, of what has been read so far; `touch` finds all.
        """
        unknown = [warning for warning in self.warnings if warning.kind == UNKNOWN]
        return sorted(unknown, key=lambda one: one.offset or 0)

    @property
    def warnings(self) -> list[Diagnostic]:
        """The oddities of what has been read so far; after `touch`, of the whole file."""
        return [
            Diagnostic(
                "warning",
                odd.kind,
                f"{odd.section}: {brief(odd.place)}: {odd.message}",
                odd.offset,
            )
            for odd in self.original.all_oddities()
        ]

    def touch(self, strict: bool = False) -> Bytecode:
        """Read everything that is otherwise read on demand, and return self.

        A table entry that nothing uses cannot be wrong, only odd; such entries are checked when
        the warnings are asked for. With `strict`, raise BytecodeError for the first oddity.
        """
        original, strict = self.original, flag("strict", strict)
        with paused_collector():
            for function in original.functions:
                _ = function.type, function.hints, function.argument_attributes
            for function in original.functions:
                _ = function.body
                function.check_locations()
        _ = original.debug, original.declarations
        original.include_unused()
        if strict:
            self._refuse_oddities()
        return self

    def _refuse_oddities(self) -> None:
        for odd in self.original.first_oddities():
            raise BytecodeError(
                "noncanonical",
                offset=odd.offset,
                section=odd.section,
                path=odd.path,
                expected="nothing unusual",
                found=odd.message,
            )

    def build(self, check: bool = True, *, compact: bool = False) -> bytes:
        """Return the file's bytes, with what was changed since it was read.

        Unchanged functions keep their bytes; changed ones are written in the shortest encoding.
        These may be edited: `functions`, `globals`, `producer`, and of a function its name, hints,
        argument attributes, location and all of its body. BuildError names what cannot be written,
        or the op that breaks a rule that it kept before. Without `check`, rules are not checked,
        for tests of programs that read such files.

        Strings, constants and debug records that nothing refers to any more since the file was read
        are emptied: they keep their index and lose their content. Types stay, and so does what was
        unused before. If `compact`, all is written anew, and only what is used. BytecodeError if
        that, or what an unchanged function refers to, cannot be read.
        """
        with not_forking:
            from .write.changes import Module, compacted, rewritten

        check = flag("check", check)
        module = cast(Module, self)  # pyright does not look through `once`
        return compacted(module, check) if flag("compact", compact) else rewritten(module, check)

    def to_version(self, version: Version | str | tuple[int, int]) -> Bytecode:
        """Return the module in another version of the format, for example ``to_version("13.1")``.

        Nothing is lost: one VersionError lists everything that the version lacks. Oddities of
        the file (`warnings`) are kept, or BuildError lists those that cannot be. ValueError if
        `version` is not a version at all, BytecodeError if the file cannot be read to the end.

        Converting back gives the same bytes, except for two facts that are not stored: whether
        there was a token type before print_tko of 13.1 got its token, and whether a kernel of 13.1
        to 13.4 without hints said so. Only the format is converted. What else NVIDIA's older
        releases refuse (13.1 and 13.2 the hint key "default", 13.2 most rounding modes of ftof)
        is left unchanged.
        """
        target, assumed = supported(version), self.original.assumed
        if self.newer:
            raise BuildError(
                f"version {self.version} is newer than {LATEST}, and what it has that others lack "
                "is not known; with assume_version, the file is read as one of another version"
            )
        same = Bytecode.parse(self.build(), limits=self.limits, assume_version=assumed).touch()
        same.launch_attributes = self.launch_attributes
        if target == self.version and assumed is None:
            return same
        other = Bytecode.parse(retarget(same, target), limits=self.limits)
        other.launch_attributes = self.launch_attributes
        check_oddities(same, other)
        return other

    def __reduce__(self) -> tuple:
        """Copies and pickles hold what `build(check=False)` would write now, and read it again.

        They have the same launch attributes, and the positions in a text if nothing was edited.
        """
        data = self.build(check=False)
        text = self.text if data == self.data else None
        assumed = self.original.assumed
        return _read_again, (data, self.limits, self.launch_attributes, text, assumed)

    def __repr__(self) -> str:
        try:
            names = ", ".join(function.name for function in self.functions)
        except (BytecodeError, AttributeError, TypeError):
            names = "functions that cannot be read"
        return f"<Bytecode {self.version}, {len(self.data)} bytes: {names}>"

    def _repr_html_(self) -> str:
        """What Jupyter shows: the version and size, and below them the functions."""
        title = f"Tile IR bytecode {self.version}, {len(self.data)} bytes"
        try:
            functions = [*self.functions]
        except BytecodeError as error:
            return folded(title, [str(error)])
        more = len(functions) - MOST_SHOWN
        lines = [f"the first {MOST_SHOWN} of {len(functions)} functions"] if more > 0 else []
        inside = [function._repr_html_() for function in functions[:MOST_SHOWN]]
        return folded(title, lines, inside)


def _read_again(
    data: bytes,
    limits: Limits,
    launch_attributes: LaunchAttributes,
    text: TextPositions | None,
    assumed: Version | None,
) -> Bytecode:
    """Return the module of a pickle or copy."""
    made = Bytecode.parse(data, limits=limits, assume_version=assumed)
    made.launch_attributes = launch_attributes
    made.text = None if text is None else replace(text, original=made.original)
    return made


def _way_to(given: object) -> str:
    """Return a hint for how to get bytecode from a str or a path; "" for other objects."""
    if isinstance(given, str):
        return "; tileir.load(path) reads a file, tileir.assemble(text) a text"
    return "; tileir.load(path) reads a file" if isinstance(given, os.PathLike) else ""
