// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The walk of each rung's tiles over A, B and C: a block that is held, and in it the piece that is worked on now.
(() => {
  "use strict";
  const N = 12, cell = 11, gap = 1, side = N * (cell + gap), ns = "http://www.w3.org/2000/svg";
  const frames = (w) => {
    const list = [], blocks = [[0, 0], [0, w.BN < N ? w.BN : 0], [w.BM < N ? w.BM : 0, 0]];
    const seen = new Set();
    for (const [i, j] of blocks) {
      if (seen.has(i + "," + j)) continue;
      seen.add(i + "," + j);
      for (let p = 0; p < N; p += w.BK)
        for (let ti = 0; ti < Math.min(w.BM, N); ti += w.TM)
          for (let tj = 0; tj < Math.min(w.BN, N); tj += w.TN)
            for (let q = 0; q < Math.min(w.BK, N); q += w.TK) list.push({i, j, p, ti: i + ti, tj: j + tj, q: p + q});
      if (list.length > 60) break;
    }
    return list.slice(0, 60);
  };
  const make = (parent, name, attributes) => {
    const made = document.createElementNS(ns, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    parent.appendChild(made);
    return made;
  };
  const clip = (x, n) => Math.max(0, Math.min(n, N - x));
  for (const walk of document.querySelectorAll(".walk")) {
    const w = JSON.parse(walk.dataset.walk), list = frames(w), out = walk.querySelector("output");
    const size = 2 * side + 26,
          svg = make(
              walk.querySelector(".picture"), "svg",
              {viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": w.label});
    const at = {A: [0, side + 26], B: [side + 26, 0], C: [side + 26, side + 26]};
    for (const name of ["A", "B", "C"]) {
      const [x, y] = at[name];
      for (let r = 0; r < N; ++r)
        for (let c = 0; c < N; ++c)
          make(
              svg, "rect",
              {class: "cell", x: x + c * (cell + gap), y: y + r * (cell + gap), width: cell, height: cell, rx: 2});
    }
    make(svg, "text", {x: side / 2, y: side + 16, "text-anchor": "middle"}).textContent = "A, m x k";
    make(
        svg, "text",
        {x: side + 16, y: side / 2, "text-anchor": "middle", transform: `rotate(-90 ${side + 16} ${side / 2})`})
        .textContent = "B, k x n";
    make(svg, "text", {x: side + 26 + side / 2, y: side + 16, "text-anchor": "middle"}).textContent = "C, m x n";
    const layer = make(svg, "g", {});
    const block = (name, r, c, h, v, kind) => {
      const [x, y] = at[name];
      h = clip(r, h);
      v = clip(c, v);
      if (h > 0 && v > 0)
        make(layer, "rect", {
          class: name + " " + kind,
          x: x + c * (cell + gap),
          y: y + r * (cell + gap),
          width: v * (cell + gap) - gap,
          height: h * (cell + gap) - gap,
          rx: 2
        });
    };
    let step = 0, timer = 0;
    const draw = () => {
      const f = list[step];
      layer.replaceChildren();
      block("A", f.i, f.p, w.BM, w.BK, "held");
      block("B", f.p, f.j, w.BK, w.BN, "held");
      block("C", f.i, f.j, w.BM, w.BN, "held");
      if (w.next) {
        block("A", f.i, f.p + w.BK, w.BM, w.BK, "done");
        block("B", f.p + w.BK, f.j, w.BK, w.BN, "done");
      }
      block("A", f.ti, f.q, w.TM, w.TK, "");
      block("B", f.q, f.tj, w.TK, w.TN, "");
      block("C", f.ti, f.tj, w.TM, w.TN, "");
      slider.value = step + 1;
      const many = (h, v) => h * v === 1 ? "one element" : `${h} x ${v} elements`;
      out.textContent = `Step ${step + 1} of ${list.length}: ${many(clip(f.ti, w.TM), clip(f.q, w.TK))} of A and ${
                            many(clip(f.q, w.TK), clip(f.tj, w.TN))} of B ` +
          `go into ${many(clip(f.ti, w.TM), clip(f.tj, w.TN))} of C. ${w.note}`;
    };
    const go = (by) => {
      step = (step + by + list.length) % list.length;
      draw();
    };
    const [back, play, on] = walk.querySelectorAll("button"), slider = walk.querySelector("input");
    const tell = (running) => {
      play.textContent = running ? "Pause" : "Play";
      out.setAttribute("aria-live", running ? "off" : "polite");
    };
    const stop = () => {
      clearInterval(timer);
      timer = 0;
      tell(false);
    };
    slider.max = list.length;
    slider.addEventListener("input", () => {
      stop();
      step = slider.value - 1;
      draw();
    });
    back.addEventListener("click", () => {
      stop();
      go(-1);
    });
    on.addEventListener("click", () => {
      stop();
      go(1);
    });
    play.addEventListener("click", () => {
      if (timer) return stop();
      tell(true);
      timer = setInterval(() => go(1), 350);
    });
    walk.addEventListener("keydown", (event) => {
      if (event.target === slider) return;
      if (event.key === "ArrowRight") {
        stop();
        go(1);
      } else if (event.key === "ArrowLeft") {
        stop();
        go(-1);
      } else return;
      event.preventDefault();
    });
    draw();
  }
})();
