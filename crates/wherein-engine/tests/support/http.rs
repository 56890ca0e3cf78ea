//! A little HTTP server on loopback, for what talks to one.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;

/// A request: path, headers in lower case, body.
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) headers: String,
    pub(crate) body: Vec<u8>,
}

/// An answer: status, further headers, body, and how much of the body is really sent.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: Vec<u8>,
    pub(crate) sent: usize,
}

impl Response {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Response {
        let body = body.into();
        Response { status, headers: String::new(), sent: body.len(), body }
    }
}

/// Answers every request until the test ends; returns the address.
pub(crate) fn serve(answer: impl Fn(&Request) -> Response + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap() == 0 || line == "\r\n" {
                    break;
                }
                let line = if head.is_empty() { line } else { line.to_lowercase() };
                if let Some(value) = line.strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                head += &line;
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let path = head.split(' ').nth(1).unwrap().to_owned();
            let Response { status, headers, body, sent } = answer(&Request { path, headers: head, body });
            let head = format!(
                "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n",
                body.len()
            );
            // A client that had enough may hang up.
            drop(reader.get_mut().write_all(&[head.as_bytes(), &body[..sent]].concat()));
        }
    });
    url
}
