"""logits and targets → other weights: how a model learns.

===================  ====================================================================
Module               Holds
===================  ====================================================================
loss                 cross-entropy with label smoothing, and the loss of a batch
non_autoregressive   the losses of models that find all tokens at once, length included
mixture              the loss of a model with experts, an even load included
schedule             the learning rate at every step
config               every choice of a training
update               one change of the weights, from one batch or several
distributed          several processes, each with its share of every batch
log                  what is remembered of a training: History, CSV, TensorBoard
progress             where a training stands
checkpoint           a training in a file, to be resumed to the last bit
loop                 train: all of these, from the first step to the last
===================  ====================================================================
"""
