"""Files of versions that are newer than any that is known, and what is made of them."""
