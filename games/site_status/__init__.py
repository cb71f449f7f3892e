"""What the site offers right now: switches and announcements."""
