"""A model whose requests are measured, by the semantic conventions for generative AI."""

from __future__ import annotations

from urllib.parse import urlsplit

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from deepcritical.models.providers import ModelServer
from deepcritical.services.telemetry import Attributes, Telemetry

__all__ = ["SpannedModel"]


class SpannedModel(WrapperModel):
    """Tells of every request that is sent. Not by the library's own way, which tells prompts.

    Args:
        model: Is asked.
        server: Where it is.
        telemetry: Is told.
    """

    def __init__(self, model: Model, server: ModelServer, telemetry: Telemetry) -> None:
        super().__init__(model)
        self._server = server
        self._telemetry = telemetry

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """One span."""
        asked = _asked(self._server, self.model_name, model_settings or {})
        with self._telemetry.span(f"chat {self.model_name}", asked, remote=True) as span:
            response = await super().request(messages, model_settings, model_request_parameters)
            span.tell(self._answered(response))
        return response

    def _answered(self, response: ModelResponse) -> Attributes:
        read, written = response.usage.input_tokens, response.usage.output_tokens
        reason = response.finish_reason
        return {
            "gen_ai.response.id": response.provider_response_id,
            "gen_ai.response.model": response.model_name,
            "gen_ai.response.finish_reasons": (reason,) if reason else None,
            "gen_ai.usage.input_tokens": read,
            "gen_ai.usage.output_tokens": written,
            "deepcritical.cost_usd": self._server.price(read, written),
        }


def _asked(server: ModelServer, model: str, settings: ModelSettings) -> Attributes:
    place = urlsplit(server.address)
    return {
        "gen_ai.operation.name": "chat",
        # The conventions know the service, of which two APIs are one.
        "gen_ai.provider.name": server.name.partition(":")[0].removesuffix("-chat"),
        "gen_ai.request.model": model,
        "gen_ai.request.max_tokens": settings.get("max_tokens"),
        "gen_ai.request.temperature": settings.get("temperature"),
        "server.address": place.hostname,
        "server.port": place.port,
    }
