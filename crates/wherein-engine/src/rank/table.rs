//! Fitted weights, written by `wherein-eval fit --write`; the command, the data and the date are in
//! docs/measurements.md, "Ranking". Not to be edited by hand.

/// Features of files: words, names, prose.
#[rustfmt::skip]
pub(super) const FILES: [(&str, [f32; 3]); 39] = [
    ("cosine", [2.4404, 0.9525, 2.2637]),
    ("rank_cosine", [0.1678, 0.4257, -0.0153]),
    ("bm25", [0.1610, 0.6027, 0.0933]),
    ("rank_bm25", [1.1338, -0.0400, 0.9503]),
    ("file_bm25", [0.7488, 0.4107, 0.7601]),
    ("coverage", [1.6167, 0.8497, 1.7242]),
    ("file_coverage", [0.2592, 0.8178, 0.2622]),
    ("symbol_match", [0.3878, -0.1640, 0.6749]),
    ("stem_match", [1.0045, 0.9376, 2.5568]),
    ("stem_place", [1.3173, 0.2061, 1.3430]),
    ("stem_affinity", [0.6423, 0.6528, 0.6014]),
    ("stem_capital", [1.0332, 1.1796, 1.0332]),
    ("stem_name", [-0.0003, 1.2920, -0.0004]),
    ("path_match", [7.4022, 3.7011, 10.2009]),
    ("defines_capital", [0.2172, 0.3092, 0.2172]),
    ("defines", [-0.0055, 2.5346, -0.0055]),
    ("defines_word", [0.9481, 1.7767, 1.5276]),
    ("sum_cosine", [0.4083, 0.6896, 0.2119]),
    ("sum_bm25", [0.3891, 0.7853, 0.1918]),
    ("mean_cosine", [0.3035, -0.0305, 0.2590]),
    ("path_bm25", [-0.2295, 0.3036, -0.2129]),
    ("named_coverage", [0.8610, 0.1132, 0.3025]),
    ("name_cosine", [0.2982, 0.2882, 0.2024]),
    ("size", [0.1141, 0.1077, 0.0979]),
    ("depth", [-0.3238, -0.0392, -0.3595]),
    ("face", [-0.4159, 1.4141, -0.6604]),
    ("shim", [0.3363, -0.4428, 0.3363]),
    ("test", [-3.4868, -0.4092, -3.4880]),
    ("example", [-1.9130, -0.6749, -1.5437]),
    ("generated", [-2.1482, -0.0448, -2.1637]),
    ("vendored", [0.0000, 0.0000, 0.0000]),
    ("legacy", [-0.6997, -0.3498, -0.6997]),
    ("prose", [-2.5466, -0.2781, -2.6739]),
    ("translation", [-3.7980, -0.9969, -3.9879]),
    ("changelog", [-2.5523, -0.6897, -2.6800]),
    ("data", [-2.3158, -0.2164, -2.3158]),
    ("stub", [-3.7468, -0.0272, -3.7468]),
    ("language", [6.4237, 3.2118, 6.4237]),
    ("asked", [1.2610, 0.6305, 0.9494]),
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
    ("cosine", 8.5655),
    ("coverage", 5.4570),
    ("named", 4.3374),
    ("noise", -1.9138),
    ("unknown", -3.2300),
    ("chunks", -0.6091),
    ("words", 6.3552),
    ("single", -0.6426),
    ("constant", -4.9254),
];
