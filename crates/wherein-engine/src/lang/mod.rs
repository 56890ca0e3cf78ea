//! The one table of languages: how a file's language is recognised, which grammar and which query cut it.
//!
//! A language is a row of [`LANGUAGES`] and a file in `queries/`. A query captures each definition node under the
//! name of its [`Kind`](crate::types::Kind), its name node as `@name`, and comments and docstrings as `@doc`. Where
//! patterns share a name node the earlier one gives the kind, the widest one the place. A definition without `@name` is
//! named by what its fields lead to. Patterns are kept flat, since a large grammar takes long to compile deep ones.
//! The room refuses to look at more than a path and the first line.

mod table;

use std::num::NonZeroU16;
use std::sync::OnceLock;

use tree_sitter::{Language as Grammar, Query};

pub use table::LANGUAGES;

/// How the chunker treats a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Program text.
    Code,
    /// Prose: its budget is counted with the transformer's word pieces.
    Prose,
    /// Data and configuration.
    Data,
    /// Markup and style sheets.
    Markup,
}

/// What cuts a language.
#[derive(Clone, Copy)]
pub enum Cutter {
    /// A tree-sitter grammar with its query.
    Syntax {
        /// The grammar.
        grammar: fn() -> Grammar,
        /// The text of its query file.
        query: &'static str,
    },
    /// Headings of a markdown document.
    Markdown,
    /// Windows of lines.
    Lines,
}

/// One row of the table.
pub struct Language {
    /// The name in JSON and in `--lang`.
    pub id: &'static str,
    /// Other names that `--lang` accepts.
    pub aliases: &'static [&'static str],
    /// File extensions, lower case, without the dot.
    pub extensions: &'static [&'static str],
    /// Whole file names, lower case.
    pub names: &'static [&'static str],
    /// Interpreters of a `#!` line.
    pub shebangs: &'static [&'static str],
    /// How it is budgeted and ranked.
    pub form: Form,
    /// How it is cut.
    pub cutter: Cutter,
}

/// A row's place in [`LANGUAGES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LangId(pub u8);

impl LangId {
    /// The language of last resort: plain text, cut by lines.
    pub const TEXT: LangId = LangId(0);

    /// The row. Unknown numbers are plain text.
    pub fn row(self) -> &'static Language {
        LANGUAGES.get(usize::from(self.0)).unwrap_or(&LANGUAGES[0])
    }

    /// Whether it is prose.
    pub fn is_prose(self) -> bool {
        self.row().form == Form::Prose
    }

    /// The language's name in JSON.
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// Recognises a language by file name, extension, then the first line of the text.
    pub fn detect(path: &str, text: &str) -> LangId {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        if let Some(found) = find(|row| row.names.contains(&name.as_str())) {
            return found;
        }
        if let Some((_, extension)) = name.rsplit_once('.')
            && let Some(found) = find(|row| row.extensions.contains(&extension))
        {
            return found;
        }
        shebang(text).and_then(|program| find(|row| row.shebangs.contains(&program))).unwrap_or(LangId::TEXT)
    }

    /// The language that a user calls `name`: by id, alias or extension, ignoring case.
    pub fn named(name: &str) -> Option<LangId> {
        let name = name.to_lowercase();
        let name = name.trim_start_matches('.');
        find(|row| row.id == name || row.aliases.contains(&name) || row.extensions.contains(&name))
    }

    /// Whether a grammar of foreign code cuts it.
    pub fn query_needed(self) -> bool {
        matches!(self.row().cutter, Cutter::Syntax { .. })
    }

    /// The compiled query, built once a process; `None` for languages without a grammar.
    ///
    /// # Panics
    /// If a query file does not fit its grammar, which a test of this room rules out.
    pub fn query(self) -> Option<&'static CompiledQuery> {
        static COMPILED: [OnceLock<CompiledQuery>; LANGUAGES.len()] =
            [const { OnceLock::new() }; LANGUAGES.len()];
        let Cutter::Syntax { grammar, query } = self.row().cutter else { return None };
        let cell = COMPILED.get(usize::from(self.0))?;
        Some(cell.get_or_init(|| CompiledQuery::new(grammar(), query)))
    }
}

/// A grammar with its query and what each capture means.
pub struct CompiledQuery {
    /// The grammar.
    pub grammar: Grammar,
    /// The query.
    pub query: Query,
    /// Meaning of each capture index.
    pub captures: Vec<Capture>,
    /// Fields that lead from a declaration to its name, in the order they are tried.
    pub name_fields: Vec<NonZeroU16>,
}

/// The names of [`CompiledQuery::name_fields`], where a grammar has them.
const NAME_FIELDS: [&str; 6] = ["declarator", "name", "definition", "pattern", "bound_identifier", "left"];

/// What a capture of a query file stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capture {
    /// A definition of this kind.
    Definition(crate::types::Kind),
    /// The name of the definition in the same match.
    Name,
    /// A comment or docstring.
    Doc,
    /// A node that only a predicate of the query looks at; its name begins with `_`.
    Helper,
}

impl CompiledQuery {
    #[expect(clippy::expect_used, reason = "query files are compiled in and each is compiled by a test")]
    fn new(grammar: Grammar, source: &str) -> Self {
        let query = Query::new(&grammar, source).expect("query fits its grammar");
        let captures = query
            .capture_names()
            .iter()
            .map(|name| match *name {
                "name" => Capture::Name,
                "doc" => Capture::Doc,
                helper if helper.starts_with('_') => Capture::Helper,
                kind => Capture::Definition(crate::types::Kind::from_name(kind).expect("capture is a kind")),
            })
            .collect();
        let name_fields = NAME_FIELDS.iter().filter_map(|name| grammar.field_id_for_name(name)).collect();
        CompiledQuery { grammar, query, captures, name_fields }
    }
}

fn find(test: impl Fn(&Language) -> bool) -> Option<LangId> {
    LANGUAGES.iter().position(test).and_then(|i| u8::try_from(i).ok()).map(LangId)
}

/// The program of a `#!` line: the last part of its path, or what `env` starts.
fn shebang(text: &str) -> Option<&str> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|w| !w.starts_with('-'))?;
    }
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

#[cfg(test)]
mod tests;
