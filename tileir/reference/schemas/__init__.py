"""The JSON Schema of each JSON that a command prints, one module for commands that belong together.

A schema is open, because an output may get more keys; another value of the key `schema` says that
one has gone or means something else. Tests close the schemas, and hold real outputs against them.
"""
