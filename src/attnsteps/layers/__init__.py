"""tensor → tensor: the Transformer's parts, each in a module of its own.

==============  ==================================================================
Module          Maps
==============  ==================================================================
embedding       ids (B, T) → vectors (B, T, D)
positional      a length → positions (T, D), sinusoidal or learned, to be added to them
rotary          q or k → the same, each pair of components turned by its position
masks           ids, lengths → which key each query may attend to
prefix_mask     lengths → a mask between full and causal
softmax         scores → weights, over what a query may attend to
attention       q, k, v → context and weights, for one head or many
tiled_attention the same context without ever holding all weights (FlashAttention)
cache           projected keys and values, kept from step to step of decoding
heads           (B, T, D) → (B, H, T, Dk) and back
multi_head      query, key, value (B, T, D) → output (B, Tq, D)
linear          how a linear layer starts
feed_forward    (B, T, D) → (B, T, D), each position by itself
mixture         the same by several networks, of which each vector uses a few
layer_norm      (B, T, D) → (B, T, D), each vector to mean 0 and variance 1
rms_norm        the same without the mean
sublayer        x and a function → x + function(x), with dropout and norm
==============  ==================================================================
"""
