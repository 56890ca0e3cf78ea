//! Fitted weights, written by `wherein-eval fit --write`; the command, the data and the date are in
//! docs/measurements.md, "Ranking". Not to be edited by hand.

/// Features of files: words, names, prose.
#[rustfmt::skip]
pub(super) const FILES: [(&str, [f32; 3]); 39] = [
    ("cosine", [2.4669, 0.9705, 2.2900]),
    ("rank_cosine", [0.1683, 0.4324, -0.0167]),
    ("bm25", [0.2137, 0.6597, 0.1457]),
    ("rank_bm25", [1.1268, -0.0224, 0.9422]),
    ("file_bm25", [0.6946, 0.1995, 0.6905]),
    ("coverage", [1.5972, 0.8745, 1.7025]),
    ("file_coverage", [0.3065, 0.8425, 0.3048]),
    ("symbol_match", [0.3826, -0.1556, 0.6667]),
    ("stem_match", [0.9710, 0.9242, 2.5133]),
    ("stem_place", [1.3207, 0.2200, 1.3449]),
    ("stem_affinity", [0.6515, 0.6430, 0.6224]),
    ("stem_capital", [1.0305, 1.1868, 1.0305]),
    ("stem_name", [-0.0003, 1.2948, -0.0004]),
    ("path_match", [7.3745, 3.6873, 10.1695]),
    ("defines_capital", [0.2055, 0.2857, 0.2055]),
    ("defines", [-0.0054, 2.5432, -0.0054]),
    ("defines_word", [0.9345, 1.7824, 1.4854]),
    ("sum_cosine", [0.4086, 0.6923, 0.2143]),
    ("sum_bm25", [0.3737, 0.8026, 0.1813]),
    ("mean_cosine", [0.2959, -0.0266, 0.2561]),
    ("path_bm25", [-0.2365, 0.2831, -0.2212]),
    ("named_coverage", [0.8808, 0.1169, 0.3178]),
    ("name_cosine", [0.2967, 0.2844, 0.2001]),
    ("size", [0.1207, 0.1051, 0.1035]),
    ("depth", [-0.3264, -0.0393, -0.3619]),
    ("face", [-0.4139, 1.4126, -0.6623]),
    ("shim", [0.3295, -0.4359, 0.3295]),
    ("test", [-3.4798, -0.4053, -3.4810]),
    ("example", [-1.9172, -0.6787, -1.5531]),
    ("generated", [-2.1248, -0.0475, -2.1405]),
    ("vendored", [0.0000, 0.0000, 0.0000]),
    ("legacy", [-0.7045, -0.3523, -0.7045]),
    ("prose", [-2.5621, -0.2939, -2.6902]),
    ("translation", [-3.8200, -1.0016, -4.0110]),
    ("changelog", [-2.5586, -0.7079, -2.6865]),
    ("data", [-2.3376, -0.2138, -2.3376]),
    ("stub", [-3.7506, -0.0294, -3.7506]),
    ("language", [6.4208, 3.2104, 6.4208]),
    ("asked", [1.2551, 0.6275, 0.9371]),
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
    ("cosine", 8.6690),
    ("coverage", 5.4606),
    ("named", 4.3185),
    ("noise", -1.8299),
    ("unknown", -3.2677),
    ("chunks", -0.6146),
    ("words", 6.2448),
    ("single", -0.7051),
    ("constant", -4.8767),
];
