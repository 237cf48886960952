"""Records what Luck and Sweep open with, over the bundled family, on a quiet machine.

python -m scripts.lab_results            # assets/lab/luck/recorded.json and assets/lab/sweep/recorded.json

A file that was there stays where more than MOST of the runs were disturbed.
"""

import json
from datetime import date
from pathlib import Path

from specviz.config import DecodeConfig
from specviz.engine import machine
from specviz.lab.luck import LENGTH as LUCK_LENGTH
from specviz.lab.luck import SEEDS
from specviz.lab.sweep import DRAFTERS, KS, LENGTH, TURNS
from specviz.local import TARGET, LocalEngine
from specviz.page.words import EXAMPLES

FOLDER = Path(__file__).parent.parent / "assets/lab"
MAX_DISTURBED = 0.1  # of the runs


def main() -> None:
    engine, prompt = LocalEngine(), EXAMPLES[0]
    config = DecodeConfig(K=4, temperature=0.8, max_new_tokens=LUCK_LENGTH, ignore_eos=True)
    keep("luck", prompt, engine.luck(prompt, [("small", config)], SEEDS))
    config = DecodeConfig(K=min(KS), temperature=0.8, max_new_tokens=LENGTH, ignore_eos=True)
    keep("sweep", prompt, engine.sweep(prompt, list(DRAFTERS), KS, config, turns=TURNS))


def keep(panel: str, prompt: str, steps) -> None:
    """Write what the experiment found, or say why not."""
    *_, last = steps
    result = rounded(last.as_json())
    runs = result.get("dots") or result["cells"]
    disturbed = sum(run["disturbed"] for run in runs) / sum(run.get("runs", 1) for run in runs)
    if disturbed > MAX_DISTURBED:
        print(f"{panel}: {disturbed:.0%} of the runs were disturbed, so the file stays as it was")
        return
    known = machine.describe_machine()
    file = {
        "prompt": prompt,
        "target": TARGET,
        "device": known.device,
        "threads": known.threads,
        "date": date.today().isoformat(),
    }
    path = FOLDER / panel / "recorded.json"
    path.write_text(json.dumps({**file, "found": result}, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
    print(f"{panel}: {path.stat().st_size} bytes, {disturbed:.0%} of the runs were disturbed")


def rounded(result):
    """Numbers with six digits: more are noise, and fewer are rounded twice where two are shown."""
    if isinstance(result, float):
        return float(f"{result:.6g}")
    if isinstance(result, dict):
        return {name: rounded(value) for name, value in result.items()}
    return [rounded(value) for value in result] if isinstance(result, list | tuple) else result


if __name__ == "__main__":
    main()
