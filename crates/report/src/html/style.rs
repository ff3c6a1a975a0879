//! The style sheet of the page.

/// Rules for paper and light screens; [`DARK`] changes the colours.
pub(super) const STYLE: &str = "\
:root{color-scheme:light dark;--ground:#ffffff;--raised:#f6f7f9;--ink:#1b1f24;--soft:#59616b;
--line:#dfe2e6;--accent:#0072b2;--holds:#00694c;--gone:#a94a00;--open:#5b6470}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
main{max-width:1240px;margin:0 auto;padding:28px 20px 64px}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .3rem}
h2{font-size:1.25rem;line-height:1.3;margin:2.8rem 0 .6rem;padding-top:1.2rem;border-top:1px solid var(--line)}
h3{font-size:1.05rem;margin:1.4rem 0 .2rem}
p{margin:.4rem 0;max-width:75ch}
ul{padding-left:1.2rem}li{margin:.25rem 0;max-width:75ch}
.soft,.notes,figcaption p{color:var(--soft)}
.notes,figcaption p,footer{font-size:.9rem}
a{color:var(--accent)}
dl.machine{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.8rem 0;font-size:.9rem}
dl.machine dt{color:var(--soft)}
dl.machine dd{margin:0;overflow-wrap:anywhere}
.verdicts{display:flex;flex-wrap:wrap;gap:.8rem;margin:1.2rem 0 .8rem}
.tile{flex:1 1 260px;background:var(--raised);border:1px solid var(--line);border-radius:8px;padding:.8rem 1rem}
.tile strong{display:block;font-size:1.05rem;margin-bottom:.3rem}
.badge{display:inline-block;border:1px solid currentColor;border-radius:99px;padding:0 .55em;
font-size:.85em;line-height:1.5;white-space:nowrap}
.holds{color:var(--holds)}.no-longer{color:var(--gone)}.inconclusive{color:var(--open)}
.tile .badge{margin:.15rem .3rem .15rem 0}
.headline{display:flex;flex-wrap:wrap;gap:.4rem 2.4rem;margin:1rem 0}
.headline p{max-width:20ch;line-height:1.3;color:var(--soft)}
.headline strong{display:block;font-size:1.9rem;line-height:1.2;color:var(--ink)}
nav ul{columns:22em;column-gap:2rem;list-style:none;padding:0;margin:1.2rem 0 0;font-size:.9rem}
nav li{margin:.1rem 0;break-inside:avoid}
.scroll{overflow-x:auto;margin:.6rem 0}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
th,td{padding:.28rem .8rem .28rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{font-weight:600;white-space:nowrap}
td p,td details{margin:.1rem 0 0;max-width:44ch;font-size:.8125rem;color:var(--soft);overflow-wrap:anywhere}
.number{text-align:right;white-space:nowrap}
.indented{padding-left:1.2em}
figure{margin:1.8rem 0}.beside>div{min-width:0}.beside figure:first-child{margin-top:.6rem}
.panels{display:flex;flex-wrap:wrap;align-items:flex-start;gap:1rem 1.6rem}
.panels svg{overflow:visible;flex:0 1 540px;min-width:0;width:100%;max-width:540px;height:auto}
svg text{font-family:inherit}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;margin:.6rem 0 .9rem;padding:0;font-size:.875rem}

.legend li{margin:0}.legend svg{vertical-align:-2px}
details summary{cursor:pointer}
@media (min-width:1200px){.beside{display:grid;grid-template-columns:minmax(0,max-content) minmax(400px,1fr);gap:0 2rem;align-items:start}
.beside .panels svg{flex-basis:400px}.panels svg text:not([font-weight]){font-size:15px}
td:has(p){min-width:36ch}.beside th,.beside td{padding-right:.6rem}.beside table{font-size:.8125rem}
.beside figcaption h3{margin-top:0}}
@media (max-width:600px){main{padding:18px 14px 48px}h1{font-size:1.4rem}
dl.machine{grid-template-columns:1fr;gap:0}dl.machine dd{margin-bottom:.35rem}
table{font-size:.75rem}table:has(td p),table:has(td p) tbody{display:block}table:has(td p) thead{display:none}
tr:has(p){display:flex;flex-wrap:wrap;gap:0 .6rem;border-bottom:1px solid var(--line)}tr:has(p) td{border:0}td:has(p){flex-basis:100%}
td:has(p)+td::before{content:'expected '}td:has(p)+td+td::before{content:'trunkline '}td:has(p)+td+td+td+td:not(:empty)::before{content:'peers '}
th,td{padding-right:.45rem}th{white-space:normal}
th:first-child,td:first-child{position:sticky;left:0;background:var(--ground)}
.panels svg text:not([font-weight]){font-size:15px}.panels svg text[font-weight]{font-size:16.5px}}
@media print{main{max-width:none;padding:0}body{font-size:10pt}table{font-size:8.5pt}
th,td{padding:.1rem .7rem .1rem 0}.panels svg,.tile,tr,figcaption,.legend{break-inside:avoid}
h2,h3,figcaption,.legend{break-after:avoid}h2{margin-top:1.6rem;padding-top:.6rem}
nav{display:none}.panels svg text:not([font-weight]){font-size:15px}.scroll{overflow:visible}.panels svg{flex-basis:47%;max-width:47%}.download{display:none}}
";

/// Colours for a dark screen.
pub(super) const DARK: &str = "\
:root{--ground:#14171b;--raised:#1c2026;--ink:#e8eaed;--soft:#a2a9b3;--line:#333942;--accent:#6cbcf0;
--holds:#4fd3a8;--gone:#ff9a56;--open:#b3bac4}
";
