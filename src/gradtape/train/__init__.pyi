# Written by tools/stubs.py.
# ruff: noqa
from gradtape.distribute._cluster_spec import ClusterSpec
from gradtape.protos.example import BytesList
from gradtape.protos.example import Example
from gradtape.protos.example import Feature
from gradtape.protos.example import FeatureList
from gradtape.protos.example import FeatureLists
from gradtape.protos.example import Features
from gradtape.protos.example import FloatList
from gradtape.protos.example import Int64List
from gradtape.protos.example import SequenceExample
from gradtape.train import experimental
from gradtape.train._checkpoint import Checkpoint
from gradtape.train._checkpoint import CheckpointOptions
from gradtape.train._cluster import Coordinator
from gradtape.train._manager import CheckpointManager
from gradtape.train._moving_average import ExponentialMovingAverage
from gradtape.train._reader import list_variables
from gradtape.train._reader import load_checkpoint
from gradtape.train._reader import load_variable
from gradtape.train._state_file import checkpoints_iterator
from gradtape.train._state_file import get_checkpoint_state
from gradtape.train._state_file import latest_checkpoint
from gradtape.train._views import CheckpointView
from gradtape.train._views import TrackableView

__all__ = [
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "CheckpointView",
    "ClusterSpec",
    "Coordinator",
    "Example",
    "ExponentialMovingAverage",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "Int64List",
    "SequenceExample",
    "TrackableView",
    "checkpoints_iterator",
    "experimental",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]
