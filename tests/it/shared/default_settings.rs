//! Default loader settings of an app.

use crate::attach::scene::all_formats;
use crate::support::prelude::*;
use bevy::app::PluginGroup;
use bevy::asset::meta::Settings;
use bevy_classic_models::alamo::AlamoPlugin;
use bevy_classic_models::lgw::LgwPlugin;
use bevy_classic_models::lithtech::LithTechPlugin;

/// The modules of the loaders, in the order of [`all_formats`].
const LOADERS: [&str; 4] = [
    "alamo::loader::AloLoader",
    "lithtech::loader::AbcLoader",
    "lgw::loader::LgwLoader",
    "quake::loader::MdlLoader",
];

/// An app whose default scale is 3 in all formats.
fn app(meta: Option<&str>) -> TestApp {
    let mut plugins = (
        AlamoPlugin::default(),
        LithTechPlugin::default(),
        LgwPlugin::default(),
        QuakePlugin::default(),
    );
    plugins.0.defaults.scale = 3.0;
    plugins.1.defaults.scale = 3.0;
    plugins.2.defaults.scale = 3.0;
    plugins.3.defaults.scale = 3.0;
    let (alamo, lithtech, lgw, quake) = plugins;
    let group = ClassicModelsPlugins.set(alamo).set(lithtech);
    let formats = all_formats();
    let files: Vec<_> = formats.iter().map(|it| (it.0, it.1.clone())).collect();
    let app = TestApp::with_plugin(&files, group.set(lgw).set(quake));
    for ((path, ..), loader) in formats.iter().zip(LOADERS) {
        if let Some(settings) = meta {
            let meta = format!(
                r#"(meta_format_version: "1.0", asset: Load(
                    loader: "bevy_classic_models::{loader}", settings: ({settings})))"#
            );
            app.files.insert_meta_text(Path::new(path), &meta);
        }
    }
    app
}

#[track_caller]
fn assert_scale(app: &mut TestApp, source: ModelSource, expected: f32) {
    let root = app.spawn_entity(ClassicModel::new(source));
    app.wait_for_model(root);
    assert_eq!(app.scene(root).scale, Vec3::splat(expected));
}

#[test]
fn defaults_of_the_app_apply_where_a_meta_file_sets_nothing_else() {
    for (meta, expected) in [
        (None, 3.0),
        (Some("convert_axes: false"), 3.0),
        (Some("scale: 2.0"), 2.0),
        (Some("use_defaults: false"), 1.0),
    ] {
        let mut app = app(meta);
        for (path, ..) in all_formats() {
            assert_scale(&mut app, path.into(), expected);
        }
    }
}

#[test]
fn settings_of_a_load_override_defaults_of_the_app() {
    fn load<A: Asset, S: Settings>(
        app: &mut TestApp,
        path: &'static str,
        set: fn(&mut S),
    ) -> Handle<A> {
        let server = app.server();
        server.load_builder().with_settings(set).load(path)
    }
    let mut app = app(None);
    let [alo, abc, lgw, mdl] = [0, 1, 2, 3].map(|index| all_formats()[index].0);
    let sources: [ModelSource; 4] = [
        load::<Alo, AloLoaderSettings>(&mut app, alo, |set| set.scale = 2.0).into(),
        load::<Abc, AbcLoaderSettings>(&mut app, abc, |set| set.scale = 2.0).into(),
        load::<Lgw, LgwLoaderSettings>(&mut app, lgw, |set| set.scale = 2.0).into(),
        load::<Mdl, MdlLoaderSettings>(&mut app, mdl, |set| set.scale = 2.0).into(),
    ];
    for source in sources {
        assert_scale(&mut app, source, 2.0);
    }
}
