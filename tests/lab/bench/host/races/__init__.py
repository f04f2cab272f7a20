"""What each kernel computes, on which arrays, and what torch and NumPy have for it."""
