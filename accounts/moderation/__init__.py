"""Reports, sanctions, appeals and the log of what moderators did."""
