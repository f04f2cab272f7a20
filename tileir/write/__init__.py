"""From IR to bytes: the tables that grow, bodies encoded, and the sections that changed."""
