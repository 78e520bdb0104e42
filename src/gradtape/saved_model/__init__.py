"""`tf.saved_model`: objects with their traced functions in a folder.

Objects with their variables and traced functions in a folder, to be used without their source.

    _as_checkpoint.py  The variables of a saved model as a checkpoint, for `tf.train`
    _assets.py         Files that belong to a saved object: vocabularies and the like
    _datasets.py       Datasets in functions that are saved: their stages and traced functions as descriptions, and back
    _directory.py      The folder of a saved model
    _functions.py      Functions and signatures as descriptions, and back
    _graph_reader.py   Traces from descriptions
    _graph_writer.py   Traces as descriptions: their graphs, and the recordings from which their derivatives are made
    _json_values.py    Values as JSON: numbers, texts and lists as they are
    _load.py           `tf.saved_model.load` and `contains_saved_model`
    _names.py          Everything of gradtape that the file of a saved model may name, by module
    _object_graph.py   The object that is saved: what it consists of, and what stands for it after loading
    _options.py        Options of saving and loading
    _references.py     Ops, functions and classes of the library by name, so that a description can speak of them
    _renamed.py        Modules that have moved
    _save.py           `tf.saved_model.save`
    _tables.py         Lookup tables as descriptions: their attributes, keys and values
    _verify.py         Graphs that were read from a file are checked before anything is compiled
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.saved_model._assets": "Asset",
    "gradtape.saved_model._save": "save",
    "gradtape.saved_model._load": "contains_saved_model load",
    "gradtape.saved_model._options": "LoadOptions SaveOptions",
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

# Names in TensorFlow's folders, and of its servers.
ASSETS_DIRECTORY, VARIABLES_DIRECTORY, DEBUG_DIRECTORY = "assets", "variables", "debug"
ASSETS_KEY, VARIABLES_FILENAME = "saved_model_assets", "variables"
SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT = "saved_model.pb", "saved_model.pbtxt"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
PREDICT_INPUTS, PREDICT_METHOD_NAME, PREDICT_OUTPUTS = "inputs", "tensorflow/serving/predict", "outputs"
REGRESS_INPUTS, REGRESS_METHOD_NAME, REGRESS_OUTPUTS = "inputs", "tensorflow/serving/regress", "outputs"
CLASSIFY_INPUTS, CLASSIFY_METHOD_NAME = "inputs", "tensorflow/serving/classify"
CLASSIFY_OUTPUT_CLASSES, CLASSIFY_OUTPUT_SCORES = "classes", "scores"
GPU, SERVING, TPU, TRAINING = "gpu", "serve", "tpu", "train"

__all__ = [
    "ASSETS_DIRECTORY", "ASSETS_KEY", "CLASSIFY_INPUTS", "CLASSIFY_METHOD_NAME", "CLASSIFY_OUTPUT_CLASSES",
    "CLASSIFY_OUTPUT_SCORES", "DEBUG_DIRECTORY", "DEFAULT_SERVING_SIGNATURE_DEF_KEY", "GPU", "PREDICT_INPUTS",
    "PREDICT_METHOD_NAME", "PREDICT_OUTPUTS", "REGRESS_INPUTS", "REGRESS_METHOD_NAME", "REGRESS_OUTPUTS",
    "SAVED_MODEL_FILENAME_PB", "SAVED_MODEL_FILENAME_PBTXT", "SERVING", "TPU", "TRAINING", "VARIABLES_DIRECTORY",
    "VARIABLES_FILENAME", *_later,
]  # fmt: skip
