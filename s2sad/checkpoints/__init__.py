"""The state of a network on disk: MindSpore's ``.ckpt``, and ``.safetensors``."""

from s2sad.checkpoints.converting import ckpt_to_safetensors, safetensors_to_ckpt
from s2sad.checkpoints.fitting import load_param_into_net
from s2sad.checkpoints.loading import check_checkpoint, load_checkpoint, load_checkpoint_async
from s2sad.checkpoints.saving import save_checkpoint

__all__ = [
    "check_checkpoint", "ckpt_to_safetensors", "load_checkpoint",
    "load_checkpoint_async", "load_param_into_net", "safetensors_to_ckpt", "save_checkpoint",
]  # fmt: skip
