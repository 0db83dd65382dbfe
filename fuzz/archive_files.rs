//! Shared by the fuzz targets of archives and by the tests that repeat them.

use classic_model_formats::archive::{Archive, ArchiveFile};

/// The files of an archive that can be read and are not shadowed. Checks that they are found.
pub fn archive_files(archive: &Archive<&[u8]>) -> Vec<ArchiveFile> {
    let mut files = Vec::new();
    for entry in archive.entries() {
        let path = entry.path();
        let found = archive.find_any_case(&path).unwrap();
        archive.find(&path);
        if entry.is_shadowed() {
            continue;
        }
        assert_eq!(found.record_offset(), entry.record_offset());
        if let Ok(bytes) = archive.read(entry) {
            assert_eq!(bytes.len() as u64, entry.size());
            files.push(ArchiveFile::new(path, bytes));
        }
    }
    files
}
