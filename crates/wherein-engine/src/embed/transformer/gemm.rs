//! The product of bytes: activations of 8 bits without sign by weights of 8 bits with sign, summed in 32 bits, exactly. Three
//! kernels give the same integers: AVX-512 with VNNI, AVX2, and plain Rust, chosen at run time.
//!
//! This is one of the places where `unsafe` is allowed: the loads of the two SIMD kernels. Each states what it reads; `check`
//! tests the lengths before every tile.

/// Outputs of a panel of packed weights.
const PANEL: usize = 16;
/// Outputs of a tile: two panels.
pub(super) const TILE: usize = 2 * PANEL;
/// Inputs that one 32-bit lane sums up at once.
const QUAD: usize = 4;
/// Rows of a tile, at most.
const ROWS: usize = 12;

/// Sums of a tile, a row an activation row.
type Sums = [[i32; TILE]; ROWS];

/// Weights in the order in which the kernels read them: panels of 16 outputs; in a panel, for each four inputs, the 16 outputs' four
/// weights.
pub(super) struct Packed {
    bytes: Vec<i8>,
    inputs: usize,
    outputs: usize,
}

impl Packed {
    /// Packs a matrix of `outputs` rows of `inputs` bytes; inputs are a multiple of 4, outputs of 32.
    pub(super) fn new(weights: &[i8], inputs: usize, outputs: usize) -> Packed {
        assert!(
            inputs.is_multiple_of(QUAD) && outputs.is_multiple_of(TILE) && weights.len() == inputs * outputs
        );
        let mut bytes = Vec::with_capacity(weights.len());
        for panel in weights.chunks_exact(PANEL * inputs) {
            for at in (0..inputs).step_by(QUAD) {
                for row in panel.chunks_exact(inputs) {
                    bytes.extend_from_slice(&row[at..at + QUAD]);
                }
            }
        }
        Packed { bytes, inputs, outputs }
    }

    /// Bytes of a row of activations.
    pub(super) fn inputs(&self) -> usize {
        self.inputs
    }

    /// Numbers of a row of the product.
    pub(super) fn outputs(&self) -> usize {
        self.outputs
    }
}

/// Multiplies `rows` rows of activations by the weights and hands out tiles: first row, first output, sums of the rows that there are.
pub(super) fn multiply(
    activations: &[u8],
    rows: usize,
    weights: &Packed,
    mut give: impl FnMut(usize, usize, &[[i32; TILE]]),
) {
    let inputs = weights.inputs;
    assert!(activations.len() >= rows * inputs);
    let kernel = kernel();
    let mut sums: Sums = [[0; TILE]; ROWS];
    for (tile, panels) in weights.bytes.chunks_exact(TILE * inputs).enumerate() {
        let (left, right) = panels.split_at(PANEL * inputs);
        for first in (0..rows).step_by(ROWS) {
            let count = ROWS.min(rows - first);
            let here = &activations[first * inputs..(first + count) * inputs];
            kernel(here, inputs, [left, right], &mut sums);
            give(first, tile * TILE, &sums[..count]);
        }
    }
}

/// Sums up the tile of some rows: activations in rows of `inputs`, two panels of `PANEL × inputs` weights.
type Kernel = fn(&[u8], usize, [&[i8]; 2], &mut Sums);

/// The best kernel for this machine.
fn kernel() -> Kernel {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni") {
            return x86::vnni;
        }
        if is_x86_feature_detected!("avx2") {
            return x86::avx2;
        }
    }
    plain
}

/// The kernel that runs everywhere, and says what the others must give.
fn plain(activations: &[u8], inputs: usize, panels: [&[i8]; 2], sums: &mut Sums) {
    for (row, sums) in activations.chunks_exact(inputs).zip(sums.iter_mut()) {
        sums.fill(0);
        for (panel, sums) in panels.iter().zip(sums.as_chunks_mut::<PANEL>().0) {
            for (four, weights) in row.as_chunks::<QUAD>().0.iter().zip(panel.chunks_exact(PANEL * QUAD)) {
                for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<QUAD>().0) {
                    let products = four.iter().zip(weights).map(|(a, w)| i32::from(*a) * i32::from(*w));
                    *sum += products.sum::<i32>();
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "SIMD loads and calls into code for instruction sets that were detected")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{PANEL, QUAD, ROWS, Sums, TILE};

    /// Calls `$tile::<N>` for the N rows that there are.
    macro_rules! for_rows {
        ($tile:ident, $count:expr, $arguments:tt, $($rows:literal)+) => {
            match $count { $($rows => $tile::<$rows> $arguments,)+ _ => {} }
        };
    }

    fn check(activations: &[u8], inputs: usize, panels: [&[i8]; 2]) -> usize {
        let rows = activations.len() / inputs;
        assert!(rows <= ROWS && inputs.is_multiple_of(QUAD));
        assert!(panels.iter().all(|panel| panel.len() == PANEL * inputs));
        rows
    }

    pub(super) fn vnni(activations: &[u8], inputs: usize, panels: [&[i8]; 2], sums: &mut Sums) {
        let rows = check(activations, inputs, panels);
        // SAFETY: `kernel` hands this out only where the features are there; `check` ensures what `vnni_tile` asks for.
        unsafe {
            for_rows!(vnni_tile, rows, (activations, inputs, panels, sums), 1 2 3 4 5 6 7 8 9 10 11 12);
        }
    }

    pub(super) fn avx2(activations: &[u8], inputs: usize, panels: [&[i8]; 2], sums: &mut Sums) {
        let rows = check(activations, inputs, panels);
        let mut at = 0;
        while at < rows {
            let here = &activations[at * inputs..];
            let sums = &mut sums[at..];
            // SAFETY: as in `vnni`; `here` holds the rows that remain, `sums` a row for each.
            unsafe {
                if rows - at >= 2 {
                    avx2_tile::<2>(here, inputs, panels, sums);
                    at += 2;
                } else {
                    avx2_tile::<1>(here, inputs, panels, sums);
                    at += 1;
                }
            }
        }
    }

    /// Four bytes as a number.
    ///
    /// # Safety
    /// `at + 4 <= bytes.len()`.
    #[inline(always)]
    unsafe fn four(bytes: &[u8], at: usize) -> i32 {
        debug_assert!(at + 4 <= bytes.len());
        // SAFETY: the caller's.
        unsafe { bytes.as_ptr().add(at).cast::<i32>().read_unaligned() }
    }

    /// # Safety
    /// AVX-512 F and VNNI are there; `activations` holds `R` rows of `inputs` bytes, each panel `16 × inputs`, inputs come in fours.
    #[target_feature(enable = "avx512f,avx512vnni")]
    unsafe fn vnni_tile<const R: usize>(
        activations: &[u8],
        inputs: usize,
        panels: [&[i8]; 2],
        sums: &mut Sums,
    ) {
        let mut out = [[_mm512_setzero_si512(); 2]; R];
        for at in (0..inputs).step_by(QUAD) {
            // SAFETY: 64 bytes from 16 × at lie in the panel, since at + 4 ≤ inputs.
            let weights = unsafe { panels.map(|p| _mm512_loadu_si512(p.as_ptr().add(PANEL * at).cast())) };
            for (row, out) in out.iter_mut().enumerate() {
                // SAFETY: row < R and at + 4 ≤ inputs.
                let same = _mm512_set1_epi32(unsafe { four(activations, row * inputs + at) });
                out[0] = _mm512_dpbusd_epi32(out[0], same, weights[0]);
                out[1] = _mm512_dpbusd_epi32(out[1], same, weights[1]);
            }
        }
        for (out, sums) in out.iter().zip(sums.iter_mut()) {
            let (left, right) = sums.split_at_mut(PANEL);
            // SAFETY: each half has room for 16 numbers.
            unsafe {
                _mm512_storeu_si512(left.as_mut_ptr().cast(), out[0]);
                _mm512_storeu_si512(right.as_mut_ptr().cast(), out[1]);
            }
        }
    }

    /// # Safety
    /// As [`vnni_tile`], with AVX2 alone; `sums` holds `R` rows at least.
    #[target_feature(enable = "avx2")]
    unsafe fn avx2_tile<const R: usize>(
        activations: &[u8],
        inputs: usize,
        panels: [&[i8]; 2],
        sums: &mut [[i32; TILE]],
    ) {
        for (panel, first) in panels.into_iter().zip([0, PANEL]) {
            // Two sums for each of 16 outputs: of the first and of the last two of every four inputs.
            let mut out = [[_mm256_setzero_si256(); 4]; R];
            for at in (0..inputs).step_by(QUAD) {
                let mut weights = [_mm256_setzero_si256(); 4];
                for (quarter, weights) in weights.iter_mut().enumerate() {
                    // SAFETY: 16 bytes from 16 × at + 16 × quarter lie in the panel.
                    let bytes = unsafe { _mm_loadu_si128(panel.as_ptr().add(PANEL * (at + quarter)).cast()) };
                    *weights = _mm256_cvtepi8_epi16(bytes);
                }
                for (row, out) in out.iter_mut().enumerate() {
                    // SAFETY: row < R and at + 4 ≤ inputs.
                    let same = _mm_set1_epi32(unsafe { four(activations, row * inputs + at) });
                    let wide = _mm256_cvtepu8_epi16(same);
                    for (out, weights) in out.iter_mut().zip(weights) {
                        *out = _mm256_add_epi32(*out, _mm256_madd_epi16(wide, weights));
                    }
                }
            }
            for (out, sums) in out.iter().zip(sums.iter_mut()) {
                for (half, at) in [(0, 0), (2, 8)] {
                    let pairs = _mm256_hadd_epi32(out[half], out[half + 1]);
                    let ordered = _mm256_permute4x64_epi64::<0b11_01_10_00>(pairs);
                    let to = &mut sums[first + at..first + at + 8];
                    // SAFETY: `to` has room for 8 numbers.
                    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), ordered) };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_gives_the_same_integers() {
        let mut seed = 7u32;
        let mut byte = move || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        };
        for (inputs, rows) in [(4, 1), (8, 3), (384, 12), (1536, 11), (64, 7)] {
            let activations: Vec<u8> = (0..rows * inputs).map(|_| byte()).collect();
            let weights: Vec<i8> = (0..TILE * inputs).map(|_| byte().cast_signed()).collect();
            let packed = Packed::new(&weights, inputs, TILE);
            let (left, right) = packed.bytes.split_at(PANEL * inputs);
            let run = |kernel: Kernel| {
                let mut sums = [[-1; TILE]; ROWS];
                kernel(&activations, inputs, [left, right], &mut sums);
                sums[..rows].to_vec()
            };
            let expected = run(plain);
            let (row, output) = (rows - 1, TILE - 3);
            let direct = (0..inputs)
                .map(|i| i32::from(activations[row * inputs + i]) * i32::from(weights[output * inputs + i]));
            assert_eq!(expected[row][output], direct.sum::<i32>());
            #[cfg(target_arch = "x86_64")]
            {
                if is_x86_feature_detected!("avx2") {
                    assert_eq!(run(x86::avx2), expected);
                }
                if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni") {
                    assert_eq!(run(x86::vnni), expected);
                }
            }
        }
    }
}
