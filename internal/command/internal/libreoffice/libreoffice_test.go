package libreoffice

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citekit/citekit"
)

// TestLockedDown lays out documents that would write a file by a macro that runs
// when they are opened, and fetch pictures and text from a server: none of it
// happens, even without a network of its own, by the settings alone.
func TestLockedDown(t *testing.T) {
	if testing.Short() {
		t.Skip("runs LibreOffice: not with -short")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	office, err := Find(ctx)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	office.isolate = nil
	var fetched atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fetched.Add(1)
		io.WriteString(w, "fetched")
	}))
	defer server.Close()
	ran := filepath.Join(t.TempDir(), "ran")
	for ext, document := range map[string][]byte{".odt": withMacro(t, ran, server.URL), ".docx": withLinks(t, server.URL)} {
		var size int64
		err := office.PDF(ctx, bytes.NewReader(document), ext, func(_ io.Reader, n int64) error {
			size = n
			return nil
		})
		if err != nil || size == 0 {
			t.Errorf("%s: a PDF of %d bytes, %v", ext, size, err)
		}
		if _, err := os.Stat(ran); err == nil {
			t.Errorf("%s: the macro ran", ext)
		}
		if n := fetched.Load(); n > 0 {
			t.Errorf("%s: %d requests", ext, n)
		}
	}
}

// TestLeftFolder removes the folder of a process that was killed.
func TestLeftFolder(t *testing.T) {
	temp := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temp)
	}
	left := filepath.Join(temp, "citekit-render-left")
	if err := errors.Join(os.Mkdir(left, 0o700), os.WriteFile(filepath.Join(left, "lock"), []byte("in use"), 0o600)); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable() // which does not know the flags
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Command{path: self}).PDF(t.Context(), strings.NewReader("x"), ".odt", nil); !errors.Is(err, citekit.ErrFormat) {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it stays: %v", err)
	}
	if folders, err := os.ReadDir(temp); err != nil || len(folders) > 0 {
		t.Errorf("the folder of the run stays: %v, %v", folders, err)
	}
}

// pack returns a ZIP archive of names and contents. The first is stored.
func pack(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		method := zip.Deflate
		if i == 0 {
			method = zip.Store
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: method})
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// withMacro returns an ODT with a macro that writes a file when it is opened,
// and with a picture and a section of a server.
func withMacro(t *testing.T, path, server string) []byte {
	const (
		types  = "application/vnd.oasis.opendocument.text"
		office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
	)
	content := `<?xml version="1.0" encoding="UTF-8"?><office:document-content xmlns:office="` + office + `" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:script="urn:oasis:names:tc:opendocument:xmlns:script:1.0" xmlns:ooo="http://openoffice.org/2004/office" xmlns:dom="http://www.w3.org/2001/xml-events" xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.2">` +
		`<office:scripts><office:event-listeners><script:event-listener script:language="ooo:script" script:event-name="dom:load" xlink:href="vnd.sun.star.script:Standard.Module1.Main?language=Basic&amp;location=document" xlink:type="simple"/></office:event-listeners></office:scripts>` +
		`<office:body><office:text><text:p>Read this.<draw:frame text:anchor-type="as-char" svg:width="2cm" svg:height="2cm"><draw:image xlink:href="` + server + `/picture.png" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame></text:p>` +
		`<text:section text:name="s"><text:section-source xlink:href="` + server + `/section.html" xlink:type="simple"/><text:p>kept</text:p></text:section></office:text></office:body></office:document-content>`
	basic := "Sub Main\n f = FreeFile\n Open \"" + path + "\" For Output As #f\n Print #f, \"ran\"\n Close #f\nEnd Sub\n"
	library := `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE library:library PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "library.dtd"><library:library xmlns:library="http://openoffice.org/2000/library" library:name="Standard" library:readonly="false" library:passwordprotected="false"><library:element library:name="Module1"/></library:library>`
	libraries := `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE library:libraries PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "libraries.dtd"><library:libraries xmlns:library="http://openoffice.org/2000/library" xmlns:xlink="http://www.w3.org/1999/xlink"><library:library library:name="Standard" library:link="false"/></library:libraries>`
	module := `<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE script:module PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "module.dtd"><script:module xmlns:script="http://openoffice.org/2000/script" script:name="Module1" script:language="StarBasic">` + strings.ReplaceAll(basic, `"`, "&quot;") + `</script:module>`
	entry := func(name, kind string) string {
		return `<manifest:file-entry manifest:full-path="` + name + `" manifest:media-type="` + kind + `"/>`
	}
	manifest := `<?xml version="1.0" encoding="UTF-8"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2">` +
		entry("/", types) + entry("content.xml", "text/xml") + entry("Basic/Standard/Module1.xml", "text/xml") + entry("Basic/Standard/script-lb.xml", "text/xml") + entry("Basic/script-lc.xml", "text/xml") + `</manifest:manifest>`
	return pack(t, "mimetype", types, "content.xml", content, "Basic/script-lc.xml", libraries, "Basic/Standard/script-lb.xml", library, "Basic/Standard/Module1.xml", module, "META-INF/manifest.xml", manifest)
}

// withLinks returns a DOCX with a picture, a text and a template of a server.
func withLinks(t *testing.T, server string) []byte {
	const (
		rels = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
		list = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	)
	external := func(id, kind, name string) string {
		return `<Relationship Id="` + id + `" Type="` + rels + "/" + kind + `" Target="` + server + "/" + name + `" TargetMode="External"/>`
	}
	picture := `<w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><wp:extent cx="900000" cy="900000"/><wp:docPr id="1" name="p"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:nvPicPr><pic:cNvPr id="1" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:link="rId1"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing>`
	field := `<w:fldSimple w:instr=" INCLUDETEXT &quot;` + server + `/text.docx&quot; "><w:r><w:t>kept</w:t></w:r></w:fldSimple>`
	return pack(t,
		"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/><Override PartName="/word/settings.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.settings+xml"/></Types>`,
		"_rels/.rels", list+`<Relationship Id="rId1" Type="`+rels+`/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/_rels/document.xml.rels", list+external("rId1", "image", "picture.png")+`<Relationship Id="rId2" Type="`+rels+`/settings" Target="settings.xml"/></Relationships>`,
		"word/_rels/settings.xml.rels", list+external("rId1", "attachedTemplate", "template.dotx")+`</Relationships>`,
		"word/settings.xml", `<w:settings xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="`+rels+`"><w:attachedTemplate r:id="rId1"/></w:settings>`,
		"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="`+rels+`"><w:body><w:p><w:r><w:t>Read this.</w:t></w:r><w:r>`+picture+`</w:r></w:p><w:p>`+field+`</w:p></w:body></w:document>`)
}

// TestProfile reads the settings that LibreOffice is given, which no program is
// needed for.
func TestProfile(t *testing.T) {
	dir := t.TempDir()
	if err := writeProfile(dir); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "user", "registrymodifications.xcu"))
	if err != nil {
		t.Fatal(err)
	}
	var profile struct {
		Items []struct {
			Path string `xml:"path,attr"`
			Prop struct {
				Name  string `xml:"name,attr"`
				Value string `xml:"value"`
			} `xml:"prop"`
		} `xml:"item"`
	}
	if err := xml.Unmarshal(data, &profile); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, item := range profile.Items {
		got[item.Path+" "+item.Prop.Name] = item.Prop.Value
	}
	for name, want := range map[string]string{
		"/org.openoffice.Office.Common/Security/Scripting DisableMacrosExecution":     "true",
		"/org.openoffice.Office.Common/Security/Scripting BlockUntrustedRefererLinks": "true",
		"/org.openoffice.Office.Writer/Content/Update Link":                           "0",
		"/org.openoffice.Inet/Settings ooInetHTTPProxyName":                           "127.0.0.1",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}
