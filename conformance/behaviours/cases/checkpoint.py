"""tf.train.Checkpoint and CheckpointManager: what is saved, restored, matched and refused."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from behaviour import case


def _folder() -> str:
    return tempfile.mkdtemp()


def _saved(tf: Any, **parts: Any) -> str:
    return tf.train.Checkpoint(**parts).save(os.path.join(_folder(), "ckpt"))


@case
def names_count_from_one(tf):
    checkpoint, folder = tf.train.Checkpoint(v=tf.Variable(1.0)), _folder()
    paths = [checkpoint.save(folder + "/ckpt") for _ in range(3)]
    return [os.path.basename(p) for p in paths], checkpoint.save_counter


@case
def write_does_not_count(tf):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    path = checkpoint.write(_folder() + "/x")
    return os.path.basename(path), checkpoint.save_counter


@case(dtype=["float32", "float64", "int32", "int64", "bool", "complex64", "uint8", "bfloat16", "float16"])
def restores_every_dtype(tf, dtype):
    path = _saved(tf, v=tf.Variable(tf.cast([1, 0, 1], dtype)))
    v = tf.Variable(tf.cast([0, 0, 0], dtype))
    tf.train.Checkpoint(v=v).restore(path).assert_consumed()
    return tf.cast(v, tf.float32)


@case
def restores_strings(tf):
    path = _saved(tf, v=tf.Variable(["a", "bc"]))
    v = tf.Variable(["", ""])
    tf.train.Checkpoint(v=v).restore(path)
    return v


@case(saved=["[2]", "[3]", "[]", "[1, 2]"])
def restores_another_shape(tf, saved):
    path = _saved(tf, v=tf.Variable(tf.ones(eval(saved))))
    v = tf.Variable(tf.zeros([2]))
    tf.train.Checkpoint(v=v).restore(path)
    return v


@case(dtype=["float64", "int32", "float16"])
def restores_another_dtype(tf, dtype):
    path = _saved(tf, v=tf.Variable(tf.ones([2], dtype)))
    v = tf.Variable(tf.zeros([2]))
    tf.train.Checkpoint(v=v).restore(path)
    return v


@case(
    check=["assert_consumed", "assert_existing_objects_matched", "assert_nontrivial_match", "expect_partial"],
    given=["same", "less", "more", "other"],
)
def status(tf, check, given):
    path = _saved(tf, a=tf.Variable(1.0), b=tf.Variable(2.0))
    names = {"same": "ab", "less": "a", "more": "abc", "other": "x"}[given]
    checkpoint = tf.train.Checkpoint(**{n: tf.Variable(0.0) for n in names})
    getattr(checkpoint.restore(path), check)()
    return [getattr(checkpoint, n) for n in names]


@case(check=["assert_consumed", "assert_existing_objects_matched", "expect_partial", "initialize_or_restore"])
def status_of_nothing(tf, check):
    status = tf.train.Checkpoint(v=tf.Variable(1.0)).restore(None)
    getattr(status, check)()
    return 1


@case(path=["missing", "folder", "empty folder", "text file", "below a file"])
def restores_what_is_not_there(tf, path):
    folder = _folder()
    Path(folder, "file").write_text("x")
    Path(folder, "bad.index").write_text("no checkpoint")
    given = {
        "missing": "/no/such/ckpt",
        "folder": folder,
        "empty folder": _folder(),
        "text file": folder + "/bad",
        "below a file": folder + "/file/x",
    }
    tf.train.Checkpoint(v=tf.Variable(1.0)).restore(given[path])
    return 1


@case(where=["new folders", "below a file"])
def saves_into(tf, where):
    folder = _folder()
    Path(folder, "file").write_text("x")
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(
        folder + ("/a/b/ckpt" if where == "new folders" else "/file/ckpt")
    )
    return os.path.relpath(path, folder)


@case
def restores_what_is_made_later(tf):
    path = _saved(tf, m=tf.train.Checkpoint(v=tf.Variable(5.0)))
    module = tf.Module()
    status = tf.train.Checkpoint(m=module).restore(path)
    module.v = tf.Variable(0.0)
    status.assert_consumed()
    return module.v


@case
def lists_and_dicts(tf):
    module = tf.Module()
    module.a, module.b = [tf.Variable(1.0), tf.Variable(2.0)], {"x": tf.Variable(3.0)}
    path = _saved(tf, m=module)
    other = tf.Module()
    other.a, other.b = [tf.Variable(0.0), tf.Variable(0.0)], {"x": tf.Variable(0.0)}
    tf.train.Checkpoint(m=other).restore(path).assert_consumed()
    return other.a[0], other.a[1], other.b["x"]


@case
def shared_variables(tf):
    v = tf.Variable(3.0)
    path = _saved(tf, a=v, b=v)
    a, b = tf.Variable(0.0), tf.Variable(0.0)
    tf.train.Checkpoint(a=a).restore(path)
    tf.train.Checkpoint(b=b).restore(path)
    return a, b


@case
def list_variables(tf):
    path = _saved(tf, v=tf.Variable([1.0, 2.0]), m=tf.train.Checkpoint(w=tf.Variable(3)))
    return [(n, s) for n, s in tf.train.list_variables(path) if "OBJECT_GRAPH" not in n]


@case(name=["v/.ATTRIBUTES/VARIABLE_VALUE", "v", "no"])
def load_variable(tf, name):
    return tf.train.load_variable(_saved(tf, v=tf.Variable([1.0, 2.0])), name)


@case
def reader(tf):
    found = tf.train.load_checkpoint(_saved(tf, v=tf.Variable([1.0, 2.0])))
    name = "v/.ATTRIBUTES/VARIABLE_VALUE"
    return (
        found.has_tensor(name),
        found.has_tensor("no"),
        found.get_tensor(name),
        found.get_variable_to_shape_map()[name],
        found.get_variable_to_dtype_map()[name],
    )


@case
def reader_of_a_missing_name(tf):
    return tf.train.load_checkpoint(_saved(tf, v=tf.Variable(1.0))).get_tensor("no")


@case(path=["missing", "empty folder"])
def reader_of_nothing(tf, path):
    return tf.train.load_checkpoint("/no/such/ckpt" if path == "missing" else _folder())


@case(value=["number", "text", "tensor", "list of numbers", "none", "function"])
def parts_that_cannot_be_saved(tf, value):
    given = {
        "number": 3,
        "text": "x",
        "tensor": tf.constant(1.0),
        "list of numbers": [1],
        "none": None,
        "function": len,
    }
    tf.train.Checkpoint(v=given[value]).save(_folder() + "/ckpt")
    return 1


@case(state=["none", "one", "two"])
def latest_checkpoint(tf, state):
    folder, checkpoint = _folder(), tf.train.Checkpoint(v=tf.Variable(1.0))
    for _ in range(["none", "one", "two"].index(state)):
        checkpoint.save(folder + "/ckpt")
    found = tf.train.latest_checkpoint(folder)
    return found and os.path.basename(found)


@case(text=["", "no state", 'model_checkpoint_path: "ckpt-9"', "model_checkpoint_path: 3"])
def latest_checkpoint_of_a_damaged_state(tf, text):
    folder = _folder()
    Path(folder, "checkpoint").write_text(text)
    return tf.train.latest_checkpoint(folder)


@case(keep=[1, 2, None, 0])
def manager_keeps(tf, keep):
    folder, v = _folder(), tf.Variable(0.0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), folder, keep)
    for _ in range(4):
        v.assign_add(1.0)
        manager.save()
    names = [os.path.basename(p) for p in manager.checkpoints]
    files = sorted(p.name for p in Path(folder).glob("*.index"))
    return names, os.path.basename(manager.latest_checkpoint), files


@case(keep=[-1, 0, 1.5])
def manager_with_an_odd_number(tf, keep):
    tf.train.CheckpointManager(tf.train.Checkpoint(), _folder(), keep)
    return 1


@case
def manager_goes_on(tf):
    folder, v = _folder(), tf.Variable(1.0)
    tf.train.CheckpointManager(tf.train.Checkpoint(v=v), folder, 2).save()
    other = tf.Variable(0.0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=other), folder, 2)
    path = manager.restore_or_initialize()
    manager.save()
    return os.path.basename(path), other, [os.path.basename(p) for p in manager.checkpoints]


@case
def manager_initializes(tf):
    v = tf.Variable(0.0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), _folder(), 2, init_fn=lambda: v.assign(7.0))
    return manager.restore_or_initialize(), v


@case
def manager_numbers(tf):
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(0.0)), _folder(), 3, checkpoint_name="m")
    return [os.path.basename(manager.save(checkpoint_number=n)) for n in (5, 7)]


@case(interval=[1, 3])
def manager_waits(tf, interval):
    step = tf.Variable(0, dtype=tf.int64)
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(step=step), _folder(), 9, step_counter=step, checkpoint_interval=interval
    )
    saved = []
    for _ in range(7):
        saved.append(manager.save() is not None)
        step.assign_add(1)
    return saved


@case
def manager_needs_a_step(tf):
    tf.train.CheckpointManager(tf.train.Checkpoint(), _folder(), 1, checkpoint_interval=3)
    return 1


@case(where=["file", "below a file"])
def manager_in_place_of_a_file(tf, where):
    folder = _folder()
    Path(folder, "file").write_text("x")
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(v=tf.Variable(1.0)), folder + ("/file" if where == "file" else "/file/x"), 2
    )
    manager.save()
    return 1


@case(call=["save", "restore", "write"])
def inside_a_function(tf, call):
    checkpoint, folder = tf.train.Checkpoint(v=tf.Variable(1.0)), _folder()
    path = checkpoint.save(folder + "/ckpt")

    @tf.function
    def f():
        getattr(checkpoint, call)(path)
        return 1

    return f()


@case
def read_and_write(tf):
    path = tf.train.Checkpoint(v=tf.Variable(4.0)).write(_folder() + "/x")
    v = tf.Variable(0.0)
    tf.train.Checkpoint(v=v).read(path).assert_consumed()
    return v


@case
def damaged_file_leaves_the_variables(tf):
    path = _saved(tf, v=tf.Variable([1.0, 2.0]))
    index = Path(path + ".index")
    index.write_bytes(index.read_bytes()[: index.stat().st_size // 2])
    v = tf.Variable([0.0, 0.0])
    try:
        tf.train.Checkpoint(v=v).restore(path)
    except tf.errors.OpError as problem:
        return v, type(problem).__name__
    return v


@case(path=["text", "tensor", "no folder"])
def written_in_a_function(tf, path):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/{'absent/x' if path == 'no folder' else 'x'}"

        @tf.function
        def write(given):
            v.assign_add(1.0)
            written = checkpoint.write(place if path == "text" else given)
            v.assign_add(10.0)
            return written

        found = []
        for _ in range(2):
            kind = write(tf.constant(place)).dtype
            before = v.numpy()
            checkpoint.read(place)
            found.append((before, v.numpy(), kind))
    return found
