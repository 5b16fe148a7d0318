"""Which URL next, and which are done: a queue that loses nothing; `sqlite` and `redis` keep its promise."""
