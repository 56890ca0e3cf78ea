//! Two small convex fits by Newton's method: a softmax over the candidates of each query, and a logistic regression.
//!
//! Both are penalised by the square of the standardised weights. Sizes are tens of features and thousands of rows.

/// One query of a softmax fit: a row a candidate, and how right each is (summing to 1).
pub(crate) struct Choice {
    pub(crate) rows: Vec<Vec<f64>>,
    pub(crate) right: Vec<f64>,
    pub(crate) weight: f64,
}

/// One observation of a logistic fit.
pub(crate) struct Trial {
    pub(crate) row: Vec<f64>,
    pub(crate) success: f64,
    pub(crate) weight: f64,
}

const MOST_STEPS: usize = 40;
/// A step that gains less is the last.
const ENOUGH: f64 = 1e-4;
/// Candidates less likely than this add nothing to the curvature.
const UNLIKELY: f64 = 1e-5;

/// Weights that make right candidates most likely: listwise softmax loss (ListNet with hard targets; Cao et al. 2007) with a
/// penalty of `ridge[i] / 2 · (wᵢ · deviationᵢ)²` a feature.
pub(crate) fn softmax(choices: &[Choice], ridge: &[f64]) -> Vec<f64> {
    let scale = deviations(choices.iter().flat_map(|c| &c.rows), ridge.len());
    let choices: Vec<Choice> = choices.iter().map(|c| standardised(c, &scale)).collect();
    let penalty = |w: &[f64]| w.iter().zip(ridge).map(|(w, r)| 0.5 * r * w * w).sum::<f64>();
    let loss = |w: &[f64]| penalty(w) + choices.iter().map(|c| choice_loss(c, w)).sum::<f64>();
    let step = |w: &[f64]| {
        let mut gradient: Vec<f64> = w.iter().zip(ridge).map(|(w, r)| w * r).collect();
        let mut curvature = diagonal(ridge);
        choices.iter().for_each(|c| add_choice(c, w, &mut gradient, &mut curvature));
        solve(curvature, gradient)
    };
    let weights = newton(ridge.len(), loss, step);
    weights.iter().zip(&scale).map(|(w, s)| w / s).collect()
}

/// Weights and, last, the constant that make successes most likely.
pub(crate) fn logistic(trials: &[Trial], ridge: f64) -> Vec<f64> {
    let size = trials.first().map_or(0, |t| t.row.len()) + 1;
    let mut ridges = vec![ridge; size];
    ridges[size - 1] = 1e-9;
    let odds = |t: &Trial, w: &[f64]| dot(&t.row, w) + w[size - 1];
    let penalty = |w: &[f64]| w.iter().zip(&ridges).map(|(w, r)| 0.5 * r * w * w).sum::<f64>();
    let loss = |w: &[f64]| {
        let one = |t: &Trial| {
            let z = odds(t, w);
            t.weight * (z.max(0.0) + (-z.abs()).exp().ln_1p() - t.success * z)
        };
        penalty(w) + trials.iter().map(one).sum::<f64>()
    };
    let step = |w: &[f64]| {
        let mut gradient: Vec<f64> = w.iter().zip(&ridges).map(|(w, r)| w * r).collect();
        let mut curvature = diagonal(&ridges);
        for t in trials {
            let p = 1.0 / (1.0 + (-odds(t, w)).exp());
            let mut row = t.row.clone();
            row.push(1.0);
            row.iter().zip(&mut gradient).for_each(|(x, g)| *g += t.weight * (p - t.success) * x);
            add_outer(&mut curvature, &row, t.weight * p * (1.0 - p));
        }
        solve(curvature, gradient)
    };
    newton(size, loss, step)
}

/// Steps towards the least loss, each halved until it gains.
fn newton(size: usize, loss: impl Fn(&[f64]) -> f64, step: impl Fn(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let mut weights = vec![0.0; size];
    let mut current = loss(&weights);
    for _ in 0..MOST_STEPS {
        let direction = step(&weights);
        let mut length = 1.0;
        let (next, reached) = loop {
            let next: Vec<f64> = weights.iter().zip(&direction).map(|(w, d)| w - length * d).collect();
            let reached = loss(&next);
            if reached <= current || length < 1e-6 {
                break (next, reached);
            }
            length /= 2.0;
        };
        let gain = current - reached;
        (weights, current) = (next, reached);
        if gain < ENOUGH {
            break;
        }
    }
    weights
}

fn standardised(choice: &Choice, scale: &[f64]) -> Choice {
    let row = |row: &Vec<f64>| row.iter().zip(scale).map(|(x, s)| x / s).collect();
    Choice { rows: choice.rows.iter().map(row).collect(), right: choice.right.clone(), weight: choice.weight }
}

/// Standard deviation of each column; a huge number where it does not vary, so that its weight stays 0.
fn deviations<'a>(rows: impl Iterator<Item = &'a Vec<f64>>, size: usize) -> Vec<f64> {
    let (mut count, mut sum, mut squares) = (0.0, vec![0.0; size], vec![0.0; size]);
    for row in rows {
        count += 1.0;
        for (i, x) in row.iter().enumerate() {
            sum[i] += x;
            squares[i] += x * x;
        }
    }
    let one = |(s, q): (&f64, &f64)| {
        (q / f64::max(count, 1.0) - (s / f64::max(count, 1.0)).powi(2)).max(0.0).sqrt()
    };
    sum.iter().zip(&squares).map(one).map(|d| if d < 1e-6 { 1e9 } else { d }).collect()
}

fn probabilities(choice: &Choice, w: &[f64]) -> (Vec<f64>, f64) {
    let scores: Vec<f64> = choice.rows.iter().map(|row| dot(row, w)).collect();
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = scores.iter().map(|s| (s - top).exp()).sum();
    let right: f64 = scores.iter().zip(&choice.right).map(|(s, t)| s * t).sum();
    (scores.iter().map(|s| (s - top).exp() / total).collect(), top + total.ln() - right)
}

fn choice_loss(choice: &Choice, w: &[f64]) -> f64 {
    choice.weight * probabilities(choice, w).1
}

fn add_choice(choice: &Choice, w: &[f64], gradient: &mut [f64], curvature: &mut [Vec<f64>]) {
    let (p, _) = probabilities(choice, w);
    let mut mean = vec![0.0; w.len()];
    for ((row, p), right) in choice.rows.iter().zip(&p).zip(&choice.right) {
        for (i, x) in row.iter().enumerate() {
            mean[i] += p * x;
            gradient[i] += choice.weight * (p - right) * x;
        }
    }
    for (row, p) in choice.rows.iter().zip(&p).filter(|(_, p)| **p > UNLIKELY) {
        let centred: Vec<f64> = row.iter().zip(&mean).map(|(x, m)| x - m).collect();
        add_outer(curvature, &centred, choice.weight * p);
    }
}

fn add_outer(matrix: &mut [Vec<f64>], row: &[f64], factor: f64) {
    for (i, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
        for (j, y) in row[..=i].iter().enumerate() {
            matrix[i][j] += factor * x * y;
        }
    }
}

fn diagonal(values: &[f64]) -> Vec<Vec<f64>> {
    (0..values.len())
        .map(|i| (0..values.len()).map(|j| if i == j { values[i] } else { 0.0 }).collect())
        .collect()
}

/// Solves a symmetric positive definite system, of which the lower half is given, by Cholesky's decomposition.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let size = b.len();
    for i in 0..size {
        for j in 0..=i {
            let sum: f64 = a[i][j] - (0..j).map(|k| a[i][k] * a[j][k]).sum::<f64>();
            a[i][j] = if i == j { sum.max(1e-12).sqrt() } else { sum / a[j][j] };
        }
        b[i] = (b[i] - (0..i).map(|k| a[i][k] * b[k]).sum::<f64>()) / a[i][i];
    }
    for i in (0..size).rev() {
        b[i] = (b[i] - (i + 1..size).map(|k| a[k][i] * b[k]).sum::<f64>()) / a[i][i];
    }
    b
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved() {
        let x = solve(vec![vec![4.0, 0.0], vec![2.0, 3.0]], vec![10.0, 8.0]);
        assert!((x[0] - 1.75).abs() < 1e-9 && (x[1] - 1.5).abs() < 1e-9, "{x:?}");
    }

    #[test]
    fn the_telling_feature_gets_the_weight() {
        let choice = |at: usize| Choice {
            rows: (0..4).map(|i| vec![f64::from(u8::from(i == at)), (i % 2) as f64]).collect(),
            right: (0..4).map(|i| f64::from(u8::from(i == at))).collect(),
            weight: 1.0,
        };
        let w = softmax(&[choice(0), choice(1), choice(2), choice(3)], &[0.1, 0.1]);
        assert!(w[0] > 2.0 && w[1].abs() < 0.1, "{w:?}");
    }

    #[test]
    fn odds_follow_the_data() {
        let trials: Vec<Trial> = (0..100)
            .map(|i| Trial { row: vec![f64::from(i)], success: f64::from(u8::from(i >= 60)), weight: 1.0 })
            .collect();
        let w = logistic(&trials, 1e-3);
        assert!((-w[1] / w[0] - 59.5).abs() < 2.0, "{w:?}");
    }
}
