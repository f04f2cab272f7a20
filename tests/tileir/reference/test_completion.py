"""Shell completion: bash itself says what it would complete."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.programs import call
from tileir.__main__ import main
from tileir.command_line.command_table import COMMANDS
from tileir.reference import completion_command
from tileir.reference.schemas.catalogue import SCHEMAS

pytest.importorskip("shtab", reason="shtab is part of tileir[test]")
BASH = shutil.which("bash")

ASKED = """\
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
compopt() { :; }
_shtab_tileir
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    done = call(main, "completion", "bash")
    assert (done.returncode, done.stderr) == (0, "")
    path = tmp_path_factory.mktemp("completion") / "tileir.bash"
    path.write_text(done.stdout)
    return path


@pytest.mark.skipif(BASH is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tileir ", set(COMMANDS)),
        ("tileir ver", {"verify"}),
        ("tileir compile --lin", {"--lineinfo"}),
        ("tileir compile --target sm_12", {"sm_120", "sm_120a", "sm_121", "sm_121a"}),
        ("tileir opt --emit ", {"bytecode", "text"}),
        ("tileir cache ", {"list", "show", "prune", "export", "import"}),
        ("tileir schema re", {name for name in SCHEMAS if name.startswith("re")}),
        ("tileir verify 13.5/no_d", {"13.5/no_debug.tileirbc"}),
        ("tileir dump -o 13.", {"13.1", "13.2", "13.3", "13.4", "13.5"}),
    ],
)
def test_bash_completes(line: str, expected: set[str], script: Path) -> None:
    words = [BASH, "--norc", "-c", ASKED, "bash", script, *line.split(" ")]
    fixtures = Path(__file__).parents[3] / "fixtures"
    done = subprocess.run(words, capture_output=True, text=True, cwd=fixtures)
    assert done.stderr == ""
    assert {word.rstrip("/") for word in done.stdout.split()} == expected


@pytest.mark.parametrize("shell", completion_command.SHELLS)
def test_every_command_is_in_each_script(shell: str) -> None:
    text = call(main, "completion", shell).stdout
    assert not [name for name in COMMANDS if name not in text]


def test_wrong_use_and_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = call(main, "completion", "bsh")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "did you mean bash?" in wrong.stderr
    monkeypatch.setattr(completion_command, "is_installed", lambda name: False)
    lacking = call(main, "completion", "bash")
    assert lacking.returncode == 5
    assert "pip install shtab" in lacking.stderr
