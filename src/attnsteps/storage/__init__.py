"""Tensors, models and training runs in files: whole or not there, and compared before a change.

===========  ==========================================================================
Module       Holds
===========  ==========================================================================
new_file     a file that appears complete or not at all
tensor_file  named tensors and a text in one such file, with a checksum and no pickle
model_file   a model from a file's tensors, compared before it is allocated
checkpoint   a model in training and its optimizer
===========  ==========================================================================
"""
