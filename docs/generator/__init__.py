"""Makes the pages of results from the tables and from what can be recomputed; `python docs/generate.py` writes them."""
