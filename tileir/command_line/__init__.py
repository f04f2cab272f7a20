"""What all commands have in common: arguments, files, errors of one line, exit codes."""
