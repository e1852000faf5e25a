"""Which methods of a Tensor concern its memory?"""

from __future__ import annotations

from s2sad.core.memory_policy import set_mem_info

METHODS = {"set_mem_info": set_mem_info}
