"""Mistakes of a student with a tutorial; see mistakes.py."""

from __future__ import annotations

from messages.mistakes import Mistake, _section

A_TUTORIAL = _section(
    "A tutorial: tapes, variables, tensors among Python and NumPy",
    (
        "x = tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n    y = x ** 2\ntape.gradient(x)",
        "GradientTape.gradient() missing 1 required positional argument",
        "tape.gradient(target, sources",
    ),
    (
        "x = tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n    y = x ** 2\ndy = tape.gradient(y, [x])\nx.assign_sub(0.1 * dy)",
        "can't multiply sequence by non-int of type 'float'",
        "dy is a list of 1, one for each source: use",
    ),
    (
        "x = tf.Variable(3.0)\ntape = tf.GradientTape()\ny = x ** 2\nprint(tape.gradient(y, x))",
        "A non-persistent GradientTape can only be used to compute one",
        "with tf.GradientTape() as tape: ... around the",
    ),
    (
        "x = tf.Variable([1.0, 2.0])\nwith tf.GradientTape() as tape:\n    y = x ** 2\n    z = tf.constant(y.numpy())\ntape.jacobian(z, x)",
        "every gradient of this call is None",
        "print(tape.explain(target, source)) says why;",
    ),
    (
        "x = tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n    y = x ** 2\ngrads = tape.gradients(y, x)",
        "'GradientTape' object has no attribute 'gradients'",
        "tape.gradient(y, x)",
    ),
    (
        "x = tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n    y = x ** 2\nx -= tape.gradient(y, x) * 0.1\nx.assign(1.0)",
        "`variable -= value` with `tf.Variable`s is not supported: it",
        "use `variable.assign_sub(value)` to change the",
    ),
    (
        "x = tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n    tape.watch('x')",
        "Passed in object 'x' of type 'str', not tf.Tensor or",
        "convert it first: x = tf.constant(value);",
    ),
    (
        "x = tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n    y = x ** 2\ntape.gradient(target=y, source=x)",
        "GradientTape.gradient()",
        "tape.gradient(..., sources=...)",
    ),
    (
        "x = tf.Variable([3.0, 1.0])\nwith tf.GradientTape() as tape:\n    y = x ** 2\ntape.gradient(y, x, output_gradients=tf.ones([3]))",
        "gradient: shapes differ: output_gradients is (3,), its target",
        "give one cotangent per target, of the target's",
    ),
    (
        "x = tf.Variable([3.0, 1.0])\nwith tf.GradientTape() as tape:\n    y = x ** 2\ntape.gradient(y, x, output_gradients=tf.ones([2], tf.float64))",
        "gradient: dtypes differ: output_gradients is float64, its",
        "use tf.cast(g, tf.float32)",
    ),
    (
        "with tf.GradientTape(watch_accessed_variables=False) as tape:\n    x = tf.Variable(3.0)\n    y = x ** 2\nprint(tape.gradient(y, x) + 1.0)",
        "unsupported operand type(s) for +: 'NoneType' and 'float'",
        "a gradient is None, see the log above",
    ),
    (
        "x = tf.constant(3.0)\nwith tf.GradientTape() as tape:\n    tape.watch(x)\n    y = x ** 2\n    with tape.stop_recording:\n        z = y",
        "'method' object does not support the context manager protocol",
        "call the method: with tape.stop_recording()",
    ),
    (
        "x = tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n    y = x ** 2\ng = tape.gradient(y, x)\nwith tape:\n    z = y * x\ntape.gradient(z, x, persistent=True)",
        "GradientTape.gradient()",
        "with tf.GradientTape(persistent=True) as tape",
    ),
    (
        "x = tf.Variable([[1.0, 2.0]])\nwith tf.GradientTape() as tape:\n    y = tf.matmul(x, x, transpose_b=True)\ntape.batch_jacobian(y, [x])",
        "batch_jacobian: source must be one tensor or variable",
        "for several, make the tape persistent",
    ),
    (
        "x = tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n    y = x ** 2\ntape.reset()",
        "Tape is not recording. It was entered at",
        "call it inside the `with` block, and not inside",
    ),
    (
        "x = tf.Variable(3.0, trainable='no')",
        "Variable: trainable must be True or False",
        "tf.Variable(initial_value, name=name): the",
    ),
    (
        "x = tf.Variable(shape=[2])",
        "The `initial_value` arg to `tf.Variable` must be specified",
        "tf.Variable(0.0), or tf.Variable(lambda: value)",
    ),
    (
        "x = tf.Variable([2.0, 'a'])",
        "Can't convert Python sequence with mixed types to Tensor",
        "give values of one kind, or choose the dtype",
    ),
    (
        "tf.Variable(tf.float32, [2])",
        "Attempt to convert a value (tf.float32) with an unsupported",
        "dtype=tf.float32",
    ),
    (
        "v = tf.Variable([1.0, 2.0])\nv[0].assign('a')",
        "Cannot convert 'a' to a tensor of dtype float32",
        "tf.strings.to_number(text, tf.float32) for text",
    ),
    (
        "v = tf.Variable([1.0, 2.0])\nv[5].assign(1.0)",
        "indexing: slice index 5 of dimension 0 is out of bounds for a",
        "use an index from -2 to 1",
    ),
    ("v = tf.Variable([1.0, 2.0])\nv[0:1] += 1.0", "'Variable' object does not support item assignment", "v"),
    (
        "v = tf.Variable([[1.0, 2.0]])\nv.assign([1.0, 2.0])",
        "Cannot assign value to variable 'Variable:0': Shape mismatch.",
        "give a value of shape (1, 2), tf.fill or",
    ),
    (
        "v = tf.Variable(1)\nv.assign_sub(0.1)",
        "Cannot convert 0.1 to a tensor of dtype int32",
        "make the tensor or variable of floats: 0.0",
    ),
    (
        "v = tf.Variable(0)\nv.assign_add(tf.constant(1.5))",
        "Tensor conversion requested dtype int32 for Tensor with dtype",
        "use tf.cast(x, tf.int32)",
    ),
    (
        "v = tf.Variable(1.0)\nv.shape = [2]",
        "property 'shape' of 'Variable' object has no setter",
        "y = tf.reshape(x, shape); a variable of any",
    ),
    (
        "v = tf.Variable([1.0, 2.0])\nv.reshape([2, 1])",
        "'Variable' object has no attribute 'reshape'. Use tf.reshape(x",
        "Use tf.reshape(x, shape)",
    ),
    (
        "v = tf.Variable([1.0, 2.0])\nv.zero_()",
        "'Variable' object has no attribute 'zero_'. Use",
        "Use v.assign(tf.zeros_like(v)), of a",
    ),
    (
        "v = tf.Variable([1.0, 2.0])\nv.T",
        "'Variable' object has no attribute 'T'. Use tf.transpose(x)",
        "Use tf.transpose(x)",
    ),
    (
        "v = tf.Variable([1.0, 2.0])\nv.shape()",
        "'TensorShape' object is not callable",
        "leave out the parentheses: x.shape",
    ),
    ("v = tf.Variable([1.0, 2.0])\nv.len()", "'Variable' object has no attribute 'len'", "len(x)"),
    (
        "t = tf.ones([2, 3])\nt.shape[0] = 4",
        "'TensorShape' object does not support item assignment",
        "sizes = x.shape.as_list(); sizes",
    ),
    ("t = tf.ones([2, 3])\nt.numpy[0]", "'method' object is not subscriptable", "call the method first: x.numpy()"),
    ("t = tf.ones([2, 3])\nt.sort()", "'Tensor' object has no attribute 'sort'. Use tf.sort(x)", "Use tf.sort(x)"),
    ("t = tf.ones([2, 3])\nt.append(1.0)", "'Tensor' object has no attribute 'append'. Use tf.concat", "Use tf.concat"),
    (
        "t = tf.ones([2, 3])\nt.add_(1.0)",
        "'Tensor' object has no attribute 'add_'. Use v.assign_add(y)",
        "Use v.assign_add(y), of a tf.Variable",
    ),
    ("t = tf.ones([2, 3])\nt.size", "'Tensor' object has no attribute 'size'. Use tf.size(x)", "Use tf.size(x)"),
    ("t = tf.ones([2, 3])\nt.tolist()", "'Tensor' object has no attribute 'tolist'. Use", "Use x.numpy().tolist()"),
    (
        "t = tf.ones([2, 3])\nt.max()",
        "'Tensor' object has no attribute 'max'. Use tf.reduce_max(x)",
        "Use tf.reduce_max(x)",
    ),
    (
        "t = tf.ones([2, 3])\nt.argmax()",
        "'Tensor' object has no attribute 'argmax'. Use tf.argmax(x",
        "Use tf.argmax(x, axis)",
    ),
    (
        "t = tf.ones([2, 3])\nt.squeeze()",
        "'Tensor' object has no attribute 'squeeze'. Use tf.squeeze(x)",
        "Use tf.squeeze(x)",
    ),
    (
        "t = tf.ones([2, 3])\nt.float()",
        "'Tensor' object has no attribute 'float'. Use tf.cast(x",
        "Use tf.cast(x, tf.float32)",
    ),
    (
        "t = tf.ones([2, 3])\nt.long()",
        "'Tensor' object has no attribute 'long'. Use tf.cast(x",
        "Use tf.cast(x, tf.int64)",
    ),
    ("t = tf.ones([2, 3])\nt.dim()", "'Tensor' object has no attribute 'dim'. Use x.ndim", "Use x.ndim"),
    (
        "t = tf.ones([2, 3])\nt.get_shape().as_lists()",
        "'TensorShape' object has no attribute 'as_lists'. Did you mean",
        "Did you mean: 'as_list'?",
    ),
    ("t = tf.ones([2, 3])\nt(0)", "'Tensor' object is not callable", "leave out the parentheses, or check which name"),
    (
        "t = tf.ones([2, 3])\nt[0][0][0]",
        "indexing: Attempting to slice scalar input, which has no axes",
        "use the scalar itself",
    ),
    (
        "t = tf.ones([2, 3])\nt[:, 3]",
        "indexing: slice index 3 of dimension 1 is out of bounds for a",
        "use an index from -3 to 2",
    ),
    (
        "t = tf.ones([2, 3])\nt[tf.constant(5)]",
        "indexing: slice index 5 of dimension 0 is out of bounds for a",
        "use an index from -2 to 1",
    ),
    ("t = tf.ones([2, 3])\nt[..., ..., 0]", "indexing: Multiple ellipses (`...`) are not allowed", "use one"),
    ("t = tf.ones([2, 3])\nt[1:2:0]", "indexing: the step of axis 0 must not be 0", "use a step of 1, -1, 2"),
    (
        "t = tf.ones([2, 3])\nt[[True, False]]",
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis",
        "use an int, or a mask as long as the first axis",
    ),
    (
        "t = tf.ones([2, 3])\nt[np.array([0, 1])]",
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis",
        "use tf.gather(x, indices, axis=...) for many",
    ),
    (
        "t = tf.ones([2, 3])\nt[tf.constant([0, 1])]",
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis",
        "use tf.gather(x, indices, axis=...) for many",
    ),
    (
        "t = tf.ones([2, 3])\nt[0, 0] += 1.0",
        "'Tensor' object does not support item assignment",
        "tensors are immutable: use",
    ),
    (
        "t = tf.ones([2, 3])\nt['col']",
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis",
        "use an int; a dict of tensors has keys: d",
    ),
    (
        "t = tf.ones([2, 3])\nt.dtype = tf.float64",
        "property 'dtype' of 'Tensor' object has no setter",
        "y = tf.cast(x, dtype); a variable keeps its",
    ),
    (
        "t = tf.ones([2, 3])\nt < 'a'",
        "'a' cannot be converted to float32, the dtype of the other",
        "text becomes a number with",
    ),
    (
        "t = tf.ones([2, 3])\nt and True",
        "The truth value of a tensor with 6 elements is ambiguous",
        "use tf.reduce_any(x) or tf.reduce_all(x)",
    ),
    (
        "t = tf.ones([2, 3])\nnot t",
        "The truth value of a tensor with 6 elements is ambiguous",
        "use tf.reduce_any(x) or tf.reduce_all(x)",
    ),
    (
        "t = tf.ones([2, 3])\nif t == 1: pass",
        "The truth value of a tensor with 6 elements is ambiguous",
        "use tf.reduce_any(x) or tf.reduce_all(x)",
    ),
    (
        "t = tf.ones([2, 3])\nassert t.shape == [2, 3] and t == tf.ones([2, 3])",
        "The truth value of a tensor with 6 elements is ambiguous",
        "use tf.reduce_any(x) or tf.reduce_all(x)",
    ),
    (
        "t = tf.ones([2, 3])\n1.0 in t",
        "The truth value of a tensor with 3 elements is ambiguous",
        "use tf.reduce_any(x == value)",
    ),
    ("t = tf.ones([2, 3])\nmax(t)", "The truth value of a tensor with 3 elements is ambiguous", "use tf.reduce_max(x)"),
    (
        "t = tf.constant([1, 2, 3])\nt.mean(axis=0)",
        "'Tensor' object has no attribute 'mean'. Use tf.reduce_mean(x)",
        "Use tf.reduce_mean(x)",
    ),
    (
        "t = tf.constant(2.0)\n[1, 2, 3][t]",
        "only integer scalar tensors can be used as an index, this one",
        "pass an int, or tf.cast(x, tf.int32) of a",
    ),
    (
        "t = tf.ones([2])\nint(t)",
        "only a tensor of one element can be converted by int(), this",
        "reduce it first, as in",
    ),
    (
        "t = tf.ones([2])\n'%d' % t",
        "%d format: a real number is required, not Tensor",
        'f"{float(x):.3f}"; tf.print(x) for tensors of',
    ),
    (
        "t = tf.ones([2])\n'loss: ' + t",
        "'loss: ' cannot be converted to float32, the dtype of the other",
        "text becomes a number with",
    ),
    (
        "t = tf.constant(3.0)\n'loss: ' + t",
        "'loss: ' cannot be converted to float32, the dtype of the other",
        "text becomes a number with",
    ),
    (
        "t = tf.constant('a')\nfloat(t)",
        "A tensor of text cannot be converted by float()",
        "use tf.strings.to_number(x), or",
    ),
    (
        "t = tf.constant('a')\nt + 1",
        "1 cannot be converted to string, the dtype of the other operand",
        "texts are joined by tf.strings.join",
    ),
    (
        "t = tf.constant('abc')\nt[0]",
        "indexing: Attempting to slice scalar input, which has no axes",
        "use the scalar itself",
    ),
    ("t = tf.constant('abc')\nt.upper()", "'Tensor' object has no attribute 'upper'. Use", "Use tf.strings.upper(x)"),
    (
        "t = tf.constant(['a', 'b'])\nt.split(',')",
        "'Tensor' object has no attribute 'split'. Use",
        "Use tf.strings.split(x, sep)",
    ),
    (
        "import math\nmath.sqrt(tf.ones([2]))",
        "only a tensor of one element can be converted by float(), this",
        "tf.math.sqrt(x) computes that of every element",
    ),
    (
        "import math\nmath.sin(tf.constant([1.0, 2.0]))",
        "only a tensor of one element can be converted by float(), this",
        "tf.math.sin(x) computes that of every element",
    ),
    (
        "import json\njson.dumps({'loss': tf.constant(1.0)})",
        "Object of type Tensor is not JSON serializable",
        "json.dumps(x.numpy().tolist()); float(x) for a",
    ),
    (
        "import json\njson.dumps({'step': tf.Variable(1)})",
        "Object of type Variable is not JSON serializable",
        "json.dumps(v.numpy().tolist()); float(v) for a",
    ),
    (
        "import random\nrandom.choice(tf.data.Dataset.range(3))",
        "'Dataset' object is not subscriptable: it has no random access",
        "for x in dataset: ...",
    ),
    (
        "import random\nrandom.shuffle(tf.constant([1, 2, 3]))",
        "'Tensor' object does not support item assignment",
        "tensors are immutable: use",
    ),
    (
        "np.random.shuffle(tf.constant([1, 2, 3]))",
        "'Tensor' object does not support item assignment",
        "tensors are immutable: use",
    ),
    ("np.dot(np.ones([2, 3]), tf.ones([4]))", "tensordot: a has shape", "sum over axes of equal length"),
    (
        "np.concatenate([tf.ones([2, 2]), tf.ones([3])])",
        "concat: ranks differ: values",
        "reshape it, or use tf.expand_dims",
    ),
    (
        "np.ones([2, 3]) @ tf.ones([2, 3])",
        "matmul: inner dimensions differ: a is f32",
        "transpose one operand, or check which axis",
    ),
)

STUDENTS: list[Mistake] = [*A_TUTORIAL]
