//! Opens pages in Chromium, without a window and without a network.

use crate::pictures;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The width and the height of pages in pixels.
pub const SIZE: u32 = 320;

/// A test fails if its page is not shown after this time. Pages take seconds.
const LIMIT: Duration = Duration::from_secs(600);

/// What Chromium logs about its own software renderer.
const DRIVER_MESSAGE: &str = "GPU stall due to ReadPixels";

/// A browser with one page. It is controlled by the Chrome DevTools Protocol: JSON messages that end with a zero byte.
pub struct Browser {
    program: Child,
    commands: ChildStdin,
    messages: BufReader<ChildStdout>,
    last_id: u64,
    session: Value,
    /// What pages logged, and their requests to a network.
    problems: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    /// Starts Chromium: `chromium`, or the program in the variable `CHROMIUM`.
    pub fn new() -> Self {
        let program = std::env::var("CHROMIUM").unwrap_or_else(|_| "chromium".to_owned());
        let profile = tempfile::tempdir().unwrap();
        // Commands are read from file 3, and messages are written to file 4.
        let mut started = Command::new("sh")
            .args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 >/dev/null"#, &program])
            .args(["--headless", "--no-sandbox", "--enable-unsafe-swiftshader"])
            .args(["--remote-debugging-pipe", "--no-first-run"])
            .arg("--host-resolver-rules=MAP * ~NOTFOUND")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut browser = Self {
            commands: started.stdin.take().unwrap(),
            messages: BufReader::new(started.stdout.take().unwrap()),
            program: started,
            last_id: 0,
            session: Value::Null,
            problems: Vec::new(),
            _profile: profile,
        };
        let page = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let page = json!({ "targetId": page["targetId"], "flatten": true });
        browser.session = browser.call("Target.attachToTarget", page)["sessionId"].take();
        for domain in ["Log", "Network", "Page", "Runtime"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        let size =
            json!({ "width": SIZE, "height": SIZE, "deviceScaleFactor": 1, "mobile": false });
        browser.call("Emulation.setDeviceMetricsOverride", size);
        browser
    }

    /// Sends a command, and returns its result.
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let mut command = json!({ "id": self.last_id, "method": method, "params": params });
        if !self.session.is_null() {
            command["sessionId"] = self.session.clone();
        }
        let missing =
            "Chromium ended, or was not found: install the package chromium, or set CHROMIUM";
        write!(self.commands, "{command}\0").expect(missing);
        loop {
            let mut message = Vec::new();
            self.messages.read_until(0, &mut message).unwrap();
            assert_eq!(message.pop(), Some(0), "{missing}");
            let mut message: Value = serde_json::from_slice(&message).unwrap();
            if message["id"] == self.last_id {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].take();
            }
            self.note(&message);
        }
    }

    /// Keeps what pages must not do.
    fn note(&mut self, message: &Value) {
        let params = &message["params"];
        let is_problem = match message["method"].as_str() {
            Some("Runtime.consoleAPICalled" | "Runtime.exceptionThrown") => true,
            Some("Log.entryAdded") => !params["entry"]["text"].to_string().contains(DRIVER_MESSAGE),
            Some("Network.requestWillBeSent") => {
                let url = params["request"]["url"].as_str().unwrap();
                !["about:", "blob:", "data:", "file:"]
                    .iter()
                    .any(|scheme| url.starts_with(scheme))
            }
            _ => false,
        };
        if is_problem {
            self.problems.push(message.to_string());
        }
    }

    /// The value of an expression in the page. Waits for promises.
    #[track_caller]
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut result = self.call("Runtime.evaluate", params);
        assert!(
            result["exceptionDetails"].is_null(),
            "{expression}: {result}"
        );
        result["result"]["value"].take()
    }

    /// Opens a page with this state after `#` in its address, and waits until it shows its model.
    #[track_caller]
    pub fn open(&mut self, page: &Path, state: &str) {
        // Otherwise an address that differs only in its state does not load the page again.
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        let mut url = format!("file://{}", page.display());
        for (from, to) in [("%", "%25"), (" ", "%20"), ("?", "%3F"), ("#", "%23")] {
            url = url.replace(from, to);
        }
        self.call("Page.navigate", json!({ "url": format!("{url}#{state}") }));
        let start = Instant::now();
        loop {
            let state = self.evaluate("document.documentElement?.dataset.state ?? ''");
            if state == "ready" {
                break;
            }
            let message = "document.getElementById('message')?.textContent";
            assert_ne!(
                state,
                "failed",
                "{}: {}",
                page.display(),
                self.evaluate(message)
            );
            assert!(start.elapsed() < LIMIT, "{} is not shown", page.display());
            std::thread::sleep(Duration::from_millis(50));
        }
        self.wait_for_frame();
        assert!(
            self.problems.is_empty(),
            "{}: {:#?}",
            page.display(),
            self.problems
        );
    }

    /// Changes the state after `#` in the address.
    #[track_caller]
    pub fn set_state(&mut self, state: &str) {
        self.evaluate(&format!("void (location.hash = {})", json!(state)));
        self.wait_for_frame();
    }

    /// Presses a key, such as `f`.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                json!({ "type": kind, "key": key, "text": key }),
            );
        }
        self.wait_for_frame();
    }

    /// Waits until changes are drawn.
    fn wait_for_frame(&mut self) {
        let frame = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))";
        self.evaluate(frame);
    }

    /// The texels of an image of the page, as red, green, blue and alpha.
    pub fn picture(&mut self) -> Vec<u8> {
        let image = self.call("Page.captureScreenshot", json!({}));
        pictures::decode(&STANDARD.decode(image["data"].as_str().unwrap()).unwrap())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}
