"""What whoever keeps the site going needs in the admin site: switches, announcements, failures, figures."""
