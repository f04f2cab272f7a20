"""Releases: planted ones in a folder, and what is made of pip's packages; the command over them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.corpus import FIXTURES
from tests.programs import call
from tests.tileir.predicates.fakes import toolkit
from tileir.__main__ import main
from tileir.bisect import ToolkitFolders, bisect_releases
from tileir.bisect.package_index import PackageIndex
from tileir.errors import ToolError
from tileir.predicates import Says, Subject
from tileir.tools import nvidia

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the tools are scripts of sh")

VECTOR_ADD = FIXTURES / "13.1" / "vector_add.tileirbc"
QUIET, LOUD = "exit 0", "echo 'error: never heard of it' >&2; exit 5"
TOO_OLD = "echo 'error: unsupported Tile IR bytecode version: 13.1' >&2; exit 3"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six releases: the first reads nothing, and the last three complain."""
    scripts = [TOO_OLD, QUIET, QUIET, LOUD, LOUD, LOUD]
    names = ["13.1.80", "13.2.51", "13.2.100", "13.3.36", "13.10.1", "14.0.2"]
    for name, script in zip(names, scripts, strict=True):
        toolkit(tmp_path / "kits" / name, tileiras=script)
    toolkit(tmp_path / "kits" / "13.2.100" / "nvidia" / "cu13", tileirdisasm=QUIET)
    (tmp_path / "kits" / "notes").mkdir()
    return tmp_path / "kits"


def bisect(*arguments: object, data: bytes | None = None):
    return call(main, "bisect", *arguments, data=data)


def test_the_release_is_found(folder: Path) -> None:
    done = bisect(VECTOR_ADD, "--says", "never heard", "--toolkits", folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        'tileiras for sm_100 says "never heard"',
        "  13.1.80   no answer  error: unsupported Tile IR bytecode version: 13.1",
        "  13.2.51   no         accepts it",
        "  13.2.100  no         accepts it",
        "  13.3.36   yes        error: never heard of it",
        "  13.10.1   not asked",
        "  14.0.2    yes        error: never heard of it",
        "first release where it holds: 13.3.36 (13.2.100 -> 13.3.36)",
    ]


def test_for_programs(folder: Path) -> None:
    words = ("--differs", "verify,tileiras", "--toolkits", folder, "--all", "--json")
    done = bisect("-", *words, data=VECTOR_ADD.read_bytes())
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert found["schema"] == 1
    assert [row["holds"] for row in found["points"]] == [None, False, False, True, True, True]
    change = {"before": "13.2.100", "after": "13.3.36", "holds": True, "no_answer": []}
    assert found["changes"] == [change]


def test_a_command_finds_the_tools_of_each_release(folder: Path, tmp_path: Path) -> None:
    script = tmp_path / "check.sh"
    script.write_text('tileiras "$1" 2>&1 | grep -q never\n')
    done = bisect(VECTOR_ADD, "--test", f"sh {script}", "--toolkits", folder)
    assert done.stdout.endswith("first release where it holds: 13.3.36 (13.2.100 -> 13.3.36)\n")


def test_nothing_changes(folder: Path) -> None:
    done = bisect(VECTOR_ADD, "--says", "never heard", "--toolkits", folder, "--from", "13.3")
    assert done.returncode == 1
    assert done.stdout.endswith("yes at both ends; --all asks each release between them, too\n")
    done = bisect(
        VECTOR_ADD, "--crashes", "tileiras", "--toolkits", folder, "--all", "--to", "13.2"
    )
    assert done.returncode == 1
    assert done.stdout.endswith("no release changes the answer: no wherever there is one\n")


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        (["--says", "x", "--from", "15"], 2, "leaves 0 of 13.1.80"),
        (["--says", "x", "--to", "new"], 2, "--to takes a release such as 14.0.2"),
        ([], 2, "say what is asked"),
        (["--crashes", "verify"], 2, "verify: the same for any release"),
        (["--says", "x", "--target", "sm_90"], 2, "--target is for"),
        (["--stages", "--says", "x"], 2, "--toolkits is about releases"),
        (["--crashes", "tileirdisasm"], 5, "no answer at all: release 14.0.2 has no tileirdisasm"),
    ],
)
def test_wrong_use(folder: Path, words: list[str], code: int, problem: str) -> None:
    done = bisect(VECTOR_ADD, "--toolkits", folder, *words)
    assert done.returncode == code
    assert problem in done.stderr


def test_no_releases(tmp_path: Path) -> None:
    (tmp_path / "notes" / "bin").mkdir(parents=True)
    for path, problem in ((tmp_path, "has no toolkit"), (tmp_path / "none", "No such file")):
        done = bisect(VECTOR_ADD, "--says", "x", "--toolkits", path)
        assert done.returncode == 5
        assert problem in done.stderr


def test_texts_are_written_for_old_releases(folder: Path, tmp_path: Path) -> None:
    script = tmp_path / "version.sh"
    script.write_text('test "$(head -c 10 "$1" | tail -c 2 | od -An -tu1 | tr -s " ")" = " 13 1"\n')
    text = b"entry @e() { return }"
    done = bisect("-", "--test", f"sh {script}", "--toolkits", folder, data=text)
    assert "yes at both ends" in done.stdout


# What pip installs ------------------------------------------------------------------------------


class FakePip:
    """An index: package -> versions. What is installed has the files of NVIDIA's packages."""

    def __init__(self) -> None:
        self.index = {
            "nvidia-cuda-tileiras": ["13.4.92", "13.3.36", "13.1.80"],
            "nvidia-cuda-nvcc": ["13.4.92", "13.3.73", "13.3.33", "13.1.80"],
            "nvidia-nvvm": ["13.4.92", "13.3.73", "13.3.33", "13.1.115", "13.1.80"],
        }
        self.installed: list[str] = []
        self.broken = ""

    def __call__(self, arguments: list[str], seconds: float) -> str:
        if arguments[0] == "index":
            if not self.index:
                raise ToolError("pip index failed: no network")
            package = arguments[2]
            return f"{package} (x)\nAvailable versions: {', '.join(self.index[package])}\n"
        package, _, version = arguments[-1].partition("==")
        if package == self.broken:
            raise ToolError("pip install failed: no network")
        self.installed.append(arguments[-1])
        root = Path(arguments[arguments.index("--target") + 1]) / "nvidia" / "cu13"
        files = {
            "nvidia-cuda-tileiras": ["bin/tileiras"],
            "nvidia-cuda-nvcc": ["bin/ptxas", "bin/nvcc", "include/crt.h"],
            "nvidia-nvvm": ["lib/libnvvm.so.4", "nvvm/bin/cicc", "nvvm/libdevice/libdevice.10.bc"],
        }
        for name in files[package]:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(version)
        return ""


def test_releases_are_installed_once(tmp_path: Path) -> None:
    pip = FakePip()
    index = PackageIndex(tmp_path / "kits", pip=pip)
    assert index.names() == ["13.1.80", "13.3.36", "13.4.92"]
    kit = index.toolkit("13.3.36")
    assert index.toolkit("13.3.36") == kit
    assert pip.installed == [
        "nvidia-cuda-tileiras==13.3.36",
        "nvidia-cuda-nvcc==13.3.33",
        "nvidia-nvvm==13.3.33",
    ]
    root = tmp_path / "kits"
    assert sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()) == [
        "13.3.36/bin/ptxas",
        "13.3.36/bin/tileiras",
        "13.3.36/nvvm/lib64/libnvvm.so",
        "13.3.36/nvvm/libdevice/libdevice.10.bc",
    ]
    assert kit.tool("tileiras").read_text() == "13.3.36"
    with pytest.raises(ToolError, match=r"release 13\.3\.36 has no tileirdisasm"):
        kit.tool("tileirdisasm")


def test_a_release_that_cannot_be_installed_leaves_nothing(tmp_path: Path) -> None:
    pip = FakePip()
    pip.broken = "nvidia-nvvm"
    index = PackageIndex(tmp_path / "kits", pip=pip)
    with pytest.raises(ToolError, match="no network"):
        index.toolkit("13.4.92")
    assert not list((tmp_path / "kits").iterdir())
    found = bisect_releases(b"", Says("x", Subject.of("tileiras")).using, index)
    assert not found.answered


def test_without_network_those_that_are_kept_are_asked(tmp_path: Path) -> None:
    pip = FakePip()
    index = PackageIndex(tmp_path / "kits", pip=pip)
    for name in index.names()[:2]:
        index.toolkit(name)
    pip.index = {}
    assert PackageIndex(tmp_path / "kits", pip=pip).names() == ["13.1.80", "13.3.36"]
    with pytest.raises(ToolError, match="no network"):
        PackageIndex(tmp_path / "other", pip=pip).names()


@pytest.mark.oracle
def test_with_the_release_that_is_installed(tmp_path: Path) -> None:
    """It crashes of nothing here, and neither does a planted one that is older."""
    tileiras = nvidia.find("tileiras")
    assert tileiras is not None
    (tmp_path / "13.5.37").symlink_to(tileiras.parent.parent)
    toolkit(tmp_path / "13.0.1", tileiras="kill -ABRT $$")
    done = bisect(VECTOR_ADD, "--crashes", "tileiras", "--toolkits", tmp_path)
    assert "first release where it ceases to hold: 13.5.37 (13.0.1 -> 13.5.37)" in done.stdout
    assert ToolkitFolders(tmp_path).names() == ["13.0.1", "13.5.37"]
