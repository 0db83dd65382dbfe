//! When the watcher of files tells of an edit, and what the asset server says of broken files.

use bevy::asset::UntypedAssetLoadFailedEvent;
use bevy::asset::io::AssetSourceBuilder;
use bevy::diagnostic::FrameCount;
use bevy::prelude::*;
use std::path::Path;

/// A source of the same folder. The asset server keeps what the watcher of its own source says to itself; this one
/// sees the same.
const WATCHED: &str = "watched";

/// Has the folder be watched, before the asset plugin is added.
pub fn watch(app: &mut App, folder: &Path) {
    let source = AssetSourceBuilder::platform_default(&folder.to_string_lossy(), None);
    app.register_asset_source(WATCHED, source);
}

/// Listens.
pub struct EventsPlugin;

impl Plugin for EventsPlugin {
    fn build(&self, app: &mut App) {
        // Before the asset server empties the channel.
        app.init_resource::<Heard>()
            .add_systems(First, listen)
            .add_systems(PreUpdate, hear_of_failures);
    }
}

/// What was heard since it was emptied last.
#[derive(Resource, Default)]
pub struct Heard {
    /// Events of the watcher as text, and the frames in which they came.
    pub edits: Vec<(String, u32)>,
    /// Paths of files that could not be loaded, and why.
    pub failures: Vec<(String, String)>,
}

fn listen(server: Res<AssetServer>, frame: Res<FrameCount>, mut heard: ResMut<Heard>) {
    let Ok(source) = server.get_source(WATCHED) else {
        return;
    };
    let Some(events) = source.event_receiver() else {
        return;
    };
    while let Ok(event) = events.try_recv() {
        heard.edits.push((format!("{event:?}"), frame.0));
    }
}

fn hear_of_failures(
    mut failures: MessageReader<UntypedAssetLoadFailedEvent>,
    mut heard: ResMut<Heard>,
) {
    for failure in failures.read() {
        let path = failure.path.to_string();
        heard.failures.push((path, failure.error.to_string()));
    }
}
