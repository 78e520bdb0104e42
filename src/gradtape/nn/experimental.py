"""`tf.nn.experimental`: dropout with a sampler or a seed of one's own."""

from gradtape.core import deferral
from gradtape.nn._dropout import general_dropout, stateless_dropout

__all__ = ["general_dropout", "stateless_dropout"]

deferral.shows(__name__)  # however it was imported, its functions are adapted
