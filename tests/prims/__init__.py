"""Does every primitive compute, and differentiate, as it says?"""
