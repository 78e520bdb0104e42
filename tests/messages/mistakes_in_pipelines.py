"""Mistakes in pipelines, in saving, and in files; see mistakes.py."""

from __future__ import annotations

from messages.mistakes import Mistake, _section

PIPELINES_OF_DATA = _section(
    "Pipelines of data",
    (
        "tf.data.Dataset([1, 2, 3])",
        "Dataset: datasets are not made by calling the class",
        "use Dataset.from_tensor_slices",
    ),
    (
        "tf.data.Dataset.from_tensor_slices(np.ones([3]), np.ones([3]))",
        "from_tensor_slices: tensors must be one argument, and the",
        "a tuple makes pairs",
    ),
    (
        "tf.data.Dataset.from_tensor_slices([np.ones([3]), np.ones([2])])",
        "from_tensor_slices: a list becomes one tensor, and its rows",
        "a tuple makes one element of a row of each",
    ),
    (
        "tf.data.Dataset.from_tensor_slices({'a': [1, 2], 'b': [1]})",
        "from_tensor_slices: the first dimensions differ: i32",
        "give as many rows of each",
    ),
    (
        "tf.data.Dataset.from_tensor_slices('abc')",
        "from_tensor_slices: tensors must have rank 1 or more",
        "use from_tensors for a single element",
    ),
    (
        "tf.data.Dataset.from_list([1, 'a'])",
        "type object 'Dataset' has no attribute 'from_list'",
        "tf.data.Dataset.from_tensor_slices(values)",
    ),
    (
        "tf.data.Dataset.from_generator([1, 2, 3], tf.int32)",
        "from_generator: `generator` must be a Python callable",
        "give a function that returns an iterator, so",
    ),
    (
        "tf.data.Dataset.from_generator(lambda: iter([1, 2]))",
        "from_generator: needs either output_signature, or output_types",
        "give output_signature=tf.TensorSpec(shape",
    ),
    (
        "list(tf.data.Dataset.from_generator(lambda: iter(['a']), tf.int32))",
        "from_generator: the generator yielded 'a', which cannot be int32",
        "correct output_signature, or convert the values",
    ),
    (
        "list(tf.data.Dataset.from_generator(lambda: iter([[1, 2, 3]]), output_signature=tf.TensorSpec([2], tf.int32)))",
        "from_generator: the generator yielded i32",
        "correct output_signature",
    ),
    (
        "tf.data.Dataset.from_generator(lambda: iter([1]), output_signature=tf.int32)",
        "from_generator: output_signature must hold `tf.TypeSpec`",
        "give tf.TensorSpec(shape, dtype)",
    ),
    (
        "tf.data.Dataset.range(3).batch()",
        "Dataset.batch() missing 1 required positional argument",
        "dataset.batch(batch_size, drop_remainder=False",
    ),
    ("tf.data.Dataset.range(3).batch(2.5)", "batch: batch_size must be an integer", "pass an int or an int tensor"),
    ("tf.data.Dataset.range(3).batch(2, drop_last=True)", "Dataset.batch()", "drop_remainder=True"),
    (
        "tf.data.Dataset.range(3).batch(2, batch_size=3)",
        "Dataset.batch()",
        "dataset.batch(batch_size, drop_remainder=False",
    ),
    ("tf.data.Dataset.range(3).shuffle(0)", "shuffle: buffer_size must be at least 1", "give a number of at least 1"),
    ("tf.data.Dataset.range(3).shuffle(True, 'a')", "shuffle: seed must be an integer", "pass an int: seed=1"),
    ("tf.data.Dataset.range(3).shuffle(buffer=3)", "Dataset.shuffle()", "dataset.shuffle(..., buffer_size=...)"),
    ("tf.data.Dataset.range(3).repeat('a')", "repeat: count must be an integer", "pass an int or an int tensor"),
    ("tf.data.Dataset.range(3).take('a')", "take: count must be an integer", "pass an int or an int tensor"),
    (
        "tf.data.Dataset.range(3).prefetch('auto')",
        "prefetch: buffer_size must be an integer",
        "tf.data.AUTOTUNE lets gradtape choose",
    ),
    (
        "list(tf.data.Dataset.from_tensor_slices((tf.ones([2]), tf.ones([2]))).map(lambda pair: pair[0].foo))",
        "map: the function does not take the 2 parts of an element: too",
        "give it 2 parameters: lambda x, y",
    ),
    ("list(tf.data.Dataset.range(3).map(tf.ones([2])))", "map: the function must be a callable", "give a function"),
    (
        "list(tf.data.Dataset.range(3).map(lambda x: x, num_workers=2))",
        "Dataset.map()",
        "num_parallel_calls=tf.data.AUTOTUNE",
    ),
    (
        "list(tf.data.Dataset.range(3).filter(lambda x: None))",
        "the function must return an element, it returned None",
        "end it with `return`: def f(x): ...; return x",
    ),
    (
        "list(tf.data.Dataset.range(3).filter(lambda x: tf.ones([2]) > 0))",
        "filter: `predicate` must return a `tf.bool` scalar tensor",
        "return a comparison, lambda x: x > 0;",
    ),
    (
        "list(tf.data.Dataset.range(3).filter(lambda x, y: True))",
        "filter: the function does not take the 1 part of an element",
        "give it 1 parameter: lambda x",
    ),
    (
        "list(tf.data.Dataset.range(3).flat_map(lambda x: x))",
        "flat_map: `map_func` must return a `tf.data.Dataset` object",
        "return a dataset, or use map",
    ),
    (
        "list(tf.data.Dataset.range(3).interleave(lambda x: x))",
        "interleave: `map_func` must return a `tf.data.Dataset` object",
        "return a dataset, or use map",
    ),
    (
        "tf.data.Dataset.range(3).reduce(0, lambda a, b: a + b)",
        "add: dtypes differ: a is i32",
        "tensors are never promoted silently; use",
    ),
    (
        "tf.data.Dataset.range(3).reduce(tf.constant(0, tf.int64), lambda a: a)",
        "reduce: the function does not take the 2 parts of an element",
        "give it 2 parameters: lambda x, y",
    ),
    (
        "tf.data.Dataset.zip(tf.data.Dataset.range(3), [1, 2])",
        "Invalid input to `zip`. Inputs are expected to be (nested)",
        "give a tuple, or zip(*datasets)",
    ),
    ("tf.data.Dataset.range(3).window(0)", "window: size must be at least 1", "give a number of at least 1"),
    (
        "list(tf.data.Dataset.range(3).padded_batch(2, padded_shapes=[2]))",
        "padded_batch: The padded shape (2,) is not compatible with the",
        "give one size for each axis",
    ),
    ("tf.data.Dataset.range('a')", "range: a number must be an integer", "pass an int or an int tensor"),
    ("tf.data.Dataset.range()", "range: expected 1 to 3 numbers", "give range(start, stop, step)"),
    (
        "tf.data.Dataset.range(3).length",
        "'Dataset' object has no attribute 'length'",
        "len(dataset), or dataset.cardinality()",
    ),
    ("tf.data.Dataset.range(3).next()", "'Dataset' object has no attribute 'next'", "next(iter(dataset))"),
    (
        "tf.data.Dataset.range(3).make_one_shot_iterator()",
        "'Dataset' object has no attribute 'make_one_shot_iterator'",
        "iter(dataset)",
    ),
    ("tf.data.Dataset.range(3).get_next()", "'Dataset' object has no attribute 'get_next'", "next(iter(dataset))"),
    (
        "it = iter(tf.data.Dataset.range(1))\nit.get_next(); it.get_next()",
        "End of sequence",
        "make a new iterator, or repeat the dataset",
    ),
    (
        "tf.data.Dataset.range(3) + 1",
        "unsupported operand type(s) for +: 'Dataset' and 'int'",
        "dataset.map(lambda x: x + 1) computes with the",
    ),
    (
        "for x, y in tf.data.Dataset.range(3): pass",
        "Cannot iterate over a scalar tensor: it has no axis",
        "use the tensor itself, a list of tensors, or",
    ),
    (
        "tf.data.Dataset.range(3).to_list()",
        "'Dataset' object has no attribute 'to_list'",
        "list(dataset.as_numpy_iterator())",
    ),
    ("tf.data.Dataset.range(3).cache(5)", "cache: a path must be text", "give the path as str, bytes or Path"),
    (
        "list(tf.data.TextLineDataset('nofile.txt'))",
        "nofile.txt; No such file or directory",
        "check the path, and make the folder if it is",
    ),
    (
        "list(tf.data.TFRecordDataset('nofile.tfrecord'))",
        "nofile.tfrecord; No such file or directory",
        "check the path, and make the folder if it is",
    ),
    (
        "list(tf.data.Dataset.list_files('no*such'))",
        "list_files: No files matched pattern: no*such",
        "check the pattern",
    ),
    ("tf.data.Dataset.load('nofolder')", "load: nofolder is not there", "save a dataset there first"),
    ("tf.data.AUTOTUN", "module 'gradtape.data' has no attribute 'AUTOTUN'. Did you", "Did you mean: 'AUTOTUNE'?"),
    ("tf.data.Datset", "module 'gradtape.data' has no attribute 'Datset'. Did you mean", "Did you mean: 'Dataset'?"),
    ("tf.dataset", "module 'gradtape' has no attribute 'dataset'. Did you mean", "Did you mean: 'data'?"),
    ("tf.datasets", "module 'gradtape' has no attribute 'datasets'", "keras.datasets, or tf.data.Dataset for"),
)

SAVING = _section(
    "Saving, files and summaries",
    (
        "tf.train.Checkpoint(5)",
        "Checkpoint: root is 5, which has no variables that could be",
        "wrap a value that changes",
    ),
    ("tf.train.Checkpoint(model=lambda x: x)", "Checkpoint: model is", "wrap a value that changes"),
    (
        "tf.train.Checkpoint(v=tf.Variable(1.0)).restore()",
        "Checkpoint.restore() missing 1 required positional argument",
        "checkpoint.restore(save_path, options=None)",
    ),
    (
        "tf.train.Checkpoint(v=tf.Variable(1.0)).load('x')",
        "'Checkpoint' object has no attribute 'load'",
        "checkpoint.restore(path)",
    ),
    (
        "p = tf.train.Checkpoint(v=tf.Variable(1.0)).save('c')\ntf.train.Checkpoint(w=tf.Variable(1.0)).restore(p).assert_consumed()",
        "Found 1 Python objects that were not bound to checkpointed",
        "compare their attribute names with",
    ),
    (
        "tf.train.CheckpointManager(tf.train.Checkpoint(), 'd', 'three')",
        "CheckpointManager: max_to_keep must be a number or None",
        "max_to_keep=3 keeps the last three, None keeps",
    ),
    (
        "tf.train.Checkpoint(v=tf.Variable(1.0)).restore(tf.train.latest_checkpoint('nofolder')).assert_consumed()",
        "No checkpoint specified (save_path=None); nothing is being",
        "tf.train.latest_checkpoint(folder) is None if",
    ),
    ("tf.saved_model.save(lambda x: x, 'm')", "saved_model.save", "save a tf.Module, a Keras model, or an object"),
    (
        "tf.saved_model.save(5, 'm')",
        "saved_model.save: 5 has neither variables nor functions that",
        "save a tf.Module, a Keras model, or an object",
    ),
    (
        "class M(tf.Module):\n    @tf.function(input_signature=[tf.TensorSpec([2])])\n    def f(self, x):\n        return x\ntf.saved_model.save(M(), 'm3')\ntf.saved_model.load('m3').f(tf.ones([3]))",
        "Could not find matching concrete function to call loaded from",
        "call it with arguments that match an option, or",
    ),
    (
        "class M(tf.Module):\n    @tf.function(input_signature=[tf.TensorSpec([2])])\n    def f(self, x):\n        return x\ntf.saved_model.save(M(), 'm4')\ntf.saved_model.load('m4').g(tf.ones([3]))",
        "'Restored' object has no attribute 'g': the saved model does",
        "it has f, signatures. Decorate methods with",
    ),
    (
        "class M(tf.Module):\n    def __init__(self):\n        super().__init__(name='my model')\nM()",
        "'my model' is not a valid module name. Module names must be",
        "use letters, digits and underscores",
    ),
    (
        "module = tf.Module()\nmodule(tf.ones([2]))",
        "'Module' object is not callable",
        "define __call__(self, x) in the class of the",
    ),
    ("tf.Module(tf.ones([2]))", "Module: name must be text", 'super().__init__(name="dense"), or leave it out'),
    ("tf.Module().parameters()", "'Module' object has no attribute 'parameters'", "module.trainable_variables"),
    (
        "tf.io.write_file('x')",
        "tf.io.write_file missing 1 required positional argument",
        "tf.io.write_file(filename, contents, name=None)",
    ),
    (
        "tf.io.write_file('x', tf.ones([2]))",
        "write_file: contents must be of dtype string, it is float32",
        "give bytes, text, or a string tensor",
    ),
    (
        "tf.io.write_file('nofolder2/x', 5)",
        "write_file: contents must be of dtype string, it is int32",
        "give bytes, text, or a string tensor",
    ),
    ("tf.io.read_file('.')", ".; Is a directory", "check whether the path names a file or a folder"),
    (
        "tf.io.decode_jpeg(tf.ones([2]))",
        "decode_jpeg: contents must be of dtype string, it is float32",
        "give bytes, text, or a string tensor",
    ),
    (
        "tf.io.decode_image(b'abc')",
        "decode_image: Unknown image file format. One of JPEG, PNG, GIF",
        "tf.io.decode_image reads all formats; is this",
    ),
    (
        "tf.io.parse_single_example(b'abc', {'x': tf.io.FixedLenFeature([], tf.float32)})",
        "parse_example: Could not parse example input: a field is cut",
        "give what Example.SerializeToString returned;",
    ),
    (
        "tf.io.parse_single_example(tf.train.Example().SerializeToString(), {'x': tf.io.FixedLenFeature([], tf.float32)})",
        "Name: <unknown>, Feature: x (d",
        "give the feature a default_value, or use",
    ),
    (
        "tf.io.parse_single_example(tf.train.Example(), {'x': tf.io.FixedLenFeature([], tf.float32)})",
        "Attempt to convert a value () with an unsupported type",
        "pass its bytes: message.SerializeToString()",
    ),
    (
        "tf.io.TFRecordWriter('nofolder3/x.tfrecord')",
        "nofolder3/x.tfrecord; No such file or directory",
        "check the path, and make the folder if it is",
    ),
    (
        "with tf.io.TFRecordWriter('y.tfrecord') as w:\n    w.write(tf.train.Example())",
        "TFRecordWriter.write: a record must be bytes",
        "writer.write(example.SerializeToString()), for",
    ),
    (
        "tf.io.gfile.GFile('nofile').read()",
        "nofile; No such file or directory",
        "check the path, and make the folder if it is",
    ),
    (
        "tf.io.decode_csv('1,2', [0])",
        "decode_csv: Expect 1 fields but have 2 in record 0",
        "give a default for each column, or select_cols",
    ),
    (
        "tf.io.decode_csv('1,a', [[0], [0]])",
        "decode_csv: Field 1 in record 0 is not a valid int32: a",
        "correct the record, or read the column as",
    ),
    (
        "w = tf.summary.create_file_writer('logs')\nwith w.as_default():\n    tf.summary.scalar('loss', 1.0)",
        "No step set. Please specify one either through the `step`",
        "give step=",
    ),
    (
        "w = tf.summary.create_file_writer('logs')\nwith w.as_default():\n    tf.summary.scalar('loss', tf.ones([2]), step=0)",
        "summary.scalar: data must be a scalar",
        "use tf.reduce_mean, or tf.summary.histogram",
    ),
    (
        "w = tf.summary.create_file_writer('logs')\nwith w.as_default():\n    tf.summary.image('x', tf.ones([4, 4]), step=0)",
        "summary.image: data must be",
        "use tf.expand_dims(image, 0) for a single image",
    ),
    (
        "w = tf.summary.create_file_writer('logs')\nw.scalar('loss', 1.0)",
        "'FileWriter' object has no attribute 'scalar'",
        "with writer.as_default()",
    ),
)

DEVICES = _section(
    "Devices, configuration and strategies",
    (
        "tf.config.list_gpus()",
        "module 'gradtape.config' has no attribute 'list_gpus'",
        "tf.config.list_physical_devices('GPU')",
    ),
    ("tf.config.experimental.set_memory_growth('GPU:0', True)", "Unrecognized device: 'GPU:0'", "pass a device from"),
    (
        "tf.config.threading.set_intra_op_parallelism_threads('a')",
        "set_intra_op_parallelism_threads: num_threads must be an int of",
        "give a number of threads, or 0 for one for each",
    ),
    (
        "tf.test.is_gpu_avaliable()",
        "module 'gradtape.test' has no attribute 'is_gpu_avaliable'. Did",
        "Did you mean: 'is_gpu_available'?",
    ),
    (
        "tf.distribute.MirroredStrategy('GPU:0')",
        "MirroredStrategy: devices must be a list of names",
        "tf.distribute.MirroredStrategy",
    ),
    (
        "tf.distribute.MirroredStrategy(['/gpu:0', '/gpu:1'])",
        "device: there is no",
        'use "/CPU:0", or install CuPy for your CUDA',
    ),
    (
        "with tf.distribute.MirroredStrategy() as s:\n    pass",
        "'MirroredStrategy' object does not support the context manager",
        "with strategy.scope()",
    ),
    (
        "tf.distribute.MirroredStrategy().run(5)",
        "strategy.run: fn must be callable",
        "strategy.run(step, args=(batch,)), with the",
    ),
)

PIPELINES: list[Mistake] = [*PIPELINES_OF_DATA, *SAVING, *DEVICES]
