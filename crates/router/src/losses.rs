//! Unreported losses of matches, and their place in the order of the match.

use crate::matched::{GAPS, Losses, Lost, Matches, add};
use crate::pool::{List, NONE};

impl Matches {
    /// Notes a lost message that came after everything of the match that waits.
    pub(crate) fn lose_newest(&mut self, gaps: &mut List<GAPS>, matched: u32, lost: Lost) {
        let losses = self.losses_for(matched);
        add(&mut self.losses[losses].back, Some(lost));
        self.settle(gaps, matched);
    }

    /// Notes a loss that came before everything of the match that waits.
    pub(crate) fn lose_oldest(&mut self, gaps: &mut List<GAPS>, matched: u32, lost: Lost) {
        let losses = self.losses_for(matched);
        add(&mut self.losses[losses].front, Some(lost));
        self.list(gaps, losses);
        self.settle(gaps, matched);
    }

    /// When nothing of a match waits any more but what is undecided, the losses after it move to the front.
    pub(crate) fn settle(&mut self, gaps: &mut List<GAPS>, matched: u32) {
        if self.decided(matched) == 0 {
            let back = self.take_back(gaps, matched);
            self.put_front(gaps, matched, back);
        }
    }

    /// The losses of a match after everything that waits.
    pub(crate) fn back(&self, matched: u32) -> Option<Lost> {
        let losses = self.losses_of(matched);
        if losses == NONE { None } else { self.losses[losses].back }
    }

    /// The losses of a match after everything that waits; the taker keeps their place.
    pub(crate) fn take_back(&mut self, gaps: &mut List<GAPS>, matched: u32) -> Option<Lost> {
        let losses = self.losses_of(matched);
        if losses == NONE {
            return None;
        }
        let back = self.losses[losses].back.take();
        self.drop_if_reported(gaps, losses);
        back
    }

    /// The losses of a match before everything that waits; the taker reports them.
    pub(crate) fn take_front(&mut self, gaps: &mut List<GAPS>, matched: u32) -> Option<Lost> {
        let losses = self.losses_of(matched);
        if losses == NONE {
            return None;
        }
        let front = self.losses[losses].front.take();
        self.drop_if_reported(gaps, losses);
        front
    }

    /// Adds to the losses of a match before everything that waits.
    pub(crate) fn put_front(&mut self, gaps: &mut List<GAPS>, matched: u32, lost: Option<Lost>) {
        if lost.is_some() {
            let losses = self.losses_for(matched);
            add(&mut self.losses[losses].front, lost);
            self.list(gaps, losses);
        }
    }

    /// Forgets the losses of a match.
    pub(crate) fn forget_losses(&mut self, gaps: &mut List<GAPS>, matched: u32) {
        let losses = self.losses_of(matched);
        if losses != NONE {
            (self.losses[losses].front, self.losses[losses].back) = (None, None);
            self.drop_if_reported(gaps, losses);
        }
    }

    fn losses_for(&mut self, matched: u32) -> u32 {
        match self.losses_of(matched) {
            NONE => {
                let losses = self.losses.take();
                self.losses[losses] = Losses { matched, ..Losses::default() };
                self.set_losses(matched, losses);
                losses
            }
            losses => losses,
        }
    }

    fn list(&mut self, gaps: &mut List<GAPS>, losses: u32) {
        if !std::mem::replace(&mut self.losses[losses].is_listed, true) {
            gaps.push_back(&mut self.losses, losses);
        }
    }

    fn drop_if_reported(&mut self, gaps: &mut List<GAPS>, losses: u32) {
        let at = &mut self.losses[losses];
        if at.front.is_none() && std::mem::take(&mut at.is_listed) {
            gaps.remove(&mut self.losses, losses);
        }
        let at = &self.losses[losses];
        if at.front.is_none() && at.back.is_none() {
            self.set_losses(at.matched, NONE);
            self.losses.give(losses);
        }
    }
}
