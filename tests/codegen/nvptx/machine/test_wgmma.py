"""Every wgmma that there is a row for, as the PTX ISA and NVIDIA's assembler have it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from llvmlite import ir

from tests.codegen.nvptx.machine.test_mma_atoms import LEFT, elements, held
from tileir.codegen import llvm
from tileir.codegen.nvptx.machine import wgmma
from tileir.codegen.nvptx.machine.mma_atoms import BITS, GROUP_ATOMS, Atom
from tileir.codegen.nvptx.stages import TRIPLE
from tileir.gpus import TARGETS

SHORT = [atom for atom in GROUP_ATOMS if atom.n == 16]
DOUBLE, WORD, VOID = ir.IntType(64), ir.IntType(32), ir.VoidType()
SUMS = {"f32": (ir.FloatType(), 1), "f16": (WORD, 2), "s32": (WORD, 1)}
"""Type of an accumulator -> that of its registers, and how many elements one of them has."""
OPCODES = {16: "HGMMA", 32: "HGMMA", 8: "QGMMA"}
"""Bits of an element -> the opcode, for floats."""


@pytest.mark.parametrize("atom", SHORT, ids=lambda atom: atom.mnemonic)
def test_lhs_in_registers_is_where_the_ptx_isa_says(atom: Atom) -> None:
    """PTX ISA, "Register Fragments for wgmma": in each warp as for `mma`, 16 rows of the 64."""
    formula = LEFT[(16, 8, atom.k), BITS[atom.a]]
    for register, lane in elements(atom.a_layout):
        found = held(atom.a_layout, register, lane)
        assert (found["m"], found["k"]) == formula(lane // 4, lane % 4, register)
    assert atom.warps.lanes == "m16 m32"


@pytest.mark.parametrize("atom", SHORT, ids=lambda atom: atom.mnemonic)
def test_an_accumulator_is_where_the_ptx_isa_says(atom: Atom) -> None:
    """Of element i: row g + 8 (i / 2 % 2), column 8 (i / 4) + 2 t + i % 2."""
    for register, lane in elements(atom.acc_layout):
        found = held(atom.acc_layout, register, lane)
        row, column = lane // 4 + 8 * (register // 2 % 2), 8 * (register // 4)
        assert (found["m"], found["n"]) == (row, column + 2 * (lane % 4) + register % 2)


CASES = [(atom, in_registers) for atom in SHORT for in_registers in (False, True)]
"""Rows, and whether lhs is in registers; then the product does not add to what was there."""


def define(module: ir.Module, name: str, atom: Atom, in_registers: bool) -> None:
    """Define a kernel that multiplies once, and writes the accumulator."""
    pointer = ir.PointerType()
    function = ir.Function(module, ir.FunctionType(VOID, [pointer, DOUBLE, WORD]), name)
    function.calling_convention = "ptx_kernel"
    builder = ir.IRBuilder(function.append_basic_block())
    out, descriptor, word = function.args
    kind, packed = SUMS[atom.acc]
    lanes = len(elements(atom.acc_layout)) // 32 // packed
    acc = [builder.load(builder.gep(out, [ir.Constant(WORD, i)], source_etype=kind), typ=kind)
           for i in range(lanes)]  # fmt: skip
    lhs = [word] * 4 if in_registers else [descriptor]
    products = [(lhs, [descriptor])]
    acc = wgmma.start(builder, atom, products, (False, False), acc, in_registers, True)
    for i, value in enumerate(wgmma.wait(builder, 0, acc)):
        builder.store(value, builder.gep(out, [ir.Constant(WORD, i)], source_etype=kind))
    builder.ret_void()


def kernels(version: str, cases: dict[str, tuple[Atom, bool]]) -> str:
    """PTX of a version with a kernel for each case, by name."""
    module = ir.Module("rows", context=ir.Context())
    module.triple = TRIPLE
    for name, case in cases.items():
        define(module, name, *case)
    target = replace(TARGETS["sm_90a"], ptx=version)
    llvm.start("all")
    machine = llvm.target_machine(TRIPLE, "sm_90a", target.llvm_features, speed_level=1)
    made = llvm.parse(str(module))
    llvm.optimize(made, machine, speed_level=1)
    return machine.emit_assembly(made)


@pytest.mark.oracle
@pytest.mark.parametrize("version", sorted({atom.ptx for atom in SHORT}), ids=str)
def test_ptxas_makes_it_one_instruction(tool, tmp_path: Path, version, named) -> None:
    """Each is the one for its types, and nothing is serialised; rows of a version take one run."""
    cases = {f"k{n}": case for n, case in enumerate(CASES) if case[0].ptx == version}
    file, binary = tmp_path / "k.ptx", tmp_path / "k.cubin"
    file.write_text(kernels(version, cases))
    done = tool("ptxas", "-arch=sm_90a", "-v", "-o", binary, file)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, said
    assert "C75" not in said
    listing = tool("nvdisasm", "-c", binary).stdout.decode()
    sections = re.split(r"^\.text\.(\w+):", listing, flags=re.MULTILINE)
    code = dict(zip(sections[1::2], sections[2::2], strict=True))
    assert code.keys() == cases.keys()
    for name, (atom, in_registers) in cases.items():
        with named(f"{atom.mnemonic}{', lhs in registers' if in_registers else ''}"):
            check_instruction(code[name], atom)


def check_instruction(code: str, atom: Atom) -> None:
    """The one product in machine code is that of the row."""
    opcode = "IGMMA" if atom.acc == "s32" else OPCODES[BITS[atom.a]]
    (line,) = [line for line in code.splitlines() if "GMMA" in line]
    assert f"{opcode}.64x16x{atom.k}." in line
    types = {"bf16": "BF16", "tf32": "TF32", "f16": "", "s8": "S8", "u8": "U8"}
    if atom.acc != "s32":
        assert (".F32" in line) == (atom.acc == "f32")
    kinds = [types.get(kind, kind.upper()) for kind in (atom.a, atom.b)]
    assert all(kind in line for kind in kinds)
    if opcode == "QGMMA":
        assert ".".join(kinds) in line
