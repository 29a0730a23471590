"""Small matches written out in full: a second reading of the rules of a match, over any arithmetic."""
