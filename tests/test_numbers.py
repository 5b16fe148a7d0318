"""Numbers and prices: what one text says, what a column decides, and that no locale changes a value."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gwc_crawler.errors import SiteFileError
from gwc_crawler.field_types.numbers import NotOfType, ValueContext
from gwc_crawler.field_types.table import NoSuchType, checked_type, in_notation, type_of, vote
from gwc_crawler.sites.site_files import load_site

NOWHERE = ValueContext()


def read(text: str, written: str = "number") -> object:
    return type_of(written).read(text, NOWHERE)


def amount(text: str, written: str = "price") -> object:
    return type_of(written).read(text, NOWHERE)["amount"]


NUMBERS = {
    # the number says itself what its marks mean
    "0.125 kg": 0.125,
    "0,125 kg": 0.125,
    "-0.125": -0.125,
    "1,234.567": 1234.567,
    "1.234,567": 1234.567,
    "0,75 l": 0.75,
    "12.4805": 12.4805,
    "1234.567": 1234.567,
    "1.234.567": 1234567,
    "1,23,456": 123456,
    "12,34,567.5": 1234567.5,
    "1,2345,6789": 123456789,
    "1 234,5": 1234.5,
    "1\u202f234,567": 1234.567,
    "1\u2009234.5": 1234.5,
    "1\u00a0234\u00a0567": 1234567,
    "1’234.50": 1234.5,
    "1'234.567": 1234.567,
    ".5": 0.5,
    ",5": 0.5,
    "1.000,-": 1000,
    "1.500.-": 1500,
    # nothing says it: thousands
    "12.480 Ft": 12480,
    "1,299": 1299,
    "1,234万": 12_340_000,
    "1.250 Mio.": 1_250_000_000,
    # what stands behind it does: a unit whose language has the point, or a power
    "2.525 million": 2_525_000,
    "$1,250 million": 1_250_000_000,
    "1.125bn": 1_125_000_000,
    "2.525k": 2525,
    "3.125万": 31_250,
    "1.234亿": 123_400_000,
    "1,250 Mio.": 1_250_000,
    "1,250 тыс.": 1250,
    "1.234e5": 123_400,
    "1,234e5": 123_400,
    "1·5": 1.5,
    "3·141 kg": 3.141,
    "1,234·5": 1234.5,
    # signs
    "零下5℃": -5,
    "负3": -3,
    "-3": -3,
    "−3": -3,
    "–3": -3,
    "+3": 3,
    "A-5": 5,
    "No.5": 5,
    "3-5": 3,
    "3–5 kg": 3,
    "4/5": 4,
    "1, 2, 3": 1,
    "42 44": 42,
    # other ways to write one
    "1e3": 1000,
    "1.5E-3": 0.0015,
    "1.5×10³": 1500,
    "½": 0.5,
    "-½": -0.5,
    "1½": 1.5,
    "1 ½": 1.5,
    "2 1/2 lb": 2.5,
    "3-1/2 inch": 3.5,
    "5 mm": 5,
    "25 m²": 25,
    "٣٫٥": 3.5,
    "١٬٢٣٤٫٥": 1234.5,
    "३,५००": 3500,
    "２．５": 2.5,
    # with units
    "5k": 5000,
    "5k 10k": 5000,
    "60W": 60,
    "10w+": 100_000,
    "1.2w人": 12000,
    "5千克": 5,
    "1.2萬": 12000,
    "12万5000": 125_000,
    "12万5": 125_000,
    "1億2,500万": 125_000_000,
    "12000万": 120_000_000,
    "3-5万": 30_000,
    "2~3 million": 2_000_000,
    "1.5 million": 1_500_000,
    "2,5 Mio. Einwohner": 2_500_000,
    "3 Mrd.": 3_000_000_000,
    "2 Lakh": 200_000,
    "1 crore 20 lakh": 12_000_000,
    "12,5 тыс.": 12_500,
    "3만 5천": 35_000,
    "三点五": 3.5,
    "百分之五": 5,
    "三万五": 35_000,
    "一万零五": 10_005,
    "一亿二千五百万": 125_000_000,
    "2 million people": 2_000_000,
    "5 kr": 5,
    "5 millimetres": 5,
}


@pytest.mark.parametrize("text", NUMBERS)
def test_a_number_is_read_as_it_is_meant(text: str) -> None:
    assert read(text) == NUMBERS[text]


@pytest.mark.parametrize(
    "text",
    [
        "1.2.3",
        "192.168.1.1",
        "12.03.2024",
        "1,234.567.8",
        "0٫0.0",
        "1·2·3",
        "1,23.4",
        "5'10",
        "10³",
        "25¹",
        "1,234,56",
        "978 0 441 01589 4",
    ],
)
def test_digits_that_make_no_number_are_refused(text: str) -> None:
    with pytest.raises(NotOfType, match="told"):
        read(text)


@pytest.mark.parametrize(
    ("text", "notation", "number"),
    [
        ("7.250 kg", ".", 7.25),
        ("7.250 kg", ",", 7250),
        ("121.473", ".", 121.473),
        ("1,234", ".", 1234),
        ("1,234", ",", 1.234),
        ("0.125", ",", 0.125),
        ("1.234,5", ".", 1234.5),
        ("1,234.5万", ",", 12_345_000),
    ],
)
def test_a_column_s_notation_decides_what_the_text_leaves_open(text: str, notation: str, number: float) -> None:
    assert read(text, in_notation("number", notation)) == number


PRICES = {
    # the number beside the currency
    "2 for $5.00": 5,
    "3 for £10": 10,
    "3/$5": 5,
    "2 x 4,99 €": 4.99,
    "5 pcs US $3.20": 3.2,
    "MacBook 13 $999": 999,
    "MacBook 13 $ 999": 999,
    "iPhone 15 Pro 256GB $1,099.00": 1099,
    "iPhone 15 € 999": 999,
    "Windows 11 Pro - 145,00 €": 145,
    "PS5 €499": 499,
    "Size 10 - $50": 50,
    "100 ml 12,50 €": 12.5,
    "12 € 100 ml": 12,
    "12,50 € (25,00 €/kg)": 12.5,
    "$20.37 (€18.50)": 20.37,
    "10% off $20": 20,
    "20% VAT 5 €": 5,
    "2 for 5.00": 5,
    # of several prices the one that is asked for; of a range the lower end
    "原价￥99 现价￥79": 79,
    "was $30 now $20": 20,
    "$20 (was $30)": 20,
    "¥99券后价¥79": 79,
    "Original price was: £30.00.Current price is: £20.00.": 20,
    "statt 30,00 € nur 20,00 €": 20,
    "Save $5 now $20": 20,
    "from $5": 5,
    "$5 – $9": 5,
    "5–9 €": 5,
    "von 5 bis 9 €": 5,
    "5-8万元": 50_000,
    "$30 now $20": 20,
    "29,99 € → 19,99 €": 19.99,
    "UVP 29,99 € 19,99 €": 19.99,
    "De R$ 30,00 por R$ 20,00": 20,
    "R$ 1.299,90 em até 10x de R$ 129,99": 1299.9,
    "1,200円(税込1,320円)": 1200,
    # groups and marks
    "CHF 1’234.50": 1234.5,
    "1\u202f234,50 €": 1234.5,
    "1\u2009234,50 €": 1234.5,
    "$ 1\u00a0299": 1299,
    ",89 €": 0.89,
    "$.75": 0.75,
    "₹1,50,000": 150_000,
    "R$ 5,00": 5,
    "12.480 Ft": 12480,
    "US $1,299.00": 1299,
    "$1,234.567": 1234.567,
    "5,-": 5,
    "5,- kr": 5,
    "1.000,-": 1000,
    "kr 1 299,-": 1299,
    "1 299:-": 1299,
    "CHF 5.--": 5,
    "Rs. 1,500/-": 1500,
    "١٢٫٥ ر.س": 12.5,
    "£1·50": 1.5,
    "$2.525 million": 2_525_000,
    "¥1.299万": 12_990,
    "1,459 €/l": 1.459,
    "$3.459 per gallon": 3.459,
    "1.200 €/Monat": 1200,
    # blanks around the mark, as between elements
    "$ 12 . 50": 12.5,
    "$12. 50": 12.5,
    "129 ,90 €": 129.9,
    "1 299 , 00 kr": 1299,
    "1,299 . 00 €": 1299,
    "Gr. 12, 90 €": 90,
    # less than nothing
    "-$5.00": -5,
    "−¥99": -99,
    "-HK$1,280": -1280,
    "-$19⁹⁹": -19.99,
    "Discount -€5": -5,
    "-5,00 €": -5,
    "$-5": -5,
    "MacBook - $999": 999,
    "Widget-$5": 5,
    "Price:-₹500": 500,
    "$5-$9": 5,
    # one amount in two parts
    "35€99": 35.99,
    "35 € 99": 35.99,
    "1.299€99": 1299.99,
    "$19 99": 19.99,
    "19 99 €": 19.99,
    "$19⁹⁹": 19.99,
    "19⁹⁹ €": 19.99,
    "19,99 €¹": 19.99,
    "3 zł 50 gr": 3.5,
    "3 руб. 50 коп.": 3.5,
    "£3 50p": 3.5,
    "5 € 5 ct": 5.05,
    "3元5角": 3.5,
    "3元5角2分": 3.52,
    "5块8": 5.8,
    "99¢": 0.99,
    "50p": 0.5,
    "12 Euro 50 Cent": 12.5,
    "99 ct": 0.99,
    "99c": 0.99,
    "$12 99 each": 12.99,
    "1 499:00 kr": 1499,
    # units
    "1만 2,000원": 12_000,
    "九十九元": 99,
    "$1.5MM": 1_500_000,
    "1.2萬": 12000,
    "10w+": 100_000,
    "12万5000元": 125_000,
    "1億2,500万円": 125_000_000,
    "3만 5천원": 35_000,
    "5k": 5000,
    "$5m": 5_000_000,
    "$1.2B": 1_200_000_000,
    "1.5 million": 1_500_000,
    "€ 1,5 Mio.": 1_500_000,
    "2 Lakh": 200_000,
    "₹ 3 crore": 30_000_000,
    "₹45 L": 4_500_000,
    "₹1.5 Cr": 15_000_000,
    "Rp 1,5 juta": 1_500_000,
    # nothing to pay
    "Free": 0,
    "0 元": 0,
    "免费": 0,
    # nothing but the number
    "5 kr": 5,
    "$0.99/ea": 0.99,
    "¥1999起": 1999,
    "100多元": 100,
}


@pytest.mark.parametrize("text", PRICES)
def test_a_price_is_the_number_beside_its_currency(text: str) -> None:
    assert amount(text) == PRICES[text]


@pytest.mark.parametrize(
    "text",
    [
        "50% off",
        "$30.00 $20.00",
        "￥99￥79",
        "R$ 5 mil",
        "13 € 999",
        "Free shipping",
        "1.2.3 €",
        "call us",
        "29,99 €19,99 €",
        "($5.00)",
        "( 5,00 € )",
    ],
)
def test_what_may_be_two_prices_or_none_is_refused(text: str) -> None:
    with pytest.raises(NotOfType, match=r"\w"):
        amount(text)


@pytest.mark.parametrize(
    ("text", "currency"),
    [("1.5亿美元", "USD"), ("$10 USD", "USD"), ("¥12.50元", "CNY"), ("US$ 5", "US$"), ("5 kr", "kr"), ("7", None)],
)
def test_the_currency_is_the_one_beside_the_amount(text: str, currency: str | None) -> None:
    assert type_of("price").read(text, NOWHERE)["currency"] == currency


# --- a column has one notation

Writer = Callable[[Decimal], str]


def thousands(whole: str, sign: str) -> str:
    return f"{int(whole):,}".replace(",", sign)


def indian(whole: str, sign: str) -> str:
    head, tail = whole[:-3], whole[-3:]
    pairs = [head[max(0, end - 2) : end] for end in range(len(head), 0, -2)][::-1]
    return sign.join([*pairs, tail]) if head else tail


def writer(group: Callable[[str, str], str], sign: str, mark: str) -> Writer:
    def write(number: Decimal) -> str:
        whole, _, decimals = f"{number}".partition(".")
        return group(whole, sign) + (mark + decimals if decimals else "")

    return write


LOCALES = {
    "en": writer(thousands, ",", "."),
    "de": writer(thousands, ".", ","),
    "fr": writer(thousands, "\u202f", ","),
    "cs": writer(thousands, "\u00a0", ","),
    "ch": writer(thousands, "’", "."),
    "si": writer(thousands, "\u2009", "."),
    "in": writer(indian, ",", "."),
    "plain .": writer(lambda whole, sign: whole, "", "."),
    "plain ,": writer(lambda whole, sign: whole, "", ","),
    "ar": lambda number: writer(thousands, "٬", "٫")(number).translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")),
}


@st.composite
def amounts(draw: st.DrawFn) -> Decimal:
    places = draw(st.integers(0, 3))
    return Decimal(draw(st.integers(0, 10 ** draw(st.integers(1, 9))))).scaleb(-places)


@pytest.mark.parametrize("kind", ["number", "price"])
@pytest.mark.parametrize("locale", LOCALES)
@settings(max_examples=60, deadline=None)
@given(numbers=st.lists(amounts(), min_size=11, max_size=11))
def test_a_column_in_any_locale_is_read_back_exactly(locale: str, kind: str, numbers: list[Decimal]) -> None:
    write, form = LOCALES[locale], {"number": "{} kg", "price": "{} €"}[kind]
    column = [form.format(write(number)) for number in (*numbers, Decimal("0.125"))]
    notations = type_of(kind).notations
    assert notations is not None
    chosen = vote(column, notations).chosen
    written = in_notation(kind, chosen) if chosen else kind
    found = [type_of(written).read(text, NOWHERE) for text in column]
    values = [one["amount"] if kind == "price" else one for one in found]
    assert values == [float(number) for number in (*numbers, Decimal("0.125"))]


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="0123456789.,'’ -–−+/⁄½²٫٬٣eEkKwW万千億만$€£元zł%^LCr×", max_size=20))
def test_any_text_is_read_or_refused_and_its_notation_does_not_fail(text: str) -> None:
    for kind in ("number", "price"):
        notations = type_of(kind).notations
        assert notations is not None
        assert notations.allowed(text) <= set(notations.choices)
        try:
            read(text, kind)
        except NotOfType as error:
            assert str(error)


# --- as a site file says it


@pytest.mark.parametrize("written", ['number(decimal=",")', "number(decimal=',')", "number( decimal = , )"])
def test_a_type_is_written_with_its_notation(written: str) -> None:
    assert checked_type(written).read("7.250", NOWHERE) == 7250
    assert checked_type(written).notations is None
    assert checked_type(written).companions("x") == ("x_raw",)


@pytest.mark.parametrize("written", ["", "nmber", "number(", "number()", 'text(decimal=".")', 'number(decmal=".")'])
def test_what_is_no_type_is_refused(written: str) -> None:
    with pytest.raises(NoSuchType):
        checked_type(written)


SITE = """entry = ["http://shop.example/"]
types.kg = "{}"
[[samples]]
url = "http://shop.example/p/1"
fields = {{ kg = "7.250" }}
[[samples]]
url = "http://shop.example/p/2"
fields = {{ kg = "8.500" }}
"""


@pytest.mark.parametrize(
    ("written", "mistake"),
    [
        ("number(decmal='.')", r":2: unknown option 'decmal' of field 'kg' \(did you mean 'decimal'\?\)"),
        ("number(decimal=';')", r":2: unknown decimal ';' of field 'kg' \(known: \., ,\)"),
        ("nmber(decimal='.')", r":2: unknown type 'nmber' of field 'kg' \(did you mean 'number'\?\)"),
        ("text(decimal='.')", r":2: unknown option 'decimal' of field 'kg' \(known: none\)"),
    ],
)
def test_a_mistake_in_a_type_is_named_with_its_line(tmp_path: Path, written: str, mistake: str) -> None:
    (file := tmp_path / "shop.toml").write_text(SITE.format(written))
    with pytest.raises(SiteFileError, match=mistake):
        load_site(file)
