"""Matrix descriptors in NVIDIA's machine code: what tileiras makes of products for sm_90.

    python -m tests.lab.bench.machine_code.descriptors

writes `tests/golden/tileiras/descriptors.json`: which instructions multiply, and the descriptors of
those that read both factors from shared memory. A descriptor of wgmma is two words in uniform
registers. The high one is a constant. The low one is an address, of which only the offset from some
first address is a constant, and the leading dimension. Registers are followed through the text as
it stands, as a base that is not known and a number that is added to it.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.conftest import nvidia_tool
from tests.lab.bench.generated import TYPES, product
from tests.lab.bench.gpu.cases import KERNELS, OWN
from tests.lab.bench.workloads.cases import HERE
from tileir import assemble
from tileir.codegen import compile
from tileir.gpus import assembled_for

from . import figures

GOLDEN = Path(__file__).parents[3] / "golden" / "tileiras" / "descriptors.json"
TARGET = "sm_90"
WORKLOADS = {
    "gemm_batched": (64, 128, 64), "gemm_bias_gelu": (128, 128, 64), "gemm_grouped": (64, 128, 64),
    "gemm_int8": (128, 128, 64), "gemm_int8_weights": (64, 128, 64),
    "gemm_persistent": (128, 128, 64), "gemm_split_k": (128, 128, 64), "gemm_tf32": (128, 64, 32),
    "gemm_fp8": (128, 128, 64), "moe_gather": (128, 128, 64), "conv3x3": (128, 64, 32),
}  # fmt: skip
"""Those whose descriptors can be followed through the machine code -> m, n and k of their tiles."""
PRODUCTS = (
    ("f16", 128, 256, 64), ("f16", 256, 128, 64), ("f16", 64, 128, 32), ("f16", 64, 128, 16),
    ("f16", 64, 32, 64), ("f16", 64, 16, 64), ("f16", 64, 8, 64), ("bf16", 64, 64, 128),
    ("tf32", 64, 64, 32), ("f8E4M3FN", 128, 128, 128), ("f8E5M2", 64, 64, 64),
)  # fmt: skip
"""Products by type and by the extents of tiles, of which only the left one has its k together."""

MORE = {
    KERNELS / "matmul_f16.mlir": (128, 128, 64), OWN / "gemm_128x256.mlir": (128, 256, 64),
    OWN / "gemm_batched_128.mlir": (128, 128, 64), KERNELS / "attention.mlir": None,
    HERE / "fmha_causal.mlir": None, HERE / "fmha_backward.mlir": None,
    OWN / "fmha_causal_d128.mlir": None, OWN / "fmha_causal_d64.mlir": None,
}  # fmt: skip
"""Other files; of attention, whose products differ, there is no tile."""

Value = tuple[int | None, int]
"""A base, by a number of its own, or None; and what is added to it."""

_LINE = re.compile(
    r"^\s+/\*[0-9a-f]{4,}\*/\s+(@!?U?P\w+ )?\s*([A-Z][\w.]*)\s*([^;]*);", re.MULTILINE
)
_PRODUCT = re.compile(
    r"R\d+, (?:(R\d+)[\w.]*|gdesc\[UR(\d+)\]([\w.]*))(?:, gdesc\[UR(\d+)\]([\w.]*))?"
)
_OR, _AND, _INSERT = "0xfc", "0xc0", "0xec"
"""Truth tables: a | b, a & b, a & c | b."""


class _Registers:
    """The uniform registers, as far as they are known."""

    def __init__(self) -> None:
        self.values: dict[int, Value] = {}
        self.bases = 0

    def unknown(self) -> Value:
        self.bases += 1
        return self.bases, 0

    def value(self, text: str) -> Value:
        """An operand."""
        text = text.strip()
        if text == "URZ":
            return None, 0
        if match := re.fullmatch(r"-?0x[0-9a-f]+", text):
            return None, int(match[0], 16)
        if match := re.fullmatch(r"UR(\d+)", text):
            return self.values.setdefault(int(match[1]), self.unknown())
        return self.unknown()

    def sum(self, texts: list[str]) -> Value:
        """A sum of operands, of which one may have a base."""
        values = [self.value(text) for text in texts]
        bases = [base for base, _ in values if base is not None]
        if len(bases) > 1:
            return self.unknown()
        return (bases or [None])[0], sum(number for _, number in values) & 0xFFFFFFFF

    def execute(self, guard: str, name: str, operands: list[str]) -> None:
        """Follow one instruction, whatever branches around it."""
        if not operands or not (match := re.fullmatch(r"UR(\d+)", operands[0])):
            return
        register, sources = int(match[1]), [each for each in operands[1:] if "UP" not in each]
        wide = name.endswith(".64") or ".WIDE" in name
        if guard:
            self.values[register] = self.unknown()
        elif name == "UMOV":
            self.values[register] = self.value(sources[0])
        elif name == "UIADD3.64":
            names = [re.fullmatch(r"UR(\d+)", source) for source in sources]
            high = self.sum([f"UR{int(each[1]) + 1}" for each in names if each])
            self.values[register] = self.sum(sources)
            self.values[register + 1] = high
        elif name in ("UIADD3", "UIADD3.X"):
            self.values[register] = self.sum(sources)
        elif name == "ULOP3.LUT" and sources[-1].strip() == _OR:
            self.values[register] = self.sum(sources[:2])
        elif name == "ULOP3.LUT" and sources[-1].strip() == _INSERT:
            base, number = self.value(sources[1])
            self.values[register] = (
                self.unknown() if base is not None else (self.unknown()[0], number)
            )
        elif name == "ULOP3.LUT" and sources[-1].strip() == _AND:
            first, second = self.value(sources[0]), self.value(sources[1])
            known = first[0] is None and second[0] is None
            self.values[register] = (None, first[1] & second[1]) if known else self.unknown()
        else:
            self.values[register] = self.unknown()
            if wide:
                self.values[register + 1] = self.unknown()


def descriptors(listing: str) -> list[dict[str, Any]]:
    """The products in a listing: instruction, and for each factor layout and offsets in bytes."""
    registers = _Registers()
    found: dict[str, dict[str, Any]] = {}
    for guard, name, rest in _LINE.findall(listing):
        if "GMMA" not in name:
            registers.execute(guard, name, [each.strip() for each in rest.split(",")])
            continue
        match = _PRODUCT.match(rest)
        held, first, suffix, second, more = match.groups()
        pair = None if held else int(first)
        layouts = {
            "a": _layout(registers, pair, suffix or "", "A"),
            "b": _layout(registers, int(second) if held else pair + 2, more or suffix or "", "B"),
        }
        offsets = {side: layout.pop("offset", None) for side, layout in layouts.items()}
        key = json.dumps([name, layouts], sort_keys=True)
        row = found.setdefault(key, {"instruction": name, **layouts})
        for side, offset in offsets.items():
            if offset is not None:
                known = row[side].setdefault("offsets", [])
                known += [offset] if offset not in known else []
    for row in found.values():
        for side in "ab":
            row[side].get("offsets", []).sort()
    return sorted(found.values(), key=lambda row: json.dumps(row, sort_keys=True))


def instructions(listing: str) -> list[str]:
    """Each instruction that multiplies, with its modifiers and where its factors are."""
    found = set()
    for _, name, rest in _LINE.findall(listing):
        if "GMMA" in name:
            held, _, suffix, _, more = _PRODUCT.match(rest).groups()
            turned = [side for side in "AB" if f"tnsp{side}" in (suffix or "") + (more or "")]
            places = "A in registers" if held else "A in memory"
            found.add(", ".join([name, places, *(f"{side} transposed" for side in turned)]))
    return sorted(found)


def _layout(registers: _Registers, first: int | None, suffix: str, side: str) -> dict[str, Any]:
    """What a descriptor says, as far as it is constant."""
    if first is None:
        return {"held": "registers"}
    low, high = registers.value(f"UR{first}"), registers.value(f"UR{first + 1}")
    major = {"transposed": f"tnsp{side}" in suffix}
    if high[0] is not None:
        return {**major, "held": "a descriptor that is not constant"}
    word = high[1]
    return {
        **major,
        "held": "shared",
        "mode": word >> 30,
        "base": word >> 17 & 7,
        "stride": (word & 0x3FFF) << 4,
        "leading": (low[1] >> 16 & 0x3FFF) << 4,
        "offset": (low[1] & 0x3FFF) << 4,
    }


def kernels() -> dict[str, tuple[str, tuple[int, ...] | None]]:
    """Text, and m, n and k of each kernel, by name."""
    files = {HERE / f"{name}.mlir": tile for name, tile in WORKLOADS.items()} | MORE
    found: dict[str, tuple[str, tuple[int, ...] | None]] = {
        path.stem: (path.read_text(encoding="utf-8"), tile) for path, tile in files.items()
    }
    for kind, *tile in PRODUCTS:
        known = kind in TYPES
        text = product(kind if known else "f16", *tile)
        name = f"{kind}_{'x'.join(map(str, tile))}"
        found[name] = (text if known else text.replace("f16", kind), tuple(tile))
    return found


def of_listing(listing: str) -> dict[str, Any]:
    """What is kept of a kernel; products whose factors cannot be followed are left out."""
    products = [
        row for row in descriptors(listing) if "shared" == row["a"]["held"] == row["b"]["held"]
    ]
    return {"instructions": instructions(listing), "products": products}


def compiled(text: str) -> dict[str, Any]:
    """What tileiras makes of a kernel."""
    bytecode = assemble(text)
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder, "k.tileirbc"), Path(folder, "k.cubin")
        source.write_bytes(bytecode.build())
        _run("tileiras", f"--gpu-name={TARGET}", "-o", cubin, source)
        return of_listing(_run("nvdisasm", "-c", cubin))


def ours(text: str) -> dict[str, Any]:
    """What ptxas makes of our PTX for a kernel."""
    found = compile(assemble(text), TARGET)
    plans = [found.plan[name] for name in found.plan]
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder, "k.ptx"), Path(folder, "k.cubin")
        source.write_text(figures.without_twins(found.ptx, plans))
        gpu = assembled_for(TARGET, plans[0]["ptx_target"])
        _run("ptxas", f"-arch={gpu}", "-o", cubin, source)
        return of_listing(_run("nvdisasm", "-c", cubin))


def _run(tool: str, *arguments: object) -> str:
    command = [str(nvidia_tool(tool)), *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def golden() -> Mapping[str, Any]:
    """What is checked in."""
    return json.loads(GOLDEN.read_text(encoding="utf-8"))


def written(kernels: Mapping[str, Any]) -> str:
    """The file, one product a line."""
    parts = []
    for name, kernel in kernels.items():
        products = ",\n".join(f"    {json.dumps(row)}" for row in kernel["products"])
        tile, names = (json.dumps(kernel[each]) for each in ("tile", "instructions"))
        head = f'"tile": {tile}, "instructions": {names}, "products": [\n{products}\n  ]'
        parts.append(f'  "{name}": {{{head}}}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    GOLDEN.parent.mkdir(exist_ok=True)
    found = {
        name: {"tile": tile and list(tile), **compiled(text)}
        for name, (text, tile) in kernels().items()
    }
    GOLDEN.write_text(written(found), encoding="utf-8")
