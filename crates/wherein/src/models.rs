//! The models that were added: a folder each, below the data folder. Adding copies files, and downloads them only when told to.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use wherein_engine::{Card, Known, ModelInfo, REFERENCES, describe_model};

use crate::download::{Hub, fetch};
use crate::ui::Ui;

/// Files of a model that are needed.
const NEEDED: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];
/// Files that say more of it, where they are.
const OPTIONAL: [&str; 5] = [
    "modules.json",
    "1_Pooling/config.json",
    "config_sentence_transformers.json",
    "sentence_bert_config.json",
    REFERENCES,
];

/// The folder of added models.
pub(crate) struct Models {
    pub(crate) folder: PathBuf,
}

impl Models {
    /// The folders of what was added.
    pub(crate) fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.path());
        entries.filter(|path| path.join("wherein.json").is_file())
    }

    /// What was added, by name; one that can't be read is told.
    pub(crate) fn list(&self, ui: &Ui) -> Vec<ModelInfo> {
        let mut out: Vec<ModelInfo> = Vec::new();
        for folder in self.folders() {
            match Card::read(&folder) {
                Ok(card) => out.push(ModelInfo::of_card(&folder, card)),
                Err(error) => ui.say(format!("note: {error}")),
            }
        }
        out.sort_by(|a, b| a.name.cmp(&b.name));
        out
    }

    /// The folder of a model by its name.
    ///
    /// # Errors
    /// Where it was not added; says how it can be.
    pub(crate) fn find(&self, name: &str) -> anyhow::Result<PathBuf> {
        if let Ok(sound) = sound(name) {
            let folder = self.folder.join(sound);
            if folder.join("wherein.json").is_file() {
                return Ok(folder);
            }
        }
        match Known::find(name) {
            Some(_) => bail!(
                "the model {name} is not on this machine; `wherein model add FOLDER` takes its files from a folder, \
                 `wherein model add {name} --download` fetches them"
            ),
            None => bail!(
                "there is no model {name:?}; `wherein model list` names those that there are, `wherein model add FOLDER` adds one"
            ),
        }
    }

    /// Adds the model of a folder in the hub's layout.
    pub(crate) fn add_folder(&self, from: &Path, name: Option<&str>) -> anyhow::Result<ModelInfo> {
        let from = from.canonicalize().with_context(|| format!("open {}", from.display()))?;
        let name = sound(&name.map_or_else(|| name_of(&from), |name| Ok(name.to_owned()))?)?;
        let part = self.part(&name)?;
        for file in NEEDED {
            let source = from.join(file);
            ensure!(
                source.is_file(),
                "{} has no {file}; a model's folder has {} (weights as safetensors, not as a pickle)",
                from.display(),
                NEEDED.join(", ")
            );
            copy(&source, &part.join(file))?;
        }
        for file in OPTIONAL.iter().filter(|file| from.join(file).is_file()) {
            copy(&from.join(file), &part.join(file))?;
        }
        self.finish(&part, &name)
    }

    /// Adds a model from the hub; files that an earlier try fetched in part are gone on with.
    pub(crate) fn download(
        &self,
        (model, name): (&str, Option<&str>),
        hub: &Hub,
        ui: &Ui,
    ) -> anyhow::Result<ModelInfo> {
        let known = Known::find(model);
        let path = known.map_or(model, |known| known.hub);
        ensure!(
            path.split('/').count() == 2,
            "{model:?} is no model that is known, and no name on the hub such as {}",
            Known::find("bge-small").map_or("owner/name", |k| k.hub)
        );
        let last = path.rsplit('/').next().unwrap_or(path);
        let name = match (name, known) {
            (Some(name), _) => name.to_owned(),
            (None, Some(known)) => known.name.to_owned(),
            // Somebody else's model of a known one's name is not that one.
            (None, None) if Known::find(last).is_some() => path.replace('/', "--"),
            (None, None) => last.to_owned(),
        };
        let name = sound(&name)?;
        let part = self.folder.join(format!("{name}.part"));
        fs::create_dir_all(&part).with_context(|| format!("create {}", part.display()))?;
        for file in NEEDED {
            ensure!(fetch(hub, path, file, &part, ui)?, "{path} has no {file} on the hub");
        }
        for file in OPTIONAL {
            fetch(hub, path, file, &part, ui)?;
        }
        self.finish(&part, &name)
    }

    /// An empty folder to put a model into.
    fn part(&self, name: &str) -> anyhow::Result<PathBuf> {
        let part = self.folder.join(format!("{name}.part"));
        if part.exists() {
            fs::remove_dir_all(&part).with_context(|| format!("remove {}", part.display()))?;
        }
        fs::create_dir_all(&part).with_context(|| format!("create {}", part.display()))?;
        Ok(part)
    }

    /// Loads what was put into a folder, describes it and gives it its name.
    fn finish(&self, part: &Path, name: &str) -> anyhow::Result<ModelInfo> {
        let described = describe_model(part, name);
        if described.is_err() {
            // What is no model is not gone on with by another try.
            fs::remove_dir_all(part).with_context(|| format!("remove {}", part.display()))?;
        }
        let card = described?;
        card.write(part)?;
        let folder = self.folder.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("remove {}", folder.display()))?;
        }
        fs::rename(part, &folder).with_context(|| format!("rename {}", part.display()))?;
        Ok(ModelInfo::of_card(&folder, card))
    }
}

/// A name under which a model can be kept: a known one's is that; none leads to another folder or stands for a model in the program.
fn sound(name: &str) -> anyhow::Result<String> {
    let name = Known::find(name).map_or(name, |known| known.name);
    let is_part = ["", ".", ".."].contains(&name) || name.ends_with(".part") || name.contains(['/', '\\']);
    ensure!(!is_part, "{name:?} is no name for a model");
    ensure!(
        wherein_engine::model(name).is_none(),
        "{name} is the name of a model in the program; give another with --name"
    );
    Ok(name.to_owned())
}

/// A model's name by its folder: also of a snapshot in the hub's cache, `models--OWNER--NAME/snapshots/REVISION`.
fn name_of(folder: &Path) -> anyhow::Result<String> {
    let part = |path: Option<&Path>| path.and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned());
    let of_cache = part(folder.ancestors().nth(2)).filter(|name| name.starts_with("models--"));
    let name = match of_cache {
        Some(name) => name.rsplit("--").next().map(str::to_owned),
        None => part(Some(folder)),
    };
    name.with_context(|| format!("{} has no name; give one with --name", folder.display()))
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    }
    fs::copy(from, to).map(drop).with_context(|| format!("copy {}", from.display()))
}
