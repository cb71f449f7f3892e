"""AI players: they see views and nothing else."""
