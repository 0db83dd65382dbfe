//! The files of layered archives and folders, without an app.

use crate::support::archives::{FORMATS, Games, Opened, packed};
use bevy::asset::io::{AssetReaderError, Reader};
use bevy::tasks::block_on;
use bevy_classic_models::archive::{ArchiveSource, ArchiveSourceError, SourceWarning};
use bevy_classic_models::read::ErrorKind;
use classic_models_fixtures::cpu_time::assert_cpu_time_grows_linearly;
use futures_lite::{AsyncReadExt, AsyncSeekExt};
use std::io::SeekFrom;
use std::path::Path;

/// The paths of the layers, relative to the folder of the games.
fn layers(games: &Games, source: &ArchiveSource) -> Vec<String> {
    let root = games.0.path();
    let layers = source.layers();
    layers
        .map(|layer| {
            let path = layer.path.strip_prefix(root).unwrap();
            path.to_str().unwrap().replace('\\', "/")
        })
        .collect()
}

const LIST: &str = r#"<?xml version="1.0"?>
<Mega_Files>
    <!-- Spaces, other cases, and archives that are not installed are normal. -->
    <File> DATA\MODELS.MEG </File>
    <File> Data\SpeechGerman.meg </File>
    <File>data/textures.meg</File>
    <Other>Data\Other.meg</Other>
    <File>Data\Models.meg</File>
</Mega_Files>"#;

/// A game with two archives, a patch and a loose file. All have the file `which.txt`.
fn alamo_game(games: &Games, folder: &str, list: &str) {
    let which = |layer: &str| format!("{folder}/{layer}");
    games.put(&format!("{folder}/data/MEGAFILES.xml"), list);
    for (archive, own) in [
        ("Data/models.MEG", "DATA/MODEL.TXT"),
        ("Data/Textures.meg", "DATA/TEXTURE.TXT"),
        ("Data/64patch.meg", "DATA/PATCH.TXT"),
    ] {
        let files = [
            ("DATA/WHICH.TXT", which(archive)),
            (own, which(archive)),
            ("DATA/ALL.TXT", which(archive)),
        ];
        let files = files.each_ref().map(|(path, text)| (*path, text));
        games.pack(&format!("{folder}/{archive}"), &files);
    }
    games.put(&format!("{folder}/Data/Which.txt"), which("loose"));
    games.put(&format!("{folder}/Readme.txt"), which("loose"));
}

#[test]
fn empire_at_war_lists_archives_in_order_and_loose_files_win() {
    let games = Games::new();
    alamo_game(&games, "eaw", LIST);
    let source = ArchiveSource::empire_at_war(games.path("eaw")).unwrap();
    // The list names Models.meg twice: the last place counts.
    assert_eq!(
        layers(&games, &source),
        [
            "eaw/Data/Textures.meg",
            "eaw/Data/models.MEG",
            "eaw/Data/64patch.meg",
            "eaw"
        ]
    );
    assert_eq!(source.warnings(), []);
    let files = Opened::new(&source);
    assert_eq!(files.text("data/which.txt"), "eaw/loose");
    assert_eq!(files.text("DATA\\all.TXT"), "eaw/Data/64patch.meg");
    assert_eq!(files.text("data/model.txt"), "eaw/Data/models.MEG");
    assert_eq!(files.text("readme.TXT"), "eaw/loose");

    // A mod wins over the game, but only below `Data`. Of two mods, the first wins.
    games.put("mods/a/DATA/which.TXT", "a");
    games.put("mods/a/readme.txt", "a");
    games.put("mods/b/Data/Which.txt", "b");
    games.put("mods/b/Data/Only.txt", "b");
    let source = source.mod_folder(games.path("mods/a")).unwrap();
    let source = source.mod_folder(games.path("mods/b")).unwrap();
    let files = Opened::new(&source);
    assert_eq!(files.text("data/which.txt"), "a");
    assert_eq!(files.text("data/only.txt"), "b");
    assert_eq!(files.text("readme.txt"), "eaw/loose");
    assert_eq!(files.list("").unwrap(), ["Readme.txt", "data"]);

    // The list of a mod replaces the game's. Its archives are searched in the mod and then in the game.
    games.put(
        "mods/a/Data/MegaFiles.xml",
        "<x><File>Data\\New.meg</File><File>Data\\Models.meg</File></x>",
    );
    games.pack(
        "mods/a/data/new.meg",
        &[("DATA/ALL.TXT", "new"), ("DATA/NEW.TXT", "new")],
    );
    let source = source.mod_folder(games.path("mods/b")).unwrap();
    let expected = [
        "mods/a/data/new.meg",
        "eaw/Data/models.MEG",
        "eaw/Data/64patch.meg",
        "eaw",
        "mods/b",
        "mods/b",
        "mods/a",
    ];
    // On a system that ignores case, both spellings of `data` are one folder.
    let found = layers(&games, &source)
        .iter()
        .map(|it| it.to_lowercase())
        .collect::<Vec<_>>();
    assert_eq!(found, expected.map(str::to_lowercase));
    let missing = source.mod_folder(games.path("mods/c"));
    assert_eq!(
        missing.unwrap_err(),
        ArchiveSourceError::NotFound {
            path: games.path("mods/c")
        }
    );
}

#[test]
fn forces_of_corruption_wins_over_empire_at_war() {
    let games = Games::new();
    alamo_game(&games, "eaw", LIST);
    alamo_game(&games, "foc", LIST);
    games.put("eaw/Data/Base.txt", "eaw/loose");
    games.put("foc/Data/Extra.txt", "foc/loose");
    games.pack("eaw/Data/Patch.meg", &[("DATA/BASE.TXT", "eaw/patch")]);
    let source = ArchiveSource::forces_of_corruption(games.path("foc"), games.path("eaw")).unwrap();
    let source = source.mod_folder(games.path("foc/data")).unwrap();
    assert_eq!(
        layers(&games, &source)
            .iter()
            .map(|it| it.to_lowercase())
            .collect::<Vec<_>>(),
        [
            "eaw",
            "eaw/data/textures.meg",
            "eaw/data/models.meg",
            "eaw/data/patch.meg",
            "eaw/data/64patch.meg",
            "foc/data/textures.meg",
            "foc/data/models.meg",
            "foc/data/64patch.meg",
            "foc",
            "foc/data",
        ]
    );
    let files = Opened::new(&source);
    // Loose files of the base game are found last, and only below `Data`.
    assert_eq!(files.text("data/base.txt"), "eaw/patch");
    assert_eq!(files.text("data/which.txt"), "foc/loose");
    assert_eq!(files.text("data/extra.txt"), "foc/loose");
    assert_eq!(files.text("readme.txt"), "foc/loose");
    games.remove("foc/Readme.txt");
    assert_eq!(files.text("readme.txt"), "");

    std::fs::remove_dir_all(games.path("eaw/data")).unwrap();
    let error = ArchiveSource::forces_of_corruption(games.path("foc"), games.path("eaw"));
    let text = error.unwrap_err().to_string();
    assert!(text.ends_with("MegaFiles.xml was not found"), "{text}");
}

#[test]
fn quake_archives_win_over_loose_files_of_their_folder() {
    let games = Games::new();
    let which = |layer: &'static str| [("which.txt", layer)];
    games.put("quake/ID1/which.txt", "id1");
    games.put("quake/ID1/loose.txt", "id1");
    games.pack(
        "quake/ID1/PAK0.PAK",
        &[("which.txt", "pak0"), ("pak.txt", "pak0")],
    );
    games.pack(
        "quake/ID1/pak1.pak",
        &[("which.txt", "pak1"), ("pak.txt", "pak1")],
    );
    // After a gap.
    games.pack("quake/ID1/pak3.pak", &which("pak3"));
    games.put("quake/mymod/loose.txt", "mymod");
    games.put("quake/mymod/pak.txt", "mymod");
    let source = ArchiveSource::quake(games.path("quake"), ["id1", "MYMOD"]).unwrap();
    let expected = [
        "quake/ID1",
        "quake/ID1/PAK0.PAK",
        "quake/ID1/pak1.pak",
        "quake/mymod",
    ];
    assert_eq!(layers(&games, &source), expected);
    let files = Opened::new(&source);
    assert_eq!(files.text("which.txt"), "pak1");
    assert_eq!(files.text("pak.txt"), "mymod");
    assert_eq!(files.text("loose.txt"), "mymod");
    let missing = ArchiveSource::quake(games.path("quake"), ["id1", "hipnotic"]);
    assert!(matches!(missing, Err(ArchiveSourceError::NotFound { .. })));
}

#[test]
fn aftermath_archives_are_sorted_by_name() {
    let games = Games::new();
    for (name, text) in [
        ("GameData.VFS", "game"),
        ("b.vfs", "b"),
        ("Alpine.vfs", "alpine"),
    ] {
        games.pack(
            &format!("ufo/{name}"),
            &[("which.txt", text), (name, "own")],
        );
    }
    games.pack(
        "ufo/localization/LocalizationPack.vfs",
        &[("which.txt", "text")],
    );
    let source = ArchiveSource::aftermath(games.path("ufo")).unwrap();
    let expected = ["ufo/GameData.VFS", "ufo/Alpine.vfs", "ufo/b.vfs", "ufo"];
    assert_eq!(layers(&games, &source), expected);
    assert_eq!(Opened::new(&source).text("WHICH.txt"), "b");
    games.put("ufo/Which.txt", "loose");
    assert_eq!(Opened::new(&source).text("WHICH.txt"), "loose");
    games.remove("ufo/GameData.VFS");
    let missing = ArchiveSource::aftermath(games.path("ufo"));
    assert!(matches!(missing, Err(ArchiveSourceError::NotFound { .. })));
}

#[test]
fn later_layers_win_in_any_order() {
    let games = Games::new();
    for (path, text) in [("game.rez", "game"), ("gamep.rez", "patch")] {
        games.pack(path, &[("TEXT/WHICH.TXT", text), ("TEXT/A.TXT", text)]);
    }
    games.put("custom/text/which.txt", "custom");
    games.put("custom/text/b.txt", "custom");
    let [game, patch, custom] = ["game.rez", "gamep.rez", "custom"].map(|it| games.path(it));
    let source = ArchiveSource::new().archive(&game).unwrap().folder(&custom);
    let source = source.archive(&patch).unwrap();
    assert_eq!(Opened::new(&source).text("text/which.txt"), "patch");
    let located = source.locate("text\\which.txt").unwrap();
    assert_eq!((located.layer, located.layer_path), (2, patch.clone()));
    assert_eq!((located.path.as_str(), located.size), ("TEXT/WHICH.TXT", 5));
    let located = source.locate("Text/B.txt").unwrap();
    assert_eq!((located.layer, located.path.as_str()), (1, "text/b.txt"));
    assert_eq!(source.locate("text/c.txt"), None);
    assert_eq!(source.locate("text"), None);

    let source = ArchiveSource::new().archive(&patch).unwrap();
    let source = source.archive(&game).unwrap().folder(&custom);
    assert_eq!(Opened::new(&source).text("text/which.txt"), "custom");
    assert_eq!(Opened::new(&source).text("text/a.txt"), "game");
}

#[test]
fn names_of_archives_are_listed_in_lower_case_and_others_as_on_disk() {
    let games = Games::new();
    for format in FORMATS {
        let archive = format!("a.{format}");
        let files = [
            "Art/Models/Ship.ALO",
            "Art/Models/a b.txt",
            "Art/Textures/HULL.dds",
            "art.txt",
            "Art/Models.txt",
        ];
        games.pack(&archive, &files.map(|path| (path, path)));
        games.put("loose/ART/Textures/Hull.DDS", "loose");
        games.put("loose/ART/textures/Wing.dds", "loose");
        games.put("loose/Other/x.txt", "loose");
        let source = ArchiveSource::new().archive(games.path(&archive)).unwrap();
        let files = Opened::new(&source);
        assert_eq!(files.list("").unwrap(), ["art", "art.txt"], "{format}");
        assert_eq!(
            files.list("ART").unwrap(),
            ["ART/models", "ART/models.txt", "ART/textures"]
        );
        assert_eq!(
            files.list("art/models").unwrap(),
            ["art/models/a b.txt", "art/models/ship.alo"]
        );
        assert_eq!(files.list("art/mod"), None);
        assert_eq!(files.list("art.txt"), None);
        assert_eq!(files.is_folder("Art\\Models"), Some(true));
        assert_eq!(files.is_folder("art/models/SHIP.alo"), Some(false));
        assert_eq!(files.is_folder("art/ships"), None);
        assert_eq!(files.text("art/models/ship.alo"), "Art/Models/Ship.ALO");

        let files = Opened::new(&source.folder(games.path("loose")));
        assert_eq!(files.list("").unwrap(), ["Other", "art", "art.txt"]);
        assert_eq!(files.list("art").unwrap().len(), 3);
        let found = files.list("art/textures").unwrap();
        assert_eq!(found, ["art/textures/Wing.dds", "art/textures/hull.dds"]);
        assert_eq!(files.text("art/textures/hull.dds"), "loose");
    }
}

#[test]
fn overrides_do_not_change_the_listed_spelling() {
    let games = Games::new();
    games.put("base/Art/Ship.alo", "base");
    games.put("base/Art/only.alo", "base");
    games.put("mod/art/SHIP.ALO", "mod");
    let base = ArchiveSource::new().folder(games.path("base"));
    let files = Opened::new(&base.clone());
    assert_eq!(files.list("").unwrap(), ["Art"]);
    let names = files.list("Art").unwrap();
    assert_eq!(names, ["Art/Ship.alo", "Art/only.alo"]);
    let files = Opened::new(&base.folder(games.path("mod")));
    assert_eq!(files.list("").unwrap(), ["Art"]);
    assert_eq!(files.list("Art").unwrap(), names);
    assert_eq!(files.text("Art/Ship.alo"), "mod");
}

#[test]
fn names_that_asset_paths_cannot_contain_are_not_listed_but_readable() {
    let games = Games::new();
    for format in FORMATS {
        let archive = format!("a.{format}");
        let names = [
            "a#b.txt",
            "x#/y.txt",
            ".hidden.txt",
            "a.meta",
            "ü.txt",
            "c.txt",
        ];
        // REZ stores extensions of at most four letters apart from the name.
        games.pack(&archive, &names.map(|path| (path, path)));
        games.put("loose/d#.txt", "d");
        let source = ArchiveSource::new().archive(games.path(&archive)).unwrap();
        let files = Opened::new(&source.folder(games.path("loose")));
        assert_eq!(files.list("").unwrap(), ["c.txt", "ü.txt"], "{format}");
        for name in names {
            assert_eq!(files.text(name), name, "{format}");
        }
        assert_eq!(files.text("D#.TXT"), "d");
    }
}

#[cfg(unix)]
#[test]
fn spellings_that_differ_in_case_alone_are_distinguished() {
    let games = Games::new();
    games.put("loose/a.txt", "a");
    games.put("loose/A.txt", "A");
    games.put("loose/x/1.txt", "x1");
    games.put("loose/X/2.txt", "X2");
    let files = Opened::new(&ArchiveSource::new().folder(games.path("loose")));
    assert_eq!(
        (files.text("a.txt"), files.text("A.txt")),
        ("a".into(), "A".into())
    );
    assert_eq!(files.text("A.TXT"), "A");
    assert_eq!(files.list("").unwrap(), ["A.txt", "X", "a.txt"]);
    // Folders whose names differ in case are one folder.
    assert_eq!(
        (files.text("x/2.txt"), files.text("X/1.txt")),
        ("X2".into(), "x1".into())
    );
    assert_eq!(files.list("x").unwrap(), ["x/1.txt", "x/2.txt"]);
}

#[test]
fn paths_out_of_the_source_are_not_found() {
    let games = Games::new();
    games.put("secret.txt", "secret");
    games.put("loose/a/b.txt", "b");
    games.pack("a.pak", &[("a/c.txt", "c")]);
    let source = ArchiveSource::new().folder(games.path("loose"));
    let files = Opened::new(&source.archive(games.path("a.pak")).unwrap());
    let absolute = games.path("secret.txt");
    for path in [
        "../secret.txt",
        "a/../../secret.txt",
        "a/../a/b.txt",
        absolute.to_str().unwrap(),
        "/a/b.txt",
        "C:/a/b.txt",
        "",
        "a",
    ] {
        let found = block_on(async { files.0.reader().read(Path::new(path)).await.map(drop) });
        assert!(
            matches!(found, Err(AssetReaderError::NotFound(_))),
            "{path}: {found:?}"
        );
        let meta = block_on(files.0.reader().read_meta_bytes(Path::new(path)));
        assert!(matches!(meta, Err(AssetReaderError::NotFound(_))), "{path}");
    }
    assert_eq!(files.list(".."), None);
    assert_eq!(files.text("./a//c.txt"), "c");
    assert_eq!(files.text("a\\.\\b.txt"), "b");
}

#[test]
fn meta_files_are_read_from_folders_for_all_layers() {
    let games = Games::new();
    games.pack("a.pak", &[("x.txt", "x"), ("x.txt.meta", "archived")]);
    games.put("loose/X.TXT.meta", "loose");
    let source = ArchiveSource::new().folder(games.path("loose"));
    let source = source.archive(games.path("a.pak")).unwrap();
    let files = Opened::new(&source);
    let meta = |path: &str| block_on(files.0.reader().read_meta_bytes(Path::new(path)));
    assert_eq!(meta("x.txt").unwrap(), b"loose");
    assert!(matches!(meta("y.txt"), Err(AssetReaderError::NotFound(_))));
    assert_eq!(files.list("").unwrap(), ["x.txt"]);
    // The upper folder wins.
    games.put("more/x.txt.meta", "more");
    let files = Opened::new(&source.folder(games.path("more")));
    let meta = block_on(files.0.reader().read_meta_bytes(Path::new("x.txt")));
    assert_eq!(meta.unwrap(), b"more");
}

#[test]
fn broken_archives_are_errors_by_hand_and_skipped_in_presets() {
    let games = Games::new();
    games.put("quake/id1/pak0.pak", "SPAK is the archive of another game");
    games.pack("quake/id1/pak1.pak", &[("a.txt", "a")]);
    let by_hand = ArchiveSource::new().archive(games.path("quake/id1/pak0.pak"));
    let Err(ArchiveSourceError::Archive { path, error }) = by_hand else {
        panic!("{by_hand:?}");
    };
    assert_eq!(path, games.path("quake/id1/pak0.pak"));
    assert!(
        matches!(error.kind, ErrorKind::WrongMagic { .. }),
        "{error}"
    );
    let missing = ArchiveSource::new()
        .archive(games.path("pak9.pak"))
        .unwrap_err();
    assert!(matches!(missing, ArchiveSourceError::NotFound { .. }));
    let folder = ArchiveSource::new()
        .archive(games.path("quake"))
        .unwrap_err();
    assert!(matches!(folder, ArchiveSourceError::Io { .. }), "{folder}");

    let source = ArchiveSource::quake(games.path("quake"), ["id1"]).unwrap();
    let [SourceWarning::Skipped(skipped)] = source.warnings() else {
        panic!("{:?}", source.warnings());
    };
    assert!(skipped.to_string().contains("pak0.pak"), "{skipped}");
    assert_eq!(Opened::new(&source).text("a.txt"), "a");
}

#[test]
fn the_content_of_an_archive_decides_its_format() {
    let games = Games::new();
    for format in FORMATS {
        let bytes = packed(&format!("a.{format}"), &[("a.txt", format)]);
        // A file that is replaced keeps its name.
        for name in ["archive.dat", "a.meg", "a.PAK", "a.rez", "a.vfs"] {
            games.put(name, &bytes);
            let source = ArchiveSource::new().archive(games.path(name)).unwrap();
            assert_eq!(Opened::new(&source).text("a.txt"), format, "{name}");
            let found = source.layers().next().unwrap().format.unwrap();
            assert_eq!(found.to_string().to_lowercase(), format, "{name}");
        }
    }
}

#[test]
fn damaged_lists_of_archives_count_up_to_the_flaw() {
    let games = Games::new();
    for name in ["a", "b", "c"] {
        games.pack(&format!("eaw/Data/{name}.meg"), &[("WHICH.TXT", name)]);
    }
    let start =
        "<Mega_Files>\n  <!-- x > y -->\n  <File>Data\\a.meg</File>\n  <File>Data\\b.meg</File>\n";
    for (flaw, line, column) in [
        ("  <File>Data\\c.meg</Fil>\n</Mega_Files>", 5, None),
        ("  <File>Data\\c&bad;.meg</File>\n</Mega_Files>", 5, None),
        ("  <File", 5, None),
        ("", 0, None),
        ("  <!-- <File>Data\\c.meg</File> ", 0, None),
        ("</Wrong>", 5, Some(1)),
    ] {
        games.put("eaw/Data/MegaFiles.xml", format!("{start}{flaw}"));
        let source = ArchiveSource::empire_at_war(games.path("eaw")).unwrap();
        let expected = ["eaw/Data/a.meg", "eaw/Data/b.meg", "eaw"];
        assert_eq!(layers(&games, &source), expected, "{flaw}");
        let [warning @ SourceWarning::List { position, .. }] = source.warnings() else {
            panic!("{flaw}: {:?}", source.warnings());
        };
        assert!(line == 0 || position.line == line, "{flaw}: {warning}");
        assert!(
            column.is_none_or(|it| it == position.column),
            "{flaw}: {warning}"
        );
    }
    // Not a list at all, and an empty one.
    for (text, warnings) in [
        ("", 1),
        ("MZ\0\u{1}", 1),
        ("<x/>", 0),
        ("<x><!DOCTYPE y></x>", 1),
    ] {
        games.put("eaw/Data/MegaFiles.xml", text);
        let source = ArchiveSource::empire_at_war(games.path("eaw")).unwrap();
        assert_eq!(layers(&games, &source), ["eaw"], "{text}");
        assert_eq!(source.warnings().len(), warnings, "{text}");
    }
}

/// The warnings about a list of archives.
fn warnings_of_list(games: &Games, list: &str) -> Vec<String> {
    games.put("eaw/Data/MegaFiles.xml", list);
    let source = ArchiveSource::empire_at_war(games.path("eaw")).unwrap();
    assert_eq!(layers(games, &source), ["eaw"]);
    source.warnings().iter().map(ToString::to_string).collect()
}

#[test]
fn lists_with_entities_or_of_many_bytes_are_not_read() {
    let games = Games::new();
    games.pack("eaw/Data/a.meg", &[("WHICH.TXT", "a")]);
    let warnings = warnings_of_list(
        &games,
        "<?xml version=\"1.0\"?>\n<!DOCTYPE m [<!ENTITY a \"Data/a.meg\">]>\n<m><File>&a;</File></m>",
    );
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("MegaFiles.xml:2:1: "),
        "{}",
        warnings[0]
    );

    let comment = "x".repeat(1 << 15);
    let warnings = warnings_of_list(
        &games,
        &format!("<m><File>Data/a.meg</File><!--{comment}--></m>"),
    );
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("32768 bytes"), "{}", warnings[0]);
}

#[test]
fn long_lists_have_few_warnings_and_are_read_in_linear_time() {
    let games = Games::new();
    let list =
        |name: &str, count| format!("<m>{}</m>", format!("<File>{name}</File>").repeat(count));
    let warnings = warnings_of_list(&games, &list("../a", 1000));
    assert_eq!(warnings.len(), 8, "{warnings:?}");
    assert!(warnings[7].contains("992 more"), "{}", warnings[7]);

    games.pack("eaw/Data/a.meg", &[("A.TXT", "a")]);
    let read = |list: &str| {
        games.put("eaw/Data/MegaFiles.xml", list);
        ArchiveSource::empire_at_war(games.path("eaw")).unwrap();
    };
    let lists = [375, 1500].map(|count| list("Data/a.meg", count));
    assert_cpu_time_grows_linearly("one archive", || read(&lists[0]), || read(&lists[1]));
    // Each position is on the same line.
    let lists = [500, 2000].map(|count| list("../a", count));
    assert_cpu_time_grows_linearly("names outside", || read(&lists[0]), || read(&lists[1]));
    let lists = [2500, 10_000].map(|count| "<a>".repeat(count));
    assert_cpu_time_grows_linearly("open elements", || read(&lists[0]), || read(&lists[1]));
}

#[test]
fn listed_archives_outside_of_the_game_are_left_out() {
    let games = Games::new();
    games.pack("other/x.meg", &[("A.TXT", "a")]);
    games.put("eaw/Data/broken.meg", "not an archive");
    let outside = games.path("other/x.meg");
    games.put(
        "eaw/Data/MegaFiles.xml",
        format!(
            "\u{feff}<m>\n<File>..\\other\\x.meg</File><File>{}</File><File>C:\\x.meg</File>\n<File/><File>Data\\broken.meg</File></m>",
            outside.display()
        ),
    );
    let source = ArchiveSource::empire_at_war(games.path("eaw")).unwrap();
    assert_eq!(layers(&games, &source), ["eaw"]);
    let warnings: Vec<String> = source.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 4, "{warnings:?}");
    assert!(
        warnings[0].contains("MegaFiles.xml:2:1: "),
        "{}",
        warnings[0]
    );
    assert!(warnings[3].contains("broken.meg"), "{}", warnings[3]);
}

#[test]
fn errors_of_entries_name_the_archive_and_the_entry() {
    let games = Games::new();
    let bytes = packed("a.pak", &[("a.txt", "first"), ("b.txt", "second")]);
    // The directory follows the data: move the start of the second file beyond the end.
    let mut damaged = bytes.clone();
    let record = bytes.len() - 64;
    damaged[record + 56..record + 60].copy_from_slice(&u32::MAX.to_le_bytes());
    games.put("a.pak", damaged);
    let source = ArchiveSource::new().archive(games.path("a.pak")).unwrap();
    assert_eq!(source.warnings().len(), 1, "{:?}", source.warnings());
    let files = Opened::new(&source);
    assert_eq!(files.text("a.txt"), "first");
    let error = files.bytes("b.txt").unwrap_err();
    assert!(
        error.contains("a.pak") && error.contains("\"b.txt\""),
        "{error}"
    );
}

#[test]
fn entries_are_read_in_parts() {
    let games = Games::new();
    let bytes: Vec<u8> = (0..100_000_u32).map(|n| (n / 7) as u8).collect();
    for path in ["a.meg", "a.vfs", "loose/a.txt"] {
        let source = match path {
            "loose/a.txt" => {
                games.put(path, &bytes);
                ArchiveSource::new().folder(games.path("loose"))
            }
            path => {
                games.pack(path, &[("a.txt", &bytes)]);
                ArchiveSource::new().archive(games.path(path)).unwrap()
            }
        };
        let files = Opened::new(&source);
        block_on(async {
            let mut reader = files.0.reader().read(Path::new("a.txt")).await.unwrap();
            let mut part = [0; 10];
            reader.read_exact(&mut part).await.unwrap();
            assert_eq!(part, bytes[..10], "{path}");
            let mut rest = vec![1];
            let count = Reader::read_to_end(&mut reader, &mut rest).await.unwrap();
            assert_eq!((count, &rest[1..]), (bytes.len() - 10, &bytes[10..]));
            assert_eq!(
                Reader::read_to_end(&mut reader, &mut rest).await.unwrap(),
                0
            );
            let seekable = reader.seekable().unwrap();
            assert_eq!(
                seekable.seek(SeekFrom::End(-5)).await.unwrap(),
                bytes.len() as u64 - 5
            );
            let mut end = Vec::new();
            AsyncReadExt::read_to_end(seekable, &mut end).await.unwrap();
            assert_eq!(end, bytes[bytes.len() - 5..]);
            assert!(seekable.seek(SeekFrom::Current(i64::MIN)).await.is_err());
            seekable.seek(SeekFrom::Start(u64::MAX)).await.unwrap();
            assert_eq!(seekable.read(&mut part).await.unwrap(), 0, "{path}");
        });
    }
}

#[test]
fn replaced_archives_are_read_as_they_were_opened() {
    let games = Games::new();
    games.pack("a.pak", &[("a.txt", "old"), ("b.txt", "old")]);
    let source = ArchiveSource::new().archive(games.path("a.pak")).unwrap();
    let files = Opened::new(&source);
    block_on(async {
        let mut reader = files.0.reader().read(Path::new("a.txt")).await.unwrap();
        games.replace(
            "a.pak",
            &[("new.txt", "a file in another place"), ("a.txt", "new")],
        );
        let mut bytes = Vec::new();
        Reader::read_to_end(&mut reader, &mut bytes).await.unwrap();
        assert_eq!(bytes, b"old");
    });
    // Without a watcher, the source does not change.
    assert_eq!(files.text("b.txt"), "old");
    assert_eq!(files.text("new.txt"), "");
}

#[cfg(unix)]
#[test]
fn links_without_a_target_and_special_files_do_not_win() {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    let games = Games::new();
    let names = ["A.txt", "b.txt", "C.txt", "d.txt"];
    games.pack("a.pak", &names.map(|name| (name, "archived")));
    games.put("outside.txt", "linked");
    games.put("loose/readme.txt", "");
    symlink(games.path("missing"), games.path("loose/a.txt")).unwrap();
    let _socket = UnixListener::bind(games.path("loose/B.txt")).unwrap();
    symlink(games.path("outside.txt"), games.path("loose/c.txt")).unwrap();
    symlink(games.path("removed.txt"), games.path("loose/D.txt")).unwrap();
    games.put("removed.txt", "linked");
    let source = ArchiveSource::new().archive(games.path("a.pak")).unwrap();
    let source = source.folder(games.path("loose"));
    let files = Opened::new(&source);
    let texts = |spelled: &dyn Fn(&str) -> String| names.map(|name| files.text(&spelled(name)));
    for _ in 0..2 {
        for spelled in [str::to_owned, str::to_lowercase, str::to_uppercase] {
            let last = if games.path("removed.txt").exists() {
                "linked"
            } else {
                "archived"
            };
            assert_eq!(texts(&spelled), ["archived", "archived", "linked", last]);
        }
        let _ = std::fs::remove_file(games.path("removed.txt"));
    }
    let source = ArchiveSource::new().archive(games.path("a.pak")).unwrap();
    let files = Opened::new(&source.folder(games.path("loose")));
    let listed = files.list("").unwrap();
    assert_eq!(listed, ["a.txt", "b.txt", "c.txt", "d.txt", "readme.txt"]);

    // An archive of a preset.
    games.put("quake/id1/readme.txt", "");
    games.pack("quake/other.pak", &[("a.txt", "a")]);
    symlink(games.path("missing"), games.path("quake/id1/PAK0.PAK")).unwrap();
    symlink(
        games.path("quake/other.pak"),
        games.path("quake/id1/pak0.pak"),
    )
    .unwrap();
    let source = ArchiveSource::quake(games.path("quake"), ["id1"]).unwrap();
    assert_eq!(source.warnings(), []);
    assert_eq!(Opened::new(&source).text("a.txt"), "a");
}
