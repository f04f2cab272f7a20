"""Names that nobody should have, as functions and files of a module: for the page of a report."""

from __future__ import annotations

from tileir.builder import Module
from tileir.ir.locations import CompileUnit, File, SourceLocation, Subprogram

SCRIPTS = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</SCRIPT >",
    "<!--",
    "-->",
    "<!--<script>",
    "]]>",
    "<![CDATA[",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<style>*{display:none}</style>",
    "</style>",
    "</title>",
    "</textarea>",
    "<base href=//example.com/>",
    "<meta http-equiv=refresh content='0;url=//example.com'>",
    "<a href=javascript:alert(1)>x</a>",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "https://example.com/",
    "//example.com/x.js",
    '"><script>alert(1)</script>',
    "'><script>alert(1)</script>",
    "' onmouseover='alert(1)",
    '" onfocus=alert(1) autofocus="',
    "{{7*7}}",
    "${alert(1)}",
    "`${alert(1)}`",
    "{policy}",
    "{style}",
    "{script}",
    "{data}",
    "&lt;script&gt;",
    "&#60;script&#62;",
    "&amp;amp;",
    "%3Cscript%3E",
    "\\u003cscript\\u003e",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "prototype",
    "undefined",
    "NaN",
    "null",
    "-1",
    "#op=1",
    "#byte=0x0",
]
INVISIBLE = [
    f"a{chr(code)}b"
    for code in (
        *range(1, 0x20), 0x7F, 0x80, 0x85, 0x9B, 0xA0, 0xAD, 0x34F, 0x61C, 0x115F, 0x180E,
        *range(0x200B, 0x2010), 0x2028, 0x2029, *range(0x202A, 0x2030), 0x205F,
        *range(0x2060, 0x2070), 0x3000, 0x3164, 0xE000, 0xFE0F, 0xFEFF, 0xFFF9, 0xFFFD, 0xFFFE,
        0x1D173, 0xE0001, 0xE0020, 0x10FFFF,
    )
]  # fmt: skip
MIXED = [
    "\u202eexe.cod",
    "\u2067abc\u2069",
    "\u05d0\u05d1\u05d2 = addi",
    "\u0645\u0631\u062d\u0628\u0627",
    "e\u0301" * 3,
    "a" + "\u0301" * 50,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U0001f1e9\U0001f1ea",
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;https://example.com\x07link\x1b]8;;\x07",
    "line\nbreak",
    "tab\there",
    "nul\x00l",
    "\r\n<script>",
    " leading and trailing ",
    "/home/somebody/secret/kernel.py",
    "C:\\Users\\somebody\\kernel.py",
    "../../../../etc/passwd",
    "~/x/y/z.py",
    "....../...",
]
LONG = ["x" * 100_000, "<b>" * 5_000, "\u202e" * 3_000, "a/" * 4_000, "\n" * 2_000]
NAMES = [*SCRIPTS, *INVISIBLE, *MIXED, *LONG]
NAMES += [f"<script>alert('{number}')</script>" for number in range(200 - len(NAMES))]
"""200 of them."""


def module() -> bytes:
    """A module with a kernel of each name, located in a file of that name."""
    made = Module("13.4")
    for name in NAMES:
        kernel = made.function(name, ["i32"])
        file = File(name, "")
        scope = Subprogram(file, 1, name, name, CompileUnit(file), 1)
        kernel.return_()
        for op in kernel.body.walk():
            op.location = SourceLocation(scope, name, 1, 1)
    return made.build(check=False)
