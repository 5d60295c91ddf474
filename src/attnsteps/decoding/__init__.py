"""logits → the next id: how a trained model writes a sentence.

====================  ==============================================================
Module                Holds
====================  ==============================================================
result                what every search returns: ids, lengths, scores
inference             no dropout, no gradients, and the model left as it was
step                  the next token's probabilities, with the cache or without
greedy                the most probable token at every step
sample                a token drawn at random, by temperature, top-k and top-p
beam                  the best of several hypotheses, kept side by side
mask_predict          all tokens at once, then those least certain, again and again
====================  ==============================================================
"""
