"""str → ids: from sentences to padded batches.

============  =================================================
Module        Holds
============  =================================================
byte_pairs    subwords, learned from a text
tokenizer     text ↔ tokens: words, characters, subwords
vocab         tokens ↔ ids
batch         ids → batches: padded, shifted, of similar length
============  =================================================
"""
