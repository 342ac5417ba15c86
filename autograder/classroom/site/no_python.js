// A sentence where Python cannot be loaded: JupyterLite itself shows [*] for ever, and says why in a log that is closed.
(async () => {
  const address = "ADDRESS";
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      if ((await fetch(address)).ok) return;
    } catch {
      // no network, or one that refuses it: asked again below
    }
    await new Promise((go) => setTimeout(go, 1000));
  }
  const told = document.createElement("div");
  told.id = "no-python";
  told.setAttribute("role", "alert");
  told.style.cssText =
    "position:fixed;left:50%;bottom:32px;transform:translateX(-50%);z-index:10000;box-sizing:border-box;" +
    "width:min(46rem,94vw);padding:12px 16px;border-radius:6px;background:#7a1f1f;color:#fff;" +
    "font:15px/1.45 system-ui,sans-serif;box-shadow:0 2px 12px #0006";
  told.textContent =
    "Python cannot be loaded here, so no cell can run: it comes from " + new URL(address).host + ", which this network " +
    "does not reach or does not let through. Try another network and load this page again. Or work on your own " +
    'machine: pip install "autograd-course[lab]", then autograder start my-course. ';
  const close = document.createElement("button");
  close.textContent = "Close";
  close.style.cssText = "margin-left:8px;padding:2px 10px;font:inherit;cursor:pointer";
  close.onclick = () => told.remove();
  told.append(close);
  document.body.append(told);
})();
