"""`tileir batch` and `tileir.batch`: one thing done with many modules, on any `Executor`.

What is done with a module is a verb: a function of bytes. A job is a verb, a module, a target and
options; its key says whether it has been done before. Jobs are cut into chunks, and a chunk is what
is submitted to a `concurrent.futures.Executor`: threads here, processes, a cluster. Executors can
neither limit a task nor survive one, so the function that is submitted keeps a child process
under a supervisor, and everything that reads a module happens in there. So a module that crashes,
hangs or eats memory costs that child, and is named, whatever the executor is.

A result is an object of JSON's types, the record, and the files that the verb makes. Records go to
a manifest, one a line; a batch that is started again does what the manifest lacks.

sources.py      paths to modules, each with a name
archives.py     ... that are in tar or zip archives
urls.py         ... that are at URLs
jobs.py         jobs, their keys, and chunks of them
answers.py      what goes to the child, and what comes back
answering.py    what the child does
verbs/          the verbs
submitted.py    the function that is submitted
versions.py     what has to be the same everywhere
executors.py    where chunks are computed
cluster.py      ... if that is a Dask cluster
running.py      chunks in flight, and what becomes of those that are lost
records.py      what is said about a job that is done
manifest.py     records on disk
outputs.py      files that verbs make, on disk
batching.py     all of it, as a function
progress.py     all of it, as seen on a terminal
command.py      all of it, as a command
reporting/      what a manifest says
"""
