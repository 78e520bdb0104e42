"""`tf.autograph.experimental`: what to rewrite, and how loops over tensors run."""

from gradtape.autograph._public import Feature, do_not_convert, set_loop_options

__all__ = ["Feature", "do_not_convert", "set_loop_options"]
