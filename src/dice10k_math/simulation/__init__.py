"""Simulation: matches played with random dice.

Of the package it shares only what the rules say (`rules`, `dice`, `scoring`, and the bank rule of `turn`) and the
policies, no solver and nothing that a solver stands on, so that its agreement with an exact figure means something.
"""
