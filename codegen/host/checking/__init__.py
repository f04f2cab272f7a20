"""Run-time checks, compiled into a kernel on request, and the errors they raise."""
