"""`tileir stats`: what is in a module, which versions can hold it, and the work of its kernels.

Programs call `module_stats.stats_of`, with a Bytecode.
"""
