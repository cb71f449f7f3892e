"""What the two rummies share."""
