"""What `make bench` measures; figures, never tests."""
