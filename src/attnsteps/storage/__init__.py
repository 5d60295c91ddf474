"""Tensors, models and translators in files: whole or not there, and compared before a change.

===============  ======================================================================
Module           Holds
===============  ======================================================================
new_file         a file that appears complete or not at all
tensor_file      named tensors and a text in one such file, with a checksum and no pickle
eight_bits       a matrix in 8 bits, with a scale for each row
model_file       a model as tensors, and back, compared before it is allocated
translator_file  a model with its vocabularies, tokenizers and reading
writer_file      the model that writes digits, with its codebook
checkpoint       a model in training and its optimizer
===============  ======================================================================
"""
