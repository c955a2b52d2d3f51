"""The parts of scripts/test: processes with a low priority, CTest runs and their reports, private servers, changed code."""
