//! The inner loops of the static model. Plain Rust, compiled once for the baseline and once for AVX2, chosen at run time.

use multiversion::multiversion;

/// `vector += scale × row`, where `row` holds int8 values.
#[multiversion(targets("x86_64+avx2+fma"))]
pub(super) fn add_scaled(vector: &mut [f32], row: &[u8], scale: f32) {
    for (v, r) in vector.iter_mut().zip(row) {
        *v += f32::from(r.cast_signed()) * scale;
    }
}

/// Scales to length 1; zeros stay zeros.
pub(super) fn normalise(vector: &mut [f32]) {
    let square: f32 = vector.iter().map(|v| v * v).sum();
    if square > 0.0 {
        let factor = square.sqrt().recip();
        for v in vector {
            *v *= factor;
        }
    }
}
