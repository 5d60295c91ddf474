"""The words of the generated corpus: their meanings, their forms, and what goes with what.

Sentences have to make sense, so each noun lists the adjectives that describe it, and each verb the
nouns that can be its object. Irregular English forms are written out; Chinese words don't change.
"""

from typing import NamedTuple


class Noun(NamedTuple):
    """A Chinese noun: its reading, its English forms, and the words that go with it."""

    zh: str
    pinyin: str
    en: str
    plural: str  # empty for what isn't counted: tea, bread
    measure: str  # the Chinese measure word
    kind: str  # person, kin, animal, place, thing or abstract
    pronoun: str  # he, she or it; empty for a person who may be he or she
    adjectives: str  # the Chinese adjectives that may precede it, separated by spaces


class Verb(NamedTuple):
    """A Chinese verb: its reading, its English forms, its tenses and its possible subjects."""

    zh: str
    pinyin: str
    base: str  # eat
    third: str  # eats
    past: str  # ate
    ing: str  # eating
    participle: str  # eaten
    tenses: str  # letters: p past, f future, g going on, h habit
    doers: str  # the kinds of noun that may do it

    @property
    def objects(self) -> str:
        """The nouns of OBJECTS that can be this verb's object, separated by spaces."""
        return OBJECTS.get(self.zh, "")


class Adjective(NamedTuple):
    """A Chinese adjective: its reading, its English forms, and whether it needs 的."""

    zh: str
    pinyin: str
    en: str
    comparative: str = ""  # bigger; empty where English says "more"
    bare: bool = False  # precedes a noun without 的


def _table(kind: type, text: str) -> dict:
    """Read one entry per line, its fields separated by bars."""
    rows = [[field.strip() for field in line.split("|")] for line in text.strip().splitlines()]
    return {row[0]: kind(*row) for row in rows}


NOUNS: dict[str, Noun] = _table(
    Noun,
    """
    男孩 | nánhái | boy | boys | 个 | person | he | 聪明 善良
    女孩 | nǚhái | girl | girls | 个 | person | she | 聪明 善良
    男人 | nánrén | man | men | 个 | person | he | 聪明 善良
    女人 | nǚrén | woman | women | 个 | person | she | 聪明 善良
    孩子 | háizi | child | children | 个 | person |  | 聪明 善良
    老师 | lǎoshī | teacher | teachers | 位 | person |  | 聪明 善良
    学生 | xuésheng | student | students | 个 | person |  | 聪明 善良
    医生 | yīshēng | doctor | doctors | 位 | person |  | 聪明 善良
    朋友 | péngyou | friend | | 个 | kin |  | 聪明 善良
    妈妈 | māma | mother |  | 位 | kin | she |
    爸爸 | bàba | father |  | 位 | kin | he |
    姐姐 | jiějie | sister |  | 个 | kin | she |
    哥哥 | gēge | brother |  | 个 | kin | he |
    动物 | dòngwù | animal | animals | 只 | animal | it | 大 小 聪明 漂亮
    猫 | māo | cat | cats | 只 | animal | it | 大 小 黑 白 聪明 漂亮
    狗 | gǒu | dog | dogs | 只 | animal | it | 大 小 黑 白 聪明 漂亮
    鸟 | niǎo | bird | birds | 只 | animal | it | 大 小 黑 白 聪明 漂亮
    马 | mǎ | horse | horses | 匹 | animal | it | 大 小 黑 白 聪明 漂亮 快
    羊 | yáng | sheep | sheep | 只 | animal | it | 大 小 黑 白
    老鼠 | lǎoshǔ | mouse | mice | 只 | animal | it | 大 小 黑 白 聪明
    马路 | mǎlù | street | streets | 条 | thing | it | 宽 长
    河 | hé | river | rivers | 条 | thing | it | 大 小 宽 长
    桥 | qiáo | bridge | bridges | 座 | thing | it | 大 小 长 新 旧 漂亮
    树 | shù | tree | | 棵 | thing | it | 大 小 漂亮
    花 | huā | flower | flowers | 朵 | thing | it | 大 小 红 白 漂亮
    苹果 | píngguǒ | apple | apples | 个 | thing | it | 大 小 红 甜 酸
    鸡蛋 | jīdàn | egg | eggs | 个 | thing | it | 大 小 白
    鱼 | yú | fish | fish | 条 | thing | it | 大 小 红 白 黑 漂亮
    面包 | miànbāo | bread |  | 块 | thing | it | 硬
    蛋糕 | dàngāo | cake |  | 块 | thing | it | 甜 硬
    茶 | chá | tea |  | 杯 | thing | it | 烫 凉 苦
    咖啡 | kāfēi | coffee |  | 杯 | thing | it | 烫 凉 苦
    牛奶 | niúnǎi | milk |  | 杯 | thing | it | 烫 凉 甜
    书 | shū | book | books | 本 | thing | it | 新 旧 大 小 难
    信 | xìn | letter | letters | 封 | thing | it | 长 旧
    电影 | diànyǐng | movie | movies | 部 | thing | it | 新 旧 长
    外套 | wàitào | coat | coats | 件 | thing | it | 新 旧 红 白 黑 漂亮 贵 便宜
    裙子 | qúnzi | dress | dresses | 条 | thing | it | 新 旧 红 白 黑 漂亮 贵 便宜
    桌子 | zhuōzi | table | tables | 张 | thing | it | 新 旧 大 小 白 黑 漂亮 重
    椅子 | yǐzi | chair | chairs | 把 | thing | it | 新 旧 大 小 白 黑 漂亮 重
    箱子 | xiāngzi | box | boxes | 个 | thing | it | 新 旧 大 小 红 白 黑 重
    杯子 | bēizi | cup | cups | 个 | thing | it | 新 旧 大 小 红 白 黑 漂亮
    门 | mén | door | doors | 扇 | thing | it | 新 旧 大 小 红 白
    车 | chē | car | cars | 辆 | thing | it | 新 旧 大 小 红 白 黑 漂亮 贵 便宜 快
    床 | chuáng | bed | beds | 张 | thing | it | 新 旧 大 小
    房间 | fángjiān | room | rooms | 个 | place | it | 大 小 漂亮
    厨房 | chúfáng | kitchen | | 个 | place | it | 大 小 漂亮
    花园 | huāyuán | garden | | 个 | place | it | 大 小 漂亮
    公园 | gōngyuán | park | | 个 | place | it | 大 小 漂亮 新 旧
    学校 | xuéxiào | school | | 所 | place | it | 大 小 漂亮 新 旧
    图书馆 | túshūguǎn | library | | 座 | place | it | 大 小 漂亮 新 旧
    商店 | shāngdiàn | shop | | 家 | place | it | 大 小 新 旧
    """,
)

FOOD = "苹果 鸡蛋 鱼 面包 蛋糕"
GOODS = f"{FOOD} 花 书 外套 裙子 桌子 椅子 箱子 杯子 车 床"

#: The objects of each verb: Chinese nouns, separated by spaces.
OBJECTS: dict[str, str] = {
    "过": "马路 河 桥",
    "吃": FOOD,
    "喝": "茶 咖啡 牛奶",
    "买": GOODS,
    "卖": GOODS,
    "读": "书 信",
    "写": "信 书",
    "洗": "苹果 外套 裙子 杯子 车 狗 马 桌子",
    "修": "桌子 椅子 箱子 门 车 床 桥",
    "搬": "桌子 椅子 箱子 床",
    "喂": "动物 猫 狗 鸟 马 羊 鱼",
    "找到": "猫 狗 马 羊 书 信 外套 箱子 杯子 车",
    "看见": "动物 猫 狗 鸟 马 羊 老鼠 男孩 女孩 男人 女人 孩子 老师 学生 医生 车 桥",
    "去": "公园 学校 图书馆 商店",
    "关上": "门 箱子",
    "打开": "门 箱子 信",
    "放": "书 信 外套 杯子 苹果 蛋糕 鸡蛋 花 面包 裙子",
    "给": "书 花 苹果 杯子 鸡蛋 信 椅子 鱼 蛋糕 猫 狗",
    "教": "英语 音乐",
    "喜欢": f"{FOOD} 茶 咖啡 牛奶 花 书 电影 猫 狗 鸟 马 音乐 英语 动物",
    "有": "书 猫 狗 鸟 马 羊 外套 裙子 桌子 椅子 箱子 杯子 车 床 房间 苹果 鸡蛋",
    "看": "电影 鸟",
}

VERBS: dict[str, Verb] = _table(
    Verb,
    """
    过 | guò | cross | crosses | crossed | crossing | crossed | pfg | person animal
    吃 | chī | eat | eats | ate | eating | eaten | pfgh | person
    喝 | hē | drink | drinks | drank | drinking | drunk | pfgh | person
    买 | mǎi | buy | buys | bought | buying | bought | pfg | person
    卖 | mài | sell | sells | sold | selling | sold | pf | person
    读 | dú | read | reads | read | reading | read | pfgh | person
    写 | xiě | write | writes | wrote | writing | written | pfg | person
    洗 | xǐ | wash | washes | washed | washing | washed | pfgh | person
    修 | xiū | repair | repairs | repaired | repairing | repaired | pfg | person
    搬 | bān | carry | carries | carried | carrying | carried | pfg | person
    喂 | wèi | feed | feeds | fed | feeding | fed | pfgh | person
    找到 | zhǎodào | find | finds | found | | found | pf | person
    看见 | kànjiàn | see | sees | saw | | seen | p | person
    """,
)

ADJECTIVES: dict[str, Adjective] = _table(
    Adjective,
    """
    累 | lèi | tired
    困 | kùn | sleepy
    饿 | è | hungry
    饱 | bǎo | full
    渴 | kě | thirsty
    忙 | máng | busy
    穷 | qióng | poor
    高兴 | gāoxìng | happy
    聪明 | cōngming | clever
    善良 | shànliáng | kind
    高 | gāo | tall | taller
    老 | lǎo | old | older
    大 | dà | big | bigger | 1
    小 | xiǎo | small | smaller | 1
    新 | xīn | new | newer | 1
    旧 | jiù | old | older | 1
    红 | hóng | red | | 1
    白 | bái | white | | 1
    黑 | hēi | black | | 1
    宽 | kuān | wide | wider
    长 | cháng | long | longer
    重 | zhòng | heavy | heavier
    快 | kuài | fast | faster
    贵 | guì | expensive
    便宜 | piányi | cheap | cheaper
    漂亮 | piàoliang | beautiful
    烫 | tàng | hot
    凉 | liáng | cold
    甜 | tián | sweet
    酸 | suān | sour
    苦 | kǔ | bitter
    硬 | yìng | hard
    难 | nán | difficult
    危险 | wēixiǎn | dangerous
    """,
)

#: Verbs without an object.
INTRANSITIVE: dict[str, Verb] = _table(
    Verb,
    """
    睡觉 | shuìjiào | sleep | sleeps | slept | sleeping | | pfgh | person animal
    跑步 | pǎobù | run | runs | ran | running | | pfgh | person
    游泳 | yóuyǒng | swim | swims | swam | swimming | | pfgh | person
    玩 | wán | play | plays | played | playing | | pfg | child animal
    来 | lái | come | comes | came | | | pf | person
    """,
)

#: Verbs that need sentence patterns of their own.
SPECIAL: dict[str, Verb] = _table(
    Verb,
    """
    去 | qù | go | goes | went | | | pfh | person
    关上 | guānshàng | close | closes | closed | closing | closed | pf | person
    打开 | dǎkāi | open | opens | opened | opening | opened | pf | person
    放 | fàng | put | puts | put | | put | pf | person
    给 | gěi | give | gives | gave | | | pf | person
    教 | jiāo | teach | teaches | taught | teaching | taught | fgh | person
    喜欢 | xǐhuan | like | likes | liked | | | h | person
    有 | yǒu | have | has | had | | | h | person
    看 | kàn | watch | watches | watched | watching | watched | pfg | person
    想 | xiǎng | want | wants | wanted | | | h | person
    """,
)

#: Nouns that only some sentences use.
EXTRA: dict[str, Noun] = _table(
    Noun,
    """
    英语 | yīngyǔ | english | | 个 | abstract | it |
    音乐 | yīnyuè | music | | 个 | abstract | it |
    家 | jiā | home | | 个 | place | it |
    """,
)

#: Personal pronouns: as a subject, as an object, and the possessive.
PRONOUNS: dict[str, tuple[str, str, str]] = {
    "我": ("i", "me", "my"),
    "你": ("you", "you", "your"),
    "他": ("he", "him", "his"),
    "她": ("she", "her", "her"),
    "我们": ("we", "us", "our"),
    "他们": ("they", "them", "their"),
}

#: Function words: reading and gloss; for times, places and numbers the gloss is the translation.
WORDS: dict[str, tuple[str, str]] = {
    "我": ("wǒ", "I"),
    "你": ("nǐ", "you"),
    "他": ("tā", "he"),
    "她": ("tā", "she"),
    "我们": ("wǒmen", "we"),
    "他们": ("tāmen", "they"),
    "昨天": ("zuótiān", "yesterday"),
    "今天": ("jīntiān", "today"),
    "明天": ("míngtiān", "tomorrow"),
    "上个星期": ("shàng ge xīngqī", "last week"),
    "下个星期": ("xià ge xīngqī", "next week"),
    "去年": ("qùnián", "last year"),
    "明年": ("míngnián", "next year"),
    "现在": ("xiànzài", "now"),
    "每天": ("měitiān", "every day"),
    "每个星期": ("měi ge xīngqī", "every week"),
    "经常": ("jīngcháng", "often"),
    "一": ("yī", "a"),
    "两": ("liǎng", "two"),
    "三": ("sān", "three"),
    "四": ("sì", "four"),
    "几": ("jǐ", "how many"),
    "这": ("zhè", "this"),
    "那": ("nà", "that"),
    "这些": ("zhèxiē", "these"),
    "那些": ("nàxiē", "those"),
    "很多": ("hěn duō", "many"),
    "里": ("li", "in"),
    "上": ("shang", "on"),
    "下面": ("xiàmian", "under"),
    "在": ("zài", "at"),
    "和": ("hé", "and"),
    "一起": ("yìqǐ", "together"),
    "的": ("de", "(of)"),
    "把": ("bǎ", "(object)"),
    "了": ("le", "(state)"),
    "没有": ("méiyǒu", "not"),
    "没": ("méi", "not"),
    "不": ("bù", "not"),
    "会": ("huì", "will"),
    "正在": ("zhèngzài", "(going on)"),
    "们": ("men", "(plural)"),
    "吗": ("ma", "(question)"),
    "谁": ("shéi", "who"),
    "什么": ("shénme", "what"),
    "哪里": ("nǎli", "where"),
    "什么时候": ("shénme shíhou", "when"),
    "为什么": ("wèi shénme", "why"),
    "比": ("bǐ", "than"),
    "很": ("hěn", "very"),
    "太": ("tài", "too"),
    "因为": ("yīnwèi", "because"),
    "所以": ("suǒyǐ", "so"),
    "但是": ("dànshì", "but"),
    "放不进": ("fàng bu jìn", "does not fit into"),
    "个": ("ge", "(measure)"),
    "所": ("suǒ", "(measure)"),
    "位": ("wèi", "(measure)"),
    "只": ("zhī", "(measure)"),
    "匹": ("pǐ", "(measure)"),
    "条": ("tiáo", "(measure)"),
    "座": ("zuò", "(measure)"),
    "朵": ("duǒ", "(measure)"),
    "块": ("kuài", "piece"),
    "杯": ("bēi", "cup"),
    "本": ("běn", "(measure)"),
    "封": ("fēng", "(measure)"),
    "部": ("bù", "(measure)"),
    "件": ("jiàn", "(measure)"),
    "张": ("zhāng", "(measure)"),
    "扇": ("shàn", "(measure)"),
    "辆": ("liàng", "(measure)"),
    "，": (",", ","),
    "？": ("?", "?"),
}
