"""Functions with TensorFlow's names and signatures: arguments become tensors, then ops run."""
