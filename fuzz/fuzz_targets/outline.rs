//! Any text in any language → chunks: in order, apart, nothing but blanks left out. The first byte picks the language. A grammar
//! that does not return shows as the fuzzer's own time-out; the program parses in processes that it can kill.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wherein_engine::internals::{Budget, LangId, LANGUAGES, counter, cut, decode, outline};

fuzz_target!(|bytes: &[u8]| {
    let Some((pick, rest)) = bytes.split_first() else { return };
    let Some(text) = decode(rest.to_vec()) else { return };
    let lang = LangId(pick % LANGUAGES.len() as u8);
    let budget = Budget { max: 64, count: counter(lang.is_prose()) };
    let chunks = cut(&text, lang, outline(&text.content, lang).as_ref(), budget).chunks;
    let mut at = text.body_start();
    for chunk in &chunks {
        assert!(chunk.start >= at && chunk.end > chunk.start);
        assert!(text.content[at..chunk.start].trim().is_empty());
        at = chunk.end;
    }
    assert!(text.content[at..].trim().is_empty());
});
