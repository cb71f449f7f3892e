"""People: users and guests, sign-up and log-in, and the outbox that every mail leaves by."""
