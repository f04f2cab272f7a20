"""A program for test_torch_idioms.py: torches that lack a name each, which stay as they are."""

import contextlib
import io
from functools import reduce
from types import ModuleType

import torch

from tileir.cutile import torch_stand_in
from tileir.cutile.torch_stand_in import names

MODULES = (torch, torch._C, torch.cuda, torch.cuda.memory, torch.version)


def seen() -> list[dict[str, object]]:
    return [dict(vars(module)) for module in MODULES]


def warning() -> str:
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        torch_stand_in.install((10, 0))
    return said.getvalue()


deleted = 0
for name in names.NAMES:
    parent, _, last = name.rpartition(".")
    owner = reduce(getattr, filter(None, parent.split(".")), torch)
    if not isinstance(owner, ModuleType) or last not in vars(owner):
        continue
    held = getattr(owner, last)
    delattr(owner, last)
    if hasattr(owner, last):  # the module makes it when asked
        setattr(owner, last, held)
        continue
    before = seen()
    said = warning()
    after = seen()
    setattr(owner, last, held)
    assert f"it has no torch.{name} (tested is torch {names.TESTED})\n" in said, (name, said)
    assert said.count("\n") == 1
    assert before == after, name
    assert not torch.cuda.is_available()
    deleted += 1
assert deleted >= 40, deleted
assert warning() == ""
assert torch.cuda.is_available()
print(torch.ones(2, device="cuda").sum().item())
