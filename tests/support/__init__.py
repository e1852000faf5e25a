"""What do several test modules share?"""
