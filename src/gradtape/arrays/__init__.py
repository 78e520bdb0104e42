"""Functions of `tf` itself that make tensors and move, index, sort and join their elements.

blocks.py          Blocks of space in the batch axis or among the channels
creation.py        New tensors: zeros, ones, ranges, grids, one-hot vectors
indexing.py        Elements by index: gathers, scatters, and searches for a position
joining.py         Putting tensors together and taking them apart: concat, stack, split, unstack
movement.py        Shape and place: functions that rearrange elements without computing
partitioning.py    Rows sent to several tensors by number, and put together again
representation.py  Values in other forms: their bits as another dtype, their text
shapes.py          Shapes as tensors, and checks of shapes
slicing.py         Slices by numbers: `tf.slice` and `tf.strided_slice`
sorting.py         Sorting, the largest few, distinct elements, permutations, and fits that keep an order
space_batch.py     Blocks of space in other axes, sequences of several lengths, patches of volumes
"""
