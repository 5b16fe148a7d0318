"""Which of the candidates that fit all samples to trust."""
