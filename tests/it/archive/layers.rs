//! The files of layered archives and folders, without an app.

use crate::support::archives::{FORMATS, Games, Opened, packed};
use crate::support::prelude::*;
use futures_lite::AsyncReadExt;
use futures_lite::AsyncSeekExt;
use std::io::SeekFrom;

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
        let source = games.source([&archive]);
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
    let base = games.source(["base"]);
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
        let files = Opened::new(&games.source([&archive, "loose"]));
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
    let files = Opened::new(&games.source(["loose"]));
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
    let files = Opened::new(&games.source(["loose", "a.pak"]));
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
    let source = games.source(["loose", "a.pak"]);
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
    let missing = ArchiveSource::new().archive(games.path("pak9.pak"));
    let missing = missing.unwrap_err();
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
            let source = games.source([name]);
            assert_eq!(Opened::new(&source).text("a.txt"), format, "{name}");
            let found = source.layers().next().unwrap().format.unwrap();
            assert_eq!(found.to_string().to_lowercase(), format, "{name}");
        }
    }
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
    let source = games.source(["a.pak"]);
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
                games.source(["loose"])
            }
            path => {
                games.pack(path, &[("a.txt", &bytes)]);
                games.source([path])
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
    let source = games.source(["a.pak"]);
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
    let source = games.source(["a.pak", "loose"]);
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
    let files = Opened::new(&games.source(["a.pak", "loose"]));
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
