//! Files of a model from the hub: resumed where a try broke off, checked against the checksum that the hub names. Nothing else in
//! the program fetches anything, and this only when it is told to.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use sha2::{Digest, Sha256};
use ureq::Agent;
use ureq::http::Response;

use crate::ui::Ui;

/// Where models come from, unless something else is said.
pub(crate) const HUB: &str = "https://huggingface.co";

/// How often a file may be somewhere else.
const MOST_REDIRECTS: u32 = 5;

/// The hub.
pub(crate) struct Hub {
    /// Its address.
    pub(crate) base: String,
}

/// Fetches one file of a model into a folder. False where the model has no such file.
pub(crate) fn fetch(hub: &Hub, model: &str, file: &str, folder: &Path, ui: &Ui) -> anyhow::Result<bool> {
    let target = folder.join(file);
    if target.is_file() {
        return Ok(true);
    }
    if let Some(above) = target.parent() {
        fs::create_dir_all(above).with_context(|| format!("create {}", above.display()))?;
    }
    let url = format!("{}/{model}/resolve/main/{file}", hub.base.trim_end_matches('/'));
    let partial = PathBuf::from(format!("{}.partial", target.display()));
    let had = fs::metadata(&partial).map_or(0, |meta| meta.len());
    let (mut response, mut checksum) = get(&url, had)?;
    if response.status() == 416 {
        // As long as the file or longer: what it is nobody knows.
        fs::remove_file(&partial).with_context(|| format!("remove {}", partial.display()))?;
        (response, checksum) = get(&url, 0)?;
    }
    let had = match response.status().as_u16() {
        200 => 0,
        206 => had,
        404 => return Ok(false),
        other => bail!("{url} answered {other}"),
    };
    let kind = header(&response, "content-type").unwrap_or_default();
    ensure!(
        !kind.starts_with("text/html"),
        "{url} answered with a web page, not with the file: is a proxy in between that wants a login? `wherein model add FOLDER` needs no network"
    );
    write(response, &partial, had, (file, ui))
        .with_context(|| format!("fetch {url}; another try goes on where it broke off"))?;
    finish(&partial, &target, checksum)?;
    Ok(true)
}

/// Asks for a file from a byte on, following where the hub leads; with it the SHA-256 that the hub named on the way.
fn get(url: &str, from: u64) -> anyhow::Result<(Response<ureq::Body>, Option<String>)> {
    let agent = Agent::new_with_config(
        Agent::config_builder()
            .timeout_connect(Some(Duration::from_secs(20)))
            .timeout_recv_response(Some(Duration::from_secs(60)))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build(),
    );
    let (mut at, mut checksum) = (url.to_owned(), None);
    for _ in 0..=MOST_REDIRECTS {
        let mut request = agent.get(&at);
        if from > 0 {
            request = request.header("Range", format!("bytes={from}-"));
        }
        let response = request.call().with_context(|| format!("fetch {at}"))?;
        // The hub names it where it leads on, the place it leads to does not; of small files it names another hash.
        let tag = header(&response, "x-linked-etag").map(|tag| tag.trim_matches('"').to_owned());
        checksum = checksum.or(tag.filter(|sum| sum.len() == 64));
        let next = header(&response, "location").filter(|_| response.status().is_redirection());
        let Some(next) = next else { return Ok((response, checksum)) };
        at = if next.starts_with('/') { format!("{}{next}", origin(&at)) } else { next };
        ensure!(
            !url.starts_with("https://") || at.starts_with("https://"),
            "{url} leads to {at}, which is not encrypted"
        );
    }
    bail!("{url} leads on and on")
}

/// Scheme and host of an address.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    url[host..].find('/').map_or(url, |slash| &url[..host + slash])
}

fn header(response: &Response<ureq::Body>, name: &str) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

/// Appends what comes to what was there.
fn write(
    response: Response<ureq::Body>,
    partial: &Path,
    had: u64,
    (file, ui): (&str, &Ui),
) -> anyhow::Result<()> {
    let length: Option<u64> = header(&response, "content-length").and_then(|text| text.parse().ok());
    let mut out =
        OpenOptions::new().create(true).append(had > 0).write(true).truncate(had == 0).open(partial)?;
    let bar = ui.bytes(file, length.map(|rest| had + rest), had);
    let mut reader = response.into_body().into_reader();
    let mut buffer = vec![0; 1 << 16];
    let mut got = 0;
    loop {
        let count = reader.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        out.write_all(&buffer[..count])?;
        got += count as u64;
        bar.inc(count as u64);
    }
    bar.finish_and_clear();
    out.sync_all()?;
    if length.is_some_and(|wanted| wanted != got) {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    Ok(())
}

/// Checks a file and gives it its name. One that is not what it should be is removed, so that another try begins anew.
fn finish(partial: &Path, target: &Path, checksum: Option<String>) -> anyhow::Result<()> {
    if let Some(wanted) = checksum {
        let mut hasher = Sha256::new();
        io::copy(&mut File::open(partial)?, &mut hasher)?;
        let found: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        if found != wanted {
            fs::remove_file(partial)?;
            bail!(
                "{} arrived with the checksum {found}, not {wanted}; another try fetches it anew",
                target.display()
            );
        }
    }
    fs::rename(partial, target).with_context(|| format!("rename {}", partial.display()))
}
