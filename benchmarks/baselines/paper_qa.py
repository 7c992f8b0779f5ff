"""paper-qa as a way: its retrieval, summaries and answer, over the given abstracts.

Run in an interpreter that has it. Retrieval is by its own sparse vectors, so that the model alone
is asked; everything else is as the package sets it.
"""

from __future__ import annotations

import re

from paperqa import Doc, Docs, Settings, Text

from benchmarks.baselines import peer

_CITED = re.compile(r"\(((?:pqac-\w{8}(?:, )?)+)\)")


def _settings(url: str) -> Settings:
    server = {"model": "openai/recorded", "api_base": url, "api_key": "none", "timeout": 3_600}
    model = {"model_list": [{"model_name": "recorded", "litellm_params": server}]}
    return Settings(
        llm="recorded",
        llm_config=model,
        summary_llm="recorded",
        summary_llm_config=model,
        embedding="sparse",
        parsing={"use_doc_details": False, "multimodal": False},
    )


async def answer(question: str, url: str, texts: list[peer.Text]) -> str:
    """Return the answer with PMIDs for the package's keys of contexts."""
    settings, docs = _settings(url), Docs()
    for pmid, title, abstract in texts:
        doc = Doc(docname=pmid, dockey=pmid, citation=title)
        await docs.aadd_texts([Text(text=abstract, name=pmid, doc=doc)], doc, settings)
    session = await docs.aquery(question, settings)
    names = {context.id: context.text.name for context in session.contexts}

    def cited(found: re.Match[str]) -> str:
        return "".join(f"[{names[key]}]" for key in found[1].split(", ") if key in names)

    return _CITED.sub(cited, session.raw_answer)


if __name__ == "__main__":
    peer.serve(answer)
