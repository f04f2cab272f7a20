"""`multimem` on one device: a reduction over its only replica is that replica."""

from __future__ import annotations

from tileir.codegen.emulator.ptx.table import effect

from .atomics import atomic
from .memory import loading, storing

_ORDER = "(.(?P<order>weak|relaxed|acquire|release))?(.(?P<scope>cta|cluster|gpu|sys))?"
_WHERE = f"{_ORDER}(.(?P<space>global))?"
_REDUCTION = "(?P<o>add|min|max|and|or|xor)(?P<count>)"
_TYPE = "(?P<t>[busf](32|64)|b?f16x2)"

effect(f"multimem.ld_reduce{_WHERE}.{_REDUCTION}.{_TYPE}", "t* = @", loading)
effect(f"multimem.(?P<n>red){_WHERE}.{_REDUCTION}.{_TYPE}", "= @ t*", atomic)
effect(f"multimem.st{_WHERE}(?P<count>).{_TYPE}", "= @ t*", storing)
