//! Pseudo-random whole numbers: the same seed gives the same numbers on every machine and in every
//! release, which a library's default generator does not promise. Not for secrets.

#![forbid(unsafe_code)]

/// `SplitMix64` (Steele, Lea and Flood, 2014): one addition and three mixing steps a number.
#[derive(Clone, Debug, Default)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator that starts from `seed`; every seed is as good as any other.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The generator of one stream of a seed: what one part of a run draws then has no influence on
    /// what another does.
    pub fn stream(seed: u64, stream: u64) -> Self {
        let mut random = Self::new(seed ^ stream.wrapping_mul(0xd6e8_feb8_6659_fd93));
        random.bits();
        Self::new(random.bits() ^ stream)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, not including, `limit`; 0 if `limit` is 0.
    ///
    /// Multiplies instead of dividing; the bias is at most `limit` / 2^64, far below what any
    /// trading day could show.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(limit)) >> 64) as u64
    }

    /// A number from `low` to `high`, both included. `low` must not exceed `high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        debug_assert!(low <= high);
        low + self.below(high - low + 1)
    }

    /// An index into `count` items, of which there must be one at least.
    pub fn index(&mut self, count: usize) -> usize {
        debug_assert!(count > 0);
        self.below(count as u64) as usize
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of several, of which there must be one at least.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.index(of.len())]
    }

    /// A part of `most`: all of it, little of it or anything between, as streams cut what they carry.
    pub fn part(&mut self, most: usize) -> usize {
        match self.below(4) {
            0 => most,
            1 => self.index(most.min(3) + 1),
            _ => self.index(most + 1),
        }
    }

    /// Puts the items into an order by chance, each as likely as any other.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }

    /// A byte.
    pub fn byte(&mut self) -> u8 {
        (self.bits() >> 56) as u8
    }

    /// So many bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.byte()).collect()
    }
}

/// Draws an index in proportion to its weight.
#[derive(Clone, Debug)]
pub struct Weighted {
    cumulative: Vec<u64>,
}

impl Weighted {
    /// Prepares the draw; index `i` comes up `weights[i]` times in the sum of all weights.
    pub fn new(weights: impl IntoIterator<Item = u64>) -> Self {
        let mut sum = 0;
        let cumulative = weights.into_iter().map(|weight| {
            sum += weight;
            sum
        });
        Self { cumulative: cumulative.collect() }
    }

    /// Popularity by Zipf's law: index i has weight 1 / (i + 1).
    pub fn zipf(count: usize) -> Self {
        Self::new((1..=count as u64).map(|rank| 1_000_000_000 / rank))
    }

    /// An index among the first `count`; 0 if there is nothing to choose from.
    pub fn draw_among(&self, count: usize, random: &mut Random) -> usize {
        let count = count.min(self.cumulative.len());
        let Some(&sum) = self.cumulative[..count].last() else { return 0 };
        let target = random.below(sum);
        self.cumulative[..count].partition_point(|&upper| upper <= target)
    }

    /// An index among all.
    pub fn draw(&self, random: &mut Random) -> usize {
        self.draw_among(self.cumulative.len(), random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_sequence_of_seed_1234567_comes_out() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn between_reaches_both_ends_and_nothing_else() {
        let mut random = Random::new(1);
        let mut seen = [0; 5];
        for _ in 0..1000 {
            seen[random.between(3, 7) as usize - 3] += 1;
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
    }

    #[test]
    fn zipf_prefers_the_first_by_rank() {
        let popularity = Weighted::zipf(100);
        let mut random = Random::new(2);
        let mut counts = [0_u32; 100];
        for _ in 0..50_000 {
            counts[popularity.draw(&mut random)] += 1;
        }
        assert!(counts[0] > counts[1] && counts[1] > counts[3] && counts[3] > counts[15]);
        let ratio = f64::from(counts[0]) / f64::from(counts[1]);
        assert!((1.8..2.2).contains(&ratio), "{ratio}");
    }

    #[test]
    fn an_index_without_weight_is_never_drawn() {
        let weights = Weighted::new([0, 1, 0, 1]);
        let mut random = Random::new(3);
        assert!((0..200).all(|_| [1, 3].contains(&weights.draw(&mut random))));
    }
}
