"""What NumPy's functions compute on tensors, written once for their three clients.

`tf.experimental.numpy`, `keras.ops.numpy` and NumPy's own protocol differ in how values become tensors and which dtype a result
has: that is a `Policy`. What is computed is the same, and stands here.

    policy.py       how a client converts arguments
    rows.py         public functions from the rows of `elementwise.ROWS`, for a policy
    elementwise.py  the table of functions of one or two arrays that broadcast
    movement.py     axes and elements moved, on tensors
    matrices.py     diagonals, triangles and products, on tensors
    statistics.py   reductions and running sums, for a policy
    selection.py    elements at indices, differences of neighbours, on tensors
"""
