"""What a trial is: an edit of a copy, or options of the launch, and in words what it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tileir.builder import Editor
from tileir.codegen.advise.evidence import Site
from tileir.codegen.advise.numbered import Copy
from tileir.ir import Op

Edit = Callable[[Copy, Sequence[Site]], Mapping[Site, str]]
"""Edits a copy for all of these sites; returns those where it did, and in words what it changed."""

Cause = Callable[[Op], Op | None]
"""Returns the op that makes another one slow; None if it is that op itself."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing to try: an edit of a copy of the module, and options of the launch.

    With `alone`, each site is tried by itself, because the figure is that of all of the kernel.
    `cause` returns the op that an author changes, where that is another than the op of the site,
    which only suffers from it.
    """

    edit: Edit
    options: Mapping[str, object] = field(default_factory=dict)
    alone: bool = False
    cause: Cause | None = None


Change = Callable[[Op, Editor], str | None]
"""Edits around an op, before which the editor is; says what it changed, None if nothing."""


def at_ops(change: Change, alone: bool = False, cause: Cause | None = None) -> Trial:
    """Return the trial that makes a change at the op of each site, one after the other."""

    def edit(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
        told: dict[Site, str] = {}
        for site in sites:
            assert site.number is not None
            op = copy.ops[site.number]
            said = change(op, copy.editor(site.number).before(op))
            if said is not None:
                told[site] = said
        return told

    return Trial(edit, alone=alone, cause=cause)


def relaunched(change: str, **options: object) -> Trial:
    """Return the trial that leaves a module as it is, and compiles it with other options."""

    def edit(copy: Copy, sites: Sequence[Site]) -> Mapping[Site, str]:
        return dict.fromkeys(sites, change)

    return Trial(edit, options)
