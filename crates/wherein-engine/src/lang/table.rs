//! The rows. Order is part of the index format: [`LangId`](super::LangId) is a place in it, so new rows go to the end.

use super::{Cutter, Form, Language};

macro_rules! syntax {
    ($grammar:path, $query:literal) => {
        Cutter::Syntax {
            grammar: || $grammar.into(),
            query: include_str!(concat!("queries/", $query, ".scm")),
        }
    };
}

/// Every known language; the first is the fallback.
#[rustfmt::skip]
pub static LANGUAGES: &[Language] = &[
    Language { id: "text", aliases: &["txt"], extensions: &["txt", "text", "log", "tex", "bib"], names: &["license", "copying", "notice", "authors", "changelog", "readme", "todo", "makefile.am"], shebangs: &[], form: Form::Prose, cutter: Cutter::Lines },
    Language { id: "markdown", aliases: &["md"], extensions: &["md", "markdown", "mdown", "mkd", "mdx", "rmd", "qmd"], names: &[], shebangs: &[], form: Form::Prose, cutter: Cutter::Markdown },
    Language { id: "rst", aliases: &["restructuredtext"], extensions: &["rst", "rest", "adoc", "asciidoc", "org", "textile"], names: &[], shebangs: &[], form: Form::Prose, cutter: Cutter::Lines },
    Language { id: "rust", aliases: &["rs"], extensions: &["rs"], names: &[], shebangs: &["rust-script"], form: Form::Code, cutter: syntax!(tree_sitter_rust::LANGUAGE, "rust") },
    Language { id: "python", aliases: &["py"], extensions: &["py", "pyi", "pyw", "pyx", "bzl", "star"], names: &["build", "workspace", "sconstruct", "wscript", "tiltfile"], shebangs: &["python", "pypy"], form: Form::Code, cutter: syntax!(tree_sitter_python::LANGUAGE, "python") },
    Language { id: "javascript", aliases: &["js"], extensions: &["js", "jsx", "mjs", "cjs", "es6"], names: &["jakefile"], shebangs: &["node", "deno", "bun"], form: Form::Code, cutter: syntax!(tree_sitter_javascript::LANGUAGE, "javascript") },
    Language { id: "typescript", aliases: &["ts"], extensions: &["ts", "mts", "cts"], names: &[], shebangs: &["ts-node", "tsx"], form: Form::Code, cutter: syntax!(tree_sitter_typescript::LANGUAGE_TYPESCRIPT, "typescript") },
    Language { id: "tsx", aliases: &[], extensions: &["tsx"], names: &[], shebangs: &[], form: Form::Code, cutter: syntax!(tree_sitter_typescript::LANGUAGE_TSX, "typescript") },
    Language { id: "go", aliases: &["golang"], extensions: &["go"], names: &[], shebangs: &[], form: Form::Code, cutter: syntax!(tree_sitter_go::LANGUAGE, "go") },
    Language { id: "java", aliases: &[], extensions: &["java"], names: &[], shebangs: &[], form: Form::Code, cutter: syntax!(tree_sitter_java::LANGUAGE, "java") },
    Language { id: "c", aliases: &[], extensions: &["c"], names: &[], shebangs: &[], form: Form::Code, cutter: syntax!(tree_sitter_c::LANGUAGE, "c") },
    Language { id: "cpp", aliases: &["c++"], extensions: &["cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "h++", "inl", "ipp", "tpp", "inc", "cu", "cuh", "ino"], names: &[], shebangs: &[], form: Form::Code, cutter: syntax!(tree_sitter_cpp::LANGUAGE, "cpp") },
    Language { id: "csharp", aliases: &["c#", "cs"], extensions: &["cs", "csx"], names: &[], shebangs: &[], form: Form::Code, cutter: syntax!(tree_sitter_c_sharp::LANGUAGE, "csharp") },
    Language { id: "ruby", aliases: &["rb"], extensions: &["rb", "rake", "gemspec", "ru", "podspec"], names: &["rakefile", "gemfile", "podfile", "vagrantfile", "fastfile", "guardfile", "brewfile"], shebangs: &["ruby", "jruby"], form: Form::Code, cutter: syntax!(tree_sitter_ruby::LANGUAGE, "ruby") },
    Language { id: "php", aliases: &[], extensions: &["php", "phtml", "php5"], names: &[], shebangs: &["php"], form: Form::Code, cutter: syntax!(tree_sitter_php::LANGUAGE_PHP, "php") },
    Language { id: "kotlin", aliases: &["kt"], extensions: &["kt", "kts"], names: &[], shebangs: &["kotlin"], form: Form::Code, cutter: syntax!(tree_sitter_kotlin_sg::LANGUAGE, "kotlin") },
    Language { id: "swift", aliases: &[], extensions: &["swift"], names: &[], shebangs: &["swift"], form: Form::Code, cutter: syntax!(tree_sitter_swift::LANGUAGE, "swift") },
    Language { id: "dart", aliases: &[], extensions: &["dart"], names: &[], shebangs: &["dart"], form: Form::Code, cutter: syntax!(tree_sitter_dart::LANGUAGE, "dart") },
    Language { id: "scala", aliases: &[], extensions: &["scala", "sc", "sbt"], names: &[], shebangs: &["scala"], form: Form::Code, cutter: syntax!(tree_sitter_scala::LANGUAGE, "scala") },
    Language { id: "elixir", aliases: &["ex"], extensions: &["ex", "exs"], names: &["mix.lock"], shebangs: &["elixir"], form: Form::Code, cutter: syntax!(tree_sitter_elixir::LANGUAGE, "elixir") },
    Language { id: "haskell", aliases: &["hs"], extensions: &["hs"], names: &[], shebangs: &["runhaskell", "runghc"], form: Form::Code, cutter: syntax!(tree_sitter_haskell::LANGUAGE, "haskell") },
    Language { id: "lua", aliases: &[], extensions: &["lua", "luau", "rockspec"], names: &[], shebangs: &["lua", "luajit"], form: Form::Code, cutter: syntax!(tree_sitter_lua::LANGUAGE, "lua") },
    Language { id: "bash", aliases: &["sh", "shell"], extensions: &["sh", "bash", "zsh", "ksh", "bats", "ebuild"], names: &[".bashrc", ".bash_profile", ".bash_aliases", ".zshrc", ".profile", "pkgbuild"], shebangs: &["sh", "bash", "zsh", "dash", "ksh", "ash"], form: Form::Code, cutter: syntax!(tree_sitter_bash::LANGUAGE, "bash") },
    Language { id: "zig", aliases: &[], extensions: &["zig", "zon"], names: &[], shebangs: &[], form: Form::Code, cutter: syntax!(tree_sitter_zig::LANGUAGE, "zig") },
    Language { id: "sql", aliases: &[], extensions: &["sql", "ddl", "pgsql"], names: &[], shebangs: &[], form: Form::Code, cutter: syntax!(tree_sitter_sequel::LANGUAGE, "sql") },
    Language { id: "html", aliases: &[], extensions: &["html", "htm", "xhtml", "vue", "svelte"], names: &[], shebangs: &[], form: Form::Markup, cutter: syntax!(tree_sitter_html::LANGUAGE, "html") },
    Language { id: "css", aliases: &[], extensions: &["css", "scss", "less"], names: &[], shebangs: &[], form: Form::Markup, cutter: syntax!(tree_sitter_css::LANGUAGE, "css") },
    Language { id: "json", aliases: &[], extensions: &["json", "jsonc", "json5", "webmanifest", "geojson", "ipynb"], names: &[".babelrc", ".eslintrc", ".prettierrc"], shebangs: &[], form: Form::Data, cutter: syntax!(tree_sitter_json::LANGUAGE, "json") },
    Language { id: "yaml", aliases: &["yml"], extensions: &["yaml", "yml"], names: &[".clang-format", ".clang-tidy"], shebangs: &[], form: Form::Data, cutter: syntax!(tree_sitter_yaml::LANGUAGE, "yaml") },
    Language { id: "toml", aliases: &[], extensions: &["toml"], names: &["cargo.lock", "poetry.lock", "uv.lock"], shebangs: &[], form: Form::Data, cutter: syntax!(tree_sitter_toml_ng::LANGUAGE, "toml") },
    Language { id: "ini", aliases: &["properties"], extensions: &["ini", "cfg", "conf", "properties", "env", "desktop", "service"], names: &[".gitignore", ".gitattributes", ".dockerignore", ".editorconfig", ".npmignore"], shebangs: &[], form: Form::Data, cutter: Cutter::Lines },
    Language { id: "xml", aliases: &[], extensions: &["xml", "xsd", "xsl", "xslt", "plist", "csproj", "svg", "pom", "xib", "storyboard"], names: &[], shebangs: &[], form: Form::Data, cutter: Cutter::Lines },
    Language { id: "make", aliases: &["makefile"], extensions: &["mk", "mak", "make"], names: &["makefile", "gnumakefile", "justfile"], shebangs: &["make"], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "cmake", aliases: &[], extensions: &["cmake"], names: &["cmakelists.txt"], shebangs: &[], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "dockerfile", aliases: &["docker"], extensions: &["dockerfile"], names: &["dockerfile", "containerfile"], shebangs: &[], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "perl", aliases: &["pl"], extensions: &["pl", "pm", "t", "pod"], names: &[], shebangs: &["perl"], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "r", aliases: &[], extensions: &["r"], names: &[], shebangs: &["rscript"], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "julia", aliases: &["jl"], extensions: &["jl"], names: &[], shebangs: &["julia"], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "objective-c", aliases: &["objc"], extensions: &["m", "mm"], names: &[], shebangs: &[], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "groovy", aliases: &["gradle"], extensions: &["groovy", "gradle"], names: &["jenkinsfile"], shebangs: &["groovy"], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "clojure", aliases: &["clj"], extensions: &["clj", "cljs", "cljc", "edn"], names: &[], shebangs: &["bb"], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "erlang", aliases: &["erl"], extensions: &["erl", "hrl"], names: &["rebar.config"], shebangs: &["escript"], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "ocaml", aliases: &["ml"], extensions: &["ml", "mli"], names: &["dune"], shebangs: &["ocaml"], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "fsharp", aliases: &["f#"], extensions: &["fs", "fsi", "fsx"], names: &[], shebangs: &[], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "nim", aliases: &[], extensions: &["nim"], names: &[], shebangs: &[], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "powershell", aliases: &["ps1"], extensions: &["ps1", "psm1", "psd1"], names: &[], shebangs: &["pwsh"], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "vim", aliases: &["viml"], extensions: &["vim"], names: &[".vimrc"], shebangs: &[], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "lisp", aliases: &["elisp"], extensions: &["el", "lisp", "lsp", "scm", "rkt"], names: &[], shebangs: &[], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "fish", aliases: &[], extensions: &["fish"], names: &[], shebangs: &["fish"], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "solidity", aliases: &["sol"], extensions: &["sol"], names: &[], shebangs: &[], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "protobuf", aliases: &["proto"], extensions: &["proto", "thrift", "fbs"], names: &[], shebangs: &[], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "graphql", aliases: &["gql"], extensions: &["graphql", "gql", "graphqls"], names: &[], shebangs: &[], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "terraform", aliases: &["hcl"], extensions: &["tf", "hcl", "tfvars"], names: &[], shebangs: &[], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "nix", aliases: &[], extensions: &["nix"], names: &[], shebangs: &[], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "assembly", aliases: &["asm"], extensions: &["s", "asm"], names: &[], shebangs: &[], form: Form::Code, cutter: Cutter::Lines },
    Language { id: "csv", aliases: &["tsv"], extensions: &["csv", "tsv"], names: &[], shebangs: &[], form: Form::Data, cutter: Cutter::Lines },
];
