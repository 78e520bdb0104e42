"""TensorFlow's internal names, as far as libraries use them.

`names.txt` is the table of modules and names. The files have the functions and classes that stand nowhere else.
"""
