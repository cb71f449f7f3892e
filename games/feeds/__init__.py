"""Private feeds: deadlines for a calendar program, news for a feed reader."""
