"""tf.distribute in one process.

A strategy has one replica, or several on parts of the CPU (`tf.config.set_logical_device_configuration`). Replicas run one after
the other, each until it is done or needs the others; what they share is brought together by the thread that called `run`. So
the results are those of several devices, not their speed.

    values.py      a value for each replica
    context.py     which strategy and which replica is around
    replicas.py    running a function on all replicas
    reduction.py   bringing values together
    variables.py   variables of several replicas
    datasets.py    a batch for each replica
    strategy.py    the strategies
"""
