//! What a model's cosines say: where those of texts lie that have nothing to do with each other. Every model has its own scale; what
//! ranking was fitted on is the built-in one's.

use crate::error::Result;

use super::{Embedder, Role, passages};

/// Everyday matters and far corners of software in equal parts.
pub(crate) const QUESTIONS: [&str; 40] = [
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

/// The cosines of unrelated questions and passages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    /// Their mean.
    pub(crate) mean: f32,
    /// Their standard deviation.
    pub(crate) deviation: f32,
}

impl Scale {
    /// Of the built-in deep model, as [`Self::measure`] gives it.
    pub(crate) const BUILT_IN: Scale = Scale { mean: 0.0288, deviation: 0.0676 };

    /// Measures a model with the questions and the passages that ship with the program.
    ///
    /// # Errors
    /// As [`Embedder::embed`].
    pub(crate) fn measure(model: &dyn Embedder) -> Result<Scale> {
        let size = model.dimensions();
        let vectors = |role: Role, texts: &[&str]| -> Result<Vec<f32>> {
            let mut out = vec![0.0; texts.len() * size];
            model.embed(role, texts, &mut out)?;
            Ok(out)
        };
        let questions = vectors(Role::Question, &QUESTIONS)?;
        let passages = vectors(Role::Passage, &passages().collect::<Vec<_>>())?;
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
        let pairs =
            questions.chunks_exact(size).flat_map(|q| passages.chunks_exact(size).map(move |p| dot(q, p)));
        let cosines: Vec<f32> = pairs.collect();
        let count = cosines.len().max(1) as f32;
        let mean = cosines.iter().sum::<f32>() / count;
        let variance = cosines.iter().map(|c| (c - mean).powi(2)).sum::<f32>() / count;
        Ok(Scale { mean, deviation: variance.sqrt().max(1e-3) })
    }

    /// A cosine of this model, as the built-in one would have it.
    pub(crate) fn as_built_in(self, cosine: f32) -> f32 {
        let Scale { mean, deviation } = Self::BUILT_IN;
        if self == Self::BUILT_IN { cosine } else { mean + (cosine - self.mean) * deviation / self.deviation }
    }
}
