//! The parts of the engine that decide its speed: parsing and chunking, analysing, embedding, the vector scan, a query end to end.
//!
//! `cargo bench -p wherein-engine`. Texts are the crate's own sources and samples, repeated; compare ratios, not single times.

use std::fs;
use std::path::Path;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use wherein_engine::internals::{
    Analyzer, Budget, LangId, QueryVector, StaticModel, Text, cosines, cosines_scalar, counter, cut, decode,
    outline, quantise,
};
use wherein_engine::{Cancel, Config, Embedder, Engine, Options, Query, Snapshot};

fn main() {
    divan::main();
}

/// The sample of a language, repeated to about 100 kB.
fn sample(id: &str) -> (LangId, Text) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lang/samples");
    let mut files = fs::read_dir(folder).expect("samples").filter_map(|e| Some(e.ok()?.path()));
    let path = files.find(|p| p.file_stem().is_some_and(|s| s == id)).expect("a sample");
    let one = fs::read(path).expect("readable");
    let text = decode(one.repeat(100_000 / one.len() + 1)).expect("text");
    (LangId::named(id).expect("a language"), text)
}

const LANGUAGES: [&str; 6] = ["rust", "python", "go", "java", "cpp", "typescript"];

#[divan::bench(args = LANGUAGES)]
fn parse_and_outline(bencher: Bencher<'_, '_>, id: &str) {
    let (lang, text) = sample(id);
    bencher.counter(BytesCount::of_str(&text.content)).bench(|| outline(&text.content, lang));
}

#[divan::bench(args = LANGUAGES)]
fn chunk(bencher: Bencher<'_, '_>, id: &str) {
    let (lang, text) = sample(id);
    let budget = Budget { max: 256, count: counter(false) };
    bencher
        .counter(BytesCount::of_str(&text.content))
        .bench(|| cut(&text, lang, outline(&text.content, lang).as_ref(), budget));
}

#[divan::bench]
fn analyse(bencher: Bencher<'_, '_>) {
    let (_, text) = sample("rust");
    let mut analyzer = Analyzer::default();
    bencher.counter(BytesCount::of_str(&text.content)).bench_local(|| {
        let mut terms = 0usize;
        analyzer.for_each(&text.content, |_| terms += 1);
        terms
    });
}

#[divan::bench]
fn embed(bencher: Bencher<'_, '_>) {
    let (_, text) = sample("rust");
    let model = StaticModel::get();
    let mut vector = vec![0.0; model.dimensions()];
    bencher
        .counter(BytesCount::of_str(&text.content))
        .bench_local(|| model.write(&text.content, &mut vector));
}

#[divan::bench]
fn count_prose_pieces(bencher: Bencher<'_, '_>) {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("models/static-code-128/MODEL.md"))
            .expect("prose");
    bencher.counter(BytesCount::of_str(&text)).bench(|| counter(true)(&text));
}

/// A matrix of pseudo-random rows and a query.
fn matrix(rows: usize) -> (QueryVector, Vec<i8>, Vec<f32>) {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    let mut bytes = vec![0i8; rows * 128];
    let scales = bytes
        .chunks_exact_mut(128)
        .map(|row| quantise(&std::array::from_fn::<f32, 128, _>(|_| next()), row))
        .collect();
    (QueryVector::new(&std::array::from_fn::<f32, 128, _>(|_| next())).expect("not zero"), bytes, scales)
}

#[divan::bench(args = [5_000, 150_000, 1_000_000])]
fn vector_scan(bencher: Bencher<'_, '_>, rows: usize) {
    let (query, bytes, scales) = matrix(rows);
    let mut out = vec![0.0; rows];
    bencher.counter(ItemsCount::new(rows)).bench_local(|| cosines(&query, &bytes, &scales, &mut out));
}

#[divan::bench(args = [5_000, 150_000])]
fn vector_scan_baseline(bencher: Bencher<'_, '_>, rows: usize) {
    let (query, bytes, scales) = matrix(rows);
    let mut out = vec![0.0; rows];
    bencher.counter(ItemsCount::new(rows)).bench_local(|| cosines_scalar(&query, &bytes, &scales, &mut out));
}

/// Words of a made-up language, the first ones common, the last ones rare, as in natural text.
struct Words(u64);

impl Words {
    const COUNT: usize = 8_000;

    fn word(rank: usize) -> String {
        const SYLLABLES: [&str; 20] = [
            "ba", "co", "di", "fu", "ge", "ha", "jo", "ki", "lu", "me", "no", "pa", "qui", "ro", "su", "ta",
            "ve", "wo", "xi", "zu",
        ];
        [rank % 20, rank / 20 % 20, rank / 400].iter().map(|i| SYLLABLES[i % 20]).collect()
    }

    /// A word by Zipf's law.
    fn next(&mut self) -> String {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let share = (self.0 >> 40) as f64 / (1u64 << 24) as f64;
        Words::word((Words::COUNT as f64).powf(share) as usize)
    }
}

/// An index of about so many chunks over generated python files.
fn indexed(chunks: usize) -> (tempfile::TempDir, Engine, Snapshot) {
    let mut words = Words(7);
    let dir = tempfile::tempdir().expect("a folder");
    let root = dir.path().join("root");
    for i in 0..chunks {
        let folder = root.join(format!("m{}", i / 500));
        fs::create_dir_all(&folder).expect("a folder");
        let mut phrase = |n: usize, glue: &str| (0..n).map(|_| words.next()).collect::<Vec<_>>().join(glue);
        let name = phrase(3, "_");
        let text = format!(
            "def {name}(x):\n    \"\"\"{}.\"\"\"\n    return {}\n",
            phrase(12, " "),
            phrase(20, " + ")
        );
        fs::write(folder.join(format!("{name}_{i}.py")), text).expect("a file");
    }
    let engine = Engine::open(&root, Config::new(dir.path().join("data"))).expect("an engine");
    engine.index(&Options::default(), &Cancel::new(), &mut |_| {}).expect("an index");
    let snapshot = engine.snapshot().expect("a snapshot");
    (dir, engine, snapshot)
}

#[divan::bench(args = [5_000, 150_000], sample_count = 50)]
fn query(bencher: Bencher<'_, '_>, chunks: usize) {
    let (_dir, engine, snapshot) = indexed(chunks);
    let mut words = Words(99);
    let mut phrase = |n: usize| (0..n).map(|_| words.next()).collect::<Vec<_>>().join(" ");
    let queries: Vec<Query> = [3, 4, 5, 6, 3, 4, 5, 6].map(|n| Query::new(phrase(n))).into();
    let mut turn = 0;
    bencher.bench_local(|| {
        turn += 1;
        engine.search_in(&snapshot, &queries[turn % queries.len()])
    });
}
