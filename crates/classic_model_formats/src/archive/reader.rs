//! Positioned reading: the only I/O of this crate. It must not know archives.

use std::fs::File;
use std::io;
use std::sync::Arc;

/// A file that can be read at any position, from several threads at once.
///
/// Implemented for [`File`] and for bytes in memory. Implement it for other sources, such as a file inside another file.
///
/// On Unix and Windows, reading a [`File`] takes no lock. On other systems, all files share one lock, because reading moves
/// the position of the file. So do not read the same [`File`] by other means at the same time there.
pub trait ReadAt {
    /// The length in bytes.
    ///
    /// # Errors
    /// If the length cannot be determined.
    fn length(&self) -> io::Result<u64>;

    /// Fills `buffer` with the bytes that begin at `offset`, in bytes from the start.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if fewer bytes follow, and any error of the source.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
}

impl ReadAt for File {
    fn length(&self) -> io::Result<u64> {
        self.metadata().map(|metadata| metadata.len())
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        read_file(self, buffer, offset)
    }
}

#[cfg(unix)]
fn read_file(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_file(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                buffer = buffer.get_mut(read..).unwrap_or_default();
                offset += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn read_file(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    use std::sync::{Mutex, PoisonError};

    static POSITION: Mutex<()> = Mutex::new(());
    // The lock guards no data, so a panic of another thread has no effect.
    let _guard = POSITION.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(buffer)
}

impl ReadAt for [u8] {
    fn length(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|offset| self.get(offset..));
        match rest.and_then(|rest| rest.get(..buffer.len())) {
            Some(bytes) => {
                buffer.copy_from_slice(bytes);
                Ok(())
            }
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl ReadAt for Vec<u8> {
    fn length(&self) -> io::Result<u64> {
        self.as_slice().length()
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.as_slice().read_exact_at(buffer, offset)
    }
}

/// Implements the trait for pointers to readers.
macro_rules! impl_for_pointers {
    ($($pointer:ty),*) => {
        $(
            impl<R: ReadAt + ?Sized> ReadAt for $pointer {
                fn length(&self) -> io::Result<u64> {
                    (**self).length()
                }

                fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
                    (**self).read_exact_at(buffer, offset)
                }
            }
        )*
    };
}

impl_for_pointers!(&R, Box<R>, Arc<R>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_at_a_position() {
        let bytes = [1_u8, 2, 3, 4];
        let mut buffer = [0; 2];
        bytes.as_slice().read_exact_at(&mut buffer, 1).unwrap();
        assert_eq!((buffer, bytes.as_slice().length().unwrap()), ([2, 3], 4));
        for offset in [3, 4, 5, u64::MAX] {
            let error = bytes.to_vec().read_exact_at(&mut buffer, offset);
            assert_eq!(error.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        }
        Box::new(Arc::new(&bytes[..]))
            .read_exact_at(&mut [], 4)
            .unwrap();
    }
}
