"""`tileir serve --stdio`: tileir for programs in any language, JSON-RPC 2.0 over a pair of pipes.

A client starts the process, and writes messages to its standard input; answers come from its
standard output. Each message has a header, as those of language servers do, then JSON in UTF-8:

    Content-Length: 86\\r\\n
    \\r\\n
    {"jsonrpc": "2.0", "id": 1, "method": "verify", "params": {"module": "f1RpbGVJUgAN..."}}

Bytes are text in base64, both ways; no request names a file. `id` is a number or a text that no
other request under way has. Batches are not known: messages follow each other, and requests may be
answered out of order if there are several workers.

method   parameters (* may be left out)                        result
verify   module, target*, strict*                              valid, diagnostics
dis      module, debug*, function*                             text
as       text (bytes, too), version*                           module
inspect  module, function*, section*, full*, strict*           fields
compile  module, targets, emit*, options*                      targets
version                                                        tileir, bytecode, targets, methods,
                                                               limits
shutdown                                                       null, when all else is answered

module       bytecode; for verify and compile, a text as well
targets      names such as "sm_90". The result has for each of them what `emit` asks for, of "ptx",
             "plan", "llvm" (texts and an object) and "cubin" (bytes, made by ptxas); without it,
             "ptx" and "plan". For "host" there is "llvm" alone
options      those of tileir.compile for GPUs: num_warps, symbols, lineinfo, ...
diagnostics  as `tileir verify --json` has them: severity, rule, message, function, op, offset,
             line, column, location, hint
fields       as `tileir inspect --json` has them
warnings     in each result, a list of texts

Bytes of names that are not UTF-8 are lone surrogates in texts, as JSON's escapes ("\\udcff").

The notification `$/cancelRequest` with the `id` of a request ends it: nothing else can end LLVM, so
the process that works on it is killed. `exit` ends all at once. So does the end of the input,
but what was asked for is still answered if the client reads on. Of requests that wait for a
worker, 64 are held, and twice the bytes of the longest; the rest is left in the pipe, where nobody
sees what it would cancel.

An error has a code and a message (with offset, or line and column); where a worker was asked, also
`data`: its `kind`, the `exit_code` that the command would have had, and, as far as known,
`diagnostics`, `offset`, `section` and `path`.

code      meaning
-32700    no JSON, or no header: the latter ends the server
-32600    no request, one that is too long, or an id that is under way
-32601    there is no such method
-32602    wrong parameters, or options that cannot be
-32603    a defect of tileir
-32800    cancelled
-32001    the module breaks rules of Tile IR
-32003    not readable, as bytecode or as a text
-32004    not supported: version, feature or target
-32005    a package or an outside tool is missing, or a tool has failed
-32010    killed at the limit of time
-32011    killed at the limit of memory
-32012    the process that worked on it has died, or cannot start
-32013    the answer is too long

A request that is killed, or kills its process, harms no other one: the front process computes
nothing itself, and another worker takes the place of the one that is gone.
"""
