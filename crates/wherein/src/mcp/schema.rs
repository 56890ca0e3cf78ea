//! Parameters of tools: the schemas that clients see, and arguments as they come, made what the schemas say.
//!
//! Schemas are plain enough for the strictest client: one scalar type a field, items for every array, `properties` always; no reference, no
//! list of types, no default. Arguments are coerced by schema only: `"5"` becomes a number where a number is wanted, text is left alone.

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

/// A parameter.
pub(super) struct Param {
    name: &'static str,
    kind: Kind,
    about: &'static str,
    required: bool,
}

/// What a parameter holds.
enum Kind {
    Text,
    /// A list of texts.
    Texts,
    /// A list of some of these words.
    Words(&'static [&'static str]),
    /// A whole number within these; above is cut to the larger.
    Count(u64, u64),
    /// A number between 0 and 1.
    Share,
    Flag,
}

impl Param {
    const fn new(name: &'static str, kind: Kind, about: &'static str) -> Param {
        Param { name, kind, about, required: false }
    }

    pub(super) const fn text(name: &'static str, about: &'static str) -> Param {
        Param::new(name, Kind::Text, about)
    }

    pub(super) const fn texts(name: &'static str, about: &'static str) -> Param {
        Param::new(name, Kind::Texts, about)
    }

    pub(super) const fn words(
        name: &'static str,
        words: &'static [&'static str],
        about: &'static str,
    ) -> Param {
        Param::new(name, Kind::Words(words), about)
    }

    pub(super) const fn count(name: &'static str, (least, most): (u64, u64), about: &'static str) -> Param {
        Param::new(name, Kind::Count(least, most), about)
    }

    pub(super) const fn share(name: &'static str, about: &'static str) -> Param {
        Param::new(name, Kind::Share, about)
    }

    pub(super) const fn flag(name: &'static str, about: &'static str) -> Param {
        Param::new(name, Kind::Flag, about)
    }

    pub(super) const fn required(mut self) -> Param {
        self.required = true;
        self
    }

    fn schema(&self) -> Value {
        let about = self.about;
        match self.kind {
            Kind::Text => json!({"type": "string", "description": about}),
            Kind::Texts => json!({"type": "array", "items": {"type": "string"}, "description": about}),
            Kind::Words(words) => {
                json!({"type": "array", "items": {"type": "string", "enum": words}, "description": about})
            }
            Kind::Count(least, most) => {
                json!({"type": "integer", "minimum": least, "maximum": most, "description": about})
            }
            Kind::Share => json!({"type": "number", "minimum": 0, "maximum": 1, "description": about}),
            Kind::Flag => json!({"type": "boolean", "description": about}),
        }
    }

    /// The value that the schema wants; what was wrong with it otherwise.
    fn coerce(&self, value: Value) -> Result<Value, String> {
        let wants = |what: &str| format!("`{}` must be {what}, not {value}", self.name);
        match self.kind {
            Kind::Text => match value {
                Value::String(_) => Ok(value),
                Value::Number(_) | Value::Bool(_) => Ok(Value::String(value.to_string())),
                _ => Err(wants("a string")),
            },
            Kind::Texts => texts(&value).map(Value::from).ok_or_else(|| wants("a list of strings")),
            Kind::Words(words) => {
                let given = texts(&value).ok_or_else(|| wants("a list of strings"))?;
                match given.iter().find(|word| !words.contains(&word.as_str())) {
                    None => Ok(Value::from(given)),
                    Some(word) => {
                        Err(format!("`{}` has no {word:?}; it has {}", self.name, words.join(", ")))
                    }
                }
            }
            Kind::Count(least, most) => {
                let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
                let whole = |number: f64| (number >= 0.0 && number.fract() == 0.0).then_some(number as u64);
                match number.or_else(|| value.as_f64().and_then(whole)) {
                    Some(number) if number >= least => Ok(Value::from(number.min(most))),
                    _ => Err(wants(&format!("a whole number from {least} to {most}"))),
                }
            }
            Kind::Share => {
                let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
                number
                    .filter(|share| (0.0..=1.0).contains(share))
                    .map(Value::from)
                    .ok_or_else(|| wants("a number from 0 to 1"))
            }
            Kind::Flag => match &value {
                Value::Bool(_) => Ok(value),
                Value::String(text) if text == "true" => Ok(Value::Bool(true)),
                Value::String(text) if text == "false" => Ok(Value::Bool(false)),
                _ => Err(wants("true or false")),
            },
        }
    }
}

/// A list of strings, however it was given: as one, as a lone string, as one written out as JSON.
fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        // An empty one names nothing.
        Value::Array(items) => {
            let named = items.iter().filter(|item| item.as_str() != Some(""));
            named.map(|item| item.as_str().map(str::to_owned)).collect()
        }
        Value::String(text) if text.trim_start().starts_with('[') => {
            serde_json::from_str::<Vec<String>>(text).ok().or_else(|| Some(vec![text.clone()]))
        }
        Value::String(text) => Some(vec![text.clone()]),
        _ => None,
    }
}

/// The schema of a tool's parameters.
pub(super) fn schema(params: &[Param]) -> JsonObject {
    let properties: Map<String, Value> =
        params.iter().map(|param| (param.name.to_owned(), param.schema())).collect();
    let required: Vec<&str> = params.iter().filter(|param| param.required).map(|param| param.name).collect();
    let mut out = Map::new();
    out.insert("type".to_owned(), "object".into());
    out.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        out.insert("required".to_owned(), required.into());
    }
    out
}

/// Arguments that are what the schema says.
#[derive(Debug, Default)]
pub(super) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Checks and coerces what a client sent; null counts as left out, and so does what is empty where it need not be given: some clients fill in
    /// every field.
    ///
    /// # Errors
    /// For the model that wrote them: what is unknown, missing or of another kind, and what was meant.
    pub(super) fn new(params: &[Param], given: Option<JsonObject>) -> Result<Arguments, String> {
        let mut out = Map::new();
        for (name, value) in given.unwrap_or_default() {
            let Some(param) = params.iter().find(|param| param.name == name) else {
                return Err(unknown(params, &name));
            };
            if !is_left_out(&value, param.required) {
                out.insert(name, param.coerce(value)?);
            }
        }
        match params.iter().find(|param| param.required && !out.contains_key(param.name)) {
            Some(missing) => Err(format!("`{}` is missing: {}", missing.name, missing.about)),
            None => Ok(Arguments(out)),
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let items = self.0.get(name).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    }

    pub(super) fn count(&self, name: &str) -> Option<usize> {
        self.0.get(name)?.as_u64().and_then(|number| usize::try_from(number).ok())
    }

    pub(super) fn share(&self, name: &str) -> Option<f32> {
        self.0.get(name)?.as_f64().map(|share| share as f32)
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or_default()
    }
}

fn is_left_out(value: &Value, required: bool) -> bool {
    let is_empty = |value: &Value| value.as_str() == Some("");
    value.is_null()
        || (!required
            && (is_empty(value) || value.as_array().is_some_and(|items| items.iter().all(is_empty))))
}

fn unknown(params: &[Param], name: &str) -> String {
    let near = |param: &&Param| strsim::jaro_winkler(&param.name.to_lowercase(), &name.to_lowercase());
    let nearest = params.iter().max_by(|a, b| near(a).total_cmp(&near(b))).filter(|param| near(param) > 0.7);
    let names: Vec<&str> = params.iter().map(|param| param.name).collect();
    let all =
        if names.is_empty() { "it takes none".to_owned() } else { format!("there are {}", names.join(", ")) };
    match nearest {
        Some(nearest) => format!("no parameter `{name}`; did you mean `{}`? ({all})", nearest.name),
        None => format!("no parameter `{name}`; {all}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: &[Param] = &[
        Param::text("query", "what").required(),
        Param::texts("path", "where"),
        Param::words("in", &["code", "docs"], "which part"),
        Param::count("k", (1, 100), "how many"),
        Param::share("min_score", "how good"),
        Param::flag("all", "everything"),
    ];

    fn arguments(given: &Value) -> Result<Arguments, String> {
        Arguments::new(PARAMS, given.as_object().cloned())
    }

    #[test]
    fn arguments_become_what_the_schema_says_and_text_is_left_alone() {
        let given = json!({"query": "00713", "path": "[\"a\", \"b\"]", "in": "code", "k": "5", "min_score": "0.5", "all": "false"});
        let got = arguments(&given).unwrap();
        assert_eq!((got.text("query"), got.count("k"), got.flag("all")), (Some("00713"), Some(5), false));
        assert_eq!(
            (got.texts("path"), got.texts("in")),
            (vec!["a".to_owned(), "b".to_owned()], vec!["code".to_owned()])
        );
        assert_eq!(got.share("min_score"), Some(0.5));
        let got =
            arguments(&json!({"query": 713, "path": ["x"], "k": 1000.0, "all": true, "in": null})).unwrap();
        assert_eq!((got.text("query"), got.count("k"), got.flag("all")), (Some("713"), Some(100), true));
        let empty = json!({"query": "", "path": [""], "in": [], "k": "", "all": ""});
        let got = arguments(&empty).unwrap();
        assert_eq!((got.text("query"), got.count("k"), got.texts("path")), (Some(""), None, Vec::new()));
        assert_eq!(arguments(&json!({"query": "[a] b", "path": "[a]"})).unwrap().texts("path"), ["[a]"]);
    }

    #[test]
    fn what_is_wrong_is_said_with_what_is_right() {
        for (given, said) in [
            (json!({"query": "x", "topk": 3}), "no parameter `topk`"),
            (json!({"query": "x", "minscore": 0.1}), "did you mean `min_score`?"),
            (json!({"k": 3}), "`query` is missing"),
            (json!({"query": null}), "`query` is missing"),
            (json!({"query": ["x"]}), "`query` must be a string"),
            (json!({"query": "x", "k": 0}), "from 1 to 100"),
            (json!({"query": "x", "k": -1}), "from 1 to 100"),
            (json!({"query": "x", "k": 1.5}), "from 1 to 100"),
            (json!({"query": "x", "in": ["cod"]}), "it has code, docs"),
            (json!({"query": "x", "all": "yes"}), "true or false"),
            (json!({"query": "x", "path": [1]}), "a list of strings"),
        ] {
            let error = arguments(&given).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}
