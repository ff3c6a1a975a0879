//! The fields of data of the standard, and those that hold their lengths (FIX 5.0 SP2 with its extension packs). Data may have
//! any byte inside, the delimiter too.

/// Each length, and the data behind it.
const PAIRS: [(u32, u32); 83] = [
    (93, 89),
    (90, 91),
    (95, 96),
    (212, 213),
    (348, 349),
    (350, 351),
    (352, 353),
    (354, 355),
    (356, 357),
    (358, 359),
    (360, 361),
    (362, 363),
    (364, 365),
    (445, 446),
    (618, 619),
    (621, 622),
    (1184, 1185),
    (1277, 1278),
    (1280, 1281),
    (1282, 1283),
    (1397, 1398),
    (1401, 1402),
    (1403, 1404),
    (1468, 1469),
    (1525, 1527),
    (1578, 1579),
    (1620, 1621),
    (1664, 1665),
    (1678, 1697),
    (1733, 1734),
    (1871, 1872),
    (1874, 1875),
    (2072, 2073),
    (2074, 2075),
    (2111, 2112),
    (2179, 2180),
    (2287, 2288),
    (2351, 2352),
    (2372, 2371),
    (2481, 2482),
    (2494, 2493),
    (2522, 2521),
    (2637, 2638),
    (2651, 2652),
    (2665, 2666),
    (2715, 2716),
    (2718, 2719),
    (2721, 2722),
    (2797, 2798),
    (2802, 2801),
    (2809, 2808),
    (2815, 2814),
    (40004, 40005),
    (40008, 40009),
    (40978, 40979),
    (40980, 40981),
    (40982, 40983),
    (40984, 40985),
    (40986, 40987),
    (40988, 40989),
    (41083, 41084),
    (41101, 41102),
    (41107, 41108),
    (41256, 41257),
    (41320, 41321),
    (41324, 41325),
    (41458, 41459),
    (41476, 41477),
    (41482, 41483),
    (41653, 41654),
    (41710, 41711),
    (41806, 41807),
    (41811, 41812),
    (41873, 41874),
    (41969, 41970),
    (42025, 42026),
    (42171, 42172),
    (42451, 42452),
    (43110, 42486),
    (42652, 42653),
    (43109, 42684),
    (42947, 42948),
    (43111, 42982),
];

/// As many words as have a bit for each of their tags.
const WORDS: usize = 674;

/// Lengths and data, one bit each.
static PAIRED: [u64; WORDS] = {
    let mut words = [0; WORDS];
    let mut at = 0;
    while at < PAIRS.len() {
        let (length, data) = PAIRS[at];
        words[length as usize / 64] |= 1 << (length % 64);
        words[data as usize / 64] |= 1 << (data % 64);
        at += 1;
    }
    words
};

/// Is the field data, or does it hold the length of data?
#[inline]
pub fn is_of_data(tag: u32) -> bool {
    PAIRED.get(tag as usize / 64).is_some_and(|word| word >> (tag % 64) & 1 != 0)
}

/// The field that holds how many bytes a field of data has, which may hold any byte.
#[inline]
pub fn length_of_data(tag: u32) -> Option<u32> {
    if !is_of_data(tag) {
        return None;
    }
    PAIRS.iter().find(|it| it.1 == tag).map(|it| it.0)
}

/// The data whose length a field holds.
pub fn data_of_length(tag: u32) -> Option<u32> {
    PAIRS.iter().find(|it| it.0 == tag).map(|it| it.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_data_are_known_from_either_side() {
        let data: Vec<u32> = (0..100_000).filter(|it| length_of_data(*it).is_some()).collect();
        assert_eq!(data.len(), PAIRS.len());
        for data in data {
            let length = length_of_data(data).expect("it has one");
            assert_eq!(data_of_length(length), Some(data));
            assert!(is_of_data(data) && is_of_data(length), "{data}");
        }
        assert!([11, 58, 9_999, u32::MAX].iter().all(|it| !is_of_data(*it)));
        assert_eq!(data_of_length(38), None);
    }
}
