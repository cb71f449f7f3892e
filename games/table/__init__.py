"""What one viewer sees of a match: labels, facts, log, and the page."""
