"""The threads of several blocks: registers, warps, barriers, schedules, vector clocks."""
