"""`tf.debugging`, `tf.ensure_shape`, `tf.Assert` and `tf.print`: classes, parts of messages, and formats."""

import contextlib
import io
import sys

from behaviour import case
from cases._expression import evaluate


@case(
    expression=[
        "tf.debugging.assert_equal(1, 1)",
        "tf.debugging.assert_equal(1, 2)",
        "tf.debugging.assert_equal([1, 2], [1, 2, 3])",
        "tf.debugging.assert_equal(c('a'), c('b'))",
        "tf.debugging.assert_equal([], [])",
        "tf.debugging.assert_equal(1, c(1.0))",
        "tf.debugging.assert_none_equal([1, 2], [2, 1])",
        "tf.debugging.assert_none_equal([1, 2], [2, 2])",
        "tf.debugging.assert_less([1], [1])",
        "tf.debugging.assert_less_equal([1], [1])",
        "tf.debugging.assert_greater([1, 3], [0, 3])",
        "tf.debugging.assert_greater_equal([1], [2])",
        "tf.debugging.assert_negative([-1, 0])",
        "tf.debugging.assert_negative([-1, -2])",
        "tf.debugging.assert_positive([1, 0])",
        "tf.debugging.assert_non_negative([0, 1])",
        "tf.debugging.assert_non_negative([-1])",
        "tf.debugging.assert_non_positive([0, 1])",
        "tf.debugging.assert_non_positive([])",
        "tf.debugging.assert_near([1.0], [1.1])",
        "tf.debugging.assert_near([1.0], [1.1], rtol=0.2)",
        "tf.debugging.assert_near([1.0], [1.1], atol=c(0.2))",
        "tf.debugging.assert_near([1], [1])",
        "tf.debugging.assert_rank([1], 1)",
        "tf.debugging.assert_rank([1], 2)",
        "tf.debugging.assert_rank([1], 1.5)",
        "tf.debugging.assert_rank([1], [1])",
        "tf.debugging.assert_rank_at_least([1], 2)",
        "tf.debugging.assert_rank_at_least([[1]], 1)",
        "tf.debugging.assert_rank_in([1], [0, 2])",
        "tf.debugging.assert_rank_in([1], (0, 1))",
        "tf.debugging.assert_scalar(1)",
        "tf.debugging.assert_scalar([1])",
        "tf.debugging.assert_integer(1)",
        "tf.debugging.assert_integer(1.5)",
        "tf.debugging.assert_type(c(1), tf.int32)",
        "tf.debugging.assert_type(c(1), tf.int64)",
        "tf.debugging.assert_type([1], tf.int32)",
        "tf.debugging.assert_same_float_dtype([c(1.0), c(2.0)])",
        "tf.debugging.assert_same_float_dtype([c(1.0), c(2.0, tf.float64)])",
        "tf.debugging.assert_same_float_dtype([c(1)])",
        "tf.debugging.assert_same_float_dtype([], tf.int32)",
        "tf.debugging.assert_proper_iterable([1])",
        "tf.debugging.assert_proper_iterable('a')",
        "tf.debugging.assert_proper_iterable(c([1]))",
        "tf.debugging.assert_proper_iterable(5)",
        "tf.debugging.assert_shapes([(c([[1, 2]]), ('N', 2)), (c([3]), ('N',))])",
        "tf.debugging.assert_shapes([(c([[1, 2]]), ('N', 3))])",
        "tf.debugging.assert_shapes([(c([[1, 2]]), ('N', 2)), (c([3, 4]), ('N',))])",
        "tf.debugging.assert_shapes([(c([[1, 2]]), ('N',))])",
        "tf.debugging.assert_shapes([(c([[1, 2]]), (..., 2)), (c(3), ())])",
        "tf.debugging.assert_shapes([(c([[1, 2]]), 'N2')])",
        "tf.debugging.assert_shapes([(c([[1, 2]]), ('.', 'Q'))])",
        "tf.debugging.assert_shapes([(c([1]), ('N', ...)), (c([[1, 2]]), ('N', 'D'))])",
        "tf.debugging.assert_shapes(5)",
        "tf.debugging.assert_all_finite([1.0, 2.0], 'm')",
        "tf.debugging.assert_all_finite([1.0, nan], 'm')",
        "tf.debugging.check_numerics([1.0, inf], 'm')",
        "tf.debugging.check_numerics([1.0], 'm')",
        "tf.debugging.check_numerics([1], 'm')",
        "tf.debugging.is_numeric_tensor(c(1))",
        "tf.debugging.is_numeric_tensor(c('a'))",
        "tf.debugging.is_numeric_tensor(5)",
        "tf.debugging.Assert(True, [1])",
        "tf.debugging.Assert(False, [1])",
        "tf.debugging.Assert(c(False), [c([1, 2, 3, 4, 5])], summarize=2)",
        "tf.debugging.Assert([True, False], [1])",
        "tf.debugging.Assert(1, [1])",
        "tf.Assert(False, 'a')",
        "traced(lambda x:(tf.debugging.assert_equal(x, 2), x)[1], c(1))",
        "traced(lambda x:(tf.debugging.assert_positive(x), x)[1], c(-1))",
        "traced(lambda x:tf.debugging.assert_rank(x, 2), c(1))",
        "traced(lambda x:tf.debugging.assert_shapes([(x, ('N', 3))]), c([[1]]))",
        "traced(lambda x:tf.debugging.check_numerics(x, 'm'), c([nan]))",
        "traced(lambda x:(tf.debugging.Assert(x > 1, [x]), x)[1], c(1))",
        "traced(lambda x:(tf.debugging.assert_near(x, 2.0), x)[1], c(1.0))",
        "traced(lambda x:tf.debugging.assert_type(x, tf.int64), c(1.0))",
        "message(lambda:tf.debugging.assert_equal(1, 2, message='my text'), 'my text', 'x', '1', '2')",
        "message(lambda:tf.debugging.assert_less([5], [3], message='my text', summarize=3), 'my text', '5', '3', 'x < y')",
        "message(lambda:tf.debugging.assert_rank([1], 2, message='my text'), 'my text', 'rank 2', 'rank 1')",
        "message(lambda:tf.debugging.assert_positive([-1], message='my text'), 'my text', 'x > 0', '-1')",
        "message(lambda:tf.debugging.assert_shapes([(c([[1, 2]]), ('N', 3))], message='my text'), 'my text', '3')",
        "message(lambda:tf.debugging.assert_type(c(1), tf.int64, message='my text'), 'my text', 'int64')",
        "message(lambda:tf.debugging.check_numerics([nan, inf], 'my text'), 'my text', 'nan', 'inf')",
        "message(lambda:tf.debugging.Assert(False, ['value', c([7, 8])]), 'value', '7', '8')",
        "message(lambda:tf.debugging.assert_near([1.0], [2.0], message='my text'), 'my text', '1', '2')",
        "message(lambda:tf.ensure_shape([1, 2], [3]), '[2]', '[3]')",
        "message(lambda:tf.debugging.assert_integer(1.5, message='my text'), 'my text', 'float32')",
        "message(lambda:tf.debugging.assert_scalar([1], message='my text'), 'my text', 'scalar')",
        "tf.ensure_shape(c([1, 2]), [2])",
        "tf.ensure_shape(c([1, 2]), None)",
        "tf.ensure_shape(c([1, 2]), [2, 1])",
        "tf.debugging.get_log_device_placement()",
    ]
)
def checks(tf, expression):
    return evaluate(tf, expression)


def printed(tf, call):
    """What a program writes to standard error, as the process sees it: TensorFlow writes without Python."""
    import os
    import tempfile

    sys.stderr.flush()
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            with contextlib.redirect_stderr(io.TextIOWrapper(os.fdopen(os.dup(2), "wb"), write_through=True)):
                evaluate(tf, call)
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        return file.read().decode()


@case(
    call=[
        "tf.print('a', 1, 2.5)",
        "tf.print([1, 2, 3])",
        "tf.print(c([1, 2, 3]))",
        "tf.print(c(ramp(3, 3)))",
        "tf.print(tf.range(10))",
        "tf.print(tf.range(10), summarize=2)",
        "tf.print(tf.range(10), summarize=-1)",
        "tf.print(c([[1, 2, 3, 4, 5, 6, 7, 8]]), summarize=1)",
        "tf.print('a', 'b', sep='-')",
        "tf.print('a', end='!')",
        "tf.print(c('a'), c(['a', 'b']))",
        "tf.print(c(1.5), c([0.1, 1e10, 1e-10]))",
        "tf.print(c(True), c([True, False]))",
        "tf.print({'a':c(1), 'b':[c(2), 3]})",
        "tf.print((c(1), c([2])))",
        "tf.print(None)",
        "tf.print(c(1 + 2j))",
        "tf.print(c([nan, inf]))",
        "tf.print(tf.sparse.from_dense([0, 3]))",
        "tf.print(tf.ragged.constant([[1], [2, 3]]))",
        "tf.print(tf.Variable([1.0]))",
        "tf.print('a {} b')",
        "tf.print(np.array([1, 2]))",
        "tf.print('x:', c(1), 'y:', c([2.0]))",
        "traced(lambda x:(tf.print('x', x, [x, 2]), x)[1], c([1, 2]))",
        "tf.print(c(1), output_stream='other')",
        "tf.print(c(1.0, tf.float16), c(1.5, tf.bfloat16), c(3, tf.uint8))",
        "tf.print(c([]))",
        "tf.print(tf.zeros([2, 0]))",
    ]
)
def printing(tf, call):
    return printed(tf, call)


@case(
    expression=[
        "tf.strings.format('{}', [c([1, 2])])",
        "tf.strings.format('{} and {}', [c(1), c([[2.5, 3.0]])])",
        "tf.strings.format('{}', [tf.range(10)], summarize=2)",
        "tf.strings.format('%s', [c(1)], placeholder='%s')",
        "tf.strings.format('{} {}', [c(1)])",
        "tf.as_string(c([1.5, 2.25]))",
        "tf.as_string(c(1.5), precision=3)",
        "tf.as_string(c(12), width=5, fill='0')",
        "tf.as_string(c(1.5), scientific=True)",
        "tf.as_string(c(True))",
        "tf.as_string(c(1 + 2j))",
    ]
)
def formatting(tf, expression):
    return evaluate(tf, expression)
