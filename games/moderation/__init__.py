"""What moderators and players do about reports and decisions: the desk, pages, mails. Stored by accounts.moderation."""
