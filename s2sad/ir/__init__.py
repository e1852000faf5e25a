"""The intermediate representation: an SSA graph whose only text form is Python."""

from s2sad.ir import printer as printer  # so that str(function) works wherever there is one
