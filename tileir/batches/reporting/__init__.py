"""`tileir batch report`: what a manifest says, for people, for CI and for other tools.

The gate is here and not in the verbs: a batch that goes on leaves out what its manifest has, so
what it has done itself is no whole to compare, while two manifests are; and a comparison
can be repeated, with nothing computed again.

kinds.py      what kinds of failures are called
summary.py    counts, failures, and what took longest
comparing.py  beside an earlier manifest: what fails anew, which figures are worse
lines.py      both as text
page.py       both as a page
parquet.py    the records as a table for other tools
command.py    all of it, as a command
"""
