"""What a finished model shows: how good it is, what it looks at, what it costs.

===============  =================================================================
Module           Holds
===============  =================================================================
scores           scores of translations, and of what is none: teacher-forced
alignment        links between words, read off the attention, and their error rate
leaks            any model → which output moves with which input
interventions    a head or an edge of attention turned off
pronouns         minimal pairs asked for their pronoun, whole and after a cut or a swap
memory           the bytes that a training step or a cache keeps, by formula
speed            how long an update takes, on whatever machine this is
===============  =================================================================
"""
