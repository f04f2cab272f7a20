"""Findings made small by `tileir reduce`: the same stage has the same kind of finding."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

from tileir.errors import WorkerError
from tileir.reduce import NotInterestingError, reduce
from tileir.reduce.report import report
from tileir.supervisor import Supervisor

EXAMINE = "tests.lab.campaign.stages:examine_variant"

SECONDS = 120.0
"""The longest that one trial may take."""

_WORDS = re.compile(r"(\w+(?:Error)?): ?([a-z ]*)")


def kind(stage: str, verdict: str, text: str) -> str:
    """What a finding has in common with others of its kind: no names of values, no numbers."""
    first = text.partition("\n")[0]
    match = _WORDS.match(first)
    said = " ".join(part for part in match.groups() if part) if match else first[:60]
    return f"{stage} {verdict}" if verdict == "different" else f"{stage} {verdict}: {said.strip()}"


class StillFound:
    """The predicate: a stage makes of a module what it made of the one of a number."""

    def __init__(self, seed: int, stage: str, wanted: str) -> None:
        self.seed, self.stage, self.wanted = seed, stage, wanted
        self.supervisor = Supervisor(EXAMINE, seconds=SECONDS, calls=500)

    @property
    def description(self) -> str:
        return f"{self.wanted}, with the launch of seed {self.seed}"

    def holds(self, data: bytes) -> bool:
        module = base64.b64encode(data).decode()
        request = {"seed": self.seed, "stage": self.stage, "module": module}
        try:
            found: dict[str, Any] = json.loads(
                self.supervisor.call(json.dumps(request).encode(), "trial")
            )
        except WorkerError as error:
            return kind(self.stage, "crashed", str(error)) == self.wanted
        return kind(self.stage, found["verdict"], found["text"]) == self.wanted


def reduced(data: bytes, seed: int, stage: str, wanted: str, seconds: float) -> tuple[bytes, str]:
    """The smallest module found in so many seconds, and a report of it."""
    predicate = StillFound(seed, stage, wanted)
    try:
        made = reduce(data, predicate, seconds=seconds)
    except NotInterestingError as error:
        return data, f"// {error}\n"
    finally:
        predicate.supervisor.close()
    return made.data, report(made, f"seed {seed}", predicate.description)
