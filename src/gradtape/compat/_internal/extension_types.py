"""Parts of extension types under the names of TensorFlow's inside."""

from gradtape.toplevel.extension_fields import ExtensionTypeField, ImmutableDict

__all__ = ["ExtensionTypeField", "ImmutableDict"]
