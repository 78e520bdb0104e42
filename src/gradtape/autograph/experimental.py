"""`tf.autograph.experimental`: options for rewriting, and for loops over tensors."""

from gradtape.autograph._public import Feature, do_not_convert, set_loop_options

__all__ = ["Feature", "do_not_convert", "set_loop_options"]
