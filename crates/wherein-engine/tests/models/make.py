"""Makes tiny models with random weights, and what the reference library computes with them.

    pip install torch==2.15.0 transformers==5.24.0 model2vec
    python make.py

writes a folder a model beside this file, each in the hub's layout, with `reference.json`: texts and what comes of them.
"""

import json
import pathlib
import shutil

import numpy
import torch
from model2vec import StaticModel
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertModel,
    NomicBertConfig,
    NomicBertModel,
    PreTrainedTokenizerFast,
    XLMRobertaConfig,
    XLMRobertaForSequenceClassification,
    XLMRobertaModel,
)

HERE = pathlib.Path(__file__).parent
TEXTS = [
    "where are retries scheduled",
    "¿Dónde se guardan las sesiones? Größe, naïve café.",
    "retry the request with backoff, then give up",
    "x",
    "a long text about queues and sessions " * 8,
]
PAIRS = [["where are retries", "retry the request"], ["dónde están las sesiones", "a queue of requests " * 6]]
CORPUS = TEXTS + ["sessions expire after an hour", "las sesiones se guardan en memoria", "queue drained before flush"]
SIZE = dict(hidden_size=16, num_attention_heads=2, num_hidden_layers=2, intermediate_size=32)


def wordpiece():
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(CORPUS, trainers.WordPieceTrainer(vocab_size=120, special_tokens=special))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def unigram():
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer.train_from_iterator(
        CORPUS, trainers.UnigramTrainer(vocab_size=120, special_tokens=special, unk_token="<unk>")
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


def spread(model):
    """Weights of random models are so small that every text looks alike; these are not."""
    torch.manual_seed(7)
    for name, parameter in model.named_parameters():
        wide = 0.5 if parameter.dim() > 1 else 0.2
        centre = 1.0 if "LayerNorm.weight" in name or "layernorm.weight" in name else 0.0
        parameter.data = centre + wide * torch.randn_like(parameter)
    return model.eval()


def encode(tokenizer, *texts, length=64):
    tokenizer.enable_truncation(length)
    one = tokenizer.encode(*texts)
    return dict(input_ids=torch.tensor([one.ids]), token_type_ids=torch.tensor([one.type_ids]))


def write(name, model, tokenizer, reference, extra=None):
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder)
    tokenizer.no_truncation()
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    for path, content in (extra or {}).items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(json.dumps(content))
    (folder / "reference.json").write_text(json.dumps(reference))


def vectors(model, tokenizer, pooling, prefix=""):
    out = []
    for text in TEXTS:
        inputs = encode(tokenizer, prefix + text)
        if "token_type_ids" in inputs and model.config.type_vocab_size < 2:
            inputs["token_type_ids"] *= 0
        rows = model(**inputs).last_hidden_state[0]
        vector = rows[0] if pooling == "cls" else rows.mean(0)
        vector = torch.nn.functional.normalize(vector, dim=0)
        out.append({"text": text, "vector": vector.tolist()})
    return out


def scores(model, tokenizer):
    out = []
    for question, passage in PAIRS:
        inputs = encode(tokenizer, question, passage)
        if model.config.type_vocab_size < 2:
            inputs["token_type_ids"] *= 0
        out.append({"question": question, "passage": passage, "score": model(**inputs).logits[0, 0].item()})
    return out


@torch.no_grad()
def main():
    pieces, units = wordpiece(), unigram()
    size = pieces.get_vocab_size()
    bert = spread(BertModel(BertConfig(vocab_size=size, max_position_embeddings=64, **SIZE), add_pooling_layer=False))
    write("bert", bert, pieces, vectors(bert, pieces, "cls"), {
        "1_Pooling/config.json": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
    })
    xlmr = spread(XLMRobertaModel(
        XLMRobertaConfig(vocab_size=units.get_vocab_size(), max_position_embeddings=66, type_vocab_size=1, **SIZE),
        add_pooling_layer=False,
    ))
    write("xlm-roberta", xlmr, units, vectors(xlmr, units, "mean", "query: "), {
        "config_sentence_transformers.json": {"prompts": {"query": "query: ", "document": "passage: "}},
    })
    nomic = spread(NomicBertModel(NomicBertConfig(vocab_size=size, max_position_embeddings=64, **SIZE)))
    write("nomic-bert", nomic, pieces, vectors(nomic, pieces, "mean"))
    cross = BertForSequenceClassification(BertConfig(vocab_size=size, max_position_embeddings=64, num_labels=1, **SIZE))
    write("cross-encoder", spread(cross), pieces, scores(cross, pieces))
    cross = XLMRobertaForSequenceClassification(XLMRobertaConfig(
        vocab_size=units.get_vocab_size(), max_position_embeddings=66, type_vocab_size=1, num_labels=1, **SIZE
    ))
    write("xlm-cross-encoder", spread(cross), units, scores(cross, units))

    table = numpy.random.default_rng(7).normal(size=(size, 16)).astype(numpy.float32)
    pieces.no_truncation()
    static = StaticModel(vectors=table, tokenizer=pieces, normalize=True)
    folder = HERE / "model2vec"
    shutil.rmtree(folder, ignore_errors=True)
    static.save_pretrained(folder)
    made = [{"text": text, "vector": static.encode(text).tolist()} for text in TEXTS]
    (folder / "reference.json").write_text(json.dumps(made))


main()
