"""A few damaged bytes cost the characters they stand in, never the page: in 40 charsets, declared or not."""

from __future__ import annotations

import random
from itertools import accumulate, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gwc_crawler.page.charset import charset_evidence, decode_bytes, detect_charset
from gwc_crawler.page.parse import parse_html

TEXTS = {
    "zh": (
        "我们的商品都在这里，价格也是最好的。|"
        "这本书的作者住在上海，他写了很多关于历史的小说。|"
        "请登录您的帐户，然后下载图片。"
    ),
    "tw": (
        "我們的商品都在這裡，價格也是最好的。|"
        "這本書的作者住在臺北，他寫了很多關於歷史的小說。|"
        "請登入您的帳戶，然後下載圖片。"
    ),
    "ja": (
        "この商品の価格は下に書いてあります。|"
        "これは日本語で書かれた本の説明です。どうぞご覧ください。|"
        "カートに入れるボタンを押してください。"
    ),
    "ko": (
        "이 상품의 가격은 아래에 있습니다.|"
        "이 책은 한국어로 된 소설이고 저자는 서울에 살고 있다.|"
        "장바구니에 담기를 누르세요."
    ),
    "ru": (
        "Эта книга стоит дешевле, чем в других магазинах.|"
        "Автор живёт в Москве и пишет о том, что видел сам.|"
        "Добавьте товар в корзину и оформите заказ."
    ),
    "uk": (
        "Ця книга коштує дешевше, ніж в інших крамницях.|"
        "Автор живе у Києві й пише про те, що бачив сам.|"
        "Додайте товар до кошика та оформіть замовлення."
    ),
    "pl": (
        "Ta książka jest tańsza niż w innych księgarniach.|"
        "Autor mieszka w Łodzi i pisze o tym, co sam widział.|"
        "Dodaj produkt do koszyka i złóż zamówienie."
    ),
    "cs": (
        "Tato kniha je levnější než v jiných obchodech.|"
        "Autor žije v Praze a píše o tom, co sám viděl.|"
        "Přidejte zboží do košíku a dokončete objednávku."
    ),
    "hu": (
        "Ez a könyv olcsóbb, mint más üzletekben.|"
        "A szerző Győrben él, és arról ír, amit maga látott.|"
        "Tegye a terméket a kosárba, és rendelje meg még ma."
    ),
    "ro": (
        "Această carte este mai ieftină decât în alte librării.|"
        "Autorul trăiește în București și scrie despre ceea ce a văzut.|"
        "Adăugați produsul în coș."
    ),
    "fr": (
        "Ce livre est moins cher que dans d’autres librairies.|"
        "L’auteur est né à Besançon, où il a passé toute son enfance.|"
        "Ajoutez l’article à votre panier dès aujourd’hui."
    ),
    "de": (
        "Dieses Buch ist günstiger als in anderen Läden.|"
        "Der Autor wohnt in München und schreibt über das, was er gesehen hat.|"
        "Fügen Sie den Artikel größerer Auswahl hinzu."
    ),
    "el": (
        "Αυτό το βιβλίο είναι φθηνότερο από ό,τι σε άλλα καταστήματα.|"
        "Ο συγγραφέας ζει στην Αθήνα και γράφει για όσα είδε.|"
        "Προσθέστε το προϊόν στο καλάθι."
    ),
    "tr": (
        "Bu kitap diğer mağazalardan daha ucuz.|"
        "Yazar İstanbul’da yaşıyor ve gördüğü şeyleri anlatıyor.|"
        "Ürünü sepete ekleyin ve siparişi tamamlayın."
    ),
    "he": (
        "הספר הזה זול יותר מאשר בחנויות אחרות.|"
        "הסופר גר בירושלים וכותב על מה שראה בעצמו.|"
        "הוסיפו את המוצר לסל והשלימו את ההזמנה."
    ),
    "ar": (
        "هذا الكتاب أرخص من المتاجر الأخرى.|"
        "يعيش المؤلف في القاهرة ويكتب عما رآه بنفسه.|"
        "أضف المنتج إلى سلة التسوق ثم أكمل الطلب."
    ),
    "lt": (
        "Ši knyga pigesnė nei kitose parduotuvėse.|"
        "Autorius gyvena Šiauliuose ir rašo apie tai, ką pats matė.|"
        "Įdėkite prekę į krepšelį ir užbaikite užsakymą."
    ),
    "th": ("หนังสือเล่มนี้ราคาถูกกว่าร้านอื่น|ผู้เขียนอาศัยอยู่ในกรุงเทพและเขียนเรื่องที่เขาเห็น|เพิ่มสินค้าลงในตะกร้าแล้วสั่งซื้อได้เลย"),
}
"""Language → three sentences."""
CHARSETS = {
    "utf-8": " ".join(TEXTS), "utf-16-le": "zh ru fr", "utf-16-be": "ja el de",
    "gb2312": "zh", "gbk": "zh", "gb18030": "zh tw", "big5": "tw", "big5-hkscs": "tw",
    "shift_jis": "ja", "euc-jp": "ja", "iso-2022-jp": "ja", "euc-kr": "ko",
    "windows-1250": "pl cs hu", "iso-8859-2": "pl cs hu", "iso-8859-16": "ro",
    "windows-1251": "ru uk", "koi8-r": "ru", "koi8-u": "uk", "iso-8859-5": "ru", "x-mac-cyrillic": "ru", "ibm866": "ru",
    "windows-1252": "fr de", "iso-8859-1": "fr de", "iso-8859-15": "fr de", "macintosh": "fr de",
    "windows-1253": "el", "iso-8859-7": "el", "windows-1254": "tr", "iso-8859-9": "tr",
    "windows-1255": "he", "iso-8859-8": "he", "windows-1256": "ar", "iso-8859-6": "ar",
    "windows-1257": "lt", "iso-8859-13": "lt", "iso-8859-4": "lt", "windows-874": "th", "tis-620": "th",
}  # fmt: skip
CASES = [(charset, language) for charset, languages in CHARSETS.items() for language in languages.split()]
CODECS = {"x-mac-cyrillic": "mac_cyrillic", "windows-874": "cp874"}
BOMS = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}


def lines_of(charset: str, language: str, count: int) -> list[bytes]:
    """Return lines of HTML, each in the charset by itself."""
    parts = TEXTS[language].split("|")
    lines = [f'<p class="a{place}">{parts[place % len(parts)]} {place},50</p>\n' for place in range(count)]
    return [line.encode(CODECS.get(charset, charset), "ignore") for line in lines]


def damaged(lines: list[bytes], places: list[tuple[float, int, str]]) -> tuple[bytes, list[int]]:
    """Return the lines with a byte replaced, inserted or deleted at each place, and the numbers of those left whole."""
    body = b"".join(lines)
    spans = list(pairwise(accumulate(map(len, lines), initial=0)))
    hit: set[int] = set()
    for share, byte, how in sorted(places, reverse=True):
        at = int(share * len(body))
        body = body[:at] + (b"" if how == "deleted" else bytes([byte])) + body[at + (how != "inserted") :]
        hit |= {number for number, (start, end) in enumerate(spans) if start - 2 <= at <= end + 2}
    return body, [number for number in range(len(lines)) if number not in hit]


def assert_read(body: bytes, content_type: str, whole: list[str]) -> None:
    text = decode_bytes(body, detect_charset(body, content_type))
    missing = [line for line in whole if line.strip() not in text]
    assert missing == [], charset_evidence(body, content_type)


damages = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True), st.integers(0, 255), st.sampled_from(["replaced", "inserted", "deleted"])
    ),
    min_size=1,
    max_size=5,
)


@pytest.mark.parametrize(("charset", "language"), CASES)
@settings(max_examples=8, deadline=None)
@given(places=damages, count=st.sampled_from([3, 12, 200]), declared=st.sampled_from(["header", "meta"]))
def test_a_declared_page_is_read_but_for_its_damage(
    charset: str, language: str, places: list[tuple[float, int, str]], count: int, declared: str
) -> None:
    lines = lines_of(charset, language, count)
    body, whole = damaged(lines, places)
    if charset in BOMS:
        body, content_type = BOMS[charset] + "\n".encode(charset) + body, "text/html"
    elif declared == "meta":
        body, content_type = f"<meta charset={charset}>\n".encode() + body, "text/html"
    else:
        content_type = f"text/html; charset={charset}"
    assert_read(body, content_type, [decode_bytes(lines[number], CODECS.get(charset, charset)) for number in whole])


@pytest.mark.parametrize(("charset", "language"), [case for case in CASES if case[0] not in BOMS])
def test_an_undeclared_page_is_read_as_it_was_but_for_its_damage(charset: str, language: str) -> None:
    """Drawn damage alone: some pages exist on which one chosen byte makes another single-byte charset likelier."""
    chance = random.Random(f"{charset} {language}")
    for _ in range(8):
        lines = lines_of(charset, language, chance.choice([12, 200]))
        kinds = ["replaced", "inserted", "deleted"]
        places = [(chance.random(), chance.randrange(256), chance.choice(kinds)) for _ in range(chance.randint(1, 5))]
        body, whole = damaged(lines, places)
        as_it_was = detect_charset(b"".join(lines))
        assert_read(body, "text/html", [decode_bytes(lines[number], as_it_was) for number in whole])


@pytest.mark.parametrize("stray", [b"\x92", b"\x93sale\x94", b"\xe9", b"\xff", b"\xc2", b"\xe2\x82", b"\xf0\x9f\x98"])
@pytest.mark.parametrize("declared", ["header", "meta", "xml", "both", "none"])
def test_one_bad_byte_leaves_a_price_in_pounds(stray: bytes, declared: str) -> None:
    head = {
        "meta": b"<meta charset=utf-8>",
        "both": b"<meta charset=utf-8>",
        "xml": b"<?xml version='1.0' encoding='UTF-8'?>",
    }
    content_type = "text/html; charset=utf-8" if declared in ("header", "both") else "text/html"
    for tail in (b"", stray):
        body = head.get(declared, b"") + "<p>£64.85 – £5</p><p>it".encode() + stray + b" s</p>" + tail
        assert detect_charset(body, content_type) == "utf-8"
        assert parse_html(body, "utf-8").findtext("body/p") == "£64.85 – £5"


def test_pasted_quotes_are_damage_where_a_single_character_says_it_is_utf8() -> None:
    body = "<p>£5</p>".encode() + b"<p>\x93A\x94 and \x93B\x94</p>"
    assert detect_charset(body, "text/html; charset=utf-8") == "utf-8"
    assert decode_bytes(body, "utf-8").count("\ufffd") == 4


def test_a_thousand_chinese_characters_with_one_bad_byte_stay_what_they_were() -> None:
    text = "".join(random.Random(7).choices("我们的商品都在这里价格也是最好书作者住他写了很多关于历史小说", k=1000))
    for charset, codec in (("utf-8", "utf-8"), ("gbk", "gb18030")):
        body = text.encode(charset)
        for place in (0, 600, len(body)):
            assert detect_charset(body[:place] + b"\xff" + body[place:]) == codec


@pytest.mark.parametrize(
    ("body", "content_type", "codec"),
    [
        (TEXTS["fr"].encode("cp1252"), "text/html; charset=utf-8", "cp1252"),
        (("<p>Эта книга стоит дешевле</p>" * 9).encode("cp1251"), "text/html; charset=utf-8", "cp1251"),
        (("<p>我们的商品，价格</p>" * 9).encode() + b"\x92", "text/html; charset=gb2312", "utf-8"),
        (("<p>我们的商品，价格</p>" * 9).encode() + b"\x92", "text/html; charset=iso-8859-1", "utf-8"),
        (b"<meta charset=gbk>" + "<p>£5</p>".encode(), "text/html; charset=utf-8", "utf-8"),
        (b"<meta charset=utf-8>" + "<p>£5</p>".encode() + b"\x92", "text/html; charset=gbk", "utf-8"),
        (b"<meta charset=windows-1251>" + "<p>цена</p>".encode("cp1251"), "text/html; charset=iso-8859-1", "cp1251"),
        ("<p>价格".encode()[:-1], "text/html; charset=gbk", "gb18030"),
        ("<p>价格".encode()[:-1], "text/html; charset=utf-8", "utf-8"),
        ("<p>价格".encode()[:-1], "text/html", "utf-8"),
    ],
)
def test_what_is_damage_and_what_is_a_wrong_declaration(body: bytes, content_type: str, codec: str) -> None:
    assert detect_charset(body, content_type) == codec


@pytest.mark.parametrize("charset", ["gb18030", "big5hkscs", "cp932", "euc_jp", "cp949", "euc_tw", "utf-8"])
def test_no_damage_takes_a_tag_with_it(charset: str) -> None:
    for first in range(0x80, 0x100):
        for second in (b"", *(bytes([byte]) for byte in range(0x80, 0x100))):
            assert decode_bytes(bytes([first]) + second + b"<b>x", charset).endswith("<b>x")


def test_stray_bytes_on_a_page_of_ascii_take_no_letter_with_them() -> None:
    chance = random.Random(5)
    for _ in range(100):
        page = b"".join(b"<p>the price of book %d is $12.50</p>\n" % number for number in range(chance.choice([2, 30])))
        body = bytearray(page)
        for _ in range(chance.randint(1, 3)):
            body.insert(chance.randrange(len(body)), chance.randrange(0x80, 0x100))
        text = decode_bytes(bytes(body), detect_charset(bytes(body)))
        kept = "".join(character for character in text if character.isascii())
        assert len(page) - len(kept) <= 1, bytes(body)
