"""Checks the reader's answers, on the page and in the notebook, and says what is wrong."""
