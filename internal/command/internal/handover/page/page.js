"use strict";
for (const box of document.querySelectorAll("[data-check]")) {
  const want = box.dataset.check, says = box.querySelector("[role=status]");
  const held = document.getElementById("evidence-" + box.dataset.piece);
  const bytes = () => Uint8Array.from(atob(held.textContent.trim()), (c) => c.charCodeAt(0));
  const check = async (data) => {
    if (!globalThis.crypto || !crypto.subtle) {
      says.className = "verdict fails";
      says.textContent = "Not checked: this browser computes hashes only on pages from a file or over https. Save the page and open it from there, or run sha256sum on the evidence.";
      return;
    }
    const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
    const hex = Array.from(sum, (b) => b.toString(16).padStart(2, "0")).join("");
    says.className = "verdict " + (hex === want ? "holds" : "fails");
    says.textContent = hex === want ? "The SHA-256 of the evidence is right." : "This is other evidence: its SHA-256 is " + hex + ".";
  };
  const button = box.querySelector("[data-do=check]"), save = box.querySelector("[data-do=save]"), pick = box.querySelector("input");
  if (button) button.addEventListener("click", () => check(bytes()));
  if (pick) pick.addEventListener("change", async () => { if (pick.files[0]) check(await pick.files[0].arrayBuffer()); });
  if (save) save.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes()], { type: "application/octet-stream" }));
    link.download = box.dataset.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  });
}
