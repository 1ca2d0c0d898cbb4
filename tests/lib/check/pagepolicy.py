"""Checks share/html/page.html: its Content-Security-Policy has the hashes of its own script and style
and allows nothing else, it names no address, and it has each marker on a line of its own.

    pagepolicy.py FILE"""

import base64
import gzip
import hashlib
import html.parser
import re
import sys

# Names of formats, which nothing loads.
NAMESPACES = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml", "http://www.w3.org/1999/xlink",
              "http://www.w3.org/XML/1998/namespace"}
MARKERS = ("<!--title-->", "<!--summary-->", "<!--data-->")
# Elements and attributes that load something.
LOADING = {"iframe", "object", "embed", "base", "frame", "applet", "portal"}
ADDRESSES = {"src", "srcset", "action", "formaction", "data", "poster", "background", "ping", "manifest"}

wrong = []


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.policies = []
        self.inside = None
        self.packed = False
        self.code = {"script": [], "style": []}

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "meta" and (attributes.get("http-equiv") or "").lower() == "content-security-policy":
            if any(self.code.values()):
                wrong.append("the policy stands after code")
            self.policies.append(attributes.get("content") or "")
        if tag in LOADING:
            wrong.append("<%s>" % tag)
        for name, value in attrs:
            if name.startswith("on") or name == "style":
                wrong.append("<%s> has %s, which the policy forbids" % (tag, name))
            if name in ADDRESSES or name in ("href", "xlink:href"):
                if not re.match("data:|#", value or ""):
                    wrong.append("<%s> loads %s" % (tag, value))
        if tag in self.code:
            self.inside = tag
            self.packed = attributes.get("id") == "code"
            self.code[tag].append("")

    def handle_endtag(self, tag):
        if tag == self.inside:
            self.inside = None
            if self.packed:
                self.code[tag][-1] = gzip.decompress(base64.b64decode(self.code[tag][-1])).decode()

    def handle_data(self, data):
        if self.inside:
            self.code[self.inside][-1] += data


def directives(policy):
    out = {}
    for directive in policy.split(";"):
        words = directive.split()
        if words:
            out[words[0]] = words[1:]
    return out


def check_policy(page):
    if len(page.policies) != 1:
        wrong.append("%d policies" % len(page.policies))
        return
    policy = directives(page.policies[0])
    if policy.get("default-src") != ["'none'"]:
        wrong.append("default-src is %s" % policy.get("default-src"))
    # What default-src does not cover.
    for name in ("base-uri", "form-action"):
        if policy.get(name) != ["'none'"]:
            wrong.append("%s is %s" % (name, policy.get(name)))
    for name, sources in policy.items():
        for source in sources:
            if source not in ("'none'", "data:", "blob:") and not source.startswith("'sha256-"):
                wrong.append("%s allows %s" % (name, source))
    for tag, texts in page.code.items():
        if not texts:
            wrong.append("no <%s>" % tag)
        sources = policy.get(tag + "-src", [])
        if {"data:", "blob:"} & set(sources):
            wrong.append("%s-src allows data" % tag)
        hashes = {"'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
                  for text in texts}
        for source in hashes - set(sources):
            wrong.append("a <%s> has no hash in the policy: %s" % (tag, source))
        for source in set(sources) - hashes:
            wrong.append("%s-src: %s is of nothing" % (tag, source))


with open(sys.argv[1], encoding="utf-8", newline="") as f:
    text = f.read()
page = Page()
page.feed(text)
page.close()
check_policy(page)
for address in re.findall(r"""\bhttps?:[^\s"'`)<>\\]*""", text):
    if address not in NAMESPACES:
        wrong.append("address %s" % address)
lines = text.split("\n")
for marker in MARKERS:
    if lines.count(marker) != 1 or text.count(marker) != 1:
        wrong.append("%s: %d times, %d of them on a line of its own"
                     % (marker, text.count(marker), lines.count(marker)))
print("\n".join(wrong[:30]))
sys.exit(bool(wrong))
