"""Exceptions of the user's code while it is traced: the same class, with the lines of the function at the end."""

from __future__ import annotations

from gradtape.core import attribute_hints, errors, provenance, python_errors


def in_user_code(problem: Exception) -> Exception:
    """The exception with the lines of the user's function, of the same class where that can be made."""
    frames = []
    trace = problem.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if provenance.search(trace.tb_frame)[0] is code:
            place = provenance.Site(code.co_filename, trace.tb_lineno, code.co_name).short
            if not place.startswith("Cell In["):
                place = f'File "{provenance.without_count(code.co_filename)}", line {trace.tb_lineno}'
            frames.append(f"    {place}, in {code.co_name}")
        trace = trace.tb_next
    if getattr(problem, "_in_user_code", False):
        return problem
    advice = _advice(problem)
    if not frames and not advice:
        return problem
    # What is wrong comes first: logs and summaries of tests show the first line alone.
    lines = advice + ("\n\nin user code:\n\n" + "\n".join(frames) if frames else "")
    made = _same_kind(problem, f"{problem}{lines}")
    if type(made) is errors.StagingError:
        made = errors.StagingError(f"{type(problem).__name__}: {problem}{lines}")
    made._in_user_code = True  # type: ignore[attr-defined]
    return made


def _advice(problem: Exception) -> str:
    """What to write, for an error of Python: it is lost when the error is made again."""
    if type(problem).__module__ != "builtins":
        return ""
    fix = python_errors.fix(problem)
    if fix or not isinstance(problem, AttributeError) or attribute_hints.gives_advice(str(problem)):
        return f"\n{fix}" if fix else ""
    close = python_errors.alike(problem.name, dir(problem.obj))
    return f". Did you mean: {close!r}?" if close and "\n" not in str(problem) else ""


def _same_kind(problem: Exception, text: str) -> Exception:
    """An exception with another message, of the same class where a message is all it takes."""
    kind = type(problem)
    if kind is KeyError:
        return errors.MultilineMessageKeyError(text)
    is_plain = kind.__init__ in (Exception.__init__, OSError.__init__) or kind.__module__ in (
        "builtins",
        errors.__name__,
    )
    if is_plain or kind.__module__.startswith("gradtape."):
        try:
            made = kind(text)
        except Exception:
            return errors.StagingError(text)
        made.__dict__.update({k: v for k, v in vars(problem).items() if k not in ("_message", "args")})
        return made
    inherited = next(c.__init__ for c in kind.__mro__ if "__init__" in vars(c))  # type: ignore[misc]
    is_builtin = any(c.__init__ is inherited for c in kind.__mro__ if c.__module__ == "builtins")  # type: ignore[misc]
    return kind(text) if is_builtin else errors.StagingError(text)
