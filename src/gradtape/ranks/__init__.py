"""Training on several processes with MPI: the engine of `gradtape.horovod` and of the strategies over several workers.

MPI says nothing when ranks do not fit together: it hangs, or adds the wrong arrays. Three rules make every fault visible:

1. Nobody blocks in MPI, except while it starts, where a thread watches. Collectives are nonblocking and polled, and who polls looks at the board.
2. The board is memory that the ranks of a node share. Each rank writes there four times a second where it is; a rank that is
   stopped or dead cannot answer, but what it wrote can still be read.
3. Data moves only after one small reduction of a fixed size, on a communicator of its own, has shown that all ranks want the same.

    _library.py      Finding and starting MPI, and the errors of an environment that does not fit
    _arrival.py      Waiting for all ranks while MPI starts
    _board.py        Where every rank was last seen
    _engine.py       The ranks of a job: polled waits, agreement before data, how a job ends
    _group.py        The collectives of a set of ranks, on arrays
    _arithmetic.py   The ways to reduce, among them Adasum
    _buckets.py      Gradients that are reduced in buckets while the backward pass runs
    _progress.py     A thread that lets reductions proceed while machine code computes
    _operations.py   Collectives as ops: on tensors, eagerly and in functions, with gradients
"""
