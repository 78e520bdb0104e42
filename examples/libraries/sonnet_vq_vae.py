"""A small VQ-VAE with Sonnet: encoder, vector quantizer with moving averages, decoder.

gradtape run examples/libraries/sonnet_vq_vae.py
"""

import numpy as np
import sonnet as snt
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.RandomState(0)
centres = rng.randn(4, 8).astype("float32")
data = tf.constant(centres[rng.randint(4, size=256)] + 0.05 * rng.randn(256, 8).astype("float32"))

encoder, decoder = snt.nets.MLP([16, 2]), snt.nets.MLP([16, 8])
quantizer = snt.nets.VectorQuantizerEMA(embedding_dim=2, num_embeddings=8, commitment_cost=0.25, decay=0.95)
optimizer = snt.optimizers.Adam(1e-2)


@tf.function
def step(batch):
    """One step of training; returns the loss."""
    with tf.GradientTape() as tape:
        quantized = quantizer(encoder(batch), is_training=True)
        loss = tf.reduce_mean((decoder(quantized["quantize"]) - batch) ** 2) + quantized["loss"]
    weights = encoder.trainable_variables + decoder.trainable_variables
    optimizer.apply(tape.gradient(loss, weights), weights)
    return loss


losses = [float(step(data)) for _ in range(300)]
assert losses[-1] < 0.3 * losses[0]
print(f"loss from {losses[0]:.3f} to {losses[-1]:.3f}")
