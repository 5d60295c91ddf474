"""Keeps the editions in other languages: what there is to say, what is said, what is missing."""
