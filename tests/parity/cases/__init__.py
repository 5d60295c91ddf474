"""What the widgets' JavaScript must give: a file of cases for each module of ``js/maths``.

``test_parity.py`` asks the modules for the same, in a real browser, to within 1e-6. Both sides
compute at the time of the test, so no processor's rounding is kept.
"""
