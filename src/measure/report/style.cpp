// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/report/report.hpp"

namespace tw::measure {

const char* report_style() {
    return R"css(
:root{color-scheme:light dark;--paper:#fbfaf7;--raised:#fff;--ink:#1d2126;--soft:#5b646e;--line:#e2dfd7;--ours:#0b6e6e;--ours-soft:#cfe6e3;--theirs:#a8561c;
--theirs-soft:#f0dcc9;--a:#3d6fb6;--b:#b4662a;--c:#0b6e6e;--cell:#efece5;--good:11 110 110;--bad:180 102 42;--shadow:0 1px 2px #0000000f,0 4px 16px #0000000a}
@media (prefers-color-scheme:dark){:root{--paper:#14171a;--raised:#1b1f23;--ink:#e8e6e1;--soft:#a0a8b0;--line:#2e343a;--ours:#4fc1b8;--ours-soft:#1f4644;
--theirs:#e39a5f;--theirs-soft:#4a3424;--a:#7aa7ea;--b:#e39a5f;--c:#4fc1b8;--cell:#262b30;--good:79 193 184;--bad:227 154 95;--shadow:none}}
*{box-sizing:border-box}html{scroll-behavior:smooth;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
header,main,footer{max-width:66rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:3.5rem}.brand{margin:0;color:var(--ours);font-weight:650;letter-spacing:.04em}
h1{font-size:clamp(1.7rem,5vw,2.9rem);line-height:1.12;letter-spacing:-.02em;margin:.2rem 0 .8rem;max-width:22ch;text-wrap:balance}
.lead{color:var(--soft);max-width:62ch;margin:0 0 1.5rem;font-size:1.08rem}
.headline{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(10.5rem,100%),1fr));gap:1rem 2rem;margin:0 0 2rem;padding:1.2rem 0;border:solid var(--line);border-width:1px 0;}
.headline div{display:flex;flex-direction:column-reverse;justify-content:flex-end}.headline dt{color:var(--soft);font-size:.88rem;line-height:1.35}
.headline dd{margin:0;font-size:2rem;line-height:1.2;font-weight:600;letter-spacing:-.02em;font-variant-numeric:tabular-nums}.headline small{font-size:.95rem;font-weight:500;color:var(--soft);letter-spacing:0}
nav ul{display:flex;flex-wrap:wrap;gap:.4rem .5rem;list-style:none;margin:0;padding:0}
nav a{display:block;padding:.35rem .8rem;border:1px solid var(--line);border-radius:99px;background:var(--raised);color:var(--ink);text-decoration:none;font-size:.92rem}
nav a:hover{border-color:var(--ours);color:var(--ours)}
a{color:var(--ours)}:focus-visible{outline:2px solid var(--ours);outline-offset:3px;border-radius:4px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--raised);padding:.5rem 1rem}
section{padding:3.2rem 0 .6rem}h2{font-size:1.65rem;letter-spacing:-.01em;margin:0 0 .4rem}
section>p{max-width:66ch;color:var(--soft);margin:.2rem 0 1.2rem}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding:.3rem 0;font-size:.88rem}
th,td{padding:.38rem .7rem .38rem 0;border-bottom:1px solid var(--line);text-align:left;font-weight:400;vertical-align:top}
thead th{color:var(--soft);font-size:.82rem}tbody th{font-weight:550}.n{text-align:right;white-space:nowrap}
details{margin:1rem 0;border-top:1px solid var(--line)}summary{cursor:pointer;padding:.6rem 0;color:var(--soft);font-size:.92rem}
code,pre,.mono{font-family:ui-monospace,"SF Mono","Cascadia Mono","DejaVu Sans Mono",Menlo,monospace}
.bars{display:grid;gap:.42rem;margin:1.4rem 0;padding:0;list-style:none}
.bars li{display:grid;grid-template-columns:minmax(9rem,20rem) 1fr;gap:.2rem 1rem;align-items:center}
.bars .name{font-size:.86rem;overflow-wrap:anywhere;line-height:1.3}
.bars .track{display:flex;align-items:center;gap:.6rem;min-width:0}
.bars .bar{height:1.15rem;border-radius:3px;background:var(--ours);min-width:2px;flex:none}
.bars .peer .bar{background:var(--theirs)}.bars .value{font-size:.86rem;white-space:nowrap;font-variant-numeric:tabular-nums}.bars .value small{color:var(--soft)}
.key{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;font-size:.86rem;color:var(--soft);margin:.6rem 0}
.key i{display:inline-block;width:.8rem;height:.8rem;border-radius:3px;margin-right:.4rem;vertical-align:-1px}
.rungs{display:grid;gap:1.25rem;margin-top:2rem}
.rung{background:var(--raised);border:1px solid var(--line);border-radius:12px;padding:1.3rem 1.4rem;box-shadow:var(--shadow);display:grid;gap:.3rem 2rem;
grid-template-columns:minmax(0,5fr) minmax(0,7fr);break-inside:avoid}
.rung h3{margin:0;font-size:1.12rem}.rung .idea{margin:.1rem 0 .7rem;color:var(--soft)}.rung .left,.rung .right{min-width:0}
.facts{display:flex;flex-wrap:wrap;gap:.5rem 1.6rem;margin:.2rem 0 .8rem;padding:0}.facts div{min-width:5rem}
.facts dt{font-size:.78rem;color:var(--soft)}.facts dd{margin:0;font-size:1.15rem;font-variant-numeric:tabular-nums;font-weight:550}.facts small{font-weight:400;font-size:.8rem;color:var(--soft)}
pre{margin:.4rem 0 0;padding:.9rem 1rem;background:var(--cell);border-radius:8px;overflow:auto;font-size:.76rem;line-height:1.5;max-height:24rem;tab-size:4}
.walk svg{display:block;width:100%;max-width:27rem;height:auto;margin:0 auto}
.walk .controls{display:flex;flex-wrap:wrap;align-items:center;justify-content:center;gap:.5rem;margin-top:.5rem}
.walk output{display:block;min-height:3.1em;font-size:.86rem;color:var(--soft);text-align:center;max-width:27rem;margin:.4rem auto 0}
input[type=range]{accent-color:var(--ours);flex:1 1 6rem;max-width:11rem;min-height:2.5rem;margin:0}button{font:inherit;font-size:.88rem;color:var(--ink);background:var(--raised);border:1px solid var(--line);border-radius:8px;padding:.35rem .85rem;cursor:pointer;min-height:2.5rem}
button:hover{border-color:var(--ours);color:var(--ours)}
.cell{fill:var(--cell)}.held{opacity:.28}.A{fill:var(--a)}.B{fill:var(--b)}.C{fill:var(--c)}.done{fill:var(--c);opacity:.16}
svg text{fill:var(--soft);font:13px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-variant-numeric:tabular-nums}svg .strong{fill:var(--ink);paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}svg .title{font-size:12.5px}
figure{margin:1.2rem 0 .4rem}.chart{display:block;width:100%;height:auto}.chart.narrow{display:none}
.axis{stroke:var(--line);fill:none}.roof{stroke:var(--ink);stroke-width:1.4;fill:none}.drop{stroke:var(--soft);stroke-width:1;stroke-dasharray:1 3;fill:none}
.ours{fill:var(--ours)}.theirs{fill:var(--theirs)}.faint{fill:var(--soft);opacity:.5}.leader{stroke:var(--soft);opacity:.6;fill:none}
circle{stroke:var(--paper);stroke-width:1.5}.front{fill:none;stroke:var(--ours);stroke-width:2}.reached{fill:var(--ours);opacity:.07}
.heat{width:auto}.heat td{text-align:right;border:2px solid var(--paper);border-radius:6px;padding:.4rem .7rem;white-space:nowrap;min-width:7.5rem}
.heat th{border:0;white-space:nowrap;padding:.4rem .7rem .4rem 0}.heat thead th+th{padding-right:.7rem}.heat small{color:var(--ink);opacity:.75;display:inline-block;min-width:3.4em}
.heat tbody th{position:sticky;left:0;background:var(--paper)}.heat .none{color:var(--soft);font-size:.82rem}.ahead{background:rgb(var(--good) / .5)}.behind{background:rgb(var(--bad) / .5)}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:1rem 3rem;margin-top:1rem}
footer{padding:3rem 1.25rem;color:var(--soft);font-size:.9rem}
@media (max-width:52rem){.rung{grid-template-columns:minmax(0,1fr)}}
@media (max-width:34rem){.chart.wide{display:none}.chart.narrow{display:block}.headline{grid-template-columns:1fr 1fr}.headline dd{font-size:1.6rem}header{padding-top:2rem}.bars li{grid-template-columns:minmax(0,1fr)}.rung{padding:1.1rem}section{padding-top:2.4rem}}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
@page{margin:16mm 14mm}
@media print{:root{color-scheme:light;--paper:#fff;--raised:#fff;--ink:#1d2126;--soft:#4d555e;--line:#d8d5cd;--ours:#0b6e6e;--theirs:#a8561c;--a:#3d6fb6;--b:#b4662a;--c:#0b6e6e;--cell:#efece5;--good:11 110 110;--bad:180 102 42;--shadow:none}
nav,.walk .controls,.skip,.walk output,details:not([open]){display:none}body{font-size:10pt;background:#fff}header{padding-top:0}section{padding-top:1.4rem}h2{break-after:avoid}figure,.headline,tr{break-inside:avoid}
.chart.wide{display:block}.chart.narrow{display:none}pre{max-height:none;white-space:pre-wrap;font-size:6.8pt}.scroll{overflow:visible}.rung{grid-template-columns:minmax(0,2fr) minmax(0,3fr);box-shadow:none}.bars li{grid-template-columns:20rem 1fr}.headline{grid-template-columns:repeat(4,1fr)}
.bar,.cell,.A,.B,.C,.done,.heat td,.key i,circle{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)css";
}

}  // namespace tw::measure
