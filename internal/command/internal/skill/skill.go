// Package skill has what an agent reads to work with the command, as a skill of
// agentskills.io. The folder skills of the repository has a copy, where people look for it.
package skill

import _ "embed"

// Name is that of the skill, and of the folder that it is in.
const Name = "citekit"

// Text is the file SKILL.md.
//
//go:embed skill.txt
var Text string
