"""How fast is s2sad, beside others?"""
