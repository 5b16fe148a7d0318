# The tree of a page, as libxml2 2.14 builds it; part of `_walk.pyx`. What is odd is left to libxml2: characters by
# number out of the ordinary, names with other signs than letters and digits, second heads and bodies, bytes that are no
# UTF-8. A page is given up where the first of them stands.

cdef enum:
    WORDS = 2048
    LONGEST_WORD = 46
    MOST_ATTRIBUTES = 100
    OPEN = 1_000  # elements inside each other; deeper pages are libxml2's
    CLOSERS = 128

cdef enum:
    EMPTY = 1
    RCDATA = 2
    RAWTEXT = 4
    SCRIPT = 8
    UNREAD = 16
    OF_HEAD = 32
    NO_BODY = 64
    HEAD = 128
    BODY = 256

cdef struct Word:
    char name[48]
    int length
    int means
    int priority  # an end tag closes nothing of a higher one
    int number  # in `closed_by`; 0 for most
    const tree.xmlChar *interned  # NULL: not yet in this dictionary

cdef Word words[WORDS]
cdef Word unkept  # the last attribute that was met with the table full
cdef int words_known = 0
cdef tree.xmlDict *words_in = NULL
cdef uint64_t closed_by[CLOSERS][2]
cdef int closers = 0
cdef char in_word[256]
cdef dict entities = {}
memset(words, 0, sizeof(words))
memset(closed_by, 0, sizeof(closed_by))
for _byte in range(256):
    in_word[_byte] = ord(chr(_byte).lower()) if _byte < 128 and (chr(_byte).isalnum() or chr(_byte) in "-_:.@") else 0


cdef Word *word_for(const char *name, int length, unsigned int mixed, bint is_tag) noexcept:
    """Return the place of a name, where it may be new; NULL: there are too many tags."""
    global words_known
    cdef unsigned int place = mixed & (WORDS - 1)
    cdef Word *word = &words[place]
    while word.length:
        if word.length == length and memcmp(word.name, name, length) == 0:
            return word
        place = (place + 1) & (WORDS - 1)
        word = &words[place]
    if 2 * words_known < WORDS + (WORDS // 2 if is_tag else 0):
        words_known += 1
    elif is_tag:
        return NULL
    else:
        word = &unkept
        memset(word, 0, sizeof(Word))
    memcpy(word.name, name, length)
    word.length = length
    word.priority = 100
    return word


cdef Word *named(str name):
    cdef bytes one = name.encode()
    cdef const char *at = one
    return read_word(&at, True)


cdef inline Word *read_word(const char **at, bint is_tag) noexcept:
    """Read a name, in lower case; NULL where it is long, or there are too many."""
    cdef char name[48]
    cdef int length = 0
    cdef unsigned int mixed = 2166136261u
    cdef unsigned char one
    while length < LONGEST_WORD:
        one = in_word[<unsigned char>at[0][0]]
        if not one:
            return word_for(name, length, mixed ^ mixed >> 15, is_tag) if length else NULL
        name[length] = one
        mixed = (mixed ^ one) * 16777619u
        length += 1
        at[0] += 1
    return NULL


cdef int learn_kind(str tags, int means) except -1:
    cdef Word *word
    for tag in tags.split():
        word = named(tag)
        word.means |= means
    return 0


cdef int learn_priority(str tags, int priority) except -1:
    cdef Word *word
    for tag in tags.split():
        word = named(tag)
        word.priority = priority
    return 0


cdef int learn_closing(str closed, str closing) except -1:
    """Take the tags that, where they begin, close elements of others that stand open."""
    cdef int old, new
    for one in closed.split():
        old = number_of_closer(named(one))
        for other in closing.split():
            new = number_of_closer(named(other))
            closed_by[old][new >> 6] |= <uint64_t>1 << (new & 63)
    return 0


cdef int number_of_closer(Word *word) noexcept:
    global closers
    if not word.number:
        closers += 1
        word.number = closers
    return word.number


cdef const tree.xmlChar *interned(Word *word) noexcept:
    if word.interned == NULL:
        word.interned = kept_lookup(words_in, <const tree.xmlChar *>word.name, word.length)
    return word.interned


cdef struct Growing:
    tree.xmlDoc *doc
    tree.xmlNode *node  # the innermost open element, NULL after the last has ended
    Word *open[OPEN]
    int depth
    int begun  # HEAD, BODY: it was met
    int line
    const char *counted  # up to there
    tree.xmlNode *longer  # the text that was added to last
    Py_ssize_t length
    Py_ssize_t room
    Text text


cdef int append(Growing *growing, tree.xmlNode *node) noexcept:
    cdef tree.xmlNode *parent = growing.node
    node.parent = parent
    node.doc = growing.doc
    node.line = min(growing.line, 0xFFFF)
    node.prev = parent.last
    if parent.last == NULL:
        parent.children = node
    else:
        parent.last.next = node
    parent.last = node
    return 0


cdef tree.xmlNode *new_text(const char *text, Py_ssize_t length) except NULL:
    cdef tree.xmlNode *node = <tree.xmlNode *>kept_malloc(sizeof(tree.xmlNode))
    if node == NULL:
        raise MemoryError
    memset(node, 0, sizeof(tree.xmlNode))
    node.type = tree.XML_TEXT_NODE
    node.name = kept_text_name
    node.content = <tree.xmlChar *>kept_malloc(length + 1)
    if node.content == NULL:
        kept_free(node)
        raise MemoryError
    memcpy(node.content, text, length)
    node.content[length] = 0
    return node


cdef int put_text(Growing *growing, const char *text, Py_ssize_t length) except -1:
    """Add text to the open element, to the text that is its last child if there is one."""
    if growing.node == NULL or not length:
        return 0
    cdef tree.xmlNode *last = growing.node.last
    cdef tree.xmlChar *moved
    if last != NULL and last.type == tree.XML_TEXT_NODE:
        if last != growing.longer:
            growing.longer = last
            growing.length = strlen(<const char *>last.content)
            growing.room = 0
        if growing.length + length >= growing.room:
            growing.room = 2 * (growing.length + length) + 1
            moved = <tree.xmlChar *>realloc(last.content, growing.room)
            if moved == NULL:
                growing.longer = NULL
                raise MemoryError
            last.content = moved
        memcpy(last.content + growing.length, text, length)
        growing.length += length
        last.content[growing.length] = 0
        return 0
    append(growing, new_text(text, length))
    return 0


cdef int open_element(Growing *growing, Word *word) except -1:
    if growing.depth >= OPEN:
        raise Unusual
    cdef tree.xmlNode *node = <tree.xmlNode *>kept_malloc(sizeof(tree.xmlNode))
    if node == NULL:
        raise MemoryError
    memset(node, 0, sizeof(tree.xmlNode))
    node.type = tree.XML_ELEMENT_NODE
    node.name = interned(word)
    append(growing, node)
    growing.node = node
    growing.open[growing.depth] = word
    growing.depth += 1
    growing.begun |= word.means & (HEAD | BODY)
    return 0


cdef inline int close_element(Growing *growing) noexcept:
    growing.depth -= 1
    growing.node = growing.node.parent if growing.depth else NULL
    return 0


cdef int make_way(Growing *growing, Word *word) noexcept:
    """Close the elements that a tag closes by beginning."""
    cdef int new = word.number
    while new and growing.depth and closed_by[growing.open[growing.depth - 1].number][new >> 6] >> (new & 63) & 1:
        close_element(growing)
    return 0


cdef int imply(Growing *growing, Word *word) except -1:
    """Open the head or body that a tag implies."""
    cdef int place
    if growing.depth == 0:  # behind the end of `html`: another one
        growing.node = <tree.xmlNode *>growing.doc
        open_element(growing, word_html)
    if word.means & (HEAD | BODY):
        return 0
    if growing.depth == 1 and word.means & OF_HEAD:
        if not growing.begun:
            open_element(growing, word_head)
    elif not word.means & NO_BODY and not growing.begun & BODY:
        for place in range(growing.depth):
            if growing.open[place].means & (HEAD | BODY):
                return 0
        open_element(growing, word_body)
    return 0


cdef int add_text(Growing *growing, const char *text, Py_ssize_t length) except -1:
    """Add text; where it is more than white space, it implies a body."""
    cdef Py_ssize_t blanks = 0
    if growing.depth <= 1 or growing.open[growing.depth - 1].means & HEAD:
        while blanks < length and is_blank(text[blanks]):
            blanks += 1
        put_text(growing, text, blanks)
        if blanks == length:
            return 0
        if growing.depth > 1:
            make_way(growing, word_p)
        imply(growing, word_p)
    return put_text(growing, text + blanks, length - blanks)


cdef inline bint is_blank(char one) noexcept nogil:
    return one == 0x20 or 0x09 <= one <= 0x0D and one != 0x0B


cdef const char *put_character(Text *text, const char *at, const char *end) except NULL:
    """Add the character that is meant by what begins with "&", and return what follows it."""
    cdef const char *last = at + 1
    cdef long number = 0
    cdef bytes name
    if last[0] == c"#":
        last += 1
        if last[0] == c"x" or last[0] == c"X":
            last += 1
            while last < at + 9 and strchr(b"0123456789abcdefABCDEF", last[0]) != NULL and last[0]:
                number = 16 * number + (last[0] - c"0" if last[0] <= c"9" else (last[0] | 32) - c"a" + 10)
                last += 1
        else:
            while last < at + 9 and c"0" <= last[0] <= c"9":
                number = 10 * number + last[0] - c"0"
                last += 1
        if last[0] != c";" or number < 0x20 or 0x7E < number < 0xA0 or 0xD7FF < number < 0xE000 or number > 0xFFFD:
            raise Unusual
        name = chr(number).encode()
        put(text, name, len(name))
        return last + 1
    while last < end and is_alphanumeric(last[0]):
        last += 1
    if last > at + 1:
        if last[0] == c";":
            name = entities.get((at + 1)[: last - at])
            if name is not None:
                put(text, name, len(name))
                return last + 1
        for length in range(2, min(last - at, 8)):
            if (at + 1)[:length] in entities:
                raise Unusual
    put(text, at, last - at)
    return last


cdef inline bint is_alphanumeric(char one) noexcept nogil:
    return c"0" <= one <= c"9" or c"a" <= (one | 32) <= c"z"


cdef int add_decoded(Growing *growing, const char *at, const char *end) except -1:
    """Add text in which characters may stand by their names."""
    cdef const char *mark = <const char *>memchr(at, c"&", end - at)
    if mark == NULL:
        return add_text(growing, at, end - at)
    decode(&growing.text, at, mark, end)
    return add_text(growing, growing.text.start, growing.text.length)


cdef int decode(Text *text, const char *at, const char *mark, const char *end) except -1:
    text.length = 0
    while mark != NULL:
        put(text, at, mark - at)
        at = put_character(text, mark, end)
        mark = <const char *>memchr(at, c"&", end - at) if at < end else NULL
    return put(text, at, end - at)


cdef const char *add_attribute(Growing *growing, const char *at, const char *end) except NULL:
    """Read an attribute into the open element; of two with one name the first counts."""
    cdef Word *word = read_word(&at, False)
    cdef const char *value = NULL
    cdef int count = 0
    cdef const char *mark
    cdef Py_ssize_t length = 0
    cdef tree.xmlAttr *last = growing.node.properties
    cdef tree.xmlAttr *one
    if word == NULL or not (is_blank(at[0]) or at[0] == c"=" or at[0] == c"/" or at[0] == c">"):
        raise Unusual
    while is_blank(at[0]):
        at += 1
    if at[0] == c"=":
        at += 1
        while is_blank(at[0]):
            at += 1
        value = at
        if at[0] == c'"' or at[0] == c"'":
            value += 1
            at = <const char *>memchr(value, at[0], end - value)
            if at == NULL:
                raise Unusual
            length = at - value
            at += 1
        else:
            while at < end and not is_blank(at[0]) and at[0] != c">":
                at += 1
            length = at - value
        mark = <const char *>memchr(value, c"&", length)
        if mark != NULL:
            decode(&growing.text, value, mark, value + length)
            value = growing.text.start
            length = growing.text.length
    elif learned(word.name) & IS_FLAG:
        value = word.name
        length = word.length
    cdef const tree.xmlChar *name = interned(word)
    while last != NULL:
        if last.name == name:
            return at
        if last.next == NULL:
            break
        last = last.next
        count += 1
        if count > MOST_ATTRIBUTES:  # to look through each time
            raise Unusual
    one = <tree.xmlAttr *>kept_malloc(sizeof(tree.xmlAttr))
    if one == NULL:
        raise MemoryError
    memset(one, 0, sizeof(tree.xmlAttr))
    one.type = tree.XML_ATTRIBUTE_NODE
    one.name = name
    one.parent = growing.node
    one.doc = growing.doc
    one.prev = last
    if last == NULL:
        growing.node.properties = one
    else:
        last.next = one
    if value != NULL:
        one.children = one.last = new_text(value, length)
        one.children.parent = <tree.xmlNode *>one
        one.children.doc = growing.doc
    return at


cdef int count_lines(Growing *growing, const char *to) noexcept:
    while growing.counted != NULL and growing.counted < to:
        growing.counted = <const char *>memchr(growing.counted, 0x0A, to - growing.counted)
        if growing.counted != NULL:
            growing.counted += 1
            growing.line += 1
    growing.counted = to
    return 0


cdef const char *add_element(Growing *growing, const char *at, const char *end) except NULL:
    """Read a start tag, with the text of an element that holds no tags."""
    cdef Word *word = read_word(&at, True)
    cdef int place
    if word == NULL or word.means & UNREAD or not (is_blank(at[0]) or at[0] == c"/" or at[0] == c">"):
        raise Unusual
    count_lines(growing, at)
    make_way(growing, word)
    imply(growing, word)
    if word.means & HEAD and growing.depth != 1:
        raise Unusual
    if word.means & BODY:
        for place in range(growing.depth):
            if growing.open[place].means & BODY:
                raise Unusual
    open_element(growing, word)
    while True:
        while is_blank(at[0]):
            at += 1
        if at[0] == c">":
            break
        if at[0] == c"/":
            at += 1
            if at[0] == c">":
                close_element(growing)
                return at + 1
        else:
            at = add_attribute(growing, at, end)
            count_lines(growing, at)
            growing.node.line = min(growing.line, 0xFFFF)
    at += 1
    if word.means & EMPTY:
        close_element(growing)
    elif word.means & (RCDATA | RAWTEXT | SCRIPT):
        at = add_raw(growing, word, at, end)
    return at


cdef const char *add_raw(Growing *growing, Word *word, const char *at, const char *end) except NULL:
    """Read text up to its element's end tag."""
    cdef const char *last = at
    cdef bint commented = False
    while True:
        last = <const char *>memchr(last, c"<", end - last)
        if last == NULL:
            raise Unusual
        if last[1] == c"/" and strncasecmp(last + 2, word.name, word.length) == 0 and (
            is_blank(last[2 + word.length]) or last[2 + word.length] == c"/" or last[2 + word.length] == c">"
        ):
            break
        commented = commented or strncmp(last, b"<!--", 4) == 0
        if commented and word.means & SCRIPT and strncasecmp(last + 1, b"script", 6) == 0:
            raise Unusual  # its end tag may not be that of this one
        last += 1
    if word.means & RCDATA:
        add_decoded(growing, at, last)
    else:
        put_text(growing, at, last - at)
    return last


cdef const char *end_element(Growing *growing, const char *at) except NULL:
    """Read an end tag: it closes what stands in its element, but for what is more than that."""
    cdef Word *word = read_word(&at, True)
    cdef int place = growing.depth - 1
    while is_blank(at[0]):
        at += 1
    if word == NULL or at[0] != c">":
        raise Unusual
    while place >= 0 and growing.open[place] != word:
        if growing.open[place].priority > word.priority:
            return at + 1
        place -= 1
    if place >= 0:
        while growing.depth > place:
            close_element(growing)
    return at + 1


cdef const char *after_comment(const char *at, const char *end) except NULL:
    """Return what follows a comment."""
    if strncmp(at, b"<!--", 4) != 0 or at[4] == c">" or (at[4] == c"-" and at[5] == c">"):
        raise Unusual
    at += 4
    while at < end:
        at = <const char *>memchr(at, c"-", end - at)
        if at == NULL:
            break
        if at[1] == c"-" and at[2] == c">":
            return at + 3
        if at[1] == c"-" and at[2] == c"!":
            break
        at += 1
    raise Unusual


cdef int grow(Growing *growing, const char *at, const char *end) except -1:
    """Read all that follows the tag of `html`."""
    cdef const char *tag
    while at < end:
        tag = at
        while True:
            tag = <const char *>memchr(tag, c"<", end - tag) if tag < end else end
            if tag == NULL:
                tag = end
            if tag == end or is_letter(tag[1]) or tag[1] == c"/" or tag[1] == c"!" or tag[1] == c"?":
                break
            tag += 1
        if tag > at:
            count_lines(growing, at)
            add_decoded(growing, at, tag)
        if tag == end:
            break
        at = tag + 1
        if is_letter(at[0]):
            at = add_element(growing, at, end)
        elif at[0] == c"/" and is_letter(at[1]):
            at = end_element(growing, at + 1)
        else:
            at = after_comment(tag, end)
    return 0


cdef const char *after_html(const char *at, const char *end, bint *is_implied):
    """Return what follows the tag of `html` at the beginning of a page, or the first tag; NULL: text begins it."""
    while at != NULL and at < end:
        if is_blank(at[0]):
            at += 1
        elif at[0] != c"<":
            return NULL
        elif strncasecmp(at, b"<html", 5) == 0 and (is_blank(at[5]) or at[5] == c">"):
            at = end_of_tag(at + 1, end)
            return NULL if at == NULL or at[-1] == c"/" else at + 1
        elif strncmp(at, b"<!--", 4) == 0:
            at = after_comment(at, end)
        elif at[1] == c"?" or strncasecmp(at, b"<!doctype", 9) == 0:
            at = <const char *>memchr(at, c">", end - at)
            at = NULL if at == NULL else at + 1
        else:
            is_implied[0] = True
            return at if is_letter(at[1]) and strncasecmp(at, b"<html", 5) != 0 else NULL
    return NULL


def tree_of(bytes page not None, object parsed not None, object parser):
    """Return the tree of a page, the same that *parsed* makes of it, in a third of the time.

    Args:
        parsed: parses bytes by libxml2, with *parser*: the page's beginning, the tag of `html` and what stands before it; where the
            page has oddities, all of it.
    """
    cdef bytes data = page
    if b"\r" in page:
        data = page.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        root = plain_tree(data, parsed, parser) if kept_grows() else None
    except (Unusual, UnicodeDecodeError):
        root = None
    return parsed(page, parser) if root is None else root


cdef object plain_tree(bytes page, object parsed, object parser):
    """Return the tree of a page; None, or an error, where it has oddities."""
    cdef const char *start = page
    cdef const char *end = start + len(page)
    cdef bint is_implied = False
    cdef const char *at = after_html(start, end, &is_implied)
    cdef Growing growing
    cdef _Element root
    if at == NULL or memchr(at, 0, end - at) != NULL:
        return None
    if not page.isascii():
        PyUnicode_DecodeUTF8(start, end - start, "strict")
    root = parsed(page[: at - start] + (b"<html>" if is_implied else b""), parser)
    if root._c_node.children != NULL or strcmp(<const char *>root._c_node.name, b"html") != 0:
        return None
    take_names_from(root._c_node.doc.dict)
    memset(&growing, 0, sizeof(Growing))
    growing.doc = root._c_node.doc
    growing.node = root._c_node
    growing.open[0] = word_html
    growing.depth = 1
    growing.line = root._c_node.line
    growing.counted = at
    try:
        grow(&growing, at, end)
    finally:
        PyMem_Free(growing.text.start)
    return root


cdef int take_names_from(tree.xmlDict *dictionary) noexcept:
    """Have names stand in the dictionary of a tree: that of its thread."""
    global words_in
    cdef Py_ssize_t place
    if dictionary != words_in:
        kept_dictionary(words_in, dictionary)
        words_in = dictionary
        for place in range(WORDS):
            words[place].interned = NULL
    return 0


cdef Word *word_html = named("html")
cdef Word *word_head = named("head")
cdef Word *word_body = named("body")
cdef Word *word_p = named("p")

learn_kind("area base basefont br col frame hr img input isindex link meta param", EMPTY)
learn_kind("title textarea", RCDATA)
learn_kind("iframe noembed noframes style xmp", RAWTEXT)
learn_kind("script", SCRIPT)
learn_kind("html plaintext", UNREAD)
learn_kind("base link meta script style title", OF_HEAD)
learn_kind("frame frameset noframes", NO_BODY)
learn_kind("head", HEAD)
learn_kind("body", BODY)

learn_priority("div", 150)
learn_priority("td th", 160)
learn_priority("tr", 170)
learn_priority("tbody tfoot thead", 180)
learn_priority("table", 190)
learn_priority("head body", 200)
learn_priority("html", 220)

learn_closing(
    "head",
    "a abbr acronym address b bdo big blockquote body br center cite code dd dfn dir div dl dt em fieldset font form "
    "frameset h1 h2 h3 h4 h5 h6 hr i iframe img kbd li listing map menu ol p pre q s samp small span strike strong sub "
    "sup table tt u ul var xmp",
)
learn_closing(
    "p",
    "address blockquote body caption center col colgroup dd dir div dl dt fieldset form frameset h1 h2 h3 h4 h5 h6 head "
    "hr li listing menu ol p pre table tbody td tfoot th title tr ul xmp",
)
learn_closing("a", "a fieldset table td th")
learn_closing("address", "dd dl dt form li ul")
learn_closing("b i", "center p td th")
learn_closing("big s small strike tt", "p")
learn_closing("caption", "col colgroup tbody tfoot thead tr")
learn_closing("colgroup", "colgroup tbody tfoot thead tr")
learn_closing("dd", "dt")
learn_closing("dir menu", "dd dl dt form ul")
learn_closing("dl", "form li")
learn_closing("dt", "dd dl")
learn_closing("font", "center td th")
learn_closing("form ol", "form")
learn_closing("h1 h2 h3 h4 h5 h6", "fieldset form li p table")
learn_closing("legend", "fieldset")
learn_closing("li", "li")
learn_closing("listing pre", "dd dl dt fieldset form li table ul")
learn_closing("option", "optgroup option")
learn_closing("span", "td th")
learn_closing("tbody thead", "tbody tfoot")
learn_closing("td th", "tbody td tfoot th tr")
learn_closing("tfoot", "tbody")
learn_closing("tr", "tbody tfoot tr")
learn_closing("u", "p td th")
learn_closing("ul", "address form menu pre")

entities.update({name.encode(): meaning.encode() for name, meaning in html5.items()})
