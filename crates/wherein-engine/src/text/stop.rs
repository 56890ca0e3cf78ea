//! Words that carry no evidence in a question.

/// Sorted, lower case.
static STOP_WORDS: &[&str] = &[
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "being", "between", "but",
    "by", "can", "could", "did", "do", "does", "each", "every", "for", "from", "get", "gets", "had", "has",
    "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "one", "or", "our",
    "should", "show", "so", "some", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "to", "us", "use", "used", "uses", "using", "via", "was", "we", "were", "what", "when",
    "where", "wherein", "whether", "which", "while", "who", "whose", "why", "will", "with", "within",
    "would", "you", "your",
];

/// Whether a word of a question says nothing about what is sought.
pub(crate) fn is_stop_word(word: &str) -> bool {
    word.len() <= 8 && STOP_WORDS.binary_search(&word.to_ascii_lowercase().as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn list_is_sorted() {
        assert!(super::STOP_WORDS.is_sorted());
    }
}
