//! A client of `tileir serve --stdio` in Rust, with nothing but the standard library.
//!
//!     cargo run --release -- sm_90 kernel.tileirbc tileir serve --stdio > kernel.ptx
//!
//! It starts the server, has it compile a file, and writes the PTX. Exit code 1: it was refused.
use std::io::{self, BufRead, BufReader, Write};
use std::process::{exit, Command, Stdio};

fn in_base64(data: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(data.len() / 3 * 4 + 4);
    for three in data.chunks(3) {
        let byte = |i: usize| u32::from(*three.get(i).unwrap_or(&0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place > three.len() { '=' } else { digit as char });
        }
    }
    text
}

/// The next message: a header of lines, an empty line, and Content-Length bytes.
fn receive(from: &mut impl BufRead) -> io::Result<String> {
    let mut size = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            return Err(io::Error::other("the server has ended"));
        }
        match line.trim().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("Content-Length") => {
                size = value.trim().parse().map_err(io::Error::other)?;
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; size];
    from.read_exact(&mut body)?;
    String::from_utf8(body).map_err(io::Error::other)
}

/// The text that a key has, if it is anywhere in the JSON. Within texts, quotes are escaped, so
/// what looks like a key is one.
fn text_of(json: &str, key: &str) -> Option<String> {
    let quoted = format!("\"{key}\"");
    let after = &json[json.find(&quoted)? + quoted.len()..];
    let start = after.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let (mut text, mut rest) = (Vec::<u16>::new(), start.chars());
    loop {
        let mut put = |c: char| text.extend_from_slice(c.encode_utf16(&mut [0; 2]));
        match rest.next()? {
            '"' => return Some(String::from_utf16_lossy(&text)),
            '\\' => match rest.next()? {
                'n' => put('\n'),
                'r' => put('\r'),
                't' => put('\t'),
                'b' => put('\u{8}'),
                'f' => put('\u{c}'),
                'u' => {
                    let digits: String = rest.by_ref().take(4).collect();
                    text.push(u16::from_str_radix(&digits, 16).ok()?);
                }
                other => put(other),
            },
            other => put(other),
        }
    }
}

fn compile(target: &str, file: &str, server: &[String]) -> io::Result<Result<String, String>> {
    let module = in_base64(&std::fs::read(file)?);
    let mut child = Command::new(&server[0])
        .args(&server[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let request = format!(
        r#"{{"jsonrpc": "2.0", "id": 1, "method": "compile", "params":
            {{"targets": ["{target}"], "module": "{module}"}}}}"#
    );
    let mut requests = child.stdin.take().expect("a pipe");
    write!(requests, "Content-Length: {}\r\n\r\n{request}", request.len())?;
    drop(requests); // the server ends when it has answered
    let answer = receive(&mut BufReader::new(child.stdout.take().expect("a pipe")))?;
    child.wait()?;
    let refused = || text_of(&answer, "message").unwrap_or_default();
    Ok(text_of(&answer, "ptx").ok_or_else(refused))
}

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [target, file, server @ ..] = &given[..] else { exit(2) };
    match compile(target, file, server) {
        Ok(Ok(ptx)) => io::stdout().write_all(ptx.as_bytes()).expect("a reader"),
        Ok(Err(refused)) => { eprintln!("{refused}"); exit(1) }
        Err(problem) => { eprintln!("client: {problem}"); exit(2) }
    }
}
