"""Lookup tables as descriptions: their attributes, keys and values."""

from __future__ import annotations

from typing import Any

from gradtape.lookup._table import Table
from gradtape.saved_model import _references as references
from gradtape.saved_model._json_values import Reader, Writer


def describe_table(writer: Writer, table: Table) -> Any:
    """The description of a table in its present state."""
    attributes = {name: writer.describe(v) for name, v in vars(table).items() if name != "known"}
    return [references.name_of(type(table)), attributes, *[writer.describe(array) for array in table.contents()]]


def restored_table(reader: Reader, content: Any) -> Table:
    """A table from its description."""
    kind, attributes, *arrays = content
    made: type[Table] = references.class_of(kind, Table)
    if shadowing := [name for name in attributes if hasattr(made, name)]:
        raise TypeError(f"a table has the attribute {shadowing[0]!r}")
    table = made.__new__(made)
    vars(table).update({name: reader.value(v) for name, v in attributes.items()})
    keys, values = [reader.value(array) for array in arrays]
    rows = list(values) if table.value_shape else values.tolist()
    table.known = dict(zip(keys.tolist(), rows, strict=True))
    return table
