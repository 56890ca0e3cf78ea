//! Fitted weights, written by `wherein-eval fit --write`; the command, the data and the date are in
//! docs/measurements.md, "Ranking". Not to be edited by hand.

/// Features of files: words, names, prose.
#[rustfmt::skip]
pub(super) const FILES: [(&str, [f32; 3]); 41] = [
    ("cosine", [2.4113, 0.9430, 2.2738]),
    ("rank_cosine", [0.0563, 0.4207, -0.0920]),
    ("bm25", [0.4832, 0.5680, 0.4939]),
    ("rank_bm25", [1.0987, -0.0469, 0.9687]),
    ("file_bm25", [0.5054, 0.4118, 0.5587]),
    ("coverage", [1.3046, 0.8519, 1.4911]),
    ("file_coverage", [0.2615, 0.8195, 0.3379]),
    ("symbol_match", [1.4474, -0.1518, 1.6862]),
    ("stem_match", [1.0803, 0.9126, 3.1351]),
    ("stem_place", [1.3842, 0.2234, 1.4163]),
    ("stem_affinity", [0.6069, 0.6514, 0.6926]),
    ("stem_capital", [1.1301, 1.1767, 1.1301]),
    ("stem_name", [-0.0003, 1.2451, -0.0003]),
    ("folder_match", [5.0686, -0.7299, 5.7123]),
    ("path_match", [6.8548, 0.0000, 9.2116]),
    ("defines_capital", [0.1767, 0.3121, 0.1767]),
    ("defines", [-0.0023, 2.4493, -0.0023]),
    ("defines_word", [0.8854, 1.7692, 1.9142]),
    ("sum_cosine", [0.2696, 0.6664, 0.0955]),
    ("sum_bm25", [0.5941, 0.7922, 0.5566]),
    ("mean_cosine", [0.3301, -0.0302, 0.2777]),
    ("path_bm25", [-0.4852, 0.3666, -0.3539]),
    ("symbol_bm25", [-0.9607, 0.1035, -1.1526]),
    ("doc_bm25", [0.4007, 0.0996, -0.0554]),
    ("named_coverage", [1.1811, 0.0916, 0.9201]),
    ("name_cosine", [0.3623, 0.2771, 0.2819]),
    ("size", [0.1250, 0.1036, 0.1151]),
    ("depth", [-0.3423, -0.0380, -0.3695]),
    ("face", [-0.5929, 1.4796, -0.8012]),
    ("shim", [0.1130, -0.4599, 0.1130]),
    ("test", [-3.4271, -0.4063, -3.4286]),
    ("example", [-2.3440, -0.6337, -1.9835]),
    ("generated", [-1.9828, -0.0427, -2.0033]),
    ("vendored", [0.0000, 0.0000, 0.0000]),
    ("legacy", [-0.6447, 0.0000, -0.6447]),
    ("prose", [-2.6656, -0.2933, -2.7988]),
    ("translation", [-3.7442, -0.9410, -3.9314]),
    ("changelog", [-2.6965, -0.6496, -2.8313]),
    ("data", [-2.2566, -0.2168, -2.2566]),
    ("stub", [-3.6780, -0.0291, -3.6780]),
    ("language", [6.0296, 0.0000, 6.0296]),
];

/// Features of passages: code, prose.
#[rustfmt::skip]
pub(super) const PASSAGES: [(&str, [f32; 2]); 15] = [
    ("passage_cosine", [4.0140, 4.6780]),
    ("passage_bm25", [0.7305, 0.7907]),
    ("passage_coverage", [1.5078, 2.4783]),
    ("passage_symbol_bm25", [0.2612, -0.6198]),
    ("passage_doc_bm25", [0.7595, 0.1759]),
    ("passage_symbol_match", [0.9221, 3.0015]),
    ("passage_defines", [1.9867, 2.5782]),
    ("passage_defines_word", [1.0723, 2.3065]),
    ("passage_trail_match", [3.6836, 3.3458]),
    ("passage_type", [-0.1339, 0.0000]),
    ("passage_callable", [0.7765, 0.0000]),
    ("passage_plain", [-0.2628, -1.1173]),
    ("passage_first", [-0.5790, -0.4686]),
    ("passage_test", [-1.9554, 0.0000]),
    ("passage_length", [0.1819, 0.3233]),
];

/// Kinds of evidence, then the constant.
#[rustfmt::skip]
pub(super) const EVIDENCE: [(&str, f32); 9] = [
    ("cosine", 11.6433),
    ("coverage", 3.2980),
    ("named", 5.4484),
    ("noise", -3.5597),
    ("unknown", -3.5378),
    ("chunks", -0.7484),
    ("words", 8.1597),
    ("single", 5.8629),
    ("constant", -6.0953),
];
