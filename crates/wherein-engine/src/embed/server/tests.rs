use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[path = "../../../tests/support/http.rs"]
mod http;

/// A server on loopback that answers each call with what `answer` makes of its path, body and number.
fn serve(
    answer: impl Fn(&str, &Value, usize) -> (u16, String) + Send + 'static,
) -> (String, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    let url = http::serve(move |request| {
        assert!(request.headers.contains("authorization: bearer secret"), "{}", request.headers);
        let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
        let (status, text) = answer(&request.path, &body, count.fetch_add(1, Ordering::SeqCst));
        http::Response::new(status, text)
    });
    (url, calls)
}

fn server(api: Api, url: String) -> Server {
    Server { api, url, model: "m".into(), prefixes: ("q: ".into(), "p: ".into()), key: Some("secret".into()) }
}

/// A vector that tells the text: its length, and 1.
fn vectors(body: &Value) -> Vec<Vec<f32>> {
    let texts = body["input"].as_array().unwrap();
    texts.iter().map(|t| vec![t.as_str().unwrap().len() as f32, 1.0]).collect()
}

#[test]
fn both_ways_of_talking_give_the_vectors_in_order() {
    let ollama = serve(|path, body, _| {
        assert_eq!((path, body["model"].as_str()), ("/api/embed", Some("m")));
        (200, json!({"embeddings": vectors(body)}).to_string())
    });
    let openai = serve(|path, body, _| {
        assert_eq!(path, "/v1/embeddings");
        let data = vectors(body).into_iter().enumerate().rev();
        let data: Vec<Value> = data.map(|(index, v)| json!({"index": index, "embedding": v})).collect();
        (200, json!({"data": data}).to_string())
    });
    for server in [server(Api::Ollama, ollama.0), server(Api::OpenAi, openai.0 + "/v1")] {
        let model = ServerModel::connect(&server).unwrap();
        assert_eq!(model.dimensions(), 2);
        let texts: Vec<String> = (0..50).map(|i| "x".repeat(i)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut out = vec![0.0; 100];
        model.embed(Role::Passage, &texts, &mut out).unwrap();
        for (i, vector) in out.chunks_exact(2).enumerate() {
            // Its prefix counts.
            assert!((vector[0] / vector[1] - (i + 3) as f32).abs() < 1e-3, "{i}: {vector:?}");
        }
    }
}

#[test]
fn what_passes_is_tried_again_and_what_does_not_is_told() {
    let (url, calls) = serve(|_, body, call| match call {
        1 | 2 => (503, "loading".into()),
        _ => (200, json!({"embeddings": vectors(body)}).to_string()),
    });
    let model = ServerModel::connect(&server(Api::Ollama, url)).unwrap();
    assert!(model.vector(Role::Passage, "x").is_ok());
    assert_eq!(calls.load(Ordering::SeqCst), 4);
    let (url, calls) = serve(|_, _, _| (404, r#"{"error": "model 'm' not found, try pulling it"}"#.into()));
    let error = ServerModel::connect(&server(Api::Ollama, url)).err().unwrap().to_string();
    assert!(error.contains("try pulling it") && error.contains("404"), "{error}");
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    // What a proxy says is no vector.
    let (url, _) = serve(|_, _, _| (200, "<!doctype html><title>Please log in</title>".into()));
    let error = ServerModel::connect(&server(Api::OpenAi, url)).err().unwrap().to_string();
    assert!(error.contains("no vectors"), "{error}");
}

#[test]
fn a_server_that_is_down_is_named() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = ServerModel::connect(&server(Api::Ollama, format!("http://{closed}"))).err().unwrap();
    assert!(error.to_string().contains(&closed.to_string()), "{error}");
    assert!(error.hint().unwrap().contains("server"), "{error}");
}
