"""What people say about themselves, how they like the site, and whom they like."""
