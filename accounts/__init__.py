"""Accounts: users and guests, sign-up and login, and the outbox for all emails."""
