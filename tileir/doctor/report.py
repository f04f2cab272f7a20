"""The conclusions of `tileir doctor`: what this machine can do, what is broken, what to install."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tileir.formats.version import SUPPORTED
from tileir.gpus import GPUS, newest_run_by
from tileir.messages.missing_packages import CODEGEN, pip_install

from . import cutile_compiler, nvidia, self_checks, shared_store
from .packages import installed, look, packages

SCHEMA = 1
_OLDEST_DRIVER = (12, 0)
"""The first CUDA whose driver loads code independently of contexts, as our launches do."""


def examine() -> dict[str, Any]:
    """Return the whole report in JSON's types; `tileir doctor --help` lists its keys."""
    report = {
        "schema": SCHEMA,
        "tileir": installed("tileir") or "(not installed)",
        "bytecode": [str(version) for version in SUPPORTED],
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "packages": [look(package) for package in packages()],
        "driver": nvidia.look_at_driver(),
        "tools": [nvidia.look_at_tool(name) for name in nvidia.TOOLS],
        "cutile": cutile_compiler.look(),
    }
    abilities = _abilities(report)
    needed = [
        f"{package['name']} is {package['version'] or 'not installed'},"
        f" {package['supported']} is needed"
        for package in report["packages"]
        if package["needed"] and not package["ok"]
    ]
    failed = [row["detail"] for row in abilities if row["broken"]]
    return report | {
        "cache": self_checks.look_at_cache(),
        "shared_store": shared_store.look(),
        "abilities": abilities,
        "install": list(_install(abilities)),
        "broken": list(dict.fromkeys(needed + failed)),
    }


def _install(abilities: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield lines for a shell that install what abilities lack, each thing once."""
    told: set[str] = set()
    for row in abilities:
        *pip, names = row["install"].partition("install ")
        new = [name for name in names.split() if name not in told]
        told.update(new)
        if new:
            yield "".join([*pip, " ".join(new)])


def _abilities(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    has = {package["name"]: package for package in report["packages"]}
    tools = {tool["name"]: tool for tool in report["tools"]}
    versions = f"bytecode {report['bytecode'][0]} to {report['bytecode'][-1]}"
    return [
        _ours("read, verify, print, write", versions, self_checks.check_reading),
        *_compiling(has),
        _on_a_gpu(has, report["driver"]),
        _cutile(has),
        _assembling(tools["ptxas"]),
        _showing(tools["nvdisasm"]),
        _measuring(has, tools),
        _tileiras(tools["tileiras"], report["bytecode"]),
    ]


def _row(what: str, able: bool, detail: str, install: str = "") -> dict[str, Any]:
    return {"what": what, "able": able, "detail": detail, "install": install, "broken": False}


def _ours(what: str, detail: str, check: Any) -> dict[str, Any]:
    """Return the row of an ability of tileir itself, which must work."""
    problem = self_checks.problem_of(check)
    return _row(what, problem is None, problem or detail) | {"broken": problem is not None}


def _compiling(has: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    rows = ("compile and run on the CPU", "compile for GPUs")
    if lacking := _lacking(has, *CODEGEN):
        return [_row(what, False, *lacking) for what in rows]
    if self_checks.problem_of(self_checks.check_llvm):
        return [_ours(what, "", self_checks.check_llvm) for what in rows]
    from tileir.codegen.llvm import VERSION

    llvm = f"LLVM {VERSION}"
    return [
        _ours(rows[0], f"{platform.machine()}, {llvm}", self_checks.check_host),
        _ours(rows[1], f"PTX for {GPUS[0]} to {GPUS[-1]}, {llvm}", self_checks.check_ptx),
    ]


def _on_a_gpu(has: Mapping[str, Mapping[str, Any]], driver: Mapping[str, Any]) -> dict[str, Any]:
    what = "run on a GPU"
    if driver["problem"]:
        return _row(what, False, driver["problem"])
    if not driver["gpus"]:
        return _row(what, False, "there is a driver, but no GPU")
    if driver["cuda"] and tuple(map(int, driver["cuda"].split("."))) < _OLDEST_DRIVER:
        oldest = ".".join(map(str, _OLDEST_DRIVER))
        return _row(what, False, f"the driver is of CUDA {driver['cuda']}, {oldest} is needed")
    if lacking := _lacking(has, *CODEGEN, "cuda-bindings"):
        return _row(what, False, *lacking)
    from tileir.errors import UnsupportedError

    try:
        targets = [newest_run_by(tuple(gpu["capability"])) for gpu in driver["gpus"]]
    except UnsupportedError as problem:
        return _row(what, False, str(problem))
    return _row(what, True, f"as {', '.join(dict.fromkeys(targets))}")


def _cutile(has: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    what, cutile = "cuTile programs on the CPU", has["cuda-tile"]
    if not cutile["ok"]:
        newest = cutile["supported"].rpartition(", ")[2]
        return _row(what, False, _state(cutile), pip_install(f"cuda-tile=={newest}"))
    if lacking := _lacking(has, *CODEGEN):
        return _row(what, False, *lacking)
    tested = cutile["version"] in cutile["supported"].split(", ")
    return _row(what, True, f"cuda-tile {cutile['version']}{'' if tested else ', not tested'}")


def _assembling(ptxas: Mapping[str, Any]) -> dict[str, Any]:
    what = "PTX to machine code"
    if ptxas["path"] is None:
        detail = "ptxas is not installed; the driver does without"
        return _row(what, False, detail, pip_install(ptxas["package"]))
    release = ptxas["release"] or "of an unknown release"
    return _row(what, True, f"ptxas {release}, {_span(ptxas['targets'])}")


def _showing(nvdisasm: Mapping[str, Any]) -> dict[str, Any]:
    what = "show machine code"
    if nvdisasm["path"] is None:
        return _row(what, False, "nvdisasm is not installed", pip_install(nvdisasm["package"]))
    return _row(what, True, f"nvdisasm {nvdisasm['release'] or 'of an unknown release'}")


def _measuring(
    has: Mapping[str, Mapping[str, Any]], tools: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    what, package = "measure kernels", has["pyelftools"]
    absent = [tools[name] for name in ("ptxas", "nvdisasm") if tools[name]["path"] is None]
    lacking = [f"{tool['name']} is not installed" for tool in absent]
    names = [tool["package"] for tool in absent]
    if not package["ok"]:
        lacking.append(_state(package))
        names.append(package["name"])
    if lacking:
        return _row(what, False, "; ".join(lacking), pip_install(*names))
    return _row(what, True, "registers, memory, instructions, occupancy")


def _tileiras(tileiras: Mapping[str, Any], versions: list[str]) -> dict[str, Any]:
    what = "compare with tileiras"
    if tileiras["path"] is None:
        return _row(what, False, "not installed", pip_install(tileiras["package"]))
    release = tileiras["release"] or "0.0"
    known = [v for v in versions if _pair(v) <= _pair(release)]
    read = f"bytecode {known[0]} to {known[-1]}" if known else "no bytecode that is known here"
    return _row(what, True, f"{read}, {_span(tileiras['targets'])}")


def _pair(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")[:2]))


def _span(targets: list[str]) -> str:
    """Return the first and last target of one of NVIDIA's tools, and ours that it lacks."""
    if not targets:
        return "GPUs unknown"
    lacking = [name for name in GPUS if name not in targets]
    span = f"{targets[0]} to {targets[-1]}"
    return f"{span}, not {', '.join(lacking)}" if lacking else span


def _lacking(has: Mapping[str, Mapping[str, Any]], *names: str) -> tuple[str, str] | None:
    """Return which packages are missing or not supported, and the command that installs them."""
    lacking = [has[name] for name in names if not has[name]["ok"]]
    if not lacking:
        return None
    how = pip_install(*(package["name"] for package in lacking))
    return "; ".join(map(_state, lacking)), how


def _state(package: Mapping[str, Any]) -> str:
    if package["version"] is None:
        return f"{package['name']} is not installed"
    return f"{package['name']} {package['version']} will not do, only {package['supported']}"
