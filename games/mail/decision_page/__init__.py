"""The page that an email leads to."""
