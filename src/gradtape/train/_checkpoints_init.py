"""Checkpoints: the values of variables in a file, found again by the names of the attributes that lead to them.

objects.py     what an object consists of: attributes, elements of lists and dicts, variables
container.py   the file: a header in JSON, arrays as bytes, checksums; written as a whole or not at all
restoring.py   values go to the variables with the same path, now or when those are made
checkpoint.py  tf.train.Checkpoint
directory.py   the file `checkpoint`, which names the latest one
manager.py     tf.train.CheckpointManager
reader.py      values by name, without objects
"""
