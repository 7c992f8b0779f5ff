"""Assembles the page: form, progress of the run, report and chat.

The page only starts runs and shows them. Progress comes from the run's own log by EventSource
(``assets/live.js``), so that a lost connection or a closed tab changes nothing for the run.

The framework loads a style sheet for each kind of component that the document does not name. Here
the document names them as disabled, so that no browser asks for them; one sheet holds them all.
"""

from __future__ import annotations

import re
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import gradio as gr
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deepcritical.domain.question.question import MAX_QUESTION_CHARS
from deepcritical.interfaces.access import Access
from deepcritical.interfaces.page.asking import FormerRuns
from deepcritical.interfaces.page.form import Form, build_form, build_own_runs
from deepcritical.interfaces.page.handlers import RunHandlers
from deepcritical.interfaces.page.parts import PRIVATE, asset, html, own_style, script
from deepcritical.interfaces.page.plan_review import build_plan_panel
from deepcritical.jobs.runs import RunService
from deepcritical.toolset.similar_runs import SimilarRuns


def build_page(runs: RunService, access: Access, similar: SimilarRuns) -> gr.Blocks:
    """The page over a service of runs, for those who may use it."""
    page = gr.Blocks(title="DeepCritical", analytics_enabled=False, fill_width=True)
    with page:
        form = build_form(runs, takes_documents=access.takes_documents)
        with gr.Row(elem_classes="columns"):
            with gr.Column(scale=1, min_width=340, elem_classes="main-column"):
                plan = build_plan_panel()
                thread = _chat("thread.html")
                scripts = script("steps.js") + asset("live.js")
                live = html(None, html_template=asset("live.html"), js_on_load=scripts)
                scripts = script("results.js") + asset("table.js")
                # Its value is what `RunHandlers.finished` returns.
                results = html(None, html_template=asset("results.html"), js_on_load=scripts)
                chat = _chat("chat.html")
            with gr.Column(scale=0, min_width=225, elem_classes="aside"):
                form.account.render()  # type: ignore[no-untyped-call]
                build_own_runs(runs.keeps_runs)
                form.answering.render()  # type: ignore[no-untyped-call]
                html(None, html_template=asset("addresses.html"), js_on_load=asset("addresses.js"))
        handlers = RunHandlers(runs, access, form, plan, live, thread, chat)
        _wire_runs(page, handlers)
        _wire_plan(handlers)
        _wire_similar(form, live, FormerRuns(runs, access, similar))
        # The name of an event that assets/live.js triggers: when a run is opened, and at its end.
        live.finished(handlers.finished, [live], [results], trigger_mode="always_last", **PRIVATE)
        _wire_chat(thread, chat, live, results)
    return page


def _wire_runs(page: gr.Blocks, handlers: RunHandlers) -> None:
    form, live, plan = handlers.form, handlers.live, handlers.plan_outputs
    remembered = handlers.plan.remembered
    shown = [live, form.refused, form.question, *plan]
    told = [*shown, form.answering, form.account, form.own_token]
    page.load(handlers.load, remembered, told, js=asset("plan_found.js"), **PRIVATE)
    live.visited(handlers.visit, None, shown, trigger_mode="always_last", **PRIVATE)
    begun = gr.on(
        [form.ask.click, form.question.submit],
        handlers.begin,
        form.asked | {live},
        [*shown, handlers.thread, handlers.chat, form.key, form.documents],
        js=asset("starting.js"),
        **PRIVATE,
    )
    _after(begun, handlers)
    begun.success(None, remembered, None, js=asset("plan_kept.js"))
    # The last: the model's field is left a moment before the key's.
    edited = [form.model.blur, form.key.blur, form.own_token.change]
    gr.on(edited, trigger_mode="always_last", **_told(handlers))


def _wire_plan(handlers: RunHandlers) -> None:
    form, plan = handlers.form, handlers.plan
    approved = plan.approve.click(
        handlers.approve,
        form.asked | set(plan.remembered),
        [handlers.live, form.key, form.documents, *handlers.plan_outputs],
        js=asset("starting.js"),
        **PRIVATE,
    )
    _after(approved, handlers)
    left = plan.leave.click(handlers.leave, None, [form.key, plan.kept, plan.panel], **PRIVATE)
    left.success(**_told(handlers))
    edited: list[Any] = [field.change for field in plan.remembered[1:]]
    for changed in (approved.success, left.success, *edited):
        changed(None, plan.remembered, None, js=asset("plan_kept.js"))


def _after(begun: Any, handlers: RunHandlers) -> None:
    """Update the page after a start: the address names the run, the key field is emptied."""
    begun.then(None, None, None, js=asset("started.js"))
    begun.success(None, handlers.live, None, js=asset("address.js"))
    begun.success(**_told(handlers))


def _told(handlers: RunHandlers) -> dict[str, Any]:
    """Update the line that names what will answer."""
    form = handlers.form
    return {
        "fn": handlers.answering,
        "inputs": [form.model, form.key, form.own_token],
        "outputs": [form.answering],
        # The key itself stays in the browser.
        "js": "(model, key, own) => [model, key || own ? 'given' : '', own && !key]",
        **PRIVATE,
    }


def _wire_similar(form: Form, live: gr.HTML, former: FormerRuns) -> None:
    """Looked for when the question is left: a live source may take seconds to say what is new."""
    edited = [form.question.blur, form.kind.change, form.depth.change]
    asked = [form.question, form.kind, form.depth, live]
    gr.on(edited, former.offered, asked, [form.similar], trigger_mode="always_last", **PRIVATE)


def _chat(skeleton: str) -> gr.HTML:
    """The chat, drawn where it is called: the thread for look-ups, or the card of a report.

    The browser speaks to ``/api/chats`` by itself (``assets/chat.js``). Here it is told which run
    is open, what that has brought, and which messages of the form the thread answers.
    """
    shown = asset(skeleton).replace("MAX_CHARS", str(MAX_QUESTION_CHARS))
    return html(None, html_template=shown, js_on_load=script("chat.js"))


def _wire_chat(thread: gr.HTML, card: gr.HTML, live: gr.HTML, results: gr.HTML) -> None:
    """Have both know the run that is followed, and the card what it has brought in the end."""
    for told, listening in ((live, [thread, card]), (results, [card])):
        both = "(run) => [run, run]" if len(listening) > 1 else "(run) => run"
        told.change(None, [told], listening, js=both, **PRIVATE)


FILES = Path(gr.__file__).parent / "templates" / "frontend" / "assets"
_END = b"</head>"
_OWN_LINK = re.compile(rb'<link rel="stylesheet" crossorigin href="\./assets/index-[^"]+">')


def sheets_of(components: set[str]) -> list[str]:
    """Return the names of the framework's sheets for these kinds of components.

    None where the framework was built in another way: a browser then loads them one by one.
    """
    entry = _files_of(_script("index-*.js"))
    first, known = (
        _script(next(iter(n for n in entry if n.startswith(p)), "")) for p in ("Index-", "core-")
    )
    names, parts = _files_of(known), {*entry, *_files_of(first)}
    for kind in components:
        loads = re.search(rf"[{{,]{kind}:\{{(.*?import\.meta\.url\))\}}", known)
        numbers = re.findall(r"Deps\(\[([\d,]*)", loads[1] if loads else "")
        parts |= {names[int(number)] for number in ",".join(numbers).split(",") if number}
    sheets = (name for name in parts if name.endswith(".css") and (FILES / name).is_file())
    return sorted(sheets, key=lambda name: (not name.startswith("index-"), name))


def _script(pattern: str) -> str:
    found = next(FILES.glob(pattern), None) if pattern else None
    return found.read_text("utf-8") if found else ""


def _files_of(script: str) -> list[str]:
    """The files that a script may load, in the order by which it names them."""
    listed = script.partition("m.f=[")[2].partition("]")[0]
    return re.findall(r'"\./([^"]+)"', listed)


class Document:
    """Adds the sheet to the document of the page, and answers with the sheet itself."""

    def __init__(self, app: ASGIApp, page: gr.Blocks) -> None:
        self._app, self._page = app, page

    @cached_property
    def _names(self) -> list[str]:
        return sheets_of({block.get_block_name() for block in self._page.blocks.values()})

    @cached_property
    def _sheet(self) -> str:
        texts = ((FILES / name).read_text("utf-8") for name in self._names)
        return "\n".join([*texts, own_style()])

    @cached_property
    def _path(self) -> str:
        return f"/assets/page-{sha256(self._sheet.encode()).hexdigest()[:8]}.css"

    @cached_property
    def _links(self) -> bytes:
        disabled = (
            f'<link rel="stylesheet" href="./assets/{name}" disabled>' for name in self._names
        )
        return "".join([f'<link rel="stylesheet" href=".{self._path}">', *disabled]).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["path"] not in ("/", self._path):
            await self._app(scope, receive, send)
        elif scope["path"] == self._path:
            await Response(self._sheet, media_type="text/css")(scope, receive, send)
        else:
            await self._app(scope, receive, self._linked(send))

    def _linked(self, send: Send) -> Send:
        async def linked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    del headers["content-length"]
            elif message["type"] == "http.response.body":
                body = message.get("body", b"")
                body = _OWN_LINK.sub(b"", body) if self._names else body
                body = body.replace(_END, self._links + _END, 1)
                message = {**message, "body": body}
            await send(message)

        return linked
