"""Examples, sequences of examples, CSV, raw bytes, JSON."""

from behaviour import case


def example(tf, **features):
    made = {}
    for name, values in features.items():
        if values and isinstance(values[0], bytes):
            made[name] = tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
        elif values and isinstance(values[0], float):
            made[name] = tf.train.Feature(float_list=tf.train.FloatList(value=values))
        else:
            made[name] = tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()


def three(tf):
    return [
        example(tf, a=[1, 2], b=[b"x"], c=[1.5]),
        example(tf, a=[3, 4], b=[], c=[2.5, 3.5]),
        example(tf, a=[5, 6], b=[b"y", b"z"]),
    ]


@case
def fixed_length(tf):
    return tf.io.parse_example(three(tf), {"a": tf.io.FixedLenFeature([2], tf.int64)})


@case
def fixed_length_default(tf):
    return tf.io.parse_example(
        three(tf),
        {
            "q": tf.io.FixedLenFeature([], tf.string, default_value="none"),
            "r": tf.io.FixedLenFeature([2], tf.float32, default_value=[1.0, 2.0]),
        },
    )


@case
def fixed_length_missing(tf):
    return tf.io.parse_example(three(tf), {"q": tf.io.FixedLenFeature([], tf.int64)})


@case
def fixed_length_of_another_size(tf):
    return tf.io.parse_example(three(tf), {"a": tf.io.FixedLenFeature([3], tf.int64)})


@case
def fixed_length_of_another_dtype(tf):
    return tf.io.parse_example(three(tf), {"a": tf.io.FixedLenFeature([2], tf.float32)})


@case
def variable_length(tf):
    return tf.io.parse_example(three(tf), {"b": tf.io.VarLenFeature(tf.string), "c": tf.io.VarLenFeature(tf.float32)})


@case
def sequences_of_any_length(tf):
    feature = tf.io.FixedLenSequenceFeature([], tf.float32, allow_missing=True, default_value=-1.0)
    return tf.io.parse_example(three(tf), {"c": feature})


@case
def sequences_without_allow_missing(tf):
    return tf.io.parse_example(three(tf), {"c": tf.io.FixedLenSequenceFeature([], tf.float32)})


@case
def ragged_features(tf):
    return tf.io.parse_example(
        three(tf),
        {"b": tf.io.RaggedFeature(tf.string), "c": tf.io.RaggedFeature(tf.float32, row_splits_dtype=tf.int64)},
    )


@case
def ragged_with_partitions(tf):
    data = [example(tf, v=[1, 2, 3], n=[1, 2]), example(tf, v=[4], n=[1])]
    return tf.io.parse_example(
        data, {"r": tf.io.RaggedFeature(tf.int64, value_key="v", partitions=[tf.io.RaggedFeature.RowLengths("n")])}
    )


@case
def ragged_uniform(tf):
    data = [example(tf, v=[1, 2, 3, 4]), example(tf, v=[5, 6])]
    return tf.io.parse_example(
        data, {"v": tf.io.RaggedFeature(tf.int64, partitions=[tf.io.RaggedFeature.UniformRowLength(2)])}
    )


@case
def sparse_features(tf):
    data = [example(tf, i=[3, 1], v=[1.0, 2.0]), example(tf, i=[0], v=[5.0])]
    return tf.io.parse_example(data, {"s": tf.io.SparseFeature("i", "v", tf.float32, 4)})


@case
def sparse_features_already_sorted(tf):
    data = [example(tf, i=[3, 1], v=[1.0, 2.0])]
    return tf.io.parse_example(data, {"s": tf.io.SparseFeature("i", "v", tf.float32, 4, already_sorted=True)})


@case
def sparse_features_out_of_range(tf):
    return tf.io.parse_example([example(tf, i=[7], v=[1.0])], {"s": tf.io.SparseFeature("i", "v", tf.float32, 4)})


@case
def sparse_features_of_two_axes(tf):
    data = [example(tf, i=[0, 1], j=[2, 0], v=[1.0, 2.0])]
    return tf.io.parse_example(data, {"s": tf.io.SparseFeature(["i", "j"], "v", tf.float32, [2, 3])})


@case(
    features=[
        "{}",
        "None",
        "{'a': 3}",
        "{'a': tf.io.FixedLenFeature([2], tf.int32)}",
        "{'a': tf.io.FixedLenFeature([None], tf.int64)}",
        "{'a': tf.io.FixedLenFeature(None, tf.int64)}",
    ]
)
def bad_features(tf, features):
    return tf.io.parse_example(three(tf), eval(features, {"tf": tf}))


@case
def scalar_of_parse_example(tf):
    return tf.io.parse_example(
        three(tf)[0], {"a": tf.io.FixedLenFeature([2], tf.int64), "b": tf.io.VarLenFeature(tf.string)}
    )


@case
def single(tf):
    features = {
        "a": tf.io.FixedLenFeature([2], tf.int64),
        "b": tf.io.VarLenFeature(tf.string),
        "c": tf.io.RaggedFeature(tf.float32),
    }
    return tf.io.parse_single_example(three(tf)[0], features)


@case
def single_of_a_vector(tf):
    return tf.io.parse_single_example(three(tf), {"a": tf.io.FixedLenFeature([2], tf.int64)})


@case
def nothing_to_parse(tf):
    return tf.io.parse_example(
        tf.constant([], tf.string), {"a": tf.io.FixedLenFeature([2], tf.int64), "b": tf.io.VarLenFeature(tf.string)}
    )


@case
def not_an_example(tf):
    return tf.io.parse_example([b"oops"], {"a": tf.io.FixedLenFeature([], tf.int64)})


@case
def in_a_dataset(tf):
    features = {"a": tf.io.FixedLenFeature([2], tf.int64), "c": tf.io.VarLenFeature(tf.float32)}
    d = tf.data.Dataset.from_tensor_slices(three(tf)).batch(2).map(lambda s: tf.io.parse_example(s, features))
    return list(d)


@case
def in_a_function(tf):
    f = tf.function(lambda s: tf.io.parse_single_example(s, {"a": tf.io.FixedLenFeature([2], tf.int64)})["a"])
    return f(tf.constant(three(tf)[1]))


def sequence(tf):
    lists = {"words": [[b"a", b"b"], [b"c"]], "ids": [[1], [2]]}
    made = {}
    for name, steps in lists.items():
        kind = (
            (lambda v: tf.train.Feature(bytes_list=tf.train.BytesList(value=v)))
            if name == "words"
            else (lambda v: tf.train.Feature(int64_list=tf.train.Int64List(value=v)))
        )
        made[name] = tf.train.FeatureList(feature=[kind(v) for v in steps])
    context = tf.train.Features(feature={"n": tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))})
    return tf.train.SequenceExample(
        context=context, feature_lists=tf.train.FeatureLists(feature_list=made)
    ).SerializeToString()


@case
def single_sequence(tf):
    return tf.io.parse_single_sequence_example(
        sequence(tf),
        {"n": tf.io.FixedLenFeature([], tf.int64)},
        {"words": tf.io.VarLenFeature(tf.string), "ids": tf.io.FixedLenSequenceFeature([1], tf.int64)},
    )


@case
def single_sequence_ragged(tf):
    return tf.io.parse_single_sequence_example(sequence(tf), None, {"words": tf.io.RaggedFeature(tf.string)})


@case
def single_sequence_missing(tf):
    return tf.io.parse_single_sequence_example(sequence(tf), None, {"q": tf.io.FixedLenSequenceFeature([], tf.int64)})


@case
def several_sequences(tf):
    return tf.io.parse_sequence_example(
        [sequence(tf), sequence(tf)],
        {"n": tf.io.FixedLenFeature([], tf.int64)},
        {"ids": tf.io.FixedLenSequenceFeature([1], tf.int64), "words": tf.io.VarLenFeature(tf.string)},
    )


@case(line=["1,2.5,a", "1,,a", ',"",', '1,2,"a,""b"""', "1,2", "1,2,3,4", "x,1,a", " 1 , 2 ,a "])
def csv(tf, line):
    return tf.io.decode_csv(line, [[0], [1.5], ["d"]])


@case(
    options=[
        "{'field_delim': ';'}",
        "{'use_quote_delim': False}",
        "{'na_value': 'NA'}",
        "{'select_cols': [0, 2]}",
        "{'select_cols': [5]}",
        "{'field_delim': ';;'}",
        "{'select_cols': [2, 0]}",
    ]
)
def csv_options(tf, options):
    options = eval(options)
    defaults = [[0], ["d"]] if "select_cols" in options else [[0], ["NN"], ["d"]]
    line = "1;NA;x" if ";" in options.get("field_delim", "") else '1,NA,"x"'
    return tf.io.decode_csv([line], defaults, **options)


@case
def csv_required(tf):
    return tf.io.decode_csv(",a", [tf.constant([], tf.int32), [""]])


@case
def csv_matrix(tf):
    return tf.io.decode_csv([["1,2"], ["3,4"]], [[0], tf.constant([0], tf.int64)])


@case(defaults=["[[True]]", "[[1, 2]]", "[]", "[1]"])
def csv_bad_defaults(tf, defaults):
    return tf.io.decode_csv("1", eval(defaults))


@case(dtype=["uint8", "int16", "int32", "float32", "bool", "complex64", "string", "uint16"], little=[True, False])
def raw(tf, dtype, little):
    return tf.io.decode_raw([b"\x01\x00\x02\x00\x00\x00\x80\x3f"], dtype, little_endian=little)


@case
def raw_of_other_lengths(tf):
    return tf.io.decode_raw([b"abcd", b"ab"], tf.uint8)


@case(length=[2, 4, 6, 3, 0])
def raw_fixed_length(tf, length):
    return tf.io.decode_raw([b"abcd", b"ab"], tf.uint16, fixed_length=length)


@case
def raw_not_divisible(tf):
    return tf.io.decode_raw([b"abc"], tf.int16)


@case
def json_example(tf):
    text = '{"features": {"feature": {"a": {"int64List": {"value": [1, 2]}}}}}'
    return tf.io.parse_single_example(tf.io.decode_json_example(text), {"a": tf.io.FixedLenFeature([2], tf.int64)})


@case(text=["{", "[]", '{"features": 3}', '{"unknown": 1}'])
def json_example_checks(tf, text):
    return tf.io.decode_json_example(text)


@case(text=[["YWJj", ""], ["a"], ["a$bc"]], pad=[False, True])
def base64(tf, text, pad):
    return [tf.io.encode_base64(["abc", "\xff\xfe", ""], pad=pad), tf.io.decode_base64(text)]


@case
def tensors(tf):
    x = tf.constant([[1.5, 2.5]])
    return [
        tf.io.parse_tensor(tf.io.serialize_tensor(x), tf.float32),
        tf.io.parse_tensor(tf.io.serialize_tensor(tf.constant(["a", ""])), tf.string),
    ]


@case
def tensors_of_another_dtype(tf):
    return tf.io.parse_tensor(tf.io.serialize_tensor(tf.constant(1.0)), tf.int32)
