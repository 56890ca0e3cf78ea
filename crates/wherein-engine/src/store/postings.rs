//! The lexical fields in tantivy: its schema, its tokenizer over our analyser, its writer, and postings of live chunks.
//! Every tantivy type stays in this file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tantivy::directory::MmapDirectory;
use tantivy::index::{SegmentComponent, SegmentId};
use tantivy::indexer::LogMergePolicy;
use tantivy::schema::{
    FAST, Field as TantivyField, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing,
    TextOptions,
};
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};
use tantivy::{Index, IndexWriter, SegmentMeta, SegmentReader, TantivyDocument, Term};

use crate::error::{Error, IoContext, Result};
use crate::lexical::{Field, Posting};
use crate::source::Stat;
use crate::text::Analyzer;

use super::slots::{Chunks, Moved};

const TOKENIZER: &str = "wherein";
/// Memory in which postings are gathered before a segment is cut.
const WRITER_MEMORY: usize = 96 << 20;
/// The folder inside an epoch.
const FOLDER: &str = "postings";
/// How old a file is before its time tells it from another: well above the tick of a file system's clock.
const SETTLED: Duration = Duration::from_millis(100);
/// Chunk slots of dead documents.
const DEAD: u32 = u32::MAX;

/// The fields of a document.
#[derive(Clone, Copy)]
struct Fields {
    text: [TantivyField; Field::ALL.len()],
    /// The chunk's number.
    no: TantivyField,
    /// The first chunk number of its file: what a file's documents are deleted by.
    file: TantivyField,
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let indexing =
        TextFieldIndexing::default().set_tokenizer(TOKENIZER).set_index_option(IndexRecordOption::WithFreqs);
    let options = TextOptions::default().set_indexing_options(indexing);
    let text = Field::ALL.map(|f| builder.add_text_field(f.name(), options.clone()));
    let no = builder.add_u64_field("no", NumericOptions::default() | FAST);
    let file = builder.add_u64_field("file", NumericOptions::default() | INDEXED);
    (builder.build(), Fields { text, no, file })
}

fn failed(dir: &Path, error: &tantivy::TantivyError) -> Error {
    Error::Storage { path: dir.to_path_buf(), message: error.to_string() }
}

fn open_index(dir: &Path, create: bool) -> Result<(Index, Fields)> {
    let (schema, fields) = schema();
    let open = || -> tantivy::Result<Index> {
        let directory = MmapDirectory::open(dir)?;
        if create { Index::open_or_create(directory, schema.clone()) } else { Index::open(directory) }
    };
    let index = open().map_err(|e| failed(dir, &e))?;
    if index.schema() != schema {
        return Err(Error::Damaged {
            path: dir.join("meta.json"),
            detail: "it names other fields".to_owned(),
        });
    }
    index.tokenizers().register(TOKENIZER, TextAnalyzer::from(Lexer::default()));
    Ok((index, fields))
}

/// Whether an epoch has ever been committed to.
pub(super) fn exists(epoch: &Path) -> bool {
    epoch.join(FOLDER).join("meta.json").is_file()
}

/// What the disk says of the file that each commit replaces; `None` where it does not tell files apart, or the file is so young that another
/// could bear the same time.
pub(super) fn stamp(epoch: &Path) -> Option<Stat> {
    let meta = std::fs::symlink_metadata(epoch.join(FOLDER).join("meta.json")).ok()?;
    let is_settled = meta.modified().ok()?.elapsed().is_ok_and(|age| age > SETTLED);
    Some(Stat::of(&meta)).filter(|stat| stat.inode != 0 && is_settled)
}

/// What a chunk says in each field.
pub(super) struct Document<'a> {
    pub no: u32,
    pub file: u32,
    pub text: [&'a str; Field::ALL.len()],
}

/// Adds and deletes documents, and commits.
pub(super) struct PostingsWriter {
    dir: PathBuf,
    writer: IndexWriter,
    fields: Fields,
}

impl PostingsWriter {
    pub(super) fn open(epoch: &Path) -> Result<Self> {
        let dir = epoch.join(FOLDER);
        std::fs::create_dir_all(&dir).context("create", &dir)?;
        let (index, fields) = open_index(&dir, true)?;
        let writer: IndexWriter =
            index.writer_with_num_threads(1, WRITER_MEMORY).map_err(|e| failed(&dir, &e))?;
        writer.set_merge_policy(Box::new(LogMergePolicy::default()));
        // A commit that was killed may have left files under names that the next one would choose again.
        writer.garbage_collect_files().wait().map_err(|e| failed(&dir, &e))?;
        Ok(PostingsWriter { dir, writer, fields })
    }

    pub(super) fn add(&self, document: &Document<'_>) -> Result<()> {
        let mut out = TantivyDocument::default();
        for (field, text) in self.fields.text.iter().zip(document.text) {
            if !text.is_empty() {
                out.add_text(*field, text);
            }
        }
        out.add_u64(self.fields.no, u64::from(document.no));
        out.add_u64(self.fields.file, u64::from(document.file));
        self.writer.add_document(out).map(drop).map_err(|e| failed(&self.dir, &e))
    }

    /// Deletes the documents of the file whose first chunk has this number.
    pub(super) fn delete_file(&self, first_no: u32) {
        self.writer.delete_term(Term::from_field_u64(self.fields.file, u64::from(first_no)));
    }

    /// Makes everything so far, and the payload, the next generation.
    pub(super) fn commit(&mut self, payload: &str) -> Result<()> {
        let mut commit = || {
            let mut prepared = self.writer.prepare_commit()?;
            prepared.set_payload(payload);
            prepared.commit()
        };
        commit().map(drop).map_err(|e| failed(&self.dir, &e))
    }

    /// Waits for merges under way.
    pub(super) fn finish(self) -> Result<()> {
        self.writer.wait_merging_threads().map_err(|e| failed(&self.dir, &e))
    }
}

/// The payload of the last commit; `None` before the first.
pub(super) fn payload(epoch: &Path) -> Result<Option<String>> {
    let dir = epoch.join(FOLDER);
    let (index, _) = open_index(&dir, false)?;
    Ok(index.load_metas().map_err(|e| failed(&dir, &e))?.payload)
}

/// One generation's postings.
pub(super) struct Postings {
    dir: PathBuf,
    segments: Vec<OpenSegment>,
    fields: Fields,
}

struct OpenSegment {
    /// Documents that tantivy knows to be deleted by now are not looked at: liveness is that of the chunks.
    reader: Arc<SegmentReader>,
    /// Slot of each document; [`DEAD`] where its chunk is gone.
    slots: Vec<u32>,
    /// Terms of each field over live documents.
    terms: [u64; Field::ALL.len()],
}

impl OpenSegment {
    fn new(reader: Arc<SegmentReader>) -> Self {
        OpenSegment { reader, slots: Vec::new(), terms: [0; Field::ALL.len()] }
    }

    /// From what is stored.
    fn resolve(&mut self, chunks: &Chunks, fields: Fields) -> tantivy::Result<()> {
        let numbers = self.reader.fast_fields().u64("no")?;
        let slot = |doc| {
            let no = numbers.first(doc).and_then(|no| u32::try_from(no).ok());
            no.and_then(|no| chunks.live(no)).unwrap_or(DEAD)
        };
        self.slots = (0..self.reader.max_doc()).map(slot).collect();
        for (sum, field) in self.terms.iter_mut().zip(fields.text) {
            let lengths = self.reader.get_fieldnorms_reader(field)?;
            let live = (0u32..).zip(&self.slots).filter(|(_, slot)| **slot != DEAD);
            *sum = live.map(|(doc, _)| u64::from(lengths.fieldnorm(doc))).sum();
        }
        Ok(())
    }

    /// From what was known of the same documents before.
    fn follow(&mut self, known: &OpenSegment, moved: &Moved<'_>, fields: Fields) -> tantivy::Result<()> {
        let mut gone = Vec::new();
        self.terms = known.terms;
        self.slots = known.slots.clone();
        for (doc, slot) in (0u32..).zip(&mut self.slots).filter(|(_, slot)| **slot != DEAD) {
            *slot = moved.live(*slot).unwrap_or(DEAD);
            if *slot == DEAD {
                gone.push(doc);
            }
        }
        for (sum, field) in self.terms.iter_mut().zip(fields.text).filter(|_| !gone.is_empty()) {
            let lengths = self.reader.get_fieldnorms_reader(field)?;
            *sum -= gone.iter().map(|doc| u64::from(lengths.fieldnorm(*doc))).sum::<u64>();
        }
        Ok(())
    }
}

/// Compares every file of segments with the checksum it was written with.
///
/// # Errors
/// [`Error::Damaged`] that names a file which is another now.
fn verify(index: &Index, segments: &[SegmentMeta], dir: &Path) -> Result<()> {
    let deletes = |segment: &SegmentMeta| segment.relative_path(SegmentComponent::Delete);
    let is_of = |segment: &SegmentMeta, file: &Path| {
        let begins = file.to_str().is_some_and(|name| name.starts_with(&segment.id().uuid_string()));
        begins && (file.extension().is_none_or(|end| end != "del") || file == deletes(segment))
    };
    let mut damaged = Vec::new();
    let files = index.directory().list_managed_files().into_iter();
    for file in files.filter(|file| segments.iter().any(|segment| is_of(segment, file))) {
        match index.directory().validate_checksum(&file) {
            Ok(true) => {}
            Ok(false) => damaged.push(file),
            Err(error) => return Err(failed(dir, &error.into())),
        }
    }
    match damaged.into_iter().min() {
        None => Ok(()),
        Some(file) => Err(Error::Damaged {
            path: dir.join(file),
            detail: "its checksum does not fit its content".to_owned(),
        }),
    }
}

impl Postings {
    /// Opens the last commit, but for segments that are held, and returns its payload with it.
    pub(super) fn open(epoch: &Path, held: Option<&Postings>) -> Result<Option<(String, Postings)>> {
        let dir = epoch.join(FOLDER);
        let (index, fields) = open_index(&dir, false)?;
        let meta = index.load_metas().map_err(|e| failed(&dir, &e))?;
        let Some(payload) = meta.payload else { return Ok(None) };
        let held = held.filter(|held| held.dir == dir);
        let held = |meta: &SegmentMeta| held.and_then(|held| held.segment(meta.id()));
        let new: Vec<SegmentMeta> = meta.segments.iter().filter(|m| held(m).is_none()).cloned().collect();
        verify(&index, &new, &dir)?;
        let open = |meta: SegmentMeta| match held(&meta) {
            Some(held) => Ok(OpenSegment::new(Arc::clone(&held.reader))),
            None => {
                SegmentReader::open(&index.segment(meta)).map(|reader| OpenSegment::new(Arc::new(reader)))
            }
        };
        let segments = meta.segments.into_iter().map(open).collect::<tantivy::Result<_>>();
        let segments = segments.map_err(|e| failed(&dir, &e))?;
        Ok(Some((payload, Postings { dir, segments, fields })))
    }

    fn segment(&self, id: SegmentId) -> Option<&OpenSegment> {
        self.segments.iter().find(|segment| segment.reader.segment_id() == id)
    }

    /// Learns which documents live, and where.
    pub(super) fn resolve(&mut self, chunks: &Chunks, held: Option<(&Postings, &Moved<'_>)>) -> Result<()> {
        for segment in &mut self.segments {
            let id = segment.reader.segment_id();
            let known = held.and_then(|(held, moved)| Some((held.segment(id)?, moved)));
            let read = match known {
                Some((known, moved)) => segment.follow(known, moved, self.fields),
                None => segment.resolve(chunks, self.fields),
            };
            read.map_err(|e| failed(&self.dir, &e))?;
        }
        Ok(())
    }

    /// The terms of each field over live documents.
    pub(super) fn terms(&self) -> [u64; Field::ALL.len()] {
        let mut sums = [0; Field::ALL.len()];
        for segment in &self.segments {
            sums.iter_mut().zip(segment.terms).for_each(|(sum, terms)| *sum += terms);
        }
        sums
    }

    /// Calls `visit` with each live chunk in which a term stands, in no particular order.
    pub(super) fn for_each(&self, field: Field, term: &str, mut visit: impl FnMut(Posting)) -> Result<()> {
        let tantivy_field = self.fields.text[field as usize];
        let term = Term::from_field_text(tantivy_field, term);
        for segment in &self.segments {
            let mut read = || -> tantivy::Result<()> {
                let index = segment.reader.inverted_index(tantivy_field)?;
                let Some(mut block) = index.read_block_postings(&term, IndexRecordOption::WithFreqs)? else {
                    return Ok(());
                };
                let lengths = segment.reader.get_fieldnorms_reader(tantivy_field)?;
                while !block.docs().is_empty() {
                    for (doc, frequency) in block.docs().iter().zip(block.freqs()) {
                        let slot = segment.slots[*doc as usize];
                        if slot != DEAD {
                            visit(Posting { slot, frequency: *frequency, length: lengths.fieldnorm(*doc) });
                        }
                    }
                    block.advance();
                }
                Ok(())
            };
            read().map_err(|e| failed(&self.dir, &e))?;
        }
        Ok(())
    }
}

/// Our analyser as tantivy wants to see it.
#[derive(Default)]
struct Lexer {
    analyzer: Analyzer,
    terms: String,
    ends: Vec<usize>,
    token: Token,
}

impl Clone for Lexer {
    fn clone(&self) -> Self {
        // Buffers and caches are the thread's own.
        Lexer::default()
    }
}

impl Tokenizer for Lexer {
    type TokenStream<'a> = Terms<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Terms<'a> {
        self.terms.clear();
        self.ends.clear();
        let (terms, ends) = (&mut self.terms, &mut self.ends);
        self.analyzer.for_each(text, |term| {
            terms.push_str(term);
            ends.push(terms.len());
        });
        self.token.reset();
        Terms { lexer: self, next: 0 }
    }
}

/// The terms of one text.
struct Terms<'a> {
    lexer: &'a mut Lexer,
    next: usize,
}

impl TokenStream for Terms<'_> {
    fn advance(&mut self) -> bool {
        let Some(&end) = self.lexer.ends.get(self.next) else { return false };
        let start = self.next.checked_sub(1).map_or(0, |i| self.lexer.ends[i]);
        self.lexer.token.text.clear();
        self.lexer.token.text.push_str(&self.lexer.terms[start..end]);
        self.lexer.token.position = self.next;
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.lexer.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.lexer.token
    }
}
