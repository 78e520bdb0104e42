"""Attention, against softmax written out."""

import numpy as np
import pytest
import scipy.special

import gradtape as tf
from gradtape.ops import attention
from gradtape.ops.attention import Attention, AttentionGrad
from gradtape.testing import check_grads

random = np.random.default_rng(31)
Q, K, V = random.normal(size=(2, 3, 2, 4)), random.normal(size=(2, 5, 2, 4)), random.normal(size=(2, 5, 2, 3))
BIAS = random.normal(size=(2, 1, 3, 5))
MASK = random.random((2, 2, 3, 5)) > 0.3
MASK[..., 0] = True


def written_out(q, k, v, bias=0.0, mask=True, scale=None, is_causal=False):
    q, k, v = (np.moveaxis(x, -2, -3) for x in (q, k, v))
    repeat = q.shape[-3] // k.shape[-3]
    k, v = np.repeat(k, repeat, axis=-3), np.repeat(v, repeat, axis=-3)
    scores = np.einsum("...td,...sd->...ts", q, k) * (1 / np.sqrt(q.shape[-1]) if scale is None else scale) + bias
    if is_causal:
        mask = mask & np.tri(*scores.shape[-2:], dtype=bool)
    p = scipy.special.softmax(np.where(mask, scores, -np.inf), axis=-1)
    return np.moveaxis(np.einsum("...ts,...se->...te", p, v), -3, -2)


OPTIONS = [
    {},
    {"scale": 2.0},
    {"bias": BIAS},
    {"bias": BIAS[0, 0, 0]},
    {"bias": np.float64(2.0)},
    {"mask": MASK},
    {"mask": MASK[0, 0]},
    {"bias": BIAS, "mask": MASK, "is_causal": True},
    {"is_causal": True},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "-".join(o) or "plain")
def test_attention(options):
    np.testing.assert_allclose(tf.nn.dot_product_attention(Q, K, V, **options), written_out(Q, K, V, **options))
    check_grads(lambda *x: tf.nn.dot_product_attention(*x, **options), (Q, K, V))


@pytest.mark.parametrize("options", OPTIONS[2:], ids="-".join)
def test_heads_that_share_a_key(options):
    q = random.normal(size=(2, 3, 4, 4))
    options = {**options, "mask": np.repeat(MASK, 2, axis=1)} if "mask" in options else options
    np.testing.assert_allclose(tf.nn.dot_product_attention(q, K, V, **options), written_out(q, K, V, **options))
    check_grads(lambda *x: tf.nn.dot_product_attention(*x, **options), (q, K, V), order=1)


def test_leading_axes():
    options = {"bias": BIAS[0], "is_causal": True}
    np.testing.assert_allclose(
        tf.nn.dot_product_attention(Q[0], K[0], V[0], **options), written_out(Q, K, V, **options)[0]
    )
    shared = tf.nn.dot_product_attention(Q, K[:1], V[0])
    np.testing.assert_allclose(shared, written_out(Q, K[:1], V[:1]))
    check_grads(lambda *x: tf.nn.dot_product_attention(*x), (Q, K[:1], V[0]), order=1)


@pytest.mark.parametrize("shape", [(3, 5), (1, 3, 1), (2, 1, 1, 5), (1, 1, 1, 1)])
def test_gradient_of_the_bias(shape):
    bias = random.normal(size=shape)
    check_grads(lambda q, b: tf.nn.dot_product_attention(q, K, V, b), (Q, bias))


def test_a_query_that_sees_no_key_gives_zeros():
    mask = MASK.copy()
    mask[0, 0, 1] = False
    q, k, v, bias = (tf.constant(x) for x in (Q, K, V, BIAS))
    with tf.GradientTape(persistent=True) as outer:
        outer.watch([q, k, v, bias])
        with tf.GradientTape() as tape:
            tape.watch([q, k, v, bias])
            y = tf.nn.dot_product_attention(q, k, v, bias, mask)
            loss = tf.reduce_sum(y**2)
        grads = tape.gradient(loss, [q, k, v, bias])
        total = tf.add_n([tf.reduce_sum(g**2) for g in grads])
    assert (y[0, 1, 0].numpy() == 0).all()
    assert (grads[0][0, 1, 0].numpy() == 0).all()
    for g in [*grads, *outer.gradient(total, [q, k, v, bias])]:
        assert np.isfinite(g.numpy()).all()
    nothing = tf.nn.dot_product_attention(Q, K, V, mask=False)
    assert (nothing.numpy() == 0).all()


def test_scores_over_the_whole_range():
    y = tf.nn.dot_product_attention(1e30 * Q.astype(np.float32), K.astype(np.float32), V.astype(np.float32), scale=1.0)
    assert np.isfinite(y.numpy()).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_dtypes(dtype):
    y = tf.nn.dot_product_attention(*[tf.cast(x, dtype) for x in (Q, K, V)])
    assert y.dtype.name == dtype
    np.testing.assert_allclose(tf.cast(y, tf.float64), written_out(Q, K, V), atol=4e-2 if "16" in dtype else 1e-6)


def by_heads(g, q, k, v, bias, params):
    """The result and the cotangents, one head at a time."""
    wide = np.broadcast_to(bias, (*q.shape[:-1], bias.shape[-1]))
    result, total = np.zeros(g.shape), np.zeros(wide.shape)
    grads = [np.zeros(x.shape) for x in (q, k, v)]
    for head in np.ndindex(*q.shape[:-2]):
        parts = [x[head] for x in (q, k, v, wide)]
        result[head] = Attention(*parts, **params)
        *mine, total[head] = AttentionGrad(g[head], *parts, **params, biased=True)
        for d, m in zip(grads, mine, strict=True):
            d[head] = m
    shape = (1,) * (wide.ndim - bias.ndim) + bias.shape
    axis = tuple(i for i, n in enumerate(shape) if n == 1 and wide.shape[i] > 1)
    return result, *grads, total.sum(axis=axis, keepdims=True).reshape(bias.shape)


@pytest.mark.parametrize("bias_shape", [(1, 1), (7, 9), (2, 1, 1, 9), (3, 7, 9), (2, 3, 7, 9)])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("block", [20, 130])
def test_blocks_of_rows_and_of_heads(monkeypatch, bias_shape, causal, block):
    inputs = [random.normal(size=(2, 3, n, d)) for n, d in ((7, 5), (7, 4), (9, 4), (9, 5))]
    bias, params = random.normal(size=bias_shape), {"scale": 0.3, "causal": causal}
    wanted = by_heads(*inputs, bias, params)
    monkeypatch.setattr(attention, "_BLOCK", block)
    got = Attention(*inputs[1:], bias, **params), *AttentionGrad(*inputs, bias, **params, biased=True)
    for a, b in zip(got, wanted, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_large_arrays():
    inputs = [random.normal(size=(1, 2, n, d)) for n, d in ((300, 5), (300, 8), (400, 8), (400, 5))]
    bias, params = random.normal(size=(300, 400)), {"scale": 0.3, "causal": True}
    narrow = [x.astype(np.float32) for x in (*inputs, bias)]
    got = Attention(*narrow[1:], **params), *AttentionGrad(*narrow, **params, biased=True)
    for a, b in zip(got, by_heads(*inputs, bias, params), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-4)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"key": K[..., :3]}, ValueError, "key is f64[2,5,2,3]"),
        ({"value": V[:, :4]}, ValueError, "value is f64[2,4,2,3]"),
        ({"key": K[:, :, :1], "value": V}, ValueError, "give [..., t, heads, dim]"),
        ({"query": Q[:, :, :1]}, ValueError, "query is f64[2,3,1,4]"),
        ({"query": Q[0, 0]}, ValueError, "query is f64[2,4]"),
        ({"bias": np.ones((4, 5))}, ValueError, "bias is f64[4,5], but there are [2, 2, 3, 5] pairs"),
        ({"mask": np.ones((3, 5))}, TypeError, "mask must be bool, got f64[3,5]"),
        ({"mask": np.ones((3, 4), bool)}, ValueError, "mask is bool[3,4]"),
        ({"value": V.astype(np.float32)}, TypeError, "dtypes differ"),
    ],
)
def test_refusals(change, error, words):
    with pytest.raises(error) as caught:
        tf.nn.dot_product_attention(**{"query": Q, "key": K, "value": V, **change})
    assert words in str(caught.value)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("sources", [1, 3])
def test_functions_compile_it_whatever_gradients_are_asked_for(causal, masked, sources):
    rng = np.random.default_rng(0)
    given = [tf.constant(rng.normal(size=(2, n, 4, 8)), tf.float32) for n in (5, 6, 6)]
    mask = rng.uniform(size=(2, 1, 5, 6)) < 0.5
    mask[0, 0, 2] = False  # a query that sees no key

    def gradients(*given):
        with tf.GradientTape() as tape:
            tape.watch(given)
            y = tf.nn.dot_product_attention(*given, mask=mask if masked else None, is_causal=causal)
            loss = tf.reduce_sum(tf.square(y))
        return [y, *tape.gradient(loss, given[:sources])]

    compiled = tf.function(gradients)
    for found, wanted in zip(compiled(*given), gradients(*given), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-6)
    assert not compiled.explain().traces[0].outside


def test_many_weights_are_not_kept_in_memory_together():
    function = tf.function(lambda x: tf.nn.dot_product_attention(x, x, x) + 1.0)
    function(tf.zeros([1, 2049, 1, 2]))
    assert "dot_product_attention" in [op.op for op in function.explain().traces[0].outside]
