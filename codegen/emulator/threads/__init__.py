"""The threads of some blocks side by side: registers, warps, barriers, scopes, what each knows."""
