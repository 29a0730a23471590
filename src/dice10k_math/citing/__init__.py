"""Citing a number: an identifier for each result, and the way back from an identifier to the number.

`identifier` reads and writes identifiers, `questions` lists what can be asked, `lookup` answers.
"""
