package text

import (
	"path/filepath"
	"strings"
)

// mediaType returns the media type of a source by its name.
func mediaType(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".md", ".markdown":
		return "text/markdown" // RFC 7763
	case ".html", ".htm":
		return "text/html"
	case ".xhtml":
		return "application/xhtml+xml"
	case ".xml", ".xsd", ".xsl":
		return "application/xml" // RFC 7303
	case ".svg":
		return "image/svg+xml"
	case ".css":
		return "text/css"
	case ".csv":
		return "text/csv" // RFC 4180
	case ".tsv":
		return "text/tab-separated-values"
	case ".js", ".mjs":
		return "text/javascript" // RFC 9239
	case ".json":
		return "application/json"
	case ".geojson":
		return "application/geo+json"
	case ".jsonld":
		return "application/ld+json"
	case ".yaml", ".yml":
		return "application/yaml" // RFC 9512
	case ".toml":
		return "application/toml"
	case ".sql":
		return "application/sql" // RFC 6922
	case ".vtt":
		return "text/vtt"
	case ".ics":
		return "text/calendar"
	case ".vcf":
		return "text/vcard"
	case ".ttl":
		return "text/turtle"
	}
	return "text/plain"
}

const maxExtension = 16

// extension returns the extension of the source's name if it is valid, or else
// ".txt".
func extension(name string) string {
	ext := filepath.Ext(name)
	if len(ext) < 2 || len(ext) > maxExtension || ext == name {
		return ".txt"
	}
	for _, c := range []byte(ext[1:]) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && !('0' <= c && c <= '9') && c != '_' && c != '-' && c != '+' {
			return ".txt"
		}
	}
	return ext
}
