"""Where sentences come from: a language made up for the book, and corpora of real sentences.

===========  ==============================================================
Module       Holds
===========  ==============================================================
generated    Chinese–English pairs made up by rules, with alignments known
parallel     real corpora: Tatoeba Chinese–English, Multi30k German–English
images       handwritten digits, as patches and as codes
download     a file from the network, checked and cached
===========  ==============================================================
"""
