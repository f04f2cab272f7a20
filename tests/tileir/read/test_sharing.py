"""What many parts of a file share costs once, or is refused: no use of it is work again.

Each file is small, and would be dear by the square of its size. Characters, values and looks at
bytes are counted, never time.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import tileir
from tests.formats.bombs import module as one_kernel
from tests.formats.bombs import nested_ifs
from tests.lab.bombs import file_parts as parts
from tests.lab.bombs import shared_bytes as shared
from tileir import AssemblyError, BuildError, Bytecode, BytecodeError, Limits
from tileir.builder import Module
from tileir.explain.annotate import Leaf, annotate
from tileir.explain.op_tree import op_tree
from tileir.formats.limits import MAX_OVERLAPPING, MAX_RANK, MAX_SHARED_PARAMETERS
from tileir.inspect import as_json, render
from tileir.ir import constants
from tileir.types import Scalar, Tile
from tileir.write.blobs import Blobs

ONES = "1x" * (MAX_RANK + 1)


@pytest.mark.parametrize("reference", [False, True], ids=["specialised", "reference"])
def test_strings_on_top_of_each_other(reference: bool) -> None:
    """Read while all of them take little more than the table, refused beyond."""
    few = Bytecode.parse(shared.overlapping_names(100), reference=reference).touch()
    assert sum(map(len, few.strings)) < MAX_OVERLAPPING
    with pytest.raises(BytecodeError, match="lie on top of each other") as caught:
        Bytecode.parse(shared.overlapping_names(2000), reference=reference)
    assert (caught.value.kind, caught.value.section) == ("limit", "String")


def test_strings_side_by_side_may_be_long() -> None:
    text = b"x" * (4 * MAX_OVERLAPPING)
    bytecode = Bytecode.parse(parts.module([parts.entry()], texts=[parts.NAME, text, text]))
    assert len(bytecode.touch().strings[2]) == len(text)


def test_signatures_that_functions_share() -> None:
    """As many parameters as the file has bytes, and some more; each is a value."""
    most = MAX_SHARED_PARAMETERS
    side = int(most**0.5)
    Bytecode.parse(shared.signatures(side)).functions[-1].type  # noqa: B018
    with pytest.raises(BytecodeError, match="functions share signatures") as caught:
        _ = Bytecode.parse(shared.signatures(4 * side)).functions
    assert (caught.value.kind, caught.value.section) == ("limit", "Func")
    assert caught.value.path.endswith(".signature")


def test_many_parameters_of_their_own_are_no_sharing() -> None:
    count = MAX_SHARED_PARAMETERS + 1000
    types = [parts.signature([parts.SCALAR] * count)]
    data = parts.module([parts.entry(signature=parts.FIRST)], types=types)
    (function,) = Bytecode.parse(data).functions
    assert len(function.body.block.arguments) == count


def test_types_have_few_dimensions() -> None:
    """In files, texts and what is built."""
    for rank in (MAX_RANK, MAX_RANK + 1):
        types = [parts.tile(parts.I8, *[1] * rank), parts.signature([parts.FIRST])]
        bytecode = Bytecode.parse(
            parts.module([parts.entry(signature=parts.FIRST + 1)], types=types)
        )
        if rank == MAX_RANK:
            bytecode.touch()
            continue
        with pytest.raises(BytecodeError, match=f"257 dimensions, a type has at most {MAX_RANK}"):
            bytecode.touch()
    with pytest.raises(AssemblyError, match="257 dimensions"):
        tileir.assemble(f"entry @k() {{ %c = constant <i8: 1> : tile<{ONES}i8> return }}")
    kernel = Module().function("k")
    with pytest.raises(BuildError, match="257 dimensions"):
        kernel.iota(result=Tile(Scalar("i32"), (1,) * (MAX_RANK + 1)))


@pytest.mark.parametrize(
    "made",
    [shared.one_name, shared.one_global_name, shared.wrong_global_name, shared.ill_typed_global,
     shared.one_linkage_name, shared.wrong_scopes, shared.inlined_kernels],
)  # fmt: skip
def test_messages_do_not_repeat_long_names(made) -> None:
    found = tileir.verify(made(500))
    assert len(found) >= 499
    assert max(len(one.message) + len(one.location) + len(one.op) for one in found) < 30_000
    assert sum(len(str(one)) for one in found) < 2000 * len(found)


def test_a_constant_is_looked_through_once(monkeypatch) -> None:
    """However many ops have it, under however many types."""
    looked: list[int] = []
    really = constants._repeated

    def counting(data, unit: int) -> bool:
        looked.append(len(data))
        return really(data, unit)

    monkeypatch.setattr(constants, "_repeated", counting)
    data = shared.constant_of_many_types(400)
    text = tileir.disassemble(data)
    assert text.count("constant <i8: 7>") == 400
    assert len(looked) == 1


@pytest.mark.parametrize(
    ("element", "shape", "data", "alike"),
    [
        ("i8", (4,), b"\x07\x07\x07\x07", True),
        ("i8", (4,), b"\x07\x07\x07\x06", False),
        ("i16", (2,), b"\x07\x06\x07\x06", True),
        ("i16", (2,), b"\x07\x07\x06\x06", False),
        ("i32", (4,), b"\x01\x02\x03\x04", True),
        ("i8", (1 << 17,), b"\x07" * (1 << 17), True),
        ("i8", (1 << 17,), b"\x07" * ((1 << 17) - 1) + b"\x08", False),
        ("i1", (4,), b"\x0f", True),
        ("i1", (4,), b"\x07", False),
        ("i1", (8,), b"\xff", True),
        ("i1", (8,), b"\xfe", False),
        ("i1", (16,), b"\xff\xff", True),
        ("i1", (16,), b"\x00\x00", True),
        ("i1", (16,), b"\xff\x7f", False),
        ("i1", (16,), b"\xaa\xaa", False),
    ],
)
def test_constants_whose_elements_are_the_same(element, shape, data, alike) -> None:
    constant = constants.Constant(Tile(Scalar(element), shape), data)
    assert constant.uniform is alike
    if len(data) < 100:
        assert (len({constant.bits(i) for i in range(constant.type.size)}) == 1) is alike


def test_texts_have_a_limit_that_can_be_raised(tmp_path: Path) -> None:
    """Each op prints the constant that all share; a pipe takes a text of any length."""
    data = shared.one_constant(b"\x05")(300)
    with pytest.raises(BytecodeError, match="a text of at most") as caught:
        tileir.disassemble(shared.one_constant(b"\x05")(1000))
    assert caught.value.kind == "limit"
    small = Bytecode.parse(data, limits=Limits(text_growth=0))
    generous = Bytecode.parse(data, limits=Limits(text_growth=10_000))
    with pytest.raises(BytecodeError, match="a text of at most"):
        tileir.disassemble(small)
    with pytest.raises(BytecodeError, match="a text of at most"):
        op_tree(Bytecode.parse(shared.one_constant(b"\x05")(1000)))
    text = tileir.disassemble(generous)
    assert len(text) > 300 * 2 * 16_384
    path = tmp_path / "shared.tileirbc"
    path.write_bytes(data)
    command = [sys.executable, "-m", "tileir", "dis", str(path)]
    assert subprocess.run(command, capture_output=True, check=True).stdout.decode() == text


@pytest.mark.parametrize("made", [shared.texts_of_a_list, shared.constants_in_hints])
def test_no_attribute_is_spelled_that_is_too_long(made) -> None:
    """It is measured first: one attribute may repeat a long part very often."""
    data = made(1000)
    for printed in (tileir.disassemble, lambda data: op_tree(Bytecode.parse(data))):
        with pytest.raises((BytecodeError, tileir.VerifyError)):
            printed(data)


def test_large_constants_are_printed() -> None:
    """Twice their size in digits, which is far from the limit."""
    size = 1 << 22
    data = parts.module(
        [parts.entry(body=parts.constant(parts.FIRST) + parts.RETURN)],
        types=[parts.tile(parts.I8, size)],
        constants=[bytes(size - 1) + b"\x01"],
    )
    assert len(tileir.disassemble(data)) > 2 * size


def test_paths_in_json_are_short_where_nesting_is_deep() -> None:
    bytecode = Bytecode.parse(one_kernel(nested_ifs(300)))
    paths = [as_json(leaf)["path"] for leaf in annotate(bytecode) if isinstance(leaf, Leaf)]
    assert max(map(len, paths)) < 3000
    assert "func[0].body[0].regions[0][0].ops[0].condition" in paths
    assert any(path.startswith("...") for path in paths)


@pytest.mark.parametrize("made", [shared.one_name, shared.signature_results, shared.one_file_name])
def test_what_inspect_shows_does_not_repeat_what_is_long(made) -> None:
    data = made(500)
    leaves = list(annotate(Bytecode.parse(data)))
    assert sum(map(len, render(leaves))) < 250 * len(data)
    shown = (json.dumps(as_json(leaf)) for leaf in leaves if isinstance(leaf, Leaf))
    assert sum(map(len, shown)) < 400 * len(data)


def test_blobs_that_are_alike_at_their_ends_have_keys_of_their_own() -> None:
    ends = b"x" * 16
    blobs = Blobs()
    numbers = [blobs.index(ends + bytes([i, j]) + ends) for i in range(50) for j in range(50)]
    assert numbers == list(range(2500))
    assert max(map(len, blobs._by_key.values())) == 1
    assert blobs.index(ends + bytes([3, 4]) + ends) == 154


def test_a_shared_name_is_written_once() -> None:
    bytecode = Bytecode.parse(shared.right_global_name(50))
    for op in bytecode.functions[0].walk():
        op.location = None
    assert bytecode.build() == bytes(bytecode.data)
