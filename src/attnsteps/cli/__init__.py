"""The command line: ``python -m attnsteps train | translate | evaluate``.

==============  ==================================================================
Module          Holds
==============  ==================================================================
corpora         the corpora by name, as texts, with tokenizers and vocabularies
train           a corpus → a translator in a file
translate       sentences → their translations, with the attention as a table
evaluate        a translator and a corpus → scores
own             a file of pairs → a translator in one file, from a notebook
main            the arguments, and the message if one of them is wrong
==============  ==================================================================
"""
