"""logits → the next id: how a trained model writes a sentence.

====================  ==============================================================
Module                Holds
====================  ==============================================================
result                what every search returns: ids, lengths, scores
inference             no dropout, no gradients, and the model left as it was
kv_cache              the decoder, one position at a time, nothing computed twice
step                  the next token's probabilities, with the cache or without
greedy                the most probable token at every step
sample                a token drawn at random, by temperature, top-k and top-p
beam                  the best of several hypotheses, kept side by side
non_autoregressive    a model that finds all tokens at once, and guesses how many
mask_predict          all tokens at once, then those least certain, again and again
====================  ==============================================================
"""
