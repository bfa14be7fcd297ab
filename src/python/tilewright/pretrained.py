# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""transformers' from_pretrained with the effort dial: importing this registers a quantiser of the name "effort"."""
from transformers.quantizers import HfQuantizer, register_quantization_config, register_quantizer
from transformers.utils.quantization_config import QuantizationConfigMixin

from tilewright.transformers import dial


@register_quantization_config("effort")
class EffortConfig(QuantizationConfigMixin):
    """What tilewright.transformers.dial() is told. The model that from_pretrained returns has its Dial as `dial`.

    model = AutoModelForCausalLM.from_pretrained(folder, quantization_config=EffortConfig(effort=.5))
    model.dial.effort = .3
    """

    def __init__(self, effort=0.5, last=1.0, planes=3, threads=0, **_):
        self.quant_method = "effort"
        self.effort, self.last, self.planes, self.threads = effort, last, planes, threads


@register_quantizer("effort")
class EffortQuantizer(HfQuantizer):
    """The weights are loaded as ever, then put on the dial layer by layer; a checkpoint is left as it is."""

    requires_calibration = False

    def _process_model_after_weight_loading(self, model, **_):
        asked = self.quantization_config
        model.dial = dial(model, asked.effort, last=asked.last, planes=asked.planes, threads=asked.threads)
        return model

    def is_serializable(self):
        return False

    @property
    def is_trainable(self):
        return False
