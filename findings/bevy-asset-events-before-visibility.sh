#!/usr/bin/env bash
# Bevy: may a system of `PostUpdate` run after `AssetEventSystems` and before `VisibilitySystems::VisibilityPropagate`, such as
# one that spawns what a reloaded asset needs and shows it in the same frame?
# Seen: in Bevy 0.19.1 it may. In Bevy 0.20.1 it may without `bevy_ui_widgets`; with it, the first frame ends with the error that
# the system of editable text is in the set `UiSystems::PostLayout` and before or after it. The menu widget runs between
# `VisibilityPropagate` and `PostLayout`, and the layout of editable text is in `PostLayout` before `AssetEventSystems`. So a
# plugin that works in its own tests, with few features of Bevy, fails in games with Bevy's default features. Neither the
# message nor the migration guide names `VisibilityPropagate` or `AssetEventSystems`.
# Needs cargo. Builds parts of Bevy twice, in some minutes. Bevy 0.20.1 states Rust 1.97.1, and builds with 1.95.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
unset CARGO_TARGET_DIR
for version in 0.19.1 0.20.1; do
    mkdir -p "$version/src"
    cat > "$version/Cargo.toml" <<TOML
[package]
name = "order"
version = "0.1.0"
edition = "2024"
[dependencies]
bevy = { version = "=$version", default-features = false, features = ["bevy_ui", "bevy_ui_widgets", "default_font"] }
[profile.dev]
debug = false
TOML
    cat > "$version/src/main.rs" <<'RUST'
use bevy::asset::AssetEventSystems;
use bevy::camera::CameraPlugin;
use bevy::camera::visibility::VisibilitySystems::VisibilityPropagate;
use bevy::input_focus::InputFocusPlugin;
use bevy::prelude::*;
use bevy::ui_widgets::UiWidgetsPlugins;

fn main() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AssetPlugin::default(), ImagePlugin::default(), TransformPlugin))
        .add_plugins((bevy::input::InputPlugin, WindowPlugin::default(), bevy::a11y::AccessibilityPlugin))
        .add_plugins((CameraPlugin, bevy::mesh::MeshPlugin, bevy::text::TextPlugin, bevy::ui::UiPlugin))
        .add_plugins(InputFocusPlugin);
    if std::env::args().nth(1).is_some() {
        app.add_plugins(UiWidgetsPlugins);
    }
    app.add_systems(PostUpdate, (|| {}).after(AssetEventSystems).before(VisibilityPropagate));
    app.finish();
    app.cleanup();
    app.update();
    println!("a frame without an error");
}
RUST
    (cd "$version" && cargo build --quiet --ignore-rust-version)
done
seen() { "$1/target/debug/order" "${@:2}" 2>&1 || true; }
expect() {
    printf '%s: %s\n' "$1" "$(grep -o 'a frame without an error\|Error when.*' <<< "$2" | head -1)"
    grep -q "$3" <<< "$2"
}
expect "0.19.1, widgets" "$(seen 0.19.1 widgets)" "a frame without an error"
expect "0.20.1, no widgets" "$(seen 0.20.1)" "a frame without an error"
expect "0.20.1, widgets" "$(seen 0.20.1 widgets)" "PostLayout.*both .in_set. and .before"
