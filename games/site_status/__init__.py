"""The site's current state: switches and announcements."""
