//go:build !race

package pdf_test

const raced = false
