"""Lookup tables."""

from behaviour import case


def static(tf, default=-1):
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), default)


def vocabulary(lines, run):
    """What a function makes of the path of a file."""
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "words")
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
        return run(path)


@case
def static_lookup(tf):
    t = static(tf)
    return [
        t.lookup(tf.constant(["a", "z"])),
        t[tf.constant([["b"]])],
        t.size(),
        t.key_dtype,
        t.value_dtype,
        t.default_value,
    ]


@case
def static_lookup_of_a_python_string(tf):
    return static(tf).lookup("a")


@case
def static_lookup_of_sparse_and_ragged(tf):
    t = static(tf)
    return [
        t.lookup(tf.sparse.from_dense([["a", ""], ["z", "b"]])),
        t.lookup(tf.ragged.constant([["a"], [], ["b", "q"]])),
    ]


@case
def static_lookup_of_numbers(tf):
    return static(tf).lookup(tf.constant([1, 2]))


@case
def static_export_is_absent(tf):
    return static(tf).export()


@case(args=["(1, 2)", "(None, 0)", "()"])
def static_of_something_else(tf, args):
    return tf.lookup.StaticHashTable(*eval(args))


@case(default=["'a'", "1.5", "[1]", "None"])
def static_with_a_bad_default(tf, default):
    return static(tf, eval(default)).lookup(tf.constant(["z"]))


@case(
    keys=["[1, 2]", "[1, 1]", "['a']", "[[1], [2]]", "[1.5, 2.5]", "[True, False]"],
    values=["[1, 2]", "['x', 'y']", "[1, 2, 3]"],
)
def initializer(tf, keys, values):
    init = tf.lookup.KeyValueTensorInitializer(tf.constant(eval(keys)), tf.constant(eval(values)))
    t = tf.lookup.StaticHashTable(init, "?" if "x" in values else 0)
    return [t.size(), t.lookup(tf.constant(eval(keys)))]


@case
def initializer_with_dtypes(tf):
    init = tf.lookup.KeyValueTensorInitializer([1, 2], [3, 4], key_dtype=tf.int64, value_dtype=tf.float32)
    return tf.lookup.StaticHashTable(init, 0.0).lookup(tf.constant([1], tf.int64))


@case
def initializer_with_repeated_equal_keys(tf):
    init = tf.lookup.KeyValueTensorInitializer(["a", "a"], [1, 1])
    return tf.lookup.StaticHashTable(init, 0).size()


@case
def static_in_a_function(tf):
    t = static(tf)
    return tf.function(lambda x: t.lookup(x) * 2)(tf.constant(["a", "q"]))


@case
def static_in_a_dataset(tf):
    t = static(tf)
    return list(tf.data.Dataset.from_tensor_slices(["a", "q"]).map(t.lookup))


@case
def static_saved(tf):
    import tempfile

    module = tf.Module()
    module.table = static(tf)
    module.f = tf.function(lambda x: module.table.lookup(x), input_signature=[tf.TensorSpec([None], tf.string)])
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        return tf.saved_model.load(folder).f(tf.constant(["b", "x"]))


@case(buckets=[1, 3, 0])
def static_vocabulary_table(tf, buckets):
    init = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    t = tf.lookup.StaticVocabularyTable(init, buckets)
    return [t.lookup(tf.constant(["a", "x", "y", "zebra"])), t.size(), t.key_dtype, t.value_dtype]


@case
def static_vocabulary_table_of_numbers(tf):
    init = tf.lookup.KeyValueTensorInitializer(tf.constant([10, 20], tf.int64), tf.constant([0, 1], tf.int64))
    return tf.lookup.StaticVocabularyTable(init, 4).lookup(tf.constant([10, 7, 8, 123456789], tf.int64))


@case
def static_vocabulary_table_with_int32_values(tf):
    init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [0, 1])
    return tf.lookup.StaticVocabularyTable(init, 1).lookup(tf.constant(["a"]))


@case
def static_vocabulary_table_without_initializer(tf):
    return tf.lookup.StaticVocabularyTable(None, 5).lookup(tf.constant(["a", "b"]))


@case
def static_vocabulary_table_of_keys(tf):
    return tf.lookup.StaticVocabularyTable(None, 5, lookup_key_dtype=tf.int64).lookup(tf.constant([7, 8], tf.int64))


@case
def text_file(tf):
    def run(path):
        init = tf.lookup.TextFileInitializer(
            path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
        )
        t = tf.lookup.StaticHashTable(init, -1)
        return [t.lookup(tf.constant(["one", "two", "four"])), t.size()]

    return vocabulary(["one", "two", "three"], run)


@case(delimiter=["\t", " ", ","])
def text_file_columns(tf, delimiter):
    def run(path):
        init = tf.lookup.TextFileInitializer(path, tf.string, 0, tf.int64, 1, delimiter=delimiter)
        return tf.lookup.StaticHashTable(init, -1).lookup(tf.constant(["one", "two"]))

    return vocabulary([f"one{delimiter}10", f"two{delimiter}20"], run)


@case(size=[2, 3, 4, 0, -1])
def text_file_with_a_size(tf, size):
    def run(path):
        init = tf.lookup.TextFileInitializer(path, tf.string, -2, tf.int64, -1, vocab_size=size)
        return tf.lookup.StaticHashTable(init, -1).size()

    return vocabulary(["one", "two", "three"], run)


@case(change=["column 5", "bad number", "missing", "repeated", "both whole", "key is a float"])
def text_file_checks(tf, change):
    def run(path):
        key, value, dtype = 0, 1, tf.string
        if change == "column 5":
            value = 5
        if change == "both whole":
            key, value = -2, -2
        if change == "key is a float":
            key, dtype = -1, tf.float32
        name = path + "x" if change == "missing" else path
        return tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(name, dtype, key, tf.int64, value), -1).size()

    lines = (
        ["a\tb", "c\td"] if change == "bad number" else ["a\t1", "a\t2"] if change == "repeated" else ["a\t1", "b\t2"]
    )
    return vocabulary(lines, run)


@case
def mutable(tf):
    t = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    t.insert(tf.constant(["a", "b", "a"]), tf.constant([1, 2, 3], tf.int64))
    t.remove(tf.constant(["b", "zz"]))
    keys, values = t.export()
    return [t.lookup(tf.constant(["a", "b"])), t.size(), keys, values]


@case
def mutable_with_vectors(tf):
    t = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, [0.0, 0.0])
    t.insert(tf.constant(["a"]), tf.constant([[1.0, 2.0]]))
    return [t.lookup(tf.constant([["a"], ["b"]])), t.size()]


@case(change=["values short", "value dtype", "key dtype", "vector"])
def mutable_checks(tf, change):
    t = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    keys = tf.constant([1, 2]) if change == "key dtype" else tf.constant(["a", "b"])
    values = {"values short": [1], "vector": [[1], [2]]}.get(change, [1, 2])
    return t.insert(keys, tf.constant(values, tf.int32 if change == "value dtype" else tf.int64))


@case
def mutable_lookup_with_defaults(tf):
    t = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    t.insert(tf.constant(["a"]), tf.constant([1], tf.int64))
    return t.lookup(tf.constant(["a", "b", "c"]), dynamic_default_values=tf.constant([7, 8, 9], tf.int64))


@case
def mutable_in_a_function(tf):
    t = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, 0)

    @tf.function
    def count(x):
        t.insert(x, t.lookup(x) + 1)
        return t.lookup(x)

    return [count(tf.constant([5, 6], tf.int64)), count(tf.constant([5], tf.int64)), t.size()]


@case
def mutable_subscript(tf):
    t = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    t.insert(tf.constant(["a"]), tf.constant([1], tf.int64))
    return t[tf.constant(["a", "b"])]


@case
def mutable_checkpoint(tf):
    import os
    import tempfile

    def table():
        return tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)

    t = table()
    t.insert(tf.constant(["a"]), tf.constant([1], tf.int64))
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(t=t).save(os.path.join(folder, "c"))
        new = table()
        tf.train.Checkpoint(t=new).restore(path)
        return new.lookup(tf.constant(["a", "b"]))


def dense(tf, **options):
    return tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1, **options)


@case
def dense_table(tf):
    t = dense(tf)
    t.insert(tf.constant([11, 12, 13], tf.int64), tf.constant([1, 2, 3], tf.int64))
    t.remove(tf.constant([12, 99], tf.int64))
    keys, _ = t.export()
    chosen = sorted(int(k) for k in keys.numpy().ravel() if k > 0)
    return [t.lookup(tf.constant([11, 12], tf.int64)), t.size(), chosen]


@case(key=[0, -1])
def dense_insert_of_a_reserved_key(tf, key):
    return dense(tf).insert(tf.constant([key], tf.int64), tf.constant([1], tf.int64))


@case(key=[0, -1])
def dense_lookup_of_a_reserved_key(tf, key):
    return dense(tf).lookup(tf.constant([key], tf.int64))


@case(key=[0, -1])
def dense_remove_of_a_reserved_key(tf, key):
    return dense(tf).remove(tf.constant([key], tf.int64))


@case
def dense_with_equal_reserved_keys(tf):
    return tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=0).size()


@case(buckets=[3, -1, 0])
def dense_buckets(tf, buckets):
    return dense(tf, initial_num_buckets=buckets).size()


@case
def dense_of_strings(tf):
    t = tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, -1, empty_key="", deleted_key="$")
    t.insert(tf.constant(["a"]), tf.constant([1], tf.int64))
    return t.lookup(tf.constant(["a", "b"]))
