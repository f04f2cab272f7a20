"""The joints with cuTile: the bytecode that it writes, and the internals that we enter by."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path

import tileir
from tileir import Bytecode
from tileir.formats.ops import BY_OPCODE
from tileir.formats.version import SUPPORTED, Version
from tileir.tools import cutile_hooks

OPCODE = "encode_varint"
"""The function that an encoder of an op calls first, with the opcode."""

PREFIX = "encode_"
CONVENTION = "cutile_python_v"
EXTENT = 16


def package(folder: Path | None) -> Path:
    """Return the folder of the package `cuda.tile` of a release."""
    found = cutile_hooks.package() if folder is None else folder / "cuda" / "tile"
    if found is None or not found.is_dir():
        raise FileNotFoundError("there is no cuda.tile")
    return found


def versions(folder: Path | None) -> dict[str, str]:
    """The versions of bytecode that it can write."""
    tree = ast.parse((package(folder) / "_bytecode" / "version.py").read_bytes())
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    stated = [name.split("_")[1:] for name in names if name.startswith("V_")]
    return {
        f"{major}.{minor}": "known"
        if Version(int(major), int(minor)) in SUPPORTED
        else "in no table of ours"
        for major, minor in stated
    }


def ops(folder: Path | None) -> dict[str, str]:
    """The ops that it can write: opcode, and our name for it."""
    found = {}
    for name, node in functions(package(folder) / "_bytecode" / "encodings.py"):
        opcode = _opcode(node) if name.startswith(PREFIX) else None
        if opcode is not None:
            row = BY_OPCODE.get(opcode)
            ours = "in no table of ours" if row is None else row.mnemonic
            found[name.removeprefix(PREFIX)] = f"opcode {opcode}, {ours}"
    return found


def encodings(folder: Path | None) -> dict[str, str]:
    """A hash of each function that writes bytecode, without comments and docstrings."""
    found = {}
    for path in sorted((package(folder) / "_bytecode").glob("*.py")):
        for name, node in functions(path):
            found[f"{path.stem}.{name}"] = hashlib.sha256(_code(node).encode()).hexdigest()[:12]
    return found


def hooks(folder: Path | None) -> dict[str, str]:
    """What is missing or different of what tileir.cutile uses and changes."""
    return dict.fromkeys(cutile_hooks.problems(package(folder)), "a hook that does not fit")


def sample(folder: Path | None) -> dict[str, str]:
    """The text of a kernel in each version that it writes, as we read it."""
    found = {}
    for version in versions(folder):
        try:
            bytecode = Bytecode.parse(written(version)).touch()
        except Exception as error:
            found[version] = f"{type(error).__name__}: {error}".splitlines()[0]
            continue
        for one in bytecode.unknown:
            found[f"{version} at {one.place}"] = one.message
        text = tileir.disassemble(bytecode)
        found[version] = f"{len(text)} characters, {hashlib.sha256(text.encode()).hexdigest()[:12]}"
    return found


def written(version: str) -> bytes:
    """Return the bytecode of the sample in a version, as the release that is first on the path
    writes it."""
    import io

    import cuda.tile as ct
    from cuda.tile.compilation import (
        ArrayConstraint,
        CallingConvention,
        ConstantConstraint,
        KernelSignature,
        ScalarConstraint,
        export_kernel,
    )

    from .sample_kernel import sample as kernel

    def array(rank: int) -> ArrayConstraint:
        return ArrayConstraint(
            ct.float32,
            rank,
            index_dtype=ct.int32,
            stride_lower_bound_incl=0,
            alias_groups=(),
            may_alias_internally=False,
        )

    parameters = [array(2), array(2), array(1), ScalarConstraint(ct.float32)]
    parameters.append(ConstantConstraint(EXTENT))
    conventions = sorted(name for name in dir(CallingConvention) if name.startswith(CONVENTION))
    convention = getattr(CallingConvention, conventions[-1])()
    signature = KernelSignature(parameters, convention, "sample")
    out = io.BytesIO()
    form = {"output_format": "tileir_bytecode", "bytecode_version": version}
    export_kernel(kernel, [signature], out, **form)
    return out.getvalue()


def functions(path: Path) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions and methods of a module by name."""
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    yield f"{node.name}.{inner.name}", inner


def _opcode(function: ast.FunctionDef) -> int | None:
    """Return the number of the first call of `encode_varint` with one."""
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=int(number)), *_]):
                if name == OPCODE:
                    return number
    return None


def _code(function: ast.FunctionDef) -> str:
    body = function.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    return "\n".join([ast.unparse(function.args), *map(ast.unparse, body)])


JOINTS = {
    "bytecode versions": versions,
    "ops": ops,
    "encodings": encodings,
    "hooks": hooks,
    "sample": sample,
}
