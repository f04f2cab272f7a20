"""Variants of many modules, from the records of a batch: `tileir batch compile --set`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tileir.messages.texts import printable

from .figures import figures_of, order
from .table import lines


class Collected:
    """Records of variants, by their module and target."""

    def __init__(self) -> None:
        self._records: dict[tuple[str, str], list[Mapping[str, Any]]] = {}

    def add(self, record: Mapping[str, Any]) -> None:
        """Take the record of a variant."""
        result = record["result"] or {}
        target = result.get("target") or record["target"] or "the target of its text"
        self._records.setdefault((record["file"], target), []).append(record)

    @property
    def lost(self) -> int:
        """How many modules have no variant left for a target."""
        return sum(not any(x["ok"] for x in each) for each in self._records.values())

    def lines(self) -> Iterator[str]:
        """Yield the lines of a table for each module and target."""
        for row in self.as_json():
            yield f"{printable(row['file'])} for {row['target']}:"
            found = [(each["configuration"], each["figures"]) for each in row["found"]]
            dropped = [(each["configuration"], each["reason"]) for each in row["dropped"]]
            yield from lines(found, dropped)

    def as_json(self) -> list[dict[str, Any]]:
        """Return what `lines` shows as objects: file, target, found in their order, dropped."""
        rows = []
        for (file, target), records in sorted(self._records.items()):
            good = [
                {"configuration": _chosen(each), "figures": figures_of(each["result"]["resources"])}
                for each in records
                if each["ok"]
            ]
            bad = [
                {"configuration": _chosen(each), "failure": each["failure"],
                 "reason": each["message"]}
                for each in records
                if not each["ok"]
            ]  # fmt: skip
            bad.sort(key=lambda each: repr(each["configuration"]))
            good.sort(key=lambda each: (*order(each["figures"]), repr(each["configuration"])))
            rows.append({"file": file, "target": target, "found": good, "dropped": bad})
        return rows


def _chosen(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration of a variant: the options that --set has chosen."""
    options = record["options"]
    return {name: options[name] for name in options.get("variants", ()) if name in options}
