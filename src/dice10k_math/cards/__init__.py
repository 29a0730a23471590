"""The one-page strategy card: how to play well by a few numbers, and exactly what that gives away."""
