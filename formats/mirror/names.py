"""Identifiers of the mirror: the tree's names in the form that Kaitai and its targets accept.

Kaitai Struct wants `lower_snake_case` and passes identifiers to the target language unchanged, so
that a keyword gives source that does not compile. Therefore a word that is reserved in any of the
targets below gets a suffix for the kind of thing that it names.
"""

from __future__ import annotations

import re

KEYWORDS = {
    "Python, with what a parser inherits": """
        and as assert async await break class continue def del elif else except finally for from
        global if import in is lambda none nonlocal not or pass raise return true false try while
        with yield close from_bytes from_file from_io""",
    "JavaScript": """
        case catch const constructor debugger default delete do enum eval export extends
        function implements instanceof interface let new null package private protected prototype
        public static super switch this throw typeof undefined var void""",
    "C++": """
        alignas alignof and_eq asm auto bitand bitor bool char compl concept constexpr const_cast
        decltype double dynamic_cast explicit extern float friend goto inline int long mutable
        namespace noexcept not_eq nullptr operator or_eq register reinterpret_cast requires short
        signed sizeof static_assert static_cast struct template thread_local typedef typeid typename
        union unsigned using virtual volatile wchar_t xor xor_eq""",
    "Rust, with what its enums get": """
        abstract become box crate dyn final fn gen impl loop macro match mod move mut override priv
        pub ref self trait type unknown unsafe unsized use where""",
    "Go": "chan defer fallthrough func go interface map range select",
    "Java, with the methods of every object": """
        boolean byte clone equals finalize get_class hash_code native notify notify_all record
        sealed strictfp synchronized throws to_string transient wait""",
}
RESERVED = frozenset(word for words in KEYWORDS.values() for word in words.split())

_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def identifier(name: str, what: str = "field") -> str:
    """Return the Kaitai identifier of `name`; ``for``, which names an op, becomes ``for_op``."""
    snake = _WORDS.sub("_", name).lower().replace(" ", "_").replace("$", "_")
    return f"{snake}_{what}" if snake in RESERVED else snake


def named(name: str, what: str = "field") -> dict[str, object]:
    """Return the keys of a name: its identifier and, if that differs, the original name."""
    made = identifier(name, what)
    return {"id": made} if made == name else {"id": made, "-orig-id": name}
