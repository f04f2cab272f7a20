"""Made-up releases: what changed in them is told, each thing by the joint that it belongs to.

They are wheels in a folder, which pip takes for the package index: cuTile as it is installed here,
changed in a few places; tools that are shell scripts; and an llvmlite that cannot be imported.
"""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tileir.tools import cutile_hooks
from tileir.tools.nvidia import find

from . import changes, index
from .__main__ import main
from .changes import Change, compared

pytest.importorskip("pip", reason="pip fetches releases")

CUTILE = cutile_hooks.package()
needs_cutile = pytest.mark.skipif(CUTILE is None, reason="cuda-tile is part of tileir[test]")

NEW_OP = """

def encode_TwistOp(code_builder, result_type, source):
    _buf = code_builder.buf
    encode_varint(126, _buf)
    encode_typeid(result_type, _buf)
    encode_operand(source, _buf)
    return code_builder.new_op()
"""


def wheel(folder: Path, name: str, version: str, files: dict[str, str | bytes]) -> None:
    """Write a wheel of some files."""
    stem = name.replace("-", "_")
    about = f"{stem}-{version}.dist-info"
    kept: dict[str, str | bytes] = {
        **files,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    kept[f"{about}/RECORD"] = "".join(f"{path},,\n" for path in [*kept, f"{about}/RECORD"])
    with zipfile.ZipFile(folder / f"{stem}-{version}-py3-none-any.whl", "w") as archive:
        for path, data in kept.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o100755 << 16  # the tools are programs
            archive.writestr(entry, data)


def cutile(folder: Path, version: str, change: Callable[[str, str], str]) -> None:
    """Write a wheel of the installed cuTile with sources changed."""
    files: dict[str, str | bytes] = {}
    for path in sorted(CUTILE.rglob("*")):
        name = path.relative_to(CUTILE).as_posix()
        if path.suffix == ".py":
            files[f"cuda/tile/{name}"] = change(name, path.read_text())
        elif path.is_file() and path.suffix != ".pyc":
            files[f"cuda/tile/{name}"] = path.read_bytes()
    wheel(folder, "cuda-tile", version, files)


def newer_cutile(name: str, text: str) -> str:
    """A version of bytecode, an op and a name more, and an encoding that is another."""
    match name:
        case "_bytecode/version.py":
            text = text.replace("V_13_5 = 130500", "V_13_5 = 130500\n    V_13_6 = 130600")
        case "_bytecode/encodings.py":
            first = "    # Opcode\n    encode_varint(2, _buf)\n"
            assert first in text
            text = text.replace(first, f"{first}    encode_varint(0, _buf)\n") + NEW_OP
        case "_compile.py":
            text = text.replace("_find_compiler_bin", "_locate_compiler")
    return text


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


@needs_cutile
def test_a_newer_cutile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cutile(tmp_path, "1.6.9", lambda name, text: text)
    cutile(tmp_path, "1.8.0", newer_cutile)
    assert main(["cuda-tile", "--index", str(tmp_path)]) == 1
    head, *said = lines(capsys)
    assert head.startswith("cuda-tile 1.8.0 (here: ")
    assert "  bytecode versions: new: 13.6: in no table of ours" in said
    assert "  ops: new: TwistOp: opcode 126, in no table of ours" in said
    assert any(line.startswith("  encodings: changed: encodings.encode_AddFOp: ") for line in said)
    assert any(line.startswith("  encodings: new: encodings.encode_TwistOp: ") for line in said)
    assert [line for line in said if line.startswith("  hooks")] == [
        "  hooks: new: there is no cuda.tile._compile._find_compiler_bin: a hook that does not fit"
    ]


def test_a_release_in_which_nothing_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel(tmp_path, "cuda-tile", "1.7.1", {})
    monkeypatch.setattr(changes, "told", lambda package, folder: {"ops": {"AddFOp": "opcode 2"}})
    changes.here.cache_clear()
    assert main(["cuda-tile", "--index", str(tmp_path)]) == 0
    changes.here.cache_clear()
    (line,) = lines(capsys)
    assert line.startswith("cuda-tile 1.7.1 (here: ")
    assert line.endswith("): no changes")


@pytest.mark.skipif(os.name == "nt", reason="the made-up tools are shell scripts")
def test_newer_tools(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They print one text for everything, know the opcode 126, 13.6 and a GPU more."""
    disassembler = (
        "#!/bin/sh\n"
        "if od -An -tx1 -j8 -N2 \"$1\" | grep -q 'ff ff'; then\n"
        '  echo "error: this reader supports versions [13.1 - 13.6]" >&2; exit 1; fi\n'
        "if od -An -v -tx1 \"$1\" | tr -d '\\n ' | grep -q '7e5c00'; then exit 0; fi\n"
        'echo "error: unsupported opcode 7" >&2; exit 1\n'
    )
    compiler = "#!/bin/sh\necho \"--gpu-name  'sm_90', 'sm_130'\"\n"
    binaries = "nvidia/cu13/bin"
    tools = {f"{binaries}/tileirdisasm": disassembler, f"{binaries}/tileiras": compiler}
    wheel(tmp_path, "nvidia-cuda-tileiras", "13.6.1", tools)
    assert main(["nvidia-cuda-tileiras", "--index", str(tmp_path), "--json"]) == 1
    (told,) = json.loads(capsys.readouterr().out)["packages"]
    assert (told["package"], told["version"]) == ("nvidia-cuda-tileiras", "13.6.1")
    new = {(one["joint"], one["fact"]): one["after"] for one in told["changes"]}
    assert new["bytecode versions", "range"] == "13.1 to 13.6, of which ours end at 13.5"
    assert new["ops", "opcode 126"] == "in no table of ours"
    assert new["sample", "13.5, seed 0"] == "error: unsupported opcode 7"
    if find("tileiras"):
        assert ("GPUs", "sm_120") in new


def test_a_release_that_fails_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = {"llvmlite/__init__.py": "raise ImportError('there is no LLVM 99')\n"}
    wheel(tmp_path, "llvmlite", "0.99.0", broken)
    assert main(["llvmlite", "--index", str(tmp_path)]) == 1
    head, *said = lines(capsys)
    assert head.startswith("llvmlite 0.99.0 (here: ")
    assert "  LLVM: new: error: ImportError: there is no LLVM 99" in said
    assert "  LLVM: gone: allowed: yes" in said


def test_what_the_index_does_not_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["llvmlite", "--index", str(tmp_path)]) == 5
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(
        "llvmlite: pip install failed: No matching distribution found for llvmlite"
    )


def test_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["numpy"])
    assert caught.value.code == 2
    assert "invalid choice: 'numpy'" in capsys.readouterr().err


def test_the_newest_release_is_fetched_and_what_is_installed_stays(tmp_path: Path) -> None:
    for version in ("1.0", "1.10", "1.9", "2.0rc1"):
        wheel(tmp_path, "made-up", version, {"made_up.py": f"VERSION = {version!r}\n"})
    folder = tmp_path / "folder"
    found = index.fetch("made-up", folder, str(tmp_path))
    assert found == index.Release("made-up", "1.10", folder)
    assert (folder / "made_up.py").read_text() == "VERSION = '1.10'\n"
    shutil.rmtree(folder)


def test_facts_are_compared_joint_by_joint() -> None:
    before = {"a": {"x": "1", "y": "2"}, "b": {"z": "3"}}
    after = {"a": {"x": "1", "y": "4", "w": "5"}, "c": {"error": "E"}}
    assert [str(change) for change in compared(before, after)] == [
        "a: changed: y: 2 -> 4",
        "a: new: w: 5",
        "b: gone: z: 3",
        "c: new: error: E",
    ]
    assert list(compared(before, before)) == []
    assert changes.told("no such package", None)["all"]["error"].startswith("KeyError")
    assert str(Change("a", "x", None, "1")) == "a: new: x: 1"
