//! What files are cut into.

use serde::{Deserialize, Serialize};

/// What a chunk is, as reported in the `kind` field of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Kind {
    /// Lines without a definition of their own.
    Text = 0,
    /// A free function or procedure.
    Function,
    /// A function that belongs to a type; constructors included.
    Method,
    /// A class.
    Class,
    /// A struct, record or data type.
    Struct,
    /// An enumeration.
    Enum,
    /// A C-like union.
    Union,
    /// An interface or protocol.
    Interface,
    /// A trait.
    Trait,
    /// An implementation or extension block.
    Impl,
    /// A module, namespace or package.
    Module,
    /// A singleton object.
    Object,
    /// A type alias.
    Type,
    /// A constant.
    Constant,
    /// A variable.
    Variable,
    /// A property.
    Property,
    /// A field.
    Field,
    /// A macro.
    Macro,
    /// A test.
    Test,
    /// A database table.
    Table,
    /// A database view.
    View,
    /// A key of a data file.
    Key,
    /// A markup element.
    Element,
    /// A style rule.
    Rule,
    /// A section of a document, below its heading.
    Section,
}

impl Kind {
    /// Every kind with its name, in the order of the discriminants.
    pub const ALL: [(Kind, &'static str); 25] = [
        (Kind::Text, "text"),
        (Kind::Function, "function"),
        (Kind::Method, "method"),
        (Kind::Class, "class"),
        (Kind::Struct, "struct"),
        (Kind::Enum, "enum"),
        (Kind::Union, "union"),
        (Kind::Interface, "interface"),
        (Kind::Trait, "trait"),
        (Kind::Impl, "impl"),
        (Kind::Module, "module"),
        (Kind::Object, "object"),
        (Kind::Type, "type"),
        (Kind::Constant, "constant"),
        (Kind::Variable, "variable"),
        (Kind::Property, "property"),
        (Kind::Field, "field"),
        (Kind::Macro, "macro"),
        (Kind::Test, "test"),
        (Kind::Table, "table"),
        (Kind::View, "view"),
        (Kind::Key, "key"),
        (Kind::Element, "element"),
        (Kind::Rule, "rule"),
        (Kind::Section, "section"),
    ];

    /// The name used in query captures and in JSON.
    pub fn as_str(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The kind of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Kind> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(k, _)| *k)
    }

    /// The kind stored as this byte; unknown bytes are [`Kind::Text`].
    pub fn from_byte(byte: u8) -> Kind {
        Self::ALL.get(usize::from(byte)).map_or(Kind::Text, |(k, _)| *k)
    }

    /// Whether it names a type: class, struct, enum, trait and their like.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Kind::Class
                | Kind::Struct
                | Kind::Enum
                | Kind::Union
                | Kind::Interface
                | Kind::Trait
                | Kind::Object
                | Kind::Type
                | Kind::Module
                | Kind::Table
                | Kind::View
        )
    }

    /// Whether it is something that runs: function, method, macro.
    pub fn is_callable(self) -> bool {
        matches!(self, Kind::Function | Kind::Method | Kind::Macro)
    }
}

/// A name that a chunk defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// What is defined.
    pub kind: Kind,
    /// Its name as written.
    pub name: String,
}

/// A passage of one file: the unit that is indexed and returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// First byte in the file's text.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// 1-based line of the first byte, counted as `grep -n` does (LF only).
    pub start_line: u32,
    /// 1-based line of the last byte.
    pub end_line: u32,
    /// The kind of its first or only definition.
    pub kind: Kind,
    /// Names defined inside, outermost and first first.
    pub symbols: Vec<Symbol>,
    /// Enclosing definitions or headings, outermost first.
    pub trail: Vec<String>,
    /// For a further window of an oversized definition: the definition's first line, embedded and indexed with the window.
    pub signature: Option<String>,
    /// Byte ranges of comments and docstrings inside the chunk.
    pub docs: Vec<(usize, usize)>,
}
