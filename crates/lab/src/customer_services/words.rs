//! What names and things are made of.

use trunkline_random::Random;

/// One of the words, which commas part.
pub(super) fn pick(random: &mut Random, words: &'static str) -> &'static str {
    let words: Vec<&str> = words.split(", ").collect();
    words[random.below(words.len() as u64) as usize]
}

pub(super) const FIRST_NAMES: &str = "\
     Alice, Benjamin, Chloe, Daniel, Emily, Farid, Grace, Henry, Isabella, Jack, Keiko, Liam, Mei, \
     Noah, Olivia, Patrick, Quang, Rosa, Samuel, Thea, Ursula, Victor, William, Zoe";

pub(super) const LAST_NAMES: &str = "\
     Anderson, Brown, Chen, Dimitriou, Evans, Fraser, Greenfield, Hughes, Ivanov, Johnson, Kelly, \
     Lee, Martin, Nguyen, Papadopoulos, Quinn, Robinson, Smith, Taylor, Underwood, Vella, Williams, \
     Young, Zhang";

pub(super) const STREETS: &str = "\
     Waterloo Road, Talavera Road, Epping Road, Balaclava Road, Herring Road, Victoria Street, \
     King Street, George Street, Lane Cove Road, Pacific Highway, Culloden Road, Vimiera Road, \
     Agincourt Road, Church Street, High Street, Station Street";

pub(super) const SUBURBS: &str = "\
     North Ryde NSW 2113, Macquarie Park NSW 2113, Epping NSW 2121, Marsfield NSW 2122, \
     Eastwood NSW 2122, Chatswood NSW 2067, Newtown NSW 2042, Parramatta NSW 2150, \
     Hornsby NSW 2077, Manly NSW 2095, Glebe NSW 2037, Ryde NSW 2112";

pub(super) const DOMAINS: &str =
    "example.com, example.org, example.net, mail.example, post.example, home.example";

pub(super) const MATERIALS: &str = "\
     Galvanised steel, Stainless steel, Brass, Copper, Aluminium, Hardwood, Pine, Nylon, Rubber, \
     Ceramic, Zinc plated, Polished";

pub(super) const THINGS: &str = "\
     bolt, bracket, hinge, washer, valve, pipe, elbow joint, screw, anchor, clamp, handle, castor, \
     shelf, panel, gasket, coupling, chain, hook, cable, drawer runner";

pub(super) const UNITS: &str = "each, box, metre, pair, pack of 10, pallet";
