"""Looking into a kernel on the host: the values of its variables, where it goes wrong or stops."""
