"""`tf.train`: checkpoints, and the messages that records consist of."""

from gradtape.core import lazy

_LATER = {
    "gradtape.train._checkpoint": "Checkpoint CheckpointOptions",
    "gradtape.train._state_file": "checkpoints_iterator get_checkpoint_state latest_checkpoint",
    "gradtape.train._manager": "CheckpointManager",
    "gradtape.train._reader": "list_variables load_checkpoint load_variable",
    "gradtape.train._moving_average": "ExponentialMovingAverage",
    "gradtape.train._views": "CheckpointView TrackableView",
    "gradtape.train._cluster": "ClusterSpec Coordinator",
    "gradtape.protos.example": (
        "BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample"
    ),
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

__all__ = [
    *_later,
]
