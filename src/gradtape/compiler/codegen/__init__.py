"""Machine code: the text that LLVM reads, vectors with their math library, and what the emitters of all back ends share."""
