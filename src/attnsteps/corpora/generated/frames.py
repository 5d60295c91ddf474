"""The frames of the pronoun sentences: which adjectives explain which action, and of whom."""

from typing import NamedTuple


class Frame(NamedTuple):
    """An action, done or not, with the adjectives that explain it."""

    verb: str
    objects: str
    of_subject: str  # adjectives that can only describe who did it
    of_object: str  # adjectives that can only describe the object
    doers: str = "person"  # person, animal
    done: bool = False  # done: 了, and 很 in the reason; not done: 没有, and 太


FRAMES = (
    Frame("过", "马路", "累 困 老", "宽 危险", "person animal animal"),
    Frame("过", "河", "累 困 老", "宽 危险", "person animal animal"),
    Frame("过", "桥", "累 困 老", "长 旧 危险", "person animal animal"),
    Frame("吃", "苹果", "饱 困 忙", "酸 硬"),
    Frame("吃", "面包", "饱 困 忙", "硬 凉"),
    Frame("吃", "蛋糕", "饱 困 忙", "甜 硬 凉"),
    Frame("吃", "鱼 鸡蛋", "饱 困 忙", "凉"),
    Frame("喝", "茶 咖啡", "困 忙 饱", "烫 凉 苦 甜"),
    Frame("喝", "牛奶", "困 忙 饱", "烫 凉 甜"),
    Frame("买", "外套 裙子 桌子 椅子 车 床", "穷 忙 累", "贵 旧"),
    Frame("搬", "桌子 椅子 箱子 床", "累 老 困", "重"),
    Frame("读", "书 信", "累 困 忙", "长 难"),
    Frame("看", "电影", "累 困 忙", "长 旧"),
    Frame("修", "车 桌子 椅子 床", "累 老 忙", "旧"),
    Frame("吃", "苹果 面包 蛋糕 鱼 鸡蛋", "饿", "便宜", done=True),
    Frame("喝", "茶 咖啡 牛奶", "渴", "便宜", done=True),
    Frame("卖", "外套 车 床 桌子 裙子", "穷", "旧", done=True),
    Frame("喂", "猫 狗 鸟 马", "善良", "饿", done=True),
)

#: Containers and what doesn't fit into them: the contents are too 大, the container is too 小.
FITS = (
    ("箱子", "书 外套 裙子 杯子 蛋糕 面包 鱼 苹果 花"),
    ("杯子", "鸡蛋 花 苹果 蛋糕"),
    ("车", "桌子 床 箱子 椅子"),
    ("房间", "桌子 床 箱子 椅子"),
)
GROWN_UP = "男人 女人 老师 医生 妈妈 爸爸 朋友"
