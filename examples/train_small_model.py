#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""train_small_model.py FOLDER [SECONDS]: a small Llama that reads bytes, trained on Python's own documentation
for SECONDS (300).

What it writes looks like that documentation from afar: enough to see what the effort dial does.
Then: python -m tilewright.generate FOLDER "The statement" --effort .5
"""
import pydoc_data.topics
import sys
import time

import torch
import transformers

LENGTH, TOGETHER, RATE = 128, 12, 3e-3


def batch(data):
    starts = torch.randint(0, len(data) - LENGTH, (TOGETHER,))
    return torch.stack([data[start:start + LENGTH] for start in starts])


def main():
    folder, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 300.0
    torch.manual_seed(0)
    data = torch.tensor(list("\n".join(pydoc_data.topics.topics.values()).encode()))
    config = transformers.LlamaConfig(vocab_size=256, hidden_size=256, intermediate_size=768, num_hidden_layers=4,
                                      num_attention_heads=4,
                                      num_key_value_heads=2, max_position_embeddings=2048, tie_word_embeddings=False)
    model = transformers.LlamaForCausalLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.05, betas=(0.9, 0.95))
    began, step, spent = time.monotonic(), 0, 0.0
    while spent < seconds:
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / 20) * max(0.05, 1 - spent / seconds)
        x = batch(data)
        loss = model(x, labels=x).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step, spent = step + 1, time.monotonic() - began
        if step % 25 == 1:
            print(f"{spent:.0f} s: step {step}, loss {loss.item():.2f} nats a byte", flush=True)
    model.save_pretrained(folder)
    print(f"{sum(p.numel() for p in model.parameters()) / 1e6:.1f} M parameters in {folder}")


if __name__ == "__main__":
    main()
