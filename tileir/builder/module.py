"""A module under construction: functions are made op by op, each call checked, written as bytes.

    from tileir.builder import Module
    module = Module("13.4")
    kernel = module.function("double", ["ptr<f32>"])
    (pointer,) = kernel.parameters
    value, token = kernel.load_ptr_tko(pointer, memory_ordering_semantics="weak")
    kernel.store_ptr_tko(pointer, kernel.addf(value, value), memory_ordering_semantics="weak")
    kernel.return_()
    data = module.build()

Every op of the table is a method of `tileir.builder.Kernel`; its row says how to call it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from tileir.attributes import FloatAttribute, Hints, IntegerAttribute
from tileir.bytecode import Bytecode, Global
from tileir.errors import BuildError
from tileir.formats.version import LATEST, Version
from tileir.ir.constants import Constant
from tileir.ir.locations import CompileUnit, File, Scope, SourceLocation, Subprogram
from tileir.types import FunctionType, Tile, Type
from tileir.write.attributes import integer
from tileir.write.changed_bodies import check_entry
from tileir.write.requested_version import supported
from tileir.write.sections import Writer

from .coercion import attribute_of, build_flag, constant_of
from .kernel import Kernel
from .type_spelling import value_type

__all__ = ["Kernel", "Module", "number", "position", "splat", "subprogram"]


class Module:
    """A module under construction.

    version   bytecode version to write: a Version, or text such as "13.4"
    producer  who writes the file, as free text (from 13.3 on)
    """

    def __init__(self, version: Version | str = LATEST, producer: str | None = None) -> None:
        self.version = supported(version)
        self.producer = producer
        self.functions: list[Kernel] = []
        self.globals: list[Global] = []
        if producer is not None:
            self._writer()  # raises the BuildError that writing would raise

    def function(
        self,
        name: str,
        parameters: Sequence[Type | str] = (),
        *,
        hints: Mapping[str, Mapping] | None = None,
        argument_attributes: Sequence[Mapping] = (),
        private: bool = False,
        location: SourceLocation | None = None,
    ) -> Kernel:
        """Start a kernel. Parameters are scalar tiles, so ``"f32"`` or ``"ptr<f32>"`` is enough.

        hints                by architecture, for example ``{"sm_90": {"occupancy": 2}}``
        argument_attributes  a dictionary for each parameter (from 13.5 on)
        location             source location; its scope is the function's `subprogram`
        """
        self._check_name(name)
        if isinstance(parameters, str) or not isinstance(parameters, Sequence):
            raise BuildError(f"function {name}: parameters must be a list, found {parameters!r}")
        types = tuple(map(value_type, parameters))
        for position_, type in enumerate(types):
            if not isinstance(type, Tile) or type.rank:
                raise BuildError(f"function {name}: parameter {position_} must be a scalar: {type}")
        kernel = Kernel(self.version, name, FunctionType(types, ()))
        kernel.hints = Hints(attribute_of({} if hints is None else hints))
        kernel.argument_attributes = attribute_of(argument_attributes)
        kernel.private = build_flag("private", private)
        kernel.location = location
        Writer(self.version).entry(kernel)
        Writer(self.version).location(kernel)
        _check_location(kernel)
        check_entry(kernel)
        self.functions.append(kernel)
        return kernel

    def global_(
        self,
        name: str,
        value: object,
        *,
        type: Type | str | None = None,
        alignment: int = 0,
        private: bool = False,
        constant: bool = False,
    ) -> Global:
        """Add a global variable. `value` is its initial value, and `type` the type of numbers.

        `value` is a Constant, an array, or numbers. `alignment` is in bytes; 0 is the default one.
        ``Kernel.get_global`` returns the address.
        """
        self._check_name(name)
        private, constant = build_flag("private", private), build_flag("constant", constant)
        contents = constant_of(value, None if type is None else value_type(type))
        if contents.type.rank != 1:
            raise BuildError(f"global {name}: value must be a tile of rank 1, not {contents.type}")
        variable = Global(name, contents.type, contents, alignment, private, constant)
        Writer(self.version).variable(variable)
        self.globals.append(variable)
        return variable

    def _check_name(self, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise BuildError(f"expected a name, found {name!r}")
        if any(other.name == name for other in (*self.functions, *self.globals)):
            raise BuildError(f"the module has a {name!r} already")

    def build(self, check: bool = True) -> bytes:
        """Return the bytes of the module. BuildError if a function or region is not finished.

        The ops are checked once more, because they may have been edited since. Without `check`,
        ops that break a rule are written, too, for tests of programs that read them.
        """
        writer = self._writer(check)
        writer.replace("Func", [writer.built(kernel) for kernel in self.functions])
        if self.globals:
            writer.replace("Global", [writer.variable(variable) for variable in self.globals])
        return writer.file()

    def _writer(self, check: bool = True) -> Writer:
        writer = Writer(self.version, check=check)
        if self.producer is not None:
            writer.replace("Producer", {"producer": writer.tables.string(self.producer)})
        return writer

    def bytecode(self) -> Bytecode:
        """Return the written module, parsed."""
        return Bytecode.parse(self.build())

    def __repr__(self) -> str:
        return f"<Module {self.version}: {', '.join(kernel.name for kernel in self.functions)}>"


def _check_location(kernel: Kernel) -> None:
    """Require a Subprogram that names the function's symbol, as NVIDIA's readers do."""
    location = kernel.location
    scope = location.scope if isinstance(location, SourceLocation) else None
    symbol = scope.linkage_name if isinstance(scope, Subprogram) else None
    if location is not None and symbol != kernel.name:
        raise BuildError(
            f"function {kernel.name}: location must be a SourceLocation in a Subprogram whose "
            f"linkage_name is {kernel.name}, found {location!r}"
        )


def splat(value: object, type: Type | str) -> Constant:
    """Return a constant tile full of one number, stored as one element."""
    return constant_of(value, value_type(type))


def number(value: object, type: Type | str) -> IntegerAttribute | FloatAttribute:
    """Return a number as an attribute of that type, for example an identity of a reduction."""
    constant = constant_of(value, value_type(type))
    kind = IntegerAttribute if constant.type.element.is_integer else FloatAttribute
    bits = constant.bits() & ((1 << constant.type.element.bits) - 1)
    return kind(constant.type.element, bits)


def subprogram(
    symbol: str, path: str | os.PathLike[str], line: int, name: str | None = None
) -> Subprogram:
    """Return the scope of a kernel's locations: a function of a source file, from that line on.

    `symbol` is the name of the kernel, and `name` what the source calls the function, the same if
    None. BuildError for a path that is no text, or a line that is no integer.
    """
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise BuildError(f"expected the path of a source file, found {path!r}")
    directory, file_name = os.path.split(os.fspath(path))
    file, line = File(file_name, directory), integer(line)
    return Subprogram(file, line, name or symbol, symbol, CompileUnit(file), line)


def position(scope: Scope, line: int, column: int = 0) -> SourceLocation:
    """Return a line and column of the scope's file, both from 1; 0 means unknown.

    BuildError if `scope` is not a scope.
    """
    if not isinstance(scope, Scope):
        raise BuildError(
            f"expected a Subprogram or a LexicalBlock, found {scope!r}; subprogram(...) makes one"
        )
    return SourceLocation(scope, str(scope.file), integer(line), integer(column))
