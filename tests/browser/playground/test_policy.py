"""What the playground may do, what it is given that is hostile, and what browsers hold it to."""

from __future__ import annotations

import base64
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.playground.conftest import served, started
from tests.browser.watching import watched
from tests.corpus import NEWEST
from tests.tileir.report.hostile import NAMES, module
from tileir.playground.policy import PAGE_POLICY, WORKER_POLICY
from tileir.playground.serving import headers_in

DATA = NEWEST["vector_add"].read_bytes()
ELEMENTS = {"IMG", "SCRIPT", "IFRAME", "SVG", "svg", "BASE", "OBJECT", "EMBED", "FORM"}
"""Elements that no file may bring into the page; its own scripts are below the body's end."""


def fragment(kind: str, data: bytes) -> str:
    """The fragment of a link that holds these bytes."""
    packed = zlib.compress(data, 9, -15)
    return f"#{kind}=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def elements(page: Any) -> set[str]:
    """The names of the elements in the parts of the page that show files."""
    parts = ".work *, .library *, #notice *"
    script = "parts => [...document.querySelectorAll(parts)].map(element => element.tagName)"
    return set(page.evaluate(script, parts))


# Its own origin ----------------------------------------------------------------------------------


def test_everything_comes_from_its_own_origin(browser: Any, address: str) -> None:
    """Whatever page and worker ask for is noted by the browser: Python's files are among it."""
    with watched(browser) as (page, watch):
        page.set_default_timeout(60_000)
        started(page, address)
        page.locator("#examples button").first.click()
        page.locator("#panel-bytes .row").first.wait_for()
        watch.check(address)
        asked = {url.removeprefix(address) for url in watch.requests}
    for name in (
        "worker.js",
        "tileir.zip",
        "pyodide/pyodide.asm.wasm",
        "pyodide/python_stdlib.zip",
    ):
        assert name in asked


def test_it_cannot_ask_another_origin(browser: Any, address: str) -> None:
    with watched(browser) as (page, watch):
        page.goto(address)
        script = "fetch('http://127.0.0.2:9/').then(() => 'sent', error => error.name)"
        assert page.evaluate(script) == "TypeError"
        assert [one for one in watch.complaints if "connect-src" in one]


def test_python_has_no_network_left(page: Any) -> None:
    (worker,) = page.workers
    names = ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "importScripts", "Worker"]
    assert worker.evaluate("names => names.map(name => typeof globalThis[name])", names) == (
        ["undefined"] * len(names)
    )


def test_the_page_compiles_nothing(browser: Any, address: str) -> None:
    """Only the worker may compile WebAssembly, and nothing may make a script of a string."""
    script = """() => {
      const told = [];
      const element = document.createElement("div");
      const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
      for (const act of [() => new WebAssembly.Module(bytes), () => setTimeout("1"),
          () => { element.innerHTML = "<b>"; }, () => new Worker("worker.js")]) {
        try { act(); told.push("done"); } catch (error) { told.push(error.name); }
      }
      return told;
    }"""
    with watched(browser) as (page, _):
        page.goto(address)
        assert page.evaluate(script) == ["CompileError", "TypeError", "TypeError", "TypeError"]


LACKING = {
    "wasm": ("'self' 'wasm-unsafe-eval'", "'self'"),
    "scripts": ("script-src 'self'", "script-src"),
    "connections": ("connect-src 'self'; ", ""),
}
"""What is taken out of the worker's policy, and what is left of it."""


@pytest.mark.parametrize("part", LACKING)
def test_python_needs_all_that_its_worker_may(
    browser: Any, folder: Path, part: str, tmp_path: Path
) -> None:
    """Without any part of the worker's policy it does not start, and the page says so."""
    other = tmp_path / "site"
    shutil.copytree(folder, other)
    headers = other / "_headers"
    before, after = LACKING[part]
    policy = WORKER_POLICY.replace(before, after)
    assert policy != WORKER_POLICY
    headers.write_text(headers.read_text("utf-8").replace(WORKER_POLICY, policy), "utf-8")
    with served(other) as own, watched(browser) as (page, watch):
        page.goto(own)
        page.locator(".state[data-state=failed]").wait_for(timeout=60_000)
        assert page.locator("#notice", has_text="Python did not start").is_visible()
        assert not watch.outside(own)


def test_the_headers_are_those_of_the_policy(folder: Path, page: Any, address: str) -> None:
    stated = headers_in((folder / "_headers").read_text("utf-8"))
    for path, policy in (("", PAGE_POLICY), ("worker.js", WORKER_POLICY)):
        got = page.request.get(address + path).headers
        assert got["content-security-policy"].startswith(policy)
        assert got["content-security-policy"] == stated[f"/{path}"]["Content-Security-Policy"]
        assert got["x-content-type-options"] == "nosniff"
    assert page.request.get(address + "examples/").status == 404
    script = "document.querySelector('meta[http-equiv]').content"
    assert page.evaluate(script) == PAGE_POLICY


# Links -------------------------------------------------------------------------------------------


def test_a_link_holds_a_file(opened: Callable[..., Any], browser: Any, address: str) -> None:
    page = opened("k.tileirbc", DATA)
    page.click("#share")
    page.locator("#notice", has_text="link").or_(
        page.locator("#notice", has_text="address")
    ).first.wait_for()
    link = page.url
    with watched(browser) as (other, watch):
        other.goto(link)
        other.locator("#files .pick").wait_for()
        assert bytes(other.evaluate("[...playground.files[0].bytes]")) == DATA
        watch.check(address)


def test_a_link_holds_a_text(page: Any) -> None:
    text = "entry @k() {\n  return\n}\n"
    page.evaluate("hash => { location.hash = hash; }", fragment("text", text.encode()))
    page.locator("#verdict.good").wait_for()
    assert page.locator("textarea.field").input_value() == text


def test_what_is_too_large_has_no_link(opened: Callable[..., Any]) -> None:
    from random import Random

    page = opened("noise.bin", b"\x7f" + Random(1).randbytes(60_000))
    page.click("#share")
    page.locator("#notice", has_text="A link holds at most").wait_for()


REFUSED = {
    "long": ("#bytecode=" + "A" * 49_153, "longer than"),
    "bomb": (fragment("bytecode", bytes(32 << 20)), "expands to more than"),
    "noise": ("#bytecode=AAAAAAAA", "damaged"),
    "script": ("#text=<script>alert(1)</script>", "damaged"),
    "alphabet": ("#bytecode=a+b/c==", "damaged"),
    "cut off": (fragment("bytecode", DATA)[:-20], "damaged"),
    "nothing": ("#text=", "damaged"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_hostile_link_is_refused(page: Any, kind: str) -> None:
    link, words = REFUSED[kind]
    page.evaluate("hash => { location.hash = hash; }", link)
    page.locator("#notice", has_text=words).wait_for()
    assert page.locator("#files li").count() == 0


@pytest.mark.parametrize("link", ["#op=3", "#javascript:alert(1)", "#__proto__=x", "#TEXT=abc"])
def test_other_fragments_do_nothing(page: Any, link: str) -> None:
    page.evaluate("hash => { location.hash = hash; }", link)
    page.evaluate("new Promise(requestAnimationFrame)")
    assert page.locator("#files li").count() == 0
    assert not page.locator("#notice").is_visible()


def test_a_link_with_hostile_names_runs_no_script(page: Any) -> None:
    """The page has no part that a file brought, in any panel; dialogs and errors are noted."""
    small = [name for name in NAMES if len(name) < 200 and min(name) >= "\t"]  # else no text
    text = "\n".join(f"// {name}" for name in small) + "\nentry @k() { return }\n"
    page.evaluate("hash => { location.hash = hash; }", fragment("text", text.encode()))
    page.locator("#notice", has_text="cannot be seen").wait_for()
    page.locator("#verdict:not(:empty)").wait_for()
    page.evaluate("hash => { location.hash = hash; }", fragment("bytecode", module()))
    for panel in ("bytes", "text", "compare", "convert", "command"):
        page.click(f"#tab-{panel}")
        page.locator(".state[data-state=ready]").wait_for()
        assert not elements(page) & ELEMENTS
    page.locator("#panel-command .output:not(:empty)").wait_for()
    assert page.evaluate("Object.keys(Object.prototype).length") == 0


def test_hostile_names_of_files_run_no_script(opened: Callable[..., Any], page: Any) -> None:
    for name in NAMES:
        opened(name, DATA)
    assert page.locator("#files li").count() == len(NAMES)
    names = page.evaluate("playground.files.map(file => file.name)")
    assert len(set(names)) == len(NAMES)
    assert not [name for name in names if "/" in name or name[0] in "-." or len(name) > 80]
    page.click("#tab-compare")
    assert page.locator("#other option").count() == len(NAMES) - 1
    assert not elements(page) & ELEMENTS
    for at in range(0, len(NAMES), 20):
        page.evaluate("at => playground.choose(playground.files[at])", at)
        page.locator("#panel-compare [data-pane=diff] .row").first.wait_for()
        assert not elements(page) & ELEMENTS
    page.evaluate("playground.files.splice(0)")
    page.evaluate("playground.choose(null)")
