//! A safetensors file as float matrices, whatever its precision.

use std::path::{Path, PathBuf};

use half::{bf16, f16};
use ndarray::{Array1, Array2};
use safetensors::{Dtype, SafeTensors};

use crate::error::{Error, IoContext, Result};

/// The bytes of a file of weights.
pub(super) struct WeightFile {
    path: PathBuf,
    bytes: Vec<u8>,
}

/// The tensors of a file.
pub(super) struct Weights<'a> {
    path: &'a Path,
    tensors: SafeTensors<'a>,
    /// What the names of the encoder's tensors begin with: `bert.` where a head stands beside it.
    prefix: String,
}

impl WeightFile {
    pub(super) fn read(path: &Path) -> Result<WeightFile> {
        Ok(WeightFile { path: path.to_path_buf(), bytes: std::fs::read(path).context("read", path)? })
    }

    pub(super) fn weights(&self) -> Result<Weights<'_>> {
        let tensors = SafeTensors::deserialize(&self.bytes).map_err(|e| Error::Model {
            model: self.path.display().to_string(),
            message: format!("is no safetensors file: {e}"),
        })?;
        let word = "embeddings.word_embeddings.weight";
        let prefix =
            tensors.names().iter().find_map(|name| name.strip_suffix(word)).unwrap_or_default().to_owned();
        Ok(Weights { path: &self.path, tensors, prefix })
    }
}

impl Weights<'_> {
    /// Whether the encoder has a tensor.
    pub(super) fn has(&self, name: &str) -> bool {
        self.tensors.tensor(&format!("{}{name}", self.prefix)).is_ok()
    }

    /// Whether a head that scores stands on the encoder.
    pub(super) fn has_head(&self) -> bool {
        ["classifier.weight", "classifier.out_proj.weight"]
            .iter()
            .any(|name| self.tensors.tensor(name).is_ok())
    }

    /// Whether there is a tensor of that whole name.
    pub(super) fn has_named(&self, name: &str) -> bool {
        self.tensors.tensor(name).is_ok()
    }

    /// A matrix of the encoder.
    pub(super) fn matrix(&self, name: &str) -> Result<Array2<f32>> {
        self.named_matrix(&format!("{}{name}", self.prefix))
    }

    /// A vector of the encoder.
    pub(super) fn vector(&self, name: &str) -> Result<Array1<f32>> {
        self.named_vector(&format!("{}{name}", self.prefix))
    }

    /// A vector that may be left out, as zeros.
    pub(super) fn vector_or_zeros(&self, name: &str, length: usize) -> Result<Array1<f32>> {
        if self.has(name) { self.vector(name) } else { Ok(Array1::zeros(length)) }
    }

    /// A matrix by its whole name.
    pub(super) fn named_matrix(&self, name: &str) -> Result<Array2<f32>> {
        let (shape, values) = self.floats(name)?;
        let [rows, columns] = shape[..] else { return Err(self.wrong(name, "is no matrix")) };
        Array2::from_shape_vec((rows, columns), values).map_err(|_| self.wrong(name, "is cut short"))
    }

    /// A vector by its whole name.
    pub(super) fn named_vector(&self, name: &str) -> Result<Array1<f32>> {
        Ok(Array1::from(self.floats(name)?.1))
    }

    /// Whole numbers by their whole name; `None` where there are none.
    pub(super) fn named_integers(&self, name: &str) -> Result<Option<Vec<usize>>> {
        let Ok(tensor) = self.tensors.tensor(name) else { return Ok(None) };
        let data = tensor.data();
        let wide = |value: i64| usize::try_from(value).map_err(|_| self.wrong(name, "is below zero"));
        let values = match tensor.dtype() {
            Dtype::I64 => data.as_chunks::<8>().0.iter().map(|b| wide(i64::from_le_bytes(*b))).collect(),
            Dtype::I32 => {
                data.as_chunks::<4>().0.iter().map(|b| wide(i32::from_le_bytes(*b).into())).collect()
            }
            other => Err(self.wrong(name, &format!("has numbers of a kind that is not read: {other:?}"))),
        };
        values.map(Some)
    }

    fn floats(&self, name: &str) -> Result<(Vec<usize>, Vec<f32>)> {
        let tensor = self.tensors.tensor(name).map_err(|_| self.wrong(name, "is missing"))?;
        let data = tensor.data();
        let values = match tensor.dtype() {
            Dtype::F32 => data.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect(),
            Dtype::F16 => data.as_chunks::<2>().0.iter().map(|b| f16::from_le_bytes(*b).to_f32()).collect(),
            Dtype::BF16 => data.as_chunks::<2>().0.iter().map(|b| bf16::from_le_bytes(*b).to_f32()).collect(),
            other => {
                return Err(self.wrong(name, &format!("has numbers of a kind that is not read: {other:?}")));
            }
        };
        Ok((tensor.shape().to_vec(), values))
    }

    /// An error about the file as a whole.
    pub(super) fn unfit(&self, message: &str) -> Error {
        Error::Model { model: self.path.display().to_string(), message: message.to_owned() }
    }

    fn wrong(&self, name: &str, what: &str) -> Error {
        Error::Model { model: self.path.display().to_string(), message: format!("tensor {name} {what}") }
    }
}
