"""`tf.train.Example` and the messages that it consists of."""

from __future__ import annotations

from typing import ClassVar

from gradtape.protos.fields import Field
from gradtape.protos.message import Message


class BytesList(Message):
    """A list of byte strings.

    >>> tf.train.BytesList(value=[b"a", b"b"]).value[1]
    b'b'
    """

    FIELDS: ClassVar = {"value": Field(1, "bytes", "repeated")}


class FloatList(Message):
    """A list of floats, of 32 bits each.

    >>> tf.train.FloatList(value=[0.5, 1.5]).value[:]
    [0.5, 1.5]
    """

    FIELDS: ClassVar = {"value": Field(1, "float", "repeated")}


class Int64List(Message):
    """A list of integers.

    >>> len(tf.train.Int64List(value=range(3)).value)
    3
    """

    FIELDS: ClassVar = {"value": Field(1, "int64", "repeated")}


class Feature(Message):
    """One of `bytes_list`, `float_list` and `int64_list`.

    >>> tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2])).WhichOneof("kind")
    'int64_list'
    """

    FIELDS: ClassVar = {
        "bytes_list": Field(1, BytesList, oneof="kind"),
        "float_list": Field(2, FloatList, oneof="kind"),
        "int64_list": Field(3, Int64List, oneof="kind"),
    }


class Features(Message):
    """Features by name.

    >>> features = tf.train.Features()
    >>> features.feature["x"].float_list.value.append(0.5)
    >>> list(features.feature)
    ['x']
    """

    FIELDS: ClassVar = {"feature": Field(1, Feature, "map")}


class FeatureList(Message):
    """The features of the steps of a sequence.

    >>> steps = tf.train.FeatureList()
    >>> steps.feature.add().int64_list.value.extend([1, 2])
    >>> len(steps.feature)
    1
    """

    FIELDS: ClassVar = {"feature": Field(1, Feature, "repeated")}


class FeatureLists(Message):
    """Lists of features by name."""

    FIELDS: ClassVar = {"feature_list": Field(1, FeatureList, "map")}


class Example(Message):
    """A record of features, as TFRecord files hold them.

    >>> x = tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"x": x}))
    >>> data = example.SerializeToString()
    >>> tf.train.Example.FromString(data).features.feature["x"].float_list.value
    [1.0, 2.0]
    """

    FIELDS: ClassVar = {"features": Field(1, Features)}


class SequenceExample(Message):
    """A record of features (`context`), and of lists of features, one for each step of a sequence (`feature_lists`).

    >>> record = tf.train.SequenceExample()
    >>> record.context.feature["length"].int64_list.value.append(2)
    >>> for word in (b"to", b"be"):
    ...     record.feature_lists.feature_list["words"].feature.add().bytes_list.value.append(word)
    >>> tf.train.SequenceExample.FromString(record.SerializeToString()) == record
    True
    """

    FIELDS: ClassVar = {"context": Field(1, Features), "feature_lists": Field(2, FeatureLists)}
