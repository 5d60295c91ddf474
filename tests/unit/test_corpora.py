"""What a model learns from is the training part alone, its vocabulary included."""

import pytest

from attnsteps.cli.corpora import learn_tokens, read


@pytest.fixture(scope="module")
def corpus():
    return read("generated", num_pairs=40)


def test_a_vocabulary_holds_the_words_of_the_training_part_and_no_other(corpus):
    tokens = learn_tokens(corpus, num_merges=0)
    for side, vocab in ((0, tokens.src_vocab), (1, tokens.tgt_vocab)):
        trained = {word for pair in corpus.train for word in pair[side]}
        assert set(vocab.to_list()[5:]) == trained
    unseen = {word for sentence in corpus.parts["unseen"] for word in sentence.pair.src}
    assert tokens.src_vocab.unknown(unseen)  # 40 sentences do not hold every word


def test_the_other_parts_do_not_change_the_tokens(corpus):
    alone = corpus._replace(parts={})
    before, after = (learn_tokens(each, num_merges=0) for each in (alone, corpus))
    assert before == after
