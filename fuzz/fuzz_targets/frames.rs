//! Any bytes as frames to a parser process: it answers or ends, and does not panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // An error is a right answer to most bytes.
    drop(wherein_engine::serve_parser(bytes, std::io::sink()));
});
