package answer_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/answer"
)

// manual has, for each question of TestForms, sentences with its words that do not
// answer it.
var manual = map[string]string{
	"valves.md": "# Valves\n\nThe controller performs the opening of valves on command. The order of openings is: the drain valve; the main valve, the bypass valve; and the vent. " +
		"Valves are opened in pairs by the controller if the plant is cold.\n\nA pressure lock is free of oil in winter. A pressure lock is a chamber between two valves. The pressure lock was painted.\n",
	"ship.md": "# The Alma\n\n\"Is this the captain of the Alma?\" said I at the door. Jonas, the captain of the Berta, feared the people of the Alma. " +
		"The captain of the Alma slept well. The third mate of the Alma was Petersen, a man of few words. Petersen now stood at the rail.\n\n" +
		"The Alma has sails of flax. Ropes of the Alma are of 3 sorts, and her masts of pine. The crew of the Alma wrote many letters after the storm.\n",
	"router.md": "# Router\n\nThe router chooses a path by its latency, and looks for a better path each minute. " +
		"A router that is run from PATH may choose its own name.\n",
	"shell.md": "# Shell\n\nThe shell searches PATH for commands. A path of the shell is cut at each slash.\n",
}

func TestForms(t *testing.T) {
	r := newRoom(t, manual)
	for question, want := range map[string]string{
		"In which order are the valves opened?":       "The order of openings is: the drain valve;",
		"What is a pressure lock?":                    "A pressure lock is a chamber",
		"Who was the third mate of the Alma?":         "The third mate of the Alma was Petersen",
		"Who is Petersen?":                            "The third mate of the Alma was Petersen",
		"How does the router choose a path?":          "The router chooses a path by its latency",
		"Which variable does the shell search: PATH?": "The shell searches PATH",
	} {
		got := r.ask(t, answer.Request{Question: question})
		if len(got.Sentences) == 0 || !strings.HasPrefix(got.Sentences[0].Text, want) {
			t.Errorf("%s: %q", question, got.Text)
		}
	}
	for _, question := range []string{
		"Who is the captain of the Alma?",
		"How many masts has the Alma?",
		"When was the pressure lock painted?",
		"Who wrote the letters of the Alma?",
		"In which order are the ropes of the Alma sorted?",
		"Who painted the pressure lock?",
	} {
		if got := r.ask(t, answer.Request{Question: question}); got.Found {
			t.Errorf("%s: %q", question, got.Text)
		}
	}
}
