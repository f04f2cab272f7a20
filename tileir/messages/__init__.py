"""The wording of messages: names from files made printable, choices and counts in words."""
