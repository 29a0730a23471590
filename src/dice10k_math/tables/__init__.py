"""Answers as tables on disk: built, checked and read.

`build` writes them, `verify` checks them, `read.load_table` reads one; `kinds.KINDS` lists what there is.
Polars is imported by the functions that need it, so this package costs nothing to import.
"""
