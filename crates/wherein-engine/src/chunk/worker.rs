//! Parsing in processes that can be killed. A grammar is foreign C code: on some inputs it does not return, and no thread
//! can be stopped from outside. The child reads frames (language, text) and answers each with the outline.
//!
//! Frame: length of the rest (u32, little endian), then a language byte and the text, or a postcard `Option<Outline>`.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::config::{ChunkLimits, Worker};
use crate::extract::Text;
use crate::lang::LangId;

use super::{Budget, Chunks, Counter, Outline, PARSE_SECONDS};

/// Twice what the child may take by its own clock (parse and query), and room for a busy machine.
const PATIENCE: Duration = Duration::from_secs(3 * PARSE_SECONDS);
/// Address space of a child; a parse that wants more is ended by the system.
const MEMORY_LIMIT: u64 = 2 << 30;
/// No outline of a file below the size limit comes near this.
const MAX_FRAME: usize = 256 << 20;

/// Idle children, kept for the next file.
pub(crate) struct Pool {
    command: Option<Worker>,
    patience: Duration,
    idle: Mutex<Vec<Process>>,
}

struct Process {
    child: Child,
    input: ChildStdin,
    answers: Receiver<io::Result<Vec<u8>>>,
}

impl Drop for Process {
    fn drop(&mut self) {
        // A child that already ended makes both calls fail, which is what was wanted.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Pool {
    /// A pool over a worker command; without one, texts are parsed in this process.
    pub(crate) fn new(command: Option<Worker>) -> Self {
        Pool { command, patience: PATIENCE, idle: Mutex::new(Vec::new()) }
    }

    /// The outline of a text; `None` where its parse reached a limit or brought the child down.
    ///
    /// # Errors
    /// Where no child can be started.
    pub(crate) fn outline(&self, text: &str, lang: LangId) -> io::Result<Option<Outline>> {
        let Some(command) = self.command.as_ref().filter(|_| lang.query_needed()) else {
            return Ok(super::outline(text, lang));
        };
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut process = match idle {
            Some(process) => process,
            None => start(command)?,
        };
        // Any failure to answer is the text's doing: the child is dropped and the file is cut by lines.
        let Some(outline) = process.ask(text, lang, self.patience) else { return Ok(None) };
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(process);
        Ok(outline)
    }

    /// Cuts a text as every index does: along the syntax of its language, within the budget of prose or of the rest.
    ///
    /// # Errors
    /// As [`Self::outline`].
    pub(crate) fn cut(
        &self,
        path: &str,
        text: &Text,
        limits: ChunkLimits,
        counter: fn(bool) -> Counter,
    ) -> io::Result<(LangId, Chunks)> {
        let lang = LangId::detect(path, &text.content);
        let outline = self.outline(&text.content, lang)?;
        let prose = lang.is_prose();
        let budget = Budget { max: limits.most(prose), count: counter(prose) };
        Ok((lang, super::cut(text, lang, outline.as_ref(), budget)))
    }
}

fn start(command: &Worker) -> io::Result<Process> {
    let mut child = Command::new(&command.program)
        .args(&command.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let (Some(input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let (send, answers) = channel();
    std::thread::Builder::new().name("parse-answers".into()).spawn(move || {
        loop {
            let frame = read_frame(&mut output);
            let ended = !matches!(frame, Ok(Some(_)));
            let answer = frame.and_then(|f| f.ok_or_else(|| io::ErrorKind::UnexpectedEof.into()));
            if send.send(answer).is_err() || ended {
                break;
            }
        }
    })?;
    Ok(Process { child, input, answers })
}

impl Process {
    fn ask(&mut self, text: &str, lang: LangId, patience: Duration) -> Option<Option<Outline>> {
        write_frame(&mut self.input, &[&[lang.0], text.as_bytes()]).ok()?;
        let answer = self.answers.recv_timeout(patience).ok()?.ok()?;
        postcard::from_bytes(&answer).ok()
    }
}

/// Answers frames until the input ends: the whole life of a child.
///
/// # Errors
/// Where reading or writing fails.
pub fn serve(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    while let Some(frame) = read_frame(&mut input)? {
        let Some((&lang, text)) = frame.split_first() else { continue };
        let text = std::str::from_utf8(text).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
        let outline = super::outline(text, LangId(lang));
        let answer = postcard::to_stdvec(&outline).map_err(io::Error::other)?;
        write_frame(&mut output, &[&answer])?;
    }
    Ok(())
}

/// Bounds the memory of this process, as a parser's should be: a parse that wants more is ended by the system.
#[cfg(unix)]
pub fn limit_memory() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let now = getrlimit(Resource::As);
    if now.current.is_none_or(|current| current > MEMORY_LIMIT) {
        // Where the system refuses, a runaway parse still ends by time.
        let _refused =
            setrlimit(Resource::As, Rlimit { current: Some(MEMORY_LIMIT), maximum: now.maximum }).is_err();
    }
}

/// Nothing to do where the system has no such limit; time still ends a parse.
#[cfg(not(unix))]
pub fn limit_memory() {}

fn write_frame(output: &mut impl Write, parts: &[&[u8]]) -> io::Result<()> {
    let length: usize = parts.iter().map(|p| p.len()).sum();
    let length = u32::try_from(length).map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))?;
    output.write_all(&length.to_le_bytes())?;
    for part in parts {
        output.write_all(part)?;
    }
    output.flush()
}

/// The next frame; `None` at a clean end.
fn read_frame(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_FRAME {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "frame too large"));
    }
    let mut frame = vec![0; length];
    input.read_exact(&mut frame)?;
    Ok(Some(frame))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn pool(program: &str, args: &[&str]) -> Pool {
        let args = args.iter().map(|a| (*a).to_owned()).collect();
        Pool {
            patience: Duration::from_millis(300),
            ..Pool::new(Some(Worker { program: program.into(), args }))
        }
    }

    #[test]
    fn a_parser_that_never_answers_is_killed() {
        let pool = pool("sleep", &["600"]);
        let begin = Instant::now();
        let rust = LangId::named("rust").unwrap();
        assert_eq!(pool.outline("fn a() {}", rust).unwrap(), None);
        // The child would outlive any test; that we are here soon is that it was not waited for.
        assert!(begin.elapsed() < Duration::from_secs(60));
        assert!(pool.idle.lock().unwrap().is_empty());
    }

    #[test]
    fn a_parser_that_dies_costs_its_file_only() {
        let rust = LangId::named("rust").unwrap();
        assert_eq!(pool("false", &[]).outline("fn a() {}", rust).unwrap(), None);
        assert!(pool("/no/such/program", &[]).outline("fn a() {}", rust).is_err());
        // Languages without a grammar need no parser.
        assert!(pool("/no/such/program", &[]).outline("a", LangId::TEXT).unwrap().is_some());
    }

    #[test]
    fn frames_carry_outlines() {
        let rust = LangId::named("rust").unwrap();
        let text = "/// Doc.\nfn a() {}\n";
        let mut input = Vec::new();
        write_frame(&mut input, &[&[rust.0], text.as_bytes()]).unwrap();
        let mut output = Vec::new();
        serve(input.as_slice(), &mut output).unwrap();
        let frame = read_frame(&mut output.as_slice()).unwrap().unwrap();
        assert_eq!(
            postcard::from_bytes::<Option<Outline>>(&frame).unwrap(),
            crate::chunk::outline(text, rust)
        );
        assert!(serve([1u8, 0].as_slice(), Vec::new()).is_ok(), "a broken length is an end");
        assert!(read_frame(&mut [0xff, 0xff, 0xff, 0xff].as_slice()).is_err());
    }
}
