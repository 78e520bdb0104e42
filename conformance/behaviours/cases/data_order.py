"""Which elements come and in which order: shuffle, repeat, take, skip, shard, concatenate, unique, cardinalities."""

from behaviour import case
from cases._draining import drain, refusal


@case(count=[-3, -1, 0, 2, 9])
def take(tf, count):
    ds = tf.data.Dataset.range(4).take(count)
    return drain(tf, ds), ds.cardinality()


@case(count=[-3, -1, 0, 2, 9])
def skip(tf, count):
    ds = tf.data.Dataset.range(4).skip(count)
    return drain(tf, ds), ds.cardinality()


@case(count=[0, 1, 3])
def repeat(tf, count):
    ds = tf.data.Dataset.range(3).repeat(count)
    return drain(tf, ds), ds.cardinality()


@case(count=[None, -1, -2])
def repeat_without_end(tf, count):
    ds = tf.data.Dataset.range(2).repeat(count)
    return drain(tf, ds.take(5)), ds.cardinality()


@case
def repeat_of_nothing(tf):
    return drain(tf, tf.data.Dataset.range(0).repeat()), tf.data.Dataset.range(0).repeat().cardinality()


@case(method=["take", "skip", "repeat", "shuffle", "prefetch", "batch"], value=["x", 1.5])
def counts_of_a_wrong_kind(tf, method, value):
    return refusal(lambda: list(getattr(tf.data.Dataset.range(3), method)(value)))


@case(method=["take", "skip", "repeat", "batch", "prefetch"])
def counts_as_tensors(tf, method):
    return drain(tf, getattr(tf.data.Dataset.range(3), method)(tf.constant(2, tf.int64)))


@case(shards=[1, 2, 5], index=[0, 1])
def shard(tf, shards, index):
    if index >= shards:
        index = shards - 1
    ds = tf.data.Dataset.range(7).shard(shards, index)
    return drain(tf, ds), ds.cardinality()


@case(arguments=[(0, 0), (-1, 0), (2, 2), (2, 3), (2, -1)])
def shard_of_wrong_numbers(tf, arguments):
    return refusal(lambda: list(tf.data.Dataset.range(7).shard(*arguments)))


@case(size=[0, -1, -2])
def shuffle_of_a_wrong_size(tf, size):
    return refusal(lambda: list(tf.data.Dataset.range(3).shuffle(size)))


@case(size=[1, 3, 100])
def shuffle_gives_every_element(tf, size):
    ds = tf.data.Dataset.range(20).shuffle(size)
    return sorted(int(x) for x in ds), ds.cardinality()


@case
def shuffle_of_a_buffer_of_one_keeps_the_order(tf):
    return drain(tf, tf.data.Dataset.range(5).shuffle(1))


@case(size=[2, 4])
def shuffle_stays_in_its_buffer(tf, size):
    return all(
        i <= int(x) + 30 and int(x) <= i + size - 1 for i, x in enumerate(tf.data.Dataset.range(30).shuffle(size))
    )


@case(reshuffle=[None, True, False], seed=[None, 7])
def shuffle_in_two_iterations(tf, reshuffle, seed):
    ds = tf.data.Dataset.range(50).shuffle(50, seed=seed, reshuffle_each_iteration=reshuffle)
    return [int(x) for x in ds] == [int(x) for x in ds]


@case(reshuffle=[None, True, False], seed=[None, 7])
def shuffle_in_repeats(tf, reshuffle, seed):
    ds = tf.data.Dataset.range(50).shuffle(50, seed=seed, reshuffle_each_iteration=reshuffle).repeat(2)
    found = [int(x) for x in ds]
    return found[:50] == found[50:], sorted(found[:50]) == list(range(50))


@case
def equal_seeds_equal_orders(tf):
    def order():
        return [int(x) for x in tf.data.Dataset.range(50).shuffle(50, seed=3)]

    return order() == order()


@case
def other_seeds_other_orders(tf):
    return [int(x) for x in tf.data.Dataset.range(50).shuffle(50, seed=3)] == [
        int(x) for x in tf.data.Dataset.range(50).shuffle(50, seed=4)
    ]


@case
def global_seed_and_shuffles(tf):
    def order():
        tf.random.set_seed(5)
        return [int(x) for x in tf.data.Dataset.range(50).shuffle(50)]

    return order() == order()


@case
def global_seed_and_two_shuffles(tf):
    tf.random.set_seed(5)
    a = [int(x) for x in tf.data.Dataset.range(50).shuffle(50)]
    b = [int(x) for x in tf.data.Dataset.range(50).shuffle(50)]
    return a == b


@case
def seed_under_other_global_seeds(tf):
    def order(seed):
        tf.random.set_seed(seed)
        return [int(x) for x in tf.data.Dataset.range(50).shuffle(50, seed=1)]

    return order(1) == order(2)


@case
def shuffle_before_cache_is_kept(tf):
    ds = tf.data.Dataset.range(50).shuffle(50).cache()
    return [int(x) for x in ds] == [int(x) for x in ds]


@case
def shuffle_after_cache_is_anew(tf):
    ds = tf.data.Dataset.range(50).cache().shuffle(50)
    return [int(x) for x in ds] == [int(x) for x in ds]


@case
def shuffle_of_cache_and_repeat(tf):
    found = [int(x) for x in tf.data.Dataset.range(50).shuffle(50).cache().repeat(2)]
    return found[:50] == found[50:]


@case
def shuffle_zipped_with_itself(tf):
    ds = tf.data.Dataset.range(50).shuffle(50, seed=1, reshuffle_each_iteration=False)
    return all(int(a) == int(b) for a, b in tf.data.Dataset.zip((ds, ds)))


@case
def concatenate(tf):
    ds = tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(10, 12)).concatenate(tf.data.Dataset.range(0))
    return drain(tf, ds), ds.cardinality(), str(ds.element_spec)


@case(kinds=["dtype", "structure", "keys", "nesting", "length"])
def concatenate_of_different_kinds(tf, kinds):
    slices = tf.data.Dataset.from_tensor_slices
    others = {
        "dtype": (slices([1]), slices([1.0])),
        "structure": (slices([1]), slices(([1], [2]))),
        "keys": (slices({"a": [1]}), slices({"b": [1]})),
        "nesting": (slices(([1], [2])), slices(([1], ([2], [3])))),
        "length": (slices(([1], [2])), slices(([1], [2], [3]))),
    }
    a, b = others[kinds]
    return refusal(lambda: a.concatenate(b))


@case
def concatenate_of_different_shapes(tf):
    ds = tf.data.Dataset.from_tensors([1, 2]).concatenate(tf.data.Dataset.from_tensors([1, 2, 3]))
    return drain(tf, ds), str(ds.element_spec)


@case
def concatenate_of_different_ranks(tf):
    ds = tf.data.Dataset.from_tensors([1, 2]).concatenate(tf.data.Dataset.from_tensors(1))
    return drain(tf, ds), str(ds.element_spec)


@case
def concatenate_with_something_else(tf):
    return refusal(lambda: tf.data.Dataset.range(2).concatenate([1, 2]))


@case(start=[0, 5, -2])
def enumeration(tf, start):
    ds = tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(start=start)
    return drain(tf, ds), str(ds.element_spec), ds.cardinality()


@case
def unique_elements(tf):
    ds = tf.data.Dataset.from_tensor_slices([3, 1, 3, 2, 1]).unique()
    return drain(tf, ds), ds.cardinality()


@case
def unique_strings(tf):
    return drain(tf, tf.data.Dataset.from_tensor_slices(["b", "a", "b"]).unique())


@case(kind=["vector", "pair", "float"])
def unique_of_other_kinds(tf, kind):
    slices = tf.data.Dataset.from_tensor_slices
    made = {"vector": slices([[1, 2], [1, 2]]), "pair": slices(([1, 1], [2, 2])), "float": slices([1.0, 1.0, 2.0])}
    return drain(tf, made[kind].unique())


@case
def rejection_resample_of_known_distribution(tf):
    ds = tf.data.Dataset.range(200).map(lambda x: x % 2)
    made = ds.rejection_resample(lambda x: tf.cast(x, tf.int32), [0.0, 1.0], [0.5, 0.5], seed=1)
    found = [(int(a), int(b)) for a, b in made]
    return set(found) == {(1, 1)}, 80 < len(found) <= 100, str(made.element_spec)


@case
def rejection_resample_of_estimates(tf):
    ds = tf.data.Dataset.range(400).map(lambda x: tf.cast(x % 4 == 0, tf.int32))
    found = [int(a) for a, _ in ds.rejection_resample(lambda x: x, [0.5, 0.5], seed=1)]
    return 0.35 < sum(found) / len(found) < 0.65


@case(stage=[
    "range", "map", "filter", "flat_map", "interleave", "batch", "batch_drop", "padded", "repeat", "repeat_inf", "take",
    "take_inf", "skip", "skip_inf", "shard", "shuffle", "cache", "prefetch", "zip", "zip_inf", "concat", "concat_inf", "enumerate",
    "window", "unbatch", "scan", "take_while", "unique", "ignore", "generator", "slices", "tensors", "random", "counter", "group",
    "choose", "sample", "bucket", "rebatch", "ragged", "options", "empty_filter", "sample_stop", "sample_inf", "take_filter",
    "repeat_zero_filter", "interleave_empty", "concat_filter", "zip_filter", "choose_inf", "snapshotless", "shard_inf",
])  # fmt: skip
def cardinality(tf, stage):
    data = tf.data.Dataset
    ds = data.range(10)
    some = ds.filter(lambda x: x > 3)
    choice = data.range(3).map(lambda x: x % 2)
    made = {
        "range": lambda: ds, "map": lambda: ds.map(lambda x: x), "filter": lambda: some,
        "flat_map": lambda: ds.flat_map(data.from_tensors), "interleave": lambda: ds.interleave(data.from_tensors, 2),
        "batch": lambda: ds.batch(3), "batch_drop": lambda: ds.batch(3, True), "padded": lambda: ds.padded_batch(3),
        "repeat": lambda: ds.repeat(2), "repeat_inf": lambda: ds.repeat(), "take": lambda: ds.take(4),
        "take_inf": lambda: ds.repeat().take(4), "skip": lambda: ds.skip(4), "skip_inf": lambda: ds.repeat().skip(4),
        "shard": lambda: ds.shard(3, 1), "shuffle": lambda: ds.shuffle(3), "cache": lambda: ds.cache(),
        "prefetch": lambda: ds.prefetch(1), "zip": lambda: data.zip((ds, ds.take(3))),
        "zip_inf": lambda: data.zip((ds.repeat(), ds)), "concat": lambda: ds.concatenate(ds),
        "concat_inf": lambda: ds.concatenate(ds.repeat()), "enumerate": lambda: ds.enumerate(),
        "window": lambda: ds.window(3), "unbatch": lambda: ds.batch(2).unbatch(),
        "scan": lambda: ds.scan(0, lambda s, x: (s, x)), "take_while": lambda: ds.take_while(lambda x: True),
        "unique": lambda: ds.unique(), "ignore": lambda: ds.ignore_errors(),
        "generator": lambda: data.from_generator(lambda: iter([1]), output_types=tf.int32),
        "slices": lambda: data.from_tensor_slices([1, 2]), "tensors": lambda: data.from_tensors([1, 2]),
        "random": lambda: data.random(), "counter": lambda: data.counter(),
        "group": lambda: ds.group_by_window(lambda x: x, lambda k, w: w, 2),
        "choose": lambda: data.choose_from_datasets([ds, ds], choice), "sample": lambda: data.sample_from_datasets([ds, ds]),
        "bucket": lambda: ds.batch(1).bucket_by_sequence_length(lambda x: 1, [3], [2, 2]),
        "rebatch": lambda: ds.batch(2).rebatch(3), "ragged": lambda: ds.ragged_batch(3),
        "options": lambda: ds.with_options(tf.data.Options()), "empty_filter": lambda: data.range(0).filter(lambda x: True),
        "sample_stop": lambda: data.sample_from_datasets([ds, ds], stop_on_empty_dataset=True),
        "sample_inf": lambda: data.sample_from_datasets([ds, ds.repeat()]), "take_filter": lambda: some.take(0),
        "repeat_zero_filter": lambda: some.repeat(0), "interleave_empty": lambda: data.range(0).interleave(data.from_tensors, 2),
        "concat_filter": lambda: ds.concatenate(some), "zip_filter": lambda: data.zip((ds, some)),
        "choose_inf": lambda: data.choose_from_datasets([ds.repeat(), ds.repeat()], choice.repeat()),
        "snapshotless": lambda: ds.repeat().batch(2).prefetch(1), "shard_inf": lambda: ds.repeat().shard(2, 0),
    }  # fmt: skip
    return made[stage]().cardinality()


@case(expected=[3, 2, 4, -1, -2])
def assert_cardinality(tf, expected):
    ds = tf.data.Dataset.range(3).filter(lambda x: True).apply(tf.data.experimental.assert_cardinality(expected))
    return ds.cardinality(), drain(tf, ds)


@case
def assert_cardinality_of_an_infinite_dataset(tf):
    ds = tf.data.Dataset.range(3).repeat().apply(tf.data.experimental.assert_cardinality(tf.data.INFINITE_CARDINALITY))
    return drain(tf, ds.take(4))


@case(kind=["infinite", "unknown", "known"])
def length_in_python(tf, kind):
    ds = tf.data.Dataset.range(3)
    return len({"infinite": ds.repeat(), "unknown": ds.filter(lambda x: True), "known": ds}[kind])


@case(index=[0, 2, 3, -1])
def element_at(tf, index):
    return tf.data.experimental.at(tf.data.Dataset.range(3), index)


@case(
    stage=[
        "map",
        "batch",
        "take",
        "skip",
        "repeat",
        "prefetch",
        "shuffle",
        "concatenate",
        "zip",
        "cache",
        "enumerate",
        "from_tensors",
    ]
)
def element_at_of_stages(tf, stage):
    ds = tf.data.Dataset.range(6)
    made = {
        "map": ds.map(lambda x: x * 2), "batch": ds.batch(2), "take": ds.take(3), "skip": ds.skip(2), "repeat": ds.repeat(2),
        "prefetch": ds.prefetch(1), "shuffle": ds.shuffle(1), "concatenate": ds.concatenate(ds),
        "zip": tf.data.Dataset.zip((ds, ds)), "cache": ds.cache(), "enumerate": ds.enumerate(),
        "from_tensors": tf.data.Dataset.from_tensors(4).repeat(3),
    }  # fmt: skip
    return tf.data.experimental.at(made[stage], 2)


@case(stage=["filter", "repeat", "flat_map", "take_beyond", "negative_skip"])
def element_at_that_is_refused(tf, stage):
    ds = tf.data.Dataset.range(6)
    made = {
        "filter": ds.filter(lambda x: x > 1), "repeat": ds.repeat(), "flat_map": ds.flat_map(tf.data.Dataset.from_tensors),
        "take_beyond": ds.take(2), "negative_skip": ds.skip(-1),
    }  # fmt: skip
    return tf.data.experimental.at(made[stage], 3)
