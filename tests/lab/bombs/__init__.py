"""Memory bombs: files and texts that are small and would be dear, by kind, at sizes that grow.

`in_bytes`, `shared_bytes`, `newer_bytes` and `in_text` make them, `steps` says what is done with
each, `trial` measures one step in a process of its own, `python -m tests.lab.bombs` prints the
table. SECURITY.md says what is bounded by what.
"""
