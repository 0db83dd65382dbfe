//! The layers of the presets of games, and their lists of archives.

use crate::support::archives::{Games, Opened};
use crate::support::prelude::*;
use classic_models_fixtures::cpu_time::assert_cpu_time_grows_linearly;

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

fn folded_layers(games: &Games, source: &ArchiveSource) -> Vec<String> {
    let layers = layers(games, source).into_iter();
    layers.map(|layer| layer.to_lowercase()).collect()
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
        let files = ["DATA/WHICH.TXT", own, "DATA/ALL.TXT"].map(|path| (path, which(archive)));
        games.pack(&which(archive), &files);
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
        "eaw/data/models.meg",
        "eaw/data/64patch.meg",
        "eaw",
        "mods/b",
        "mods/b",
        "mods/a",
    ];
    // On a system that ignores case, both spellings of `data` are one folder.
    assert_eq!(folded_layers(&games, &source), expected);
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
        folded_layers(&games, &source),
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
fn zip_archives_of_quake_win_over_paks_in_the_order_of_their_names() {
    let games = Games::new();
    for path in [
        "QuakeEX.kpf",
        "rerelease.pk3",
        "lq1/pak0.pak",
        "lq1/PAK1.PAK",
        "lq1/b.pk3",
        "lq1/A.PK3",
        "lq1/c.KPF",
        "lq1/zip.zip.txt",
        "mod/Textures.pk3",
    ] {
        let own = path.to_lowercase().replace(['/', '.'], "_");
        match path.ends_with("txt") {
            true => games.put(path, "loose"),
            false => games.pack(path, &[("which.txt", path), (&*own, path)]),
        }
    }
    games.put("lq1/broken.pk3", "PK\x03\x04");
    let source = ArchiveSource::quake(games.path(""), ["lq1"]).unwrap();
    let expected = [
        "QuakeEX.kpf",
        "lq1",
        "lq1/pak0.pak",
        "lq1/PAK1.PAK",
        "lq1/A.PK3",
        "lq1/b.pk3",
        "lq1/c.KPF",
    ];
    assert_eq!(layers(&games, &source), expected);
    let warnings: Vec<_> = source.warnings().iter().map(ToString::to_string).collect();
    assert!(
        matches!(&warnings[..], [it] if it.contains("broken.pk3")),
        "{warnings:?}"
    );
    let files = Opened::new(&source);
    assert_eq!(files.text("Which.txt"), "lq1/c.KPF");
    assert_eq!(files.text("QUAKEEX_kpf"), "QuakeEX.kpf");
    assert_eq!(files.text("lq1_a_pk3"), "lq1/A.PK3");
    let source = ArchiveSource::quake(games.path(""), ["lq1", "mod"]).unwrap();
    assert_eq!(Opened::new(&source).text("which.txt"), "mod/Textures.pk3");
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
fn lists_with_document_types_are_not_read() {
    let games = Games::new();
    games.pack("eaw/Data/a.meg", &[("WHICH.TXT", "a")]);
    let warnings = warnings_of_list(
        &games,
        "<?xml version=\"1.0\"?>\n<!DOCTYPE m [<!ENTITY a \"Data/a.meg\">]>\n<m><File>&a;</File></m>",
    );
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("MegaFiles.xml:2:1: "), "{warnings:?}");
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
    assert!(warnings[0].contains("MegaFiles.xml:2:1: "), "{warnings:?}");
    assert!(warnings[3].contains("broken.meg"), "{}", warnings[3]);
}
