"""Exact answers for dice games of the 10,000 family."""
