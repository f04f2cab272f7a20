"""Modules from nothing: functions op by op, checked at every call, written as bytes.

    from tileir.builder import Module
    module = Module("13.4")
    kernel = module.function("double", ["ptr<f32>"])
    (pointer,) = kernel.parameters
    value, token = kernel.load_ptr_tko(pointer, memory_ordering_semantics="weak")
    kernel.store_ptr_tko(pointer, kernel.addf(value, value), memory_ordering_semantics="weak")
    kernel.return_()
    data = module.build()

Every op of the table is a method of `Kernel` (in `tileir.builder.kernel`); its row says how to call it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tileir.attributes import FloatAttribute, Hints, IntegerAttribute
from tileir.bytecode import Bytecode, Global
from tileir.errors import BuildError
from tileir.formats.version import LATEST, Version
from tileir.ir.constants import Constant
from tileir.ir.locations import Scope, SourceLocation, Subprogram
from tileir.types import FunctionType, Tile, Type
from tileir.write.attributes import integer
from tileir.write.requested_version import supported
from tileir.write.sections import Writer

from .coercion import attribute_of, constant_of
from .kernel import Kernel
from .type_spelling import value_type

__all__ = ["Kernel", "Module", "number", "position", "splat"]


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
            self._writer()  # as wrong as it would be later

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
        """Start a kernel. Parameters are scalar tiles, so that ``"f32"`` or ``"ptr<f32>"`` will do.

        hints                by architecture, for example ``{"sm_90": {"occupancy": 2}}``
        argument_attributes  a dictionary for each parameter (from 13.5 on)
        location             where the function is in source; its scope is the function's Subprogram
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
        kernel.private = private
        kernel.location = location
        Writer(self.version).entry(kernel)
        Writer(self.version).location(kernel)
        _check_location(kernel)
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
        """Add a variable. `value` is its first contents: a Constant, an array, numbers and a type.

        `alignment` is in bytes, 0 leaves it open. ``Kernel.get_global`` gives its address.
        """
        self._check_name(name)
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
        """The bytes of the module. BuildError if a function or region of it is not finished.

        The ops are checked once more, because they may have been edited since; without `check`,
        what breaks a rule is written all the same, for those who test what reads it.
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
        """The module as it reads once written."""
        return Bytecode.parse(self.build())

    def __repr__(self) -> str:
        return f"<Module {self.version}: {', '.join(kernel.name for kernel in self.functions)}>"


def _check_location(kernel: Kernel) -> None:
    """A function is in a Subprogram that names its symbol, or NVIDIA's readers refuse it."""
    place = kernel.location
    scope = place.scope if isinstance(place, SourceLocation) else None
    symbol = scope.linkage_name if isinstance(scope, Subprogram) else None
    if place is not None and symbol != kernel.name:
        raise BuildError(
            f"function {kernel.name}: location must be a SourceLocation in a Subprogram whose "
            f"linkage_name is {kernel.name}, found {place!r}"
        )


def splat(value: object, type: Type | str) -> Constant:
    """A tile full of one number, stored as that one element."""
    return constant_of(value, value_type(type))


def number(value: object, type: Type | str) -> IntegerAttribute | FloatAttribute:
    """A number of a stated type as an attribute, for example an identity of a reduction."""
    constant = constant_of(value, value_type(type))
    kind = IntegerAttribute if constant.type.element.is_integer else FloatAttribute
    bits = constant.bits() & ((1 << constant.type.element.bits) - 1)
    return kind(constant.type.element, bits)


def position(scope: Scope, line: int, column: int = 0) -> SourceLocation:
    """A line and column of the file that the scope is in. BuildError for what is no scope."""
    if not isinstance(scope, Scope):
        raise BuildError(f"expected a Subprogram or a LexicalBlock, found {scope!r}")
    return SourceLocation(scope, str(scope.file), integer(line), integer(column))
