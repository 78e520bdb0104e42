"""AutoGraph: Python's `if`, `while`, `for`, `and`, `or`, `not` and `assert` on tensors, in functions that are traced.

A function of the user is rewritten before it is traced: statements become calls of the functions in this package, which run
them as Python where the values are Python's, and put them into the graph where they are tensors. Functions of simple statements
are rewritten directly, all others by the library diastatic-malt, which is loaded for the first of them. The result is compiled
under the user's own file and lines, so that messages need no mapping back.

    policy.py       which functions are rewritten
    calls.py        calls in rewritten functions
    rewriting.py    the rewritten function, its code from the disk if it is there
    source.py       the syntax tree of a function, from its file
    compilation.py  the code of the rewritten function
    constructs.py   what is changed in every syntax tree
    direct.py       functions of simple statements; with variables.py and returns.py
    conversion.py   all others, by malt; preparation.py has what malt would refuse
    namespace.py    what rewritten code calls
    statements.py   if, for, while, and, or, not, in, assert on values of Python; on tensors:
    branches.py         if, conditional expressions
    loops.py            while, for
    logic.py            and, or, not, in, assert
    functions.py    len, range, int, sum … on tensors
"""
