"""Categories that have an order: low, medium, high."""

from __future__ import annotations

import re
from collections.abc import Iterable
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
# "1 = never", "2. rarely", "3-5 times": categories that begin with different numbers.
NUMBERED = re.compile(r"(\d{1,3})\s*[-=.:)\u2013]\s*\S")


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
    return _of_scale(given) or _numbered(given)


def _of_scale(levels: list[str]) -> tuple[str, ...] | None:
    if len(levels) > max(map(len, SCALES)):
        return None
    words = [plain(level) for level in levels]
    for places in places_of(SCALES):
        known = [places[word] for word in words if word in places]
        if len(set(known)) == len(levels):
            return _sorted_by(levels, known)
    return None


@cache
def places_of(scales: tuple[tuple[str, ...], ...]) -> tuple[dict[str, int], ...]:
    """The position of each word of each scale, whose places have several words between bars."""
    return tuple(
        {plain(word): place for place, words in enumerate(scale) for word in words.split("|")}
        for scale in scales
    )


def _numbered(levels: list[str]) -> tuple[str, ...] | None:
    matches = [NUMBERED.match(level.strip()) for level in levels]
    numbers = [int(match[1]) for match in matches if match]
    return _sorted_by(levels, numbers) if len(set(numbers)) == len(levels) else None


def _sorted_by(levels: list[str], places: list[int]) -> tuple[str, ...]:
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
