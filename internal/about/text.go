package about

// TextExt ends the name of evidence that is the stored text of a source.
const TextExt = ".ctl"

// TextName returns the name of such evidence under a key.
func TextName(key string) string { return "text_layer-" + key[:16] + TextExt }
