"""tf.train.Checkpoint: objects that get their parts after they were restored, and objects that do not fit."""

from __future__ import annotations

import copy
import os
import tempfile
import weakref

from behaviour import case


def path():
    return os.path.join(tempfile.mkdtemp(), "ckpt")


def module(tf, **parts):
    made = tf.Module()
    for name, part in parts.items():
        setattr(made, name, part)
    return made


@case(order=["first", "last"])
def later_restore_wins(tf, order):
    saved = tf.train.Checkpoint(part=module(tf, v=tf.Variable(12.0)))
    twelve = saved.save(path())
    saved.part.v.assign(13.0)
    thirteen = saved.save(path())
    one, other = tf.train.Checkpoint(), tf.train.Checkpoint()
    if order == "last":
        one.restore(twelve)
        status = other.restore(thirteen)
    else:
        status = other.restore(thirteen)
        one.restore(twelve)
    part = module(tf, v=tf.Variable(0.0))
    one.part = part
    before = part.v.numpy()
    other.part = part
    status.assert_consumed()
    return before, part.v.numpy()


@case(check=["assert_consumed", "assert_existing_objects_matched"])
def one_saved_object_for_two(tf, check):
    shared = module(tf, v=tf.Variable(1.0))
    saved = tf.train.Checkpoint(a=module(tf, part=shared), b=module(tf, part=shared)).save(path())
    new = tf.train.Checkpoint(
        a=module(tf, part=module(tf, v=tf.Variable(0.0))), b=module(tf, part=module(tf, v=tf.Variable(0.0)))
    )
    getattr(new.restore(saved), check)()
    return 1


@case
def two_saved_objects_for_one(tf):
    saved = tf.train.Checkpoint(a=module(tf, v=tf.Variable(1.0)), b=module(tf, w=tf.Variable(2.0))).save(path())
    both = module(tf, v=tf.Variable(0.0), w=tf.Variable(0.0))
    tf.train.Checkpoint(a=both, b=both).restore(saved).assert_consumed().assert_existing_objects_matched()
    return both.v, both.w


@case
def root_outlives_its_checkpoint(tf):
    saved = tf.train.Checkpoint(module(tf, v=tf.Variable(2.0), later=tf.Variable(5.0))).save(path())
    root = module(tf, v=tf.Variable(0.0))
    tf.train.Checkpoint(root).restore(saved)
    root.later = tf.Variable(1.0)
    return root.v.numpy(), root.later.numpy()


@case(kind=["module", "weak reference"])
def name_that_the_root_has(tf, kind):
    root = module(tf, v=tf.Variable(2.0))
    return tf.train.Checkpoint(root if kind == "module" else weakref.ref(root), v=tf.Variable(1.0)) and 1


@case
def same_object_as_the_root_has(tf):
    root = module(tf, v=tf.Variable(2.0))
    return tf.train.Checkpoint(root, v=root.v) and 1


@case
def object_in_place_of_a_variable(tf):
    saved = tf.train.Checkpoint(v=tf.Variable(2.0), w=tf.Variable(3.0)).save(path())
    new = tf.train.Checkpoint(v=tf.Module(), w=tf.Variable(0.0))
    status = new.restore(saved)
    taken = new.w.numpy()
    try:
        status.assert_consumed()
    except AssertionError as problem:
        return taken, "Unused attributes" in str(problem) and "(root).v" in str(problem)
    return taken


@case(arguments=[0, 1, 2])
def callback_of_arguments(tf, arguments):
    called = []
    callback = [lambda: called.append("none"), lambda p: called.append("path"), lambda p, q: called.append("two")]
    options = tf.train.CheckpointOptions(experimental_write_callbacks=[callback[arguments]])
    tf.train.Checkpoint(v=tf.Variable(1.0)).write(path(), options=options)
    return called


@case
def copy_of_options(tf):
    options = tf.train.CheckpointOptions(enable_async=False, experimental_write_callbacks=[lambda: None])
    copied = copy.copy(options)
    copied.experimental_write_callbacks.append(lambda: None)
    copied.experimental_io_device = "CPU:1"
    return len(options.experimental_write_callbacks), options.experimental_io_device
