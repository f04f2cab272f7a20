"""What a file says, for people and programs: every byte with its meaning, and the ops as a tree."""
