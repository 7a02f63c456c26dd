//! A card as a badge: `cancel: 5/6 MUST`.

use crate::conform::Card;

/// Width of a character of the badge, and what stands around a text, in its own units.
const LETTER: usize = 7;
const ROOM: usize = 10;

/// An SVG of one line. It holds nothing that came from the server.
pub(super) fn badge(card: &Card) -> String {
    let tally = card.tally("MUST");
    let all = tally.honoured + tally.violates + tally.not_observed;
    let (label, value) = ("cancel", format!("{}/{all} MUST", tally.honoured));
    let colour = match card.exit() {
        0 if tally.not_observed == 0 => "#2e7d32",
        0 => "#9e9d24",
        1 => "#c62828",
        _ => "#757575",
    };
    let (left, right) = (label.len() * LETTER + ROOM, value.len() * LETTER + ROOM);
    let (width, middle, end) = (left + right, left / 2, left + right / 2);
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{label}: {value}">
<title>{label}: {value}</title>
<rect width="{left}" height="20" fill="#444"/><rect x="{left}" width="{right}" height="20" fill="{colour}"/>
<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{middle}" y="14">{label}</text><text x="{end}" y="14">{value}</text></g></svg>
"##
    )
}
