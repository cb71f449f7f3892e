"""What the site offers just now: switches and announcements."""
