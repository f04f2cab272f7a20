"""Wrong use of the builder: a BuildError at the call that names op and slot, nothing appended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.tileir.every_op import WEAK, index, ones, partition, pointers, tensor
from tileir import BuildError, Bytecode
from tileir.attributes import DivBy
from tileir.builder import Module, position, subprogram
from tileir.builder.kernel import Kernel
from tileir.ir.locations import CallSite, File
from tileir.types import FunctionType, PartitionView, Pointer, Scalar, TensorView, Tile


def f32(kernel: Kernel):
    """A tile of sixteen."""
    return ones(kernel, "16xf32")


def constant_of_its_own(kernel: Kernel):
    """A value of another function."""
    return f32(Module(kernel.version).function("other"))


def inner_value(kernel: Kernel):
    """A value that is defined in a region which has been left."""
    with kernel.if_(ones(kernel, "i1")):
        value = f32(kernel)
        kernel.yield_()
    return value


ROUNDINGS = "'nearest_even', 'zero', 'negative_inf' or 'positive_inf'"

WRONG: dict[str, tuple[str, Callable[[Kernel], object]]] = {
    "unknown slot": (r"addf has no slot rounding, did you mean rounding_mode\?", lambda k: k.addf(
        f32(k), f32(k), rounding="zero")),
    "slot given twice": ("negf: source is given twice", lambda k: k.negf(f32(k), source=f32(k))),
    "missing operand": ("^addf: rhs is missing; the call needs lhs, rhs$", lambda k:
        k.addf(f32(k))),
    "too many operands": ("negf takes source; found 2", lambda k: k.negf(f32(k), f32(k))),
    "no value": ("addf: rhs must be a value, found 1.0; kernel.constant makes", lambda k:
        k.addf(f32(k), 1.0)),
    "no values": ("load_view_tko: index must be values, found 0; kernel.constant makes", lambda k:
        k.load_view_tko(partition(k), 0, **WEAK)),
    "list for one": ("addf: rhs must be a value", lambda k: k.addf(f32(k), [f32(k)])),
    "no list of values": ("extract: indices must be values", lambda k: k.extract(
        f32(k), [0], result=(4,))),
    "missing attribute": ("cmpi: comparison_predicate is missing, which is 'equal'.* or",
        lambda k: k.cmpi(ones(k, "i32"), ones(k, "i32"))),
    "missing order": ("load_ptr_tko: memory_ordering_semantics is missing", lambda k:
        k.load_ptr_tko(pointers(k))),
    "wrong kind of value": ("negf: operand #0 must be tile of f16 .*token.*is source", lambda k:
        k.negf(k.make_token())),
    "wrong element type": ("negf: operand #0 must be tile of f16 .*tile<16xi32>", lambda k:
        k.negf(ones(k, "16xi32"))),
    "different types": ("addf: .* have same type .*rhs is tile<8xf32>", lambda k: k.addf(
        f32(k), ones(k, "8xf32"))),
    "wrong rank": ("extract: operand #1 must be variadic of 0D tile of i32", lambda k: k.extract(
        f32(k), [ones(k, "2xi32")], result=(4,))),
    "wrong number of indices": ("load_view_tko: expected 2 index operands", lambda k:
        k.load_view_tko(partition(k), index(k, 1), **WEAK)),
    "view where a tensor is asked for": (
        "make_partition_view: operand #0 must be tensor view type, but got .*partition_view",
        lambda k: k.make_partition_view(partition(k), result=partition(k).type)),
    "another view": ("make_partition_view: expected the type of", lambda k: k.make_partition_view(
        tensor(k), result=PartitionView((4,), TensorView(Scalar("f32"), (4,), (1,)), (0,)))),
    "no case of the enum": (f"addf: rounding_mode: expected {ROUNDINGS}, found 'up'", lambda k:
        k.addf(f32(k), f32(k), rounding_mode="up")),
    "case that is not allowed": (f"addf: rounding_mode: expected {ROUNDINGS}, found 'approx'",
        lambda k: k.addf(f32(k), f32(k), rounding_mode="approx")),
    "case of a newer version": (r"ftof: rounding_mode: nearest_away needs 13\.4", lambda k:
        k.ftof(f32(k), rounding_mode="nearest_away", result="f16")),
    "op of a newer version": (r"atan2 needs 13\.2, writing 13\.1", lambda k:
        k.atan2(f32(k), f32(k))),
    "attribute of a newer version": (r"for: unsignedCmp: needs 13\.2, writing 13\.1", lambda k:
        k.for_(*[ones(k, "i32")] * 3, unsignedCmp=True)),
    "operand of a newer version": (r"print_tko: token: needs 13\.2, writing 13\.1", lambda k:
        k.print_tko([], token=k.make_token(), str="")),
    "value of a newer version": (r"tanh: rounding_mode: needs 13\.2", lambda k:
        k.tanh(f32(k), rounding_mode="approx")),
    "type of a newer version": (r"ftof: result: f8E8M0FNU needs 13\.2, writing 13\.1", lambda k:
        k.ftof(f32(k), result="f8E8M0FNU", rounding_mode="zero")),
    "pointer of a newer version": (r"int_to_ptr: result: ptr<f32, <none>> needs 13\.4", lambda k:
        k.int_to_ptr(ones(k, "16xi64"), result="ptr<f32, none>")),
    "result that nothing says": ("iota: result= is missing: the type of result", lambda k:
        k.iota()),
    "shape that nothing says": (r"reshape: result= is missing: the shape of .* \(a tile of f32\)",
        lambda k: k.reshape(f32(k))),
    "shape without an element type": (r"iota: result: \(16,\) is no type, and no operand has the",
        lambda k: k.iota(result=(16,))),
    "results that nothing says": (r"expected 2 results .* \(results=\[...\] says their types\)",
        lambda k: k.get_index_space_shape(partition(k))),
    "result of an op without": ("return: result is given, the op has none", lambda k:
        k.return_(result="f32")),
    "no type": ("iota: result: .*no type", lambda k: k.iota(result="16xi33")),
    "no legal type": ("constant: .*not a power of two", lambda k: k.constant(0, result="3xi32")),
    "results that are no list": ("results must be a list", lambda k: k.if_(
        ones(k, "i1"), results="f32")),
    "wrong shape": ("reshape: .* the same number of", lambda k: k.reshape(f32(k), result=(4,))),
    "value of another function": ("negf: source: .* is of another function", lambda k:
        k.negf(constant_of_its_own(k))),
    "value of a region left": (r"not visible here, outside of the then region of if; hand it on as",
        lambda k: k.negf(inner_value(k))),
    "negative number": ("cat: dim: .*-1", lambda k: k.cat(f32(k), f32(k), -1, result=(32,))),
    "no number": ("cat: dim: expected an integer, found '0'", lambda k: k.cat(
        f32(k), f32(k), "0", result=(32,))),
    "fraction": ("assume: predicate: expected an integer, found 16.5", lambda k: k.assume(
        k.parameters[0], DivBy(16.5))),
    "divisor": ("assume: .* divisor must be a power of 2", lambda k: k.assume(
        k.parameters[0], DivBy(3))),
    "no assumption": ("assume: .* is no assumption", lambda k: k.assume(k.parameters[0], "x")),
    "attribute that is none": ("assume: predicate: .* is no attribute", lambda k: k.assume(
        k.parameters[0], object())),
    "number without a type": ("reduce: identities: 0.0 needs a type", lambda k: k.reduce(
        [f32(k)], 0, [0.0])),
    "permutation of texts": ("permute: permutation: expected an integer", lambda k: k.permute(
        f32(k), ["0"], result=(16,))),
    "hints that are none": ("hints for sm_90 must be a dictionary", lambda k: k.load_ptr_tko(
        pointers(k), optimization_hints={"sm_90": 3}, **WEAK)),
    "text that is none": ("assert: message: expected a text", lambda k: k.assert_(  # noqa: PT009
        ones(k, "i1"), message=3)),
    "reduced dimension": ("reduce: dim must be a dimension of tile<16xf32>, found 1", lambda k:
        k.reduce([f32(k)], 1, [])),
    "terminator of a loop": ("continue cannot end the body, which ends with return", lambda k:
        k.continue_()),
    "return with values": ("return: a kernel returns nothing", lambda k: k.return_(f32(k))),
    "numbers without a type": ("constant: value: 1 needs the type", lambda k: k.constant(1)),
    "array of another shape": ("constant: value: an array of shape .* is no tile<8xi32>", lambda k:
        k.constant(np.arange(4, dtype=np.int32), result="8xi32")),
    "array of another type": ("constant: value: an array of float64 is no constant of f32",
        lambda k: k.constant(np.zeros(4), result="4xf32")),
    "number that does not fit": ("constant: value: 256 does not fit i8", lambda k: k.constant(
        256, result="i8")),
    "fraction for integers": ("constant: value: 1.5 is no integer, and tile<i32> takes", lambda k:
        k.constant(1.5, result="i32")),
    "location that is none": ("negf: location: expected a source location", lambda k: k.negf(
        f32(k), location="here")),
    "location without a function": ("negf: location: the function has none", lambda k: k.negf(
        f32(k), location=CallSite(None, None))),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_use_fails_at_the_call(name: str) -> None:
    message, call = WRONG[name]
    module = Module("13.1")
    kernel = module.function("main", ["ptr<f32>"])
    with pytest.raises(BuildError, match=message):
        call(kernel)
    kernel.negf(ones(kernel, "f32"))  # nothing is in the way
    kernel.return_()
    function = Bytecode.parse(module.build(), strict=True).functions[0]
    assert [op.name for op in function.ops[-2:]] == ["negf", "return"]


def main(version: str = "13.4") -> Kernel:
    """An empty kernel."""
    return Module(version).function("main", ["ptr<f32>"])


def test_ops_after_the_end() -> None:
    kernel = main()
    kernel.return_()
    with pytest.raises(BuildError, match="constant comes after return, which ends the body"):
        ones(kernel, "f32")
    with pytest.raises(BuildError, match="return comes after return"):
        kernel.return_()


def test_bodies_and_regions_must_be_finished() -> None:
    module = Module()
    kernel = module.function("main")
    with pytest.raises(BuildError, match="body does not end with return"):
        module.build()
    one = ones(kernel, "i32")
    with (
        pytest.raises(BuildError, match="region of for does not end with continue"),
        kernel.for_(one, one, one),
    ):
        kernel.negi(one)
    with pytest.raises(BuildError, match=r"for: region is missing; .*`with loop\.region:`"):
        kernel.negi(one)
    choice = main().if_
    choice(ones(choice.__self__, "i1"))
    with pytest.raises(BuildError, match=r"if: thenRegion is missing; .*`with nested\.thenRegion"):
        choice.__self__.return_()


def test_a_region_that_failed_can_be_tried_again() -> None:
    module = Module()
    kernel = module.function("main")
    loop = kernel.loop()
    with pytest.raises(RuntimeError), loop:
        raise RuntimeError
    with loop.region:
        kernel.break_()
    kernel.return_()
    assert [op.name for op in module.bytecode().functions[0].walk()] == ["loop", "break", "return"]


def test_an_open_region_is_not_written() -> None:
    module = Module()
    kernel = module.function("main")
    kernel.loop().region.__enter__()
    with pytest.raises(BuildError, match="region of loop is still open"):
        module.build()


def test_regions_are_entered_once_and_in_time() -> None:
    kernel = main()
    branch = kernel.if_(ones(kernel, "i1"))
    with branch.thenRegion:
        kernel.yield_()
    with pytest.raises(BuildError, match="thenRegion is there already"), branch.thenRegion:
        pass
    ones(kernel, "i32")
    with pytest.raises(BuildError, match="elseRegion can no longer be entered"), branch.elseRegion:
        pass
    with pytest.raises(AttributeError, match="if has no region body; it has thenRegion and"):
        _ = branch.body


def test_results_need_both_branches() -> None:
    kernel = main()
    branch = kernel.if_(ones(kernel, "i1"), results=["f32"])
    with branch.thenRegion:
        kernel.yield_(ones(kernel, "f32"))
    with pytest.raises(BuildError, match="if: elseRegion is missing"):
        _ = branch.results


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((), "for is to get tile<f32>, found nothing"),
        (("i32",), "for is to get tile<f32>, found tile<i32>"),
    ],
)
def test_terminators_hand_over_what_is_asked_for(values, message) -> None:
    kernel = main()
    one = ones(kernel, "i32")
    with kernel.for_(one, one, one, [ones(kernel, "f32")]) as loop:
        with pytest.raises(BuildError, match=f"continue: {message}"):
            kernel.continue_([ones(kernel, type) for type in values])
        kernel.continue_(loop.arguments[1])


def test_breaks_leave_loops_only() -> None:
    kernel = main()
    one = ones(kernel, "i32")
    with kernel.for_(one, one, one):
        with pytest.raises(BuildError, match="break cannot end the region of for"):
            kernel.break_()
        with kernel.if_(ones(kernel, "i1")):
            with pytest.raises(BuildError, match="break: it cannot leave the region of for"):
                kernel.break_()
            kernel.yield_()
        kernel.continue_()


MODULES: dict[str, tuple[str, Callable[[], object]]] = {
    "version": (r"version 13\.6 is not one of 13\.1 to", lambda: Module("13.6")),
    "version that is none": ("'latest' is not a version such as", lambda: Module("latest")),
    "producer too early": (r"Producer section needs 13\.3, writing 13\.2", lambda:
        Module("13.2", producer="us")),
    "no name": ("expected a name", lambda: Module().function("")),
    "two of a name": ("the module has a 'main' already", lambda: [
        module := Module(), module.function("main"), module.global_("main", np.zeros(2))]),
    "tile parameter": ("parameter 0 must be a scalar", lambda: Module().function("f", ["4xf32"])),
    "signature parameter": ("parameter 0 must be a scalar", lambda: Module().function(
        "f", [FunctionType((), ())])),
    "pointer to a pointer": ("pointee of .* must be a Scalar", lambda: Module().function(
        "f", [Pointer(Pointer(Scalar("f32")))])),
    "unknown scalar": ("no type 'f33'", lambda: Module().function("f", [Scalar("f33")])),
    "argument attributes too early": (r"function f: argument_attributes needs 13\.5", lambda:
        Module("13.4").function("f", ["f32"], argument_attributes=[{"a": 1}])),
    "hints": ("function f: hints: hints for sm_90 must be a dictionary", lambda: Module().function(
        "f", hints={"sm_90": 2})),
    "large hint": ("is no i32", lambda: Module().function("f", hints={"sm_90": {"a": 1 << 31}})),
    "location of another function": ("linkage_name is f", lambda: Module().function(
        "f", location=position(subprogram("g", "a.py", 1), 1))),
    "global of rank 2": ("must be a tile of rank 1", lambda: Module().global_(
        "g", np.zeros((2, 2), np.float32))),
    "private global too early": (r"global g: private needs 13\.3", lambda: Module("13.2").global_(
        "g", np.zeros(2, np.float32), private=True)),
    "alignment": ("global g: alignment: expected an integer", lambda: Module().global_(
        "g", np.zeros(2, np.float32), alignment=1.5)),
    "negative alignment": ("global g: .*-1", lambda: Module().global_(
        "g", np.zeros(2, np.float32), alignment=-1)),
    "tile in a tile": ("element of .* must be a Scalar or Pointer", lambda: Module().function(
        "f", [Tile(Tile(Scalar("f32")))])),
    "shape that is no tuple": ("cannot be written", lambda: Module().function("f").constant(
        0, result=Tile(Scalar("i32"), [4]))),
}  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_wrong_modules(name: str) -> None:
    message, call = MODULES[name]
    with pytest.raises(BuildError, match=message):
        call()


def test_the_subprogram_of_a_path() -> None:
    made = subprogram("f", Path("/src/a.py"), 3, "the function")
    assert (made.file.name, made.file.directory) == ("a.py", "/src")
    assert (made.name, made.linkage_name, made.line) == ("the function", "f", 3)
    assert str(position(subprogram("f", "a.py", 3), 4, 5)) == "a.py:4:5"
    for path in (None, b"a.py"):
        with pytest.raises(BuildError, match=f"expected the path of a source file, found {path}"):
            subprogram("f", path, 1)  # type: ignore[arg-type]
    with pytest.raises(BuildError, match=r"found <Subprogram .*; position\(scope, line\) makes"):
        Module().function("f", location=made)  # type: ignore[arg-type]


def test_errors_begin_with_the_location_of_the_op() -> None:
    """Those of a call, of a region that was left unfinished, and of one that was not entered."""
    scope = subprogram("main", "src/a.toy", 1)
    kernel = Module().function("main", location=position(scope, 1))
    one = ones(kernel, "i32")
    with kernel.at(position(scope, 2, 7)):
        with pytest.raises(BuildError, match=r"^src/a.toy:2:7: negf: operand #0"):
            kernel.negf(one)
        with pytest.raises(BuildError, match=r"^src/a.toy:3:9: negi has no slot x"):
            kernel.negi(one, x=1, location=position(scope, 3, 9))
        unfinished = pytest.raises(BuildError, match=r"^src/a.toy:2:7: the region of for does not")
        with unfinished, kernel.for_(one, one, one):
            kernel.negi(one, location=position(scope, 3, 9))
    with pytest.raises(BuildError, match=r"^src/a.toy:2:7: for: region is missing"):
        kernel.negi(one, location=position(scope, 4, 1))


def test_results_are_not_there_inside() -> None:
    kernel = main()
    one = ones(kernel, "i32")
    with kernel.for_(one, one, one, [one]) as loop:
        with pytest.raises(BuildError, match="not visible here, inside of for, whose result it is"):
            kernel.negi(loop.op.results[0])
        kernel.continue_(one)


def test_values_of_a_branch_that_gives_nothing() -> None:
    kernel = main()
    with kernel.if_(ones(kernel, "i1")):
        with pytest.raises(BuildError, match=r"get nothing, found tile<i32>; if takes results=\["):
            kernel.yield_(ones(kernel, "i32"))
        kernel.yield_()


@pytest.mark.parametrize("scope", [None, "a.py", File("a.py", "/src")])
def test_a_position_is_in_a_scope(scope) -> None:
    with pytest.raises(BuildError, match="expected a Subprogram or a LexicalBlock, found"):
        position(scope, 1)


def test_a_line_is_a_number() -> None:
    with pytest.raises(BuildError, match="expected an integer, found '1'"):
        position(subprogram("f", "a.py", 1), "1")


@pytest.mark.parametrize("name", [None, 3, Scalar("f32")])
def test_a_scalar_has_a_name(name) -> None:
    with pytest.raises(TypeError, match="expected the name of an element type like 'f32', found"):
        Scalar(name)


def test_an_op_that_is_none() -> None:
    kernel = Module().function("f")
    with pytest.raises(AttributeError, match=r"^a kernel has no op 'adff', did you mean addf\?$"):
        kernel.adff()
    with pytest.raises(AttributeError, match=r"^a kernel has no op 'whatever'$"):
        kernel.whatever()
    assert not hasattr(kernel, "__array__")
