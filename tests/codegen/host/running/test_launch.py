"""Launching: what may be passed, what is refused and how it is said, threads and interruption."""

from __future__ import annotations

import pickle
from functools import cache

import ml_dtypes
import numpy as np
import pytest

from tests.codegen.build import Kernel
from tileir import Buffer
from tileir.codegen import compile
from tileir.codegen.host.running import launch as launching
from tileir.errors import LaunchError, TileIRError

from .passing import WAYS, Exporter


@cache
def copying(element: str, size: int = 16):
    """Copies `size` elements from parameter 0 to parameter 1."""
    kernel = Kernel("copy", f"ptr<{element}>", f"ptr<{element}>")
    source, target = kernel.parameters
    index = kernel.zeros(1)
    value = kernel.load(kernel.view(source, [size], [size]), *index)
    kernel.store(value, kernel.view(target, [size], [size]), *index)
    return compile(kernel.module())["copy"]


@cache
def strided(size: int):
    """Copies `size` elements from parameter 0 to 1; parameters 2 and 3 are their strides."""
    kernel = Kernel("strided", "ptr<i32>", "ptr<i32>", "i64", "i64")
    pointers, strides = kernel.parameters[:2], kernel.parameters[2:]
    views = [
        kernel.view(pointer, [size], [size], strides=[None], dynamic_strides=[stride])
        for pointer, stride in zip(pointers, strides, strict=True)
    ]
    index = kernel.zeros(1)
    kernel.store(kernel.load(views[0], *index), views[1], *index)
    return compile(kernel.module())["strided"]


@cache
def storing(element: str):
    """Stores the scalar parameter 0 to parameter 1."""
    kernel = Kernel("put", element, f"ptr<{element}>")
    value, target = kernel.parameters
    one = kernel.op("reshape", value, results=[f"1x{element}"])
    kernel.store(one, kernel.view(target, [1], [1]), *kernel.zeros(1))
    return compile(kernel.module())["put"]


@cache
def numbering():
    """Each block stores its number, counted with x fastest, and the grid's extents."""
    kernel = Kernel("count", "ptr<i32>")
    (target,) = kernel.parameters
    x, y, z = kernel.op("get_tile_block_id", results=["i32"] * 3)
    size_x, size_y, size_z = kernel.op("get_num_tile_blocks", results=["i32"] * 3)

    def arithmetic(name: str, a, b):
        return kernel.op(name, a, b, results=["i32"], overflow="none")

    row = arithmetic("addi", arithmetic("muli", z, size_y), y)
    place = arithmetic("addi", arithmetic("muli", row, size_x), x)
    total = arithmetic("muli", arithmetic("muli", size_x, size_y), size_z)
    value = arithmetic("addi", arithmetic("muli", total, kernel.constant("i32", 1000)), place)
    pointer = kernel.op("offset", target, place, results=["ptr<i32>"])
    kernel.op("store_ptr_tko", pointer, value, results=["token"], memory_ordering_semantics="weak")
    return compile(kernel.module())["count"]


@pytest.mark.parametrize("grid", [7, (7,), (3, 5), [2, 3, 4], np.array([4, 2]), (300, 1, 7)])
@pytest.mark.parametrize("threads", [1, 3, None])
def test_every_block_runs_once(grid, threads: int | None) -> None:
    total = int(np.prod(grid))
    found = np.zeros(total + 1, np.int32)
    numbering().launch(grid, [found], threads=threads)
    assert found[:-1].tolist() == [1000 * total + place for place in range(total)]
    assert found[-1] == 0


@pytest.mark.parametrize("grid", [0, (5, 0), (0, 0, 0)])
def test_an_empty_grid_does_nothing(grid) -> None:
    found = np.zeros(4, np.int32)
    numbering().launch(grid, [found])
    assert not found.any()


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        ((), "1 to 3 extents, got 0"),
        ((1, 1, 1, 1), "1 to 3 extents, got 4"),
        ((1, -1), "grid extent -1 is not within 0 to 16777215"),
        (1 << 24, "grid extent 16777216 is not within"),
        ((1.0,), "the grid must be integers"),
        ("x", "the grid must be integers"),
        (None, "the grid must be integers"),
    ],
)
def test_grids_that_are_none(grid, words: str) -> None:
    with pytest.raises(LaunchError, match=words):
        numbering().launch(grid, [np.zeros(1, np.int32)])


@pytest.mark.parametrize("threads", [0, -1, 1.5, "two", True])
def test_thread_counts_that_are_none(threads) -> None:
    with pytest.raises(LaunchError, match="threads must be an integer from 1"):
        numbering().launch(1, [np.zeros(1, np.int32)], threads=threads)


@pytest.mark.parametrize("args", [None, 5])
def test_arguments_that_are_no_list(args) -> None:
    with pytest.raises(LaunchError, match=f"copy: the arguments must be a list, got {args}"):
        copying("f32").launch((1,), args)


def test_the_number_of_arguments() -> None:
    with pytest.raises(LaunchError, match="copy takes 2 arguments, but 1 were given"):
        copying("f32").launch(1, [np.zeros(16, np.float32)])
    with pytest.raises(LaunchError, match="count takes 1 argument, but 2 were given"):
        numbering().launch(1, [np.zeros(1, np.int32), 3])


OWN = {
    "i1": ["bool", "int8", "uint8"], "i8": ["int8", "uint8"], "i16": ["int16", "uint16"],
    "i32": ["int32", "uint32"], "i64": ["int64", "uint64"], "f16": ["float16"],
    "bf16": ["bfloat16", "uint16"], "f32": ["float32"], "f64": ["float64"],
    "f8E4M3FN": ["float8_e4m3fn", "uint8"], "f8E5M2": ["float8_e5m2", "uint8"],
    "f8E8M0FNU": ["float8_e8m0fnu", "uint8"], "tf32": ["float32", "uint32"],
}  # fmt: skip
EVERY = sorted({name for names in OWN.values() for name in names})


def dtype_of(name: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, name, None) or name)


@pytest.mark.parametrize("element", OWN)
def test_arrays_must_have_the_elements_of_the_pointer(element: str) -> None:
    kernel = copying(element)
    for name in EVERY:
        source = np.arange(16).astype(dtype_of(name))
        target = np.zeros(16, dtype_of(name))
        if name in OWN[element]:
            kernel.launch(1, [source, target])
            continue
        with pytest.raises(LaunchError) as caught:
            kernel.launch(1, [source, target])
        message = str(caught.value)
        assert f"parameter 0 (ptr<{element}>): expected an array of" in message
        assert message.split("got ")[1].split(" (")[0] == name


def test_an_array_of_small_floats_is_called_by_both_names() -> None:
    wrong = np.zeros(16, ml_dtypes.float8_e5m2)
    with pytest.raises(LaunchError) as caught:
        copying("f8E4M3FN").launch(1, [wrong, wrong])
    assert str(caught.value).endswith(
        "expected an array of float8_e4m3fn (f8E4M3FN) or uint8, got float8_e5m2 (f8E5M2)"
    )


def test_a_launch_error_is_a_value_error_and_ours() -> None:
    with pytest.raises(ValueError, match="parameter 0"):
        copying("f32").launch(1, [np.zeros(16), np.zeros(16)])
    assert issubclass(LaunchError, TileIRError)


@pytest.mark.parametrize("way", WAYS)
def test_ways_to_pass_memory(way: str) -> None:
    source, target = np.arange(16, dtype=np.float32), np.zeros(20, np.float32)
    copying("f32").launch(1, [WAYS[way](source), WAYS[way](target[2:])])
    assert (target[2:18] == source).all()


def test_a_tensor_that_requires_its_gradient() -> None:
    """It exports nothing itself, as torch's do."""

    class Tensor:
        requires_grad = True

        def __dlpack__(self, **options) -> None:
            raise BufferError("requires a gradient")

        def detach(self) -> Exporter:
            return Exporter(source)

    source, target = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    copying("f32").launch(1, [Tensor(), target])
    assert (target == source).all()


def test_a_kernel_shows_what_it_takes() -> None:
    assert repr(copying("f32")) == "<HostKernel copy(ptr<f32>, ptr<f32>)>"
    module = Kernel("empty", "i32", "ptr<bf16>").module()
    assert repr(compile(module, "sm_90")["empty"]) == "<CompiledEntry empty(i32, ptr<bf16>)>"


def test_a_compiled_kernel_cannot_be_pickled() -> None:
    compiled = compile(Kernel("empty").module())
    for what in (compiled, compiled["empty"]):
        with pytest.raises(TypeError, match="pickle the bytecode and compile it again"):
            pickle.dumps(what)


def test_dlpack_elements_are_checked() -> None:
    with pytest.raises(LaunchError, match="expected an array of float32, got float64"):
        copying("f32").launch(1, [Exporter(np.zeros(16)), np.zeros(16, np.float32)])


@pytest.mark.parametrize("way", ["array", "interface", "dlpack"])
@pytest.mark.parametrize("cut", [np.s_[:16], np.s_[::-1], np.s_[::3], np.s_[40::-2]])
def test_arrays_of_any_strides(cut: slice, way: str) -> None:
    whole, target = np.arange(48, dtype=np.int32), np.zeros(16, np.int32)
    source = whole[cut][:16]
    strided(16).launch(1, [WAYS[way](source), target, source.strides[0] // 4, 1])
    np.testing.assert_array_equal(target, source)
    strided(16).launch(1, [target, WAYS[way](whole[cut][-16:]), 1, source.strides[0] // 4])
    np.testing.assert_array_equal(whole[cut][-16:], target)


@pytest.mark.parametrize("way", ["array", "interface", "dlpack"])
def test_read_only_memory_is_refused_where_it_is_stored_to(way: str) -> None:
    source, target = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    source.flags.writeable = False
    copying("f32").launch(1, [WAYS[way](source), target])
    assert (target == source).all()
    with pytest.raises(LaunchError, match=r"parameter 1 .*read-only"):
        copying("f32").launch(1, [target, WAYS[way](source)])


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        (np.zeros(16, ">f4"), "native byte order"),
        (np.zeros(80, np.uint8)[1:65].view(np.float32), "divisible by 4"),
        (np.zeros(16, np.complex64), "got complex64"),
        (None, "expected an array, a Buffer or an address, got NoneType"),
        (1.5, "got float"),
        (True, "got bool"),
        ("text", "got str"),
        ([1.0] * 16, "got list"),
        (-8, "expected an address, got -8"),
        (1 << 64, "expected an address, got"),
        (Buffer(6, 100), "divisible by 4, got 0x6"),
        (
            Buffer(8, -1),
            "expected an address and a size in bytes, got Buffer(address=8, nbytes=-1)",
        ),
        (Buffer(8.5, 4), "expected whole numbers in the Buffer"),
        (np.bool_(True), "got bool"),
        (np.float32(1), "got float32"),
        (np.zeros(16, ml_dtypes.float4_e2m1fn), "got float4_e2m1fn"),
    ],
)
def test_pointers_that_are_none(argument, words: str) -> None:
    target = np.zeros(16, np.float32)
    with pytest.raises(LaunchError, match=r"^copy: parameter 0 \(ptr<f32>\): ") as caught:
        copying("f32").launch(1, [argument, target])
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("element", "value", "expected"),
    [
        ("i32", -(2**31), -(2**31)), ("i32", 2**32 - 1, -1), ("i32", True, 1),
        ("i32", np.int8(-3), -3), ("i32", np.array(9), 9), ("i8", 255, -1), ("i8", -128, -128),
        ("i64", 2**64 - 1, -1), ("i64", np.uint64(2**63), -(2**63)), ("i1", True, 1),
        ("i1", 0, 0), ("i1", -1, 1),
        ("f32", 0.1, np.float32(0.1)), ("f32", 3, 3.0), ("f32", np.float32(1.5), 1.5),
        ("f32", float("inf"), np.inf), ("f64", 0.1, 0.1), ("f64", np.float16(0.5), 0.5),
        ("f16", 0.1, np.float16(0.1)), ("bf16", 1.5, 1.5), ("bf16", ml_dtypes.bfloat16(2), 2.0),
        ("f8E5M2", 0.25, 0.25), ("bf16", 1 + 2**-8 + 2**-40, 1 + 2**-7),
        ("bf16", -(1 + 2**-8 - 2**-40), -1.0), ("bf16", float("nan"), np.nan),
        ("f8E4M3FN", 1 + 2**-4 + 2**-50, 1.125), ("f8E8M0FNU", 4, 4.0),
    ],
)  # fmt: skip
def test_scalars(element: str, value, expected) -> None:
    found = np.zeros(1, dtype_of(OWN[element][0] if element != "i1" else "uint8"))
    storing(element).launch(1, [value, found])
    assert found[0] == expected or (np.isnan(found[0]) and np.isnan(expected))


@pytest.mark.parametrize(
    ("element", "value", "words"),
    [
        ("i32", 2**32, "4294967296 is out of range, expected -2147483648 to 4294967295"),
        ("i8", -129, "-129 is out of range, expected -128 to 255"),
        ("i1", 2, "2 is out of range, expected -1 to 1"),
        ("i32", 1.0, "expected an integer, got float 1.0"),
        ("i32", np.float32(1), "expected an integer"),
        ("i32", "1", "expected an integer, got str '1'"),
        ("i32", None, "expected an integer, got NoneType"),
        ("i32", np.zeros(2, np.int32), "expected an integer, got ndarray"),
        ("f32", 1e300, "1e+300 is out of range"),
        ("f32", 10**400, "is out of range"),
        ("f16", 1e6, "out of range"),
        ("bf16", 1e39, "out of range"),
        ("f32", True, "expected a number, got bool"),
        ("f32", 1j, "expected a number, got complex"),
        ("f32", "1.0", "expected a number, got str"),
    ],
)
def test_scalars_that_do_not_fit(element: str, value, words: str) -> None:
    kernel = storing(element)
    found = np.zeros(1, dtype_of(OWN[element][0]))
    with pytest.raises(LaunchError) as caught:
        kernel.launch(1, [value, found])
    assert f"put: parameter 0 ({element}): " in str(caught.value)
    assert words in str(caught.value)


def test_too_much_workspace_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = copying("f32", 1 << 12)
    monkeypatch.setattr(launching, "MAX_WORKSPACE", 1000)
    with pytest.raises(LaunchError, match="copy: a thread would need 16384 bytes of workspace"):
        kernel.launch(1, [np.zeros(4096, np.float32), np.zeros(4096, np.float32)])
