"""Names the environment variable that holds the key of a model's provider."""

from collections.abc import Mapping

_NAMED: Mapping[str, str] = {
    "azure": "AZURE_OPENAI_API_KEY",
    "bedrock": "AWS_BEARER_TOKEN_BEDROCK",
    "bedrock-mantle": "AWS_BEARER_TOKEN_BEDROCK",
    "cohere": "CO_API_KEY",
    "google-cloud": "GOOGLE_API_KEY",
    "heroku": "HEROKU_INFERENCE_KEY",
    "huggingface": "HF_TOKEN",
    "snowflake": "SNOWFLAKE_TOKEN",
    "vercel": "VERCEL_AI_GATEWAY_API_KEY",
}
"""Where that is not the provider's name with _API_KEY."""


def provider_of(model: str | None) -> str:
    """The service of a model as ``provider:name``; its several APIs are one."""
    key = (model or "").partition(":")[0]
    return key.removesuffix("-chat").removesuffix("-responses")


def key_variable(model: str) -> str:
    """The variable with the key of a model's provider."""
    provider = provider_of(model)
    return _NAMED.get(provider, f"{provider.upper().replace('-', '_')}_API_KEY")
