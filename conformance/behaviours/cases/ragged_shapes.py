"""Row partitions, the shapes of ragged tensors, and ragged tensors that broadcast to each other."""

from behaviour import case

NAMES = """
RP=tf.experimental.RowPartition
D=tf.experimental.DynamicRaggedShape
R=tf.ragged.constant
RT=tf.RaggedTensor
"""


def names(tf):
    import numpy as np

    found = {"tf": tf, "np": np, "c": tf.constant}
    exec(NAMES, found)
    return found | {
        "FL": found["D"].from_lengths,
        "allrp": everything_of_a_partition,
        "alld": everything_of_a_shape,
    }


def everything_of_a_partition(p):
    return [
        p.row_splits(), p.value_rowids(), p.row_lengths(), p.row_starts(), p.row_limits(), p.nrows(), p.nvals(),
        p.static_nrows, p.static_nvals, p.static_uniform_row_length, p.is_uniform(), p.uniform_row_length(), p.dtype,
        p.offsets_in_rows(), repr(p),
    ]  # fmt: skip


def everything_of_a_shape(d):
    lengths = [int(n) if hasattr(n, "item") else n for n in d.static_lengths()]
    return [
        d, d.rank, d.inner_rank, d.num_row_partitions, d.dtype, repr(lengths), repr(d),
        [d.is_uniform(i) for i in range(d.rank)],
    ]  # fmt: skip


def plain(tf, value):
    """A result whose partitions and shapes are shown by their tensors."""
    if isinstance(value, (list, tuple)):
        return [plain(tf, v) for v in value]
    if isinstance(value, tf.experimental.DynamicRaggedShape):
        return {"partitions": plain(tf, list(value.row_partitions)), "inner": value.inner_shape}
    if isinstance(value, tf.experimental.RowPartition):
        return {"row_splits": value.row_splits()}
    return repr(value) if isinstance(value, tf.TypeSpec) else value


def of_any_size(tf, x):
    """The spec of a value of which no size is known."""
    if isinstance(x, tf.RaggedTensor):
        inner = x.shape.as_list()[x.ragged_rank + 1 :]
        return tf.RaggedTensorSpec([None] * (x.ragged_rank + 1) + inner, x.dtype, x.ragged_rank, x.row_splits.dtype)
    return tf.TensorSpec([None] * x.shape.rank, x.dtype)


EXPRESSIONS = [
    "allrp(RP.from_row_splits([0,4,4,7,8,8]))",
    "allrp(RP.from_row_lengths([4,0,3,1,0]))",
    "allrp(RP.from_value_rowids([0,0,0,0,2,2,2,3],nrows=5))",
    "allrp(RP.from_value_rowids([0,0,2]))",
    "allrp(RP.from_value_rowids([]))",
    "allrp(RP.from_row_starts([0,4,4,7,8],nvals=8))",
    "allrp(RP.from_row_limits([4,4,7,8,8]))",
    "allrp(RP.from_uniform_row_length(2,nvals=16))",
    "allrp(RP.from_uniform_row_length(2,nrows=3))",
    "allrp(RP.from_uniform_row_length(0,nvals=0,nrows=10))",
    "allrp(RP.from_uniform_row_length(0,nvals=0))",
    "allrp(RP.from_uniform_row_length(uniform_row_length=c(3,tf.int32),nvals=6))",
    "allrp(RP.from_row_splits(np.array([0,2,5],np.int32)))",
    "allrp(RP.from_row_splits(np.array([0,2,5],np.int64)))",
    "allrp(RP.from_row_splits(c([0,2,5])))",
    "allrp(RP.from_row_splits([0,2,5],dtype=tf.int32))",
    "allrp(RP.from_row_splits([0,2,5],dtype_hint=tf.int32))",
    "allrp(RP.from_row_lengths([0,2,5],dtype=tf.int32))",
    "allrp(RP.from_row_splits([0,2,5]).with_dtype(tf.int32))",
    "allrp(RP.from_uniform_row_length(5,nvals=10,nrows=2).with_dtype(tf.int32))",
    "allrp(RP.from_row_starts([],nvals=0))",
    "allrp(RP.from_row_limits([]))",
    "allrp(RP.from_row_lengths([]))",
    "allrp(RP.from_value_rowids(c([0,0,1],tf.int32),nrows=c(3,tf.int32)))",
    "allrp(RP.from_row_starts(c([0,1],tf.int64),nvals=c(3)))",
    "allrp(RP.from_row_splits([0,0]))",
    "RP.from_value_rowids([[1,2],[3,4]],nrows=10)",
    "RP.from_value_rowids([1,2,3,4],nrows=[10])",
    "RP.from_value_rowids([-5,2,3,4],nrows=10)",
    "RP.from_value_rowids([4,3,2,1],nrows=10)",
    "RP.from_value_rowids([1,2,3,4],nrows=2)",
    "RP.from_value_rowids([1,2],nrows=-2)",
    "RP.from_row_splits([[1,2],[3,4]])",
    "RP.from_row_splits([2,3,4])",
    "RP.from_row_splits([0,3,2,4])",
    "RP.from_row_splits([])",
    "RP.from_row_lengths([[1,2],[1,0]])",
    "RP.from_row_lengths([3,-1,2])",
    "RP.from_row_starts([[1,2],[3,4]],nvals=2)",
    "RP.from_row_starts([2,3,4],nvals=5)",
    "RP.from_row_starts([0,3,2,4],nvals=4)",
    "RP.from_row_starts([0,2,3,5],nvals=4)",
    "RP.from_row_limits([[1,2],[3,4]])",
    "RP.from_row_limits([-1,3,4])",
    "RP.from_row_limits([0,3,2,4])",
    "RP.from_uniform_row_length([2],nvals=4)",
    "RP.from_uniform_row_length(-2,nvals=4)",
    "RP.from_uniform_row_length(3,nvals=4)",
    "RP.from_uniform_row_length(2,nvals=4,nrows=3)",
    "RP.from_uniform_row_length(2)",
    "RP.from_row_splits([0,1],validate=3)",
    "RP.from_row_splits([0.,1.])",
    "RP.from_row_splits(['a'])",
    "RP(row_splits=c([0,2]))",
    "RP.from_row_splits([0,2]).with_dtype(tf.float32)",
    "RP.from_row_lengths(c([1.,2.]))",
    "RP.from_row_splits([0,3,2],validate=False).row_splits()",
    "RP.from_uniform_row_length(2,nvals=4,validate=5)",
    "tf.nest.flatten(RP.from_row_splits([0,2]), expand_composites=True)",
    "alld(FL([]))",
    "alld(FL([2,(3,2)]))",
    "alld(FL([2,2]))",
    "alld(FL([2,(3,2),7]))",
    "alld(FL([2,(2,2),3]))",
    "alld(FL([2,2,3]))",
    "alld(FL([2,(2,1),(2,0,3)]))",
    "alld(FL([2,2,3],0))",
    "alld(FL([0]))",
    "alld(FL([0,()]))",
    "alld(FL([2,3],dtype=tf.int32))",
    "alld(FL([2,(2,1,3)],1))",
    "alld(FL([2,3],2))",
    "alld(FL([],3))",
    "alld(FL([(5,3),3],'a'))",
    "alld(FL([(5,'a'),3],0))",
    "alld(FL(['a'],0))",
    "alld(FL(7,0))",
    "alld(FL([2,(0,0),3]))",
    "alld(FL([2,(2,1,3)]))",
    "alld(D.from_tensor('x'))",
    "alld(D.from_tensor(['a','b','c']))",
    "alld(D.from_tensor([['a','b','c'],['d','e','f']]))",
    "alld(D.from_tensor(R([['a','b','c'],['d','e']])))",
    "alld(D.from_tensor(R([[['a','b','c'],['d','e','f']]],ragged_rank=1)))",
    "alld(D.from_tensor(R([[[[1],[2]],[[3],[4]]],[[[5],[6]]]],ragged_rank=1)))",
    "alld(D.from_tensor(R([[[1,2],[3]],[[4,5]]])))",
    "alld(D.from_tensor(R([[1]],row_splits_dtype=tf.int32)))",
    "alld(D.from_tensor(R([[1]]),dtype=tf.int32))",
    "alld(D.from_tensor([1,2],dtype=tf.int64))",
    "alld(D.from_tensor([1,2]))",
    "alld(D([RP.from_row_splits([0,2,3])],[3]))",
    "alld(D([RP.from_row_splits([0,2,3])],[4]))",
    "alld(D([RP.from_row_splits([0,2,3]),RP.from_row_splits([0,1,2,3])],[3]))",
    "alld(D([RP.from_row_splits([0,2,3]),RP.from_row_splits([0,1])],[1]))",
    "alld(D([RP.from_value_rowids([0,0,1]),RP.from_row_splits([0,1])],[1]))",
    "alld(D([RP.from_value_rowids([0,0,1])],[4]))",
    "alld(D([],[2,3]))",
    "alld(D([],c([2,3])))",
    "alld(D([],[[2]]))",
    "alld(D(3,[2]))",
    "alld(D([3],[2]))",
    "alld(D([RP.from_row_splits([0,2],dtype=tf.int32)],[2]))",
    "alld(D([RP.from_row_splits([0,2],dtype=tf.int32)],c([2],tf.int64)))",
    "alld(D([RP.from_row_splits([0,2],dtype=tf.int32)],c([2],tf.int64),dtype=tf.int64))",
    "alld(D([],np.array([2,3],np.int32)))",
    "alld(D([],[2,3],dtype=tf.int32))",
    "alld(D.from_row_partitions([RP.from_row_lengths([2,0])]))",
    "alld(D.from_row_partitions([]))",
    "alld(D([RP.from_row_splits([0,2,3])],[4],validate=True))",
    "alld(FL([2,3]).with_dtype(tf.int32))",
    "alld(FL([2,(3,2)]).with_dtype(tf.int32))",
    "alld(tf.shape(R([[1],[2,3]])))",
    "alld(tf.shape(R([[1],[2,3]]),out_type=tf.int64))",
    "FL([2,3])[0]",
    "FL([2,3])[1]",
    "FL([2,3])[-1]",
    "FL([2,3])[2]",
    "FL([2,3])[-3]",
    "FL([2,(3,2)])[0]",
    "FL([2,(3,2)])[1]",
    "FL([2,(3,2),7])[2]",
    "FL([2,(3,2),7])[-1]",
    "FL([2,2,3],2)[1]",
    "FL([2,2,3],2)[2]",
    "FL([2,3])[:1]",
    "FL([2,3])[1:]",
    "FL([2,(3,2),7])[:2]",
    "FL([2,(3,2),7])[:1]",
    "FL([2,(3,2),7])[1:]",
    "FL([2,(3,2),7])[0:3]",
    "FL([2,2,3],2)[1:]",
    "FL([2,2,3],1)[1:2]",
    "FL([2,(3,2),7])[2:]",
    "FL([2,(3,2),7])[:0]",
    "FL([2,(3,2),7])[:20]",
    "FL([2,(3,2),7])[:-1]",
    "FL([2,(3,2),7])[-1:]",
    "FL([2,3])['a']",
    "FL([2,3])[::2]",
    "FL([2,3])[0.5]",
    "FL([2,3]).is_uniform(5)",
    "FL([2,3]).is_uniform(-1)",
    "FL([2,3]).is_uniform('a')",
    "FL([2,(3,2),4,5])[:3]",
    "tf.broadcast_dynamic_shape(FL([3]),FL([1]))",
    "tf.broadcast_dynamic_shape(FL([1]),FL([3]))",
    "tf.broadcast_dynamic_shape(FL([2, 3]),FL([3]))",
    "tf.broadcast_dynamic_shape(FL([3]),FL([2, 3]))",
    "tf.broadcast_dynamic_shape(FL([2, 3]),FL([1, 3]))",
    "tf.broadcast_dynamic_shape(FL([1, 3]),FL([2, 3]))",
    "tf.broadcast_dynamic_shape(FL([2, (1, 2)]),FL([2, 1]))",
    "tf.broadcast_dynamic_shape(FL([2, 1]),FL([2, (1, 2)]))",
    "tf.broadcast_dynamic_shape(FL([2, (1, 2)]),FL([1]))",
    "tf.broadcast_dynamic_shape(FL([1]),FL([2, (1, 2)]))",
    "tf.broadcast_dynamic_shape(FL([2, (1, 2)]),FL([]))",
    "tf.broadcast_dynamic_shape(FL([]),FL([2, (1, 2)]))",
    "tf.broadcast_dynamic_shape(FL([1, 1]),FL([2, (1, 2)]))",
    "tf.broadcast_dynamic_shape(FL([2, (1, 2)]),FL([1, 1]))",
    "tf.broadcast_dynamic_shape(FL([2, (1, 2), 3]),FL([3]))",
    "tf.broadcast_dynamic_shape(FL([3]),FL([2, (1, 2), 3]))",
    "tf.broadcast_dynamic_shape(FL([2, (1, 2), 1]),FL([2, 1, 3]))",
    "tf.broadcast_dynamic_shape(FL([2, 1, 3]),FL([2, (1, 2), 1]))",
    "tf.broadcast_dynamic_shape(FL([2, (1, 2), (1, 2, 3)]),FL([2, 1, 1]))",
    "tf.broadcast_dynamic_shape(FL([2, 1, 1]),FL([2, (1, 2), (1, 2, 3)]))",
    "tf.broadcast_dynamic_shape(FL([2, (2, 2)]),FL([2, 2]))",
    "tf.broadcast_dynamic_shape(FL([2, 2]),FL([2, (2, 2)]))",
    "tf.broadcast_dynamic_shape(FL([2, (2, 2)]),FL([2, 3]))",
    "tf.broadcast_dynamic_shape(FL([2, 3]),FL([2, (2, 2)]))",
    "tf.broadcast_dynamic_shape(FL([2, (2, 1)]),FL([3, (1, 2, 3)]))",
    "tf.broadcast_dynamic_shape(FL([3, (1, 2, 3)]),FL([2, (2, 1)]))",
    "tf.broadcast_dynamic_shape(FL([2, (2, 1)]),FL([2, (1, 2)]))",
    "tf.broadcast_dynamic_shape(FL([2, (1, 2)]),FL([2, (2, 1)]))",
    "tf.broadcast_dynamic_shape(FL([2, (2, 1)]),FL([2, (2, 1)]))",
    "tf.broadcast_dynamic_shape(FL([2, (2, 1), 2]),FL([2, (2, 1), 2]))",
    "tf.broadcast_dynamic_shape(FL([2, (2, 1), 2]),FL([2, (2, 1), 1]))",
    "tf.broadcast_dynamic_shape(FL([2, (2, 1), 1]),FL([2, (2, 1), 2]))",
    "tf.broadcast_dynamic_shape(FL([1, (2,)]),FL([3, (2, 2, 2)]))",
    "tf.broadcast_dynamic_shape(FL([3, (2, 2, 2)]),FL([1, (2,)]))",
    "tf.broadcast_dynamic_shape(FL([2, 1, (2, 3)]),FL([2, 3, 1]))",
    "tf.broadcast_dynamic_shape(FL([2, 3, 1]),FL([2, 1, (2, 3)]))",
    "tf.broadcast_dynamic_shape(FL([2, 2]),FL([2, 3]))",
    "tf.broadcast_dynamic_shape(FL([2, 3]),FL([2, 2]))",
    "tf.broadcast_dynamic_shape(FL([2, (1, 2)]),FL([3, 2, 1]))",
    "tf.broadcast_dynamic_shape(FL([3, 2, 1]),FL([2, (1, 2)]))",
    "tf.broadcast_dynamic_shape(FL([1, 2, 1]),FL([2, (1, 2)]))",
    "tf.broadcast_dynamic_shape(FL([2, (1, 2)]),FL([1, 2, 1]))",
    "tf.broadcast_dynamic_shape(FL([2, (3, 3)]),FL([2]))",
    "tf.broadcast_dynamic_shape(FL([2]),FL([2, (3, 3)]))",
    "tf.broadcast_dynamic_shape(FL([]),FL([2, (3, 3)]))",
    "tf.broadcast_dynamic_shape(FL([2, (3, 3)]),FL([]))",
    "tf.broadcast_dynamic_shape(FL([3, (2, 3, 1)]),FL([1, 1, 1]))",
    "tf.broadcast_dynamic_shape(FL([1, 1, 1]),FL([3, (2, 3, 1)]))",
    "tf.broadcast_dynamic_shape(FL([2, 1, 3, (1, 1, 1, 2, 2, 2)]),FL([2, 2, 1, 1]))",
    "tf.broadcast_dynamic_shape(FL([2, 2, 1, 1]),FL([2, 1, 3, (1, 1, 1, 2, 2, 2)]))",
    "tf.broadcast_dynamic_shape(FL([2,(1,2)]),[2,1])",
    "tf.broadcast_dynamic_shape([2,1],FL([2,(1,2)]))",
    "tf.broadcast_dynamic_shape(FL([2,(1,2)]),FL([2,1],dtype=tf.int32))",
    "tf.broadcast_dynamic_shape(FL([2]),FL([2,1]))",
    "tf.broadcast_to(3,FL([2,(1,2)]))",
    "tf.broadcast_to([3],FL([2,(1,2)]))",
    "tf.broadcast_to([[3],[4]],FL([2,(1,2)]))",
    "tf.broadcast_to([[3]],FL([2,(1,2)]))",
    "tf.broadcast_to([[3,4]],FL([2,(2,2)]))",
    "tf.broadcast_to([[3,4],[5,6]],FL([2,(2,2)]))",
    "tf.broadcast_to([3,4],FL([2,(1,2),2]))",
    "tf.broadcast_to(R([[1],[2,3]]),FL([2,(1,2)]))",
    "tf.broadcast_to(R([[1],[2,3]]),FL([2,(2,2)]))",
    "tf.broadcast_to(RT.from_uniform_row_length([1,2],1),FL([2,(1,2)]))",
    "tf.broadcast_to([1,2],FL([3,2]))",
    "tf.broadcast_to(R([[1],[2,3]]),FL([2,1,(1,2)]))",
    "tf.broadcast_to(R([[1],[2,3]]),FL([1,2,(1,2)]))",
    "tf.broadcast_to([[[1]],[[2]]],FL([2,(1,2),(1,2,3)]))",
    "tf.broadcast_to([[[1]],[[2]]],FL([2,(1,2)]))",
    "tf.broadcast_to([[1,2],[3,4]],FL([2,2],1))",
    "tf.broadcast_to([1,2,3],FL([2,(3,3)]))",
    "tf.broadcast_to([1,2],FL([2,(3,3)]))",
    "tf.broadcast_to(R([[[1,2]],[[3,4],[5,6]]],ragged_rank=1),FL([2,(1,2),2]))",
    "tf.broadcast_to(R([[[1],[2]],[[3]]],ragged_rank=1),FL([2,(2,1),3]))",
    "tf.broadcast_to(R([[1],[2,3]]),FL([2,(1,2),2]))",
    "tf.ones(FL([2,(1,2)]))",
    "tf.zeros(FL([2,(1,2),2]),tf.int32)",
    "tf.fill(FL([2,(1,2)]),7)",
    "tf.ones(FL([2,3]))",
    "tf.reshape([1,2,3],FL([2,(1,2)]))",
    "tf.reshape(R([[1],[2,3]]),FL([2,(2,1)]))",
    "tf.reshape(R([[1],[2,3]]),[3])",
    "tf.reshape(R([[1],[2,3]]),[-1,1])",
    "tf.reshape([1,2,3,4],FL([2,(1,2)]))",
    "tf.reshape(R([[1],[2,3]]),FL([3,1]))",
    "tf.reshape([[1,2],[3,4],[5,6]],FL([2,(1,2),2]))",
    "tf.broadcast_to(R([[1],[2,3]]),[2,2])",
    "tf.nest.flatten(FL([2,(1,2)]), expand_composites=True)",
    "repr(FL([2,(1,2)])._type_spec)",
    "repr(D.Spec.from_value(FL([2,(1,2)])))",
    "D.Spec([],[2,None],tf.int64).rank",
    "repr(D.Spec([],[2,None],tf.int64))",
    "D.Spec([],3.5,tf.int64)",
    "D.Spec(3,[2],tf.int64)",
    "D.Spec([3],[2],tf.int64)",
    "D.Spec([],[2],tf.float32)",
    "D.Spec([],[2,3],tf.int64)==D.Spec([],[2,3],tf.int64)",
    "RT.from_tensor([[1,2],[3,4]]).shape",
    "RT.from_tensor([[[1,2],[3,4]]]).shape",
    "RT.from_tensor([[[1,2],[3,4]]],ragged_rank=2).shape",
    "(RT.from_tensor([[1.],[3.]])+RT.from_tensor([[1.,2.],[3.,4.]])).shape",
    "(RT.from_uniform_row_length([1.,2.],1)+ R([[1.,2.,3.],[4.]])).shape",
    "(R([[1.,2.,3.],[4.]])+c([[1.],[2.]])).shape",
    "(R([[1.,2.,3.],[4.]])+R([[1.,2.,3.],[4.]])).shape",
]


@case(expression=EXPRESSIONS)
def values(tf, expression):
    return plain(tf, eval(expression, names(tf)))


FUNCTIONS = [
    "lambda s: RP.from_row_splits(s).row_lengths() | c([0,2,5],tf.int64)",
    "lambda s: RP.from_row_splits(s) | c([0,2,5],tf.int64)",
    "lambda s: RP.from_row_lengths(s).row_splits() | c([0,2,5],tf.int64)",
    "lambda s: RP.from_value_rowids(s).row_splits() | c([0,2,2],tf.int64)",
    "lambda s: RP.from_uniform_row_length(2,nvals=s).row_splits() | c(4,tf.int64)",
    "lambda s: RP.from_uniform_row_length(s,nvals=6).nrows() | c(2,tf.int64)",
    "lambda s: RP.from_row_starts(s,nvals=6).row_lengths() | c([0,2],tf.int64)",
    "lambda s: RP.from_row_splits(s).offsets_in_rows() | c([0,2,5],tf.int64)",
    "lambda s: RP.from_row_splits(s).row_splits() | c([0,2,1],tf.int64)",
    "lambda x: tf.shape(x) | R([[1.,2.],[3.]])",
    "lambda x: tf.shape(x)[0] | R([[1.,2.],[3.]])",
    "lambda x,y: tf.broadcast_to(x, tf.shape(y)) | c([[1.],[2.]]) | R([[1.,2.],[3.]])",
    "lambda x,y: tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y)) | c([[1.],[2.]]) | R([[1.,2.],[3.]])",
    "lambda x,y: tf.reshape(x, tf.shape(y)) | c([1.,2.,3.]) | R([[1.,2.],[3.]])",
    "lambda y: tf.ones(tf.shape(y)) | R([[1.,2.],[3.]])",
    "lambda y: tf.zeros(tf.shape(y,tf.int64)) | R([[1.,2.],[3.]])",
    "lambda s: s | FL([2,(1,2)])",
    "lambda x,y: x+y | RT.from_uniform_row_length([1.,2.],1) | R([[1.,2.,3.],[4.]])",
    "lambda x,y: x+y | R([[1.,2.,3.],[4.]]) | RT.from_uniform_row_length([1.,2.],1)",
    "lambda x,y: x+y | RT.from_tensor([[1.],[3.]]) | c([[10.,20.],[30.,40.]])",
    "lambda x,y: x+y | R([[1.,2.],[3.]]) | c([[[10.]],[[20.]]])",
    "lambda x,y: x*y | R([[[1.,2.],[3.,4.]],[],[[5.,6.]]],ragged_rank=1) | R([[[1.,2.],[3.,4.]],[],[[5.,6.]]])",
    "lambda x,y: x*y | R([[[1.,2.],[3.,4.]],[],[[5.,6.]]],ragged_rank=1) | R([[[1.],[3.]],[],[[5.]]],ragged_rank=1)",
    "lambda x,y: x*y | RT.from_tensor([[1.,2.],[3.,4.]]) | R([[1.,2.],[3.,4.]])",
    "lambda x,y: x*y | RT.from_tensor([[1.,2.]]) | c([[1.],[2.]])",
    "lambda x,y: x*y | R([[1.,2.]]) | R([[1.,2.],[2.,3.]])",
    "lambda x,y: x*y | R([[1.,2.]]) | R([[1.,2.],[2.]])",
    "lambda x,y: x*y | R([[1.],[2.]]) | R([[1.,2.],[2.]])",
    "lambda x,y: x==y | R([[1.,2.]]) | R([[1.,3.]])",
    "lambda x,y: tf.maximum(x,y) | R([[1.,2.],[3.]]) | RT.from_uniform_row_length([2.,2.],1)",
    "lambda x,y: tf.where(x,y,3.) | RT.from_uniform_row_length([True,False],1) | R([[1.,2.,3.],[4.]])",
    "lambda x,y: tf.where(x,y,y) | R([[True],[False]]) | R([[1.],[4.]])",
    "lambda x,y: tf.where(x,y,y*2) | c([[True],[False]]) | R([[1.,2.],[4.]])",
]


@case(program=FUNCTIONS, how=["eager", "traced", "sizes unknown", "gradient"])
def functions(tf, program, how):
    text, *given = program.split(" | ")
    function, arguments = eval(text, names(tf)), [eval(a, names(tf)) for a in given]
    if how == "traced":
        function = tf.function(function)
    if how == "sizes unknown":
        function = tf.function(function, input_signature=[of_any_size(tf, a) for a in arguments])
    if how != "gradient":
        return plain(tf, function(*arguments))
    sources = [a.flat_values if isinstance(a, tf.RaggedTensor) else a for a in arguments if a.dtype.is_floating]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        results = tf.nest.flatten(function(*arguments), expand_composites=True)
        total = tf.add_n([tf.reduce_sum(r * r) for r in results if r.dtype.is_floating])
    return [None if g is None else tf.convert_to_tensor(g) for g in tape.gradient(total, sources)]
