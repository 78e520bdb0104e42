"""`tf.saved_model`: objects with their variables and traced functions in a folder, to be used without their source.

description.py   values as JSON, with tags for what JSON does not know
references.py    ops and functions of the library by name
graph_writer.py  traces, with the recordings from which derivatives are made, as descriptions
graph_reader.py  traces from descriptions
functions.py     functions and signatures
lookups.py       lookup tables
objects.py       the object itself: its attributes, lists and dicts
assets.py        files that belong to an object
store.py         the folder
exporting.py     save
importing.py     load
"""
