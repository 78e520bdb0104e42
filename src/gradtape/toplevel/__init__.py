"""Classes and functions of `tf` itself that belong to no other room.

critical_section.py   When code runs: the time, sections that one thread enters at a time
extension_batches.py  Extension types that datasets and tf.map_fn put into batches
extension_fields.py   The fields of extension types: which annotations there are, how values are checked and converted
extension_overrides.py  Functions of tf that take extension types
extension_types.py    ExtensionType: classes of the user that hold tensors, and pass through functions
gradients.py          tf.gradients and tf.hessians: derivatives in the graph of a function, without a tape
initializers.py       Initializers at the top level: functions of a shape that give the first value of a variable
inspection.py         Questions about tensors in traces, names and the log
module.py             Module: a named container of variables
printing.py           Values when they are known, in the order of the program
specs.py              Specs: descriptions of values other than tensors, and the spec of any value
status.py             Questions about values and the mode of execution
trackable.py          Bases of objects that checkpoints save
variable_creators.py  How variables are made, and how other objects become tensors: hooks for programs
variable_methods.py   Methods of variables that change or read some rows
"""
