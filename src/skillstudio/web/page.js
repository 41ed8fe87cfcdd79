// Keys go to the terminal without a click, as soon as it is connected.
window.addEventListener("DOMContentLoaded", () => {
  const focusTerminal = () => {
    if (document.body.classList.contains("-loaded"))
      document.querySelector(".xterm-helper-textarea")?.focus();
  };
  new MutationObserver(focusTerminal).observe(document.body, { attributeFilter: ["class"] });
  window.addEventListener("focus", focusTerminal);
});
