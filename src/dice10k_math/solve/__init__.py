"""Solvers: what is proposed here is proved here for one turn, and judged by `certify` for whole matches."""
