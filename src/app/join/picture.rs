//! The host's picture in the guest's window.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Fits a picture into `area`. After a change of the size, the old picture is stretched or compressed, cell by cell, until
/// the host has drawn a new one.
pub fn fit(picture: &Buffer, area: Rect, shown: &mut Buffer) {
    shown.area = area;
    if picture.area == area {
        // `Buffer::clone_from` allocates all cells again, which took a tenth of a guest's processor time.
        shown.content.clone_from(&picture.content);
        return;
    }
    shown.content.clear();
    let [from, to] = [picture.area, area].map(|area| (usize::from(area.width), usize::from(area.height)));
    if picture.area.is_empty() {
        shown.content.resize(to.0 * to.1, Default::default());
        return;
    }
    // The middle of each cell.
    let nearest = |at: usize, to: usize, from: usize| (2 * at + 1) * from / (2 * to);
    for y in 0..to.1 {
        let row = nearest(y, to.1, from.1) * from.0;
        shown.content.extend((0..to.0).map(|x| picture.content[row + nearest(x, to.0, from.0)].clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_of_another_size_fills_the_window() {
        let picture = Buffer::with_lines(["ab", "cd"]);
        let mut shown = Buffer::default();
        fit(&picture, Rect::new(0, 0, 4, 4), &mut shown);
        assert_eq!(shown, Buffer::with_lines(["aabb", "aabb", "ccdd", "ccdd"]));
        fit(&picture, Rect::new(0, 0, 1, 3), &mut shown);
        assert_eq!(shown.content.len(), 3);
        fit(&picture, Rect::new(0, 0, 2, 2), &mut shown);
        assert_eq!(shown, picture);
        fit(&Buffer::default(), Rect::new(0, 0, 2, 1), &mut shown);
        assert_eq!(shown, Buffer::empty(Rect::new(0, 0, 2, 1)));
        fit(&picture, Rect::ZERO, &mut shown);
        assert!(shown.content.is_empty());
    }
}
