"""Saved models in the format of TensorFlow, which are not written here: Keras's own formats are."""

from __future__ import annotations

from typing import Any


class KerasModeKeys:
    """The modes of a model."""

    TRAIN = "train"
    TEST = "test"
    PREDICT = "predict"


def _left_out(what: str) -> Any:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(
            f"{what} is left out: TensorFlow's SavedModel format is not written or read.\n"
            "  fix: save models with model.save('name.keras') or model.save_weights, functions with tf.saved_model.save."
        )

    return refuse


decode_proto = _left_out("decode_proto")
encode_structure = _left_out("encode_structure")
save_and_return_nodes = _left_out("save_and_return_nodes")
load_partial = _left_out("load_partial")
parse_saved_model = _left_out("parse_saved_model")
create_c_op = _left_out("create_c_op")


class VersionedTypeRegistration:
    """How an object of a saved model would be made again."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass


def register_revived_type(identifier: str, predicate: Any, versions: Any) -> None:
    """Nothing: saved models of TensorFlow's format are not read."""


def registered_identifiers() -> tuple[str, ...]:
    """No kind of object is registered."""
    return ()


def get_setter(proto: Any) -> None:
    """None: nothing is set."""


class _LoadContext:
    """Whether a saved model is being read."""

    def in_load_context(self) -> bool:
        """False: none is."""
        return False


load_context = _LoadContext()


def get_json_type(obj: Any) -> Any:
    """An object as JSON can hold it."""
    if hasattr(obj, "get_config"):
        return {"class_name": type(obj).__name__, "config": obj.get_config()}
    if hasattr(obj, "tolist"):
        return obj.tolist()
    if callable(obj):
        return obj.__name__
    raise TypeError(f"Object {obj} is not JSON-serializable.")
