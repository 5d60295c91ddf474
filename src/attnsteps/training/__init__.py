"""logits and targets → other weights: how a model learns.

===================  ====================================================================
Module               Holds
===================  ====================================================================
loss                 cross-entropy with label smoothing, and the loss of a batch
non_autoregressive   the losses of models that find all tokens at once, length included
mixture              the loss of a model with experts, an even load included
schedule             the learning rate at every step
config               every choice of a training run
update               one change of the weights, from one batch or several
distributed          several processes, each with its share of every batch
log                  what is remembered of a training run: Record, History, log.csv
progress             where a training run stands
run                  the training run itself: an iterator over updates of any module
resume               what a run is of, and a run in a file, to go on to the last bit
watchers             what follows a run: records, their file, a bar, checkpoints
loop                 train: a run over sentence pairs, and all that follows it
===================  ====================================================================
"""
