"""Advice: the figures are those of the compiler, and a fix that is carried out gives them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import tileir
from tests.advised import advise
from tests.corpus import FIXTURES
from tileir import Bytecode
from tileir.attributes import DivBy
from tileir.builder import Editor
from tileir.codegen.advise import search
from tileir.codegen.advise.finding import Finding
from tileir.codegen.advise.rule import SURE
from tileir.codegen.advise.rules import RULES
from tileir.errors import TileIRError, UnsupportedError

SAXPY = """
cuda_tile.module @m { entry @saxpy(%x: tile<ptr<f32>>, %n: tile<i32>) {
  %view = make_tensor_view %x, shape = [%n], strides = [1]
      : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %tiles = make_partition_view %view
      : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
  %i, %j, %k = get_tile_block_id : tile<i32>
  %a, %t = load_view_tko weak %tiles[%i]
      : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32>
      -> tile<1024xf32>, token
  %b = addf %a, %a : tile<1024xf32>
  %u = store_view_tko weak %b, %tiles[%i]
      : tile<1024xf32>, partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32>
      -> token
  return
} }
"""


def matmul() -> Bytecode:
    return Bytecode.parse((FIXTURES / "13.1" / "matmul.tileirbc").read_bytes())


def advice(bytecode: Bytecode, **options) -> list[Finding]:
    return advise(bytecode, "sm_90", ptxas=False, **options)


def test_a_fix_that_is_carried_out_gives_the_figure() -> None:
    """The stride that is named is promised in the module itself; then the remark says so."""
    (found,) = advice(matmul())
    assert (found.rule, found.op, found.sure) == ("no-tensor-copy", "make_tensor_view", "likely")
    assert str(found.location).endswith("matrix.py:59:0")
    (store,) = found.also
    assert str(store).endswith("matrix.py:68:4")
    assert found.fix == "assume div_by<8> of parameter 13 (stride 0 of array 2)"
    assert found.shown == ("threads", "tensor copies")
    bytecode = matmul()
    (function,) = bytecode.functions
    stride = function.body.block.arguments[13]
    made = Editor(function).at_start(function.body.block).assume(stride, DivBy(8))
    stride.replace_all_uses_with(made, where=lambda use: use.op is not made.owner)
    remarks = tileir.compile(bytecode, "sm_90", cache=False).remarks
    assert "tile<64x64xf16> stored by tensor copies" in {remark.what for remark in remarks}
    assert not advice(bytecode)


def test_the_module_stays_as_it_is() -> None:
    bytecode = matmul()
    advice(bytecode)
    assert bytecode.build() == matmul().build()


def test_a_text_has_lines_of_its_own() -> None:
    (found,) = advice(tileir.assemble(SAXPY, name="saxpy.mlir"))
    assert (found.rule, found.before, found.after) == ("unknown-alignment", 4.0, 16.0)
    assert str(found.location) == "saxpy.mlir:3:11"
    assert [str(each) for each in found.also] == ["saxpy.mlir:8:12", "saxpy.mlir:12:8"]


def test_options_are_those_of_the_compiler() -> None:
    found = advice(matmul(), num_warps=1)
    assert "product-by-single-warps" in {each.rule for each in found}


@pytest.mark.parametrize(
    ("grid", "rule", "before"),
    [((100,), "thin-grid", 100 / 132 * 100), ((132 * 6 + 8,), "last-wave", 800 / 1584 * 100)],
)
def test_a_launch_is_looked_at(grid: tuple[int, ...], rule: str, before: float) -> None:
    """Of 132 SMs (H100), each holds six blocks of the kernel, by shared memory."""
    found = {each.rule: each for each in advice(matmul(), grid=grid)}
    assert found[rule].before == pytest.approx(before)
    full = 132 * 6
    assert not {"thin-grid", "last-wave"} & {e.rule for e in advice(matmul(), grid=(full, 1, 1))}
    for blocks, told in ((9, False), (97, False), (80, True)):
        found = advice(matmul(), grid=(blocks,), processors=9 if blocks == 9 else 100)
        assert ("thin-grid" in {each.rule for each in found}) is told


def test_what_there_is_no_time_for_is_named() -> None:
    """All rules if there is none at all; none, and the same findings, if there is enough."""
    none = search.advice(matmul(), "sm_90", ptxas=False, seconds=0)
    assert (none.findings, [*none.untried.values()]) == ([], [[*RULES]])
    enough = search.advice(matmul(), "sm_90", ptxas=False, seconds=3600)
    assert ([each.rule for each in enough.findings], enough.untried) == (["no-tensor-copy"], {})


def test_no_trial_begins_after_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock moves on with each trial: of what was found by then, nothing is lost."""
    tried = list[object]()
    clock = SimpleNamespace(monotonic=lambda: 100 if tried else 0)
    monkeypatch.setattr(search, "time", clock)
    plain = search._Search._try

    def counted(self, trial, sites):
        tried.append(trial)
        return plain(self, trial, sites)

    monkeypatch.setattr(search._Search, "_try", counted)
    found = search.advice(matmul(), "sm_90", ptxas=False, seconds=10)
    assert len(tried) == 1
    (untried,) = found.untried.values()
    assert set(untried) < {*RULES}


def test_the_host_gets_no_advice() -> None:
    with pytest.raises(UnsupportedError, match="GPU"):
        advise(matmul(), "host")


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_rules_are_complete(rule) -> None:
    assert rule.explanation.endswith(".")
    assert rule.title == rule.title.strip(".")
    assert rule.sure in SURE
    assert bool(rule.trials) != (rule.ideal is not None)


@pytest.mark.parametrize(
    ("path", "target"), [("invalid/rules/same-type", "sm_90"), ("13.5/multimem", "sm_75")]
)
def test_what_cannot_be_compiled_is_located_as_compile_does(path: str, target: str) -> None:
    bytecode = Bytecode.parse((FIXTURES / f"{path}.tileirbc").read_bytes())
    with pytest.raises(TileIRError) as compiled:
        tileir.compile(bytecode, target)
    with pytest.raises(TileIRError) as advised:
        advise(bytecode, target, ptxas=False)
    assert str(advised.value) == str(compiled.value)


@pytest.mark.parametrize(("columns", "found"), [(64, []), (4096, [97])])
def test_tiles_as_long_as_rows_cannot_be_longer(columns: int, found: list[int]) -> None:
    """Longer tiles load more only where there is more, and it is loads that keep memory busy."""
    data = (FIXTURES / "13.4" / "softmax.tileirbc").read_bytes()
    arguments = [0, 4096, columns, columns, 1, 0, 4096, columns, columns, 1]
    told = advise(Bytecode.parse(data), "sm_90", ptxas=False, arguments=arguments)
    small = [each for each in told if each.rule == "little-in-flight"]
    assert [each.location.innermost.line for each in small] == found
