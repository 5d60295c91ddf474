"""str → ids: from sentences to padded batches.

==============  ==================================================================
Module          Holds
==============  ==================================================================
lexicon         words: forms, readings, and what goes with what
glossary        all of them listed, with glosses
phrases         somebody or something, in both languages at once
clause          who does what, when, where: the order of both languages
choices         drawn by chance: who, what, when, where
spoken          a sentence in both languages
sentences       statements; questions, description, pronouns: other kinds
corpus          Chinese–English pairs, generated, with alignments known
download        a file from the network, checked and kept
parallel        real corpora: Tatoeba Chinese–English, Multi30k German–English
byte_pairs      pieces of words, learned from a text
tokenizer       text ↔ tokens: words, characters, pieces of words
vocab           tokens ↔ ids
batch           ids → batches: padded, shifted, of similar length
==============  ==================================================================
"""
