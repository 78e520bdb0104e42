"""`tf.autograph`: how Python's control flow on tensors is rewritten in functions.

Python's `if`, `while`, `for`, `and`, `or`, `not` and `assert` on tensors, in functions that are traced. A function of the user is
rewritten before it is traced: statements become calls of the functions in this package, which run them as Python where the
values are Python's, and put them into the graph where they are tensors. Functions of simple statements are rewritten
directly, all others by the library diastatic-malt, which is loaded for the first of them. The result is compiled under the
user's own file and lines, so that messages need no mapping back.

    _allowlist.py         Which functions are rewritten: those of the user that contain, or may lead to
    _builtins.py          Functions of Python on tensors: `len`, `range`, `int`, `sum`, `enumerate` …
    _cache.py             Rewritten functions
    _calls.py             Calls in rewritten functions: the user's functions are rewritten in their turn
    _compile.py           The code of rewritten functions, compiled under the user's own file and lines
    _expressions.py       What is changed in the syntax tree of every function that is rewritten
    _if.py                `if` statements and conditional expressions over tensors
    _liveness.py          Which variables a branch or loop changes that matter outside of it
    _logic.py             `and`, `or`, `not`, `in` and `assert` on tensors
    _loops.py             `while` and `for` statements over tensors, and those of Python that a tensor may end
    _malt_conversion.py   Functions with statements that are not simple
    _malt_preparation.py  What is changed in a syntax tree before malt's passes: constructs that they would refuse
    _namespace.py         What rewritten code calls, under the name `ag__`
    _operators.py         What statements and operators became in rewritten functions
    _public.py            The public functions around AutoGraph: see what it makes of a function
    _ranges.py            `for i in tf.range(n)` where n is known only when the function runs: a loop that counts
    _returns.py           Return statements in branches, as assignments: the function then returns once, at its end
    _source.py            The syntax tree of a function, from its file: found by position
    _templates.py         Pieces of syntax trees that rewritten functions are made of
    _transformer.py       Functions of simple statements, rewritten in one walk over the syntax tree: most functions
    _undefined.py         The values of a function's variables as branches and loops see them
    _verbosity.py         What AutoGraph tells of its work to those who ask for it
    experimental.py       What to rewrite, and how loops over tensors run
"""

from gradtape.autograph import experimental
from gradtape.autograph._public import set_verbosity, to_code, to_graph, trace

__all__ = ["experimental", "set_verbosity", "to_code", "to_graph", "trace"]
