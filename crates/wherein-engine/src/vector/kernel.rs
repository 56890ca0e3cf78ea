//! The scan. Plain Rust that the compiler turns into widening multiply-adds; compiled for the baseline and for AVX2 and
//! chosen at run time. The baseline build is the scalar twin.

use multiversion::multiversion;

use super::QueryVector;

/// Cosines of the query with each row: `rows` holds `scales.len()` rows of `query.dimensions()` bytes, `out` as many numbers.
pub fn cosines(query: &QueryVector, rows: &[i8], scales: &[f32], out: &mut [f32]) {
    let dimensions = query.values.len();
    if dimensions == 128 {
        scan::<128>(&query.values, rows, scales, out);
    } else {
        scan_any(&query.values, rows, scales, out);
    }
    scale_by(query.scale, out);
}

/// The same without SIMD beyond the baseline, for comparison.
pub fn cosines_scalar(query: &QueryVector, rows: &[i8], scales: &[f32], out: &mut [f32]) {
    for ((row, scale), out) in rows.chunks_exact(query.values.len()).zip(scales).zip(out.iter_mut()) {
        *out = dot(&query.values, row) as f32 * scale;
    }
    scale_by(query.scale, out);
}

fn scale_by(factor: f32, out: &mut [f32]) {
    for o in out {
        *o *= factor;
    }
}

#[inline(always)]
fn dot(query: &[i16], row: &[i8]) -> i32 {
    query.iter().zip(row).map(|(q, r)| i32::from(*q) * i32::from(*r)).sum()
}

#[multiversion(targets("x86_64+avx2"))]
fn scan<const D: usize>(query: &[i16], rows: &[i8], scales: &[f32], out: &mut [f32]) {
    let Some(query) = query.first_chunk::<D>() else { return };
    for ((row, scale), out) in rows.as_chunks::<D>().0.iter().zip(scales).zip(out) {
        let mut sum = 0i32;
        for i in 0..D {
            sum += i32::from(query[i]) * i32::from(row[i]);
        }
        *out = sum as f32 * scale;
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn scan_any(query: &[i16], rows: &[i8], scales: &[f32], out: &mut [f32]) {
    for ((row, scale), out) in rows.chunks_exact(query.len()).zip(scales).zip(out) {
        *out = dot(query, row) as f32 * scale;
    }
}
