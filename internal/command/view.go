package command

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/api"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/server/transport"
	"github.com/citekit/citekit/viewer"
)

// viewFlags are the flags of view.
type viewFlags struct {
	quote     string
	noOpen    bool
	port      int
	ingest    bool
	extra     extraText
	semantics semanticsFlags
	model     mapperFlags
}

func viewCommand(s *session) *cobra.Command {
	f := viewFlags{semantics: semanticsFlags{command: "view"}, model: mapperFlags{retries: 3, command: "view"}}
	c := &cobra.Command{
		Use:         "view [what]",
		Annotations: anyMaps,
		Short:       "Show resources, and what is cited, in the browser",
		Long: `Opens a page in the browser that shows the resources, searches them, checks the
quotes of a text, and answers questions. With RESOURCE.NODE, RESOURCE, an ADDRESS
or the path of a mapped file it shows that place, and with --quote the words marked
if they stand there.

The page is served at 127.0.0.1, and to that browser only: the link has a token
that works once, within 15 minutes, so that no other user of this machine and no
other page, also of another port, can read the files. Nothing is loaded from
elsewhere. It is there until the command is interrupted.

With --no-open it only prints the link. With --ingest the page can add files to
the base directory and map them. 'citekit serve --view' shows the page to those
who have keys.`,
		Example: lines(
			"citekit view",
			"citekit view 'doc://book#pages=12' --quote 'the engine weaves'",
			"citekit view book.chapter-2 --no-open",
		),
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.extra = f.extra
			return s.view(cmd.Context(), strings.Join(args, ""), len(args) > 0, &f)
		},
	}
	flags := c.Flags()
	flags.StringVarP(&f.quote, "quote", "q", "", "mark these `WORDS` if they stand there")
	flags.BoolVar(&f.noOpen, "no-open", false, "only print the link, and open no browser")
	flags.IntVar(&f.port, "port", 0, "`PORT` of 127.0.0.1 to listen on; 0 takes a free one")
	flags.BoolVar(&f.ingest, "ingest", false, "let the page add files to the base directory and map them")
	f.semantics.register(flags)
	f.model.registerWriter(flags)
	f.extra.register(flags)
	return c
}

// view shows the page of what a word names, or the library, until ctx is done.
func (s *session) view(ctx context.Context, what string, given bool, f *viewFlags) error {
	switch {
	case given && what == "":
		return usagef("view", "an empty word; give a node, a resource, an address or a file")
	case !given && f.quote != "":
		return usagef("view", "--quote needs the place that the words are from, such as 'doc://book#pages=12'")
	case f.port < 0 || f.port > 65535:
		return usagef("view", "flag --port: bad value %d: ports run from 0 to 65535", f.port)
	}
	logger := slog.New(slog.NewTextHandler(s.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	c, err := s.openViewed(f, logger)
	if err != nil {
		return err
	}
	defer c.Close()
	service, page := c.Service(nil), ""
	if given {
		if page, err = s.viewed(ctx, c.Library, what); err != nil {
			return err
		}
		stop := s.spin(ctx, "looking at "+what)
		_, err := service.View(ctx, &api.ViewRequest{Address: page})
		stop()
		if err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port)))
	if err != nil {
		err = fmt.Errorf("--port %d: %w", f.port, cause(err))
		if hint := listenHint(err); hint != "" {
			err = hinted{err, hint}
		}
		return err
	}
	defer listener.Close()
	key, path := rand.Text(), "/"+rand.Text()
	view := viewer.New(service, &viewer.Options{
		Version: buildVersion().Version, Path: path, Key: key, Handler: transport.HandlerOptions{Logger: logger, Tools: mcpadapter.ToolsOf(c.ServerOptions())},
	})
	base := "http://" + listener.Addr().String() + path
	link := viewer.SignInLink(viewer.Link(base, page, f.quote), view.Pages.Invite(key))
	if err := s.showLink(base, link, f.noOpen); err != nil {
		return err
	}
	if !f.noOpen {
		listener = ownListener{listener}
	}
	serving.Store(int64(serverPatience))
	err = view.Serve(ctx, listener, &transport.ServeOptions{Grace: viewGrace})
	return cmp.Or(err, stopped(ctx))
}

// An ownListener closes connections of programs of other users of this machine, where that
// is known: they can read the link in the arguments of the program that opens the browser,
// and use its token before the browser does.
type ownListener struct{ net.Listener }

// Accept implements [net.Listener].
func (l ownListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || !isOthers(c) {
			return c, err
		}
		c.Close()
	}
}

// viewGrace is how long running calls of a page may continue when view is interrupted.
const viewGrace = time.Second

// openViewed opens the base directory for pages.
func (s *session) openViewed(f *viewFlags, logger *slog.Logger) (*corpus.Corpus, error) {
	semantics, err := f.semantics.open()
	if err != nil {
		return nil, err
	}
	model, err := f.model.writer()
	if err != nil {
		return nil, err
	}
	lib, err := s.openWith(configure(modality.All(), s.extra, s.compiling), nil)
	if err != nil {
		return nil, err
	}
	c := corpus.New(lib, &corpus.Options{
		Search: &search.Options{Semantics: semantics, Program: programKey()}, Model: model,
		AgentsIngest: f.ingest, Ingest: &ingest.Options{Program: programKey(), Renames: followAll},
		Server: &mcpadapter.Options{Version: buildVersion().Version, Logger: logger},
	})
	if err := c.Searcher.Err(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// viewed returns the address of what a word names. The error is that of a name of
// nothing.
func (s *session) viewed(ctx context.Context, lib *citekit.Library, what string) (string, error) {
	id, err := s.named(ctx, lib, what)
	if err != nil {
		return "", err
	}
	part, err := lookup.Find(ctx, lib, id)
	if err != nil {
		return "", err
	}
	if part.Node != nil {
		return part.Map.Address(part.Node).String(), nil
	}
	return part.Address.String(), nil
}

// showLink opens a link in the browser, or prints it.
func (s *session) showLink(base, link string, noOpen bool) error {
	if s.json {
		if err := s.printJSON(map[string]string{"url": link}); err != nil {
			return err
		}
	} else if noOpen {
		fmt.Fprintln(s.out, link)
	} else {
		fmt.Fprintf(s.stderr, "citekit: showing %s in the browser; Ctrl-C ends it\n", base+transport.ViewPath)
	}
	if err := s.out.Flush(); err != nil || noOpen {
		return err
	}
	openLink(link, func(err error) {
		s.warn(fmt.Sprintf("%v; open this link in a browser: %s", err, link))
	})
	return nil
}
