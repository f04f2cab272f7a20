"""What a kernel prints, and assertions."""
