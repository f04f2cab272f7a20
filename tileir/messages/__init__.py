"""How messages are worded: names from files made harmless, choices and counts in words."""
