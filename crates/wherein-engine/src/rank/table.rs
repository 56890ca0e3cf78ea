//! Fitted weights, written by `wherein-eval fit --write`; the command, the data and the date are in
//! docs/measurements.md, "Ranking". Not to be edited by hand.

/// Features of files: words, names, prose.
#[rustfmt::skip]
pub(super) const FILES: [(&str, [f32; 3]); 41] = [
    ("cosine", [2.4518, 0.9460, 2.2722]),
    ("rank_cosine", [0.0762, 0.4280, -0.1094]),
    ("bm25", [0.8206, 0.5758, 0.7508]),
    ("rank_bm25", [1.1012, -0.0412, 0.9149]),
    ("file_bm25", [0.5432, 0.4139, 0.5311]),
    ("coverage", [1.2228, 0.8508, 1.3089]),
    ("file_coverage", [0.2810, 0.8188, 0.2908]),
    ("symbol_match", [1.5557, -0.1547, 1.6679]),
    ("stem_match", [1.0873, 0.9314, 2.8735]),
    ("stem_place", [1.3553, 0.2240, 1.4197]),
    ("stem_affinity", [0.5686, 0.6453, 0.5461]),
    ("stem_capital", [1.1308, 1.1760, 1.1308]),
    ("stem_name", [-0.0002, 1.2334, -0.0002]),
    ("folder_match", [5.0367, -0.7237, 5.9351]),
    ("path_match", [7.0006, 3.5003, 9.6690]),
    ("defines_capital", [0.1668, 0.3116, 0.1668]),
    ("defines", [-0.0016, 2.4561, -0.0016]),
    ("defines_word", [1.1691, 1.7769, 1.7550]),
    ("sum_cosine", [0.2781, 0.6665, 0.0879]),
    ("sum_bm25", [0.6513, 0.8192, 0.5494]),
    ("mean_cosine", [0.3219, -0.0313, 0.2676]),
    ("path_bm25", [-0.4955, 0.3696, -0.3535]),
    ("symbol_bm25", [-1.0280, 0.1365, -1.2500]),
    ("named_coverage", [1.0863, 0.0938, 0.7796]),
    ("name_cosine", [0.3634, 0.2777, 0.2851]),
    ("size", [0.1327, 0.1049, 0.1159]),
    ("depth", [-0.3531, -0.0379, -0.3889]),
    ("face", [-0.5786, 1.4780, -0.7926]),
    ("shim", [0.1074, -0.4489, 0.1074]),
    ("test", [-3.4737, -0.4112, -3.4753]),
    ("example", [-2.3939, -0.6312, -2.0597]),
    ("generated", [-2.0385, -0.0420, -2.0645]),
    ("vendored", [0.0000, 0.0000, 0.0000]),
    ("legacy", [-0.6456, -0.3228, -0.6456]),
    ("prose", [-2.4999, -0.2925, -2.6249]),
    ("translation", [-3.7900, -0.9398, -3.9795]),
    ("changelog", [-2.6995, -0.6645, -2.8345]),
    ("data", [-2.4316, -0.2152, -2.4316]),
    ("stub", [-3.8103, -0.0279, -3.8103]),
    ("language", [6.2274, 3.1137, 6.2274]),
    ("asked", [1.4940, 0.7470, 1.1857]),
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
    ("cosine", 8.4906),
    ("coverage", 5.1913),
    ("named", 4.3731),
    ("noise", -1.6991),
    ("unknown", -3.2718),
    ("chunks", -0.6033),
    ("words", 6.1453),
    ("single", -0.7258),
    ("constant", -4.6997),
];
