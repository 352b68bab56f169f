//! Output that the terminal has not taken yet. A frame that it takes in part is finished before anything else is sent, so a slow
//! link shows whole frames and never a mixture.

#[derive(Debug, Default)]
pub struct WriteBuffer {
    bytes: Vec<u8>,
    sent: usize,
}

impl WriteBuffer {
    pub fn is_empty(&self) -> bool {
        self.sent == self.bytes.len()
    }

    pub fn push(&mut self, bytes: &[u8]) {
        if self.is_empty() {
            self.clear();
        }
        self.bytes.extend_from_slice(bytes);
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.sent = 0;
    }

    /// Passes the unsent bytes to `write` once, which returns how many it took.
    pub fn flush<E>(&mut self, write: impl FnOnce(&[u8]) -> Result<usize, E>) -> Result<(), E> {
        if !self.is_empty() {
            self.sent += write(&self.bytes[self.sent..])?;
        }
        Ok(())
    }
}
