package pdfium

// Release stops PDFium as if the engine had not been used for long.
func (e *Engine) Release() { e.release() }
