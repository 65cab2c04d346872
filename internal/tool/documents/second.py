# Reads documents with other programs than citekit: one JSON object a line asks,
# one line answers {"ok": …} or {"error": …}.
import base64, email, email.policy, hashlib, html.parser, json, posixpath, re, signal, subprocess, sys, urllib.parse, zipfile
import xml.etree.ElementTree as ET

W = '{http://schemas.openxmlformats.org/wordprocessingml/2006/main}'
A = '{http://schemas.openxmlformats.org/drawingml/2006/main}'
R = '{http://schemas.openxmlformats.org/officeDocument/2006/relationships}'


def local(e):
    return e.tag.rsplit('}', 1)[-1] if isinstance(e.tag, str) else ''


def rels(z, part):
    name = posixpath.join(posixpath.dirname(part), '_rels', posixpath.basename(part) + '.rels')
    if name not in z.namelist():
        return []
    out = []
    for r in ET.fromstring(z.read(name)):
        if r.get('TargetMode') == 'External':
            continue
        target = r.get('Target', '')
        target = target[1:] if target.startswith('/') else posixpath.normpath(posixpath.join(posixpath.dirname(part), target))
        out.append((r.get('Id'), r.get('Type', '').rsplit('/', 1)[-1], target))
    return out


def main_part(z):
    for _, kind, target in rels(z, ''):
        if kind == 'officeDocument':
            return target


# Plain text of a text document, by pandoc.
def op_plain(q):
    out = subprocess.run(['pandoc', '-f', q['format'], '-t', 'plain', '--wrap=none', '--track-changes=accept', q['path']] if q['format'] == 'docx' else
                         ['pandoc', '-f', q['format'], '-t', 'plain', '--wrap=none', q['path']], capture_output=True, timeout=60)
    if out.returncode:
        raise Exception('pandoc: ' + out.stderr.decode('utf8', 'replace')[:200])
    return out.stdout.decode('utf8', 'replace')


# The words of the body and of its notes in the markup: no deleted text, no fallbacks.
def op_markup(q):
    z = zipfile.ZipFile(q['path'])
    body = main_part(z)
    parts = [body] + [t for _, k, t in rels(z, body) if k in ('footnotes', 'endnotes') and t in z.namelist()]
    out = []

    def walk(e):
        for c in e:
            name = local(c)
            if name in ('Fallback', 'del', 'moveFrom') or name in ('footnote', 'endnote') and c.get(W + 'type'):
                continue
            if name == 't' and c.tag.startswith('{http://schemas.openxmlformats.org/wordprocessingml') or name == 't' and 'purl.oclc.org' in c.tag and 'wordprocessingml' in c.tag:
                out.append(c.text or '')
            if name in ('tab', 'br', 'cr', 'p', 'tc', 'noBreakHyphen'):
                out.append(' ')
            walk(c)

    for part in parts:
        walk(ET.fromstring(z.read(part)))
    return ''.join(out)


# Opens a file as who uses it would.
def op_open(q):
    if q['format'] == 'docx':
        import docx
        d = docx.Document(q['path'])
        return len(d.paragraphs) + len(d.tables)
    if q['format'] == 'xlsx':
        import openpyxl
        return len(openpyxl.load_workbook(q['path']).sheetnames)
    z = zipfile.ZipFile(q['path'])
    for n in z.namelist():
        if n.endswith(('.xml', '.rels')):
            ET.fromstring(z.read(n))
    return len(z.namelist())


def shown(v):
    if v is None:
        return ''
    if isinstance(v, bool):
        return 'TRUE' if v else 'FALSE'
    if isinstance(v, float) and v == int(v) and abs(v) < 1e15:
        return str(int(v))
    return str(v)


# The cells of all sheets as they are stored: [sheet, cell, type, value]. The
# parts are read without any library of sheets.
def op_cells(q):
    z = zipfile.ZipFile(q['path'])
    book = main_part(z)
    targets = {i: t for i, _, t in rels(z, book)}
    strings = []
    for _, kind, target in rels(z, book):
        if kind == 'sharedStrings' and target in z.namelist():
            for si in ET.fromstring(z.read(target)):
                if local(si) == 'si':
                    strings.append(string(si))
    out = []
    for s in ET.fromstring(z.read(book)).iter():
        if local(s) != 'sheet':
            continue
        part = targets.get(s.get(R + 'id')) or targets.get(s.get('{http://purl.oclc.org/ooxml/officeDocument/relationships}id'))
        if part not in z.namelist() or 'worksheets' not in part and 'sheet' not in part.lower():
            continue
        row = 0
        for r in ET.fromstring(z.read(part)).iter():
            if local(r) != 'row':
                continue
            row = int(r.get('r') or row + 1)
            col = 0
            for c in r:
                if local(c) != 'c':
                    continue
                ref = c.get('r')
                col = number(re.match(r'[A-Za-z]+', ref)[0]) if ref else col + 1
                kind, v = c.get('t', 'n'), ''
                for child in c:
                    if local(child) == 'v':
                        v = child.text or ''
                    elif local(child) == 'is':
                        v = string(child)
                if kind == 's' and v:
                    i = int(v)
                    v = strings[i] if i < len(strings) else ''
                if v != '':
                    out.append([s.get('name'), letters(col) + str(row), kind, escaped(v) if kind in ('s', 'str', 'inlineStr') else v])
    return out


def escaped(s):
    return re.sub(r'_x([0-9A-Fa-f]{4})_', lambda m: chr(int(m[1], 16)), s)


def string(si):
    out = ''
    for e in si:
        if local(e) == 't':
            out += e.text or ''
        elif local(e) == 'r':
            out += ''.join(t.text or '' for t in e if local(t) == 't')
    return out


def number(s):
    n = 0
    for c in s.upper():
        n = n * 26 + ord(c) - 64
    return n


def letters(n):
    s = ''
    while n > 0:
        n, d = divmod(n - 1, 26)
        s = chr(65 + d) + s
    return s


def slides(z):
    deck = main_part(z)
    targets = {i: t for i, _, t in rels(z, deck)}
    ids = [e.get(R + 'id') or e.get('{http://purl.oclc.org/ooxml/officeDocument/relationships}id') for e in ET.fromstring(z.read(deck)).iter() if local(e) == 'sldId']
    return [targets[i] for i in ids if i in targets]


def texts(data):
    root = ET.fromstring(data)
    out = []
    for p in root.iter():
        if local(p) == 'p':
            s = ''.join(t.text or '' for t in p.iter() if local(t) == 't')
            if s.strip() and '‹#›' not in s:
                out.append(s)
    return out


# The paragraphs of each slide in the order of the deck.
def op_slides(q):
    z = zipfile.ZipFile(q['path'])
    return [texts(z.read(s)) if s in z.namelist() else [] for s in slides(z)]


def all_text(z):
    return ''.join(''.join(re.sub(r'<[^>]*>', '', z.read(n).decode('utf8', 'replace')).split()) for n in z.namelist() if n.endswith(('.xml', '.vml', '.rels')))


def unescape(s):
    return s.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


# Texts of notes, comments and slides that a cut does not refer to, and has.
def op_leaks(q):
    src, cut = zipfile.ZipFile(q['path']), zipfile.ZipFile(q['cut'])
    have, secrets, open_ = all_text(cut), [], []
    if q['format'] == 'docx':
        body = main_part(cut)
        parts = [body] + [t for _, k, t in rels(cut, body) if k in ('header', 'footer')]
        used = {}
        for part in parts + [t for _, k, t in rels(cut, body) if k in ('footnotes', 'endnotes', 'comments')]:
            if part in cut.namelist():
                for e in ET.fromstring(cut.read(part)).iter():
                    if local(e) in ('footnoteReference', 'endnoteReference', 'commentReference', 'commentRangeStart'):
                        used.setdefault(local(e).replace('Reference', '').replace('RangeStart', ''), set()).add(e.get(W + 'id'))
        for _, kind, part in rels(src, main_part(src)):
            if kind in ('footnotes', 'endnotes', 'comments') and part in src.namelist():
                for note in ET.fromstring(src.read(part)):
                    name = local(note)
                    text = ''.join(t.text or '' for t in note.iter() if local(t) == 't')
                    (open_ if note.get(W + 'id') in used.get(name, ()) else secrets).append((name, text))
        open_.append(('body', ''.join(t.text or '' for t in ET.fromstring(cut.read(body)).iter() if local(t) == 't')))
    elif q['format'] == 'pptx':
        order = slides(src)
        for i, s in enumerate(order):
            to = open_ if i + 1 in q['pages'] else secrets
            for part in [s] + [t for _, k, t in rels(src, s) if k in ('notesSlide', 'comments', 'slideLayout')]:
                if part in src.namelist():
                    into = open_ if 'slideLayout' in part.lower() else to
                    into += [(posixpath.basename(posixpath.dirname(part)), t) for t in texts(src.read(part))]
        for n in src.namelist():
            if 'Master' in n and n.endswith('.xml'):
                open_ += [('master', t) for t in texts(src.read(n))]
    elif q['format'] == 'xlsx':
        book = main_part(cut)
        used, count = set(), 0
        for _, kind, part in rels(cut, book):
            if kind == 'worksheet':
                for c in ET.fromstring(cut.read(part)).iter():
                    if local(c) == 'c' and c.get('t') == 's':
                        used |= {v.text for v in c if local(v) == 'v'}
        for _, kind, part in rels(cut, book):
            if kind == 'sharedStrings':
                items = [string(si) for si in ET.fromstring(cut.read(part)) if local(si) == 'si']
                unused = [s for i, s in enumerate(items) if str(i) not in used and s.strip()]
                if unused:
                    return ['shared string: ' + unused[0]]
        sheets = [e.get('name') for e in ET.fromstring(cut.read(book)).iter() if local(e) == 'sheet']
        if len(sheets) != 1:
            return ['sheets: ' + repr(sheets)]
    known = ''.join(''.join(t.split()) for _, t in open_)
    out = []
    for kind, text in secrets:
        s = ''.join(text.split())
        if len(s) >= 12 and s not in known and unescape(s) in have:
            out.append(kind + ': ' + text[:80])
    return out


# The table of contents of a book: [depth, title], by html.parser and ElementTree.
class Nav(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.nav, self.depth, self.text, self.out = 0, 0, None, []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == 'nav':
            if self.nav or 'toc' in (attrs.get('epub:type') or '').split():
                self.nav += 1
        if not self.nav:
            return
        if tag == 'ol':
            self.depth += 1
        elif tag in ('a', 'span') and self.depth and self.text is None:
            self.text, self.of = '', tag
        elif tag == 'img' and self.text is not None:
            self.text += attrs.get('alt') or ''

    def handle_startendtag(self, tag, attrs):
        if tag == 'img':
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        if tag == 'nav' and self.nav:
            self.nav -= 1
        elif tag == 'ol' and self.nav:
            self.depth -= 1
        elif self.text is not None and tag == self.of:
            if self.text.strip():
                self.out.append([self.depth, ' '.join(self.text.split())])
            self.text = None

    def handle_data(self, data):
        if self.text is not None:
            self.text += data


def op_toc(q):
    z = zipfile.ZipFile(q['path'])
    container = ET.fromstring(z.read('META-INF/container.xml'))
    opf = [e.get('full-path') for e in container.iter() if local(e) == 'rootfile'][0]
    root = ET.fromstring(z.read(opf))
    items, spine, toc = {}, 0, None
    for e in root.iter():
        if local(e) == 'item':
            items[e.get('id')] = e
        elif local(e) == 'spine':
            toc = e.get('toc')
        elif local(e) == 'itemref':
            spine += 1
    base = posixpath.dirname(opf)
    href = lambda e: posixpath.normpath(posixpath.join(base, urllib.parse.unquote(e.get('href'))))
    out = []
    for e in items.values():
        if 'nav' in (e.get('properties') or '').split() and href(e) in z.namelist():
            p = Nav()
            p.feed(z.read(href(e)).decode('utf8', 'replace'))
            out = p.out
    if not out:
        ncx = items.get(toc)
        if ncx is None:
            ncx = next((e for e in items.values() if e.get('media-type') == 'application/x-dtbncx+xml'), None)
        if ncx is not None and href(ncx) in z.namelist():
            def walk(e, depth):
                for p in e:
                    if local(p) == 'navPoint':
                        text = ' '.join(''.join(t.text or '' for l in p if local(l) == 'navLabel' for t in l if local(t) == 'text').split())
                        if text:
                            out.append([depth, text])
                        walk(p, depth + 1)
            for e in ET.fromstring(z.read(href(ncx))):
                if local(e) == 'navMap':
                    walk(e, 1)
    return {'toc': out, 'spine': spine}


# The parts of a mail by their numbers (RFC 3501): [number, type, SHA-256].
def op_parts(q):
    data = open(q['path'], 'rb').read()
    m = email.message_from_bytes(data, policy=email.policy.compat32)
    if any('\n' in (p.get_boundary() or '') for p in m.walk()):  # which the older policy does not unfold
        m = email.message_from_bytes(data, policy=email.policy.default)
    out = []

    def leaf(part, n):
        payload = part.get_payload(decode=True)
        out.append([n, part.get_content_type(), hashlib.sha256(payload).hexdigest() if payload is not None else '', len(payload or b'')])

    def body(m, prefix):
        if m.get_content_maintype() == 'multipart' and m.is_multipart():
            for i, p in enumerate(m.get_payload(), 1):
                part(p, (prefix + '.' if prefix else '') + str(i))
        else:
            part(m, (prefix + '.' if prefix else '') + '1')

    def part(p, n):
        if p.get_content_maintype() == 'multipart' and p.is_multipart():
            out.append([n, p.get_content_type(), '', 0])
            for i, c in enumerate(p.get_payload(), 1):
                part(c, n + '.' + str(i))
        elif p.get_content_type() == 'message/rfc822' and p.is_multipart():
            out.append([n, p.get_content_type(), '', 0])
            inner = p.get_payload(0)
            if str(p.get('content-transfer-encoding', '')).strip().lower() == 'base64':  # which Python leaves as it is
                inner = email.message_from_bytes(base64.b64decode(inner.get_payload()), policy=email.policy.compat32)
            body(inner, n)
        else:
            leaf(p, n)

    body(m, '')
    return out


# How many messages a mailbox has.
def op_messages(q):
    data = open(q['path'], 'rb').read()
    return len(re.findall(rb'(?:\A|\n)From ', data))


def late(*_):
    raise Exception('it took too long')


signal.signal(signal.SIGALRM, late)
for line in sys.stdin:
    q = json.loads(line)
    signal.alarm(60)
    try:
        answer = {'ok': globals()['op_' + q['op']](q)}
    except Exception as e:
        answer = {'error': type(e).__name__ + ': ' + str(e)[:300]}
    signal.alarm(0)
    print(json.dumps(answer), flush=True)
