"""The encoding of text that is not UTF-8, by how common the letters are that its bytes would be.

A few names of classes must do, on which statistics of long text fail: 上海 is as valid in EUC-KR.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from charset_normalizer import from_bytes

PROBE_BYTES = 1_000_000
MOST_WORDS = 400  # whose letters are looked at
MOST_OFFERED = 4
NAMES_SHOWN, LONGEST_NAME = 3, 12
NEAR, NEAR_OF_ONE = 0.5, 1.2  # scores so far below the best may be right, too; of one letter
REFUTED = 2.5  # by so much in the sum over letters, where only some words differ
LEAST_BEYOND = 200  # bytes beyond ASCII in different words, for statistics to settle it
NO_TEXT = -0.3  # the score below which nothing is said by an encoding

# By the name in Python: the name to say, and that of its letters below.
ENCODINGS = {
    "cp1252": "Western European", "iso8859_15": "Western European", "cp1250": "Central European",
    "iso8859_2": "Central European", "cp1254": "Turkish", "cp857": "Turkish DOS",
    "cp1257": "Baltic", "cp775": "Baltic DOS",
    "mac_roman": "older Mac", "cp850": "DOS", "cp860": "Portuguese DOS",
    "cp852": "Central European DOS", "mac_latin2": "Central European of older Macs",
    "cp1251": "Cyrillic", "koi8_r": "Cyrillic", "cp866": "Cyrillic DOS",
    "mac_cyrillic": "Cyrillic of older Macs", "iso8859_5": "Cyrillic", "cp1253": "Greek",
    "cp737": "Greek DOS", "cp1255": "Hebrew", "cp862": "Hebrew DOS", "cp1256": "Arabic",
    "cp874": "Thai", "gb18030": "Chinese", "big5": "Chinese",
    "shift_jis": "Japanese", "euc_jp": "Japanese", "euc_kr": "Korean",
}  # fmt: skip
_STEPS = {
    "cp1252": "Western European text",
    "mac_roman": "Western European text of older Macs (Mac Roman)",
}
# As Windows writes them, and with the letters of Ukrainian.
_CODECS = {
    "shift_jis": "cp932", "euc_kr": "cp949", "big5": "cp950", "koi8_r": "koi8_u", "cp866": "cp1125",
}  # fmt: skip
# What is read far more often than what looks as likely.
_PRIOR = {"cp1252": 0.6, "cp1251": 0.2, "mac_roman": -0.4, "cp1254": -0.1, "iso8859_2": -0.1,
          "cp850": -0.6, "cp860": -0.65, "cp852": -0.6, "cp857": -0.7, "cp775": -0.7,
          "cp1257": -0.1, "cp737": -0.2, "cp862": -0.2, "mac_cyrillic": 0.15,
          "mac_latin2": -0.75, "iso8859_5": -0.4}  # fmt: skip
_EAST_ASIAN = ("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr")
_LATIN = ("cp1252", "iso8859_15", "cp1250", "iso8859_2", "cp1254", "mac_roman", "cp850", "cp860",
          "cp852", "mac_latin2", "cp857", "cp1257", "cp775")  # fmt: skip
# Letters beside which their languages hardly ever have what stands there.
_WESTERN = (
    "ç(?=[^aouàáâãóôõú])|[îâ]$|î(?=[^clmnt])|â(?=[^bcfglmnpqtv])|û(?=[^clmnrt])|(?<![aou])ï"
    "|ã(?=[^eois])"
)
_CENTRAL = "ń(?=[aeiouy])|ř(?=[bdfgjklrz])"
_ODD = {
    **dict.fromkeys(("cp1252", "iso8859_15", "mac_roman"), re.compile(_WESTERN)),
    **dict.fromkeys(("cp1250", "iso8859_2", "mac_latin2"), re.compile(_CENTRAL)),
    "cp850": re.compile(f"{_WESTERN}|ä(?=o)|ö(?=e)"),
    "cp852": re.compile(f"{_CENTRAL}|ä(?=o)|ö(?=e)"),
    # Where other DOS text has ä and ö, Portuguese has ã and õ, as in limão and limões.
    "cp860": re.compile(f"{_WESTERN}|õ(?=[^eois])|^õ"),
    "cp1257": re.compile("ń(?=[aeiouy])|ų(?=[^st])"),
}
# The commonest letters beyond ASCII, then the other ones of the languages.
_COMMON = {
    "cp1252": "äöüßéèêàçñáíóúãâôåæøîû°µ²",
    "cp1250": "łąęśżźćńóčšžřěýáíéůúďťňőűöüä",
    "cp1254": "şığçöüİŞĞÇÖÜ",
    "cp1251": "оеаинтсрвлкмдпуяыьзбгйчхжшющцэфё",
    "cp1253": "αοιετσνηυρπκμλςόίάέήώύδγχθφβξζω",
    "cp1255": "יוהלאתרבשמןנםדקעחפכצטגסזךףץ",
    "cp1256": "اليمونرتبةعدسفهحكقجشطصخذضثغزظءىئأإ",
    "cp1257": "āēīšėžųąčęįūļņģķöäüõ",
    "cp874": "านรอกเงมยลวดทสตะปบคหแจพชขใไโผถซณฟฉธญฎฐฏศษภฆฬฮฝฑฒฌฤ",
}
_RARER = {
    "cp1252": "ëïìòùõýðþœšž£¥§«»±·½¼¾ÄÖÜÉÈÊÀÇÑÁÍÓÚÃÕÂÔÅÆØÎ–—’‘“”…€™",
    "cp1250": "ŁĄĘŚŻŹĆŃÓČŠŽŘĚÝÁÍÉŮÚĎŤŇŐŰÖÜÄăşţđâîôßëçĂŞŢĐ°–—’‘“”…€§",
    "cp1254": "âîûêßéèàáñÂ°–—’‘“”…€",
    "cp1251": "ъіїєґљњћџ№°–—’‘“”…«»",
    "cp1253": "ψϊϋΐΰ°–—’‘“”…«»µ",
    "cp1255": "°–—’‘“”…",
    "cp1256": "ؤآ،؟پچژگ°–—’‘“”…",
    "cp1257": "ĀĒĪŠĖŽŲĄČĘĮŪĻŅĢĶÖÄÜÕ°–—’‘“”…€™µ",
    "cp874": "ัิีึืุู็่้๊๋์ำๆฯ๐๑๒๓๔๕๖๗๘๙",
}
for _letters in (_COMMON, _RARER):
    _letters |= dict.fromkeys(("iso8859_2", "cp852", "mac_latin2"), _letters["cp1250"])
    _letters |= dict.fromkeys(("koi8_r", "cp866", "mac_cyrillic", "iso8859_5"), _letters["cp1251"])
    _letters |= dict.fromkeys(("iso8859_15", "mac_roman", "cp850", "cp860"), _letters["cp1252"])
    for _dos, _windows in (("cp857", "cp1254"), ("cp737", "cp1253"), ("cp862", "cp1255")):
        _letters[_dos] = _letters[_windows]
    # Estonian in it looks like Portuguese, in what is read more often.
    _letters["cp775"] = _letters["cp1257"].translate(str.maketrans("", "", "äöüõÄÖÜÕ"))
_HANGUL = set(
    "이다는을의에가고를은로하지한서기도대사리자시인어나수해부정일스그들게전라아장제보여구원과주상동연조"
    "성비소우신세마안오미공국경생선문학요무교유식중분용관물위계거방진물개실만회남여강산울건병질포천"
    "초토영치화차당예광민법행등반양음단순명현모내외본면업입속심물살말물집적청백홍황녹흑색대중소상하좌우"
    "높낮음보통정상환암종감염약물복용전후군급증없있음양성모름기타네아니오김박최임윤권"
    "북춘원평창군산목인천제포항구미밀누룽쌀사과배귤딸"
)
_HAN = set(
    # of all three, or simplified
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种"
    "面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去"
    "把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但"
    "质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式"
    "活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回"
    "则任取据处队南给色光门即保治北造百规热领七海口东导器压志世金增争济阶油思术极交受联什认六共权收证改清己"
    "美再采转更单风切打白教速花带安场身车例真务具万每目至达走积示议声报斗完类八离华名确才科张信马节话米整空"
    "元况今集温传土许步群广石记需段研界拉林律叫且究观越织装影算低持音众书布复容儿须际商非验连断深难近矿千周"
    "委素技备半办青省列习响约支般史感劳便团往酸历市克何除消构府称太准精值号率族维划选标写存候毛亲快效斯院查"
    "江型眼王按格养易置派层片始却专状育厂京识适属圆包火住调满县局照参红细引听该铁价严龙飞"
    "健康疾病男女阴阳患对照组良恶轻重度苹果香蕉梨橘瓜菜稻麦豆茶鱼鸡猪牛羊狗猫鸟虫草树叶根茎"
    "癌瘤肺肝肾胃血肉骨春夏秋冬晴雨雪云甲乙丙丁左右优良差未婚否否是低甜咸苦辣黑黄绿蓝紫灰橙粉州杭深圳津渝武汉"
    # traditional
    "這個們來時為國會過發對動經說產種還後進着電裡現實體機當點從業開應關無與樣線內數變結問題條長總頭資邊級圖"
    "統組見計別員運農區強決戰則據處隊給門規熱領東導壓爭濟階術極認權證採轉單風帶場車萬達積議聲報類離華確張馬"
    "節話況傳許廣記觀織裝書複兒須驗連斷難礦備辦習響約團歷構稱準號選標寫親廠適屬滿縣參紅細聽鐵價嚴龍飛陰陽"
    "對照輕蘋橘雞豬貓鳥蟲樹葉莖癌腎優黃綠藍臺灣高雄北雄新竹園苗栗彰投嘉義屏宜蘭基隆澎湖"
    # Japanese
    "対発経気県図変総関戦単様実験楽薬検査歳円駅働込畑峠栃阪奈阜岡広島札幌仙台横浜名古屋京都神戸沖縄埼群"
    "陽陰性良悪軽症無有男女高中低甲乙黒白赤青緑黄茶桜松杉檜楠梅竹鮭鯛鮪"
)
_WORD = re.compile(
    rb"[\x80-\xff](?:[^\s,;|\"'()<>]*)"
    rb"|(?<![A-Za-z])[A-Za-z]++[\x80-\xff][^\s,;|\"'()<>]*"
)


@dataclass(frozen=True)
class Reading:
    """Text as one encoding has it.

    Attributes
    ----------
    encoding : str
        Its name in `ENCODINGS`.
    score : float
        How common its letters are: 3 for the commonest, 0 for the rarest, less for what is none.
    words : tuple of str
        The words beyond ASCII, each once.
    """

    encoding: str
    score: float
    words: tuple[str, ...]

    @property
    def codec(self) -> str:
        """Its name in Python."""
        return codec(self.encoding)

    @property
    def named(self) -> str:
        """The note on text that was read so."""
        plain = f"{ENCODINGS[self.encoding]} text ({self.encoding})"
        return _STEPS.get(self.encoding, plain)

    @property
    def shown(self) -> str:
        """The language and its first words, for a button."""
        words = ", ".join(word[:LONGEST_NAME] for word in self.words[:NAMES_SHOWN])
        return f"{ENCODINGS[self.encoding]}: {words}"


def codec(encoding: str) -> str:
    """The codec that reads an encoding of `ENCODINGS`."""
    return _CODECS.get(encoding, encoding)


def readings_of(raw: bytes) -> tuple[Reading, ...]:
    """Return what bytes may say, the likeliest first; those that read alike once.

    Examples
    --------
    >>> [one.encoding for one in readings_of("Łódź,Kraków\\n".encode("cp1250"))][0]
    'cp1250'
    """
    probe = raw[:PROBE_BYTES]
    if len(raw) > PROBE_BYTES:
        probe = probe[: probe.rfind(b"\n") + 1] or probe
    words = [*dict.fromkeys(_WORD.findall(probe))][:MOST_WORDS]
    readings: dict[tuple[str, ...], Reading] = {}
    for encoding in ENCODINGS:
        texts = _decoded(words, codec(encoding))
        if texts is not None:
            reading = Reading(encoding, _score(texts, encoding), texts)
            readings[texts] = max(
                reading, readings.get(texts, reading), key=lambda each: each.score
            )
    ranked = sorted(readings.values(), key=lambda reading: -reading.score)
    if not ranked or ranked[0].score < NO_TEXT:
        return ()
    near = _unrefuted(
        [reading for reading in ranked if reading.score > ranked[0].score - _near(ranked[0])]
    )
    return tuple(_settled(near, words)[:MOST_OFFERED])


def _near(best: Reading) -> float:
    """Return how far below the best a reading may score: farther where few letters speak."""
    n_letters = sum(not letter.isascii() for word in best.words for letter in word)
    return max(NEAR, NEAR_OF_ONE / math.sqrt(n_letters))


def _unrefuted(near: Sequence[Reading]) -> list[Reading]:
    """The readings, without those that share words with another which reads the others better."""
    return [reading for reading in near if not any(_refutes(other, reading) for other in near)]


def _refutes(better: Reading, other: Reading) -> bool:
    pairs = [pair for pair in zip(better.words, other.words, strict=True) if len({*pair}) > 1]
    if len(pairs) in (0, len(other.words)):  # of another alphabet
        return False
    read, doubted = zip(*pairs, strict=True)
    gain = sum(_letters_of(read, better.encoding)) - sum(_letters_of(doubted, other.encoding))
    return gain > REFUTED


def _decoded(words: Sequence[bytes], encoding: str) -> tuple[str, ...] | None:
    try:
        return tuple(word.decode(encoding) for word in words)
    except UnicodeDecodeError:
        return None


def _settled(near: list[Reading], words: Sequence[bytes]) -> list[Reading]:
    """The one reading that statistics prefer where there is enough text for them, else all."""
    text = b" ".join(words)
    if len(near) < 2 or sum(byte > 127 for byte in text) < LEAST_BEYOND:
        return near
    best = from_bytes(text, cp_isolation=[reading.codec for reading in near], threshold=0.5).best()
    preferred = best.encoding if best is not None else ""
    return [reading for reading in near if reading.codec == preferred] or near


def _score(words: Iterable[str], encoding: str) -> float:
    scores = _letters_of(words, encoding)
    return _PRIOR.get(encoding, 0.0) + (sum(scores) / len(scores) if scores else 0.0)


def _letters_of(words: Iterable[str], encoding: str) -> list[float]:
    return [_letter(word, place, encoding) for word in words for place in _beyond(word)]


def _beyond(word: str) -> Iterable[int]:
    return (place for place, letter in enumerate(word) if not letter.isascii())


def _letter(word: str, place: int, encoding: str) -> float:
    letter, beside = word[place], word[max(0, place - 1) : place] + word[place + 1 : place + 2]
    n_mixed = sum(neighbor.isascii() and neighbor.isalpha() for neighbor in beside)
    if encoding in _EAST_ASIAN:
        return _east_asian(letter, encoding) - n_mixed
    common, rarer = _COMMON[encoding], _RARER[encoding]
    plain = letter.lower()
    if encoding in _LATIN:
        base = 2.4 if letter in common else 1.2 if letter in rarer else -1.0
        is_apart = letter.isalpha() and len(word) > 1 and not any(map(str.isascii, beside))
        is_symbol = not letter.isalpha() and any(neighbor.isalpha() for neighbor in beside)
        is_odd = letter.isupper() and place > 0 and word[place - 1].islower()
        is_odd |= letter in "èò" and place == 0 and len(word) > 1
        is_odd |= encoding in _ODD and bool(_ODD[encoding].match(word, place))
        return base - 1.2 * is_apart - 1.5 * is_symbol * (letter not in "’°²µ") - 1.5 * is_odd
    if plain in common:
        base = 3.0 - 2.0 * common.index(plain) / len(common)
    else:
        base = 0.8 if plain in rarer else -1.5
    is_odd = letter.isupper() and place > 0 and (word[place - 1].islower() or not word.isupper())
    return base - 1.5 * is_odd - 0.3 * letter.isupper() - 2.5 * (n_mixed > 0)


def _east_asian(letter: str, encoding: str) -> float:
    if encoding == "euc_kr":
        if "\uac00" <= letter <= "\ud7a3":
            return 3.0 if letter in _HANGUL else 0.9
        return -1.0
    if "\u3040" <= letter <= "\u30ff":
        return 2.8 if encoding in {"shift_jis", "euc_jp"} else -1.0
    if "\uff61" <= letter <= "\uff9f":  # of half width: any two letters of Cyrillic are such
        return -0.2
    if "\u4e00" <= letter <= "\u9fff":
        plain = 3.0 if letter in _HAN else 0.8
        return plain if _is_plain(letter, encoding) else -0.5
    return 0.5 if "\u3000" <= letter <= "\u303f" or "\uff01" <= letter <= "\uff5e" else -1.5


# The lead byte behind which an encoding has what is rarely written.
_RARE_FROM = {"gb18030": (0xB0, 0xD8), "big5": (0xA4, 0xC9), "shift_jis": (0x88, 0x99),
              "euc_jp": (0xB0, 0xD0)}  # fmt: skip


def _is_plain(letter: str, encoding: str) -> bool:
    lead = letter.encode(codec(encoding))[0]
    low, high = _RARE_FROM[encoding]
    return low <= lead < high
