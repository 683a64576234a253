"""Categories and names of classes that have an order: low before high, January before April."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from unicodedata import combining, normalize

MIN_LEVELS = 3  # two categories need no order
# Every known scale, from its lowest category to its highest, each in several languages and forms.
SCALES: tuple[tuple[str, ...], ...] = (
    ("very low|sehr niedrig|sehr gering|très faible|très bas|muy bajo|muy baja|очень низкий|"
     "очень низкая|очень низкое|очень низко|很低",
     "low|niedrig|gering|schwach|faible|bas|basse|bajo|baja|baixo|baixa|basso|bassa|laag|"
     "низкий|низкая|низкое|низкие|низко|низький|слабый|слабая|slabý|nízký|niski|低",
     "medium|moderate|normal|middle|mittel|mäßig|moyen|moyenne|modéré|modérée|medio|media|"
     "moderado|moderada|médio|média|gemiddeld|средний|средняя|среднее|средние|средне|"
     "умеренный|умеренная|умеренно|середній|střední|średni|中|中等",
     "high|hoch|stark|élevé|élevée|haut|haute|fort|forte|alto|alta|hoog|высокий|высокая|"
     "высокое|высокие|высоко|високий|сильный|сильная|vysoký|wysoki|高",
     "very high|sehr hoch|sehr stark|très élevé|très élevée|très haut|muy alto|muy alta|"
     "очень высокий|очень высокая|очень высокое|очень высоко|很高"),
    ("none|absent|kein|keine|ohne|aucun|aucune|absente|ninguno|ninguna|ausente|нет|отсутствует|无",
     "mild|leicht|léger|légère|leve|легкий|легкая|легкое|легкие|слабый|слабая|轻度",
     "moderate|mäßig|mittel|mittelschwer|modéré|modérée|moderado|moderada|умеренный|умеренная|"
     "средний|средняя|средней тяжести|中度",
     "severe|schwer|sévère|grave|severo|severa|тяжелый|тяжелая|тяжелое|重度",
     "very severe|critical|sehr schwer|kritisch|très sévère|critique|muy grave|crítico|"
     "крайне тяжелый|критический"),
    ("very poor|very bad|sehr schlecht|très mauvais|très mauvaise|muy malo|muy mala|"
     "очень плохой|очень плохая|очень плохо",
     "poor|bad|schlecht|mauvais|mauvaise|malo|mala|плохой|плохая|плохое|плохо|差",
     "fair|average|ok|neutral|mittel|durchschnittlich|moyen|moyenne|passable|regular|"
     "средний|средняя|среднее|удовлетворительно|一般",
     "good|gut|bon|bonne|bueno|buena|хороший|хорошая|хорошее|хорошо|良|好",
     "very good|sehr gut|très bon|très bonne|muy bueno|muy buena|очень хороший|очень хорошо",
     "excellent|ausgezeichnet|hervorragend|excellente|excelente|отличный|отличная|отлично|优"),
    ("never|nie|niemals|jamais|nunca|никогда|从不",
     "rarely|seldom|selten|rarement|raramente|rara vez|редко|很少",
     "sometimes|occasionally|manchmal|gelegentlich|parfois|quelquefois|a veces|иногда|有时",
     "often|frequently|oft|häufig|souvent|a menudo|frecuentemente|часто|经常",
     "usually|very often|meistens|sehr oft|très souvent|normalmente|обычно|очень часто",
     "always|immer|toujours|siempre|всегда|总是"),
    ("strongly disagree", "disagree", "somewhat disagree",
     "neutral|neither|undecided|neither agree nor disagree", "somewhat agree", "agree",
     "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral|neither", "satisfied", "very satisfied"),
    ("tiny|winzig|minuscule|diminuto|крошечный|крошечная",
     "small|klein|petit|petite|pequeño|pequeña|маленький|маленькая|малый|малая|小",
     "medium|mittel|moyen|moyenne|mediano|mediana|средний|средняя|среднее|中",
     "large|big|groß|grand|grande|большой|большая|большое|крупный|крупная|大",
     "huge|very large|riesig|sehr groß|énorme|très grand|très grande|enorme|muy grande|"
     "огромный|огромная|очень большой"),
    ("xxs", "xs", "s", "m", "l", "xl", "xxl"),
    ("cold|kalt|froid|froide|frío|fría|холодный|холодная|холодно|冷",
     "cool|kühl|frais|fraîche|fresco|fresca|прохладный|прохладная|прохладно|凉",
     "mild|warm|tiède|tibio|tibia|templado|теплый|теплая|тепло|温",
     "hot|heiß|chaud|chaude|caliente|горячий|горячая|жаркий|жарко|热"),
    ("primary|elementary|grundschule|primaire|primaria|начальное",
     "secondary|high school|secondaire|secundaria|среднее", "bachelor", "master",
     "doctorate|phd"),
    ("i", "ii", "iii", "iv", "v"),
    ("stage i", "stage ii", "stage iii", "stage iv"),
)  # fmt: skip
_SPACES = str.maketrans("_-.", "   ")
# "1 = never", "2. rarely", "3-5 times", "4": categories that begin with different numbers.
_NUMBERED = re.compile(r"(\d{1,3})(?:\s*[-=.:)\u2013]\s*(\S.*))?", re.DOTALL)
_BEYOND = ("<", ">", "≤", "≥")
MIN_CLASSES, MAX_CLASSES = 2, 200  # that have an order, such as low and high
# Each from its first name to its last, in several languages and forms.
MONTHS = (
    "january|jan|januar|jänner|janvier|janv|enero|ene|janeiro|gennaio|gen|januari|январь|января|янв|"
    "січень|leden|styczeń|sty|一月",
    "february|feb|februar|feber|février|févr|fév|febrero|fevereiro|fev|febbraio|februari|февраль|"
    "февраля|фев|лютий|únor|luty|lut|二月",
    "march|mar|märz|mär|mrz|mars|marzo|março|maart|mrt|март|марта|мар|березень|březen|marzec|三月",
    "april|apr|avril|avr|abril|abr|aprile|апрель|апреля|апр|квітень|duben|kwiecień|kwi|四月",
    "may|mai|mayo|maio|maggio|mag|mei|май|мая|травень|květen|maj|五月",
    "june|jun|juni|juin|junio|junho|giugno|giu|июнь|июня|июн|червень|červen|czerwiec|cze|六月",
    "july|jul|juli|juillet|juil|julio|julho|luglio|lug|июль|июля|июл|липень|červenec|lipiec|lip|七月",
    "august|aug|août|agosto|ago|augustus|август|августа|авг|серпень|srpen|sierpień|sie|八月",
    "september|sep|sept|septembre|septiembre|setembro|settembre|set|сентябрь|сентября|сен|сент|"
    "вересень|září|wrzesień|wrz|九月",
    "october|oct|oktober|okt|octobre|octubre|outubro|out|ottobre|ott|октябрь|октября|окт|жовтень|"
    "říjen|październik|paź|十月",
    "november|nov|novembre|noviembre|novembro|ноябрь|ноября|ноя|листопад|listopad|lis|十一月",
    "december|dec|dezember|dez|décembre|déc|diciembre|dic|dezembro|dicembre|декабрь|декабря|дек|"
    "грудень|prosinec|grudzień|gru|十二月",
)  # fmt: skip
WEEKDAYS = (
    "monday|mon|montag|mo|lundi|lun|lunes|segunda feira|segunda|seg|lunedì|maandag|ma|понедельник|"
    "пн|понеділок|pondělí|poniedziałek|pon|星期一|周一|週一|月曜日|月曜|月",
    "tuesday|tue|tues|dienstag|di|mardi|mar|martes|terça feira|terça|ter|martedì|dinsdag|вторник|"
    "вт|вівторок|úterý|wtorek|wt|星期二|周二|週二|火曜日|火曜|火",
    "wednesday|wed|mittwoch|mi|mercredi|mer|miércoles|mié|quarta feira|quarta|qua|mercoledì|"
    "woensdag|wo|среда|ср|середа|středa|środa|śr|星期三|周三|週三|水曜日|水曜|水",
    "thursday|thu|thur|thurs|donnerstag|do|jeudi|jeu|jueves|jue|quinta feira|quinta|qui|giovedì|"
    "gio|donderdag|четверг|чт|четвер|čtvrtek|czwartek|czw|星期四|周四|週四|木曜日|木曜|木",
    "friday|fri|freitag|fr|vendredi|ven|viernes|vie|sexta feira|sexta|sex|venerdì|vrijdag|vr|"
    "пятница|пт|п'ятниця|pátek|piątek|pt|星期五|周五|週五|金曜日|金曜|金",
    "saturday|sat|samstag|sonnabend|sa|samedi|sam|sábado|sáb|sabato|zaterdag|za|суббота|сб|"
    "субота|sobota|sob|星期六|周六|週六|土曜日|土曜|土",
    "sunday|sun|sonntag|so|dimanche|dim|domingo|dom|domenica|zondag|zo|воскресенье|вс|неділя|нд|"
    "neděle|niedziela|niedz|nd|星期日|星期天|周日|週日|日曜日|日曜|日",
)  # fmt: skip
SEASONS = (
    "spring|frühling|frühjahr|printemps|primavera|lente|voorjaar|весна|jaro|wiosna|春|春季",
    "summer|sommer|été|verano|verão|estate|zomer|лето|літо|léto|lato|夏|夏季",
    "autumn|fall|herbst|automne|otoño|outono|autunno|herfst|najaar|осень|осінь|podzim|jesień|秋|秋季",
    "winter|hiver|invierno|inverno|зима|zima|冬|冬季",
)
TIMES_OF_DAY = (
    "early morning|dawn",
    "morning|am|morgen|morgens|vormittag|matin|mañana|manhã|mattina|ochtend|утро|ráno|rano|早上|朝",
    "noon|midday|mittag|midi|mediodía|полдень|poledne|południe|中午|昼",
    "afternoon|pm|nachmittag|après midi|tarde|pomeriggio|middag|день|odpoledne|"
    "popołudnie|下午|午後",
    "evening|abend|abends|soir|sera|avond|вечер|вечір|večer|wieczór|晚上|夕方",
    "night|nacht|nachts|nuit|noche|noite|notte|ночь|ніч|noc|夜|夜间",
)  # fmt: skip
PERIODS = (MONTHS, WEEKDAYS, SEASONS, TIMES_OF_DAY)
# How often in a year these are: by themselves, and once in each of them.
_OFTEN = {
    0: "never|nie|niemals|jamais|nunca|mai|никогда",
    1: "yearly|annually|jährlich|annuellement|anualmente|annualmente|ежегодно",
    12: "monthly|monatlich|mensuellement|mensualmente|mensalmente|mensilmente|ежемесячно",
    52: "weekly|wöchentlich|semanalmente|settimanalmente|еженедельно",
    365: "daily|täglich|quotidiennement|diariamente|quotidianamente|ежедневно",
}
_IN_EACH = {
    1: "year|jahr|an|année|año|ano|anno|год",
    12: "month|monat|mois|mes|mês|mese|месяц",
    52: "week|woche|semaine|semana|settimana|неделю",
    365: "day|tag|jour|día|dia|giorno|день",
}
_TIMES = {
    1: "once|einmal|une|una|uma|один",
    2: "twice|zweimal|deux|dos|duas|due|два",
    3: "times|per|mal|pro|fois|par|veces|por|vezes|volte|раз|раза",  # several, without a number
}
_NEARLY = {
    0.9: "less|fewer|weniger|moins|menos|meno|менее",
    1.1: "more|mehr|plus|más|mais|più|более",
}
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b|[-'](\d\d)$")  # 2020, Jan-20


def ordered_levels(levels: Iterable[str], fewest: int = MIN_LEVELS) -> tuple[str, ...] | None:
    """The levels from low to high, or None if there are fewer or their order is not known.

    Examples
    --------
    >>> from melm_studio.tables.scales import ordered_levels
    >>> ordered_levels(["high", "low", "medium"])
    ('low', 'medium', 'high')
    >>> ordered_levels(["red", "green", "blue"]) is None
    True
    """
    given = list(levels)
    if len(given) < fewest:
        return None
    return _of_scale(given) or _by_rate(given) or _numbered(given)


def _of_scale(levels: list[str]) -> tuple[str, ...] | None:
    if len(levels) > max(map(len, SCALES)):
        return None
    words = [plain(level) for level in levels]
    for places in places_of(SCALES):
        positions = [places[word] for word in words if word in places]
        if len(set(positions)) == len(levels):
            return _sorted_by(levels, positions)
    return None


@cache
def places_of(scales: tuple[tuple[str, ...], ...]) -> tuple[dict[str, int], ...]:
    """The position of each word of each scale, whose places have several words between bars."""
    return tuple(
        {plain(word): place for place, words in enumerate(scale) for word in words.split("|")}
        for scale in scales
    )


def _by_rate(levels: list[str]) -> tuple[str, ...] | None:
    """Levels that say how often: never, once a month, twice a week, daily."""
    rates: list[float] = []
    for level in levels:
        rate = _times_a_year(plain(level).split())
        if rate is None or rate in rates:
            return None
        rates.append(rate)
    return _sorted_by(levels, rates)


def _times_a_year(words: Sequence[str]) -> float | None:
    often, each, times, nearly = (
        [value for value, texts in of.items() if not _plain_words(texts).isdisjoint(words)]
        for of in (_OFTEN, _IN_EACH, _TIMES, _NEARLY)
    )
    if len(often) + len(each) != 1 or not (often or times):  # a week alone says how long
        return None
    numbers = [int(word) for word in words if word.isdecimal()]
    several = (numbers or times)[0] if times else 1
    return float((often or each)[0] * several * (nearly or [1])[0])


@cache
def _plain_words(texts: str) -> frozenset[str]:
    return frozenset(map(plain, texts.split("|")))


def _numbered(levels: list[str]) -> tuple[str, ...] | None:
    """Levels that begin with numbers, and go on as ranges, in words of a scale, or some in any.

    Others are codes and what they stand for: 1. White, 2. Black.
    """
    matches = [_NUMBERED.fullmatch(level.strip()) for level in levels]
    numbers = [int(match[1]) for match in matches if match]
    words = [match[2] for match in matches if match and match[2]]
    n_places = max(numbers, default=0) - min(numbers, default=0) + 1
    is_named_in_part = 0 < len(words) < len(levels) == n_places  # mostly at its ends
    are_ordered = len(set(numbers)) == len(levels) and (
        is_named_in_part
        or any(word.startswith(_BEYOND) for word in words)
        or (bool(words) and all(any(map(str.isdigit, word)) for word in words))
        or any(
            3 * sum(plain(word) in places for word in words) >= len(levels)
            for places in places_of(SCALES)
        )
    )
    return _sorted_by(levels, numbers) if are_ordered else None


def _sorted_by(levels: list[str], places: Sequence[float]) -> tuple[str, ...]:
    return tuple(level for _, level in sorted(zip(places, levels, strict=True)))


def plain(level: str) -> str:
    """Without what is often left out or written in another way: marks, capitals, points, dashes.

    Examples
    --------
    >>> plain("Fév.")
    'fev'
    """
    bare = "".join(c for c in normalize("NFKD", level.casefold()) if not combining(c))
    return " ".join(bare.translate(_SPACES).split())


# Names that say that a class is not known.
UNKNOWN = frozenset(map(plain, [
    "", "*", "?", "unknown", "undefined", "undetermined", "missing", "not known", "not reported",
    "not available", "not applicable", "no answer", "no data", "n/a", "n a", "unbekannt",
    "keine angabe", "k a", "inconnu", "inconnue", "non renseigné", "desconocido", "desconocida",
    "sin datos", "desconhecido", "sconosciuto", "onbekend", "неизвестно", "нет данных", "невідомо",
    "neznámé", "nieznany", "brak danych", "未知", "不明", "無回答", "缺失",
]))  # fmt: skip
# Names that stand last beside those that have an order.
ASIDE = UNKNOWN.union(map(plain, [
    "other", "others", "andere", "sonstige", "autre", "autres", "otro", "otros", "outro", "outros",
    "altro", "altri", "anders", "другое", "інше", "jiné", "inne", "其他", "その他",
]))  # fmt: skip


def ordered_names(names: Sequence[str]) -> tuple[str, ...] | None:
    """The names in their own order, those that stand aside last; None where they have none.

    Examples
    --------
    >>> ordered_names(["Apr 2020", "Jan 2021", "Feb 2020"])
    ('Feb 2020', 'Apr 2020', 'Jan 2021')
    >>> ordered_names(["high", "low", "unknown"])
    ('low', 'high', 'unknown')
    """
    if len(names) > MAX_CLASSES:
        return None
    ordered = _ordered(names)
    if ordered is not None:
        return ordered
    aside = [name for name in names if is_among(name, ASIDE)]
    placed = [name for name in names if not is_among(name, ASIDE)]
    ordered = _ordered(placed) if aside else None
    return None if ordered is None else (*ordered, *sorted(aside))


def is_among(name: str, words: frozenset[str]) -> bool:
    """Return whether a name is one of these words in any of its forms.

    Examples
    --------
    >>> is_among("Non-renseigné", UNKNOWN)
    True
    """
    return plain(name) in words


def _ordered(names: Sequence[str]) -> tuple[str, ...] | None:
    if len(names) < MIN_CLASSES:
        return None
    return ordered_levels(names, MIN_CLASSES) or _by_period(names)


def _by_period(names: Sequence[str]) -> tuple[str, ...] | None:
    """Names of months and the like, each perhaps with its year."""
    years = [_YEAR.search(name) for name in names]
    if not all(years) and any(years):
        return None
    of_year = [int(year[1] or year[2]) if year else 0 for year in years]
    texts = [plain(_YEAR.sub(" ", name)) for name in names]
    for places in places_of(PERIODS):
        places_in_time = [
            (year, places.get(text, -1)) for year, text in zip(of_year, texts, strict=True)
        ]
        if len({*places_in_time}) == len(names) and min(place for _, place in places_in_time) >= 0:
            return tuple(name for _, name in sorted(zip(places_in_time, names, strict=True)))
    return None
