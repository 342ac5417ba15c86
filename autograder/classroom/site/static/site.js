// Safari's own engine stops Pyodide now and then: say so where one can start it.
if (/^((?!chrome|android|crios|fxios|edg).)*safari/i.test(navigator.userAgent)) {
  document.documentElement.classList.add("is-safari");
}
