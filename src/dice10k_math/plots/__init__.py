"""Answers as pictures: drawn with matplotlib, which is needed for nothing else and imported only here.

Each function takes a result and returns a figure; `picture.to_bytes` makes a file of it, the same bytes every time.
"""
