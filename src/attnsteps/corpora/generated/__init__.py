"""The book's own little language: rules that make Chinese–English sentence pairs.

=============  ==========================================================
Module         Holds
=============  ==========================================================
lexicon        words: forms, readings, and what goes with what
glossary       a list of all words, with glosses
phrases        noun phrases in both languages at once
clause         who does what, when, where: the word order of both languages
choices        random choices: who, what, when, where
spoken         a sentence in both languages
sentences      statements
questions      questions
description    what somebody or something is like
frames         which adjectives can explain which action
pronouns       sentences in which one adjective decides the pronoun
held_out       word combinations that training never sees
corpus         generated: pairs, split into training and test sets
=============  ==========================================================
"""
