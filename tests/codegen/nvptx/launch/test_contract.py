"""The launch contract: who may say what, whose word counts, and what the PTX has in the end."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tileir
from tests.codegen.nvptx.compiled import compiled
from tests.corpus import ROOT
from tests.launches import Launch, newest
from tileir.codegen import compile, emulator
from tileir.codegen.launch_terms import OPTIONS, TERMS
from tileir.errors import UnsupportedError

VECTOR_ADD = ROOT / "tests" / "lab" / "bench" / "kernels" / "vector_add.mlir"

NOOP = """\
module attributes { nv_tileaa.compute_capability = 90 : i32, tt.num_warps = 4 : i32 } {
  cuda_tile.module {
    cuda_tile.entry @noop() {
      cuda_tile.return
    }
  }
}
"""
SAID = """\
module attributes {{ {module} }} {{
  cuda_tile.module {{
    cuda_tile.entry @k() optimization_hints = <{hints}> attributes {{ {entry} }} {{
      cuda_tile.return
    }}
  }}
}}
"""


def said(module: str = "", entry: str = "", hints: str = "default = {}") -> Any:
    """An empty kernel with attributes and hints."""
    return tileir.assemble(SAID.format(module=module, entry=entry, hints=hints))


def directives(ptx: str) -> dict[str, str]:
    """What stands between the parameters of a kernel and its body."""
    head = re.search(r"\.entry \w+\([^)]*\)\n(.*?)\n\{", ptx, re.DOTALL)
    return dict((line + " ").split(" ", 1) for line in head[1].replace("\t", "").splitlines())


def test_the_smallest_kernel_from_its_text() -> None:
    compiled = tileir.compile(tileir.assemble(NOOP))
    assert (compiled.target, ".target sm_90\n" in compiled.ptx) == ("sm_90", True)
    assert ".entry noop()\n.reqntid 128, 1, 1\n" in compiled.ptx
    assert compiled.plan["noop"]["contract"]["num_warps"] == {
        "value": 4, "by": "attribute tt.num_warps",
    }  # fmt: skip


def test_the_text_may_spell_its_gpu() -> None:
    assert tileir.compile(said('nv_tileaa.target_spec = "sm_86"')).target == "sm_86"
    assert tileir.compile(said()).target == "host"
    for module in ("nv_tileaa.compute_capability = 70", 'nv_tileaa.target_spec = "x"'):
        with pytest.raises(UnsupportedError, match="which is no GPU; known are sm_75, sm_80"):
            tileir.compile(said(module))


def test_options_for_gpus_need_one() -> None:
    message = "^no GPU is named, which option num_warps needs; "
    with pytest.raises(UnsupportedError, match=message):
        tileir.compile(said(), num_warps=4)
    with pytest.raises(UnsupportedError, match="num_warps is for GPUs, not for target host"):
        tileir.compile(said(), "host", num_warps=4)
    with pytest.raises(UnsupportedError, match="lineinfo is for GPUs, not for target host"):
        tileir.compile(said(), "host", lineinfo=True)


def test_what_asks_for_nothing_is_welcome_everywhere() -> None:
    unsaid = dict.fromkeys([option.name for option in OPTIONS], None)
    defaults = {
        "num_ctas": 1, "cluster_dim": (1, 1, 1), "minnctapersm": 1, "blocksareclusters": False,
        "lineinfo": False,
    }  # fmt: skip
    for options in ({**unsaid, "lineinfo": None}, defaults):
        assert tileir.compile(said(), **options).target == "host"
        assert tileir.compile(said(), "host", **options).target == "host"
        compiled = tileir.compile(said(), "sm_90", **options)
        assert compiled.ptx == tileir.compile(said(), "sm_90").ptx
    contract = compiled.plan["k"]["contract"]
    assert contract["blocksareclusters"] == {"value": False, "by": "option blocksareclusters"}
    with pytest.raises(TypeError, match=r"argument .num_wraps."):
        tileir.compile(said(), num_wraps=None)


ORDER = [
    ({"num_warps": 1}, "option num_warps", 1),
    ({"entry": "tt.num_warps = 2"}, "attribute tt.num_warps", 2),
    ({"module": "nvvm.reqntid = [128, 1, 1]"}, "attribute nvvm.reqntid", 4),
    ({"hints": "sm_80 = {num_worker_warps_per_cta = 8}"}, "hint num_worker_warps_per_cta", 8),
    ({"hints": "default = {num_worker_warps_per_cta = 16}"}, "hint num_worker_warps_per_cta", 16),
    ({}, "compiler", 1),
]


@pytest.mark.parametrize("first", range(len(ORDER)), ids=lambda n: ORDER[n][1].replace(" ", "-"))
def test_who_comes_first(first: int) -> None:
    """All from one of those who speak down to the last one: the first counts."""
    given = [what for what, _, _ in ORDER[first:]]
    texts: dict[str, list[str]] = {"module": [], "entry": [], "hints": []}
    for what in given:
        for place in texts.keys() & what.keys():
            texts[place].append(what[place])
    module = said(**{place: ", ".join(found) for place, found in texts.items()})
    options = {"num_warps": 1} if "num_warps" in given[0] else {}
    plan = compile(module, "sm_80", **options).plan["k"]
    _, by, value = ORDER[first]
    assert plan["contract"]["num_warps"] == {"value": value, "by": by}
    assert plan["block"] == [32 * value, 1, 1]


def test_hints_for_an_architecture_add_to_the_default_ones() -> None:
    both = "default = {occupancy = 3, num_worker_warps_per_cta = 8}, sm_80 = {occupancy = 2}"
    found = directives(compile(said(hints=both), "sm_80").ptx)
    assert (found[".reqntid"], found[".minnctapersm"]) == ("256, 1, 1 ", "2 ")
    found = directives(compile(said(hints=both), "sm_86").ptx)
    assert (found[".reqntid"], found[".minnctapersm"]) == ("256, 1, 1 ", "3 ")


@pytest.mark.parametrize(
    ("warps", "occupancy", "blocks"), [(4, 32, 8), (32, 2, 1), (1, 32, 32), (8, 2, 2)]
)
def test_a_hint_leaves_threads_enough_registers(warps: int, occupancy: int, blocks: int) -> None:
    hints = f"default = {{occupancy = {occupancy}}}"
    found = directives(compile(said(hints=hints), "sm_90", num_warps=warps).ptx)
    assert found[".minnctapersm"] == f"{blocks} "


def test_hints_that_cannot_be_are_ignored() -> None:
    hints = "default = {occupancy = 99, num_worker_warps_per_cta = 3, num_cta_in_cga = 2}"
    found = directives(compile(said(hints=hints), "sm_90").ptx)
    assert found == {".reqntid": "32, 1, 1 ", ".minnctapersm": "1 "}


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"num_warps": 32}, {".reqntid": "1024, 1, 1 "}),
        ({"maxnreg": 255}, {".maxnreg": "255 "}),
        ({"minnctapersm": 32}, {".minnctapersm": "32 "}),
        ({"maxclusterrank": 8}, {".maxclusterrank": "8 "}),
        ({"num_ctas": 3}, {".reqnctapercluster": "3, 1, 1 ", ".explicitcluster": ""}),
        ({"cluster_dim": [1, 2, 4]}, {".reqnctapercluster": "1, 2, 4 ", ".explicitcluster": ""}),
        (
            {"cluster_dim": (2, 1, 1), "blocksareclusters": True},
            {".reqnctapercluster": "2, 1, 1 ", ".blocksareclusters": ""},
        ),
        (
            {"blocksareclusters": True},
            {".reqnctapercluster": "1, 1, 1 ", ".blocksareclusters": ""},
        ),
        ({"num_ctas": 1, "maxclusterrank": 4}, {".maxclusterrank": "4 "}),
        ({"num_warps": np.int64(2), "num_ctas": np.int8(2)}, {".reqntid": "64, 1, 1 "}),
        ({"blocksareclusters": False, "num_ctas": 1}, {}),
    ],
)
def test_options_become_directives(options: dict, found: dict, tool, tmp_path: Path) -> None:
    compiled = compile(said(), "sm_90", **options)
    ptx = compiled.ptx
    assert json.dumps(compiled.plan)
    assert directives(ptx).items() >= found.items()
    assert (".maxclusterrank" in ptx) == (".maxclusterrank" in found)
    (tmp_path / "k.ptx").write_text(ptx)
    done = tool("ptxas", "-arch=sm_90", "-o", tmp_path / "k.cubin", tmp_path / "k.ptx")
    assert (done.returncode, done.stderr) == (0, b"")


ATTRIBUTES = [
    ("tt.num_warps = 8", "num_warps", 8),
    ("nvvm.reqntid = 64", "num_warps", 2),
    ("nvvm.reqntid = array<i32: 64, 1, 1>", "num_warps", 2),
    ("tt.cluster_dim = array<i32: 2, 1, 1>", "cluster_dim", [2, 1, 1]),
    ("tt.cluster_size = [1, 2, 1]", "cluster_dim", [1, 2, 1]),
    ("nvvm.cluster_dim = array<i32: 1, 1, 2>", "cluster_dim", [1, 1, 2]),
    ("tt.num_ctas = 4 : i32", "cluster_dim", [4, 1, 1]),
    ("tt.num_ctas = 4 : i32, tt.cluster_dim = [1, 4, 1]", "cluster_dim", [1, 4, 1]),
    ("nvvm.maxnreg = 128 : i32", "maxnreg", 128),
    ("nvvm.minctasm = 2 : i32", "minnctapersm", 2),
    ("nv_tileaa.occupancy = 2 : i32", "minnctapersm", 2),
    ("nvvm.maxclusterrank = 8 : i32", "maxclusterrank", 8),
    ("nvvm.blocksareclusters", "blocksareclusters", True),
]


@pytest.mark.parametrize(("text", "term", "value"), ATTRIBUTES)
def test_attributes_of_the_text(text: str, term: str, value: Any) -> None:
    for module in (said(entry=text), said(module=text)):
        found = compile(module, "sm_90").plan["k"]["contract"][term]
        assert (found["value"], found["by"].split()[0]) == (value, "attribute")


def test_a_text_for_many_gpus_may_have_clusters() -> None:
    text = "tt.num_ctas = 2, nvvm.maxclusterrank = 4, nvvm.blocksareclusters"
    compiled = compile(said(module=text), "sm_89")
    assert "cluster" not in compiled.ptx
    assert compiled.plan["k"]["cluster"] == [1, 1, 1]


WRONG_OPTIONS = [
    ({"num_warps": 3}, "option num_warps is 3, not a power of two from 1 to 32"),
    ({"num_warps": 64}, "not a power of two"),
    ({"num_warps": True}, "option num_warps is true, not a power of two"),
    ({"num_warps": "4"}, 'option num_warps is "4", not a power of two'),
    ({"num_ctas": 0}, "option num_ctas is 0, not a number from 1 to 16"),
    ({"cluster_dim": (2, 1)}, r"cluster_dim is \[2, 1\], not three numbers"),
    ({"cluster_dim": (4, 4, 2)}, "together at most 16 blocks"),
    ({"cluster_dim": (-1, -1, 1)}, "not three numbers"),
    ({"maxnreg": 16}, "option maxnreg is 16, not a number from 24 to 255"),
    ({"minnctapersm": 33}, "not a number from 1 to 32"),
    ({"minnctapersm": 3, "num_warps": 32}, r"holds 2 of 1024 threads \(in k\)"),
    ({"maxclusterrank": 0}, "not a number from 1 to 16"),
    ({"maxclusterrank": 4, "num_ctas": 2}, "num_ctas and option maxclusterrank exclude each other"),
    ({"maxclusterrank": 4, "blocksareclusters": True}, "blocksareclusters and option maxcluster"),
    ({"blocksareclusters": 1}, "not true or false"),
    ({"lineinfo": 1}, "option lineinfo is 1, not true or false"),
    ({"num_ctas": 2, "cluster_dim": (4, 1, 1)}, "cluster_dim and option num_ctas say different"),
    ({"num_ctas": 2, "target": "sm_89"}, "num_ctas: sm_89 has no clusters"),
    ({"blocksareclusters": True, "target": "sm_80"}, "sm_80 has no clusters; GPUs from sm_90 on"),
]


@pytest.mark.parametrize(("options", "message"), WRONG_OPTIONS)
def test_options_that_cannot_be(options: dict, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message):
        compile(said(), **{"target": "sm_90", **options})


def test_an_option_that_is_none_is_named() -> None:
    with pytest.raises(TypeError, match=r"argument .num_wraps., did you mean num_warps"):
        tileir.compile(said(), "sm_90", num_wraps=4)


def test_all_that_is_wrong_with_the_attributes_is_listed() -> None:
    text = 'tt.num_warps = 3, nvvm.maxnreg = "x", tt.num_ctas = 2, tt.cluster_dim = [1, 1, 1]'
    with pytest.raises(UnsupportedError) as caught:
        compile(said(entry=text), "sm_90")
    assert [item.message for item in caught.value.diagnostics] == [
        "attribute tt.num_warps is 3, not a power of two from 1 to 32",
        "attribute tt.cluster_dim and attribute tt.num_ctas say different things",
        'attribute nvvm.maxnreg is "x", not a number from 24 to 255',
    ]
    assert {item.function for item in caught.value.diagnostics} == {"k"}


def test_every_term_is_tested_as_an_attribute_and_an_option() -> None:
    names = {name.name for term in TERMS for name in term.attributes}
    assert names == {found for text, _, _ in ATTRIBUTES for found in re.findall(r"\w+\.\w+", text)}
    assert {option.name for option in OPTIONS} <= {n for given, _ in WRONG_OPTIONS for n in given}


# What runs --------------------------------------------------------------------------------------


def run_fixture(name: str, schedule: str = "random-1", **options: Any) -> dict[str, Any]:
    """Run a fixture, compare what it gives with what is expected; the plan."""
    about, kernels = Launch(name), tileir.compile(newest(name), "sm_90", **options)
    plan, arrays = kernels.plan[about.entry], about.arrays()
    args = about.arguments(arrays)
    emulator.launch(kernels.ptx, plan, about.grid, args, schedule=schedule)
    about.check(arrays)
    return plan


@pytest.mark.sampled(3)
@pytest.mark.parametrize("warps", [1, 2, 8, 32])
@pytest.mark.parametrize("name", ["mma_f16", "row_argmax", "running_sum", "softmax", "transpose"])
def test_any_number_of_warps_gives_the_same(name: str, warps: int) -> None:
    assert run_fixture(name, num_warps=warps)["block"] == [32 * warps, 1, 1]


@pytest.mark.parametrize(
    "options",
    [
        {"num_ctas": 2},
        {"cluster_dim": (1, 3, 2)},
        {"num_ctas": 4, "blocksareclusters": True},
        {"blocksareclusters": True},
    ],
)
def test_a_tile_block_is_a_cluster(options: dict) -> None:
    """`count_tiles` tells each tile block where it is, `histogram` would count twice."""
    for name in ("count_tiles", "histogram", "vector_add"):
        run_fixture(name, **options)


def test_the_plan_counts_blocks_or_clusters() -> None:
    plan = compile(said(), "sm_90", num_ctas=4).plan["k"]
    assert (plan["cluster"], plan["grid_scale"]) == ([4, 1, 1], [4, 1, 1])
    assert plan["grid_limits"] == [2**24 - 1, 65535, 65535]
    plan = compile(said(), "sm_90", cluster_dim=(1, 2, 1), blocksareclusters=True).plan["k"]
    assert (plan["cluster"], plan["grid_scale"]) == ([1, 2, 1], [1, 1, 1])
    assert plan["grid_limits"] == [2**24 - 1, 65535 // 2, 65535]
    assert plan["ptx_version"] == "9.0"


def test_a_block_too_small_for_a_tile_is_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"num_warps is 1: tile<65536xf32> would take 2048"):
        compile(wide(65536), "sm_90", num_warps=1)


def test_blocks_with_too_much_shared_memory_are_refused() -> None:
    """A hint is advice: it does what it can."""
    text = (VECTOR_ADD.parent / "matmul_f32.mlir").read_text()
    message = r"asks for 4 blocks .* each takes \d+ bytes .* and sm_120 has 24576 for each \(in"
    with pytest.raises(UnsupportedError, match=message):
        compile(tileir.assemble(text), "sm_120", minnctapersm=4, num_warps=4)
    hinted = text.replace("<default = {}>", "<default = {occupancy = 4}>")
    assert hinted != text
    plan = compile(tileir.assemble(hinted), "sm_120", num_warps=4).plan["matmul_f32"]
    assert plan["contract"]["minnctapersm"]["by"] == "hint occupancy"


def wide(size: int) -> Any:
    view = f"tensor_view<{size}xf32, strides=[1]>"
    tiles = f"partition_view<tile=({size}), {view}>"
    return tileir.assemble(f"""
entry @k(%a: tile<ptr<f32>>) {{
  %zero = constant <i32: 0> : tile<i32>
  %view = make_tensor_view %a, shape = [{size}], strides = [1] : {view}
  %tiles = make_partition_view %view : {tiles}
  %tile, %token = load_view_tko weak %tiles[%zero] : {tiles}, tile<i32> -> tile<{size}xf32>, token
  %twice = addf %tile, %tile : tile<{size}xf32>
  %done = store_view_tko weak %twice, %tiles[%zero] : tile<{size}xf32>, {tiles}, tile<i32> -> token
}}""")


def test_the_same_twice() -> None:
    text = said("tt.num_ctas = 2, nvvm.maxnreg = 64", hints="default = {occupancy = 2}")
    first, second = (compile(text, "sm_90", num_warps=2) for _ in range(2))
    assert (first.ptx, first.plan) == (second.ptx, second.plan)


def test_nobody_has_to_say_anything() -> None:
    assert directives(compiled("vector_add").ptx) == {
        ".reqntid": "128, 1, 1 ", ".minnctapersm": "1 ",
    }  # fmt: skip


# Beside tileiras --------------------------------------------------------------------------------


def launch_info(tool, cubin: Path) -> dict[str, list[int]]:
    """What a cubin says to the driver about launching."""
    text = tool("nvdisasm", cubin).stdout.decode()
    found = {}
    for match in re.finditer(r"nvinfo : EIATTR_(\w+)\n(.*?)(?=\n\n\n|\Z)", text, re.DOTALL):
        words = re.findall(r"\.(?:word|short)\s+(0x\w+)", match[2])
        found[match[1]] = [int(word, 16) for word in words]
    names = ("REQNTID", "CTA_PER_CLUSTER", "BLOCKS_ARE_CLUSTERS", "EXPLICIT_CLUSTER")
    return {name: found[name] for name in names if name in found}


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("hints", "options", "target"),
    [
        ("default = {num_worker_warps_per_cta = 8}, sm_80 = {occupancy = 2}", {}, "sm_80"),
        # tileiras follows this hint for any kernel, ours where two blocks can share its tiles.
        ("sm_90 = {num_cta_in_cga = 2}", {"num_ctas": 2, "blocksareclusters": True}, "sm_90"),
    ],
)
def test_cubins_say_what_those_of_tileiras_say(
    tool, tmp_path: Path, hints: str, options: dict, target: str
) -> None:
    text = VECTOR_ADD.read_text()
    module = tileir.assemble(text.replace("<default = {}>", f"<{hints}>"), "13.4")
    (tmp_path / "k.tileirbc").write_bytes(module.build())
    (tmp_path / "k.ptx").write_text(compile(module, target, **options).ptx)
    ours, theirs = tmp_path / "ours.cubin", tmp_path / "theirs.cubin"
    assert tool("ptxas", f"-arch={target}", "-o", ours, tmp_path / "k.ptx").returncode == 0
    done = tool("tileiras", f"--gpu-name={target}", "-o", theirs, tmp_path / "k.tileirbc")
    assert done.returncode == 0, done.stderr
    found = launch_info(tool, ours)
    assert found == launch_info(tool, theirs)
    assert "REQNTID" in found
