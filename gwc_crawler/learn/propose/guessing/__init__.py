"""Two pages built alike → guesses: what values stand on them, what they may be called, and what tells it."""
