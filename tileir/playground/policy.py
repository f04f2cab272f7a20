"""What a browser may do with the files of a playground: content security policies, and headers.

Page and worker have policies of their own. Only the worker's lets it compile WebAssembly; it comes
with the response that the worker is, because the policy of a page does not reach into one. Where a
server sends no headers, the page still has its policy, in its text.
"""

from __future__ import annotations

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "worker-src 'self'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types tileir"
)
"""Of the page. No string becomes markup or a script; the worker's address alone is trusted."""

WORKER_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
"""Of the worker: it loads its own script, Pyodide and Python's files from where it came from."""

EVERYWHERE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""The headers of all files."""

PAGES = ("/", "/index.html")
WORKER = "/worker.js"


def headers() -> dict[str, dict[str, str]]:
    """Return the headers by path; those of ``/*`` are for all paths."""
    page = {"Content-Security-Policy": f"{PAGE_POLICY}; frame-ancestors 'none'"}
    worker = {"Content-Security-Policy": WORKER_POLICY}
    return {"/*": EVERYWHERE} | dict.fromkeys(PAGES, page) | {WORKER: worker}


def headers_file() -> str:
    """Return them as the file ``_headers``, as static hosts read it (Cloudflare, Netlify, ...)."""
    rows = []
    for path, fields in headers().items():
        rows += [path, *(f"  {name}: {value}" for name, value in fields.items())]
    return "\n".join(rows) + "\n"
