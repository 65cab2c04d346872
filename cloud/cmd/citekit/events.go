package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud/internal/events"
)

var errNoBucket = errors.New("events are of sources in a bucket: add sources=s3://BUCKET/PREFIX to the URL of the workspace")

// taker returns what adds objects to the queue that are sources.
func (q queue) taker(ws citekit.Workspace) (events.Taker, error) {
	b := q.ws.SourceBucket()
	if b == nil {
		return nil, errNoBucket
	}
	return func(ctx context.Context, objects []events.Object) error {
		var paths []string
		for _, o := range objects {
			if key, ok := b.Key(o.Bucket, o.Name); ok {
				paths = append(paths, key)
			}
		}
		_, err := q.Changed(ctx, ws, paths)
		return err
	}, nil
}

func (q queue) Webhook(ws citekit.Workspace, token string) (http.Handler, error) {
	take, err := q.taker(ws)
	if err != nil {
		return nil, err
	}
	return events.Webhook(token, take), nil
}

func (q queue) Receiver(ws citekit.Workspace, url string, logger *slog.Logger) (func(context.Context), error) {
	take, err := q.taker(ws)
	if err != nil {
		return nil, err
	}
	from, err := events.OpenQueue(url, q.ws.SourceBucket().Keys, logger)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) { from.Receive(ctx, take) }, nil
}
