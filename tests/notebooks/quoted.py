"""Numbers in the prose that no cell computes: from papers, from Python, or for the pencil.

A new one is listed here on purpose; a mistyped one fails `test_prose.py`.
"""

QUOTED: dict[str, set[str]] = {
    "01_sequence_to_sequence": {"11.11", "2,000"},
    "02_text": {"5.1", "255", "256", "37,000"},
    "03_embedding": {"0.044", "136"},
    "04_query_key_value": {"512"},
    "05_scaling": {"22,026", "65,504", "102,400"},
    "06_softmax": {"102", "104"},
    "07_attention": {"5.4"},
    "08_multi_head": {"0.4"},
    "09_masks": {"17", "99"},
    "10_positional": {"17", "0.707", "3.5", "25.7", "25.8", "700"},
    "11_residual_and_norm": {"15", "0.00001", "0.001", "10,000", "100,000,000"},
    "12_feed_forward": {"3.3", "2,000"},
    "13_encoder": {"13", "0.003", "3.1", "99.5"},
    "14_decoder": {"3.1", "14", "28", "75", "95", "99"},
    "15_transformer": {"64.5", "65.5", "41,000"},
    "16_training": {"17", "0.09", "0.80", "73", "256", "4,800", "40,000"},
    "17_decoding": {"14", "19", "32", "6.1"},
    "18_non_autoregressive": {"2018", "2021", "2022"},
    "19_inside": {"2.3", "32"},
    "20_scale": {"19", "0.003", "5.1", "4,096", "29,000", "100,000"},
    "21_family": {"15", "597", "800"},
    "22_since_2017": {"0.707", "25", "57"},
    "23_your_own_sentence": {"4.5", "202", "300", "6,000"},
    "bug_zoo": {"14", "15", "18", "19"},
    "ledger": {
        "0.05",
        "0.997",
        "6.1",
        "32",
        "50",
        "2,500",
        "3,000",
        "8,000",
        "25,000",
        "32,768",
        "100,000",
    },
}
