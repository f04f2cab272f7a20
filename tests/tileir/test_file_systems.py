"""File systems of others: what is said when one refuses, in the words of the packages."""

from __future__ import annotations

import pytest

from tileir.remote.file_systems import advice


class HttpError(Exception):
    """As gcsfs has it: with the code that the store said, a number or a text."""

    def __init__(self, code: object) -> None:
        super().__init__(f"not you, {code}")
        self.code = code


@pytest.mark.parametrize(
    "problem",
    [
        OSError("Forbidden: b/kernels/o/k.mlir\nsomebody does not have storage.objects.get"),
        HttpError(401),
        HttpError("403"),
        PermissionError("no"),
    ],
    ids=repr,
)
def test_who_is_refused_gets_advice(problem: Exception) -> None:
    assert advice("gs://kernels/k.mlir", problem).startswith("; GOOGLE_APPLICATION_CREDENTIALS")
    assert advice("memory://kernels", problem) == ""


@pytest.mark.parametrize(
    "problem", [OSError("Not Forbidden: x"), HttpError(500), ValueError("403")]
)
def test_other_problems_get_none(problem: Exception) -> None:
    assert advice("gs://kernels/k.mlir", problem) == ""
