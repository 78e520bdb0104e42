"""AutoGraph: Python's `if`, `while`, `for`, `and`, `or`, `not` and `assert` on tensors, in functions that are traced.

A function of the user is rewritten before it is traced: statements become calls of the functions in this package, which run
them as Python where the values are Python's, and put them into the graph where they are tensors. The rewriting is done by
the library diastatic-malt, and compiled under the user's own file and lines, so that messages need no mapping back.

    source.py      the syntax tree of a function, from its file
    conversion.py  the code of the rewritten function
    rewriting.py   the rewritten function, its code from the disk if it is there
    policy.py      which functions are rewritten
    calls.py       calls in rewritten functions
    branches.py    if, conditional expressions
    loops.py       while, for
    logic.py       and, or, not, assert
    functions.py   len, range, int, sum … on tensors
    namespace.py   what rewritten code calls
"""
