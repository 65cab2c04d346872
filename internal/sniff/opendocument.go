package sniff

import "strings"

// mimetype is the member that says what a package is.
const mimetype = "mimetype"

// openDocument recognizes a package of OpenDocument whose mimetype is not the
// first member, or is compressed: by that member, else by what the manifest says
// of the whole package (ODF 1.3, part 2, section 4.8.4). It returns the zero
// format for anything else.
func openDocument(z zipList) (Format, error) {
	if !z.has("META-INF/manifest.xml") || !z.has("content.xml") {
		return Format{}, nil
	}
	mediaType, err := z.read(mimetype)
	if err == nil && mediaType == "" {
		var manifest string
		manifest, err = z.read("META-INF/manifest.xml")
		mediaType = typeOfWhole(manifest)
	}
	if err != nil {
		return Format{}, err
	}
	mediaType = strings.TrimSuffix(strings.TrimSpace(mediaType), "-template")
	for _, f := range packaged {
		if f.MediaType == mediaType {
			return f, nil
		}
	}
	return Format{}, nil
}

// typeOfWhole returns the media type that a manifest gives the package as a
// whole, or "".
func typeOfWhole(manifest string) string {
	i := max(strings.Index(manifest, `full-path="/"`), strings.Index(manifest, `full-path='/'`))
	if i < 0 {
		return ""
	}
	end := strings.IndexByte(manifest[i:], '>')
	if end < 0 {
		return ""
	}
	entry := manifest[strings.LastIndexByte(manifest[:i], '<')+1 : i+end]
	_, value, found := strings.Cut(entry, "media-type=")
	if !found || value == "" {
		return ""
	}
	value, _, _ = strings.Cut(value[1:], value[:1])
	return value
}
