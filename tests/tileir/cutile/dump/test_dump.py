"""`tileir dump`: a file for each kernel that a program makes, and a list of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tileir.cutile.programs import WITHOUT_TORCH, python
from tileir import Bytecode, verify
from tileir.cutile.dump_command import main
from tileir.cutile.dumped import Dump

pytest.importorskip("cuda.tile", reason="cuda-tile is part of tileir[test], not on macOS")

PROGRAM = """\
import sys
import cuda.tile as ct, numpy as np

@ct.kernel
def add(x, y, z, tile: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, (i,), ct.load(x, (i,), (tile,)) + ct.load(y, (i,), (tile,)))

x, z = np.ones(1000, "f4"), np.zeros(1000, "f4")
for tile in (64, 128, 64):
    ct.launch(0, (ct.cdiv(1000, tile),), add, (x, x, z, tile))
print("sum", z.sum(), sys.argv[1:])
if "leave" in sys.argv:
    sys.exit(7)
"""


def dump(*arguments: object, **options):
    """Run ``tileir dump`` in a process of its own, without torch."""
    return python("-m", "tileir", "dump", *arguments, path=WITHOUT_TORCH, **options)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.mark.sampled(2)
@pytest.mark.parametrize("options", [["--json"], ["--no-run"]], ids=["run", "not-run"])
def test_a_file_for_each_kernel(program: Path, options: list[str]) -> None:
    """With --json, the list is on standard output, and all that the program prints elsewhere."""
    folder = program.parent / "new" / "kernels"
    done = dump("-o", folder, *options, program, "-o", "leave")
    said = f"sum {0.0 if options == ['--no-run'] else 2000.0} ['-o', 'leave']"
    told = f"tileir dump: 2 kernels are in {folder}"
    assert done.returncode == 7
    listed = json.loads((folder / "kernels.json").read_text())
    if options == ["--json"]:
        assert json.loads(done.stdout) == listed
        assert done.stderr.splitlines() == [said, told]
    else:
        assert (done.stdout, done.stderr) == (f"{said}\n", f"{told}\n")
    modules = listed["modules"]
    assert {path.name for path in folder.glob("*.tileirbc")} == {row["file"] for row in modules}
    for row, launches, grid in zip(modules, (2, 1), ([16, 1, 1], [8, 1, 1]), strict=True):
        module = Bytecode.parse((folder / row["file"]).read_bytes())
        (kernel,) = row["kernels"]
        assert not verify(module)
        assert module.functions[0].name == kernel["entry"]
        assert kernel["name"] == "add"
        assert row["file"] == f"add-{row['sha256'][:12]}.tileirbc"
        assert kernel["location"].startswith(str(program))
        assert len(kernel["parameters"]) == len(module.functions[0].parameters)
        assert (kernel["launches"], kernel["grids"]) == (launches, [grid])


def test_files_of_others_are_listed_without_launches(tmp_path: Path) -> None:
    from tests.corpus import NEWEST

    (tmp_path / "old.tileirbc").write_bytes(NEWEST["softmax"].read_bytes())
    here, child = Dump(tmp_path), Dump(tmp_path)
    data = NEWEST["two_entries"].read_bytes()
    child.write(data)
    child.write(data)
    (row,) = here.listed()["modules"]
    assert [(each["entry"], each["launches"]) for each in row["kernels"]] == [
        ("first", None),
        ("second", None),
    ]
    assert (tmp_path / row["file"]).read_bytes() == data
    (row,) = child.write_list()["modules"]
    assert [each["launches"] for each in row["kernels"]] == [0, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "folder", "--autotune", "no", "-c", "1"], '--autotune must be "first", "all" or'),
        (["-o", "folder", "--sm", "sm_1", "-c", "1"], "unknown GPU 'sm_1'"),
        (["-o", "", "-c", "1"], "the name of the output folder is empty"),
        (["-o", __file__, "-c", "1"], "test_dump.py: Not a directory"),
        (["x.py"], "the following arguments are required: -o/--output"),
        (["-o", "folder"], "a program is missing"),
        (["-o", "folder", "nowhere.py"], "nowhere.py: No such file"),
        (["-o", "folder", "--threads", "0", "-c", "1"], "--threads must be at least 1, not 0"),
    ],
)
def test_wrong_use(
    arguments: list[str], message: str, tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == (4 if "--sm" in arguments else 2)
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
