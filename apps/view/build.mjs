// Bundle the viewer into one page and write it as C arrays: node build.mjs OUT.c [OUT.html]
//
// The page is cut in two where the data of a result go; `stiction view` writes the first part, the
// data and the second part.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const MARK = "@DATA@";

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    legalComments: "eof",
  });
  return result.outputFiles[0].text;
}

const hash = (text) => "'sha256-" + createHash("sha256").update(text).digest("base64") + "'";

// a closing tag inside a script would end it
const script = (await bundle("main.js")).replaceAll("</script", "<\\/script");
const style = await bundle("style.css");
const policy = `default-src 'none'; img-src data: blob:; style-src ${hash(style)} 'unsafe-hashes'; ` +
  `script-src ${hash(script)}; connect-src 'self'`;
const page = (await readFile(join(here, "src", "page.html"), "utf8"))
  .replace("@POLICY@", () => policy)
  .replace("@STYLE@", () => style)
  .replace("@SCRIPT@", () => script);
const [before, after] = page.split(MARK);

function array(name, text) {
  const bytes = [...Buffer.from(text, "utf8"), 0];
  const rows = [];
  for (let i = 0; i < bytes.length; i += 32) rows.push(bytes.slice(i, i + 32).join(",") + ",");
  // unsigned values do not fit a plain char everywhere
  return `const unsigned char ${name}[] = {\n${rows.join("\n")}\n};\n`;
}

const [, , c, html] = process.argv;
if (c) {
  await writeFile(c, '// generated from apps/view\n#include "view_page.h"\n\n' +
    array("cli_page_before", before) + array("cli_page_after", after));
}
if (html) await writeFile(html, page);
console.log(`page: ${(page.length / 1024).toFixed(0)} KiB`);
