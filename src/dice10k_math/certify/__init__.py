"""Judges: they accept proposed bounds, or name the state that fails; they know nothing of how bounds are found."""
