"""The dashboard: who may ask, what is shown of what sites say, and what is done when somebody clicks."""
