//! Questions that no root is about: what they find is noise. They are drawn from many fields, since the table knows words of some
//! fields better than of others, and are no part of any truth set.

use std::sync::OnceLock;

use crate::embed::{Embedder, StaticModel};
use crate::vector::QueryVector;

/// Everyday matters and far corners of software in equal parts.
const QUESTIONS: [&str; 40] = [
    "how to bake sourdough bread",
    "treatment for a sprained ankle",
    "when was the bridge over the river built",
    "tax deductions for home owners",
    "kittens that do not eat",
    "the plot of a detective novel",
    "water colour painting for beginners",
    "cost of a dental crown",
    "national parks with waterfalls",
    "how to repair a leaking tap",
    "languages spoken in switzerland",
    "why is the sky blue",
    "stretching exercises before swimming",
    "famous battles of the napoleonic wars",
    "a present for a ten year old child",
    "growing herbs on the balcony",
    "symptoms of heart failure",
    "the best seats in the opera house",
    "how to change a bicycle tyre",
    "immigration rules for students",
    "quantum circuit optimisation",
    "weather radar image processing",
    "elevation data of a mountain range",
    "parking ticket machine protocol",
    "protein folding simulation",
    "fuel injection timing table",
    "lottery number generator",
    "tide prediction model",
    "choir rehearsal planner",
    "optical character recognition of invoices",
    "warehouse robot path planning",
    "stage lighting control by DMX",
    "loan amortisation schedule",
    "telescope mount tracking",
    "subtitle synchronisation for films",
    "pollen forecast by region",
    "cash register receipt printing",
    "library book lending and fines",
    "swimming pool pump controller",
    "crossword puzzle construction",
];

/// The questions as vectors.
pub(super) fn vectors() -> &'static [QueryVector] {
    static VECTORS: OnceLock<Vec<QueryVector>> = OnceLock::new();
    VECTORS.get_or_init(|| {
        let model = StaticModel::get();
        let mut all = vec![0.0; QUESTIONS.len() * model.dimensions()];
        model.embed(&QUESTIONS, &mut all);
        all.chunks_exact(model.dimensions()).filter_map(QueryVector::new).collect()
    })
}
