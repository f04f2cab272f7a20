"""Writing: IR to bytes. The tables that grow, bodies encoded, and the sections that changed."""
