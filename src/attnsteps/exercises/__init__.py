"""Checks what the reader answers: on the page and in the notebook, saying what is wrong."""
