//! [`Term`] as a ratatui backend, so that anything built on ratatui can draw through this encoder.
//!
//! Cells are collected and sent by `flush`, in one write. The cursor stays hidden and nothing is ever
//! asked of the terminal: what a position report would tell is remembered instead.

use std::io;

use ratatui_core::backend::{Backend, ClearType, WindowSize};
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::layout::{Position, Rect, Size};

use crate::term::Term;

impl Backend for Term {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let (width, height) = Term::size(self);
        let area = Rect::new(0, 0, width, height);
        if self.back.area != area {
            self.back = Buffer::empty(area);
        }
        for (x, y, cell) in content {
            if let Some(slot) = self.back.cell_mut((x, y)) {
                slot.clone_from(cell);
            }
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, _: P) -> io::Result<()> {
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.back.reset();
        self.screen.forget();
        Ok(())
    }

    /// Only the whole is ever cleared: the session has the alternate screen to itself.
    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        match region {
            ClearType::All => self.clear(),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn size(&self) -> io::Result<Size> {
        Ok(Term::size(self).into())
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        let columns_rows = Size::from(Term::size(self));
        let (width, height) = self.cell_pixels().unwrap_or((0, 0));
        let pixels = Size::new(columns_rows.width.saturating_mul(width), columns_rows.height.saturating_mul(height));
        Ok(WindowSize { columns_rows, pixels })
    }

    fn flush(&mut self) -> io::Result<()> {
        let frame = std::mem::take(&mut self.back);
        let result = Term::draw(self, &frame).map(drop);
        self.back = frame;
        result
    }
}
