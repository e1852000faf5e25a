"""The intermediate representation: an SSA graph whose only text form is Python."""
