"""The tracing JIT of eager code: programs for backward passes that repeat."""
