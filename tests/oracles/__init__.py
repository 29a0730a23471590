"""Second routes: slow, obvious code that shares nothing with the library but the rules dataclasses.

Written from the rule texts and rulings.
Nothing here may import the library's scoring, odds, turn or match modules.
"""
