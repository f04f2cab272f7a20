"""What is in a module: ops, types, bytes, versions; and the work of kernels, by hand and by law."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.corpus import FIXTURES, NEWEST
from tests.tileir.newer.made_up import STATED, stated
from tileir import Bytecode, BytecodeError, VersionError, assemble, load
from tileir.formats.ops import OPS
from tileir.formats.ops.spec import READS, READS_WRITES, WRITES
from tileir.formats.version import SUPPORTED
from tileir.stats.formula import Formula, total
from tileir.stats.module_stats import FunctionStats, stats_of
from tileir.stats.work import FOLDS, MEMORY

ORDERING_ALONE = {"alloca", "memory_fence_alias_tko", "gdc_launch_dependents_tko", "gdc_wait_tko"}


def work(body: str, parameters: str = "%p: tile<ptr<f32>>, %n: tile<i32>") -> FunctionStats:
    """The statistics of a kernel, of which a constant tile is %x and scalars are %c0 to %c7."""
    scalars = "\n".join(f"%c{n} = constant <i32: {n}> : tile<i32>" for n in range(8))
    text = f"""
entry @k({parameters}) {{
  {scalars}
  %x = constant <f32: 1.0> : tile<4x8xf32>
  {body}
  return
}}"""
    (function,) = stats_of(assemble(text)).functions
    return function


ADD = "%y{} = addf %x, %x rounding<nearest_even> : tile<4x8xf32>\n"
UNSIGNED = """
%m = constant <i32: -1> : tile<i32>
%b = constant <i8: -1> : tile<i8>
%w = exti %b unsigned : tile<i8> -> tile<i32>
%l = mini %m, %c7 unsigned : tile<i32>
"""

BRANCH = f"""
%t = cmpi less_than %n, %c0, signed : tile<i32> -> tile<i1>
if %t {{ {ADD.format(1)} yield }} else {{ {ADD.format(2)} {ADD.format(3)} yield }}"""
SUM = """
%r = reduce %x dim=1 identities=[0.0 : f32] : tile<4x8xf32> -> tile<4xf32>
(%a: tile<f32>, %b: tile<f32>) {
  %s = addf %a, %b rounding<nearest_even> : tile<f32>
  yield %s : tile<f32>
}"""


@pytest.mark.parametrize(
    ("body", "flops"),
    [
        (ADD, "32"),
        ("%y = fma %x, %x, %x rounding<nearest_even> : tile<4x8xf32>", "64"),
        ("%y = exp %x : tile<4x8xf32>", "32"),
        ("for %i in (%c1 to %c7, step %c4) : tile<i32> {" + ADD + "continue }", "64"),
        ("for %i in (%c7 to %c1, step %c4) : tile<i32> {" + ADD + "continue }", "0"),
        (UNSIGNED + "for unsigned %i in (%c0 to %m, step %c1) : tile<i32> {" + ADD + "continue }",
         "137,438,953,440"),
        (UNSIGNED + "for %i in (%c0 to %w, step %c1) : tile<i32> {" + ADD + "continue }", "8,160"),
        (UNSIGNED + "for %i in (%c0 to %l, step %c1) : tile<i32> {" + ADD + "continue }", "224"),
        (
            "for %i in (%c0 to %n, step %c4) : tile<i32> {" + ADD + "continue }",
            "32 * ceil(arg1 / 4)",
        ),
        (
            "%m = addi %n, %c2 : tile<i32>\n%k = muli %m, %c3 : tile<i32>\n"
            "for %i in (%c1 to %k, step %c1) : tile<i32> {" + ADD + "continue }\n" + ADD.format(2),
            "32 * ((arg1 + 2) * 3 - 1) + 32",
        ),
        (
            "%m = constant <i32: -5> : tile<i32>\n%k = addi %n, %m : tile<i32>\n"
            "for %i in (%m to %k, step %c1) : tile<i32> {" + ADD + "continue }",
            "32 * (arg1 - 5 + 5)",
        ),
        (
            "for %i in (%c0 to %n, step %c1) : tile<i32> {\n"
            "for %j in (%i to %n, step %c1) : tile<i32> {" + ADD + "continue }\ncontinue }",
            "32 * arg1 * trips1",
        ),
        ("loop {\n" + ADD + "break }", "32 * trips1"),
        (BRANCH, "64 * else1 + 32 * then1"),
        (SUM, "28"),
    ],
)  # fmt: skip
def test_flops(body: str, flops: str) -> None:
    found = work(body.replace("{}", "")).flops
    assert str(found.get("f32", Formula())) == flops


def test_a_product_does_two_m_n_k() -> None:
    """For any extents: so many tile blocks as there are tiles of the result make it."""
    (product,) = stats_of(load(NEWEST["matmul"])).functions
    ((kind, formula),) = product.flops.items()
    assert kind == "f16 products"
    (trips,) = formula.symbols
    m, n, k, tile_m, tile_n, tile_k = 256, 512, 192, 64, 64, 32
    assert "/ 32)" in trips
    each = formula.value({trips: -(-k // tile_k)})
    assert each * (m // tile_m) * (n // tile_n) == 2 * m * n * k


def test_bytes_and_places() -> None:
    (kernel,) = stats_of(load(NEWEST["vector_add"])).functions
    assert {kind: each.constant for kind, each in kernel.bytes.items()} == {
        "loaded": 2 * 4096,
        "stored": 4096,
    }
    assert {kind: each.constant for kind, each in kernel.flops.items()} == {"f32": 1024}
    (branches,) = stats_of(load(NEWEST["branches"])).functions
    assert set(branches.where) == set(branches.bytes["stored"].symbols)
    assert all(place.startswith("if at /") for place in branches.where.values())


def test_every_op_is_told_apart() -> None:
    """Each op that touches memory moves bytes, or orders; each name in the tables is an op."""
    effects = {op.mnemonic: op.effects for op in OPS}
    touching = {name for name, each in effects.items() if each in (READS, WRITES, READS_WRITES)}
    assert touching - MEMORY.keys() <= ORDERING_ALONE | {"assert", "print_tko", "preview$call"}
    assert {*MEMORY, *FOLDS} <= effects.keys()


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", NEWEST)
def test_counts_and_versions(name: str) -> None:
    """Ops are those of the walk, and the lowest version is the lowest that conversion gives."""
    bytecode = load(NEWEST[name])
    stats = stats_of(bytecode)
    assert sum(stats.sections.values()) <= stats.size == len(bytecode.data)
    for found, function in zip(stats.functions, bytecode.functions, strict=True):
        assert found.ops == Counter(op.name for op in function.walk())
        values = sum(len(op.results) for op in function.walk())
        assert sum(found.types.values()) >= values
    assert stats.lowest is not None
    bytecode.to_version(stats.lowest)
    for version in SUPPORTED:
        if version < stats.lowest:
            with pytest.raises(VersionError):
                bytecode.to_version(version)
    assert all(feature.since <= stats.lowest for feature in stats.features)
    assert bool(stats.features) == (stats.lowest > SUPPORTED[0])


@pytest.mark.sampled(10)
@pytest.mark.parametrize("path", sorted((FIXTURES / "invalid" / "rules").glob("*.tileirbc")))
def test_modules_that_break_rules_are_counted(path: Path) -> None:
    """Their types may be any; what cannot be read at all is an error of ours."""
    try:
        stats = stats_of(load(path))
    except BytecodeError:
        return
    assert all(each.ops for each in stats.functions)


def test_a_file_of_a_newer_version() -> None:
    """What is known is counted; nobody knows which lower version could hold the rest."""
    newer = Bytecode.parse(stated(NEWEST["vector_add"].read_bytes(), STATED))
    stats = stats_of(newer)
    assert (stats.lowest, stats.features) == (None, ())
    assert stats.functions[0].ops["addf"] == 1


def test_formulas() -> None:
    formula = total([(("n",), 2), ((), 3), (("n",), 4), (("m", "n"), 1), (("z",), 0)])
    assert str(formula) == "m * n + 6 * n + 3"
    assert formula.symbols == ("m", "n")
    assert formula.value({"m": 10, "n": 2}) == 35
    assert formula.constant is None
    assert Formula().constant == 0
    assert str(Formula()) == "0"


def test_deep_nests_have_short_terms() -> None:
    """One symbol stands for how often a deep branch runs: the sum is still right."""
    body = "\n".join(f"if %c {{ %y{n} = addf %f, %f : tile<f32>" for n in range(30)) + "}" * 30
    formula = work(body, "%c: tile<i1>, %f: tile<f32>").flops["f32"]
    assert len(formula.terms) == 30
    assert max(map(len, formula.terms)) == 8
    assert formula.value(dict.fromkeys(formula.symbols, 1)) == 30
    assert formula.cut(16)[1] == 14
