"""The public questions: each a short function that returns a frozen result."""
