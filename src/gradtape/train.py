"""`tf.train`: checkpoints, and the messages that records consist of."""

from gradtape.core import lazy

_LATER = {
    "gradtape.names.checkpoints.checkpoint": "Checkpoint CheckpointOptions",
    "gradtape.names.checkpoints.directory": "checkpoints_iterator get_checkpoint_state latest_checkpoint",
    "gradtape.names.checkpoints.manager": "CheckpointManager",
    "gradtape.names.checkpoints.reader": "list_variables load_checkpoint load_variable",
    "gradtape.names.averages": "ExponentialMovingAverage",
    "gradtape.names.checkpoints.views": "CheckpointView TrackableView",
    "gradtape.names.cluster": "ClusterSpec Coordinator",
    "gradtape.names.protos.examples": (
        "BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample"
    ),
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

__all__ = [
    *_later,
]
