"""Matrix products in emitted machine code."""
