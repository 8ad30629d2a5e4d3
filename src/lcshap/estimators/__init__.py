"""The methods, one file each. The registry finds new files automatically."""
