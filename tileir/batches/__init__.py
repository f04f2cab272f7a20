"""`tileir batch` and `tileir.batch`: one thing done with many modules, on any `Executor`.

What is done with a module is a verb: a function of bytes. A job is a verb, a module, a target and
options; its key says whether it has been done before. Jobs are cut into chunks, and a chunk is a
task of a `concurrent.futures.Executor`: its workers are threads here, processes, or a cluster.
Executors can neither limit a task nor survive one, so a worker keeps a child process under a
supervisor, and everything that reads a module happens in there. So a module that crashes, hangs or
eats memory costs that child, and is named, whatever the executor is.

A result is an object of JSON's types, the record, and the files that the verb makes. Records go to
a manifest, one a line; a batch that is started again does what the manifest lacks.

In the order in which a module passes them:

sources.py      paths to modules, each with a name
archives.py     ... that are in tar or zip archives
urls.py         ... that are at URLs
jobs.py         jobs, their keys, and chunks of them
dispatch.py     chunks to workers, and again those that are lost
executors.py    ... which workers: threads, processes
cluster.py      ... of a Dask cluster
versions.py     ... and what has to be the same on all of them
worker.py       a chunk to a child process
protocol.py     ... as requests, which responses come back to
child.py        a request to a verb
verbs/          the verbs
records.py      a response to a record
manifest.py     records on disk
outputs.py      files that verbs make, on disk

batching.py     all of it, as a function
command.py      all of it, as a command
progress.py     what is seen of it on a terminal
variants/       one module in many ways: `tileir.variants`
reporting/      what a manifest says
"""
