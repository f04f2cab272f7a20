"""Kinds of argument of the commands in the test tree. What is none is an error of argparse."""

from __future__ import annotations

import argparse
from pathlib import Path


def positive(text: str) -> int:
    """A number from 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not positive")
    return number


def readable(text: str) -> Path:
    """A file that can be read."""
    path = Path(text)
    try:
        path.open("rb").close()
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text}: {error.strerror}") from None
    return path


def directory(text: str) -> Path:
    """A folder, made if it is not there yet."""
    path = Path(text)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text}: {error.strerror}") from None
    return path


positive.__name__ = "number"  # what argparse calls it when it is none at all
