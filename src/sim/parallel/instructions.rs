//! The vector instruction set of the passes.

use fearless_simd::Level;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use fearless_simd::Simd;

named! {
    /// An instruction set. All of them give the same bits; they differ in speed.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Instructions {
        /// The best of this machine, found at run time.
        #[default]
        Best => "auto",
        /// SSE2, which every x86-64 machine has: four lanes.
        Sse2 => "sse2",
        /// SSE4.2, 128 bits.
        Sse42 => "sse4.2",
        /// AVX2: eight lanes.
        Avx2 => "avx2",
        /// AVX-512: eight lanes, and twice as many registers.
        Avx512 => "avx512",
    }
}

impl Instructions {
    /// Whether this machine has it.
    pub fn available(self) -> bool {
        self.level().is_some()
    }

    /// The instruction set that [`Self::Best`] selects on this machine, where it has a name of its own.
    pub fn found(self) -> Self {
        let named = Self::ALL.into_iter().rev().filter(|it| *it != Self::Best && it.available());
        if self == Self::Best { named.into_iter().next().unwrap_or(self) } else { self }
    }

    /// The level of the vector library; the best if this machine does not have it.
    pub fn level_or_best(self) -> Level {
        self.level().unwrap_or_else(Level::new)
    }

    /// The level of the vector library, if this machine has it.
    pub fn level(self) -> Option<Level> {
        let best = Level::new();
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        match self {
            Self::Best => Some(best),
            Self::Sse2 => best.as_sse2().map(Simd::level),
            Self::Sse42 => best.as_sse4_2().map(Simd::level),
            Self::Avx2 => best.as_avx2().map(Simd::level),
            Self::Avx512 => best.as_avx512().map(Simd::level),
        }
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        (self == Self::Best).then_some(best)
    }
}
