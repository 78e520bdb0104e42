"""Random numbers in functions of datasets: when they begin again."""

from behaviour import case

SEEDS = {"none": (None, None), "global": (1, None), "own": (None, 3), "both": (1, 3)}


def drawing(tf, seeds, calls=None):
    seed, own = SEEDS[seeds]
    tf.random.set_seed(seed) if seed is not None else tf.random.set_seed(77)
    return tf.data.Dataset.range(4).map(lambda x: tf.random.uniform([], seed=own), num_parallel_calls=calls)


def numbers(dataset):
    return [float(x) for x in dataset]


@case(seeds=["global", "own", "both"], calls=[None, 2])
def draws_in_two_iterations(tf, seeds, calls):
    ds = drawing(tf, seeds, calls)
    return sorted(numbers(ds)) == sorted(numbers(ds))


@case(seeds=["global", "own", "both"])
def draws_in_repeats(tf, seeds):
    found = numbers(drawing(tf, seeds).repeat(2))
    return found[:4] == found[4:], len(set(found))


@case(seeds=["global", "own"])
def draws_in_inner_datasets(tf, seeds):
    seed, own = SEEDS[seeds]
    tf.random.set_seed(seed or 77)
    ds = tf.data.Dataset.range(2).flat_map(
        lambda i: tf.data.Dataset.range(3).map(lambda x: tf.random.uniform([], seed=own))
    )
    found = numbers(ds)
    return found[:3] == found[3:]


@case(seeds=["global", "own"])
def draws_of_two_datasets(tf, seeds):
    a, b = drawing(tf, seeds), drawing(tf, seeds)
    return numbers(a) == numbers(b)


@case
def draws_after_the_seed_is_set_again(tf):
    tf.random.set_seed(5)
    a = numbers(tf.data.Dataset.range(3).map(lambda x: tf.random.normal([])))
    tf.random.set_seed(5)
    b = numbers(tf.data.Dataset.range(3).map(lambda x: tf.random.normal([])))
    return a == b


@case
def draws_under_other_seeds(tf):
    tf.random.set_seed(5)
    a = numbers(tf.data.Dataset.range(3).map(lambda x: tf.random.normal([])))
    tf.random.set_seed(6)
    b = numbers(tf.data.Dataset.range(3).map(lambda x: tf.random.normal([])))
    return a == b


@case
def draws_with_a_generator_go_on(tf):
    generator = tf.random.Generator.from_seed(1)
    ds = tf.data.Dataset.range(3).map(lambda x: generator.uniform([]))
    return numbers(ds) == numbers(ds)


@case
def draws_without_state_are_equal(tf):
    ds = tf.data.Dataset.range(3).map(lambda x: tf.random.stateless_uniform([], seed=[x, 1]))
    return numbers(ds) == numbers(ds), len(set(numbers(ds)))


@case
def draws_in_batches(tf):
    tf.random.set_seed(2)
    ds = tf.data.Dataset.range(6).map(lambda x: tf.random.uniform([])).batch(3)
    a, b = ([x.numpy().tolist() for x in ds] for _ in range(2))
    return a == b


@case
def draws_in_filters(tf):
    tf.random.set_seed(2)
    ds = tf.data.Dataset.range(50).filter(lambda x: tf.random.uniform([]) < 0.5)
    return [int(x) for x in ds] == [int(x) for x in ds]


@case
def draws_before_a_cache(tf):
    ds = tf.data.Dataset.range(5).map(lambda x: tf.random.uniform([])).cache()
    return numbers(ds) == numbers(ds)


@case
def eager_draws_are_not_disturbed(tf):
    tf.random.set_seed(9)
    a = float(tf.random.uniform([]))
    tf.random.set_seed(9)
    numbers(tf.data.Dataset.range(3).map(lambda x: tf.random.uniform([])))
    return a == float(tf.random.uniform([]))


@case
def map_with_draws_of_shapes(tf):
    tf.random.set_seed(3)
    ds = tf.data.Dataset.range(3).map(lambda x: tf.random.shuffle(tf.range(20)))
    a, b = ([x.numpy().tolist() for x in ds] for _ in range(2))
    return a == b, a[0] == a[1]
