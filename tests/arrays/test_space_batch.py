"""Blocks, sequences and patches, against loops over elements."""

import itertools

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads
from refusing import refused


def numbers(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def space_to_batch_loop(x, block, paddings):
    x = np.pad(x, [(0, 0), *paddings] + [(0, 0)] * (x.ndim - 1 - len(block)))
    batch = x.shape[0]
    shape = [s // b for s, b in zip(x.shape[1:], block, strict=False)]
    y = np.zeros((batch * int(np.prod(block)), *shape, *x.shape[1 + len(block) :]), x.dtype)
    for k, offset in enumerate(itertools.product(*[range(b) for b in block])):
        for n, place in itertools.product(range(batch), itertools.product(*[range(s) for s in shape])):
            source = tuple(p * b + o for p, b, o in zip(place, block, offset, strict=True))
            y[(k * batch + n, *place)] = x[(n, *source)]
    return y


BLOCKS = [
    ((2, 4, 4, 3), [2, 2], [[0, 0], [0, 0]]),
    ((1, 5, 3, 2), [2, 3], [[1, 0], [2, 1]]),
    ((3, 6), [3], [[0, 0]]),
    ((2, 2, 3, 2), [1, 3], [[0, 0], [0, 0]]),
    ((2, 4, 4, 4), [2, 1, 2], [[1, 1], [0, 0], [0, 0]]),
]


@pytest.mark.parametrize(("shape", "block", "paddings"), BLOCKS)
def test_space_to_batch_and_back(shape, block, paddings):
    x = numbers(*shape)
    there = tf.space_to_batch(x, block, paddings)
    np.testing.assert_array_equal(there.numpy(), space_to_batch_loop(x, block, paddings))
    np.testing.assert_array_equal(tf.batch_to_space(there, block, paddings).numpy(), x)
    np.testing.assert_array_equal(tf.space_to_batch_nd(x, tf.constant(block), tf.constant(paddings)), there)
    np.testing.assert_array_equal(tf.nn.space_to_batch(x, np.array(block), paddings).numpy(), there.numpy())


def test_blocks_of_one_int_and_of_strings():
    x = numbers(4, 2, 2, 1)
    np.testing.assert_array_equal(
        tf.batch_to_space(x, 2, [[0, 0], [0, 0]]).numpy(), tf.batch_to_space(x, [2, 2], [[0, 0], [0, 0]]).numpy()
    )
    assert tf.space_to_batch([["a", "b", "c"]], [2], [[0, 1]]).numpy().tolist() == [[b"a", b"c"], [b"b", b""]]
    assert tf.space_to_batch(x, [], tf.zeros([0, 2], tf.int32)).shape == [4, 2, 2, 1]


def test_blocks_differentiate():
    check_grads(lambda x: tf.space_to_batch(x, [2, 2], [[1, 0], [0, 1]]), [numbers(1, 3, 3, 2)])
    check_grads(lambda x: tf.batch_to_space(x, [2, 2], [[1, 0], [0, 1]]), [numbers(4, 2, 1, 2)])


def test_blocks_are_checked():
    x = numbers(4, 6)
    refused(lambda: tf.space_to_batch(x, [4], [[1, 0]]), "length 7 with paddings, but blocks of 4")
    refused(lambda: tf.space_to_batch(x, [0], [[0, 0]]), "block_shape must be positive")
    refused(lambda: tf.space_to_batch(x, [2], [[-1, 1]]), "not negative")
    refused(lambda: tf.space_to_batch(x, [2], [[0, 0], [0, 0]]), "for each entry of block_shape")
    refused(lambda: tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]]), "one axis for each entry")
    refused(lambda: tf.batch_to_space(x, [3], [[0, 0]]), "the batch axis has length 4")
    refused(lambda: tf.batch_to_space(x, [2], [[7, 6]]), r"crops\[0\] is \[7, 6\]")


@pytest.mark.parametrize(
    ("shape", "block", "base", "paddings", "crops"),
    [
        ([5, 7], [2, 3], None, [[0, 1], [0, 2]], [[0, 1], [0, 2]]),
        ([5, 7], [2, 3], [[1, 1], [0, 2]], [[1, 2], [0, 2]], [[0, 1], [0, 0]]),
        ([4], [4], None, [[0, 0]], [[0, 0]]),
    ],
)
def test_required_paddings(shape, block, base, paddings, crops):
    found = tf.required_space_to_batch_paddings(tf.constant(shape), block, base)
    assert [t.numpy().tolist() for t in found] == [paddings, crops]
    assert all(t.dtype is tf.int32 for t in found)


def test_required_paddings_are_checked():
    refused(lambda: tf.required_space_to_batch_paddings([5, 7], [2]), "one positive block size", ValueError)
    refused(lambda: tf.required_space_to_batch_paddings([5], [0]), "one positive block size", ValueError)


def space_to_depth_loop(x, b):
    n, h, w, c = x.shape
    y = np.zeros((n, h // b, w // b, b * b * c), x.dtype)
    for i, j, r, s, k in itertools.product(range(h // b), range(w // b), range(b), range(b), range(c)):
        y[:, i, j, (r * b + s) * c + k] = x[:, i * b + r, j * b + s, k]
    return y


@pytest.mark.parametrize(("shape", "block"), [((2, 4, 2, 3), 2), ((1, 3, 6, 1), 3)])
def test_space_and_depth(shape, block):
    x = numbers(*shape)
    wanted = space_to_depth_loop(x, block)
    np.testing.assert_array_equal(tf.nn.space_to_depth(x, block).numpy(), wanted)
    np.testing.assert_array_equal(tf.nn.depth_to_space(wanted, block).numpy(), x)
    first = lambda v: np.moveaxis(v, -1, 1)  # noqa: E731
    np.testing.assert_array_equal(tf.nn.space_to_depth(first(x), block, data_format="NCHW").numpy(), first(wanted))
    np.testing.assert_array_equal(tf.nn.depth_to_space(first(wanted), block, data_format="NCHW").numpy(), first(x))


def test_space_and_depth_differentiate():
    for layout in ("NHWC", "NCHW"):
        check_grads(lambda x, f=layout: tf.nn.space_to_depth(x, 2, f), [numbers(1, 2, 2, 2)])
        check_grads(lambda x, f=layout: tf.nn.depth_to_space(x, 2, f), [numbers(1, 4, 2, 4)])


def test_space_and_depth_are_checked():
    x = numbers(1, 3, 2, 3)
    refused(lambda: tf.nn.space_to_depth(x, 2), "multiples of block_size")
    refused(lambda: tf.nn.depth_to_space(x, 2), "3 channels, but block_size is 2")
    refused(lambda: tf.nn.depth_to_space(x, 1), "use 2 or more")
    refused(lambda: tf.nn.depth_to_space(x[0], 2), "rank 4")
    refused(lambda: tf.nn.depth_to_space(x, 2, data_format="WHNC"), "data_format must be .*, got 'WHNC'")
    refused(lambda: tf.nn.depth_to_space(x, 2, "NCHW_VECT_C"), "a format of GPUs", tf.errors.UnimplementedError)


def test_reverse_sequence():
    x = np.arange(12).reshape(3, 4)
    wanted = [[0, 1, 2, 3], [5, 4, 6, 7], [11, 10, 9, 8]]
    assert tf.reverse_sequence(x, [1, 2, 4], seq_axis=1).numpy().tolist() == wanted
    assert tf.reverse_sequence(x.T, [1, 2, 4], seq_axis=0, batch_axis=1).numpy().T.tolist() == wanted
    assert tf.reverse_sequence(x, tf.constant([1, 2, 4], tf.int64), 1, 0).numpy().tolist() == wanted
    check_grads(lambda v: tf.reverse_sequence(v, [1, 2, 0], seq_axis=2, batch_axis=1), [numbers(2, 3, 2)])


def test_reverse_sequence_is_checked():
    x = numbers(3, 4)
    refused(lambda: tf.reverse_sequence(x, [1, 2, 5], 1), r"lengths\[2\] = 5 is not in")
    refused(lambda: tf.reverse_sequence(x, [1, 2, -1], 1), r"lengths\[2\] = -1 is not in")
    refused(lambda: tf.reverse_sequence(x, [1, 2], 1), "lengths is i32")
    refused(lambda: tf.reverse_sequence(x, [1, 2, 3], 0), "are both 0")
    refused(lambda: tf.reverse_sequence(x, [1, 2, 3], -1), "negative ones are not allowed")
    refused(lambda: tf.reverse_sequence(x, [1.0, 2.0, 3.0], 1), "must be integers")
    refused(lambda: tf.reverse_sequence(x, [1, 2, 3]), "seq_axis is None", TypeError)


def test_sequence_mask():
    assert tf.sequence_mask([1, 3, 2]).numpy().tolist() == [[1, 0, 0], [1, 1, 1], [1, 1, 0]]
    assert tf.sequence_mask([1, 3, 2]).dtype is tf.bool
    assert tf.sequence_mask([[1], [2]], 2, tf.float32).numpy().tolist() == [[[1.0, 0.0]], [[1.0, 1.0]]]
    assert tf.sequence_mask(2, tf.constant(3), dtype="int32").numpy().tolist() == [1, 1, 0]
    assert tf.sequence_mask([-1, 2], 2).numpy().tolist() == [[0, 0], [1, 1]]
    assert tf.sequence_mask([1.5], 3).numpy().tolist() == [[1, 0, 0]]
    assert tf.sequence_mask([1.5, 0.5]).numpy().tolist() == [[1, 1], [1, 0]]
    assert tf.sequence_mask(tf.zeros([0], tf.int32)).shape == [0, 0]
    assert tf.sequence_mask(tf.constant([2], tf.uint8), 300).numpy().sum() == 2
    refused(lambda: tf.sequence_mask([1], [3]), "`maxlen` must be scalar", ValueError)


def test_sequence_mask_in_a_map():
    lengths = tf.constant([1, 3])
    assert tf.vectorized_map(lambda n: tf.sequence_mask(n, 3), lengths).numpy().tolist() == [[1, 0, 0], [1, 1, 1]]


def volume_patches_loop(x, sizes, steps, padding):
    if padding == "SAME":
        pads = []
        for n, k, s in zip(x.shape[1:4], sizes, steps, strict=True):
            more = max((int(np.ceil(n / s)) - 1) * s + k - n, 0)
            pads.append((more // 2, more - more // 2))
        x = np.pad(x, [(0, 0), *pads, (0, 0)])
    counts = [max((n - k) // s + 1, 0) for n, k, s in zip(x.shape[1:4], sizes, steps, strict=True)]
    y = np.zeros((x.shape[0], *counts, int(np.prod(sizes)) * x.shape[4]), x.dtype)
    for place in np.ndindex(*counts):
        cut = tuple(slice(p * s, p * s + k) for p, s, k in zip(place, steps, sizes, strict=True))
        y[(slice(None), *place)] = x[(slice(None), *cut)].reshape(x.shape[0], -1)
    return y


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
@pytest.mark.parametrize(("sizes", "steps"), [((2, 2, 2), (1, 1, 1)), ((1, 3, 2), (2, 1, 3)), ((4, 1, 1), (1, 2, 2))])
def test_volume_patches(padding, sizes, steps):
    x = numbers(2, 3, 4, 3, 2)
    found = tf.extract_volume_patches(x, [1, *sizes, 1], [1, *steps, 1], padding)
    np.testing.assert_array_equal(found.numpy(), volume_patches_loop(x, sizes, steps, padding))


def test_volume_patches_differentiate_and_are_checked():
    x = numbers(1, 2, 3, 2, 1)
    check_grads(lambda v: tf.extract_volume_patches(v, [1, 2, 2, 1, 1], [1, 1, 2, 1, 1], "SAME"), [x])
    one = [1] * 5
    refused(lambda: tf.extract_volume_patches(x, [1, 1], one, "VALID"), "five positive ints")
    refused(lambda: tf.extract_volume_patches(x, one, one, "FULL"), "padding must be .* got 'FULL")
    refused(lambda: tf.extract_volume_patches(x[0], one, one, "VALID"), "rank 5")
    wide = [2, 1, 1, 1, 1]
    refused(lambda: tf.extract_volume_patches(x, wide, one, "VALID"), "must be 1", tf.errors.UnimplementedError)
