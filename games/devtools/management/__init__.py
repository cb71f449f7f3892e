"""Commands for developers of the site."""
