package workspace

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxCompanions is the number of files beside a recording that are accepted as
// its companions.
const maxCompanions = 20

var (
	recordingExtensions = []string{
		".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".ts", ".m2ts", ".mts", ".wmv", ".flv", ".3gp", ".ogv",
		".mp3", ".m4a", ".m4b", ".aac", ".wav", ".flac", ".ogg", ".oga", ".opus", ".wma", ".aif", ".aiff",
	}
	companionExtensions = []string{".srt", ".vtt", ".ass", ".ssa", ".json"}
)

// isRecording reports whether a file may have companions, judging by its name.
func isRecording(name string) bool {
	return slices.Contains(recordingExtensions, strings.ToLower(path.Ext(name)))
}

// CompanionsOf returns the companions of a recording among the names in its folder,
// sorted: see [Candidate]. If the name is not that of a recording, it returns nil.
// Implementations of [Finder] use it.
func CompanionsOf(recording string, names []string) []string {
	if !isRecording(recording) {
		return nil
	}
	var beside []string
	for _, name := range names {
		if isCompanion(name) {
			beside = append(beside, name)
		}
	}
	slices.Sort(beside)
	return companionsOf(recording, beside)
}

func isCompanion(name string) bool {
	return slices.Contains(companionExtensions, strings.ToLower(path.Ext(name)))
}

// companionNames returns the names of the files in a folder that may be
// companions, sorted.
func companionNames(entries []fs.DirEntry) []string {
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && isCompanion(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

// companionsOf returns the names that begin with the name of a recording
// without its extension. The names must be sorted.
func companionsOf(recording string, names []string) []string {
	stem := strings.TrimSuffix(recording, path.Ext(recording)) + "."
	i, _ := slices.BinarySearch(names, stem)
	var companions []string
	for ; i < len(names) && strings.HasPrefix(names[i], stem) && len(companions) < maxCompanions; i++ {
		companions = append(companions, names[i])
	}
	return companions
}

func foundCompanions(t tree, dir string, names []string) []string {
	var found []string
	for _, name := range names {
		if info, err := t.lstat(name); err == nil && info.Mode().IsRegular() {
			found = append(found, path.Join(dir, name))
		}
	}
	return found
}
