"""`tileir stats`: what is in a module, which versions can hold it, and the work of its kernels."""
