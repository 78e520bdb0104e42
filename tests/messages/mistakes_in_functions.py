"""Mistakes in functions and control flow; see mistakes.py."""

from __future__ import annotations

from messages.mistakes import _section

FUNCTIONS = _section(
    "Functions, control flow and Python inside them",
    (
        "@tf.function\ndef f(x):\n    print(x.item())\nf(tf.constant(1.0))",
        "'SymbolicTensor' object has no attribute 'item': tensors have no values while the function is traced",
        "its result: f(x).numpy().item() or float(f(x))",
    ),
    (
        "@tf.function\ndef f(x):\n    return np.sin(x.numpy())\nf(tf.constant(1.0))",
        "'SymbolicTensor' object has no attribute 'numpy': a tensor has",
        "leave .numpy() for what the function returns;",
    ),
    (
        "@tf.function\ndef f(x):\n    return [1, 2, 3][x]\nf(tf.constant(1))",
        'An index needs the value of Tensor("x:0", shape=()',
        "compute with functions of tf, or do this part",
    ),
    (
        "@tf.function\ndef f(x):\n    d = {1: 2.0}\n    return d[x]\nf(tf.constant(1))",
        "Tensor is unhashable: it cannot be a key of a dict or an",
        "Python value as the key, or tensor.ref()",
    ),
    (
        "@tf.function\ndef f(x):\n    return np.zeros(x)\nf(tf.constant(1))",
        'An index needs the value of Tensor("x:0", shape=()',
        "compute with functions of tf, or do this part",
    ),
    (
        "@tf.function\ndef f(x):\n    return np.array([x, x])\nf(tf.constant(1.0))",
        'A conversion to a NumPy array needs the value of Tensor("x:0"',
        "compute with functions of tf, or do this part",
    ),
    (
        "@tf.function\ndef f(x):\n    return x.numpy\nf(tf.constant(1.0))",
        "'SymbolicTensor' object has no attribute 'numpy': a tensor has",
        "leave .numpy() for what the function returns;",
    ),
    (
        "@tf.function\ndef f(x):\n    for a, b in x:\n        pass\n    return a\nf(tf.ones([3, 2]))",
        "Iterating over a symbolic `tf.Tensor` is not allowed",
        "let AutoGraph convert the function",
    ),
    (
        "@tf.function\ndef f(x):\n    if x > 0:\n        return x\nf(tf.constant(1.0))",
        "the else branch must also have a return statement",
        "return a value from both branches, or after the",
    ),
    (
        "@tf.function\ndef f(x):\n    if x > 0:\n        return x, 1\n    return x\nf(tf.constant(1.0))",
        "the returned value does not have the same nested structure in",
        "give it the same structure in both",
    ),
    (
        "@tf.function\ndef f(x):\n    if x > 0:\n        return 1\n    return 'a'\nf(tf.ones([3]))",
        "a condition must be a scalar",
        "use tf.reduce_all or tf.reduce_any",
    ),
    (
        "@tf.function\ndef f(x):\n    if x:\n        return 1\n    return 2\nf(tf.ones([3]))",
        "a condition must be a scalar",
        "use tf.reduce_all or tf.reduce_any",
    ),
    (
        "@tf.function\ndef f(x):\n    while x > 0:\n        x = x - 1\n        if tf.reduce_sum(x) < 3:\n            return 'a'\n    return x\nf(tf.constant(4))",
        "the returned value has dtype int32 in the main branch, but",
        "cast one of them",
    ),
    (
        "@tf.function\ndef f(x):\n    i = 0\n    while i < x:\n        i = i + 0.5\n    return i\nf(tf.constant(4))",
        "0.5 cannot be converted to int32, the dtype of the other",
        "cast the tensor first: tf.cast(x, tf.float32)",
    ),
    (
        "@tf.function\ndef f(x):\n    out = {}\n    for i in tf.range(3):\n        out[i] = x\n    return out\nf(tf.constant(4.0))",
        "Tensor is unhashable: it cannot be a key of a dict or an",
        "Python value as the key, or tensor.ref()",
    ),
    (
        "@tf.function\ndef f(x):\n    total = 0\n    for i in tf.range(3):\n        total += x\n    return total\nf(tf.constant(4.0))",
        "add: dtypes differ: a is i32",
        "tensors are never promoted silently; use",
    ),
    (
        "@tf.function\ndef f(x):\n    assert x > 5, 'x is small'\n    return x\nf(tf.constant(4.0))",
        "assertion failed: x is small",
        "the condition was false when the function ran",
    ),
    (
        "@tf.function\ndef f(x):\n    tape = tf.GradientTape()\n    y = x * x\n    return tape.gradient(y, x)\nf(tf.constant(4.0))",
        "A non-persistent GradientTape can only be used to compute one",
        "with tf.GradientTape() as tape: ... around the",
    ),
    (
        "@tf.function\ndef f(x):\n    with tf.GradientTape() as tape:\n        y = x * x\n    return tape.gradient(y, x) + 1.0\nf(tf.constant(4.0))",
        "unsupported operand type(s) for +: 'NoneType' and 'float'",
        "a gradient is None, see the log above",
    ),
    (
        "@tf.function\ndef f(x):\n    return tf.Variable(x)\nf(tf.constant(4.0))",
        "tf.function only supports singleton tf.Variables created on the",
        "create variables outside of the function, or",
    ),
    (
        "@tf.function\ndef f(x):\n    x.assign(1.0)\nf(tf.constant(4.0))",
        "'Tensor' object has no attribute 'assign': only variables can",
        "make it a variable, v = tf.Variable(x); in",
    ),
    (
        "@tf.function\ndef f(x, *, training):\n    return x\nf(tf.constant(4.0))",
        "Binding inputs to tf.function failed due to `missing a required",
        "call it as f(x, *, training)",
    ),
    (
        "@tf.function\ndef f(x):\n    return x\nf(tf.constant(1.0), training=True)",
        "Binding inputs to tf.function failed due to `got an unexpected",
        "call it as f(x)",
    ),
    (
        "@tf.function\ndef f(x):\n    return x\nf({1, 2})",
        "Could not generate a generic TraceType for {1, 2}. Please",
        "pass it as a list, tuple or dict of tensors, or",
    ),
    (
        "@tf.function\ndef f(x):\n    return x\nf([tf.constant(1.0)], tf.constant(2.0))",
        "Binding inputs to tf.function failed due to `too many",
        "call it as f(x)",
    ),
    (
        "@tf.function\ndef f(x):\n    return object()\nf(tf.constant(1.0)) + 1",
        "To be compatible with tf.function, Python functions must return",
        "return tensors, and keep other objects outside",
    ),
    ("@tf.function(jit=True)\ndef f(x):\n    return x", "tf.function", "jit_compile=True"),
    (
        "@tf.function(tf.TensorSpec([2]))\ndef f(x):\n    return x",
        "is not a callable object",
        "@tf.function above a def; arguments go by name",
    ),
    (
        "@tf.function(input_signature=[tf.TensorSpec([None, 2])])\ndef f(x):\n    return x\nf(tf.ones([2, 3]))",
        "Binding inputs to tf.function failed due to `Can not cast",
        "cast or reshape the argument, or loosen",
    ),
    (
        "@tf.function(input_signature=[tf.TensorSpec([None, 2])])\ndef f(x):\n    return x\nf(tf.ones([2]))",
        "Binding inputs to tf.function failed due to `Can not cast",
        "cast or reshape the argument, or loosen",
    ),
    (
        "@tf.function(input_signature=[tf.TensorSpec([None, 2])])\ndef f(x):\n    return x\nf('a')",
        "Cannot convert 'a' to a tensor of dtype float32",
        "tf.strings.to_number(text, tf.float32) for text",
    ),
    (
        "@tf.function(input_signature=[tf.TensorSpec([None, 2])])\ndef f(x):\n    return x\nf()",
        "Binding inputs to tf.function failed due to `missing a required",
        "call it as f(x)",
    ),
    (
        "tf.TensorSpec(2.5)",
        "TensorShape: dims must be None, an int or a sequence of int or",
        "write the sizes as a list, for instance",
    ),
    (
        "tf.TensorSpec(tf.float32, [2])",
        "TensorShape: dims must be None, an int or a sequence of int or",
        "write the sizes as a list, for instance",
    ),
    (
        "tf.TensorSpec([2], 'flot')",
        "Cannot convert 'flot' to a TensorFlow DType: it must be a tf.DType, or the",
        "did you mean tf.float64?",
    ),
    (
        "@tf.function\ndef f(x):\n    return x\nf.get_concrete_function(5.0)(tf.ones([2]))",
        "Binding inputs to tf.function failed due to `Can not cast",
        "call it as it was traced: tensors of the same",
    ),
    (
        "@tf.function\ndef f(x):\n    return x * 2.0\nc = f.get_concrete_function(tf.TensorSpec([2]))\nc(tf.ones([2], tf.int32))",
        "f: x:0 was traced as float32, but is given as int32",
        "use tf.cast(x, tf.float32)",
    ),
    (
        "@tf.function\ndef f(x):\n    return x * 2.0\nc = f.get_concrete_function(tf.TensorSpec([2]))\nc()",
        "Binding inputs to tf.function failed due to `missing a required",
        "call it as f(x)",
    ),
    (
        "@tf.function\ndef f(x):\n    return x * 2.0\nf.graph",
        "'Function' object has no attribute 'graph'. Did you mean",
        "Did you mean: '_autograph'?",
    ),
    ("f = tf.function()\nf(1.0)", "is not a callable object", "@tf.function above a def; arguments go by name"),
    (
        "f = tf.functions(lambda x: x)",
        "module 'gradtape' has no attribute 'functions'. Did you mean",
        "Did you mean: 'function'?",
    ),
    ("tf.py_function(lambda x: x.foo, [1.0], tf.float32)", "py_function", "the traceback above this one shows where"),
    (
        "tf.py_function(func=lambda x: x, inp=[1.0])",
        "py_function: Missing required argument: 'Tout'",
        "give the dtype of what the function returns",
    ),
    ("tf.py_function(lambda x: 'a', [1.0], tf.float32)", "py_function", "the traceback above this one shows where"),
    (
        "tf.numpy_function(lambda x: x.numpy(), [1.0], tf.float32)",
        "'numpy.ndarray' object has no attribute 'numpy'",
        "leave it out: this is a NumPy array already",
    ),
    (
        "tf.cond(tf.constant(1.0) > 0, lambda: 1.0)",
        "cond(): 'false_fn' argument required",
        "give a function for each case",
    ),
    (
        "tf.cond(lambda: True, lambda: 1.0, lambda: 2.0)",
        "cond: pred must be a bool or a scalar tensor",
        "call it: pred=f()",
    ),
    (
        "tf.cond(tf.constant(True), lambda x: x, lambda x: x)",
        "tf.cond: true_fn cannot be called with the arguments it is",
        "leave out the parameters that nothing is passed",
    ),
    (
        "tf.case([(tf.constant(False), lambda: 1.0)])",
        "case: none of the conditions is true",
        "give a function as default",
    ),
    ("tf.case([lambda: 1.0])", "case: each entry must be a pair", "write (condition, function)"),
    (
        "tf.switch_case(5.0, [lambda: 1.0])",
        "switch_case: 'branch_index' must be an int or a scalar int",
        "tf.switch_case(tf.cast(index, tf.int32), [lambda: a",
    ),
    (
        "tf.switch_case(tf.constant(0), lambda: 1.0)",
        "switch_case: 'branch_fns' must be a list, tuple, or dict",
        "give a list of functions",
    ),
    (
        "tf.while_loop(lambda i: tf.ones([2]) > 0, lambda i: i + 1, [0])",
        "The truth value of a tensor with 2 elements is ambiguous",
        "use tf.reduce_any(x) or tf.reduce_all(x)",
    ),
    (
        "tf.while_loop(tf.constant(True), lambda i: i + 1, [0])",
        "while_loop: 'cond' must be callable",
        "tf.while_loop(lambda i: i < 10",
    ),
    ("tf.map_fn(tf.ones([3]), lambda x: x)", "map_fn: fn must be callable", "tf.map_fn(f, elems)"),
    (
        "tf.map_fn(lambda x: x, 5)",
        "map_fn: elems must be 1+ dimensional Tensors, not scalars",
        "the first axis counts the rows; wrap a list in",
    ),
    (
        "tf.map_fn(lambda x: x, (tf.ones([3]), tf.ones([2])))",
        "map_fn: the first dimensions of elems differ: f32",
        "give as many rows of each",
    ),
    (
        "tf.map_fn(lambda x: str(x), tf.ones([3]))",
        "Cannot convert 'tf.Tensor(1.0, shape=(), dtype=float32)' to a",
        "tf.strings.to_number(text, tf.float32) for text",
    ),
    ("tf.scan(lambda a, x: tf.stack([a, x]), tf.ones([3]))", "scan: fn returns f32", "keep the shape of the value"),
    (
        "tf.vectorized_map(lambda x: x, tf.constant(1.0))",
        "vectorized_map: elems must have a first axis",
        "the first axis counts the examples; a value",
    ),
    (
        "tf.vectorized_map(lambda x: 1 if x > 0 else 2, tf.ones([3]))",
        "vectorized_map: the 3 examples run one by one, since the",
        "compute with ops, such as tf.where(condition",
    ),
    (
        "tf.vectorized_map(lambda x: float(x), tf.ones([3]))",
        "vectorized_map: the 3 examples run one by one, since the",
        "compute with ops, such as tf.where(condition",
    ),
    (
        "tf.vectorized_map(lambda x: x, [tf.ones([3]), tf.ones([2])])",
        "vectorized_map: the first dimensions of elems differ: f32",
        "the first axis counts the examples and must be",
    ),
)
