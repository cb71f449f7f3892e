"""What operators need in the admin site: switches, announcements, failures, figures."""
