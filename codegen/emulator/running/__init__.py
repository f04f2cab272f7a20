"""A launch: a module is loaded, arguments are packed, blocks run until every thread has ended."""
