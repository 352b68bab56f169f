//! Similarity of two pictures.

use slosh::view::Rgb;
use slosh::view::image::Image;

/// Side of the windows of [`ssim`], and the step from one to the next, in pixels.
const WINDOW: usize = 8;
const STEP: usize = 4;

/// Peak signal-to-noise ratio over all channels, in dB; of equal pictures 99.
pub fn psnr(a: &Image, b: &Image) -> f64 {
    let squares: f64 = a.rgb.iter().zip(&b.rgb).map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2)).sum();
    if squares == 0.0 { 99.0 } else { 10.0 * (255.0 * 255.0 * a.rgb.len() as f64 / squares).log10() }
}

/// Structural similarity (Wang, Bovik, Sheikh & Simoncelli 2004) of luma (BT.601), over 8×8 windows every 4 pixels:
/// the mean of
///
/// ```text
/// (2 μa μb + C1)(2 σab + C2) / ((μa² + μb² + C1)(σa² + σb² + C2))     C1 = (0.01·255)², C2 = (0.03·255)²
/// ```
pub fn ssim(a: &Image, b: &Image) -> f64 {
    let (x, y) = (luma(a), luma(b));
    let lefts = (0..=a.width.saturating_sub(WINDOW)).step_by(STEP);
    let corners =
        (0..=a.height.saturating_sub(WINDOW)).step_by(STEP).flat_map(|top| lefts.clone().map(move |left| (left, top)));
    let windows: Vec<f64> = corners.map(|corner| window(&x, &y, a.width, corner)).collect();
    windows.iter().sum::<f64>() / windows.len().max(1) as f64
}

fn window(x: &[f64], y: &[f64], width: usize, (left, top): (usize, usize)) -> f64 {
    const C: (f64, f64) = ((0.01 * 255.0) * (0.01 * 255.0), (0.03 * 255.0) * (0.03 * 255.0));
    let mut sums = [0.0; 5];
    for row in top..top + WINDOW {
        for at in row * width + left..row * width + left + WINDOW {
            let terms = [x[at], y[at], x[at] * x[at], y[at] * y[at], x[at] * y[at]];
            (0..5).for_each(|term| sums[term] += terms[term]);
        }
    }
    let [mx, my, xx, yy, xy] = sums.map(|sum| sum / (WINDOW * WINDOW) as f64);
    let (vx, vy, covariance) = (xx - mx * mx, yy - my * my, xy - mx * my);
    (2.0 * mx * my + C.0) * (2.0 * covariance + C.1) / ((mx * mx + my * my + C.0) * (vx + vy + C.1))
}

fn luma(image: &Image) -> Vec<f64> {
    let weigh = |p: &[u8]| 0.299 * f64::from(p[0]) + 0.587 * f64::from(p[1]) + 0.114 * f64::from(p[2]);
    image.rgb.chunks_exact(3).map(weigh).collect()
}

/// Panics if the measures are wrong: a picture must equal itself, and be less similar to others.
pub fn self_test() {
    assert_eq!((psnr(&ramp(0), &ramp(0)), ssim(&ramp(0), &ramp(0))), (99.0, 1.0));
    // With all values off by 10: 10 log 255²/10².
    assert!((psnr(&ramp(0), &ramp(10)) - 28.13).abs() < 0.01);
    let lifted = ssim(&ramp(0), &ramp(10));
    let flat = Image { rgb: vec![64; 16 * 16 * 3], ..ramp(0) };
    assert!(lifted > 0.9 && lifted < 1.0 && ssim(&ramp(0), &flat) < 0.3, "{lifted}");
}

fn ramp(lift: u8) -> Image {
    let mut image = Image::new(16, 16);
    for (x, y) in (0..16).flat_map(|x| (0..16).map(move |y| (x, y))) {
        let v = (x * 8 + y) as u8 + lift;
        image.put(x, y, Rgb(v, v, v));
    }
    image
}
