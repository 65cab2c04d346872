// Opens screens in several ways to look at them, and has axe-core check each.
import { axe } from "./packages.mjs";
import { visit } from "./visit.mjs";

const ways = {
  light: [{ colorScheme: "light" }, {}],
  // Only colours differ.
  dark: [{ colorScheme: "dark" }, { runOnly: ["color-contrast", "link-in-text-block"] }],
  phone: [{ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }, { rules: { "color-contrast": { enabled: false } } }],
};

export default async function screens(browser, { site, paths }) {
  const trouble = [];
  const checked = [];
  const look = async ([way, [options, rules]]) => {
    const v = await visit(browser, site, { reducedMotion: "reduce", ...options });
    const page = await v.page();
    await v.open(page, paths[0]);
    for (const path of paths) {
      await v.go(page, path);
      if (path.includes("/-/ask?q=")) await asked(page);
      await settled(page);
      await page.evaluate(axe);
      const found = await page.evaluate((options) => axe.run(document, { resultTypes: ["violations"], ...options }), rules);
      for (const { id, help, nodes } of found.violations) {
        trouble.push(`axe-core, ${way}, ${path}: ${id}: ${help}: ${nodes.length} times, such as ${nodes[0].html.slice(0, 300)} ${nodes[0].any?.[0]?.message ?? ""}`);
      }
      const about = await page.evaluate(() => ({
        headings: document.querySelectorAll("h1").length,
        wide: document.documentElement.scrollWidth - innerWidth,
        screen: document.querySelector("main")?.dataset.screen,
        title: document.title,
      }));
      if (about.headings !== 1) trouble.push(`${way}, ${path}: ${about.headings} headings of the first level`);
      if (about.wide > 0) trouble.push(`${way}, ${path}: the page is ${about.wide} pixels too wide`);
      checked.push([way, path, about.screen, about.title]);
    }
    trouble.push(...(await v.end()));
  };
  await Promise.all(Object.entries(ways).map(look));
  return { trouble, checked };
}

/** Asks the question of a link: the page itself asks none. */
export async function asked(page) {
  await page.locator("main form button[type=submit]").click();
  await page.waitForSelector("main .answer:not([aria-busy=true]), main [data-abstains], main .failure");
}

/** Waits until the pictures that a page shows are there, and it has drawn them. */
export async function settled(page) {
  await page.evaluate(async () => {
    await Promise.all([...document.images].filter((i) => i.loading !== "lazy").map((i) => i.decode().catch(() => {})));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  });
}
