"""openlit's offline evaluation from PyPI, unchanged: prints what its functions return, as one line of JSON."""

import json
import os

import openlit

base = {
    "openlit_url": os.environ["CLIENT_AI_URL"],
    "openlit_api_key": os.environ["CLIENT_API_KEY"],
}
said = {"prompt": "Do I get my money back?", "response": "Always."}


def plain(value):
    """What an object of the SDK holds."""
    if isinstance(value, list):
        return [plain(one) for one in value]
    if hasattr(value, "__dict__"):
        return {key: plain(one) for key, one in vars(value).items()}
    return value


results = {
    "one": plain(
        openlit.eval(
            **base,
            **said,
            contexts=["Within 30 days."],
            eval_types=["hallucination"],
            threshold_score=0.4,
            print_results=False,
        )
    ),
}
print()
print(json.dumps(results, default=str))
