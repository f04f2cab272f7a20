"""The table of GPUs: what ptxas says of each, and that nobody else reads the numbers in names."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.corpus import ROOT
from tileir.codegen.nvptx.machine.mma_atoms import ATOMS
from tileir.codegen.targets import package_of
from tileir.errors import UnsupportedError
from tileir.gpus import (
    FEATURES,
    GPUS,
    TARGETS,
    TILEIRAS,
    Target,
    assembled_for,
    capability_of,
    described,
    gpu_name,
    gpus_with,
    newest_run_by,
    runs,
    runs_on,
)

ROWS = pytest.mark.parametrize("row", TARGETS.values(), ids=lambda row: row.name)
FORMS = [row for row in TARGETS.values() if row.name != row.gpu]
"""The targets with the suffix a."""


def test_rows_are_found_by_name() -> None:
    assert all(name == row.name for name, row in TARGETS.items())
    assert {package_of(name) for name in TARGETS} == {"nvptx"}
    assert set(GPUS) == {row.gpu for row in TARGETS.values()}
    assert GPUS[1:] == TILEIRAS
    assert [row.name for row in FORMS] == [
        "sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121a",
    ]  # fmt: skip


def test_an_unknown_gpu_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="unknown target 'sm_70'; known are host, sm_75,"):
        package_of("sm_70")
    with pytest.raises(UnsupportedError, match="unknown target 'sm_107a', did you mean sm_107"):
        package_of("sm_107a")
    with pytest.raises(TypeError, match=r"expected the name of a target, got \['sm_90'\]"):
        package_of(["sm_90"])


@ROWS
def test_a_driver_of_cuda_13_0_can_load_the_ptx(row: Target) -> None:
    assert row.ptx <= (9, 0)


@ROWS
def test_a_gpu_runs_its_own_ptx(row: Target) -> None:
    assert row.ptx_target in TARGETS
    assert runs(row.ptx_target, capability_of(row.gpu))
    assert row.using(row.features | row.specific).name == row.name


@ROWS
def test_numbers_are_plausible(row: Target) -> None:
    assert row.max_threads % row.warp == 0
    assert row.llvm_features == f"+ptx{row.ptx[0]}{row.ptx[1]}"
    assert row.shared_bytes % 1024 == 0


def test_a_misspelt_feature_is_an_error() -> None:
    for ask in (TARGETS["sm_90"].has, TARGETS["sm_90"].ptx_of, gpus_with):
        with pytest.raises(ValueError, match=r"'cp\.asinc' is no feature of a GPU"):
            ask("cp.asinc")
    assert {atom.feature for atom in ATOMS} - {None} <= FEATURES
    for row in TARGETS.values():
        assert row.features | row.specific | {feature for feature, _ in row.later} <= FEATURES
        assert row.tileiras is None or row.gpu in TILEIRAS


def test_every_feature_is_asked_for() -> None:
    """But for those that forms with the suffix a are about, which are in the table ahead of use."""
    said = "".join(
        path.read_text()
        for room in ("tileir", "codegen")
        for path in (ROOT / room).rglob("*.py")
        if path != ROOT / "tileir" / "gpus.py"
    )
    ahead = frozenset.union(*(row.specific for row in TARGETS.values()))
    assert {feature for feature in FEATURES if f'"{feature}"' not in said} <= ahead


@pytest.mark.parametrize("form", FORMS, ids=lambda row: row.name)
def test_a_gpu_takes_the_suffix_for_what_is_specific_to_it(form: Target) -> None:
    plain = TARGETS[form.gpu]
    assert plain.specific
    assert form.features == plain.features | plain.specific
    for feature in FEATURES:
        assert plain.has(feature) == form.has(feature)
        assert plain.portable().has(feature) == (feature in plain.features)
    assert plain.using(plain.features) == plain
    for feature in plain.specific:
        taken = plain.using({"cp.async", feature})
        assert (taken.name, taken.ptx_target) == (plain.name, form.name)
        assert taken.ptx == max(plain.ptx, form.ptx)
        assert form.using([feature]) == form
        with pytest.raises(ValueError, match=f"{plain.name} has no {feature}"):
            plain.portable().using([feature])
    said = f"option portable contradicts target {form.name}, .* alone; compile for {plain.name}$"
    with pytest.raises(UnsupportedError, match=said):
        form.portable()


def test_a_later_gpu_has_nothing_of_what_is_specific_to_an_earlier_one() -> None:
    later = TARGETS["sm_107"]
    assert later.ptx_target == "sm_103"
    assert not later.specific
    assert TARGETS["sm_103"].specific.isdisjoint(later.features)
    assert gpus_with("wgmma") == ["sm_90"]
    assert gpus_with("tcgen05") == ["sm_100", "sm_103", "sm_110"]
    assert gpus_with("block-scaled mma") == ["sm_120", "sm_121"]


@pytest.mark.parametrize(
    ("ptx_target", "where", "fitting"),
    [
        ("sm_90", "9.0 and later", ["sm_90", "sm_100", "sm_103", "sm_120"]),
        ("sm_90a", "9.0 alone", ["sm_90"]),
        ("sm_100a", "10.0 alone", ["sm_100"]),
        ("sm_103", "10.3 and later", ["sm_103", "sm_120"]),
    ],
)
def test_which_gpus_run_ptx(ptx_target: str, where: str, fitting: list[str]) -> None:
    assert described(ptx_target) == where
    tried = ("sm_89", "sm_90", "sm_100", "sm_103", "sm_120")
    assert [name for name in tried if runs(ptx_target, capability_of(name))] == fitting


def test_the_newest_gpu_whose_ptx_runs() -> None:
    assert newest_run_by((9, 9)) == "sm_90"
    assert all(newest_run_by(capability_of(name)) == name for name in GPUS)
    with pytest.raises(UnsupportedError, match="the GPU is an sm_70, older than sm_75"):
        newest_run_by((7, 0))
    for wrong in ("sm_9", "sm_90f", "90", "host"):
        with pytest.raises(ValueError, match="is no name of a GPU"):
            capability_of(wrong)
    assert all(gpu_name(capability_of(row.name)) == row.gpu for row in TARGETS.values())


HEAD = ".version {ptx[0]}.{ptx[1]}\n.target {target}\n.address_size 64\n"
EMPTY = ".visible .entry k() .reqntid {threads}, 1, 1 .minnctapersm {blocks} {{ ret; }}\n"


@pytest.mark.oracle
@ROWS
def test_ptxas_knows_what_an_sm_holds(row: Target, tool, tmp_path: Path) -> None:
    """It warns of more blocks or threads than that."""

    def fits(blocks: int, threads: int) -> bool:
        head = HEAD.format(ptx=row.ptx, target=row.ptx_target)
        (tmp_path / "k.ptx").write_text(head + EMPTY.format(threads=threads, blocks=blocks))
        done = tool("ptxas", f"-arch={row.name}", "-o", tmp_path / "k", tmp_path / "k.ptx")
        assert done.returncode == 0, done.stderr
        return not done.stderr

    assert fits(row.blocks_per_sm, 32)
    assert not fits(row.blocks_per_sm + 1, 32)
    assert fits(row.threads_per_sm // 256, 256)
    assert not fits(row.threads_per_sm // 256 + 1, 256)


@pytest.mark.oracle
@ROWS
def test_the_ptx_version_is_the_first_that_knows_the_target(
    row: Target, tool, tmp_path: Path
) -> None:
    def known(ptx: tuple[int, int]) -> bool:
        text = HEAD.format(ptx=ptx, target=row.ptx_target) + EMPTY.format(threads=32, blocks=1)
        (tmp_path / "k.ptx").write_text(text)
        arch = assembled_for(row.name, row.ptx_target)
        return not tool("ptxas", f"-arch={arch}", "-o", tmp_path / "k", tmp_path / "k.ptx").stderr

    major, minor = row.ptx
    assert known(row.ptx)
    assert not known((major, minor - 1) if minor else (major - 1, 8))


F32, WORDS = "{f0, f1, f2, f3}", "{r0, r1, r2, r3}"
SAYS = {
    "mma.sync f16 m16n8k16":
        f"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {F32}, {WORDS}, {{r4, r5}}, {F32};",
    "mma.sync bf16":
        f"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {F32}, {{r0, r1}}, {{r4}}, {F32};",
    "mma.sync tf32":
        f"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {F32}, {{r0, r1}}, {{r4}}, {F32};",
    "mma.sync f64":
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {d0, d1}, {d2}, {d3}, {d0, d1};",
    "mma.sync f64 m16n8":
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64"
        " {d0, d1, d2, d3}, {d4, d5}, {d6}, {d0, d1, d2, d3};",
    "mma.sync f8":
        f"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {F32}, {WORDS}, {{r4, r5}}, {F32};",
    "mma.sync int8 m16n8":
        f"mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32 {WORDS}, {{r0, r1}}, {{r4}}, {WORDS};",
    "cp.async": "cp.async.cg.shared.global [r0], [l0], 16;",
    "bf16 arithmetic": "fma.rn.bf16x2 r0, r1, r2, r3;",
    "f8 conversions": "cvt.rn.satfinite.e4m3x2.f32 h0, f0, f1;",
    "tf32 conversions": "cvt.rn.tf32.f32 r0, f0;",
    "min.NaN": "min.NaN.f32 f0, f1, f2;",
    "red bf16": "red.global.add.noftz.bf16x2 [l0], r0;",
    "red vectors": f"red.global.add.v4.f32 [l0], {F32};",
    "multimem": "multimem.red.relaxed.sys.global.add.u32 [l0], r0;",
    "clusters": "barrier.cluster.arrive.aligned;",
    "griddepcontrol": "griddepcontrol.wait;",
    "tensor copies":
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes"
        " [r0], [l0, {r1}], [r2];",
    "wgmma":
        f"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {F32}, l0, l1, p0, 1, 1, 0, 0;",
    "setmaxnreg": "setmaxnreg.inc.sync.aligned.u32 232;",
    "tcgen05": "tcgen05.mma.cta_group::1.kind::f16 [r0], l0, l1, r2, p0;",
    "block-scaled mma":
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3"
        f".f32.ue8m0 {F32}, {WORDS}, {{r4, r5}}, {F32}, r6, {{0, 0}}, r7, {{0, 0}};",
}  # fmt: skip
"""Feature -> an instruction that needs it."""
OPENS = """\
.visible .entry k() .reqntid 128, 1, 1 {
.reg .f32 f<4>; .reg .b32 r<8>; .reg .b64 l<4>; .reg .b16 h<4>; .reg .f64 d<8>; .reg .pred p<2>;
"""


@pytest.mark.oracle
@ROWS
def test_ptxas_knows_which_features_a_target_has(row: Target, tool, tmp_path: Path) -> None:
    """A plain target has what its own PTX may say, and its form what that of the form may say."""
    text = HEAD.format(ptx=(9, 0), target=row.ptx_target) + OPENS
    first = text.count("\n") + 1
    (tmp_path / "k.ptx").write_text("\n".join([text.rstrip("\n"), *SAYS.values(), "ret; }\n"]))
    done = tool("ptxas", f"-arch={row.name}", "-o", tmp_path / "k", tmp_path / "k.ptx")
    said = re.findall(r"line (\d+); error +: (.*)", done.stderr.decode())
    refused = {list(SAYS)[int(line) - first] for line, _ in said}
    why = r"not supported on|requires \.target"
    assert {line for line, _ in said} == {line for line, words in said if re.search(why, words)}
    assert set(SAYS) == FEATURES
    assert refused == FEATURES - row.features


@pytest.mark.oracle
@pytest.mark.sampled(2)
@ROWS
def test_machine_code_shows_which_features_are_emulated(row: Target, tool, tmp_path: Path) -> None:
    """ptxas says nothing, but f8 that tensor cores multiply is not converted to f16 before."""
    assert row.emulated <= {"mma.sync f8"}
    if not row.has("mma.sync f8"):
        assert not row.emulated
        return
    text = HEAD.format(ptx=(9, 0), target=row.ptx_target) + OPENS
    loads = (
        "mov.u64 l0, 0; ld.global.v4.b32 {r0, r1, r2, r3}, [l0]; ld.global.v2.b32 {r4, r5}, [l0];"
    )
    (tmp_path / "k.ptx").write_text(
        "\n".join([text, loads, "ld.global.v4.f32 {f0, f1, f2, f3}, [l0];", SAYS["mma.sync f8"],
                   "st.global.v4.f32 [l0], {f0, f1, f2, f3}; ret; }\n"])
    )  # fmt: skip
    arch = assembled_for(row.name, row.ptx_target)
    done = tool("ptxas", f"-arch={arch}", "-o", tmp_path / "k", tmp_path / "k.ptx")
    assert done.returncode == 0, done.stderr
    listing = tool("nvdisasm", "-c", tmp_path / "k").stdout.decode()
    assert ("QMMA" in listing) == row.has_natively("mma.sync f8")
    assert ("HMMA" in listing) == ("mma.sync f8" in row.emulated)


@pytest.mark.oracle
@pytest.mark.sampled(3)
@ROWS
def test_ptxas_knows_which_gpus_run_ptx(row: Target, tool, tmp_path: Path) -> None:
    text = HEAD.format(ptx=row.ptx, target=row.ptx_target) + EMPTY.format(threads=32, blocks=1)
    (tmp_path / "k.ptx").write_text(text)
    for gpu in GPUS:
        # ptxas takes PTX with the suffix for a machine of that name only.
        arch = f"{gpu}a" if not runs_on(row.ptx_target)[1] and f"{gpu}a" in TARGETS else gpu
        done = tool("ptxas", f"-arch={arch}", "-o", tmp_path / "k", tmp_path / "k.ptx")
        assert (done.returncode == 0) == runs(row.ptx_target, capability_of(gpu)), gpu


NAMES_A_GPU = re.compile(r"sm_(?!\d)")
"""A string that is for taking names of GPUs apart, or for making some."""
SAYS_A_NUMBER = re.compile(r"\bcapability\b|\bsm_\d")
NUMBERS = {10 * major + minor for major, minor in map(capability_of, GPUS)}
SUSPECT = re.compile(rf"sm_|\bcapability\b|\b({'|'.join(map(str, NUMBERS))})\b")
"""What is in every text that reads numbers: others need not be parsed."""


def reads_numbers(tree: ast.AST) -> list[int]:
    """The lines of code that compare what names of GPUs say, or take such names apart."""
    docstrings = {
        statement.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        for statement in node.body
        if isinstance(statement, ast.Expr)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node not in docstrings and NAMES_A_GPU.search(node.value):
                found.append(node.lineno)
        elif isinstance(node, ast.Compare):
            ordered = any(isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops)
            sides = [node.left, *node.comparators]
            number = any(isinstance(s, ast.Constant) and s.value in NUMBERS for s in sides)
            if ordered and (number or SAYS_A_NUMBER.search(ast.unparse(node))):
                found.append(node.lineno)
    return found


def test_nobody_else_reads_the_numbers_in_names() -> None:
    strays = {}
    for path in sorted(p for room in ("tileir", "codegen") for p in (ROOT / room).rglob("*.py")):
        source = path.read_text()
        if SUSPECT.search(source) and (lines := reads_numbers(ast.parse(source))):
            strays[str(path.relative_to(ROOT))] = lines
    assert "tileir/gpus.py" in strays  # the test finds something where something is
    del strays["tileir/gpus.py"]
    assert not strays


@pytest.mark.parametrize(
    "code",
    [
        "target.capability >= 80", "int(name.removeprefix('sm_'))", "'sm_80' <= target",
        "re.match(r'sm_(\\d+)', name)", "f'sm_{number}'", "gpu < 'sm_90'", "since <= capability",
        "number(target) >= 90",
    ],
)  # fmt: skip
def test_such_code_would_be_found(code: str) -> None:
    assert SUSPECT.search(code)
    assert reads_numbers(ast.parse(code))
