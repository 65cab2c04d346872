package viewer_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestNumbersOfCells tests which cells are numbers. The last ones never end if parts of
// the pattern can match the same characters.
func TestNumbersOfCells(t *testing.T) {
	const script = `
		const { isNumber } = await import(process.argv[1]);
		const cases = [
			["1", true], [" 1 234,50 ", true], ["-3.5%", true], ["(1'000)", true], ["+ 7", true], ["1\u00a0000", true],
			["", false], [" ", false], ["-", false], [".,", false], ["1x", false], ["x1", false], ["1-2", false], ["1 %)", false],
			[" ".repeat(9000) + "1".repeat(9000) + "x", false], [" ".repeat(9000) + "1 ".repeat(9000) + " ", true],
		];
		for (const [text, want] of cases) if (isNumber(text) !== want) throw new Error(JSON.stringify(text.slice(0, 40)) + " is not " + want);
	`
	runModule(t, script, "kinds/cells.js")
}

// TestColoursGoOn colours the lines of a text in two parts, of which a comment or a string
// may begin in the first, or in neither.
func TestColoursGoOn(t *testing.T) {
	const script = `
		const { coloursOf } = await import(process.argv[1]);
		const { tokens } = await import(process.argv[2]);
		const spans = (lines) => lines.map((text) => ({ address: "text://x", text }));
		const kinds = (found) => found.map((of) => [...new Set(of.map(([, , kind]) => kind))].join("+")).join(" | ");
		const cases = [ // language, the lines before or none, the lines, their colours
			["go", ["a := 1 /* begins"], ["func in it", "ends */ x := 2"], "comment | comment+number"],
			["go", ["s := BTbegins"], ["func in it", "endsBT; return"], "string | string+keyword"],
			["go", ["a /* whole */ b"], ["return"], "keyword"],
			["go", [], ["func in it", "ends here */", "return"], "comment | comment | keyword"],
			["go", [], ["glob = \"**/*.js\"", "return"], "string | keyword"],
			["go", [], ["a = b */ c", "return"], " | keyword"],
			["py", ['x = """begins'], ["return in it", 'ends""" + 1'], "string | string+number"],
			["html", ["<p>a <!-- begins"], ["<b>in it</b>", "ends --> &amp;"], "comment | comment+number"],
			["py", [], ["return a", "# */"], "keyword | comment"],
			["txt", [], ["return a */"], ""],
		];
		for (const [format, before, lines, want] of cases) {
			const tick = (all) => all.map((line) => line.replaceAll("BT", String.fromCharCode(96)));
			const host = { tokens };
			const open = before.length ? coloursOf(spans(tick(before)), { format }, host).open : undefined;
			const got = kinds(coloursOf(spans(tick(lines)), { format }, host, open).found);
			if (got !== want) throw new Error(JSON.stringify([format, before, lines]) + ": " + got + ", not " + want);
		}
	`
	runModule(t, script, "kinds/text.js", "syntax.js")
}

// runModule runs a script with the addresses of some assets as its arguments.
func runModule(t *testing.T, script string, names ...string) {
	t.Helper()
	assets, err := filepath.Abs("assets")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--input-type=module", "-e", script}
	for _, name := range names {
		args = append(args, "file://"+filepath.ToSlash(filepath.Join(string(filepath.Separator), assets, name)))
	}
	out, err := exec.CommandContext(t.Context(), sharedtest.Tool(t, "node"), args...).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
