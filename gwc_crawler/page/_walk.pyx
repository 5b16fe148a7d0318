# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, binding=False, embedsignature=True
"""Walks over a parsed page in C: what `text`, `outline`, `strip` and extraction's locators ask of every page.

It reads the fields of libxml2's nodes behind lxml's elements (lxml's public header `etreepublic.pxd`), and changes
nothing; of libxml2 it calls only what says where nodes have their memory and names from. Each function answers what the
Python code of its caller does, in a fifth of the time, and None where a tree is unusual (namespaces, comments, entities,
depth): then the caller's own code runs. No recursion: every walk goes back up by the nodes' parents. The last ones walk
over the bytes of a page, before the parse; `tree_of` (`_trees.pxi`) stands for most parses.
`python -m tests.page.walks` compares both on any number of pages.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Realloc
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint64_t, uintptr_t
from libc.stdlib cimport realloc
from libc.string cimport memchr, memcmp, memcpy, memset, strchr, strcmp, strcspn, strlen, strncasecmp, strncmp, strstr

from html.entities import html5

from lxml.includes cimport tree
from lxml.includes.etreepublic cimport _Element, elementFactory, import_lxml__etree

import_lxml__etree()

cdef enum:
    DEEPEST = 700  # libxslt goes deeper, but not twice as deep
    SLOTS = 512
    LONGEST_NAME = 15
    SEEN = 256  # 2 ** (32 - 24)

cdef enum:
    INLINE = 1
    HIDDEN = 2
    IS_A = 4
    IS_HEADING = 8
    IS_TITLE = 16
    IS_META = 32
    IS_BASE = 64
    IS_LINK = 128
    IS_AREA = 256
    IS_FRAME = 512
    IS_PLACE = 1020
    VOID = 1024
    OPEN_WHEN_EMPTY = 2048
    RAW = 4096
    DROPPED = 8192
    IS_FLAG = 16384
    CAPITAL = 32768
    UNMARKED = 65536


FORM = 8
"""A number of its own for each set of functions below; `walks` leaves a build with another one alone."""

cdef bint serialises = False


# ---- names of tags → what they mean, by a table that is made at import

cdef struct Known:
    char name[16]
    int flags

cdef Known known[SLOTS]
memset(known, 0, sizeof(known))


cdef inline unsigned int hashed(const char *name) noexcept nogil:
    cdef unsigned int value = 2166136261u
    while name[0]:
        value = (value ^ <unsigned char>name[0]) * 16777619u
        name += 1
    return value


cdef Known *slot_of(const char *name) noexcept nogil:
    cdef unsigned int place = hashed(name) % SLOTS
    while known[place].name[0] and strcmp(known[place].name, name) != 0:
        place = (place + 1) % SLOTS
    return &known[place]


cdef int learned(const char *name) noexcept nogil:
    return 0 if strlen(name) > LONGEST_NAME else slot_of(name).flags


cdef void learn(str names, int flags):
    cdef Known *slot
    cdef bytes name
    for one in names.split():
        name = one.encode()
        slot = slot_of(name)
        memcpy(slot.name, <const char *>name, len(name) + 1)
        slot.flags |= flags


learn("a", IS_A)
learn("h1 h2", IS_HEADING)
learn("title", IS_TITLE)
learn("meta", IS_META)
learn("base", IS_BASE)
learn("link", IS_LINK)
learn("area", IS_AREA)
learn("frame iframe", IS_FRAME)
learn("script style", RAW)


def learn_text(str inline not None, str hidden not None):
    """Take the tags that set no words apart, and those whose text nobody sees; names with blanks between."""
    learn(inline, INLINE)
    learn(hidden, HIDDEN)


def learn_marks(str unmarked not None):
    """Take the tags of elements that bear no marks, nor does what stands in them."""
    learn(unmarked, UNMARKED)


def learn_serialiser(str void not None, str open_when_empty not None, str flags not None):
    """Take the tags that hold nothing, those without an end tag when empty, and the attributes written without value."""
    global serialises
    learn(void, VOID)
    learn(open_when_empty, OPEN_WHEN_EMPTY)
    learn(flags, IS_FLAG)
    serialises = True


# ---- what was met in one walk: names are interned, so that a pointer stands for a name

cdef struct Met:
    const char *names[SEEN]
    int flags[SEEN]


cdef bint has_capital(const char *name) noexcept nogil:
    while name[0]:
        if c"A" <= name[0] <= c"Z":
            return True
        name += 1
    return False


cdef inline int flags_of(Met *met, const char *name, list dropped) noexcept:
    # names stand byte by byte behind one another, so all bits of the pointer count
    cdef unsigned int place = (<unsigned int><uintptr_t>name * 2654435769u) >> 24
    if met.names[place] == name:
        return met.flags[place]
    cdef int flags = learned(name) | (CAPITAL if has_capital(name) else 0)
    cdef bytes one
    if dropped is not None:
        for one in dropped:
            if strcmp(<const char *>one, name) == 0:
                flags |= DROPPED
                break
    met.names[place] = name
    met.flags[place] = flags
    return flags


# ---- a growing piece of text

cdef struct Text:
    char *start
    Py_ssize_t length
    Py_ssize_t room


cdef int reserve(Text *text, Py_ssize_t more) except -1:
    cdef Py_ssize_t room
    cdef char *moved
    if text.length + more > text.room:
        room = 2 * (text.length + more) + 4096
        moved = <char *>PyMem_Realloc(text.start, room)
        if moved == NULL:
            raise MemoryError
        text.start = moved
        text.room = room
    return 0


cdef inline int put(Text *text, const char *more, Py_ssize_t length) except -1:
    reserve(text, length)
    memcpy(text.start + text.length, more, length)
    text.length += length
    return 0


cdef object as_str(const char *text, Py_ssize_t length):
    """The text, None where it is no UTF-8."""
    try:
        return PyUnicode_DecodeUTF8(text, length, "strict")
    except UnicodeDecodeError:
        return None


cdef inline bint is_text(tree.xmlNode *node) noexcept nogil:
    return node.type == tree.XML_TEXT_NODE or node.type == tree.XML_CDATA_SECTION_NODE


cdef inline tree.xmlNode *following(tree.xmlNode *node, tree.xmlNode *root) noexcept nogil:
    """The next node after all of *node*, in document order below *root*; NULL at the end."""
    while node != root and node.next == NULL:
        node = node.parent
    return NULL if node == root else node.next


# ---- attributes

cdef tree.xmlAttr *attribute(tree.xmlNode *node, const char *name) noexcept nogil:
    cdef tree.xmlAttr *one = node.properties
    while one != NULL:
        if one.ns == NULL and strcmp(<const char *>one.name, name) == 0:
            return one
        one = one.next
    return NULL


cdef inline bint is_plain(tree.xmlAttr *one) noexcept nogil:
    """Say whether the value is in one piece, as the HTML parser leaves it."""
    return one.children == NULL or (one.children.next == NULL and one.children.type == tree.XML_TEXT_NODE)


cdef inline const char *value_of(tree.xmlAttr *one) noexcept nogil:
    if one.children == NULL or one.children.content == NULL:
        return b""
    return <const char *>one.children.content


class Unusual(Exception):
    """The Python code has to look at it."""


cdef str attribute_str(tree.xmlNode *node, const char *name):
    """The value of an attribute, None where there is none."""
    cdef tree.xmlAttr *one = attribute(node, name)
    if one == NULL:
        return None
    if not is_plain(one):
        raise Unusual
    cdef const char *value = value_of(one)
    return PyUnicode_DecodeUTF8(value, strlen(value), "strict")


# ---- visible text

cdef enum:
    WORD = 8

cdef uint64_t EACH = 0x0101010101010101u


cdef inline char *put_prose(char *end, const char **more, const char *last) noexcept nogil:
    """Copy eight bytes at a time behind one that is no white space, as long as single blanks stand between words."""
    cdef const char *at = more[0]
    cdef uint64_t eight, low, large, blanks
    while last - at >= WORD:
        memcpy(&eight, at, WORD)
        low = eight & (EACH * 0x7F)
        large = ~(low + EACH * 0x5F | eight) & (EACH * 0x80)  # now of those that are not above a blank
        if large:
            blanks = large >> 7
            if (low + EACH * 0x60 | eight) & (EACH * 0x80) != EACH * 0x80 or blanks & blanks >> 8:
                break  # other white space, or several blanks
        memcpy(end, at, WORD)
        end += WORD
        at += WORD
        if at[-1] == 0x20:  # more of them may follow
            end -= 1
            at -= 1
    more[0] = at
    return end


cdef inline int put_folded(Text *text, const char *more, bint *apart) except -1:
    """Add a text with its white space folded; *apart*: there was some since the last character."""
    cdef Py_ssize_t length = strlen(more)
    reserve(text, 2 * length + WORD)
    cdef char *end = text.start + text.length
    cdef char *start = text.start
    cdef const char *last = more + length
    cdef unsigned char one = <unsigned char>more[0]
    while one:
        if one == 0x20 or one == 0x0A or one == 0x09 or one == 0x0D:
            apart[0] = True
            more += 1
            one = <unsigned char>more[0]
            continue
        if apart[0]:
            if end != start:
                end[0] = 0x20
                end += 1
            apart[0] = False
        while True:  # a word
            end[0] = <char>one
            end += 1
            more += 1
            one = <unsigned char>more[0]
            if one <= 0x20:
                end = put_prose(end, &more, last)
                one = <unsigned char>more[0]
                break
    text.length = end - start
    return 0


def folded_text(_Element element not None, str mark not None, bint captions):
    """Return the visible text with runs of blanks, tabs and line ends folded, as the XSLT walks of `text` do.

    Args:
        mark: what is put where a block begins and ends: " ", or the character that ends a paragraph.
        captions: with the text of `a[href]`.
    Returns:
        None for a tree that is unusual, or nested deeper than libxslt walks.
    """
    cdef tree.xmlNode *root = element._c_node
    cdef tree.xmlNode *node = root
    cdef tree.xmlNode *after
    cdef Met met
    cdef Text text
    cdef bint apart = False
    cdef bint ends_marked = False
    cdef bytes marked = mark.encode()
    cdef const char *block = marked
    cdef int flags
    cdef int depth = 0
    memset(&met, 0, sizeof(Met))
    memset(&text, 0, sizeof(Text))
    try:
        while node != NULL:
            if is_text(node):
                if node.content != NULL:
                    put_folded(&text, <const char *>node.content, &apart)
            elif node.type != tree.XML_ELEMENT_NODE or node.ns != NULL:
                return None
            else:
                flags = flags_of(&met, <const char *>node.name, None)
                if flags & HIDDEN:
                    pass
                elif flags & IS_A and not captions and attribute(node, b"href") != NULL:
                    apart = True
                else:
                    if not flags & INLINE:
                        put_folded(&text, block, &apart)
                    if node.children != NULL:
                        depth += 1
                        if depth > DEEPEST:
                            return None
                        node = node.children
                        continue
                    if not flags & INLINE:
                        put_folded(&text, block, &apart)
            while node != root and node.next == NULL:
                node = node.parent
                depth -= 1
                if not flags_of(&met, <const char *>node.name, None) & INLINE:
                    put_folded(&text, block, &apart)
            if node == root:
                break
            node = node.next
        return as_str(text.start, text.length) if text.length else ""
    finally:
        PyMem_Free(text.start)


# ---- outline

cdef str text_in(tree.xmlNode *root):
    """All the text in an element, white space folded."""
    cdef tree.xmlNode *node = root
    cdef Text text
    memset(&text, 0, sizeof(Text))
    try:
        while node != NULL:
            if is_text(node):
                if node.content != NULL:
                    put(&text, <const char *>node.content, strlen(<const char *>node.content))
            elif node.type != tree.XML_ELEMENT_NODE:
                raise Unusual
            elif node.children != NULL:
                node = node.children
                continue
            node = following(node, root)
        if not text.length:
            return ""
        return " ".join(PyUnicode_DecodeUTF8(text.start, text.length, "strict").split())
    finally:
        PyMem_Free(text.start)


cdef inline bint in_head(tree.xmlNode *node) noexcept nogil:
    return (
        node.parent != NULL
        and node.parent.type == tree.XML_ELEMENT_NODE
        and strcmp(<const char *>node.parent.name, b"head") == 0
    )


cdef bint may_lead_on(const char *rel) noexcept nogil:
    """Say whether a word of *rel* may be next, prev, previous or canonical."""
    cdef bint begins = True
    while rel[0]:
        if <unsigned char>rel[0] >= 0x80:
            return True
        if begins and strchr(b"nNpPcC", rel[0]) != NULL:
            return True
        begins = <unsigned char>rel[0] <= 0x20
        rel += 1
    return False


cdef int hides_link(tree.xmlNode *node) noexcept nogil:
    """Say whether an element may lead somewhere by `data-href` or `onclick`; -1: its attributes are unusual."""
    cdef tree.xmlAttr *one = node.properties
    cdef const char *name
    cdef const char *value
    while one != NULL:
        name = <const char *>one.name
        if name[0] == c"d" and one.ns == NULL and strcmp(name, b"data-href") == 0:
            if not is_plain(one):
                return -1
            if value_of(one)[0]:
                return 1
        elif name[0] == c"o" and one.ns == NULL and strcmp(name, b"onclick") == 0:
            if not is_plain(one):
                return -1
            value = value_of(one)
            if strstr(value, b"location") != NULL or strstr(value, b"open") != NULL:
                return 1
        one = one.next
    return 0


def places(_Element element not None):
    """Return what `outline` asks of a page, still as it is written.

    Returns:
        (the title, heading texts, values of `base[href]`, of `a[href]`, `hints`, addresses of areas and frames, whether
        other attributes may lead somewhere); hints are, in page order, ("link", rel, href), ("robots", content, "")
        and ("meta", http-equiv, content). None for a tree that is unusual.
    """
    cdef tree.xmlNode *root = element._c_node
    cdef tree.xmlNode *node = root
    cdef tree.xmlAttr *one
    cdef Met met
    cdef int flags
    cdef list headings = [], bases = [], hrefs = [], hints = [], embedded = []
    cdef tree.xmlNode *title = NULL
    cdef bint titled_in_head = False
    cdef int hides = 0
    cdef str value
    cdef const char *rel
    memset(&met, 0, sizeof(Met))
    try:
        while node != NULL:
            if node.type == tree.XML_ELEMENT_NODE:
                if node.ns != NULL:
                    return None
                if not hides:
                    hides = hides_link(node)
                    if hides < 0:
                        return None
                flags = flags_of(&met, <const char *>node.name, None)
                if flags & IS_PLACE:
                    if flags & IS_A:
                        value = attribute_str(node, b"href")
                        if value is not None:
                            hrefs.append(value)
                    elif flags & IS_TITLE:
                        if title == NULL or (not titled_in_head and in_head(node)):
                            title = node
                            titled_in_head = in_head(node)
                    elif flags & IS_HEADING:
                        headings.append(text_in(node))
                    elif flags & IS_BASE:
                        bases.append(attribute_str(node, b"href") or "")
                    elif flags & IS_META:
                        one = attribute(node, b"name")
                        if one != NULL:
                            if not is_plain(one):
                                return None
                            rel = value_of(one)
                            if strlen(rel) == 6 and strncasecmp(rel, b"robots", 6) == 0 and in_head(node):
                                hints.append(("robots", attribute_str(node, b"content") or "", ""))
                        value = attribute_str(node, b"http-equiv")
                        if value:
                            hints.append(("meta", value, attribute_str(node, b"content") or ""))
                    elif flags & IS_LINK:
                        one = attribute(node, b"rel")
                        if one != NULL:
                            if not is_plain(one):
                                return None
                            if may_lead_on(value_of(one)) and in_head(node):
                                value = attribute_str(node, b"href")
                                if value:
                                    hints.append(("link", attribute_str(node, b"rel"), value))
                    else:
                        value = attribute_str(node, b"href" if flags & IS_AREA else b"src")
                        if not value and flags & IS_FRAME:
                            value = attribute_str(node, b"data-src")
                        if value:
                            embedded.append(value)
                if node.children != NULL:
                    node = node.children
                    continue
            elif not is_text(node):
                return None
            node = following(node, root)
        return "" if title == NULL else text_in(title), headings, bases, hrefs, hints, embedded, hides > 0
    except (Unusual, UnicodeDecodeError):
        return None


# ---- finding elements

def find_elements(_Element element not None, str tag not None, str name not None, bint first):
    """Return the elements of a tag and a class ("": any) in page order, or no more than the first of them.

    Returns:
        None for a tree that is unusual.
    """
    cdef tree.xmlNode *root = element._c_node
    cdef tree.xmlNode *node = root
    cdef tree.xmlAttr *one
    cdef bytes wanted_tag = tag.encode(), wanted_name = name.encode()
    cdef const char *tagged = wanted_tag
    cdef const char *named = wanted_name
    cdef const char *met = NULL
    cdef const char *other = NULL
    cdef list found = []
    while node != NULL:
        if node.type == tree.XML_ELEMENT_NODE:
            if node.ns != NULL:
                return None
            if <const char *>node.name != other:
                if <const char *>node.name == met or strcmp(<const char *>node.name, tagged) == 0:
                    met = <const char *>node.name
                    if named[0]:
                        one = attribute(node, b"class")
                        if one != NULL and not is_plain(one):
                            return None
                    if not named[0] or (one != NULL and has_word(value_of(one), named, len(wanted_name))):
                        found.append(elementFactory(element._doc, node))
                        if first:
                            return found
                else:
                    other = <const char *>node.name
            if node.children != NULL:
                node = node.children
                continue
        elif not is_text(node):
            return None
        node = following(node, root)
    return found


cdef bint has_word(const char *words, const char *word, size_t length) noexcept nogil:
    """Say whether a word stands in a text with blanks, or its ends, around it."""
    cdef const char *place = strstr(words, word)
    while place != NULL:
        if (place == words or (place - 1)[0] == 0x20) and (place[length] == 0x20 or place[length] == 0):
            return True
        place = strstr(place + 1, word)
    return False


# ---- the marks of a page

cdef struct Named:
    const char *tag  # NULL: a free slot
    const char *classes  # NULL: none, as below
    const char *identifier
    unsigned int mixed
    int number


cdef inline unsigned int mixed_in(unsigned int value, const char *text) noexcept nogil:
    if text == NULL:
        return value * 16777619u
    while text[0]:
        value = (value ^ <unsigned char>text[0]) * 16777619u
        text += 1
    return (value ^ 1) * 16777619u


cdef inline bint is_same(const char *one, const char *other) noexcept nogil:
    return one == other or (one != NULL and other != NULL and strcmp(one, other) == 0)


cdef class Names:
    """What elements are called in marks, numbered from 1; the attributes that make a name are asked about once."""

    cdef Named *slots
    cdef size_t room
    cdef size_t used
    cdef list texts
    cdef dict numbers

    def __cinit__(self):
        self.room = 512
        self.slots = <Named *>PyMem_Calloc(self.room, sizeof(Named))
        if self.slots == NULL:
            raise MemoryError
        self.texts = [""]
        self.numbers = {}

    def __dealloc__(self):
        PyMem_Free(self.slots)

    cdef int number_of(self, tree.xmlNode *node, object name_of) except -1:
        cdef tree.xmlAttr *one = node.properties
        cdef const char *tag = <const char *>node.name
        cdef const char *classes = NULL
        cdef const char *identifier = NULL
        while one != NULL:
            if one.ns == NULL:
                if classes == NULL and strcmp(<const char *>one.name, b"class") == 0:
                    if not is_plain(one):
                        raise Unusual
                    classes = value_of(one)
                elif identifier == NULL and strcmp(<const char *>one.name, b"id") == 0:
                    if not is_plain(one):
                        raise Unusual
                    identifier = value_of(one)
            one = one.next
        cdef unsigned int mixed = mixed_in(mixed_in(mixed_in(2166136261u, tag), classes), identifier)
        cdef Named *slot = self.slot_for(tag, classes, identifier, mixed)
        if slot.tag != NULL:
            return slot.number
        name = name_of(
            tag.decode(),
            None if classes == NULL else classes.decode(),
            None if identifier == NULL else identifier.decode(),
        )
        number = self.numbers.get(name)  # two classes may be one name: a number stands in one
        if number is None:
            number = self.numbers[name] = len(self.texts)
            self.texts.append(name)
        slot.tag = tag
        slot.classes = classes
        slot.identifier = identifier
        slot.mixed = mixed
        slot.number = number
        self.used += 1
        if 2 * self.used > self.room:
            self.widen()
        return number

    cdef Named *slot_for(
        self, const char *tag, const char *classes, const char *identifier, unsigned int mixed
    ) noexcept:
        cdef size_t place = mixed & (self.room - 1)
        cdef Named *slot = &self.slots[place]
        while slot.tag != NULL and not (
            slot.mixed == mixed
            and is_same(slot.tag, tag)
            and is_same(slot.classes, classes)
            and is_same(slot.identifier, identifier)
        ):
            place = (place + 1) & (self.room - 1)
            slot = &self.slots[place]
        return slot

    cdef int widen(self) except -1:
        cdef Named *old = self.slots
        cdef size_t count = self.room
        cdef size_t place
        cdef Named *wider = <Named *>PyMem_Calloc(4 * count, sizeof(Named))
        if wider == NULL:
            raise MemoryError
        self.slots = wider
        self.room = 4 * count
        for place in range(count):
            if old[place].tag != NULL:
                self.slot_for(old[place].tag, old[place].classes, old[place].identifier, old[place].mixed)[0] = old[place]
        PyMem_Free(old)
        return 0


cdef class Triples:
    """Numbers of three names that were met, each once, in one number greater than 0."""

    cdef uint64_t *slots
    cdef size_t room
    cdef size_t used

    def __cinit__(self):
        self.room = 2048
        self.slots = <uint64_t *>PyMem_Calloc(self.room, sizeof(uint64_t))
        if self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.slots)

    cdef int add(self, uint64_t one) except -1:
        cdef size_t place = self.place_for(one)
        if self.slots[place]:
            return 0
        self.slots[place] = one
        self.used += 1
        if 2 * self.used > self.room:
            self.widen()
        return 0

    cdef inline size_t place_for(self, uint64_t one) noexcept:
        cdef size_t place = ((one * 11400714819323198485u) >> 32) & (self.room - 1)
        while self.slots[place] and self.slots[place] != one:
            place = (place + 1) & (self.room - 1)
        return place

    cdef int widen(self) except -1:
        cdef uint64_t *old = self.slots
        cdef size_t count = self.room
        cdef size_t place
        cdef uint64_t *wider = <uint64_t *>PyMem_Calloc(4 * count, sizeof(uint64_t))
        if wider == NULL:
            raise MemoryError
        self.slots = wider
        self.room = 4 * count
        for place in range(count):
            if old[place]:
                self.slots[self.place_for(old[place])] = old[place]
        PyMem_Free(old)
        return 0


cdef bint is_short(const char *text, Py_ssize_t longest) noexcept nogil:
    """Say whether a text may be a label: something to see, no digit, not too long."""
    cdef Py_ssize_t length = 0
    cdef bint seen = False
    while text[0]:
        if c"0" <= text[0] <= c"9" or length >= longest:
            return False
        if <unsigned char>text[0] > 0x20:
            seen = True
        text += 1
        length += 1
    return seen


def marks(_Element element not None, Py_ssize_t most, Py_ssize_t longest, object name_of not None, object label_of not None):
    """Return the marks of all elements in a body, as `page_check.page_features` does.

    Args:
        most: with more elements than that, None; less than 2 ** 21.
        longest: bytes of a text; a longer one has no mark.
        name_of: (tag, class, id) → the name in a mark.
        label_of: text → the label, "" for none.
    Returns:
        None for a tree that is unusual.
    """
    cdef tree.xmlNode *root = element._c_node
    cdef tree.xmlNode *node = root
    cdef tree.xmlNode *first
    cdef Met met
    cdef int flags
    cdef int depth = 1
    cdef int linked_at = 0  # how deep the link is that is walked through
    cdef Py_ssize_t seen = 0
    cdef uint64_t[DEEPEST + 2] path  # the names of an element's ancestors in the body; 0 for those above it
    cdef uint64_t name
    cdef uint64_t one
    cdef size_t place
    cdef Names names = Names()
    cdef Triples nested = Triples()
    cdef dict labels = {}
    cdef set found = set()
    cdef bytes text
    path[0] = path[1] = 0
    memset(&met, 0, sizeof(Met))
    try:
        while node != NULL:
            if node.type == tree.XML_ELEMENT_NODE:
                if node.ns != NULL or depth > DEEPEST:
                    return None
                flags = flags_of(&met, <const char *>node.name, None)
                if not flags & UNMARKED:
                    seen += 1
                    if seen > most:
                        return None
                    name = names.number_of(node, name_of)
                    nested.add(path[depth - 1] << 42 | path[depth] << 21 | name)
                    if not linked_at and flags & IS_A and attribute(node, b"href") != NULL:
                        linked_at = depth
                    first = node.children
                    if not linked_at and first != NULL and is_text(first):
                        if first.next != NULL and is_text(first.next):
                            return None
                        if first.content != NULL and is_short(<const char *>first.content, longest):
                            text = <const char *>first.content
                            label = labels.get(text)
                            if label is None:
                                label = labels[text] = label_of(text.decode())
                            if label:
                                found.add(f"{(<const char *>node.name).decode()}:{label}")
                    if first != NULL:
                        depth += 1
                        path[depth] = name
                        node = first
                        continue
                    if linked_at == depth:
                        linked_at = 0
            elif not is_text(node):
                return None
            while node != root and node.next == NULL:
                node = node.parent
                depth -= 1
                if linked_at == depth:
                    linked_at = 0
            node = NULL if node == root else node.next
        for place in range(nested.room):
            one = nested.slots[place]
            if one:
                found.add(f"{names.texts[one >> 42]}>{names.texts[one >> 21 & 0x1FFFFF]}>{names.texts[one & 0x1FFFFF]}")
        return frozenset(found)
    except (Unusual, UnicodeDecodeError):
        return None


# ---- stripping: serialised as it walks

cdef char as_it_is[256]
cdef char in_address[256]
cdef int _byte
for _byte in range(256):
    as_it_is[_byte] = _byte not in b'&<>"\''
    in_address[_byte] = chr(_byte).isalnum() and _byte < 128 or _byte in b"-_.!~*()#$%+,/:;=?@[\\]^`{|}"


cdef int put_escaped(Text *text, const char *more) except -1:
    """Add a text of the page, its three special characters escaped."""
    cdef const char *start = more
    while True:
        more += strcspn(more, b"<>&")
        put(text, start, more - start)
        if more[0] == c"<":
            put(text, b"&lt;", 4)
        elif more[0] == c">":
            put(text, b"&gt;", 4)
        elif more[0] == c"&":
            put(text, b"&amp;", 5)
        else:
            return 0
        more += 1
        start = more


cdef int put_value(Text *text, const char *value, bint address) except -1:
    """Add the value of an attribute in quotes, as libxml2 writes it."""
    cdef const char *end = value
    cdef const char *table = as_it_is
    if address:
        table = in_address
    while table[<unsigned char>end[0]] and end[0]:
        end += 1
    if not end[0]:
        put(text, b'="', 2)
        put(text, value, end - value)
        put(text, b'"', 1)
        return 0
    if strstr(value, b"<!--") != NULL or strstr(value, b"&{") != NULL:
        raise Unusual
    if address:
        while value[0] and strchr(b" \t\n\r", value[0]) != NULL:
            value += 1
    cdef bint doubled = strchr(value, c'"') != NULL
    cdef bint single = doubled and strchr(value, c"'") == NULL
    cdef const char *digits = b"0123456789ABCDEF"
    cdef char escaped[3]
    cdef unsigned char one = <unsigned char>value[0]
    put(text, b"='" if single else b'="', 2)
    while one:
        if one == c"<":
            put(text, b"&lt;", 4)
        elif one == c">":
            put(text, b"&gt;", 4)
        elif one == c"&":
            put(text, b"&amp;", 5)
        elif one == c'"' and not single:
            put(text, b"&quot;", 6)
        elif address and not table[one] and one != c'"' and one != c"'":
            escaped[0] = c"%"
            escaped[1] = digits[one >> 4]
            escaped[2] = digits[one & 15]
            put(text, escaped, 3)
        else:
            put(text, value, 1)
        value += 1
        one = <unsigned char>value[0]
    put(text, b"'" if single else b'"', 1)
    return 0


cdef bint is_address(tree.xmlNode *node, const char *name) noexcept nogil:
    cdef char first = name[0]
    if first == c"h":
        return strcmp(name, b"href") == 0
    if first == c"s":
        return strcmp(name, b"src") == 0
    if first == c"a":
        return strcmp(name, b"action") == 0
    return first == c"n" and strcmp(name, b"name") == 0 and strcmp(<const char *>node.name, b"a") == 0


cdef int put_tag(Text *text, tree.xmlNode *node, Met *met, list dropped) except -1:
    """Add the start tag of an element."""
    cdef tree.xmlAttr *one = node.properties
    cdef const char *name = <const char *>node.name
    cdef int flags
    reserve(text, 64)
    put(text, b"<", 1)
    put(text, name, strlen(name))
    while one != NULL:
        name = <const char *>one.name
        flags = flags_of(met, name, dropped)
        if one.ns != NULL or flags & CAPITAL or not is_plain(one):
            raise Unusual
        put(text, b" ", 1)
        put(text, name, strlen(name))
        if one.children != NULL and not flags & IS_FLAG:
            put_value(text, value_of(one), is_address(node, name))
        one = one.next
    put(text, b">", 1)
    return 0


cdef Py_ssize_t blank(const char *text, Py_ssize_t length) except -2:
    """Say whether there is nothing but white space, as regular expressions understand it."""
    cdef Py_ssize_t place
    cdef unsigned char one
    for place in range(length):
        one = <unsigned char>text[place]
        if one >= 0x80:
            return PyUnicode_DecodeUTF8(text + place, length - place, "strict").isspace()
        if not (one == 0x20 or 0x09 <= one <= 0x0D or 0x1C <= one <= 0x1F):
            return 0
    return 1


def stripped(_Element element not None, tuple tags not None, bint empty_texts):
    """Return the HTML of a tree without the elements named in *tags*, and without empty texts; the tree stays.

    Returns:
        None for a tree that is unusual, and where scripts or styles stay: what stands in them is not escaped.
    """
    if not serialises:
        return None
    cdef tree.xmlNode *root = element._c_node
    cdef tree.xmlNode *node = root
    cdef list dropped = [tag.encode() for tag in tags]
    cdef Met met
    cdef Text text
    cdef int flags
    cdef const char *name
    cdef Py_ssize_t closed = -1  # where the last tag ended, when nothing but white space has followed
    cdef Py_ssize_t start
    memset(&met, 0, sizeof(Met))
    memset(&text, 0, sizeof(Text))
    try:
        while node != NULL:
            if is_text(node):
                if node.content != NULL and node.content[0]:
                    start = text.length
                    put_escaped(&text, <const char *>node.content)
                    if closed >= 0 and not blank(text.start + start, text.length - start):
                        closed = -1
            elif node.type != tree.XML_ELEMENT_NODE or node.ns != NULL or node.nsDef != NULL:
                return None
            else:
                flags = flags_of(&met, <const char *>node.name, dropped)
                if not flags & DROPPED or node == root:
                    if flags & RAW:
                        return None
                    if empty_texts and closed >= 0:
                        text.length = closed
                    put_tag(&text, node, &met, dropped)
                    if node.children != NULL and not flags & VOID:
                        closed = text.length
                        node = node.children
                        continue
                    if not flags & (VOID | OPEN_WHEN_EMPTY):
                        put_end(&text, <const char *>node.name)
                    closed = text.length
            while node != root and node.next == NULL:
                node = node.parent
                if empty_texts and closed >= 0:
                    text.length = closed
                if not flags_of(&met, <const char *>node.name, dropped) & OPEN_WHEN_EMPTY or keeps(node, &met, dropped):
                    put_end(&text, <const char *>node.name)
                closed = text.length
            if node == root:
                break
            node = node.next
        return PyUnicode_DecodeUTF8(text.start, text.length, "strict")
    except (Unusual, UnicodeDecodeError):
        return None
    finally:
        PyMem_Free(text.start)


cdef bint keeps(tree.xmlNode *node, Met *met, list dropped) noexcept:
    """Say whether anything in an element is left, be it white space."""
    cdef tree.xmlNode *child = node.children
    while child != NULL:
        if is_text(child) or not flags_of(met, <const char *>child.name, dropped) & DROPPED:
            return True
        child = child.next
    return False


cdef inline int put_end(Text *text, const char *name) except -1:
    put(text, b"</", 2)
    put(text, name, strlen(name))
    put(text, b">", 1)
    return 0


# ---- before the parse: tags of any length, in the bytes of a page

def endless_tag(bytes page, Py_ssize_t most):
    """Return where the first tag of more than *most* parts begins, -1 for none. A part is a sign, or a value in quotes.

    Cost: .5 ns a byte. No byte is looked at more than three times, however tags lie inside each other's values: a quote
    takes what began at different places to different states, and there are three.
    """
    cdef const unsigned char *start = page
    cdef const unsigned char *end = start + len(page)
    cdef const unsigned char *tag = start
    cdef const unsigned char *at
    cdef const unsigned char *quote
    cdef const unsigned char *lasts[2]  # the last " and the last ', when they have been met
    cdef Py_ssize_t parts
    lasts[0] = lasts[1] = end
    while True:
        tag = <const unsigned char *>memchr(tag, c'<', end - tag) if tag < end else NULL
        if tag == NULL:
            return -1
        tag += 1
        if tag == end or not (c'a' <= (tag[0] | 32) <= c'z'):
            continue
        at = tag
        parts = 0
        while at < end and at[0] != c'<' and at[0] != c'>':
            parts += 1
            if at[0] == c'"' or at[0] == c"'":
                quote = NULL
                if at < lasts[at[0] == c"'"]:
                    quote = <const unsigned char *>memchr(at + 1, at[0], end - at - 1)
                if quote == NULL:
                    lasts[at[0] == c"'"] = at
                    parts = 0
                    break
                at = quote
            at += 1
        if parts > most and at < end and at[0] == c'>':
            return tag - start - 1


cdef inline bint ends_name(const char *name) noexcept nogil:
    cdef unsigned char one = <unsigned char>name[0]
    return not (c"0" <= one <= c"9" or c"a" <= (one | 32) <= c"z" or one == c":" or one == c"-")


cdef inline bint is_letter(char one) noexcept nogil:
    return c"a" <= (one | 32) <= c"z"


cdef inline bint is_named(const char *at, const char *name, size_t length) noexcept nogil:
    return strncasecmp(at, name, length) == 0 and ends_name(at + length)


cdef const char *after_raw(const char *at, const char *end) noexcept nogil:
    """Return where a comment, script, style, textarea or title ends that begins behind a "<"; its beginning: it is none
    of these; NULL: it has no end."""
    cdef const char *name = at
    cdef size_t length = 0
    if at[0] == c"!":
        if strncmp(at, b"!--", 3) != 0:
            return at
        at += 3
        while True:
            at = <const char *>memchr(at, c"-", end - at)
            if at == NULL or strncmp(at, b"-->", 3) == 0:
                return at
            at += 1
    if is_named(at, b"script", 6):
        length = 6
    elif is_named(at, b"style", 5) or is_named(at, b"title", 5):
        length = 5
    elif is_named(at, b"textarea", 8):
        length = 8
    if length == 0:
        return at
    at += length
    while True:
        at = <const char *>memchr(at, c"<", end - at)
        if at == NULL or (at[1] == c"/" and strncasecmp(at + 2, name, length) == 0):
            return at
        at += 1


cdef const char *end_of_tag(const char *at, const char *end) noexcept nogil:
    """Return the ">" of a tag, NULL where there is none before *end*."""
    while at < end:
        if at[0] == c">":
            return at
        if at[0] == c"<":
            return NULL
        if at[0] == c'"' or at[0] == c"'":
            at = <const char *>memchr(at + 1, at[0], end - at - 1)
            if at == NULL:
                return NULL
        at += 1
    return NULL


def closed_voids(bytes page not None, Py_ssize_t longest):
    """Close the tags of `wbr`, `source`, `track` and `embed`, as `parse` does: the page itself where there are none.

    Args:
        longest: bytes of a tag; a longer one stays as it is.
    """
    cdef const char *start = page
    cdef const char *end = start + len(page)
    cdef const char *copied = start
    cdef const char *at = start
    cdef const char *before
    cdef const char *last
    cdef Text text
    memset(&text, 0, sizeof(Text))
    try:
        while at < end:
            at = <const char *>memchr(at, c"<", end - at)
            if at == NULL:
                break
            if at[1] != 0 and strchr(b"!wsteWSTE", at[1]) != NULL:
                last = after_raw(at + 1, end)
                if last == NULL:
                    break
                if last != at + 1:
                    at = last
                    continue
                if (
                    is_named(at + 1, b"wbr", 3)
                    or is_named(at + 1, b"source", 6)
                    or is_named(at + 1, b"track", 5)
                    or is_named(at + 1, b"embed", 5)
                ):
                    before = at - 1
                    while before >= start and at - before <= longest and before[0] != c"<" and before[0] != c">":
                        before -= 1
                    if before < start or at - before > longest or before[0] == c">" or not is_letter(before[1]):
                        last = end_of_tag(at + 1, at + longest if end - at > longest else end)
                        if last != NULL:
                            put(&text, copied, last - copied)
                            put(&text, b" />", 3)
                            copied = at = last + 1
                            continue
            at += 1
        if copied == start:
            return page
        put(&text, copied, end - copied)
        return PyBytes_FromStringAndSize(text.start, text.length)
    finally:
        PyMem_Free(text.start)


def has_mark(bytes page not None, tuple marks not None):
    """Say whether one of the *marks* stands in a page; each is looked for by a byte that is rare in pages: its first
    "j", or else its first byte."""
    cdef const char *start = page
    cdef const char *end = start + len(page)
    cdef const char *at
    cdef const char *wanted
    cdef Py_ssize_t length
    cdef Py_ssize_t before
    cdef bytes mark
    for mark in marks:
        wanted = mark
        length = len(mark)
        before = max(mark.find(b"j"), 0)
        at = start + before
        while at < end:
            at = <const char *>memchr(at, wanted[before], end - at)
            if at == NULL:
                break
            if strncmp(at - before, wanted, length) == 0:
                return True
            at += 1
    return False


def long_texts(bytes page not None, Py_ssize_t least):
    """Return the texts between two tags that have so many bytes or more, as they are written."""
    cdef const char *start = page
    cdef const char *end = start + len(page)
    cdef const char *opening
    cdef const char *closing
    cdef list found = []
    while True:
        closing = <const char *>memchr(start, c">", end - start)
        if closing == NULL:
            return found
        opening = <const char *>memchr(closing + 1, c"<", end - closing - 1)
        if opening == NULL:
            return found
        if opening - closing > least:
            start = opening - 1
            while start[0] != c">":
                start -= 1
            if opening - start > least:
                found.append(PyBytes_FromStringAndSize(start + 1, opening - start - 1))
        start = opening + 1


# ---- the memory of trees: what one has left serves the next

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdlib.h>

    typedef const unsigned char *(*kept_lookups)(void *, const unsigned char *, int);
    static kept_lookups kept_lookup;
    static int (*kept_reference)(void *);
    static void (*kept_release)(void *);
    static const unsigned char *kept_text_name;

    #ifdef __GLIBC__
    #include <dlfcn.h>
    #include <malloc.h>
    #include <string.h>

    /* Freed pieces of up to KEPT_UNITS * 16 bytes, by size, of the thread that asked for it. Each is one of malloc's, so
       whoever frees or enlarges it otherwise does no harm. */
    #define KEPT_UNITS 16
    #define KEPT_BYTES (8 << 20)
    typedef struct kept { struct kept *next; } kept;
    #define KEPT static __thread __attribute__((tls_model("initial-exec")))
    KEPT kept *kept_pieces[KEPT_UNITS + 1];
    KEPT size_t kept_bytes;
    KEPT int kept_here;

    static void *kept_malloc(size_t size) {
        size_t units = (size + sizeof(size_t) + 15) / 16;
        if (units < 2) units = 2;
        if (units <= KEPT_UNITS && kept_pieces[units] != NULL) {
            kept *piece = kept_pieces[units];
            kept_pieces[units] = piece->next;
            __builtin_prefetch(piece->next, 1);
            kept_bytes -= units * 16;
            return piece;
        }
        return malloc(size);
    }

    static void kept_free(void *memory) {
        size_t units;
        if (memory == NULL) return;
        units = (malloc_usable_size(memory) + sizeof(size_t)) / 16;
        if (kept_here && units >= 2 && units <= KEPT_UNITS && kept_bytes < KEPT_BYTES) {
            ((kept *)memory)->next = kept_pieces[units];
            kept_pieces[units] = memory;
            kept_bytes += units * 16;
        } else {
            free(memory);
        }
    }

    typedef int (*kept_setup)(void (*)(void *), void *(*)(size_t), void *(*)(void *, size_t), char *(*)(const char *));

    static int kept_begin(const char *library) {
        void *opened = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        kept_setup setup = opened == NULL ? NULL : (kept_setup)dlsym(opened, "xmlMemSetup");
        kept_lookup = (kept_lookups)dlsym(opened, "xmlDictLookup");
        kept_reference = (int (*)(void *))dlsym(opened, "xmlDictReference");
        kept_release = (void (*)(void *))dlsym(opened, "xmlDictFree");
        kept_text_name = (const unsigned char *)dlsym(opened, "xmlStringText");
        kept_here = setup != NULL && setup(kept_free, kept_malloc, realloc, strdup) == 0;
        return kept_here;
    }
    #else
    #define kept_malloc malloc
    #define kept_free free
    static int kept_here = 0;
    static int kept_begin(const char *library) { return 0; }
    #endif

    /* Names belong to the dictionary of their tree. */
    static int kept_grows(void) {
        return kept_here && kept_lookup != NULL && kept_reference != NULL && kept_release != NULL && kept_text_name != NULL;
    }

    static void kept_dictionary(void *old, void *dictionary) {
        kept_reference(dictionary);
        if (old != NULL) kept_release(old);
    }
    """
    bint kept_begin(const char *library)
    bint kept_grows() noexcept nogil
    void *kept_malloc(size_t size) noexcept nogil
    void kept_free(void *memory) noexcept nogil
    void kept_dictionary(void *old, void *dictionary) noexcept nogil
    const tree.xmlChar *kept_lookup(void *dictionary, const tree.xmlChar *name, int length) noexcept nogil
    const tree.xmlChar *kept_text_name


def keep_memory(str library not None):
    """Have the trees of this thread take their memory from what earlier ones have left, 8 MB at most; returns whether
    lxml, which is in this *library*, lets that be said.

    glibc keeps seven freed pieces of a size, joins all others to larger ones, and cuts those again for the next tree.
    """
    return kept_begin(library.encode())


# ---- the tree of a page

include "_trees.pxi"
