"""Stores of objects as they are spoken to: servers of S3 and GCS that run on this machine.

    python -m pytest -m stores tests/stores       # with the extra stores; without it, they fail

moto answers as S3 does, gcp-storage-emulator as GCS does; the latter lets nobody ask that a file be
new, so who writes first is tested with S3 alone.
"""
