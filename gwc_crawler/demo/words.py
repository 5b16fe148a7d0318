"""The mall's vocabulary: names, sentences and dates in English, simplified and traditional Chinese.

Every function takes the random generator it shall draw from, so that equal seeds give equal words.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

SIMPLIFIED = "zh-Hans"
TRADITIONAL = "zh-Hant"
ENGLISH = "en"

_TO_TRADITIONAL = str.maketrans(
    "东丝两个书买产亲从仓价众优会传体偿册写农凤划剂动务协单卖卫历厂厅压县参双发变叶号员听响园围图团坚场块声备复头夹奖学宁宝实审宽对导将尔尘尝层岁岛师带帮广库应开张弹当录态怀总惯惊户执扫护报拥择挂挥换据摆数断旧时显晒暂机杂权条来极构标样树桥检楼欢毕气汉汤沟没泪洁浅测济浓涂润涨温湾湿满灯灵炉点热爱环现画礼种积称稳窑竞笔筛签简类粮紧纤约级纪纯纸线练组细织终经结给绒绘络统绣绿网罗罚节范茧荐荣药莲获蓝补装规视觉览计订认让议记许论设访证评识试话询该详语误说请诸诺读课谁调谈谢货质购贵费贺资赏赛赠赢趋车轮软轻载辑输边达过迈运还这进远连迟适选递逻遗邮郑释里钟钢铁银铺销锁锅镇长门问闲间闻阅阳阴阵际陈险随难雾静项顺须顾预领频题颜额风飞饭饮馆马驱验鱼鲜鸟鸡鸣黄齐龙",
    "東絲兩個書買產親從倉價眾優會傳體償冊寫農鳳劃劑動務協單賣衛歷廠廳壓縣參雙發變葉號員聽響園圍圖團堅場塊聲備復頭夾獎學寧寶實審寬對導將爾塵嘗層歲島師帶幫廣庫應開張彈當錄態懷總慣驚戶執掃護報擁擇掛揮換據擺數斷舊時顯曬暫機雜權條來極構標樣樹橋檢樓歡畢氣漢湯溝沒淚潔淺測濟濃塗潤漲溫灣濕滿燈靈爐點熱愛環現畫禮種積稱穩窯競筆篩簽簡類糧緊纖約級紀純紙線練組細織終經結給絨繪絡統繡綠網羅罰節範繭薦榮藥蓮獲藍補裝規視覺覽計訂認讓議記許論設訪證評識試話詢該詳語誤說請諸諾讀課誰調談謝貨質購貴費賀資賞賽贈贏趨車輪軟輕載輯輸邊達過邁運還這進遠連遲適選遞邏遺郵鄭釋裡鐘鋼鐵銀鋪銷鎖鍋鎮長門問閒間聞閱陽陰陣際陳險隨難霧靜項順須顧預領頻題顏額風飛飯飲館馬驅驗魚鮮鳥雞鳴黃齊龍",
)


def traditional(text: str) -> str:
    """Write simplified characters as traditional ones, one by one (enough for the mall's own words)."""
    return text.translate(_TO_TRADITIONAL)


@dataclass(frozen=True)
class _Vocabulary:
    adjectives: tuple[str, ...]
    places: tuple[str, ...]
    brands: tuple[str, ...]
    people: tuple[str, ...]
    tags: tuple[str, ...]
    sentences: tuple[str, ...]
    opinions: tuple[str, ...]
    series: tuple[str, ...]
    materials: tuple[str, ...]


_CHINESE = _Vocabulary(
    adjectives=tuple(
        [
            "手工",
            "便携",
            "经典",
            "轻便",
            "静音",
            "双层",
            "简约",
            "复古",
            "防水",
            "加厚",
            "限量",
            "新款",
            "环保",
            "云纹",
            "青花",
            "素色",
        ]
    ),
    places=tuple(["江南", "西湖", "洞庭", "长白山", "大理", "景德镇", "黄山", "苏州", "泉州", "敦煌", "洛阳", "岭上"]),
    brands=tuple(["青瓷坊", "云帆", "三叶草堂", "望湖楼", "松鹤", "喆明", "北岸工坊", "远山", "拾光集", "小满"]),
    people=tuple(
        [
            "陈晓东",
            "林静",
            "王小满",
            "张建国",
            "李思远",
            "赵敏之",
            "周喆",
            "吴海燕",
            "郑一鸣",
            "孙可",
            "何田田",
            "许诺",
            "罗曼",
            "高山流水",
            "路过的猫",
        ]
    ),
    tags=tuple(
        [
            "送礼",
            "家用",
            "旅行",
            "办公室",
            "收藏",
            "入门",
            "老人",
            "学生",
            "热销",
            "清仓",
            "四季",
            "手作",
            "进口",
            "户外",
        ]
    ),
    sentences=(
        "选料讲究，每一件都由老师傅亲手完成。",
        "使用前请先用温水清洗，并放在阴凉处晾干。",
        "这个系列来自山里的一家小工坊，已经有三代人的历史。",
        "包装经过加固，长途运输也不容易损坏。",
        "颜色会随着时间慢慢变深，属于正常现象。",
        "适合日常使用，也可以作为礼物送给亲友。",
        "重量适中，单手就能拿稳，放进背包也不占地方。",
        "说明书在盒子里面，附有图解和常见问题。",
        "我们每个月只做两批，卖完需要等下一批。",
        "表面没有上漆，保留了材料原本的气味。",
        "边角都打磨过，小朋友使用也很放心。",
        "如果收到时有破损，请在七天之内联系我们。",
    ),
    opinions=(
        "东西很好，和图片上的一样。",
        "包装严实，送货也快，下次还会来。",
        "颜色比想象的深一点，不过质量没问题。",
        "给妈妈买的，她很喜欢。",
        "用了一个月，没有任何毛病。",
        "性价比一般，但是样子确实漂亮。",
        "客服态度好，问题当天就解决了。",
        "第二次买了，办公室的同事都来问。",
        "尺寸要看清楚，我买大了一号。",
        "朋友推荐的，果然不错！",
    ),
    series=tuple(["山水", "四时", "归园", "听雨", "星河", "旧时光"]),
    materials=tuple(["紫砂", "竹", "亚麻", "不锈钢", "胡桃木", "棉", "陶土", "玻璃"]),
)

_ENGLISH = _Vocabulary(
    adjectives=tuple(
        [
            "Folding",
            "Hand-Carved",
            "Quiet",
            "Double",
            "Vintage",
            "Waterproof",
            "Compact",
            "Heavy",
            "Slim",
            "Woven",
            "Amber",
            "Everyday",
        ]
    ),
    places=tuple(
        [
            "Harbour",
            "Maple",
            "Northern",
            "Alpine",
            "Riverside",
            "Orchard",
            "Moorland",
            "Coastal",
            "Prairie",
            "Cedar",
            "Hilltop",
            "Foxglove",
        ]
    ),
    brands=(
        "Northwind & Co",
        "Oak & Iron",
        "Fernhill",
        "Brightside",
        "Tallow Lane",
        "Kestrel",
        "O'Hara's",
        "Millbrook",
    ),
    people=(
        "Anna Whitfield",
        "Tom B.",
        "S. Okafor",
        "Marie-Claire",
        "greenthumb72",
        "J. Ortiz",
        "Priya N.",
        "Old Salt",
        "Lena Fischer",
        "D'Arcy",
        "Kim Park",
        "Ruth Ellis",
        "Bo Larsen",
    ),
    tags=tuple(
        [
            "gift",
            "outdoor",
            "kitchen-table",
            "travel",
            "beginner",
            "collector",
            "seasonal",
            "classic",
            "handmade",
            "imported",
            "office",
            "bestseller",
        ]
    ),
    sentences=(
        "Each piece is finished by hand and checked twice before it leaves the workshop.",
        "Rinse with warm water before the first use and let it dry in the shade.",
        "The pattern goes back to a sketch that the founder's grandmother made in 1931.",
        "It packs flat, weighs little and survives a fall from a kitchen table.",
        "The colour deepens over the years; that is the oil in the wood & nothing to worry about.",
        "Spare parts are kept in stock for at least ten years.",
        "A small booklet with drawings and the usual questions is in the box.",
        "We make two batches a month, and when one is sold out the next is never far.",
        "The surface is left untreated, so that it keeps the smell of the material.",
        "If it arrives damaged, write to us within seven days and we send another.",
        "Corners are rounded, which parents of small children will like.",
        "Suits a desk as well as a picnic basket.",
    ),
    opinions=(
        "Exactly as pictured, and it came in two days.",
        "Sturdy, plain, does what it should.",
        "A little darker than I thought, but well made.",
        "Bought it for my mother. She won't give it back!",
        "One month of daily use & not a scratch.",
        "Fair price? Perhaps not. Pretty? Certainly.",
        "Support answered the same day and sorted it out.",
        "My second one; colleagues kept borrowing the first.",
        "Mind the size: mine is one number too big.",
        "Recommended by a friend, and she was right.",
    ),
    series=("Four Seasons", "Lighthouse", "Home Again", "Night Rain", "Milky Way", "Old Times"),
    materials=("clay", "bamboo", "linen", "steel", "walnut", "cotton", "glass", "stoneware"),
)


class Words:
    """Draws words and sentences of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._vocabulary = _ENGLISH if language == ENGLISH else _CHINESE

    def say(self, chinese: str, english: str) -> str:
        """One of two fixed texts: the Chinese one in this language's characters, or the English one."""
        return english if self.language == ENGLISH else self._write(chinese)

    def product_name(self, rng: Random, noun: str) -> str:
        vocabulary = self._vocabulary
        place, adjective, edition = (
            rng.choice(vocabulary.places),
            rng.choice(vocabulary.adjectives),
            rng.randint(2, 999),
        )
        if self.language == ENGLISH:
            return f"{place} {adjective} {noun}, {rng.choice(['No.', 'Model', 'Set of'])} {edition}"
        return self._write(f"{place}{adjective}{noun}（第{edition}{rng.choice('版款代')}）")

    def event_name(self, rng: Random) -> str:
        vocabulary = self._vocabulary
        if self.language == ENGLISH:
            return f"{rng.choice(vocabulary.places)} {rng.choice(['Workshop', 'Open Evening', 'Repair Café', 'Tasting'])} {rng.randint(2, 60)}"
        return self._write(
            f"{rng.choice(vocabulary.places)}{rng.choice(['讲座', '体验课', '维修服务', '品鉴会'])}第{rng.randint(2, 60)}期"
        )

    def price(self, rng: Random) -> str:
        amount = rng.randint(900, 99900) / 100
        if self.language == ENGLISH:
            return f"${amount:,.2f}"
        return f"￥{amount:.2f}" if self.language == SIMPLIFIED else f"NT$ {int(amount * 4):,}"

    def paragraph(self, rng: Random, low: int, high: int) -> str:
        """A text of *low* to *high* sentences that don't repeat."""
        sentences = rng.sample(self._vocabulary.sentences, min(rng.randint(low, high), len(self._vocabulary.sentences)))
        return self._write(("" if self.language != ENGLISH else " ").join(sentences))

    def opinion(self, rng: Random) -> str:
        sentences = rng.sample(self._vocabulary.opinions, rng.randint(1, 3))
        return self._write(("" if self.language != ENGLISH else " ").join(sentences))

    def brand(self, rng: Random) -> str:
        return self._write(rng.choice(self._vocabulary.brands))

    def person(self, rng: Random) -> str:
        return self._write(rng.choice(self._vocabulary.people))

    def tags(self, rng: Random) -> list[str]:
        return [self._write(tag) for tag in rng.sample(self._vocabulary.tags, rng.randint(1, 5))]

    def series(self, rng: Random) -> str:
        return self._write(rng.choice(self._vocabulary.series))

    def material(self, rng: Random) -> str:
        return self._write(rng.choice(self._vocabulary.materials))

    def _write(self, text: str) -> str:
        return traditional(text) if self.language == TRADITIONAL else text


def day(rng: Random) -> str:
    """An ISO date within three years."""
    return (date(2022, 3, 1) + timedelta(days=rng.randrange(1100))).isoformat()
