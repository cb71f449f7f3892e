"""The operators' part of the admin site: switches, announcements, failures, figures."""
