//! Files that are binary by name.

/// Extensions that never hold text, sorted, lower case.
static EXTENSIONS: &[&str] = &[
    "3gp", "7z", "a", "aab", "aac", "ai", "aiff", "apk", "ar", "arrow", "avi", "avif", "bin", "blend", "bmp", "br", "bz2",
    "cab", "cer", "class", "crx", "dat", "db", "dds", "deb", "der", "dll", "dmg", "doc", "docx", "dylib", "ear", "egg", "eot",
    "exe", "fbx", "fig", "flac", "flv", "gif", "glb", "gz", "h5", "heic", "icns", "ico", "idx", "ipa", "iso", "jar", "jks",
    "jpeg", "jpg", "keystore", "lance", "lib", "lz4", "lzma", "m4a", "m4v", "mdb", "mkv", "mobileprovision", "mov", "mp3",
    "mp4", "mpeg", "mpg", "msi", "node", "npy", "npz", "o", "obj", "odp", "ods", "odt", "ogg", "ogv", "onnx", "opus", "otf",
    "p12", "pack", "parquet", "pb", "pdf", "pfx", "pkg", "pkl", "png", "ppt", "pptx", "psd", "pt", "pth", "pyc", "pyd", "pyo",
    "rar", "realm", "rlib", "rmeta", "rpm", "safetensors", "sketch", "so", "sqlite", "sqlite3", "swf", "tar", "tflite", "tgz",
    "tif", "tiff", "ttc", "ttf", "wasm", "wav", "webm", "webp", "whl", "wma", "wmv", "woff", "woff2", "xls", "xlsx", "xz",
    "z", "zip", "zst",
];

/// Folders that are binary bundles whatever lies in them, lower case, with their dot.
static BUNDLES: &[&str] = &[".dsym", ".framework", ".xcarchive", ".xcassets"];

/// Whether a path names a binary file.
pub(super) fn by_path(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let extension = name.rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase());
    extension.is_some_and(|e| EXTENSIONS.binary_search(&e.as_str()).is_ok())
        || folders.split('/').any(|folder| {
            let folder = folder.to_ascii_lowercase();
            BUNDLES.iter().any(|b| folder.ends_with(b))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        assert!(EXTENSIONS.is_sorted());
        for (path, want) in [
            ("a.PNG", true),
            ("x/App.dSYM/Contents/Info.plist", true),
            ("src/png.rs", false),
            ("Makefile", false),
            ("data.db", true),
            (".gitignore", false),
        ] {
            assert_eq!(by_path(path), want, "{path}");
        }
    }
}
