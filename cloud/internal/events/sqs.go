package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// A Queue is a queue of SQS that gets the notifications of a bucket.
type Queue struct {
	client *sqs.Client
	url    string
	logger *slog.Logger
	pause  time.Duration // after a request that failed; doubled up to waitMax
}

// Keys returns the access key, its secret and the token of its session, or "".
type Keys func() (id, secret, session string, err error)

const (
	longPoll = 20 // seconds that a request waits for messages
	most     = 10 // messages of a request

	waitMin = time.Second
	waitMax = time.Minute
)

// OpenQueue returns the queue of a URL, such as
// https://sqs.eu-central-1.amazonaws.com/123456789012/NAME. Its region is that of the
// host's name, else that of AWS_REGION. It makes no request.
func OpenQueue(raw string, keys Keys, logger *slog.Logger) (*Queue, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, errors.New("the queue of the events must be the URL of one of SQS, such as https://sqs.REGION.amazonaws.com/ACCOUNT/NAME")
	}
	region := os.Getenv("AWS_REGION")
	if parts := strings.Split(u.Hostname(), "."); len(parts) > 3 && parts[0] == "sqs" {
		region = parts[1]
	}
	if region == "" {
		region = "us-east-1"
	}
	client := sqs.New(sqs.Options{
		Region: region, BaseEndpoint: aws.String(u.Scheme + "://" + u.Host),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			id, secret, session, err := keys()
			return aws.Credentials{AccessKeyID: id, SecretAccessKey: secret, SessionToken: session}, err
		}),
		HTTPClient: &http.Client{Timeout: 2 * longPoll * time.Second},
	})
	return &Queue{client, raw, logger, waitMin}, nil
}

// Receive takes the notifications of the queue until ctx is done. It deletes a message
// once take has returned nil, or if it is no notification; others come again when their
// time of invisibility is over.
func (q *Queue) Receive(ctx context.Context, take Taker) {
	wait := q.pause
	for ctx.Err() == nil {
		err := q.receive(ctx, take)
		if err == nil || ctx.Err() != nil {
			wait = q.pause
			continue
		}
		q.logger.LogAttrs(ctx, slog.LevelError, "events are not taken", slog.String("error", withoutHosts(err)))
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
		wait = min(2*wait, waitMax)
	}
}

func (q *Queue) receive(ctx context.Context, take Taker) error {
	got, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &q.url, MaxNumberOfMessages: most, WaitTimeSeconds: longPoll})
	if err != nil {
		return err
	}
	var done []types.DeleteMessageBatchRequestEntry
	var failed error // only if nothing was taken: one object at fault must not hold up others
	for i, m := range got.Messages {
		objects, err := Parse([]byte(aws.ToString(m.Body)))
		if err != nil {
			q.logger.LogAttrs(ctx, slog.LevelWarn, "a message of the queue of events is no notification of S3")
		} else if err = take(ctx, objects); err != nil {
			failed = err
			q.logger.LogAttrs(ctx, slog.LevelWarn, "an event is not taken; it comes again", slog.String("error", withoutHosts(err)))
			continue
		}
		done = append(done, types.DeleteMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), ReceiptHandle: m.ReceiptHandle})
	}
	if len(done) > 0 {
		failed = nil
		// What is not deleted comes again, and does no harm.
		deleted, err := q.client.DeleteMessageBatch(context.WithoutCancel(ctx), &sqs.DeleteMessageBatchInput{QueueUrl: &q.url, Entries: done})
		if err == nil && len(deleted.Failed) > 0 {
			err = fmt.Errorf("%d messages were not deleted: %s", len(deleted.Failed), aws.ToString(deleted.Failed[0].Code))
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// withoutHosts returns the words of the protocol of an error, which name no host and no
// account.
func withoutHosts(err error) string {
	var answer interface{ ErrorCode() string }
	if errors.As(err, &answer) {
		return answer.ErrorCode()
	}
	var storage interface{ StorageFault() string }
	if errors.As(err, &storage) {
		return storage.StorageFault()
	}
	return "the queue of the events cannot be reached, or jobs cannot be added"
}
