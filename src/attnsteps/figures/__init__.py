"""The chapters' own drawings: each is a function that takes the chapter's tensors.

A chapter's figures lie in the module of its stem, in their order on its page, so a reader can call
one again with other numbers. What several chapters draw lies in ``shared``; every word in a figure
passes ``say``.

====================  ==================================================================
Module                Holds
====================  ==================================================================
catalogue             the words of the figures, which a translation replaces
shared                pieces that several chapters draw
sequence_to_sequence  the figures of chapter 1
text                  the figures of chapter 2
embedding             the figures of chapter 3
query_key_value       the figures of chapter 4
scaling               the figures of chapter 5
softmax               the figures of chapter 6
attention             the figures of chapter 7
multi_head            the figures of chapter 8
masks                 the figures of chapter 9
positional            the figures of chapter 10
residual_and_norm     the figures of chapter 11
feed_forward          the figures of chapter 12
encoder               the figures of chapter 13
decoder               the figures of chapter 14
transformer           the figures of chapter 15
training              the figures of chapter 16
decoding              the figures of chapter 17
non_autoregressive    the figures of chapter 18
inside                the figures of chapter 19
scale                 the figures of chapter 20
family                the figures of chapter 21
since_2017            the figures of chapter 22
your_own_sentence     the figures of chapter 23
====================  ==================================================================
"""
