"""The intermediate representation: an SSA graph whose only text form is Python."""

# Each adds its styles of print, so that str(function) works wherever there is one.
from s2sad.ir import printer as printer
from s2sad.ir import source_style as source_style
