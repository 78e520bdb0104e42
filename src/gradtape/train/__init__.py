"""`tf.train`: checkpoints, and the messages that records consist of.

A checkpoint holds the values of variables, found again by the names of the attributes that lead to them.

    _checkpoint.py      tf.train.Checkpoint: variables of objects to a file and back
    _cluster.py         Coordinator: threads that stop together
    _file_format.py     The file of a checkpoint: arrays under names, and a description in JSON
    _manager.py         tf.train.CheckpointManager: checkpoints of a program in a folder; old ones go
    _moving_average.py  ExponentialMovingAverage: variables that follow others slowly
    _object_graph.py    What an object consists of, for checkpoints: names and parts
    _opening.py         Opening a checkpoint by its path: a file of its own, or the variables of a saved model
    _reader.py          Values of a checkpoint by name, without the objects that they belong to
    _restore.py         Values of a checkpoint go to the variables with the same path: at once, or when those are made
    _state_cells.py     State that is not in variables: strings of `PythonState`, and tensors by name
    _state_file.py      The file `checkpoint` in a folder: which checkpoints are there, and which is the latest
    _status.py          What `restore` returns: questions about what was found
    experimental.py     A base of objects that say themselves what is kept of them
    _views.py           Views of objects, and of those that a checkpoint holds, as trees of named parts
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.train.experimental": "*",
    "gradtape.train._checkpoint": "Checkpoint CheckpointOptions",
    "gradtape.train._state_file": "checkpoints_iterator get_checkpoint_state latest_checkpoint",
    "gradtape.train._manager": "CheckpointManager",
    "gradtape.train._reader": "list_variables load_checkpoint load_variable",
    "gradtape.train._moving_average": "ExponentialMovingAverage",
    "gradtape.train._views": "CheckpointView TrackableView",
    "gradtape.train._cluster": "Coordinator",
    "gradtape.distribute._cluster_spec": "ClusterSpec",
    "gradtape.protos.example": (
        "BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample"
    ),
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

__all__ = [
    *_later,
]
