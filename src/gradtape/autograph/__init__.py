"""`tf.autograph`: how Python's control flow on tensors is rewritten in functions.

Python's `if`, `while`, `for`, `and`, `or`, `not` and `assert` on tensors, in functions that are traced. A function of the user is
rewritten before it is traced: statements become calls of the functions in this package, which run them as Python where the
values are Python's, and put them into the graph where they are tensors. The result is compiled under the user's own file and
lines, so that messages need no mapping back.

A function goes through three passes over its syntax tree; one without branches and loops needs only the last.

1. Jump elimination (`_jumps.py`). `break`, `continue` and `return` become assignments to flags, and what follows runs if no flag is
   set: control flow is then structured, every statement has one way in and one way out. The `else` of a loop follows it.
2. Analysis (`_liveness.py`). For each `if`, `for` and `while`: which variables it changes that are read later (liveness, from the last
   statement to the first) or that it reads itself, and which of them may have no value before (definite assignment, from the
   first to the last). Attributes and items that it assigns (`self.total`, `table["key"]`) are like variables, if all names in them
   have a value before. An exception may lead from any statement of a `try` to its handlers; functions that are defined inside
   may read what they close over at any time after.
3. Functionalisation (`_transformer.py`, `_expressions.py`). The parts of each branch and loop become functions without parameters, which
   share its variables with the function around (`nonlocal`), and two more read and set all of these as a tuple. `ag__.if_stmt`,
   `for_stmt` and `while_stmt` get them: with a condition of Python they call one part; with a tensor they trace all, and carry
   the tuple through the graph. Operands of `and`, `or` and conditional expressions become lambdas. A variable that may have no
   value holds an `Undefined` until it has one, and is checked where it is read.

        if x > 0:                   def get_state(): return (y,)
            y = x                   def set_state(values): nonlocal y; (y,) = values
        else:                       def if_body(): nonlocal y; y = x
            y = -x                  def else_body(): nonlocal y; y = -x
                                    ag__.if_stmt(x > 0, if_body, else_body, get_state, set_state, ("y",), 1)

Functions that are defined inside are rewritten with the one around. What a function calls is rewritten when it is called
(`_calls.py`). Generators and coroutines run as they are.

    _activity.py          Which variables a piece of a syntax tree reads and binds
    _allowlist.py         Which functions are rewritten: those of the user that contain, or may lead to
    _builtins.py          Functions of Python on tensors: `len`, `range`, `int`, `sum`, `enumerate` …
    _cache.py             Rewritten functions, in memory and on disk
    _calls.py             Calls in rewritten functions: the user's functions are rewritten in their turn
    _compile.py           The code of rewritten functions, compiled under the user's own file and lines
    _expressions.py       Expressions in rewritten functions
    _if.py                `if` statements and conditional expressions over tensors
    _jumps.py             `break`, `continue` and `return` as flags
    _liveness.py          Which variables a branch or loop changes that matter outside of it
    _logic.py             `and`, `or`, `not`, `in` and `assert` on tensors
    _loops.py             `while` and `for` statements over tensors, and those of Python that a tensor may end
    _mangling.py          Names of a class's own, `self.__x`, as Python stores them
    _namespace.py         What rewritten code calls, under the name `ag__`
    _operators.py         What statements and operators became in rewritten functions
    _public.py            The public functions around AutoGraph: see what it makes of a function
    _ranges.py            `for i in tf.range(n)` where n is known only when the function runs: a loop that counts
    _source.py            The syntax tree of a function, from its file: found by position
    _templates.py         Pieces of syntax trees that rewritten functions are made of
    _transformer.py       Functions and statements, rewritten in one walk over the syntax tree
    _undefined.py         The values of a function's variables as branches and loops see them
    _verbosity.py         What AutoGraph tells of its work to those who ask for it
    experimental.py       What to rewrite, and how loops over tensors run
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.autograph.experimental": "*",
    "gradtape.autograph._public": "set_verbosity to_code to_graph trace",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
