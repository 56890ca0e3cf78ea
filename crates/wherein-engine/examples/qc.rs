use std::time::Instant;
use wherein_engine::internals::*;
fn main() {
    for i in 0..LANGUAGES.len() {
        let id = LangId(i as u8);
        let t = Instant::now();
        let _ = outline("x", id);
        let e = t.elapsed().as_secs_f64()*1e3;
        let t = Instant::now();
        let _ = outline("x", id);
        if e > 0.3 { println!("{:12} {:.1} ms  then {:.3}", LANGUAGES[i].id, e, t.elapsed().as_secs_f64()*1e3); }
    }
}
