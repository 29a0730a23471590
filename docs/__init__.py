"""The documentation, and what makes its pages."""
