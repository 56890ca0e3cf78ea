//! Markdown → outline: a section from each heading to the next one of its level or above.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::types::Kind;

use super::{Item, Outline};

/// Finds the sections of a document.
pub(super) fn outline(text: &str) -> Outline {
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut items: Vec<Item> = Vec::new();
    let mut heading: Option<(u8, usize, String)> = None;
    let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
        | Options::ENABLE_TABLES;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match (event, &mut heading) {
            (Event::Start(Tag::Heading { level, .. }), _) => {
                heading = Some((level as u8, range.start, String::new()));
            }
            (Event::Text(part) | Event::Code(part), Some((_, _, title))) => title.push_str(&part),
            (Event::SoftBreak | Event::HardBreak, Some((_, _, title))) => title.push(' '),
            (Event::End(TagEnd::Heading(_)), _) => {
                let Some((level, start, title)) = heading.take() else { continue };
                close(&mut open, &mut items, level, start);
                open.push((level, items.len()));
                items.push(Item {
                    start,
                    end: text.len(),
                    declared: start,
                    kind: Kind::Section,
                    name: title.trim().to_owned(),
                });
            }
            _ => {}
        }
    }
    items.retain(|item| !item.name.is_empty());
    Outline { items, docs: Vec::new() }
}

/// Ends the open sections that a heading of this level closes.
fn close(open: &mut Vec<(u8, usize)>, items: &mut [Item], level: u8, at: usize) {
    while let Some((_, place)) = open.pop_if(|(above, _)| *above >= level) {
        items[place].end = at;
    }
}
