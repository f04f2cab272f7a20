"""Clusters of two blocks that share a tile block: right under all schedules, and who does not.

The kernels are that of `test_tensor_rings` with larger tiles, and variants of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.codegen.emulator.values import aligned
from tests.codegen.nvptx.passes.test_tensor_rings import TEXT
from tileir import assemble, emulator
from tileir.codegen import compile
from tileir.codegen.emulator import SCHEDULES, EmulationError
from tileir.codegen.nvptx.reasons import SENTENCES

MULTICAST = "multicast::cluster"


def text(m: int, n: int, k: int = 32) -> str:
    """The product with tiles of m by k and k by n."""
    sizes = {"64x64": f"{m}x{n}", "64x32": f"{m}x{k}", "32x64": f"{k}x{n}"}
    return re.sub("|".join(sizes), lambda found: sizes[found[0]], TEXT)


def persistent(source: str, rows: int) -> str:
    """A product whose blocks go on to further rows of tiles, as many as there are blocks apart."""
    source = source.replace("%x, %y, %z =", "%first, %y, %z =")
    source = source.replace(
        "    %sum = for",
        f"""    %gx, %gy, %gz = get_num_tile_blocks : tile<i32>
    %height = constant <i32: {rows}> : tile<i32>
    %tiles = divi %m, %height signed rounding<positive_inf> : tile<i32>
    for %x in (%first to %tiles, step %gx) : tile<i32> {{
    %sum = for""",
    )
    return source.replace("    return\n", "    continue\n    }\n    return\n")


TILES = {
    "rows": (128, 64),
    "columns": (64, 128),
    "square": (128, 128),
    "persistent": (128, 64),
    "large": (256, 256),
}
"""Kernel -> the rows and columns of its tiles."""


@cache
def kernel(name: str, **options: Any) -> Any:
    source = text(*TILES[name])
    if name == "persistent":
        source = persistent(source, TILES[name][0])
    asked = {} if name == "large" else {"num_ctas": 2, **options}
    return compile(assemble(source), "sm_90", cache=False, **asked)


def verdict(
    ptx: str, plan: dict, name: str, size: tuple[int, int, int], schedule: str, step: int = 8
) -> str:
    """Run PTX on small integers: "" if the result is right, else what is wrong.

    Rows are a multiple of `step` elements apart.
    """
    m, n, d = size
    random = np.random.default_rng(m + n + d)
    pitch = [-(-extent // step) * step for extent in (d, n)]
    if step < 8:  # no multiple of 16 bytes
        pitch = [each + step if each % 8 == 0 else each for each in pitch]
    a = aligned(random.integers(-4, 5, (m, pitch[0])).astype(np.float16))
    b = aligned(random.integers(-4, 5, (d, pitch[1])).astype(np.float16))
    c = aligned(np.full((m, n), 99, np.float32))
    rows, columns = TILES[name]
    grid = (1 if name == "persistent" else -(-m // rows), -(-n // columns))
    args = [a, b, c, m, n, d, *pitch, n]
    try:
        emulator.launch(ptx, plan, grid, args, schedule=schedule, limit=20000)
    except EmulationError as problem:
        return problem.kind
    expected = a[:, :d].astype(np.float32) @ b[:d, :n].astype(np.float32)
    return "" if np.array_equal(c, expected) else "wrong"


def check(name: str, size: tuple[int, int, int], schedule: str, step: int = 8) -> None:
    made = kernel(name)
    assert verdict(made.ptx, made.plan["k"], name, size, schedule, step) == ""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("schedule", [*SCHEDULES, "later-blocks", "late-0", "late-4"])
@pytest.mark.parametrize("name", ["rows", "columns"])
def test_both_blocks_are_right_under_every_schedule(name: str, schedule: str) -> None:
    check(name, (150, 72, 150), schedule)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("depth", [8, 32, 64, 200])
@pytest.mark.parametrize("name", ["square", "persistent"])
def test_any_number_of_iterations(name: str, depth: int) -> None:
    """Also where a tile has no rows for the second block, or a few."""
    check(name, (300, 64, depth), "random-1")


@pytest.mark.parametrize("step", [2, 4])
def test_twins_of_clusters_are_right(step: int) -> None:
    """No tensor map describes the arrays, so each block copies all that it needs."""
    check("rows", (150, 72, 70), "random-1", step)


@pytest.mark.parametrize("name", TILES)
def test_each_block_copies_half_of_what_both_need(name: str) -> None:
    """The boxes of that operand are halves, those of the other one are all of the block's half."""
    made = kernel(name)
    rows, columns = TILES[name]
    entry = made.ptx.partition(".entry k_without")[0]
    boxes = [each["box"] for each in made.plan["k"]["tensor_maps"]]
    by_rows = rows >= columns
    assert len(re.findall(MULTICAST, entry)) == (columns // 64 if by_rows else 1)
    assert boxes == [[32, rows // 2], [64, 16]] if by_rows else [[32, rows // 2], [64, 32]]
    assert MULTICAST not in made.ptx.partition(".entry k_without")[2]


def test_the_plan_launches_clusters() -> None:
    plan = kernel("rows").plan["k"]
    assert (plan["cluster"], plan["grid_scale"]) == ([2, 1, 1], [2, 1, 1])
    assert plan["grid_limits"] == [(1 << 23) - 1, 65535, 65535]  # blocks are numbered below 2^24
    assert plan["contract"]["cluster_dim"] == {"value": [2, 1, 1], "by": "option num_ctas"}
    assert [role["name"] for role in plan["roles"]] == ["consume", "produce"]


def test_one_block_has_not_enough_registers() -> None:
    """Sums of 256 x 256 take all registers of an SM, so that two blocks share the tile."""
    plan = kernel("large").plan["k"]
    assert plan["contract"]["cluster_dim"] == {"value": [2, 1, 1], "by": "compiler"}
    check("large", (150, 264, 70), "random-1")


@pytest.mark.parametrize("options", [{"num_ctas": 1}, {"maxclusterrank": 2}])
def test_who_says_something_about_clusters_has_the_say(options: dict) -> None:
    made = compile(assemble(text(256, 256)), "sm_90", cache=False, **options)
    assert made.plan["k"]["cluster"] == [1, 1, 1]
    assert "ctarank" not in made.ptx


def test_blocks_share_tiles_without_roles() -> None:
    """Then each copies all that it needs."""
    made = kernel("rows", num_warps=4)
    assert not made.plan["k"]["roles"]
    assert MULTICAST not in made.ptx
    assert verdict(made.ptx, made.plan["k"], "rows", (150, 72, 70), "random-1") == ""


# What is noticed ----------------------------------------------------------------------------------

Change = Callable[[re.Match[str]], str]
MEET = r"barrier\.cluster\.arrive\S*;\s*barrier\.cluster\.wait\S*;"
MUTATIONS: dict[str, tuple[str, Change]] = {
    "a barrier of the cluster dropped": (MEET, lambda m: ""),
    "no block of two": (r"(multicast::cluster [^;]*), (%rs\d+);", lambda m: f"{m[1]}, 1;"),
    "the other block only": (r"(multicast::cluster [^;]*), (%rs\d+);", lambda m: f"{m[1]}, 2;"),
    "fewer arrivals": (r"(mbarrier\.init\S+ \[[^]]*\], )8;", lambda m: f"{m[1]}4;"),
    "more arrivals": (r"(mbarrier\.init\S+ \[[^]]*\], )8;", lambda m: f"{m[1]}9;"),
    "arrives at its own": (r"mapa\S+ (\w+), (%r\d+), %r\d+;", lambda m: f"mov.b32 {m[1]}, {m[2]};"),
    "arrives at the first": (r"(mapa\S+ \w+, %r\d+), %r\d+;", lambda m: f"{m[1]}, 0;"),
    "expects its own half": (r"(expect_tx\S+ _, \[%r\d+\], )8192;", lambda m: f"{m[1]}6144;"),
    "the same half": (r"mov\.u32 \s*(%r\d+), %cluster_ctarank;", lambda m: f"mov.u32 {m[1]}, 0;"),
}  # fmt: skip
"""What is done to each place of the kernel that a pattern matches."""
EQUIVALENT = {"arrives at its own": 2, "arrives at the first": 2}
"""How many of the places do not matter: the first iteration releases no slot, and nobody waits for
the one that is released last."""


def mutants(pattern: str, change: Change) -> list[str]:
    """The PTX with one place of the pattern changed, for each."""
    ptx = kernel("rows").ptx
    entry = ptx.partition(".entry k_without")[0]
    return [
        ptx[: found.start()] + change(found) + ptx[found.end() :]
        for found in re.finditer(pattern, entry)
    ]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", MUTATIONS)
def test_mutants_are_noticed(name: str) -> None:
    made = mutants(*MUTATIONS[name])
    assert made
    plan, tried = kernel("rows").plan["k"], ("lock-step", "later-blocks", "descending", "late-0")
    noticed = [
        any(verdict(changed, plan, "rows", (128, 64, 230), each) for each in tried)
        for changed in made
    ]
    assert noticed.count(False) == EQUIVALENT.get(name, 0)


# Who does not -------------------------------------------------------------------------------------

VARIANTS = {
    "split_small": text(64, 64),
    "split_effect": text(128, 64).replace("    return", '    print_tko "x" -> token\n    return'),
    "split_op": text(128, 64).replace(
        "    %u = store",
        """    %most = reduce %sum dim=0 identities=[0.0 : f32] : tile<128x64xf32> -> tile<64xf32>
      (%l: tile<f32>, %r: tile<f32>) {
        %both = addf %l, %r : tile<f32>
        yield %both : tile<f32>
      }
    %row = reshape %most : tile<64xf32> -> tile<1x64xf32>
    %wide = broadcast %row : tile<1x64xf32> -> tile<128x64xf32>
    %u = store""",
    ).replace("weak %sum", "weak %wide"),
    "split_order": text(128, 64).replace(
        "    %u = store_view_tko weak %sum, %pc[%x, %y]",
        """    %again, %read = load_view_tko weak %pb[%zero, %y]
        : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>,
          tile<i32> -> tile<32x64xf16>, token
    %u = store_view_tko weak %sum, %pc[%x, %y] token = %read""",
    ),
    "split_twice": text(128, 128).replace(
        "    %u = store",
        """    %turned = permute %sum [1, 0] : tile<128x128xf32> -> tile<128x128xf32>
    %both = addf %sum, %turned : tile<128x128xf32>
    %u = store""",
    ).replace("weak %sum", "weak %both"),
    "ordered": text(128, 64).replace("load_view_tko weak %pa", "load_view_tko acquire device %pa"),
}  # fmt: skip
"""Reason -> a kernel whose tiles are not split for it."""


@pytest.mark.parametrize("id", VARIANTS)
def test_the_first_block_works_alone_where_tiles_cannot_be_split(id: str) -> None:
    made = compile(assemble(VARIANTS[id]), "sm_90", cache=False, num_ctas=2)
    told = made.plan["k"]["contract"]["cluster_dim"]
    assert (told["value"], told["asked"]) == ([2, 1, 1], [2, 1, 1])
    assert told["why"].startswith("only the first block works: ")
    assert max(re.split(r"\{\d\}", SENTENCES[id]), key=len) in told["why"]
    assert "%clusterid" in made.ptx
    assert MULTICAST not in made.ptx


@pytest.mark.parametrize("options", [{"num_ctas": 4}, {"cluster_dim": (1, 2, 1)},
                                     {"num_ctas": 2, "blocksareclusters": True}])  # fmt: skip
def test_only_clusters_of_two_blocks_work_together(options: dict) -> None:
    told = kernel("rows", **{"num_ctas": None, **options}).plan["k"]["contract"]["cluster_dim"]
    assert "clusters of two blocks along x" in told["why"]


def hinted(source: str, blocks: int) -> str:
    """A kernel with a hint for clusters."""
    return source.replace(
        "%sc: tile<i32>) {",
        f"%sc: tile<i32>) optimization_hints=<sm_90 = {{num_cta_in_cga = {blocks}}}> {{",
    )


def test_a_hint_is_followed() -> None:
    made = compile(assemble(hinted(text(128, 64), 2)), "sm_90", cache=False)
    assert made.plan["k"]["contract"]["cluster_dim"] == {
        "value": [2, 1, 1],
        "by": "hint num_cta_in_cga",
    }
    assert MULTICAST in made.ptx


@pytest.mark.parametrize(("m", "blocks"), [(64, 2), (128, 4)])
def test_a_hint_is_not_followed_where_blocks_would_not_work_together(m: int, blocks: int) -> None:
    made = compile(assemble(hinted(text(m, 64), blocks)), "sm_90", cache=False)
    told = made.plan["k"]["contract"]["cluster_dim"]
    assert (told["value"], told["asked"]) == ([1, 1, 1], [blocks, 1, 1])
    assert told["why"].startswith("blocks would not work together: ")
    assert "cluster_ctarank" not in made.ptx


@pytest.mark.oracle
@pytest.mark.parametrize("name", TILES)
def test_ptxas_makes_multicast_copies(tool, tmp_path: Path, name: str) -> None:
    source, binary = tmp_path / "k.ptx", tmp_path / "k.cubin"
    source.write_text(kernel(name).ptx)
    done = tool("ptxas", "-arch=sm_90a", "-v", "-o", binary, source)
    assert done.returncode == 0, done.stderr
    assert b"C75" not in done.stderr
    assert "UTMALDG.2D.MULTICAST" in tool("nvdisasm", "-c", binary).stdout.decode()
