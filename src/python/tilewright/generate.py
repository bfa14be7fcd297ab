# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""python -m tilewright.generate MODEL "prompt": text from a model on the effort dial.

MODEL is a folder in the hub's layout (Mistral, Llama, Qwen, Mixtral). One without a tokenizer is taken to read bytes,
as those of examples/train_small_model.py do. In a terminal + and - turn the effort while it writes, q ends it.
"""
import argparse
import contextlib
import os
import select
import sys
import time

STEP = 0.05  # of effort, for + and -
FINER = 1.25  # of an error, for + and -


class Bytes:
    """A tokenizer for models without one: every byte is a token."""

    eos_token_id = None

    def encode(self, text):
        return list(text.encode())

    def decode(self, tokens, **_):
        return bytes(token % 256 for token in tokens).decode(errors="replace")


def _load(folder, device):
    """(model, tokenizer), the model on `device`, or where there is a GPU on that; what is missing or wrong is a
    SystemExit with a sentence."""
    try:
        import torch
        import transformers
    except ImportError as missing:
        raise SystemExit(
            f"tilewright.generate needs torch and transformers ({missing}); the line to type: "
            "pip install torch transformers"
        )
    if not os.path.isfile(os.path.join(folder, "config.json")):
        raise SystemExit(f"{folder}: expected a folder with a model as the hub lays it out; there is no config.json "
                         "(python examples/train_small_model.py FOLDER makes a small one)")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    try:
        model, told = transformers.AutoModelForCausalLM.from_pretrained(
            folder, local_files_only=True, dtype="auto", output_loading_info=True
        )
    except Exception as error:  # whatever a reader of other people's files raises
        raise SystemExit(f"{folder}: {' '.join(str(error).split())[:300]}")
    if told["missing_keys"] or told.get("mismatched_keys"):
        names = sorted(told["missing_keys"]) or sorted(str(key) for key in told["mismatched_keys"])
        raise SystemExit(
            f"{folder}: {len(names)} of the model's tensors are missing from its file or of another shape: "
            f"{names[0]}, ..."
        )
    has_tokenizer = any(
        os.path.exists(os.path.join(folder, name)) for name in ("tokenizer.json", "tokenizer.model", "vocab.json")
    )
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True) if has_tokenizer else Bytes()
    torch.manual_seed(0)
    try:
        return model.eval().to(device or ("cuda" if torch.cuda.is_available() else "cpu")), tokenizer
    except (RuntimeError, AssertionError) as error:  # of a torch without CUDA
        raise SystemExit(f"--device {device}: {' '.join(str(error).split())[:300]}")


def divergence(model, dial, ids, efforts):
    """Mean KL, in nats a token, between what the model says after each of `ids` at two efforts."""
    import torch
    said = []
    for effort in efforts:
        with dial.at(effort), torch.no_grad():
            said.append(torch.log_softmax(model(torch.tensor([ids], device=model.device)).logits[0].float(), -1))
    return float((said[0].exp() * (said[0] - said[1])).sum(-1).mean())


@contextlib.contextmanager
def keys():
    """A function that returns the key that was pressed, or ""; without a terminal it always returns ""."""
    if not sys.stdin.isatty():
        yield lambda: ""
        return
    import termios
    import tty
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        yield lambda: sys.stdin.read(1) if select.select([sys.stdin], [], [], 0)[0] else ""
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def turn(dial, more):
    if dial.error is not None:
        dial.error *= 1 / FINER if more else FINER
    else:
        dial.effort = min(1.0, max(0.0, dial.effort + (STEP if more else -STEP)))


def spelled(dial):
    return f"effort {dial.effort:.2f}" if dial.error is None else f"error {dial.error:.3g}"


def write(model, tokenizer, dial, ids, most, is_compiled=False, out=sys.stdout):
    """Writes text as it comes; returns its tokens and a line of figures."""
    from tilewright.steps import tokens_of
    made, shown, began, read = [], "", time.perf_counter(), dial.bytes_read
    with keys() as pressed:
        for token in tokens_of(model, dial, ids, most, is_compiled):
            if token == tokenizer.eos_token_id:
                break
            made.append(token)
            text = tokenizer.decode(made, skip_special_tokens=True)
            whole = text if not text.endswith("\ufffd") else shown  # half a letter waits for its other half
            out.write(whole[len(shown):])
            out.flush()
            shown = whole
            key = pressed()
            if key in ("+", "-"):
                turn(dial, key == "+")
                out.write(f"[{spelled(dial).removeprefix('effort ')}]")
            if key == "q":
                break
    seconds = time.perf_counter() - began
    return made, (
        f"{spelled(dial)}: {len(made)} tokens, {len(made) / seconds:.1f} a second, "
        f"{(dial.bytes_read - read) / max(1, len(made)) / 1e6:.2f} MB of weights read for each, the prompt's included"
    )


def _beside(left, right, width=58):
    """Two texts side by side."""
    def lines(text):
        return [part[i:i + width] for part in text.split("\n") for i in range(0, max(1, len(part)), width)]
    left, right = lines(left), lines(right)
    for i in range(max(len(left), len(right))):
        yield f"{left[i] if i < len(left) else '':{width}} | {right[i] if i < len(right) else ''}"


def compare(model, tokenizer, dial, ids, most, is_compiled, efforts):
    made = []
    for effort in efforts:
        with dial.at(effort), open(os.devnull, "w", encoding="utf-8") as nowhere:
            tokens, figures = write(model, tokenizer, dial, ids, most, is_compiled, nowhere)
            made.append((tokens, figures))
    print("\n".join(_beside(*(tokenizer.decode(tokens, skip_special_tokens=True) for tokens, _ in made))))
    for _, figures in made:
        print(figures)
    whole = ids + made[1][0]
    print(f"KL of effort {efforts[0]:g} to {efforts[1]:g} over {len(whole)} tokens: "
          f"{divergence(model, dial, whole, (efforts[1], efforts[0])):.3g} nats a token")


def _arguments(given):
    parser = argparse.ArgumentParser(prog="python -m tilewright.generate", description=__doc__.partition("\n\n")[2],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("prompt")
    parser.add_argument("--effort", type=float, default=0.5, help="the share of the weights that is read, 0 to 1 (0.5)")
    parser.add_argument(
        "--error", type=float, help="in the place of an effort: the largest error that a product is predicted to have"
    )
    parser.add_argument("--tokens", type=int, default=100, help="the most tokens to write (100)")
    parser.add_argument("--device", help="cpu, cuda or cuda:1 (cuda where there is one)")
    parser.add_argument("--threads", type=int, default=0, help="of the products (all cores)")
    parser.add_argument(
        "--compile", action="store_true", help="the model through torch.compile first: a minute, then fewer launches"
    )
    parser.add_argument(
        "--compare", type=float, nargs=2, metavar="EFFORT", help="two efforts side by side, and the KL between them"
    )
    return parser.parse_args(given)


def main(given=None):
    asked = _arguments(given)
    model, tokenizer = _load(asked.model, asked.device)
    from tilewright import transformers
    try:
        dial = transformers.dial(model, asked.effort, threads=asked.threads)
        if asked.error is not None:
            dial.error = asked.error
        ids = tokenizer.encode(asked.prompt)
        if not ids or max(ids) >= model.config.vocab_size:
            raise ValueError(
                f"the prompt has {len(ids)} tokens, and the model a vocabulary of {model.config.vocab_size}: expected "
                "one at least, and none beyond"
            )
        if asked.compare:
            return compare(model, tokenizer, dial, ids, asked.tokens, asked.compile,
                           [transformers._effort(effort) for effort in asked.compare])
        print(asked.prompt, end="", flush=True)
        _, figures = write(model, tokenizer, dial, ids, asked.tokens, asked.compile)
        print(f"\n{figures}")
    except ValueError as error:
        raise SystemExit(str(error))


if __name__ == "__main__":
    main()
