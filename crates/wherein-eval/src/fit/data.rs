//! Truth sets → rows to fit on: every candidate of every query with what it is.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use wherein_engine::internals::{QueryKind, Study, Weights, study};
use wherein_engine::{Cancel, Config, Engine, Options, Query, Snapshot};
use wherein_eval::judge::{Found, Judged, file_of, is_right, judge};
use wherein_eval::truth::{self, Item, Set};

/// Truth sets with the weight of their queries.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) truth: PathBuf,
    pub(crate) checkouts: PathBuf,
    pub(crate) weight: f64,
    /// Search the whole checkouts, not the folders of the table.
    pub(crate) whole: bool,
}

/// A candidate file of a query.
pub(crate) struct FileRow {
    pub(crate) path: PathBuf,
    pub(crate) is_prose: bool,
    pub(crate) is_right: bool,
    pub(crate) features: Vec<f32>,
    pub(crate) passages: Vec<PassageRow>,
}

/// A candidate passage of a file.
pub(crate) struct PassageRow {
    pub(crate) lines: (u32, u32),
    pub(crate) is_right: bool,
    pub(crate) features: Vec<f32>,
}

/// One query with its candidates.
pub(crate) struct Sample<'a> {
    /// The repository, which is left out as a whole.
    pub(crate) repository: String,
    /// The folder of truth sets, for the tables; `whole` ones are trained on only.
    pub(crate) group: String,
    pub(crate) whole: bool,
    pub(crate) weight: f64,
    pub(crate) item: Item,
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) is_name: bool,
    /// Whether the deep lane ran.
    pub(crate) is_deep: bool,
    pub(crate) files: Vec<FileRow>,
    study: Study<'a>,
}

impl Sample<'_> {
    /// The page that these weights give, judged.
    pub(crate) fn judged(&self, weights: &Weights) -> Judged {
        let found = |(file, passage): &(usize, usize)| {
            let (file, passage) = (&self.files[*file], &self.files[*file].passages[*passage]);
            let path = file.path.to_string_lossy().into_owned();
            Found { file: file.path.clone(), path, lines: passage.lines, symbol: None, score: 1.0, bytes: 0 }
        };
        let page: Vec<Found> = self.study.page(weights).iter().map(found).collect();
        let folders: Vec<&Path> = self.folders.iter().map(PathBuf::as_path).collect();
        judge(&self.item, &page, &folders)
    }

    /// The best evidence of the page that these weights give, and whether deep vectors are part of it.
    pub(crate) fn evidence(&self, weights: &Weights) -> (Vec<f32>, bool) {
        self.study.evidence(weights)
    }
}

/// The corpora of some sources, indexed.
pub(crate) struct Corpora {
    opened: Vec<(Source, Set, Engine, Snapshot)>,
}

impl Corpora {
    /// Indexes each, in a folder.
    pub(crate) fn open(sources: &[Source], indexes: &Path) -> anyhow::Result<Corpora> {
        let mut opened = Vec::new();
        for source in sources {
            for set in truth::sets(&source.truth, &source.checkouts)? {
                let folder = if source.whole { &set.checkout } else { &set.folder };
                let engine = Engine::open(folder, Config::new(indexes))?;
                let options = Options { deep: !source.whole, ..Options::default() };
                engine.index(&options, &Cancel::new(), &mut |_| {})?;
                let snapshot = engine.snapshot()?;
                opened.push((source.clone(), set, engine, snapshot));
            }
        }
        Ok(Corpora { opened })
    }

    /// Measures every query, with and without deep vectors where there are some; `instead` asks other questions of every corpus that is no whole checkout.
    pub(crate) fn samples(&self, instead: Option<&[Item]>) -> anyhow::Result<Vec<Sample<'_>>> {
        let wanted = self.opened.iter().filter(|o| instead.is_none() || !o.0.whole);
        let wanted: Vec<_> = wanted.collect();
        let each = wanted
            .par_iter()
            .map(|(source, set, engine, snapshot)| of_set(source, set, (engine, snapshot), instead));
        Ok(each.collect::<anyhow::Result<Vec<_>>>()?.into_iter().flatten().collect())
    }
}

fn of_set<'a>(
    source: &Source,
    set: &Set,
    (engine, snapshot): (&Engine, &'a Snapshot),
    instead: Option<&[Item]>,
) -> anyhow::Result<Vec<Sample<'a>>> {
    let items = match instead {
        Some(items) => items.to_vec(),
        None => truth::read(&set.truth)?,
    };
    let folders = vec![set.folder.canonicalize()?, set.checkout.canonicalize()?];
    let group = source.truth.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut out = Vec::new();
    let config = Config::new("");
    let deep = study(snapshot, &Query::new("deep"), &config)?.is_deep();
    let weight = if deep { source.weight / 2.0 } else { source.weight };
    let tiers = if deep { &[false, true][..] } else { &[false][..] };
    for (item, deep) in items.iter().flat_map(|item| tiers.iter().map(move |deep| (item, *deep))) {
        let study = study(snapshot, &Query { deep, ..Query::new(&item.query) }, &config)?;
        let paths: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
        let targets: Vec<_> = item.targets().map(|t| (t, file_of(&paths, t.path))).collect();
        let mut files = Vec::new();
        for file in &study.files {
            let path = engine.root().join(&file.path);
            let right = |lines: (u32, u32)| {
                let found = Found {
                    file: path.clone(),
                    path: String::new(),
                    lines,
                    symbol: None,
                    score: 0.0,
                    bytes: 0,
                };
                targets.iter().any(|t| is_right(&found, t))
            };
            let passage = |(lines, features): &((u32, u32), Vec<f32>)| PassageRow {
                lines: *lines,
                is_right: right(*lines),
                features: features.clone(),
            };
            files.push(FileRow {
                is_prose: file.is_prose,
                is_right: right((0, u32::MAX)),
                features: file.features.clone(),
                passages: file.passages.iter().map(passage).collect(),
                path,
            });
        }
        drop(targets);
        let is_name = study.kind() == QueryKind::Symbol;
        out.push(Sample {
            repository: set.name.clone(),
            group: if deep { format!("{group}+deep") } else { group.clone() },
            whole: source.whole,
            weight,
            item: item.clone(),
            folders: folders.clone(),
            is_name,
            // A name is not asked of the deep model.
            is_deep: study.is_deep(),
            files,
            study,
        });
    }
    Ok(out)
}
