"""Commands that look at crawls and steer them."""
