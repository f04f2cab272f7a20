"""New releases of what tileir stands on, held against those that were tested: what changed.

`index` fetches the newest release of a package into a folder that is thrown away, `facts` says of
one release all that we rely on, in a process of its own, and `changes` compares two of them.
"""
