"""`tileir lsp`: a language server for Tile IR text, for any editor that speaks the protocol.

The assembler does the work: its errors are the diagnostics, with those of `verify`, and the names
that it looks up are the definitions and references. Documentation comes from the tables. Only
`server` knows the protocol, by the package pygls (extra ``lsp``); everything else is plain Python
over offsets into a text.
"""
