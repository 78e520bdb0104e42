"""The result of `restore`, with checks of what was found."""

from __future__ import annotations

from typing import Any

from gradtape.core import errors
from gradtape.train._restore import Restoration, shown
from gradtape.train._state_cells import ATTRIBUTES


class Status:
    """The result of `restore`, with checks of what was found.

    The names are those of TensorFlow. All of the assertions return the status itself, and first give values to objects that
    were made since.
    """

    def __init__(self, restoration: Restoration, root: Any) -> None:
        self._restoration, self._root = restoration, root

    def assert_consumed(self) -> Status:
        """AssertionError unless every saved value went to a variable, and every variable got one."""
        self.assert_existing_objects_matched()
        unused = self._restoration.unused()
        if unused:
            raise errors.build(
                AssertionError,
                f"{len(unused)} values of checkpoint {self._restoration.source} were not used. Unused attributes: "
                f"{shown([_attribute(key) for key in unused])}",
                "restore with the objects that were saved, or say status.expect_partial().",
            )
        return self

    def assert_existing_objects_matched(self) -> Status:
        """AssertionError unless every variable that exists now got a value."""
        self._restoration.search()
        missing = self._restoration.unmatched(self._root)
        if missing:
            raise errors.build(
                AssertionError,
                f"Found {len(missing)} Python objects that were not bound to checkpointed values: "
                f"{shown([f'{v.name} {v.shape}' for v in missing])}",
                "compare their attribute names with tf.train.list_variables(path): paths have to be equal.",
            )
        return self

    def assert_nontrivial_match(self) -> Status:
        """AssertionError if no value at all went to a variable."""
        self._restoration.search()
        unused = self._restoration.unused()
        if unused and all(key.startswith("save_counter/") for key in self._restoration.used()):
            raise errors.build(
                AssertionError,
                f"Nothing of checkpoint {self._restoration.source} matched the objects: {shown(unused)}",
                "attribute names lead to the values: use those with which it was saved.",
            )
        return self

    def expect_partial(self) -> Status:
        """Be silent about values that nothing takes."""
        self._restoration.is_partial = True
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing: values are there already."""

    run_restore_ops = initialize_or_restore


def _attribute(key: str) -> str:
    """The attribute in which a saved value belongs, seen from the root."""
    return ".".join(["(root)", *key.partition(f"/{ATTRIBUTES}")[0].split("/")])


class NothingRestored:
    """The result of `restore(None)`: without a checkpoint, variables keep their initial values."""

    def assert_consumed(self) -> NothingRestored:
        """Always AssertionError."""
        raise errors.build(
            AssertionError,
            "No checkpoint specified (save_path=None); nothing is being restored.",
            "tf.train.latest_checkpoint(folder) is None if there is no checkpoint: check it first.",
        )

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def expect_partial(self) -> NothingRestored:
        """The status itself."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing: variables are initialised when they are made."""

    run_restore_ops = initialize_or_restore
