"""text → text: a trained model with everything it takes to translate.

=========  ==============================================================
Module     Holds
=========  ==============================================================
search     every search by its name, and how the model attended meanwhile
trained    a model with its vocabularies and tokenizers, in one file
=========  ==============================================================
"""
