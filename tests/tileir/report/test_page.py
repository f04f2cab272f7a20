"""A page runs its own script and nothing else, whatever is in the file; the command behaves."""

from __future__ import annotations

import base64
import hashlib
import json
import lzma
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from random import Random

import pytest

import tileir
from tests.corpus import INVALID, NEWEST
from tests.programs import call
from tests.tileir.report.hostile import NAMES, module
from tileir.__main__ import main
from tileir.report import page as pages
from tileir.report.model import model

KERNEL = NEWEST["vector_add"]


class Page(HTMLParser):
    """What a parser of HTML finds in a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, str] = {}
        self.scripts: list[str] = []
        self.comments: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        tag = self.tags[-1][0] if self.tags else ""
        if tag == "script":
            self.scripts[-1] += data
        else:
            self.inside[tag] = self.inside.get(tag, "") + data

    def handle_endtag(self, tag: str) -> None:
        self.tags.append((f"/{tag}", {}))

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    @property
    def policy(self) -> str:
        """The content security policy."""
        (text,) = [a["content"] for tag, a in self.tags if tag == "meta" and "http-equiv" in a]
        return text or ""

    @property
    def model(self) -> dict:
        """The model, unpacked."""
        return json.loads(lzma.decompress(base64.b64decode(self.scripts[0])))


def page_of(data: bytes, name: str = "k.tileirbc", **options) -> Page:
    return Page(pages.page(model(data, name, **options)))


def test_the_policy_allows_this_script_and_style_alone() -> None:
    page = page_of(KERNEL.read_bytes())
    rules = dict(rule.strip().split(" ", 1) for rule in page.policy.split(";"))
    assert len(page.scripts) == 2
    hashes = {
        f"{kind}-src": "'sha256-"
        + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        + "'"
        for kind, text in (("script", page.scripts[1]), ("style", page.inside["style"]))
    }
    none = dict.fromkeys(("default-src", "base-uri", "form-action"), "'none'")
    assert rules == none | hashes


def test_nothing_in_the_page_refers_anywhere() -> None:
    page = page_of(KERNEL.read_bytes())
    names = {name for _, attributes in page.tags for name in attributes}
    assert names <= {"lang", "charset", "content", "http-equiv", "name", "id", "class", "type"}
    assert not page.comments
    assert [tag for tag, _ in page.tags].count("script") == 2
    script = page.scripts[1]
    ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(|setAttribute"
    for use in re.finditer(rf"(?:{ways})[^;]*;", script):
        assert re.match(r'setAttribute\((?:"(?:role|aria-[a-z]+)"|key, value\))', use[0]), use[0]
    (keys,) = re.findall(r"ATTRIBUTES = new Set\(\[(.*?)\]\)", script, re.DOTALL)
    geometry = "x y x1 y1 x2 y2 width height rx viewBox id role aria-labelledby aria-describedby"
    assert re.findall(r'"(.*?)"', keys) == geometry.split()
    assert not re.search(
        r"\.(?:href|src|srcdoc|action|onclick)\b|\bfetch\(|XMLHttp|import\(", script
    )
    assert "url(" not in page.inside["style"]
    assert "@import" not in page.inside["style"]


def test_names_of_a_file_are_data() -> None:
    """The page of a file full of scripts has the same tags as any, and the names in its model."""
    assert len(NAMES) == 200
    data = module()
    text = pages.page(model(data, "<script>alert(1)</script>.tileirbc", paths=True))
    page, plain = Page(text), page_of(KERNEL.read_bytes())
    assert page.tags == [
        (tag, {**a, "content": page.policy} if "http-equiv" in a else a) for tag, a in plain.tags
    ]
    assert page.scripts[1] == plain.scripts[1]
    assert page.inside == plain.inside
    (file,) = page.model["files"]
    assert [one["name"] for one in file["functions"]] == [
        one.name for one in tileir.Bytecode.parse(data).functions
    ]
    shell = text.replace(page.scripts[0], "")
    assert not [name for name in NAMES if len(name) > 8 and not name.isalpha() and name in shell]


def test_the_page_is_the_model_that_json_prints() -> None:
    done = call(main, "report", "--json", str(KERNEL))
    assert done.returncode == 0
    assert json.loads(done.stdout) == page_of(KERNEL.read_bytes(), KERNEL.name).model


def test_what_stands_far_apart_is_kept_once() -> None:
    """As in a module whose kernels are much alike, behind more than gzip would look back over."""
    far = [Random(1).randbytes(100_000).hex()]
    assert len(pages.packed({"it": far * 8})) < 1.02 * len(pages.packed({"it": far}))


def test_lzma_is_asked_for_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lzma", None)
    done = call(main, "report", "-o", "page.html", "nowhere")
    assert done.returncode == 5
    assert "lzma" in done.stderr
    assert "nowhere" not in done.stderr


def test_a_python_without_lzma_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lzma", None)
    done = call(main, "report", str(KERNEL), "-o", "-")
    assert (done.returncode, len(done.stderr.splitlines())) == (5, 1)
    assert "lzma" in done.stderr
    assert call(main, "report", "--json", str(KERNEL)).returncode == 0


def test_both_sides_know_the_same_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = re.search(r"const LARGEST = ([\d *]+);", pages.script())
    assert limit
    factors = map(int, limit[1].split("*"))
    assert next(factors) * next(factors) * next(factors) == pages.LARGEST
    monkeypatch.setattr(pages, "LARGEST", 1000)
    done = call(main, "report", str(KERNEL), "-o", "-")
    assert done.returncode == 1
    assert "--json writes them" in done.stderr


def test_the_page_is_the_same_each_time() -> None:
    made = [pages.page(model(KERNEL.read_bytes(), "k")) for _ in range(2)]
    assert made[0] == made[1]


# The command -------------------------------------------------------------------------------------


def test_report_and_inspect_write_the_same_page(tmp_path: Path) -> None:
    out = tmp_path / "k.html"
    assert call(main, "report", KERNEL, "-o", out).returncode == 0
    text = out.read_text("utf-8")
    done = call(main, "inspect", "--html", KERNEL)
    assert (done.returncode, done.stdout, done.stderr) == (0, text, "")
    done = call(main, "report", "-", data=KERNEL.read_bytes())
    assert Page(done.stdout).model["files"][0]["name"] == "<stdin>"


def test_a_text_is_assembled() -> None:
    text = tileir.disassemble(KERNEL.read_bytes()).encode()
    (file,) = json.loads(call(main, "report", "--json", "-", data=text).stdout)["files"]
    assert "\n".join([*file["text"]["lines"], ""]).encode() == text


@pytest.mark.parametrize("path", INVALID[::6], ids=lambda path: path.stem)
def test_a_broken_file_has_a_page_and_an_error(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "k.html"
    done = call(main, "report", path, "-o", out)
    assert done.returncode == call(main, "inspect", path).returncode != 0
    assert len(done.stderr.splitlines()) == 1
    assert Page(out.read_text("utf-8")).model["files"][0]["problems"]


def test_wrong_uses(tmp_path: Path) -> None:
    for given, words in (
        (["report", "-", "-"], "standard input"),
        (["report", KERNEL, "-o", KERNEL], "names another file"),
        (["report", tmp_path / "none"], "No such file"),
        (["inspect", "-o", "x", KERNEL], "-o is for --html"),
        (["inspect", "--html", "--json", KERNEL], "takes no --json"),
        (["inspect", "--html", KERNEL, KERNEL], "one file"),
    ):
        done = call(main, *given)
        assert done.returncode == 2
        assert words in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_two_files(tmp_path: Path) -> None:
    out = tmp_path / "d.html"
    other = NEWEST["vector_add_f64"]
    assert call(main, "report", KERNEL, other, "-o", out).returncode == 0
    made = Page(out.read_text("utf-8")).model
    assert [file["name"] for file in made["files"]] == [KERNEL.name, other.name]
    assert not made["diff"]["equal"]
