"""A made-up article in JATS XML."""

from __future__ import annotations

LICENCE = (
    '<license><ali:license_ref xmlns:ali="http://www.niso.org/schemas/ali/1.0/">'
    "{}</ali:license_ref></license>"
)
CC_BY = "https://creativecommons.org/licenses/by/4.0/"
RESULT = (
    "Drugazole was superior to placebo in the primary outcome, itching "
    "(hazard ratio 0.61; 95% CI 0.44-0.85)"
)
TABLE = """<table-wrap id="t1"><label>Table 2</label><caption><p>Itching. Adults only.</p></caption>
<table><thead><tr><th rowspan="2">Outcome</th><th colspan="2">Week 12</th></tr>
<tr><th>Drugazole<xref ref-type="table-fn" rid="f"><sup>a</sup></xref></th><th>Placebo</th></tr>
</thead>
<tbody><tr><td colspan="3">Primary</td></tr>
<tr><td rowspan="2">Itching, points</td><td>3.1</td><td>5.2</td></tr>
<tr><td>2.9</td><td>5.0</td></tr></tbody></table>
<table-wrap-foot><fn id="f"><p>Made up.</p></fn></table-wrap-foot></table-wrap>"""


def article(
    licence: str = CC_BY,
    results: str = f"<p>{RESULT}.</p>{TABLE}",
    before: str = "",
    more: str = "",
) -> bytes:
    return f"""<?xml version="1.0" encoding="UTF-8"?>{before}
<article><front><article-meta><title-group><article-title>Drugazole in <italic>testitis</italic>
</article-title></title-group><permissions>{LICENCE.format(licence)}</permissions>
<abstract><p>We randomised 99 adults.</p></abstract></article-meta></front>
<body><sec sec-type="intro"><title>Introduction</title><p>Others failed<sup><xref
ref-type="bibr" rid="r1">12</xref></sup> [<xref ref-type="bibr" rid="r2">3</xref>].</p></sec>
<sec sec-type="materials|methods"><title>Methods</title><p>They were blinded.</p></sec>
<sec><title>3. Results</title>{results}<sec sec-type="methods"><title>Harms</title>
<p>Nobody was harmed<fn><p>Nobody.</p></fn> in 10<sup>3</sup> days.</p></sec></sec>
<sec><title>Discussion</title><p>It was made up.</p></sec>{more}
<sec><title>Competing interests</title><p>Drugazole Inc paid.</p></sec></body>
<back><ack><p>We thank nobody.</p></ack><ref-list><ref id="r1"><mixed-citation>Nobody 2999
</mixed-citation></ref></ref-list></back></article>""".encode()
