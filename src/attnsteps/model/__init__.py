"""ids → logits: the parts put together.

==================  ==================================================================
Module              Holds
==================  ==================================================================
config              every size and choice of a model, validated
attention_weights   every layer's weights, returned on request
encoder             one layer and the stack: src_emb (B, S, D) → memory (B, S, D)
decoder             one layer and the stack: tgt_emb and memory → (B, T, D)
build               encoder and decoder from a config's options
transformer         src_ids (B, S), tgt_ids (B, T) → logits (B, T, V)
language_model      ids (B, T) → logits (B, T, V), with whatever mask is given
non_autoregressive  a Transformer that finds all tokens at once, and guesses how many
mode                training or evaluation mode for a while
flops               the multiplications of one forward pass, by formula
interop             weights from and to torch.nn
==================  ==================================================================
"""
